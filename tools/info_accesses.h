/*
 * trace-info for access streams: a row per launch with its accesses, above it how they were made;
 * the stream as text; or nothing, where only its soundness is asked for.
 */
#ifndef TOOLS_INFO_ACCESSES_H
#define TOOLS_INFO_ACCESSES_H

#include "tools/accesses.h"
#include "tools/table.h"

extern const struct column access_columns[];
extern const unsigned access_ncolumns;

enum info_mode { INFO_TABLE, INFO_CHECK, INFO_DUMP, INFO_DECODE };

/* Reads s to its end. */
void info_accesses(struct accesses *s, enum info_mode mode, const struct common *c);

#endif
