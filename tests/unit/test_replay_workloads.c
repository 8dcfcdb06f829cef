/*
 * The replay machine on every workload's tiny input: stepping every cycle gives what sleeping
 * gives, each thread goes its recorded way under every warp policy, and the L1D misses what
 * trace-belady's LRU misses on the accesses that it made. SLOW=1: on every preset with every
 * policy; else each workload meets half of the policies, each on one of the presets, and half of
 * the presets with the machine's own. In a sanitized build a quarter. Runs at the root of the
 * source tree.
 */
#include "tests/unit/stats_differ.h"
#include "tests/unit/workload_trial.h"
#include "sim/access/replace.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const presets[] = {"dwr", "tbc", "crown", "ccws", "daws-spmv", "vws", "k20c"};
static const char *const todays[] = {"v100", "a100", "h100", "rtx3070", "rtx4090"};
/* Schedulers and warp policies; no scheduler: the machine's own. */
static const struct policies {
	const char *sched, *warp;
} policies[] = {
	{NULL, "fixed:8"},
	{NULL, "fixed:32"},
	{NULL, "fixed:64"},
	{NULL, "mimd"},
	{"2lvl:group=4", "fixed:32"},
	{"swl:limit=3", "fixed:16"},
	{"ccws", "fixed:32"},
	{"ccws:rule=release", "tbc:lcp=1"},
	{"gto", "tbc"},
	{NULL, "dwr:max=64,ilt=8"},
	{"2lvl", "fixed:32,lcp=1"},
	{NULL, "dwf"},
	{NULL, "dwf:wb=1"},
	{NULL, "crown"},
	{NULL, "crown:ready=2,waiting=1,level2=20,barriers=6,ways=2,ports=0,leave=dry"},
	{"daws", "fixed:32"},
	{"daws:flow=0", "tbc"},
	{NULL, "vws"},
	{"ccws", "evws-impatientmem"},
	{"daws", "evws:size=8,sync=10"},
	{NULL, "dualpath"},
	{"gto", "dualpath:paths=1"},
	{NULL, "its"},
	{NULL, "its:switch=yield"},
	{"gto", "its:switch=stall"},
	{NULL, "lwm"},
	{"gto", "tbc:capri=32"},
	{"2lvl:group=8,timeout=100", "lwm:64"},
	{"gto", "null"},
};

static int slow(void)
{
	return getenv("SLOW") != NULL;
}

/* ---- what is replayed, and on what ---- */

static void begin(struct trial *t, const char *preset, const struct policies *p)
{
	memset(t, 0, sizeof(*t));
	sim_config_default(&t->opt.config);
	read_preset(&t->opt.config, preset);
	trial_policies(t, p->sched ? p->sched : t->opt.config.scheduler, p->warp);
}

/* A workload and its number. */
#ifdef __SANITIZE_ADDRESS__
#define SHARES 4
#else
#define SHARES 2
#endif

/* Neighbours among the workloads meet other policies and presets. */
static int chosen(const struct workload_subject *s, unsigned preset, unsigned policy)
{
	if (strstr(policies[policy].warp, "vws") && !strcmp(presets[preset], "k20c"))
		return 0; /* it wants the schedulers for itself */
	if (slow())
		return 1;
	if (policy == 1)
		return (s->number + preset) % SHARES == 0;
	return (s->number + policy) % COUNT(presets) == preset &&
	       (s->number + policy / COUNT(presets)) % SHARES == 0;
}

/* ---- tests ---- */

/*
 * A warp wider than the recorder's can hold threads that wait for each other at different barriers;
 * then it stands still in either mode, and says so.
 */
static void compare_modes(const struct workload_subject *s, const struct trace *trace,
	uint64_t paths, const char *preset, const struct policies *p, const char *settings)
{
	const char *warp = p->warp, *moved;
	struct trial t;
	uint64_t hash;
	struct sim_stats total;
	int rc;

	begin(&t, preset, p);
	machine_set(&t.opt.config, settings);
	t.opt.count_threads = 1;
	trial_run(&t, trace);
	rc = t.rc;
	hash = t.res.hash;
	total = t.res.total;
	if (rc < 0 && (strcmp(warp, "fixed:64") || !strstr(t.err.msg, "stands still")))
		fail_msg("%s, %s, %s: %s", s->wl->name, preset, warp, t.err.msg);
	if (rc > 0 && total.path_hash != paths)
		fail_msg("%s, %s, %s: threads went another way", s->wl->name, preset, warp);
	t.opt.tick = 1;
	trial_run(&t, trace);
	if (t.rc != rc)
		fail_msg("%s, %s, %s: stepped: %s", s->wl->name, preset, warp, t.err.msg);
	moved = stats_differ(&t.res.total, &total, NULL);
	if (moved || t.res.hash != hash)
		fail_msg("%s, %s, %s: stepped differs in %s", s->wl->name, preset, warp,
			moved ? moved : "the state's hash");
	trial_end(&t);
}

/* A third of the policies with code that begins cold. */
static void test_stepped_is_slept(void **state)
{
	const struct workload_subject *s = *state;
	struct trace trace = record_workload(s->wl);
	const uint64_t paths = walked_paths(&trace);

	for (unsigned p = 0; p < COUNT(presets); p++)
		for (unsigned w = 0; w < COUNT(policies); w++)
			if (chosen(s, p, w))
				compare_modes(s, &trace, paths, presets[p], &policies[w],
					w % 3 == 2 ? "sm.code=fetched sm.code_ahead=1 "
						     "sm.l0i_bytes=256 sm.l1i_bytes=512 "
						     "sm.l1i_latency=5"
						   : "");
	free(trace.bytes);
}

/* ---- a bound ---- */

static uint64_t cycles_of(const struct trace *trace, const char *preset, const char *warp)
{
	const struct policies p = {NULL, warp};
	struct trial t;
	uint64_t cycles;

	begin(&t, preset, &p);
	trial_must_run(&t, trace);
	cycles = t.res.total.cycles;
	trial_end(&t);
	return cycles;
}

/*
 * No policy is faster than threads by themselves whose CTA makes each access once. The order in
 * which requests reach the memory is another, which may be worth a hundredth.
 */
static void test_bound(void **state)
{
	static const char *const warps[] = {
		"fixed:32", "fixed:8", "tbc", "dwf", "crown", "dualpath"};
	const struct workload_subject *s = *state;
	struct trace trace = record_workload(s->wl);

	for (unsigned p = 0; p < COUNT(presets) + COUNT(todays); p++) {
		const char *preset = p < COUNT(presets) ? presets[p] : todays[p - COUNT(presets)];
		uint64_t bound;

		if (!slow() && (s->number + p) % 6)
			continue;
		bound = cycles_of(&trace, preset, "mimd:together=cta");
		for (unsigned w = 0; w < COUNT(warps); w++) {
			uint64_t cycles;

			if (!slow() && w != s->number % COUNT(warps))
				continue;
			cycles = cycles_of(&trace, preset, warps[w]);
			if (100 * bound > 101 * cycles)
				fail_msg("%s, %s: %s takes %llu cycles, the bound %llu",
					s->wl->name, preset, warps[w], (unsigned long long)cycles,
					(unsigned long long)bound);
		}
	}
	free(trace.bytes);
}

/* ---- a record in memory ---- */

/* Read twice, with another reading begun before and gone on with after. */
static void test_record_is_stream(void **state)
{
	static const struct policies own = {NULL, "fixed:32"};
	const struct workload_subject *s = *state;
	struct trace trace = record_workload(s->wl);
	struct sim_playback first, other;
	struct sim_record *record;
	struct sim_source from, ahead;
	struct trial t;
	uint64_t hash;
	FILE *f;
	struct tr_reader *r = trace_open(&trace, &f);

	begin(&t, "ccws", &own);
	trial_must_run(&t, &trace);
	hash = t.res.hash;
	assert_int_equal(sim_record_read(&record, r, &t.err), 1);
	ahead = sim_playback_source(&other, record);
	assert_int_equal(ahead.next(ahead.arg, &t.err), TR_LAUNCH);
	for (int round = 0; round < 2; round++) {
		sim_stats_free(&t.res.total);
		from = sim_playback_source(&first, record);
		assert_int_equal(sim_replay_source(&from, &t.opt, &t.res, &t.err), 1);
		assert_int_equal(t.res.hash, hash);
	}
	assert_int_equal(ahead.next(ahead.arg, &t.err), TR_CTA);
	assert_int_equal(ahead.cta(ahead.arg, &t.err)->number, 0);
	sim_record_free(record);
	tr_reader_close(r);
	fclose(f);
	trial_end(&t);
	free(trace.bytes);
}

/* ---- warp-synchronous code ---- */

static uint64_t overtaken(const struct trace *trace, const char *warp)
{
	const struct policies p = {NULL, warp};
	struct trial t;
	uint64_t n;

	begin(&t, "tbc", &p);
	trial_must_run(&t, trace);
	n = t.res.total.overtaken_reads;
	trial_end(&t);
	return n;
}

/*
 * TBC section 2.3: nvrt fails under dynamic warp formation, whose threads go on with the rays that
 * the first one of their warp has taken before. Warp barriers mend it (2.4). So with spmv-vector's
 * sums over a warp.
 */
static void test_warp_synchronous(void **state)
{
	static const struct {
		const char *name, *sets; /* sets: other parameters than the tiny ones */
	} needy[] = {{"nvrt", "columns=24,rows=16,blobs=4,blocks=4"},
		{"spmv-vector", "rows=600,per_row=40"}};

	(void)state;
	for (unsigned i = 0; i < COUNT(needy); i++) {
		struct workload wl = *wl_find(needy[i].name);
		struct trace trace;

		wl.tiny = needy[i].sets;
		trace = record_workload(&wl);
		assert_true(overtaken(&trace, "dwf") > 0);
		assert_true(overtaken(&trace, "dwf:policy=fifo") > 0);
		assert_int_equal(overtaken(&trace, "dwf:wb=1"), 0);
		assert_int_equal(overtaken(&trace, "dwf:wb=1,policy=fifo"), 0);
		assert_int_equal(overtaken(&trace, "fixed:32"), 0);
		assert_int_equal(overtaken(&trace, "tbc"), 0);
		free(trace.bytes);
	}
}

/* ---- the same accesses without time ---- */

static int on_access(void *arg, const struct tr_access *a)
{
	struct tr_err err;

	return an_replace_run(arg, a, 1, &err);
}

static int on_launch(void *arg, const struct tr_launch *l, const struct tr_program *p)
{
	struct tr_err err;

	return an_replace_launch(arg, l, p, &err);
}

static unsigned runs[2]; /* without lines in the way, with them */

/*
 * Misses of plain LRU on the accesses in the order that the replay made them: its own, but for what
 * lines under way, which cannot be evicted, change.
 */
static void compare_lru(const struct workload_subject *s, const struct trace *trace,
	const char *preset, const char *settings)
{
	struct an_replace_options opt = {.warp_size = 32};
	struct an_replace_counts counts;
	struct sim_sink sink = {.access = on_access};
	struct an_replace *lru;
	struct sim_l1d_stats l1d;
	struct tr_err err;
	uint64_t misses, apart;
	int64_t pair;
	struct trial t;
	struct tr_reader *r;
	FILE *f;

	begin(&t, preset, &policies[1]);
	machine_set(&t.opt.config, settings);
	opt.write = sim_config_writes(&t.opt.config);
	opt.flush = t.opt.config.launch.flush;
	assert_int_equal(an_replace_new(&lru, &opt, &err), 1);
	pair = an_replace_add(lru, AN_LRU, &t.opt.config.l1d.g, 0, &err);
	assert_int_equal(pair, 0);
	sink.arg = t.opt.arg = lru;
	t.opt.sink = &sink;
	t.opt.begins = on_launch;
	r = trace_open(trace, &f); /* open to the end: the programs are its */
	if (sim_replay(r, &t.opt, &t.res, &t.err) < 0)
		fail_msg("%s, %s: %s", s->wl->name, preset, t.err.msg);
	assert_int_equal(an_replace_end(lru, &err), 1);
	l1d = t.res.total.l1d;
	counts = an_replace_counts(lru, 0);
	misses = counts.accesses - an_replace_hits(lru, 0, 0, 0);
	apart = misses > l1d.misses ? misses - l1d.misses : l1d.misses - misses;
	assert_int_equal(counts.accesses, l1d.accesses);
	assert_int_equal(counts.stores, l1d.writes);
	assert_int_equal(counts.atomics, l1d.atomics);
	if (apart > l1d.inflight_victims)
		fail_msg("%s, %s: %llu misses, by LRU %llu, with %llu lines in the way",
			s->wl->name, preset, (unsigned long long)l1d.misses,
			(unsigned long long)misses, (unsigned long long)l1d.inflight_victims);
	runs[l1d.inflight_victims != 0]++;
	an_replace_free(lru);
	tr_reader_close(r);
	fclose(f);
	trial_end(&t);
}

/* Caches as they are, small ones whose sets are full of lines under way, and large ones. */
static void test_lru_agrees(void **state)
{
	const struct workload_subject *s = *state;
	struct trace trace = record_workload(s->wl);

	for (unsigned p = 0; p < COUNT(presets); p++)
		if (slow() || (s->number + p) % 3 == 0) {
			compare_lru(s, &trace, presets[p], "");
			compare_lru(s, &trace, presets[p],
				"l1d.size=1K l1d.ways=2 l1d.line=64 sm.sms=2");
			compare_lru(s, &trace, presets[p], "l1d.size=8M l1d.ways=4 sm.sms=2");
		}
	free(trace.bytes);
}

/* ---- what must come from DRAM ---- */

#define SECTOR_BITS 20

/* The sectors that L1Ds saw: those that were read, and those that were ever written. */
struct touched {
	uint64_t sector[1 << SECTOR_BITS]; /* its address / 32 + 1 */
	uint8_t written[1 << SECTOR_BITS];
	uint32_t n;
};

static int on_touch(void *arg, const struct tr_access *a)
{
	struct touched *t = arg;

	for (uint32_t m = a->sectors; m; m &= m - 1) {
		const uint64_t key = a->line / 32 + (uint32_t)__builtin_ctz(m) + 1;
		uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> (64 - SECTOR_BITS));

		while (t->sector[at] && t->sector[at] != key)
			at = (at + 1) % (1 << SECTOR_BITS);
		t->n += !t->sector[at];
		assert_true(t->n < 1 << (SECTOR_BITS - 1));
		t->sector[at] = key;
		t->written[at] |= a->op != TR_A_READ;
	}
	return 1;
}

/* A sector that is read and that nobody writes comes from DRAM once at least. */
static void check_reads(const struct workload_subject *s, const struct trace *trace,
	const char *preset, const char *settings)
{
	struct touched *touched = calloc(1, sizeof(*touched));
	struct sim_sink sink = {.access = on_touch, .arg = touched};
	const struct sim_mem_stats *m;
	uint64_t must = 0;
	struct trial t;

	assert_non_null(touched);
	begin(&t, preset, &policies[1]);
	machine_set(&t.opt.config, settings);
	t.opt.sink = &sink;
	trial_must_run(&t, trace);
	for (uint32_t i = 0; i < 1 << SECTOR_BITS; i++)
		must += touched->sector[i] && !touched->written[i];
	m = &t.res.total.mem;
	if (m->dram_bytes - m->dram_write_bytes < 32 * must)
		fail_msg("%s, %s, %s: %llu sectors are read, %llu bytes come from DRAM",
			s->wl->name, preset, settings, (unsigned long long)must,
			(unsigned long long)(m->dram_bytes - m->dram_write_bytes));
	trial_end(&t);
	free(touched);
}

static void test_reads_come_from_dram(void **state)
{
	const struct workload_subject *s = *state;
	struct trace trace = record_workload(s->wl);

	for (unsigned p = 0; p < COUNT(presets); p++)
		if (slow() || (s->number + p) % 3 == 0) {
			check_reads(s, &trace, presets[p], "");
			check_reads(s, &trace, presets[p], "l1d.sector_bytes=32 l2.line=32");
			check_reads(s, &trace, presets[p], "l1d.sector_bytes=32 l2.line=64");
		}
	for (unsigned p = 0; p < COUNT(todays); p++)
		if (slow() || (s->number + p) % COUNT(todays) < 2)
			check_reads(s, &trace, todays[p], "l2.copies=no"); /* caches are cold */
	free(trace.bytes);
}

/* The tests before this one have tried the exact case and the bound. */
static void test_both_were_met(void **state)
{
	(void)state;
	assert_true(runs[0] > 20);
	assert_true(runs[1] > 20);
}

int main(void)
{
	static const struct workload_case cases[] = {
		{"stepped is slept", test_stepped_is_slept},
		{"LRU agrees", test_lru_agrees},
		{"a record is its stream", test_record_is_stream},
		{"what is read comes from DRAM", test_reads_come_from_dram},
		{"no policy is better than the bound", test_bound},
	};
	const struct CMUnitTest more[] = {
		cmocka_unit_test(test_warp_synchronous),
		cmocka_unit_test(test_both_were_met),
	};

	return run_on_workloads("replay of workloads", cases, COUNT(cases), more, COUNT(more));
}
