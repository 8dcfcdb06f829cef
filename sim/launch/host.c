/*
 * What the host side does alone: launches in the order of the record, each when the one before has
 * ended, their CTAs in the order of their numbers.
 */
#include "sim/launch/launch.h"

static void host(void *state, const struct sim_family *f, uint64_t now)
{
	(void)state;
	(void)f;
	(void)now;
}

static int offer(void *state, const struct sim_family *f, struct sim_block *b, uint64_t now)
{
	(void)state;
	(void)now;
	b->kernel = 0;
	return sim_family_has(f, 0);
}

const struct sim_launch_policy sim_launch_serial = {
	.name = "serial",
	.help = "one launch after the other, as the record has them",
	.host = host,
	.offer = offer,
};
