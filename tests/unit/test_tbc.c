/*
 * tbc: figures 7, 9 and 10 of the paper on the stack itself, its counts of warps against a plain
 * count and against the closed form, and the machine: a CTA of one warp is a per-warp stack,
 * coherent kernels cost what is declared and no more, warps that rely on being together are kept
 * together where that is asked for, and every thread of random programs runs its own record.
 */
#include "tests/unit/tangle.h"

/* The policy by itself: its stack is looked at, and the SM is the stand-ins below. */
#define sim_warp_tbc tbc_alone
#include "sim/warp/tbc.c"
#undef sim_warp_tbc

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LANES 4

static void assert_near(double value, double expected, double off)
{
	if (value < expected - off || value > expected + off)
		fail_msg("%g is not within %g of %g", value, off, expected);
}

/* ---- a CTA of warps of four lanes, without a machine around it ---- */

static struct alone {
	struct sim_config config;
	struct sim_warp warps[8];
	uint16_t places[8][64];
	struct sim_thread threads[32];
	struct sim_front front;
	uint64_t ready[8]; /* cycle, or 0: not ready */
	uint32_t nwarps;
	int64_t params[SIM_PARAMS];
	struct tbc *t;
} alone;

static uint32_t stand_in_take(struct sim_front *front, uint32_t cta)
{
	(void)front;
	alone.warps[alone.nwarps].thread = alone.places[alone.nwarps];
	alone.warps[alone.nwarps].cta = cta;
	return alone.nwarps++;
}

static void stand_in_drop(struct sim_front *front, uint32_t warp)
{
	(void)front;
	alone.ready[warp] = 0;
	alone.nwarps--;
}

static void stand_in_ready(struct sim_front *front, uint32_t warp, uint64_t at)
{
	(void)front;
	alone.ready[warp] = at;
}

static void stand_in_hold(struct sim_front *front, uint32_t warp)
{
	(void)front;
	alone.ready[warp] = 0;
}

static const struct sim_services services = {.take = stand_in_take,
	.drop = stand_in_drop,
	.ready = stand_in_ready,
	.hold = stand_in_hold};

static void begin_lcp(const struct tr_program *p, uint32_t threads, enum sim_lcp lcp)
{
	struct sim_shape needs = {0};
	struct tr_err err;

	memset(&alone, 0, sizeof(alone));
	sim_config_default(&alone.config);
	alone.config.sm.threads = 32;
	alone.config.sm.warp_size = LANES;
	alone.params[COMPACT] = alone.params[RATE] = alone.params[SYNC] = 1;
	alone.params[LCP] = lcp;
	assert_int_equal(shape(&alone.config, alone.params, &needs, &err), 1);
	assert_int_equal(needs.slots, 8);
	alone.t = calloc(1, needs.state_bytes);
	assert_non_null(alone.t);
	alone.front = (struct sim_front){.call = &services,
		.config = &alone.config,
		.program = p,
		.warps = alone.warps,
		.nwarps = 8,
		.threads = alone.threads,
		.nthreads = threads,
		.stride = threads};
	start(alone.t, &alone.front, alone.params);
	arrive(alone.t, &alone.front, 0, 0, threads, 100);
}

static void begin(const struct tr_program *p, uint32_t threads)
{
	begin_lcp(p, threads, SIM_LCP_NONE);
}

static void end(void)
{
	free(alone.t);
}

/* A warp is at the end of its block: threads in `taken` (a bit each) go to `to`, or to `other`. */
static void comes(uint32_t warp, uint32_t pc, uint32_t taken, uint32_t to, uint32_t other)
{
	struct sim_warp *w = &alone.warps[warp];

	assert_true(alone.ready[warp] > 0);
	w->pc = pc;
	w->to = TR_NONE;
	for (uint64_t m = w->lanes.w[0]; m; m &= m - 1) {
		const uint32_t thread = w->thread[__builtin_ctzll(m)];

		alone.threads[thread].pc = taken >> thread & 1 ? to : other;
	}
	next(alone.t, &alone.front, warp, 200);
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
	uint64_t blocks[COUNT(cases)];
	struct figure x;
	struct stage s = {.kernel = &x.k, .ctas = 1, .threads = 8};
	struct trace trace;

	(void)state;
	example_1(&x);
	trace = record_stages(&s, 1);
	for (unsigned i = 0; i < COUNT(cases); i++) {
		const struct sim_inst_stats *in;
		struct trial t;

		trial_begin(&t, "sm.warp_size=4 sm.simd_width=4");
		trial_policies(&t, "lrr", cases[i].warp);
		trial_must_run(&t, &trace);
		in = t.stats[0].insts;
		assert_int_equal(in[x.a].warp_insts, 2);
		assert_int_equal(in[x.b].warp_insts, 2);
		assert_int_equal(in[x.c].warp_insts, cases[i].c);
		assert_int_equal(in[x.d].warp_insts, 2);
		blocks[i] = in[x.a].warp_insts + in[x.b].warp_insts + in[x.c].warp_insts +
			    in[x.d].warp_insts;
		assert_int_equal(t.stats[0].stack_depth_max, 3);
		trial_end(&t);
	}
	assert_int_equal(1000 * (blocks[0] - blocks[1]), 125 * blocks[0]);
	assert_int_equal(blocks[2], blocks[0]);
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

/*
 * All go one way: the other entry has no bits, and nobody runs it. Which way it was is known when
 * all have come, so they meet at the reconvergence point like any others (section 3.3).
 */
static void test_empty_entry(void **state)
{
	struct figure x;
	const struct block *b;

	(void)state;
	example_1(&x);
	begin(x.k.p, 8);
	b = &alone.t->block[0];
	comes(0, x.a, 0xff, x.c, x.b);
	comes(1, x.a, 0xff, x.c, x.b);
	assert_int_equal(b->depth, 2);
	assert_int_equal(b->deepest, 3);
	assert_entry(0, x.d, TR_EXIT, 0xff);
	assert_entry(1, x.c, x.d, 0xff);
	assert_int_equal(b->wcnt, 2);
	comes(1, x.c, 0, 0, x.d);
	assert_int_equal(b->depth, 2);
	assert_int_equal(alone.ready[1], 0);
	comes(0, x.c, 0, 0, x.d);
	assert_int_equal(b->depth, 1);
	assert_warp(0, (const unsigned[]){1, 2, 3, 4});
	assert_warp(1, (const unsigned[]){5, 6, 7, 8});
	end();
	tr_program_free(x.k.p);
}

/* ---- figure 10 ---- */

/* The paper's example 2. Blocks by their first instruction, last[] by their last. */
struct example_2 {
	struct kernel k;
	uint32_t a, b, c, d, e, f;
};

static void example_2(struct example_2 *x)
{
	struct kernel *k = &x->k;
	uint32_t a, c, e, f;

	kernel_begin(k, "example 2");
	a = label(k);
	c = label(k);
	e = label(k);
	f = label(k);
	here(k, a);
	x->a = op(k, TR_C_INT, reg(k), TR_NONE);
	branch(k, c, always, 0);
	x->b = op(k, TR_C_INT, reg(k), TR_NONE);
	jump(k, e);
	here(k, c);
	x->c = op(k, TR_C_INT, reg(k), TR_NONE);
	branch(k, e, always, 0);
	x->d = k->p->ninsts;
	jump(k, f);
	here(k, e);
	x->e = op(k, TR_C_INT, reg(k), TR_NONE);
	branch(k, a, always, 0);
	here(k, f);
	x->f = op(k, TR_C_INT, reg(k), TR_NONE);
	kernel_end(k);
}

/* As the figure has it, of a CTA of one warp; then in a second warp the same happens with it. */
static void test_figure_10(void **state)
{
	(void)state;
	for (uint32_t warps = 1; warps <= 2; warps++) {
		const uint32_t t1 = warps == 1 ? THREADS(1) : THREADS(1, 5);
		const uint32_t t2 = warps == 1 ? THREADS(2) : THREADS(2, 6);
		const uint32_t t34 = warps == 1 ? THREADS(3, 4) : THREADS(3, 4, 7, 8);
		const uint32_t all = t1 | t2 | t34;
		struct example_2 x;
		const struct block *b;

		example_2(&x);
		begin_lcp(x.k.p, 4 * warps, SIM_LCP_PROGRAM);
		b = &alone.t->block[0];
		/* 1: thread 1 goes to B. 2: an entry without threads for E, and the two paths. */
		for (uint32_t w = 0; w < warps; w++)
			comes(w, x.a + 1, t1, x.b, x.c);
		assert_int_equal(b->depth, 4);
		assert_entry(0, x.f, TR_EXIT, all);
		assert_entry(1, x.e, x.f, 0);
		assert_entry(2, x.b, x.f, t1);
		assert_entry(3, x.c, x.f, t2 | t34);
		assert_int_equal(b->entry[2].likely, 2);
		assert_int_equal(b->entry[3].likely, 2);
		/* 3, 4, 5: thread 2 comes to E, where it is merged; threads 3 and 4 go to D. */
		for (uint32_t w = 0; w < warps; w++)
			comes(w, x.c + 1, t2, x.e, x.d);
		assert_int_equal(b->depth, 4);
		assert_entry(1, x.e, x.f, t2);
		assert_entry(3, x.d, x.f, t34);
		/* 6, 7: they come to F. 8: thread 1 executes B. */
		for (uint32_t w = 0; w < warps; w++)
			comes(w, x.d, 0, 0, x.f);
		assert_int_equal(b->depth, 3);
		assert_int_equal(alone.warps[0].pc, x.b);
		assert_int_equal(b->wcnt, warps);
		/* 9: its entry is popped at E. */
		for (uint32_t w = 0; w < warps; w++)
			comes(w, x.b + 1, 0, 0, x.e);
		assert_int_equal(b->depth, 2);
		assert_entry(1, x.e, x.f, t1 | t2);
		assert_int_equal(b->wcnt, warps);
		/* 10: threads 1 and 2 come to F, and all are together. */
		for (uint32_t w = 0; w < warps; w++)
			comes(w, x.e + 1, 0, 0, x.f);
		assert_int_equal(b->depth, 1);
		assert_entry(0, x.f, TR_EXIT, all);
		assert_int_equal(b->wcnt, warps);
		end();
		tr_program_free(x.k.p);
	}
}

/* ---- counts ---- */

static uint64_t coin(const struct at *a)
{
	return mixed(mixed(a->thread + 1024ull * a->cta) + a->x) >> 7 & 1;
}

static uint64_t one_in_a_hundred(const struct at *a)
{
	return (mixed(mixed(a->thread + 1024ull * a->cta) + 9) >> 7) % 100 == 0;
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
				n += way == goes(&(struct at){
						    .cta = cta, .thread = w * 32 + lane, .x = x});
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
	static const record_fn goes[] = {coin, odd_lane, odd_warp, one_in_a_hundred};
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
				assert_int_equal(t.stats[0].insts[taken].warp_insts, ctas * warps);
			if (goes[i] == odd_warp)
				assert_int_equal(
					t.stats[0].insts[taken].active_lanes, ctas * warps * 16);
			trial_end(&t);
			free(trace.bytes);
			tr_program_free(k.p);
		}
}

/* The mean of the most threads that one of 32 lanes has on a path that each takes by chance. */
static double mean_most(uint32_t warps, double share)
{
	double most = 0, below = 0, choose = 1;

	for (uint32_t k = 0; k < warps; k++) { /* below: a lane has k threads at most */
		double p = choose, all = 1;

		for (uint32_t i = 0; i < warps; i++)
			p *= i < k ? share : 1 - share;
		below += p;
		for (uint32_t lane = 0; lane < 32; lane++)
			all *= below;
		most += 1 - all;
		choose *= (double)(warps - k) / (k + 1);
	}
	return most;
}

/*
 * Known answers 10 and 13: what compaction saves at an even branch, by the number of warps of the
 * CTA, and of a single warp the paths of which one is rare, where there is nothing to save.
 */
static void test_expectation(void **state)
{
	static const struct {
		uint32_t warps, ctas;
		record_fn goes;
		double share, saved; /* as published; of one warp: the SIMD efficiency */
	} cases[] = {{2, 400, coin, .5, .0}, {4, 400, coin, .5, .032}, {8, 200, coin, .5, .151},
		{16, 100, coin, .5, .247}, {32, 60, coin, .5, .319},
		{1, 4000, one_in_a_hundred, .01, .7843}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		const uint32_t warps = cases[i].warps;
		const double mean =
			mean_most(warps, cases[i].share) + mean_most(warps, 1 - cases[i].share);
		uint64_t all = 0;

		for (uint64_t way = 0; way < 2; way++)
			all += warps_of(cases[i].goes, way, 3, cases[i].ctas, warps);
		assert_near((double)all / cases[i].ctas, mean, .02 * mean);
		assert_near(warps == 1 ? 1 / mean : 1 - mean / (2 * warps), cases[i].saved, .001);
	}
}

/* ---- the eddy of figure 1 ---- */

static uint64_t one_is_late(const struct at *a)
{
	return a->visit < 3u + (a->thread == 37);
}

/*
 * One thread stays a trip longer. After the loop all are together again, in full warps; where the
 * majority of dwf goes on without it, it trails after by itself (known answer 15).
 */
static void test_no_eddy(void **state)
{
	struct kernel k;
	struct stage s = {.kernel = &k, .ctas = 1, .threads = 128};
	struct trace trace;
	struct trial t;
	uint32_t top, after;

	(void)state;
	kernel_begin(&k, "eddy");
	top = label(&k);
	here(&k, top);
	op(&k, TR_C_INT, reg(&k), TR_NONE);
	branch(&k, top, one_is_late, 0);
	after = op(&k, TR_C_INT, reg(&k), TR_NONE);
	straight(&k, 20);
	kernel_end(&k);
	trace = record_stages(&s, 1);
	trial_begin(&t, "");
	trial_policies(&t, "lrr", "tbc");
	trial_must_run(&t, &trace);
	for (uint32_t i = after; i < after + 20; i++)
		assert_int_equal(t.stats[0].insts[i].warp_insts, 4);
	trial_policies(&t, "lrr", "dwf:majority");
	trial_must_run(&t, &trace);
	assert_true(t.stats[0].insts[after + 19].warp_insts > 4);
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- against per-warp stacks ---- */

/*
 * What a run comes to, but for cycles' classes, since a slot without threads waits for others, and
 * for the depth of the stack, since here undivided warps push entries, too.
 */
static void assert_same_run(const struct sim_stats *a, const struct sim_stats *b)
{
	assert_int_equal(a->cycles, b->cycles);
	assert_int_equal(a->warp_insts, b->warp_insts);
	assert_int_equal(a->active_lanes, b->active_lanes);
	assert_int_equal(a->path_hash, b->path_hash);
	assert_int_equal(a->by_cycle[SIM_CY_ISSUED], b->by_cycle[SIM_CY_ISSUED]);
}

/*
 * Random programs. Every thread runs its own record; a CTA of one warp has a stack like the warp's
 * own, with likely-convergence points too, and it takes the same time if the compactor takes none.
 */
static void test_tangles(void **state)
{
	static const char *const pairs[][2] = {
		{"fixed:32", "tbc:rate=0"}, {"fixed:32,lcp=1", "tbc:rate=0,lcp=1"}};
	static const char *const wide[] = {
		"tbc", "tbc:lcp=1", "tbc:compact=0,rate=2", "tbc:sync=0"};
	uint64_t rng = 5;

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
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

/* ---- kernels whose warps never part ---- */

static uint64_t four_trips(const struct at *a)
{
	return a->visit < 3;
}

static uint64_t by_warp(const struct at *a)
{
	return a->visit < (a->thread / 32 * 3 + a->cta) % 7;
}

/*
 * Free synchronization: loads, loops whose trips are each warp's own, a barrier, a branch on the
 * parity of the warp (known answer 11), warps that end at their own time, CTAs that take the place
 * of others. Cycle for cycle fixed:32, whoever goes first. With synchronization no instruction is
 * issued that was not before.
 */
static void test_free_sync(void **state)
{
	static const char *const scheds[] = {"lrr", "gto", "oldest"};
	struct kernel k;
	struct stage s = {.kernel = &k, .ctas = 23, .threads = 200};
	struct trace trace;
	struct trial t;
	uint32_t top, again, c, d;

	(void)state;
	kernel_begin(&k, "coherent");
	top = label(&k);
	again = label(&k);
	c = label(&k);
	d = label(&k);
	here(&k, top);
	load(&k, reg(&k), TR_NONE, words, 0);
	straight(&k, 7);
	branch(&k, top, by_warp, 0);
	barrier(&k, 0, 0, 0);
	branch(&k, c, odd_warp, 0);
	straight(&k, 5);
	jump(&k, d);
	here(&k, c);
	load(&k, reg(&k), TR_NONE, words, 0x100000);
	here(&k, d);
	here(&k, again);
	load(&k, reg(&k), TR_NONE, words, 0x200000);
	branch(&k, again, by_warp, 0);
	kernel_end(&k);
	trace = record_stages(&s, 1);
	for (unsigned i = 0; i < COUNT(scheds); i++) {
		struct sim_stats fixed;

		trial_begin(&t, "sm.sms=3 sm.one_in_flight=yes l1d.size=2K l1d.ways=2");
		trial_policies(&t, scheds[i], "fixed:32");
		trial_must_run(&t, &trace);
		fixed = t.res.total;
		trial_policies(&t, scheds[i], "tbc:sync=0");
		trial_must_run(&t, &trace);
		assert_same_run(&t.res.total, &fixed);
		trial_policies(&t, scheds[i], "tbc");
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.total.warp_insts, fixed.warp_insts);
		assert_int_equal(t.res.total.active_lanes, fixed.active_lanes);
		assert_true(t.res.total.cycles > fixed.cycles);
		trial_end(&t);
	}
	free(trace.bytes);
	tr_program_free(k.p);
}

/*
 * The declared overhead. Warps that issue a cycle apart come a cycle apart, and where nothing else
 * is in the way they go on so after the last of them: by as many cycles later as there are warps,
 * or one less where the compactor takes no time. They wait at the branch, and again after the path
 * that all of them take; if it is the one without instructions the second wait is the first.
 */
static void test_declared(void **state)
{
	static const unsigned syncs[] = {0, 1, 2}; /* no branch, all jump, none does */
	const unsigned rounds = 6;

	(void)state;
	for (unsigned i = 0; i < COUNT(syncs); i++)
		for (unsigned warps = 1; warps <= 4; warps++) {
			struct kernel k;
			struct stage s = {.kernel = &k, .ctas = 3, .threads = 32 * warps};
			struct trace trace;
			struct trial t;
			uint64_t fixed;

			kernel_begin(&k, "rounds");
			for (unsigned n = 0; n < rounds; n++) {
				const uint32_t to = label(&k);

				if (i)
					branch(&k, to, always, i == 1);
				op(&k, TR_C_INT, reg(&k), TR_NONE);
				here(&k, to);
				op(&k, TR_C_INT, reg(&k), TR_NONE);
			}
			kernel_end(&k);
			trace = record_stages(&s, 1);
			trial_begin(&t, "sm.sms=3 sm.one_in_flight=yes");
			trial_policies(&t, "lrr", "fixed:32");
			trial_must_run(&t, &trace);
			fixed = t.res.total.cycles;
			trial_policies(&t, "lrr", "tbc");
			trial_must_run(&t, &trace);
			assert_int_equal(
				t.res.total.cycles, fixed + (uint64_t)rounds * syncs[i] * warps);
			trial_policies(&t, "lrr", "tbc:rate=0");
			trial_must_run(&t, &trace);
			assert_int_equal(t.res.total.cycles,
				fixed + (uint64_t)rounds * syncs[i] * (warps - 1));
			trial_end(&t);
			free(trace.bytes);
			tr_program_free(k.p);
		}
}

/* One warp pays a cycle of the compactor for each trip round a loop, and nothing at rate=0. */
static void test_one_warp(void **state)
{
	struct kernel k;
	struct stage s = {.kernel = &k, .ctas = 9, .threads = 32};
	struct trace trace;
	struct trial t;
	struct sim_stats fixed;
	uint32_t top;

	(void)state;
	kernel_begin(&k, "one warp");
	top = label(&k);
	here(&k, top);
	load(&k, reg(&k), TR_NONE, words, 0);
	straight(&k, 7);
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
	assert_int_equal(t.res.total.cycles, fixed.cycles + 4);
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* Branches that are proven uniform over the CTA are passed without waiting (section 3.1). */
static void test_uniform(void **state)
{
	struct kernel k;
	struct stage s = {.kernel = &k, .ctas = 7, .threads = 256};
	struct trace trace;
	struct trial t;
	struct sim_stats fixed;
	uint32_t top, at;

	(void)state;
	kernel_begin(&k, "uniform");
	top = label(&k);
	here(&k, top);
	load(&k, reg(&k), TR_NONE, words, 0);
	straight(&k, 7);
	at = k.p->ninsts;
	branch(&k, top, four_trips, 0);
	straight(&k, 5);
	kernel_end(&k);
	assert_false(k.p->insts[at].flags & TR_I_UNIFORM);
	k.p->insts[at].flags |= TR_I_UNIFORM; /* as if its trips came from a parameter */
	trace = record_stages(&s, 1);
	trial_begin(&t, "sm.sms=7 sm.one_in_flight=yes");
	trial_policies(&t, "gto", "fixed:32");
	trial_must_run(&t, &trace);
	fixed = t.res.total;
	trial_policies(&t, "gto", "tbc");
	trial_must_run(&t, &trace);
	assert_same_run(&t.res.total, &fixed);
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/*
 * Warps of a CTA that meet at different barriers run one after the other here: those of the taken
 * path wait for the others, which cannot come before them.
 */
static void test_barriers_apart(void **state)
{
	struct kernel k;
	struct stage s = {.kernel = &k, .ctas = 1, .threads = 128};
	struct trace trace;
	struct trial t;
	uint32_t c, d;

	(void)state;
	kernel_begin(&k, "apart");
	c = label(&k);
	d = label(&k);
	branch(&k, c, odd_warp, 0);
	barrier(&k, 0, 0, 0);
	jump(&k, d);
	here(&k, c);
	barrier(&k, 0, 0, 0);
	here(&k, d);
	kernel_end(&k);
	trace = record_stages(&s, 1);
	trial_begin(&t, "");
	trial_must_run(&t, &trace);
	trial_policies(&t, "lrr", "tbc:sync=0");
	trial_must_run(&t, &trace);
	trial_policies(&t, "lrr", "tbc");
	trial_run(&t, &trace);
	assert_int_equal(t.rc, TR_EDATA);
	assert_non_null(strstr(t.err.msg, "stands still"));
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- tables, and programs that lie ---- */

#define WAYS 200

static uint64_t some_way(const struct at *a)
{
	return mixed(mixed(a->thread + 1024ull * a->cta) + a->x) >> 9 & 127;
}

/* A branch of more ways than the CTA has threads; many lead to one place, and one out. */
static void test_table(void **state)
{
	static const char *const warps[] = {"tbc", "tbc:lcp=1", "tbc:compact=0"};
	struct tr_inst table = {.cls = TR_C_BRANCH, .guard = TR_NONE, .flags = TR_I_INDEXED};
	struct kernel k;
	uint32_t succ[WAYS], end, n;

	(void)state;
	kernel_begin(&k, "table");
	end = label(&k);
	for (uint32_t i = 0; i < WAYS; i++)
		succ[i] = i % 5 ? k.p->ninsts + 1 + 2 * i : end;
	succ[77] = TR_EXIT;
	table.base = TR_NONE;
	n = emit(&k, table, TR_NONE, reg(&k), succ, WAYS);
	k.outcome[n] = some_way;
	for (uint32_t i = 0; i < WAYS; i++) {
		op(&k, TR_C_INT, reg(&k), TR_NONE);
		jump(&k, end);
	}
	here(&k, end);
	straight(&k, 3);
	kernel_end(&k);
	for (uint32_t threads = 8; threads <= 512; threads *= 4) {
		struct stage s = {.kernel = &k, .ctas = 5, .threads = threads};
		struct trace trace = record_stages(&s, 1);
		const uint64_t paths = walked_paths(&trace);
		struct trial t;
		uint64_t insts;

		trial_begin(&t, "sm.sms=2");
		trial_must_run(&t, &trace);
		insts = t.res.total.thread_insts;
		for (unsigned i = 0; i < COUNT(warps); i++) {
			trial_policies(&t, "lrr", warps[i]);
			trial_must_run(&t, &trace);
			assert_int_equal(t.res.total.path_hash, paths);
			assert_int_equal(t.res.total.thread_insts, insts);
		}
		trial_end(&t);
		free(trace.bytes);
	}
	tr_program_free(k.p);
}

/* A file may say that a branch is uniform which is not: an end, of whatever kind. */
static void test_false_uniform(void **state)
{
	uint64_t rng = 77;
	unsigned failed = 0;

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		struct kernel k;
		struct stage s = {.kernel = &k, .ctas = 2, .threads = 100};
		struct trace trace;
		struct trial t;

		tangle(&k, &rng);
		for (uint32_t n = 0; n < k.p->ninsts; n++)
			if (k.p->insts[n].nsucc > 1 && n % 3)
				k.p->insts[n].flags |= TR_I_UNIFORM;
		trace = record_stages(&s, 1);
		trial_begin(&t, "sm.sms=2");
		trial_policies(&t, "lrr", "tbc:lcp=1");
		trial_run(&t, &trace);
		failed += t.rc < 0;
		trial_end(&t);
		free(trace.bytes);
		tr_program_free(k.p);
	}
	assert_true(failed > 10);
}

/* ---- warps that rely on being together ---- */

#define LAST (7 * 32)

/* The last of 8 warps with lanes 8 to 23, the others with 0 to 15: it ends up in two of them. */
static uint64_t in_part(const struct at *a)
{
	const uint32_t lane = a->thread % 32;

	return a->thread < LAST ? lane < 16 : lane >= 8 && lane < 24;
}

static uint64_t own_word(const struct at *a)
{
	return 4 * a->thread;
}

static uint64_t part_members(const struct at *a)
{
	return a->thread < LAST ? 0xffff : 0xffff00;
}

static void in_two_warps(struct kernel *k, int votes)
{
	struct tr_inst vote = {.cls = TR_C_COLLECTIVE,
		.guard = TR_NONE,
		.base = TR_NONE,
		.flags = TR_I_COLLECTIVE};
	uint32_t part, end, n;

	kernel_begin(k, "in two warps");
	part = label(k);
	end = label(k);
	branch(k, part, in_part, 0);
	jump(k, end);
	here(k, part);
	if (votes) {
		n = plain(k, vote, reg(k), TR_NONE);
		k->value[n] = part_members;
	} else {
		access_to(k, TR_C_STORE, TR_S_SHARED, 4, TR_NONE, TR_NONE, own_word, 0);
		access_to(k, TR_C_LOAD, TR_S_SHARED, 4, reg(k), TR_NONE, own_word, 0);
	}
	here(k, end);
	kernel_end(k);
}

/*
 * Lanes 16 to 23 of the last warp read what its lanes 8 to 15 have just written. Compacted, they
 * are in the first warp and the others in the last; in static warps they are together, and `auto`
 * sees by the record who relies on that, or by the program, where it votes.
 */
static void test_warp_synchronous(void **state)
{
	static const struct {
		const char *warp;
		int apart;
	} cases[] = {{"fixed:32", 0}, {"tbc", 1}, {"tbc:compact=0", 0}, {"tbc:compact=auto", 0}};
	struct tr_sync_read sync[8];

	(void)state;
	for (uint32_t i = 0; i < COUNT(sync); i++)
		sync[i] = (struct tr_sync_read){.reader = LAST + 16 + i,
			.writer = LAST + 8 + i,
			.reader_value = 1,
			.writer_value = 0};
	for (int votes = 0; votes < 2; votes++) {
		struct kernel k;
		struct stage s = {.kernel = &k,
			.ctas = 3,
			.threads = LAST + 32,
			.sync = sync,
			.nsync = votes ? 0 : COUNT(sync)};
		struct trace trace;
		struct trial t;

		in_two_warps(&k, votes);
		trace = record_stages(&s, 1);
		for (unsigned i = 0; i < COUNT(cases); i++) {
			const struct sim_stats *st = &t.stats[0];

			trial_begin(&t, "sm.sms=3 shared.latency=1 sm.one_in_flight=yes");
			trial_policies(&t, "gto", cases[i].warp);
			trial_must_run(&t, &trace);
			assert_int_equal(votes ? st->short_collectives : st->overtaken_reads,
				!cases[i].apart ? 0
				: votes         ? 6
						: 24);
			assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
			trial_end(&t);
		}
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

/* ---- CAPRI ---- */

enum { WAITS, PASSES, JUDGED, RIGHT }; /* its counters, in their order */

static uint64_t rounds_of_ten(const struct at *a)
{
	return a->visit < 9;
}

static uint64_t row_parity(const struct at *a)
{
	return a->thread / 32 % 2 ? a->thread % 32 < 16 : a->thread % 32 >= 16;
}

static uint64_t whole_warps(const struct at *a)
{
	return a->thread / 32 % 2;
}

/* Half of the first warp leaves the loop after its first round. */
static uint64_t some_leave(const struct at *a)
{
	return a->thread < 16 ? 0 : a->visit < 9;
}

static uint64_t rounds_took; /* cycles */

/*
 * Rounds of a branch with an instruction on its way: the issues of that one, and the counts.
 */
static uint64_t rounds(record_fn taken, record_fn again, const char *warp, uint64_t count[4])
{
	struct kernel k;
	struct trace trace;
	struct trial t;
	uint32_t top, way, end, inst;
	uint64_t n;

	kernel_begin(&k, "ten rounds");
	top = label(&k);
	way = label(&k);
	end = label(&k);
	here(&k, top);
	branch(&k, way, taken, 0);
	op(&k, TR_C_INT, reg(&k), TR_NONE);
	jump(&k, end);
	here(&k, way);
	inst = op(&k, TR_C_INT, reg(&k), TR_NONE);
	here(&k, end);
	op(&k, TR_C_INT, reg(&k), TR_NONE);
	branch(&k, top, again, 0);
	kernel_end(&k);
	trace = one_launch(&k, 1, 256);
	trial_begin(&t, "");
	trial_policies(&t, "gto", warp);
	trial_must_run(&t, &trace);
	assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
	n = t.stats[0].insts[inst].warp_insts;
	memcpy(count, t.stats[0].policy, 4 * sizeof(*count));
	rounds_took = t.stats[0].cycles;
	trial_end(&t);
	free(trace.bytes);
	return n;
}

static uint64_t ten_rounds(record_fn taken, const char *warp, uint64_t count[4])
{
	return rounds(taken, rounds_of_ten, warp, count);
}

/*
 * Lanes by parity, which compaction cannot fill: after the first round it is known, and nobody
 * waits. Halves that fill one another: all warps run both ways in the first round, half as many in
 * each later one. Warps that do not part: no entry, nobody waits. The branch of the loop parts
 * nobody, so it never waits either.
 */
static void test_capri(void **state)
{
	uint64_t c[4];

	(void)state;
	assert_int_equal(ten_rounds(even_lane, "tbc", c), 80);
	assert_int_equal(c[WAITS] + c[PASSES], 0);
	assert_int_equal(ten_rounds(even_lane, "tbc:capri=32", c), 80);
	assert_true(c[WAITS] <= 2);
	assert_int_equal(ten_rounds(row_parity, "tbc", c), 40);
	assert_int_equal(ten_rounds(row_parity, "tbc:capri=32", c), 8 + 9 * 4);
	assert_int_equal(c[WAITS], 9);
	assert_int_equal(ten_rounds(row_parity, "fixed:32", c), 80);
	assert_int_equal(ten_rounds(whole_warps, "tbc:capri=32", c), 40);
	assert_int_equal(c[WAITS], 0);
	assert_true(c[RIGHT] == c[JUDGED] && c[JUDGED] >= 10);
}

/*
 * A warp that is parted by the end of the loop goes round by itself until all its threads have
 * left: the others do not wait for it at the branch inside, and take no longer than if nobody ever
 * waited.
 */
static void test_capri_waits_for_those_that_come(void **state)
{
	uint64_t c[4], go;

	(void)state;
	rounds(row_parity, some_leave, "tbc:capri=32,predict=go", c);
	go = rounds_took;
	rounds(row_parity, some_leave, "tbc:capri=32", c);
	assert_in_range(rounds_took, 1, go);
}

/* Figure 7: 8 issues of blocks the first time, since nothing is known of its branch. */
static void test_capri_example_1(void **state)
{
	struct figure x;
	struct stage s = {.kernel = &x.k, .ctas = 2, .threads = 8};
	struct trace trace;
	struct trial t;

	(void)state;
	example_1(&x);
	trace = record_stages(&s, 1);
	trial_begin(&t, "sm.warp_size=4 sm.simd_width=4 sm.ctas_per_sm=1 sm.sms=1");
	trial_policies(&t, "lrr", "tbc:capri=32");
	trial_must_run(&t, &trace);
	assert_int_equal(t.stats[0].insts[x.c].warp_insts, 2 + 1); /* then it is: 7 */
	assert_int_equal(t.stats[0].insts[x.b].warp_insts, 2 + 2);
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(x.k.p);
}

/* Told to wait it is tbc, told to go on it is fixed; learned it runs every record. */
static void test_capri_tangles(void **state)
{
	static const char *const pairs[2][2] = {
		{"tbc", "tbc:capri=4,predict=wait"}, {"fixed:32", "tbc:capri=4,predict=go"}};
	uint64_t rng = 31;

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		struct kernel k;
		struct trace trace;
		struct trial t;
		uint64_t cycles[2], hash;

		tangle(&k, &rng);
		trace = record(&k, 4, 160);
		for (unsigned n = 0; n < 2; n++) {
			trial_begin(&t, "sm.one_in_flight=yes sm.ctas_per_sm=1");
			t.opt.priority = SIM_PRIORITY_AGE;
			trial_policies(&t, "gto", pairs[i % 2][n]);
			trial_must_run(&t, &trace);
			assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
			cycles[n] = t.res.total.cycles;
			trial_end(&t);
		}
		assert_int_equal(cycles[0], cycles[1]);
		trial_begin(&t, "sm.sms=2");
		trial_policies(&t, "lrr", i % 3 ? "tbc:capri=32" : "tbc:capri=2,bits=2");
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
		hash = t.res.hash;
		t.opt.tick = 1;
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.hash, hash);
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
		cmocka_unit_test(test_figure_10),
		cmocka_unit_test(test_compaction),
		cmocka_unit_test(test_expectation),
		cmocka_unit_test(test_no_eddy),
		cmocka_unit_test(test_tangles),
		cmocka_unit_test(test_free_sync),
		cmocka_unit_test(test_declared),
		cmocka_unit_test(test_one_warp),
		cmocka_unit_test(test_uniform),
		cmocka_unit_test(test_barriers_apart),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_false_uniform),
		cmocka_unit_test(test_warp_synchronous),
		cmocka_unit_test(test_capri),
		cmocka_unit_test(test_capri_waits_for_those_that_come),
		cmocka_unit_test(test_capri_example_1),
		cmocka_unit_test(test_capri_tangles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
