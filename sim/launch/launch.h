/*
 * Launch policies: which kernel's CTA an SM with room gets next. A policy knows launches and CTAs
 * and the machine's queues and tables, no SMs: the run loop (replay.c) asks it for a block as long
 * as there is room, and places that one. One file a policy.
 */
#ifndef SIM_LAUNCH_LAUNCH_H
#define SIM_LAUNCH_LAUNCH_H

#include "sim/launch/family.h"

/* A CTA that is to be placed: the next one of a kernel of the family. */
struct sim_block {
	uint32_t kernel;
};

struct sim_launch_policy {
	const char *name, *help;
	size_t state_bytes;
	/* A family begins: its host launch is handed in. */
	void (*host)(void *state, const struct sim_family *f, uint64_t now);
	/* The block that is next; it is the same until it is placed. 1, or 0: none now. */
	int (*offer)(void *state, const struct sim_family *f, struct sim_block *b, uint64_t now);
	/* It was placed; its CTA is still the family's next. May be NULL. */
	void (*placed)(
		void *state, const struct sim_family *f, const struct sim_block *b, uint64_t now);
};

extern const struct sim_launch_policy sim_launch_serial; /* host.c */

#endif
