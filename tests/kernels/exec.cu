/* Kernels for tests/unit/test_ptx_exec.c: each shows one thing that the executor must do. */
#include "cuda.h"

#define GLOBAL_ID (blockIdx.x * blockDim.x + threadIdx.x)

/* A reduction that is right only where the 32 threads of a warp run in lockstep. */
extern "C" __global__ void warp_synchronous(int *out, const int *in)
{
	__shared__ volatile int s[256];
	int t = threadIdx.x, lane = t & 31;
	s[t] = in[GLOBAL_ID];
	if (lane < 16) {
		s[t] = s[t] + s[t + 16];
		s[t] = s[t] + s[t + 8];
		s[t] = s[t] + s[t + 4];
		s[t] = s[t] + s[t + 2];
		s[t] = s[t] + s[t + 1];
	}
	if (lane == 0)
		out[GLOBAL_ID / 32] = s[t];
}

extern "C" __global__ void votes_and_shuffles(unsigned *out, const int *in)
{
	int v = in[GLOBAL_ID];
	unsigned ballot = __nvvm_vote_ballot(v & 1);
	int all = __nvvm_vote_all(v >= 0), any = __nvvm_vote_any(v > 90);
	int sum = v;
	for (int by = 16; by; by /= 2)
		sum += __nvvm_shfl_bfly_i32(sum, by, 31);
	int left = __nvvm_shfl_up_i32(v, 1, 0), right = __nvvm_shfl_down_i32(v, 3, 31);
	int eighth = __nvvm_shfl_idx_i32(v, 2, 0x181f); /* segments of 8 */
	unsigned *o = out + GLOBAL_ID * 6;
	o[0] = ballot;
	o[1] = (unsigned)(all * 2 + any);
	o[2] = (unsigned)sum;
	o[3] = (unsigned)left;
	o[4] = (unsigned)right;
	o[5] = (unsigned)eighth;
}

extern "C" __global__ void atomics(int *hist, int *extremes, float *sum, const int *in, int n)
{
	__shared__ int local[16];
	if (threadIdx.x < 16)
		local[threadIdx.x] = 0;
	__syncthreads();
	int i = GLOBAL_ID;
	if (i < n) {
		int v = in[i];
		atomicAdd(&local[v & 15], 1);
		atomicMin(&extremes[0], v);
		atomicMax(&extremes[1], v);
		int old, *bits = (int *)sum;
		do {
			old = *(volatile int *)bits;
		} while (atomicCAS(bits, old, __float_as_int(__int_as_float(old) + 1.0f)) != old);
	}
	__syncthreads();
	if (threadIdx.x < 16)
		atomicAdd(&hist[threadIdx.x], local[threadIdx.x]);
}

/* Branches in branches in loops, with breaks, continues and returns; the host runs it too. */
extern "C" __global__ void divergence(int *out, const int *in, int n)
{
	int i = GLOBAL_ID, v, sum = 0;
	if (i >= n)
		return;
	v = in[i];
	for (int k = 0; k < 40; k++) {
		if (v % 7 == 0) {
			if (v % 2 == 0)
				sum += 3;
			else if (v % 3 == 0)
				break;
			else {
				v += k;
				continue;
			}
		} else {
			for (int j = k; j < v % 11; j++) {
				sum += j;
				if (sum % 13 == 12)
					break;
				if (sum > 500) {
					out[i] = -sum;
					return;
				}
			}
		}
		v = v * 5 % 997 + 1;
	}
	out[i] = sum * 1000 + v;
}

/* Threads that fetch their work from a counter until there is none. */
extern "C" __global__ void persistent(int *out, int *counter, int *share, int n)
{
	int i, done = 0;
	while ((i = atomicAdd(counter, 1)) < n) {
		int v = i, steps = 0;
		while (v > 1) {
			v = v & 1 ? 3 * v + 1 : v / 2;
			steps++;
		}
		out[i] = steps;
		done++;
	}
	share[GLOBAL_ID] = done;
}

__device__ __noinline__ float blend(float *table, int i, float by)
{
	if (i & 1)
		return table[i & 7] * by;
	return table[(i + 1) & 7] - by;
}

/* A function that is called twice, a local array indexed by a variable, a constant table. */
__constant__ float weights[8] = {1, 2, 4, 8, 16, 32, 64, 128};
__device__ int offsets[4] = {10, 20, 30, 40};

extern "C" __global__ void calls_and_local(float *out)
{
	float table[8];
	int t = threadIdx.x;
	for (int k = 0; k < 8; k++)
		table[k] = weights[(k + t) & 7] + (float)k;
	float a = blend(table, t, 0.5f), b = t & 2 ? blend(table, t + 3, 2.0f) : 1.0f;
	table[t & 7] = a;
	out[GLOBAL_ID] = table[(t * 3) & 7] + b + (float)offsets[t & 3];
}

/* Whole warps leave before the barriers, the others meet at two different ones. */
extern "C" __global__ void barriers(int *out, const int *in)
{
	__shared__ int s[256];
	int t = threadIdx.x;
	if (t >= 224)
		return;
	s[t] = in[GLOBAL_ID];
	if (t < 64) {
		s[t] += 1;
		__syncthreads();
	} else {
		s[t] += 2;
		__syncthreads();
	}
	out[GLOBAL_ID] = s[223 - t];
}

/* One thread writes between barriers what all read before and after. */
extern "C" __global__ void rewritten(int *out)
{
	__shared__ int s;
	int t = threadIdx.x;
	if (t == 0)
		s = 1;
	__syncthreads();
	int before = s;
	__syncthreads();
	if (t == 0)
		s = 2;
	__syncthreads();
	out[t] = 10 * before + s;
}

/* One pointer to shared memory in some lanes and to global memory in others. */
extern "C" __global__ void generic(int *out, int *in)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	s[t] = 1000 + t;
	__syncthreads();
	int *p = t % 3 ? in : s;
	out[GLOBAL_ID] = p[63 - t];
}

extern "C" __global__ void narrow(signed char *out8, short *out16, const unsigned char *in8,
	const unsigned short *in16, double *out64, int n)
{
	int i = GLOBAL_ID;
	if (i < n) {
		out8[i] = (signed char)(in8[i] * 3 - in16[i]);
		out16[i] = (short)(in16[i] * (short)in8[i]);
		out64[i] = (double)in8[i] / (double)(in16[i] + 1);
	}
}
