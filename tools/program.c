/*
 * trace-gen --run: see program.h. The record is written by the library within the program, into a
 * file that this process opened and names when it is whole; the library says in one line, through
 * a pipe, how that ended. What the program prints and its exit status are its own.
 *
 * The program finds the library by LD_LIBRARY_PATH. One that holds NVIDIA's runtime itself would
 * ignore it and, without a GPU, go on with garbage, so it is refused. Addresses are not randomized,
 * so that host memory lies at the same place in every run and a record is the same bytes.
 */
#include "tools/program.h"
#include "tools/findings.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY "libwarptrace-cudart.so.1"
#define SCAN_MAX (256u << 20) /* of a program, in search of its runtime */
#define WAIT_MS 1000          /* for the first call of a process that the program leaves behind */

/* ---- the library ---- */

/* The folder that the library is in: beside a build's tools, or where it is installed. */
static char *library_folder(void)
{
	static const char *const places[] = {"../cuda/lib64", "../lib/warptrace/cuda/lib64"};
	const char *given = getenv("WARPTRACE_CUDA");
	char *self = realpath("/proc/self/exe", NULL), *slash;
	char *found = NULL;

	if (given)
		found = must_printf("%s/lib64", given);
	slash = self ? strrchr(self, '/') : NULL;
	for (unsigned i = 0; !found && slash && i < 2; i++) {
		char *folder = must_printf("%.*s/%s", (int)(slash - self), self, places[i]);
		char *file = must_printf("%s/%s", folder, LIBRARY);
		if (!access(file, R_OK))
			found = realpath(folder, NULL);
		free(file);
		free(folder);
	}
	free(self);
	if (!found)
		die(EXIT_BAD,
			"cannot find %s: set WARPTRACE_CUDA to the folder that has "
			"lib64/%s",
			LIBRARY, LIBRARY);
	return found;
}

/* ---- the program ---- */

/* The file that execvp would run; NULL: none. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH");
	char *dirs, *at, *dir;

	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : must_printf("%s", name);
	dirs = at = must_printf("%s", path ? path : "/usr/bin:/bin");
	while ((dir = strsep(&at, ":"))) {
		char *file = must_printf("%s/%s", *dir ? dir : ".", name);
		if (!access(file, X_OK)) {
			free(dirs);
			return file;
		}
		free(file);
	}
	free(dirs);
	return NULL;
}

static _Noreturn void die_without_program(const char *name)
{
	const size_t n = strlen(name);
	const char *why = "there is no such program";

	if (!access(name, F_OK)) {
		if (n > 3 && !strcmp(name + n - 3, ".cu"))
			why = "it is a source: trace-nvcc makes a program of it";
		else if (access(name, X_OK))
			why = "it may not be executed";
		else
			why = "it is in no folder of PATH: a program here is ./NAME";
	}
	die(EXIT_BAD, "cannot run '%s': %s", name, why);
}

static bool has(const char *data, size_t size, const char *text)
{
	return memmem(data, size, text, strlen(text)) != NULL;
}

/*
 * A program made by nvcc with the runtime in it: device code, and no need of a library for it. A
 * script, or a program whose own libraries have the device code, shows nothing of the kind.
 */
static void refuse_static_runtime(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *data = must_alloc(SCAN_MAX, 1);
	size_t n = f ? fread(data, 1, SCAN_MAX, f) : 0;

	if (f)
		fclose(f);
	if (n > SELFMAG && !memcmp(data, ELFMAG, SELFMAG) && has(data, n, ".nv_fatbin") &&
		!has(data, n, "libcudart.so") && !has(data, n, "libwarptrace-cudart.so") &&
		has(data, n, "libcuda.so.1"))
		die(EXIT_BAD,
			"'%s' has NVIDIA's runtime linked into it, which wants a GPU: link it "
			"again "
			"with `nvcc -cudart shared ...`, or compile it with trace-nvcc",
			path);
	free(data);
}

static void child(const struct program *p, const char *path, const char *library, pid_t parent,
	int fd, int status, int findings)
{
	const struct ptx_resident *r = &p->resident;
	const char *before = getenv("LD_LIBRARY_PATH");
	char *provenance = provenance_with(p->common, NULL);
	struct rlimit data;

	setenv("WARPTRACE_RUN",
		must_printf("fd=%d;status=%d;level=%d;max-insts=%" PRIu64 ";sync-reads=%d;"
			    "memory=%" PRIu64 ";host-memory=%" PRIu64
			    ";memcheck=%d;findings=%d;forgive=%d;verbose=%d;"
			    "resident=%u,%u,%u,%u,%u,%u,%u%s%s%s%s",
			fd, status, p->level, p->max_insts, p->sync_reads, p->memory,
			p->common->max_memory, p->memcheck, findings, p->forgive,
			p->common->verbose, r->sms, r->ctas_per_sm, r->threads_per_sm,
			r->registers_per_sm, r->shared_per_sm, r->quantum, r->shared_reserved,
			p->launches ? ";launches=" : "", p->launches ? p->launches : "",
			p->kernel ? ";kernel=" : "", p->kernel ? p->kernel : ""),
		1);
	if (provenance)
		setenv("WARPTRACE_PROVENANCE", provenance, 1);
	else
		unsetenv("WARPTRACE_PROVENANCE");
	setenv("LD_LIBRARY_PATH",
		before && *before ? must_printf("%s:%s", library, before) : library, 1);
	/* --max-memory is of trace-gen and of what the program pins. */
	if (!getrlimit(RLIMIT_DATA, &data)) {
		data.rlim_cur = data.rlim_max;
		setrlimit(RLIMIT_DATA, &data);
	}
	/* Without trace-gen the program's run is of no use. */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != parent)
		_exit(127);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
	execv(path, p->argv);
	fprintf(stderr, "trace-gen: cannot run '%s': %s\n", path, strerror(errno));
	_exit(127);
}

/* ---- the end ---- */

/* What the library said, or NULL. */
static char *told(int fd)
{
	char line[1024];
	ssize_t n = read(fd, line, sizeof(line) - 1);

	if (n <= 0)
		return NULL;
	line[n] = 0;
	line[strcspn(line, "\n")] = 0;
	return must_printf("%s", line);
}

/* Has a process of the program taken the record? */
static bool is_claimed(int fd)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return !fcntl(fd, F_GETLK, &l) && l.l_type != F_UNLCK;
}

/*
 * The program has ended; a process that it left behind, as daemons are, may still be recorded.
 * Waits as long as one is, and for a moment if there is one that has not called the runtime.
 */
static void wait_for_others(int status, int record)
{
	struct pollfd p = {.fd = status, .events = POLLIN};
	const double begin = now();

	while (!poll(&p, 1, WAIT_MS / 20) &&
		(is_claimed(record) || (now() - begin) * 1e3 < WAIT_MS))
		;
}

/* The sentence why there is no record, or NULL. */
static char *why_not(const char *line, int status)
{
	if (line && !strncmp(line, "done ", 5))
		return NULL;
	if (line && !strncmp(line, "bad ", 4))
		return must_printf("%s", line + 4);
	if (WIFSIGNALED(status))
		return must_printf("the program was ended by signal %d (%s) within its run",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	return must_printf("the program did not use the CUDA runtime, or ended by _exit, "
			   "quick_exit or exec");
}

int program_run(const struct program *p)
{
	char *path = find_program(p->argv[0]), *library = library_folder(), *line, *why;
	int pipes[2], status, fd;
	uint64_t launches, recorded;
	FILE *findings = p->memcheck ? tmpfile() : NULL;
	struct output out, table;
	const pid_t parent = getpid();
	pid_t pid;

	if (!path)
		die_without_program(p->argv[0]);
	refuse_static_runtime(path);
	output_open(&out, p->common->output, true);
	if (findings)
		findings_open(&table, p->findings);
	fflush(NULL);
	if (pipe(pipes) || fcntl(pipes[0], F_SETFD, FD_CLOEXEC) ||
		fcntl(pipes[0], F_SETFL, O_NONBLOCK) || (p->memcheck && !findings) ||
		(fd = dup(output_fd(&out))) < 0)
		die(EXIT_BAD, "cannot run '%s': %s", path, strerror(errno));
	pid = fork();
	if (pid < 0)
		die(EXIT_BAD, "cannot run '%s': %s", path, strerror(errno));
	if (!pid)
		child(p, path, library, parent, fd, pipes[1], findings ? fileno(findings) : -1);
	close(fd);
	close(pipes[1]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	wait_for_others(pipes[0], output_fd(&out));
	line = told(pipes[0]);
	close(pipes[0]);
	why = why_not(line, status);
	int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	const bool found = findings && findings_tell_from(findings, p->common, &table);
	if (findings)
		fclose(findings);
	if (why) {
		if (code != 127 || line)
			warn("no record is written: %s", why);
		exit(code ? code : EXIT_BAD);
	}
	output_close(&out);
	if (sscanf(line, "done %" SCNu64 " %" SCNu64, &launches, &recorded) == 2 &&
		!p->common->quiet) {
		if (!launches)
			warn("the program launched no kernel");
		else if (!recorded)
			warn("none of its %" PRIu64 " launches is one to record%s", launches,
				p->kernel
					? "; --kernel wants a name as trace-info shows it, such as "
					  "_Z4walkPi"
					: "");
	}
	if (found && !code)
		code = EXIT_FALSE;
	free(line);
	free(path);
	free(library);
	return code;
}
