/*
 * vws: variable warp sizing (Rogers, thesis, chapter 6; Rogers et al., ISCA 2015). The SM is
 * sliced: warps of `size` threads, one slice each, each with a reconvergence stack (pdom.h). The
 * warps that one wide warp would have been begin as a gang, which issues as that wide warp. A gang
 * is split where its warps go different ways, and with `mem` where some of them have the data of a
 * load and others have not; with `reform` its pieces are put together again where they meet. In a
 * cycle up to `gangs` gangs of disjoint slices issue, and in each slice that is left one of its
 * single warps.
 *
 * To the SM a piece, be it a gang or a single warp, is a warp: its threads stand in the lanes that
 * they had from the beginning. So a gang costs the replay no more than a wide warp. The gang table
 * and the independent masks are vws_gangs.h's, the times of data by slice the SM's (slices.c).
 *
 * Left out: what it costs to tell the gang unit of PCs and ready bits; the cycle, if any, that it
 * takes to split a gang.
 */
#include "sim/warp/pdom.h"
#include "sim/warp/vws_gangs.h"

enum { SIZE, GANGS, ORDER, MEM, REFORM, SYNC };
enum { NONE, IMPATIENT, GROUP };
enum counter { CONTROL_SPLITS, MEMORY_SPLITS, MERGES, GANG_INSTS, SINGLE_INSTS, GANG_1 };

static const char *const orders[] = {[SIM_GANG_BGTO] = "bgto",
	[SIM_GANG_GTO] = "gto",
	[SIM_GANG_LRR] = "lrr",
	[SIM_GANG_LPC] = "lpc",
	[SIM_GANG_LGTO] = "lgto",
	[SIM_GANG_SLICE] = "slice",
	NULL};
static const char *const splits[] = {
	[NONE] = "none", [IMPATIENT] = "impatient", [GROUP] = "group", NULL};

#define MEMO 256

struct piece { /* by slot */
	uint32_t original;
	uint8_t flat;   /* no warp of it has more than one path on its stack */
	uint8_t waits;  /* for other pieces, where branches meet: */
	uint64_t until; /* this cycle, at the latest */
};

struct vws {
	uint32_t size, slices, lanes; /* lanes: of an original gang */
	uint32_t mem, reform, sync;
	struct sim_gang_picker picker;
	struct sim_pdom *stacks;       /* by the slot of a warp's first thread over size */
	struct sim_original *original; /* by thread slot over lanes */
	struct piece *piece;
	struct sim_bits there; /* original gangs */
	struct sim_bits split; /* those of several pieces */
	uint64_t picked;       /* the last cycle in which something issued */
	uint32_t memo[MEMO];   /* 2 x (1 + block), and whether branches meet there */
};

/* ---- setting up ---- */

static int shape(
	const struct sim_config *c, const int64_t *params, struct sim_shape *s, struct tr_err *err)
{
	const uint32_t size = (uint32_t)params[SIZE], threads = c->sm.threads;

	if (size & (size - 1) || size > c->sm.warp_size)
		return tr_fail(err, TR_EUSAGE, 0,
			"vws: size=%u: a power of two, and no more than sm.warp_size, %u", size,
			c->sm.warp_size);
	if (c->sm.schedulers > 1)
		return tr_fail(err, TR_EUSAGE, 0,
			"vws has a scheduler for its gangs and one for each slice: sm.schedulers "
			"has to be 1");
	s->slots = threads / size;
	s->lanes = c->sm.warp_size;
	s->member = s->lanes;
	s->slice = size;
	s->partly = params[MEM] != NONE;
	s->state_bytes = sizeof(struct vws) + sim_pdom_bytes(threads / size, size) +
			 threads / size * sizeof(struct piece) +
			 (threads / s->lanes + 1) * sizeof(struct sim_original);
	return 1;
}

static void start(void *p, struct sim_front *front, const int64_t *params)
{
	const uint32_t n = front->nwarps, lanes = front->config->sm.warp_size;
	/* Where each slice picks for itself nobody would issue a gang: none is made. */
	const uint32_t reform = params[REFORM] && params[ORDER] != SIM_GANG_SLICE;
	struct vws *v = p;

	*v = (struct vws){.size = (uint32_t)params[SIZE],
		.lanes = lanes,
		.mem = (uint32_t)params[MEM],
		.reform = reform,
		.sync = reform ? (uint32_t)params[SYNC] : 0,
		.picked = SIM_NEVER};
	v->slices = lanes / v->size;
	v->piece = (struct piece *)(void *)(v + 1);
	v->stacks = (struct sim_pdom *)(void *)(v->piece + n);
	v->original =
		(struct sim_original *)(void *)((char *)v->stacks + sim_pdom_bytes(n, v->size));
	memset(v->original, 0, (n * v->size / lanes + 1) * sizeof(*v->original));
	sim_pdom_init(v->stacks, n, v->size);
	sim_gang_picker_init(
		&v->picker, (enum sim_gang_order)params[ORDER], (uint32_t)params[GANGS], v->slices);
	sim_bits_init(&v->there, front->nthreads / lanes + 1);
	sim_bits_init(&v->split, front->nthreads / lanes + 1);
}

/* ---- pieces ---- */

/* Warps by the size of the gang that they are in. */
static void count(struct vws *v, struct sim_front *front, uint32_t slot, int there)
{
	const uint32_t n = sim_nslices(front->warps[slot].slices);

	if (there)
		sim_gang_changed(&v->picker, &front->warps[slot], slot);
	if (n)
		front->levels[GANG_1 + n - 1] += there ? n : 0 - n;
}

static void add_piece(struct vws *v, struct sim_front *front, uint32_t original, uint32_t slot)
{
	struct sim_original *o = &v->original[original];

	sim_original_add(o, slot);
	sim_bits_set(&v->there, original);
	if (o->npieces > 1)
		sim_bits_set(&v->split, original);
	v->piece[slot] = (struct piece){.original = original, .flat = 1};
	count(v, front, slot, 1);
}

/* It has been counted off. */
static void remove_piece(struct vws *v, uint32_t slot)
{
	const uint32_t original = v->piece[slot].original;
	struct sim_original *o = &v->original[original];

	sim_original_remove(o, slot);
	if (!o->npieces)
		sim_bits_clear(&v->there, original);
	if (o->npieces < 2)
		sim_bits_clear(&v->split, original);
	sim_gang_left(&v->picker, slot);
}

/* Some warps of a piece become one of their own: its slot. */
static uint32_t part(struct vws *v, struct sim_front *front, uint32_t slot, uint32_t slices)
{
	uint32_t other;

	count(v, front, slot, 0);
	other = front->call->split(front, slot, slices);
	count(v, front, slot, 1);
	add_piece(v, front, v->piece[slot].original, other);
	v->piece[other].flat = v->piece[slot].flat;
	sim_show(front, SIM_SHOWN_SPLIT, slot, other);
	return other;
}

static struct sim_pdom *stack_of(const struct vws *v, const struct sim_warp *w, uint32_t slice)
{
	return &v->stacks[w->thread[slice * v->size] / v->size];
}

/* A warp of a piece, as its stack sees it. */
static struct sim_warp member(const struct vws *v, const struct sim_warp *w, uint32_t slice)
{
	const uint64_t lanes = UINT64_MAX >> (64 - v->size);

	return (struct sim_warp){.pc = w->pc,
		.to = w->to,
		.nlanes = v->size,
		.thread = w->thread + slice * v->size,
		.lanes = {{w->lanes.w[0] >> (slice * v->size) & lanes}}};
}

/* What keeps lanes of a piece off, and how deep its deepest stack is: of one of its warps more. */
static void show_member(struct sim_warp *w, const struct sim_warp *x)
{
	w->inactive += x->inactive;
	w->waiting += x->waiting;
	w->depth = x->depth > w->depth ? x->depth : w->depth;
}

static void show(const struct vws *v, struct sim_warp *w)
{
	w->inactive = w->waiting = w->depth = 0;
	for (uint32_t m = w->slices; m; m &= m - 1) {
		const uint32_t k = (uint32_t)__builtin_ctz(m);
		struct sim_warp x = member(v, w, k);

		sim_pdom_show(stack_of(v, w, k), &x);
		show_member(w, &x);
	}
}

static void arrive_gang(struct vws *v, struct sim_front *front, uint32_t cta, uint32_t first,
	uint32_t slices, uint32_t n, uint64_t now)
{
	const uint32_t slot = front->call->take(front, cta);
	struct sim_warp *w = &front->warps[slot];

	w->nlanes = v->lanes;
	w->slices = slices;
	for (uint32_t lane = 0; lane < v->lanes; lane++) {
		struct sim_pdom *s;

		w->thread[lane] = (uint16_t)(first + lane);
		if (!(slices >> lane / v->size & 1) || lane >= n)
			continue;
		w->lanes.w[0] |= 1ull << lane;
		s = stack_of(v, w, lane / v->size);
		if (lane % v->size == 0) {
			s->depth = 1;
			s->path[0] = (struct sim_path){.pc = 0, .rpc = TR_EXIT};
			s->lanes[0] = (struct sim_mask){{0}};
		}
		s->lanes[0].w[0] |= 1ull << lane % v->size;
	}
	show(v, w);
	w->pc = 0;
	add_piece(v, front, first / v->lanes, slot);
	front->call->ready(front, slot, now);
}

/* 6.2.2: gangs are made of a block's threads as wide warps would be. */
static void arrive(
	void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n, uint64_t now)
{
	struct vws *v = p;

	for (uint32_t at = 0; at < n; at += v->lanes) {
		const uint32_t threads = n - at < v->lanes ? n - at : v->lanes;
		const uint32_t warps = (threads + v->size - 1) / v->size;

		v->original[(first + at) / v->lanes].npieces = 0;
		if (v->picker.order != SIM_GANG_SLICE)
			arrive_gang(v, front, cta, first + at, (1u << warps) - 1, threads, now);
		for (uint32_t k = 0; v->picker.order == SIM_GANG_SLICE && k < warps; k++)
			arrive_gang(v, front, cta, first + at, 1u << k, threads, now);
	}
}

/* ---- waiting where branches meet (6.4.4) ---- */

static int branches_meet(const struct tr_program *p, uint32_t at)
{
	for (uint32_t b = 0; b < p->nblocks; b++) {
		const struct tr_inst *last = &p->insts[p->blocks[b].first + p->blocks[b].n - 1];

		if (last->nsucc > 1 && last->ipdom == at)
			return 1;
	}
	return 0;
}

static int meets(struct vws *v, const struct tr_program *p, uint32_t pc)
{
	const uint32_t block = p->insts[pc].block;
	uint32_t *memo = &v->memo[block % MEMO];

	if (*memo >> 1 != block + 1)
		*memo = 2 * (block + 1) + (uint32_t)branches_meet(p, pc);
	return (int)(*memo & 1);
}

/* A piece goes on at its pc. */
static void go(struct vws *v, struct sim_front *front, uint32_t slot, uint64_t at)
{
	struct piece *x = &v->piece[slot];

	x->waits = v->sync && sim_bits_has(&v->split, x->original) &&
		   meets(v, front->program, front->warps[slot].pc);
	x->until = at + v->sync;
	front->call->ready(front, slot, x->waits ? x->until : at);
}

/* ---- control splits (6.2.4) ---- */

/* The warps of a piece go on, each by its stack: their PCs. Returns those that have not ended. */
static uint32_t walk(struct vws *v, struct sim_front *front, uint32_t slot, uint32_t pc[SIM_SLICES])
{
	struct sim_warp *w = &front->warps[slot];
	uint32_t left = w->slices;
	uint64_t lanes = 0;

	v->piece[slot].flat = 1;
	w->inactive = w->waiting = w->depth = 0;
	for (uint32_t m = left; m; m &= m - 1) {
		const uint32_t k = (uint32_t)__builtin_ctz(m);
		struct sim_pdom *s = stack_of(v, w, k);
		struct sim_warp x = member(v, w, k);

		if (!sim_pdom_walk(s, front, &x)) {
			left &= ~(1u << k);
			continue;
		}
		pc[k] = x.pc;
		show_member(w, &x);
		lanes |= x.lanes.w[0] << (k * v->size);
		v->piece[slot].flat &= s->depth == 1;
	}
	w->lanes.w[0] = lanes;
	return left;
}

static void next(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct vws *v = p;
	struct sim_warp *w = &front->warps[slot];
	uint32_t pc[SIM_SLICES], group[SIM_SLICES], piece[SIM_SLICES], n, left;

	if (v->piece[slot].flat && w->to != TR_NONE && w->to != TR_EXIT) {
		w->pc = w->to;
		go(v, front, slot, now);
		return;
	}
	left = walk(v, front, slot, pc);
	if (left != w->slices) {
		count(v, front, slot, 0);
		w->slices = left;
		count(v, front, slot, 1);
	}
	if (!left) {
		remove_piece(v, slot);
		front->call->drop(front, slot);
		return;
	}
	n = sim_gang_groups(left, pc, group);
	front->counts[CONTROL_SPLITS] += n > 1;
	for (uint32_t g = n; g--;) { /* the old gang's slot goes to the first one */
		const uint32_t other = g ? part(v, front, slot, group[g]) : slot;

		front->warps[other].pc = pc[__builtin_ctz(group[g])];
		if (n > 1)
			show(v, &front->warps[other]);
		piece[g] = other;
	}
	for (uint32_t g = 0; g < n; g++) /* when it is known that there are others */
		go(v, front, piece[g], now);
}

/* ---- memory splits (6.2.4, 6.4.5) ---- */

static __attribute__((noinline)) void split_by_data(
	struct vws *v, struct sim_front *front, const struct sim_told *t)
{
	uint32_t slices = t->slices;

	front->counts[MEMORY_SPLITS]++;
	if (v->mem == IMPATIENT)
		slices = front->warps[t->warp].slices & (front->warps[t->warp].slices - 1);
	while (slices) {
		const uint32_t of = v->mem == GROUP ? slices : slices & -slices;
		const uint32_t other = part(v, front, t->warp, of);

		slices &= ~of;
		show(v, &front->warps[other]);
		front->call->resume(front, other, t->now);
	}
	show(v, &front->warps[t->warp]);
	front->call->resume(front, t->warp, t->now);
}

static void told(void *p, struct sim_front *front, const struct sim_told *t)
{
	struct vws *v = p;

	if (t->what != SIM_TOLD_ISSUED) {
		split_by_data(v, front, t);
		return;
	}
	v->picked = t->now;
	sim_gang_issued(&v->picker, front->warps, t->warp, t->now);
	front->counts[sim_is_gang(&front->warps[t->warp]) ? GANG_INSTS : SINGLE_INSTS]++;
}

/* ---- reformation (6.2.5) ---- */

/* May two pieces of an original gang be at one PC? It says no only where none are. */
static inline int may_meet(const struct sim_original *o, const struct sim_warp *warps)
{
	uint64_t seen = 0, twice = 0;

	for (uint32_t i = 0; i < o->npieces; i++) {
		const struct sim_warp *w = &warps[o->piece[i]];
		const uint64_t at = (uint64_t)(w->state == SIM_W_RUN) << w->pc % 64;

		twice |= seen & at;
		seen |= at;
	}
	return twice != 0;
}

/*
 * May two pieces at one PC become one? Not where one has arrived at the cluster's barrier in a
 * later round: the other one would wait for that, which cannot fill without it.
 */
static int may_join(
	const struct sim_front *front, const struct sim_warp *a, const struct sim_warp *b)
{
	return sim_latest_round(front, a, &a->lanes) == sim_latest_round(front, b, &b->lanes);
}

/* Two pieces of an original gang that may become one, or 0. */
static int find_pair(
	const struct vws *v, const struct sim_front *front, uint32_t original, uint32_t pair[2])
{
	const struct sim_original *o = &v->original[original];

	if (!may_meet(o, front->warps))
		return 0;
	for (uint32_t i = 0; i < o->npieces; i++) {
		const struct sim_warp *a = &front->warps[o->piece[i]];

		for (uint32_t k = i + 1; a->state == SIM_W_RUN && k < o->npieces; k++) {
			const struct sim_warp *b = &front->warps[o->piece[k]];

			if (b->state != SIM_W_RUN || a->pc != b->pc || !may_join(front, a, b))
				continue;
			pair[0] = o->piece[i];
			pair[1] = o->piece[k];
			return 1;
		}
	}
	return 0;
}

static void merge(struct vws *v, struct sim_front *front, const uint32_t pair[2], uint64_t now)
{
	struct sim_warp *w = &front->warps[pair[0]];
	const struct sim_warp *from = &front->warps[pair[1]];
	struct piece *x = &v->piece[pair[0]];
	const struct piece y = v->piece[pair[1]];

	count(v, front, pair[0], 0);
	count(v, front, pair[1], 0);
	w->inactive += from->inactive;
	w->waiting += from->waiting;
	w->depth = from->depth > w->depth ? from->depth : w->depth;
	sim_show(front, SIM_SHOWN_MERGE, pair[0], pair[1]);
	front->call->join(front, pair[0], pair[1]);
	remove_piece(v, pair[1]);
	count(v, front, pair[0], 1);
	front->counts[MERGES]++;
	x->flat &= y.flat;
	if (x->waits && y.waits) { /* it has nobody to wait for, or waits as the first one would */
		x->until = y.until < x->until ? y.until : x->until;
		if (!sim_bits_has(&v->split, x->original))
			x->until = now;
		front->call->ready(front, pair[0], x->until > now ? x->until : now);
		return;
	}
	front->call->resume(front, pair[0], now);
}

/* The n-th of the original gangs that there are. */
static uint32_t nth_there(const struct vws *v, uint32_t n)
{
	uint32_t k = 0, here;
	uint64_t left;

	for (; n >= (here = sim_ones(v->there.w[k])); k++)
		n -= here;
	for (left = v->there.w[k]; n; n--)
		left &= left - 1;
	return k * 64 + (uint32_t)__builtin_ctzll(left);
}

/*
 * One original gang is looked at in a cycle, round robin, be it split or not: two of its pieces may
 * become one.
 */
static void begin(void *p, struct sim_front *front, uint64_t now)
{
	struct vws *v = p;
	uint32_t original, pair[2];

	if (!v->reform || !sim_bits_any(&v->split))
		return;
	original = nth_there(v, (uint32_t)(now % sim_bits_count(&v->there)));
	if (sim_bits_has(&v->split, original) && find_pair(v, front, original, pair))
		merge(v, front, pair, now);
}

/* Whoever issues in this cycle is awake in the next one. */
static uint64_t tick(void *p, struct sim_front *front, uint64_t now)
{
	const struct vws *v = p;
	uint32_t pair[2];

	if (!v->reform || !sim_bits_any(&v->split))
		return SIM_NEVER;
	if (v->picked == now)
		return now + 1;
	for (uint32_t o = sim_bits_next(&v->split, 0); o != UINT32_MAX;
		o = sim_bits_next(&v->split, o + 1))
		if (find_pair(v, front, o, pair))
			return now + 1;
	return SIM_NEVER;
}

/* ---- who goes first (6.4.3) ---- */

static uint32_t asks(void *p, const struct sim_front *front, uint32_t inst)
{
	(void)p;
	(void)front;
	(void)inst;
	return SIM_ASK_TOLD;
}

static void pick(void *p, struct sim_front *front, const struct sim_bits *can,
	struct sim_bundle *bundle, uint64_t now)
{
	const struct vws *v = p;
	uint16_t slot[SIM_SLICES];

	(void)now;
	bundle->n = sim_gang_pick(&v->picker, front->warps, can, slot);
	for (uint32_t i = 0; i < bundle->n; i++) {
		bundle->beat[i].warp = slot[i];
		bundle->beat[i].joins = 0;
	}
}

#define VWS(id, name_, help_, mem_, reform_)                                                       \
	const struct sim_warp_policy sim_warp_##id = {                                             \
		.abi = SIM_WARP_ABI,                                                               \
		.bytes = sizeof(struct sim_warp_policy),                                           \
		.name = name_,                                                                     \
		.help = help_,                                                                     \
		.params = {{"size", 4, 1, TR_LANES_MAX, "threads of a warp, a power of two",       \
				   NULL},                                                          \
			{"gangs", 2, 0, SIM_GANGS_MAX,                                             \
				"gangs that issue in a cycle, at most; 0: any number", NULL},      \
			{"order", SIM_GANG_BGTO, SIM_GANG_BGTO, SIM_GANG_SLICE,                    \
				"which gang, and which warp of a slice goes first; slice: no "     \
				"gangs",                                                           \
				orders},                                                           \
			{"mem", mem_, NONE, GROUP,                                                 \
				"how a gang is split that has part of its data", splits},          \
			{"reform", reform_, 0, 1, "1: pieces of a gang that meet become one",      \
				NULL},                                                             \
			{"sync", 0, 0, 100000,                                                     \
				"cycles that a piece waits where branches meet, with reform",      \
				NULL}},                                                            \
		.counters = {{"control_splits", "gangs whose warps went different ways", 0},       \
			{"memory_splits", "gangs of which some had their data", 0},                \
			{"gang_merges", "of two pieces", 0},                                       \
			{"gang_insts", "instructions of gangs", 0},                                \
			{"single_insts", "instructions of single warps", 0},                       \
			{"gang_1", "single warps, over cycles", SIM_LEVEL},                        \
			{"gang_2", "warps in gangs of 2, over cycles", SIM_LEVEL},                 \
			{"gang_3", "of 3", SIM_LEVEL}, {"gang_4", "of 4", SIM_LEVEL},              \
			{"gang_5", "of 5", SIM_LEVEL}, {"gang_6", "of 6", SIM_LEVEL},              \
			{"gang_7", "of 7", SIM_LEVEL}, {"gang_8", "of 8", SIM_LEVEL}},             \
		.shape = shape,                                                                    \
		.start = start,                                                                    \
		.asks = asks,                                                                      \
		.arrive = arrive,                                                                  \
		.next = next,                                                                      \
		.pick = pick,                                                                      \
		.told = told,                                                                      \
		.begin = begin,                                                                    \
		.tick = tick,                                                                      \
	}

/* The thesis's names of its parameters (6.4.1, 6.4.5). */
VWS(vws, "vws", "variable warp sizing: gangs of small warps, split where they diverge", NONE, 0);
VWS(ivws, "ivws", "vws as it is: I-VWS", NONE, 0);
VWS(evws, "evws", "vws:reform=1: E-VWS", NONE, 1);
VWS(evws_impatientmem, "evws-impatientmem", "vws:reform=1,mem=impatient: E-VWS-ImpatientMem",
	IMPATIENT, 1);
VWS(ivws_impatientmem, "ivws-impatientmem", "vws:mem=impatient: I-VWS-ImpatientMem", IMPATIENT, 0);
VWS(ivws_groupmem, "ivws-groupmem", "vws:mem=group: I-VWS-GroupMem", GROUP, 0);
