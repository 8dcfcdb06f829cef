/*
 * The replay machine on kernels small enough to be worked out on paper: issue, latencies, memory,
 * divergence, barriers, CTAs. Cycles are counted from the one in which the first CTA arrives: its
 * warps issue in cycle 0. An exit that issues in cycle x is through in x + 1, so a launch whose
 * last exit issues in cycle x takes x + 2 cycles.
 */
#include "tests/unit/replay_trial.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- issue ---- */

static uint64_t chain_cycles(unsigned insts, unsigned latency, unsigned warps, unsigned schedulers)
{
	char settings[64];
	struct kernel k;
	struct trial t;
	struct trace trace;
	uint64_t cycles;

	kernel_begin(&k, "chain");
	chain(&k, insts);
	kernel_end(&k);
	trace = one_launch(&k, 1, 32 * warps);
	snprintf(
		settings, sizeof(settings), "latency.int=%u sm.schedulers=%u", latency, schedulers);
	trial_begin(&t, settings);
	replay_once(&t, &trace);
	cycles = t.stats[0].cycles;
	assert_int_equal(t.stats[0].warp_insts, (insts + 1) * warps);
	assert_int_equal(t.stats[0].thread_insts, (insts + 1) * warps * 32);
	trial_end(&t);
	return cycles;
}

/*
 * Instruction i of warp w issues in i * L + w while there are fewer warps than cycles of latency;
 * the exits follow the last round. Else there is never a cycle without an issue.
 */
static void test_dependent_chain(void **state)
{
	static const unsigned insts[] = {1, 2, 10, 57}, latencies[] = {1, 2, 6, 24},
			      warps[] = {1, 2, 3, 4, 6, 8, 24, 32};

	(void)state;
	for (unsigned i = 0; i < COUNT(insts); i++)
		for (unsigned l = 0; l < COUNT(latencies); l++)
			assert_int_equal(chain_cycles(insts[i], latencies[l], 1, 1),
				(insts[i] - 1) * latencies[l] + 1 + THROUGH);
	for (unsigned l = 0; l < COUNT(latencies); l++)
		for (unsigned w = 0; w < COUNT(warps); w++) {
			const unsigned L = latencies[l], W = warps[w], I = 40;
			const uint64_t last = W < L ? (I - 1) * L + 2 * W - 1 : (I + 1) * W - 1;

			assert_int_equal(chain_cycles(I, L, W, 1), last + THROUGH);
			if (W <= 16)
				assert_int_equal(chain_cycles(I, L, 2 * W, 2), last + THROUGH);
		}
}

/*
 * Forty dependent instructions of four cycles and an exit, in lines of eight, launched twice. The
 * launch brings its first line and those ahead of it. Another line is asked for in the cycle after
 * the last instruction before it has issued, and comes after a hundred cycles: 97 late, of the exit
 * 100. With two lines ahead the first line to come from the memory is the fourth: filed in cycle
 * 28, there in 129 for 96. The fifth comes in time, the sixth for its exit in 193, three late. What
 * is there when the launch ends is not for the second one.
 */
static void test_cold_code(void **state)
{
	static const struct {
		const char *settings;
		uint64_t late, lines;
	} cases[] = {{"sm.code=perfect", 0, 0}, {"sm.code=fetched", 4 * 97 + 100, 5},
		{"sm.code=fetched sm.code_ahead=2", 33 + 3, 3},
		{"sm.code=fetched memory.latency=20 sm.code_ahead=1", 0, 4},
		{"sm.code=fetched sm.code_ahead=5", 0, 0},
		{"sm.code=fetched sm.code_ahead=65535", 0, 0}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct trace trace;
		struct kernel k;
		struct trial t;

		kernel_begin(&k, "chain");
		chain(&k, 40);
		kernel_end(&k);
		trace = record_stages((struct stage[]){{.kernel = &k, .ctas = 1, .threads = 32},
					      {.kernel = &k, .ctas = 1, .threads = 32}},
			2);
		trial_begin(&t, "latency.int=4");
		machine_set(&t.opt.config, cases[i].settings);
		trial_must_run(&t, &trace);
		for (int n = 0; n < 2; n++) {
			assert_int_equal(t.stats[n].cycles, 39 * 4 + 1 + THROUGH + cases[i].late);
			assert_int_equal(t.stats[n].mem.code_requests, cases[i].lines);
			assert_int_equal(t.stats[n].mem.requests, 0);
		}
		trial_end(&t);
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

/* Nothing is asked for behind a program's last line, whether it is full or not. */
static void test_code_ends(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 48; n++) {
		const unsigned lines = (n + 7) / 8, first = 1 + 2;
		struct trace trace;
		struct kernel k;
		struct trial t;

		kernel_begin(&k, "chain");
		chain(&k, n - 1);
		kernel_end(&k);
		trace = one_launch(&k, 1, 32);
		trial_begin(&t, "sm.code=fetched sm.code_ahead=2");
		replay_once(&t, &trace);
		assert_int_equal(t.stats[0].mem.code_requests, lines > first ? lines - first : 0);
		trial_end(&t);
	}
}

static uint64_t rounds(const struct at *a)
{
	return a->visit + 1 < a->x;
}

/*
 * Ten rounds of a loop of four lines, which fill 32 cycles, and an exit in a fifth line. An L1-I of
 * three lines, or fewer, never has the next one: 3 + 9 * 4 + 1 come from the memory, each a hundred
 * cycles late. From an L1-I that has them all they come to an L0-I of so few lines after ten
 * cycles, nine late.
 */
static void test_code_caches(void **state)
{
	static const struct {
		const char *settings;
		uint64_t late, requests, fetches;
	} cases[] = {{"", 4 * 100, 4, 0}, {"sm.l1i_bytes=640", 4 * 100, 4, 0},
		{"sm.l1i_bytes=512", 4 * 100, 4, 0}, {"sm.l1i_bytes=384", 40 * 100, 40, 0},
		{"sm.l1i_bytes=256", 40 * 100, 40, 0}, {"sm.l1i_bytes=128", 40 * 100, 40, 0},
		{"sm.l0i_bytes=640 sm.l1i_latency=10", 4 * 110, 4, 4},
		{"sm.l0i_bytes=512 sm.l1i_latency=10", 4 * 110, 4, 4},
		{"sm.l0i_bytes=384 sm.l1i_latency=10", 4 * 110 + 9 * 4 * 9, 4, 40},
		{"sm.l0i_bytes=256 sm.l1i_latency=10", 4 * 110 + 9 * 4 * 9, 4, 40},
		{"sm.l0i_bytes=100 sm.l1i_latency=10", 4 * 110 + 9 * 4 * 9, 4, 40},
		{"sm.l0i_bytes=640 sm.l1i_bytes=256 sm.l1i_latency=10", 4 * 110, 4, 4}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct trace trace;
		struct kernel k;
		struct trial t;
		uint32_t head;

		kernel_begin(&k, "rounds");
		head = label(&k);
		here(&k, head);
		straight(&k, 31);
		branch(&k, head, rounds, 10);
		kernel_end(&k);
		trace = one_launch(&k, 1, 32);
		trial_begin(&t, "sm.code=fetched");
		machine_set(&t.opt.config, cases[i].settings);
		replay_once(&t, &trace);
		assert_int_equal(t.stats[0].cycles, 320 + THROUGH + cases[i].late);
		assert_int_equal(t.stats[0].mem.code_requests, cases[i].requests);
		assert_int_equal(t.stats[0].code_fetches, cases[i].fetches);
		trial_end(&t);
	}
}

static uint64_t by_visit(const struct at *a)
{
	return a->visit;
}

/*
 * Lines A B A C A D by a table at A's end, through an L0-I of one line and an L1-I of two. An L0-I
 * that asks for A makes it the L1-I's last used one, so of A, B and C only B leaves: A, which the
 * launch brings, never comes from the memory.
 */
static void test_code_used(void **state)
{
	const uint32_t succ[] = {8, 16, 24};
	struct tr_inst table = {
		.cls = TR_C_BRANCH, .guard = TR_NONE, .base = TR_NONE, .flags = TR_I_INDEXED};
	struct trace trace;
	struct kernel k;
	struct trial t;
	uint32_t top, at;

	(void)state;
	kernel_begin(&k, "A, B and C");
	top = label(&k);
	here(&k, top);
	straight(&k, 7);
	at = emit(&k, table, TR_NONE, reg(&k), succ, 3);
	k.outcome[at] = by_visit;
	for (int line = 0; line < 2; line++) {
		straight(&k, 7);
		jump(&k, top);
	}
	kernel_end(&k);
	trace = one_launch(&k, 1, 32);
	trial_begin(&t, "sm.code=fetched sm.l1i_bytes=256 sm.l0i_bytes=128");
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].code_fetches, 5);
	assert_int_equal(t.stats[0].mem.code_requests, 3);
	trial_end(&t);
}

/*
 * Warp 0 goes round in line A while warp 1 takes its time in line B, through an L0-I of two lines:
 * the line that comes with C takes B's place, the one that was used longest ago, though A was
 * there first. Afterwards warp 0 has B and C brought once more.
 */
static void test_code_stays(void **state)
{
	struct trace trace;
	struct kernel k;
	struct trial t;
	uint32_t top, on;

	(void)state;
	kernel_begin(&k, "A, B and C");
	top = label(&k);
	on = label(&k);
	here(&k, top);
	straight(&k, 6);
	branch(&k, on, from_thread, 32);
	branch(&k, top, rounds, 200);
	here(&k, on);
	chain(&k, 8);
	straight(&k, 7);
	kernel_end(&k);
	trace = one_launch(&k, 1, 64);
	trial_begin(&t, "sm.code=fetched sm.l0i_bytes=256 latency.int=40");
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].mem.code_requests, 2);
	assert_int_equal(t.stats[0].code_fetches, 4);
	trial_end(&t);
}

/*
 * Lines that were asked for ahead fill an L1-I of one line beyond its size. It is one line again
 * when the loop comes, so each round has to bring the loop's four lines anew.
 */
static void test_code_overfull(void **state)
{
	struct trace trace;
	struct kernel k;
	struct trial t;
	uint32_t head;

	(void)state;
	kernel_begin(&k, "cold, then rounds");
	straight(&k, 8 * 20);
	head = label(&k);
	here(&k, head);
	straight(&k, 31);
	branch(&k, head, rounds, 10);
	kernel_end(&k);
	trace = one_launch(&k, 1, 32);
	trial_begin(&t, "sm.code=fetched sm.l1i_bytes=128 sm.code_ahead=20");
	replay_once(&t, &trace);
	assert_true(t.stats[0].mem.code_requests > 20 + 10 * 4);
	trial_end(&t);
}

/*
 * Warps of four schedulers run it side by side: each L0-I asks for its lines, and the L1-I once.
 */
static void test_code_shared(void **state)
{
	struct kernel k;
	struct trace trace;
	struct trial t;

	(void)state;
	kernel_begin(&k, "side by side");
	straight(&k, 39);
	kernel_end(&k);
	trace = one_launch(&k, 1, 128);
	trial_begin(&t, "sm.code=fetched sm.schedulers=4 sm.l0i_bytes=1024 sm.l1i_latency=10");
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].cycles, 39 + 4 * 110 + THROUGH);
	assert_int_equal(t.stats[0].mem.code_requests, 4);
	assert_int_equal(t.stats[0].code_fetches, 16);
	trial_end(&t);
}

/*
 * Five lines through the L2: another SM asks for the same ones, which come from the DRAM once, and
 * a second launch finds them in the L2. A load's line is counted apart.
 */
static void test_code_in_l2(void **state)
{
	static const char *const settings[] = {"sm.code=fetched", "sm.code=perfect"};
	uint64_t reads[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct trace trace;
		struct kernel k;
		struct trial t;
		const struct sim_mem_stats *m;

		kernel_begin(&k, "twice");
		load(&k, reg(&k), TR_NONE, words, 0x10000000);
		straight(&k, 46);
		kernel_end(&k);
		trace = record_stages((struct stage[]){{.kernel = &k, .ctas = 2, .threads = 32},
					      {.kernel = &k, .ctas = 2, .threads = 32}},
			2);
		trial_begin(&t, "sm.ctas_per_sm=1 memory.part=real sm.sms=2");
		machine_set(&t.opt.config, settings[i]);
		trial_must_run(&t, &trace);
		m = &t.stats[0].mem;
		reads[i] = m->dram_reads;
		assert_int_equal(m->dram_reads, 2); /* a line of each CTA */
		assert_int_equal(m->l2_accesses, 2);
		assert_int_equal(m->requests, 2);
		assert_int_equal(m->replies, 2);
		assert_int_equal(m->code_requests, i ? 0 : 10);
		assert_int_equal(m->code_l2_accesses, i ? 0 : 10);
		assert_int_equal(m->code_dram_reads, i ? 0 : 5);
		assert_int_equal(m->dram_bytes, 2 * 128);
		m = &t.stats[1].mem;
		assert_int_equal(m->dram_reads, 0);
		assert_int_equal(m->code_l2_hits, i ? 0 : 10);
		assert_int_equal(m->code_dram_reads, 0);
		if (!i)
			assert_true(t.stats[1].cycles + 5 * 20 < t.stats[0].cycles);
		trial_end(&t);
		free(trace.bytes);
		tr_program_free(k.p);
	}
	assert_int_equal(reads[0], reads[1]);
}

/*
 * All threads exit in the fourth line, when it and the two after it have been asked for, one a
 * cycle from cycle 1 on. The launch does not wait for the rest; their answers come in the next one,
 * which asks for its own.
 */
static void test_code_stale(void **state)
{
	struct trace trace;
	struct kernel k;
	struct trial t;
	uint32_t end;

	(void)state;
	kernel_begin(&k, "early");
	end = label(&k);
	jump(&k, end);
	straight(&k, 23);
	here(&k, end);
	leave_if(&k, always, 1);
	straight(&k, 200);
	kernel_end(&k);
	trace = record_stages((struct stage[]){{.kernel = &k, .ctas = 1, .threads = 32},
				      {.kernel = &k, .ctas = 1, .threads = 32},
				      {.kernel = &k, .ctas = 1, .threads = 32}},
		3);
	trial_begin(&t, "sm.code=fetched sm.code_ahead=2");
	trial_must_run(&t, &trace);
	for (int n = 0; n < 3; n++) {
		assert_int_equal(t.stats[n].cycles, 101 + THROUGH);
		assert_int_equal(t.stats[n].mem.code_requests, 3);
	}
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/*
 * The first launch ends with a line under way. It comes when the second one has lost its own first
 * line to an L1-I of two, and does not bring that one: the second launch takes as long, and asks as
 * often, as without the first.
 */
static void test_code_stale_line(void **state)
{
	struct kernel k[2];
	struct stage stages[2] = {{.ctas = 1, .threads = 32}, {.ctas = 1, .threads = 32}};
	struct sim_stats alone, after;
	uint32_t to;

	(void)state;
	kernel_begin(&k[0], "early");
	to = label(&k[0]);
	jump(&k[0], to);
	straight(&k[0], 7);
	here(&k[0], to);
	leave_if(&k[0], always, 1); /* in the second line, which asks for the third one */
	straight(&k[0], 40);
	kernel_end(&k[0]);
	kernel_begin(&k[1], "back");
	to = label(&k[1]);
	here(&k[1], to);
	straight(&k[1], 23);
	branch(&k[1], to, rounds, 2);
	kernel_end(&k[1]);
	for (unsigned n = 1; n <= 2; n++) {
		struct trace trace;
		struct trial t;

		for (unsigned i = 0; i < n; i++)
			stages[i].kernel = &k[2 - n + i];
		trace = record_stages(stages, n);
		trial_begin(&t, "sm.code=fetched sm.code_ahead=1 sm.l1i_bytes=256");
		trial_must_run(&t, &trace);
		*(n == 1 ? &alone : &after) = t.stats[n - 1];
		assert_int_equal(t.stats[0].cycles > 100, n == 1);
		trial_end(&t);
		free(trace.bytes);
	}
	assert_int_equal(after.cycles, alone.cycles);
	assert_int_equal(after.mem.code_requests, alone.mem.code_requests);
	tr_program_free(k[0].p);
	tr_program_free(k[1].p);
}

static double chain_ipc(unsigned latency, unsigned warps, unsigned schedulers)
{
	const unsigned insts = 400;

	return (double)(insts + 1) * warps /
	       (double)chain_cycles(insts, latency, warps, schedulers);
}

static void test_issue_bound(void **state)
{
	static const unsigned warps[] = {1, 2, 4, 6, 8, 12, 16, 32};

	(void)state;
	for (unsigned w = 0; w < COUNT(warps); w++)
		for (unsigned s = 1; s <= 2; s++) {
			const double share = (double)warps[w] / 8;

			if (s <= warps[w])
				assert_close(chain_ipc(8, warps[w], s), share < s ? share : s, .01);
		}
}

/* A warp of w lanes keeps a SIMD of s lanes for w / s cycles, rounded up. */
static void test_issue_occupancy(void **state)
{
	const unsigned insts = 20;

	(void)state;
	for (unsigned w = 4; w <= 64; w *= 2)
		for (unsigned s = 8; s <= 32; s *= 2) {
			const unsigned each = (w + s - 1) / s;
			char settings[64], policy[16];
			struct kernel k;
			struct trial t;
			struct trace trace;

			kernel_begin(&k, "straight");
			straight(&k, insts);
			kernel_end(&k);
			trace = one_launch(&k, 1, w);
			snprintf(settings, sizeof(settings), "sm.simd_width=%u", s);
			snprintf(policy, sizeof(policy), "fixed:%u", w);
			trial_begin(&t, settings);
			trial_policies(&t, "lrr", policy);
			replay_once(&t, &trace);
			assert_int_equal(t.stats[0].cycles, insts * each + (each - 1) + THROUGH);
			assert_int_equal(t.stats[0].by_cycle[SIM_CY_ISSUED], (insts + 1) * each);
			trial_end(&t);
		}
}

/* Two warps take turns where a unit takes one instruction in eight cycles. */
static void test_unit_interval(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;

	(void)state;
	kernel_begin(&k, "double");
	for (int i = 0; i < 5; i++)
		op(&k, TR_C_FP64, reg(&k), TR_NONE);
	kernel_end(&k);
	trace = one_launch(&k, 1, 64);
	trial_begin(&t, "interval.fp64=8");
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].cycles, 9 * 8 + 1 + THROUGH);
	assert_int_equal(t.stats[0].by_cycle[SIM_CY_STALL_UNIT], 9 * 7 - 1);
	trial_end(&t);
}

/*
 * Units are the SM's, or each scheduler has its own; loads, stores and atomics take turns at one.
 * Eight instructions of each of four warps, one warp a scheduler.
 */
static void test_split_units(void **state)
{
	static const struct {
		enum tr_class other;
		const char *settings;
		unsigned each; /* cycles of an instruction of one scheduler */
	} cases[] = {
		{TR_C_FP32, "interval.fp32=2", 8},
		{TR_C_FP32, "interval.fp32=2 sm.split_units=yes", 2},
		{TR_C_FP32, "interval.fp32=8 sm.split_units=yes", 8},
		{TR_C_INT, "interval.fp32=8 interval.int=8 sm.split_units=yes", 4},
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct kernel k;
		struct trace trace;
		struct trial t;

		kernel_begin(&k, "units");
		for (int n = 0; n < 8; n++)
			op(&k, n % 2 ? cases[i].other : TR_C_FP32, reg(&k), TR_NONE);
		kernel_end(&k);
		trace = one_launch(&k, 1, 128);
		trial_begin(&t, "sm.schedulers=4");
		machine_set(&t.opt.config, cases[i].settings);
		replay_once(&t, &trace);
		assert_in_range(
			t.stats[0].cycles, 7 * cases[i].each, 8 * cases[i].each + THROUGH + 1);
		trial_end(&t);
	}
}

/* Opcodes say whose unit an instruction is, of PTX and of SASS. */
static void test_opcode_units(void **state)
{
	static const struct {
		const char *opcode;
		unsigned each; /* cycles: 2 of an integer, 8 of the special unit, 16 of the tensor's
				*/
	} cases[] = {{"IADD3", 2}, {"POPC", 8}, {"HMMA.16816.F32", 16}, {"F2I.U32.TRUNC", 8},
		{"popc.b32", 8}, {"cvt.rn.f32.s32", 8}, {"cvt.s64.s32", 2}, {"HMMAX", 2}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct kernel k;
		struct trace trace;
		struct trial t;

		kernel_begin(&k, "opcodes");
		for (int n = 0; n < 8; n++) {
			const uint32_t at = op(&k, TR_C_INT, reg(&k), TR_NONE);

			k.p->insts[at].opcode = (uint32_t)tr_program_string(k.p, cases[i].opcode);
		}
		kernel_end(&k);
		trace = one_launch(&k, 1, 32);
		trial_begin(&t, "sm.opcode_units=yes interval.int=2 interval.sfu=8");
		machine_set(&t.opt.config, "interval.tensor=16");
		replay_once(&t, &trace);
		assert_in_range(
			t.stats[0].cycles, 7 * cases[i].each, 8 * cases[i].each + THROUGH + 1);
		trial_end(&t);
	}
}

/* Of opcodes that hold their warp: 8 of them and an exit. */
static void test_holds(void **state)
{
	static const struct {
		const char *opcode;
		unsigned each, registers;
	} cases[] = {{"YIELD", 42, 0}, {"NANOSLEEP", 40, 0}, {"nanosleep.u32", 40, 0},
		{"WARPSYNC.ALL", 5, 0}, {"WARPSYNC", 37, 1}, {"bar.warp.sync", 5, 0},
		{"BSYNC", 18, 0}, {"BSSY", 1, 0}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct kernel k;
		struct trace trace;
		struct trial t;

		kernel_begin(&k, "holds");
		for (int n = 0; n < 8; n++) {
			const uint32_t at =
				op(&k, TR_C_OTHER, TR_NONE, cases[i].registers ? reg(&k) : TR_NONE);

			k.p->insts[at].opcode = (uint32_t)tr_program_string(k.p, cases[i].opcode);
		}
		kernel_end(&k);
		trace = one_launch(&k, 1, 32);
		trial_begin(&t, "hold.yield=42 hold.nanosleep=40 hold.warpsync=5 hold.bsync=18");
		machine_set(&t.opt.config, "hold.warpsync_register=37");
		replay_once(&t, &trace);
		assert_int_equal(t.stats[0].cycles, 8 * cases[i].each + THROUGH);
		trial_end(&t);
	}
}

/* Registers r as operands of each of 16 instructions; chained: the result is the first of them. */
static uint64_t cycles_of(
	enum tr_class cls, const char *const *r, int chained, const char *settings)
{
	struct kernel k;
	struct trace trace;
	struct trial t;
	uint64_t cycles;
	uint32_t src[6], n = 0;

	kernel_begin(&k, "reads");
	for (; r[n]; n++)
		src[n] =
			n && !strcmp(r[n], r[0]) ? src[0] : (uint32_t)tr_program_reg(k.p, r[n], 32);
	for (int i = 0; i < 16; i++) {
		const uint32_t next = k.p->ninsts + 1, to = chained ? src[0] : reg(&k);
		struct tr_inst in = {.cls = (uint8_t)cls,
			.guard = TR_NONE,
			.base = TR_NONE,
			.file = TR_NONE,
			.opcode = (uint32_t)tr_program_string(k.p, "FFMA")};

		/* Each is in another place than in the one before. */
		const uint32_t turned[6] = {src[(unsigned)i % n], src[(i + 1u) % n],
			src[(i + 2u) % n], src[(i + 3u) % n], src[(i + 4u) % n], src[(i + 5u) % n]};

		assert_true(tr_program_inst(k.p, &in, &to, 1,
				    chained || strstr(settings, "reuse=yes") ? src : turned, n,
				    &next, 1) >= 0);
	}
	kernel_end(&k);
	trace = one_launch(&k, 1, 32);
	trial_begin(&t, settings);
	replay_once(&t, &trace);
	cycles = t.stats[0].cycles;
	trial_end(&t);
	return cycles;
}

static uint64_t cycles_of_reads(enum tr_class cls, const char *const *r, const char *settings)
{
	return cycles_of(cls, r, 0, settings);
}

/* Two banks, of which each gives one register a cycle or two. */
static void test_register_banks(void **state)
{
	static const char *const even[] = {"R2", "R4", "R6", NULL},
				 *const mixed[] = {"R2", "R5", "R6", NULL},
				 *const other[] = {"%r2", "%r4", "%r6", NULL},
				 *const uniform[] = {"UR2", "UR4", "UR6", NULL},
				 *const same[] = {"R2", "R2", "R2", NULL},
				 *const pairs[] = {"R2", "R3", "R4", "R5", "R6", "R7", NULL};
	static const char two[] = "sm.register_banks=2 sm.bank_reads=2",
			  one[] = "sm.register_banks=2",
			  reuse[] = "sm.register_banks=2 sm.bank_reads=2 sm.reuse=yes";
	const uint64_t free_reads = cycles_of_reads(TR_C_FP32, even, "");

	(void)state;
	/* The last one's result is not waited for: an instruction a cycle, then the exit. */
	assert_int_equal(free_reads, 16 + THROUGH);
	assert_int_equal(cycles_of_reads(TR_C_FP32, even, two), 16 * 2 + THROUGH);
	assert_int_equal(cycles_of_reads(TR_C_FP32, mixed, two), free_reads);
	assert_int_equal(cycles_of_reads(TR_C_FP32, even, one), 16 * 3 + THROUGH);
	assert_int_equal(cycles_of_reads(TR_C_FP32, mixed, one), 16 * 2 + THROUGH);
	assert_int_equal(cycles_of_reads(TR_C_FP32, other, one), free_reads);
	assert_int_equal(cycles_of_reads(TR_C_FP32, uniform, one), free_reads);
	assert_int_equal(cycles_of_reads(TR_C_INT, pairs, two), 16 * 2 + THROUGH);
	assert_int_equal(cycles_of_reads(TR_C_FP64, pairs, "interval.fp64=0"), free_reads);
	assert_int_equal(cycles_of_reads(TR_C_FP64, pairs,
				 "sm.register_banks=2 sm.bank_reads=2 interval.fp64=0"),
		free_reads);
	/* The first one reads, the others have their operands in their places. */
	assert_int_equal(cycles_of_reads(TR_C_FP32, even, reuse), free_reads + 1);
	/* What the one before has written is not what it had read. */
	assert_int_equal(cycles_of(TR_C_FP32, same, 1, reuse), cycles_of(TR_C_FP32, same, 1, two));
	assert_true(cycles_of(TR_C_FP32, same, 1, two) > cycles_of(TR_C_FP32, same, 1, ""));
	/* The unit is taken for so much longer. */
	assert_int_equal(cycles_of_reads(TR_C_FP32, even,
				 "sm.register_banks=2 sm.bank_reads=2 interval.fp32=2"),
		15 * 3 + 2 + THROUGH);
}

/* With one instruction in flight independent ones wait for each other, exits included. */
static void test_one_in_flight(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;

	(void)state;
	kernel_begin(&k, "straight");
	straight(&k, 10);
	kernel_end(&k);
	trace = one_launch(&k, 1, 32);
	trial_begin(&t, "sm.one_in_flight=yes latency.int=7 latency.exit=5");
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].cycles, 10 * 7 + 5 + 1);
	trial_end(&t);
}

/* A line of its own for each lane. */
static uint64_t scattered(const struct at *a)
{
	return 0x10000000 + a->thread * 128 + a->x;
}

/*
 * With one pipeline what is after a store of 32 lines stands in front of the memory unit until it
 * has had its turn: a line a cycle, the first in the cycle after the issue.
 */
static void test_one_pipeline(void **state)
{
	static const char *const settings[] = {"sm.lsu_queue=1 sm.lsu_rate=1 l1d.part=perfect",
		"sm.lsu_queue=1 sm.lsu_rate=1 l1d.part=perfect sm.one_pipeline=yes"};
	struct kernel k;
	struct trace trace;

	(void)state;
	kernel_begin(&k, "one pipeline");
	store(&k, TR_NONE, scattered, 0);
	straight(&k, 40);
	kernel_end(&k);
	trace = one_launch(&k, 1, 32);
	for (unsigned one = 0; one < 2; one++) {
		struct trial t;

		trial_begin(&t, settings[one]);
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].cycles, 41 + one * 31 + THROUGH);
		assert_int_equal(t.stats[0].by_cycle[SIM_CY_STALL_LSU], one * 31);
		trial_end(&t);
	}
	free(trace.bytes);
}

/* ---- divergence ---- */

/* if (taken) arm of n else arm of n: each ends with a jump, which takes one more issue. */
static void if_else(struct kernel *k, record_fn taken, uint64_t x, unsigned n)
{
	uint32_t other = label(k), end = label(k);

	branch(k, other, taken, x);
	straight(k, n);
	jump(k, end);
	here(k, other);
	straight(k, n);
	jump(k, end);
	here(k, end);
}

/*
 * Where warps are fetched in beats, one of 32 on 8 lanes waits for a cycle that is a multiple of 4
 * when its result is there; one of 8 waits for none.
 */
static void test_fetch_beats(void **state)
{
	(void)state;
	for (unsigned latency = 1; latency < 10; latency++)
		for (unsigned wide = 0; wide < 2; wide++) {
			uint64_t cycles[2][2]; /* by beats, of 20 and 40 instructions */

			for (unsigned i = 0; i < 4; i++) {
				const char *warp = wide ? "fixed:32" : "fixed:8";
				char settings[128];
				struct trace trace;
				struct trial t;
				struct kernel k;

				snprintf(settings, sizeof(settings),
					"sm.simd_width=8 latency.int=%u sm.fetch_beats=%s", latency,
					i / 2 ? "yes" : "no");
				kernel_begin(&k, "chain");
				chain(&k, 20 + i % 2 * 20);
				kernel_end(&k);
				trace = one_launch(&k, 1, wide ? 32 : 8);
				trial_begin(&t, settings);
				trial_policies(&t, "lrr", warp);
				replay_once(&t, &trace);
				cycles[i / 2][i % 2] = t.stats[0].cycles;
				trial_end(&t);
			}
			cycles[0][1] = (cycles[0][1] - cycles[0][0]) / 20;
			cycles[1][1] = (cycles[1][1] - cycles[1][0]) / 20;
			assert_int_equal(
				cycles[1][1], wide ? (cycles[0][1] + 3) / 4 * 4 : cycles[0][1]);
			assert_int_equal(cycles[0][1], latency + (wide ? 3 : 0));
		}
}

/* A branch in cycle x is resolved in x + F, where F is the latency of fetching, at least 1. */
static void test_divergent_branch(void **state)
{
	const unsigned n = 5;

	(void)state;
	for (unsigned fetch = 0; fetch < 4; fetch++) {
		const unsigned f = fetch ? fetch : 1;
		char settings[32];
		struct kernel k;
		struct sim_stats s;

		snprintf(settings, sizeof(settings), "sm.fetch_latency=%u", fetch);
		kernel_begin(&k, "divergent");
		if_else(&k, even_lane, 0, n);
		s = one_warp(&k, settings);
		assert_int_equal(s.cycles, f + 2 * (n + f) + THROUGH);
		assert_int_equal(s.warp_insts, 1 + 2 * (n + 1) + 1);
		assert_int_equal(s.thread_insts, 32 * (1 + n + 1 + 1) - 16); /* not taken: no */
		assert_int_equal(s.issued_bins[3], 2 * (n + 1));
		assert_int_equal(s.issued_bins[7], 2);
		assert_int_equal(s.stack_depth_max, 3);

		kernel_begin(&k, "uniform");
		if_else(&k, always, 1, n);
		s = one_warp(&k, settings);
		assert_int_equal(s.cycles, f + n + f + THROUGH);
		assert_int_equal(s.stack_depth_max, 1);
	}
}

static uint64_t coin(const struct at *a)
{
	uint64_t h = (a->cta * 1024ull + a->thread + 1) * 0x9e3779b97f4a7c15ull;

	h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
	h = (h ^ h >> 27) * 0x94d049bb133111ebull;
	return (h >> 11) % 10000 < a->x;
}

/* Paths of all warps over an if that is taken with x in 10000, counted from the coins. */
static uint64_t count_paths(uint32_t ctas, uint32_t warp, uint64_t x)
{
	uint64_t n = 0;

	for (uint32_t c = 0; c < ctas; c++)
		for (uint32_t first = 0; first < 1024; first += warp) {
			uint32_t taken = 0;

			for (uint32_t i = 0; i < warp; i++)
				taken += (uint32_t)coin(
					&(struct at){.cta = c, .thread = first + i, .x = x});
			n += 1 + (taken && taken < warp);
		}
	return n;
}

static void test_simd_efficiency(void **state)
{
	static const struct {
		uint32_t warp;
		uint64_t p; /* of 10000 */
		double efficiency;
	} cases[] = {{32, 100, .7843}, {8, 1000, .6371}, {4, 5000, .5333}, {32, 5000, .5}};
	const uint32_t ctas = 100, n = 7;

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		const uint64_t arms = count_paths(ctas, cases[i].warp, cases[i].p) * (n + 1);
		const uint64_t warps = ctas * 1024 / cases[i].warp;
		char policy[16];
		struct kernel k;
		struct trial t;
		struct trace trace;
		double arms_active;

		kernel_begin(&k, "coins");
		if_else(&k, coin, cases[i].p, n);
		kernel_end(&k);
		trace = one_launch(&k, ctas, 1024);
		snprintf(policy, sizeof(policy), "fixed:%u", cases[i].warp);
		trial_begin(&t, "sm.sms=4");
		trial_policies(&t, "gto", policy);
		replay_once(&t, &trace);
		assert_int_equal(t.stats[0].warp_insts, arms + 2 * warps);
		arms_active = (double)(t.stats[0].active_lanes - 2 * 1024 * ctas);
		/* Three standard deviations of the mean over the fewest warps, 3200. */
		assert_close(
			arms_active / (double)(arms * cases[i].warp), cases[i].efficiency, .02);
		trial_end(&t);
	}
}

static uint64_t warp_parity(const struct at *a)
{
	return (a->thread / 32 + a->x) % 2;
}

/* Warps that part from each other but not in themselves take as long as if they had not. */
static void test_branch_on_warp_parity(void **state)
{
	static const char *const scheds[] = {"lrr", "gto", "2lvl", "oldest"};
	static const record_fn ways[] = {warp_parity, warp_parity, always, always};

	(void)state;
	for (unsigned s = 0; s < COUNT(scheds); s++) {
		uint64_t cycles[4];

		for (unsigned i = 0; i < 4; i++) {
			struct kernel k;
			struct trial t;
			struct trace trace;

			kernel_begin(&k, "parity");
			chain(&k, 3);
			if_else(&k, ways[i], i % 2, 9);
			kernel_end(&k);
			trace = one_launch(&k, 3, 320);
			trial_begin(&t, "sm.fetch_latency=2");
			trial_policies(&t, scheds[s], "fixed");
			replay_once(&t, &trace);
			cycles[i] = t.stats[0].cycles;
			assert_int_equal(t.stats[0].active_lanes, t.stats[0].issue_lanes);
			trial_end(&t);
		}
		for (unsigned i = 1; i < 4; i++)
			assert_int_equal(cycles[i], cycles[0]);
	}
}

static uint64_t goes_round(const struct at *a)
{
	return a->visit < a->thread % 8;
}

/* A warp goes round a loop as often as the lane that does so most: 8 times. */
static void test_loop(void **state)
{
	const unsigned n = 5, rounds = 8; /* and a branch: a result is there for the next round */
	struct kernel k;
	struct sim_stats s;
	uint32_t top;

	(void)state;
	kernel_begin(&k, "loop");
	top = label(&k);
	here(&k, top);
	straight(&k, n);
	branch(&k, top, goes_round, 0);
	s = one_warp(&k, "");
	assert_int_equal(s.warp_insts, rounds * (n + 1) + 1);
	assert_int_equal(s.active_lanes, 4 * 36 * (n + 1) + 32); /* 1 + 2 + ... + 8 */
	assert_int_equal(s.cycles, rounds * (n + 1) + THROUGH);
	assert_int_equal(s.stack_depth_max, 2); /* those that are out wait below, in one entry */
}

/* ---- barriers and exits ---- */

/* Warp 0 has a chain of n after it when it comes to the barrier; warp 1 waits there. */
static void test_barrier(void **state)
{
	const unsigned n = 10, L = 6;
	struct kernel k;
	struct trial t;
	struct trace trace;
	uint32_t skip;

	(void)state;
	kernel_begin(&k, "barrier");
	skip = label(&k);
	branch(&k, skip, from_thread, 32);
	chain(&k, n);
	here(&k, skip);
	barrier(&k, 0, 0, 0);
	kernel_end(&k);
	trace = one_launch(&k, 1, 64);
	trial_begin(&t, "");
	replay_once(&t, &trace);
	/* Branches in 0 and 1, chain from 2 on, barrier, an exit each. */
	assert_int_equal(t.stats[0].cycles, 2 + (n - 1) * L + 1 + 2 + THROUGH);
	assert_int_equal(t.stats[0].barriers, 1);
	trial_end(&t);
}

/* Threads that have left do not hold a barrier up, whichever way they leave. */
static void test_early_exits(void **state)
{
	static const uint64_t from[] = {1, 20, 32, 50, 63};

	(void)state;
	for (unsigned way = 0; way < 3; way++)
		for (unsigned i = 0; i < COUNT(from); i++)
			for (unsigned warp = 32; warp <= 64; warp *= 2) {
				char policy[16];
				struct kernel k;
				struct trial t;
				struct trace trace;
				uint32_t out, on;

				kernel_begin(&k, "early exits");
				out = label(&k);
				on = label(&k);
				if (way == 0) {
					leave_if(&k, from_thread, from[i]);
				} else if (way == 1) { /* to the exit that all share */
					branch(&k, out, from_thread, from[i]);
				} else { /* an exit of their own */
					branch(&k, out, from_thread, from[i]);
					jump(&k, on);
					here(&k, out);
					leave(&k);
					here(&k, on);
				}
				straight(&k, 3);
				barrier(&k, 1, 0, 0);
				straight(&k, 3);
				barrier(&k, 1, 0, 0);
				if (way == 1)
					here(&k, out);
				kernel_end(&k);
				trace = one_launch(&k, 2, 64);
				snprintf(policy, sizeof(policy), "fixed:%u", warp);
				trial_begin(&t, "");
				trial_policies(&t, "gto", policy);
				trial_must_run(&t, &trace);
				assert_int_equal(t.stats[0].barriers, 4);
				assert_int_equal(t.stats[0].threads, 128);
				assert_int_equal(t.stats[0].path_hash, walked_paths(&trace));
				free(trace.bytes);
				trial_end(&t);
			}
}

/* Warp 0 only announces itself and goes on; warp 1 waits for the 64 threads. */
static void test_barrier_arrive(void **state)
{
	const unsigned n = 20;
	struct kernel k;
	struct trial t;
	struct trace trace;
	uint32_t other, end;

	(void)state;
	kernel_begin(&k, "producer");
	other = label(&k);
	end = label(&k);
	branch(&k, other, from_thread, 32);
	straight(&k, n);
	barrier(&k, 3, 64, 1);
	chain(&k, 30);
	jump(&k, end);
	here(&k, other);
	barrier(&k, 3, 64, 0);
	here(&k, end);
	kernel_end(&k);
	trace = one_launch(&k, 1, 64);
	trial_begin(&t, "");
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].barriers, 1);
	/* Branches in 0 and 1; the waiting warp's barrier and exit take an issue each. */
	assert_int_equal(t.stats[0].cycles, 2 + (n + 1) + 2 + 29 * 6 + 1 + 1 + THROUGH);
	trial_end(&t);
}

/* Two warps of 32 meet at one barrier from two places; a warp of 64 cannot. */
static void test_barrier_of_another_warp_size(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;
	uint32_t other, end;

	(void)state;
	kernel_begin(&k, "two places");
	other = label(&k);
	end = label(&k);
	branch(&k, other, from_thread, 32);
	barrier(&k, 0, 0, 0);
	jump(&k, end);
	here(&k, other);
	barrier(&k, 0, 0, 0);
	here(&k, end);
	kernel_end(&k);
	trace = one_launch(&k, 1, 64);
	trial_begin(&t, "");
	trial_must_run(&t, &trace);
	assert_int_equal(t.stats[0].barriers, 1);
	for (t.opt.tick = 0; t.opt.tick < 2; t.opt.tick++) {
		trial_policies(&t, "lrr", "fixed:64");
		trial_run(&t, &trace);
		assert_int_equal(t.rc, TR_EDATA);
		assert_non_null(strstr(t.err.msg, "two places"));
		assert_non_null(strstr(t.err.msg, "stands still"));
	}
	free(trace.bytes);
	trial_end(&t);
}

/* ---- CTAs and launches ---- */

static uint64_t ctas_cycles(const struct stage *s, const char *settings)
{
	struct trace trace = record_stages(s, 1);
	struct trial t;
	uint64_t cycles;

	trial_begin(&t, settings);
	replay_once(&t, &trace);
	cycles = t.stats[0].cycles;
	assert_int_equal(t.stats[0].ctas, s->ctas);
	assert_int_equal(t.stats[0].threads, s->ctas * s->threads);
	trial_end(&t);
	return cycles;
}

/*
 * CTAs of one warp, k of them at a time; issue is no bound, so they do not disturb each other. One
 * is dispatched a cycle, and the next comes the cycle after one has gone.
 */
static void test_occupancy(void **state)
{
	const unsigned insts = 40, alone = (insts - 1) * 6 + 1 + THROUGH;
	static const struct {
		uint32_t registers, shared_bytes;
		const char *settings;
		unsigned at_once;
	} cases[] = {
		{0, 0, "sm.ctas_per_sm=1", 1},
		{0, 0, "sm.ctas_per_sm=3", 3},
		{0, 0, "sm.ctas_per_sm=8 sm.threads_per_sm=160", 5},
		{100, 0, "sm.registers_per_sm=9599", 2},
		{100, 0, "sm.registers_per_sm=9600", 3},
		{0, 5000, "sm.shared_per_sm=20000", 4},
		{0, 5000, "sm.shared_per_sm=19999", 3},
		{0, 5000, "sm.shared_per_sm=20000 sm.shared_reserved=1", 3},
		{0, 5000, "sm.shared_per_sm=24000 sm.shared_reserved=1000", 4},
		{0, 0, "sm.shared_per_sm=5119 sm.shared_reserved=1K", 4},
		{100, 5000, "sm.registers_per_sm=6400 sm.shared_per_sm=20000", 2},
	};
	struct kernel k;

	(void)state;
	kernel_begin(&k, "occupancy");
	chain(&k, insts);
	kernel_end(&k);
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct stage s = {.kernel = &k,
			.ctas = 12 * cases[i].at_once,
			.threads = 32,
			.registers = cases[i].registers,
			.shared_bytes = cases[i].shared_bytes};
		char settings[128];

		snprintf(
			settings, sizeof(settings), "sm.unlimited_issue=yes %s", cases[i].settings);
		/* The k-th of the first wave begins in cycle k, so the last wave's last ends
		   k - 1 cycles after the one that began in cycle 0. */
		assert_int_equal(ctas_cycles(&s, settings), 12 * alone + cases[i].at_once - 1);
	}
	tr_program_free(k.p);
}

/*
 * Registers by liveness are counted anew for the machine's addresses: two of 64 bits are four
 * registers, of 32 bits two. A count that somebody states stays, though it is the same number.
 */
static void test_stated_registers(void **state)
{
	const struct {
		int stated;
		const char *settings;
		unsigned at_once;
	} cases[] = {
		{0, "sm.address_bits=64", 1},
		{0, "sm.address_bits=32", 2},
		{1, "sm.address_bits=64", 1},
		{1, "sm.address_bits=32", 1},
	};
	struct tr_inst in = {
		.cls = TR_C_LOAD, .space = TR_S_SHARED, .bytes = 4, .vec = 1, .guard = TR_NONE};
	uint32_t base[2];
	struct kernel k;

	(void)state;
	kernel_begin(&k, "addresses");
	for (int i = 0; i < 2; i++) {
		base[i] = (uint32_t)tr_program_reg(k.p, "%rd", 64);
		op(&k, TR_C_MOVE, base[i], TR_NONE);
	}
	chain(&k, 40);
	for (int i = 0; i < 2; i++) {
		in.base = base[i];
		k.value[plain(&k, in, TR_NONE, TR_NONE)] = words;
	}
	kernel_end(&k);
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct stage s = {.kernel = &k,
			.ctas = 12,
			.threads = 32,
			.registers = k.p->live_registers,
			.stated = cases[i].stated};
		struct stage free_of = {.kernel = &k, .ctas = 12, .threads = 32};
		char settings[128], bound[128];

		snprintf(settings, sizeof(settings), "sm.registers_per_sm=%u %s",
			2 * 32 * (k.p->live_registers - 2), cases[i].settings);
		snprintf(bound, sizeof(bound), "sm.ctas_per_sm=%u", cases[i].at_once);
		assert_int_equal(ctas_cycles(&s, settings), ctas_cycles(&free_of, bound));
	}
	tr_program_free(k.p);
}

/* A warp that waits for its unit is not forgotten beside one that the scheduler withholds. */
static void test_unit_beside_withheld(void **state)
{
	struct kernel k;
	struct stage s = {.kernel = &k, .ctas = 1, .threads = 64};
	uint64_t cycles[2];

	(void)state;
	kernel_begin(&k, "units");
	op(&k, TR_C_INT, reg(&k), TR_NONE);
	for (int i = 0; i < 5; i++)
		op(&k, TR_C_FP64, reg(&k), TR_NONE);
	kernel_end(&k);
	for (int tick = 0; tick < 2; tick++) {
		struct trace trace = record_stages(&s, 1);
		struct trial t;

		trial_begin(&t, "interval.fp64=8");
		trial_policies(&t, "swl:limit=1", "fixed:32");
		t.opt.tick = tick;
		trial_must_run(&t, &trace);
		cycles[tick] = t.res.total.cycles;
		trial_end(&t);
		free(trace.bytes);
	}
	assert_int_equal(cycles[0], cycles[1]);
	tr_program_free(k.p);
}

/* CTAs go to as many SMs as there are before one gets a second; all of them begin at once. */
static void test_ctas_spread(void **state)
{
	struct kernel k;
	struct stage s = {.kernel = &k, .threads = 32};

	(void)state;
	kernel_begin(&k, "spread");
	straight(&k, 50);
	kernel_end(&k);
	for (s.ctas = 1; s.ctas <= 12; s.ctas++) {
		const unsigned each = (s.ctas + 3) / 4; /* of the SM that has most */

		assert_int_equal(ctas_cycles(&s, "sm.sms=4"), each * 51 - 1 + THROUGH);
	}
	tr_program_free(k.p);
}

/* A launch takes its time once, a place of a CTA for every CTA that has it, and all of the chip's
 * CTAs begin one after the other. */
static void test_what_ctas_cost(void **state)
{
	struct kernel k;
	struct stage s = {.kernel = &k, .ctas = 12, .threads = 32};
	uint64_t free_of, cycles[2];

	(void)state;
	kernel_begin(&k, "cost");
	straight(&k, 50);
	kernel_end(&k);
	free_of = ctas_cycles(&s, "sm.sms=12");
	assert_int_equal(ctas_cycles(&s, "sm.sms=12 launch.latency=1000"), free_of + 1000);
	assert_int_equal(ctas_cycles(&s, "sm.sms=12 launch.cta_rest=70"), free_of);
	assert_int_equal(ctas_cycles(&s, "sm.sms=12 launch.cta_rate=50"), free_of + 2 * 11);
	assert_int_equal(ctas_cycles(&s, "sm.sms=12 launch.cta_rate=400"), free_of + 2);
	assert_int_equal(ctas_cycles(&s, "sm.sms=12 launch.cta_rate=80"), free_of + 13);
	assert_int_equal(ctas_cycles(&s, "sm.sms=3 sm.ctas_per_sm=1 launch.cta_rest=70") -
				 ctas_cycles(&s, "sm.sms=3 sm.ctas_per_sm=1"),
		3 * 70 - 3);
	/* The first CTA of each SM begins at once, a sixth and all after it 100 cycles apart. */
	s.ctas = 12;
	assert_int_equal(ctas_cycles(&s, "sm.sms=5 sm.ctas_per_sm=1 launch.cta_again=1") -
				 ctas_cycles(&s, "sm.sms=5 sm.ctas_per_sm=1"),
		6 * 100 - 52);
	assert_int_equal(ctas_cycles(&s, "sm.sms=12 launch.cta_rate=50 launch.cta_again=10"),
		free_of + 2 * 11);
	assert_int_equal(ctas_cycles(&s, "sm.sms=3 sm.ctas_per_sm=1 launch.cta_rate=80 "
					 "launch.cta_again=80"),
		ctas_cycles(&s, "sm.sms=3 sm.ctas_per_sm=1 launch.cta_rate=80"));
	/* Six of 100 cycles each, and after it six more of 100/3 each. */
	assert_int_equal(ctas_cycles(&s, "sm.sms=5 sm.ctas_per_sm=1 launch.cta_rate=1 "
					 "launch.cta_again=3"),
		free_of + 5 * 100 + 200);
	s.threads = 96;
	assert_int_equal(ctas_cycles(&s, "sm.sms=3 sm.ctas_per_sm=1 launch.warp_rest=20") -
				 ctas_cycles(&s, "sm.sms=3 sm.ctas_per_sm=1"),
		3 * 3 * 20 - 3);
	for (int tick = 0; tick < 2; tick++) { /* its sleep ends in the cycle in which it should */
		struct trace trace = record_stages(&s, 1);
		struct trial t;

		trial_begin(&t, "sm.sms=5 sm.ctas_per_sm=1 launch.latency=300 launch.cta_rate=33 "
				"launch.cta_rest=9");
		t.opt.tick = tick;
		trial_must_run(&t, &trace);
		cycles[tick] = t.res.total.cycles;
		free(trace.bytes);
		trial_end(&t);
	}
	assert_int_equal(cycles[0], cycles[1]);
	tr_program_free(k.p);
}

static void test_cta_that_fits_no_sm(void **state)
{
	static const struct {
		struct stage s;
		const char *settings, *key;
	} cases[] = {
		{{.ctas = 1, .threads = 64}, "sm.threads_per_sm=32", "sm.threads_per_sm"},
		{{.ctas = 1, .threads = 64, .registers = 10}, "sm.registers_per_sm=639",
			"sm.registers_per_sm"},
		{{.ctas = 1, .threads = 64, .shared_bytes = 4097}, "sm.shared_per_sm=4K",
			"sm.shared_per_sm"},
	};
	struct kernel k;

	(void)state;
	kernel_begin(&k, "too large");
	straight(&k, 1);
	kernel_end(&k);
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct stage s = cases[i].s;
		struct trace trace;
		struct trial t;

		s.kernel = &k;
		trace = record_stages(&s, 1);
		trial_begin(&t, cases[i].settings);
		trial_run(&t, &trace);
		assert_int_equal(t.rc, TR_EUSAGE);
		assert_non_null(strstr(t.err.msg, "fits no SM"));
		assert_non_null(strstr(t.err.msg, cases[i].key));
		assert_int_equal(t.res.launches, 0);
		free(trace.bytes);
		trial_end(&t);
	}
	tr_program_free(k.p);
}

/* Launches take the same time whenever they come; an L1D is empty when one begins. */
static void test_launches(void **state)
{
	struct kernel a, b;
	struct stage stages[6];
	struct trace trace;
	struct trial t;
	uint32_t r;

	(void)state;
	kernel_begin(&a, "load");
	r = reg(&a);
	load(&a, r, TR_NONE, words, 0x1000);
	load(&a, r, r, words, 0x1000);
	op(&a, TR_C_INT, TR_NONE, r);
	kernel_end(&a);
	kernel_begin(&b, "chain");
	chain(&b, 200);
	kernel_end(&b);
	for (unsigned i = 0; i < COUNT(stages); i++)
		stages[i] = (struct stage){
			.kernel = i % 2 ? &b : &a, .ctas = 1 + i / 2 % 2, .threads = 64};
	trace = record_stages(stages, COUNT(stages));
	trial_begin(&t, "sm.sms=2");
	trial_must_run(&t, &trace);
	assert_int_equal(t.res.launches, COUNT(stages));
	assert_int_equal(t.stats[4].cycles, t.stats[0].cycles);
	assert_int_equal(t.stats[5].cycles, t.stats[1].cycles);
	assert_int_equal(t.stats[4].l1d.misses, 2);
	assert_int_equal(t.stats[2].l1d.misses, 4);
	assert_int_equal(t.stats[4].l1d.hits, 2);
	assert_int_equal(t.res.total.l1d.misses, 8);
	assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
	/* Without the flush every SM misses its lines once. */
	machine_set(&t.opt.config, "launch.flush=no");
	trial_must_run(&t, &trace);
	assert_int_equal(t.stats[2].l1d.misses, 2);
	assert_int_equal(t.stats[4].l1d.misses, 0);
	assert_int_equal(t.res.total.l1d.misses, 4);
	machine_set(&t.opt.config, "launch.flush=yes");
	/* The L2 keeps what it has. */
	machine_set(&t.opt.config, "memory.part=real");
	trial_must_run(&t, &trace);
	assert_int_equal(t.stats[0].mem.l2_misses, 2);
	assert_int_equal(t.stats[4].mem.l2_misses, 0);
	assert_int_equal(t.stats[4].mem.l2_hits, 2);
	free(trace.bytes);
	trial_end(&t);
	tr_program_free(a.p);
	tr_program_free(b.p);
}

/* A trace that ends before its time is refused with the reader's reason. */
static void test_truncated_trace(void **state)
{
	struct kernel k;
	struct trace trace;
	struct trial t;

	(void)state;
	kernel_begin(&k, "cut");
	load(&k, reg(&k), TR_NONE, coin, 5000);
	kernel_end(&k);
	trace = one_launch(&k, 40, 1024);
	trace.len -= 200;
	trial_begin(&t, "");
	trial_run(&t, &trace);
	assert_true(t.rc < 0);
	assert_true(t.err.msg[0]);
	free(trace.bytes);
	trial_end(&t);
}

/* ---- what a replay may not do, and counts ---- */

/*
 * Thread 32 writes a word of shared memory that thread 0 then reads without a barrier between. The
 * writer has a longer way.
 */
static void test_overtaken_reads(void **state)
{
	static const struct tr_sync_read sync = {.reader = 0, .writer = 32};
	struct kernel k;
	struct stage s = {.kernel = &k, .ctas = 1, .threads = 64, .sync = &sync, .nsync = 1};

	(void)state;
	for (unsigned writer_first = 0; writer_first < 2; writer_first++) {
		struct trace trace;
		struct trial t;
		uint32_t other, end;

		kernel_begin(&k, "race");
		other = label(&k);
		end = label(&k);
		branch(&k, other, from_thread, 32);
		if (writer_first)
			chain(&k, 10);
		access_to(&k, TR_C_LOAD, TR_S_SHARED, 4, reg(&k), TR_NONE, always, 64);
		jump(&k, end);
		here(&k, other);
		if (!writer_first)
			chain(&k, 10);
		access_to(&k, TR_C_STORE, TR_S_SHARED, 4, TR_NONE, TR_NONE, always, 64);
		here(&k, end);
		kernel_end(&k);
		trace = record_stages(&s, 1);
		trial_begin(&t, "");
		replay_once(&t, &trace);
		assert_int_equal(t.stats[0].overtaken_reads, !writer_first);
		trial_end(&t);
		tr_program_free(k.p);
	}
}

/* A vote of all 32 lanes lacks members in a warp of 8. */
static void test_short_collectives(void **state)
{
	struct kernel k;
	struct tr_inst vote = {.cls = TR_C_COLLECTIVE,
		.flags = TR_I_COLLECTIVE,
		.guard = TR_NONE,
		.base = TR_NONE};
	struct trace trace;
	struct trial t;
	uint32_t n;

	(void)state;
	kernel_begin(&k, "vote");
	n = plain(&k, vote, reg(&k), TR_NONE);
	k.value[n] = always;
	k.x[n] = UINT32_MAX;
	kernel_end(&k);
	trace = one_launch(&k, 3, 64);
	trial_begin(&t, "");
	for (unsigned warp = 8; warp <= 64; warp *= 2) {
		char policy[16];

		snprintf(policy, sizeof(policy), "fixed:%u", warp);
		trial_policies(&t, "lrr", policy);
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].short_collectives, warp < 32 ? 3 * 64 / warp : 0);
	}
	free(trace.bytes);
	trial_end(&t);
}

/* ---- one answer, however it is come by ---- */

/* Divergence, nested loops, an early exit, barriers, every kind of access. */
static struct trace busy_trace(void)
{
	struct kernel k;
	struct trace trace;
	uint32_t top, skip, r;

	kernel_begin(&k, "busy");
	r = reg(&k);
	top = label(&k);
	skip = label(&k);
	access_to(&k, TR_C_LOAD, TR_S_PARAM, 8, reg(&k), TR_NONE, always, 8);
	leave_if(&k, coin, 300);
	here(&k, top);
	load(&k, r, r, straight_lines, 0x40000);
	load(&k, r, r, fresh_lines, 3);
	if_else(&k, coin, 3000, 4);
	op(&k, TR_C_SFU, r, r);
	op(&k, TR_C_FP64, r, r);
	branch(&k, skip, coin, 9000);
	access_to(&k, TR_C_STORE, TR_S_LOCAL, 8, TR_NONE, r, strided_local, 16);
	access_to(&k, TR_C_ATOMIC, TR_S_GLOBAL, 4, r, TR_NONE, words, 0x800);
	here(&k, skip);
	access_to(&k, TR_C_LOAD, TR_S_SHARED, 4, r, TR_NONE, strided, 3);
	access_to(&k, TR_C_LOAD, TR_S_TEXTURE, 4, r, r, words, 0x30000);
	store(&k, r, words, 0x40000);
	branch(&k, top, goes_round, 0);
	barrier(&k, 0, 0, 0);
	chain(&k, 3);
	kernel_end(&k);
	trace = one_launch(&k, 9, 208);
	return trace;
}

static const char *const policies[] = {"fixed:1", "fixed:2", "fixed:4", "fixed:8", "fixed:16",
	"fixed:32", "fixed:64", "fixed:128", "fixed:256", "mimd", "mimd:together=cta", "null"};

static void test_paths(void **state)
{
	struct trace trace = busy_trace();
	const uint64_t paths = walked_paths(&trace);
	struct trial t;

	(void)state;
	for (unsigned i = 0; i < COUNT(policies); i++) {
		uint64_t hash, cycles;

		trial_begin(&t, "sm.sms=2 memory.part=real sm.fetch_latency=2");
		trial_policies(&t, "gto", policies[i]);
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.total.path_hash, paths);
		hash = t.res.hash;
		cycles = t.stats[0].cycles;
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.hash, hash);
		t.opt.tick = 1;
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].cycles, cycles);
		assert_int_equal(t.res.hash, hash);
		trial_end(&t);
	}
	free(trace.bytes);
}

/* Policies that are one another in the limit. */
static void test_degenerate_policies(void **state)
{
	static const struct {
		const char *sched, *warp, *settings;
	} pairs[][2] = {
		{{"gto", "fixed:8", ""}, {"swl:limit=2048", "fixed:8", ""}},
		{{"gto", "fixed:32", "sm.schedulers=2"},
			{"swl:limit=32", "fixed:32", "sm.schedulers=2"}},
		{{"lrr", "fixed:16", ""}, {"2lvl:group=2048", "fixed:16", ""}},
		{{"lrr", "fixed:32", ""}, {"2lvl:group=32,inside=lrr", "fixed:32", ""}},
		{{"gto", "fixed:32", ""}, {"2lvl:group=32,inside=gto", "fixed:32", ""}},
		{{"lrr", "mimd", ""}, {"lrr", "fixed:1", "sm.unlimited_issue=yes"}},
	};
	struct trace trace = busy_trace();
	struct trial t;

	(void)state;
	for (unsigned i = 0; i < COUNT(pairs); i++) {
		uint64_t hash[2], cycles[2];

		for (unsigned k = 0; k < 2; k++) {
			trial_begin(&t, "sm.sms=2 memory.part=real");
			machine_set(&t.opt.config, pairs[i][k].settings);
			trial_policies(&t, pairs[i][k].sched, pairs[i][k].warp);
			trial_must_run(&t, &trace);
			hash[k] = t.res.hash;
			cycles[k] = t.stats[0].cycles;
			trial_end(&t);
		}
		assert_int_equal(cycles[1], cycles[0]);
		assert_int_equal(hash[1], hash[0]);
	}
	free(trace.bytes);
}

static uint64_t before_thread(const struct at *a)
{
	return a->thread < a->x;
}

/*
 * null runs those of a warp's threads that have got least far. Where they never part it is
 * fixed:32. Of `if (thread < 8 || thread < 16)` both ways lead to the same five instructions, which
 * a stack has run once for each, since the branches meet only after them; here those that jumped
 * there wait for the others, and all 16 go through them at once.
 */
static void test_null(void **state)
{
	static const char *const warps[] = {"fixed:32", "null"};
	struct trace trace;
	struct trial t;
	struct kernel k;
	uint64_t cycles[2], paths;
	uint32_t inside, after;

	(void)state;
	kernel_begin(&k, "together");
	chain(&k, 9);
	barrier(&k, 0, 0, 0);
	load(&k, reg(&k), TR_NONE, words, 0);
	chain(&k, 3);
	kernel_end(&k);
	trace = one_launch(&k, 5, 100);
	for (unsigned i = 0; i < 2; i++) {
		trial_begin(&t, "sm.sms=2 memory.part=real");
		trial_policies(&t, "gto", warps[i]);
		trial_must_run(&t, &trace);
		cycles[i] = t.stats[0].cycles;
		trial_end(&t);
	}
	assert_int_equal(cycles[0], cycles[1]);
	free(trace.bytes);

	kernel_begin(&k, "either");
	inside = label(&k);
	after = label(&k);
	branch(&k, inside, before_thread, 8);
	branch(&k, after, from_thread, 16);
	here(&k, inside);
	chain(&k, 5);
	here(&k, after);
	kernel_end(&k);
	trace = one_launch(&k, 1, 32);
	paths = walked_paths(&trace);
	for (unsigned i = 0; i < 2; i++) {
		trial_begin(&t, "");
		trial_policies(&t, "gto", warps[i]);
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.total.path_hash, paths);
		/* Two branches, the five once or twice, the exit. */
		assert_int_equal(t.stats[0].warp_insts, i ? 2 + 5 + 1 : 2 + 2 * 5 + 1);
		trial_end(&t);
	}
	free(trace.bytes);
}

/*
 * Two schedulers whose instructions take four cycles each. The second one's warp opens the barrier
 * at which the first one's waits, which from the next cycle on waits for a result instead: slept or
 * stepped, these cycles are in the same class.
 */
static void classes_of_two_schedulers(unsigned late)
{
	struct sim_stats slept;
	struct trace trace;
	struct kernel k;
	struct trial t;
	uint32_t r, on;

	kernel_begin(&k, "two schedulers");
	r = reg(&k);
	on = label(&k);
	op(&k, TR_C_SFU, r, TR_NONE);
	branch(&k, on, before_thread, 32);
	chain(&k, late);
	here(&k, on);
	barrier(&k, 0, 0, 0);
	op(&k, TR_C_INT, reg(&k), r);
	kernel_end(&k);
	trace = one_launch(&k, 1, 64);
	trial_begin(&t, "sm.schedulers=2 sm.simd_width=8 latency.sfu=100");
	trial_must_run(&t, &trace);
	slept = t.stats[0];
	slept.insts = NULL;
	t.opt.tick = 1;
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].cycles, slept.cycles);
	for (int c = 0; c < SIM_NCYCLES; c++)
		assert_int_equal(t.stats[0].by_cycle[c], slept.by_cycle[c]);
	trial_end(&t);
}

/* They take turns at looking first. */
static void test_classes_of_two_schedulers(void **state)
{
	(void)state;
	for (unsigned late = 1; late < 5; late++)
		classes_of_two_schedulers(late);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes_of_two_schedulers),
		cmocka_unit_test(test_dependent_chain),
		cmocka_unit_test(test_cold_code),
		cmocka_unit_test(test_code_ends),
		cmocka_unit_test(test_code_caches),
		cmocka_unit_test(test_code_used),
		cmocka_unit_test(test_code_stays),
		cmocka_unit_test(test_code_overfull),
		cmocka_unit_test(test_code_shared),
		cmocka_unit_test(test_code_in_l2),
		cmocka_unit_test(test_code_stale),
		cmocka_unit_test(test_code_stale_line),
		cmocka_unit_test(test_issue_bound),
		cmocka_unit_test(test_issue_occupancy),
		cmocka_unit_test(test_unit_interval),
		cmocka_unit_test(test_split_units),
		cmocka_unit_test(test_opcode_units),
		cmocka_unit_test(test_holds),
		cmocka_unit_test(test_register_banks),
		cmocka_unit_test(test_one_in_flight),
		cmocka_unit_test(test_one_pipeline),
		cmocka_unit_test(test_fetch_beats),
		cmocka_unit_test(test_divergent_branch),
		cmocka_unit_test(test_simd_efficiency),
		cmocka_unit_test(test_branch_on_warp_parity),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_barrier),
		cmocka_unit_test(test_early_exits),
		cmocka_unit_test(test_barrier_arrive),
		cmocka_unit_test(test_barrier_of_another_warp_size),
		cmocka_unit_test(test_occupancy),
		cmocka_unit_test(test_stated_registers),
		cmocka_unit_test(test_unit_beside_withheld),
		cmocka_unit_test(test_ctas_spread),
		cmocka_unit_test(test_what_ctas_cost),
		cmocka_unit_test(test_cta_that_fits_no_sm),
		cmocka_unit_test(test_launches),
		cmocka_unit_test(test_truncated_trace),
		cmocka_unit_test(test_overtaken_reads),
		cmocka_unit_test(test_short_collectives),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_degenerate_policies),
		cmocka_unit_test(test_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
