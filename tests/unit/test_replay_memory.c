/*
 * The memory unit and what is after it, on kernels small enough to be worked out on paper: rates,
 * latencies, merges, each space's way, what wide and generic accesses are cut into.
 */
#include "tests/unit/replay_trial.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- memory: rates ---- */

#define ROUNDS 40

/* Lines a cycle of `warps` warps, each with k loads and then one instruction that needs them all.
 */
static double load_rate(unsigned warps, unsigned loads, const char *sched, const char *settings)
{
	struct kernel k;
	struct trial t;
	struct trace trace;
	double rate;

	kernel_begin(&k, "loads");
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t all[8], next, none = TR_NONE;
		struct tr_inst sum = {.cls = TR_C_INT, .guard = TR_NONE, .base = TR_NONE};

		for (unsigned l = 0; l < loads; l++) {
			all[l] = reg(&k);
			load(&k, all[l], TR_NONE, fresh_lines, i * loads + l);
		}
		next = k.p->ninsts + 1;
		sum.opcode = (uint32_t)tr_program_string(k.p, "sum");
		sum.file = none;
		assert_true(tr_program_inst(k.p, &sum, NULL, 0, all, loads, &next, 1) >= 0);
	}
	kernel_end(&k);
	trace = one_launch(&k, 1, 32 * warps);
	trial_begin(&t, settings);
	trial_policies(&t, sched, "fixed");
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].l1d.misses, (uint64_t)ROUNDS * loads * warps);
	assert_int_equal(t.stats[0].l1d.accesses, t.stats[0].l1d.misses);
	rate = (double)t.stats[0].l1d.misses / (double)t.stats[0].cycles;
	trial_end(&t);
	return rate;
}

static void test_littles_law(void **state)
{
	static const unsigned warps[] = {1, 2, 4, 8}, loads[] = {1, 2, 4};

	(void)state;
	for (unsigned w = 0; w < COUNT(warps); w++)
		for (unsigned l = 0; l < COUNT(loads); l++) /* gto: a warp's loads go together */
			assert_close(load_rate(warps[w], loads[l], "gto", "memory.latency=1500"),
				warps[w] * loads[l] / 1500., .02);
	/* One line a cycle is what the port takes; two schedulers, so that issue is no bound,
	   and lrr, so that all warps end together. */
	assert_close(load_rate(32, 4, "lrr", "memory.latency=20 sm.schedulers=2"), 1, .02);
	assert_close(
		load_rate(32, 4, "lrr", "memory.latency=20 sm.schedulers=4 sm.lsu_rate=2"), 2, .02);
	for (unsigned mshrs = 1; mshrs <= 32; mshrs *= 4) {
		char settings[64];

		snprintf(settings, sizeof(settings), "memory.latency=500 l1d.mshrs=%u", mshrs);
		assert_close(load_rate(16, 4, "lrr", settings), mshrs / 500., .02);
	}
}

/* A miss queue of one place is enough to go on; one load after the other then. */
static void test_shortest_queues(void **state)
{
	(void)state;
	assert_close(load_rate(4, 4, "gto", "l1d.miss_queue=1 memory.latency=400"), 16 / 400., .06);
	assert_close(
		load_rate(4, 4, "gto", "l1d.miss_queue=1 sm.lsu_queue=1 l1d.mshrs=1 l1d.merges=1"),
		1 / 100., .02);
}

static void test_stride_one(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;

	(void)state;
	kernel_begin(&k, "stream");
	load(&k, reg(&k), TR_NONE, words, 0x100000);
	kernel_end(&k);
	trace = one_launch(&k, 20, 1024);
	trial_begin(&t, "sm.sms=3");
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].mem_insts, 20 * 32);
	assert_int_equal(t.stats[0].transactions, 20 * 32);
	assert_int_equal(t.stats[0].l1d.misses, 20 * 32);
	assert_int_equal(t.stats[0].l1d.hits + t.stats[0].l1d.merges, 0);
	assert_int_equal(t.stats[0].offcore, 20 * 32);
	trial_end(&t);
}

/* Threads by themselves: mimd's accesses are a transaction each, or one for a line and CTA. */
static void test_mimd_together(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;
	uint64_t cycles[2];

	(void)state;
	kernel_begin(&k, "stream");
	load(&k, reg(&k), TR_NONE, words, 0x100000);
	for (int i = 0; i < 8; i++)
		op(&k, TR_C_FP64, reg(&k), TR_NONE);
	kernel_end(&k);
	trace = one_launch(&k, 2, 256);
	for (int cta = 0; cta < 2; cta++) {
		trial_begin(&t, "sm.sms=2 interval.fp64=8");
		trial_policies(&t, "gto", cta ? "mimd:together=cta" : "mimd");
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].transactions, cta ? 2 * 256 / 32 : 2 * 256);
		cycles[cta] = t.stats[0].cycles;
		trial_end(&t);
	}
	assert_true(cycles[0] > 255 * 8 * 8); /* its unit takes one thread after the other */
	assert_true(cycles[1] < 500);         /* it has none */
	free(trace.bytes);
}

static uint64_t is_first(const struct at *a)
{
	return a->thread == 0;
}

/*
 * A thread that finds its store made by another waits no longer than by itself. The others come
 * later than the first, which skips a chain, and find all stores made.
 */
static void test_joined_stores(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;
	uint64_t cycles[2];
	uint32_t late;

	(void)state;
	kernel_begin(&k, "stores");
	late = label(&k);
	branch(&k, late, is_first, 0);
	chain(&k, 40);
	here(&k, late);
	for (int i = 0; i < 100; i++)
		access_to(&k, TR_C_STORE, TR_S_GLOBAL, 4, TR_NONE, TR_NONE, words, 0x100000);
	kernel_end(&k);
	trace = one_launch(&k, 1, 4);
	for (int cta = 0; cta < 2; cta++) {
		trial_begin(&t, "sm.one_in_flight=yes l1d.hit_latency=50");
		trial_policies(&t, "gto", cta ? "mimd:together=cta" : "mimd");
		trial_must_run(&t, &trace);
		cycles[cta] = t.stats[0].cycles;
		trial_end(&t);
	}
	assert_true(cycles[1] <= cycles[0]);
	free(trace.bytes);
}

/* Thread t goes round t % 4 + 1 times. */
static uint64_t rounds(const struct at *a)
{
	return a->visit < a->thread % 4;
}

/* All threads load the same word, in each round anew. */
static uint64_t one_word(const struct at *a)
{
	(void)a;
	return 0x100000;
}

/*
 * Whenever threads come, the k-th round of each belongs to the k-th request of its CTA: as many are
 * made as the thread with most rounds makes, though no two threads need be at the load in one
 * cycle. Threads of different sectors of a line wait for it once, and bring no byte that nobody
 * asked for.
 */
static void test_made_once(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;
	uint32_t top, r;

	(void)state;
	kernel_begin(&k, "rounds");
	r = reg(&k);
	top = label(&k);
	here(&k, top);
	load(&k, r, TR_NONE, one_word, 0);
	load(&k, r, r, words, 0x200000);
	branch(&k, top, rounds, 0);
	kernel_end(&k);
	trace = one_launch(&k, 3, 64);
	/* 4 requests for the word, and 4 for each of the 2 lines of the CTA's 64 words. */
	trial_begin(&t, "sm.sms=2");
	trial_policies(&t, "gto", "mimd:together=cta");
	trial_must_run(&t, &trace);
	assert_int_equal(t.stats[0].transactions, 3 * (4 + 2 * 4));
	assert_int_equal(t.stats[0].l1d.accesses, 3 * (4 + 2 * 4));
	trial_end(&t);
	/* Likewise of sectors, which may come one by one. */
	trial_begin(&t, "sm.sms=2 l1d.sector_bytes=32 l2.line=32");
	trial_policies(&t, "gto", "mimd:together=cta");
	trial_must_run(&t, &trace);
	assert_int_equal(t.stats[0].l1d.miss_sectors + t.stats[0].l1d.hit_sectors, 3 * (4 + 4 * 8));
	trial_end(&t);
	free(trace.bytes);
}

static uint64_t every_other_word(const struct at *a)
{
	return (1 << 20) + 8 * a->thread + a->x;
}

/* What a store writes in part comes to as many bytes whatever lines it is cut into behind the L1.
 */
static void test_bytes_of_parts(void **state)
{
	static const unsigned lines[] = {128, 64, 32};

	(void)state;
	for (unsigned i = 0; i < COUNT(lines); i++) {
		char settings[96];
		struct sim_stats s;
		struct kernel k;

		kernel_begin(&k, "parts");
		store(&k, TR_NONE, every_other_word, 0);
		chain(&k, 200);
		snprintf(settings, sizeof(settings), "memory.part=real l2.part=absent l2.line=%u",
			lines[i]);
		s = one_warp(&k, settings);
		assert_int_equal(s.mem.dram_write_bytes, 128);
	}
}

/* All warps want one line: the first misses, as many as may merge do, the rest wait and hit. */
static void test_merges(void **state)
{
	static const unsigned merges[] = {1, 2, 4, 7, 32, 100};

	(void)state;
	for (unsigned i = 0; i < COUNT(merges); i++) {
		const uint64_t joined = merges[i] < 32 ? merges[i] - 1 : 31;
		char settings[32];
		struct kernel k;
		struct trial t;
		struct trace trace;

		kernel_begin(&k, "same line");
		load(&k, reg(&k), TR_NONE, always, 0x100000);
		kernel_end(&k);
		trace = one_launch(&k, 1, 1024);
		snprintf(settings, sizeof(settings), "l1d.merges=%u", merges[i]);
		trial_begin(&t, settings);
		replay_once(&t, &trace);
		assert_int_equal(t.stats[0].l1d.misses, 1);
		assert_int_equal(t.stats[0].l1d.merges, joined);
		assert_int_equal(t.stats[0].l1d.hits, 31 - joined);
		assert_int_equal(t.stats[0].l1d.inter_warp_hits, 31 - joined);
		if (joined < 31)
			assert_true(t.stats[0].by_cycle[SIM_CY_STALL_MERGE] > 0);
		trial_end(&t);
	}
}

/*
 * With merges=0 nothing joins: each warp that finds the line on its way asks for it again and waits
 * for its own answer. The access is a merge all the same, since the line is there once.
 */
static void test_no_merges(void **state)
{
	for (unsigned merges = 0; merges <= 32; merges += 32) {
		char settings[64];
		struct kernel k;
		struct trial t;
		struct trace trace;

		(void)state;
		kernel_begin(&k, "same line, then a hit");
		load(&k, reg(&k), TR_NONE, always, 0x100000);
		barrier(&k, 0, 0, 0);
		load(&k, reg(&k), TR_NONE, always, 0x100000);
		kernel_end(&k);
		trace = one_launch(&k, 1, 1024);
		snprintf(settings, sizeof(settings),
			"sm.one_in_flight=yes l1d.mshrs=32 l1d.merges=%u", merges);
		trial_begin(&t, settings);
		replay_once(&t, &trace);
		assert_int_equal(t.stats[0].l1d.misses, 1);
		assert_int_equal(t.stats[0].l1d.merges, 31);
		assert_int_equal(t.stats[0].l1d.hits, 32);
		assert_int_equal(t.stats[0].offcore, merges ? 1 : 32);
		trial_end(&t);
	}
}

/* Of more than 255 that ask for a line, the rest wait until one has its answer. */
static void test_no_merges_many(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;

	(void)state;
	kernel_begin(&k, "same line");
	load(&k, reg(&k), TR_NONE, always, 0x100000);
	kernel_end(&k);
	trace = one_launch(&k, 1, 1024);
	trial_begin(&t, "l1d.mshrs=1024 l1d.merges=0 l1d.miss_queue=1024 "
			"memory.part=perfect memory.latency=2000");
	trial_policies(&t, "lrr", "fixed:2");
	trial_must_run(&t, &trace);
	assert_int_equal(t.stats[0].l1d.misses, 1);
	assert_int_equal(t.stats[0].l1d.merges, 254);
	assert_int_equal(t.stats[0].l1d.hits, 512 - 255);
	assert_int_equal(t.stats[0].offcore, 255);
	assert_true(t.stats[0].by_cycle[SIM_CY_STALL_MERGE] > 0);
	trial_end(&t);
	free(trace.bytes);
}

/* So do those that ask for another sector of it, and a line that wants its room waits for all. */
static void test_no_merges_sectors(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;

	(void)state;
	kernel_begin(&k, "two sectors, then another line");
	for (unsigned i = 0; i < 255; i++)
		load(&k, reg(&k), TR_NONE, always, 0x100000);
	load(&k, reg(&k), TR_NONE, always, 0x100020);
	load(&k, reg(&k), TR_NONE, always, 0x101000);
	load(&k, reg(&k), TR_NONE, always, 0x101000);
	kernel_end(&k);
	trace = one_launch(&k, 1, 32);
	trial_begin(&t,
		"l1d.size=128 l1d.ways=1 l1d.sector_bytes=32 l1d.mshrs=1024 l1d.merges=0 "
		"l1d.miss_queue=1024 sm.lsu_queue=1 memory.part=perfect memory.latency=2000");
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].l1d.misses, 3);
	assert_int_equal(t.stats[0].l1d.merges, 255);
	assert_int_equal(t.stats[0].offcore, 258);
	assert_int_equal(t.stats[0].l1d.evictions, 1);
	assert_true(t.stats[0].by_cycle[SIM_CY_STALL_MERGE] > 0);
	assert_true(t.stats[0].by_cycle[SIM_CY_STALL_LINE] > 0);
	trial_end(&t);
}

/* A line that was joined while it was under way is younger than one that was asked for later. */
static void test_merge_renews(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;
	uint32_t b, c;

	(void)state;
	kernel_begin(&k, "a b a c a");
	b = reg(&k);
	c = reg(&k);
	load(&k, reg(&k), TR_NONE, words, 0x1000);
	load(&k, b, TR_NONE, words, 0x2000);
	load(&k, reg(&k), TR_NONE, words, 0x1000);
	load(&k, c, b, words, 0x3000);
	load(&k, reg(&k), c, words, 0x1000);
	kernel_end(&k);
	trace = one_launch(&k, 1, 32);
	trial_begin(&t, "l1d.size=256 l1d.ways=2");
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].l1d.misses, 3);
	assert_int_equal(t.stats[0].l1d.merges, 1);
	assert_int_equal(t.stats[0].l1d.hits, 1);
	assert_int_equal(t.stats[0].l1d.evictions, 1);
	assert_int_equal(t.stats[0].l1d.inflight_victims, 0);
	trial_end(&t);
}

/* A third line comes while one of two is under way: only the other can go. */
static void test_victims_under_way(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;
	uint32_t b, c;

	(void)state;
	kernel_begin(&k, "a, b c d");
	b = reg(&k);
	c = reg(&k);
	load(&k, b, TR_NONE, words, 0x1000);
	load(&k, c, b, words, 0x2000);
	load(&k, reg(&k), b, words, 0x3000);
	load(&k, reg(&k), b, words, 0x4000);
	op(&k, TR_C_INT, TR_NONE, c);
	kernel_end(&k);
	trace = one_launch(&k, 1, 32);
	trial_begin(&t, "l1d.size=256 l1d.ways=2");
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].l1d.misses, 4);
	assert_int_equal(t.stats[0].l1d.evictions, 2);
	assert_int_equal(t.stats[0].l1d.inflight_victims, 2);
	/* The fourth finds both lines under way, and waits. */
	assert_true(t.stats[0].cycles > 3 * 100);
	trial_end(&t);
}

/* ---- memory: latencies ---- */

/* Issued in x, a load is in the memory unit in x + 1, on its way in x + 2, and back M later. */
#define MISS 2
#define M 100u
#define HIT 20u

static void test_miss_then_hit(void **state)
{
	struct kernel k;
	struct sim_stats s;
	uint32_t a, b;

	(void)state;
	kernel_begin(&k, "miss, hit");
	a = reg(&k);
	b = reg(&k);
	load(&k, a, TR_NONE, words, 0x1000);
	load(&k, b, a, words, 0x1000);
	op(&k, TR_C_INT, TR_NONE, b);
	s = one_warp(&k, "l1d.hit_latency=20");
	assert_int_equal(s.cycles, MISS + M + 1 + HIT + 1 + THROUGH);
	assert_int_equal(s.l1d.misses, 1);
	assert_int_equal(s.l1d.hits, 1);
	assert_int_equal(s.l1d.intra_warp_hits, 1);
	assert_int_equal(s.l1d.intra_thread_hits, 1);
	assert_int_equal(s.by_cycle[SIM_CY_MEMORY], MISS + M - 1 + HIT);
}

static void test_unbounded_and_perfect(void **state)
{
	struct kernel k;
	struct sim_stats s;

	(void)state;
	for (int perfect = 0; perfect < 2; perfect++) {
		kernel_begin(&k, "far apart");
		for (int round = 0; round < 2; round++)
			for (unsigned i = 0; i < 100; i++) {
				uint32_t r = reg(&k);

				load(&k, r, TR_NONE, words, 0x100000 + i * 4096);
				op(&k, TR_C_INT, TR_NONE, r);
			}
		s = one_warp(&k, perfect ? "l1d=perfect" : "l1d.size=unbounded");
		if (perfect) {
			assert_int_equal(s.offcore, 0);
			assert_int_equal(s.cycles, 200 * (1 + HIT + 1) + THROUGH);
			assert_int_equal(s.mem_insts, 200);
		} else {
			assert_int_equal(s.l1d.misses, 100);
			assert_int_equal(s.l1d.hits, 100);
			assert_int_equal(s.l1d.evictions, 0);
			assert_int_equal(
				s.cycles, 100 * (MISS + M + 1) + 100 * (1 + HIT + 1) + THROUGH);
		}
	}
}

/*
 * What a perfect L1D uses is in the L2 for the other caches, as what a real one misses: 100 lines
 * that were loaded, or stored, are then read as textures, which asks DRAM for none.
 */
static void test_perfect_fills_l2(void **state)
{
	(void)state;
	for (int store = 0; store < 2; store++)
		for (int perfect = 0; perfect < 2; perfect++) {
			struct kernel k;
			struct sim_stats s;

			kernel_begin(&k, "twice");
			for (unsigned i = 0; i < 100; i++)
				access_to(&k, store ? TR_C_STORE : TR_C_LOAD, TR_S_GLOBAL, 4,
					store ? TR_NONE : reg(&k), TR_NONE, words,
					0x100000 + i * 4096);
			for (unsigned i = 0; i < 100; i++)
				access_to(&k, TR_C_LOAD, TR_S_TEXTURE, 4, reg(&k), TR_NONE, words,
					0x100000 + i * 4096);
			s = one_warp(
				&k, perfect ? "memory.part=real sm.one_in_flight=yes l1d=perfect"
					    : "memory.part=real sm.one_in_flight=yes");
			assert_int_equal(s.texture_misses, 2 * 100); /* of 64 bytes */
			assert_int_equal(s.mem.dram_reads, store || perfect ? 0 : 100);
			assert_int_equal(s.mem.l2_hits, 2 * 100);
		}
}

static void test_atomic(void **state)
{
	struct kernel k;
	struct sim_stats s;
	uint32_t old;

	(void)state;
	kernel_begin(&k, "atomic");
	old = reg(&k);
	access_to(&k, TR_C_ATOMIC, TR_S_GLOBAL, 4, old, TR_NONE, always, 0x1000);
	op(&k, TR_C_INT, TR_NONE, old);
	s = one_warp(&k, "");
	assert_int_equal(s.cycles, MISS + M + 1 + THROUGH);
	assert_int_equal(s.l1d.atomics, 1);
	assert_int_equal(s.l1d.accesses, 0);
	assert_int_equal(s.transactions, 1);

	/* Without a result nobody waits for it; the launch ends when it is on its way. */
	kernel_begin(&k, "reduction");
	access_to(&k, TR_C_ATOMIC, TR_S_GLOBAL, 4, TR_NONE, TR_NONE, words, 0x1000);
	s = one_warp(&k, "");
	assert_int_equal(s.cycles, 1 + THROUGH);
	assert_int_equal(s.l1d.atomics, 1);
}

static unsigned gcd(unsigned a, unsigned b)
{
	return b ? gcd(b, a % b) : a;
}

static void test_bank_conflicts(void **state)
{
	const unsigned latency = 9;

	(void)state;
	for (unsigned stride = 0; stride <= 33; stride++) {
		const unsigned ways = stride ? gcd(stride, 32) : 1;
		struct kernel k;
		struct sim_stats s;
		uint32_t r;

		kernel_begin(&k, "shared");
		r = reg(&k);
		access_to(&k, TR_C_LOAD, TR_S_SHARED, 4, r, TR_NONE, strided, stride);
		op(&k, TR_C_INT, TR_NONE, r);
		s = one_warp(&k, "shared.banks=32 shared.width=32 shared.latency=9");
		assert_int_equal(s.cycles, ways + latency + 1 + THROUGH);
		assert_int_equal(s.shared_accesses, 1);
		assert_int_equal(s.shared_conflict_cycles, ways - 1);
		assert_int_equal(s.l1d.accesses, 0);
	}
}

static void test_constant_and_texture(void **state)
{
	static const enum tr_space spaces[] = {TR_S_CONST, TR_S_PARAM, TR_S_TEXTURE};

	(void)state;
	for (unsigned i = 0; i < COUNT(spaces); i++) {
		const int texture = spaces[i] == TR_S_TEXTURE;
		struct kernel k;
		struct sim_stats s;
		uint32_t a, b;

		kernel_begin(&k, "read only");
		a = reg(&k);
		b = reg(&k);
		access_to(&k, TR_C_LOAD, spaces[i], 4, a, TR_NONE, always, 0x40);
		access_to(&k, TR_C_LOAD, spaces[i], 4, b, a, always, 0x44);
		op(&k, TR_C_INT, TR_NONE, b);
		s = one_warp(&k, "constant.hit_latency=11 texture.hit_latency=13");
		assert_int_equal(s.cycles, MISS + M + 1 + (texture ? 13 : 11) + 1 + THROUGH);
		assert_int_equal(texture ? s.texture_accesses : s.const_accesses, 2);
		assert_int_equal(texture ? s.texture_misses : s.const_misses, 1);
		assert_int_equal(texture ? s.const_accesses : s.texture_accesses, 0);
		assert_int_equal(s.l1d.accesses + s.mem_insts, 0);
	}
}

/* Different words of a constant line cost nothing more; of n lines, n accesses. */
static void test_constant_lines(void **state)
{
	struct kernel k;
	struct sim_stats s;

	(void)state;
	kernel_begin(&k, "constants");
	access_to(&k, TR_C_LOAD, TR_S_CONST, 4, reg(&k), TR_NONE, strided, 1);
	s = one_warp(&k, "constant.line=64 constant.mshrs=4");
	assert_int_equal(s.const_accesses, 2);
	assert_int_equal(s.const_misses, 2);
}

/* Each thread's word w stands beside the others': 32 lanes touch one line of 128 bytes. */
static void test_local_memory(void **state)
{
	struct kernel k;
	struct sim_stats s;

	(void)state;
	kernel_begin(&k, "local");
	access_to(&k, TR_C_STORE, TR_S_LOCAL, 4, TR_NONE, TR_NONE, strided_local, 0);
	access_to(&k, TR_C_LOAD, TR_S_LOCAL, 8, reg(&k), TR_NONE, strided_local, 8);
	s = one_warp(&k, "");
	assert_int_equal(s.transactions, 3);
	assert_int_equal(s.l1d.accesses, 3);
	assert_int_equal(s.l1d.misses, 3);
	assert_int_equal(s.l1d.writes, 0);

	/* Of a cache of one line, the dirty one is written back before the next comes in. */
	kernel_begin(&k, "write back");
	for (unsigned i = 0; i < 4; i++) {
		uint32_t r = reg(&k);

		access_to(&k, TR_C_STORE, TR_S_LOCAL, 4, TR_NONE, TR_NONE, strided_local, 4 * i);
		access_to(&k, TR_C_LOAD, TR_S_LOCAL, 4, r, TR_NONE, strided_local, 4 * i);
		op(&k, TR_C_INT, TR_NONE, r);
	}
	s = one_warp(&k, "l1d.size=128 l1d.ways=1 l1d.line=128");
	assert_int_equal(s.l1d.misses, 4);
	assert_int_equal(s.l1d.merges, 4);
	assert_int_equal(s.l1d.evictions, 3);
	assert_int_equal(s.offcore, 4 + 3);
}

static void test_write_evict(void **state)
{
	struct kernel k;
	struct sim_stats s;
	uint32_t a, b;

	(void)state;
	kernel_begin(&k, "load, store, load");
	a = reg(&k);
	b = reg(&k);
	load(&k, a, TR_NONE, words, 0x1000);
	store(&k, a, words, 0x1000);
	load(&k, b, TR_NONE, words, 0x1000);
	op(&k, TR_C_INT, TR_NONE, b);
	s = one_warp(&k, "");
	assert_int_equal(s.l1d.misses, 2);
	assert_int_equal(s.l1d.hits + s.l1d.merges, 0);
	assert_int_equal(s.l1d.writes, 1);
	assert_int_equal(s.l1d.write_hits, 1);
	assert_int_equal(s.offcore, 3);

	/* A store takes the line out while it is under way: the load after it does not join. */
	kernel_begin(&k, "all at once");
	a = reg(&k);
	b = reg(&k);
	load(&k, a, TR_NONE, words, 0x1000);
	store(&k, TR_NONE, words, 0x1000);
	load(&k, b, TR_NONE, words, 0x1000);
	op(&k, TR_C_INT, TR_NONE, a);
	op(&k, TR_C_INT, TR_NONE, b);
	load(&k, reg(&k), TR_NONE, words, 0x1000);
	s = one_warp(&k, "");
	assert_int_equal(s.l1d.misses, 2);
	assert_int_equal(s.l1d.merges, 0);
	assert_int_equal(s.l1d.hits, 1);
	assert_int_equal(s.l1d.write_hits, 0);

	kernel_begin(&k, "allocate");
	store(&k, TR_NONE, words, 0x1000);
	store(&k, TR_NONE, words, 0x1000);
	s = one_warp(&k, "l1d.write=allocate");
	assert_int_equal(s.l1d.misses, 1);
	assert_int_equal(s.l1d.merges, 1);
	assert_int_equal(s.l1d.writes, 0);
}

/* Whose line a hit is: of the own thread, of another one of the warp, of another warp. */
static uint64_t shifted(const struct at *a)
{
	return a->x + (a->thread + 1) % 32 * 128;
}

static void test_classes_of_hits(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;
	uint32_t r[3];

	(void)state;
	kernel_begin(&k, "locality");
	for (int i = 0; i < 3; i++)
		r[i] = reg(&k);
	load(&k, r[0], TR_NONE, straight_lines, 0x10000);
	load(&k, r[1], r[0], straight_lines, 0x10000);
	load(&k, r[2], r[1], shifted, 0x10000);
	op(&k, TR_C_INT, TR_NONE, r[2]);
	barrier(&k, 0, 0, 0);
	kernel_end(&k);
	trace = one_launch(&k, 1, 64);
	trial_begin(&t, "l1d.merges=1 l1d.size=32K");
	replay_once(&t, &trace);
	assert_int_equal(t.stats[0].l1d.accesses, 2 * 3 * 32);
	assert_int_equal(t.stats[0].l1d.misses, 32);
	assert_int_equal(t.stats[0].l1d.hits, 5 * 32);
	assert_int_equal(t.stats[0].l1d.intra_warp_hits, 2 * 32);
	assert_int_equal(t.stats[0].l1d.intra_thread_hits, 32);
	assert_int_equal(t.stats[0].l1d.inter_warp_hits, 3 * 32);
	trial_end(&t);
}

static uint64_t first_lane(const struct at *a)
{
	return a->thread == 0;
}

/*
 * A load of 32 lines keeps the memory unit for 31 cycles beyond its first; what has to wait besides
 * makes the launch as much longer.
 */
static void test_memory_unit(void **state)
{
	static const struct {
		const char *settings;
		enum sim_cycle why;
	} cases[] = {{"", SIM_CY_ISSUED}, {"l1d.mshrs=1", SIM_CY_STALL_MSHR},
		{"l1d.mshrs=5", SIM_CY_STALL_MSHR}, {"l1d.size=128 l1d.ways=1", SIM_CY_STALL_LINE},
		{"l1d.miss_queue=1 memory.part=real icnt.inject_queue=1 clock.icnt=100",
			SIM_CY_STALL_QUEUE}};
	struct kernel k;
	struct trace trace;
	struct trial t;
	uint64_t cycles = 0;

	(void)state;
	kernel_begin(&k, "lines");
	load(&k, reg(&k), TR_NONE, straight_lines, 0x100000);
	kernel_end(&k);
	trace = one_launch(&k, 1, 32);
	for (unsigned i = 0; i < COUNT(cases); i++) {
		uint64_t waits = 0;

		trial_begin(&t, cases[i].settings);
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].unit_serial, 31);
		for (unsigned n = 0; n < SIM_UNIT_STALLS; n++) {
			const uint64_t here = t.stats[0].unit_stalls[n];

			assert_true(SIM_CY_STALL_MSHR + n == cases[i].why ? here > 0 : !here);
			waits += here;
		}
		if (!i)
			cycles = t.stats[0].cycles;
		else if (cases[i].why != SIM_CY_STALL_QUEUE) /* after it the memory is another */
			assert_int_equal(t.stats[0].cycles, cycles + waits);
		trial_end(&t);
	}
	free(trace.bytes);
}

/* A load of 32 lines takes as many cycles of the unit as its rate goes into them. */
static void test_unit_rate(void **state)
{
	struct kernel k;
	uint64_t first = 0;

	(void)state;
	for (unsigned rate = 1; rate <= 64; rate += rate < 3 ? 1 : 13) {
		uint32_t r;
		char settings[64];
		struct sim_stats s;

		kernel_begin(&k, "lines");
		r = reg(&k);
		load(&k, r, TR_NONE, straight_lines, 0x100000);
		op(&k, TR_C_INT, TR_NONE, r);
		snprintf(settings, sizeof(settings), "l1d=perfect sm.lsu_rate=%u", rate);
		s = one_warp(&k, settings);
		if (rate == 1)
			first = s.cycles;
		assert_int_equal(s.cycles, first - 32 + (32 + rate - 1) / rate);
	}
}

/* One lane that was at the line before is enough, whichever it is. */
static void test_threads_that_return(void **state)
{
	struct kernel k;
	struct sim_stats s;
	uint32_t r;

	(void)state;
	kernel_begin(&k, "one of 32");
	r = reg(&k);
	access_guarded(&k, TR_C_LOAD, TR_S_GLOBAL, 4, r, TR_NONE, words, 0x1000, first_lane);
	load(&k, reg(&k), r, words, 0x1000);
	s = one_warp(&k, "");
	assert_int_equal(s.l1d.intra_warp_hits, 1);
	assert_int_equal(s.l1d.intra_thread_hits, 1);
}

/* Lanes whose guard is false reach no memory; without any lane there is no access. */
static void test_guarded_loads(void **state)
{
	struct kernel k;
	struct sim_stats s;
	uint32_t r;

	(void)state;
	kernel_begin(&k, "guarded");
	r = reg(&k);
	access_guarded(
		&k, TR_C_LOAD, TR_S_GLOBAL, 4, r, TR_NONE, straight_lines, 0x1000, even_lane);
	op(&k, TR_C_INT, TR_NONE, r);
	s = one_warp(&k, "");
	assert_int_equal(s.l1d.accesses, 16);
	assert_int_equal(s.mem_insts, 1);
	assert_int_equal(s.thread_insts, 16 + 32 + 32);
	assert_int_equal(s.active_lanes, 3 * 32);

	kernel_begin(&k, "off");
	r = reg(&k);
	access_guarded(&k, TR_C_LOAD, TR_S_GLOBAL, 4, r, TR_NONE, words, 0, always);
	op(&k, TR_C_INT, TR_NONE, r);
	s = one_warp(&k, "latency.load=9");
	assert_int_equal(s.cycles, 9 + 1 + THROUGH);
	assert_int_equal(s.mem_insts, 0);
	assert_int_equal(s.thread_insts, 2 * 32);
}

static uint64_t own_page(const struct at *a)
{
	return TR_LOCAL_WINDOW + 4096ull * a->thread;
}

/* 64 bytes a lane of local memory, each word of each lane in a line of its own. */
static void test_wide_local_access(void **state)
{
	const struct tr_inst in = {.cls = TR_C_LOAD,
		.space = TR_S_LOCAL,
		.bytes = 16,
		.vec = 4,
		.base = 0,
		.guard = TR_NONE};
	struct kernel k;
	struct stage s = {.kernel = &k, .ctas = 1, .threads = 256};
	struct trace trace;
	struct trial t;
	uint32_t n;

	(void)state;
	kernel_begin(&k, "local");
	reg(&k);
	n = plain(&k, in, reg(&k), TR_NONE);
	k.value[n] = own_page;
	kernel_end(&k);
	trace = record_stages(&s, 1);
	trial_begin(&t, "l1d.size=8M");
	trial_policies(&t, "gto", "fixed:256");
	trial_must_run(&t, &trace);
	assert_int_equal(t.res.total.transactions, 256 * 16);
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* Even lanes go to shared memory, four bytes apart, odd ones to global, 128 bytes apart. */
static uint64_t by_turns(const struct at *a)
{
	return a->thread % 2 ? (1ull << 32) + 128ull * a->thread
			     : TR_SHARED_WINDOW + 4ull * a->thread;
}

/* A generic load is one of each space that its lanes are in, and done when both are. */
static void test_generic_access(void **state)
{
	const struct tr_inst in = {.cls = TR_C_LOAD,
		.space = TR_S_GENERIC,
		.bytes = 4,
		.vec = 1,
		.base = 0,
		.guard = TR_NONE};
	struct kernel k;
	struct stage s = {.kernel = &k, .ctas = 1, .threads = 32};
	struct trace trace;
	struct trial t;
	uint32_t n;

	(void)state;
	kernel_begin(&k, "generic");
	reg(&k);
	n = plain(&k, in, reg(&k), TR_NONE);
	k.value[n] = by_turns;
	kernel_end(&k);
	trace = record_stages(&s, 1);
	trial_begin(&t, "");
	trial_policies(&t, "gto", "fixed:32");
	trial_must_run(&t, &trace);
	assert_int_equal(t.res.total.transactions, 16);
	assert_int_equal(t.res.total.l1d.accesses, 16);
	assert_int_equal(t.res.total.shared_accesses, 1);
	assert_int_equal(t.res.total.mem_lanes, 16);
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- accesses whose results nobody wants ---- */

/*
 * A load without a destination, as PTX's `ld.global.u32 _, [a]`, brings its line and holds nobody
 * up: ten of the same line are a miss and, once it is there, nine hits, in every cache.
 */
static void test_no_destination(void **state)
{
	static const struct {
		enum tr_class cls;
		enum tr_space space;
		record_fn address;
	} sinks[] = {
		{TR_C_LOAD, TR_S_GLOBAL, words},
		{TR_C_LOAD, TR_S_GENERIC, words},
		{TR_C_LOAD, TR_S_LOCAL, strided_local},
		{TR_C_LOAD, TR_S_CONST, always},
		{TR_C_LOAD, TR_S_PARAM, always},
		{TR_C_LOAD, TR_S_TEXTURE, always},
		{TR_C_LOAD, TR_S_SHARED, words},
		{TR_C_ATOMIC, TR_S_GLOBAL, words},
		{TR_C_ATOMIC, TR_S_SHARED, words},
	};
	static const char *const warps[] = {"fixed", "mimd", "mimd:together=cta", "tbc",
		"dwr:max=32", "dwf", "dualpath", "lwm", "null"};

	(void)state;
	for (unsigned i = 0; i < sizeof(sinks) / sizeof(*sinks); i++) {
		struct kernel k;
		struct trace trace;
		struct trial t;

		kernel_begin(&k, "sink");
		for (unsigned n = 0; n < 10; n++) {
			access_to(&k, sinks[i].cls, sinks[i].space, 4, TR_NONE, TR_NONE,
				sinks[i].address, 1 << 20);
			chain(&k, 40);
		}
		kernel_end(&k);
		trace = one_launch(&k, 1, 32);
		for (unsigned w = 0; w < sizeof(warps) / sizeof(*warps); w++) {
			const struct sim_stats *s = &t.res.total;

			trial_begin(&t, "sm.simd_width=8");
			trial_policies(&t, "gto", warps[w]);
			trial_must_run(&t, &trace);
			if (!w && sinks[i].cls == TR_C_LOAD && sinks[i].space != TR_S_SHARED) {
				assert_int_equal(
					s->l1d.misses + s->const_misses + s->texture_misses, 1);
				assert_int_equal(
					s->l1d.accesses + s->const_accesses + s->texture_accesses,
					10);
				assert_int_equal(s->by_cycle[SIM_CY_MEMORY], 0);
			}
			trial_end(&t);
		}
		free(trace.bytes);
	}
}

/* ---- sectors ---- */

/* All lanes in the 32 bytes of sector x of a line. */
static uint64_t in_sector(const struct at *a)
{
	return (1 << 20) + 32 * a->x + 4 * (a->thread % 8);
}

static uint64_t whole_line(const struct at *a)
{
	return (1 << 20) + 4 * a->thread + a->x;
}

#define SECTORED                                                                                   \
	"l1d.sector_bytes=32 memory.part=real l2.part=real l2.line=32 l2.size=64K "                \
	"l2.interleave_bytes=256"

/* A sector of a line that is there misses, is fetched alone, and hits from then on. */
static void test_sector_misses(void **state)
{
	struct sim_stats s;
	struct kernel k;

	(void)state;
	kernel_begin(&k, "sectors");
	for (unsigned i = 0; i < 6; i++) { /* 0, 2, 3, then the same again */
		load(&k, reg(&k), TR_NONE, in_sector, (unsigned[]){0, 2, 3}[i % 3]);
		chain(&k, 70);
	}
	s = one_warp(&k, SECTORED);
	assert_int_equal(s.l1d.misses, 3);
	assert_int_equal(s.l1d.hits, 3);
	assert_int_equal(s.mem.dram_bytes, 3 * 32);
	assert_int_equal(s.mem.traffic_bytes, 3 * 32);
	assert_int_equal(s.l1d.evictions, 0);
}

/*
 * The same sector twice while it is in flight is one fetch. The whole line then fetches the three
 * sectors that are neither there nor in flight, and waits for all four.
 */
static void test_sectors_in_flight(void **state)
{
	struct sim_stats s;
	struct kernel k;

	(void)state;
	kernel_begin(&k, "sectors");
	load(&k, reg(&k), TR_NONE, in_sector, 2);
	load(&k, reg(&k), TR_NONE, in_sector, 2);
	load(&k, reg(&k), TR_NONE, whole_line, 0);
	chain(&k, 70);
	load(&k, reg(&k), TR_NONE, whole_line, 0);
	s = one_warp(&k, SECTORED);
	assert_int_equal(s.l1d.misses, 2);
	assert_int_equal(s.l1d.merges, 1);
	assert_int_equal(s.l1d.hits, 1);
	assert_int_equal(s.mem.dram_bytes, 4 * 32);
	assert_int_equal(s.mem.dram_reads, 4);
	assert_int_equal(s.offcore, 2);
}

static uint64_t first_eight(const struct at *a)
{
	return a->thread < 8;
}

/*
 * A line of local memory is written back by its dirty sectors alone. The L1D is one line, so each
 * line takes the place of the one before. The same word of 32 threads that are side by side is a
 * line, that of eight a sector.
 */
static void test_dirty_sectors(void **state)
{
	struct sim_stats s;
	struct kernel k;

	(void)state;
	kernel_begin(&k, "dirty");
	access_to(&k, TR_C_STORE, TR_S_LOCAL, 4, TR_NONE, TR_NONE, strided_local, 0);
	chain(&k, 70);
	access_guarded(
		&k, TR_C_STORE, TR_S_LOCAL, 4, TR_NONE, TR_NONE, strided_local, 4, first_eight);
	chain(&k, 70);
	load(&k, reg(&k), TR_NONE, in_sector, 0);
	chain(&k, 70);
	s = one_warp(&k, SECTORED " l1d.size=128 l1d.ways=1");
	assert_int_equal(s.l1d.misses, 3);
	assert_int_equal(s.mem.traffic_bytes, 128 + (128 + 32) + (32 + 32));
}

/*
 * With l1d.store_fetch = at-read a store of local memory asks for nothing: what it wrote wholly is
 * there, and what it wrote a part of is fetched by the load that reads it.
 */
static void test_lazy_stores(void **state)
{
	struct sim_stats s;
	struct kernel k;
	uint32_t r;

	(void)state;
	for (int plain = 0; plain < 2; plain++) {
		const char *settings =
			plain ? "l1d.store_fetch=at-read" : SECTORED " l1d.store_fetch=at-read";

		kernel_begin(&k, "whole");
		access_to(&k, TR_C_STORE, TR_S_LOCAL, 4, TR_NONE, TR_NONE, strided_local, 0);
		r = reg(&k);
		access_to(&k, TR_C_LOAD, TR_S_LOCAL, 4, r, TR_NONE, strided_local, 0);
		s = one_warp(&k, settings);
		assert_int_equal(s.l1d.misses, 1);
		assert_int_equal(s.l1d.hits, 1);
		assert_int_equal(s.offcore, 0);

		kernel_begin(&k, "a part");
		access_guarded(&k, TR_C_STORE, TR_S_LOCAL, 4, TR_NONE, TR_NONE, strided_local, 0,
			first_eight);
		access_guarded(&k, TR_C_STORE, TR_S_LOCAL, 4, TR_NONE, TR_NONE, strided_local, 0,
			first_eight);
		access_to(&k, TR_C_LOAD, TR_S_LOCAL, 4, reg(&k), TR_NONE, strided_local, 0);
		s = one_warp(&k, settings);
		assert_int_equal(s.l1d.misses, 2);
		assert_int_equal(s.l1d.hits, 1);
		assert_int_equal(s.offcore, 1);
		assert_int_equal(s.mem.traffic_bytes, plain ? 128 : 96);
	}
}

static uint64_t in_one_line(const struct at *a)
{
	return (1 << 20) + 4 * (a->thread % 32) + 128 * a->x;
}

static uint64_t line_each(const struct at *a)
{
	return (1 << 20) + 128 * (a->thread % 32 + 32 * a->x);
}

/*
 * 384 lines, twice, of an L1D with 64K, of which the launch's shared memory is taken: four CTAs fit
 * on the SM, and what they need is rounded up to what an SM can be set to.
 */
static void test_carved(void **state)
{
	static const struct {
		const char *settings;
		uint32_t shared_bytes;
		uint64_t hits;
	} cases[] = {{"", 8192, 384}, {"l1d.carved=yes", 0, 384},
		{"l1d.carved=yes", 4096, 384},                       /* 16K: 384 lines are left */
		{"l1d.carved=yes", 4096 + 128, 0},                   /* 32K */
		{"l1d.carved=yes sm.shared_reserved=1K", 3072, 384}, /* 16K of four CTAs */
		{"l1d.carved=yes sm.shared_reserved=1K", 3072 + 128, 0}, /* 32K */
		{"l1d.carved=yes sm.shared_reserved=4224", 0, 0}, /* 32K of reserved memory */
		{"l1d.carved=yes sm.ctas_per_sm=2", 4096 + 128, 384},
		{"l1d.carved=yes sm.shared_per_sm=17K", 4096 + 128, 0}, /* 17K, nothing between */
		{"l1d.carved=yes sm.shared_per_sm=256K", 65536, 0}};    /* one way of four lines */

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct trace trace;
		struct kernel k;
		struct trial t;
		char settings[160];

		kernel_begin(&k, "lines");
		for (unsigned n = 0; n < 2 * 384 / 32; n++)
			load(&k, reg(&k), TR_NONE, line_each, n % (384 / 32));
		kernel_end(&k);
		trace = record_stages(&(struct stage){.kernel = &k,
					      .ctas = 1,
					      .threads = 32,
					      .shared_bytes = cases[i].shared_bytes},
			1);
		snprintf(settings, sizeof(settings),
			"l1d.size=64K l1d.ways=128 l1d.index=modulo l1d.mshrs=64 sm.ctas_per_sm=4 "
			"sm.shared_per_sm=32K %s",
			cases[i].settings);
		trial_begin(&t, settings);
		trial_must_run(&t, &trace);
		if (t.res.total.l1d.hits + t.res.total.l1d.merges != cases[i].hits)
			fail_msg("%s, %u bytes: %llu hits", settings, cases[i].shared_bytes,
				(unsigned long long)t.res.total.l1d.hits);
		trial_end(&t);
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

/* Bytes of the L1D's data, and instructions of the memory unit, have a rate of their own. */
static void test_pace(void **state)
{
	static const struct {
		const char *settings;
		unsigned each; /* cycles of a load that hits */
	} cases[] = {{"sm.lsu_rate=4", 1}, {"sm.lsu_rate=4 l1d.cycle_bytes=128", 1},
		{"sm.lsu_rate=4 l1d.cycle_bytes=64", 2}, {"sm.lsu_rate=4 l1d.cycle_bytes=32", 4},
		{"sm.lsu_rate=4 sm.lsu_interval=6", 6}, {"sm.lsu_rate=4 interval.load=7", 7}};
	uint64_t free_of = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sim_stats s;
		struct kernel k;

		kernel_begin(&k, "hits");
		load(&k, reg(&k), TR_NONE, in_one_line, 0);
		chain(&k, 70);
		for (int n = 0; n < 100; n++)
			load(&k, reg(&k), TR_NONE, in_one_line, 0);
		s = one_warp(&k, cases[i].settings);
		assert_int_equal(s.l1d.hits, 100);
		if (!i)
			free_of = s.cycles - 100;
		assert_in_range(
			s.cycles, free_of + 99 * cases[i].each, free_of + 101 * cases[i].each);
	}
}

/* What a store that is not allocated does with its line, whole sectors and others. */
static void test_store_hit(void **state)
{
	static const struct {
		const char *hit;
		unsigned hits, reads, write_hits, writes;
	} cases[] = {{"evicts", 0, 3, 1, 2}, {"updates", 1, 2, 1, 2}, {"allocates", 2, 1, 1, 2},
		{"dirties", 1, 2, 1, 1}};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char settings[128];
		struct sim_stats s;
		struct kernel k;

		kernel_begin(&k, "stores");
		load(&k, reg(&k), TR_NONE, in_one_line, 0);
		chain(&k, 70);
		store(&k, TR_NONE, in_one_line, 0);
		store(&k, TR_NONE, in_one_line, 1);
		chain(&k, 70);
		load(&k, reg(&k), TR_NONE, in_one_line, 0);
		load(&k, reg(&k), TR_NONE, in_one_line, 1);
		snprintf(settings, sizeof(settings), SECTORED " l1d.store_hit=%s", cases[i].hit);
		s = one_warp(&k, settings);
		assert_int_equal(s.l1d.hits, cases[i].hits);
		assert_int_equal(s.l1d.misses, cases[i].reads);
		assert_int_equal(s.l1d.writes, 2);
		assert_int_equal(s.l1d.write_hits, cases[i].write_hits);
		assert_int_equal(s.offcore, cases[i].writes + cases[i].reads);
	}
}

/*
 * Where stores stay in lines that are there, or on their way, each is written back once, when it is
 * evicted; a store to another line goes to the memory and takes no room.
 */
static void test_store_dirties(void **state)
{
	static const char one_line[] = "l1d.size=128 l1d.ways=1 l1d.line=128 l1d.store_hit=dirties";
	struct kernel k;
	struct sim_stats s;
	uint32_t r;

	(void)state;
	kernel_begin(&k, "there");
	load(&k, reg(&k), TR_NONE, words, 0x1000);
	chain(&k, 70);
	store(&k, TR_NONE, words, 0x1000);
	store(&k, TR_NONE, words, 0x1000);
	r = reg(&k);
	load(&k, r, TR_NONE, words, 0x1000);
	op(&k, TR_C_INT, TR_NONE, r);
	s = one_warp(&k, one_line);
	assert_int_equal(s.l1d.write_hits, 2);
	assert_int_equal(s.l1d.hits, 1);
	assert_int_equal(s.offcore, 1); /* nothing was evicted */

	kernel_begin(&k, "on its way");
	load(&k, reg(&k), TR_NONE, words, 0x1000);
	store(&k, TR_NONE, words, 0x1000);
	chain(&k, 70);
	load(&k, reg(&k), TR_NONE, words, 0x2000);
	s = one_warp(&k, one_line);
	assert_int_equal(s.l1d.write_hits, 1);
	assert_int_equal(s.l1d.misses, 2);
	assert_int_equal(s.offcore, 2 + 1);

	kernel_begin(&k, "elsewhere");
	load(&k, reg(&k), TR_NONE, words, 0x1000);
	chain(&k, 70);
	store(&k, TR_NONE, words, 0x2000);
	r = reg(&k);
	load(&k, r, TR_NONE, words, 0x1000);
	op(&k, TR_C_INT, TR_NONE, r);
	s = one_warp(&k, one_line);
	assert_int_equal(s.l1d.writes, 1);
	assert_int_equal(s.l1d.write_hits, 0);
	assert_int_equal(s.l1d.hits, 1);
	assert_int_equal(s.offcore, 2);
}

static uint64_t from_eight(const struct at *a)
{
	return a->thread >= a->x;
}

/*
 * Of a branch's paths one loads a line that is there, and the other one stores to it, which evicts
 * it: the load hits where its path is the first.
 */
static void test_first_path(void **state)
{
	static const struct {
		unsigned falls; /* threads that fall through, and load */
		const char *settings;
		unsigned hits;
	} cases[] = {{8, "", 0}, {24, "", 0}, {8, "sm.first_path=fewer", 1},
		{24, "sm.first_path=fewer", 0}, {16, "sm.first_path=fewer", 1}};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sim_stats s;
		struct kernel k;
		uint32_t at;

		kernel_begin(&k, "paths");
		load(&k, reg(&k), TR_NONE, in_one_line, 0);
		chain(&k, 70);
		at = k.p->ninsts;
		branch(&k, at + 3, from_eight, cases[i].falls);
		load(&k, reg(&k), TR_NONE, in_one_line, 0);
		jump(&k, at + 4);
		store(&k, TR_NONE, in_one_line, 0);
		chain(&k, 1);
		s = one_warp(&k, cases[i].settings);
		assert_int_equal(s.l1d.hits, cases[i].hits);
	}
}

static uint64_t always_same(const struct at *a)
{
	return 16 + 0 * a->thread;
}

/* Parameters that are operands take no place in the memory unit; textures by way of the L1D. */
static void test_ways_of_loads(void **state)
{
	struct sim_stats s;
	struct kernel k;

	(void)state;
	for (int operands = 0; operands < 2; operands++) {
		kernel_begin(&k, "parameters");
		access_to(&k, TR_C_LOAD, TR_S_PARAM, 4, reg(&k), TR_NONE, always_same, 0);
		access_to(&k, TR_C_LOAD, TR_S_CONST, 4, reg(&k), TR_NONE, always_same, 0);
		access_to(&k, TR_C_LOAD, TR_S_TEXTURE, 4, reg(&k), TR_NONE, in_one_line, 0);
		s = one_warp(&k, operands ? "sm.param_operands=yes sm.texture_l1d=yes" : "");
		assert_int_equal(s.const_accesses, operands ? 1 : 2);
		assert_int_equal(s.texture_accesses, operands ? 0 : 2); /* lines of 64 bytes */
		assert_int_equal(s.l1d.misses != 0, operands);
		assert_int_equal(s.thread_insts, 32 * 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pace),
		cmocka_unit_test(test_store_hit),
		cmocka_unit_test(test_store_dirties),
		cmocka_unit_test(test_carved),
		cmocka_unit_test(test_first_path),
		cmocka_unit_test(test_ways_of_loads),
		cmocka_unit_test(test_no_destination),
		cmocka_unit_test(test_sector_misses),
		cmocka_unit_test(test_sectors_in_flight),
		cmocka_unit_test(test_dirty_sectors),
		cmocka_unit_test(test_lazy_stores),
		cmocka_unit_test(test_littles_law),
		cmocka_unit_test(test_shortest_queues),
		cmocka_unit_test(test_stride_one),
		cmocka_unit_test(test_mimd_together),
		cmocka_unit_test(test_joined_stores),
		cmocka_unit_test(test_made_once),
		cmocka_unit_test(test_bytes_of_parts),
		cmocka_unit_test(test_merges),
		cmocka_unit_test(test_no_merges),
		cmocka_unit_test(test_no_merges_many),
		cmocka_unit_test(test_no_merges_sectors),
		cmocka_unit_test(test_merge_renews),
		cmocka_unit_test(test_victims_under_way),
		cmocka_unit_test(test_miss_then_hit),
		cmocka_unit_test(test_unbounded_and_perfect),
		cmocka_unit_test(test_perfect_fills_l2),
		cmocka_unit_test(test_atomic),
		cmocka_unit_test(test_bank_conflicts),
		cmocka_unit_test(test_constant_and_texture),
		cmocka_unit_test(test_constant_lines),
		cmocka_unit_test(test_local_memory),
		cmocka_unit_test(test_write_evict),
		cmocka_unit_test(test_classes_of_hits),
		cmocka_unit_test(test_memory_unit),
		cmocka_unit_test(test_unit_rate),
		cmocka_unit_test(test_threads_that_return),
		cmocka_unit_test(test_guarded_loads),
		cmocka_unit_test(test_wide_local_access),
		cmocka_unit_test(test_generic_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
