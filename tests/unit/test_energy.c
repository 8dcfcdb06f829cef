/*
 * Energy of the memory system: the constants against their products worked out by hand, sums of
 * counts times constants on counters filled in by hand, and a run whose operations can be counted
 * on paper.
 */
#include "tests/unit/replay_trial.h"
#include "sim/sm/energy.h"

static void assert_near(double value, double expected)
{
	if (value < expected * (1 - 1e-6) || value > expected * (1 + 1e-6))
		fail_msg("%.9g is not %.9g", value, expected);
}

/* nJ, with a desk calculator. */
static const double nj[SIM_E_NOPS] = {
	[SIM_E_L1D_HIT] = 0.50643203,
	[SIM_E_L1D_MISS] = 0.33845505,
	[SIM_E_L2_HIT] = 0.06878751,
	[SIM_E_L2_MISS] = 0.0044815883,
	[SIM_E_DRAM_READ] = 2.0096731,
	[SIM_E_DRAM_WRITE] = 1.1151964,
	[SIM_E_DRAM_PRECHARGE] = 0.33269421,
};

static void test_constants(void **state)
{
	(void)state;
	for (int i = 0; i < SIM_E_NOPS; i++)
		assert_near(sim_energy_of((enum sim_energy_op)i), nj[i]);
}

/* Each counter alone: it is in one part, and in no other. */
static void test_counts(void **state)
{
	struct sim_stats s = {0};
	struct sim_config c;
	struct sim_energy e;
	const struct {
		uint64_t *count, *with; /* with: counted along with it */
		double l1d, l2, dram;   /* of 1000 of them */
	} cases[] = {
		{&s.l1d.hit_sectors, NULL, 1000 * nj[SIM_E_L1D_HIT], 0, 0},
		{&s.l1d.miss_sectors, NULL, 1000 * nj[SIM_E_L1D_MISS], 0, 0},
		{&s.l1d.hits, NULL, 0, 0, 0},
		{&s.l1d.misses, NULL, 0, 0, 0},
		{&s.l1d.merges, NULL, 0, 0, 0},
		{&s.l1d.writes, NULL, 0, 0, 0},
		{&s.mem.l2_hits, NULL, 0, 2000 * nj[SIM_E_L2_HIT], 0},
		{&s.mem.l2_misses, NULL, 0, 2000 * nj[SIM_E_L2_MISS], 0},
		{&s.mem.l2_merges, NULL, 0, 2000 * nj[SIM_E_L2_MISS], 0},
		{&s.mem.dram_bytes, NULL, 0, 0, 31.25 * nj[SIM_E_DRAM_READ]},
		{&s.mem.dram_bytes, &s.mem.dram_write_bytes, 0, 0, 31.25 * nj[SIM_E_DRAM_WRITE]},
		{&s.mem.dram_precharges, NULL, 0, 0, 1000 * nj[SIM_E_DRAM_PRECHARGE]},
		{&s.mem.dram_activates, NULL, 0, 0, 0},
	};

	(void)state;
	sim_config_default(&c);
	machine_set(&c, "l1d.line=128 l2.line=64");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		*cases[i].count = 1000;
		if (cases[i].with)
			*cases[i].with = 1000;
		e = sim_energy(&s, &c);
		assert_near(e.l1d, cases[i].l1d);
		assert_near(e.l2, cases[i].l2);
		assert_near(e.dram, cases[i].dram);
		*cases[i].count = 0;
		if (cases[i].with)
			*cases[i].with = 0;
	}
}

/* A line to each x, and each in another row of the DRAM. */
static uint64_t row(const struct at *a)
{
	return (1 << 20) * (1 + a->x) + 4 * a->thread;
}

static void two_loads(struct kernel *k, uint64_t first, uint64_t second)
{
	const uint32_t r = reg(k);

	load(k, r, TR_NONE, row, first);
	load(k, reg(k), r, row, second);
}

/*
 * One warp, one channel of one bank. The first launch has a line of one row and the same again: a
 * miss of both caches, a read of 128 bytes, a hit. The second has the line again, in an L1D that
 * was flushed, and a line of another row, for which the first one is closed.
 */
static void test_run(void **state)
{
	struct kernel k[2];
	struct stage stages[2];
	struct trace trace;
	struct trial t;
	struct sim_energy a, b, total;

	(void)state;
	for (uint64_t i = 0; i < 2; i++) {
		kernel_begin(&k[i], "k");
		two_loads(&k[i], 0, i);
		kernel_end(&k[i]);
		stages[i] = (struct stage){.kernel = &k[i], .ctas = 1, .threads = 32};
	}
	trace = record_stages(stages, 2);
	trial_begin(&t, "memory.part=real l2.slices=1 dram.banks=1");
	trial_must_run(&t, &trace);
	a = sim_energy(&t.stats[0], &t.opt.config);
	b = sim_energy(&t.stats[1], &t.opt.config);
	total = sim_energy(&t.res.total, &t.opt.config);

	assert_near(a.l1d, 4 * (nj[SIM_E_L1D_MISS] + nj[SIM_E_L1D_HIT]));
	assert_near(a.l2, 4 * nj[SIM_E_L2_MISS]);
	assert_near(a.dram, 4 * nj[SIM_E_DRAM_READ]);
	assert_near(b.l1d, 8 * nj[SIM_E_L1D_MISS]);
	assert_near(b.l2, 4 * (nj[SIM_E_L2_HIT] + nj[SIM_E_L2_MISS]));
	assert_near(b.dram, 4 * nj[SIM_E_DRAM_READ] + nj[SIM_E_DRAM_PRECHARGE]);
	assert_near(total.l1d, a.l1d + b.l1d);
	assert_near(total.l2, a.l2 + b.l2);
	assert_near(total.dram, a.dram + b.dram);

	trial_end(&t);
	free(trace.bytes);
	for (int i = 0; i < 2; i++)
		tr_program_free(k[i].p);
}

/* A line of eight sectors, and of these the first 1, 2, 5 or 8: one word in each. */
static uint64_t some_sectors(const struct at *a)
{
	static const uint32_t sectors[] = {1, 2, 5, 8};

	return (1 << 20) + 32 * (a->thread % sectors[a->x]);
}

/*
 * A miss of five sectors, one of two that joins it, and then hits of eight, of one and of two: what
 * is counted is what the access touches, whatever its line moves.
 */
static void test_sectors(void **state)
{
	struct kernel k;
	struct trace trace;
	struct trial t;
	uint32_t r;

	(void)state;
	kernel_begin(&k, "k");
	r = reg(&k);
	load(&k, r, TR_NONE, some_sectors, 2);
	load(&k, reg(&k), TR_NONE, some_sectors, 1);
	load(&k, r, r, some_sectors, 3);
	load(&k, r, r, some_sectors, 0);
	load(&k, r, r, some_sectors, 1);
	kernel_end(&k);
	trace = record_stages(&(struct stage){.kernel = &k, .ctas = 1, .threads = 32}, 1);
	trial_begin(&t, "l1d.line=256 l2.interleave_bytes=256");
	trial_must_run(&t, &trace);
	assert_int_equal(t.res.total.l1d.misses, 1);
	assert_int_equal(t.res.total.l1d.merges, 1);
	assert_int_equal(t.res.total.l1d.miss_sectors, 5 + 2);
	assert_int_equal(t.res.total.l1d.hits, 3);
	assert_int_equal(t.res.total.l1d.hit_sectors, 8 + 1 + 2);
	assert_near(sim_energy(&t.res.total, &t.opt.config).l1d,
		7 * nj[SIM_E_L1D_MISS] + 11 * nj[SIM_E_L1D_HIT]);
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/*
 * With valid bits sectors hit or miss one by one: of five sectors all miss, then of eight the five
 * that have come hit beside three that miss, and of two that are there both hit.
 */
static void test_sectors_by_themselves(void **state)
{
	struct kernel k;
	struct trace trace;
	struct trial t;
	uint32_t r;

	(void)state;
	kernel_begin(&k, "k");
	r = reg(&k);
	load(&k, r, TR_NONE, some_sectors, 2);
	load(&k, r, r, some_sectors, 3);
	load(&k, r, r, some_sectors, 1);
	kernel_end(&k);
	trace = record_stages(&(struct stage){.kernel = &k, .ctas = 1, .threads = 32}, 1);
	trial_begin(&t, "l1d.line=256 l1d.sector_bytes=32 l2.interleave_bytes=256");
	trial_must_run(&t, &trace);
	assert_int_equal(t.res.total.l1d.misses, 2);
	assert_int_equal(t.res.total.l1d.hits, 1);
	assert_int_equal(t.res.total.l1d.miss_sectors, 5 + 3);
	assert_int_equal(t.res.total.l1d.hit_sectors, 5 + 2);
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_sectors),
		cmocka_unit_test(test_sectors_by_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
