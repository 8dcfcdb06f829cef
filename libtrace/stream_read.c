/*
 * Reading a container, from a pipe or a file. Nothing in it is believed before its checksum, and no
 * size before it is checked: memory grows block by block, as the blocks come. Only the index and
 * seeking move the file position. Not made: repair; the first wrong byte ends the reading, and
 * every later call repeats why.
 */
#include "stream_format.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <zstd.h>

#define PIECE (64u << 10) /* by which a provenance grows */

struct tr_in {
	FILE *f;
	off_t base; /* of the stream in f, -1 when f cannot seek */
	enum tr_kind kind;
	int minor;
	struct tr_buf header; /* with the provenance, and a NUL after it */
	uint64_t first_block; /* offset */
	uint64_t offset;      /* bytes read so far */
	uint64_t sequence;    /* number of the next block */
	const char *awaited;  /* what a stream that ends here would lack */
	struct tr_err err;    /* the first failure */
	int ended;

	uint8_t head[TR_HEAD_BYTES]; /* of the last block */
	struct tr_buf stored, record;
	ZSTD_DCtx *zstd;

	/* Over every block since the first, and the index that follows from them. */
	int straight; /* no seek since the first block: these hold */
	XXH3_state_t *heads, *index;
	struct tr_index_entry last;

	uint64_t totals[TR_MAX_TOTALS];
	struct tr_buf entries; /* struct tr_index_entry */
	int indexed;
	struct tr_index_entry wanted; /* sought, and not read yet; type 0: none */
};

/* Where a checksum is compared. A fuzzer cannot guess one, so its build believes them all. */
static int differs(uint64_t found, uint64_t stated)
{
#ifdef TR_FUZZING
	(void)found;
	(void)stated;
	return 0;
#else
	return found != stated;
#endif
}

static int give(const struct tr_in *in, int r, struct tr_err *err)
{
	if (r < 0 && err)
		*err = in->err;
	return r;
}

static int no_memory(struct tr_in *in)
{
	return tr_fail(&in->err, TR_EMEM, in->offset,
		"no memory to read the stream at byte %" PRIu64, in->offset);
}

static int io_failed(struct tr_in *in)
{
	return tr_fail(&in->err, TR_EIO, in->offset, "read error at byte %" PRIu64 ": %s",
		in->offset, strerror(errno));
}

static int bad_sum(struct tr_in *in, uint64_t offset)
{
	return tr_fail(&in->err, TR_EDATA, offset, "bad checksum at byte %" PRIu64, offset);
}

static int bad(struct tr_in *in, uint64_t offset, const char *what)
{
	return tr_fail(&in->err, TR_EDATA, offset, "%s at byte %" PRIu64, what, offset);
}

static int take(struct tr_in *in, void *to, size_t n)
{
	size_t got = fread(to, 1, n, in->f);

	in->offset += got;
	if (got == n)
		return 1;
	if (ferror(in->f))
		return io_failed(in);
	return tr_fail(&in->err, TR_ETRUNC, in->offset,
		"stream ends at byte %" PRIu64 ", before %s", in->offset, in->awaited);
}

/* ---- blocks and records ---- */

static int read_head(struct tr_in *in, struct tr_head *h)
{
	uint64_t offset = in->offset;
	int r = take(in, in->head, sizeof(in->head));

	if (r < 0)
		return r;
	if (differs(tr_head_sum(in->head, in->sequence), tr_le_get(in->head + TR_HEAD_SUMMED, 4)))
		return bad_sum(in, offset);
	in->sequence++;
	tr_head_decode(h, in->head);
	if (!h->type || h->flags & ~TR_BLOCKF_ALL || tr_le_get(in->head + 2, 2))
		return bad(in, offset, "bad block type, flags or reserved field");
	if (h->raw > TR_BLOCK_RAW_MAX || (!h->raw && h->flags & TR_BLOCKF_MORE))
		return bad(in, offset, "bad block length");
	if (h->flags & TR_BLOCKF_RAW ? h->stored != h->raw : h->stored >= h->raw)
		return bad(in, offset, "bad stored length of a block");
	return 1;
}

/* Appends the block's bytes to in->record; with `keep` 0 they are only checked. */
static int read_payload(struct tr_in *in, const struct tr_head *h, int keep)
{
	uint64_t offset = in->offset;
	int direct = keep && h->flags & TR_BLOCKF_RAW;
	struct tr_buf *to = direct ? &in->record : &in->stored;

	in->stored.len = 0;
	if (tr_buf_room(to, (size_t)h->stored + 1))
		return no_memory(in);
	uint8_t *payload = to->p + to->len;
	int r = take(in, payload, h->stored);
	if (r < 0)
		return r;
	if (differs(XXH3_64bits(payload, h->stored), h->sum))
		return bad_sum(in, offset);
	if (!keep)
		return 1;
	if (!direct) {
		if (tr_buf_room(&in->record, h->raw))
			return no_memory(in);
		size_t n = ZSTD_decompressDCtx(
			in->zstd, in->record.p + in->record.len, h->raw, payload, h->stored);
		if (ZSTD_isError(n) || n != h->raw)
			return bad(in, offset, "bad compressed data");
	}
	in->record.len += h->raw;
	return 1;
}

/* Reads on from the record's first head to its end, at most `limit` bytes of content. */
static int read_record(struct tr_in *in, struct tr_head h, int keep, uint64_t limit)
{
	struct tr_head first = h;

	in->record.len = 0;
	for (;;) {
		if (in->straight)
			XXH3_64bits_update(in->heads, in->head, sizeof(in->head));
		if (h.raw > limit)
			return bad(in, in->offset - TR_HEAD_BYTES, "record too long");
		limit -= h.raw;
		int r = read_payload(in, &h, keep);
		if (r < 0 || !(h.flags & TR_BLOCKF_MORE))
			return r;
		uint64_t offset = in->offset;
		r = read_head(in, &h);
		if (r < 0)
			return r;
		if (h.type != first.type || h.key != first.key || h.n != first.n ||
			(h.flags ^ first.flags) & TR_RECF_OPTIONAL)
			return bad(in, offset, "block that does not continue its record");
	}
}

/* ---- the end ---- */

/* A record of the container's own has nothing in its head to choose. */
static int plain(const struct tr_head *h, enum tr_record_type type)
{
	return h->type == type && !h->key && !h->n && !(h->flags & TR_RECF_OPTIONAL);
}

/* Reads on from the end block's head to the footer. The index stays in in->record. */
static int read_end(struct tr_in *in, const struct tr_head *h)
{
	uint64_t offset = in->offset - TR_HEAD_BYTES, blocks = in->sequence - 1;
	uint64_t sum = in->straight ? XXH3_64bits_digest(in->heads) : 0;

	if (!plain(h, TR_REC_END) || h->flags & TR_BLOCKF_MORE || h->raw != TR_END_BYTES)
		return bad(in, offset, "bad end block");
	int r = read_record(in, *h, 1, TR_END_BYTES);
	if (r < 0)
		return r;
	const uint8_t *p = in->record.p;
	for (int i = 0; i < TR_MAX_TOTALS; i++, p += 8)
		in->totals[i] = tr_le_get(p, 8);
	if (tr_le_get(p, 8) != blocks)
		return bad(in, offset, "wrong number of blocks in the end block");
	if (in->straight && differs(sum, tr_le_get(p + 8, 8)))
		return tr_fail(&in->err, TR_EDATA, offset,
			"blocks are not those that the end block at byte %" PRIu64 " sums up",
			offset);

	struct tr_head index;
	uint64_t records_max = (offset - in->first_block) / TR_HEAD_BYTES;
	in->awaited = "the end of its index";
	offset = in->offset;
	r = read_head(in, &index);
	if (r < 0)
		return r;
	if (!plain(&index, TR_REC_INDEX))
		return bad(in, offset, "no index");
	return read_record(in, index, 1, records_max * TR_INDEX_ENTRY_MAX);
}

/* 1; 0 when the next bytes are no footer at all; or TR_E*. */
static int read_footer(struct tr_in *in, uint64_t *end_offset, uint64_t *end_sequence)
{
	uint8_t footer[TR_FOOTER_BYTES];
	uint64_t offset = in->offset;

	in->awaited = "the end of its footer";
	int r = take(in, footer, sizeof(footer));
	if (r < 0)
		return r;
	if (memcmp(footer + 16, TR_FOOTER_MAGIC, TR_MAGIC_BYTES))
		return 0;
	if (differs(XXH3_64bits(footer, TR_FOOTER_SUMMED), tr_le_get(footer + TR_FOOTER_SUMMED, 8)))
		return bad_sum(in, offset);
	*end_offset = tr_le_get(footer, 8);
	*end_sequence = tr_le_get(footer + 8, 8);
	return 1;
}

static int finish(struct tr_in *in, const struct tr_head *h)
{
	uint64_t end_offset = in->offset - TR_HEAD_BYTES, end_sequence = in->sequence - 1;
	uint64_t stated_offset, stated_sequence;
	int r = read_end(in, h);

	if (r < 0)
		return r;
	if (in->straight &&
		differs(XXH3_64bits(in->record.p, in->record.len), XXH3_64bits_digest(in->index)))
		return tr_fail(&in->err, TR_EDATA, in->offset,
			"the index before byte %" PRIu64 " does not fit the blocks", in->offset);
	uint64_t offset = in->offset;
	r = read_footer(in, &stated_offset, &stated_sequence);
	if (r < 0)
		return r;
	if (!r)
		return bad(in, offset, "no footer");
	if (stated_offset != end_offset || stated_sequence != end_sequence)
		return bad(in, offset, "wrong place of the end block in the footer");
	if (getc(in->f) != EOF)
		return bad(in, in->offset, "stream is over, but more bytes follow");
	if (ferror(in->f))
		return io_failed(in);
	in->ended = 1;
	return 0;
}

/* ---- record by record ---- */

static void note_record(struct tr_in *in, const struct tr_index_entry *e)
{
	uint8_t entry[TR_INDEX_ENTRY_MAX];

	XXH3_64bits_update(in->index, entry, tr_index_encode(entry, e, &in->last));
	in->last = *e;
}

static int known(int type)
{
	return (type >= TR_REC_PROGRAM && type <= TR_REC_ASYNC) || type == TR_REC_SPINS;
}

static int next(struct tr_in *in, struct tr_record *rec)
{
	struct tr_head h;
	struct tr_index_entry e;

	do {
		e = (struct tr_index_entry){.offset = in->offset, .sequence = in->sequence};
		int r = read_head(in, &h);
		if (r < 0)
			return r;
		e.key = h.key;
		e.n = h.n;
		e.type = h.type;
		struct tr_index_entry w = in->wanted;
		in->wanted.type = 0;
		if (w.type && (w.type != e.type || w.key != e.key || w.n != e.n))
			return bad(in, e.offset, "index names another record than the one");
		if (h.type == TR_REC_END)
			return finish(in, &h);
		if (h.type == TR_REC_INDEX)
			return bad(in, e.offset, "index before the end block");
		if (!known(h.type) && !(h.flags & TR_RECF_OPTIONAL))
			return tr_fail(&in->err, TR_EVERSION, e.offset,
				"block type %d at byte %" PRIu64 " is not known, and not optional",
				h.type, e.offset);
		if (in->straight)
			note_record(in, &e);
		r = read_record(in, h, known(h.type), UINT64_MAX);
		if (r < 0)
			return r;
	} while (!known(h.type));

	*rec = (struct tr_record){
		.type = h.type,
		.flags = h.flags & TR_RECF_OPTIONAL,
		.key = h.key,
		.n = h.n,
		.data = in->record.p,
		.len = in->record.len,
		.offset = e.offset,
		.stored_bytes = in->offset - e.offset,
	};
	return 1;
}

int tr_in_next(struct tr_in *in, struct tr_record *rec, struct tr_err *err)
{
	int r = in->err.code;

	if (!r && !in->ended)
		r = next(in, rec);
	return give(in, r, err);
}

/* ---- opening ---- */

static int not_ours(struct tr_in *in, const uint8_t *first, size_t n)
{
	if (memmem(first, n, "WTR", 3))
		return tr_fail(&in->err, TR_EDATA, 0,
			"the first bytes of a warptrace stream are damaged, as by a text-mode "
			"transfer");
	return tr_fail(&in->err, TR_EDATA, 0, "not a warptrace stream");
}

static int read_fixed(struct tr_in *in, uint8_t fixed[TR_HEADER_BYTES])
{
	int r = take(in, fixed, TR_MAGIC_BYTES);

	if (r == TR_EIO)
		return r;
	if (!in->offset)
		return tr_fail(&in->err, TR_ETRUNC, 0, "stream is empty");
	if (r > 0 && !memcmp(fixed, TR_STREAM_FAILED, TR_MAGIC_BYTES))
		return tr_fail(&in->err, TR_ESAID, 0, "its writer failed");
	if (memcmp(fixed, TR_MAGIC, in->offset))
		return not_ours(in, fixed, in->offset);
	if (r > 0)
		r = take(in, fixed + TR_MAGIC_BYTES, TR_HEADER_BYTES - TR_MAGIC_BYTES);
	if (r < 0)
		return r;

	/* Before the checksum: another major version may keep it elsewhere. */
	unsigned major = (unsigned)tr_le_get(fixed + 8, 2);
	in->minor = (int)tr_le_get(fixed + 10, 2);
	if (major > TR_VERSION_MAJOR)
		return tr_fail(&in->err, TR_EVERSION, 8, "version %u.%d is newer than %d.x", major,
			in->minor, TR_VERSION_MAJOR);
	if (major < TR_VERSION_MAJOR)
		return tr_fail(
			&in->err, TR_EDATA, 8, "there is no version %u.%d", major, in->minor);
	return 1;
}

static int read_header(struct tr_in *in)
{
	uint8_t fixed[TR_HEADER_BYTES], sum[8];

	in->awaited = "the end of its header";
	int r = read_fixed(in, fixed);
	if (r < 0)
		return r;
	if (tr_buf_put(&in->header, fixed, sizeof(fixed)))
		return no_memory(in);
	uint32_t left = (uint32_t)tr_le_get(fixed + 16, 4);
	if (left > TR_PROVENANCE_MAX)
		return bad(in, 16, "bad provenance length");
	while (left) {
		uint32_t n = left < PIECE ? left : PIECE;
		if (tr_buf_room(&in->header, n))
			return no_memory(in);
		r = take(in, in->header.p + in->header.len, n);
		if (r < 0)
			return r;
		in->header.len += n;
		left -= n;
	}
	uint64_t sum_offset = in->offset;
	r = take(in, sum, sizeof(sum));
	if (r < 0)
		return r;
	if (differs(XXH3_64bits(in->header.p, in->header.len), tr_le_get(sum, sizeof(sum))))
		return bad_sum(in, sum_offset);

	uint32_t kind = (uint32_t)tr_le_get(fixed + 12, 4);
	if (kind != TR_KIND_THREADS && kind != TR_KIND_ACCESSES)
		return tr_fail(&in->err, TR_EVERSION, 12, "stream kind %u is not known", kind);
	in->kind = (enum tr_kind)kind;
	if (tr_le_get(fixed + 20, 4))
		return bad(in, 20, "bad reserved field");
	size_t len = in->header.len - TR_HEADER_BYTES;
	const uint8_t *provenance = in->header.p + TR_HEADER_BYTES;
	if (len && (memchr(provenance, 0, len) || provenance[len - 1] != '\n'))
		return bad(in, TR_HEADER_BYTES, "bad provenance");
	return tr_buf_u8(&in->header, 0) ? no_memory(in) : 1;
}

/* From the first block on, all sums can be made. */
static void start(struct tr_in *in)
{
	XXH3_64bits_reset(in->heads);
	XXH3_64bits_reset(in->index);
	in->last = (struct tr_index_entry){0};
	in->straight = 1;
}

int tr_in_open(struct tr_in **out, FILE *f, struct tr_err *err)
{
	struct tr_in *in = calloc(1, sizeof(*in));
	int r;

	*out = NULL;
	if (!in)
		return tr_fail(err, TR_EMEM, 0, "no memory to read the stream");
	in->f = f;
	in->base = ftello(f);
	in->zstd = ZSTD_createDCtx();
	in->heads = XXH3_createState();
	in->index = XXH3_createState();
	if (!in->zstd || !in->heads || !in->index)
		r = no_memory(in);
	else
		r = read_header(in);
	if (r < 0) {
		give(in, r, err);
		tr_in_close(in);
		return r;
	}
	in->first_block = in->offset;
	in->awaited = "its end block";
	start(in);
	*out = in;
	return 1;
}

enum tr_kind tr_in_kind(const struct tr_in *in)
{
	return in->kind;
}

const char *tr_in_provenance(const struct tr_in *in)
{
	return (const char *)in->header.p + TR_HEADER_BYTES;
}

int tr_in_version_minor(const struct tr_in *in)
{
	return in->minor;
}

const uint64_t *tr_in_totals(const struct tr_in *in)
{
	return in->totals;
}

void tr_in_close(struct tr_in *in)
{
	if (!in)
		return;
	tr_buf_free(&in->header);
	tr_buf_free(&in->stored);
	tr_buf_free(&in->record);
	tr_buf_free(&in->entries);
	ZSTD_freeDCtx(in->zstd);
	XXH3_freeState(in->heads);
	XXH3_freeState(in->index);
	free(in);
}

/* ---- index and seeking ---- */

static int go(struct tr_in *in, uint64_t offset, uint64_t sequence)
{
	in->offset = offset;
	in->sequence = sequence;
	clearerr(in->f);
	return fseeko(in->f, in->base + (off_t)offset, SEEK_SET) ? io_failed(in) : 1;
}

/* Entries stand in the order of the stream, the first at its beginning, and all before its end. */
static int parse_index(struct tr_in *in, uint64_t end_offset, uint64_t end_sequence)
{
	struct tr_cur c = {in->record.p, in->record.p + in->record.len, 0};
	struct tr_index_entry e, last = {0};
	uint64_t least_offset = in->first_block, least_sequence = 0;
	int sound = in->record.len || !end_sequence;

	in->entries.len = 0;
	while (sound && c.p < c.end) {
		tr_index_decode(&c, &e, &last);
		int first = !in->entries.len;
		if (tr_buf_put(&in->entries, &e, sizeof(e)))
			return no_memory(in);
		sound = !c.bad && e.type && e.type != TR_REC_END && e.type != TR_REC_INDEX &&
			e.offset >= least_offset && e.offset < end_offset &&
			end_offset - e.offset >= TR_HEAD_BYTES && e.sequence >= least_sequence &&
			e.sequence < end_sequence &&
			(!first || (e.offset == in->first_block && !e.sequence));
		last = e;
		least_offset = e.offset + TR_HEAD_BYTES;
		least_sequence = e.sequence + 1;
	}
	if (!sound)
		return tr_fail(&in->err, TR_EDATA, in->offset, "bad index before byte %" PRIu64,
			in->offset);
	in->indexed = 1;
	return 1;
}

static int load_index(struct tr_in *in)
{
	uint64_t end_offset, end_sequence;
	struct tr_head h;

	if (fseeko(in->f, 0, SEEK_END))
		return io_failed(in);
	off_t end = ftello(in->f);
	if (end < 0)
		return io_failed(in);
	uint64_t size = end > in->base ? (uint64_t)(end - in->base) : 0;
	uint64_t footer = size > TR_FOOTER_BYTES ? size - TR_FOOTER_BYTES : 0;
	int r = 0;
	if (footer >= in->first_block) {
		r = go(in, footer, 0);
		if (r > 0)
			r = read_footer(in, &end_offset, &end_sequence);
		if (r < 0)
			return r;
	}
	if (!r)
		return tr_fail(&in->err, TR_ETRUNC, size,
			"stream ends at byte %" PRIu64
			", and not with a footer: it was cut, or bytes follow it",
			size);
	if (end_offset < in->first_block || end_offset > footer)
		return bad(in, footer, "wrong place of the end block in the footer");
	in->awaited = "its end block";
	r = go(in, end_offset, end_sequence);
	if (r > 0)
		r = read_head(in, &h);
	if (r > 0)
		r = read_end(in, &h);
	if (r < 0)
		return r;
	if (in->offset != footer)
		return bad(in, footer, "index does not end with the footer");
	return parse_index(in, end_offset, end_sequence);
}

int tr_in_index(
	struct tr_in *in, const struct tr_index_entry **entries, size_t *n, struct tr_err *err)
{
	if (in->base < 0)
		return 0;
	if (!in->indexed) {
		/* A failure here does not stay: the blocks can be read without the index. */
		const char *awaited = in->awaited;
		struct tr_err before = in->err;
		uint64_t offset = in->offset, sequence = in->sequence;
		int straight = in->straight;
		in->straight = 0;
		int r = give(in, load_index(in), err);
		in->straight = straight;
		in->awaited = awaited;
		in->err = before;
		if (go(in, offset, sequence) < 0)
			r = give(in, in->err.code, err);
		if (r < 0)
			return r;
	}
	*entries = (const struct tr_index_entry *)(const void *)in->entries.p;
	*n = in->entries.len / sizeof(**entries);
	return 1;
}

int tr_in_seek(struct tr_in *in, const struct tr_index_entry *entry, struct tr_err *err)
{
	in->err = (struct tr_err){0};
	if (in->base < 0)
		return give(in, tr_fail(&in->err, TR_EUSAGE, in->offset, "the stream cannot seek"),
			err);
	in->wanted = *entry;
	in->awaited = "its end block";
	in->ended = 0;
	in->straight = 0;
	if (entry->offset == in->first_block)
		start(in);
	return give(in, go(in, entry->offset, entry->sequence), err);
}
