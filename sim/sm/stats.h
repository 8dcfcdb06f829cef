/*
 * What the replay counts, per launch. Every figure of a table is made from these; the identities
 * between them (classes of cycles add up, per-instruction figures add up) are checked at the end of
 * each launch by sim_stats_check.
 */
#ifndef SIM_SM_STATS_H
#define SIM_SM_STATS_H

#include "sim/mem/mem.h"
#include "sim/sched/sched.h"
#include "sim/warp/warp.h"

/* What a scheduler of an SM did in a cycle. */
enum sim_cycle {
	SIM_CY_ISSUED,      /* an instruction issued, or still occupies the lanes */
	SIM_CY_STALL_LSU,   /* a warp is ready, the memory unit works on another instruction */
	SIM_CY_STALL_MSHR,  /* ... and that one finds no MSHR, */
	SIM_CY_STALL_MERGE, /* no room to merge in it, */
	SIM_CY_STALL_LINE,  /* no line that is not in flight, */
	SIM_CY_STALL_QUEUE, /* no room in the miss queue or the interconnect */
	SIM_CY_STALL_UNIT,  /* a ready warp waits for its execution unit */
	SIM_CY_WITHHELD,    /* the scheduler lets no ready warp issue */
	SIM_CY_MEMORY,      /* every warp that could run waits for a load */
	SIM_CY_SYNC,        /* ... at a barrier, or held by its warp policy */
	SIM_CY_IDLE,        /* ... for a result in the pipeline */
	SIM_CY_DRAINED,     /* no warp on the SM */
	SIM_NCYCLES
};
/* Cycles in which there are warps and none issues: they can be charged to instructions. */
static inline int sim_is_charged(enum sim_cycle c)
{
	return c != SIM_CY_ISSUED && c != SIM_CY_DRAINED;
}

const char *sim_cycle_name(enum sim_cycle c); /* NULL beyond the last */

/* Why the memory unit does not move: by class, from SIM_CY_STALL_MSHR to SIM_CY_STALL_QUEUE. */
#define SIM_UNIT_STALLS (SIM_CY_STALL_QUEUE - SIM_CY_STALL_MSHR + 1)

#define SIM_LANE_BINS 8 /* W1-4, W5-8 ... W29-32; of wider warps by eighths */

struct sim_inst_stats { /* of one static instruction */
	uint64_t warp_insts, thread_insts, active_lanes, issue_lanes;
	uint64_t accesses, hits, misses, merges; /* of the L1D */
};

#define SIM_SECTOR_BYTES 32

struct sim_l1d_stats {
	uint64_t accesses; /* reads, and writes of local memory */
	uint64_t hits, misses, merges;
	uint64_t hit_sectors,
		miss_sectors; /* that they touch, each by itself if it has a valid bit */
	uint64_t intra_warp_hits, intra_thread_hits, inter_warp_hits; /* thread: those of warp */
	uint64_t writes, write_hits; /* global stores: evict, never allocate */
	uint64_t atomics;
	uint64_t evictions;
	uint64_t inflight_victims; /* evictions from a set that had a line in flight */
};

/* Accesses of other SMs' shared memory, counted where they come from. */
struct sim_dsm_stats {
	uint64_t accesses;        /* one for each SM that an instruction goes to */
	uint64_t bytes;           /* of segments, moved either way */
	uint64_t conflict_cycles; /* of the banks there, beyond an access's first */
	uint64_t replies;         /* those with data */
	uint64_t latency_sum;     /* cycles from sending to the reply, over replies */
};

/* Launches by threads: what the launcher counts, and for how long warps are there. */
struct sim_launch_stats {
	uint64_t warp_cycles; /* warps that an SM has, in however many slots, over cycles and SMs */
	uint64_t api_cycles;  /* that warps waited in calls of the device runtime */
	uint64_t launches, threads; /* by threads: launches, and the threads of these */
	uint64_t matched;           /* of them groups that joined a kernel (DTBL), */
	uint64_t overflows;         /* and of these the ones that found their table's entry taken */
	uint64_t waited;            /* cycles from the call to the first block, over all of them */
	uint64_t kde_cycles;        /* entries of the kernel distributor in use, over cycles */
	uint64_t footprint; /* most bytes of launches that had not begun: the maximum of launches,
			       no sum */
};

struct sim_stats {
	uint32_t ninsts;
	struct sim_inst_stats *insts;       /* ninsts, per static instruction */
	const struct sim_counter *counters; /* of the warp policy; the last one has no name */
	uint64_t *policy_insts;             /* its counter c at instruction i: c * ninsts + i */
	uint64_t *charged; /* class c at instruction i: i * SIM_NCYCLES + c; NULL: not wanted */
	uint64_t cycles;   /* of the launch, core clock */
	uint64_t by_cycle[SIM_NCYCLES];      /* scheduler cycles; sum: cycles * SMs * schedulers */
	uint64_t issued_bins[SIM_LANE_BINS]; /* issued cycles by active lanes */
	/* issue_lanes: lanes of the issues, active or not. */
	uint64_t warp_insts, thread_insts, active_lanes, issue_lanes;
	/* Lanes of issuing warps that are inactive since a branch diverged: on another path, or
	 * waiting at the reconvergence point (CROWN's slides, 12 and 21 to 23). */
	uint64_t inactive_lanes, waiting_lanes;
	uint64_t issue_cycles; /* SM cycles in which an instruction issued */
	uint64_t fetches;      /* of the L1-I; where fetch is perfect, one for each instruction */
	uint64_t l0_hits;
	uint64_t code_fetches; /* lines that L0-Is have asked their L1-I for (sm.code) */
	uint64_t mem_insts;    /* warp instructions that reached L1D, with at least one lane */
	uint64_t mem_lanes;    /* lanes of theirs */
	uint64_t transactions; /* accesses they became */
	uint64_t offcore;      /* requests sent to the interconnect */
	struct sim_l1d_stats l1d;
	uint64_t const_accesses, const_misses, texture_accesses, texture_misses;
	uint64_t shared_accesses, shared_conflict_cycles;
	/* Cycles that an instruction keeps the memory unit beyond its first one, over SMs: with
	 * further transactions, and as long as one of them has to wait. */
	uint64_t unit_serial, unit_stalls[SIM_UNIT_STALLS];
	uint64_t barriers;
	struct sim_dsm_stats dsm;
	uint64_t cluster_barriers;     /* those of clusters, once for each opening */
	uint64_t mbarrier_cycles;      /* of by_cycle[SIM_CY_SYNC]: a warp waits at one in memory */
	uint64_t mbarrier_phases;      /* phases of barriers in memory that have ended */
	uint64_t ctas, warps, threads; /* that CTAs began with; warps of sm.warp_size */
	uint64_t path_hash;            /* of the blocks that threads went through */
	uint64_t overtaken_reads;      /* reads of another thread's write that issued before it */
	uint64_t ended;                /* threads that exited at the end of their record */
	struct sim_sched_stats sched;
	uint64_t spin_insts;           /* thread instructions of rounds that led nowhere */
	uint64_t forced_barriers;      /* of barriers, those that opened for whole warps */
	uint64_t short_collectives;    /* votes and shuffles issued without a recorded member */
	uint64_t policy[SIM_COUNTERS]; /* what the warp policy counts */
	/* Threads on the SMs, over cycles: all, and by what they do. 0 where nobody asks. */
	uint64_t thread_cycles, by_thread[SIM_NTHREAD_CLASSES];
	uint64_t stack_depth_max;
	struct sim_mem_stats mem; /* difference over the launch */
	struct sim_launch_stats launch;
};

/* counters: of the warp policy, or NULL. 0, or -1 without memory. */
int sim_stats_init(struct sim_stats *s, uint32_t ninsts, const struct sim_counter *counters);
/* From now on cycles without an issue are charged to instructions. 0, or -1 without memory. */
int sim_stats_charge(struct sim_stats *s);
void sim_stats_free(struct sim_stats *s);
void sim_stats_add(struct sim_stats *sum, const struct sim_stats *s); /* not insts */
/* What was counted since `before`. */
void sim_mem_stats_since(struct sim_mem_stats *s, const struct sim_mem_stats *before);

/*
 * The table of the numbers of struct sim_stats (stats.def): sums, differences and hashes are made
 * from it, and the columns of tables.
 */
enum sim_stat_kind { SIM_STAT_SUM, SIM_STAT_MAX }; /* of launches, and of SMs, together */
enum sim_stat_group {
	SIM_STAT_OF_SM,
	SIM_STAT_OF_WAITS,   /* of the SMs: waits of threads for others, which most kernels lack */
	SIM_STAT_OF_THREADS, /* counted where somebody asks */
	SIM_STAT_OF_MEMORY,  /* which counts over launches */
	SIM_STAT_OF_LAUNCH   /* by threads */
};
struct sim_stat {
	const char *name;
	size_t at;  /* in struct sim_stats */
	uint32_t n; /* so many numbers: the warp policy's are one entry */
	enum sim_stat_kind kind;
	enum sim_stat_group group;
};
enum sim_stat_index {
#define STAT(name, member, kind, group) SIM_STAT_##name,
#include "sim/sm/stats.def"
#undef STAT
	SIM_NSTATS
};
const struct sim_stat *sim_stats_at(unsigned i); /* NULL beyond the last */
const uint64_t *sim_stats_numbers(const struct sim_stats *s, const struct sim_stat *f);
/* Of the SMs and of launches by threads: not of the memory, which has its own, nor of threads. */
uint64_t sim_stats_hash(const struct sim_stats *s, uint64_t seed);

/* The index of the warp policy's counter of that name, or -1: it has none. */
int sim_stats_counter(const struct sim_stats *s, const char *name);

/* All identities: 1, or TR_EDATA naming the one that does not hold. */
int sim_stats_check(const struct sim_stats *s, const struct sim_config *c, struct tr_err *err);

#endif
