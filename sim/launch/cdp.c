/*
 * CUDA dynamic parallelism: a launch by a thread is a kernel like one of the host's, and goes the
 * long way by the kernel management unit (Wang et al., ISCA 2015, 2.4). The latencies of the calls
 * are those of their table 3. Left out: parents that are suspended, since none waits, and what
 * setting up an SM for a kernel takes.
 */
#include "sim/launch/kmu.h"

static int start(void *state, const struct sim_launching *l, uint64_t now, struct tr_err *err)
{
	return sim_kmu_start(state, l, 0, now, err);
}

static int start_ideal(void *state, const struct sim_launching *l, uint64_t now, struct tr_err *err)
{
	return sim_kmu_start(state, l, 1, now, err);
}

static void run(void *state, uint64_t now)
{
	sim_kmu_run(state, now);
}

static uint64_t call(void *state, const struct sim_call *c, uint64_t now)
{
	struct sim_kmu *k = state;
	const uint64_t due = now + sim_kmu_latency(k, c->kind, c->n);

	for (uint32_t i = 0; c->kind == TR_API_LAUNCH && i < c->n; i++) {
		const uint32_t kernel = sim_family_find(k->at.family, (uint32_t)c->value[i]);

		if (kernel == TR_NONE) /* a null buffer, or beyond the part that is read */
			continue;
		sim_kmu_called(k, kernel, now);
		sim_kmu_queue(k, kernel, due);
	}
	return due;
}

static int offer(void *state, uint32_t *kernel, uint64_t now)
{
	(void)now;
	return sim_kmu_offer(state, kernel);
}

static void placed(void *state, uint32_t kernel, uint64_t now)
{
	sim_kmu_placed(state, kernel, now);
}

static void ended(void *state, uint32_t kernel, uint64_t now)
{
	sim_kmu_ended(state, kernel, now);
}

static uint64_t until(void *state, uint64_t now)
{
	return sim_kmu_until(state, now);
}

static void freed(void *state)
{
	sim_kmu_free(state);
}

#define CDP(tag, named, says, with, starts)                                                        \
	const struct sim_launch_policy tag = {.name = named,                                       \
		.help = says,                                                                      \
		.together = with,                                                                  \
		.state_bytes = sizeof(struct sim_kmu),                                             \
		.start = starts,                                                                   \
		.run = run,                                                                        \
		.call = call,                                                                      \
		.offer = offer,                                                                    \
		.placed = placed,                                                                  \
		.ended = ended,                                                                    \
		.until = until,                                                                    \
		.free = freed}

CDP(sim_launch_cdp, "cdp", "threads' launches as kernels, with CUDA's latencies", SIM_WITH_CHILDREN,
	start);
CDP(sim_launch_cdp_ideal, "cdp-ideal", "the same without latencies", SIM_WITH_CHILDREN,
	start_ideal);
CDP(sim_launch_concurrent, "concurrent", "cdp, and streams of the host overlap", SIM_WITH_STREAMS,
	start);
