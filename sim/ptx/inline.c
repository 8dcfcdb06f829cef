/*
 * Kernels from bodies: each entry is copied, and at each call the function's body after it, with
 * registers and storage of its own, so that what runs has no calls, no stack and one register file.
 * The call stays as a jump to the copy and ret as a jump after it: they are instructions of the
 * original that the replay shall see.
 *
 * A function's variables lie after its caller's; calls one after the other use the same bytes. A
 * formal parameter is the actual one, not a copy of it. Shared variables exist once for a kernel,
 * however often their function is copied. An indirect call becomes one of each function that it
 * can be. Functions that can come to call themselves have frames on a stack (recurse.c). Calls of
 * what has no body are refused.
 */
#include "inline.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies can grow exponentially: bounds for a whole module. */
enum { INSTS_MAX = 500000, REGS_MAX = 2000000, SYMS_MAX = 500000, DEPTH_MAX = 200 };
#define SHARED_MAX (1u << 30)

int ptx_too_large(struct inliner *x, uint32_t line, const char *what, uint32_t max)
{
	return ptx_bad(x->p, line, "with its calls inlined, '%s' needs more than %u %s", x->k->name,
		max, what);
}

int ptx_append(struct inliner *x, const struct ptx_inst *inst)
{
	struct ptx_kernel *k = x->k;
	if (x->ninsts + k->ninsts >= INSTS_MAX)
		return ptx_too_large(x, inst->ptx_line, "instructions", INSTS_MAX);
	if (ptx_room(&k->insts, k->ninsts, 1, &x->cap_insts, sizeof *inst))
		return ptx_no_memory(x->p);
	k->insts[k->ninsts++] = *inst;
	return 1;
}

void ptx_note_local(struct inliner *x)
{
	if (x->k->local_bytes < x->local_top)
		x->k->local_bytes = x->local_top;
	if (x->nest && x->frame_end < x->local_top)
		x->frame_end = x->local_top;
}

int ptx_append_symbol(struct inliner *x, const struct ptx_sym *s, uint32_t line)
{
	struct ptx_kernel *k = x->k;
	if (x->nsyms + k->nsyms >= SYMS_MAX)
		return ptx_too_large(x, line, "variables", SYMS_MAX);
	if (ptx_room(&k->syms, k->nsyms, 1, &x->cap_syms, sizeof *s))
		return ptx_no_memory(x->p);
	k->syms[k->nsyms++] = *s;
	return 1;
}

/* The body's registers; those of an inlined copy are numbered by it. */
static int copy_registers(struct inliner *x, struct copy *c, uint32_t line)
{
	struct ptx_kernel *k = x->k;
	uint32_t n = c->b->nregs;
	c->first_reg = k->nregs;
	if (n > REGS_MAX - x->nregs - k->nregs)
		return ptx_too_large(x, line, "registers", REGS_MAX);
	if (ptx_room(&k->regs, k->nregs, n, &x->cap_regs, sizeof *k->regs))
		return ptx_no_memory(x->p);
	for (uint32_t i = 0; i < n; i++) {
		struct ptx_reg *r = &k->regs[k->nregs++];
		*r = c->b->regs[i];
		if (r->type == PTX_T_B128)
			r->type = PTX_T_B64;
		if (x->copies)
			r->name = ptx_arena_printf(x->p->m->arena, "%s$%u", r->name, x->copies);
		if (!r->name)
			return ptx_no_memory(x->p);
	}
	return 1;
}

/* The body's local variables and parameters, placed after what is in use. */
static int copy_symbols(struct inliner *x, struct copy *c, uint32_t line)
{
	uint64_t align = PTX_STORAGE_ALIGN;
	c->first_sym = x->k->nsyms;
	for (uint32_t i = 0; i < c->b->nsyms; i++)
		if (align < c->b->syms[i].align)
			align = c->b->syms[i].align;
	uint64_t local = ptx_align_up(x->local_top, align), call = ptx_align_up(x->call_top, align);
	for (uint32_t i = 0; i < c->b->nsyms; i++) {
		struct ptx_sym s = c->b->syms[i];
		s.storage = x->k->nsyms;
		s.offset += s.space == PTX_V_LOCAL ? local : s.space == PTX_V_CALL ? call : 0;
		if (c->recursive && s.space == PTX_V_LOCAL)
			s.frame = PTX_FRAME_THIS;
		int r = ptx_append_symbol(x, &s, line);
		if (r < 0)
			return r;
	}
	local += c->b->local_bytes;
	call += c->b->call_bytes;
	if (local > PTX_LOCAL_MAX || call > PTX_LOCAL_MAX)
		return ptx_too_large(x, line, "bytes of local memory", PTX_LOCAL_MAX);
	x->local_top = (uint32_t)local;
	x->call_top = (uint32_t)call;
	ptx_note_local(x);
	if (x->k->call_bytes < call)
		x->k->call_bytes = (uint32_t)call;
	return 1;
}

/* The kernel's symbol of a shared or local variable of the module. */
static int kernel_symbol(struct inliner *x, uint32_t *sym, uint32_t line)
{
	struct ptx_sym s = x->p->m->syms[*sym];
	if (s.space != PTX_V_SHARED && s.space != PTX_V_LOCAL)
		return 1;
	if (x->shared[*sym].k != x->k) {
		if (s.bytes && s.space == PTX_V_SHARED) {
			s.offset = ptx_align_up(x->k->shared_bytes, s.align);
			if (s.offset + s.bytes > SHARED_MAX)
				return ptx_too_large(x, line, "bytes of shared memory", SHARED_MAX);
			x->k->shared_bytes = (uint32_t)(s.offset + s.bytes);
		}
		x->shared[*sym] = (struct shared_use){x->k, x->k->nsyms};
		int r = ptx_append_symbol(x, &s, line);
		if (r < 0)
			return r;
	}
	*sym = x->shared[*sym].sym | PTX_SYM_LOCAL;
	return 1;
}

/* From an entry's body, which another one may stand for, to the number that its kernel has. */
static int kernel_number(struct inliner *x, uint32_t *number, uint32_t line)
{
	const struct ptx_body *b = x->p->bodies[*number];
	uint32_t before = 0;
	if (!b->defined && b->as)
		b = b->as;
	if (!b->defined)
		return ptx_bad(x->p, line, "kernel '%s' is declared and not defined", b->name);
	for (uint32_t i = 0; x->p->bodies[i] != b; i++)
		before += x->p->bodies[i]->is_entry && x->p->bodies[i]->defined;
	*number = before;
	return 1;
}

static int move_operand(
	struct inliner *x, const struct copy *c, struct ptx_operand *o, uint32_t line)
{
	if (o->kind == PTX_O_REG && o->reg != TR_NONE)
		o->reg += c->first_reg;
	if (o->kind == PTX_O_KERNEL)
		return kernel_number(x, &o->sym, line);
	if (o->kind != PTX_O_SYM)
		return 1;
	if (!(o->sym & PTX_SYM_LOCAL)) {
		if (x->p->externs[o->sym].undefined)
			return ptx_bad(x->p, line,
				"variable '%s' is declared .extern and not defined",
				x->p->m->syms[o->sym].name);
		return kernel_symbol(x, &o->sym, line);
	}
	o->sym += c->first_sym;
	return 1;
}

int ptx_copy_inst(struct inliner *x, const struct copy *c, const struct ptx_inst *from)
{
	struct ptx_inst i = *from;
	if (c->site) {
		i.file = c->site->file;
		i.line = c->site->line;
		i.ptx_line = c->site->ptx_line;
	}
	x->p->file = i.file;
	x->p->line = i.line;
	int r = move_operand(x, c, &i.addr, i.ptx_line);
	for (unsigned o = 0; o < i.ndst && r > 0; o++)
		r = move_operand(x, c, &i.dst[o], i.ptx_line);
	for (unsigned o = 0; o < i.nsrc && r > 0; o++)
		r = move_operand(x, c, &i.src[o], i.ptx_line);
	if (i.guard != TR_NONE)
		i.guard += c->first_reg;
	return r < 0 ? r : ptx_append(x, &i);
}

/* ---- calls ---- */

static int refuse_missing(struct inliner *x, const struct ptx_inst *call, const char *name)
{
	if (!strcmp(name, "cudaDeviceSynchronize") || !strcmp(name, "__cudaCDP2DeviceSynchronize"))
		return ptx_bad(x->p, call->ptx_line,
			"call of '%s': a kernel that waits for those that it launched is not "
			"supported",
			name);
	return ptx_bad(x->p, call->ptx_line,
		"call of '%s', which has no body here; PTX that has it can be linked with this",
		name);
}

struct ptx_body *ptx_definition(struct ptx_body *b)
{
	for (unsigned hops = 0; !b->defined && b->as && hops < 16; hops++)
		b = b->as;
	return b;
}

static int find_callee(
	struct inliner *x, const struct ptx_inst *call, uint32_t number, struct ptx_body **callee)
{
	struct ptx_body *b = ptx_definition(x->p->bodies[number]);
	x->p->file = call->file;
	x->p->line = call->line;
	if (!b->defined)
		return refuse_missing(x, call, b->name);
	if (b->refusal) {
		x->p->file = b->refusal_file;
		x->p->line = b->refusal_line;
		return tr_fail(x->p->err, TR_EDATA, 0, "%s", b->refusal);
	}
	if (b->is_entry)
		return ptx_bad(x->p, call->ptx_line, "call of '%s', which is an entry", b->name);
	if (x->depth == DEPTH_MAX)
		return ptx_bad(
			x->p, call->ptx_line, "calls are nested more than %u deep", DEPTH_MAX);
	*callee = b;
	return 1;
}

int ptx_parameter(struct inliner *x, const struct copy *caller, const struct copy *callee,
	const struct ptx_call *call, uint32_t i, uint32_t line, uint32_t *actual, uint32_t *formal)
{
	const struct ptx_body *b = callee->b;
	const struct ptx_operand *o = ptx_actual(call, b->nrets, i);
	if (o->kind != PTX_O_SYM)
		return ptx_bad(x->p, line, "'%s' wants parameter %u as a .param", b->name, i + 1);
	*actual = (o->sym & ~PTX_SYM_LOCAL) + caller->first_sym;
	*formal = b->formals[i].index + callee->first_sym;
	const uint64_t has = x->k->syms[*actual].bytes, wants = x->k->syms[*formal].bytes;
	if (has < wants)
		return ptx_bad(x->p, line, "'%s' wants %llu bytes for parameter %u, not %llu",
			b->name, (unsigned long long)wants, i + 1, (unsigned long long)has);
	return 1;
}

/*
 * Binds parameter `number` of a call (the callee's copy has its symbols already). In memory the
 * formal one becomes the actual one; between registers a mov does it, in the given direction.
 */
static int bind(struct inliner *x, const struct copy *caller, const struct copy *callee,
	const struct ptx_inst *from, const struct ptx_call *call, uint32_t number, int is_result)
{
	const struct ptx_formal *f = &callee->b->formals[number];
	const char *name = callee->b->name;
	uint32_t line = from->ptx_line;
	if (!f->is_reg) {
		uint32_t own, formal;
		int r = ptx_parameter(x, caller, callee, call, number, line, &own, &formal);
		if (r > 0)
			x->k->syms[formal].storage = x->k->syms[own].storage;
		return r;
	}
	struct ptx_inst mov = {.op = PTX_MOV,
		.type = f->type,
		.stype = f->type,
		.vec = 1,
		.ndst = 1,
		.nsrc = 1,
		.guard = TR_NONE,
		.target = TR_NONE,
		.file = from->file,
		.line = from->line,
		.ptx_line = line};
	struct ptx_operand formal = {.kind = PTX_O_REG, .reg = callee->first_reg + f->index};
	struct ptx_operand other = *ptx_actual(call, callee->b->nrets, number);
	char text[16];
	int r = move_operand(x, caller, &other, line);
	if (r < 0)
		return r;
	if (other.kind == PTX_O_IMM && other.imm_kind == PTX_I_INT)
		other.imm = ptx_fit(other.imm, f->type);
	else if (other.kind != PTX_O_REG ||
		 (f->type == PTX_T_PRED) != (x->k->regs[other.reg].type == PTX_T_PRED) ||
		 ptx_type_bytes(x->k->regs[other.reg].type) != ptx_type_bytes(f->type))
		return ptx_bad(x->p, line, "'%s' wants parameter %u in a register of type .%s",
			name, number + 1, ptx_type_name(f->type));
	mov.dst[0] = is_result ? other : formal;
	mov.src[0] = is_result ? formal : other;
	int n = snprintf(text, sizeof text, "mov.%s", ptx_type_name(f->type));
	uint32_t atom = ptx_atoms_put(&x->p->lex.atoms, text, (uint32_t)n);
	if (!atom)
		return ptx_no_memory(x->p);
	mov.text = x->p->lex.atoms.v[atom].text;
	return ptx_append(x, &mov);
}

/*
 * The device runtime's functions, as nvcc and clang declare them; from CUDA 12 on their names begin
 * with __cudaCDP2. Bytes of each argument, and of the result.
 */
static const struct runtime_function {
	const char *name;
	uint8_t mode, nargs, result;
	uint8_t bytes[4];
} runtime[] = {
	{"StreamCreateWithFlags", PTX_M_STREAM, 2, 4, {8, 4}},
	{"GetParameterBufferV2", PTX_M_BUFFER, 4, 8, {8, 12, 12, 4}},
	{"LaunchDeviceV2", PTX_M_LAUNCH, 2, 4, {8, 8}},
	{"StreamDestroy", PTX_M_FINE, 1, 4, {8}},
	{"GetLastError", PTX_M_FINE, 0, 4, {0}},
	{"PeekAtLastError", PTX_M_FINE, 0, 4, {0}},
};

static const struct runtime_function *runtime_function(const char *name)
{
	if (!strncmp(name, "__cudaCDP2", 10))
		name += 10;
	else if (!strncmp(name, "cuda", 4))
		name += 4;
	else
		return NULL;
	for (unsigned i = 0; i < sizeof runtime / sizeof *runtime; i++)
		if (!strcmp(name, runtime[i].name))
			return &runtime[i];
	return NULL;
}

/* A parameter of a runtime call: it stays where the caller has it. */
static int runtime_parameter(struct inliner *x, const struct copy *c, const struct ptx_inst *call,
	struct ptx_operand *o, const struct ptx_operand *actual, uint32_t bytes, const char *name)
{
	*o = *actual;
	if (o->kind != PTX_O_SYM || !(o->sym & PTX_SYM_LOCAL))
		return ptx_bad(x->p, call->ptx_line, "'%s' wants its parameters as .param", name);
	o->sym += c->first_sym;
	if (x->k->syms[o->sym & ~PTX_SYM_LOCAL].bytes < bytes)
		return ptx_bad(
			x->p, call->ptx_line, "'%s' wants a parameter of %u bytes", name, bytes);
	return 1;
}

/* A call of the device runtime becomes one instruction, whose text is the function's name. */
static int copy_runtime_call(struct inliner *x, const struct copy *c, const struct ptx_inst *from,
	const struct ptx_call *call, const struct runtime_function *f)
{
	const char *name = x->p->bodies[call->callee]->name;
	struct ptx_inst i = *from;
	uint32_t atom = ptx_atoms_put(&x->p->lex.atoms, name, (uint32_t)strlen(name));
	int r = 1;
	if (!atom)
		return ptx_no_memory(x->p);
	if (call->nargs != f->nargs || call->nrets > 1)
		return ptx_bad(x->p, from->ptx_line,
			"'%s' has %u parameters and a result, the call has %u and %u", name,
			f->nargs, call->nargs, call->nrets);
	i.text = x->p->lex.atoms.v[atom].text;
	i.mode = f->mode;
	i.target = TR_NONE;
	i.nsrc = f->nargs;
	i.ndst = (uint8_t)call->nrets;
	for (unsigned k = 0; k < f->nargs && r > 0; k++)
		r = runtime_parameter(x, c, from, &i.src[k], &call->args[k], f->bytes[k], name);
	if (call->nrets && r > 0)
		r = runtime_parameter(x, c, from, &i.dst[0], &call->rets[0], f->result, name);
	if (i.guard != TR_NONE)
		i.guard += c->first_reg;
	return r < 0 ? r : ptx_append(x, &i);
}

static int copy_body(struct inliner *x, struct copy *c);

/* A call of the body with this number. */
static int copy_call(struct inliner *x, struct copy *caller, const struct ptx_inst *from,
	const struct ptx_call *call, uint32_t number)
{
	uint32_t local_top = x->local_top, call_top = x->call_top, line = from->ptx_line;
	struct ptx_body *b = NULL;
	struct copy callee = {0};
	const struct ptx_body *declared = x->p->bodies[number];
	const struct runtime_function *f =
		declared->defined || declared->as ? NULL : runtime_function(declared->name);
	if (f)
		return copy_runtime_call(x, caller, from, call, f);
	int r = find_callee(x, from, number, &b);
	if (r < 0)
		return r;
	if (call->nargs != b->nformals - b->nrets || call->nrets != b->nrets)
		return ptx_bad(x->p, line,
			"'%s' has %u parameters and %u results, the call has %u and %u", b->name,
			b->nformals - b->nrets, b->nrets, call->nargs, call->nrets);
	if (b->active)
		return ptx_call_again(x, caller, from, call, b);
	callee.b = b;
	callee.caller = caller;
	callee.site = b->built_in ? from : caller->site;
	if ((callee.recursive = ptx_recursive(x, b)) < 0)
		return callee.recursive;
	b->active = 1;
	x->copies++;
	x->depth++;
	r = copy_registers(x, &callee, line);
	if (r > 0)
		r = copy_symbols(x, &callee, line);
	if (callee.recursive && r > 0)
		r = ptx_frame_open(x, caller, &callee, from, call, local_top);
	for (uint32_t i = 0; i < b->nformals && r > 0 && !callee.recursive; i++)
		if (i >= b->nrets || !b->formals[i].is_reg)
			r = bind(x, caller, &callee, from, call, i, i < b->nrets);
	uint32_t at = x->k->ninsts;
	if (r > 0)
		r = ptx_copy_inst(x, caller, from);
	if (callee.recursive && r > 0)
		r = ptx_frame_arguments(x, caller, &callee, from, call);
	if (r > 0)
		r = copy_body(x, &callee);
	if (callee.recursive && r > 0)
		r = ptx_frame_results(x, caller, &callee, from, call);
	for (uint32_t i = 0; i < b->nrets && r > 0; i++)
		if (b->formals[i].is_reg)
			r = bind(x, caller, &callee, from, call, i, 1);
	free(callee.sites);
	x->nest -= callee.recursive && x->nest;
	if (r > 0) {
		struct ptx_inst *i = &x->k->insts[at];
		i->target = at + 1;
		i->ntargets = 1;
		i->targets = ptx_arena_get(x->p->m->arena, sizeof *i->targets);
		if (!i->targets)
			return ptx_no_memory(x->p);
		*i->targets = x->k->ninsts;
	}
	b->active = 0;
	x->depth--;
	x->local_top = local_top;
	x->call_top = call_top;
	return r;
}

/* ---- indirect calls ---- */

struct ptx_body *ptx_suitable(const struct ptx_parser *p, const struct ptx_body *caller,
	const struct ptx_call *call, uint32_t number)
{
	struct ptx_body *b = p->bodies[number];
	if (!b->taken)
		return NULL;
	b = ptx_definition(b);
	if (!b->defined || call->nrets != b->nrets || call->nargs != b->nformals - b->nrets)
		return NULL;
	for (uint32_t i = 0; i < b->nformals; i++) {
		const struct ptx_operand *o = ptx_actual(call, b->nrets, i);
		if (b->formals[i].is_reg)
			continue;
		if (o->kind != PTX_O_SYM || caller->syms[o->sym & ~PTX_SYM_LOCAL].bytes !=
						    b->syms[b->formals[i].index].bytes)
			return NULL;
	}
	return b;
}

static int is_of_several(
	const struct ptx_parser *p, const struct ptx_body *caller, const struct ptx_call *call)
{
	unsigned n = 0;
	for (uint32_t number = 0; number < p->nbodies && n < 2; number++)
		n += ptx_suitable(p, caller, call, number) != NULL;
	return n > 1;
}

int ptx_inserted(
	struct inliner *x, struct ptx_inst *i, const char *text, const struct ptx_inst *site)
{
	uint32_t atom = ptx_atoms_put(&x->p->lex.atoms, text, (uint32_t)strlen(text));
	if (!atom)
		return ptx_no_memory(x->p);
	i->text = x->p->lex.atoms.v[atom].text;
	i->vec = 1;
	i->target = TR_NONE;
	i->file = site->file;
	i->line = site->line;
	i->ptx_line = site->ptx_line;
	return 1;
}

/* An instruction of the caller's that its text does not have. */
static int insert(struct inliner *x, const struct copy *c, struct ptx_inst i, const char *text,
	const struct ptx_inst *site)
{
	int r = ptx_inserted(x, &i, text, site);
	return r < 0 ? r : ptx_copy_inst(x, c, &i);
}

/*
 * A call of what a register says becomes a comparison and a guarded call for each function that it
 * can be: whose address is taken somewhere, and that takes and gives as much. Two predicates tell
 * which lanes call this one, and which are left; those that are left at the end are told so.
 */
static int copy_indirect(struct inliner *x, struct copy *caller, const struct ptx_inst *from,
	const struct ptx_call *call)
{
	const uint32_t first = caller->b->indirect - 1;
	const struct ptx_operand this = {.kind = PTX_O_REG, .reg = first};
	const struct ptx_operand left = {.kind = PTX_O_REG, .reg = first + 1};
	struct ptx_inst all = {.op = PTX_MOV,
		.type = PTX_T_PRED,
		.stype = PTX_T_PRED,
		.guard = TR_NONE,
		.ndst = 1,
		.nsrc = 1,
		.dst = {left},
		.src = {{.kind = PTX_O_IMM, .imm = 1}}};
	const int narrow = ptx_type_bytes(caller->b->regs[call->address.reg].type) == 4;
	const enum ptx_type type = narrow ? PTX_T_U32 : PTX_T_U64;
	struct ptx_inst setp = {.op = PTX_SETP,
		.type = (uint8_t)type,
		.stype = (uint8_t)type,
		.cmp = PTX_EQ,
		.boolop = PTX_BOOL_AND,
		.guard = TR_NONE,
		.ndst = 2,
		.nsrc = 3,
		.dst = {this, left},
		.src = {call->address, {.kind = PTX_O_IMM}, left}};
	const struct ptx_inst trap = {.op = PTX_TRAP,
		.type = (uint8_t)type,
		.stype = (uint8_t)type,
		.guard = left.reg,
		.nsrc = 1,
		.src = {call->address}};
	struct ptx_inst guarded = *from;
	if (from->guard != TR_NONE)
		all.src[0] = (struct ptx_operand){
			.kind = PTX_O_REG, .reg = from->guard, .negate = from->guard_not};
	guarded.guard = this.reg;
	guarded.guard_not = 0;
	int r = insert(x, caller, all, "mov.pred", from);
	for (uint32_t number = 0; number < x->p->nbodies && r > 0; number++) {
		if (!ptx_suitable(x->p, caller->b, call, number))
			continue;
		setp.src[1].imm = PTX_FUNCTION(number) & (narrow ? UINT32_MAX : UINT64_MAX);
		r = insert(x, caller, setp, narrow ? "setp.eq.and.u32" : "setp.eq.and.u64", from);
		if (r > 0)
			r = copy_call(x, caller, &guarded, call, number);
	}
	return r < 0 ? r : insert(x, caller, trap, "call", from);
}

static int copy_any_call(struct inliner *x, struct copy *caller, const struct ptx_inst *from)
{
	const struct ptx_call *call = &caller->b->calls[from->target];
	caller->several = call->callee == TR_NONE && is_of_several(x->p, caller->b, call);
	return call->callee == TR_NONE ? copy_indirect(x, caller, from, call)
				       : copy_call(x, caller, from, call, call->callee);
}

/* Branches of the copy go to the copy; in a function, ret goes after it. */
static int retarget(struct inliner *x, const struct copy *c)
{
	for (uint32_t n = 0; n < c->b->ninsts; n++) {
		const struct ptx_inst *from = &c->b->insts[n];
		struct ptx_inst *to = &x->k->insts[c->at[n]];
		if (from->op == PTX_BRA)
			to->target = c->at[from->target];
		if (from->op == PTX_RET && c->recursive) {
			int r = ptx_frame_return(x, c, to);
			if (r < 0)
				return r;
		} else if (from->op == PTX_RET && !c->b->is_entry) {
			to->target = c->at[c->b->ninsts];
		}
		if (from->op != PTX_BRX)
			continue;
		to->targets = ptx_arena_get(x->p->m->arena, from->ntargets * sizeof *to->targets);
		if (!to->targets)
			return ptx_no_memory(x->p);
		for (uint32_t t = 0; t < from->ntargets; t++)
			to->targets[t] = c->at[from->targets[t]];
	}
	return 1;
}

static int copy_body(struct inliner *x, struct copy *c)
{
	const char *path = x->p->path;
	int r = 1;
	x->p->path = c->b->path;
	c->at = malloc((c->b->ninsts + 1) * sizeof *c->at);
	if (!c->at)
		return ptx_no_memory(x->p);
	for (uint32_t n = 0; n < c->b->ninsts && r > 0; n++) {
		const struct ptx_inst *from = &c->b->insts[n];
		c->at[n] = x->k->ninsts;
		c->call_at = n;
		r = from->op == PTX_CALL ? copy_any_call(x, c, from) : ptx_copy_inst(x, c, from);
	}
	c->at[c->b->ninsts] = x->k->ninsts;
	if (r > 0)
		r = retarget(x, c);
	x->p->path = path;
	free(c->at);
	return r;
}

/* ---- the kernel as a whole ---- */

/* Formal parameters lie where the actual ones do, wherever these have come to lie. */
static void place_formals(struct ptx_kernel *k)
{
	for (uint32_t s = 0; s < k->nsyms; s++) {
		struct ptx_sym *formal = &k->syms[s];
		if (formal->space != PTX_V_CALL || formal->storage == s)
			continue;
		const struct ptx_sym *actual = &k->syms[formal->storage];
		formal->space = actual->space;
		formal->offset = actual->offset;
		formal->frame = actual->frame;
	}
}

/*
 * Calls' parameters get their final place, after all local variables. If the address of one is
 * taken, they are memory like any other, and their accesses are accesses.
 */
static void place_calls(struct inliner *x)
{
	struct ptx_kernel *k = x->k;
	uint32_t first = (uint32_t)ptx_align_up(k->local_bytes, PTX_STORAGE_ALIGN);
	int addressed = 0;
	for (uint32_t n = 0; n < k->ninsts; n++)
		for (unsigned o = 0; o < k->insts[n].nsrc; o++) {
			const struct ptx_operand *s = &k->insts[n].src[o];
			addressed |= !ptx_calls_device(&k->insts[n]) && s->kind == PTX_O_SYM &&
				     (s->sym & PTX_SYM_LOCAL) &&
				     k->syms[s->sym & ~PTX_SYM_LOCAL].space == PTX_V_CALL;
		}
	for (uint32_t n = 0; n < k->ninsts && addressed; n++) {
		struct ptx_inst *i = &k->insts[n];
		if (i->space == TR_S_PARAM && i->addr.kind == PTX_O_SYM &&
			k->syms[i->addr.sym & ~PTX_SYM_LOCAL].space == PTX_V_CALL)
			i->space = TR_S_LOCAL;
	}
	for (uint32_t s = 0; s < k->nsyms; s++)
		if (k->syms[s].space == PTX_V_CALL) {
			k->syms[s].space = PTX_V_LOCAL;
			k->syms[s].offset += first;
		}
	if (k->call_bytes)
		k->local_bytes = first + k->call_bytes;
	if (addressed)
		k->call_bytes = 0;
}

/* Dynamic shared arrays all begin after the static ones. */
static void place_dynamic_shared(struct ptx_kernel *k)
{
	uint32_t align = 1;
	for (uint32_t s = 0; s < k->nsyms; s++)
		if (k->syms[s].space == PTX_V_SHARED && !k->syms[s].bytes &&
			align < k->syms[s].align)
			align = k->syms[s].align;
	for (uint32_t s = 0; s < k->nsyms; s++)
		if (k->syms[s].space == PTX_V_SHARED && !k->syms[s].bytes)
			k->syms[s].offset = ptx_align_up(k->shared_bytes, align);
}

static int kernel_params(struct inliner *x, const struct ptx_body *b)
{
	struct ptx_kernel *k = x->k;
	k->param_bytes = b->param_bytes;
	k->maxntid = b->maxntid;
	k->cluster = b->cluster;
	k->nparams = b->nformals;
	k->params = ptx_arena_get(x->p->m->arena, b->nformals * sizeof *k->params);
	if (!k->params)
		return ptx_no_memory(x->p);
	for (uint32_t i = 0; i < b->nformals; i++) {
		const struct ptx_sym *s = &b->syms[b->formals[i].index];
		k->params[i] = (struct ptx_param){.offset = (uint32_t)s->offset,
			.bytes = (uint32_t)s->bytes,
			.align = s->align,
			.type = b->formals[i].type,
			.name = s->name};
	}
	return 1;
}

/* A kernel that cannot be made of what it calls is refused; the others are not concerned. */
static int refuse_kernel(struct inliner *x, int r)
{
	struct ptx_kernel *k = x->k;
	if (r != TR_EDATA)
		return r;
	k->refusal = ptx_refusal_at(x->p, x->p->err->msg, x->p->file, x->p->line);
	if (!k->refusal)
		return ptx_no_memory(x->p);
	free(k->insts);
	free(k->regs);
	free(k->syms);
	k->insts = NULL;
	k->regs = NULL;
	k->syms = NULL;
	k->ninsts = k->nregs = k->nsyms = 0;
	k->shared_bytes = k->local_bytes = k->call_bytes = 0;
	x->depth = 0;
	for (uint32_t i = 0; i < x->p->nbodies; i++)
		x->p->bodies[i]->active = 0;
	return 1;
}

static int make_kernel(struct inliner *x, struct ptx_body *b)
{
	struct ptx_module *m = x->p->m;
	struct copy entry = {.b = b};
	x->k = calloc(1, sizeof *x->k);
	if (!x->k)
		return ptx_no_memory(x->p);
	m->kernels[m->nkernels++] = x->k;
	x->k->name = b->name;
	x->k->module = m;
	x->k->path = x->p->path = b->path;
	x->p->line = 0;
	x->cap_insts = x->cap_regs = x->cap_syms = 0;
	x->copies = x->call_top = 0;
	x->local_top = x->p->local_bytes;
	x->stack = x->saved = x->moved = x->nest = x->frame_end = 0;
	x->frame_base = UINT32_MAX;
	ptx_note_local(x);
	b->active = 1;
	int r = kernel_params(x, b);
	if (r > 0 && b->refusal) {
		x->k->refusal = ptx_refusal_at(x->p, b->refusal, b->refusal_file, b->refusal_line);
		return x->k->refusal ? r : ptx_no_memory(x->p);
	}
	uint32_t line = b->refusal ? 0 : b->insts[0].ptx_line; /* there is at least a ret */
	if (r > 0)
		r = copy_registers(x, &entry, line);
	if (r > 0)
		r = copy_symbols(x, &entry, line);
	if (r > 0)
		r = copy_body(x, &entry);
	if (r < 0)
		return refuse_kernel(x, r);
	b->active = 0;
	place_formals(x->k);
	place_calls(x);
	x->p->line = 0;
	if ((r = ptx_place_frames(x)) < 0)
		return refuse_kernel(x, r);
	place_dynamic_shared(x->k);
	x->ninsts += x->k->ninsts;
	x->nregs += x->k->nregs;
	x->nsyms += x->k->nsyms;
	return 1;
}

int ptx_inline(struct ptx_parser *p)
{
	struct inliner x = {.p = p};
	int r = 1;
	p->m->kernels = malloc((p->nbodies + 1) * sizeof *p->m->kernels);
	x.shared = calloc(p->m->nsyms + 1, sizeof *x.shared);
	if (!p->m->kernels || !x.shared)
		r = ptx_no_memory(p);
	for (uint32_t i = 0; i < p->nbodies && r > 0; i++)
		if (p->bodies[i]->is_entry && p->bodies[i]->defined)
			r = make_kernel(&x, p->bodies[i]);
	free(x.shared);
	return r;
}
