/* Tables; see table.h. */
#include "tools/table.h"
#include "tools/columns.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which columns ---- */

static int column_number(const struct table *t, const char *name)
{
	for (unsigned i = 0; i < t->ncolumns; i++)
		if (!strcmp(t->columns[i].name, name))
			return (int)i;
	return -1;
}

/* Of an option, whose column there must be: its number; ncolumns: the workload. */
static unsigned column_wanted(const struct table *t, const char *option, const char *name)
{
	const int number = column_number(t, name);
	const char **names, *like;

	if (number >= 0)
		return (unsigned)number;
	if (!strcmp(name, "workload"))
		return t->ncolumns;
	names = must_alloc(t->ncolumns + (size_t)1, sizeof(*names));
	for (unsigned i = 0; i < t->ncolumns; i++)
		names[i] = t->columns[i].name;
	like = nearest(name, names);
	die(EXIT_USAGE,
		"%s: the table has no column '%s'%s%s%s: --columns=help names them, and the "
		"options that show them",
		option, name, like ? ", did you mean '" : "", like ? like : "", like ? "'?" : "");
}

static void show(struct table *t, unsigned column)
{
	t->shown = must_realloc(t->shown, t->nshown + (size_t)1, sizeof(*t->shown));
	t->shown[t->nshown++] = column;
}

static void choose_columns(struct table *t)
{
	const struct common *c = t->common;
	char *list = c->columns ? must_printf("%s", c->columns) : NULL, *rest = list, *name;

	while (list && (name = strsep(&rest, ",")))
		show(t, column_wanted(t, "--columns", name));
	free(list);
	for (unsigned i = 0; !c->columns && i < t->ncolumns; i++)
		if (c->format != FORMAT_HUMAN || t->columns[i].people != UNSEEN)
			show(t, i);
	if (c->format == FORMAT_JSON && !c->columns && t->parts[0].workload &&
		column_number(t, "workload") < 0)
		show(t, t->ncolumns);
	t->sort = c->sort ? (int)column_wanted(t, "--sort", c->sort) : -1;
	if (t->sort == (int)t->ncolumns)
		t->sort = -1; /* it is the same in all rows */
}

static const char *name_of(const struct table *t, unsigned column)
{
	return column < t->ncolumns ? t->columns[column].name : "workload";
}

static const char *heading(const struct table *t, unsigned column)
{
	const char *name = name_of(t, column);
	const struct column_about *about = column_about(name);

	return t->common->format == FORMAT_HUMAN && about && about->heading ? about->heading : name;
}

/* ---- the beginning ---- */

/*
 * What the last trace-gen of these lines recorded: the word after the version. Where that is an
 * option the record is an older one, of which an --entry tells.
 */
static char *workload_of(const char *provenance)
{
	const char *line = NULL, *end, *at;

	for (at = provenance; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (!strncmp(at, "trace-gen ", 10))
			line = at + 10;
	if (!line)
		return NULL;
	end = line + strcspn(line, "\n");
	at = line + strcspn(line, " \n") + 1;
	if (at < end && *at == '-') {
		at = memmem(line, (size_t)(end - line), " --entry", 8);
		at = at ? at + 9 : end;
	}
	return at < end ? must_printf("%.*s", (int)strcspn(at, " \n"), at) : NULL;
}

static void put_provenance(const struct table *t, const char *p)
{
	while (p && *p) {
		const size_t n = strcspn(p, "\n");

		fputs("# ", t->f);
		put_blanked(t->f, p, n, "");
		fputc('\n', t->f);
		p += n + (p[n] == '\n');
	}
}

static void put_head(const struct table *t)
{
	if (t->common->format == FORMAT_JSON)
		fputc('[', t->f);
	if (t->common->format != FORMAT_TSV || t->common->no_header)
		return;
	for (unsigned i = 0; i < t->nparts; i++)
		put_provenance(t, t->parts[i].provenance);
	for (unsigned i = 0; !t->common->vertical && i < t->nshown; i++)
		fprintf(t->f, "%s%c", name_of(t, t->shown[i]), i + 1 < t->nshown ? '\t' : '\n');
}

static void add_part(struct table *t, const char *provenance)
{
	t->parts = must_realloc(t->parts, t->nparts + (size_t)1, sizeof(*t->parts));
	t->parts[t->nparts++] = (struct table_part){
		.provenance = provenance ? must_printf("%s", provenance) : NULL,
		.workload = workload_of(provenance),
		.first = t->nrows,
	};
}

static const struct table_part *part_of(const struct table *t, size_t row)
{
	unsigned i = t->nparts;

	while (--i && t->parts[i].first > row)
		;
	return &t->parts[i];
}

/* The rows of the FILEs before. */
static struct table gathered;

static void add_record_column(struct table *t)
{
	t->own_columns = must_alloc(t->ncolumns + (size_t)1, sizeof(*t->own_columns));
	t->own_columns[0] = (struct column){"record", SEEN};
	memcpy(t->own_columns + 1, t->columns, t->ncolumns * sizeof(*t->columns));
	t->columns = t->own_columns;
	t->ncolumns++;
}

static bool same_columns(const struct table *t, const struct column *columns, unsigned ncolumns)
{
	bool same = t->ncolumns == ncolumns + 1;

	for (unsigned i = 0; same && i < ncolumns; i++)
		same = !strcmp(t->columns[i + 1].name, columns[i].name);
	return same;
}

void table_start(struct table *t, FILE *f, const struct common *common, const char *provenance,
	const struct column *columns, unsigned ncolumns)
{
	if (common->record && gathered.nparts) {
		if (!same_columns(&gathered, columns, ncolumns))
			die(EXIT_USAGE, "'%s' makes another table than '%s': one after the other",
				common->record, common->files[0]);
		*t = gathered;
		t->f = f;
		gathered = (struct table){0};
		add_part(t, provenance);
		return;
	}
	*t = (struct table){.f = f, .common = common, .columns = columns, .ncolumns = ncolumns};
	if (common->record)
		add_record_column(t);
	add_part(t, provenance);
	choose_columns(t);
	t->keeps = common->format == FORMAT_HUMAN || common->vertical || t->sort >= 0 ||
		   common->top || common->record;
	if (!common->record)
		put_head(t);
}

/* ---- printing ---- */

static struct table_cell cell_at(const struct table *t, size_t row, unsigned column)
{
	static const struct table_cell none = {.kind = CELL_NONE};

	return column < t->ncolumns ? t->cells[row * t->ncolumns + column] : none;
}

/* The workload is in no cell: it is that of the whole table. */
static const char *text_at(const struct table *t, size_t row, unsigned column)
{
	if (column == t->ncolumns)
		return part_of(t, row)->workload ? part_of(t, row)->workload : "-";
	return t->text + cell_at(t, row, column).text;
}

static void put_json_cell(const struct table *t, size_t row, unsigned column)
{
	const char *text = text_at(t, row, column);

	if (column == t->ncolumns && part_of(t, row)->workload)
		put_json(t->f, text, strlen(text));
	else if (cell_at(t, row, column).kind == CELL_NONE)
		fputs("null", t->f);
	else if (cell_at(t, row, column).kind == CELL_NUMBER)
		fputs(text, t->f);
	else
		put_json(t->f, text, strlen(text));
}

static void put_json_row(struct table *t, size_t row)
{
	const char *provenance = part_of(t, row)->provenance;

	fputs(t->nprinted ? ",\n{" : "\n{", t->f);
	for (unsigned i = 0; i < t->nshown; i++) {
		fprintf(t->f, "%s\"%s\":", i ? "," : "", name_of(t, t->shown[i]));
		put_json_cell(t, row, t->shown[i]);
	}
	if (provenance && !t->common->columns) {
		const char *between = "";

		fputs(",\"provenance\":[", t->f);
		for (const char *p = provenance; *p; between = ",") {
			const size_t n = strcspn(p, "\n");

			fputs(between, t->f);
			put_json(t->f, p, n);
			p += n + (p[n] == '\n');
		}
		fputc(']', t->f);
	}
	fputc('}', t->f);
}

static void put_row(struct table *t, size_t row)
{
	if (t->common->format == FORMAT_JSON) {
		put_json_row(t, row);
	} else {
		for (unsigned i = 0; i < t->nshown; i++) {
			const char *text = text_at(t, row, t->shown[i]);

			put_blanked(t->f, text, strlen(text), "");
			fputc(i + 1 < t->nshown ? '\t' : '\n', t->f);
		}
	}
	t->nprinted++;
}

/* ---- cells ---- */

static void keep_row(struct table *t)
{
	if (t->nrows == t->rows_cap) {
		t->rows_cap = t->rows_cap ? 2 * t->rows_cap : 64;
		t->totals = must_realloc(t->totals, t->rows_cap, sizeof(*t->totals));
	}
	t->totals[t->nrows++] = t->total;
}

static void end_row(struct table *t)
{
	t->at = 0;
	if (t->keeps) {
		keep_row(t);
	} else {
		put_row(t, 0);
		t->ncells = t->ntext = 0;
	}
	t->total = false;
}

static void put_cell(struct table *t, const char *exact, const char *brief, struct table_cell c)
{
	const char *text = t->common->format == FORMAT_HUMAN ? brief : exact;
	const size_t n = strlen(text) + 1;

	if (t->ncells == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 256;
		t->cells = must_realloc(t->cells, t->cap, sizeof(*t->cells));
	}
	while (t->ntext + n > t->text_cap) {
		t->text_cap = t->text_cap ? 2 * t->text_cap : 4096;
		t->text = must_realloc(t->text, t->text_cap, 1);
	}
	memcpy(t->text + t->ntext, text, n);
	c.text = t->ntext;
	t->ntext += n;
	t->cells[t->ncells++] = c;
	if (++t->at == t->ncolumns)
		end_row(t);
}

/* One cell: `exact` is what machines read, `brief` what people do. A row begins with its record. */
static void cell(struct table *t, const char *exact, const char *brief, struct table_cell c)
{
	const char *record = t->common->record;

	if (!t->at && record)
		put_cell(t, record, record, (struct table_cell){.value = NAN, .kind = CELL_TEXT});
	put_cell(t, exact, brief, c);
}

static void number(struct table *t, const char *exact, const char *brief, double value)
{
	cell(t, exact, brief, (struct table_cell){.value = value, .kind = CELL_NUMBER});
}

void table_text(struct table *t, const char *text)
{
	const bool none = !strcmp(text, "-");

	cell(t, text, text,
		(struct table_cell){.value = NAN, .kind = none ? CELL_NONE : CELL_TEXT});
}

void table_uint(struct table *t, uint64_t v)
{
	char exact[32];

	snprintf(exact, sizeof(exact), "%" PRIu64, v);
	number(t, exact, human((double)v), (double)v);
}

void table_id(struct table *t, uint64_t v)
{
	char exact[32];

	snprintf(exact, sizeof(exact), "%" PRIu64, v);
	number(t, exact, exact, (double)v);
}

void table_pc(struct table *t, uint64_t inst)
{
	const uint64_t pc = inst * TR_PC_BYTES;
	char text[32];

	/* JSON has no hexadecimal numbers. */
	snprintf(text, sizeof(text), t->common->format == FORMAT_JSON ? "%" PRIu64 : "0x%" PRIx64,
		pc);
	number(t, text, text, (double)pc);
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
	number(t, exact, brief, v);
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
	cell(t, "-", "-", (struct table_cell){.value = NAN, .kind = CELL_NONE});
}

void table_total(struct table *t)
{
	t->total = true;
}

bool table_has_total(const struct table *t, uint64_t launches)
{
	return launches > 1 || t->common->record;
}

/* ---- the end, where rows are kept ---- */

/* The largest first, texts in their order, what has no figure last; equals stay as they came. */
static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct table *t = arg;
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	/* As they come, each FILE's is the last of its rows. */
	int order = t->sort >= 0 ? t->totals[x] - t->totals[y] : 0;

	if (!order && t->sort >= 0) {
		const struct table_cell p = cell_at(t, x, (unsigned)t->sort);
		const struct table_cell q = cell_at(t, y, (unsigned)t->sort);

		order = (p.kind == CELL_NONE) - (q.kind == CELL_NONE);
		if (!order && p.kind == CELL_NUMBER && q.kind == CELL_NUMBER)
			order = (p.value < q.value) - (p.value > q.value);
		else if (!order && p.kind != CELL_NONE)
			order = strcmp(t->text + p.text, t->text + q.text);
	}
	return order ? order : (x > y) - (x < y);
}

/* The rows that are left, in their order; how many. */
static size_t order_rows(struct table *t, size_t *rows)
{
	size_t n = 0, plain = 0;

	for (size_t i = 0; i < t->nrows; i++)
		rows[i] = i;
	qsort_r(rows, t->nrows, sizeof(*rows), compare_rows, t);
	for (size_t i = 0; i < t->nrows; i++)
		if (!t->common->top || t->totals[rows[i]] || plain++ < t->common->top)
			rows[n++] = rows[i];
	return n;
}

/* People do not see columns that have nothing to say: no value, or the same one everywhere. */
static bool says_nothing(const struct table *t, unsigned column, const size_t *rows, size_t n)
{
	const char *first = NULL;

	if (t->columns[column].people == SEEN)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *text = text_at(t, rows[i], column);

		if (cell_at(t, rows[i], column).kind == CELL_NONE)
			continue;
		if (t->columns[column].people == IF_ANY || (first && strcmp(text, first) != 0))
			return false;
		first = text;
	}
	return true;
}

static void drop_columns(struct table *t, const size_t *rows, size_t n)
{
	unsigned left = 0;

	for (unsigned i = 0; i < t->nshown; i++)
		if (!says_nothing(t, t->shown[i], rows, n))
			t->shown[left++] = t->shown[i];
	t->nshown = left;
}

/* A rectangle of texts: rows and columns, or the other way round. */
struct grid {
	const struct table *t;
	const size_t *rows;
	size_t across, down; /* with the headings, where there are some */
	bool headings, vertical;
};

static const char *grid_text(const struct grid *g, size_t down, size_t across)
{
	const size_t r = g->vertical ? across : down, c = g->vertical ? down : across;

	if (g->headings && !r)
		return heading(g->t, g->t->shown[c]);
	return text_at(g->t, g->rows[g->headings ? r - 1 : r], g->t->shown[c]);
}

/* Numbers stand at the right, and what is in a column with them. */
static bool at_right(const struct grid *g, size_t across)
{
	bool numbers = false;

	if (g->vertical)
		return across || !g->headings;
	for (size_t i = 0; i + g->headings < g->down && !numbers; i++)
		numbers = cell_at(g->t, g->rows[i], g->t->shown[across]).kind == CELL_NUMBER;
	return numbers;
}

static void put_padded(FILE *f, const char *s, size_t width, bool right, bool last)
{
	const int blanks = last && !right ? 0 : (int)(width - text_width(s));

	fprintf(f, "%*s", right ? blanks : 0, "");
	put_blanked(f, s, strlen(s), "");
	fprintf(f, "%*s", right ? 0 : blanks, "");
	fputs(last ? "\n" : "  ", f);
}

static void print_aligned(const struct grid *g)
{
	size_t *width = must_alloc(g->across, sizeof(*width));
	bool *right = must_alloc(g->across, sizeof(*right));

	for (size_t k = 0; k < g->across; k++)
		right[k] = at_right(g, k);
	for (size_t i = 0; i < g->down; i++)
		for (size_t k = 0; k < g->across; k++) {
			const size_t n = text_width(grid_text(g, i, k));

			width[k] = n > width[k] ? n : width[k];
		}
	for (size_t i = 0; i < g->down; i++)
		for (size_t k = 0; k < g->across; k++)
			put_padded(g->t->f, grid_text(g, i, k), width[k], right[k],
				k + 1 == g->across);
	free(width);
	free(right);
}

static void print_vertical_tsv(const struct grid *g)
{
	for (size_t i = 0; i < g->down; i++)
		for (size_t k = 0; k < g->across; k++) {
			const char *text = grid_text(g, i, k);

			put_blanked(g->t->f, text, strlen(text), "");
			fputc(k + 1 < g->across ? '\t' : '\n', g->t->f);
		}
}

static void print_kept(struct table *t)
{
	size_t *rows = must_alloc(t->nrows, sizeof(*rows));
	const size_t n = order_rows(t, rows);
	const bool headings = !t->common->no_header, vertical = t->common->vertical;
	const size_t lines = n + headings;
	struct grid g = {.t = t, .rows = rows, .headings = headings, .vertical = vertical};

	if (t->common->format == FORMAT_HUMAN && !t->common->columns)
		drop_columns(t, rows, n);
	g.across = vertical ? lines : t->nshown;
	g.down = vertical ? t->nshown : lines;
	if (t->common->format == FORMAT_HUMAN)
		print_aligned(&g);
	else if (vertical)
		print_vertical_tsv(&g);
	else
		for (size_t i = 0; i < n; i++)
			put_row(t, rows[i]);
	free(rows);
}

void table_end(struct table *t)
{
	if (t->common->record && t->common->more) {
		gathered = *t;
		return;
	}
	if (t->common->record)
		put_head(t);
	if (t->keeps)
		print_kept(t);
	if (t->common->format == FORMAT_JSON)
		fputs(t->nprinted ? "\n]\n" : "]\n", t->f);
	for (unsigned i = 0; i < t->nparts; i++) {
		free(t->parts[i].provenance);
		free(t->parts[i].workload);
	}
	free(t->parts);
	free(t->own_columns);
	free(t->shown);
	free(t->text);
	free(t->cells);
	free(t->totals);
}
