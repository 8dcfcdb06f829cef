/*
 * What an L1D does with an access: one rule for trace-locality, trace-belady and the replay. It is
 * the papers' L1D (the CCWS release; GPGPU-Sim 3): loads are what it is measured by; a global store
 * writes its line out and does not allocate; local memory belongs to a thread and is written back,
 * so its stores are accesses like loads. Atomics are done at the L2: they pass the L1D, and its
 * copy of the line goes, or the next load would find an old value. Whatever has a cache of its own
 * (texture, constant) or none (shared) does not concern it.
 *
 * At the end of a kernel that release empties the L1D; so do the tools, unless told otherwise.
 */
#ifndef SIM_ACCESS_POLICY_H
#define SIM_ACCESS_POLICY_H

#include "libtrace/access.h"

enum sim_l1d {
	SIM_L1D_USE,    /* counts as an access: looks up, allocates on a miss */
	SIM_L1D_EVICT,  /* counts apart, as store or atomic: the line leaves */
	SIM_L1D_KEEP,   /* counts apart, as a store: the line stays as it is, there or not */
	SIM_L1D_ABSENT, /* not the L1D's */
};

/* write is an enum tr_write_policy: TR_W_ALLOCATE makes accesses of global stores, too. */
static inline enum sim_l1d sim_l1d_of(const struct tr_access *a, uint32_t write)
{
	if (a->space != TR_S_GLOBAL && a->space != TR_S_LOCAL)
		return SIM_L1D_ABSENT;
	if (a->op == TR_A_READ)
		return SIM_L1D_USE;
	if (a->op == TR_A_ATOMIC)
		return SIM_L1D_EVICT;
	if (a->space == TR_S_LOCAL || write == TR_W_ALLOCATE)
		return SIM_L1D_USE;
	return write == TR_W_KEEP ? SIM_L1D_KEEP : SIM_L1D_EVICT;
}

#endif
