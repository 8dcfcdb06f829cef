/*
 * Exact matching of queries against a reference by its suffix tree, after MUMmerGPU (Schatz,
 * Trapnell, Delcher, Varshney 2007): one query a thread. For each start in the query, walk down
 * as far as it matches, note where, then take the suffix link and skip what is known to match. The
 * tree and the reference are read through the texture cache.
 */
#include "cuda.h"

/* The edge from the parent is reference[start ... end - 1]. Node 0 is the root; as a child, none.
 */
struct node {
	int start, end, link, child[4], unused;
};

static __device__ __forceinline__ int child_by(const node *at, char base)
{
	switch (base) {
	case 'A':
		return __ldg(&at->child[0]);
	case 'C':
		return __ldg(&at->child[1]);
	case 'G':
		return __ldg(&at->child[2]);
	case 'T':
		return __ldg(&at->child[3]);
	default:
		return 0;
	}
}

/*
 * Queries end in 0, the reference in '$': neither matches anything, so no walk runs over an end.
 * A match is the node at or above whose end the walk stopped, and the length of the match.
 */
extern "C" __global__ void mummer_match(const node *nodes, const char *reference,
	const char *queries, const int *offsets, const int *lengths, int2 *matches, int stride,
	int min_match, int nqueries)
{
	int q = blockIdx.x * blockDim.x + threadIdx.x;

	if (q >= nqueries)
		return;

	const char *query = queries + offsets[q];
	int2 *match = matches + (size_t)q * stride;
	int last = lengths[q] - min_match;
	int at = 0, depth = 0; /* the lowest node reached whole, and the length of its path */
	int known = 0;         /* characters below it that are known to match */
	int locus, part, start, label;
	const char *rest;

	for (int begin = 0; begin <= last; begin++) {
		part = 0;
		for (;;) {
			rest = query + begin + depth;
			locus = child_by(&nodes[at], *rest);
			if (!locus)
				break;
			start = __ldg(&nodes[locus].start);
			label = __ldg(&nodes[locus].end) - start;
			if (known < label) {
				part = known;
				known = 0;
				while (part < label && rest[part] == __ldg(&reference[start + part]))
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
			at = __ldg(&nodes[at].link);
			depth--;
			known = part;
		} else if (part) {
			known = part - 1;
		}
	}
}
