/*
 * The table of schedulers, their names with parameters, and the pick by a priority of CTAs: what
 * the SM and the tools want of schedulers, and these do not.
 */
#ifndef SIM_SCHED_TABLE_H
#define SIM_SCHED_TABLE_H

#include "sim/base/priority.h"
#include "sim/base/spec.h"
#include "sim/sched/sched.h"

const struct sim_sched *sim_sched_at(unsigned i);         /* table of policies.def; NULL beyond */
const struct sim_sched *sim_sched_find(const char *name); /* or NULL */

/*
 * Can this be a scheduler: of this version, with all that each must have? The built-in ones pass
 * the same check. 1, or TR_EUSAGE with what is wrong.
 */
int sim_sched_check(const struct sim_sched *policy, struct tr_err *err);

/* Bytes of a policy's state; zeroed by the caller, then handed to start. */
size_t sim_sched_state_size(
	const struct sim_sched *policy, const struct sim_sched_env *env, const int64_t *params);

/*
 * Reads "swl:limit=4" into policy and params (SIM_SCHED_PARAMS of them, defaults where not named).
 * 1, or TR_EUSAGE with the reason and the names that there are.
 */
int sim_sched_parse(
	const char *spec, const struct sim_sched **policy, int64_t *params, struct tr_err *err);

/* ---- block priority, over any scheduler (TBC 6.2): which CTA's warps it may pick from ---- */

/*
 * The pick of the policy among the warps of the first CTA that has one that it lets issue. *cta is
 * the slot of the CTA that issued last, 0 in the beginning; only SRR reads and writes it.
 */
uint32_t sim_sched_pick_by_cta(const struct sim_sched *policy, void *s, enum sim_priority priority,
	uint32_t *cta, const struct sim_sched_env *env, const struct sim_bits *ready, uint64_t now);

static inline uint32_t sim_sched_pick(const struct sim_sched *policy, void *s,
	enum sim_priority priority, uint32_t *cta, const struct sim_sched_env *env,
	const struct sim_bits *ready, uint64_t now)
{
	if (priority == SIM_PRIORITY_NONE)
		return policy->pick(s, ready, now);
	return sim_sched_pick_by_cta(policy, s, priority, cta, env, ready, now);
}

#endif
