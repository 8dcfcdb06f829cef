/*
 * Internal: the container's bytes, as FORMAT.md gives them, for its writer and its reader. Numbers
 * are put together byte by byte, so that neither alignment nor the host's byte order matters.
 * Not installed.
 */
#ifndef TR_STREAM_FORMAT_H
#define TR_STREAM_FORMAT_H

#include "buf.h"
#include "stream.h"
#include <xxhash.h>

#define TR_MAGIC "\x89WTR\r\n\x1a\n"
#define TR_FOOTER_MAGIC "WTRfoot\n"
#define TR_MAGIC_BYTES 8

#define TR_HEADER_BYTES 24 /* before the provenance */
#define TR_PROVENANCE_MAX (1u << 20)
#define TR_HEAD_BYTES 36 /* a block without its payload */
#define TR_HEAD_SUMMED 32
#define TR_END_BYTES (8 * TR_MAX_TOTALS + 16)
#define TR_FOOTER_BYTES 32
#define TR_FOOTER_SUMMED 24
#define TR_INDEX_ENTRY_MAX (1 + 4 * TR_VARINT_MAX)

/* Block flags; bit 0 is TR_RECF_OPTIONAL. */
#define TR_BLOCKF_MORE 2u /* the record goes on in the next block */
#define TR_BLOCKF_RAW 4u  /* the payload is not compressed */
#define TR_BLOCKF_ALL (TR_RECF_OPTIONAL | TR_BLOCKF_MORE | TR_BLOCKF_RAW)

static inline void tr_le_put(uint8_t *p, unsigned bytes, uint64_t v)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static inline uint64_t tr_le_get(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

/* What stands before a block's payload. */
struct tr_head {
	uint8_t type, flags;
	uint32_t raw, stored; /* bytes of the payload, uncompressed and as it stands */
	uint64_t key;
	uint32_t n;
	uint64_t sum; /* of the stored payload */
};

/*
 * The block's number goes into the checksum though it is not stored, so that a lost, repeated or
 * moved block is found.
 */
static inline uint32_t tr_head_sum(const uint8_t head[TR_HEAD_BYTES], uint64_t sequence)
{
	return (uint32_t)XXH3_64bits_withSeed(head, TR_HEAD_SUMMED, sequence);
}

static inline void tr_head_encode(
	uint8_t out[TR_HEAD_BYTES], const struct tr_head *h, uint64_t sequence)
{
	out[0] = h->type;
	out[1] = h->flags;
	tr_le_put(out + 2, 2, 0);
	tr_le_put(out + 4, 4, h->raw);
	tr_le_put(out + 8, 4, h->stored);
	tr_le_put(out + 12, 8, h->key);
	tr_le_put(out + 20, 4, h->n);
	tr_le_put(out + 24, 8, h->sum);
	tr_le_put(out + 32, 4, tr_head_sum(out, sequence));
}

static inline void tr_head_decode(struct tr_head *h, const uint8_t in[TR_HEAD_BYTES])
{
	h->type = in[0];
	h->flags = in[1];
	h->raw = (uint32_t)tr_le_get(in + 4, 4);
	h->stored = (uint32_t)tr_le_get(in + 8, 4);
	h->key = tr_le_get(in + 12, 8);
	h->n = (uint32_t)tr_le_get(in + 20, 4);
	h->sum = tr_le_get(in + 24, 8);
}

/* One entry of the index, as differences to the entry before. Returns its length. */
static inline size_t tr_index_encode(uint8_t out[TR_INDEX_ENTRY_MAX],
	const struct tr_index_entry *e, const struct tr_index_entry *before)
{
	uint8_t *p = out;

	*p++ = (uint8_t)e->type;
	p = tr_varint_write(p, e->offset - before->offset);
	p = tr_varint_write(p, e->sequence - before->sequence);
	p = tr_varint_write(p, tr_zigzag((int64_t)(e->key - before->key)));
	p = tr_varint_write(p, e->n);
	return (size_t)(p - out);
}

static inline void tr_index_decode(
	struct tr_cur *c, struct tr_index_entry *e, const struct tr_index_entry *before)
{
	e->type = tr_cur_u8(c);
	e->offset = before->offset + tr_cur_varint(c);
	e->sequence = before->sequence + tr_cur_varint(c);
	e->key = before->key + (uint64_t)tr_unzigzag(tr_cur_varint(c));
	uint64_t n = tr_cur_varint(c);
	e->n = (uint32_t)n;
	c->bad |= n > UINT32_MAX;
}

#endif
