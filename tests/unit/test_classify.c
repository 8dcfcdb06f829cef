/*
 * Static load classification: by what a sampling warp does, and by a profile, which find the same.
 */
#include "sched_trial.h"
#include "sim/sched/classify.h"

#define LANES 32

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_divergence),
		cmocka_unit_test(test_locality),
		cmocka_unit_test(test_sampling),
		cmocka_unit_test(test_repetition),
		cmocka_unit_test(test_repetition_tags),
		cmocka_unit_test(test_detected_is_profiled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
