/* The vocabulary of all tables; see columns.h. */
#include "tools/columns.h"
#include <stdlib.h>
#include <string.h>

static const struct column_about all[] = {
#define COLUMN(name, heading, unit, meaning) {NULL, name, heading, unit, meaning},
#define COLUMN_OF(tool, name, heading, unit, meaning) {tool, name, heading, unit, meaning},
#include "tools/columns.def"
#undef COLUMN
#undef COLUMN_OF
};

const struct column_about *column_about(const char *name)
{
	const struct column_about *found = NULL;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].name, name) &&
			(all[i].tool ? !strcmp(all[i].tool, tool_called()) : !found))
			found = &all[i];
	return found;
}

/* ---- --columns=help ---- */

static bool has(const struct column_table *t, const char *name)
{
	for (unsigned i = 0; i < t->n; i++)
		if (!strcmp(t->columns[i].name, name))
			return true;
	return false;
}

/* "--by pc; --by line", or "all" where there is more than one table and each has it. */
static char *tables_with(const struct column_table *tables, unsigned n, const char *name)
{
	char *text;
	FILE *f = text_start(&text);
	unsigned there = 0;

	for (unsigned i = 0; i < n; i++)
		if (has(&tables[i], name))
			fprintf(f, "%s%s", there++ ? "; " : "",
				*tables[i].when ? tables[i].when : "without options");
	text_end(f, &text);
	if (there < n || n == 1)
		return text;
	free(text);
	return must_printf("all");
}

static bool is_new(const struct column_table *tables, unsigned table, unsigned at)
{
	const struct column *c = tables[table].columns;

	for (unsigned i = 0; i < table; i++)
		if (has(&tables[i], c[at].name))
			return false;
	for (unsigned k = 0; k < at; k++)
		if (!strcmp(c[k].name, c[at].name))
			return false;
	return true;
}

static void put(
	struct table *t, const struct column_table *tables, unsigned n, const struct column *column)
{
	const struct column_about *about = column_about(column->name);
	char *where = tables_with(tables, n, column->name);

	table_text(t, column->name);
	table_text(t, about && *about->unit ? about->unit : "-");
	table_text(t, about ? about->meaning : "-");
	table_text(t, where);
	free(where);
}

bool columns_helped(const struct common *c, const struct column_table *tables, unsigned n)
{
	static const struct column columns[] = {
		{"column", SEEN}, {"unit", SEEN}, {"meaning", SEEN}, {"tables", SEEN}};
	struct common mine = *c;
	struct output o;
	struct table t;
	char *provenance;

	if (!c->columns || strcmp(c->columns, "help") != 0)
		return false;
	mine.columns = NULL;
	provenance = provenance_with(c, NULL);
	output_open(&o, c->output, false);
	table_start(&t, o.f, &mine, provenance, columns, 4);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < tables[i].n; k++)
			if (is_new(tables, i, k))
				put(&t, tables, n, &tables[i].columns[k]);
	if (c->takes_files) {
		table_text(&t, "record");
		table_none(&t);
		table_text(&t, column_about("record")->meaning);
		table_text(&t, "several FILEs");
	}
	table_end(&t);
	output_close(&o);
	free(provenance);
	return true;
}
