/* Tables; see table.h. */
#include "tools/table.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool seen(const struct table *t, unsigned column)
{
	return !t->columns[column].human || *t->columns[column].human;
}

static const char *heading(const struct table *t, unsigned column)
{
	return t->columns[column].human ? t->columns[column].human : t->columns[column].name;
}

void table_start(struct table *t, FILE *f, enum format format, const char *provenance,
	const struct column *columns, unsigned ncolumns)
{
	*t = (struct table){.f = f, .format = format, .columns = columns, .ncolumns = ncolumns};
	if (format == FORMAT_TSV) {
		for (const char *p = provenance; p && *p;) {
			const size_t n = strcspn(p, "\n");

			fprintf(f, "# %.*s\n", (int)n, p);
			p += n + (p[n] == '\n');
		}
		for (unsigned i = 0; i < ncolumns; i++)
			fprintf(f, "%s%c", columns[i].name, i + 1 < ncolumns ? '\t' : '\n');
	} else if (format == FORMAT_JSON) {
		fputc('[', f);
	}
}

static void put_json(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if ((unsigned char)*s < ' ')
			fprintf(f, "\\u%04x", (unsigned char)*s);
		else
			fputc(*s, f);
	}
	fputc('"', f);
}

static void keep(struct table *t, const char *text, bool number)
{
	if (t->ncells == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 256;
		t->cells = realloc(t->cells, t->cap * sizeof(*t->cells));
		t->is_number = realloc(t->is_number, t->cap * sizeof(*t->is_number));
		if (!t->cells || !t->is_number)
			die_memory("the table");
	}
	t->is_number[t->ncells] = number;
	t->cells[t->ncells++] = must_printf("%s", text);
}

/* One cell: `exact` is what machines read, `brief` what people do. */
static void cell(struct table *t, const char *exact, const char *brief, bool number)
{
	const char *name = t->columns[t->at].name;
	const bool last = t->at + 1 == t->ncolumns;

	if (t->format == FORMAT_HUMAN) {
		keep(t, brief, number);
	} else if (t->format == FORMAT_TSV) {
		for (const char *p = exact; *p; p++)
			fputc((unsigned char)*p < ' ' ? ' ' : *p, t->f);
		fputc(last ? '\n' : '\t', t->f);
	} else {
		fprintf(t->f, "%s\"%s\":", t->at ? "," : t->nrows ? ",\n{" : "\n{", name);
		if (number)
			fputs(exact, t->f);
		else
			put_json(t->f, exact);
		if (last)
			fputc('}', t->f);
	}
	t->at = last ? 0 : t->at + 1;
	t->nrows += last;
}

void table_text(struct table *t, const char *text)
{
	cell(t, text, text, false);
}

void table_uint(struct table *t, uint64_t v)
{
	char exact[32];

	snprintf(exact, sizeof(exact), "%llu", (unsigned long long)v);
	cell(t, exact, human((double)v), true);
}

void table_id(struct table *t, uint64_t v)
{
	char exact[32];

	snprintf(exact, sizeof(exact), "%llu", (unsigned long long)v);
	cell(t, exact, exact, true);
}

void table_real(struct table *t, double v)
{
	char exact[32], brief[32];

	if (!isfinite(v)) {
		table_none(t);
		return;
	}
	snprintf(exact, sizeof(exact), "%.6g", v);
	snprintf(brief, sizeof(brief), "%.3g", v);
	cell(t, exact, brief, true);
}

void table_shape(struct table *t, const uint32_t d[3])
{
	char text[40];
	int n = snprintf(text, sizeof(text), "%" PRIu32, d[0]);

	for (int i = 1; i < 3 && (d[1] > 1 || d[2] > 1); i++)
		if (i == 1 || d[2] > 1)
			n += snprintf(text + n, sizeof(text) - (size_t)n, "x%" PRIu32, d[i]);
	table_text(t, text);
}

void table_none(struct table *t)
{
	cell(t, t->format == FORMAT_JSON ? "null" : "-", "-", true);
}

static void put_padded(FILE *f, const char *s, size_t width, bool right, bool last)
{
	if (right)
		fprintf(f, "%*s", (int)width, s);
	else
		fprintf(f, "%-*s", last ? 0 : (int)width, s);
	fputs(last ? "\n" : "  ", f);
}

static void print_aligned(struct table *t)
{
	size_t *width = must_alloc(t->ncolumns, sizeof(*width));
	unsigned final = 0;

	for (unsigned i = 0; i < t->ncolumns; i++) {
		width[i] = strlen(heading(t, i));
		if (seen(t, i))
			final = i;
	}
	for (size_t k = 0; k < t->ncells; k++)
		if (strlen(t->cells[k]) > width[k % t->ncolumns])
			width[k % t->ncolumns] = strlen(t->cells[k]);
	for (unsigned i = 0; i < t->ncolumns; i++)
		if (seen(t, i))
			put_padded(t->f, heading(t, i), width[i], t->ncells && t->is_number[i],
				i == final);
	for (size_t k = 0; k < t->ncells; k++) {
		const unsigned i = (unsigned)(k % t->ncolumns);

		if (seen(t, i))
			put_padded(t->f, t->cells[k], width[i], t->is_number[k], i == final);
		free(t->cells[k]);
	}
	free(width);
	free(t->cells);
	free(t->is_number);
}

void table_end(struct table *t)
{
	if (t->format == FORMAT_HUMAN)
		print_aligned(t);
	else if (t->format == FORMAT_JSON)
		fputs(t->nrows ? "\n]\n" : "]\n", t->f);
}
