/*
 * Regular expressions over packets (Gregex; Wang, Chen, Tang and Su): a deterministic automaton
 * reads from every byte of a packet on until it accepts or rejects. Its table is read through the
 * texture cache. A block of 256 threads takes every gridDim-th chunk of 256 packets.
 *
 * Flat: a thread tries all starts of its packet. Dynamic (Wang et al., ISCA 2015): a packet with 32
 * starts or more has them tried by a kernel that its thread launches, as many blocks of 32 as they
 * fill, and the thread tries what is left over.
 */
#include "cuda.h"

#define BLOCK 256
#define CHILD 32
#define ACCEPT 0 /* states */
#define REJECT (-1)
#define START 1

/* Whether the automaton accepts some of what stands from `at` on. */
static __device__ __forceinline__ int matches(const uchar *text, int at, int end, const int *table)
{
	int state = START;

	for (; at < end && state > ACCEPT; at++)
		state = __ldg(&table[state * 256 + text[at]]);
	return state == ACCEPT;
}

/* What is known of a packet: how many of its starts match, and the last of them. */
static __device__ __forceinline__ void note(int at, int *count, int *last)
{
	atomicAdd(count, 1);
	atomicMax(last, at);
}

extern "C" __global__ void regx_packets(const uchar *text, const int *first, int n,
	const int *table, int *count, int *last)
{
	for (int p = blockIdx.x * BLOCK + threadIdx.x; p < n; p += gridDim.x * BLOCK) {
		int from = first[p], end = first[p + 1];
		for (int at = from; at < end; at++)
			if (matches(text, at, end, table))
				note(at - from, &count[p], &last[p]);
	}
}

/* ---- dynamic ---- */

struct starts_args {
	const uchar *text;
	int size;
	const int *table;
	int *count, *last;
};

extern "C" __global__ void regx_starts(const uchar *text, int size, const int *table, int *count,
	int *last)
{
	int at = blockIdx.x * CHILD + threadIdx.x;

	if (matches(text, at, size, table))
		note(at, count, last);
}

extern "C" __global__ void regx_packets_dyn(const uchar *text, const int *first, int n,
	const int *table, int *count, int *last)
{
	for (int p = blockIdx.x * BLOCK + threadIdx.x; p < n; p += gridDim.x * BLOCK) {
		int from = first[p], size = first[p + 1] - from;
		if (size >= CHILD) {
			cudaStream_t stream;
			cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
			starts_args *args = (starts_args *)cudaGetParameterBufferV2(
				WL_KERNEL(regx_starts), make_dim3(size / CHILD, 1, 1),
				make_dim3(CHILD, 1, 1), 0);
			args->text = text + from;
			args->size = size;
			args->table = table;
			args->count = &count[p];
			args->last = &last[p];
			cudaLaunchDeviceV2(args, stream);
		}
		for (int at = size / CHILD * CHILD; at < size; at++)
			if (matches(text + from, at, size, table))
				note(at, &count[p], &last[p]);
	}
}
