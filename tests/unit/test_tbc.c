/*
 * tbc: figures 7 and 9 of the paper on the stack itself, its counts of warps against a plain count,
 * and the machine: a CTA of one warp is a per-warp stack, coherent kernels cost what is declared and
 * no more, and every thread of random programs runs its own record.
 */
#include "tests/unit/tangle.h"

/* The policy by itself: its stack is looked at, and the SM is the stand-ins below. */
static uint32_t stand_in_new(struct sim_sm *sm, uint32_t cta);
static void stand_in_free(struct sim_sm *sm, uint32_t warp);
static void stand_in_ready(struct sim_sm *sm, uint32_t warp, uint64_t at);
static void stand_in_hold(struct sim_sm *sm, uint32_t warp);
#define sim_sm_warp_new stand_in_new
#define sim_sm_warp_free stand_in_free
#define sim_sm_warp_ready stand_in_ready
#define sim_sm_warp_hold stand_in_hold
#define sim_warp_tbc tbc_alone
#include "sim/warp/tbc.c"
#undef sim_sm_warp_new
#undef sim_sm_warp_free
#undef sim_sm_warp_ready
#undef sim_sm_warp_hold
#undef sim_warp_tbc

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LANES 4

/* ---- a CTA of warps of four lanes, without a machine around it ---- */

static struct alone {
	struct sim_config config;
	struct sim_warp warps[8];
	uint16_t places[8][64];
	struct sim_thread threads[32];
	struct sim_warp_env env;
	uint64_t ready[8]; /* cycle, or 0: not ready */
	uint32_t nwarps;
	int64_t params[SIM_PARAMS];
	struct tbc *t;
} alone;

static uint32_t stand_in_new(struct sim_sm *sm, uint32_t cta)
{
	(void)sm;
	alone.warps[alone.nwarps].thread = alone.places[alone.nwarps];
	alone.warps[alone.nwarps].cta = cta;
	return alone.nwarps++;
}

static void stand_in_free(struct sim_sm *sm, uint32_t warp)
{
	(void)sm;
	alone.ready[warp] = 0;
	alone.nwarps--;
}

static void stand_in_ready(struct sim_sm *sm, uint32_t warp, uint64_t at)
{
	(void)sm;
	alone.ready[warp] = at;
}

static void stand_in_hold(struct sim_sm *sm, uint32_t warp)
{
	(void)sm;
	alone.ready[warp] = 0;
}

static void begin(const struct tr_program *p, uint32_t threads)
{
	uint32_t slots, lanes;
	size_t bytes;

	memset(&alone, 0, sizeof(alone));
	sim_config_default(&alone.config);
	alone.config.sm.threads = 32;
	alone.config.sm.warp_size = LANES;
	alone.params[COMPACT] = alone.params[RATE] = 1;
	shape(&alone.config, alone.params, &slots, &lanes, &bytes);
	assert_int_equal(slots, 8);
	alone.t = calloc(1, bytes);
	assert_non_null(alone.t);
	alone.env = (struct sim_warp_env){.config = &alone.config,
		.program = p,
		.warps = alone.warps,
		.nwarps = 8,
		.threads = alone.threads,
		.nthreads = threads,
		.stride = threads};
	start(alone.t, &alone.env, alone.params);
	arrive(alone.t, &alone.env, 0, 0, threads, 100);
}

static void end(void)
{
	free(alone.t);
}

/* A warp is at the end of its block: threads in `taken` (a bit each) go to `to`, others to `other`. */
static void comes(uint32_t warp, uint32_t pc, uint32_t taken, uint32_t to, uint32_t other)
{
	struct sim_warp *w = &alone.warps[warp];

	assert_true(alone.ready[warp] > 0);
	w->pc = pc;
	for (uint64_t m = w->lanes.w[0]; m; m &= m - 1) {
		const uint32_t thread = w->thread[__builtin_ctzll(m)];

		alone.threads[thread].pc = taken >> thread & 1 ? to : other;
	}
	next(alone.t, &alone.env, warp, 200);
}

/* The threads of an entry, a bit each. */
static uint32_t threads_of(uint32_t entry)
{
	const struct block *b = &alone.t->block[0];
	uint32_t all = 0;

	for (uint32_t r = 0; r < b->rows; r++)
		all |= (uint32_t)mask_of(b, entry)[r] << (r * LANES);
	return all;
}

static void assert_entry(uint32_t i, uint32_t pc, uint32_t rpc, uint32_t threads)
{
	assert_int_equal(alone.t->block[0].entry[i].pc, pc);
	assert_int_equal(alone.t->block[0].entry[i].rpc, rpc);
	assert_int_equal(threads_of(i), threads);
}

/* The threads of a warp in the order of its lanes, numbered from 1; 0: no thread. */
static void assert_warp(uint32_t warp, const unsigned want[LANES])
{
	for (uint32_t l = 0; l < LANES; l++) {
		const struct sim_warp *w = &alone.warps[warp];
		const unsigned thread = w->lanes.w[0] >> l & 1 ? w->thread[l] + 1u : 0;

		assert_int_equal(thread, want[l]);
	}
}

/* ---- figure 7 ---- */

#define THREADS(...) bits((const unsigned[]){__VA_ARGS__, 0})

static uint32_t bits(const unsigned *threads)
{
	uint32_t all = 0;

	for (; *threads; threads++)
		all |= 1u << (*threads - 1);
	return all;
}

/* Threads 1, 6 and 7 go to C, by the branch, the others fall through to B. */
static uint64_t to_c(const struct at *a)
{
	return a->thread == 0 || a->thread == 5 || a->thread == 6;
}

struct figure {
	struct kernel k;
	uint32_t a, b, c, d;
};

static void example_1(struct figure *x)
{
	uint32_t c, d;

	kernel_begin(&x->k, "example 1");
	c = label(&x->k);
	d = label(&x->k);
	x->a = x->k.p->ninsts;
	branch(&x->k, c, to_c, 0);
	x->b = op(&x->k, TR_C_INT, reg(&x->k), TR_NONE);
	jump(&x->k, d);
	here(&x->k, c);
	x->c = op(&x->k, TR_C_INT, reg(&x->k), TR_NONE);
	here(&x->k, d);
	x->d = op(&x->k, TR_C_INT, reg(&x->k), TR_NONE);
	kernel_end(&x->k);
}

static void test_figure_7(void **state)
{
	const uint32_t c = THREADS(1, 6, 7), all = 0xff;
	struct figure x;
	struct block *b;

	(void)state;
	example_1(&x);
	begin(x.k.p, 8);
	b = &alone.t->block[0];
	assert_int_equal(b->depth, 1); /* (1) one entry, (2) two warps */
	assert_entry(0, x.a, TR_EXIT, all);
	assert_int_equal(b->wcnt, 2);
	assert_warp(0, (const unsigned[]){1, 2, 3, 4});
	assert_warp(1, (const unsigned[]){5, 6, 7, 8});
	comes(1, x.a, c, x.c, x.b); /* (3) the second one waits for the first */
	assert_int_equal(b->wcnt, 1);
	assert_int_equal(alone.ready[1], 0);
	comes(0, x.a, c, x.c, x.b);
	assert_int_equal(b->depth, 3); /* (4) */
	assert_entry(0, x.d, TR_EXIT, all);
	assert_entry(1, x.b, x.d, all & ~c);
	assert_entry(2, x.c, x.d, c);
	assert_int_equal(b->wcnt, 1); /* (5) one warp */
	assert_warp(0, (const unsigned[]){1, 6, 7, 0});
	assert_int_equal(alone.ready[0], 201);
	assert_int_equal(alone.ready[1], 0);
	comes(0, x.c, 0, 0, x.d); /* (6), (7) */
	assert_int_equal(b->depth, 2);
	assert_int_equal(b->wcnt, 2); /* (8) two warps, one a cycle */
	assert_warp(0, (const unsigned[]){5, 2, 3, 4});
	assert_warp(1, (const unsigned[]){0, 0, 0, 8});
	assert_int_equal(alone.ready[0], 202); /* the compactor was busy until 201 */
	assert_int_equal(alone.ready[1], 203);
	comes(0, x.b + 1, 0, 0, x.d); /* (9) */
	assert_int_equal(b->depth, 2);
	comes(1, x.b + 1, 0, 0, x.d);
	assert_int_equal(b->depth, 1); /* (10) as they were */
	assert_entry(0, x.d, TR_EXIT, all);
	assert_warp(0, (const unsigned[]){1, 2, 3, 4});
	assert_warp(1, (const unsigned[]){5, 6, 7, 8});
	comes(0, x.d + 1, 0, 0, TR_EXIT);
	assert_int_equal(b->depth, 1);
	comes(1, x.d + 1, 0, 0, TR_EXIT);
	assert_int_equal(b->depth, 0);
	assert_int_equal(alone.nwarps, 0);
	end();
	tr_program_free(x.k.p);
}

/* Figure 7 below: 8 issues of blocks with per-warp stacks, 7 when C is compacted: 12.5 %. */
static void test_example_1(void **state)
{
	static const struct {
		const char *warp;
		unsigned c;
	} cases[] = {{"fixed:4", 2}, {"tbc", 1}, {"tbc:compact=0", 2}};
	struct figure x;
	struct stage s = {.kernel = &x.k, .ctas = 1, .threads = 8};
	struct trace trace;

	(void)state;
	example_1(&x);
	trace = record_stages(&s, 1);
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct trial t;

		trial_begin(&t, "sm.warp_size=4 sm.simd_width=4");
		trial_policies(&t, "lrr", cases[i].warp);
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].insts[x.a].warp_insts, 2);
		assert_int_equal(t.stats[0].insts[x.b].warp_insts, 2);
		assert_int_equal(t.stats[0].insts[x.c].warp_insts, cases[i].c);
		assert_int_equal(t.stats[0].insts[x.d].warp_insts, 2);
		assert_int_equal(t.stats[0].stack_depth_max, 3);
		trial_end(&t);
	}
	free(trace.bytes);
	tr_program_free(x.k.p);
}

/* ---- figure 9 ---- */

/*
 * Three warps come to the branch, W2 first, then W3, then W1. The two entries above the top fill up
 * bit by bit; WCnt of the top counts down; then as many warps as the fullest lane has threads.
 */
static void test_figure_9(void **state)
{
	const uint32_t c = THREADS(2, 3, 5, 7, 10, 12);
	struct figure x;
	struct block *b;

	(void)state;
	example_1(&x);
	begin(x.k.p, 12);
	b = &alone.t->block[0];
	comes(1, x.a, c, x.c, x.b);
	assert_int_equal(b->wcnt, 2);
	assert_int_equal(b->built, 2);
	assert_int_equal(b->depth, 1);
	assert_int_equal(threads_of(1), THREADS(6, 8)); /* the fall-through, below */
	assert_int_equal(threads_of(2), THREADS(5, 7));
	comes(2, x.a, c, x.c, x.b);
	assert_int_equal(b->wcnt, 1);
	assert_int_equal(threads_of(1), THREADS(6, 8, 9, 11));
	assert_int_equal(threads_of(2), THREADS(5, 7, 10, 12));
	comes(0, x.a, c, x.c, x.b);
	assert_int_equal(b->depth, 3);
	assert_entry(2, x.c, x.d, c);
	assert_int_equal(b->wcnt, 2); /* lanes 2 and 3 have two threads each */
	assert_warp(0, (const unsigned[]){5, 2, 3, 12});
	assert_warp(1, (const unsigned[]){0, 10, 7, 0});
	end();
	tr_program_free(x.k.p);
}

/* All go one way: the other entry has no bits, and nobody runs it. */
static void test_empty_entry(void **state)
{
	struct figure x;

	(void)state;
	example_1(&x);
	begin(x.k.p, 8);
	comes(0, x.a, 0xff, x.c, x.b);
	comes(1, x.a, 0xff, x.c, x.b);
	assert_int_equal(alone.t->block[0].depth, 1);
	assert_entry(0, x.c, TR_EXIT, 0xff);
	assert_int_equal(alone.t->block[0].wcnt, 2);
	end();
	tr_program_free(x.k.p);
}

/* ---- counts ---- */

static uint64_t coin(const struct at *a)
{
	return mixed(mixed(a->thread + 1024ull * a->cta) + a->x) >> 7 & 1;
}

static uint64_t odd_lane(const struct at *a)
{
	return a->thread & 1;
}

static uint64_t odd_warp(const struct at *a)
{
	return a->thread / 32 & 1;
}

/* The warps of a path: the most threads that one lane has on it, CTA by CTA. */
static uint64_t warps_of(record_fn goes, uint64_t way, uint64_t x, uint32_t ctas, uint32_t warps)
{
	uint64_t all = 0;

	for (uint32_t cta = 0; cta < ctas; cta++) {
		uint32_t most = 0;

		for (uint32_t lane = 0; lane < 32; lane++) {
			uint32_t n = 0;

			for (uint32_t w = 0; w < warps; w++)
				n += goes(&(struct at){.cta = cta, .thread = w * 32 + lane, .x = x}) ==
				     way;
			most = n > most ? n : most;
		}
		all += most;
	}
	return all;
}

/*
 * Known answers 11 to 13. Drawn by coins, each path has as many warps as its fullest lane has
 * threads; a branch on the lane's parity gains nothing, one on the warp's parts nothing.
 */
static void test_compaction(void **state)
{
	static const record_fn goes[] = {coin, odd_lane, odd_warp};
	const uint32_t ctas = 5;

	(void)state;
	for (unsigned i = 0; i < COUNT(goes); i++)
		for (uint32_t warps = 2; warps <= 16; warps *= 2) {
			struct kernel k;
			struct stage s = {.kernel = &k, .ctas = ctas, .threads = 32 * warps};
			struct trace trace;
			struct trial t;
			uint32_t c, d, taken, other;

			kernel_begin(&k, "two ways");
			c = label(&k);
			d = label(&k);
			branch(&k, c, goes[i], 3);
			other = op(&k, TR_C_INT, reg(&k), TR_NONE);
			jump(&k, d);
			here(&k, c);
			taken = op(&k, TR_C_INT, reg(&k), TR_NONE);
			here(&k, d);
			kernel_end(&k);
			trace = record_stages(&s, 1);
			trial_begin(&t, "");
			trial_policies(&t, "gto", "tbc");
			trial_must_run(&t, &trace);
			assert_int_equal(t.stats[0].insts[taken].warp_insts,
				warps_of(goes[i], 1, 3, ctas, warps));
			assert_int_equal(t.stats[0].insts[other].warp_insts,
				warps_of(goes[i], 0, 3, ctas, warps));
			if (goes[i] == odd_lane)
				assert_int_equal(
					t.stats[0].insts[taken].warp_insts, ctas * warps);
			if (goes[i] == odd_warp)
				assert_int_equal(
					t.stats[0].insts[taken].active_lanes, ctas * warps * 16);
			trial_end(&t);
			free(trace.bytes);
			tr_program_free(k.p);
		}
}

/* ---- the eddy of figure 1 ---- */

static uint64_t one_is_late(const struct at *a)
{
	return a->visit < 3u + (a->thread == 37);
}

/* One thread stays a trip longer. Behind the loop all are together again, in full warps. */
static void test_no_eddy(void **state)
{
	struct kernel k;
	struct stage s = {.kernel = &k, .ctas = 1, .threads = 128};
	struct trace trace;
	struct trial t;
	uint32_t top, behind;

	(void)state;
	kernel_begin(&k, "eddy");
	top = label(&k);
	here(&k, top);
	op(&k, TR_C_INT, reg(&k), TR_NONE);
	branch(&k, top, one_is_late, 0);
	behind = op(&k, TR_C_INT, reg(&k), TR_NONE);
	straight(&k, 20);
	kernel_end(&k);
	trace = record_stages(&s, 1);
	trial_begin(&t, "");
	trial_policies(&t, "lrr", "tbc");
	trial_must_run(&t, &trace);
	for (uint32_t i = behind; i < behind + 20; i++)
		assert_int_equal(t.stats[0].insts[i].warp_insts, 4);
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- against per-warp stacks ---- */

/* What a run comes to, but for cycles' classes: a slot without threads waits for others. */
static void assert_same_run(const struct sim_stats *a, const struct sim_stats *b)
{
	assert_int_equal(a->cycles, b->cycles);
	assert_int_equal(a->warp_insts, b->warp_insts);
	assert_int_equal(a->active_lanes, b->active_lanes);
	assert_int_equal(a->stack_depth_max, b->stack_depth_max);
	assert_int_equal(a->path_hash, b->path_hash);
	assert_int_equal(a->by_cycle[SIM_CY_ISSUED], b->by_cycle[SIM_CY_ISSUED]);
}

/*
 * Random programs. Every thread runs its own record; where a CTA is one warp its stack is that warp's
 * own, with likely-convergence points too, and with free synchronization it takes the same time.
 */
static void test_tangles(void **state)
{
	static const char *const pairs[][2] = {
		{"fixed:32", "tbc:rate=0"}, {"fixed:32,lcp=1", "tbc:rate=0,lcp=1"}};
	static const char *const wide[] = {"tbc", "tbc:lcp=1", "tbc:compact=0,rate=2"};
	uint64_t rng = 5;

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		struct kernel k;
		struct stage one = {.kernel = &k, .ctas = 6, .threads = 32};
		struct stage more = {.kernel = &k, .ctas = 3, .threads = 150};
		struct trace trace;
		struct trial t;

		tangle(&k, &rng);
		trace = record_stages(&one, 1);
		trial_begin(&t, "sm.sms=2 sm.one_in_flight=yes");
		for (unsigned n = 0; n < COUNT(pairs); n++) {
			struct sim_stats fixed;

			trial_policies(&t, "gto", pairs[n][0]);
			trial_must_run(&t, &trace);
			fixed = t.res.total;
			trial_policies(&t, "gto", pairs[n][1]);
			trial_must_run(&t, &trace);
			assert_same_run(&t.res.total, &fixed);
		}
		trial_end(&t);
		free(trace.bytes);
		trace = record_stages(&more, 1);
		for (unsigned n = 0; n < COUNT(wide); n++) {
			uint64_t hash;

			trial_begin(&t, "sm.sms=2");
			trial_policies(&t, "lrr", wide[n]);
			trial_must_run(&t, &trace);
			assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
			hash = t.res.hash;
			t.opt.tick = 1;
			trial_must_run(&t, &trace);
			assert_int_equal(t.res.hash, hash);
			trial_end(&t);
		}
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

static uint64_t four_trips(const struct at *a)
{
	return a->visit < 3;
}

/*
 * A kernel whose warps never part. With no branch that may, tbc is fixed:32 cycle for cycle at any
 * rate. One warp at a branch of which nothing is proven pays a cycle of the compactor each time,
 * and nothing at rate=0.
 */
static void test_coherent(void **state)
{
	(void)state;
	for (unsigned branches = 0; branches < 2; branches++) {
		struct kernel k;
		struct stage s = {.kernel = &k, .ctas = 9, .threads = branches ? 32 : 256};
		struct trace trace;
		struct trial t;
		struct sim_stats fixed;
		uint32_t top;

		kernel_begin(&k, "coherent");
		top = label(&k);
		here(&k, top);
		load(&k, reg(&k), TR_NONE, words, 0);
		straight(&k, 7);
		if (branches)
			branch(&k, top, four_trips, 0);
		barrier(&k, 0, 0, 0);
		straight(&k, 5);
		kernel_end(&k);
		trace = record_stages(&s, 1);
		trial_begin(&t, "sm.sms=9 sm.one_in_flight=yes");
		trial_policies(&t, "gto", "fixed:32");
		trial_must_run(&t, &trace);
		fixed = t.res.total;
		trial_policies(&t, "gto", "tbc:rate=0");
		trial_must_run(&t, &trace);
		assert_same_run(&t.res.total, &fixed);
		trial_policies(&t, "gto", "tbc");
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.total.cycles, fixed.cycles + (branches ? 4 : 0));
		trial_end(&t);
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figure_7),
		cmocka_unit_test(test_example_1),
		cmocka_unit_test(test_figure_9),
		cmocka_unit_test(test_empty_entry),
		cmocka_unit_test(test_compaction),
		cmocka_unit_test(test_no_eddy),
		cmocka_unit_test(test_tangles),
		cmocka_unit_test(test_coherent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
