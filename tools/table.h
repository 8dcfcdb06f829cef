/*
 * Tables, the way every tool prints them: columns are named once, cells follow in order, and the
 * format decides what becomes of them. TSV has the provenance above as '#' lines and a header row;
 * JSON is an array with one object per row; for people columns are aligned and numbers short.
 */
#ifndef TOOLS_TABLE_H
#define TOOLS_TABLE_H

#include "tools/common.h"

struct column {
	const char *name;
	const char *human; /* heading for people; NULL: name; "": they do not see the column */
};

struct table {
	FILE *f;
	enum format format;
	const struct column *columns;
	unsigned ncolumns, at;
	size_t nrows;
	char **cells; /* all of them, for the format that has to know their widths */
	bool *is_number;
	size_t ncells, cap;
};

/* provenance: lines, or NULL. The columns stay the caller's until table_end. */
void table_start(struct table *t, FILE *f, enum format format, const char *provenance,
	const struct column *columns, unsigned ncolumns);
void table_text(struct table *t, const char *text);
void table_uint(struct table *t, uint64_t v);
void table_id(struct table *t, uint64_t v); /* a name that is a number: never shortened */
void table_real(struct table *t, double v);
void table_shape(struct table *t, const uint32_t d[3]); /* of a grid or a block: 64, 8x8 */
void table_none(struct table *t);                       /* no such figure in this row */
void table_end(struct table *t);

#endif
