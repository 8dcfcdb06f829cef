/*
 * What holds of every valid record (record.h): it is read as it was written; warps without time,
 * the coalescer, localities and replacement agree with their slow twins; and on any machine
 * (machine.h) the replay gives the same stepped as slept, its figures add up, and every thread
 * executes exactly its recorded path.
 */
#ifndef CHECK_H
#define CHECK_H

#include "machine.h"
#include "record.h"
#include "sim/access/requests.h"
#include "sim/base/profile.h"
#include "sim/warp/lcp_points.h"
#include "tests/unit/coalesce_twin.h"
#include "tests/unit/locality_twin.h"
#include "tests/unit/replace_twin.h"
#include "tests/unit/stats_differ.h"
#include "tests/unit/walked_path.h"
#include "tests/unit/warps_twin.h"

/* What became of replays, over all calls: a test sees by it that it was worth something. */
struct check_counts {
	uint32_t finished, refused, stood; /* refused: the machine cannot run it; stood: still */
	uint32_t kept_back;                /* by its scheduler, for longer than anybody waits */
	uint32_t stepped;
	uint32_t forced; /* runs of warps that had to open barriers */
	uint64_t accesses, hits, atomics, barriers, divergent, dsm, cluster_barriers;
};

/* ---- write and read ---- */

static inline void check_reads(const struct record *r, struct bytes b)
{
	const struct tr_part all = TR_PART_ALL;

	same_trial(open_bytes(b), &r->trial, all, 1); /* which closes it */
}

/* The same bytes in every interleaving; they are handed over. */
static inline struct bytes check_written(const struct record *r, uint64_t *rng)
{
	const enum order order = (enum order)dice(rng, NORDERS);
	const size_t spill = dice(rng, 3) ? 0 : 1 + dice(rng, 3000);
	struct bytes b = trial_written(&r->trial, WHOLE_CTAS, 0, 0),
		     other = trial_written(&r->trial, order, spill, *rng);

	assert_int_equal(b.len, other.len);
	assert_memory_equal(b.p, other.p, b.len);
	free(other.p);
	check_reads(r, b);
	return b;
}

/* ---- without time ---- */

#define CHECK_ACCESSES 700 /* that the twins are asked for */
#define CHECK_SMS 4

struct check_stream {
	struct tr_access a[CHECK_ACCESSES];
	uint32_t launch[CHECK_ACCESSES], n;
};

static inline int check_same_access(const struct tr_access *a, const struct tr_access *b)
{
	return a->line == b->line && !memcmp(a->lanes, b->lanes, sizeof(a->lanes)) &&
	       a->warp_insts == b->warp_insts && a->thread_insts == b->thread_insts &&
	       a->sm == b->sm && a->cta == b->cta && a->warp == b->warp && a->inst == b->inst &&
	       a->loop == b->loop && a->trip == b->trip && a->sectors == b->sectors &&
	       a->bytes == b->bytes && a->space == b->space && a->op == b->op &&
	       a->result == b->result && a->first == b->first && a->active == b->active;
}

/* Rules that take whole lines, of lanes that reach a space as it is. */
static inline void check_requests(const struct sim_requests *got, const struct sim_coalescer *rule,
	uint32_t size, const struct tr_inst *in, const struct event *e)
{
	static struct sim_transaction want[SIM_TRANSACTIONS_MAX];
	const uint32_t width = rule->width ? rule->width : size;
	unsigned lanes = 0, transactions = 0, n;

	assert_true(got->n <= SIM_REQUESTS_MAX);
	for (unsigned s = 0; s < TR_NSPACES; s++) {
		lanes += got->lanes[s];
		transactions += got->transactions[s];
	}
	assert_int_equal(lanes, __builtin_popcountll(e->a.lanes));
	assert_int_equal(transactions, got->all_transactions);
	for (unsigned i = 0; i < got->n; i++) {
		const struct tr_access *a = &got->access[i];

		assert_int_equal(a->line % rule->line_bytes, 0);
		assert_true(a->bytes && a->bytes <= rule->line_bytes && a->lanes[0]);
		assert_false(a->lanes[0] & ~e->a.lanes);
		assert_int_equal(a->first, i == 0);
	}
	if (rule->rule < SIM_CC2 || in->space == TR_S_GENERIC || in->space == TR_S_LOCAL ||
		!sim_leaves_sm((enum tr_space)in->space))
		return;
	n = coalesce_twin(rule->line_bytes, width, size, (const uint64_t[4]){e->a.lanes},
		e->address, (unsigned)in->bytes * in->vec, want);
	assert_int_equal(got->n, n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(got->access[i].line, want[i].base);
		assert_int_equal(got->access[i].lanes[0], want[i].lanes[0]);
		assert_int_equal(got->access[i].sectors, want[i].sectors);
		assert_int_equal(got->access[i].bytes, want[i].bytes);
	}
}

/* All accesses of a record as trace-coalesce makes them; written, and read as they were. */
static inline void check_stream_written(
	const struct record *r, const struct tr_access_info *info, const struct check_stream *s)
{
	struct tr_access_reader *reader;
	struct tr_access_writer *w;
	const struct tr_access *batch;
	struct tr_err err;
	struct bytes b;
	char *text;
	size_t n;
	uint32_t at = 0, launches = 0;
	FILE *f = open_memstream(&text, &b.len);
	int event;

	assert_int_equal(tr_access_writer_open(&w, f, info, NULL, &err), 1);
	for (uint32_t i = 0; i < r->trial.nprograms; i++)
		assert_int_equal(tr_access_writer_program(w, r->trial.programs[i], &err), i);
	for (uint32_t l = 0; l < r->trial.nlaunches; l++) {
		struct tr_launch launch = r->trial.launches[l];

		assert_int_equal(tr_access_writer_launch(w, &launch, &err), 1);
		for (; at < s->n && s->launch[at] == l; at++)
			if (tr_access_write(w, &s->a[at], &err) < 0)
				fail_msg("%s", err.msg);
	}
	assert_int_equal(tr_access_writer_close(w, 1u << 30, 1ull << 40, &err), 1);
	fclose(f);
	b.p = (uint8_t *)text;
	f = open_bytes(b);
	assert_int_equal(tr_access_reader_open(&reader, f, NULL, &err), 1);
	at = 0;
	while ((event = tr_access_reader_next(reader, &batch, &n, &err)) > 0) {
		launches += event == TR_A_LAUNCH;
		for (size_t i = 0; event == TR_A_BATCH && i < n; i++, at++) {
			assert_true(at < s->n && s->launch[at] + 1 == launches);
			assert_true(check_same_access(&batch[i], &s->a[at]));
		}
	}
	if (event < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(at, s->n);
	assert_int_equal(launches, r->trial.nlaunches);
	tr_access_reader_close(reader);
	fclose(f);
	free(text);
}

static inline void check_locality(const struct record *r, const struct check_stream *s,
	const struct sim_geometry *g, uint32_t warp_size, uint64_t *rng)
{
	const uint32_t write = (uint32_t)dice(rng, TR_W_KEEP + 1);
	const struct an_locality_options opt = {*g, warp_size, write, (int)dice(rng, 2), 0};
	struct twin_sm *sms = calloc(CHECK_SMS, sizeof(*sms));
	struct an_locality *l;
	struct tr_err err;
	uint32_t at = 0;

	assert_non_null(sms);
	assert_int_equal(an_locality_new(&l, &opt, &err), 1);
	for (uint32_t n = 0; n < r->trial.nlaunches; n++) {
		an_locality_launch(l, n, tr_launch_threads(&r->trial.launches[n]),
			r->trial.programs[r->trial.launches[n].program]);
		if (opt.flush)
			memset(sms, 0, CHECK_SMS * sizeof(*sms));
		for (; at < s->n && s->launch[at] == n; at++) {
			const struct tr_access *a = &s->a[at];
			const unsigned want = twin_class(&sms[a->sm], g, n, a, opt.write);
			struct an_counts c = {0};

			if (an_locality_access(l, a, &c, &err) < 0)
				fail_msg("%s", err.msg);
			assert_int_equal(an_hits(&c) + an_misses(&c), want < AN_NCLASSES);
			if (want < AN_NCLASSES)
				assert_int_equal(c.of[want], 1);
			else
				assert_int_equal(c.stores + c.atomics + c.absent, 1);
		}
	}
	an_locality_free(l);
	free(sms);
}

static inline void check_replacement(const struct record *r, const struct check_stream *s,
	const struct sim_geometry *g, uint32_t warp_size, uint64_t *rng)
{
	struct an_replace_options opt = {.by = AN_BY_SM, .warp_size = warp_size};
	const struct twin_stream flat = {s->a, s->launch, s->n};
	const int curve = dice(rng, 2) != 0;
	struct an_replace *all;
	struct tr_err err;
	uint32_t at = 0;

	opt.write = (uint32_t)dice(rng, TR_W_KEEP + 1);
	opt.flush = (int)dice(rng, 2);
	opt.seed = dice(rng, 100);
	assert_int_equal(an_replace_new(&all, &opt, &err), 1);
	for (enum an_policy p = 0; p < AN_NPOLICIES; p++)
		assert_int_equal(
			an_replace_add(all, p, g, curve && an_policy_has_curve(p), &err), p);
	for (uint32_t n = 0; n < r->trial.nlaunches; n++) {
		const struct tr_launch *l = &r->trial.launches[n];
		uint32_t end = at;

		assert_int_equal(an_replace_launch(all, l, r->trial.programs[l->program], &err), 1);
		while (end < s->n && s->launch[end] == n)
			end++;
		if (end > at && an_replace_run(all, &s->a[at], end - at, &err) < 0)
			fail_msg("%s", err.msg);
		at = end;
	}
	assert_int_equal(an_replace_end(all, &err), 1);
	for (enum an_policy p = 0; p < AN_NPOLICIES; p++)
		for (uint32_t sm = 0; sm < an_replace_nkeys(all); sm++)
			for (struct sim_geometry one = {g->sets,
				     curve && an_policy_has_curve(p) ? 1 : g->ways, g->line_bytes,
				     g->index};
				one.ways <= g->ways; one.ways++)
				assert_int_equal(an_replace_hits(all, p, sm, one.ways),
					twin_hits(&flat, &opt, p, &one, sm));
	an_replace_free(all);
}

static inline uint32_t check_distinct(const struct check_stream *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (s->a[i].line == s->a[n].line)
			return 0;
	return 1;
}

/* Warps of any size in any order, what they access, and what caches make of that. */
static inline void check_timeless(
	const struct record *r, uint64_t *rng, struct check_counts *counts)
{
	static const uint32_t sizes[] = {1, 32, 64, 33, 16, 2, 48, 4};
	static struct check_stream s;
	static struct sim_requests requests;
	const uint32_t sms = 1 + dice(rng, CHECK_SMS);
	struct sim_warps_options opt = {.machine = {sms, 1, 1024, 65536, 65536, 0}};
	struct tr_access_info info = {.sms = sms};
	struct sim_coalescer rule = {.width = 0};
	struct sim_geometry g = {.index = dice(rng, 3)};
	uint32_t lines = 0, past[2] = {0};

	opt.warp_size = info.warp_size = sizes[dice(rng, 8)];
	opt.order = (enum sim_order)dice(rng, 3);
	opt.machine.ctas_per_sm += dice(rng, 8);
	rule.rule = (enum sim_rule)dice(rng, SIM_SECTOR32 + 1);
	rule.line_bytes = info.line_bytes = g.line_bytes = 32u << dice(rng, 6);
	if (dice(rng, 2))
		rule.width = 1 + dice(rng, opt.warp_size);
	g.sets = 1u << dice(rng, 4);
	g.ways = 1 + dice(rng, 5);
	s.n = 0;
	for (uint32_t l = 0; l < r->trial.nlaunches; l++) {
		const struct tr_launch *launch = &r->trial.launches[l];
		const struct tr_program *p = r->trial.programs[launch->program];
		const uint32_t nctas = (uint32_t)tr_launch_ctas(launch);
		struct tr_cta *ctas = grown(NULL, nctas * sizeof(*ctas));
		struct tr_err err;
		struct run run;

		for (uint32_t c = 0; c < nctas; c++)
			ctas[c] = r->trial.ctas[l][c].cta;
		if (run_launch(&run, p, launch, ctas, &opt, &err) < 0)
			fail_msg("%s", err.msg);
		compare_walks(&run, p, opt.warp_size);
		if (opt.warp_size == 1 && p->nloops < 64)
			compare_trips(&run, p);
		if (opt.warp_size == 32)
			compare_summary(&run, p);
		counts->forced += run.total.forced > 0;
		for (uint32_t i = 0; i < run.n; i++) {
			struct event *e = &run.events[i];
			const struct tr_inst *in = &p->insts[e->a.inst];

			e->a.address = e->address; /* it has pointed at the warp's own */
			sim_requests_make(&requests, &rule, opt.warp_size, in, &e->a);
			check_requests(&requests, &rule, opt.warp_size, in, e);
			if (s.n + requests.n > CHECK_ACCESSES || lines + requests.n > TWIN_LINES)
				continue;
			for (unsigned k = 0; k < requests.n; k++, s.n++) {
				s.a[s.n] = requests.access[k];
				s.a[s.n].warp_insts += past[0];
				s.a[s.n].thread_insts += past[1];
				s.launch[s.n] = l;
				lines += check_distinct(&s, s.n);
			}
		}
		past[0] += (uint32_t)run.total.warp_insts;
		past[1] += (uint32_t)run.total.thread_insts;
		free(run.events);
		free(ctas);
	}
	check_stream_written(r, &info, &s);
	check_locality(r, &s, &g, opt.warp_size, rng);
	check_replacement(r, &s, &g, opt.warp_size, rng);
}

/* ---- replays ---- */

#define CHECK_CYCLES 4096        /* between two looks at the clock */
#define CHECK_CYCLES_MAX 3000000 /* a replay that takes longer hangs */
#define CHECK_STEPPED_MAX 60000  /* from here on it is not stepped: that takes seconds */

struct check_replay {
	const struct record *r;
	uint32_t *lcp[RECORD_PROGRAMS];
	struct sim_stats sum; /* of the launches, as they were handed out */
	uint64_t cycles;      /* about, of the last run */
	int together;         /* figures are of several launches */
	const char *what;     /* machine and policies */
};

static inline int check_launched(
	void *arg, const struct tr_launch *l, const struct tr_program *p, const struct sim_stats *s)
{
	struct check_replay *c = arg;

	if (!c->together) {
		assert_int_equal(s->ctas, tr_launch_ctas(l));
		assert_int_equal(s->threads, tr_launch_ctas(l) * tr_launch_threads(l));
		assert_int_equal(s->ninsts, p->ninsts);
	}
	sim_stats_add(&c->sum, s);
	return 1;
}

static inline int check_sample(void *arg, const struct sim_sample *s)
{
	struct check_replay *c = arg;

	c->cycles += CHECK_CYCLES;
	if (s->cycle > CHECK_CYCLES_MAX && s->stats->by_cycle[SIM_CY_WITHHELD] > s->cycle / 2)
		return TR_EIO; /* high scores of ccws take long to come down: enough was seen */
	if (s->cycle > CHECK_CYCLES_MAX)
		fail_msg("%s: a launch takes more than %u cycles", c->what, CHECK_CYCLES_MAX);
	return 1;
}

/* Likely-convergence points by a profile of the record itself. */
static inline const uint32_t *check_lcp(void *arg, const struct tr_launch *l)
{
	struct check_replay *c = arg;
	const struct trial *t = &c->r->trial;
	const struct tr_program *p = t->programs[l->program];
	uint64_t *edges;
	struct tr_err err;

	if (c->lcp[l->program])
		return c->lcp[l->program];
	edges = calloc(p->nsucc_pool + 1, sizeof(*edges));
	c->lcp[l->program] = grown(NULL, p->ninsts * sizeof(uint32_t));
	assert_non_null(edges);
	for (uint32_t i = 0; i < t->nlaunches; i++)
		for (uint32_t k = 0;
			t->launches[i].program == l->program && k < tr_launch_ctas(&t->launches[i]);
			k++)
			assert_int_equal(sim_lcp_count(p, &t->ctas[i][k].cta, edges, &err), 1);
	assert_int_equal(sim_lcp_points(p, edges, c->lcp[l->program], &err), 1);
	free(edges);
	return c->lcp[l->program];
}

/* Some of the loads in loops, whatever they do. Ends at a kernel without a name. */
struct check_profile {
	struct sim_sched_profile table;
	struct sim_profile_kernel kernel;
	struct sim_profile_load loads[RECORD_INSTS];
};

static inline void check_profile_make(
	struct check_profile *c, const struct tr_program *p, uint64_t *rng)
{
	const uint32_t said = dice(rng, 65536);

	c->kernel = (struct sim_profile_kernel){tr_str(p, p->name), c->loads, 0};
	c->table = (struct sim_sched_profile){&c->kernel, 1};
	for (uint32_t i = 0; i < p->ninsts; i++) {
		const uint32_t loop = p->blocks[p->insts[i].block].loop;

		if (loop == TR_NONE || !sim_profile_counts(&p->insts[i]) || mix(said, i) % 8 == 0)
			continue;
		c->loads[c->kernel.nloads++] = (struct sim_profile_load){.inst = i,
			.loop = loop,
			.repetition = mix(said, i) % 16 < 8 ? i : 0,
			.diverged = mix(said, i) & 1,
			.locality = mix(said + 1, loop) & 1};
	}
}

static inline uint64_t check_paths(const struct record *r)
{
	const struct trial *t = &r->trial;
	uint64_t sum = 0;

	for (uint32_t l = 0; l < t->nlaunches; l++)
		for (uint32_t c = 0; c < tr_launch_ctas(&t->launches[l]); c++)
			for (uint32_t i = 0; i < t->ctas[l][c].cta.nthreads; i++)
				sum += walked_path(t->programs[t->launches[l].program],
					&t->ctas[l][c].cta.threads[i]);
	return sum;
}

/* One replay of the bytes: as they come, or from a record in memory. */
static inline int check_run(struct check_replay *c, struct bytes b, int in_memory,
	struct sim_replay *opt, struct sim_result *res, struct tr_err *err)
{
	FILE *f = open_bytes(b);
	struct tr_reader *reader;
	int rc;

	memset(&c->sum, 0, sizeof(c->sum));
	c->cycles = 0;
	opt->launched = check_launched;
	opt->sample_cycles = CHECK_CYCLES;
	opt->sample = check_sample;
	opt->lcp = check_lcp;
	opt->arg = c;
	assert_int_equal(tr_reader_open(&reader, f, NULL, err), 1);
	if (in_memory) {
		struct sim_record *record;
		struct sim_playback playback;
		struct sim_source from;

		assert_int_equal(sim_record_read(&record, reader, err), 1);
		from = sim_playback_source(&playback, record);
		rc = sim_replay_source(&from, opt, res, err);
		sim_record_free(record);
	} else {
		rc = sim_replay(reader, opt, res, err);
	}
	tr_reader_close(reader);
	fclose(f);
	return rc;
}

/* Combination `which` (machine.h), slept and stepped. */
static inline void check_replays(const struct record *r, struct bytes b, uint32_t which,
	uint64_t *rng, struct check_counts *counts)
{
	struct check_replay c = {.r = r};
	static struct check_profile profile;
	struct sim_result slept, stepped;
	struct sim_replay opt;
	struct tr_err err, again;
	const char *moved;
	char what[600];
	int rc, rc2;

	machine_make(&opt, which, rng, what, sizeof(what));
	if (!dice(rng, 3)) /* launches that are under way together */
		opt.config.launch.mode = SIM_LAUNCH_CONCURRENT;
	c.together = opt.config.launch.mode == SIM_LAUNCH_CONCURRENT;
	c.what = what;
	if (opt.sched->takes_profile && dice(rng, 2)) {
		check_profile_make(&profile, r->trial.programs[0], rng);
		opt.sched_profile = &profile.table;
	}
	rc = check_run(&c, b, 0, &opt, &slept, &err);
	opt.tick = c.cycles < CHECK_STEPPED_MAX;
	counts->stepped += (uint32_t)opt.tick;
	rc2 = check_run(&c, b, 1, &opt, &stepped, &again);
	if (rc != rc2)
		fail_msg("%s: %s; stepped: %s", what, rc < 0 ? err.msg : "ends",
			rc2 < 0 ? again.msg : "ends");
	if (rc == TR_EIO) {
		counts->kept_back++;
		goto out;
	}
	if (rc < 0 && strcmp(err.msg, again.msg) != 0)
		fail_msg("%s: %s; stepped: %s", what, err.msg, again.msg);
	moved = stats_differ(&slept.total, &stepped.total, NULL);
	if (moved)
		fail_msg("%s: stepped differs in %s", what, moved);
	if (slept.hash != stepped.hash)
		fail_msg("%s: another state when stepped", what);
	if (rc > 0) {
		counts->finished++;
		assert_true(c.together || slept.launches == r->trial.nlaunches);
		assert_true(!stats_differ(&slept.total, &c.sum, NULL));
		/* Programs that run together are numbered side by side. */
		if (!(c.together && r->trial.nprograms > 1) &&
			slept.total.path_hash != check_paths(r))
			fail_msg("%s: threads went another way", what);
		if (slept.total.thread_insts != r->trial.totals[TR_T_THREAD_INSTS])
			fail_msg("%s: %llu thread instructions", what,
				(unsigned long long)slept.total.thread_insts);
	} else if (rc == TR_EUSAGE) {
		counts->refused++;
	} else if (strstr(err.msg, "stands still") && record_barriers(r) && !record_sure(r)) {
		counts->stood++;
	} else {
		fail_msg("%s: %s", what, err.msg);
	}
out:
	counts->accesses += slept.total.l1d.accesses;
	counts->hits += slept.total.l1d.hits;
	counts->atomics += slept.total.l1d.atomics;
	counts->barriers += slept.total.barriers;
	counts->dsm += slept.total.dsm.accesses;
	counts->cluster_barriers += slept.total.cluster_barriers;
	counts->divergent += slept.total.inactive_lanes;
	sim_stats_free(&slept.total);
	sim_stats_free(&stepped.total);
	sim_stats_free(&c.sum);
	for (uint32_t i = 0; i < RECORD_PROGRAMS; i++)
		free(c.lcp[i]);
}

/* ---- all of it ---- */

/* A record of this seed, and combination `which` of machine and policies, or UINT32_MAX: any. */
static inline void check_record(uint64_t seed, uint32_t which, struct check_counts *counts)
{
	uint64_t rng = mix(seed, 79);
	struct record r;
	struct bytes b;

	if (which == UINT32_MAX)
		which = dice(&rng, machine_combinations());
	record_make(&r, seed);
	b = check_written(&r, &rng);
	check_timeless(&r, &rng, counts);
	check_replays(&r, b, which, &rng, counts);
	free(b.p);
	record_free(&r);
}

#endif
