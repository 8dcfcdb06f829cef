/*
 * Sort of floats after Rodinia's hybridsort (Sintorn, Assarsson, 2008): a histogram, from which the
 * host takes pivots; each element to one of the divisions (the original's 1024 or fewer, a power of
 * two) by binary search in the pivots; then each division by merge sort, whose threads merge two
 * runs of float4 each. What the original reads through textures goes through the read-only cache.
 * Which way the search jumps and which run of a merge goes on are selects, as any compiler makes
 * them.
 *
 * Counters in shared memory have no atomics: a thread writes a count that carries its number in the
 * warp in the upper bits, and tries again if it then finds another's. Lanes of a warp run in step.
 */
#include "cuda.h"

#define DIVISIONS_MAX 1024
#define LOG_DIVISIONS 10 /* of the most */
#define BINS 1024
#define WARPS 3 /* of a block of the histogram, each with counters of its own */
#define COUNT 0x07ffffffu

/* The count before this thread's. */
static __device__ __forceinline__ unsigned count_up(volatile unsigned *counter, unsigned tag)
{
	unsigned count;

	do {
		count = tag | ((*counter & COUNT) + 1);
		*counter = count;
	} while (*counter != count);
	return (count & COUNT) - 1;
}

extern "C" __global__ void histogram(
	const float *data, unsigned *partial, float least, float scale, int n)
{
	__shared__ unsigned counts[WARPS * BINS];
	unsigned *mine = counts + (threadIdx.x >> 5) * BINS, tag = threadIdx.x << 27;
	int threads = blockDim.x * gridDim.x;

	for (int i = threadIdx.x; i < WARPS * BINS; i += blockDim.x)
		counts[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
		count_up(mine + min((int)((data[i] - least) * scale), BINS - 1), tag);
	__syncthreads();
	for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
		unsigned sum = 0;

		for (int i = 0; i < WARPS * BINS; i += BINS)
			sum += counts[bin + i] & COUNT;
		partial[blockIdx.x * BINS + bin] = sum;
	}
}

/* The element's division, and its number among the block's of that division above it. */
extern "C" __global__ void bucket_count(
	const float *data, const float *pivots, int *places, unsigned *counts, int n,
	int divisions)
{
	__shared__ unsigned offset[DIVISIONS_MAX];
	unsigned tag = threadIdx.x << 27;
	int threads = blockDim.x * gridDim.x;

	for (int i = threadIdx.x; i < divisions; i += blockDim.x)
		offset[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
		float element = data[i];
		int at = divisions / 2 - 1, jump = divisions / 4;
		float pivot = __ldg(&pivots[at]);

		while (jump >= 1) {
			at += element < pivot ? -jump : jump;
			pivot = __ldg(&pivots[at]);
			jump /= 2;
		}
		at = element < pivot ? at : at + 1;
		places[i] = (int)(count_up(offset + at, tag) << LOG_DIVISIONS) + at;
	}
	__syncthreads();
	for (int i = threadIdx.x; i < divisions; i += blockDim.x)
		counts[blockIdx.x * divisions + i] = offset[i] & COUNT;
}

/* A division's counts of all blocks become the sums before them; sizes: the sums of all. */
extern "C" __global__ void bucket_prefix(unsigned *counts, unsigned *sizes, int blocks,
	int divisions)
{
	int division = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned sum = 0;

	for (int i = division; i < blocks * divisions; i += divisions) {
		unsigned count = counts[i];

		counts[i] = sum;
		sum += count;
	}
	sizes[division] = sum;
}

extern "C" __global__ void bucket_sort(const float *data, const int *places, float *out, int n,
	const unsigned *counts, const unsigned *starts, int divisions)
{
	__shared__ unsigned offset[DIVISIONS_MAX];
	int threads = blockDim.x * gridDim.x;

	for (int i = threadIdx.x; i < divisions; i += blockDim.x)
		offset[i] = starts[i] + counts[blockIdx.x * divisions + i];
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
		int place = places[i];

		out[offset[place & (DIVISIONS_MAX - 1)] + (place >> LOG_DIVISIONS)] = data[i];
	}
}

static __device__ __forceinline__ float4 sorted(float4 v)
{
	float a = fminf(v.x, v.y), b = fmaxf(v.x, v.y);
	float c = fminf(v.z, v.w), d = fmaxf(v.z, v.w);
	float inner = fmaxf(a, c), other = fminf(b, d);

	return make_float4(fminf(a, c), fminf(inner, other), fmaxf(inner, other), fmaxf(b, d));
}

/* Of two sorted ones the four least, and the four largest, neither in order. */
static __device__ __forceinline__ float4 lowest(float4 a, float4 b)
{
	return make_float4(fminf(a.x, b.w), fminf(a.y, b.z), fminf(a.z, b.y), fminf(a.w, b.x));
}

static __device__ __forceinline__ float4 highest(float4 a, float4 b)
{
	return make_float4(fmaxf(a.x, b.w), fmaxf(a.y, b.z), fmaxf(a.z, b.y), fmaxf(a.w, b.x));
}

extern "C" __global__ void merge_first(const float4 *in, float4 *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = sorted(__ldg(&in[i]));
}

/* starts: where divisions begin, in float4. A thread makes a run of `length` of two halves. */
extern "C" __global__ void merge_pass(
	const float4 *in, float4 *out, const int *starts, int length, int threads,
	int divisions)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int division = i / threads;

	if (division >= divisions)
		return;
	int a = starts[division] + (i - division * threads) * length, b = a + length / 2;
	int end = starts[division + 1];
	float4 *to = out + a;

	if (a >= end)
		return;
	if (b >= end) {
		for (int k = 0; k < end - a; k++)
			to[k] = __ldg(&in[a + k]);
		return;
	}
	int ia = 0, ib = 0, io = 0;
	float4 va = __ldg(&in[a]), vb = __ldg(&in[b]);

	while (true) {
		/* Beyond a run stands the next one, and beyond the last one a float4 to spare. */
		float4 next_a = __ldg(&in[a + ia + 1]), next_b = __ldg(&in[b + ib + 1]);
		float4 low = lowest(va, vb), high = highest(va, vb);

		va = sorted(low);
		vb = sorted(high);
		to[io++] = va;
		bool left_a = ia + 1 < length / 2;
		bool left_b = ib + 1 < length / 2 && b + ib + 1 < end;

		if (left_a) {
			if (left_b) {
				if (next_a.x < next_b.x) {
					va = next_a;
					ia++;
				} else {
					va = next_b;
					ib++;
				}
			} else {
				va = next_a;
				ia++;
			}
		} else {
			if (left_b) {
				va = next_b;
				ib++;
			} else {
				break;
			}
		}
	}
	to[io] = vb;
}

/* Leaves out the `nulls` with which a division was filled up to whole float4. */
extern "C" __global__ void merge_pack(const float *in, float *out, const int *starts,
	const unsigned *nulls, const unsigned *packed)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, division = blockIdx.y;

	if (packed[division] + i >= packed[division + 1])
		return;
	out[packed[division] + i] = in[starts[division] * 4 + nulls[division] + i];
}
