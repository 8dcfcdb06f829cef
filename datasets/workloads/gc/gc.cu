/*
 * The mark phase of a tracing collector on many threads, after Barabash and Petrank (ISMM 2010):
 * one thread takes one grey object of the frontier, claims its unmarked children with an atomic on
 * their headers and appends them to the queue, whose new part is the next frontier. Each marked
 * object adds its size to the count of its page, which is what Spoonhower, Blelloch and Harper (VEE
 * 2005) choose pages to compact by.
 */
#include "cuda.h"

/* Header: size in words << 16 | number of references << 1 | mark. References follow it. */
#define MARK 1u
#define REFS(header) ((header) >> 1 & 0x7fffu)
#define WORDS(header) ((header) >> 16)
#define PAGE_SHIFT 10 /* words in a page: 4 KB */

static __device__ __forceinline__ void mark(
	uint *heap, uint object, uint *queue, uint *tail, uint *live)
{
	/* A look first: most references lead to what is already marked. */
	if (heap[object] & MARK)
		return;
	uint header = atomicOr(&heap[object], MARK);
	if (header & MARK)
		return;
	queue[atomicAdd(tail, 1u)] = object;
	atomicAdd(&live[object >> PAGE_SHIFT], WORDS(header));
}

extern "C" __global__ void gc_roots(
	uint *heap, const uint *roots, uint nroots, uint *queue, uint *tail, uint *live)
{
	uint i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nroots && roots[i])
		mark(heap, roots[i], queue, tail, live);
}

extern "C" __global__ void gc_mark(
	uint *heap, uint *queue, uint begin, uint end, uint *tail, uint *live)
{
	uint i = begin + blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= end)
		return;

	uint object = queue[i], refs = REFS(heap[object]);

	for (uint r = 1; r <= refs; r++) {
		uint child = heap[object + r];
		if (child)
			mark(heap, child, queue, tail, live);
	}
}
