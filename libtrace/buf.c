/*
 * The parts of buf.h that are not hot: growing a buffer, and varints of more than one byte.
 */
#include "buf.h"

#define CAP_MIN 256

int tr_buf_grow(struct tr_buf *b, size_t more)
{
	if (more > SIZE_MAX / 2 - b->len)
		return -1;
	size_t cap = b->cap < CAP_MIN ? CAP_MIN : b->cap;
	while (cap < b->len + more)
		cap *= 2;
	uint8_t *p = realloc(b->p, cap);
	if (!p)
		return -1;
	b->p = p;
	b->cap = cap;
	return 0;
}

void tr_buf_free(struct tr_buf *b)
{
	free(b->p);
	*b = (struct tr_buf){0};
}

uint64_t tr_cur_varint_slow(struct tr_cur *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = tr_cur_u8(c);
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		/* A number has one encoding: no bits beyond the 64th, no empty last byte. */
		if ((shift == 63 && byte > 1) || (shift && !byte))
			c->bad = 1;
		return c->bad ? 0 : v;
	}
	c->bad = 1;
	return 0;
}
