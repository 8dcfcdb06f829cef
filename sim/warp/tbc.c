/*
 * tbc: thread block compaction (Fung and Aamodt 2011, section 3). The warps of a CTA share one
 * reconvergence stack. At a branch that may diverge they wait for one another (WCnt); then the
 * threads of the entry that is on top are compacted into new warps, each thread in the lane of its
 * home warp, the first of each lane first. At the reconvergence point they wait again, the entry is
 * popped, and what is below is compacted: the full mask of a CTA gives its static warps back.
 * Whether any thread parts is known only when all have come, so both ways of a branch get an entry,
 * and all wait at its reconvergence point even if one is empty (3.3). Branches that the program
 * proves uniform over the CTA are passed without waiting. The order of paths is that of per-warp
 * stacks (pdom.h): the taken one first. lcp: section 4, likewise.
 *
 * A thread compactor makes `rate` warps a cycle for the CTAs of the SM in turn; rate=0 is free.
 * compact=0 leaves threads in their static warps (3.2), for kernels that rely on them; auto does so
 * where the record says that they may: in a kernel with votes or shuffles, and in a CTA in which a
 * thread read what another had written since the last barrier. sync=0 is free synchronization: a
 * CTA whose warps never part does not wait at all, as if its branches were known to be uniform.
 *
 * capri: CAPRI (Rhu and Erez 2012). A warp waits at a branch only where a table of branches says
 * that compaction was worth it the last time; else it goes on by itself, on a stack of its own over
 * the CTA's top entry, until its lanes are together again. A branch gets an entry, which says wait,
 * when it first parts a warp. What the first warp is told holds for all warps of the entry, each
 * once; when the last one has passed it is known whether compaction would have made fewer warps of
 * one of the two sides, and the table learns. On a stack of its own a warp waits for nobody, and
 * where others wait at another branch it goes on as well. predict=wait is tbc, predict=go is
 * per-warp stacks.
 *
 * Warp slots stay with their CTA, so a compacted warp is as old as the one whose slot it takes. An
 * entry that turns out empty is taken out at once, also from beneath others, so that it does not
 * pile up in loops. Left out: a stack that spills, and the transfer of activemasks.
 */
#include "sim/base/priority.h"
#include "sim/warp/pdom.h"

enum { COMPACT, RATE, LCP, SYNC, CAPRI, BITS, PREDICT };
enum { LEARNED, WAIT, GO };                                    /* the values of predict */
enum { CAPRI_WAITS, CAPRI_PASSES, CAPRI_JUDGED, CAPRI_RIGHT }; /* counters */
enum { STATIC, COMPACTED, AUTO };                              /* the values of compact */

static const char *const compact_words[] = {
	[STATIC] = "0", [COMPACTED] = "1", [AUTO] = "auto", NULL};

/*
 * Threads wait in an entry of their own only up to this depth; beyond it paths meet where the one
 * meets that they part from. Paths hold disjoint threads, so there is always room for them.
 */
#define LEVELS 256

static const char *const predict_words[] = {
	[LEARNED] = "learned", [WAIT] = "wait", [GO] = "go", NULL};

/* Warps of an entry that come to one branch; the table is asked for the first of them. */
struct visit {
	uint32_t branch; /* instruction, or TR_NONE */
	uint8_t waits;
	uint64_t passed[TR_CTA_THREADS_MAX / 64]; /* warps, by their number in the CTA */
	uint32_t warps[2];                        /* with threads on either side */
	uint16_t threads[2][64];                  /* on either side by lane */
};
#define VISITS 8 /* of a CTA at a time */

/* A branch that has parted a warp. */
struct learned {
	uint32_t branch; /* instruction, or TR_NONE */
	uint32_t level;  /* it says wait in the upper half */
	uint64_t used;
};

/* A CTA: its part of the stacks' storage, where a mask is a word of lanes for each static warp. */
struct block {
	uint32_t rows, cap;      /* static warps; entries that the stack has room for */
	uint32_t depth, deepest; /* now; at most, with entries that turned out empty */
	uint32_t built;  /* entries that are being filled above the top: targets of `branch` */
	uint32_t branch; /* instruction */
	uint32_t wcnt;   /* warps that have not come to the end of the entry on top */
	uint8_t compact, free; /* free: its warps never part, and do not wait (sync=0) */
	uint32_t nslots;
	uint16_t *slot;
	struct sim_path *entry;
	uint32_t *way;  /* of those that are being filled: which successor of the branch it is */
	uint64_t *mask; /* cap times rows */
	struct visit visit[VISITS];
	uint32_t next_visit; /* the entry that the next one takes */
	uint32_t waiting;    /* warps that wait by CAPRI's advice, all of them */
	uint32_t waits_at;   /* at this branch, and in this round of the cluster's barrier */
	uint32_t waits_round;
};

struct tbc {
	uint32_t lanes, rate, compact, sync;
	uint32_t collective; /* the kernel votes or shuffles */
	enum sim_lcp lcp;
	uint64_t free_at; /* when the compactor has made all that it was given */
	uint32_t capri, levels, predict;
	uint64_t uses;
	struct learned *table;  /* capri of them */
	struct sim_pdom *own;   /* by slot: a warp that goes on by itself; depth 0: it does not */
	struct sim_mask *began; /* by slot: its lanes when it began to */
	uint32_t *left_at;      /* by slot: the branch from which on it does */
	uint8_t *waits;         /* by slot: at a branch */
	struct block block[64];
};

/* LEVELS, the paths, and once more the ways of a branch, moved aside while they are pushed. */
static uint32_t depth_of(uint32_t threads)
{
	return LEVELS + 2 * threads + 6;
}

static size_t bytes_of(uint32_t threads, uint32_t rows)
{
	const uint32_t depth = depth_of(threads);

	return depth * (sizeof(struct sim_path) + sizeof(uint32_t) + rows * sizeof(uint64_t)) +
	       rows * sizeof(uint16_t) + 3 * sizeof(uint64_t);
}

static int shape(
	const struct sim_config *c, const int64_t *params, struct sim_shape *s, struct tr_err *err)
{
	if (params[CAPRI] && params[LCP])
		return tr_fail(err, TR_EUSAGE, 0, "tbc: capri has no likely-convergence points");
	s->lanes = c->sm.warp_size < 64 ? c->sm.warp_size : 64; /* a word */
	s->slots = c->sm.threads / s->lanes;
	s->member = s->lanes;
	s->one_in_flight = 1;
	s->wants_lcp = params[LCP] == SIM_LCP_PROFILE;
	s->state_bytes = sizeof(struct tbc) + bytes_of(c->sm.threads, s->slots) +
			 c->sm.ctas * bytes_of(0, 0);
	if (params[CAPRI])
		s->state_bytes += (size_t)params[CAPRI] * sizeof(struct learned) +
				  sim_pdom_bytes(s->slots, s->lanes) +
				  s->slots * (sizeof(struct sim_mask) + sizeof(uint32_t) + 1) +
				  5 * sizeof(uint64_t);
	return 1;
}

static void *carve(char **at, size_t bytes)
{
	void *p = *at;

	*at += (bytes + 7) / 8 * 8;
	return p;
}

/* Nothing is known of a new launch's branches. */
static void start_capri(struct tbc *t, struct sim_front *front, const int64_t *params, char **at)
{
	t->capri = (uint32_t)params[CAPRI];
	t->levels = 1u << params[BITS];
	t->predict = (uint32_t)params[PREDICT];
	t->uses = 0;
	if (!t->capri)
		return;
	t->table = carve(at, t->capri * sizeof(*t->table));
	for (uint32_t i = 0; i < t->capri; i++)
		t->table[i] = (struct learned){.branch = TR_NONE};
	t->own = carve(at, sim_pdom_bytes(front->nwarps, t->lanes));
	sim_pdom_init(t->own, front->nwarps, t->lanes);
	t->began = carve(at, front->nwarps * sizeof(*t->began));
	t->left_at = carve(at, front->nwarps * sizeof(*t->left_at));
	t->waits = carve(at, front->nwarps);
	memset(t->waits, 0, front->nwarps);
	for (uint32_t w = 0; w < front->nwarps; w++)
		t->own[w].depth = 0;
}

static void start(void *p, struct sim_front *front, const int64_t *params)
{
	struct tbc *t = p;
	char *at = (char *)(t + 1);

	t->free_at = 0;
	t->lanes = front->config->sm.warp_size;
	t->compact = (uint32_t)params[COMPACT];
	t->rate = (uint32_t)params[RATE];
	t->lcp = (enum sim_lcp)params[LCP];
	t->sync = (uint32_t)params[SYNC];
	t->collective = 0;
	for (uint32_t i = 0; i < front->program->ninsts; i++)
		t->collective |= front->program->insts[i].cls == TR_C_COLLECTIVE;
	start_capri(t, front, params, &at);
	for (uint32_t c = 0; c < front->nthreads / front->stride; c++) {
		struct block *b = &t->block[c];

		b->rows = front->stride / t->lanes;
		b->cap = depth_of(front->stride);
		b->entry = carve(&at, b->cap * sizeof(*b->entry));
		b->way = carve(&at, b->cap * sizeof(*b->way));
		b->mask = carve(&at, (size_t)b->cap * b->rows * sizeof(*b->mask));
		b->slot = carve(&at, b->rows * sizeof(*b->slot));
	}
}

/* ---- the stack ---- */

static uint64_t *mask_of(const struct block *b, uint32_t entry)
{
	return b->mask + (size_t)entry * b->rows;
}

static int any(const struct block *b, uint32_t entry)
{
	uint64_t all = 0;

	for (uint32_t r = 0; r < b->rows; r++)
		all |= mask_of(b, entry)[r];
	return all != 0;
}

static void merge(struct block *b, uint32_t into, uint32_t from)
{
	for (uint32_t r = 0; r < b->rows; r++)
		mask_of(b, into)[r] |= mask_of(b, from)[r];
}

static void move(struct block *b, uint32_t to, uint32_t from)
{
	b->entry[to] = b->entry[from];
	b->way[to] = b->way[from];
	memmove(mask_of(b, to), mask_of(b, from), b->rows * sizeof(*b->mask));
}

/*
 * Takes off the top what has come to where it waits for the rest, or has no threads. 1: what is on
 * top then waited for what was taken off.
 */
static int pop(struct block *b)
{
	int met = 0;

	for (; b->depth; b->depth--) {
		const uint32_t top = b->depth - 1;
		const enum sim_path_end end = sim_path_ends(b->entry, top, b->entry[top].pc);

		if (end == SIM_PATH_MERGES)
			merge(b, b->entry[top].likely - 1, top);
		else if (end == SIM_PATH_GOES_ON && any(b, top))
			return met;
		met = top && any(b, top) && b->entry[top].pc == b->entry[top - 1].pc;
	}
	return 0;
}

/*
 * All warps have come to the branch, and the entries that were filled stand above the top. What is
 * to be pushed grows by at most two entries over them: they are moved out of the way first.
 */
static void diverge(struct tbc *t, struct block *b, struct sim_front *front)
{
	const struct tr_inst *in = &front->program->insts[b->branch];
	const uint32_t n = b->built, top = b->depth - 1, aside = b->cap - n;
	const int spills = b->depth > LEVELS;
	uint32_t rpc = in->ipdom == TR_NONE ? TR_EXIT : in->ipdom, lcp = TR_NONE, empty = 0;
	struct sim_parting parting;

	b->built = 0;
	if (!any(b, top))
		return; /* all have ended */
	for (uint32_t i = n; i--;)
		move(b, aside + i, top + 1 + i);
	if (spills)
		rpc = b->entry[top].rpc;
	else if (t->lcp)
		lcp = sim_lcp_of(front, t->lcp, b->branch);
	parting = sim_paths_part(b->entry, &b->depth, rpc, lcp);
	if (parting.empty != TR_NONE)
		memset(mask_of(b, parting.empty), 0, b->rows * sizeof(*b->mask));
	for (uint32_t i = aside; i < aside + n; i++) {
		const uint32_t above = b->depth,
			       entry = sim_paths_way(b->entry, &b->depth, b->entry[i].pc, &parting);

		if (entry == TR_NONE)
			continue;
		if (entry != above) {
			merge(b, entry, i);
		} else if (any(b, i)) {
			memmove(mask_of(b, entry), mask_of(b, i), b->rows * sizeof(*b->mask));
		} else {
			b->depth--;
			empty++;
		}
	}
	if (b->depth + empty > b->deepest)
		b->deepest = b->depth + empty;
}

/* ---- warps of an entry ---- */

/* The next warp of what is left: of each lane the first thread, or a static warp. */
static int compact(const struct tbc *t, const struct block *b, uint64_t *left, struct sim_warp *w,
	uint32_t first)
{
	uint64_t taken = 0;

	memset(&w->lanes, 0, sizeof(w->lanes));
	for (uint32_t r = 0; r < b->rows; r++) {
		const uint64_t here = left[r] & ~taken;

		for (uint64_t m = here; m; m &= m - 1) {
			const uint32_t lane = (uint32_t)__builtin_ctzll(m);

			w->thread[lane] = (uint16_t)(first + r * t->lanes + lane);
		}
		left[r] &= ~here;
		taken |= here;
		if (taken && !b->compact)
			break;
	}
	w->lanes.w[0] = taken;
	return taken != 0;
}

/* Warps of the threads of the top entry, in the CTA's slots; one that holds none waits. */
static void run_top(
	struct tbc *t, struct sim_front *front, uint32_t cta, uint32_t rate, uint64_t now)
{
	struct block *b = &t->block[cta];
	uint64_t left[TR_CTA_THREADS_MAX], begin = t->free_at > now ? t->free_at : now;
	const uint32_t top = b->depth - 1;

	memcpy(left, mask_of(b, top), b->rows * sizeof(*left));
	b->wcnt = 0;
	for (uint32_t v = 0; v < VISITS; v++)
		b->visit[v].branch = TR_NONE;
	for (uint32_t k = 0; k < b->nslots; k++) {
		struct sim_warp *w = &front->warps[b->slot[k]];

		if (!compact(t, b, left, w, cta * front->stride))
			break;
		w->pc = b->entry[top].pc;
		w->depth = b->deepest;
		b->wcnt++;
		front->call->ready(front, b->slot[k], rate ? begin + 1 + k / rate : now);
	}
	if (rate)
		t->free_at = begin + (b->wcnt + rate - 1) / rate;
}

static void give_back(struct block *b, struct sim_front *front, uint32_t slot)
{
	uint32_t k = 0;

	while (b->slot[k] != slot)
		k++;
	b->nslots--;
	memmove(b->slot + k, b->slot + k + 1, (b->nslots - k) * sizeof(*b->slot));
	front->call->drop(front, slot);
}

/* Entries that are being filled and have threads. */
static uint32_t ways(const struct block *b)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->built; i++)
		n += any(b, b->depth + i) != 0;
	return n;
}

/* A warp of the top entry has come to its end, with all of its threads accounted for. */
static void came(struct tbc *t, struct sim_front *front, uint32_t slot, uint64_t now)
{
	const uint32_t cta = front->warps[slot].cta;
	struct block *b = &t->block[cta];

	memset(&front->warps[slot].lanes, 0, sizeof(front->warps[slot].lanes));
	front->call->hold(front, slot);
	if (b->free)
		give_back(b, front, slot);
	if (--b->wcnt)
		return;
	if (front->watched && ways(b) > 1)
		sim_show(front, SIM_SHOWN_SPLIT, slot, SIM_NO_WARP);
	if (b->built)
		diverge(t, b, front);
	if (pop(b))
		sim_show(front, SIM_SHOWN_MERGE, slot, SIM_NO_WARP);
	if (b->depth)
		run_top(t, front, cta, t->rate, now);
	for (uint32_t k = 0; b->depth && b->compact && k < b->wcnt; k++)
		sim_show(front, SIM_SHOWN_REGROUP, b->slot[k], SIM_NO_WARP);
	while (!b->depth && b->nslots)
		front->call->drop(front, b->slot[--b->nslots]);
}

/* ---- what threads do ---- */

/* Have the threads of each static warp recorded the same outcomes? Then none of them ever parts. */
static int never_part(const struct sim_thread *threads, uint32_t n, uint32_t lanes)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct sim_thread *a = &threads[i], *b = &threads[i / lanes * lanes];

		if (a->outcomes != b->outcomes)
			return 0;
		for (size_t k = 0; k < a->outcomes; k++)
			if (a->outcome[k * a->stride] != b->outcome[k * b->stride])
				return 0;
	}
	return 1;
}

static int synchronous(const struct sim_thread *threads, uint32_t n)
{
	while (n--)
		if (threads[n].sync != TR_NONE)
			return 1;
	return 0;
}

static void arrive(
	void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n, uint64_t now)
{
	struct tbc *t = p;
	struct block *b = &t->block[cta];

	b->depth = b->deepest = 1;
	b->built = b->nslots = b->waiting = 0;
	b->compact = t->compact == COMPACTED || (t->compact == AUTO && !t->collective &&
							!synchronous(front->threads + first, n));
	b->free = !t->sync && never_part(front->threads + first, n, t->lanes);
	b->entry[0] = (struct sim_path){.rpc = TR_EXIT};
	memset(mask_of(b, 0), 0, b->rows * sizeof(*b->mask));
	for (uint32_t i = 0; i < n; i++)
		mask_of(b, 0)[i / t->lanes] |= 1ull << (i % t->lanes);
	for (uint32_t i = 0; i < n; i += t->lanes) {
		const uint32_t slot = front->call->take(front, cta);

		front->warps[slot].nlanes = t->lanes;
		b->slot[b->nslots++] = (uint16_t)slot;
	}
	run_top(t, front, cta, 0, now); /* the static warps stand ready in the warp buffer */
}

/* Threads that have ended leave the warp and all entries. */
static void exits(struct tbc *t, struct block *b, struct sim_front *front, struct sim_warp *w)
{
	for (uint64_t m = w->lanes.w[0]; m; m &= m - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(m);
		const uint32_t row = w->thread[lane] % front->stride / t->lanes;

		if (sim_goes(w, front->threads, lane) != TR_EXIT)
			continue;
		w->lanes.w[0] &= ~(1ull << lane);
		for (uint32_t i = 0; i < b->depth + b->built; i++)
			mask_of(b, i)[row] &= ~(1ull << lane);
	}
}

/* The entry of those that the branch leads to pc; in the order of its ways. */
static uint32_t target(struct block *b, const struct tr_program *p, uint32_t pc)
{
	const struct tr_inst *in = &p->insts[b->branch];
	uint32_t k = b->depth, way = 0;

	for (; k < b->depth + b->built; k++)
		if (b->entry[k].pc == pc)
			return k;
	while (way < in->nsucc && p->succ_pool[in->succ + way] != pc)
		way++;
	for (; k > b->depth && b->way[k - 1] > way; k--)
		move(b, k, k - 1);
	b->entry[k] = (struct sim_path){.pc = pc};
	b->way[k] = way;
	memset(mask_of(b, k), 0, b->rows * sizeof(*b->mask));
	b->built++;
	return k;
}

/*
 * The first warp that comes to a branch finds no entries. The two ways of most branches get theirs
 * at once; of a table's, which may have more ways than the CTA has threads, those that are taken.
 */
static void join(struct tbc *t, struct block *b, struct sim_front *front, const struct sim_warp *w)
{
	const struct tr_program *p = front->program;
	const struct tr_inst *in = &p->insts[w->pc];

	if (!b->built) {
		b->branch = w->pc;
		for (uint32_t i = 0; i < 2 && in->nsucc == 2; i++)
			if (p->succ_pool[in->succ + i] != TR_EXIT)
				target(b, p, p->succ_pool[in->succ + i]);
	}
	for (uint64_t m = w->lanes.w[0]; m; m &= m - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(m);
		const uint32_t k = target(b, p, sim_goes(w, front->threads, lane));

		mask_of(b, k)[w->thread[lane] % front->stride / t->lanes] |= 1ull << lane;
	}
}

/* ---- CAPRI ---- */

static struct learned *find(struct tbc *t, uint32_t branch)
{
	for (uint32_t i = 0; i < t->capri; i++)
		if (t->table[i].branch == branch) {
			t->table[i].used = ++t->uses;
			return &t->table[i];
		}
	return NULL;
}

/* A branch parts a warp for the first time: it takes the entry of the one not used for longest. */
static void learn_of(struct tbc *t, uint32_t branch)
{
	struct learned *oldest = &t->table[0];

	for (uint32_t i = 1; i < t->capri; i++)
		if (t->table[i].used < oldest->used)
			oldest = &t->table[i];
	*oldest = (struct learned){branch, t->levels - 1, ++t->uses};
}

static int waits_at(struct tbc *t, uint32_t branch)
{
	const struct learned *l = find(t, branch);

	return t->predict == LEARNED ? l && l->level >= t->levels / 2 : t->predict == WAIT;
}

static uint32_t number_of(const struct block *b, uint32_t slot)
{
	uint32_t k = 0;

	while (b->slot[k] != slot)
		k++;
	return k;
}

/* What the warp belongs to at its branch: one that it has not passed yet, or a new one. */
static struct visit *visit_of(
	struct tbc *t, struct block *b, struct sim_front *front, uint32_t branch, uint32_t number)
{
	struct visit *v;

	for (uint32_t i = 0; i < VISITS; i++) {
		v = &b->visit[i];
		if (v->branch == branch && !(v->passed[number / 64] >> (number % 64) & 1))
			return v;
	}
	v = &b->visit[b->next_visit++ % VISITS];
	memset(v, 0, sizeof(*v));
	v->branch = branch;
	v->waits = (uint8_t)waits_at(t, branch);
	front->counts[v->waits ? CAPRI_WAITS : CAPRI_PASSES]++;
	return v;
}

/* Would compaction make, or has it made, fewer warps of one of the sides? */
static int was_worth_it(const struct visit *v)
{
	for (int side = 0; side < 2; side++) {
		uint32_t most = 0;

		for (uint32_t lane = 0; lane < 64; lane++)
			if (v->threads[side][lane] > most)
				most = v->threads[side][lane];
		if (most < v->warps[side])
			return 1;
	}
	return 0;
}

/* The last warp of the entry has passed the branch: the table learns. */
static void judge(struct tbc *t, struct sim_front *front, struct visit *v)
{
	const int worth = was_worth_it(v);
	struct learned *l = find(t, v->branch);

	front->counts[CAPRI_JUDGED]++;
	front->counts[CAPRI_RIGHT] += worth == v->waits;
	v->branch = TR_NONE;
	if (!l)
		return;
	if (worth && l->level + 1 < t->levels)
		l->level++;
	else if (!worth && l->level)
		l->level--;
}

static void pass(
	struct tbc *t, struct block *b, struct sim_front *front, struct visit *v, uint32_t slot)
{
	const struct sim_warp *w = &front->warps[slot];
	const struct tr_program *p = front->program;
	const struct tr_inst *in = &p->insts[v->branch];
	const uint32_t number = number_of(b, slot);
	uint32_t some[2] = {0, 0};

	for (uint64_t m = w->lanes.w[0]; m; m &= m - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(m);
		const int side = sim_goes(w, front->threads, lane) != p->succ_pool[in->succ];

		v->threads[side][lane]++;
		some[side] = 1;
	}
	v->warps[0] += some[0];
	v->warps[1] += some[1];
	v->passed[number / 64] |= 1ull << (number % 64);
	if (some[0] && some[1] && !find(t, v->branch))
		learn_of(t, v->branch);
	for (uint32_t k = 0; k < b->nslots; k++)
		if (sim_any(&front->warps[b->slot[k]].lanes) &&
			!(v->passed[k / 64] >> (k % 64) & 1))
			return;
	judge(t, front, v);
}

/* Lanes of a warp that have come to the end of the entry on top, or have ended, leave it. */
static void leave_top(const struct tbc *t, struct block *b, struct sim_front *front, uint32_t slot,
	uint64_t lanes)
{
	for (; lanes; lanes &= lanes - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
		const uint32_t row = front->warps[slot].thread[lane] % front->stride / t->lanes;

		mask_of(b, b->depth - 1)[row] &= ~(1ull << lane);
	}
}

static void look_at_waiting(struct tbc *t, struct block *b, struct sim_front *front, uint64_t now);

/* A warp has come to the end of the entry, where others may wait at a branch. */
static void came_alone(
	struct tbc *t, struct block *b, struct sim_front *front, uint32_t slot, uint64_t now)
{
	came(t, front, slot, now);
	look_at_waiting(t, b, front, now);
}

/* A warp that goes on by itself is at the end of a block. */
static void next_own(
	struct tbc *t, struct block *b, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct sim_warp *w = &front->warps[slot];
	struct sim_pdom *own = &t->own[slot];
	const int runs = sim_pdom_next(own, front, w);

	w->inactive = w->waiting = 0;
	w->depth = b->deepest + own->depth - (own->depth != 0);
	w->paths = NULL;
	if (own->depth <= 1) {
		leave_top(t, b, front, slot, t->began[slot].w[0] & ~(runs ? w->lanes.w[0] : 0));
		own->depth = 0;
	}
	if (runs)
		front->call->ready(front, slot, now);
	else
		came_alone(t, b, front, slot, now);
}

static void go_alone(
	struct tbc *t, struct block *b, struct sim_front *front, uint32_t slot, uint64_t now)
{
	t->left_at[slot] = front->warps[slot].pc;
	t->own[slot].depth = 1;
	t->own[slot].path[0] =
		(struct sim_path){.pc = front->warps[slot].pc, .rpc = b->entry[b->depth - 1].rpc};
	t->own[slot].lanes[0] = t->began[slot] = front->warps[slot].lanes;
	next_own(t, b, front, slot, now);
}

static int is_in_loop(const struct tr_program *p, uint32_t block, uint32_t loop)
{
	uint32_t l = block < p->nblocks ? p->blocks[block].loop : TR_NONE;

	while (l != TR_NONE && l != loop)
		l = p->loops[l].parent;
	return l != TR_NONE;
}

/* Is one of a and what follows it, by a link of blocks, the block b? */
static int comes_by(const struct tr_program *p, uint32_t a, uint32_t b, int to_exit)
{
	while (a < p->nblocks && a != b)
		a = to_exit ? p->blocks[a].ipdom : p->blocks[a].idom;
	return a == b;
}

/*
 * Does a warp that goes on by itself from a branch until its paths meet come to another branch, or
 * to the same one, on its way there?
 */
static int passes_alone(const struct tr_program *p, uint32_t from, uint32_t branch)
{
	const uint32_t x = p->insts[from].block, y = p->insts[branch].block;
	const uint32_t meet = p->blocks[x].ipdom;

	for (uint32_t l = p->blocks[x].loop; l != TR_NONE && !is_in_loop(p, meet, l);
		l = p->loops[l].parent)
		if (is_in_loop(p, y, l))
			return 1; /* it goes round until it leaves the loop */
	return x != y && y != meet && comes_by(p, y, x, 0) && comes_by(p, y, meet, 1);
}

/*
 * Has a warp of the CTA gone on by itself from a branch from which it will not come to this one
 * with the others? As in a block of TBC's stack, a warp waits for those that come where it waits.
 */
static int one_passes_alone(
	const struct tbc *t, const struct block *b, const struct sim_front *front, uint32_t branch)
{
	for (uint32_t k = 0; k < b->nslots; k++)
		if (t->own[b->slot[k]].depth &&
			passes_alone(front->program, t->left_at[b->slot[k]], branch))
			return 1;
	return 0;
}

/*
 * Those that wait at a branch: when all others of the entry have come to its end, they are
 * compacted. When all others stand at a barrier of the CTA, or one of them will not come here,
 * those that wait go on by themselves.
 */
static void look_at_waiting(struct tbc *t, struct block *b, struct sim_front *front, uint64_t now)
{
	const int all_here = b->waiting == b->wcnt;
	uint32_t at_barrier = 0, n = 0;
	uint16_t slot[TR_CTA_THREADS_MAX];

	if (!b->waiting)
		return;
	for (uint32_t k = 0; k < b->nslots; k++) {
		at_barrier += sim_at_barrier(&front->warps[b->slot[k]]);
		if (t->waits[b->slot[k]])
			slot[n++] = b->slot[k];
	}
	if (!all_here && b->waiting + at_barrier < b->wcnt &&
		!one_passes_alone(t, b, front, b->waits_at))
		return;
	b->waiting = 0;
	for (uint32_t k = 0; k < n; k++) {
		t->waits[slot[k]] = 0;
		if (all_here)
			join(t, b, front, &front->warps[slot[k]]);
	}
	for (uint32_t k = 0; k < n; k++)
		if (all_here)
			came(t, front, slot[k], now);
		else
			go_alone(t, b, front, slot[k], now);
}

/* A warp comes to a branch that may part it, with CAPRI. */
static void at_branch(
	struct tbc *t, struct block *b, struct sim_front *front, uint32_t slot, uint64_t now)
{
	const struct sim_warp *w = &front->warps[slot];
	const uint32_t branch = w->pc, round = sim_latest_round(front, w, &w->lanes);
	struct visit *v = visit_of(t, b, front, branch, number_of(b, slot));
	/* One that has gone on by itself may come back to the branch, past a cluster's barrier at
	 * which others have only arrived: it is not put together with these. */
	const int together = !b->waiting || (b->waits_at == branch && b->waits_round == round);
	const int waits = v->waits && together && !one_passes_alone(t, b, front, branch);

	pass(t, b, front, v, slot);
	if (!waits) {
		go_alone(t, b, front, slot, now);
		look_at_waiting(t, b, front, now);
		return;
	}
	b->waits_at = branch;
	b->waits_round = round;
	b->waiting++;
	t->waits[slot] = 1;
	front->call->hold(front, slot);
	look_at_waiting(t, b, front, now);
}

static void next(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct tbc *t = p;
	struct sim_warp *w = &front->warps[slot];
	struct block *b = &t->block[w->cta];
	const struct tr_inst *in = &front->program->insts[w->pc];
	const int parts =
		in->nsucc > 1 && in->cls != TR_C_EXIT && !(in->flags & TR_I_UNIFORM) && !b->free;
	const struct sim_mask lanes = w->lanes;

	exits(t, b, front, w);
	if (t->capri && t->own[slot].depth) {
		w->lanes = lanes; /* its own stack takes them out itself */
		next_own(t, b, front, slot, now);
		return;
	}
	if (!w->lanes.w[0]) {
		came_alone(t, b, front, slot, now);
		return;
	}
	if (parts && t->capri) {
		at_branch(t, b, front, slot, now);
		return;
	}
	if (parts) {
		join(t, b, front, w);
		came(t, front, slot, now);
		return;
	}
	w->pc = sim_goes(w, front->threads, (uint32_t)__builtin_ctzll(w->lanes.w[0]));
	if (sim_path_ends(b->entry, b->depth - 1, w->pc)) {
		if (t->capri) /* others may not come here, but wait at a branch before */
			leave_top(t, b, front, slot, w->lanes.w[0]);
		else
			b->entry[b->depth - 1].pc = w->pc; /* for all that have come or will */
		came_alone(t, b, front, slot, now);
	} else {
		front->call->ready(front, slot, now);
	}
}

/* ---- what threads do ---- */

/* Threads of a warp that goes on by itself, on its other paths and where these meet. */
static void classes_alone(const struct tbc *t, const struct sim_front *front, uint32_t slot,
	uint64_t *seen, uint64_t threads[SIM_NTHREAD_CLASSES])
{
	const struct sim_pdom *own = &t->own[slot];

	for (uint32_t i = own->depth; i--;)
		for (uint64_t m = own->lanes[i].w[0]; m; m &= m - 1) {
			const uint32_t lane = (uint32_t)__builtin_ctzll(m);
			uint64_t *row =
				&seen[front->warps[slot].thread[lane] % front->stride / t->lanes];

			if (*row >> lane & 1)
				continue;
			*row |= 1ull << lane;
			threads[own->path[i].meets ? SIM_TH_MEET : SIM_TH_INACTIVE]++;
		}
}

static void classes(void *p, const struct sim_front *front, uint64_t threads[SIM_NTHREAD_CLASSES])
{
	struct tbc *t = p;

	for (uint32_t c = 0; c < front->nthreads / front->stride; c++) {
		const struct block *b = &t->block[c];
		uint64_t seen[TR_CTA_THREADS_MAX] = {0};

		/* Those that the warps of the entry on top have still to bring are theirs. */
		for (uint32_t k = 0; k < b->nslots; k++) {
			const struct sim_warp *w = &front->warps[b->slot[k]];
			uint32_t lane;

			if (w->state == SIM_W_HELD)
				continue; /* those that wait at a branch by CAPRI's advice */
			FOR_LANES(w->lanes, lane)
			seen[w->thread[lane] % front->stride / t->lanes] |= 1ull << lane;
			if (t->capri)
				classes_alone(t, front, b->slot[k], seen, threads);
		}
		for (uint32_t e = b->depth; e--;)
			for (uint32_t r = 0; r < b->rows; r++) {
				const int waits = e == b->depth - 1 || b->entry[e].meets;
				const uint64_t here = mask_of(b, e)[r] & ~seen[r];

				threads[waits ? SIM_TH_MEET : SIM_TH_INACTIVE] += sim_ones(here);
				seen[r] |= here;
			}
	}
}

static uint32_t asks(void *p, const struct sim_front *front, uint32_t inst)
{
	const struct tbc *t = p;

	return t->capri && sim_is_barrier(&front->program->insts[inst]) ? SIM_ASK_TOLD : 0;
}

/* A warp has come to a barrier. */
static void told(void *p, struct sim_front *front, const struct sim_told *x)
{
	struct tbc *t = p;

	look_at_waiting(t, &t->block[front->warps[x->warp].cta], front, x->now + 1);
}

const struct sim_warp_policy sim_warp_tbc = {
	.abi = SIM_WARP_ABI,
	.bytes = sizeof(struct sim_warp_policy),
	.name = "tbc",
	.help = "thread block compaction: a stack for the CTA, warps compacted at branches",
	.params =
		{
			{"compact", COMPACTED, STATIC, AUTO,
				"0: threads stay in their static warps; auto: if they rely on it",
				compact_words},
			{"rate", 1, 0, 64,
				"warps that the compactor makes in a cycle; 0: any number", NULL},
			SIM_LCP_PARAM,
			{"sync", 1, 0, 1, "0: a CTA whose warps never part does not wait", NULL},
			{"capri", 0, 0, 1024,
				"branches that CAPRI's predictor remembers; 0: all wait", NULL},
			{"bits", 1, 1, 2, "of its memory of a branch", NULL},
			{"predict", LEARNED, LEARNED, GO, "what it says, learned or always",
				predict_words},
		},
	.counters =
		{
			[CAPRI_WAITS] = {"capri_waits", "visits of a branch at which warps wait",
				0},
			[CAPRI_PASSES] = {"capri_passes", "visits at which they do not", 0},
			[CAPRI_JUDGED] = {"capri_judged",
				"visits that all warps of an entry have made", 0},
			[CAPRI_RIGHT] = {"capri_right",
				"of these, those that were predicted as they came out", 0},
		},
	.priority = SIM_PRIORITY_AGE,
	.shape = shape,
	.start = start,
	.asks = asks,
	.arrive = arrive,
	.next = next,
	.told = told,
	.classes = classes,
};
