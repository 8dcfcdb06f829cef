/*
 * Clusters of CTAs on kernels small enough to be worked out on paper: where they go, what another
 * SM's shared memory takes, when their barrier opens.
 */
#include "sim/mem/dsm.h"
#include "tests/unit/replay_trial.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- replays ---- */

/* Of a kernel that is done with, in clusters of so many CTAs; one_warp's stats. */
static struct sim_stats in_clusters(
	struct kernel *k, uint32_t ctas, uint32_t cluster, uint32_t threads, const char *settings)
{
	const struct stage s = {.kernel = k,
		.ctas = ctas,
		.threads = threads,
		.cluster = {cluster, cluster != 0, cluster != 0}};
	struct sim_stats stats;
	struct trace trace;
	struct trial t;

	kernel_end(k);
	trace = record_stages(&s, 1);
	trial_begin(&t, "sm.sms=16 sm.gpcs=1 sm.ctas_per_sm=1 dsm.latency=100 dsm.barrier=50 "
			"shared.width=32 shared.banks=32");
	machine_set(&t.opt.config, settings);
	trial_must_run(&t, &trace);
	assert_true(t.res.total.path_hash == walked_paths(&trace));
	stats = t.stats[0];
	stats.insts = NULL;
	stats.policy_insts = NULL;
	trial_end(&t);
	tr_program_free(k->p);
	free(trace.bytes);
	return stats;
}

/* ---- the network by itself ---- */

/* Four SMs, ports of a segment in two cycles, 100 cycles there and back. */
static struct sim_dsm *network(uint32_t requests)
{
	struct sim_config c;
	struct sim_dsm *d;
	struct tr_err err;

	sim_config_default(&c);
	machine_set(&c, "sm.sms=4 dsm.latency=100 dsm.cycle_bytes=16");
	c.dsm.requests = requests;
	assert_int_equal(sim_dsm_new(&d, &c, &err), 1);
	return d;
}

static void must_send(struct sim_dsm *d, struct sim_dsm_packet p, uint64_t now)
{
	assert_int_equal(sim_dsm_room(d, p.from, now), 1);
	assert_int_equal(sim_dsm_send(d, &p, now), 0);
}

/* Who has something to look at when all up to `now` has come: a bit each. */
static uint64_t come(struct sim_dsm *d, uint64_t now)
{
	uint64_t woken = 0;

	assert_int_equal(sim_dsm_run(d, now, &woken), 0);
	return woken;
}

/*
 * A request of a load has no data and takes its port one cycle. A segment's last beat ends the
 * latency: 99 cycles are those of both ways, 49 there and 50 back.
 */
static void test_ways(void **state)
{
	struct sim_dsm *d = network(2);
	struct sim_dsm_packet p;

	(void)state;
	must_send(d, (struct sim_dsm_packet){.from = 0, .to = 1, .tag = 7, .back = 1}, 10);
	assert_int_equal(sim_dsm_room(d, 0, 10), 0);
	assert_int_equal(sim_dsm_room(d, 0, 11), 1);
	assert_int_equal(sim_dsm_room_at(d, 0), 11);
	must_send(d, (struct sim_dsm_packet){.from = 0, .to = 2, .out = 2}, 11);
	assert_int_equal(sim_dsm_room_at(d, 0), SIM_NEVER); /* two are under way */
	assert_int_equal(come(d, 10 + 48), 0);
	assert_int_equal(come(d, 10 + 49), 1 << 1);
	assert_int_equal(sim_dsm_waiting(d, 1), 1);
	assert_int_equal(sim_dsm_may_answer(d, 1, 59), 1);
	assert_int_equal(sim_dsm_answer(d, 1, 59), 0);
	assert_int_equal(come(d, 11 + 49 + 2), 0); /* two segments take four cycles */
	assert_int_equal(come(d, 11 + 49 + 3), 1 << 2);
	assert_int_equal(come(d, 59 + 50), 0);
	assert_int_equal(come(d, 59 + 50 + 1), 1 << 0);
	assert_int_equal(sim_dsm_take(d, 0, &p), 1);
	assert_int_equal(p.kind, SIM_DSM_REPLY);
	assert_int_equal(p.tag, 7);
	assert_int_equal(sim_dsm_room(d, 0, 110), 1); /* one is under way */
	must_send(d, (struct sim_dsm_packet){.from = 0, .to = 3, .back = 1}, 110);
	assert_int_equal(sim_dsm_room(d, 0, 200), 0);
	/* What has no reply is a word beside the data, which takes nothing of a port. */
	assert_int_equal(sim_dsm_answer(d, 2, 130), 0);
	assert_int_equal(come(d, 130 + 49), 1 << 3);
	assert_int_equal(come(d, 130 + 50), 1 << 0);
	assert_int_equal(sim_dsm_take(d, 0, &p), 1);
	assert_int_equal(p.kind, SIM_DSM_DONE);
	assert_int_equal(sim_dsm_room(d, 0, 200), 1);
	/* A barrier is no request. */
	assert_int_equal(sim_dsm_tell(d, 0, 190), 0);
	assert_int_equal(come(d, 190), 1 << 0);
	must_send(d, (struct sim_dsm_packet){.from = 0, .to = 3, .back = 1}, 200);
	assert_int_equal(sim_dsm_room(d, 0, 300), 0);
	sim_dsm_free(d);
}

/* Three SMs ask a fourth one, which serves in the order in which requests set out. */
static void test_order(void **state)
{
	struct sim_dsm *d = network(40);
	struct sim_dsm_packet p;
	uint32_t sent = 0, served = 0, told = 0, most = 0;

	(void)state;
	for (uint64_t now = 0; now < 2000; now++) {
		come(d, now);
		most = sim_dsm_waiting(d, 3) > most ? sim_dsm_waiting(d, 3) : most;
		if (now % 3 == 0 && sim_dsm_waiting(d, 3)) {
			assert_int_equal(sim_dsm_head(d, 3)->tag, served++);
			assert_int_equal(sim_dsm_answer(d, 3, now), 0);
		}
		for (uint32_t sm = 0; sm < 3; sm++) {
			while (sim_dsm_take(d, sm, &p))
				told++;
			p = (struct sim_dsm_packet){.from = sm, .to = 3, .tag = sent};
			if (sim_dsm_room(d, sm, now) && ++sent)
				must_send(d, p, now);
		}
	}
	/* From cycle 49 on one in three cycles, of which the last one's word is under way. */
	assert_int_equal(served, (2000 - 49) / 3);
	assert_int_equal(told, (2000 - 49 - 50) / 3);
	assert_true(most > 60); /* of 120 that may be under way */
	sim_dsm_free(d);
}

/* ---- other SMs' shared memory ---- */

#define SHARED_OF(rank) ((uint64_t)((rank) + 1) << TR_SHARED_RANK_AT)

/* x: lane stride in bytes, times 32; and in how many CTAs the rank's next one is the first. */
static uint64_t next_ones(const struct at *a)
{
	return SHARED_OF((a->cta + 1) % (a->x & 31)) + a->x / 32 * a->thread;
}

static uint64_t first_ones(const struct at *a)
{
	return SHARED_OF(0) + a->x / 32 * a->thread;
}

static uint64_t own_ones(const struct at *a)
{
	return SHARED_OF(a->cta % (a->x & 31)) + a->x / 32 * a->thread;
}

static uint64_t plain_ones(const struct at *a)
{
	return a->x / 32 * a->thread;
}

/* The same by a generic address. */
static uint64_t next_ones_generic(const struct at *a)
{
	return TR_SHARED_WINDOW + next_ones(a);
}

/* A load, and an instruction that needs it. */
static struct sim_stats one_load(record_fn whose, uint32_t ctas, uint32_t stride, uint32_t threads,
	enum tr_space space, const char *settings)
{
	struct kernel k;
	uint32_t r;

	kernel_begin(&k, "far");
	r = reg(&k);
	access_to(&k, TR_C_LOAD, space, 4, r, TR_NONE, whose, 32 * stride + ctas);
	op(&k, TR_C_INT, reg(&k), r);
	return in_clusters(&k, ctas, ctas, threads, settings);
}

/* A load of one lane is a local one whose latency is that of the network. */
static void test_latency(void **state)
{
	(void)state;
	for (uint32_t latency = 20; latency < 300; latency += 67) {
		struct sim_stats far, near;
		char settings[64];

		snprintf(settings, sizeof(settings), "dsm.latency=%u shared.latency=%u", latency,
			latency);
		far = one_load(next_ones, 2, 4, 1, TR_S_SHARED, settings);
		near = one_load(plain_ones, 2, 4, 1, TR_S_SHARED, settings);
		assert_int_equal(far.cycles, near.cycles);
		assert_int_equal(far.dsm.accesses, 2);
		assert_int_equal(far.dsm.latency_sum, 2 * latency);
		assert_int_equal(far.dsm.replies, 2);
		assert_int_equal(far.dsm.bytes, 2 * 32);
		assert_int_equal(far.shared_accesses, 0);
		assert_int_equal(near.dsm.accesses, 0);
		/* A generic address takes the same way. */
		near = one_load(next_ones_generic, 2, 4, 1, TR_S_GENERIC, settings);
		assert_int_equal(near.cycles, far.cycles);
		assert_int_equal(near.dsm.accesses, 2);
	}
}

/* A ring: nobody is in another one's way, however many CTAs there are. */
static void test_ring(void **state)
{
	const uint64_t two = one_load(next_ones, 2, 4, 32, TR_S_SHARED, "").cycles;

	(void)state;
	for (uint32_t ctas = 3; ctas <= 16; ctas++)
		assert_int_equal(one_load(next_ones, ctas, 4, 32, TR_S_SHARED, "").cycles, two);
}

/* Segments of 32 bytes through ports of 16 a cycle, and the banks at the other end. */
static void test_bytes(void **state)
{
	const uint64_t one = one_load(next_ones, 2, 4, 1, TR_S_SHARED, "").cycles;
	struct sim_stats s;

	(void)state;
	/* 32 words side by side are 4 segments: 8 cycles where one segment takes 2. */
	s = one_load(next_ones, 2, 4, 32, TR_S_SHARED, "");
	assert_int_equal(s.cycles - one, 6);
	assert_int_equal(s.dsm.conflict_cycles, 0);
	/* 32 words of one bank, a segment each: 31 cycles more there, and 64 cycles of the port. */
	s = one_load(next_ones, 2, 128, 32, TR_S_SHARED, "");
	assert_int_equal(s.cycles - one, 31 + 62);
	assert_int_equal(s.dsm.conflict_cycles, 2 * 31);
	assert_int_equal(s.dsm.bytes, 2 * 32 * 32);
	/* All lanes the same word. */
	assert_int_equal(one_load(next_ones, 2, 0, 32, TR_S_SHARED, "").cycles, one);
	/* A port of 32 bytes: a segment takes a cycle, which is the latency's last. */
	s = one_load(next_ones, 2, 4, 32, TR_S_SHARED, "dsm.cycle_bytes=32");
	assert_int_equal(s.cycles - one, 3);
}

/* All CTAs of a cluster want the first one's: its port gives 16 bytes a cycle. */
static void test_contention(void **state)
{
	/* The first one's own load is local. */
	const uint64_t two = one_load(first_ones, 2, 4, 32, TR_S_SHARED, "").cycles,
		       banks = one_load(first_ones, 2, 128, 32, TR_S_SHARED, "dsm.cycle_bytes=4096")
				       .cycles;

	(void)state;
	for (uint32_t ctas = 3; ctas <= 16; ctas += ctas < 4 ? 1 : 4) {
		struct sim_stats s = one_load(first_ones, ctas, 4, 32, TR_S_SHARED, "");

		assert_int_equal(s.cycles - two, 8 * (ctas - 2));
		assert_int_equal(s.dsm.accesses, ctas - 1);
		/* Where the port takes all at once its banks are the bound. */
		s = one_load(first_ones, ctas, 128, 32, TR_S_SHARED, "dsm.cycle_bytes=4096");
		assert_int_equal(s.cycles - banks, 32 * (ctas - 2));
	}
}

/* What is one's own goes nowhere, by whatever name; nor does what is on the same SM. */
static void test_here(void **state)
{
	struct sim_stats own, plain, beside;

	(void)state;
	own = one_load(own_ones, 4, 4, 32, TR_S_SHARED, "");
	plain = one_load(plain_ones, 4, 4, 32, TR_S_SHARED, "");
	assert_int_equal(own.cycles, plain.cycles);
	assert_int_equal(own.dsm.accesses, 0);
	beside = one_load(next_ones, 4, 4, 32, TR_S_SHARED, "sm.sms=1 sm.ctas_per_sm=4");
	assert_int_equal(beside.dsm.accesses, 0);
	assert_int_equal(beside.shared_accesses, 4);
}

#define STORES 20

static uint64_t stores(const char *settings)
{
	struct kernel k;

	kernel_begin(&k, "stores");
	for (int i = 0; i < STORES; i++)
		access_to(&k, TR_C_STORE, TR_S_SHARED, 4, TR_NONE, reg(&k), next_ones, 32 * 4 + 2);
	return in_clusters(&k, 2, 2, 32, settings).cycles;
}

/*
 * Nobody waits for a store, but the port moves its 128 bytes in 8 cycles; and where only one
 * request may be under way each waits until the one before is known to be served.
 */
static void test_stores(void **state)
{
	(void)state;
	/* Behind the unit's queue warps wait for room, so all but the last few are seen. */
	assert_close((double)(stores("") - stores("dsm.cycle_bytes=128")), 7. * STORES, .25);
	assert_int_equal(
		stores("dsm.requests=1 dsm.latency=200") - stores("dsm.requests=1"), 100 * STORES);
}

/* Each lane its own CTA's memory: one access for each other SM. */
static uint64_t lanes_ones(const struct at *a)
{
	return SHARED_OF(a->thread % a->x) + 4 * a->thread;
}

static void test_many(void **state)
{
	struct kernel k;
	struct sim_stats s;

	(void)state;
	kernel_begin(&k, "many");
	access_to(&k, TR_C_LOAD, TR_S_SHARED, 4, reg(&k), TR_NONE, lanes_ones, 8);
	s = in_clusters(&k, 8, 8, 32, "");
	assert_int_equal(s.dsm.accesses, 8 * 7);
	assert_int_equal(s.shared_accesses, 8);
	kernel_begin(&k, "atomics"); /* of words in 4 segments, which go and come */
	access_to(&k, TR_C_ATOMIC, TR_S_SHARED, 4, reg(&k), reg(&k), next_ones, 32 * 4 + 2);
	access_to(&k, TR_C_ATOMIC, TR_S_SHARED, 4, TR_NONE, reg(&k), next_ones, 32 * 4 + 2);
	s = in_clusters(&k, 2, 2, 32, "");
	assert_int_equal(s.dsm.bytes, 2 * 32 * (4 + 4 + 4));
	assert_int_equal(s.dsm.replies, 2);
}

/* ---- the barrier ---- */

static void arrive(struct kernel *k)
{
	barrier(k, TR_BARRIER_CLUSTER, 0, 1);
}

static void await(struct kernel *k)
{
	barrier(k, TR_BARRIER_CLUSTER, 0, 0);
}

/* n dependent instructions between the two halves. */
static uint64_t halves(uint32_t cluster, unsigned n, const char *settings)
{
	struct sim_stats s;
	struct kernel k;

	kernel_begin(&k, "halves");
	arrive(&k);
	chain(&k, n);
	await(&k);
	s = in_clusters(&k, 8, cluster, 64, settings);
	assert_int_equal(s.cluster_barriers, 8 / cluster);
	return s.cycles;
}

static void test_barrier(void **state)
{
	const uint64_t at_once = halves(8, 0, "dsm.barrier=1");

	(void)state;
	for (uint32_t b = 10; b < 200; b += 31) {
		char settings[32];

		snprintf(settings, sizeof(settings), "dsm.barrier=%u", b);
		/* The two warps of an SM issue both halves in four cycles. */
		assert_int_equal(halves(8, 0, settings) - halves(8, 0, "dsm.barrier=5"), b - 5);
		/* The GPC gets a cluster a cycle. */
		assert_int_equal(halves(2, 0, settings), halves(8, 0, settings) + 3);
		/* What lies between the halves is for free as long as the barrier takes longer. */
		assert_int_equal(halves(8, 40, settings), halves(8, 40, "dsm.barrier=1"));
	}
	assert_true(halves(1, 0, "dsm.barrier=100") <= at_once); /* it is the CTA's own */
}

/* In a cluster of one CTA it is a barrier of the CTA behind another instruction. */
static void test_alone(void **state)
{
	static const char *const settings[] = {"", "sm.gpcs=0", "sm.schedulers=4", "sm.sms=2"};

	(void)state;
	for (unsigned i = 0; i < COUNT(settings); i++) {
		struct sim_stats own, plain;
		struct kernel k;

		for (int cluster = 0; cluster < 2; cluster++) {
			kernel_begin(&k, "alone");
			chain(&k, 5);
			if (cluster)
				arrive(&k);
			else
				op(&k, TR_C_FENCE, TR_NONE, TR_NONE);
			if (cluster)
				await(&k);
			else
				barrier(&k, 0, 0, 0);
			load(&k, reg(&k), TR_NONE, words, 0x1000);
			*(cluster ? &own : &plain) =
				in_clusters(&k, 6, (uint32_t)cluster, 96, settings[i]);
		}
		assert_int_equal(own.cycles, plain.cycles);
		assert_int_equal(own.cluster_barriers, 6);
	}
}

/* Outcome: 1 in all CTAs of the cluster but the first x. */
static uint64_t from_cta(const struct at *a)
{
	return a->cta >= a->x;
}

/* One CTA comes late; and those that are gone are not waited for. */
static void test_late(void **state)
{
	struct sim_stats s[2];
	struct kernel k;

	(void)state;
	for (int late = 0; late < 2; late++) {
		uint32_t on;

		kernel_begin(&k, "late");
		on = label(&k);
		branch(&k, on, from_cta, 1);
		chain(&k, late ? 100 : 50);
		here(&k, on);
		arrive(&k);
		await(&k);
		s[late] = in_clusters(&k, 4, 4, 32, "");
	}
	assert_int_equal(s[1].cycles - s[0].cycles, 50 * 6); /* a result is there after 6 */
	assert_int_equal(s[1].cluster_barriers, 1);
	for (int gone = 0; gone < 2; gone++) {
		kernel_begin(&k, "gone");
		leave_if(&k, from_cta, gone ? 1 : 4);
		arrive(&k);
		await(&k);
		s[gone] = in_clusters(&k, 4, 4, 32, "");
	}
	assert_int_equal(s[1].cycles, s[0].cycles);
	assert_int_equal(s[1].cluster_barriers, 1);
}

/* Some threads arrive and end: nobody waits for them, and the others are still waited for. */
static void test_leaves(void **state)
{
	struct sim_stats s;
	struct kernel k;

	(void)state;
	kernel_begin(&k, "leaves");
	arrive(&k);
	leave_if(&k, from_cta, 1);
	await(&k);
	chain(&k, 10);
	arrive(&k);
	await(&k);
	s = in_clusters(&k, 2, 2, 32, "");
	assert_int_equal(s.cluster_barriers, 2);
}

/* A limit of warps does not keep those back that others of their cluster wait for. */
static void test_limit(void **state)
{
	static const char *const settings[] = {
		"sm.sms=1 sm.ctas_per_sm=4", "sm.sms=2 sm.ctas_per_sm=2", "sm.sms=4"};
	static const char *const rules[] = {"swl:limit=1", "swl:limit=1,rule=release"};

	(void)state;
	for (unsigned i = 0; i < COUNT(settings) * COUNT(rules); i++) {
		struct stage s = {.ctas = 16, .threads = 64, .cluster = {4, 1, 1}};
		struct trace trace;
		struct kernel k;
		struct trial t;

		kernel_begin(&k, "limit");
		chain(&k, 5);
		arrive(&k);
		await(&k);
		kernel_end(&k);
		s.kernel = &k;
		trace = record_stages(&s, 1);
		trial_begin(&t, "sm.gpcs=1 sm.ctas_per_sm=1");
		machine_set(&t.opt.config, settings[i / COUNT(rules)]);
		trial_policies(&t, rules[i % COUNT(rules)], "fixed");
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].cluster_barriers, 4);
		trial_end(&t);
		tr_program_free(k.p);
		free(trace.bytes);
	}
}

/* ---- where they go ---- */

struct placed {
	uint32_t n, sm[512], cta[512];
	uint64_t at[512];
};

static void note(void *arg, const struct sim_event *e)
{
	struct placed *p = arg;

	if (e->kind != SIM_EV_CTA_IN)
		return;
	assert_true(p->n < 512);
	p->sm[p->n] = e->sm;
	p->cta[p->n] = e->cta;
	p->at[p->n++] = e->at;
}

/* A launch whose CTAs run for long. */
static void place(struct placed *p, const struct stage *shape, const char *settings)
{
	const struct sim_events events = {
		.arg = p, .event = note, .to = 1 << 30, .sm = SIM_ALL_SMS};
	struct stage s = *shape;
	struct trace trace;
	struct kernel k;
	struct trial t;

	kernel_begin(&k, "place");
	chain(&k, 100);
	kernel_end(&k);
	s.kernel = &k;
	s.threads = 32;
	trace = record_stages(&s, 1);
	trial_begin(&t, "sm.ctas_per_sm=1");
	machine_set(&t.opt.config, settings);
	t.opt.events = &events;
	p->n = 0;
	trial_must_run(&t, &trace);
	trial_end(&t);
	tr_program_free(k.p);
	free(trace.bytes);
}

/* CTAs that come before the first one can have ended. */
static uint32_t first_wave(const struct placed *p)
{
	uint32_t n = 0;

	while (n < p->n && p->at[n] < 300)
		n++;
	return n;
}

/* 114 SMs in 7 GPCs are 57 TPCs: 9 of the first GPC, 8 of each other one; so 18 and 16 SMs. */
static void test_uneven(void **state)
{
	static const uint32_t sizes[][2] = {
		{2, 9 + 6 * 8}, {4, 4 + 6 * 4}, {8, 2 + 6 * 2}, {16, 1 + 6}};
	static struct placed p;

	(void)state;
	for (unsigned i = 0; i < COUNT(sizes); i++) {
		const uint32_t n = sizes[i][0];
		const struct stage s = {.ctas = 224, .cluster = {n, 1, 1}};

		place(&p, &s, "sm.sms=114 sm.gpcs=7 sm.tpc=2");
		assert_int_equal(p.n, 224);
		assert_int_equal(first_wave(&p), n * sizes[i][1]);
		for (uint32_t c = 0; c < 224; c += n)
			for (uint32_t r = 0; r < n; r++) {
				assert_int_equal(p.cta[c + r], c + r);
				assert_int_equal(p.at[c + r], p.at[c]); /* all at once, */
				assert_int_equal(                       /* in one GPC, */
					p.sm[c + r] / 2 % 7, p.sm[c] / 2 % 7);
				for (uint32_t k = 0; k < r; k++) /* on as many SMs */
					assert_int_not_equal(p.sm[c + r], p.sm[c + k]);
			}
	}
}

/* GPCs of SMs 0, 2, 4, 6 and 1, 3, 5, 7 get clusters by turns, and so do the SMs of each. */
static void test_turns(void **state)
{
	static const uint32_t sms[] = {0, 2, 1, 3, 4, 6, 5, 7};
	const struct stage s = {.ctas = 16, .cluster = {2, 1, 1}};
	static struct placed p;

	(void)state;
	place(&p, &s, "sm.sms=8 sm.gpcs=2 sm.ctas_per_sm=2");
	assert_int_equal(first_wave(&p), 16);
	for (uint32_t c = 0; c < 16; c++)
		assert_int_equal(p.sm[c], sms[c % 8]);
}

/* SMs 0, 2, 4 and 1, 3 are GPCs; clusters that fit only one of them wait for that one. */
static void test_waits(void **state)
{
	static const uint32_t pairs[] = {0, 2, 1, 3};
	const struct stage two = {.ctas = 8, .cluster = {2, 1, 1}},
			   three = {.ctas = 9, .cluster = {3, 1, 1}},
			   four = {.ctas = 8, .cluster = {4, 1, 1}};
	static struct placed p;

	(void)state;
	place(&p, &two, "sm.sms=5 sm.gpcs=2");
	assert_int_equal(first_wave(&p), 4);
	for (uint32_t c = 0; c < 4; c++)
		assert_int_equal(p.sm[c], pairs[c]);
	place(&p, &three, "sm.sms=5 sm.gpcs=2");
	assert_int_equal(first_wave(&p), 3);
	for (uint32_t c = 0; c < 9; c++)
		assert_int_equal(p.sm[c] % 2, 0);
	/* Two CTAs an SM: four go to 0, 2, 4 and once more 0, and to both places of 1 and 3. */
	place(&p, &four, "sm.sms=5 sm.gpcs=2 sm.ctas_per_sm=2");
	assert_int_equal(first_wave(&p), 8);
	assert_int_equal(p.sm[3], 0);
	assert_int_equal(p.sm[4] + p.sm[5] + p.sm[6] + p.sm[7], 2 * (1 + 3));
}

/* CTAs of two dimensions: those of a cluster are not side by side in the record. */
static void test_two_dimensions(void **state)
{
	static const uint32_t order[] = {0, 1, 4, 5, 2, 3, 6, 7};
	const struct stage s = {.ctas = 8, .rows = 2, .cluster = {2, 2, 1}};
	static const char *const modes[] = {"serial", "concurrent"};
	static struct placed p;

	(void)state;
	for (unsigned m = 0; m < COUNT(modes); m++) {
		char settings[64];

		snprintf(settings, sizeof(settings), "sm.sms=4 sm.gpcs=1 launch.mode=%s", modes[m]);
		place(&p, &s, settings);
		assert_int_equal(p.n, 8);
		for (uint32_t c = 0; c < 8; c++)
			assert_int_equal(p.cta[c], order[c]);
	}
}

/* What can never be is said before anything runs. */
static void test_refused(void **state)
{
	static const char *const wrong[][2] = {
		{"sm.sms=8", "launch 0 has clusters of 8 CTAs, which the machine does not know: it "
			     "has no GPCs (sm.gpcs)"},
		{"sm.sms=14 sm.gpcs=2",
			"a cluster of launch 0 fits no GPC: 8 CTAs, of which an SM holds 1; the "
			"largest GPC has 7 SMs (sm.gpcs, sm.tpc, sm.sms)"},
		{"sm.sms=4 sm.gpcs=3 sm.tpc=2",
			"sm.gpcs: 3 GPCs of at least sm.tpc, 2 SMs, where there are 4 (sm.sms)"}};
	const struct stage s = {.ctas = 8, .threads = 32, .cluster = {8, 1, 1}};
	struct trace trace;
	struct kernel k;
	struct trial t;

	(void)state;
	kernel_begin(&k, "refused");
	kernel_end(&k);
	{
		struct stage one = s;

		one.kernel = &k;
		trace = record_stages(&one, 1);
	}
	for (unsigned i = 0; i < COUNT(wrong); i++) {
		trial_begin(&t, "sm.ctas_per_sm=1");
		machine_set(&t.opt.config, wrong[i][0]);
		trial_run(&t, &trace);
		assert_int_equal(t.rc, TR_EUSAGE);
		assert_string_equal(t.err.msg, wrong[i][1]);
		trial_end(&t);
	}
	tr_program_free(k.p);
	free(trace.bytes);
}

/* One lane waits where the others do not come: the run ends and says so. */
static void test_stands(void **state)
{
	const struct stage s = {.ctas = 2, .threads = 32, .cluster = {2, 1, 1}};
	struct stage one = s;
	struct trace trace;
	struct kernel k;
	struct trial t;
	uint32_t on;

	(void)state;
	kernel_begin(&k, "stands");
	on = label(&k);
	branch(&k, on, from_cta, 1);
	arrive(&k);
	await(&k);
	here(&k, on);
	barrier(&k, 0, 64, 0); /* more threads than there are */
	kernel_end(&k);
	one.kernel = &k;
	trace = record_stages(&one, 1);
	trial_begin(&t, "sm.sms=2 sm.gpcs=1");
	trial_run(&t, &trace);
	assert_int_equal(t.rc, TR_EDATA);
	assert_non_null(strstr(t.err.msg, "the barrier of a cluster"));
	trial_end(&t);
	tr_program_free(k.p);
	free(trace.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ways),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_contention),
		cmocka_unit_test(test_here),
		cmocka_unit_test(test_stores),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_barrier),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_leaves),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_uneven),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_two_dimensions),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
