/*
 * The tables of trace-replay; see replay_rows.h. Each column is one line here.
 */
#include "tools/replay_rows.h"
#include "sim/sm/energy.h"
#include "tools/storage.h"
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- columns of the main table ---- */

typedef double ratio_of(const struct sim_stats *s, const struct sim_config *c);

struct figure {
	const char *name;
	int group;       /* BASE, or an enum stats_group */
	unsigned stat;   /* enum sim_stat_index, or BY_NAME, where there is no ratio */
	ratio_of *ratio; /* of counters */
};

enum { BASE = -1 };

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static double ipc_warp(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->warp_insts, (double)s->cycles);
}

static double ipc_thread(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->thread_insts, (double)s->cycles);
}

static double ipc_warp_sm(const struct sim_stats *s, const struct sim_config *c)
{
	return ipc_warp(s, c) / c->sm.sms;
}

static double ipc_thread_sm(const struct sim_stats *s, const struct sim_config *c)
{
	return ipc_thread(s, c) / c->sm.sms;
}

/* CROWN, slide 48: active lanes over lanes, where anything was issued. */
static double simd_efficiency(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->active_lanes, (double)s->issue_lanes);
}

static double dsm_latency(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->dsm.latency_sum, (double)s->dsm.replies);
}

/* Of all schedulers, whatever they went to. */
static uint64_t cycles_of(const struct sim_stats *s)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < SIM_NCYCLES; i++)
		all += s->by_cycle[i];
	return all;
}

static double share_of_cycles(const struct sim_stats *s, uint64_t cycles)
{
	return ratio((double)cycles, (double)cycles_of(s));
}

/*
 * DWR, II: cycles in which the scheduler finds no ready warp in its pool. Its simulator, GPGPU-Sim
 * 2.1.1b, does not step an SM that has no work left: that is no idle cycle, and no cycle at all.
 */
static double idle_share(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)(s->by_cycle[SIM_CY_MEMORY] + s->by_cycle[SIM_CY_SYNC] +
			      s->by_cycle[SIM_CY_IDLE]),
		(double)(cycles_of(s) - s->by_cycle[SIM_CY_DRAINED]));
}

/* Thesis, figure 4.11: an instruction issued; one could have, but for the scheduler; none could. */
static double issued_share(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return share_of_cycles(s, s->by_cycle[SIM_CY_ISSUED]);
}

static double withheld_share(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return share_of_cycles(s, s->by_cycle[SIM_CY_WITHHELD]);
}

static double nothing_share(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return share_of_cycles(
		s, cycles_of(s) - s->by_cycle[SIM_CY_ISSUED] - s->by_cycle[SIM_CY_WITHHELD]);
}

/* The same of warp instructions: wide ones are fewer for the same accesses. */
static double coalescing_rate_warp(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->mem_insts, (double)s->offcore);
}

/*
 * DWR, equation 1. Its "memory insn." are taken to be those of threads: the paper's rate rises with
 * the width of warps, and one of warp instructions falls.
 */
static double coalescing_rate(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->mem_lanes, (double)s->offcore);
}

/* CROWN, slides 12 and 21 to 23: threads of issuing warps by what keeps them off. */
static double share_of_threads(const struct sim_stats *s, uint64_t lanes)
{
	return ratio(
		(double)lanes, (double)(s->active_lanes + s->inactive_lanes + s->waiting_lanes));
}

static double inactive_share(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return share_of_threads(s, s->inactive_lanes);
}

static double waiting_share(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return share_of_threads(s, s->waiting_lanes);
}

/* CROWN, slides 14 and 22, 15 and 23: of the threads on the SMs, in all cycles. */
static double threads_inactive_share(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->by_thread[SIM_TH_INACTIVE], (double)s->thread_cycles);
}

static double threads_meet_share(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->by_thread[SIM_TH_MEET], (double)s->thread_cycles);
}

static double l1d_mpki(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio(1000.0 * (double)s->l1d.misses, (double)s->thread_insts);
}

static double l1d_mpki_warp(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio(1000.0 * (double)s->l1d.misses, (double)s->warp_insts);
}

/* Thesis, figures 3.12 and 4.9: the L1D's accesses by class, which add up with its MPKI. */
static double per_thousand(const struct sim_stats *s, uint64_t accesses)
{
	return ratio(1000.0 * (double)accesses, (double)s->thread_insts);
}

static double merge_pki(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return per_thousand(s, s->l1d.merges);
}

static double inter_warp_pki(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return per_thousand(s, s->l1d.inter_warp_hits);
}

static double inter_thread_pki(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return per_thousand(s, s->l1d.intra_warp_hits - s->l1d.intra_thread_hits);
}

static double intra_thread_pki(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return per_thousand(s, s->l1d.intra_thread_hits);
}

static double vta_pki(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio(1000.0 * (double)s->sched.vta_hits, (double)s->warp_insts);
}

static double latency(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->mem.latency_sum, (double)s->mem.replies);
}

/* Of data and of code, as rows, commands and cycles of the DRAM are. */
static double dram_requests(const struct sim_stats *s)
{
	return (double)(s->mem.dram_reads + s->mem.dram_writes + s->mem.code_dram_reads);
}

/* DTBL 5.2: of the cycles in which a channel has work, those in which data move. */
static double dram_efficiency(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->mem.dram_data_cycles, (double)s->mem.dram_active_cycles);
}

/* DTBL 5.2A: commands that read and write, over the cycles in which a channel has work. */
static double dram_commands(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio(dram_requests(s), (double)s->mem.dram_active_cycles);
}

/* DTBL 5.2B: warps that SMs have, over those that they may have. */
static double occupancy(const struct sim_stats *s, const struct sim_config *c)
{
	const double warps = (double)c->sm.threads / c->sm.warp_size;

	return ratio((double)s->launch.warp_cycles, (double)s->cycles * c->sm.sms * warps);
}

static double threads_per_launch(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->launch.threads, (double)s->launch.launches);
}

static double launch_wait(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->launch.waited, (double)s->launch.launches);
}

static double matched_share(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->launch.matched, (double)s->launch.launches);
}

static double kde_used(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->launch.kde_cycles, (double)s->cycles);
}

static double dtbl_bytes(const struct sim_stats *s, const struct sim_config *c)
{
	(void)s;
	return (double)sim_dtbl_bytes(c);
}

static double agt_bytes(const struct sim_stats *s, const struct sim_config *c)
{
	(void)s;
	return (double)sim_dtbl_agt_bytes(c);
}

static double row_locality(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->mem.dram_row_hits, dram_requests(s));
}

static double energy_l1d(const struct sim_stats *s, const struct sim_config *c)
{
	return sim_energy(s, c).l1d;
}

static double energy_l2(const struct sim_stats *s, const struct sim_config *c)
{
	return sim_energy(s, c).l2;
}

static double energy_dram(const struct sim_stats *s, const struct sim_config *c)
{
	return sim_energy(s, c).dram;
}

static double energy_all(const struct sim_stats *s, const struct sim_config *c)
{
	const struct sim_energy e = sim_energy(s, c);

	return e.l1d + e.l2 + e.dram;
}

/* Thesis, figures 6.4 and 6.8: of one SM. */
static double fetches_per_cycle(const struct sim_stats *s, const struct sim_config *c)
{
	return ratio((double)s->fetches, (double)s->cycles * c->sm.sms);
}

static double decodes_per_cycle(const struct sim_stats *s, const struct sim_config *c)
{
	return ratio((double)(s->fetches + s->l0_hits), (double)s->cycles * c->sm.sms);
}

/* Thesis, figure 6.2, below: active lanes of an SM in cycles with an issue. */
static double lanes_per_issue_cycle(const struct sim_stats *s, const struct sim_config *c)
{
	(void)c;
	return ratio((double)s->active_lanes, (double)s->issue_cycles);
}

#define BY_NAME SIM_NSTATS
#define COUNTER(group, name)                                                                       \
	{                                                                                          \
#name, group, SIM_STAT_##name, NULL                                                \
	}
/* What only some warp policies count; 0 under the others. */
#define OF_POLICY(name)                                                                            \
	{                                                                                          \
		name, STATS_POLICY, BY_NAME, NULL                                                  \
	}
#define RATIO(group, name, function)                                                               \
	{                                                                                          \
		name, group, 0, function                                                           \
	}

/* In the order of the columns: new ones go last in their group. */
static const struct figure figures[] = {
	COUNTER(BASE, cycles),
	COUNTER(BASE, warp_insts),
	COUNTER(BASE, thread_insts),
	RATIO(BASE, "ipc_warp", ipc_warp),
	RATIO(BASE, "ipc_thread", ipc_thread),
	RATIO(BASE, "simd_efficiency", simd_efficiency),
	RATIO(BASE, "idle_share", idle_share),
	RATIO(BASE, "coalescing_rate", coalescing_rate),
	COUNTER(BASE, l1d_accesses),
	COUNTER(BASE, l1d_hits),
	COUNTER(BASE, l1d_misses),
	COUNTER(BASE, l1d_merges),
	RATIO(BASE, "l1d_mpki", l1d_mpki),
	COUNTER(BASE, intra_warp_hits),
	COUNTER(BASE, inter_warp_hits),
	COUNTER(BASE, l2_misses),
	COUNTER(BASE, dram_reads),
	COUNTER(BASE, dram_writes),

	RATIO(STATS_IPC, "ipc_warp_sm", ipc_warp_sm),
	RATIO(STATS_IPC, "ipc_thread_sm", ipc_thread_sm),

	COUNTER(STATS_STALLS, cycles_issued),
	COUNTER(STATS_STALLS, cycles_stall_lsu),
	COUNTER(STATS_STALLS, cycles_stall_mshr),
	COUNTER(STATS_STALLS, cycles_stall_merge),
	COUNTER(STATS_STALLS, cycles_stall_line),
	COUNTER(STATS_STALLS, cycles_stall_queue),
	COUNTER(STATS_STALLS, cycles_stall_unit),
	COUNTER(STATS_STALLS, cycles_withheld),
	COUNTER(STATS_STALLS, cycles_memory),
	COUNTER(STATS_STALLS, cycles_sync),
	COUNTER(STATS_STALLS, cycles_idle),
	COUNTER(STATS_STALLS, cycles_drained),
	RATIO(STATS_STALLS, "issued_share", issued_share),
	RATIO(STATS_STALLS, "withheld_share", withheld_share),
	RATIO(STATS_STALLS, "nothing_share", nothing_share),

	COUNTER(STATS_UNIT, unit_serial),
	COUNTER(STATS_UNIT, unit_mshr),
	COUNTER(STATS_UNIT, unit_merge),
	COUNTER(STATS_UNIT, unit_line),
	COUNTER(STATS_UNIT, unit_queue),

	COUNTER(STATS_LANES, w1_4),
	COUNTER(STATS_LANES, w5_8),
	COUNTER(STATS_LANES, w9_12),
	COUNTER(STATS_LANES, w13_16),
	COUNTER(STATS_LANES, w17_20),
	COUNTER(STATS_LANES, w21_24),
	COUNTER(STATS_LANES, w25_28),
	COUNTER(STATS_LANES, w29_32),

	COUNTER(STATS_L1D, intra_thread_hits),
	RATIO(STATS_L1D, "l1d_mpki_warp", l1d_mpki_warp),
	COUNTER(STATS_L1D, l1d_writes),
	COUNTER(STATS_L1D, l1d_write_hits),
	COUNTER(STATS_L1D, l1d_atomics),
	COUNTER(STATS_L1D, l1d_evictions),
	COUNTER(STATS_L1D, l1d_inflight_victims),
	COUNTER(STATS_L1D, const_accesses),
	COUNTER(STATS_L1D, const_misses),
	COUNTER(STATS_L1D, texture_accesses),
	COUNTER(STATS_L1D, texture_misses),
	COUNTER(STATS_L1D, shared_accesses),
	COUNTER(STATS_L1D, shared_conflict_cycles),
	RATIO(STATS_L1D, "merge_pki", merge_pki),
	RATIO(STATS_L1D, "inter_warp_pki", inter_warp_pki),
	RATIO(STATS_L1D, "inter_thread_pki", inter_thread_pki),
	RATIO(STATS_L1D, "intra_thread_pki", intra_thread_pki),

	COUNTER(STATS_MEMORY, requests),
	COUNTER(STATS_MEMORY, replies),
	RATIO(STATS_MEMORY, "latency", latency),
	COUNTER(STATS_MEMORY, request_flits),
	COUNTER(STATS_MEMORY, reply_flits),
	COUNTER(STATS_MEMORY, traffic_bytes),
	COUNTER(STATS_MEMORY, inject_stalls),
	COUNTER(STATS_MEMORY, l2_accesses),
	COUNTER(STATS_MEMORY, l2_hits),
	COUNTER(STATS_MEMORY, l2_merges),
	COUNTER(STATS_MEMORY, l2_reads),
	COUNTER(STATS_MEMORY, l2_read_hits),
	COUNTER(STATS_MEMORY, l2_read_merges),
	COUNTER(STATS_MEMORY, l2_writebacks),
	COUNTER(STATS_MEMORY, l2_stalls),
	COUNTER(STATS_MEMORY, dram_row_hits),
	COUNTER(STATS_MEMORY, dram_activates),
	COUNTER(STATS_MEMORY, dram_bytes),
	RATIO(STATS_MEMORY, "dram_efficiency", dram_efficiency),
	RATIO(STATS_MEMORY, "dram_row_locality", row_locality),

	COUNTER(STATS_DIVERGENCE, mem_insts),
	COUNTER(STATS_DIVERGENCE, transactions),
	COUNTER(STATS_DIVERGENCE, offcore_requests),
	RATIO(STATS_DIVERGENCE, "coalescing_rate_warp", coalescing_rate_warp),
	COUNTER(STATS_DIVERGENCE, issue_lanes),
	COUNTER(STATS_DIVERGENCE, active_lanes),
	COUNTER(STATS_DIVERGENCE, inactive_lanes),
	COUNTER(STATS_DIVERGENCE, waiting_lanes),
	RATIO(STATS_DIVERGENCE, "inactive_share", inactive_share),
	RATIO(STATS_DIVERGENCE, "waiting_share", waiting_share),
	COUNTER(STATS_DIVERGENCE, stack_depth_max),
	COUNTER(STATS_DIVERGENCE, warps_created),

	COUNTER(STATS_THREADS, thread_cycles),
	COUNTER(STATS_THREADS, threads_ready),
	COUNTER(STATS_THREADS, threads_pipeline),
	COUNTER(STATS_THREADS, threads_memory),
	COUNTER(STATS_THREADS, threads_inactive),
	COUNTER(STATS_THREADS, threads_meet),
	COUNTER(STATS_THREADS, threads_barrier),
	RATIO(STATS_THREADS, "threads_inactive_share", threads_inactive_share),
	RATIO(STATS_THREADS, "threads_meet_share", threads_meet_share),

	COUNTER(STATS_SYNC, barriers),
	COUNTER(STATS_SYNC, overtaken_reads),
	COUNTER(STATS_SYNC, short_collectives),
	COUNTER(STATS_SYNC, cycles_mbarrier),
	COUNTER(STATS_SYNC, mbarrier_phases),

	COUNTER(STATS_FETCH, fetches),
	COUNTER(STATS_FETCH, l0_hits),
	RATIO(STATS_FETCH, "fetches_per_cycle", fetches_per_cycle),
	RATIO(STATS_FETCH, "decodes_per_cycle", decodes_per_cycle),
	COUNTER(STATS_FETCH, issue_cycles),
	RATIO(STATS_FETCH, "lanes_per_issue_cycle", lanes_per_issue_cycle),
	COUNTER(STATS_FETCH, code_fetches),
	COUNTER(STATS_FETCH, code_requests),
	COUNTER(STATS_FETCH, code_l2_accesses),
	COUNTER(STATS_FETCH, code_l2_hits),
	COUNTER(STATS_FETCH, code_dram_reads),

	COUNTER(STATS_POLICY, vta_hits),
	RATIO(STATS_POLICY, "vta_pki", vta_pki),
	COUNTER(STATS_POLICY, vta_hits_descheduled),
	COUNTER(STATS_POLICY, vta_hits_withheld),
	OF_POLICY("inserted_insts"),
	OF_POLICY("lats"),
	OF_POLICY("lats_ignored"),
	OF_POLICY("warp_merges"),
	OF_POLICY("merged_threads"),
	OF_POLICY("lookup_evictions"),
	OF_POLICY("waiting_merges"),
	OF_POLICY("waiting_evictions"),
	OF_POLICY("reconv_barriers"),
	OF_POLICY("reconv_refused"),
	OF_POLICY("reincarnations"),
	OF_POLICY("level2_stood"),
	OF_POLICY("level2_overflows"),
	COUNTER(STATS_POLICY, withheld_loads),
	COUNTER(STATS_POLICY, predictions),
	COUNTER(STATS_POLICY, predicted_lines),

	RATIO(STATS_ENERGY, "energy_l1d_nj", energy_l1d),
	RATIO(STATS_ENERGY, "energy_l2_nj", energy_l2),
	RATIO(STATS_ENERGY, "energy_dram_nj", energy_dram),
	RATIO(STATS_ENERGY, "energy_nj", energy_all),
	COUNTER(STATS_ENERGY, l1d_hit_sectors),
	COUNTER(STATS_ENERGY, l1d_miss_sectors),
	COUNTER(STATS_ENERGY, dram_precharges),
	COUNTER(STATS_ENERGY, dram_write_bytes),

	RATIO(STATS_LAUNCH, "occupancy", occupancy),
	RATIO(STATS_LAUNCH, "dram_commands", dram_commands),
	COUNTER(STATS_LAUNCH, device_launches),
	RATIO(STATS_LAUNCH, "threads_per_launch", threads_per_launch),
	RATIO(STATS_LAUNCH, "launch_wait", launch_wait),
	COUNTER(STATS_LAUNCH, launch_bytes),
	COUNTER(STATS_LAUNCH, groups),
	RATIO(STATS_LAUNCH, "groups_share", matched_share),
	COUNTER(STATS_LAUNCH, agt_overflows),
	RATIO(STATS_LAUNCH, "kde_used", kde_used),
	COUNTER(STATS_LAUNCH, api_cycles),
	RATIO(STATS_LAUNCH, "dtbl_bytes", dtbl_bytes),
	RATIO(STATS_LAUNCH, "agt_bytes", agt_bytes),

	COUNTER(STATS_CLUSTER, cluster_barriers),
	COUNTER(STATS_CLUSTER, dsm_accesses),
	COUNTER(STATS_CLUSTER, dsm_bytes),
	COUNTER(STATS_CLUSTER, dsm_conflict_cycles),
	RATIO(STATS_CLUSTER, "dsm_latency", dsm_latency),

	COUNTER(STATS_SYNC, forced_barriers),
	COUNTER(STATS_SYNC, spin_insts),
};

static const char *const group_names[STATS_NGROUPS] = {
	[STATS_IPC] = "ipc",
	[STATS_STALLS] = "stalls",
	[STATS_UNIT] = "unit",
	[STATS_LANES] = "lanes",
	[STATS_L1D] = "l1d",
	[STATS_MEMORY] = "memory",
	[STATS_DIVERGENCE] = "divergence",
	[STATS_THREADS] = "threads",
	[STATS_SYNC] = "sync",
	[STATS_FETCH] = "fetch",
	[STATS_POLICY] = "policy",
	[STATS_ENERGY] = "energy",
	[STATS_LAUNCH] = "launch",
	[STATS_CLUSTER] = "cluster",
	[STATS_PC] = "pc",
	[STATS_LINE] = "line",
	[STATS_BUFFER] = "buffer",
	[STATS_STORAGE] = "storage",
	[STATS_LAUNCHES] = "launches",
};

const char *stats_group_name(enum stats_group g)
{
	return g < STATS_NGROUPS ? group_names[g] : NULL;
}

const char *stats_group_help(enum stats_group g)
{
	static const char *const help[STATS_NGROUPS] = {
		[STATS_IPC] = "instructions per cycle of one SM",
		[STATS_STALLS] = "what the schedulers' cycles went to; they add up",
		[STATS_UNIT] = "what kept memory units on one instruction for further cycles",
		[STATS_LANES] = "issued cycles by active lanes; of wider warps, by eighths of them",
		[STATS_L1D] = "the L1D's hits, stores and evictions, and the caches beside it",
		[STATS_MEMORY] = "interconnect, L2 and DRAM",
		[STATS_DIVERGENCE] = "lanes, transactions, stacks",
		[STATS_THREADS] = "what the threads on the SMs did, over cycles; they add up",
		[STATS_SYNC] = "barriers, and what needs warps as they were recorded",
		[STATS_FETCH] = "instruction supply, and lanes in cycles with an issue",
		[STATS_POLICY] = ("lost locality (ccws, daws), synchronized instructions (dwr), "
				  "regrouped warps (crown), what a policy of one's own counts"),
		[STATS_ENERGY] = "dynamic energy of the memory system, in nJ, from its counts",
		[STATS_LAUNCH] = "launches by threads; occupancy, the DRAM by commands",
		[STATS_CLUSTER] = "barriers of clusters, and other SMs' shared memory",
		[STATS_PC] = "a row for each instruction, instead: also what warps waited at",
		[STATS_LINE] = "a row for each source line, instead: likewise",
		[STATS_BUFFER] = "a row for each allocation, instead",
		[STATS_STORAGE] = "what policies' tables take of a chip, instead of a replay",
		[STATS_LAUNCHES] =
			"a row for each launch, of threads too, instead: when it was there",
	};

	return g < STATS_NGROUPS ? help[g] : NULL;
}

unsigned stats_groups(const char *list)
{
	const char *names[STATS_NGROUPS + 2] = {NULL}, *like;
	const unsigned splits = 1u << STATS_PC | 1u << STATS_LINE | 1u << STATS_BUFFER |
				1u << STATS_STORAGE | 1u << STATS_LAUNCHES;
	unsigned groups = 0, split;

	for (unsigned g = 0; g < STATS_NGROUPS; g++)
		names[g] = group_names[g];
	names[STATS_NGROUPS] = "all";
	while (*list) {
		const size_t n = strcspn(list, ",");
		char *word = must_printf("%.*s", (int)n, list);
		unsigned g = 0;

		while (names[g] && strcmp(names[g], word))
			g++;
		if (!names[g]) {
			like = nearest(word, names);
			die(EXIT_USAGE,
				"--stats: unknown group '%s'%s%s%s: --stats=help names them", word,
				like ? ", did you mean '" : "", like ? like : "", like ? "'?" : "");
		}
		groups |= g == STATS_NGROUPS ? (1u << STATS_PC) - 1 : 1u << g;
		free(word);
		list += n + (list[n] == ',');
	}
	split = groups & splits;
	if (split && split != groups)
		die(EXIT_USAGE,
			"--stats: pc, line, buffer, storage and launches are tables of their own");
	if (split & (split - 1))
		die(EXIT_USAGE, "--stats: one of pc, line, buffer, storage and launches at a time");
	return groups;
}

/* ---- the main table ---- */

static const struct column first_columns[] = {
	{"kernel", SEEN},
	{"scheduler", SEEN},
	{"warp", SEEN},
	{"machine", SEEN},
};

static const struct column last_columns[] = {
	{"launch", SEEN},
	{"settings", IF_ANY},
};

static bool shown(const struct figure *f, unsigned groups)
{
	return f->group != BASE && groups >> f->group & 1;
}

/* A counter of the warp policy that no figure above names: a policy of the user's own has them. */
static bool is_further(const struct sim_counter *counter)
{
	for (size_t i = 0; i < COUNT(figures); i++)
		if (figures[i].stat == BY_NAME && !strcmp(figures[i].name, counter->name))
			return false;
	return true;
}

struct column *replay_columns(unsigned groups, const struct sim_counter *counters, unsigned *n)
{
	struct column *c = must_alloc(
		COUNT(first_columns) + COUNT(figures) + COUNT(last_columns) + SIM_COUNTERS + 1,
		sizeof(*c));

	memcpy(c, first_columns, sizeof(first_columns));
	*n = COUNT(first_columns);
	for (size_t i = 0; i < COUNT(figures); i++)
		if (figures[i].group == BASE)
			c[(*n)++] = (struct column){figures[i].name, SEEN};
	memcpy(c + *n, last_columns, sizeof(last_columns));
	*n += COUNT(last_columns);
	for (size_t i = 0; i < COUNT(figures); i++)
		if (shown(&figures[i], groups))
			c[(*n)++] = (struct column){figures[i].name, SEEN};
	for (; counters && groups >> STATS_POLICY & 1 && counters->name; counters++)
		if (is_further(counters))
			c[(*n)++] = (struct column){counters->name, SEEN};
	return c;
}

static uint64_t policy_count(const struct sim_stats *s, const char *name)
{
	const int c = sim_stats_counter(s, name);

	return c < 0 ? 0 : s->policy[c];
}

static uint64_t policy_count_at(const struct sim_stats *s, const char *name, uint32_t inst)
{
	const int c = sim_stats_counter(s, name);

	return c < 0 ? 0 : s->policy_insts[(size_t)c * s->ninsts + inst];
}

static void put_figure(struct table *t, const struct figure *f, const struct replay_row *row,
	const struct sim_stats *s)
{
	if (f->ratio)
		table_real(t, f->ratio(s, row->config));
	else if (f->stat == BY_NAME)
		table_uint(t, policy_count(s, f->name));
	else
		table_uint(t, *sim_stats_numbers(s, sim_stats_at(f->stat)));
}

void replay_row(
	struct table *t, unsigned groups, const struct replay_row *row, const struct sim_stats *s)
{
	if (!row->launch)
		table_total(t);
	table_text(t, row->kernel);
	table_text(t, row->scheduler);
	table_text(t, row->warp);
	table_text(t, row->machine);
	for (size_t i = 0; i < COUNT(figures); i++)
		if (figures[i].group == BASE)
			put_figure(t, &figures[i], row, s);
	if (row->launch)
		table_id(t, row->launch->number);
	else
		table_text(t, "total");
	table_text(t, row->settings);
	for (size_t i = 0; i < COUNT(figures); i++)
		if (shown(&figures[i], groups))
			put_figure(t, &figures[i], row, s);
	for (unsigned i = 0; groups >> STATS_POLICY & 1 && row->counters[i].name; i++)
		if (is_further(&row->counters[i]))
			table_uint(t, s->policy[i]);
}

/* ---- splits ---- */

/* What instructions and lines have in common at the end: cycles without an issue. */
#define STALL_COLUMNS                                                                              \
	{"stall_cycles", SEEN}, {"stall_share", SEEN}, {"cycles_stall_lsu", UNSEEN},               \
		{"cycles_stall_mshr", UNSEEN}, {"cycles_stall_merge", UNSEEN},                     \
		{"cycles_stall_line", UNSEEN}, {"cycles_stall_queue", UNSEEN},                     \
		{"cycles_stall_unit", UNSEEN}, {"cycles_withheld", UNSEEN},                        \
		{"cycles_memory", UNSEEN}, {"cycles_sync", UNSEEN}, {"cycles_idle", UNSEEN},

static const struct column pc_columns[] = {{"kernel", SEEN}, {"launch", SEEN}, {"pc", SEEN},
	{"inst", SEEN}, {"file", IF_MANY}, {"source_line", SEEN}, {"warp_insts", SEEN},
	{"thread_insts", SEEN}, {"simd_efficiency", SEEN}, {"l1d_accesses", SEEN},
	{"l1d_hits", SEEN}, {"l1d_misses", SEEN}, {"l1d_merges", SEEN}, {"lats", UNSEEN},
	{"lats_ignored", UNSEEN}, STALL_COLUMNS};

static const struct column line_columns[] = {{"kernel", SEEN}, {"launch", SEEN}, {"file", IF_MANY},
	{"source_line", SEEN}, {"warp_insts", SEEN}, {"thread_insts", SEEN}, {"l1d_accesses", SEEN},
	{"l1d_hits", SEEN}, {"l1d_misses", SEEN}, {"l1d_merges", SEEN}, {"simd_efficiency", SEEN},
	STALL_COLUMNS};

static const struct column buffer_columns[] = {
	{"kernel", SEEN},
	{"launch", SEEN},
	{"buffer", SEEN},
	{"base", UNSEEN},
	{"bytes", SEEN},
	{"l1d_accesses", SEEN},
	{"l1d_hits", SEEN},
	{"l1d_misses", SEEN},
	{"l1d_merges", SEEN},
};

static const struct column launches_columns[] = {
	{"launch", SEEN},
	{"kernel", SEEN},
	{"parent", SEEN},
	{"depth", SEEN},
	{"grid", SEEN},
	{"block", SEEN},
	{"ctas", UNSEEN},
	{"threads", UNSEEN},
	{"called", SEEN},
	{"began", SEEN},
	{"ended", SEEN},
	{"launch_wait", SEEN},
	{"joined", SEEN},
	{"overflowed", UNSEEN},
	{"parent_cta", UNSEEN},
	{"parent_thread", UNSEEN},
};

void launches_row(struct table *t, const struct sim_kernel *k, uint64_t start)
{
	const struct tr_launch *l = &k->launch;
	const int child = l->parent_launch != TR_NONE;

	table_id(t, l->number);
	table_text(t, tr_str(k->program, k->program->name));
	if (child)
		table_id(t, l->parent_launch);
	else
		table_none(t);
	table_uint(t, k->depth);
	table_shape(t, l->grid);
	table_shape(t, l->block);
	table_uint(t, tr_launch_ctas(l));
	table_uint(t, tr_launch_ctas(l) * tr_launch_threads(l));
	if (k->called)
		table_uint(t, k->called - start);
	else
		table_none(t);
	if (k->ended) {
		table_uint(t, k->began - start);
		table_uint(t, k->ended - start);
	} else { /* it has no CTA in the part that was read */
		table_none(t);
		table_none(t);
	}
	if (k->called && k->ended)
		table_uint(t, k->began - k->called);
	else
		table_none(t);
	table_uint(t, k->is_group);
	table_uint(t, k->overflowed);
	if (child) {
		table_id(t, l->parent_cta);
		table_id(t, l->parent_thread);
	} else {
		table_none(t);
		table_none(t);
	}
}

const struct column *split_columns(enum stats_group split, unsigned *n)
{
	switch (split) {
	case STATS_PC:
		*n = COUNT(pc_columns);
		return pc_columns;
	case STATS_LINE:
		*n = COUNT(line_columns);
		return line_columns;
	case STATS_STORAGE:
		*n = STORAGE_COLUMNS;
		return storage_columns;
	case STATS_LAUNCHES:
		*n = COUNT(launches_columns);
		return launches_columns;
	default:
		*n = COUNT(buffer_columns);
		return buffer_columns;
	}
}

struct column *stats_group_columns(enum stats_group g, unsigned *n)
{
	struct column *c;

	if (g >= STATS_PC) {
		const struct column *split = split_columns(g, n);

		c = must_alloc(*n, sizeof(*c));
		memcpy(c, split, *n * sizeof(*c));
		return c;
	}
	c = must_alloc(COUNT(figures), sizeof(*c));
	*n = 0;
	for (size_t i = 0; i < COUNT(figures); i++)
		if (figures[i].group == (int)g)
			c[(*n)++] = (struct column){figures[i].name, SEEN};
	return c;
}

static void put_l1d(
	struct table *t, uint64_t accesses, uint64_t hits, uint64_t misses, uint64_t merges)
{
	table_uint(t, accesses);
	table_uint(t, hits);
	table_uint(t, misses);
	table_uint(t, merges);
}

/* What is counted of an instruction; the classes of cycles stand at the end. */
enum {
	F_WARPS,
	F_THREADS,
	F_ACTIVE,
	F_LANES,
	F_ACCESSES,
	F_HITS,
	F_MISSES,
	F_MERGES,
	F_LATS,
	F_LATS_IGNORED,
	F_CYCLES,
	NFIGURES = F_CYCLES + SIM_NCYCLES
};

static void put_stalls(const struct inst_split *s, const uint64_t *f)
{
	uint64_t sum = 0;

	for (unsigned c = 0; c < SIM_NCYCLES; c++)
		sum += f[F_CYCLES + c];
	table_uint(s->t, sum);
	table_real(s->t, ratio((double)sum, (double)s->stalls));
	for (unsigned c = 0; c < SIM_NCYCLES; c++)
		if (sim_is_charged((enum sim_cycle)c))
			table_uint(s->t, f[F_CYCLES + c]);
}

static void put_begin(const struct inst_split *s, const struct split_row *r)
{
	table_text(s->t, tr_str(r->p, r->p->name));
	split_put_launch(s->t, r);
}

static void pc_row(void *arg, const struct split_row *r)
{
	const struct inst_split *s = arg;
	const uint64_t *f = r->figures;

	put_begin(s, r);
	table_pc(s->t, r->inst);
	split_put_inst(s->t, r);
	table_text(s->t, split_file(r->p, r->inst));
	table_id(s->t, r->p->insts[r->inst].line);
	table_uint(s->t, f[F_WARPS]);
	table_uint(s->t, f[F_THREADS]);
	table_real(s->t, ratio((double)f[F_ACTIVE], (double)f[F_LANES]));
	put_l1d(s->t, f[F_ACCESSES], f[F_HITS], f[F_MISSES], f[F_MERGES]);
	table_uint(s->t, f[F_LATS]);
	table_uint(s->t, f[F_LATS_IGNORED]);
	put_stalls(s, f);
}

static void line_row(void *arg, const struct split_row *r)
{
	const struct inst_split *s = arg;
	const uint64_t *f = r->figures;

	put_begin(s, r);
	table_text(s->t, split_file(r->p, r->inst));
	table_id(s->t, r->p->insts[r->inst].line);
	table_uint(s->t, f[F_WARPS]);
	table_uint(s->t, f[F_THREADS]);
	put_l1d(s->t, f[F_ACCESSES], f[F_HITS], f[F_MISSES], f[F_MERGES]);
	table_real(s->t, ratio((double)f[F_ACTIVE], (double)f[F_LANES]));
	put_stalls(s, f);
}

void inst_split_start(struct inst_split *s, struct table *t, enum stats_group split, bool total)
{
	*s = (struct inst_split){.t = t};
	s->split = (struct split){.by_line = split == STATS_LINE,
		.total = total,
		.n = NFIGURES,
		.row = split == STATS_LINE ? line_row : pc_row,
		.arg = s};
}

void inst_split_launch(struct inst_split *s, const struct tr_launch *l, const struct tr_program *p,
	const struct sim_stats *st)
{
	uint64_t *counts = must_alloc((size_t)p->ninsts * NFIGURES, sizeof(*counts));

	if (!s->split.total)
		s->stalls = 0;
	for (uint32_t i = 0; i < p->ninsts; i++) {
		const struct sim_inst_stats *n = &st->insts[i];
		uint64_t *f = counts + (size_t)i * NFIGURES;

		f[F_WARPS] = n->warp_insts;
		f[F_THREADS] = n->thread_insts;
		f[F_ACTIVE] = n->active_lanes;
		f[F_LANES] = n->issue_lanes;
		f[F_ACCESSES] = n->accesses;
		f[F_HITS] = n->hits;
		f[F_MISSES] = n->misses;
		f[F_MERGES] = n->merges;
		f[F_LATS] = policy_count_at(st, "lats", i);
		f[F_LATS_IGNORED] = policy_count_at(st, "lats_ignored", i);
		for (unsigned c = 0; c < SIM_NCYCLES; c++) {
			f[F_CYCLES + c] = st->charged[(size_t)i * SIM_NCYCLES + c];
			s->stalls += f[F_CYCLES + c];
		}
	}
	split_launch(&s->split, l->number, l->program, p, counts);
	free(counts);
}

/* ---- allocations ---- */

void buffers_start(struct buffers *b, const struct tr_launch *l, uint32_t line_bytes)
{
	buffers_free(b);
	b->n = l->nallocs;
	b->line_bytes = line_bytes;
	b->names = must_alloc(b->n, sizeof(*b->names));
	b->stats = must_alloc(b->n + 1, sizeof(*b->stats));
	for (uint32_t i = 0; i < b->n; i++)
		b->names[i] = must_printf("%s", l->allocs[i].name);
	places_start(&b->places, l);
}

void buffers_again(struct buffers *b)
{
	memset(b->stats, 0, (b->n + (size_t)1) * sizeof(*b->stats));
}

void buffers_count(struct buffers *b, const struct tr_access *a)
{
	const uint32_t at = a->space == TR_S_GLOBAL
				    ? places_find(&b->places, a->line, b->line_bytes)
				    : NO_PLACE;
	struct buffer_stats *s = &b->stats[at == NO_PLACE ? b->n : at];

	if (a->result != TR_A_HIT && a->result != TR_A_MISS && a->result != TR_A_MERGE)
		return;
	s->accesses++;
	s->hits += a->result == TR_A_HIT;
	s->misses += a->result == TR_A_MISS;
	s->merges += a->result == TR_A_MERGE;
}

void buffers_rows(struct table *t, const struct replay_row *row, const struct buffers *b)
{
	for (uint32_t i = 0; i <= b->n; i++) {
		const struct place *p = i < b->n ? &b->places.at[i] : NULL;
		const struct buffer_stats *s = &b->stats[p ? p->number : b->n];

		table_text(t, row->kernel);
		table_id(t, row->launch->number);
		table_text(t, p ? b->names[p->number] : "-");
		if (p) {
			table_id(t, p->base);
			table_uint(t, p->end - p->base);
		} else {
			table_none(t);
			table_none(t);
		}
		put_l1d(t, s->accesses, s->hits, s->misses, s->merges);
	}
}

void buffers_free(struct buffers *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		free(b->names[i]);
	free(b->names);
	free(b->stats);
	places_free(&b->places);
	*b = (struct buffers){0};
}
