/*
 * Tables, the way every tool prints them: columns are named once, cells follow in order, and the
 * format decides what becomes of them. TSV has the provenance above as '#' lines and a header row;
 * JSON is an array with one object per row, which also says workload and provenance; for people
 * columns are aligned and numbers short. What the columns mean is in columns.def.
 *
 * --columns, --no-header, --vertical, --sort and --top shape every table alike.
 */
#ifndef TOOLS_TABLE_H
#define TOOLS_TABLE_H

#include "tools/common.h"

/*
 * Of several FILEs (files_next in common.h) the tables are one: its first column, record, is the
 * FILE of a row, and table_end prints nothing before the last one's.
 */
struct column {
	const char *name;
	/* Without --columns people see it always, never, where there is a value, or where there is
	 * more than one. */
	enum { SEEN, UNSEEN, IF_ANY, IF_MANY } people;
};

struct table_cell {
	size_t text;  /* where it begins in the table's text */
	double value; /* to sort by; NAN: it is no number */
	enum { CELL_TEXT, CELL_NUMBER, CELL_NONE } kind;
};

/* What one FILE has given to a table. */
struct table_part {
	char *provenance, *workload;
	size_t first; /* row */
};

struct table {
	FILE *f;
	const struct common *common;
	const struct column *columns;
	struct column *own_columns; /* those with the record's in front, or NULL */
	unsigned ncolumns, at;
	unsigned *shown, nshown; /* the columns that are printed, in their order */
	struct table_part *parts;
	unsigned nparts;
	char *text;
	size_t ntext, text_cap;
	struct table_cell *cells; /* of the row, or of all rows where they are kept */
	size_t ncells, cap;
	bool *totals; /* by row, where rows are kept */
	size_t nrows, rows_cap, nprinted;
	bool keeps, total;
	int sort; /* column; -1: as they come */
};

/* provenance: lines, or NULL. common and the columns stay the caller's until table_end. */
void table_start(struct table *t, FILE *f, const struct common *common, const char *provenance,
	const struct column *columns, unsigned ncolumns);
void table_text(struct table *t, const char *text); /* "-" is none */
void table_uint(struct table *t, uint64_t v);
void table_id(struct table *t, uint64_t v);    /* a name that is a number: never shortened */
void table_pc(struct table *t, uint64_t inst); /* of instruction number inst: 0x68; JSON: 104 */
void table_real(struct table *t, double v);
void table_shape(struct table *t, const uint32_t d[3]); /* of a grid or a block: 64, 8x8 */
void table_none(struct table *t);                       /* no such figure in this row */
/* The row whose cells come next is that of the total: it stays last, however rows are sorted. */
void table_total(struct table *t);
/* Whether a table of launches ends with such a row; of several FILEs each one's part does. */
bool table_has_total(const struct table *t, uint64_t launches);
void table_end(struct table *t);

#endif
