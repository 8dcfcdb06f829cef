/*
 * The launches that are under way together, and their CTAs in the order of the record. A source
 * gives one launch after the other, so a family is one launch here, and its CTAs come as they are
 * taken.
 */
#ifndef SIM_LAUNCH_FAMILY_H
#define SIM_LAUNCH_FAMILY_H

#include "sim/launch/source.h"

struct sim_kernel {
	struct tr_launch launch; /* no allocations, no copies; */
	const struct tr_program *program;
};

struct sim_family {
	const struct sim_source *from;
	/* Told of each launch as the source has it. 1 or TR_E*; may be NULL. */
	int (*begins)(void *arg, const struct tr_launch *l, const struct tr_program *p);
	void *arg;
	int event; /* of the source, not yet dealt with */
	struct sim_kernel *kernels;
	uint32_t n;
};

/* Before the first family; `from` and `begins` are set. 1, or TR_E*. */
int sim_family_start(struct sim_family *f, struct tr_err *err);
void sim_family_free(struct sim_family *f);
/* The next family: 1, 0 behind the last one, or TR_E*. */
int sim_family_next(struct sim_family *f, struct tr_err *err);
/* Has a kernel a CTA that was not taken? */
int sim_family_has(const struct sim_family *f, uint32_t kernel);
/* Takes its next CTA, which is valid until sim_family_pass. NULL: *err says why. */
const struct tr_cta *sim_family_cta(struct sim_family *f, uint32_t kernel, struct tr_err *err);
int sim_family_pass(struct sim_family *f, uint32_t kernel, struct tr_err *err); /* 1 or TR_E* */

#endif
