/* The state of an SM as one number: two runs that agree in it, cycle for cycle, have acted alike. */
#include "sim/sm/internal.h"
#include <stddef.h>

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 31;
}

uint64_t sim_sm_hash(const struct sim_sm *sm, uint64_t h)
{
	const struct sim_stats *s = sm->sh->stats;
	const uint64_t *counts = &s->cycles;
	size_t n = (offsetof(struct sim_stats, stack_depth_max) - offsetof(struct sim_stats, cycles)) /
		   sizeof(*counts);

	for (size_t i = 0; i < n; i++)
		h = mix(h, counts[i]);
	h = mix(h, sm->next_age);
	h = mix(h, sm->accounted);
	for (uint32_t k = 0; k < sm->nthreads; k++)
		h = mix(h, sm->threads[k].path);
	for (uint32_t w = 0; w < sm->nwarps; w++)
		h = mix(h, (uint64_t)sm->warps[w].state << 32 | sm->warps[w].pc);
	for (uint32_t i = 0; i < sm->l1d.cap; i++)
		h = mix(h, (uint64_t)sm->l1d.owner[i] << 8 | sm->l1d.dirty[i]);
	for (uint32_t i = 0; i < sm->sh->config->sm.schedulers; i++)
		h = mix(h, sm->busy_until[i]);
	return h;
}
