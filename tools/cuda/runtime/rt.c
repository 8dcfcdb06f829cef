/*
 * The library's state: the lock, errors, the machine and the record.
 *
 * trace-gen --run hands its wishes over in the environment: WARPTRACE_RUN is a list of NAME=VALUE,
 * separated by semicolons, WARPTRACE_PROVENANCE the line for the stream. The record goes to the
 * file descriptor `fd`; what became of it, in one line, to `status`. The first process of the
 * program that calls the runtime records; its children run without a record, and say so. What
 * compilers call before main is no such call: a program may fork first and leave the device to a
 * child. A program that has registered device code and never calls anything is recorded at its end,
 * unless it has forked, since its children may still call.
 */
#include "rt.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define END_SECONDS 60 /* that the end of the program waits for a launch of another thread, */
#define TRY_SECONDS 1  /* and a signal's handler for another thread's work */

struct rt rt;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t returned = PTHREAD_COND_INITIALIZER; /* a function of the program */
static __thread unsigned held;                             /* the lock, as often */
static __thread cudaError_t last_error;
static __thread int current_device;

static struct {
	FILE *out;
	struct tr_writer *writer;
	pid_t began, pid; /* the process that made it ready, and that which is recorded, or 0 */
	bool asked;       /* whether this process is recorded is decided */
	bool forked;      /* a child may still be */
	size_t head;      /* bytes that wait for that */
	int fd, status, findings;
	uint64_t first, last; /* launches that are recorded, counted from 0 */
	char *kernel;         /* only launches of this one, or NULL */
	uint64_t nlaunches, nrecorded;
	bool spoiled;
	char why[900]; /* a sentence of a struct tr_err, and more */
} record = {.fd = -1, .status = -1, .findings = -1, .last = UINT64_MAX};

void rt_say(const char *fmt, ...)
{
	char text[1000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "warptrace: %s\n", text);
}

void rt_spoil(const char *fmt, ...)
{
	va_list ap;

	if (record.spoiled)
		return;
	record.spoiled = true;
	va_start(ap, fmt);
	vsnprintf(record.why, sizeof(record.why), fmt, ap);
	va_end(ap);
}

/* ---- what trace-gen wants ---- */

static void apply(struct ptx_machine_options *o, int *level, const char *name, const char *value)
{
	struct ptx_resident *r = &o->resident;
	char *end;
	const uint64_t n = strtoull(value, &end, 10); /* -1 is 2^64 - 1 */

	if (!strcmp(name, "fd"))
		record.fd = (int)n;
	else if (!strcmp(name, "status"))
		record.status = (int)n;
	else if (!strcmp(name, "level"))
		*level = (int)n;
	else if (!strcmp(name, "max-insts"))
		o->max_insts = n;
	else if (!strcmp(name, "sync-reads"))
		o->sync_reads = n != 0;
	else if (!strcmp(name, "memory"))
		o->memory = n;
	else if (!strcmp(name, "host-memory"))
		rt.host_memory = n;
	else if (!strcmp(name, "memcheck"))
		o->memcheck = n != 0;
	else if (!strcmp(name, "findings"))
		record.findings = (int)n;
	else if (!strcmp(name, "forgive"))
		o->forgive = n != 0;
	else if (!strcmp(name, "verbose"))
		rt.verbose = n != 0;
	else if (!strcmp(name, "launches")) {
		record.first = n;
		record.last = *end == '-' ? strtoull(end + 1, NULL, 10) : n;
	} else if (!strcmp(name, "kernel"))
		record.kernel = strdup(value);
	else if (!strcmp(name, "resident"))
		sscanf(value, "%u,%u,%u,%u,%u,%u,%u", &r->sms, &r->ctas_per_sm, &r->threads_per_sm,
			&r->registers_per_sm, &r->shared_per_sm, &r->quantum, &r->shared_reserved);
}

static void read_wishes(struct ptx_machine_options *o, int *level)
{
	const char *given = getenv("WARPTRACE_RUN");
	char *text = given ? strdup(given) : NULL, *at = text, *item;

	while (at && (item = strsep(&at, ";"))) {
		char *equals = strchr(item, '=');
		if (equals) {
			*equals = 0;
			apply(o, level, item, equals + 1);
		}
	}
	free(text);
}

/*
 * The record is the first process's that takes it: a lock of the file says who that is. 1: this
 * one; 0: another one has it, or had; -1 with errno: nobody can say.
 */
static int claim(int fd)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	const int failed = fcntl(fd, F_SETLK, &l);

	if (failed)
		return errno == EACCES || errno == EAGAIN ? 0 : -1;
	return lseek(fd, 0, SEEK_END) == 0;
}

/* What waits in the buffers must not reach the file, which is another process's. */
static void forget_record(void)
{
	if (record.writer)
		tr_writer_abandon(record.writer);
	if (record.out)
		__fpurge(record.out);
	record.writer = NULL;
	record.out = NULL;
	record.fd = record.status = -1;
}

/* A fork waits for what other threads do here, so that its child finds nothing half done. */
static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
	record.forked = true;
	pthread_mutex_unlock(&lock);
}

/* The lock is a thread's of the parent: here it is made anew, and held as often as before. */
static void in_child(void)
{
	lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	returned = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	for (unsigned i = 0; i < held; i++)
		pthread_mutex_lock(&lock);
	if (!record.pid)
		return;
	if (record.writer)
		rt_say("process %ld was forked by one that is recorded: it runs on without a "
		       "record",
			(long)getpid());
	forget_record();
}

/*
 * The writer is there from the start, so that the program's own memory lies where it lies whoever
 * is recorded. What it writes first waits in a file of memory, and in no buffer, which a program
 * may flush.
 */
static void open_record(int level)
{
	const char *provenance = getenv("WARPTRACE_PROVENANCE");
	const struct tr_writer_options o = {.provenance = provenance, .level = level};
	struct tr_err err = {0};

	if (record.fd < 0)
		return;
	record.began = getpid();
	const int waits = memfd_create("record", MFD_CLOEXEC);
	record.out = waits < 0 ? NULL : fdopen(waits, "wb");
	if (!record.out)
		rt_spoil("cannot write the record: %s", strerror(errno));
	else if (tr_writer_open(&record.writer, record.out, &o, &err) < 0)
		rt_spoil("%s", err.msg);
	else if (fflush(record.out))
		rt_spoil("cannot write the record: %s", strerror(errno));
	else
		record.head = (size_t)lseek(waits, 0, SEEK_CUR);
}

/* Puts the file of the record in the place of that of memory, and what waits there into it. */
static bool move_head(void)
{
	const int waits = fileno(record.out);
	char part[512];
	ssize_t n;

	for (size_t done = 0; done < record.head; done += (size_t)n) {
		n = pread(waits, part, sizeof(part), (off_t)done);
		if (n <= 0 || write(record.fd, part, (size_t)n) != n)
			return false;
	}
	return dup2(record.fd, waits) >= 0;
}

/* Takes the record for this process, once, unless another one has it. */
static void claim_record(bool say)
{
	if (record.asked || record.fd < 0)
		return;
	record.asked = true;
	const int mine = claim(record.fd);
	if (!mine) {
		if (say)
			rt_say("process %ld: another one of the program is recorded, this one is "
			       "not",
				(long)getpid());
		forget_record();
		return;
	}
	record.pid = getpid();
	if (mine < 0 || (record.head && !move_head()))
		rt_spoil("cannot write the record: %s", strerror(errno));
}

/* Kernels print where the program does. */
static void print(void *arg, const char *text, size_t len)
{
	(void)arg;
	fwrite(text, 1, len, stdout);
}

static uint64_t memory_of_host(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
}

/* Threads of the program, this one included; at least 1. */
static unsigned count_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	const struct dirent *e;
	unsigned n = 0;

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n ? n : 1;
}

/*
 * All threads of a kernel wait. Another thread of the program may set what they wait for, since the
 * host can write what they read: it has so many milliseconds for that.
 */
#define PATIENCE 10000u
static int may_change(void *arg, uint32_t times)
{
	(void)arg;
	if (times >= PATIENCE || count_threads() == 1)
		return 0;
	usleep(1000);
	return 1;
}

static cudaError_t start(void)
{
	struct ptx_machine_options o = {.resident = PTX_RESIDENT_PROGRAM,
		.region = RT_REGION,
		.memory = RT_MEMORY,
		.print = print,
		.stalled = may_change};
	struct tr_err err = {0};
	int level = TR_LEVEL_DEFAULT;

	read_wishes(&o, &level);
	if (!o.memory)
		o.memory = RT_MEMORY;
	if (!rt.host_memory)
		rt.host_memory = memory_of_host();
	rt.resident = o.resident;
	if (ptx_machine_new(&rt.machine, &o, &err) < 0) {
		rt_say("%s", err.msg);
		return cudaErrorInitializationError;
	}
	open_record(level);
	pthread_atfork(before_fork, in_parent, in_child);
	return cudaSuccess;
}

/*
 * What the accesses of its kernels came to, if trace-gen asked: of each what findings.c reads, in
 * text, with a NUL behind every field, since names of files hold all other bytes.
 */
static void tell_findings(void)
{
	const struct ptx_finding *f;
	const uint32_t n = ptx_findings(rt.machine, &f);
	FILE *to = record.findings >= 0 ? fdopen(record.findings, "wb") : NULL;

	for (uint32_t i = 0; to && i < n; i++, f++) {
		fprintf(to, "%d%c%llu%c%s%c", f->kind, 0, (unsigned long long)f->n, 0, f->kernel,
			0);
		fprintf(to, "%s%c%u%c%s%c%u%c", f->ptx, 0, f->ptx_line, 0, f->file ? f->file : "",
			0, f->line, 0);
		fprintf(to, "%u%c%u%c%u%c%u%c", f->pc, 0, f->launch, 0, f->cta, 0, f->thread, 0);
		fprintf(to, "%llu%c%u%c%s%c", (unsigned long long)f->address, 0, f->bytes, 0,
			f->sentence, 0);
	}
	if (record.findings >= 0 && (!to || fflush(to)))
		rt_say("cannot tell trace-gen what --memcheck has found");
}

/* Accesses that went on, since trace-gen's --oob asked for that. */
static void tell_forgiven(void)
{
	const char *first;
	const uint64_t n = ptx_forgiven(rt.machine, &first);

	if (n)
		rt_say("%llu accesses out of bounds read 0 or were lost, first: %s",
			(unsigned long long)n, first);
}

/*
 * Other threads may still be at work: what they have begun ends, and from here on all that they ask
 * for is refused, as the real runtime does.
 */
static void shut(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += END_SECONDS;
	if (pthread_mutex_timedlock(&lock, &until))
		rt_spoil("a kernel was still running %d s after the program's end", END_SECONDS);
	rt.sticky = cudaErrorCudartUnloading;
}

/* Is there a record to end? This process's, or one that no process has taken and none still can. */
static bool is_mine(void)
{
	if (record.fd < 0)
		return false;
	return record.pid ? record.pid == getpid() : record.began == getpid() && !record.forked;
}

/* At the end of the program, after its own exit handlers and destructors. */
__attribute__((destructor)) static void finish(void)
{
	struct tr_err err = {0};
	char line[sizeof(record.why) + 16];
	int n;

	if (!is_mine())
		return;
	shut();
	claim_record(false);
	if (!record.out && !record.spoiled) {
		pthread_mutex_unlock(&lock);
		return;
	}
	tell_findings();
	tell_forgiven();
	if (record.writer && !record.spoiled && tr_writer_close(record.writer, &err) < 0)
		rt_spoil("%s", err.msg);
	if (record.out && (fflush(record.out) || ferror(record.out)))
		rt_spoil("cannot write the record: %s", strerror(errno));
	if (record.spoiled)
		n = snprintf(line, sizeof(line), "bad %s\n", record.why);
	else
		n = snprintf(line, sizeof(line), "done %llu %llu %llu\n",
			(unsigned long long)record.nlaunches, (unsigned long long)record.nrecorded,
			(unsigned long long)ptx_thread_insts(rt.machine));
	fflush(stdout); /* who hears of the end may look at what was printed */
	if (record.status >= 0 && write(record.status, line, (size_t)n) != n)
		rt_say("cannot tell trace-gen how the record ended");
	record.writer = NULL;
	pthread_mutex_unlock(&lock);
}

/* ---- entry and exit ---- */

cudaError_t rt_register(void)
{
	pthread_mutex_lock(&lock);
	held++;
	if (!rt.machine) {
		const cudaError_t e = start();
		if (e)
			return e;
	}
	rt.api_calls++;
	return rt.sticky;
}

cudaError_t rt_enter(void)
{
	const cudaError_t e = rt_register();

	if (rt.machine)
		claim_record(true);
	return e;
}

cudaError_t rt_enter_context(void)
{
	const cudaError_t e = rt_enter();

	if (!e)
		rt_use_context();
	return e;
}

cudaError_t rt_leave(cudaError_t e)
{
	if (e && e != cudaErrorNotReady)
		last_error = e;
	held--;
	pthread_mutex_unlock(&lock);
	return e;
}

bool rt_try(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += TRY_SECONDS;
	return !pthread_mutex_timedlock(&lock, &until);
}

void rt_let(void)
{
	pthread_mutex_unlock(&lock);
}

/* Gives the lock back but for so many times; returns how often it was held. */
static unsigned let_go(unsigned but)
{
	const unsigned n = held;

	for (unsigned i = but; i < n; i++)
		pthread_mutex_unlock(&lock);
	held = but;
	return n;
}

static void take_again(unsigned n)
{
	for (; held < n; held++)
		pthread_mutex_lock(&lock);
}

void rt_call(void (*fn)(void *user), void *user)
{
	const unsigned n = let_go(0);

	fn(user);
	take_again(n);
	pthread_cond_broadcast(&returned);
}

void rt_wait(void)
{
	const unsigned n = let_go(1);

	pthread_cond_wait(&returned, &lock);
	take_again(n);
}

cudaError_t rt_last_error(bool forget)
{
	const cudaError_t e = rt.sticky ? rt.sticky : last_error;

	if (forget)
		last_error = cudaSuccess;
	return e;
}

void rt_set_device(int device)
{
	current_device = device;
}

int rt_device(void)
{
	return current_device;
}

cudaError_t rt_error_of(const struct tr_err *err)
{
	if (err->code == TR_EMEM)
		return cudaErrorMemoryAllocation;
	if (err->code != TR_ERUN)
		return cudaErrorInvalidValue;
	switch (ptx_fault_kind(rt.machine)) {
	case PTX_FAULT_ADDRESS:
		return cudaErrorIllegalAddress;
	case PTX_FAULT_MISALIGNED:
		return cudaErrorMisalignedAddress;
	case PTX_FAULT_ASSERT:
		return cudaErrorAssert;
	case PTX_FAULT_STACK:
		return cudaErrorHardwareStackError;
	case PTX_FAULT_TOO_LONG:
	case PTX_FAULT_ENDLESS:
		return cudaErrorLaunchTimeout;
	default:
		return cudaErrorLaunchFailure;
	}
}

double rt_time(void)
{
	/* A device of 10^12 thread instructions a second, and a microsecond for each call. */
	return (double)ptx_thread_insts(rt.machine) * 1e-9 + (double)rt.api_calls * 1e-3;
}

static bool wanted(const char *kernel)
{
	const uint64_t n = record.nlaunches;

	return record.writer && !record.spoiled && n >= record.first && n <= record.last &&
	       (!record.kernel || !strcmp(record.kernel, kernel));
}

int rt_run(const struct ptx_launch *l, struct tr_err *err)
{
	const bool recorded = wanted(ptx_kernel_name(l->kernel));
	const int e = ptx_launch(rt.machine, l, recorded ? record.writer : NULL, err);

	record.nlaunches++;
	record.nrecorded += recorded;
	return e;
}
