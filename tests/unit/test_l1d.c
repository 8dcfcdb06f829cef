/*
 * The L1D of today's machines: banks of its data, worked out on paper. Cycles are counted as in
 * test_replay.c: a launch whose last exit issues in cycle x takes x + THROUGH, and data of an L1D
 * that always hits are there in the 21st cycle after the issue.
 */
#include "tests/unit/replay_trial.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define DATA 21 /* after the issue of the load */

static struct sim_stats run(struct kernel *k, const char *settings)
{
	struct sim_stats stats;
	struct trace trace;
	struct trial t;

	kernel_end(k);
	trace = one_launch(k, 1, 32);
	trial_begin(&t, settings);
	trial_must_run(&t, &trace);
	stats = t.stats[0];
	stats.insts = NULL; /* the trial's */
	trial_end(&t);
	free(trace.bytes);
	return stats;
}

/* ---- banks ---- */

/* Floats x apart, from the beginning of a line. */
static uint64_t floats(const struct at *a)
{
	return 0x100000 + 4 * a->x * (a->thread % 32);
}

/* Pieces of x bytes side by side. */
static uint64_t pieces(const struct at *a)
{
	return 0x100000 + a->x * (a->thread % 32);
}

static uint64_t cycles_of_loads(
	unsigned n, unsigned bytes, record_fn address, uint64_t x, const char *settings)
{
	struct kernel k;

	kernel_begin(&k, "loads");
	while (n--)
		access_to(&k, TR_C_LOAD, TR_S_GLOBAL, bytes, reg(&k), TR_NONE, address, x);
	return run(&k, settings).cycles;
}

#define BANKS "l1d.part=perfect sm.lsu_rate=4 l1d.banks=16 l1d.bank_bytes=8 "

/*
 * What a load of floats of a stride takes, where loads follow each other: as many cycles as the
 * bank that gives most has words, and no fewer than its lines need of four tags a cycle. Lane l of
 * stride s reads word s * l / 2 of eight bytes. On an A100 gpu-benches measured 1.63, 2.67 and 4.6
 * cycles for strides of 3, 7 and 15.
 */
static void test_strides(void **state)
{
	static const struct {
		unsigned stride, quarters; /* of a cycle */
		const char *settings;
	} cases[] = {
		{0, 4, BANKS},
		{1, 4, BANKS},
		{2, 8, BANKS},
		{4, 16, BANKS},
		{8, 32, BANKS},
		{16, 64, BANKS},
		{32, 128, BANKS},
		{64, 128, BANKS},
		/* Two of the words 0 1 3 4 6 7 ... 46 in each bank. */
		{3, 8, BANKS},
		/* Words 7k and 7k + 3, each of them once in each bank; seven lines. */
		{7, 8, BANKS},
		/* Words 15k and 15k + 7, likewise; 15 lines are more than two cycles of tags. */
		{15, 15, BANKS},
		{1, 4, BANKS "l1d.cycle_bytes=128"},
		{3, 8, BANKS "l1d.cycle_bytes=128"},
		{7, 8, BANKS "l1d.cycle_bytes=128"},
		{15, 15, BANKS "l1d.cycle_bytes=128"},
		/* An A40 moves 64 bytes a cycle. */
		{1, 8, BANKS "l1d.cycle_bytes=64"},
		{2, 8, BANKS "l1d.cycle_bytes=64"},
		{4, 16, BANKS "l1d.cycle_bytes=64"},
		{0, 4, BANKS "l1d.cycle_bytes=64"},
		/* Without banks: whole sectors. */
		{3, 12, "l1d.part=perfect sm.lsu_rate=4 l1d.cycle_bytes=128"},
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		const uint64_t few =
			cycles_of_loads(100, 4, floats, cases[i].stride, cases[i].settings);
		const uint64_t many =
			cycles_of_loads(300, 4, floats, cases[i].stride, cases[i].settings);

		if (many - few != 200 * cases[i].quarters / 4)
			fail_msg("stride %u, %s: %g cycles", cases[i].stride, cases[i].settings,
				(double)(many - few) / 200);
	}
}

/*
 * A load's data are there when the last word is read. An A6000, which moves 64 bytes a cycle, takes
 * 2 cycles longer for 64 bits than for 32, and 6 longer for 128 (Huerta 2025).
 */
static void test_latency(void **state)
{
	static const struct {
		unsigned bytes;
		record_fn address;
		uint64_t x;
		unsigned later;
		const char *settings;
	} cases[] = {{4, floats, 1, 0, BANKS}, {4, floats, 2, 1, BANKS}, {4, floats, 32, 31, BANKS},
		{16, pieces, 16, 3, BANKS}, {4, floats, 1, 1, BANKS "l1d.cycle_bytes=64"},
		{8, pieces, 8, 1 + 2, BANKS "l1d.cycle_bytes=64"},
		{16, pieces, 16, 1 + 6, BANKS "l1d.cycle_bytes=64"},
		{4, floats, 32, 7, "l1d.part=perfect sm.lsu_rate=4"}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct kernel k;
		uint32_t r;

		kernel_begin(&k, "latency");
		r = reg(&k);
		access_to(&k, TR_C_LOAD, TR_S_GLOBAL, cases[i].bytes, r, TR_NONE, cases[i].address,
			cases[i].x);
		op(&k, TR_C_INT, TR_NONE, r);
		assert_int_equal(
			run(&k, cases[i].settings).cycles, DATA + cases[i].later + 1 + THROUGH);
	}
}

/* A store, an atomic and what goes to shared memory do not stand in the banks. */
static void test_others(void **state)
{
	struct kernel k;
	uint64_t cycles[2];

	(void)state;
	for (int banks = 0; banks < 2; banks++) {
		kernel_begin(&k, "others");
		for (int n = 0; n < 20; n++) {
			store(&k, TR_NONE, floats, 32);
			access_to(&k, TR_C_ATOMIC, TR_S_GLOBAL, 4, TR_NONE, TR_NONE, floats, 32);
			access_to(&k, TR_C_LOAD, TR_S_SHARED, 4, reg(&k), TR_NONE, floats, 1);
		}
		cycles[banks] = run(&k, banks ? "sm.lsu_rate=4 l1d.cycle_bytes=128 l1d.banks=1"
					      : "sm.lsu_rate=4 l1d.cycle_bytes=128")
					.cycles;
	}
	assert_int_equal(cycles[0], cycles[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strides),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
