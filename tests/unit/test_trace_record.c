/*
 * The thread trace: random programs and paths are recorded in several interleavings, give the same
 * bytes each time, and come back whole, in parts and in any order. Recordings that no path explains
 * are refused.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "libtrace/buf.h"
#include "libtrace/stream_format.h"
#include "libtrace/trace_format.h"
#include "trace_trial.h"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct pipe_feed {
	struct bytes b;
	int fd;
};

static void *feed(void *arg)
{
	struct pipe_feed *p = arg;

	for (size_t at = 0; at < p->b.len;) {
		ssize_t n = write(p->fd, p->b.p + at, p->b.len - at);

		if (n <= 0)
			break;
		at += (size_t)n;
	}
	close(p->fd);
	return NULL;
}

static void same_by_pipe(struct bytes b, const struct trial *t, struct tr_part part, int whole)
{
	struct pipe_feed p = {.b = b};
	pthread_t thread;
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	p.fd = fd[1];
	assert_int_equal(pthread_create(&thread, NULL, feed, &p), 0);
	same_trial(fdopen(fd[0], "rb"), t, part, whole);
	pthread_join(thread, NULL);
}

static const struct tr_part all = TR_PART_ALL;

#define NTRIALS 150

static void test_round_trip(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < NTRIALS; seed++) {
		struct trial t;
		struct bytes b, other;

		random_trial(&t, seed);
		b = trial_written(&t, LOWEST_RANK, 0, seed);
		same_trial(open_bytes(b), &t, all, 1);
		if (seed % 8 == 0)
			same_by_pipe(b, &t, all, 1);
		for (int order = LOWEST_RANK; order <= WHOLE_CTAS; order++) {
			other = trial_written(&t, (enum order)order, 1, seed + 1);
			assert_int_equal(other.len, b.len);
			assert_memory_equal(other.p, b.p, b.len);
			free(other.p);
		}
		free(b.p);
		trial_free(&t);
	}
}

/* A loop of loads of all kinds, after one that not all threads take part in. */
static struct tr_program *loop_program(uint32_t nloads)
{
	struct maker *m = grown(NULL, sizeof(*m));
	struct tr_program *p;
	uint32_t head, skip;

	maker_start(m, 0);
	head = label_new(m);
	skip = label_new(m);
	add_branch(m, skip);
	add_exit(m, 0);
	label_here(m, skip);
	label_here(m, head);
	for (uint32_t i = 0; i < nloads; i++) {
		const uint32_t next = following(m);

		add(m, "ld",
			(struct tr_inst){.cls = TR_C_LOAD,
				.space = TR_S_GLOBAL,
				.bytes = 8,
				.vec = 1,
				.base = m->addr,
				.guard = TR_NONE},
			&next, 1);
	}
	add_branch(m, head);
	p = maker_done(m);
	free(m);
	return p;
}

/* Small CTAs, then some larger than a block, then some of which several fill a record. */
static void large_trial(struct trial *t)
{
	static const uint32_t few[3] = {2, 1, 1}, many[3] = {3, 2, 2};
	static const uint32_t large[3] = {1024, 1, 1}, small[3] = {8, 8, 1};

	*t = (struct trial){0};
	trial_program(t, loop_program(12));
	trial_launch(t, 0, many, small, 3, 400);
	trial_launch(t, 0, few, large, 311, 1600); /* a seed with many random loads, and long */
	trial_launch(t, 0, many, small, 311, 1600);
}

/* A record holds as many CTAs as go into a block, or one. */
static void check_record_sizes(struct bytes b)
{
	FILE *f = open_bytes(b);
	struct tr_record rec = {0};
	uint64_t before = 0, records = 0;
	struct tr_in *in;
	struct tr_err err;

	assert_int_equal(tr_in_open(&in, f, &err), 1);
	while (tr_in_next(in, &rec, &err) > 0) {
		if (rec.type == TR_REC_CTAS) {
			assert_true(rec.n == 1 || rec.len < TR_BLOCK_RAW_MAX + 10 * rec.n);
			records++;
			if (before)
				assert_true(before + rec.len > TR_BLOCK_RAW_MAX);
			before = rec.len;
		} else if (rec.type == TR_REC_LAUNCH) {
			before = 0;
		}
	}
	assert_true(records > 4);
	tr_in_close(in);
	fclose(f);
}

static void test_large(void **state)
{
	struct trial t;
	struct bytes b, other;
	FILE *f = tmpfile();

	(void)state;
	large_trial(&t);
	b = trial_written(&t, LOWEST_RANK, 0, 1);
	assert_true(b.len > 4u << 20);
	check_record_sizes(b);
	other = trial_written(&t, RANDOM_LANES, 1, 2);
	assert_int_equal(other.len, b.len);
	assert_memory_equal(other.p, b.p, b.len);
	free(other.p);
	other = trial_written(&t, ONE_BY_ONE, 100000, 3);
	assert_int_equal(other.len, b.len);
	assert_memory_equal(other.p, b.p, b.len);
	free(other.p);
	assert_int_equal(fwrite(b.p, 1, b.len, f), b.len);
	rewind(f);
	same_trial(f, &t, all, 1);
	same_by_pipe(b, &t, all, 1);
	free(b.p);
	trial_free(&t);
}

/* ---- parts and seeking ---- */

static void test_parts(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		uint64_t rng = seed;
		struct trial t;
		struct bytes b;

		random_trial(&t, mix(seed, 4));
		b = trial_written(&t, LOWEST_RANK, 0, seed);
		for (int k = 0; k < 8; k++) {
			struct tr_part part = {0};

			part.launch_first = dice(&rng, t.nlaunches);
			part.launch_last =
				dice(&rng, 3) ? part.launch_first + dice(&rng, 2) : UINT32_MAX;
			part.cta_first = dice(
				&rng, (uint32_t)tr_launch_ctas(&t.launches[part.launch_first]));
			part.cta_last = dice(&rng, 3) ? part.cta_first + dice(&rng, 3) : UINT32_MAX;
			same_trial(open_bytes(b), &t, part, 0);
			same_by_pipe(b, &t, part, 0);
		}
		free(b.p);
		trial_free(&t);
	}
}

static void test_part_not_there(void **state)
{
	const struct tr_part parts[] = {{9, 9, 0, UINT32_MAX, 0}, {0, UINT32_MAX, 1000, 2000, 0}};
	struct trial t;
	struct bytes b;
	struct tr_reader *r;
	struct tr_err err;

	(void)state;
	random_trial(&t, 5);
	b = trial_written(&t, LOWEST_RANK, 0, 5);
	for (int i = 0; i < 2; i++) {
		FILE *f = open_bytes(b);
		int rc;

		assert_int_equal(tr_reader_open(&r, f, &parts[i], &err), 1);
		while ((rc = tr_reader_next(r, &err)) > 0)
			assert_int_equal(rc, TR_LAUNCH);
		assert_int_equal(rc, TR_EUSAGE);
		tr_reader_close(r);
		fclose(f);
	}
	free(b.p);
	trial_free(&t);
}

static void seek_to(
	struct tr_reader *r, const struct trial *t, uint32_t launch, uint32_t cta, struct tr_cta *c)
{
	struct tr_err err;

	assert_int_equal(tr_reader_seek(r, launch, cta, &err), 1);
	assert_int_equal(tr_reader_next(r, &err), TR_LAUNCH);
	same_launch(tr_reader_launch(r), &t->launches[launch]);
	assert_int_equal(tr_reader_next(r, &err), TR_CTA);
	assert_int_equal(tr_reader_cta(r, c, &err), 1);
	same_cta(c, &t->ctas[launch][cta].cta);
}

static void seek_around(struct bytes b, const struct trial *t, uint64_t seed)
{
	FILE *f = open_bytes(b);
	struct tr_reader *r;
	struct tr_err err;
	struct tr_cta c;
	uint32_t launch, cta, n = t->nlaunches;

	tr_cta_init(&c);
	assert_int_equal(tr_reader_open(&r, f, NULL, &err), 1);
	for (int k = 0; k < 20; k++) {
		launch = dice(&seed, n);
		cta = dice(&seed, (uint32_t)tr_launch_ctas(&t->launches[launch]));
		seek_to(r, t, launch, cta, &c);
	}
	for (launch = n; launch--;)
		for (cta = (uint32_t)tr_launch_ctas(&t->launches[launch]); cta--;)
			seek_to(r, t, launch, cta, &c);
	launch = dice(&seed, n);
	cta = dice(&seed, (uint32_t)tr_launch_ctas(&t->launches[launch]));
	assert_int_equal(tr_reader_seek(r, n, 0, &err), TR_EUSAGE);
	assert_int_equal(tr_reader_next(r, &err), TR_EUSAGE);
	assert_int_equal(tr_reader_seek(r, 0, 1000000, &err), TR_EUSAGE);
	assert_int_equal(tr_reader_seek(r, launch, cta, &err), 1);
	same_rest(r, t, all, launch, cta, &c);
	tr_cta_free(&c);
	tr_reader_close(r);
	fclose(f);
}

static void test_seek(void **state)
{
	struct trial t;
	struct bytes b;

	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		random_trial(&t, mix(seed, 5));
		b = trial_written(&t, LOWEST_RANK, 0, seed);
		seek_around(b, &t, seed);
		free(b.p);
		trial_free(&t);
	}
	large_trial(&t);
	b = trial_written(&t, LOWEST_RANK, 0, 1);
	seek_around(b, &t, 9);
	free(b.p);
	trial_free(&t);
}

static void test_seek_in_pipe(void **state)
{
	struct pipe_feed p;
	struct trial t;
	struct tr_reader *r;
	struct tr_err err;
	struct tr_cta c;
	pthread_t thread;
	int fd[2];
	FILE *f;

	(void)state;
	tr_cta_init(&c);
	random_trial(&t, 6);
	p.b = trial_written(&t, LOWEST_RANK, 0, 1);
	assert_int_equal(pipe(fd), 0);
	p.fd = fd[1];
	assert_int_equal(pthread_create(&thread, NULL, feed, &p), 0);
	f = fdopen(fd[0], "rb");
	assert_int_equal(tr_reader_open(&r, f, NULL, &err), 1);
	assert_int_equal(tr_reader_seek(r, 0, 0, &err), 0);
	same_rest(r, &t, all, 0, 0, &c);
	pthread_join(thread, NULL);
	tr_cta_free(&c);
	tr_reader_close(r);
	fclose(f);
	free(p.b.p);
	trial_free(&t);
}

/* A CTA that nobody fetches is passed over; one fetched twice is the same twice. */
static void test_skipped_and_twice(void **state)
{
	struct trial t;
	struct bytes b;
	struct tr_reader *r;
	struct tr_err err;
	struct tr_cta c;
	FILE *f;
	int rc;

	(void)state;
	tr_cta_init(&c);
	random_trial(&t, 8);
	b = trial_written(&t, LOWEST_RANK, 0, 1);
	f = open_bytes(b);
	assert_int_equal(tr_reader_open(&r, f, NULL, &err), 1);
	while ((rc = tr_reader_next(r, &err)) > 0) {
		uint32_t launch = tr_reader_launch(r)->number;

		if (rc != TR_CTA || tr_reader_cta_number(r) % 2)
			continue;
		for (int i = 0; i < 2; i++) {
			assert_int_equal(tr_reader_cta(r, &c, &err), 1);
			same_cta(&c, &t.ctas[launch][tr_reader_cta_number(r)].cta);
		}
	}
	assert_int_equal(rc, TR_END);
	tr_cta_free(&c);
	tr_reader_close(r);
	fclose(f);
	free(b.p);
	trial_free(&t);
}

static void test_launch_lists(void **state)
{
	struct tr_alloc allocs[2] = {{"nodes", 0x7000000000, 4096}, {"", UINT64_MAX, 0}};
	struct tr_copy copies[1] = {{0x7000000000, 100}};
	struct tr_launch l = {.grid = {1, 1, 1},
		.block = {1, 1, 1},
		.queue = 3,
		.nallocs = 2,
		.ncopies = 1,
		.allocs = allocs,
		.copies = copies,
		.parent_launch = TR_NONE,
		.parent_cta = TR_NONE,
		.parent_thread = TR_NONE,
		.after = TR_NONE};
	struct tr_program *p = loop_program(1);
	const struct tr_launch *got;
	struct tr_thread thread = {.outcomes = (uint8_t *)"", .noutcomes = 1};
	struct tr_cta cta = {.nthreads = 1, .threads = &thread};
	struct tr_writer *w;
	struct tr_reader *r;
	struct tr_err err;
	FILE *f = tmpfile();

	(void)state;
	assert_int_equal(tr_writer_open(&w, f, NULL, &err), 1);
	assert_int_equal(tr_writer_program(w, p, &err), 0);
	assert_int_equal(tr_writer_launch(w, &l, &err), 1);
	assert_int_equal(tr_writer_cta(w, &cta, &err), 1);
	assert_int_equal(tr_writer_launch_end(w, &err), 1);
	assert_int_equal(tr_writer_close(w, &err), 1);
	rewind(f);
	assert_int_equal(tr_reader_open(&r, f, NULL, &err), 1);
	assert_string_equal(tr_reader_provenance(r), "");
	assert_int_equal(tr_reader_next(r, &err), TR_LAUNCH);
	got = tr_reader_launch(r);
	assert_int_equal(got->queue, 3);
	assert_int_equal(got->parent_launch, TR_NONE);
	assert_int_equal(got->parent_thread, TR_NONE);
	assert_int_equal(got->after, TR_NONE);
	assert_int_equal(got->nallocs, 2);
	assert_string_equal(got->allocs[0].name, "nodes");
	assert_true(got->allocs[0].base == 0x7000000000 && got->allocs[0].bytes == 4096);
	assert_string_equal(got->allocs[1].name, "");
	assert_true(got->allocs[1].base == UINT64_MAX && got->allocs[1].bytes == 0);
	assert_int_equal(got->ncopies, 1);
	assert_true(got->copies[0].base == 0x7000000000 && got->copies[0].bytes == 100);
	tr_reader_close(r);
	fclose(f);
	tr_program_free(p);
}

/* ---- stated registers ---- */

/* A program, a record of type STATED with `len` bytes of content, and what comes after it. */
static struct bytes stated_stream(
	unsigned flags, uint64_t key, uint32_t n, size_t len, int next, uint64_t next_key)
{
	const uint64_t totals[TR_MAX_TOTALS] = {[TR_T_PROGRAMS] = 1};
	struct tr_program *p = small_program();
	struct tr_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .parent_launch = TR_NONE};
	struct tr_buf program = {0}, launch = {0};
	struct bytes b;
	struct tr_out *o;
	struct tr_err err;
	FILE *f = open_memstream((char **)&b.p, &b.len);

	assert_int_equal(tr_program_write(p, &program), 1);
	assert_int_equal(tr_launch_write(&l, &launch), 0);
	assert_int_equal(tr_out_open(&o, f, TR_KIND_THREADS, NULL, 0, &err), 1);
	assert_int_equal(tr_out_begin(o, TR_REC_PROGRAM, 0, 0, 1, &err), 1);
	assert_int_equal(tr_out_put(o, program.p, program.len, &err), 1);
	assert_int_equal(tr_out_end(o, &err), 1);
	assert_int_equal(tr_out_begin(o, TR_REC_STATED, flags, key, n, &err), 1);
	assert_int_equal(tr_out_put(o, "12345678", len, &err), 1);
	assert_int_equal(tr_out_end(o, &err), 1);
	if (next) {
		assert_int_equal(tr_out_begin(o, next, 0, next_key, 1, &err), 1);
		assert_int_equal(tr_out_put(o, launch.p, launch.len, &err), 1);
		assert_int_equal(tr_out_end(o, &err), 1);
	}
	assert_int_equal(tr_out_close(o, totals, &err), 1);
	fclose(f);
	tr_buf_free(&program);
	tr_buf_free(&launch);
	tr_program_free(p);
	return b;
}

static void test_stated(void **state)
{
	static const struct {
		unsigned flags;
		uint64_t key;
		uint32_t n;
		size_t len;
		int next;
		const char *why; /* NULL: the launch comes */
	} cases[] = {
		{TR_RECF_OPTIONAL, 0, 1, 0, TR_REC_LAUNCH, NULL},
		{0, 0, 1, 0, TR_REC_LAUNCH, "bad head or content"},
		{TR_RECF_OPTIONAL, 0, 2, 0, TR_REC_LAUNCH, "bad head or content"},
		{TR_RECF_OPTIONAL, 0, 1, 3, TR_REC_LAUNCH, "bad head or content"},
		{TR_RECF_OPTIONAL, 1ull << 32, 1, 0, TR_REC_LAUNCH, "of another launch"},
		{TR_RECF_OPTIONAL, 0, 1, 0, TR_REC_CTAS, "no launch after"},
		{TR_RECF_OPTIONAL, 0, 1, 0, 0, "ends with stated registers"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = stated_stream(
			cases[i].flags, cases[i].key, cases[i].n, cases[i].len, cases[i].next, 0);
		FILE *f = open_bytes(b);
		struct tr_reader *r;
		struct tr_err err;

		assert_int_equal(tr_reader_open(&r, f, NULL, &err), 1);
		if (cases[i].why) {
			assert_int_equal(tr_reader_next(r, &err), TR_EDATA);
			assert_non_null(strstr(err.msg, cases[i].why));
		} else {
			assert_int_equal(tr_reader_next(r, &err), TR_LAUNCH);
			assert_int_equal(tr_reader_launch(r)->registers_stated, 1);
		}
		tr_reader_close(r);
		fclose(f);
		free(b.p);
	}
}

static void test_spaces(void **state)
{
	(void)state;
	assert_int_equal(tr_space_of(TR_S_CONST, TR_SHARED_WINDOW), TR_S_CONST);
	assert_int_equal(tr_space_of(TR_S_GENERIC, TR_SHARED_WINDOW), TR_S_SHARED);
	assert_int_equal(
		tr_space_of(TR_S_GENERIC, TR_SHARED_WINDOW + TR_WINDOW_BYTES - 1), TR_S_SHARED);
	assert_int_equal(
		tr_space_of(TR_S_GENERIC, TR_SHARED_WINDOW + TR_WINDOW_BYTES), TR_S_GLOBAL);
	assert_int_equal(tr_space_of(TR_S_GENERIC, TR_LOCAL_WINDOW), TR_S_LOCAL);
	assert_int_equal(tr_space_of(TR_S_GENERIC, TR_LOCAL_WINDOW - 1), TR_S_GLOBAL);
}

/* ---- recordings that do not fit ---- */

static struct tr_writer *small_writer(
	FILE *f, struct tr_program **p, uint32_t nctas, uint32_t threads)
{
	struct tr_launch l = {.grid = {nctas, 1, 1}, .block = {threads, 1, 1}, .after = TR_NONE};
	struct tr_writer *w;
	struct tr_err err;

	*p = small_program();
	assert_int_equal(tr_writer_open(&w, f, NULL, &err), 1);
	assert_int_equal(tr_writer_program(w, *p, &err), 0);
	assert_int_equal(tr_writer_launch(w, &l, &err), 1);
	return w;
}

static int write_small(uint8_t *outcomes, uint32_t noutcomes, uint32_t nvalues)
{
	uint64_t values[4] = {1, 2, 3, 4};
	struct tr_thread thread = {
		.outcomes = outcomes, .values = values, .noutcomes = noutcomes, .nvalues = nvalues};
	struct tr_cta c = {.nthreads = 1, .threads = &thread};
	FILE *f = tmpfile();
	struct tr_program *p;
	struct tr_writer *w = small_writer(f, &p, 1, 1);
	struct tr_err err;
	int rc = tr_writer_cta(w, &c, &err);

	if (rc > 0) {
		assert_int_equal(tr_writer_launch_end(w, &err), 1);
		assert_int_equal(tr_writer_close(w, &err), 1);
	} else {
		assert_int_equal(err.code, rc);
		assert_int_equal(tr_writer_launch_end(w, &err), TR_EUSAGE);
		assert_int_equal(tr_writer_close(w, &err), TR_EUSAGE);
	}
	fclose(f);
	tr_program_free(p);
	return rc;
}

static void test_misfits(void **state)
{
	(void)state;
	assert_int_equal(write_small((uint8_t[]){0, 2}, 2, 0), 1);
	assert_int_equal(write_small((uint8_t[]){1, 0}, 2, 1), 1);
	assert_int_equal(write_small((uint8_t[]){1, 0}, 1, 1), TR_EDATA);    /* too few outcomes */
	assert_int_equal(write_small((uint8_t[]){1, 0, 0}, 3, 1), TR_EDATA); /* too many */
	assert_int_equal(write_small((uint8_t[]){1, 0}, 2, 0), TR_EDATA);    /* too few values */
	assert_int_equal(write_small((uint8_t[]){0, 0}, 2, 1), TR_EDATA);    /* too many */
	assert_int_equal(write_small((uint8_t[]){2, 0}, 2, 1), TR_EDATA);    /* no guard */
	assert_int_equal(write_small((uint8_t[]){1, 3}, 2, 1), TR_EDATA);    /* no successor */
	assert_int_equal(write_small(NULL, 0, 0), TR_EDATA);
}

/* What failed once does not go well later, though the rows that follow would fit. */
static void test_misfit_stays(void **state)
{
	FILE *f = tmpfile();
	struct tr_program *p;
	struct tr_writer *w = small_writer(f, &p, 1, 1);
	const uint32_t three[32] = {3}, two[32] = {2};
	struct tr_recorder *r;
	struct tr_err err;
	int rc = 1;

	(void)state;
	assert_int_equal(tr_recorder_open(&r, w, 0, &err), 1);
	assert_int_equal(tr_record_outcomes(r, 0, 1, 0), 1);
	assert_int_equal(tr_record_indices(r, 0, 1, three, 0), 1);
	for (int i = 0; i < 100 && rc > 0; i++)
		rc = tr_record_indices(r, 0, 1, two, 0);
	assert_int_equal(rc, TR_EDATA);
	assert_int_equal(tr_writer_error(w)->code, TR_EDATA);
	assert_int_equal(tr_recorder_close(r, &err), TR_EDATA);
	tr_writer_abandon(w);
	fclose(f);
	tr_program_free(p);
}

static void test_lane_that_is_not_there(void **state)
{
	FILE *f = tmpfile();
	struct tr_program *p;
	struct tr_writer *w = small_writer(f, &p, 1, 3);
	struct tr_recorder *r;
	struct tr_err err;
	const uint32_t index[32] = {0};
	const uint64_t value[32] = {0};

	(void)state;
	assert_int_equal(tr_recorder_open(&r, w, 0, &err), 1);
	assert_int_equal(tr_record_outcomes(r, 0, 0xf, 0xf), 1);
	assert_int_equal(tr_record_values(r, 0, 0xf, value), 1);
	assert_int_equal(tr_record_indices(r, 0, 0xf, index, 0), 1);
	assert_int_equal(tr_recorder_close(r, &err), TR_EDATA);
	tr_writer_abandon(w);
	fclose(f);
	tr_program_free(p);
}

/* Where the CTAs of a cluster meet, a launch says which they are. */
static void test_cluster_launches(void **state)
{
	const struct tr_inst meet = {.cls = TR_C_BARRIER,
		.disp = TR_BARRIER_CLUSTER,
		.guard = TR_NONE,
		.base = TR_NONE,
		.file = TR_NONE};
	const struct tr_inst leave = {
		.cls = TR_C_EXIT, .guard = TR_NONE, .base = TR_NONE, .file = TR_NONE};
	const uint32_t succ = 1;
	struct tr_launch l = {.grid = {2, 1, 1}, .block = {1, 1, 1}, .after = TR_NONE};
	FILE *f = tmpfile();
	struct tr_program *meets = tr_program_new("meets");
	struct tr_writer *w;
	struct tr_err err;

	(void)state;
	assert_true(tr_program_inst(meets, &meet, NULL, 0, NULL, 0, &succ, 1) >= 0);
	assert_true(tr_program_inst(meets, &leave, NULL, 0, NULL, 0, NULL, 0) >= 0);
	assert_int_equal(tr_program_analyze(meets, &err), 1);
	assert_int_equal(tr_writer_open(&w, f, NULL, &err), 1);
	assert_int_equal(tr_writer_program(w, meets, &err), 0);
	assert_int_equal(tr_writer_launch(w, &l, &err), TR_EUSAGE);
	assert_string_equal(err.msg,
		"launch 0 of a program with the cluster's barrier has no shape of clusters");
	l.cluster[0] = 2;
	l.cluster[1] = l.cluster[2] = 1;
	assert_int_equal(tr_writer_launch(w, &l, &err), 1);
	tr_writer_abandon(w);
	tr_program_free(meets);
	fclose(f);
}

static void test_writer_usage(void **state)
{
	uint8_t fits[] = {0, 2};
	struct tr_thread thread = {.outcomes = fits, .noutcomes = 2};
	struct tr_cta c = {.nthreads = 1, .threads = &thread}, wide = {.nthreads = 2};
	struct tr_launch bad[] = {
		{.grid = {1, 1, 0}, .block = {1, 1, 1}},
		{.grid = {1, 1, 1}, .block = {0, 1, 1}},
		{.grid = {1, 1, 1}, .block = {1025, 1, 1}},
		{.grid = {1, 1, 1}, .block = {32, 33, 1}},
		{.grid = {65536, 65536, 1}, .block = {1, 1, 1}},
		{.grid = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, .block = {1, 1, 1}},
	};
	struct tr_launch other = {.program = 1, .grid = {1, 1, 1}, .block = {1, 1, 1}};
	struct tr_launch vast = {.grid = {UINT32_MAX - 1, 1, 1}, .block = {1, 1, 1}};
	FILE *f = tmpfile();
	struct tr_program *p, *raw = tr_program_new("raw");
	struct tr_writer *w = small_writer(f, &p, 2, 1);
	struct tr_recorder *r, *twice;
	struct tr_err err;

	(void)state;
	assert_int_equal(tr_writer_program(w, raw, &err), TR_EDATA);
	assert_int_equal(tr_writer_launch(w, &vast, &err), TR_EUSAGE);
	assert_int_equal(tr_recorder_open(&r, w, 2, &err), TR_EUSAGE);
	assert_null(r);
	assert_int_equal(tr_recorder_open(&r, w, 1, &err), 1);
	assert_int_equal(tr_recorder_open(&twice, w, 1, &err), TR_EUSAGE);
	tr_recorder_abandon(r);
	assert_int_equal(tr_writer_cta(w, &c, &err), 1);
	assert_int_equal(tr_writer_cta(w, &c, &err), TR_EUSAGE);
	assert_int_equal(tr_writer_launch_end(w, &err), TR_EUSAGE);
	c.number = 1;
	wide.number = 1;
	assert_int_equal(tr_writer_cta(w, &wide, &err), TR_EUSAGE);
	assert_int_equal(tr_writer_cta(w, &c, &err), 1);
	assert_int_equal(tr_writer_launch_end(w, &err), 1);
	assert_int_equal(tr_writer_launch_end(w, &err), TR_EUSAGE);
	assert_int_equal(tr_recorder_open(&r, w, 0, &err), TR_EUSAGE);
	assert_int_equal(tr_writer_launch(w, &other, &err), TR_EUSAGE);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(tr_writer_launch(w, &bad[i], &err), TR_EDATA);
	assert_int_equal(tr_writer_launch(w, &vast, &err), 1);
	assert_int_equal(vast.number, 1);
	assert_int_equal(tr_writer_close(w, &err), TR_EUSAGE);
	fclose(f);
	tr_program_free(raw);
	tr_program_free(p);
}

static void test_disk_full(void **state)
{
	struct tr_writer_options opt = {0};
	FILE *f = fopen("/dev/full", "wb");
	struct tr_writer *w;
	struct tr_err err;
	struct trial t;
	int rc;

	(void)state;
	if (!f)
		skip();
	large_trial(&t);
	assert_int_equal(tr_writer_open(&w, f, &opt, &err), 1);
	rc = (int)tr_writer_program(w, t.programs[0], &err);
	for (uint32_t i = 0; i < t.nlaunches && rc >= 0; i++) {
		rc = tr_writer_launch(w, &t.launches[i], &err);
		for (uint32_t k = 0; k < tr_launch_ctas(&t.launches[i]) && rc > 0; k++)
			rc = tr_writer_cta(w, &t.ctas[i][k].cta, &err);
		if (rc > 0)
			rc = tr_writer_launch_end(w, &err);
	}
	assert_int_equal(rc, TR_EIO);
	assert_true(tr_writer_close(w, &err) < 0);
	fclose(f);
	trial_free(&t);
}

static void test_other_kind(void **state)
{
	const uint64_t totals[TR_MAX_TOTALS] = {0};
	FILE *f = tmpfile();
	struct tr_out *o;
	struct tr_reader *r;
	struct tr_err err;

	(void)state;
	assert_int_equal(tr_out_open(&o, f, TR_KIND_ACCESSES, NULL, 0, &err), 1);
	assert_int_equal(tr_out_close(o, totals, &err), 1);
	rewind(f);
	assert_int_equal(tr_reader_open(&r, f, NULL, &err), TR_EKIND);
	assert_null(r);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_part_not_there),
		cmocka_unit_test(test_seek),
		cmocka_unit_test(test_seek_in_pipe),
		cmocka_unit_test(test_stated),
		cmocka_unit_test(test_skipped_and_twice),
		cmocka_unit_test(test_launch_lists),
		cmocka_unit_test(test_spaces),
		cmocka_unit_test(test_misfits),
		cmocka_unit_test(test_misfit_stays),
		cmocka_unit_test(test_lane_that_is_not_there),
		cmocka_unit_test(test_cluster_launches),
		cmocka_unit_test(test_writer_usage),
		cmocka_unit_test(test_disk_full),
		cmocka_unit_test(test_other_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
