/*
 * dualpath: how long the arms of a branch take beside each other, on paper; whose registers a side
 * waits for; what stops and goes on; and that it is fixed where nothing parts or where one path
 * runs at a time. Every thread of random programs runs its own record.
 */
#include "tests/unit/tangle.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { BOTH_PATHS, INTERLEAVED, ALONE, STOPPED }; /* its counters, in their order */

static struct sim_stats run_warp(const struct kernel *k, const char *settings, const char *warp)
{
	struct trace trace = record(k, 1, 32);
	struct sim_stats s;
	struct trial t;

	trial_begin(&t, settings);
	trial_policies(&t, "gto", warp);
	trial_must_run(&t, &trace);
	assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
	s = t.stats[0];
	s.insts = NULL;
	s.policy_insts = NULL;
	trial_end(&t);
	free(trace.bytes);
	return s;
}

/* ---- arms ---- */

/* if (taken) n dependent instructions else n others; they meet, and all end. */
static void arms(struct kernel *k, record_fn taken, uint64_t x, unsigned n)
{
	const uint32_t other = label(k), end = label(k);

	branch(k, other, taken, x);
	chain(k, n);
	jump(k, end);
	here(k, other);
	chain(k, n);
	jump(k, end);
	here(k, end);
}

/*
 * The branch issues in cycle 0. An arm that begins in cycle b issues its instructions in b + i L
 * and its jump in the cycle after the last of them, and what follows a jump issues one cycle later.
 * Alone the second arm begins when the first is through. Beside it it begins one cycle later; the
 * first one's jump and the second one's last instruction want the same cycle.
 */
static void test_if_else(void **state)
{
	static const unsigned ns[] = {1, 2, 5, 20}, latencies[] = {2, 4, 8, 20};

	(void)state;
	for (unsigned i = 0; i < COUNT(ns); i++)
		for (unsigned l = 0; l < COUNT(latencies); l++) {
			const unsigned n = ns[i], L = latencies[l], arm = (n - 1) * L + 2;
			char settings[32];
			struct sim_stats s;
			struct kernel k;

			snprintf(settings, sizeof(settings), "latency.int=%u", L);
			kernel_begin(&k, "if else");
			arms(&k, even_lane, 0, n);
			kernel_end(&k);
			s = run_warp(&k, settings, "fixed");
			assert_int_equal(s.cycles, 1 + 2 * arm + THROUGH);
			s = run_warp(&k, settings, "dualpath:paths=1");
			assert_int_equal(s.cycles, 1 + 2 * arm + THROUGH);
			assert_int_equal(s.policy[BOTH_PATHS], 0);
			s = run_warp(&k, settings, "dualpath");
			assert_int_equal(s.cycles, 1 + arm + 2 + THROUGH);
			assert_int_equal(s.warp_insts, 1 + 2 * (n + 1) + 1);
			assert_int_equal(s.issued_bins[3], 2 * (n + 1)); /* no lanes are filled */
			assert_int_equal(s.policy[INTERLEAVED], 1);
			assert_int_equal(s.policy[STOPPED], 0);
			/* All of the arms but what the second one has left after the first. */
			assert_int_equal(s.policy[BOTH_PATHS], 2 * (n + 1) - 2);
			tr_program_free(k.p);
		}
}

/* A side that begins where the lanes meet is none: nothing is won, and no slot wanted. */
static void test_if_alone(void **state)
{
	struct sim_stats fixed, dual;
	struct kernel k;
	uint32_t end;

	(void)state;
	kernel_begin(&k, "if");
	end = label(&k);
	branch(&k, end, even_lane, 0);
	chain(&k, 7);
	here(&k, end);
	kernel_end(&k);
	fixed = run_warp(&k, "", "fixed");
	dual = run_warp(&k, "", "dualpath");
	assert_int_equal(dual.cycles, 1 + 6 * 6 + 1 + THROUGH);
	assert_int_equal(dual.cycles, fixed.cycles);
	assert_int_equal(dual.policy[ALONE], 1);
	assert_int_equal(dual.policy[INTERLEAVED] + dual.policy[BOTH_PATHS], 0);
	assert_int_equal(dual.waiting_lanes, fixed.waiting_lanes);
	assert_int_equal(dual.waiting_lanes, 7 * 16);
	tr_program_free(k.p);
}

/* Lanes 0 to 7, 8 to 15, ... of a warp. */
static uint64_t eighth(const struct at *a)
{
	return a->thread / 8 % 4 == a->x;
}

static uint64_t first_half(const struct at *a)
{
	return a->thread % 32 < 16;
}

/*
 * In the arm that is taken, of lanes 0 to 15, lanes 0 to 7 part from 8 to 15. While these two run,
 * the other arm stands; then both arms go on beside each other.
 */
static void test_nested(void **state)
{
	const unsigned n = 10, L = 8, after = 4;
	struct sim_stats s;
	struct kernel k;
	uint32_t outer, inner, met, end;

	(void)state;
	kernel_begin(&k, "nested");
	outer = label(&k);
	inner = label(&k);
	met = label(&k);
	end = label(&k);
	branch(&k, outer, first_half, 0); /* 0 */
	chain(&k, 1 + after);             /* not taken: 2, then from the pop on */
	jump(&k, end);
	here(&k, outer);
	branch(&k, inner, eighth, 0); /* 1 */
	chain(&k, n);                 /* 3, 3 + L, ...: it waits for the issue of 2 */
	jump(&k, met);
	here(&k, inner);
	chain(&k, n); /* 2, 2 + L, ... */
	here(&k, met);
	op(&k, TR_C_INT, reg(&k), TR_NONE);
	jump(&k, end);
	here(&k, end);
	kernel_end(&k);
	s = run_warp(&k, "latency.int=8", "dualpath");
	assert_int_equal(s.policy[INTERLEAVED], 2);
	assert_int_equal(s.policy[STOPPED], 1);
	assert_int_equal(s.stack_depth_max, 3);
	/*
	 * The last instruction of the inner fall-through issues in 3 + (n - 1) L, and its jump
	 * next: 5 + (n - 1) L is the pop. The outer fall-through has issued nothing, since the
	 * branch of cycle 1 stopped it in cycle 2. It has the slot that issued last, so gto begins
	 * with it.
	 */
	assert_int_equal(s.cycles, 5 + (n - 1) * L + after * L + 1 + 1 + THROUGH);
	tr_program_free(k.p);
}

/* ---- whose registers ---- */

#define MEMORY 300

/*
 * A load before the branch: both sides wait for it (the shadow bits). A load in each side, into one
 * register: where they meet it is there with the later one, and what is there before is no matter.
 */
static void test_pending(void **state)
{
	struct sim_stats before, inside;
	struct kernel k;
	uint32_t r, other, end;

	(void)state;
	for (int within = 0; within < 2; within++) {
		struct sim_stats *s = within ? &inside : &before;

		kernel_begin(&k, "pending");
		r = reg(&k);
		other = label(&k);
		end = label(&k);
		if (!within)
			load(&k, r, TR_NONE, always, 1 << 20);
		branch(&k, other, even_lane, 0);
		if (within)
			load(&k, r, TR_NONE, always, 1 << 20);
		else
			op(&k, TR_C_INT, reg(&k), r);
		jump(&k, end);
		here(&k, other);
		if (within)
			load(&k, r, TR_NONE, always, 1 << 21);
		else
			op(&k, TR_C_INT, reg(&k), r);
		jump(&k, end);
		here(&k, end);
		if (within)
			op(&k, TR_C_INT, reg(&k), r);
		kernel_end(&k);
		*s = run_warp(&k, "memory.latency=300", "dualpath");
		tr_program_free(k.p);
	}
	/* One of the sides one cycle after the other; each has its jump after it. */
	assert_int_equal(before.by_cycle[SIM_CY_MEMORY] > MEMORY - 10, 1);
	assert_int_equal(before.l1d.misses, 1);
	/* The second load issues in cycle 3, the memory unit takes one a cycle. */
	assert_int_equal(inside.l1d.misses, 2);
	assert_true(inside.cycles > 3 + MEMORY + THROUGH);
	assert_true(inside.cycles < 3 + MEMORY + 20);
}

static uint64_t eight_trips(const struct at *a)
{
	return a->visit < 40;
}

/*
 * Sides part and meet again and again while a load is under way: it is waited for once by each, not
 * twice as often after each time they have met.
 */
static void test_long_load(void **state)
{
	struct sim_stats s;
	struct kernel k;
	uint32_t r, top;

	(void)state;
	kernel_begin(&k, "long load");
	r = reg(&k);
	top = label(&k);
	load(&k, r, TR_NONE, always, 1 << 20);
	here(&k, top);
	arms(&k, even_lane, 0, 1);
	branch(&k, top, eight_trips, 0);
	op(&k, TR_C_INT, reg(&k), r);
	kernel_end(&k);
	s = run_warp(&k, "memory.latency=5000", "dualpath");
	assert_int_equal(s.policy[INTERLEAVED], 41);
	assert_true(s.cycles > 5000 && s.cycles < 5030);
	tr_program_free(k.p);
}

/* ---- barriers ---- */

/*
 * Each side has its barrier; the CTA's counts all threads, so one side alone would wait for ever.
 * On a stack it opens when all else stands, once for each side, as if warps were counted.
 */
static void test_barriers_apart(void **state)
{
	struct trace trace;
	struct kernel k;
	struct trial t;
	uint32_t other, end;

	(void)state;
	kernel_begin(&k, "barriers");
	other = label(&k);
	end = label(&k);
	branch(&k, other, even_lane, 0);
	straight(&k, 3);
	barrier(&k, 0, 0, 0);
	straight(&k, 3);
	jump(&k, end);
	here(&k, other);
	arms(&k, first_half, 0, 4); /* parts again while the other one waits */
	barrier(&k, 0, 0, 0);
	straight(&k, 3);
	here(&k, end);
	kernel_end(&k);
	trace = record(&k, 3, 100);
	trial_begin(&t, "");
	trial_policies(&t, "gto", "fixed");
	trial_must_run(&t, &trace);
	assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
	assert_int_equal(t.res.total.barriers, 6);
	assert_int_equal(t.res.total.forced_barriers, 3); /* lanes at the exit are not missed */
	trial_end(&t);
	trial_begin(&t, "");
	trial_policies(&t, "gto", "dualpath");
	trial_must_run(&t, &trace);
	assert_int_equal(t.res.total.forced_barriers, 0);
	assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
	assert_int_equal(t.res.total.barriers, 3);
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

static uint64_t second_warp(const struct at *a)
{
	return a->thread >= 32;
}

static uint64_t trips(const struct at *a)
{
	return a->visit < a->x;
}

/*
 * Lanes 16 to 31 wait at a barrier, in their slot, when the other side parts again and their entry
 * is not on top any more. Lanes of another warp open the barrier early; the loop behind it goes on
 * nevertheless when the inner sides have met, so that each trip counts, of an instruction that
 * waits for the last trip's.
 */
static void test_released_below(void **state)
{
	const unsigned n = 30, L = 8, few = 20, more = 10;
	uint64_t cycles[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct trace trace;
		struct kernel k;
		struct trial t;
		uint32_t warp, low, inner, met, top, end;

		kernel_begin(&k, "released below");
		warp = label(&k);
		low = label(&k);
		inner = label(&k);
		met = label(&k);
		top = label(&k);
		end = label(&k);
		branch(&k, warp, second_warp, 0);
		branch(&k, low, first_half, 0);
		barrier(&k, 1, 32, 0);
		here(&k, top);
		op(&k, TR_C_INT, reg(&k), TR_NONE);
		branch(&k, top, trips, few - 1 + i * more);
		jump(&k, end);
		here(&k, low);
		chain(&k, 2); /* the others are at their barrier before the branch */
		branch(&k, inner, eighth, 0);
		chain(&k, n);
		jump(&k, met);
		here(&k, inner);
		chain(&k, 3);
		here(&k, met);
		jump(&k, end);
		here(&k, warp);
		branch(&k, end, first_half, 0);
		chain(&k, n / 3);
		barrier(&k, 1, 32, 0);
		here(&k, end);
		kernel_end(&k);
		trace = one_launch(&k, 1, 64);
		trial_begin(&t, "latency.int=8");
		trial_policies(&t, "gto", "dualpath");
		replay_once(&t, &trace);
		cycles[i] = t.stats[0].cycles;
		trial_end(&t);
	}
	assert_true(cycles[0] > (n + few) * L);
	assert_int_equal(cycles[1] - cycles[0], more * L);
}

/* ---- the same as fixed ---- */

/* All that is counted but the depth of the stack, which has other entries. */
static void assert_same(const struct sim_stats *a, const struct sim_stats *b)
{
	assert_int_equal(a->cycles, b->cycles);
	assert_memory_equal(a->by_cycle, b->by_cycle, sizeof(a->by_cycle));
	assert_memory_equal(a->issued_bins, b->issued_bins, sizeof(a->issued_bins));
	assert_memory_equal(&a->mem, &b->mem, sizeof(a->mem));
	assert_int_equal(a->warp_insts, b->warp_insts);
	assert_int_equal(a->thread_insts, b->thread_insts);
	assert_int_equal(a->active_lanes, b->active_lanes);
	assert_int_equal(a->inactive_lanes, b->inactive_lanes);
	assert_int_equal(a->waiting_lanes, b->waiting_lanes);
	assert_int_equal(a->l1d.accesses, b->l1d.accesses);
	assert_int_equal(a->l1d.hits, b->l1d.hits);
	assert_int_equal(a->l1d.misses, b->l1d.misses);
	assert_int_equal(a->l1d.merges, b->l1d.merges);
	assert_int_equal(a->path_hash, b->path_hash);
}

static void same_as_fixed(const struct trace *trace, const char *settings, const char *size,
	const char *paths, const char *sched)
{
	char warp[64];
	struct trial fixed, dual;

	trial_begin(&fixed, settings);
	snprintf(warp, sizeof(warp), "fixed:%s", size);
	trial_policies(&fixed, sched, warp);
	trial_must_run(&fixed, trace);
	trial_begin(&dual, settings);
	snprintf(warp, sizeof(warp), "dualpath:%s%s", size, paths);
	trial_policies(&dual, sched, warp);
	trial_must_run(&dual, trace);
	assert_same(&dual.res.total, &fixed.res.total);
	trial_end(&fixed);
	trial_end(&dual);
}

static uint64_t rounds(const struct at *a)
{
	return a->visit < 5;
}

static void test_same_as_fixed(void **state)
{
	static const char *const sizes[] = {"8", "32", "128"},
				 *const scheds[] = {"lrr", "gto", "2lvl"},
				 *const settings[] = {
					 "sm.sms=2 memory.part=real sm.fetch_latency=2",
					 "sm.schedulers=2 sm.simd_width=8 sm.one_in_flight=yes"};
	uint64_t rng = 11;

	(void)state;
	for (unsigned i = 0; i < 36; i++) {
		const char *const size = sizes[i % 3], *const sched = scheds[i / 3 % 3],
				  *const machine = settings[i / 9 % 2];
		struct kernel k;
		struct trace trace;

		tangle(&k, &rng); /* one path at a time */
		trace = record(&k, 5, 100);
		same_as_fixed(&trace, machine, size, ",paths=1", sched);
		free(trace.bytes);
		tr_program_free(k.p);
		kernel_begin(&k, "together"); /* no warp parts */
		const uint32_t top = label(&k), r = reg(&k);
		here(&k, top);
		load(&k, r, r, fresh_lines, i);
		arms(&k, always, i % 2, 3);
		load(&k, r, r, straight_lines, i << 20);
		branch(&k, top, rounds, 0);
		barrier(&k, 0, 0, 0);
		kernel_end(&k);
		trace = record(&k, 9, 128);
		same_as_fixed(&trace, machine, size, "", sched);
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

/* Enough warps hide all latencies: a second path has nothing to add. */
static void test_enough_warps(void **state)
{
	const unsigned n = 40, L = 8;
	uint64_t cycles[2][2];
	struct kernel k;
	struct trial t;

	(void)state;
	kernel_begin(&k, "arms");
	for (int i = 0; i < 5; i++)
		arms(&k, even_lane, 0, n);
	kernel_end(&k);
	for (unsigned many = 0; many < 2; many++) {
		struct trace trace = record(&k, 1, many ? 32 * 2 * L : 32);

		for (unsigned dual = 0; dual < 2; dual++) {
			trial_begin(&t, "latency.int=8");
			trial_policies(&t, "lrr", dual ? "dualpath" : "fixed");
			trial_must_run(&t, &trace);
			cycles[many][dual] = t.res.total.cycles;
			trial_end(&t);
		}
		free(trace.bytes);
	}
	assert_close((double)cycles[0][1], (double)cycles[0][0] / 2, .03);
	assert_close((double)cycles[1][1], (double)cycles[1][0], .01);
	tr_program_free(k.p);
}

/* ---- random programs ---- */

static void test_tangles(void **state)
{
	static const char *const warps[] = {"dualpath", "dualpath:8", "dualpath:256"},
				 *const scheds[] = {"lrr", "gto", "swl:limit=1", "ccws", "2lvl"},
				 *const settings[] = {"sm.sms=2",
					 "sm.schedulers=3 sm.simd_width=8 sm.fetch_latency=3",
					 "sm.one_in_flight=yes latency.branch=9"};
	uint64_t rng = 5, stopped = 0;

	(void)state;
	for (unsigned i = 0; i < 120; i++) {
		struct kernel k;
		struct trace trace;
		struct trial t;
		uint64_t insts, cycles, hash;

		tangle(&k, &rng);
		trace = record(&k, 6, 90);
		trial_begin(&t, settings[i % 3]);
		trial_must_run(&t, &trace);
		insts = t.res.total.thread_insts;
		trial_policies(&t, scheds[i % 5], warps[i / 3 % 3]);
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
		assert_int_equal(t.res.total.thread_insts, insts);
		cycles = t.res.total.cycles;
		hash = t.res.hash;
		stopped += t.res.total.policy[STOPPED];
		t.opt.tick = 1;
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.total.cycles, cycles);
		assert_int_equal(t.res.hash, hash);
		trial_end(&t);
		free(trace.bytes);
		tr_program_free(k.p);
	}
	assert_true(stopped > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_if_else),
		cmocka_unit_test(test_if_alone),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_pending),
		cmocka_unit_test(test_long_load),
		cmocka_unit_test(test_barriers_apart),
		cmocka_unit_test(test_released_below),
		cmocka_unit_test(test_same_as_fixed),
		cmocka_unit_test(test_enough_warps),
		cmocka_unit_test(test_tangles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
