/*
 * stride: a warp policy of one's own. A warp is made of every step-th thread of its CTA, and not of
 * neighbours. What neighbours do alike then goes to different warps: a branch on the lowest bits of
 * threadIdx.x no longer parts a warp, and accesses that were side by side no longer coalesce. It is
 * the simplest of the mappings from threads to lanes that are studied together with divergence (for
 * others see Rhu and Erez, SIMD lane permutation, ISCA 2013).
 *
 * step=1 is the built-in policy `null` (sim/warp/null.c), from which this is made, cycle for cycle.
 * What is new are the parameter, place_of and a counter.
 */
#include <warptrace/warp.h>

enum { STEP };   /* the parameters, by their index in the list below */
enum { PARTED }; /* the counters, likewise */

/* State of one SM, zeroed by who allocates it. There are no static variables. */
struct stride {
	uint32_t step;
	uint32_t at[]; /* by thread slot: its next instruction, or TR_EXIT */
};

static int shape(
	const struct sim_config *c, const int64_t *params, struct sim_shape *s, struct tr_err *err)
{
	(void)params;
	(void)err;
	s->lanes = c->sm.warp_size;
	s->slots = c->sm.threads / s->lanes;
	s->state_bytes = sizeof(struct stride) + c->sm.threads * sizeof(uint32_t);
	return 1;
}

static void start(void *p, struct sim_front *front, const int64_t *params)
{
	struct stride *s = p;

	(void)front;
	s->step = (uint32_t)params[STEP];
}

/*
 * The thread of the CTA, of n, that is the i-th in the order in which lanes are filled: 0, step, 2
 * step and so on, then 1, 1 + step and so on. A last warp's lanes beyond n keep their places.
 */
static uint32_t place_of(uint32_t i, uint32_t n, uint32_t step)
{
	const uint32_t longer = n % step, rounds = n / step; /* so many rows are longer by one */

	if (i >= n)
		return i;
	if (i < longer * (rounds + 1))
		return i % (rounds + 1) * step + i / (rounds + 1);
	i -= longer * (rounds + 1);
	return i % rounds * step + longer + i / rounds;
}

/* The least of the instructions where threads of a warp stand; TR_EXIT: all have ended. */
static uint32_t first_of(const struct stride *s, const struct sim_front *front, uint32_t slot)
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
static void go_on(struct stride *s, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct sim_warp *w = &front->warps[slot];
	const uint32_t first = first_of(s, front, slot);

	if (first == TR_EXIT) {
		front->call->drop(front, slot);
		return;
	}
	w->pc = first;
	w->lanes = (struct sim_mask){{0}};
	w->inactive = 0;
	for (uint32_t lane = 0; lane < w->nlanes; lane++)
		if (s->at[w->thread[lane]] == first)
			w->lanes.w[lane / 64] |= 1ull << (lane % 64);
		else if (s->at[w->thread[lane]] != TR_EXIT)
			w->inactive++;
	front->counts[PARTED] += w->inactive != 0;
	front->call->ready(front, slot, now);
}

static void arrive(
	void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n, uint64_t now)
{
	struct stride *s = p;
	const uint32_t lanes = front->config->sm.warp_size;
	const uint32_t step = s->step < n ? s->step : n;

	for (uint32_t t = 0; t < n; t += lanes) {
		const uint32_t slot = front->call->take(front, cta);
		struct sim_warp *w = &front->warps[slot];

		w->nlanes = lanes;
		for (uint32_t lane = 0; lane < lanes; lane++) {
			w->thread[lane] = (uint16_t)(first + place_of(t + lane, n, step));
			s->at[w->thread[lane]] = t + lane < n ? 0 : TR_EXIT;
		}
		go_on(s, front, slot, now);
	}
}

static void next(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct stride *s = p;
	const struct sim_warp *w = &front->warps[slot];
	uint32_t lane;

	FOR_LANES(w->lanes, lane)
	s->at[w->thread[lane]] = sim_goes(w, front->threads, lane);
	go_on(s, front, slot, now);
}

const struct sim_warp_policy warptrace_warp = {
	.abi = SIM_WARP_ABI,
	.bytes = sizeof(struct sim_warp_policy),
	.name = "stride",
	.help = "warps of every step-th thread, without a stack",
	.params =
		{
			[STEP] = {"step", 2, 1, 1024, "threads from one lane to the next", NULL},
		},
	.counters =
		{
			[PARTED] = {"parted_blocks", "blocks begun with part of a warp", 0},
		},
	.shape = shape,
	.start = start,
	.arrive = arrive,
	.next = next,
};
