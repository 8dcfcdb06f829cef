/*
 * sim/access/summary against a slow obvious twin: random programs, random walks of every thread
 * through them, counted per thread with tr_walk and per warp by plain recursion over the branches.
 */
#include "sim/access/summary.h"
#include <stdarg.h>
#include <stdbool.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define INSTS_MAX 40
#define THREADS 70
#define STEPS_MAX 400

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

/* ---- programs and walks ---- */

static void add(struct tr_program *p, struct tr_inst in, const uint32_t *succ, uint32_t n)
{
	assert_true(tr_program_inst(p, &in, NULL, 0, NULL, 0, succ, n) >= 0);
}

/* n instructions, then an exit; half of them may choose. */
static struct tr_program *random_program(uint32_t n)
{
	struct tr_program *p = tr_program_new("k");
	const uint32_t guard = (uint32_t)tr_program_reg(p, "%p1", 1);
	const uint32_t base = (uint32_t)tr_program_reg(p, "%rd1", 64);

	for (uint32_t i = 0; i < n; i++) {
		struct tr_inst in = {.guard = TR_NONE, .base = TR_NONE, .file = TR_NONE};
		uint32_t succ[4] = {i + 1, below(n + 1), below(n + 1), below(n + 1)};

		switch (below(8)) {
		case 0:
			in.cls = TR_C_BRANCH;
			in.guard = guard;
			add(p, in, succ, 2);
			break;
		case 1:
			in.cls = TR_C_BRANCH;
			in.flags = TR_I_INDEXED;
			add(p, in, succ + 1, 3);
			break;
		case 2:
			in.cls = TR_C_EXIT;
			in.guard = guard;
			succ[1] = TR_EXIT;
			add(p, in, succ, 2);
			break;
		case 3:
			in.cls = TR_C_LOAD;
			in.space = below(2) ? TR_S_GENERIC : TR_S_GLOBAL;
			in.bytes = 4;
			in.vec = 1;
			in.base = base;
			in.guard = below(2) ? guard : TR_NONE;
			add(p, in, succ, 1);
			break;
		case 4:
			in.guard = guard;
			add(p, in, succ, 1);
			break;
		default:
			add(p, in, succ, 1);
		}
	}
	add(p,
		(struct tr_inst){
			.cls = TR_C_EXIT, .guard = TR_NONE, .base = TR_NONE, .file = TR_NONE},
		NULL, 0);
	return p;
}

/* A thread's random walk; false if it takes too long. */
static bool random_walk(const struct tr_program *p, struct tr_thread *t)
{
	uint32_t at = 0;

	t->noutcomes = t->nvalues = 0;
	for (unsigned step = 0; step < STEPS_MAX; step++) {
		const struct tr_inst *in = &p->insts[at];
		uint32_t outcome = 0;

		if (in->flags & TR_I_OUTCOME) {
			outcome = below(in->nsucc > 1 ? in->nsucc : 2);
			t->outcomes[t->noutcomes++] = (uint8_t)outcome;
		}
		if (in->flags & TR_I_VALUE && (in->guard == TR_NONE || outcome))
			t->values[t->nvalues++] = below(2) ? 0x1000 : TR_SHARED_WINDOW;
		if (!in->nsucc)
			return true;
		at = p->succ_pool[in->succ + (in->nsucc > 1 ? outcome : 0)];
		if (at == TR_EXIT)
			return true;
	}
	return false;
}

static bool random_cta(const struct tr_program *p, struct tr_cta *c)
{
	for (uint32_t t = 0; t < c->nthreads; t++)
		if (!random_walk(p, &c->threads[t]))
			return false;
	return true;
}

static struct tr_cta new_cta(void)
{
	struct tr_cta c = {.nthreads = THREADS};

	c.threads = calloc(THREADS, sizeof(*c.threads));
	for (uint32_t t = 0; t < THREADS; t++) {
		c.threads[t].outcomes = malloc(STEPS_MAX);
		c.threads[t].values = malloc(STEPS_MAX * sizeof(uint64_t));
	}
	return c;
}

static void free_cta(struct tr_cta *c)
{
	for (uint32_t t = 0; t < THREADS; t++) {
		free(c->threads[t].outcomes);
		free(c->threads[t].values);
	}
	free(c->threads);
}

/* ---- the twin ---- */

struct twin {
	const struct tr_program *p;
	struct tr_walk walk[32];
	struct an_inst_totals *inst;
	uint64_t shared, global;
};

static void part(struct twin *w, uint32_t at, uint32_t mask, uint32_t until);

/* Every lane that stands at one of the successors runs on to where they meet; then all do. */
static uint32_t diverge(struct twin *w, const struct tr_inst *in, uint32_t mask)
{
	uint32_t met = 0;

	for (uint32_t left = mask; left;) {
		const uint32_t to = w->walk[__builtin_ctz(left)].next;
		uint32_t same = 0;

		for (unsigned l = 0; l < 32; l++)
			if (left >> l & 1 && w->walk[l].next == to)
				same |= 1u << l;
		left &= ~same;
		part(w, to, same, in->ipdom);
	}
	for (unsigned l = 0; l < 32; l++)
		if (mask >> l & 1 && w->walk[l].next != TR_EXIT)
			met |= 1u << l;
	return met;
}

/* Lanes run together from `at` to `until` or to their exit. */
static void part(struct twin *w, uint32_t at, uint32_t mask, uint32_t until)
{
	while (mask && at != until && at != TR_EXIT) {
		const struct tr_inst *in = &w->p->insts[at];
		uint32_t first = TR_NONE;
		bool apart = false;

		w->inst[at].warp_insts++;
		for (unsigned l = 0; l < 32; l++) {
			if (!(mask >> l & 1))
				continue;
			assert_int_equal(tr_walk_next(&w->walk[l]), 1);
			assert_int_equal(w->walk[l].inst, at);
			w->inst[at].thread_insts += w->walk[l].guard != 0;
			if (in->space == TR_S_GENERIC && w->walk[l].has_value) {
				w->shared += w->walk[l].value >= TR_SHARED_WINDOW;
				w->global += w->walk[l].value < TR_SHARED_WINDOW;
			}
			apart |= first != TR_NONE && first != w->walk[l].next;
			first = w->walk[l].next;
		}
		if (!apart) {
			at = first;
			continue;
		}
		w->inst[at].divergent_branches++;
		mask = diverge(w, in, mask);
		at = in->ipdom;
	}
}

static void test_twin(void **unused)
{
	struct tr_cta c = new_cta();
	unsigned compared = 0;

	(void)unused;
	for (unsigned round = 0; round < 3000; round++) {
		struct tr_program *p = random_program(1 + below(INSTS_MAX));
		struct an_summary *s;
		struct an_totals sum;
		struct twin w = {.p = p};
		struct tr_err err = {0};
		uint64_t insts = 0;

		assert_int_equal(tr_program_analyze(p, &err), 1);
		if (!random_cta(p, &c)) {
			tr_program_free(p);
			continue;
		}
		compared++;
		s = an_summary_new(p);
		w.inst = calloc(p->ninsts, sizeof(*w.inst));
		if (an_summary_cta(s, &c, &err) != 1)
			fail_msg("%s", err.msg);
		for (uint32_t t = 0; t < THREADS; t += 32) {
			const uint32_t n = THREADS - t < 32 ? THREADS - t : 32;

			for (uint32_t l = 0; l < n; l++) {
				tr_walk_start(&w.walk[l], p, &c.threads[t + l]);
				w.walk[l].next = 0;
			}
			part(&w, 0, n == 32 ? UINT32_MAX : (1u << n) - 1, TR_EXIT);
			for (uint32_t l = 0; l < n; l++)
				assert_int_equal(tr_walk_next(&w.walk[l]), 0);
		}
		for (uint32_t i = 0; i < p->ninsts; i++) {
			const struct an_inst_totals got = an_summary_inst(s, i);

			assert_int_equal(got.thread_insts, w.inst[i].thread_insts);
			assert_int_equal(got.warp_insts, w.inst[i].warp_insts);
			assert_int_equal(got.divergent_branches, w.inst[i].divergent_branches);
			insts += got.thread_insts;
		}
		sum = an_summary_totals(s);
		assert_int_equal(sum.thread_insts, insts);
		assert_int_equal(sum.threads, THREADS);
		assert_int_equal(sum.mem_insts_space[TR_S_SHARED], w.shared);
		assert_true(sum.mem_insts_space[TR_S_GLOBAL] >= w.global);
		free(w.inst);
		an_summary_free(s);
		tr_program_free(p);
	}
	assert_true(compared > 1000);
	free_cta(&c);
}

/* A record that is too short or too long by one outcome or value is no walk. */
static void test_misfits(void **unused)
{
	struct tr_cta c = new_cta();
	unsigned compared = 0;

	(void)unused;
	for (unsigned round = 0; round < 500; round++) {
		struct tr_program *p = random_program(1 + below(INSTS_MAX));
		struct an_summary *s;
		struct tr_thread *t = &c.threads[below(THREADS)];
		struct tr_err err = {0};

		assert_int_equal(tr_program_analyze(p, &err), 1);
		if (random_cta(p, &c)) {
			s = an_summary_new(p);
			t->nvalues++;
			assert_int_equal(an_summary_cta(s, &c, &err), TR_EDATA);
			t->nvalues--;
			t->outcomes[t->noutcomes++] = 0;
			assert_int_equal(an_summary_cta(s, &c, &err), TR_EDATA);
			t->noutcomes--;
			if (t->noutcomes) {
				t->noutcomes--;
				assert_int_equal(an_summary_cta(s, &c, &err), TR_EDATA);
				assert_non_null(strstr(err.msg, "no walk through kernel 'k'"));
				compared++;
			}
			an_summary_free(s);
		}
		tr_program_free(p);
	}
	assert_true(compared > 50);
	free_cta(&c);
}

static void test_endless(void **unused)
{
	struct tr_program *p = tr_program_new("k");
	struct tr_inst in = {
		.cls = TR_C_BRANCH, .guard = TR_NONE, .base = TR_NONE, .file = TR_NONE};
	struct tr_cta c = new_cta();
	struct an_summary *s;
	struct tr_err err = {0};

	(void)unused;
	add(p, in, (const uint32_t[]){0}, 1);
	assert_int_equal(tr_program_analyze(p, &err), 1);
	s = an_summary_new(p);
	assert_int_equal(an_summary_cta(s, &c, &err), TR_EDATA);
	an_summary_free(s);
	tr_program_free(p);
	free_cta(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_twin),
		cmocka_unit_test(test_misfits),
		cmocka_unit_test(test_endless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
