/*
 * Writing a container. Holds one block and the end of the index, so a pipe is enough; the index,
 * some ten bytes a record, waits in a temporary file, so that memory does not grow with their
 * number. The first failure stays: every later call repeats it, and the stream is left without its
 * end, which readers notice. Not made: atomic replacement of files; a tool that wants it renames.
 */
#include "stream_format.h"
#include "temp.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <zstd.h>

#define INDEX_HELD (64u << 10) /* bytes of the index that stay in memory, at most */

struct tr_out {
	FILE *f;
	int level;
	uint64_t offset;   /* bytes that went out */
	uint64_t sequence; /* blocks that went out */
	struct tr_err err; /* the first failure */

	int open;            /* within a record, */
	struct tr_head head; /* whose blocks carry these fields */
	uint8_t *raw;        /* TR_BLOCK_RAW_MAX bytes, nraw in use */
	size_t nraw;
	uint8_t *packed;
	size_t packed_cap;
	ZSTD_CCtx *zstd;

	XXH3_state_t *heads; /* all block heads so far */
	struct tr_buf index; /* its end */
	FILE *index_file;    /* all before, or NULL while there is nothing before */
	struct tr_index_entry last;
};

static int give(const struct tr_out *o, int r, struct tr_err *err)
{
	if (r < 0 && err)
		*err = o->err;
	return r;
}

static int no_memory(struct tr_out *o)
{
	return tr_fail(&o->err, TR_EMEM, o->offset, "no memory to write the stream");
}

static int io_failed(struct tr_out *o)
{
	return tr_fail(&o->err, TR_EIO, o->offset, "write error at byte %" PRIu64 ": %s", o->offset,
		strerror(errno));
}

static int emit(struct tr_out *o, const void *data, size_t len)
{
	if (fwrite(data, 1, len, o->f) != len)
		return io_failed(o);
	o->offset += len;
	return 1;
}

/* Sends what has been gathered of the open record as one block. */
static int write_block(struct tr_out *o, unsigned more)
{
	struct tr_head h = o->head;
	const uint8_t *payload = o->raw;
	size_t stored = o->nraw;
	uint8_t head[TR_HEAD_BYTES];

	if (o->nraw) {
		stored = ZSTD_compressCCtx(
			o->zstd, o->packed, o->packed_cap, o->raw, o->nraw, o->level);
		if (ZSTD_isError(stored))
			return tr_fail(&o->err, TR_EMEM, o->offset, "zstd cannot compress: %s",
				ZSTD_getErrorName(stored));
		payload = o->packed;
	}
	h.flags |= more;
	if (stored >= o->nraw) {
		payload = o->raw;
		stored = o->nraw;
		h.flags |= TR_BLOCKF_RAW;
	}
	h.raw = (uint32_t)o->nraw;
	h.stored = (uint32_t)stored;
	h.sum = XXH3_64bits(payload, stored);
	tr_head_encode(head, &h, o->sequence);
	XXH3_64bits_update(o->heads, head, sizeof(head));

	int r = emit(o, head, sizeof(head));
	if (r > 0)
		r = emit(o, payload, stored);
	o->sequence++;
	o->nraw = 0;
	return r;
}

static void begin(struct tr_out *o, int type, unsigned flags, uint64_t key, uint32_t n)
{
	o->head = (struct tr_head){
		.type = (uint8_t)type, .flags = (uint8_t)flags, .key = key, .n = n};
	o->open = 1;
}

/* A full block waits for the next byte, which tells whether the record goes on. */
static int put(struct tr_out *o, const uint8_t *data, size_t len)
{
	while (len) {
		if (o->nraw == TR_BLOCK_RAW_MAX) {
			int r = write_block(o, TR_BLOCKF_MORE);
			if (r < 0)
				return r;
		}
		size_t room = TR_BLOCK_RAW_MAX - o->nraw;
		size_t take = len < room ? len : room;
		memcpy(o->raw + o->nraw, data, take);
		o->nraw += take;
		data += take;
		len -= take;
	}
	return 1;
}

static int end(struct tr_out *o)
{
	o->open = 0;
	return write_block(o, 0);
}

static int write_whole(struct tr_out *o, int type, const uint8_t *data, size_t len)
{
	begin(o, type, 0, 0, 0);
	int r = put(o, data, len);
	return r < 0 ? r : end(o);
}

static int write_header(struct tr_out *o, enum tr_kind kind, const char *provenance)
{
	size_t len = provenance ? strlen(provenance) : 0;
	if (len > TR_PROVENANCE_MAX)
		return tr_fail(
			&o->err, TR_EUSAGE, 0, "provenance is over %u bytes", TR_PROVENANCE_MAX);
	if (len && provenance[len - 1] != '\n')
		return tr_fail(&o->err, TR_EUSAGE, 0, "provenance does not end in a newline");

	uint8_t fixed[TR_HEADER_BYTES], sum[8];
	struct tr_buf all = {0};
	memcpy(fixed, TR_MAGIC, TR_MAGIC_BYTES);
	tr_le_put(fixed + 8, 2, TR_VERSION_MAJOR);
	tr_le_put(fixed + 10, 2, TR_VERSION_MINOR);
	tr_le_put(fixed + 12, 4, kind);
	tr_le_put(fixed + 16, 4, len);
	tr_le_put(fixed + 20, 4, 0);
	int r;
	if (tr_buf_put(&all, fixed, sizeof(fixed)) || tr_buf_put(&all, provenance, len)) {
		r = no_memory(o);
	} else {
		tr_le_put(sum, sizeof(sum), XXH3_64bits(all.p, all.len));
		r = emit(o, all.p, all.len);
		if (r > 0)
			r = emit(o, sum, sizeof(sum));
	}
	tr_buf_free(&all);
	return r;
}

int tr_out_open(struct tr_out **out, FILE *f, enum tr_kind kind, const char *provenance, int level,
	struct tr_err *err)
{
	struct tr_out *o = calloc(1, sizeof(*o));
	int r;

	*out = NULL;
	if (!o)
		return tr_fail(err, TR_EMEM, 0, "no memory to write the stream");
	o->f = f;
	o->level = level ? level : TR_LEVEL_DEFAULT;
	o->packed_cap = ZSTD_compressBound(TR_BLOCK_RAW_MAX);
	o->raw = malloc(TR_BLOCK_RAW_MAX);
	o->packed = malloc(o->packed_cap);
	o->zstd = ZSTD_createCCtx();
	o->heads = XXH3_createState();
	if (!o->raw || !o->packed || !o->zstd || !o->heads || XXH3_64bits_reset(o->heads) != XXH_OK)
		r = no_memory(o);
	else
		r = write_header(o, kind, provenance);
	if (r < 0) {
		give(o, r, err);
		tr_out_abandon(o);
		return r;
	}
	*out = o;
	return 1;
}

/* The index so far goes to the temporary file. */
static int spill_index(struct tr_out *o)
{
	int r = o->index_file ? 1 : tr_temp_open(&o->index_file, &o->err);

	if (r > 0 && fwrite(o->index.p, 1, o->index.len, o->index_file) != o->index.len)
		r = tr_temp_failed(&o->err);
	o->index.len = 0;
	return r;
}

static int note_record(struct tr_out *o, int type, uint64_t key, uint32_t n)
{
	struct tr_index_entry e = {
		.offset = o->offset, .sequence = o->sequence, .key = key, .n = n, .type = type};

	if (o->index.len + TR_INDEX_ENTRY_MAX > INDEX_HELD) {
		const int r = spill_index(o);
		if (r < 0)
			return r;
	}
	if (tr_buf_room(&o->index, TR_INDEX_ENTRY_MAX))
		return no_memory(o);
	o->index.len += tr_index_encode(o->index.p + o->index.len, &e, &o->last);
	o->last = e;
	return 1;
}

int tr_out_begin(
	struct tr_out *o, int type, unsigned flags, uint64_t key, uint32_t n, struct tr_err *err)
{
	int r = o->err.code;

	if (!r && o->open)
		r = tr_fail(&o->err, TR_EUSAGE, o->offset, "a record begins within a record");
	if (!r && (type <= 0 || type > UINT8_MAX || type == TR_REC_END || type == TR_REC_INDEX))
		r = tr_fail(&o->err, TR_EUSAGE, o->offset, "no record can be of type %d", type);
	if (!r && flags & ~TR_RECF_OPTIONAL)
		r = tr_fail(&o->err, TR_EUSAGE, o->offset, "no record can have flags %#x", flags);
	if (!r)
		r = note_record(o, type, key, n);
	if (r > 0)
		begin(o, type, flags, key, n);
	return give(o, r, err);
}

int tr_out_put(struct tr_out *o, const void *data, size_t len, struct tr_err *err)
{
	int r = o->err.code;

	if (!r && !o->open)
		r = tr_fail(&o->err, TR_EUSAGE, o->offset, "data outside of a record");
	if (!r)
		r = put(o, data, len);
	return give(o, r, err);
}

int tr_out_end(struct tr_out *o, struct tr_err *err)
{
	int r = o->err.code;

	if (!r && !o->open)
		r = tr_fail(&o->err, TR_EUSAGE, o->offset, "a record ends that did not begin");
	if (!r)
		r = end(o);
	return give(o, r, err);
}

uint64_t tr_out_bytes(const struct tr_out *o)
{
	return o->offset;
}

static int put_spilled_index(struct tr_out *o)
{
	uint8_t bytes[4096];
	size_t n;
	int r = 1;

	if (fflush(o->index_file) || fseeko(o->index_file, 0, SEEK_SET))
		return tr_temp_failed(&o->err);
	while (r > 0 && (n = fread(bytes, 1, sizeof(bytes), o->index_file)))
		r = put(o, bytes, n);
	return r > 0 && ferror(o->index_file) ? tr_temp_failed(&o->err) : r;
}

static int write_index(struct tr_out *o)
{
	int r = 1;

	begin(o, TR_REC_INDEX, 0, 0, 0);
	if (o->index_file)
		r = put_spilled_index(o);
	if (r > 0)
		r = put(o, o->index.p, o->index.len);
	return r > 0 ? end(o) : r;
}

static int write_tail(struct tr_out *o, const uint64_t totals[TR_MAX_TOTALS])
{
	uint64_t end_offset = o->offset, end_sequence = o->sequence;
	uint8_t bytes[TR_END_BYTES], footer[TR_FOOTER_BYTES];

	for (int i = 0; i < TR_MAX_TOTALS; i++)
		tr_le_put(bytes + 8 * i, 8, totals[i]);
	tr_le_put(bytes + 8 * TR_MAX_TOTALS, 8, end_sequence);
	tr_le_put(bytes + 8 * TR_MAX_TOTALS + 8, 8, XXH3_64bits_digest(o->heads));
	int r = write_whole(o, TR_REC_END, bytes, sizeof(bytes));
	if (r > 0)
		r = write_index(o);
	if (r < 0)
		return r;

	tr_le_put(footer, 8, end_offset);
	tr_le_put(footer + 8, 8, end_sequence);
	memcpy(footer + 16, TR_FOOTER_MAGIC, TR_MAGIC_BYTES);
	tr_le_put(footer + TR_FOOTER_SUMMED, 8, XXH3_64bits(footer, TR_FOOTER_SUMMED));
	r = emit(o, footer, sizeof(footer));
	if (r > 0 && fflush(o->f))
		r = io_failed(o);
	return r;
}

int tr_out_close(struct tr_out *o, const uint64_t totals[TR_MAX_TOTALS], struct tr_err *err)
{
	int r = o->err.code;

	if (!r && o->open)
		r = tr_fail(&o->err, TR_EUSAGE, o->offset, "the stream ends within a record");
	if (!r)
		r = write_tail(o, totals);
	give(o, r, err);
	tr_out_abandon(o);
	return r;
}

void tr_out_abandon(struct tr_out *o)
{
	if (!o)
		return;
	free(o->raw);
	free(o->packed);
	ZSTD_freeCCtx(o->zstd);
	XXH3_freeState(o->heads);
	tr_buf_free(&o->index);
	tr_temp_drop(o->index_file);
	free(o);
}
