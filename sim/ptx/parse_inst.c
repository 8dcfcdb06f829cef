/*
 * One instruction: its operands as its form (forms.c) asks for them, one letter each:
 *
 *   d  destination of the type          D  of twice its width     e  may be wider, or a vector
 *   w  destination of 32 bits           p  a predicate            q  one or two, p|q
 *   x  as d, and X as w, with a predicate after it if wanted, r|p
 *   s  source of the type               S  of twice its width     v  may be wider, or a vector
 *   t  source of the second type        f  may be wider           u  of 32 bits
 *   b  a predicate, or !p               i  an integer literal     A  any address
 *   m  source of mov and cvta: also a variable's address; in mov also a vector
 *   [  address in brackets              L  label                  T  table of .branchtargets
 *   V  four destinations               k  a texture with its coordinates in brackets
 *   C  all of a call                    ?  what follows up to the last letter may be left out
 *
 * A register is as wide as its operand's type; where ld, st and cvt allow a wider one (PTX ISA,
 * "Operand size exceeding instruction-type size") so does this.
 */
#include "parse.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum width { EXACT, WIDER };

int ptx_emit(struct ptx_parser *p, const struct ptx_inst *inst, uint32_t line)
{
	struct ptx_body *b = p->body;
	if (ptx_room(&b->insts, b->ninsts, 1, &b->cap_insts, sizeof *b->insts))
		return ptx_no_memory(p);
	struct ptx_inst *x = &b->insts[b->ninsts++];
	*x = *inst;
	x->file = p->file;
	x->line = p->line;
	x->ptx_line = line;
	return 1;
}

uint64_t ptx_fit(uint64_t value, enum ptx_type t)
{
	switch (ptx_type_bytes(t)) {
	case 1:
		return (uint64_t)(int8_t)value;
	case 2:
		return (uint64_t)(int16_t)value;
	case 4:
		return (uint64_t)(int32_t)value;
	default:
		return t == PTX_T_PRED ? value != 0 : value;
	}
}

static int is_real(enum ptx_type t)
{
	return t == PTX_T_F32 || t == PTX_T_F64;
}

/*
 * Whether a register of type `reg` holds an operand of `bytes` bytes and type t. A wider one of
 * bits holds an f16 or f32 too, but not a bf16 (PTX ISA, "cvt").
 */
static int register_fits(enum ptx_type reg, enum ptx_type t, unsigned bytes, enum width width)
{
	unsigned have = ptx_type_bytes(reg);
	if (have == bytes || reg == PTX_T_PRED || t == PTX_T_PRED)
		return have == bytes;
	if (t == PTX_T_F16 || t == PTX_T_F32)
		return width == WIDER && have > bytes && (reg == PTX_T_B32 || reg == PTX_T_B64);
	return width == WIDER && have > bytes && !ptx_is_float(reg) && !ptx_is_float(t);
}

static int find_register(struct ptx_parser *p, uint32_t atom, uint32_t line, uint32_t *reg)
{
	int r = ptx_register(p, atom, reg);
	if (r)
		return r;
	return ptx_bad(p, line, "register '%s' is not declared", ptx_text(p, atom));
}

/* A register by name, of a width that fits. */
static int take_register(struct ptx_parser *p, struct ptx_operand *o, enum ptx_type t,
	unsigned bytes, enum width width)
{
	uint32_t atom = p->tok.atom, line = p->tok.line;
	int r = ptx_expect(p, PTX_TK_WORD, "a register");
	if (r < 0 || (r = find_register(p, atom, line, &o->reg)) < 0)
		return r;
	o->kind = PTX_O_REG;
	enum ptx_type have = p->body->regs[o->reg].type;
	if (!register_fits(have, t, bytes, width))
		return ptx_bad(p, line,
			"register '%s' of type .%s does not fit here: .%s is wanted",
			ptx_text(p, atom), ptx_type_name(have),
			bytes == ptx_type_bytes(t)
				? ptx_type_name(t)
				: ptx_type_name(bytes == 8 ? PTX_T_B64 : PTX_T_B32));
	return 1;
}

static int destination(
	struct ptx_parser *p, struct ptx_inst *x, enum ptx_type t, unsigned bytes, enum width width)
{
	assert(x->ndst < PTX_MAX_DST);
	struct ptx_operand *o = &x->dst[x->ndst++];
	if (p->tok.kind == PTX_TK_WORD && !strcmp(ptx_text(p, p->tok.atom), "_")) {
		*o = (struct ptx_operand){.kind = PTX_O_REG, .reg = TR_NONE};
		return ptx_advance(p);
	}
	return take_register(p, o, t, bytes, width);
}

/* A floating-point literal for an operand of type t; the bits of f32 where t is f32, and so on. */
static int float_literal(struct ptx_parser *p, struct ptx_operand *o, enum ptx_type t, int minus)
{
	int kind = p->tok.kind;
	uint64_t bits = p->tok.value;
	unsigned bytes = ptx_type_bytes(t);
	if (kind == PTX_TK_F64 && bytes == 4) {
		double d;
		memcpy(&d, &bits, sizeof d);
		float f = (float)d;
		uint32_t low;
		memcpy(&low, &f, sizeof low);
		bits = low;
		kind = PTX_TK_F32;
	}
	if (bytes != (kind == PTX_TK_F32 ? 4 : 8) || (ptx_is_float(t) && !is_real(t)))
		return ptx_bad(p, p->tok.line, "floating-point literal does not fit .%s",
			ptx_type_name(t));
	o->kind = PTX_O_IMM;
	o->imm_kind = kind == PTX_TK_F32 ? PTX_I_F32 : PTX_I_F64;
	o->imm = minus ? bits ^ 1ull << (bytes * 8 - 1) : bits;
	return ptx_advance(p);
}

static int literal(struct ptx_parser *p, struct ptx_operand *o, enum ptx_type t, const char *wants)
{
	int minus = ptx_accept(p, '-');
	if (minus < 0)
		return minus;
	if (p->tok.kind == PTX_TK_F32 || p->tok.kind == PTX_TK_F64)
		return float_literal(p, o, t, minus);
	if (is_real(t))
		return ptx_unexpected(
			p, p->tok.kind == PTX_TK_INT ? "a floating-point literal" : wants);
	o->kind = PTX_O_IMM;
	o->imm_kind = PTX_I_INT;
	int r = ptx_constant(p, minus, wants, &o->imm);
	o->imm = ptx_fit(o->imm, t);
	return r;
}

/* Special registers that exist and are not modelled, so that the sentence can say so. */
static const char *const other_sregs[] = {"%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid",
	"%nclusterid", "%cluster_ctaid", "%cluster_nctaid", "%globaltimer_lo", "%globaltimer_hi",
	"%reserved_smem_offset_", "%aggr_smem_size", "%current_graph_exec", "%pm"};

static int special_register(struct ptx_parser *p, uint32_t atom, uint32_t line, uint32_t *sreg)
{
	const char *name = ptx_text(p, atom);
	if (*name != '%')
		return 0;
	for (unsigned i = 0; i < PTX_NSREGS; i++)
		if (!strcmp(ptx_sreg_name(i), name)) {
			*sreg = i;
			return 1;
		}
	uint32_t stem = p->lex.atoms.v[atom].stem;
	for (unsigned i = 0; i < sizeof other_sregs / sizeof *other_sregs; i++)
		if (!strcmp(other_sregs[i], name) ||
			(stem && !strcmp(other_sregs[i], ptx_text(p, stem))))
			return ptx_bad(p, line, "unsupported special register '%s'", name);
	return 0;
}

/* A source that is a register, a special register or a literal. */
static int source(
	struct ptx_parser *p, struct ptx_inst *x, enum ptx_type t, unsigned bytes, enum width width)
{
	assert(x->nsrc < PTX_MAX_SRC);
	struct ptx_operand *o = &x->src[x->nsrc++];
	if (p->tok.kind != PTX_TK_WORD)
		return literal(p, o, t, "a register or a literal");
	uint32_t atom = p->tok.atom, reg;
	int r = ptx_register(p, atom, &reg);
	if (r > 0)
		return take_register(p, o, t, bytes, width);
	if (r == 0)
		r = special_register(p, atom, p->tok.line, &o->reg);
	if (r < 0)
		return r;
	if (r > 0 && (t == PTX_T_PRED) == (o->reg == PTX_SR_IS_EXPLICIT_CLUSTER)) {
		o->kind = PTX_O_SREG;
		return ptx_advance(p);
	}
	if (!strcmp(ptx_text(p, atom), "WARP_SZ")) {
		o->kind = PTX_O_IMM;
		o->imm = 32;
		return ptx_advance(p);
	}
	return take_register(p, o, t, bytes, width);
}

static int predicate(struct ptx_parser *p, struct ptx_inst *x)
{
	int negate = ptx_accept(p, '!');
	if (negate < 0)
		return negate;
	int r = source(p, x, PTX_T_PRED, 0, EXACT);
	x->src[x->nsrc - 1].negate = (uint8_t)negate;
	if (negate && (x->op == PTX_SETP || x->op == PTX_SET))
		x->flags |= PTX_F_BOOL_NOT;
	return r;
}

/* `{a, b}`: n destinations or sources of one type. */
static int vector(struct ptx_parser *p, struct ptx_inst *x, enum ptx_type t, enum width width,
	unsigned n, int are_sources)
{
	unsigned bytes = ptx_type_bytes(t);
	int r = ptx_expect(p, '{', "'{'");
	for (unsigned i = 0; i < n && r > 0; i++) {
		if (i && (r = ptx_expect(p, ',', "',' and another element")) < 0)
			return r;
		r = are_sources ? source(p, x, t, bytes, width)
				: destination(p, x, t, bytes, width);
	}
	return r < 0 ? r : ptx_expect(p, '}', "'}'");
}

/* Elements of the braces that stand next, without reading them: the lexer is put back. */
static int count_elements(struct ptx_parser *p, unsigned *n)
{
	const struct ptx_place here = ptx_here(p);
	int r;
	*n = 1;
	while ((r = ptx_advance(p)) > 0 && p->tok.kind != '}' && p->tok.kind != ';' &&
		p->tok.kind != PTX_TK_END)
		*n += p->tok.kind == ',';
	ptx_back(p, &here);
	return r;
}

/* The braces of a mov: as many parts as share its bits evenly. */
static int mov_parts(
	struct ptx_parser *p, const struct ptx_inst *x, unsigned *n, enum ptx_type *part)
{
	unsigned bytes = ptx_type_bytes(x->type);
	int r = count_elements(p, n);
	if (r < 0)
		return r;
	if (ptx_is_float(x->type) ||
		!((*n == 2 && bytes >= 2) || (*n == 4 && bytes >= 4 && bytes < 16)))
		return ptx_bad(p, p->tok.line, "'%s' does not take a vector of %u",
			p->lex.atoms.strings + x->text, *n);
	bytes /= *n;
	if (bytes == 8) {
		*part = PTX_T_B64;
		return 1;
	}
	*part = bytes == 1 ? PTX_T_B8 : bytes == 2 ? PTX_T_B16 : PTX_T_B32;
	return 1;
}

/* The variable of that name, as an address. */
static int symbol(struct ptx_parser *p, struct ptx_operand *o, uint32_t atom, uint32_t line)
{
	const struct ptx_binding *b = ptx_bound(p, atom);
	if (!b || b->kind != PTX_B_SYM)
		return ptx_bad(p, line,
			*ptx_text(p, atom) == '%' ? "register '%s' is not declared"
						  : "variable '%s' is not declared",
			ptx_text(p, atom));
	o->kind = PTX_O_SYM;
	o->sym = b->index;
	ptx_symbol_used(p, b->index, line);
	return 1;
}

static int displacement(struct ptx_parser *p, int64_t *disp)
{
	int r = ptx_accept(p, '+');
	if (r < 0 || (!r && p->tok.kind != '-'))
		return r;
	uint64_t v = 0;
	r = ptx_constant(p, 0, "an integer", &v);
	*disp = (int64_t)v;
	return r;
}

/*
 * %reserved_smem_offset_begin, _end, _cap, _0, _1: the shared memory that the system reserves from
 * sm_80 on, 1 KiB a CTA, with a part for each of two libraries (cooperative groups are the second).
 * Where a kernel asks for it, it is a variable like others; the ISA does not say where the parts
 * lie. 1, 0: the name is none of these, or TR_E*.
 */
static int reserved_shared(struct ptx_parser *p, struct ptx_operand *o, uint32_t atom)
{
	static const char stem[] = "%reserved_smem_offset_";
	static const struct {
		const char *name;
		unsigned at;
	} places[] = {{"begin", 0}, {"end", PTX_RESERVED_SHARED}, {"0", 0},
		{"1", PTX_RESERVED_SHARED / 2}};
	const char *name = ptx_text(p, atom);
	if (strncmp(name, stem, sizeof stem - 1))
		return 0;
	name += sizeof stem - 1;
	if (!strcmp(name, "cap")) {
		o->kind = PTX_O_IMM;
		o->imm = PTX_RESERVED_SHARED;
		return 1;
	}
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		struct ptx_sym s = {
			.space = PTX_V_SHARED, .align = 16, .bytes = PTX_RESERVED_SHARED};
		uint32_t sym;
		if (strcmp(name, places[i].name))
			continue;
		if (!p->reserved_shared) {
			s.name = ptx_arena_printf(p->m->arena, "%s", "%reserved_smem");
			int r = s.name ? ptx_symbol_new(p, &s, &sym) : ptx_no_memory(p);
			if (r < 0)
				return r;
			p->reserved_shared = sym + 1;
		}
		o->kind = PTX_O_SYM;
		o->sym = p->reserved_shared - 1;
		o->imm = places[i].at;
		return 1;
	}
	return 0;
}

static int mov_source(struct ptx_parser *p, struct ptx_inst *x)
{
	if (p->tok.kind == '{' && x->op == PTX_MOV) {
		unsigned n;
		enum ptx_type part;
		int r = mov_parts(p, x, &n, &part);
		return r < 0 ? r : vector(p, x, part, EXACT, n, 1);
	}
	uint32_t atom = p->tok.atom, line = p->tok.line;
	const struct ptx_binding *b = p->tok.kind == PTX_TK_WORD ? ptx_bound(p, atom) : NULL;
	if (p->tok.kind == PTX_TK_WORD && x->op == PTX_MOV && ptx_type_bytes(x->type) == 4 &&
		!ptx_is_float(x->type)) {
		int r = b ? 0 : reserved_shared(p, &x->src[x->nsrc], atom);
		x->nsrc += r > 0;
		if (r)
			return r < 0 ? r : ptx_advance(p);
	}
	if (!b || b->kind < PTX_B_SYM)
		return source(p, x, x->type, ptx_type_bytes(x->type), EXACT);
	struct ptx_operand *o = &x->src[x->nsrc++];
	int64_t disp = 0;
	if (b->kind == PTX_B_FUNC && p->bodies[b->index]->is_entry) {
		o->kind = PTX_O_KERNEL;
		o->sym = b->index;
		if (ptx_type_bytes(x->type) < 8 || ptx_is_float(x->type))
			return ptx_bad(
				p, line, "a kernel does not fit .%s", ptx_type_name(x->type));
		return ptx_advance(p);
	}
	if (b->kind == PTX_B_FUNC) {
		if (ptx_type_bytes(x->type) < ptx_function_bytes(p) || ptx_is_float(x->type))
			return ptx_bad(p, line, "a function's address does not fit .%s",
				ptx_type_name(x->type));
		p->bodies[b->index]->taken = 1;
		*o = (struct ptx_operand){.kind = PTX_O_IMM, .imm = PTX_FUNCTION(b->index)};
		return ptx_advance(p);
	}
	int r = symbol(p, o, atom, line);
	if (r > 0 && (ptx_type_bytes(x->type) < 4 || ptx_is_float(x->type)))
		return ptx_bad(p, line, "an address does not fit .%s", ptx_type_name(x->type));
	if (r > 0 && (r = ptx_advance(p)) > 0)
		r = displacement(p, &disp);
	o->imm = (uint64_t)disp;
	return r < 0 ? r : 1;
}

static enum tr_space space_of(const struct ptx_sym *s)
{
	switch (s->space) {
	case PTX_V_GLOBAL:
		return TR_S_GLOBAL;
	case PTX_V_CONST:
		return TR_S_CONST;
	case PTX_V_SHARED:
		return TR_S_SHARED;
	case PTX_V_LOCAL:
		return TR_S_LOCAL;
	default:
		return TR_S_PARAM;
	}
}

/*
 * A variable's name settles the space of a generic access, and must agree with a stated one.
 * Parameters have no addresses that a run could check, so accesses to them are checked here.
 */
static int check_symbol(struct ptx_parser *p, struct ptx_inst *x, uint32_t line)
{
	const struct ptx_sym *s = ptx_symbol_at(p, x->addr.sym);
	enum tr_space space = space_of(s);
	if (x->space == TR_S_GENERIC)
		x->space = (uint8_t)space;
	if (x->space != space)
		return ptx_bad(
			p, line, "'%s' does not lie in .%s", s->name, tr_space_name(x->space));
	if ((x->op == PTX_MBARRIER || x->op == PTX_CP_ASYNC_ARRIVE) && space != TR_S_SHARED)
		return ptx_bad(p, line, "'%s' does not lie in .shared", s->name);
	if (x->op != PTX_LD && (space == TR_S_CONST || s->space == PTX_V_PARAM))
		return ptx_bad(p, line, "'%s' is read-only", s->name);
	if ((x->op == PTX_ATOM || x->op == PTX_RED) && space != TR_S_GLOBAL && space != TR_S_SHARED)
		return ptx_bad(p, line, "'%s' lies where there are no atomics", s->name);
	if (space != TR_S_PARAM || x->op == PTX_PREFETCH)
		return 1;
	uint64_t bytes = (uint64_t)ptx_type_bytes(x->type) * x->vec;
	if (x->disp < 0 || bytes > s->bytes || (uint64_t)x->disp > s->bytes - bytes)
		return ptx_bad(p, line, "access lies outside of '%s', which has %llu bytes",
			s->name, (unsigned long long)s->bytes);
	return 1;
}

static int address(struct ptx_parser *p, struct ptx_inst *x)
{
	uint32_t line, atom, reg;
	int r = ptx_expect(p, '[', "'['");
	if (r < 0)
		return r;
	line = p->tok.line;
	if (p->tok.kind != PTX_TK_WORD) {
		int64_t v;
		if (x->space == TR_S_PARAM)
			return ptx_unexpected(p, "a parameter or a register");
		if ((r = ptx_integer(p, &v)) < 0)
			return r;
		x->addr.kind = PTX_O_IMM;
		x->addr.imm = (uint64_t)v;
		return ptx_expect(p, ']', "']'");
	}
	atom = p->tok.atom;
	int is_register = ptx_register(p, atom, &reg);
	if (is_register < 0 || (r = ptx_advance(p)) < 0)
		return is_register < 0 ? is_register : r;
	if (is_register) {
		enum ptx_type t = p->body->regs[reg].type;
		if (ptx_type_bytes(t) < 4 || ptx_is_float(t))
			return ptx_bad(p, line, "register '%s' of type .%s holds no address",
				ptx_text(p, atom), ptx_type_name(t));
		x->addr.kind = PTX_O_REG;
		x->addr.reg = reg;
		if (x->space == TR_S_GLOBAL || x->space == TR_S_GENERIC) {
			p->narrow |= ptx_type_bytes(t) == 4;
			p->wide |= ptx_type_bytes(t) == 8;
		}
		/* A function's parameters are local memory of the thread; the kernel's are not. */
		if (x->space == TR_S_PARAM && !p->body->is_entry)
			x->space = TR_S_LOCAL;
		if (x->space == TR_S_PARAM && x->op == PTX_ST)
			return ptx_bad(p, line, "parameters of the kernel are read-only");
	} else if ((r = symbol(p, &x->addr, atom, line)) < 0) {
		return r;
	}
	if ((r = displacement(p, &x->disp)) < 0)
		return r;
	if (x->addr.kind == PTX_O_SYM && (r = check_symbol(p, x, line)) < 0)
		return r;
	return ptx_expect(p, ']', "']'");
}

static int label(struct ptx_parser *p, int wants_table)
{
	struct ptx_label_use use = {.atom = p->tok.atom,
		.line = p->tok.line,
		.inst = p->body->ninsts,
		.table = TR_NONE,
		.wants_table = wants_table};
	int r = ptx_expect(p, PTX_TK_WORD, wants_table ? "a table of .branchtargets" : "a label");
	return r < 0 ? r : ptx_label_use(p, &use);
}

/* `(a, b)` of a call: registers, parameters and, where they are sent, literals. */
static int call_list(struct ptx_parser *p, struct ptx_operand **list, uint32_t *n, int are_args)
{
	uint32_t cap = 0;
	struct ptx_operand *v = NULL;
	int r = ptx_advance(p);
	while (r > 0 && p->tok.kind != ')') {
		struct ptx_operand o = {0};
		if (*n && (r = ptx_expect(p, ',', "',' or ')'")) < 0)
			break;
		uint32_t atom = p->tok.atom, line = p->tok.line;
		if (p->tok.kind != PTX_TK_WORD) {
			r = are_args ? literal(p, &o, PTX_T_B64, "an argument")
				     : ptx_unexpected(p, "a parameter or a register");
		} else if ((r = ptx_register(p, atom, &o.reg)) > 0) {
			o.kind = PTX_O_REG;
			r = ptx_advance(p);
		} else if (r == 0 && (r = symbol(p, &o, atom, line)) > 0) {
			r = ptx_symbol_at(p, o.sym)->space == PTX_V_CALL
				    ? ptx_advance(p)
				    : ptx_bad(p, line, "'%s' is no parameter of a call",
					      ptx_text(p, atom));
		}
		if (r > 0 && ptx_room(&v, *n, 1, &cap, sizeof *v))
			r = ptx_no_memory(p);
		if (r > 0)
			v[(*n)++] = o;
	}
	if (r > 0 && *n) {
		*list = ptx_arena_get(p->m->arena, *n * sizeof *v);
		if (*list)
			memcpy(*list, v, *n * sizeof *v);
		else
			r = ptx_no_memory(p);
	}
	free(v);
	return r < 0 ? r : ptx_advance(p);
}

/* Registers of the body that its text does not have: `words` of 32 bits, then predicates. */
static int hidden_registers(struct ptx_parser *p, uint32_t *first, const char *stem, unsigned words,
	unsigned predicates)
{
	const uint32_t next = p->body->nregs;
	int r = 1;
	for (uint32_t k = 0; k < words + predicates && !*first && r > 0; k++) {
		char name[16];
		uint32_t reg;
		const int n = snprintf(name, sizeof name, "%s%u", stem, k);
		const uint32_t atom = ptx_atoms_put(&p->lex.atoms, name, (uint32_t)n);
		if (!atom)
			return ptx_no_memory(p);
		r = ptx_register_new(p, atom, k < words ? PTX_T_B32 : PTX_T_PRED, &reg);
	}
	if (r > 0 && !*first)
		*first = next + 1;
	return r;
}

/* [(results),] function [, (arguments)] [, prototype] */
static int call(struct ptx_parser *p, struct ptx_inst *x)
{
	struct ptx_body *b = p->body;
	struct ptx_call c = {0};
	uint32_t name, line, reg;
	int r;
	if (p->tok.kind == '(') {
		if ((r = call_list(p, &c.rets, &c.nrets, 0)) < 0 ||
			(r = ptx_expect(p, ',', "','")) < 0)
			return r;
	}
	name = p->tok.atom;
	line = p->tok.line;
	if ((r = ptx_expect(p, PTX_TK_WORD, "a function")) < 0)
		return r;
	if ((r = ptx_register(p, name, &reg)) < 0)
		return r;
	const struct ptx_binding *f = ptx_bound(p, name);
	if (r) {
		c.callee = TR_NONE;
		c.address = (struct ptx_operand){.kind = PTX_O_REG, .reg = reg};
		if (ptx_type_bytes(b->regs[reg].type) < ptx_function_bytes(p) ||
			ptx_is_float(b->regs[reg].type))
			return ptx_bad(p, line, "'%s' holds no function", ptx_text(p, name));
		r = hidden_registers(p, &b->indirect, "%callee", 0, 2);
	} else if (!f || f->kind != PTX_B_FUNC) {
		return ptx_bad(p, line, "function '%s' is not declared", ptx_text(p, name));
	} else {
		c.callee = f->index;
	}
	if (r < 0)
		return r;
	while ((r = ptx_accept(p, ',')) > 0) {
		if (p->tok.kind == '(' && !c.args)
			r = call_list(p, &c.args, &c.nargs, 1);
		else
			r = ptx_expect(p, PTX_TK_WORD, "a prototype");
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	if (ptx_room(&b->calls, b->ncalls, 1, &b->cap_calls, sizeof c))
		return ptx_no_memory(p);
	x->target = b->ncalls;
	b->calls[b->ncalls++] = c;
	return 1;
}

/* `d|p`: the predicate after the bar, if there is one. */
static int second_predicate(struct ptx_parser *p, struct ptx_inst *x)
{
	int r = ptx_accept(p, '|');
	return r > 0 ? destination(p, x, PTX_T_PRED, 0, EXACT) : r < 0 ? r : 1;
}

/*
 * `[t, {x, y}]`: t is a .texref or .surfref variable or a register with an object. Coordinates of
 * one dimension are one, of two are two, of more are four; a layer is a .u32 before them. Old texts
 * have four always, of which the last ones say nothing.
 */
static int texture(struct ptx_parser *p, struct ptx_inst *x)
{
	unsigned n;
	int r = ptx_expect(p, '[', "'['");
	if (r > 0) {
		const struct ptx_binding *b =
			p->tok.kind == PTX_TK_WORD ? ptx_bound(p, p->tok.atom) : NULL;
		if (b && b->kind == PTX_B_SYM) {
			r = symbol(p, &x->src[x->nsrc++], p->tok.atom, p->tok.line);
			if (r > 0)
				r = ptx_advance(p);
		} else {
			r = source(p, x, PTX_T_U64, 8, EXACT);
		}
	}
	if (r > 0 && (r = ptx_expect(p, ',', "',' and the coordinates")) > 0 &&
		p->tok.kind != '{') {
		const enum ptx_type t = x->stype;
		if (x->mode != PTX_M_1D)
			return ptx_unexpected(p, "'{'");
		r = source(p, x, t, ptx_type_bytes(t), EXACT);
		return r < 0 ? r : ptx_expect(p, ']', "']'");
	}
	if (r < 0 || (r = count_elements(p, &n)) < 0)
		return r;
	const unsigned want = x->mode == PTX_M_1D                           ? 1
			      : x->mode == PTX_M_2D || x->mode == PTX_M_A1D ? 2
									    : 4;
	if (n != want && n != 4)
		return ptx_bad(p, p->tok.line, "%u coordinates, where there should be %u", n, want);
	r = ptx_advance(p);
	for (unsigned i = 0; i < n && r > 0; i++) {
		const int layer = !i && (x->mode == PTX_M_A1D || x->mode == PTX_M_A2D ||
						x->mode == PTX_M_ACUBE);
		const enum ptx_type t = layer ? PTX_T_U32 : (enum ptx_type)x->stype;
		if (i && (r = ptx_expect(p, ',', "',' and another coordinate")) < 0)
			return r;
		r = source(p, x, t, 4, EXACT);
	}
	x->nsrc -= (uint8_t)(n - want);
	if (want == 4 && x->op != PTX_TEX)
		x->nsrc--; /* the fourth says nothing */
	if (r > 0)
		r = ptx_expect(p, '}', "'}'");
	return r < 0 ? r : ptx_expect(p, ']', "']'");
}

/* What a surface moves stands in braces, where nvcc wrote it also a single register. */
static int is_surface_group(const struct ptx_parser *p, const struct ptx_inst *x)
{
	return p->tok.kind == '{' && (x->op == PTX_SULD || x->op == PTX_SUST);
}

static int operand(struct ptx_parser *p, struct ptx_inst *x, char letter)
{
	enum ptx_type t = x->type, t2 = x->stype, part;
	unsigned bytes = ptx_type_bytes(t), n;
	int r;
	switch (letter) {
	case 'd':
		if (x->op == PTX_MOV && p->tok.kind == '{') {
			r = mov_parts(p, x, &n, &part);
			return r < 0 ? r : vector(p, x, part, EXACT, n, 0);
		}
		return destination(p, x, t, bytes, EXACT);
	case 'D':
		return destination(p, x, t, bytes * 2, EXACT);
	case 'e':
		if (x->vec > 1 || is_surface_group(p, x))
			return vector(p, x, t, WIDER, x->vec, 0);
		return destination(p, x, t, bytes, WIDER);
	case 'w':
		return destination(p, x, PTX_T_B32, 4, EXACT);
	case 'p':
		return destination(p, x, PTX_T_PRED, 0, EXACT);
	case 'q':
		r = destination(p, x, PTX_T_PRED, 0, EXACT);
		return r < 0 ? r : second_predicate(p, x);
	case 'x':
		r = destination(p, x, t, bytes, EXACT);
		return r < 0 ? r : second_predicate(p, x);
	case 'X':
		r = destination(p, x, PTX_T_B32, 4, EXACT);
		return r < 0 ? r : second_predicate(p, x);
	case 's':
		return source(p, x, t, bytes, EXACT);
	case 'S':
		return source(p, x, bytes == 2 ? PTX_T_B32 : PTX_T_B64, bytes * 2, EXACT);
	case 'v':
		if (x->vec > 1 || is_surface_group(p, x))
			return vector(p, x, t, WIDER, x->vec, 1);
		return source(p, x, t, bytes, WIDER);
	case 't':
		return source(p, x, t2, ptx_type_bytes(t2), EXACT);
	case 'f':
		return source(p, x, t2, ptx_type_bytes(t2), WIDER);
	case 'u':
		return source(p, x, PTX_T_U32, 4, EXACT);
	case 'b':
		return predicate(p, x);
	case 'i':
		return literal(p, &x->src[x->nsrc++], PTX_T_B32, "a literal");
	case 'A':
		return source(p, x, PTX_T_U32, 4, WIDER);
	case 'm':
		return mov_source(p, x);
	case 'V':
		return vector(p, x, t, EXACT, 4, 0);
	case 'k':
		r = texture(p, x);
		if (r > 0 && x->flags & PTX_F_LOD &&
			(r = ptx_expect(p, ',', "',' and a level")) > 0)
			r = source(p, x, PTX_T_F32, 4, EXACT);
		return r;
	case '[':
		return address(p, x);
	case 'L':
		return label(p, 0);
	case 'T':
		return label(p, 1);
	default:
		return call(p, x);
	}
}

/* Commas up to the semicolon, or to the end of the block where there is none. */
static unsigned commas_ahead(struct ptx_parser *p, int *r)
{
	const struct ptx_place here = ptx_here(p);
	unsigned n = 0, depth = 0;
	for (*r = 1; *r > 0 && p->tok.kind != ';' && p->tok.kind != PTX_TK_END;
		*r = ptx_advance(p)) {
		if (p->tok.kind == '}' && !depth)
			break;
		depth += p->tok.kind == '{';
		depth -= p->tok.kind == '}';
		n += p->tok.kind == ',';
	}
	ptx_back(p, &here);
	return n;
}

/* The policy of a cache hint changes no result: it is read and dropped. */
static int cache_policy(struct ptx_parser *p, struct ptx_inst *x)
{
	int r = ptx_expect(p, ',', "',' and a cache policy");
	if (r > 0)
		r = source(p, x, PTX_T_B64, 8, EXACT);
	x->nsrc -= r > 0;
	return r;
}

int ptx_video_source(struct ptx_parser *p, struct ptx_inst *x)
{
	return source(p, x, PTX_T_U32, 4, EXACT);
}

int ptx_video_destination(struct ptx_parser *p, struct ptx_inst *x)
{
	return destination(p, x, PTX_T_U32, 4, EXACT);
}

/* ---- mma and its like ---- */

/* Registers in braces, or one without: `want` of them, or as many as there are where that is 0. */
static int fragment(struct ptx_parser *p, struct ptx_inst *x, enum ptx_cell cell, unsigned want,
	int are_sources, unsigned *have)
{
	const enum ptx_type t = ptx_cell_bits(cell) == 64 ? PTX_T_B64 : PTX_T_B32;
	const uint32_t line = p->tok.line;
	unsigned n = 1;
	int r = 1;
	if (p->tok.kind == '{' && (r = count_elements(p, &n)) < 0)
		return r;
	if (n > 8 || (want && n != want))
		return ptx_bad(
			p, line, "%u registers, where there should be %u", n, want ? want : 8);
	*have = n;
	if (p->tok.kind == '{')
		return vector(p, x, t, EXACT, n, are_sources);
	return are_sources ? source(p, x, t, ptx_type_bytes(t), EXACT)
			   : destination(p, x, t, ptx_type_bytes(t), EXACT);
}

/* Registers that a matrix needs at least; a and b of wmma may have more, with elements twice. */
static unsigned registers_of(const struct ptx_inst *x, unsigned matrix, enum ptx_cell cell)
{
	const unsigned bits = ptx_cell_bits(cell) * ptx_tile_elements(x, matrix);
	return ptx_cell_bits(cell) == 64 ? bits / 64 : (bits + 31) / 32;
}

static int factor(
	struct ptx_parser *p, struct ptx_inst *x, unsigned matrix, int are_sources, unsigned *have)
{
	const enum ptx_cell cell = x->tile.cell[matrix];
	const unsigned least = registers_of(x, matrix, cell);
	const uint32_t line = p->tok.line;
	int r = fragment(
		p, x, cell, x->op == PTX_MMA || matrix == 2 ? least : 0, are_sources, have);
	if (r > 0 && *have % least)
		return ptx_bad(p, line, "%u registers, where there should be %u", *have, least);
	return r;
}

/* d, a, b, c */
static int product(struct ptx_parser *p, struct ptx_inst *x)
{
	const enum ptx_cell d = x->tile.cell[PTX_TILE_D];
	unsigned have;
	int r = fragment(p, x, d, registers_of(x, 2, d), 0, &have);
	for (unsigned matrix = 0; matrix < 3 && r > 0; matrix++) {
		if ((r = ptx_expect(p, ',', "',' and a matrix")) > 0)
			r = factor(p, x, matrix, 1, &have);
		if (matrix == 0)
			x->tile.na = (uint8_t)have;
		else if (matrix == 1)
			x->tile.nb = (uint8_t)have;
	}
	return r;
}

/* registers, [address] or [address], registers; and of wmma a stride, if there is one */
static int tile_access(struct ptx_parser *p, struct ptx_inst *x)
{
	const int stores = ptx_op_class(x->op) == TR_C_STORE, rows = !x->tile.k;
	unsigned have;
	int r = 1;
	for (int turn = 0; turn < 2 && r > 0; turn++) {
		if (turn && (r = ptx_expect(p, ',', "',' and another operand")) < 0)
			return r;
		r = turn != stores ? address(p, x)
		    : rows         ? fragment(p, x, PTX_CELL_B16, x->tile.na, stores, &have)
				   : factor(p, x, x->tile.matrix, stores, &have);
	}
	if (r > 0 && x->addr.kind != PTX_O_REG)
		return ptx_bad(p, p->last_line, "the address is not in a register");
	if (r > 0 && !rows && (r = ptx_accept(p, ',')) > 0) {
		x->tile.strided = 1;
		return source(p, x, PTX_T_U32, 4, EXACT);
	}
	return r < 0 ? r : 1;
}

/* ---- cp.async ---- */

/*
 * A copy goes through registers that the text does not have: four words, the size of the source and
 * a predicate.
 */
enum { ASYNC_SIZE = 4, ASYNC_PREDICATE = 5 };

static struct ptx_operand async_register(const struct ptx_parser *p, uint32_t k)
{
	return (struct ptx_operand){.kind = PTX_O_REG, .reg = p->body->async - 1 + k};
}

/* An instruction that the text does not have: `text` is its opcode. */
static int emit_more(struct ptx_parser *p, struct ptx_inst x, const char *text, uint32_t line)
{
	const uint32_t atom = ptx_atoms_put(&p->lex.atoms, text, (uint32_t)strlen(text));
	if (!atom)
		return ptx_no_memory(p);
	x.text = p->lex.atoms.v[atom].text;
	x.vec = 1;
	x.target = TR_NONE;
	return ptx_emit(p, &x, line);
}

/*
 * The operand of an operation on a barrier in memory is an instruction before it, whose only use is
 * that it is recorded (program.h, enum tr_mbarrier): of a wait always, since it says there how the
 * wait went, of others where it is not 1.
 */
static int barrier_operand(struct ptx_parser *p, const struct ptx_inst *x, uint32_t line)
{
	const int waits = x->mode == PTX_M_TEST_WAIT || x->mode == PTX_M_TRY_WAIT;
	const struct ptx_operand *o = &x->src[0];
	struct ptx_inst row = {.op = PTX_OPERAND,
		.type = waits && !(x->flags & PTX_F_PARITY) ? PTX_T_B64 : PTX_T_U32,
		.guard = x->guard,
		.guard_not = x->guard_not,
		.nsrc = 1,
		.src = {*o}};

	if (x->mode == PTX_M_PENDING || !x->nsrc || (!waits && o->kind == PTX_O_IMM && o->imm == 1))
		return 1;
	row.stype = row.type;
	return emit_more(p, row, "operand", line);
}

/* The size of the source, as an operand or as 0 where a predicate says that it is ignored. */
static int async_size(
	struct ptx_parser *p, struct ptx_inst *x, unsigned bytes, struct ptx_operand *size)
{
	struct ptx_inst selp = {
		.op = PTX_SELP, .type = PTX_T_B32, .stype = PTX_T_B32, .ndst = 1, .nsrc = 3};
	const uint32_t line = p->last_line;
	uint32_t reg = TR_NONE;
	int r = p->tok.kind == PTX_TK_WORD ? ptx_register(p, p->tok.atom, &reg) : 0;
	if (r < 0)
		return r;
	x->nsrc = 0;
	if (p->tok.kind != '!' && (!r || p->body->regs[reg].type != PTX_T_PRED)) {
		r = source(p, x, PTX_T_U32, 4, EXACT);
		*size = x->src[0];
		return r;
	}
	if ((r = predicate(p, x)) < 0)
		return r;
	selp.guard = TR_NONE;
	selp.dst[0] = *size = async_register(p, ASYNC_SIZE);
	selp.src[0] = (struct ptx_operand){.kind = PTX_O_IMM};
	selp.src[1] = (struct ptx_operand){.kind = PTX_O_IMM, .imm = bytes};
	selp.src[2] = x->src[0];
	return emit_more(p, selp, "selp.b32", line);
}

/* The guard of the load: where a copy has no source nothing is read. */
static int async_guard(struct ptx_parser *p, const struct ptx_inst *x,
	const struct ptx_operand *size, uint32_t line)
{
	struct ptx_inst setp = {.op = PTX_SETP,
		.type = PTX_T_U32,
		.stype = PTX_T_U32,
		.cmp = PTX_NE,
		.guard = TR_NONE,
		.ndst = 1,
		.nsrc = 2};
	setp.dst[0] = async_register(p, ASYNC_PREDICATE);
	setp.src[0] = *size;
	setp.src[1] = (struct ptx_operand){.kind = PTX_O_IMM};
	if (x->guard == TR_NONE)
		return emit_more(p, setp, "setp.ne.u32", line);
	setp.boolop = PTX_BOOL_AND;
	setp.flags = x->guard_not ? PTX_F_BOOL_NOT : 0;
	setp.src[setp.nsrc++] =
		(struct ptx_operand){.kind = PTX_O_REG, .reg = x->guard, .negate = x->guard_not};
	return emit_more(p, setp, "setp.ne.and.u32", line);
}

/*
 * [to], [from], bytes [, size of the source or predicate] [, policy]: a load and a store, the load
 * with a guard of its own where there may be nothing to read.
 */
static int async_copy(struct ptx_parser *p, struct ptx_inst *x, uint32_t line)
{
	struct ptx_inst load;
	struct ptx_operand size = {0};
	const struct ptx_operand none = {0};
	int64_t bytes;
	int r = hidden_registers(p, &p->body->async, "%async", 5, 1), commas;
	x->op = PTX_ST;
	x->type = x->stype = PTX_T_B32;
	x->flags |= PTX_F_ASYNC;
	if (r > 0 && (r = address(p, x)) > 0)
		r = ptx_expect(p, ',', "',' and a source");
	load = *x;
	load.op = PTX_LD;
	load.space = TR_S_GLOBAL;
	load.addr = none;
	load.disp = 0;
	if (r > 0 && (r = address(p, &load)) > 0 && (r = ptx_expect(p, ',', "',' and a size")) > 0)
		r = ptx_integer(p, &bytes);
	if (r > 0 && bytes != 4 && bytes != 8 && bytes != 16)
		return ptx_bad(
			p, line, "a copy of %lld bytes, not of 4, 8 or 16", (long long)bytes);
	if (r < 0)
		return r;
	commas = (int)commas_ahead(p, &r) - ((x->flags & PTX_F_HINT) != 0);
	if (r > 0 && commas > 0 && (r = ptx_advance(p)) > 0)
		r = async_size(p, x, (unsigned)bytes, &size);
	if (r > 0 && (x->flags & PTX_F_HINT))
		r = cache_policy(p, &load);
	x->vec = load.vec = load.ndst = x->nsrc = (uint8_t)(bytes / 4);
	load.nsrc = 0;
	for (unsigned k = 0; k < x->vec; k++)
		x->src[k] = load.dst[k] = async_register(p, k);
	if (r > 0 && size.kind) {
		r = async_guard(p, x, &size, line);
		load.guard = p->body->async - 1 + ASYNC_PREDICATE;
		load.guard_not = 0;
		load.src[load.nsrc++] = x->src[x->nsrc++] = size;
	}
	if (r > 0 && (r = ptx_emit(p, &load, line)) > 0)
		r = ptx_expect(p, ';', "';'");
	return r < 0 ? r : ptx_emit(p, x, line);
}

/*
 * Operands of 128 bits become two each, the lower half first: of a register the next one by number,
 * of a literal 0.
 */
static int halve_each(
	struct ptx_parser *p, struct ptx_operand *o, uint8_t *n, unsigned max, uint32_t line)
{
	assert(2u * *n <= max);
	for (unsigned k = *n; k-- > 0;) {
		if (o[k].kind != PTX_O_REG && o[k].kind != PTX_O_IMM)
			return ptx_bad(p, line, "what stands here has no 128 bits");
		o[2 * k] = o[2 * k + 1] = o[k];
		if (o[k].kind == PTX_O_IMM)
			o[2 * k + 1].imm = 0;
		else
			o[2 * k + 1].reg += o[2 * k].reg != TR_NONE;
	}
	*n *= 2;
	return 1;
}

/* mov has halves already where it packs or unpacks. */
static int halve(struct ptx_parser *p, struct ptx_inst *x, uint32_t line)
{
	int r = 1;
	if (x->op != PTX_MOV || x->ndst == 1)
		r = halve_each(p, x->dst, &x->ndst, PTX_MAX_DST, line);
	if (r > 0 && (x->op != PTX_MOV || x->nsrc == 1))
		r = halve_each(p, x->src, &x->nsrc, PTX_MAX_SRC, line);
	x->vec = x->op == PTX_MOV ? 1 : 2;
	x->type = x->stype = PTX_T_B64;
	return r;
}

int ptx_parse_inst(struct ptx_parser *p, uint32_t opcode, uint32_t line, struct ptx_guard guard)
{
	struct ptx_form f;
	int r = ptx_form_of(p, opcode, line, &f), first = 1;
	if (r < 0)
		return r;
	struct ptx_inst x = f.proto;
	const char *letters = f.operands;
	if (x.op == PTX_CVTA && x.space == TR_S_PARAM && !p->body->is_entry)
		x.space = TR_S_LOCAL;
	x.guard = guard.reg;
	x.guard_not = (uint8_t)guard.negate;
	if (x.op == PTX_CP_ASYNC)
		return async_copy(p, &x, line);
	if (ptx_video_lanes(x.op))
		r = ptx_video_operands(p, &x);
	else if (ptx_is_tensor(x.op))
		r = x.op == PTX_MMA || x.op == PTX_WMMA_MMA ? product(p, &x) : tile_access(p, &x);
	for (; *letters && r > 0; letters++) {
		if (*letters == '?') {
			/* One operand may be left out: the commas tell whether it is. */
			size_t all = strlen(letters + 1);
			unsigned commas = commas_ahead(p, &r);
			if (commas < all)
				letters++;
			continue;
		}
		if (!first && (r = ptx_expect(p, ',', "',' and another operand")) < 0)
			break;
		first = 0;
		r = operand(p, &x, *letters);
	}
	if (r > 0 && (x.flags & PTX_F_HINT))
		r = cache_policy(p, &x);
	if (r > 0 && x.type == PTX_T_B128)
		r = halve(p, &x, line);
	if (r > 0)
		r = ptx_expect(p, ';', "';'");
	if (r > 0 && x.op == PTX_MBARRIER)
		r = barrier_operand(p, &x, line);
	return r < 0 ? r : ptx_emit(p, &x, line);
}

int ptx_parse_guard(struct ptx_parser *p, struct ptx_guard *g)
{
	struct ptx_operand o = {0};
	int r = ptx_advance(p);
	if (r > 0)
		r = g->negate = ptx_accept(p, '!');
	if (r >= 0)
		r = take_register(p, &o, PTX_T_PRED, 0, EXACT);
	g->reg = o.reg;
	return r;
}
