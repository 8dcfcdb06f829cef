/*
 * Directives and declarations: a module's text becomes variables and bodies, and then, through
 * inline.c, kernels. Debug sections are skipped; what would change a result and is not modelled
 * (clusters, textures) is refused.
 */
#include "parse.h"
#include "ptx.h"
#include <stdlib.h>
#include <string.h>

/* Bounds on what a text may ask for, far beyond what a machine has. */
#define TEXT_MAX (1u << 30)
#define INIT_MAX (256ull << 20) /* bytes of initialized variables in a module */
#define ALIGN_MAX 65536
enum { DIMS_MAX = 8, FILES_MAX = 65536 };
static const uint64_t bytes_max[] = {
	[PTX_V_GLOBAL] = 1ull << 40,
	[PTX_V_CONST] = 64 << 20,
	[PTX_V_SHARED] = 1 << 30,
	[PTX_V_LOCAL] = 512 << 10, /* CUDA C Programming Guide: local memory of a thread */
	[PTX_V_PARAM] = 32764,	   /* PTX ISA: parameters of a kernel */
	[PTX_V_CALL] = 512 << 10,
};

int ptx_bad(struct ptx_parser *p, uint32_t line, const char *fmt, ...)
{
	struct tr_err sentence;
	va_list ap;
	va_start(ap, fmt);
	tr_vfail(&sentence, TR_EDATA, 0, fmt, ap);
	va_end(ap);
	return tr_fail(p->err, TR_EDATA, 0, "%.150s:%u: %s", p->m->path, line, sentence.msg);
}

int ptx_no_memory(struct ptx_parser *p)
{
	return tr_fail(p->err, TR_EMEM, 0, "no memory to parse '%.200s'", p->m->path);
}

const char *ptx_text(const struct ptx_parser *p, uint32_t atom)
{
	return ptx_atom_text(&p->lex.atoms, atom);
}

int ptx_unexpected(struct ptx_parser *p, const char *wants)
{
	const struct ptx_token *t = &p->tok;
	switch (t->kind) {
	case PTX_TK_END:
		return ptx_bad(p, t->line, "the text ends where %s should stand", wants);
	case PTX_TK_WORD:
	case PTX_TK_DIRECTIVE:
	case PTX_TK_STRING:
		return ptx_bad(p, t->line, "'%.120s' stands where %s should stand",
			ptx_text(p, t->atom), wants);
	case PTX_TK_INT:
	case PTX_TK_F32:
	case PTX_TK_F64:
		return ptx_bad(p, t->line, "a number stands where %s should stand", wants);
	default:
		return ptx_bad(
			p, t->line, "'%c' stands where %s should stand", (char)t->kind, wants);
	}
}

int ptx_advance(struct ptx_parser *p)
{
	struct tr_err e;
	int r = ptx_lex_next(&p->lex, &p->tok, &e);
	if (r >= 0)
		return 1;
	return r == TR_EMEM ? ptx_no_memory(p) : ptx_bad(p, p->lex.line, "%s", e.msg);
}

int ptx_accept(struct ptx_parser *p, int kind)
{
	return p->tok.kind == kind ? ptx_advance(p) : 0;
}

int ptx_expect(struct ptx_parser *p, int kind, const char *wants)
{
	int r = ptx_accept(p, kind);
	return r ? r : ptx_unexpected(p, wants);
}

int ptx_integer(struct ptx_parser *p, int64_t *v)
{
	int minus = ptx_accept(p, '-');
	if (minus < 0)
		return minus;
	uint64_t u = p->tok.value;
	*v = (int64_t)(minus ? 0 - u : u);
	return ptx_expect(p, PTX_TK_INT, "an integer");
}

static int integer_in(struct ptx_parser *p, int64_t low, int64_t high, const char *what, int64_t *v)
{
	uint32_t line = p->tok.line;
	int r = ptx_integer(p, v);
	if (r >= 0 && (*v < low || *v > high))
		return ptx_bad(p, line, "%s must lie between %lld and %lld", what, (long long)low,
			(long long)high);
	return r;
}

static int is_directive(const struct ptx_parser *p, const char *name)
{
	return p->tok.kind == PTX_TK_DIRECTIVE && !strcmp(ptx_text(p, p->tok.atom), name);
}

static int accept_directive(struct ptx_parser *p, const char *name)
{
	return is_directive(p, name) ? ptx_advance(p) : 0;
}

/* A name; its atom in *atom. */
static int name_of(struct ptx_parser *p, uint32_t *atom, const char *wants)
{
	*atom = p->tok.atom;
	return ptx_expect(p, PTX_TK_WORD, wants);
}

static char *keep_text(struct ptx_parser *p, uint32_t atom)
{
	return ptx_arena_printf(p->m->arena, "%s", ptx_text(p, atom));
}

/* ---- variables ---- */

struct declaration {
	enum ptx_type type;
	uint32_t align, vec;
	uint64_t dims[DIMS_MAX + 1]; /* the last one is the vector's */
	uint32_t ndims;
	int unsized; /* the first dimension is [] */
};

/* Skips a balanced `( ... )` or `{ ... }`. */
static int skip_group(struct ptx_parser *p, int open, int close)
{
	int r = ptx_expect(p, open, "a group");
	for (uint64_t depth = 1; r > 0 && depth; r = ptx_advance(p)) {
		if (p->tok.kind == PTX_TK_END)
			return ptx_unexpected(p, "the end of a group");
		if (p->tok.kind == open)
			depth++;
		else if (p->tok.kind == close && --depth == 0)
			return ptx_advance(p);
	}
	return r;
}

static int alignment(struct ptx_parser *p, uint32_t *align)
{
	int64_t v;
	uint32_t line = p->tok.line;
	int r = integer_in(p, 1, ALIGN_MAX, "an alignment", &v);
	if (r < 0)
		return r;
	if (v & (v - 1))
		return ptx_bad(p, line, "alignment %lld is no power of two", (long long)v);
	*align = (uint32_t)v;
	return r;
}

/* [.attribute(...)] [.align n] [.v4] .type [.ptr [.space] [.align n]], in any order. */
static int declared_type(struct ptx_parser *p, struct declaration *d)
{
	int r = 1;
	uint32_t pointee;
	*d = (struct declaration){.vec = 1};
	while (r > 0 && p->tok.kind == PTX_TK_DIRECTIVE) {
		const char *name = ptx_text(p, p->tok.atom);
		enum ptx_type t = ptx_type_of(name + 1);
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
				r = skip_group(p, '(', ')');
		} else if (!strcmp(name, ".ptr")) {
			r = ptx_advance(p);
			if (r > 0 && (is_directive(p, ".global") || is_directive(p, ".shared") ||
					     is_directive(p, ".const") || is_directive(p, ".local")))
				r = ptx_advance(p);
			if (r > 0 && (r = accept_directive(p, ".align")) > 0)
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

/* [n][m]... behind a name. */
static int dimensions(struct ptx_parser *p, struct declaration *d)
{
	int r;
	d->ndims = 0;
	d->unsized = 0;
	while ((r = ptx_accept(p, '[')) > 0) {
		int64_t n = 0;
		if (d->ndims == DIMS_MAX)
			return ptx_bad(p, p->tok.line, "more than %d dimensions", DIMS_MAX);
		if (p->tok.kind == ']' && !d->ndims)
			d->unsized = 1;
		else if ((r = integer_in(p, 0, INT64_MAX, "a dimension", &n)) < 0)
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
	struct ptx_parser *p, const struct declaration *d, uint64_t max, uint64_t *bytes)
{
	uint64_t n = ptx_type_bytes(d->type);
	for (uint32_t i = 0; i < d->ndims; i++) {
		if (d->dims[i] && n > max / d->dims[i])
			return ptx_bad(p, p->tok.line, "variable is larger than %llu bytes",
				(unsigned long long)max);
		n *= d->dims[i];
	}
	if (!n && !d->unsized)
		return ptx_bad(p, p->tok.line, "variable has no bytes");
	*bytes = n;
	return 1;
}

static uint32_t declared_align(const struct declaration *d)
{
	return d->align ? d->align : ptx_type_bytes(d->type) * d->vec;
}

/* ---- initial data ---- */

struct init {
	const struct declaration *d;
	struct ptx_sym *sym;
	uint32_t cap_relocs;
	uint32_t name; /* atom, for messages */
};

/* An address: name, name+n, generic(name)+n. */
static int init_address(struct ptx_parser *p, struct init *in, uint64_t at)
{
	struct ptx_reloc reloc = {.at = at, .bytes = (uint8_t)ptx_type_bytes(in->d->type)};
	uint32_t name, line = p->tok.line;
	int r = name_of(p, &name, "a variable");
	if (r > 0 && !strcmp(ptx_text(p, name), "generic") && (r = ptx_accept(p, '(')) > 0) {
		reloc.generic = 1;
		if ((r = name_of(p, &name, "a variable")) > 0)
			r = ptx_expect(p, ')', "')'");
	}
	if (r < 0)
		return r;
	const struct ptx_binding *b = ptx_bound(p, name);
	if (b && b->kind == PTX_B_FUNC)
		return ptx_bad(p, line, "address of function '%s': indirect calls are not supported",
			ptx_text(p, name));
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
			memcpy(in->sym->init + at, &v, bytes);
			at += bytes;
		} else {
			at = end + 1;
		}
		if (at > end)
			return ptx_bad(p, p->tok.line, "too many initial values for '%s'",
				ptx_text(p, in->name));
		if (r > 0 && p->tok.kind != '}')
			r = ptx_expect(p, ',', "',' or '}'");
	}
	return r < 0 ? r : ptx_advance(p);
}

/*
 * Sizes `x[] = {...}` by the values in its outer braces, which are read ahead: the lexer is put
 * back behind them.
 */
static int size_by_values(struct ptx_parser *p, struct declaration *d)
{
	const char *at = p->lex.p;
	const struct ptx_token tok = p->tok;
	const uint32_t line = p->lex.line;
	uint64_t depth = 0;
	int r;
	d->dims[0] = 1;
	do {
		depth += p->tok.kind == '{';
		depth -= p->tok.kind == '}';
		d->dims[0] += p->tok.kind == ',' && depth == 1;
		if ((r = ptx_advance(p)) < 0)
			return r;
	} while (depth && p->tok.kind != PTX_TK_END);
	p->lex.p = at;
	p->lex.line = line;
	p->tok = tok;
	return 1;
}

/* What follows the '=' of a variable. */
static int initializer(struct ptx_parser *p, struct declaration *d, uint32_t name, uint32_t number)
{
	struct ptx_sym *sym = ptx_symbol_at(p, number);
	struct init in = {.d = d, .sym = sym, .name = name};
	int r = 1;
	if (sym->space != PTX_V_GLOBAL && sym->space != PTX_V_CONST)
		return ptx_bad(p, p->tok.line, "'%s' cannot have initial values", sym->name);
	if (d->unsized && (r = size_by_values(p, d)) > 0)
		r = declared_bytes(p, d, bytes_max[sym->space], &sym->bytes);
	if (r < 0)
		return r;
	p->init_bytes += sym->bytes;
	if (p->init_bytes > INIT_MAX)
		return ptx_bad(p, p->tok.line, "more than %llu bytes of initial values",
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
	memcpy(sym->init, &v, ptx_type_bytes(d->type));
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
		uint32_t *top = s->space == PTX_V_LOCAL ? &b->local_bytes : &b->param_bytes;
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
		return ptx_bad(p, p->tok.line, "'%s' is one too many: %llu bytes, of at most %llu",
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

/* One variable behind its type. Its number in *number, if that is not NULL. */
static int variable(struct ptx_parser *p, struct declaration *d, uint8_t space, int is_extern,
	uint32_t *out)
{
	struct ptx_sym sym = {.space = space};
	uint32_t name, number;
	int r = name_of(p, &name, "a variable's name");
	if (r > 0)
		r = dimensions(p, d);
	if (r > 0)
		r = declared_bytes(p, d, bytes_max[space], &sym.bytes);
	if (r < 0)
		return r;
	if (d->unsized && !is_extern && p->tok.kind != '=')
		return ptx_bad(p, p->tok.line, "'%s' has no size", ptx_text(p, name));
	sym.align = declared_align(d);
	sym.name = keep_text(p, name);
	if (!sym.name)
		return ptx_no_memory(p);
	if (declared_before(p, name, is_extern, &number)) {
		if (is_extern)
			return 1;
		p->m->syms[number] = sym;
	} else {
		if ((r = ptx_symbol_new(p, &sym, &number)) > 0)
			r = ptx_bind(p, name, PTX_B_SYM, number, PTX_T_NONE);
		if (r < 0)
			return r;
	}
	if (!(number & PTX_SYM_LOCAL)) {
		/* An unsized shared array is the launch's dynamic memory and needs no definition. */
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

static int variables(struct ptx_parser *p, uint8_t space, int is_extern)
{
	struct declaration d;
	int r = declared_type(p, &d);
	if (r > 0 && (d.type == PTX_T_PRED || d.type == PTX_T_F16X2))
		return ptx_bad(p, p->tok.line, "a variable cannot have type .%s",
			ptx_type_name(d.type));
	while (r > 0) {
		r = variable(p, &d, space, is_extern, NULL);
		if (r > 0 && (r = ptx_accept(p, ',')) == 0)
			return ptx_expect(p, ';', "';'");
	}
	return r;
}

/* .reg .type name, name<count>, ... ; */
static int registers(struct ptx_parser *p)
{
	struct declaration d;
	int r = declared_type(p, &d);
	if (r > 0 && d.vec > 1)
		return ptx_bad(p, p->tok.line, "vector registers are not supported");
	while (r > 0) {
		uint32_t name, reg;
		int64_t count;
		if ((r = name_of(p, &name, "a register's name")) < 0)
			return r;
		if ((r = ptx_accept(p, '<')) > 0) {
			r = integer_in(p, 1, UINT32_MAX, "a count of registers", &count);
			if (r > 0)
				r = ptx_bind(p, name, PTX_B_RANGE, (uint32_t)count, d.type);
			if (r > 0)
				r = ptx_expect(p, '>', "'>'");
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

/* ---- bodies ---- */

/* .loc file line column [, function_name label [+ n]] [, inlined_at file line column] */
static int location(struct ptx_parser *p)
{
	int64_t file, line, column;
	int r = integer_in(p, 0, FILES_MAX, "a file's number", &file);
	if (r > 0)
		r = integer_in(p, 0, UINT32_MAX, "a line", &line);
	if (r > 0)
		r = ptx_integer(p, &column);
	if (r < 0)
		return r;
	p->file = (uint32_t)file;
	p->line = (uint32_t)line;
	while ((r = ptx_accept(p, ',')) > 0) {
		uint32_t what;
		r = name_of(p, &what, "'function_name' or 'inlined_at'");
		if (r > 0 && !strcmp(ptx_text(p, what), "function_name")) {
			r = name_of(p, &what, "a label");
			if (r > 0 && (r = ptx_accept(p, '+')) >= 0)
				r = r ? ptx_integer(p, &line) : 1;
		} else if (r > 0) {
			for (int i = 0; i < 3 && r > 0; i++)
				r = ptx_integer(p, &line);
		}
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 1;
}

static int skip_to_semicolon(struct ptx_parser *p)
{
	int r = 1;
	while (r > 0 && p->tok.kind != ';') {
		if (p->tok.kind == PTX_TK_END)
			return ptx_unexpected(p, "';'");
		r = ptx_advance(p);
	}
	return r < 0 ? r : ptx_advance(p);
}

/* label: .branchtargets L1, L2; */
static int branch_targets(struct ptx_parser *p, uint32_t label)
{
	uint32_t cap = 0;
	if (ptx_room(&p->tables, p->ntables, 1, &p->cap_tables, sizeof *p->tables))
		return ptx_no_memory(p);
	uint32_t table = p->ntables++;
	p->tables[table] = (struct ptx_table){0};
	int r = ptx_label_define(p, label, table, 1);
	while (r > 0) {
		struct ptx_table *t = &p->tables[table];
		struct ptx_label_use use = {.line = p->tok.line, .table = table, .slot = t->n};
		if ((r = name_of(p, &use.atom, "a label")) < 0)
			return r;
		if (ptx_room(&t->targets, t->n, 1, &cap, sizeof *t->targets))
			return ptx_no_memory(p);
		t->targets[t->n++] = TR_NONE;
		r = ptx_label_use(p, &use);
		if (r > 0 && (r = ptx_accept(p, ',')) == 0)
			return ptx_expect(p, ';', "';'");
	}
	return r;
}

static int label(struct ptx_parser *p, uint32_t atom)
{
	int r = accept_directive(p, ".branchtargets");
	if (r)
		return r < 0 ? r : branch_targets(p, atom);
	if (is_directive(p, ".callprototype") || is_directive(p, ".calltargets"))
		return skip_to_semicolon(p); /* only indirect calls name it, and they are refused */
	return ptx_label_define(p, atom, p->body->ninsts, 0);
}

static int space_of(const char *directive)
{
	static const char *const names[] = {[PTX_V_GLOBAL] = ".global",
		[PTX_V_CONST] = ".const",
		[PTX_V_SHARED] = ".shared",
		[PTX_V_LOCAL] = ".local",
		[PTX_V_PARAM] = ".param"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(directive, names[i]))
			return (int)i;
	return -1;
}

static int pragma(struct ptx_parser *p)
{
	int r = ptx_expect(p, PTX_TK_STRING, "a string");
	while (r > 0 && (r = ptx_accept(p, ',')) > 0)
		r = ptx_expect(p, PTX_TK_STRING, "a string");
	return r < 0 ? r : ptx_expect(p, ';', "';'");
}

static int unsupported_directive(struct ptx_parser *p, const char *name)
{
	return ptx_bad(p, p->tok.line, "unsupported directive '%.120s'", name);
}

static int body_directive(struct ptx_parser *p)
{
	const char *name = ptx_text(p, p->tok.atom);
	int space = space_of(name), r;
	int (*parse)(struct ptx_parser *) = !strcmp(name, ".reg")      ? registers
					    : !strcmp(name, ".loc")    ? location
					    : !strcmp(name, ".pragma") ? pragma
								       : NULL;
	if (space < 0 && !parse)
		return unsupported_directive(p, name);
	if ((r = ptx_advance(p)) < 0)
		return r;
	if (parse)
		return parse(p);
	return variables(p, space == PTX_V_PARAM ? PTX_V_CALL : (uint8_t)space, 0);
}

static int statement(struct ptx_parser *p)
{
	struct ptx_guard guard = {TR_NONE, 0};
	uint32_t word, line = p->tok.line;
	int r;
	switch (p->tok.kind) {
	case '{':
		r = ptx_scope_open(p);
		return r < 0 ? r : ptx_advance(p);
	case ';':
		return ptx_advance(p);
	case PTX_TK_DIRECTIVE:
		return body_directive(p);
	case '@':
		if ((r = ptx_parse_guard(p, &guard)) < 0)
			return r;
		break;
	default:
		break;
	}
	if ((r = name_of(p, &word, "an instruction")) < 0)
		return r;
	if (guard.reg == TR_NONE && (r = ptx_accept(p, ':')))
		return r < 0 ? r : label(p, word);
	return ptx_parse_inst(p, word, line, guard);
}

/* Whether control can run past the end of the text of a body. */
static int falls_off(const struct ptx_body *b)
{
	const struct ptx_inst *x = b->ninsts ? &b->insts[b->ninsts - 1] : NULL;
	if (!x || x->guard != TR_NONE)
		return 1;
	if (x->op != PTX_BRA && x->op != PTX_BRX && x->op != PTX_RET && x->op != PTX_EXIT &&
		x->op != PTX_TRAP)
		return 1;
	for (uint32_t i = 0; i < b->ninsts; i++) {
		x = &b->insts[i];
		if (x->op == PTX_BRA && x->target == b->ninsts)
			return 1;
		for (uint32_t t = 0; t < x->ntargets; t++)
			if (x->targets[t] == b->ninsts)
				return 1;
	}
	return 0;
}

/* With the labels known: tables go to their brx, and a body that runs off its end returns. */
static int finish_body(struct ptx_parser *p)
{
	struct ptx_body *b = p->body;
	for (uint32_t i = 0; i < b->ninsts; i++) {
		struct ptx_inst *x = &b->insts[i];
		if (x->op != PTX_BRX)
			continue;
		const struct ptx_table *t = &p->tables[x->target];
		x->target = TR_NONE;
		x->ntargets = t->n;
		x->targets = ptx_arena_get(p->m->arena, t->n * sizeof *x->targets);
		if (!x->targets)
			return ptx_no_memory(p);
		memcpy(x->targets, t->targets, t->n * sizeof *x->targets);
	}
	if (!falls_off(b))
		return 1;
	uint32_t ret = ptx_atoms_put(&p->lex.atoms, "ret", 3);
	if (!ret)
		return ptx_no_memory(p);
	const struct ptx_form *f = ptx_form_of(p, ret, p->tok.line);
	return f ? ptx_emit(p, &f->proto, p->tok.line) : TR_EMEM;
}

/* `{ ... }` of a body; its scope, with the formals, is open, and is closed here. */
static int body_block(struct ptx_parser *p)
{
	uint32_t depth = p->depth;
	int r = ptx_advance(p);
	while (r > 0) {
		if (p->tok.kind == PTX_TK_END)
			return ptx_unexpected(p, "'}'");
		if (p->tok.kind == '}' && p->depth == depth)
			break;
		if (p->tok.kind == '}') {
			if ((r = ptx_scope_close(p)) > 0)
				r = ptx_advance(p);
		} else {
			r = statement(p);
		}
	}
	if (r > 0)
		r = ptx_scope_close(p);
	if (r > 0)
		r = finish_body(p);
	return r < 0 ? r : ptx_advance(p);
}

/* `( .param .u64 a, .reg .b32 b )`: formals of the body, its results or its parameters. */
static int formals(struct ptx_parser *p)
{
	struct ptx_body *b = p->body;
	int r = ptx_expect(p, '(', "'('");
	if (r < 0 || p->tok.kind == ')')
		return r < 0 ? r : ptx_advance(p);
	while (r > 0) {
		struct declaration d;
		struct ptx_formal f = {.is_reg = is_directive(p, ".reg")};
		uint32_t name;
		if (!(f.is_reg && !b->is_entry) && !is_directive(p, ".param"))
			return ptx_unexpected(p, "a parameter");
		if (ptx_room(&b->formals, b->nformals, 1, &b->cap_formals, sizeof f))
			return ptx_no_memory(p);
		if ((r = ptx_advance(p)) < 0 || (r = declared_type(p, &d)) < 0)
			return r;
		f.type = (uint8_t)d.type;
		if (!f.is_reg) {
			r = variable(p, &d, b->is_entry ? PTX_V_PARAM : PTX_V_CALL, 0, &f.index);
			f.index &= ~PTX_SYM_LOCAL;
		} else if ((r = name_of(p, &name, "a register's name")) > 0) {
			r = ptx_register_new(p, name, d.type, &f.index);
			if (r > 0)
				r = ptx_bind(p, name, PTX_B_REG, f.index, d.type);
		}
		b->formals[b->nformals++] = f;
		if (r > 0 && (r = ptx_accept(p, ',')) == 0)
			return ptx_expect(p, ')', "')'");
	}
	return r;
}

/* .maxntid 256, 1, 1: the product in *threads. */
static int threads(struct ptx_parser *p, uint32_t *threads)
{
	int64_t n;
	uint64_t product = 1;
	int r;
	do {
		if ((r = integer_in(p, 1, UINT32_MAX, "a count of threads", &n)) < 0)
			return r;
		product *= (uint64_t)n;
		if (product > UINT32_MAX)
			return ptx_bad(p, p->tok.line, "more than %u threads", UINT32_MAX);
	} while ((r = ptx_accept(p, ',')) > 0);
	*threads = (uint32_t)product;
	return r < 0 ? r : 1;
}

/* What may stand between the parameters and the body. Only the bound on threads is kept. */
static int tuning(struct ptx_parser *p)
{
	int r = 1;
	while (r > 0 && p->tok.kind == PTX_TK_DIRECTIVE) {
		const char *name = ptx_text(p, p->tok.atom);
		int64_t n;
		if (!strcmp(name, ".maxntid") || !strcmp(name, ".reqntid")) {
			if ((r = ptx_advance(p)) > 0)
				r = threads(p, &p->body->maxntid);
		} else if (!strcmp(name, ".minnctapersm") || !strcmp(name, ".maxnctapersm") ||
			   !strcmp(name, ".maxnreg")) {
			if ((r = ptx_advance(p)) > 0)
				r = integer_in(p, 1, UINT32_MAX, "the bound", &n);
		} else if (!strcmp(name, ".pragma")) {
			if ((r = ptx_advance(p)) > 0)
				r = pragma(p);
		} else if (!strcmp(name, ".noreturn")) {
			r = ptx_advance(p);
		} else {
			return unsupported_directive(p, name);
		}
	}
	return r;
}

/* Gives p->body its name. What declared the name before, and is called so far, stands for it. */
static int enter_body(struct ptx_parser *p, uint32_t name, uint32_t number)
{
	const struct ptx_binding *b = ptx_bound(p, name);
	int defines = p->tok.kind == '{';
	p->body->name = keep_text(p, name);
	if (!p->body->name)
		return ptx_no_memory(p);
	p->body->defined = defines;
	if (!b)
		return ptx_bind_module(p, name, PTX_B_FUNC, number);
	struct ptx_body *before = b->kind == PTX_B_FUNC ? p->bodies[b->index] : NULL;
	if (!before || before->is_entry != p->body->is_entry ||
		(defines && (before->defined || before->as)))
		return ptx_bad(p, p->tok.line, "'%s' is declared twice", ptx_text(p, name));
	if (defines)
		before->as = p->body;
	return 1;
}

/* Behind .func or .entry. */
static int function(struct ptx_parser *p, int is_entry)
{
	uint32_t name, number = p->nbodies;
	struct ptx_body *b = NULL;
	if (ptx_room(&p->bodies, number, 1, &p->cap_bodies, sizeof *p->bodies) ||
		!(b = calloc(1, sizeof *b)))
		return ptx_no_memory(p);
	p->bodies[p->nbodies++] = p->body = b;
	b->is_entry = is_entry;
	p->call_at = p->file = p->line = 0;
	p->nlabels = p->nuses = 0;
	int r = ptx_scope_open(p);
	while (r > 0 && (r = accept_directive(p, ".attribute")) > 0)
		r = skip_group(p, '(', ')');
	if (r == 0)
		r = !is_entry && p->tok.kind == '(' ? formals(p) : 1;
	b->nrets = b->nformals;
	if (r > 0)
		r = name_of(p, &name, "a function's name");
	if (r > 0 && p->tok.kind == '(')
		r = formals(p);
	if (r > 0)
		r = tuning(p);
	if (r > 0)
		r = enter_body(p, name, number);
	if (r > 0 && b->defined)
		r = body_block(p);
	else if (r > 0 && (r = ptx_scope_close(p)) > 0)
		r = ptx_expect(p, ';', "'{' or ';'");
	while (p->ntables)
		free(p->tables[--p->ntables].targets);
	p->body = NULL;
	return r;
}

/* ---- the module ---- */

/* .file number "path" [, time, size] */
static int file(struct ptx_parser *p)
{
	struct ptx_module *m = p->m;
	int64_t n, ignored;
	int r = integer_in(p, 0, FILES_MAX, "a file's number", &n);
	if (r < 0)
		return r;
	uint32_t path = p->tok.atom;
	if ((r = ptx_expect(p, PTX_TK_STRING, "a path")) < 0)
		return r;
	while ((r = ptx_accept(p, ',')) > 0)
		if ((r = ptx_integer(p, &ignored)) < 0)
			break;
	if (r < 0)
		return r;
	if (n >= m->nfiles) {
		uint32_t more = (uint32_t)n + 1 - m->nfiles;
		if (ptx_room(&m->files, m->nfiles, more, &p->cap_files, sizeof *m->files))
			return ptx_no_memory(p);
		memset(m->files + m->nfiles, 0, more * sizeof *m->files);
		m->nfiles = (uint32_t)n + 1;
	}
	m->files[n] = keep_text(p, path);
	return m->files[n] ? 1 : ptx_no_memory(p);
}

static int target(struct ptx_parser *p)
{
	uint32_t name;
	int r;
	do {
		if ((r = name_of(p, &name, "a target")) < 0)
			return r;
	} while ((r = ptx_accept(p, ',')) > 0);
	return r < 0 ? r : 1;
}

static int address_size(struct ptx_parser *p)
{
	uint32_t line = p->tok.line;
	int64_t n;
	int r = ptx_integer(p, &n);
	if (r > 0 && n != 64)
		return ptx_bad(p, line, "addresses of %lld bits are not supported", (long long)n);
	p->m->address_size = 64;
	return r;
}

static int section(struct ptx_parser *p)
{
	if (p->tok.kind != PTX_TK_DIRECTIVE && p->tok.kind != PTX_TK_WORD)
		return ptx_unexpected(p, "a section's name");
	int r = ptx_advance(p);
	return r < 0 ? r : skip_group(p, '{', '}');
}

/* .alias name, function; */
static int alias(struct ptx_parser *p)
{
	struct ptx_body *of[2];
	for (int i = 0; i < 2; i++) {
		uint32_t name, line = p->tok.line;
		int r = i ? ptx_expect(p, ',', "','") : 1;
		if (r < 0 || (r = name_of(p, &name, "a function")) < 0)
			return r;
		const struct ptx_binding *b = ptx_bound(p, name);
		if (!b || b->kind != PTX_B_FUNC)
			return ptx_bad(
				p, line, "function '%s' is not declared", ptx_text(p, name));
		of[i] = p->bodies[b->index];
	}
	if (of[0]->defined || of[0]->as)
		return ptx_bad(p, p->tok.line, "'%s' is declared twice", of[0]->name);
	of[0]->as = of[1];
	return ptx_expect(p, ';', "';'");
}

static int version(struct ptx_parser *p)
{
	return ptx_expect(p, PTX_TK_F64, "a version");
}

static int directive(struct ptx_parser *p)
{
	static const struct {
		const char *name;
		int (*parse)(struct ptx_parser *);
	} plain[] = {{".version", version}, {".target", target}, {".address_size", address_size},
		{".file", file}, {".section", section}, {".pragma", pragma}, {".alias", alias}};
	int is_extern = 0, r = 1;
	const char *name;
	for (;; r = ptx_advance(p)) {
		if (r < 0)
			return r;
		if (p->tok.kind != PTX_TK_DIRECTIVE)
			return ptx_unexpected(p, "a directive");
		name = ptx_text(p, p->tok.atom);
		if (!strcmp(name, ".extern"))
			is_extern = 1;
		else if (strcmp(name, ".visible") && strcmp(name, ".weak") && strcmp(name, ".common"))
			break;
	}
	for (unsigned i = 0; i < sizeof plain / sizeof *plain; i++)
		if (!strcmp(name, plain[i].name))
			return (r = ptx_advance(p)) < 0 ? r : plain[i].parse(p);
	int space = space_of(name), is_entry = !strcmp(name, ".entry");
	int is_function = is_entry || !strcmp(name, ".func");
	if (!is_function && (space < 0 || space == PTX_V_LOCAL || space == PTX_V_PARAM))
		return unsupported_directive(p, name);
	if ((r = ptx_advance(p)) < 0)
		return r;
	return is_function ? function(p, is_entry) : variables(p, (uint8_t)space, is_extern);
}

static int module(struct ptx_parser *p)
{
	int r = ptx_advance(p);
	if (r > 0 && !is_directive(p, ".version"))
		return ptx_bad(p, p->tok.line, "the text is not PTX: it begins without .version");
	while (r > 0 && p->tok.kind != PTX_TK_END)
		r = p->tok.kind == ';' ? ptx_advance(p) : directive(p);
	for (uint32_t i = 0; r > 0 && i < p->m->nsyms; i++)
		if (p->externs[i].undefined && p->externs[i].line)
			return ptx_bad(p, p->externs[i].line,
				"variable '%s' is declared .extern and not defined",
				p->m->syms[i].name);
	return r < 0 ? r : ptx_inline(p);
}

static void free_parser(struct ptx_parser *p)
{
	for (uint32_t i = 0; i < p->nbodies; i++) {
		struct ptx_body *b = p->bodies[i];
		free(b->insts);
		free(b->regs);
		free(b->syms);
		free(b->formals);
		free(b->calls);
		free(b);
	}
	while (p->ntables)
		free(p->tables[--p->ntables].targets);
	free(p->bodies);
	free(p->externs);
	free(p->bindings);
	free(p->labels);
	free(p->uses);
	free(p->tables);
	free(p->forms);
	ptx_atoms_free(&p->lex.atoms);
	free(p);
}

int ptx_parse(struct ptx_module **out, const char *text, size_t len, const char *path,
	struct tr_err *err)
{
	struct ptx_module *m = calloc(1, sizeof *m);
	struct ptx_parser *p = calloc(1, sizeof *p);
	int r = TR_EMEM;
	*out = NULL;
	if (!m || !p || !(m->arena = ptx_arena_new()) ||
		!(m->path = ptx_arena_printf(m->arena, "%s", path)) ||
		ptx_atoms_init(&p->lex.atoms)) {
		tr_fail(err, TR_EMEM, 0, "no memory to parse '%.200s'", path);
	} else {
		p->m = m;
		p->err = err;
		p->lex.p = text;
		p->lex.end = text + len;
		p->lex.line = 1;
		r = len > TEXT_MAX ? ptx_bad(p, 1, "text is larger than 1 GiB") : module(p);
		/* Every kernel's opcodes are spellings: the atoms' text lives on with the module. */
		m->strings = p->lex.atoms.strings;
		m->strings_len = p->lex.atoms.strings_len;
		p->lex.atoms.strings = NULL;
		for (uint32_t i = 0; r > 0 && i < m->nkernels; i++) {
			m->kernels[i]->strings = m->strings;
			m->kernels[i]->strings_len = m->strings_len;
			r = ptx_lower(m->kernels[i], err);
		}
	}
	if (p)
		free_parser(p);
	if (r > 0)
		*out = m;
	else
		ptx_module_free(m);
	return r;
}

void ptx_module_free(struct ptx_module *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->nkernels; i++) {
		struct ptx_kernel *k = m->kernels[i];
		free(k->insts);
		free(k->regs);
		free(k->syms);
		tr_program_free(k->program);
		free(k);
	}
	for (uint32_t i = 0; i < m->nsyms; i++) {
		free(m->syms[i].init);
		free(m->syms[i].relocs);
	}
	free(m->kernels);
	free(m->syms);
	free(m->files);
	free(m->strings);
	ptx_arena_free(m->arena);
	free(m);
}

const struct ptx_kernel *ptx_find(const struct ptx_module *m, const char *entry)
{
	for (uint32_t i = 0; i < m->nkernels; i++)
		if (!strcmp(m->kernels[i]->name, entry))
			return m->kernels[i];
	return NULL;
}

uint32_t ptx_nkernels(const struct ptx_module *m)
{
	return m->nkernels;
}

const struct ptx_kernel *ptx_kernel_at(const struct ptx_module *m, uint32_t i)
{
	return i < m->nkernels ? m->kernels[i] : NULL;
}

const char *ptx_kernel_name(const struct ptx_kernel *k)
{
	return k->name;
}

const struct tr_program *ptx_program(const struct ptx_kernel *k)
{
	return k->program;
}

uint32_t ptx_nparams(const struct ptx_kernel *k)
{
	return k->nparams;
}

uint32_t ptx_param_bytes(const struct ptx_kernel *k, uint32_t i)
{
	return i < k->nparams ? k->params[i].bytes : 0;
}
