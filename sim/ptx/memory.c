/* Device memory: allocation, lookup by address, and words for an address that misses. */
#include "sim/ptx/memory.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ptx_memory_init(struct ptx_memory *m)
{
	memset(m, 0, sizeof(*m));
	m->next = PTX_MEMORY_FIRST;
}

void ptx_memory_free(struct ptx_memory *m)
{
	for (uint32_t i = 0; i < m->n; i++) {
		free(m->allocs[i].span.host);
		free(m->allocs[i].name);
	}
	free(m->allocs);
	ptx_memory_init(m);
}

uint64_t ptx_memory_new(struct ptx_memory *m, const char *name, uint64_t bytes, struct tr_err *err)
{
	const uint64_t base = m->next;
	struct ptx_allocation a = {.span = {.base = base, .bytes = bytes}};

	if (bytes > PTX_MEMORY_END - PTX_MEMORY_GAP - PTX_MEMORY_ALIGN - base) {
		tr_fail(err, TR_EMEM, 0, "no room for %" PRIu64 " bytes of device memory for '%s'",
			bytes, name);
		return 0;
	}
	if (m->n == m->cap) {
		const uint32_t cap = m->cap ? 2 * m->cap : 16;
		struct ptx_allocation *more = realloc(m->allocs, cap * sizeof(*more));
		if (!more)
			goto nomem;
		m->allocs = more;
		m->cap = cap;
	}
	a.name = strdup(name);
	a.span.host = calloc(bytes ? bytes : 1, 1);
	if (!a.name || !a.span.host)
		goto nomem;
	m->allocs[m->n++] = a;
	m->next = (base + bytes + PTX_MEMORY_GAP + PTX_MEMORY_ALIGN - 1) &
		  ~(uint64_t)(PTX_MEMORY_ALIGN - 1);
	return base;
nomem:
	free(a.name);
	free(a.span.host);
	tr_fail(err, TR_EMEM, 0, "no memory for the %" PRIu64 " bytes of '%s'", bytes, name);
	return 0;
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

void ptx_memory_where(const struct ptx_memory *m, uint64_t addr, char *out, size_t size)
{
	const struct ptx_allocation *below = ptx_memory_below(m, addr);
	const uint32_t above = below ? (uint32_t)(below - m->allocs) + 1 : 0;

	if (below && addr - below->span.base < below->span.bytes) {
		snprintf(out, size, "across the end of '%s'", below->name);
		return;
	}
	const uint64_t past = below ? addr - below->span.base - below->span.bytes : UINT64_MAX;
	const uint64_t before = above < m->n ? m->allocs[above].span.base - addr : UINT64_MAX;
	if (!m->n)
		snprintf(out, size, "where nothing is allocated");
	else if (past <= before)
		snprintf(out, size, "%" PRIu64 " bytes past the end of '%s'", past, below->name);
	else
		snprintf(out, size, "%" PRIu64 " bytes before '%s'", before, m->allocs[above].name);
}
