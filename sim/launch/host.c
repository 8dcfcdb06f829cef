/*
 * What the host side does alone: launches in the order of the record, each when the one before has
 * ended, their CTAs in the order of their numbers. Those of threads are launches like all others,
 * and calls of the device runtime take no time.
 */
#include "sim/launch/launch.h"

static int start(void *state, const struct sim_launching *l, uint64_t now, struct tr_err *err)
{
	(void)err;
	*(struct sim_family **)state = l->family;
	l->family->kernels[0].called = now;
	return 1;
}

static int offer(void *state, uint32_t *kernel, uint64_t now)
{
	(void)now;
	*kernel = 0;
	return sim_family_has(*(struct sim_family **)state, 0);
}

const struct sim_launch_policy sim_launch_serial = {
	.name = "serial",
	.help = "one launch after the other, as the record has them",
	.together = SIM_ALONE,
	.state_bytes = sizeof(struct sim_family *),
	.start = start,
	.offer = offer,
};
