/*
 * Ray traversal of a bounding volume hierarchy, one ray a thread, after the "while-while" loop of
 * Aila and Laine (HPG 2009): a thread goes down inner nodes until it is at a leaf, then tests the
 * leaf's triangles. It ends when its own ray does, so a warp lasts as long as its longest ray. Each
 * thread keeps a stack of nodes in local memory. Nodes and triangles are nvrt's. The nearest hit
 * and the nearer child are selects, as any compiler makes them.
 */
#include "cuda.h"

#define STACK 64
#define DONE 0x76543210

struct span {
	float in, out;
};

static __device__ __forceinline__ float inverse(float d)
{
	return 1.0f / (fabsf(d) > 1e-20f ? d : 1e-20f);
}

/* The part of a ray within a box, from the ray's distances to the box's six planes. */
static __device__ __forceinline__ span within(float x0, float x1, float y0, float y1, float z0,
	float z1, float t_min, float t_max)
{
	span s;

	s.in = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), t_min));
	s.out = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fminf(fmaxf(z0, z1), t_max));
	return s;
}

/*
 * rays: origin and t_min, direction and t_max. nodes: x and y of child 0, of child 1, z of both,
 * each low and high, then the children: a node, or below 0 ~(first triangle * 4 + triangles - 1).
 */
extern "C" __global__ void raytracing(const float4 *rays, int nrays, int root,
	const float4 *nodes, const float4 *triangles, int *hits, float *distances)
{
	int ray = blockIdx.x * blockDim.x + threadIdx.x;
	int stack[STACK];

	if (ray >= nrays)
		return;

	float4 o = rays[2 * ray], d = rays[2 * ray + 1];
	float ix = inverse(d.x), iy = inverse(d.y), iz = inverse(d.z);
	float ox = o.x * ix, oy = o.y * iy, oz = o.z * iz;
	float nearest = d.w;
	int hit = -1, node = root, top = 0;

	stack[0] = DONE;
	while (node != DONE) {
		while (node >= 0 && node != DONE) {
			float4 a = nodes[4 * node], b = nodes[4 * node + 1];
			float4 z = nodes[4 * node + 2], c = nodes[4 * node + 3];
			int child0 = __float_as_int(c.x), child1 = __float_as_int(c.y);
			span s0 = within(a.x * ix - ox, a.y * ix - ox, a.z * iy - oy,
				a.w * iy - oy, z.x * iz - oz, z.y * iz - oz, o.w, nearest);
			span s1 = within(b.x * ix - ox, b.y * ix - ox, b.z * iy - oy,
				b.w * iy - oy, z.z * iz - oz, z.w * iz - oz, o.w, nearest);
			bool go0 = s0.out >= s0.in, go1 = s1.out >= s1.in;

			if (go0 && go1) {
				bool swap = s1.in < s0.in;

				stack[++top] = swap ? child0 : child1;
				node = swap ? child1 : child0;
			} else if (go0 || go1) {
				node = go0 ? child0 : child1;
			} else {
				node = stack[top--];
			}
		}
		while (node < 0) {
			int first = ~node >> 2, last = first + (~node & 3);

			for (int i = first; i <= last; i++) {
				float4 p = triangles[3 * i];
				float t = (p.w - o.x * p.x - o.y * p.y - o.z * p.z) /
					  (d.x * p.x + d.y * p.y + d.z * p.z);

				if (t > o.w && t < nearest) {
					float4 e = triangles[3 * i + 1];
					float u = e.w + o.x * e.x + o.y * e.y + o.z * e.z +
						  t * (d.x * e.x + d.y * e.y + d.z * e.z);

					if (u >= 0.0f) {
						float4 f = triangles[3 * i + 2];
						float v = f.w + o.x * f.x + o.y * f.y +
							  o.z * f.z +
							  t * (d.x * f.x + d.y * f.y +
								      d.z * f.z);
						bool in = v >= 0.0f && u + v <= 1.0f;

						nearest = in ? t : nearest;
						hit = in ? i : hit;
					}
				}
			}
			node = stack[top--];
		}
	}
	hits[ray] = hit;
	distances[ray] = nearest;
}
