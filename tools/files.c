/* Files with good manners; see files.h. */
#include "tools/files.h"
#include "tools/common.h"
#include "libtrace/stream.h"
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (1 << 16)
#define LINKS_MAX 40 /* of one path; as the kernel has it */

/* ---- names that go when the run ends early ---- */

/* A name in a folder that is open; newer ones come first, so that files go before their folder. */
struct making {
	struct making *next;
	int dir;
	bool is_folder;
	char name[NAME_MAX + 1];
};
static struct making *makings;

static void remove_makings(void)
{
	for (const struct making *m = makings; m; m = m->next)
		unlinkat(m->dir, m->name, m->is_folder ? AT_REMOVEDIR : 0);
}

/* All that end a program, but for SIGKILL. */
static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE,
	SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGXCPU, SIGVTALRM,
	SIGPROF, SIGIO, SIGPWR, SIGSYS};
#define ENDS (sizeof(ends) / sizeof(ends[0]))

/* While held, signals wait, so that a thing made is also noted. Holds nest. */
static void signals_hold(bool hold)
{
	static unsigned depth;
	sigset_t set;

	depth += hold ? 1u : -1u;
	if (depth != hold)
		return;
	sigemptyset(&set);
	for (size_t i = 0; i < ENDS; i++)
		sigaddset(&set, ends[i]);
	sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

static void on_signal(int sig)
{
	remove_makings();
	signal(sig, SIG_DFL);
	raise(sig);
}

enum made { MADE_FILE, MADE_FOLDER, MADE_LINK };

/* Makes an entry of dir; a link is to the open file that /proc shows as `from`. fd, 0 or -1. */
static int make_entry(enum made what, int dir, const char *name, const char *from)
{
	switch (what) {
	case MADE_FILE:
		return openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	case MADE_FOLDER:
		return mkdirat(dir, name, 0777);
	default:
		return linkat(AT_FDCWD, from, dir, name, AT_SYMLINK_FOLLOW);
	}
}

/* The same, and it goes when the run ends early. *made NULL, -1 and errno where that fails. */
static int make(enum made what, int dir, const char *name, const char *from, struct making **made)
{
	struct making *m = must_alloc(1, sizeof(*m));
	int fd, bad;

	*m = (struct making){.next = makings, .dir = dir, .is_folder = what == MADE_FOLDER};
	snprintf(m->name, sizeof(m->name), "%s", name);
	signals_hold(true);
	fd = make_entry(what, dir, name, from);
	bad = errno;
	if (fd >= 0)
		makings = m;
	signals_hold(false);
	if (fd < 0)
		free(m);
	*made = fd < 0 ? NULL : m;
	errno = bad;
	return fd;
}

/* The same under a name that is for the time of the making, and no longer than names may be. */
static int make_beside(
	enum made what, int dir, const char *base, const char *from, struct making **made)
{
	int fd = -1;

	for (unsigned n = 0; n < 100; n++) {
		char *name = must_printf("%.*s.tmp-%ld", NAME_MAX - 40, base, (long)getpid());
		char *other = must_printf("%s-%u", name, n);

		/* One may be there of a process that was killed and had the same number. */
		fd = make(what, dir, n ? other : name, from, made);
		free(name);
		free(other);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

/* The entry has its name now, or another one. Signals are held. */
static void forget(struct making *m)
{
	struct making **at = &makings;

	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	free(m);
}

/* ---- what is read is not written, and nothing is written twice ---- */

struct known {
	dev_t dev;
	ino_t ino;
	char *base; /* an output by its name in the folder dev, ino; NULL: a file */
	bool written;
};
static struct known *known;
static size_t nknown;

static _Noreturn void die_twice(bool written, const char *path)
{
	char *name = path ? must_printf("'%s'", path) : must_printf("standard output");

	if (written)
		die(EXIT_USAGE, "%s is to be written twice: each output wants a file of its own",
			name);
	die(EXIT_USAGE, "%s is both input and output", name);
}

/* path NULL: a standard stream. */
static void note(const struct stat *st, const char *base, bool written, const char *path)
{
	for (size_t i = 0; i < nknown; i++) {
		const struct known *k = &known[i];

		if (k->dev != st->st_dev || k->ino != st->st_ino || !k->base != !base ||
			(base && strcmp(k->base, base) != 0))
			continue;
		if (written || k->written)
			die_twice(written && k->written, path);
		return;
	}
	known = must_realloc(known, nknown + 1, sizeof(*known));
	known[nknown++] = (struct known){
		st->st_dev, st->st_ino, base ? must_printf("%s", base) : NULL, written};
}

static void note_file(int fd, bool written, const char *path)
{
	struct stat st;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		note(&st, NULL, written, path);
}

void input_note(const char *path)
{
	struct stat st;

	if (stat(path, &st) || access(path, R_OK))
		die(EXIT_BAD, "cannot open '%s': %s", path, strerror(errno));
	if (S_ISREG(st.st_mode))
		note(&st, NULL, false, path);
}

/* ---- input ---- */

FILE *input_beside(const char *path)
{
	FILE *f = fopen(path, "rb");

	if (f)
		note_file(fileno(f), false, path);
	return f;
}

FILE *input_open(const char *path, char **name)
{
	FILE *f = stdin;

	if (!path || !strcmp(path, "-")) {
		if (isatty(STDIN_FILENO))
			die(EXIT_USAGE, "standard input is a terminal: name a FILE or use a pipe");
		note_file(STDIN_FILENO, false, NULL);
		*name = must_printf("standard input");
		return f;
	}
	f = input_beside(path);
	if (!f)
		die(EXIT_BAD, "cannot open '%s': %s", path, strerror(errno));
	*name = must_printf("'%s'", path);
	return f;
}

bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

char *file_read(const char *path, size_t *len)
{
	char *text = NULL, *name = NULL;
	FILE *f = path ? input_beside(path) : input_open(NULL, &name);
	size_t cap = 0;

	*len = 0;
	if (!f)
		die(EXIT_BAD, "cannot open '%s': %s", path, strerror(errno));
	do {
		cap = cap ? 2 * cap : 1 << 16;
		text = realloc(text, cap + 1);
		if (!text)
			die_memory(path);
		*len += fread(text + *len, 1, cap - *len, f);
	} while (*len == cap);
	if (ferror(f))
		die(EXIT_BAD, "cannot read %s%s%s: %s", path ? "'" : "", path ? path : name,
			path ? "'" : "", strerror(errno));
	fclose(f);
	free(name);
	text[*len] = 0;
	return text;
}

char *text_read(const char *path)
{
	size_t len, line = 1;
	char *text = file_read(path, &len);
	const char *zero = text + strlen(text);

	if (zero == text + len)
		return text;
	for (const char *p = text; p < zero; p++)
		line += *p == '\n';
	die(EXIT_BAD, "cannot read '%s': line %zu: there is a zero byte: it is no text", path,
		line);
}

/* ---- where output goes ---- */

struct place {
	int dir; /* -1: it is written as it is */
	char *base;
};

/* What the link `at` stands for; NULL: it is no link. */
static char *follow(const char *at, int base)
{
	char link[PATH_MAX];
	const ssize_t n = readlink(at, link, sizeof(link));

	if (n < 0 || n == sizeof(link))
		return NULL;
	return *link == '/' ? must_printf("%.*s", (int)n, link)
			    : must_printf("%.*s%.*s", base, at, (int)n, link);
}

/* Is `at` a link of /proc, which stands for an open file and not for a name? */
static bool is_magic(const char *at, int base)
{
	char *folder = must_printf("%.*s.", base, at), *real = realpath(folder, NULL);
	const bool magic = real && !strncmp(real, "/proc/", 6);

	free(folder);
	free(real);
	return magic;
}

/* The folder and the name in it that path comes to when its links are followed; -1 and errno. */
static int find_place(const char *path, struct place *p)
{
	char *at = must_printf("%s", path), *next;
	int base, links = 0;

	for (;; links++) {
		const char *slash = strrchr(at, '/');

		base = slash ? (int)(slash - at + 1) : 0;
		next = follow(at, base);
		if (!next || links == LINKS_MAX)
			break;
		if (is_magic(at, base)) {
			free(next);
			free(at);
			return 0;
		}
		free(at);
		at = next;
	}
	p->base = must_printf("%s", at + base);
	next = next ? next : must_printf("%.*s.", base, at);
	p->dir = links == LINKS_MAX ? -1 : open(next, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (links == LINKS_MAX)
		errno = ELOOP;
	base = errno;
	free(next);
	free(at);
	errno = base;
	return p->dir < 0 ? -1 : 0;
}

static _Noreturn void cannot_write(const char *path, int reason)
{
	if (!path)
		die(EXIT_BAD, "cannot write standard output: %s", strerror(reason));
	die(EXIT_BAD, "cannot write '%s': %s", path, strerror(reason));
}

/* ---- what is behind an output's FILE ---- */

struct sink {
	FILE *f;
	const char *path; /* NULL: standard output */
	int fd;
	int error;             /* errno of the first write that failed */
	bool binary;           /* a stream */
	bool begun;            /* bytes of it have gone out */
	struct place place;    /* where it goes when it is whole */
	struct making *making; /* NULL: it has no name yet, or its own */
	char buffer[BUFFER_BYTES];
};
static struct sink *to_stdout; /* while it is open */
static bool forgotten;

static ssize_t sink_write(void *cookie, const char *data, size_t len)
{
	struct sink *s = cookie;
	size_t done = 0;

	if (forgotten && s == to_stdout)
		return (ssize_t)len;
	while (done < len && !s->error) {
		const ssize_t n = write(s->fd, data + done, len - done);

		s->begun |= n > 0;
		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			s->error = errno;
	}
	errno = s->error;
	return (ssize_t)done;
}

static struct sink *sink_new(const char *path)
{
	struct sink *s = must_alloc(1, sizeof(*s));

	s->f = fopencookie(s, "w", (cookie_io_functions_t){.write = sink_write});
	if (!s->f)
		die_memory(NULL);
	s->path = path;
	s->fd = -1;
	s->place.dir = -1;
	return s;
}

static void sink_start(struct sink *s)
{
	setvbuf(s->f, s->buffer, isatty(s->fd) ? _IOLBF : _IOFBF, sizeof(s->buffer));
}

/* Sends what is left: 0, or the reason why that or a write before failed. */
static int sink_flush(struct sink *s)
{
	return (fflush(s->f) || ferror(s->f)) && !s->error ? EIO : s->error;
}

static void sink_free(struct sink *s)
{
	fclose(s->f);
	if (s->place.dir >= 0)
		close(s->place.dir);
	free(s->place.base);
	free(s);
}

/* ---- output ---- */

static void open_stdout(struct output *o, bool binary)
{
	if (binary && isatty(STDOUT_FILENO))
		die(EXIT_USAGE, "a trace is not for a terminal: use -o FILE, or a pipe to "
				"trace-info");
	if (to_stdout)
		die_twice(true, NULL);
	to_stdout = o->sink = sink_new(NULL);
	o->sink->fd = STDOUT_FILENO;
	o->sink->binary = binary;
	sink_start(o->sink);
	o->f = o->sink->f;
}

/* A file that is there lends the new one its mode and owner. */
static void take_after(const struct stat *old, int fd)
{
	struct stat now;

	if (!fstat(fd, &now) && (now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
		fchown(fd, old->st_uid, old->st_gid))
		return; /* then it is ours, with the mode of what is ours */
	fchmod(fd, old->st_mode & 07777);
}

/* A file without a name in the folder, or -1. */
static int open_nameless(int dir)
{
	char *proc;
	const int fd = openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);

	if (fd < 0)
		return -1;
	proc = must_printf("/proc/self/fd/%d", fd);
	if (access(proc, F_OK)) { /* it could never be named */
		free(proc);
		close(fd);
		return -1;
	}
	free(proc);
	return fd;
}

/* The new file, in the place that is known; old is what is there and lends its mode, or NULL. */
static void open_new(struct sink *s, const struct stat *old)
{
	struct stat folder;

	if (old)
		note(old, NULL, true, s->path);
	if (!fstat(s->place.dir, &folder))
		note(&folder, s->place.base, true, s->path);
	s->fd = open_nameless(s->place.dir);
	if (s->fd < 0)
		s->fd = make_beside(MADE_FILE, s->place.dir, s->place.base, NULL, &s->making);
	if (s->fd < 0)
		cannot_write(s->path, errno);
	if (old)
		take_after(old, s->fd);
	sink_start(s);
}

static struct sink *start_output(struct output *o, const char *path)
{
	struct sink *s = sink_new(path);

	*o = (struct output){.f = s->f, .path = path, .sink = s};
	return s;
}

void output_open(struct output *o, const char *path, bool binary)
{
	struct stat st;
	bool there;
	struct sink *s;

	if (!path || !strcmp(path, "-")) {
		*o = (struct output){0};
		open_stdout(o, binary);
		return;
	}
	s = start_output(o, path);
	there = !stat(path, &st);
	if ((!there || S_ISREG(st.st_mode)) && find_place(path, &s->place))
		cannot_write(path, errno);
	if (s->place.dir < 0) {
		/* What a link of /proc stands for may be a file that others write as well. */
		s->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
		if (s->fd < 0)
			cannot_write(path, errno);
		sink_start(s);
		return;
	}
	if (!there && !*s->place.base)
		cannot_write(path, EISDIR);
	/* Somebody else may write the same output, and it has come to be there since. */
	if (!there) {
		there = !fstatat(s->place.dir, s->place.base, &st, AT_SYMLINK_NOFOLLOW);
		if (there ? !S_ISREG(st.st_mode) : errno != ENOENT)
			cannot_write(path, there ? ELOOP : errno);
	}
	if (there && faccessat(s->place.dir, s->place.base, W_OK, AT_EACCESS))
		cannot_write(path, errno);
	open_new(s, there ? &st : NULL);
}

void output_open_in(struct output *o, int dir, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct sink *s = start_output(o, path);
	struct stat st;
	bool there;

	s->place.base = must_printf("%s", slash ? slash + 1 : path);
	s->place.dir = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	if (s->place.dir < 0)
		cannot_write(path, errno);
	there = !fstatat(dir, s->place.base, &st, AT_SYMLINK_NOFOLLOW);
	if (there && S_ISDIR(st.st_mode))
		cannot_write(path, EISDIR);
	open_new(s, there && S_ISREG(st.st_mode) ? &st : NULL);
}

/*
 * Gives the file without a name its own. No call puts it in the place of another, so where there is
 * one it has a name beside it for a moment. 0 or errno.
 */
static int give_name(struct sink *s)
{
	char *proc = must_printf("/proc/self/fd/%d", s->fd);
	int bad = 0;

	if (make_entry(MADE_LINK, s->place.dir, s->place.base, proc))
		bad = errno;
	if (bad == EEXIST)
		bad = make_beside(MADE_LINK, s->place.dir, s->place.base, proc, &s->making) < 0
			      ? errno
			      : 0;
	free(proc);
	return bad;
}

/* Closes a duplicate, since closing may be what tells of a failed write: 0 or errno. */
static int try_close(int fd)
{
	const int copy = dup(fd);

	return copy < 0 || close(copy) ? errno : 0;
}

static int finish_file(struct sink *s)
{
	int bad = try_close(s->fd);

	if (!bad && s->place.dir >= 0 && !s->making)
		bad = give_name(s);
	if (!bad && s->making &&
		renameat(s->place.dir, s->making->name, s->place.dir, s->place.base))
		bad = errno;
	if (!bad && s->making)
		forget(s->making);
	close(s->fd);
	return bad;
}

void output_check(const struct output *o)
{
	int bad = sink_flush(o->sink);

	if (!bad)
		bad = try_close(o->sink->fd);
	if (bad)
		cannot_write(o->path, bad);
}

int output_fd(const struct output *o)
{
	return o->sink->fd;
}

void output_close(struct output *o)
{
	struct sink *s = o->sink;
	int bad = sink_flush(s);

	if (!o->path) {
		to_stdout = NULL;
		if (bad == EPIPE)
			exit(EXIT_BAD); /* its reader has what it wanted */
	} else if (!bad) {
		signals_hold(true);
		bad = finish_file(s);
		signals_hold(false);
	}
	if (bad)
		cannot_write(o->path, bad);
	sink_free(s);
	*o = (struct output){0};
}

void output_die(const struct output *o, const struct tr_err *err, const char *what)
{
	if (!o->f || !ferror(o->f) || !o->sink->error)
		die_err(err, what);
	if (!o->path && o->sink->error == EPIPE)
		exit(EXIT_BAD);
	cannot_write(o->path, o->sink->error);
}

void files_start(void)
{
	struct sigaction old;

	/* A standard stream that is closed is no number for a file of ours; using it still fails.
	 */
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd ? O_RDONLY : O_WRONLY);
	for (size_t i = 0; i < ENDS; i++)
		if (!sigaction(ends[i], NULL, &old) && old.sa_handler == SIG_DFL)
			signal(ends[i], on_signal);
	note_file(STDOUT_FILENO, true, NULL);
	/* A file that may grow no further is a write that fails, with a sentence. */
	signal(SIGXFSZ, SIG_IGN);
}

/* The next tool of a pipe is told that the reason has been said: it says nothing of its own. */
static void tell_reader(void)
{
	struct stat st;

	if (to_stdout && to_stdout->binary && !to_stdout->begun && !fstat(to_stdout->fd, &st) &&
		S_ISFIFO(st.st_mode))
		sink_write(to_stdout, TR_STREAM_FAILED, strlen(TR_STREAM_FAILED));
}

void outputs_forget(void)
{
	tell_reader();
	forgotten = true;
}

void outputs_end(void)
{
	if (to_stdout)
		fflush(to_stdout->f);
	remove_makings();
}

/* ---- folders ---- */

static struct {
	const char *path;
	struct place place;
	int fd;
	struct making *making;
	struct sink *file; /* the one that is being written */
} folder;

static _Noreturn void no_folder(const char *reason)
{
	die(EXIT_BAD, "cannot make the folder '%s': %s", folder.path, reason);
}

/* Nothing may be there, or an empty folder; renameat then takes its place. */
static void check_empty(void)
{
	DIR *d = opendir(folder.path);
	const struct dirent *e;

	if (!d && errno != ENOENT)
		no_folder(strerror(errno));
	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			no_folder(strerror(ENOTEMPTY));
	if (d)
		closedir(d);
}

void folder_open(const char *path)
{
	size_t n = strlen(path);
	struct stat st;

	while (n > 1 && path[n - 1] == '/')
		n--;
	folder.path = must_printf("%.*s", (int)n, path);
	if (!stat(folder.path, &st) && S_ISREG(st.st_mode))
		note(&st, NULL, true, folder.path);
	if (find_place(folder.path, &folder.place))
		no_folder(strerror(errno));
	if (folder.place.dir < 0 || !*folder.place.base || !strcmp(folder.place.base, ".") ||
		!strcmp(folder.place.base, ".."))
		no_folder("give it a name");
	check_empty();
	if (make_beside(MADE_FOLDER, folder.place.dir, folder.place.base, NULL, &folder.making) < 0)
		no_folder(strerror(errno));
	folder.fd = openat(folder.place.dir, folder.making->name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder.fd < 0)
		no_folder(strerror(errno));
}

FILE *folder_create(const char *name, struct tr_err *err)
{
	char *path = must_printf("%s/%s", folder.path, name);
	struct sink *s = sink_new(path);
	struct making *m;

	s->fd = make(MADE_FILE, folder.fd, name, NULL, &m);
	if (s->fd < 0) {
		tr_fail(err, TR_EIO, 0, "cannot write '%s': %s", path, strerror(errno));
		return NULL;
	}
	sink_start(s);
	folder.file = s;
	return s->f;
}

int folder_finish(FILE *f, struct tr_err *err)
{
	struct sink *s = folder.file;
	int bad = sink_flush(s), rc = 1;

	assert(s->f == f);
	if (close(s->fd) && !bad)
		bad = errno;
	if (bad)
		rc = tr_fail(err, TR_EIO, 0, "cannot write '%s': %s", s->path, strerror(bad));
	folder.file = NULL;
	free((char *)s->path);
	sink_free(s);
	return rc;
}

void folder_die(const struct tr_err *err, const char *what)
{
	const struct sink *s = folder.file;

	if (s && s->error)
		cannot_write(s->path, s->error);
	die_err(err, what);
}

void folder_close(void)
{
	signals_hold(true);
	if (renameat(folder.place.dir, folder.making->name, folder.place.dir, folder.place.base))
		no_folder(strerror(errno));
	while (makings && makings->dir == folder.fd)
		forget(makings);
	forget(folder.making);
	signals_hold(false);
	close(folder.fd);
	close(folder.place.dir);
	free(folder.place.base);
	free((char *)folder.path);
}
