/* The table of warp policies, and how they are named. */
#include "sim/warp/warp.h"
#include <assert.h>

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
	assert(i >= COUNT || !sim_warp_policy_lacks(table[i]));
	return i < COUNT ? table[i] : NULL;
}

int sim_warp_policy_shape(const struct sim_warp_policy *policy, const struct sim_config *c,
	const int64_t *params, struct sim_shape *shape, struct tr_err *err)
{
	int rc;

	*shape = (struct sim_shape){0};
	rc = policy->shape(c, params, shape, err);
	if (rc < 0)
		return rc;
	if (!shape->widest)
		shape->widest = shape->lanes;
	if (!shape->slots || !shape->lanes || shape->slots > SIM_BITS_MAX ||
		shape->lanes > TR_LANES_MAX || shape->widest > TR_LANES_MAX)
		return tr_fail(err, TR_EUSAGE, 0,
			"%s needs %u warps of %u lanes, up to %u together: at least one of one, at "
			"most %u of %u",
			policy->name, shape->slots, shape->lanes, shape->widest, SIM_BITS_MAX,
			TR_LANES_MAX);
	return 1;
}

const char *sim_warp_policy_lacks(const struct sim_warp_policy *p)
{
	if (!p->name || !p->help)
		return "a name and a help text";
	if (!p->shape || !p->start || !p->arrive || !p->next)
		return "one of shape, start, arrive and next";
	return p->hears && !p->told ? "told, though it hears" : NULL;
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
