/*
 * Graphs and matrices from text: Matrix Market coordinate files, DIMACS shortest-path files, edge
 * lists. Strict: a file is taken whole or refused with file, line and reason; nothing is guessed,
 * rounded or skipped but comments and blank lines. A size that the file states is a claim to be
 * checked: memory grows with the lines that are there.
 *
 * Left out: dense, complex, skew-symmetric and Hermitian Matrix Market files, the other DIMACS
 * problems, compressed files.
 */
#include "input_parts.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <strings.h>

#define LINE_BYTES 4096
#define BLANKS " \t"
#define MM_BANNER "%%MatrixMarket"
#define HEAD_BYTES (sizeof(MM_BANNER) - 1)

/*
 * Rows need memory though no line of the file stands behind each. So many are free, and so many
 * more for each entry; a file that asks for more than that is taken for broken.
 */
#define FREE_ROWS (1u << 20)
#define ROWS_PER_ENTRY 64

struct text {
	FILE *f;
	const char *path;
	struct tr_err *err;
	uint64_t line, offset, next; /* the line in hand, its first byte, the first byte after it */
	char head[HEAD_BYTES];       /* read ahead, to recognize the format */
	size_t head_len, head_at;
	char *p; /* what is left of the line */
	char buf[LINE_BYTES];
};

__attribute__((format(printf, 2, 3))) static int bad(struct text *t, const char *fmt, ...)
{
	char reason[180];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	return tr_fail(t->err, TR_EDATA, t->offset, "%.180s:%llu: %s", t->path,
		(unsigned long long)(t->line ? t->line : 1), reason);
}

/* A word of the file as an error may show it: short, and harmless to a terminal. */
struct quoted {
	char s[32];
};

static struct quoted quote(const char *word)
{
	struct quoted q;
	size_t n = 0;

	for (; n < sizeof(q.s) - 1 && word[n]; n++)
		q.s[n] = word[n] >= ' ' && word[n] <= '~' ? word[n] : '?';
	q.s[n] = 0;
	return q;
}

static int cannot_read(const char *path, uint64_t offset, struct tr_err *err)
{
	return tr_fail(err, TR_EIO, offset, "cannot read '%.180s': %s", path, strerror(errno));
}

static int text_open(struct text *t, FILE *f, const char *path, struct tr_err *err)
{
	static const struct {
		const char *magic, *name, *command;
	} packed[] = {
		{"\x1f\x8b", "gzip", "gunzip"},
		{"BZh", "bzip2", "bunzip2"},
		{"\x28\xb5\x2f\xfd", "zstd", "unzstd"},
		{"\xfd\x37zXZ", "xz", "unxz"},
	};

	*t = (struct text){.f = f, .path = path, .err = err};
	t->head_len = fread(t->head, 1, sizeof(t->head), f);
	if (ferror(f))
		return cannot_read(path, 0, err);
	if (!t->head_len)
		return bad(t, "the file is empty");
	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++) {
		size_t n = strlen(packed[i].magic);
		if (t->head_len >= n && !memcmp(t->head, packed[i].magic, n))
			return bad(t, "the file is compressed by %s: unpack it first with %s",
				packed[i].name, packed[i].command);
	}
	return 1;
}

static bool is_matrix_market(const struct text *t)
{
	return t->head_len == HEAD_BYTES && !strncasecmp(t->head, MM_BANNER, HEAD_BYTES);
}

static int next_byte(struct text *t)
{
	if (t->head_at < t->head_len)
		return (unsigned char)t->head[t->head_at++];
	return getc_unlocked(t->f);
}

/* The next line, without its end. 1, 0 at the end of the file, or an error. */
static int next_line(struct text *t)
{
	size_t n = 0;
	int c = next_byte(t);

	t->offset = t->next;
	if (c != EOF)
		t->line++;
	for (; c != EOF && c != '\n'; c = next_byte(t)) {
		if (!c)
			return bad(t, "a zero byte: this is not a text file");
		if (n == LINE_BYTES - 1)
			return bad(t, "the line is longer than %d characters", LINE_BYTES - 1);
		t->buf[n++] = (char)c;
	}
	if (c == EOF && ferror(t->f))
		return cannot_read(t->path, t->offset + n, t->err);
	if (c == EOF && !n)
		return 0;
	t->next += n + (c == '\n');
	if (n && t->buf[n - 1] == '\r')
		n--;
	t->buf[n] = 0;
	t->p = t->buf;
	return 1;
}

/* The next line that is neither blank nor begins with one of `comments`. As next_line. */
static int data_line(struct text *t, const char *comments)
{
	int rc;

	while ((rc = next_line(t)) > 0) {
		t->p += strspn(t->p, BLANKS);
		if (*t->p && !strchr(comments, *t->p))
			break;
	}
	return rc;
}

/* The next word of the line, or NULL. */
static char *word(struct text *t)
{
	char *w = t->p + strspn(t->p, BLANKS);

	if (!*w)
		return NULL;
	t->p = w + strcspn(w, BLANKS);
	if (*t->p)
		*t->p++ = 0;
	return w;
}

static int line_end(struct text *t)
{
	const char *w = word(t);

	return w ? bad(t, "unexpected '%s' at the end of the line", quote(w).s) : 1;
}

/* The next word as a whole number lo ... hi; `what` names it in errors. */
static int whole(struct text *t, const char *what, uint64_t lo, uint64_t hi, uint64_t *v)
{
	const char *w = word(t);

	if (!w)
		return bad(t, "no %s", what);
	const char *digits = w + (*w == '-' || *w == '+');
	size_t n = strspn(digits, "0123456789");
	if (!n || digits[n])
		return bad(t, "the %s '%s' is not a whole number", what, quote(w).s);
	errno = 0;
	*v = strtoull(digits, NULL, 10);
	if (errno || (*w == '-' && *v) || *v < lo || *v > hi)
		return bad(t, "the %s %s is not in %llu ... %llu", what, quote(w).s,
			(unsigned long long)lo, (unsigned long long)hi);
	return 1;
}

/* The next word as a decimal number, without a fraction when `integer`. */
static int number(struct text *t, const char *what, bool integer, double *v, const char **as_read)
{
	const char *w = word(t);
	char *end;

	if (!w)
		return bad(t, "no %s", what);
	/* strtod alone would take "nan", "inf" and hexadecimal. */
	*v = strtod(w, &end);
	if (*end || w[strspn(w, integer ? "+-0123456789" : "+-.0123456789eE")])
		return bad(t, "the %s '%s' is not %s", what, quote(w).s,
			integer ? "a whole number" : "a number");
	*as_read = w;
	return 1;
}

/* The next word as one of `choices` ("a|b|c"), in any case: its place among them, or an error. */
static int choice(struct text *t, const char *what, const char *choices)
{
	const char *w = word(t);

	if (!w)
		return bad(t, "no %s", what);
	const char *c = choices;
	for (int i = 0;; i++) {
		size_t n = strcspn(c, "|");
		if (strlen(w) == n && !strncasecmp(w, c, n))
			return i;
		if (!c[n])
			break;
		c += n + 1;
	}
	return bad(t, "the %s '%s' is not supported (%s)", what, quote(w).s, choices);
}

static int check_rows(struct text *t, const char *what, uint64_t n, const struct tr_buf *entries)
{
	size_t count = wl_entries_count(entries);

	if (n > FREE_ROWS && n / ROWS_PER_ENTRY > count)
		return bad(t, "%llu %s are too many for a file of %zu entries",
			(unsigned long long)n, what, count);
	return 1;
}

/* ---- Matrix Market ---- */

struct market {
	enum { PATTERN, INTEGER, REAL } field;
	bool symmetric;
	uint64_t rows, cols, nnz;
	uint64_t size_line;
};

static int market_header(struct text *t, struct market *mm)
{
	int rc, field, symmetry;

	if ((rc = next_line(t)) < 0 || (rc = choice(t, "banner", MM_BANNER)) < 0 ||
		(rc = choice(t, "object", "matrix")) < 0 ||
		(rc = choice(t, "format", "coordinate")) < 0 ||
		(rc = field = choice(t, "field", "pattern|integer|real")) < 0 ||
		(rc = symmetry = choice(t, "symmetry", "general|symmetric")) < 0 ||
		(rc = line_end(t)) < 0 || (rc = data_line(t, "%")) < 0)
		return rc;
	if (!rc)
		return bad(t, "the file ends before the line of sizes");
	mm->field = field;
	mm->symmetric = symmetry;
	mm->size_line = t->line;
	if ((rc = whole(t, "number of rows", 1, UINT32_MAX - 1, &mm->rows)) < 0 ||
		(rc = whole(t, "number of columns", 1, UINT32_MAX - 1, &mm->cols)) < 0 ||
		(rc = whole(t, "number of entries", 0, UINT32_MAX, &mm->nnz)) < 0 ||
		(rc = line_end(t)) < 0)
		return rc;
	if (mm->symmetric && mm->rows != mm->cols)
		return bad(t, "a symmetric matrix of %llu rows and %llu columns",
			(unsigned long long)mm->rows, (unsigned long long)mm->cols);
	return 1;
}

static int market_weight(struct text *t, const struct market *mm, int32_t *weight)
{
	const char *as_read;
	double v;

	*weight = 1;
	if (mm->field == PATTERN)
		return 1;
	int rc = number(t, "weight", mm->field == INTEGER, &v, &as_read);
	if (rc < 0)
		return rc;
	if (!(v >= 1 && v <= INT32_MAX && v == (int32_t)v))
		return bad(t, "the weight %s is not a whole number in 1 ... %d", quote(as_read).s,
			INT32_MAX);
	*weight = (int32_t)v;
	return 1;
}

static int market_value(struct text *t, const struct market *mm, float *val)
{
	const char *as_read;
	double v;

	*val = 1;
	if (mm->field == PATTERN)
		return 1;
	int rc = number(t, "value", mm->field == INTEGER, &v, &as_read);
	if (rc < 0)
		return rc;
	*val = strtof(as_read, NULL); /* from the text, since by way of a double it rounds twice */
	if (!isfinite(*val))
		return bad(t, "the value %s is beyond a float", quote(as_read).s);
	return 1;
}

static int market_entry(struct text *t, const struct market *mm, bool graph, struct tr_buf *entries)
{
	uint64_t row, col;
	struct wl_entry e;
	int rc;

	if ((rc = whole(t, "row", 1, mm->rows, &row)) < 0 ||
		(rc = whole(t, "column", 1, mm->cols, &col)) < 0)
		return rc;
	rc = graph ? market_weight(t, mm, &e.weight) : market_value(t, mm, &e.val);
	if (rc < 0 || (rc = line_end(t)) < 0)
		return rc;
	if (mm->symmetric && row < col)
		return bad(t, "an entry above the diagonal of a symmetric matrix");
	e.row = (uint32_t)row - 1;
	e.col = (uint32_t)col - 1;
	rc = wl_entries_add(entries, e, t->err);
	if (rc > 0 && mm->symmetric && row != col) {
		e.row = (uint32_t)col - 1;
		e.col = (uint32_t)row - 1;
		rc = wl_entries_add(entries, e, t->err);
	}
	return rc;
}

static int market_read(struct text *t, struct market *mm, bool graph, struct tr_buf *entries)
{
	uint64_t seen = 0;
	int rc = market_header(t, mm);

	if (rc < 0)
		return rc;
	if (graph && mm->rows != mm->cols)
		return bad(t, "%llu rows and %llu columns: the matrix of a graph is square",
			(unsigned long long)mm->rows, (unsigned long long)mm->cols);
	while ((rc = data_line(t, "%")) > 0) {
		if (seen++ == mm->nnz)
			return bad(t, "more entries than the %llu that line %llu states",
				(unsigned long long)mm->nnz, (unsigned long long)mm->size_line);
		rc = market_entry(t, mm, graph, entries);
		if (rc < 0)
			return rc;
	}
	if (rc < 0)
		return rc;
	if (seen < mm->nnz)
		return bad(t, "the file ends after %llu of the %llu entries that line %llu states",
			(unsigned long long)seen, (unsigned long long)mm->nnz,
			(unsigned long long)mm->size_line);
	rc = check_rows(t, "rows", mm->rows, entries);
	return rc < 0 ? rc : check_rows(t, "columns", mm->cols, entries);
}

/* ---- DIMACS shortest path, and edge lists; the first line is in hand ---- */

static int add_edge(
	struct text *t, uint64_t from, uint64_t to, uint64_t weight, struct tr_buf *entries)
{
	struct wl_entry e = {(uint32_t)from, (uint32_t)to, {.weight = (int32_t)weight}};

	return wl_entries_add(entries, e, t->err);
}

static int dimacs_problem(struct text *t, uint64_t *n, uint64_t *arcs)
{
	int rc;

	if (*n)
		return bad(t, "a second problem line");
	if ((rc = choice(t, "problem", "sp")) < 0 ||
		(rc = whole(t, "number of nodes", 1, UINT32_MAX - 1, n)) < 0 ||
		(rc = whole(t, "number of arcs", 0, UINT32_MAX, arcs)) < 0)
		return rc;
	return line_end(t);
}

static int dimacs_arc(struct text *t, uint64_t n, uint64_t arcs, struct tr_buf *entries)
{
	uint64_t from, to, weight;
	int rc;

	if (!n)
		return bad(t, "an arc before the problem line");
	if (wl_entries_count(entries) == arcs)
		return bad(t, "more arcs than the %llu that the problem line states",
			(unsigned long long)arcs);
	if ((rc = whole(t, "node", 1, n, &from)) < 0 || (rc = whole(t, "node", 1, n, &to)) < 0 ||
		(rc = whole(t, "weight", 1, INT32_MAX, &weight)) < 0 || (rc = line_end(t)) < 0)
		return rc;
	return add_edge(t, from - 1, to - 1, weight, entries);
}

static int dimacs_read(struct text *t, uint64_t *n, struct tr_buf *entries)
{
	uint64_t arcs = 0;
	int rc;

	*n = 0;
	do {
		switch (choice(t, "line", "c|p|a")) {
		case 0:
			rc = 1;
			break;
		case 1:
			rc = dimacs_problem(t, n, &arcs);
			break;
		case 2:
			rc = dimacs_arc(t, *n, arcs, entries);
			break;
		default:
			rc = TR_EDATA;
		}
	} while (rc > 0 && (rc = data_line(t, "")) > 0);
	if (rc < 0)
		return rc;
	if (!*n)
		return bad(t, "the file ends before the problem line");
	if (wl_entries_count(entries) < arcs)
		return bad(t,
			"the file ends after %zu of the %llu arcs that the problem line states",
			wl_entries_count(entries), (unsigned long long)arcs);
	return check_rows(t, "nodes", *n, entries);
}

static int edge_list_read(struct text *t, uint64_t *n, struct tr_buf *entries)
{
	bool weighted = false;
	int rc;

	*n = 0;
	do {
		uint64_t from, to, weight = 1;
		if ((rc = whole(t, "node", 0, UINT32_MAX - 2, &from)) < 0 ||
			(rc = whole(t, "node", 0, UINT32_MAX - 2, &to)) < 0)
			return rc;
		if (!wl_entries_count(entries))
			weighted = t->p[strspn(t->p, BLANKS)];
		if (weighted && !t->p[strspn(t->p, BLANKS)])
			return bad(t, "no weight, though the first edge has one");
		if (weighted)
			rc = whole(t, "weight", 1, INT32_MAX, &weight);
		if (rc < 0 || (rc = line_end(t)) < 0 ||
			(rc = add_edge(t, from, to, weight, entries)) < 0)
			return rc;
		uint64_t most = from > to ? from : to;
		if (most >= *n)
			*n = most + 1;
	} while ((rc = data_line(t, "#%")) > 0);
	return rc < 0 ? rc : check_rows(t, "nodes", *n, entries);
}

/* ---- by content ---- */

static int graph_read(struct text *t, uint64_t *n, struct tr_buf *entries)
{
	if (is_matrix_market(t)) {
		struct market mm;
		int rc = market_read(t, &mm, true, entries);
		*n = rc < 0 ? 0 : mm.rows;
		return rc;
	}
	int rc = data_line(t, "#%");
	if (rc < 0)
		return rc;
	if (!rc)
		return bad(t, "no edges: blank lines and comments only");
	if (strchr("cpa", *t->p) && strchr(BLANKS, t->p[1]))
		return dimacs_read(t, n, entries);
	if (strchr("+-0123456789", *t->p))
		return edge_list_read(t, n, entries);
	return bad(
		t, "'%s' begins no Matrix Market file, DIMACS file or edge list", quote(word(t)).s);
}

int wl_graph_parse(struct wl_graph *g, FILE *f, const char *path, struct tr_err *err)
{
	struct tr_buf entries = {0};
	struct text t;
	uint64_t n = 0;

	*g = (struct wl_graph){0};
	int rc = text_open(&t, f, path, err);
	if (rc > 0)
		rc = graph_read(&t, &n, &entries);
	if (rc < 0) {
		tr_buf_free(&entries);
		return rc;
	}
	return wl_graph_build(g, &entries, (uint32_t)n, err);
}

int wl_matrix_parse(struct wl_matrix *m, FILE *f, const char *path, struct tr_err *err)
{
	struct tr_buf entries = {0};
	struct market mm;
	struct wl_csr csr;
	struct text t;

	*m = (struct wl_matrix){0};
	int rc = text_open(&t, f, path, err);
	if (rc > 0)
		rc = is_matrix_market(&t)
			     ? market_read(&t, &mm, false, &entries)
			     : bad(&t, "the first line does not begin with %s", MM_BANNER);
	uint32_t nnz = (uint32_t)wl_entries_count(&entries);
	if (rc < 0) {
		tr_buf_free(&entries);
		return rc;
	}
	rc = wl_csr_build(&csr, &entries, (uint32_t)mm.rows, (uint32_t)mm.cols, err);
	if (rc > 0)
		*m = (struct wl_matrix){
			(uint32_t)mm.rows, (uint32_t)mm.cols, nnz, csr.row, csr.col, csr.val};
	return rc;
}

int wl_graph_read(struct wl_graph *g, const char *path, struct tr_err *err)
{
	*g = (struct wl_graph){0};
	FILE *f = fopen(path, "r");
	if (!f)
		return cannot_read(path, 0, err);
	int rc = wl_graph_parse(g, f, path, err);
	fclose(f);
	return rc;
}

int wl_matrix_read(struct wl_matrix *m, const char *path, struct tr_err *err)
{
	*m = (struct wl_matrix){0};
	FILE *f = fopen(path, "r");
	if (!f)
		return cannot_read(path, 0, err);
	int rc = wl_matrix_parse(m, f, path, err);
	fclose(f);
	return rc;
}
