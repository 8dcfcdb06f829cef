/*
 * lwm: the large warp microarchitecture (Narasiman et al. 2011). `size` neighbouring threads of a
 * CTA are one large warp with one reconvergence stack: rows of as many columns as the SIMD has
 * lanes, each thread in its column for good. An instruction of it issues as sub-warps: each cycle
 * the topmost thread of each column that has not issued it yet, until none is left. So where half
 * of the threads are off, about half the cycles are saved, whichever threads they are.
 *
 * - Sub-warps of an instruction issue back to back: no other large warp issues between two of them,
 *   unless the next one cannot.
 * - The next instruction is fetched when the first sub-warp is through (refetch=first), after a
 *   branch or an exit when the last one is. A thread whose last sub-warp is still in the pipeline
 *   is left for a later one.
 * - A jump issues once for all threads (jump=1), when all of them are there.
 * - Threads whose guard does not hold are not packed: they are past the instruction when one of
 *   their large warp has issued it. At the end of a block, and at barriers, they issue as others.
 * - All threads of a path come to a barrier together: it is packed when none is in the pipeline.
 *
 * A slot of the SM is a sub-warp: each large warp has as many as it has rows, and one more sub-warp
 * waits until one of these is through. A CTA makes large warps of its own threads, the last of
 * which may be short.
 */
#include "sim/warp/pdom.h"
#include <string.h>

enum { SIZE, REFETCH, JUMP, LCP };
enum { FIRST, LAST };
enum { SUB_WARPS, GUARDED_OFF, NO_SLOT }; /* counters */

static const char *const refetch_words[] = {[FIRST] = "first", [LAST] = "last", NULL};

/* What of a large warp is in a slot. */
struct sub {
	struct large *of;
	uint32_t number;       /* of the instruction */
	struct sim_mask lanes; /* of the large warp */
};

struct large {
	struct sim_warp all;    /* its threads, and where those stand that run */
	struct sim_pdom *stack; /* of them */
	uint16_t *free;         /* slots without a sub-warp; the last one is taken first */
	uint16_t *packed;       /* those whose sub-warp can issue: one, or all of a jump */
	uint32_t nfree, npacked, nslots, threads;
	struct sim_mask left;       /* threads that are to issue the instruction */
	struct sim_mask busy;       /* threads whose sub-warp is in the pipeline */
	uint32_t number;            /* counts instructions */
	uint32_t flying;            /* sub-warps of this one that are in the pipeline */
	uint8_t first_done, issued; /* the first of them is through; there was one */
	uint8_t full;               /* the packed sub-warp has a thread in each column */
	/* Of the instruction: it is a jump that issues once; it is packed when all threads are
	 * there; it is packed with what others have read of their guards. */
	uint8_t jump, whole, guards;
	/* Of a branch: the way that the first who are through go, these, and whether all do. */
	uint32_t way;
	struct sim_mask went;
	uint8_t parts;
	uint64_t turn; /* the cycle in which it goes before all others */
};

struct lwm {
	uint32_t columns, size, refetch, jump, schedulers;
	uint64_t row, first_column; /* bits of a word: of its first row, and of its first column */
	uint32_t per_cta;           /* large warps of a CTA */
	struct large *large;        /* per_cta for each CTA slot */
	struct sub *sub;            /* by slot */
	struct large *last[16];     /* by scheduler: who issued last */
};

static uint32_t columns_of(const struct sim_config *c, uint32_t size)
{
	const uint32_t columns = c->sm.simd_width < 64 ? c->sm.simd_width : 64; /* a word */

	return columns < size ? columns : size;
}

/* Large warps: each CTA may have a short one. */
static uint32_t most(uint32_t threads, uint32_t ctas, uint32_t size)
{
	return threads / size + ctas;
}

static int shape(
	const struct sim_config *c, const int64_t *params, struct sim_shape *s, struct tr_err *err)
{
	const uint32_t size = (uint32_t)params[SIZE];
	const uint32_t n = most(c->sm.threads, c->sm.ctas, size);

	if (size & (size - 1))
		return tr_fail(err, TR_EUSAGE, 0, "lwm: size=%u is no power of two", size);
	s->lanes = columns_of(c, size);
	if (params[JUMP] && size / s->lanes > SIM_WIDE_WARPS)
		return tr_fail(err, TR_EUSAGE, 0,
			"lwm: size=%u are %u sub-warps of %u columns (sm.simd_width), of which %u "
			"can jump together: jump=0, or a smaller size",
			size, size / s->lanes, s->lanes, SIM_WIDE_WARPS);
	s->slots = c->sm.threads / s->lanes;
	s->member = s->lanes;
	s->one_in_flight = 1;
	s->columns = 1;
	s->wants_lcp = params[LCP] == SIM_LCP_PROFILE;
	s->state_bytes = sizeof(struct lwm) + n * sizeof(struct large) + sim_pdom_bytes(n, size) +
			 s->slots * sizeof(struct sub) +
			 n * (size + 2 * (size / s->lanes)) * sizeof(uint16_t) + 64;
	return 1;
}

static void *carve(char **at, size_t bytes)
{
	void *p = *at;

	*at += (bytes + 7) / 8 * 8;
	return p;
}

static void start(void *p, struct sim_front *front, const int64_t *params)
{
	struct lwm *l = p;
	char *at = (char *)(l + 1);
	struct sim_pdom *stacks;
	uint32_t n;

	*l = (struct lwm){.columns = front->config->sm.warp_size,
		.size = (uint32_t)params[SIZE],
		.refetch = (uint32_t)params[REFETCH],
		.jump = (uint32_t)params[JUMP]};
	l->schedulers = front->config->sm.schedulers;
	l->row = UINT64_MAX >> (64 - l->columns);
	for (uint32_t row = 0; row < 64; row += l->columns)
		l->first_column |= 1ull << row;
	l->per_cta = (front->stride + l->size - 1) / l->size;
	n = front->nthreads / front->stride * l->per_cta;
	l->large = carve(&at, n * sizeof(*l->large));
	stacks = carve(&at, sim_pdom_bytes(n, l->size));
	sim_pdom_init(stacks, n, l->size);
	l->sub = carve(&at, front->nwarps * sizeof(*l->sub));
	for (uint32_t i = 0; i < n; i++) {
		struct large *x = &l->large[i];

		*x = (struct large){.stack = &stacks[i]};
		x->stack->depth = 0; /* what is here is of another launch, laid out otherwise */
		x->stack->lcp = (enum sim_lcp)params[LCP];
		x->all.thread = (uint16_t *)(void *)at;
		x->free = x->all.thread + l->size;
		x->packed = x->free + l->size / l->columns;
		at += (l->size + 2 * (l->size / l->columns)) * sizeof(uint16_t);
	}
}

/* ---- masks ---- */

static struct sim_mask without(const struct sim_mask *a, const struct sim_mask *b)
{
	struct sim_mask m;

	for (int k = 0; k < SIM_MASK_WORDS; k++)
		m.w[k] = a->w[k] & ~b->w[k];
	return m;
}

static void add(struct sim_mask *into, const struct sim_mask *lanes)
{
	for (int k = 0; k < SIM_MASK_WORDS; k++)
		into->w[k] |= lanes->w[k];
}

static int overlap(const struct sim_mask *a, const struct sim_mask *b)
{
	uint64_t both = 0;

	for (int k = 0; k < SIM_MASK_WORDS; k++)
		both |= a->w[k] & b->w[k];
	return both != 0;
}

/* ---- sub-warps ---- */

/* The word of a mask has several rows: each bit also in all rows below its own. */
static inline uint64_t downwards(uint64_t bits, uint32_t columns)
{
	for (uint32_t by = columns; by < 64; by *= 2)
		bits |= bits << by;
	return bits;
}

/* All columns of a row. */
static inline uint64_t whole_row(const struct lwm *l)
{
	return l->row;
}

/* Most machines have eight columns, or a multiple: no call for so few. */
static inline void copy_row(uint16_t *to, const uint16_t *from, uint32_t columns)
{
	if (columns % 8)
		memcpy(to, from, columns * sizeof(*to));
	else
		for (uint32_t i = 0; i < columns; i += 8)
			memcpy(to + i, from + i, 8 * sizeof(*to));
}

/* If the topmost row has all its threads, these: 1. As many large warps have, it comes first. */
static inline int topmost_row(const struct lwm *l, const struct large *x,
	const struct sim_mask *can, struct sim_warp *w, struct sub *s)
{
	uint32_t k = 0, row;

	while (!can->w[k])
		k++;
	row = (uint32_t)__builtin_ctzll(can->w[k]) & ~(l->columns - 1);
	if (~(can->w[k] >> row) & whole_row(l))
		return 0;
	copy_row(w->thread, x->all.thread + k * 64 + row, l->columns);
	s->lanes.w[k] = whole_row(l) << row;
	w->lanes.w[0] = whole_row(l);
	return 1;
}

/* The topmost thread of each column. */
static void topmost_of_columns(const struct lwm *l, const struct large *x,
	const struct sim_mask *can, struct sim_warp *w, struct sub *s)
{
	uint64_t taken = 0; /* columns */

	for (uint32_t k = 0; k < SIM_MASK_WORDS && taken != whole_row(l); k++) {
		/* The product has what is taken in each row of the word. */
		const uint64_t here = can->w[k] & ~(taken * l->first_column);
		uint64_t up_to, first;

		if (!here)
			continue;
		up_to = downwards(here, l->columns);
		first = l->columns == 64 ? here : here & ~(up_to << l->columns);
		for (uint64_t m = first; m; m &= m - 1) {
			const uint32_t lane = k * 64 + (uint32_t)__builtin_ctzll(m);

			w->thread[lane & (l->columns - 1)] = x->all.thread[lane];
		}
		s->lanes.w[k] = first;
		taken |= up_to >> (64 - l->columns);
	}
	w->lanes.w[0] = taken;
}

/* The topmost thread of each column, into a slot's warp. There is one. */
static void topmost(const struct lwm *l, struct large *x, const struct sim_mask *can,
	struct sim_front *front, uint32_t slot)
{
	struct sim_warp *w = &front->warps[slot];
	struct sub *s = &l->sub[slot];

	s->lanes = (struct sim_mask){{0}};
	if (!topmost_row(l, x, can, w, s))
		topmost_of_columns(l, x, can, w, s);
	x->full = w->lanes.w[0] == whole_row(l);
	w->pc = x->all.pc;
	w->depth = x->all.depth;
	sim_show(front, SIM_SHOWN_REGROUP, slot, SIM_NO_WARP);
}

static const struct tr_inst *next_of(const struct sim_front *front, const struct large *x)
{
	return sim_operation(front->program, x->all.pc);
}

static int is_last(const struct sim_front *front, const struct large *x)
{
	const uint32_t inst = (uint32_t)(next_of(front, x) - front->program->insts);
	const struct tr_block *b = &front->program->blocks[front->program->insts[inst].block];

	return inst == b->first + b->n - 1;
}

static int is_jump(const struct lwm *l, const struct tr_inst *in)
{
	return l->jump && in->cls == TR_C_BRANCH && in->guard == TR_NONE && in->nsucc == 1;
}

/* Is it packed with what others have read of their guards? */
static int packs_guards(
	const struct sim_front *front, const struct large *x, const struct tr_inst *in)
{
	return in->guard != TR_NONE && in->cls != TR_C_BARRIER && !is_last(front, x) &&
	       !tr_is_operand(&front->program->insts[x->all.pc]);
}

/*
 * Those whose guard does not hold are past the instruction, and their records with them. One
 * sub-warp issues it all the same: if all are off, of these.
 */
static void pass_by(struct large *x, struct sim_front *front, struct sim_mask *can)
{
	struct sim_mask off = {{0}}, on;
	uint32_t lane;

	front->call->settle(front, x->all.thread[0], x->threads);
	FOR_LANES(*can, lane)
	{
		const struct sim_thread *t = &front->threads[x->all.thread[lane]];

		if (t->outcomes && !*t->outcome)
			off.w[lane / 64] |= 1ull << (lane % 64);
	}
	on = without(can, &off);
	if (!x->issued && !sim_any(&on)) {
		if (overlap(&x->left, &x->busy))
			*can = on; /* others may have one that holds */
		return;
	}
	FOR_LANES(off, lane)
	{
		struct sim_thread *t = &front->threads[x->all.thread[lane]];

		t->outcome += t->stride;
		t->outcomes--;
		front->counts[GUARDED_OFF]++;
	}
	x->left = without(&x->left, &off);
	*can = on;
}

/* A jump issues for all of them at once. */
static void pack_all(const struct lwm *l, struct large *x, struct sim_front *front, uint64_t at)
{
	struct sim_mask can = x->left;

	while (sim_any(&can)) {
		const uint16_t slot = x->free[--x->nfree];

		topmost(l, x, &can, front, slot);
		can = without(&can, &l->sub[slot].lanes);
		x->packed[x->npacked++] = slot;
		front->call->ready(front, slot, at);
	}
}

/* Is a sub-warp packed that nothing can be added to? */
static inline int is_packed(const struct large *x)
{
	return x->npacked && x->full && !x->guards;
}

/* The next sub-warp; one that has not issued yet takes in threads that have come since. */
static void pack(const struct lwm *l, struct large *x, struct sim_front *front, uint64_t at)
{
	struct sim_mask can;

	if (is_packed(x))
		return;
	if (x->whole &&
		(overlap(&x->left, &x->busy) || (x->jump && (x->npacked || x->nfree < x->nslots))))
		return;
	can = without(&x->left, &x->busy);
	if (x->guards)
		pass_by(x, front, &can);
	if (!sim_any(&can))
		return;
	if (x->jump) {
		pack_all(l, x, front, at);
		return;
	}
	if (!x->npacked && !x->nfree) {
		front->counts[NO_SLOT]++;
		return;
	}
	if (!x->npacked)
		x->packed[x->npacked++] = x->free[--x->nfree];
	else if (x->full)
		return;
	topmost(l, x, &can, front, x->packed[0]);
	front->call->ready(front, x->packed[0], at);
}

/* ---- from instruction to instruction ---- */

/* All threads have issued the instruction. May the next one be fetched? */
static int fetches(const struct lwm *l, const struct large *x, const struct tr_inst *in)
{
	if (!x->first_done)
		return 0;
	return !x->flying || (l->refetch == FIRST && in->nsucc == 1 && in->cls != TR_C_EXIT);
}

static void begin(const struct lwm *l, struct large *x, const struct sim_front *front)
{
	const struct tr_inst *in = next_of(front, x);

	x->jump = (uint8_t)is_jump(l, in);
	x->whole = x->jump || sim_is_barrier(in);
	x->guards = (uint8_t)packs_guards(front, x, in);
	x->left = x->all.lanes;
	x->number++;
	x->flying = 0;
	x->first_done = x->issued = 0;
	if (in->nsucc < 2)
		return;
	x->way = TR_NONE;
	x->went = (struct sim_mask){{0}};
	x->parts = 0;
}

/* Threads of it go to pc. */
static void send(
	struct large *x, struct sim_front *front, const struct sim_mask *lanes, uint32_t pc)
{
	uint32_t lane;

	FOR_LANES(*lanes, lane)
	front->threads[x->all.thread[lane]].pc = pc;
}

/* All are past a branch: the way that they go, or TR_EXIT: each its own. */
static uint32_t way_of_all(struct large *x, struct sim_front *front)
{
	if (!x->parts)
		return x->way;
	if (x->way != TR_NONE)
		send(x, front, &x->went, x->way);
	return TR_EXIT;
}

/* To the next instruction: 1, or 0: all threads have ended. */
static int fetch(const struct lwm *l, struct large *x, struct sim_front *front)
{
	const struct tr_inst *in = next_of(front, x);

	if (is_last(front, x)) {
		const uint32_t to = in->nsucc == 1 ? front->program->succ_pool[in->succ]
				    : in->nsucc    ? way_of_all(x, front)
						   : TR_EXIT;
		struct sim_front quiet = *front; /* the stack is no slot's */

		quiet.watched = 0;
		x->all.to = to == TR_EXIT ? TR_NONE : to;
		if (!sim_pdom_next(x->stack, &quiet, &x->all))
			return 0;
	} else {
		x->all.pc = (uint32_t)(in - front->program->insts) + 1;
	}
	begin(l, x, front);
	return 1;
}

static void go_on(const struct lwm *l, struct large *x, struct sim_front *front, uint64_t at)
{
	for (;;) {
		if (sim_any(&x->left)) {
			pack(l, x, front, at);
			if (sim_any(&x->left))
				return;
		}
		if (!fetches(l, x, next_of(front, x)))
			return;
		if (!fetch(l, x, front))
			break;
	}
	while (x->nfree)
		front->call->drop(front, x->free[--x->nfree]);
}

/* ---- what the SM asks ---- */

static void arrive(
	void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n, uint64_t now)
{
	struct lwm *l = p;

	for (uint32_t t = 0, i = cta * l->per_cta; t < n; t += l->size, i++) {
		struct large *x = &l->large[i];
		const uint32_t threads = n - t < l->size ? n - t : l->size;
		uint64_t age = 0;

		x->threads = threads;
		x->nslots = (threads + l->columns - 1) / l->columns;
		x->npacked = x->nfree = 0;
		x->busy = x->all.lanes = (struct sim_mask){{0}};
		for (uint32_t k = 0; k < threads; k++) {
			x->all.thread[k] = (uint16_t)(first + t + k);
			x->all.lanes.w[k / 64] |= 1ull << (k % 64);
		}
		x->all.pc = 0;
		x->all.depth = x->stack->depth = 1;
		x->stack->path[0] = (struct sim_path){.rpc = TR_EXIT};
		x->stack->lanes[0] = x->all.lanes;
		for (uint32_t k = 0; k < x->nslots; k++) {
			const uint32_t slot = front->call->take(front, cta);

			age = k ? age : front->warps[slot].age;
			front->warps[slot].age = age;
			front->warps[slot].nlanes = l->columns;
			l->sub[slot].of = x;
			x->free[x->nslots - 1 - k] = (uint16_t)slot;
			front->call->hold(front, slot);
		}
		x->nfree = x->nslots;
		x->turn = 0;
		begin(l, x, front);
		go_on(l, x, front, now);
	}
}

/* A sub-warp is past a branch. Mostly all go one way, and nobody has to know of each thread. */
static void note_way(struct large *x, struct sim_front *front, uint32_t slot, const struct sub *s)
{
	const struct sim_warp *w = &front->warps[slot];

	if (x->way == TR_NONE)
		x->way = w->to;
	if (w->to == TR_NONE || w->to == TR_EXIT || w->to != x->way)
		x->parts = 1;
	if (w->to != TR_NONE && w->to == x->way)
		add(&x->went, &s->lanes);
	else if (w->to != TR_NONE)
		send(x, front, &s->lanes, w->to);
}

static void next(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	const struct lwm *l = p;
	struct sub *s = &l->sub[slot];
	struct large *x = s->of;
	const uint32_t at = x->nfree;

	x->busy = without(&x->busy, &s->lanes);
	if (s->number == x->number) {
		x->flying--;
		x->first_done = 1;
		if (next_of(front, x)->nsucc > 1)
			note_way(x, front, slot, s);
	}
	x->free[x->nfree++] = (uint16_t)slot;
	if (!is_packed(x)) /* mostly it is, and nothing changes */
		go_on(l, x, front, now);
	if (x->nfree > at) /* mostly it has the next sub-warp */
		front->call->hold(front, slot);
}

static inline uint32_t scheduler_of(const struct lwm *l, uint32_t slot)
{
	return l->schedulers == 1 ? 0 : slot % l->schedulers;
}

static uint32_t asks(void *p, const struct sim_front *front, uint32_t inst)
{
	/* Where every ready warp issues nobody picks, and each one is asked before it does. */
	return (front->config->sm.unlimited_issue ? SIM_ASK_MAY : 0) | SIM_ASK_NEXT | SIM_ASK_TOLD |
	       (is_jump(p, &front->program->insts[inst]) ? SIM_ASK_FORM : 0);
}

/* One that is in the midst of an instruction goes before all others, where it can. */
static uint32_t first(void *p, const struct sim_front *front, uint32_t scheduler,
	const uint16_t **slots, uint64_t now)
{
	const struct lwm *l = p;
	const struct large *x = l->last[scheduler];

	(void)front;
	if (!x || x->turn != now || !x->npacked || scheduler_of(l, x->packed[0]) != scheduler)
		return 0;
	*slots = x->packed;
	return x->npacked;
}

static enum sim_may may(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	const struct lwm *l = p;
	const uint32_t scheduler = scheduler_of(l, slot);
	const uint16_t *slots;

	return l->sub[slot].of != l->last[scheduler] && first(p, front, scheduler, &slots, now)
		       ? SIM_NOT_NOW
		       : SIM_GO;
}

static void form(
	void *p, struct sim_front *front, uint32_t slot, struct sim_bundle *bundle, uint64_t now)
{
	const struct large *x = ((const struct lwm *)p)->sub[slot].of;

	(void)front;
	(void)now;
	bundle->cycles = 1;
	for (uint32_t i = 0; i < x->npacked; i++) {
		if (x->packed[i] == slot)
			continue;
		bundle->beat[bundle->n].warp = x->packed[i];
		bundle->beat[bundle->n++].joins = 1;
	}
}

static void told(void *p, struct sim_front *front, const struct sim_told *t)
{
	struct lwm *l = p;
	struct large *x = l->sub[t->warp].of;

	while (x->npacked) {
		struct sub *s = &l->sub[x->packed[--x->npacked]];

		s->number = x->number;
		x->left = without(&x->left, &s->lanes);
		add(&x->busy, &s->lanes);
		x->flying++;
	}
	x->issued = 1;
	front->counts[SUB_WARPS]++;
	l->last[scheduler_of(l, t->warp)] = x;
	x->turn = t->now + 1;
	go_on(l, x, front, t->now + 1);
}

/* Who had to let another one go first that could not is asked again in the next cycle. */
static uint64_t tick(void *p, struct sim_front *front, uint64_t now)
{
	const struct lwm *l = p;

	(void)front;
	for (uint32_t s = 0; s < l->schedulers; s++)
		if (l->last[s] && l->last[s]->turn == now && l->last[s]->npacked)
			return now + 1;
	return SIM_NEVER;
}

/* Whether a thread may have ended with it. */
static int may_end(const struct tr_inst *in)
{
	return in->cls == TR_C_EXIT || in->nsucc != 1;
}

/*
 * What threads do that are in no sub-warp: those that have still to issue are ready, those that are
 * through wait for the rest of the instruction, which is in the pipeline.
 */
static void classes(void *p, const struct sim_front *front, uint64_t threads[SIM_NTHREAD_CLASSES])
{
	const struct lwm *l = p;

	for (uint32_t i = 0; i < front->nthreads / front->stride * l->per_cta; i++) {
		const struct large *x = &l->large[i];
		struct sim_mask rest = without(&x->all.lanes, &x->busy), through,
				seen = x->all.lanes;
		uint32_t lane;

		if (!x->stack->depth)
			continue; /* all have ended */
		for (uint32_t k = 0; k < x->npacked; k++)
			rest = without(&rest, &l->sub[x->packed[k]].lanes);
		through = without(&rest, &x->left);
		threads[SIM_TH_READY] += sim_lanes(&rest) - sim_lanes(&through);
		if (may_end(next_of(front, x))) {
			FOR_LANES(through, lane)
			threads[SIM_TH_PIPELINE] +=
				front->threads[x->all.thread[lane]].pc != TR_EXIT;
		} else {
			threads[SIM_TH_PIPELINE] += sim_lanes(&through);
		}
		add(&seen, &x->busy); /* these may be on a path that has ended with its first
					 sub-warp */
		for (uint32_t e = x->stack->depth; e--;) {
			const struct sim_mask here = without(&x->stack->lanes[e], &seen);

			threads[x->stack->path[e].meets ? SIM_TH_MEET : SIM_TH_INACTIVE] +=
				sim_lanes(&here);
			add(&seen, &here);
		}
	}
}

const struct sim_warp_policy sim_warp_lwm = {
	.abi = SIM_WARP_ABI,
	.bytes = sizeof(struct sim_warp_policy),
	.name = "lwm",
	.help = "large warps that issue as sub-warps, one thread of each column",
	.params =
		{
			{"size", 256, 1, TR_LANES_MAX, "threads of a large warp, a power of two",
				NULL},
			{"refetch", FIRST, FIRST, LAST,
				"the sub-warp that lets the next instruction be fetched",
				refetch_words},
			{"jump", 1, 0, 1, "1: a jump issues once for all threads", NULL},
			SIM_LCP_PARAM,
		},
	.counters =
		{
			[SUB_WARPS] = {"sub_warps", "sub-warps issued", 0},
			[GUARDED_OFF] = {"guarded_off",
				"threads that passed an instruction without issuing it", 0},
			[NO_SLOT] = {"no_slot", "sub-warps that waited for a slot", 0},
		},
	.shape = shape,
	.start = start,
	.asks = asks,
	.arrive = arrive,
	.next = next,
	.may = may,
	.first = first,
	.form = form,
	.told = told,
	.tick = tick,
	.classes = classes,
};
