/*
 * Counting by basic block: a block's unguarded instructions are executed as often as the block is
 * entered, so a warp's visit costs its guards, its branch and the lanes that wait on them, and
 * nothing per instruction. Leaves out addresses, except where they decide the space.
 */
#include "sim/access/summary.h"
#include "sim/base/stack.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* An instruction that a visit must look at: it has an outcome, or its address decides its space. */
struct mark {
	uint32_t inst;
	uint32_t plain_values; /* unguarded values between the mark before and this one */
};

struct block {
	uint32_t first_mark, nmarks;
	uint32_t tail_values; /* unguarded values after the last mark */
	uint64_t warps, threads;
};

struct an_summary {
	const struct tr_program *p;
	struct block *blocks;
	struct mark *marks;
	uint64_t *guarded;   /* per instruction: lanes whose guard was true */
	uint64_t *divergent; /* per instruction */
	uint64_t generic[TR_NSPACES];
	uint64_t ctas, threads, outcomes, values, sync_reads;
	struct spin {
		uint64_t rounds, insts;
	} * spins; /* per instruction */
};

static bool is_generic(const struct tr_inst *in)
{
	return in->space == TR_S_GENERIC && in->flags & TR_I_VALUE;
}

struct an_summary *an_summary_new(const struct tr_program *p)
{
	struct an_summary *s = calloc(1, sizeof(*s));
	uint32_t n = 0;

	if (!s)
		return NULL;
	s->p = p;
	s->blocks = calloc(p->nblocks + 1, sizeof(*s->blocks));
	s->marks = calloc(p->ninsts + 1, sizeof(*s->marks));
	s->guarded = calloc(p->ninsts + 1, sizeof(*s->guarded));
	s->divergent = calloc(p->ninsts + 1, sizeof(*s->divergent));
	s->spins = calloc(p->ninsts + 1, sizeof(*s->spins));
	if (!s->blocks || !s->marks || !s->guarded || !s->divergent || !s->spins) {
		an_summary_free(s);
		return NULL;
	}
	for (uint32_t b = 0; b < p->nblocks; b++) {
		uint32_t plain = 0;

		s->blocks[b].first_mark = n;
		for (uint32_t k = 0; k < p->blocks[b].n; k++) {
			const uint32_t i = p->blocks[b].first + k;
			const struct tr_inst *in = &p->insts[i];

			if (in->flags & TR_I_OUTCOME || is_generic(in)) {
				s->marks[n++] = (struct mark){i, plain};
				plain = 0;
			} else {
				plain += !!(in->flags & TR_I_VALUE);
			}
		}
		s->blocks[b].nmarks = n - s->blocks[b].first_mark;
		s->blocks[b].tail_values = plain;
	}
	return s;
}

void an_summary_free(struct an_summary *s)
{
	if (!s)
		return;
	free(s->blocks);
	free(s->marks);
	free(s->guarded);
	free(s->divergent);
	free(s->spins);
	free(s);
}

/* A warp on its way: where each lane stands in its own record. */
struct warp {
	const struct tr_thread *threads; /* lane 0's */
	uint32_t outcome_at[TR_GROUP], value_at[TR_GROUP];
	struct warp_stack stack;
};

static void skip_values(struct warp *w, uint32_t mask, uint32_t n)
{
	for (; n && mask; mask &= mask - 1)
		w->value_at[__builtin_ctz(mask)] += n;
}

/* The lanes' outcomes into out; false where a lane has none left. */
static bool take_outcomes(
	struct warp *w, const struct tr_inst *in, uint32_t mask, uint32_t out[TR_GROUP])
{
	const uint32_t size = in->nsucc > 256 ? 2 : 1;

	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);
		const struct tr_thread *t = &w->threads[lane];
		const uint32_t at = w->outcome_at[lane];

		if (t->noutcomes - at < size)
			return false;
		out[lane] = size == 1 ? t->outcomes[at]
				      : t->outcomes[at] | (uint32_t)t->outcomes[at + 1] << 8;
		w->outcome_at[lane] = at + size;
	}
	return true;
}

/* Counts the spaces that generic addresses reach; false where a lane has no address left. */
static bool take_generic(
	struct an_summary *s, struct warp *w, const struct tr_inst *in, uint32_t mask)
{
	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);
		const struct tr_thread *t = &w->threads[lane];

		if (w->value_at[lane] >= t->nvalues)
			return false;
		s->generic[tr_space_of(in->space, t->values[w->value_at[lane]++])]++;
	}
	return true;
}

/* Sends the lanes of mask on after a block's last instruction; their choice is in outcome. */
static bool go_on(struct an_summary *s, struct warp *w, uint32_t inst, uint32_t mask,
	const uint32_t outcome[TR_GROUP])
{
	const struct tr_program *p = s->p;
	const struct tr_inst *in = &p->insts[inst];
	const uint32_t *succ = in->nsucc ? p->succ_pool + in->succ : NULL;
	struct warp_path path[TR_GROUP];
	uint32_t leaving = 0;
	unsigned n = 0;

	for (uint32_t left = mask; left;) {
		const uint32_t choice = in->nsucc > 1 ? outcome[__builtin_ctz(left)] : 0;
		const uint32_t pc = choice < in->nsucc ? succ[choice] : TR_EXIT;
		uint32_t same = 0;

		if (in->nsucc && choice >= in->nsucc)
			return false;
		for (uint32_t m = left; m; m &= m - 1) {
			const unsigned lane = (unsigned)__builtin_ctz(m);

			if (in->nsucc <= 1 ||
				(outcome[lane] < in->nsucc && succ[outcome[lane]] == pc))
				same |= 1u << lane;
		}
		left &= ~same;
		if (pc == TR_EXIT)
			leaving = same;
		else
			path[n++] =
				(struct warp_path){pc, same, p->blocks[p->insts[pc].block].rank};
	}
	s->divergent[inst] += n + !!leaving > 1;
	if (leaving)
		warp_stack_exit(&w->stack, leaving, n == 1 ? path[0].pc : inst);
	if (n > 1)
		warp_stack_branch(&w->stack, in->ipdom, path, n);
	else if (n == 1 && !leaving)
		warp_stack_advance(&w->stack, path[0].pc);
	return true;
}

/* The block at the top of the stack, whole. */
static bool visit(struct an_summary *s, struct warp *w, uint32_t b)
{
	const struct tr_block *blk = &s->p->blocks[b];
	struct block *count = &s->blocks[b];
	const uint32_t mask = warp_stack_mask(&w->stack);
	uint32_t outcome[TR_GROUP];

	count->warps++;
	count->threads += (uint32_t)__builtin_popcount(mask);
	for (uint32_t k = 0; k < count->nmarks; k++) {
		const struct mark *m = &s->marks[count->first_mark + k];
		const struct tr_inst *in = &s->p->insts[m->inst];
		uint32_t guard = mask;

		skip_values(w, mask, m->plain_values);
		if (in->flags & TR_I_OUTCOME) {
			if (!take_outcomes(w, in, mask, outcome))
				return false;
			for (uint32_t l = mask; in->guard != TR_NONE && l; l &= l - 1)
				if (!outcome[__builtin_ctz(l)])
					guard &= ~(l & -l);
			s->guarded[m->inst] += (uint32_t)__builtin_popcount(guard);
		}
		if (is_generic(in)) {
			if (!take_generic(s, w, in, guard))
				return false;
		} else if (in->flags & TR_I_VALUE) {
			skip_values(w, guard, 1);
		}
	}
	skip_values(w, mask, count->tail_values);
	return go_on(s, w, blk->first + blk->n - 1, mask, outcome);
}

/* All of a warp of n threads; false where the record does not fit the program. */
static bool run_warp(struct an_summary *s, struct warp *w, uint32_t n)
{
	uint32_t idle = 0;

	memset(w->outcome_at, 0, sizeof(w->outcome_at));
	memset(w->value_at, 0, sizeof(w->value_at));
	warp_stack_init(&w->stack, 0, n == TR_GROUP ? UINT32_MAX : (1u << n) - 1);
	while (w->stack.depth) {
		const uint32_t b = s->p->insts[warp_stack_pc(&w->stack)].block;

		/* A cycle without an outcome would never end. */
		idle = s->blocks[b].nmarks ? 0 : idle + 1;
		if (idle > s->p->nblocks * (uint32_t)WARP_STACK_MAX || !visit(s, w, b))
			return false;
	}
	for (uint32_t lane = 0; lane < n; lane++)
		if (w->outcome_at[lane] != w->threads[lane].noutcomes ||
			w->value_at[lane] != w->threads[lane].nvalues)
			return false;
	return true;
}

int an_summary_cta(struct an_summary *s, const struct tr_cta *c, struct tr_err *err)
{
	for (uint32_t t = 0; t < c->nthreads; t += TR_GROUP) {
		const uint32_t n = c->nthreads - t < TR_GROUP ? c->nthreads - t : TR_GROUP;
		struct warp w = {.threads = c->threads + t};

		if (!run_warp(s, &w, n))
			return tr_fail(err, TR_EDATA, 0,
				"launch %u, cta %u: the record of threads %u to %u is no walk "
				"through kernel '%s'",
				c->launch, c->number, t, t + n - 1, tr_str(s->p, s->p->name));
		for (uint32_t lane = 0; lane < n; lane++) {
			s->outcomes += w.threads[lane].noutcomes;
			s->values += w.threads[lane].nvalues;
		}
	}
	s->ctas++;
	s->threads += c->nthreads;
	s->sync_reads += c->nsync;
	for (uint32_t i = 0; i < c->nspins; i++) {
		const struct tr_spin *of = &c->spins[i];
		struct spin *n = &s->spins[of->polls == TR_NONE ? of->inst : of->polls];

		n->rounds += of->rounds;
		n->insts += of->insts;
	}
	return 1;
}

struct an_inst_totals an_summary_inst(const struct an_summary *s, uint32_t inst)
{
	const struct tr_inst *in = &s->p->insts[inst];
	const struct block *b = &s->blocks[in->block];

	if (tr_is_operand(in)) /* it is part of its operation */
		return (struct an_inst_totals){0};
	return (struct an_inst_totals){
		.thread_insts = in->flags & TR_I_OUTCOME ? s->guarded[inst] : b->threads,
		.warp_insts = b->warps,
		.divergent_branches = s->divergent[inst],
		.active_lanes = b->threads,
		.spin_rounds = s->spins[inst].rounds,
		.spin_insts = s->spins[inst].insts,
	};
}

struct an_totals an_summary_totals(const struct an_summary *s)
{
	struct an_totals t = {
		.ctas = s->ctas,
		.threads = s->threads,
		.outcomes = s->outcomes,
		.values = s->values,
		.sync_reads = s->sync_reads,
	};

	for (uint32_t i = 0; i < s->p->ninsts; i++) {
		const struct tr_inst *in = &s->p->insts[i];
		const struct an_inst_totals n = an_summary_inst(s, i);

		t.thread_insts += n.thread_insts;
		t.warp_insts += n.warp_insts;
		t.active_lanes += n.active_lanes;
		t.spin_rounds += n.spin_rounds;
		t.spin_insts += n.spin_insts;
		t.thread_insts_class[in->cls] += n.thread_insts;
		if (in->nsucc > 1) {
			t.branches += n.warp_insts;
			t.divergent_branches += n.divergent_branches;
		}
		if (in->bytes) {
			t.mem_insts += n.thread_insts;
			if (!is_generic(in))
				t.mem_insts_space[in->space] += n.thread_insts;
		}
	}
	for (unsigned sp = 0; sp < TR_NSPACES; sp++)
		t.mem_insts_space[sp] += s->generic[sp];
	return t;
}

void an_totals_add(struct an_totals *sum, const struct an_totals *t)
{
	sum->ctas += t->ctas;
	sum->threads += t->threads;
	sum->thread_insts += t->thread_insts;
	sum->warp_insts += t->warp_insts;
	sum->branches += t->branches;
	sum->divergent_branches += t->divergent_branches;
	sum->mem_insts += t->mem_insts;
	for (unsigned c = 0; c < TR_NCLASSES; c++)
		sum->thread_insts_class[c] += t->thread_insts_class[c];
	for (unsigned sp = 0; sp < TR_NSPACES; sp++)
		sum->mem_insts_space[sp] += t->mem_insts_space[sp];
	sum->outcomes += t->outcomes;
	sum->values += t->values;
	sum->sync_reads += t->sync_reads;
	sum->active_lanes += t->active_lanes;
	sum->spin_rounds += t->spin_rounds;
	sum->spin_insts += t->spin_insts;
}
