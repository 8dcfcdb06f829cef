/*
 * Locality classes against a slow twin that keeps lists and looks through them; trips of nested
 * loops against a run that knows its trips; reuse distances against the caches of every size; and
 * what is known beforehand.
 */
#include "sim/access/divergence.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "locality_twin.h"

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

static struct tr_loop two_loops[] = {{.parent = TR_NONE, .depth = 1}, {.parent = 0, .depth = 2}};
static struct tr_program plain, nest = {.nloops = 2, .loops = two_loops};

static struct an_locality *make(
	struct sim_geometry g, uint32_t warp_size, uint32_t write, int flush, int reuse)
{
	const struct an_locality_options opt = {g, warp_size, write, flush, reuse};
	struct an_locality *l;

	assert_int_equal(an_locality_new(&l, &opt, NULL), 1);
	return l;
}

static struct tr_access load(uint32_t warp, uint64_t lanes, uint64_t line)
{
	return (struct tr_access){.line = line * 128,
		.lanes = {lanes},
		.warp = warp,
		.loop = TR_NONE,
		.space = TR_S_GLOBAL,
		.first = 1};
}

/* The class that an access falls in, AN_NCLASSES for what is no access. */
static unsigned class_of(struct an_locality *l, struct tr_access a)
{
	struct an_counts c = {0};

	assert_int_equal(an_locality_access(l, &a, &c, NULL), 1);
	for (unsigned k = 0; k < AN_NCLASSES; k++)
		if (c.of[k])
			return k;
	assert_int_equal(c.stores + c.atomics + c.absent, 1);
	return AN_NCLASSES;
}

/* ---- known classes ---- */

#define UNBOUNDED ((struct sim_geometry){.line_bytes = 128})
#define DIRECT(n) ((struct sim_geometry){.sets = (n), .ways = 1, .line_bytes = 128})

static void owners(void **unused)
{
	struct an_locality *l = make(UNBOUNDED, 32, TR_W_EVICT, 1, 0);
	struct tr_access a = load(0, 1, 7);

	(void)unused;
	an_locality_launch(l, 0, 32, &plain);
	assert_int_equal(class_of(l, a), AN_COLD);
	assert_int_equal(class_of(l, a), AN_INTRA_THREAD);
	assert_int_equal(class_of(l, load(0, 6, 7)), AN_INTRA_WARP);
	assert_int_equal(class_of(l, load(0, 12, 7)), AN_INTRA_THREAD); /* lane 2 had it */
	assert_int_equal(class_of(l, load(1, 1, 7)), AN_INTER_WARP);
	assert_int_equal(class_of(l, load(1, 1, 7)), AN_INTER_WARP); /* it stays warp 0's */
	assert_int_equal(class_of(l, load(0, 1, 7)), AN_INTRA_THREAD);
	a.cta = 1;
	assert_int_equal(class_of(l, a), AN_INTER_CTA);
	a.sm = 3;
	assert_int_equal(class_of(l, a), AN_COLD);
	assert_int_equal(class_of(l, a), AN_INTRA_THREAD);
	an_locality_free(l);
}

static void stores_and_atomics(void **unused)
{
	struct an_locality *l = make(UNBOUNDED, 32, TR_W_EVICT, 1, 0);
	struct tr_access a = load(0, 1, 7);

	(void)unused;
	an_locality_launch(l, 0, 32, &plain);
	a.op = TR_A_WRITE;
	assert_int_equal(class_of(l, a), AN_NCLASSES); /* does not allocate */
	assert_int_equal(class_of(l, load(0, 1, 7)), AN_COLD);
	assert_int_equal(class_of(l, a), AN_NCLASSES);
	assert_int_equal(class_of(l, load(0, 1, 7)), AN_WRITTEN);
	a.op = TR_A_ATOMIC;
	assert_int_equal(class_of(l, a), AN_NCLASSES);
	assert_int_equal(class_of(l, load(0, 1, 7)), AN_WRITTEN);
	a.space = TR_S_LOCAL;
	a.op = TR_A_WRITE;
	a.line = 1 << 20;
	assert_int_equal(class_of(l, a), AN_COLD); /* written back: allocates */
	assert_int_equal(class_of(l, a), AN_INTRA_THREAD);
	a.space = TR_S_TEXTURE;
	assert_int_equal(class_of(l, a), AN_NCLASSES);
	an_locality_free(l);

	l = make(UNBOUNDED, 32, TR_W_ALLOCATE, 1, 0);
	an_locality_launch(l, 0, 32, &plain);
	a = load(0, 1, 7);
	a.op = TR_A_WRITE;
	assert_int_equal(class_of(l, a), AN_COLD);
	assert_int_equal(class_of(l, load(0, 1, 7)), AN_INTRA_THREAD);
	an_locality_free(l);
}

static void three_kinds_of_misses(void **unused)
{
	struct an_locality *l = make(DIRECT(4), 32, TR_W_EVICT, 1, 0);

	(void)unused;
	an_locality_launch(l, 0, 32, &plain);
	assert_int_equal(class_of(l, load(0, 1, 0)), AN_COLD);
	assert_int_equal(class_of(l, load(0, 1, 4)), AN_COLD);
	assert_int_equal(class_of(l, load(0, 1, 0)), AN_CONFLICT); /* same set, but only 2 of 4 */
	for (uint32_t line = 8; line < 12; line++)
		assert_int_equal(class_of(l, load(0, 1, line)), AN_COLD);
	assert_int_equal(class_of(l, load(0, 1, 0)), AN_CAPACITY);
	assert_int_equal(class_of(l, load(1, 1, 0)), AN_INTER_WARP);
	assert_int_equal(class_of(l, load(1, 1, 8)), AN_CAPACITY);
	assert_int_equal(class_of(l, load(1, 1, 8)), AN_INTRA_THREAD); /* now it is warp 1's */
	an_locality_free(l);
}

static void launches(void **unused)
{
	for (int flush = 0; flush < 2; flush++) {
		struct an_locality *l = make(UNBOUNDED, 32, TR_W_EVICT, flush, 0);

		(void)unused;
		an_locality_launch(l, 0, 32, &plain);
		assert_int_equal(class_of(l, load(0, 1, 0)), AN_COLD);
		an_locality_launch(l, 1, 32, &plain);
		assert_int_equal(class_of(l, load(0, 1, 0)), flush ? AN_COLD : AN_INTER_CTA);
		an_locality_free(l);
	}
}

static void wide_warps(void **unused)
{
	struct an_locality *l = make(UNBOUNDED, 256, TR_W_EVICT, 1, 0);
	struct tr_access a = load(0, 0, 0), b = a, c = a;

	(void)unused;
	a.lanes[3] = 1ull << 63;
	b.lanes[1] = 1;
	c.lanes[3] = 3ull << 62;
	an_locality_launch(l, 0, 32, &plain);
	assert_int_equal(class_of(l, a), AN_COLD);
	assert_int_equal(class_of(l, b), AN_INTRA_WARP);
	assert_int_equal(class_of(l, b), AN_INTRA_THREAD);
	assert_int_equal(class_of(l, c), AN_INTRA_THREAD);
	an_locality_free(l);
}

static void refusals(void **unused)
{
	struct an_locality *l = make(UNBOUNDED, 32, TR_W_EVICT, 1, 0);
	const struct an_locality_options both = {DIRECT(4), 32, TR_W_EVICT, 1, 1};
	struct tr_access a = load(0, 1, 0);
	struct an_counts c = {0};
	struct an_locality *none;
	struct tr_err err;

	(void)unused;
	an_locality_launch(l, 0, 32, &nest);
	a.loop = 2;
	assert_int_equal(an_locality_access(l, &a, &c, &err), TR_EDATA);
	a = load(0, 1, 0);
	a.sm = 1 << 20;
	assert_int_equal(an_locality_access(l, &a, &c, &err), TR_EDATA);
	assert_int_equal(an_locality_new(&none, &both, &err), TR_EUSAGE);
	an_locality_free(l);
}

/* ---- the slow twin ---- */

#define LINES 64

static struct tr_access random_access(uint32_t lines, bool stores)
{
	struct tr_access a = load(below(3), 1ull << below(4) | 1ull << below(32), below(lines));

	a.cta = below(2);
	a.sm = below(2);
	if (stores && !below(6))
		a.op = (uint8_t)below(3);
	if (stores && !below(6))
		a.space = below(2) ? TR_S_LOCAL : TR_S_TEXTURE;
	return a;
}

static void against_twin(struct sim_geometry g, uint32_t lines, uint32_t write, int flush)
{
	struct an_locality *l = make(g, 32, write, flush, 0);
	struct twin_sm *sms = calloc(2, sizeof(*sms));
	uint32_t launch = 0;

	an_locality_launch(l, 0, 32, &plain);
	for (uint32_t i = 0; i < 2000; i++) {
		const struct tr_access a = random_access(lines, i % 4);

		if (!below(400)) {
			an_locality_launch(l, ++launch, 32, &plain);
			if (flush)
				memset(sms, 0, 2 * sizeof(*sms));
		}
		assert_int_equal(class_of(l, a), twin_class(&sms[a.sm], &g, launch, &a, write));
	}
	an_locality_free(l);
	free(sms);
}

static void slow_twin(void **unused)
{
	(void)unused;
	for (uint32_t k = 0; k < 300; k++) {
		struct sim_geometry g = {1u << below(4), 1 + below(4), 128, below(3)};

		if (!below(4))
			g = (struct sim_geometry){0, 0, 128, 0};
		against_twin(g, 2 + below(LINES - 2), k % 4 < 3 ? k % 4 : TR_W_EVICT, k % 3 > 0);
	}
}

/* ---- reuse distances ---- */

static uint64_t misses_of(const struct tr_access *a, uint32_t n, struct sim_geometry g)
{
	struct an_locality *l = make(g, 32, TR_W_EVICT, 1, 0);
	struct an_counts c = {0};

	an_locality_launch(l, 0, 32, &plain);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(an_locality_access(l, &a[i], &c, NULL), 1);
	an_locality_free(l);
	return an_misses(&c);
}

static void every_size(void **unused)
{
	struct tr_access a[1500];
	const an_distances *d;

	(void)unused;
	for (uint32_t k = 0; k < 30; k++) {
		struct an_locality *l = make(UNBOUNDED, 32, TR_W_EVICT, 1, 1);
		struct an_counts c = {0};
		uint64_t of[AN_NHITS] = {0}, misses;
		size_t n;

		an_locality_launch(l, 0, 32, &plain);
		for (uint32_t i = 0; i < 1500; i++) {
			a[i] = random_access(40, k % 2);
			an_locality_access(l, &a[i], &c, NULL);
		}
		d = an_locality_distances(l, &n);
		assert_in_range(n, 1, 40);
		misses = an_hits(&c) + an_misses(&c);
		for (uint32_t ways = 1; ways <= n; ways++) {
			for (unsigned h = 0; h < AN_NHITS; h++) {
				misses -= d[ways - 1][h];
				of[h] += d[ways - 1][h];
			}
			assert_int_equal(
				misses_of(a, 1500, (struct sim_geometry){1, ways, 128, 0}), misses);
		}
		assert_memory_equal(of, c.of, sizeof(of));
		an_locality_free(l);
	}
}

/* ---- trips ---- */

struct run { /* warps that know where they are */
	struct an_locality *l;
	uint64_t used[8][LINES];    /* per warp and line: the trip's number, over all loops' */
	uint64_t outer, last_outer; /* first number of this trip of the outer loop, of the last */
	uint64_t numbers;
	struct an_counts got, want;
};

/* Each warp has lines of its own, so that all hits are its own. */
static void step(struct run *r, uint32_t warp, uint32_t loop, uint32_t trip, uint32_t inst,
	uint32_t line, uint64_t began, uint64_t last_began)
{
	struct tr_access a = load(warp, 1, warp * LINES + line);
	const uint64_t used = r->used[warp][line];

	a.loop = loop;
	a.trip = trip;
	a.inst = inst;
	assert_int_equal(an_locality_access(r->l, &a, &r->got, NULL), 1);
	if (used && loop != TR_NONE && used >= began)
		r->want.when[AN_THIS_TRIP]++;
	else if (used && loop != TR_NONE)
		r->want.when[used >= last_began ? AN_LAST_TRIP : AN_OTHER]++;
	r->used[warp][line] = r->numbers;
	for (unsigned k = 0; k < AN_NWHEN; k++)
		assert_int_equal(r->got.when[k], r->want.when[k]);
}

static void inner_loop(struct run *r, uint32_t warp, uint32_t trips)
{
	uint64_t began = ++r->numbers, last = began;

	for (uint32_t t = 0; t < trips; t++) {
		if (t) {
			last = began;
			began = ++r->numbers;
		}
		for (uint32_t i = 0; i < 1 + below(3); i++)
			step(r, warp, 1, t, 20 + i, below(12), began, last);
	}
	r->numbers++;
}

/* An outer loop whose trips load before the inner loop, and perhaps after it. */
static void outer_loop(struct run *r, uint32_t warp, uint32_t trips)
{
	uint64_t began = ++r->numbers, last = began;

	for (uint32_t t = 0; t < trips; t++) {
		if (t) {
			last = began;
			began = ++r->numbers;
		}
		step(r, warp, 0, t, 10, below(12), began, last);
		inner_loop(r, warp, below(4));
		if (below(2))
			step(r, warp, 0, t, 11, below(12), began, last);
	}
	r->numbers++;
	if (below(2))
		step(r, warp, TR_NONE, 0, 30, below(12), 0, 0);
}

static void known_trips(void **unused)
{
	(void)unused;
	for (uint32_t k = 0; k < 60; k++) {
		struct run r = {.l = make(UNBOUNDED, 32, TR_W_EVICT, 1, 0)};

		an_locality_launch(r.l, 0, 32, &nest);
		for (uint32_t i = 0; i < 40; i++)
			outer_loop(&r, below(8), 1 + below(5));
		assert_true(r.want.when[AN_THIS_TRIP] && r.want.when[AN_LAST_TRIP]);
		an_locality_free(r.l);
	}
}

static void trips_without_accesses(void **unused)
{
	struct an_locality *l = make(UNBOUNDED, 32, TR_W_EVICT, 1, 0);
	struct an_counts c = {0};
	struct tr_access a = load(0, 1, 0);

	(void)unused;
	an_locality_launch(l, 0, 32, &nest);
	a.loop = 0;
	an_locality_access(l, &a, &c, NULL);
	a.trip = 2; /* what the last trip would have used is not known to be this line */
	an_locality_access(l, &a, &c, NULL);
	assert_int_equal(c.when[AN_OTHER], 1);
	a.loop = TR_NONE;
	a.trip = 0;
	an_locality_access(l, &a, &c, NULL);
	a.loop = 0;
	a.trip = 3; /* of another entry: the warp was outside */
	an_locality_access(l, &a, &c, NULL);
	assert_int_equal(c.when[AN_OTHER], 2);
	assert_int_equal(c.when[AN_LAST_TRIP], 0);
	an_locality_free(l);
}

/* for i: for j: load. The outer loop's trips show only in those of the inner one. */
static void nest_without_outer_loads(void **unused)
{
	struct an_locality *l = make(UNBOUNDED, 32, TR_W_EVICT, 1, 0);
	struct an_counts c = {0};
	struct tr_access a = load(0, 1, 0);

	(void)unused;
	an_locality_launch(l, 0, 32, &nest);
	a.loop = 1;
	a.inst = 5;
	for (uint32_t i = 0; i < 3; i++)
		an_locality_access(l, &a, &c, NULL); /* trip 0 again and again: one trip each */
	assert_int_equal(c.when[AN_OTHER], 2);
	a.loop = 0;
	a.trip = 2;
	a.inst = 9;
	an_locality_access(l, &a, &c, NULL); /* in the same outer trip as the last inner one */
	assert_int_equal(c.when[AN_THIS_TRIP], 1);
	a.loop = 1;
	a.trip = 0;
	a.inst = 5;
	an_locality_access(l, &a, &c, NULL);
	assert_int_equal(c.when[AN_OTHER], 3);
	a.loop = 0;
	a.trip = 3;
	a.line = 128;
	an_locality_access(l, &a, &c, NULL);
	a.loop = 1;
	a.trip = 0;
	a.line = 256;
	an_locality_access(l, &a, &c, NULL);
	a.loop = 0;
	a.trip = 4;
	a.line = 128;
	an_locality_access(l, &a, &c, NULL);
	assert_int_equal(c.when[AN_LAST_TRIP], 1);
	an_locality_free(l);
}

/* More warps than an SM holds come and go; those that stay know their trips. */
static void warps_come_and_go(void **unused)
{
	struct an_locality *l = make(UNBOUNDED, 32, TR_W_EVICT, 1, 0);
	struct an_counts c = {0}, other = {0};

	(void)unused;
	an_locality_launch(l, 0, 32, &nest);
	for (uint32_t i = 0; i < 2000; i++) {
		struct tr_access a = load(0, 1, 0);

		a.loop = 0;
		a.trip = i / 50;
		a.inst = i % 50;
		if (i % 50 == 0)
			an_locality_access(l, &a, &c, NULL);
		a.cta = i + 1;
		a.line = 128;
		an_locality_access(l, &a, &other, NULL);
	}
	assert_int_equal(c.when[AN_LAST_TRIP], 2000 / 50 - 1);
	an_locality_free(l);
}

/*
 * Of CTAs whose last warp has fewer threads than a warp holds, more warps are on an SM than its
 * threads would fill: all of them know their trips. The other way round memory is bounded: warps
 * that ended long ago are forgotten.
 */
static void partial_warps(void **unused)
{
	static const struct {
		uint32_t threads, warp_size, ctas;
	} cases[] = {{96, 64, 64}, {33, 17, 64}, {1024, 24, 16}, {1, 32, 64}};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const uint32_t warps =
			(cases[i].threads + cases[i].warp_size - 1) / cases[i].warp_size;
		struct an_locality *l = make(UNBOUNDED, cases[i].warp_size, TR_W_EVICT, 1, 0);
		struct an_counts c = {0};

		an_locality_launch(l, 0, cases[i].threads, &nest);
		for (uint32_t trip = 0; trip < 4; trip++)
			for (uint32_t w = 0; w < cases[i].ctas * warps; w++) {
				struct tr_access a = load(w % warps, 1, w);

				a.cta = w / warps;
				a.loop = 0;
				a.trip = trip;
				assert_int_equal(an_locality_access(l, &a, &c, NULL), 1);
			}
		assert_int_equal(c.when[AN_LAST_TRIP], 3 * cases[i].ctas * warps);
		assert_int_equal(c.when[AN_OTHER], 0);
		an_locality_free(l);
	}
}

/* ---- memory divergence ---- */

static enum an_divergence_kind verdict(const uint32_t (*points)[3])
{
	struct an_divergence d = {0};
	enum an_divergence_kind k;

	for (; (*points)[0]; points++)
		for (uint32_t i = 0; i < (*points)[2]; i++)
			assert_int_equal(an_divergence_add(&d, (*points)[0], (*points)[1]), 1);
	k = an_divergence_verdict(&d);
	an_divergence_free(&d);
	return k;
}

static void verdicts(void **unused)
{
	static const uint32_t one_line[][3] = {{32, 1, 5}, {7, 2, 5}, {0, 0, 0}};
	static const uint32_t all_apart[][3] = {{32, 32, 5}, {7, 7, 5}, {0, 0, 0}};
	static const uint32_t half[][3] = {{32, 16, 5}, {0, 0, 0}};
	static const uint32_t nearly[][3] = {{32, 32, 9}, {32, 1, 1}, {0, 0, 0}};
	static const uint32_t not_quite[][3] = {{32, 32, 8}, {32, 1, 1}, {0, 0, 0}};
	static const uint32_t few[][3] = {{1, 1, 5}, {2, 2, 9}, {0, 0, 0}};
	static const uint32_t few_and_one[][3] = {{1, 1, 5}, {2, 2, 9}, {3, 3, 1}, {0, 0, 0}};
	static const uint32_t straddling[][3] = {{256, 512, 5}, {0, 0, 0}};

	(void)unused;
	assert_int_equal(verdict(one_line), AN_CONVERGED);
	assert_int_equal(verdict(all_apart), AN_COMPLETELY_DIVERGED);
	assert_int_equal(verdict(half), AN_SOMEWHAT_DIVERGED);
	assert_int_equal(verdict(nearly), AN_COMPLETELY_DIVERGED);
	assert_int_equal(verdict(not_quite), AN_SOMEWHAT_DIVERGED);
	assert_int_equal(verdict(few), AN_CONVERGED);
	assert_int_equal(verdict(few_and_one), AN_COMPLETELY_DIVERGED);
	assert_int_equal(verdict(straddling), AN_COMPLETELY_DIVERGED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(owners),
		cmocka_unit_test(stores_and_atomics),
		cmocka_unit_test(three_kinds_of_misses),
		cmocka_unit_test(launches),
		cmocka_unit_test(wide_warps),
		cmocka_unit_test(refusals),
		cmocka_unit_test(slow_twin),
		cmocka_unit_test(every_size),
		cmocka_unit_test(known_trips),
		cmocka_unit_test(trips_without_accesses),
		cmocka_unit_test(nest_without_outer_loads),
		cmocka_unit_test(warps_come_and_go),
		cmocka_unit_test(partial_warps),
		cmocka_unit_test(verdicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
