/*
 * Hostile files: each text in tests/attack says what is in a small file that describes much, and
 * which tools are to read it. Every run ends with a sentence, or with its work done, within 2 s and
 * 200 MB under the options of SECURITY.md for files that one does not trust, or, where it says
 * another --max-memory, touches no more. trace-info --check,
 * which also reads each stream that no run of its text has it read, ends within 64 MB without the
 * first of these options.
 *
 * V=1 shows what each run said and took. With a text's name the program writes its bytes to
 * standard output instead, with all checksums right. A text has a line a step:
 *
 *   file NAME             what the tools are handed (default a.wt)
 *   run STATUS TOOL ...   a run and its exit status; FILE stands for the file
 *   says TEXT             what the last run says on standard error
 *   stream KIND           threads or accesses: the file is such a stream, closed by `totals N...`
 *   record TYPE KEY N [optional], ..., end
 *                         v, z, u8, u64 N...: varints, zigzags, fixed numbers;
 *                         text WORD: its length and bytes; fill COUNT BYTE...: so many times;
 *                         program WORD...: of the words int, load, exit, meet (the cluster's
 *                         barrier), branch:TO and loop:TO (a branch under a guard)
 *                         launch NUMBER PROGRAM SIZE... [COUNT]: the grid's three sizes, the
 *                         block's three, and so many allocations
 *   line TEXT             a line of a text file
 *   times COUNT TEXT      so many such lines; {i} stands for a line's number, {x} for its last
 *                         three hexadecimal digits, {N} for N times the number, modulo
 *                         2^64, {r} for a random one
 */
#include "libtrace/buf.h"
#include "libtrace/stream.h"
#include "libtrace/trace.h"
#include "libtrace/trace_format.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define FOLDER "tests/attack"
#define SECONDS_MAX 2.0
#define BYTES_MAX (200l << 20)
#define CHECK_BYTES_MAX (64l << 20) /* of trace-info --check, which needs no --max-memory */
#define STACK_MAX (1l << 20) /* so that what recurs as deep as a file says does not get far */

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* ---- texts as bytes ---- */

struct making {
	const char *name;
	unsigned line;
	FILE *f;
	struct tr_out *out;
	uint32_t rng;
};

static _Noreturn void wrong(const struct making *m, const char *what)
{
	fprintf(stderr, "%s, line %u: %s\n", m->name, m->line, what);
	exit(1);
}

static void must(const struct making *m, int rc)
{
	if (rc < 0)
		wrong(m, "cannot be written");
}

static uint64_t number(const struct making *m, const char *word)
{
	char *end;
	const uint64_t v = word ? strtoull(word, &end, 0) : 0;

	if (!word || end == word || *end)
		wrong(m, "a number is missing");
	return v;
}

static uint64_t next_number(const struct making *m)
{
	return number(m, strtok(NULL, " "));
}

static void put(struct making *m, const void *bytes, size_t n)
{
	struct tr_err err;

	must(m, tr_out_put(m->out, bytes, n, &err));
}

static void put_program(struct making *m)
{
	struct tr_program *p = tr_program_new("k");
	const uint32_t base = (uint32_t)tr_program_reg(p, "%rd1", 64);
	const uint32_t guard = (uint32_t)tr_program_reg(p, "%p1", 1);
	struct tr_buf b = {0};
	struct tr_err err;
	uint32_t at = 0;

	for (char *word; (word = strtok(NULL, " ")); at++) {
		struct tr_inst in = {
			.cls = TR_C_INT, .guard = TR_NONE, .base = TR_NONE, .file = TR_NONE};
		const char *to = strchr(word, ':');
		uint32_t succ[2] = {at + 1, to ? (uint32_t)number(m, to + 1) : 0}, nsucc = 1;

		if (!strcmp(word, "exit")) {
			in.cls = TR_C_EXIT;
			nsucc = 0;
		} else if (!strcmp(word, "load")) {
			in.cls = TR_C_LOAD;
			in.space = TR_S_GLOBAL;
			in.bytes = 4;
			in.vec = 1;
			in.base = base;
		} else if (!strcmp(word, "meet")) {
			in.cls = TR_C_BARRIER;
			in.disp = TR_BARRIER_CLUSTER;
		} else if (!strncmp(word, "loop:", 5)) {
			in.cls = TR_C_BRANCH;
			in.guard = guard;
			nsucc = 2;
		} else if (to) {
			in.cls = TR_C_BRANCH;
			succ[0] = succ[1];
		}
		must(m, (int)tr_program_inst(p, &in, NULL, 0, NULL, 0, succ, nsucc));
	}
	must(m, tr_program_analyze(p, &err));
	must(m, tr_program_write(p, &b));
	put(m, b.p, b.len);
	tr_buf_free(&b);
	tr_program_free(p);
}

static void put_launch(struct making *m)
{
	struct tr_launch l = {.after = TR_NONE,
		.parent_launch = TR_NONE,
		.parent_cta = TR_NONE,
		.parent_thread = TR_NONE};
	struct tr_buf b = {0};
	char name[] = "a", *word;

	l.number = (uint32_t)next_number(m);
	l.program = (uint32_t)next_number(m);
	for (unsigned i = 0; i < 3; i++)
		l.grid[i] = (uint32_t)next_number(m);
	for (unsigned i = 0; i < 3; i++)
		l.block[i] = (uint32_t)next_number(m);
	if ((word = strtok(NULL, " ")))
		l.nallocs = (uint32_t)number(m, word);
	l.allocs = calloc(l.nallocs + 1, sizeof(*l.allocs));
	for (uint32_t i = 0; i < l.nallocs; i++)
		l.allocs[i] = (struct tr_alloc){.name = name, .base = 512ull * i, .bytes = 256};
	must(m, tr_launch_write(&l, &b));
	put(m, b.p, b.len);
	tr_buf_free(&b);
	free(l.allocs);
}

static void fill(struct making *m)
{
	const uint64_t count = next_number(m);
	uint8_t pattern[16], *all;
	size_t n = 0;

	for (char *word; n < sizeof(pattern) && (word = strtok(NULL, " "));)
		pattern[n++] = (uint8_t)number(m, word);
	if (!n)
		wrong(m, "fill with what?");
	all = malloc(1 << 16);
	for (size_t i = 0; i < 1 << 16; i++)
		all[i] = pattern[i % n];
	for (uint64_t left = count * n; left;) {
		const size_t piece = left < (1 << 16) / n * n ? left : (1 << 16) / n * n;

		put(m, all, piece);
		left -= piece;
	}
	free(all);
}

static void put_numbers(struct making *m, const char *how)
{
	uint8_t b[TR_VARINT_MAX];

	for (char *word; (word = strtok(NULL, " "));) {
		const uint64_t v =
			*how == 'z' ? tr_zigzag(strtoll(word, NULL, 0)) : number(m, word);
		size_t n = 1;

		if (*how != 'u')
			n = (size_t)(tr_varint_write(b, v) - b);
		else
			for (n = 0; n < (how[1] == '8' ? 1 : 8); n++)
				b[n] = (uint8_t)(v >> (8 * n));
		put(m, b, n);
	}
}

static void put_lines(struct making *m, uint64_t count, const char *text)
{
	for (uint64_t i = 0; i < count; i++) {
		for (const char *c = text; *c; c++) {
			if (!strncmp(c, "{i}", 3)) {
				fprintf(m->f, "%" PRIu64, i);
				c += 2;
			} else if (!strncmp(c, "{x}", 3)) {
				fprintf(m->f, "%03" PRIx64, i & 0xfff);
				c += 2;
			} else if (*c == '{' && c[1] >= '0' && c[1] <= '9') {
				fprintf(m->f, "%llu", i * strtoull(c + 1, NULL, 10));
				c += strcspn(c, "}");
			} else if (!strncmp(c, "{r}", 3)) {
				m->rng = m->rng * 1664525u + 1013904223u;
				fprintf(m->f, "%" PRIu64, (uint64_t)m->rng * count >> 32);
				c += 2;
			} else {
				fputc(*c, m->f);
			}
		}
		fputc('\n', m->f);
	}
}

/* One step of the text. */
static void step(struct making *m, char *line)
{
	char *rest = line + strcspn(line, " "), *word;
	struct tr_err err;

	rest += *rest == ' ';
	if (!strncmp(line, "line ", 5)) {
		put_lines(m, 1, rest);
		return;
	}
	if (!strncmp(line, "times ", 6)) {
		char *end;
		const uint64_t count = strtoull(rest, &end, 0);

		put_lines(m, count, end + (*end == ' '));
		return;
	}
	word = strtok(line, " ");
	if (!strcmp(word, "stream")) {
		word = strtok(NULL, " ");
		must(m, tr_out_open(&m->out, m->f,
				word && !strcmp(word, "accesses") ? TR_KIND_ACCESSES
								  : TR_KIND_THREADS,
				NULL, 19, &err));
	} else if (!m->out) {
		wrong(m, "what comes before a stream?");
	} else if (!strcmp(word, "record")) {
		const int type = (int)next_number(m);
		const uint64_t key = next_number(m);
		const uint32_t n = (uint32_t)next_number(m);
		const unsigned flags = strtok(NULL, " ") ? TR_RECF_OPTIONAL : 0;

		must(m, tr_out_begin(m->out, type, flags, key, n, &err));
	} else if (!strcmp(word, "end")) {
		must(m, tr_out_end(m->out, &err));
	} else if (!strcmp(word, "v") || !strcmp(word, "z") || *word == 'u') {
		put_numbers(m, word);
	} else if (!strcmp(word, "text")) {
		const uint8_t len = (uint8_t)strlen(rest);

		put(m, &len, 1);
		put(m, rest, len);
	} else if (!strcmp(word, "fill")) {
		fill(m);
	} else if (!strcmp(word, "program")) {
		put_program(m);
	} else if (!strcmp(word, "launch")) {
		put_launch(m);
	} else if (!strcmp(word, "totals")) {
		uint64_t totals[TR_MAX_TOTALS] = {0};

		for (size_t n = 0; n < TR_MAX_TOTALS && (word = strtok(NULL, " ")); n++)
			totals[n] = number(m, word);
		must(m, tr_out_close(m->out, totals, &err));
		m->out = NULL;
	} else {
		wrong(m, "unknown step");
	}
}

/* The next line that says something; 0 at the end. */
static int next_line(FILE *f, char *line, size_t size, unsigned *number_of)
{
	while (fgets(line, (int)size, f)) {
		++*number_of;
		line[strcspn(line, "\n")] = 0;
		if (*line && *line != '#')
			return 1;
	}
	return 0;
}

static int is_about_runs(const char *line)
{
	return !strncmp(line, "run ", 4) || !strncmp(line, "says ", 5) ||
	       !strncmp(line, "file ", 5);
}

static void make(const char *text, FILE *to)
{
	struct making m = {.name = text, .f = to, .rng = 1};
	FILE *f = fopen(text, "r");
	char line[1024];

	if (!f)
		wrong(&m, strerror(errno));
	while (next_line(f, line, sizeof(line), &m.line))
		if (!is_about_runs(line))
			step(&m, line);
	if (m.out)
		wrong(&m, "a stream without totals");
	fclose(f);
}

/* ---- runs ---- */

static char folder[] = "/tmp/attack-XXXXXX", programs[4096];

struct run {
	char line[1024], tool[4200], said[4096];
	char *args[32], *made[32]; /* made: those to be freed */
	int status, signal;
	double seconds;
	long bytes;
};

#define ANY (-1) /* status: 0 or 1 */
#define CHECK "run -1 trace-info --check FILE"

static int is_check(const char *line)
{
	return strstr(line, "trace-info --check") != NULL;
}

/* The tool's name and arguments, with FILE replaced, and the bounds after. */
static void prepare(struct run *r, const char *line, char *file)
{
	const int bounded = strstr(line, "--max-insts") || strstr(line, "--from");
	unsigned n = 0;

	snprintf(r->line, sizeof(r->line), "%s", line);
	r->status = atoi(strtok(r->line + 4, " "));
	for (char *word; n < 24 && (word = strtok(NULL, " "));) {
		char *at = strstr(word, "FILE");

		if (at &&
			asprintf(&r->made[n], "%.*s%s%s", (int)(at - word), word, file, at + 4) < 0)
			fail();
		r->args[n] = r->made[n] ? r->made[n] : word;
		n++;
	}
	snprintf(r->tool, sizeof(r->tool), "%s/%s", programs, r->args[0]);
	if (!is_check(line) && !strstr(line, "--max-memory"))
		r->args[n++] = "--max-memory=200M";
	if (!bounded && strcmp(r->args[0], "trace-gen") != 0)
		r->args[n++] = "--max-insts=10M";
	r->args[n] = NULL;
}

static void execute(struct run *r, int want)
{
	const struct rlimit stack = {STACK_MAX, STACK_MAX};
	char said[64];
	struct rusage use;
	int status;
	FILE *f;
	pid_t child;

	snprintf(said, sizeof(said), "%s/said", folder);
	child = fork();
	if (!child) {
		if ((!SANITIZED && setrlimit(RLIMIT_STACK, &stack)) || chdir(folder) ||
			!freopen("/dev/null", "w", stdout) || !freopen("said", "w", stderr))
			_exit(99);
		alarm(300); /* what hangs is ended, and fails for its signal */
		execv(r->tool, r->args);
		_exit(98);
	}
	assert_int_equal(wait4(child, &status, 0, &use), child);
	r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r->status = r->signal ? want + 1000 : WEXITSTATUS(status);
	r->seconds = (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec +
		     (double)use.ru_stime.tv_sec + 1e-6 * (double)use.ru_stime.tv_usec;
	r->bytes = use.ru_maxrss * 1024;
	f = fopen(said, "r");
	r->said[f ? fread(r->said, 1, sizeof(r->said) - 1, f) : 0] = 0;
	if (f)
		fclose(f);
}

/* One run, and what the text says that it says. Was it as it should be? */
static int attempt(const char *text, const char *line, const char *says, char *file)
{
	struct run r = {0};
	int want, sound;

	prepare(&r, line, file);
	want = r.status;
	/* A sanitizer's build has no bound on memory, and would take it. */
	if (!SANITIZED || strcmp(says, "no memory") != 0)
		execute(&r, want);
	for (size_t i = 0; i < sizeof(r.made) / sizeof(r.made[0]); i++)
		free(r.made[i]);
	if (getenv("V"))
		print_message("%s: %s\n  %d, %.2f s, %ld MB: %s", text, line, r.status, r.seconds,
			r.bytes >> 20, r.said);
	sound = want == ANY ? !r.signal && r.status < 2 : r.status == want;
	/* It is slow and large as well there, but ends by itself. */
	if (SANITIZED ? !r.signal && r.status < 3
		      : sound && strstr(r.said, says) && r.seconds <= SECONDS_MAX &&
				r.bytes <= (is_check(line) ? CHECK_BYTES_MAX : BYTES_MAX))
		return 1;
	print_error("%s: %s\n  exit status %d, signal %d, %.2f s, %ld MB: %s\n", text, line,
		r.status, r.signal, r.seconds, r.bytes >> 20, r.said);
	return 0;
}

/* Runs what a text asks for. How many runs were not as they should be. */
static unsigned attack(const char *text)
{
	FILE *f = fopen(text, "r");
	char line[1024], says[1024], file[2048], name[1024] = "a.wt";
	unsigned failed = 0, at = 0, runs = 0;
	int more, checked = 0;

	assert_non_null(f);
	more = next_line(f, line, sizeof(line), &at);
	if (more && !strncmp(line, "file ", 5)) {
		snprintf(name, sizeof(name), "%s", line + 5);
		more = next_line(f, line, sizeof(line), &at);
	}
	snprintf(file, sizeof(file), "%s/%s", folder, name);
	{
		FILE *to = fopen(file, "wb");

		assert_non_null(to);
		make(text, to);
		assert_int_equal(fclose(to), 0);
	}
	while (more && is_about_runs(line)) {
		char whole[1024];

		snprintf(whole, sizeof(whole), "%s", line);
		more = next_line(f, line, sizeof(line), &at);
		*says = 0;
		if (more && !strncmp(line, "says ", 5)) {
			snprintf(says, sizeof(says), "%s", line + 5);
			more = next_line(f, line, sizeof(line), &at);
		}
		runs++;
		checked |= is_check(whole);
		failed += !attempt(text, whole, says, file);
	}
	if (!checked && strstr(name, ".wt"))
		failed += !attempt(text, CHECK, "", file);
	fclose(f);
	unlink(file);
	if (!runs)
		fail_msg("%s: nothing is run", text);
	return failed;
}

static void test_attacks(void **state)
{
	const char *build = getenv("WARPTRACE_BUILD");
	unsigned failed = 0, texts = 0;
	char path[8192], *cwd = getcwd(NULL, 0);
	struct dirent **names;
	int n = scandir(FOLDER, &names, NULL, alphasort);

	(void)state;
	assert_true(n > 0);
	assert_non_null(mkdtemp(folder));
	snprintf(programs, sizeof(programs), "%s%s%s/bin", build ? build : cwd, build ? "" : "/",
		build ? "" : "build");
	snprintf(path, sizeof(path),
		"%s/trace-gen scan --set n=300,log2_threads=6 -q -o %s/small.wt", programs, folder);
	assert_int_equal(system(path), 0);
	for (int i = 0; i < n; i++) {
		const char *dot = strrchr(names[i]->d_name, '.');

		if (dot && !strcmp(dot, ".txt")) {
			snprintf(path, sizeof(path), FOLDER "/%s", names[i]->d_name);
			failed += attack(path);
			texts++;
		}
		free(names[i]);
	}
	free(names);
	free(cwd);
	snprintf(path, sizeof(path), "rm -r %s", folder);
	assert_int_equal(system(path), 0);
	assert_true(texts > 0);
	assert_int_equal(failed, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_attacks)};

	if (argc == 2) {
		make(argv[1], stdout);
		return fflush(stdout) != 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
