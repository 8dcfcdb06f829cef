/*
 * tbc: thread block compaction (Fung and Aamodt 2011, section 3). The warps of a CTA share one
 * reconvergence stack. At a branch that may diverge they wait for one another (WCnt); then the
 * threads of the entry that is on top are compacted into new warps, each thread in the lane of its
 * home warp, the first of each lane first. At the reconvergence point they wait again, the entry is
 * popped, and what is below is compacted: the full mask of a CTA gives its static warps back.
 * Branches that the program proves uniform over the CTA are passed without waiting. The order of
 * paths is that of the per-warp stacks (pdom.h): the taken one first. lcp: section 4, likewise.
 *
 * A thread compactor makes `rate` warps a cycle for the CTAs of the SM in turn; rate=0 is free.
 * compact=0 leaves threads in their static warps (section 3.2), for kernels that rely on them.
 *
 * Warp slots stay with their CTA, so a compacted warp is as old as the one whose slot it takes.
 * Left out: a stack that spills, and the transfer of activemasks.
 */
#include "sim/sched/sched.h"
#include "sim/warp/lcp.h"

enum { COMPACT, RATE, LCP };

struct entry {
	uint32_t pc, rpc;
	uint32_t likely; /* 1 + place of the entry to merge with at its pc (LPos); 0: none */
};

/* A CTA: place in the stacks' storage, where a mask is a word of lanes for each static warp. */
struct block {
	uint32_t rows, cap; /* static warps; entries that the stack has room for */
	uint32_t depth;
	uint32_t built;  /* entries that are being filled above the top: targets of `branch` */
	uint32_t branch; /* instruction */
	uint32_t wcnt;   /* warps that have not come to the end of the entry on top */
	uint32_t nslots;
	uint16_t *slot;
	struct entry *entry;
	uint64_t *mask; /* cap times rows */
};

struct tbc {
	uint32_t lanes, rate, compact;
	enum sim_lcp lcp;
	uint64_t free_at; /* when the compactor has made all that it was given */
	struct block block[64];
};

/* Paths hold disjoint threads, and each has at most one entry beneath it to meet and one to merge. */
static uint32_t depth_of(uint32_t threads)
{
	return 3 * threads + 3;
}

static size_t bytes_of(uint32_t threads, uint32_t rows)
{
	const uint32_t depth = depth_of(threads);

	return depth * (sizeof(struct entry) + rows * sizeof(uint64_t)) + rows * sizeof(uint16_t) +
	       2 * sizeof(uint64_t);
}

static void shape(const struct sim_config *c, const int64_t *params, uint32_t *slots,
	uint32_t *lanes, size_t *state)
{
	(void)params;
	*lanes = c->sm.warp_size < 64 ? c->sm.warp_size : 64; /* a word */
	*slots = c->sm.threads / *lanes;
	*state = sizeof(struct tbc) + bytes_of(c->sm.threads, *slots) + 64 * 64;
}

static void *take(char **at, size_t bytes)
{
	void *p = *at;

	*at += (bytes + 7) / 8 * 8;
	return p;
}

static void start(void *p, const struct sim_warp_env *env, const int64_t *params)
{
	struct tbc *t = p;
	char *at = (char *)(t + 1);

	t->free_at = 0;
	t->lanes = env->config->sm.warp_size;
	t->compact = (uint32_t)params[COMPACT];
	t->rate = (uint32_t)params[RATE];
	t->lcp = (enum sim_lcp)params[LCP];
	for (uint32_t c = 0; c < env->nthreads / env->stride; c++) {
		struct block *b = &t->block[c];

		b->rows = env->stride / t->lanes;
		b->cap = depth_of(env->stride);
		b->entry = take(&at, b->cap * sizeof(*b->entry));
		b->mask = take(&at, (size_t)b->cap * b->rows * sizeof(*b->mask));
		b->slot = take(&at, b->rows * sizeof(*b->slot));
	}
}

static int wants_profile(const int64_t *params)
{
	return params[LCP] == SIM_LCP_PROFILE;
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

static void set(struct block *b, uint32_t to, const struct entry *e, uint32_t from)
{
	b->entry[to] = *e;
	memmove(mask_of(b, to), mask_of(b, from), b->rows * sizeof(*b->mask));
}

/* Is it where a path of the top entry ends? */
static int at_end(const struct block *b, uint32_t pc)
{
	const struct entry *top = &b->entry[b->depth - 1];

	return pc == top->rpc || (top->likely && pc == b->entry[top->likely - 1].pc);
}

/* Takes off the top what has come to where it waits for the rest, or has no threads. */
static void pop(struct block *b)
{
	for (; b->depth; b->depth--) {
		const uint32_t top = b->depth - 1;
		const struct entry *e = &b->entry[top];

		if (e->likely && e->pc == b->entry[e->likely - 1].pc)
			merge(b, e->likely - 1, top);
		else if (e->pc != e->rpc && any(b, top))
			return;
	}
}

/*
 * All warps have come to the branch, and the entries that were filled stand above the top. What is
 * to be pushed grows by at most two entries over them: they are moved out of the way first.
 */
static void diverge(struct tbc *t, struct block *b, const struct sim_warp_env *env)
{
	const struct tr_inst *in = &env->program->insts[b->branch];
	const uint32_t rpc = in->ipdom == TR_NONE ? TR_EXIT : in->ipdom, n = b->built;
	const uint32_t top = b->depth - 1, aside = b->cap - n;
	const struct entry old = b->entry[top];
	uint32_t likely = old.likely, lcp = TR_NONE, depth = top, ways = 0, way = 0;

	for (uint32_t i = 0; i < n; i++) {
		ways += (unsigned)any(b, top + 1 + i);
		way = any(b, top + 1 + i) ? i : way;
	}
	b->built = 0;
	if (!ways)
		return; /* all have ended */
	if (ways == 1) {
		b->entry[top].pc = b->entry[top + 1 + way].pc;
		return;
	}
	for (uint32_t i = n; i--;)
		set(b, aside + i, &b->entry[top + 1 + i], top + 1 + i);
	if (rpc != old.rpc && rpc != TR_EXIT) {
		b->entry[depth++] = (struct entry){ .pc = rpc, .rpc = old.rpc, .likely = likely };
		likely = 0;
	}
	if (t->lcp)
		lcp = sim_lcp_of(env, t->lcp, b->branch);
	if (lcp != TR_NONE && (!likely || b->entry[likely - 1].pc != lcp)) {
		memset(mask_of(b, depth), 0, b->rows * sizeof(*b->mask));
		b->entry[depth] = (struct entry){ .pc = lcp, .rpc = rpc, .likely = likely };
		likely = ++depth;
	}
	for (uint32_t i = aside; i < aside + n; i++) {
		const struct entry e = { .pc = b->entry[i].pc, .rpc = rpc, .likely = likely };

		if (e.pc == rpc || !any(b, i))
			continue;
		if (likely && e.pc == b->entry[likely - 1].pc)
			merge(b, likely - 1, i);
		else
			set(b, depth++, &e, i);
	}
	b->depth = depth;
}

/* ---- warps of an entry ---- */

/* The next warp of what is left: of each lane the first thread, or a static warp. */
static int compact(const struct tbc *t, const struct block *b, uint64_t *left,
	struct sim_warp *w, uint32_t first)
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
		if (taken && !t->compact)
			break;
	}
	w->lanes.w[0] = taken;
	return taken != 0;
}

/* Warps of the threads of the top entry, in the CTA's slots; one that holds none waits. */
static void run_top(struct tbc *t, const struct sim_warp_env *env, uint32_t cta, uint32_t rate,
	uint64_t now)
{
	struct block *b = &t->block[cta];
	uint64_t left[TR_CTA_THREADS_MAX], begin = t->free_at > now ? t->free_at : now;
	const uint32_t top = b->depth - 1;

	memcpy(left, mask_of(b, top), b->rows * sizeof(*left));
	b->wcnt = 0;
	for (uint32_t k = 0; k < b->nslots; k++) {
		struct sim_warp *w = &env->warps[b->slot[k]];

		if (!compact(t, b, left, w, cta * env->stride))
			break;
		w->pc = b->entry[top].pc;
		w->depth = b->depth;
		b->wcnt++;
		sim_sm_warp_ready(env->sm, b->slot[k], rate ? begin + 1 + k / rate : now);
	}
	if (rate)
		t->free_at = begin + (b->wcnt + rate - 1) / rate;
}

/* A warp of the top entry has come to its end, with all of its threads accounted for. */
static void came(struct tbc *t, const struct sim_warp_env *env, uint32_t slot, uint64_t now)
{
	const uint32_t cta = env->warps[slot].cta;
	struct block *b = &t->block[cta];

	memset(&env->warps[slot].lanes, 0, sizeof(env->warps[slot].lanes));
	sim_sm_warp_hold(env->sm, slot);
	if (--b->wcnt)
		return;
	if (b->built)
		diverge(t, b, env);
	pop(b);
	if (b->depth)
		run_top(t, env, cta, t->rate, now);
	while (!b->depth && b->nslots)
		sim_sm_warp_free(env->sm, b->slot[--b->nslots]);
}

/* ---- what threads do ---- */

static void arrive(void *p, const struct sim_warp_env *env, uint32_t cta, uint32_t first, uint32_t n,
	uint64_t now)
{
	struct tbc *t = p;
	struct block *b = &t->block[cta];

	b->depth = 1;
	b->built = b->nslots = 0;
	b->entry[0] = (struct entry){ .rpc = TR_EXIT };
	memset(mask_of(b, 0), 0, b->rows * sizeof(*b->mask));
	for (uint32_t i = 0; i < n; i++)
		mask_of(b, 0)[i / t->lanes] |= 1ull << (i % t->lanes);
	for (uint32_t i = 0; i < n; i += t->lanes) {
		const uint32_t slot = sim_sm_warp_new(env->sm, cta);

		env->warps[slot].nlanes = t->lanes;
		b->slot[b->nslots++] = (uint16_t)slot;
	}
	(void)first;
	run_top(t, env, cta, 0, now); /* the static warps stand ready in the warp buffer */
}

/* Threads that have ended leave the warp and all entries. */
static void exits(struct tbc *t, struct block *b, const struct sim_warp_env *env, struct sim_warp *w)
{
	for (uint64_t m = w->lanes.w[0]; m; m &= m - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(m);
		const uint32_t row = w->thread[lane] % env->stride / t->lanes;

		if (env->threads[w->thread[lane]].pc != TR_EXIT)
			continue;
		w->lanes.w[0] &= ~(1ull << lane);
		for (uint32_t i = 0; i < b->depth + b->built; i++)
			mask_of(b, i)[row] &= ~(1ull << lane);
	}
}

/* The first warp that comes to a branch: an entry for each place it may lead to, without threads. */
static void build(struct block *b, const struct tr_program *p, uint32_t branch)
{
	const struct tr_inst *in = &p->insts[branch];

	b->branch = branch;
	for (uint32_t i = 0; i < in->nsucc; i++) {
		const uint32_t pc = p->succ_pool[in->succ + i];
		uint32_t k = 0;

		while (k < b->built && b->entry[b->depth + k].pc != pc)
			k++;
		if (pc == TR_EXIT || k < b->built)
			continue;
		b->entry[b->depth + k] = (struct entry){ .pc = pc };
		memset(mask_of(b, b->depth + k), 0, b->rows * sizeof(*b->mask));
		b->built++;
	}
}

static void join(struct tbc *t, struct block *b, const struct sim_warp_env *env,
	const struct sim_warp *w)
{
	if (!b->built)
		build(b, env->program, w->pc);
	for (uint64_t m = w->lanes.w[0]; m; m &= m - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(m);
		const uint32_t pc = env->threads[w->thread[lane]].pc;
		uint32_t k = b->depth;

		while (b->entry[k].pc != pc)
			k++;
		mask_of(b, k)[w->thread[lane] % env->stride / t->lanes] |= 1ull << lane;
	}
}

static void next(void *p, const struct sim_warp_env *env, uint32_t slot, uint64_t now)
{
	struct tbc *t = p;
	struct sim_warp *w = &env->warps[slot];
	struct block *b = &t->block[w->cta];
	const struct tr_inst *in = &env->program->insts[w->pc];
	const int parts = in->nsucc > 1 && in->cls != TR_C_EXIT && !(in->flags & TR_I_UNIFORM);

	exits(t, b, env, w);
	if (!w->lanes.w[0]) {
		came(t, env, slot, now);
		return;
	}
	if (parts) {
		join(t, b, env, w);
		came(t, env, slot, now);
		return;
	}
	w->pc = env->threads[w->thread[__builtin_ctzll(w->lanes.w[0])]].pc;
	if (at_end(b, w->pc)) {
		b->entry[b->depth - 1].pc = w->pc; /* so it is for all that have come or will */
		came(t, env, slot, now);
	} else {
		sim_sm_warp_ready(env->sm, slot, now);
	}
}

const struct sim_warp_policy sim_warp_tbc = {
	.name = "tbc",
	.help = "thread block compaction: a stack for the CTA, warps compacted at branches",
	.params =
		{
			{ "compact", 1, 0, 1, "0: threads stay in their static warps", NULL },
			{ "rate", 1, 0, 64, "warps that the compactor makes in a cycle; 0: any number",
				NULL },
			SIM_LCP_PARAM,
		},
	.regroups = 1,
	.starts_clean = 1,
	.priority = SIM_PRIORITY_AGE,
	.wants_profile = wants_profile,
	.shape = shape,
	.start = start,
	.arrive = arrive,
	.next = next,
};
