/*
 * What a profile says of a program (thesis 4.2.1): of each load in a loop, whether it is diverged
 * and with which others it shares its lines; of the loop, whether it has locality. It is the static
 * load classification table as Profiled-DAWS finds it when a kernel is launched.
 */
#ifndef SIM_BASE_PROFILE_H
#define SIM_BASE_PROFILE_H

#include "libtrace/program.h"

struct sim_profile_load {
	uint32_t inst;
	uint32_t loop;       /* innermost around it */
	uint32_t repetition; /* loads of a loop with the same number access the same lines */
	uint8_t diverged;
	uint8_t locality; /* of the loop: the same in all its loads */
};

struct sim_profile_kernel {
	const char *name;
	const struct sim_profile_load *loads;
	uint32_t nloads;
};

struct sim_sched_profile {
	const struct sim_profile_kernel *kernels;
	uint32_t nkernels;
};

/* Is it a load that goes, or may go, to the L1D? A loop's footprint is predicted from these. */
static inline int sim_profile_counts(const struct tr_inst *in)
{
	return in->cls == TR_C_LOAD && in->bytes &&
	       (in->space == TR_S_GLOBAL || in->space == TR_S_LOCAL || in->space == TR_S_GENERIC);
}

#endif
