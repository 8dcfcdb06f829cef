/*
 * Schedulers with warp policies: whose an access is where threads change warps, which members a
 * warp has, what limits and fetch groups count, and that every pair of them comes to its end.
 */
#include "replay_trial.h"

#define LINE 128
#define THREADS 64

/* ---- who is told of what ---- */

static struct {
	const struct sim_sched_env *env;
	const struct tr_program *program;
	uint32_t lanes;          /* threads of a member */
	uint32_t accesses, hits; /* told of */
	uint32_t others;         /* of these, by a warp that does not bear the member's number */
	uint32_t most;           /* members of a warp that is about to load, at most */
	uint32_t led, joined;    /* threads of loads that issued, and that joined others */
} seen;

static void spy_start(void *s, const struct sim_sched_env *env, const int64_t *params)
{
	(void)s;
	(void)params;
	seen.env = env;
}

static void spy_launch(void *s, const struct tr_program *program)
{
	(void)s;
	seen.program = program;
}

static void spy_issued(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	(void)s;
	(void)now;
	if (seen.program->insts[inst].cls == TR_C_LOAD)
		seen.led += seen.env->warps[warp].active;
}

static void spy_issued_joined(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	(void)s;
	(void)now;
	if (seen.program->insts[inst].cls == TR_C_LOAD)
		seen.joined += seen.env->warps[warp].active;
}

static uint32_t spy_pick(void *s, const struct sim_bits *ready, uint64_t now)
{
	(void)s;
	(void)now;
	return sim_bits_next(ready, 0);
}

static int spy_may_load(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	uint16_t list[TR_LANES_MAX];
	const uint32_t n = sim_members(seen.env, warp, list);

	(void)s;
	(void)inst;
	(void)now;
	assert_true(n > 0);
	for (uint32_t i = 1; i < n; i++)
		assert_true(list[i - 1] < list[i]);
	if (n > seen.most)
		seen.most = n;
	return 1;
}

/* A line has a thread of its own, whose member is that which the launch put it in. */
static void spy_access(void *s, const struct sim_sched_access *a, uint64_t now)
{
	const uint32_t thread = (uint32_t)(a->line / LINE % THREADS);

	(void)s;
	(void)now;
	assert_int_equal(a->member, thread / seen.lanes);
	seen.accesses++;
	seen.others += a->warp != a->member;
	if (!a->hit)
		return;
	seen.hits++;
	assert_int_equal(a->owner, a->member);
}

static const struct sim_sched spy = {
	.name = "spy",
	.help = "looks who is named",
	.start = spy_start,
	.launch = spy_launch,
	.pick = spy_pick,
	.may_load = spy_may_load,
	.issued = spy_issued,
	.issued_joined = spy_issued_joined,
	.access = spy_access,
};

static uint64_t own_line(const struct at *a)
{
	return 0x10000000 + a->thread * LINE;
}

/* The lower half of the first warp and the upper half of the second one: together they fill one. */
static uint64_t halves(const struct at *a)
{
	return (a->thread % 32 < 16) == (a->thread < 32);
}

/* Each thread loads its line before a branch, on either way, and after it. */
static struct trace crossing(struct kernel *k)
{
	struct stage s = {.kernel = k, .ctas = 1, .threads = THREADS};
	uint32_t taken, join, r;

	kernel_begin(k, "crossing");
	taken = label(k);
	join = label(k);
	r = reg(k);
	load(k, r, TR_NONE, own_line, 0);
	op(k, TR_C_INT, r, r);
	branch(k, taken, halves, 0);
	load(k, r, r, own_line, 0);
	jump(k, join);
	here(k, taken);
	load(k, r, r, own_line, 0);
	here(k, join);
	load(k, r, r, own_line, 0);
	kernel_end(k);
	return record_stages(&s, 1);
}

/*
 * Of dwr's eight sub-warps one leads the first load. Those of the first half to come to their way
 * combine again, the others' load goes into the ignore list with the first of them, and that after
 * the join when three pass by there.
 */
static void test_whose_access(void **state)
{
	static const struct {
		const char *warp;
		uint32_t lanes; /* of a member */
		int follows;    /* threads change warps */
		uint32_t most;  /* members of one; in dwf's pool the halves pass each other by */
		uint32_t led;   /* threads of loads that issue, but those that join */
	} cases[] = {{"fixed:32", 32, 0, 1, 192}, {"fixed:16", 16, 0, 1, 192},
		{"dwr:max=64", 8, 0, 1, 8 + 40 + 64}, {"mimd", 1, 0, 1, 0}, {"tbc", 32, 1, 2, 192},
		{"dwf", 32, 1, 1, 192}};
	struct kernel k;
	struct trace trace = crossing(&k);

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct trial t;

		trial_begin(&t, "sm.simd_width=8");
		trial_policies(&t, "gto", cases[i].warp);
		t.opt.sched = &spy;
		memset(&seen, 0, sizeof(seen));
		seen.lanes = cases[i].lanes;
		trial_must_run(&t, &trace);
		assert_int_equal(seen.accesses, 3 * THREADS);
		assert_int_equal(seen.hits, 2 * THREADS);
		assert_int_equal(seen.most, cases[i].most);
		assert_int_equal(seen.others > 0, cases[i].follows);
		assert_int_equal(seen.led, cases[i].led);
		assert_int_equal(seen.joined, cases[i].led ? 3 * THREADS - cases[i].led : 0);
		assert_int_equal(t.res.total.l1d.intra_thread_hits, 2 * THREADS);
		trial_end(&t);
	}
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- what limits and groups count ---- */

static uint64_t cycles_of(
	const struct trace *trace, const char *settings, const char *sched, const char *warp)
{
	struct trial t;
	uint64_t cycles;

	trial_begin(&t, settings);
	trial_policies(&t, sched, warp);
	trial_must_run(&t, trace);
	cycles = t.res.total.cycles;
	trial_end(&t);
	return cycles;
}

/* A limit of one warp is one sub-warp under dwr: each waits for all of the one before. */
static void test_limit_counts_warps(void **state)
{
	struct kernel k;
	struct trace trace;
	struct stage s = {.kernel = &k, .ctas = 1, .threads = 32};

	(void)state;
	kernel_begin(&k, "chain");
	chain(&k, 50);
	kernel_end(&k);
	trace = record_stages(&s, 1);
	assert_int_equal(cycles_of(&trace, "sm.simd_width=8", "swl:limit=1", "fixed:32"),
		cycles_of(&trace, "sm.simd_width=8", "gto", "fixed:32"));
	assert_int_equal(cycles_of(&trace, "sm.simd_width=8", "swl:limit=4", "dwr"),
		cycles_of(&trace, "sm.simd_width=8", "gto", "dwr"));
	assert_true(cycles_of(&trace, "sm.simd_width=8", "swl:limit=1", "dwr") >
		    3 * cycles_of(&trace, "sm.simd_width=8", "swl:limit=4", "dwr"));
	free(trace.bytes);
	tr_program_free(k.p);
}

static uint64_t some_trips(const struct at *a)
{
	return a->visit < (a->cta + a->thread * 7) % 5;
}

static uint64_t shared_lines(const struct at *a)
{
	return 0x10000000 + (a->cta * 64 + a->thread % 16 * 4 + a->visit) * LINE;
}

/* Loops of different lengths around loads that come again, and a barrier after them. */
static struct trace walks(struct kernel *k)
{
	struct stage s = {.kernel = k, .ctas = 6, .threads = 128};
	uint32_t top, r;

	kernel_begin(k, "walks");
	r = reg(k);
	top = label(k);
	here(k, top);
	load(k, r, TR_NONE, shared_lines, 0);
	load(k, r, r, shared_lines, 1);
	branch(k, top, some_trips, 0);
	barrier(k, 0, 0, 0);
	load(k, r, r, shared_lines, 0);
	kernel_end(k);
	return record_stages(&s, 1);
}

#define SMALL "sm.simd_width=8 l1d.size=1K"

/* Room for all is no limit, and one group is none, whatever the warps are. */
static void test_room_for_all(void **state)
{
	static const char *const warps[] = {"fixed:32", "tbc", "dwr"};
	struct kernel k;
	struct trace trace = walks(&k);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t gto = cycles_of(&trace, SMALL, "gto", warps[i]);

		assert_int_equal(cycles_of(&trace, SMALL, "swl:limit=256", warps[i]), gto);
		assert_int_equal(
			cycles_of(&trace, SMALL, "2lvl:group=256,inside=gto", warps[i]), gto);
	}
	free(trace.bytes);
	tr_program_free(k.p);
}

/* A policy that picks for itself, or has all of them issue, leaves a scheduler's order no say. */
static void test_no_order(void **state)
{
	static const char *const scheds[] = {"lrr", "swl:limit=1", "2lvl:group=1"};
	static const char *const warps[] = {"dwf", "dwf:wb=1", "mimd"};
	struct kernel k;
	struct trace trace = walks(&k);

	(void)state;
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(cycles_of(&trace, SMALL, scheds[i % 3], warps[i / 3]),
			cycles_of(&trace, SMALL, "gto", warps[i / 3]));
	free(trace.bytes);
	tr_program_free(k.p);
}

/* Every thread executes its own record under every pair, also where most are kept back. */
static void test_every_pair(void **state)
{
	static const char *const settings[] = {SMALL, SMALL " sm.schedulers=2"};
	static const char *const scheds[] = {"ccws", "ccws:k=16", "ccws:rule=release,k=1", "daws",
		"daws:assoc=10,flow=0", "swl:limit=1", "swl:limit=2,rule=release", "2lvl",
		"2lvl-gto"};
	static const char *const warps[] = {"fixed:32", "tbc", "dwr", "dwr:max=32", "dwf",
		"dwf:wb=1", "mimd", "dualpath", "lwm", "null"};
	struct kernel k;
	struct trace trace = walks(&k);

	(void)state;
	for (unsigned c = 0; c < 2; c++)
		for (unsigned i = 0; i < sizeof(scheds) / sizeof(*scheds); i++)
			for (unsigned j = 0; j < sizeof(warps) / sizeof(*warps); j++)
				cycles_of(&trace, settings[c], scheds[i], warps[j]);
	free(trace.bytes);
	tr_program_free(k.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whose_access),
		cmocka_unit_test(test_limit_counts_warps),
		cmocka_unit_test(test_room_for_all),
		cmocka_unit_test(test_no_order),
		cmocka_unit_test(test_every_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
