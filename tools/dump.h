/*
 * Streams as text for `trace-info --dump`: a line for each record and for each of its parts, in the
 * order of the stream, so that two of them can be compared by diff. Launches, programs and
 * instructions go by their numbers. It is not read back.
 */
#ifndef TOOLS_DUMP_H
#define TOOLS_DUMP_H

#include "libtrace/access.h"
#include <stdbool.h>

/* Those that were printed already, by number; from zero, its memory is the caller's to free. */
struct programs {
	bool *known;
	uint32_t n;
};
/* Was it new? */
bool programs_add(struct programs *s, uint32_t number);

void dump_program(FILE *f, uint32_t number, const struct tr_program *p);
void dump_launch(FILE *f, const struct tr_launch *l);

/* Of a thread trace: a CTA with its threads, and the totals at the end. */
void dump_cta(FILE *f, const struct tr_program *p, const struct tr_cta *c);
void dump_totals(FILE *f, const uint64_t *totals);

/* Of an access stream: its header, an access of a launch, and the totals at the end. */
void dump_access_info(FILE *f, const struct tr_access_info *i);
void dump_access(FILE *f, uint32_t launch, const struct tr_access *a);
void dump_access_totals(FILE *f, const uint64_t *totals);

#endif
