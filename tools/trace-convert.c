/*
 * trace-convert: traces recorded elsewhere become ours, and ours become what other tools read
 */
#include "libtrace/stream_format.h"
#include "libtrace/temp.h"
#include "sim/convert/convert.h"
#include "tools/columns.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LIST_NAME "kernelslist.g"

struct args {
	struct common common;
	const struct cv_format *from, *to;
	bool list, columns;
	uint32_t line_bytes, accel_version, binary_version, sm;
	bool line_given, grammar_given;
	const char *file, *listing;
};

/* ---- what can be converted ---- */

static void list_formats(FILE *f, const char *indent)
{
	for (unsigned i = 0; cv_format_at(i); i++) {
		const struct cv_format *x = cv_format_at(i);

		fprintf(f, "%s%-10s %-9s %-9s %s\n", indent, x->name,
			!x->emit     ? "from"
			: !x->import ? "to"
				     : "from, to",
			x->kind == TR_KIND_THREADS ? "threads" : "accesses", x->summary);
	}
}

static void run_list(const struct args *a)
{
	struct output o;

	output_open(&o, a->common.output, false);
	list_formats(o.f, "");
	output_close(&o);
}

static void say_notes(const struct args *a, const struct cv_report *r)
{
	for (unsigned i = 0; !a->common.quiet && i < r->n; i++)
		warn("%" PRIu64 " %s", r->notes[i].count, r->notes[i].text);
}

static struct cv_options options_of(const struct args *a, const char *provenance)
{
	return (struct cv_options){
		.provenance = provenance,
		.line_bytes = a->line_bytes,
		.accel_version = a->accel_version,
		.binary_version = a->binary_version,
		.sm = a->sm,
		.part = &a->common.part,
		.lines = !a->common.quiet,
	};
}

/* ---- theirs become ours ---- */

/* The folder that a file is in, with its slash. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return must_printf("%.*s", slash ? (int)(slash - path + 1) : 0, path);
}

/*
 * The name is out of a file, perhaps a stranger's: it leads to no other folder, and not to a pipe
 * or a device, where opening alone may wait or do something.
 */
static FILE *open_beside(void *arg, const char *name, struct tr_err *err)
{
	char *path = must_printf("%s%s", (const char *)arg, name);
	FILE *f = NULL;

	if (strchr(name, '/'))
		tr_fail(err, TR_EDATA, 0, "cannot open '%s': it is not beside the list", name);
	else if (is_special(path))
		tr_fail(err, TR_EDATA, 0, "cannot open '%s': it is no regular file", path);
	else if (!(f = input_beside(path)))
		tr_fail(err, TR_EIO, 0, "cannot open '%s': %s", path, strerror(errno));
	free(path);
	return f;
}

/* Is it the name of a list, perhaps of one context? */
static bool is_list(const char *name)
{
	const size_t n = strlen(name);

	return !strncmp(name, "kernelslist", 11) && !strcmp(name + n - 2, ".g");
}

/* A folder stands for the one list in it. */
static char *list_in(const char *folder)
{
	DIR *d = opendir(folder);
	char *found = NULL;
	const struct dirent *e;

	if (!d)
		die(EXIT_BAD, "cannot open '%s': %s", folder, strerror(errno));
	while ((e = readdir(d))) {
		if (!is_list(e->d_name))
			continue;
		if (found)
			die(EXIT_USAGE, "'%s' has a list for each of several contexts: name one",
				folder);
		found = must_printf("%s/%s", folder, e->d_name);
	}
	closedir(d);
	if (!found)
		die(EXIT_BAD, "there is no " LIST_NAME " in '%s'", folder);
	return found;
}

/* A copy of f that can be rewound. */
static FILE *spool(FILE *f, const char *name)
{
	struct tr_err err = {0};
	FILE *copy;
	char piece[1 << 16];
	size_t n;

	if (tr_temp_open(&copy, &err) < 0)
		die_err(&err, NULL);
	while ((n = fread(piece, 1, sizeof(piece), f)))
		if (fwrite(piece, 1, n, copy) != n) {
			tr_temp_failed(&err);
			die_err(&err, NULL);
		}
	if (ferror(f))
		die(EXIT_BAD, "cannot read %s: %s", name, strerror(errno));
	if (fflush(copy) || fseek(copy, 0, SEEK_SET)) {
		tr_temp_failed(&err);
		die_err(&err, NULL);
	}
	return copy;
}

static bool is_ours(FILE *f)
{
	char magic[TR_MAGIC_BYTES];
	const bool ours = fread(magic, 1, sizeof(magic), f) == sizeof(magic) &&
			  !memcmp(magic, TR_MAGIC, sizeof(magic));

	rewind(f);
	return ours;
}

static void run_import(const struct args *a)
{
	const bool piped = !a->file || !strcmp(a->file, "-");
	struct tr_err err = {0};
	struct cv_report report = {.n = 0};
	const struct cv_format *from = a->from;
	struct stat st;
	struct output out;
	char *provenance = provenance_with(&a->common, NULL), *path, *folder, *name;
	struct cv_options options = options_of(a, provenance);
	FILE *in;

	path = piped                                        ? NULL
	       : !stat(a->file, &st) && S_ISDIR(st.st_mode) ? list_in(a->file)
							    : must_printf("%s", a->file);
	folder = path ? folder_of(path) : NULL;
	/* A list may begin with a line that nobody knows. */
	if (!from && path && is_list(path + strlen(folder)))
		from = cv_format_find("accel-sim");
	in = input_open(path, &name);
	if (fseek(in, 0, SEEK_CUR))
		in = spool(in, name);
	if (!from)
		from = cv_sniff(in);
	if (!from && is_ours(in))
		die(EXIT_BAD, "%s is a stream of ours: say with --to what it is to become", name);
	if (!from)
		die(EXIT_BAD, "cannot tell the format of %s: name it with --from", name);
	if (a->line_given && from->kind == TR_KIND_THREADS)
		die(EXIT_USAGE, "--line does not go with --from %s: threads have no lines",
			from->name);
	if (a->listing && strcmp(from->name, "accel-sim"))
		die(EXIT_USAGE, "--listing does not go with --from %s", from->name);
	options.listing_name = a->listing;
	options.listing = a->listing ? input_beside(a->listing) : NULL;
	if (a->listing && !options.listing)
		die(EXIT_BAD, "cannot open '%s': %s", a->listing, strerror(errno));
	output_open(&out, a->common.output, true);
	if (from->import(&(struct cv_input){.f = in,
				 .name = path ? path : name,
				 .open = path ? open_beside : NULL,
				 .arg = folder},
		    out.f, &options, &report, &err) < 0)
		output_die(&out, &err, NULL);
	output_close(&out);
	say_notes(a, &report);
	if (options.listing)
		fclose(options.listing);
	if (in != stdin)
		fclose(in);
	free(provenance);
	free(folder);
	free(path);
	free(name);
}

/* ---- ours become theirs ---- */

static FILE *create(void *arg, const char *name, struct tr_err *err)
{
	(void)arg;
	return folder_create(name, err);
}

static int finish(void *arg, FILE *f, struct tr_err *err)
{
	(void)arg;
	return folder_finish(f, err);
}

static void run_export(const struct args *a)
{
	char *provenance = provenance_with(&a->common, NULL);
	const struct cv_options options = options_of(a, provenance);
	struct tr_err err = {0};
	struct cv_report report = {.n = 0};
	struct cv_output sink = {.create = create, .finish = finish};
	struct output out = {.f = NULL};
	char *name, *what;
	FILE *in = input_open(a->file, &name);

	if (a->to->folder) {
		folder_open(a->common.output);
	} else {
		output_open(&out, a->common.output, false);
		sink.f = out.f;
	}
	if (a->to->emit(in, &sink, &options, &report, &err) < 0) {
		if (err.code == TR_EKIND && a->to->kind == TR_KIND_ACCESSES)
			die(EXIT_BAD,
				"cannot convert %s: this is a thread trace: put trace-coalesce "
				"before trace-convert --to %s",
				name, a->to->name);
		what = must_printf("cannot convert %s", name);
		if (a->to->folder)
			folder_die(&err, what);
		output_die(&out, &err, what);
	}
	if (a->to->folder)
		folder_close();
	else
		output_close(&out);
	say_notes(a, &report);
	if (in != stdin)
		fclose(in);
	free(provenance);
	free(name);
}

/* The columns of `text` are those of its header, which the format writes itself. */
static void run_columns(const struct args *a)
{
	static const struct column columns[] = {{"launch", SEEN}, {"sm", SEEN}, {"cta", SEEN},
		{"warp", SEEN}, {"pc", SEEN}, {"space", SEEN}, {"op", SEEN}, {"address", SEEN},
		{"lanes", SEEN}, {"active", SEEN}, {"bytes", SEEN}, {"sectors", SEEN},
		{"first", SEEN}, {"loop", SEEN}, {"trip", SEEN}, {"warp_insts", SEEN},
		{"thread_insts", SEEN}, {"result", SEEN}, {"opcode", SEEN}};
	static const struct column_table table = {
		"--to text", columns, sizeof(columns) / sizeof(columns[0])};
	struct common common = a->common;

	common.columns = "help";
	columns_helped(&common, &table, 1);
}

static void run(const struct args *a)
{
	if (a->columns) {
		run_columns(a);
		return;
	}
	if (a->list)
		run_list(a);
	else if (a->to)
		run_export(a);
	else
		run_import(a);
}

/* ---- arguments ---- */

enum {
	KEY_FROM = 0x2000,
	KEY_TO,
	KEY_LINE,
	KEY_SM,
	KEY_ACCEL,
	KEY_BINARY,
	KEY_COLUMNS,
	KEY_LISTING
};

static const struct argp_option options[] = {
	{"from", KEY_FROM, "FORMAT", 0, "what PATH is, if it does not show; help lists the formats",
		1},
	{"to", KEY_TO, "FORMAT", 0, "what the stream in FILE is to become; help lists the formats",
		1},
	{"line", KEY_LINE, "BYTES", 0, "size of the cache lines that addresses fall in", 2},
	{"sm", KEY_SM, "N", 0,
		"write the accesses of this SM; din and ccws hold those of one (default: all)", 2},
	{"accel-version", KEY_ACCEL, "3|5", 0, "accel-sim: version of the grammar that is written",
		2},
	{"binary-version", KEY_BINARY, "SM", 0,
		"accel-sim: write opcodes of this machine: 35, 60, 61, 70, 75, 80, 86 or 90", 2},
	{"listing", KEY_LISTING, "FILE", 0,
		"accel-sim: the kernels' SASS with its encoding, of cuobjdump -sass or nvdisasm "
		"-hex: its operands and control bits go into the stream",
		2},
	{"columns", KEY_COLUMNS, "help", 0, "what the columns of --to text are", 3},
	{0},
};

static const struct argp_child children[] = {
	{&part_argp, 0, NULL, 0},
	{&output_argp, 0, NULL, 0},
	{0},
};

static const struct cv_format *format_named(
	struct args *a, const char *name, bool to, struct argp_state *state)
{
	const char *names[64] = {NULL}, *like;
	unsigned n = 0;

	if (!strcmp(name, "help")) {
		a->list = true;
		return NULL;
	}
	for (unsigned i = 0; cv_format_at(i) && n < 63; i++) {
		const struct cv_format *x = cv_format_at(i);

		if (to ? !x->emit : !x->import)
			continue;
		if (!strcmp(x->name, name))
			return x;
		names[n++] = x->name;
	}
	like = nearest(name, names);
	argp_error(state, "unknown format '%s'%s%s%s: --%s=help lists them", name,
		like ? ", did you mean '" : "", like ? like : "", like ? "'?" : "",
		to ? "to" : "from");
	return NULL;
}

static uint32_t one_of(const char *arg, const uint32_t *list, const char *what)
{
	const uint32_t v = (uint32_t)parse_uint(arg, 0, 1000, what);

	for (; *list; list++)
		if (*list == v)
			return v;
	die(EXIT_USAGE, "%s: there is no version %s", what, arg);
}

static void check_args(const struct args *a, struct argp_state *state)
{
	const struct tr_part all = TR_PART_ALL;

	if (a->list || a->columns)
		return;
	if (a->from && a->to)
		argp_error(state, "--from and --to do not go together");
	if (!a->to && (a->sm != UINT32_MAX || memcmp(&a->common.part, &all, sizeof(all))))
		argp_error(state, "--launch, --cta, --max-insts and --sm go with --to");
	if (a->grammar_given && !(a->to && a->to->folder))
		argp_error(state, "--accel-version and --binary-version go with --to accel-sim");
	if (a->to && a->to->kind == TR_KIND_THREADS && a->sm != UINT32_MAX)
		argp_error(state, "--sm does not go with --to %s: its threads are on no SM yet",
			a->to->name);
	if (a->to && (a->line_given || a->listing))
		argp_error(
			state, "%s does not go with --to", a->line_given ? "--line" : "--listing");
	if (a->to && a->to->folder && (!a->common.output || !strcmp(a->common.output, "-")))
		argp_error(state, "--to %s writes a folder: name it with -o", a->to->name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const uint32_t grammars[] = {3, 5, 0};
	static const uint32_t machines[] = {35, 60, 61, 70, 75, 80, 86, 90, 0};
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[1] = &a->common;
		return 0;
	case KEY_FROM:
		a->from = format_named(a, arg, false, state);
		return 0;
	case KEY_TO:
		a->to = format_named(a, arg, true, state);
		return 0;
	case KEY_LINE:
		a->line_bytes = (uint32_t)parse_uint(arg, 32, 1024, "--line");
		a->line_given = true;
		if (a->line_bytes & (a->line_bytes - 1))
			argp_error(state, "--line: %s is no power of two", arg);
		return 0;
	case KEY_SM:
		a->sm = (uint32_t)parse_uint(arg, 0, 65535, "--sm");
		return 0;
	case KEY_ACCEL:
		a->accel_version = one_of(arg, grammars, "--accel-version");
		a->grammar_given = true;
		return 0;
	case KEY_BINARY:
		a->binary_version = one_of(arg, machines, "--binary-version");
		a->grammar_given = true;
		return 0;
	case KEY_LISTING:
		a->listing = arg;
		return 0;
	case KEY_COLUMNS:
		if (strcmp(arg, "help") != 0)
			argp_error(state, "--columns takes help alone: a text has all its columns");
		a->columns = true;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num)
			argp_error(state, "more than one PATH");
		a->file = arg;
		return 0;
	case ARGP_KEY_END:
		check_args(a, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The end of --help, with the formats. */
static char *with_formats(const char *text)
{
	char *all;
	FILE *f = text_start(&all);

	fprintf(f, "%s\n\nFormats:\n", text);
	list_formats(f, "  ");
	text_end(f, &all);
	return all;
}

/* The defaults in --help are those of the struct. */
static char *with_default(int key, const char *text, void *input)
{
	const struct args *a = input;
	const struct {
		int key;
		uint32_t value;
	} defaults[] = {
		{KEY_LINE, a->line_bytes},
		{KEY_ACCEL, a->accel_version},
		{KEY_BINARY, a->binary_version},
	};

	if (key == ARGP_KEY_HELP_POST_DOC && text)
		return with_formats(text);
	for (size_t i = 0; text && i < sizeof(defaults) / sizeof(defaults[0]); i++)
		if (key == defaults[i].key)
			return must_printf("%s (default %" PRIu32 ")", text, defaults[i].value);
	return (char *)text;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[--from FORMAT] [PATH]\n--to FORMAT [FILE]",
		.doc = "Turns traces of other tools into streams of this one, and back. Without "
		       "--to, "
		       "PATH is a trace in a format of others: recorded kernels become a thread "
		       "trace, lists of addresses an access stream. With --to, FILE is a stream of "
		       "ours. PATH may be a folder with a " LIST_NAME
		       " in it. Text may be compressed "
		       "with xz or zstd. Without PATH or FILE, or for -, reads standard input."
		       "\vWhat could not be kept is counted on standard error (-q: not), and so "
		       "are "
		       "the lines of a recorded warp that a replay issues together. din and "
		       "ccws are for one cache: they get the loads and stores of one SM to global "
		       "and local memory, and atomics as stores. Where a list of addresses does "
		       "not say how many instructions were executed, each access counts as one.",
		.children = children,
		.help_filter = with_default,
	};
	const struct cv_options defaults = CV_OPTIONS_DEFAULTS;
	struct args args = {
		.common = COMMON_DEFAULTS,
		.line_bytes = defaults.line_bytes,
		.accel_version = defaults.accel_version,
		.binary_version = defaults.binary_version,
		.sm = defaults.sm,
	};

	tool_start("trace-convert", argc, argv);
	tool_args(&argp, argc, argv, &args);
	run(&args);
	return EXIT_OK;
}
