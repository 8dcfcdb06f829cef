/*
 * One SM: warps issue instructions of their threads' records, operands become ready after their
 * latencies, loads after the memory's answer. The SM sleeps until the next cycle in which it can
 * act; a cycle's class (struct sim_cycles) holds for all cycles slept through.
 */
#ifndef SIM_SM_SM_H
#define SIM_SM_SM_H

#include "sim/mem/dsm.h"
#include "sim/mem/mem.h"
#include "sim/sched/table.h"
#include "sim/sm/cluster.h"
#include "sim/sm/events.h"
#include "sim/sm/stats.h"
#include "sim/warp/table.h"

struct sim_inst;
struct sim_program; /* a launch's program made ready: program.h */

/* A launch of those whose CTAs may be on an SM together. */
struct sim_grid {
	const struct tr_launch *launch;
	uint32_t entry; /* its first instruction in the program */
};

/* Lanes of a warp call the device runtime. */
struct sim_call {
	uint32_t sm, n;
	enum tr_api kind;
	uint32_t slot[TR_LANES_MAX];  /* of the threads on the SM */
	uint64_t value[TR_LANES_MAX]; /* as recorded: what the call gives */
};

/* What goes from SMs to whoever hands out CTAs. */
struct sim_launcher {
	/* Until which cycle the warp waits: it issues again in that one at the earliest. */
	uint64_t (*call)(void *arg, const struct sim_call *c, uint64_t now);
	/* A CTA of the grid has ended. */
	void (*ended)(void *arg, uint32_t grid, uint64_t now);
	void *arg;
};

/* What an SM shares with the others of its run. */
struct sim_shared {
	const struct sim_config *config;
	struct sim_mem *mem;
	struct sim_dsm *dsm; /* between the SMs of a GPC; NULL: the machine has none */
	const struct sim_sched *sched;
	const int64_t *sched_params;
	const struct sim_sched_profile *sched_profile; /* or NULL */
	enum sim_priority priority;
	const struct sim_warp_policy *warp;
	const int64_t *warp_params;
	const struct sim_program *program;
	/* Launches whose CTAs may come; several want a policy that takes them (warp.h, many). */
	const struct sim_grid *grids;
	uint32_t ngrids;
	const struct sim_launcher *launcher; /* or NULL: calls take no time, nobody is told */
	const uint32_t *lcp;                 /* likely-convergence points by a profile, or NULL */
	struct sim_stats *stats;             /* of the launch: of all SMs, or of each its own */
	struct sim_sink *sink;               /* accesses of the L1Ds, or NULL */
	const struct sim_events *events;     /* the observer, or NULL */
	int count_threads;                   /* what threads do in each cycle */
	int tick; /* every cycle is stepped; a sleep that would have changed anything is an error */
	struct tr_err *err;
};

struct sim_sm;

int sim_sm_new(struct sim_sm **sm, const struct sim_shared *shared, uint32_t number);
void sim_sm_free(struct sim_sm *sm);

/* Launches begin or end: the program changes; sim_lsu_launch. 1 or TR_E*. */
int sim_sm_launch(struct sim_sm *sm);

/* Notes what the warp policy wants to be asked at each of n instructions, which every SM then has,
 * and which of them are parts of copies that are whole under it. */
void sim_sm_asks(struct sim_sm *sm, struct sim_inst *insts, uint32_t n);

/* Is there room for one more CTA of a grid? Places of CTAs that have ended may have to rest first;
 * sim_sm_room_at: when the next of them has, or SIM_NEVER. */
int sim_sm_room(struct sim_sm *sm, uint32_t grid, uint64_t now);
uint64_t sim_sm_room_at(const struct sim_sm *sm);
/* For how many of them is there room? How many does an SM hold that has nothing else? */
uint32_t sim_sm_rooms(struct sim_sm *sm, uint32_t grid, uint64_t now);
uint32_t sim_sm_holds(const struct sim_sm *sm, uint32_t grid);
/* Has it had as many since the launch began, so that one more is in the place of another? */
int sim_sm_follows(const struct sim_sm *sm, uint32_t grid);

/* Takes a CTA; what it needs of the record is copied. cluster: its own, or NULL. 1 or TR_E*. */
int sim_sm_take(struct sim_sm *sm, const struct tr_cta *cta, uint32_t grid,
	struct sim_cluster *cluster, uint64_t now);

/*
 * Does everything of cycle `now`; woken: the memory has something for it (sim_mem_run). Returns
 * the next cycle in which the SM has to be called (or is woken before by its memory), UINT64_MAX
 * when it has nothing to do, 0 on an error in shared->err.
 */
uint64_t sim_sm_step(struct sim_sm *sm, uint64_t now, int woken);

/*
 * Where there is an observer: reports what warps did in the cycles before `now` that were slept
 * through. Called before anything happens in a cycle, and for the cycle after one in which the SM
 * sleeps.
 */
void sim_sm_watch(struct sim_sm *sm, uint64_t now);

/* Counts the cycles up to `now` that were slept through. */
void sim_sm_account(struct sim_sm *sm, uint64_t now);

/*
 * Nothing can happen any more. 1: a barrier opens in the next step, at which some lanes of each
 * warp wait, though others of them do not come; 0: there is none.
 */
int sim_sm_force(struct sim_sm *sm);

/* Why no warp can ever run again, as the end of a sentence, which may stand in `text`; NULL: no
 * warp is left. */
const char *sim_sm_stands(const struct sim_sm *sm, char *text, size_t size);

uint32_t sim_sm_warps(const struct sim_sm *sm);  /* slots with threads */
uint64_t sim_sm_events(const struct sim_sm *sm); /* things that have happened so far */
int sim_sm_busy(const struct sim_sm *sm);        /* has a CTA, or requests under way */
uint64_t sim_sm_hash(const struct sim_sm *sm, uint64_t seed);

#endif
