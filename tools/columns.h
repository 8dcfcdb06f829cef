/*
 * The vocabulary of all tables: columns.def, by name. A name means the same everywhere, but where a
 * tool has a meaning of its own.
 */
#ifndef TOOLS_COLUMNS_H
#define TOOLS_COLUMNS_H

#include "tools/table.h"

struct column_about {
	const char *tool; /* NULL: all that do not have an entry of their own */
	const char *name, *heading, *unit, *meaning;
};

/* What is said of a column in this tool; NULL: nothing. */
const struct column_about *column_about(const char *name);

/* One of the tables that a tool prints. */
struct column_table {
	const char *when; /* the options that ask for it: "--by pc"; "": none */
	const struct column *columns;
	unsigned n;
};

/*
 * Prints the tool's columns, each once, with its unit, its meaning and the tables that have it, if
 * --columns=help asks for that; else returns false. n tables.
 */
bool columns_helped(const struct common *c, const struct column_table *tables, unsigned n);

#endif
