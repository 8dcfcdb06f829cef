/*
 * Parts of an SM by themselves: the wheel of events against a list that is searched, the layout of
 * a CTA's record, reads that overtake their producer, and the check of the accounts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "sim/sm/state.h"
#include <stdlib.h>
#include <string.h>

static uint64_t rng;

static uint32_t dice(uint32_t n)
{
	rng = rng * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((rng >> 33) % n);
}

/* ---- the wheel ---- */

#define MEMBERS 40
#define NOT_FILED UINT64_MAX

/* Due at their cycle, or in the next one that is looked at. */
static void wheel_against_list(uint64_t seed, uint32_t ahead, uint32_t stride)
{
	uint64_t at[MEMBERS], now = 0;
	struct sim_wheel w;

	rng = seed;
	memset(at, 0xff, sizeof(at));
	assert_int_equal(sim_wheel_init(&w, MEMBERS), 0);
	for (int round = 0; round < 3000; round++) {
		uint64_t first = NOT_FILED, told;
		uint32_t m;

		for (uint32_t n = dice(4); n; n--) {
			m = dice(MEMBERS);
			if (at[m] != NOT_FILED)
				continue;
			at[m] = now + 1 + dice(ahead);
			sim_wheel_put(&w, m, at[m]);
		}
		for (m = 0; m < MEMBERS; m++)
			first = at[m] < first ? at[m] : first;
		told = sim_wheel_next(&w);
		if (first == NOT_FILED) {
			assert_int_equal(told, SIM_NEVER);
		} else {
			assert_true(told > now && told <= first);
			if (ahead < SIM_WHEEL) /* else a later one may be on its way */
				assert_int_equal(told, first);
		}
		now += 1 + dice(stride);
		while ((m = sim_wheel_take(&w, now)) != UINT32_MAX) {
			assert_true(m < MEMBERS);
			assert_true(at[m] <= now);
			at[m] = NOT_FILED;
		}
		for (m = 0; m < MEMBERS; m++)
			assert_true(at[m] > now);
	}
	sim_wheel_free(&w);
}

static void test_wheel(void **state)
{
	static const uint32_t ahead[] = {1, 7, 64, 255, 256, 257, 3000},
			      stride[] = {1, 5, 300, 2000};

	(void)state;
	for (unsigned a = 0; a < sizeof(ahead) / sizeof(*ahead); a++)
		for (unsigned s = 0; s < sizeof(stride) / sizeof(*stride); s++)
			wheel_against_list(10 * a + s, ahead[a], stride[s]);
}

/* What is filed for the present cycle while it is worked off is due in it; it grows. */
static void test_wheel_of_the_present(void **state)
{
	struct sim_wheel w;

	(void)state;
	assert_int_equal(sim_wheel_init(&w, 0), 0);
	assert_int_equal(sim_wheel_grow(&w, 1, 100), 0);
	sim_wheel_put(&w, 99, 10);
	assert_int_equal(sim_wheel_take(&w, 9), UINT32_MAX);
	assert_int_equal(sim_wheel_take(&w, 10), 99);
	sim_wheel_put(&w, 98, 10);
	sim_wheel_put(&w, 97, 3); /* as early as it can still be */
	sim_wheel_put(&w, 96, 11);
	assert_int_equal(sim_wheel_take(&w, 10) + sim_wheel_take(&w, 10), 98 + 97);
	assert_int_equal(sim_wheel_take(&w, 10), UINT32_MAX);
	assert_int_equal(sim_wheel_next(&w), 11);
	sim_wheel_free(&w);
}

/* A member goes round for as long as it takes, and no stack grows with it. */
static void test_wheel_of_the_future(void **state)
{
	const uint64_t far = 1ull << 28;
	struct sim_wheel w;

	(void)state;
	assert_int_equal(sim_wheel_init(&w, 2), 0);
	sim_wheel_put(&w, 1, far);
	assert_int_equal(sim_wheel_take(&w, far - 1), UINT32_MAX);
	assert_int_equal(sim_wheel_next(&w), far);
	sim_wheel_put(&w, 0, 2 * far);
	assert_int_equal(sim_wheel_take(&w, 2 * far), 1);
	assert_int_equal(sim_wheel_take(&w, 2 * far), 0);
	sim_wheel_free(&w);
}

/* ---- tapes ---- */

static void cta_free(struct tr_cta *c)
{
	for (uint32_t t = 0; t < c->nthreads; t++) {
		free(c->threads[t].outcomes);
		free(c->threads[t].values);
	}
	free(c->threads);
}

/* n threads; the lengths of their records differ by up to `spread`. */
static struct tr_cta random_cta(uint32_t n, uint32_t length, uint32_t spread)
{
	struct tr_cta c = {.nthreads = n};

	c.threads = calloc(n, sizeof(*c.threads));
	assert_non_null(c.threads);
	for (uint32_t t = 0; t < n; t++) {
		struct tr_thread *x = &c.threads[t];

		x->noutcomes = length + dice(spread + 1);
		x->nvalues = length + dice(spread + 1);
		x->outcomes = malloc(x->noutcomes + 1);
		x->values = malloc((x->nvalues + 1) * sizeof(*x->values));
		assert_non_null(x->outcomes);
		assert_non_null(x->values);
		for (uint32_t i = 0; i < x->noutcomes; i++)
			x->outcomes[i] = (uint8_t)dice(256);
		for (uint32_t i = 0; i < x->nvalues; i++)
			x->values[i] = (uint64_t)dice(UINT32_MAX) << 20 | i;
	}
	return c;
}

static void check_tape(const struct tr_cta *c, struct sim_thread *threads)
{
	for (uint32_t t = 0; t < c->nthreads; t++) {
		struct sim_thread *x = &threads[t];

		assert_int_equal(x->number, t);
		assert_int_equal(x->path, 0);
		assert_int_equal(x->outcomes, c->threads[t].noutcomes);
		assert_int_equal(x->values, c->threads[t].nvalues);
		for (uint32_t i = 0; i < c->threads[t].noutcomes; i++)
			assert_int_equal(sim_tape_outcome(x), c->threads[t].outcomes[i]);
		for (uint32_t i = 0; i < c->threads[t].nvalues; i++)
			assert_int_equal(sim_tape_value(x), c->threads[t].values[i]);
		assert_int_equal(x->outcomes + x->values, 0);
	}
}

/* One tape is used for CTA after CTA, of equal threads and of very different ones. */
static void test_tape(void **state)
{
	struct sim_tape tape = {0};

	(void)state;
	rng = 3;
	for (int round = 0; round < 200; round++) {
		struct tr_cta c = random_cta(1 + dice(200), dice(30), dice(2) * dice(200));
		struct sim_thread *threads = calloc(c.nthreads, sizeof(*threads));

		assert_non_null(threads);
		assert_int_equal(sim_tape_load(&tape, &c, threads), 0);
		check_tape(&c, threads);
		free(threads);
		cta_free(&c);
	}
	sim_tape_free(&tape);
}

/* One long thread among 32 does not make room 32 times. */
static void test_tape_room(void **state)
{
	struct sim_tape tape = {0};
	struct tr_cta c = random_cta(32, 2, 0);
	struct sim_thread threads[32];

	(void)state;
	c.threads[7].outcomes = realloc(c.threads[7].outcomes, 100000);
	assert_non_null(c.threads[7].outcomes);
	memset(c.threads[7].outcomes, 1, 100000);
	c.threads[7].noutcomes = 100000;
	assert_int_equal(sim_tape_load(&tape, &c, threads), 0);
	assert_true(tape.cap_outcomes < 200000);
	check_tape(&c, threads);
	sim_tape_free(&tape);
	cta_free(&c);
}

/*
 * Thread 0 reads with its values 1 and 3 what threads 1 and 2 wrote with their values 0 and 1. A
 * read overtakes when the writer has not yet come past the write.
 */
static void test_overtaking(void **state)
{
	struct tr_sync_read sync[] = {
		{.reader = 0, .writer = 1, .reader_value = 1, .writer_value = 0},
		{.reader = 0, .writer = 2, .reader_value = 3, .writer_value = 1},
	};

	(void)state;
	for (uint32_t done1 = 0; done1 < 2; done1++)
		for (uint32_t done2 = 0; done2 < 3; done2++) {
			struct sim_tape tape = {0};
			struct tr_cta c = random_cta(3, 4, 0);
			struct sim_thread threads[3];
			int overtakes[4];

			c.sync = sync;
			c.nsync = 2;
			assert_int_equal(sim_tape_load(&tape, &c, threads), 0);
			for (uint32_t i = 0; i < done1; i++)
				sim_tape_value(&threads[1]);
			for (uint32_t i = 0; i < done2; i++)
				sim_tape_value(&threads[2]);
			for (int i = 0; i < 4; i++) {
				overtakes[i] = sim_tape_overtakes(&tape, threads, &threads[0]);
				sim_tape_value(&threads[0]);
			}
			assert_int_equal(overtakes[0] + overtakes[2], 0);
			assert_int_equal(overtakes[1], done1 < 1);
			assert_int_equal(overtakes[3], done2 < 2);
			sim_tape_free(&tape);
			cta_free(&c);
		}
}

/* ---- accounts ---- */

#define CYCLES 10
#define SMS 3
#define SCHEDULERS 2

static const struct sim_counter counters[] = {{"waited", "", 1}, {"ticked", "", 0}, {0}};

static void sound_stats(struct sim_stats *s)
{
	assert_int_equal(sim_stats_init(s, 2, counters), 0);
	s->cycles = CYCLES;
	s->by_cycle[SIM_CY_ISSUED] = 20;
	s->by_cycle[SIM_CY_IDLE] = CYCLES * SMS * SCHEDULERS - 20;
	s->issued_bins[0] = 4;
	s->issued_bins[7] = 16;
	s->insts[0] = (struct sim_inst_stats){12, 300, 310, 384, 9, 4, 3, 2};
	s->insts[1] = (struct sim_inst_stats){8, 100, 130, 256, 1, 1, 0, 0};
	s->warp_insts = 20;
	s->thread_insts = 400;
	s->active_lanes = 440;
	s->issue_lanes = 640;
	s->l1d = (struct sim_l1d_stats){.accesses = 10,
		.hits = 5,
		.misses = 3,
		.merges = 2,
		.hit_sectors = 7,
		.miss_sectors = 5,
		.intra_warp_hits = 4,
		.inter_warp_hits = 1};
	s->thread_cycles = 70;
	s->by_thread[SIM_TH_READY] = 30;
	s->by_thread[SIM_TH_MEET] = 40;
	s->policy[0] = 4;
	s->policy_insts[0] = 3;
	s->policy_insts[1] = 1;
	s->policy[1] = 100; /* not counted by instruction */
}

/* Each figure that stands in an identity, changed by one, is found and the identity named. */
static void test_accounts(void **state)
{
	struct sim_stats s;
	const struct {
		uint64_t *figure;
		const char *named;
	} figures[] = {
		{&s.cycles, "classes of cycles"},
		{&s.by_cycle[SIM_CY_WITHHELD], "classes of cycles"},
		{&s.by_cycle[SIM_CY_DRAINED], "classes of cycles"},
		{&s.issued_bins[3], "bins"},
		{&s.warp_insts, "warp instructions"},
		{&s.thread_insts, "thread instructions"},
		{&s.active_lanes, "active lanes"},
		{&s.issue_lanes, "lanes of warps"},
		{&s.l1d.accesses, "accesses"},
		{&s.l1d.hits, "hits"},
		{&s.l1d.misses, "misses"},
		{&s.l1d.merges, "merges"},
		{&s.l1d.intra_warp_hits, "within and between warps"},
		{&s.l1d.inter_warp_hits, "within and between warps"},
		{&s.policy[0], "waited"},
		{&s.thread_cycles, "threads by what they do"},
		{&s.by_thread[SIM_TH_READY], "threads by what they do"},
		{&s.by_thread[SIM_TH_BARRIER], "threads by what they do"},
	};
	struct sim_config c;
	struct tr_err err;

	(void)state;
	sim_config_default(&c);
	c.sm.sms = SMS;
	c.sm.schedulers = SCHEDULERS;
	sound_stats(&s);
	assert_int_equal(sim_stats_check(&s, &c, &err), 1);
	for (unsigned i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		for (int by = -1; by <= 1; by += 2) {
			*figures[i].figure += (uint64_t)by;
			assert_int_equal(sim_stats_check(&s, &c, &err), TR_EDATA);
			assert_non_null(strstr(err.msg, "does not add up"));
			assert_non_null(strstr(err.msg, figures[i].named));
			*figures[i].figure -= (uint64_t)by;
		}
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t *of_inst = (uint64_t *)&s.insts[i];

		for (size_t k = 0; k < sizeof(*s.insts) / sizeof(*of_inst); k++) {
			of_inst[k]++;
			assert_int_equal(sim_stats_check(&s, &c, &err), TR_EDATA);
			assert_non_null(strstr(err.msg, "per pc"));
			of_inst[k]--;
		}
	}
	assert_int_equal(sim_stats_check(&s, &c, &err), 1);
	sim_stats_free(&s);
}

/* Sums of launches: counts add up, the deepest stack stays. */
static void test_sums(void **state)
{
	struct sim_stats s, sum = {0};

	(void)state;
	sound_stats(&s);
	s.stack_depth_max = 4;
	s.mem.requests = 7;
	s.mem.latency_sum = 1000;
	sim_stats_add(&sum, &s);
	s.stack_depth_max = 3;
	sim_stats_add(&sum, &s);
	assert_int_equal(sum.cycles, 2 * CYCLES);
	assert_int_equal(sum.by_cycle[SIM_CY_IDLE], 2 * s.by_cycle[SIM_CY_IDLE]);
	assert_int_equal(sum.thread_insts, 800);
	assert_int_equal(sum.l1d.inter_warp_hits, 2);
	assert_int_equal(sum.mem.requests, 14);
	assert_int_equal(sum.mem.latency_sum, 2000);
	assert_int_equal(sum.stack_depth_max, 4);
	sim_stats_free(&s);
}

/* The table has each number of the struct, from the first to the last, once. */
static void test_table_is_whole(void **state)
{
	struct sim_stats *s = calloc(1, sizeof(*s));
	const uint64_t *first = &s->cycles, *end = (const uint64_t *)(s + 1);
	const struct sim_stat *f;

	(void)state;
	assert_non_null(s);
	for (unsigned i = 0; (f = sim_stats_at(i)); i++)
		for (uint32_t k = 0; k < f->n; k++)
			((uint64_t *)sim_stats_numbers(s, f))[k]++;
	for (const uint64_t *n = first; n < end; n++)
		if (*n != 1)
			fail_msg("number %td of struct sim_stats is %llu times in stats.def",
				n - first, (unsigned long long)*n);
	free(s);
}

/* ... and sums, maxima and the hash are made of all of them. */
static void test_each_counts(void **state)
{
	const struct sim_stat *f;

	(void)state;
	for (unsigned i = 0; (f = sim_stats_at(i)); i++) {
		struct sim_stats s = {0}, sum = {0};
		const uint64_t none = sim_stats_hash(&s, 1);
		uint64_t *last = (uint64_t *)sim_stats_numbers(&s, f) + f->n - 1;

		*last = 3;
		sim_stats_add(&sum, &s);
		*last = 2;
		sim_stats_add(&sum, &s);
		assert_int_equal(
			sim_stats_numbers(&sum, f)[f->n - 1], f->kind == SIM_STAT_SUM ? 5 : 3);
		assert_int_equal(sim_stats_hash(&s, 1) != none,
			f->group == SIM_STAT_OF_SM || f->group == SIM_STAT_OF_LAUNCH ||
				f->group == SIM_STAT_OF_WAITS);
	}
}

static void test_names(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SIM_NCYCLES; i++)
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(sim_cycle_name((enum sim_cycle)i),
				sim_cycle_name((enum sim_cycle)k));
	assert_null(sim_cycle_name(SIM_NCYCLES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wheel),
		cmocka_unit_test(test_wheel_of_the_present),
		cmocka_unit_test(test_wheel_of_the_future),
		cmocka_unit_test(test_tape),
		cmocka_unit_test(test_tape_room),
		cmocka_unit_test(test_overtaking),
		cmocka_unit_test(test_accounts),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_table_is_whole),
		cmocka_unit_test(test_each_counts),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
