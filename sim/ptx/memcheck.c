/*
 * What --memcheck asks of each access: that there is memory, that the address is a multiple of the
 * size, and that shared memory was written before it is read. What is found is noted once for each
 * instruction and kind, with how often, and the run goes on: such reads give 0 and such writes are
 * lost, but for shared memory, which holds zeros.
 *
 * Left out: races, and global and local memory that was never written. Instructions that move
 * matrices or copy asynchronously count as if they had written all of the CTA's shared memory.
 */
#include "sim/ptx/vm.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct ptx_finding *note(
	struct ptx_memcheck *m, enum ptx_finding_kind kind, const struct ptx_code *c)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (m->v[i].kind == kind && m->v[i].inst == c->inst)
			return &m->v[i];
	if (m->n == m->cap) {
		const uint32_t cap = m->cap ? 2 * m->cap : 16;
		struct ptx_finding *more = realloc(m->v, cap * sizeof(*more));
		if (!more)
			return NULL;
		m->v = more;
		m->cap = cap;
	}
	m->v[m->n] = (struct ptx_finding){.kind = kind, .inst = c->inst};
	return &m->v[m->n++];
}

int ptx_found(struct ptx_warp *w, const struct ptx_code *c, enum ptx_finding_kind kind)
{
	struct ptx_machine *m = w->cta->run->machine;
	struct tr_err *err = w->cta->run->err;
	struct ptx_finding *f = note(&m->memcheck, kind, c);

	if (!f)
		return tr_fail(err, TR_EMEM, 0, "no memory for what --memcheck finds");
	if (!f->n++)
		memcpy(f->sentence, err->msg, sizeof(f->sentence));
	*err = (struct tr_err){0};
	m->fault = PTX_FAULT_OTHER;
	return 0;
}

int ptx_check_shared(struct ptx_warp *w, const struct ptx_code *c, uint8_t *const at[PTX_LANES])
{
	struct ptx_cta *cta = w->cta;
	const uint64_t all = cta->run->shared_bytes;
	const unsigned size = c->bytes * c->vec;
	const int reads = c->kind == PTX_K_LOAD || c->kind == PTX_K_ATOMIC;

	if (!reads && c->kind != PTX_K_STORE) {
		memset(cta->written, 1, all);
		return 0;
	}
	for (unsigned i = 0; i < PTX_LANES; i++) {
		const struct ptx_cta *owner =
			w->mask >> i & 1 ? ptx_shared_owner(cta, at[i]) : NULL;
		if (!owner)
			continue;
		const uint64_t from = (uintptr_t)at[i] - (uintptr_t)owner->shared;
		if (reads && memchr(owner->written + from, 0, size)) {
			ptx_fault(w, c, i,
				"reads %u bytes at 0x%" PRIx64 " of shared memory, which nothing "
				"has written",
				size, from);
			if (ptx_found(w, c, PTX_FOUND_UNWRITTEN) < 0)
				return TR_EMEM;
		}
		if (c->kind != PTX_K_LOAD)
			memset(owner->written + from, 1, size);
	}
	return 0;
}

uint32_t ptx_findings(const struct ptx_machine *m, const struct ptx_finding **findings)
{
	*findings = m->memcheck.v;
	return m->memcheck.n;
}

const char *ptx_finding_name(enum ptx_finding_kind kind)
{
	static const char *const names[] = {[PTX_FOUND_OUTSIDE] = "out of bounds",
		[PTX_FOUND_MISALIGNED] = "misaligned",
		[PTX_FOUND_UNWRITTEN] = "uninitialised"};

	return names[kind];
}
