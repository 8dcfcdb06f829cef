/*
 * Any bytes as PTX, form feeds between texts that are linked: refused with a sentence that names
 * the place, or kernels whose every number lies inside of what it counts, and a program that
 * validates.
 */
#include "sim/ptx/ast.h"
#include "sim/ptx/ptx.h"
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
	if (!holds)
		abort();
}

static void check_operand(const struct ptx_kernel *k, const struct ptx_operand *o)
{
	uint32_t local = o->sym & ~PTX_SYM_LOCAL;
	check(o->kind != PTX_O_REG || o->reg < k->nregs || o->reg == TR_NONE);
	check(o->kind != PTX_O_SREG || o->reg < PTX_NSREGS);
	if (o->kind == PTX_O_SYM)
		check(o->sym & PTX_SYM_LOCAL ? local < k->nsyms : o->sym < k->module->nsyms);
}

/* Parameters are reached without further checks when a kernel runs. */
static void check_param(const struct ptx_kernel *k, const struct ptx_inst *x)
{
	uint64_t bytes = (uint64_t)ptx_type_bytes(x->type) * x->vec;
	if (x->space != TR_S_PARAM || x->addr.kind != PTX_O_SYM || x->op == PTX_PREFETCH)
		return;
	check(x->addr.sym & PTX_SYM_LOCAL);
	const struct ptx_sym *s = &k->syms[x->addr.sym & ~PTX_SYM_LOCAL];
	uint64_t end = s->offset + (uint64_t)x->disp + bytes;
	check(s->space == PTX_V_PARAM || s->space == PTX_V_LOCAL);
	check(x->disp >= 0 && end <= (s->space == PTX_V_PARAM ? k->param_bytes : k->local_bytes));
}

static void check_kernel(const struct ptx_kernel *k)
{
	struct tr_err err;
	check(k->ninsts && k->program && k->program->ninsts == k->ninsts);
	for (uint32_t n = 0; n < k->ninsts; n++) {
		const struct ptx_inst *x = &k->insts[n];
		check(x->op < PTX_NOPS && x->text < k->strings_len);
		check(x->ndst <= PTX_MAX_DST && x->nsrc <= PTX_MAX_SRC);
		for (unsigned o = 0; o < x->ndst; o++)
			check_operand(k, &x->dst[o]);
		for (unsigned o = 0; o < x->nsrc; o++)
			check_operand(k, &x->src[o]);
		check_operand(k, &x->addr);
		check_param(k, x);
		check(x->guard == TR_NONE || x->guard < k->nregs);
		check(x->target == TR_NONE || x->target < k->ninsts);
		for (uint32_t t = 0; t < x->ntargets; t++)
			check(x->targets[t] < k->ninsts);
	}
	check(tr_program_validate(k->program, &err) == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptx_module *m = NULL;
	struct tr_err err = {0};
	struct ptx_text texts[TEXTS];
	unsigned n = 0;
	const char *at = (const char *)data, *end = at + size, *next;
	for (; n < TEXTS && at; at = next ? next + 1 : NULL) {
		next = n + 1 < TEXTS && at < end ? memchr(at, '\f', (size_t)(end - at)) : NULL;
		texts[n++] = (struct ptx_text){at, (size_t)((next ? next : end) - at), "f.ptx"};
	}
	if (!n)
		texts[n++] = (struct ptx_text){"", 0, "f.ptx"};
	int r = ptx_link(&m, texts, n, &err);
	if (r < 0) {
		check(!m && err.code == r && err.msg[0]);
		check(r == TR_EMEM || !strncmp(err.msg, "f.ptx:", 6));
		return 0;
	}
	for (uint32_t i = 0; i < ptx_nkernels(m); i++)
		if (ptx_refusal(ptx_kernel_at(m, i)))
			check(!strncmp(ptx_refusal(ptx_kernel_at(m, i)), "f.ptx:", 6));
		else
			check_kernel(ptx_kernel_at(m, i));
	ptx_module_free(m);
	return 0;
}
