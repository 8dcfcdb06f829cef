/*
 * Variable warp sizing: its gang unit step by step, and programs that are worked out on paper: what
 * issues, in how many cycles, with how many fetches. Warps of 4, one block of 32 threads where
 * nothing else is said, and fetch is perfect: an instruction that issues is one that was fetched.
 */
#include "tests/unit/tangle.h"
#include "sim/warp/vws_gangs.h"
#include "tests/unit/stats_differ.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- the gang unit ---- */

/* Known answer 7: how a gang of 8 falls apart, by the PCs of its warps. */
static void test_groups(void **state)
{
	static const struct {
		uint32_t pc[SIM_SLICES], gangs, singles;
	} cases[] = {
		{{5, 5, 5, 5, 5, 5, 5, 5}, 1, 0},
		{{5, 5, 5, 9, 5, 5, 5, 5}, 1, 1},
		{{1, 1, 1, 1, 2, 2, 2, 2}, 2, 0},
		{{4, 3, 4, 3, 2, 1, 2, 1}, 4, 0},
		{{1, 1, 1, 2, 3, 2, 2, 4}, 2, 2},
		{{8, 7, 6, 5, 4, 3, 2, 1}, 0, 8},
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		uint32_t group[SIM_SLICES], gangs = 0, singles = 0, all = 0;
		const uint32_t n = sim_gang_groups(0xff, cases[i].pc, group);

		for (uint32_t g = 0; g < n; g++) {
			assert_false(all & group[g]);
			all |= group[g];
			gangs += __builtin_popcount(group[g]) > 1;
			singles += __builtin_popcount(group[g]) == 1;
			for (uint32_t m = group[g]; m; m &= m - 1)
				assert_int_equal(cases[i].pc[__builtin_ctz(m)],
					cases[i].pc[__builtin_ctz(group[g])]);
		}
		assert_int_equal(all, 0xff);
		assert_int_equal(gangs, cases[i].gangs);
		assert_int_equal(singles, cases[i].singles);
		assert_true(gangs <= SIM_GANGS_MAX);
	}
}

/* Members that have ended are of no group. */
static void test_groups_of_some(void **state)
{
	const uint32_t pc[SIM_SLICES] = {1, 2, 1, 2, 1, 2, 1, 2};
	uint32_t group[SIM_SLICES];

	(void)state;
	assert_int_equal(sim_gang_groups(0x0f, pc, group), 2);
	assert_int_equal(group[0], 0x05);
	assert_int_equal(group[1], 0x0a);
	assert_int_equal(sim_gang_groups(0x80, pc, group), 1);
	assert_int_equal(sim_gang_groups(0, pc, group), 0);
}

/* Who issues of warps that can all issue: their slots, in the order of the pick. */
struct picks {
	struct sim_warp warps[16];
	uint32_t n;
	struct sim_gang_picker picker;
	uint16_t pick[SIM_SLICES];
};

static void warp_of(struct picks *p, uint32_t slices, uint64_t age, uint32_t pc)
{
	p->warps[p->n++] = (struct sim_warp){.slices = slices, .age = age, .pc = pc};
}

static uint32_t pick(struct picks *p)
{
	struct sim_bits can;

	sim_bits_init(&can, COUNT(p->warps));
	for (uint32_t i = 0; i < p->n; i++) {
		sim_bits_set(&can, i);
		sim_gang_changed(&p->picker, &p->warps[i], i);
	}
	return sim_gang_pick(&p->picker, p->warps, &can, p->pick);
}

static void expect_picks(struct picks *p, enum sim_gang_order order, uint32_t gangs, int a, int b)
{
	sim_gang_picker_init(&p->picker, order, gangs, 8);
	assert_int_equal(pick(p), (a >= 0) + (b >= 0));
	assert_int_equal(p->pick[0], a);
	if (b >= 0)
		assert_int_equal(p->pick[1], b);
}

/* Known answer 8, and the other orders on the same gangs. */
static void test_orders(void **state)
{
	struct picks p = {.n = 0};

	(void)state;
	warp_of(&p, 0x3f, 3, 30);
	warp_of(&p, 0xc0, 2, 20);
	warp_of(&p, 0x0f, 1, 40);
	expect_picks(&p, SIM_GANG_BGTO, 2, 0, 1);
	expect_picks(&p, SIM_GANG_LGTO, 2, 1, 2);
	expect_picks(&p, SIM_GANG_GTO, 2, 2, 1); /* the oldest */
	expect_picks(&p, SIM_GANG_LPC, 2, 1, 0);
	expect_picks(&p, SIM_GANG_LRR, 2, 0, 1);
	expect_picks(&p, SIM_GANG_BGTO, 1, 0, -1);
	expect_picks(&p, SIM_GANG_LGTO, 1, 1, -1);
	expect_picks(&p, SIM_GANG_BGTO, 0, 0, 1);
	/* Greedy: the one that has issued goes before an older one of its size. */
	sim_gang_picker_init(&p.picker, SIM_GANG_GTO, 2, 8);
	sim_gang_issued(&p.picker, p.warps, 0, 7);
	assert_int_equal(pick(&p), 2);
	assert_int_equal(p.pick[0], 0);
	assert_int_equal(p.pick[1], 1);
	sim_gang_left(&p.picker, 0);
	pick(&p);
	assert_int_equal(p.pick[0], 2);
	/* Round robin goes on behind the one that was last. */
	sim_gang_picker_init(&p.picker, SIM_GANG_LRR, 2, 8);
	sim_gang_issued(&p.picker, p.warps, 0, 7);
	pick(&p);
	assert_int_equal(p.pick[0], 1);
	assert_int_equal(p.pick[1], 2);
}

/* Single warps fill the slices that gangs leave, one each: greedy, then the oldest. */
static void test_single_warps(void **state)
{
	struct picks p = {.n = 0};

	(void)state;
	warp_of(&p, 0x0c, 1, 1);
	warp_of(&p, 0x01, 9, 1);
	warp_of(&p, 0x01, 8, 1);
	warp_of(&p, 0x04, 2, 1); /* its slice has the gang */
	warp_of(&p, 0x80, 5, 1);
	sim_gang_picker_init(&p.picker, SIM_GANG_BGTO, 2, 8);
	assert_int_equal(pick(&p), 3);
	assert_int_equal(p.pick[0], 0);
	assert_int_equal(p.pick[1], 2);
	assert_int_equal(p.pick[2], 4);
	sim_gang_issued(&p.picker, p.warps, 1, 3);
	assert_int_equal(pick(&p), 3);
	assert_int_equal(p.pick[1], 1);
	/* Gangs of a warp's slices and of others: as many as may, and no slice twice. */
	p.n = 0;
	for (uint32_t i = 0; i < 4; i++)
		warp_of(&p, 3u << (2 * i), i, 1);
	for (uint32_t gangs = 1; gangs <= 4; gangs++) {
		sim_gang_picker_init(&p.picker, SIM_GANG_BGTO, gangs, 8);
		assert_int_equal(pick(&p), gangs);
	}
	sim_gang_picker_init(&p.picker, SIM_GANG_BGTO, 0, 8);
	assert_int_equal(pick(&p), 4);
}

/* Where no limit is set on issue, more gangs issue in a cycle than there are pairs of slices. */
static void test_many_gangs_in_a_cycle(void **state)
{
	struct picks p = {.n = 0};

	(void)state;
	sim_gang_picker_init(&p.picker, SIM_GANG_BGTO, 2, 8);
	warp_of(&p, 0x01, 9, 1);
	warp_of(&p, 0x01, 8, 1);
	for (uint32_t i = 0; i < 12; i++)
		warp_of(&p, 0x0c, i, 1);
	sim_gang_issued(&p.picker, p.warps, 0, 3);
	for (uint32_t i = 2; i < p.n; i++)
		sim_gang_issued(&p.picker, p.warps, i, 3);
	assert_int_equal(p.picker.nlast, SIM_GANGS_MAX);
	assert_int_equal(pick(&p), 2);
	assert_int_equal(p.pick[1], 0); /* the single warp that was greedy still is */
}

/* ---- programs ---- */

enum { CONTROL_SPLITS, MEMORY_SPLITS, MERGES, GANG_INSTS, SINGLE_INSTS, GANG_1 };

/* One launch on the plain machine, slept and stepped: every thread goes its way. */
static struct sim_stats run(
	const struct trace *trace, const char *sched, const char *warp, const char *settings)
{
	const uint64_t paths = walked_paths(trace);
	struct sim_stats slept;
	struct trial t;
	uint64_t hash;

	trial_begin(&t, "sm.lsu_queue=8");
	machine_set(&t.opt.config, settings);
	trial_policies(&t, sched, warp);
	trial_must_run(&t, trace);
	assert_int_equal(t.res.total.path_hash, paths);
	slept = t.res.total;
	hash = t.res.hash;
	t.opt.tick = 1;
	trial_must_run(&t, trace);
	assert_int_equal(t.res.total.cycles, slept.cycles);
	assert_int_equal(t.res.hash, hash);
	trial_end(&t);
	slept.insts = NULL;
	slept.policy_insts = NULL;
	return slept;
}

static struct trace finish(struct kernel *k, uint32_t ctas, uint32_t threads)
{
	kernel_end(k);
	return one_launch(k, ctas, threads);
}

/* The same in every count, but for those that only one of the policies has. */
static void same(const struct sim_stats *a, const struct sim_stats *b)
{
	const char *name = stats_differ(a, b, "policy");

	if (name)
		fail_msg("they differ in %s", name);
}

/* Known answer 1. */
static void test_convergent(void **state)
{
	const unsigned n = 20;
	struct sim_stats wide, small, gangs;
	struct kernel k;
	struct trace t;

	(void)state;
	kernel_begin(&k, "convergent");
	straight(&k, n - 1);
	t = finish(&k, 1, 32);
	wide = run(&t, "gto", "fixed:32", "");
	small = run(&t, "gto", "fixed:4", "sm.schedulers=8");
	gangs = run(&t, "gto", "vws", "");
	same(&gangs, &wide);
	assert_int_equal(gangs.fetches, n);
	assert_int_equal(small.fetches, 8 * n);
	assert_int_equal(gangs.policy[GANG_1 + 7], 8 * gangs.cycles - 8);
	free(t.bytes);
}

/* a instructions with a branch; b on one side, c on the other; d where they meet, with the exit. */
static struct trace of_ctas(
	unsigned a, unsigned b, unsigned c, unsigned d, record_fn side, uint64_t x, uint32_t ctas)
{
	struct kernel k;
	uint32_t other, end;

	kernel_begin(&k, "two sides");
	other = label(&k);
	end = label(&k);
	straight(&k, a - 1);
	branch(&k, other, side, x);
	straight(&k, b - 1);
	jump(&k, end);
	here(&k, other);
	straight(&k, c);
	here(&k, end);
	straight(&k, d - 1);
	return finish(&k, ctas, 32);
}

static struct trace two_sides(
	unsigned a, unsigned b, unsigned c, unsigned d, record_fn side, uint64_t x)
{
	return of_ctas(a, b, c, d, side, x, 1);
}

/* Known answer 2: two gangs of disjoint slices issue in one cycle. */
static void test_two_sides(void **state)
{
	static const unsigned lengths[][4] = {{5, 8, 8, 6}, {3, 4, 9, 7}, {2, 12, 3, 10}};

	(void)state;
	for (unsigned i = 0; i < COUNT(lengths); i++) {
		const unsigned a = lengths[i][0], b = lengths[i][1], c = lengths[i][2],
			       d = lengths[i][3], longer = b > c ? b : c;
		struct trace t = two_sides(a, b, c, d, from_thread, 16);
		const struct sim_stats wide = run(&t, "gto", "fixed:32", "");
		const struct sim_stats plain = run(&t, "gto", "ivws", "");
		const struct sim_stats elastic = run(&t, "gto", "evws", "");

		assert_int_equal(wide.warp_insts, a + b + c + d);
		assert_int_equal(plain.cycles, a + longer + d - 1 + THROUGH);
		assert_int_equal(plain.fetches, a + b + c + 2 * d);
		assert_int_equal(plain.policy[CONTROL_SPLITS], 1);
		assert_int_equal(plain.policy[SINGLE_INSTS], 0);
		if (b == c) { /* merged in the cycle in which both come */
			assert_int_equal(elastic.cycles, plain.cycles);
			assert_int_equal(elastic.fetches, a + b + c + d);
			assert_int_equal(elastic.policy[MERGES], 1);
		}
		free(t.bytes);
	}
}

static uint64_t of_first_cta(const struct at *a)
{
	return a->cta == 0 && a->thread >= a->x;
}

/*
 * 6.2.5: the original gangs have their turns, also those that are whole. With two of them every
 * second piece that comes to another is alone for an instruction.
 */
static void test_turns(void **state)
{
	const unsigned b = 8, d = 30;
	unsigned at_once = 0, later = 0;

	(void)state;
	for (unsigned a = 4; a < 12; a++) {
		struct trace t, one = two_sides(a, b, b, d, of_first_cta, 16);
		const struct sim_stats alone = run(&one, "gto", "evws:order=lgto", "");
		struct sim_stats two;

		assert_int_equal(alone.fetches, a + 2 * b + d);
		free(one.bytes);
		t = of_ctas(a, b, b, d, of_first_cta, 16, 2);
		two = run(&t, "gto", "evws:order=lgto", "");
		assert_int_equal(two.policy[MERGES], 1);
		at_once += two.fetches == 2 * a + 3 * b + 2 * d;
		later += two.fetches == 2 * a + 3 * b + 2 * d + 1;
		free(t.bytes);
	}
	assert_int_equal(at_once + later, 8);
	assert_true(at_once && later);
}

static uint64_t odd_thread(const struct at *a)
{
	return a->thread % 2;
}

/* Known answer 3: what parts the lanes of every warp alike splits nothing. */
static void test_parity(void **state)
{
	struct trace t = two_sides(4, 7, 9, 5, odd_thread, 0);
	const struct sim_stats wide = run(&t, "gto", "fixed:32", "");
	const struct sim_stats gangs = run(&t, "gto", "vws", "");

	(void)state;
	same(&gangs, &wide);
	assert_int_equal(gangs.policy[CONTROL_SPLITS], 0);
	free(t.bytes);
}

static uint64_t by_warps(const struct at *a)
{
	return a->thread / a->x;
}

/* Each of `ways` sets of threads has n instructions of its own. */
static struct trace many_sides(uint32_t ways, unsigned n)
{
	struct tr_inst table = {
		.cls = TR_C_BRANCH, .guard = TR_NONE, .base = TR_NONE, .flags = TR_I_INDEXED};
	struct kernel k;
	uint32_t succ[8], end, at;

	kernel_begin(&k, "many sides");
	end = label(&k);
	for (uint32_t i = 0; i < ways; i++)
		succ[i] = 1 + i * n;
	at = emit(&k, table, TR_NONE, reg(&k), succ, ways);
	k.outcome[at] = by_warps;
	k.x[at] = 32 / ways;
	for (uint32_t i = 0; i < ways; i++) {
		straight(&k, n - 1);
		jump(&k, end);
	}
	here(&k, end);
	return finish(&k, 1, 32);
}

/* What one more instruction on each side costs: cycles and fetches, in 20 of them. */
static void expect_each(
	uint32_t ways, const char *warp, const char *settings, unsigned cycles, unsigned fetches)
{
	struct trace few = many_sides(ways, 20), many = many_sides(ways, 40);
	const struct sim_stats a = run(&few, "gto", warp, settings);
	const struct sim_stats b = run(&many, "gto", warp, settings);

	assert_int_equal(b.cycles - a.cycles, 20 * cycles);
	assert_int_equal(b.fetches - a.fetches, 20 * fetches);
	free(few.bytes);
	free(many.bytes);
}

/* Known answer 4: eight warps go eight ways. */
static void test_eight_sides(void **state)
{
	(void)state;
	expect_each(8, "fixed:32", "", 8, 8);
	expect_each(8, "vws", "", 1, 8);
	expect_each(8, "vws", "sm.fetch_ports=8", 1, 8);
	expect_each(8, "vws", "sm.fetch_ports=2", 4, 8);
	expect_each(8, "vws", "sm.fetch_ports=1", 8, 8);
	expect_each(8, "fixed:4", "sm.schedulers=8", 1, 8);
}

/*
 * What one more instruction on each side costs a machine of one fetch port and L0-Is of lines of
 * four instructions, whose slices have each a warp: the gangs' scheduler asks none of them, a
 * single warp's slice asks its own, and the L1-I for one instruction of a line.
 */
static void test_fetchers(void **state)
{
	static const struct {
		uint32_t ways, hits;
	} cases[] = {{1, 0}, {2, 0}, {4, 0}, {8, 3}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		const uint32_t ways = cases[i].ways, hits = ways * cases[i].hits * 20 / 4;
		struct trace few = many_sides(ways, 20), many = many_sides(ways, 40);
		const char *machine = "sm.fetch_ports=1 sm.l0i_bytes=1024";
		const struct sim_stats a = run(&few, "gto", "vws", machine);
		const struct sim_stats b = run(&many, "gto", "vws", machine);

		assert_int_equal(b.l0_hits - a.l0_hits, hits);
		assert_int_equal(b.fetches - a.fetches, 20 * ways - hits);
		free(few.bytes);
		free(many.bytes);
	}
}

/* Known answer 5: four gangs of two. */
static void test_four_gangs(void **state)
{
	(void)state;
	expect_each(4, "vws:gangs=1", "", 4, 4);
	expect_each(4, "vws:gangs=2", "", 2, 4);
	expect_each(4, "vws:gangs=3", "", 2, 4);
	expect_each(4, "vws:gangs=0", "", 1, 4);
	expect_each(4, "vws:size=8", "", 1, 4);
}

/* ---- memory splits ---- */

static uint64_t half_here(const struct at *a)
{
	return a->thread < 16 ? 0x1000 : 0x2000;
}

/* Warps 0 to 3 find their line in the L1D, 4 to 7 do not; then n instructions, the first waits. */
static struct trace half_hits(unsigned n)
{
	struct kernel k;
	uint32_t r;

	kernel_begin(&k, "half hits");
	r = reg(&k);
	load(&k, r, TR_NONE, always, 0x1000);
	op(&k, TR_C_INT, reg(&k), r);
	load(&k, r, TR_NONE, half_here, 0);
	op(&k, TR_C_INT, reg(&k), r);
	straight(&k, n - 2);
	return finish(&k, 1, 32);
}

/*
 * Known answer 6: one split event, into two gangs of four or eight single warps. Those with data go
 * on when these are there, and the rest as the whole gang would have.
 */
static void test_memory_splits(void **state)
{
	const unsigned n = 30, hit = 20, miss = 100;
	struct trace t = half_hits(n);
	const struct sim_stats wide = run(&t, "gto", "fixed:32", "");
	const struct sim_stats none = run(&t, "gto", "ivws", "");
	const struct sim_stats group = run(&t, "gto", "ivws-groupmem", "");
	const struct sim_stats impatient = run(&t, "gto", "ivws-impatientmem", "");

	(void)state;
	same(&none, &wide);
	assert_int_equal(group.policy[MEMORY_SPLITS], 1);
	assert_int_equal(group.warp_insts, wide.warp_insts + n);
	assert_int_equal(group.cycles, wide.cycles);
	/* The first half is through n cycles after its data: then half the warps are left. */
	assert_int_equal(group.policy[GANG_1 + 3], 4 * (group.policy[GANG_1 + 3] / 4));
	assert_in_range(group.policy[GANG_1 + 3], 4 * (2 * n + miss - hit),
		4 * (2 * n + miss - hit + 2 * THROUGH));
	assert_int_equal(group.policy[GANG_1], 0);
	assert_int_equal(impatient.policy[MEMORY_SPLITS], 1);
	assert_int_equal(impatient.warp_insts, wide.warp_insts + 7 * n);
	assert_int_equal(impatient.cycles, wide.cycles);
	assert_int_equal(impatient.policy[GANG_1], group.policy[GANG_1 + 3]);
	assert_int_equal(impatient.policy[GANG_1 + 3], 0);
	free(t.bytes);
}

/* The last of a gang's warps ends before its load is there; the others read theirs, and go on. */
static void test_one_ends_early(void **state)
{
	static const char *const warps[] = {"ivws", "evws", "ivws-groupmem", "evws-impatientmem"};
	struct kernel k;
	struct trace t;
	uint32_t r;

	(void)state;
	kernel_begin(&k, "one ends early");
	r = reg(&k);
	load(&k, r, TR_NONE, words, 0x10000);
	leave_if(&k, from_thread, 28);
	op(&k, TR_C_INT, reg(&k), r);
	t = finish(&k, 1, 32);
	for (unsigned i = 0; i < COUNT(warps); i++)
		assert_int_equal(
			run(&t, "gto", warps[i], "").cycles, run(&t, "gto", "fixed:32", "").cycles);
	free(t.bytes);
}

/* Rule 9: what slices ask in one cycle is one access, whatever their PCs; of one kind. */
static void test_one_access(void **state)
{
	struct kernel k;
	uint32_t other, end;
	struct trace t;
	struct sim_stats gangs;

	(void)state;
	kernel_begin(&k, "one access");
	other = label(&k);
	end = label(&k);
	branch(&k, other, from_thread, 16);
	load(&k, reg(&k), TR_NONE, words, 0x10000);
	store(&k, TR_NONE, words, 0x20000);
	jump(&k, end);
	here(&k, other);
	load(&k, reg(&k), TR_NONE, words, 0x10000);
	load(&k, reg(&k), TR_NONE, words, 0x30000);
	here(&k, end);
	t = finish(&k, 1, 32);
	gangs = run(&t, "gto", "vws", "");
	/* The loads of both sides are of one line, and one access; then a store beside a load. */
	assert_int_equal(gangs.mem_insts, 3);
	assert_int_equal(gangs.l1d.accesses, 2);
	assert_int_equal(gangs.l1d.writes, 1);
	free(t.bytes);
}

/* ---- identities ---- */

static uint64_t coin(const struct at *a)
{
	return mixed(mixed(a->cta * 1024ull + a->thread) + a->visit * 977 + a->x) % 100 < a->x;
}

static uint64_t rounds(const struct at *a)
{
	return a->visit < 2 + mixed(a->thread + a->x) % 4;
}

static uint64_t scattered(const struct at *a)
{
	return 0x100000 + mixed(a->cta * 1024ull + a->thread + 31 * a->visit + a->x) % 4096 * 32;
}

static uint64_t goes_twice(const struct at *a)
{
	return a->visit < 2;
}

/* Divergence, loops, exits, barriers, every kind of access; or all of it but the divergence. */
static struct trace busy(int diverges, uint32_t ctas, uint32_t threads)
{
	struct kernel k;
	uint32_t top, skip, out, r, q;

	kernel_begin(&k, "busy");
	r = reg(&k);
	q = reg(&k);
	top = label(&k);
	skip = label(&k);
	out = label(&k);
	access_to(&k, TR_C_LOAD, TR_S_PARAM, 8, reg(&k), TR_NONE, always, 8);
	if (diverges)
		leave_if(&k, coin, 4);
	here(&k, top);
	load(&k, r, r, words, 0x40000);
	load(&k, q, TR_NONE, scattered, 3);
	op(&k, TR_C_SFU, r, r);
	branch(&k, skip, diverges ? coin : always, diverges ? 40 : 0);
	op(&k, TR_C_FP64, r, r);
	access_to(&k, TR_C_STORE, TR_S_LOCAL, 8, TR_NONE, r, strided_local, 16);
	access_to(&k, TR_C_ATOMIC, TR_S_GLOBAL, 4, r, TR_NONE, words, 0x800);
	here(&k, skip);
	access_to(&k, TR_C_LOAD, TR_S_SHARED, 4, r, TR_NONE, strided, 3);
	access_to(&k, TR_C_LOAD, TR_S_TEXTURE, 4, r, r, words, 0x30000);
	access_to(&k, TR_C_LOAD, TR_S_TEXTURE, 4, reg(&k), TR_NONE, scattered, 9);
	store(&k, q, words, 0x40000);
	branch(&k, out, diverges ? coin : always, diverges ? 7 : 0);
	branch(&k, top, diverges ? rounds : goes_twice, 0);
	here(&k, out);
	barrier(&k, 0, 0, 0);
	chain(&k, 3);
	if (diverges)
		leave_if(&k, coin, 50);
	chain(&k, 3);
	return finish(&k, ctas, threads);
}

#define REAL "memory.part=real sm.fetch_latency=2 "
static const char *const machines[] = {"", REAL "sm.sms=2",
	REAL "sm.one_in_flight=yes sm.simd_width=8 sm.one_pipeline=yes",
	REAL "l1d.size=2K l1d.mshrs=4", REAL "interval.sfu=4 sm.lsu_queue=1 l1d.sector_bytes=32"};

/* Warps of the gang's width are fixed ones. */
static void test_widest_is_fixed(void **state)
{
	(void)state;
	for (unsigned d = 0; d < 2; d++) {
		struct trace t = busy((int)d, 4, 208);

		for (unsigned m = 0; m < COUNT(machines); m++) {
			const struct sim_stats wide = run(&t, "gto", "fixed:32", machines[m]);
			const struct sim_stats one = run(&t, "gto", "vws:size=32", machines[m]);

			same(&one, &wide);
		}
		free(t.bytes);
	}
}

/* Without divergence gangs stay whole, and are wide warps. */
static void test_no_divergence(void **state)
{
	static const char *const alike[] = {"vws", "vws:size=8", "vws:size=16", "vws:gangs=1",
		"vws:gangs=0", "evws", "evws:sync=10", "vws:order=gto", "ivws"};
	struct trace t = busy(0, 4, 224);

	(void)state;
	for (unsigned m = 0; m < COUNT(machines); m++) {
		const struct sim_stats wide = run(&t, "gto", "fixed:32", machines[m]);
		const struct sim_stats rounds = run(&t, "lrr", "fixed:32", machines[m]);
		const struct sim_stats oldest = run(&t, "oldest", "fixed:32", machines[m]);
		struct sim_stats gangs;

		for (unsigned i = 0; i < COUNT(alike); i++) {
			gangs = run(&t, "gto", alike[i], machines[m]);
			same(&gangs, &wide);
			assert_int_equal(gangs.policy[CONTROL_SPLITS], 0);
		}
		gangs = run(&t, "gto", "vws:order=lrr", machines[m]);
		same(&gangs, &rounds);
		gangs = run(&t, "gto", "vws:order=lgto", machines[m]);
		same(&gangs, &oldest); /* of gangs of one size, whichever was last */
	}
	free(t.bytes);
}

/* At most four gangs fit; no wait is no wait; and the presets are what they say. */
static void test_alike(void **state)
{
	static const char *const pairs[][2] = {{"vws:gangs=0", "vws:gangs=4"},
		{"vws:reform=1,gangs=0", "vws:reform=1,gangs=4"},
		{"vws:reform=1,sync=9,order=slice", "vws:order=slice"},
		{"evws:sync=0", "vws:reform=1"}, {"ivws", "vws"}, {"vws:sync=50", "vws"},
		{"evws-impatientmem", "vws:reform=1,mem=impatient"},
		{"ivws-groupmem", "vws:mem=group"}, {"ivws-impatientmem", "vws:mem=impatient"}};
	struct trace t = busy(1, 4, 208);

	(void)state;
	for (unsigned m = 0; m < COUNT(machines); m++)
		for (unsigned i = 0; i < COUNT(pairs); i++) {
			const struct sim_stats a = run(&t, "gto", pairs[i][0], machines[m]);
			const struct sim_stats b = run(&t, "gto", pairs[i][1], machines[m]);

			same(&a, &b);
			assert_memory_equal(a.policy, b.policy, sizeof(a.policy));
		}
	free(t.bytes);
}

/* Slices by themselves are warps of 4 with a scheduler each: where no access is put together. */
static void test_slice_only(void **state)
{
	uint64_t rng = 12345;

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		struct kernel k;
		struct trace t;
		struct sim_stats a, b;

		tangle(&k, &rng);
		t = one_launch(&k, 3, 128);
		a = run(&t, "gto", "vws:order=slice", "");
		b = run(&t, "gto", "fixed:4", "sm.schedulers=8");
		assert_int_equal(a.cycles, b.cycles);
		assert_int_equal(a.warp_insts, b.warp_insts);
		assert_int_equal(a.active_lanes, b.active_lanes);
		assert_int_equal(a.issue_cycles, b.issue_cycles);
		free(t.bytes);
	}
}

static const char *const variants[] = {"vws", "vws:size=8", "vws:gangs=1,order=gto",
	"vws:order=lrr", "vws:order=lpc", "vws:order=lgto", "vws:order=slice", "evws",
	"evws:sync=10", "evws:sync=100,size=8", "evws-impatientmem", "ivws-groupmem",
	"ivws-impatientmem", "evws:mem=group,gangs=0", "evws:mem=impatient,order=lrr,sync=20"};

/* All of them, slept and stepped, with and without fetch: the same work, and warps add up. */
static void test_variants(void **state)
{
	static const char *const fetch[] = {
		"", " sm.fetch_ports=2 sm.l0i_bytes=256", " sm.fetch_ports=1 sm.fetch_buffer=1"};
	struct trace t = busy(1, 4, 208);
	const struct sim_stats wide = run(&t, "gto", "fixed:32", "");

	(void)state;
	for (unsigned i = 0; i < COUNT(variants) * COUNT(machines); i++) {
		const char *warp = variants[i % COUNT(variants)];
		struct sim_stats gangs;
		char settings[256];

		snprintf(settings, sizeof(settings), "%s%s", machines[i % COUNT(machines)],
			fetch[i % COUNT(fetch)]);
		gangs = run(&t, "gto", warp, settings);
		assert_int_equal(gangs.thread_insts, wide.thread_insts);
		assert_int_equal(
			gangs.policy[GANG_INSTS] + gangs.policy[SINGLE_INSTS], gangs.warp_insts);
		if (!(i % COUNT(fetch)))
			assert_int_equal(gangs.fetches, gangs.warp_insts);
		else if (!gangs.policy[MEMORY_SPLITS]) /* what is decoded is split with the gang */
			assert_true(gangs.fetches + gangs.l0_hits >= gangs.warp_insts);
	}
	free(t.bytes);
}

static void test_tangles(void **state)
{
	uint64_t rng = 99;

	(void)state;
	for (unsigned i = 0; i < 8 * COUNT(variants); i++) {
		struct kernel k;
		struct trace t;

		tangle(&k, &rng);
		t = one_launch(&k, 3, 32 + i % 90);
		run(&t, "gto", variants[i % COUNT(variants)], machines[i % COUNT(machines)]);
		free(t.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_groups_of_some),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_single_warps),
		cmocka_unit_test(test_many_gangs_in_a_cycle),
		cmocka_unit_test(test_convergent),
		cmocka_unit_test(test_two_sides),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_parity),
		cmocka_unit_test(test_eight_sides),
		cmocka_unit_test(test_fetchers),
		cmocka_unit_test(test_four_gangs),
		cmocka_unit_test(test_memory_splits),
		cmocka_unit_test(test_one_ends_early),
		cmocka_unit_test(test_one_access),
		cmocka_unit_test(test_widest_is_fixed),
		cmocka_unit_test(test_no_divergence),
		cmocka_unit_test(test_alike),
		cmocka_unit_test(test_slice_only),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_tangles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
