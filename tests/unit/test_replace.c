/*
 * All policies side by side over whole access streams, loads, stores, atomics, local memory,
 * several SMs and launches, against one plain cache each that is led through the same accesses;
 * optimal replacement against the one that looks into the future. Splits add up to the total.
 */
#include "sim/access/locality.h"
#include <stdarg.h>
#include <stdbool.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "replace_twin.h"

#define LINE 128
#define SMS 3
#define LAUNCHES 4
#define ACCESSES 1200 /* of a launch */
#define PAIRS 12
#define SEED 5

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

/* ---- streams ---- */

static struct tr_program *program(const char *name, uint32_t ninsts)
{
	struct tr_program *p = tr_program_new(name);

	for (uint32_t i = 0; i < ninsts; i++) {
		struct tr_inst in = {.guard = TR_NONE, .base = TR_NONE, .file = TR_NONE};
		const uint32_t succ = i + 1;

		in.cls = succ < ninsts ? TR_C_INT : TR_C_EXIT;
		assert_true(tr_program_inst(p, &in, NULL, 0, NULL, 0, &succ, succ < ninsts) >= 0);
	}
	assert_int_equal(tr_program_analyze(p, NULL), 1);
	return p;
}

struct stream {
	struct tr_program *programs[2];
	uint32_t program[LAUNCHES]; /* of each launch */
	struct tr_access a[LAUNCHES][ACCESSES];
};

static struct tr_access random_access(const struct stream *s, uint32_t launch, uint32_t lines)
{
	struct tr_access a = {.line = (uint64_t)LINE * (5 + below(1 + below(lines))),
		.lanes = {1ull << below(32)},
		.sm = below(SMS),
		.warp = below(4),
		.inst = below(s->programs[s->program[launch]]->ninsts),
		.loop = TR_NONE,
		.space = TR_S_GLOBAL};

	a.cta = a.sm;
	switch (below(10)) {
	case 0:
		a.op = TR_A_WRITE;
		break;
	case 1:
		a.op = below(2) ? TR_A_ATOMIC : TR_A_READ;
		break;
	case 2:
		a.space = TR_S_LOCAL;
		a.op = below(2) ? TR_A_WRITE : TR_A_READ;
		a.line += (uint64_t)LINE << 20;
		break;
	case 3:
		a.space = below(2) ? TR_S_TEXTURE : TR_S_CONST;
		break;
	}
	return a;
}

static struct stream *random_stream(void)
{
	struct stream *s = calloc(1, sizeof(*s));
	const uint32_t lines = 1 + below(90);

	s->programs[0] = program("first", 7);
	s->programs[1] = program("second", 4);
	for (uint32_t l = 0; l < LAUNCHES; l++) {
		s->program[l] = l == 0 ? 1 : below(2);
		for (uint32_t i = 0; i < ACCESSES; i++)
			s->a[l][i] = random_access(s, l, lines);
	}
	return s;
}

static void free_stream(struct stream *s)
{
	tr_program_free(s->programs[0]);
	tr_program_free(s->programs[1]);
	free(s);
}

/* The same as the plain caches see it. */
static struct twin_stream whole(const struct stream *s)
{
	static uint32_t launch[LAUNCHES * ACCESSES];

	for (uint32_t i = 0; i < LAUNCHES * ACCESSES; i++)
		launch[i] = i / ACCESSES;
	return (struct twin_stream){&s->a[0][0], launch, LAUNCHES * ACCESSES};
}

/* ---- runs ---- */

struct trial {
	struct an_replace_options o;
	struct {
		enum an_policy policy;
		struct sim_geometry g;
		int curve;
	} pair[PAIRS];
};

static struct trial random_trial(void)
{
	struct trial t = {.o = {.write = below(TR_W_KEEP + 1),
				  .flush = (int)below(2),
				  .warp_size = 32,
				  .seed = SEED}};

	for (unsigned k = 0; k < PAIRS; k++) {
		t.pair[k].policy = (enum an_policy)(k % AN_NPOLICIES);
		t.pair[k].g = (struct sim_geometry){1u << below(4), 1 + below(6), LINE, below(3)};
		t.pair[k].curve = k >= AN_NPOLICIES && an_policy_has_curve(t.pair[k].policy);
	}
	t.pair[PAIRS - 1].g = (struct sim_geometry){.line_bytes = LINE};
	return t;
}

static struct an_replace *run(const struct trial *t, const struct stream *s, enum an_split by)
{
	struct an_replace_options o = t->o;
	struct an_replace *r;

	o.by = by;
	assert_int_equal(an_replace_new(&r, &o, NULL), 1);
	for (uint32_t k = 0; k < PAIRS; k++)
		assert_int_equal(
			an_replace_add(r, t->pair[k].policy, &t->pair[k].g, t->pair[k].curve, NULL),
			k);
	for (uint32_t l = 0; l < LAUNCHES; l++) {
		const struct tr_launch launch = {
			.number = l, .program = s->program[l], .block = {32, 1, 1}};

		assert_int_equal(
			an_replace_launch(r, &launch, s->programs[s->program[l]], NULL), 1);
		for (uint32_t i = 0, n; i < ACCESSES; i += n) {
			n = 1 + below(ACCESSES - i);
			assert_int_equal(an_replace_run(r, &s->a[l][i], n, NULL), 1);
		}
	}
	assert_int_equal(an_replace_end(r, NULL), 1);
	return r;
}

static void pairs_are_plain_caches(void **unused)
{
	(void)unused;
	for (int round = 0; round < 12; round++) {
		struct stream *s = random_stream();
		const struct twin_stream flat = whole(s);
		const struct trial t = random_trial();
		struct an_replace *r = run(&t, s, AN_BY_SM);

		assert_int_equal(an_replace_nkeys(r), SMS);
		for (uint32_t k = 0; k < PAIRS; k++) {
			struct sim_geometry g = t.pair[k].g;

			for (g.ways = t.pair[k].curve && g.sets ? 1 : g.ways;
				g.ways <= t.pair[k].g.ways; g.ways++)
				for (uint32_t sm = 0; sm < SMS; sm++)
					assert_int_equal(an_replace_hits(r, k, sm, g.ways),
						twin_hits(&flat, &t.o, t.pair[k].policy, &g, sm));
		}
		an_replace_free(r);
		free_stream(s);
	}
}

static void add(struct an_replace_counts *sum, const struct an_replace_counts *c)
{
	sum->accesses += c->accesses;
	sum->cold += c->cold;
	sum->written += c->written;
	sum->stores += c->stores;
	sum->atomics += c->atomics;
	sum->absent += c->absent;
}

static void splits_add_up(void **unused)
{
	(void)unused;
	for (int round = 0; round < 20; round++) {
		struct stream *s = random_stream();
		const struct trial t = random_trial();
		struct an_replace *all = run(&t, s, AN_BY_TOTAL);
		const struct an_replace_counts total = an_replace_counts(all, 0);

		assert_int_equal(an_replace_nkeys(all), 1);
		assert_int_equal(total.accesses + total.stores + total.atomics + total.absent,
			LAUNCHES * ACCESSES);
		for (enum an_split by = AN_BY_SM; by <= AN_BY_CLASS; by++) {
			struct an_replace *r = run(&t, s, by);
			struct an_replace_counts sum = {0};
			uint64_t hits[PAIRS] = {0};

			for (uint32_t key = 0; key < an_replace_nkeys(r); key++) {
				const struct an_replace_counts c = an_replace_counts(r, key);

				add(&sum, &c);
				for (uint32_t k = 0; k < PAIRS; k++)
					hits[k] += an_replace_hits(r, k, key, t.pair[k].g.ways);
			}
			assert_memory_equal(&sum, &total, sizeof(sum));
			for (uint32_t k = 0; k < PAIRS; k++)
				assert_int_equal(
					hits[k], an_replace_hits(all, k, 0, t.pair[k].g.ways));
			an_replace_free(r);
		}
		/* Without bounds, all hit but what none can. */
		assert_int_equal(an_replace_hits(all, PAIRS - 1, 0, 0),
			total.accesses - total.cold - total.written);
		an_replace_free(all);
		free_stream(s);
	}
}

static void keys_are_instructions(void **unused)
{
	struct stream *s = random_stream();
	struct trial t = random_trial();
	struct an_replace *r = run(&t, s, AN_BY_PC);
	uint64_t expected[2][8] = {{0}}, seen = 0;
	uint32_t inst;

	(void)unused;
	for (uint32_t l = 0; l < LAUNCHES; l++)
		for (uint32_t i = 0; i < ACCESSES; i++)
			if (sim_l1d_of(&s->a[l][i], t.o.write) == SIM_L1D_USE)
				expected[s->program[l]][s->a[l][i].inst]++;
	for (uint32_t key = 0; key < an_replace_nkeys(r); key++) {
		const struct tr_program *p = an_replace_pc(r, key, &inst);

		assert_true(inst < p->ninsts);
		assert_int_equal(
			an_replace_counts(r, key).accesses, expected[p == s->programs[1]][inst]);
		seen += expected[p == s->programs[1]][inst];
	}
	assert_true(seen > 0);
	an_replace_free(r);
	free_stream(s);
}

/* What no policy can hit is in the classes that say so, and nothing else is. */
static void classes_are_those_of_locality(void **unused)
{
	(void)unused;
	for (int round = 0; round < 20; round++) {
		struct stream *s = random_stream();
		const struct trial t = random_trial();
		const struct an_locality_options o = {.cache = {.line_bytes = LINE},
			.warp_size = 32,
			.write = t.o.write,
			.flush = t.o.flush};
		struct an_replace *r = run(&t, s, AN_BY_CLASS);
		struct an_counts c = {.stores = 0};
		struct an_locality *l;

		assert_int_equal(an_locality_new(&l, &o, NULL), 1);
		for (uint32_t launch = 0; launch < LAUNCHES; launch++) {
			an_locality_launch(l, launch, 32, s->programs[s->program[launch]]);
			for (uint32_t i = 0; i < ACCESSES; i++)
				assert_int_equal(
					an_locality_access(l, &s->a[launch][i], &c, NULL), 1);
		}
		an_locality_free(l);
		for (uint32_t k = 0; k < AN_NCLASSES; k++) {
			const struct an_replace_counts n = an_replace_counts(r, k);

			assert_int_equal(n.accesses, c.of[k]);
			assert_int_equal(n.cold, k == AN_COLD ? n.accesses : 0);
			assert_int_equal(n.written, k == AN_WRITTEN ? n.accesses : 0);
		}
		assert_int_equal(an_replace_counts(r, AN_NCLASSES).stores, c.stores);
		assert_int_equal(an_replace_counts(r, AN_NCLASSES).absent, c.absent);
		an_replace_free(r);
		free_stream(s);
	}
}

static void what_cannot_be_is_refused(void **unused)
{
	const struct an_replace_options o = {.by = AN_BY_PC, .warp_size = 32};
	const struct tr_launch launch = {.number = 0, .block = {32, 1, 1}};
	struct tr_access a = {.line = LINE, .space = TR_S_GLOBAL, .loop = TR_NONE, .inst = 3};
	struct tr_program *p = program("k", 3);
	struct an_replace *r;
	struct tr_err err;

	(void)unused;
	assert_int_equal(an_replace_new(&r, &o, &err), 1);
	assert_int_equal(an_replace_launch(r, &launch, p, &err), 1);
	assert_int_equal(an_replace_run(r, &a, 1, &err), TR_EDATA);
	assert_string_equal(err.msg, "an access of instruction 3, of 3");
	a.inst = 2;
	a.sm = UINT32_MAX;
	assert_int_equal(an_replace_run(r, &a, 1, &err), TR_EDATA);
	assert_non_null(strstr(err.msg, "an access on SM 4294967295"));
	an_replace_free(r);
	tr_program_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_plain_caches),
		cmocka_unit_test(splits_add_up),
		cmocka_unit_test(keys_are_instructions),
		cmocka_unit_test(classes_are_those_of_locality),
		cmocka_unit_test(what_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
