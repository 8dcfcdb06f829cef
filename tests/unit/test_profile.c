/*
 * Profiles of loads, against a twin that compares each load with all before it, and their time with
 * many of them.
 */
#include "sim/access/profile.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#define BASES 4

static uint32_t rng = 5;

static uint32_t below(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 17;
	rng ^= rng << 5;
	return rng % n;
}

/* Loops in a row, each of some loads at random places around 0, or at either end of what there is.
 */
static struct tr_program *loops_of_loads(uint32_t nloops, uint32_t nloads, uint32_t reach)
{
	struct tr_program *p = tr_program_new("k");
	const uint32_t guard = (uint32_t)tr_program_reg(p, "%p1", 1);
	const struct tr_inst blank = {
		.cls = TR_C_BRANCH, .guard = TR_NONE, .base = TR_NONE, .file = TR_NONE};
	uint32_t base[BASES], at = 0;
	struct tr_inst in;
	struct tr_err err;

	for (uint32_t b = 0; b < BASES; b++)
		base[b] = (uint32_t)tr_program_reg(p, (const char[]){'%', (char)('a' + b), 0}, 64);
	for (uint32_t l = 0; l < nloops; l++) {
		const uint32_t header = at;
		const int64_t middle = l % 4 == 0   ? INT64_MIN + reach
				       : l % 4 == 1 ? INT64_MAX - reach
						    : 0;

		for (uint32_t i = 0; i < nloads; i++, at++) {
			in = blank;
			in.cls = TR_C_LOAD;
			in.space = below(2) ? TR_S_GLOBAL : TR_S_GENERIC;
			in.bytes = 4;
			in.vec = 1;
			in.base = base[below(BASES)];
			in.disp = middle + ((int64_t)below(2 * reach) - reach);
			tr_program_inst(p, &in, NULL, 0, NULL, 0, (const uint32_t[]){at + 1}, 1);
		}
		in = blank;
		in.guard = guard;
		tr_program_inst(p, &in, NULL, 0, NULL, 0, (const uint32_t[]){at + 1, header}, 2);
		at++;
	}
	in = blank;
	in.cls = TR_C_EXIT;
	tr_program_inst(p, &in, NULL, 0, NULL, 0, NULL, 0);
	assert_int_equal(tr_program_analyze(p, &err), 1);
	assert_int_equal(p->nloops, nloops);
	return p;
}

struct figures {
	struct an_counts *counts;
	struct an_divergence one, **loads;
	struct sim_profile_load *rows;
	uint32_t n;
};

static struct figures profile(const struct tr_program *p, uint32_t line_bytes)
{
	struct figures f = {.counts = calloc(p->ninsts, sizeof(*f.counts)),
		.loads = calloc(p->ninsts, sizeof(*f.loads)),
		.rows = calloc(p->ninsts, sizeof(*f.rows))};

	for (uint32_t i = 0; i < p->ninsts; i++) {
		f.loads[i] = below(8) ? &f.one : NULL;
		f.counts[i].of[AN_INTRA_WARP] = below(30) == 0;
	}
	f.n = an_profile(p, f.counts, f.loads, line_bytes, f.rows);
	return f;
}

static void figures_free(struct figures *f)
{
	free(f->counts);
	free(f->loads);
	free(f->rows);
}

static int near(const struct tr_inst *a, const struct tr_inst *b, uint32_t line_bytes)
{
	const int64_t lo = a->disp < b->disp ? a->disp : b->disp;
	const int64_t hi = a->disp < b->disp ? b->disp : a->disp;

	return a->base == b->base && a->space == b->space &&
	       (uint64_t)hi - (uint64_t)lo < line_bytes;
}

static void test_twin(void **state)
{
	uint32_t repeated = 0;

	(void)state;
	for (uint32_t round = 0; round < 500; round++) {
		const uint32_t line = 32u << below(4);
		struct tr_program *p = loops_of_loads(1 + below(6), 1 + below(40), 1 + below(2000));
		struct figures f = profile(p, line);

		for (uint32_t i = 0; i < f.n; i++) {
			const struct sim_profile_load *x = &f.rows[i];
			uint32_t first = x->inst, locality = 0;

			for (uint32_t k = i; k-- > 0;)
				if (f.rows[k].loop == x->loop &&
					f.rows[k].repetition == f.rows[k].inst &&
					near(&p->insts[f.rows[k].inst], &p->insts[x->inst], line))
					first = f.rows[k].inst;
			assert_int_equal(x->repetition, first);
			repeated += first != x->inst;
			for (uint32_t k = 0; k < f.n; k++)
				if (f.rows[k].loop == x->loop)
					locality |= f.counts[f.rows[k].inst].of[AN_INTRA_WARP] != 0;
			assert_int_equal(x->locality, locality);
		}
		figures_free(&f);
		tr_program_free(p);
	}
	assert_true(repeated > 1000);
}

static void test_time(void **state)
{
	static const struct {
		uint32_t nloops, nloads;
	} sizes[] = {{1, 150000}, {75000, 1}};

	(void)state;
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		struct tr_program *p = loops_of_loads(sizes[k].nloops, sizes[k].nloads, 1u << 30);
		const clock_t start = clock();
		struct figures f = profile(p, 32);

		/* Each with each takes a minute. */
		assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5);
		figures_free(&f);
		tr_program_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_twin),
		cmocka_unit_test(test_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
