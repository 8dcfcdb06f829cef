/*
 * Fuzzer for the access stream. The input is cut into the columns of an ACCESSES record whose head
 * is always right, in a stream whose program, launch and checksums are right as well: so what is
 * tried is what lies after them. Inputs that begin with 0 are taken as the whole record instead.
 */
#include "libtrace/access.h"
#include "libtrace/buf.h"
#include <stdlib.h>
#include <string.h>

#define LINE 128

static volatile uint64_t sum;

static void must(int holds)
{
	if (!holds)
		__builtin_trap();
}

/* A load, a loop around a store, an atomic. */
static struct tr_program *program_new(void)
{
	struct tr_program *p = tr_program_new("k");
	const uint32_t base = (uint32_t)tr_program_reg(p, "%rd1", 64);
	const uint32_t pred = (uint32_t)tr_program_reg(p, "%p1", 1);
	const uint8_t cls[] = {TR_C_LOAD, TR_C_STORE, TR_C_BRANCH, TR_C_ATOMIC, TR_C_EXIT};
	struct tr_err err;

	for (uint32_t i = 0; i < sizeof(cls); i++) {
		const int branch = cls[i] == TR_C_BRANCH, access = !branch && cls[i] != TR_C_EXIT;
		const uint32_t succ[2] = {cls[i] == TR_C_EXIT ? TR_EXIT : i + 1, 1};
		const struct tr_inst in = {.opcode = (uint32_t)tr_program_string(p, "op"),
			.cls = cls[i],
			.space = access ? TR_S_GLOBAL : TR_S_NONE,
			.bytes = access ? 4 : 0,
			.vec = access ? 1 : 0,
			.guard = branch ? pred : TR_NONE,
			.base = access ? base : TR_NONE,
			.file = TR_NONE};

		must(tr_program_inst(p, &in, NULL, 0, NULL, 0, succ, branch ? 2 : 1) == i);
	}
	must(tr_program_analyze(p, &err) == 1);
	return p;
}

struct start { /* the stream up to its accesses, as the writer makes it */
	char *bytes;
	size_t len;
};

static void start_make(struct start *s, uint32_t warp_size)
{
	const struct tr_access_info info = {.warp_size = warp_size, .line_bytes = LINE, .sms = 3};
	struct tr_launch l = {.grid = {4, 1, 1},
		.block = {512, 1, 1},
		.after = TR_NONE,
		.parent_launch = TR_NONE};
	struct tr_program *p = program_new();
	struct tr_access_writer *w;
	struct tr_err err;
	FILE *f = open_memstream(&s->bytes, &s->len);

	must(tr_access_writer_open(&w, f, &info, NULL, &err) == 1);
	must(tr_access_writer_program(w, p, &err) == 0);
	must(tr_access_writer_launch(w, &l, &err) == 1);
	must(tr_access_writer_close(w, 0, 0, &err) == 1);
	fclose(f);
	tr_program_free(p);
}

static void put_start(struct tr_out *o, int wide)
{
	static struct start starts[2];
	struct start *s = &starts[wide];
	struct tr_record rec;
	struct tr_err err;
	struct tr_in *in;
	FILE *f;

	if (!s->bytes)
		start_make(s, wide ? 100 : 32);
	f = fmemopen(s->bytes, s->len, "rb");
	must(tr_in_open(&in, f, &err) == 1);
	while (tr_in_next(in, &rec, &err) > 0)
		must(tr_out_begin(o, rec.type, 0, rec.key, rec.n, &err) == 1 &&
			tr_out_put(o, rec.data, rec.len, &err) == 1 && tr_out_end(o, &err) == 1);
	tr_in_close(in);
	fclose(f);
}

/* The input as columns, each as long as its head says: 8 bytes say how it is shared out. */
static void put_columns(struct tr_buf *b, const uint8_t *data, size_t size)
{
	static const uint8_t tail[8];
	const size_t cut = size < 8 ? size : 8;
	uint64_t insts, accesses, rest, len[4];
	uint8_t share[8] = {0};

	memcpy(share, data, cut);
	data += cut;
	size -= cut;
	/* Four columns an instruction, three or four an access. */
	insts = 1 + share[0] * size / (16 * 256);
	accesses = insts + share[1] * size / (8 * 256);
	rest = 4 * insts + (share[2] & 1 ? 4 : 3) * accesses;
	rest = rest < size ? size - rest : 0;
	for (int k = 0; k < 3; k++) {
		len[k] = share[3 + k] * rest / 256;
		rest -= len[k];
	}
	len[3] = rest;
	tr_buf_varint(b, insts);
	tr_buf_varint(b, accesses);
	tr_buf_varint(b, 5);
	tr_buf_varint(b, 100);
	tr_buf_u8(b, share[2] & 1 ? UINT8_MAX : share[6] % 8);
	for (int k = 0; k < 4; k++)
		tr_buf_varint(b, len[k]);
	tr_buf_put(b, data, size);
	tr_buf_put(b, tail, sizeof(tail));
}

static void read_all(FILE *f, const struct tr_part *part)
{
	struct tr_access_reader *r;
	const struct tr_access *a;
	struct tr_err err = {0};
	size_t n;
	int rc;

	rewind(f);
	if (tr_access_reader_open(&r, f, part, &err) < 0)
		return;
	while ((rc = tr_access_reader_next(r, &a, &n, &err)) > 0)
		for (size_t i = 0; rc == TR_A_BATCH && i < n; i++) {
			const struct tr_access_info *info = tr_access_reader_info(r);

			must(a[i].inst < tr_access_reader_program(r)->ninsts);
			must(a[i].cta < tr_launch_ctas(tr_access_reader_launch(r)));
			must(a[i].line % info->line_bytes == 0 && a[i].bytes <= info->line_bytes);
			must(a[i].space < TR_NSPACES && a[i].op <= TR_A_ATOMIC);
			must(a[i].result <= TR_A_BYPASS && (i || a[i].first));
			sum += a[i].lanes[0];
		}
	must(rc == 0 || (err.code && err.msg[0]));
	tr_access_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t totals[TR_MAX_TOTALS] = {1, 1};
	const struct tr_part part = {0, 0, 1, 2, 0};
	struct tr_buf record = {0};
	struct tr_out *o;
	struct tr_err err;
	char *text;
	size_t len;
	FILE *f;

	if (!size)
		return 0;
	f = open_memstream(&text, &len);
	must(tr_out_open(&o, f, TR_KIND_ACCESSES, NULL, 1, &err) == 1);
	put_start(o, !(*data % 2));
	if (!*data)
		tr_buf_put(&record, data + 1, size - 1);
	else
		put_columns(&record, data + 1, size - 1);
	must(tr_out_begin(o, TR_REC_ACCESSES, 0, 0, 4, &err) == 1);
	must(tr_out_put(o, record.p, record.len, &err) == 1 && tr_out_end(o, &err) == 1);
	must(tr_out_close(o, totals, &err) == 1);
	fclose(f);
	f = fmemopen(text, len, "rb");
	read_all(f, NULL);
	read_all(f, &part);
	fclose(f);
	free(text);
	tr_buf_free(&record);
	return 0;
}
