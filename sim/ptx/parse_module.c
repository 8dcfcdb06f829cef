/*
 * Directives: a module's text becomes variables and bodies, and then, through inline.c and lower.c,
 * kernels. Debug sections are skipped; what would change a result and is not modelled (clusters,
 * textures) is refused.
 */
#include "parse.h"
#include "ptx.h"
#include "shorten.h"
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (1u << 30)
enum { FILES_MAX = 65536 };

/* ---- bodies ---- */

/* .loc file line column [, function_name label [+ n]] [, inlined_at file line column] */
static int location(struct ptx_parser *p)
{
	int64_t file, line, column;
	uint32_t at[3] = {0};
	int inlined = 0;
	int r = ptx_integer_in(p, 0, FILES_MAX, "a file's number", &file);
	if (r > 0)
		r = ptx_integer_in(p, 0, UINT32_MAX, "a line", &line);
	if (r > 0)
		r = ptx_integer(p, &column);
	if (r < 0)
		return r;
	p->file = p->first_file + (uint32_t)file;
	p->line = (uint32_t)line;
	while ((r = ptx_accept(p, ',')) > 0) {
		uint32_t what;
		r = ptx_name(p, &what, "'function_name' or 'inlined_at'");
		if (r > 0 && !strcmp(ptx_text(p, what), "function_name")) {
			r = ptx_name(p, &what, "a label");
			if (r > 0 && (r = ptx_accept(p, '+')) >= 0)
				r = r ? ptx_integer(p, &line) : 1;
		} else if (r > 0) {
			inlined = 1;
			for (int i = 0; i < 3 && r > 0; i++) {
				r = ptx_integer_in(p, 0, i ? UINT32_MAX : FILES_MAX,
					"a number of inlined_at", &line);
				at[i] = (uint32_t)line;
			}
		}
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	return inlined ? ptx_loc_inlined(p, (uint32_t)column, at) : 1;
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
		if ((r = ptx_name(p, &use.atom, "a label")) < 0)
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
	int r = ptx_accept_directive(p, ".branchtargets");
	if (r)
		return r < 0 ? r : branch_targets(p, atom);
	if (ptx_is_directive(p, ".callprototype") || ptx_is_directive(p, ".calltargets"))
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
	int (*parse)(struct ptx_parser *) = !strcmp(name, ".reg")      ? ptx_registers
					    : !strcmp(name, ".loc")    ? location
					    : !strcmp(name, ".pragma") ? pragma
								       : NULL;
	if (space < 0 && !parse)
		return unsupported_directive(p, name);
	if ((r = ptx_advance(p)) < 0)
		return r;
	if (parse)
		return parse(p);
	if (space == PTX_V_PARAM && p->parameters_inside && p->body->is_entry && p->depth == 1)
		return ptx_parameters_inside(p);
	return ptx_variables(p, space == PTX_V_PARAM ? PTX_V_CALL : (uint8_t)space, 0);
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
	if ((r = ptx_name(p, &word, "an instruction")) < 0)
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
	struct ptx_form f;
	int r = ptx_form_of(p, ret, p->tok.line, &f);
	return r < 0 ? r : ptx_emit(p, &f.proto, p->tok.line);
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
		struct ptx_declaration d;
		struct ptx_formal f = {.is_reg = ptx_is_directive(p, ".reg")};
		uint32_t name;
		if (!(f.is_reg && !b->is_entry) && !ptx_is_directive(p, ".param"))
			return ptx_unexpected(p, "a parameter");
		if (ptx_room(&b->formals, b->nformals, 1, &b->cap_formals, sizeof f))
			return ptx_no_memory(p);
		if ((r = ptx_advance(p)) < 0 || (r = ptx_declared_type(p, &d)) < 0)
			return r;
		f.type = (uint8_t)d.type;
		if (!f.is_reg) {
			r = ptx_variable(
				p, &d, b->is_entry ? PTX_V_PARAM : PTX_V_CALL, 0, &f.index);
			f.index &= ~PTX_SYM_LOCAL;
		} else if ((r = ptx_name(p, &name, "a register's name")) > 0) {
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

/* .maxntid 256, 1, 1, or .reqntid likewise: the extents, of which the last ones may be left out. */
static int threads(struct ptx_parser *p, int exactly, struct ptx_cta_size *size)
{
	uint32_t extent[3] = {1, 1, 1};
	uint64_t product = 1;
	int64_t n;
	int r = 1;
	for (unsigned i = 0; r > 0; i++) {
		if ((r = ptx_integer_in(p, 1, UINT32_MAX, "a count of threads", &n)) < 0)
			return r;
		product *= (uint64_t)n;
		if (product > UINT32_MAX)
			return ptx_bad(p, p->last_line, "more than %u threads", UINT32_MAX);
		extent[i] = (uint32_t)n;
		r = ptx_accept(p, ',');
		if (r > 0 && i == 2)
			return ptx_unexpected(p, "no fourth dimension");
	}
	size->most = (uint32_t)product;
	if (exactly)
		memcpy(size->required, extent, sizeof(extent));
	return r < 0 ? r : 1;
}

/* .reqnctapercluster 2, 2: the CTAs of a cluster by dimension. */
static int cluster_shape(struct ptx_parser *p, uint32_t ctas[3])
{
	int64_t n;
	int r = 1;
	ctas[0] = ctas[1] = ctas[2] = 1;
	for (unsigned i = 0; i < 3 && r > 0; i++) {
		if ((r = ptx_integer_in(p, 1, TR_CLUSTER_CTAS_MAX, "CTAs of a cluster", &n)) < 0)
			return r;
		ctas[i] = (uint32_t)n;
		r = ptx_accept(p, ',');
	}
	return r > 0 ? ptx_unexpected(p, "no fourth dimension") : r < 0 ? r : 1;
}

/* What a kernel says of its clusters. 1, 0: the directive is none of these, or TR_E*. */
static int clustering(struct ptx_parser *p, const char *name)
{
	struct ptx_clustering *c = &p->body->cluster;
	int64_t n;
	int r;
	if (!strcmp(name, ".explicitcluster")) {
		c->needs_explicit = 1;
		return ptx_advance(p);
	}
	if (!strcmp(name, ".reqnctapercluster"))
		return (r = ptx_advance(p)) < 0 ? r : cluster_shape(p, c->ctas);
	if (strcmp(name, ".maxclusterrank"))
		return 0;
	if ((r = ptx_advance(p)) > 0)
		r = ptx_integer_in(p, 1, UINT32_MAX, "the most CTAs of a cluster", &n);
	c->most = r > 0 ? (uint32_t)n : 0;
	return r;
}

/* Does the directive begin another statement of the module? nvopencc's prototypes have no ';'. */
static int begins_statement(const char *name)
{
	static const char *const names[] = {".visible", ".extern", ".weak", ".common", ".func",
		".entry", ".file", ".section", ".alias", ".tex", ".reg", ".local", ".global",
		".const", ".shared"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return 1;
	return 0;
}

/* Is the body that stands next one that only declares a function, without a ';'? */
static int ends_prototype(const struct ptx_parser *p)
{
	return !p->body->is_entry && p->tok.kind == PTX_TK_DIRECTIVE &&
	       begins_statement(ptx_text(p, p->tok.atom));
}

/* What may stand between the parameters and the body: bounds on threads and clusters are kept. */
static int tuning(struct ptx_parser *p)
{
	int r = 1;
	while (r > 0 && p->tok.kind == PTX_TK_DIRECTIVE && !ends_prototype(p)) {
		const char *name = ptx_text(p, p->tok.atom);
		int64_t n;
		const int exactly = !strcmp(name, ".reqntid");
		if (exactly || !strcmp(name, ".maxntid")) {
			if ((r = ptx_advance(p)) > 0)
				r = threads(p, exactly, &p->body->maxntid);
		} else if (!strcmp(name, ".minnctapersm") || !strcmp(name, ".maxnctapersm") ||
			   !strcmp(name, ".maxnreg")) {
			if ((r = ptx_advance(p)) > 0)
				r = ptx_integer_in(p, 1, UINT32_MAX, "the bound", &n);
		} else if (!strcmp(name, ".pragma")) {
			if ((r = ptx_advance(p)) > 0)
				r = pragma(p);
		} else if (!strcmp(name, ".noreturn")) {
			r = ptx_advance(p);
		} else if (!(r = clustering(p, name))) {
			return unsupported_directive(p, name);
		}
	}
	return r;
}

/* What the sentence at hand says stands in the way of executing this body, not of its module. */
static int refuse_body(struct ptx_parser *p, int r)
{
	if (r != TR_EDATA)
		return r;
	p->body->refusal = ptx_arena_printf(p->m->arena, "%s", p->err->msg);
	p->body->refusal_file = p->file;
	p->body->refusal_line = p->line;
	return p->body->refusal ? 1 : ptx_no_memory(p);
}

/* Goes on to what begins the body, or ends the declaration. */
static int skip_to_body(struct ptx_parser *p)
{
	int r = 1;
	while (r > 0 && p->tok.kind != '{' && p->tok.kind != ';') {
		if (p->tok.kind == PTX_TK_END)
			return ptx_unexpected(p, "'{' or ';'");
		r = ptx_advance(p);
	}
	return r;
}

/* The body; one that holds what is not covered is passed over and has a refusal instead. */
static int body_or_refusal(struct ptx_parser *p)
{
	const struct ptx_place start = ptx_here(p);
	struct ptx_body *b = p->body;
	const uint32_t depth = p->depth - 1;
	int r = b->refusal ? TR_EDATA : body_block(p);
	if (r != TR_EDATA)
		return r;
	if (!b->refusal && (r = refuse_body(p, r)) < 0)
		return r;
	ptx_scopes_abandon(p, depth);
	b->ninsts = 0;
	ptx_back(p, &start);
	r = ptx_skip_group(p, '{', '}');
	/* Where no brace ends it, what was found first is what is wrong. */
	return r == TR_EDATA ? tr_fail(p->err, r, 0, "%s", b->refusal) : r;
}

/* Gives p->body its name. What declared the name before, and is called so far, stands for it. */
static int enter_body(struct ptx_parser *p, uint32_t name, uint32_t number)
{
	const struct ptx_binding *b = ptx_bound(p, name);
	int defines = p->tok.kind == '{';
	p->body->name = ptx_keep(p, name);
	if (!p->body->name)
		return ptx_no_memory(p);
	p->body->defined = defines;
	if (!b)
		return ptx_bind_module(p, name, PTX_B_FUNC, number);
	struct ptx_body *before = b->kind == PTX_B_FUNC ? p->bodies[b->index] : NULL;
	struct ptx_body *first = before ? ptx_definition(before) : NULL;
	if (!before || before->is_entry != p->body->is_entry ||
		(defines && first->defined && !p->weak && !first->weak) ||
		(defines && !first->defined && before->as))
		return ptx_bad(p, p->last_line, "'%s' is declared twice", ptx_text(p, name));
	p->body->spare = defines && first->defined && p->weak;
	if (!defines || p->body->spare)
		return 1;
	first->defined = 0;
	first->as = p->body;
	return 1;
}

/* After .func or .entry. */
static int function(struct ptx_parser *p, int is_entry)
{
	uint32_t name, number = p->nbodies;
	struct ptx_body *b = NULL;
	if (ptx_room(&p->bodies, number, 1, &p->cap_bodies, sizeof *p->bodies) ||
		!(b = calloc(1, sizeof *b)))
		return ptx_no_memory(p);
	p->bodies[p->nbodies++] = p->body = b;
	b->is_entry = is_entry;
	b->built_in = p->built_in;
	b->weak = p->weak;
	b->path = p->path;
	p->own &= !is_entry;
	p->call_at = p->file = p->line = 0;
	p->first_inlined = p->ninlined;
	p->nlabels = p->nuses = 0;
	int r = ptx_scope_open(p);
	while (r > 0 && (r = ptx_accept_directive(p, ".attribute")) > 0)
		r = ptx_skip_group(p, '(', ')');
	if (r == 0)
		r = !is_entry && p->tok.kind == '(' ? formals(p) : 1;
	b->nrets = b->nformals;
	if (r > 0)
		r = ptx_name(p, &name, "a function's name");
	if (r > 0 && p->tok.kind == '(')
		r = formals(p);
	p->call_at = b->call_bytes = 0; /* a formal parameter lies where the actual one does */
	if (r > 0 && (r = tuning(p)) < 0 && (r = refuse_body(p, r)) > 0)
		r = skip_to_body(p);
	if (r > 0)
		r = enter_body(p, name, number);
	if (r > 0 && b->defined)
		r = body_or_refusal(p);
	else if (r > 0 && (r = ptx_scope_close(p)) > 0 && !ends_prototype(p))
		r = ptx_expect(p, ';', "'{' or ';'");
	while (p->ntables)
		free(p->tables[--p->ntables].targets);
	b->defined &= !b->spare;
	p->body = NULL;
	return r;
}

/* ---- the module ---- */

/* .file number "path" [, time, size] */
static int file(struct ptx_parser *p)
{
	struct ptx_module *m = p->m;
	int64_t n, ignored;
	int r = ptx_integer_in(p, 0, FILES_MAX, "a file's number", &n);
	if (r < 0)
		return r;
	n += p->first_file;
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
	m->files[n] = ptx_keep(p, path);
	return m->files[n] ? 1 : ptx_no_memory(p);
}

static int target(struct ptx_parser *p)
{
	uint32_t name;
	int r;
	do {
		if ((r = ptx_name(p, &name, "a target")) < 0)
			return r;
		const char *text = ptx_text(p, name);
		p->flushes |= !strncmp(text, "sm_1", 4) && strlen(text) == 5;
		const unsigned long sm = strncmp(text, "sm_", 3) ? 0 : strtoul(text + 3, NULL, 10);
		if (sm > p->m->target && sm < 1000)
			p->m->target = (uint32_t)sm;
	} while ((r = ptx_accept(p, ',')) > 0);
	return r < 0 ? r : 1;
}

static int address_size(struct ptx_parser *p)
{
	uint32_t line = p->tok.line;
	int64_t n = 0;
	int r = ptx_integer(p, &n);
	if (r > 0 && n != 64 && n != 32)
		return ptx_bad(p, line, "addresses of %lld bits are not supported", (long long)n);
	if (r > 0 && p->m->address_size && p->m->address_size != n)
		return ptx_bad(p, line, "addresses of %lld bits beside others of %d", (long long)n,
			p->m->address_size);
	p->m->address_size = (int)n;
	return r;
}

static int section(struct ptx_parser *p)
{
	if (p->tok.kind != PTX_TK_DIRECTIVE && p->tok.kind != PTX_TK_WORD)
		return ptx_unexpected(p, "a section's name");
	int r = ptx_advance(p);
	return r < 0 ? r : ptx_skip_group(p, '{', '}');
}

/* .alias name, function; */
static int alias(struct ptx_parser *p)
{
	struct ptx_body *of[2];
	for (int i = 0; i < 2; i++) {
		uint32_t name, line = p->tok.line;
		int r = i ? ptx_expect(p, ',', "','") : 1;
		if (r < 0 || (r = ptx_name(p, &name, "a function")) < 0)
			return r;
		const struct ptx_binding *b = ptx_bound(p, name);
		if (!b || b->kind != PTX_B_FUNC)
			return ptx_bad(p, line, "function '%s' is not declared", ptx_text(p, name));
		of[i] = p->bodies[b->index];
	}
	if (of[0]->defined || of[0]->as)
		return ptx_bad(p, p->last_line, "'%s' is declared twice", of[0]->name);
	of[0]->as = of[1];
	return ptx_expect(p, ';', "';'");
}

static int version(struct ptx_parser *p)
{
	double v;
	memcpy(&v, &p->tok.value, sizeof v);
	p->version = v > 0 && v < 100 ? (unsigned)(10 * v + 0.5) : 0;
	p->parameters_inside = v < 1.4;
	return ptx_expect(p, PTX_TK_F64, "a version");
}

/* .tex .u64 name; as .global .texref name; */
static int texture(struct ptx_parser *p)
{
	return ptx_variables(p, PTX_V_GLOBAL, 0);
}

static int directive(struct ptx_parser *p)
{
	static const struct {
		const char *name;
		int (*parse)(struct ptx_parser *);
	} plain[] = {{".version", version}, {".target", target}, {".address_size", address_size},
		{".file", file}, {".section", section}, {".pragma", pragma}, {".alias", alias},
		{".tex", texture}, {".reg", ptx_registers}};
	int is_extern = 0, r = 1;
	const char *name;
	p->own = 1;
	p->weak = 0;
	for (;; r = ptx_advance(p)) {
		if (r < 0)
			return r;
		if (p->tok.kind != PTX_TK_DIRECTIVE)
			return ptx_unexpected(p, "a directive");
		name = ptx_text(p, p->tok.atom);
		if (!strcmp(name, ".extern"))
			is_extern = 1;
		else if (!strcmp(name, ".weak") || !strcmp(name, ".common"))
			p->weak = 1;
		else if (strcmp(name, ".visible"))
			break;
		p->own = 0;
	}
	for (unsigned i = 0; i < sizeof plain / sizeof *plain; i++)
		if (!strcmp(name, plain[i].name))
			return (r = ptx_advance(p)) < 0 ? r : plain[i].parse(p);
	int space = space_of(name), is_entry = !strcmp(name, ".entry");
	int is_function = is_entry || !strcmp(name, ".func");
	if (!is_function && (space < 0 || space == PTX_V_PARAM))
		return unsupported_directive(p, name);
	if ((r = ptx_advance(p)) < 0)
		return r;
	return is_function ? function(p, is_entry) : ptx_variables(p, (uint8_t)space, is_extern);
}

/*
 * What kernels may call without a body, since the driver has it: one instruction of ours each, on
 * the parameters as compilers declare them. @ is the bits of an address.
 */
static const struct {
	const char *name, *text;
} built_in[] = {
	{"vprintf", ".func (.param .b32 r) vprintf(.param .b@ f, .param .b@ a) {"
		    " .reg .b64 %x<2>; .reg .b32 %r; ld.param.b@ %x0, [f]; ld.param.b@ %x1, [a];"
		    " hostprintf.u64 %r, %x0, %x1; st.param.b32 [r], %r; ret; }"},
	{"__assertfail",
		".func __assertfail(.param .b@ m, .param .b@ f, .param .b32 l, .param .b@ n,"
		" .param .b@ c) { .reg .b64 %x<3>; .reg .b32 %r; ld.param.b@ %x0, [m];"
		" ld.param.b@ %x1, [f]; ld.param.b32 %r, [l]; ld.param.b@ %x2, [n];"
		" hostassert.u64 %x0, %x1, %r, %x2; ret; }"},
	{"malloc", ".func (.param .b@ r) malloc(.param .b@ n) { .reg .b64 %x<2>;"
		   " ld.param.b@ %x0, [n]; hostmalloc.u64 %x1, %x0; st.param.b@ [r], %x1; ret; }"},
	{"__cudaCDP2Malloc",
		".func (.param .b32 r) __cudaCDP2Malloc(.param .b@ p, .param .b@ n)"
		" { .reg .b64 %x<3>; .reg .b32 %r; .reg .pred %q; ld.param.b@ %x0, [p];"
		" ld.param.b@ %x1, [n]; hostmalloc.u64 %x2, %x1; st.b@ [%x0], %x2;"
		" setp.eq.u64 %q, %x2, 0; selp.b32 %r, 2, 0, %q; st.param.b32 [r], %r; ret; }"},
	{"__cudaCDP2Free", ".func (.param .b32 r) __cudaCDP2Free(.param .b@ p) { .reg .b64 %x;"
			   " ld.param.b@ %x, [p]; hostfree.u64 %x; st.param.b32 [r], 0; ret; }"},
	{"free", ".func free(.param .b@ p) { .reg .b64 %x; ld.param.b@ %x, [p];"
		 " hostfree.u64 %x; ret; }"},
};

/* The text of a built-in function, in the module's arena, or NULL. */
static char *built_in_text(struct ptx_parser *p, const char *text)
{
	const char *bits = ptx_address_bytes(p->m) == 4 ? "32" : "64";
	char *copy = ptx_arena_get(p->m->arena, 2 * strlen(text) + 1), *to = copy;

	for (; copy && *text; text++)
		if (*text == '@')
			to = stpcpy(to, bits);
		else
			*to++ = *text;
	return copy;
}

/* Does the name stand for a body by now? Texts may declare it several times. */
static int is_defined(struct ptx_parser *p, const char *name)
{
	const uint32_t atom = ptx_atoms_put(&p->lex.atoms, name, (uint32_t)strlen(name));
	const struct ptx_binding *b = atom ? ptx_bound(p, atom) : NULL;
	return b && b->kind == PTX_B_FUNC && ptx_definition(p->bodies[b->index])->defined;
}

/* Defines those that the module declares and leaves without a body. */
static int define_built_in(struct ptx_parser *p)
{
	int r = 1;
	for (uint32_t i = 0; i < p->nbodies && r > 0; i++) {
		const struct ptx_body *b = p->bodies[i];
		for (unsigned k = 0; k < sizeof built_in / sizeof *built_in && r > 0; k++) {
			if (b->defined || b->as || b->is_entry || !b->name ||
				strcmp(b->name, built_in[k].name) || is_defined(p, b->name))
				continue;
			p->lex.p = built_in_text(p, built_in[k].text);
			if (!p->lex.p)
				return ptx_no_memory(p);
			p->lex.end = p->lex.p + strlen(p->lex.p);
			p->built_in = 1;
			p->m->uses_heap |= strstr(built_in[k].text, "hostmalloc") != NULL;
			if ((r = ptx_advance(p)) > 0)
				r = directive(p);
		}
	}
	return r;
}

static int text(struct ptx_parser *p, const struct ptx_text *t)
{
	int r;
	if (!(p->path = ptx_arena_printf(p->m->arena, "%s", t->path)))
		return tr_fail(p->err, TR_EMEM, 0, "no memory to parse '%s'",
			ptx_short_path(t->path).text);
	p->lex.p = t->text;
	p->lex.end = t->text + t->len;
	p->lex.line = 1;
	p->first_file = p->m->nfiles;
	if (t->len > TEXT_MAX)
		return ptx_bad(p, 1, "text is larger than 1 GiB");
	r = ptx_advance(p);
	if (r > 0 && !ptx_is_directive(p, ".version"))
		return ptx_bad(p, p->tok.line, "the text is not PTX: it begins without .version");
	while (r > 0 && p->tok.kind != PTX_TK_END)
		r = p->tok.kind == ';' ? ptx_advance(p) : directive(p);
	ptx_forget_own(p);
	return r;
}

/* What the texts leave to be settled once all are read. */
static int module(struct ptx_parser *p)
{
	for (uint32_t i = 0; i < p->m->nsyms; i++) /* in initial values; inline.c: in code */
		if (p->externs[i].undefined && p->externs[i].line)
			return ptx_bad(p, p->externs[i].line,
				"variable '%s' is declared .extern and not defined",
				p->m->syms[i].name);
	if (!p->m->address_size)
		p->m->address_size = p->narrow && !p->wide ? 32 : 64;
	const int r = define_built_in(p);
	ptx_lines_settle(p);
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
		free(b->live);
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
	free(p->inlined);
	ptx_atoms_free(&p->lex.atoms);
	free(p);
}

static int lower(struct ptx_kernel *k, struct ptx_module *m, struct tr_err *err)
{
	k->strings = m->strings;
	k->strings_len = m->strings_len;
	if (k->refusal)
		return 1;
	int r = ptx_lower(k, err);
	if (r == TR_EDATA && (k->refusal = ptx_arena_printf(m->arena, "%s", err->msg)))
		return 1;
	return r;
}

int ptx_link(struct ptx_module **out, const struct ptx_text *texts, unsigned n, struct tr_err *err)
{
	struct ptx_module *m = calloc(1, sizeof *m);
	struct ptx_parser *p = calloc(1, sizeof *p);
	struct tr_err own = {0}; /* the caller's stays as it is where kernels are refused only */
	int r = TR_EMEM;
	*out = NULL;
	if (!m || !p || !(m->arena = ptx_arena_new()) ||
		!(m->path = ptx_arena_printf(m->arena, "%s", texts->path)) ||
		ptx_atoms_init(&p->lex.atoms)) {
		tr_fail(&own, TR_EMEM, 0, "no memory to parse '%s'",
			ptx_short_path(texts->path).text);
	} else {
		p->m = m;
		p->err = &own;
		r = 1;
		for (unsigned i = 0; i < n && r > 0; i++)
			r = text(p, &texts[i]);
		if (r > 0)
			r = module(p);
		/* Every kernel's opcodes are spellings: the atoms' text lives on with the module.
		 */
		m->strings = p->lex.atoms.strings;
		m->strings_len = p->lex.atoms.strings_len;
		p->lex.atoms.strings = NULL;
		for (uint32_t i = 0; r > 0 && i < m->nkernels; i++)
			r = lower(m->kernels[i], m, &own);
	}
	if (p)
		free_parser(p);
	if (r > 0) {
		*out = m;
	} else {
		*err = own;
		ptx_module_free(m);
	}
	return r;
}

int ptx_parse(
	struct ptx_module **out, const char *text, size_t len, const char *path, struct tr_err *err)
{
	return ptx_link(out, &(struct ptx_text){.text = text, .len = len, .path = path}, 1, err);
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

unsigned ptx_address_bytes(const struct ptx_module *m)
{
	return (unsigned)m->address_size / 8;
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

uint32_t ptx_param_offset(const struct ptx_kernel *k, uint32_t i)
{
	return i < k->nparams ? k->params[i].offset : 0;
}

const char *ptx_refusal(const struct ptx_kernel *k)
{
	return k->refusal;
}

uint32_t ptx_live_registers(const struct ptx_kernel *k)
{
	return k->program ? k->program->live_registers : 0;
}

/* The constant without initial data that an operand names, or NULL. */
static const char *zero_constant(const struct ptx_kernel *k, const struct ptx_operand *o)
{
	const struct ptx_sym *s =
		o->kind == PTX_O_SYM && !(o->sym & PTX_SYM_LOCAL) ? &k->module->syms[o->sym] : NULL;

	return s && s->space == PTX_V_CONST && !s->init ? s->name : NULL;
}

const char *ptx_zero_constant(const struct ptx_kernel *k, uint32_t *from)
{
	while (*from < k->ninsts) {
		const struct ptx_inst *i = &k->insts[(*from)++];
		const char *name = zero_constant(k, &i->addr);

		for (unsigned s = 0; !name && s < i->nsrc; s++)
			name = zero_constant(k, &i->src[s]);
		if (name)
			return name;
	}
	return NULL;
}

uint32_t ptx_shared_bytes(const struct ptx_kernel *k)
{
	return k->shared_bytes;
}

uint32_t ptx_local_bytes(const struct ptx_kernel *k)
{
	return k->local_bytes;
}

uint32_t ptx_max_threads(const struct ptx_kernel *k)
{
	return k->maxntid.most;
}

int ptx_required_block(const struct ptx_kernel *k, uint32_t block[3])
{
	memcpy(block, k->maxntid.required, sizeof(k->maxntid.required));
	return block[0] != 0;
}

int ptx_kernel_clusters(const struct ptx_kernel *k, uint32_t ctas[3], uint32_t *most)
{
	memcpy(ctas, k->cluster.ctas, sizeof(k->cluster.ctas));
	*most = k->cluster.most;
	return k->cluster.needs_explicit;
}

uint32_t ptx_target(const struct ptx_kernel *k)
{
	return k->module->target;
}
