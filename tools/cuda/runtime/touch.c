/*
 * What the host does with device memory that is not there. Device addresses are host addresses, so
 * an access of the program's own to memory that it has freed, or never had, ends in a signal, as it
 * does on a real machine. Here it is said what the program did; then the signal takes its way: to
 * the handler that the program has, or else to its end.
 *
 * Left out: a handler that the program installs after its last cudaMalloc and cudaFree takes the
 * place of this one. An access past the end of an allocation, but within its last page, does not
 * end in a signal.
 */
#include "rt.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static struct sigaction before;

#if defined(__x86_64__)
/* What stands in front of an opcode. */
struct prefix {
	unsigned word;   /* bytes of an integer operand */
	unsigned vector; /* of a whole vector register */
	unsigned kind;   /* as VEX counts them: 1 for 0x66, 2 for 0xf3, 3 for 0xf2 */
	bool two;        /* the opcode is one after 0x0f */
};

static const uint8_t *skip_vex(const uint8_t *i, struct prefix *p)
{
	const bool evex = *i == 0x62, wide = *i == 0xc5;
	const uint8_t last = i[wide ? 1 : 2];

	p->two = wide || (i[1] & (evex ? 7 : 31)) == 1;
	p->kind = last & 3;
	p->word = !wide && last >> 7 ? 8 : 4;
	p->vector = 16u << (evex ? i[3] >> 5 & 3 : last >> 2 & 1);
	return i + (wide ? 2 : evex ? 4 : 3);
}

static const uint8_t *skip_prefix(const uint8_t *i, struct prefix *p)
{
	*p = (struct prefix){.word = 4, .vector = 16};
	for (; *i && strchr("\x66\xf2\xf3\x2e\x36\x3e\x26\x64\x65\xf0", *i); i++)
		p->kind = *i == 0x66 ? 1 : *i == 0xf3 ? 2 : *i == 0xf2 ? 3 : p->kind;
	if (*i == 0xc4 || *i == 0xc5 || *i == 0x62)
		return skip_vex(i, p);
	p->word = p->kind == 1 ? 2 : 4;
	if ((*i & 0xf0) == 0x40 && *i++ & 8)
		p->word = 8;
	p->two = *i == 0x0f;
	return i + p->two;
}

/* Of opcodes after 0x0f: moves with an extension, conditional ones, and of vectors. */
static unsigned bytes_of_two(uint8_t op, const struct prefix *p)
{
	if (op == 0xb6 || op == 0xbe)
		return 1;
	if (op == 0xb7 || op == 0xbf)
		return 2;
	if ((op & 0xf0) == 0x40 || op == 0xaf || op == 0x2a)
		return p->word;
	if (op == 0x6e || op == 0x7e) /* 0x66 is of the opcode, no size */
		return p->kind == 2 || p->word == 8 ? 8 : 4;
	if (op == 0x12 || op == 0x13 || op == 0x16 || op == 0x17 || op == 0xd6)
		return 8;
	if (op == 0x2e || op == 0x2f)
		return p->kind ? 8 : 4;
	if (op == 0x10 || op == 0x11 || op == 0x2c || op == 0x2d || op == 0xc2 ||
		(op >= 0x51 && op <= 0x5f))
		return p->kind == 2 ? 4 : p->kind == 3 ? 8 : p->vector;
	if (op == 0x28 || op == 0x29 || op == 0x6f || op == 0x7f || op == 0xe7 || op == 0x2b)
		return p->vector;
	return 0;
}

/* How many bytes the instruction accesses, of those that compilers use most; 0: it is another. */
static unsigned bytes_of(const uint8_t *i)
{
	struct prefix p;

	i = skip_prefix(i, &p);
	if (p.two)
		return bytes_of_two(*i, &p);
	if (*i == 0x63)
		return 4;
	if ((*i < 0x40 && (*i & 7) < 4) || (*i >= 0x80 && *i <= 0x8b && *i != 0x82) ||
		(*i >= 0xa4 && *i <= 0xa7) || *i == 0xaa || *i == 0xab || *i == 0xc6 ||
		*i == 0xc7 || *i == 0xf6 || *i == 0xf7 || *i == 0xfe || *i == 0xff)
		return *i & 1 || *i == 0x83 ? p.word : 1;
	return 0;
}
#endif

/* "reads 8 bytes", as far as the processor tells. */
static void verb(char *out, size_t size, uint64_t address, const void *context)
{
#if defined(__x86_64__)
	const ucontext_t *c = context;
	const uint64_t at = (uint64_t)c->uc_mcontext.gregs[REG_RIP];
	/* A call of what is no code: then the instruction is what cannot be read. */
	const bool runs = at == address || (c->uc_mcontext.gregs[REG_ERR] & 16);
	const unsigned n = runs ? 0 : bytes_of((const uint8_t *)(uintptr_t)at);
	const char *does = c->uc_mcontext.gregs[REG_ERR] & 2 ? "writes" : "reads";

	if (runs)
		snprintf(out, size, "runs code at");
	else if (n)
		snprintf(out, size, "%s %u byte%s at", does, n, n > 1 ? "s" : "");
	else
		snprintf(out, size, "%s", does);
#else
	(void)address;
	(void)context;
	snprintf(out, size, "accesses");
#endif
}

/* Not by stdio: the program may be in the middle of it. */
static void say(uint64_t address, const void *context)
{
	char does[40], where[200] = "", line[400];
	int n;

	verb(does, sizeof(does), address, context);
	if (rt_try()) { /* no other thread changes the allocations */
		memcpy(where, ", ", 2);
		ptx_where(rt.machine, address, where + 2, sizeof(where) - 2);
		rt_let();
	}
	n = snprintf(line, sizeof(line),
		"warptrace: the host %s 0x%" PRIx64 " of device memory%s\n", does, address, where);
	if (n > 0 && write(STDERR_FILENO, line, (size_t)n) != n)
		return; /* there is no other place to say it */
}

/* A handler may hand the signal on to the one before it, which comes here once more, deeper. */
static __thread uintptr_t frame, frame_context;

static bool handed_on(const void *context)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	const bool is = (uintptr_t)context == frame_context && here < frame;

	if (!is)
		frame = here;
	frame_context = (uintptr_t)context;
	return is;
}

static bool is_handler(const struct sigaction *a)
{
	return (a->sa_flags & SA_SIGINFO) || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

/*
 * Without a handler of the program's the access is made again, and the signal ends the program; but
 * where the program ignores the signal, one that somebody has sent does nothing.
 */
static void touched(int number, siginfo_t *info, void *context)
{
	const struct sigaction old = before;
	const uint64_t address = (uintptr_t)info->si_addr;
	const bool again = handed_on(context), sent = info->si_code <= 0;

	if (sent && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_IGN)
		return;
	if (!again && !sent && ptx_is_device(rt.machine, address))
		say(address, context);
	if (again || !is_handler(&old)) {
		signal(number, SIG_DFL);
		if (sent)
			raise(number);
	} else if (old.sa_flags & SA_SIGINFO) {
		old.sa_sigaction(number, info, context);
	} else {
		old.sa_handler(number);
	}
}

void rt_watch_touches(void)
{
	struct sigaction a = {.sa_sigaction = touched}, now;

	if (sigaction(SIGSEGV, NULL, &now))
		return;
	/* signal() puts back a handler that it has taken away, but without SA_SIGINFO. */
	const bool ours = now.sa_sigaction == touched;
	if (ours && (now.sa_flags & SA_SIGINFO))
		return;
	if (!ours)
		before = now;
	a.sa_mask = before.sa_mask;
	a.sa_flags = SA_SIGINFO | SA_ONSTACK |
		     (before.sa_flags & (SA_NODEFER | SA_RESTART | (int)SA_RESETHAND));
	sigaction(SIGSEGV, &a, NULL);
}
