/*
 * Policies as people name them: "swl:limit=4". One form of parameters for schedulers and warp
 * policies, and the guess at what a mistyped word was meant to be.
 */
#ifndef SIM_BASE_SPEC_H
#define SIM_BASE_SPEC_H

#include "libtrace/err.h"
#include "sim/base/param.h"
#include <stddef.h>

/* The entry of a NULL-terminated list that is most like word, or NULL if none is. */
const char *sim_nearest(const char *word, const char *const *list);

/*
 * The index in `names` (NULL-terminated) of the name before the ':' of `spec`, or TR_EUSAGE. kind:
 * what the message calls it, as "scheduler".
 */
int sim_spec_find(const char *spec, const char *kind, const char *const *names, struct tr_err *err);

/*
 * Reads what stands after the ':' of `spec`, "limit=4,rule=release", into SIM_PARAMS values: the
 * defaults where nothing is said. A first one without a name is the first parameter. 1, or
 * TR_EUSAGE with the reason.
 */
int sim_spec_params(
	const char *spec, const struct sim_param *params, int64_t *values, struct tr_err *err);

/*
 * Parameters that can be read and shown: each with a help text, its default within its bounds, and
 * a word for each value where it has words. 1, or TR_EUSAGE with what is wrong.
 */
int sim_params_check(const struct sim_param *params, struct tr_err *err);

/* Is it one word, such as can stand in a list of policies and in a column of a table? */
int sim_is_name(const char *name);

/* A value as people write it, and its bounds: "8", "1 to 1024"; a word, "lrr or gto". */
void sim_param_value(const struct sim_param *p, int64_t value, char *out, size_t size);
void sim_param_bounds(const struct sim_param *p, char *out, size_t size);

/* How many letters of text are the unit after a K, M or G, which is 1024 with or without: KB, KiB.
 */
size_t sim_size_unit(const char *text);

#endif
