/* The replay's counters: their memory, their sums, their identities. */
#include "sim/sm/stats.h"
#include <stddef.h>
#include <stdlib.h>

const char *sim_cycle_name(enum sim_cycle c)
{
	static const char *const names[SIM_NCYCLES] = {"issued", "stall_lsu", "stall_mshr",
		"stall_merge", "stall_line", "stall_queue", "stall_unit", "withheld", "memory",
		"sync", "idle", "drained"};

	return (unsigned)c < SIM_NCYCLES ? names[c] : NULL;
}

int sim_stats_init(struct sim_stats *s, uint32_t ninsts)
{
	*s = (struct sim_stats){.ninsts = ninsts};
	s->insts = calloc((size_t)ninsts + 1, sizeof(*s->insts));
	return s->insts ? 0 : -1;
}

void sim_stats_free(struct sim_stats *s)
{
	free(s->insts);
	*s = (struct sim_stats){0};
}

/* Adds n 64-bit counters that stand side by side. */
static void add_all(uint64_t *sum, const uint64_t *x, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*sum); i++)
		sum[i] += x[i];
}

void sim_stats_add(struct sim_stats *sum, const struct sim_stats *s)
{
	uint32_t depth = sum->stack_depth_max > s->stack_depth_max ? sum->stack_depth_max
								   : s->stack_depth_max;

	add_all(&sum->cycles, &s->cycles,
		offsetof(struct sim_stats, stack_depth_max) - offsetof(struct sim_stats, cycles));
	add_all((uint64_t *)&sum->mem, (const uint64_t *)&s->mem, sizeof(sum->mem));
	sum->stack_depth_max = depth;
}

#define SAME(a, b, what)                                                                           \
	do {                                                                                       \
		uint64_t x_ = (a), y_ = (b);                                                       \
		if (x_ != y_)                                                                      \
			return tr_fail(err, TR_EDATA, 0,                                           \
				"accounting does not add up: %s: %llu and %llu", what,             \
				(unsigned long long)x_, (unsigned long long)y_);                   \
	} while (0)

/* An access touches one sector at least, and at most those of its line. */
static int sectors_fit(uint64_t sectors, uint64_t accesses, uint32_t line_bytes)
{
	return sectors >= accesses && sectors <= accesses * (line_bytes / SIM_SECTOR_BYTES);
}

int sim_stats_check(const struct sim_stats *s, const struct sim_config *c, struct tr_err *err)
{
	uint64_t classes = 0, bins = 0;
	struct sim_inst_stats all = {0};

	for (int i = 0; i < SIM_NCYCLES; i++)
		classes += s->by_cycle[i];
	for (int i = 0; i < SIM_LANE_BINS; i++)
		bins += s->issued_bins[i];
	for (int i = 0; i < SIM_UNIT_STALLS; i++)
		if (s->by_cycle[SIM_CY_STALL_MSHR + i] > s->unit_stalls[i] * c->sm.schedulers)
			return tr_fail(err, TR_EDATA, 0,
				"accounting does not add up: more cycles %s than the memory unit's",
				sim_cycle_name(SIM_CY_STALL_MSHR + i));
	for (uint32_t i = 0; i < s->ninsts; i++)
		add_all((uint64_t *)&all, (const uint64_t *)&s->insts[i], sizeof(all));
	SAME(classes, s->cycles * c->sm.sms * c->sm.schedulers,
		"classes of cycles, cycles times SMs times schedulers");
	if (!c->sm.unlimited_issue)
		SAME(bins, s->by_cycle[SIM_CY_ISSUED], "lanes' bins, issued cycles");
	SAME(s->ended, s->threads, "threads that ran to the end of their records, threads");
	SAME(all.warp_insts, s->warp_insts, "warp instructions per pc, total");
	SAME(all.thread_insts, s->thread_insts, "thread instructions per pc, total");
	SAME(all.active_lanes, s->active_lanes, "active lanes per pc, total");
	SAME(all.issue_lanes, s->issue_lanes, "lanes of warps per pc, total");
	SAME(all.accesses, s->l1d.accesses, "L1D accesses per pc, total");
	SAME(all.hits, s->l1d.hits, "L1D hits per pc, total");
	SAME(all.misses, s->l1d.misses, "L1D misses per pc, total");
	SAME(all.merges, s->l1d.merges, "L1D merges per pc, total");
	SAME(all.lats, s->lats, "LATs per pc, total");
	SAME(all.lats_ignored, s->lats_ignored, "ignored LATs per pc, total");
	SAME(s->l1d.hits + s->l1d.misses + s->l1d.merges, s->l1d.accesses,
		"L1D hits, misses and merges, accesses");
	SAME(s->l1d.intra_warp_hits + s->l1d.inter_warp_hits, s->l1d.hits,
		"L1D hits within and between warps, hits");
	if (!sectors_fit(s->l1d.hit_sectors, s->l1d.hits, c->l1d.g.line_bytes) ||
		!sectors_fit(
			s->l1d.miss_sectors, s->l1d.misses + s->l1d.merges, c->l1d.g.line_bytes))
		return tr_fail(err, TR_EDATA, 0,
			"accounting does not add up: sectors of the L1D, accesses");
	return 1;
}
