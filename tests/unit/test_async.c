/*
 * Asynchronous copies that are whole (sm.async), worked out on paper: the data of a copy write
 * shared memory when they come, by the banks that its store names, or as fast as they can where
 * nobody knows where they go; only then is the copy over. Cycles are counted as in test_replay.c: a
 * launch whose last exit issues in cycle x takes x + THROUGH. Data of an L1D that always hits are
 * there in the 21st cycle after the issue.
 */
#include "tests/unit/replay_trial.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SHARED "shared.banks=32 shared.width=32 shared.latency=6 shared.async_latency=7 "
#define HITS "l1d.part=perfect " SHARED
#define WHOLE HITS "sm.async=whole "
#define DATA 21 /* after the issue of the load */
#define ENDS 7  /* shared.async_latency */

static struct sim_stats run(const struct kernel *k, uint32_t threads, const char *settings)
{
	struct trace trace = record(k, 1, threads);
	struct sim_stats stats;
	struct trial t;

	trial_begin(&t, settings);
	trial_must_run(&t, &trace);
	stats = t.stats[0];
	stats.insts = NULL; /* the trial's */
	trial_end(&t);
	free(trace.bytes);
	return stats;
}

static uint64_t cycles_of(const struct kernel *k, const char *settings)
{
	return run(k, 32, settings).cycles;
}

static void named(struct kernel *k, uint32_t inst, const char *opcode)
{
	k->p->insts[inst].opcode = (uint32_t)tr_program_string(k->p, opcode);
}

/* Words of shared memory, x words apart. */
static uint64_t apart(const struct at *a)
{
	return a->x * 4 * a->thread;
}

/* A copy of a word a lane, as PTX has it: a load and a store. Returns its register. */
static uint32_t copy(struct kernel *k, const char *opcode, uint64_t from, uint64_t words_apart)
{
	const uint32_t r = reg(k), n = load(k, r, TR_NONE, words, from);

	named(k, n, opcode);
	k->p->insts[n].aux = TR_COPY_LOAD;
	named(k, access_to(k, TR_C_STORE, TR_S_SHARED, 4, TR_NONE, TR_NONE, apart, words_apart),
		opcode);
	return r;
}

static void commit(struct kernel *k)
{
	k->p->insts[op(k, TR_C_OTHER, TR_NONE, TR_NONE)].aux = TR_COPY_COMMIT;
}

/* Waits until no more than `groups` are under way. */
static void await(struct kernel *k, uint32_t r, uint32_t groups)
{
	k->p->insts[op(k, TR_C_OTHER, TR_NONE, r)].aux = TR_COPY_WAIT + groups;
}

#define CA "cp.async.ca.shared.global"
#define CG "cp.async.cg.shared.global"

/*
 * A copy, its commit, its wait and the exit after that. Apart it is over with the load's data;
 * whole when all its data have written shared memory: a word of each bank a cycle, or as many of
 * one bank.
 */
static void test_banks(void **state)
{
	static const struct {
		unsigned words_apart, cycles;
	} cases[] = {{1, 1}, {2, 2}, {4, 4}, {32, 32}, {0, 1}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		const unsigned more = cases[i].cycles - 1;
		struct sim_stats s;
		struct kernel k;
		uint32_t r;

		kernel_begin(&k, "banks");
		r = copy(&k, CA, 0x10000000, cases[i].words_apart);
		commit(&k);
		await(&k, r, 0);
		kernel_end(&k);
		s = run(&k, 32, HITS);
		/* The store begins in cycle 2, and the launch ends when it has ended. */
		assert_int_equal(s.cycles, more > DATA ? 2 + more + 1 : DATA + 1 + THROUGH);
		assert_int_equal(s.shared_accesses, 1);
		assert_int_equal(s.shared_conflict_cycles, more);
		s = run(&k, 32, WHOLE);
		assert_int_equal(s.cycles, DATA + more + ENDS + 1 + THROUGH);
		assert_int_equal(s.shared_accesses, 1);
		assert_int_equal(s.shared_conflict_cycles, more);
		assert_int_equal(s.warp_insts, 5);
		/* Where a warp has one instruction in flight, nobody follows copies. */
		assert_int_equal(cycles_of(&k, WHOLE "sm.one_in_flight=yes"),
			cycles_of(&k, HITS "sm.one_in_flight=yes"));
		tr_program_free(k.p);
	}
}

/* SASS: one instruction of 4, 8 or 16 bytes a lane, whose data write 128 bytes a cycle. */
static void test_ldgsts(void **state)
{
	(void)state;
	for (unsigned bytes = 4; bytes <= 16; bytes *= 2) {
		struct kernel k;
		uint32_t r, n;

		kernel_begin(&k, "ldgsts");
		r = reg(&k);
		n = access_to(&k, TR_C_LOAD, TR_S_GLOBAL, bytes, r, TR_NONE, always, 0x10000000);
		named(&k, n, "LDGSTS.E");
		k.p->insts[n].aux = TR_COPY_LOAD;
		commit(&k);
		await(&k, r, 0);
		kernel_end(&k);
		assert_int_equal(cycles_of(&k, HITS), DATA + 1 + THROUGH);
		assert_int_equal(cycles_of(&k, WHOLE), DATA + bytes / 4 - 1 + ENDS + 1 + THROUGH);
		tr_program_free(k.p);
	}
}

/*
 * Two groups whose data come one cycle after the other's, as the unit makes a transaction a cycle:
 * the first one writes 32 cycles, the second one then its one. Who waits for the first only goes on
 * before it.
 */
static void test_groups(void **state)
{
	(void)state;
	for (unsigned left = 0; left < 2; left++) {
		struct kernel k;
		uint32_t r;

		kernel_begin(&k, "groups");
		copy(&k, CA, 0x10000000, 32);
		commit(&k);
		r = copy(&k, CA, 0x20000000, 1);
		commit(&k);
		await(&k, r, left);
		kernel_end(&k);
		assert_int_equal(
			cycles_of(&k, WHOLE), DATA + 31 + (left ? 0 : 1) + ENDS + 1 + THROUGH);
		tr_program_free(k.p);
	}
}

/* A store of a whole copy is no access: it waits for no unit and takes none. */
static void test_units(void **state)
{
	struct kernel k;
	uint32_t r;

	(void)state;
	kernel_begin(&k, "units");
	copy(&k, CA, 0x10000000, 1);
	r = copy(&k, CA, 0x20000000, 1);
	commit(&k);
	await(&k, r, 0);
	kernel_end(&k);
	/* Stores in cycles 1 and 51; whole, in 1 and 3, loads in 0 and 2. */
	assert_int_equal(cycles_of(&k, HITS "interval.store=50"), 54 + THROUGH);
	assert_int_equal(cycles_of(&k, WHOLE "interval.store=50"), 2 + DATA + ENDS + 1 + THROUGH);
	/* Loads in cycles 0 and 50. */
	assert_int_equal(cycles_of(&k, WHOLE "interval.load=50"), 50 + DATA + ENDS + 1 + THROUGH);
	tr_program_free(k.p);
}

/*
 * The data's cycles of shared memory and those of a load of eight words of one bank, whose first
 * one is in the same cycle: they take turns, so the last of both is 16 cycles later.
 */
static void test_turns(void **state)
{
	struct kernel k;
	uint32_t r, s;

	(void)state;
	kernel_begin(&k, "turns");
	r = copy(&k, CA, 0x10000000, 8);
	commit(&k);
	straight(&k, 17);
	s = reg(&k);
	access_to(&k, TR_C_LOAD, TR_S_SHARED, 4, s, TR_NONE, apart, 8); /* in 20: begins in 21 */
	op(&k, TR_C_INT, reg(&k), s);
	await(&k, r, 0);
	kernel_end(&k);
	/* The data have cycles 21, 23, ... 35, the load 22 to 36, and is there six later. */
	assert_int_equal(cycles_of(&k, WHOLE), 36 + 6 + 2 + THROUGH);
	assert_int_equal(cycles_of(&k, WHOLE "shared.async_latency=1"), 36 + 6 + 2 + THROUGH);
	assert_int_equal(cycles_of(&k, WHOLE "shared.async_latency=100"), 35 + 100 + 1 + THROUGH);
	/* Apart the store is long over: the load has 21 to 28. */
	assert_int_equal(cycles_of(&k, HITS), 28 + 6 + 2 + THROUGH);
	tr_program_free(k.p);
}

/*
 * A line that is in the L1D: cp.async.ca hits, cp.async.cg asks the memory again and leaves the
 * line as it is, so that a load after it hits. Each has lines of its own, and one request.
 */
static void test_past_l1(void **state)
{
	static const char *const opcodes[] = {CA, CG};

	(void)state;
	for (unsigned past = 0; past < 2; past++) {
		struct sim_stats s[2];
		struct kernel k;
		uint32_t r, first, last;

		kernel_begin(&k, "past");
		first = reg(&k);
		load(&k, first, TR_NONE, words, 0x10000000);
		op(&k, TR_C_INT, first, first);
		r = copy(&k, opcodes[past], 0x10000000, 1);
		commit(&k);
		await(&k, r, 0);
		last = reg(&k);
		load(&k, last, TR_NONE, words, 0x10000000);
		op(&k, TR_C_INT, last, last);
		kernel_end(&k);
		s[0] = run(&k, 32, SHARED);
		s[1] = run(&k, 32, SHARED "sm.async=whole");
		assert_int_equal(s[0].mem.requests, 1);
		assert_int_equal(s[0].l1d.hits, 2);
		assert_int_equal(s[1].mem.requests, 1 + past);
		assert_int_equal(s[1].l1d.hits, 2 - past);
		assert_int_equal(s[1].l1d.misses, 1);
		/* 100 cycles of the memory and not 20 of the L1D; on the way there and back one
		 * more than a hit's. */
		assert_int_equal(s[1].cycles, s[0].cycles + ENDS + (past ? 80 + 1 : 0));
		tr_program_free(k.p);
	}
}

static uint64_t upper_half(const struct at *a)
{
	return a->thread >= 16;
}

static uint64_t from_never(const struct at *a)
{
	(void)a;
	return 0;
}

/*
 * Lanes that read nothing, all of them or some: the store then says where all lanes' zeros go, for
 * which there is no cycle where none reads. Such a load is over after latency.load, 6.
 */
static void test_nothing_read(void **state)
{
	(void)state;
	for (unsigned from = 0; from <= 32; from += 16) {
		struct kernel k;
		uint32_t r, n;

		kernel_begin(&k, "nothing");
		r = reg(&k);
		n = access_guarded(&k, TR_C_LOAD, TR_S_GLOBAL, 4, r, TR_NONE, always, 0x10000000,
			from == 32   ? from_never
			: from == 16 ? upper_half
				     : NULL);
		named(&k, n, CA);
		k.p->insts[n].aux = TR_COPY_LOAD;
		named(&k, access_to(&k, TR_C_STORE, TR_S_SHARED, 4, TR_NONE, TR_NONE, apart, 2),
			CA);
		commit(&k);
		await(&k, r, 0);
		kernel_end(&k);
		assert_int_equal(
			cycles_of(&k, WHOLE), (from == 32 ? 6 + 1 : DATA + 1 + ENDS + 1) + THROUGH);
		tr_program_free(k.p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_banks),
		cmocka_unit_test(test_ldgsts),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_past_l1),
		cmocka_unit_test(test_nothing_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
