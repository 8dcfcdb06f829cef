/*
 * The table of warp policies, and their names with parameters: what the SM and the tools want of
 * policies, and these do not.
 */
#ifndef SIM_WARP_TABLE_H
#define SIM_WARP_TABLE_H

#include "sim/base/spec.h"
#include "sim/warp/warp.h"

const struct sim_warp_policy *sim_warp_policy_at(unsigned i);

/* The shape of a policy with its fields filled in; `widest` is never 0. 1, or TR_EUSAGE. */
int sim_warp_policy_shape(const struct sim_warp_policy *policy, const struct sim_config *c,
	const int64_t *params, struct sim_shape *shape, struct tr_err *err);

/*
 * Can this be a warp policy: of this version, with all that each must have? The built-in ones pass
 * the same check. 1, or TR_EUSAGE with what is wrong.
 */
int sim_warp_policy_check(const struct sim_warp_policy *policy, struct tr_err *err);

/* "fixed:32", "dwr:max=64,ilt=32": a bare number is the first parameter. 1 or TR_EUSAGE. */
int sim_warp_policy_parse(const char *spec, const struct sim_warp_policy **policy, int64_t *params,
	struct tr_err *err);

#endif
