/*
 * The L1s of today's machines: banks of the L1D's data, cache operators, lines that are allocated
 * when their data come, words of constants, worked out on paper. Cycles are counted as in
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

/* ---- cache operators ---- */

#define FOLLOWED "l1d.operators=yes "

static void named(struct kernel *k, uint32_t inst, const char *opcode)
{
	k->p->insts[inst].opcode = (uint32_t)tr_program_string(k->p, opcode);
}

/* Line x, each lane a float of it. */
static uint64_t line(const struct at *a)
{
	return 0x100000 + 128 * a->x + 4 * (a->thread % 32);
}

/* An access, and time enough for the memory to answer it. */
static void step(struct kernel *k, const char *opcode, enum tr_space space, uint64_t x)
{
	const int is_load = !strncmp(opcode, "ld", 2) || !strncmp(opcode, "LD", 2);

	named(k,
		access_to(k, is_load ? TR_C_LOAD : TR_C_STORE, space, 4, is_load ? reg(k) : TR_NONE,
			TR_NONE, space == TR_S_LOCAL ? strided_local : line, x),
		opcode);
	chain(k, 30);
}

static void global(struct kernel *k, const char *opcode, uint64_t x)
{
	step(k, opcode, TR_S_GLOBAL, x);
}

/* Which loads go past the L1D: the line that is there stays, and gives nothing. */
static void test_past(void **state)
{
	static const struct {
		const char *opcode;
		unsigned past;
	} cases[] = {{"ld.global.f32", 0}, {"ld.global.ca.f32", 0}, {"ld.global.cg.f32", 1},
		{"ld.global.cv.f32", 1}, {"ld.global.cs.f32", 0}, {"ld.global.lu.f32", 0},
		{"ld.volatile.global.u32", 1}, {"ld.relaxed.gpu.global.u32", 1},
		{"ld.relaxed.sys.global.u32", 1}, {"ld.relaxed.cluster.global.u32", 1},
		{"ld.relaxed.cta.global.u32", 0}, {"ld.acquire.gpu.global.u32", 1},
		{"ld.acquire.cta.global.u32", 0}, {"ld.mmio.relaxed.sys.global.u32", 1},
		{"ld.global.L1::no_allocate.f32", 0}, {"ld.global.L1::evict_last.f32", 0},
		{"ld.global.nc.L1::evict_first.f32", 0}, {"LDG.E", 0}, {"LDG.E.SYS", 0},
		{"LDG.E.64.STRONG.GPU", 1}, {"LDG.E.STRONG.SYS", 1}, {"LDG.E.STRONG.SM", 0},
		{"LDG.E.EF", 0}, {"LDG.E.NA", 0}, {"LD.E.CG", 1}, {"LDG.E.CV", 1}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++)
		for (unsigned followed = 0; followed < 2; followed++) {
			const unsigned past = followed ? cases[i].past : 0;
			struct sim_stats s;
			struct kernel k;

			kernel_begin(&k, "past");
			global(&k, "ld.global.f32", 0);
			global(&k, cases[i].opcode, 0);
			global(&k, "ld.global.f32", 0);
			s = run(&k, followed ? FOLLOWED : "");
			if (s.offcore != 1 + past || s.l1d.misses != 1 || s.l1d.hits != 2 - past)
				fail_msg("%s: %u requests, %u hits", cases[i].opcode,
					(unsigned)s.offcore, (unsigned)s.l1d.hits);
		}
}

/* A load of 32 lines that miss: two tags a cycle, and of them one may send, or both. */
static void test_sends(void **state)
{
	uint64_t cycles[3];
	static const char *const settings[] = {
		"sm.lsu_rate=1", "sm.lsu_rate=2", "sm.lsu_rate=2 l1d.sends=1"};

	(void)state;
	for (unsigned i = 0; i < COUNT(settings); i++)
		cycles[i] = cycles_of_loads(1, 4, floats, 32, settings[i]);
	assert_in_range(cycles[0] - cycles[1], 14, 16);
	assert_in_range(cycles[0] - cycles[2], 0, 1);
	/* Those that join misses send nothing, and take no longer. */
	for (unsigned i = 1; i < COUNT(settings); i++)
		cycles[i] = cycles_of_loads(2, 4, floats, 32, settings[i]) - cycles[i];
	assert_int_equal(cycles[1], cycles[2]);
}

/* Of a line that is not there, which loads bring it; all of them but those past it are counted. */
static void test_allocation(void **state)
{
	static const struct {
		const char *opcode;
		unsigned requests, misses;
	} cases[] = {{"ld.global.ca.f32", 1, 1}, {"ld.global.cs.f32", 1, 1},
		{"ld.global.cg.f32", 2, 1}, {"ld.global.L1::no_allocate.f32", 2, 2},
		{"LDG.E.NA", 2, 2}, {"LDG.E.EL", 1, 1}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct sim_stats s;
		struct kernel k;

		kernel_begin(&k, "allocation");
		global(&k, cases[i].opcode, 0);
		global(&k, "ld.global.f32", 0);
		s = run(&k, FOLLOWED);
		assert_int_equal(s.offcore, cases[i].requests);
		assert_int_equal(s.l1d.misses, cases[i].misses);
		assert_int_equal(s.l1d.accesses, s.l1d.hits + s.l1d.misses);
	}
}

/*
 * Four lines fill the L1D, and a fifth takes the place of one of them. Then the second one is read
 * again: it hits unless it was the victim. The oldest is the first.
 */
static void test_priorities(void **state)
{
	static const struct {
		const char *first, *second, *again; /* again: the first line once more */
		unsigned second_stays;
	} cases[] = {{"ld.f32", "ld.f32", NULL, 1}, {"ld.f32", "ld.cs.f32", NULL, 0},
		{"ld.f32", "ld.lu.f32", NULL, 0}, {"ld.f32", "LDG.E.EF", NULL, 0},
		{"ld.f32", "ld.L1::evict_first.f32", NULL, 0},
		{"ld.L1::evict_last.f32", "ld.f32", NULL, 0},
		{"ld.L1::evict_last.f32", "LDG.E.EL", NULL, 1}, {"ld.f32", "ld.f32", "ld.f32", 0},
		{"ld.f32", "ld.f32", "ld.L1::evict_unchanged.f32", 1},
		{"ld.f32", "ld.f32", "LDG.E.EU", 1}, {"ld.f32", "ld.f32", "ld.cs.f32", 1},
		/* The last access says what the line is from then on. */
		{"ld.cs.f32", "ld.f32", "ld.f32", 0},
		{"ld.L1::evict_last.f32", "ld.f32", "ld.cs.f32", 1}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct sim_stats s;
		struct kernel k;

		kernel_begin(&k, "priorities");
		global(&k, cases[i].first, 0);
		global(&k, cases[i].second, 1);
		global(&k, "ld.f32", 2);
		global(&k, "ld.f32", 3);
		if (cases[i].again)
			global(&k, cases[i].again, 0);
		global(&k, "ld.f32", 4);
		global(&k, "ld.f32", 1);
		s = run(&k, FOLLOWED "l1d.size=512 l1d.ways=4");
		if (s.l1d.misses != 6 - cases[i].second_stays)
			fail_msg("%s, %s: %u misses", cases[i].first, cases[i].second,
				(unsigned)s.l1d.misses);
	}
}

/* A store that goes past the L1D leaves no line there; others update it. */
static void test_stores_past(void **state)
{
	static const struct {
		const char *opcode;
		unsigned stays, kept; /* kept: of a store that allocates, its line is there */
	} cases[] = {{"st.global.f32", 1, 1}, {"st.global.wb.f32", 1, 1},
		{"st.global.cs.f32", 1, 1}, {"st.global.cg.f32", 0, 0}, {"st.global.wt.f32", 0, 0},
		{"st.volatile.global.f32", 0, 0}, {"st.release.gpu.global.f32", 0, 0},
		{"st.relaxed.cta.global.f32", 1, 1}, {"STG.E.STRONG.SYS", 0, 0},
		{"st.global.L1::no_allocate.f32", 1, 0}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct sim_stats s;
		struct kernel k;

		kernel_begin(&k, "stays");
		global(&k, "ld.global.f32", 0);
		global(&k, cases[i].opcode, 0);
		global(&k, "ld.global.f32", 0);
		s = run(&k, FOLLOWED "l1d.store_hit=updates");
		assert_int_equal(s.l1d.hits, cases[i].stays);
		assert_int_equal(s.l1d.writes, 1);

		kernel_begin(&k, "kept");
		global(&k, cases[i].opcode, 0);
		global(&k, "ld.global.f32", 0);
		s = run(&k, FOLLOWED "l1d.store_hit=allocates");
		assert_int_equal(s.l1d.hits, cases[i].kept);
		assert_int_equal(s.offcore, 2 - cases[i].kept);
	}
}

/* What a store that brings its line puts out is evicted, as what a load puts out. */
static void test_stores_evict(void **state)
{
	struct sim_stats s;
	struct kernel k;

	(void)state;
	kernel_begin(&k, "evict");
	global(&k, "ld.global.f32", 0);
	global(&k, "st.global.f32", 1);
	global(&k, "ld.global.f32", 0);
	s = run(&k, "l1d.store_hit=allocates l1d.size=128 l1d.ways=1");
	assert_int_equal(s.l1d.misses, 2);
	assert_int_equal(s.l1d.evictions, 2);
}

/* The last load of a word of local memory saves its line's way to the memory. */
static void test_last_use(void **state)
{
	static const char *const opcodes[] = {
		"ld.local.u32", "ld.local.lu.u32", "ld.local.cs.u32", "LDL.LU", "ld.local.cg.u32"};
	static const unsigned written[] = {1, 0, 0, 0, 1};

	(void)state;
	for (unsigned i = 0; i < COUNT(opcodes); i++) {
		struct sim_stats s;
		struct kernel k;

		kernel_begin(&k, "last use");
		step(&k, "st.local.u32", TR_S_LOCAL, 0);
		step(&k, opcodes[i], TR_S_LOCAL, 0);
		global(&k, "ld.global.f32", 0);
		s = run(&k, FOLLOWED "l1d.size=128 l1d.ways=1 l1d.store_fetch=at-read");
		assert_int_equal(s.l1d.hits, 1);
		assert_int_equal(s.offcore, 1 + written[i]);
	}
}

/* ---- allocation on fill ---- */

#define FILL "l1d.allocate=fill "

static void at_once(struct kernel *k, uint64_t x)
{
	load(k, reg(k), TR_NONE, line, x);
}

/*
 * Two lines are full; while a third is on its way the first one is read. On a miss its room is gone
 * by then; on a fill it hits, and the second one, which is then the older, goes.
 */
static void test_fill(void **state)
{
	(void)state;
	for (unsigned fill = 0; fill < 2; fill++) {
		struct sim_stats s;
		struct kernel k;

		kernel_begin(&k, "fill");
		global(&k, "ld", 0);
		global(&k, "ld", 1);
		at_once(&k, 2);
		global(&k, "ld", 0);
		global(&k, "ld", 0);
		global(&k, "ld", 2);
		global(&k, "ld", 1);
		s = run(&k, fill ? FILL "l1d.size=256 l1d.ways=2" : "l1d.size=256 l1d.ways=2");
		assert_int_equal(s.l1d.misses, fill ? 4 : 5);
		assert_int_equal(s.l1d.hits, fill ? 3 : 2);
		assert_int_equal(s.l1d.evictions, fill ? 2 : 3);
		assert_int_equal(s.offcore, s.l1d.misses);
	}
}

/*
 * Any number of lines may be on their way to a cache of one. A load's data come 100 cycles after it
 * has left, in the second cycle after its issue.
 */
static void test_under_way(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 40; n += 13) {
		struct sim_stats s;
		struct kernel k;
		uint32_t r = 0;

		kernel_begin(&k, "under way");
		for (unsigned i = 0; i < n; i++)
			load(&k, r = reg(&k), TR_NONE, line, i);
		op(&k, TR_C_INT, TR_NONE, r);
		s = run(&k, FILL "l1d.size=128 l1d.ways=1");
		assert_int_equal(s.cycles, n - 1 + 2 + 100 + 1 + THROUGH);
		assert_int_equal(s.l1d.misses, n);
		assert_int_equal(s.l1d.evictions, n - 1);
		assert_int_equal(s.by_cycle[SIM_CY_STALL_LINE], 0);
	}
}

/* Sector x % 4 of line x / 4. */
static uint64_t sector(const struct at *a)
{
	return 0x100000 + 32 * a->x + 4 * (a->thread % 8);
}

/*
 * A sector of a line is on its way when another line comes and takes the line's room. It then comes
 * alone, and takes that room again. A load that merges with it is answered with it.
 */
static void test_sector_on_its_way(void **state)
{
	static const struct {
		unsigned sector, there;
	} after[] = {{1, 1}, {0, 0}, {4, 0}};
	struct sim_stats s;
	struct kernel k;

	(void)state;
	kernel_begin(&k, "sectors");
	load(&k, reg(&k), TR_NONE, sector, 0);
	chain(&k, 30);
	load(&k, reg(&k), TR_NONE, sector, 4);
	load(&k, reg(&k), TR_NONE, sector, 1);
	load(&k, reg(&k), TR_NONE, sector, 1);
	chain(&k, 30);
	for (unsigned i = 0; i < COUNT(after); i++) {
		load(&k, reg(&k), TR_NONE, sector, after[i].sector);
		chain(&k, 30);
	}
	s = run(&k, FILL "l1d.size=128 l1d.ways=1 l1d.sector_bytes=32");
	assert_int_equal(s.offcore, 5);
	assert_int_equal(s.l1d.misses, 5);
	assert_int_equal(s.l1d.merges, 1);
	assert_int_equal(s.l1d.hits, 1);
	assert_int_equal(s.l1d.evictions, 3);
}

/* A line that a store evicts while it is on its way does not stay; a dirty victim is written. */
static void test_fill_and_stores(void **state)
{
	struct sim_stats s;
	struct kernel k;

	(void)state;
	kernel_begin(&k, "store");
	at_once(&k, 0);
	store(&k, TR_NONE, line, 0);
	chain(&k, 30);
	at_once(&k, 0);
	s = run(&k, FILL);
	assert_int_equal(s.l1d.misses, 2);
	assert_int_equal(s.offcore, 3);

	/* Each load's line takes the room of a dirty one, whatever the miss queue holds. */
	kernel_begin(&k, "dirty");
	for (unsigned i = 0; i < 4; i++)
		access_to(&k, TR_C_STORE, TR_S_LOCAL, 4, TR_NONE, TR_NONE, strided_local, 4 * i);
	for (unsigned i = 0; i < 4; i++)
		at_once(&k, i);
	chain(&k, 60);
	for (unsigned i = 0; i < 4; i++)
		at_once(&k, i);
	s = run(&k, FILL "l1d.size=512 l1d.ways=4 l1d.store_fetch=at-read l1d.miss_queue=1");
	assert_int_equal(s.offcore, 4 + 4);
	assert_int_equal(s.l1d.hits, 4);
	assert_int_equal(s.l1d.evictions, 4);
}

/*
 * An atomic, or a store that goes past the L1D, takes its line out: what other stores have left
 * dirty in it is written first, also where its sector is still on its way.
 */
static void test_dirty_line_leaves(void **state)
{
	static const struct {
		const char *opcode;
		enum tr_class cls;
	} last[] = {{"red.global.add.u32", TR_C_ATOMIC}, {"st.volatile.global.f32", TR_C_STORE}};

	(void)state;
	for (unsigned i = 0; i < COUNT(last); i++)
		for (unsigned on_its_way = 0; on_its_way < 2; on_its_way++) {
			struct sim_stats s;
			struct kernel k;

			kernel_begin(&k, "dirty");
			at_once(&k, 0);
			if (!on_its_way)
				chain(&k, 30);
			named(&k,
				access_to(
					&k, TR_C_STORE, TR_S_GLOBAL, 4, TR_NONE, TR_NONE, line, 0),
				"st.global.f32");
			named(&k,
				access_to(
					&k, last[i].cls, TR_S_GLOBAL, 4, TR_NONE, TR_NONE, line, 0),
				last[i].opcode);
			s = run(&k, FOLLOWED "l1d.store_hit=dirties l1d.miss_queue=1");
			assert_int_equal(s.l1d.misses, 1);
			assert_int_equal(s.l1d.write_hits, 1 + (i && !on_its_way));
			assert_int_equal(s.offcore, 3);
		}
}

/* ---- words of constants ---- */

/* Lanes in turn want x words of one line. */
static uint64_t words_of_line(const struct at *a)
{
	return 4 * (a->thread % a->x);
}

static uint64_t cycles_of_constants(unsigned n, unsigned words, const char *settings)
{
	struct kernel k;
	uint32_t there;

	kernel_begin(&k, "constants");
	there = reg(&k);
	access_to(&k, TR_C_LOAD, TR_S_CONST, 4, there, TR_NONE, words_of_line, 1);
	while (n--) /* they hit */
		access_to(&k, TR_C_LOAD, TR_S_CONST, 4, reg(&k), there, words_of_line, words);
	return run(&k, settings).cycles;
}

/* A word that all lanes want takes a cycle, and so does each other one: CUDA guide, constants. */
static void test_words_of_constants(void **state)
{
	static const unsigned words[] = {1, 2, 3, 7, 16};

	(void)state;
	for (unsigned i = 0; i < COUNT(words); i++) {
		const char *const by_word = "sm.lsu_rate=4 constant.words=yes constant.line=64";
		const char *const by_line = "sm.lsu_rate=4 constant.line=64";
		const unsigned w = words[i];

		assert_int_equal(
			cycles_of_constants(10, w, by_word) - cycles_of_constants(2, w, by_word),
			8 * w);
		assert_int_equal(
			cycles_of_constants(10, w, by_line) - cycles_of_constants(2, w, by_line),
			8);
		/* The data are there when the last word has been read. */
		assert_int_equal(cycles_of_constants(1, w, by_word),
			cycles_of_constants(1, 1, by_line) + w - 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strides),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_sends),
		cmocka_unit_test(test_past),
		cmocka_unit_test(test_allocation),
		cmocka_unit_test(test_priorities),
		cmocka_unit_test(test_stores_past),
		cmocka_unit_test(test_stores_evict),
		cmocka_unit_test(test_last_use),
		cmocka_unit_test(test_fill),
		cmocka_unit_test(test_under_way),
		cmocka_unit_test(test_sector_on_its_way),
		cmocka_unit_test(test_fill_and_stores),
		cmocka_unit_test(test_dirty_line_leaves),
		cmocka_unit_test(test_words_of_constants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
