/*
 * Where two things are easily taken for one another: a warp and the one that had its slot before,
 * a line and the one that had its place before, waiting for threads and for results, a barrier that
 * is executed and one that is passed by, the next SM and the first one.
 */
#include "tests/unit/replay_trial.h"

static uint64_t before_thread(const struct at *a)
{
	return a->thread < a->x;
}

static uint64_t odd_lane(const struct at *a)
{
	return a->thread % 2;
}

/*
 * Two CTAs of a warp, one after the other in the same slot. The second hits in the line of the
 * first: that warp is another one, though its number is the same.
 */
static void test_owner_of_before(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;
	uint32_t a;

	(void)state;
	kernel_begin(&k, "line of the CTA before");
	a = reg(&k);
	load(&k, a, TR_NONE, always, 0x1000);
	op(&k, TR_C_INT, TR_NONE, a); /* the CTA ends after the line has come */
	kernel_end(&k);
	trace = one_launch(&k, 2, 32);
	trial_begin(&t, "sm.ctas_per_sm=1");
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].l1d.misses, 1);
	assert_int_equal(t.stats[0].l1d.hits, 1);
	assert_int_equal(t.stats[0].l1d.inter_warp_hits, 1);
	assert_int_equal(t.stats[0].l1d.intra_warp_hits, 0);
	trial_end(&t);
}

/*
 * An L1D of one line. All lanes read A, then the odd ones B in its place. What then reads B are the
 * even lanes: of the warp that brought it, but no thread of those that read it. Only the last load
 * is by threads that did.
 */
static void test_threads_of_the_line_before(void **state)
{
	struct kernel k;
	struct sim_stats s;
	uint32_t a, b, c;

	(void)state;
	kernel_begin(&k, "A, B by some, B by others");
	a = reg(&k);
	b = reg(&k);
	c = reg(&k);
	load(&k, a, TR_NONE, words, 0x1000);
	access_guarded(&k, TR_C_LOAD, TR_S_GLOBAL, 4, b, a, words, 0x2000, odd_lane);
	access_guarded(&k, TR_C_LOAD, TR_S_GLOBAL, 4, c, b, words, 0x2000, even_lane);
	s = one_warp(&k, "l1d.size=128 l1d.ways=1");
	assert_int_equal(s.l1d.misses, 2);
	assert_int_equal(s.l1d.intra_warp_hits, 1);
	assert_int_equal(s.l1d.intra_thread_hits, 0);

	kernel_begin(&k, "A, B by some, B by the same");
	a = reg(&k);
	b = reg(&k);
	c = reg(&k);
	load(&k, a, TR_NONE, words, 0x1000);
	access_guarded(&k, TR_C_LOAD, TR_S_GLOBAL, 4, b, a, words, 0x2000, odd_lane);
	access_guarded(&k, TR_C_LOAD, TR_S_GLOBAL, 4, c, b, words, 0x2000, odd_lane);
	s = one_warp(&k, "l1d.size=128 l1d.ways=1");
	assert_int_equal(s.l1d.intra_warp_hits, 1);
	assert_int_equal(s.l1d.intra_thread_hits, 1);
}

#define LENGTH 10 /* instructions of a chain */
#define LATENCY 6 /* of each of them, on the plain machine */

/*
 * Warp 0 goes to the barrier at once, warp 1 through a chain first. Of LATENCY cycles between two
 * instructions of the chain LATENCY - 1 are left over.
 */
static struct sim_stats waits(const char *settings)
{
	struct kernel k;
	struct trial t;
	struct trace trace;
	struct sim_stats s;
	uint32_t meet;

	kernel_begin(&k, "one waits for the other");
	meet = label(&k);
	branch(&k, meet, before_thread, 32);
	chain(&k, LENGTH);
	here(&k, meet);
	barrier(&k, 0, 0, 0);
	kernel_end(&k);
	trace = one_launch(&k, 1, 64);
	trial_begin(&t, settings);
	replay_once(&t, &trace);
	s = t.stats[0];
	s.insts = NULL;
	trial_end(&t);
	return s;
}

/*
 * Scheduler cycles that pass for want of threads and of results. Schedulers take turns in being
 * first, so in the cycle in which the wait ends warp 0's either sees it still, or that its warp
 * may run from the next cycle on.
 */
static void assert_waited(const struct sim_stats *s, uint64_t sync, uint64_t idle)
{
	assert_int_equal(s->by_cycle[SIM_CY_SYNC] + s->by_cycle[SIM_CY_IDLE], sync + idle);
	assert_in_range(s->by_cycle[SIM_CY_SYNC], sync - 1, sync);
}

static void test_waits_for_threads_and_for_results(void **state)
{
	struct sim_stats s;

	(void)state;
	/*
	 * A scheduler for each warp. Warp 1's barrier comes in the cycle after the chain's last
	 * instruction, and warp 0 waits from the chain's second cycle to that one.
	 */
	s = waits("sm.schedulers=2");
	assert_waited(&s, (LENGTH - 1) * LATENCY + 1, (LENGTH - 1) * (LATENCY - 1));
	/*
	 * One scheduler for both. While one warp waits for a result and the other at the barrier,
	 * it is the result that keeps the scheduler from issuing. Warp 0's barrier comes before the
	 * chain begins: under lrr warp 0 is next after warp 1's branch.
	 */
	s = waits("sm.schedulers=1");
	assert_int_equal(s.by_cycle[SIM_CY_SYNC], 0);
	assert_int_equal(s.by_cycle[SIM_CY_IDLE], (LENGTH - 1) * (LATENCY - 1));
}

/*
 * A barrier that warp 1 passes by, its guard being false in all of its threads. Warp 0 waits there
 * for warp 1's chain and exit: a warp that has ended is waited for no longer.
 */
static void test_barrier_passed_by(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;
	struct tr_inst in = {.cls = TR_C_BARRIER, .base = TR_NONE};
	uint32_t n;

	(void)state;
	kernel_begin(&k, "a barrier for warp 0");
	in.guard = reg(&k);
	n = plain(&k, in, TR_NONE, TR_NONE);
	k.outcome[n] = before_thread;
	k.x[n] = 32;
	chain(&k, LENGTH);
	kernel_end(&k);
	trace = one_launch(&k, 1, 64);
	trial_begin(&t, "sm.schedulers=2");
	replay_once(&t, &trace);
	/*
	 * From the cycle after the barrier to that in which warp 1's threads have ended, two after
	 * its chain's last instruction: one for the exit, one for its effect. Either warp goes
	 * through the chain.
	 */
	assert_waited(&t.stats[0], (LENGTH - 1) * LATENCY + 3, 2 * (LENGTH - 1) * (LATENCY - 1));
	assert_int_equal(t.stats[0].warp_insts, 2 * (1 + LENGTH + 1));
	trial_end(&t);
}

struct where {
	struct sim_sink sink;
	uint32_t sm[8], n;
};

static int note_sm(void *arg, const struct tr_access *a)
{
	struct where *w = arg;

	assert_true(w->n < 8);
	w->sm[w->n++] = a->sm;
	return 1;
}

/* CTAs go to SMs in turn, and a launch goes on where the one before it has ended. */
static void test_turn_of_sms(void **state)
{
	static const uint32_t want[] = {0, 1, 2, 0, 1, 2};
	struct where w = {.sink = {.access = note_sm}};
	struct kernel k;
	struct trial t;
	struct trace trace;

	(void)state;
	kernel_begin(&k, "where am I");
	load(&k, reg(&k), TR_NONE, words, 0x1000);
	kernel_end(&k);
	{
		const struct stage stages[] = {{.kernel = &k, .ctas = 1, .threads = 32},
			{.kernel = &k, .ctas = 2, .threads = 32},
			{.kernel = &k, .ctas = 1, .threads = 32},
			{.kernel = &k, .ctas = 1, .threads = 32},
			{.kernel = &k, .ctas = 1, .threads = 32}};

		trace = record_stages(stages, 5);
	}
	tr_program_free(k.p);
	trial_begin(&t, "sm.sms=3");
	w.sink.arg = &w;
	t.opt.sink = &w.sink;
	replay_once(&t, &trace);
	assert_int_equal(w.n, 6);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(w.sm[i], want[i]);
	trial_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owner_of_before),
		cmocka_unit_test(test_threads_of_the_line_before),
		cmocka_unit_test(test_waits_for_threads_and_for_results),
		cmocka_unit_test(test_barrier_passed_by),
		cmocka_unit_test(test_turn_of_sms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
