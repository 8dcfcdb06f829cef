/*
 * How the tools that are scripts write their outputs, so that each is whole or not there. It speaks
 * in the name of the tool, which is its first argument.
 *
 *   commit TOOL [-x] [-e END] FILE
 *       Standard input becomes FILE, but for the mark that must end it.
 *   commit TOOL -d DIR FILE...
 *       Copies of the FILEs take their places in the folder DIR, under their own names, once all of
 *       them are written.
 *   commit TOOL -r FILE COMMAND...
 *       Runs COMMAND, and ends as it does. What it says on standard error becomes FILE if it fails;
 *       else FILE is removed.
 *
 * A shell cannot tell the reader of a pipe that its writer failed. So the writer ends what it wrote
 * with a mark, and without that it is not whole: see `whole` in shell.bash. -e says what must stand
 * before the mark, which is how the format ends: for a program that does not look at its own
 * failures. -x makes a program of FILE. A link in DIR, or in the place of -r's FILE, is replaced;
 * in the first form FILE may be a link, and stays one.
 */
#include "tools/common.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK "\0whole"
#define MARK_BYTES (sizeof(MARK) - 1)

/* Does the text end so? *len becomes what is before that. */
static bool cut_end(const char *text, size_t *len, const char *end, size_t n)
{
	if (*len < n || memcmp(text + *len - n, end, n) != 0)
		return false;
	*len -= n;
	return true;
}

/* Standard input without its mark; *len bytes. */
static char *read_marked(const char *path, const char *end, size_t *len)
{
	char *text = file_read(NULL, len);
	bool whole = cut_end(text, len, MARK, MARK_BYTES);
	size_t body = *len;

	while (body && text[body - 1] == '\n')
		body--;
	if (end)
		whole = whole && cut_end(text, &body, end, strlen(end));
	if (!whole && !strcmp(path, "-"))
		die(EXIT_BAD, "cannot write standard output: what makes it has failed");
	if (!whole)
		die(EXIT_BAD, "cannot write '%s': what makes it has failed", path);
	return text;
}

static void commit_input(const char *path, const char *end, bool program)
{
	size_t len;
	char *text = read_marked(path, end, &len);
	struct output o;
	struct stat st;

	output_open(&o, path, false);
	fwrite(text, 1, len, o.f); /* a failure is seen when it is closed */
	free(text);
	if (program && !fstat(output_fd(&o), &st) && S_ISREG(st.st_mode) &&
		fchmod(output_fd(&o), (st.st_mode & 07777) | (st.st_mode & 0444) >> 2))
		die(EXIT_BAD, "cannot make '%s' a program: %s", path, strerror(errno));
	output_close(&o);
}

static int open_folder(const char *path)
{
	const int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		die(EXIT_BAD, "cannot open the folder '%s': %s", path, strerror(errno));
	return dir;
}

static void commit_folder(const char *folder, char **files, int n)
{
	struct output *made = must_alloc((size_t)n, sizeof(*made));
	char **paths = must_alloc((size_t)n, sizeof(*paths));
	const int dir = open_folder(folder);

	for (int i = 0; i < n; i++) {
		size_t len;
		char *text = file_read(files[i], &len);

		paths[i] = must_printf("%s/%s", folder, basename(files[i]));
		output_open_in(&made[i], dir, paths[i]);
		fwrite(text, 1, len, made[i].f);
		output_check(&made[i]);
		free(text);
	}
	for (int i = 0; i < n; i++) {
		output_close(&made[i]);
		free(paths[i]);
	}
	free(paths);
	free(made);
	close(dir);
}

/* Starts COMMAND; *from has what it says. */
static pid_t start(char **command, FILE **from)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) || (child = fork()) < 0)
		die(EXIT_BAD, "cannot start '%s': %s", command[0], strerror(errno));
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGTERM); /* it ends with us */
		dup2(ends[1], STDERR_FILENO);
		execvp(command[0], command);
		dprintf(STDERR_FILENO, "cannot start '%s': %s\n", command[0], strerror(errno));
		_exit(EXIT_BAD);
	}
	close(ends[1]);
	*from = fdopen(ends[0], "r");
	if (!*from)
		die_memory(NULL);
	return child;
}

/* Its exit status as a shell has it. */
static int run(const char *path, char **command)
{
	char *copy = must_printf("%s", path), said[1 << 16], rest[1 << 12];
	const int dir = open_folder(dirname(copy));
	FILE *from;
	const pid_t child = start(command, &from);
	const size_t len = fread(said, 1, sizeof(said), from);
	struct output o;
	int status;

	while (fread(rest, 1, sizeof(rest), from))
		;
	fclose(from);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			die(EXIT_BAD, "cannot wait for '%s': %s", command[0], strerror(errno));
	if (!status) {
		unlinkat(dir, basename((char *)path), 0);
	} else if (len) {
		output_open_in(&o, dir, path);
		fwrite(said, 1, len, o.f);
		output_close(&o);
	}
	close(dir);
	free(copy);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	const char *end = NULL, *folder = NULL, *said = NULL;
	bool program = false;
	int option;

	if (argc < 3)
		return EXIT_USAGE;
	tool_start(argv[1], argc, argv);
	while ((option = getopt(argc - 1, argv + 1, "+xe:d:r:")) != -1) {
		switch (option) {
		case 'x':
			program = true;
			break;
		case 'e':
			end = optarg;
			break;
		case 'd':
			folder = optarg;
			break;
		case 'r':
			said = optarg;
			break;
		default:
			return EXIT_USAGE;
		}
	}
	argv += optind + 1;
	argc -= optind + 1;
	if (argc < 1 || (!folder && !said && argc > 1))
		return EXIT_USAGE;
	if (said)
		return run(said, argv);
	if (folder)
		commit_folder(folder, argv, argc);
	else
		commit_input(argv[0], end, program);
	return EXIT_OK;
}
