/*
 * Dynamic warp formation through the whole machine: where nothing diverges it is fixed:32, under
 * the same order of picks; aligned divergence; the starvation eddy of TBC's figure 1 and the warp
 * barrier that ends it; reads that overtake their producer; and that every thread runs its own
 * record whatever is merged. Its steps one by one are in test_dwf_steps.c.
 */
#include "tests/unit/replay_trial.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- the order of dwf's fifo, for warps that keep their threads ---- */

struct fifo {
	const struct tr_program *program;
	uint64_t clock, stamp[SIM_BITS_MAX];
	int released[SIM_BITS_MAX];
};

static void fifo_launch(void *s, const struct tr_program *program)
{
	((struct fifo *)s)->program = program;
}

static void fifo_arrive(void *s, uint32_t warp)
{
	struct fifo *f = s;

	f->stamp[warp] = ++f->clock;
	f->released[warp] = 0;
}

static void fifo_issued(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	struct fifo *f = s;

	(void)now;
	fifo_arrive(s, warp);
	f->released[warp] = f->program->insts[inst].cls == TR_C_BARRIER;
}

static uint32_t fifo_pick(void *s, const struct sim_bits *ready, uint64_t now)
{
	const struct fifo *f = s;
	uint32_t best = sim_bits_next(ready, 0);

	(void)now;
	for (uint32_t w = best; w != UINT32_MAX; w = sim_bits_next(ready, w + 1))
		if (f->released[w] > f->released[best] ||
			(f->released[w] == f->released[best] && f->stamp[w] < f->stamp[best]))
			best = w;
	return best;
}

/*
 * The one that issued longest ago: with one latency for all, and warps that came together, that is
 * the order of completion. But those that come from a barrier go first.
 */
static const struct sim_sched fifo = {
	.name = "fifo",
	.state_bytes = sizeof(struct fifo),
	.launch = fifo_launch,
	.arrive = fifo_arrive,
	.pick = fifo_pick,
	.issued = fifo_issued,
};

/* ---- random programs ---- */

static uint64_t mixed(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;
	return x ^ x >> 29;
}

/* Branches go either way, and forward from their eighth visit on. x: the seed, 2 x + back. */
static uint64_t wanders(const struct at *a)
{
	if (a->visit >= 8)
		return !(a->x & 1);
	return mixed(mixed(a->x * 1024 + a->thread) + a->visit + 77 * a->cta) & 1;
}

/* All threads of a warp the same way. */
static uint64_t warps_wander(const struct at *a)
{
	struct at all = *a;

	all.thread = a->thread / 32;
	return wanders(&all);
}

/* Blocks in a row, each ends with a jump, a branch or an exit to anywhere; then a barrier. */
static void tangle(struct kernel *k, uint64_t *rng, record_fn way, int memory)
{
	uint32_t at[12], end, n = 3 + (uint32_t)((*rng = mixed(*rng + 1)) % 9);

	kernel_begin(k, "tangle");
	end = label(k);
	for (uint32_t i = 0; i < n; i++)
		at[i] = label(k);
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t die = *rng = mixed(*rng + 1);
		const uint32_t to = (uint32_t)(die >> 8) % n;

		here(k, at[i]);
		chain(k, 1 + die / 64 % 3);
		if (memory && die >> 20 & 1)
			load(k, reg(k), TR_NONE, words, 0x1000 * i);
		if (die % 8 == 0 && i + 1 < n)
			jump(k, at[i + 1 + to % (n - i - 1)]);
		else if (die % 8 == 1)
			leave_if(k, way, die & ~1ull);
		else if (die % 8 == 2)
			branch(k, end, way, die & ~1ull);
		else
			branch(k, at[to], way, (die & ~1ull) | (to <= i));
	}
	here(k, end);
	chain(k, 1);
	barrier(k, 0, 0, 0);
	chain(k, 2);
	kernel_end(k);
}

/* ---- without divergence ---- */

/*
 * Known answer 18. Warps that part from one another but not within themselves: the same cycles,
 * each of the same class. With warp barriers whatever the LUT, since nothing comes to it, and with
 * warps that are not full: others have nothing to give to them.
 */
static void test_no_divergence(void **state)
{
	static const struct {
		const char *warp, *settings;
		uint32_t threads;
	} cases[] = {
		{"dwf:policy=fifo,ports=0", "", 320},
		{"dwf:policy=fifo,ports=0,lut=0", "sm.simd_width=8", 512},
		{"dwf:policy=fifo,ports=0", "sm.schedulers=2 sm.simd_width=16", 256},
		{"dwf:policy=fifo,ports=0,swizzle=1", "", 640},
		{"dwf:policy=fifo,wb=1", "", 300},
		{"dwf:policy=fifo,wb=1,ports=0", "sm.schedulers=2", 500},
		{"dwf:policy=fifo,wb=1", "sm.simd_width=8", 420},
	};
	uint64_t rng = 1;

	(void)state;
	for (unsigned i = 0; i < 140; i++) {
		const unsigned c = i % COUNT(cases);
		struct kernel k;
		struct trace trace;
		struct trial t;
		struct sim_stats s;

		tangle(&k, &rng, warps_wander, 0);
		trace = record(&k, 1, cases[c].threads);
		trial_begin(&t, "sm.one_in_flight=yes");
		machine_set(&t.opt.config, cases[c].settings);
		t.opt.sched = &fifo;
		trial_must_run(&t, &trace);
		s = t.stats[0];
		trial_policies(&t, "lrr", cases[c].warp);
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].cycles, s.cycles);
		assert_memory_equal(t.stats[0].by_cycle, s.by_cycle, sizeof(s.by_cycle));
		assert_int_equal(t.stats[0].warp_insts, s.warp_insts);
		trial_end(&t);
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

static uint64_t warp_parity(const struct at *a)
{
	return a->thread / 32 % 2;
}

static uint64_t more_trips(const struct at *a)
{
	return a->visit < a->x;
}

/* Known answer 11, with loads: where there is but one warp nobody can be picked before another. */
static void test_one_warp(void **state)
{
	static const char *const warps[] = {"dwf", "dwf:minority", "dwf:pc", "dwf:fifo", "dwf:pdom",
		"dwf:wb=1", "dwf:swizzle=1", "dwf:lut=1,ways=1", "dwf:lut=0,ports=0"};
	struct kernel k;
	struct trace trace;
	struct trial t;
	uint32_t top, skip, r;
	uint64_t cycles;

	(void)state;
	kernel_begin(&k, "uniform");
	top = label(&k);
	skip = label(&k);
	r = reg(&k);
	here(&k, top);
	load(&k, r, r, words, 0x8000);
	branch(&k, skip, warp_parity, 0);
	chain(&k, 3);
	here(&k, skip);
	store(&k, r, words, 0x1000);
	op(&k, TR_C_SFU, r, r);
	barrier(&k, 0, 0, 0);
	branch(&k, top, more_trips, 6);
	kernel_end(&k);
	trace = record(&k, 6, 32);
	trial_begin(&t, "sm.one_in_flight=yes sm.ctas_per_sm=1 sm.fetch_latency=3");
	trial_must_run(&t, &trace);
	cycles = t.stats[0].cycles;
	for (unsigned i = 0; i < COUNT(warps); i++) {
		trial_policies(&t, "lrr", warps[i]);
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].cycles, cycles);
	}
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/*
 * Four schedulers issue an instruction each in every cycle, and each sends its warp to the LUT
 * again. Where it takes fewer than four the LUT is what the launch waits for: a turn for each warp
 * that arrives, and after each instruction but the exits. A launch takes two cycles beyond the
 * number of the one in which its last exit issues.
 */
static void test_port_overhead(void **state)
{
	static const struct {
		const char *warp;
		unsigned rate; /* warps a cycle */
	} cases[] = {{"fixed:32", 4}, {"dwf:ports=0", 4}, {"dwf:ports=4", 4}, {"dwf:ports=2", 2},
		{"dwf", 1}, {"dwf:wb=1", 4}};
	const unsigned n = 20, warps = 16;
	struct kernel k;
	struct trace trace;
	struct trial t;

	(void)state;
	kernel_begin(&k, "straight");
	straight(&k, n);
	kernel_end(&k);
	trace = record(&k, 1, 32 * warps);
	trial_begin(&t, "sm.one_in_flight=yes sm.schedulers=4 latency.int=1 latency.exit=1");
	for (unsigned i = 0; i < COUNT(cases); i++) {
		trial_policies(&t, "lrr", cases[i].warp);
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].cycles, warps * (n + 1) / cases[i].rate - 1 + 2);
	}
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/*
 * Two warps part side by side, each half and half. With two ports the halves meet before they can
 * issue. With one the second warp waits for its turn, and meanwhile a half of the first one issues:
 * what waits in front of the LUT holds up nobody whom it might join.
 */
static uint64_t halves(const struct at *a)
{
	return (a->thread / 16 + a->thread / 32) % 2;
}

static void test_waiting_for_the_port(void **state)
{
	static const struct {
		const char *warp;
		unsigned issues;
	} cases[] = {{"dwf:ports=2", 2}, {"dwf:ports=1", 3}};
	struct kernel k;
	struct trace trace;
	struct trial t;
	uint32_t other, end, first, second;

	(void)state;
	kernel_begin(&k, "halves");
	other = label(&k);
	end = label(&k);
	barrier(&k, 0, 0, 0); /* from here they are abreast */
	branch(&k, other, halves, 0);
	first = k.p->ninsts;
	chain(&k, 1);
	jump(&k, end);
	here(&k, other);
	second = k.p->ninsts;
	chain(&k, 1);
	here(&k, end);
	kernel_end(&k);
	trace = record(&k, 1, 64);
	trial_begin(&t, "sm.schedulers=2 latency.barrier=1");
	for (unsigned i = 0; i < COUNT(cases); i++) {
		const struct sim_inst_stats *in;

		trial_policies(&t, "lrr", cases[i].warp);
		trial_must_run(&t, &trace);
		in = t.stats[0].insts;
		assert_int_equal(in[first].thread_insts, 32);
		assert_int_equal(in[first].warp_insts + in[second].warp_insts, cases[i].issues);
	}
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- aligned divergence ---- */

static uint64_t lane_parity(const struct at *a)
{
	return a->thread % 2;
}

/*
 * Known answer 12. Even lanes and odd lanes go different ways. Threads keep their lanes, so warps
 * have nothing to give to one another; with lanes that turn from warp to warp two warps make two
 * full ones. The majority waits at the branch until all warps are after it, and a branch is
 * through in a cycle, so that all that can merge does.
 */
static void test_lane_parity(void **state)
{
	const unsigned arm = 5;

	(void)state;
	for (uint32_t warps = 2; warps <= 16; warps += 2)
		for (unsigned swizzle = 0; swizzle < 2; swizzle++) {
			struct kernel k;
			struct trace trace;
			struct trial t;
			uint32_t other, end, first;
			uint64_t n = 0;

			kernel_begin(&k, "lanes");
			other = label(&k);
			end = label(&k);
			branch(&k, other, lane_parity, 0);
			first = k.p->ninsts;
			chain(&k, arm);
			jump(&k, end);
			here(&k, other);
			chain(&k, arm);
			here(&k, end);
			chain(&k, 2);
			kernel_end(&k);
			trace = record(&k, 1, 32 * warps);
			trial_begin(&t, "latency.branch=1");
			trial_policies(
				&t, "lrr", swizzle ? "dwf:ports=0,swizzle=1" : "dwf:ports=0");
			trial_must_run(&t, &trace);
			for (uint32_t i = first; i < first + 2 * arm + 1; i++)
				n += t.stats[0].insts[i].warp_insts;
			assert_int_equal(n, (2 * arm + 1) * warps / (swizzle ? 2 : 1));
			trial_end(&t);
			free(trace.bytes);
			tr_program_free(k.p);
		}
}

/* ---- the starvation eddy ---- */

#define TRIPS 20
#define WARPS 8
#define LONE 37 /* the thread that falls behind */

static uint64_t falls_behind(const struct at *a)
{
	return a->thread == LONE && a->visit == 3;
}

/* A hammock in a loop: in one trip one thread takes its longer side. Returns the first of D. */
static uint32_t eddy(struct kernel *k)
{
	uint32_t top, detour, d, first;

	kernel_begin(k, "eddy");
	top = label(k);
	detour = label(k);
	d = label(k);
	here(k, top);
	op(k, TR_C_INT, reg(k), TR_NONE);
	branch(k, detour, falls_behind, 0);
	jump(k, d);
	here(k, detour);
	chain(k, 12);
	here(k, d);
	first = k->p->ninsts;
	chain(k, 6);
	branch(k, top, more_trips, TRIPS - 1);
	kernel_end(k);
	return first;
}

/*
 * Known answer 15 and figure 1 (a). Where there are enough warps to issue in every cycle, the
 * majority leaves the one thread after for good: it goes round all trips left to it alone. With a
 * warp barrier at D its warp waits for it, and every trip is one of whole warps; so under tbc.
 */
static void test_starvation_eddy(void **state)
{
	static const struct {
		const char *warp;
		unsigned alone; /* trips */
	} cases[] = {{"fixed:32", 0}, {"dwf", TRIPS - 3}, {"dwf:lut=0,ports=0", TRIPS - 3},
		{"dwf:wb=1", 0}, {"dwf:wb=1,policy=fifo", 0}, {"tbc", 0}};
	struct kernel k;
	const uint32_t d = eddy(&k);
	struct trace trace = record(&k, 1, 32 * WARPS);
	struct trial t;
	double efficiency[COUNT(cases)];

	(void)state;
	trial_begin(&t, "sm.one_in_flight=yes");
	for (unsigned i = 0; i < COUNT(cases); i++) {
		const struct sim_inst_stats *in;

		trial_policies(&t, "lrr", cases[i].warp);
		trial_must_run(&t, &trace);
		in = &t.stats[0].insts[d];
		assert_int_equal(in->thread_insts, TRIPS * 32 * WARPS);
		assert_int_equal(in->warp_insts, TRIPS * WARPS + cases[i].alone);
		efficiency[i] = (double)t.stats[0].active_lanes / (double)t.stats[0].issue_lanes;
	}
	assert_true(efficiency[1] < efficiency[0] && efficiency[1] < efficiency[3]);
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- warp-synchronous code ---- */

static uint64_t not_manager(const struct at *a)
{
	return a->thread % 32 != 0;
}

/*
 * As in nvrt: the first thread of a warp fetches something for the others, which wait for it at the
 * post-dominator, though the program does not say so. Threads that go on by themselves read before
 * it has written.
 */
static void test_overtaken_reads(void **state)
{
	static const struct {
		const char *warp;
		int overtakes;
	} cases[] = {{"fixed:32", 0}, {"fixed:32,lcp=1", 0}, {"dwf", 1}, {"dwf:fifo", 1},
		{"dwf:wb=1", 0}, {"dwf:wb=1,policy=minority", 0}};
	struct tr_sync_read sync[62];
	struct kernel k;
	struct stage s = {.kernel = &k, .ctas = 2, .threads = 64, .sync = sync, .nsync = 62};
	struct trace trace;
	struct trial t;
	uint32_t skip, n = 0;

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		if (i % 32)
			sync[n++] = (struct tr_sync_read){.reader = i, .writer = i / 32 * 32};
	kernel_begin(&k, "manager");
	skip = label(&k);
	branch(&k, skip, not_manager, 0);
	chain(&k, 4);
	access_to(&k, TR_C_STORE, TR_S_SHARED, 4, TR_NONE, TR_NONE, always, 64);
	here(&k, skip);
	access_to(&k, TR_C_LOAD, TR_S_SHARED, 4, reg(&k), TR_NONE, always, 64);
	chain(&k, 2);
	kernel_end(&k);
	trace = record_stages(&s, 1);
	trial_begin(&t, "");
	for (unsigned i = 0; i < COUNT(cases); i++) {
		trial_policies(&t, "lrr", cases[i].warp);
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].overtaken_reads, cases[i].overtakes ? 2 * 62 : 0);
	}
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- every thread its own record ---- */

static void test_tangles(void **state)
{
	static const char *const warps[] = {"dwf", "dwf:minority,swizzle=1", "dwf:pc,lut=0,ports=0",
		"dwf:fifo,lut=4,ways=4", "dwf:pdom,ports=2", "dwf:wb=1",
		"dwf:wb=1,policy=fifo,ports=0", "dwf:wb=1,policy=pdom,swizzle=1,lut=2"};
	uint64_t rng = 7;

	(void)state;
	for (unsigned i = 0; i < 96; i++) {
		struct kernel k;
		struct trace trace;
		struct trial t;
		uint64_t cycles, hash;

		tangle(&k, &rng, wanders, 1);
		trace = record(&k, 7, 75);
		trial_begin(&t, "sm.sms=2 memory.part=real");
		if (i & 1)
			machine_set(&t.opt.config, "sm.simd_width=8");
		if (i & 2)
			machine_set(&t.opt.config, "sm.schedulers=2");
		if (i & 4)
			machine_set(&t.opt.config, "sm.warp_size=8");
		trial_policies(&t, "lrr", warps[i % COUNT(warps)]);
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
		assert_int_equal(t.stats[0].barriers, 7);
		cycles = t.stats[0].cycles;
		hash = t.res.hash;
		t.opt.tick = 1;
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].cycles, cycles);
		assert_int_equal(t.res.hash, hash);
		trial_end(&t);
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_divergence),
		cmocka_unit_test(test_one_warp),
		cmocka_unit_test(test_port_overhead),
		cmocka_unit_test(test_waiting_for_the_port),
		cmocka_unit_test(test_lane_parity),
		cmocka_unit_test(test_starvation_eddy),
		cmocka_unit_test(test_overtaken_reads),
		cmocka_unit_test(test_tangles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
