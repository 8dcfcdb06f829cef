/* What per-PC figures say of loops and their loads; see profile.h. */
#include "sim/access/profile.h"

/* Whether two loads of a loop access one line, as their text has it. */
static int repeats(const struct tr_inst *a, const struct tr_inst *b, uint32_t line_bytes)
{
	const int64_t apart = a->disp < b->disp ? b->disp - a->disp : a->disp - b->disp;

	return a->base == b->base && a->space == b->space && apart < line_bytes;
}

/* The first instruction of the loop that the last row repeats, or its own. */
static uint32_t repetition_of(const struct tr_program *p, const struct sim_profile_load *rows,
	uint32_t last, uint32_t line_bytes)
{
	const struct sim_profile_load *x = &rows[last];

	for (const struct sim_profile_load *r = rows; r < x; r++)
		if (r->loop == x->loop && r->repetition == r->inst &&
			repeats(&p->insts[r->inst], &p->insts[x->inst], line_bytes))
			return r->inst;
	return x->inst;
}

static int has_locality(const struct an_counts *c)
{
	return 2 * (c->of[AN_INTRA_THREAD] + c->of[AN_INTRA_WARP]) > an_hits(c) + an_misses(c);
}

uint32_t an_profile(const struct tr_program *p, const struct an_counts *counts,
	struct an_divergence *const *loads, uint32_t line_bytes, struct sim_profile_load *rows)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->ninsts; i++) {
		const uint32_t loop = p->blocks[p->insts[i].block].loop;

		if (loop == TR_NONE || !loads[i] || !sim_profile_counts(&p->insts[i]))
			continue;
		rows[n] = (struct sim_profile_load){.inst = i,
			.loop = loop,
			.diverged = an_divergence_verdict(loads[i]) != AN_CONVERGED};
		rows[n].repetition = repetition_of(p, rows, n, line_bytes);
		n++;
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			if (rows[k].loop == rows[i].loop)
				rows[i].locality |= (uint8_t)has_locality(&counts[rows[k].inst]);
	return n;
}
