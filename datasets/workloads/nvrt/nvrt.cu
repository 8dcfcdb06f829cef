/*
 * Ray traversal of a bounding volume hierarchy by persistent threads, after Aila and Laine (HPG
 * 2009), "persistent while-while": a warp's lane 0 takes batches of rays from a global counter and
 * hands them out through shared memory. There is no barrier: lanes of a warp run in step. Each
 * thread keeps a stack of nodes in local memory. Triangles are in Woop's form: an affine map to the
 * unit triangle. The nearest hit and the nearer child are selects, as any compiler makes them.
 *
 * With any_hit a ray ends at its first hit, by a break out of the loop over a leaf's triangles. The
 * break is there whether or not it is ever taken, so lanes that part in that loop must meet only
 * after it: that is what likely-convergence points are for (TBC, section 4). A variable that lived
 * in the loop's body would have clang leave the loop by a flag, at its end.
 */
#include "cuda.h"

#define WARPS 6
#define BATCH 96
#define STACK 64
#define DONE 0x76543210

/* Span of t within a box, from its six planes. */
static __device__ __forceinline__ float span_begin(
	float lox, float hix, float loy, float hiy, float loz, float hiz, float t_min)
{
	return fmaxf(fmaxf(fminf(lox, hix), fminf(loy, hiy)), fmaxf(fminf(loz, hiz), t_min));
}

static __device__ __forceinline__ float span_end(
	float lox, float hix, float loy, float hiy, float loz, float hiz, float t_max)
{
	return fminf(fminf(fmaxf(lox, hix), fmaxf(loy, hiy)), fminf(fmaxf(loz, hiz), t_max));
}

static __device__ __forceinline__ float inverse(float d)
{
	return 1.0f / (fabsf(d) > 1e-20f ? d : 1e-20f);
}

/*
 * rays: origin and t_min, direction and t_max. nodes: x and y of child 0, of child 1, z of both,
 * each low and high, then the children: a node, or below 0 ~(first triangle * 4 + triangles - 1).
 */
extern "C" __global__ void nvrt_trace(const float4 *rays, int nrays, int root, const float4 *nodes,
	const float4 *triangles, int *hits, float *distances, int *counter, int any_hit)
{
	__shared__ volatile int next[WARPS], left[WARPS];
	int stack[STACK], i;
	float4 v, a, b;
	float t, u, w;
	int lane = threadIdx.x, warp = threadIdx.y;

	left[warp] = 0;
	for (;;) {
		if (lane == 0 && left[warp] <= 0) {
			next[warp] = atomicAdd(counter, BATCH);
			left[warp] = BATCH;
		}
		int r = next[warp] + lane;
		if (r >= nrays)
			break;
		if (lane == 0) {
			next[warp] += 32;
			left[warp] -= 32;
		}

		float4 o = rays[2 * r], d = rays[2 * r + 1];
		float ix = inverse(d.x), iy = inverse(d.y), iz = inverse(d.z);
		float ox = o.x * ix, oy = o.y * iy, oz = o.z * iz;
		float t_hit = d.w;
		int hit = -1, node = root, top = 0;

		stack[0] = DONE;
		while (node != DONE) {
			while (node >= 0 && node != DONE) {
				float4 xy0 = nodes[4 * node], xy1 = nodes[4 * node + 1];
				float4 z = nodes[4 * node + 2], c = nodes[4 * node + 3];
				float lox0 = xy0.x * ix - ox, hix0 = xy0.y * ix - ox;
				float loy0 = xy0.z * iy - oy, hiy0 = xy0.w * iy - oy;
				float loz0 = z.x * iz - oz, hiz0 = z.y * iz - oz;
				float lox1 = xy1.x * ix - ox, hix1 = xy1.y * ix - ox;
				float loy1 = xy1.z * iy - oy, hiy1 = xy1.w * iy - oy;
				float loz1 = z.z * iz - oz, hiz1 = z.w * iz - oz;
				float in0 = span_begin(lox0, hix0, loy0, hiy0, loz0, hiz0, o.w);
				float out0 = span_end(lox0, hix0, loy0, hiy0, loz0, hiz0, t_hit);
				float in1 = span_begin(lox1, hix1, loy1, hiy1, loz1, hiz1, o.w);
				float out1 = span_end(lox1, hix1, loy1, hiy1, loz1, hiz1, t_hit);
				bool go0 = out0 >= in0, go1 = out1 >= in1;

				if (!go0 && !go1) {
					node = stack[top--];
				} else {
					int near = __float_as_int(go0 ? c.x : c.y);

					if (go0 && go1) {
						int far = __float_as_int(c.y);

						if (in1 < in0) {
							far = near;
							near = __float_as_int(c.y);
						}
						stack[++top] = far;
					}
					node = near;
				}
			}
			while (node < 0) {
				int first = ~node >> 2, last = first + (~node & 3);

				for (i = first; i <= last; i++) {
					v = triangles[3 * i];
					t = (v.w - o.x * v.x - o.y * v.y - o.z * v.z) /
						  (d.x * v.x + d.y * v.y + d.z * v.z);

					if (t > o.w && t < t_hit) {
						a = triangles[3 * i + 1];
						u = a.w + o.x * a.x + o.y * a.y + o.z * a.z +
							  t * (d.x * a.x + d.y * a.y + d.z * a.z);

						if (u >= 0.0f) {
							b = triangles[3 * i + 2];
							w = b.w + o.x * b.x + o.y * b.y +
								  o.z * b.z +
								  t * (d.x * b.x + d.y * b.y +
									      d.z * b.z);

							if (w >= 0.0f && u + w <= 1.0f) {
								t_hit = t;
								hit = i;
								if (any_hit) {
									top = 0;
									break;
								}
							}
						}
					}
				}
				node = stack[top--];
			}
		}
		hits[r] = hit;
		distances[r] = t_hit;
	}
}
