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
 *
 * All of it takes time and memory in proportion to the program, up to a logarithm, but for
 * liveness: a word for 64 registers in each block where one of them is live. Regions that overlap
 * would make the proof of uniform branches quadratic: that work has a bound, and fewer branches
 * are proven where it is reached.
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
	struct tr_loop_tree nest;
	struct lists uses; /* of registers: instructions that read one, ascending */
	struct lists defs; /* of registers: instructions that write one, ascending */
	uint8_t *kind;     /* of registers */
	uint8_t *at_entry; /* of registers: 1 if live at the entry */
	uint32_t *column;  /* of registers with several writes: their bit in live, or TR_NONE */
	uint64_t *live;    /* of blocks: `words` each, what is live where one begins; or NULL */
	uint32_t words;
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

/* Leaders are the entry, what a jump leads to and what stands after one. */
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
	for (uint32_t i = 0; i < p->ninsts; i++) {
		n += leader[i];
		p->insts[i].block = n - 1;
	}
	free(leader);
	free(p->blocks);
	p->blocks = calloc(n, sizeof *p->blocks);
	p->nblocks = p->blocks ? n : 0;
	for (uint32_t i = p->ninsts; p->blocks && i--;) {
		p->blocks[p->insts[i].block].first = i;
		p->blocks[p->insts[i].block].n++;
	}
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
		rc = tr_loop_tree_make(&a->nest, p->loops, p->nloops);
	if (rc > 0)
		rc = tr_graph_rank(&a->g, &a->nest, loop_of, rank);
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

static int holds(const struct analysis *a, uint32_t loop, uint32_t block)
{
	return block < a->p->nblocks &&
	       tr_loop_tree_holds(&a->nest, loop, a->p->blocks[block].loop);
}

/* Two different blocks of the loop follow block b other than by going on with the next trip. */
static int splits_inside(const struct analysis *a, uint32_t loop, uint32_t b)
{
	uint32_t one = TR_NONE;

	for (uint32_t e = a->g.first[b]; e < a->g.first[b + 1]; e++) {
		uint32_t to = a->g.to[e];
		if (!holds(a, loop, to) || to == a->p->loops[loop].header || to == one)
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

	if (block->loop == TR_NONE || holds(a, block->loop, block->ipdom) ||
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
			if (holds(a, l, b) && (latch[l] == TR_NONE ||
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
static const char *const uniform_specials[] = {"%ctaid", "%nctaid", "%ntid", "%gridid",
	"%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid", "%cluster_ctarank",
	"%cluster_nctarank", "%is_explicit_cluster", NULL};
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

/*
 * Registers are searched 64 at a time, each of them a bit, so that a kernel of many blocks and many
 * registers takes neither memory nor time for each pair of them. Only those come into such a batch
 * that some block reads before it writes them: no other is live where a block begins.
 */
struct live_search {
	const uint8_t *narrow; /* of registers: 1 if one unit is enough; NULL: of none */
	uint32_t *batch, nbatch;
	/* Of blocks, by the bits of the batch: read first, written without a guard, live. */
	uint64_t *use, *kill, *in, *out;
	uint32_t *touched, ntouched; /* blocks with anything in these */
	uint8_t *is_touched, *queued;
	uint32_t *stack;
	uint32_t *now; /* of blocks: units that are live at the end */
	int64_t *more; /* of instructions: units live before one, less those live after it */
};

static uint32_t units(const struct analysis *a, const struct live_search *s, uint32_t r)
{
	uint32_t width = a->p->regs[r].width;

	if (a->kind[r] != ORDINARY || width == 1)
		return 0;
	return width == 64 && !(s->narrow && s->narrow[r]) ? 2 : 1;
}

static void touch(struct live_search *s, uint32_t block)
{
	if (!s->is_touched[block]) {
		s->is_touched[block] = 1;
		s->touched[s->ntouched++] = block;
	}
}

/*
 * Does a block read r before it writes it without a guard? With s, marks such blocks with `bit`.
 * An instruction reads before it writes.
 */
static int read_first(const struct analysis *a, struct live_search *s, uint32_t r, uint64_t bit)
{
	const struct tr_program *p = a->p;
	uint32_t d = a->defs.first[r], written = TR_NONE;
	int found = 0;

	for (uint32_t k = a->uses.first[r]; k < a->uses.first[r + 1]; k++) {
		uint32_t i = a->uses.at[k], b = p->insts[i].block;

		for (; d < a->defs.first[r + 1] && a->defs.at[d] < i; d++)
			if (p->insts[a->defs.at[d]].guard == TR_NONE)
				written = a->defs.at[d];
		if (written != TR_NONE && written >= p->blocks[b].first)
			continue;
		found = 1;
		if (!s)
			break;
		touch(s, b);
		s->use[b] |= bit;
	}
	return found;
}

/* From each use backwards, up to the blocks that write the register before they read it. */
static void search_batch(const struct analysis *a, struct live_search *s)
{
	const struct tr_program *p = a->p;
	uint32_t depth = 0;

	for (uint32_t n = 0; n < s->nbatch; n++) {
		uint32_t r = s->batch[n];

		read_first(a, s, r, 1ull << n);
		for (uint32_t k = a->defs.first[r]; k < a->defs.first[r + 1]; k++) {
			const struct tr_inst *in = &p->insts[a->defs.at[k]];

			if (in->guard != TR_NONE)
				continue;
			touch(s, in->block);
			s->kill[in->block] |= 1ull << n;
		}
	}
	for (uint32_t k = 0; k < s->ntouched; k++) {
		uint32_t b = s->touched[k];

		s->in[b] = s->use[b];
		if (s->in[b]) {
			s->queued[b] = 1;
			s->stack[depth++] = b;
		}
	}
	while (depth) {
		uint32_t b = s->stack[--depth];

		s->queued[b] = 0;
		for (uint32_t e = a->preds.first[b]; e < a->preds.first[b + 1]; e++) {
			uint32_t pred = a->preds.to[e];
			uint64_t add = s->in[b] & ~s->kill[pred] & ~s->in[pred];

			touch(s, pred);
			s->out[pred] |= s->in[b];
			s->in[pred] |= add;
			if (add && !s->queued[pred]) {
				s->queued[pred] = 1;
				s->stack[depth++] = pred;
			}
		}
	}
}

/* Where r begins and ends to be live within blocks, from the last instruction to the first. */
static void count_register(
	const struct analysis *a, struct live_search *s, uint32_t r, uint64_t bit)
{
	const struct tr_program *p = a->p;
	uint32_t u = a->uses.first[r + 1], d = a->defs.first[r + 1], block = TR_NONE;
	int64_t size = units(a, s, r), live = 0;

	while (size && (u > a->uses.first[r] || d > a->defs.first[r])) {
		uint32_t i = u > a->uses.first[r] ? a->uses.at[u - 1] : 0;
		int64_t before;

		if (d > a->defs.first[r] && a->defs.at[d - 1] > i)
			i = a->defs.at[d - 1];
		if (p->insts[i].block != block) {
			block = p->insts[i].block;
			live = (s->out[block] & bit) != 0;
		}
		before = live;
		for (; d > a->defs.first[r] && a->defs.at[d - 1] == i; d--)
			before = p->insts[i].guard == TR_NONE ? 0 : before;
		for (; u > a->uses.first[r] && a->uses.at[u - 1] == i; u--)
			before = 1;
		s->more[i] += (before - live) * size;
		live = before;
	}
}

/* Adds up what the batch found, keeps the part of it in column `word`, and makes room. */
static void end_batch(struct analysis *a, struct live_search *s, uint32_t word)
{
	uint64_t one = 0, two = 0;

	for (uint32_t n = 0; n < s->nbatch; n++) {
		uint32_t size = units(a, s, s->batch[n]);

		one |= (uint64_t)(size >= 1) << n;
		two |= (uint64_t)(size == 2) << n;
		count_register(a, s, s->batch[n], 1ull << n);
		if (a->at_entry)
			a->at_entry[s->batch[n]] = s->in[0] >> n & 1;
	}
	for (uint32_t k = 0; k < s->ntouched; k++) {
		uint32_t b = s->touched[k];

		s->now[b] += (uint32_t)(__builtin_popcountll(s->out[b] & one) +
					__builtin_popcountll(s->out[b] & two));
		if (a->live && word < a->words)
			a->live[(size_t)b * a->words + word] = s->in[b];
		s->use[b] = s->kill[b] = s->in[b] = s->out[b] = 0;
		s->is_touched[b] = 0;
	}
	s->ntouched = s->nbatch = 0;
}

/* The most that is live between two instructions of code that the entry reaches. */
static uint32_t most_live(const struct tr_program *p, const struct live_search *s)
{
	int64_t most = 0;

	for (uint32_t n = 0; n < p->nblocks; n++) {
		const struct tr_block *b = &p->blocks[n];
		int64_t now = s->now[n];

		if (n && b->idom == TR_NONE)
			continue;
		most = now > most ? now : most;
		for (uint32_t i = b->first + b->n; i-- > b->first;) {
			now += s->more[i];
			most = now > most ? now : most;
		}
	}
	return (uint32_t)most;
}

/* Registers in their batches, those with a column of a->live first; then all that is in none. */
static void search_all(struct analysis *a, struct live_search *s)
{
	const struct tr_program *p = a->p;
	uint32_t word = 0;

	for (int columns = 1; columns >= 0; columns--) {
		for (uint32_t r = 0; r < p->nregs; r++) {
			int has_column = a->column && a->column[r] != TR_NONE;

			if (a->kind[r] != ORDINARY || has_column != columns)
				continue;
			if (!has_column && !read_first(a, NULL, r, 0)) {
				count_register(a, s, r, 0);
				continue;
			}
			s->batch[s->nbatch++] = r;
			if (s->nbatch == 64) {
				search_batch(a, s);
				end_batch(a, s, word++);
			}
		}
		search_batch(a, s);
		end_batch(a, s, word++);
	}
}

/* What is live where, and how many units at once. */
static int find_live(struct analysis *a, const uint8_t *narrow, uint32_t *most)
{
	const struct tr_program *p = a->p;
	size_t n = p->nblocks;
	struct live_search s = {.narrow = narrow};
	uint32_t *numbers = calloc(3 * n + 64, sizeof *numbers);
	int rc = TR_EMEM;

	s.use = calloc(4 * n, sizeof *s.use);
	s.is_touched = calloc(2 * n, 1);
	s.more = calloc(p->ninsts, sizeof *s.more);
	if (numbers && s.use && s.is_touched && s.more) {
		s.kill = s.use + n;
		s.in = s.kill + n;
		s.out = s.in + n;
		s.queued = s.is_touched + n;
		s.touched = numbers;
		s.stack = s.touched + n;
		s.now = s.stack + n;
		s.batch = s.now + n;
		search_all(a, &s);
		*most = most_live(p, &s);
		rc = 1;
	}
	free(numbers);
	free(s.use);
	free(s.is_touched);
	free(s.more);
	return rc;
}

/*
 * Room for what is live where each block begins, of registers with several writes: the proof of
 * uniform branches asks for no others. Where that is more than LIVE_MAX, it does without.
 */
#define LIVE_MAX ((size_t)4 << 20) /* words */

static int find_columns(struct analysis *a)
{
	const struct tr_program *p = a->p;
	uint32_t n = 0;

	a->at_entry = calloc((size_t)p->nregs + 1, 1);
	a->column = malloc(((size_t)p->nregs + 1) * sizeof *a->column);
	if (!a->at_entry || !a->column)
		return TR_EMEM;
	for (uint32_t r = 0; r < p->nregs; r++) {
		a->column[r] = TR_NONE;
		if (a->kind[r] == ORDINARY && a->defs.first[r + 1] - a->defs.first[r] > 1 &&
			read_first(a, NULL, r, 0))
			a->column[r] = n++;
	}
	a->words = n / 64 + 1;
	if (p->nblocks <= LIVE_MAX / a->words)
		a->live = calloc((size_t)p->nblocks * a->words, sizeof *a->live);
	return a->live || p->nblocks > LIVE_MAX / a->words ? 1 : TR_EMEM;
}

/* ---- uniform branches ---- */

#define JOIN TR_EXIT /* label of a block that several sides of a branch lead to */

/*
 * What the regions of all branches may take together, in blocks, edges and registers looked at: a
 * constant, and so many times the program. No kernel of a compiler comes near it. After it, a
 * branch that may divide a CTA makes everything differ that is written on any way from it.
 */
#define REGION_WORK (4u << 20)
#define REGION_TIMES 64u

struct divergence {
	const struct analysis *a;
	uint8_t *reg;            /* of registers: 1 if threads of a CTA may hold different values */
	uint8_t *split;          /* of blocks: 1 if its branch may divide a CTA and was followed */
	uint8_t *flooded;        /* of blocks: 1 if all that it writes may differ */
	uint32_t *queue, nqueue; /* divergent registers whose readers are still to be looked at */
	struct lists writes;     /* of blocks: registers with several writes that it writes */
	uint32_t *end;           /* of blocks: that of writes, which shrinks as they diverge */
	uint64_t *seen;          /* columns: live at a join of the branch that is followed */
	uint32_t *label;         /* of blocks, for one branch at a time: side, JOIN or TR_NONE */
	uint32_t *region, nregion; /* blocks with a label */
	uint32_t *stack, depth;
	int64_t left; /* of the work */
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
	d->left--;
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
	while (d->depth && d->left > 0) {
		uint32_t x = d->stack[--d->depth];
		for (uint32_t e = g->first[x]; e < g->first[x + 1]; e++)
			if (g->to[e] != TR_EXIT && g->to[e] != end)
				reach_side(d, g->to[e], d->label[x]);
	}
	d->depth = 0;
}

static void see_live(struct divergence *d, uint32_t block)
{
	const uint64_t *live = d->a->live + (size_t)block * d->a->words;

	for (uint32_t w = 0; w < d->a->words; w++)
		d->seen[w] |= live[w];
	d->left -= d->a->words;
}

static int is_seen(const struct divergence *d, uint32_t r)
{
	uint32_t c = d->a->column[r];

	return c != TR_NONE && d->seen[c / 64] >> c % 64 & 1;
}

/* What block x writes diverges: all of it, or what is seen. It need not be looked at again. */
static void taint_writes(struct divergence *d, uint32_t x, int all)
{
	uint32_t keep = d->writes.first[x];

	d->left -= d->end[x] - keep;
	for (uint32_t k = keep; k < d->end[x]; k++) {
		uint32_t r = d->writes.at[k];

		if (all || is_seen(d, r))
			taint(d, r);
		else if (!d->reg[r])
			d->writes.at[keep++] = r;
	}
	d->end[x] = keep;
}

/* Everything after block b, whatever comes between. Each block is flooded once. */
static void flood(struct divergence *d, uint32_t b)
{
	const struct tr_graph *g = &d->a->g;

	d->stack[d->depth++] = b;
	while (d->depth) {
		uint32_t x = d->stack[--d->depth];
		for (uint32_t e = g->first[x]; e < g->first[x + 1]; e++) {
			uint32_t to = g->to[e];
			if (to == TR_EXIT || d->flooded[to])
				continue;
			d->flooded[to] = 1;
			taint_writes(d, to, 1);
			d->stack[d->depth++] = to;
		}
	}
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
	int again, exact;

	if (p->insts[last_of(p, b)].cls == TR_C_EXIT)
		return;
	if (d->left > 0)
		label_region(d, b);
	again = d->label[b] != TR_NONE;
	if (d->left > 0 && !again) {
		memset(d->seen, 0, d->a->words * sizeof *d->seen);
		if (end < p->nblocks)
			see_live(d, end);
		for (uint32_t k = 0; k < d->nregion && d->left > 0; k++)
			if (d->label[d->region[k]] == JOIN)
				see_live(d, d->region[k]);
	}
	exact = d->left > 0;
	if (!exact)
		flood(d, b);
	for (uint32_t k = 0; k < d->nregion; k++) {
		if (exact)
			taint_writes(d, d->region[k], again);
		d->label[d->region[k]] = TR_NONE;
	}
	d->nregion = 0;
}

static void find_sources(struct divergence *d)
{
	const struct analysis *a = d->a;
	const struct tr_program *p = a->p;

	/* Live at the entry: on some path it is read before it is written, guarded or at all. */
	for (uint32_t r = 0; r < p->nregs; r++)
		if (a->kind[r] == OTHER_SPECIAL || a->at_entry[r])
			taint(d, r);
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

/* What each block writes of registers that have several writes. */
static int find_writes(struct divergence *d)
{
	const struct analysis *a = d->a;
	const struct tr_program *p = a->p;

	if (lists_begin(&d->writes, p->nblocks) < 0)
		return TR_EMEM;
	for (int adding = 0; adding < 2; adding++) {
		for (uint32_t r = 0; r < p->nregs; r++) {
			uint32_t first = a->defs.first[r], n = a->defs.first[r + 1] - first;
			for (uint32_t k = 0; n > 1 && k < n; k++) {
				uint32_t b = p->insts[a->defs.at[first + k]].block;
				if (adding)
					lists_add(&d->writes, b, r);
				else
					lists_count(&d->writes, b);
			}
		}
		if (!adding && lists_sum(&d->writes) < 0)
			return TR_EMEM;
	}
	memcpy(d->end, d->writes.first + 1, p->nblocks * sizeof *d->end);
	return 1;
}

static int find_uniform(struct analysis *a)
{
	struct tr_program *p = a->p;
	size_t nregs = p->nregs, nblocks = p->nblocks, n = nregs + 5 * nblocks;
	struct divergence d = {.a = a};
	uint8_t *bytes = calloc(nregs + 2 * nblocks, 1);
	uint32_t *numbers = malloc(n * sizeof *numbers);
	int rc = TR_EMEM;

	d.seen = calloc(a->words, sizeof *d.seen);
	if (bytes && numbers && d.seen) {
		memset(numbers, 0xff, n * sizeof *numbers);
		d.reg = bytes;
		d.split = d.reg + nregs;
		d.flooded = d.split + nblocks;
		d.queue = numbers;
		d.label = d.queue + nregs;
		d.region = d.label + nblocks;
		d.end = d.region + nblocks;
		d.stack =
			d.end + nblocks; /* twice: a block is reached with a side, and as a join */
		d.left = a->live ? REGION_WORK + (int64_t)REGION_TIMES *
							 (p->nblocks + a->g.first[p->nblocks])
				 : 0;
		rc = find_writes(&d);
	}
	if (rc > 0) {
		find_sources(&d);
		spread(&d);
	}
	for (uint32_t b = 0; rc > 0 && b < p->nblocks; b++) {
		struct tr_inst *in = &p->insts[last_of(p, b)];
		if (in->nsucc > 1 && !d.split[b] && (in->nsrc || in->guard != TR_NONE))
			in->flags |= TR_I_UNIFORM;
	}
	lists_free(&d.writes);
	free(d.seen);
	free(bytes);
	free(numbers);
	return rc;
}

static int analysis_end(struct analysis *a, int rc, struct tr_err *err)
{
	tr_graph_free(&a->g);
	tr_graph_free(&a->preds);
	tr_loop_tree_free(&a->nest);
	lists_free(&a->uses);
	lists_free(&a->defs);
	free(a->kind);
	free(a->at_entry);
	free(a->column);
	free(a->live);
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
		rc = find_columns(&a);
	if (rc > 0)
		rc = find_live(&a, NULL, &p->live_registers);
	if (rc > 0)
		rc = find_uniform(&a);
	return analysis_end(&a, rc, err);
}

/* Registers that hold an address, and what they are computed from by moves and integer arithmetic.
 */
static int find_addresses(const struct analysis *a, uint8_t *address)
{
	const struct tr_program *p = a->p;
	uint32_t *stack = malloc(sizeof *stack * ((size_t)p->nregs + 1)), depth = 0;

	if (!stack)
		return TR_EMEM;
	for (uint32_t i = 0; i < p->ninsts; i++) {
		const uint32_t r = p->insts[i].base;

		if (r != TR_NONE && !address[r]) {
			address[r] = 1;
			stack[depth++] = r;
		}
	}
	while (depth) {
		const uint32_t r = stack[--depth];

		for (uint32_t k = a->defs.first[r]; k < a->defs.first[r + 1]; k++) {
			const struct tr_inst *in = &p->insts[a->defs.at[k]];

			if (in->ndst != 1 || (in->cls != TR_C_INT && in->cls != TR_C_MOVE &&
						     in->cls != TR_C_CONVERT))
				continue;
			for (uint32_t n = 0; n < in->nsrc; n++) {
				const uint32_t from = p->reg_pool[in->src + n];

				if (!address[from]) {
					address[from] = 1;
					stack[depth++] = from;
				}
			}
		}
	}
	free(stack);
	return 1;
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
		rc = find_addresses(&a, address);
	if (rc > 0)
		rc = find_live(&a, address, registers);
	free(address);
	return analysis_end(&a, rc, err);
}
