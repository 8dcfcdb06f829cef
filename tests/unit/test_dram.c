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

/* ---- groups of banks ---- */

static struct sim_config grouped(void)
{
	struct sim_config c = timing();

	c.dram.groups = 4;
	c.dram.tCCDL = 8;
	return c;
}

static void at_one_row(struct rig *r, uint32_t i)
{
	put(r, 0, 0, i * 128 % ROW, false);
}

static void at_one_group(struct rig *r, uint32_t i)
{
	put(r, 0, i % 2 * 4, i * 128 % ROW, false);
}

static void at_two_groups(struct rig *r, uint32_t i)
{
	put(r, 0, i % 2, i * 128 % ROW, false);
}

/* A burst is 4 cycles, tCCDL 8. */
static void groups_take_tccdl(void **state)
{
	static const struct {
		void (*at)(struct rig *, uint32_t);
		double cycles;
	} streams[] = {{at_one_row, 8}, {at_one_group, 8}, {at_two_groups, 4}};
	const struct sim_config c = grouped();

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct rig *r = new_rig(&c);

		assert_near(cycles_each(r, 1000, streams[i].at), streams[i].cycles);
		free_rig(r);
	}
}

/* Bank 4 opens its row at 14, which takes less than what is left of tCCDL since bank 0's read. */
static void tccdl_outlasts_trcd(void **state)
{
	struct sim_config c = grouped();
	struct rig *r;

	(void)state;
	c.dram.tCCDL = 40;
	r = new_rig(&c);
	put(r, 0, 0, 0, false);
	drain(r);
	r->cycle = 14;
	put(r, 0, 4, 0, false);
	drain(r);
	assert_int_equal(r->column[0], 12);
	assert_int_equal(r->column[1], 12 + 40);
	free_rig(r);
}

/* With a queue shorter than a row only group_bytes has several groups in it. */
static void groups_by_bytes(void **state)
{
	struct sim_config c = grouped();
	struct rig *r;

	(void)state;
	c.dram.queue = 4;
	r = new_rig(&c);
	assert_true(cycles_each(r, 10000, at_stream) > 6.5);
	free_rig(r);
	c.dram.group_bytes = 128;
	r = new_rig(&c);
	assert_true(cycles_each(r, 10000, at_stream) < 4.3);
	free_rig(r);
}

static void at_new_rows_of_a_group(struct rig *r, uint32_t i)
{
	put(r, i, i % 2 * 4, 0, false);
}

static void activates_of_a_group_take_trrdl(void **state)
{
	struct sim_config c = grouped();
	struct rig *r;

	(void)state;
	c.dram.tRRDL = 20;
	r = new_rig(&c);
	assert_near(cycles_each(r, 1000, at_new_rows_of_a_group), 20);
	free_rig(r);
	r = new_rig(&c);
	assert_near(cycles_each(r, 1000, at_two_banks), 35 / 2.0); /* tRC */
	free_rig(r);
}

static void four_activates_in_tfaw(void **state)
{
	struct sim_config c = timing();
	struct rig *r;

	(void)state;
	c.dram.tRRD = 2;
	c.dram.tFAW = 40;
	r = new_rig(&c);
	for (uint32_t b = 0; b < 5; b++)
		put(r, 0, b, 0, false);
	drain(r);
	/* Activates at 0, 2, 4, 6 and then 40; a burst is 4. */
	assert_int_equal(r->column[3], 12 + 3 * 4);
	assert_int_equal(r->column[4], 40 + 12);
	free_rig(r);
	r = new_rig(&c);
	assert_near(cycles_each(r, 1000, at_all_banks), 40 / 4.0);
	free_rig(r);
}

/* ---- refresh ---- */

/* Of each tREFI the data have what tRFC and closing and opening rows leave. */
static void refresh_takes_trfc(void **state)
{
	struct sim_config c = timing();

	(void)state;
	c.dram.tREFI = 5000;
	for (c.dram.tRFC = 500; c.dram.tRFC <= 2500; c.dram.tRFC += 1000) {
		const double lost = c.dram.tRFC + c.dram.tRP + c.dram.tRCD;
		struct rig *r = new_rig(&c);

		assert_near(cycles_each(r, 20000, at_stream), 4 * 5000 / (5000 - lost));
		assert_int_equal(r->channel.refreshes, (r->cycle - 1) / 5000);
		free_rig(r);
	}
}

/* Refreshes that were due before a request came, in one row that was open: the third is at 3000. */
static void idle_channel_is_refreshed(void **state)
{
	struct sim_config c = timing();
	struct rig *r;

	(void)state;
	c.dram.tREFI = 1000;
	c.dram.tRFC = 100;
	r = new_rig(&c);
	put(r, 1, 0, 0, false);
	drain(r);
	r->cycle = 3050;
	put(r, 1, 0, 0, false);
	drain(r);
	assert_int_equal(r->column[1], 3000 + 100 + 12);
	assert_int_equal(r->channel.refreshes, 3);
	assert_int_equal(r->stats.dram_precharges, 1);
	r->cycle = 1000 * 1000 + 200;
	put(r, 1, 0, 0, false);
	drain(r);
	assert_int_equal(r->column[2], 1000 * 1000 + 200 + 12);
	assert_int_equal(r->channel.refreshes, 1000);
	free_rig(r);
}

/* Banks in turn: bank 0 at tREFI, bank 1 an eighth of it later. Others go on. */
static void banks_are_refreshed_in_turn(void **state)
{
	struct sim_config c = timing();
	struct rig *r;

	(void)state;
	c.dram.tREFI = 1600;
	c.dram.tRFC = 150;
	c.dram.refresh_banks = 1;
	r = new_rig(&c);
	r->cycle = 1600;
	put(r, 0, 0, 0, false);
	put(r, 0, 1, 0, false);
	drain(r);
	assert_int_equal(r->column[0], 1600 + 12);
	assert_int_equal(r->served[0], 1);
	assert_int_equal(r->column[1], 1600 + 150 + 12);
	r->cycle = 1801;
	put(r, 0, 1, 0, false);
	put(r, 0, 0, 0, false);
	drain(r);
	assert_int_equal(r->column[2], 1801);
	assert_int_equal(r->column[3], 1800 + 10 + 150 + 12); /* its row was open */
	assert_int_equal(r->channel.refreshes, 2);
	free_rig(r);
}

/* ---- two commands a cycle ---- */

/* A request is a precharge, an activate and a read. */
static void rows_have_a_bus_of_their_own(void **state)
{
	struct sim_config c = timing();

	(void)state;
	c.dram.bytes_per_cycle = 128;
	c.dram.tRC = 3;
	c.dram.tRAS = 2;
	c.dram.tRP = c.dram.tRCD = c.dram.tRRD = c.dram.tCCD = 1;
	for (c.dram.two_commands = 0; c.dram.two_commands < 2; c.dram.two_commands++) {
		struct rig *r = new_rig(&c);

		assert_near(cycles_each(r, 1000, at_all_banks), c.dram.two_commands ? 2 : 3);
		free_rig(r);
	}
}

/* ---- the referee ---- */

/* The last commands of each kind, as the data sheet's rules need them; -1000: none yet. */
struct referee {
	int64_t activate[BANKS], precharge[BANKS], read_end[BANKS], write_end[BANKS];
	int64_t any_activate, any_column, any_write_end, bus;
	int64_t group_activate[BANKS], group_column[BANKS], refreshed[BANKS];
	int64_t four[4]; /* activates */
	int64_t refresh_due;
	uint64_t row[BANKS];
};

static void referee_start(struct referee *f)
{
	int64_t *const all = (int64_t *)f;

	for (size_t i = 0; i < sizeof(*f) / sizeof(*all); i++)
		all[i] = -1000;
	for (unsigned b = 0; b < BANKS; b++)
		f->row[b] = SIM_NEVER;
	f->refresh_due = 0;
}

/* From when on bank b may be refreshed. */
static int64_t closed_at(const struct referee *f, const struct sim_config *c, unsigned b)
{
	int64_t at = f->precharge[b] + c->dram.tRP;

	if (f->row[b] != SIM_NEVER) {
		at = f->activate[b] + c->dram.tRAS;
		at = at > f->write_end[b] + c->dram.tWR ? at : f->write_end[b] + c->dram.tWR;
		at = at > f->read_end[b] - c->dram.tCL ? at : f->read_end[b] - c->dram.tCL;
		at = (at > f->refresh_due ? at : f->refresh_due) + c->dram.tRP;
	}
	return at > f->refresh_due ? at : f->refresh_due;
}

/* A refresh of the banks from..to - 1, which is due. */
static void judge_refresh(struct referee *f, const struct rig *r, unsigned from, unsigned to)
{
	int64_t start = 0;

	assert_true((int64_t)r->cycle >= f->refresh_due);
	for (unsigned b = from; b < to; b++) {
		const int64_t at = closed_at(f, &r->config, b);

		start = at > start ? at : start;
		f->row[b] = SIM_NEVER;
	}
	for (unsigned b = from; b < to; b++)
		f->refreshed[b] = start + r->config.dram.tRFC;
}

/* All that the channel has done since the last time. Rows that this leaves open were opened. */
static void judge_refreshes(struct referee *f, const struct rig *r, uint64_t *seen)
{
	const unsigned turns = r->config.dram.refresh_banks ? BANKS : 1;

	for (; *seen < r->channel.refreshes; ++*seen) {
		const unsigned b = turns > 1 ? (unsigned)(*seen % BANKS) : 0;

		f->refresh_due = (int64_t)(r->config.dram.tREFI * (turns + *seen) / turns);
		judge_refresh(f, r, b, turns > 1 ? b + 1 : BANKS);
	}
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
		assert_true(now >= f->group_activate[b % c->dram.groups] + c->dram.tRRDL);
		assert_true(now >= f->four[0] + c->dram.tFAW);
		assert_true(now >= f->refreshed[b]);
		f->activate[b] = f->any_activate = f->group_activate[b % c->dram.groups] = now;
		memmove(f->four, f->four + 1, 3 * sizeof(*f->four));
		f->four[3] = now;
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
	assert_true(now >= f->group_column[b % c->dram.groups] + c->dram.tCCDL);
	assert_true(end - burst >= f->bus);
	assert_true(s->r.write || now >= f->any_write_end + c->dram.tWTR);
	assert_int_equal(s->done, end);
	f->any_column = f->group_column[b % c->dram.groups] = now;
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

/* Half of the cases have what today's memories have. */
static void draw_today(struct sim_config *c, uint64_t *seed)
{
	c->dram.groups = 1;
	if (draw(seed, 2))
		return;
	c->dram.groups = 1u << draw(seed, 4);
	c->dram.tCCDL = (uint32_t)draw(seed, 12);
	c->dram.tRRDL = (uint32_t)draw(seed, 20);
	c->dram.tFAW = (uint32_t)draw(seed, 80);
	c->dram.two_commands = draw(seed, 2) != 0;
	c->dram.tREFI = draw(seed, 2) ? 400 : 0;
	c->dram.tRFC = (uint32_t)draw(seed, 300);
	c->dram.refresh_banks = draw(seed, 2) != 0;
}

/*
 * One command a cycle at most, or one of a row and one of a column, each within the timing and not
 * before the cycle that the channel has named, each request served once.
 */
static void referee(uint64_t seed)
{
	struct sim_config c = timing();
	struct rig *r;
	struct referee f;
	uint8_t *seen = calloc(2000, 1);
	uint32_t nserved = 0;
	uint64_t refreshes = 0, idle = 0; /* until when nothing is asked for */

	c.dram.fcfs = seed % 4 == 3;
	c.dram.bytes_per_cycle = 8u << draw(&seed, 3);
	c.dram.queue = 1 + (uint32_t)draw(&seed, 32);
	c.dram.tCCD = 1 + (uint32_t)draw(&seed, 9);
	c.dram.tWTR = (uint32_t)draw(&seed, 9);
	c.dram.tRRD = (uint32_t)draw(&seed, 9);
	draw_today(&c, &seed);
	r = new_rig(&c);
	referee_start(&f);
	while (nserved < 2000) {
		struct sim_dram_served s;
		unsigned columns = 0, rows = 0;
		uint64_t next;

		if (r->cycle >= idle && !draw(&seed, 300))
			idle = r->cycle + draw(&seed, 3000);
		if (r->nput < 2000 && r->cycle >= idle && sim_dram_room(&r->channel) &&
			draw(&seed, 8) < 3)
			put(r, draw(&seed, 3), (uint32_t)draw(&seed, BANKS), 0,
				draw(&seed, 3) == 0);
		next = r->channel.next;
		columns = sim_dram_step(&r->channel, r->cycle, &s);
		judge_refreshes(&f, r, &refreshes);
		if (columns) {
			judge_column(&f, &c, &s, (int64_t)r->cycle);
			assert_false(seen[s.r.mshr]++);
			nserved++;
		}
		for (unsigned b = 0; b < BANKS; b++)
			if (r->channel.banks[b].row != f.row[b]) {
				judge_row(&f, &c, b, r->channel.banks[b].row, (int64_t)r->cycle);
				rows++;
			}
		assert_true(columns + rows <= 1 || (columns + rows == 2 && rows == 1));
		assert_true(c.dram.two_commands || columns + rows <= 1);
		assert_true(columns + rows == 0 || next <= r->cycle);
		r->cycle++;
	}
	/* A refresh may close a row before it was read. */
	if (!c.dram.tREFI)
		assert_int_equal(r->stats.dram_row_hits + r->stats.dram_activates,
			r->stats.dram_reads + r->stats.dram_writes);
	free_rig(r);
	free(seen);
}

static void timing_is_kept(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++)
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
		cmocka_unit_test(groups_take_tccdl),
		cmocka_unit_test(tccdl_outlasts_trcd),
		cmocka_unit_test(groups_by_bytes),
		cmocka_unit_test(activates_of_a_group_take_trrdl),
		cmocka_unit_test(four_activates_in_tfaw),
		cmocka_unit_test(refresh_takes_trfc),
		cmocka_unit_test(idle_channel_is_refreshed),
		cmocka_unit_test(banks_are_refreshed_in_turn),
		cmocka_unit_test(rows_have_a_bus_of_their_own),
		cmocka_unit_test(timing_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
