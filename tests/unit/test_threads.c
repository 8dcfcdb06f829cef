/*
 * What threads do in each cycle: closed forms on small kernels, and under every warp policy the
 * sums of the classes, which sim_stats_check holds against the threads that are there.
 */
#include "tests/unit/replay_trial.h"
#include "sim/warp/table.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LATENCY 6 /* of all that these kernels execute */
#define MACHINE "sm.one_in_flight=yes latency.branch=6 latency.barrier=6 latency.exit=6"

static struct sim_stats counted(
	const struct kernel *k, uint32_t threads, const char *settings, const char *warp)
{
	struct trace trace = record(k, 1, threads);
	struct sim_stats s;
	struct trial t;

	trial_begin(&t, settings);
	trial_policies(&t, "lrr", warp);
	t.opt.count_threads = 1;
	trial_must_run(&t, &trace);
	s = t.stats[0];
	s.insts = NULL;
	trial_end(&t);
	free(trace.bytes);
	return s;
}

/* A branch, n instructions of those that take it, m and a jump of the others, and one behind. */
static void arms(struct kernel *k, unsigned n, unsigned m, record_fn taken)
{
	const uint32_t other = (kernel_begin(k, "arms"), label(k)), end = label(k), r = reg(k);

	branch(k, other, taken, 0);
	for (unsigned i = 0; i < m; i++)
		op(k, TR_C_INT, r, r);
	jump(k, end);
	here(k, other);
	for (unsigned i = 0; i < n; i++)
		op(k, TR_C_INT, r, r);
	here(k, end);
	op(k, TR_C_INT, r, r);
	kernel_end(k);
}

/*
 * A warp runs its paths one after the other, the taken one first: the others are inactive for as
 * long, and then it waits for them. Where the two run at once, only the shorter one waits: both are
 * committed in the same cycle, and the taken one, in the slot of before, has its turn last.
 */
static void test_paths_of_a_warp(void **state)
{
	static const char *const warps[] = {"fixed:32", "dualpath:paths=1", "tbc:rate=0", "its"};

	(void)state;
	for (unsigned n = 1; n <= 9; n += 4)
		for (unsigned m = 0; m <= 9; m += 3) {
			const unsigned first = LATENCY * n, second = LATENCY * (m + 1);
			struct sim_stats s;
			struct kernel k;

			arms(&k, n, m, even_lane);
			for (unsigned i = 0; i < COUNT(warps); i++) {
				s = counted(&k, 32, MACHINE, warps[i]);
				assert_int_equal(s.by_thread[SIM_TH_INACTIVE], 16 * first);
				assert_int_equal(s.by_thread[SIM_TH_MEET], 16 * second);
				assert_int_equal(s.by_thread[SIM_TH_PIPELINE],
					16 * (first + second) + 32 * 3 * LATENCY);
				assert_int_equal(s.by_thread[SIM_TH_READY], 0);
				assert_int_equal(
					s.thread_cycles, 32 * (first + second + 3 * LATENCY));
			}
			s = counted(&k, 32, MACHINE, "crown:ports=0");
			assert_int_equal(s.by_thread[SIM_TH_INACTIVE], 0);
			assert_int_equal(s.by_thread[SIM_TH_MEET],
				16 * (first + 1 > second ? first + 1 - second
							 : second - first - 1));
			s = counted(&k, 32, MACHINE, "mimd");
			assert_int_equal(s.by_thread[SIM_TH_INACTIVE], 0);
			assert_int_equal(s.by_thread[SIM_TH_MEET], 0);
			tr_program_free(k.p);
		}
}

static uint64_t before_thread(const struct at *a)
{
	return a->thread < a->x;
}

/* Warp 0 waits at a barrier while warp 1 goes through a chain; both wait for a load before. */
static void test_barrier_and_memory(void **state)
{
	const unsigned n = 10, latency = 300;
	struct sim_stats s;
	struct kernel k;
	uint32_t meet, r;

	(void)state;
	kernel_begin(&k, "a load, and a barrier");
	meet = label(&k);
	r = reg(&k);
	load(&k, r, TR_NONE, always, 0x1000);
	branch(&k, meet, before_thread, 32);
	chain(&k, n);
	here(&k, meet);
	barrier(&k, 0, 0, 0);
	kernel_end(&k);
	s = counted(&k, 64, MACHINE " memory.latency=300 l1d.hit_latency=1", "fixed:32");
	/* From warp 0's arrival to warp 1's: the chain, and the cycle between their branches. */
	assert_int_equal(s.by_thread[SIM_TH_BARRIER], 32 * (n * LATENCY + 1));
	assert_in_range(s.by_thread[SIM_TH_MEMORY], 64 * latency, 64 * (latency + 8));
	assert_int_equal(s.by_thread[SIM_TH_INACTIVE] + s.by_thread[SIM_TH_MEET], 0);
	tr_program_free(k.p);
}

/* A warp that could issue and may not yet is ready: four warps of two cycles each. */
static void test_ready(void **state)
{
	struct sim_stats s;
	struct kernel k;

	(void)state;
	kernel_begin(&k, "four warps");
	kernel_end(&k); /* an exit */
	s = counted(&k, 128, MACHINE " sm.simd_width=16", "fixed:32");
	/* Warp w issues in cycle 2 w, and its result is there when it has issued whole, and 5. */
	assert_int_equal(s.by_thread[SIM_TH_READY], 32 * (2 + 4 + 6));
	assert_int_equal(s.by_thread[SIM_TH_PIPELINE], 4 * 32 * (LATENCY + 1));
	assert_int_equal(s.thread_cycles, 32 * (2 + 4 + 6) + 4 * 32 * (LATENCY + 1));
	tr_program_free(k.p);
}

/* ---- every policy ---- */

static uint64_t coin(const struct at *a)
{
	return (a->thread * 2654435761u + a->visit * 40503u + a->x * 977u) >> 7 & 1;
}

static uint64_t uneven_trips(const struct at *a)
{
	return a->visit < a->x - a->thread % 5;
}

static struct trace busy_trace(void)
{
	struct kernel k;
	uint32_t top, skip, deep, other, r;

	kernel_begin(&k, "busy");
	r = reg(&k);
	top = label(&k);
	skip = label(&k);
	deep = label(&k);
	other = label(&k);
	leave_if(&k, coin, 300);
	here(&k, top);
	load(&k, r, r, straight_lines, 0x40000);
	branch(&k, skip, coin, 1);
	load(&k, r, r, fresh_lines, 3);
	branch(&k, deep, coin, 2);
	op(&k, TR_C_SFU, r, r);
	jump(&k, other);
	here(&k, deep);
	access_to(&k, TR_C_LOAD, TR_S_TEXTURE, 4, r, r, words, 0x30000);
	here(&k, other);
	op(&k, TR_C_INT, r, r);
	here(&k, skip);
	store(&k, r, words, 0x40000);
	branch(&k, top, uneven_trips, 9);
	barrier(&k, 0, 0, 0);
	chain(&k, 3);
	kernel_end(&k);
	return one_launch(&k, 9, 208);
}

/* The classes add up (else the run fails); it is the same slept, stepped and not counted. */
static void check_policy(const struct trace *trace, const char *warp, const char *settings)
{
	struct sim_stats s;
	struct trial t;
	uint64_t hash;

	trial_begin(&t, settings);
	trial_policies(&t, "gto", warp);
	trial_run(&t, trace);
	if (t.rc == TR_EUSAGE && strstr(settings, "schedulers")) {
		trial_end(&t);
		return; /* one that wants a single scheduler */
	}
	if (t.rc < 0)
		fail_msg("%s", t.err.msg);
	hash = t.res.hash;
	assert_int_equal(t.stats[0].thread_cycles, 0);
	t.opt.count_threads = 1;
	trial_must_run(&t, trace);
	assert_int_equal(t.res.hash, hash);
	s = t.stats[0];
	assert_true(s.thread_cycles > 0);
	assert_true(s.by_thread[SIM_TH_READY] > 0);
	assert_true(s.by_thread[SIM_TH_PIPELINE] > 0);
	assert_true(s.by_thread[SIM_TH_BARRIER] > 0);
	t.opt.tick = 1;
	trial_must_run(&t, trace);
	assert_int_equal(t.stats[0].thread_cycles, s.thread_cycles);
	assert_memory_equal(t.stats[0].by_thread, s.by_thread, sizeof(s.by_thread));
	trial_end(&t);
}

static void test_every_policy(void **state)
{
	static const char *const more[] = {"fixed:8", "fixed:64", "fixed:16,lcp=1", "dwf:wb=1",
		"dwf:wb=1,policy=pdom,swizzle=1", "tbc:compact=0", "tbc:lcp=1", "tbc:sync=0,rate=0",
		"dwr:max=64,slot=yes", "crown:barriers=3,ways=1,level2=9", "dualpath:size=8",
		"its:switch=stall", "its:size=8,switch=yield", "tbc:capri=32", "lwm:size=64",
		"lwm:size=128,refetch=last,jump=0"};
	static const char *const settings[] = {
		"sm.sms=2 memory.part=real sm.fetch_latency=2 sm.simd_width=8",
		"sm.schedulers=2 sm.one_in_flight=yes"};
	struct trace trace = busy_trace();

	(void)state;
	for (unsigned k = 0; k < COUNT(settings); k++) {
		for (unsigned i = 0; sim_warp_policy_at(i); i++)
			check_policy(&trace, sim_warp_policy_at(i)->name, settings[k]);
		for (unsigned i = 0; i < COUNT(more); i++)
			check_policy(&trace, more[i], settings[k]);
	}
	free(trace.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths_of_a_warp),
		cmocka_unit_test(test_barrier_and_memory),
		cmocka_unit_test(test_ready),
		cmocka_unit_test(test_every_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
