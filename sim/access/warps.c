/* Warps without time; see warps.h. */
#define WARP_LANES 64
#include "sim/access/warps.h"
#include "libtrace/graph.h"
#include "sim/base/stack.h"
#include <stdlib.h>
#include <string.h>

#define BARRIERS 17 /* the last: of the cluster */
#define NO_BARRIER BARRIERS
#define GRANULE TR_GROUP /* threads that residency, and barriers for some, count together */
#define GRANULES (TR_CTA_THREADS_MAX / GRANULE)

/* ---- what the program says of an instruction ---- */

enum step_flags {
	STEP_OUTCOME = 1 << 0,
	STEP_GUARD = 1 << 1, /* the outcome is the guard, or 0 the fall-through */
	STEP_WIDE = 1 << 2,  /* an outcome of two bytes */
	STEP_VALUE = 1 << 3,
	STEP_ACCESS = 1 << 4, /* to be told of */
	STEP_BARRIER = 1 << 5,
	STEP_LAST = 1 << 6,    /* of its block */
	STEP_MANY = 1 << 7,    /* more than two successors */
	STEP_EXIT = 1 << 8,    /* without a guard */
	STEP_OPERAND = 1 << 9, /* a row of one: no turn of its own */
};

struct step {
	uint32_t plain;  /* instructions from here on that only count */
	uint32_t header; /* loop that begins here, or TR_NONE */
	uint16_t flags;
};

struct code {
	const struct tr_program *p;
	struct step *steps;
	uint32_t *enters;  /* for each of succ_pool: loop that is entered on this way, or TR_NONE */
	int names_threads; /* a barrier says how many threads it waits for */
};

/* ---- who is where ---- */

struct lane { /* what is left of a thread's record */
	const uint8_t *outcome, *outcome_end;
	const uint64_t *value, *value_end;
};

struct warp {
	uint64_t mask; /* the running lanes */
	uint64_t gone; /* those that have exited, or stand at an exit without a guard */
	uint32_t pc, plain, active;
	uint32_t number;  /* in the CTA */
	uint32_t index;   /* on the SM: its bit in `ready` */
	uint32_t barrier; /* where it waits, or NO_BARRIER */
	struct cta_slot *slot;
	struct lane *lanes;
	uint64_t *inside; /* for each loop, lanes in it */
	uint32_t *trip;   /* for each loop */
	struct warp_stack *stack;
};

struct cta_slot { /* room for a CTA on an SM */
	struct tr_cta cta;
	uint32_t sm, number;
	uint32_t nready, ndone, gone; /* gone: threads, as in the warps */
	int taken;
	struct barrier {
		uint32_t arrived, expected; /* expected 0: all threads of the CTA */
	} barriers[BARRIERS];
	uint32_t (*came)[GRANULES]; /* by barrier for some: the threads that did, a bit each */
	struct warp *warps;
	struct warp_stack *stacks; /* apart from the warps, so that those stand close together */
	struct lane *lanes;
	uint64_t *inside;
	uint32_t *trips;
};

struct sm {
	uint64_t *ready; /* a bit for each warp */
	uint32_t live;   /* CTAs */
	uint32_t cursor; /* index of the warp that ran last, */
	int held;        /* which goes on if the order is for that: no barrier, not its end */
	uint32_t *age;   /* numbers of CTA slots in use, the oldest CTA first */
	struct cta_slot *slots;
};

struct sim_warps {
	struct sim_warps_options opt;
	struct sim_warps_totals total;
	/* Of the launch at hand. */
	struct code code;
	const struct sim_warps_link *link;
	struct tr_err *err;
	uint32_t launch, threads, nwarps, per_sm;
	uint32_t stride, shift; /* bits of `ready` for each CTA slot: 2^shift, 64 or more */
	int no_more;            /* CTAs */
	struct sm *sms;
};

int sim_warps_new(struct sim_warps **out, const struct sim_warps_options *opt, struct tr_err *err)
{
	struct sim_warps *w;

	*out = NULL;
	if (!opt->warp_size || opt->warp_size > SIM_WARPS_LANES_MAX)
		return tr_fail(err, TR_EUSAGE, 0, "warps of %u threads: 1 to %u are possible",
			opt->warp_size, SIM_WARPS_LANES_MAX);
	if (!opt->machine.sms)
		return tr_fail(err, TR_EUSAGE, 0, "the machine has no SMs");
	w = calloc(1, sizeof(*w));
	if (!w)
		return tr_fail(err, TR_EMEM, 0, "no memory for the warps");
	w->opt = *opt;
	*out = w;
	return 1;
}

void sim_warps_free(struct sim_warps *w)
{
	free(w);
}

struct sim_warps_totals sim_warps_totals(const struct sim_warps *w)
{
	return w->total;
}

static int no_memory(const struct sim_warps *m)
{
	return tr_fail(m->err, TR_EMEM, 0, "no memory for the resident warps");
}

/* ---- the program ---- */

static uint16_t step_flags(const struct tr_program *p, uint32_t i)
{
	const struct tr_inst *in = &p->insts[i];
	const struct tr_block *b = &p->blocks[in->block];
	unsigned f = 0;

	if (in->flags & TR_I_OUTCOME)
		f |= STEP_OUTCOME | (in->nsucc > 256 ? STEP_WIDE : 0);
	if (in->guard != TR_NONE)
		f |= STEP_GUARD;
	if (in->flags & TR_I_VALUE)
		f |= STEP_VALUE;
	if (in->bytes && in->space != TR_S_PARAM)
		f |= STEP_ACCESS;
	if (in->cls == TR_C_BARRIER)
		f |= STEP_BARRIER;
	if (in->cls == TR_C_EXIT && in->guard == TR_NONE)
		f |= STEP_EXIT;
	if (tr_is_operand(in))
		f |= STEP_OPERAND;
	if (i + 1 == b->first + b->n)
		f |= STEP_LAST;
	if (in->nsucc > 2 || in->flags & TR_I_INDEXED)
		f |= STEP_MANY;
	return (uint16_t)f;
}

static int code_make(struct code *c, const struct tr_program *p)
{
	struct tr_loop_tree nest;

	c->p = p;
	c->steps = calloc((size_t)p->ninsts + 1, sizeof(*c->steps));
	c->enters = calloc((size_t)p->nsucc_pool + 1, sizeof(*c->enters));
	if (!c->steps || !c->enters || tr_loop_tree_make(&nest, p->loops, p->nloops) < 0)
		return -1;
	for (uint32_t i = p->ninsts; i--;) {
		struct step *s = &c->steps[i];

		s->flags = step_flags(p, i);
		s->header = TR_NONE;
		if (!(s->flags & ~STEP_GUARD))
			s->plain = s[1].plain + 1;
	}
	for (uint32_t l = 0; l < p->nloops; l++)
		c->steps[p->blocks[p->loops[l].header].first].header = l;
	for (uint32_t i = 0; i < p->ninsts; i++)
		c->names_threads |= p->insts[i].cls == TR_C_BARRIER && p->insts[i].aux;
	for (uint32_t i = 0; i < p->ninsts; i++)
		for (uint32_t k = 0; k < p->insts[i].nsucc; k++) {
			const uint32_t at = p->insts[i].succ + k, to = p->succ_pool[at];
			const uint32_t from = p->blocks[p->insts[i].block].loop;
			const uint32_t loop = to == TR_EXIT ? TR_NONE : c->steps[to].header;

			c->enters[at] = loop != TR_NONE && !tr_loop_tree_holds(&nest, loop, from)
						? loop
						: TR_NONE;
		}
	tr_loop_tree_free(&nest);
	return 0;
}

static void code_free(struct code *c)
{
	free(c->steps);
	free(c->enters);
	*c = (struct code){0};
}

/* ---- a warp's next instruction ---- */

/*
 * The top of the stack is what runs now. A trip of a loop begins where its header is executed: the
 * first one if none of the lanes is in the loop, which is so after every way that enters it.
 */
static void settle(struct sim_warps *m, struct warp *w)
{
	const uint64_t mask = warp_stack_mask(w->stack);
	const struct step *s;

	if (mask != w->mask) {
		w->mask = mask;
		w->active = (uint32_t)__builtin_popcountll(mask);
	}
	if (!mask)
		return;
	w->pc = warp_stack_pc(w->stack);
	s = &m->code.steps[w->pc];
	w->plain = s->plain;
	if (s->header != TR_NONE) {
		w->trip[s->header] = w->inside[s->header] & mask ? w->trip[s->header] + 1 : 0;
		w->inside[s->header] |= mask;
	}
}

static int bad_record(const struct sim_warps *m, const struct warp *w)
{
	return tr_fail(m->err, TR_EDATA, 0,
		"launch %u, cta %u: the record of warp %u is no walk through kernel '%s'",
		m->launch, w->slot->cta.number, w->number, tr_str(m->code.p, m->code.p->name));
}

/* Outcomes of the running lanes, of which each is 0 or 1: as a mask, or -1 at a record's end. */
static int take_bits(struct warp *w, uint64_t *taken)
{
	uint64_t bits = 0;

	for (uint64_t left = w->mask; left; left &= left - 1) {
		const unsigned l = (unsigned)__builtin_ctzll(left);
		struct lane *lane = &w->lanes[l];

		if (lane->outcome == lane->outcome_end)
			return -1;
		bits |= (uint64_t)(*lane->outcome++ & 1) << l;
	}
	*taken = bits;
	return 0;
}

static int take_indices(struct warp *w, int wide, uint32_t index[SIM_WARPS_LANES_MAX])
{
	for (uint64_t left = w->mask; left; left &= left - 1) {
		const unsigned l = (unsigned)__builtin_ctzll(left);
		struct lane *lane = &w->lanes[l];

		if (lane->outcome_end - lane->outcome < 1 + wide)
			return -1;
		index[l] = *lane->outcome++;
		if (wide)
			index[l] |= (uint32_t)*lane->outcome++ << 8;
	}
	return 0;
}

static int take_values(struct warp *w, uint64_t mask, uint64_t value[SIM_WARPS_LANES_MAX])
{
	for (; mask; mask &= mask - 1) {
		const unsigned l = (unsigned)__builtin_ctzll(mask);
		struct lane *lane = &w->lanes[l];

		if (lane->value == lane->value_end)
			return -1;
		value[l] = *lane->value++;
	}
	return 0;
}

static int tell(struct sim_warps *m, struct warp *w, uint64_t lanes, const uint64_t *address)
{
	const struct tr_program *p = m->code.p;
	const uint32_t loop = p->blocks[p->insts[w->pc].block].loop;
	const uint32_t slots = (m->threads + GRANULE - 1) / GRANULE * GRANULE;
	const struct sim_warp_access a = {
		.sm = w->slot->sm,
		.cta = w->slot->cta.number,
		.warp = w->number,
		.inst = w->pc,
		.loop = loop,
		.trip = loop == TR_NONE ? 0 : w->trip[loop],
		.thread_slot = w->slot->number * slots + w->number * m->opt.warp_size,
		.thread_slots = m->per_sm * slots,
		.lanes = lanes,
		.address = address,
		.warp_insts = m->total.warp_insts,
		.thread_insts = m->total.thread_insts,
	};

	return m->link->access(m->link->arg, &a, m->err);
}

/* ---- barriers ---- */

static uint64_t *ready_word(const struct sim_warps *m, const struct warp *w)
{
	return &m->sms[w->slot->sm].ready[w->index / 64];
}

static void set_ready(const struct sim_warps *m, struct warp *w, int ready)
{
	const uint64_t bit = 1ull << w->index % 64;

	if (ready)
		*ready_word(m, w) |= bit;
	else
		*ready_word(m, w) &= ~bit;
	w->slot->nready += ready ? 1u : -1u;
}

static void open_barrier(const struct sim_warps *m, struct cta_slot *c, uint32_t barrier)
{
	c->barriers[barrier] = (struct barrier){0};
	if (c->came)
		memset(c->came[barrier], 0, sizeof(c->came[barrier]));
	for (uint32_t n = 0; n < m->nwarps; n++)
		if (c->warps[n].barrier == barrier) {
			c->warps[n].barrier = NO_BARRIER;
			set_ready(m, &c->warps[n], 1);
		}
}

static int is_gone(const struct sim_warps *m, const struct cta_slot *c, uint32_t thread)
{
	const uint32_t size = m->opt.warp_size;

	return thread >= m->threads || c->warps[thread / size].gone >> thread % size & 1;
}

/*
 * A barrier for some threads counts whole warps of 32 (PTX, bar): with the first thread of one that
 * comes, those count that are gone without having come, and those that the CTA's last one lacks.
 * One for as many as the CTA has does not wait for warps that are gone.
 */
static uint32_t counted_with(const struct sim_warps *m, const struct cta_slot *c, uint32_t barrier)
{
	const uint32_t granules = (m->threads + GRANULE - 1) / GRANULE;
	const int all = c->barriers[barrier].expected >= granules * GRANULE;
	uint32_t n = 0;

	for (uint32_t g = 0; g < granules; g++) {
		const uint32_t came = c->came[barrier][g];

		for (uint32_t t = 0; (came || all) && t < GRANULE; t++)
			n += !(came >> t & 1) && is_gone(m, c, g * GRANULE + t);
	}
	return n;
}

/* Of a barrier for some threads; the sum is made only where it may be enough. */
static int holds_all(const struct sim_warps *m, const struct cta_slot *c, uint32_t barrier)
{
	const struct barrier *b = &c->barriers[barrier];
	const uint32_t end = (m->threads + GRANULE - 1) / GRANULE * GRANULE;

	return b->arrived >= b->expected ||
	       (b->arrived + end - m->threads + c->gone >= b->expected &&
		       b->arrived + counted_with(m, c, barrier) >= b->expected);
}

static void check_barrier(const struct sim_warps *m, struct cta_slot *c, uint32_t barrier)
{
	const struct barrier *b = &c->barriers[barrier];

	if (!b->arrived)
		return;
	if (b->expected ? holds_all(m, c, barrier) : b->arrived + c->gone >= m->threads)
		open_barrier(m, c, barrier);
}

/* A CTA of which every warp waits: its barriers are opened, since its threads did go on. */
static void open_all(struct sim_warps *m, struct cta_slot *c)
{
	for (uint32_t k = 0; k < BARRIERS; k++)
		if (c->barriers[k].arrived) {
			m->total.forced++;
			open_barrier(m, c, k);
		}
}

/* The warp stands after the barrier already, and waits there if it has to. */
static void arrive(struct sim_warps *m, struct warp *w, const struct tr_inst *in, uint64_t lanes)
{
	struct cta_slot *c = w->slot;
	const uint32_t number = in->disp == TR_BARRIER_CLUSTER
					? TR_BARRIER_CLUSTER
					: (uint32_t)in->disp % TR_BARRIER_CLUSTER;
	struct barrier *b = &c->barriers[number];
	const uint32_t first = w->number * m->opt.warp_size;

	/* CTAs do not wait for each other here: that of the cluster is one more of the CTA's. */
	if (number == TR_BARRIER_CLUSTER && in->flags & TR_I_ARRIVE)
		return;
	b->expected = tr_barrier_threads(in->aux);
	b->arrived += (uint32_t)__builtin_popcountll(lanes);
	for (uint64_t left = in->aux ? lanes : 0; left; left &= left - 1) {
		const uint32_t t = first + (uint32_t)__builtin_ctzll(left);

		c->came[number][t / GRANULE] |= 1u << t % GRANULE;
	}
	if (!(in->flags & TR_I_ARRIVE) && w->mask) {
		w->barrier = number;
		set_ready(m, w, 0);
	}
	check_barrier(m, c, number);
}

/* ---- where the lanes go after a block ---- */

/* Barriers need not wait for these lanes any more. */
static void let_go(struct sim_warps *m, struct warp *w, uint64_t lanes)
{
	lanes &= ~w->gone;
	if (!lanes)
		return;
	w->gone |= lanes;
	w->slot->gone += (uint32_t)__builtin_popcountll(lanes);
	for (uint32_t k = 0; k < BARRIERS; k++)
		check_barrier(m, w->slot, k);
}

/* Lanes take way k out of the block; paths to the exit end there. */
static void take_way(struct sim_warps *m, struct warp *w, uint32_t k, uint64_t lanes,
	struct warp_path *path, unsigned *n, uint64_t *leaving)
{
	const struct tr_program *p = m->code.p;
	const uint32_t at = p->insts[w->pc].succ + k, pc = p->succ_pool[at];

	if (m->code.enters[at] != TR_NONE)
		w->inside[m->code.enters[at]] &= ~lanes;
	if (pc == TR_EXIT) {
		*leaving |= lanes;
		return;
	}
	for (unsigned i = 0; i < *n; i++)
		if (path[i].pc == pc) {
			path[i].mask |= lanes;
			return;
		}
	path[(*n)++] = (struct warp_path){pc, lanes, p->blocks[p->insts[pc].block].rank};
}

static int take_indexed_ways(struct sim_warps *m, struct warp *w, const uint32_t *index,
	struct warp_path *path, unsigned *n, uint64_t *leaving)
{
	for (uint64_t left = w->mask; left;) {
		const uint32_t k = index[__builtin_ctzll(left)];
		uint64_t same = 0;

		if (k >= m->code.p->insts[w->pc].nsucc)
			return -1;
		for (uint64_t l = left; l; l &= l - 1)
			if (index[__builtin_ctzll(l)] == k)
				same |= l & -l;
		left &= ~same;
		take_way(m, w, k, same, path, n, leaving);
	}
	return 0;
}

static int go_on(
	struct sim_warps *m, struct warp *w, unsigned flags, uint64_t taken, const uint32_t *index)
{
	const struct tr_inst *in = &m->code.p->insts[w->pc];
	struct warp_path path[SIM_WARPS_LANES_MAX];
	uint64_t leaving = 0;
	unsigned n = 0;

	if (flags & STEP_MANY) {
		if (take_indexed_ways(m, w, index, path, &n, &leaving))
			return -1;
	} else if (in->nsucc == 2) {
		if (w->mask & ~taken)
			take_way(m, w, 0, w->mask & ~taken, path, &n, &leaving);
		if (taken)
			take_way(m, w, 1, taken, path, &n, &leaving);
	} else if (in->nsucc) {
		take_way(m, w, 0, w->mask, path, &n, &leaving);
	} else {
		leaving = w->mask;
	}
	if (leaving)
		warp_stack_exit(w->stack, leaving, n ? path[0].pc : w->pc);
	if (n > 1)
		warp_stack_branch(w->stack, in->ipdom, path, n);
	else if (n && !leaving)
		warp_stack_advance(w->stack, path[0].pc);
	settle(m, w);
	/* Lanes that have only come to a barrier go on after it. */
	for (unsigned i = 0; i < n && !(flags & STEP_BARRIER); i++)
		if (m->code.steps[path[i].pc].flags & STEP_EXIT)
			leaving |= path[i].mask;
	let_go(m, w, leaving);
	return 0;
}

/* One instruction that does more than count. */
static int execute(struct sim_warps *m, struct warp *w)
{
	const struct tr_inst *in = &m->code.p->insts[w->pc];
	const unsigned flags = m->code.steps[w->pc].flags;
	uint64_t taken = 0, guard = w->mask, value[SIM_WARPS_LANES_MAX];
	uint32_t index[SIM_WARPS_LANES_MAX];
	int rc = 1;

	if (flags & STEP_OUTCOME) {
		if (flags & STEP_MANY ? take_indices(w, !!(flags & STEP_WIDE), index)
				      : take_bits(w, &taken))
			return bad_record(m, w);
		if (flags & STEP_GUARD) {
			for (uint64_t l = flags & STEP_MANY ? w->mask : 0; l; l &= l - 1)
				taken |= index[__builtin_ctzll(l)] ? l & -l : 0;
			guard = taken;
		}
	}
	if (flags & STEP_VALUE) {
		if (take_values(w, guard, value))
			return bad_record(m, w);
	} else if (flags & STEP_ACCESS) {
		for (unsigned l = 0; l < m->opt.warp_size; l++)
			value[l] = (uint64_t)in->disp;
	}
	if (flags & STEP_OPERAND) {
		w->pc++;
		return execute(m, w); /* its operation, which stands in the same block */
	}
	if (flags & STEP_ACCESS && guard)
		rc = tell(m, w, guard, value);
	m->total.warp_insts++;
	m->total.thread_insts +=
		guard == w->mask ? w->active : (uint32_t)__builtin_popcountll(guard);
	if (flags & STEP_LAST) {
		if (go_on(m, w, flags, taken, index))
			return bad_record(m, w);
	} else {
		w->plain = m->code.steps[++w->pc].plain;
	}
	if (flags & STEP_BARRIER && guard)
		arrive(m, w, in, guard);
	return rc;
}

/* ---- CTAs come and go ---- */

static void start_cta(struct sim_warps *m, struct cta_slot *c)
{
	const uint32_t size = m->opt.warp_size;
	struct sm *sm = &m->sms[c->sm];

	c->taken = 1;
	c->nready = c->ndone = c->gone = 0;
	memset(c->barriers, 0, sizeof(c->barriers));
	if (c->came)
		memset(c->came, 0, BARRIERS * sizeof(*c->came));
	if (m->code.p->nloops)
		memset(c->inside, 0, (size_t)m->nwarps * m->code.p->nloops * sizeof(*c->inside));
	for (uint32_t t = 0; t < m->threads; t++) {
		const struct tr_thread *r = &c->cta.threads[t];

		/* A thread without any may have no array of them. */
		c->lanes[t] = (struct lane){r->outcomes,
			r->noutcomes ? r->outcomes + r->noutcomes : r->outcomes, r->values,
			r->nvalues ? r->values + r->nvalues : r->values};
	}
	for (uint32_t n = 0; n < m->nwarps; n++) {
		struct warp *w = &c->warps[n];
		const uint32_t left = m->threads - n * size, lanes = left < size ? left : size;

		w->mask = w->gone = 0;
		w->barrier = NO_BARRIER;
		warp_stack_init(w->stack, 0, ~0ull >> (64 - lanes));
		settle(m, w);
		set_ready(m, w, 1);
	}
	sm->age[sm->live++] = c->number;
}

/* The next CTA of the launch, into a free slot: 1, 0 when there is none, TR_E*. */
static int next_cta(struct sim_warps *m, struct cta_slot *c)
{
	int rc;

	if (m->no_more)
		return 0;
	rc = m->link->cta(m->link->arg, &c->cta, m->err);
	m->no_more = rc <= 0;
	if (rc > 0 && c->cta.nthreads != m->threads)
		return tr_fail(m->err, TR_EDATA, 0,
			"launch %u, cta %u: %u threads, its launch has %u", m->launch,
			c->cta.number, c->cta.nthreads, m->threads);
	if (rc > 0)
		start_cta(m, c);
	return rc;
}

static int end_cta(struct sim_warps *m, struct cta_slot *c)
{
	struct sm *sm = &m->sms[c->sm];
	uint32_t k = 0;

	for (uint32_t t = 0; t < m->threads; t++)
		if (c->lanes[t].outcome != c->lanes[t].outcome_end ||
			c->lanes[t].value != c->lanes[t].value_end)
			return bad_record(m, &c->warps[t / m->opt.warp_size]);
	c->taken = 0;
	while (sm->age[k] != c->number)
		k++;
	sm->live--;
	memmove(sm->age + k, sm->age + k + 1, (sm->live - k) * sizeof(*sm->age));
	return next_cta(m, c);
}

static int run_warp(struct sim_warps *m, struct warp *w)
{
	struct cta_slot *c = w->slot;
	const uint32_t pc = w->pc;
	int rc = execute(m, w);

	if (rc < 0)
		return rc;
	if (!w->mask) {
		set_ready(m, w, 0);
		c->ndone++;
	}
	if (!w->mask || m->code.steps[pc].flags & STEP_BARRIER)
		m->sms[c->sm].held = 0;
	if (c->nready)
		return 1;
	if (c->ndone == m->nwarps)
		rc = end_cta(m, c);
	else
		open_all(m, c);
	return rc < 0 ? rc : 1;
}

/* ---- whose turn it is ---- */

static struct warp *warp_at(const struct sim_warps *m, const struct sm *sm, uint32_t index)
{
	return &sm->slots[index >> m->shift].warps[index & (m->stride - 1)];
}

/* The first ready warp from `from` on, below `end`; end if there is none. */
static uint32_t next_ready(const struct sm *sm, uint32_t from, uint32_t end)
{
	while (from < end) {
		const uint64_t left = sm->ready[from / 64] >> from % 64;

		if (left) {
			from += (uint32_t)__builtin_ctzll(left);
			return from < end ? from : end;
		}
		from = (from / 64 + 1) * 64;
	}
	return end;
}

/* Around in a circle after the cursor. */
static uint32_t pick_next(const struct sm *sm, uint32_t first, uint32_t end)
{
	const uint32_t from =
		sm->cursor + 1 > first && sm->cursor + 1 < end ? sm->cursor + 1 : first;
	const uint32_t at = next_ready(sm, from, end);

	return at < end ? at : next_ready(sm, first, end);
}

/* The warp that the order has next; a live SM has a ready one. */
static uint32_t pick(const struct sim_warps *m, const struct sm *sm)
{
	uint32_t at = sm->cursor;

	if (m->opt.order == SIM_ORDER_RR)
		return pick_next(sm, 0, m->per_sm * m->stride);
	if (sm->held)
		return at;
	if (m->opt.order == SIM_ORDER_CTA)
		return pick_next(sm, sm->age[0] * m->stride, (sm->age[0] + 1) * m->stride);
	for (uint32_t k = 0; k < sm->live; k++) {
		const uint32_t first = sm->age[k] * m->stride;

		at = next_ready(sm, first, first + m->stride);
		if (at < first + m->stride)
			break;
	}
	return at;
}

static int turn(struct sim_warps *m, struct sm *sm)
{
	struct warp *w;

	sm->cursor = pick(m, sm);
	sm->held = 1;
	w = warp_at(m, sm, sm->cursor);
	if (!w->plain)
		return run_warp(m, w);
	w->plain--;
	w->pc++;
	m->total.warp_insts++;
	m->total.thread_insts += w->active;
	return 1;
}

static int run_sms(struct sim_warps *m)
{
	uint32_t live;
	int rc = 1;

	do {
		live = 0;
		for (uint32_t s = 0; s < m->opt.machine.sms && rc > 0; s++)
			if (m->sms[s].live) {
				live++;
				rc = turn(m, &m->sms[s]);
			}
	} while (live && rc > 0);
	return rc;
}

/* ---- a launch ---- */

static uint32_t at_most(uint32_t have, uint64_t each, uint32_t limit)
{
	const uint64_t n = each ? have / each : limit;

	return n < limit ? (uint32_t)n : limit;
}

/* How many CTAs an SM holds: by CTAs, threads, registers and shared memory. */
static int occupancy(struct sim_warps *m, const struct tr_program *p, const struct tr_launch *l)
{
	const struct sim_residency *r = &m->opt.machine;
	const uint64_t threads = (m->threads + GRANULE - 1) / GRANULE * GRANULE;
	const struct {
		const char *what;
		uint64_t need;
		uint32_t have;
	} limits[] = {
		{"CTAs", 1, r->ctas_per_sm},
		{"threads", threads, r->threads_per_sm},
		{"registers", l->registers * threads, r->registers_per_sm},
		{"bytes of shared memory", (uint64_t)l->shared_bytes + r->shared_reserved,
			r->shared_per_sm},
	};

	m->per_sm = UINT32_MAX;
	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		m->per_sm = at_most(limits[i].have, limits[i].need, m->per_sm);
		if (!m->per_sm)
			return tr_fail(m->err, TR_EUSAGE, 0,
				"kernel '%s': a CTA needs %llu %s, where an SM has %u",
				tr_str(p, p->name), (unsigned long long)limits[i].need,
				limits[i].what, limits[i].have);
	}
	return 1;
}

static int slot_make(struct sim_warps *m, struct cta_slot *c, uint32_t sm, uint32_t number)
{
	const size_t loops = m->code.p->nloops;

	tr_cta_init(&c->cta);
	c->sm = sm;
	c->number = number;
	c->warps = calloc(m->nwarps, sizeof(*c->warps));
	c->stacks = calloc(m->nwarps, sizeof(*c->stacks));
	c->lanes = calloc(m->threads, sizeof(*c->lanes));
	c->inside = calloc(m->nwarps * loops + 1, sizeof(*c->inside));
	c->trips = calloc(m->nwarps * loops + 1, sizeof(*c->trips));
	if (m->code.names_threads && !(c->came = calloc(BARRIERS, sizeof(*c->came))))
		return no_memory(m);
	if (!c->warps || !c->stacks || !c->lanes || !c->inside || !c->trips)
		return no_memory(m);
	for (uint32_t n = 0; n < m->nwarps; n++) {
		struct warp *w = &c->warps[n];

		w->number = n;
		w->index = number * m->stride + n;
		w->slot = c;
		w->stack = &c->stacks[n];
		w->lanes = c->lanes + (size_t)n * m->opt.warp_size;
		w->inside = c->inside + n * loops;
		w->trip = c->trips + n * loops;
	}
	return 1;
}

static void slot_free(struct cta_slot *c)
{
	tr_cta_free(&c->cta);
	free(c->warps);
	free(c->stacks);
	free(c->lanes);
	free(c->inside);
	free(c->trips);
	free(c->came);
}

static void sms_free(struct sim_warps *m)
{
	for (uint32_t s = 0; m->sms && s < m->opt.machine.sms; s++) {
		for (uint32_t k = 0; m->sms[s].slots && k < m->per_sm; k++)
			slot_free(&m->sms[s].slots[k]);
		free(m->sms[s].slots);
		free(m->sms[s].ready);
		free(m->sms[s].age);
	}
	free(m->sms);
	m->sms = NULL;
}

/* The SMs, and a CTA for every slot as long as there are some, SM after SM in turn. */
static int fill_sms(struct sim_warps *m)
{
	int rc = 1;

	m->sms = calloc(m->opt.machine.sms, sizeof(*m->sms));
	if (!m->sms)
		return no_memory(m);
	for (uint32_t k = 0; k < m->per_sm && rc > 0; k++)
		for (uint32_t s = 0; s < m->opt.machine.sms && rc > 0; s++) {
			struct sm *sm = &m->sms[s];

			if (!k) {
				sm->slots = calloc(m->per_sm, sizeof(*sm->slots));
				sm->ready = calloc(
					(size_t)m->per_sm * m->stride / 64, sizeof(*sm->ready));
				sm->age = calloc(m->per_sm, sizeof(*sm->age));
				if (!sm->slots || !sm->ready || !sm->age)
					return no_memory(m);
				sm->cursor = UINT32_MAX; /* the first in the circle is 0 */
			}
			rc = slot_make(m, &sm->slots[k], s, k);
			if (rc > 0)
				rc = next_cta(m, &sm->slots[k]);
		}
	return rc < 0 ? rc : 1; /* 0: there are fewer CTAs than slots */
}

int sim_warps_launch(struct sim_warps *m, const struct tr_program *p, const struct tr_launch *l,
	const struct sim_warps_link *link, struct tr_err *err)
{
	int rc;

	m->err = err;
	m->link = link;
	m->launch = l->number;
	m->threads = tr_launch_threads(l);
	m->nwarps = (m->threads + m->opt.warp_size - 1) / m->opt.warp_size;
	for (m->shift = 6; m->nwarps > 1u << m->shift;)
		m->shift++;
	m->stride = 1u << m->shift;
	m->no_more = 0;
	rc = occupancy(m, p, l);
	if (rc < 0)
		return rc;
	rc = code_make(&m->code, p) ? no_memory(m) : fill_sms(m);
	if (rc > 0)
		rc = run_sms(m);
	sms_free(m);
	code_free(&m->code);
	return rc;
}

/* ---- names ---- */

static const char *const names[] = {"rr", "gto", "cta"};

const char *sim_order_name(enum sim_order o)
{
	return (unsigned)o < sizeof(names) / sizeof(names[0]) ? names[o] : NULL;
}

int sim_order_parse(enum sim_order *o, const char *name)
{
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i])) {
			*o = (enum sim_order)i;
			return 1;
		}
	return TR_EUSAGE;
}
