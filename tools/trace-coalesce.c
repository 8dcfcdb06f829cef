/*
 * trace-coalesce: from a thread trace to the accesses that its warps make, or a table of them
 */
#include "sim/access/requests.h"
#include "tools/machine.h"
#include "tools/split.h"
#include "tools/accesses.h"
#include "tools/columns.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE 0u
#define HALF UINT32_MAX
#define BY_RULE (UINT32_MAX - 1)

enum by { BY_TOTAL, BY_SPACE, BY_PC, BY_LINE };

struct args {
	struct common common;
	uint32_t warp_size, line_bytes, sms, width;
	enum sim_rule rule;
	enum sim_order order;
	const char *machine, *file;
	uint32_t spaces; /* a bit for each enum tr_space */
	bool summary, spaces_given, total;
	enum by by;
};

/* ---- the run ---- */

struct coalesce {
	const struct args *args;
	struct tr_reader *r;
	char *name;
	FILE *in;
	struct output out;
	int event; /* the last one of the reader: a CTA, unless the launch is over */
	struct sim_warps *warps;
	struct sim_coalescer rule;
	const struct tr_program *p;
	struct sim_requests requests;
	struct progress progress;
	/* A stream: */
	struct tr_access_writer *writer;
	int64_t *programs; /* their numbers in what is written, -1 for those not yet there */
	uint32_t nprograms;
	/* A table: */
	struct table table;
	uint32_t launch, program, nlaunches;
	struct split split;
	char *kernel;
	struct an_requests *pcs, spaces[TR_NSPACES], launch_all;
	struct an_requests spaces_total[TR_NSPACES], total;
};

static _Noreturn void no_reading(const struct coalesce *s, const struct tr_err *err)
{
	if (err->code == TR_EKIND)
		die(EXIT_BAD,
			"cannot read %s: this is an access stream already: trace-coalesce takes a "
			"thread trace, as trace-gen makes it",
			s->name);
	die_err(err, err->code == TR_EUSAGE ? NULL : must_printf("cannot read %s", s->name));
}

static void no_writing(const struct coalesce *s, const struct tr_err *err)
{
	output_die(&s->out, err, "cannot write the access stream");
}

/* The launch's CTAs, for the warps; the event after the last of them is kept. */
static int next_cta(void *arg, struct tr_cta *c, struct tr_err *err)
{
	struct coalesce *s = arg;
	int rc;

	if (s->event != TR_CTA)
		return 0;
	rc = tr_reader_cta(s->r, c, err);
	if (rc > 0) {
		s->event = tr_reader_next(s->r, err);
		rc = s->event < 0 ? s->event : 1;
	}
	progress_show(&s->progress, sim_warps_totals(s->warps).thread_insts);
	return rc;
}

/* ---- a stream ---- */

static int write_accesses(void *arg, const struct sim_warp_access *w, struct tr_err *err)
{
	struct coalesce *s = arg;
	const struct tr_inst *in = &s->p->insts[w->inst];
	struct sim_requests *r = &s->requests;
	struct tr_err why = {0};
	bool first = true;

	(void)err;
	if (in->space != TR_S_GENERIC && !(s->args->spaces & 1u << in->space))
		return 1;
	sim_requests_make(r, &s->rule, s->args->warp_size, in, w);
	for (unsigned i = 0; i < r->n; i++) {
		struct tr_access *a = &r->access[i];

		if (!(s->args->spaces & 1u << a->space))
			continue;
		a->first = first;
		first = false;
		if (tr_access_write(s->writer, a, &why) < 0)
			no_writing(s, &why);
	}
	return 1;
}

static void open_writer(struct coalesce *s)
{
	const struct args *a = s->args;
	struct tr_access_info info = {
		.warp_size = a->warp_size,
		.line_bytes = a->line_bytes,
		.sms = a->sms,
	};
	char *provenance = provenance_with(&a->common, tr_reader_provenance(s->r));
	const struct tr_writer_options opt = {.provenance = provenance};
	struct tr_err err = {0};

	fit_text(info.rule, sizeof(info.rule), sim_rule_name(a->rule));
	fit_text(info.order, sizeof(info.order), sim_order_name(a->order));
	fit_text(info.machine, sizeof(info.machine), a->machine);
	if (tr_access_writer_open(&s->writer, s->out.f, &info, &opt, &err) < 0)
		no_writing(s, &err);
	free(provenance);
}

/* The number of the launch's program in what is written. */
static uint32_t written_program(struct coalesce *s, uint32_t program)
{
	struct tr_err err = {0};

	if (program >= s->nprograms) {
		s->programs = must_realloc(s->programs, program + (size_t)1, sizeof(*s->programs));
		while (s->nprograms <= program)
			s->programs[s->nprograms++] = -1;
	}
	if (s->programs[program] < 0)
		s->programs[program] = tr_access_writer_program(s->writer, s->p, &err);
	if (s->programs[program] < 0)
		no_writing(s, &err);
	return (uint32_t)s->programs[program];
}

static void begin_writing(struct coalesce *s, const struct tr_launch *l)
{
	struct tr_launch copy = *l;
	struct tr_err err = {0};

	copy.program = written_program(s, l->program);
	if (tr_access_writer_launch(s->writer, &copy, &err) < 0)
		no_writing(s, &err);
}

/* ---- a table ---- */

static int count_accesses(void *arg, const struct sim_warp_access *w, struct tr_err *err)
{
	struct coalesce *s = arg;
	const struct tr_inst *in = &s->p->insts[w->inst];
	struct sim_requests *r = &s->requests;
	unsigned lanes = 0;

	(void)err;
	sim_requests_make(r, &s->rule, s->args->warp_size, in, w);
	for (unsigned sp = 0; sp < TR_NSPACES; sp++)
		if (r->lanes[sp]) {
			an_requests_count(&s->spaces[sp], r->lanes[sp], r->transactions[sp]);
			lanes += sim_leaves_sm((enum tr_space)sp) ? r->lanes[sp] : 0;
		}
	if (lanes)
		an_requests_count(&s->launch_all, lanes, r->all_transactions);
	/* A line's accesses to shared memory are none of its coalescing, nor are such lanes. */
	if (s->args->by != BY_LINE)
		lanes = (unsigned)__builtin_popcountll(w->lanes);
	if (lanes)
		an_requests_count(&s->pcs[w->inst], lanes, r->all_transactions);
	return 1;
}

#define COUNT_COLUMNS                                                                              \
	{"mem_insts", SEEN}, {"thread_mem_insts", SEEN}, {"transactions", SEEN},                   \
		{"coalescing_rate", SEEN}, {"coalescing_rate_thread", SEEN},                       \
		{"transactions_per_inst", SEEN}, {"tx_1", SEEN}, {"tx_2", SEEN}, {"tx_4", SEEN},   \
		{"tx_8", SEEN}, {"tx_16", SEEN}, {"tx_32", SEEN}, {"tx_more", SEEN},

static const struct column total_columns[] = {{"launch", SEEN}, {"kernel", SEEN}, COUNT_COLUMNS};
static const struct column space_columns[] = {
	{"launch", SEEN}, {"kernel", SEEN}, {"space", SEEN}, COUNT_COLUMNS};
static const struct column pc_columns[] = {{"launch", SEEN}, {"kernel", SEEN}, {"pc", SEEN},
	{"inst", SEEN}, {"source_line", SEEN}, COUNT_COLUMNS{"space", UNSEEN}, {"file", IF_MANY}};

static const struct column line_columns[] = {{"launch", SEEN}, {"kernel", SEEN}, {"file", IF_MANY},
	{"source_line", SEEN}, COUNT_COLUMNS};

static const struct column_table tables[] = {
	[BY_TOTAL] = {"--summary", total_columns, sizeof(total_columns) / sizeof(total_columns[0])},
	[BY_SPACE] = {"--by space", space_columns,
		sizeof(space_columns) / sizeof(space_columns[0])},
	[BY_PC] = {"--by pc", pc_columns, sizeof(pc_columns) / sizeof(pc_columns[0])},
	[BY_LINE] = {"--by line", line_columns, sizeof(line_columns) / sizeof(line_columns[0])},
};
#define NTABLES (sizeof(tables) / sizeof(tables[0]))

static void ratio_cell(struct table *t, uint64_t a, uint64_t b)
{
	if (b)
		table_real(t, (double)a / (double)b);
	else
		table_none(t);
}

/* What never leaves the SM has no transactions, and no rates. */
static void count_cells(struct table *t, const struct an_requests *a, bool leaves)
{
	table_uint(t, a->insts);
	table_uint(t, a->thread_insts);
	if (leaves)
		table_uint(t, a->transactions);
	else
		table_none(t);
	ratio_cell(t, a->insts, a->transactions);
	ratio_cell(t, a->thread_insts, a->transactions);
	ratio_cell(t, a->transactions, leaves ? a->insts : 0);
	for (unsigned k = 0; k < AN_TX_CLASSES; k++)
		if (leaves)
			table_uint(t, a->classes[k]);
		else
			table_none(t);
}

static void launch_cells(struct coalesce *s, bool total)
{
	if (total) {
		table_total(&s->table);
		table_text(&s->table, "total");
	} else {
		table_id(&s->table, s->launch);
	}
	table_text(&s->table, total ? "total" : s->kernel);
}

static void space_rows(struct coalesce *s, const struct an_requests *spaces, bool total)
{
	for (unsigned sp = 0; sp < TR_NSPACES; sp++)
		if (spaces[sp].insts) {
			launch_cells(s, total);
			table_text(&s->table, tr_space_name((enum tr_space)sp));
			count_cells(&s->table, &spaces[sp], sim_leaves_sm((enum tr_space)sp));
		}
}

/* What is counted of an instruction: the fields of struct an_requests, which adds up. */
#define NFIGURES (sizeof(struct an_requests) / sizeof(uint64_t))

static bool leaves(const struct split_row *r)
{
	const struct tr_inst *in = &r->p->insts[r->inst];

	return in->space == TR_S_GENERIC || sim_leaves_sm((enum tr_space)in->space);
}

static void pc_row(void *arg, const struct split_row *r)
{
	struct table *t = &((struct coalesce *)arg)->table;
	struct an_requests n;

	memcpy(&n, r->figures, sizeof(n));
	if (!n.insts)
		return;
	split_put_launch(t, r);
	table_text(t, tr_str(r->p, r->p->name));
	table_pc(t, r->inst);
	split_put_inst(t, r);
	table_id(t, r->p->insts[r->inst].line);
	count_cells(t, &n, leaves(r));
	table_text(t, tr_space_name((enum tr_space)r->p->insts[r->inst].space));
	table_text(t, split_file(r->p, r->inst));
}

static void line_row(void *arg, const struct split_row *r)
{
	struct table *t = &((struct coalesce *)arg)->table;
	struct an_requests n;

	memcpy(&n, r->figures, sizeof(n));
	if (!n.insts)
		return;
	split_put_launch(t, r);
	table_text(t, tr_str(r->p, r->p->name));
	table_text(t, split_file(r->p, r->inst));
	table_id(t, r->p->insts[r->inst].line);
	count_cells(t, &n, true);
}

static void start_table(struct coalesce *s, const char *provenance)
{
	const struct column_table *by = &tables[s->args->by];

	s->split = (struct split){.by_line = s->args->by == BY_LINE,
		.total = s->args->total,
		.n = NFIGURES,
		.row = s->args->by == BY_LINE ? line_row : pc_row,
		.arg = s};
	table_start(&s->table, s->out.f, &s->args->common, provenance, by->columns, by->n);
}

static void begin_counting(struct coalesce *s, const struct tr_launch *l)
{
	s->pcs = must_alloc(s->p->ninsts, sizeof(*s->pcs));
	memset(s->spaces, 0, sizeof(s->spaces));
	s->launch_all = (struct an_requests){0};
	s->kernel = must_printf("%s", tr_str(s->p, s->p->name));
	s->launch = l->number;
	s->program = l->program;
	s->nlaunches++;
}

static void end_counting(struct coalesce *s)
{
	if (s->args->by >= BY_PC) {
		split_launch(&s->split, s->launch, s->program, s->p, &s->pcs[0].insts);
	} else if (s->args->by == BY_SPACE) {
		space_rows(s, s->spaces, false);
	} else {
		launch_cells(s, false);
		count_cells(&s->table, &s->launch_all, true);
	}
	for (unsigned sp = 0; sp < TR_NSPACES; sp++)
		an_requests_add(&s->spaces_total[sp], &s->spaces[sp]);
	an_requests_add(&s->total, &s->launch_all);
	free(s->pcs);
	free(s->kernel);
}

static void end_table(struct coalesce *s)
{
	const bool has_total = table_has_total(&s->table, s->nlaunches);

	split_end(&s->split);
	if (has_total && s->args->by == BY_SPACE)
		space_rows(s, s->spaces_total, true);
	if (has_total && s->args->by == BY_TOTAL) {
		launch_cells(s, true);
		count_cells(&s->table, &s->total, true);
	}
	table_end(&s->table);
}

/* ---- launches ---- */

static struct sim_config preset_of(const void *arg, const char *preset)
{
	(void)arg;
	return machine_read(preset);
}

static _Noreturn void no_launch(
	const struct coalesce *s, const struct tr_launch *l, struct tr_err *err)
{
	if (strstr(err->msg, "where an SM has "))
		machine_help(
			err, tr_launch_threads(l), l->registers, l->shared_bytes, preset_of, NULL);
	no_reading(s, err);
}

static void run_launch(struct coalesce *s)
{
	const struct tr_launch *l = tr_reader_launch(s->r);
	const struct sim_warps_link link = {
		.arg = s,
		.cta = next_cta,
		.access = s->args->summary ? count_accesses : write_accesses,
	};
	struct tr_launch shape = *l; /* the reader may go on to the next one */
	struct tr_err err = {0};

	s->p = tr_reader_program(s->r);
	if (s->args->summary)
		begin_counting(s, l);
	else
		begin_writing(s, l);
	s->event = tr_reader_next(s->r, &err);
	if (s->event < 0)
		no_reading(s, &err);
	if (sim_warps_launch(s->warps, s->p, &shape, &link, &err) < 0)
		no_launch(s, &shape, &err);
	if (s->args->summary)
		end_counting(s);
}

static void remark_forced(const struct coalesce *s)
{
	const uint64_t forced = sim_warps_totals(s->warps).forced;

	if (forced && !s->args->common.quiet)
		warn("%" PRIu64 " barriers were opened by force: in warps of %" PRIu32
		     " threads they wait for threads of their own warp",
			forced, s->args->warp_size);
}

static void finish(struct coalesce *s)
{
	const struct sim_warps_totals t = sim_warps_totals(s->warps);
	struct tr_err err = {0};

	if (s->args->summary)
		end_table(s);
	else if (tr_access_writer_close(s->writer, t.warp_insts, t.thread_insts, &err) < 0)
		no_writing(s, &err);
}

static void run(const struct args *args, const struct sim_residency *machine)
{
	struct coalesce s = {.args = args, .rule = {args->rule, args->line_bytes, args->width}};
	const struct sim_warps_options opt = {args->warp_size, args->order, *machine};
	struct tr_err err = {0};
	char *provenance;

	s.in = input_open(args->file, &s.name);
	if (tr_reader_open(&s.r, s.in, &args->common.part, &err) < 0)
		no_reading(&s, &err);
	if (sim_warps_new(&s.warps, &opt, &err) < 0)
		die_err(&err, NULL);
	output_open(&s.out, args->common.output, !args->summary);
	provenance = provenance_with(&args->common, tr_reader_provenance(s.r));
	if (args->summary)
		start_table(&s, provenance);
	else
		open_writer(&s);
	progress_start(&s.progress, &args->common);
	s.event = tr_reader_next(s.r, &err);
	while (s.event > 0)
		run_launch(&s);
	if (s.event < 0)
		no_reading(&s, &err);
	progress_end(&s.progress);
	finish(&s);
	output_close(&s.out);
	remark_forced(&s);
	sim_warps_free(s.warps);
	tr_reader_close(s.r);
	free(provenance);
	free(s.programs);
	free(s.name);
	if (s.in != stdin)
		fclose(s.in);
}

/* ---- arguments ---- */

enum {
	KEY_WARP_SIZE = 0x2000,
	KEY_RULE,
	KEY_WIDTH,
	KEY_LINE,
	KEY_ORDER,
	KEY_SMS,
	KEY_SPACE,
	KEY_SUMMARY,
	KEY_BY,
	KEY_TOTAL
};

static const char *const by_names[] = {"total", "space", "pc", "line", NULL};

static const struct argp_option options[] = {
	{"warp-size", KEY_WARP_SIZE, "N", 0, "threads of a warp, 1 to 64 (default 32)", 1},
	{"rule", KEY_RULE, "RULE", 0, "cc1.0, cc1.2, cc2 or sector32 (default cc2)", 1},
	{"width", KEY_WIDTH, "W", 0,
		"lanes that are coalesced together: whole or half a warp, or a number (default: 16 "
		"for "
		"cc1.0 and cc1.2, else whole)",
		1},
	{"line", KEY_LINE, "BYTES", 0, "of a cache line, 32 to 1024 (default 128)", 1},
	{"order", KEY_ORDER, "ORDER", 0, "of the warps on an SM: rr, gto or cta (default rr)", 2},
	{"machine", 'm', "NAME|FILE.ini", 0, "which CTAs are resident at a time (default ccws)", 2},
	{"sms", KEY_SMS, "N", 0, "number of SMs (default: the machine's)", 2},
	{"space", KEY_SPACE, "LIST", 0,
		"memory spaces whose accesses are written, of global, local, const and texture "
		"(default "
		"global,local: those that go to the L1D)",
		2},
	{"summary", KEY_SUMMARY, NULL, 0, "print a table and write no stream", 3},
	{"by", KEY_BY, "WHAT", 0,
		"rows of the table: total (one a launch), space, pc or line of the source (default "
		"total)",
		3},
	{"total", KEY_TOTAL, NULL, 0, "of pc and line, a row for all launches of a kernel", 3},
	{0},
};

static const struct argp_child children[] = {
	{&part_argp, 0, NULL, 0},
	{&format_argp, 0, NULL, 0},
	{&output_argp, 0, NULL, 0},
	{0},
};

static uint32_t parse_spaces(const char *text, struct argp_state *state)
{
	uint32_t spaces = 0;

	for (;;) {
		const size_t len = strcspn(text, ",");
		unsigned s = 0;

		while (s < TR_NSPACES &&
			(!sim_leaves_sm((enum tr_space)s) ||
				strlen(tr_space_name((enum tr_space)s)) != len ||
				strncmp(text, tr_space_name((enum tr_space)s), len)))
			s++;
		if (s == TR_NSPACES)
			argp_error(state, "unknown space '%.*s': global, local, const or texture",
				(int)len, text);
		spaces |= 1u << s;
		if (!text[len])
			return spaces;
		text += len + 1;
	}
}

static uint32_t parse_width(const char *text)
{
	return !strcmp(text, "whole") ? WHOLE
	       : !strcmp(text, "half")
		       ? HALF
		       : (uint32_t)parse_uint(text, 1, SIM_WARPS_LANES_MAX, "--width");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		for (int i = 0; i < 3; i++)
			state->child_inputs[i] = &a->common;
		return 0;
	case KEY_WARP_SIZE:
		a->warp_size = (uint32_t)parse_uint(arg, 1, SIM_WARPS_LANES_MAX, "--warp-size");
		return 0;
	case KEY_RULE:
		if (sim_rule_parse(&a->rule, arg) < 0)
			argp_error(state, "unknown rule '%s': cc1.0, cc1.2, cc2 or sector32", arg);
		return 0;
	case KEY_WIDTH:
		a->width = parse_width(arg);
		return 0;
	case KEY_LINE:
		a->line_bytes = (uint32_t)parse_uint(arg, 32, 1024, "--line");
		if (a->line_bytes & (a->line_bytes - 1))
			argp_error(state, "lines of %s bytes: no power of two", arg);
		return 0;
	case KEY_ORDER:
		if (sim_order_parse(&a->order, arg) < 0)
			argp_error(state, "unknown order '%s': rr, gto or cta", arg);
		return 0;
	case KEY_SMS:
		a->sms = (uint32_t)parse_uint(arg, 1, 4096, "--sms");
		return 0;
	case 'm':
		a->machine = arg;
		return 0;
	case KEY_SPACE:
		a->spaces = parse_spaces(arg, state);
		a->spaces_given = true;
		return 0;
	case KEY_SUMMARY:
		a->summary = true;
		return 0;
	case KEY_BY:
		a->by = (enum by)option_word(state, "split", arg, by_names);
		a->summary = true;
		return 0;
	case KEY_TOTAL:
		a->total = true;
		return 0;
	case ARGP_KEY_ARG:
		files_add(&a->common, arg);
		return 0;
	case ARGP_KEY_END:
		if (a->total && a->by < BY_PC)
			argp_error(state, "--total is of --by pc and --by line");
		if (a->common.table_option && !a->summary && !columns_wanted(&a->common))
			argp_error(state, "%s is of the table: give --summary or --by as well",
				a->common.table_option);
		if (a->common.nfiles > 1 && !a->summary && !columns_wanted(&a->common))
			argp_error(state, "a stream is of one FILE: of several there are tables, "
					  "by --summary or --by");
		if (a->spaces_given && a->summary)
			argp_error(state, "--space is of the stream, and a table has all spaces");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* What a width means for the warp size and the rule at hand. */
static void settle_width(struct args *a)
{
	const bool halves = a->rule == SIM_CC10 || a->rule == SIM_CC12;

	if (a->width == BY_RULE)
		a->width = halves && a->warp_size > 16 ? 16 : WHOLE;
	if (a->width == HALF) {
		if (a->warp_size % 2)
			die(EXIT_USAGE, "a warp of %" PRIu32 " threads has no halves",
				a->warp_size);
		a->width = a->warp_size / 2;
	}
	if (a->width > a->warp_size)
		die(EXIT_USAGE, "--width: %" PRIu32 " lanes of warps of %" PRIu32, a->width,
			a->warp_size);
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[FILE...]",
		.doc = "Makes of a thread trace the accesses of its warps, for a warp size, a rule "
		       "of "
		       "coalescing and an order that knows no time; or, with --summary, a table of "
		       "how "
		       "well they coalesce. Without FILE, or for -, reads standard input."
		       "\vLanes part and meet by reconvergence stacks (PDOM). Each SM executes one "
		       "warp instruction in its turn. Orders: rr, an instruction of each resident "
		       "warp in turn; gto, one warp on until a barrier or its end, then the "
		       "oldest; "
		       "cta, one CTA after the other, in it one warp after the other up to a "
		       "barrier. CTAs go to the SMs in the order of their numbers, as many at a "
		       "time "
		       "as --machine has room for.\n\n"
		       "In the table mem_insts are warp instructions whose accesses leave the SM: "
		       "global, local, const and texture, and generic ones that reach those. "
		       "coalescing_rate is mem_insts over transactions, coalescing_rate_thread the "
		       "same of thread instructions. tx_1 to tx_more count instructions by their "
		       "transactions: 1, 2, up to 4, 8, 16, 32, and more. Those of sector32 "
		       "are the sectors that are touched; its accesses in the stream are whole "
		       "lines with a mask of sectors. By space and by pc, accesses to shared "
		       "memory have rows too, without transactions. Local memory is interleaved "
		       "among the threads of an SM by words of 4 bytes.",
		.children = children,
	};
	struct args args = {
		.common = COMMON_DEFAULTS,
		.warp_size = 32,
		.line_bytes = 128,
		.width = BY_RULE,
		.rule = SIM_CC2,
		.order = SIM_ORDER_RR,
		.machine = "ccws",
		.spaces = 1u << TR_S_GLOBAL | 1u << TR_S_LOCAL,
	};
	struct ptx_resident r;

	args.common.takes_files = true;
	tool_start("trace-coalesce", argc, argv);
	tool_args(&argp, argc, argv, &args);
	if (columns_helped(&args.common, tables, NTABLES))
		return EXIT_OK;
	settle_width(&args);
	r = machine_resident(args.machine);
	if (!args.sms)
		args.sms = r.sms;
	while (files_next(&args.common, &args.file))
		run(&args, &(struct sim_residency){args.sms, r.ctas_per_sm, r.threads_per_sm,
				   r.registers_per_sm, r.shared_per_sm, r.shared_reserved});
	return EXIT_OK;
}
