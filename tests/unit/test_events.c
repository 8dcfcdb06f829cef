/*
 * What somebody who looks on sees of a replay: it changes no result, it adds up to the statistics,
 * no warp does two things in a cycle, and it is the same whether cycles are slept through or
 * stepped. On small inputs of a few workloads, under every warp policy. Runs at the root of the
 * source tree.
 */
#include "tests/unit/workload_trial.h"
#include "sim/base/mix.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SMS 2
#define WARPS 2048
#define SCHEDULERS 8
#define OUT UINT8_MAX /* the class of a slot without threads */

static const char *const workloads[] = {"bfs", "matmul", "mergesort"};
static const struct run {
	const char *preset, *sched, *warp, *settings;
} runs[] = {
	{"ccws", "lrr", "fixed:32", ""},
	{"ccws", "ccws", "fixed:32", ""},
	{"ccws", "swl:limit=3", "fixed:16", ""},
	{"ccws", "gto", "fixed:64", "sm.schedulers=4"},
	{"k20c", "gto", "fixed:32", ""},
	{"tbc", "gto", "tbc", ""},
	{"tbc", "lrr", "tbc:lcp=1", ""},
	{"tbc", "gto", "dwf", ""},
	{"tbc", "gto", "dwf:wb=1", ""},
	{"dwr", "gto", "dwr:max=64,ilt=8", ""},
	{"dwr", "gto", "dwr:slot=yes", ""},
	{"dwr", "2lvl:group=4", "fixed:8", ""},
	{"crown", "gto", "fixed:32", ""},
	{"crown", "gto", "crown", ""},
	{"ccws", "gto", "mimd", ""},
	{"ccws", "gto", "mimd:together=cta", ""},
	{"ccws", "gto", "fixed:32", "l1d.store_hit=allocates"},
	{"ccws", "gto", "null", ""},
	{"ccws", "gto", "dualpath", ""},
	{"k20c", "lrr", "dualpath", ""},
	{"ccws", "gto", "its:switch=stall", ""},
	{"k20c", "lrr", "its", ""},
	{"crown", "gto", "crown", ""},
	{"vws", "gto", "vws", ""},
	{"vws", "lrr", "vws", "sm.schedulers=2"},
	{"ccws", "gto", "lwm", ""},
	{"crown", "2lvl:group=8,timeout=20", "lwm:64", ""},
	{"vws", "gto", "fixed:32,lcp=1", "sm.one_in_flight=yes"},
};

/* What was seen. */
struct seen {
	uint8_t class[SMS][WARPS], sched[SMS][SCHEDULERS];
	uint32_t n[SMS][SCHEDULERS][SIM_NCYCLES + 1]; /* warps of a scheduler by class */
	uint64_t since[SMS][SCHEDULERS];
	uint64_t classes[SIM_NCYCLES]; /* cycles of schedulers */
	uint64_t kinds[SIM_NEVENTS], l1d[8];
	uint64_t warp_insts, thread_insts, active_lanes, load_cycles;
	uint64_t digest[SMS]; /* of all that an SM did */
	uint64_t at;
	uint32_t nsms, nschedulers, strict;
	const char *what;
};

static uint64_t count(const struct sim_mask *m)
{
	return sim_lanes(m);
}

/* What may be said of a scheduler's warps in a cycle of its class. */
static void check_scheduler(const struct seen *s, uint32_t sm, uint32_t sched)
{
	const uint8_t class = s->sched[sm][sched];
	const uint32_t *n = s->n[sm][sched];
	uint32_t ready, present = 0;

	if (class == OUT)
		return;
	for (int c = 0; c <= SIM_NCYCLES; c++)
		present += n[c];
	ready = n[SIM_NOT_PICKED] + n[SIM_CY_WITHHELD];
	for (int c = SIM_CY_STALL_LSU; c <= SIM_CY_STALL_UNIT; c++)
		ready += n[c];
	if (class == SIM_CY_ISSUED ? n[class] > 0 : n[SIM_NOT_PICKED] == 0) {
		if (class == SIM_CY_DRAINED ? !present : class == SIM_CY_ISSUED || n[class])
			if (class < SIM_CY_MEMORY || !ready)
				return;
	}
	fail_msg("%s: cycle %llu, SM %u, scheduler %u: %s, and of its %u warps %u issue, %u wait "
		 "for loads, %u for others, %u for results, %u are ready",
		s->what, (unsigned long long)s->at, sm, sched,
		sim_cycle_name((enum sim_cycle) class), present, n[SIM_CY_ISSUED], n[SIM_CY_MEMORY],
		n[SIM_CY_SYNC], n[SIM_CY_IDLE], ready);
}

/* The cycles before `to` are over: what they were holds for all of them. */
static void passes(struct seen *s, uint64_t to)
{
	if (to < s->at)
		fail_msg("%s: cycle %llu after cycle %llu", s->what, (unsigned long long)to,
			(unsigned long long)s->at);
	for (uint32_t sm = 0; to > s->at && s->strict && sm < s->nsms; sm++)
		for (uint32_t i = 0; i < s->nschedulers; i++)
			check_scheduler(s, sm, i);
	s->at = to;
}

static void add_classes(struct seen *s, uint32_t sm, uint32_t sched, uint64_t to)
{
	if (s->sched[sm][sched] != OUT)
		s->classes[s->sched[sm][sched]] += to - s->since[sm][sched];
	s->since[sm][sched] = to;
}

static void turns(struct seen *s, const struct sim_event *e, uint8_t to)
{
	uint8_t *class = &s->class[e->sm][e->warp];
	uint32_t *n = s->n[e->sm][e->warp % s->nschedulers];

	if (*class != OUT)
		n[*class]--;
	*class = to;
	if (to != OUT)
		n[to]++;
}

static void saw_issue(struct seen *s, const struct sim_event *e)
{
	turns(s, e, SIM_CY_ISSUED);
	if (e->kind == SIM_EV_OWN)
		return;
	s->warp_insts += e->other == SIM_NO_WARP || e->other == e->warp;
	s->active_lanes += count(e->lanes);
	s->thread_insts += count(e->done);
}

static void saw(void *arg, const struct sim_event *e)
{
	struct seen *s = arg;
	const uint8_t *class = e->warp < WARPS && e->sm < SMS ? &s->class[e->sm][e->warp] : NULL;

	passes(s, e->at);
	s->kinds[e->kind]++;
	if (e->sm < SMS) {
		/* In a cycle, loads come back in any order. */
		uint64_t d = sim_mix(e->at, e->cycles);

		d = sim_mix(d, e->load << 16 | (uint64_t)e->what << 8 | e->kind);
		d = sim_mix(d, (uint64_t)e->warp << 32 | e->other);
		s->digest[e->sm] += sim_mix(d, (uint64_t)e->cta << 32 | e->inst);
	}
	switch ((enum sim_event_kind)e->kind) {
	case SIM_EV_WARP_IN:
		assert_int_equal(*class, OUT);
		turns(s, e, SIM_CY_IDLE);
		break;
	case SIM_EV_WARP_OUT:
		assert_int_not_equal(*class, OUT);
		turns(s, e, OUT);
		break;
	case SIM_EV_ISSUE:
	case SIM_EV_OWN:
		assert_int_not_equal(*class, OUT);
		saw_issue(s, e);
		break;
	case SIM_EV_WAIT:
		assert_int_not_equal(*class, OUT);
		assert_non_null(sim_wait_name(e->what));
		assert_int_not_equal(*class, e->what == SIM_CY_IDLE ? OUT : e->what);
		turns(s, e, e->what);
		break;
	case SIM_EV_SCHEDULER:
		assert_int_not_equal(s->sched[e->sm][e->other], e->what);
		add_classes(s, e->sm, e->other, e->at);
		s->sched[e->sm][e->other] = e->what;
		break;
	case SIM_EV_LOAD_BACK:
		assert_true(e->cycles > 0);
		s->load_cycles += e->cycles;
		break;
	case SIM_EV_L1D:
		s->l1d[e->what]++;
		break;
	default:
		break;
	}
}

static void look(struct trial *t, struct seen *s, struct sim_events *events)
{
	memset(s, 0, sizeof(*s));
	memset(s->class, OUT, sizeof(s->class));
	memset(s->sched, OUT, sizeof(s->sched));
	s->nsms = t->opt.config.sm.sms;
	s->nschedulers = t->opt.config.sm.schedulers;
	assert_true(s->nsms <= SMS && s->nschedulers <= SCHEDULERS);
	/* A policy that says "not now" to the one ready warp makes a cycle of class sync. */
	s->strict = !t->opt.warp->may && !t->opt.warp->pick;
	*events = (struct sim_events){.arg = s, .event = saw, .to = UINT64_MAX, .sm = SIM_ALL_SMS};
	t->opt.events = events;
}

static void begin(struct trial *t, const struct run *r)
{
	memset(t, 0, sizeof(*t));
	sim_config_default(&t->opt.config);
	read_preset(&t->opt.config, r->preset);
	machine_set(&t->opt.config, "sm.sms=2");
	machine_set(&t->opt.config, r->settings);
	trial_policies(t, r->sched, r->warp);
}

/* What was seen is what was counted. */
static void add_up(struct seen *s, const struct sim_stats *st)
{
	passes(s, st->cycles);
	for (uint32_t sm = 0; sm < s->nsms; sm++)
		for (uint32_t i = 0; i < s->nschedulers; i++)
			add_classes(s, sm, i, st->cycles);
	for (int c = 0; c < SIM_NCYCLES; c++)
		if (s->classes[c] != st->by_cycle[c])
			fail_msg("%s: %llu cycles %s were seen, %llu counted", s->what,
				(unsigned long long)s->classes[c],
				sim_cycle_name((enum sim_cycle)c),
				(unsigned long long)st->by_cycle[c]);
	assert_int_equal(s->warp_insts, st->warp_insts);
	assert_int_equal(s->thread_insts, st->thread_insts);
	assert_int_equal(s->active_lanes, st->active_lanes);
	assert_int_equal(s->l1d[TR_A_HIT], st->l1d.hits);
	assert_int_equal(s->l1d[TR_A_MISS], st->l1d.misses);
	assert_int_equal(s->l1d[TR_A_MERGE], st->l1d.merges);
	assert_int_equal(s->l1d[TR_A_BYPASS], st->l1d.writes + st->l1d.atomics);
	assert_int_equal(s->kinds[SIM_EV_CTA_IN], st->ctas);
	assert_int_equal(s->kinds[SIM_EV_CTA_OUT], st->ctas);
	assert_int_equal(s->kinds[SIM_EV_WARP_IN], s->kinds[SIM_EV_WARP_OUT]);
	assert_int_equal(s->kinds[SIM_EV_LOAD_OUT], s->kinds[SIM_EV_LOAD_BACK]);
	assert_int_equal(s->kinds[SIM_EV_BARRIER], s->kinds[SIM_EV_RELEASE]);
	assert_int_equal(s->kinds[SIM_EV_BARRIER] > 0, st->barriers > 0);
	assert_int_equal(s->kinds[SIM_EV_LAUNCH_BEGIN], s->kinds[SIM_EV_LAUNCH_END]);
	assert_true(s->warp_insts > 0);
}

static struct seen seen, stepped;

static void try_run(const struct trace *trace, const char *workload, const struct run *r)
{
	struct sim_events events;
	char what[128];
	struct trial t;
	uint64_t hash;
	int rc;

	snprintf(what, sizeof(what), "%s, %s, %s, %s", workload, r->preset, r->sched, r->warp);
	begin(&t, r);
	trial_run(&t, trace);
	rc = t.rc;
	hash = t.res.hash;
	look(&t, &seen, &events);
	seen.what = what;
	trial_run(&t, trace);
	assert_int_equal(t.rc, rc);
	assert_int_equal(t.res.hash, hash);
	if (rc > 0)
		add_up(&seen, &t.res.total);
	look(&t, &stepped, &events);
	stepped.what = what;
	t.opt.tick = 1;
	trial_run(&t, trace);
	assert_int_equal(t.rc, rc);
	assert_int_equal(t.res.hash, hash);
	if (rc > 0)
		add_up(&stepped, &t.res.total);
	for (uint32_t sm = 0; sm < SMS; sm++)
		if (rc > 0 && seen.digest[sm] != stepped.digest[sm])
			fail_msg("%s: SM %u does other things where it is stepped", what, sm);
	trial_end(&t);
}

static void test_adds_up(void **state)
{
	struct trace trace = record_workload(wl_find(*state));

	for (unsigned i = 0; i < COUNT(runs); i++)
		try_run(&trace, *state, &runs[i]);
	free(trace.bytes);
}

/* ---- windows ---- */

struct kept {
	struct sim_event e[1 << 16];
	uint32_t n;
};

static void keep(void *arg, const struct sim_event *e)
{
	struct kept *k = arg;

	assert_true(k->n < COUNT(k->e));
	k->e[k->n++] = *e; /* the masks are gone after the call */
}

/* What the SM's warps do in a cycle, by the events up to it. */
static void classes_at(const struct kept *k, uint64_t at, uint32_t sm, uint8_t *class)
{
	memset(class, OUT, WARPS);
	for (uint32_t i = 0; i < k->n && k->e[i].at <= at; i++) {
		const struct sim_event *e = &k->e[i];

		if (e->sm != sm || e->warp >= WARPS)
			continue;
		if (e->kind == SIM_EV_WARP_OUT)
			class[e->warp] = OUT;
		else if (e->kind == SIM_EV_WARP_IN)
			class[e->warp] = SIM_CY_IDLE;
		else if (e->kind == SIM_EV_ISSUE)
			class[e->warp] = SIM_CY_ISSUED;
		else if (e->kind == SIM_EV_WAIT)
			class[e->warp] = e->what;
	}
}

/* A window shows what the whole shows of these cycles; it may begin while the SM sleeps. */
static void test_windows(void **state)
{
	static struct kept whole, part;
	static uint8_t want[WARPS], got[WARPS];
	struct trace trace = record_workload(wl_find("bfs"));
	struct sim_events events = {
		.arg = &whole, .event = keep, .to = UINT64_MAX, .sm = SIM_ALL_SMS};
	struct run r = {"ccws", "gto", "fixed:32", ""};
	unsigned slept = 0;
	struct trial t;

	(void)state;
	begin(&t, &r);
	t.opt.events = &events;
	trial_must_run(&t, &trace);
	for (uint64_t from = 0; from < t.res.total.cycles; from += 97) {
		int between = 1;

		part.n = 0;
		events = (struct sim_events){
			.arg = &part, .event = keep, .from = from, .to = from + 50, .sm = 1};
		trial_must_run(&t, &trace);
		for (uint32_t i = 0; i < part.n; i++) {
			const struct sim_event *e = &part.e[i];

			if (e->kind <= SIM_EV_CTA_OUT)
				continue;
			assert_int_equal(e->sm, 1);
			assert_true(e->at >= from && e->at < from + 50);
		}
		for (uint32_t i = 0; i < whole.n; i++)
			between &= whole.e[i].at != from;
		slept += between;
		for (uint64_t at = from; at < from + 50; at += 7) {
			classes_at(&whole, at, 1, want);
			classes_at(&part, at, 1, got);
			assert_memory_equal(want, got, WARPS);
		}
	}
	assert_true(slept > 0);
	trial_end(&t);
	free(trace.bytes);
}

/* ---- splits and their like ---- */

static void see(struct trial *t, const struct trace *trace, const char *warp)
{
	struct sim_events events;

	trial_begin(t, "");
	trial_policies(t, "lrr", warp);
	look(t, &seen, &events);
	seen.what = warp;
	trial_must_run(t, trace);
	trial_end(t);
}

/* Warps whose even lanes go another way and come back, twice. */
static void test_split(void **state)
{
	struct kernel k;
	struct trace trace;
	struct trial t;

	(void)state;
	kernel_begin(&k, "twice");
	for (int i = 0; i < 2; i++) {
		const uint32_t other = label(&k), meet = label(&k);

		branch(&k, other, even_lane, 0);
		straight(&k, 1);
		jump(&k, meet);
		here(&k, other);
		straight(&k, 1);
		here(&k, meet);
		straight(&k, 1);
	}
	leave(&k);
	kernel_end(&k);
	trace = one_launch(&k, 1, 64);
	see(&t, &trace, "fixed:32");
	assert_int_equal(seen.kinds[SIM_EV_SPLIT], 4);
	assert_int_equal(seen.kinds[SIM_EV_MERGE], 4);
	assert_int_equal(seen.kinds[SIM_EV_REGROUP], 0);
	/* A CTA parts as a whole, and is made anew on each side and where they meet. */
	see(&t, &trace, "tbc");
	assert_int_equal(seen.kinds[SIM_EV_SPLIT], 2);
	assert_int_equal(seen.kinds[SIM_EV_MERGE], 2);
	assert_true(seen.kinds[SIM_EV_REGROUP] >= 8);
	see(&t, &trace, "tbc:compact=0");
	assert_int_equal(seen.kinds[SIM_EV_SPLIT], 2);
	assert_int_equal(seen.kinds[SIM_EV_REGROUP], 0);
	/* Warp barriers give the two static warps back, at the two places where they meet. */
	see(&t, &trace, "dwf:wb=1");
	assert_int_equal(seen.kinds[SIM_EV_SPLIT], 4);
	assert_int_equal(seen.kinds[SIM_EV_REGROUP], 4);
	/* Warps of the same lanes do not join, and each is itself again where its sides meet. */
	see(&t, &trace, "crown");
	assert_int_equal(seen.kinds[SIM_EV_SPLIT], 4);
	assert_int_equal(seen.kinds[SIM_EV_MERGE], 0);
	assert_int_equal(seen.kinds[SIM_EV_REGROUP], 4);
	see(&t, &trace, "dualpath");
	assert_int_equal(seen.kinds[SIM_EV_SPLIT], 4);
	assert_int_equal(seen.kinds[SIM_EV_MERGE], 4);
	see(&t, &trace, "its");
	assert_int_equal(seen.kinds[SIM_EV_SPLIT], 4);
	assert_int_equal(seen.kinds[SIM_EV_MERGE], 4);
	see(&t, &trace, "its:switch=stall");
	assert_int_equal(seen.kinds[SIM_EV_SPLIT], 4);
	assert_int_equal(seen.kinds[SIM_EV_MERGE], 4);
	see(&t, &trace, "crown");
	assert_int_equal(seen.kinds[SIM_EV_SPLIT], 4);
	assert_int_equal(seen.kinds[SIM_EV_REGROUP], 4);
	see(&t, &trace, "fixed:1");
	assert_int_equal(seen.kinds[SIM_EV_SPLIT], 0);
	free(trace.bytes);
}

int main(void)
{
	struct CMUnitTest tests[COUNT(workloads) + 2];
	unsigned n = 0;

	for (; n < COUNT(workloads); n++)
		tests[n] = (struct CMUnitTest){
			workloads[n], test_adds_up, NULL, NULL, (void *)(uintptr_t)workloads[n]};
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(test_windows);
	tests[n] = (struct CMUnitTest)cmocka_unit_test(test_split);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
