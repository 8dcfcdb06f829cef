/*
 * The regression table, tests/regression/results.tsv: small records on machines, under schedulers,
 * warp policies and priorities of CTAs, with what each replay comes to. The first six columns of a
 * row say what is run and the rest follows from them, so UPDATE=1 writes the table anew from its
 * own rows. tests/regression/cover finds the rows that are missing.
 *
 * The last column is a hash of what can be seen of a replay from outside: every counter of every
 * launch by name (of stats.def and of the warp policy), the counts of every instruction, samples
 * while it runs, and each access of the L1Ds in its order. How structs are laid out and how warps
 * are numbered is not in it, so that the code can be rearranged under this table without moving a
 * number.
 *
 * Every row is run; some are run once more with every cycle stepped, which has to come to the same.
 * In a sanitized build (SAN is set) some of the rows stand for all. Runs at the root of the source
 * tree.
 */
#include "tests/unit/workload_trial.h"
#include "sim/warp/lcp_points.h"

#define TABLE "tests/regression/results.tsv"
#define SAMPLE_CYCLES 500
#define STEPPED_EVERY 9 /* rows */
#define SANITIZED_EVERY 7
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- records ---- */

/* Kernels of hand.ptx: each has one buffer. */
static void run_by_hand(struct wl *w, const char *entry, uint32_t ctas, uint32_t threads)
{
	struct wl_buf out = wl_alloc(w, "out", ctas * threads * 128ull);

	WL_LAUNCH(w, entry, wl_dim(ctas, 1, 1), wl_dim(threads, 1, 1), 0, wl_p(&out));
	wl_output(w, &out, WL_U32, out.bytes / 4);
}

static void run_local(struct wl *w)
{
	run_by_hand(w, "local", 12, 96);
	run_by_hand(w, "local", 3, 40);
}

static void run_together(struct wl *w)
{
	run_by_hand(w, "together", 14, 128);
}

static void run_votes(struct wl *w)
{
	run_by_hand(w, "votes", 16, 64);
}

#define HAND "tests/regression/hand.ptx"
static const struct workload by_hand[] = {{.name = "local", .run = run_local},
	{.name = "together", .run = run_together}, {.name = "votes", .run = run_votes}};

/* Larger than the tiny ones where these leave most of an SM empty. */
static const struct {
	const char *name, *parameters;
} sizes[] = {{"backprop", "blocks=12"},
	{"kmeans", "points=1500,features=8,clusters=3,rounds=1,invert=1"},
	{"matmul", "tiles=3,depth=2"}, {"scan", "n=3000,log2_threads=7"},
	{"spmv-scalar", "rows=900,per_row=9"}};

/* A record, decoded once for all its runs. */
struct subject {
	char name[64];
	struct trace trace;
	struct tr_reader *reader;
	FILE *file;
	struct sim_record *record;
	uint64_t paths;
	uint32_t *lcp[8]; /* by program: likely-convergence points of a profile */
};
static struct subject subjects[32];
static unsigned nsubjects;

static struct trace record_named(const char *name)
{
	const struct workload *wl = wl_find(name);

	for (unsigned i = 0; i < COUNT(by_hand); i++)
		if (!strcmp(name, by_hand[i].name))
			return record_run(&by_hand[i], "", HAND);
	if (!wl)
		fail_msg(TABLE ": no workload '%s'", name);
	for (unsigned i = 0; i < COUNT(sizes); i++)
		if (!strcmp(name, sizes[i].name)) {
			struct workload sized = *wl;

			sized.tiny = sizes[i].parameters;
			return record_workload(&sized);
		}
	return record_workload(wl);
}

/* The profile, as trace-replay makes it in a first pass. */
static void make_points(struct subject *s)
{
	uint64_t *edges[COUNT(s->lcp)] = {0};
	const struct tr_program *programs[COUNT(s->lcp)] = {0}, *p = NULL;
	struct sim_playback playback;
	struct sim_source from = sim_playback_source(&playback, s->record);
	uint32_t at = 0;
	struct tr_err err;
	int event;

	while ((event = from.next(from.arg, &err)) > 0)
		if (event == TR_LAUNCH) {
			at = from.launch(from.arg)->program;
			p = from.program(from.arg);
			assert_true(at < COUNT(s->lcp));
			if (edges[at])
				continue;
			programs[at] = p;
			edges[at] = calloc(p->nsucc_pool + 1, sizeof(**edges));
			s->lcp[at] = calloc(p->ninsts, sizeof(**s->lcp));
			assert_true(edges[at] && s->lcp[at]);
		} else {
			const struct tr_cta *cta = from.cta(from.arg, &err);

			assert_int_equal(sim_lcp_count(p, cta, edges[at], &err), 1);
		}
	for (unsigned i = 0; i < COUNT(edges); i++)
		if (edges[i])
			assert_int_equal(sim_lcp_points(programs[i], edges[i], s->lcp[i], &err), 1);
	for (unsigned i = 0; i < COUNT(edges); i++)
		free(edges[i]);
}

static struct subject *subject_of(const char *name)
{
	struct subject *s = subjects;
	struct tr_err err;

	for (; s < subjects + nsubjects; s++)
		if (!strcmp(s->name, name))
			return s;
	assert_true(nsubjects < COUNT(subjects));
	nsubjects++;
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->trace = record_named(name);
	s->paths = walked_paths(&s->trace);
	s->reader = trace_open(&s->trace, &s->file);
	assert_int_equal(sim_record_read(&s->record, s->reader, &err), 1);
	make_points(s);
	return s;
}

static void subjects_free(void)
{
	for (struct subject *s = subjects; s < subjects + nsubjects; s++) {
		sim_record_free(s->record);
		tr_reader_close(s->reader);
		fclose(s->file);
		free(s->trace.bytes);
		for (unsigned i = 0; i < COUNT(s->lcp); i++)
			free(s->lcp[i]);
	}
	nsubjects = 0;
}

/* ---- the hash ---- */

static void mix(uint64_t *h, uint64_t x)
{
	*h = (*h ^ x) * 0x9e3779b97f4a7c15ull;
	*h ^= *h >> 31;
}

#define MIX(h, ...)                                                                                \
	do {                                                                                       \
		const uint64_t all_[] = {__VA_ARGS__};                                             \
                                                                                                   \
		for (unsigned i_ = 0; i_ < COUNT(all_); i_++)                                      \
			mix(h, all_[i_]);                                                          \
	} while (0)

/*
 * A number and its name, in any order: the hash stays when counters are put in another one. What is
 * 0 adds nothing, so that a new counter moves those rows only in which something is counted.
 */
static void count(uint64_t *sum, const char *name, uint64_t index, uint64_t n)
{
	uint64_t h = index;

	if (!n)
		return;
	for (; *name; name++)
		mix(&h, (unsigned char)*name);
	mix(&h, n);
	*sum += h;
}

/* All of each instruction, too. */
static void mix_insts(uint64_t *sum, const struct sim_stats *s)
{
	const size_t n = sizeof(*s->insts) / sizeof(uint64_t);
	const uint64_t *numbers = (const uint64_t *)s->insts;

	for (size_t i = 0; i < n * s->ninsts; i++)
		count(sum, "inst", i, numbers[i]);
	for (size_t i = 0; i < (size_t)SIM_NCYCLES * s->ninsts; i++)
		count(sum, "charged", i, s->charged[i]);
}

static void mix_policy(uint64_t *sum, const struct sim_stats *s)
{
	for (uint32_t c = 0; s->counters && s->counters[c].name; c++) {
		count(sum, s->counters[c].name, 0, s->policy[c]);
		for (uint32_t i = 0; i < s->ninsts; i++)
			count(sum, s->counters[c].name, 1 + i,
				s->policy_insts[(size_t)c * s->ninsts + i]);
	}
}

static void mix_stats(uint64_t *h, const struct sim_stats *s)
{
	const struct sim_stat *f;
	uint64_t sum = 0;

	for (unsigned i = 0; (f = sim_stats_at(i)); i++)
		for (uint32_t k = 0; i != SIM_STAT_policy && k < f->n; k++)
			count(&sum, f->name, k, sim_stats_numbers(s, f)[k]);
	mix_policy(&sum, s);
	mix_insts(&sum, s);
	mix(h, sum);
}

static void mix_cycles(uint64_t *h, const struct sim_stats *s)
{
	for (int i = 0; i < SIM_NCYCLES; i++)
		mix(h, s->by_cycle[i]);
}

/* ---- runs ---- */

struct watch {
	uint64_t hash;
	const struct subject *subject;
};

static const uint32_t *on_lcp(void *arg, const struct tr_launch *l)
{
	const struct watch *w = arg;

	return w->subject->lcp[l->program];
}

static int on_launched(
	void *arg, const struct tr_launch *l, const struct tr_program *p, const struct sim_stats *s)
{
	struct watch *w = arg;

	(void)p;
	mix(&w->hash, l->number);
	mix_stats(&w->hash, s);
	return 1;
}

static int on_sample(void *arg, const struct sim_sample *s)
{
	struct watch *w = arg;

	MIX(&w->hash, s->launch, s->cycle, s->warps, s->stats->warp_insts, s->stats->l1d.accesses);
	mix_cycles(&w->hash, s->stats);
	return 1;
}

static int on_access(void *arg, const struct tr_access *a)
{
	struct watch *w = arg;

	MIX(&w->hash, a->line, a->warp_insts, a->thread_insts, a->sm, a->cta, a->warp, a->inst,
		a->loop, a->trip, a->sectors, a->bytes, a->space, a->op, a->result, a->first,
		a->active);
	for (unsigned i = 0; i < COUNT(a->lanes); i++)
		mix(&w->hash, a->lanes[i]);
	return 1;
}

enum { WORKLOAD, MACHINE, SETTINGS, SCHEDULER, WARP, PRIORITY, NGIVEN };

static void prepare(struct sim_replay *opt, char *const *given)
{
	struct tr_err err;

	memset(opt, 0, sizeof(*opt));
	sim_config_default(&opt->config);
	read_preset(&opt->config, given[MACHINE]);
	if (strcmp(given[SETTINGS], "-"))
		machine_set(&opt->config, given[SETTINGS]);
	if (strcmp(given[SCHEDULER], "-"))
		snprintf(opt->config.scheduler, sizeof(opt->config.scheduler), "%s",
			given[SCHEDULER]);
	if (sim_sched_parse(opt->config.scheduler, &opt->sched, opt->sched_params, &err) < 0 ||
		sim_warp_policy_parse(given[WARP], &opt->warp, opt->warp_params, &err) < 0 ||
		sim_priority_parse(given[PRIORITY], &opt->priority, &err) < 0)
		fail_msg(TABLE ": %s", err.msg);
}

/* What follows from a row's first columns, or how it fails. */
static void outcome(char *const *given, int tick, char *text, size_t size)
{
	struct subject *subject = subject_of(given[WORKLOAD]);
	struct watch watch = {.subject = subject};
	struct sim_sink sink = {.arg = &watch, .access = on_access};
	struct sim_playback playback;
	struct sim_source from = sim_playback_source(&playback, subject->record);
	struct sim_replay opt;
	struct sim_result res;
	struct tr_err err = {0};
	size_t n;
	int rc;

	prepare(&opt, given);
	opt.tick = tick;
	opt.sink = &sink;
	opt.launched = on_launched;
	opt.charge = 1;
	opt.count_threads = 1;
	opt.lcp = on_lcp;
	opt.sample = on_sample;
	opt.sample_cycles = SAMPLE_CYCLES;
	opt.arg = &watch;
	rc = sim_replay_source(&from, &opt, &res, &err);
	if (rc < 0) {
		snprintf(text, size, "%s", rc == TR_EUSAGE ? "refused" : "fails");
		sim_stats_free(&res.total);
		return;
	}
	if (res.total.path_hash != subject->paths)
		fail_msg("%s, %s: threads went another way", given[WORKLOAD], given[WARP]);
	n = (size_t)snprintf(text, size, "%llu", (unsigned long long)res.total.cycles);
	for (int i = 0; i < SIM_NCYCLES; i++)
		n += (size_t)snprintf(
			text + n, size - n, "\t%llu", (unsigned long long)res.total.by_cycle[i]);
	snprintf(text + n, size - n, "\t%llu\t%llu\t%016llx",
		(unsigned long long)res.total.l1d.misses,
		(unsigned long long)res.total.mem.l2_misses, (unsigned long long)watch.hash);
	sim_stats_free(&res.total);
}

/* ---- the table ---- */

static void head(FILE *out)
{
	fputs("workload\tmachine\tsettings\tscheduler\twarp\tpriority\tcycles", out);
	for (int i = 0; i < SIM_NCYCLES; i++)
		fprintf(out, "\t%s", sim_cycle_name(i));
	fputs("\tl1d_misses\tl2_misses\thash\n", out);
}

/* The first columns of a row, cut in place; the rest of it. */
static const char *given_of(char *row, char **given)
{
	char *at = row;

	for (int i = 0; i < NGIVEN; i++) {
		given[i] = at;
		at = strchr(at, '\t');
		if (!at && i < NGIVEN - 1)
			fail_msg(TABLE ": a row without its first columns: %s", row);
		if (at)
			*at++ = 0;
	}
	return at ? at : "";
}

static int updates(void)
{
	const char *update = getenv("UPDATE");

	return update && !strcmp(update, "1");
}

static int sanitized(void)
{
	const char *san = getenv("SAN");

	return san && *san && !updates();
}

static unsigned moved; /* rows */

static void compare(unsigned row, char *const *given, const char *now, const char *then)
{
	if (!strcmp(now, then))
		return;
	moved++;
	print_error("row %u: %s, %s, %s, %s, %s, %s\n  was %s\n  is  %s\n", row, given[WORKLOAD],
		given[MACHINE], given[SETTINGS], given[SCHEDULER], given[WARP], given[PRIORITY],
		then, now);
}

static void test_table(void **state)
{
	char *line = NULL, *text, now[1024], *given[NGIVEN];
	size_t room = 0, size;
	unsigned row = 0;
	FILE *in = fopen(TABLE, "r"), *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(in);
	assert_non_null(out);
	head(out);
	fflush(out);
	assert_true(getline(&line, &room, in) > 0);
	if (!updates())
		assert_string_equal(line, text);
	for (; getline(&line, &room, in) > 0; row++) {
		const char *then;

		line[strcspn(line, "\n")] = 0;
		then = given_of(line, given);
		if (sanitized() && row % SANITIZED_EVERY)
			continue;
		outcome(given, 0, now, sizeof(now));
		if (!updates())
			compare(row + 2, given, now, then);
		for (int i = 0; i < NGIVEN; i++)
			fprintf(out, "%s\t", given[i]);
		fprintf(out, "%s\n", now);
	}
	fclose(in);
	fclose(out);
	free(line);
	if (updates()) {
		FILE *f = fopen(TABLE, "w");

		assert_non_null(f);
		fputs(text, f);
		assert_int_equal(fclose(f), 0);
	}
	free(text);
	assert_true(row > 0);
	if (moved)
		fail_msg("%u of %u rows of " TABLE " moved (UPDATE=1 renews them)", moved, row);
}

/* The same with every cycle stepped. */
static void test_stepped(void **state)
{
	const unsigned every = STEPPED_EVERY * (sanitized() ? SANITIZED_EVERY : 1);
	char *line = NULL, now[1024], *given[NGIVEN];
	size_t room = 0;
	FILE *in = fopen(TABLE, "r");

	(void)state;
	moved = 0;
	assert_non_null(in);
	assert_true(getline(&line, &room, in) > 0);
	for (unsigned row = 0; getline(&line, &room, in) > 0; row++) {
		const char *then;

		line[strcspn(line, "\n")] = 0;
		then = given_of(line, given);
		if (row % every)
			continue;
		outcome(given, 1, now, sizeof(now));
		compare(row + 2, given, now, then);
	}
	fclose(in);
	free(line);
	if (moved)
		fail_msg("%u rows differ when every cycle is stepped", moved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_stepped),
	};
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	subjects_free();
	return failed;
}
