/*
 * fixed:N: warps of N consecutive threads, each with a reconvergence stack (PDOM): the paths of a
 * divergent branch run one after the other and meet at its immediate post-dominator. The order is
 * GPGPU-Sim's: the fall-through is pushed first, so the taken path runs first; a path that begins at
 * the reconvergence point is not pushed; a branch whose reconvergence point is the top entry's own
 * replaces that entry, so loops do not deepen the stack. mimd is the bound: warps of one thread, all
 * of which issue whenever they can.
 */
#include "sim/warp/warp.h"

struct entry {
	uint32_t pc, rpc;
	uint32_t meets; /* 1: not a path, but where paths will meet */
	struct sim_mask mask;
};

struct stack {
	uint32_t depth;
	struct entry *entry; /* of the policy's storage */
};

struct fixed {
	uint32_t lanes, per_stack;
	struct stack *stacks;
	struct entry *entries;
};

/* Paths of one warp hold disjoint lanes, waiting entries ever fewer: twice the lanes is enough. */
static uint32_t depth_of(uint32_t lanes)
{
	return 2 * lanes + 2;
}

static void shape_of(uint32_t threads, uint32_t lanes, uint32_t *slots, size_t *state)
{
	*slots = threads / lanes;
	*state = sizeof(struct fixed) + *slots * (sizeof(struct stack) +
						depth_of(lanes) * sizeof(struct entry));
}

static void shape(const struct sim_config *c, const int64_t *params, uint32_t *slots,
	uint32_t *lanes, size_t *state)
{
	*lanes = params[0] ? (uint32_t)params[0] : c->sm.warp_size;
	shape_of(c->sm.threads, *lanes, slots, state);
}

static void mimd_shape(const struct sim_config *c, const int64_t *params, uint32_t *slots,
	uint32_t *lanes, size_t *state)
{
	(void)params;
	*lanes = 1;
	shape_of(c->sm.threads, 1, slots, state);
}

static void start(void *p, const struct sim_warp_env *env, const int64_t *params)
{
	struct fixed *f = p;

	(void)params;
	f->lanes = env->config->sm.warp_size;
	f->per_stack = depth_of(f->lanes);
	f->stacks = (struct stack *)(void *)(f + 1);
	f->entries = (struct entry *)(void *)(f->stacks + env->nwarps);
	for (uint32_t w = 0; w < env->nwarps; w++)
		f->stacks[w] = (struct stack){ .entry = f->entries + (size_t)w * f->per_stack };
}

static int any(const struct sim_mask *m)
{
	return (m->w[0] | m->w[1] | m->w[2] | m->w[3]) != 0;
}

/* Lanes that do not run: each counts where its topmost entry is. */
static void count_off(const struct stack *s, struct sim_warp *w)
{
	struct sim_mask above = s->entry[s->depth - 1].mask;

	for (uint32_t i = s->depth - 1; i--;)
		for (int k = 0; k < SIM_MASK_WORDS; k++) {
			uint64_t here = s->entry[i].mask.w[k] & ~above.w[k];

			*(s->entry[i].meets ? &w->waiting : &w->inactive) +=
				(unsigned)__builtin_popcountll(here);
			above.w[k] |= here;
		}
}

/* The top entry is what the warp runs. */
static void show_top(const struct stack *s, struct sim_warp *w)
{
	const struct entry *e = &s->entry[s->depth - 1];

	w->pc = e->pc;
	w->lanes = e->mask;
	w->depth = s->depth;
	w->inactive = w->waiting = 0;
	if (s->depth > 1)
		count_off(s, w);
}

static void arrive(void *p, const struct sim_warp_env *env, uint32_t cta, uint32_t first, uint32_t n,
	uint64_t now)
{
	struct fixed *f = p;

	for (uint32_t t = 0; t < n; t += f->lanes) {
		uint32_t slot = sim_sm_warp_new(env->sm, cta);
		struct sim_warp *w = &env->warps[slot];
		struct stack *s = &f->stacks[slot];

		w->nlanes = f->lanes;
		s->depth = 1;
		s->entry[0] = (struct entry){ .pc = 0, .rpc = TR_EXIT };
		for (uint32_t l = 0; l < f->lanes && t + l < n; l++) {
			w->thread[l] = (uint16_t)(first + t + l);
			s->entry[0].mask.w[l / 64] |= 1ull << (l % 64);
		}
		show_top(s, w);
		sim_sm_warp_ready(env->sm, slot, now);
	}
}

static void push(struct stack *s, uint32_t pc, uint32_t rpc, const struct sim_mask *mask)
{
	s->entry[s->depth++] = (struct entry){ .pc = pc, .rpc = rpc, .mask = *mask };
}

static void remove_lanes(struct stack *s, const struct sim_mask *gone)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->depth; i++) {
		struct entry e = s->entry[i];

		for (int k = 0; k < SIM_MASK_WORDS; k++)
			e.mask.w[k] &= ~gone->w[k];
		if (any(&e.mask))
			s->entry[kept++] = e;
	}
	s->depth = kept;
}

/* Lanes of the warp by where they go: successors in the order of the program, exits apart. */
static unsigned part(const struct sim_warp_env *env, const struct sim_warp *w,
	uint32_t to[TR_LANES_MAX], struct sim_mask *lanes, struct sim_mask *gone)
{
	const struct tr_inst *in = &env->program->insts[w->pc];
	const uint32_t *succ = env->program->succ_pool + in->succ;
	struct sim_mask left = w->lanes;
	unsigned n = 0;

	memset(gone, 0, sizeof(*gone));
	if (w->to != TR_NONE && w->to != TR_EXIT) {
		to[0] = w->to;
		lanes[0] = w->lanes;
		return 1;
	}
	for (uint32_t i = 0; i < in->nsucc && any(&left); i++) {
		struct sim_mask here = { { 0 } };

		if (i + 1 == in->nsucc) /* nowhere else to go */
			here = left;
		for (int k = 0; k < SIM_MASK_WORDS && i + 1 < in->nsucc; k++)
			for (uint64_t m = left.w[k]; m; m &= m - 1) {
				unsigned lane = (unsigned)__builtin_ctzll(m);

				if (env->threads[w->thread[k * 64 + (int)lane]].pc == succ[i])
					here.w[k] |= 1ull << lane;
			}
		if (!any(&here))
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

static void next(void *p, const struct sim_warp_env *env, uint32_t slot, uint64_t now)
{
	struct fixed *f = p;
	struct sim_warp *w = &env->warps[slot];
	struct stack *s = &f->stacks[slot];
	const struct tr_inst *in = &env->program->insts[w->pc];
	uint32_t to[TR_LANES_MAX], rpc;
	struct sim_mask lanes[TR_LANES_MAX], gone;
	unsigned n = part(env, w, to, lanes, &gone);

	if (n) { /* where the lanes that stay go; the ones that exit are taken out below */
		struct entry *top = &s->entry[s->depth - 1];

		rpc = in->ipdom == TR_NONE ? TR_EXIT : in->ipdom;
		if (n == 1) {
			top->pc = to[0];
		} else {
			const uint32_t outer = top->rpc;

			if (rpc == outer || rpc == TR_EXIT)
				s->depth--;
			else
				*top = (struct entry){ rpc, outer, 1, top->mask };
			for (unsigned i = 0; i < n; i++)
				if (to[i] != rpc)
					push(s, to[i], rpc, &lanes[i]);
		}
	}
	if (any(&gone))
		remove_lanes(s, &gone);
	while (s->depth > 1 && s->entry[s->depth - 1].pc == s->entry[s->depth - 1].rpc)
		s->depth--;
	if (!s->depth) {
		sim_sm_warp_free(env->sm, slot);
		return;
	}
	s->entry[s->depth - 1].meets = 0; /* it runs now */
	show_top(s, w);
	sim_sm_warp_ready(env->sm, slot, now);
}

const struct sim_warp_policy sim_warp_fixed = {
	.name = "fixed",
	.looks_at_to = 1,
	.help = "warps of N consecutive threads with PDOM stacks",
	.params = { { "size", 0, 0, TR_LANES_MAX, "threads of a warp, a power of two; 0: the machine's",
		NULL } },
	.shape = shape,
	.start = start,
	.arrive = arrive,
	.next = next,
};

const struct sim_warp_policy sim_warp_mimd = {
	.name = "mimd",
	.help = "every thread its own warp, unlimited issue: the bound",
	.looks_at_to = 1,
	.unlimited = 1,
	.shape = mimd_shape,
	.start = start,
	.arrive = arrive,
	.next = next,
};
