/*
 * What all tools share; see common.h. Here is what touches the process: arguments, sentences, the
 * end.
 */
#include "tools/common.h"
#include "sim/base/spec.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

const char *argp_program_version;

static const char *tool_name = "warptrace";
static bool dying; /* a sentence about the failure is out */

/* ---- the bound on memory ---- */

/*
 * A sanitizer's own tables are larger than any bound, so that its builds have none: they find what
 * is wrong with memory, not how much of it is taken.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MAY_BOUND_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                         \
	__has_feature(thread_sanitizer)
#define MAY_BOUND_MEMORY 0
#endif
#endif
#ifndef MAY_BOUND_MEMORY
#define MAY_BOUND_MEMORY 1
#endif

static uint64_t memory_bound; /* bytes, 0: none */

/*
 * All that a process takes for itself counts, whoever asks for it: the next allocation fails, and
 * what failed says so. (Linux counts what malloc takes from mmap since 4.7.)
 */
static void bound_memory(uint64_t bytes)
{
	struct rlimit r;

	if (!MAY_BOUND_MEMORY || getrlimit(RLIMIT_DATA, &r))
		return;
	r.rlim_cur = bytes < r.rlim_max ? (rlim_t)bytes : r.rlim_max;
	if (!setrlimit(RLIMIT_DATA, &r))
		memory_bound = bytes;
}

void bound_memory_unless(const struct common *c, uint64_t bytes)
{
	if (!c->max_memory && bytes < memory_bound)
		bound_memory(bytes);
}

static uint64_t quarter_of_machine(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 ? (uint64_t)pages / 4 * (uint64_t)page : UINT64_MAX;
}

/* What ends a sentence about memory that there was not. */
static const char *memory_hint(void)
{
	static char text[64];

	if (memory_bound && memory_bound != UINT64_MAX)
		snprintf(text, sizeof(text), "; --max-memory is %" PRIu64 " MiB",
			memory_bound >> 20);
	return text;
}

/* ---- sentences ---- */

static struct {
	const char *path;
	unsigned line;
} place; /* path NULL: none */

void error_place(const char *path, unsigned line)
{
	place.path = path;
	place.line = line;
}

static void say(const char *fmt, va_list ap)
{
	fprintf(stderr, "%s: ", tool_name);
	if (place.path)
		fprintf(stderr, "%s:%u: ", place.path, place.line);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

/* A pipe whose reader went away is no error of ours, even where SIGPIPE is ignored. */
static bool reader_gone(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&p, 1, 0) > 0 && (p.revents & POLLERR);
}

void die(enum exit_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	dying = true;
	if (code == EXIT_USAGE)
		outputs_forget();
	exit(code);
}

void die_err(const struct tr_err *err, const char *what)
{
	if (err->code == TR_EIO && reader_gone())
		exit(EXIT_BAD);
	if (err->code == TR_ESAID)
		exit(EXIT_BAD);
	die(err->code == TR_EUSAGE ? EXIT_USAGE : EXIT_BAD, "%s%s%s%s", what ? what : "",
		what ? ": " : "", err->msg, err->code == TR_EMEM ? memory_hint() : "");
}

void die_memory(const char *what)
{
	die(EXIT_BAD, "no memory%s%s%s", what ? " for " : "", what ? what : "", memory_hint());
}

/* ---- memory ---- */

void *must_alloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p)
		die_memory(NULL);
	return p;
}

void *must_realloc(void *old, size_t count, size_t size)
{
	void *p = realloc(old, count * size);

	if (!p)
		die_memory(NULL);
	return p;
}

char *must_printf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	/* Not vasprintf: where its memory cannot grow, glibc 2.36 may write a byte beyond it. */
	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	s = n < 0 ? NULL : malloc((size_t)n + 1);
	if (!s)
		die_memory(NULL);
	va_start(ap, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

FILE *text_start(char **text)
{
	static size_t len;
	FILE *f = open_memstream(text, &len);

	if (!f)
		die_memory(NULL);
	return f;
}

void text_end(FILE *f, char **text)
{
	if (ferror(f) | fclose(f) || !*text) /* it may be gone without an error */
		die_memory(NULL);
}

size_t character(const char *text, size_t n)
{
	/* RFC 3629, section 4: what may follow the first byte. */
	static const struct {
		unsigned char from, to, second, last;
		size_t bytes;
	} forms[] = {{0x01, 0x7f, 0, 0, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4}};
	const size_t nforms = sizeof(forms) / sizeof(forms[0]);
	const unsigned char *p = (const unsigned char *)text;
	size_t k = 0, more = 2;

	while (k < nforms && !(n && forms[k].from <= *p && *p <= forms[k].to))
		k++;
	if (k == nforms || forms[k].bytes > n)
		return 0;
	if (forms[k].bytes > 1 && (p[1] < forms[k].second || p[1] > forms[k].last))
		return 0;
	while (more < forms[k].bytes && p[more] >> 6 == 2)
		more++;
	return more >= forms[k].bytes ? forms[k].bytes : 0;
}

/* Of Unicode's C0 and C1, and a byte that is one of them to a terminal without UTF-8. */
static bool is_control(const char *text, size_t bytes)
{
	const unsigned char *p = (const unsigned char *)text;

	if (!bytes)
		return *p < 0xa0;
	return *p < ' ' || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0);
}

void put_blanked(FILE *f, const char *text, size_t n, const char *but)
{
	for (size_t bytes; n; text += bytes, n -= bytes) {
		const size_t known = character(text, n);

		bytes = known ? known : 1;
		if (is_control(text, known) && !strchr(but, *text))
			fputc(' ', f);
		else
			fwrite(text, 1, bytes, f);
	}
}

void put_json(FILE *f, const char *text, size_t n)
{
	fputc('"', f);
	for (size_t bytes; n; text += bytes, n -= bytes) {
		const size_t known = character(text, n);
		const unsigned char last = (unsigned char)text[known ? known - 1 : 0];

		bytes = known ? known : 1;
		if (!known && last)
			fputs("\\ufffd", f);
		else if (is_control(text, known))
			fprintf(f, "\\u%04x", last); /* of C1 it is the number as well */
		else if (*text == '"' || *text == '\\')
			fprintf(f, "\\%c", *text);
		else
			fwrite(text, 1, bytes, f);
	}
	fputc('"', f);
}

size_t text_width(const char *text)
{
	size_t width = 0;

	for (size_t n = strlen(text), bytes; n; text += bytes, n -= bytes, width++) {
		bytes = character(text, n);
		bytes += !bytes;
	}
	return width;
}

void fit_text(char *out, size_t size, const char *text)
{
	const size_t len = strlen(text);

	if (len < size) {
		memcpy(out, text, len + 1);
		return;
	}
	memcpy(out, text, size - 4);
	memcpy(out + size - 4, "...", 4);
}

/* ---- start and end ---- */

static void check_stdout(void)
{
	bool failed, quiet;

	outputs_end();
	failed = ferror(stdout);
	quiet = dying || reader_gone();
	errno = 0;
	if ((fclose(stdout) || failed) && errno != EBADF) {
		if (errno != EPIPE && !quiet)
			warn("cannot write standard output: %s", strerror(errno ? errno : EIO));
		_exit(EXIT_BAD);
	}
}

/* Does arg say something about this run only, and nothing about what is in the stream? */
static int words_of_run(const char *arg)
{
	const size_t len = strcspn(arg, "=");

	if (!strcmp(arg, "-o"))
		return 2;
	if ((len > 3 && !strncmp(arg, "--output", len)) ||
		(len > 6 && !strncmp(arg, "--max-memory", len)))
		return arg[len] ? 1 : 2;
	return !strncmp(arg, "-o", 2) || !strcmp(arg, "-q") || !strcmp(arg, "-v") ||
	       !strcmp(arg, "--quiet") || !strcmp(arg, "--verbose");
}

/* " arg", so that a shell reads it back as one word, on one line; caller frees. */
static char *quoted(const char *arg)
{
	const char plain[] = "-_=:,./@%+";
	bool quote = !*arg;
	char *word;
	FILE *f = text_start(&word);

	for (const char *p = arg; *p; p++)
		quote |= !isalnum((unsigned char)*p) && !strchr(plain, *p);
	fputs(quote ? " '" : " ", f);
	for (const char *p = arg; *p; p++)
		if (*p == '\'')
			fputs("'\\''", f);
		else
			fputc((unsigned char)*p < ' ' ? '?' : *p, f);
	if (quote)
		fputc('\'', f);
	text_end(f, &word);
	return word;
}

/* Of the command line, for the provenance: parsers cut what they are given. */
struct word {
	const char *given;
	char *quoted;
};
static struct word *words;
static unsigned nwords;
static const char *subject;

void tool_subject(const char *name)
{
	subject = name;
}

char *provenance_with(const struct common *c, const char *before)
{
	char *text;
	FILE *f;

	if (c->no_provenance)
		return NULL;
	f = text_start(&text);
	fprintf(f, "%s%s " WARPTRACE_VERSION, before ? before : "", tool_name);
	for (const char *p = subject ? subject : ""; *p; p++) {
		if (p == subject)
			fputc(' ', f);
		fputc((unsigned char)*p <= ' ' || (p == subject && *p == '-') ? '_' : *p, f);
	}
	for (unsigned i = 0; i < nwords; i++)
		if (words[i].given != subject)
			fputs(words[i].quoted, f);
	fputc('\n', f);
	text_end(f, &text);
	return text;
}

void tool_start(const char *name, int argc, char **argv)
{
	static char version[64], help[1 << 16];

	tool_name = name;
	snprintf(version, sizeof(version), "%s (warptrace) " WARPTRACE_VERSION, name);
	argp_program_version = version;
	argp_err_exit_status = EXIT_USAGE;
	words = must_alloc((size_t)argc, sizeof(*words));
	for (int i = 1; i < argc; i++) {
		const int skip = words_of_run(argv[i]);

		if (skip)
			i += skip - 1;
		else
			words[nwords++] = (struct word){argv[i], quoted(argv[i])};
	}

	/* For --help and --version: nothing is sent before the last check, which has the reason. */
	setvbuf(stdout, help, _IOFBF, sizeof(help));
	bound_memory(quarter_of_machine());
	files_start();
	atexit(check_stdout);
}

const char *tool_called(void)
{
	return tool_name;
}

/* ---- long options that there are not ---- */

#define OPTIONS_MAX 256

struct option_list {
	const struct argp_option *option[OPTIONS_MAX];
	const char *name[OPTIONS_MAX + 1]; /* of those with a long name, and NULL */
	unsigned n, named;
};

static void list_options(struct option_list *l, const struct argp *argp)
{
	for (const struct argp_option *o = argp->options;
		o && (o->name || o->key || o->doc || o->group || o->flags); o++) {
		if (l->n == OPTIONS_MAX)
			return;
		l->option[l->n++] = o;
		if (o->name)
			l->name[l->named++] = o->name;
	}
	for (const struct argp_child *c = argp->children; c && c->argp; c++)
		list_options(l, c->argp);
}

/* The long option that a word before any '=' abbreviates, or NULL. */
static const struct argp_option *long_option(const struct option_list *l, const char *word)
{
	const size_t len = strcspn(word, "=");
	const struct argp_option *found = NULL;

	for (unsigned i = 0; i < l->n; i++) {
		const char *name = l->option[i]->name;

		if (name && !strncmp(name, word, len) && (!found || !name[len]))
			found = l->option[i];
	}
	return found;
}

static bool takes_next(const struct argp_option *o)
{
	return o->arg && !(o->flags & OPTION_ARG_OPTIONAL);
}

/* Does the last of a word of short options take the next word as its argument? */
static bool short_takes_next(const struct option_list *l, const char *word)
{
	for (; *word; word++)
		for (unsigned i = 0; i < l->n; i++)
			if (l->option[i]->key == *word && l->option[i]->arg)
				return takes_next(l->option[i]) && !word[1];
	return false;
}

/* getopt says that an option is unknown; this also says which one may be meant. */
static void check_long_options(const struct argp *argp, int argc, char **argv)
{
	static const struct argp_option own[] = {
		{.name = "help"}, {.name = "usage"}, {.name = "version"}, {0}};
	const struct argp all[] = {{.options = own}};
	struct option_list l = {.n = 0};

	list_options(&l, argp);
	list_options(&l, all);
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *word = argv[i] + 2, *like;
		const struct argp_option *o;
		char *name;

		if (strncmp(argv[i], "--", 2) != 0) {
			i += *argv[i] == '-' && short_takes_next(&l, argv[i] + 1);
			continue;
		}
		o = long_option(&l, word);
		if (o) {
			i += takes_next(o) && !strchr(word, '=');
			continue;
		}
		name = must_printf("%.*s", (int)strcspn(word, "="), word);
		like = nearest(name, l.name);
		die(EXIT_USAGE, "there is no option '--%s'%s%s%s: --help lists them", name,
			like ? ", did you mean '--" : "", like ? like : "", like ? "'?" : "");
	}
}

void tool_args(const struct argp *argp, int argc, char **argv, void *input)
{
	error_t bad;

	check_long_options(argp, argc, argv);
	bad = argp_parse(argp, argc, argv, 0, NULL, input);
	if (bad == ENOMEM)
		die_memory(NULL);
	if (bad)
		die(EXIT_USAGE, "cannot understand the options: %s", strerror(bad));
}

/* ---- shared options ---- */

enum {
	KEY_NO_PROVENANCE = 0x1000,
	KEY_MAX_MEMORY,
	KEY_FORMAT,
	KEY_COLUMNS,
	KEY_SORT,
	KEY_TOP,
	KEY_NO_HEADER,
	KEY_VERTICAL,
	KEY_LAUNCH,
	KEY_CTA,
	KEY_MAX_INSTS,
};

static error_t parse_output(int key, char *arg, struct argp_state *state)
{
	struct common *c = state->input;
	uint64_t bytes;

	switch (key) {
	case 'o':
		c->output = arg;
		return 0;
	case 'q':
		c->quiet = true;
		return 0;
	case 'v':
		c->verbose = true;
		return 0;
	case KEY_NO_PROVENANCE:
		c->no_provenance = true;
		return 0;
	case KEY_MAX_MEMORY:
		bytes = parse_size(arg, "--max-memory");
		c->max_memory = bytes ? bytes : UINT64_MAX;
		bound_memory(c->max_memory);
		return 0;
	case ARGP_KEY_END:
		if (c->quiet && c->verbose)
			argp_error(state, "--quiet and --verbose do not go together");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

bool remarks(const struct common *c)
{
	return !c->quiet && (c->verbose || isatty(STDERR_FILENO));
}

void files_add(struct common *c, const char *file)
{
	static const char **files; /* as long as the program runs, wherever it ends */

	files = must_realloc(files, c->nfiles + (size_t)1, sizeof(*files));
	files[c->nfiles++] = file;
	c->files = files;
}

/* Is the column `record` asked for, which a table of one FILE does not have by itself? */
static bool record_wanted(const struct common *c)
{
	const char *at = c->columns;

	while (at && (strncmp(at, "record", 6) != 0 || (at[6] && at[6] != ','))) {
		at = strchr(at, ',');
		at += at != NULL;
	}
	return at || (c->sort && !strcmp(c->sort, "record"));
}

bool files_next(struct common *c, const char **file)
{
	if (!c->at_file)
		c->all_output = c->output;
	*file = c->nfiles ? c->files[c->at_file < c->nfiles ? c->at_file : 0] : NULL;
	if (c->nfiles == 1 && strcmp(*file, "-") != 0 && record_wanted(c))
		c->record = *file;
	if (c->nfiles < 2)
		return !c->at_file++;
	if (c->at_file == c->nfiles)
		return false;
	if (!strcmp(*file, "-"))
		die(EXIT_USAGE, "'-' is one of several FILEs, and standard input has no name");
	c->record = *file;
	c->more = ++c->at_file < c->nfiles;
	c->output = c->more ? NULL : c->all_output;
	return true;
}

bool columns_wanted(const struct common *c)
{
	return c->columns && !strcmp(c->columns, "help");
}

static error_t parse_format_name(struct common *c, const char *arg, struct argp_state *state)
{
	static const char *const names[] = {"human", "tsv", "json", NULL};

	for (int i = 0; names[i]; i++)
		if (!strcmp(arg, names[i])) {
			c->format = (enum format)i;
			return 0;
		}
	argp_error(state, "unknown format '%s': human, tsv or json", arg);
	return EINVAL;
}

/* What is of rows and columns has no place in JSON. */
static void check_shape(const struct common *c, struct argp_state *state)
{
	if (c->format == FORMAT_JSON && (c->no_header || c->vertical))
		argp_error(state, "%s is not of JSON, where each row is an object",
			c->no_header ? "--no-header" : "--vertical");
}

static error_t parse_format(int key, char *arg, struct argp_state *state)
{
	struct common *c = state->input;
	const char *option;

	switch (key) {
	case KEY_FORMAT:
		option = "--format";
		parse_format_name(c, arg, state);
		break;
	case KEY_COLUMNS:
		option = "--columns";
		c->columns = arg;
		break;
	case KEY_SORT:
		option = "--sort";
		c->sort = arg;
		break;
	case KEY_TOP:
		option = "--top";
		c->top = parse_uint(arg, 1, UINT64_MAX, option);
		break;
	case KEY_NO_HEADER:
		option = "--no-header";
		c->no_header = true;
		break;
	case KEY_VERTICAL:
		option = "--vertical";
		c->vertical = true;
		break;
	case ARGP_KEY_END:
		check_shape(c, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (!c->table_option)
		c->table_option = option;
	c->shaped |= key != KEY_FORMAT;
	return 0;
}

bool parse_range(const char *text, uint32_t *first, uint32_t *last)
{
	char *end;
	unsigned long long a, b;

	errno = 0;
	a = b = strtoull(text, &end, 10);
	if (end != text && *end == '-') {
		text = end + 1;
		b = strtoull(text, &end, 10);
	}
	if (errno || end == text || *end || !isdigit((unsigned char)*text) || a > b ||
		b >= UINT32_MAX)
		return false;
	*first = (uint32_t)a;
	*last = (uint32_t)b;
	return true;
}

void part_launches(struct common *c, const char *text, struct argp_state *state)
{
	if (!parse_range(text, &c->part.launch_first, &c->part.launch_last))
		argp_error(state, "'%s' is no number and no range such as 3-7", text);
}

static error_t parse_part(int key, char *arg, struct argp_state *state)
{
	struct common *c = state->input;

	if (key == KEY_MAX_INSTS) {
		c->part.max_insts = parse_size(arg, "--max-insts");
		return 0;
	}
	if (key != KEY_LAUNCH && key != KEY_CTA)
		return ARGP_ERR_UNKNOWN;
	if (key == KEY_LAUNCH ? parse_range(arg, &c->part.launch_first, &c->part.launch_last)
			      : parse_range(arg, &c->part.cta_first, &c->part.cta_last))
		return 0;
	argp_error(state, "'%s' is no number and no range such as 3-7", arg);
	return EINVAL;
}

static const struct argp_option output_options[] = {
	{"output", 'o', "FILE", 0, "write to FILE (default standard output)", 10},
	{"quiet", 'q', NULL, 0, "no progress and no remarks", 10},
	{"verbose", 'v', NULL, 0, "remarks, also where standard error is no terminal", 10},
	{"no-provenance", KEY_NO_PROVENANCE, NULL, 0, "leave out what made the stream", 10},
	{"max-memory", KEY_MAX_MEMORY, "SIZE", 0,
		"take no more memory than this, 0 for no bound (default a quarter of the "
		"machine's)",
		10},
	{0},
};
const struct argp output_argp = {.options = output_options, .parser = parse_output};

static const struct argp_option format_options[] = {
	{"format", KEY_FORMAT, "FORMAT", 0, "human, tsv or json (default human)", 9},
	{"columns", KEY_COLUMNS, "NAME[,...]", 0,
		"only these columns, in this order, and workload beside those of the table; help: "
		"what there are",
		9},
	{"sort", KEY_SORT, "COLUMN", 0, "rows by this column, the largest first", 9},
	{"top", KEY_TOP, "N", 0, "the first N rows, and the total if there is one", 9},
	{"no-header", KEY_NO_HEADER, NULL, 0, "no headings, and nothing above them", 9},
	{"vertical", KEY_VERTICAL, NULL, 0, "a row for each column, a column for each row", 9},
	{0},
};
const struct argp format_argp = {.options = format_options, .parser = parse_format};

static const struct argp_option part_options[] = {
	{"launch", KEY_LAUNCH, "A[-B]", 0, "only these launches (default all)", 8},
	{"cta", KEY_CTA, "A[-B]", 0, "only these CTAs of each launch (default all)", 8},
	{"max-insts", KEY_MAX_INSTS, "N", 0,
		"refuse a stream of more thread instructions, or accesses (default: no bound)", 8},
	{0},
};
const struct argp part_argp = {.options = part_options, .parser = parse_part};

/* ---- numbers ---- */

uint64_t parse_uint(const char *text, uint64_t min, uint64_t max, const char *what)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (errno || end == text || *end || strchr(text, '-'))
		die(EXIT_USAGE, "%s: '%s' is no number", what, text);
	if (v < min || v > max)
		die(EXIT_USAGE, "%s: %llu is outside %llu to %llu", what, v,
			(unsigned long long)min, (unsigned long long)max);
	return v;
}

int64_t parse_int(const char *text, int64_t min, int64_t max, const char *what)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(text, &end, 0);
	if (errno || end == text || *end)
		die(EXIT_USAGE, "%s: '%s' is no number", what, text);
	if (v < min || v > max)
		die(EXIT_USAGE, "%s: %lld is outside %lld to %lld", what, v, (long long)min,
			(long long)max);
	return v;
}

uint64_t parse_size(const char *text, const char *what)
{
	static const char suffixes[] = "KMG";
	char *end;
	unsigned long long v, bytes;
	const char *s;

	errno = 0;
	v = bytes = strtoull(text, &end, 0);
	s = *end ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
	if (s) {
		bytes = v << (10 * (s - suffixes + 1));
		end++;
		end += sim_size_unit(end);
	}
	if (errno || !isdigit((unsigned char)*text) || *end || bytes < v)
		die(EXIT_USAGE, "%s: '%s' is no size such as 4096, 16K or 2M", what, text);
	return bytes;
}

double parse_real(const char *text, const char *what)
{
	char *end;
	const double v = strtod(text, &end);

	if (end == text || *end)
		die(EXIT_USAGE, "%s: '%s' is no number", what, text);
	return v;
}

const char *human(double v)
{
	static char text[8][16];
	static unsigned at;
	static const char prefix[] = " kMGTPE";
	unsigned p = 0;
	char *out = text[at++ % 8];

	if (v < 10000 && v == floor(v)) {
		snprintf(out, sizeof(text[0]), "%.0f", v);
		return out;
	}
	for (; v >= 999.95 && prefix[p + 1]; p++)
		v /= 1000;
	snprintf(out, sizeof(text[0]), p ? "%.*f %c" : "%.*f",
		v < 9.995   ? 2
		: v < 99.95 ? 1
			    : 0,
		v, prefix[p]);
	return out;
}

const char *nearest(const char *word, const char *const *list)
{
	return sim_nearest(word, list);
}

/* ---- data files ---- */

/* The path without its detours if it can be read, else NULL. Takes path. */
static char *readable(char *path)
{
	char *real = access(path, R_OK) ? NULL : realpath(path, NULL);

	free(path);
	return real;
}

char *data_find(const char *relative)
{
	/* Beside the installed program, then in the source tree that it was built in. */
	static const char *const beside[] = {
		"../share/warptrace",
		"../../datasets",
		"../../../datasets",
	};
	const char *fixed = getenv("WARPTRACE_DATA");
	char exe[4096], *slash, *path;
	ssize_t n;

	if (fixed)
		return readable(must_printf("%s/%s", fixed, relative));
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[n < 0 ? 0 : n] = 0;
	slash = strrchr(exe, '/');
	for (size_t i = 0; slash && i < sizeof(beside) / sizeof(beside[0]); i++) {
		path = readable(
			must_printf("%.*s/%s/%s", (int)(slash - exe), exe, beside[i], relative));
		if (path)
			return path;
	}
	return readable(must_printf("%s/%s", WARPTRACE_DATADIR, relative));
}

/* ---- progress ---- */

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_start(struct progress *p, const struct common *c)
{
	p->on = !c->quiet && isatty(STDERR_FILENO);
	p->unit = "thread_insts";
	p->start = p->last = now();
}

void progress_show(struct progress *p, uint64_t count)
{
	const double t = now();

	if (!p->on || t - p->last < 0.1)
		return;
	p->last = t;
	fprintf(stderr, "\r%s: %s %s, %s/s \033[K", tool_name, human((double)count), p->unit,
		human((double)count / (t - p->start)));
}

void progress_end(struct progress *p)
{
	if (p->on && p->last > p->start)
		fputs("\r\033[K", stderr);
	p->on = false;
}
