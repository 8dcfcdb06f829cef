/*
 * Each thread's way through a recorded SASS kernel.
 *
 * A line says which lanes executed an instruction: those that were there and whose guard was true.
 * What it does not say is which lanes were there. But an instruction goes on after itself unless
 * it is a jump that was taken, and then its line says so. So between two lines that a lane executed
 * its way is known: from after the first one (or from a jump's target) straight on to the second;
 * and what it came by on that way, it passed with a false guard. The way counts where the lines of
 * the warp in between bear it out. A step that nothing of this explains, because lines are missing
 * in the trace, becomes an edge of its own ("odd"), so that every thread's lines come out as they
 * went in, whatever the trace is like.
 *
 * Targets of jumps come from BRA's immediate; where there is none, they are the places where lanes
 * went on after it. Of a jump that has but one target, the lowest of these is it, if straight on
 * from there all the others are reached.
 *
 * Both readings make the same decisions: the first one notes the edges, the second one finds them.
 */
#include "sim/convert/accel_graph.h"
#include <stdlib.h>
#include <string.h>

#define WINDOW_BYTES (1u << 24) /* of shared and of local memory in generic addresses */
#define STRAIGHT_MAX 4096       /* instructions passed between two targets of one jump */
#define NEAR 64                 /* likewise, where it is only a doubt */

/* ---- what a thread's record says ---- */

static int no_memory(struct tr_err *err)
{
	return tr_fail(err, TR_EMEM, 0, "no memory for a thread's record");
}

/* An outcome of an instruction with nsucc successors. */
static int put_outcome(struct tr_thread *t, uint32_t v, uint32_t nsucc, struct tr_err *err)
{
	if (t->cap_outcomes - t->noutcomes < 2) {
		const uint32_t cap = t->cap_outcomes ? 2 * t->cap_outcomes : 64;
		uint8_t *bigger = cap > t->cap_outcomes ? realloc(t->outcomes, cap) : NULL;

		if (!bigger)
			return no_memory(err);
		t->outcomes = bigger;
		t->cap_outcomes = cap;
	}
	t->outcomes[t->noutcomes++] = (uint8_t)v;
	if (nsucc > 256)
		t->outcomes[t->noutcomes++] = (uint8_t)(v >> 8);
	return 1;
}

static int put_value(struct tr_thread *t, uint64_t v, struct tr_err *err)
{
	if (t->nvalues == t->cap_values) {
		const uint32_t cap = t->cap_values ? 2 * t->cap_values : 64;
		uint64_t *bigger =
			cap > t->cap_values ? realloc(t->values, cap * sizeof(*bigger)) : NULL;

		if (!bigger)
			return no_memory(err);
		t->values = bigger;
		t->cap_values = cap;
	}
	t->values[t->nvalues++] = v;
	return 1;
}

static uint32_t jump_successors(const struct accel_node *n)
{
	return n->taken.n + n->guarded;
}

static int no_edge(const struct accel_graph *g, struct tr_err *err)
{
	if (g->learning)
		return tr_fail(err, TR_EMEM, 0, "too many ways lead on from one instruction");
	return tr_fail(err, TR_EDATA, 0, "the file changed between its two readings");
}

/* ---- steps from node to node; t is NULL while learning ---- */

/* The jump `from` was taken and led to `to`. */
static int take(
	struct accel_graph *g, struct tr_thread *t, uint32_t from, uint32_t to, struct tr_err *err)
{
	struct accel_node *n = &g->nodes[from];
	const uint32_t way = accel_edge(&n->taken, to, g->learning);

	if (way == TR_NONE)
		return no_edge(g, err);
	return t && jump_successors(n) > 1
		       ? put_outcome(t, way + n->guarded, jump_successors(n), err)
		       : 1;
}

/* From `from` to `to`, without a jump being taken. */
static int go_on(
	struct accel_graph *g, struct tr_thread *t, uint32_t from, uint32_t to, struct tr_err *err)
{
	struct accel_node *n = &g->nodes[from];
	const uint32_t after = from == ACCEL_ROOT ? g->entry : accel_after(g, n->pc);
	uint32_t way = 0;

	if (g->learning && n->next == TR_NONE && to != ACCEL_LEAF && g->nodes[to].pc == after)
		n->next = to;
	if (n->next != to) {
		way = accel_edge(&n->odd, to, g->learning);
		if (way == TR_NONE)
			return no_edge(g, err);
		way += n->next != TR_NONE;
		g->doubts.odd_steps += from != ACCEL_ROOT || to != ACCEL_LEAF;
	}
	return t && n->hop ? put_outcome(t, way, n->odd.n + (n->next != TR_NONE), err) : 1;
}

/* Straight on from node `at`, whose guard is false, up to node `to`, which is executed. */
static int pass(
	struct accel_graph *g, struct tr_thread *t, uint32_t at, uint32_t to, struct tr_err *err)
{
	while (g->nodes[at].pc != g->nodes[to].pc) {
		struct accel_node *n = &g->nodes[at];
		const uint32_t after = accel_after(g, n->pc);
		uint32_t next = to;
		int rc = 1;

		if (g->nodes[to].pc != after)
			next = n->next != TR_NONE ? n->next : accel_node_at(g, after);
		if (next == TR_NONE || n->pc > g->nodes[to].pc)
			return no_edge(g, err);
		n->guarded |= g->learning;
		if (t)
			rc = put_outcome(t, 0,
				n->flow == ACCEL_DIRECT || n->flow == ACCEL_INDIRECT
					? jump_successors(n)
					: 1,
				err);
		if (rc > 0)
			rc = go_on(g, t, at, next, err);
		if (rc < 0)
			return rc;
		at = next;
	}
	return 1;
}

/* pc is an instruction straight on from start and not beyond reach. */
static bool on_the_way(const struct accel_graph *g, const struct accel_lane *l, uint32_t pc)
{
	if (pc < l->start || pc > l->reach)
		return false;
	return g->pitch8 ? !((pc | l->start) & 7) && (pc & g->group_mask) &&
				   (l->start & g->group_mask)
			 : !((pc - l->start) & 15);
}

/*
 * The node that a lane first comes to on its way to node n. Where two nodes share that PC and the
 * lane passes it, it is the one that was seen there first.
 */
static uint32_t first_on_the_way(struct accel_graph *g, const struct accel_lane *l, uint32_t n)
{
	struct accel_node *last = &g->nodes[l->last];
	uint32_t *first = l->jumps ? &last->target : &last->next;
	const uint32_t found = g->nodes[n].pc == l->start ? n : accel_node_at(g, l->start);

	if (g->learning && l->jumps && *first == TR_NONE)
		*first = found;
	return found == n || *first == TR_NONE ? found : *first;
}

/* The lane executes node n next. */
static int land(struct accel_graph *g, const struct accel_lane *l, struct tr_thread *t, uint32_t n,
	struct tr_err *err)
{
	const uint32_t pc = g->nodes[n].pc;
	uint32_t first = n;
	int rc;

	if (l->state == ACCEL_JUMPED) {
		/* Lines that lead up to here, and on which nobody was on, are where it went. */
		if (l->jump == g->run_jump && g->run_at != ACCEL_ROOT && g->run_end == pc)
			first = g->run_at;
		g->doubts.ambiguous += g->nodes[l->last].ambiguous;
		rc = take(g, t, l->last, first, err);
	} else {
		if (on_the_way(g, l, pc))
			first = first_on_the_way(g, l, n);
		if (first == TR_NONE)
			return no_edge(g, err);
		rc = l->jumps ? take(g, t, l->last, first, err) : go_on(g, t, l->last, first, err);
	}
	return rc > 0 ? pass(g, t, first, n, err) : rc;
}

/* ---- lines ---- */

static uint64_t value_of(const struct accel_graph *g, const struct accel_node *n,
	const struct accel_line *line, int i)
{
	const struct accel_header *h = g->header;
	const uint64_t a = line->addr[i];

	if (n->collective)
		return line->mask;
	if (n->generic && h->shared_base && a - h->shared_base < WINDOW_BYTES)
		return a - h->shared_base + TR_SHARED_WINDOW;
	if (n->generic && h->local_base && a - h->local_base < WINDOW_BYTES)
		return a - h->local_base + TR_LOCAL_WINDOW;
	return a;
}

static int execute(struct accel_graph *g, struct accel_lane *l, struct tr_thread *t, uint32_t node,
	const struct accel_line *line, struct tr_err *err)
{
	const struct accel_node *n = &g->nodes[node];
	int rc = 1;

	l->last = node;
	l->state = ACCEL_RUNS;
	l->jumps = n->flow == ACCEL_DIRECT || n->flow == ACCEL_INDIRECT;
	if (t && n->guarded && !l->jumps)
		rc = put_outcome(t, 1, 1, err);
	if (rc > 0 && t && n->value)
		rc = put_value(t, value_of(g, n, line, (int)(l - g->lanes)), err);
	if (n->flow == ACCEL_EXIT) {
		l->state = ACCEL_GONE;
	} else if (!l->jumps) {
		l->start = l->reach = accel_after(g, n->pc);
	} else if (n->imm >= 0 && n->imm <= UINT32_MAX) {
		l->start = (uint32_t)n->imm;
		if (g->pitch8 && !(l->start & g->group_mask))
			l->start += 8;
		l->reach = l->start;
	} else if (n->target != TR_NONE) {
		l->start = g->nodes[n->target].pc;
		l->reach = UINT32_MAX;
	} else {
		l->state = ACCEL_JUMPED;
		l->jump = g->line;
	}
	return rc;
}

/* Nobody executes node n: it is guarded, and perhaps what a jump just led to. */
static void see_empty(struct accel_graph *g, uint32_t node, uint32_t pc)
{
	struct accel_node *n = &g->nodes[node];
	bool attended = false;

	n->guarded |= g->learning;
	if (g->run_jump && g->run_at == ACCEL_ROOT && pc != g->run_end)
		g->run_at = node;
	else if (g->run_at == ACCEL_ROOT || pc != g->run_end)
		g->run_jump = 0;
	g->run_end = accel_after(g, pc);
	attended = g->run_jump != 0;
	for (unsigned i = 0; !attended && i < TR_GROUP; i++)
		attended = g->lanes[i].state == ACCEL_RUNS && on_the_way(g, &g->lanes[i], pc);
	g->doubts.unattended += !attended;
}

static uint32_t lanes_there(const struct accel_graph *g)
{
	const uint32_t n = g->nthreads - g->first;

	return n >= TR_GROUP ? UINT32_MAX : (1u << n) - 1;
}

static void begin(struct accel_graph *g, uint32_t pc)
{
	g->started = true;
	g->entry = pc;
	g->pitch8 = (pc & 8) != 0;
	for (unsigned i = 0; i < TR_GROUP; i++)
		g->lanes[i].start = g->lanes[i].reach = pc;
}

static int see_line(struct accel_graph *g, uint32_t node, uint32_t mask, struct tr_err *err)
{
	if (!g->merged || !g->cta)
		return 1;
	if (g->nseen == g->cap_seen) {
		const uint32_t cap = g->cap_seen ? 2 * g->cap_seen : 256;
		struct accel_seen *bigger =
			cap > g->cap_seen ? realloc(g->seen, cap * sizeof(*bigger)) : NULL;

		if (!bigger)
			return tr_fail(err, TR_EMEM, 0, "no memory for the lines of a warp");
		g->seen = bigger;
		g->cap_seen = cap;
	}
	g->seen[g->nseen++] = (struct accel_seen){.inst = g->nodes[node].inst, .mask = mask};
	return 1;
}

int accel_graph_line(struct accel_graph *g, const struct accel_line *line, struct tr_err *err)
{
	struct tr_thread *threads = g->cta ? g->cta->threads + g->first : NULL;
	uint32_t node;
	int rc = accel_node_of(g, line, &node, err);

	if (rc < 0)
		return rc;
	if (line->mask & ~lanes_there(g))
		return tr_fail(err, TR_EDATA, 0, "its mask has lanes that the block lacks");
	if (!g->started)
		begin(g, line->pc);
	rc = see_line(g, node, line->mask, err);
	if (rc < 0)
		return rc;
	g->line++;
	g->doubts.bulk += g->nodes[node].bulk;
	if (!g->nodes[node].known && !g->doubts.unknown++)
		snprintf(g->doubts.unknown_opcode, sizeof(g->doubts.unknown_opcode), "%.*s",
			(int)line->opcode_len, line->opcode);
	if (!line->mask)
		see_empty(g, node, line->pc);
	for (uint32_t m = line->mask; m; m &= m - 1) {
		const int i = __builtin_ctz(m);
		struct accel_lane *l = &g->lanes[i];
		struct tr_thread *t = threads ? threads + i : NULL;

		if (l->state == ACCEL_GONE)
			return tr_fail(err, TR_EDATA, 0, "lane %d goes on after its exit", i);
		rc = land(g, l, t, node, err);
		if (rc > 0)
			rc = execute(g, l, t, node, line, err);
		if (rc < 0)
			return rc;
	}
	for (uint32_t m = ~line->mask; m; m &= m - 1) {
		struct accel_lane *l = &g->lanes[__builtin_ctz(m)];

		if (l->state == ACCEL_RUNS && l->reach == line->pc)
			l->reach = accel_after(g, line->pc);
	}
	if (line->mask) {
		const struct accel_node *n = &g->nodes[node];

		g->run_jump = g->lanes[__builtin_ctz(line->mask)].state == ACCEL_JUMPED &&
					      g->lanes[__builtin_ctz(line->mask)].last == node
				      ? g->line
				      : 0;
		g->run_at = ACCEL_ROOT;
		g->run_end = accel_after(g, n->pc); /* a jump does not lead there */
	}
	return 1;
}

/* ---- warps and CTAs ---- */

/* What has not exited ends where it is. */
static int end_warp(struct accel_graph *g, struct tr_err *err)
{
	const uint32_t there = g->in_warp ? lanes_there(g) : 0;

	g->in_warp = false;
	for (uint32_t m = there; m; m &= m - 1) {
		const int i = __builtin_ctz(m);
		const struct accel_lane *l = &g->lanes[i];
		struct tr_thread *t = g->cta ? g->cta->threads + g->first + i : NULL;
		int rc = 1;

		if (l->state == ACCEL_GONE)
			continue;
		g->doubts.absent += l->last == ACCEL_ROOT;
		rc = l->jumps ? take(g, t, l->last, ACCEL_LEAF, err)
			      : go_on(g, t, l->last, ACCEL_LEAF, err);
		if (rc < 0)
			return rc;
	}
	if (!there || !g->merged || !g->cta)
		return 1;
	return accel_merge_warp(g->program, g->cta->threads + g->first,
		(uint32_t)__builtin_popcount(there), g->seen, g->nseen, g->merged, err);
}

static void start_warp(struct accel_graph *g, uint32_t warp)
{
	g->first = warp * TR_GROUP;
	g->warps_seen |= 1u << warp;
	g->in_warp = true;
	g->nseen = 0;
	g->line = 0;
	g->run_jump = 0;
	for (unsigned i = 0; i < TR_GROUP; i++)
		g->lanes[i] = (struct accel_lane){
			.last = ACCEL_ROOT,
			.start = g->entry,
			.reach = g->entry,
			.state = g->first + i < g->nthreads ? ACCEL_RUNS : ACCEL_GONE,
		};
}

int accel_graph_cta(struct accel_graph *g, struct tr_cta *cta, struct tr_err *err)
{
	g->cta = g->learning ? NULL : cta;
	g->warps_seen = 0;
	g->in_warp = false;
	if (!g->cta)
		return 1;
	if (cta->cap_threads < g->nthreads) {
		struct tr_thread *bigger = realloc(cta->threads, g->nthreads * sizeof(*bigger));

		if (!bigger)
			return no_memory(err);
		memset(bigger + cta->cap_threads, 0,
			(g->nthreads - cta->cap_threads) * sizeof(*bigger));
		cta->threads = bigger;
		cta->cap_threads = g->nthreads;
	}
	cta->nthreads = g->nthreads;
	cta->nsync = 0;
	for (uint32_t i = 0; i < g->nthreads; i++)
		cta->threads[i].noutcomes = cta->threads[i].nvalues = 0;
	return 1;
}

int accel_graph_warp(struct accel_graph *g, uint32_t warp, struct tr_err *err)
{
	const int rc = end_warp(g, err);

	if (rc > 0)
		start_warp(g, warp);
	return rc;
}

int accel_graph_cta_end(struct accel_graph *g, struct tr_err *err)
{
	int rc = end_warp(g, err);

	for (uint32_t w = 0; rc > 0 && w * TR_GROUP < g->nthreads; w++) {
		if (g->warps_seen >> w & 1)
			continue;
		start_warp(g, w);
		rc = end_warp(g, err);
	}
	return rc;
}

/* ---- after the first reading ---- */

static bool is_jump(const struct accel_node *n)
{
	return n->flow == ACCEL_DIRECT || n->flow == ACCEL_INDIRECT;
}

/* The lowest and the highest target; false where one of them is the end. */
static bool bounds(
	const struct accel_graph *g, const struct accel_node *n, uint32_t *low, uint32_t *high)
{
	*low = *high = n->taken.to[0];
	for (uint32_t i = 0; i < n->taken.n; i++) {
		const uint32_t to = n->taken.to[i];

		if (to == ACCEL_LEAF)
			return false;
		if (g->nodes[to].pc < g->nodes[*low].pc)
			*low = to;
		if (g->nodes[to].pc > g->nodes[*high].pc)
			*high = to;
	}
	return true;
}

static bool is_target(const struct accel_graph *g, const struct accel_node *n, uint32_t pc)
{
	for (uint32_t i = 0; i < n->taken.n; i++)
		if (n->taken.to[i] != ACCEL_LEAF && g->nodes[n->taken.to[i]].pc == pc)
			return true;
	return false;
}

/* Straight on from node `low` all of the targets are reached. */
static bool in_one_line(
	const struct accel_graph *g, const struct accel_node *n, uint32_t low, uint32_t high)
{
	uint32_t pc = g->nodes[low].pc, found = 1;

	for (unsigned steps = 0; pc < g->nodes[high].pc; steps++) {
		if (steps == STRAIGHT_MAX || accel_node_at(g, pc) == TR_NONE)
			return false;
		pc = accel_after(g, pc);
		found += is_target(g, n, pc);
	}
	return pc == g->nodes[high].pc && found == n->taken.n;
}

/* Some target lies a short way straight on from another one. */
static bool has_doubt(const struct accel_graph *g, const struct accel_node *n)
{
	for (uint32_t i = 0; n->taken.n <= NEAR && i < n->taken.n; i++) {
		uint32_t pc = n->taken.to[i] == ACCEL_LEAF ? 0 : g->nodes[n->taken.to[i]].pc;

		for (unsigned steps = 0; steps < NEAR && accel_node_at(g, pc) != TR_NONE; steps++) {
			pc = accel_after(g, pc);
			if (is_target(g, n, pc))
				return true;
		}
	}
	return false;
}

static int by_pc(const void *a, const void *b, void *arg)
{
	const struct accel_graph *g = arg;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const uint64_t px = x == ACCEL_LEAF ? UINT64_MAX : g->nodes[x].pc;
	const uint64_t py = y == ACCEL_LEAF ? UINT64_MAX : g->nodes[y].pc;

	return px != py ? (px < py ? -1 : 1) : x < y ? -1 : x > y;
}

/* The order in which ways were found shall not tell two programs apart. */
static void sort_ways(struct accel_graph *g)
{
	for (uint32_t i = 0; i < g->nnodes; i++) {
		struct accel_edges *taken = &g->nodes[i].taken, *odd = &g->nodes[i].odd;

		if (taken->n > 1)
			qsort_r(taken->to, taken->n, sizeof(*taken->to), by_pc, g);
		if (odd->n > 1)
			qsort_r(odd->to, odd->n, sizeof(*odd->to), by_pc, g);
	}
}

int accel_graph_settle(struct accel_graph *g, struct tr_err *err)
{
	for (uint32_t i = ACCEL_LEAF + 1; i < g->nnodes; i++) {
		struct accel_node *n = &g->nodes[i];
		uint32_t low, high;

		if (!is_jump(n) || n->imm >= 0 || !n->taken.n || !bounds(g, n, &low, &high))
			continue;
		if (n->taken.n > 1 && n->flow == ACCEL_DIRECT && !g->twins &&
			in_one_line(g, n, low, high)) {
			const int rc = pass(g, NULL, low, high, err);

			if (rc < 0)
				return rc;
			n->taken.to[0] = low;
			n->taken.n = 1;
		}
		if (n->taken.n == 1)
			n->target = n->taken.to[0];
		n->ambiguous = n->taken.n > 1 && has_doubt(g, n);
	}
	sort_ways(g);
	g->learning = false;
	g->doubts = (struct accel_doubts){.odd_steps = 0};
	return 1;
}

void accel_graph_merged(struct accel_graph *g, const struct tr_program *p, struct accel_merged *sum)
{
	g->program = p;
	g->merged = sum;
}

const struct accel_doubts *accel_graph_doubts(const struct accel_graph *g)
{
	return &g->doubts;
}
