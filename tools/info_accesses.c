/*
 * What is in an access stream; see info_accesses.h. Instructions are known of the whole stream
 * only: those that a launch executes after its last access stand before the next launch's first.
 */
#include "tools/info_accesses.h"
#include "tools/dump.h"
#include "tools/table.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NOPS (TR_A_ATOMIC + 1)

struct counts {
	uint64_t ops[NOPS], mem_insts, bytes;
};

struct launch_counts {
	uint32_t number, grid[3], block[3];
	const char *kernel; /* the reader's */
	struct counts n;
};

struct info {
	struct accesses *in;
	enum info_mode mode;
	FILE *out;
	struct launch_counts *launches;
	uint32_t nlaunches;
	struct programs dumped;
};

/* ---- reading ---- */

static void on_launch(struct info *s)
{
	const struct tr_launch *l = tr_access_reader_launch(s->in->r);
	const struct tr_program *p = tr_access_reader_program(s->in->r);
	struct launch_counts *n;

	s->launches = must_realloc(s->launches, s->nlaunches + (size_t)1, sizeof(*n));
	n = &s->launches[s->nlaunches++];
	*n = (struct launch_counts){.number = l->number, .kernel = tr_str(p, p->name)};
	memcpy(n->grid, l->grid, sizeof(n->grid));
	memcpy(n->block, l->block, sizeof(n->block));
	if (s->mode != INFO_DUMP)
		return;
	if (programs_add(&s->dumped, l->program))
		dump_program(s->out, l->program, p);
	dump_launch(s->out, l);
}

static void on_batch(struct info *s, const struct tr_access *a, size_t n)
{
	struct launch_counts *l = &s->launches[s->nlaunches - 1];

	for (size_t i = 0; i < n; i++) {
		l->n.ops[a[i].op]++;
		l->n.mem_insts += a[i].first;
		l->n.bytes += a[i].bytes;
		if (s->mode == INFO_DUMP)
			dump_access(s->out, l->number, &a[i]);
	}
}

static void read_stream(struct info *s)
{
	const struct tr_access *a;
	size_t n;
	int event;

	while ((event = accesses_next(s->in, &a, &n)) != TR_A_END)
		if (event == TR_A_LAUNCH)
			on_launch(s);
		else
			on_batch(s, a, n);
}

/* The reader has counted accesses; instructions only the stream's maker has. */
static void compare_totals(const struct info *s)
{
	const uint64_t *said = tr_access_reader_totals(s->in->r);

	if (s->in->any && (said[TR_AT_WARP_INSTS] <= s->in->warp_insts[1] ||
				  said[TR_AT_THREAD_INSTS] < s->in->thread_insts[1]))
		die(EXIT_BAD,
			"cannot trust %s: its end speaks of %" PRIu64 " warp instructions and "
			"%" PRIu64 " thread instructions, its last access follows %" PRIu64
			" and %" PRIu64,
			s->in->name, said[TR_AT_WARP_INSTS], said[TR_AT_THREAD_INSTS],
			s->in->warp_insts[1], s->in->thread_insts[1]);
}

/* ---- the table ---- */

const struct column access_columns[] = {
	{"launch", SEEN},
	{"kernel", SEEN},
	{"grid", SEEN},
	{"block", SEEN},
	{"accesses", SEEN},
	{"reads", SEEN},
	{"writes", SEEN},
	{"atomics", SEEN},
	{"mem_insts", SEEN},
	{"bytes_per_access", SEEN},
	{"warp_insts", SEEN},
	{"thread_insts", SEEN},
	{"kind", UNSEEN},
	{"warp_size", UNSEEN},
	{"line", UNSEEN},
	{"sms", UNSEEN},
	{"rule", UNSEEN},
	{"order", UNSEEN},
	{"machine", UNSEEN},
};
const unsigned access_ncolumns = sizeof(access_columns) / sizeof(access_columns[0]);

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

/* What is not known is 0 in the stream. */
static void known_uint(struct table *t, uint64_t v)
{
	if (v)
		table_uint(t, v);
	else
		table_none(t);
}

static void count_cells(struct table *t, const struct counts *n)
{
	uint64_t all = 0;

	for (unsigned op = 0; op < NOPS; op++)
		all += n->ops[op];
	table_uint(t, all);
	for (unsigned op = 0; op < NOPS; op++)
		table_uint(t, n->ops[op]);
	table_uint(t, n->mem_insts);
	if (all)
		table_real(t, (double)n->bytes / (double)all);
	else
		table_none(t);
}

/* l NULL: the total. */
static void row(
	struct info *s, struct table *t, const struct launch_counts *l, const struct counts *n)
{
	const struct tr_access_info *i = tr_access_reader_info(s->in->r);
	uint64_t warp_insts = 0, thread_insts = 0;

	if (s->in->whole && (!l || s->nlaunches == 1))
		accesses_insts(s->in, &warp_insts, &thread_insts);
	if (l) {
		table_id(t, l->number);
		table_text(t, l->kernel);
		table_shape(t, l->grid);
		table_shape(t, l->block);
	} else {
		table_total(t);
		table_text(t, "total");
		table_text(t, "total");
		table_none(t);
		table_none(t);
	}
	count_cells(t, n);
	known_uint(t, warp_insts);
	known_uint(t, thread_insts);
	table_text(t, "accesses");
	known_uint(t, i->warp_size);
	table_uint(t, i->line_bytes);
	known_uint(t, i->sms);
	table_text(t, or_dash(i->rule));
	table_text(t, or_dash(i->order));
	table_text(t, or_dash(i->machine));
}

static void rows(struct info *s, struct table *t)
{
	struct counts total = {.mem_insts = 0};

	for (uint32_t i = 0; i < s->nlaunches; i++) {
		const struct counts *n = &s->launches[i].n;

		row(s, t, &s->launches[i], n);
		for (unsigned op = 0; op < NOPS; op++)
			total.ops[op] += n->ops[op];
		total.mem_insts += n->mem_insts;
		total.bytes += n->bytes;
	}
	if (table_has_total(t, s->nlaunches))
		row(s, t, NULL, &total);
}

static void print_head(const struct info *s, const char *provenance)
{
	const struct tr_access_info *i = tr_access_reader_info(s->in->r);
	char *text;
	FILE *f = text_start(&text);

	if (provenance)
		fprintf(f, "%s\n", provenance);
	fputs("access stream: ", f);
	if (i->warp_size)
		fprintf(f, "warps of %" PRIu32 ", ", i->warp_size);
	fprintf(f, "lines of %" PRIu32 " bytes, rule %s, order %s, machine %s", i->line_bytes,
		or_dash(i->rule), or_dash(i->order), or_dash(i->machine));
	if (i->sms)
		fprintf(f, ", SMs %" PRIu32, i->sms);
	if (i->sets)
		fprintf(f,
			"\nmade by a replay with L1Ds of %" PRIu64 " bytes, %" PRIu32
			" sets of %" PRIu32 " ways, index %s, write %s",
			(uint64_t)i->sets * i->ways * i->line_bytes, i->sets, i->ways,
			index_names[i->index], write_names[i->write]);
	fputs("\n\n", f);
	text_end(f, &text);
	put_blanked(s->out, text, strlen(text), "\n");
	free(text);
}

void info_accesses(struct accesses *in, enum info_mode mode, const struct common *c)
{
	const char *made_by = tr_access_reader_provenance(in->r);
	char *provenance = provenance_with(c, made_by);
	struct info s = {.in = in, .mode = mode};
	struct output out;
	struct table t;

	output_open(&out, c->output, false);
	s.out = out.f;
	if (mode == INFO_DUMP)
		dump_access_info(s.out, tr_access_reader_info(in->r));
	read_stream(&s);
	if (mode == INFO_DUMP && in->whole)
		dump_access_totals(s.out, tr_access_reader_totals(in->r));
	if (mode == INFO_CHECK && in->whole)
		compare_totals(&s);
	if (mode == INFO_TABLE) {
		if (c->format == FORMAT_HUMAN && !c->quiet && !c->no_header && !c->record)
			print_head(&s, c->no_provenance ? NULL : made_by);
		table_start(&t, s.out, c, provenance, access_columns, access_ncolumns);
		rows(&s, &t);
		table_end(&t);
	}
	output_close(&out);
	free(provenance);
	free(s.launches);
	free(s.dumped.known);
}
