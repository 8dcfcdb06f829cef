/*
 * What a kernel asks of the host while it runs: printf, assert, and malloc and free from a heap.
 *
 * The heap is one allocation; blocks are powers of two with 16 bytes before them that say how large
 * they are, and freed ones are used again by the next that want the same. Lanes are served in
 * order.
 */
#include "sim/ptx/shorten.h"
#include "sim/ptx/vm.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HEAP_BYTES (8u << 20) /* CUDA C Programming Guide: cudaLimitMallocHeapSize */
#define BLOCK_HEAD 16u
#define BLOCK_USED 0x57a7ed0000000000ull /* in the head, with the power of two below it */
#define BLOCK_FREE 0xf7eeb10c00000000ull
enum { POWER_MIN = 5, POWER_MAX = 40, TEXT_MAX = 4096 };
/* A text is cut after TEXT_MAX: what is larger than these changes nothing before the cut. */
enum { PRECISION_MAX = 2 * TEXT_MAX, WIDTH_MAX = 4 * TEXT_MAX, MEASURE_MAX = 1 << 24 };

static uint64_t lane_value(
	const struct ptx_warp *w, const struct ptx_code *c, unsigned k, unsigned i)
{
	const void *s = ptx_source(w, c, k);
	return c->sbytes[k] == 8 ? ((const uint64_t *)s)[i] : ((const uint32_t *)s)[i];
}

/* A string of the kernel's, at most up to the end of what it lies in. */
static void read_text(
	const struct ptx_warp *w, unsigned lane, uint64_t address, char *out, size_t size)
{
	uint64_t have = 0;
	const uint8_t *at = address ? ptx_lane_bytes(w, lane, address, &have) : NULL;
	size_t n = 0;

	for (; at && n + 1 < size && n < have && at[n]; n++)
		out[n] = (char)at[n];
	out[n] = 0;
	if (!at)
		snprintf(out, size, "%s", address ? "(bad address)" : "(null)");
}

/* ---- printf ---- */

/* The arguments as the compiler packs them: each at a multiple of its size. */
struct pack {
	const uint8_t *at;
	uint64_t have, used;
	unsigned word; /* bytes of an address, and of a long */
};

static uint64_t take(struct pack *p, unsigned bytes)
{
	uint64_t v = 0;

	p->used = (p->used + bytes - 1) & ~(uint64_t)(bytes - 1);
	if (p->at && bytes <= p->have && p->used <= p->have - bytes)
		memcpy(&v, p->at + p->used, bytes);
	p->used += bytes;
	return v;
}

struct text {
	char at[TEXT_MAX];
	size_t n;
};

static void put(struct text *t, const char *s)
{
	for (; *s && t->n + 1 < sizeof(t->at); s++)
		t->at[t->n++] = *s;
}

static int bounded(int n, int max)
{
	return n > max ? max : n < -max ? -max : n;
}

/* A width or a precision: digits, or '*' and an argument, which may be negative. */
static const char *measure(const char *f, struct pack *p, int *n)
{
	*n = *f == '*' ? bounded((int)take(p, 4), MEASURE_MAX) : 0;
	if (*f == '*')
		return f + 1;
	for (; isdigit((unsigned char)*f); f++)
		*n = bounded(10 * *n + (*f - '0'), MEASURE_MAX);
	return f;
}

/* Both as they may be, with as many blanks between them as before. */
static void bound(int *width, int *precision)
{
	const int more = *precision - PRECISION_MAX;

	if (more > 0 && *width > 0)
		*width = *width > more ? *width - more : 0;
	*precision = bounded(*precision, PRECISION_MAX);
	*width = bounded(*width, WIDTH_MAX);
}

/* An integer argument as C's printf has it: all of it, or the bits that h or hh leave. */
static long long integer(struct pack *p, int is_signed, unsigned longs, unsigned shorts)
{
	if (longs > 1 || (longs && p->word == 8))
		return (long long)take(p, 8);
	const uint32_t v = (uint32_t)take(p, 4);
	const unsigned unused = shorts > 1 ? 24 : 16 * shorts;
	return is_signed ? (long long)((int32_t)(v << unused) >> unused)
			 : (long long)(v << unused >> unused);
}

/* One conversion, from its '%' on; returns what follows it. */
static const char *convert(struct text *t, const char *f, const struct ptx_warp *w, unsigned lane,
	struct pack *p, unsigned *n)
{
	char spec[16] = "%", out[TEXT_MAX], string[TEXT_MAX];
	size_t len = 1;
	unsigned longs = 0, shorts = 0;
	int width, precision = -1;
	double d;

	for (f++; *f && strchr("-+ #0", *f); f++)
		if (!strchr(spec, *f))
			spec[len++] = *f;
	f = measure(f, p, &width);
	if (*f == '.')
		f = measure(f + 1, p, &precision);
	bound(&width, &precision);
	for (; *f && strchr("hlLqjzt", *f); f++) {
		longs += *f == 'q' || *f == 'j' ? 2 : *f == 'l' || *f == 'z' || *f == 't';
		shorts += *f == 'h';
	}
	out[0] = 0;
	switch (*f) {
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		snprintf(spec + len, sizeof(spec) - len, "*.*ll%c", *f);
		snprintf(out, sizeof(out), spec, width, precision,
			integer(p, *f == 'd' || *f == 'i', longs, shorts));
		break;
	case 'c':
		snprintf(spec + len, sizeof(spec) - len, "*c");
		snprintf(out, sizeof(out), spec, width, (int)take(p, 4));
		break;
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case 'a':
	case 'A': {
		const uint64_t bits = take(p, 8);
		memcpy(&d, &bits, sizeof(d));
		snprintf(spec + len, sizeof(spec) - len, "*.*%c", *f);
		snprintf(out, sizeof(out), spec, width, precision, d);
		break;
	}
	case 's':
		read_text(w, lane, take(p, p->word), string, sizeof(string));
		snprintf(spec + len, sizeof(spec) - len, "*.*s");
		snprintf(out, sizeof(out), spec, width, precision, string);
		break;
	case 'p':
		snprintf(string, sizeof(string), "0x%" PRIx64, take(p, p->word));
		snprintf(spec + len, sizeof(spec) - len, "*s");
		snprintf(out, sizeof(out), spec, width, string);
		break;
	case '%':
		put(t, "%");
		return f + 1;
	default:
		return *f ? f + 1 : f; /* no conversion of CUDA's */
	}
	put(t, out);
	++*n;
	return f + 1;
}

static uint32_t print(const struct ptx_warp *w, unsigned lane, uint64_t format, uint64_t args)
{
	const struct ptx_machine_options *opt = &w->cta->run->machine->opt;
	struct pack p = {.word = ptx_address_bytes(w->cta->run->kernel->module)};
	struct text t = {.n = 0};
	char f[TEXT_MAX];
	unsigned n = 0;

	read_text(w, lane, format, f, sizeof(f));
	if (args)
		p.at = ptx_lane_bytes(w, lane, args, &p.have);
	for (const char *at = f; *at;)
		if (*at == '%') {
			at = convert(&t, at, w, lane, &p, &n);
		} else {
			const char one[2] = {*at++, 0};
			put(&t, one);
		}
	if (opt->print)
		opt->print(opt->print_arg, t.at, t.n);
	return n;
}

static int fail_assert(struct ptx_warp *w, const struct ptx_code *c, unsigned lane)
{
	char message[TEXT_MAX], file[TEXT_MAX], function[TEXT_MAX];

	read_text(w, lane, lane_value(w, c, 0, lane), message, sizeof(message));
	read_text(w, lane, lane_value(w, c, 1, lane), file, sizeof(file));
	read_text(w, lane, lane_value(w, c, 3, lane), function, sizeof(function));
	w->cta->run->machine->fault = PTX_FAULT_ASSERT;
	return ptx_fault(w, c, lane, "fails: %s:%u: %s: Assertion `%s'", ptx_short_path(file).text,
		(unsigned)lane_value(w, c, 2, lane), ptx_short_name(function).text,
		ptx_short_text(message).text);
}

/* ---- the heap ---- */

int ptx_set_heap(struct ptx_machine *m, uint64_t bytes, struct tr_err *err)
{
	const uint64_t before = m->opt.heap;
	struct tr_err ignored = {0};

	if (m->heap.next != m->heap.base)
		return tr_fail(err, TR_EUSAGE, 0, "the heap of kernels is in use");
	m->opt.heap = bytes;
	if (!m->heap.base)
		return 1;
	/* It is there since a module that calls malloc was loaded, and nobody has called it. */
	ptx_memory_delete(&m->memory, m->heap.base);
	m->heap.base = m->heap.next = 0;
	if (ptx_heap_open(m, err) > 0)
		return 1;
	m->opt.heap = before;
	ptx_heap_open(m, &ignored);
	return TR_EMEM;
}

int ptx_heap_open(struct ptx_machine *m, struct tr_err *err)
{
	if (m->heap.base)
		return 1;
	m->heap.bytes = m->opt.heap ? m->opt.heap : HEAP_BYTES;
	m->heap.base = m->heap.next = ptx_memory_new(&m->memory, "heap", m->heap.bytes, err);
	return m->heap.base ? 1 : TR_EMEM;
}

/*
 * The head of a block that malloc may have given, or NULL. Heads and the list of free blocks lie
 * where kernels can store: an address from there is looked at before it is used.
 */
static uint64_t *head_of(struct ptx_machine *m, uint64_t block)
{
	const struct ptx_heap *h = &m->heap;

	if (!h->base || block < h->base + BLOCK_HEAD || block >= h->next || block & 15)
		return NULL;
	return ptx_host(m, block - BLOCK_HEAD, BLOCK_HEAD);
}

/* The block's address in *block, or 0 where there is none. */
static int heap_take(struct ptx_warp *w, const struct ptx_code *c, unsigned lane, uint64_t bytes,
	uint64_t *block)
{
	struct ptx_machine *m = w->cta->run->machine;
	struct ptx_heap *h = &m->heap;
	unsigned power = POWER_MIN;
	uint64_t *head;

	*block = 0;
	while (power < POWER_MAX && (1ull << power) - BLOCK_HEAD < bytes)
		power++;
	if (power == POWER_MAX || !bytes || !h->base)
		return 0;
	if (h->free[power]) {
		head = head_of(m, h->free[power]);
		if (!head || head[0] != (BLOCK_FREE | power))
			return ptx_fault(w, c, lane,
				"finds 0x%" PRIx64 " in the heap's list of free blocks, which a "
				"store has damaged",
				h->free[power]);
		*block = h->free[power];
		h->free[power] = head[1];
	} else {
		if (h->base + h->bytes - h->next < 1ull << power)
			return 0;
		*block = h->next + BLOCK_HEAD;
		h->next += 1ull << power;
		head = head_of(m, *block);
	}
	head[0] = BLOCK_USED | power;
	return 0;
}

static int heap_give(struct ptx_warp *w, const struct ptx_code *c, unsigned lane, uint64_t block)
{
	struct ptx_machine *m = w->cta->run->machine;
	struct ptx_heap *h = &m->heap;
	uint64_t *head = head_of(m, block);

	if (!block)
		return 0;
	if (head && (head[0] & ~63ull) == BLOCK_FREE)
		return ptx_fault(w, c, lane, "frees 0x%" PRIx64 ", which is free", block);
	if (!head || (head[0] & ~63ull) != BLOCK_USED)
		return ptx_fault(w, c, lane,
			"frees 0x%" PRIx64 ", which malloc did not give a kernel", block);
	const unsigned power = head[0] & 63;
	head[0] = BLOCK_FREE | power;
	head[1] = h->free[power];
	h->free[power] = block;
	return 0;
}

int ptx_host_call(struct ptx_warp *w, const struct ptx_code *c)
{
	int e = 0;

	for (unsigned i = 0; i < PTX_LANES && !e; i++) {
		if (!(w->mask >> i & 1))
			continue;
		switch (c->inst->op) {
		case PTX_HOSTPRINTF: {
			const uint32_t n =
				print(w, i, lane_value(w, c, 0, i), lane_value(w, c, 1, i));
			if (c->d[0] != PTX_NOWHERE)
				((uint32_t *)ptx_destination(w, c, 0))[i] = n;
			break;
		}
		case PTX_HOSTMALLOC:
			e = heap_take(w, c, i, lane_value(w, c, 0, i),
				(uint64_t *)ptx_destination(w, c, 0) + i);
			break;
		case PTX_HOSTFREE:
			e = heap_give(w, c, i, lane_value(w, c, 0, i));
			break;
		default:
			e = fail_assert(w, c, i);
			break;
		}
	}
	return e;
}
