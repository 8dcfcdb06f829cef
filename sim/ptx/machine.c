/* The machine: its memory as the host sees it, modules that are loaded, the count of API calls. */
#include "sim/ptx/vm.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct ptx_ops *forced;

const struct ptx_ops *ptx_ops_best(void)
{
	if (forced)
		return forced;
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		__builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
		return &ptx_ops_v3;
#endif
	return &ptx_ops_base;
}

void ptx_ops_force(const struct ptx_ops *ops)
{
	forced = ops;
}

int ptx_machine_new(
	struct ptx_machine **m, const struct ptx_machine_options *opt, struct tr_err *err)
{
	*m = calloc(1, sizeof(**m));
	if (!*m)
		return tr_fail(err, TR_EMEM, 0, "no memory for a machine");
	(*m)->opt = *opt;
	if (!(*m)->opt.resident.quantum)
		(*m)->opt.resident.quantum = 512;
	if (!(*m)->opt.larger.quantum)
		(*m)->opt.larger.quantum = 512;
	ptx_memory_init(&(*m)->memory, opt->region, opt->memory, opt->narrow);
	return 1;
}

void ptx_machine_free(struct ptx_machine *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->nloaded; i++) {
		for (uint32_t k = 0; k < m->loaded[i].nkernels; k++)
			ptx_decoded_free(&m->loaded[i].decoded[k]);
		free(m->loaded[i].decoded);
		free(m->loaded[i].address);
		free(m->loaded[i].const_bank);
	}
	ptx_memory_free(&m->memory);
	ptx_device_free(&m->device);
	free(m->loaded);
	free(m->copies);
	free(m->known);
	free(m->textures);
	free(m->memcheck.v);
	free(m);
}

uint64_t ptx_alloc(struct ptx_machine *m, const char *name, uint64_t bytes, struct tr_err *err)
{
	const uint64_t at = ptx_memory_new(&m->memory, name, bytes, err);

	if (at && m->opt.memcheck && !ptx_written_watch(&m->memory, at)) {
		ptx_memory_delete(&m->memory, at);
		tr_fail(err, TR_EMEM, 0, "no memory to watch '%s'", name);
		return 0;
	}
	return at;
}

uint64_t ptx_alloc_beside(
	struct ptx_machine *m, const char *name, uint64_t bytes, struct tr_err *err)
{
	return ptx_memory_new_beside(&m->memory, name, bytes, err);
}

int ptx_count(struct ptx_machine *m, uint64_t bytes)
{
	return ptx_memory_count(&m->memory, bytes);
}

void ptx_uncount(struct ptx_machine *m, uint64_t bytes)
{
	m->memory.used -= bytes;
}

void ptx_host_writes(struct ptx_machine *m, uint64_t addr)
{
	ptx_written_forget(&m->memory, addr);
}

void *ptx_host(struct ptx_machine *m, uint64_t addr, uint64_t bytes)
{
	if (addr - PTX_CONST_WINDOW < m->nloaded * PTX_CONST_STRIDE) {
		const uint64_t n = (addr - PTX_CONST_WINDOW) / PTX_CONST_STRIDE;
		const uint64_t offset = (addr - PTX_CONST_WINDOW) % PTX_CONST_STRIDE;
		if (bytes > m->loaded[n].module->const_bytes ||
			offset > m->loaded[n].module->const_bytes - bytes)
			return NULL;
		return m->loaded[n].const_bank + offset;
	}
	const struct ptx_allocation *a = ptx_memory_find(&m->memory, addr, bytes);
	return a ? a->span.host + (addr - a->span.base) : NULL;
}

static int copy_fails(
	struct ptx_machine *m, const char *verb, uint64_t addr, uint64_t bytes, struct tr_err *err)
{
	char where[200];

	ptx_memory_where(&m->memory, addr, where, sizeof(where));
	return tr_fail(err, TR_EUSAGE, 0, "a copy %s %" PRIu64 " bytes at 0x%" PRIx64 ", %s", verb,
		bytes, addr, where);
}

int ptx_free(struct ptx_machine *m, uint64_t addr, struct tr_err *err)
{
	char where[200];

	if (ptx_memory_delete(&m->memory, addr))
		return 1;
	ptx_memory_where(&m->memory, addr, where, sizeof(where));
	return tr_fail(
		err, TR_EUSAGE, 0, "nothing to free begins at 0x%" PRIx64 ", %s", addr, where);
}

int ptx_adopt(
	struct ptx_machine *m, const char *name, void *host, uint64_t bytes, struct tr_err *err)
{
	return ptx_memory_adopt(&m->memory, name, host, bytes, err);
}

int ptx_allocation(struct ptx_machine *m, uint64_t addr, uint64_t *base, uint64_t *bytes)
{
	const struct ptx_allocation *a = ptx_memory_below(&m->memory, addr);

	if (!a || addr - a->span.base >= a->span.bytes)
		return 0;
	*base = a->span.base;
	*bytes = a->span.bytes;
	return 1;
}

const char *ptx_allocation_name(struct ptx_machine *m, uint64_t addr)
{
	const struct ptx_allocation *a = ptx_memory_below(&m->memory, addr);

	return a && addr - a->span.base < a->span.bytes ? a->name : NULL;
}

void ptx_where(const struct ptx_machine *m, uint64_t addr, char *out, size_t size)
{
	ptx_memory_where(&m->memory, addr, out, size);
}

int ptx_is_device(const struct ptx_machine *m, uint64_t addr)
{
	return m->memory.region && addr >= m->memory.region && addr < m->memory.end;
}

uint64_t ptx_memory_limit(const struct ptx_machine *m)
{
	return m->memory.limit;
}

enum ptx_fault ptx_fault_kind(const struct ptx_machine *m)
{
	return m->fault;
}

uint64_t ptx_forgiven(const struct ptx_machine *m, const char **first)
{
	*first = m->forgiven.n ? m->forgiven.first.msg : NULL;
	return m->forgiven.n;
}

uint64_t ptx_allocated(const struct ptx_machine *m)
{
	return m->memory.all;
}

uint64_t ptx_memory_used(const struct ptx_machine *m)
{
	return m->memory.used;
}

static int note_written(struct ptx_machine *m, uint64_t addr, uint64_t bytes, struct tr_err *err)
{
	if (!ptx_host(m, addr, bytes))
		return copy_fails(m, "writes", addr, bytes, err);
	if (m->ncopies == m->cap_copies) {
		const uint32_t cap = m->cap_copies ? 2 * m->cap_copies : 16;
		struct tr_copy *more = realloc(m->copies, cap * sizeof(*more));
		if (!more)
			return tr_fail(err, TR_EMEM, 0, "no memory to note a copy");
		m->copies = more;
		m->cap_copies = cap;
	}
	m->copies[m->ncopies++] = (struct tr_copy){.base = addr, .bytes = bytes};
	if (m->opt.memcheck)
		ptx_memory_mark(&m->memory, addr, bytes);
	return 1;
}

int ptx_written_rows(struct ptx_machine *m, uint64_t addr, uint64_t pitch, uint64_t bytes,
	uint64_t rows, struct tr_err *err)
{
	int e = 1;

	for (uint64_t y = 0; y < rows && e > 0; y++)
		e = note_written(m, addr + y * pitch, bytes, err);
	m->api_calls += e > 0;
	return e;
}

int ptx_written(struct ptx_machine *m, uint64_t addr, uint64_t bytes, struct tr_err *err)
{
	return ptx_written_rows(m, addr, 0, bytes, 1, err);
}

int ptx_copy_in(
	struct ptx_machine *m, uint64_t dst, const void *src, uint64_t bytes, struct tr_err *err)
{
	const int e = ptx_written(m, dst, bytes, err);

	if (e > 0 && bytes)
		memmove(ptx_host(m, dst, bytes), src, bytes);
	return e;
}

int ptx_copy_out(struct ptx_machine *m, void *dst, uint64_t src, uint64_t bytes, struct tr_err *err)
{
	const void *host = ptx_host(m, src, bytes);

	if (!host)
		return copy_fails(m, "reads", src, bytes, err);
	m->api_calls++;
	if (bytes)
		memmove(dst, host, bytes);
	return 1;
}

uint64_t ptx_thread_insts(const struct ptx_machine *m)
{
	return m->thread_insts;
}

/* ---- modules ---- */

struct ptx_loaded *ptx_loaded_of(struct ptx_machine *m, const struct ptx_module *mod)
{
	for (uint32_t i = 0; i < m->nloaded; i++)
		if (m->loaded[i].module == mod)
			return &m->loaded[i];
	return NULL;
}

static uint8_t *symbol_host(struct ptx_machine *m, const struct ptx_loaded *l, uint32_t sym)
{
	const struct ptx_sym *s = &l->module->syms[sym];

	if (s->space == PTX_V_CONST)
		return l->const_bank + s->offset;
	return s->space == PTX_V_GLOBAL ? ptx_host(m, l->address[sym], s->bytes) : NULL;
}

/* A symbol's address as initial data hold it, generic or the space's own. */
static uint64_t address_in_data(const struct ptx_loaded *l, uint32_t sym, int generic)
{
	const int constant = l->module->syms[sym].space == PTX_V_CONST;
	const uint64_t base =
		ptx_address_bytes(l->module) == 4 ? ptx_narrow_window(TR_S_CONST) : l->const_base;
	return l->address[sym] + (constant && generic ? base : 0);
}

/* Addresses in a variable's initial data, which are known once all variables have theirs. */
static void relocate(struct ptx_machine *m, const struct ptx_loaded *l, uint32_t sym)
{
	const struct ptx_sym *s = &l->module->syms[sym];
	uint8_t *host = symbol_host(m, l, sym);

	for (uint32_t r = 0; host && r < s->nrelocs; r++) {
		const struct ptx_reloc *rel = &s->relocs[r];
		const uint64_t v = address_in_data(l, rel->sym, rel->generic) + (uint64_t)rel->add;
		memcpy(host + rel->at, &v, rel->bytes); /* little-endian: the low bytes */
	}
}

static void initialize(struct ptx_machine *m, const struct ptx_loaded *l, uint32_t sym)
{
	const struct ptx_sym *s = &l->module->syms[sym];
	uint8_t *host = symbol_host(m, l, sym);

	if (!host || !s->init)
		return;
	memcpy(host, s->init, s->bytes);
	relocate(m, l, sym);
}

/* Accesses that name a global variable have their address now. */
static void patch_programs(const struct ptx_loaded *l)
{
	const struct ptx_module *mod = l->module;

	for (uint32_t k = 0; k < mod->nkernels; k++)
		for (uint32_t n = 0; n < mod->kernels[k]->ninsts; n++) {
			const struct ptx_inst *i = &mod->kernels[k]->insts[n];
			const struct ptx_operand *a = &i->addr;
			if (a->kind == PTX_O_SYM && !(a->sym & PTX_SYM_LOCAL) &&
				mod->syms[a->sym].space == PTX_V_GLOBAL)
				mod->kernels[k]->program->insts[n].disp =
					(int64_t)(l->address[a->sym] + a->imm + (uint64_t)i->disp);
		}
}

int ptx_load(struct ptx_machine *m, const struct ptx_module *mod, struct tr_err *err)
{
	struct ptx_loaded l = {.module = mod, .number = m->nloaded, .nkernels = mod->nkernels};
	struct ptx_loaded *more;

	if (ptx_loaded_of(m, mod))
		return tr_fail(err, TR_EUSAGE, 0, "module '%s' is loaded already", mod->path);
	if (ptx_address_bytes(mod) == 4 && !m->opt.narrow)
		return tr_fail(err, TR_EUSAGE, 0,
			"'%s' has addresses of 32 bits, and this machine's have 64", mod->path);
	more = realloc(m->loaded, (m->nloaded + 1) * sizeof(*more));
	if (!more)
		return tr_fail(err, TR_EMEM, 0, "no memory to load '%s'", mod->path);
	m->loaded = more;
	l.const_base = PTX_CONST_WINDOW + m->nloaded * PTX_CONST_STRIDE;
	l.const_bank = calloc(mod->const_bytes ? mod->const_bytes : 1, 1);
	l.address = calloc(mod->nsyms ? mod->nsyms : 1, sizeof(*l.address));
	l.decoded = calloc(mod->nkernels + (size_t)1, sizeof(*l.decoded));
	if (!l.const_bank || !l.address || !l.decoded) {
		free(l.const_bank);
		free(l.address);
		free(l.decoded);
		return tr_fail(err, TR_EMEM, 0, "no memory to load '%s'", mod->path);
	}
	m->loaded[m->nloaded++] = l;
	if (mod->uses_heap && ptx_heap_open(m, err) < 0)
		return TR_EMEM;
	for (uint32_t s = 0; s < mod->nsyms; s++) {
		l.address[s] = mod->syms[s].offset;
		if (mod->syms[s].space == PTX_V_GLOBAL) {
			l.address[s] = ptx_memory_new(
				&m->memory, mod->syms[s].name, mod->syms[s].bytes, err);
			if (!l.address[s])
				return TR_EMEM;
		}
	}
	for (uint32_t s = 0; s < mod->nsyms; s++)
		initialize(m, &l, s);
	patch_programs(&l);
	return 1;
}

static const struct ptx_loaded *named(
	struct ptx_machine *m, const struct ptx_module *mod, const char *name, uint32_t *sym)
{
	const struct ptx_loaded *l = ptx_loaded_of(m, mod);

	for (*sym = 0; l && *sym < mod->nsyms; ++*sym) {
		const uint8_t space = mod->syms[*sym].space;
		if ((space == PTX_V_GLOBAL || space == PTX_V_CONST) &&
			!strcmp(mod->syms[*sym].name, name))
			return l;
	}
	return NULL;
}

uint64_t ptx_symbol(
	struct ptx_machine *m, const struct ptx_module *mod, const char *name, uint64_t *bytes)
{
	uint32_t sym;
	const struct ptx_loaded *l = named(m, mod, name, &sym);

	if (!l)
		return 0;
	*bytes = mod->syms[sym].bytes;
	return l->address[sym] + (mod->syms[sym].space == PTX_V_CONST ? l->const_base : 0);
}

void *ptx_symbol_host(
	struct ptx_machine *m, const struct ptx_module *mod, const char *name, uint64_t *bytes)
{
	uint32_t sym;
	const struct ptx_loaded *l = named(m, mod, name, &sym);

	if (!l)
		return NULL;
	*bytes = mod->syms[sym].bytes;
	return symbol_host(m, l, sym);
}

int ptx_symbol_move(struct ptx_machine *m, const struct ptx_module *mod, const char *name,
	void *host, struct tr_err *err)
{
	uint32_t sym;
	const struct ptx_loaded *l = named(m, mod, name, &sym);
	int e;

	if (!l || mod->syms[sym].space != PTX_V_GLOBAL)
		return tr_fail(err, TR_EUSAGE, 0, "'%s' is no global variable", name);
	memcpy(host, symbol_host(m, l, sym), mod->syms[sym].bytes);
	if ((e = ptx_memory_adopt(&m->memory, name, host, mod->syms[sym].bytes, err)) < 0)
		return e;
	ptx_memory_delete(&m->memory, l->address[sym]);
	l->address[sym] = (uint64_t)(uintptr_t)host;
	for (uint32_t s = 0; s < mod->nsyms; s++)
		relocate(m, l, s);
	patch_programs(l);
	return e;
}
