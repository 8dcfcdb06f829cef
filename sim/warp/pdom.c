/* The reconvergence stacks of warps that keep their threads. */
#include "sim/warp/pdom.h"

/*
 * Paths of one warp hold disjoint lanes, entries that wait at post-dominators ever fewer, and so do
 * those of likely convergence together with what is above them.
 */
static uint32_t depth_of(uint32_t lanes)
{
	return 3 * lanes + 2;
}

size_t sim_pdom_bytes(uint32_t n, uint32_t lanes)
{
	return n * (sizeof(struct sim_pdom) +
			   depth_of(lanes) * (sizeof(struct sim_path) + sizeof(struct sim_mask)));
}

void sim_pdom_init(struct sim_pdom *stacks, uint32_t n, uint32_t lanes)
{
	const size_t depth = depth_of(lanes);
	struct sim_mask *masks = (struct sim_mask *)(void *)(stacks + n);
	struct sim_path *paths = (struct sim_path *)(void *)(masks + n * depth);

	for (uint32_t w = 0; w < n; w++) {
		stacks[w].lanes = masks + w * depth;
		stacks[w].path = paths + w * depth;
	}
}

/* Inactive lanes: each is counted by the topmost entry that has it. */
static void count_off(const struct sim_pdom *s, struct sim_warp *w)
{
	struct sim_mask above = s->lanes[s->depth - 1];

	for (uint32_t i = s->depth - 1; i--;)
		for (int k = 0; k < SIM_MASK_WORDS; k++) {
			uint64_t here = s->lanes[i].w[k] & ~above.w[k];

			*(s->path[i].meets ? &w->waiting : &w->inactive) += sim_ones(here);
			above.w[k] |= here;
		}
}

/* The top entry is what the warp runs. */
void sim_pdom_show(const struct sim_pdom *s, struct sim_warp *w)
{
	w->pc = s->path[s->depth - 1].pc;
	w->lanes = s->lanes[s->depth - 1];
	w->depth = s->depth;
	w->paths = s->path;
	w->path_lanes = s->lanes;
	w->inactive = w->waiting = 0;
	if (s->depth > 1)
		count_off(s, w);
}

uint32_t sim_pdom_warp(struct sim_pdom *stacks, struct sim_front *front, uint32_t cta,
	uint32_t first, uint32_t n, uint32_t lanes)
{
	uint32_t slot = front->call->take(front, cta);
	struct sim_warp *w = &front->warps[slot];
	struct sim_pdom *s = &stacks[slot];

	w->nlanes = lanes;
	s->depth = 1;
	s->path[0] = (struct sim_path){.pc = front->threads[first].pc, .rpc = TR_EXIT};
	s->lanes[0] = (struct sim_mask){{0}};
	for (uint32_t l = 0; l < lanes && l < n; l++) {
		w->thread[l] = (uint16_t)(first + l);
		s->lanes[0].w[l / 64] |= 1ull << (l % 64);
	}
	sim_pdom_show(s, w);
	return slot;
}

static void merge(struct sim_mask *into, const struct sim_mask *lanes)
{
	for (int k = 0; k < SIM_MASK_WORDS; k++)
		into->w[k] |= lanes->w[k];
}

/*
 * Only an entry of likely convergence may be without lanes, while there are paths above it. What
 * goes lies above all entries that a path still refers to, so these keep their indices.
 */
static void remove_lanes(struct sim_pdom *s, const struct sim_mask *gone)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->depth; i++) {
		const int empty = !sim_any(&s->lanes[i]);

		s->path[kept] = s->path[i];
		for (int k = 0; k < SIM_MASK_WORDS; k++)
			s->lanes[kept].w[k] = s->lanes[i].w[k] & ~gone->w[k];
		kept += empty || sim_any(&s->lanes[kept]);
	}
	s->depth = kept;
}

unsigned sim_ways(const struct sim_front *front, const struct sim_warp *w,
	uint32_t to[TR_LANES_MAX], struct sim_mask lanes[TR_LANES_MAX], struct sim_mask *gone)
{
	const struct tr_inst *in = sim_operation(front->program, w->pc);
	const uint32_t *succ = front->program->succ_pool + in->succ;
	struct sim_mask left = w->lanes;
	unsigned n = 0;

	memset(gone, 0, sizeof(*gone));
	if (w->to != TR_NONE && w->to != TR_EXIT) {
		to[0] = w->to;
		lanes[0] = w->lanes;
		return 1;
	}
	for (uint32_t i = 0; i < in->nsucc && sim_any(&left); i++) {
		struct sim_mask here = {{0}};

		if (i + 1 == in->nsucc) /* nowhere else to go */
			here = left;
		for (int k = 0; k < SIM_MASK_WORDS && i + 1 < in->nsucc; k++)
			for (uint64_t m = left.w[k]; m; m &= m - 1) {
				unsigned lane = (unsigned)__builtin_ctzll(m);

				if (front->threads[w->thread[k * 64 + (int)lane]].pc == succ[i])
					here.w[k] |= 1ull << lane;
			}
		if (!sim_any(&here))
			continue;
		for (int k = 0; k < SIM_MASK_WORDS; k++)
			left.w[k] &= ~here.w[k];
		if (succ[i] == TR_EXIT) {
			*gone = here;
		} else {
			to[n] = succ[i];
			lanes[n++] = here;
		}
	}
	if (!in->nsucc)
		*gone = w->lanes;
	return n;
}

uint32_t sim_take_beside(struct sim_front *front, uint32_t warp, uint32_t tries)
{
	const uint32_t slot = front->call->take(front, front->warps[warp].cta);
	const uint32_t schedulers = front->config->sm.schedulers;
	uint32_t better;

	if (slot == SIM_NO_WARP || tries == 1 || slot % schedulers == warp % schedulers)
		return slot;
	better = sim_take_beside(front, warp, tries - 1);
	if (better == SIM_NO_WARP)
		return slot;
	front->call->drop(front, slot);
	return better;
}

void sim_fewest_last(unsigned n, uint32_t *to, struct sim_mask *lanes)
{
	for (unsigned i = 1; i < n; i++)
		for (unsigned k = i; k && sim_lanes(&lanes[k - 1]) <= sim_lanes(&lanes[k]); k--) {
			const struct sim_mask mask = lanes[k];
			const uint32_t target = to[k];

			lanes[k] = lanes[k - 1];
			lanes[k - 1] = mask;
			to[k] = to[k - 1];
			to[k - 1] = target;
		}
}

/* The path on top diverges at branch `at`: the entries that wait are pushed first, then the paths.
 */
static void diverge(struct sim_pdom *s, struct sim_front *front, uint32_t at, unsigned n,
	const uint32_t *to, const struct sim_mask *lanes)
{
	const struct tr_inst *in = &front->program->insts[at];
	const uint32_t rpc = in->ipdom == TR_NONE ? TR_EXIT : in->ipdom;
	const struct sim_parting parting = sim_paths_part(
		s->path, &s->depth, rpc, s->lcp ? sim_lcp_of(front, s->lcp, at) : TR_NONE);

	if (parting.empty != TR_NONE)
		s->lanes[parting.empty] = (struct sim_mask){{0}};
	for (unsigned i = 0; i < n; i++) {
		const uint32_t top = s->depth,
			       entry = sim_paths_way(s->path, &s->depth, to[i], &parting);

		if (entry == top)
			s->lanes[top] = lanes[i];
		else if (entry != TR_NONE)
			merge(&s->lanes[entry], &lanes[i]);
	}
}

/* Pops entries whose path has come to its reconvergence point. */
static void arrive(struct sim_pdom *s)
{
	for (; s->depth; s->depth--) {
		const uint32_t top = s->depth - 1;
		const enum sim_path_end end = sim_path_ends(s->path, top, s->path[top].pc);

		if (end == SIM_PATH_MERGES)
			merge(&s->lanes[s->path[top].likely - 1], &s->lanes[top]);
		else if (end == SIM_PATH_GOES_ON && sim_any(&s->lanes[top]))
			return;
	}
}

/* slot: of w; SIM_NO_WARP: it has none. */
static int walk(struct sim_pdom *s, struct sim_front *front, struct sim_warp *w, uint32_t slot)
{
	uint32_t to[TR_LANES_MAX];
	struct sim_mask lanes[TR_LANES_MAX], gone;
	const unsigned n = sim_ways(front, w, to, lanes, &gone);

	/* Where the lanes that stay go; the ones that exit are taken out after it. */
	if (n == 1) {
		s->path[s->depth - 1].pc = to[0];
	} else if (n) {
		if (front->config->sm.first_path == SIM_FIRST_FEWER)
			sim_fewest_last(n, to, lanes);
		diverge(s, front, w->pc, n, to, lanes);
	}
	if (n > 1 && slot != SIM_NO_WARP)
		sim_show(front, SIM_SHOWN_SPLIT, slot, slot);
	if (sim_any(&gone))
		remove_lanes(s, &gone);
	arrive(s);
	if (!s->depth)
		return 0;
	if (s->path[s->depth - 1].meets && slot != SIM_NO_WARP)
		sim_show(front, SIM_SHOWN_MERGE, slot, slot);
	s->path[s->depth - 1].meets = 0; /* it runs now */
	sim_pdom_show(s, w);
	return 1;
}

int sim_pdom_next(struct sim_pdom *s, struct sim_front *front, struct sim_warp *w)
{
	return walk(s, front, w, (uint32_t)(w - front->warps));
}

int sim_pdom_walk(struct sim_pdom *s, struct sim_front *front, struct sim_warp *w)
{
	return walk(s, front, w, SIM_NO_WARP);
}
