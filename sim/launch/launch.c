/* The table of launch policies. */
#include "sim/launch/launch.h"
#include <string.h>

static const struct sim_launch_policy *const policies[] = {
	[SIM_LAUNCH_SERIAL] = &sim_launch_serial,
	[SIM_LAUNCH_CONCURRENT] = &sim_launch_concurrent,
	[SIM_LAUNCH_CDP] = &sim_launch_cdp,
	[SIM_LAUNCH_CDP_IDEAL] = &sim_launch_cdp_ideal,
	[SIM_LAUNCH_DTBL] = &sim_launch_dtbl,
	[SIM_LAUNCH_DTBL_IDEAL] = &sim_launch_dtbl_ideal,
};

const struct sim_launch_policy *sim_launch_policy_at(unsigned mode)
{
	return mode < sizeof(policies) / sizeof(*policies) ? policies[mode] : NULL;
}

int sim_launch_parse(const char *name, uint32_t *mode, struct tr_err *err)
{
	for (uint32_t i = 0; sim_launch_policy_at(i); i++)
		if (!strcmp(policies[i]->name, name)) {
			*mode = i;
			return 1;
		}
	return tr_fail(err, TR_EUSAGE, 0,
		"unknown way of launching '%.60s': serial, concurrent, cdp, cdp-ideal, dtbl or "
		"dtbl-ideal",
		name);
}
