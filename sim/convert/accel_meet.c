/*
 * Where lanes meet again according to BSSY, for branches that have no post-dominator but the exit.
 *
 * From version 5 on, a trace gives BSSY the PC at which the lanes that run it meet. Lanes that exit
 * before that take post-dominance away from the place, though hardware does not wait for them: the
 * others meet there all the same. A post-dominator that is known stays, it is no later.
 *
 * A reconvergence stack needs each branch on the way to such a place to have its own meeting place
 * there or on the way, or lanes would run past those that wait. So a branch may meet at the end of
 * a region only if all that can follow it lies in the region, and if no branch among it has to be
 * left without a place. And the places must not lead in a circle, which they do where a loop is
 * left by such exits alone.
 */
#include "sim/convert/accel_graph.h"
#include <stdlib.h>
#include <string.h>

/*
 * What all searches may take together, in regions and edges looked at: a constant, and so many
 * times the program. No kernel of a compiler comes near it. After it, branches get no place: they
 * meet at the exit.
 */
#define WALKS_WORK (64u << 20)
#define WALKS_TIMES 64u

struct region {
	uint32_t first, last; /* instructions: BSSY, and where its lanes meet */
};

struct meeting {
	struct tr_program *p;
	struct region *regions; /* by where they end */
	uint32_t nregions;
	uint32_t *place;   /* of each block: the block where its branch is to meet, or TR_NONE */
	uint32_t *refused; /* of each block: how many of the regions will not do for its branch */
	uint32_t *seen;    /* the last walk or search that came by */
	uint32_t *waiting; /* blocks of a walk whose successors are still to be looked at */
	uint32_t walk;
	bool *apart;  /* blocks with a branch that gets no place */
	int64_t left; /* of the work */
};

static uint32_t last_of(const struct tr_program *p, uint32_t block)
{
	return p->blocks[block].first + p->blocks[block].n - 1;
}

static bool is_open(const struct tr_program *p, uint32_t block)
{
	const struct tr_inst *in = &p->insts[last_of(p, block)];

	return in->cls == TR_C_BRANCH && in->nsucc > 1 && in->ipdom == TR_EXIT;
}

static int by_end(const void *a, const void *b)
{
	const uint32_t x = ((const struct region *)a)->last, y = ((const struct region *)b)->last;

	return x < y ? -1 : x > y;
}

static void find_regions(struct meeting *m, const struct accel_graph *g)
{
	for (uint32_t i = ACCEL_LEAF + 1; i < g->nnodes; i++) {
		const struct accel_node *n = &g->nodes[i];
		const uint32_t end =
			accel_bssy((const char *)g->text.p + n->opcode, n->opcode_len) &&
					n->imm >= 0 && n->imm <= UINT32_MAX
				? accel_node_at(g, (uint32_t)n->imm)
				: TR_NONE;

		if (end != TR_NONE && n->inst < g->nodes[end].inst)
			m->regions[m->nregions++] = (struct region){n->inst, g->nodes[end].inst};
	}
	qsort(m->regions, m->nregions, sizeof(*m->regions), by_end);
}

/* Whatever follows block b stays in the region until it exits or comes to the end. */
static bool stays_inside(struct meeting *m, uint32_t b, const struct region *r)
{
	const struct tr_program *p = m->p;
	const uint32_t end = p->insts[r->last].block;
	uint32_t n = 0;

	m->walk++;
	m->waiting[n++] = b;
	while (n && m->left > 0) {
		const struct tr_inst *in = &p->insts[last_of(p, m->waiting[--n])];

		m->left -= 1 + (int64_t)in->nsucc;
		for (uint32_t s = 0; s < in->nsucc; s++) {
			const uint32_t to = p->succ_pool[in->succ + s];
			const uint32_t x = to == TR_EXIT ? end : p->insts[to].block;

			if (x == end || m->seen[x] == m->walk)
				continue;
			if (to < r->first || last_of(p, x) >= r->last || m->apart[x])
				return false;
			m->seen[x] = m->walk;
			m->waiting[n++] = x;
		}
	}
	return m->left > 0;
}

/*
 * The end of the innermost region that will do. One that will not never does: `apart` only grows.
 */
static uint32_t place_of(struct meeting *m, uint32_t b)
{
	const uint32_t at = last_of(m->p, b);

	for (uint32_t *i = &m->refused[b]; *i < m->nregions && m->left > 0; ++*i) {
		const struct region *r = &m->regions[*i];

		m->left--;
		if (r->first <= at && at < r->last && stays_inside(m, b, r))
			return m->p->insts[r->last].block;
	}
	return TR_NONE;
}

static bool find_places(struct meeting *m)
{
	bool given_up = false;

	m->left -= m->p->nblocks;
	for (uint32_t b = 0; b < m->p->nblocks; b++) {
		if (!is_open(m->p, b) || m->apart[b])
			continue;
		m->place[b] = place_of(m, b);
		m->apart[b] = m->place[b] == TR_NONE;
		given_up |= m->apart[b];
	}
	return given_up;
}

static uint32_t next_place(const struct meeting *m, uint32_t b)
{
	return m->place[b] != TR_NONE ? m->place[b] : m->p->blocks[b].ipdom;
}

/* Takes a place on each circle away again. Those that analysis found make none. */
static bool break_circles(struct meeting *m)
{
	const uint32_t n = m->p->nblocks, before = m->walk;
	bool given_up = false;

	for (uint32_t b = 0; b < n; b++) {
		uint32_t x = b;

		m->walk++;
		for (; x < n && m->seen[x] <= before; x = next_place(m, x))
			m->seen[x] = m->walk;
		if (x >= n || m->seen[x] != m->walk)
			continue;
		while (m->place[x] == TR_NONE)
			x = next_place(m, x);
		m->place[x] = TR_NONE;
		m->apart[x] = given_up = true;
	}
	return given_up;
}

static bool in_loop(const struct tr_program *p, uint32_t loop, uint32_t block)
{
	uint32_t l = p->blocks[block].loop;

	while (l != loop && l != TR_NONE)
		l = p->loops[l].parent;
	return l == loop;
}

static void set_places(const struct meeting *m)
{
	struct tr_program *p = m->p;

	for (uint32_t b = 0; b < p->nblocks; b++) {
		struct tr_inst *in = &p->insts[last_of(p, b)];

		if (m->place[b] == TR_NONE)
			continue;
		p->blocks[b].ipdom = m->place[b];
		in->ipdom = p->blocks[m->place[b]].first;
		/* A likely-convergence point is for branches that meet outside of their loop. */
		if (in->lcp != TR_NONE && in_loop(p, p->blocks[b].loop, m->place[b]))
			in->lcp = TR_NONE;
	}
}

int accel_graph_meet(const struct accel_graph *g, struct tr_program *p)
{
	const size_t n = p->nblocks;
	struct meeting m = {
		.p = p, .left = WALKS_WORK + (int64_t)WALKS_TIMES * (p->nblocks + p->nsucc_pool)};
	uint32_t *numbers = calloc(4 * n + 1, sizeof(*numbers));
	int rc = TR_EMEM;

	m.regions = malloc(g->nnodes * sizeof(*m.regions));
	m.apart = calloc(n + 1, sizeof(*m.apart));
	if (numbers && m.regions && m.apart) {
		m.place = numbers;
		m.seen = numbers + n;
		m.waiting = numbers + 2 * n;
		m.refused = numbers + 3 * n;
		memset(m.place, 0xff, n * sizeof(*m.place));
		find_regions(&m, g);
		/* What one branch has to do without, those around it may not rely on. */
		while (m.nregions && (find_places(&m) || break_circles(&m)))
			;
		set_places(&m);
		rc = 1;
	}
	free(numbers);
	free(m.regions);
	free(m.apart);
	return rc;
}
