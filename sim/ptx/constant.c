/*
 * Constant expressions of integers (PTX ISA, "Constant Expressions"): operators, their precedence
 * and their types are C's, with 64 bits. Left out are casts and expressions of floating point; a
 * remainder's % stands alone, since with what follows it would be a register.
 */
#include "parse.h"
#include <string.h>

#define DEEPEST 64                 /* parentheses, signs and choices in one another */
#define TWO(a, b) ((a) | (b) << 8) /* an operator of two characters */

struct value {
	uint64_t bits;
	int is_unsigned;
};

struct expression {
	struct ptx_parser *p;
	const char *wants;
	unsigned depth;
};

static int whole(struct expression *e, struct value *v);

static int too_deep(struct ptx_parser *p)
{
	return ptx_bad(p, p->tok.line, "an expression is more than %d deep", DEEPEST);
}

/* A number, what stands in parentheses, or either after signs. */
static int operand(struct expression *e, struct value *v)
{
	struct ptx_parser *p = e->p;
	const int sign = p->tok.kind;
	int r;
	if (sign != '(' && sign != '-' && sign != '+' && sign != '~' && sign != '!') {
		*v = (struct value){p->tok.value, p->tok.is_unsigned};
		return ptx_expect(p, PTX_TK_INT, e->wants);
	}
	if (e->depth++ == DEEPEST)
		return too_deep(p);
	if ((r = ptx_advance(p)) > 0)
		r = sign == '(' ? whole(e, v) : operand(e, v);
	if (r > 0 && sign == '(')
		r = ptx_expect(p, ')', "')'");
	e->depth--;
	if (sign == '-')
		v->bits = 0 - v->bits;
	else if (sign == '~')
		v->bits = ~v->bits;
	else if (sign == '!')
		*v = (struct value){!v->bits, 0};
	return r;
}

/* The operator that stands here, and how tightly it binds; 0: there is none. */
static unsigned binding_of(const struct ptx_parser *p, int *op)
{
	const int c = p->tok.kind, next = p->lex.p < p->lex.end ? *p->lex.p : 0;
	*op = c;
	if (((c == '|' || c == '&' || c == '=' || c == '<' || c == '>') && next == c) ||
		((c == '!' || c == '<' || c == '>') && next == '='))
		*op = TWO(c, next);
	switch (*op) {
	case TWO('|', '|'):
		return 1;
	case TWO('&', '&'):
		return 2;
	case '|':
		return 3;
	case '^':
		return 4;
	case '&':
		return 5;
	case TWO('=', '='):
	case TWO('!', '='):
		return 6;
	case '<':
	case '>':
	case TWO('<', '='):
	case TWO('>', '='):
		return 7;
	case TWO('<', '<'):
	case TWO('>', '>'):
		return 8;
	case '+':
	case '-':
		return 9;
	case '*':
	case '/':
		return 10;
	default:
		return c == PTX_TK_WORD && !strcmp(ptx_text(p, p->tok.atom), "%") ? 10 : 0;
	}
}

/* Division and remainder, of which the smallest number by -1 wraps. */
static uint64_t divided(struct value a, struct value b, int is_unsigned, int remainder)
{
	const int64_t x = (int64_t)a.bits, y = (int64_t)b.bits;
	if (is_unsigned)
		return remainder ? a.bits % b.bits : a.bits / b.bits;
	if (y == -1)
		return remainder ? 0 : 0 - a.bits;
	return (uint64_t)(remainder ? x % y : x / y);
}

static uint64_t shifted_right(struct value a, uint64_t by)
{
	by = by > 63 ? 63 : by;
	return a.is_unsigned ? a.bits >> by : (uint64_t)((int64_t)a.bits >> by);
}

static struct value combined(int op, struct value a, struct value b)
{
	const int is_unsigned = a.is_unsigned | b.is_unsigned;
	const int less = is_unsigned ? a.bits < b.bits : (int64_t)a.bits < (int64_t)b.bits;
	const int equal = a.bits == b.bits;
	switch (op) {
	case TWO('|', '|'):
		return (struct value){a.bits || b.bits, 0};
	case TWO('&', '&'):
		return (struct value){a.bits && b.bits, 0};
	case TWO('=', '='):
		return (struct value){(uint64_t)equal, 0};
	case TWO('!', '='):
		return (struct value){!equal, 0};
	case '<':
		return (struct value){(uint64_t)less, 0};
	case '>':
		return (struct value){!less && !equal, 0};
	case TWO('<', '='):
		return (struct value){less || equal, 0};
	case TWO('>', '='):
		return (struct value){!less, 0};
	case TWO('<', '<'):
		return (struct value){b.bits > 63 ? 0 : a.bits << b.bits, a.is_unsigned};
	case TWO('>', '>'):
		return (struct value){shifted_right(a, b.bits), a.is_unsigned};
	case '|':
		return (struct value){a.bits | b.bits, is_unsigned};
	case '^':
		return (struct value){a.bits ^ b.bits, is_unsigned};
	case '&':
		return (struct value){a.bits & b.bits, is_unsigned};
	case '+':
		return (struct value){a.bits + b.bits, is_unsigned};
	case '-':
		return (struct value){a.bits - b.bits, is_unsigned};
	case '*':
		return (struct value){a.bits * b.bits, is_unsigned};
	default:
		return (struct value){divided(a, b, is_unsigned, op != '/'), is_unsigned};
	}
}

/* What follows the operand *v, as far as it binds so tightly. */
static int rest(struct expression *e, unsigned tightest, struct value *v)
{
	struct ptx_parser *p = e->p;
	const uint32_t line = p->tok.line;
	unsigned binding;
	int op, r = 1;
	while (r > 0 && (binding = binding_of(p, &op)) >= tightest) {
		struct value b;
		if ((r = ptx_advance(p)) > 0 && op > 255 && op != PTX_TK_WORD)
			r = ptx_advance(p);
		if (r < 0 || (r = operand(e, &b)) < 0 || (r = rest(e, binding + 1, &b)) < 0)
			return r;
		if ((op == '/' || op == PTX_TK_WORD) && !b.bits)
			return ptx_bad(p, line, "an expression divides by zero");
		*v = combined(op, *v, b);
	}
	return r;
}

/* And a choice, c ? a : b, between two. */
static int choice(struct expression *e, struct value *v)
{
	struct value a, b;
	int r = rest(e, 1, v);
	if (r < 0 || (r = ptx_accept(e->p, '?')) <= 0)
		return r < 0 ? r : 1;
	if (e->depth++ == DEEPEST)
		return too_deep(e->p);
	if ((r = whole(e, &a)) < 0 || (r = ptx_expect(e->p, ':', "':'")) < 0 ||
		(r = whole(e, &b)) < 0)
		return r;
	e->depth--;
	*v = (struct value){v->bits ? a.bits : b.bits, a.is_unsigned | b.is_unsigned};
	return 1;
}

static int whole(struct expression *e, struct value *v)
{
	int r = operand(e, v);
	return r < 0 ? r : choice(e, v);
}

int ptx_constant(struct ptx_parser *p, int minus, const char *wants, uint64_t *bits)
{
	struct expression e = {.p = p, .wants = wants};
	struct value v;
	int r = operand(&e, &v);
	if (r < 0)
		return r;
	v.bits = minus ? 0 - v.bits : v.bits;
	r = choice(&e, &v);
	*bits = v.bits;
	return r;
}
