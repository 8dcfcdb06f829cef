/*
 * What the matchers of reads (mummer, mummer++) share: a genome and short reads of it, and the
 * check of every read's longest matches. How a kernel finds them, and how it names the place of a
 * match, is its own.
 */
#ifndef READS_H
#define READS_H

#include "datasets/workloads/input.h"

#define WL_READS_SEED 8 /* letters of the words whose places the check lists */

/*
 * Parameters of both. Bakhoda and others' data (ISPASS 2009), which TBC and DWR ran by their reads
 * and blocks: 1,399,930 letters of NC_003997, and 50,000 reads of 25 letters from all of its 5.2 M.
 * Of these, 27 % occur in the reference, without an error; the others match 8 to 13 letters.
 */
#define WL_READS_PARAMS                                                                            \
	{"foreign", 1, 0, 10, "tenths of the reads that are from elsewhere"},                      \
	{                                                                                          \
		"changed", 50, 0, 1 << 20, "one letter of a read in so many is another; 0: none"   \
	}
#define WL_READS_BAKHODA "reference=1399930,foreign=7,changed=0"

struct wl_reads {
	int32_t n, nqueries, length, min, starts; /* letters; of a read; starts of matches in it */
	/*
	 * text: n letters and a '$'. queries: `length` letters and a 0 each. offsets, lengths: of
	 * the reads. matches: {place, letters} of each start of each read.
	 */
	struct wl_buf text, queries, offsets, lengths, matches;
	uint32_t *first, *place;         /* the places of word s: from first[s] to first[s + 1] */
	uint8_t *shorter[WL_READS_SEED]; /* [letters][word]: whether it occurs */
};

/* A letter's code: A, C, G, T. */
static inline uint32_t wl_base(char base)
{
	return base == 'A' ? 0 : base == 'C' ? 1 : base == 'G' ? 2 : 3;
}

/*
 * Makes genome and reads of the parameters `reference`, `queries`, `length`, `min`, `foreign` and
 * `changed`: random letters, with repeated and slightly changed stretches as genomes have; reads
 * are copied from it with errors, but for those that are foreign.
 */
void wl_reads_make(struct wl *w, struct wl_reads *r);
/* Uploads all but the matches. */
void wl_reads_upload(struct wl *w, const struct wl_reads *r);

/*
 * Finds the longest match of every start by plain substring search, and asks that its length be
 * the kernel's and that the place be right: one that at(index, place, query, length) allows.
 */
void wl_reads_check(struct wl *w, const struct wl_reads *r,
	bool (*at)(const void *index, int32_t place, const char *query, int32_t length),
	const void *index);

#endif
