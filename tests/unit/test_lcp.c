/*
 * Likely convergence (TBC section 4): the stack of figure 10 entry by entry, closed forms through
 * the whole machine, points of a profile on programs drawn by hand, and random programs on which
 * stacks with and without the points run the same threads.
 */
#include "sim/warp/lcp_points.h"
#include "tests/unit/tangle.h"
#include "sim/warp/pdom.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- figure 10 ---- */

/* The paper's example 2. Blocks by their first instruction. */
struct figure {
	struct kernel k;
	uint32_t a, b, c, d, e, f;
};

static void figure_10(struct figure *x, record_fn not_zero, record_fn not_one, record_fn again)
{
	struct kernel *k = &x->k;
	uint32_t a, c, e, f;

	kernel_begin(k, "example 2");
	a = label(k);
	c = label(k);
	e = label(k);
	f = label(k);
	here(k, a);
	x->a = op(k, TR_C_INT, reg(k), TR_NONE);
	branch(k, c, not_zero, 0);
	x->b = op(k, TR_C_INT, reg(k), TR_NONE);
	jump(k, e);
	here(k, c);
	x->c = op(k, TR_C_INT, reg(k), TR_NONE);
	branch(k, e, not_one, 0);
	x->d = k->p->ninsts;
	jump(k, f);
	here(k, e);
	x->e = op(k, TR_C_INT, reg(k), TR_NONE);
	branch(k, a, again, 0);
	here(k, f);
	x->f = op(k, TR_C_INT, reg(k), TR_NONE);
	kernel_end(k);
}

/* A warp of its own, without a machine around it. */
struct lone {
	struct sim_warp w;
	uint16_t place[32];
	struct sim_thread threads[32];
	struct sim_front front;
	struct sim_pdom s;
	struct sim_path entry[16];
	struct sim_mask lanes[16];
};

static void lone_start(struct lone *l, const struct tr_program *p, uint64_t lanes, enum sim_lcp lcp)
{
	static const struct sim_config config;

	memset(l, 0, sizeof(*l));
	l->front = (struct sim_front){
		.config = &config, .program = p, .warps = &l->w, .threads = l->threads};
	l->w = (struct sim_warp){.thread = l->place, .lanes = {{lanes}}, .nlanes = 32};
	for (uint16_t t = 0; t < 32; t++)
		l->place[t] = t;
	l->s = (struct sim_pdom){.depth = 1, .lcp = lcp, .path = l->entry, .lanes = l->lanes};
	l->entry[0] = (struct sim_path){.rpc = TR_EXIT};
	l->lanes[0] = (struct sim_mask){{lanes}};
}

/* The warp comes to the end of its block; lanes in `taken` go to one place, the rest to another. */
static int lone_next(struct lone *l, uint64_t taken, uint32_t to, uint32_t other)
{
	const struct tr_program *p = l->front.program;
	const struct tr_block *b = &p->blocks[p->insts[l->w.pc].block];

	for (uint32_t t = 0; t < 32; t++)
		if (l->w.lanes.w[0] >> t & 1)
			l->threads[t].pc = taken >> t & 1 ? to : other;
	l->w.to = TR_NONE;
	l->w.pc = b->first + b->n - 1;
	return sim_pdom_next(&l->s, &l->front, &l->w);
}

static void assert_entry(const struct lone *l, uint32_t i, uint32_t pc, uint32_t rpc,
	uint64_t lanes, uint32_t likely)
{
	assert_true(i < l->s.depth);
	assert_int_equal(l->entry[i].pc, pc);
	assert_int_equal(l->entry[i].rpc, rpc);
	assert_int_equal(l->lanes[i].w[0], lanes);
	assert_int_equal(l->entry[i].likely, likely);
}

/* Threads 1 to 4 of the paper are lanes 0 to 3 here. */
static void test_figure_10(void **state)
{
	struct figure x;
	struct lone l;

	(void)state;
	figure_10(&x, always, always, always);
	lone_start(&l, x.k.p, 0xf, SIM_LCP_PROGRAM);
	/* 1: threads 2, 3 and 4 go to C. 2: an entry without threads for E, and the two paths. */
	assert_true(lone_next(&l, 0xe, x.c, x.b));
	assert_int_equal(l.s.depth, 4);
	assert_entry(&l, 0, x.f, TR_EXIT, 0xf, 0);
	assert_entry(&l, 1, x.e, x.f, 0, 0);
	assert_entry(&l, 2, x.b, x.f, 0x1, 2);
	assert_entry(&l, 3, x.c, x.f, 0xe, 2);
	assert_int_equal(l.w.pc, x.c);
	assert_int_equal(l.w.inactive, 1);
	assert_int_equal(l.w.waiting, 0);
	/* 3, 4, 5: thread 2 goes to E, where it is merged at once; threads 3 and 4 to D. */
	assert_true(lone_next(&l, 0x2, x.e, x.d));
	assert_int_equal(l.s.depth, 4);
	assert_entry(&l, 1, x.e, x.f, 0x2, 0);
	assert_entry(&l, 2, x.b, x.f, 0x1, 2);
	assert_entry(&l, 3, x.d, x.f, 0xc, 2);
	assert_int_equal(l.w.waiting, 1);
	/* 6, 7: they come to F. 8: thread 1 goes on. */
	assert_true(lone_next(&l, 0xc, x.f, 0));
	assert_int_equal(l.s.depth, 3);
	assert_int_equal(l.w.pc, x.b);
	assert_int_equal(l.w.lanes.w[0], 0x1);
	/* 9: it comes to E. */
	assert_true(lone_next(&l, 0x1, x.e, 0));
	assert_int_equal(l.s.depth, 2);
	assert_entry(&l, 1, x.e, x.f, 0x3, 0);
	assert_int_equal(l.w.pc, x.e);
	assert_int_equal(l.w.waiting, 2);
	/* A second trip: the entry that ran is replaced, not kept. */
	assert_true(lone_next(&l, 0x3, x.a, 0));
	assert_true(lone_next(&l, 0x2, x.c, x.b));
	assert_int_equal(l.s.depth, 4);
	assert_entry(&l, 0, x.f, TR_EXIT, 0xf, 0);
	assert_entry(&l, 1, x.e, x.f, 0, 0);
	assert_true(lone_next(&l, 0x2, x.e, 0));
	assert_true(lone_next(&l, 0x1, x.e, 0));
	assert_int_equal(l.s.depth, 2);
	/* 10: both come to F, and all four are together. */
	assert_true(lone_next(&l, 0, 0, x.f));
	assert_int_equal(l.s.depth, 1);
	assert_entry(&l, 0, x.f, TR_EXIT, 0xf, 0);
	assert_int_equal(l.w.pc, x.f);
	assert_int_equal(l.w.waiting, 0);
	tr_program_free(x.k.p);
}

/* Without the points both paths go on by themselves up to F. */
static void test_figure_10_without(void **state)
{
	struct figure x;
	struct lone l;

	(void)state;
	figure_10(&x, always, always, always);
	lone_start(&l, x.k.p, 0xf, SIM_LCP_NONE);
	assert_true(lone_next(&l, 0xe, x.c, x.b));
	assert_int_equal(l.s.depth, 3);
	assert_true(lone_next(&l, 0x2, x.e, x.d));
	assert_int_equal(l.s.depth, 4);
	assert_entry(&l, 3, x.e, x.f, 0x2, 0);
	assert_int_equal(l.w.pc, x.e);
	tr_program_free(x.k.p);
}

/* Every lane that parted here exits before it comes to the end of the loop: the entry goes. */
static void test_unused_point(void **state)
{
	struct kernel k;
	struct lone l;
	uint32_t top, other, end, b, c, e;

	(void)state;
	kernel_begin(&k, "exits");
	top = label(&k);
	other = label(&k);
	end = label(&k);
	here(&k, top);
	branch(&k, other, always, 0);
	b = k.p->ninsts;
	leave_if(&k, always, 0);
	jump(&k, end);
	here(&k, other);
	c = k.p->ninsts;
	leave_if(&k, always, 0);
	here(&k, end);
	e = k.p->ninsts;
	branch(&k, top, always, 0);
	kernel_end(&k);
	lone_start(&l, k.p, 0xf, SIM_LCP_PROGRAM);
	assert_true(lone_next(&l, 0x6, c, b));
	assert_int_equal(l.s.depth, 3);
	assert_entry(&l, 0, e, TR_EXIT, 0, 0);
	assert_entry(&l, 1, b, TR_EXIT, 0x9, 1);
	assert_entry(&l, 2, c, TR_EXIT, 0x6, 1);
	assert_true(lone_next(&l, 0x4, TR_EXIT, e));
	assert_int_equal(l.s.depth, 2);
	assert_entry(&l, 0, e, TR_EXIT, 0x2, 0);
	assert_true(lone_next(&l, 0x9, TR_EXIT, 0));
	assert_int_equal(l.s.depth, 1);
	assert_int_equal(l.w.pc, e);
	assert_int_equal(l.w.lanes.w[0], 0x2);
	lone_start(&l, k.p, 0xf, SIM_LCP_PROGRAM);
	assert_true(lone_next(&l, 0x6, c, b));
	assert_true(lone_next(&l, 0x6, TR_EXIT, 0));
	assert_int_equal(l.s.depth, 2);
	assert_false(lone_next(&l, 0x9, TR_EXIT, 0));
	assert_int_equal(l.s.depth, 0);
	tr_program_free(k.p);
}

/* Of two branches with the same point the second one pushes no entry of its own. */
static void test_shared_point(void **state)
{
	struct kernel k;
	struct lone l;
	uint32_t top, other, out, end, b, c, e;

	(void)state;
	kernel_begin(&k, "nested");
	top = label(&k);
	other = label(&k);
	out = label(&k);
	end = label(&k);
	here(&k, top);
	branch(&k, other, always, 0);
	b = k.p->ninsts;
	branch(&k, out, always, 0);
	jump(&k, end);
	here(&k, other);
	branch(&k, end, always, 0);
	c = k.p->ninsts;
	branch(&k, out, always, 0);
	here(&k, end);
	e = op(&k, TR_C_INT, reg(&k), TR_NONE);
	branch(&k, top, always, 0);
	here(&k, out);
	kernel_end(&k);
	assert_int_equal(k.p->insts[0].lcp, e + 1);
	assert_int_equal(k.p->insts[c - 1].lcp, e + 1);
	lone_start(&l, k.p, 0xf, SIM_LCP_PROGRAM);
	assert_true(lone_next(&l, 0xe, c - 1, b));
	assert_int_equal(l.s.depth, 4);
	assert_true(lone_next(&l, 0x2, e, c));
	assert_int_equal(l.s.depth, 4);
	assert_entry(&l, 1, e, e + 2, 0x2, 0);
	assert_entry(&l, 2, b, e + 2, 0x1, 2);
	assert_entry(&l, 3, c, e + 2, 0xc, 2);
	tr_program_free(k.p);
}

/* ---- closed forms ---- */

#define TRIPS 4

static uint64_t other_half(const struct at *a)
{
	return a->thread >> a->visit & 1;
}

/* Thread 31 takes the break of its last trip. It was in C each time. */
static uint64_t stays(const struct at *a)
{
	return a->thread != 31 || a->visit + 1 < TRIPS;
}

static uint64_t more(const struct at *a)
{
	return a->visit + 1 < TRIPS;
}

/*
 * In each trip half of the threads of every group go either way. With post-dominators alone they
 * meet again after the loop: twice as many groups in every trip. With the points they meet in
 * every trip.
 */
static void test_rare_break(void **state)
{
	struct figure x;
	struct stage s = {.kernel = &x.k, .ctas = 1, .threads = 32};
	struct trace trace;
	struct trial t;

	(void)state;
	figure_10(&x, other_half, stays, more);
	trace = record_stages(&s, 1);
	trial_begin(&t, "");
	for (unsigned lcp = 0; lcp < 2; lcp++) {
		const struct sim_inst_stats *in;
		const uint64_t groups = lcp ? TRIPS : (1 << TRIPS) - 1;

		trial_policies(&t, "lrr", lcp ? "fixed:32,lcp=1" : "fixed:32");
		trial_must_run(&t, &trace);
		in = t.stats[0].insts;
		assert_int_equal(in[x.a].warp_insts, groups);
		assert_int_equal(in[x.b].warp_insts, groups);
		assert_int_equal(in[x.c].warp_insts, groups);
		assert_int_equal(in[x.d].warp_insts, 1);
		assert_int_equal(in[x.e].warp_insts, lcp ? TRIPS : 2 * groups);
		assert_int_equal(in[x.f].warp_insts, 1);
		assert_int_equal(in[x.a].thread_insts, TRIPS * 32);
		assert_int_equal(in[x.e].thread_insts, TRIPS * 32 - 1);
		assert_int_equal(t.stats[0].stack_depth_max, lcp ? 4 : 3 + TRIPS);
	}
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(x.k.p);
}

static uint64_t odd_trip(const struct at *a)
{
	return (a->thread ^ a->visit) & 1;
}

static uint64_t trips_of_thread(const struct at *a)
{
	return a->visit < a->thread % 4;
}

/* A kernel whose loops have no way out but one has no points: nothing changes. */
static void test_no_points(void **state)
{
	struct kernel k;
	struct stage s = {.kernel = &k, .ctas = 4, .threads = 96};
	struct trace trace;
	struct trial t;
	uint32_t top, skip;
	uint64_t hash = 0;

	(void)state;
	kernel_begin(&k, "structured");
	top = label(&k);
	skip = label(&k);
	here(&k, top);
	chain(&k, 2);
	branch(&k, skip, odd_trip, 0);
	load(&k, reg(&k), TR_NONE, words, 0x1000);
	here(&k, skip);
	branch(&k, top, trips_of_thread, 0);
	kernel_end(&k);
	trace = record_stages(&s, 1);
	trial_begin(&t, "");
	for (unsigned lcp = 0; lcp < 2; lcp++) {
		trial_policies(&t, "gto", lcp ? "fixed:32,lcp=1" : "fixed:32");
		trial_must_run(&t, &trace);
		assert_true(!lcp || t.res.hash == hash);
		hash = t.res.hash;
	}
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- profiles ---- */

static void count_all(const struct trace *trace, const struct tr_program *p, uint64_t *edges)
{
	struct tr_err err;
	struct tr_cta cta;
	FILE *f;
	struct tr_reader *r = trace_open(trace, &f);
	int event;

	memset(edges, 0, p->nsucc_pool * sizeof(*edges));
	tr_cta_init(&cta);
	while ((event = tr_reader_next(r, &err)) > 0)
		if (event == TR_CTA) {
			assert_int_equal(tr_reader_cta(r, &cta, &err), 1);
			assert_int_equal(sim_lcp_count(p, &cta, edges, &err), 1);
		}
	assert_int_equal(event, TR_END);
	tr_cta_free(&cta);
	tr_reader_close(r);
	fclose(f);
}

static uint64_t edge(const struct tr_program *p, const uint64_t *edges, uint32_t from, uint32_t to)
{
	const struct tr_inst *in = &p->insts[from];

	for (uint32_t k = 0; k < in->nsucc; k++)
		if (p->succ_pool[in->succ + k] == to)
			return edges[in->succ + k];
	fail_msg("no edge from %u to %u", from, to);
	return 0;
}

static uint64_t never_stays(const struct at *a)
{
	(void)a;
	return 0;
}

/* Half of the threads stay, once. */
static uint64_t half_stays(const struct at *a)
{
	return a->thread >= 32 && !a->visit;
}

/* The break of figure 10 taken rarely, half of the time, always: E is a point where it is rare. */
static void test_profile_of_figure_10(void **state)
{
	static const struct {
		record_fn stays;
		int point;
	} cases[] = {{stays, 1}, {half_stays, 0}, {never_stays, 0}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct figure x;
		struct stage s = {.kernel = &x.k, .ctas = 3, .threads = 64};
		struct trace trace;
		struct tr_err err;
		uint64_t edges[64];
		uint32_t lcp[64];

		figure_10(&x, other_half, cases[i].stays, more);
		trace = record_stages(&s, 1);
		count_all(&trace, x.k.p, edges);
		if (cases[i].point) {
			/* 3 times 64 threads, 4 trips each, half of them to C; one breaks. */
			assert_int_equal(edge(x.k.p, edges, x.a + 1, x.c), 3 * 64 * TRIPS / 2);
			assert_int_equal(edge(x.k.p, edges, x.a + 1, x.b), 3 * 64 * TRIPS / 2);
			assert_int_equal(edge(x.k.p, edges, x.c + 1, x.d), 3);
			assert_int_equal(edge(x.k.p, edges, x.e + 1, x.f), 3 * 64 - 3);
		}
		assert_int_equal(sim_lcp_points(x.k.p, edges, lcp, &err), 1);
		for (uint32_t n = 0; n < x.k.p->ninsts; n++)
			assert_int_equal(lcp[n], cases[i].point && n == x.a + 1 ? x.e : TR_NONE);
		free(trace.bytes);
		tr_program_free(x.k.p);
	}
}

static uint32_t points[64];

static const uint32_t *points_of(void *arg, const struct tr_launch *l)
{
	(void)arg;
	(void)l;
	return points;
}

/*
 * Replayed, the points of a profile are the program's where the profile has found these, and none
 * where it has found none; without a profile nothing is replayed.
 */
static void test_profile_replayed(void **state)
{
	static const char *const warps[] = {"fixed", "tbc"};
	static const record_fn ways[] = {half_stays, stays};

	(void)state;
	for (unsigned i = 0; i < 2 * COUNT(ways); i++) {
		struct figure x;
		struct stage s = {.kernel = &x.k, .ctas = 3, .threads = 64};
		struct trace trace;
		struct trial t;
		struct tr_err err;
		uint64_t edges[64], hash;
		char spec[32];

		figure_10(&x, other_half, ways[i % 2], more);
		trace = record_stages(&s, 1);
		count_all(&trace, x.k.p, edges);
		assert_int_equal(sim_lcp_points(x.k.p, edges, points, &err), 1);
		trial_begin(&t, "");
		snprintf(spec, sizeof(spec), "%s:lcp=%u", warps[i / 2], i % 2);
		trial_policies(&t, "lrr", spec);
		trial_must_run(&t, &trace);
		hash = t.res.hash;
		snprintf(spec, sizeof(spec), "%s:lcp=profile", warps[i / 2]);
		trial_policies(&t, "lrr", spec);
		trial_run(&t, &trace);
		assert_int_equal(t.rc, TR_EUSAGE);
		t.opt.lcp = points_of;
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.hash, hash);
		trial_end(&t);
		free(trace.bytes);
		tr_program_free(x.k.p);
	}
}

/*
 * A profile sees more than the end of the loop: paths that part in B meet in M after it, and those
 * of an inner loop in that one.
 *
 *	H: .. B: -> X or Y, X: -> M, Y: rare -> out, M: .. I: -> P or Q, P: rare -> out, Q: -> I
 *	or N, N: -> H or out
 */
static void test_profile_of_nested_loops(void **state)
{
	struct kernel k;
	struct tr_err err;
	uint64_t edges[64] = {0};
	uint32_t lcp[64], h, y, m, in, q, out, b, split, inner, mi, qi;

	(void)state;
	kernel_begin(&k, "nested");
	h = label(&k);
	y = label(&k);
	m = label(&k);
	in = label(&k);
	q = label(&k);
	out = label(&k);
	here(&k, h);
	chain(&k, 2);
	b = k.p->ninsts;
	branch(&k, y, always, 0);
	op(&k, TR_C_INT, reg(&k), TR_NONE);
	jump(&k, m);
	here(&k, y);
	split = k.p->ninsts;
	branch(&k, out, always, 0);
	op(&k, TR_C_INT, reg(&k), TR_NONE);
	here(&k, m);
	mi = op(&k, TR_C_INT, reg(&k), TR_NONE);
	here(&k, in);
	inner = k.p->ninsts;
	branch(&k, q, always, 0);
	branch(&k, out, always, 0);
	here(&k, q);
	qi = k.p->ninsts;
	branch(&k, in, always, 0);
	branch(&k, h, always, 0);
	here(&k, out);
	kernel_end(&k);
	assert_int_equal(k.p->nloops, 2);
	/* Nothing was executed: every way out is rare. */
	assert_int_equal(sim_lcp_points(k.p, edges, lcp, &err), 1);
	assert_int_equal(lcp[b], mi);
	assert_int_equal(lcp[inner], qi);
	assert_int_equal(lcp[split], TR_NONE);
	assert_int_equal(lcp[inner + 1], TR_NONE);
	assert_int_equal(lcp[qi], TR_NONE);
	/* The program's own points are the ends of the loops. */
	assert_int_equal(k.p->insts[b].lcp, qi + 1);
	assert_int_equal(k.p->insts[inner].lcp, qi);
	/* Y leaves the loop every other time: it is no rare way any more. */
	edges[k.p->insts[split].succ] = edges[k.p->insts[split].succ + 1] = 10;
	assert_int_equal(sim_lcp_points(k.p, edges, lcp, &err), 1);
	assert_int_equal(lcp[b], TR_NONE);
	assert_int_equal(lcp[inner], qi);
	tr_program_free(k.p);
}

/* ---- random programs ---- */

static void test_tangles(void **state)
{
	uint64_t rng = 1;

	(void)state;
	for (unsigned i = 0; i < 150; i++) {
		static const char *const policies[] = {
			"fixed:32", "fixed:32,lcp=1", "fixed:4,lcp=1", "fixed:64,lcp=1"};
		struct kernel k;
		struct stage s = {.kernel = &k, .ctas = 2, .threads = 75};
		struct trace trace;
		struct trial t;
		uint64_t lanes = 0;

		tangle(&k, &rng);
		trace = record_stages(&s, 1);
		trial_begin(&t, "");
		for (unsigned n = 0; n < COUNT(policies); n++) {
			trial_policies(&t, "lrr", policies[n]);
			trial_must_run(&t, &trace);
			assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
			assert_true(!n || t.stats[0].active_lanes == lanes);
			lanes = t.stats[0].active_lanes;
		}
		trial_end(&t);
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figure_10),
		cmocka_unit_test(test_figure_10_without),
		cmocka_unit_test(test_unused_point),
		cmocka_unit_test(test_shared_point),
		cmocka_unit_test(test_rare_break),
		cmocka_unit_test(test_no_points),
		cmocka_unit_test(test_profile_of_figure_10),
		cmocka_unit_test(test_profile_replayed),
		cmocka_unit_test(test_profile_of_nested_loops),
		cmocka_unit_test(test_tangles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
