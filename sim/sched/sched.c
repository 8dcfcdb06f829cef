/*
 * The table of schedulers, their names with parameters, and the pick by a priority of CTAs.
 */
#include "sim/sched/table.h"
#include <assert.h>
#include <string.h>

#define SCHED(id) extern const struct sim_sched sim_sched_##id;
#include "sim/sched/policies.def"
#undef SCHED

static const struct sim_sched *const table[] = {
#define SCHED(id) &sim_sched_##id,
#include "sim/sched/policies.def"
#undef SCHED
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int sim_sched_check(const struct sim_sched *p, struct tr_err *err)
{
	if (p->abi >> 20 != SIM_SCHED_VERSION)
		return tr_fail(err, TR_EUSAGE, 0,
			"it was compiled for schedulers of version %u, this trace-replay has %u",
			p->abi >> 20, SIM_SCHED_VERSION);
	if (p->abi != SIM_SCHED_ABI)
		return tr_fail(err, TR_EUSAGE, 0,
			"its structs have other sizes than this trace-replay's: compile it anew");
	if (p->bytes != sizeof(*p))
		return tr_fail(err, TR_EUSAGE, 0, "its `bytes` are %u, a struct sim_sched has %zu",
			p->bytes, sizeof(*p));
	if (!p->name || !p->help || !sim_is_name(p->name))
		return tr_fail(err, TR_EUSAGE, 0,
			"it lacks a name of letters, digits and _-+. or a help text");
	if (!p->pick)
		return tr_fail(err, TR_EUSAGE, 0, "it lacks pick");
	return sim_params_check(p->params, err);
}

const struct sim_sched *sim_sched_at(unsigned i)
{
	if (i >= COUNT(table))
		return NULL;
	assert(sim_sched_check(table[i], NULL) == 1);
	return table[i];
}

const struct sim_sched *sim_sched_find(const char *name)
{
	const struct sim_sched *s;

	for (unsigned i = 0; (s = sim_sched_at(i)) && strcmp(s->name, name);)
		i++;
	return s;
}

size_t sim_sched_state_size(
	const struct sim_sched *policy, const struct sim_sched_env *env, const int64_t *params)
{
	return policy->state_size ? policy->state_size(env, params) : policy->state_bytes;
}

int sim_sched_parse(
	const char *spec, const struct sim_sched **policy, int64_t *params, struct tr_err *err)
{
	const char *names[COUNT(table) + 1] = {NULL};
	int at;

	for (unsigned i = 0; i < COUNT(table); i++)
		names[i] = sim_sched_at(i)->name;
	at = sim_spec_find(spec, "scheduler", names, err);
	if (at < 0)
		return at;
	*policy = table[at];
	return sim_spec_params(spec, table[at]->params, params, err);
}

/* ---- block priority ---- */

/* Of the CTA slots in `ctas`, the one whose turn it is; `turn` is the first one in a round. */
static uint32_t first_round(uint64_t ctas, uint32_t turn)
{
	const uint64_t after = ctas >> turn << turn;

	return (uint32_t)__builtin_ctzll(after ? after : ctas);
}

static uint32_t first_cta(enum sim_priority priority, uint32_t sticky,
	const struct sim_sched_env *env, const uint64_t *age, uint64_t ctas, uint64_t now)
{
	uint32_t best;

	switch (priority) {
	case SIM_PRIORITY_RRB:
		return first_round(ctas, (uint32_t)(now % env->nctas));
	case SIM_PRIORITY_SRR:
		return first_round(ctas, sticky);
	default:
		best = (uint32_t)__builtin_ctzll(ctas);
		for (; ctas; ctas &= ctas - 1)
			if (age[__builtin_ctzll(ctas)] < age[best])
				best = (uint32_t)__builtin_ctzll(ctas);
		return best;
	}
}

uint32_t sim_sched_pick_by_cta(const struct sim_sched *policy, void *s, enum sim_priority priority,
	uint32_t *cta, const struct sim_sched_env *env, const struct sim_bits *ready, uint64_t now)
{
	uint64_t ctas = 0, age[64];
	struct sim_bits of;

	for (uint32_t w = sim_bits_next(ready, 0); w != UINT32_MAX;
		w = sim_bits_next(ready, w + 1)) {
		const struct sim_warp *warp = &env->warps[w];

		ctas |= 1ull << warp->cta;
		age[warp->cta] = warp->cta_age;
	}
	while (ctas) {
		const uint32_t first = first_cta(priority, *cta, env, age, ctas, now);
		uint32_t pick;

		sim_bits_init(&of, env->nwarps);
		for (uint32_t w = sim_bits_next(ready, 0); w != UINT32_MAX;
			w = sim_bits_next(ready, w + 1))
			if (env->warps[w].cta == first)
				sim_bits_set(&of, w);
		pick = policy->pick(s, &of, now);
		if (pick != SIM_NO_WARP) {
			*cta = first;
			return pick;
		}
		ctas &= ~(1ull << first);
	}
	return SIM_NO_WARP;
}
