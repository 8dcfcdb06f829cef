/* The parser's sentences and its way through the tokens. */
#include "parse.h"
#include "shorten.h"
#include <string.h>

int ptx_bad(struct ptx_parser *p, uint32_t line, const char *fmt, ...)
{
	struct tr_err sentence;
	va_list ap;
	va_start(ap, fmt);
	tr_vfail(&sentence, TR_EDATA, 0, fmt, ap);
	va_end(ap);
	return tr_fail(
		p->err, TR_EDATA, 0, "%s:%u: %s", ptx_short_path(p->path).text, line, sentence.msg);
}

int ptx_no_memory(struct ptx_parser *p)
{
	return tr_fail(p->err, TR_EMEM, 0, "no memory to parse '%s'", ptx_short_path(p->path).text);
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
	p->last_line = p->tok.line;
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

int ptx_integer_in(struct ptx_parser *p, int64_t low, int64_t high, const char *what, int64_t *v)
{
	uint32_t line = p->tok.line;
	int r = ptx_integer(p, v);
	if (r >= 0 && (*v < low || *v > high))
		return ptx_bad(p, line, "%s must lie between %lld and %lld", what, (long long)low,
			(long long)high);
	return r;
}

int ptx_is_directive(const struct ptx_parser *p, const char *name)
{
	return p->tok.kind == PTX_TK_DIRECTIVE && !strcmp(ptx_text(p, p->tok.atom), name);
}

int ptx_accept_directive(struct ptx_parser *p, const char *name)
{
	return ptx_is_directive(p, name) ? ptx_advance(p) : 0;
}

/* A name; its atom in *atom. */
int ptx_name(struct ptx_parser *p, uint32_t *atom, const char *wants)
{
	*atom = p->tok.atom;
	return ptx_expect(p, PTX_TK_WORD, wants);
}

char *ptx_keep(struct ptx_parser *p, uint32_t atom)
{
	return ptx_arena_printf(p->m->arena, "%s", ptx_text(p, atom));
}

/* Skips a balanced `( ... )` or `{ ... }`. */
int ptx_skip_group(struct ptx_parser *p, int open, int close)
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

struct ptx_place ptx_here(const struct ptx_parser *p)
{
	return (struct ptx_place){p->lex.p, p->lex.line, p->tok};
}

void ptx_back(struct ptx_parser *p, const struct ptx_place *place)
{
	p->lex.p = place->p;
	p->lex.line = place->line;
	p->tok = place->tok;
}

unsigned ptx_function_bytes(const struct ptx_parser *p)
{
	return p->m->address_size == 64 ? 8 : 4;
}
