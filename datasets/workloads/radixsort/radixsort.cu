/*
 * Radix sort of pairs of key and value, a digit of 4 bits a pass, after Satish, Harris and Garland
 * (IPDPS 2009): a block of at most 256 threads sorts a tile of pairs, four a thread, by the digit
 * in shared memory with four splits by one bit each; then the digits of each tile are counted, the
 * counts of all tiles summed up, and the pairs scattered, each run of a tile to its place. Prefix
 * sums in a block have a barrier at each step, where theirs rely on warps of 32 in step.
 */
#include "cuda.h"

#define THREADS 256        /* at most */
#define TILE (4 * THREADS) /* at most */
#define DIGITS 16

/* The sum of `mine` over all threads before this one; *all: over all of them. */
static __device__ __forceinline__ unsigned sum_before(unsigned mine, unsigned *sums, unsigned *all)
{
	int t = threadIdx.x, n = blockDim.x;
	unsigned sum = mine;

	sums[t] = sum;
	__syncthreads();
	for (int reach = 1; reach < n; reach *= 2) {
		if (t >= reach)
			sum += sums[t - reach];
		__syncthreads();
		sums[t] = sum;
		__syncthreads();
	}
	*all = sums[n - 1];
	return sum - mine;
}

/* Where pair `rank` of a tile lies, so that threads find their four without bank conflicts. */
static __device__ __forceinline__ unsigned place(unsigned rank)
{
	return (rank & 3) * blockDim.x + (rank >> 2);
}

extern "C" __global__ void radix_sort_tile(const uint4 *keys_in, const uint4 *values_in,
	uint4 *keys_out, uint4 *values_out, int shift)
{
	__shared__ unsigned keys[TILE], values[TILE], sums[THREADS];
	unsigned t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t, zeros;
	uint4 k = keys_in[i], v = values_in[i];

	for (int bit = shift; bit < shift + 4; bit++) {
		unsigned x = ~(k.x >> bit) & 1, y = ~(k.y >> bit) & 1;
		unsigned z = ~(k.z >> bit) & 1, w = ~(k.w >> bit) & 1;
		unsigned before = sum_before(x + y + z + w, sums, &zeros);
		unsigned to_x = x ? before : zeros + 4 * t - before;
		before += x;
		unsigned to_y = y ? before : zeros + 4 * t + 1 - before;
		before += y;
		unsigned to_z = z ? before : zeros + 4 * t + 2 - before;
		before += z;
		unsigned to_w = w ? before : zeros + 4 * t + 3 - before;

		keys[place(to_x)] = k.x;
		values[place(to_x)] = v.x;
		keys[place(to_y)] = k.y;
		values[place(to_y)] = v.y;
		keys[place(to_z)] = k.z;
		values[place(to_z)] = v.z;
		keys[place(to_w)] = k.w;
		values[place(to_w)] = v.w;
		__syncthreads();
		k.x = keys[t];
		k.y = keys[t + n];
		k.z = keys[t + 2 * n];
		k.w = keys[t + 3 * n];
		v.x = values[t];
		v.y = values[t + n];
		v.z = values[t + 2 * n];
		v.w = values[t + 3 * n];
		__syncthreads();
	}
	keys_out[i] = k;
	values_out[i] = v;
}

/* first: of a tile, by digit, where its run begins. counts: by digit, of a tile, how many. */
extern "C" __global__ void radix_count(
	const unsigned *keys, unsigned *first, unsigned *counts, int shift)
{
	__shared__ unsigned digits[TILE], begin[DIGITS], end[DIGITS];
	unsigned t = threadIdx.x, tile = blockIdx.x, n = 4 * blockDim.x;

	for (unsigned i = t; i < n; i += blockDim.x)
		digits[i] = keys[tile * n + i] >> shift & (DIGITS - 1);
	if (t < DIGITS)
		begin[t] = end[t] = 0;
	__syncthreads();
	for (unsigned i = t; i < n; i += blockDim.x) {
		unsigned d = digits[i];

		if (i == 0 || digits[i - 1] != d)
			begin[d] = i;
		if (i == n - 1 || digits[i + 1] != d)
			end[d] = i + 1;
	}
	__syncthreads();
	if (t < DIGITS) {
		first[tile * DIGITS + t] = begin[t];
		counts[t * gridDim.x + tile] = end[t] - begin[t];
	}
}

/* Each count becomes the sum of those before it. One block goes over all. */
extern "C" __global__ void radix_scan(unsigned *counts, int n)
{
	__shared__ unsigned sums[THREADS];
	unsigned carry = 0, all;

	for (int from = 0; from < n; from += blockDim.x) {
		int i = from + threadIdx.x;
		unsigned before = sum_before(i < n ? counts[i] : 0, sums, &all);

		if (i < n)
			counts[i] = carry + before;
		carry += all;
		__syncthreads();
	}
}

extern "C" __global__ void radix_scatter(const unsigned *keys_in, const unsigned *values_in,
	unsigned *keys_out, unsigned *values_out, const unsigned *first, const unsigned *counts,
	int shift)
{
	__shared__ unsigned to[DIGITS];
	unsigned t = threadIdx.x, tile = blockIdx.x, n = 4 * blockDim.x;

	if (t < DIGITS)
		to[t] = counts[t * gridDim.x + tile] - first[tile * DIGITS + t];
	__syncthreads();
	for (unsigned i = t; i < n; i += blockDim.x) {
		unsigned key = keys_in[tile * n + i];
		unsigned at = to[key >> shift & (DIGITS - 1)] + i;

		keys_out[at] = key;
		values_out[at] = values_in[tile * n + i];
	}
}
