/*
 * What people write for the values of config.h, geometry.h and priority.h, on the command line and
 * in machine files: read and shown. The structs have headers of their own, which policies include.
 */
#ifndef SIM_BASE_WORDS_H
#define SIM_BASE_WORDS_H

#include "sim/base/config.h"
#include "sim/base/priority.h"

/* ---- the machine ---- */

/* A machine with every parameter at its default: that of ccws. */
void sim_config_default(struct sim_config *c);

/*
 * Reads an INI text over *c. An unknown key is refused with the nearest known one, a value out of
 * its bounds with the bounds; `name` stands in messages. 1 or TR_EDATA.
 */
int sim_config_read(struct sim_config *c, const char *text, const char *name, struct tr_err *err);
/*
 * Finds `base = NAME` before the first section: copies NAME to `base` and returns its line, 0 if
 * there is none, TR_EDATA if it does not fit, which with SIM_BASE_BYTES it does in every text that
 * sim_config_read takes. The caller, who can open files, reads machine NAME first, then this text.
 */
#define SIM_BASE_BYTES 200
int sim_config_base(const char *text, char *base, size_t size);
/* The line of such a text that gives a "section.key"; 0: none does. */
int sim_config_line(const char *text, const char *key);
/* What global stores do to their lines, as a stream of accesses says it: enum tr_write_policy. */
uint32_t sim_config_writes(const struct sim_config *c);
/*
 * One "section.key" set to a value as text; a section that can be perfect stands for its part:
 * "l1d=perfect". 1 or TR_EUSAGE.
 */
int sim_config_set(struct sim_config *c, const char *key, const char *value, struct tr_err *err);
/* What only makes sense together. 1 or TR_EUSAGE, naming the keys. */
int sim_config_check(const struct sim_config *c, struct tr_err *err);

/* The table of keys, for help and documents: 1, or 0 beyond the last. */
struct sim_key {
	const char *name, *help, *unit; /* unit "" where there is none */
	char value[64];                 /* in *c */
	char bounds[64];
	int today; /* 1: of today's machines, and off by default */
};
int sim_config_key(const struct sim_config *c, unsigned i, struct sim_key *key);

/* ---- caches and coalescers ---- */

/*
 * Reads "32K:128:8" (size:line:ways), "32K:128:full", "unbounded" or "unbounded:128". 1, or
 * TR_EUSAGE with the reason (size not a multiple, ways beyond lines, zero, no power of two).
 * Unbounded gives sets == 0.
 */
int sim_geometry_parse(struct sim_geometry *g, const char *spec, struct tr_err *err);

/* "cc1.0", "cc1.2", "cc2", "sector32". 1 or TR_EUSAGE. */
int sim_rule_parse(enum sim_rule *rule, const char *name);
const char *sim_rule_name(enum sim_rule rule); /* NULL beyond the last */

/* ---- priorities of CTAs ---- */

const char *sim_priority_name(enum sim_priority p); /* NULL beyond the last */
const char *sim_priority_help(enum sim_priority p);
int sim_priority_parse(
	const char *name, enum sim_priority *p, struct tr_err *err); /* 1, TR_EUSAGE */

#endif
