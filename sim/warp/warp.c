/* The table of warp policies, and how they are named. */
#include "sim/warp/warp.h"

#define SIM_WARP_POLICY(id) extern const struct sim_warp_policy sim_warp_##id;
#include "policies.def"
#undef SIM_WARP_POLICY

static const struct sim_warp_policy *const table[] = {
#define SIM_WARP_POLICY(id) &sim_warp_##id,
#include "policies.def"
#undef SIM_WARP_POLICY
};

#define COUNT (sizeof(table) / sizeof(table[0]))

const struct sim_warp_policy *sim_warp_policy_at(unsigned i)
{
	return i < COUNT ? table[i] : NULL;
}

const struct sim_warp_policy *sim_warp_policy_find(const char *name)
{
	for (unsigned i = 0; i < COUNT; i++)
		if (!strcmp(table[i]->name, name))
			return table[i];
	return NULL;
}

uint32_t sim_warp_policy_widest(
	const struct sim_warp_policy *policy, const struct sim_config *c, const int64_t *params)
{
	uint32_t slots, lanes;
	size_t state;

	if (policy->widest)
		return policy->widest(c, params);
	policy->shape(c, params, &slots, &lanes, &state);
	return lanes;
}

int sim_warp_policy_parse(const char *spec, const struct sim_warp_policy **policy, int64_t *params,
	struct tr_err *err)
{
	const char *names[COUNT + 1] = {NULL};
	int at;

	for (unsigned i = 0; i < COUNT; i++)
		names[i] = table[i]->name;
	at = sim_spec_find(spec, "warp policy", names, err);
	if (at < 0)
		return at;
	*policy = table[at];
	return sim_spec_params(spec, table[at]->params, params, err);
}
