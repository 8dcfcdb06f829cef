/* The table of warp policies, and how they are named. */
#include "sim/warp/table.h"
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
	assert(i >= COUNT || sim_warp_policy_check(table[i], NULL) == 1);
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
	if (shape->slice && (shape->lanes > 64 || shape->lanes % shape->slice ||
				    shape->lanes / shape->slice > SIM_SLICES))
		return tr_fail(err, TR_EUSAGE, 0,
			"%s has slices of %u lanes: at most %u of them make up a warp of %u, which "
			"may have 64",
			policy->name, shape->slice, SIM_SLICES, shape->lanes);
	return 1;
}

static int counters_check(const struct sim_warp_policy *p, struct tr_err *err)
{
	unsigned i = 0;

	for (; i < SIM_COUNTERS && p->counters[i].name; i++)
		if (!sim_is_name(p->counters[i].name) || !p->counters[i].help)
			return tr_fail(
				err, TR_EUSAGE, 0, "counter %u has no name or no help text", i + 1);
	if (i == SIM_COUNTERS && p->counters[i].name)
		return tr_fail(err, TR_EUSAGE, 0, "it has more than %d counters", SIM_COUNTERS);
	return 1;
}

int sim_warp_policy_check(const struct sim_warp_policy *p, struct tr_err *err)
{
	if (p->abi >> 20 != SIM_WARP_VERSION)
		return tr_fail(err, TR_EUSAGE, 0,
			"it was compiled for warp policies of version %u, this trace-replay has %u",
			p->abi >> 20, SIM_WARP_VERSION);
	if (p->abi != SIM_WARP_ABI)
		return tr_fail(err, TR_EUSAGE, 0,
			"its structs have other sizes than this trace-replay's: compile it anew");
	if (p->bytes != sizeof(*p))
		return tr_fail(err, TR_EUSAGE, 0,
			"its `bytes` are %u, a struct sim_warp_policy has %zu", p->bytes,
			sizeof(*p));
	if (!p->name || !p->help || !sim_is_name(p->name))
		return tr_fail(err, TR_EUSAGE, 0,
			"it lacks a name of letters, digits and _-+. or a help text");
	if (!p->shape || !p->start || !p->arrive || !p->next)
		return tr_fail(err, TR_EUSAGE, 0, "it lacks one of shape, start, arrive and next");
	if (p->hears && !p->told)
		return tr_fail(err, TR_EUSAGE, 0, "it lacks told, though it hears");
	if (p->priority >= SIM_NPRIORITIES)
		return tr_fail(err, TR_EUSAGE, 0, "its priority is none of enum sim_priority");
	return counters_check(p, err) < 0 ? TR_EUSAGE : sim_params_check(p->params, err);
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
