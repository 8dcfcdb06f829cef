/*
 * The memory system behind the L1s: single round trips to the cycle, bandwidth and Little's law
 * against closed forms, fairness under load from 30 SMs, what the L2 fetches, merges and writes
 * back, and that nothing is lost, doubled, or changed by sleeping.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem/mem.h"

#define SMS_MAX 64
#define LINE 128

/* The numbers of the ccws machine, but for short latencies. */
static struct sim_config machine(void)
{
	struct sim_config c = {0};

	c.clock.core = 325;
	c.clock.icnt = 650;
	c.clock.l2 = 650;
	c.clock.dram = 800;
	c.sm.sms = 30;
	c.l1d.g.line_bytes = LINE;
	c.icnt.flit_bytes = 32;
	c.icnt.header_bytes = 8;
	c.icnt.reply_header_bytes = 8;
	c.icnt.latency = 4;
	c.icnt.cluster = 1;
	c.icnt.inject_queue = 8;
	c.icnt.eject_queue = 8;
	c.l2.slices = 8;
	c.l2.interleave_bytes = 256;
	c.l2.g = (struct sim_geometry){.sets = 128, .ways = 8, .line_bytes = LINE};
	c.l2.latency = 20;
	c.l2.mshrs = 32;
	c.l2.merges = 4;
	c.l2.queue = 8;
	c.dram.banks = 8;
	c.dram.row_bytes = 2048;
	c.dram.bytes_per_cycle = 8;
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
	c.dram.latency = 30;
	return c;
}

/* One SM, one slice, one clock. */
static struct sim_config small_machine(void)
{
	struct sim_config c = machine();

	c.clock.icnt = c.clock.l2 = c.clock.dram = c.clock.core;
	c.sm.sms = 1;
	c.l2.slices = 1;
	return c;
}

static struct sim_mem *new_mem(const struct sim_config *c)
{
	struct sim_mem *m = NULL;
	struct tr_err err = {0};

	if (sim_mem_new(&m, c, &err) < 0)
		fail_msg("%s", err.msg);
	return m;
}

static struct sim_mem_request request(enum sim_mem_op op, uint64_t line, uint32_t bytes)
{
	return (struct sim_mem_request){.line = line,
		.sectors = sim_all_sectors(bytes),
		.bytes = bytes,
		.op = (uint8_t)op,
		.reply = op != SIM_MEM_WRITE};
}

static void assert_near(double value, double expect)
{
	if (value < expect * 0.98 || value > expect * 1.02)
		fail_msg("%g instead of %g", value, expect);
}

static uint64_t draw(uint64_t *state, uint64_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % n;
}

/* ---- one request ---- */

/* Runs from cycle *now on until all is quiet; replies taken at once, the cycle of the last. */
static uint64_t settle(struct sim_mem *m, uint32_t sms, uint64_t *now)
{
	uint64_t woken[SMS_MAX / 64] = {0}, last = 0;
	struct sim_mem_request r;

	for (uint64_t next; (next = sim_mem_next(m, *now)) != UINT64_MAX;) {
		*now = next;
		sim_mem_run(m, *now, woken);
		for (uint32_t i = 0; i < sms; i++)
			while (sim_mem_reply(m, i, *now, &r))
				last = *now;
	}
	return last;
}

static uint64_t round_trip(struct sim_mem *m, enum sim_mem_op op, uint64_t line, uint32_t bytes)
{
	static const uint64_t start = 1000;
	const struct sim_mem_request r = request(op, line, bytes);
	uint64_t now = start;

	sim_mem_push(m, &r, now);
	return settle(m, 1, &now) - start;
}

static void a_hit_to_the_cycle(void **state)
{
	struct sim_config c = small_machine();
	struct sim_mem *m;

	(void)state;
	c.l2.part = SIM_PERFECT;
	m = new_mem(&c);
	/* To the crossbar, a flit, the wires; the L2; to the crossbar, 136 bytes, the wires. */
	assert_int_equal(round_trip(m, SIM_MEM_READ, 0, LINE), 1 + 1 + 4 + 20 + 1 + 5 + 4);
	assert_int_equal(sim_mem_stats(m)->l2_hits, 1);
	assert_int_equal(sim_mem_stats(m)->reply_flits, 5);
	assert_int_equal(sim_mem_stats(m)->traffic_bytes, LINE);
	sim_mem_free(m);
	c.icnt.reply_header_bytes = 0;
	m = new_mem(&c);
	assert_int_equal(round_trip(m, SIM_MEM_READ, 0, LINE), 1 + 1 + 4 + 20 + 1 + 4 + 4);
	sim_mem_free(m);
}

static void a_miss_to_the_cycle(void **state)
{
	const struct sim_config c = small_machine();
	struct sim_mem *m = new_mem(&c);

	(void)state;
	/* On top of a hit: to the channel's queue and its clock, activate, read, 16 of data. */
	assert_int_equal(round_trip(m, SIM_MEM_READ, 0, LINE), 36 + 1 + 1 + 12 + 10 + 16 + 30);
	assert_int_equal(sim_mem_stats(m)->l2_misses, 1);
	assert_int_equal(sim_mem_stats(m)->dram_reads, 1);
	sim_mem_free(m);
}

/* Whoever looks in every cycle is told of none that is later than the reply's. */
static void nobody_sleeps_beyond_a_reply(void **state)
{
	static const uint32_t clocks[][4] = {
		{1, 1, 1, 1}, {1, 3, 2, 1}, {2, 1, 3, 1}, {3, 2, 1, 2}};
	struct sim_config c = small_machine();

	(void)state;
	for (unsigned i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
		for (uint32_t bytes = 4; bytes <= LINE; bytes += LINE - 4) {
			const struct sim_mem_request r = request(SIM_MEM_READ, 0, bytes);
			struct sim_mem_request reply;
			struct sim_mem *m;
			uint64_t trip, woken = 0;

			c.clock.core = 300 * clocks[i][0];
			c.clock.icnt = 300 * clocks[i][1];
			c.clock.l2 = 300 * clocks[i][2];
			c.clock.dram = 300 * clocks[i][3];
			m = new_mem(&c);
			trip = round_trip(m, SIM_MEM_READ, 0, bytes);
			sim_mem_free(m);
			m = new_mem(&c);
			sim_mem_push(m, &r, 1000);
			for (uint64_t now = 1001; now < 1000 + trip; now++) {
				sim_mem_run(m, now, &woken);
				assert_int_equal(sim_mem_reply(m, 0, now, &reply), 0);
				assert_in_range(sim_mem_next(m, now), now + 1, 1000 + trip);
			}
			sim_mem_run(m, 1000 + trip, &woken);
			assert_int_equal(sim_mem_reply(m, 0, 1000 + trip, &reply), 1);
			sim_mem_free(m);
		}
}

/* A write of five flits is in the way of a read: the queue of one is full for four cycles more. */
static void full_queues_are_counted(void **state)
{
	struct sim_config c = small_machine();

	(void)state;
	c.icnt.inject_queue = 1;
	for (uint32_t n = 1; n <= 2; n++) {
		struct sim_mem *m = new_mem(&c);
		uint64_t now = 1000, woken = 0;

		for (uint32_t i = 0; i < n; i++) {
			const struct sim_mem_request r =
				request(i ? SIM_MEM_READ : SIM_MEM_WRITE, 0, LINE);

			sim_mem_run(m, now, &woken);
			assert_true(sim_mem_room(m, 0));
			sim_mem_push(m, &r, now++);
		}
		settle(m, 1, &now);
		assert_int_equal(sim_mem_stats(m)->inject_stalls, n == 2 ? 4 : 0);
		sim_mem_free(m);
	}
}

static void clocks_keep_their_ratios(void **state)
{
	struct sim_config c = small_machine();
	struct sim_mem *m;

	(void)state;
	c.l2.part = SIM_PERFECT;
	c.icnt.reply_header_bytes = c.icnt.flit_bytes; /* so that a word's reply has two flits */
	c.icnt.latency = 1000;
	c.clock.icnt = 3 * c.clock.core;
	c.clock.l2 = 7 * c.clock.core;
	m = new_mem(&c);
	/*
	 * In ticks, 21 in a core cycle: 1 + 1 + 1000 icnt cycles, 20 of the L2, up to the next of
	 * icnt, 2 + 1000 of them.
	 */
	assert_int_equal(
		round_trip(m, SIM_MEM_READ, 0, 4), (334 * 21 + 20 * 3 + 3 + 1002 * 7) / 21);
	sim_mem_free(m);
}

static void perfect_memory(void **state)
{
	struct sim_config c = machine();
	struct sim_mem *m;
	struct sim_mem_request r;
	uint64_t woken = 0;

	(void)state;
	c.memory.part = SIM_PERFECT;
	c.memory.latency = 100;
	m = new_mem(&c);
	for (uint32_t i = 0; i < 60; i++) {
		r = request(i % 3 ? SIM_MEM_READ : SIM_MEM_WRITE, 4096 * i, LINE);
		r.sm = i % 2;
		r.tag = i;
		assert_true(sim_mem_room(m, r.sm));
		sim_mem_push(m, &r, i / 2);
	}
	assert_int_equal(sim_mem_next(m, 29), 100);
	for (uint32_t i = 0; i < 60; i++) {
		sim_mem_run(m, 100 + i / 2, &woken);
		if (i % 3 == 0)
			continue;
		assert_int_equal(woken >> i % 2 & 1, 1);
		assert_int_equal(sim_mem_reply(m, i % 2, 100 + i / 2, &r), 1);
		assert_int_equal(r.tag, i);
		assert_int_equal(sim_mem_reply(m, i % 2, 100 + i / 2, &r), 0);
	}
	assert_int_equal(sim_mem_next(m, 200), UINT64_MAX);
	assert_int_equal(sim_mem_stats(m)->latency_sum, 40 * 100);
	sim_mem_free(m);
}

/* ---- the L2 ---- */

/* So many requests of one kind, one after another, to lines that lie together. */
static void sweep(struct sim_mem *m, uint64_t *now, enum sim_mem_op op, uint32_t bytes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct sim_mem_request r = request(op, (uint64_t)i * LINE, bytes);

		sim_mem_push(m, &r, *now);
		settle(m, 1, now);
	}
}

#define L2_LINES (8 * 128 * 8) /* of the machine's slices together */

/* Slices and sets share the lines evenly, so all of them fit and no more. */
static void all_of_the_l2_is_used(void **state)
{
	const struct sim_config c = machine();
	struct sim_mem *m = new_mem(&c);
	uint64_t now = 0;

	(void)state;
	sweep(m, &now, SIM_MEM_READ, LINE, L2_LINES);
	assert_int_equal(sim_mem_stats(m)->l2_misses, L2_LINES);
	sweep(m, &now, SIM_MEM_READ, LINE, L2_LINES);
	assert_int_equal(sim_mem_stats(m)->l2_hits, L2_LINES);
	sweep(m, &now, SIM_MEM_READ, LINE, 2 * L2_LINES);
	assert_int_equal(sim_mem_stats(m)->l2_misses, 2 * L2_LINES);
	assert_int_equal(sim_mem_stats(m)->dram_reads, 2 * L2_LINES);
	assert_int_equal(sim_mem_stats(m)->l2_writebacks, 0);
	sim_mem_free(m);
}

static void whole_lines_are_written_back_once(void **state)
{
	const struct sim_config c = machine();
	struct sim_mem *m = new_mem(&c);
	const struct sim_mem_stats *s = sim_mem_stats(m);
	uint64_t now = 0;

	(void)state;
	sweep(m, &now, SIM_MEM_WRITE, LINE, L2_LINES);
	assert_int_equal(s->dram_reads + s->dram_writes, 0);
	sweep(m, &now, SIM_MEM_WRITE, LINE, L2_LINES);
	assert_int_equal(s->l2_hits, L2_LINES);
	assert_int_equal(s->dram_reads + s->dram_writes, 0);
	sweep(m, &now, SIM_MEM_WRITE, LINE, 3 * L2_LINES);
	assert_int_equal(s->l2_writebacks, 2 * L2_LINES);
	assert_int_equal(s->dram_writes, 2 * L2_LINES);
	assert_int_equal(s->dram_reads, 0);
	sim_mem_free(m);
}

/* A part that misses goes on, its line is fetched and clean; a part that hits makes it dirty. */
static void parts_of_lines_are_written(void **state)
{
	const struct sim_config c = machine();
	struct sim_mem *m = new_mem(&c);
	const struct sim_mem_stats *s = sim_mem_stats(m);
	uint64_t now = 0;

	(void)state;
	sweep(m, &now, SIM_MEM_WRITE, 32, 1000);
	assert_int_equal(s->dram_writes, 1000);
	assert_int_equal(s->dram_reads, 1000);
	assert_int_equal(s->dram_bytes, 1000 * (32 + LINE));
	sweep(m, &now, SIM_MEM_WRITE, 32, 500);
	assert_int_equal(s->l2_hits, 500);
	assert_int_equal(s->dram_writes, 1000);
	sweep(m, &now, SIM_MEM_READ, LINE, 3 * L2_LINES);
	assert_int_equal(s->l2_writebacks, 500);
	assert_int_equal(s->dram_writes, 1500);
	sim_mem_free(m);
}

/*
 * A reply of the other half of the slices takes longer, always or where the line was fetched: the
 * same SM has read it before when it hits.
 */
static void partitions_are_near_and_far(void **state)
{
	static const uint32_t sms[] = {0, 14, 15, 29}; /* the ends of both halves of 30 */
	struct sim_config c = machine();

	(void)state;
	c.clock.icnt = c.clock.l2 = c.clock.dram = c.clock.core;
	c.l2.far_latency = 100;
	for (uint32_t i = 0; i < 2 * 4 * 8; i++) {
		const uint32_t slice = i % 8, sm = sms[i / 8 % 4], far = i / 32;
		const int near = (slice < 4) == (sm < 15);
		uint64_t cycles[2][2];

		c.l2.far = far ? SIM_FAR_FIRST : SIM_FAR_ALL;
		for (uint32_t n = 1; n <= 2; n++) {
			struct sim_mem *m;

			c.l2.partitions = n;
			m = new_mem(&c);
			for (uint32_t hit = 0; hit < 2; hit++) {
				struct sim_mem_request r = request(SIM_MEM_READ, 256 * slice, LINE);
				uint64_t now = 1000 * (hit + 1);

				r.sm = sm;
				sim_mem_push(m, &r, now);
				cycles[n - 1][hit] = settle(m, 30, &now) - 1000 * (hit + 1);
			}
			sim_mem_free(m);
		}
		assert_int_equal(cycles[1][0] - cycles[0][0], near ? 0 : 100);
		assert_int_equal(cycles[1][1] - cycles[0][1], near || far ? 0 : 100);
	}
}

/* Cycles of an access by an SM alone in the memory system. */
static uint64_t alone(
	struct sim_mem *m, uint64_t *now, uint32_t sm, enum sim_mem_op op, uint64_t line)
{
	struct sim_mem_request r = request(op, line, LINE);
	const uint64_t start = *now += 2000;

	r.sm = sm;
	r.reply = op != SIM_MEM_WRITE;
	sim_mem_push(m, &r, start);
	return settle(m, 30, now) - start;
}

/*
 * What an idle memory takes, whenever a request comes and however its clocks stand: the reply of a
 * perfect one is there in the same cycle. Replies of later requests may come before longer ones.
 */
static void perfect_is_unloaded(void **state)
{
	static const struct {
		enum sim_mem_op op;
		uint32_t bytes;
	} asked[] = {{SIM_MEM_READ, 32}, {SIM_MEM_READ, LINE}, {SIM_MEM_ATOMIC, 4},
		{SIM_MEM_ATOMIC, LINE}};
	static const uint32_t mhz[][4] = {{325, 650, 650, 800}, {1300, 650, 650, 800},
		{706, 706, 706, 2600}, {1380, 1000, 1300, 877}};

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(mhz) / sizeof(*mhz); i++) {
		struct sim_config real = machine(), perfect;
		struct sim_mem *m[2];
		uint64_t now = 0;

		memcpy(&real.clock, mhz[i / 2], sizeof(mhz[0]));
		real.sm.sms = real.l2.slices = 1;
		real.l2.part = i % 2 ? SIM_ABSENT : SIM_PERFECT;
		perfect = real;
		perfect.memory.part = SIM_PERFECT;
		m[0] = new_mem(&real);
		m[1] = new_mem(&perfect);
		round_trip(m[0], SIM_MEM_READ, 0, LINE); /* the row is open */
		now = 4000;
		for (unsigned k = 0; k < 400; k++) {
			const struct sim_mem_request r =
				request(asked[k % 4].op, 0, asked[k % 4].bytes);
			uint64_t took[2], at = now + 1 + k % 7;

			for (unsigned p = 0; p < 2; p++) {
				now = at;
				sim_mem_push(m[p], &r, now);
				took[p] = settle(m[p], 1, &now) - at;
			}
			if (took[0] != took[1])
				fail_msg("at cycle %llu: %llu cycles, perfect %llu",
					(unsigned long long)at, (unsigned long long)took[0],
					(unsigned long long)took[1]);
			now = at + took[0] + 2000; /* an atomic's write is done */
		}
		sim_mem_free(m[0]);
		sim_mem_free(m[1]);
	}
}

/* A reply of 5 flits is 4 icnt cycles behind one of a flit, 2 of the core: that overtakes it. */
static void longer_replies_come_later(void **state)
{
	struct sim_config c = machine();
	struct sim_mem_request r;
	struct sim_mem *m;
	uint64_t woken = 0, came[2];

	(void)state;
	c.memory.part = SIM_PERFECT;
	m = new_mem(&c);
	for (uint32_t i = 0; i < 2; i++) {
		r = request(SIM_MEM_READ, 0, i ? 4 : LINE);
		r.tag = i;
		sim_mem_push(m, &r, 100 + i);
	}
	for (uint64_t now = 102, n = 0; n < 2; now++) {
		sim_mem_run(m, now, &woken);
		while (sim_mem_reply(m, 0, now, &r)) {
			came[r.tag] = now;
			n++;
		}
	}
	assert_int_equal(came[0] - 100, came[1] - 101 + 2);
	assert_true(came[1] < came[0]);
	sim_mem_free(m);
}

/* With l2.far = first each half of the SMs has a copy from its first read until a write. */
static void a_partition_copies_what_it_reads(void **state)
{
	struct sim_config c = machine();
	struct sim_mem *m;
	uint64_t now = 0, near, sum;

	(void)state;
	c.clock.icnt = c.clock.l2 = c.clock.dram = c.clock.core;
	c.l2.partitions = 2;
	c.l2.far_latency = 100;
	c.l2.far = SIM_FAR_FIRST;
	m = new_mem(&c);
	alone(m, &now, 0, SIM_MEM_READ, 0);
	near = alone(m, &now, 0, SIM_MEM_READ, 0);
	assert_int_equal(alone(m, &now, 29, SIM_MEM_READ, 0), near + 100);
	assert_int_equal(alone(m, &now, 29, SIM_MEM_READ, 0), near);
	assert_int_equal(alone(m, &now, 28, SIM_MEM_READ, 0), near);
	alone(m, &now, 29, SIM_MEM_WRITE, 0);
	assert_int_equal(alone(m, &now, 0, SIM_MEM_READ, 0), near);
	assert_int_equal(alone(m, &now, 29, SIM_MEM_READ, 0), near + 100);
	assert_int_equal(alone(m, &now, 29, SIM_MEM_READ, 0), near);
	/* Until it has come, a copy is of no use to the next one that asks. */
	alone(m, &now, 0, SIM_MEM_WRITE, 0);
	for (uint32_t sm = 28; sm < 30; sm++) {
		struct sim_mem_request r = request(SIM_MEM_READ, 0, LINE);

		r.sm = sm;
		sim_mem_push(m, &r, now);
	}
	sum = sim_mem_stats(m)->latency_sum;
	settle(m, 30, &now);
	assert_in_range(
		sim_mem_stats(m)->latency_sum - sum, 2 * (near + 100), 2 * (near + 100) + 9);
	near = alone(m, &now, 0, SIM_MEM_ATOMIC, 0);
	assert_int_equal(alone(m, &now, 29, SIM_MEM_ATOMIC, 0), near + 100);
	assert_int_equal(alone(m, &now, 29, SIM_MEM_ATOMIC, 0), near + 100);
	sim_mem_free(m);
}

/* What the host copies is there, and clean, as far as there is room for it. */
static void copies_of_the_host(void **state)
{
	struct sim_config c = machine();
	const uint64_t l2 = (uint64_t)L2_LINES * LINE;
	const struct tr_copy part = {0, 100 * LINE}, large[] = {{0, 3 * l2}, {1ull << 40, l2 / 2}},
			     larger = {1ull << 40, 9 * l2};
	const struct tr_copy bad[] = {{0, UINT64_MAX}, {UINT64_MAX - 9, 100}, {5, 0}};
	const struct sim_mem_stats *s;
	struct sim_mem *m;
	uint64_t now = 0;

	(void)state;
	m = new_mem(&c);
	sim_mem_copied(m, &part, 1);
	sweep(m, &now, SIM_MEM_READ, LINE, 100);
	assert_int_equal(sim_mem_stats(m)->l2_hits, 0);
	sim_mem_free(m);

	c.l2.copies = 1;
	c.l2.store_fetch = 1;
	m = new_mem(&c);
	s = sim_mem_stats(m);
	sweep(m, &now, SIM_MEM_WRITE, 32, 50);
	sim_mem_copied(m, &part, 1);
	assert_int_equal(s->l2_accesses, 50);
	sweep(m, &now, SIM_MEM_READ, LINE, 101);
	assert_int_equal(s->l2_hits, 100);
	assert_int_equal(s->dram_reads, 1);
	sweep(m, &now, SIM_MEM_READ, LINE, 3 * L2_LINES);
	assert_int_equal(s->l2_writebacks, 0);
	sim_mem_free(m);

	/* The last half of the L2 is the second copy's, and before it the end of the first. */
	m = new_mem(&c);
	s = sim_mem_stats(m);
	sim_mem_copied(m, large, 2);
	alone(m, &now, 0, SIM_MEM_READ, 3 * l2 - LINE);
	alone(m, &now, 0, SIM_MEM_READ, 3 * l2 - l2 / 2);
	alone(m, &now, 0, SIM_MEM_READ, 1ull << 40);
	assert_int_equal(s->l2_hits, 3);
	alone(m, &now, 0, SIM_MEM_READ, 2 * l2);
	alone(m, &now, 0, SIM_MEM_READ, 0);
	assert_int_equal(s->l2_hits, 3);
	/* Of one that is many times as large the end is there. */
	sim_mem_copied(m, &larger, 1);
	alone(m, &now, 0, SIM_MEM_READ, larger.base + larger.bytes - LINE);
	alone(m, &now, 0, SIM_MEM_READ, larger.base + larger.bytes - l2);
	assert_int_equal(s->l2_hits, 5);
	sim_mem_copied(m, bad, 3);
	sim_mem_free(m);
}

/* Slices by a polynomial, and sets: each line has a place of its own, and all places are used. */
static void polynomials_use_all_of_the_l2(void **state)
{
	struct sim_config c = machine();
	struct sim_mem *m;
	uint64_t now = 0;

	(void)state;
	c.l2.slice_of = SIM_SLICE_IPOLY;
	for (uint32_t index = TR_X_MODULO; index <= TR_X_IPOLY; index += TR_X_IPOLY) {
		c.l2.g.index = index;
		m = new_mem(&c);
		sweep(m, &now, SIM_MEM_READ, LINE, L2_LINES);
		sweep(m, &now, SIM_MEM_READ, LINE, L2_LINES);
		assert_int_equal(sim_mem_stats(m)->l2_misses, L2_LINES);
		assert_int_equal(sim_mem_stats(m)->l2_hits, L2_LINES);
		sim_mem_free(m);
	}
}

/*
 * Of 8 slices pieces 0, 8, 16, ... are 0, 3, 6, 5, 7, 4, 1, 2 modulo x^3 + x + 1, and 0 modulo 8:
 * they take as long as 8 pieces side by side, and not as long as 8 of one slice.
 */
static void polynomials_spread_pieces(void **state)
{
	struct sim_config c = machine();
	uint64_t cycles[3];

	(void)state;
	c.l2.part = SIM_PERFECT;
	c.l2.latency = 2;
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t now = 1;
		struct sim_mem *m;

		c.l2.slice_of = i == 1 ? SIM_SLICE_IPOLY : SIM_SLICE_MODULO;
		m = new_mem(&c);
		for (uint32_t sm = 0; sm < 8; sm++) {
			struct sim_mem_request r =
				request(SIM_MEM_READ, (uint64_t)256 * sm * (i ? 8 : 1), LINE);

			r.sm = sm;
			sim_mem_push(m, &r, now);
		}
		cycles[i] = settle(m, 8, &now);
		sim_mem_free(m);
	}
	assert_int_equal(cycles[1], cycles[0]);
	/* Seven more replies of 5 flits in the icnt's cycles, two of which are one of the core. */
	assert_in_range(cycles[2], cycles[0] + 7 * 5 / 2, cycles[0] + 7 * 5 / 2 + 1);
}

/* Slices that look up several lines in a cycle; a stride of all slices that is spread. */
static void slices_are_spread(void **state)
{
	struct sim_config c = machine();
	uint64_t cycles[3];

	(void)state;
	c.l2.slices = 5;
	c.icnt.flit_bytes = 512;
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t now = 1, woken[1] = {0};
		struct sim_mem *m;

		c.l2.slice_of = i > 0 ? SIM_SLICE_HASH : SIM_SLICE_MODULO;
		c.l2.rate = i > 1 ? 4 : 1;
		c.l1d.g.line_bytes = c.l2.interleave_bytes;
		m = new_mem(&c);
		for (uint32_t n = 0; n < 400; n++) {
			const uint64_t line = (uint64_t)256 * 5 * (n % 40);
			struct sim_mem_request r = request(SIM_MEM_READ, line, 256);

			r.sm = n % 30;
			while (!sim_mem_room(m, r.sm))
				sim_mem_run(m, ++now, woken);
			sim_mem_push(m, &r, now);
			for (uint32_t k = 0; k < 30; k++)
				while (sim_mem_reply(m, k, now, &r))
					;
		}
		settle(m, 30, &now);
		assert_int_equal(sim_mem_stats(m)->replies, 400);
		cycles[i] = now;
		sim_mem_free(m);
	}
	assert_true(2 * cycles[1] < cycles[0]);
	assert_true(cycles[2] < cycles[1]);
}

/* Or it stays as it is: dirty, and fetched when it is read, once. */
static void parts_are_fetched_when_read(void **state)
{
	struct sim_config c = machine();
	struct sim_mem *m;
	const struct sim_mem_stats *s;
	uint64_t now = 0;

	(void)state;
	c.l2.store_fetch = 1;
	m = new_mem(&c);
	s = sim_mem_stats(m);
	sweep(m, &now, SIM_MEM_WRITE, 32, 1000);
	sweep(m, &now, SIM_MEM_WRITE, 32, 1000);
	assert_int_equal(s->l2_hits, 1000);
	assert_int_equal(s->dram_reads + s->dram_writes, 0);
	sweep(m, &now, SIM_MEM_WRITE, LINE, 100);
	sweep(m, &now, SIM_MEM_READ, LINE, 1000);
	assert_int_equal(s->dram_reads, 900);
	sweep(m, &now, SIM_MEM_READ, LINE, 1000);
	assert_int_equal(s->dram_reads, 900);
	sweep(m, &now, SIM_MEM_READ, LINE, 3 * L2_LINES);
	assert_int_equal(s->l2_writebacks, 1000);
	sim_mem_free(m);
}

static void atomics_make_dirty(void **state)
{
	const struct sim_config c = machine();
	struct sim_mem *m = new_mem(&c);
	const struct sim_mem_stats *s = sim_mem_stats(m);
	uint64_t now = 0;

	(void)state;
	sweep(m, &now, SIM_MEM_ATOMIC, 4, 100);
	assert_int_equal(s->replies, 100);
	assert_int_equal(s->dram_reads, 100);
	assert_int_equal(s->dram_writes, 0);
	sweep(m, &now, SIM_MEM_READ, LINE, 3 * L2_LINES);
	assert_int_equal(s->dram_writes, 100);
	sim_mem_free(m);
}

static void misses_merge(void **state)
{
	struct sim_config c = machine();
	struct sim_mem *m;
	const struct sim_mem_stats *s;
	uint64_t now = 0;

	(void)state;
	m = new_mem(&c);
	s = sim_mem_stats(m);
	for (uint32_t i = 0; i < 6; i++) {
		struct sim_mem_request r = request(SIM_MEM_READ, 4096, LINE);

		r.sm = i;
		sim_mem_push(m, &r, now);
	}
	settle(m, 6, &now);
	assert_int_equal(s->replies, 6);
	assert_int_equal(s->dram_reads, 1);
	assert_int_equal(s->l2_misses, 1);
	assert_int_equal(s->l2_merges, 3); /* and two wait until the line is there */
	assert_int_equal(s->l2_hits, 2);
	assert_int_equal(s->l2_reads, 6);
	assert_int_equal(s->l2_read_hits, 2);
	assert_int_equal(s->l2_read_merges, 3);
	assert_true(s->l2_stalls > 0);
	sim_mem_free(m);
}

/* One reply, when both halves are there. */
static void a_line_may_be_two_of_the_l2(void **state)
{
	struct sim_config c = small_machine();
	struct sim_mem *m;
	const struct sim_mem_stats *s;
	uint64_t now = 0;

	(void)state;
	c.l2.g.line_bytes = LINE / 2;
	m = new_mem(&c);
	s = sim_mem_stats(m);
	sweep(m, &now, SIM_MEM_READ, LINE, 10);
	assert_int_equal(s->replies, 10);
	assert_int_equal(s->l2_accesses, 20);
	assert_int_equal(s->dram_reads, 20);
	assert_int_equal(s->dram_bytes, 10 * LINE);
	sweep(m, &now, SIM_MEM_WRITE, LINE, 10);
	assert_int_equal(s->l2_hits, 20);
	/* A hit of the first half and a miss of the second: three replies in all. */
	sweep(m, &now, SIM_MEM_READ, LINE / 2, 11);
	assert_int_equal(s->dram_reads, 21);
	sweep(m, &now, SIM_MEM_READ, LINE, 11);
	assert_int_equal(s->dram_reads, 22);
	assert_int_equal(s->replies, 10 + 11 + 11);
	sim_mem_free(m);
}

/* 32 sectors are all that a request can have. */
static void a_line_may_be_eight_of_the_l2(void **state)
{
	struct sim_config c = small_machine();
	struct sim_mem *m;
	const struct sim_mem_stats *s;
	uint64_t now = 0;

	(void)state;
	c.l1d.g.line_bytes = c.l2.interleave_bytes = 8 * LINE;
	m = new_mem(&c);
	s = sim_mem_stats(m);
	sweep(m, &now, SIM_MEM_READ, 8 * LINE, 1);
	assert_int_equal(s->replies, 1);
	assert_int_equal(s->l2_accesses, 8);
	assert_int_equal(s->dram_bytes, 8 * LINE);
	sim_mem_free(m);
}

/* A write that lacks a byte, one does not know which, writes neither of its lines whole. */
static void a_write_lacks_a_byte(void **state)
{
	struct sim_config c = small_machine();

	(void)state;
	c.l1d.g.line_bytes = 2 * LINE;
	for (uint32_t lacks = 0; lacks < 2; lacks++) {
		struct sim_mem *m = new_mem(&c);
		struct sim_mem_request r = request(SIM_MEM_WRITE, 0, 2 * LINE);
		uint64_t now = 0;

		r.bytes -= lacks;
		sim_mem_push(m, &r, now);
		settle(m, 1, &now);
		assert_int_equal(sim_mem_stats(m)->l2_misses, 2);
		assert_int_equal(sim_mem_stats(m)->dram_reads, lacks ? 2 : 0);
		assert_int_equal(sim_mem_stats(m)->dram_write_bytes, lacks ? 2 * LINE - 1 : 0);
		sim_mem_free(m);
	}
}

/*
 * A write of a whole line that is on its way wants no place beside those that wait for its data. It
 * comes five cycles after the read, and a read after it one more; that one stalls until the line is
 * there, 70 cycles after the first read (a_miss_to_the_cycle).
 */
static void a_write_merges_beside_them(void **state)
{
	static const enum sim_mem_op ops[] = {SIM_MEM_READ, SIM_MEM_WRITE, SIM_MEM_READ};
	struct sim_config c = small_machine();

	(void)state;
	c.l2.merges = 1;
	for (uint32_t n = 2; n <= 3; n++) {
		struct sim_mem *m = new_mem(&c);
		uint64_t now = 0;

		for (uint32_t i = 0; i < n; i++) {
			const struct sim_mem_request r = request(ops[i], 0, LINE);

			sim_mem_push(m, &r, now);
		}
		settle(m, 1, &now);
		assert_int_equal(sim_mem_stats(m)->l2_merges, 1);
		assert_int_equal(sim_mem_stats(m)->l2_hits, n - 2);
		assert_int_equal(sim_mem_stats(m)->l2_stalls, n == 3 ? 70 - 6 : 0);
		assert_int_equal(sim_mem_stats(m)->dram_reads, 1);
		sim_mem_free(m);
	}
}

static void a_line_may_be_half_of_the_l2s(void **state)
{
	struct sim_config c = small_machine();
	struct sim_mem *m;
	uint64_t now = 0;

	(void)state;
	c.l2.g.line_bytes = 2 * LINE;
	m = new_mem(&c);
	sweep(m, &now, SIM_MEM_READ, LINE, 10);
	assert_int_equal(sim_mem_stats(m)->dram_reads, 5);
	assert_int_equal(sim_mem_stats(m)->l2_hits, 5);
	sim_mem_free(m);
}

static void without_an_l2(void **state)
{
	struct sim_config c = machine();
	struct sim_mem *m;
	const struct sim_mem_stats *s;
	uint64_t now = 0;

	(void)state;
	c.l2.part = SIM_ABSENT;
	m = new_mem(&c);
	s = sim_mem_stats(m);
	sweep(m, &now, SIM_MEM_READ, LINE, 50);
	sweep(m, &now, SIM_MEM_READ, 32, 50);
	sweep(m, &now, SIM_MEM_WRITE, 64, 50);
	sweep(m, &now, SIM_MEM_ATOMIC, 4, 50);
	assert_int_equal(s->replies, 150);
	assert_int_equal(s->dram_reads, 150);
	assert_int_equal(s->dram_writes, 100);
	assert_int_equal(s->dram_bytes, 50 * (LINE + 32 + 64 + 4 + 4));
	assert_int_equal(s->l2_hits + s->l2_merges, 0);
	sim_mem_free(m);
}

/* ---- load ---- */

/*
 * SMs that push as fast as their queues and `limit` requests on the way allow; where() says what.
 * Counts in the second half of the run, when all is full.
 */
struct load {
	struct sim_config config;
	uint32_t limit;
	struct sim_mem_request (*where)(struct load *, uint32_t sm, uint32_t i);
	uint64_t cycles, seed;
	uint64_t replies[SMS_MAX], pushes[SMS_MAX]; /* in the second half */
	uint32_t n[SMS_MAX], out[SMS_MAX];
	struct sim_mem_stats stats; /* in the second half */
	uint64_t area;              /* cycles x requests on the way */
};

static void subtract(struct sim_mem_stats *s, const struct sim_mem_stats *t)
{
	uint64_t *const a = (uint64_t *)s;
	const uint64_t *const b = (const uint64_t *)t;

	for (size_t i = 0; i < sizeof(*s) / sizeof(*a); i++)
		a[i] -= b[i];
}

static void load_sm(struct load *l, struct sim_mem *m, uint32_t i, uint64_t now)
{
	const int counts = now >= l->cycles / 2;
	struct sim_mem_request r;

	while (sim_mem_reply(m, i, now, &r)) {
		l->out[i]--;
		l->replies[i] += counts;
	}
	while (sim_mem_room(m, i) && l->out[i] < l->limit) {
		r = l->where(l, i, l->n[i]++);
		r.sm = i;
		sim_mem_push(m, &r, now);
		l->out[i] += r.reply;
		l->pushes[i] += counts;
	}
	l->area += counts * l->out[i];
}

static void run_load(struct load *l)
{
	struct sim_mem *m = new_mem(&l->config);
	struct sim_mem_stats half = {0};
	uint64_t woken[SMS_MAX / 64] = {0};

	for (uint64_t now = 0; now < l->cycles; now++) {
		if (now == l->cycles / 2)
			half = *sim_mem_stats(m);
		sim_mem_run(m, now, woken);
		for (uint32_t i = 0; i < l->config.sm.sms; i++)
			load_sm(l, m, i, now);
	}
	l->stats = *sim_mem_stats(m);
	subtract(&l->stats, &half);
	sim_mem_free(m);
}

static struct sim_mem_request to_one_slice(struct load *l, uint32_t sm, uint32_t i)
{
	(void)l;
	(void)sm;
	(void)i;
	return request(SIM_MEM_WRITE, 0, LINE);
}

static struct sim_mem_request to_own_slice(struct load *l, uint32_t sm, uint32_t i)
{
	(void)i;
	return request(SIM_MEM_WRITE, (uint64_t)sm * l->config.l2.interleave_bytes, LINE);
}

static struct sim_mem_request read_anywhere(struct load *l, uint32_t sm, uint32_t i)
{
	(void)sm;
	(void)i;
	return request(SIM_MEM_READ, draw(&l->seed, 1u << 20) * LINE, LINE);
}

/* SMs read on, all through one array, each line once. */
static struct sim_mem_request read_a_stream(struct load *l, uint32_t sm, uint32_t i)
{
	return request(SIM_MEM_READ, ((uint64_t)i * l->config.sm.sms + sm) * LINE, LINE);
}

static struct sim_mem_request read_words_of_one_slice(struct load *l, uint32_t sm, uint32_t i)
{
	(void)l;
	return request(SIM_MEM_READ, (uint64_t)(sm + i) % 2 * LINE, 4);
}

static double per_cycle(const struct load *l, uint64_t n, uint32_t mhz)
{
	return (double)n / ((double)l->cycles / 2 * mhz / l->config.clock.core);
}

/* A port takes a flit a cycle, and of 30 SMs none gets more than its share. */
static void one_port_is_shared(void **state)
{
	struct load l = {.config = machine(), .limit = 64, .where = to_one_slice, .cycles = 20000};
	uint64_t least = UINT64_MAX, most = 0;

	(void)state;
	l.config.l2.part = SIM_PERFECT;
	run_load(&l);
	assert_near(per_cycle(&l, l.stats.request_flits, 650), 1);
	for (uint32_t i = 0; i < 30; i++) {
		least = l.pushes[i] < least ? l.pushes[i] : least;
		most = l.pushes[i] > most ? l.pushes[i] : most;
	}
	assert_true(least > 0 && most - least <= 1);
	assert_true(l.stats.inject_stalls > 0);
}

static void ports_work_side_by_side(void **state)
{
	struct load l = {.config = machine(), .limit = 64, .where = to_own_slice, .cycles = 20000};

	(void)state;
	l.config.sm.sms = 8;
	l.config.l2.part = SIM_PERFECT;
	run_load(&l);
	assert_near(per_cycle(&l, l.stats.request_flits, 650), 8);
}

/* Eight SMs that write, three to a port: three ports' flits, and each SM has its share of its port.
 */
static void clusters_share_a_port(void **state)
{
	struct load l = {.config = machine(), .limit = 64, .where = to_own_slice, .cycles = 20000};
	const uint64_t all = 8;

	(void)state;
	l.config.sm.sms = all;
	l.config.l2.part = SIM_PERFECT;
	l.config.icnt.cluster = 3;
	run_load(&l);
	assert_near(per_cycle(&l, l.stats.request_flits, 650), 3);
	for (uint32_t i = 0; i < all; i++) {
		const double share = (double)l.pushes[0] * 3 / (i < 6 ? 3 : 2);

		assert_near((double)l.pushes[i], share);
	}
}

/* Wires of any length do not cost bandwidth, even after a queue of one packet. */
static void wires_hold_what_is_under_way(void **state)
{
	(void)state;
	for (uint32_t latency = 0; latency < 20; latency += 3) {
		struct load l = {
			.config = machine(), .limit = 64, .where = to_own_slice, .cycles = 4000};

		l.config.sm.sms = 8;
		l.config.l2.part = SIM_PERFECT;
		l.config.icnt.latency = latency;
		l.config.icnt.eject_queue = l.config.l2.queue = 1;
		run_load(&l);
		assert_near(per_cycle(&l, l.stats.request_flits, 650), 8);
	}
}

static void assert_fair(const struct load *l, double slack)
{
	uint64_t least = UINT64_MAX, most = 0, sum = 0;

	for (uint32_t i = 0; i < l->config.sm.sms; i++) {
		least = l->replies[i] < least ? l->replies[i] : least;
		most = l->replies[i] > most ? l->replies[i] : most;
		sum += l->replies[i];
	}
	assert_true((double)least * l->config.sm.sms > (1 - slack) * (double)sum);
	assert_true((double)most * l->config.sm.sms < (1 + slack) * (double)sum);
}

/* Hits of SMs that share ports for their replies: a third of the flits, and as fair. */
static void hits_of_clusters(void **state)
{
	struct load l = {.config = machine(), .limit = 64, .where = read_a_stream, .cycles = 20000};

	(void)state;
	l.config.sm.sms = 6;
	l.config.l2.part = SIM_PERFECT;
	l.config.icnt.cluster = 3;
	run_load(&l);
	assert_near(per_cycle(&l, l.stats.reply_flits, 650), 2);
	assert_fair(&l, .02);
}

/* The replies' ports are what limits hits: 5 flits each. */
static void hits_from_30_sms(void **state)
{
	struct load l = {.config = machine(), .limit = 32, .where = read_a_stream, .cycles = 20000};

	(void)state;
	l.config.l2.part = SIM_PERFECT;
	run_load(&l);
	assert_near(per_cycle(&l, l.stats.reply_flits, 650), 8);
	assert_fair(&l, 0.02);
	/* Little's law: what is on the way is rate x time. */
	assert_near((double)l.area, (double)l.stats.latency_sum);
}

/* Heads of queues hold up what is after them, and luck keeps an SM at a busy slice. */
static void hits_at_random(void **state)
{
	struct load l = {.config = machine(), .limit = 32, .where = read_anywhere, .cycles = 20000};

	(void)state;
	l.config.l2.part = SIM_PERFECT;
	run_load(&l);
	assert_true(per_cycle(&l, l.stats.reply_flits, 650) > 0.85 * 8);
	assert_true(per_cycle(&l, l.stats.reply_flits, 650) <= 8);
	assert_fair(&l, 0.15);
	assert_near((double)l.area, (double)l.stats.latency_sum);
}

/* With replies of one flit: one access of the tags in an L2 cycle. */
static void tags_are_accessed_once_a_cycle(void **state)
{
	struct load l = {.config = machine(),
		.limit = 64,
		.where = read_words_of_one_slice,
		.cycles = 20000};

	(void)state;
	l.config.clock.l2 = 325;
	run_load(&l);
	assert_near(per_cycle(&l, l.stats.l2_hits, 325), 1);
}

/* All channels' buses. */
static void a_stream_takes_all_of_dram(void **state)
{
	struct load l = {.config = machine(), .limit = 32, .where = read_a_stream, .cycles = 40000};

	(void)state;
	run_load(&l);
	assert_near(per_cycle(&l, l.stats.dram_bytes, 800), 8 * 8);
	assert_near((double)l.stats.dram_data_cycles, (double)l.stats.dram_active_cycles);
	assert_true(l.stats.dram_row_hits > 0.8 * (double)l.stats.dram_reads);
}

/* So they are where two slices share one of twice the width, or all of them one. */
static void a_stream_takes_all_of_shared_channels(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 8; n *= 2) {
		struct load l = {
			.config = machine(), .limit = 32, .where = read_a_stream, .cycles = 40000};

		l.config.dram.slices = n;
		l.config.dram.bytes_per_cycle *= n;
		l.config.dram.queue *= n;
		run_load(&l);
		assert_near(per_cycle(&l, l.stats.dram_bytes, 800), 8 * 8);
		assert_near((double)l.stats.dram_data_cycles, (double)l.stats.dram_active_cycles);
	}
}

/* SM i reads on in slice i. */
static struct sim_mem_request read_own_slice(struct load *l, uint32_t sm, uint32_t i)
{
	const uint64_t slices = l->config.l2.slices;

	return request(SIM_MEM_READ, ((uint64_t)(i / 2) * slices + sm) * 256 + i % 2 * LINE, LINE);
}

/* One channel's width is all that its slices get, each the same of it, however short its queue. */
static void slices_take_turns_at_a_channel(void **state)
{
	(void)state;
	for (uint32_t queue = 1; queue <= 16; queue *= 4) {
		struct load l = {
			.config = machine(), .limit = 32, .where = read_own_slice, .cycles = 40000};

		l.config.sm.sms = l.config.l2.slices = l.config.dram.slices = 4;
		l.config.dram.queue = queue;
		run_load(&l);
		assert_fair(&l, .02);
		assert_int_equal(l.stats.dram_writes, 0);
		assert_true(per_cycle(&l, l.stats.dram_bytes, 800) < 1.01 * 8);
		if (queue > 4)
			assert_true(per_cycle(&l, l.stats.dram_bytes, 800) > .9 * 8);
	}
}

/*
 * A read alone takes as long at a shared channel; pieces of the slices that share it are side by
 * side in its rows: of 8 in a row of 2048 bytes the first opens it and the others hit.
 */
static void a_shared_channels_rows(void **state)
{
	struct sim_config c = small_machine();
	struct sim_mem *m;
	const struct sim_mem_stats *s;
	uint64_t now = 0;

	(void)state;
	c.l2.slices = c.dram.slices = 2;
	m = new_mem(&c);
	assert_int_equal(round_trip(m, SIM_MEM_READ, 0, LINE), 36 + 1 + 1 + 12 + 10 + 16 + 30);
	sim_mem_free(m);
	m = new_mem(&c);
	assert_int_equal(round_trip(m, SIM_MEM_READ, 256, LINE), 36 + 1 + 1 + 12 + 10 + 16 + 30);
	sim_mem_free(m);
	m = new_mem(&c);
	s = sim_mem_stats(m);
	sweep(m, &now, SIM_MEM_READ, LINE, 17);
	assert_int_equal(s->dram_reads, 17);
	assert_int_equal(s->dram_activates, 2);
	assert_int_equal(s->dram_row_hits, 15);
	assert_int_equal(s->dram_bytes, 17 * LINE);
	sim_mem_free(m);
	/* With groups of a piece each slice has one of them, in which it opens a row. */
	c.dram.groups = 2;
	c.dram.group_bytes = 256;
	m = new_mem(&c);
	s = sim_mem_stats(m);
	sweep(m, &now, SIM_MEM_READ, LINE, 3);
	assert_int_equal(s->dram_activates, 2);
	assert_int_equal(s->dram_row_hits, 1);
	sim_mem_free(m);
}

/* MSHRs over the time that a miss holds one: the rate of a slice that has few. */
static void mshrs_bound_the_rate(void **state)
{
	struct load l = {
		.config = small_machine(), .limit = 64, .where = read_a_stream, .cycles = 40000};

	(void)state;
	l.config.l2.mshrs = 2;
	l.config.dram.latency = 500;
	run_load(&l);
	/* To the channel 2 cycles, tCL, 16 of data, the latency; then tRCD and more at new rows. */
	assert_near(per_cycle(&l, l.stats.replies, 325), 2.0 / (2 + 10 + 16 + 500));
}

/* k requests on the way from each SM, and nothing in the way: k replies a round trip. */
static void littles_law(void **state)
{
	struct load l = {.config = machine(), .limit = 2, .where = read_anywhere, .cycles = 20000};
	double latency;

	(void)state;
	l.config.l2.part = SIM_PERFECT;
	l.config.sm.sms = 4;
	l.config.l2.latency = 400;
	run_load(&l);
	latency = (double)l.stats.latency_sum / (double)l.stats.replies;
	assert_near(per_cycle(&l, l.stats.replies, 325), 4 * 2 / latency);
	assert_near(latency, (1 + 1 + 4 + 400 + 1 + 5 + 4) * 325.0 / 650);
}

/* ---- random traffic ---- */

#define TAGS 6000

/* An SM of random habits, which sleeps until it has something to do. */
struct habit {
	uint64_t seed;
	uint64_t push_at; /* the next request's cycle */
	uint64_t take_at; /* when it looks for replies */
	uint32_t out;
	int full; /* it has met a full queue and waits to be woken */
};

struct traffic {
	struct sim_config config;
	struct sim_mem *m;
	struct habit sm[SMS_MAX];
	uint32_t pushed;
	uint8_t due[TAGS]; /* replies that are owed */
	uint64_t log;      /* hash of all replies and their times */
	uint64_t until;    /* SMs push up to this cycle */
	uint64_t lines;
};

static void push_random(struct traffic *t, uint32_t i, uint64_t now)
{
	static const enum sim_mem_op often[8] = {
		[5] = SIM_MEM_WRITE, SIM_MEM_WRITE, SIM_MEM_ATOMIC};
	struct habit *h = &t->sm[i];
	struct sim_mem_request r;
	const enum sim_mem_op op = often[draw(&h->seed, 8)];
	const uint64_t line = draw(&h->seed, t->lines) * LINE;
	const uint32_t bytes = LINE >> draw(&h->seed, 3);

	r = request(op, line, bytes);
	if (r.op == SIM_MEM_ATOMIC)
		r.reply = (uint8_t)draw(&h->seed, 2);
	r.sm = i;
	r.tag = t->pushed++;
	t->due[r.tag] = r.reply;
	h->out += r.reply;
	sim_mem_push(t->m, &r, now);
	h->push_at = now + draw(&h->seed, draw(&h->seed, 50) ? 4 : 2000);
}

static void act(struct traffic *t, uint32_t i, uint64_t now)
{
	struct habit *h = &t->sm[i];
	struct sim_mem_request r;

	if (h->take_at <= now) {
		h->take_at = UINT64_MAX;
		if (sim_mem_reply(t->m, i, now, &r)) {
			assert_int_equal(r.sm, i);
			assert_int_equal(t->due[r.tag]--, 1);
			t->log = (t->log ^ r.tag ^ now << 20) * 0x9e3779b97f4a7c15u;
			h->out--;
			h->take_at = now + 1 + draw(&h->seed, 3);
		}
	}
	while (h->push_at <= now && !h->full && now < t->until && t->pushed < TAGS) {
		h->full = !sim_mem_room(t->m, i);
		if (!h->full)
			push_random(t, i, now);
	}
}

/* The first cycle after now in which an SM acts of its own. */
static uint64_t next_act(const struct traffic *t, uint64_t now)
{
	uint64_t next = UINT64_MAX;

	for (uint32_t i = 0; i < t->config.sm.sms; i++) {
		const struct habit *h = &t->sm[i];
		const int pushes = !h->full && now + 1 < t->until && t->pushed < TAGS;

		next = h->take_at < next ? h->take_at : next;
		if (pushes && h->push_at < next)
			next = h->push_at > now ? h->push_at : now + 1;
	}
	return next;
}

enum mode { SKIP, TICK, EVERY };

#define AT_REST 3000000 /* a cycle in which all is long done */

/* The hash of everything at cycle `end`. */
static uint64_t run_traffic(struct sim_config c, uint64_t seed, enum mode mode, uint64_t end)
{
	struct traffic *t = calloc(1, sizeof(*t));
	uint64_t hash, now = 0, woken[SMS_MAX / 64] = {0};

	t->config = c;
	t->m = new_mem(&c);
	t->until = 4000;
	t->lines = 64u << seed % 8;
	sim_mem_tick(t->m, mode == EVERY);
	for (uint32_t i = 0; i < c.sm.sms; i++)
		t->sm[i] = (struct habit){.seed = seed * 1000 + i, .take_at = UINT64_MAX};
	while (now < end) {
		sim_mem_run(t->m, now, woken);
		for (uint32_t i = 0; i < c.sm.sms; i++) {
			if (woken[i / 64] >> i % 64 & 1) {
				t->sm[i].full = 0;
				if (t->sm[i].take_at > now)
					t->sm[i].take_at = now;
			}
			act(t, i, now);
		}
		memset(woken, 0, sizeof(woken));
		if (mode == SKIP) {
			const uint64_t a = next_act(t, now), b = sim_mem_next(t->m, now);

			now = a < b ? a : b;
		} else {
			now++;
		}
	}
	sim_mem_run(t->m, end, woken);
	hash = sim_mem_hash(t->m, t->log);
	if (end == AT_REST) {
		assert_true(sim_mem_next(t->m, end) == UINT64_MAX);
		for (uint32_t i = 0; i < t->pushed; i++)
			assert_int_equal(t->due[i], 0);
		assert_int_equal(sim_mem_stats(t->m)->requests, t->pushed);
		assert_true(t->pushed > 20);
	}
	sim_mem_free(t->m);
	free(t);
	return hash;
}

/* A machine of random shape, narrow in random places. */
static struct sim_config random_machine(uint64_t seed)
{
	static const uint32_t mhz[] = {325, 650, 800, 1300, 706, 2600, 37};
	struct sim_config c = machine();

	c.clock.core = mhz[draw(&seed, 7)];
	c.clock.icnt = mhz[draw(&seed, 7)];
	c.clock.l2 = mhz[draw(&seed, 7)];
	c.clock.dram = mhz[draw(&seed, 7)];
	c.sm.sms = 1 + (uint32_t)draw(&seed, 30);
	c.icnt.flit_bytes = 8u << draw(&seed, 4);
	c.icnt.latency = (uint32_t)draw(&seed, 10);
	c.icnt.cluster = 1 + (uint32_t)(seed % 4);
	c.icnt.inject_queue = 1 + (uint32_t)draw(&seed, 4);
	c.icnt.eject_queue = 1 + (uint32_t)draw(&seed, 4);
	c.l2.slices = 1 + (uint32_t)draw(&seed, 8);
	c.l2.g.line_bytes = 64u << draw(&seed, 3);
	c.l2.g.sets = 1u << draw(&seed, 5);
	c.l2.g.ways = 1u << draw(&seed, 7);
	c.l2.part = draw(&seed, 6) ? SIM_REAL : (uint32_t)(1 + draw(&seed, 2));
	c.l2.latency = (uint32_t)draw(&seed, 30);
	c.l2.mshrs = 1 + (uint32_t)draw(&seed, 16);
	c.l2.merges = 1 + (uint32_t)draw(&seed, 4);
	c.l2.queue = 1 + (uint32_t)draw(&seed, 4);
	c.dram.queue = 1 + (uint32_t)draw(&seed, 16);
	c.dram.fcfs = draw(&seed, 4) == 0;
	c.dram.latency = (uint32_t)draw(&seed, 50);
	if (draw(&seed, 2)) {
		c.dram.groups = 1u << draw(&seed, 4);
		c.dram.group_bytes = 256u << draw(&seed, 4);
		c.dram.tCCDL = (uint32_t)draw(&seed, 9);
		c.dram.tRRDL = (uint32_t)draw(&seed, 20);
		c.dram.tFAW = (uint32_t)draw(&seed, 80);
		c.dram.tREFI = draw(&seed, 2) ? 500 : 0;
		c.dram.tRFC = 100;
		c.dram.refresh_banks = (uint32_t)draw(&seed, 2);
		c.dram.two_commands = (uint32_t)draw(&seed, 2);
	}
	c.dram.slices = draw(&seed, 2) ? c.l2.slices : c.l2.slices % 2 ? 1 : 2;
	c.l2.slice_of = (uint32_t)draw(&seed, c.l2.slices & (c.l2.slices - 1) ? 2 : 3);
	return c;
}

/* Nothing is lost or doubled, however narrow the machine, and all comes to rest. */
static void every_read_is_answered_once(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++)
		run_traffic(random_machine(seed), seed, SKIP, AT_REST);
}

/* Asking sim_mem_next, running each cycle and stepping every part all come to the same. */
static void sleep_changes_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		const struct sim_config c = random_machine(seed);
		const uint64_t end = 1000 + seed * 100;
		const uint64_t hash = run_traffic(c, seed, SKIP, end);

		assert_true(hash == run_traffic(c, seed, TICK, end));
		assert_true(hash == run_traffic(c, seed, EVERY, end));
		assert_true(hash != run_traffic(c, seed + 1, SKIP, end));
	}
}

/* ---- what cannot be ---- */

static void assert_refused(const struct sim_config *c, const char *key)
{
	struct sim_mem *m;
	struct tr_err err = {0};

	assert_int_equal(sim_mem_new(&m, c, &err), TR_EUSAGE);
	if (!strstr(err.msg, key))
		fail_msg("'%s' does not name %s", err.msg, key);
	assert_int_equal(sim_mem_check(c, NULL), TR_EUSAGE);
}

static void impossible_machines(void **state)
{
	struct sim_config c;

	(void)state;
	c = machine();
	assert_int_equal(sim_mem_check(&c, NULL), 1);
	c.clock.dram = 0;
	assert_refused(&c, "clock.dram");
	c = machine(), c.clock.core = 99991, c.clock.icnt = 99989, c.clock.l2 = 99971;
	assert_refused(
		&c, "clock.core, clock.icnt, clock.l2, clock.dram: 99991, 99989, 99971 and ");
	c = machine(), c.icnt.flit_bytes = 0;
	assert_refused(&c, "icnt.flit_bytes");
	c = machine(), c.icnt.cluster = 0;
	assert_refused(&c, "icnt.cluster");
	c = machine(), c.l2.mshrs = c.l2.merges = 65536;
	assert_refused(&c, "l2.mshrs, l2.merges: 65536 requests for each of 65536 lines are more");
	c = machine(), c.l2.interleave_bytes = 64;
	assert_refused(&c, "l2.interleave_bytes");
	c = machine(), c.l2.g.sets = 0;
	assert_refused(&c, "l2.size");
	c = machine(), c.dram.slices = 3;
	assert_refused(&c, "dram.slices");
	c = machine(), c.l2.slices = 6, c.l2.slice_of = SIM_SLICE_IPOLY;
	assert_refused(&c, "l2.slice_of");
	c = machine(), c.dram.row_bytes = 64;
	assert_refused(&c, "dram.row_bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hit_to_the_cycle),
		cmocka_unit_test(a_miss_to_the_cycle),
		cmocka_unit_test(nobody_sleeps_beyond_a_reply),
		cmocka_unit_test(full_queues_are_counted),
		cmocka_unit_test(clocks_keep_their_ratios),
		cmocka_unit_test(perfect_memory),
		cmocka_unit_test(perfect_is_unloaded),
		cmocka_unit_test(longer_replies_come_later),
		cmocka_unit_test(all_of_the_l2_is_used),
		cmocka_unit_test(whole_lines_are_written_back_once),
		cmocka_unit_test(parts_of_lines_are_written),
		cmocka_unit_test(parts_are_fetched_when_read),
		cmocka_unit_test(partitions_are_near_and_far),
		cmocka_unit_test(a_partition_copies_what_it_reads),
		cmocka_unit_test(copies_of_the_host),
		cmocka_unit_test(slices_are_spread),
		cmocka_unit_test(polynomials_use_all_of_the_l2),
		cmocka_unit_test(polynomials_spread_pieces),
		cmocka_unit_test(atomics_make_dirty),
		cmocka_unit_test(misses_merge),
		cmocka_unit_test(a_line_may_be_two_of_the_l2),
		cmocka_unit_test(a_line_may_be_eight_of_the_l2),
		cmocka_unit_test(a_write_lacks_a_byte),
		cmocka_unit_test(a_write_merges_beside_them),
		cmocka_unit_test(a_line_may_be_half_of_the_l2s),
		cmocka_unit_test(without_an_l2),
		cmocka_unit_test(one_port_is_shared),
		cmocka_unit_test(ports_work_side_by_side),
		cmocka_unit_test(clusters_share_a_port),
		cmocka_unit_test(hits_of_clusters),
		cmocka_unit_test(wires_hold_what_is_under_way),
		cmocka_unit_test(hits_from_30_sms),
		cmocka_unit_test(hits_at_random),
		cmocka_unit_test(tags_are_accessed_once_a_cycle),
		cmocka_unit_test(a_stream_takes_all_of_dram),
		cmocka_unit_test(a_stream_takes_all_of_shared_channels),
		cmocka_unit_test(slices_take_turns_at_a_channel),
		cmocka_unit_test(a_shared_channels_rows),
		cmocka_unit_test(mshrs_bound_the_rate),
		cmocka_unit_test(littles_law),
		cmocka_unit_test(every_read_is_answered_once),
		cmocka_unit_test(sleep_changes_nothing),
		cmocka_unit_test(impossible_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
