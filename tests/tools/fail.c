/*
 * What makes a tool's calls fail, for LD_PRELOAD. FAIL_ALLOC, FAIL_WRITE and FAIL_CALL name the one
 * allocation, write, or other call on the file system that fails, counted from 1. FAIL_NAMELESS
 * stands for a file system whose files have names. FAIL_COUNT is a file that gets the three counts
 * when the program ends. Leaves out what the C library does in itself: the reads and writes of its
 * streams; its allocations count.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { ALLOC, WRITE, CALL, NKINDS };
static const char *const names[] = {"FAIL_ALLOC", "FAIL_WRITE", "FAIL_CALL"};
static unsigned long count[NKINDS], at[NKINDS];
static int ready, nameless;

static int fails(enum kind kind, int reason)
{
	if (!ready || __atomic_add_fetch(&count[kind], 1, __ATOMIC_RELAXED) != at[kind])
		return 0;
	errno = reason;
	return 1;
}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* The real function; looked up once. */
#define REAL(result, name, ...)                                                                    \
	static result (*real)(__VA_ARGS__);                                                        \
	if (!real)                                                                                 \
	real = (result(*)(__VA_ARGS__))(uintptr_t)next(#name)

__attribute__((constructor)) static void start(void)
{
	for (int k = 0; k < NKINDS; k++)
		at[k] = getenv(names[k]) ? strtoul(getenv(names[k]), NULL, 10) : 0;
	nameless = getenv("FAIL_NAMELESS") != NULL;
	unsetenv("LD_PRELOAD");
	ready = 1;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAIL_COUNT");
	FILE *f;

	ready = 0;
	f = path ? fopen(path, "w") : NULL;
	if (!f)
		return;
	fprintf(f, "%lu %lu %lu\n", count[ALLOC], count[WRITE], count[CALL]);
	fclose(f);
}

void *malloc(size_t size)
{
	REAL(void *, malloc, size_t);
	return fails(ALLOC, ENOMEM) ? NULL : real(size);
}

void *calloc(size_t n, size_t size)
{
	REAL(void *, calloc, size_t, size_t);
	return fails(ALLOC, ENOMEM) ? NULL : real(n, size);
}

void *realloc(void *old, size_t size)
{
	REAL(void *, realloc, void *, size_t);
	return fails(ALLOC, ENOMEM) ? NULL : real(old, size);
}

void *aligned_alloc(size_t align, size_t size)
{
	REAL(void *, aligned_alloc, size_t, size_t);
	return fails(ALLOC, ENOMEM) ? NULL : real(align, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
	REAL(int, posix_memalign, void **, size_t, size_t);
	return fails(ALLOC, ENOMEM) ? ENOMEM : real(p, align, size);
}

void *mmap(void *to, size_t len, int prot, int flags, int fd, off_t offset)
{
	REAL(void *, mmap, void *, size_t, int, int, int, off_t);
	return fails(ALLOC, ENOMEM) ? MAP_FAILED : real(to, len, prot, flags, fd, offset);
}

ssize_t write(int fd, const void *data, size_t len)
{
	REAL(ssize_t, write, int, const void *, size_t);
	return fails(WRITE, ENOSPC) ? -1 : real(fd, data, len);
}

static int cannot_open(int flags)
{
	if (!nameless || (flags & O_TMPFILE) != O_TMPFILE)
		return fails(CALL, EIO);
	errno = EOPNOTSUPP;
	return 1;
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	REAL(int, open, const char *, int, ...);

	va_start(ap, flags);
	const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return cannot_open(flags) ? -1 : real(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	va_list ap;
	REAL(int, openat, int, const char *, int, ...);

	va_start(ap, flags);
	const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return cannot_open(flags) ? -1 : real(dir, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	REAL(FILE *, fopen, const char *, const char *);
	return fails(CALL, EMFILE) ? NULL : real(path, mode);
}

FILE *fdopen(int fd, const char *mode)
{
	REAL(FILE *, fdopen, int, const char *);
	return fails(CALL, EMFILE) ? NULL : real(fd, mode);
}

int linkat(int from, const char *path, int to, const char *name, int flags)
{
	REAL(int, linkat, int, const char *, int, const char *, int);
	return fails(CALL, EDQUOT) ? -1 : real(from, path, to, name, flags);
}

int renameat(int from, const char *path, int to, const char *name)
{
	REAL(int, renameat, int, const char *, int, const char *);
	return fails(CALL, EDQUOT) ? -1 : real(from, path, to, name);
}

int mkdirat(int dir, const char *path, mode_t mode)
{
	REAL(int, mkdirat, int, const char *, mode_t);
	return fails(CALL, EDQUOT) ? -1 : real(dir, path, mode);
}

/* It is closed all the same, as close() has it. */
int close(int fd)
{
	REAL(int, close, int);
	const int failed = fails(CALL, EDQUOT), rc = real(fd);

	if (!failed)
		return rc;
	errno = EDQUOT;
	return -1;
}
