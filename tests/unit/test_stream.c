/*
 * The container: what was written is read, by pipe, file and memory, forwards and backwards; the
 * bytes are those of FORMAT.md, read here by a second, naive reader; any bit flipped and any cut is
 * found; each lie that a resealed checksum would hide has its sentence; a failed write is told.
 * With a folder as argument the program writes the sample streams there, as seeds for the fuzzer.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "libtrace/buf.h"
#include "libtrace/stream.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#define HEAD 36
#define MIB (1u << 20)

static const uint64_t totals[TR_MAX_TOTALS] = {1, 2, 3, 1ull << 40, 5, 0, 7, UINT64_MAX};

/* What is written and must come back. Content follows from the seed: 0 gives zeros. */
struct item {
	int type;
	unsigned flags;
	uint64_t key;
	uint32_t n;
	size_t len;
	uint32_t seed;
};

static const struct item small[] = {
	{TR_REC_PROGRAM, 0, 0, 0, 90, 1},
	{50, TR_RECF_OPTIONAL, 9, 1, 20, 7},
	{TR_REC_LAUNCH, 0, 1ull << 32, 0, 0, 3},
	{TR_REC_SYNC, TR_RECF_OPTIONAL, 1ull << 32, 3, 400, 0},
	{TR_REC_CTAS, 0, 1ull << 32, 3, MIB + 1, 0},
};
#define NSMALL (sizeof(small) / sizeof(small[0]))

struct bytes {
	uint8_t *p;
	size_t len;
};

static uint32_t random_next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Odd seeds do not compress, even ones do. */
static uint8_t *content(const struct item *it)
{
	uint8_t *p = calloc(1, it->len + 1);
	uint32_t state = it->seed;

	assert_non_null(p);
	for (size_t i = 0; it->seed && i < it->len; i++)
		p[i] = (uint8_t)(it->seed & 1 ? random_next(&state) : i >> 7);
	return p;
}

static int write_item(struct tr_out *o, const struct item *it, struct tr_err *err)
{
	uint8_t *p = content(it);
	uint32_t state = it->seed + 77;
	int r = tr_out_begin(o, it->type, it->flags, it->key, it->n, err);

	for (size_t at = 0; r > 0 && at < it->len;) {
		size_t n = 1 + random_next(&state) % (it->len / 3 + 1);
		if (n > it->len - at)
			n = it->len - at;
		r = tr_out_put(o, p + at, n, err);
		at += n;
	}
	free(p);
	return r > 0 ? tr_out_end(o, err) : r;
}

static int write_to(FILE *f, const struct item *items, size_t n, struct tr_err *err)
{
	struct tr_out *o;
	int r = tr_out_open(&o, f, TR_KIND_THREADS, "trace-gen 1.0 sample\n", 0, err);

	for (size_t i = 0; r > 0 && i < n; i++)
		r = write_item(o, &items[i], err);
	if (r > 0)
		return tr_out_close(o, totals, err);
	tr_out_abandon(o);
	return r;
}

static struct bytes written(const struct item *items, size_t n)
{
	struct bytes b;
	struct tr_err err;
	char *p;
	FILE *f = open_memstream(&p, &b.len);

	assert_non_null(f);
	assert_int_equal(write_to(f, items, n, &err), 1);
	fclose(f);
	b.p = (uint8_t *)p;
	return b;
}

static void same_record(const struct tr_record *rec, const struct item *it)
{
	uint8_t *p = content(it);

	assert_int_equal(rec->type, it->type);
	assert_int_equal(rec->flags, it->flags);
	assert_true(rec->key == it->key);
	assert_int_equal(rec->n, it->n);
	assert_int_equal(rec->len, it->len);
	assert_memory_equal(rec->data, p, it->len);
	free(p);
}

/* Reads all of f. What it hands out before a failure must be right nevertheless. */
static int read_from(FILE *f, const struct item *items, size_t n, struct tr_err *err)
{
	struct tr_in *in;
	struct tr_record rec;
	size_t i = 0;
	int r = tr_in_open(&in, f, err);

	if (r < 0) {
		assert_null(in);
		return r;
	}
	while ((r = tr_in_next(in, &rec, err)) > 0) {
		while (i < n && items[i].type >= 50)
			i++;
		assert_true(i < n);
		same_record(&rec, &items[i++]);
	}
	if (!r) {
		assert_int_equal(tr_in_kind(in), TR_KIND_THREADS);
		assert_int_equal(tr_in_version_minor(in), TR_VERSION_MINOR);
		assert_string_equal(tr_in_provenance(in), "trace-gen 1.0 sample\n");
		assert_memory_equal(tr_in_totals(in), totals, sizeof(totals));
		while (i < n && items[i].type >= 50)
			i++;
		assert_int_equal(i, n);
		assert_int_equal(tr_in_next(in, &rec, err), 0);
	} else {
		struct tr_err again;
		assert_int_equal(tr_in_next(in, &rec, &again), r);
		assert_string_equal(again.msg, err->msg);
	}
	tr_in_close(in);
	return r;
}

static int read_bytes(struct bytes b, const struct item *items, size_t n, struct tr_err *err)
{
	FILE *f = fmemopen(b.p, b.len, "rb");

	assert_non_null(f);
	int r = read_from(f, items, n, err);
	fclose(f);
	return r;
}

/* The first failure of a whole reading, whatever the records are. */
static int failure(struct bytes b, struct tr_err *err)
{
	FILE *f = fmemopen(b.p, b.len, "rb");
	struct tr_in *in;
	struct tr_record rec;

	assert_non_null(f);
	int r = tr_in_open(&in, f, err);
	while (r > 0)
		r = tr_in_next(in, &rec, err);
	tr_in_close(in);
	fclose(f);
	return r;
}

static void fails(struct bytes b, int code, uint64_t offset, const char *msg)
{
	struct tr_err err = {0};

	assert_int_equal(failure(b, &err), code);
	assert_int_equal(err.code, code);
	assert_string_equal(err.msg, msg);
	assert_int_equal(err.offset, offset);
}

/* ---- bytes and numbers ---- */

static void varints(void **state)
{
	static const uint64_t v[] = {
		0, 1, 127, 128, 16383, 16384, UINT32_MAX, 1ull << 62, 1ull << 63, UINT64_MAX};
	struct tr_buf b = {0};
	(void)state;

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		assert_int_equal(tr_buf_varint(&b, v[i]), 0);
		assert_true(tr_zigzag(tr_unzigzag(v[i])) == v[i]);
	}
	assert_true(tr_zigzag(-1) == 1 && tr_zigzag(1) == 2 && tr_zigzag(INT64_MIN) == UINT64_MAX);
	struct tr_cur c = {b.p, b.p + b.len, 0};
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		assert_true(tr_cur_varint(&c) == v[i]);
	assert_true(!c.bad && c.p == c.end);
	assert_true(tr_cur_varint(&c) == 0 && c.bad);

	static const struct {
		const char *bytes;
		size_t n;
	} wrong[] = {
		{"\x80", 1},
		{"\xff\xff", 2}, /* end too early */
		{"\x80\x00", 2},
		{"\x81\x80\x00", 3},                              /* longer than need be */
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10}, /* 65 bits */
		{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11},
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const uint8_t *p = (const uint8_t *)wrong[i].bytes;
		c = (struct tr_cur){p, p + wrong[i].n, 0};
		assert_true(tr_cur_varint(&c) == 0);
		assert_true(c.bad);
	}
	c = (struct tr_cur){b.p, b.p + 2, 0};
	assert_ptr_equal(tr_cur_bytes(&c, 2), b.p);
	assert_null(tr_cur_bytes(&c, 1));
	assert_true(c.bad);
	tr_buf_free(&b);
}

static void a_buffer_that_cannot_grow_stays(void **state)
{
	struct tr_buf b = {0};
	(void)state;

	assert_int_equal(tr_buf_put(&b, "abc", 3), 0);
	assert_int_equal(tr_buf_grow(&b, SIZE_MAX), -1);
	assert_int_equal(tr_buf_grow(&b, SIZE_MAX / 2), -1);
	assert_memory_equal(b.p, "abc", 3);
	tr_buf_free(&b);
}

static void a_long_sentence_is_cut(void **state)
{
	struct tr_err err;
	char name[1000];
	(void)state;

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	assert_int_equal(tr_fail(&err, TR_EDATA, 7, "%s", name), TR_EDATA);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_int_equal(err.offset, 7);
	assert_int_equal(tr_fail(NULL, TR_EMEM, 0, "no memory"), TR_EMEM);
}

/* ---- the format, read naively ---- */

static uint64_t le(const uint8_t *p, int n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

static uint64_t leb(const uint8_t **p)
{
	uint64_t v = 0;

	for (int shift = 0;; shift += 7) {
		v |= (uint64_t)(**p & 127) << shift;
		if (!(*(*p)++ & 128))
			return v;
	}
}

static void format_is_as_documented(void **state)
{
	struct bytes b = written(small, NSMALL);
	const uint8_t *p = b.p, *index = NULL;
	struct {
		uint64_t offset, sequence;
	} seen[NSMALL];
	size_t nseen = 0, index_len = 0, blocks = 0, provenance = le(p + 16, 4);
	uint64_t end_offset = 0, end_sequence = 0;
	XXH3_state_t *heads = XXH3_createState();
	int more = 0, type = 0;
	(void)state;

	assert_memory_equal(p, "\x89WTR\r\n\x1a\n\1\0\7\0\1\0\0\0", 16);
	assert_int_equal(le(p + 20, 4), 0);
	assert_memory_equal(p + 24, "trace-gen 1.0 sample\n", provenance);
	p += 24 + provenance;
	assert_true(le(p, 8) == XXH3_64bits(b.p, (size_t)(p - b.p)));
	p += 8;
	XXH3_64bits_reset(heads);
	for (; type != 127; blocks++) {
		size_t raw = le(p + 4, 4), stored = le(p + 8, 4);
		const uint8_t *payload = p + HEAD;
		uint8_t *out = malloc(raw + 1);

		if (!more && p[0] < 126) {
			seen[nseen].offset = (uint64_t)(p - b.p);
			seen[nseen++].sequence = blocks;
		}
		type = p[0];
		more = p[1] >> 1 & 1;
		assert_true(le(p + 32, 4) == (uint32_t)XXH3_64bits_withSeed(p, 32, blocks));
		assert_true(le(p + 24, 8) == XXH3_64bits(payload, stored));
		if (p[1] & 4)
			memcpy(out, payload, raw);
		else
			assert_int_equal(ZSTD_decompress(out, raw, payload, stored), raw);
		if (type == 126) {
			for (int i = 0; i < 16; i++)
				assert_true(le(out + 8 * i, 8) == totals[i]);
			assert_int_equal(le(out + 128, 8), blocks);
			assert_true(le(out + 136, 8) == XXH3_64bits_digest(heads));
			end_offset = (uint64_t)(p - b.p);
			end_sequence = blocks;
		}
		if (type == 127) {
			assert_true(p[1] & 4);
			index = payload;
			index_len = raw;
		}
		free(out);
		XXH3_64bits_update(heads, p, HEAD);
		p += HEAD + stored;
	}
	assert_int_equal(blocks, NSMALL + 3);
	assert_int_equal(nseen, NSMALL);

	const uint8_t *q = index;
	uint64_t offset = 0, sequence = 0, key = 0;
	for (size_t i = 0; i < NSMALL; i++) {
		assert_int_equal(*q++, small[i].type);
		assert_int_equal(offset += leb(&q), seen[i].offset);
		assert_int_equal(sequence += leb(&q), seen[i].sequence);
		uint64_t z = leb(&q);
		assert_true((key += z & 1 ? ~(z >> 1) : z >> 1) == small[i].key);
		assert_int_equal(leb(&q), small[i].n);
	}
	assert_ptr_equal(q, index + index_len);

	assert_int_equal(b.p + b.len - p, 32);
	assert_int_equal(le(p, 8), end_offset);
	assert_int_equal(le(p + 8, 8), end_sequence);
	assert_memory_equal(p + 16, "WTRfoot\n", 8);
	assert_true(le(p + 24, 8) == XXH3_64bits(p, 24));
	XXH3_freeState(heads);
	free(b.p);
}

/* ---- write, then read ---- */

static void same_stream_same_bytes(void **state)
{
	struct bytes a = written(small, NSMALL), b = written(small, NSMALL);
	(void)state;

	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.p, b.p, a.len);
	free(a.p);
	free(b.p);
}

static void a_stream_without_records(void **state)
{
	struct bytes b = written(NULL, 0);
	FILE *f = fmemopen(b.p, b.len, "rb");
	const struct tr_index_entry *entries;
	struct tr_in *in;
	struct tr_record rec;
	struct tr_err err;
	size_t n = 99;
	(void)state;

	assert_int_equal(read_bytes(b, NULL, 0, &err), 0);
	assert_int_equal(tr_in_open(&in, f, &err), 1);
	assert_int_equal(tr_in_index(in, &entries, &n, &err), 1);
	assert_int_equal(n, 0);
	assert_int_equal(tr_in_next(in, &rec, &err), 0);
	tr_in_close(in);
	fclose(f);
	free(b.p);
}

static void record_places_add_up(void **state)
{
	struct bytes b = written(small, NSMALL);
	FILE *f = fmemopen(b.p, b.len, "rb");
	struct tr_in *in;
	struct tr_record rec;
	struct tr_err err;
	uint64_t at = 24 + 21 + 8;
	(void)state;

	assert_int_equal(tr_in_open(&in, f, &err), 1);
	while (tr_in_next(in, &rec, &err) > 0) {
		if (rec.type == TR_REC_LAUNCH)
			at += HEAD + 20; /* skipped: the optional one */
		assert_int_equal(rec.offset, at);
		at += rec.stored_bytes;
	}
	assert_int_equal(b.p[at], TR_REC_END);
	tr_in_close(in);
	fclose(f);
	free(b.p);
}

static const size_t lengths[] = {0, 1, 2, 35, 4096, MIB - 1, MIB, MIB + 1, 2 * MIB, 3 * MIB + 5};
#define NLENGTHS (sizeof(lengths) / sizeof(lengths[0]))

static size_t law_items(struct item *items)
{
	uint32_t rnd = 5;
	size_t n = 0;

	for (uint32_t seed = 0; seed < 3; seed++)
		for (size_t i = 0; i < NLENGTHS; i++, n++)
			items[n] = (struct item){1 + (int)(random_next(&rnd) % 4), 0,
				(uint64_t)random_next(&rnd) << 40 | random_next(&rnd),
				random_next(&rnd), lengths[i], seed};
	return n;
}

/* An index that does not stay in memory is the same as one that does. */
static void many_records(void **state)
{
	enum { MANY = 30000 };
	struct item *items = calloc(MANY, sizeof(*items));
	const struct tr_index_entry *entries;
	struct tr_in *in;
	struct tr_err err;
	size_t n;
	(void)state;

	for (uint32_t i = 0; i < MANY; i++)
		items[i] = (struct item){TR_REC_CTAS, 0, (uint64_t)i * i << 20, i % 7, i % 50, i};
	struct bytes b = written(items, MANY);
	assert_int_equal(read_bytes(b, items, MANY, &err), 0);
	FILE *f = fmemopen(b.p, b.len, "rb");
	assert_int_equal(tr_in_open(&in, f, &err), 1);
	assert_int_equal(tr_in_index(in, &entries, &n, &err), 1);
	assert_int_equal(n, MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_true(entries[i].key == items[i].key);
		assert_int_equal(entries[i].n, items[i].n);
	}
	tr_in_close(in);
	fclose(f);
	free(b.p);
	free(items);
}

/* A child that fork makes leaves alone what its parent's stream has in files. */
static void a_fork_while_writing(void **state)
{
	enum { MANY = 20000, BEFORE = 15000 };
	struct item *items = calloc(MANY, sizeof(*items));
	struct tr_out *o;
	struct tr_err err;
	char *p;
	int status;
	struct bytes b;
	FILE *f = open_memstream(&p, &b.len);
	(void)state;

	for (uint32_t i = 0; i < MANY; i++)
		items[i] = (struct item){TR_REC_CTAS, 0, (uint64_t)i * i << 20, i % 7, i % 50, i};
	assert_int_equal(tr_out_open(&o, f, TR_KIND_THREADS, "trace-gen 1.0 sample\n", 0, &err), 1);
	for (size_t i = 0; i < BEFORE; i++)
		assert_int_equal(write_item(o, &items[i], &err), 1);
	const pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		tr_out_abandon(o);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	for (size_t i = BEFORE; i < MANY; i++)
		assert_int_equal(write_item(o, &items[i], &err), 1);
	assert_int_equal(tr_out_close(o, totals, &err), 1);
	fclose(f);
	b.p = (uint8_t *)p;
	struct bytes whole = written(items, MANY);
	assert_int_equal(b.len, whole.len);
	assert_memory_equal(b.p, whole.p, whole.len);
	free(whole.p);
	free(b.p);
	free(items);
}

static void write_then_read_over_a_pipe(void **state)
{
	struct item items[3 * NLENGTHS];
	size_t n = law_items(items);
	struct tr_err err;
	int fd[2], status;
	(void)state;

	assert_int_equal(pipe(fd), 0);
	pid_t child = fork();
	if (!child) {
		close(fd[0]);
		FILE *f = fdopen(fd[1], "wb");
		_exit(write_to(f, items, n, NULL) != 1 || fclose(f));
	}
	close(fd[1]);
	FILE *f = fdopen(fd[0], "rb");
	assert_int_equal(read_from(f, items, n, &err), 0);
	fclose(f);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void a_file_is_read_in_any_order(void **state)
{
	struct item items[3 * NLENGTHS];
	size_t n = law_items(items), nentries;
	const struct tr_index_entry *entries;
	struct tr_in *in;
	struct tr_record rec;
	struct tr_err err;
	FILE *f = tmpfile();
	(void)state;

	fputs("what stands before a stream is not its business", f);
	long base = ftell(f);
	assert_int_equal(write_to(f, items, n, &err), 1);
	fseek(f, base, SEEK_SET);
	assert_int_equal(tr_in_open(&in, f, &err), 1);
	assert_int_equal(tr_in_next(in, &rec, &err), 1);
	same_record(&rec, &items[0]);
	assert_int_equal(tr_in_index(in, &entries, &nentries, &err), 1);
	assert_memory_equal(tr_in_totals(in), totals, sizeof(totals));
	assert_int_equal(nentries, n);
	assert_int_equal(tr_in_next(in, &rec, &err), 1);
	same_record(&rec, &items[1]);

	for (size_t i = n; i-- > 0;) {
		assert_int_equal(tr_in_seek(in, &entries[i], &err), 1);
		assert_int_equal(tr_in_next(in, &rec, &err), 1);
		same_record(&rec, &items[i]);
		assert_int_equal(rec.offset, entries[i].offset);
	}
	for (size_t i = 1; i < n; i++) {
		assert_int_equal(tr_in_next(in, &rec, &err), 1);
		same_record(&rec, &items[i]);
	}
	assert_int_equal(tr_in_next(in, &rec, &err), 0);
	assert_int_equal(tr_in_index(in, &entries, &nentries, &err), 1);
	assert_int_equal(tr_in_next(in, &rec, &err), 0);

	assert_int_equal(tr_in_seek(in, &entries[n - 1], &err), 1);
	assert_int_equal(tr_in_next(in, &rec, &err), 1);
	same_record(&rec, &items[n - 1]);
	assert_int_equal(tr_in_next(in, &rec, &err), 0);
	tr_in_close(in);
	fclose(f);
}

/* A pipe that already holds all of b and is closed for writing. */
static FILE *piped(struct bytes b)
{
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], b.p, b.len), b.len);
	close(fd[1]);
	return fdopen(fd[0], "rb");
}

static void a_pipe_has_no_index(void **state)
{
	struct bytes b = written(small, NSMALL);
	FILE *f = piped(b);
	const struct tr_index_entry *entries, entry = {0};
	struct tr_in *in;
	struct tr_err err;
	size_t n;
	(void)state;

	assert_int_equal(tr_in_open(&in, f, &err), 1);
	assert_int_equal(tr_in_index(in, &entries, &n, &err), 0);
	assert_int_equal(tr_in_seek(in, &entry, &err), TR_EUSAGE);
	tr_in_close(in);
	fclose(f);
	free(b.p);
}

/* ---- damage ---- */

static int read_file(const char *path, struct tr_err *err)
{
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	int r = read_from(f, small, NSMALL, err);
	fclose(f);
	return r;
}

static void every_flipped_bit_is_found(void **state)
{
	struct bytes b = written(small, NSMALL);
	char path[] = "/tmp/test_stream.XXXXXX";
	int fd = mkstemp(path);
	struct tr_err err;
	(void)state;

	assert_int_equal(write(fd, b.p, b.len), b.len);
	assert_int_equal(read_bytes(b, small, NSMALL, &err), 0);
	assert_int_equal(read_file(path, &err), 0);
	for (size_t bit = 0; bit < 8 * b.len; bit++) {
		uint8_t *p = &b.p[bit / 8];
		*p ^= (uint8_t)(1 << bit % 8);
		err.msg[0] = 0;
		assert_true(read_bytes(b, small, NSMALL, &err) < 0);
		assert_true(err.msg[0]);
		assert_int_equal(pwrite(fd, p, 1, (off_t)(bit / 8)), 1);
		assert_true(read_file(path, &err) < 0);
		*p ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(pwrite(fd, p, 1, (off_t)(bit / 8)), 1);
	}
	close(fd);
	unlink(path);
	free(b.p);
}

static void every_cut_is_found_and_placed(void **state)
{
	struct bytes b = written(small, NSMALL);
	char path[] = "/tmp/test_stream.XXXXXX", start[64];
	int fd = mkstemp(path);
	struct tr_err err;
	(void)state;

	assert_int_equal(write(fd, b.p, b.len), b.len);
	for (size_t len = b.len; len-- > 0;) {
		struct bytes cut = {malloc(len + 1), len};
		memcpy(cut.p, b.p, len);
		if (len)
			snprintf(start, sizeof(start), "stream ends at byte %zu, before", len);
		else
			snprintf(start, sizeof(start), "stream is empty");
		for (int way = 0; way < 3; way++) {
			FILE *f = way == 0   ? fmemopen(cut.p, len, "rb")
				  : way == 1 ? fopen(path, "rb")
					     : piped(cut);
			if (way == 1)
				assert_int_equal(ftruncate(fd, (off_t)len), 0);
			err = (struct tr_err){0};
			assert_int_equal(read_from(f, small, NSMALL, &err), TR_ETRUNC);
			assert_int_equal(err.offset, len);
			assert_memory_equal(err.msg, start, strlen(start));
			fclose(f);
		}
		free(cut.p);
	}
	close(fd);
	unlink(path);
	free(b.p);
}

/* A flipped bit or a cut may leave the index whole, but never makes it another one. */
static void a_damaged_index_is_not_believed(void **state)
{
	struct bytes b = written(small, NSMALL);
	const struct tr_index_entry *entries;
	struct tr_in *in;
	struct tr_err err;
	size_t n, whole = 0;
	(void)state;

	for (size_t bit = 0; bit < 9 * b.len; bit++) {
		size_t len = bit < 8 * b.len ? b.len : bit - 8 * b.len;
		uint8_t *p = malloc(len + 1);
		memcpy(p, b.p, len);
		if (len == b.len)
			p[bit / 8] ^= (uint8_t)(1 << bit % 8);
		FILE *f = fmemopen(p, len, "rb");
		if (tr_in_open(&in, f, &err) > 0) {
			int r = tr_in_index(in, &entries, &n, &err);
			if (r > 0) {
				whole++;
				assert_int_equal(n, NSMALL);
				assert_memory_equal(tr_in_totals(in), totals, sizeof(totals));
				for (size_t i = 0; i < n; i++)
					assert_true(entries[i].key == small[i].key);
				assert_int_equal(len, b.len);
			} else if (len < b.len) {
				assert_int_equal(r, TR_ETRUNC);
				assert_int_equal(err.offset, len);
			}
			/* The position is kept, so the first record comes or is found bad. */
			struct tr_record rec;
			if (tr_in_next(in, &rec, &err) > 0)
				same_record(&rec, &small[0]);
			tr_in_close(in);
		}
		fclose(f);
		free(p);
	}
	assert_true(whole > 0);
	free(b.p);
}

static void what_follows_the_end_is_refused(void **state)
{
	struct bytes b = written(small, 2), twice = {malloc(2 * b.len), 2 * b.len};
	struct tr_err err;
	(void)state;

	memcpy(twice.p, b.p, b.len);
	memcpy(twice.p + b.len, b.p, b.len);
	char msg[100];
	snprintf(msg, sizeof(msg), "stream is over, but more bytes follow at byte %zu", b.len);
	fails(twice, TR_EDATA, b.len, msg);
	twice.len = b.len + 1;
	fails(twice, TR_EDATA, b.len, msg);

	struct tr_in *in;
	const struct tr_index_entry *entries;
	size_t n;
	FILE *f = fmemopen(twice.p, twice.len, "rb");
	assert_int_equal(tr_in_open(&in, f, &err), 1);
	assert_int_equal(tr_in_index(in, &entries, &n, &err), TR_ETRUNC);
	assert_non_null(strstr(err.msg, "it was cut, or bytes follow it"));
	tr_in_close(in);
	fclose(f);
	free(twice.p);
	free(b.p);
}

static void first_bytes_have_their_sentences(void **state)
{
	static const char damaged[] =
		"the first bytes of a warptrace stream are damaged, as by a text-mode transfer";
	(void)state;

	fails((struct bytes){(uint8_t *)"", 0}, TR_ETRUNC, 0, "stream is empty");
	fails((struct bytes){(uint8_t *)"hello, world", 12}, TR_EDATA, 0, "not a warptrace stream");
	fails((struct bytes){(uint8_t *)"x", 1}, TR_EDATA, 0, "not a warptrace stream");
	fails((struct bytes){(uint8_t *)"\x89WTR\n\x1a\n\1", 8}, TR_EDATA, 0, damaged);
	fails((struct bytes){(uint8_t *)"\x89WTR\r\r\n\x1a", 8}, TR_EDATA, 0, damaged);
	fails((struct bytes){(uint8_t *)"\tWTR\r\n\x1a\n", 8}, TR_EDATA, 0, damaged);
	fails((struct bytes){(uint8_t *)"\xc2\x89WTR\r\n\x1a", 8}, TR_EDATA, 0, damaged);
	fails((struct bytes){(uint8_t *)"\x89WT", 3}, TR_ETRUNC, 3,
		"stream ends at byte 3, before the end of its header");
}

static void put_le(uint8_t *p, int n, uint64_t v)
{
	for (int i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void header_fields_are_checked(void **state)
{
	static const struct {
		int at, bytes;
		uint64_t value;
		int code;
		const char *msg;
	} lies[] = {
		{8, 2, 9, TR_EVERSION, "version 9.7 is newer than 1.x"},
		{8, 2, 0, TR_EDATA, "there is no version 0.7"},
		{12, 4, 7, TR_EVERSION, "stream kind 7 is not known"},
		{20, 4, 1, TR_EDATA, "bad reserved field at byte 20"},
		{24, 1, 0, TR_EDATA, "bad provenance at byte 24"},
		{44, 1, 'x', TR_EDATA, "bad provenance at byte 24"},
		{16, 4, UINT32_MAX, TR_EDATA, "bad provenance length at byte 16"},
	};
	struct bytes b = written(small, 1), again = {malloc(b.len), b.len};
	(void)state;

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		memcpy(again.p, b.p, b.len);
		put_le(again.p + lies[i].at, lies[i].bytes, lies[i].value);
		put_le(again.p + 45, 8, XXH3_64bits(again.p, 45));
		fails(again, lies[i].code, (uint64_t)lies[i].at == 44 ? 24 : (uint64_t)lies[i].at,
			lies[i].msg);
	}
	/* A newer minor version only adds what may be skipped. */
	memcpy(again.p, b.p, b.len);
	again.p[10] = 200;
	put_le(again.p + 45, 8, XXH3_64bits(again.p, 45));
	struct tr_err err;
	assert_int_equal(failure(again, &err), 0);
	free(again.p);
	free(b.p);
}

static void reseal(uint8_t *head, uint64_t sequence)
{
	put_le(head + 24, 8, XXH3_64bits(head + HEAD, le(head + 8, 4)));
	put_le(head + 32, 4, XXH3_64bits_withSeed(head, 32, sequence));
}

static void block_fields_are_checked(void **state)
{
	/* The first block holds 400 compressed bytes, and the second continues nothing. */
	static const struct item items[] = {
		{TR_REC_SYNC, 1, 5, 1, 400, 0}, {TR_REC_SYNC, 1, 5, 2, 3, 1}};
	static const struct {
		int at, bytes;
		uint64_t value;
		int next; /* the block after it is named */
		const char *msg;
	} lies[] = {
		{0, 1, 0, 0, "bad block type, flags or reserved field at byte %d"},
		{1, 1, 8, 0, "bad block type, flags or reserved field at byte %d"},
		{2, 2, 1, 0, "bad block type, flags or reserved field at byte %d"},
		{4, 4, MIB + 1, 0, "bad block length at byte %d"},
		{4, 4, 0, 0, "bad stored length of a block at byte %d"},
		{4, 4, 399, -1, "bad compressed data at byte %d"},
		{4, 4, 401, -1, "bad compressed data at byte %d"},
		{1, 1, 5, 0, "bad stored length of a block at byte %d"},
		{8, 4, 400, 0, "bad stored length of a block at byte %d"},
		{1, 1, 3, 1, "block that does not continue its record at byte %d"},
		{0, 1, 126, 0, "bad end block at byte %d"},
		{0, 1, 127, 0, "index before the end block at byte %d"},
	};
	struct bytes b = written(items, 2), again = {malloc(b.len), b.len};
	int first = 24 + 21 + 8, second = first + HEAD + (int)le(b.p + first + 8, 4);
	(void)state;

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		int place = lies[i].next > 0 ? second : lies[i].next < 0 ? first + HEAD : first;
		char msg[100];
		memcpy(again.p, b.p, b.len);
		put_le(again.p + first + lies[i].at, lies[i].bytes, lies[i].value);
		reseal(again.p + first, 0);
		snprintf(msg, sizeof(msg), lies[i].msg, place);
		fails(again, TR_EDATA, (uint64_t)place, msg);
	}
	/* Nothing but the end block notices a whole block of another stream. */
	memcpy(again.p, b.p, b.len);
	again.p[first + 12]++;
	reseal(again.p + first, 0);
	struct tr_err err;
	assert_int_equal(failure(again, &err), TR_EDATA);
	assert_non_null(strstr(err.msg, "blocks are not those that the end block"));
	free(again.p);
	free(b.p);
}

static void a_record_goes_on_as_it_began(void **state)
{
	static const struct item first = {TR_REC_SYNC, 1, 5, 1, 30, 1},
				 others[] = {
					 {TR_REC_CTAS, 1, 5, 1, 30, 1},
					 {TR_REC_SYNC, 0, 5, 1, 30, 1},
					 {TR_REC_SYNC, 1, 6, 1, 30, 1},
					 {TR_REC_SYNC, 1, 5, 2, 30, 1},
				 };
	(void)state;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct item pair[] = {first, others[i]};
		struct bytes b = written(pair, 2);
		b.p[53 + 1] |= 2;
		reseal(b.p + 53, 0);
		fails(b, TR_EDATA, 119, "block that does not continue its record at byte 119");
		free(b.p);
	}
}

/* Ends made by hand after one record, its block at byte 53 and the end block at byte 119. */
struct ending {
	int blocks_off, index_type, gap;
	uint64_t offset, sequence; /* in the footer */
	size_t index_len;
	const char *index;
	const char *streamed, *sought; /* sentences, NULL: sound */
};

static void put_block(struct bytes *b, int type, const void *data, size_t len, uint64_t sequence)
{
	uint8_t *p = b->p + b->len;

	memset(p, 0, HEAD);
	p[0] = (uint8_t)type;
	p[1] = 4;
	put_le(p + 4, 4, len);
	put_le(p + 8, 4, len);
	memcpy(p + HEAD, data, len);
	reseal(p, sequence);
	b->len += HEAD + len;
}

static void endings_are_checked(void **state)
{
	static const char unfit[] = "the index before byte %d does not fit the blocks",
			  unsound[] = "bad index before byte %d";
	static const struct ending endings[] = {
		{0, 127, 0, 119, 1, 5, "\2\65\0\12\1", NULL, NULL},
		{1, 127, 0, 119, 1, 5, "\2\65\0\12\1",
			"wrong number of blocks in the end block at byte 119",
			"wrong number of blocks in the end block at byte 119"},
		{0, 126, 0, 119, 1, 5, "\2\65\0\12\1", "no index at byte 299",
			"no index at byte 299"},
		{0, 127, 1, 119, 1, 5, "\2\65\0\12\1", "no footer at byte %d",
			"index does not end with the footer at byte 341"},
		{0, 127, 0, 120, 1, 5, "\2\65\0\12\1",
			"wrong place of the end block in the footer at byte %d",
			"bad checksum at byte 120"},
		{0, 127, 0, 119, 2, 5, "\2\65\0\12\1",
			"wrong place of the end block in the footer at byte %d",
			"bad checksum at byte 119"},
		{0, 127, 0, 1ull << 63, 1, 5, "\2\65\0\12\1",
			"wrong place of the end block in the footer at byte %d",
			"wrong place of the end block in the footer at byte %d"},
		{0, 127, 0, 52, 1, 5, "\2\65\0\12\1",
			"wrong place of the end block in the footer at byte %d",
			"wrong place of the end block in the footer at byte %d"},
		{0, 127, 0, 119, 1, 42,
			"\2\65\0\12\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
			"\0\0\0\0\0\0\0\0\0\0\0\0\0",
			"record too long at byte 299", "record too long at byte 299"},
		{0, 127, 0, 119, 1, 0, "", unfit, unsound},
		{0, 127, 0, 119, 1, 4, "\2\65\0\12", unfit, unsound},
		{0, 127, 0, 119, 1, 5, "\0\65\0\12\1", unfit, unsound},
		{0, 127, 0, 119, 1, 5, "\176\65\0\12\1", unfit, unsound},
		{0, 127, 0, 119, 1, 5, "\177\65\0\12\1", unfit, unsound},
		{0, 127, 0, 119, 1, 5, "\2\64\0\12\1", unfit, unsound},
		{0, 127, 0, 119, 1, 5, "\2\66\0\12\1", unfit, unsound},
		{0, 127, 0, 119, 1, 5, "\2\65\1\12\1", unfit, unsound},
		{0, 127, 0, 119, 1, 9, "\2\65\0\12\x80\x80\x80\x80\20", unfit, unsound},
		{0, 127, 0, 119, 1, 10, "\2\65\0\12\1\2\44\1\12\1", unfit, unsound},
	};
	static const struct item item = {TR_REC_LAUNCH, 0, 5, 1, 30, 1};
	struct bytes b = written(&item, 1);
	uint8_t end[144];
	(void)state;

	for (int i = 0; i < TR_MAX_TOTALS; i++)
		put_le(end + 8 * i, 8, totals[i]);
	put_le(end + 136, 8, XXH3_64bits(b.p + 53, HEAD));
	b.p = realloc(b.p, 1000);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const struct ending *e = &endings[i];
		b.len = 119;
		put_le(end + 128, 8, 1 + (uint64_t)e->blocks_off);
		put_block(&b, 126, end, sizeof(end), 1);
		put_block(&b, e->index_type, e->index, e->index_len, 2);
		int footer = (int)b.len;
		b.p[b.len] = 0;
		b.len += (size_t)e->gap;
		put_le(b.p + b.len, 8, e->offset);
		put_le(b.p + b.len + 8, 8, e->sequence);
		memcpy(b.p + b.len + 16, "WTRfoot\n", 8);
		put_le(b.p + b.len + 24, 8, XXH3_64bits(b.p + b.len, 24));
		b.len += 32;

		struct tr_err err = {0};
		char msg[200] = "";
		assert_int_equal(failure(b, &err), e->streamed ? TR_EDATA : 0);
		if (e->streamed)
			snprintf(msg, sizeof(msg), e->streamed, footer);
		assert_string_equal(err.msg, msg);

		FILE *f = fmemopen(b.p, b.len, "rb");
		const struct tr_index_entry *entries;
		struct tr_in *in;
		struct tr_record rec;
		size_t n;
		err = (struct tr_err){0};
		msg[0] = 0;
		assert_int_equal(tr_in_open(&in, f, &err), 1);
		assert_int_equal(tr_in_index(in, &entries, &n, &err), e->sought ? TR_EDATA : 1);
		if (e->sought)
			snprintf(msg, sizeof(msg), e->sought, footer);
		assert_string_equal(err.msg, msg);
		/* The records can be read nevertheless. */
		assert_int_equal(tr_in_next(in, &rec, &err), 1);
		same_record(&rec, &item);
		tr_in_close(in);
		fclose(f);
	}
	free(b.p);
}

static void blocks_lost_doubled_or_moved(void **state)
{
	static const struct item items[] = {{2, 0, 5, 1, 30, 1}, {2, 0, 5, 1, 30, 3}};
	struct bytes b = written(items, 2), again = {malloc(2 * b.len), 0};
	size_t first = 24 + 21 + 8, second = first + HEAD + 30, third = second + HEAD + 30;
	size_t from[3][3] = {{first, first, second}, {second, first, third}, {second, third, 0}};
	char msg[100];
	(void)state;

	for (int i = 0; i < 3; i++) {
		again.len = first;
		memcpy(again.p, b.p, first);
		for (int k = 0; k < 3 && from[i][k]; k++) {
			memcpy(again.p + again.len, b.p + from[i][k], second - first);
			again.len += second - first;
		}
		memcpy(again.p + again.len, b.p + third, b.len - third);
		again.len += b.len - third;
		size_t place = i ? first : second;
		snprintf(msg, sizeof(msg), "bad checksum at byte %zu", place);
		fails(again, TR_EDATA, place, msg);
	}
	free(again.p);
	free(b.p);
}

static void an_unknown_required_type_is_refused(void **state)
{
	static const struct item items[] = {{2, 0, 5, 1, 30, 1}, {99, 0, 5, 1, 30, 3}};
	struct bytes b = written(items, 2);
	(void)state;

	fails(b, TR_EVERSION, 24 + 21 + 8 + HEAD + 30,
		"block type 99 at byte 119 is not known, and not optional");
	free(b.p);
}

/* The index of one stream after the blocks of another that differs in one key. */
static void an_index_of_another_stream(void **state)
{
	static const struct item one[] = {{2, 0, 5, 1, 30, 1}, {3, 0, 6, 1, 30, 1}},
				 other[] = {{2, 0, 5, 1, 30, 1}, {3, 0, 7, 1, 30, 1}};
	struct bytes a = written(one, 2), b = written(other, 2);
	const struct tr_index_entry *entries;
	struct tr_in *in;
	struct tr_record rec;
	struct tr_err err;
	size_t n;
	(void)state;

	assert_int_equal(a.len, b.len);
	size_t end = le(a.p + a.len - 32, 8), index = end + HEAD + le(a.p + end + 8, 4);
	memcpy(a.p + index, b.p + index, b.len - index);
	assert_int_equal(failure(a, &err), TR_EDATA);
	assert_non_null(strstr(err.msg, "does not fit the blocks"));

	FILE *f = fmemopen(a.p, a.len, "rb");
	assert_int_equal(tr_in_open(&in, f, &err), 1);
	assert_int_equal(tr_in_index(in, &entries, &n, &err), 1);
	assert_int_equal(n, 2);
	assert_int_equal(tr_in_seek(in, &entries[1], &err), 1);
	assert_int_equal(tr_in_next(in, &rec, &err), TR_EDATA);
	assert_non_null(strstr(err.msg, "index names another record"));
	assert_int_equal(tr_in_seek(in, &entries[0], &err), 1);
	assert_int_equal(tr_in_next(in, &rec, &err), 1);
	same_record(&rec, &one[0]);
	tr_in_close(in);
	fclose(f);
	free(a.p);
	free(b.p);
}

/* ---- failing output, and misuse ---- */

static ssize_t write_limited(void *cookie, const char *data, size_t n)
{
	size_t *left = cookie;
	(void)data;

	if (n > *left) {
		errno = ENOSPC;
		return 0;
	}
	*left -= n;
	return (ssize_t)n;
}

static void a_disk_that_fills_up_anywhere(void **state)
{
	struct bytes b = written(small, 4);
	cookie_io_functions_t io = {.write = write_limited};
	struct tr_err err;
	(void)state;

	for (size_t room = 0; room <= b.len; room++) {
		size_t left = room;
		FILE *f = fopencookie(&left, "wb", io);
		if (room % 2)
			setvbuf(f, NULL, _IONBF, 0);
		err = (struct tr_err){0};
		int r = write_to(f, small, 4, &err);
		if (room < b.len) {
			assert_int_equal(r, TR_EIO);
			assert_non_null(strstr(err.msg, "write error at byte "));
			assert_non_null(strstr(err.msg, "No space left on device"));
		} else {
			assert_int_equal(r, 1);
		}
		fclose(f);
	}
	free(b.p);
}

static void devices_and_pipes_that_refuse(void **state)
{
	struct tr_err err;
	FILE *f = fopen("/dev/full", "wb");
	int fd[2];
	(void)state;

	assert_int_equal(write_to(f, small, NSMALL, &err), TR_EIO);
	fclose(f);

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fd), 0);
	close(fd[0]);
	f = fdopen(fd[1], "wb");
	assert_int_equal(write_to(f, small, NSMALL, &err), TR_EIO);
	assert_non_null(strstr(err.msg, "Broken pipe"));
	fclose(f);
	signal(SIGPIPE, SIG_DFL);

	f = fopen("/", "rb");
	struct tr_in *in;
	assert_int_equal(tr_in_open(&in, f, &err), TR_EIO);
	assert_string_equal(err.msg, "read error at byte 0: Is a directory");
	fclose(f);
}

static void misuse_is_told_and_leaves_no_whole_stream(void **state)
{
	struct tr_out *o;
	struct tr_err err;
	char *p;
	size_t len;
	(void)state;

	for (int way = 0; way < 7; way++) {
		FILE *f = open_memstream(&p, &len);
		assert_int_equal(tr_out_open(&o, f, TR_KIND_THREADS, NULL, 1, &err), 1);
		assert_int_equal(tr_out_bytes(o), 32);
		int r = way == 0   ? tr_out_put(o, "x", 1, &err)
			: way == 1 ? tr_out_end(o, &err)
			: way == 2 ? tr_out_begin(o, TR_REC_END, 0, 0, 0, &err)
			: way == 3 ? tr_out_begin(o, 256, 0, 0, 0, &err)
			: way == 4 ? tr_out_begin(o, 1, 2, 0, 0, &err)
				   : tr_out_begin(o, 1, 0, 0, 0, &err);
		if (way == 5)
			r = tr_out_begin(o, 1, 0, 0, 0, &err);
		assert_int_equal(r, way == 6 ? 1 : TR_EUSAGE);
		assert_int_equal(tr_out_close(o, totals, &err), TR_EUSAGE);
		fclose(f);
		assert_int_equal(failure((struct bytes){(uint8_t *)p, len}, &err), TR_ETRUNC);
		free(p);
	}
	FILE *f = open_memstream(&p, &len);
	assert_int_equal(tr_out_open(&o, f, TR_KIND_THREADS, "no newline", 0, &err), TR_EUSAGE);
	assert_null(o);
	char *huge = malloc(MIB + 2);
	memset(huge, '\n', MIB + 1);
	huge[MIB + 1] = 0;
	assert_int_equal(tr_out_open(&o, f, TR_KIND_THREADS, huge, 0, &err), TR_EUSAGE);
	huge[MIB] = 0;
	assert_int_equal(tr_out_open(&o, f, TR_KIND_ACCESSES, huge, 0, &err), 1);
	assert_int_equal(tr_out_close(o, totals, &err), 1);
	fclose(f);
	f = fmemopen(p, len, "rb");
	struct tr_in *in;
	assert_int_equal(tr_in_open(&in, f, &err), 1);
	assert_int_equal(tr_in_kind(in), TR_KIND_ACCESSES);
	assert_string_equal(tr_in_provenance(in), huge);
	tr_in_close(in);
	fclose(f);
	free(huge);
	free(p);
}

static int write_seeds(const char *folder)
{
	for (size_t n = 0; n <= NSMALL; n++) {
		char path[4096];
		snprintf(path, sizeof(path), "%s/%zu.wt", folder, n);
		FILE *f = fopen(path, "wb");
		if (!f || write_to(f, small, n, NULL) < 0 || fclose(f))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(varints),
		cmocka_unit_test(a_buffer_that_cannot_grow_stays),
		cmocka_unit_test(a_long_sentence_is_cut),
		cmocka_unit_test(format_is_as_documented),
		cmocka_unit_test(same_stream_same_bytes),
		cmocka_unit_test(a_stream_without_records),
		cmocka_unit_test(record_places_add_up),
		cmocka_unit_test(many_records),
		cmocka_unit_test(a_fork_while_writing),
		cmocka_unit_test(write_then_read_over_a_pipe),
		cmocka_unit_test(a_file_is_read_in_any_order),
		cmocka_unit_test(a_pipe_has_no_index),
		cmocka_unit_test(every_flipped_bit_is_found),
		cmocka_unit_test(every_cut_is_found_and_placed),
		cmocka_unit_test(a_damaged_index_is_not_believed),
		cmocka_unit_test(what_follows_the_end_is_refused),
		cmocka_unit_test(first_bytes_have_their_sentences),
		cmocka_unit_test(header_fields_are_checked),
		cmocka_unit_test(block_fields_are_checked),
		cmocka_unit_test(a_record_goes_on_as_it_began),
		cmocka_unit_test(endings_are_checked),
		cmocka_unit_test(blocks_lost_doubled_or_moved),
		cmocka_unit_test(an_unknown_required_type_is_refused),
		cmocka_unit_test(an_index_of_another_stream),
		cmocka_unit_test(a_disk_that_fills_up_anywhere),
		cmocka_unit_test(devices_and_pipes_that_refuse),
		cmocka_unit_test(misuse_is_told_and_leaves_no_whole_stream),
	};

	return argc > 1 ? write_seeds(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
