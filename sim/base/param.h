/*
 * Parameters of a policy: "limit=4" after its name. One form for schedulers and warp policies.
 */
#ifndef SIM_BASE_PARAM_H
#define SIM_BASE_PARAM_H

#include <stdint.h>

struct sim_param {
	const char *name;
	int64_t value, min, max; /* default and bounds */
	const char *help;
	const char *const *words; /* names of the values 0, 1 ... up to a NULL; NULL: a number */
};

/* As the least value of a number: it may also be the word none. */
#define SIM_PARAM_NONE (-1)

#define SIM_PARAMS 10 /* of one policy; a shorter list ends at name == NULL */

#endif
