/*
 * lwm: how many sub-warps an instruction makes and when the next one follows, on paper; guards and
 * jumps; a large warp of one row is a warp of the SIMD's width.
 * Every thread of random programs runs its own record.
 */
#include "tests/unit/tangle.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { SUB_WARPS, GUARDED_OFF, NO_SLOT }; /* its counters, in their order */

static struct sim_stats run_cta(const struct kernel *k, uint32_t threads, const char *settings,
	const char *sched, const char *warp)
{
	struct trace trace = record(k, 1, threads);
	struct sim_stats s;
	struct trial t;

	trial_begin(&t, settings);
	trial_policies(&t, sched, warp);
	trial_must_run(&t, &trace);
	assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
	s = t.stats[0];
	s.insts = NULL;
	s.policy_insts = NULL;
	trial_end(&t);
	free(trace.bytes);
	return s;
}

static unsigned larger(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* ---- a: no divergence ---- */

/*
 * Eight sub-warps an instruction, as eight warps of 32. The first sub-warp of instruction i + 1
 * issues when that of i is through, or when the last one of i has issued.
 */
static void test_together(void **state)
{
	static const unsigned latencies[] = {1, 6, 8, 20};

	(void)state;
	for (unsigned l = 0; l < COUNT(latencies); l++) {
		const unsigned I = 30, L = latencies[l], each = larger(L, 8);
		struct sim_stats large, fixed;
		char settings[32];
		struct kernel k;

		snprintf(settings, sizeof(settings), "latency.int=%u latency.exit=1", L);
		kernel_begin(&k, "chain");
		chain(&k, I);
		kernel_end(&k);
		large = run_cta(&k, 256, settings, "lrr", "lwm");
		fixed = run_cta(&k, 256, settings, "lrr", "fixed");
		assert_int_equal(large.by_cycle[SIM_CY_ISSUED], 8 * (I + 1));
		assert_int_equal(large.warp_insts, fixed.warp_insts);
		assert_int_equal(large.cycles, I * each + 7 + THROUGH);
		large = run_cta(&k, 256, settings, "lrr", "lwm:refetch=last");
		assert_int_equal(large.cycles, I * (7 + L) + 7 + THROUGH);
		assert_int_equal(large.by_cycle[SIM_CY_ISSUED], 8 * (I + 1));
		tr_program_free(k.p);
	}
}

/* ---- b: what is packed ---- */

/* Lanes 0 to 3 of each row. */
static uint64_t same_columns(const struct at *a)
{
	return a->thread % 32 < 4;
}

/* Of each row four others. */
static uint64_t other_columns(const struct at *a)
{
	return a->thread % 32 / 4 == a->thread / 32 % 8;
}

static uint64_t coin(const struct at *a)
{
	return mixed(mixed(a->thread + 1024ull * a->cta) + a->x) >> 20 & 1;
}

/* Issues of one instruction that the threads execute of which `some` says 1. */
static uint64_t issues_of(record_fn some, uint64_t x, uint32_t ctas, const char *warp)
{
	struct trace trace;
	struct kernel k;
	struct trial t;
	uint32_t end, inst;
	uint64_t n;

	kernel_begin(&k, "some");
	end = label(&k);
	inst = label(&k);
	branch(&k, inst, some, x);
	jump(&k, end);
	here(&k, inst);
	inst = op(&k, TR_C_INT, reg(&k), TR_NONE);
	here(&k, end);
	kernel_end(&k);
	trace = record(&k, ctas, 256);
	trial_begin(&t, "sm.sms=4");
	trial_policies(&t, "lrr", warp);
	trial_must_run(&t, &trace);
	n = t.stats[0].insts[inst].warp_insts;
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
	return n;
}

static void test_packing(void **state)
{
	(void)state;
	assert_int_equal(issues_of(same_columns, 0, 1, "lwm"), 8);
	assert_int_equal(issues_of(other_columns, 0, 1, "lwm"), 1);
	assert_int_equal(issues_of(same_columns, 0, 1, "fixed"), 8);
	assert_int_equal(issues_of(other_columns, 0, 1, "fixed"), 8);
	assert_int_equal(issues_of(other_columns, 0, 1, "lwm:64"), 4);
	/* A random half: the mean of the largest of 32 columns of eight coins saves 15.1 %. */
	assert_close((double)issues_of(coin, 7, 200, "lwm") / 200, 8 * (1 - .151), .01);
	assert_close((double)issues_of(coin, 8, 200, "fixed") / 200, 8, .001);
}

static uint64_t row_parity(const struct at *a)
{
	return a->thread / 32 % 2;
}

/* By parity of the lane nothing can be saved, by parity of the warp half is; as under TBC. */
static void test_parity(void **state)
{
	(void)state;
	assert_int_equal(issues_of(even_lane, 0, 1, "lwm"), 8);
	assert_int_equal(issues_of(row_parity, 0, 1, "lwm"), 4);
	assert_int_equal(issues_of(row_parity, 0, 1, "tbc"), 4);
}

/* ---- c: jumps ---- */

/* A jump issues once for all 256 threads, or once for each row. */
static void test_jumps(void **state)
{
	const unsigned n = 12;
	struct sim_stats with, without;
	struct kernel k;

	(void)state;
	kernel_begin(&k, "jumps");
	for (unsigned i = 0; i < n; i++) {
		const uint32_t to = label(&k);

		jump(&k, to);
		here(&k, to);
	}
	kernel_end(&k);
	with = run_cta(&k, 256, "latency.branch=20 latency.exit=1", "lrr", "lwm");
	without = run_cta(&k, 256, "latency.branch=20 latency.exit=1", "lrr", "lwm:jump=0");
	assert_int_equal(with.by_cycle[SIM_CY_ISSUED], n + 8); /* and the exit */
	assert_int_equal(with.cycles, n * 20 + 7 + THROUGH);
	assert_int_equal(without.by_cycle[SIM_CY_ISSUED], 8 * n + 8);
	assert_int_equal(without.cycles, n * 20 + 7 + THROUGH);
	assert_int_equal(with.thread_insts, without.thread_insts);
	assert_int_equal(with.thread_insts, 256 * (n + 1));
	tr_program_free(k.p);
}

/* ---- d: when the next instruction follows ---- */

/*
 * Sub-warps issue in t to t + 7. After a branch the next ones follow when the last one is through,
 * in t + 7 + L, though all threads go the same way; after another instruction in t + L.
 */
static void test_branch(void **state)
{
	static const unsigned latencies[] = {9, 12, 30};

	(void)state;
	for (unsigned l = 0; l < COUNT(latencies); l++)
		for (int branches = 0; branches < 2; branches++) {
			const unsigned L = latencies[l];
			struct sim_stats s;
			char settings[64];
			struct kernel k;
			uint32_t to;

			snprintf(settings, sizeof(settings),
				"latency.int=%u latency.branch=%u latency.exit=1", L, L);
			kernel_begin(&k, "branch");
			to = label(&k);
			if (branches)
				branch(&k, to, always, 1);
			op(&k, TR_C_INT, reg(&k), TR_NONE);
			here(&k, to);
			kernel_end(&k);
			s = run_cta(&k, 256, settings, "lrr", "lwm");
			assert_int_equal(s.cycles, branches * 7 + L + 7 + THROUGH);
			tr_program_free(k.p);
		}
}

/* ---- guards ---- */

static uint64_t never(const struct at *a)
{
	(void)a;
	return 0;
}

static void guarded(struct kernel *k, record_fn guard, uint64_t x)
{
	struct tr_inst in = {.cls = TR_C_INT, .guard = reg(k), .base = TR_NONE};
	const uint32_t n = plain(k, in, reg(k), TR_NONE);

	k->outcome[n] = guard;
	k->x[n] = x;
}

/* Threads whose guard is off are not packed; where it is off for all one sub-warp goes by. */
static void test_guards(void **state)
{
	static const struct {
		record_fn guard;
		uint32_t issues, off;
	} cases[] = {{always, 8, 0}, {other_columns, 1, 224}, {same_columns, 8, 224},
		{row_parity, 4, 128}, {never, 1, 224}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct sim_stats s, f;
		struct kernel k;

		kernel_begin(&k, "guards");
		guarded(&k, cases[i].guard, 1);
		op(&k, TR_C_INT, reg(&k), TR_NONE);
		kernel_end(&k);
		s = run_cta(&k, 256, "latency.int=20", "lrr", "lwm");
		f = run_cta(&k, 256, "latency.int=20", "lrr", "fixed");
		assert_int_equal(s.by_cycle[SIM_CY_ISSUED], cases[i].issues + 16);
		assert_int_equal(s.policy[GUARDED_OFF], cases[i].off);
		assert_int_equal(s.policy[SUB_WARPS], cases[i].issues + 16);
		assert_int_equal(s.thread_insts, f.thread_insts);
		tr_program_free(k.p);
	}
}

/* ---- memory and barriers ---- */

/*
 * Loads of a sub-warp come back by themselves: threads whose data are there go on, the others are
 * left for later sub-warps. At the barrier they are together again.
 */
static uint64_t lines_by_row(const struct at *a)
{
	return (a->thread / 32 % 8 ? 1 << 20 : (1 << 21) + 4096 * a->visit) + 4 * (a->thread % 32);
}

static void test_memory(void **state)
{
	struct sim_stats s;
	struct kernel k;
	uint32_t r;

	(void)state;
	kernel_begin(&k, "memory");
	r = reg(&k);
	load(&k, r, TR_NONE, lines_by_row, 0); /* all rows miss */
	load(&k, r, TR_NONE, lines_by_row, 0); /* all hit */
	op(&k, TR_C_INT, reg(&k), r);
	barrier(&k, 0, 0, 0);
	op(&k, TR_C_INT, reg(&k), r);
	kernel_end(&k);
	s = run_cta(&k, 256, "", "lrr", "lwm");
	assert_int_equal(s.l1d.misses, 2);
	assert_int_equal(s.l1d.accesses, 16);
	assert_int_equal(s.barriers, 1);
	tr_program_free(k.p);
}

/* ---- the same as a warp of the SIMD's width ---- */

static void assert_same(const struct sim_stats *a, const struct sim_stats *b)
{
	assert_int_equal(a->cycles, b->cycles);
	assert_memory_equal(a->by_cycle, b->by_cycle, sizeof(a->by_cycle));
	assert_memory_equal(a->issued_bins, b->issued_bins, sizeof(a->issued_bins));
	assert_memory_equal(&a->mem, &b->mem, sizeof(a->mem));
	assert_int_equal(a->warp_insts, b->warp_insts);
	assert_int_equal(a->thread_insts, b->thread_insts);
	assert_int_equal(a->l1d.accesses, b->l1d.accesses);
	assert_int_equal(a->l1d.misses, b->l1d.misses);
	assert_int_equal(a->path_hash, b->path_hash);
}

static void test_one_row(void **state)
{
	static const struct {
		const char *settings, *large, *fixed;
	} cases[] = {{"sm.sms=2 memory.part=real sm.one_in_flight=yes", "lwm:32", "fixed:32"},
		{"sm.simd_width=8 sm.one_in_flight=yes sm.fetch_latency=3", "lwm:8", "fixed:8"},
		{"sm.one_in_flight=yes sm.schedulers=2", "lwm:32", "fixed:32"},
		{"sm.one_in_flight=yes", "lwm:16", "fixed:16"}};
	static const char *const scheds[] = {"lrr", "gto", "2lvl"};
	uint64_t rng = 23;

	(void)state;
	for (unsigned i = 0; i < 48; i++) {
		const char *const sched = scheds[i / 4 % 3];
		struct sim_stats total[2];
		struct trace trace;
		struct kernel k;
		struct trial t;

		tangle(&k, &rng);
		trace = record(&k, 5, 96);
		for (int large = 0; large < 2; large++) {
			trial_begin(&t, cases[i % 4].settings);
			trial_policies(&t, sched, large ? cases[i % 4].large : cases[i % 4].fixed);
			trial_must_run(&t, &trace);
			total[large] = t.res.total;
			total[large].insts = NULL;
			total[large].policy_insts = NULL;
			trial_end(&t);
		}
		assert_same(&total[1], &total[0]);
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

/* ---- what threads do ---- */

/*
 * An SM full of CTAs of 256 threads, each two large warps of four rows; CTA i comes in cycle i. Row
 * r of large warp j issues in cycle 4 j + r, and in the cycle before that it is packed, which takes
 * those of a large warp that has begun out of the ready ones. From then on a row issues when its
 * last instruction is through.
 */
static void test_classes(void **state)
{
	const unsigned I = 10, L = 40, CTAS = 4, ROWS = 4;
	uint64_t ready = 0, lives = 0;
	struct trace trace;
	struct kernel k;
	struct trial t;

	(void)state;
	for (unsigned j = 0; j < 2 * CTAS; j++)
		for (unsigned row = 0; row < ROWS; row++) {
			const unsigned waits = ROWS * j + row - j / 2;

			ready += waits - (row > 0);
			lives += waits + (I + 1) * L;
		}
	kernel_begin(&k, "classes");
	chain(&k, I);
	kernel_end(&k);
	trace = one_launch(&k, CTAS, 256);
	trial_begin(&t, "latency.int=40 latency.exit=40 sm.threads_per_sm=1024");
	trial_policies(&t, "lrr", "lwm:128");
	t.opt.count_threads = 1;
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].by_thread[SIM_TH_READY], 32 * ready);
	assert_int_equal(t.stats[0].by_thread[SIM_TH_PIPELINE], 32 * (lives - ready));
	assert_int_equal(t.stats[0].thread_cycles, 32 * lives);
	trial_end(&t);
}

/* ---- random programs ---- */

static void test_tangles(void **state)
{
	static const char *const warps[] = {"lwm", "lwm:64,jump=0", "lwm:128,refetch=last",
		"lwm:256,lcp=1"},
				 *const scheds[] = {"lrr", "gto", "swl:limit=1", "ccws",
					 "2lvl:timeout=3"},
				 *const settings[] = {"sm.sms=2 sm.simd_width=8",
					 "sm.schedulers=3 sm.fetch_latency=3", "latency.branch=9"};
	uint64_t rng = 5;

	(void)state;
	for (unsigned i = 0; i < 120; i++) {
		struct kernel k;
		struct trace trace;
		struct trial t;
		uint64_t insts, cycles, hash;

		tangle(&k, &rng);
		trace = record(&k, 6, 300);
		trial_begin(&t, settings[i % 3]);
		trial_must_run(&t, &trace);
		insts = t.res.total.thread_insts;
		trial_policies(&t, scheds[i % 5], warps[i / 3 % 4]);
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
		assert_int_equal(t.res.total.thread_insts, insts);
		cycles = t.res.total.cycles;
		hash = t.res.hash;
		t.opt.tick = 1;
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.total.cycles, cycles);
		assert_int_equal(t.res.hash, hash);
		trial_end(&t);
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_packing),
		cmocka_unit_test(test_parity),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_branch),
		cmocka_unit_test(test_guards),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_one_row),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_tangles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
