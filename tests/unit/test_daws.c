/*
 * daws: footprints and equation 4.1, inner loops, warps outside of loops and at barriers, a slow
 * twin of the sum, the thesis's figure 4.1, and the whole machine: which warps are in which loops,
 * and flow=0.
 */
#include "sched_trial.h"
#include "sim/base/profile.h"

#define MEMBERS 12
#define LANES 32

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

/* lines: of the L1D. */
static void bench_open(struct bench *b, const char *spec, const struct nest *n, uint32_t lines)
{
	const struct sim_sched_env env = {.l1d_lines = lines, .profile = &n->profile};

	bench_start(b, spec, MEMBERS, &env, n->k.p);
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
	b->waits_changed += sim_waits(&b->warps[m]) != on;
	b->warps[m].state = on ? SIM_W_BARRIER : SIM_W_RUN;
}

/* Equation 4.1: of the L1D's lines so many percent are room; who fills it exactly may load. */
static void test_equation_4_1(void **state)
{
	static const struct {
		const char *spec;
		uint32_t lines, active, allowed;
	} cases[] = {
		{"daws", 256, 32, 4}, /* 153 lines for 34 each */
		{"daws", 256, 15, 9}, /* 17 each: 153 */
		{"daws", 255, 15, 9}, /* exactly 153 */
		{"daws", 254, 15, 8}, /* 152 */
		{"daws:assoc=100", 256, 32, 7},
		{"daws:assoc=40", 256, 32, 3}, /* 102: exactly three */
		{"daws:assoc=39", 256, 32, 2},
		{"daws:flow=0", 256, 1, 4}, /* 34 each, whoever is active */
		{"daws", 256, 1, 12},
		{"daws", 34, 32, 1},  /* the oldest alone, though it is beyond 20 */
		{"daws", 33, 32, 12}, /* beyond the cache: nobody waits (4.2.1) */
		{"daws", 0, 32, 12},  /* a cache without bounds */
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
	begins(&b, 1, n.last, 32);         /* 68 */
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
	b.warps[0].state = 0;
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
			b.warps[m].state = 0;
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
	trace = record(&k, 1, 8);
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
	static const char *const warps[] = {
		"fixed:32", "dwr:max=32", "tbc", "mimd", "dualpath", "lwm"};
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
	trace = record(&k, 1, 64);
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
	trace = record(&k, 4, 256);
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
	trace = record(&k, 1, 128);
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
		trace = record(&k, 4, 256);
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
