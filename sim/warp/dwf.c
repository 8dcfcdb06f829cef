/*
 * dwf: dynamic warp formation (TBC section 2.3; Fung et al., MICRO 2007 and TACO 2009), as the code
 * of the GPGPU-Sim of 2010 has it. Threads that come to the same PC are put together, each in its
 * home lane, until the warp that they make issues. After each instruction a warp's threads are
 * parted by where they go, and each part looks its PC up in the warp LUT: it joins the warp that it
 * finds there as far as lanes are free, and what is left over makes a new one, which the LUT points
 * to from then on. Warps that come to a barrier of their CTA bypass it, keep their threads, and go
 * before all others when they are let go on.
 *
 * Declared overhead: the LUT takes `ports` warps in a cycle (0: all), each for up to two PCs, in
 * the order in which they come; the others wait. Every arrival and every instruction but exits and
 * barriers asks for a turn, under wb=1 only those of warps that have parted. It is all that a
 * kernel without divergence pays.
 *
 * wb=1: the warp barrier (TBC section 2.4). Warps keep their threads up to a divergent branch; at
 * its immediate post-dominator the threads of each such warp are put together again.
 *
 * Left out: fewer register banks than lanes; the heap that finds the majority in hardware, and its
 * ports (here it is found at once).
 */
#include "sim/warp/dwf_lut.h"

enum { POLICY, LUT, WAYS, PORTS, BARRIER, SWIZZLE };
enum { MAJORITY, MINORITY, PC, FIFO, PDOM };

static const char *const policies[] = {[MAJORITY] = "majority",
	[MINORITY] = "minority",
	[PC] = "pc",
	[FIFO] = "fifo",
	[PDOM] = "pdom",
	NULL};

#define MEMO 256

struct slot {           /* of a warp */
	uint32_t open;  /* 1: in the LUT at this PC; threads may join it until it issues */
	uint32_t level; /* the most reconvergence points that one of its threads has come through */
	uint32_t origin; /* 1 + the static warp that it is, undivided (wb=1); 0: none */
	uint32_t alone;  /* 1: it is known to be of one CTA */
};

/* A static warp: the threads that the launch put side by side. wb=1 alone uses it. */
struct origin {
	uint32_t meet;    /* where its warp barrier stands, while its threads are apart */
	uint32_t missing; /* threads that have not come there, nor exited */
	struct sim_mask here;
};

struct tally {          /* of the ready warps at a PC */
	uint64_t epoch; /* of the pick that counted them */
	uint32_t pc, threads;
};

struct dwf {
	uint32_t policy, ports, barrier, swizzle;
	uint32_t lanes, shift; /* of a warp; their logarithm */
	uint32_t nslots;
	struct sim_dwf_lut lut;
	struct slot *slot;
	/* By slot, side by side for the pick: copies of what the SM has, and when each warp came.
	 */
	uint32_t *pc, *active;
	uint64_t *stamp;
	struct origin *origin;
	uint32_t *level; /* by thread slot: reconvergence points that it has come through */
	uint64_t clock;  /* of stamps */
	uint32_t spare;  /* slot whose threads are being sent on, not yet used again */
	/* Warps that wait for the LUT, a ring; port: the turn, of `ports` a cycle, when it is free.
	 */
	uint32_t *queue, head, waiting;
	uint64_t port;
	/* picking */
	struct sim_bits stand; /* have come to their PC, and not issued */
	struct sim_bits first; /* of these, let go on from a barrier */
	struct sim_bits there; /* of these, at the majority's PC */
	uint32_t nfirst;
	uint32_t majority; /* PC that it stays with, or TR_NONE */
	struct tally *tally;
	uint32_t *counted, tallies; /* a power of two */
	uint64_t epoch;
	uint32_t memo[MEMO]; /* 2 x (1 + block), and whether branches meet there */
};

/* Threads that go to the same PC, by lane. */
struct group {
	uint32_t pc, from; /* from: the slot that they were in, or SIM_NO_WARP: several */
	struct sim_mask lanes;
	const uint16_t *thread;
};

/* ---- setting up ---- */

static uint32_t log_of(uint32_t n)
{
	uint32_t shift = 0;

	while (n >> shift > 1)
		shift++;
	return shift;
}

static int shape(
	const struct sim_config *c, const int64_t *params, struct sim_shape *s, struct tr_err *err)
{
	const size_t n = c->sm.threads;

	(void)err;
	s->slots = c->sm.threads;
	s->lanes = c->sm.warp_size;
	s->member = s->lanes;
	s->one_in_flight = 1;
	s->state_bytes = sizeof(struct dwf) +
			 n * (sizeof(struct slot) + sizeof(uint64_t) + 5 * sizeof(uint32_t)) +
			 (n / s->lanes + 1) * sizeof(struct origin) +
			 (2ull << log_of(c->sm.threads)) * 2 * sizeof(struct tally) +
			 sim_dwf_lut_bytes((uint32_t)params[LUT], s->slots) + 8;
	return 1;
}

static void start(void *p, struct sim_front *front, const int64_t *params)
{
	const uint32_t n = front->nwarps, norigins = n / front->config->sm.warp_size + 1;
	struct dwf *f = p;

	*f = (struct dwf){.lanes = front->config->sm.warp_size};
	f->policy = (uint32_t)params[POLICY];
	f->ports = (uint32_t)params[PORTS];
	f->barrier = (uint32_t)params[BARRIER];
	f->swizzle = (uint32_t)params[SWIZZLE];
	f->shift = log_of(f->lanes);
	f->nslots = n;
	f->tallies = 4u << log_of(n);
	f->majority = TR_NONE;
	f->spare = SIM_NO_WARP;
	sim_bits_init(&f->stand, n);
	sim_bits_init(&f->first, n);
	sim_bits_init(&f->there, n);
	/* Arrays of 64-bit numbers come first, so that all are aligned. */
	f->stamp = (uint64_t *)(void *)(f + 1);
	f->slot = (struct slot *)(void *)(f->stamp + n);
	f->origin = (struct origin *)(void *)(f->slot + n);
	f->tally = (struct tally *)(void *)(f->origin + norigins);
	f->pc = (uint32_t *)(void *)(f->tally + f->tallies);
	f->active = f->pc + n;
	f->level = f->active + n;
	f->queue = f->level + n;
	f->counted = f->queue + n;
	memset(f->stamp, 0, (size_t)((char *)(f->counted + n) - (char *)f->stamp));
	sim_dwf_lut_init(&f->lut, (void *)((((uintptr_t)(f->counted + n)) + 7) & ~(uintptr_t)7),
		(uint32_t)params[LUT], (uint32_t)params[WAYS], n);
}

/* ---- lanes ---- */

static void add_lane(struct sim_mask *m, uint32_t lane)
{
	m->w[lane / 64] |= 1ull << (lane % 64);
}

static void remove_lane(struct sim_mask *m, uint32_t lane)
{
	m->w[lane / 64] &= ~(1ull << (lane % 64));
}

/*
 * A thread's home lane is its slot modulo the lanes. Swizzled, each warp's lanes are turned by one
 * more, so that what depends on the lane falls on different ones.
 */
static uint32_t turn(const struct dwf *f, uint32_t origin)
{
	return f->swizzle ? origin : 0;
}

static uint32_t lane_of(const struct dwf *f, uint32_t thread)
{
	return (thread + turn(f, thread >> f->shift)) & (f->lanes - 1);
}

static uint32_t thread_at(const struct dwf *f, uint32_t origin, uint32_t lane)
{
	return (origin << f->shift) + ((lane - turn(f, origin)) & (f->lanes - 1));
}

/* ---- warps are formed ---- */

/* Threads of the group are put into a warp. */
static void put(struct dwf *f, struct sim_front *front, uint32_t slot, const struct group *g,
	const struct sim_mask *lanes)
{
	struct sim_warp *w = &front->warps[slot];
	struct slot *x = &f->slot[slot];
	struct sim_mask left = *lanes;

	x->alone = 0;
	for (int k = 0; k < SIM_MASK_WORDS; k++)
		w->lanes.w[k] |= lanes->w[k];
	if (w->thread == g->thread && f->policy != PDOM)
		return; /* they are there */
	for (uint32_t lane = sim_pop(&left); lane != TR_NONE; lane = sim_pop(&left)) {
		const uint32_t t = g->thread[lane];

		w->thread[lane] = (uint16_t)t;
		x->level = f->level[t] > x->level ? f->level[t] : x->level;
	}
}

/* The warp may issue from cycle `at` on. */
static void go(struct dwf *f, struct sim_front *front, uint32_t slot, uint64_t at)
{
	front->call->ready(front, slot, at);
	f->pc[slot] = front->warps[slot].pc;
	f->active[slot] = front->warps[slot].active;
	sim_bits_set(&f->stand, slot);
	if (f->pc[slot] == f->majority)
		sim_bits_set(&f->there, slot);
}

/* A slot gets a new warp. */
static void renew(struct dwf *f, uint32_t slot)
{
	f->slot[slot] = (struct slot){0};
	f->stamp[slot] = ++f->clock;
}

/* A new warp of threads of the group. */
static uint32_t make_warp(struct dwf *f, struct sim_front *front, const struct group *g,
	const struct sim_mask *lanes, uint64_t at)
{
	struct sim_mask left = *lanes;
	const uint32_t cta = g->thread[sim_pop(&left)] / front->stride;
	const uint32_t slot = f->spare != SIM_NO_WARP ? f->spare : front->call->take(front, cta);
	struct sim_warp *w = &front->warps[slot];

	f->spare = SIM_NO_WARP;
	renew(f, slot);
	w->pc = g->pc;
	w->cta = cta;
	w->nlanes = f->lanes;
	w->lanes = (struct sim_mask){{0}};
	put(f, front, slot, g, lanes);
	go(f, front, slot, at);
	return slot;
}

static int is_open(const struct dwf *f, struct sim_front *front, uint32_t slot, uint32_t pc)
{
	return f->slot[slot].open && front->warps[slot].pc == pc &&
	       front->warps[slot].state == SIM_W_RUN;
}

static void look_up(struct dwf *f, struct sim_front *front, const struct group *g, uint64_t at)
{
	uint32_t slot = sim_dwf_lut_find(&f->lut, g->pc);
	struct sim_mask over = g->lanes, fits = {{0}};

	if (slot != SIM_NO_WARP && is_open(f, front, slot, g->pc))
		for (int k = 0; k < SIM_MASK_WORDS; k++) {
			over.w[k] = g->lanes.w[k] & front->warps[slot].lanes.w[k];
			fits.w[k] = g->lanes.w[k] & ~over.w[k];
		}
	if (sim_any(&fits)) {
		put(f, front, slot, g, &fits);
		sim_show(front, SIM_SHOWN_MERGE, slot, g->from);
		go(f, front, slot, at);
	}
	if (!sim_any(&over))
		return;
	slot = make_warp(f, front, g, &over, at);
	f->slot[slot].open = 1;
	sim_dwf_lut_put(&f->lut, g->pc, slot);
}

/* ---- warp barriers ---- */

/* All threads of a static warp that have not exited have come to its warp barrier. */
static void restore(struct dwf *f, struct sim_front *front, uint32_t origin, uint64_t at)
{
	const struct origin *h = &f->origin[origin];
	uint16_t thread[TR_LANES_MAX];
	const struct group g = {
		.pc = h->meet, .from = SIM_NO_WARP, .lanes = h->here, .thread = thread};
	uint32_t slot;

	for (uint32_t lane = 0; lane < f->lanes; lane++)
		thread[lane] = (uint16_t)thread_at(f, origin, lane);
	slot = make_warp(f, front, &g, &g.lanes, at);
	sim_show(front, SIM_SHOWN_REGROUP, slot, SIM_NO_WARP);
	f->slot[slot].origin = origin + 1;
}

/* A warp barrier waits for one thread less. */
static void count_off(struct dwf *f, struct sim_front *front, uint32_t origin, uint64_t at)
{
	struct origin *h = &f->origin[origin];

	if (!--h->missing && sim_any(&h->here))
		restore(f, front, origin, at);
}

/* Threads that are where their warp barrier stands leave the group. */
static void reach_barrier(struct dwf *f, struct sim_front *front, struct group *g, uint64_t at)
{
	struct sim_mask left = g->lanes;

	for (uint32_t lane = sim_pop(&left); lane != TR_NONE; lane = sim_pop(&left)) {
		const uint32_t origin = (uint32_t)g->thread[lane] >> f->shift;

		if (f->origin[origin].meet != g->pc)
			continue;
		remove_lane(&g->lanes, lane);
		add_lane(&f->origin[origin].here, lane);
		count_off(f, front, origin, at);
	}
}

/* A top-level divergence: the warp barrier is at the branch's post-dominator. */
static void leave_home(struct dwf *f, struct sim_front *front, uint32_t slot)
{
	const struct sim_warp *w = &front->warps[slot];
	const struct tr_inst *in = &front->program->insts[w->pc];

	f->origin[f->slot[slot].origin - 1] =
		(struct origin){.meet = in->ipdom == TR_NONE ? TR_EXIT : in->ipdom,
			.missing = sim_lanes(&w->lanes)};
}

/* ---- PDOM priority ---- */

static int branches_meet(const struct tr_program *p, uint32_t at)
{
	for (uint32_t b = 0; b < p->nblocks; b++) {
		const struct tr_inst *last = &p->insts[p->blocks[b].first + p->blocks[b].n - 1];

		if (last->nsucc > 1 && last->ipdom == at)
			return 1;
	}
	return 0;
}

/* The group begins a block. */
static void count_meeting(struct dwf *f, struct sim_front *front, const struct group *g)
{
	const uint32_t block = front->program->insts[g->pc].block;
	uint32_t *memo = &f->memo[block % MEMO];
	struct sim_mask left = g->lanes;

	if (*memo >> 1 != block + 1)
		*memo = 2 * (block + 1) + (uint32_t)branches_meet(front->program, g->pc);
	if (*memo & 1)
		for (uint32_t lane = sim_pop(&left); lane != TR_NONE; lane = sim_pop(&left))
			f->level[g->thread[lane]]++;
}

/* ---- after an instruction ---- */

/* Removes from `left` the threads that go to the same PC as its first one. */
static struct group first_way(
	struct sim_front *front, const uint16_t *thread, struct sim_mask *left)
{
	struct sim_mask look = *left;
	uint32_t lane = sim_pop(&look);
	struct group g = {.pc = front->threads[thread[lane]].pc, .thread = thread};

	for (; lane != TR_NONE; lane = sim_pop(&look))
		if (front->threads[thread[lane]].pc == g.pc) {
			add_lane(&g.lanes, lane);
			remove_lane(left, lane);
		}
	return g;
}

static int begins_block(struct sim_front *front, uint32_t pc)
{
	return front->program->blocks[front->program->insts[pc].block].first == pc;
}

/* A part of a warp comes to its barrier, joins a warp, or makes a new one. */
static void settle(struct dwf *f, struct sim_front *front, struct group *g, uint64_t at)
{
	if ((f->policy == PDOM || f->barrier) && begins_block(front, g->pc)) {
		if (f->policy == PDOM)
			count_meeting(f, front, g);
		if (f->barrier)
			reach_barrier(f, front, g, at);
	}
	if (sim_any(&g->lanes))
		look_up(f, front, g, at);
}

/* The PC to which all threads of a warp go, as far as sim_warp.to says it, or TR_NONE. */
static uint32_t only_way(const struct sim_warp *w)
{
	return w->to == TR_EXIT ? TR_NONE : w->to;
}

/* Splits a warp by where its threads go. Returns into how many parts. */
static uint32_t send_on(struct dwf *f, struct sim_front *front, uint32_t slot, uint64_t at)
{
	struct sim_warp *w = &front->warps[slot];
	struct group g = {.pc = only_way(w), .from = slot, .lanes = w->lanes, .thread = w->thread};
	struct sim_mask left = w->lanes;
	uint16_t thread[TR_LANES_MAX];
	uint32_t ways = 1;

	f->spare = slot;
	if (g.pc != TR_NONE && !(f->barrier && begins_block(front, g.pc))) {
		settle(f, front, &g, at);
	} else { /* others may get the slot before all of them are placed */
		if (f->slot[slot].origin)
			leave_home(f, front, slot);
		memcpy(thread, w->thread, f->lanes * sizeof(*thread));
		for (ways = 0; sim_any(&left); ways++) {
			g = first_way(front, thread, &left);
			g.from = slot;
			if (!ways && sim_any(&left))
				sim_show(front, SIM_SHOWN_SPLIT, slot, SIM_NO_WARP);
			settle(f, front, &g, at);
		}
	}
	if (f->spare != SIM_NO_WARP)
		front->call->drop(front, slot);
	f->spare = SIM_NO_WARP;
	return ways;
}

/* Turns of the LUT: one for two PCs. */
static void take_turns(struct dwf *f, uint64_t now, uint32_t ways)
{
	if (f->port < now * f->ports)
		f->port = now * f->ports;
	f->port += (ways + 1) / 2;
}

/* The LUT takes the warp now, or it waits for its turn. */
static void send(struct dwf *f, struct sim_front *front, uint32_t slot, uint64_t now)
{
	if (!f->ports)
		send_on(f, front, slot, now);
	else if (!f->waiting && f->port < (now + 1) * f->ports)
		take_turns(f, now, send_on(f, front, slot, now));
	else
		f->queue[(f->head + f->waiting++) % f->nslots] = slot;
}

/* At the end of a cycle warps that wait are looked up, with the turns of the next cycle. */
static uint64_t tick(void *p, struct sim_front *front, uint64_t now)
{
	struct dwf *f = p;

	while (f->waiting && f->port < (now + 2) * f->ports) {
		const uint32_t slot = f->queue[f->head];

		f->head = (f->head + 1) % f->nslots;
		f->waiting--;
		take_turns(f, now + 1, send_on(f, front, slot, now + 1));
	}
	return f->waiting ? now + 1 : SIM_NEVER;
}

static void arrive(
	void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n, uint64_t now)
{
	struct dwf *f = p;

	for (uint32_t at = 0; at < n; at += f->lanes) {
		const uint32_t slot = front->call->take(front, cta);
		struct sim_warp *w = &front->warps[slot];

		renew(f, slot);
		w->nlanes = f->lanes;
		for (uint32_t t = first + at; t < first + n && t < first + at + f->lanes; t++) {
			const uint32_t lane = lane_of(f, t);

			f->level[t] = 0;
			w->thread[lane] = (uint16_t)t;
			add_lane(&w->lanes, lane);
		}
		if (f->barrier) {
			f->slot[slot].origin = ((first + at) >> f->shift) + 1;
			go(f, front, slot, now);
		} else {
			send(f, front, slot, now);
		}
	}
}

static void drop_exited(struct dwf *f, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct sim_warp *w = &front->warps[slot];
	struct sim_mask left = w->lanes;

	for (uint32_t lane = sim_pop(&left); lane != TR_NONE; lane = sim_pop(&left)) {
		if (front->threads[w->thread[lane]].pc != TR_EXIT)
			continue;
		remove_lane(&w->lanes, lane);
		if (f->barrier && !f->slot[slot].origin)
			count_off(f, front, (uint32_t)w->thread[lane] >> f->shift, now);
	}
}

/* The PC that all threads of a warp go to, or TR_NONE. */
static uint32_t common_way(struct sim_front *front, const struct sim_warp *w)
{
	struct sim_mask left = w->lanes;
	const uint32_t pc = front->threads[w->thread[sim_pop(&left)]].pc;

	for (uint32_t lane = sim_pop(&left); lane != TR_NONE; lane = sim_pop(&left))
		if (front->threads[w->thread[lane]].pc != pc)
			return TR_NONE;
	return pc;
}

static void next(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct dwf *f = p;
	struct sim_warp *w = &front->warps[slot];
	const int at_barrier = front->program->insts[w->pc].cls == TR_C_BARRIER;
	uint32_t pc = only_way(w);

	f->slot[slot].open = 0;
	if (pc == TR_NONE)
		drop_exited(f, front, slot, now);
	if (!sim_any(&w->lanes)) {
		front->call->drop(front, slot);
		return;
	}
	if (f->slot[slot].origin && pc == TR_NONE)
		pc = common_way(front, w);
	if ((f->slot[slot].origin || at_barrier) && pc != TR_NONE) {
		if (f->barrier && !f->slot[slot].origin && begins_block(front, pc)) {
			struct group g = {.pc = pc, .lanes = w->lanes, .thread = w->thread};

			reach_barrier(f, front, &g, now);
			w->lanes = g.lanes;
		}
		if (!sim_any(&w->lanes)) {
			front->call->drop(front, slot);
			return;
		}
		w->pc = pc; /* it keeps its threads */
		f->stamp[slot] = ++f->clock;
		go(f, front, slot, now);
	} else {
		send(f, front, slot, now);
	}
}

/* ---- barriers ---- */

static uint32_t asks(void *p, const struct sim_front *front, uint32_t inst)
{
	(void)p;
	return SIM_ASK_NEXT | (front->program->insts[inst].cls == TR_C_BARRIER ? SIM_ASK_MAY : 0);
}

/*
 * A CTA's barrier takes warps of that CTA alone, and a cluster's those of threads that have arrived
 * in the same round: others part from it, which takes a cycle.
 */
static enum sim_may may(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct dwf *f = p;
	struct sim_warp *w = &front->warps[slot];
	struct group g = {.pc = w->pc, .thread = w->thread};
	const struct tr_inst *in = &front->program->insts[w->pc];
	struct sim_mask left = w->lanes;
	uint32_t first;

	if (f->slot[slot].alone && in->disp != TR_BARRIER_CLUSTER)
		return SIM_GO;
	f->slot[slot].alone = 1;
	first = w->thread[sim_pop(&left)];
	for (uint32_t lane = sim_pop(&left); lane != TR_NONE; lane = sim_pop(&left))
		if (!sim_wait_together(front, in, first, w->thread[lane]))
			add_lane(&g.lanes, lane);
	if (!sim_any(&g.lanes))
		return SIM_GO;
	if (f->slot[slot].origin) { /* it has no other place to meet before its threads end */
		f->origin[f->slot[slot].origin - 1] =
			(struct origin){.meet = TR_EXIT, .missing = sim_lanes(&w->lanes)};
		f->slot[slot].origin = 0;
	}
	for (int k = 0; k < SIM_MASK_WORDS; k++)
		w->lanes.w[k] &= ~g.lanes.w[k];
	f->slot[slot].open = 0;
	go(f, front, slot, now + 1);
	sim_show(front, SIM_SHOWN_SPLIT, slot, make_warp(f, front, &g, &g.lanes, now + 1));
	return SIM_NOT_NOW;
}

/* Warps that a barrier releases go first. */
static void told(void *p, struct sim_front *front, const struct sim_told *t)
{
	struct dwf *f = p;

	(void)front;
	f->nfirst += !sim_bits_has(&f->first, t->warp);
	sim_bits_set(&f->first, t->warp);
}

/* ---- who goes first ---- */

#define EACH(set, w)                                                                               \
	for (uint32_t k_ = 0; k_ < (set)->words; k_++)                                             \
		for (uint64_t m_ = (set)->w[k_];                                                   \
			m_ && ((w) = k_ * 64 + (uint32_t)__builtin_ctzll(m_), 1); m_ &= m_ - 1)

/* The one that waits longest of those in both sets, or SIM_NO_WARP. */
static uint32_t oldest(const struct dwf *f, const struct sim_bits *ready, const struct sim_bits *of)
{
	uint32_t best = SIM_NO_WARP;

	for (uint32_t k = 0; k < ready->words; k++)
		for (uint64_t m = ready->w[k] & of->w[k]; m; m &= m - 1) {
			const uint32_t w = k * 64 + (uint32_t)__builtin_ctzll(m);

			if (best == SIM_NO_WARP || f->stamp[w] < f->stamp[best])
				best = w;
		}
	return best;
}

/* The oldest ready one at a PC. */
static uint32_t oldest_at(const struct dwf *f, const struct sim_bits *ready, uint32_t pc)
{
	uint32_t best = SIM_NO_WARP, w;

	EACH(ready, w)
	if (f->pc[w] == pc && (best == SIM_NO_WARP || f->stamp[w] < f->stamp[best]))
		best = w;
	return best;
}

static struct tally *tally_of(struct dwf *f, uint32_t pc, uint32_t *n)
{
	uint32_t i = pc & (f->tallies - 1);

	while (f->tally[i].epoch == f->epoch && f->tally[i].pc != pc)
		i = (i + 1) & (f->tallies - 1);
	if (f->tally[i].epoch != f->epoch) {
		f->tally[i] = (struct tally){.epoch = f->epoch, .pc = pc};
		f->counted[(*n)++] = i;
	}
	return &f->tally[i];
}

/* The PC that the most threads, or the fewest, are ready at; of several the smallest. */
static uint32_t count_pcs(struct dwf *f, const struct sim_bits *ready, int most)
{
	const struct tally *best;
	uint32_t n = 0, w;

	f->epoch++;
	EACH(ready, w)
	tally_of(f, f->pc[w], &n)->threads += f->active[w];
	best = &f->tally[f->counted[0]];
	for (uint32_t i = 1; i < n; i++) {
		const struct tally *t = &f->tally[f->counted[i]];

		if (t->threads != best->threads ? (t->threads > best->threads) == most
						: t->pc < best->pc)
			best = t;
	}
	return best->pc;
}

/* From now on the majority is at this PC. */
static void turn_to(struct dwf *f, uint32_t pc)
{
	f->majority = pc;
	for (uint32_t k = 0; k < f->stand.words; k++) {
		uint64_t here = 0;

		for (uint64_t m = f->stand.w[k]; m; m &= m - 1)
			here |= f->pc[k * 64 + (uint32_t)__builtin_ctzll(m)] == pc ? m & -m : 0;
		f->there.w[k] = here;
	}
}

/* What comes first by the policies that look at warps one by one; among equals the older warp. */
static uint64_t rank(const struct dwf *f, uint32_t w)
{
	const uint64_t what = f->policy == PC ? f->pc[w] : f->policy == PDOM ? f->slot[w].level : 0;

	return f->policy == FIFO ? 0 : what << 16 | (TR_LANES_MAX - f->active[w]);
}

static uint32_t choose(struct dwf *f, const struct sim_bits *ready)
{
	uint64_t least = UINT64_MAX;
	uint32_t best = SIM_NO_WARP, w;

	if (f->policy == MINORITY)
		return oldest_at(f, ready, count_pcs(f, ready, 0));
	if (f->policy == MAJORITY) {
		best = oldest(f, ready, &f->there);
		if (best != SIM_NO_WARP)
			return best;
		turn_to(f, count_pcs(f, ready, 1));
		return oldest(f, ready, &f->there);
	}
	EACH(ready, w)
	{
		const uint64_t r = rank(f, w);

		if (r < least || (r == least && f->stamp[w] < f->stamp[best])) {
			least = r;
			best = w;
		}
	}
	return best;
}

static void pick(void *p, struct sim_front *front, const struct sim_bits *can,
	struct sim_bundle *bundle, uint64_t now)
{
	struct dwf *f = p;
	uint32_t w = SIM_NO_WARP;

	(void)front;
	(void)now;
	if (f->nfirst)
		w = oldest(f, can, &f->first);
	if (w == SIM_NO_WARP)
		w = choose(f, can);
	else
		f->nfirst--;
	sim_bits_clear(&f->stand, w);
	sim_bits_clear(&f->first, w);
	sim_bits_clear(&f->there, w);
	bundle->n = 1;
	bundle->beat[0].warp = (uint16_t)w;
	bundle->beat[0].joins = 0;
}

/* ---- what threads do ---- */

static void classes(void *p, const struct sim_front *front, uint64_t threads[SIM_NTHREAD_CLASSES])
{
	const struct dwf *f = p;

	for (uint32_t h = 0; f->barrier && h < front->nthreads >> f->shift; h++)
		if (f->origin[h].missing)
			threads[SIM_TH_MEET] += sim_lanes(&f->origin[h].here);
}

const struct sim_warp_policy sim_warp_dwf = {
	.abi = SIM_WARP_ABI,
	.bytes = sizeof(struct sim_warp_policy),
	.name = "dwf",
	.help = "dynamic warp formation, by itself or with warp barriers",
	.params = {{"policy", MAJORITY, MAJORITY, PDOM, "which warp goes first", policies},
		{"lut", 32, 0, 4096, "entries of the warp LUT; 0: as many as it takes", NULL},
		{"ways", 2, 1, 4096, "its ways", NULL},
		{"ports", 1, 0, 64, "warps that it takes in a cycle; 0: all at once", NULL},
		{"wb", 0, 0, 1, "1: a warp barrier where a static warp's divergence ends", NULL},
		{"swizzle", 0, 0, 1, "1: home lanes turn by one from warp to warp", NULL}},
	.hears = SIM_TOLD_RELEASED,
	.shape = shape,
	.start = start,
	.arrive = arrive,
	.next = next,
	.asks = asks,
	.may = may,
	.pick = pick,
	.told = told,
	.tick = tick,
	.classes = classes,
};
