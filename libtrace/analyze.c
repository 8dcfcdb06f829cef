/*
 * What is found in a program: basic blocks, dominators, natural loops and an order of blocks
 * (graph.c), reconvergence and likely-convergence points of branches, registers that are live at
 * once, and branches that provably go one way for the whole CTA.
 *
 * A branch is an instruction with several successors, a guarded exit included. Its reconvergence
 * point is the first instruction of its block's immediate post-dominator; where no path leads to an
 * exit there is none, and the point is the virtual exit.
 *
 * Uniformity is proven by following divergence from its sources through data and control until
 * nothing changes; what stays untouched is uniform. The proof is about values alone: it knows
 * neither memory (all loads but those of parameters and constants differ) nor ranges. It takes the
 * lists of an instruction at their word: one that reads a special register, or the carry, names it.
 */
#include "analyze.h"
#include "graph.h"
#include <stdlib.h>
#include <string.h>

/* Lists of numbers, one for each key: at[first[key]] ... at[first[key + 1] - 1]. */
struct lists {
	uint32_t n, *first, *at;
};

enum reg_kind { ORDINARY, UNIFORM_SPECIAL, OTHER_SPECIAL };

struct analysis {
	struct tr_program *p;
	struct tr_graph g;     /* of blocks */
	struct tr_graph preds; /* the same turned round */
	struct lists uses;     /* of registers: instructions that read one, ascending */
	struct lists defs;     /* of registers: instructions that write one, ascending */
	struct lists live;     /* of blocks: registers that are live where one begins */
	uint8_t *kind;         /* of registers */
};

/* Making lists takes begin, a count for each element, sum, then the elements in the same number. */
static int lists_begin(struct lists *l, uint32_t n)
{
	l->n = n;
	l->first = calloc((size_t)n + 2, sizeof *l->first);
	return l->first ? 1 : TR_EMEM;
}

/* Two places up, so that adding leaves each list's start where it belongs. */
static void lists_count(struct lists *l, uint32_t key)
{
	l->first[key + 2]++;
}

static int lists_sum(struct lists *l)
{
	for (uint32_t k = 0; k <= l->n; k++) {
		if (l->first[k] > UINT32_MAX - l->first[k + 1])
			return TR_EMEM;
		l->first[k + 1] += l->first[k];
	}
	l->at = malloc(sizeof *l->at * ((size_t)l->first[l->n + 1] + 1));
	return l->at ? 1 : TR_EMEM;
}

static void lists_add(struct lists *l, uint32_t key, uint32_t value)
{
	l->at[l->first[key + 1]++] = value;
}

static void lists_free(struct lists *l)
{
	free(l->first);
	free(l->at);
}

/* ---- blocks ---- */

/* Where control may go on other than by falling through. */
static int ends_block(const struct tr_program *p, uint32_t i)
{
	const struct tr_inst *in = &p->insts[i];

	return in->nsucc != 1 || p->succ_pool[in->succ] != i + 1;
}

/* Leaders are the entry, what a jump leads to and what stands behind one. */
static int find_blocks(struct tr_program *p)
{
	uint8_t *leader = calloc((size_t)p->ninsts + 1, 1);
	uint32_t n = 0;

	if (!leader)
		return TR_EMEM;
	leader[0] = 1;
	for (uint32_t i = 0; i < p->ninsts; i++) {
		const struct tr_inst *in = &p->insts[i];
		if (!ends_block(p, i))
			continue;
		leader[i + 1] = 1;
		for (uint32_t s = 0; s < in->nsucc; s++)
			if (p->succ_pool[in->succ + s] != TR_EXIT)
				leader[p->succ_pool[in->succ + s]] = 1;
	}
	for (uint32_t i = 0; i < p->ninsts; i++)
		n += leader[i];
	free(p->blocks);
	p->nblocks = 0;
	p->blocks = calloc(n, sizeof *p->blocks);
	if (p->blocks) {
		for (uint32_t i = 0; i < p->ninsts; i++) {
			if (leader[i])
				p->blocks[p->nblocks++].first = i;
			p->insts[i].block = p->nblocks - 1;
			p->blocks[p->nblocks - 1].n++;
		}
	}
	free(leader);
	return p->blocks ? 1 : TR_EMEM;
}

static uint32_t last_of(const struct tr_program *p, uint32_t block)
{
	return p->blocks[block].first + p->blocks[block].n - 1;
}

static int find_graph(struct analysis *a)
{
	const struct tr_program *p = a->p;
	uint32_t edges = 0;

	a->g.n = p->nblocks;
	a->g.first = calloc((size_t)p->nblocks + 1, sizeof *a->g.first);
	a->g.to = calloc((size_t)p->nsucc_pool + p->nblocks, sizeof *a->g.to);
	if (!a->g.first || !a->g.to)
		return TR_EMEM;
	for (uint32_t b = 0; b < p->nblocks; b++) {
		const struct tr_inst *in = &p->insts[last_of(p, b)];
		for (uint32_t s = 0; s < in->nsucc; s++) {
			uint32_t to = p->succ_pool[in->succ + s];
			a->g.to[edges++] = to == TR_EXIT ? TR_EXIT : p->insts[to].block;
		}
		if (!in->nsucc)
			a->g.to[edges++] = TR_EXIT;
		a->g.first[b + 1] = edges;
	}
	return tr_graph_reverse(&a->g, &a->preds);
}

/* Fills what graph.c finds into the blocks. */
static int find_structure(struct analysis *a)
{
	struct tr_program *p = a->p;
	uint32_t n = p->nblocks, *idom = calloc(4 * (size_t)n, sizeof *idom);
	uint32_t *ipdom, *loop_of, *rank;
	int irreducible = 0, rc;

	if (!idom)
		return TR_EMEM;
	ipdom = idom + n;
	loop_of = ipdom + n;
	rank = loop_of + n;
	free(p->loops);
	p->loops = NULL;
	p->nloops = 0;
	rc = tr_graph_idom(&a->g, 0, idom);
	if (rc > 0)
		rc = tr_graph_ipdom(&a->g, ipdom);
	if (rc > 0)
		rc = tr_graph_loops(&a->g, idom, &p->loops, &p->nloops, loop_of, &irreducible);
	if (rc > 0)
		rc = tr_graph_rank(&a->g, p->loops, loop_of, rank);
	for (uint32_t b = 0; rc > 0 && b < n; b++) {
		p->blocks[b].idom = idom[b];
		p->blocks[b].ipdom = ipdom[b];
		p->blocks[b].loop = loop_of[b];
		p->blocks[b].rank = rank[b];
	}
	free(idom);
	p->marks &= ~(uint32_t)TR_M_IRREDUCIBLE;
	if (irreducible)
		p->marks |= TR_M_IRREDUCIBLE;
	return rc;
}

/* ---- branches ---- */

static int holds(const struct tr_program *p, uint32_t loop, uint32_t block)
{
	return block < p->nblocks && tr_loop_contains(p->loops, loop, p->blocks[block].loop);
}

/* Two different blocks of the loop follow block b other than by going on with the next trip. */
static int splits_inside(const struct analysis *a, uint32_t loop, uint32_t b)
{
	uint32_t one = TR_NONE;

	for (uint32_t e = a->g.first[b]; e < a->g.first[b + 1]; e++) {
		uint32_t to = a->g.to[e];
		if (!holds(a->p, loop, to) || to == a->p->loops[loop].header || to == one)
			continue;
		if (one != TR_NONE)
			return 1;
		one = to;
	}
	return 0;
}

/*
 * TBC section 4, footnote 6, limits likely-convergence points to the closest enclosing backward
 * taken branch, so that a rare `break` does not keep a warp apart for the rest of a loop. That is
 * the last instruction of the innermost loop's latch, of the last one in rank order where there are
 * several. It counts where it is earlier than the post-dominator, which then lies outside of the
 * loop, and where there is something to converge: of the branch `if (x == 1) break` in the paper's
 * figure 10 one side never comes to the latch, and its footnote 7 gives it no such point.
 */
static uint32_t likely_convergence(const struct analysis *a, uint32_t b, const uint32_t *latch)
{
	const struct tr_block *block = &a->p->blocks[b];

	if (block->loop == TR_NONE || holds(a->p, block->loop, block->ipdom) ||
		latch[block->loop] == b || !splits_inside(a, block->loop, b))
		return TR_NONE;
	return last_of(a->p, latch[block->loop]);
}

static int find_branch_points(struct analysis *a)
{
	struct tr_program *p = a->p;
	uint32_t *latch = malloc(sizeof *latch * ((size_t)p->nloops + 1));

	if (!latch)
		return TR_EMEM;
	for (uint32_t l = 0; l < p->nloops; l++) {
		uint32_t h = p->loops[l].header;
		latch[l] = TR_NONE;
		for (uint32_t e = a->preds.first[h]; e < a->preds.first[h + 1]; e++) {
			uint32_t b = a->preds.to[e];
			if (holds(p, l, b) && (latch[l] == TR_NONE ||
						      p->blocks[b].rank > p->blocks[latch[l]].rank))
				latch[l] = b;
		}
	}
	for (uint32_t i = 0; i < p->ninsts; i++) {
		struct tr_inst *in = &p->insts[i];
		uint32_t ipdom = p->blocks[in->block].ipdom;
		in->ipdom = in->lcp = TR_NONE;
		if (in->nsucc < 2)
			continue;
		in->ipdom = ipdom < p->nblocks ? p->blocks[ipdom].first : TR_EXIT;
		in->lcp = likely_convergence(a, in->block, latch);
	}
	free(latch);
	return 1;
}

static void find_flags(struct tr_program *p)
{
	for (uint32_t i = 0; i < p->ninsts; i++) {
		struct tr_inst *in = &p->insts[i];
		struct tr_block *b = &p->blocks[in->block];
		in->flags &= ~(uint32_t)(TR_I_DERIVED | TR_I_UNIFORM);
		in->flags |= tr_inst_derived(in);
		b->noutcomes += (in->flags & TR_I_OUTCOME) != 0;
		b->nvalues += (in->flags & TR_I_VALUE) != 0;
	}
}

/* ---- registers ---- */

/* PTX's special registers that are the same for all threads of a CTA, and the others. */
static const char *const uniform_specials[] = {"%ctaid", "%nctaid", "%ntid", "%gridid", NULL};
static const char *const other_specials[] = {"%tid", "%laneid", "%warpid", "%nwarpid", "%smid",
	"%nsmid", "%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt",
	"%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi",
	"%total_smem_size", "%dynamic_smem_size", NULL};

/* Register r has one of these names, up to a component such as `.x`, and nothing writes it. */
static int is_special(const struct analysis *a, uint32_t r, const char *const *names)
{
	const char *name = tr_str(a->p, a->p->regs[r].name);
	size_t len = strcspn(name, ".");

	if (a->defs.first[r] != a->defs.first[r + 1])
		return 0;
	for (; *names; names++)
		if (strlen(*names) == len && !memcmp(*names, name, len))
			return 1;
	return 0;
}

/* Registers that an instruction reads: sources, base, guard. TR_NONE where one is missing. */
#define NREADS(in) ((in)->nsrc + 2)

static uint32_t read_reg(const struct tr_program *p, const struct tr_inst *in, uint32_t k)
{
	if (k < in->nsrc)
		return p->reg_pool[in->src + k];
	return k == in->nsrc ? in->base : in->guard;
}

static int find_uses_and_defs(struct analysis *a)
{
	const struct tr_program *p = a->p;

	if (lists_begin(&a->uses, p->nregs) < 0 || lists_begin(&a->defs, p->nregs) < 0)
		return TR_EMEM;
	for (int adding = 0; adding < 2; adding++) {
		for (uint32_t i = 0; i < p->ninsts; i++) {
			const struct tr_inst *in = &p->insts[i];
			for (uint32_t k = 0; k < NREADS(in); k++) {
				uint32_t r = read_reg(p, in, k);
				if (r == TR_NONE)
					continue;
				if (adding)
					lists_add(&a->uses, r, i);
				else
					lists_count(&a->uses, r);
			}
			for (uint32_t k = 0; k < in->ndst; k++)
				if (adding)
					lists_add(&a->defs, p->reg_pool[in->dst + k], i);
				else
					lists_count(&a->defs, p->reg_pool[in->dst + k]);
		}
		if (!adding && (lists_sum(&a->uses) < 0 || lists_sum(&a->defs) < 0))
			return TR_EMEM;
	}
	for (uint32_t r = 0; r < p->nregs; r++)
		a->kind[r] = is_special(a, r, uniform_specials) ? UNIFORM_SPECIAL
			     : is_special(a, r, other_specials) ? OTHER_SPECIAL
								: ORDINARY;
	return 1;
}

/* Scratch for one register after the other; a mark holds the register that set it last. */
struct live_search {
	uint32_t *in;      /* of blocks: marked where the register is live at the beginning */
	uint32_t *kill;    /* of blocks: marked where it is written without a guard ... */
	uint32_t *kill_at; /* ... first by this instruction */
	uint32_t *stack;
};

static void reach(struct analysis *a, struct live_search *s, uint32_t r, uint32_t block,
	uint32_t *depth, int adding)
{
	s->in[block] = r;
	s->stack[(*depth)++] = block;
	if (adding)
		lists_add(&a->live, block, r);
	else
		lists_count(&a->live, block);
}

/* From each use backwards, up to the blocks that write the register before they read it. */
static void live_register(struct analysis *a, struct live_search *s, uint32_t r, int adding)
{
	const struct tr_program *p = a->p;
	uint32_t depth = 0;

	for (uint32_t k = a->defs.first[r]; k < a->defs.first[r + 1]; k++) {
		uint32_t i = a->defs.at[k], b = p->insts[i].block;
		if (p->insts[i].guard == TR_NONE && s->kill[b] != r) {
			s->kill[b] = r;
			s->kill_at[b] = i;
		}
	}
	for (uint32_t k = a->uses.first[r]; k < a->uses.first[r + 1]; k++) {
		uint32_t i = a->uses.at[k], b = p->insts[i].block;
		if (s->in[b] != r && (s->kill[b] != r || s->kill_at[b] >= i))
			reach(a, s, r, b, &depth, adding);
	}
	while (depth) {
		uint32_t b = s->stack[--depth];
		for (uint32_t e = a->preds.first[b]; e < a->preds.first[b + 1]; e++) {
			uint32_t pred = a->preds.to[e];
			if (s->in[pred] != r && s->kill[pred] != r)
				reach(a, s, r, pred, &depth, adding);
		}
	}
}

static int find_live(struct analysis *a)
{
	size_t n = a->p->nblocks;
	struct live_search s;
	int rc = lists_begin(&a->live, a->p->nblocks);

	s.in = malloc(4 * n * sizeof *s.in);
	if (!s.in)
		return TR_EMEM;
	s.kill = s.in + n;
	s.kill_at = s.kill + n;
	s.stack = s.kill_at + n;
	for (int adding = 0; rc > 0 && adding < 2; adding++) {
		memset(s.in, 0xff, 2 * n * sizeof *s.in);
		for (uint32_t r = 0; r < a->p->nregs; r++)
			if (a->kind[r] == ORDINARY)
				live_register(a, &s, r, adding);
		if (!adding)
			rc = lists_sum(&a->live);
	}
	free(s.in);
	return rc;
}

/* The registers that are live at one place; mark[r] is the block in which r was last found so. */
struct pressure {
	const struct analysis *a;
	const uint8_t *narrow; /* of registers: 1 if one unit is enough; NULL: of none */
	uint32_t *mark, block, now, most;
};

static uint32_t units(const struct pressure *s, uint32_t r)
{
	uint32_t width = s->a->p->regs[r].width;

	if (s->a->kind[r] != ORDINARY || width == 1)
		return 0;
	return width == 64 && !(s->narrow && s->narrow[r]) ? 2 : 1;
}

static void pressure_set(struct pressure *s, uint32_t r, int live)
{
	if ((s->mark[r] == s->block) == live)
		return;
	s->mark[r] = live ? s->block : TR_NONE;
	s->now += live ? units(s, r) : 0 - units(s, r);
}

static void pressure_block(struct pressure *s)
{
	const struct analysis *a = s->a;
	const struct tr_program *p = a->p;
	const struct tr_block *b = &p->blocks[s->block];

	s->now = 0;
	for (uint32_t e = a->g.first[s->block]; e < a->g.first[s->block + 1]; e++) {
		uint32_t to = a->g.to[e];
		if (to == TR_EXIT)
			continue;
		for (uint32_t k = a->live.first[to]; k < a->live.first[to + 1]; k++)
			pressure_set(s, a->live.at[k], 1);
	}
	s->most = s->now > s->most ? s->now : s->most;
	for (uint32_t i = b->first + b->n; i-- > b->first;) {
		const struct tr_inst *in = &p->insts[i];
		for (uint32_t k = 0; in->guard == TR_NONE && k < in->ndst; k++)
			pressure_set(s, p->reg_pool[in->dst + k], 0);
		for (uint32_t k = 0; k < NREADS(in); k++)
			if (read_reg(p, in, k) != TR_NONE)
				pressure_set(s, read_reg(p, in, k), 1);
		s->most = s->now > s->most ? s->now : s->most;
	}
}

/* The most that is live between two instructions of code that the entry reaches. */
static int find_pressure(const struct analysis *a, const uint8_t *narrow, uint32_t *most)
{
	const struct tr_program *p = a->p;
	struct pressure s = {.a = a, .narrow = narrow};

	s.mark = malloc(sizeof *s.mark * ((size_t)p->nregs + 1));
	if (!s.mark)
		return TR_EMEM;
	memset(s.mark, 0xff, sizeof *s.mark * p->nregs);
	for (uint32_t b = 0; b < p->nblocks; b++)
		if (b == 0 || p->blocks[b].idom != TR_NONE) {
			s.block = b;
			pressure_block(&s);
		}
	*most = s.most;
	free(s.mark);
	return 1;
}

/* ---- uniform branches ---- */

#define JOIN TR_EXIT /* label of a block that several sides of a branch lead to */

struct divergence {
	const struct analysis *a;
	uint8_t *reg;   /* of registers: 1 if threads of a CTA may hold different values */
	uint8_t *once;  /* of registers: 1 if one instruction writes it */
	uint8_t *split; /* of blocks: 1 if its branch may divide a CTA and has been followed */
	uint32_t *queue, nqueue;   /* divergent registers whose readers are still to be looked at */
	uint32_t *seen;            /* of registers: branch at one of whose joins it is live */
	uint32_t *label;           /* of blocks, for one branch at a time: side, JOIN or TR_NONE */
	uint32_t *region, nregion; /* blocks with a label */
	uint32_t *stack, depth;
};

static void taint(struct divergence *d, uint32_t r)
{
	if (!d->reg[r]) {
		d->reg[r] = 1;
		d->queue[d->nqueue++] = r;
	}
}

static void taint_results(struct divergence *d, const struct tr_inst *in)
{
	for (uint32_t k = 0; k < in->ndst; k++)
		taint(d, d->a->p->reg_pool[in->dst + k]);
}

/*
 * The results may differ though the registers read do not: what comes from memory that may change,
 * from the members of a warp, from the order of atomics, or from an instruction that we know
 * nothing about.
 */
static int is_source(const struct tr_inst *in)
{
	switch (in->cls) {
	case TR_C_LOAD:
		return in->space != TR_S_CONST && in->space != TR_S_PARAM;
	case TR_C_INT:
	case TR_C_FP16:
	case TR_C_FP32:
	case TR_C_FP64:
	case TR_C_SFU:
	case TR_C_MOVE:
	case TR_C_CONVERT:
		return 0;
	default:
		return 1;
	}
}

static void reach_side(struct divergence *d, uint32_t block, uint32_t label)
{
	if (d->label[block] == TR_NONE)
		d->region[d->nregion++] = block;
	else if (d->label[block] == label || d->label[block] == JOIN)
		return;
	else
		label = JOIN;
	d->label[block] = label;
	d->stack[d->depth++] = block;
}

/* Labels what lies between the branch of block b and its post-dominator, exclusive. */
static void label_region(struct divergence *d, uint32_t b)
{
	const struct tr_graph *g = &d->a->g;
	uint32_t end = d->a->p->blocks[b].ipdom;

	d->nregion = 0;
	for (uint32_t e = g->first[b]; e < g->first[b + 1]; e++)
		if (g->to[e] != TR_EXIT && g->to[e] != end)
			reach_side(d, g->to[e], g->to[e]);
	while (d->depth) {
		uint32_t x = d->stack[--d->depth];
		for (uint32_t e = g->first[x]; e < g->first[x + 1]; e++)
			if (g->to[e] != TR_EXIT && g->to[e] != end)
				reach_side(d, g->to[e], d->label[x]);
	}
}

static void see_live(struct divergence *d, uint32_t block, uint32_t branch)
{
	const struct lists *live = &d->a->live;

	for (uint32_t k = live->first[block]; k < live->first[block + 1]; k++)
		d->seen[live->at[k]] = branch;
}

/*
 * Threads of a CTA go different ways at the end of block b, and what they bring to where the ways
 * meet may differ: a register that was written on a way and is live at a join. Where a way leads
 * through b again, threads arrive in different trips, and any register written on a way may differ.
 *
 * A register with a single write is exempt. Every path to a reader leads through this write, or the
 * register is live at the entry and divergent from the start; so if what the write reads is the
 * same for all threads, in every trip, the result is. What changes from trip to trip has several
 * writes and is not exempt, or comes from a source. Threads that exit at once are compared with
 * nothing any more.
 */
static void follow_branch(struct divergence *d, uint32_t b)
{
	const struct tr_program *p = d->a->p;
	uint32_t end = p->blocks[b].ipdom;
	int again;

	if (p->insts[last_of(p, b)].cls == TR_C_EXIT)
		return;
	label_region(d, b);
	again = d->label[b] != TR_NONE;
	if (end < p->nblocks)
		see_live(d, end, b);
	for (uint32_t k = 0; k < d->nregion; k++)
		if (d->label[d->region[k]] == JOIN)
			see_live(d, d->region[k], b);
	for (uint32_t k = 0; k < d->nregion; k++) {
		const struct tr_block *x = &p->blocks[d->region[k]];
		for (uint32_t i = x->first; i < x->first + x->n; i++)
			for (uint32_t n = 0; n < p->insts[i].ndst; n++) {
				uint32_t r = p->reg_pool[p->insts[i].dst + n];
				if (!d->once[r] && (again || d->seen[r] == b))
					taint(d, r);
			}
		d->label[d->region[k]] = TR_NONE;
	}
}

static void find_sources(struct divergence *d)
{
	const struct analysis *a = d->a;
	const struct tr_program *p = a->p;

	for (uint32_t r = 0; r < p->nregs; r++) {
		d->once[r] = a->defs.first[r + 1] - a->defs.first[r] == 1;
		if (a->kind[r] == OTHER_SPECIAL)
			taint(d, r);
	}
	/* Live at the entry: on some path it is read before it is written, guarded or at all. */
	for (uint32_t k = a->live.first[0]; k < a->live.first[1]; k++)
		taint(d, a->live.at[k]);
	for (uint32_t i = 0; i < p->ninsts; i++)
		if (is_source(&p->insts[i]))
			taint_results(d, &p->insts[i]);
}

static void spread(struct divergence *d)
{
	const struct analysis *a = d->a;

	while (d->nqueue) {
		uint32_t r = d->queue[--d->nqueue];
		for (uint32_t k = a->uses.first[r]; k < a->uses.first[r + 1]; k++) {
			const struct tr_inst *in = &a->p->insts[a->uses.at[k]];
			taint_results(d, in);
			if (in->nsucc > 1 && !d->split[in->block]) {
				d->split[in->block] = 1;
				follow_branch(d, in->block);
			}
		}
	}
}

static int find_uniform(struct analysis *a)
{
	struct tr_program *p = a->p;
	size_t nregs = p->nregs, nblocks = p->nblocks;
	struct divergence d = {.a = a};
	uint8_t *bytes = calloc(2 * nregs + nblocks, 1);
	uint32_t *numbers = malloc((2 * nregs + 4 * nblocks) * sizeof *numbers);

	if (!bytes || !numbers) {
		free(bytes);
		free(numbers);
		return TR_EMEM;
	}
	memset(numbers, 0xff, (2 * nregs + 4 * nblocks) * sizeof *numbers);
	d.reg = bytes;
	d.once = d.reg + nregs;
	d.split = d.once + nregs;
	d.queue = numbers;
	d.seen = d.queue + nregs;
	d.label = d.seen + nregs;
	d.region = d.label + nblocks;
	d.stack = d.region + nblocks; /* twice: a block is reached with a side, and as a join */
	find_sources(&d);
	spread(&d);
	for (uint32_t b = 0; b < p->nblocks; b++) {
		struct tr_inst *in = &p->insts[last_of(p, b)];
		if (in->nsucc > 1 && !d.split[b] && (in->nsrc || in->guard != TR_NONE))
			in->flags |= TR_I_UNIFORM;
	}
	free(bytes);
	free(numbers);
	return 1;
}

static int analysis_end(struct analysis *a, int rc, struct tr_err *err)
{
	tr_graph_free(&a->g);
	tr_graph_free(&a->preds);
	lists_free(&a->uses);
	lists_free(&a->defs);
	lists_free(&a->live);
	free(a->kind);
	return rc > 0 ? 1 : tr_fail(err, rc, 0, "no memory to analyse a program");
}

int tr_program_analyze(struct tr_program *p, struct tr_err *err)
{
	struct analysis a = {.p = p};
	int rc = tr_program_check_parts(p, err);

	if (rc < 0)
		return rc;
	a.kind = calloc((size_t)p->nregs + 1, 1);
	rc = a.kind ? find_blocks(p) : TR_EMEM;
	if (rc > 0)
		rc = find_graph(&a);
	if (rc > 0)
		rc = find_structure(&a);
	if (rc > 0) {
		find_flags(p);
		rc = find_branch_points(&a);
	}
	if (rc > 0)
		rc = find_uses_and_defs(&a);
	if (rc > 0)
		rc = find_live(&a);
	if (rc > 0)
		rc = find_pressure(&a, NULL, &p->live_registers);
	if (rc > 0)
		rc = find_uniform(&a);
	return analysis_end(&a, rc, err);
}

/* Registers that hold an address, and what they are computed from by moves and integer arithmetic.
 */
static void find_addresses(const struct tr_program *p, uint8_t *address)
{
	int more = 1;

	for (uint32_t i = 0; i < p->ninsts; i++)
		if (p->insts[i].base != TR_NONE)
			address[p->insts[i].base] = 1;
	while (more) {
		more = 0;
		for (uint32_t i = 0; i < p->ninsts; i++) {
			const struct tr_inst *in = &p->insts[i];

			if (in->ndst != 1 || !address[p->reg_pool[in->dst]] ||
				(in->cls != TR_C_INT && in->cls != TR_C_MOVE &&
					in->cls != TR_C_CONVERT))
				continue;
			for (uint32_t k = 0; k < in->nsrc; k++) {
				const uint32_t r = p->reg_pool[in->src + k];

				more |= !address[r];
				address[r] = 1;
			}
		}
	}
}

int tr_program_registers(
	const struct tr_program *p, unsigned address_bits, uint32_t *registers, struct tr_err *err)
{
	struct tr_program whole = *p; /* only read */
	struct analysis a = {.p = &whole};
	uint8_t *address = calloc((size_t)p->nregs + 1, 1);
	int rc = TR_EMEM;

	*registers = p->live_registers;
	if (address_bits == 64) {
		free(address);
		return 1;
	}
	a.kind = calloc((size_t)p->nregs + 1, 1);
	if (address && a.kind)
		rc = find_graph(&a);
	if (rc > 0)
		rc = find_uses_and_defs(&a);
	if (rc > 0)
		rc = find_live(&a);
	if (rc > 0) {
		find_addresses(p, address);
		rc = find_pressure(&a, address, registers);
	}
	free(address);
	return analysis_end(&a, rc, err);
}
