/*
 * null: each warp runs those of its threads that have got least far. No machine has it: it is the
 * smallest warp policy there can be, to copy when one writes a new one. It has the operations that
 * a policy must have and none that it may leave out, and it does not tell an observer where threads
 * diverge and meet (sim_show).
 *
 * A warp is as wide as the machine's and keeps its threads. When its block is done, its threads may
 * stand at several instructions. The one that comes first in the program runs next, with all the
 * threads that stand there, so those ahead wait until the others have caught up, and paths meet
 * again without a stack: scheduling at thread frontiers (Diamos et al., SIMD re-convergence at
 * thread frontiers, MICRO 2011). What comes first is said by the ranks of blocks (tr_block): a
 * path leads up in rank but for the ways back of loops, and a loop's blocks have no others between
 * them. PCs would not do. A compiler may put a block before one that leads there, and then a part
 * of a warp would stand at a barrier for ever, waiting for the rest of itself.
 */
#include "sim/warp/warp.h"

/*
 * The state of one SM. The SM hands it to each operation as `p`; it takes state_bytes of shape,
 * zeroed. A policy keeps nothing in static variables: SMs, and whole replays, run side by side.
 */
struct null {
	uint32_t at[1]; /* by thread slot: its next instruction, or TR_EXIT */
};

/* How many warps of how many lanes an SM has: as many as its threads fill. */
static int shape(
	const struct sim_config *c, const int64_t *params, struct sim_shape *s, struct tr_err *err)
{
	(void)params; /* there are none */
	(void)err;    /* a policy that cannot be on a machine says why */
	s->lanes = c->sm.warp_size;
	s->slots = c->sm.threads / s->lanes;
	s->state_bytes = sizeof(struct null) + c->sm.threads * sizeof(uint32_t);
	return 1;
}

/* A launch begins. Threads write where they stand when they arrive, so nothing is to be cleared. */
static void start(void *p, struct sim_front *front, const int64_t *params)
{
	(void)p;
	(void)front;
	(void)params;
}

/* The least of the instructions where threads of a warp stand; TR_EXIT: all have ended. */
static uint32_t first_of(const struct null *s, const struct sim_front *front, uint32_t slot)
{
	const struct sim_warp *w = &front->warps[slot];
	const struct tr_program *program = front->program;
	uint32_t first = TR_EXIT, least = UINT32_MAX;

	for (uint32_t lane = 0; lane < w->nlanes; lane++) {
		const uint32_t at = s->at[w->thread[lane]];

		if (at != TR_EXIT && program->blocks[program->insts[at].block].rank < least) {
			first = at;
			least = program->blocks[program->insts[at].block].rank;
		}
	}
	return first;
}

/* The warp goes on with the threads that have got least far, or it ends. */
static void go_on(struct null *s, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct sim_warp *w = &front->warps[slot];
	const uint32_t first = first_of(s, front, slot);

	if (first == TR_EXIT) {
		front->call->drop(front, slot);
		return;
	}
	w->pc = first;
	w->lanes = (struct sim_mask){{0}};
	w->inactive = 0; /* lanes on other paths, for the statistics */
	for (uint32_t lane = 0; lane < w->nlanes; lane++)
		if (s->at[w->thread[lane]] == first)
			w->lanes.w[lane / 64] |= 1ull << (lane % 64);
		else if (s->at[w->thread[lane]] != TR_EXIT)
			w->inactive++;
	front->call->ready(front, slot, now);
}

/*
 * The n threads of a CTA have the thread slots from `first` on. A CTA gets thread slots for whole
 * warps, so in the last warp lanes without a thread have a slot, too; they count as ended.
 */
static void arrive(
	void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n, uint64_t now)
{
	struct null *s = p;
	const uint32_t lanes = front->config->sm.warp_size;

	for (uint32_t t = 0; t < n; t += lanes) {
		const uint32_t slot = front->call->take(front, cta);
		struct sim_warp *w = &front->warps[slot];

		w->nlanes = lanes;
		for (uint32_t lane = 0; lane < lanes; lane++) {
			w->thread[lane] = (uint16_t)(first + t + lane);
			s->at[first + t + lane] = t + lane < n ? front->threads[first].pc : TR_EXIT;
		}
		go_on(s, front, slot, now);
	}
}

/* A warp's block is done. Its lanes go where the record says; the others stand where they stood. */
static void next(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct null *s = p;
	const struct sim_warp *w = &front->warps[slot];
	uint32_t lane;

	FOR_LANES(w->lanes, lane)
	s->at[w->thread[lane]] = sim_goes(w, front->threads, lane);
	go_on(s, front, slot, now);
}

const struct sim_warp_policy sim_warp_null = {
	.abi = SIM_WARP_ABI,
	.bytes = sizeof(struct sim_warp_policy),
	.name = "null",
	.help = "the threads of a warp that have got least far (a specimen, no machine's)",
	.many = 1,
	.shape = shape,
	.start = start,
	.arrive = arrive,
	.next = next,
};
