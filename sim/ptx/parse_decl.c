/*
 * Declarations of variables and registers: types, dimensions, initial data, and the place in their
 * space where that is known while parsing.
 */
#include "parse.h"
#include <stdlib.h>
#include <string.h>

/* Bounds on what a text may ask for, far beyond what a machine has. */
#define INIT_MAX (256ull << 20) /* bytes of initialized variables in a module */
#define ALIGN_MAX 65536
static const uint64_t bytes_max[] = {
	[PTX_V_GLOBAL] = 1ull << 40,
	[PTX_V_CONST] = 64 << 20,
	[PTX_V_SHARED] = 1 << 30,
	[PTX_V_LOCAL] = 512 << 10, /* CUDA C Programming Guide: local memory of a thread */
	[PTX_V_PARAM] = 32764,     /* PTX ISA: parameters of a kernel */
	[PTX_V_CALL] = 512 << 10,
};

static int alignment(struct ptx_parser *p, uint32_t *align)
{
	int64_t v;
	uint32_t line = p->tok.line;
	int r = ptx_integer_in(p, 1, ALIGN_MAX, "an alignment", &v);
	if (r < 0)
		return r;
	if (v & (v - 1))
		return ptx_bad(p, line, "alignment %lld is no power of two", (long long)v);
	*align = (uint32_t)v;
	return r;
}

/* [.attribute(...)] [.align n] [.v4] .type [.ptr [.space] [.align n]], in any order. */
int ptx_declared_type(struct ptx_parser *p, struct ptx_declaration *d)
{
	int r = 1;
	uint32_t pointee;
	*d = (struct ptx_declaration){.vec = 1};
	while (r > 0 && p->tok.kind == PTX_TK_DIRECTIVE) {
		const char *name = ptx_text(p, p->tok.atom);
		/* A texture's or surface's variable stands for it: its address is its handle. */
		enum ptx_type t = !strcmp(name, ".texref") || !strcmp(name, ".surfref")
					  ? PTX_T_B64
					  : ptx_type_of(name + 1);
		if (t && !d->type) {
			d->type = t;
			r = ptx_advance(p);
		} else if (!strcmp(name, ".align")) {
			r = ptx_advance(p);
			if (r > 0)
				r = alignment(p, &d->align);
		} else if (!strcmp(name, ".v2") || !strcmp(name, ".v4")) {
			d->vec = (uint32_t)(name[2] - '0');
			r = ptx_advance(p);
		} else if (!strcmp(name, ".attribute")) {
			r = ptx_advance(p);
			if (r > 0)
				r = ptx_skip_group(p, '(', ')');
		} else if (!strcmp(name, ".ptr")) {
			r = ptx_advance(p);
			if (r > 0 &&
				(ptx_is_directive(p, ".global") || ptx_is_directive(p, ".shared") ||
					ptx_is_directive(p, ".const") ||
					ptx_is_directive(p, ".local")))
				r = ptx_advance(p);
			if (r > 0 && (r = ptx_accept_directive(p, ".align")) > 0)
				r = alignment(p, &pointee);
			else if (r == 0)
				r = 1;
		} else {
			return ptx_bad(p, p->tok.line, "unsupported type '%s'", name);
		}
	}
	if (r > 0 && !d->type)
		return ptx_unexpected(p, "a type");
	return r;
}

/* [n][m]... after a name. */
static int dimensions(struct ptx_parser *p, struct ptx_declaration *d)
{
	int r;
	d->ndims = 0;
	d->unsized = 0;
	while ((r = ptx_accept(p, '[')) > 0) {
		int64_t n = 0;
		if (d->ndims == PTX_DIMS_MAX)
			return ptx_bad(p, p->last_line, "more than %d dimensions", PTX_DIMS_MAX);
		if (p->tok.kind == ']' && !d->ndims)
			d->unsized = 1;
		else if ((r = ptx_integer_in(p, 0, INT64_MAX, "a dimension", &n)) < 0)
			return r;
		d->dims[d->ndims++] = (uint64_t)n;
		if ((r = ptx_expect(p, ']', "']'")) < 0)
			return r;
	}
	if (r == 0 && d->vec > 1)
		d->dims[d->ndims++] = d->vec;
	return r < 0 ? r : 1;
}

/* Bytes of a declared variable, at most `max`. */
static int declared_bytes(
	struct ptx_parser *p, const struct ptx_declaration *d, uint64_t max, uint64_t *bytes)
{
	uint64_t n = ptx_type_bytes(d->type);
	for (uint32_t i = 0; i < d->ndims; i++) {
		if (d->dims[i] && n > max / d->dims[i])
			return ptx_bad(p, p->last_line, "variable is larger than %llu bytes",
				(unsigned long long)max);
		n *= d->dims[i];
	}
	if (!n && !d->unsized)
		return ptx_bad(p, p->last_line, "variable has no bytes");
	*bytes = n;
	return 1;
}

static uint32_t declared_align(const struct ptx_declaration *d)
{
	return d->align ? d->align : ptx_type_bytes(d->type) * d->vec;
}

/* ---- initial data ---- */

struct init {
	const struct ptx_declaration *d;
	struct ptx_sym *sym;
	uint32_t cap_relocs;
	uint32_t name; /* atom, for messages */
};

/* The bytes that a value fills of an element; of 128 bits the upper half is left 0. */
static unsigned init_bytes(enum ptx_type t)
{
	return t == PTX_T_B128 ? 8 : ptx_type_bytes(t);
}

/* An address: name, name+n, generic(name)+n. */
static int init_address(struct ptx_parser *p, struct init *in, uint64_t at)
{
	struct ptx_reloc reloc = {.at = at, .bytes = (uint8_t)ptx_type_bytes(in->d->type)};
	uint32_t name, line = p->tok.line;
	int r = ptx_name(p, &name, "a variable");
	if (r > 0 && !strcmp(ptx_text(p, name), "generic") && (r = ptx_accept(p, '(')) > 0) {
		reloc.generic = 1;
		if ((r = ptx_name(p, &name, "a variable")) > 0)
			r = ptx_expect(p, ')', "')'");
	}
	if (r < 0)
		return r;
	const struct ptx_binding *b = ptx_bound(p, name);
	if (b && b->kind == PTX_B_FUNC && !p->bodies[b->index]->is_entry) {
		const uint64_t value = PTX_FUNCTION(b->index);
		if (reloc.bytes < ptx_function_bytes(p))
			return ptx_bad(p, line, "a function's address does not fit .%s",
				ptx_type_name(in->d->type));
		p->bodies[b->index]->taken = 1;
		memcpy(in->sym->init + at, &value, init_bytes(in->d->type));
		return 1;
	}
	if (!b || b->kind != PTX_B_SYM)
		return ptx_bad(p, line, "variable '%s' is not declared", ptx_text(p, name));
	const struct ptx_sym *target = ptx_symbol_at(p, b->index);
	if (target->space != PTX_V_GLOBAL && target->space != PTX_V_CONST)
		return ptx_bad(p, line, "the address of '%s' is not known before a launch",
			ptx_text(p, name));
	if (reloc.bytes != 8 && reloc.bytes != 4)
		return ptx_bad(p, line, "an address does not fit .%s", ptx_type_name(in->d->type));
	if (p->tok.kind == '+' || p->tok.kind == '-') {
		if ((p->tok.kind == '+' && (r = ptx_advance(p)) < 0) ||
			(r = ptx_integer(p, &reloc.add)) < 0)
			return r;
	}
	reloc.sym = b->index;
	ptx_symbol_used(p, b->index, line);
	if (ptx_room(&in->sym->relocs, in->sym->nrelocs, 1, &in->cap_relocs, sizeof reloc))
		return ptx_no_memory(p);
	in->sym->relocs[in->sym->nrelocs++] = reloc;
	return 1;
}

/* Decimal numbers are read as f64; here one becomes what its type holds. */
static int init_value(struct ptx_parser *p, const struct init *in, uint64_t *v)
{
	enum ptx_type t = in->d->type;
	int64_t i;
	int minus = 0, r;
	if (t != PTX_T_F32 && t != PTX_T_F64) {
		if ((r = ptx_integer(p, &i)) > 0)
			*v = (uint64_t)i;
		return r;
	}
	if ((minus = ptx_accept(p, '-')) < 0)
		return minus;
	*v = p->tok.value;
	if (p->tok.kind == PTX_TK_F64 && t == PTX_T_F32) {
		double d;
		memcpy(&d, v, sizeof d);
		float f = (float)d;
		uint32_t bits;
		memcpy(&bits, &f, sizeof bits);
		*v = bits;
	} else if (p->tok.kind != (t == PTX_T_F32 ? PTX_TK_F32 : PTX_TK_F64)) {
		return ptx_unexpected(p, "a floating-point number");
	}
	if (minus)
		*v ^= t == PTX_T_F32 ? 1ull << 31 : 1ull << 63;
	return ptx_advance(p);
}

/*
 * Elements of dimension `dim` from byte `at` on. Braces open the next dimension; without them, as
 * in C, elements go on filling. Missing ones are zeros.
 */
static int init_list(struct ptx_parser *p, struct init *in, uint32_t dim, uint64_t at, uint64_t end)
{
	unsigned bytes = ptx_type_bytes(in->d->type);
	uint64_t stride = bytes;
	for (uint32_t i = dim + 1; i < in->d->ndims; i++)
		stride *= in->d->dims[i];
	int r = ptx_expect(p, '{', "'{'");
	while (r > 0 && p->tok.kind != '}') {
		if (p->tok.kind == '{') {
			if (dim + 1 >= in->d->ndims)
				return ptx_unexpected(p, "a value");
			if (at + stride <= end)
				r = init_list(p, in, dim + 1, at, at + stride);
			at += stride;
		} else if (at + bytes <= end && p->tok.kind == PTX_TK_WORD) {
			r = init_address(p, in, at);
			at += bytes;
		} else if (at + bytes <= end) {
			uint64_t v = 0;
			r = init_value(p, in, &v);
			memcpy(in->sym->init + at, &v, init_bytes(in->d->type));
			at += bytes;
		} else {
			at = end + 1;
		}
		if (at > end)
			return ptx_bad(p, p->last_line, "too many initial values for '%s'",
				ptx_text(p, in->name));
		if (r > 0 && p->tok.kind != '}')
			r = ptx_expect(p, ',', "',' or '}'");
	}
	return r < 0 ? r : ptx_advance(p);
}

/*
 * Sizes `x[] = {...}` by the values in its outer braces, which are read ahead: the lexer is put
 * back after them. A value without inner braces is an element, of which a row may have several.
 * From then on it is a variable like others, which must have bytes.
 */
static int size_by_values(
	struct ptx_parser *p, struct ptx_declaration *d, uint64_t max, uint64_t *bytes)
{
	const struct ptx_place here = ptx_here(p);
	uint64_t depth = 0, elements = 1, row;
	int r;
	d->unsized = 0;
	d->dims[0] = 1;
	if ((r = declared_bytes(p, d, max, &row)) < 0)
		return r;
	row /= ptx_type_bytes(d->type);
	do {
		depth += p->tok.kind == '{';
		elements += p->tok.kind == '{' && depth == 2 ? row - 1 : 0;
		elements += p->tok.kind == ',' && depth == 1;
		depth -= p->tok.kind == '}';
		if ((r = ptx_advance(p)) < 0)
			return r;
	} while (depth && p->tok.kind != PTX_TK_END);
	ptx_back(p, &here);
	d->dims[0] = elements / row + (elements % row != 0);
	return declared_bytes(p, d, max, bytes);
}

/* What follows the '=' of a variable. */
static int initializer(
	struct ptx_parser *p, struct ptx_declaration *d, uint32_t name, uint32_t number)
{
	struct ptx_sym *sym = ptx_symbol_at(p, number);
	struct init in = {.d = d, .sym = sym, .name = name};
	int r = 1;
	if (sym->space != PTX_V_GLOBAL && sym->space != PTX_V_CONST)
		return ptx_bad(p, p->last_line, "'%s' cannot have initial values", sym->name);
	if (d->unsized)
		r = size_by_values(p, d, bytes_max[sym->space], &sym->bytes);
	if (r < 0)
		return r;
	p->init_bytes += sym->bytes;
	if (p->init_bytes > INIT_MAX)
		return ptx_bad(p, p->last_line, "more than %llu bytes of initial values",
			(unsigned long long)INIT_MAX);
	sym->init = calloc(1, sym->bytes);
	if (!sym->init)
		return ptx_no_memory(p);
	if (p->tok.kind == '{')
		return init_list(p, &in, 0, 0, sym->bytes);
	if (p->tok.kind == PTX_TK_WORD)
		return init_address(p, &in, 0);
	uint64_t v = 0;
	r = init_value(p, &in, &v);
	memcpy(sym->init, &v, init_bytes(d->type));
	return r;
}

static uint64_t align_up(uint64_t v, uint64_t align)
{
	return (v + align - 1) & ~(align - 1);
}

/* Gives a variable its place, where that is known while parsing. */
static int place(struct ptx_parser *p, struct ptx_sym *s)
{
	struct ptx_body *b = p->body;
	uint64_t end;
	if (s->space == PTX_V_CONST) {
		s->offset = align_up(p->m->const_bytes, s->align);
		end = p->m->const_bytes = s->offset + s->bytes;
	} else if (s->space == PTX_V_LOCAL || s->space == PTX_V_PARAM) {
		uint32_t *top = !b                        ? &p->local_bytes
				: s->space == PTX_V_LOCAL ? &b->local_bytes
							  : &b->param_bytes;
		s->offset = align_up(*top, s->align);
		end = s->offset + s->bytes;
		*top = (uint32_t)end;
	} else if (s->space == PTX_V_CALL) {
		/* Calls in turn use the same bytes: the scope's end gives them back. */
		s->offset = align_up(p->call_at, s->align);
		end = s->offset + s->bytes;
		p->call_at = (uint32_t)end;
		if (b->call_bytes < p->call_at)
			b->call_bytes = p->call_at;
	} else {
		return 1;
	}
	if (end > bytes_max[s->space])
		return ptx_bad(p, p->last_line, "'%s' is one too many: %llu bytes, of at most %llu",
			s->name, (unsigned long long)end, (unsigned long long)bytes_max[s->space]);
	return 1;
}

/* The module's symbol of that name that an .extern declaration may repeat or a definition fill. */
static int declared_before(struct ptx_parser *p, uint32_t name, int is_extern, uint32_t *number)
{
	const struct ptx_binding *b = ptx_bound(p, name);
	if (!b || b->kind != PTX_B_SYM || b->depth != p->depth || (b->index & PTX_SYM_LOCAL) ||
		!(is_extern || p->externs[b->index].undefined))
		return 0;
	*number = b->index;
	return 1;
}

/* One variable after its type. Its number in *number, if that is not NULL. */
int ptx_variable(struct ptx_parser *p, struct ptx_declaration *d, uint8_t space, int is_extern,
	uint32_t *out)
{
	struct ptx_sym sym = {.space = space};
	uint32_t name, number;
	int r = ptx_name(p, &name, "a variable's name");
	if (r > 0)
		r = dimensions(p, d);
	if (r > 0)
		r = declared_bytes(p, d, bytes_max[space], &sym.bytes);
	if (r < 0)
		return r;
	if (d->unsized && !is_extern && p->tok.kind != '=')
		return ptx_bad(p, p->last_line, "'%s' has no size", ptx_text(p, name));
	sym.align = declared_align(d);
	sym.name = ptx_keep(p, name);
	if (!sym.name)
		return ptx_no_memory(p);
	if (declared_before(p, name, is_extern, &number)) {
		if (p->m->syms[number].space != space)
			return ptx_bad(p, p->last_line, "'%s' was declared in another state space",
				sym.name);
		if (is_extern)
			return 1;
		p->m->syms[number] = sym;
	} else {
		/* Of several weak ones the first one has the name. */
		const struct ptx_binding *b = ptx_bound(p, name);
		const int spare = p->weak && !p->body && b && b->kind == PTX_B_SYM;
		if ((r = ptx_symbol_new(p, &sym, &number)) > 0 && !spare)
			r = ptx_bind(p, name, PTX_B_SYM, number, PTX_T_NONE);
		if (r < 0)
			return r;
	}
	if (!(number & PTX_SYM_LOCAL)) {
		/* An unsized shared array is the launch's dynamic memory and needs no definition.
		 */
		int dynamic = space == PTX_V_SHARED && d->unsized;
		p->externs[number].undefined = is_extern && !dynamic;
		if (p->externs[number].undefined)
			return 1;
	}
	if (!is_extern && (r = ptx_accept(p, '=')) > 0)
		r = initializer(p, d, name, number);
	if (out)
		*out = number;
	return r < 0 ? r : place(p, ptx_symbol_at(p, number));
}

int ptx_variables(struct ptx_parser *p, uint8_t space, int is_extern)
{
	struct ptx_declaration d;
	int r = ptx_declared_type(p, &d);
	if (r > 0 && (d.type == PTX_T_PRED || d.type == PTX_T_F16X2))
		return ptx_bad(
			p, p->last_line, "a variable cannot have type .%s", ptx_type_name(d.type));
	while (r > 0) {
		r = ptx_variable(p, &d, space, is_extern, NULL);
		if (r > 0 && (r = ptx_accept(p, ',')) == 0)
			return ptx_expect(p, ';', "';'");
	}
	return r;
}

/* .reg .type name, name<count>, ... ; */
int ptx_registers(struct ptx_parser *p)
{
	struct ptx_declaration d;
	int r = ptx_declared_type(p, &d);
	if (r > 0 && d.vec > 1)
		return ptx_bad(p, p->last_line, "vector registers are not supported");
	while (r > 0) {
		uint32_t name, reg;
		int64_t count;
		if ((r = ptx_name(p, &name, "a register's name")) < 0)
			return r;
		if ((r = ptx_accept(p, '<')) > 0) {
			r = ptx_integer_in(p, 1, UINT32_MAX, "a count of registers", &count);
			if (r > 0)
				r = ptx_bind(p, name, PTX_B_RANGE, (uint32_t)count, d.type);
			if (r > 0)
				r = ptx_expect(p, '>', "'>'");
		} else if (r == 0 && !p->body) {
			r = ptx_bind(p, name, PTX_B_PATTERN, 0, d.type);
		} else if (r == 0) {
			r = ptx_register_new(p, name, d.type, &reg);
			if (r > 0)
				r = ptx_bind(p, name, PTX_B_REG, reg, d.type);
		}
		if (r > 0 && (r = ptx_accept(p, ',')) == 0)
			return ptx_expect(p, ';', "';'");
	}
	return r;
}

int ptx_parameters_inside(struct ptx_parser *p)
{
	struct ptx_body *b = p->body;
	struct ptx_declaration d;
	int r = ptx_declared_type(p, &d);
	while (r > 0) {
		struct ptx_formal f = {.type = (uint8_t)d.type};
		if (ptx_room(&b->formals, b->nformals, 1, &b->cap_formals, sizeof f))
			return ptx_no_memory(p);
		if ((r = ptx_variable(p, &d, PTX_V_PARAM, 0, &f.index)) < 0)
			return r;
		f.index &= ~PTX_SYM_LOCAL;
		b->formals[b->nformals++] = f;
		if ((r = ptx_accept(p, ',')) == 0)
			return ptx_expect(p, ';', "';'");
	}
	return r;
}
