/*
 * The tokens of PTX (PTX ISA, chapter 4). Words keep their dots, so an opcode with its modifiers is
 * one token; a directive does not, since `.reg.b32` may be written without a space. Left out:
 * preprocessor lines and string escapes, which no compiler writes.
 */
#include "lex.h"
#include "arena.h"
#include "libtrace/chance.h"
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

int ptx_atoms_init(struct ptx_atoms *a)
{
	memset(a, 0, sizeof *a);
	a->nslots = 1024;
	a->seed = tr_chance();
	a->slots = calloc(a->nslots, sizeof *a->slots);
	a->n = a->strings_len = 1;
	if (!a->slots || ptx_room(&a->v, 0, 1, &a->cap, sizeof *a->v) ||
		ptx_room(&a->strings, 0, 1, &a->strings_cap, 1)) {
		ptx_atoms_free(a);
		return TR_EMEM;
	}
	memset(&a->v[0], 0, sizeof a->v[0]);
	a->strings[0] = 0;
	return 0;
}

void ptx_atoms_free(struct ptx_atoms *a)
{
	free(a->v);
	free(a->slots);
	free(a->strings);
	memset(a, 0, sizeof *a);
}

static int grow_slots(struct ptx_atoms *a)
{
	uint32_t n = a->nslots * 2, *slots = calloc(n, sizeof *slots);
	if (!slots)
		return TR_EMEM;
	for (uint32_t i = 1; i < a->n; i++) {
		uint32_t s = a->v[i].hash & (n - 1);
		while (slots[s])
			s = (s + 1) & (n - 1);
		slots[s] = i;
	}
	free(a->slots);
	a->slots = slots;
	a->nslots = n;
	return 0;
}

/* Length of the stem of a numbered register, its number in *number; 0: no numbered register. */
static uint32_t stem_of(const char *s, uint32_t len, uint32_t *number)
{
	uint32_t stem = len;
	while (stem > 0 && s[stem - 1] >= '0' && s[stem - 1] <= '9')
		stem--;
	if (stem == 0 || stem == len || len - stem > 10 || (s[stem] == '0' && len - stem > 1))
		return 0;
	uint64_t n = 0;
	for (uint32_t i = stem; i < len; i++)
		n = n * 10 + (uint32_t)(s[i] - '0');
	*number = (uint32_t)n;
	return n > UINT32_MAX ? 0 : stem;
}

uint32_t ptx_atoms_put(struct ptx_atoms *a, const char *s, uint32_t len)
{
	uint32_t hash = (uint32_t)XXH3_64bits_withSeed(s, len, a->seed),
		 slot = hash & (a->nslots - 1), number = 0, stem = 0;
	for (; a->slots[slot]; slot = (slot + 1) & (a->nslots - 1)) {
		const struct ptx_atom *at = &a->v[a->slots[slot]];
		if (at->hash == hash && at->len == len && !memcmp(a->strings + at->text, s, len))
			return a->slots[slot];
	}
	uint32_t stem_len = stem_of(s, len, &number);
	if (stem_len && !(stem = ptx_atoms_put(a, s, stem_len)))
		return 0;
	if (ptx_room(&a->v, a->n, 1, &a->cap, sizeof *a->v) ||
		ptx_room(&a->strings, a->strings_len, len + 1, &a->strings_cap, 1) ||
		(a->n > a->nslots / 2 && grow_slots(a)))
		return 0;
	slot = hash & (a->nslots - 1); /* the stem, or growth, may have taken or moved the place */
	while (a->slots[slot])
		slot = (slot + 1) & (a->nslots - 1);
	a->v[a->n] = (struct ptx_atom){
		.text = a->strings_len, .len = len, .hash = hash, .stem = stem, .number = number};
	memcpy(a->strings + a->strings_len, s, len);
	a->strings[a->strings_len + len] = 0;
	a->strings_len += len + 1;
	a->slots[slot] = a->n;
	return a->n++;
}

static int is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static int is_first(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static int is_word(int c)
{
	return is_first(c) || is_digit(c);
}

static int digit_value(int c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static int skip_blanks(struct ptx_lex *l, struct tr_err *err)
{
	while (l->p < l->end) {
		if (*l->p == '\n') {
			l->line++;
			l->p++;
		} else if (*l->p == ' ' || *l->p == '\t' || *l->p == '\r') {
			l->p++;
		} else if (*l->p == '/' && l->end - l->p > 1 && l->p[1] == '/') {
			while (l->p < l->end && *l->p != '\n')
				l->p++;
		} else if (*l->p == '/' && l->end - l->p > 1 && l->p[1] == '*') {
			for (l->p += 2;; l->p++) {
				if (l->end - l->p < 2)
					return tr_fail(err, TR_EDATA, 0, "comment is not closed");
				if (l->p[0] == '*' && l->p[1] == '/')
					break;
				l->line += *l->p == '\n';
			}
			l->p += 2;
		} else {
			break;
		}
	}
	return 1;
}

static int bad_number(const char *from, const struct ptx_lex *l, struct tr_err *err)
{
	const char *p = from;
	while (p < l->end && (is_word(*p) || *p == '.') && p - from < 40)
		p++;
	return tr_fail(err, TR_EDATA, 0, "malformed number '%.*s'", (int)(p - from), from);
}

static int integer(struct ptx_lex *l, struct ptx_token *t, unsigned base, struct tr_err *err)
{
	const char *from = l->p;
	t->kind = PTX_TK_INT;
	for (; l->p < l->end && is_word(*l->p) && *l->p != 'U'; l->p++) {
		unsigned d = (unsigned)digit_value(*l->p);
		if (d >= base)
			return bad_number(from, l, err);
		if (t->value > (UINT64_MAX - d) / base)
			return tr_fail(err, TR_EDATA, 0, "number does not fit 64 bits");
		t->value = t->value * base + d;
	}
	if (l->p == from)
		return bad_number(from, l, err);
	t->is_unsigned = t->value >> 63 || (l->p < l->end && *l->p == 'U');
	if (l->p < l->end && *l->p == 'U')
		l->p++;
	return l->p < l->end && is_word(*l->p) ? bad_number(from, l, err) : 1;
}

/* 0f and 0d: the bits in exactly `digits` hexadecimal digits. */
static int float_bits(struct ptx_lex *l, struct ptx_token *t, int digits, struct tr_err *err)
{
	const char *from = l->p;
	t->kind = digits == 8 ? PTX_TK_F32 : PTX_TK_F64;
	for (; l->p < l->end && is_word(*l->p); l->p++) {
		int d = digit_value(*l->p);
		if (d > 15 || l->p - from == digits)
			return bad_number(from, l, err);
		t->value = t->value << 4 | (unsigned)d;
	}
	return l->p - from == digits ? 1 : bad_number(from, l, err);
}

/*
 * Decimal floating point. The tools never leave the locale "C", but the CUDA runtime is part of
 * programs that may have one with a decimal comma, so strtod is told which. glibc has that locale
 * at hand: newlocale takes no memory for it.
 */
static int decimal_float(struct ptx_lex *l, struct ptx_token *t, struct tr_err *err)
{
	char text[64], *stop;
	size_t n = 0;
	const char *p = l->p;
	while (p < l->end && n + 1 < sizeof text &&
		(is_digit(*p) || *p == '.' || *p == 'e' || *p == 'E' ||
			((*p == '-' || *p == '+') && (p[-1] == 'e' || p[-1] == 'E'))))
		text[n++] = *p++;
	text[n] = 0;
	double d = strtod_l(text, &stop, newlocale(LC_ALL_MASK, "C", (locale_t)0));
	if (*stop || (p < l->end && is_word(*p)))
		return bad_number(l->p, l, err);
	t->kind = PTX_TK_F64;
	memcpy(&t->value, &d, sizeof d);
	l->p = p;
	return 1;
}

static int number(struct ptx_lex *l, struct ptx_token *t, struct tr_err *err)
{
	int second = l->end - l->p > 1 ? l->p[1] : 0;
	if (*l->p == '0' && second && strchr("xXbBfFdD", second)) {
		l->p += 2;
		switch (second | 0x20) {
		case 'x':
			return integer(l, t, 16, err);
		case 'b':
			return integer(l, t, 2, err);
		case 'f':
			return float_bits(l, t, 8, err);
		default:
			return float_bits(l, t, 16, err);
		}
	}
	const char *p = l->p;
	while (p < l->end && is_digit(*p))
		p++;
	if (p < l->end && (*p == '.' || *p == 'e' || *p == 'E'))
		return decimal_float(l, t, err);
	return integer(l, t, *l->p == '0' && is_digit(second) ? 8 : 10, err);
}

static int atom_token(struct ptx_lex *l, struct ptx_token *t, int kind, const char *from,
	const char *to, struct tr_err *err)
{
	t->kind = kind;
	t->atom = ptx_atoms_put(&l->atoms, from, (uint32_t)(to - from));
	return t->atom ? 1 : tr_fail(err, TR_EMEM, 0, "no memory");
}

/* After one word: does `.more` or `::more` follow? Returns the length of that mark. */
static int joint(const struct ptx_lex *l, const char *p, int dots)
{
	if (dots && l->end - p > 1 && p[0] == '.' && is_word(p[1]))
		return 1;
	return l->end - p > 2 && p[0] == ':' && p[1] == ':' && is_word(p[2]) ? 2 : 0;
}

int ptx_lex_next(struct ptx_lex *l, struct ptx_token *t, struct tr_err *err)
{
	int r = skip_blanks(l, err);
	*t = (struct ptx_token){.kind = PTX_TK_END, .line = l->line};
	if (r < 0 || l->p == l->end)
		return r;
	int c = (unsigned char)*l->p;
	if (is_digit(c))
		return number(l, t, err);
	if (is_first(c) || (c == '.' && l->end - l->p > 1 && is_first(l->p[1]))) {
		const char *from = l->p++;
		for (int n; l->p < l->end; l->p += n) {
			n = is_word(*l->p) ? 1 : joint(l, l->p, c != '.');
			if (!n)
				break;
		}
		return atom_token(l, t, c == '.' ? PTX_TK_DIRECTIVE : PTX_TK_WORD, from, l->p, err);
	}
	if (c == '"') {
		const char *from = ++l->p;
		while (l->p < l->end && *l->p != '"' && *l->p != '\n')
			l->p++;
		if (l->p == l->end || *l->p != '"')
			return tr_fail(err, TR_EDATA, 0, "string is not closed");
		return atom_token(l, t, PTX_TK_STRING, from, l->p++, err);
	}
	if (!c || !strchr(",;:()[]{}<>=+-@!|*/&^~?", c))
		return tr_fail(err, TR_EDATA, 0,
			c > 32 && c < 127 ? "unexpected character '%c'" : "unexpected byte 0x%02x",
			c);
	l->p++;
	t->kind = c;
	return 1;
}
