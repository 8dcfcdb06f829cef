/*
 * The likely-convergence points of a profile. It finds them from how often each way was taken
 * ("control flow analysis or profile information", TBC section 4): the paths of one trip round the
 * innermost loop of a branch, with those ways out of the loop left out that a thread takes less
 * often than not, have a post-dominator of their own. It may come before the end of the loop, and
 * there is none where the way out is no rare one. Left out: points outside of loops, and ones that
 * depend on more than the branch.
 */
#include "sim/warp/lcp_points.h"
#include "libtrace/graph.h"
#include <stdlib.h>

int sim_lcp_count(
	const struct tr_program *p, const struct tr_cta *cta, uint64_t *edges, struct tr_err *err)
{
	for (uint32_t t = 0; t < cta->nthreads; t++) {
		struct tr_walk w;
		int rc;

		tr_walk_start(&w, p, &cta->threads[t]);
		while ((rc = tr_walk_next(&w)) > 0) {
			const struct tr_inst *in = &p->insts[w.inst];

			for (uint32_t k = 0; k < in->nsucc; k++)
				if (p->succ_pool[in->succ + k] == w.next) {
					edges[in->succ + k]++;
					break;
				}
		}
		if (rc < 0)
			return tr_fail(err, rc, 0, "thread %u of CTA %u does not fit its program",
				t, cta->number);
	}
	return 1;
}

/* ---- the points of a profile ---- */

/* A loop by itself, for as long as one trip lasts: its blocks numbered anew, the header first. */
struct trip {
	struct tr_graph g;
	uint32_t *number; /* by block of the program, TR_NONE outside */
	uint32_t *block;  /* and back */
	uint32_t *ipdom;
};

static int in_loop(const struct tr_program *p, uint32_t loop, uint32_t block)
{
	return block < p->nblocks && tr_loop_contains(p->loops, loop, p->blocks[block].loop);
}

/* Out of its loop, and less often than not. A way that nobody took is rare, too. */
static int rare(const uint64_t *edges, const struct tr_inst *in, uint32_t k)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < in->nsucc; i++)
		all += edges[in->succ + i];
	return 2 * edges[in->succ + k] < all || !edges[in->succ + k];
}

/* The ways from block b that count: within the trip, or to its end. */
static void add_ways(struct trip *t, const struct tr_program *p, const uint64_t *edges,
	uint32_t loop, uint32_t b)
{
	const struct tr_inst *in = &p->insts[p->blocks[b].first + p->blocks[b].n - 1];
	uint32_t *n = &t->g.first[t->number[b] + 1];

	for (uint32_t k = 0; k < in->nsucc; k++) {
		const uint32_t at = p->succ_pool[in->succ + k];
		const uint32_t to = at == TR_EXIT ? TR_EXIT : p->insts[at].block;

		if (!in_loop(p, loop, to)) {
			if (!rare(edges, in, k))
				t->g.to[(*n)++] = TR_EXIT;
		} else {
			t->g.to[(*n)++] = to == p->loops[loop].header ? TR_EXIT : t->number[to];
		}
	}
}

static int trip_find(
	struct trip *t, const struct tr_program *p, const uint64_t *edges, uint32_t loop)
{
	const uint32_t header = p->loops[loop].header;

	t->g.n = 0;
	t->number[header] = t->g.n;
	t->block[t->g.n++] = header;
	for (uint32_t b = 0; b < p->nblocks; b++) {
		if (b == header)
			continue;
		t->number[b] = in_loop(p, loop, b) ? t->g.n : TR_NONE;
		if (t->number[b] != TR_NONE)
			t->block[t->g.n++] = b;
	}
	t->g.first[0] = 0;
	for (uint32_t n = 0; n < t->g.n; n++) {
		t->g.first[n + 1] = t->g.first[n];
		add_ways(t, p, edges, loop, t->block[n]);
	}
	return tr_graph_ipdom(&t->g, t->ipdom);
}

/* The branches that the loop is the innermost one of, and that must go out of it to be sure. */
static void set_points(
	const struct trip *t, const struct tr_program *p, uint32_t loop, uint32_t *lcp)
{
	for (uint32_t n = 0; n < t->g.n; n++) {
		const struct tr_block *b = &p->blocks[t->block[n]];
		const uint32_t last = b->first + b->n - 1;

		if (b->loop == loop && p->insts[last].nsucc > 1 && !in_loop(p, loop, b->ipdom) &&
			t->ipdom[n] < t->g.n && t->g.first[n + 1] - t->g.first[n] > 1)
			lcp[last] = p->blocks[t->block[t->ipdom[n]]].first;
	}
}

int sim_lcp_points(
	const struct tr_program *p, const uint64_t *edges, uint32_t *lcp, struct tr_err *err)
{
	uint32_t *numbers = malloc((4 * (size_t)p->nblocks + p->nsucc_pool + 1) * sizeof(*numbers));
	struct trip t = {.number = numbers};
	int rc = 1;

	if (!numbers)
		return tr_fail(err, TR_EMEM, 0, "no memory for a program's likely convergence");
	t.block = t.number + p->nblocks;
	t.ipdom = t.block + p->nblocks;
	t.g.first = t.ipdom + p->nblocks;
	t.g.to = t.g.first + p->nblocks + 1;
	for (uint32_t i = 0; i < p->ninsts; i++)
		lcp[i] = TR_NONE;
	for (uint32_t l = 0; l < p->nloops && rc > 0; l++) {
		rc = trip_find(&t, p, edges, l);
		if (rc > 0)
			set_points(&t, p, l, lcp);
	}
	free(numbers);
	return rc < 0 ? tr_fail(err, rc, 0, "no memory for a program's likely convergence") : 1;
}
