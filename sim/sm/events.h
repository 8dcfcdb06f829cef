/*
 * Events: what the warps of an SM do, cycle by cycle, for an observer (trace-replay --events).
 * Observing changes no result. Events of all SMs come in the order of their cycles, except those
 * that end in the middle of cycles that their SM sleeps through.
 */
#ifndef SIM_SM_EVENTS_H
#define SIM_SM_EVENTS_H

#include "sim/sm/stats.h"

enum sim_event_kind {
	/* These are reported from outside the window, too: what began before it lasts into it. */
	SIM_EV_LAUNCH_BEGIN,
	SIM_EV_LAUNCH_END,
	SIM_EV_CTA_IN,  /* other: its CTA slot */
	SIM_EV_CTA_OUT, /* likewise; cycles: since it came */
	/* These are reported from the window alone. */
	SIM_EV_WARP_IN,   /* a slot gets threads */
	SIM_EV_WARP_OUT,  /* it has none any more; cycles: since it came */
	SIM_EV_ISSUE,     /* cycles: that its lanes take; other: first of its wide warp */
	SIM_EV_OWN,       /* likewise, of an instruction that the warp policy has inserted */
	SIM_EV_WAIT,      /* what: why the warp does not issue, from now on */
	SIM_EV_SCHEDULER, /* what: class of the cycles of scheduler `other`, from now on */
	SIM_EV_LOAD_OUT,  /* a memory instruction that its warp waits for; load: its number */
	SIM_EV_LOAD_BACK, /* its data are there; cycles: since it went out */
	SIM_EV_L1D,       /* the L1D has answered an access; what: enum tr_access_result */
	SIM_EV_DSM,       /* an access goes to the shared memory of SM `other` */
	SIM_EV_BARRIER,   /* the warp waits at a barrier, */
	SIM_EV_RELEASE,   /* and the barrier opens */
	SIM_EV_SPLIT,     /* enum sim_shown (sim/warp/warp.h), */
	SIM_EV_MERGE,
	SIM_EV_REGROUP,
	SIM_NEVENTS
};
const char *sim_event_name(enum sim_event_kind kind); /* NULL beyond the last */

/* The reasons why a warp waits are those of enum sim_cycle, and one more: another one issues. */
#define SIM_NOT_PICKED SIM_NCYCLES
const char *sim_wait_name(unsigned what); /* NULL beyond the last */

struct sim_event {
	uint64_t at; /* cycle; the first one of the first launch is 0 */
	uint64_t cycles, load;
	uint8_t kind, what;
	uint32_t sm, warp;          /* warp: slot, or SIM_NO_WARP */
	uint32_t launch, cta, inst; /* numbers; cta, inst: or TR_NONE */
	uint32_t other;             /* see the kind; of the last three: sim_show's `other` */
	const struct tr_program *program;
	/* Of an issue, valid during the call: active lanes, and those of them whose guard is true.
	 */
	const struct sim_mask *lanes, *done;
};

#define SIM_ALL_SMS UINT32_MAX

/* An observer. */
struct sim_events {
	void *arg;
	void (*event)(void *arg, const struct sim_event *e);
	uint64_t from, to; /* the window: cycles from ... to - 1 */
	uint32_t sm;       /* the SM that is observed, or SIM_ALL_SMS */
};

#endif
