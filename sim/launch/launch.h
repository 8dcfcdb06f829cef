/*
 * Launch policies: which kernel's CTA an SM with room gets next. A policy knows launches and CTAs
 * and the machine's queues and tables, no SMs: the run loop (replay.c) asks it for a block as long
 * as there is room, dispatches that one, and hands on what SMs say: calls of the device runtime,
 * and CTAs that have ended. One file a policy.
 */
#ifndef SIM_LAUNCH_LAUNCH_H
#define SIM_LAUNCH_LAUNCH_H

#include "sim/launch/family.h"
#include "sim/sm/sm.h"

/* What a policy has at hand, of one run. */
struct sim_launching {
	struct sim_family *family; /* the family that runs now */
	const struct sim_config *config;
	struct sim_launch_stats *stats; /* of the family */
};

struct sim_launch_policy {
	const char *name, *help;
	enum sim_together together;
	size_t state_bytes; /* zeroed once */
	/* A family begins: the host's launches are handed in. 1 or TR_EMEM. */
	int (*start)(void *state, const struct sim_launching *l, uint64_t now, struct tr_err *err);
	/* The cycle begins: what is due is done. May be NULL. */
	void (*run)(void *state, uint64_t now);
	/* Lanes call the device runtime: the cycle until which their warp waits. May be NULL. */
	uint64_t (*call)(void *state, const struct sim_call *c, uint64_t now);
	/* The kernel whose block is next; it is the same until that is placed. 1, or 0: none now.
	 */
	int (*offer)(void *state, uint32_t *kernel, uint64_t now);
	/* It was placed: its CTA is no longer the family's. May be NULL. */
	void (*placed)(void *state, uint32_t kernel, uint64_t now);
	/* A CTA of a kernel has ended. May be NULL. */
	void (*ended)(void *state, uint32_t kernel, uint64_t now);
	/* The next cycle that it wants by itself; UINT64_MAX: nothing is under way. May be NULL. */
	uint64_t (*until)(void *state, uint64_t now);
	void (*free)(void *state); /* may be NULL */
};

/* By enum sim_launch_mode; NULL beyond the last. The -ideal ones have all latencies at 0. */
const struct sim_launch_policy *sim_launch_policy_at(unsigned mode);
/* "dtbl-ideal": 1 and the mode, or TR_EUSAGE. */
int sim_launch_parse(const char *name, uint32_t *mode, struct tr_err *err);

/* Bytes of memory on chip that DTBL takes, and of its table of groups (its 4.3). */
uint64_t sim_dtbl_bytes(const struct sim_config *c);
uint64_t sim_dtbl_agt_bytes(const struct sim_config *c);

extern const struct sim_launch_policy sim_launch_serial;     /* host.c */
extern const struct sim_launch_policy sim_launch_concurrent; /* cdp.c */
extern const struct sim_launch_policy sim_launch_cdp;
extern const struct sim_launch_policy sim_launch_cdp_ideal;
extern const struct sim_launch_policy sim_launch_dtbl; /* dtbl.c */
extern const struct sim_launch_policy sim_launch_dtbl_ideal;

#endif
