/* The replay's counters: their memory, their sums, their identities. */
#include "sim/sm/stats.h"
#include "sim/base/mix.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *sim_cycle_name(enum sim_cycle c)
{
	static const char *const names[SIM_NCYCLES] = {"issued", "stall_lsu", "stall_mshr",
		"stall_merge", "stall_line", "stall_queue", "stall_unit", "withheld", "memory",
		"sync", "idle", "drained"};

	return (unsigned)c < SIM_NCYCLES ? names[c] : NULL;
}

static const struct sim_stat table[SIM_NSTATS] = {
#define STAT(name, member, kind, group)                                                            \
	{#name, offsetof(struct sim_stats, member),                                                \
		sizeof(((struct sim_stats *)0)->member) / sizeof(uint64_t), SIM_STAT_##kind,       \
		SIM_STAT_OF_##group},
#include "sim/sm/stats.def"
#undef STAT
};

const struct sim_stat *sim_stats_at(unsigned i)
{
	return i < SIM_NSTATS ? &table[i] : NULL;
}

const uint64_t *sim_stats_numbers(const struct sim_stats *s, const struct sim_stat *f)
{
	return (const uint64_t *)(const void *)((const char *)s + f->at);
}

int sim_stats_init(struct sim_stats *s, uint32_t ninsts, const struct sim_counter *counters)
{
	uint32_t n = 0;

	while (counters && counters[n].name)
		n++;
	*s = (struct sim_stats){.ninsts = ninsts, .counters = counters};
	s->insts = calloc((size_t)ninsts + 1, sizeof(*s->insts));
	s->policy_insts = calloc((size_t)ninsts * n + 1, sizeof(*s->policy_insts));
	return s->insts && s->policy_insts ? 0 : -1;
}

int sim_stats_charge(struct sim_stats *s)
{
	s->charged = calloc((size_t)s->ninsts * SIM_NCYCLES + 1, sizeof(*s->charged));
	return s->charged ? 0 : -1;
}

void sim_stats_free(struct sim_stats *s)
{
	free(s->charged);
	free(s->insts);
	free(s->policy_insts);
	*s = (struct sim_stats){0};
}

int sim_stats_counter(const struct sim_stats *s, const char *name)
{
	for (int i = 0; s->counters && s->counters[i].name; i++)
		if (!strcmp(s->counters[i].name, name))
			return i;
	return -1;
}

static uint64_t together(enum sim_stat_kind kind, uint64_t a, uint64_t b)
{
	return kind == SIM_STAT_SUM ? a + b : a > b ? a : b;
}

void sim_stats_add(struct sim_stats *sum, const struct sim_stats *s)
{
	sum->counters = s->counters;
	for (const struct sim_stat *f = table; f < table + SIM_NSTATS; f++) {
		uint64_t *to = (uint64_t *)(void *)((char *)sum + f->at);

		for (uint32_t k = 0; k < f->n; k++)
			to[k] = together(f->kind, to[k], sim_stats_numbers(s, f)[k]);
	}
}

void sim_mem_stats_since(struct sim_mem_stats *s, const struct sim_mem_stats *before)
{
	const size_t base = offsetof(struct sim_stats, mem);

	for (const struct sim_stat *f = table; f < table + SIM_NSTATS; f++)
		if (f->group == SIM_STAT_OF_MEMORY)
			*(uint64_t *)(void *)((char *)s + f->at - base) -=
				*(const uint64_t *)(const void *)((const char *)before + f->at -
								  base);
}

uint64_t sim_stats_hash(const struct sim_stats *s, uint64_t h)
{
	for (const struct sim_stat *f = table; f < table + SIM_NSTATS; f++)
		for (uint32_t k = 0; k < f->n; k++)
			if (f->group == SIM_STAT_OF_SM || f->group == SIM_STAT_OF_LAUNCH ||
				(f->group == SIM_STAT_OF_WAITS && sim_stats_numbers(s, f)[k]))
				h = sim_mix(h, sim_stats_numbers(s, f)[k]);
	return h;
}

/* Of each instruction, what adds up to the launch. */
static void add_inst(struct sim_inst_stats *sum, const struct sim_inst_stats *s)
{
	sum->warp_insts += s->warp_insts;
	sum->thread_insts += s->thread_insts;
	sum->active_lanes += s->active_lanes;
	sum->issue_lanes += s->issue_lanes;
	sum->accesses += s->accesses;
	sum->hits += s->hits;
	sum->misses += s->misses;
	sum->merges += s->merges;
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

/* Where the L1D has sectors, some of an access that misses may hit; never all of them. */
static int l1d_sectors_fit(const struct sim_l1d_stats *s, const struct sim_config *c)
{
	const uint32_t line = c->l1d.g.line_bytes;
	const uint64_t missed = s->misses + s->merges;

	if (!sectors_fit(s->miss_sectors, missed, line))
		return 0;
	if (!c->l1d.sector_bytes)
		return sectors_fit(s->hit_sectors, s->hits, line);
	return s->hit_sectors >= s->hits &&
	       sectors_fit(s->hit_sectors + s->miss_sectors, s->accesses, line);
}

int sim_stats_check(const struct sim_stats *s, const struct sim_config *c, struct tr_err *err)
{
	uint64_t classes = 0, bins = 0, threads = 0;
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
		add_inst(&all, &s->insts[i]);
	SAME(classes, s->cycles * c->sm.sms * c->sm.schedulers,
		"classes of cycles, cycles times SMs times schedulers");
	if (!c->sm.unlimited_issue)
		SAME(bins, s->by_cycle[SIM_CY_ISSUED], "lanes' bins, issued cycles");
	for (int i = 0; i < SIM_NTHREAD_CLASSES; i++)
		threads += s->by_thread[i];
	SAME(threads, s->thread_cycles, "threads by what they do, threads there over cycles");
	SAME(s->ended, s->threads, "threads that ran to the end of their records, threads");
	SAME(all.warp_insts, s->warp_insts, "warp instructions per pc, total");
	SAME(all.thread_insts, s->thread_insts, "thread instructions per pc, total");
	SAME(all.active_lanes, s->active_lanes, "active lanes per pc, total");
	SAME(all.issue_lanes, s->issue_lanes, "lanes of warps per pc, total");
	SAME(all.accesses, s->l1d.accesses, "L1D accesses per pc, total");
	SAME(all.hits, s->l1d.hits, "L1D hits per pc, total");
	SAME(all.misses, s->l1d.misses, "L1D misses per pc, total");
	SAME(all.merges, s->l1d.merges, "L1D merges per pc, total");
	for (uint32_t k = 0; s->counters && s->counters[k].name; k++) {
		uint64_t sum = 0;

		for (uint32_t i = 0; i < s->ninsts; i++)
			sum += s->policy_insts[(size_t)k * s->ninsts + i];
		if (s->counters[k].by_inst == 1)
			SAME(sum, s->policy[k], s->counters[k].name);
	}
	for (unsigned k = 0; s->charged && k < SIM_NCYCLES; k++) {
		uint64_t sum = 0;

		for (uint32_t i = 0; i < s->ninsts; i++)
			sum += s->charged[(size_t)i * SIM_NCYCLES + k];
		if (sim_is_charged((enum sim_cycle)k))
			SAME(sum, s->by_cycle[k], "cycles without an issue per pc, total");
	}
	SAME(s->l1d.hits + s->l1d.misses + s->l1d.merges, s->l1d.accesses,
		"L1D hits, misses and merges, accesses");
	SAME(s->l1d.intra_warp_hits + s->l1d.inter_warp_hits, s->l1d.hits,
		"L1D hits within and between warps, hits");
	if (!l1d_sectors_fit(&s->l1d, c))
		return tr_fail(err, TR_EDATA, 0,
			"accounting does not add up: sectors of the L1D, accesses");
	return 1;
}
