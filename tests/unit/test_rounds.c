/*
 * Barriers come in rounds: a thread that is past one and has arrived anew may meet others of its
 * CTA that are not. Random kernels of clusters, with lanes that part around the halves of the
 * cluster's barrier, with barriers of the CTA that some warps come to and others arrive at, with
 * exits and partial warps, under every warp policy. Each thread of these kernels arrives and waits
 * in turns, as PTX asks for (barrier.cluster), so every thread by itself comes to its end.
 */
#include "tests/unit/replay_trial.h"
#include "sim/base/mix.h"

/* How far barriers may stand apart. */
enum apart {
	TOGETHER, /* all threads of a CTA come to the same ones, in the same order */
	BY_WARP,  /* warps of 32 may come to others than their neighbours */
	BY_LANE,  /* so may lanes of a warp */
	NAPART
};

/* Which kernels a policy runs to their end; where the others stop it says MODEL.md, Barriers. */
static const struct {
	const char *spec;
	enum apart most;
} policies[] = {
	{"mimd", BY_LANE},
	{"fixed", BY_WARP},
	{"fixed:size=8", BY_WARP},
	{"null", BY_WARP},
	{"dwf", BY_LANE},
	{"dwf:policy=pdom,lut=0", BY_LANE},
	{"dwf:policy=fifo,ports=0", BY_LANE},
	{"dwf:wb=1", BY_LANE},
	{"dwr", BY_WARP},
	{"dwr:max=256,slot=yes", BY_WARP},
	{"tbc", TOGETHER},
	{"tbc:sync=0,compact=auto", TOGETHER},
	{"tbc:capri=32", TOGETHER},
	{"tbc:capri=8,predict=go", BY_WARP},
	{"dualpath", BY_WARP},
	{"its", BY_LANE},
	{"its:switch=yield", BY_LANE},
	{"its:switch=stall", BY_LANE},
	{"lwm", TOGETHER},
	{"lwm:size=32,refetch=last", BY_WARP},
	{"crown", BY_LANE},
	{"crown:barriers=2,ways=1", BY_LANE},
	{"crown:barriers=none", BY_LANE},
	{"crown:barriers=2,ways=1,refused=branch,level2=64", BY_LANE},
	{"vws", BY_WARP},
	{"ivws", BY_WARP},
	{"evws", BY_WARP},
	{"evws:sync=40,size=8", BY_WARP},
	{"evws-impatientmem", BY_WARP},
	{"ivws-impatientmem", BY_WARP},
	{"ivws-groupmem", BY_WARP},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- what threads do: x has a seed, and in its lowest 8 bits a number ---- */

static uint64_t some_threads(const struct at *a)
{
	return sim_mix(a->x >> 8, a->cta * 4096ull + a->thread) % 100 < (a->x & 255);
}

static uint64_t other_threads(const struct at *a)
{
	return !some_threads(a);
}

/* Others at each visit. */
static uint64_t now_and_then(const struct at *a)
{
	return sim_mix(a->x >> 8, (a->cta * 4096ull + a->thread) * 4096 + a->visit) % 100 <
	       (a->x & 255);
}

static uint64_t some_warps(const struct at *a)
{
	return sim_mix(a->x >> 8, a->thread / 32) % 100 < (a->x & 255);
}

/* So many trips of a loop, and out of it. */
static uint64_t all_again(const struct at *a)
{
	return a->visit % (a->x & 255) + 1 < (a->x & 255);
}

/* Each thread its own number of trips. */
static uint64_t some_again(const struct at *a)
{
	const uint64_t trips = 1 + sim_mix(a->x >> 8, a->thread) % (a->x & 255);

	return a->visit % trips + 1 < trips;
}

/* The first warps of a CTA. */
static uint64_t first_warps(const struct at *a)
{
	return a->thread / 32 < a->x;
}

static uint64_t anywhere(const struct at *a)
{
	return 0x10000000 + sim_mix(a->x, a->thread + 4096ull * a->visit) % 4096 * 128;
}

/* ---- kernels ---- */

struct maker {
	struct kernel k;
	uint64_t rng;
	enum apart apart;
	uint32_t threads; /* of a CTA */
	uint32_t depth;   /* of work in work: short kernels are enough */
	int exits;        /* some may have gone */
};

static uint32_t dice(struct maker *m, uint32_t n)
{
	m->rng = sim_mix(m->rng, n);
	return (uint32_t)(m->rng >> 32) % n;
}

static uint64_t seed(struct maker *m, uint32_t number)
{
	m->rng = sim_mix(m->rng, 3);
	return m->rng << 8 | number;
}

static void arrives(struct maker *m)
{
	barrier(&m->k, TR_BARRIER_CLUSTER, 0, 1);
}

static void waits(struct maker *m)
{
	barrier(&m->k, TR_BARRIER_CLUSTER, 0, 0);
}

/* No barriers in it; lanes part. */
static void work(struct maker *m, uint32_t n)
{
	struct kernel *k = &m->k;
	uint32_t r;

	m->depth++;
	while (n-- && k->p->ninsts < 300 && k->nlabels < 50)
		switch (m->depth > 2 ? dice(m, 2) : dice(m, 6)) {
		case 0:
			chain(k, 1 + dice(m, 3));
			break;
		case 1:
			r = reg(k);
			load(k, r, TR_NONE, anywhere, seed(m, 0));
			op(k, TR_C_INT, reg(k), r);
			break;
		case 2:
		case 3: {
			const uint32_t other = label(k), end = label(k);

			branch(k, other, dice(m, 2) ? now_and_then : some_threads,
				seed(m, 20 + dice(m, 60)));
			work(m, 1 + dice(m, 2));
			jump(k, end);
			here(k, other);
			work(m, dice(m, 2));
			here(k, end);
			break;
		}
		case 4: {
			const uint32_t head = label(k);

			here(k, head);
			work(m, 1 + dice(m, 2));
			branch(k, head, some_again, seed(m, 2 + dice(m, 3)));
			break;
		}
		default:
			op(k, TR_C_SFU, reg(k), TR_NONE);
		}
	m->depth--;
}

/* Threads take one of two ways, and come through the same rounds on both. */
static void two_ways(struct maker *m)
{
	struct kernel *k = &m->k;
	const uint32_t other = label(k), end = label(k);
	const uint32_t rounds = 1 + dice(m, 2);

	branch(k, other, m->apart == BY_LANE ? some_threads : some_warps,
		seed(m, 30 + dice(m, 40)));
	for (uint32_t i = 0; i < rounds; i++) {
		arrives(m);
		work(m, dice(m, 3));
		waits(m);
	}
	jump(k, end);
	here(k, other);
	for (uint32_t i = 0; i < rounds; i++) {
		work(m, dice(m, 2));
		arrives(m);
		work(m, dice(m, 2));
		waits(m);
	}
	here(k, end);
}

/* All meet at a wait, at which some are in the next round already. */
static void one_round_ahead(struct maker *m)
{
	struct kernel *k = &m->k;
	const uint32_t behind = label(k), again = label(k), end = label(k);
	const uint64_t who = seed(m, 30 + dice(m, 40));
	const record_fn some = m->apart == BY_LANE ? some_threads : some_warps;

	arrives(m);
	work(m, dice(m, 2));
	branch(k, behind, some, who);
	waits(m);
	work(m, dice(m, 2));
	arrives(m);
	here(k, behind);
	work(m, dice(m, 2));
	waits(m);
	branch(k, again, some, who);
	jump(k, end);
	here(k, again);
	work(m, dice(m, 2));
	arrives(m);
	waits(m);
	here(k, end);
}

/* Those arrive for whom a guard holds, and then those for whom it does not. */
static void arrives_by_guard(struct maker *m)
{
	struct kernel *k = &m->k;
	const uint64_t who = seed(m, 30 + dice(m, 40));
	const struct tr_inst in = {.cls = TR_C_BARRIER,
		.base = TR_NONE,
		.disp = TR_BARRIER_CLUSTER,
		.flags = TR_I_ARRIVE};

	for (int i = 0; i < 2; i++) {
		struct tr_inst half = in;
		uint32_t n;

		half.guard = reg(k);
		n = plain(k, half, TR_NONE, TR_NONE);
		k->outcome[n] = i ? other_threads : some_threads;
		k->x[n] = who;
		work(m, dice(m, 2));
	}
	waits(m);
}

/* Some warps arrive at a barrier of their CTA and go on, the others wait there for all. */
static void some_arrive(struct maker *m)
{
	struct kernel *k = &m->k;
	const uint32_t ahead = label(k), end = label(k), id = 1 + dice(m, 15);
	const uint32_t turned = dice(m, 2);

	branch(k, ahead, first_warps, dice(m, m->threads / 32 + 1));
	work(m, dice(m, 2));
	barrier(k, id, m->threads, !turned);
	jump(k, end);
	here(k, ahead);
	barrier(k, id, m->threads, turned);
	work(m, dice(m, 2));
	here(k, end);
	barrier(k, 0, 0, 0);
}

static void statements(struct maker *m, uint32_t n, unsigned depth)
{
	struct kernel *k = &m->k;

	while (n-- && k->p->ninsts < 300 && k->nlabels < 40)
		switch (dice(m, 8)) {
		case 0:
			if (depth < 2) {
				const uint32_t head = label(k);

				here(k, head);
				statements(m, 1 + dice(m, 3), depth + 1);
				branch(k, head, all_again, seed(m, 2 + dice(m, 2)));
			}
			break;
		case 1:
			barrier(k, 0, 0, 0);
			break;
		case 2:
			if (!dice(m, 2)) {
				leave_if(k, now_and_then, seed(m, 5 + dice(m, 20)));
				m->exits = 1;
			}
			break;
		case 3:
			work(m, 1 + dice(m, 3));
			break;
		case 4:
			if (m->apart != TOGETHER && !m->exits && !depth && dice(m, 2))
				some_arrive(m);
			else if (m->apart != TOGETHER)
				two_ways(m);
			else
				arrives_by_guard(m);
			break;
		case 5:
			if (m->apart != TOGETHER) {
				one_round_ahead(m);
				break;
			}
			/* fall through */
		default:
			arrives(m);
			work(m, dice(m, 3));
			if (!dice(m, 6))
				barrier(k, 0, 0, 0);
			waits(m);
		}
}

/* A loop of rounds, in each of which threads part before they wait, and some end after it. */
static void rounds_in_loop(struct maker *m)
{
	struct kernel *k = &m->k;
	const uint32_t round = label(k), part = label(k), skip = label(k), r = reg(k);

	here(k, round);
	arrives(m);
	here(k, part);
	op(k, TR_C_SFU, reg(k), TR_NONE);
	branch(k, skip, now_and_then, seed(m, 50));
	load(k, r, TR_NONE, anywhere, seed(m, 0));
	op(k, TR_C_INT, reg(k), r);
	here(k, skip);
	branch(k, part, some_again, seed(m, 2 + dice(m, 5)));
	waits(m);
	leave_if(k, now_and_then, seed(m, 10));
	branch(k, round, all_again, seed(m, 4));
}

/* ---- trials ---- */

static const uint32_t blocks[] = {32, 64, 96, 33, 48, 70, 128, 200, 256, 1, 16};

struct made {
	struct trace trace;
	char settings[300];
};

static struct made make(uint64_t number, enum apart apart)
{
	static struct maker m;
	struct made made;
	struct stage s = {.kernel = &m.k};

	memset(&m, 0, sizeof(m));
	m.rng = sim_mix(sim_mix(number, 1), apart);
	m.apart = apart;
	m.threads = s.threads = blocks[dice(&m, COUNT(blocks))];
	kernel_begin(&m.k, "rounds");
	if (apart == TOGETHER && number % 2)
		rounds_in_loop(&m);
	else
		statements(&m, 2 + dice(&m, 5), 0);
	kernel_end(&m.k);
	s.cluster[0] = 1 + dice(&m, 4);
	s.cluster[1] = s.cluster[2] = 1;
	s.ctas = s.cluster[0] * (1 + dice(&m, 3));
	snprintf(made.settings, sizeof(made.settings),
		"sm.sms=%u sm.gpcs=1 sm.simd_width=%u sm.schedulers=%u dsm.barrier=%u "
		"memory.latency=%u sm.unlimited_issue=%s",
		1 + dice(&m, 4), 8u << dice(&m, 3), 1u << dice(&m, 3) % 3, 1 + dice(&m, 200),
		20 + dice(&m, 100), dice(&m, 6) ? "no" : "yes");
	made.trace = record_stages(&s, 1);
	tr_program_free(m.k.p);
	return made;
}

#define CYCLES_MAX 20000000 /* what takes longer hangs */

static int watch(void *arg, const struct sim_sample *s)
{
	(void)arg;
	return s->cycle > CYCLES_MAX ? TR_EIO : 1;
}

/* Runs a record under a policy; 1: to its end. */
static int runs(const struct made *made, const char *spec, struct sim_stats *stats)
{
	struct trial t;
	int ended;

	trial_begin(&t, made->settings);
	if (strstr(spec, "vws"))
		machine_set(&t.opt.config, "sm.schedulers=1");
	trial_policies(&t, "lrr", spec);
	t.opt.sample_cycles = 1u << 20;
	t.opt.sample = watch;
	trial_run(&t, &made->trace);
	ended = t.rc > 0;
	if (ended) {
		*stats = t.res.total;
		stats->insts = NULL;
		stats->policy_insts = NULL;
		if (t.res.total.path_hash != walked_paths(&made->trace))
			fail_msg("%s: threads went another way", spec);
	} else if (!strstr(t.err.msg, "stands still")) {
		fail_msg("%s: %s: %s", spec, made->settings, t.err.msg);
	}
	trial_end(&t);
	return ended;
}

struct counts {
	uint32_t stood[NAPART][COUNT(policies)];
	uint64_t barriers, cluster_barriers;
};

static void check(uint64_t number, enum apart apart, struct counts *c)
{
	struct made made = make(number, apart);
	struct sim_stats s, first = {0};

	for (size_t i = 0; i < COUNT(policies); i++) {
		const int ended = runs(&made, policies[i].spec, &s);

		if (!ended && apart <= policies[i].most)
			fail_msg("kernel %u, apart %d, %s stands still: %s", (unsigned)number,
				apart, policies[i].spec, made.settings);
		c->stood[apart][i] += !ended;
		if (!ended)
			continue;
		first = i ? first : s;
		assert_int_equal(s.thread_insts, first.thread_insts);
		assert_int_equal(s.cluster_barriers, first.cluster_barriers);
	}
	c->barriers += first.barriers;
	c->cluster_barriers += first.cluster_barriers;
	free(made.trace.bytes);
}

static void test_rounds(void **state)
{
	const uint32_t n = getenv("SLOW") ? 400 : 26;
	static struct counts c;

	(void)state;
	for (uint32_t i = 0; i < n; i++)
		for (int a = 0; a < NAPART; a++)
			check(i, (enum apart)a, &c);
	/* In these, CAPRI would have put threads of two rounds together. */
	check(93, TOGETHER, &c);
	check(119, TOGETHER, &c);
	/* They were worth something: barriers opened, and lanes apart do stop a stack. */
	assert_true(c.barriers > 2 * n && c.cluster_barriers > 10 * n);
	for (size_t i = 0; i < COUNT(policies); i++)
		assert_int_equal(c.stood[BY_LANE][i] > 0, policies[i].most < BY_LANE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
