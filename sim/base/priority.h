/* Which CTA's warps a scheduler may pick from (TBC 6.2): over any scheduler. */
#ifndef SIM_BASE_PRIORITY_H
#define SIM_BASE_PRIORITY_H

#include "libtrace/err.h"

enum sim_priority {
	SIM_PRIORITY_NONE, /* all of them together */
	SIM_PRIORITY_AGE,  /* the oldest CTA first */
	SIM_PRIORITY_RRB,  /* another CTA first in every cycle */
	SIM_PRIORITY_SRR,  /* the CTA that issues, until none of its warps can */
	SIM_NPRIORITIES
};
const char *sim_priority_name(enum sim_priority p); /* NULL beyond the last */
const char *sim_priority_help(enum sim_priority p);
int sim_priority_parse(
	const char *name, enum sim_priority *p, struct tr_err *err); /* 1, TR_EUSAGE */

#endif
