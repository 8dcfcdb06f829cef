/*
 * dualpath: dual-path execution (Rhu and Erez, HPCA 2013). An entry of a warp's reconvergence stack
 * holds both sides of a branch, and the two sides of the entry on top issue in turn: no lanes are
 * filled, but one side's latencies are hidden by the other. A side that begins at the reconvergence
 * point, or has come there, has no lanes in its entry any more; an entry without lanes is popped,
 * and the path that parted goes on below. A side that parts again pushes an entry, and the other
 * side of its own entry stops until that one is popped. As in pdom.h a branch that meets where its
 * entry meets pushes none for a single path, so that loops do not deepen the stack. What the paper
 * leaves open: of a branch with more than two ways the last two in the order of the program run
 * first, then the two before them.
 *
 * A warp has two slots, the second one only while it needs it, of the same scheduler and of one
 * age; the taken side runs in the first. Each slot has a scoreboard. A side that goes on in another
 * slot waits for what was pending in the one that it comes from (the paper's shadow bits), and so
 * do lanes that meet, for both. What a stopped side had pending stays in its slot's scoreboard, and
 * the side that runs there meanwhile waits for it as well.
 *
 * A side that is at a barrier, or whose block's last instruction is in the pipeline, keeps its slot
 * until that is over. Where its block has ended is looked at when its entry is on top again.
 */
#include "sim/warp/pdom.h"
#include <assert.h>

enum { SIZE, PATHS };
enum { BOTH_PATHS, INTERLEAVED, ALONE, STOPPED }; /* counters */

struct side {
	uint32_t pc;
	uint32_t to;           /* of a block that has ended: sim_warp.to */
	uint8_t slot;          /* of the pair's: whose scoreboard has what it waits for */
	uint8_t meets;         /* the entries above are of its lanes, which meet at its pc */
	uint8_t ended;         /* a block, and nobody has looked where its lanes go */
	struct sim_mask lanes; /* none: it is done */
};

struct entry {
	uint32_t rpc;
	struct side side[2]; /* the taken one, or a single one; the other */
};

/* A warp. */
struct pair {
	uint32_t slot[2];     /* or SIM_NO_WARP */
	struct side *runs[2]; /* what runs in them, or NULL */
	uint32_t depth;       /* 0: nobody's */
	struct entry *entry;
};

struct dual {
	uint32_t lanes, paths;
	struct pair *pairs; /* by slot of their first thread over the lanes of a warp */
};

/*
 * Each entry below another has lanes that those above have not: of a stopped side, or that wait
 * where the rest will meet. Those may have ended since, but are then not there to part again.
 */
static uint32_t depth_of(uint32_t lanes)
{
	return 2 * lanes + 2;
}

static int shape(
	const struct sim_config *c, const int64_t *params, struct sim_shape *s, struct tr_err *err)
{
	uint32_t pairs;

	(void)err;
	s->lanes = params[SIZE] ? (uint32_t)params[SIZE] : c->sm.warp_size;
	pairs = c->sm.threads / s->lanes;
	s->slots = pairs * (uint32_t)params[PATHS];
	s->member = s->lanes;
	s->state_bytes = sizeof(struct dual) +
			 pairs * (sizeof(struct pair) + depth_of(s->lanes) * sizeof(struct entry));
	return 1;
}

static void start(void *p, struct sim_front *front, const int64_t *params)
{
	struct dual *d = p;
	uint32_t pairs;
	struct entry *entries;

	d->lanes = front->config->sm.warp_size;
	d->paths = (uint32_t)params[PATHS];
	pairs = front->nwarps / d->paths;
	d->pairs = (struct pair *)(void *)(d + 1);
	entries = (struct entry *)(void *)(d->pairs + pairs);
	for (uint32_t i = 0; i < pairs; i++)
		d->pairs[i] = (struct pair){.entry = entries + (size_t)i * depth_of(d->lanes)};
}

/* The threads of a warp have consecutive slots. */
static struct pair *pair_of(const struct dual *d, const struct sim_front *front, uint32_t slot)
{
	return &d->pairs[front->warps[slot].thread[0] / d->lanes];
}

/* ---- the second slot ---- */

static void take_second(const struct dual *d, struct sim_front *front, struct pair *p)
{
	const struct sim_warp *first = &front->warps[p->slot[0]];
	const uint32_t slot = sim_take_beside(front, p->slot[0], front->config->sm.schedulers);
	struct sim_warp *w = &front->warps[slot];

	p->slot[1] = slot;
	w->age = first->age;
	w->nlanes = first->nlanes;
	memcpy(w->thread, first->thread, d->lanes * sizeof(*w->thread));
}

/* Where a warp has not diverged, its second slot is free. */
static void give_second(struct sim_front *front, struct pair *p)
{
	const struct side *side = p->entry[0].side;

	if (p->slot[1] == SIM_NO_WARP || p->depth > 1 ||
		(sim_any(&side[0].lanes) && side[0].slot) ||
		(sim_any(&side[1].lanes) && side[1].slot))
		return;
	front->call->drop(front, p->slot[1]);
	p->slot[1] = SIM_NO_WARP;
}

/* ---- the stack ---- */

static int is_over(const struct entry *e)
{
	return !sim_any(&e->side[0].lanes) && !sim_any(&e->side[1].lanes);
}

static void remove_lanes(struct pair *p, const struct sim_mask *gone)
{
	for (uint32_t i = 0; i < p->depth; i++)
		for (int s = 0; s < 2; s++)
			for (int k = 0; k < SIM_MASK_WORDS; k++)
				p->entry[i].side[s].lanes.w[k] &= ~gone->w[k];
}

/* The paths run two by two, the last ones first. */
static void push(struct pair *p, uint32_t rpc, uint8_t slot, unsigned n, const uint32_t *to,
	const struct sim_mask *lanes)
{
	for (unsigned i = 0; i < n; i += 2 - (!i && n % 2)) {
		struct entry *e = &p->entry[p->depth++];
		const unsigned alone = !i && n % 2, first = alone ? i : i + 1;

		*e = (struct entry){.rpc = rpc};
		e->side[0] = (struct side){.pc = to[first], .slot = slot, .lanes = lanes[first]};
		if (!alone)
			e->side[1] = (struct side){.pc = to[i], .slot = slot, .lanes = lanes[i]};
	}
}

/* A side of the entry on top parts at its pc, over n ways. */
static void diverge(struct sim_front *front, struct pair *p, struct side *s, unsigned n,
	uint32_t *to, struct sim_mask *lanes)
{
	const struct tr_inst *in = &front->program->insts[s->pc];
	const uint32_t rpc = in->ipdom == TR_NONE ? TR_EXIT : in->ipdom;
	struct entry *top = &p->entry[p->depth - 1];
	unsigned paths = 0;

	for (unsigned i = 0; i < n; i++)
		if (to[i] != rpc) {
			to[paths] = to[i];
			lanes[paths++] = lanes[i];
		}
	if (sim_paths_wait(rpc, top->rpc)) {
		s->pc = rpc;
		s->meets = 1;
	} else if (paths == 1) {
		s->pc = to[0];
		s->lanes = lanes[0];
		front->counts[ALONE]++;
		return;
	} else {
		s->lanes = (struct sim_mask){{0}};
		if (is_over(top))
			p->depth--;
	}
	front->counts[paths > 1 ? INTERLEAVED : ALONE]++;
	push(p, rpc, s->slot, paths, to, lanes);
	assert(p->depth <= depth_of(front->config->sm.warp_size));
}

/* Where the lanes of a side of the entry on top go, whose block has ended. */
static void look(struct sim_front *front, struct pair *p, struct side *s)
{
	const struct sim_warp *w = &front->warps[p->slot[0]];
	const struct sim_warp as = {.pc = s->pc,
		.to = s->to,
		.nlanes = w->nlanes,
		.thread = w->thread,
		.lanes = s->lanes};
	uint32_t to[TR_LANES_MAX];
	struct sim_mask lanes[TR_LANES_MAX], gone;
	const unsigned n = sim_ways(front, &as, to, lanes, &gone);

	s->ended = 0;
	remove_lanes(p, &gone);
	if (n == 1) {
		s->pc = to[0];
		if (s->pc == p->entry[p->depth - 1].rpc)
			s->lanes = (struct sim_mask){{0}};
	} else if (n) {
		sim_show(front, SIM_SHOWN_SPLIT, p->slot[s->slot], p->slot[s->slot]);
		if (front->config->sm.first_path == SIM_FIRST_FEWER)
			sim_fewest_last(n, to, lanes);
		diverge(front, p, s, n, to, lanes);
	}
}

/* The entry on top is over: the side below that it came from goes on, with what both wait for. */
static void pop(struct sim_front *front, struct pair *p)
{
	if (!--p->depth)
		return;
	for (int i = 0; i < 2; i++) {
		struct side *s = &p->entry[p->depth - 1].side[i];

		if (s->meets && p->slot[1] != SIM_NO_WARP)
			front->call->inherit(front, p->slot[s->slot], p->slot[!s->slot]);
		if (s->meets)
			sim_show(front, SIM_SHOWN_MERGE, p->slot[s->slot], p->slot[!s->slot]);
		s->meets = 0;
	}
}

/* ---- what runs ---- */

/* Sides of entries that are not on top stop, unless they have to keep their slots. */
static void stop(struct sim_front *front, struct pair *p)
{
	const struct entry *top = &p->entry[p->depth - 1];

	for (int k = 0; k < 2; k++) {
		struct side *s = p->runs[k];

		if (!s || s == &top->side[0] || s == &top->side[1] ||
			front->warps[p->slot[k]].state != SIM_W_RUN)
			continue;
		s->pc = front->warps[p->slot[k]].pc;
		p->runs[k] = NULL;
		front->counts[STOPPED]++;
		front->call->hold(front, p->slot[k]);
	}
}

static void run(struct sim_front *front, struct pair *p, struct side *s, uint8_t k, uint64_t now)
{
	struct sim_warp *w = &front->warps[p->slot[k]];

	if (s->slot != k)
		front->call->inherit(front, p->slot[k], p->slot[s->slot]);
	s->slot = k;
	p->runs[k] = s;
	w->pc = s->pc;
	w->lanes = s->lanes;
	w->depth = p->depth;
	front->call->ready(front, p->slot[k], now);
}

/* Starts the sides of the top entry that do not run yet, in the slots that are free. */
static void run_top(struct dual *d, struct sim_front *front, struct pair *p, uint64_t now)
{
	struct entry *top = &p->entry[p->depth - 1];
	const int both = sim_any(&top->side[0].lanes) && sim_any(&top->side[1].lanes);

	for (uint8_t i = 0; i < 2; i++) {
		struct side *s = &top->side[i];
		uint8_t k = both && d->paths == 2 ? i : s->slot;

		if (!sim_any(&s->lanes) || p->runs[0] == s || p->runs[1] == s)
			continue;
		if (k == 1 && p->slot[1] == SIM_NO_WARP)
			take_second(d, front, p);
		if (p->runs[k])
			k = !k;
		if (p->slot[k] != SIM_NO_WARP && !p->runs[k])
			run(front, p, s, k, now);
	}
}

/* Inactive lanes: each is counted by the topmost entry that has it. */
static void count_off(const struct pair *p, const struct side *runs, struct sim_warp *w)
{
	struct sim_mask seen = runs->lanes;

	w->inactive = w->waiting = 0;
	for (uint32_t i = p->depth; i--;)
		for (int s = 0; s < 2; s++)
			for (int k = 0; k < SIM_MASK_WORDS; k++) {
				const struct side *x = &p->entry[i].side[s];
				const uint64_t here = x->lanes.w[k] & ~seen.w[k];

				*(x->meets ? &w->waiting : &w->inactive) += sim_ones(here);
				seen.w[k] |= here;
			}
}

/* Moves the sides of the top entry whose block has ended, pops entries that are done, runs the top.
 */
static void go_on(struct dual *d, struct sim_front *front, struct pair *p, uint64_t now)
{
	while (p->depth) {
		struct entry *top = &p->entry[p->depth - 1];
		const int left = top->side[0].ended;

		if (left || top->side[1].ended)
			look(front, p, &top->side[!left]);
		else if (is_over(top))
			pop(front, p);
		else
			break;
	}
	if (!p->depth) {
		for (int k = 0; k < 2; k++)
			if (p->slot[k] != SIM_NO_WARP)
				front->call->drop(front, p->slot[k]);
		return;
	}
	stop(front, p);
	run_top(d, front, p, now);
	give_second(front, p);
	for (int k = 0; k < 2; k++)
		if (p->runs[k])
			count_off(p, p->runs[k], &front->warps[p->slot[k]]);
}

/* ---- what the SM asks ---- */

static void arrive(
	void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n, uint64_t now)
{
	struct dual *d = p;

	for (uint32_t t = 0; t < n; t += d->lanes) {
		struct pair *pair = &d->pairs[(first + t) / d->lanes];
		struct entry *base = &pair->entry[0];
		const uint32_t slot = front->call->take(front, cta);
		struct sim_warp *w = &front->warps[slot];

		w->nlanes = d->lanes;
		*base = (struct entry){.rpc = TR_EXIT};
		base->side[0].pc = front->threads[first].pc;
		for (uint32_t l = 0; l < d->lanes && t + l < n; l++) {
			w->thread[l] = (uint16_t)(first + t + l);
			base->side[0].lanes.w[l / 64] |= 1ull << (l % 64);
		}
		*pair = (struct pair){
			.slot = {slot, SIM_NO_WARP}, .depth = 1, .entry = pair->entry};
		go_on(d, front, pair, now);
	}
}

static void next(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct dual *d = p;
	struct sim_warp *w = &front->warps[slot];
	struct pair *pair = pair_of(d, front, slot);
	const struct entry *top = &pair->entry[pair->depth - 1];
	const int k = slot == pair->slot[1];
	struct side *s = pair->runs[k];

	if ((s == &top->side[0] || s == &top->side[1]) && w->to < TR_EXIT && w->to != top->rpc) {
		w->pc = w->to;
		front->call->ready(front, slot, now);
		return;
	}
	s->pc = w->pc;
	s->to = w->to;
	s->ended = 1;
	pair->runs[k] = NULL;
	front->call->hold(front, slot);
	go_on(d, front, pair, now);
}

static uint32_t asks(void *p, const struct sim_front *front, uint32_t inst)
{
	const struct dual *d = p;

	(void)front;
	(void)inst;
	return d->paths == 2 ? SIM_ASK_TOLD : 0;
}

static void told(void *p, struct sim_front *front, const struct sim_told *t)
{
	const struct pair *pair = pair_of(p, front, t->warp);
	const struct side *side = pair->entry[pair->depth - 1].side;

	front->counts[BOTH_PATHS] += sim_any(&side[0].lanes) && sim_any(&side[1].lanes);
}

/* ---- what threads do ---- */

static void classes(void *p, const struct sim_front *front, uint64_t threads[SIM_NTHREAD_CLASSES])
{
	const struct dual *d = p;

	for (uint32_t i = 0; i < front->nthreads / d->lanes; i++) {
		const struct pair *pair = &d->pairs[i];
		struct sim_mask seen = {{0}};

		for (int k = 0; k < 2; k++)
			for (int m = 0; m < SIM_MASK_WORDS && pair->runs[k]; m++)
				seen.w[m] |= pair->runs[k]->lanes.w[m];
		for (uint32_t e = pair->depth; e--;)
			for (int s = 0; s < 2; s++)
				for (int m = 0; m < SIM_MASK_WORDS; m++) {
					const struct side *x = &pair->entry[e].side[s];
					const uint64_t here = x->lanes.w[m] & ~seen.w[m];

					threads[x->meets ? SIM_TH_MEET : SIM_TH_INACTIVE] +=
						sim_ones(here);
					seen.w[m] |= here;
				}
	}
}

const struct sim_warp_policy sim_warp_dualpath = {
	.abi = SIM_WARP_ABI,
	.bytes = sizeof(struct sim_warp_policy),
	.name = "dualpath",
	.help = "dual path: both sides of a branch issue in turn",
	.params =
		{
			{"size", 0, 0, TR_LANES_MAX,
				"threads of a warp, a power of two; 0: the machine's", NULL},
			{"paths", 2, 1, 2, "sides of a branch that may issue; 1: as fixed", NULL},
		},
	.counters =
		{
			[BOTH_PATHS] = {"both_paths",
				"warp instructions issued while both sides of a branch could", 0},
			[INTERLEAVED] = {"interleaved",
				"divergences with two sides to run, or more", 0},
			[ALONE] = {"alone", "divergences with one side to run: the rest waits", 0},
			[STOPPED] = {"stopped", "sides stopped by a divergence of the other", 0},
		},
	.many = 1,
	.shape = shape,
	.start = start,
	.asks = asks,
	.arrive = arrive,
	.next = next,
	.classes = classes,
	.told = told,
};
