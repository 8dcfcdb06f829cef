/*
 * its: how many instructions the paths of a warp issue and when, on paper, under each of the three
 * ways to switch; where they meet by BSSY, BSYNC, BREAK and WARPSYNC; that waits for lanes which
 * cannot come end. With switch=sync it is fixed where paths meet at post-dominators. Every thread
 * of random programs runs its own record.
 */
#include "tests/unit/tangle.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { PARTED, MET, AT_YIELD, AT_LOAD, AT_BARRIER, FORCED }; /* its counters, in their order */

static const char *const switches[] = {"its", "its:switch=yield", "its:switch=stall"};

/* An instruction of SASS; number: of its barrier, or -1; guard: for which lanes, or NULL. */
static void sass_if(struct kernel *k, const char *opcode, int number, record_fn guard, uint64_t x)
{
	const struct tr_inst in = {.cls = TR_C_OTHER,
		.guard = guard ? reg(k) : TR_NONE,
		.base = TR_NONE,
		.disp = number + 1};
	const uint32_t n = plain(k, in, TR_NONE, TR_NONE);

	k->p->insts[n].opcode = (uint32_t)tr_program_string(k->p, opcode);
	k->outcome[n] = guard;
	k->x[n] = x;
}

static void sass(struct kernel *k, const char *opcode, int number)
{
	sass_if(k, opcode, number, NULL, 0);
}

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

/* Cycles from a load that misses to the issue of what needs it. */
static uint64_t load_to_use(void)
{
	struct sim_stats s;
	struct kernel k;
	uint32_t r;

	kernel_begin(&k, "load to use");
	r = reg(&k);
	load(&k, r, TR_NONE, always, 1 << 20);
	op(&k, TR_C_INT, reg(&k), r);
	kernel_end(&k);
	s = run_warp(&k, "", "fixed");
	tr_program_free(k.p);
	return s.cycles - 1 - THROUGH; /* the exit issues in the cycle after */
}

/* ---- where paths meet ---- */

/*
 * BSSY issues in cycle 0, the branch in 1. An arm that begins in cycle b has its jump in the cycle
 * after its last instruction and its BSYNC in the next one; what follows begins one later.
 */
static void test_diamond(void **state)
{
	const unsigned n = 4, L = 6, arm = (n - 1) * L + 3;
	struct sim_stats s;
	struct kernel k;
	uint32_t other, end;

	(void)state;
	kernel_begin(&k, "diamond");
	other = label(&k);
	end = label(&k);
	sass(&k, "BSSY", 0);
	branch(&k, other, even_lane, 0);
	chain(&k, n);
	jump(&k, end);
	here(&k, other);
	chain(&k, n);
	jump(&k, end);
	here(&k, end);
	sass(&k, "BSYNC", 0);
	kernel_end(&k);
	for (unsigned i = 0; i < COUNT(switches); i++) {
		s = run_warp(&k, "latency.int=6", switches[i]);
		assert_int_equal(s.cycles, 2 + 2 * arm + THROUGH);
		assert_int_equal(s.warp_insts, 2 + 2 * (n + 1) + 2 + 1);
		assert_int_equal(s.issued_bins[3], 2 * (n + 2));
		assert_int_equal(s.policy[PARTED], 1);
		assert_int_equal(s.policy[MET], 1);
		assert_int_equal(s.policy[AT_LOAD] + s.policy[FORCED], 0);
	}
	/* At the post-dominator they meet before BSYNC. */
	s = run_warp(&k, "latency.int=6", "its:meet=pdom");
	assert_int_equal(s.warp_insts, 2 + 2 * (n + 1) + 1 + 1);
	assert_int_equal(run_warp(&k, "latency.int=6", "fixed").cycles, s.cycles);
	tr_program_free(k.p);
}

static uint64_t below(const struct at *a)
{
	return a->thread % 32 < a->x;
}

/* The inner region, of lanes 0 to 15, has a barrier of its own; 0 to 7 take a side of it. */
static void test_nested(void **state)
{
	struct sim_stats s;
	struct kernel k;
	uint32_t inner, side, met, end;

	(void)state;
	kernel_begin(&k, "nested");
	inner = label(&k);
	side = label(&k);
	met = label(&k);
	end = label(&k);
	sass(&k, "BSSY.RECONVERGENT", 0);
	branch(&k, inner, below, 16);
	straight(&k, 1);
	jump(&k, end);
	here(&k, inner);
	sass(&k, "BSSY", 1);
	branch(&k, side, below, 8);
	straight(&k, 2);
	jump(&k, met);
	here(&k, side);
	straight(&k, 3);
	here(&k, met);
	sass(&k, "BSYNC", 1);
	straight(&k, 4); /* once, by 16 lanes */
	here(&k, end);
	sass(&k, "BSYNC.RECONVERGENT", 0);
	kernel_end(&k);
	for (unsigned i = 0; i < COUNT(switches); i++) {
		s = run_warp(&k, "", switches[i]);
		assert_int_equal(s.warp_insts, 2 + 2 + 2 + 3 + 3 + 2 + 4 + 2 + 1);
		assert_int_equal(s.policy[MET], 2);
		assert_int_equal(s.policy[FORCED], 0);
	}
	tr_program_free(k.p);
}

static uint64_t leaves_at_trip(const struct at *a)
{
	return a->visit >= a->thread % 4;
}

/* A quarter of the lanes leaves at each trip, and each comes to BSYNC by itself. */
static void test_early_exit(void **state)
{
	struct sim_stats s;
	struct kernel k;
	uint32_t top, end;

	(void)state;
	for (int with = 0; with < 2; with++) {
		kernel_begin(&k, "loop");
		top = label(&k);
		end = label(&k);
		sass(&k, "BSSY", 15);
		here(&k, top);
		straight(&k, 1);
		if (with) /* lanes that exit are waited for no more */
			leave_if(&k, below, 8);
		branch(&k, end, leaves_at_trip, 0);
		jump(&k, top);
		here(&k, end);
		sass(&k, "BSYNC", 15);
		kernel_end(&k);
		for (unsigned i = 0; i < COUNT(switches); i++) {
			s = run_warp(&k, "", switches[i]);
			assert_int_equal(
				s.warp_insts, 1 + (unsigned)(4 + with * 4) + 4 + 3 + 4 + 1);
			assert_int_equal(s.policy[PARTED], 3);
			assert_int_equal(s.policy[MET], 3);
			assert_int_equal(s.policy[FORCED], 0);
		}
		tr_program_free(k.p);
	}
}

/*
 * The even lanes leave an inner region for the end of the outer one. With BREAK the odd ones do not
 * wait for them at the inner one; without it nobody could go on, and the wait is given up.
 */
static void test_break(void **state)
{
	struct sim_stats s;
	struct kernel k;
	uint32_t out, end;

	(void)state;
	for (int with = 0; with < 3; with++) { /* without; by who left; by all, under a guard */
		kernel_begin(&k, "break");
		out = label(&k);
		end = label(&k);
		sass(&k, "BSSY", 1);
		sass(&k, "BSSY", 0);
		if (with == 2)
			sass_if(&k, "BREAK", 0, even_lane, 0);
		branch(&k, out, even_lane, 0);
		straight(&k, 1);
		sass(&k, "BSYNC", 0);
		straight(&k, 1);
		jump(&k, end);
		here(&k, out);
		if (with == 1)
			sass(&k, "BREAK", 0);
		straight(&k, 1);
		here(&k, end);
		sass(&k, "BSYNC", 1);
		kernel_end(&k);
		for (unsigned i = 0; i < COUNT(switches); i++) {
			s = run_warp(&k, "", switches[i]);
			assert_int_equal(s.warp_insts, 3 + 5 + (with != 0) + 2 + 1 + (with == 0));
			assert_int_equal(s.policy[FORCED], with == 0);
			/* Given up at the outer one: from there on each is by itself. */
			assert_int_equal(s.policy[MET], with != 0);
		}
		tr_program_free(k.p);
	}
}

/* A guarded BSYNC keeps the lanes of a true guard, and the others go on. */
static void test_guarded_bsync(void **state)
{
	struct sim_stats s;
	struct kernel k;

	(void)state;
	kernel_begin(&k, "guarded");
	sass(&k, "BSSY", 2);
	sass_if(&k, "BSYNC", 2, below, 4);
	straight(&k, 2); /* by lanes 4 to 31; at the end of the wait by 0 to 3 */
	sass_if(&k, "BSYNC", 2, from_thread, 4);
	kernel_end(&k);
	for (unsigned i = 0; i < COUNT(switches); i++) {
		s = run_warp(&k, "", switches[i]);
		/* Both wait for one barrier, at two places: each goes on at its own. */
		assert_int_equal(s.warp_insts, 2 + 3 + 1 + 3 + 1);
		assert_int_equal(s.policy[MET], 0);
		assert_int_equal(s.policy[FORCED], 0);
	}
	tr_program_free(k.p);
}

/* WARPSYNC: all lanes; those of a mask, which others pass by; and one that no mask is known of. */
static void test_warp_sync(void **state)
{
	static const struct {
		int mask; /* less one, as sass() has it */
		unsigned by_register, met, insts;
	} cases[] = {{-1, 0, 1, 1}, {0xffff - 1, 0, 0, 2}, {-1, 1, 0, 2}};
	struct sim_stats s;
	struct kernel k;
	uint32_t other, end;

	(void)state;
	for (unsigned c = 0; c < COUNT(cases); c++) {
		kernel_begin(&k, "warpsync");
		other = label(&k);
		end = label(&k);
		sass(&k, "BSSY", 0);
		branch(&k, other, below, 16);
		straight(&k, 1);
		jump(&k, end);
		here(&k, other);
		straight(&k, 1);
		here(&k, end);
		sass(&k, "WARPSYNC", cases[c].mask);
		if (cases[c].by_register) {
			k.p->insts[k.p->ninsts - 1].src = k.p->nreg_pool - 1;
			k.p->insts[k.p->ninsts - 1].nsrc = 1;
		}
		straight(&k, 5);
		sass(&k, "BSYNC", 0);
		kernel_end(&k);
		for (unsigned i = 0; i < COUNT(switches); i++) {
			s = run_warp(&k, "", switches[i]);
			assert_int_equal(s.warp_insts, 2 + 2 + 1 + 2 + 6 * cases[c].insts + 1);
			assert_int_equal(s.policy[MET], 1);
			assert_int_equal(s.policy[FORCED], 0);
		}
		tr_program_free(k.p);
	}
}

/* Where paths meet at post-dominators, WARPSYNC is an instruction like any other. */
static void test_no_warp_sync(void **state)
{
	struct sim_stats fixed;
	struct kernel k;
	uint32_t end;

	(void)state;
	kernel_begin(&k, "no warpsync");
	end = label(&k);
	branch(&k, end, below, 16);
	sass(&k, "WARPSYNC", -1);
	straight(&k, 3);
	here(&k, end);
	kernel_end(&k);
	fixed = run_warp(&k, "", "fixed");
	for (unsigned i = 0; i < COUNT(switches); i++) {
		const struct sim_stats s = run_warp(&k, "", switches[i]);

		assert_int_equal(s.cycles, fixed.cycles);
		assert_int_equal(s.warp_insts, fixed.warp_insts);
		assert_int_equal(s.policy[FORCED], 0);
	}
	tr_program_free(k.p);
}

/* ---- which path goes first ---- */

/*
 * The side that is not taken loads what is needed at the end. The sooner it runs, the more of the
 * load the other side hides: all of its n instructions and its jump.
 */
static void test_first(void **state)
{
	static const struct {
		uint64_t taken; /* lanes */
		const char *warp;
		int load_first;
	} cases[] = {{24, "its:first=taken", 0}, {24, "its:first=fewer", 1},
		{8, "its:first=fewer", 0}, {16, "its:first=fewer", 1}, {16, "its", 0}};
	const uint64_t M = load_to_use();
	const unsigned n = 20;

	(void)state;
	for (unsigned c = 0; c < COUNT(cases); c++) {
		struct sim_stats s;
		struct kernel k;
		uint32_t r, other, end;

		kernel_begin(&k, "first");
		r = reg(&k);
		other = label(&k);
		end = label(&k);
		branch(&k, other, below, cases[c].taken);
		load(&k, r, TR_NONE, always, 1 << 20);
		jump(&k, end);
		here(&k, other);
		straight(&k, n);
		jump(&k, end);
		here(&k, end);
		op(&k, TR_C_INT, reg(&k), r);
		kernel_end(&k);
		s = run_warp(&k, "", cases[c].warp);
		assert_int_equal(s.cycles, 1 + (cases[c].load_first ? 0 : n + 1) + M + 1 + THROUGH);
		s = run_warp(&k, "sm.first_path=fewer", "its");
		assert_int_equal(s.cycles, 1 + (cases[c].taken < 16 ? n + 1 : 0) + M + 1 + THROUGH);
		tr_program_free(k.p);
	}
}

/* ---- when another path goes on ---- */

/*
 * The taken side loads in cycle 1, gives way in 2 and needs its data; the other side is a chain of
 * n. Where the load's side gives way, the chain begins in 3 and the load is over before it is.
 */
static void test_yield(void **state)
{
	static const char *const opcodes[] = {"YIELD", "NANOSLEEP", "nanosleep.u32"};
	const uint64_t M = load_to_use();
	const unsigned n = 30, L = 6, other_side = (n - 1) * L + 2;

	(void)state;
	for (unsigned c = 0; c < COUNT(opcodes); c++) {
		struct sim_stats s;
		struct kernel k;
		uint32_t r, other, end;

		kernel_begin(&k, "yield");
		r = reg(&k);
		other = label(&k);
		end = label(&k);
		branch(&k, other, even_lane, 0);
		chain(&k, n);
		jump(&k, end);
		here(&k, other);
		load(&k, r, TR_NONE, always, 1 << 20);
		sass(&k, opcodes[c], -1);
		op(&k, TR_C_INT, reg(&k), r);
		jump(&k, end);
		here(&k, end);
		kernel_end(&k);
		assert_true(M < other_side);
		s = run_warp(&k, "latency.int=6", "its");
		assert_int_equal(s.cycles, 1 + M + 2 + other_side + THROUGH);
		assert_int_equal(s.policy[AT_YIELD], 0);
		assert_int_equal(run_warp(&k, "latency.int=6", "fixed").cycles, s.cycles);
		s = run_warp(&k, "latency.int=6", "its:switch=yield");
		assert_int_equal(s.cycles, 3 + other_side + 2 + THROUGH);
		assert_int_equal(s.policy[AT_YIELD], 1);
		/* The hold is the warp's: both sides wait for it. */
		s = run_warp(
			&k, "latency.int=6 hold.yield=42 hold.nanosleep=42", "its:switch=yield");
		assert_int_equal(s.cycles, 2 + 42 + other_side + 2 + THROUGH);
		tr_program_free(k.p);
	}
}

/*
 * Each side loads and needs its data. One after the other they take two loads' time. With switch =
 * stall the second load issues in the cycle after the first, and the four instructions that are
 * left issue one after the other from the first one's data on.
 */
static void test_stall(void **state)
{
	const uint64_t M = load_to_use();
	struct sim_stats s;
	struct kernel k;
	uint32_t other, end;

	(void)state;
	kernel_begin(&k, "stall");
	other = label(&k);
	end = label(&k);
	branch(&k, other, even_lane, 0);
	for (int side = 0; side < 2; side++) {
		const uint32_t r = reg(&k);

		if (side)
			here(&k, other);
		load(&k, r, TR_NONE, always, (uint64_t)(1 + side) << 20);
		op(&k, TR_C_INT, reg(&k), r);
		jump(&k, end);
	}
	here(&k, end);
	kernel_end(&k);
	for (unsigned i = 0; i < 2; i++) {
		s = run_warp(&k, "", switches[i]);
		assert_int_equal(s.cycles, 1 + 2 * (M + 2) + THROUGH);
	}
	s = run_warp(&k, "", "its:switch=stall");
	assert_int_equal(s.cycles, 1 + M + 4 + THROUGH);
	assert_int_equal(s.policy[AT_LOAD], 1);
	assert_int_equal(s.policy[MET], 1);
	tr_program_free(k.p);
}

/* A load before the branch: the side that begins later waits for it, too. */
static void test_pending(void **state)
{
	const uint64_t M = load_to_use();
	struct sim_stats s;
	struct kernel k;
	uint32_t r, other, end;

	(void)state;
	kernel_begin(&k, "pending");
	r = reg(&k);
	other = label(&k);
	end = label(&k);
	load(&k, r, TR_NONE, always, 1 << 20);
	branch(&k, other, even_lane, 0);
	op(&k, TR_C_INT, reg(&k), r);
	jump(&k, end);
	here(&k, other);
	op(&k, TR_C_INT, reg(&k), r);
	jump(&k, end);
	here(&k, end);
	kernel_end(&k);
	for (unsigned i = 0; i < COUNT(switches); i++) {
		s = run_warp(&k, "", switches[i]);
		assert_int_equal(s.cycles, M + 4 + THROUGH);
		assert_int_equal(s.l1d.misses, 1);
	}
	tr_program_free(k.p);
}

/* ---- nobody waits for ever ---- */

static uint64_t spins(const struct at *a)
{
	return a->visit < 3 * (a->thread % 32);
}

/* Each lane of a warp spins until those before it had the lock; then it has it, and leaves it. */
static void test_spin(void **state)
{
	struct sim_stats s;
	struct kernel k;

	(void)state;
	for (int named = 0; named < 2; named++) {
		uint32_t top, r;

		kernel_begin(&k, "spin");
		top = label(&k);
		r = reg(&k);
		if (named)
			sass(&k, "BSSY", 0);
		here(&k, top);
		access_to(&k, TR_C_ATOMIC, TR_S_GLOBAL, 4, r, TR_NONE, always, 4096);
		op(&k, TR_C_INT, reg(&k), r);
		sass(&k, "YIELD", -1);
		branch(&k, top, spins, 0);
		store(&k, r, always, 4096);
		if (named)
			sass(&k, "BSYNC", 0);
		kernel_end(&k);
		for (unsigned i = 0; i < COUNT(switches); i++) {
			s = run_warp(&k, "", switches[i]);
			assert_int_equal(s.ended, 32);
			assert_int_equal(s.policy[FORCED], 0);
		}
		tr_program_free(k.p);
	}
}

/* Sides of a warp wait at different barriers of their CTA, which counts all threads. */
static void test_barriers_apart(void **state)
{
	struct trace trace;
	struct kernel k;
	struct trial t;
	uint32_t other, end;

	(void)state;
	for (int named = 0; named < 2; named++) {
		kernel_begin(&k, "barriers");
		other = label(&k);
		end = label(&k);
		if (named)
			sass(&k, "BSSY", 0);
		branch(&k, other, even_lane, 0);
		straight(&k, 3);
		barrier(&k, 0, 0, 0);
		chain(&k, 3);
		barrier(&k, 1, 0, 0);
		jump(&k, end);
		here(&k, other);
		branch(&k, end, below, 0); /* nobody; a block ends */
		barrier(&k, 0, 0, 0);
		straight(&k, 3);
		barrier(&k, 1, 0, 0);
		here(&k, end);
		if (named)
			sass(&k, "BSYNC", 0);
		kernel_end(&k);
		trace = record(&k, 3, 100);
		for (unsigned i = 0; i < COUNT(switches); i++) {
			trial_begin(&t, i % 2 ? "" : "sm.schedulers=4 sm.fetch_latency=3");
			trial_policies(&t, "gto", switches[i]);
			trial_must_run(&t, &trace);
			assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
			assert_int_equal(t.res.total.barriers, 3 * 2);
			assert_true(t.res.total.policy[AT_BARRIER] >= 3 * 4);
			trial_end(&t);
		}
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

static uint64_t second_warp(const struct at *a)
{
	return a->thread >= 32;
}

/*
 * Lanes 0 to 7 stand at a barrier, which the other warp opens while 8 to 15 run their chain; when
 * these stand at the next one, the first ones load and stand there, too, and the rest begins: the
 * warp's one scoreboard says that they wait for the load before their n instructions.
 */
static void test_pending_at_barrier(void **state)
{
	const uint64_t M = load_to_use();
	const unsigned n = 20, L = 8;
	struct kernel k;
	uint32_t r, first, second, other, all, end;

	(void)state;
	kernel_begin(&k, "pending at a barrier");
	r = reg(&k);
	first = label(&k);
	second = label(&k);
	other = label(&k);
	all = label(&k);
	end = label(&k);
	branch(&k, other, second_warp, 0);
	branch(&k, first, below, 8);
	branch(&k, second, below, 16);
	for (unsigned i = 0; i < n; i++)
		op(&k, TR_C_INT, r, r);
	barrier(&k, 0, 0, 0);
	jump(&k, end);
	here(&k, second);
	chain(&k, n);
	barrier(&k, 0, 0, 0);
	jump(&k, end);
	here(&k, first);
	barrier(&k, 1, 32, 0);
	load(&k, r, TR_NONE, always, 1 << 20);
	barrier(&k, 0, 0, 0);
	jump(&k, end);
	here(&k, other);
	branch(&k, all, below, 8);
	chain(&k, 3);
	barrier(&k, 1, 32, 0);
	here(&k, all);
	barrier(&k, 0, 0, 0);
	here(&k, end);
	kernel_end(&k);
	for (unsigned i = 0; i < 2; i++) { /* with `stall` a path waits for its own */
		struct trace trace = record(&k, 1, 64);
		struct trial t;

		trial_begin(&t, "latency.int=8");
		trial_policies(&t, "gto", switches[i]);
		replay_once(&t, &trace);
		assert_in_range(t.stats[0].cycles, (2 * n - 1) * L + M, 2 * n * L + M + 20);
		trial_end(&t);
	}
	tr_program_free(k.p);
}

/*
 * A path that comes back from a barrier waits for the one that has begun meanwhile, but for
 * `stall`, where the two issue side by side.
 */
static void test_back_from_barrier(void **state)
{
	const unsigned n = 40, L = 8;
	struct kernel k;
	uint32_t first, other, end;

	(void)state;
	kernel_begin(&k, "back from a barrier");
	first = label(&k);
	other = label(&k);
	end = label(&k);
	branch(&k, other, second_warp, 0);
	branch(&k, first, below, 16);
	chain(&k, n);
	jump(&k, end);
	here(&k, first);
	barrier(&k, 1, 32, 0);
	chain(&k, n);
	jump(&k, end);
	here(&k, other);
	branch(&k, end, below, 16);
	chain(&k, 3);
	barrier(&k, 1, 32, 0);
	here(&k, end);
	kernel_end(&k);
	for (unsigned i = 0; i < COUNT(switches); i++) {
		const unsigned chains = i == 2 ? 1 : 2, late = i == 2 ? 3 * L : 0;
		struct trace trace = record(&k, 1, 64);
		struct trial t;

		trial_begin(&t, "latency.int=8");
		trial_policies(&t, "gto", switches[i]);
		replay_once(&t, &trace);
		assert_in_range(
			t.stats[0].cycles, (chains * n - 2) * L + late, chains * n * L + late + 20);
		trial_end(&t);
	}
	tr_program_free(k.p);
}

/* ---- the same as fixed ---- */

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
	assert_int_equal(a->l1d.misses, b->l1d.misses);
	assert_int_equal(a->path_hash, b->path_hash);
}

/*
 * Random programs: cycle for cycle with switch=sync, and with the others where no path waits for a
 * load or yields. The order of the paths is the machine's.
 */
static void test_same_as_fixed(void **state)
{
	static const char *const sizes[] = {"8", "32", "128"},
				 *const scheds[] = {"lrr", "gto", "2lvl"},
				 *const settings[] = {
					 "sm.sms=2 memory.part=real sm.fetch_latency=2",
					 "sm.schedulers=2 sm.simd_width=8 sm.one_in_flight=yes",
					 "sm.first_path=fewer sm.schedulers=4"};
	uint64_t rng = 11, parted = 0;

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		struct trial fixed, its;
		struct trace trace;
		struct kernel k;
		char warp[64];

		tangle_of(&k, &rng, i % 2);
		trace = record(&k, 5, 100);
		trial_begin(&fixed, settings[i % 3]);
		snprintf(warp, sizeof(warp), "fixed:%s", sizes[i / 3 % 3]);
		trial_policies(&fixed, scheds[i / 9 % 3], warp);
		trial_must_run(&fixed, &trace);
		trial_begin(&its, settings[i % 3]);
		snprintf(warp, sizeof(warp), "its:size=%s,switch=%s", sizes[i / 3 % 3],
			i % 2 ? "sync" : "yield");
		trial_policies(&its, scheds[i / 9 % 3], warp);
		trial_must_run(&its, &trace);
		assert_same(&its.res.total, &fixed.res.total);
		parted += its.res.total.policy[PARTED];
		trial_end(&fixed);
		trial_end(&its);
		free(trace.bytes);
		tr_program_free(k.p);
	}
	assert_true(parted > 1000);
}

/* ---- random programs ---- */

/* Barriers strewn about: some are never armed, some nobody comes to. */
static void strew(struct kernel *k, uint64_t *rng)
{
	static const char *const opcodes[] = {
		"BSSY", "BSYNC", "BREAK", "WARPSYNC", "YIELD", "NANOSLEEP", "BSSY", "BSYNC"};

	for (uint32_t i = 0; i < k->p->ninsts; i++) {
		struct tr_inst *in = &k->p->insts[i];
		const uint64_t die = *rng = mixed(*rng + 1);

		if (in->cls != TR_C_INT || die % 3 == 0)
			continue;
		in->cls = TR_C_OTHER;
		in->ndst = in->nsrc = 0;
		in->opcode = (uint32_t)tr_program_string(k->p, opcodes[die / 3 % 8]);
		in->disp = die / 3 % 8 == 3 ? 0 : 1 + (int64_t)(die / 24 % 3);
	}
}

static void test_tangles(void **state)
{
	static const char *const sizes[] = {"0", "8", "256"},
				 *const words[] = {"sync", "yield", "stall"},
				 *const scheds[] = {"lrr", "gto", "swl:limit=1", "ccws", "2lvl"},
				 *const settings[] = {"sm.sms=2",
					 "sm.schedulers=3 sm.simd_width=8 sm.fetch_latency=3",
					 "sm.one_in_flight=yes latency.branch=9"};
	uint64_t rng = 5, counts[FORCED + 1] = {0};

	(void)state;
	for (unsigned i = 0; i < 180; i++) {
		struct kernel k;
		struct trace trace;
		struct trial t;
		uint64_t insts, cycles, hash;
		char warp[64];

		tangle_of(&k, &rng, i % 3 != 0);
		if (i % 2)
			strew(&k, &rng);
		trace = record(&k, 4, 90);
		trial_begin(&t, settings[i % 3]);
		trial_must_run(&t, &trace);
		insts = t.res.total.thread_insts;
		snprintf(warp, sizeof(warp), "its:size=%s,switch=%s", sizes[i / 9 % 3],
			words[i / 3 % 3]);
		trial_policies(&t, scheds[i % 5], warp);
		t.opt.count_threads = 1;
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
		assert_int_equal(t.res.total.thread_insts, insts);
		cycles = t.res.total.cycles;
		hash = t.res.hash;
		for (int c = 0; c <= FORCED; c++)
			counts[c] += t.res.total.policy[c];
		t.opt.tick = 1;
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.total.cycles, cycles);
		assert_int_equal(t.res.hash, hash);
		trial_end(&t);
		free(trace.bytes);
		tr_program_free(k.p);
	}
	for (int c = 0; c <= FORCED; c++)
		assert_true(c == AT_BARRIER || c == FORCED || counts[c] > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diamond),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_early_exit),
		cmocka_unit_test(test_break),
		cmocka_unit_test(test_guarded_bsync),
		cmocka_unit_test(test_warp_sync),
		cmocka_unit_test(test_no_warp_sync),
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_yield),
		cmocka_unit_test(test_stall),
		cmocka_unit_test(test_pending),
		cmocka_unit_test(test_spin),
		cmocka_unit_test(test_barriers_apart),
		cmocka_unit_test(test_pending_at_barrier),
		cmocka_unit_test(test_back_from_barrier),
		cmocka_unit_test(test_same_as_fixed),
		cmocka_unit_test(test_tangles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
