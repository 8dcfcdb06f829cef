/*
 * Fields of a line. No locale: bytes are ASCII or they are wrong.
 */
#include "sim/convert/text.h"

const char *cv_skip_blanks(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

int cv_at_blank(const char *s)
{
	return !*s || *s == ' ' || *s == '\t';
}

static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 'a' ^ 'A';
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

int cv_hex(const char **s, uint64_t *v)
{
	const char *c = *s;
	unsigned d;

	if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X'))
		c += 2;
	if (digit(*c) == 16)
		return 0;
	for (*v = 0; (d = digit(*c)) < 16; c++) {
		if (*v >> 60)
			return 0;
		*v = *v << 4 | d;
	}
	*s = c;
	return 1;
}

int cv_decimal(const char **s, uint64_t *v)
{
	const char *c = *s;

	if (*c < '0' || *c > '9')
		return 0;
	for (*v = 0; *c >= '0' && *c <= '9'; c++)
		if (__builtin_mul_overflow(*v, 10, v) ||
			__builtin_add_overflow(*v, (uint64_t)(*c - '0'), v))
			return 0;
	*s = c;
	return 1;
}

uint64_t cv_text_address(const struct tr_access *a)
{
	return a->line + (a->sectors ? 32u * (unsigned)__builtin_ctz(a->sectors) : 0);
}

unsigned cv_text_lanes(const struct tr_access *a)
{
	unsigned n = 0;

	for (unsigned k = 0; k < TR_LANES_MAX / 64; k++)
		n += (unsigned)__builtin_popcountll(a->lanes[k]);
	return n;
}
