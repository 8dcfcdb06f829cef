/*
 * trace-gen: records what every thread of a GPU kernel does, as a thread trace
 */
#include "datasets/workloads/workload.h"
#include "tools/launches.h"
#include "tools/machine.h"
#include "tools/columns.h"
#include "tools/findings.h"
#include "tools/parse_only.h"
#include "tools/program.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SETS_MAX 64
#define MAX_INSTS_DEFAULT 20000000000u /* of one launch: minutes of recording */

#define TEXTS_MAX 64

struct args {
	struct common common;
	bool list;
	const char *workload, *ptx, *resident; /* ptx: the first of */
	const char *texts[TEXTS_MAX];
	unsigned ntexts;
	const char *graph, *matrix;
	char *sets[SETS_MAX];
	unsigned nsets;
	uint64_t seed, max_insts;
	bool seeded; /* the seed was given */
	int level;
	bool no_sync_reads;
	bool oob_warn, memcheck;
	const char *findings; /* of --memcheck: the file, or NULL for stderr */
	bool run;             /* a program: what stands after the options */
	bool parse_only;
	char **program; /* of --run; the files of --parse-only */
	const char *only_launches, *only_kernel;
	uint64_t device_memory;
	struct launches *launches; /* NULL: no option speaks of a kernel of the user's own */
};

/* ---- the list ---- */

/* A parameter's default, by its name where it has one; caller frees. */
static char *param_value(const struct workload *wl, const struct wl_param *p)
{
	const char *at = wl_names_of(wl, p->name);

	for (int64_t i = 0; at && i < p->value; i++)
		at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
	return at ? must_printf("%.*s", (int)strcspn(at, ","), at)
		  : must_printf("%" PRId64, p->value);
}

static char *params_text(const struct workload *wl)
{
	char *text = must_printf("%s", ""), *longer;

	for (int i = 0; i < WL_PARAMS_MAX && wl->params[i].name; i++) {
		char *value = param_value(wl, &wl->params[i]);

		longer = must_printf("%s%s%s=%s", text, i ? "," : "", wl->params[i].name, value);
		free(value);
		free(text);
		text = longer;
	}
	return text;
}

static void list_one(FILE *f, const struct workload *wl)
{
	fprintf(f, "%-14s %s (%s; %s; %s)\n", wl->name, wl->summary, wl->suite, wl->cls,
		wl->papers);
	for (int i = 0; i < WL_PARAMS_MAX && wl->params[i].name; i++) {
		char *value = param_value(wl, &wl->params[i]);

		fprintf(f, "    %-12s %-9s %s\n", wl->params[i].name, value, wl->params[i].help);
		free(value);
	}
	for (int i = 0; i < WL_PRESETS_MAX && wl->presets[i].name; i++)
		fprintf(f, "    preset=%-15s %s (%s)\n", wl->presets[i].name, wl->presets[i].help,
			wl->presets[i].sets);
	if (wl->takes_graph)
		fputs("    takes --graph FILE\n", f);
	if (wl->takes_matrix)
		fputs("    takes --matrix FILE\n", f);
}

static const struct workload *find(const char *name)
{
	const char *names[128] = {NULL}, *like;
	const struct workload *wl = wl_find(name);

	if (wl)
		return wl;
	for (unsigned i = 0; i < 127 && wl_at(i); i++)
		names[i] = wl_at(i)->name;
	like = nearest(name, names);
	if (like)
		die(EXIT_USAGE, "unknown workload '%s', did you mean '%s'?", name, like);
	die(EXIT_USAGE, "unknown workload '%s': trace-gen --list names them", name);
}

static const struct column list_columns[] = {
	{"name", SEEN},
	{"class", SEEN},
	{"papers", SEEN},
	{"parameters", SEEN},
	{"suite", SEEN},
	{"file", SEEN},
	{"summary", SEEN},
	{"tiny", SEEN},
};
static const struct column_table list_table = {
	"--list", list_columns, sizeof(list_columns) / sizeof(list_columns[0])};

static void run_list(const struct args *a)
{
	const struct workload *only = a->workload ? find(a->workload) : NULL;
	/* People read a list, unless they ask for columns. */
	const bool table = a->common.format != FORMAT_HUMAN || a->common.shaped;
	struct output o;
	struct table t;
	char *provenance = provenance_with(&a->common, NULL), *params;

	output_open(&o, a->common.output, false);
	if (table)
		table_start(&t, o.f, &a->common, provenance, list_columns, list_table.n);
	for (unsigned i = 0; wl_at(i); i++) {
		const struct workload *wl = wl_at(i);

		if (only && wl != only)
			continue;
		if (!table) {
			list_one(o.f, wl);
			continue;
		}
		params = params_text(wl);
		table_text(&t, wl->name);
		table_text(&t, wl->cls);
		table_text(&t, wl->papers);
		table_text(&t, params);
		table_text(&t, wl->suite);
		table_text(&t, wl->takes_graph ? "graph" : wl->takes_matrix ? "matrix" : "-");
		table_text(&t, wl->summary);
		table_text(&t, wl->tiny);
		free(params);
	}
	if (table)
		table_end(&t);
	free(provenance);
	output_close(&o);
}

/* ---- recording ---- */

struct recording {
	const struct args *args;
	struct output out;
	struct tr_writer *tw;
	struct progress progress;
	struct ptx_machine_options machine;
	struct output findings; /* of --memcheck */
	bool found;             /* what it looks for */
};

static void show(void *arg, uint64_t thread_insts)
{
	progress_show(arg, thread_insts);
}

/* What kernels print; standard output may be the stream. */
static void print(void *arg, const char *text, size_t len)
{
	(void)arg;
	fwrite(text, 1, len, stderr);
}

static _Noreturn void failed(struct recording *r, const struct tr_err *err)
{
	const bool fits = err->code != TR_EUSAGE || !r->args->resident;

	progress_end(&r->progress);
	output_die(&r->out, err, fits ? NULL : must_printf("--resident %s", r->args->resident));
}

static void start(struct recording *r, const struct args *a)
{
	struct tr_err err = {0};
	char *provenance = provenance_with(&a->common, NULL);
	const struct tr_writer_options options = {.provenance = provenance, .level = a->level};
	const struct ptx_resident resident = PTX_RESIDENT_DEFAULT, larger = PTX_RESIDENT_LARGE;

	*r = (struct recording){.args = a};
	r->machine = (struct ptx_machine_options){
		.resident = a->resident ? machine_resident(a->resident) : resident,
		.forgive = a->oob_warn,
		.memcheck = a->memcheck,
		.max_insts = a->max_insts,
		.sync_reads = !a->no_sync_reads,
		.progress = show,
		.progress_arg = &r->progress,
		.print = print,
	};
	if (a->ptx && !a->resident)
		r->machine.larger = larger;
	output_open(&r->out, a->common.output, true);
	if (a->memcheck)
		findings_open(&r->findings, a->findings);
	progress_start(&r->progress, &a->common);
	if (tr_writer_open(&r->tw, r->out.f, &options, &err) < 0)
		failed(r, &err);
	free(provenance);
}

static void finish(struct recording *r)
{
	const double seconds = now() - r->progress.start;
	const bool remark = r->args->common.verbose || r->progress.on;
	const uint64_t insts = tr_writer_thread_insts(r->tw);
	struct tr_err err = {0};

	if (tr_writer_close(r->tw, &err) < 0)
		failed(r, &err);
	progress_end(&r->progress);
	output_close(&r->out);
	if (remark && !r->args->common.quiet)
		warn("%s thread_insts in %.2f s, %s/s", human((double)insts), seconds,
			human((double)insts / seconds));
}

/* What went wrong and went on is told before the record has its name. */
static void tell_findings(void *recording, const struct ptx_machine *m)
{
	struct recording *r = recording;
	const struct ptx_finding *f;
	const char *first;
	const uint32_t n = ptx_findings(m, &f);
	const uint64_t forgiven = ptx_forgiven(m, &first);

	if (forgiven)
		warn("%" PRIu64 " accesses out of bounds read 0 or were lost, first: %s", forgiven,
			first);
	if (!r->args->memcheck)
		return;
	progress_end(&r->progress);
	r->found = findings_tell(f, n, &r->args->common, &r->findings);
}

/* One NAME=VALUE; text is cut at its '='. */
static struct wl_set parse_set(const struct workload *wl, char *text)
{
	const char *names[WL_PARAMS_MAX + 2] = {NULL}, *like;
	unsigned n = 0;
	char *equals = strchr(text, '=');
	struct wl_set set = {.name = text};
	bool known = false, named = false;

	if (!equals || equals == text)
		die(EXIT_USAGE, "--set: '%s' is no NAME=VALUE", text);
	*equals = 0;
	for (int i = 0; i < WL_PARAMS_MAX && wl->params[i].name; i++) {
		names[n++] = wl->params[i].name;
		known |= !strcmp(text, wl->params[i].name);
		named |= !strcmp(text, names[i]) && wl_names_of(wl, text);
	}
	if (wl->presets[0].name) {
		names[n] = "preset";
		known |= named |= !strcmp(text, names[n]);
	}
	like = nearest(text, names);
	if (!known)
		die(EXIT_USAGE, "%s has no parameter '%s'%s%s%s", wl->name, text,
			like ? ", did you mean '" : "", like ? like : "", like ? "'?" : "");
	if (named && !isdigit((unsigned char)equals[1])) {
		set.text = equals + 1;
		return set;
	}
	set.value = equals[1] == '-' ? parse_int(equals + 1, INT64_MIN, INT64_MAX, text)
				     : (int64_t)parse_size(equals + 1, text);
	return set;
}

static int run_workload(const struct args *a)
{
	const struct workload *wl = find(a->workload);
	struct wl_set sets[SETS_MAX];
	char *relative = must_printf("workloads/%s/%s.ptx", wl->name, wl->name);
	char *ptx_path = data_find(relative);
	struct recording r;
	struct tr_err err = {0};

	for (unsigned i = 0; i < a->nsets; i++)
		sets[i] = parse_set(wl, a->sets[i]);
	if (!ptx_path)
		die(EXIT_BAD, "cannot find '%s': set WARPTRACE_DATA to the folder that has it",
			relative);
	if (a->graph && wl->takes_graph)
		input_note(a->graph);
	if (a->matrix && wl->takes_matrix)
		input_note(a->matrix);
	start(&r, a);
	if (wl_run(wl,
		    &(struct wl_options){.sets = sets,
			    .nsets = a->nsets,
			    .seed = a->seed,
			    .graph = a->graph,
			    .matrix = a->matrix,
			    .ptx_path = ptx_path,
			    .machine = r.machine,
			    .ended = tell_findings,
			    .ended_arg = &r,
			    .flip_check = -1},
		    r.tw, NULL, &err) < 0)
		failed(&r, &err);
	finish(&r);
	free(relative);
	free(ptx_path);
	return r.found ? EXIT_FALSE : EXIT_OK;
}

static void add_text(struct tr_err *err, const char *text)
{
	const size_t n = strlen(err->msg);

	snprintf(err->msg + n, sizeof(err->msg) - n, "%s", text);
}

static int run_own(const struct args *a)
{
	struct recording r;
	struct ptx_machine *m;
	struct tr_err err = {0};

	launches_prepare(a->launches, a->texts, a->ntexts, a->seed);
	start(&r, a);
	r.machine.narrow = launches_narrow(a->launches);
	if (ptx_machine_new(&m, &r.machine, &err) < 0)
		failed(&r, &err);
	if (launches_run(a->launches, m, r.tw, &err) < 0) {
		if (err.code == TR_ERUN && ptx_fault_kind(m) == PTX_FAULT_ADDRESS)
			add_text(&err,
				"; --oob warn goes on after it, --memcheck lists all like it");
		failed(&r, &err);
	}
	tell_findings(&r, m);
	finish(&r);
	launches_write_dumps(a->launches, m);
	ptx_machine_free(m);
	return r.found ? EXIT_FALSE : EXIT_OK;
}

static int run_program(const struct args *a)
{
	const struct ptx_resident resident = PTX_RESIDENT_PROGRAM;

	return program_run(&(struct program){.argv = a->program,
		.common = &a->common,
		.resident = a->resident ? machine_resident(a->resident) : resident,
		.launches = a->only_launches,
		.kernel = a->only_kernel,
		.max_insts = a->max_insts,
		.memory = a->device_memory,
		.level = a->level,
		.sync_reads = !a->no_sync_reads,
		.memcheck = a->memcheck,
		.forgive = a->oob_warn,
		.findings = a->findings});
}

/* What is recorded: a workload, an entry, or the name of a file without its folders. */
static const char *subject(const struct args *a)
{
	const char *name = a->launches ? launches_name(a->launches) : NULL, *slash;

	if (a->workload)
		return a->workload;
	if (!name)
		name = a->run ? *a->program : a->ptx;
	slash = strrchr(name, '/');
	return must_printf("%s", slash ? slash + 1 : name);
}

static int run(const struct args *a)
{
	int status = EXIT_OK;

	if (!a->list && !a->parse_only)
		tool_subject(subject(a));
	if (a->list)
		run_list(a);
	else if (a->parse_only)
		status = parse_only(a->program, &a->common);
	else if (a->run)
		status = run_program(a);
	else if (a->ptx)
		status = run_own(a);
	else
		status = run_workload(a);
	launches_free(a->launches);
	return status;
}

/* ---- arguments ---- */

enum {
	KEY_LIST = 0x2000,
	KEY_SET,
	KEY_SEED,
	KEY_GRAPH,
	KEY_MATRIX,
	KEY_RESIDENT,
	KEY_MAX_INSTS,
	KEY_LEVEL,
	KEY_NO_SYNC_READS,
	KEY_PTX,
	KEY_ENTRY,
	KEY_GRID,
	KEY_BLOCK,
	KEY_CLUSTER,
	KEY_SHARED,
	KEY_ARG,
	KEY_BUFFER,
	KEY_SYMBOL,
	KEY_SCRIPT,
	KEY_OOB,
	KEY_MEMCHECK,
	KEY_DUMP,
	KEY_RUN,
	KEY_PARSE_ONLY,
	KEY_LAUNCHES,
	KEY_KERNEL,
	KEY_DEVICE_MEMORY,
};

static const struct argp_option options[] = {
	{"list", KEY_LIST, NULL, 0, "list the workloads, or the named one, with their parameters",
		1},
	{"set", KEY_SET, "NAME=VALUE,...", 0,
		"set parameters of the workload; K, M and G are understood", 1},
	{"graph", KEY_GRAPH, "FILE", 0,
		"take the graph from a Matrix Market, DIMACS or edge-list file", 1},
	{"matrix", KEY_MATRIX, "FILE", 0, "take the matrix from a Matrix Market file", 1},
	{NULL, 0, NULL, 0, "A kernel of your own:", 2},
	{"ptx", KEY_PTX, "FILE", 0, "take kernels from FILE; several are linked", 2},
	{"entry", KEY_ENTRY, "NAME", 0, "launch this one; another --entry begins the next launch",
		2},
	{"grid", KEY_GRID, "X[,Y[,Z]]", 0, "CTAs of the launch", 2},
	{"block", KEY_BLOCK, "X[,Y[,Z]]", 0, "threads of a CTA", 2},
	{"cluster", KEY_CLUSTER, "X[,Y[,Z]]", 0,
		"CTAs of a cluster (default: what the kernel says, or none)", 2},
	{"shared", KEY_SHARED, "BYTES", 0, "dynamic shared memory of a CTA (default 0)", 2},
	{"arg", KEY_ARG, "SPEC", 0,
		"next argument: u32:N (u8 to u64, s8 to s64), f32:X, f64:X, hex:PARTS or "
		"bytes:PATH for a structure, [NAME=]buf:BYTES[:zero|iota|rand], [NAME=]file:PATH, "
		"[NAME=]ref:PARTS, or @NAME[+OFFSET] for a buffer again; PARTS are hexadecimal "
		"bytes and @NAME[+OFFSET], the address of a buffer, with commas between them",
		2},
	{"buffer", KEY_BUFFER, "NAME=SPEC", 0,
		"a buffer that is no argument: SPEC is buf:, file: or ref: of --arg", 2},
	{"symbol", KEY_SYMBOL, "NAME=SPEC", 0,
		"what a .const or .global variable holds from this launch on: SPEC is u32:N,N,... "
		"(or another type), hex:PARTS or file:PATH",
		2},
	{"script", KEY_SCRIPT, "FILE", 0,
		"launches, copies and loops as FILE has them, instead of the options above", 2},
	{"dump", KEY_DUMP, "BUFFER=FILE", 0, "write a buffer's bytes to FILE at the end", 2},
	{"parse-only", KEY_PARSE_ONLY, NULL, 0,
		"only say of the FILEs of PTX which kernels can be executed, and why not", 2},
	{NULL, 0, NULL, 0, "A program of your own:", 3},
	{"run", KEY_RUN, NULL, 0,
		"run a CUDA program, made by trace-nvcc or by nvcc -cudart shared, and record its "
		"launches; -- ends the options of trace-gen",
		3},
	{"launches", KEY_LAUNCHES, "A[-B]", 0,
		"record these launches, counted from 0, and only execute the others", 3},
	{"kernel", KEY_KERNEL, "NAME", 0, "record launches of this kernel only", 3},
	{"device-memory", KEY_DEVICE_MEMORY, "SIZE", 0, "memory of the device (default 8G)", 3},
	{NULL, 0, NULL, 0, "How it is recorded:", 4},
	{"seed", KEY_SEED, "N", 0, "seed of all random input", 4},
	{"resident", KEY_RESIDENT, "MACHINE|FILE.ini", 0,
		"whose resident CTAs take turns (default ccws; of a program: larger SMs)", 4},
	{"max-insts", KEY_MAX_INSTS, "N", 0,
		"refuse a launch that runs more thread instructions, 0 for no bound", 4},
	{"level", KEY_LEVEL, "N", 0, "zstd's level, 1 to 19", 4},
	{"oob", KEY_OOB, "stop|warn", 0,
		"what a kernel's access out of bounds does: stop the run (default), or read 0 and "
		"be counted",
		4},
	{"memcheck", KEY_MEMCHECK, "FILE", OPTION_ARG_OPTIONAL,
		"go on after accesses out of bounds and misaligned ones, find reads of shared and "
		"global memory that nothing has written and races of shared memory, and list "
		"them in FILE (default on stderr): status 3 if there are any",
		4},
	{"no-sync-reads", KEY_NO_SYNC_READS, NULL, 0,
		"leave out which reads got what another thread of the CTA wrote since the last "
		"barrier",
		4},
	{0},
};

static const struct argp_child children[] = {
	{&format_argp, 0, NULL, 0},
	{&output_argp, 0, NULL, 0},
	{0},
};

static struct launches *own(struct args *a)
{
	if (!a->launches)
		a->launches = launches_new();
	return a->launches;
}

/* Whether an option speaks of a run. */
static bool runs(const struct args *a)
{
	return a->run || a->launches || a->nsets || a->graph || a->matrix || a->resident ||
	       a->memcheck || a->oob_warn || a->no_sync_reads || a->only_launches ||
	       a->only_kernel || a->device_memory || a->seeded;
}

static void check_args(const struct args *a, struct argp_state *state)
{
	if (a->list && runs(a))
		argp_error(state, "--list runs nothing: it goes with a WORKLOAD alone");
	if (a->parse_only) {
		if (!a->program)
			argp_error(state, "--parse-only wants FILE.ptx");
		if (runs(a) || a->list)
			argp_error(state, "--parse-only runs nothing: it goes with FILE.ptx alone");
		return;
	}
	if (a->list || columns_wanted(&a->common))
		return;
	if (a->common.table_option && !a->memcheck)
		argp_error(state, "%s is of --list and --memcheck: what is recorded is a stream",
			a->common.table_option);
	if (a->run) {
		if (!a->program)
			argp_error(state, "--run wants a PROGRAM");
		if (a->ptx || a->launches || a->nsets || a->graph || a->matrix)
			argp_error(state, "--run goes with no WORKLOAD and no --ptx");
		if (a->seeded)
			argp_error(state,
				"--run: a program makes its own input, so --seed would do nothing");
		if (!a->common.output || !strcmp(a->common.output, "-"))
			argp_error(state, "--run wants -o FILE: standard output is the program's");
		return;
	}
	if (a->only_launches || a->only_kernel || a->device_memory)
		argp_error(state, "--launches, --kernel and --device-memory want --run");
	if (!a->workload && !a->ptx)
		argp_error(state, "name a WORKLOAD (--list shows them) or give --ptx FILE");
	if (a->workload && a->ptx)
		argp_error(state, "a WORKLOAD and --ptx do not go together");
	if (a->launches && !a->ptx)
		argp_error(state, "--entry and what belongs to it want --ptx FILE");
	if (a->ptx && (a->nsets || a->graph || a->matrix))
		argp_error(state, "--set, --graph and --matrix belong to a WORKLOAD");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;
	uint32_t first, last;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[1] = &a->common;
		return 0;
	case KEY_LIST:
		a->list = true;
		return 0;
	case KEY_SET:
		for (char *set = strtok(arg, ","); set; set = strtok(NULL, ",")) {
			if (a->nsets == SETS_MAX)
				argp_error(state, "more than %d times --set", SETS_MAX);
			a->sets[a->nsets++] = set;
		}
		return 0;
	case KEY_SEED:
		a->seed = parse_uint(arg, 0, UINT64_MAX, "--seed");
		a->seeded = true;
		return 0;
	case KEY_GRAPH:
		a->graph = arg;
		return 0;
	case KEY_MATRIX:
		a->matrix = arg;
		return 0;
	case KEY_RESIDENT:
		a->resident = arg;
		return 0;
	case KEY_MAX_INSTS:
		a->max_insts = parse_size(arg, "--max-insts");
		return 0;
	case KEY_LEVEL:
		a->level = (int)parse_uint(arg, 1, 19, "--level");
		return 0;
	case KEY_NO_SYNC_READS:
		a->no_sync_reads = true;
		return 0;
	case KEY_PTX:
		if (a->ntexts == TEXTS_MAX)
			die(EXIT_USAGE, "more than %d FILEs of --ptx", TEXTS_MAX);
		a->texts[a->ntexts++] = arg;
		a->ptx = a->texts[0];
		own(a);
		return 0;
	case KEY_ENTRY:
		launches_entry(own(a), arg);
		return 0;
	case KEY_GRID:
		launches_grid(own(a), arg);
		return 0;
	case KEY_BLOCK:
		launches_block(own(a), arg);
		return 0;
	case KEY_CLUSTER:
		launches_cluster(own(a), arg);
		return 0;
	case KEY_SHARED:
		launches_shared(own(a), arg);
		return 0;
	case KEY_ARG:
		launches_arg(own(a), arg);
		return 0;
	case KEY_BUFFER:
		launches_buffer(own(a), arg);
		return 0;
	case KEY_SYMBOL:
		launches_symbol(own(a), arg);
		return 0;
	case KEY_SCRIPT:
		launches_script(own(a), arg);
		return 0;
	case KEY_MEMCHECK:
		a->memcheck = true;
		a->findings = arg;
		return 0;
	case KEY_OOB:
		if (strcmp(arg, "stop") && strcmp(arg, "warn"))
			argp_error(state, "--oob: '%s' is neither stop nor warn", arg);
		a->oob_warn = !strcmp(arg, "warn");
		return 0;
	case KEY_DUMP:
		launches_dump(own(a), arg);
		return 0;
	case KEY_PARSE_ONLY:
		a->parse_only = true;
		return 0;
	case KEY_RUN:
		a->run = true;
		return 0;
	case KEY_LAUNCHES:
		if (!parse_range(arg, &first, &last))
			argp_error(state, "--launches: '%s' is no number and no range such as 3-7",
				arg);
		a->only_launches = arg;
		return 0;
	case KEY_KERNEL:
		if (strchr(arg, ';'))
			die(EXIT_USAGE, "--kernel: '%s' is no kernel's name", arg);
		a->only_kernel = arg;
		return 0;
	case KEY_DEVICE_MEMORY:
		a->device_memory = parse_size(arg, "--device-memory");
		if (!a->device_memory)
			argp_error(state, "--device-memory: a device has more than 0 bytes");
		return 0;
	case ARGP_KEY_ARGS: /* of --run and --parse-only, as the case below leaves them */
		a->program = state->argv + state->next;
		return 0;
	case ARGP_KEY_ARG:
		if (a->run || a->parse_only)
			return ARGP_ERR_UNKNOWN;
		if (state->arg_num)
			argp_error(state, "more than one WORKLOAD");
		a->workload = arg;
		return 0;
	case ARGP_KEY_END:
		check_args(a, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The defaults in --help are those of the struct. */
static char *with_default(int key, const char *text, void *input)
{
	const struct args *a = input;
	const struct {
		int key;
		uint64_t value;
	} defaults[] = {
		{KEY_SEED, a->seed},
		{KEY_MAX_INSTS, a->max_insts},
		{KEY_LEVEL, (uint64_t)a->level},
	};

	for (size_t i = 0; text && i < sizeof(defaults) / sizeof(defaults[0]); i++)
		if (key == defaults[i].key)
			return must_printf("%s (default %" PRIu64 ")", text, defaults[i].value);
	return (char *)text;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "WORKLOAD\n--ptx FILE --entry NAME --grid X --block X ...\n"
			    "--run -o FILE [--] PROGRAM [ARG...]\n"
			    "--parse-only FILE.ptx...\n"
			    "--list [WORKLOAD]",
		.doc = "Runs a GPU kernel on the CPU and writes what each of its threads did: the "
		       "way "
		       "it took at every branch, and every address. A workload's output is checked "
		       "against a plain computation first, and a trace of a wrong run is refused.",
		.children = children,
		.help_filter = with_default,
	};
	struct args args = {
		.common = COMMON_DEFAULTS,
		.seed = 1,
		.max_insts = MAX_INSTS_DEFAULT,
		.level = TR_LEVEL_DEFAULT,
	};

	tool_start("trace-gen", argc, argv);
	tool_args(&argp, argc, argv, &args);
	const struct column_table tables[] = {list_table, parse_only_table, findings_table};
	if (columns_helped(&args.common, tables, 3))
		return EXIT_OK;
	return run(&args);
}
