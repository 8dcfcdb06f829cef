/*
 * Launches by threads in a record: what is written comes back, and each way in which launches,
 * their parents and the threads that name them may not fit is refused with its place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libtrace/trace_format.h"

#define PARAM_BYTES 12

struct bytes {
	char *p;
	size_t len;
};

/* A kernel that gets a buffer and launches: mov; buffer; launch; exit. */
static struct tr_program *launcher(void)
{
	struct tr_program *p = tr_program_new("launcher");
	const uint32_t reg = (uint32_t)tr_program_reg(p, "%r1", 64);
	const struct {
		const char *opcode;
		enum tr_class cls;
		uint32_t flags, aux;
	} insts[] = {{"mov.u64", TR_C_MOVE, 0, 0},
		{"cudaGetParameterBufferV2", TR_C_OTHER, TR_I_API, TR_API_BUFFER},
		{"cudaLaunchDeviceV2", TR_C_OTHER, TR_I_API, TR_API_LAUNCH},
		{"ret", TR_C_EXIT, 0, 0}};
	struct tr_err err;

	for (uint32_t i = 0; i < 4; i++) {
		const uint32_t next = i + 1;

		assert_true(tr_program_inst(p,
				    &(struct tr_inst){.opcode = (uint32_t)tr_program_string(
							      p, insts[i].opcode),
					    .cls = insts[i].cls,
					    .flags = insts[i].flags,
					    .aux = insts[i].aux,
					    .guard = TR_NONE,
					    .base = TR_NONE,
					    .file = TR_NONE},
				    &reg, i<3, &reg, i> 0, &next, i < 3) >= 0);
	}
	p->param_bytes = PARAM_BYTES;
	if (tr_program_analyze(p, &err) < 0)
		fail_msg("%s", err.msg);
	assert_true(tr_program_launches(p));
	return p;
}

/* ---- a stream: launch 0 of two threads, of which each makes a launch of one thread ---- */

struct family {
	uint64_t named[2]; /* by the threads of launch 0 */
	struct tr_launch child[2];
};

static struct family sound(void)
{
	struct family f = {.named = {1, 2}};

	for (uint32_t i = 0; i < 2; i++)
		f.child[i] = (struct tr_launch){.grid = {1, 1, 1},
			.block = {1, 1, 1},
			.queue = 16 + i,
			.after = TR_NONE,
			.parent_thread = i,
			.parent_inst = 2,
			.buffer = 0x7b0000000000 + 256 * i,
			.buffer_bytes = PARAM_BYTES};
	return f;
}

static void write_cta(struct tr_writer *w, uint32_t nthreads, const uint64_t *named)
{
	uint64_t values[2][2];
	struct tr_thread threads[2] = {{0}};
	const struct tr_cta cta = {.nthreads = nthreads, .threads = threads};
	struct tr_err err;

	for (uint32_t t = 0; t < nthreads; t++) {
		values[t][0] = 0x7b0000000000 + 256 * t;
		values[t][1] = named[t];
		threads[t].values = values[t];
		threads[t].nvalues = 2;
	}
	assert_int_equal(tr_writer_cta(w, &cta, &err), 1);
	assert_int_equal(tr_writer_launch_end(w, &err), 1);
}

/* 1, or what the writer says of a launch. */
static int write_family(struct bytes *b, const struct family *f, struct tr_err *err)
{
	static const uint64_t none[2] = {TR_NONE, TR_NONE};
	struct tr_launch host = {.grid = {1, 1, 1},
		.block = {2, 1, 1},
		.after = TR_NONE,
		.parent_launch = TR_NONE,
		.parent_cta = TR_NONE,
		.parent_thread = TR_NONE};
	struct tr_program *p = launcher();
	FILE *out = open_memstream(&b->p, &b->len);
	struct tr_writer *w;
	int rc = 1;

	assert_int_equal(tr_writer_open(&w, out, NULL, err), 1);
	assert_int_equal(tr_writer_program(w, p, err), 0);
	assert_int_equal(tr_writer_launch(w, &host, err), 1);
	write_cta(w, 2, f->named);
	for (int i = 0; i < 2 && rc > 0; i++) {
		struct tr_launch l = f->child[i];

		rc = tr_writer_launch(w, &l, err);
		if (rc > 0)
			write_cta(w, 1, none);
	}
	if (rc > 0)
		assert_int_equal(tr_writer_close(w, err), 1);
	else
		tr_writer_abandon(w);
	fclose(out);
	tr_program_free(p);
	return rc;
}

/* Reads and decodes all of it: TR_END, or what the reader says; a check says the same. */
static int read_all(const struct bytes *b, struct tr_err *err)
{
	FILE *f = fmemopen(b->p, b->len, "rb");
	struct tr_reader *r;
	struct tr_err said;
	struct tr_cta cta;
	int rc = tr_reader_open(&r, f, NULL, err);

	assert_int_equal(rc, 1);
	tr_cta_init(&cta);
	while ((rc = tr_reader_next(r, err)) > 0)
		if (rc == TR_CTA && (rc = tr_reader_cta(r, &cta, err)) < 0)
			break;
	tr_cta_free(&cta);
	tr_reader_close(r);
	rewind(f);
	assert_int_equal(tr_reader_open(&r, f, NULL, &said), 1);
	assert_int_equal(tr_reader_check(r, &said), rc < 0 ? rc : 1);
	if (rc < 0)
		assert_string_equal(said.msg, err->msg);
	tr_reader_close(r);
	fclose(f);
	return rc;
}

static void refuses(const struct bytes *b, const char *why)
{
	struct tr_err err = {0};

	assert_int_equal(read_all(b, &err), TR_EDATA);
	if (!strstr(err.msg, why))
		fail_msg("'%s' where '%s' should stand", err.msg, why);
}

static void what_is_written_comes_back(void **state)
{
	const struct family f = sound();
	struct tr_reader *r;
	struct tr_err err = {0};
	struct bytes b;
	FILE *in;

	(void)state;
	assert_int_equal(write_family(&b, &f, &err), 1);
	if (read_all(&b, &err) != TR_END)
		fail_msg("%s", err.msg);
	in = fmemopen(b.p, b.len, "rb");
	assert_int_equal(tr_reader_open(&r, in, NULL, &err), 1);
	assert_int_equal(tr_reader_next(r, &err), TR_LAUNCH);
	assert_int_equal(tr_program_launches(tr_reader_program(r)), 1);
	assert_int_equal(tr_reader_depth(r), 0);
	for (uint32_t i = 0; i < 2; i++) {
		const struct tr_launch *l = tr_reader_launch(r);

		while (tr_reader_next(r, &err) != TR_LAUNCH)
			;
		assert_int_equal(l->number, i + 1);
		assert_int_equal(l->parent_launch, 0);
		assert_int_equal(l->parent_cta, 0);
		assert_int_equal(l->parent_thread, i);
		assert_int_equal(l->parent_inst, 2);
		assert_int_equal(tr_reader_depth(r), 1);
		assert_int_equal(l->queue, 16 + i);
		assert_true(l->buffer == f.child[i].buffer);
		assert_int_equal(l->buffer_bytes, PARAM_BYTES);
	}
	/* From the middle on the parents are not there, and nothing is said against it. */
	assert_int_equal(tr_reader_seek(r, 2, 0, &err), 1);
	assert_int_equal(tr_reader_next(r, &err), TR_LAUNCH);
	assert_int_equal(tr_reader_launch(r)->parent_thread, 1);
	assert_true(tr_reader_depth(r) == TR_NONE);
	assert_int_equal(tr_reader_next(r, &err), TR_CTA);
	tr_reader_close(r);
	fclose(in);
	free(b.p);
}

/* ---- families that do not fit ---- */

#define MISFITS 8

/* Families of which one thing does not fit, each another. */
static void make_misfits(struct family f[MISFITS])
{
	for (int i = 0; i < MISFITS; i++)
		f[i] = sound();
	f[0].named[1] = 3;
	f[0].child[1].parent_launch = TR_NONE; /* the host's next, which ends the family */
	f[1].named[0] = TR_NONE;
	f[2].child[0].parent_thread = 1;
	f[3].child[1].parent_inst = 1;
	f[4].child[1].buffer_bytes = PARAM_BYTES - 1;
	f[5].child[1].buffer = UINT64_MAX - 2;
	f[6].named[1] = 1;
	f[7].named[0] = 0; /* itself: a circle */
}

static void misfits(void **state)
{
	struct family f[MISFITS];
	static const char *const why[MISFITS] = {
		"CTA 0 of launch 0: thread 1 names a launch that is not there",
		"no thread of that launch names it",
		"it was named elsewhere",
		"that launch's instruction launches nothing",
		"its parameters lie beyond the end of their buffer",
		"its parameters lie beyond the end of their buffer",
		"and so does another one",
		"which is none of the next",
	};

	(void)state;
	make_misfits(f);
	for (int i = 0; i < MISFITS; i++) {
		struct tr_err err = {0};
		struct bytes b;

		if (i == 5) { /* the writer itself says so */
			assert_int_equal(write_family(&b, &f[i], &err), TR_EDATA);
			assert_non_null(strstr(err.msg, why[i]));
		} else {
			assert_int_equal(write_family(&b, &f[i], &err), 1);
			refuses(&b, why[i]);
		}
		free(b.p);
	}
}

static void what_a_writer_refuses(void **state)
{
	struct family f[3];
	static const char *const why[3] = {
		"none of the launches before it", "has no such thread", "has no such thread"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct tr_err err = {0};
		struct bytes b;

		f[i] = sound();
		if (i == 0)
			f[i].child[0].parent_launch = 1; /* itself */
		else if (i == 1)
			f[i].child[0].parent_cta = 1;
		else
			f[i].child[0].parent_thread = 2;
		assert_int_equal(write_family(&b, &f[i], &err), TR_EDATA);
		if (!strstr(err.msg, why[i]))
			fail_msg("%s", err.msg);
		free(b.p);
	}
}

/* ---- records that do not fit ---- */

struct edit {
	int type; /* of the record; the nth of them */
	int nth;
	int drop;
	uint64_t key;    /* added */
	uint32_t n;      /* likewise */
	size_t cut;      /* bytes at its end */
	uint32_t parent; /* of a launch: its new parent; 0: as it is */
	const char *why;
};

/* The stream once more, with one record changed. */
static struct bytes edited(const struct bytes *b, const struct edit *e)
{
	struct tr_err err = {0};
	struct bytes after;
	FILE *f = fmemopen(b->p, b->len, "rb"), *out = open_memstream(&after.p, &after.len);
	struct tr_record rec;
	struct tr_in *in;
	struct tr_out *o;
	int seen = 0;

	assert_int_equal(tr_in_open(&in, f, &err), 1);
	assert_int_equal(tr_out_open(&o, out, TR_KIND_THREADS, NULL, 0, &err), 1);
	while (tr_in_next(in, &rec, &err) > 0) {
		const int it = rec.type == e->type && seen++ == e->nth;
		struct tr_buf launch = {0};
		struct tr_launch l;

		if (it && e->drop)
			continue;
		if (it && e->parent) {
			assert_int_equal(tr_launch_read(&l, rec.data, rec.len, &err), 1);
			l.parent_launch = e->parent;
			assert_int_equal(tr_launch_write(&l, &launch), 0);
			tr_launch_clear(&l);
		}
		assert_int_equal(tr_out_begin(o, rec.type, rec.flags, rec.key + (it ? e->key : 0),
					 rec.n + (it ? e->n : 0), &err),
			1);
		if (launch.len)
			assert_int_equal(tr_out_put(o, launch.p, launch.len, &err), 1);
		else
			assert_int_equal(
				tr_out_put(o, rec.data, rec.len - (it ? e->cut : 0), &err), 1);
		assert_int_equal(tr_out_end(o, &err), 1);
		tr_buf_free(&launch);
	}
	assert_int_equal(tr_out_close(o, tr_in_totals(in), &err), 1);
	tr_in_close(in);
	fclose(f);
	fclose(out);
	return after;
}

static const struct edit edits[] = {
	{.type = TR_REC_DEVICE, .drop = 1, .why = "is not marked as one"},
	{.type = TR_REC_DEVICE, .key = 1, .why = "a mark of a program with a bad head"},
	{.type = TR_REC_DEVICE, .n = 1, .why = "a mark of a program with a bad head"},
	{.type = TR_REC_PROGRAM, .drop = 1, .why = "no program after a mark of one"},
	{.type = TR_REC_CHILD, .drop = 1, .why = "without its parameters before it"},
	{.type = TR_REC_CHILD, .key = 1, .why = "are of another launch"},
	{.type = TR_REC_CHILD, .n = 1, .why = "a bad head or content"},
	{.type = TR_REC_CHILD, .cut = 1, .why = "a bad head or content"},
	{.type = TR_REC_LAUNCH, .nth = 1, .drop = 1, .why = "no launch after the parameters"},
	{.type = TR_REC_LAUNCH,
		.nth = 1,
		.parent = 1, /* its own: a circle */
		.why = "none of the launches before it since the host's last one"},
	{.type = TR_REC_LAUNCH,
		.nth = 1,
		.parent = 2,
		.why = "none of the launches before it since the host's last one"},
	{.type = TR_REC_LAUNCH,
		.nth = 1,
		.parent = TR_NONE,
		.why = "the parameters before it are of another launch"},
};

static void broken_records(void **state)
{
	const struct family f = sound();
	struct tr_err err = {0};
	struct bytes b;

	(void)state;
	assert_int_equal(write_family(&b, &f, &err), 1);
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		struct bytes after = edited(&b, &edits[i]);

		refuses(&after, edits[i].why);
		free(after.p);
	}
	free(b.p);
}

/* Any byte flipped, any cut: a sentence, no crash, no wrong answer. */
static void cuts_and_flips(void **state)
{
	const struct family f = sound();
	struct tr_err err = {0};
	struct bytes b, part;

	(void)state;
	assert_int_equal(write_family(&b, &f, &err), 1);
	for (size_t i = 24; i < b.len; i++) {
		FILE *in;
		struct tr_reader *r;

		part = (struct bytes){b.p, i};
		in = fmemopen(part.p, part.len, "rb");
		if (tr_reader_open(&r, in, NULL, &err) > 0) {
			tr_reader_close(r);
			assert_true(read_all(&part, &err) < 0);
		}
		fclose(in);
		b.p[i] ^= 16;
		in = fmemopen(b.p, b.len, "rb");
		if (tr_reader_open(&r, in, NULL, &err) > 0) {
			tr_reader_close(r);
			assert_true(read_all(&b, &err) < 0);
		}
		fclose(in);
		b.p[i] ^= 16;
	}
	free(b.p);
}

/* ---- seeds for the fuzzer of the thread trace ---- */

static void write_seed(const char *folder, const char *kind, size_t n, const struct bytes *b)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s-%zu.wt", folder, kind, n);
	f = fopen(path, "wb");
	if (f) {
		fwrite(b->p, 1, b->len, f);
		fclose(f);
	}
}

static int write_seeds(const char *folder)
{
	const struct family f = sound();
	struct family misfits_[MISFITS];
	struct tr_err err = {0};
	struct bytes b, part;

	make_misfits(misfits_);
	for (size_t i = 0; i < MISFITS; i++) {
		if (write_family(&part, &misfits_[i], &err) > 0)
			write_seed(folder, "misfit", i, &part);
		free(part.p);
	}
	assert_int_equal(write_family(&b, &f, &err), 1);
	write_seed(folder, "family", 0, &b);
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		part = edited(&b, &edits[i]);
		write_seed(folder, "broken", i, &part);
		free(part.p);
	}
	free(b.p);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_comes_back),
		cmocka_unit_test(misfits),
		cmocka_unit_test(what_a_writer_refuses),
		cmocka_unit_test(broken_records),
		cmocka_unit_test(cuts_and_flips),
	};

	if (argc > 1)
		return write_seeds(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
