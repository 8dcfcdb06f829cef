/*
 * A replay: launches of a thread trace on a machine, cycle by cycle, one launch after the other or,
 * as the machine says (launch.mode), with those that threads made and with those of other streams.
 * Reads from the source that it is handed, hands out one record of figures per launch.
 */
#ifndef SIM_LAUNCH_REPLAY_H
#define SIM_LAUNCH_REPLAY_H

#include "sim/base/sink.h"
#include "sim/base/words.h"
#include "sim/launch/launch.h"
#include "sim/sched/table.h"
#include "sim/sm/events.h"
#include "sim/sm/stats.h"
#include "sim/warp/table.h"

/* The counts of a launch so far, at one cycle of it. */
struct sim_sample {
	uint32_t launch;
	uint64_t cycle; /* of the launch: counts are of the cycles before it */
	uint32_t sm;    /* whose sample it is; SIM_ALL_SMS: of all together */
	uint64_t warps; /* resident at that cycle */
	const struct sim_stats *stats;
};

struct sim_replay {
	struct sim_config config;
	const struct sim_sched *sched;
	int64_t sched_params[SIM_PARAMS];
	const struct sim_sched_profile *sched_profile; /* where sched->takes_profile; NULL: none */
	const struct sim_warp_policy *warp;
	int64_t warp_params[SIM_PARAMS];
	enum sim_priority priority;
	struct sim_sink *sink; /* accesses of the L1Ds, or NULL */
	int charge;            /* cycles without an issue, to instructions: stats->charged */
	const struct sim_events *events; /* the observer, or NULL */
	int count_threads;               /* what threads do in each cycle (sim_stats.by_thread) */
	int tick; /* step every part in every cycle: slow, the same result (a test holds that) */
	/* A launch has ended: its figures. 1, or TR_E* which ends the run. */
	int (*launched)(void *arg, const struct tr_launch *l, const struct tr_program *p,
		const struct sim_stats *s);
	/*
	 * Before that, of each launch that was under way with it, and of itself: when it was called
	 * for, began and ended; start: the cycle at which these count from. May be NULL.
	 */
	void (*kernel)(void *arg, const struct sim_kernel *k, uint64_t start);
	/*
	 * Likely-convergence points of a launch's program by a profile (sim/warp/lcp.h), one for
	 * each instruction, valid while it runs. Asked where its shape wants_lcp; NULL:
	 * none, and such a policy is refused.
	 */
	const uint32_t *(*lcp)(void *arg, const struct tr_launch *l);
	/* A launch begins; may be NULL. */
	int (*begins)(void *arg, const struct tr_launch *l, const struct tr_program *p);
	/* A CTA of the program begins whose record has rounds without progress; may be NULL. */
	void (*spins)(void *arg, const struct tr_program *p, const struct tr_cta *cta);
	/* Every sample_cycles cycles of a launch, and at its end: the counts so far. 1 or TR_E*. */
	uint64_t sample_cycles; /* 0: never */
	int sample_sms;         /* one for each SM, in their order, instead of one for all */
	int (*sample)(void *arg, const struct sim_sample *s);
	void (*progress)(void *arg, uint64_t warp_insts); /* now and then; may be NULL */
	void *arg;
};

struct sim_result {
	struct sim_stats total; /* of all launches; no per-instruction figures */
	uint32_t launches;
	uint64_t family_bytes; /* of launches in memory together, at most; 0: none were */
	uint64_t hash;         /* of the state of all parts at the end of each launch */
};

/*
 * Runs the source to its end. 1, or TR_E*: TR_EUSAGE for what the machine or the policies cannot
 * do (a CTA that fits no SM), TR_EDATA for a trace that does not fit its program, or a warp policy
 * that loses a thread. res->total is the caller's to free.
 */
int sim_replay_source(const struct sim_source *from, const struct sim_replay *opt,
	struct sim_result *res, struct tr_err *err);
/* The same of a stream. */
int sim_replay(struct tr_reader *r, const struct sim_replay *opt, struct sim_result *res,
	struct tr_err *err);

#endif
