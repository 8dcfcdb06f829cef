/*
 * Product recommendation by collaborative filtering from item to item (Nadungodage et al.): the
 * similarity of two items is the cosine between their vectors of users' ratings, which are sparse
 * and sorted by user, and an item's most similar ones are what is recommended to who likes it. A
 * block of 256 threads takes every gridDim-th chunk of 256 items.
 *
 * Flat: a thread compares its item with all. Dynamic (Wang et al., ISCA 2015): it launches a kernel
 * with a thread for each other item, as many blocks of 32 as they fill, and compares with those
 * that are left over.
 */
#include "cuda.h"

#define BLOCK 256
#define CHILD 32
#define TOP 10

struct ratings { /* of item i: first[i] ... first[i + 1] - 1 */
	const int *first, *user, *rating;
	const float *norm;
};

extern "C" __global__ void pre_norms(const int *first, const int *rating, int n, float *norm)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
		int sum = 0, end = first[i + 1];
		for (int k = first[i]; k < end; k++)
			sum += rating[k] * rating[k];
		norm[i] = sqrtf((float)sum);
	}
}

/* Merges two vectors by user. An item that nobody rated is similar to none. */
static __device__ __forceinline__ float similarity(int i, int j, ratings r)
{
	int a = r.first[i], a_end = r.first[i + 1], b = r.first[j], b_end = r.first[j + 1];
	int dot = 0;

	while (a < a_end && b < b_end) {
		int ua = r.user[a], ub = r.user[b];
		if (ua == ub)
			dot += r.rating[a] * r.rating[b];
		a += ua <= ub; /* no branch, as nvcc has none for `else if` either */
		b += ub <= ua;
	}
	return dot ? (float)dot / (r.norm[i] * r.norm[j]) : 0;
}

extern "C" __global__ void pre_similar(ratings r, int n, float *similar)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
		for (int j = 0; j < n; j++)
			similar[(size_t)i * n + j] = similarity(i, j, r);
}

/* The TOP most similar others, the most similar first, of equal ones that with the lower number. */
extern "C" __global__ void pre_top(const float *similar, int n, float *score, int *item)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
		float *s = score + i * TOP;
		int *o = item + i * TOP;
		for (int k = 0; k < TOP; k++) {
			s[k] = 0;
			o[k] = -1;
		}
		for (int j = 0; j < n; j++) {
			float v = similar[(size_t)i * n + j];
			if (j == i || v <= s[TOP - 1])
				continue;
			int k = TOP - 1;
			for (; k > 0 && s[k - 1] < v; k--) {
				s[k] = s[k - 1];
				o[k] = o[k - 1];
			}
			s[k] = v;
			o[k] = j;
		}
	}
}

/* ---- dynamic ---- */

struct others_args {
	ratings r;
	int i;
	float *similar;
};

extern "C" __global__ void pre_others(ratings r, int i, float *similar)
{
	int j = blockIdx.x * CHILD + threadIdx.x;

	similar[j] = similarity(i, j, r);
}

extern "C" __global__ void pre_similar_dyn(ratings r, int n, float *similar)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
		float *row = similar + (size_t)i * n;
		if (n >= CHILD) {
			cudaStream_t stream;
			cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
			others_args *args = (others_args *)cudaGetParameterBufferV2(
				WL_KERNEL(pre_others), make_dim3(n / CHILD, 1, 1),
				make_dim3(CHILD, 1, 1), 0);
			args->r = r;
			args->i = i;
			args->similar = row;
			cudaLaunchDeviceV2(args, stream);
		}
		for (int j = n / CHILD * CHILD; j < n; j++)
			row[j] = similarity(i, j, r);
	}
}
