/* trace-gen --memcheck: what the accesses of kernels came to, as a table. */
#ifndef TOOLS_FINDINGS_H
#define TOOLS_FINDINGS_H

#include "sim/ptx/ptx.h"
#include "tools/columns.h"

extern const struct column_table findings_table;

/* Where the table goes: to a file, or for NULL to stderr. Before a run, which may take long. */
void findings_open(struct output *out, const char *file);
/*
 * A row for each, in the order in which they were found, and closes *out; then a sentence of the
 * sum. With nothing found there is neither, but a file with a header. Whether there was anything.
 */
bool findings_tell(
	const struct ptx_finding *f, uint32_t n, const struct common *common, struct output *out);
/* The same of those that a program's runtime wrote to f, from its beginning (rt.c). */
bool findings_tell_from(FILE *f, const struct common *common, struct output *out);

#endif
