/* Where a replay's accesses go: the caller writes them to an access stream, or counts them. */
#ifndef SIM_BASE_SINK_H
#define SIM_BASE_SINK_H

#include "libtrace/access.h"

struct sim_sink {
	void *arg;
	/* 1, or TR_E* which ends the run. */
	int (*access)(void *arg, const struct tr_access *a);
	/* The replay's to count: instructions executed so far, over all SMs and launches. */
	uint64_t warp_insts, thread_insts;
};

#endif
