/*
 * Dynamic warp resizing: its tables step by step, and the paper's cases as programs through the
 * whole machine. Sub-warps of 8 issue in one cycle; bar.synch_partner takes 24.
 */
#include "tests/unit/replay_trial.h"
#include "sim/warp/dwr_tables.h"

/* The counters of dwr, by their places. */
enum { LATS, LATS_IGNORED, INSERTED };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
/* Cycles of a launch beyond the number of the one in which its last exit issues. */
#define THROUGH 2
#define LATENCY 24

/* ---- tables ---- */

/* Four sets of two: numbers 4 apart share a set, and the one asked for longest ago goes. */
static void test_ilt(void **state)
{
	uint32_t storage[8];
	struct sim_ilt t;

	(void)state;
	sim_ilt_init(&t, storage, 8, 2);
	assert_int_equal(t.sets, 4);
	for (uint32_t i = 0; i < 16; i++)
		assert_false(sim_ilt_has(&t, i));
	sim_ilt_put(&t, 1);
	sim_ilt_put(&t, 5);
	sim_ilt_put(&t, 2);
	assert_true(sim_ilt_has(&t, 5));
	assert_true(sim_ilt_has(&t, 1)); /* renewed: 5 is the oldest of its set */
	assert_false(sim_ilt_has(&t, 9));
	sim_ilt_put(&t, 9);
	assert_false(sim_ilt_has(&t, 5));
	assert_true(sim_ilt_has(&t, 9));
	assert_true(sim_ilt_has(&t, 1));
	sim_ilt_put(&t, 9); /* it is there: nothing goes, and it is the latest */
	assert_true(sim_ilt_has(&t, 1));
	sim_ilt_put(&t, 9);
	sim_ilt_put(&t, 13);
	assert_false(sim_ilt_has(&t, 1));
	assert_true(sim_ilt_has(&t, 9));
	assert_true(sim_ilt_has(&t, 2)); /* of another set */
}

/* The paper's sizes: 32 entries of 8 ways, 16 of 4, 8 of 4; and none. */
static void test_ilt_sizes(void **state)
{
	static const struct {
		uint32_t entries, ways, sets, kept; /* kept: ways there are */
	} cases[] = {{32, 8, 4, 8}, {16, 4, 4, 4}, {8, 4, 2, 4}, {4, 8, 1, 4}, {1, 1, 1, 1}};
	uint32_t storage[32];
	struct sim_ilt t;

	(void)state;
	for (unsigned c = 0; c < COUNT(cases); c++) {
		const uint32_t n = cases[c].sets * cases[c].kept;

		sim_ilt_init(&t, storage, cases[c].entries, cases[c].ways);
		assert_int_equal(t.sets, cases[c].sets);
		for (uint32_t i = 0; i < n; i++)
			sim_ilt_put(&t, 100 + i);
		for (uint32_t i = 0; i < n; i++)
			assert_true(sim_ilt_has(&t, 100 + i));
		sim_ilt_put(&t, 100 + n); /* full: the oldest of its set goes, and no other */
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(sim_ilt_has(&t, 100 + i), i != 0);
	}
	sim_ilt_init(&t, storage, 0, 8);
	sim_ilt_put(&t, 7);
	assert_false(sim_ilt_has(&t, 7));
}

/* IV.D, step 1: the one that comes to a valid entry of another PC is ignored from then on. */
static void test_pst(void **state)
{
	uint32_t storage[32];
	struct sim_pst e = {0};
	struct sim_ilt t;

	(void)state;
	sim_ilt_init(&t, storage, 32, 8);
	sim_pst_lock(&e, &t, 10, 24);
	sim_pst_lock(&e, &t, 10, 25);
	assert_int_equal(e.locked, 2);
	assert_false(sim_ilt_has(&t, 10));
	sim_pst_lock(&e, &t, 20, 30);
	assert_int_equal(e.locked, 3);
	assert_int_equal(e.inst, 10);
	assert_int_equal(e.through, 30);
	assert_true(sim_ilt_has(&t, 20));
	assert_false(sim_ilt_has(&t, 10));
	e.locked = 0; /* all go on: the next one finds the entry not valid */
	sim_pst_lock(&e, &t, 30, 60);
	assert_int_equal(e.inst, 30);
	assert_false(sim_ilt_has(&t, 30));
}

/* ---- programs ---- */

/* One launch on an SM of 8 lanes whose L1D always hits, and again with every cycle stepped. */
static struct sim_stats run_set(
	const struct trace *trace, const char *sched, const char *warp, const char *settings)
{
	const uint64_t paths = walked_paths(trace);
	struct sim_stats first;
	struct trial t;

	trial_begin(&t, "sm.simd_width=8 l1d.part=perfect");
	machine_set(&t.opt.config, settings);
	trial_policies(&t, sched, warp);
	trial_must_run(&t, trace);
	assert_int_equal(t.res.total.path_hash, paths);
	first = t.res.total;
	t.opt.tick = 1;
	trial_must_run(&t, trace);
	assert_int_equal(t.res.total.cycles, first.cycles);
	assert_int_equal(t.res.total.policy[LATS], first.policy[LATS]);
	trial_end(&t);
	first.insts = NULL;
	return first;
}

static struct sim_stats run(const struct trace *trace, const char *warp)
{
	return run_set(trace, "lrr", warp, "");
}

/* ---- identities ---- */

static uint64_t even(const struct at *a)
{
	return (a->thread + a->visit) % 2;
}

static uint64_t goes_round(const struct at *a)
{
	return a->visit < a->x + a->thread % 5;
}

static uint64_t shared_words(const struct at *a)
{
	return TR_SHARED_WINDOW + a->x + 4ull * a->thread;
}

/* Arithmetic, shared and constant memory, an atomic, divergence, a loop, barriers; not one LAT. */
static void without_lats(struct kernel *k)
{
	uint32_t other, end, top, r;

	kernel_begin(k, "no LAT");
	other = label(k);
	end = label(k);
	top = label(k);
	access_to(k, TR_C_LOAD, TR_S_CONST, 4, r = reg(k), TR_NONE, always, 64);
	op(k, TR_C_INT, reg(k), r);
	branch(k, other, even, 0);
	chain(k, 3);
	jump(k, end);
	here(k, other);
	access_to(k, TR_C_STORE, TR_S_SHARED, 4, TR_NONE, r, shared_words, 0);
	here(k, end);
	barrier(k, 0, 0, 0);
	here(k, top);
	access_to(k, TR_C_LOAD, TR_S_SHARED, 4, r = reg(k), TR_NONE, shared_words, 512);
	op(k, TR_C_FP32, r, r);
	branch(k, top, goes_round, 2);
	access_to(k, TR_C_ATOMIC, TR_S_GLOBAL, 4, TR_NONE, r, words, 0x100000);
	barrier(k, 1, 0, 0);
	chain(k, 2);
	kernel_end(k);
}

static void assert_same(const struct sim_stats *a, const struct sim_stats *b)
{
	assert_int_equal(a->cycles, b->cycles);
	assert_memory_equal(a->by_cycle, b->by_cycle, sizeof(a->by_cycle));
	assert_memory_equal(a->issued_bins, b->issued_bins, sizeof(a->issued_bins));
	assert_int_equal(a->warp_insts, b->warp_insts);
	assert_int_equal(a->path_hash, b->path_hash);
	assert_int_equal(a->transactions, b->transactions);
}

/* Without LATs there is nothing to synchronize: the fixed warps of the SIMD's width. */
static void test_without_lats(void **state)
{
	static const char *const settings[] = {"", "sm.one_in_flight=yes latency.int=24",
		"sm.simd_width=16 sm.schedulers=2", "l1d.part=real"};
	static const char *const scheds[] = {"lrr", "gto"};
	struct kernel k;
	struct trace trace;

	(void)state;
	without_lats(&k);
	trace = record(&k, 5, 200);
	for (unsigned i = 0; i < COUNT(settings); i++)
		for (unsigned s = 0; s < COUNT(scheds); s++) {
			const char *fixed = strstr(settings[i], "=16") ? "fixed:16" : "fixed:8";
			const struct sim_stats a = run_set(&trace, scheds[s], fixed, settings[i]);
			const struct sim_stats b = run_set(&trace, scheds[s], "dwr", settings[i]);

			assert_same(&a, &b);
			assert_int_equal(b.policy[INSERTED], 0);
			assert_int_equal(b.policy[LATS], 0);
		}
	free(trace.bytes);
	tr_program_free(k.p);
}

/* A largest warp of one sub-warp has no partners: no barrier is compiled in. */
static void test_without_partners(void **state)
{
	struct kernel k;
	struct trace trace;
	struct sim_stats a, b;
	uint32_t r;

	(void)state;
	kernel_begin(&k, "loads");
	load(&k, r = reg(&k), TR_NONE, words, 0x100000);
	store(&k, r, words, 0x200000);
	kernel_end(&k);
	trace = record(&k, 3, 100);
	a = run(&trace, "fixed:8");
	b = run(&trace, "dwr:max=8");
	assert_same(&a, &b);
	assert_int_equal(b.policy[INSERTED], 0);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- what it costs, and what it is for ---- */

/*
 * One group of sub-warps, straight instructions and n stores. Where a wide warp keeps the SIMD for
 * as many cycles as there are sub-warps, these issue one after the other; so at each store all that
 * is lost is the latency of the last one's barrier, and where barriers take issue slots, one for
 * each.
 */
static void overhead(unsigned width, unsigned latency, unsigned stores)
{
	const unsigned subs = width / 8, insts = 2 + 2 * stores;
	const uint64_t fixed = insts * subs + subs - 1 + THROUGH;
	char policy[64];
	struct kernel k;
	struct trace trace;
	struct sim_stats s;

	kernel_begin(&k, "overhead");
	straight(&k, 2);
	for (unsigned n = 0; n < stores; n++) {
		store(&k, TR_NONE, words, 0x100000);
		straight(&k, 1);
	}
	kernel_end(&k);
	trace = record(&k, 1, width);
	snprintf(policy, sizeof(policy), "fixed:%u", width);
	s = run(&trace, policy);
	assert_int_equal(s.cycles, fixed);
	for (unsigned slot = 0; slot < 2; slot++) {
		snprintf(policy, sizeof(policy), "dwr:max=%u,latency=%u,slot=%s", width, latency,
			slot ? "yes" : "no");
		s = run(&trace, policy);
		assert_int_equal(s.cycles, fixed + stores * (latency + slot * (subs - 1)));
		assert_int_equal(s.policy[INSERTED], stores * subs);
		assert_int_equal(s.policy[LATS], stores);
		assert_int_equal(s.policy[LATS_IGNORED], 0);
		assert_int_equal(s.warp_insts, subs * (insts - stores + 1) + stores);
	}
	free(trace.bytes);
	tr_program_free(k.p);
}

static void test_overhead(void **state)
{
	static const unsigned widths[] = {16, 32, 64, 128, 256}, latencies[] = {1, 24, 100};

	(void)state;
	for (unsigned i = 0; i < COUNT(widths); i++)
		for (unsigned l = 0; l < COUNT(latencies); l++)
			for (unsigned stores = 0; stores <= 3; stores++)
				overhead(widths[i], latencies[l], stores);
}

/* 13 sub-warps of a CTA are a group of 8 and one of 5; groups do not span CTAs. */
static void test_combining(void **state)
{
	static const struct {
		unsigned max, ctas, threads, lats, transactions; /* of 128 bytes, by a CTA */
	} cases[] = {
		{16, 1, 100, 7, 7},
		{32, 1, 100, 4, 4},
		{64, 1, 100, 2, 4},
		{128, 1, 100, 1, 4},
		{64, 3, 100, 2, 4},
		{64, 7, 16, 1, 1},
		{64, 2, 8, 1, 1},
		{24, 1, 72, 3, 5},
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		char policy[32];
		struct kernel k;
		struct trace trace;
		struct sim_stats s;

		kernel_begin(&k, "one load");
		load(&k, reg(&k), TR_NONE, words, 0x100000);
		kernel_end(&k);
		trace = record(&k, cases[i].ctas, cases[i].threads);
		snprintf(policy, sizeof(policy), "dwr:max=%u", cases[i].max);
		s = run(&trace, policy);
		assert_int_equal(s.policy[LATS], cases[i].ctas * cases[i].lats);
		assert_int_equal(s.mem_insts, s.policy[LATS]);
		assert_int_equal(s.mem_lanes, cases[i].ctas * cases[i].threads);
		assert_int_equal(s.transactions, cases[i].ctas * cases[i].transactions);
		assert_int_equal(s.policy[INSERTED], cases[i].ctas * ((cases[i].threads + 7) / 8));
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

/*
 * IV.A: global and local, param where it is wanted; not const, not shared, not atomics; textures
 * where they have no cache of their own.
 */
static void test_which_are_lats(void **state)
{
	struct kernel k;
	struct trace trace;

	(void)state;
	kernel_begin(&k, "spaces");
	access_to(&k, TR_C_LOAD, TR_S_PARAM, 4, reg(&k), TR_NONE, always, 16);
	access_to(&k, TR_C_LOAD, TR_S_CONST, 4, reg(&k), TR_NONE, always, 64);
	access_to(&k, TR_C_STORE, TR_S_SHARED, 4, TR_NONE, TR_NONE, shared_words, 0);
	access_to(&k, TR_C_ATOMIC, TR_S_GLOBAL, 4, TR_NONE, TR_NONE, words, 0x100000);
	access_to(&k, TR_C_STORE, TR_S_LOCAL, 4, TR_NONE, TR_NONE, always, TR_LOCAL_WINDOW);
	access_to(&k, TR_C_LOAD, TR_S_TEXTURE, 4, reg(&k), TR_NONE, words, 0x300000);
	load(&k, reg(&k), TR_NONE, words, 0x200000);
	kernel_end(&k);
	trace = record(&k, 1, 64);
	assert_int_equal(run(&trace, "dwr").policy[LATS], 2);
	assert_int_equal(run_set(&trace, "lrr", "dwr", "sm.texture_l1d=yes").policy[LATS], 3);
	assert_int_equal(run(&trace, "dwr:param=yes").policy[LATS], 3);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- deadlock freedom, IV.B ---- */

/*
 * Listing 2a: the first sub-warp waits at one LAT, the second at another one, or the other way
 * round, `first` and `second` instructions later.
 */
static struct sim_stats listing_2a(unsigned first, unsigned second, const char *policy)
{
	struct kernel k;
	struct trace trace;
	struct sim_stats s;
	uint32_t other, end;

	kernel_begin(&k, "listing 2a");
	other = label(&k);
	end = label(&k);
	branch(&k, other, from_thread, 8);
	chain(&k, first);
	load(&k, reg(&k), TR_NONE, words, 0x100000);
	jump(&k, end);
	here(&k, other);
	chain(&k, second);
	here(&k, end);
	load(&k, reg(&k), TR_NONE, words, 0x200000);
	kernel_end(&k);
	trace = record(&k, 1, 16);
	s = run(&trace, policy);
	free(trace.bytes);
	tr_program_free(k.p);
	return s;
}

/*
 * They are let go and issue apart: three LATs. It is the second arrival's that is ignored from then
 * on: where that is line 4, the first sub-warp passes it at once when it comes there.
 */
static void test_lat_against_lat(void **state)
{
	struct sim_stats s;

	(void)state;
	s = listing_2a(1, 20, "dwr:max=16");
	assert_int_equal(s.policy[LATS], 3);
	assert_int_equal(s.policy[INSERTED], 3);
	assert_int_equal(s.policy[LATS_IGNORED], 1);
	s = listing_2a(20, 1, "dwr:max=16");
	assert_int_equal(s.policy[LATS], 3);
	assert_int_equal(s.policy[INSERTED], 3);
	assert_int_equal(s.policy[LATS_IGNORED], 0);
	s = listing_2a(1, 20, "dwr:max=16,ilt=0");
	assert_int_equal(s.policy[LATS], 3);
	assert_int_equal(s.policy[LATS_IGNORED], 0);
}

/* Listing 2b: accesses, here stores, of the first sub-warp alone in front of a barrier of the CTA.
 */
static struct sim_stats listing_2b(
	unsigned stores, unsigned first, unsigned second, const char *policy)
{
	struct kernel k;
	struct trace trace;
	struct sim_stats s;
	uint32_t other, end;

	kernel_begin(&k, "listing 2b");
	other = label(&k);
	end = label(&k);
	branch(&k, other, from_thread, 8);
	chain(&k, first);
	for (unsigned i = 0; i < stores; i++)
		store(&k, TR_NONE, words, 0x100000);
	jump(&k, end);
	here(&k, other);
	chain(&k, second);
	here(&k, end);
	barrier(&k, 0, 0, 0);
	kernel_end(&k);
	trace = record(&k, 1, 16);
	s = run(&trace, policy);
	assert_int_equal(s.barriers, 1);
	free(trace.bytes);
	tr_program_free(k.p);
	return s;
}

/*
 * Both branches issue in cycles 0 and 1. In cycle 1 the first sub-warp is locked, in cycle 2 the
 * partner comes to the barrier of the CTA and stays there, so each store costs its own barrier and
 * nothing else. Or the partner comes to the barrier long after that. Where bar.synch_partner takes
 * an issue slot, that of cycle 1 is taken, and all begins a cycle later.
 */
static void test_lat_against_barrier(void **state)
{
	static const char *const policies[] = {"dwr:max=16", "dwr:max=16,slot=yes"};
	struct sim_stats s;

	(void)state;
	for (unsigned slot = 0; slot < 2; slot++) {
		for (unsigned stores = 1; stores <= 3; stores++) {
			s = listing_2b(stores, 0, 0, policies[slot]);
			assert_int_equal(s.policy[LATS], stores);
			assert_int_equal(s.policy[INSERTED], stores);
			assert_int_equal(s.policy[LATS_IGNORED], 0);
			/* branches, a barrier and a store each, jump, barrier and two exits */
			assert_int_equal(
				s.cycles, 1 + slot + stores * (LATENCY + 1) + 1 + 2 + THROUGH);
		}
		/* 20 instructions of the partner, 6 cycles each, begin in cycle 2; it comes to the
		 * barrier when the last has issued, and lets the store go in the next cycle. */
		s = listing_2b(1, 0, 20, policies[slot]);
		assert_int_equal(s.policy[LATS], 1);
		assert_int_equal(s.cycles, 2 + slot + 19 * 6 + 1 + 1 + 1 + 1 + 2 + THROUGH);
	}
}

/* The third way out: the partner ends, before the other one comes to its LAT or while it waits. */
static void test_lat_against_exit(void **state)
{
	(void)state;
	for (unsigned first = 0; first <= 40; first += 40)
		for (unsigned second = 0; second <= 40; second += 40) {
			struct kernel k;
			struct trace trace;
			struct sim_stats s;
			uint32_t out;

			kernel_begin(&k, "exit");
			out = label(&k);
			branch(&k, out, from_thread, 8);
			chain(&k, first);
			load(&k, reg(&k), TR_NONE, words, 0x100000);
			load(&k, reg(&k), TR_NONE, words, 0x200000);
			leave(&k);
			here(&k, out);
			chain(&k, second);
			kernel_end(&k);
			trace = record(&k, 1, 16);
			s = run(&trace, "dwr:max=16");
			assert_int_equal(s.policy[LATS], 2);
			assert_int_equal(s.policy[LATS_IGNORED], 0);
			free(trace.bytes);
			tr_program_free(k.p);
		}
}

/* Listing 3: a barrier of the CTA is the same wherever its sub-warps stand (Tesla). */
static void test_tesla_rule(void **state)
{
	struct kernel k;
	struct trace trace;
	struct sim_stats s;
	uint32_t other, end;

	(void)state;
	kernel_begin(&k, "listing 3");
	other = label(&k);
	end = label(&k);
	branch(&k, other, from_thread, 8);
	barrier(&k, 0, 0, 0);
	jump(&k, end);
	here(&k, other);
	barrier(&k, 0, 0, 0);
	here(&k, end);
	load(&k, reg(&k), TR_NONE, words, 0x100000);
	kernel_end(&k);
	trace = record(&k, 1, 16);
	s = run(&trace, "dwr:max=16");
	assert_int_equal(s.barriers, 1);
	assert_int_equal(s.policy[LATS], 1); /* after it they are together again */
	assert_int_equal(s.policy[INSERTED], 2);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- selective synchronization, IV.C ---- */

static uint64_t again(const struct at *a)
{
	return a->visit + 1 < a->x;
}

/*
 * Listing 2a in a loop. In the first round line 4 comes into the ILT: from then on nobody waits
 * there. The second sub-warp runs through to its end, while the first waits at line 2 and then has
 * no partner any more. Without the ILT they are let go as often as both wait.
 */
static void test_ignored_in_a_loop(void **state)
{
	const unsigned rounds = 10;
	struct kernel k;
	struct trace trace;
	struct sim_stats s;
	uint32_t top, other;

	(void)state;
	kernel_begin(&k, "loop");
	top = label(&k);
	other = label(&k);
	here(&k, top);
	branch(&k, other, from_thread, 8);
	load(&k, reg(&k), TR_NONE, words, 0x100000);
	here(&k, other);
	load(&k, reg(&k), TR_NONE, words, 0x200000);
	branch(&k, top, again, rounds);
	kernel_end(&k);
	trace = record(&k, 1, 16);
	s = run(&trace, "dwr:max=16");
	assert_int_equal(s.policy[LATS], 3 * rounds);
	assert_int_equal(s.policy[INSERTED], 3 * rounds);
	assert_int_equal(s.policy[LATS_IGNORED], 2 * rounds - 1);
	s = run(&trace, "dwr:max=16,ilt=0");
	assert_int_equal(s.policy[INSERTED], 3 * rounds);
	assert_int_equal(s.policy[LATS_IGNORED], 0);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- loads that the scheduler keeps back ---- */

/*
 * Lets the second sub-warp execute load `inst` only `passes` times, until the first one has ended.
 * So the run ends only if the first waits for it nowhere.
 */
struct miser {
	uint32_t done;
	int ended;
};
static struct {
	uint32_t inst, passes;
} miserly;

static uint32_t miser_pick(void *s, const struct sim_bits *ready, uint64_t now)
{
	(void)s;
	(void)now;
	return sim_bits_next(ready, 0);
}

static int miser_may_load(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	const struct miser *m = s;

	(void)now;
	return m->ended || warp != 1 || inst != miserly.inst || m->done < miserly.passes;
}

static void miser_issued(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	struct miser *m = s;

	(void)now;
	m->done += warp == 1 && inst == miserly.inst;
}

static void miser_leave(void *s, uint32_t warp)
{
	struct miser *m = s;

	m->ended |= warp == 0;
}

static const struct sim_sched miser = {
	.name = "miser",
	.help = "of this test",
	.state_bytes = sizeof(struct miser),
	.pick = miser_pick,
	.may_load = miser_may_load,
	.issued = miser_issued,
	.leave = miser_leave,
};

/*
 * Two sub-warps under the miser, in `rounds` of: `first` instructions and a LAT of the first one
 * alone, `second` of the other one, then a LAT of both, which is the one that is kept back.
 */
static struct sim_stats kept_back(
	unsigned first, unsigned second, unsigned rounds, int with_own, const char *policy)
{
	struct kernel k;
	struct trace trace;
	struct sim_stats s;
	struct trial t;
	uint32_t top, other, end;

	kernel_begin(&k, "kept back");
	top = label(&k);
	other = label(&k);
	end = label(&k);
	here(&k, top);
	branch(&k, other, from_thread, 8);
	chain(&k, first);
	if (with_own)
		load(&k, reg(&k), TR_NONE, words, 0x100000);
	jump(&k, end);
	here(&k, other);
	chain(&k, second);
	here(&k, end);
	miserly.inst = load(&k, reg(&k), TR_NONE, words, 0x200000);
	miserly.passes = rounds - 1;
	branch(&k, top, again, rounds);
	kernel_end(&k);
	trace = record(&k, 1, 16);
	trial_begin(&t, "sm.simd_width=8 l1d.part=perfect");
	trial_policies(&t, "lrr", policy);
	t.opt.sched = &miser;
	trial_must_run(&t, &trace);
	assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
	s = t.res.total;
	s.insts = NULL;
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
	return s;
}

/*
 * Only loads are kept back. The barrier in front takes nothing of the L1D, so the sub-warp comes to
 * it, and as a partner of one that may load it has a part in the combined load. Where it stands
 * after its barrier and is kept back, partners do not wait for it.
 */
static void test_kept_back(void **state)
{
	static const char *const policies[] = {"dwr:max=16", "dwr:max=16,slot=yes"};
	struct sim_stats s;

	(void)state;
	for (unsigned slot = 0; slot < 2; slot++) {
		s = kept_back(0, 0, 1, 0, policies[slot]);
		assert_int_equal(s.policy[LATS], 1);
		assert_int_equal(s.policy[INSERTED], 2);
		/* It is let go at the LAT of both, from which its partner was far; that comes there
		 * later, does not wait, and takes it along. */
		s = kept_back(20, 1, 1, 1, policies[slot]);
		assert_int_equal(s.policy[LATS], 2);
		assert_int_equal(s.sched.withheld_loads, 1);
		/* In the second round it passes the barrier by the ILT, while its partner waits. */
		s = kept_back(1, 20, 2, 1, policies[slot]);
		assert_int_equal(s.sched.withheld_loads, 1);
	}
}

/* ---- chance ---- */

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x7fb5d329728ea185ull;
	x ^= x >> 27;
	x *= 0x81dadef4bc2dd44dull;
	return x ^ x >> 33;
}

/* By sub-warp in half of the places, by thread in the others. */
static uint64_t chance(const struct at *a)
{
	const uint64_t who = a->x & 1 ? a->thread / 8 : a->thread;

	return mix(mix(a->x) + 0x10001 * who + 977 * a->visit + a->cta) >> 11 & 1;
}

static uint64_t few_rounds(const struct at *a)
{
	return a->visit % 4 < mix(a->x + a->thread / 8) % 4;
}

static uint64_t scattered(const struct at *a)
{
	return 0x100000 + 4 * (mix(a->x + a->thread / 4 + a->visit) % 8192);
}

static void block(struct kernel *k, uint64_t *seed, unsigned depth)
{
	for (unsigned i = mix(++*seed) % 3 + 1; i--;) {
		const uint64_t what = mix(++*seed);
		uint32_t other, end, top;

		switch (depth ? what % 5 : what % 3) {
		case 0:
			load(k, reg(k), TR_NONE, scattered, what);
			break;
		case 1:
			access_guarded(k, TR_C_STORE, TR_S_GLOBAL, 4, TR_NONE, TR_NONE, scattered,
				what, chance);
			break;
		case 2:
			chain(k, (unsigned)(what >> 8) % 6);
			break;
		case 3:
			other = label(k);
			end = label(k);
			branch(k, other, chance, what);
			block(k, seed, depth - 1);
			jump(k, end);
			here(k, other);
			block(k, seed, depth - 1);
			here(k, end);
			break;
		default:
			top = label(k);
			here(k, top);
			block(k, seed, depth - 1);
			branch(k, top, few_rounds, what);
		}
	}
}

/*
 * Programs by chance, with barriers of the CTA between their parts and threads that leave early:
 * each thread goes its way, and memory sees the lanes that it sees of fixed warps.
 */
static void test_random_programs(void **state)
{
	static const char *const policies[] = {"dwr:max=16", "dwr", "dwr:max=32,ilt=0",
		"dwr:max=256,ilt=2,ways=1,latency=3", "dwr:max=40,param=yes", "dwr:slot=yes"};
	static const char *const settings[] = {"",
		"sm.one_in_flight=yes sm.one_pipeline=yes l1d.part=real",
		"sm.schedulers=2 l1d.part=real l1d.size=2K", "sm.unlimited_issue=yes"};
	static const char *const scheds[] = {"lrr", "gto", "ccws:k=1000", "daws", "swl:limit=1"};
	uint64_t ignored = 0, combined = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		uint64_t s = seed << 32;
		struct kernel k;
		struct trace trace;
		struct sim_stats fixed;

		kernel_begin(&k, "chance");
		for (unsigned part = 0; part < 3; part++) {
			block(&k, &s, 2);
			if (part == 1)
				leave_if(&k, chance, s);
			barrier(&k, part, 0, 0);
		}
		block(&k, &s, 1);
		kernel_end(&k);
		trace = record(&k, 3, 8 + (uint32_t)(mix(s) % 200));
		fixed = run(&trace, "fixed:8");
		for (unsigned i = 0; i < COUNT(policies); i++) {
			const struct sim_stats d =
				run_set(&trace, scheds[(3 * seed + i) % COUNT(scheds)], policies[i],
					settings[(seed + i) % COUNT(settings)]);

			assert_int_equal(d.thread_insts, fixed.thread_insts);
			assert_int_equal(d.mem_lanes, fixed.mem_lanes);
			assert_int_equal(d.barriers, fixed.barriers);
			assert_true(d.policy[LATS] <= d.policy[INSERTED]);
			assert_true(d.policy[LATS_IGNORED] <= d.policy[LATS]);
			ignored += d.policy[LATS_IGNORED];
			combined += d.policy[INSERTED] - d.policy[LATS];
		}
		free(trace.bytes);
		tr_program_free(k.p);
	}
	assert_true(ignored > 1000);
	assert_true(combined > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ilt),
		cmocka_unit_test(test_ilt_sizes),
		cmocka_unit_test(test_pst),
		cmocka_unit_test(test_without_lats),
		cmocka_unit_test(test_without_partners),
		cmocka_unit_test(test_overhead),
		cmocka_unit_test(test_combining),
		cmocka_unit_test(test_which_are_lats),
		cmocka_unit_test(test_lat_against_lat),
		cmocka_unit_test(test_lat_against_barrier),
		cmocka_unit_test(test_lat_against_exit),
		cmocka_unit_test(test_tesla_rule),
		cmocka_unit_test(test_ignored_in_a_loop),
		cmocka_unit_test(test_kept_back),
		cmocka_unit_test(test_random_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
