/* The names of the priorities of CTAs. */
#include "sim/base/spec.h"
#include "sim/base/words.h"
#include <string.h>

static const char *const priority_names[] = {
	[SIM_PRIORITY_NONE] = "none",
	[SIM_PRIORITY_AGE] = "age",
	[SIM_PRIORITY_RRB] = "rrb",
	[SIM_PRIORITY_SRR] = "srr",
	[SIM_NPRIORITIES] = NULL,
};

const char *sim_priority_name(enum sim_priority p)
{
	return p < SIM_NPRIORITIES ? priority_names[p] : NULL;
}

const char *sim_priority_help(enum sim_priority p)
{
	static const char *const help[SIM_NPRIORITIES] = {
		[SIM_PRIORITY_NONE] = "warps of all CTAs alike",
		[SIM_PRIORITY_AGE] = "the oldest CTA first",
		[SIM_PRIORITY_RRB] = "round robin: another CTA first in every cycle",
		[SIM_PRIORITY_SRR] = "sticky round robin: the CTA that issues, until it stalls",
	};

	return p < SIM_NPRIORITIES ? help[p] : NULL;
}

int sim_priority_parse(const char *name, enum sim_priority *p, struct tr_err *err)
{
	const int at = sim_spec_find(name, "priority", priority_names, err);

	if (at < 0)
		return at;
	if (name[strlen(priority_names[at])])
		return tr_fail(
			err, TR_EUSAGE, 0, "priority %s takes no parameters", priority_names[at]);
	*p = (enum sim_priority)at;
	return 1;
}
