/*
 * The tr_program of a kernel: what the replay needs to know of each instruction. Values are gone;
 * registers, addresses' bases, classes, successors and lines stay.
 *
 * Three things that have no name in PTX get a register, so that dependences and the proofs of
 * analysis are right: the carry of add.cc (%cc), and the parameters of inlined calls, which
 * compiled code keeps in registers (%param[n]: one for each place in them that is stored or loaded
 * alone); and what a cp.async brings (%copy[n]), which its load writes, its store does not wait for
 * and a wait for copies does.
 */
#include "ast.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 64 }; /* more than a call of the device runtime has: 48 bytes */
enum { COPIES_MAX = 16 };

struct list {
	uint32_t v[LIST_MAX], n;
};

struct lowering {
	const struct ptx_kernel *k;
	struct tr_program *p;
	struct tr_err *err;
	uint32_t sregs[PTX_NSREGS]; /* their registers, or TR_NONE */
	uint32_t cc;                /* register of the carry, or TR_NONE */
	uint32_t next_copy;
	uint32_t copies[COPIES_MAX], ncopies; /* registers of copies; more than these share them */
	struct slot {
		uint64_t at; /* the parameter's number, and the byte in it below that */
		uint32_t bytes, reg;
	} * slots; /* by `at` */
	size_t nslots;
	uint32_t *files; /* strings of the module's files, or TR_NONE */
};

static int no_memory(struct lowering *w)
{
	return tr_fail(w->err, TR_EMEM, 0, "no memory for kernel '%s'", w->k->name);
}

static int add_register(struct lowering *w, const char *name, uint32_t width, uint32_t *reg)
{
	int64_t r = tr_program_reg(w->p, name, width);
	if (r < 0)
		return no_memory(w);
	*reg = (uint32_t)r;
	return 1;
}

static uint32_t width_of(enum ptx_type t)
{
	unsigned bytes = ptx_type_bytes(t);
	return !bytes ? 1 : bytes == 1 ? 16 : bytes * 8;
}

/* No list outgrows its bound: 8 sources and a carry, or the slots of 23 bytes. */
static void put(struct list *l, uint32_t reg)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->v[i] == reg)
			return;
	l->v[l->n++] = reg;
}

/* ---- parameters of calls ---- */

static const struct ptx_sym *symbol(const struct lowering *w, const struct ptx_operand *o)
{
	return o->sym & PTX_SYM_LOCAL ? &w->k->syms[o->sym & ~PTX_SYM_LOCAL]
				      : &w->k->module->syms[o->sym];
}

/* Whether it moves a parameter of a call, which is no access to memory. */
static int is_call_param(const struct lowering *w, const struct ptx_inst *x)
{
	return (x->op == PTX_LD || x->op == PTX_ST) && x->space == TR_S_PARAM &&
	       x->addr.kind == PTX_O_SYM && symbol(w, &x->addr)->space == PTX_V_LOCAL;
}

/* Where an element of a call's parameter lies; a formal parameter is where the actual one is. */
static uint64_t slot_at(const struct lowering *w, const struct ptx_inst *x, unsigned element)
{
	return (uint64_t)symbol(w, &x->addr)->storage << 32 |
	       (uint32_t)(x->disp + element * ptx_type_bytes(x->type));
}

static int by_place(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (int)y->bytes - (int)x->bytes;
}

static int find_slots(struct lowering *w)
{
	size_t n = 0, unique = 0;
	for (uint32_t i = 0; i < w->k->ninsts; i++)
		n += is_call_param(w, &w->k->insts[i]) ? w->k->insts[i].vec : 0;
	w->slots = calloc(n + 1, sizeof *w->slots);
	if (!w->slots)
		return no_memory(w);
	n = 0;
	for (uint32_t i = 0; i < w->k->ninsts; i++) {
		const struct ptx_inst *x = &w->k->insts[i];
		for (unsigned e = 0; e < x->vec && is_call_param(w, x); e++)
			w->slots[n++] = (struct slot){
				.at = slot_at(w, x, e), .bytes = ptx_type_bytes(x->type)};
	}
	qsort(w->slots, n, sizeof *w->slots, by_place);
	for (size_t i = 0; i < n; i++) {
		struct slot *s = &w->slots[unique];
		char name[40];
		if (i && w->slots[i].at == w->slots[unique - 1].at)
			continue; /* the widest came first */
		*s = w->slots[i];
		snprintf(name, sizeof name, "%%param[%zu]", unique++);
		int r = add_register(w, name, s->bytes == 1 ? 16 : s->bytes * 8, &s->reg);
		if (r < 0)
			return r;
	}
	w->nslots = unique;
	return 1;
}

/* The first slot at or after a place. */
static size_t slot_from(const struct lowering *w, uint64_t at)
{
	size_t low = 0, high = w->nslots;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (w->slots[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* A store writes the slot that begins where it does; a load reads all that it overlaps. */
static void put_slots(const struct lowering *w, const struct ptx_inst *x, struct list *l)
{
	for (unsigned e = 0; e < x->vec; e++) {
		uint64_t at = slot_at(w, x, e), end = at + ptx_type_bytes(x->type);
		uint32_t before = (uint32_t)at < 7 ? (uint32_t)at : 7;
		if (x->op == PTX_ST) {
			put(l, w->slots[slot_from(w, at)].reg);
			continue;
		}
		for (size_t s = slot_from(w, at - before); s < w->nslots && w->slots[s].at < end;
			s++)
			if (w->slots[s].at + w->slots[s].bytes > at)
				put(l, w->slots[s].reg);
	}
}

/* All slots of a parameter's first bytes: what a call of the device runtime reads or writes. */
static void put_parameter(
	const struct lowering *w, const struct ptx_operand *o, uint32_t bytes, struct list *l)
{
	const uint64_t at = (uint64_t)symbol(w, o)->storage << 32;
	for (size_t s = slot_from(w, at); s < w->nslots && w->slots[s].at < at + bytes; s++)
		put(l, w->slots[s].reg);
}

/* ---- operands ---- */

static uint32_t sreg_width(enum ptx_sreg s)
{
	if (s == PTX_SR_IS_EXPLICIT_CLUSTER)
		return 1;
	return s == PTX_SR_GRIDID || s == PTX_SR_CLOCK64 || s == PTX_SR_GLOBALTIMER ? 64 : 32;
}

static uint32_t sreg_mark(enum ptx_sreg s)
{
	switch (s) {
	case PTX_SR_LANEID:
	case PTX_SR_LANEMASK_EQ:
	case PTX_SR_LANEMASK_LE:
	case PTX_SR_LANEMASK_LT:
	case PTX_SR_LANEMASK_GE:
	case PTX_SR_LANEMASK_GT:
		return TR_M_LANEID;
	case PTX_SR_WARPID:
	case PTX_SR_NWARPID:
		return TR_M_WARPID;
	case PTX_SR_CLOCK:
	case PTX_SR_CLOCK_HI:
	case PTX_SR_CLOCK64:
	case PTX_SR_GLOBALTIMER:
		return TR_M_CLOCK;
	default:
		return 0;
	}
}

static int put_operand(struct lowering *w, const struct ptx_operand *o, struct list *l)
{
	if (o->kind == PTX_O_REG && o->reg != TR_NONE)
		put(l, o->reg);
	if (o->kind != PTX_O_SREG)
		return 1;
	uint32_t *reg = &w->sregs[o->reg];
	if (*reg == TR_NONE) {
		int r = add_register(w, ptx_sreg_name(o->reg), sreg_width(o->reg), reg);
		if (r < 0)
			return r;
		w->p->marks |= sreg_mark(o->reg);
	}
	put(l, *reg);
	return 1;
}

static int put_carry(struct lowering *w, struct list *l)
{
	if (w->cc == TR_NONE) {
		int r = add_register(w, "%cc", 1, &w->cc);
		if (r < 0)
			return r;
	}
	put(l, w->cc);
	return 1;
}

/* ---- copies ---- */

static int is_copy(const struct ptx_inst *x)
{
	return (x->flags & PTX_F_ASYNC) != 0;
}

static int find_copies(struct lowering *w)
{
	int r = 1;
	for (uint32_t i = 0; i < w->k->ninsts && w->ncopies < COPIES_MAX && r > 0; i++) {
		char name[24];
		if (!is_copy(&w->k->insts[i]) || w->k->insts[i].op != PTX_LD)
			continue;
		snprintf(name, sizeof name, "%%copy[%u]", w->ncopies);
		r = add_register(w, name, 1, &w->copies[w->ncopies++]);
	}
	return r;
}

static int awaits_copies(const struct ptx_inst *x)
{
	return x->op == PTX_CP_ASYNC_WAIT || x->op == PTX_CP_ASYNC_WAIT_ALL ||
	       x->op == PTX_CP_ASYNC_ARRIVE;
}

static enum tr_mbarrier barrier_operation(const struct ptx_inst *x)
{
	const int expects = (x->flags & PTX_F_EXPECT) != 0;

	if (x->op == PTX_CP_ASYNC_ARRIVE)
		return x->flags & PTX_F_NOINC ? TR_MBAR_COPIES_NOINC : TR_MBAR_COPIES;
	switch (x->mode) {
	case PTX_M_INIT:
		return TR_MBAR_INIT;
	case PTX_M_INVAL:
		return TR_MBAR_INVAL;
	case PTX_M_DROP:
		return expects ? TR_MBAR_DROP_TX : TR_MBAR_DROP;
	case PTX_M_EXPECT_TX:
		return TR_MBAR_EXPECT;
	case PTX_M_COMPLETE_TX:
		return TR_MBAR_COMPLETE;
	case PTX_M_TEST_WAIT:
		return TR_MBAR_TEST;
	case PTX_M_TRY_WAIT:
		return TR_MBAR_TRY;
	default:
		return expects ? TR_MBAR_ARRIVE_TX : TR_MBAR_ARRIVE;
	}
}

/* What the record says of copies, of what waits for them, and of barriers in memory. */
static uint32_t async_aux(const struct ptx_inst *x, uint32_t other)
{
	switch (x->op) {
	case PTX_LD:
		return is_copy(x) ? TR_COPY_LOAD : other;
	case PTX_CP_ASYNC_COMMIT:
		return TR_COPY_COMMIT;
	case PTX_CP_ASYNC_WAIT:
		return TR_COPY_WAIT + (x->src[0].imm < 1000 ? (uint32_t)x->src[0].imm : 1000);
	case PTX_CP_ASYNC_WAIT_ALL:
		return TR_COPY_WAIT_ALL;
	case PTX_OPERAND:
		return TR_AUX(TR_AUX_OPERAND, 0);
	case PTX_CP_ASYNC_ARRIVE:
		return TR_AUX(TR_AUX_MBARRIER, barrier_operation(x));
	case PTX_MBARRIER:
		return x->mode == PTX_M_PENDING ? other
						: TR_AUX(TR_AUX_MBARRIER, barrier_operation(x));
	default:
		return other;
	}
}

/* The halves of a copy have only the size of its source beside their addresses. */
static int lower_copy(
	struct lowering *w, const struct ptx_inst *x, struct list *dst, struct list *src)
{
	const unsigned plain = x->op == PTX_LD ? 0 : x->vec;
	if (x->op == PTX_LD)
		put(dst, w->copies[w->next_copy++ % COPIES_MAX]);
	return x->nsrc > plain ? put_operand(w, &x->src[plain], src) : 1;
}

/* ---- instructions ---- */

/* A product counts as arithmetic of its factors. */
static enum tr_class class_of_product(enum ptx_cell factor)
{
	return factor >= PTX_CELL_S8     ? TR_C_INT
	       : factor == PTX_CELL_F64  ? TR_C_FP64
	       : factor == PTX_CELL_TF32 ? TR_C_FP32
					 : TR_C_FP16;
}

static enum tr_class class_of(const struct ptx_inst *x)
{
	enum tr_class c = ptx_op_class(x->op);
	if (x->op == PTX_MMA || x->op == PTX_WMMA_MMA)
		return class_of_product(x->tile.cell[0]);
	if (x->op == PTX_MBARRIER && x->mode == PTX_M_PENDING)
		return TR_C_INT;
	if (ptx_calls_device(x))
		return TR_C_OTHER;
	if (x->op == PTX_RET && x->target != TR_NONE)
		return TR_C_BRANCH;
	if (x->op == PTX_SET || x->op == PTX_SETP || x->op == PTX_SELP || x->op == PTX_SLCT)
		return c;
	if (c != TR_C_INT && c != TR_C_FP32)
		return c;
	switch (x->type) {
	case PTX_T_F16:
	case PTX_T_F16X2:
	case PTX_T_BF16:
	case PTX_T_BF16X2:
		return TR_C_FP16;
	case PTX_T_F32:
		return TR_C_FP32;
	case PTX_T_F64:
		return TR_C_FP64;
	default:
		return c;
	}
}

/* What an access adds. The address of a global variable is known when it is loaded: see ptx_load.
 */
static void lower_access(struct lowering *w, const struct ptx_inst *x, struct tr_inst *t)
{
	const struct ptx_operand *a = &x->addr;
	if (ptx_is_tensor(x->op)) {
		/* A lane's share of what the warp moves: its address is not the register's. */
		const unsigned bits = ptx_cell_bits(x->tile.cell[x->tile.matrix]);
		const unsigned bytes = x->tile.k ? ptx_tile_elements(x, x->tile.matrix) * bits / 8
						 : 16; /* ldmatrix: a row */
		t->space = x->space;
		t->bytes = (uint8_t)(bytes < 16 ? bytes : 16);
		t->vec = (uint8_t)(bytes / t->bytes);
		t->base = a->reg;
		t->disp = x->disp;
		t->flags |= TR_I_VOLATILE;
		return;
	}
	if (x->op == PTX_SULD || x->op == PTX_SUST) {
		t->space = x->op == PTX_SULD ? TR_S_TEXTURE : TR_S_GLOBAL;
		t->bytes = (uint8_t)ptx_type_bytes(x->type);
		t->vec = x->vec;
		t->base = x->src[1].kind == PTX_O_REG ? x->src[1].reg : TR_NONE;
		t->flags |= TR_I_VOLATILE;
		return;
	}
	if (x->op == PTX_TEX) {
		/* Where the texel lies is the texture's affair: nothing is known of the address. */
		t->space = TR_S_TEXTURE;
		t->bytes = 4;
		t->vec = 1;
		t->base = x->src[1].kind == PTX_O_REG ? x->src[1].reg : TR_NONE;
		t->flags |= TR_I_VOLATILE;
		return;
	}
	t->space = x->flags & PTX_F_NC ? TR_S_TEXTURE : x->space;
	t->bytes = (uint8_t)ptx_type_bytes(x->type);
	t->vec = x->vec;
	t->disp = x->disp;
	if (a->kind == PTX_O_REG)
		t->base = a->reg;
	else if (a->kind == PTX_O_IMM)
		t->disp += (int64_t)a->imm;
	else if (symbol(w, a)->space != PTX_V_GLOBAL)
		t->disp += (int64_t)symbol(w, a)->offset;
}

/* The barrier's number and count, where they are constants. */
static void lower_barrier(const struct ptx_inst *x, struct tr_inst *t)
{
	unsigned operands = x->nsrc - (x->mode >= PTX_M_RED_POPC);
	if (x->src[0].kind == PTX_O_IMM)
		t->disp = (int64_t)(uint32_t)x->src[0].imm;
	if (operands > 1 && x->src[1].kind == PTX_O_IMM)
		t->aux = (uint32_t)x->src[1].imm;
	if (x->mode == PTX_M_ARRIVE)
		t->flags |= TR_I_ARRIVE;
}

/* Successors in program.h's order; the list is the caller's to free unless it is `two`. */
static uint32_t *successors(
	const struct ptx_inst *x, uint32_t n, struct tr_inst *t, uint32_t two[2], uint32_t *count)
{
	uint32_t *s = two, fall = n + 1, *end = two;
	if (x->op == PTX_CALL && !ptx_calls_device(x))
		fall = x->targets[0];
	if (x->op == PTX_BRX) {
		t->flags |= TR_I_INDEXED;
		s = end = malloc((x->ntargets + 1) * sizeof *s);
		if (!s)
			return NULL;
	}
	int jumps = t->cls == TR_C_BRANCH || t->cls == TR_C_EXIT;
	if (x->guard != TR_NONE || !jumps)
		*end++ = fall;
	if (x->op == PTX_BRX) {
		memcpy(end, x->targets, x->ntargets * sizeof *end);
		end += x->ntargets;
	} else if (t->cls == TR_C_BRANCH) {
		*end++ = x->target;
	} else if (t->cls == TR_C_EXIT && x->guard != TR_NONE) {
		*end++ = TR_EXIT;
	}
	*count = (uint32_t)(end - s);
	return s;
}

static int lower_operands(
	struct lowering *w, const struct ptx_inst *x, struct list *dst, struct list *src)
{
	int r = 1;
	if (ptx_calls_device(x)) {
		for (unsigned o = 0; o < x->ndst; o++)
			put_parameter(w, &x->dst[o], 8, dst);
		for (unsigned o = 0; o < x->nsrc; o++)
			put_parameter(w, &x->src[o], 12, src);
		return 1;
	}
	if (is_copy(x))
		return lower_copy(w, x, dst, src);
	for (uint32_t c = 0; c < w->ncopies && awaits_copies(x); c++)
		put(src, w->copies[c]);
	for (unsigned o = 0; o < x->ndst && r > 0; o++)
		r = put_operand(w, &x->dst[o], dst);
	for (unsigned o = 0; o < x->nsrc && r > 0; o++)
		r = put_operand(w, &x->src[o], src);
	if (r > 0 && (x->flags & PTX_F_CC))
		r = put_carry(w, dst);
	if (r > 0 && (x->op == PTX_ADDC || x->op == PTX_SUBC || x->op == PTX_MADC))
		r = put_carry(w, src);
	if (is_call_param(w, x))
		put_slots(w, x, x->op == PTX_LD ? src : dst);
	else if (class_of(x) == TR_C_OTHER)
		r = r < 0 ? r : put_operand(w, &x->addr, src);
	return r;
}

static int lower_file(struct lowering *w, uint32_t number, uint32_t *file)
{
	const struct ptx_module *m = w->k->module;
	*file = TR_NONE;
	if (number >= m->nfiles || !m->files[number])
		return 1;
	if (w->files[number] == TR_NONE) {
		int64_t s = tr_program_string(w->p, m->files[number]);
		if (s < 0)
			return no_memory(w);
		w->files[number] = (uint32_t)s;
	}
	*file = w->files[number];
	return 1;
}

static int lower_inst(struct lowering *w, uint32_t n)
{
	const struct ptx_inst *x = &w->k->insts[n];
	struct tr_inst t = {
		.cls = (uint8_t)class_of(x), .guard = x->guard, .base = TR_NONE, .line = x->line};
	struct list dst = {.n = 0}, src = {.n = 0};
	uint32_t two[2], nsucc;
	int64_t opcode = tr_program_string(w->p, w->k->strings + x->text);
	if (opcode < 0)
		return no_memory(w);
	t.opcode = (uint32_t)opcode;
	t.flags |= x->guard_not ? TR_I_GUARD_NOT : 0;
	t.flags |= x->flags & PTX_F_VOLATILE ? TR_I_VOLATILE : 0;
	t.flags |= x->op == PTX_CALL && !ptx_calls_device(x) ? TR_I_CALL : 0;
	if (ptx_calls_device(x) && x->mode != PTX_M_FINE) {
		t.flags |= TR_I_API;
		t.aux = x->mode == PTX_M_STREAM   ? TR_API_STREAM
			: x->mode == PTX_M_BUFFER ? TR_API_BUFFER
						  : TR_API_LAUNCH;
	}
	if ((x->op == PTX_RET && x->target != TR_NONE) || x->flags & PTX_F_BACK)
		t.flags |= TR_I_RET;
	t.flags |= t.cls == TR_C_COLLECTIVE ? TR_I_COLLECTIVE : 0;
	if (is_call_param(w, x))
		t.cls = TR_C_MOVE;
	else if (t.cls == TR_C_LOAD || t.cls == TR_C_STORE || t.cls == TR_C_ATOMIC)
		lower_access(w, x, &t);
	if (x->op == PTX_BAR)
		lower_barrier(x, &t);
	if (x->op == PTX_BARRIER_CLUSTER) {
		t.disp = TR_BARRIER_CLUSTER;
		t.flags |= x->mode == PTX_M_ARRIVE ? TR_I_ARRIVE : 0;
	}
	t.aux = async_aux(x, t.aux);
	if (t.cls == TR_C_COLLECTIVE)
		w->p->marks |= x->op == PTX_SHFL ? TR_M_SHUFFLE : TR_M_VOTE;
	int r = lower_file(w, x->file, &t.file);
	if (r > 0)
		r = lower_operands(w, x, &dst, &src);
	if (r < 0)
		return r;
	uint32_t *succ = successors(x, n, &t, two, &nsucc);
	int64_t number =
		succ ? tr_program_inst(w->p, &t, dst.v, dst.n, src.v, src.n, succ, nsucc) : TR_EMEM;
	if (succ != two)
		free(succ);
	return number < 0 ? no_memory(w) : 1;
}

/* ---- operands as they were written ---- */

enum { OPERANDS_MAX = 512 };

static void say_operand(const struct lowering *w, FILE *f, const struct ptx_operand *o)
{
	const char *minus = o->negate ? "-" : "";

	switch (o->kind) {
	case PTX_O_REG:
		if (o->reg == TR_NONE)
			fputc('_', f);
		else
			fprintf(f, "%s%s",
				o->negate && w->k->regs[o->reg].type == PTX_T_PRED ? "!" : minus,
				w->k->regs[o->reg].name);
		break;
	case PTX_O_IMM:
		if (o->imm_kind == PTX_I_F32)
			fprintf(f, "0f%08" PRIX32, (uint32_t)o->imm);
		else if (o->imm_kind == PTX_I_F64)
			fprintf(f, "0d%016" PRIX64, o->imm);
		else
			fprintf(f, "%s%" PRId64, minus, (int64_t)o->imm);
		break;
	case PTX_O_SREG:
		fputs(ptx_sreg_name((enum ptx_sreg)o->reg), f);
		break;
	case PTX_O_SYM:
		fputs(symbol(w, o)->name, f);
		if (o->imm)
			fprintf(f, "%+" PRId64, (int64_t)o->imm);
		break;
	default:
		break;
	}
}

/* A list of operands with `between`; in braces where it is the elements of a vector. */
static void say_list(const struct lowering *w, FILE *f, const struct ptx_operand *o, unsigned n,
	const char *between, int vector)
{
	fputs(vector ? "{" : "", f);
	for (unsigned i = 0; i < n; i++) {
		fputs(i ? between : "", f);
		say_operand(w, f, &o[i]);
	}
	fputs(vector ? "}" : "", f);
}

static void say_address(const struct lowering *w, FILE *f, const struct ptx_inst *x)
{
	fputc('[', f);
	say_operand(w, f, &x->addr);
	if (x->disp)
		fprintf(f, "%+" PRId64, x->disp);
	fputc(']', f);
}

static int say_operands(struct lowering *w, uint32_t inst)
{
	const struct ptx_inst *x = &w->k->insts[inst];
	const int access = x->addr.kind != PTX_O_NONE, vector = x->vec > 1;
	char text[OPERANDS_MAX] = "";
	FILE *f;

	if (x->op == PTX_CALL || x->op == PTX_RET || x->op == PTX_BRA)
		return 1; /* their operands are places in the code */
	f = fmemopen(text, sizeof text, "w");
	if (!f)
		return no_memory(w);
	if (x->ndst) /* setp and shfl write two, as one|other */
		say_list(w, f, x->dst, x->ndst, vector ? ", " : "|", vector);
	if (access) {
		fputs(x->ndst ? ", " : "", f);
		say_address(w, f, x);
	}
	if (x->nsrc) {
		fputs(x->ndst || access ? ", " : "", f);
		say_list(w, f, x->src, x->nsrc, ", ", access && vector);
	}
	fclose(f);
	text[sizeof text - 1] = 0;
	return tr_program_operands(w->p, inst, text) < 0 ? no_memory(w) : 1;
}

static int lower_all(struct lowering *w)
{
	const struct ptx_kernel *k = w->k;
	uint32_t reg;
	int r = 1;
	for (uint32_t i = 0; i < k->nregs && r > 0; i++)
		r = add_register(w, k->regs[i].name, width_of(k->regs[i].type), &reg);
	if (r > 0)
		r = find_slots(w);
	if (r > 0)
		r = find_copies(w);
	for (uint32_t i = 0; i < k->ninsts && r > 0; i++)
		r = lower_inst(w, i);
	for (uint32_t i = 0; i < k->ninsts && r > 0; i++)
		r = say_operands(w, i);
	w->p->shared_bytes = k->shared_bytes;
	w->p->local_bytes = k->local_bytes - k->call_bytes;
	w->p->param_bytes = k->param_bytes;
	return r < 0 ? r : tr_program_analyze(w->p, w->err);
}

int ptx_lower(struct ptx_kernel *k, struct tr_err *err)
{
	struct lowering w = {.k = k, .err = err, .cc = TR_NONE};
	uint32_t nfiles = k->module->nfiles;
	int r;
	for (unsigned s = 0; s < PTX_NSREGS; s++)
		w.sregs[s] = TR_NONE;
	w.p = tr_program_new(k->name);
	w.files = malloc((nfiles + 1) * sizeof *w.files);
	if (w.p && w.files) {
		for (uint32_t f = 0; f < nfiles; f++)
			w.files[f] = TR_NONE;
		r = lower_all(&w);
	} else {
		r = no_memory(&w);
	}
	free(w.files);
	free(w.slots);
	if (r > 0)
		k->program = w.p;
	else
		tr_program_free(w.p);
	return r > 0 ? 1 : r;
}
