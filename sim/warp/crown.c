/*
 * crown: comprehensive reincarnation-based warping (Lashgar, slides of November 2012; [n] is slide
 * n). Warps are as wide as the SIMD [17]. One that does not diverge goes on as under a stack. One
 * that diverges is dissolved [51]: a reconvergence barrier is reserved for its threads at the
 * branch's immediate post-dominator, and each of its paths makes a warp, which is committed to the
 * ready lookup. There it takes in threads of other diverged warps that come to the same PC, each in
 * its home lane, until it issues. Threads that come to the PC of their barrier wait in it; when all
 * have come it becomes a warp again, with the threads that it was reserved for: the reincarnation.
 * So both paths run at once, regrouped, and small warps wait for few threads.
 *
 * Diverged warps whose loads miss the L1D come to the waiting lookup, where those that wait at the
 * same PC are put together likewise; a warp made of several waits for the loads of all. The second
 * level holds every warp that stands in no lookup. The issue pool takes ready warps in turn, and
 * only what is in it issues.
 *
 * What the slides leave open and how it was decided is in MODEL.md. Left out: fewer register banks
 * than lanes [50]; the cycles that a look into a table takes, but for the one of a commit.
 */
#include "sim/warp/crown_tables.h"
#include <assert.h>

enum { READY, WAITING, LEVEL2, BARRIERS, WAYS, POOL, PORTS, LEAVE, REFUSED_GO };
enum { IN_TURN, WHEN_DRY };   /* the values of leave */
enum { AS_DWF, TO_BRANCHES }; /* of refused */

static const char *const refused_words[] = {[AS_DWF] = "lookup", [TO_BRANCHES] = "branch", NULL};
static const char *const leave_words[] = {[IN_TURN] = "turn", [WHEN_DRY] = "dry", NULL};

enum {
	MERGES,
	MERGED_THREADS,
	EVICTIONS,
	WAIT_MERGES,
	WAIT_EVICTIONS,
	RESERVED,
	REFUSED,
	REINCARNATIONS,
	STOOD,
	OVERFLOWS
};

struct slot {           /* of a warp */
	uint8_t parted; /* its threads have diverged, and were not put together again since */
	uint8_t loose;  /* so have some for whom there was no barrier */
	uint8_t whole;  /* it waits to be committed as it is: it has not diverged */
	uint8_t alone;  /* 1: it is known to be of one CTA */
	uint8_t queued; /* it waits to be committed; 2: for want of rows at the second level */
	uint16_t loads; /* that have missed, and are under way */
};

struct pool { /* an issue pool: warps that can issue, the one that waits longest first */
	uint32_t first, n; /* they begin in `room` at `first` */
	uint32_t taken;    /* the last that was taken in */
	uint16_t *room;    /* twice of what the pool holds, so that it seldom moves */
};

#define SCHEDULERS 16 /* an SM has at most; each has a pool of its own */

struct crown {
	uint32_t lanes, shift; /* of a warp; their logarithm */
	uint32_t level2, pool, ports, leave, refused;
	uint32_t nslots, schedulers;
	struct sim_crown_lookup ready, waiting;
	struct sim_crown_barriers barriers;
	struct slot *slot;
	uint32_t warps; /* that there are */
	uint32_t spare; /* slot whose threads are being sent on, not yet used again */
	/* Warps in front of the ready lookup, a ring; port: when it is free, in turns of a cycle.
	 */
	uint32_t *queue, head, queued;
	uint64_t port;
	struct sim_bits inside; /* an issue pool */
	struct pool pools[SCHEDULERS];
};

/* Threads that go one way, by the lanes that they are in. */
struct group {
	uint32_t pc, from; /* from: the slot that they were in */
	uint8_t loose;     /* as that was */
	struct sim_mask lanes;
	uint16_t thread[TR_LANES_MAX];
};

/* ---- setting up ---- */

static uint32_t log_of(uint32_t n)
{
	uint32_t shift = 0;

	while (n >> shift > 1)
		shift++;
	return shift;
}

/* The rows of a table that can use so many. */
static uint32_t rows_of(int64_t param, uint32_t most)
{
	return param == SIM_PARAM_NONE ? 0 : param && param < most ? (uint32_t)param : most;
}

static uint32_t barrier_rows(const struct sim_config *c, const int64_t *params)
{
	return rows_of(params[BARRIERS], params[BARRIERS] ? SIM_CROWN_ROWS_MAX : c->sm.threads);
}

static int shape(
	const struct sim_config *c, const int64_t *params, struct sim_shape *s, struct tr_err *err)
{
	const uint32_t n = c->sm.threads;

	(void)err;
	s->slots = n;
	s->lanes = c->sm.simd_width;
	s->member = s->lanes;
	s->one_in_flight = 1;
	s->columns = 1;
	s->state_bytes = sizeof(struct crown) +
			 sim_crown_lookup_bytes(rows_of(params[READY], n), n) +
			 sim_crown_lookup_bytes(rows_of(params[WAITING], n), n) +
			 sim_crown_barriers_bytes(barrier_rows(c, params), s->lanes, n) +
			 n * (sizeof(struct slot) + sizeof(uint32_t)) +
			 2 * c->sm.schedulers * rows_of(params[POOL], n) * sizeof(uint16_t);
	return 1;
}

static void start(void *p, struct sim_front *front, const int64_t *params)
{
	const struct sim_config *c = front->config;
	const uint32_t n = front->nwarps, ready = rows_of(params[READY], n),
		       waiting = rows_of(params[WAITING], n), rows = barrier_rows(c, params);
	struct crown *f = p;
	char *at = (char *)(f + 1);

	*f = (struct crown){.lanes = c->sm.simd_width,
		.shift = log_of(c->sm.simd_width),
		.level2 = (uint32_t)params[LEVEL2],
		.pool = params[POOL] ? rows_of(params[POOL], n) : 0,
		.ports = (uint32_t)params[PORTS],
		.leave = (uint32_t)params[LEAVE],
		.refused = (uint32_t)params[REFUSED_GO],
		.nslots = n,
		.schedulers = c->sm.schedulers,
		.spare = SIM_NO_WARP};
	sim_bits_init(&f->inside, n);
	/* What holds 64 bits stands in front. */
	sim_crown_lookup_init(&f->ready, at, ready, n);
	at += sim_crown_lookup_bytes(ready, n);
	sim_crown_lookup_init(&f->waiting, at, waiting, n);
	at += sim_crown_lookup_bytes(waiting, n);
	sim_crown_barriers_init(
		&f->barriers, at, rows, (uint32_t)params[WAYS], f->lanes, c->sm.threads);
	at += sim_crown_barriers_bytes(rows, f->lanes, c->sm.threads);
	f->queue = (uint32_t *)(void *)at;
	f->slot = (struct slot *)(void *)(f->queue + n);
	memset(f->slot, 0, n * sizeof(*f->slot));
	for (uint32_t i = 0; i < f->schedulers; i++) {
		f->pools[i].room =
			(uint16_t *)(void *)(f->slot + n) + 2 * i * rows_of(params[POOL], n);
		f->pools[i].taken = n - 1;
	}
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

static int is_full(const struct crown *f, const struct sim_warp *w)
{
	return sim_lanes(&w->lanes) == f->lanes;
}

/* ---- warps ---- */

/* Threads of the group are put into a warp. */
static void put(struct crown *f, struct sim_front *front, uint32_t slot, const struct group *g,
	const struct sim_mask *lanes)
{
	struct sim_warp *w = &front->warps[slot];
	uint32_t lane;

	f->slot[slot].alone = 0;
	f->slot[slot].loose |= g->loose;
	for (int k = 0; k < SIM_MASK_WORDS; k++)
		w->lanes.w[k] |= lanes->w[k];
	FOR_LANES(*lanes, lane)
	w->thread[lane] = g->thread[lane];
}

/* A new warp of threads of the group, which may issue from cycle `at` on. */
static uint32_t make_warp(struct crown *f, struct sim_front *front, const struct group *g,
	const struct sim_mask *lanes, int parted, uint64_t at)
{
	struct sim_mask left = *lanes;
	const uint32_t cta = g->thread[sim_pop(&left)] / front->stride;
	const uint32_t slot = f->spare != SIM_NO_WARP ? f->spare : front->call->take(front, cta);
	struct sim_warp *w = &front->warps[slot];

	f->warps += f->spare == SIM_NO_WARP;
	f->spare = SIM_NO_WARP;
	f->slot[slot] = (struct slot){.parted = (uint8_t)parted};
	w->pc = g->pc;
	w->cta = cta;
	w->nlanes = f->lanes;
	w->lanes = (struct sim_mask){{0}};
	put(f, front, slot, g, lanes);
	front->call->ready(front, slot, at);
	return slot;
}

static void drop(struct crown *f, struct sim_front *front, uint32_t slot)
{
	sim_crown_lookup_drop(&f->waiting, slot);
	f->warps--;
	front->call->drop(front, slot);
}

/* Warps at the second level: that stand in no lookup. */
static uint32_t at_level2(const struct crown *f)
{
	return f->warps - f->ready.used - f->waiting.used;
}

static void count(struct sim_front *front, uint32_t counter, uint64_t n)
{
	front->counts[counter] += n;
}

/* ---- reconvergence barriers ---- */

static void reincarnate(struct crown *f, struct sim_front *front, uint32_t row, uint64_t at);

/*
 * The threads of the group that are where they wait for others leave it. Returns how many rows are
 * complete by that, and which.
 */
static uint32_t come(struct crown *f, struct group *g, uint32_t rows[TR_LANES_MAX])
{
	struct sim_mask left = g->lanes;
	uint32_t n = 0;

	for (uint32_t lane = sim_pop(&left); lane != TR_NONE; lane = sim_pop(&left))
		if (sim_crown_barrier_pc(&f->barriers, g->thread[lane]) == g->pc) {
			remove_lane(&g->lanes, lane);
			n += (uint32_t)sim_crown_barrier_come(
				&f->barriers, g->thread[lane], lane, &rows[n]);
		}
	return n;
}

/* All threads of a barrier have come: it is a warp again, or waits at the same PC once more. */
static void reincarnate(struct crown *f, struct sim_front *front, uint32_t row, uint64_t at)
{
	uint32_t rows[TR_LANES_MAX], n, lane;
	struct group g;
	int parted = 0;

	g.loose = f->barriers.row[row].loose;
	g.lanes = sim_crown_barrier_open(&f->barriers, row, &g.pc, g.thread);
	count(front, REINCARNATIONS, 1);
	n = come(f, &g, rows);
	FOR_LANES(g.lanes, lane)
	parted |= sim_crown_barrier_pc(&f->barriers, g.thread[lane]) != TR_NONE;
	if (sim_any(&g.lanes))
		sim_show(front, SIM_SHOWN_REGROUP, make_warp(f, front, &g, &g.lanes, parted, at),
			SIM_NO_WARP);
	for (uint32_t i = 0; i < n; i++)
		reincarnate(f, front, rows[i], at);
}

/*
 * A warp diverges: a barrier is reserved at its branch's post-dominator, for those of its threads
 * that do not wait there already, as those of a loop do.
 */
static void reserve(struct crown *f, struct sim_front *front, uint32_t slot)
{
	const struct sim_warp *w = &front->warps[slot];
	const uint32_t pc = front->program->insts[w->pc].ipdom;
	struct sim_mask lanes = w->lanes;
	uint32_t lane, first = UINT32_MAX;

	if (pc == TR_EXIT)
		return; /* the paths do not meet */
	FOR_LANES(w->lanes, lane)
	if (sim_crown_barrier_pc(&f->barriers, w->thread[lane]) == pc)
		remove_lane(&lanes, lane);
	else if (w->thread[lane] < first)
		first = w->thread[lane];
	if (sim_lanes(&lanes) < 2)
		return; /* nobody would wait for anybody */
	if (sim_crown_barrier_reserve(&f->barriers, first >> f->shift, pc, &lanes, w->thread)) {
		f->barriers.row[f->barriers.inner[first] - 1u].loose = f->slot[slot].loose;
		count(front, RESERVED, 1);
		return;
	}
	f->slot[slot].loose = f->refused == AS_DWF;
	count(front, REFUSED, 1);
}

/* ---- lookups ---- */

/*
 * Two warps of a PC, the one in a lookup and a newer one: the fuller of them leaves, and of equals
 * the older one [18, 52].
 */
static void keep_one(struct crown *f, struct sim_front *front, struct sim_crown_lookup *l,
	uint32_t old, uint32_t new)
{
	const struct sim_warp *w = front->warps;

	if (!is_full(f, &w[old]) && sim_lanes(&w[new].lanes) > sim_lanes(&w[old].lanes))
		return;
	sim_crown_lookup_drop(l, old);
	if (!is_full(f, &w[new]))
		sim_crown_lookup_put(l, w[new].pc, new);
}

/* The warp of a PC in the ready lookup, or SIM_NO_WARP; one that has issued is none. */
static uint32_t joinable(struct crown *f, struct sim_front *front, uint32_t pc)
{
	const uint32_t slot = sim_crown_lookup_find(&f->ready, pc);

	if (slot == SIM_NO_WARP ||
		(front->warps[slot].pc == pc && front->warps[slot].state == SIM_W_RUN))
		return slot;
	sim_crown_lookup_drop(&f->ready, slot);
	return SIM_NO_WARP;
}

/* What is left of a path of a diverged warp comes to the ready lookup. */
static void commit(struct crown *f, struct sim_front *front, const struct group *g, uint64_t at)
{
	const uint32_t old = joinable(f, front, g->pc);
	struct sim_mask over = g->lanes, fits = {{0}};
	uint32_t new = SIM_NO_WARP;

	for (int k = 0; k < SIM_MASK_WORDS && old != SIM_NO_WARP; k++) {
		over.w[k] = g->lanes.w[k] & front->warps[old].lanes.w[k];
		fits.w[k] = g->lanes.w[k] & ~over.w[k];
	}
	if (sim_any(&fits)) {
		put(f, front, old, g, &fits);
		sim_show(front, SIM_SHOWN_MERGE, old, g->from);
		front->call->ready(front, old, at);
		count(front, MERGES, 1);
		count(front, MERGED_THREADS, sim_lanes(&fits));
	}
	if (sim_any(&over))
		new = make_warp(f, front, g, &over, 1, at);
	if (old != SIM_NO_WARP && new != SIM_NO_WARP)
		keep_one(f, front, &f->ready, old, new);
	else if (old != SIM_NO_WARP && is_full(f, &front->warps[old]))
		sim_crown_lookup_drop(&f->ready, old);
	else if (old == SIM_NO_WARP && !is_full(f, &front->warps[new]))
		count(front, EVICTIONS, sim_crown_lookup_put(&f->ready, g->pc, new) != SIM_NO_WARP);
}

/* The lanes of a newer warp that are free in an older one. */
static struct sim_mask free_lanes(const struct sim_front *front, uint32_t old, uint32_t new)
{
	struct sim_mask fits;

	for (int k = 0; k < SIM_MASK_WORDS; k++)
		fits.w[k] = front->warps[new].lanes.w[k] & ~front->warps[old].lanes.w[k];
	return fits;
}

/* Threads of a newer warp move to an older one of the same PC, which may be all that it has. */
static void move_over(struct crown *f, struct sim_front *front, uint32_t old, uint32_t new,
	const struct sim_mask *fits, uint64_t at)
{
	struct sim_warp *w = &front->warps[new];
	struct group g = {.pc = w->pc, .from = new, .loose = f->slot[new].loose};

	memcpy(g.thread, w->thread, f->lanes * sizeof(*g.thread));
	for (int k = 0; k < SIM_MASK_WORDS; k++)
		w->lanes.w[k] &= ~fits->w[k];
	if (sim_any(&w->lanes))
		front->call->ready(front, new, at);
	else
		drop(f, front, new);
	put(f, front, old, &g, fits);
	sim_show(front, SIM_SHOWN_MERGE, old, new);
	front->call->ready(front, old, at);
	count(front, MERGED_THREADS, sim_lanes(fits));
}

/* A warp that no barrier waits for comes to the ready lookup as it is: one of its PC takes it in.
 */
static void regroup(struct crown *f, struct sim_front *front, uint32_t new, uint64_t at)
{
	const uint32_t pc = front->warps[new].pc, old = joinable(f, front, pc);
	struct sim_mask fits;

	if (old == SIM_NO_WARP) {
		front->call->ready(front, new, at);
		count(front, EVICTIONS, sim_crown_lookup_put(&f->ready, pc, new) != SIM_NO_WARP);
		return;
	}
	fits = free_lanes(front, old, new);
	if (sim_any(&fits)) {
		move_over(f, front, old, new, &fits, at);
		count(front, MERGES, 1);
	} else {
		front->call->ready(front, new, at);
	}
	if (front->warps[new].state != SIM_W_FREE)
		keep_one(f, front, &f->ready, old, new);
	else if (is_full(f, &front->warps[old]))
		sim_crown_lookup_drop(&f->ready, old);
}

/*
 * A diverged warp waits for its load: it comes to the waiting lookup, and may go on when its own
 * loads are there and those of all whose threads it has taken in.
 */
static void wait(struct crown *f, struct sim_front *front, uint32_t new, uint64_t now)
{
	struct sim_warp *w = &front->warps[new];
	const uint32_t old = sim_crown_lookup_find(&f->waiting, w->pc);
	struct sim_mask fits;

	if (old == SIM_NO_WARP) {
		if (!is_full(f, w))
			count(front, WAIT_EVICTIONS,
				sim_crown_lookup_put(&f->waiting, w->pc, new) != SIM_NO_WARP);
		return;
	}
	fits = free_lanes(front, old, new);
	if (sim_any(&fits)) {
		front->call->inherit(front, old, new);
		f->slot[old].loads += f->slot[new].loads;
		move_over(f, front, old, new, &fits, now);
		count(front, WAIT_MERGES, 1);
	}
	if (w->state != SIM_W_FREE)
		keep_one(f, front, &f->waiting, old, new);
	else if (is_full(f, &front->warps[old]))
		sim_crown_lookup_drop(&f->waiting, old);
}

/* ---- a warp that diverges ---- */

/* Takes off `left` the threads that go to pc. */
static void part(struct sim_front *front, struct sim_mask *left, struct group *g)
{
	struct sim_mask look = *left;

	g->lanes = (struct sim_mask){{0}};
	for (uint32_t lane = sim_pop(&look); lane != TR_NONE; lane = sim_pop(&look))
		if (front->threads[g->thread[lane]].pc == g->pc) {
			add_lane(&g->lanes, lane);
			remove_lane(left, lane);
		}
}

/* A path of it. */
static void send_path(struct crown *f, struct sim_front *front, struct group *g, uint64_t at)
{
	uint32_t rows[TR_LANES_MAX];
	const uint32_t n = come(f, g, rows);

	for (uint32_t i = 0; i < n; i++)
		reincarnate(f, front, rows[i], at);
	if (sim_any(&g->lanes))
		commit(f, front, g, at);
}

/* Its paths are sent on, the one that is taken first. Returns how many paths there are. */
static uint32_t send_on(struct crown *f, struct sim_front *front, uint32_t slot, uint64_t at)
{
	const struct sim_warp *w = &front->warps[slot];
	const struct tr_inst *in = &front->program->insts[w->pc];
	struct sim_mask left = w->lanes;
	struct group g;
	uint32_t ways = 0;

	memcpy(g.thread, w->thread, f->lanes * sizeof(*g.thread));
	g.from = f->spare = slot;
	g.loose = f->slot[slot].loose;
	sim_show(front, SIM_SHOWN_SPLIT, slot, SIM_NO_WARP);
	for (uint32_t i = in->nsucc; i-- && sim_any(&left);) {
		g.pc = front->program->succ_pool[in->succ + i];
		part(front, &left, &g);
		if (!sim_any(&g.lanes))
			continue;
		send_path(f, front, &g, at);
		ways++;
	}
	if (f->spare != SIM_NO_WARP)
		drop(f, front, slot);
	f->spare = SIM_NO_WARP;
	return ways;
}

/* Is there room at the second level for what a diverging warp may push there? */
static int has_room(const struct crown *f, const struct sim_front *front, uint32_t slot)
{
	const struct sim_warp *w = &front->warps[slot];
	const uint32_t ways = front->program->insts[w->pc].nsucc, active = sim_lanes(&w->lanes);

	return !f->level2 || at_level2(f) - 1 + (ways < active ? ways : active) <= f->level2;
}

/* Can any warp go on, but for those that wait to be committed and those at a CTA's barrier? */
static int others_go_on(const struct crown *f, const struct sim_front *front)
{
	for (uint32_t w = 0; w < f->nslots; w++)
		if (front->warps[w].state != SIM_W_FREE && !sim_at_barrier(&front->warps[w]) &&
			!f->slot[w].queued)
			return 1;
	return 0;
}

/*
 * May the warp at the head be committed? It stands until the second level has rows for it. Where
 * nothing else goes on these would not come free, so it takes them all the same.
 */
static int goes(struct crown *f, struct sim_front *front, uint32_t slot)
{
	if (f->slot[slot].whole || has_room(f, front, slot))
		return 1;
	count(front, STOOD, f->slot[slot].queued < 2);
	f->slot[slot].queued = 2;
	if (others_go_on(f, front))
		return 0;
	count(front, OVERFLOWS, 1);
	return 1;
}

/* The lookup takes `ports` warps a cycle, each for two paths. */
static void take_turns(struct crown *f, uint64_t now, uint32_t ways)
{
	if (f->port < now * f->ports)
		f->port = now * f->ports;
	f->port += (ways + 1) / 2;
}

static int has_turn(const struct crown *f, uint64_t now)
{
	return !f->ports || f->port < (now + 1) * f->ports;
}

/* What is committed in a cycle can issue in the next one. */
static void commit_queued(struct crown *f, struct sim_front *front, uint64_t now)
{
	while (f->queued && has_turn(f, now)) {
		const uint32_t slot = f->queue[f->head];

		if (!goes(f, front, slot))
			return;
		f->head = (f->head + 1) % f->nslots;
		f->queued--;
		f->slot[slot].queued = 0;
		if (!f->slot[slot].whole) {
			take_turns(f, now, send_on(f, front, slot, now + 1));
			continue;
		}
		f->slot[slot].whole = 0;
		take_turns(f, now, 1);
		regroup(f, front, slot, now + 1);
	}
}

static void enqueue(struct crown *f, struct sim_front *front, uint32_t slot, uint64_t now)
{
	f->queue[(f->head + f->queued++) % f->nslots] = slot;
	f->slot[slot].queued = 1;
	commit_queued(f, front, now);
}

static void diverge(struct crown *f, struct sim_front *front, uint32_t slot, uint64_t now)
{
	reserve(f, front, slot);
	enqueue(f, front, slot, now);
}

static uint64_t tick(void *p, struct sim_front *front, uint64_t now)
{
	struct crown *f = p;

	if (!f->queued)
		return SIM_NEVER;
	commit_queued(f, front, now);
	/* One that stands is tried again when something happens. */
	return f->queued && !has_turn(f, now) ? now + 1 : SIM_NEVER;
}

/* ---- what threads do ---- */

static void arrive(
	void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n, uint64_t now)
{
	struct crown *f = p;

	(void)cta;
	for (uint32_t t = first; t < first + n;) {
		struct group g = {.pc = 0};

		do {
			const uint32_t lane = t & (f->lanes - 1);

			g.thread[lane] = (uint16_t)t;
			add_lane(&g.lanes, lane);
		} while (++t < first + n && t & (f->lanes - 1));
		make_warp(f, front, &g, &g.lanes, 0, now);
	}
}

/* Threads that have ended leave the warp. No barrier waits for one: it would have come there first.
 */
static void drop_exited(struct crown *f, struct sim_front *front, uint32_t slot)
{
	struct sim_warp *w = &front->warps[slot];
	struct sim_mask left = w->lanes;

	for (uint32_t lane = sim_pop(&left); lane != TR_NONE; lane = sim_pop(&left)) {
		if (front->threads[w->thread[lane]].pc != TR_EXIT)
			continue;
		assert(sim_crown_barrier_pc(&f->barriers, w->thread[lane]) == TR_NONE);
		remove_lane(&w->lanes, lane);
	}
}

/* The PC that all threads of a warp go to, or TR_NONE. */
static uint32_t common_way(const struct sim_front *front, const struct sim_warp *w)
{
	struct sim_mask left = w->lanes;
	const uint32_t pc = front->threads[w->thread[sim_pop(&left)]].pc;

	for (uint32_t lane = sim_pop(&left); lane != TR_NONE; lane = sim_pop(&left))
		if (front->threads[w->thread[lane]].pc != pc)
			return TR_NONE;
	return pc;
}

/* A warp that has its threads goes on; one that lacks some for want of a barrier is looked up. */
static void go_on_with(struct crown *f, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct slot *x = &f->slot[slot];

	x->loose = x->loose && !is_full(f, &front->warps[slot]);
	x->whole = x->loose && f->ready.rows;
	x->parted |= x->loose; /* who joins it may wait somewhere */
	if (x->whole)
		enqueue(f, front, slot, now);
	else
		front->call->ready(front, slot, now);
}

/* A warp goes on together, but for threads that wait where it comes to. */
static void go_on(struct crown *f, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct sim_warp *w = &front->warps[slot];
	uint32_t rows[TR_LANES_MAX], n = 0;

	if (f->slot[slot].parted) {
		struct group g = {.pc = w->pc, .lanes = w->lanes};

		memcpy(g.thread, w->thread, f->lanes * sizeof(*g.thread));
		n = come(f, &g, rows);
		w->lanes = g.lanes;
	}
	if (sim_any(&w->lanes))
		go_on_with(f, front, slot, now);
	else
		drop(f, front, slot);
	for (uint32_t i = 0; i < n; i++)
		reincarnate(f, front, rows[i], now);
}

static void next(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct crown *f = p;
	struct sim_warp *w = &front->warps[slot];
	uint32_t pc = w->to == TR_EXIT ? TR_NONE : w->to;

	sim_crown_lookup_drop(&f->ready, slot);
	sim_crown_lookup_drop(&f->waiting, slot);
	if (pc == TR_NONE) {
		drop_exited(f, front, slot);
		if (!sim_any(&w->lanes)) {
			drop(f, front, slot);
			return;
		}
		pc = common_way(front, w);
	}
	if (pc == TR_NONE) {
		diverge(f, front, slot, now);
		return;
	}
	w->pc = pc;
	go_on(f, front, slot, now);
}

/* ---- what a warp hears ---- */

static void told(void *p, struct sim_front *front, const struct sim_told *t)
{
	struct crown *f = p;
	struct slot *x = &f->slot[t->warp];

	if (t->what == SIM_TOLD_DATA) {
		if (x->loads && !--x->loads)
			sim_crown_lookup_drop(&f->waiting, t->warp);
		return;
	}
	/* A load that is its block's last is under way to `next`, which must know its threads. */
	if (!x->parted || x->loads || !f->waiting.rows || front->warps[t->warp].state != SIM_W_RUN)
		return;
	x->loads = 1;
	wait(f, front, t->warp, t->now);
}

/* ---- barriers of CTAs and clusters ---- */

/*
 * A CTA's barrier takes warps of that CTA alone, and a cluster's those of threads that have arrived
 * in the same round: others part from it, which takes a cycle.
 */
static int parts(struct crown *f, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct sim_warp *w = &front->warps[slot];
	struct group g = {.pc = w->pc, .loose = f->slot[slot].loose};
	const struct tr_inst *in = &front->program->insts[w->pc];
	struct sim_mask left = w->lanes;
	uint32_t first;

	if (f->slot[slot].alone && in->disp != TR_BARRIER_CLUSTER)
		return 0;
	f->slot[slot].alone = 1;
	first = w->thread[sim_pop(&left)];
	for (uint32_t lane = sim_pop(&left); lane != TR_NONE; lane = sim_pop(&left))
		if (!sim_wait_together(front, in, first, w->thread[lane])) {
			add_lane(&g.lanes, lane);
			g.thread[lane] = w->thread[lane];
		}
	if (!sim_any(&g.lanes))
		return 0;
	for (int k = 0; k < SIM_MASK_WORDS; k++)
		w->lanes.w[k] &= ~g.lanes.w[k];
	sim_crown_lookup_drop(&f->ready, slot);
	front->call->ready(front, slot, now + 1);
	sim_show(front, SIM_SHOWN_SPLIT, slot,
		make_warp(f, front, &g, &g.lanes, f->slot[slot].parted, now + 1));
	return 1;
}

/* Where every ready warp issues, nobody picks, and each one is asked before it does. */
static uint32_t asks(void *p, const struct sim_front *front, uint32_t inst)
{
	(void)p;
	return front->program->insts[inst].cls == TR_C_BARRIER && front->config->sm.unlimited_issue
		       ? SIM_ASK_MAY
		       : 0;
}

static enum sim_may may(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	return parts(p, front, slot, now) ? SIM_NOT_NOW : SIM_GO;
}

/* ---- the issue pool ---- */

/*
 * The first warp from `from` on, in a round, of those that can issue and are not in the pool;
 * dry = 0: nor in the ready lookup.
 */
static inline uint32_t next_round(
	const struct crown *f, const struct sim_bits *can, uint32_t from, int dry)
{
	const uint32_t words = can->words;
	uint32_t k = from / 64;
	uint64_t not_before = UINT64_MAX << (from % 64);

	if (k >= words) {
		k = 0;
		not_before = UINT64_MAX;
	}
	for (uint32_t n = 0; n <= words; n++, k = k + 1 == words ? 0 : k + 1) {
		for (uint64_t m = can->w[k] & ~f->inside.w[k] & not_before; m; m &= m - 1) {
			const uint32_t w = k * 64 + (uint32_t)__builtin_ctzll(m);

			if (dry || !sim_crown_lookup_has(&f->ready, w))
				return w;
		}
		not_before = UINT64_MAX;
	}
	return SIM_NO_WARP;
}

static inline void take_in(struct crown *f, struct pool *pool, uint32_t w)
{
	if (pool->first + pool->n == 2 * f->pool) {
		memmove(pool->room, pool->room + pool->first, pool->n * sizeof(*pool->room));
		pool->first = 0;
	}
	pool->room[pool->first + pool->n++] = (uint16_t)w;
	pool->taken = w;
	sim_bits_set(&f->inside, w);
}

/* The pool takes warps in: in turn, or those in the ready lookup when there are no others. */
static inline void fill(struct crown *f, const struct sim_bits *can, struct pool *pool)
{
	while (pool->n < f->pool) {
		uint32_t w = next_round(f, can, pool->taken + 1, f->leave == IN_TURN);

		if (w == SIM_NO_WARP && !pool->n)
			w = next_round(f, can, pool->taken + 1, 1);
		if (w == SIM_NO_WARP)
			return;
		take_in(f, pool, w);
	}
}

/* The one that has been in the pool for longest of those that can issue leaves it. */
static inline uint32_t take_out(struct crown *f, const struct sim_bits *can, struct pool *pool)
{
	uint16_t *warp = pool->room + pool->first;

	for (uint32_t i = 0; i < pool->n; i++) {
		const uint32_t w = warp[i];

		if (!sim_bits_has(can, w))
			continue;
		sim_bits_clear(&f->inside, w);
		for (; i; i--) /* those before it cannot issue, which is seldom */
			warp[i] = warp[i - 1];
		pool->first++;
		pool->n--;
		return w;
	}
	return SIM_NO_WARP;
}

static inline uint32_t choose(struct crown *f, const struct sim_bits *can, struct pool *pool)
{
	if (!f->pool)
		return pool->taken = next_round(f, can, pool->taken + 1, 1);
	for (;;) {
		uint32_t w;

		fill(f, can, pool);
		w = take_out(f, can, pool);
		if (w != SIM_NO_WARP || !pool->n)
			return w;
		/* All in it wait for room in the memory unit, or are kept back: others take their
		 * places. */
		while (pool->n)
			sim_bits_clear(&f->inside, pool->room[pool->first + --pool->n]);
	}
}

static void pick(void *p, struct sim_front *front, const struct sim_bits *can,
	struct sim_bundle *bundle, uint64_t now)
{
	struct crown *f = p;
	struct pool *pool =
		&f->pools[f->schedulers == 1 ? 0 : sim_bits_next(can, 0) % f->schedulers];
	const struct sim_bits *from = can;
	struct sim_bits left; /* large: seldom used */
	uint32_t w;

	while ((w = choose(f, from, pool)) != SIM_NO_WARP &&
		front->program->insts[front->warps[w].pc].cls == TR_C_BARRIER &&
		parts(f, front, w, now)) {
		left = *from;
		sim_bits_clear(&left, w);
		from = &left;
	}
	if (w == SIM_NO_WARP)
		return;
	sim_crown_lookup_drop(&f->ready, w);
	bundle->n = 1;
	bundle->beat[0].warp = (uint16_t)w;
	bundle->beat[0].joins = 0;
}

/* ---- what threads do ---- */

static void classes(void *p, const struct sim_front *front, uint64_t threads[SIM_NTHREAD_CLASSES])
{
	const struct crown *f = p;

	(void)front;
	threads[SIM_TH_MEET] += f->barriers.waiting;
}

const struct sim_warp_policy sim_warp_crown = {
	.abi = SIM_WARP_ABI,
	.bytes = sizeof(struct sim_warp_policy),
	.name = "crown",
	.help = "regroups diverged warps, and puts them together again where their paths meet",
	.params =
		{
			{"ready", 8, SIM_PARAM_NONE, 4096,
				"rows of the ready lookup; 0: as many as it takes", NULL},
			{"waiting", 8, SIM_PARAM_NONE, 4096,
				"rows of the waiting lookup; 0: likewise", NULL},
			{"level2", 256, 0, 16384, "rows of the second level; 0: likewise", NULL},
			{"barriers", 128, SIM_PARAM_NONE, SIM_CROWN_ROWS_MAX,
				"reconvergence barriers; 0: one a thread", NULL},
			{"ways", 8, 1, SIM_CROWN_ROWS_MAX, "of a set of them", NULL},
			{"pool", 8, 0, 4096, "warps of the issue pool; 0: all that are ready",
				NULL},
			{"ports", 1, 0, 64, "diverged warps committed in a cycle; 0: all at once",
				NULL},
			{"leave", IN_TURN, IN_TURN, WHEN_DRY,
				"dry: a warp leaves the ready lookup when no other is ready",
				leave_words},
			{"refused", AS_DWF, AS_DWF, TO_BRANCHES,
				"branch: warps without a barrier are looked up only where they "
				"diverge",
				refused_words},
		},
	.counters =
		{
			[MERGES] = {"warp_merges",
				"paths, and warps without a barrier, whose threads joined a ready "
				"warp",
				0},
			[MERGED_THREADS] = {"merged_threads", "threads that joined another warp",
				0},
			[EVICTIONS] = {"lookup_evictions", "warps put out of the ready lookup", 0},
			[WAIT_MERGES] = {"waiting_merges", "warps that joined one that waits", 0},
			[WAIT_EVICTIONS] = {"waiting_evictions",
				"warps put out of the waiting lookup", 0},
			[RESERVED] = {"reconv_barriers", "reconvergence barriers reserved", 0},
			[REFUSED] = {"reconv_refused", "reconvergence barriers without a row", 0},
			[REINCARNATIONS] = {"reincarnations", "barriers that became warps again",
				0},
			[STOOD] = {"level2_stood",
				"diverged warps that waited for rows of the second level", 0},
			[OVERFLOWS] = {"level2_overflows",
				"of them, those that found none, and nothing else to go on", 0},
		},
	.hears = SIM_TOLD_MISSED | SIM_TOLD_DATA,
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
