/* What per-PC figures say of loops and their loads; see profile.h. */
#include "sim/access/profile.h"
#include <stdlib.h>
#include <string.h>

/*
 * Loads that others repeat. Any two of one loop, base and space are a line or more apart, so that
 * a piece of a line's length, counted from displacement 0, holds one of them at most.
 */
struct leaders {
	uint32_t *at, mask; /* rows by hash, TR_NONE: free */
	const struct tr_program *p;
	const struct sim_profile_load *rows;
	int64_t line_bytes;
};

static int64_t piece_of(const struct leaders *l, const struct tr_inst *in)
{
	return in->disp / l->line_bytes - (in->disp % l->line_bytes < 0);
}

/* The place of the leader in a piece of x's loop, base and space, or where it would stand. */
static uint32_t *leader_of(const struct leaders *l, const struct sim_profile_load *x, int64_t piece)
{
	const struct tr_inst *in = &l->p->insts[x->inst];
	uint64_t h = ((uint64_t)piece * 2654435761u + x->loop) * 2246822519u + in->base + in->space;

	for (h ^= h >> 29;; h++) {
		uint32_t *at = &l->at[h & l->mask];
		const struct sim_profile_load *y = &l->rows[*at];
		const struct tr_inst *other;

		if (*at == TR_NONE)
			return at;
		other = &l->p->insts[y->inst];
		if (y->loop == x->loop && other->base == in->base && other->space == in->space &&
			piece_of(l, other) == piece)
			return at;
	}
}

/* The first instruction of the loop that the row repeats, or its own. */
static uint32_t repetition_of(struct leaders *l, uint32_t row)
{
	const struct sim_profile_load *x = &l->rows[row];
	const int64_t disp = l->p->insts[x->inst].disp, piece = piece_of(l, &l->p->insts[x->inst]);
	uint32_t first = x->inst;

	for (int64_t k = piece - 1; k <= piece + 1; k++) {
		const uint32_t at = *leader_of(l, x, k);
		const uint32_t inst = at == TR_NONE ? TR_NONE : l->rows[at].inst;
		const int64_t other = at == TR_NONE ? 0 : l->p->insts[inst].disp;

		/* Pieces next to each other: the difference is small, also where they are far out.
		 */
		if (inst < first && (other < disp ? disp - other : other - disp) < l->line_bytes)
			first = inst;
	}
	if (first == x->inst)
		*leader_of(l, x, piece) = row;
	return first;
}

static int has_locality(const struct an_counts *c)
{
	return 2 * (c->of[AN_INTRA_THREAD] + c->of[AN_INTRA_WARP]) > an_hits(c) + an_misses(c);
}

uint32_t an_profile(const struct tr_program *p, const struct an_counts *counts,
	struct an_divergence *const *loads, uint32_t line_bytes, struct sim_profile_load *rows)
{
	struct leaders l = {.p = p, .rows = rows, .line_bytes = line_bytes, .mask = 1};
	uint8_t *locality = calloc((size_t)p->nloops + 1, 1);
	uint32_t n = 0;

	while (l.mask < 2 * (uint64_t)p->ninsts)
		l.mask = 2 * l.mask + 1;
	l.at = malloc(((size_t)l.mask + 1) * sizeof(*l.at));
	if (!l.at || !locality) {
		free(l.at);
		free(locality);
		return TR_NONE;
	}
	memset(l.at, 0xff, ((size_t)l.mask + 1) * sizeof(*l.at));
	for (uint32_t i = 0; i < p->ninsts; i++) {
		const uint32_t loop = p->blocks[p->insts[i].block].loop;

		if (loop == TR_NONE || !loads[i] || !sim_profile_counts(&p->insts[i]))
			continue;
		rows[n] = (struct sim_profile_load){.inst = i,
			.loop = loop,
			.diverged = an_divergence_verdict(loads[i]) != AN_CONVERGED};
		rows[n].repetition = repetition_of(&l, n);
		locality[loop] |= (uint8_t)has_locality(&counts[i]);
		n++;
	}
	for (uint32_t i = 0; i < n; i++)
		rows[i].locality = locality[rows[i].loop];
	free(l.at);
	free(locality);
	return n;
}
