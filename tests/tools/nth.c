/*
 * Runs a command in which one write fails, or one other call that a full disk makes fail, whichever
 * of its processes does it: for the tools that are scripts.
 *
 *   nth N COUNTS COMMAND...
 *       The N-th such call fails, counted from 1 over all processes (0: none does).
 *   nth N+ COUNTS COMMAND...
 *       So do all that follow it.
 *
 * How many calls there were is written to the file COUNTS when no process of the command is left.
 * Counted are writes to regular files, and the making, naming and cutting of files and folders, but
 * for what lies in /dev and /proc, and what goes to this program's own standard error; where NTH_IN
 * names a folder, only what is in that. They fail with ENOSPC. The kernel asks us about each of
 * these calls (seccomp, a notification to user space), also those that the C library makes in
 * itself, and those of programs without it. Ends with the command's status, or with 77 where the
 * kernel has no such thing.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_HERE 77

/* What is counted; -1 where an architecture has no such call. */
enum what { WRITES, OPENS, NAMES };
static const struct {
	int nr;
	enum what what;
	int path, flags; /* which arguments */
	int is_at;       /* the one before the path is a folder */
} calls[] = {
	{SYS_write, WRITES, 0, 0, 0},
	{SYS_writev, WRITES, 0, 0, 0},
	{SYS_pwrite64, WRITES, 0, 0, 0},
	{SYS_pwritev, WRITES, 0, 0, 0},
	{SYS_pwritev2, WRITES, 0, 0, 0},
	{SYS_sendfile, WRITES, 0, 0, 0},
	{SYS_ftruncate, WRITES, 0, 0, 0},
	{SYS_fallocate, WRITES, 0, 0, 0},
	{SYS_openat, OPENS, 1, 2, 1},
	{SYS_mkdirat, NAMES, 1, 0, 1},
	{SYS_linkat, NAMES, 3, 0, 1},
	{SYS_symlinkat, NAMES, 2, 0, 1},
	{SYS_renameat2, NAMES, 3, 0, 1},
#ifdef SYS_renameat
	{SYS_renameat, NAMES, 3, 0, 1},
#endif
#ifdef SYS_open
	{SYS_open, OPENS, 0, 1, 0},
	{SYS_rename, NAMES, 1, 0, 0},
	{SYS_mkdir, NAMES, 0, 0, 0},
	{SYS_link, NAMES, 1, 0, 0},
	{SYS_symlink, NAMES, 1, 0, 0},
#endif
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

/* copy_file_range has two files; programs do without it where it is not there. */
static int filter(void)
{
	struct sock_filter code[2 * CALLS + 4];
	unsigned short n = 0;

	code[n++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	code[n++] =
		(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_copy_file_range, 0, 1);
	code[n++] = (struct sock_filter)BPF_STMT(
		BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (ENOSYS & SECCOMP_RET_DATA));
	for (size_t i = 0; i < CALLS; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].nr, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
		&(struct sock_fprog){n, code});
}

/* Hands a file descriptor to the other end of a pair of sockets, or takes one from it; -1: none. */
static int pass(int pair, int fd)
{
	char byte = 0, space[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec io = {&byte, 1};
	struct msghdr m = {.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	if (fd >= 0) {
		*c = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
		return sendmsg(pair, &m, 0) < 0 ? -1 : 0;
	}
	if (recvmsg(pair, &m, 0) <= 0 || !(c = CMSG_FIRSTHDR(&m)))
		return -1;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* Is the file that the process has as fd a regular one, and not our standard error? */
static int is_regular(pid_t pid, unsigned long long fd)
{
	char path[64];
	struct stat st, own;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, (int)fd);
	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       (fstat(STDERR_FILENO, &own) || own.st_dev != st.st_dev || own.st_ino != st.st_ino);
}

/* Does the text begin so? */
static int begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Where a link of /proc leads; "" where there is none. */
static void follow(char *to, size_t size, pid_t pid, const char *name, int fd)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), fd < 0 ? "/proc/%d/%s" : "/proc/%d/%s/%d", (int)pid, name, fd);
	n = readlink(path, to, size - 1);
	to[n < 0 ? 0 : n] = 0;
}

/* The path that an argument of a call is, or the folder that it is relative to. */
static void path_of(char *to, size_t size, const struct seccomp_notif *n, int path, int is_at)
{
	const unsigned long long *arg = n->data.args;
	/* Not beyond the page, which may be the last. */
	const size_t page = 4096 - arg[path] % 4096, len = page < size - 1 ? page : size - 1;
	const pid_t pid = (pid_t)n->pid;
	const ssize_t got = process_vm_readv(pid, &(struct iovec){to, len}, 1,
		&(struct iovec){(void *)(size_t)arg[path], len}, 1, 0);

	to[got < 0 ? 0 : got] = 0;
	if (*to != '/' && is_at && (int)arg[path - 1] != AT_FDCWD)
		follow(to, size, pid, "fd", (int)arg[path - 1]);
	else if (*to != '/')
		follow(to, size, pid, "cwd", -1);
}

static int counts(const struct seccomp_notif *n)
{
	const unsigned long long *arg = n->data.args;
	const char *in = getenv("NTH_IN");
	const pid_t pid = (pid_t)n->pid;
	char path[4096];
	size_t i = 0;

	while (i < CALLS && calls[i].nr != n->data.nr)
		i++;
	if (i == CALLS)
		return 0;
	if (calls[i].what == OPENS &&
		!(arg[calls[i].flags] & ((O_CREAT | O_TMPFILE) & ~O_DIRECTORY)))
		return 0;
	if (calls[i].what == WRITES && !is_regular(pid, arg[0]))
		return 0;
	if (calls[i].what == WRITES)
		follow(path, sizeof(path), pid, "fd", (int)arg[0]);
	else
		path_of(path, sizeof(path), n, calls[i].path, calls[i].is_at);
	return !begins(path, "/dev/") && !begins(path, "/proc/") && (!in || begins(path, in));
}

int main(int argc, char **argv)
{
	int pair[2], listener, status, all;
	unsigned long at, count = 0;
	pid_t child;
	FILE *f;

	if (argc < 4 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return 2;
	at = strtoul(argv[1], NULL, 10);
	all = strchr(argv[1], '+') != NULL;
	child = fork();
	if (!child) {
		listener = filter();
		if (listener < 0 || pass(pair[1], listener))
			_exit(NOT_HERE);
		fcntl(listener, F_SETFD, FD_CLOEXEC);
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	close(pair[1]);
	listener = pass(pair[0], -1);
	if (listener < 0) {
		waitpid(child, &status, 0);
		return NOT_HERE;
	}
	/* Until no process of the command is left. */
	for (;;) {
		struct pollfd p = {listener, POLLIN, 0};
		struct seccomp_notif n = {0};
		struct seccomp_notif_resp r = {0};

		if (poll(&p, 1, -1) < 0 || !(p.revents & POLLIN))
			break;
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n))
			continue;
		r.id = n.id;
		r.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		if (counts(&n) && (++count == at || (all && count > at && at))) {
			r.flags = 0;
			r.error = -ENOSPC;
		}
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &r);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 2;
	f = fopen(argv[2], "w");
	if (!f || fprintf(f, "%lu\n", count) < 0 || fclose(f))
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
