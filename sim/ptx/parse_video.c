/*
 * Video instructions: their spellings, with two or three types, and operands with parts behind a
 * dot, `%r1.b3` or `%r1.h10`.
 */
#include "parse.h"
#include <string.h>

static const struct {
	uint16_t op;
	uint8_t lanes;
} all[] = {
	{PTX_VADD, 1},
	{PTX_VSUB, 1},
	{PTX_VABSDIFF, 1},
	{PTX_VMIN, 1},
	{PTX_VMAX, 1},
	{PTX_VSHL, 1},
	{PTX_VSHR, 1},
	{PTX_VMAD, 1},
	{PTX_VSET, 1},
	{PTX_VADD2, 2},
	{PTX_VSUB2, 2},
	{PTX_VABSDIFF2, 2},
	{PTX_VMIN2, 2},
	{PTX_VMAX2, 2},
	{PTX_VAVRG2, 2},
	{PTX_VSET2, 2},
	{PTX_VADD4, 4},
	{PTX_VSUB4, 4},
	{PTX_VABSDIFF4, 4},
	{PTX_VMIN4, 4},
	{PTX_VMAX4, 4},
	{PTX_VAVRG4, 4},
	{PTX_VSET4, 4},
};

/* Values of a register that the opcode works on; 0: it is none of these. */
unsigned ptx_video_lanes(enum ptx_op op)
{
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].op == op)
			return all[i].lanes;
	return 0;
}

static int compares(const struct ptx_inst *x)
{
	return x->op == PTX_VSET || x->op == PTX_VSET2 || x->op == PTX_VSET4;
}

static int shifts(const struct ptx_inst *x)
{
	return x->op == PTX_VSHL || x->op == PTX_VSHR;
}

/* What a modifier adds; 0: it is unknown here. */
static int add(struct ptx_inst *x, const char *name, unsigned *types, char *limit)
{
	static const char *const compare[] = {"eq", "ne", "lt", "le", "gt", "ge"};
	const enum ptx_type t = ptx_type_of(name);
	const int one = x->video.lanes == 1;
	if (t == PTX_T_U32 || t == PTX_T_S32) {
		uint8_t *const place[] = {&x->type, &x->stype, &x->video.btype};
		if (*types == 3)
			return 0;
		*place[(*types)++] = (uint8_t)t;
		return 1;
	}
	for (unsigned c = 0; c < 6 && compares(x); c++)
		if (!strcmp(name, compare[c]) && x->cmp == UINT8_MAX) {
			x->cmp = (uint8_t)c;
			return 1;
		}
	if (!strcmp(name, "sat") && !compares(x))
		x->flags |= PTX_F_SAT;
	else if (!strcmp(name, "add") && !x->mode && x->op != PTX_VMAD)
		x->mode = PTX_M_ADD;
	else if (one && !x->mode && x->op != PTX_VMAD && !strcmp(name, "min"))
		x->mode = PTX_M_MIN;
	else if (one && !x->mode && x->op != PTX_VMAD && !strcmp(name, "max"))
		x->mode = PTX_M_MAX;
	else if (shifts(x) && !*limit && (!strcmp(name, "clamp") || !strcmp(name, "wrap")))
		*limit = *name;
	else if (x->op == PTX_VMAD && !strcmp(name, "po"))
		x->video.plus_one = 1;
	else if (x->op == PTX_VMAD && (!strcmp(name, "shr7") || !strcmp(name, "shr15")))
		x->video.shift = name[3] == '7' ? 7 : 15;
	else
		return 0;
	return 1;
}

int ptx_video_form(
	struct ptx_parser *p, struct ptx_inst *x, const char *rest, const char *text, uint32_t line)
{
	char limit = 0; /* 'c' or 'w': .clamp, .wrap of a shift's amount */
	unsigned types = compares(x) ? 1 : 0;
	x->video.lanes = (uint8_t)ptx_video_lanes(x->op);
	x->type = PTX_T_U32;
	x->cmp = compares(x) ? UINT8_MAX : PTX_EQ;
	while (*rest) {
		char name[8];
		size_t n = strcspn(++rest, ".");
		if (n < sizeof name) {
			memcpy(name, rest, n);
			name[n] = 0;
		}
		if (n >= sizeof name || !add(x, name, &types, &limit))
			return ptx_bad(p, line, "unsupported modifier '.%.*s' in '%.120s'",
				n > 40 ? 40 : (int)n, rest, text);
		rest += n;
	}
	if (types != 3 || x->cmp == UINT8_MAX)
		return ptx_bad(p, line, "opcode '%.120s' lacks its types or comparison", text);
	if (shifts(x) && !limit)
		return ptx_bad(p, line, "opcode '%.120s' lacks its .clamp or .wrap", text);
	/* The amount of a shift has no sign; several sums are not clamped before they are added. */
	if ((shifts(x) && x->video.btype != PTX_T_U32) ||
		(x->video.lanes > 1 && x->mode == PTX_M_ADD && (x->flags & PTX_F_SAT)))
		return ptx_bad(p, line, "unsupported opcode '%.120s'", text);
	x->flags |= limit == 'c' ? PTX_F_CLAMP : 0;
	return 1;
}

/* ---- operands ---- */

/* `.b3210`: the digits, the last one lowest; '\0' where there is nothing behind the register. */
struct selection {
	char letter;
	unsigned n;
	uint8_t digit[4];
};

/* Takes a selection off the register that stands next, which becomes the token. */
static int split(struct ptx_parser *p, struct selection *s)
{
	const char *text = p->tok.kind == PTX_TK_WORD ? ptx_text(p, p->tok.atom) : "";
	const char *dot = strrchr(text, '.');
	uint32_t reg;
	int r = 1;
	s->letter = 0;
	s->n = 0;
	if (!dot || (r = ptx_register(p, p->tok.atom, &reg)) != 0)
		return r < 0 ? r : 1;
	const size_t digits = strlen(dot + 1) - 1;
	if ((dot[1] != 'b' && dot[1] != 'h') || digits < 1 || digits > 4)
		return ptx_bad(p, p->tok.line, "'%s' selects no part of a register", text);
	s->letter = dot[1];
	for (unsigned i = 0; i < digits; i++) {
		const char c = dot[1 + digits - i];
		if (c < '0' || c > '7')
			return ptx_bad(p, p->tok.line, "'%s' selects no part of a register", text);
		s->digit[s->n++] = (uint8_t)(c - '0');
	}
	const uint32_t atom = ptx_atoms_put(&p->lex.atoms, text, (uint32_t)(dot - text));
	if (!atom)
		return ptx_no_memory(p);
	p->tok.atom = atom;
	return 1;
}

static int bad_selection(struct ptx_parser *p, uint32_t line)
{
	return ptx_bad(p, line, "a part that this instruction does not have");
}

/* A part of a value: its place and bits. */
static int one_part(
	struct ptx_parser *p, const struct selection *s, uint32_t line, uint8_t *at, uint8_t *bits)
{
	*at = 0;
	*bits = s->letter == 'b' ? 8 : s->letter == 'h' ? 16 : 32;
	if (!s->letter)
		return 1;
	if (s->n != 1 || s->digit[0] >= 32 / *bits)
		return bad_selection(p, line);
	*at = (uint8_t)(s->digit[0] * *bits);
	return 1;
}

/* The parts of b:a that an operand of several values has; `first` where it names none. */
static int parts(struct ptx_parser *p, const struct selection *s, uint32_t line, unsigned lanes,
	unsigned first, uint16_t *to)
{
	*to = 0;
	if (s->letter && (s->letter != (lanes == 2 ? 'h' : 'b') || s->n != lanes))
		return bad_selection(p, line);
	for (unsigned i = 0; i < lanes; i++) {
		const unsigned digit = s->letter ? s->digit[i] : first + i;
		if (digit >= 2 * lanes)
			return bad_selection(p, line);
		*to |= (uint16_t)(digit << 4 * i);
	}
	return 1;
}

static int mask(struct ptx_parser *p, const struct selection *s, uint32_t line, struct ptx_video *v)
{
	v->mask = s->letter ? 0 : 15;
	if (s->letter && s->letter != (v->lanes == 2 ? 'h' : 'b'))
		return bad_selection(p, line);
	for (unsigned i = 0; i < s->n; i++) {
		if (s->digit[i] >= v->lanes)
			return bad_selection(p, line);
		v->mask |= (uint8_t)(1u << s->digit[i]);
	}
	return 1;
}

/* d, a, b [, c], each with its parts. */
int ptx_video_operands(struct ptx_parser *p, struct ptx_inst *x)
{
	struct ptx_video *v = &x->video;
	struct selection s;
	int merges = 0, r = 1;
	for (unsigned k = 0; k < 4 && r > 0; k++) {
		const uint32_t line = p->tok.line;
		int minus = 0;
		if (k == 3 && v->lanes == 1 && x->op != PTX_VMAD && !x->mode && !merges)
			return 1;
		if (k && (r = ptx_expect(p, ',', "',' and another operand")) < 0)
			return r;
		if (k && x->op == PTX_VMAD && (minus = ptx_accept(p, '-')) < 0)
			return minus;
		if ((r = split(p, &s)) < 0 ||
			(r = k ? ptx_video_source(p, x) : ptx_video_destination(p, x)) < 0)
			return r;
		if (k)
			x->src[k - 1].negate = (uint8_t)minus;
		merges |= !k && s.letter;
		if (k == 3)
			return s.letter ? bad_selection(p, line) : 1;
		if (v->lanes > 1)
			r = !k ? mask(p, &s, line, v)
			       : parts(p, &s, line, v->lanes, k == 1 ? 0 : v->lanes,
					 k == 1 ? &v->a_parts : &v->b_parts);
		else
			r = one_part(p, &s, line,
				!k       ? &v->d_at
				: k == 1 ? &v->a_at
					 : &v->b_at,
				!k       ? &v->d_bits
				: k == 1 ? &v->a_bits
					 : &v->b_bits);
	}
	return r;
}
