/*
 * The thread trace: random programs and paths are recorded in several interleavings, give the same
 * bytes each time, and come back whole, in parts, in any order and through a plain second decoder
 * written from FORMAT.md. What does not fit is refused: recordings that no path explains, damaged
 * streams, and streams whose checksums are right but whose records lie.
 * With a folder as argument the program writes sample streams there, as seeds for the fuzzer.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "libtrace/stream_format.h"
#include "trace_trial.h"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static FILE *open_bytes(struct bytes b)
{
	FILE *f = fmemopen(b.p, b.len, "rb");

	assert_non_null(f);
	return f;
}

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

/* ---- reading back ---- */

static void same_cta(const struct tr_cta *got, const struct tr_cta *want)
{
	assert_int_equal(got->launch, want->launch);
	assert_int_equal(got->number, want->number);
	assert_int_equal(got->nthreads, want->nthreads);
	for (uint32_t i = 0; i < want->nthreads; i++) {
		const struct tr_thread *g = &got->threads[i], *w = &want->threads[i];

		assert_int_equal(g->noutcomes, w->noutcomes);
		assert_int_equal(g->nvalues, w->nvalues);
		if (w->noutcomes)
			assert_memory_equal(g->outcomes, w->outcomes, w->noutcomes);
		if (w->nvalues)
			assert_memory_equal(g->values, w->values, w->nvalues * sizeof(*w->values));
	}
	assert_int_equal(got->nsync, want->nsync);
	if (want->nsync)
		assert_memory_equal(got->sync, want->sync, want->nsync * sizeof(*want->sync));
}

static void same_walk(
	const struct tr_program *p, const struct tr_thread *t, const struct path *path)
{
	struct tr_walk w;

	tr_walk_start(&w, p, t);
	for (uint32_t i = 0; i < path->n; i++) {
		const struct step *s = &path->steps[i];

		assert_int_equal(tr_walk_next(&w), 1);
		assert_int_equal(w.inst, s->inst);
		assert_int_equal(w.guard, s->guard);
		assert_int_equal(w.outcome, s->outcome);
		assert_int_equal(w.has_value != 0, s->has_value);
		if (s->has_value)
			assert_true(w.value == s->value);
	}
	assert_int_equal(tr_walk_next(&w), 0);
	assert_int_equal(tr_walk_next(&w), 0);
}

static void same_launch(const struct tr_launch *got, const struct tr_launch *want)
{
	assert_int_equal(got->number, want->number);
	assert_int_equal(got->program, want->program);
	assert_int_equal(got->position, want->position);
	assert_int_equal(got->after, want->after);
	assert_memory_equal(got->grid, want->grid, sizeof(got->grid));
	assert_memory_equal(got->block, want->block, sizeof(got->block));
	assert_int_equal(got->registers, want->registers);
	assert_int_equal(got->shared_bytes, want->shared_bytes);
	assert_int_equal(got->local_bytes, want->local_bytes);
	assert_int_equal(got->parent_cta, want->parent_cta);
}

static int in_part(const struct tr_part *p, uint32_t launch, uint32_t cta)
{
	return launch >= p->launch_first && launch <= p->launch_last && cta >= p->cta_first &&
	       cta <= p->cta_last;
}

/* Reads on from the reader's place, which is before (launch, cta), all that the part wants. */
static void same_rest(struct tr_reader *r, const struct trial *t, struct tr_part part,
	uint32_t launch, uint32_t cta, struct tr_cta *c)
{
	struct tr_err err;

	for (; launch < t->nlaunches; launch++, cta = 0) {
		if (launch < part.launch_first || launch > part.launch_last)
			continue;
		assert_int_equal(tr_reader_next(r, &err), TR_LAUNCH);
		same_launch(tr_reader_launch(r), &t->launches[launch]);
		assert_int_equal(tr_reader_program(r)->ninsts,
			t->programs[t->launches[launch].program]->ninsts);
		for (; cta < tr_launch_ctas(&t->launches[launch]); cta++) {
			const struct trial_cta *want = &t->ctas[launch][cta];

			if (!in_part(&part, launch, cta))
				continue;
			assert_int_equal(tr_reader_next(r, &err), TR_CTA);
			assert_int_equal(tr_reader_cta_number(r), cta);
			assert_int_equal(tr_reader_cta(r, c, &err), 1);
			same_cta(c, &want->cta);
			for (uint32_t i = 0; i < c->nthreads; i++)
				same_walk(tr_reader_program(r), &c->threads[i], &want->paths[i]);
			assert_true(tr_reader_launch_bytes(r) > 0);
		}
	}
	assert_int_equal(tr_reader_next(r, &err), TR_END);
	assert_int_equal(tr_reader_cta(r, c, &err), TR_EUSAGE);
}

static void same_trial(FILE *f, const struct trial *t, struct tr_part part, int whole)
{
	struct tr_reader *r;
	struct tr_err err;
	struct tr_cta c;

	tr_cta_init(&c);
	assert_int_equal(tr_reader_open(&r, f, &part, &err), 1);
	assert_string_equal(tr_reader_provenance(r), "trial\n");
	same_rest(r, t, part, 0, 0, &c);
	if (whole)
		assert_memory_equal(tr_reader_totals(r), t->totals, sizeof(t->totals));
	tr_cta_free(&c);
	tr_reader_close(r);
	fclose(f);
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
			struct tr_part part;

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
	const struct tr_part parts[] = {{9, 9, 0, UINT32_MAX}, {0, UINT32_MAX, 1000, 2000}};
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
		.parent_launch = 4,
		.parent_thread = 9,
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
	assert_int_equal(got->parent_launch, 4);
	assert_int_equal(got->parent_thread, 9);
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

/* ---- a second decoder, from FORMAT.md 8 ---- */

struct twin_slot {
	int fresh;
	uint64_t last[32], step, anchor, c[3];
};

struct twin {
	const struct tr_program *p;
	const uint32_t *block; /* shape */
	const uint8_t *at[5], *end[5];
	struct twin_slot *slots; /* by instruction */
	uint64_t *former;        /* by instruction: first anchor in a group before */
	uint64_t kinds[7];       /* rows of values of each rule that were met */
};

enum { KIND, ANCHOR, PARAM, LOW, HIGH };

static uint8_t twin_byte(struct twin *t, int stream)
{
	assert_true(t->at[stream] < t->end[stream]);
	return *t->at[stream]++;
}

static uint64_t twin_varint(struct twin *t, int stream)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b;

	do {
		b = twin_byte(t, stream);
		v += (uint64_t)(b % 128) << shift;
		shift += 7;
	} while (b >= 128);
	return v;
}

static uint64_t twin_zigzag(struct twin *t, int stream)
{
	uint64_t z = twin_varint(t, stream);

	return z % 2 ? 0 - (z + 1) / 2 - (z == UINT64_MAX ? (uint64_t)1 << 63 : 0) : z / 2;
}

static void twin_outcomes(
	struct twin *t, const struct tr_inst *in, int m, const int *lane, uint32_t *outcome)
{
	uint8_t kind = twin_byte(t, KIND), byte = 0;
	uint32_t same;

	switch (kind) {
	case 0:
	case 1:
		assert_false(in->flags & TR_I_INDEXED);
		for (int i = 0; i < m; i++)
			outcome[lane[i]] = kind;
		break;
	case 2:
		assert_false(in->flags & TR_I_INDEXED);
		for (int i = 0; i < m; i++) {
			if (i % 8 == 0)
				byte = twin_byte(t, LOW);
			outcome[lane[i]] = byte >> (i % 8) & 1;
		}
		break;
	case 3:
		assert_true(in->flags & TR_I_INDEXED);
		same = (uint32_t)twin_varint(t, PARAM);
		for (int i = 0; i < m; i++)
			outcome[lane[i]] = same;
		break;
	default:
		assert_true(in->flags & TR_I_INDEXED);
		assert_int_equal(kind, 4);
		for (int i = 0; i < m; i++)
			outcome[lane[i]] = (uint32_t)twin_varint(t, PARAM);
	}
}

static uint64_t twin_a(const struct twin *t, const struct twin_slot *s, uint32_t group, int l)
{
	const uint64_t X = t->block[0], Y = t->block[1];
	uint64_t a = 32 * (uint64_t)group, b = a + (uint64_t)l;

	return s->anchor + s->c[0] * (b % X - a % X) + s->c[1] * (b / X % Y - a / X % Y) +
	       s->c[2] * (b / X / Y - a / X / Y);
}

static void twin_anchor(struct twin *t, struct twin_slot *s, uint32_t inst)
{
	if (s->fresh) {
		s->anchor = t->former[inst] += twin_zigzag(t, ANCHOR);
	} else {
		s->anchor += twin_zigzag(t, PARAM);
	}
}

static void twin_residuals(
	struct twin *t, const struct tr_inst *in, uint8_t kind, int k, uint64_t *r)
{
	int width = kind / 8 % 8 + 1;

	for (int i = 0; i < k; i++)
		r[i] = twin_byte(t, LOW);
	for (int w = 1; w < width; w++)
		for (int i = 0; i < k; i++)
			r[i] += (uint64_t)twin_byte(t, HIGH) << 8 * w;
	for (int i = 0; i < k; i++)
		if (kind & 64 && in->bytes)
			r[i] *= in->bytes;
}

static void twin_values(
	struct twin *t, uint32_t inst, uint32_t group, int m, const int *lane, uint64_t *value)
{
	const struct tr_inst *in = &t->p->insts[inst];
	struct twin_slot *s = &t->slots[inst];
	uint8_t kind = twin_byte(t, KIND), rule = kind & 7;
	uint64_t r[32], b;

	assert_true(rule <= 6 && kind < 128 && (rule > 3 || kind < 8));
	assert_true(!s->fresh || rule == 3 || rule == 5 || rule == 6);
	t->kinds[rule]++;
	if (rule == 3)
		for (int a = 0; a < 3; a++)
			s->c[a] = twin_zigzag(t, PARAM);
	if (rule == 1)
		s->step = twin_zigzag(t, PARAM);
	if (rule == 2 || rule == 3 || rule == 5 || rule == 6)
		twin_anchor(t, s, inst);
	b = rule == 4 || rule == 6 ? twin_zigzag(t, PARAM) : 0;
	if (rule >= 4)
		twin_residuals(t, in, kind, rule == 6 ? m - 1 : m, r);
	for (int i = 0; i < m; i++) {
		int l = lane[i];

		if (rule < 2)
			value[l] = s->last[l] + s->step;
		else if (rule < 4)
			value[l] = twin_a(t, s, group, l);
		else if (rule == 4)
			value[l] = s->last[l] + b + r[i];
		else if (rule == 5)
			value[l] = s->anchor + r[i];
		else
			value[l] = i ? value[lane[i - 1]] + b + r[i - 1] : s->anchor;
	}
	for (int l = 0; l < 32; l++) {
		if (rule == 2 || rule == 3)
			s->last[l] = twin_a(t, s, group, l);
		else if (s->fresh)
			s->last[l] = value[lane[0]];
	}
	for (int i = 0; i < m; i++)
		s->last[lane[i]] = value[lane[i]];
	s->fresh = 0;
}

/* One group; stand[l]: the instruction where lane l goes on, or TR_EXIT. */
static void twin_group(struct twin *t, uint32_t group, uint32_t nlanes, struct tr_thread *threads)
{
	const struct tr_program *p = t->p;
	uint32_t stand[32], outcome[32];
	uint64_t value[32];
	int lane[32], some[32];

	for (uint32_t i = 0; i < p->ninsts; i++)
		t->slots[i] = (struct twin_slot){.fresh = 1};
	for (uint32_t l = 0; l < nlanes; l++)
		stand[l] = 0;
	for (;;) {
		const struct tr_block *block = NULL;
		int n = 0;

		for (uint32_t l = 0; l < nlanes; l++)
			if (stand[l] != TR_EXIT) {
				const struct tr_block *b = &p->blocks[p->insts[stand[l]].block];

				if (!block || b->rank < block->rank)
					block = b;
			}
		if (!block)
			return;
		for (uint32_t l = 0; l < nlanes; l++)
			if (stand[l] == block->first)
				lane[n++] = (int)l;
		for (uint32_t i = block->first; i < block->first + block->n; i++) {
			const struct tr_inst *in = &p->insts[i];
			int m = 0;

			memset(outcome, 0, sizeof(outcome));
			if (in->flags & TR_I_OUTCOME)
				twin_outcomes(t, in, n, lane, outcome);
			for (int k = 0; k < n; k++) {
				struct step s = {.outcome = outcome[lane[k]]};

				thread_append(&threads[lane[k]], in, &s);
				if (in->flags & TR_I_VALUE && (in->guard == TR_NONE || s.outcome))
					some[m++] = lane[k];
			}
			if (m)
				twin_values(t, i, group, m, some, value);
			for (int k = 0; k < m; k++) {
				struct step s = {.has_value = 1, .value = value[some[k]]};

				thread_append(&threads[some[k]],
					&(struct tr_inst){.flags = TR_I_VALUE}, &s);
			}
			for (int k = 0; k < n; k++) {
				uint32_t way = in->nsucc > 1 ? outcome[lane[k]] : 0;

				assert_true(!in->nsucc || way < in->nsucc);
				stand[lane[k]] = in->nsucc ? p->succ_pool[in->succ + way] : TR_EXIT;
			}
		}
	}
}

/* A CTAS record as a table and streams, all CTAs of it. */
static void twin_record(const struct tr_record *rec, const struct trial *t, uint64_t kinds[7])
{
	const struct tr_launch *l = &t->launches[rec->key >> 32];
	const struct tr_program *p = t->programs[l->program];
	struct twin w = {.p = p, .block = l->block};
	uint64_t *len = grown(NULL, 5 * rec->n * sizeof(*len));
	const uint8_t *next[5];

	w.at[KIND] = rec->data;
	w.end[KIND] = rec->data + rec->len;
	for (uint32_t i = 0; i < 5 * rec->n; i++)
		len[i] = twin_varint(&w, KIND);
	next[0] = w.at[KIND];
	for (int s = 0; s < 5; s++) {
		const uint8_t *end = next[s];

		for (uint32_t i = 0; i < rec->n; i++)
			end += len[5 * i + (uint32_t)s];
		if (s < 4)
			next[s + 1] = end;
		else
			assert_ptr_equal(end, rec->data + rec->len);
	}
	w.slots = grown(NULL, p->ninsts * sizeof(*w.slots));
	w.former = grown(NULL, p->ninsts * sizeof(*w.former));
	for (uint32_t i = 0; i < rec->n; i++) {
		uint32_t number = (uint32_t)rec->key + i, n = tr_launch_threads(l);
		struct tr_cta c = {
			.launch = l->number, .number = number, .nthreads = n, .cap_threads = n};
		const struct tr_cta *want = &t->ctas[l->number][number].cta;

		c.threads = calloc(n, sizeof(*c.threads));
		assert_non_null(c.threads);
		for (int s = 0; s < 5; s++) {
			w.at[s] = next[s];
			w.end[s] = next[s] += len[5 * i + (uint32_t)s];
		}
		memset(w.former, 0, p->ninsts * sizeof(*w.former));
		for (uint32_t g = 0; 32 * g < n; g++)
			twin_group(&w, g, n - 32 * g < 32 ? n - 32 * g : 32, c.threads + 32 * g);
		for (int s = 0; s < 5; s++)
			assert_ptr_equal(w.at[s], w.end[s]);
		c.nsync = want->nsync;
		c.sync = grown(NULL, want->nsync * sizeof(*c.sync));
		if (want->nsync)
			memcpy(c.sync, want->sync, want->nsync * sizeof(*c.sync));
		same_cta(&c, want);
		tr_cta_free(&c);
	}
	for (int k = 0; k < 7; k++)
		kinds[k] += w.kinds[k];
	free(w.slots);
	free(w.former);
	free(len);
}

static void test_twin(void **state)
{
	uint64_t kinds[7] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < NTRIALS; seed++) {
		struct trial t;
		struct bytes b;
		struct tr_in *in;
		struct tr_err err;
		struct tr_record rec;
		FILE *f;
		int rc;

		random_trial(&t, mix(seed, 6));
		b = trial_written(&t, LOWEST_RANK, 0, seed);
		f = open_bytes(b);
		assert_int_equal(tr_in_open(&in, f, &err), 1);
		while ((rc = tr_in_next(in, &rec, &err)) > 0)
			if (rec.type == TR_REC_CTAS)
				twin_record(&rec, &t, kinds);
		assert_int_equal(rc, 0);
		tr_in_close(in);
		fclose(f);
		free(b.p);
		trial_free(&t);
	}
	for (int k = 0; k < 7; k++)
		assert_true(kinds[k] > 0); /* the trials are worth something */
}

/* ---- recordings that do not fit ---- */

/* A program of a guarded load, a table of three and an exit: outcomes (0 or 1), (0 to 2). */
static struct tr_program *small_program(void)
{
	struct maker *m = grown(NULL, sizeof(*m));
	const uint32_t next = 1;
	struct tr_program *p;
	uint32_t to[3];

	maker_start(m, 0);
	add(m, "ld",
		(struct tr_inst){.cls = TR_C_LOAD,
			.space = TR_S_GLOBAL,
			.bytes = 4,
			.vec = 1,
			.base = m->addr,
			.guard = m->pred},
		&next, 1);
	to[0] = to[1] = to[2] = label_new(m);
	add_table(m, 0, to, 3);
	label_here(m, to[0]);
	p = maker_done(m);
	free(m);
	return p;
}

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

/* ---- damaged streams ---- */

/* Reads all that can be read: 0 if every CTA came and the end was sound, else TR_E*. */
static int read_all(struct bytes b, const struct tr_part *part, const struct trial *want)
{
	FILE *f = open_bytes(b);
	struct tr_reader *r = NULL;
	struct tr_err err;
	struct tr_cta c;
	int rc = tr_reader_open(&r, f, part, &err);

	tr_cta_init(&c);
	while (rc > 0 && (rc = tr_reader_next(r, &err)) > 0) {
		if (rc == TR_CTA)
			rc = tr_reader_cta(r, &c, &err);
		if (rc == 1 && want && c.nthreads)
			same_cta(&c, &want->ctas[c.launch][c.number].cta);
	}
	if (rc < 0) {
		assert_int_equal(err.code, rc);
		assert_true(err.msg[0] && err.msg[strlen(err.msg) - 1] != '.');
	}
	tr_cta_free(&c);
	tr_reader_close(r);
	fclose(f);
	return rc;
}

/* A short stream with everything in it: two launches, a table, sync reads. */
static void small_trial(struct trial *t)
{
	static const uint32_t two[3] = {2, 1, 1}, block[3] = {3, 1, 1}, grid[3] = {1, 1, 1};

	*t = (struct trial){0};
	trial_program(t, small_program());
	trial_launch(t, 0, two, block, 16, 4);
	trial_launch(t, 0, grid, block, 31, 4);
	t->totals[TR_T_SYNC_READS] = 0;
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = 0; k < tr_launch_ctas(&t->launches[i]); k++) {
			struct tr_cta *c = &t->ctas[i][k].cta;

			c->nsync = 0;
			c->sync = grown(c->sync, 3 * sizeof(*c->sync));
			for (uint32_t j = 0; j < 3; j++)
				if (c->threads[j].nvalues)
					c->sync[c->nsync++] = (struct tr_sync_read){j, j, 0, 0};
			t->totals[TR_T_SYNC_READS] += c->nsync;
		}
	assert_true(t->totals[TR_T_SYNC_READS] > 0);
}

static void test_every_bit(void **state)
{
	const struct tr_part part = {0, 1, 0, 1};
	struct trial t;
	struct bytes b;

	(void)state;
	small_trial(&t);
	b = trial_written(&t, LOWEST_RANK, 0, 1);
	assert_int_equal(read_all(b, NULL, &t), 0);
	assert_int_equal(read_all(b, &part, &t), 0);
	for (size_t i = 0; i < 8 * b.len; i++) {
		b.p[i / 8] ^= (uint8_t)(1u << i % 8);
		assert_true(read_all(b, NULL, &t) < 0);
		read_all(b, &part, &t);
		b.p[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	free(b.p);
	trial_free(&t);
}

static void test_every_cut(void **state)
{
	const struct tr_part part = {0, 1, 0, 1};
	struct trial t;
	struct bytes b;

	(void)state;
	small_trial(&t);
	b = trial_written(&t, LOWEST_RANK, 0, 1);
	for (size_t len = 1; len < b.len; len++) {
		struct bytes cut = {grown(NULL, len), len};

		memcpy(cut.p, b.p, len);
		assert_int_equal(read_all(cut, NULL, &t), TR_ETRUNC);
		assert_int_equal(read_all(cut, &part, &t), TR_ETRUNC);
		free(cut.p);
	}
	free(b.p);
	trial_free(&t);
}

/* ---- lies under right checksums ---- */

struct part_record {
	int type;
	unsigned flags;
	uint64_t key;
	uint32_t n;
	struct tr_buf data;
};

struct script {
	struct part_record rec[32];
	uint32_t n;
	uint64_t totals[TR_MAX_TOTALS];
};

static void script_load(struct script *s, struct bytes b)
{
	FILE *f = open_bytes(b);
	struct tr_in *in;
	struct tr_record rec;
	struct tr_err err;

	*s = (struct script){0};
	assert_int_equal(tr_in_open(&in, f, &err), 1);
	while (tr_in_next(in, &rec, &err) > 0) {
		struct part_record *p = &s->rec[s->n++];

		assert_true(s->n < 31);
		*p = (struct part_record){rec.type, rec.flags, rec.key, rec.n, {0}};
		assert_int_equal(tr_buf_put(&p->data, rec.data, rec.len), 0);
	}
	memcpy(s->totals, tr_in_totals(in), sizeof(s->totals));
	tr_in_close(in);
	fclose(f);
}

static void script_free(struct script *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		tr_buf_free(&s->rec[i].data);
}

static struct bytes script_written(const struct script *s)
{
	struct tr_out *o;
	struct tr_err err;
	struct bytes b;
	char *p;
	FILE *f = open_memstream(&p, &b.len);

	assert_int_equal(tr_out_open(&o, f, TR_KIND_THREADS, NULL, 0, &err), 1);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct part_record *r = &s->rec[i];

		assert_int_equal(tr_out_begin(o, r->type, r->flags, r->key, r->n, &err), 1);
		assert_int_equal(tr_out_put(o, r->data.p, r->data.len, &err), 1);
		assert_int_equal(tr_out_end(o, &err), 1);
	}
	assert_int_equal(tr_out_close(o, s->totals, &err), 1);
	fclose(f);
	b.p = (uint8_t *)p;
	return b;
}

/* Reads the script in order, by parts, and by seeking; what the reading in order says. */
static int script_read(const struct script *s)
{
	const struct tr_part part = {0, 0, 1, 1};
	struct bytes b = script_written(s);
	FILE *f = open_bytes(b);
	struct tr_reader *r;
	struct tr_err err;
	struct tr_cta c;
	int rc = read_all(b, NULL, NULL);

	read_all(b, &part, NULL);
	tr_cta_init(&c);
	assert_int_equal(tr_reader_open(&r, f, NULL, &err), 1);
	for (uint32_t i = 2; i--;)
		if (tr_reader_seek(r, i, i ^ 1, &err) > 0)
			while (tr_reader_next(r, &err) > 0)
				tr_reader_cta(r, &c, &err);
	tr_cta_free(&c);
	tr_reader_close(r);
	fclose(f);
	free(b.p);
	return rc;
}

/* The records of small_trial: program, launch, sync, CTAs, launch, sync, CTAs. */
enum { R_PROGRAM, R_LAUNCH, R_SYNC, R_CTAS, R_LAUNCH1, R_SYNC1, R_CTAS1, R_N };

static void drop(struct script *s, uint32_t at)
{
	tr_buf_free(&s->rec[at].data);
	memmove(&s->rec[at], &s->rec[at + 1], (--s->n - at) * sizeof(*s->rec));
}

static void swap(struct script *s, uint32_t a, uint32_t b)
{
	struct part_record r = s->rec[a];

	s->rec[a] = s->rec[b];
	s->rec[b] = r;
}

static void add_again(struct script *s, uint32_t at)
{
	struct part_record *r = &s->rec[s->n++];

	*r = s->rec[at];
	r->data = (struct tr_buf){0};
	tr_buf_put(&r->data, s->rec[at].data.p, s->rec[at].data.len);
}

static void put_byte(struct script *s, uint32_t rec, uint32_t at, int delta)
{
	s->rec[rec].data.p[at] = (uint8_t)(s->rec[rec].data.p[at] + delta);
}

static void test_lies(void **state)
{
	struct trial t;
	struct bytes b;
	struct script s;

	(void)state;
	small_trial(&t);
	b = trial_written(&t, LOWEST_RANK, 0, 1);
	/* Each lie is told by the variable parts of one case; `wrong` counts what must not pass. */
	for (int lie = 0;; lie++) {
		int want = TR_EDATA, last = 0;

		script_load(&s, b);
		assert_int_equal(s.n, R_N);
		switch (lie) {
		case 0: /* none */
			want = 0;
			break;
		case 1:
			drop(&s, R_PROGRAM);
			break;
		case 2:
			drop(&s, R_LAUNCH);
			break;
		case 3:
			drop(&s, R_CTAS);
			drop(&s, R_SYNC);
			break;
		case 4:
			drop(&s, R_CTAS1);
			drop(&s, R_SYNC1);
			break;
		case 5: /* the second launch whole */
			while (s.n > R_LAUNCH1)
				drop(&s, R_LAUNCH1);
			break;
		case 6: /* allowed: the reads are optional, but counted */
			drop(&s, R_SYNC);
			break;
		case 7:
			swap(&s, R_SYNC, R_CTAS);
			break;
		case 8:
			swap(&s, R_SYNC, R_SYNC1);
			break;
		case 9:
			swap(&s, R_LAUNCH, R_LAUNCH1);
			break;
		case 10:
			add_again(&s, R_CTAS1);
			break;
		case 11:
			add_again(&s, R_PROGRAM);
			break;
		case 12:
			add_again(&s, R_SYNC1);
			break;
		case 13: /* one CTA of two */
			s.rec[R_CTAS].n = 1;
			break;
		case 14:
			s.rec[R_CTAS].n = UINT32_MAX;
			break;
		case 15:
			s.rec[R_CTAS].n = 0;
			break;
		case 16:
			s.rec[R_CTAS].key++;
			break;
		case 17:
			s.rec[R_CTAS].key += 1ull << 32;
			break;
		case 18:
			s.rec[R_LAUNCH].key++;
			break;
		case 19:
			s.rec[R_PROGRAM].key++;
			break;
		case 20:
			s.rec[R_PROGRAM].n = 2;
			break;
		case 21:
			s.rec[R_CTAS].flags = TR_RECF_OPTIONAL;
			break;
		case 22:
			s.rec[R_SYNC].flags = 0;
			break;
		case 23: /* the program of the launch */
			put_byte(&s, R_LAUNCH, 1, 1);
			break;
		case 24: /* its number */
			put_byte(&s, R_LAUNCH, 0, 1);
			break;
		case 25: /* an empty grid */
			put_byte(&s, R_LAUNCH, 7, -1);
			break;
		case 26: /* more threads */
			put_byte(&s, R_LAUNCH, 8, 1);
			break;
		case 27: /* fewer */
			put_byte(&s, R_LAUNCH, 8, -1);
			break;
		case 28:
			s.rec[R_LAUNCH].data.len--;
			break;
		case 29:
			tr_buf_u8(&s.rec[R_LAUNCH].data, 0);
			break;
		case 30:
			tr_buf_u8(&s.rec[R_CTAS].data, 0);
			break;
		case 31:
			s.rec[R_CTAS].data.len--;
			break;
		case 32: /* a byte of kinds becomes one of anchors */
			put_byte(&s, R_CTAS, 0, -1);
			put_byte(&s, R_CTAS, 1, 1);
			break;
		case 33: /* the first CTA gets a byte of the second */
			put_byte(&s, R_CTAS, 0, 1);
			put_byte(&s, R_CTAS, 5, -1);
			break;
		case 34: /* a table without end */
			memset(s.rec[R_CTAS].data.p, 0xff, 10);
			break;
		case 35:
			s.rec[R_CTAS].data.len = 3;
			break;
		case 36: /* no row is of kind 0x80 */
			s.rec[R_CTAS].data.p[10] = 0x80;
			break;
		case 37: /* a guarded load's first row cannot go on from one before: ONE, SAME */
			s.rec[R_CTAS].data.p[10] = 1;
			s.rec[R_CTAS].data.p[11] = 0;
			break;
		case 38:
			s.totals[TR_T_PROGRAMS]++;
			break;
		case 39:
			s.totals[TR_T_LAUNCHES]++;
			break;
		case 40:
			s.totals[TR_T_CTAS]--;
			break;
		case 41:
			s.totals[TR_T_THREADS]++;
			break;
		case 42:
			s.totals[TR_T_THREAD_INSTS]++;
			break;
		case 43:
			s.totals[TR_T_OUTCOMES]++;
			break;
		case 44:
			s.totals[TR_T_VALUES]++;
			break;
		case 45:
			s.totals[TR_T_SYNC_READS]++;
			break;
		case 46: /* a reader that is no thread */
			put_byte(&s, R_SYNC, 4, 100);
			break;
		case 47:
			s.rec[R_SYNC].data.len--;
			break;
		case 48:
			s.rec[R_SYNC].data.p[0] = 0x7f;
			break;
		case 49:
			s.rec[R_SYNC].n++;
			break;
		case 50:
			s.rec[R_SYNC].key++;
			break;
		case 51:
			s.rec[R_SYNC].data.len = 0;
			break;
		case 52: /* all that there is */
			while (s.n)
				drop(&s, 0);
			break;
		case 53:
			add_again(&s, R_LAUNCH1);
			break;
		default:
			last = 1;
		}
		if (last)
			break;
		if (script_read(&s) != want)
			fail_msg("lie %d was believed", lie);
		script_free(&s);
	}
	script_free(&s);
	free(b.p);
	trial_free(&t);
}

/* Any byte of any record replaced, or a record cut: nothing breaks, and no CTA is too long. */
static void test_random_lies(void **state)
{
	uint64_t rng = 1;
	struct trial t;
	struct bytes b;

	(void)state;
	small_trial(&t);
	b = trial_written(&t, LOWEST_RANK, 0, 1);
	for (int k = 0; k < 6000; k++) {
		struct script s;
		struct part_record *r;

		script_load(&s, b);
		r = &s.rec[dice(&rng, s.n)];
		for (uint32_t n = 1 + dice(&rng, 3); n; n--)
			r->data.p[dice(&rng, (uint32_t)r->data.len)] = (uint8_t)dice(&rng, 256);
		if (!dice(&rng, 8))
			r->data.len = dice(&rng, (uint32_t)r->data.len + 1);
		script_read(&s);
		script_free(&s);
	}
	free(b.p);
	trial_free(&t);
}

/* A program that goes round for ever without a choice: no record can end, and none begins. */
static void test_endless(void **state)
{
	struct maker *m = grown(NULL, sizeof(*m));
	uint8_t out[1] = {1};
	struct tr_thread thread = {.outcomes = out, .noutcomes = 1};
	struct tr_cta c = {.nthreads = 1, .threads = &thread};
	struct tr_launch l = {.grid = {2, 1, 1}, .block = {1, 1, 1}, .after = TR_NONE};
	struct tr_program *p;
	struct tr_writer *w;
	struct tr_err err;
	struct script s;
	struct bytes b;
	uint32_t loop;
	char *text;
	FILE *f = open_memstream(&text, &b.len);

	(void)state;
	maker_start(m, 0);
	loop = label_new(m);
	add_branch(m, loop);
	add_exit(m, 0);
	label_here(m, loop);
	add_jump(m, loop);
	p = maker_done(m);
	assert_int_equal(tr_writer_open(&w, f, NULL, &err), 1);
	assert_int_equal(tr_writer_program(w, p, &err), 0);
	assert_int_equal(tr_writer_launch(w, &l, &err), 1);
	assert_int_equal(tr_writer_cta(w, &c, &err), TR_EDATA);
	out[0] = 0;
	assert_int_equal(tr_writer_cta(w, &c, &err), 1);
	c.number = 1;
	assert_int_equal(tr_writer_cta(w, &c, &err), 1);
	assert_int_equal(tr_writer_launch_end(w, &err), 1);
	assert_int_equal(tr_writer_close(w, &err), 1);
	fclose(f);
	b.p = (uint8_t *)text;
	script_load(&s, b);
	assert_int_equal(script_read(&s), 0);
	s.rec[2].data.p[10] = 1; /* the one row of the first CTA: into the loop */
	assert_int_equal(script_read(&s), TR_EDATA);
	script_free(&s);
	free(text);
	tr_program_free(p);
	free(m);
}

static void put_block(FILE *f, struct tr_head h, uint64_t *sequence, const void *data, size_t len)
{
	uint8_t head[TR_HEAD_BYTES];

	h.flags |= TR_BLOCKF_RAW;
	h.raw = h.stored = (uint32_t)len;
	h.sum = XXH3_64bits(data, len);
	tr_head_encode(head, &h, (*sequence)++);
	fwrite(head, 1, sizeof(head), f);
	fwrite(data, 1, len, f);
}

/*
 * The same stream with nothing compressed: then a fuzzer's small changes are small changes of
 * records. The sum over all blocks in the end block stays out, since a fuzzer's build ignores it.
 */
static struct bytes uncompressed(struct bytes b)
{
	struct tr_index_entry e, last = {0};
	uint8_t end[TR_END_BYTES] = {0}, footer[TR_FOOTER_BYTES] = {0}, entry[TR_INDEX_ENTRY_MAX];
	struct tr_buf index = {0};
	uint64_t sequence = 0, offset = TR_HEADER_BYTES + 8;
	struct script s;
	struct bytes out;
	char *p;
	FILE *f = open_memstream(&p, &out.len);

	script_load(&s, b);
	memset(end, 0, sizeof(end));
	fwrite(b.p, 1, 16, f);
	fwrite(end, 1, 16, f); /* no provenance, no sum */
	for (uint32_t i = 0; i < s.n; i++) {
		struct part_record *r = &s.rec[i];

		e = (struct tr_index_entry){offset, sequence, r->key, r->n, r->type};
		tr_buf_put(&index, entry, tr_index_encode(entry, &e, &last));
		last = e;
		put_block(f,
			(struct tr_head){.type = (uint8_t)r->type,
				.flags = (uint8_t)r->flags,
				.key = r->key,
				.n = r->n},
			&sequence, r->data.p, r->data.len);
		offset += TR_HEAD_BYTES + r->data.len;
	}
	for (int i = 0; i < TR_MAX_TOTALS; i++)
		tr_le_put(end + 8 * i, 8, s.totals[i]);
	tr_le_put(end + 8 * TR_MAX_TOTALS, 8, sequence);
	tr_le_put(footer, 8, offset);
	tr_le_put(footer + 8, 8, sequence);
	memcpy(footer + 16, TR_FOOTER_MAGIC, TR_MAGIC_BYTES);
	put_block(f, (struct tr_head){.type = TR_REC_END}, &sequence, end, sizeof(end));
	put_block(f, (struct tr_head){.type = TR_REC_INDEX}, &sequence, index.p, index.len);
	fwrite(footer, 1, sizeof(footer), f);
	fclose(f);
	tr_buf_free(&index);
	script_free(&s);
	free(b.p);
	out.p = (uint8_t *)p;
	return out;
}

static void write_seed(const char *folder, const char *name, struct bytes b)
{
	char path[4096];
	FILE *f;

	b = uncompressed(b);

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "wb");
	if (f) {
		fwrite(b.p, 1, b.len, f);
		fclose(f);
	}
	free(b.p);
}

static int write_seeds(const char *folder)
{
	struct trial t;

	small_trial(&t);
	write_seed(folder, "small.wt", trial_written(&t, LOWEST_RANK, 0, 1));
	trial_free(&t);
	for (uint64_t seed = 0; seed < 40; seed++) {
		char name[32];

		random_trial(&t, seed);
		snprintf(name, sizeof(name), "trial-%u.wt", (unsigned)seed);
		write_seed(folder, name, trial_written(&t, LOWEST_RANK, 0, seed));
		trial_free(&t);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_part_not_there),
		cmocka_unit_test(test_seek),
		cmocka_unit_test(test_seek_in_pipe),
		cmocka_unit_test(test_skipped_and_twice),
		cmocka_unit_test(test_launch_lists),
		cmocka_unit_test(test_spaces),
		cmocka_unit_test(test_twin),
		cmocka_unit_test(test_misfits),
		cmocka_unit_test(test_misfit_stays),
		cmocka_unit_test(test_lane_that_is_not_there),
		cmocka_unit_test(test_writer_usage),
		cmocka_unit_test(test_disk_full),
		cmocka_unit_test(test_other_kind),
		cmocka_unit_test(test_every_bit),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_random_lies),
		cmocka_unit_test(test_endless),
	};

	if (argc > 1)
		return write_seeds(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
