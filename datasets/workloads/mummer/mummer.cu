/*
 * Exact matching of queries against a reference by its suffix tree, after MUMmerGPU (Schatz,
 * Trapnell, Delcher, Varshney 2007): one query a thread. For each start in the query, walk down
 * as far as it matches, note where, then take the suffix link and skip what is known to match. The
 * tree and the reference are read through the texture cache.
 */
#include "cuda.h"

/*
 * A node is in two textures of 16 bytes, as the original's is. The first has where its edge begins
 * in the reference, the place behind its end, an unused word and its suffix link; the second has
 * its children by A, C, G and T. Node 0 is the root; as a child, it means that there is none.
 *
 * All children are read before one is chosen. An empty asm keeps the branches of the choice, which
 * the compiler would make selects.
 */
static __device__ __forceinline__ int chosen(int child)
{
	asm volatile("" : "+r"(child));
	return child;
}

static __device__ __forceinline__ int child_by(int4 child, char base)
{
	switch (base) {
	case 'A':
		return chosen(child.x);
	case 'C':
		return chosen(child.y);
	case 'G':
		return chosen(child.z);
	case 'T':
		return chosen(child.w);
	default:
		return 0;
	}
}

/*
 * Queries end in 0, the reference in '$': neither matches anything, so no walk runs over an end.
 * A match is the node at or above whose end the walk stopped, and the length of the match.
 */
extern "C" __global__ void mummer_match(const int4 *nodes, const int4 *children,
	const char *reference, const char *queries, const int *offsets, const int *lengths,
	int2 *matches, int stride, int min_match, int nqueries)
{
	int q = blockIdx.x * blockDim.x + threadIdx.x;

	if (q >= nqueries)
		return;

	const char *query = queries + offsets[q];
	int2 *match = matches + (size_t)q * stride;
	int last = lengths[q] - min_match;
	int at = 0, depth = 0; /* the lowest node reached whole, and the length of its path */
	int known = 0;         /* characters below it that are known to match */
	int locus, part, label;
	const char *rest;
	int4 edge;

	for (int begin = 0; begin <= last; begin++) {
		part = 0;
		for (;;) {
			rest = query + begin + depth;
			locus = child_by(__ldg(&children[at]), *rest);
			if (!locus)
				break;
			edge = __ldg(&nodes[locus]);
			label = edge.y - edge.x;
			if (known < label) {
				part = known;
				known = 0;
				while (part < label &&
					rest[part] == __ldg(&reference[edge.x + part]))
					part++;
				if (part < label)
					break;
				part = 0;
			} else {
				known -= label;
			}
			depth += label;
			at = locus;
		}
		match[begin].x = part ? locus : at;
		match[begin].y = depth + part;
		if (at) {
			at = __ldg(&nodes[at]).w;
			depth--;
			known = part;
		} else if (part) {
			known = part - 1;
		}
	}
}
