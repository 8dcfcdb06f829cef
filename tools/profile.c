/* Profiles for schedulers, written and read; see profile.h. */
#include "tools/profile.h"
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL, PC, LOOP, LOCALITY, DIVERGED, REPETITION, NREAD };

/* The first NREAD are read; the rest is for people. */
const struct column profile_columns[PROFILE_COLUMNS] = {
	[KERNEL] = {"kernel", SEEN},
	[PC] = {"pc", SEEN},
	[LOOP] = {"loop", SEEN},
	[LOCALITY] = {"locality", SEEN},
	[DIVERGED] = {"diverged", SEEN},
	[REPETITION] = {"repetition", SEEN},
	{"accesses", SEEN},
	{"intra_warp_hits", SEEN},
	{"source_line", SEEN},
	{"inst", SEEN},
};

/* ---- writing ---- */

void profile_rows(struct table *t, const struct tr_program *p, const struct an_counts *counts,
	struct an_divergence *const *loads, uint32_t line_bytes)
{
	struct sim_profile_load *rows = must_alloc(p->ninsts, sizeof(*rows));
	const uint32_t n = an_profile(p, counts, loads, line_bytes, rows);
	char text[256];

	if (n == TR_NONE)
		die_memory("a profile");
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t inst = rows[i].inst;
		const struct an_counts *c = &counts[inst];

		tr_program_format(p, inst, text, sizeof(text));
		table_text(t, tr_str(p, p->name));
		table_pc(t, inst);
		table_id(t, rows[i].loop);
		table_uint(t, rows[i].locality);
		table_uint(t, rows[i].diverged);
		table_pc(t, rows[i].repetition);
		table_uint(t, an_hits(c) + an_misses(c));
		table_uint(t, c->of[AN_INTRA_THREAD] + c->of[AN_INTRA_WARP]);
		table_id(t, p->insts[inst].line);
		table_text(t, text);
	}
	free(rows);
}

/* ---- the scheduler's name ---- */

/* The "profile=" of spec with the ':' or ',' before it, or NULL. */
static const char *find_key(const char *spec)
{
	const char *at = spec + strcspn(spec, ":");

	while (*at && strncmp(at + 1, "profile=", 8) != 0)
		at += 1 + strcspn(at + 1, ",");
	return *at ? at : NULL;
}

char *profile_take(const struct sim_sched *policy, const char *spec, char **path)
{
	const char *at = policy && policy->takes_profile ? find_key(spec) : NULL;
	const char *file, *rest;

	*path = NULL;
	if (!at)
		return must_printf("%s", spec);
	file = at + 1 + strlen("profile=");
	rest = file + strcspn(file, ",");
	*path = must_printf("%.*s", (int)(rest - file), file);
	if (*rest && *at == ':')
		return must_printf("%.*s:%s", (int)(at - spec), spec, rest + 1);
	return must_printf("%.*s%s", (int)(at - spec), spec, rest);
}

/* ---- reading ---- */

struct reading {
	struct profile *p;
	unsigned column[NREAD]; /* its place in a row */
	unsigned ncells;
	uint32_t line; /* of the file, from 1 */
	/* Trees: the kernels by name; of the kernel at hand, a load of each pc and of each loop. */
	void *kernels, *pcs, *loops;
};

#define CELLS_MAX 64

/* Cuts a row into cells; how many there are. */
static unsigned cut(char *row, char *cells[CELLS_MAX])
{
	unsigned n = 0;

	for (char *at = row; at && n < CELLS_MAX; n++)
		cells[n] = strsep(&at, "\t");
	return n;
}

static void read_names(struct reading *r, char *row)
{
	char *cells[CELLS_MAX];

	r->ncells = cut(row, cells);
	for (unsigned c = 0; c < NREAD; c++) {
		unsigned i = 0;

		while (i < r->ncells && strcmp(cells[i], profile_columns[c].name) != 0)
			i++;
		if (i == r->ncells)
			die(EXIT_BAD,
				"%s has no column '%s': is it of trace-locality --daws-profile "
				"--format=tsv?",
				r->p->path, profile_columns[c].name);
		r->column[c] = i;
	}
}

static uint32_t read_cell(
	const struct reading *r, char *const *cells, unsigned c, uint32_t scale, uint32_t max)
{
	const char *text = cells[r->column[c]];
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	if (errno || *end || *text < '0' || *text > '9' || v % scale || v / scale > max)
		die(EXIT_BAD, "%s, line %" PRIu32 ": '%s' is no %s", r->p->path, r->line, text,
			profile_columns[c].name);
	return (uint32_t)(v / scale);
}

static const struct sim_profile_kernel *kernel_of(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->table.nkernels; i++)
		if (!strcmp(p->kernels[i].name, name))
			return &p->kernels[i];
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct sim_profile_kernel *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_pc(const void *a, const void *b)
{
	const struct sim_profile_load *x = a, *y = b;

	return (x->inst > y->inst) - (x->inst < y->inst);
}

static int by_loop(const void *a, const void *b)
{
	const struct sim_profile_load *x = a, *y = b;

	return (x->loop > y->loop) - (x->loop < y->loop);
}

/* What the tree has in x's place: x itself if there was nothing. */
static const void *first_of(void **tree, const void *x, int (*compare)(const void *, const void *))
{
	const void *const *node = tsearch(x, tree, compare);

	if (!node)
		die_memory("a profile");
	return *node;
}

static void nothing(void *node)
{
	(void)node;
}

static void forget(void **tree)
{
	tdestroy(*tree, nothing);
	*tree = NULL;
}

/* One row for each load of a kernel, and one word on each loop's locality. */
static void check_row(struct reading *r, const struct sim_profile_load *x)
{
	const struct sim_profile_load *same_loop;

	if (first_of(&r->pcs, x, by_pc) != x)
		die(EXIT_BAD, "%s, line %" PRIu32 ": pc %" PRIu64 " is there twice", r->p->path,
			r->line, (uint64_t)x->inst * TR_PC_BYTES);
	same_loop = first_of(&r->loops, x, by_loop);
	if (same_loop->locality != x->locality)
		die(EXIT_BAD,
			"%s, line %" PRIu32 ": loop %" PRIu32
			" has locality in one row and none in another",
			r->p->path, r->line, x->loop);
}

static void read_row(struct reading *r, char *row)
{
	struct profile *p = r->p;
	struct sim_profile_kernel *k = p->kernels + p->table.nkernels - 1;
	char *cells[CELLS_MAX];
	const char *kernel;

	if (cut(row, cells) != r->ncells)
		die(EXIT_BAD, "%s, line %" PRIu32 ": not as many cells as there are columns",
			p->path, r->line);
	kernel = cells[r->column[KERNEL]];
	if (!p->table.nkernels || strcmp(k->name, kernel) != 0) {
		k = p->kernels + p->table.nkernels++;
		*k = (struct sim_profile_kernel){.name = kernel, .loads = p->loads + p->nloads};
		if (first_of(&r->kernels, k, by_name) != k)
			die(EXIT_BAD, "%s, line %" PRIu32 ": rows of '%s' stand apart", p->path,
				r->line, kernel);
		forget(&r->pcs);
		forget(&r->loops);
	}
	p->loads[p->nloads] =
		(struct sim_profile_load){.inst = read_cell(r, cells, PC, TR_PC_BYTES, TR_NONE - 1),
			.loop = read_cell(r, cells, LOOP, 1, TR_NONE - 1),
			.locality = (uint8_t)read_cell(r, cells, LOCALITY, 1, 1),
			.diverged = (uint8_t)read_cell(r, cells, DIVERGED, 1, 1),
			.repetition = read_cell(r, cells, REPETITION, TR_PC_BYTES, TR_NONE - 1)};
	check_row(r, &p->loads[p->nloads]);
	p->nloads++;
	k->nloads++;
}

void profile_read(struct profile *p, char *path)
{
	struct reading r = {.p = p};
	size_t len, lines = 1;
	char *at;

	*p = (struct profile){.path = path, .text = text_read(path)};
	len = strlen(p->text);
	if (len && p->text[len - 1] != '\n')
		die(EXIT_BAD, "%s ends in the middle of a row", path);
	for (size_t i = 0; i < len; i++)
		lines += p->text[i] == '\n';
	p->kernels = must_alloc(lines, sizeof(*p->kernels));
	p->loads = must_alloc(lines, sizeof(*p->loads));
	for (at = p->text; at && *at;) {
		char *row = strsep(&at, "\n");

		r.line++;
		if (*row == '#')
			continue;
		if (!r.ncells)
			read_names(&r, row);
		else
			read_row(&r, row);
	}
	if (!r.ncells)
		die(EXIT_BAD, "%s is empty: it has no row of names", path);
	p->table.kernels = p->kernels;
	forget(&r.kernels);
	forget(&r.pcs);
	forget(&r.loops);
}

/* ---- profile and program ---- */

static bool fits(const struct tr_program *program, const struct sim_profile_load *x)
{
	return x->inst < program->ninsts && sim_profile_counts(&program->insts[x->inst]) &&
	       program->blocks[program->insts[x->inst].block].loop == x->loop;
}

/* Once for each kernel, of however many launches. */
static void warn_unnamed(struct profile *p, const char *kernel)
{
	for (uint32_t i = 0; i < p->nunnamed; i++)
		if (!strcmp(p->unnamed[i], kernel))
			return;
	p->unnamed = must_realloc(p->unnamed, p->nunnamed + (size_t)1, sizeof(*p->unnamed));
	p->unnamed[p->nunnamed++] = must_printf("%s", kernel);
	warn("%s does not name '%s': nothing is predicted in its loops", p->path, kernel);
}

void profile_check(struct profile *p, const struct tr_program *program, bool quiet)
{
	const char *name = tr_str(program, program->name);
	const struct sim_profile_kernel *k = kernel_of(p, name);

	if (!k && program->nloops && !quiet)
		warn_unnamed(p, name);
	for (uint32_t i = 0; k && i < k->nloads; i++)
		if (!fits(program, &k->loads[i]))
			die(EXIT_BAD,
				"%s is of another program: in '%s' no load of loop %" PRIu32
				" is at pc 0x%" PRIx64,
				p->path, k->name, k->loads[i].loop,
				(uint64_t)k->loads[i].inst * TR_PC_BYTES);
}

void profile_free(struct profile *p)
{
	for (uint32_t i = 0; i < p->nunnamed; i++)
		free(p->unnamed[i]);
	free(p->unnamed);
	free(p->path);
	free(p->text);
	free(p->kernels);
	free(p->loads);
}
