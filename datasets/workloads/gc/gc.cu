/*
 * The mark phase of a tracing collector on many threads, such as Barabash and Petrank (ISMM 2010)
 * look at: marks in a table beside the heap, of a bit for two words, and in memory a mark stack for
 * each thread. A thread takes an object from its stack, adds its size to the count of its page,
 * which is what Spoonhower, Blelloch and Harper (VEE 2005) choose pages to compact by, and walks its
 * references: what it is the first to mark goes on its stack. What a full stack cannot take goes to
 * the queue that all threads share, for a later launch.
 */
#include "cuda.h"

/* Header: size in words << 16 | number of references. References follow it. */
#define REFS(header) ((header) & 0xffffu)
#define WORDS(header) ((header) >> 16)
#define PAGE_SHIFT 10 /* words in a page: 4 KB */

/* Whether this thread is the first; a look before, since most references lead to what is marked. */
static __device__ __forceinline__ bool mark(uint *marks, uint object)
{
	uint *word = &marks[object >> 6], bit = 1u << (object >> 1 & 31u);

	if (*word & bit)
		return false;
	return !(atomicOr(word, bit) & bit);
}

extern "C" __global__ void gc_roots(
	uint *marks, const uint *roots, uint nroots, uint *queue, uint *tail)
{
	uint i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nroots && roots[i] && mark(marks, roots[i]))
		queue[atomicAdd(tail, 1u)] = roots[i];
}

extern "C" __global__ void gc_mark(const uint *heap, uint *marks, uint *stacks, uint entries,
	uint *queue, uint begin, uint end, uint *tail, uint *live)
{
	uint i = blockIdx.x * blockDim.x + threadIdx.x, top = 0;

	if (i >= end - begin)
		return;

	uint *stack = stacks + i * entries;

	stack[top++] = queue[begin + i];
	do {
		uint object = stack[--top], header = heap[object], refs = REFS(header);

		atomicAdd(&live[object >> PAGE_SHIFT], WORDS(header));
		for (uint r = 1; r <= refs; r++) {
			uint child = heap[object + r];

			if (child && mark(marks, child)) {
				if (top < entries)
					stack[top++] = child;
				else
					queue[atomicAdd(tail, 1u)] = child;
			}
		}
	} while (top);
}
