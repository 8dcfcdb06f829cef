/*
 * What all tools share; see common.h. Here is all that touches the process: arguments, signals,
 * terminals, the file system.
 */
#include "tools/common.h"
#include "sim/base/spec.h"
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *argp_program_version;

#define OUTPUTS_MAX 4 /* that a tool has open at once */

static const char *tool_name = "warptrace";
static char *tool_line; /* for the provenance */
static bool dying;      /* a sentence about the failure is out */
/* Temporary output files, to be removed if the run does not succeed. */
static char *pending[OUTPUTS_MAX];

/* ---- sentences ---- */

static void say(const char *fmt, va_list ap)
{
	fprintf(stderr, "%s: ", tool_name);
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
	exit(code);
}

void die_err(const struct tr_err *err, const char *what)
{
	if (err->code == TR_EIO && reader_gone())
		exit(EXIT_BAD);
	die(err->code == TR_EUSAGE ? EXIT_USAGE : EXIT_BAD, "%s%s%s", what ? what : "",
		what ? ": " : "", err->msg);
}

/* ---- memory ---- */

void *must_alloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p)
		die(EXIT_BAD, "no memory");
	return p;
}

void *must_realloc(void *old, size_t count, size_t size)
{
	void *p = realloc(old, count * size);

	if (!p)
		die(EXIT_BAD, "no memory");
	return p;
}

char *must_printf(const char *fmt, ...)
{
	char *s;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		die(EXIT_BAD, "no memory");
	va_end(ap);
	return s;
}

/* ---- start and end ---- */

static void remove_pending(void)
{
	for (unsigned i = 0; i < OUTPUTS_MAX; i++)
		if (pending[i])
			unlink(pending[i]);
}

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
#define ENDS (sizeof(ends) / sizeof(ends[0]))

void signals_hold(bool hold)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ENDS; i++)
		sigaddset(&set, ends[i]);
	sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

void signals_clean(void (*handler)(int sig))
{
	for (size_t i = 0; i < ENDS; i++)
		if (signal(ends[i], handler) == SIG_IGN)
			signal(ends[i], SIG_IGN);
}

static void on_signal(int sig)
{
	remove_pending();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void check_stdout(void)
{
	const bool failed = ferror(stdout), quiet = dying || reader_gone();

	errno = 0;
	if ((fclose(stdout) || failed) && errno != EBADF) {
		if (errno != EPIPE && !quiet)
			warn("cannot write standard output: %s", strerror(errno ? errno : EIO));
		remove_pending();
		_exit(EXIT_BAD);
	}
}

/* Does arg say something about this run only, and nothing about what is in the stream? */
static int words_of_run(const char *arg)
{
	const size_t len = strcspn(arg, "=");

	if (!strcmp(arg, "-o"))
		return 2;
	if (len > 3 && !strncmp(arg, "--output", len))
		return arg[len] ? 1 : 2;
	return !strncmp(arg, "-o", 2) || !strcmp(arg, "-q") || !strcmp(arg, "-v") ||
	       !strcmp(arg, "--quiet") || !strcmp(arg, "--verbose");
}

/* Appends arg so that a shell reads it back as one word, on one line. */
static void put_word(FILE *f, const char *arg)
{
	const char plain[] = "-_=:,./@%+";
	bool quote = !*arg;

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
}

void tool_start(const char *name, int argc, char **argv)
{
	static char version[64];
	size_t len;
	FILE *f = open_memstream(&tool_line, &len);

	tool_name = name;
	snprintf(version, sizeof(version), "%s (warptrace) " WARPTRACE_VERSION, name);
	argp_program_version = version;
	argp_err_exit_status = EXIT_USAGE;
	if (!f)
		die(EXIT_BAD, "no memory");
	fprintf(f, "%s " WARPTRACE_VERSION, name);
	for (int i = 1; i < argc; i++) {
		const int skip = words_of_run(argv[i]);

		if (skip)
			i += skip - 1;
		else
			put_word(f, argv[i]);
	}
	fputc('\n', f);
	fclose(f);

	signals_clean(on_signal);
	atexit(remove_pending);
	atexit(check_stdout);
}

char *provenance_with(const struct common *c, const char *before)
{
	return c->no_provenance ? NULL : must_printf("%s%s", before ? before : "", tool_line);
}

/* ---- shared options ---- */

enum { KEY_NO_PROVENANCE = 0x1000, KEY_FORMAT, KEY_LAUNCH, KEY_CTA };

static error_t parse_output(int key, char *arg, struct argp_state *state)
{
	struct common *c = state->input;

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
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_format(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = {"human", "tsv", "json", NULL};
	struct common *c = state->input;

	if (key != KEY_FORMAT)
		return ARGP_ERR_UNKNOWN;
	for (int i = 0; names[i]; i++)
		if (!strcmp(arg, names[i])) {
			c->format = (enum format)i;
			return 0;
		}
	argp_error(state, "unknown format '%s': human, tsv or json", arg);
	return EINVAL;
}

static bool parse_range(const char *text, uint32_t *first, uint32_t *last)
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

static error_t parse_part(int key, char *arg, struct argp_state *state)
{
	struct common *c = state->input;

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
	{0},
};
const struct argp output_argp = {.options = output_options, .parser = parse_output};

static const struct argp_option format_options[] = {
	{"format", KEY_FORMAT, "FORMAT", 0, "human, tsv or json (default human)", 9},
	{0},
};
const struct argp format_argp = {.options = format_options, .parser = parse_format};

static const struct argp_option part_options[] = {
	{"launch", KEY_LAUNCH, "A[-B]", 0, "only these launches (default all)", 8},
	{"cta", KEY_CTA, "A[-B]", 0, "only these CTAs of each launch (default all)", 8},
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

/* ---- input and output ---- */

FILE *input_open(const char *path, char **name)
{
	FILE *f = stdin;

	if (!path || !strcmp(path, "-")) {
		if (isatty(STDIN_FILENO))
			die(EXIT_USAGE, "standard input is a terminal: name a FILE or use a pipe");
		*name = must_printf("standard input");
		return f;
	}
	f = fopen(path, "rb");
	if (!f)
		die(EXIT_BAD, "cannot open '%s': %s", path, strerror(errno));
	*name = must_printf("'%s'", path);
	return f;
}

/* Puts `now` in the place of `before`: one of the two is NULL. */
static void pending_replace(char *before, char *now)
{
	unsigned i = 0;

	while (i < OUTPUTS_MAX && pending[i] != before)
		i++;
	assert(i < OUTPUTS_MAX);
	pending[i] = now;
}

void output_open(struct output *o, const char *path, bool binary)
{
	struct stat st;
	bool twice = false;
	int fd;

	*o = (struct output){.f = stdout};
	if (!path || !strcmp(path, "-")) {
		if (binary && isatty(STDOUT_FILENO))
			die(EXIT_USAGE, "a trace is not for a terminal: use -o FILE, or a pipe to "
					"trace-info");
		return;
	}
	o->path = path;
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) { /* a device or a pipe has no name to keep */
		o->f = fopen(path, "wb");
	} else {
		o->tmp = must_printf("%s.tmp-%ld", path, (long)getpid());
		signals_hold(true);
		fd = open(o->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		twice = fd < 0 && errno == EEXIST; /* the number is this process's own */
		o->f = fd < 0 ? NULL : fdopen(fd, "wb");
		if (o->f)
			pending_replace(NULL, o->tmp);
		signals_hold(false);
	}
	if (twice)
		die(EXIT_USAGE, "'%s' is to be written twice: each output wants a file of its own",
			path);
	if (!o->f)
		die(EXIT_BAD, "cannot write '%s': %s", path, strerror(errno));
}

void output_close(struct output *o)
{
	if (!o->path) {
		if (fflush(o->f) || ferror(o->f)) {
			if (reader_gone())
				exit(EXIT_BAD);
			die(EXIT_BAD, "cannot write standard output: %s", strerror(errno));
		}
		return;
	}
	const bool failed = ferror(o->f);
	signals_hold(true);
	if (fclose(o->f) || failed || (o->tmp && rename(o->tmp, o->path)))
		die(EXIT_BAD, "cannot write '%s': %s", o->path, strerror(errno));
	if (o->tmp)
		pending_replace(o->tmp, NULL);
	signals_hold(false);
	free(o->tmp);
}

char *file_read(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t cap = 0;

	*len = 0;
	if (!f)
		die(EXIT_BAD, "cannot open '%s': %s", path, strerror(errno));
	do {
		cap = cap ? 2 * cap : 1 << 16;
		text = realloc(text, cap + 1);
		if (!text)
			die(EXIT_BAD, "no memory for '%s'", path);
		*len += fread(text + *len, 1, cap - *len, f);
	} while (*len == cap);
	if (ferror(f))
		die(EXIT_BAD, "cannot read '%s': %s", path, strerror(errno));
	fclose(f);
	text[*len] = 0;
	return text;
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
