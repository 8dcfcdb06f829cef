/*
 * ccws: its victim tags, its arithmetic (known answers 17 and 19), the thesis's figure 3.7 as a
 * script, a slow twin that counts every cycle, and the whole machine: gto where nothing is lost,
 * and the access patterns of figures 3.4 and 3.5.
 */
#include "sched_trial.h"
#include "sim/sched/vta.h"

#define MEMBERS BENCH_MEMBERS

/* ---- victim tags ---- */

struct tags {
	struct sim_vta v;
	void *bytes;
};

static void tags_open(struct tags *t, enum sim_vta_order order)
{
	t->bytes = calloc(1, sim_vta_bytes(4, 16));
	assert_non_null(t->bytes);
	sim_vta_init(&t->v, t->bytes, 4, 16, 8, LINE, order);
}

/* Line n of those that fall into set 0 of an array of two sets. */
static uint64_t even(unsigned n)
{
	return 2ull * n * LINE;
}

/* A tag stays while at most 7 later ones of its member come into its set; the 8th takes it out. */
static void test_tags_survive(void **state)
{
	struct tags t;

	(void)state;
	tags_open(&t, SIM_VTA_LRU);
	sim_vta_insert(&t.v, 1, even(0), 0);
	for (unsigned n = 1; n <= 7; n++)
		sim_vta_insert(&t.v, 1, even(n), 0);
	for (unsigned n = 0; n < 20; n++) { /* the other set, and another member */
		sim_vta_insert(&t.v, 1, even(n) + LINE, 0);
		sim_vta_insert(&t.v, 2, even(100 + n), 0);
	}
	assert_true(sim_vta_probe(&t.v, 1, even(0)));
	assert_false(sim_vta_probe(&t.v, 2, even(0)));
	sim_vta_insert(&t.v, 1, even(8), 0);
	assert_false(sim_vta_probe(&t.v, 1, even(0)));
	assert_true(sim_vta_probe(&t.v, 1, even(1)));
	sim_vta_remove(&t.v, even(1));
	assert_false(sim_vta_probe(&t.v, 1, even(1)));
	sim_vta_clear(&t.v, 1);
	for (unsigned n = 0; n < 9; n++)
		assert_false(sim_vta_probe(&t.v, 1, even(n)));
	free(t.bytes);
}

/* A line that is evicted again is the newest under LRU, and keeps its turn under FIFO. */
static void test_tags_again(void **state)
{
	(void)state;
	for (int order = SIM_VTA_LRU; order <= SIM_VTA_FIFO; order++) {
		struct tags t;

		tags_open(&t, (enum sim_vta_order)order);
		for (unsigned n = 0; n < 8; n++)
			sim_vta_insert(&t.v, 0, even(n), 0);
		sim_vta_insert(&t.v, 0, even(0), 0);
		sim_vta_insert(&t.v, 0, even(8), 0);
		assert_int_equal(sim_vta_probe(&t.v, 0, even(0)), order == SIM_VTA_LRU);
		assert_int_equal(sim_vta_probe(&t.v, 0, even(1)), order == SIM_VTA_FIFO);
		free(t.bytes);
	}
}

/* A tag says how its line went the last time, whatever the order of its set. */
static void test_tags_of_withheld(void **state)
{
	(void)state;
	for (int order = SIM_VTA_LRU; order <= SIM_VTA_FIFO; order++) {
		struct tags t;

		tags_open(&t, (enum sim_vta_order)order);
		assert_int_equal(sim_vta_probe(&t.v, 3, even(0)), SIM_VTA_NONE);
		sim_vta_insert(&t.v, 3, even(0), 1);
		sim_vta_insert(&t.v, 3, even(1), 0);
		assert_int_equal(sim_vta_probe(&t.v, 3, even(0)), SIM_VTA_LOST_WITHHELD);
		assert_int_equal(sim_vta_probe(&t.v, 3, even(1)), SIM_VTA_LOST);
		sim_vta_insert(&t.v, 3, even(0), 0);
		sim_vta_insert(&t.v, 3, even(1), 1);
		assert_int_equal(sim_vta_probe(&t.v, 3, even(0)), SIM_VTA_LOST);
		assert_int_equal(sim_vta_probe(&t.v, 3, even(1)), SIM_VTA_LOST_WITHHELD);
		free(t.bytes);
	}
}

/* A line is found also while 65536 tags, all of it, are held at once. */
static void test_many_tags(void **state)
{
	const uint32_t members = 1 << 16;
	struct sim_vta v;
	void *bytes = calloc(1, sim_vta_bytes(members, 1));

	(void)state;
	assert_non_null(bytes);
	sim_vta_init(&v, bytes, members, 1, 1, LINE, SIM_VTA_LRU);
	for (uint32_t m = 0; m < members; m++)
		sim_vta_insert(&v, m, LINE, 0);
	assert_true(sim_vta_probe(&v, 7, LINE));
	sim_vta_remove(&v, LINE);
	for (uint32_t m = 0; m < members; m++)
		assert_false(sim_vta_probe(&v, m, LINE));
	free(bytes);
}

/* ---- the scheduler by itself ---- */

enum { PLAIN, LOAD };
static struct tr_inst insts[] = {
	[PLAIN] = {.cls = TR_C_INT},
	[LOAD] = {.cls = TR_C_LOAD, .space = TR_S_GLOBAL, .bytes = 4},
};
static struct tr_program program = {.insts = insts, .ninsts = 2};

static void bench_open(struct bench *b, const char *spec, uint32_t n)
{
	const struct sim_sched_env env = {0};

	bench_start(b, spec, n, &env, &program);
}

static void issues(struct bench *b, uint32_t warp, unsigned n)
{
	while (n--)
		b->policy->issued(b->state, warp, PLAIN, b->now);
}

/* A line of the member's goes, as another one misses. */
static void goes(struct bench *b, uint32_t member, uint32_t line)
{
	const struct sim_sched_access a = {.line = 5000 * LINE,
		.warp = MEMBERS - 1,
		.member = MEMBERS - 1,
		.of = 1,
		.age = b->warps[MEMBERS - 1].age,
		.active = 32,
		.is_load = 1,
		.evicted = 1,
		.victim = line * LINE,
		.victim_member = member,
		.victim_age = b->warps[member].age};

	b->policy->access(b->state, &a, b->now);
}

static void misses(struct bench *b, uint32_t member, uint32_t line)
{
	const struct sim_sched_access a = {.line = line * LINE,
		.warp = member,
		.member = member,
		.age = b->warps[member].age,
		.of = 1,
		.active = 32,
		.is_load = 1};

	b->policy->access(b->state, &a, b->now);
}

/* The member's line goes, and it misses on it: a hit of its victim tags. */
static void loses(struct bench *b, uint32_t member)
{
	struct sim_sched_access a = {.line = (1000 + member) * LINE,
		.warp = member,
		.member = member,
		.age = b->warps[member].age,
		.of = 1,
		.active = 32,
		.is_load = 1,
		.evicted = 1,
		.victim = (1000 + member) * LINE,
		.victim_member = member,
		.victim_age = b->warps[member].age};

	b->policy->access(b->state, &a, b->now);
}

static void passes(struct bench *b, uint64_t cycles)
{
	b->policy->pass(b->state, b->now, b->now + cycles);
	b->now += cycles;
}

/* The members that may load, as a word of bits. */
static uint32_t allowed(struct bench *b)
{
	uint32_t all = 0;

	for (uint32_t m = 0; m < MEMBERS; m++)
		if (b->warps[m].state != SIM_W_FREE)
			all |= (uint32_t)b->policy->may_load(b->state, m, 0, b->now) << m;
	return all;
}

/*
 * 32 members, base 100: the cutoff is 3200. One hit in 8 instructions makes a score of 3200, which
 * lets one member load. 31 others stand on it: the last of them begins at 3200 + 30 * 100, so all
 * may load once the score is below 200; at the base it is 3100 cycles after the hit.
 */
static void test_arithmetic(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, "ccws", 32);
	issues(&b, 0, 8);
	assert_int_equal(allowed(&b), UINT32_MAX);
	loses(&b, 5);
	assert_int_equal(b.stats.vta_hits, 1);
	assert_int_equal(allowed(&b), 1u << 5);
	passes(&b, 1); /* 3199: the oldest crosses the cutoff */
	assert_int_equal(allowed(&b), 1u << 5 | 1u);
	passes(&b, 3000 - 1);
	assert_int_equal(allowed(&b), UINT32_MAX & ~(1u << 31)); /* 200 */
	passes(&b, 1);
	assert_int_equal(allowed(&b), UINT32_MAX);
	/* The score is the oldest's own again no sooner than 3100 cycles after the hit. */
	passes(&b, 98);
	issues(&b, 0, 8 * 32 * 2 - 8); /* the second hit: 8 * 2 / 512 * 3200 = 100, the base */
	loses(&b, 6);
	assert_int_equal(allowed(&b), UINT32_MAX);
	bench_close(&b);
	/* A hit never takes a member below the base under the thesis's rule. */
	bench_open(&b, "ccws", 32);
	issues(&b, 0, 100000);
	loses(&b, 5);
	assert_int_equal(allowed(&b), UINT32_MAX);
	bench_close(&b);
}

/* Equation 3.1 for some hits h and instructions i: the score lets in whoever begins below 3200. */
static void test_llds(void **state)
{
	static const struct {
		unsigned hits, insts;
	} cases[] = {{1, 10}, {1, 20}, {2, 50}, {3, 24}, {7, 100}, {1, 255}};

	(void)state;
	for (unsigned c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		const unsigned score = 8u * cases[c].hits * 3200 / cases[c].insts;
		unsigned others = 0;
		struct bench b;

		bench_open(&b, "ccws", 32);
		issues(&b, 0, cases[c].insts);
		for (unsigned h = 0; h < cases[c].hits; h++)
			loses(&b, 9);
		while (others < 31 && (score > 100 ? score : 100) + 100 * others < 3200)
			others++;
		assert_int_equal(__builtin_popcount(allowed(&b)), 1 + others);
		bench_close(&b);
	}
}

/*
 * Thesis 4.4.1: of lost locality, what comes after a member's loads were withheld inside a loop,
 * and what went while they were. Members 3 and 4 are withheld, 3 in a loop; a line of it goes
 * before, one meanwhile, and one after its next load.
 */
static void test_lost_when_withheld(void **state)
{
	const struct sim_sched *p;
	struct bench b;

	(void)state;
	bench_open(&b, "ccws", 32);
	p = b.policy;
	p->loop_begin(b.state, 3, 0, 32, b.now);
	goes(&b, 3, 1);
	goes(&b, 3, 2);
	misses(&b, 3, 1); /* not withheld so far */
	assert_int_equal(b.stats.vta_hits, 1);
	assert_int_equal(b.stats.vta_hits_descheduled, 0);
	passes(&b, 10000);
	issues(&b, 0, 8);
	loses(&b, 5);
	assert_int_equal(allowed(&b), 1u << 5);
	goes(&b, 3, 3);
	goes(&b, 4, 4);
	passes(&b, 10000);
	assert_int_equal(allowed(&b), UINT32_MAX);
	goes(&b, 3, 6); /* it may load, but has not yet */
	p->issued(b.state, 3, PLAIN, b.now);
	goes(&b, 3, 7);
	p->issued_joined(b.state, 3, LOAD, b.now); /* in a combined warp */
	goes(&b, 3, 8);
	assert_int_equal(b.stats.vta_hits, 2);
	for (uint32_t line = 2; line < 9; line++)
		misses(&b, line == 4 ? 4 : 3, line); /* line 5 it never had */
	assert_int_equal(b.stats.vta_hits, 2 + 6);
	assert_int_equal(b.stats.vta_hits_descheduled, 5);
	assert_int_equal(b.stats.vta_hits_withheld, 3);
	p->loop_end(b.state, 3, 0, 1, b.now);
	misses(&b, 3, 2);
	assert_int_equal(b.stats.vta_hits, 9);
	assert_int_equal(b.stats.vta_hits_descheduled, 5);
	/* Of several schedulers the one whose warp it is counts. */
	sim_bits_clear(&b.mine, 3);
	misses(&b, 3, 2);
	assert_int_equal(b.stats.vta_hits, 9);
	b.env.number = 1;
	sim_bits_set(&b.mine, 3);
	misses(&b, 3, 2);
	assert_int_equal(b.stats.vta_hits, 10);
	bench_close(&b);
}

/* A load that is answered when its warp has ended is none of the next warp's in the slot. */
static void test_load_of_an_ended_warp(void **state)
{
	const struct sim_sched *p;
	struct bench b;
	uint64_t age;

	(void)state;
	bench_open(&b, "ccws", 2);
	p = b.policy;
	age = b.warps[1].age;
	p->member_leave(b.state, 1);
	arrive(&b, 1, 2);
	goes(&b, 1, 7);
	b.warps[1].age = age;
	misses(&b, 1, 7);
	assert_int_equal(b.stats.vta_hits, 0);
	b.warps[1].age = 2;
	misses(&b, 1, 7);
	assert_int_equal(b.stats.vta_hits, 1);
	bench_close(&b);
}

/*
 * Where threads are regrouped a warp may load if one of its members may, and they are withheld as
 * one: warp 3 has threads of members 3 and 5.
 */
static void test_warp_of_two_members(void **state)
{
	uint16_t thread[BENCH_MEMBERS][2];
	struct bench b;

	(void)state;
	bench_open(&b, "ccws", 32);
	b.env.member = 32;
	for (uint32_t w = 0; w < BENCH_MEMBERS; w++) {
		thread[w][0] = (uint16_t)(w * 32);
		thread[w][1] = 5 * 32;
		b.warps[w].thread = thread[w];
		b.warps[w].lanes.w[0] = w == 3 ? 3 : 1;
	}
	issues(&b, 0, 8);
	loses(&b, 5);
	assert_int_equal(allowed(&b), 1u << 5 | 1u << 3);
	loses(&b, 9); /* 6400, which is below the 3200 of member 5 */
	assert_int_equal(allowed(&b), 1u << 9);
	b.policy->loop_begin(b.state, 3, 0, 32, b.now);
	b.policy->loop_begin(b.state, 5, 0, 32, b.now);
	allowed(&b);
	goes(&b, 3, 1);
	goes(&b, 5, 2);
	misses(&b, 3, 1);
	misses(&b, 5, 2);
	assert_int_equal(b.stats.vta_hits_withheld, 2);
	bench_close(&b);
}

/* Figure 3.7: four warps, the scores that rise and fall, and one that finishes. */
static void test_figure_3_7(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, "ccws", 4); /* T0: the cutoff is 400 */
	assert_int_equal(allowed(&b), 0xf);
	issues(&b, 0, 16);
	loses(&b, 2); /* T1: 8 / 16 * 400 = 200 for W2: W3 begins at the cutoff */
	assert_int_equal(allowed(&b), 0x7);
	passes(&b, 10);
	issues(&b, 0, 16); /* 2 hits in 32, then 3 in 32 */
	loses(&b, 2);
	loses(&b, 0); /* T2: W0 300, W2 200: W1 and W3 are out */
	assert_int_equal(allowed(&b), 0x5);
	passes(&b, 150); /* W0 150, W2 100: W1 begins at 250, W3 at 350 */
	assert_int_equal(allowed(&b), 0xf);
	passes(&b, 200); /* T3 */
	assert_int_equal(allowed(&b), 0xf);
	b.warps[2].state = SIM_W_FREE;
	b.policy->member_leave(b.state, 2);
	issues(&b, 0, 16);
	loses(&b, 0); /* T4: 4 hits in 48, of 300: 200, and W3 begins at 300 */
	assert_int_equal(allowed(&b), 0x3);
	bench_close(&b);
}

/* ---- a twin that counts cycle by cycle ---- */

struct twin {
	int release;
	int64_t score[MEMBERS];
	uint64_t hits[MEMBERS], insts[MEMBERS], total_hits, total_insts;
	int live[MEMBERS];
};

static int64_t twin_count(const struct twin *t)
{
	int64_t n = 0;

	for (int m = 0; m < MEMBERS; m++)
		n += t->live[m];
	return n;
}

static int64_t twin_llds(const struct twin *t)
{
	return t->total_insts ? (int64_t)(t->total_hits * 8 * (uint64_t)(twin_count(t) * 100) /
					  t->total_insts)
			      : 0;
}

static int64_t twin_clamp(const struct twin *t, int64_t score)
{
	return score <= 100 ? 100 : score > twin_llds(t) ? twin_llds(t) : score;
}

static void twin_cycle(struct twin *t)
{
	for (int m = 0; m < MEMBERS; m++)
		if (t->live[m] && t->score[m] > 100)
			t->score[m] = t->release ? twin_clamp(t, t->score[m] - 1) : t->score[m] - 1;
}

/* Allowed: what stands below, added up member by member, is less than the cutoff. */
static uint32_t twin_allowed(const struct twin *t)
{
	uint32_t all = 0;

	for (int m = 0; m < MEMBERS; m++) {
		int64_t under = 0;

		for (int o = 0; o < MEMBERS; o++)
			if (t->live[o] && (t->score[o] > t->score[m] ||
						  (t->score[o] == t->score[m] && o < m)))
				under += t->score[o];
		if (t->live[m] && under < twin_count(t) * 100)
			all |= 1u << m;
	}
	return all;
}

static void twin_access(struct twin *t, uint32_t m, int hit)
{
	t->hits[m] += (unsigned)hit;
	t->total_hits += (unsigned)hit;
	if (t->release)
		t->score[m] = twin_clamp(t, t->score[m] + (hit ? twin_llds(t) : 0));
	else if (hit)
		t->score[m] = twin_llds(t) > 100 ? twin_llds(t) : 100;
}

/* As the SM does it: steps of several cycles, but not past the one that the policy names. */
static void twin_steps(struct twin *t, struct bench *b)
{
	const uint64_t end = b->now + 1 + below(60);

	while (b->now < end) {
		const uint64_t change = b->policy->until(b->state, b->now);
		uint64_t to = end < change ? end : change, from = b->now;
		const uint32_t before = allowed(b);

		assert_true(change > b->now);
		for (uint64_t at = from; at < to; at++) {
			if (at > from) /* nobody would have been asked in between */
				assert_int_equal(twin_allowed(t), before);
			twin_cycle(t);
		}
		passes(b, to - from);
		assert_int_equal(twin_allowed(t), allowed(b));
	}
}

static void compare_twin(const char *spec, int release)
{
	struct twin t = {.release = release};
	struct bench b;

	bench_open(&b, spec, MEMBERS);
	for (int m = 0; m < MEMBERS; m++) {
		t.live[m] = 1;
		t.score[m] = release ? 0 : 100;
	}
	for (unsigned round = 0; round < 3000; round++) {
		const uint32_t m = below(MEMBERS), n = 1 + below(40);

		if (!t.live[m])
			continue;
		if (!below(300) && twin_count(&t) > 4) {
			b.warps[m].state = SIM_W_FREE;
			t.live[m] = 0;
			b.policy->member_leave(b.state, m);
			if (release) {
				t.total_hits -= t.hits[m];
				t.total_insts -= t.insts[m];
			}
			continue;
		}
		issues(&b, m, n);
		t.insts[m] += n;
		t.total_insts += n;
		if (!below(3)) {
			loses(&b, m);
			twin_access(&t, m, 1);
		} else if (!below(2)) {
			struct sim_sched_access a = {
				.member = m, .age = m, .of = 1, .is_load = 1, .hit = 1};

			b.policy->access(b.state, &a, b.now);
			twin_access(&t, m, 0);
		}
		assert_int_equal(twin_allowed(&t), allowed(&b));
		twin_steps(&t, &b);
	}
	bench_close(&b);
}

static void test_twin(void **state)
{
	(void)state;
	for (seed = 1; seed < 6; seed++) {
		const uint64_t kept = seed;

		compare_twin("ccws", 0);
		compare_twin("ccws:rule=release,policy=fifo", 1);
		seed = kept;
	}
}

/* ---- the whole machine ---- */

static uint64_t rounds(const struct at *a)
{
	return a->visit < 3 + (a->cta + a->thread / 32) % 5;
}

/* Two lines a warp that it comes back to, and one that it does not. */
static uint64_t again_or_not(const struct at *a)
{
	const uint64_t warp = a->cta * 8 + a->thread / 32;

	return a->x ? 0x40000000 + (warp * 64 + a->visit) * LINE + a->thread % 32 * 4
		    : 0x10000000 + (warp * 2 + a->thread % 2) * LINE;
}

static struct trace loops(struct kernel *k)
{
	uint32_t top, r;

	kernel_begin(k, "loops");
	r = reg(k);
	top = label(k);
	here(k, top);
	load(k, r, TR_NONE, again_or_not, 0);
	load(k, r, r, again_or_not, 1);
	straight(k, 3);
	branch(k, top, rounds, 0);
	kernel_end(k);
	return record(k, 12, 256);
}

/* Where no line is evicted no locality is lost: gto, cycle for cycle. Else it is not. */
static void test_gto_without_loss(void **state)
{
	static const char *const settings[] = {
		"sm.sms=2 l1d.size=unbounded", "sm.sms=2 l1d.size=1K"};
	struct kernel k;
	struct trace trace = loops(&k);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct sim_result with, without;
		struct trial t;

		trial_begin(&t, settings[i]);
		trial_policies(&t, "gto", "fixed:32");
		trial_must_run(&t, &trace);
		without = t.res;
		trial_policies(&t, "ccws", "fixed:32");
		trial_must_run(&t, &trace);
		with = t.res;
		if (!i) {
			assert_int_equal(with.total.sched.vta_hits, 0);
			assert_int_equal(with.hash, without.hash);
			assert_int_equal(with.total.cycles, without.total.cycles);
		} else {
			assert_true(with.total.sched.vta_hits > 0);
			assert_true(with.total.by_cycle[SIM_CY_WITHHELD] > 0);
			assert_true(
				with.total.sched.vta_hits_descheduled <= with.total.sched.vta_hits);
			assert_true(
				with.total.sched.vta_hits_withheld <= with.total.sched.vta_hits);
		}
		trial_end(&t);
	}
	free(trace.bytes);
	tr_program_free(k.p);
}

/* Four lines a warp, the same ones in both loads. */
static uint64_t four_lines(const struct at *a)
{
	return 0x10000000 + (a->thread / 32 * 4 + a->thread % 4) * LINE;
}

/*
 * Figures 3.4 and 3.5: three warps load four lines each, and then the same again, into a cache of
 * four lines. In turns they hit 0 times, one warp after the other 12 times.
 */
static void test_figures_3_4_and_3_5(void **state)
{
	static const char *const scheds[] = {"lrr", "swl:limit=1"};
	struct kernel k;
	struct trace trace;
	uint32_t r;

	(void)state;
	kernel_begin(&k, "figure");
	r = reg(&k);
	load(&k, r, TR_NONE, four_lines, 0);
	load(&k, reg(&k), r, four_lines, 1);
	kernel_end(&k);
	trace = record(&k, 1, 96);
	for (unsigned i = 0; i < 2; i++) {
		struct trial t;

		trial_begin(&t, "sm.sms=1 l1d.size=512 l1d.ways=4");
		trial_policies(&t, scheds[i], "fixed:32");
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.total.l1d.accesses, 24);
		assert_int_equal(t.res.total.l1d.hits, 12 * i);
		assert_int_equal(t.res.total.l1d.merges, 0);
		trial_end(&t);
	}
	free(trace.bytes);
	tr_program_free(k.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tags_survive),
		cmocka_unit_test(test_tags_again),
		cmocka_unit_test(test_tags_of_withheld),
		cmocka_unit_test(test_many_tags),
		cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_llds),
		cmocka_unit_test(test_lost_when_withheld),
		cmocka_unit_test(test_load_of_an_ended_warp),
		cmocka_unit_test(test_warp_of_two_members),
		cmocka_unit_test(test_figure_3_7),
		cmocka_unit_test(test_twin),
		cmocka_unit_test(test_gto_without_loss),
		cmocka_unit_test(test_figures_3_4_and_3_5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
