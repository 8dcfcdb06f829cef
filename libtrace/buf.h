/*
 * Internal: a growable byte buffer, LEB128 varints, and a cursor that never reads past its end.
 * Not installed.
 */
#ifndef TR_BUF_H
#define TR_BUF_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct tr_buf {
	uint8_t *p;
	size_t len, cap;
};

/* Makes room for `more` bytes after len. 0, or -1 without memory (the buffer stays as it was). */
int tr_buf_grow(struct tr_buf *b, size_t more);
void tr_buf_free(struct tr_buf *b);

static inline int tr_buf_room(struct tr_buf *b, size_t more)
{
	return b->cap - b->len >= more ? 0 : tr_buf_grow(b, more);
}

static inline int tr_buf_put(struct tr_buf *b, const void *data, size_t n)
{
	if (tr_buf_room(b, n))
		return -1;
	if (n)
		memcpy(b->p + b->len, data, n);
	b->len += n;
	return 0;
}

static inline int tr_buf_u8(struct tr_buf *b, uint8_t v)
{
	if (tr_buf_room(b, 1))
		return -1;
	b->p[b->len++] = v;
	return 0;
}

#define TR_VARINT_MAX 10 /* bytes of the longest 64-bit LEB128 */

/* Writes v as LEB128 at p (room for TR_VARINT_MAX); returns the end. */
static inline uint8_t *tr_varint_write(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

static inline int tr_buf_varint(struct tr_buf *b, uint64_t v)
{
	if (tr_buf_room(b, TR_VARINT_MAX))
		return -1;
	b->len = (size_t)(tr_varint_write(b->p + b->len, v) - b->p);
	return 0;
}

static inline uint64_t tr_zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t tr_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* A cursor over bytes. Reading past the end, or an overlong varint, sets bad and gives zeros. */
struct tr_cur {
	const uint8_t *p, *end;
	int bad;
};

static inline uint8_t tr_cur_u8(struct tr_cur *c)
{
	if (c->p >= c->end) {
		c->bad = 1;
		return 0;
	}
	return *c->p++;
}

uint64_t tr_cur_varint_slow(struct tr_cur *c);

static inline uint64_t tr_cur_varint(struct tr_cur *c)
{
	if (c->p < c->end && *c->p < 0x80)
		return *c->p++;
	return tr_cur_varint_slow(c);
}

static inline const uint8_t *tr_cur_bytes(struct tr_cur *c, size_t n)
{
	const uint8_t *p = c->p;
	if ((size_t)(c->end - c->p) < n) {
		c->bad = 1;
		return NULL;
	}
	c->p += n;
	return p;
}

#endif
