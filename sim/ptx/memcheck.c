/*
 * What --memcheck asks of each access: that there is memory, that the address is a multiple of the
 * size, that shared and global memory was written before it is read, and that no two threads race
 * for shared memory (races.c). What is found is noted once for each instruction and kind, with how
 * often, and the run goes on: accesses that are out of bounds or misaligned read 0 and write
 * nowhere.
 *
 * A value of a vector access that has some bytes that were written, and others that were not, is
 * taken for written: compilers load the padding of structs. Global memory is asked about where a
 * host's call allocated it for the device alone; the host writes the rest as it likes, and
 * variables are zero by the language.
 *
 * Left out: local memory, reads by textures and surfaces, and what tells races (races.c).
 */
#include "sim/ptx/memcheck.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what was found ---- */

static struct ptx_finding *known(
	const struct ptx_memcheck *m, enum ptx_finding_kind kind, const struct ptx_inst *inst)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (m->v[i].inst == inst && m->v[i].kind == kind)
			return &m->v[i];
	return NULL;
}

int ptx_found_again(const struct ptx_warp *w, const struct ptx_code *c, enum ptx_finding_kind kind)
{
	struct ptx_memcheck *m = &w->cta->run->machine->memcheck;
	struct ptx_finding *f = m->last < m->n ? &m->v[m->last] : NULL;

	if (!f || f->inst != c->inst || f->kind != kind)
		f = known(m, kind, c->inst);
	if (!f)
		return 0;
	m->last = (uint32_t)(f - m->v);
	f->n++;
	return 1;
}

static int room(struct ptx_memcheck *m)
{
	if (m->n == m->cap) {
		const uint32_t cap = m->cap ? 2 * m->cap : 16;
		struct ptx_finding *more = realloc(m->v, cap * sizeof(*more));
		if (!more)
			return 0;
		m->v = more;
		m->cap = cap;
	}
	return 1;
}

int ptx_found(struct ptx_warp *w, const struct ptx_code *c, enum ptx_finding_kind kind,
	const struct ptx_accessed *a)
{
	struct ptx_machine *m = w->cta->run->machine;
	const struct ptx_kernel *k = w->cta->run->kernel;
	const struct ptx_inst *i = c->inst;
	struct tr_err *err = w->cta->run->err;

	if (!room(&m->memcheck))
		return tr_fail(err, TR_EMEM, 0, "no memory for what --memcheck finds");
	struct ptx_finding *f = &m->memcheck.v[m->memcheck.n++];
	*f = (struct ptx_finding){.kind = kind,
		.inst = i,
		.n = 1,
		.kernel = k->name,
		.ptx = k->path,
		.ptx_line = i->ptx_line,
		.file = i->line && i->file < k->module->nfiles ? k->module->files[i->file] : NULL,
		.line = i->line,
		.pc = (uint32_t)(i - k->insts) * TR_PC_BYTES,
		.launch = m->nlaunches,
		.cta = w->cta->number,
		.thread = w->number * PTX_LANES + a->lane,
		.address = a->address,
		.bytes = a->bytes};
	memcpy(f->sentence, err->msg, sizeof(f->sentence));
	*err = (struct tr_err){0};
	m->fault = PTX_FAULT_OTHER;
	return 0;
}

uint32_t ptx_findings(const struct ptx_machine *m, const struct ptx_finding **findings)
{
	*findings = m->memcheck.v;
	return m->memcheck.n;
}

const char *ptx_finding_name(enum ptx_finding_kind kind)
{
	static const char *const names[PTX_FOUND_KINDS] = {[PTX_FOUND_OUTSIDE] = "out of bounds",
		[PTX_FOUND_MISALIGNED] = "misaligned",
		[PTX_FOUND_UNWRITTEN] = "uninitialised",
		[PTX_FOUND_WRITE_READ] = "race (read after write)",
		[PTX_FOUND_READ_WRITE] = "race (write after read)",
		[PTX_FOUND_WRITE_WRITE] = "race (write after write)"};

	return names[kind];
}

/* ---- accesses ---- */

static int unwritten(
	struct ptx_warp *w, const struct ptx_code *c, const struct ptx_accessed *a, const char *of)
{
	if (ptx_found_again(w, c, PTX_FOUND_UNWRITTEN))
		return 0;
	ptx_fault(w, c, a->lane, "reads %u bytes at 0x%" PRIx64 " of %s, which nothing has written",
		a->bytes, a->address, of);
	return ptx_found(w, c, PTX_FOUND_UNWRITTEN, a);
}

/* Is what the lane stores what stands there, or what another lane of this instruction stores? */
static int stores_the_same(const struct ptx_warp *w, const struct ptx_code *c, unsigned lane,
	const uint8_t *at, const uint8_t *was_written, int writer)
{
	if (c->kind != PTX_K_STORE || ptx_is_tensor(c->inst->op) || (c->inst->flags & PTX_F_ASYNC))
		return 0;
	if (writer < 0 && memchr(was_written, 0, (size_t)c->bytes * c->vec))
		return 0;
	for (unsigned k = 0; k < c->vec; k++) {
		const uint8_t *source = ptx_source(w, c, k);
		const uint8_t *other =
			writer < 0 ? at + k * c->bytes : source + (unsigned)writer * c->sbytes[k];
		if (memcmp(source + lane * c->sbytes[k], other, c->bytes) != 0)
			return 0;
	}
	return 1;
}

static int is_strong(const struct ptx_code *c)
{
	return c->kind == PTX_K_ATOMIC || (c->inst->flags & PTX_F_VOLATILE);
}

static int check_race(struct ptx_warp *w, const struct ptx_code *c, const struct ptx_touch *t,
	const struct ptx_accessed *a)
{
	const struct ptx_kernel *k = w->cta->run->kernel;
	struct ptx_race race;

	if (!ptx_races_touch(w, c, t, &race) || ptx_found_again(w, c, race.kind))
		return 0;
	const struct ptx_inst *other = &k->insts[race.pc];
	ptx_fault(w, c, t->lane,
		"%s %u bytes at 0x%" PRIx64
		" of shared memory, which thread %u %s at pc 0x%x (line %u), and no barrier is "
		"between",
		t->writes ? "writes" : "reads", a->bytes, a->address, race.thread,
		race.kind == PTX_FOUND_READ_WRITE ? "has read" : "has written",
		race.pc * TR_PC_BYTES, other->line ? other->line : other->ptx_line);
	return ptx_found(w, c, race.kind, a);
}

static int check_shared(struct ptx_warp *w, const struct ptx_code *c, const struct ptx_cta *owner,
	const struct ptx_accessed *a, const uint8_t *at)
{
	const uint32_t from = (uint32_t)((uintptr_t)at - (uintptr_t)owner->shared);
	const int writes = c->kind != PTX_K_LOAD, tensor = ptx_is_tensor(c->inst->op);
	int e = 0;

	if (from + a->bytes > w->cta->run->shared_bytes)
		return 0;
	if ((c->kind == PTX_K_LOAD || c->kind == PTX_K_ATOMIC) &&
		memchr(owner->written + from, 0, a->bytes))
		e = unwritten(w, c, a, "shared memory");
	if (!e && owner == w->cta) {
		const struct ptx_touch t = {.lane = a->lane,
			.from = from,
			.bytes = a->bytes,
			.writes = writes,
			.strong = is_strong(c),
			.whole = tensor,
			.silent =
				writes && stores_the_same(w, c, a->lane, at, owner->written + from,
						  ptx_races_writer(w, from))};
		e = check_race(w, c, &t, a);
	}
	if (writes)
		memset(owner->written + from, 1, a->bytes);
	return e;
}

static int check_global(struct ptx_warp *w, const struct ptx_code *c,
	const struct ptx_allocation *in, const struct ptx_accessed *a)
{
	const uint64_t from = a->address - in->span.base;
	int e = 0;

	for (unsigned k = 0; k < a->bytes && c->kind != PTX_K_STORE; k += c->bytes) {
		const unsigned left = a->bytes - k;
		if (!ptx_written_any(in, from + k, left < c->bytes ? left : c->bytes)) {
			e = unwritten(w, c, a, "global memory");
			break;
		}
	}
	if (c->kind != PTX_K_LOAD)
		ptx_written_mark(in, from, a->bytes);
	return e;
}

int ptx_check_access(struct ptx_warp *w, const struct ptx_code *c, const uint32_t *sizes,
	const uint64_t address[PTX_LANES], uint8_t *const at[PTX_LANES])
{
	const struct ptx_memory *memory = &w->cta->run->machine->memory;
	const int is_global = c->space == TR_S_GLOBAL || c->space == TR_S_GENERIC;
	const struct ptx_allocation *in = NULL;
	struct ptx_code plain;
	int e = 0;

	if (c->kind == PTX_K_ASYNC) { /* the half that stores */
		plain = *c;
		plain.kind = PTX_K_STORE;
		c = &plain;
	}
	ptx_races_next(w->cta->races);
	if (is_strong(c))
		ptx_races_speak(w, c->kind != PTX_K_STORE, c->kind != PTX_K_LOAD);
	for (unsigned i = 0; i < PTX_LANES && !e; i++) {
		const struct ptx_accessed a = {
			i, sizes ? sizes[i] : (unsigned)c->bytes * c->vec, address[i]};
		if (!(w->mask >> i & 1) || !a.bytes)
			continue;
		const struct ptx_cta *owner = ptx_shared_owner(w->cta, at[i]);
		if (owner && c->kind == PTX_K_MBARRIER) {
			memset(owner->written + (at[i] - owner->shared), 1, a.bytes);
		} else if (owner) {
			e = check_shared(w, c, owner, &a, at[i]);
		} else if (is_global) {
			if (!in || a.address - in->span.base >= in->span.bytes)
				in = ptx_memory_find(memory, a.address, a.bytes);
			/* A lane that went astray accesses a place of its own. */
			if (in && in->written &&
				a.address - in->span.base + a.bytes <= in->span.bytes &&
				at[i] == in->span.host + (a.address - in->span.base))
				e = check_global(w, c, in, &a);
		}
	}
	return e;
}
