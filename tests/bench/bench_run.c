/*
 * Runs a command and appends what it took to a file: seconds, and peak memory in MB. Leaves out
 * time shared with other programs: it is the command's own processor time, of all its threads.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(int argc, char **argv)
{
	struct rusage used;
	int status;
	FILE *f;
	pid_t child;

	if (argc < 3) {
		fprintf(stderr, "usage: bench_run FILE COMMAND...\n");
		return 2;
	}
	child = fork();
	if (!child) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &used) < 0 || status)
		return 1;
	f = fopen(argv[1], "a");
	if (!f)
		return 1;
	fprintf(f, "%.6f\t%.3f\n", seconds(used.ru_utime) + seconds(used.ru_stime),
		(double)used.ru_maxrss / 1024);
	return fclose(f) != 0;
}
