/*
 * Policies as people name them: "swl:limit=4". One form of parameters for schedulers and warp
 * policies, and the guess at what a mistyped word was meant to be.
 */
#ifndef SIM_BASE_SPEC_H
#define SIM_BASE_SPEC_H

#include "libtrace/err.h"
#include <stddef.h>

struct sim_param {
	const char *name;
	int64_t value, min, max; /* default and bounds */
	const char *help;
	const char *const *words; /* names of the values 0, 1 ... up to a NULL; NULL: a number */
};

#define SIM_PARAMS 8 /* of one policy; a shorter list ends at name == NULL */

/* The entry of a NULL-terminated list that is most like word, or NULL if none is. */
const char *sim_nearest(const char *word, const char *const *list);

/*
 * The place in `names` (NULL-terminated) of the name before the ':' of `spec`, or TR_EUSAGE: kind
 * is what to call it, "scheduler".
 */
int sim_spec_find(const char *spec, const char *kind, const char *const *names, struct tr_err *err);

/*
 * Reads what stands after the ':' of `spec`, "limit=4,rule=release", into SIM_PARAMS values: the
 * defaults where nothing is said. A first one without a name is the first parameter. 1, or
 * TR_EUSAGE with the reason.
 */
int sim_spec_params(
	const char *spec, const struct sim_param *params, int64_t *values, struct tr_err *err);

/* A value as people write it, and its bounds: "8", "1 to 1024"; a word, "lrr or gto". */
void sim_param_value(const struct sim_param *p, int64_t value, char *out, size_t size);
void sim_param_bounds(const struct sim_param *p, char *out, size_t size);

#endif
