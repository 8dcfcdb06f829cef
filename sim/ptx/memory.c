/* Device memory: allocation, lookup by address, and words for an address that misses. */
#include "sim/ptx/memory.h"
#include "sim/ptx/ptx.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096ull

void ptx_memory_init(struct ptx_memory *m, uint64_t region, uint64_t limit, int narrow)
{
	memset(m, 0, sizeof(*m));
	m->first = region ? region : narrow ? PTX_NARROW_FIRST : PTX_MEMORY_FIRST;
	m->end = region ? region + PTX_REGION_BYTES : narrow ? PTX_NARROW_END : PTX_MEMORY_END;
	m->next = m->first;
	m->region = m->region_end = region;
	m->limit = limit;
}

struct pages {
	uint64_t from, to;
};

/* The allocation's, which has one at least. */
static struct pages pages_of(const struct ptx_span *s)
{
	const uint64_t end = s->base + (s->bytes ? s->bytes : 1);

	return (struct pages){s->base & ~(PAGE - 1), (end + PAGE - 1) & ~(PAGE - 1)};
}

int ptx_map_at(uint64_t at, uint64_t bytes, int protection)
{
	void *got = mmap((void *)(uintptr_t)at, bytes, protection,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if ((uintptr_t)got == at)
		return 0;
	if (got != MAP_FAILED && !munmap(got, bytes)) /* a kernel before 4.17 */
		errno = EEXIST;
	return -1;
}

/* Pages take memory when they are touched first. 0, or -1 with errno. */
static int map_pages(struct ptx_memory *m, const struct ptx_span *s)
{
	struct pages p = pages_of(s);

	if (!m->joined && m->n >= PTX_MEMORY_APART)
		m->joined = m->region_end;
	if (m->joined && p.from >= m->joined) {
		if (p.to <= m->region_end) /* and they were emptied */
			return 0;
		p.from = m->region_end;
	}
	if (ptx_map_at(p.from, p.to - p.from, PROT_READ | PROT_WRITE))
		return -1;
	if (p.to > m->region_end)
		m->region_end = p.to;
	return 0;
}

/* The allocation's memory, unless it is the host's. */
static void give_back(const struct ptx_memory *m, const struct ptx_allocation *a)
{
	const struct pages p = pages_of(&a->span);
	void *at = (void *)(uintptr_t)p.from;

	if (a->owner == PTX_OWN_HEAP)
		free(a->span.host);
	else if (a->owner == PTX_OWN_REGION &&
		 ((m->joined && p.from >= m->joined) || munmap(at, p.to - p.from)))
		madvise(at, p.to - p.from, MADV_DONTNEED);
}

void ptx_memory_free(struct ptx_memory *m)
{
	for (uint32_t i = 0; i < m->n; i++) {
		give_back(m, &m->allocs[i]);
		free(m->allocs[i].name);
		free(m->allocs[i].written);
	}
	free(m->allocs);
	free(m->freed);
	ptx_memory_init(m, 0, 0, 0);
}

/* Puts *a among the others, by its address, with a copy of the name. 0, or -1 without memory. */
static int insert(struct ptx_memory *m, const struct ptx_allocation *a, const char *name)
{
	const struct ptx_allocation *below = ptx_memory_below(m, a->span.base);
	const uint32_t at = below ? (uint32_t)(below - m->allocs) + 1 : 0;
	char *copy = strdup(name);

	if (copy && m->n == m->cap) {
		const uint32_t cap = m->cap ? 2 * m->cap : 16;
		struct ptx_allocation *more = realloc(m->allocs, cap * sizeof(*more));
		if (more) {
			m->allocs = more;
			m->cap = cap;
		}
	}
	if (!copy || m->n == m->cap) {
		free(copy);
		return -1;
	}
	memmove(m->allocs + at + 1, m->allocs + at, (m->n - at) * sizeof(*m->allocs));
	m->allocs[at] = *a;
	m->allocs[at].name = copy;
	m->n++;
	m->all += a->span.bytes;
	m->used += a->beside ? 0 : a->span.bytes;
	return 0;
}

/* Where the next one may begin at the earliest. */
static uint64_t after(const struct ptx_span *s)
{
	return (s->base + s->bytes + PTX_MEMORY_GAP + PTX_MEMORY_ALIGN - 1) &
	       ~(uint64_t)(PTX_MEMORY_ALIGN - 1);
}

/* An address from `from` on for the bytes, in front of allocation i and behind the one before; 0:
 * there is none. */
static uint64_t room(const struct ptx_memory *m, uint32_t i, uint64_t from, uint64_t bytes)
{
	const uint64_t low = i ? after(&m->allocs[i - 1].span) : m->first;
	const uint64_t high =
		i < m->n && m->allocs[i].span.base < m->end ? m->allocs[i].span.base : m->end;

	from = low > from ? low : from;
	if (from >= high || high - from < PTX_MEMORY_GAP || bytes > high - from - PTX_MEMORY_GAP)
		return 0;
	return from;
}

/* Its host memory at the address that it has been given. 0, or -1 with errno. */
static int back(struct ptx_memory *m, struct ptx_allocation *a)
{
	const uint64_t bytes = a->span.bytes;

	if (!m->region) {
		a->span.host = calloc(bytes ? bytes : 1, 1);
		return a->span.host ? 0 : -1;
	}
	a->owner = PTX_OWN_REGION;
	if (map_pages(m, &a->span))
		return -1;
	a->span.host = (uint8_t *)(uintptr_t)a->span.base;
	return 0;
}

/*
 * Finds a place for *a, behind the newest first, then from there on and around between those that
 * are left, and memory for it: where a region's pages are somebody else's, the next place is tried.
 * 1; 0 without a place, -1 without memory.
 */
static int place(struct ptx_memory *m, struct ptx_allocation *a)
{
	const struct ptx_allocation *below = ptx_memory_below(m, m->next);
	const uint32_t start = below ? (uint32_t)(below - m->allocs) + 1 : 0;
	int found = 0;

	for (uint32_t k = 0; k <= m->n + 1; k++) {
		const uint32_t i = (start + k) % (m->n + 1);
		a->span.base = room(m, i, k ? m->first : m->next, a->span.bytes);
		if (!a->span.base)
			continue;
		if (!back(m, a))
			return 1;
		if (!m->region || errno != EEXIST)
			return -1;
		found = -1;
	}
	return found;
}

static int fits(const struct ptx_memory *m, uint64_t bytes)
{
	return !m->limit || (m->used <= m->limit && bytes <= m->limit - m->used);
}

static uint64_t new_one(
	struct ptx_memory *m, const char *name, uint64_t bytes, uint8_t beside, struct tr_err *err)
{
	struct ptx_allocation a = {.span = {.bytes = bytes}, .beside = beside};
	const int placed = beside || fits(m, bytes) ? place(m, &a) : 0;

	if (!placed) {
		tr_fail(err, TR_EMEM, 0, "no room for %" PRIu64 " bytes of device memory for '%s'",
			bytes, name);
		return 0;
	}
	if (placed > 0 && !insert(m, &a, name)) {
		m->next = after(&a.span);
		return a.span.base;
	}
	if (placed > 0)
		give_back(m, &a);
	tr_fail(err, TR_EMEM, 0, "no memory for the %" PRIu64 " bytes of '%s'", bytes, name);
	return 0;
}

uint64_t ptx_memory_new(struct ptx_memory *m, const char *name, uint64_t bytes, struct tr_err *err)
{
	return new_one(m, name, bytes, 0, err);
}

uint64_t ptx_memory_new_beside(
	struct ptx_memory *m, const char *name, uint64_t bytes, struct tr_err *err)
{
	return new_one(m, name, bytes, 1, err);
}

int ptx_memory_count(struct ptx_memory *m, uint64_t bytes)
{
	if (!fits(m, bytes))
		return 0;
	m->used += bytes;
	return 1;
}

int ptx_memory_adopt(
	struct ptx_memory *m, const char *name, void *host, uint64_t bytes, struct tr_err *err)
{
	const uint64_t base = (uint64_t)(uintptr_t)host;
	const struct ptx_allocation a = {.span = {.base = base, .bytes = bytes, .host = host},
		.owner = PTX_OWN_ADOPTED,
		.beside = 1};
	const struct ptx_allocation *below = bytes ? ptx_memory_below(m, base + bytes - 1) : NULL;

	if (!bytes || base + bytes < base)
		return tr_fail(err, TR_EUSAGE, 0, "'%s' has no bytes", name);
	if (below && base - below->span.base < below->span.bytes)
		return tr_fail(err, TR_EUSAGE, 0, "'%s' overlaps '%s'", name, below->name);
	if (below && below->span.base >= base)
		return tr_fail(err, TR_EUSAGE, 0, "'%s' overlaps '%s'", name, below->name);
	return insert(m, &a, name) ? tr_fail(err, TR_EMEM, 0, "no memory to note '%s'", name) : 1;
}

/* Without memory for the ring nothing is. Memory of the host's is there as before. */
static void remember(struct ptx_memory *m, const struct ptx_allocation *a)
{
	if (!m->freed)
		m->freed = calloc(PTX_MEMORY_FREED, sizeof(*m->freed));
	if (!m->freed || a->owner == PTX_OWN_ADOPTED)
		return;
	struct ptx_freed *f = &m->freed[m->deleted % PTX_MEMORY_FREED];
	*f = (struct ptx_freed){.base = a->span.base, .bytes = a->span.bytes};
	snprintf(f->name, sizeof(f->name), "%s", a->name);
}

int ptx_memory_delete(struct ptx_memory *m, uint64_t addr)
{
	const struct ptx_allocation *a = ptx_memory_below(m, addr);
	const uint32_t at = a ? (uint32_t)(a - m->allocs) : 0;

	if (!a || a->span.base != addr)
		return 0;
	give_back(m, a);
	remember(m, a);
	m->all -= a->span.bytes;
	m->used -= a->beside ? 0 : a->span.bytes;
	free(a->name);
	free(a->written);
	m->n--;
	m->deleted++;
	memmove(m->allocs + at, m->allocs + at + 1, (m->n - at) * sizeof(*m->allocs));
	return 1;
}

const struct ptx_allocation *ptx_memory_below(const struct ptx_memory *m, uint64_t addr)
{
	uint32_t lo = 0, hi = m->n;

	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;
		if (m->allocs[mid].span.base <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &m->allocs[lo - 1] : NULL;
}

const struct ptx_allocation *ptx_memory_find(
	const struct ptx_memory *m, uint64_t addr, uint64_t bytes)
{
	const struct ptx_allocation *a = ptx_memory_below(m, addr);

	if (!a || bytes > a->span.bytes || addr - a->span.base > a->span.bytes - bytes)
		return NULL;
	return a;
}

/* ---- which bytes were written ---- */

/* The allocation that begins at addr, or NULL. */
static struct ptx_allocation *begins_at(struct ptx_memory *m, uint64_t addr)
{
	const struct ptx_allocation *a = ptx_memory_below(m, addr);

	return a && a->span.base == addr ? &m->allocs[a - m->allocs] : NULL;
}

int ptx_written_watch(struct ptx_memory *m, uint64_t addr)
{
	struct ptx_allocation *a = begins_at(m, addr);

	if (a)
		a->written = calloc(a->span.bytes / 8 + 1, 1);
	return a && a->written;
}

void ptx_written_forget(struct ptx_memory *m, uint64_t addr)
{
	struct ptx_allocation *a = begins_at(m, addr);

	if (a) {
		free(a->written);
		a->written = NULL;
	}
}

int ptx_written_any(const struct ptx_allocation *a, uint64_t from, uint64_t bytes)
{
	for (uint64_t k = from; k < from + bytes; k++)
		if (a->written[k / 8] >> k % 8 & 1)
			return 1;
	return 0;
}

void ptx_written_mark(const struct ptx_allocation *a, uint64_t from, uint64_t bytes)
{
	const uint64_t end = from + bytes;

	for (; from < end && from % 8; from++)
		a->written[from / 8] |= (uint8_t)(1u << from % 8);
	if (from < end)
		memset(a->written + from / 8, 0xff, (end - from) / 8);
	for (from += (end - from) / 8 * 8; from < end; from++)
		a->written[from / 8] |= (uint8_t)(1u << from % 8);
}

void ptx_memory_mark(struct ptx_memory *m, uint64_t addr, uint64_t bytes)
{
	const struct ptx_allocation *a = ptx_memory_find(m, addr, bytes);

	if (a && a->written)
		ptx_written_mark(a, addr - a->span.base, bytes);
}

/* ---- words ---- */

/* In one of the last that were freed? The latest first, as addresses are used again. */
static int freed_where(const struct ptx_memory *m, uint64_t addr, char *out, size_t size)
{
	for (uint32_t i = 1; m->freed && i <= PTX_MEMORY_FREED; i++) {
		const struct ptx_freed *f = &m->freed[(m->deleted - i) % PTX_MEMORY_FREED];
		if (addr - f->base < f->bytes) {
			snprintf(out, size,
				"%" PRIu64 " bytes into '%s' of %" PRIu64 " bytes, which was freed",
				addr - f->base, f->name, f->bytes);
			return 1;
		}
	}
	return 0;
}

void ptx_memory_where(const struct ptx_memory *m, uint64_t addr, char *out, size_t size)
{
	const struct ptx_allocation *below = ptx_memory_below(m, addr);
	const uint32_t above = below ? (uint32_t)(below - m->allocs) + 1 : 0;

	if (below && addr - below->span.base < below->span.bytes) {
		snprintf(out, size, "across the end of '%s'", below->name);
		return;
	}
	if (freed_where(m, addr, out, size))
		return;
	const uint64_t past = below ? addr - below->span.base - below->span.bytes : UINT64_MAX;
	const uint64_t before = above < m->n ? m->allocs[above].span.base - addr : UINT64_MAX;
	if (!m->n)
		snprintf(out, size, "where nothing is allocated");
	else if (past <= before)
		snprintf(out, size, "%" PRIu64 " bytes past the end of '%s'", past, below->name);
	else
		snprintf(out, size, "%" PRIu64 " bytes before '%s'", before, m->allocs[above].name);
}
