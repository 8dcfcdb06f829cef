/*
 * Exact matching of queries against a reference by its suffix array, after MUMmerGPU++ (Gharaibeh,
 * Ripeanu 2010): one query a thread. Each start in the query is looked for anew by the binary
 * search of Manber and Myers (1993), section 2: what the suffix in the middle shares with one
 * bound, known beforehand, either tells on which side the query lies or from which letter on to
 * compare. Which bound moves after a comparison is a select, as any compiler for these machines
 * makes it.
 */
#include "cuda.h"

/*
 * Letters that query and suffix have in common, `known` of which are. Queries end in 0, the
 * reference in '$': neither matches anything, so no comparison runs over an end.
 */
static __device__ __forceinline__ int matched(const char *query, const char *suffix, int known)
{
	while (query[known] == suffix[known])
		known++;
	return known;
}

/*
 * left[m] and right[m] are the letters that the suffix at m shares with the lower and the upper
 * bound of the one interval of which m is the middle; the bounds -1 and nsuffixes share none. A
 * match is the place of the suffix next to the query that has most in common with it, the upper one
 * of two equals, and the number of letters; -1 and 0 where no letter matches.
 */
extern "C" __global__ void suffix_match(const int *places, const int *left, const int *right,
	const char *reference, const char *queries, const int *offsets, const int *lengths,
	int2 *matches, int stride, int min_match, int nqueries, int nsuffixes)
{
	int q = blockIdx.x * blockDim.x + threadIdx.x;

	if (q >= nqueries)
		return;

	const char *query = queries + offsets[q];
	int2 *match = matches + (size_t)q * stride;
	int last = lengths[q] - min_match;

	for (int begin = 0; begin <= last; begin++, query++, match++) {
		int low = -1, high = nsuffixes;
		int below = 0, above = 0; /* letters matched at low and at high */

		while (high - low > 1) {
			int mid = (low + high) / 2, shared, known;
			const char *suffix;

			if (below >= above) {
				shared = left[mid];
				if (shared > below) {
					low = mid;
				} else if (shared < below) {
					high = mid;
					above = shared;
				} else {
					suffix = reference + places[mid];
					known = matched(query, suffix, below);
					if (query[known] > suffix[known]) {
						low = mid;
						below = known;
					} else {
						high = mid;
						above = known;
					}
				}
			} else {
				shared = right[mid];
				if (shared > above) {
					high = mid;
				} else if (shared < above) {
					low = mid;
					below = shared;
				} else {
					suffix = reference + places[mid];
					known = matched(query, suffix, above);
					if (query[known] > suffix[known]) {
						low = mid;
						below = known;
					} else {
						high = mid;
						above = known;
					}
				}
			}
		}
		if (below > above) {
			match->x = places[low];
			match->y = below;
		} else if (above) {
			match->x = places[high];
			match->y = above;
		} else {
			match->x = -1;
			match->y = 0;
		}
	}
}
