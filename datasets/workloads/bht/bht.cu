/*
 * Barnes-Hut (Burtscher and Pingali): the acceleration of each body by all others. A thread walks
 * the tree for its body, with a stack: a node that is far away for its size acts as one mass, an
 * inner node that is not is replaced by its children, and a leaf by its bodies. The bodies are
 * sorted by leaf, so that those of a warp walk much the same way. A block of 256 threads takes
 * every gridDim-th chunk of 256 bodies.
 *
 * Flat: the thread goes over the bodies of a leaf. Dynamic (Wang et al., ISCA 2015): a leaf of 32
 * bodies or more is gone over by a kernel that the thread launches, as many blocks of 32 as they
 * fill, which add atomically; and the thread goes over what is left.
 */
#include "cuda.h"

#define BLOCK 256
#define CHILD 32
#define STACK 128

struct node {
	float4 mass; /* its centre, and how much */
	float side;
	int first, count; /* of an inner node, its children; of a leaf, its bodies */
	int inner;
};

struct tree {
	const node *nodes;
	const float4 *bodies;
	float *acceleration; /* three a body */
	float theta2;        /* far: side^2 < theta2 * distance^2 */
	float soft2;         /* added to squares of distances */
};

struct vector {
	float x, y, z;
};

/* The distance to a mass, and its square. */
static __device__ __forceinline__ vector away(float4 mass, float4 from, float soft2, float *r2)
{
	vector d;
	d.x = mass.x - from.x;
	d.y = mass.y - from.y;
	d.z = mass.z - from.z;
	*r2 = d.x * d.x + d.y * d.y + d.z * d.z + soft2;
	return d;
}

static __device__ __forceinline__ void attract(vector *a, vector d, float r2, float mass)
{
	float inverse = rsqrtf(r2), f = mass * inverse * inverse * inverse;

	a->x += d.x * f;
	a->y += d.y * f;
	a->z += d.z * f;
}

static __device__ __forceinline__ void add(float *to, vector a)
{
	atomicAdd(&to[0], a.x);
	atomicAdd(&to[1], a.y);
	atomicAdd(&to[2], a.z);
}

extern "C" __global__ void bht_force(tree t, int begin, int end)
{
	int stack[STACK];

	for (int i = begin + blockIdx.x * BLOCK + threadIdx.x; i < end; i += gridDim.x * BLOCK) {
		float4 body = t.bodies[i];
		vector a = {0, 0, 0};
		int top = 0;
		stack[top++] = 0;
		while (top > 0) {
			const node *n = &t.nodes[stack[--top]];
			float4 mass = n->mass;
			float side = n->side, r2;
			vector d = away(mass, body, t.soft2, &r2);
			if (side * side < t.theta2 * r2) {
				attract(&a, d, r2, mass.w);
				continue;
			}
			int first = n->first, count = n->count;
			if (n->inner) {
				for (int k = 0; k < count; k++)
					stack[top++] = first + k;
				continue;
			}
			for (int k = 0; k < count; k++) {
				float4 other = t.bodies[first + k];
				d = away(other, body, t.soft2, &r2);
				attract(&a, d, r2, other.w);
			}
		}
		add(&t.acceleration[3 * i], a);
	}
}

/* ---- dynamic ---- */

struct leaf_args {
	const float4 *others;
	float4 body;
	float soft2;
	float *acceleration;
};

extern "C" __global__ void bht_leaf(const float4 *others, float4 body, float soft2,
	float *acceleration)
{
	float4 other = others[blockIdx.x * CHILD + threadIdx.x];
	float r2;
	vector a = {0, 0, 0}, d = away(other, body, soft2, &r2);

	attract(&a, d, r2, other.w);
	add(acceleration, a);
}

extern "C" __global__ void bht_force_dyn(tree t, int begin, int end)
{
	int stack[STACK];

	for (int i = begin + blockIdx.x * BLOCK + threadIdx.x; i < end; i += gridDim.x * BLOCK) {
		float4 body = t.bodies[i];
		vector a = {0, 0, 0};
		int top = 0;
		stack[top++] = 0;
		while (top > 0) {
			const node *n = &t.nodes[stack[--top]];
			float4 mass = n->mass;
			float side = n->side, r2;
			vector d = away(mass, body, t.soft2, &r2);
			if (side * side < t.theta2 * r2) {
				attract(&a, d, r2, mass.w);
				continue;
			}
			int first = n->first, count = n->count;
			if (n->inner) {
				for (int k = 0; k < count; k++)
					stack[top++] = first + k;
				continue;
			}
			if (count >= CHILD) {
				cudaStream_t stream;
				cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
				leaf_args *args = (leaf_args *)cudaGetParameterBufferV2(
					WL_KERNEL(bht_leaf), make_dim3(count / CHILD, 1, 1),
					make_dim3(CHILD, 1, 1), 0);
				args->others = t.bodies + first;
				args->body = body;
				args->soft2 = t.soft2;
				args->acceleration = &t.acceleration[3 * i];
				cudaLaunchDeviceV2(args, stream);
			}
			for (int k = count / CHILD * CHILD; k < count; k++) {
				float4 other = t.bodies[first + k];
				d = away(other, body, t.soft2, &r2);
				attract(&a, d, r2, other.w);
			}
		}
		add(&t.acceleration[3 * i], a);
	}
}
