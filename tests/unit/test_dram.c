/*
 * One DRAM channel: the order of FR-FCFS on hand-made queues, bandwidth against closed forms, and a
 * referee that holds every command of random queues to the timing, by rules of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem/dram.h"

#define ROW 2048
#define BANKS 8
#define SERVED_MAX 20000

struct rig {
	struct sim_config config;
	struct sim_mem_stats stats;
	struct sim_dram channel;
	uint64_t cycle;
	uint32_t served[SERVED_MAX]; /* numbers of requests in the order of their column commands */
	uint64_t column[SERVED_MAX]; /* and the cycles of those */
	uint32_t nserved, nput;
};

static struct sim_config timing(void)
{
	struct sim_config c = {0};

	c.dram.banks = BANKS;
	c.dram.row_bytes = ROW;
	c.dram.bytes_per_cycle = 32;
	c.dram.queue = 32;
	c.dram.tCL = 10;
	c.dram.tRP = 10;
	c.dram.tRC = 35;
	c.dram.tRAS = 25;
	c.dram.tRCD = 12;
	c.dram.tRRD = 8;
	c.dram.tCCD = 2;
	c.dram.tWR = 11;
	c.dram.tWTR = 5;
	return c;
}

static struct rig *new_rig(const struct sim_config *c)
{
	struct rig *r = calloc(1, sizeof(*r));

	r->config = *c;
	assert_int_equal(sim_dram_new(&r->channel, &r->config, &r->stats, NULL), 1);
	return r;
}

static void free_rig(struct rig *r)
{
	sim_dram_free(&r->channel);
	free(r);
}

static void put(struct rig *r, uint64_t row, uint32_t bank, uint32_t column, bool write)
{
	const struct sim_dram_request q = {
		.local = (row * r->config.dram.banks + bank) * ROW + column,
		.bytes = 128,
		.mshr = r->nput++,
		.write = write};

	sim_dram_put(&r->channel, &q, r->cycle);
}

static void step(struct rig *r)
{
	struct sim_dram_served s;

	if (sim_dram_step(&r->channel, r->cycle, &s)) {
		r->served[r->nserved] = s.r.mshr;
		r->column[r->nserved++] = r->cycle;
	}
	r->cycle++;
}

static void drain(struct rig *r)
{
	while (r->channel.n)
		step(r);
}

static void assert_order(const struct rig *r, const uint32_t *order, uint32_t n)
{
	assert_int_equal(r->nserved, n);
	assert_memory_equal(r->served, order, n * sizeof(*order));
}

/* ---- order ---- */

/* Rows A B A A B in one bank: hits first, then by age. */
static void put_two_rows(struct rig *r)
{
	static const unsigned row[] = {1, 2, 1, 1, 2};

	for (unsigned i = 0; i < 5; i++)
		put(r, row[i], 0, 128 * i, false);
}

static void hits_go_first(void **state)
{
	static const uint32_t expect[] = {0, 2, 3, 1, 4};
	const struct sim_config c = timing();
	struct rig *r = new_rig(&c);

	(void)state;
	put_two_rows(r);
	drain(r);
	assert_order(r, expect, 5);
	assert_int_equal(r->stats.dram_activates, 2);
	assert_int_equal(r->stats.dram_row_hits, 3);
	free_rig(r);
}

static void fcfs_keeps_the_order(void **state)
{
	static const uint32_t expect[] = {0, 1, 2, 3, 4};
	struct sim_config c = timing();
	struct rig *r;

	(void)state;
	c.dram.fcfs = 1;
	r = new_rig(&c);
	put_two_rows(r);
	drain(r);
	assert_order(r, expect, 5);
	assert_int_equal(r->stats.dram_activates, 4);
	free_rig(r);
}

/* A hit that arrives while an older request of another row waits for its precharge passes it. */
static void late_hit_passes(void **state)
{
	static const uint32_t expect[] = {0, 2, 1};
	const struct sim_config c = timing();
	struct rig *r = new_rig(&c);

	(void)state;
	put(r, 1, 0, 0, false);
	put(r, 2, 0, 0, false);
	while (!r->nserved)
		step(r);
	put(r, 1, 0, 128, false);
	drain(r);
	assert_order(r, expect, 3);
	free_rig(r);
}

/* But not once the row is closed. */
static void closed_row_is_no_hit(void **state)
{
	static const uint32_t expect[] = {0, 1, 2};
	const struct sim_config c = timing();
	struct rig *r = new_rig(&c);

	(void)state;
	put(r, 1, 0, 0, false);
	put(r, 2, 0, 0, false);
	while (r->channel.banks[0].row != 1)
		step(r);
	while (r->channel.banks[0].row == 1)
		step(r);
	put(r, 1, 0, 128, false);
	drain(r);
	assert_order(r, expect, 3);
	free_rig(r);
}

/* Younger requests to open rows of other banks go while an older one waits for its row. */
static void banks_overlap(void **state)
{
	static const uint32_t expect[] = {0, 2, 1};
	const struct sim_config c = timing();
	struct rig *r = new_rig(&c);

	(void)state;
	put(r, 1, 0, 0, false);
	put(r, 2, 0, 0, false);
	put(r, 1, 1, 0, false);
	drain(r);
	assert_order(r, expect, 3);
	/* Activates at 0 and tRRD; columns tRCD after each; then tRC from the first activate. */
	assert_int_equal(r->column[0], 12);
	assert_int_equal(r->column[1], 20);
	assert_int_equal(r->column[2], 35 + 12);
	free_rig(r);
}

static void turnarounds(void **state)
{
	const struct sim_config c = timing();
	struct rig *r = new_rig(&c);

	(void)state;
	put(r, 1, 0, 0, true);
	put(r, 1, 0, 128, true);
	put(r, 1, 0, 256, false);
	put(r, 1, 0, 384, true);
	put(r, 2, 0, 0, false);
	drain(r);
	assert_int_equal(r->column[0], 12);
	assert_int_equal(r->column[1], 16);
	/* The bank works for its oldest hit: the write waits with the read before it. */
	assert_int_equal(r->column[2], 16 + 10 + 4 + 5);
	assert_int_equal(r->column[3], 35 + 4);
	/* Data written, precharge, activate. */
	assert_int_equal(r->column[4], 39 + 10 + 4 + 11 + 10 + 12);
	free_rig(r);
}

/* ---- bandwidth ---- */

/* Keeps the queue full with n requests that at(i) places; cycles from the first to the last. */
static double cycles_each(struct rig *r, uint32_t n, void (*at)(struct rig *, uint32_t))
{
	for (uint32_t i = 0; i < n;) {
		if (sim_dram_room(&r->channel))
			at(r, i++);
		else
			step(r);
	}
	drain(r);
	assert_int_equal(r->nserved, n);
	return (double)(r->column[n - 1] - r->column[0]) / (n - 1);
}

static void assert_near(double value, double expect)
{
	if (value < expect * 0.98 || value > expect * 1.02)
		fail_msg("%g instead of %g", value, expect);
}

static void at_stream(struct rig *r, uint32_t i)
{
	const uint32_t line = i * 128;

	put(r, line / ROW / BANKS, line / ROW % BANKS, line % ROW, false);
}

static void stream_takes_the_bus(void **state)
{
	const struct sim_config c = timing();
	struct rig *r = new_rig(&c);

	(void)state;
	assert_near(cycles_each(r, 10000, at_stream), 128 / 32);
	assert_int_equal(r->stats.dram_row_hits, 10000 - 10000 / 16);
	assert_near((double)r->stats.dram_data_cycles, (double)r->stats.dram_active_cycles);
	assert_int_equal(r->stats.dram_bytes, 10000 * 128);
	free_rig(r);
}

static void at_new_row(struct rig *r, uint32_t i)
{
	put(r, i, 0, 0, false);
}

static void rows_of_one_bank_take_trc(void **state)
{
	const struct sim_config c = timing();
	struct rig *r = new_rig(&c);

	(void)state;
	assert_near(cycles_each(r, 1000, at_new_row), 35);
	assert_int_equal(r->stats.dram_activates, 1000);
	free_rig(r);
}

static void at_two_banks(struct rig *r, uint32_t i)
{
	put(r, i, i % 2, 0, false);
}

static void at_all_banks(struct rig *r, uint32_t i)
{
	put(r, i, i % BANKS, 0, false);
}

static void banks_work_side_by_side(void **state)
{
	struct sim_config c = timing();
	struct rig *r = new_rig(&c);

	(void)state;
	assert_near(cycles_each(r, 1000, at_two_banks), 35 / 2.0);
	free_rig(r);
	r = new_rig(&c);
	assert_near(cycles_each(r, 1000, at_all_banks), 8); /* tRRD */
	free_rig(r);
	c.dram.tRRD = 1;
	r = new_rig(&c);
	assert_near(cycles_each(r, 1000, at_all_banks), 35 / 8.0);
	free_rig(r);
	c.dram.bytes_per_cycle = 8;
	r = new_rig(&c);
	assert_near(cycles_each(r, 1000, at_all_banks), 16);
	free_rig(r);
}

/* ---- the referee ---- */

/* The last commands of each kind, as the data sheet's rules need them; -1000: none yet. */
struct referee {
	int64_t activate[BANKS], precharge[BANKS], read_end[BANKS], write_end[BANKS];
	int64_t any_activate, any_column, any_write_end, bus;
	uint64_t row[BANKS];
};

static void referee_start(struct referee *f)
{
	int64_t *const all = (int64_t *)f;

	for (size_t i = 0; i < sizeof(*f) / sizeof(*all); i++)
		all[i] = -1000;
	for (unsigned b = 0; b < BANKS; b++)
		f->row[b] = SIM_NEVER;
}

static void judge_row(
	struct referee *f, const struct sim_config *c, unsigned b, uint64_t row, int64_t now)
{
	if (row == SIM_NEVER) {
		assert_true(now >= f->activate[b] + c->dram.tRAS);
		assert_true(now >= f->write_end[b] + c->dram.tWR);
		assert_true(now >= f->read_end[b] - c->dram.tCL);
		f->precharge[b] = now;
	} else {
		assert_true(f->row[b] == SIM_NEVER);
		assert_true(now >= f->activate[b] + c->dram.tRC);
		assert_true(now >= f->precharge[b] + c->dram.tRP);
		assert_true(now >= f->any_activate + c->dram.tRRD);
		f->activate[b] = f->any_activate = now;
	}
	f->row[b] = row;
}

static void judge_column(
	struct referee *f, const struct sim_config *c, const struct sim_dram_served *s, int64_t now)
{
	const uint64_t row = s->r.local / ROW;
	const unsigned b = (unsigned)(row % BANKS);
	const int64_t burst = (s->r.bytes + c->dram.bytes_per_cycle - 1) / c->dram.bytes_per_cycle;
	const int64_t end = now + c->dram.tCL + burst;

	assert_true(f->row[b] == row / BANKS);
	assert_true(now >= f->activate[b] + c->dram.tRCD);
	assert_true(now >= f->any_column + c->dram.tCCD);
	assert_true(end - burst >= f->bus);
	assert_true(s->r.write || now >= f->any_write_end + c->dram.tWTR);
	assert_int_equal(s->done, end);
	f->any_column = now;
	f->bus = end;
	if (s->r.write)
		f->write_end[b] = f->any_write_end = end;
	else
		f->read_end[b] = end;
}

static uint64_t draw(uint64_t *state, uint64_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % n;
}

/* One command a cycle at most, each within the timing, each request served once. */
static void referee(uint64_t seed)
{
	struct sim_config c = timing();
	struct rig *r;
	struct referee f;
	uint8_t *seen = calloc(2000, 1);
	uint32_t nserved = 0;

	c.dram.fcfs = seed % 4 == 3;
	c.dram.bytes_per_cycle = 8u << draw(&seed, 3);
	c.dram.queue = 1 + (uint32_t)draw(&seed, 32);
	c.dram.tCCD = 1 + (uint32_t)draw(&seed, 9);
	c.dram.tWTR = (uint32_t)draw(&seed, 9);
	c.dram.tRRD = (uint32_t)draw(&seed, 9);
	r = new_rig(&c);
	referee_start(&f);
	while (nserved < 2000) {
		struct sim_dram_served s;
		unsigned commands = 0;

		if (r->nput < 2000 && sim_dram_room(&r->channel) && draw(&seed, 8) < 3)
			put(r, draw(&seed, 3), (uint32_t)draw(&seed, BANKS), 0,
				draw(&seed, 3) == 0);
		if (sim_dram_step(&r->channel, r->cycle, &s)) {
			judge_column(&f, &c, &s, (int64_t)r->cycle);
			assert_false(seen[s.r.mshr]++);
			nserved++;
			commands++;
		}
		for (unsigned b = 0; b < BANKS; b++)
			if (r->channel.banks[b].row != f.row[b]) {
				judge_row(&f, &c, b, r->channel.banks[b].row, (int64_t)r->cycle);
				commands++;
			}
		assert_true(commands <= 1);
		r->cycle++;
	}
	assert_int_equal(r->stats.dram_row_hits + r->stats.dram_activates,
		r->stats.dram_reads + r->stats.dram_writes);
	free_rig(r);
	free(seen);
}

static void timing_is_kept(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++)
		referee(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_go_first),
		cmocka_unit_test(fcfs_keeps_the_order),
		cmocka_unit_test(late_hit_passes),
		cmocka_unit_test(closed_row_is_no_hit),
		cmocka_unit_test(banks_overlap),
		cmocka_unit_test(turnarounds),
		cmocka_unit_test(stream_takes_the_bus),
		cmocka_unit_test(rows_of_one_bank_take_trc),
		cmocka_unit_test(banks_work_side_by_side),
		cmocka_unit_test(timing_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
