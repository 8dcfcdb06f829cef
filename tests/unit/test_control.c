/*
 * Programs with control bits, small enough to be worked out on paper: stall counts, counters of
 * results and of sources, yields, DEPBAR, operands that are kept. Cycles are counted as in
 * test_replay.c: a launch whose last exit issues in cycle x takes x + THROUGH. And a program whose
 * bits say what a scoreboard would do takes as long as under one.
 */
#include "sim/base/mix.h"
#include "sim/launch/family.h"
#include "tests/unit/replay_trial.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NO TR_CONTROL_NONE

struct says {
	unsigned stall, yields, result, sources, wait;
};

static uint32_t bits_of(struct says s)
{
	return s.stall | (uint32_t)!s.yields << 4 | s.result << 5 | s.sources << 8 | s.wait << 11;
}

static void control(struct kernel *k, uint32_t inst, struct says s)
{
	assert_int_equal(tr_program_control(k->p, inst, bits_of(s)), 1);
}

/* The control bits are of all instructions that the whole program has: called last. */
static void says_all(struct kernel *k, const struct says *says, unsigned n)
{
	assert_int_equal(n, k->p->ninsts);
	for (unsigned i = 0; i < n; i++)
		control(k, i, says[i]);
}

static uint64_t cycles_with(const struct kernel *k, uint32_t threads, const char *settings)
{
	struct trace trace = record(k, 1, threads);
	struct trial t;
	uint64_t cycles;

	trial_begin(&t, "sm.control_bits=yes");
	machine_set(&t.opt.config, settings);
	trial_must_run(&t, &trace);
	cycles = t.stats[0].cycles;
	trial_end(&t);
	free(trace.bytes);
	return cycles;
}

static void done(struct kernel *k)
{
	tr_program_free(k->p);
}

/* ---- stall counts ---- */

/* Ten dependent instructions of latency 6: the counts alone say when they issue. */
static void test_stalls(void **state)
{
	static const unsigned stalls[] = {0, 1, 2, 4, 11, 15};

	(void)state;
	for (unsigned i = 0; i < COUNT(stalls); i++) {
		const unsigned each = stalls[i] ? stalls[i] : 1;
		struct kernel k;

		kernel_begin(&k, "stalls");
		chain(&k, 10);
		kernel_end(&k);
		for (uint32_t at = 0; at <= 10; at++)
			control(&k, at, (struct says){stalls[i], 0, NO, NO, 0});
		assert_int_equal(cycles_with(&k, 32, ""), 10 * each + THROUGH);
		/* Without the key the scoreboard says it, and where a warp has one in flight. */
		assert_int_equal(cycles_with(&k, 32, "sm.one_in_flight=yes latency.exit=1"),
			10 * 6 + THROUGH);
		done(&k);
	}
}

/* An instruction whose bits are not known waits for its registers, and the next one for nothing. */
static void test_some_known(void **state)
{
	struct kernel k;

	(void)state;
	kernel_begin(&k, "some");
	chain(&k, 3);
	kernel_end(&k);
	control(&k, 0, (struct says){1, 0, NO, NO, 0});
	control(&k, 2, (struct says){1, 0, NO, NO, 0});
	/* 0, 6, 7, and the exit: 8 */
	assert_int_equal(cycles_with(&k, 32, ""), 8 + THROUGH);
	done(&k);
}

/*
 * One warp that yields lets every other cycle go by; two of them fill all. A yield is within a
 * longer stall.
 */
static void test_yields(void **state)
{
	struct kernel k;

	(void)state;
	kernel_begin(&k, "yields");
	straight(&k, 10);
	kernel_end(&k);
	for (uint32_t i = 0; i <= 10; i++)
		control(&k, i, (struct says){1, 1, NO, NO, 0});
	assert_int_equal(cycles_with(&k, 32, ""), 20 + THROUGH);
	assert_int_equal(cycles_with(&k, 64, ""), 21 + THROUGH);
	for (uint32_t i = 0; i <= 10; i++)
		control(&k, i, (struct says){3, 1, NO, NO, 0});
	assert_int_equal(cycles_with(&k, 32, ""), 30 + THROUGH);
	done(&k);
}

/* ---- counters ---- */

/* Instructions after the one that is looked at, so that all loads have come when the launch ends.
 */
#define TAIL 60

static void tail_says(struct kernel *k, uint32_t from)
{
	for (uint32_t i = from; i < k->p->ninsts; i++)
		control(k, i, (struct says){1, 0, NO, NO, 0});
}

#define HITS "l1d.part=perfect " /* after 20 cycles, from the one after the issue on */

/*
 * A load raises counter 0, an instruction waits for it: data are there in cycle 21. If that may
 * issue in the cycle after the load, the raise is not seen yet.
 */
static void test_result(void **state)
{
	(void)state;
	for (unsigned stall = 1; stall <= 3; stall++) {
		struct kernel k;

		kernel_begin(&k, "result");
		load(&k, reg(&k), TR_NONE, words, 0x10000000);
		straight(&k, TAIL);
		kernel_end(&k);
		control(&k, 0, (struct says){stall, 0, 0, NO, 0});
		control(&k, 1, (struct says){1, 0, NO, NO, 1});
		tail_says(&k, 2);
		assert_int_equal(cycles_with(&k, 32, HITS), (stall == 1 ? 1 : 21) + TAIL + THROUGH);
		done(&k);
	}
}

/* Two counters of two loads, the later of which is waited for; and who waits for neither goes on.
 */
static void test_masks(void **state)
{
	static const struct {
		unsigned wait, at;
	} cases[] = {{0, 3}, {1, 21}, {2, 22}, {3, 22}, {4, 3}, {63, 22}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct kernel k;

		kernel_begin(&k, "masks");
		load(&k, reg(&k), TR_NONE, words, 0x10000000);
		load(&k, reg(&k), TR_NONE, words, 0x10002000);
		straight(&k, TAIL);
		kernel_end(&k);
		control(&k, 0, (struct says){1, 0, 0, NO, 0});
		control(&k, 1, (struct says){2, 0, 1, NO, 0});
		control(&k, 2, (struct says){1, 0, NO, NO, cases[i].wait});
		tail_says(&k, 3);
		assert_int_equal(cycles_with(&k, 32, HITS), cases[i].at + TAIL + THROUGH);
		done(&k);
	}
}

/*
 * A load of global memory and one of shared memory, whose data come first: its cycle of the banks
 * is the second one, and six cycles after that they are there. Each ends what it has raised.
 */
static void test_overtaken(void **state)
{
	static const unsigned at[] = {3, 21, 9, 21}; /* by what is waited for */

	(void)state;
	for (unsigned wait = 0; wait < COUNT(at); wait++) {
		struct kernel k;

		kernel_begin(&k, "overtaken");
		load(&k, reg(&k), TR_NONE, words, 0x10000000);
		access_to(&k, TR_C_LOAD, TR_S_SHARED, 4, reg(&k), TR_NONE, strided, 1);
		straight(&k, TAIL);
		kernel_end(&k);
		control(&k, 0, (struct says){1, 0, 0, NO, 0});
		control(&k, 1, (struct says){2, 0, 1, NO, 0});
		control(&k, 2, (struct says){1, 0, NO, NO, wait});
		tail_says(&k, 3);
		assert_int_equal(
			cycles_with(&k, 32, HITS "shared.latency=6"), at[wait] + TAIL + THROUGH);
		done(&k);
	}
}

/*
 * A load that all lanes skip, and an instruction of variable latency: known when they issue. Two
 * numbers are of no counter.
 */
static void test_known_ends(void **state)
{
	static const struct {
		unsigned result, at;
	} cases[] = {{0, 35}, {5, 35}, {6, 2}, {7, 2}};
	struct kernel k;

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		kernel_begin(&k, "special");
		op(&k, TR_C_SFU, reg(&k), TR_NONE);
		straight(&k, 1);
		kernel_end(&k);
		says_all(&k,
			(struct says[]){{2, 0, cases[i].result, NO, 0}, {1, 0, NO, NO, 63},
				{1, 0, NO, NO, 0}},
			3);
		assert_int_equal(cycles_with(&k, 32, ""), cases[i].at + 1 + THROUGH);
		done(&k);
	}
	/* Its sources are read sooner, in nine cycles. */
	kernel_begin(&k, "special's sources");
	op(&k, TR_C_SFU, reg(&k), TR_NONE);
	straight(&k, 1);
	kernel_end(&k);
	says_all(&k, (struct says[]){{2, 0, NO, 0, 0}, {1, 0, NO, NO, 1}, {1, 0, NO, NO, 0}}, 3);
	assert_int_equal(cycles_with(&k, 32, ""), 9 + 1 + THROUGH);
	done(&k);
	kernel_begin(&k, "skipped");
	access_guarded(&k, TR_C_LOAD, TR_S_GLOBAL, 4, reg(&k), TR_NONE, words, 0, from_thread);
	k.x[0] = 32;
	straight(&k, 1);
	kernel_end(&k);
	says_all(&k, (struct says[]){{2, 0, 0, NO, 0}, {1, 0, NO, NO, 1}, {1, 0, NO, NO, 0}}, 3);
	assert_int_equal(cycles_with(&k, 32, "latency.load=9"), 9 + 1 + THROUGH);
	done(&k);
}

/*
 * Sources of a store are read 14 cycles after its issue, of 16 bytes 20; in shared memory 2
 * earlier; a load's after 11. The unit begins in the cycle after the issue; where a store of 32
 * lines is before it, which issued in cycle 0, in cycle 33.
 */
static void test_sources(void **state)
{
	static const struct {
		enum tr_class cls;
		enum tr_space space;
		unsigned bytes, behind, at;
	} cases[] = {{TR_C_STORE, TR_S_GLOBAL, 4, 0, 14}, {TR_C_STORE, TR_S_GLOBAL, 8, 0, 16},
		{TR_C_STORE, TR_S_GLOBAL, 16, 0, 20}, {TR_C_STORE, TR_S_SHARED, 4, 0, 12},
		{TR_C_STORE, TR_S_SHARED, 16, 0, 18}, {TR_C_LOAD, TR_S_GLOBAL, 16, 0, 11},
		{TR_C_LOAD, TR_S_SHARED, 4, 0, 9}, {TR_C_STORE, TR_S_GLOBAL, 4, 1, 33 + 13}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		const unsigned behind = cases[i].behind;
		struct kernel k;

		kernel_begin(&k, "sources");
		if (behind)
			store(&k, TR_NONE, straight_lines, 0x10000000);
		access_to(&k, cases[i].cls, cases[i].space, cases[i].bytes,
			cases[i].cls == TR_C_LOAD ? reg(&k) : TR_NONE, TR_NONE, words, 0x10002000);
		straight(&k, TAIL);
		kernel_end(&k);
		if (behind)
			control(&k, 0, (struct says){1, 0, NO, NO, 0});
		control(&k, behind, (struct says){2, 0, NO, 3, 0});
		control(&k, behind + 1, (struct says){1, 0, NO, NO, 1 << 3});
		tail_says(&k, behind + 2);
		assert_int_equal(cycles_with(&k, 32, HITS), cases[i].at + TAIL + THROUGH);
		done(&k);
	}
}

/*
 * Three of 35 cycles issue in 0, 1 and 2: counter 0 is at 3 until 35, at 2 until 36, at 1 until 37.
 * Counter 1 is another one's, until 38.
 */
static void test_depbar(void **state)
{
	static const struct {
		const char *operands;
		unsigned at;
	} cases[] = {{"SB0, 0x3", 5}, {"SB0, 0x2", 35}, {"SB0, 0x1", 36}, {"SB0, 0x0", 37},
		{"SB1, 0x0", 38}, {"SB1, 0x1", 5}, {"SB0, 0x2, {1}", 38}, {"SB0, 0x2, {5,4}", 35},
		{"SB0, 99999999999999", 5}, {"SB6, 0x0", 5}, {"SB0", 5}, {"", 5}, {"SB0, x", 5},
		{"SB0, 0x1, {", 36}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct kernel k;

		kernel_begin(&k, "depbar");
		for (int n = 0; n < 4; n++)
			op(&k, TR_C_SFU, reg(&k), TR_NONE);
		op(&k, TR_C_OTHER, TR_NONE, TR_NONE);
		k.p->insts[4].opcode = (uint32_t)tr_program_string(k.p, "DEPBAR.LE");
		kernel_end(&k);
		assert_int_equal(tr_program_operands(k.p, 4, cases[i].operands), 1);
		says_all(&k,
			(struct says[]){{1, 0, 0, NO, 0}, {1, 0, 0, NO, 0}, {1, 0, 0, NO, 0},
				{2, 0, 1, NO, 0}, {1, 0, NO, NO, 0}, {1, 0, NO, NO, 0}},
			6);
		assert_int_equal(cycles_with(&k, 32, "interval.sfu=0"), cases[i].at + 1 + THROUGH);
		done(&k);
	}
}

/* A counter goes to 63: of 80 instructions that raise it the 64th waits for the first one's end. */
static void test_highest(void **state)
{
	struct kernel k;

	(void)state;
	kernel_begin(&k, "highest");
	for (int n = 0; n < 80; n++)
		op(&k, TR_C_SFU, reg(&k), TR_NONE);
	kernel_end(&k);
	for (uint32_t n = 0; n < 80; n++)
		control(&k, n, (struct says){1, 0, 2, NO, 0});
	control(&k, 80, (struct says){1, 0, NO, NO, 0});
	assert_int_equal(cycles_with(&k, 32, "interval.sfu=0 latency.sfu=50"), 80 + THROUGH);
	/* The first 63 issue in 0 to 62, and end from 200 on, one a cycle. */
	assert_int_equal(cycles_with(&k, 32, "interval.sfu=0 latency.sfu=200"), 200 + 17 + THROUGH);
	done(&k);
}

/*
 * The same where each raise is seen when the next one comes, two cycles later: the first 63 issue
 * in 0 to 124, and the 64th in 200, when the first one ends.
 */
static void test_highest_seen(void **state)
{
	static const uint32_t counts[] = {62, 63, 64, 80};

	(void)state;
	for (unsigned i = 0; i < COUNT(counts); i++) {
		const uint32_t all = counts[i], late = all > 63 ? 200 - 2 * 63 : 0;
		struct kernel k;

		kernel_begin(&k, "highest");
		for (uint32_t n = 0; n < all; n++)
			op(&k, TR_C_SFU, reg(&k), TR_NONE);
		kernel_end(&k);
		for (uint32_t n = 0; n < all; n++)
			control(&k, n, (struct says){2, 0, 2, NO, 0});
		control(&k, all, (struct says){1, 0, NO, NO, 0});
		assert_int_equal(cycles_with(&k, 32, "interval.sfu=0 latency.sfu=200"),
			2 * all + late + THROUGH);
		done(&k);
	}
}

/*
 * A copy and the instruction that closes its group, which raises counter 2 until it has come:
 * cycle 21. The copy itself is waited for by nobody.
 */
static void test_groups(void **state)
{
	(void)state;
	for (unsigned closed = 0; closed < 2; closed++) {
		struct kernel k;

		kernel_begin(&k, "groups");
		load(&k, reg(&k), TR_NONE, words, 0x10000000);
		k.p->insts[0].aux = TR_COPY_LOAD;
		op(&k, TR_C_OTHER, TR_NONE, TR_NONE);
		k.p->insts[1].aux = TR_COPY_COMMIT;
		straight(&k, TAIL);
		kernel_end(&k);
		control(&k, 0, (struct says){1, 0, NO, NO, 0});
		control(&k, 1, (struct says){2, 0, closed ? 2 : NO, NO, 0});
		control(&k, 2, (struct says){1, 0, NO, NO, 1 << 2});
		tail_says(&k, 3);
		assert_int_equal(cycles_with(&k, 32, HITS), (closed ? 21 : 3) + TAIL + THROUGH);
		done(&k);
	}
}

/* ---- operands that are kept ---- */

/*
 * Sixteen instructions with three registers of one bank, of which it gives two a cycle, with an
 * operand in its place of the one before: marked it is not read, and all take a cycle; else two.
 */
static uint64_t reads_of(const char *operands, const char *next, const char *const src[3])
{
	struct kernel k;
	uint64_t cycles;

	kernel_begin(&k, "kept");
	for (int i = 0; i < 16; i++) {
		const uint32_t to = reg(&k), after = k.p->ninsts + 1;
		struct tr_inst in = {.cls = TR_C_FP32,
			.guard = TR_NONE,
			.base = TR_NONE,
			.file = TR_NONE,
			.opcode = (uint32_t)tr_program_string(k.p, "FFMA")};
		uint32_t regs[3];

		for (int n = 0; n < 3; n++)
			regs[n] = (uint32_t)tr_program_reg(k.p, src[n], 32);
		assert_true(tr_program_inst(k.p, &in, &to, 1, regs, 3, &after, 1) >= 0);
	}
	kernel_end(&k);
	for (uint32_t i = 0; i < 16; i++) {
		control(&k, i, (struct says){1, 0, NO, NO, 0});
		if (!operands)
			k.p->control[i] |= 2u << 17; /* the second one */
		else
			assert_int_equal(tr_program_operands(k.p, i, i % 2 ? next : operands), 1);
	}
	control(&k, 16, (struct says){1, 0, NO, NO, 0});
	cycles = cycles_with(&k, 32, "sm.register_banks=2 sm.bank_reads=2 sm.reuse=yes");
	done(&k);
	return cycles;
}

static void test_reuse(void **state)
{
	static const char *const even[] = {"R2", "R4", "R6"}, *const twice[] = {"R2", "R2", "R6"};

	(void)state;
	/* Not marked: each reads three of a bank. Marked: the first one does. */
	assert_int_equal(reads_of("R9, R2, R4, R6", "R9, R2, R4, R6", even), 32 + THROUGH);
	assert_int_equal(
		reads_of("R9, R2.reuse, R4, R6", "R9, R2.reuse, R4, R6", even), 17 + THROUGH);
	assert_int_equal(
		reads_of("R9, -R2.reuse, |R4|, R6", "R9, R2.reuse, R4, R6", even), 17 + THROUGH);
	assert_int_equal(reads_of(NULL, NULL, even), 17 + THROUGH);
	/* Every other one is marked: the ones after these do not read it. */
	assert_int_equal(
		reads_of("R9, R2.reuse, R4, R6", "R9, R2, R4, R6", even), 8 * 2 + 8 + THROUGH);
	/* Predicates stand in no place, constants do. */
	assert_int_equal(reads_of("R9, P0, R2, R4.reuse, R6", "R9, R2, R4, PT, R6", even),
		8 * 2 + 8 + THROUGH);
	assert_int_equal(reads_of("R9, R2, R4.reuse, R6", "R9, c[0x0][0x160], R2, R4, R6", even),
		32 + THROUGH);
	assert_int_equal(
		reads_of("R9, R2, R2.reuse, R6", "R9, R2, R2, R6", twice), 8 * 2 + 8 + THROUGH);
}

/* ---- the scoreboard, said in bits ---- */

#define INSTS 40
#define REGS 6

#define LOADED 21 /* from a load's issue to its data */

/*
 * A random program of one warp. The cycle of each issue under a scoreboard is worked out as it
 * goes: what it says of fixed latencies is put into stall counts; a load has a counter that no
 * other one has meanwhile, which who needs its register waits for.
 */
static void make_random(struct kernel *k, uint64_t seed)
{
	uint64_t fixed[REGS] = {0}, free_at[TR_CONTROL_COUNTERS] = {0}, at = 0;
	uint32_t r[REGS], waits[REGS] = {0}; /* the counter of a load of it, + 1 */
	struct says says[INSTS + 1];

	kernel_begin(k, "random");
	for (int i = 0; i < REGS; i++)
		r[i] = reg(k);
	for (uint32_t i = 0; i < INSTS; i++) {
		const uint32_t of[] = {sim_mix(seed, i) % REGS, sim_mix(seed, 100 + i) % REGS};
		const enum tr_class cls = sim_mix(seed, 200 + i) % 2 ? TR_C_INT : TR_C_FP32;
		uint32_t c = sim_mix(seed, 300 + i) % 3 ? TR_CONTROL_COUNTERS : 0;
		uint64_t first = i ? at + 1 : 0;

		says[i] = (struct says){1, 0, NO, NO, 0};
		for (int x = 0; x < 2; x++) {
			first = fixed[of[x]] > first ? fixed[of[x]] : first;
			if (waits[of[x]])
				says[i].wait |= 1u << (waits[of[x]] - 1);
		}
		if (i && says[i - 1].result != NO && says[i].wait >> says[i - 1].result & 1)
			first = first < at + 2 ? at + 2 : first; /* its raise has to be seen */
		if (i)
			says[i - 1].stall = (unsigned)(first - at);
		at = first;
		for (uint32_t n = 0; n < TR_CONTROL_COUNTERS; n++)
			if (says[i].wait >> n & 1)
				at = free_at[n] > at ? free_at[n] : at;
		while (c < TR_CONTROL_COUNTERS && free_at[c] > at)
			c++;
		if (c == TR_CONTROL_COUNTERS) {
			op(k, cls, r[of[0]], r[of[1]]);
			fixed[of[0]] = at + (cls == TR_C_INT ? 4 : 9);
			waits[of[0]] = 0;
			continue;
		}
		load(k, r[of[0]], r[of[1]], words, 0x10000000 + 4096 * (i % 3));
		for (int n = 0; n < REGS; n++)
			waits[n] = waits[n] == c + 1 ? 0 : waits[n];
		says[i].result = c;
		waits[of[0]] = c + 1;
		fixed[of[0]] = 0;
		free_at[c] = at + LOADED;
	}
	says[INSTS] = (struct says){1, 0, NO, NO, 0};
	kernel_end(k);
	says_all(k, says, INSTS + 1);
}

static void test_as_scoreboard(void **state)
{
	unsigned loads = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct sim_stats by[2];
		struct kernel k;

		make_random(&k, seed);
		for (int bits = 0; bits < 2; bits++) {
			struct trace trace = record(&k, 1, 32);
			struct trial t;

			trial_begin(&t, HITS "latency.int=4 latency.fp32=9");
			machine_set(
				&t.opt.config, bits ? "sm.control_bits=yes" : "sm.control_bits=no");
			trial_must_run(&t, &trace);
			by[bits] = t.stats[0];
			trial_end(&t);
			free(trace.bytes);
		}
		assert_int_equal(by[0].cycles, by[1].cycles);
		loads += by[1].mem_insts != 0;
		done(&k);
	}
	assert_true(loads > 250);
}

/* ---- programs side by side ---- */

static void test_joined(void **state)
{
	const struct tr_program *both[2];
	struct tr_program *j;
	struct kernel k[2];
	struct tr_err err;

	(void)state;
	for (int i = 0; i < 2; i++) {
		kernel_begin(&k[i], "part");
		chain(&k[i], 2);
		kernel_end(&k[i]);
		both[i] = k[i].p;
	}
	control(&k[1], 1, (struct says){7, 0, NO, NO, 0});
	assert_int_equal(tr_program_operands(k[1].p, 2, "SB0, 0x1"), 1);
	assert_int_equal(sim_join(&j, both, 2, &err), 1);
	assert_int_equal(j->control[0], 0);
	assert_int_equal(j->control[4], k[1].p->control[1]);
	assert_string_equal(tr_str(j, j->operands[5]), "SB0, 0x1");
	assert_int_equal(j->operands[2], 0);
	tr_program_free(j);
	done(&k[0]);
	done(&k[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stalls),
		cmocka_unit_test(test_some_known),
		cmocka_unit_test(test_yields),
		cmocka_unit_test(test_result),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_overtaken),
		cmocka_unit_test(test_known_ends),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_depbar),
		cmocka_unit_test(test_highest),
		cmocka_unit_test(test_highest_seen),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_as_scoreboard),
		cmocka_unit_test(test_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
