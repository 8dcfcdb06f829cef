/*
 * daws: static load classification by what a sampling warp does and by a profile, footprints and
 * equation 4.1, inner loops, warps outside of loops and at barriers, a slow twin of the sum, the
 * thesis's figure 4.1, and the whole machine: which warps are in which loops, and flow=0.
 */
#include "replay_trial.h"
#include "sim/sched/classify.h"

#define LINE 128
#define MEMBERS 12
#define LANES 32

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

/* ---- the classifier by itself ---- */

static struct sim_sched_env plain_env = {.line_bytes = LINE, .warp_size = LANES};

/* A loop of n loads, and nothing else. */
struct subject {
	struct kernel k;
	uint32_t n;
	struct sim_classifier c;
	struct sim_repetition entries[64];
};

static void make_loop(struct kernel *k, uint32_t n)
{
	uint32_t top;

	kernel_begin(k, "loop");
	straight(k, 1);
	top = label(k);
	here(k, top);
	for (uint32_t i = 0; i < n; i++)
		load(k, reg(k), TR_NONE, always, 0);
	branch(k, top, always, 0);
	kernel_end(k);
	assert_int_equal(k->p->nloops, 1);
}

static void subject_launch(struct subject *s, const struct sim_sched_profile *profile)
{
	plain_env.profile = profile;
	memset(&s->c, 0, sizeof(s->c));
	sim_classifier_init(&s->c, s->entries, 64, 8, &plain_env);
	sim_classifier_launch(&s->c, s->k.p);
	plain_env.profile = NULL;
}

static void subject_open(struct subject *s, uint32_t n)
{
	s->n = n;
	make_loop(&s->k, n);
	subject_launch(s, NULL);
}

static void subject_close(struct subject *s)
{
	tr_program_free(s->k.p);
}

/* Load i of the loop by so many lanes: lines side by side from `line` on, all local or none. */
static void loads(struct subject *s, uint32_t member, uint32_t i, uint32_t active, uint64_t line,
	uint32_t lines, int local)
{
	for (uint32_t t = 0; t < lines; t++) {
		const struct sim_sched_access a = {.line = (line + t) * LINE,
			.member = member,
			.inst = 1 + i,
			.number = (uint16_t)t,
			.of = (uint16_t)lines,
			.active = (uint16_t)active,
			.is_load = 1};

		sim_classifier_access(&s->c, &a, local);
	}
}

static uint32_t lines_at(const struct subject *s, uint32_t active)
{
	return sim_classifier_lines(&s->c, 0, active);
}

/* Three loads that are local: the counter is above zero, and nothing but load 0 is known. */
static void find_locality(struct subject *s, uint32_t member)
{
	for (unsigned i = 0; i < 2; i++)
		loads(s, member, 0, 2, 0, 1, 1);
	assert_int_equal(lines_at(s, 8), 2);
}

/* The counter of 4.2.2 is above one from the second diverged load on, and comes back down. */
static void test_divergence(void **state)
{
	struct subject s;

	(void)state;
	subject_open(&s, 2);
	sim_classifier_begin(&s.c, 3, 0, 8);
	assert_int_equal(lines_at(&s, 8), 0);
	find_locality(&s, 3);
	loads(&s, 3, 0, 8, 0, 3, 1); /* 1: converged */
	assert_int_equal(lines_at(&s, 8), 2);
	loads(&s, 3, 0, 8, 0, 8, 1); /* 2: diverged */
	assert_int_equal(lines_at(&s, 8), 8);
	loads(&s, 3, 0, 2, 0, 2, 1); /* two lanes say nothing */
	assert_int_equal(lines_at(&s, 8), 8);
	loads(&s, 3, 0, 8, 0, 2, 1); /* two accesses: 1 */
	assert_int_equal(lines_at(&s, 8), 2);
	loads(&s, 3, 1, 8, 100, 1, 1); /* another load, converged */
	assert_int_equal(lines_at(&s, 8), 4);
	assert_int_equal(lines_at(&s, 1), 2);
	subject_close(&s);
}

/* A loop predicts while its counter is above zero; a load counts once, whatever it accesses. */
static void test_locality(void **state)
{
	struct subject s;

	(void)state;
	subject_open(&s, 1);
	sim_classifier_begin(&s.c, 0, 0, 32);
	loads(&s, 0, 0, 32, 0, 32, 0);
	loads(&s, 0, 0, 32, 0, 32, 1);
	assert_int_equal(lines_at(&s, 32), 0);
	loads(&s, 0, 0, 32, 0, 32, 1); /* +1; the load is not classified before the next one */
	assert_int_equal(s.c.loops[0].locality, 1);
	assert_int_equal(lines_at(&s, 32), 0);
	loads(&s, 0, 0, 32, 0, 32, 0); /* 0 */
	assert_int_equal(lines_at(&s, 32), 0);
	loads(&s, 0, 0, 32, 0, 32, 1);
	loads(&s, 0, 0, 32, 0, 32, 1);
	assert_int_equal(lines_at(&s, 32), 32);
	subject_close(&s);
}

/* The first sampling warp has more than two active threads, the next ones at least two (4.2.2). */
static void test_sampling(void **state)
{
	struct subject s;

	(void)state;
	subject_open(&s, 1);
	sim_classifier_begin(&s.c, 0, 0, 2);
	loads(&s, 0, 0, 2, 0, 1, 1);
	assert_int_equal(s.c.loops[0].locality, 0);
	sim_classifier_begin(&s.c, 1, 0, 3);
	sim_classifier_begin(&s.c, 2, 0, 32);
	loads(&s, 2, 0, 32, 0, 1, 1); /* another one samples */
	assert_int_equal(s.c.loops[0].locality, 0);
	loads(&s, 1, 0, 3, 0, 1, 1);
	assert_int_equal(s.c.loops[0].locality, 1);
	sim_classifier_end(&s.c, 1, 0);
	loads(&s, 1, 0, 3, 0, 1, 1);
	sim_classifier_begin(&s.c, 3, 0, 1);
	loads(&s, 3, 0, 1, 0, 1, 1);
	assert_int_equal(s.c.loops[0].locality, 1);
	sim_classifier_begin(&s.c, 4, 0, 2);
	loads(&s, 4, 0, 2, 0, 1, 1);
	assert_int_equal(s.c.loops[0].locality, 2);
	sim_classifier_leave(&s.c, 4); /* it ended in the loop */
	loads(&s, 4, 0, 2, 0, 1, 1);
	assert_int_equal(s.c.loops[0].locality, 2);
	subject_close(&s);
}

/* Loads of one line in one trip count once, and as diverged if one of them is. */
static void test_repetition(void **state)
{
	struct subject s;

	(void)state;
	subject_open(&s, 3);
	sim_classifier_begin(&s.c, 0, 0, 8);
	find_locality(&s, 0);
	sim_classifier_iterate(&s.c, 0, 0);
	loads(&s, 0, 0, 8, 10, 1, 1);
	loads(&s, 0, 1, 8, 20, 1, 1);
	sim_classifier_iterate(&s.c, 0, 0);
	loads(&s, 0, 1, 8, 10, 1, 1); /* the other one's line, a trip later */
	assert_int_equal(lines_at(&s, 8), 4);
	loads(&s, 0, 0, 8, 10, 1, 1);
	assert_int_equal(lines_at(&s, 8), 2);
	loads(&s, 0, 2, 8, 9, 8, 1); /* shares a line with them, and diverges */
	loads(&s, 0, 2, 8, 9, 8, 1);
	assert_int_equal(lines_at(&s, 8), 8);
	subject_close(&s);
}

/* The detector holds 8 tags of a set: what came 8 others ago is not found. */
static void test_repetition_tags(void **state)
{
	(void)state;
	for (uint32_t others = 7; others <= 8; others++) {
		struct subject s;

		subject_open(&s, 2);
		sim_classifier_begin(&s.c, 0, 0, 8);
		find_locality(&s, 0);
		sim_classifier_iterate(&s.c, 0, 0);
		for (uint32_t n = 0; n <= others; n++)
			loads(&s, 0, 0, 8, 8ull * n, 1, 1);
		loads(&s, 0, 1, 8, 0, 1, 1);
		assert_int_equal(lines_at(&s, 8), others == 7 ? 2 : 4);
		subject_close(&s);
	}
}

/* What loads of a loop are like. */
struct nature {
	uint8_t diverged;
	uint32_t group; /* the first load that accesses the same lines */
};

static void profile_of(
	const struct subject *s, const struct nature *x, struct sim_profile_load *rows)
{
	for (uint32_t i = 0; i < s->n; i++)
		rows[i] = (struct sim_profile_load){.inst = 1 + i,
			.repetition = 1 + x[i].group,
			.diverged = x[i].diverged,
			.locality = 1};
}

/* A few trips of a sampling warp find what a profile says: the same lines at all masks. */
static void test_detected_is_profiled(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct nature x[8];
		struct sim_profile_load rows[8];
		struct sim_profile_kernel kernel = {.name = "loop", .loads = rows};
		const struct sim_sched_profile profile = {.kernels = &kernel, .nkernels = 1};
		struct subject s;
		uint32_t found[LANES + 1], expected;

		subject_open(&s, 1 + below(8));
		for (uint32_t i = 0; i < s.n; i++) {
			x[i] = (struct nature){.diverged = (uint8_t)below(2), .group = i};
			if (i && below(2))
				x[i] = x[below(i)];
		}
		sim_classifier_begin(&s.c, 5, 0, 4);
		for (unsigned trip = 0; trip < 6; trip++) {
			for (uint32_t i = 0; i < s.n; i++)
				loads(&s, 5, i, 4, 4ull * (x[i].group + 8 * trip),
					x[i].diverged ? 4 : 1, 1);
			sim_classifier_iterate(&s.c, 5, 0);
		}
		for (uint32_t n = 1; n <= LANES; n++)
			found[n] = lines_at(&s, n);
		profile_of(&s, x, rows);
		kernel.nloads = s.n;
		subject_launch(&s, &profile);
		for (uint32_t n = 1; n <= LANES; n++) {
			expected = 0;
			for (uint32_t i = 0; i < s.n; i++)
				if (x[i].group == i)
					expected += x[i].diverged ? n : n > 1 ? 2 : 1;
			assert_int_equal(lines_at(&s, n), expected);
			assert_int_equal(found[n], expected);
		}
		subject_close(&s);
	}
}

/* ---- the scheduler by itself ---- */

/*
 * before; outer: a, (inner: b), c; mid; last: d, e; after. Of a profile: a and c are converged, b
 * and d diverged, e is converged.
 */
struct nest {
	struct kernel k;
	uint32_t before, a, b, c, mid, d, e, after;
	uint32_t outer, inner, last; /* loops */
	struct sim_profile_load rows[5];
	struct sim_profile_kernel kernel;
	struct sim_sched_profile profile;
};

static uint32_t a_load(struct kernel *k)
{
	return load(k, reg(k), TR_NONE, always, 0);
}

static uint32_t loop_of(const struct nest *n, uint32_t inst)
{
	return n->k.p->blocks[n->k.p->insts[inst].block].loop;
}

static void nest_open(struct nest *n)
{
	uint32_t outer, inner, last;
	const uint32_t *at[] = {&n->a, &n->b, &n->c, &n->d, &n->e};

	memset(n, 0, sizeof(*n));
	kernel_begin(&n->k, "nest");
	outer = label(&n->k);
	inner = label(&n->k);
	last = label(&n->k);
	n->before = a_load(&n->k);
	here(&n->k, outer);
	n->a = a_load(&n->k);
	here(&n->k, inner);
	n->b = a_load(&n->k);
	branch(&n->k, inner, always, 0);
	n->c = a_load(&n->k);
	branch(&n->k, outer, always, 0);
	n->mid = a_load(&n->k);
	here(&n->k, last);
	n->d = a_load(&n->k);
	n->e = a_load(&n->k);
	branch(&n->k, last, always, 0);
	n->after = a_load(&n->k);
	kernel_end(&n->k);
	n->outer = loop_of(n, n->a);
	n->inner = loop_of(n, n->b);
	n->last = loop_of(n, n->d);
	for (unsigned i = 0; i < 5; i++)
		n->rows[i] = (struct sim_profile_load){.inst = *at[i],
			.loop = loop_of(n, *at[i]),
			.repetition = *at[i],
			.diverged = i == 1 || i == 3,
			.locality = 1};
	n->kernel = (struct sim_profile_kernel){.name = "nest", .loads = n->rows, .nloads = 5};
	n->profile = (struct sim_sched_profile){.kernels = &n->kernel, .nkernels = 1};
}

static void nest_close(struct nest *n)
{
	tr_program_free(n->k.p);
}

struct bench {
	const struct sim_sched *policy;
	int64_t params[SIM_PARAMS];
	void *state;
	struct sim_sched_env env;
	struct sim_sched_warp warps[MEMBERS];
	struct sim_bits mine;
	struct sim_sched_stats stats;
	uint64_t waits_changed;
};

static void arrive(struct bench *b, uint32_t m, uint64_t age)
{
	b->warps[m] = (struct sim_sched_warp){.age = age, .live = 1, .active = LANES};
	b->policy->member_arrive(b->state, m, age);
}

/* lines: of the L1D. Member m is the m-th oldest. */
static void bench_open(struct bench *b, const char *spec, const struct nest *n, uint32_t lines)
{
	struct tr_err err = {0};

	memset(b, 0, sizeof(*b));
	if (sim_sched_parse(spec, &b->policy, b->params, &err) < 0)
		fail_msg("%s", err.msg);
	sim_bits_init(&b->mine, MEMBERS);
	b->env = (struct sim_sched_env){.nwarps = MEMBERS,
		.nmembers = MEMBERS,
		.nctas = 1,
		.warps = b->warps,
		.waits_changed = &b->waits_changed,
		.mine = &b->mine,
		.schedulers = 1,
		.line_bytes = LINE,
		.l1d_lines = lines,
		.warp_size = LANES,
		.profile = &n->profile,
		.stats = &b->stats};
	b->state = calloc(1, sim_sched_state_size(b->policy, &b->env, b->params));
	assert_non_null(b->state);
	b->policy->start(b->state, &b->env, b->params);
	b->policy->launch(b->state, n->k.p);
	for (uint32_t m = 0; m < MEMBERS; m++) {
		sim_bits_set(&b->mine, m);
		arrive(b, m, m);
	}
}

static void bench_close(struct bench *b)
{
	free(b->state);
}

/* The lines that a trip of so many lanes is predicted. */
static uint32_t begins(struct bench *b, uint32_t m, uint32_t loop, uint32_t active)
{
	const uint64_t before = b->stats.predicted_lines;

	b->warps[m].active = active;
	b->policy->loop_begin(b->state, m, loop, active, 0);
	return (uint32_t)(b->stats.predicted_lines - before);
}

static uint32_t iterates(struct bench *b, uint32_t m, uint32_t loop, uint32_t active)
{
	const uint64_t before = b->stats.predicted_lines;

	b->warps[m].active = active;
	b->policy->loop_iterate(b->state, m, loop, active, 0);
	return (uint32_t)(b->stats.predicted_lines - before);
}

static void ends(struct bench *b, uint32_t m, uint32_t loop, int out)
{
	b->policy->loop_end(b->state, m, loop, out, 0);
}

static int may(struct bench *b, uint32_t m, uint32_t inst)
{
	return b->policy->may_load(b->state, m, inst, 0);
}

/* The first members may load, the others may not: how many. */
static uint32_t first_allowed(struct bench *b, uint32_t inst)
{
	uint32_t n = 0;

	while (n < MEMBERS && may(b, n, inst))
		n++;
	for (uint32_t m = n; m < MEMBERS; m++)
		assert_false(may(b, m, inst));
	return n;
}

static void waits(struct bench *b, uint32_t m, uint8_t on)
{
	b->waits_changed += b->warps[m].waits != on;
	b->warps[m].waits = on;
}

/* Equation 4.1: of the L1D's lines so many percent are room; who fills it exactly may load. */
static void test_equation_4_1(void **state)
{
	static const struct {
		const char *spec;
		uint32_t lines, active, allowed;
	} cases[] = {
		{"daws", 256, 32, 4},          /* 153 lines for 34 each */
		{"daws", 256, 15, 9},          /* 17 each: 153 */
		{"daws", 255, 15, 9},          /* exactly 153 */
		{"daws", 254, 15, 8},          /* 152 */
		{"daws:assoc=100", 256, 32, 7},
		{"daws:assoc=40", 256, 32, 3}, /* 102: exactly three */
		{"daws:assoc=39", 256, 32, 2},
		{"daws:flow=0", 256, 1, 4},    /* 34 each, whoever is active */
		{"daws", 256, 1, 12},
		{"daws", 34, 32, 1},           /* the oldest alone, though it is beyond 20 */
		{"daws", 33, 32, 12},          /* beyond the cache: nobody waits (4.2.1) */
		{"daws", 0, 32, 12},           /* a cache without bounds */
	};
	struct nest n;

	(void)state;
	nest_open(&n);
	for (unsigned c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct bench b;

		bench_open(&b, cases[c].spec, &n, cases[c].lines);
		for (uint32_t m = 0; m < MEMBERS; m++)
			begins(&b, m, n.last, cases[c].active);
		if (first_allowed(&b, n.d) != cases[c].allowed)
			fail_msg("case %u: %u", c, first_allowed(&b, n.d));
		bench_close(&b);
	}
	nest_close(&n);
}

/*
 * Who has no prediction is not kept back, whoever is. An inner loop that predicts nothing leaves
 * the outer one's prediction.
 */
static void test_no_prediction(void **state)
{
	struct nest n;
	struct bench b;

	(void)state;
	nest_open(&n);
	for (unsigned i = 0; i < 5; i++)
		if (n.rows[i].loop == n.inner)
			n.rows[i].locality = 0;
	bench_open(&b, "daws:assoc=100", &n, 34);
	assert_int_equal(begins(&b, 0, n.last, 32), 34);
	assert_int_equal(begins(&b, 1, n.last, 32), 34);
	b.policy->loop_begin(b.state, 2, n.inner, 32, 0);
	assert_true(may(&b, 0, n.d));
	assert_false(may(&b, 1, n.d));
	assert_true(may(&b, 2, n.b));
	begins(&b, 3, n.outer, 32);
	b.policy->loop_begin(b.state, 3, n.inner, 32, 0);
	assert_false(may(&b, 3, n.b));
	bench_close(&b);
	nest_close(&n);
}

/* An inner loop's prediction stays when it is left, and is the outer loop's at its next trip. */
static void test_inner_loops(void **state)
{
	struct nest n;
	struct bench b;

	(void)state;
	nest_open(&n);
	bench_open(&b, "daws:assoc=100", &n, 60);
	assert_int_equal(begins(&b, 1, n.last, 28), 30);
	assert_int_equal(begins(&b, 0, n.outer, 32), 4); /* a and c */
	assert_true(may(&b, 1, n.d));
	assert_int_equal(begins(&b, 0, n.inner, 32), 32);
	assert_false(may(&b, 1, n.d));
	assert_int_equal(iterates(&b, 0, n.inner, 31), 31);
	ends(&b, 0, n.inner, 0);
	assert_false(may(&b, 1, n.d));
	assert_int_equal(iterates(&b, 0, n.outer, 31), 31); /* b's, not a's and c's */
	assert_int_equal(iterates(&b, 0, n.outer, 30), 30);
	assert_true(may(&b, 1, n.d));
	assert_int_equal(begins(&b, 0, n.inner, 32), 32);
	ends(&b, 0, n.inner, 0);
	ends(&b, 0, n.outer, 1);
	assert_true(may(&b, 1, n.d));
	assert_int_equal(begins(&b, 0, n.outer, 32), 4); /* anew */
	bench_close(&b);
	nest_close(&n);
}

/* While somebody is in a loop, a load outside counts as one of the next loop in the program. */
static void test_outside(void **state)
{
	struct nest n;
	struct bench b;

	(void)state;
	nest_open(&n);
	bench_open(&b, "daws:assoc=100", &n, 100);
	assert_true(may(&b, 2, n.mid));
	begins(&b, 0, n.last, 32);
	begins(&b, 1, n.last, 32); /* 68 */
	assert_true(may(&b, 2, n.before)); /* the outer loop's 4 */
	assert_false(may(&b, 2, n.mid));   /* 34 */
	b.warps[2].active = 31;
	assert_false(may(&b, 2, n.mid));
	b.warps[2].active = 30;
	assert_true(may(&b, 2, n.mid)); /* exactly 100 */
	assert_true(may(&b, 2, n.after));
	begins(&b, 3, n.last, 1);
	assert_true(may(&b, 3, n.d));
	b.policy->issued(b.state, 2, n.mid, 0); /* now it counts */
	assert_false(may(&b, 3, n.d));
	b.policy->issued(b.state, 2, n.after, 0);
	assert_true(may(&b, 3, n.d));
	b.policy->issued(b.state, 2, n.mid, 0);
	b.policy->issued(b.state, 4, n.mid, 0);
	b.policy->issued(b.state, 6, n.mid, 0);
	waits(&b, 0, 1); /* who waits does not count as inside */
	waits(&b, 1, 1);
	waits(&b, 3, 1);
	assert_true(may(&b, 7, n.mid));
	waits(&b, 3, 0);
	assert_false(may(&b, 7, n.mid));
	for (uint32_t m = 0; m < 4; m++)
		if (m != 2)
			ends(&b, m, n.last, 1);
	b.warps[4].active = 32; /* nobody is inside: what counted there holds nobody back */
	for (uint32_t m = 4; m < MEMBERS; m++) {
		assert_true(may(&b, m, n.mid));
		b.policy->issued(b.state, m, n.mid, 0);
	}
	bench_close(&b);
	nest_close(&n);
}

/* A prediction is gone while its warp waits at a barrier, and when the warp ends. */
static void test_waiting(void **state)
{
	struct nest n;
	struct bench b;

	(void)state;
	nest_open(&n);
	bench_open(&b, "daws:assoc=100", &n, 40);
	begins(&b, 0, n.last, 32);
	begins(&b, 1, n.last, 32);
	assert_false(may(&b, 1, n.d));
	waits(&b, 0, 1);
	assert_true(may(&b, 1, n.d));
	waits(&b, 0, 0);
	assert_false(may(&b, 1, n.d));
	b.warps[0].live = 0;
	b.policy->member_leave(b.state, 0);
	assert_true(may(&b, 1, n.d));
	arrive(&b, 0, 100); /* the youngest now */
	begins(&b, 0, n.last, 32);
	assert_true(may(&b, 1, n.d));
	assert_false(may(&b, 0, n.d));
	bench_close(&b);
	nest_close(&n);
}

/* ---- a twin that adds up by the text ---- */

struct twin {
	uint64_t age[MEMBERS];
	uint32_t lines[MEMBERS];
	int inside[MEMBERS], waits[MEMBERS];
};

static int twin_may(const struct twin *t, uint32_t m, uint32_t lines, uint64_t room)
{
	uint64_t older = 0;
	int anybody = 0;

	for (uint32_t o = 0; o < MEMBERS; o++) {
		if (t->waits[o])
			continue;
		anybody |= t->inside[o] && t->lines[o];
		if (t->age[o] < t->age[m])
			older += t->lines[o];
	}
	if (!lines || (!t->inside[m] && !anybody))
		return 1;
	return !older || older + lines <= room;
}

static void compare_twin(const struct nest *n, struct bench *b, struct twin *t)
{
	for (uint32_t m = 0; m < MEMBERS; m++) {
		const uint32_t active = b->warps[m].active;

		if (t->waits[m])
			continue;
		if (t->inside[m])
			assert_int_equal(may(b, m, n->d), twin_may(t, m, t->lines[m], 120));
		else
			assert_int_equal(may(b, m, n->mid),
				twin_may(t, m, active > 1 ? active + 2 : 2, 120));
	}
}

static void test_twin(void **state)
{
	struct nest n;
	struct bench b;
	struct twin t = {.age = {0}};
	uint64_t age = MEMBERS;
	unsigned refused = 0;

	(void)state;
	nest_open(&n);
	bench_open(&b, "daws", &n, 200);
	for (uint32_t m = 0; m < MEMBERS; m++)
		t.age[m] = m;
	for (unsigned round = 0; round < 20000; round++) {
		const uint32_t m = below(MEMBERS), active = 1 + below(LANES);
		const uint32_t lines = active > 1 ? active + 2 : 2;

		if (!below(t.waits[m] ? 3 : 40)) {
			t.waits[m] = !t.waits[m];
			waits(&b, m, (uint8_t)t.waits[m]);
		} else if (t.waits[m]) {
			continue;
		} else if (!below(50)) {
			b.warps[m].live = 0;
			b.policy->member_leave(b.state, m);
			arrive(&b, m, age);
			t.age[m] = age++;
			t.lines[m] = 0;
			t.inside[m] = 0;
		} else if (!t.inside[m] && below(2)) {
			b.warps[m].active = active;
			if (may(&b, m, n.mid)) {
				t.lines[m] = 0;
				for (uint32_t o = 0; o < MEMBERS; o++)
					if (t.inside[o] && t.lines[o] && !t.waits[o])
						t.lines[m] = lines;
				b.policy->issued(b.state, m, n.mid, 0);
			}
		} else if (!t.inside[m]) {
			assert_int_equal(begins(&b, m, n.last, active), lines);
			t.lines[m] = lines;
			t.inside[m] = 1;
		} else if (below(8)) {
			assert_int_equal(iterates(&b, m, n.last, active), lines);
			t.lines[m] = lines;
		} else {
			ends(&b, m, n.last, 1);
			t.lines[m] = 0;
			t.inside[m] = 0;
		}
		compare_twin(&n, &b, &t);
		for (uint32_t o = 0; o < MEMBERS; o++)
			refused += t.inside[o] && !t.waits[o] && !may(&b, o, n.d);
	}
	assert_true(refused > 10000);
	bench_close(&b);
	nest_close(&n);
}

/* ---- figure 4.1 ---- */

/* Rows of A by lane: where they begin; they end where the next one does. */
static const uint32_t figure_rows[] = {0, 64, 96, 128, 160, 160, 192, 224, 256};

static uint64_t figure_address(const struct at *a)
{
	return 0x10000000 + 4ull * (figure_rows[a->thread] + a->visit);
}

static uint64_t row_goes_on(const struct at *a)
{
	return figure_rows[a->thread] + a->visit < figure_rows[a->thread + 1];
}

static void make_figure(struct kernel *k)
{
	uint32_t top, out;

	kernel_begin(k, "sum_row_csr");
	straight(k, 1);
	top = label(k);
	out = label(k);
	here(k, top);
	/* The branch leads out where the row has ended. */
	branch(k, out, row_goes_on, 0);
	k->p->succ_pool[k->p->nsucc_pool - 2] = out;
	k->p->succ_pool[k->p->nsucc_pool - 1] = k->p->ninsts;
	load(k, reg(k), TR_NONE, figure_address, 0);
	jump(k, top);
	here(k, out);
	kernel_end(k);
}

/*
 * Two warps of four threads, a fully associative cache of four lines of 128 bytes: all of it is
 * room. Detected-DAWS measures more than the one trip that the figure shows before time 1.
 */
static void test_figure_4_1_steps(void **state)
{
	(void)state;
	for (int profiled = 0; profiled <= 1; profiled++) {
		struct nest n = {.k = {.p = NULL}};
		struct bench b;
		uint32_t load_at;

		make_figure(&n.k);
		for (load_at = 0; n.k.p->insts[load_at].cls != TR_C_LOAD; load_at++)
			;
		n.rows[0] = (struct sim_profile_load){
			.inst = load_at, .repetition = load_at, .diverged = 1, .locality = 1};
		n.kernel = (struct sim_profile_kernel){"sum_row_csr", n.rows, 1};
		n.profile = (struct sim_sched_profile){&n.kernel, 1};
		bench_open(&b, "daws:assoc=100", &n, 4);
		if (!profiled) {
			b.env.profile = NULL;
			memset(b.state, 0, sim_sched_state_size(b.policy, &b.env, b.params));
			b.policy->start(b.state, &b.env, b.params);
			b.policy->launch(b.state, n.k.p);
			for (uint32_t m = 0; m < 2; m++)
				arrive(&b, m, m);
		}
		/* Time 0: warp 0 is in the loop and loads four lines. */
		begins(&b, 0, 0, 4);
		for (unsigned trip = 0; trip < 8; trip++) {
			assert_true(may(&b, 0, load_at));
			for (uint16_t t = 0; t < 4; t++) {
				const struct sim_sched_access a = {.line = 2ull * LINE * t,
					.inst = load_at,
					.number = t,
					.of = 4,
					.active = 4,
					.is_load = 1,
					.hit = trip > 0};

				b.policy->access(b.state, &a, 0);
			}
			iterates(&b, 0, 0, 4);
		}
		assert_int_equal(iterates(&b, 0, 0, 4), 4);
		/* Time 1: warp 1 comes with three lanes, 7 lines do not fit. */
		assert_int_equal(begins(&b, 1, 0, 3), 3);
		assert_true(may(&b, 0, load_at));
		assert_false(may(&b, 1, load_at));
		/* Time 2: warp 0 has one lane left, and both go. */
		assert_int_equal(iterates(&b, 0, 0, 1), 1);
		assert_true(may(&b, 0, load_at));
		assert_true(may(&b, 1, load_at));
		bench_close(&b);
		tr_program_free(n.k.p);
	}
}

static struct trace launch(struct kernel *k, uint32_t ctas, uint32_t threads)
{
	struct stage s = {.kernel = k, .ctas = ctas, .threads = threads};

	return record_stages(&s, 1);
}

/* On the machine: each of the figure's eight lines comes once. Under gto they come more often. */
static void test_figure_4_1_runs(void **state)
{
	static const char *const scheds[] = {"daws:assoc=100", "gto"};
	struct sim_profile_load row = {.diverged = 1, .locality = 1};
	struct sim_profile_kernel kernel = {"sum_row_csr", &row, 1};
	const struct sim_sched_profile profile = {&kernel, 1};
	struct kernel k;
	struct trace trace;

	(void)state;
	make_figure(&k);
	while (k.p->insts[row.inst].cls != TR_C_LOAD)
		row.inst++;
	row.repetition = row.inst;
	trace = launch(&k, 1, 8);
	for (unsigned i = 0; i < 2; i++) {
		struct trial t;

		trial_begin(&t, "l1d.size=512 l1d.ways=4");
		trial_policies(&t, scheds[i], "fixed:4");
		t.opt.sched_profile = i ? NULL : &profile;
		trial_must_run(&t, &trace);
		if (i) {
			assert_true(t.res.total.l1d.misses > 8);
		} else {
			assert_int_equal(t.res.total.l1d.misses, 8);
			assert_int_equal(t.res.total.sched.vta_hits, 0);
			assert_true(t.res.total.sched.withheld_loads > 0);
			assert_true(t.res.total.by_cycle[SIM_CY_WITHHELD] > 0);
		}
		trial_end(&t);
	}
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- the whole machine ---- */

static uint64_t four_trips(const struct at *a)
{
	return a->visit < 3;
}

/* Odd threads leave the loop in their second trip. */
static uint64_t odd_leave(const struct at *a)
{
	return a->thread % 2 && a->visit == 1;
}

static struct {
	uint32_t begun, iterated, ended, out;
	uint32_t last_active;
} seen;

static void spy_start(void *s, const struct sim_sched_env *env, const int64_t *params)
{
	(void)params;
	*(const struct sim_sched_env **)s = env;
}

static uint32_t spy_pick(void *s, const struct sim_bits *ready, uint64_t now)
{
	(void)s;
	(void)now;
	return sim_bits_next(ready, 0);
}

static void spy_begin(void *s, uint32_t member, uint32_t loop, uint32_t active, uint64_t now)
{
	(void)s;
	(void)member;
	(void)loop;
	(void)now;
	seen.begun++;
	seen.last_active = active;
}

static void spy_iterate(void *s, uint32_t member, uint32_t loop, uint32_t active, uint64_t now)
{
	(void)s;
	(void)member;
	(void)loop;
	(void)now;
	seen.iterated++;
	seen.last_active = active;
}

static void spy_end(void *s, uint32_t member, uint32_t loop, int out, uint64_t now)
{
	(void)s;
	(void)member;
	(void)loop;
	(void)now;
	seen.ended++;
	seen.out += (uint32_t)out;
}

static const struct sim_sched spy = {
	.name = "spy",
	.help = "counts what is said of loops",
	.state_bytes = sizeof(void *),
	.start = spy_start,
	.pick = spy_pick,
	.loop_begin = spy_begin,
	.loop_iterate = spy_iterate,
	.loop_end = spy_end,
};

/*
 * Lanes that leave a loop by a way of their own run before those that stay: the warp is in the loop
 * all the same, and begins it once.
 */
static void test_loops_of_parted_warps(void **state)
{
	static const char *const warps[] = {"fixed:32", "dwr:max=32", "tbc", "mimd"};
	struct kernel k;
	struct trace trace;
	uint32_t top, out, join;

	(void)state;
	kernel_begin(&k, "breaks");
	top = label(&k);
	out = label(&k);
	join = label(&k);
	straight(&k, 1);
	here(&k, top);
	straight(&k, 1);
	branch(&k, out, odd_leave, 0);
	straight(&k, 1);
	branch(&k, top, four_trips, 0);
	jump(&k, join);
	here(&k, out);
	straight(&k, 5);
	here(&k, join);
	kernel_end(&k);
	trace = launch(&k, 1, 64);
	for (unsigned i = 0; i < 4; i++) {
		const uint32_t members = i == 3 ? 64 : 2;
		struct trial t;

		trial_begin(&t, "sm.simd_width=32");
		trial_policies(&t, "gto", warps[i]);
		t.opt.sched = &spy;
		memset(&seen, 0, sizeof(seen));
		trial_must_run(&t, &trace);
		assert_int_equal(seen.begun, members);
		assert_int_equal(seen.ended, members);
		assert_int_equal(seen.out, members);
		assert_true(i == 2 || seen.iterated == (i == 3 ? 32 * 3 + 32 : 2 * 3));
		assert_true(i == 3 || seen.last_active == 16);
		trial_end(&t);
	}
	free(trace.bytes);
	tr_program_free(k.p);
}

static uint64_t same_trips(const struct at *a)
{
	return a->visit < 24;
}

static uint64_t own_trips(const struct at *a)
{
	return a->visit < 4 + a->thread % 21;
}

/* A line a thread, word after word. */
static uint64_t own_line(const struct at *a)
{
	return 0x10000000 + (a->cta * 256ull + a->thread) * LINE + 4 * a->visit;
}

static void run_loop(struct sim_stats *total, uint64_t *hash, record_fn trips, const char *sched)
{
	struct kernel k;
	struct trace trace;
	struct trial t;
	uint32_t top;

	kernel_begin(&k, "walk");
	top = label(&k);
	straight(&k, 1);
	here(&k, top);
	load(&k, reg(&k), TR_NONE, own_line, 0);
	straight(&k, 2);
	branch(&k, top, trips, 0);
	kernel_end(&k);
	trace = launch(&k, 4, 256);
	trial_begin(&t, "l1d.size=16K l1d.ways=8");
	trial_policies(&t, sched, "fixed:32");
	trial_must_run(&t, &trace);
	*total = t.res.total;
	total->insts = NULL;
	*hash = t.res.hash;
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* One warp at a time has room, and each waits for all in every trip: none waits for ever. */
static void test_barrier_in_loop(void **state)
{
	static const char *const warps[] = {"fixed:32", "tbc", "dwr:max=64"};
	struct sim_profile_load row = {.inst = 1, .repetition = 1, .diverged = 1, .locality = 1};
	struct sim_profile_kernel kernel = {"meet", &row, 1};
	const struct sim_sched_profile profile = {&kernel, 1};
	struct kernel k;
	struct trace trace;
	uint32_t top;

	(void)state;
	kernel_begin(&k, "meet");
	top = label(&k);
	straight(&k, 1);
	here(&k, top);
	load(&k, reg(&k), TR_NONE, own_line, 0);
	barrier(&k, 0, 0, 0);
	branch(&k, top, same_trips, 0);
	kernel_end(&k);
	trace = launch(&k, 1, 128);
	for (unsigned i = 0; i < 3; i++) {
		struct trial t;

		trial_begin(&t, "l1d.size=8K l1d.ways=8 sm.simd_width=32");
		trial_policies(&t, "daws", warps[i]);
		t.opt.sched_profile = &profile;
		trial_must_run(&t, &trace);
		assert_true(t.res.total.sched.withheld_loads > 0);
		trial_end(&t);
	}
	free(trace.bytes);
	tr_program_free(k.p);
}

/* Without divergence flow=0 is the same, cycle for cycle; with it, it withholds more. */
static void test_flow(void **state)
{
	struct sim_stats with, without;
	uint64_t a, b;

	(void)state;
	run_loop(&with, &a, same_trips, "daws");
	run_loop(&without, &b, same_trips, "daws:flow=0");
	assert_true(with.sched.withheld_loads > 0);
	assert_int_equal(a, b);
	assert_int_equal(with.cycles, without.cycles);
	run_loop(&with, &a, own_trips, "daws");
	run_loop(&without, &b, own_trips, "daws:flow=0");
	assert_int_not_equal(a, b);
	assert_true(with.sched.predicted_lines < without.sched.predicted_lines);
	assert_true(with.by_cycle[SIM_CY_WITHHELD] < without.by_cycle[SIM_CY_WITHHELD]);
}

/* A line a thread and trip: nothing comes again. */
static uint64_t new_line(const struct at *a)
{
	return 0x10000000 + ((a->visit * 4ull + a->cta) * 256 + a->thread) * LINE;
}

/*
 * Where nothing comes again nothing is predicted, and daws is gto in all that is counted; where
 * there is room for all it is gto cycle for cycle.
 */
static void test_degenerate(void **state)
{
	static const struct {
		const char *settings;
		record_fn address;
	} cases[] = {{"l1d.size=16K l1d.ways=8", new_line}, {"l1d.size=1M l1d.ways=8", own_line},
		{"l1d.size=unbounded", own_line}};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct kernel k;
		struct trace trace;
		struct trial gto, daws;
		uint32_t top;

		kernel_begin(&k, "walk");
		top = label(&k);
		straight(&k, 1);
		here(&k, top);
		load(&k, reg(&k), TR_NONE, cases[i].address, 0);
		branch(&k, top, own_trips, 0);
		kernel_end(&k);
		trace = launch(&k, 4, 256);
		trial_begin(&gto, cases[i].settings);
		trial_policies(&gto, "gto", "fixed:32");
		trial_must_run(&gto, &trace);
		trial_begin(&daws, cases[i].settings);
		trial_policies(&daws, "daws", "fixed:32");
		trial_must_run(&daws, &trace);
		if (i)
			assert_true(daws.res.total.sched.predicted_lines > 0);
		else
			assert_int_equal(daws.res.hash, gto.res.hash);
		assert_int_equal(daws.res.total.cycles, gto.res.total.cycles);
		assert_memory_equal(
			&daws.res.total.l1d, &gto.res.total.l1d, sizeof(gto.res.total.l1d));
		assert_int_equal(daws.res.total.sched.withheld_loads, 0);
		trial_end(&gto);
		trial_end(&daws);
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_divergence),
		cmocka_unit_test(test_locality),
		cmocka_unit_test(test_sampling),
		cmocka_unit_test(test_repetition),
		cmocka_unit_test(test_repetition_tags),
		cmocka_unit_test(test_detected_is_profiled),
		cmocka_unit_test(test_equation_4_1),
		cmocka_unit_test(test_no_prediction),
		cmocka_unit_test(test_inner_loops),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_waiting),
		cmocka_unit_test(test_twin),
		cmocka_unit_test(test_figure_4_1_steps),
		cmocka_unit_test(test_figure_4_1_runs),
		cmocka_unit_test(test_loops_of_parted_warps),
		cmocka_unit_test(test_barrier_in_loop),
		cmocka_unit_test(test_flow),
		cmocka_unit_test(test_degenerate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
