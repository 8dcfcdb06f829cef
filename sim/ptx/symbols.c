/*
 * Scopes. Each name has at most one binding in force, found through its atom in constant time; a
 * scope's end puts back what it hid. `.reg .b32 %r<36>` binds the stem %r, and %r7 becomes a
 * register when it is first used, so a count costs nothing. Labels are looked up when the scope
 * that they may stand in closes, since most are used before they are defined.
 */
#include "parse.h"
#include <string.h>

int ptx_scope_open(struct ptx_parser *p)
{
	if (p->depth + 1 == sizeof p->scopes / sizeof *p->scopes)
		return ptx_bad(p, p->tok.line, "scopes are nested too deeply");
	p->scopes[++p->depth] = (struct ptx_scope){.first_use = p->nuses, .call_at = p->call_at};
	return 1;
}

static void resolve(struct ptx_parser *p, const struct ptx_label_use *u, const struct ptx_label *l)
{
	if (u->table != TR_NONE)
		p->tables[u->table].targets[u->slot] = l->value;
	else
		p->body->insts[u->inst].target = l->value;
}

/* Gives the uses of this scope's labels their targets; the others wait for the scope around it. */
static int resolve_labels(struct ptx_parser *p)
{
	uint32_t keep = p->scopes[p->depth].first_use;
	for (uint32_t i = keep; i < p->nuses; i++) {
		const struct ptx_label_use *u = &p->uses[i];
		uint32_t at = p->lex.atoms.v[u->atom].label;
		if (at && p->labels[at].depth == p->depth) {
			if (p->labels[at].is_table != u->wants_table)
				return ptx_bad(p, u->line, "'%s' is %s", ptx_text(p, u->atom),
					u->wants_table ? "no table of .branchtargets"
						       : "a table of .branchtargets");
			resolve(p, u, &p->labels[at]);
		} else if (p->depth == 1) {
			return ptx_bad(
				p, u->line, "label '%s' is not defined", ptx_text(p, u->atom));
		} else {
			p->uses[keep++] = *u;
		}
	}
	p->nuses = keep;
	return 1;
}

static void forget_names(struct ptx_parser *p, const struct ptx_scope *s)
{
	for (uint32_t i = s->bindings; i; i = p->bindings[i].next)
		p->lex.atoms.v[p->bindings[i].atom].binding = p->bindings[i].prev;
	for (uint32_t i = s->labels; i; i = p->labels[i].next)
		p->lex.atoms.v[p->labels[i].atom].label = p->labels[i].prev;
	p->call_at = s->call_at;
}

int ptx_scope_close(struct ptx_parser *p)
{
	struct ptx_scope *s = &p->scopes[p->depth];
	int r = resolve_labels(p);
	if (r < 0)
		return r;
	forget_names(p, s);
	p->depth--;
	return 1;
}

void ptx_scopes_abandon(struct ptx_parser *p, uint32_t depth)
{
	while (p->depth > depth)
		forget_names(p, &p->scopes[p->depth--]);
	p->nuses = 0;
}

void ptx_forget_own(struct ptx_parser *p)
{
	uint32_t *at = &p->scopes[0].bindings;
	while (*at) {
		const struct ptx_binding *b = &p->bindings[*at];
		if (b->own) {
			p->lex.atoms.v[b->atom].binding = b->prev;
			*at = b->next;
		} else {
			at = &p->bindings[*at].next;
		}
	}
}

/* Binds at a depth that no binding of the name in force is deeper than. */
static int bind_at(struct ptx_parser *p, uint32_t depth, uint32_t atom, enum ptx_binding_kind kind,
	uint32_t index, enum ptx_type type)
{
	if (!p->nbindings)
		p->nbindings = 1; /* 0 stands for none */
	if (ptx_room(&p->bindings, p->nbindings, 1, &p->cap_bindings, sizeof *p->bindings))
		return ptx_no_memory(p);
	struct ptx_atom *a = &p->lex.atoms.v[atom];
	p->bindings[p->nbindings] = (struct ptx_binding){.atom = atom,
		.prev = a->binding,
		.next = p->scopes[depth].bindings,
		.depth = depth,
		.kind = (uint8_t)kind,
		.type = (uint8_t)type,
		.own = (uint8_t)(!depth && p->own),
		.index = index};
	p->scopes[depth].bindings = a->binding = p->nbindings++;
	return 1;
}

int ptx_bind(struct ptx_parser *p, uint32_t atom, enum ptx_binding_kind kind, uint32_t index,
	enum ptx_type type)
{
	const struct ptx_binding *b = ptx_bound(p, atom);
	if (!strcmp(ptx_text(p, atom), "_"))
		return 1;
	if (b && b->depth == p->depth)
		return ptx_bad(p, p->last_line, "'%s' is declared twice", ptx_text(p, atom));
	return bind_at(p, p->depth, atom, kind, index, type);
}

int ptx_bind_module(struct ptx_parser *p, uint32_t atom, enum ptx_binding_kind kind, uint32_t index)
{
	if (ptx_bound(p, atom))
		return ptx_bad(p, p->last_line, "'%s' is declared twice", ptx_text(p, atom));
	return bind_at(p, 0, atom, kind, index, PTX_T_NONE);
}

const struct ptx_binding *ptx_bound(const struct ptx_parser *p, uint32_t atom)
{
	uint32_t b = p->lex.atoms.v[atom].binding;
	return b ? &p->bindings[b] : NULL;
}

int ptx_register_new(struct ptx_parser *p, uint32_t atom, enum ptx_type type, uint32_t *reg)
{
	struct ptx_body *b = p->body;
	const struct ptx_atom *a = &p->lex.atoms.v[atom];
	char *name = ptx_arena_get(p->m->arena, a->len + 1);
	if (!name || ptx_room(&b->regs, b->nregs, 1, &b->cap_regs, sizeof *b->regs))
		return ptx_no_memory(p);
	memcpy(name, ptx_text(p, atom), a->len);
	b->regs[b->nregs] = (struct ptx_reg){.name = name, .type = (uint8_t)type};
	*reg = b->nregs++;
	if (type != PTX_T_B128)
		return 1;
	name = ptx_arena_printf(p->m->arena, "%s.hi", name);
	if (!name || ptx_room(&b->regs, b->nregs, 1, &b->cap_regs, sizeof *b->regs))
		return ptx_no_memory(p);
	b->regs[b->nregs++] = (struct ptx_reg){.name = name, .type = PTX_T_B64};
	return 1;
}

int ptx_register(struct ptx_parser *p, uint32_t atom, uint32_t *reg)
{
	const struct ptx_atom *a = &p->lex.atoms.v[atom];
	const struct ptx_binding *own = ptx_bound(p, atom), *range = NULL;
	if (a->stem)
		for (uint32_t i = p->lex.atoms.v[a->stem].binding; i && !range;
			i = p->bindings[i].prev)
			if (p->bindings[i].kind == PTX_B_RANGE && a->number < p->bindings[i].index)
				range = &p->bindings[i];
	if (range && own && own->depth >= range->depth)
		range = NULL;
	if (!range && own && own->kind == PTX_B_PATTERN)
		range = own;
	if (range) {
		/* The module's registers are each body's own, in its outermost scope. */
		uint32_t depth = range->depth ? range->depth : 1;
		enum ptx_type type = range->type;
		if (!range->depth && !p->body->is_entry)
			return ptx_bad(p, p->tok.line,
				"register '%s' of the module in a function is not supported",
				ptx_text(p, atom));
		int r = ptx_register_new(p, atom, type, reg);
		return r < 0 ? r : bind_at(p, depth, atom, PTX_B_REG, *reg, type);
	}
	if (!own || own->kind != PTX_B_REG)
		return 0;
	*reg = own->index;
	return 1;
}

struct ptx_sym *ptx_symbol_at(struct ptx_parser *p, uint32_t sym)
{
	return sym & PTX_SYM_LOCAL ? &p->body->syms[sym & ~PTX_SYM_LOCAL] : &p->m->syms[sym];
}

int ptx_symbol_new(struct ptx_parser *p, const struct ptx_sym *sym, uint32_t *number)
{
	struct ptx_body *b = p->body;
	struct ptx_module *m = p->m;
	if (b && sym->space != PTX_V_GLOBAL && sym->space != PTX_V_CONST &&
		sym->space != PTX_V_SHARED) {
		if (ptx_room(&b->syms, b->nsyms, 1, &b->cap_syms, sizeof *b->syms))
			return ptx_no_memory(p);
		b->syms[b->nsyms] = *sym;
		*number = b->nsyms++ | PTX_SYM_LOCAL;
		return 1;
	}
	if (ptx_room(&m->syms, m->nsyms, 1, &p->cap_syms, sizeof *m->syms) ||
		ptx_room(&p->externs, m->nsyms, 1, &p->cap_externs, sizeof *p->externs))
		return ptx_no_memory(p);
	m->syms[m->nsyms] = *sym;
	p->externs[m->nsyms] = (struct ptx_extern){0};
	*number = m->nsyms++;
	return 1;
}

void ptx_symbol_used(struct ptx_parser *p, uint32_t sym, uint32_t line)
{
	if (!p->body && !(sym & PTX_SYM_LOCAL) && !p->externs[sym].line)
		p->externs[sym].line = line;
}

int ptx_label_define(struct ptx_parser *p, uint32_t atom, uint32_t value, int is_table)
{
	struct ptx_atom *a = &p->lex.atoms.v[atom];
	if (!p->nlabels)
		p->nlabels = 1; /* 0 stands for none */
	if (a->label && p->labels[a->label].depth == p->depth)
		return ptx_bad(p, p->last_line, "label '%s' is defined twice", ptx_text(p, atom));
	if (ptx_room(&p->labels, p->nlabels, 1, &p->cap_labels, sizeof *p->labels))
		return ptx_no_memory(p);
	p->labels[p->nlabels] = (struct ptx_label){.atom = atom,
		.prev = a->label,
		.next = p->scopes[p->depth].labels,
		.depth = p->depth,
		.value = value,
		.is_table = is_table};
	p->scopes[p->depth].labels = a->label = p->nlabels++;
	return 1;
}

int ptx_label_use(struct ptx_parser *p, const struct ptx_label_use *use)
{
	if (ptx_room(&p->uses, p->nuses, 1, &p->cap_uses, sizeof *p->uses))
		return ptx_no_memory(p);
	p->uses[p->nuses++] = *use;
	return 1;
}
