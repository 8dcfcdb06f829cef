/*
 * trace-info: what is in a stream, as a table, as text, or as a verdict
 */
#include "sim/access/summary.h"
#include "tools/dump.h"
#include "tools/info_accesses.h"
#include "tools/columns.h"
#include "tools/split.h"
#include "tools/tree.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_MEMORY (64u << 20) /* bytes: --check keeps nothing that grows with the work */

enum by { BY_LAUNCH, BY_PC, BY_LINE, BY_TREE };

struct args {
	struct common common;
	enum info_mode mode;
	enum by by;
	bool by_given, total;
	const char *file;
};

/* ---- the stream, and what is counted of it ---- */

struct info {
	const struct args *args;
	struct tr_reader *r;
	char *name;
	FILE *in;
	struct output out;
	struct table table;
	struct an_summary *summary; /* of the current launch */
	char *kernel;               /* its name, and what the table says of it */
	uint32_t launch, program;
	struct split split;
	uint64_t launch_bytes;
	uint32_t grid[3], block[3], cluster[3];
	struct an_totals total;
	uint64_t total_bytes, total_children;
	uint32_t nlaunches;
	struct tree tree;
	uint32_t parent, depth; /* of the current launch */
	uint64_t children;      /* that its threads have launched */
	struct spin {           /* of an instruction, all launches together */
		const struct tr_program *program;
		uint32_t inst;
		uint64_t rounds, insts;
	} * spins;
	unsigned nspins;
	struct programs described;
	char *about; /* the kernels, for people */
	FILE *about_f;
};

static void no_reading(const struct info *s, const struct tr_err *err)
{
	char *what = must_printf("cannot read %s", s->name);

	die_err(err, what);
}

static void open_stream(struct info *s, struct tr_in *in)
{
	struct tr_err err = {0};

	if (tr_reader_start(&s->r, in, &s->args->common.part, &err) < 0)
		no_reading(s, &err);
}

static void close_stream(struct info *s)
{
	tr_reader_close(s->r);
	free(s->name);
	if (s->in != stdin)
		fclose(s->in);
}

/* ---- the table ---- */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LAUNCH_COLUMNS 16 /* those before the classes and spaces, */
#define MORE_COLUMNS 6    /* and those after them */
static struct column launch_columns[LAUNCH_COLUMNS + TR_NCLASSES + TR_NSPACES + MORE_COLUMNS] = {
	{"launch", SEEN},
	{"kernel", SEEN},
	{"grid", SEEN},
	{"block", SEEN},
	{"ctas", SEEN},
	{"threads", SEEN},
	{"thread_insts", SEEN},
	{"warp_insts_32", SEEN},
	{"branches", SEEN},
	{"divergent_branches_32", SEEN},
	{"mem_insts", SEEN},
	{"bytes_per_thread_inst", SEEN},
	{"simd_efficiency_32", SEEN},
	{"outcomes", UNSEEN},
	{"values", UNSEEN},
	{"sync_reads", UNSEEN},
};

static const struct column tree_columns[] = {
	{"node", SEEN},
	{"parent", SEEN},
	{"kernel", SEEN},
	{"depth", SEEN},
	{"launches", SEEN},
	{"ctas", SEEN},
	{"threads", SEEN},
	{"threads_per_launch", SEEN},
};

static const struct column pc_columns[] = {
	{"launch", SEEN},
	{"kernel", SEEN},
	{"pc", SEEN},
	{"inst", SEEN},
	{"source_line", SEEN},
	{"thread_insts", SEEN},
	{"warp_insts_32", SEEN},
	{"branches", SEEN},
	{"divergent_branches_32", SEEN},
	{"class", UNSEEN},
	{"space", UNSEEN},
	{"file", IF_MANY},
	{"simd_efficiency_32", SEEN},
	{"spin_rounds", UNSEEN},
	{"spin_insts", UNSEEN},
};

static const struct column line_columns[] = {
	{"launch", SEEN},
	{"kernel", SEEN},
	{"file", IF_MANY},
	{"source_line", SEEN},
	{"thread_insts", SEEN},
	{"warp_insts_32", SEEN},
	{"branches", SEEN},
	{"divergent_branches_32", SEEN},
	{"simd_efficiency_32", SEEN},
	{"spin_rounds", UNSEEN},
	{"spin_insts", UNSEEN},
};

static unsigned name_columns(void)
{
	static char names[TR_NCLASSES + TR_NSPACES][40];
	unsigned n = LAUNCH_COLUMNS, k = 0;

	for (unsigned c = 0; c < TR_NCLASSES; c++, k++) {
		snprintf(names[k], sizeof(names[k]), "thread_insts_%s",
			tr_class_name((enum tr_class)c));
		launch_columns[n++] = (struct column){names[k], UNSEEN};
	}
	for (unsigned sp = TR_S_NONE + 1; sp < TR_NSPACES; sp++, k++) {
		snprintf(names[k], sizeof(names[k]), "mem_insts_%s",
			tr_space_name((enum tr_space)sp));
		launch_columns[n++] = (struct column){names[k], UNSEEN};
	}
	launch_columns[n++] = (struct column){"parent", UNSEEN};
	launch_columns[n++] = (struct column){"depth", UNSEEN};
	launch_columns[n++] = (struct column){"children", UNSEEN};
	launch_columns[n++] = (struct column){"cluster", UNSEEN};
	launch_columns[n++] = (struct column){"spin_rounds", UNSEEN};
	launch_columns[n++] = (struct column){"spin_insts", UNSEEN};
	return n;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

/* One row; the total's has no kernel and no shape. */
static void launch_row(struct info *s, const struct an_totals *t, uint64_t bytes, bool total)
{
	struct table *tab = &s->table;

	if (total) {
		table_total(tab);
		table_text(tab, "total");
		table_text(tab, "total");
		table_none(tab);
		table_none(tab);
	} else {
		table_id(tab, s->launch);
		table_text(tab, s->kernel);
		table_shape(tab, s->grid);
		table_shape(tab, s->block);
	}
	table_uint(tab, t->ctas);
	table_uint(tab, t->threads);
	table_uint(tab, t->thread_insts);
	table_uint(tab, t->warp_insts);
	table_uint(tab, t->branches);
	table_uint(tab, t->divergent_branches);
	table_uint(tab, t->mem_insts);
	table_real(tab, ratio((double)bytes, (double)t->thread_insts));
	table_real(tab, ratio((double)t->active_lanes, 32.0 * (double)t->warp_insts));
	table_uint(tab, t->outcomes);
	table_uint(tab, t->values);
	table_uint(tab, t->sync_reads);
	for (unsigned c = 0; c < TR_NCLASSES; c++)
		table_uint(tab, t->thread_insts_class[c]);
	for (unsigned sp = TR_S_NONE + 1; sp < TR_NSPACES; sp++)
		table_uint(tab, t->mem_insts_space[sp]);
	if (total || s->parent == TR_NONE)
		table_none(tab);
	else
		table_id(tab, s->parent);
	if (total)
		table_none(tab);
	else
		table_uint(tab, s->depth);
	table_uint(tab, total ? s->total_children : s->children);
	if (total || !s->cluster[0])
		table_none(tab);
	else
		table_shape(tab, s->cluster);
	table_uint(tab, t->spin_rounds);
	table_uint(tab, t->spin_insts);
}

static void tree_rows(struct info *s)
{
	for (uint32_t i = 0; i < s->tree.n; i++) {
		const struct tree_node *n = &s->tree.nodes[i];

		table_id(&s->table, i);
		if (n->parent == TR_NONE)
			table_none(&s->table);
		else
			table_id(&s->table, n->parent);
		table_text(&s->table, n->kernel);
		table_uint(&s->table, n->depth);
		table_uint(&s->table, n->launches);
		table_uint(&s->table, n->ctas);
		table_uint(&s->table, n->threads);
		table_real(&s->table, ratio((double)n->threads, (double)n->launches));
	}
}

/* Launches that the threads of a CTA have made. */
static uint64_t count_children(const struct tr_program *p, const struct tr_cta *cta)
{
	uint64_t n = 0;
	struct tr_walk w;

	for (uint32_t t = 0; t < cta->nthreads && tr_program_launches(p); t++)
		for (tr_walk_start(&w, p, &cta->threads[t]); tr_walk_next(&w) > 0;)
			n += w.has_value && p->insts[w.inst].flags & TR_I_API &&
			     p->insts[w.inst].aux == TR_API_LAUNCH && w.value != TR_NONE;
	return n;
}

/* What is counted of an instruction. */
enum { F_THREADS, F_WARPS, F_LANES, F_BRANCHES, F_DIVERGENT, F_ROUNDS, F_SPIN, NFIGURES };

static void split_cells(struct table *t, const uint64_t *f)
{
	table_uint(t, f[F_THREADS]);
	table_uint(t, f[F_WARPS]);
	table_uint(t, f[F_BRANCHES]);
	table_uint(t, f[F_DIVERGENT]);
}

/* The last columns of both tables. */
static void split_last(struct table *t, const uint64_t *f)
{
	if (f[F_WARPS])
		table_real(t, (double)f[F_LANES] / (32.0 * (double)f[F_WARPS]));
	else
		table_none(t);
	table_uint(t, f[F_ROUNDS]);
	table_uint(t, f[F_SPIN]);
}

static void pc_row(void *arg, const struct split_row *r)
{
	struct table *t = &((struct info *)arg)->table;
	const struct tr_inst *in = &r->p->insts[r->inst];

	split_put_launch(t, r);
	table_text(t, tr_str(r->p, r->p->name));
	table_pc(t, r->inst);
	split_put_inst(t, r);
	table_id(t, in->line);
	split_cells(t, r->figures);
	table_text(t, tr_class_name((enum tr_class)in->cls));
	table_text(t, tr_space_name((enum tr_space)in->space));
	table_text(t, split_file(r->p, r->inst));
	split_last(t, r->figures);
}

static void line_row(void *arg, const struct split_row *r)
{
	struct table *t = &((struct info *)arg)->table;

	split_put_launch(t, r);
	table_text(t, tr_str(r->p, r->p->name));
	table_text(t, split_file(r->p, r->inst));
	table_id(t, r->p->insts[r->inst].line);
	split_cells(t, r->figures);
	split_last(t, r->figures);
}

static void split_summary(struct info *s, const struct tr_program *p)
{
	uint64_t *figures = must_alloc((size_t)p->ninsts * NFIGURES, sizeof(*figures));

	for (uint32_t i = 0; i < p->ninsts; i++) {
		const struct an_inst_totals n = an_summary_inst(s->summary, i);
		uint64_t *f = figures + (size_t)i * NFIGURES;

		f[F_THREADS] = n.thread_insts;
		f[F_WARPS] = n.warp_insts;
		f[F_LANES] = n.active_lanes;
		f[F_BRANCHES] = p->insts[i].nsucc > 1 ? n.warp_insts : 0;
		f[F_DIVERGENT] = n.divergent_branches;
		f[F_ROUNDS] = n.spin_rounds;
		f[F_SPIN] = n.spin_insts;
	}
	split_launch(&s->split, s->launch, s->program, p, figures);
	free(figures);
}

/* Adds the launch's instructions that waited for other threads by going round. */
static void add_spins(struct info *s, const struct tr_program *p)
{
	for (uint32_t i = 0; i < p->ninsts; i++) {
		const struct an_inst_totals n = an_summary_inst(s->summary, i);
		unsigned k = 0;

		if (!n.spin_rounds)
			continue;
		while (k < s->nspins && (s->spins[k].program != p || s->spins[k].inst != i))
			k++;
		if (k == s->nspins) {
			s->spins = must_realloc(s->spins, ++s->nspins, sizeof(*s->spins));
			s->spins[k] = (struct spin){.program = p, .inst = i};
		}
		s->spins[k].rounds += n.spin_rounds;
		s->spins[k].insts += n.spin_insts;
	}
}

static void describe_spins(const struct info *s)
{
	for (unsigned k = 0; k < s->nspins; k++) {
		const struct spin *n = &s->spins[k];
		const struct tr_program *p = n->program;
		const struct tr_inst *in = &p->insts[n->inst];

		fprintf(s->about_f,
			"kernel %s: %s at 0x%" PRIx32 " (%s:%" PRIu32 ") spun: %" PRIu64
			" rounds of threads led nowhere, %" PRIu64 " thread instructions\n",
			tr_str(p, p->name), tr_str(p, in->opcode), n->inst * TR_PC_BYTES,
			split_file(p, n->inst), in->line, n->rounds, n->insts);
	}
}

/* Ends the current launch, if there is one: its row or rows, its share of the total. */
static void end_launch(struct info *s, const struct tr_program *p)
{
	struct an_totals t;

	if (!s->summary)
		return;
	t = an_summary_totals(s->summary);
	an_totals_add(&s->total, &t);
	s->total_bytes += s->launch_bytes;
	s->total_children += s->children;
	if (s->args->mode == INFO_TABLE && (s->args->by == BY_PC || s->args->by == BY_LINE))
		split_summary(s, p);
	else if (s->args->mode == INFO_TABLE && s->args->by == BY_LAUNCH)
		launch_row(s, &t, s->launch_bytes, false);
	add_spins(s, p);
	an_summary_free(s->summary);
	free(s->kernel);
	s->summary = NULL;
}

static void begin_launch(struct info *s)
{
	const struct tr_launch *l = tr_reader_launch(s->r);
	const struct tr_program *p = tr_reader_program(s->r);

	s->summary = an_summary_new(p);
	if (!s->summary)
		die_memory(NULL);
	s->kernel = must_printf("%s", tr_str(p, p->name));
	s->launch = l->number;
	s->program = l->program;
	s->launch_bytes = s->children = 0;
	s->parent = l->parent_launch;
	s->depth = tr_reader_depth(s->r);
	tree_add(&s->tree, l, p, s->depth);
	memcpy(s->grid, l->grid, sizeof(s->grid));
	memcpy(s->block, l->block, sizeof(s->block));
	memcpy(s->cluster, l->cluster, sizeof(s->cluster));
	s->nlaunches++;
}

/* ---- the kernels, for people ---- */

static void list_marks(FILE *f, uint32_t marks)
{
	static const char *const names[] = {"reads %laneid", "reads %warpid", "reads %clock",
		"votes", "shuffles", "has an irreducible cycle"};
	const char *between = "";

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (marks & 1u << i) {
			fprintf(f, "%s%s", between, names[i]);
			between = ", ";
		}
}

static void describe(FILE *f, const struct tr_program *p)
{
	const uint32_t spins = tr_program_spins_at(p);
	uint32_t branches = 0, uniform = 0, rows = 0;

	for (uint32_t i = 0; i < p->ninsts; i++) {
		rows += tr_is_operand(&p->insts[i]) != 0;
		branches += p->insts[i].nsucc > 1;
		uniform += p->insts[i].nsucc > 1 && p->insts[i].flags & TR_I_UNIFORM;
	}
	fprintf(f,
		"kernel %s\n"
		"  instructions %" PRIu32 ", blocks %" PRIu32 ", loops %" PRIu32
		", branches %" PRIu32 " (uniform over the CTA: %" PRIu32 ")\n"
		"  registers %" PRIu32 ", shared %" PRIu32 " B, local %" PRIu32 " B\n",
		tr_str(p, p->name), p->ninsts - rows, p->nblocks, p->nloops, branches, uniform,
		p->live_registers, p->shared_bytes, p->local_bytes);
	if (p->marks) {
		fputs("  ", f);
		list_marks(f, p->marks);
		fputc('\n', f);
	}
	if (spins != TR_NONE)
		fprintf(f,
			"  waits at barriers in memory are recorded as turns of the recorder, as "
			"before format 1.7 (0x%" PRIx32 "): in a replay nobody waits there\n",
			spins * TR_PC_BYTES);
}

/* ---- the run ---- */

static bool is_whole(const struct tr_part *p)
{
	return !p->launch_first && p->launch_last == UINT32_MAX && !p->cta_first &&
	       p->cta_last == UINT32_MAX;
}

static void on_launch(struct info *s)
{
	const struct tr_launch *l = tr_reader_launch(s->r);
	const struct tr_program *p = tr_reader_program(s->r);

	if (programs_add(&s->described, l->program)) {
		if (s->args->mode == INFO_DUMP)
			dump_program(s->out.f, l->program, p);
		else
			describe(s->about_f, p);
	}
	if (s->args->mode == INFO_DUMP)
		dump_launch(s->out.f, l);
	begin_launch(s);
}

static void on_cta(struct info *s, struct tr_cta *cta)
{
	struct tr_err err = {0};

	if (tr_reader_cta(s->r, cta, &err) < 0)
		no_reading(s, &err);
	s->launch_bytes = tr_reader_launch_bytes(s->r);
	if (s->args->mode != INFO_DECODE && an_summary_cta(s->summary, cta, &err) < 0)
		no_reading(s, &err);
	if (s->args->mode == INFO_TABLE)
		s->children += count_children(tr_reader_program(s->r), cta);
	if (s->args->mode == INFO_DUMP)
		dump_cta(s->out.f, tr_reader_program(s->r), cta);
}

static void read_stream(struct info *s)
{
	const struct tr_program *p = NULL;
	struct tr_err err = {0};
	struct tr_cta cta;
	int event;

	tr_cta_init(&cta);
	while ((event = tr_reader_next(s->r, &err)) > 0) {
		if (event == TR_LAUNCH) {
			end_launch(s, p);
			on_launch(s);
			p = tr_reader_program(s->r);
		} else {
			on_cta(s, &cta);
		}
	}
	if (event < 0)
		no_reading(s, &err);
	end_launch(s, p);
	tr_cta_free(&cta);
}

static void print_head(struct info *s, const char *provenance)
{
	if (provenance) {
		put_blanked(s->out.f, provenance, strlen(provenance), "\n");
		fputc('\n', s->out.f);
	}
	put_blanked(s->out.f, s->about, strlen(s->about), "\n");
	fputc('\n', s->out.f);
}

static void run_accesses(struct info *s, struct tr_in *in)
{
	struct accesses accesses;

	if (s->args->by != BY_LAUNCH)
		die(EXIT_USAGE,
			s->args->by == BY_TREE
				? "%s is an access stream: it has no tree of launches%s"
				: "%s is an access stream: trace-locality and trace-belady split "
				  "it "
				  "by %s",
			s->name,
			s->args->by == BY_PC     ? "pc"
			: s->args->by == BY_LINE ? "line"
						 : "");
	accesses_start(&accesses, s->in, s->name, in, &s->args->common);
	info_accesses(&accesses, s->args->mode, &s->args->common);
	accesses_close(&accesses);
}

static void check_threads(struct info *s, struct tr_in *in)
{
	struct tr_err err = {0};

	open_stream(s, in);
	if (tr_reader_check(s->r, &err) < 0)
		no_reading(s, &err);
	close_stream(s);
}

static void run_threads(struct info *s, struct tr_in *in)
{
	const struct args *args = s->args;
	const struct common *c = &args->common;
	char *provenance;

	open_stream(s, in);
	output_open(&s->out, c->output, false);
	provenance = provenance_with(c, tr_reader_provenance(s->r));
	s->about_f = text_start(&s->about);
	s->split = (struct split){.by_line = args->by == BY_LINE,
		.total = args->total,
		.n = NFIGURES,
		.row = args->by == BY_LINE ? line_row : pc_row,
		.arg = s};
	if (args->mode == INFO_TABLE && args->by == BY_PC)
		table_start(&s->table, s->out.f, c, provenance, pc_columns, COUNT(pc_columns));
	else if (args->mode == INFO_TABLE && args->by == BY_LINE)
		table_start(&s->table, s->out.f, c, provenance, line_columns, COUNT(line_columns));
	else if (args->mode == INFO_TABLE && args->by == BY_TREE)
		table_start(&s->table, s->out.f, c, provenance, tree_columns, COUNT(tree_columns));
	else if (args->mode == INFO_TABLE)
		table_start(&s->table, s->out.f, c, provenance, launch_columns, name_columns());
	read_stream(s);
	if (s->tree.children)
		tree_print(&s->tree, s->about_f);
	describe_spins(s);
	text_end(s->about_f, &s->about);
	if (args->mode == INFO_DUMP && is_whole(&c->part))
		dump_totals(s->out.f, tr_reader_totals(s->r));
	if (args->mode == INFO_TABLE) {
		split_end(&s->split);
		if (args->by == BY_TREE)
			tree_rows(s);
		if (args->by == BY_LAUNCH && table_has_total(&s->table, s->nlaunches))
			launch_row(s, &s->total, s->total_bytes, true);
		if (c->format == FORMAT_HUMAN && !c->quiet && !c->no_header && !c->record)
			print_head(s, c->no_provenance ? NULL : tr_reader_provenance(s->r));
		table_end(&s->table);
	}
	output_close(&s->out);
	free(provenance);
	free(s->about);
	free(s->spins);
	tree_free(&s->tree);
	free(s->described.known);
	close_stream(s);
}

static void run(const struct args *args)
{
	struct info s = {.args = args};
	struct tr_err err = {0};
	struct tr_in *in;

	s.in = input_open(args->file, &s.name);
	if (tr_in_open(&in, s.in, &err) < 0)
		no_reading(&s, &err);
	if (tr_in_kind(in) == TR_KIND_ACCESSES)
		run_accesses(&s, in);
	else if (args->mode == INFO_CHECK)
		check_threads(&s, in);
	else
		run_threads(&s, in);
}

static bool columns_told(const struct args *args)
{
	const struct column_table tables[] = {
		{"", launch_columns, name_columns()},
		{"--by pc", pc_columns, COUNT(pc_columns)},
		{"--by line", line_columns, COUNT(line_columns)},
		{"--by tree", tree_columns, COUNT(tree_columns)},
		{"an access stream", access_columns, access_ncolumns},
	};

	return columns_helped(&args->common, tables, COUNT(tables));
}

/* ---- arguments ---- */

enum { KEY_CHECK = 0x2000, KEY_DUMP, KEY_BY, KEY_TOTAL, KEY_DECODE };

static const char *const by_names[] = {"launch", "pc", "line", "tree", NULL};

static const struct argp_option options[] = {
	{"check", KEY_CHECK, NULL, 0,
		"print nothing; exit 0 if the whole stream is sound, else 1; takes 64 MB at most "
		"unless --max-memory says otherwise",
		1},
	{"dump", KEY_DUMP, NULL, 0, "print the stream as text, one line a record", 1},
	{"decode", KEY_DECODE, NULL, 0, "print nothing, decode every CTA: to measure that", 1},
	{"by", KEY_BY, "WHAT", 0,
		"a row per launch, in each launch per pc or line of the source, or per node of the "
		"tree of launches (default launch)",
		1},
	{"total", KEY_TOTAL, NULL, 0, "of pc and line, one for all launches of a kernel", 1},
	{0},
};

static const struct argp_child children[] = {
	{&part_argp, 0, NULL, 0},
	{&format_argp, 0, NULL, 0},
	{&output_argp, 0, NULL, 0},
	{0},
};

static void choose_mode(struct argp_state *state, struct args *a, enum info_mode mode)
{
	if (a->mode != INFO_TABLE && a->mode != mode)
		argp_error(state, "--check, --dump and --decode do not go together");
	a->mode = mode;
}

static void check_args(const struct args *a, struct argp_state *state)
{
	if (a->mode != INFO_TABLE && (a->by_given || a->common.table_option))
		argp_error(state, "%s is of the table, and there is none",
			a->by_given ? "--by" : a->common.table_option);
	if (a->total && (a->by == BY_LAUNCH || a->by == BY_TREE))
		argp_error(state, "--total is of --by pc and --by line");
	if (a->by == BY_TREE && (a->common.part.cta_first || a->common.part.cta_last != UINT32_MAX))
		argp_error(state, "--by tree counts the CTAs of whole launches: there is no --cta");
	if (a->mode == INFO_DUMP && a->common.nfiles > 1)
		argp_error(state, "--dump is of one FILE");
	if ((a->mode == INFO_CHECK || a->mode == INFO_DECODE) && a->common.output)
		argp_error(state, "--check and --decode print nothing: there is no --output");
	if (a->mode == INFO_CHECK)
		bound_memory_unless(&a->common, CHECK_MEMORY);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		for (int i = 0; i < 3; i++)
			state->child_inputs[i] = &a->common;
		return 0;
	case KEY_CHECK:
		choose_mode(state, a, INFO_CHECK);
		return 0;
	case KEY_DUMP:
		choose_mode(state, a, INFO_DUMP);
		return 0;
	case KEY_DECODE:
		choose_mode(state, a, INFO_DECODE);
		return 0;
	case KEY_BY:
		a->by = (enum by)option_word(state, "split", arg, by_names);
		a->by_given = true;
		return 0;
	case KEY_TOTAL:
		a->total = true;
		return 0;
	case ARGP_KEY_ARG:
		files_add(&a->common, arg);
		return 0;
	case ARGP_KEY_END:
		check_args(a, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[FILE...]",
		.doc = "Says what is in a thread trace: a row per launch, instructions, branches "
		       "and how many of them diverge in warps of 32, memory instructions, and "
		       "bytes of the stream per thread instruction; or in an access stream: how "
		       "it was made, and accesses per launch. Without FILE, or for -, reads "
		       "standard input; of several FILEs the rows are one table, its column "
		       "record says whose they are, and each has a total."
		       "\vthread_insts counts lanes whose guard was true, warp_insts_32 the issues "
		       "of "
		       "warps of 32 under PDOM reconvergence. mem_insts are thread instructions. "
		       "With "
		       "--format=tsv there are more columns: outcomes and values recorded, and "
		       "thread "
		       "instructions by class and memory space, the launch whose threads made "
		       "this one, how deep it is, and how many launches its own threads made. A "
		       "node "
		       "of the tree is all launches of a kernel by those of another node.\n\n"
		       "Of an access stream, mem_insts are the warp instructions that made at "
		       "least one access, warp_insts and thread_insts all that were executed: "
		       "known of the whole stream, not of one launch among several. What is not "
		       "known is -.",
		.children = children,
	};
	struct args args = {.common = COMMON_DEFAULTS};

	args.common.takes_files = true;
	tool_start("trace-info", argc, argv);
	tool_args(&argp, argc, argv, &args);
	if (columns_told(&args))
		return EXIT_OK;
	while (files_next(&args.common, &args.file))
		run(&args);
	return EXIT_OK;
}
