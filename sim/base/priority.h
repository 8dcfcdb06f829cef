/* Which CTA's warps a scheduler may pick from (TBC 6.2): over any scheduler. */
#ifndef SIM_BASE_PRIORITY_H
#define SIM_BASE_PRIORITY_H

enum sim_priority {
	SIM_PRIORITY_NONE, /* all of them together */
	SIM_PRIORITY_AGE,  /* the oldest CTA first */
	SIM_PRIORITY_RRB,  /* another CTA first in every cycle */
	SIM_PRIORITY_SRR,  /* the CTA that issues, until none of its warps can */
	SIM_NPRIORITIES
};

#endif
