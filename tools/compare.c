/*
 * See compare.h. The runs share nothing that changes: each has its machine, and reads the record
 * on its own. So the order in which they end shows nowhere.
 */
#include "tools/compare.h"
#include "tools/policy.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BEST_SWL "best-swl"

static void add_run(struct compare *c, char *scheduler, const struct sim_replay *like)
{
	struct compare_run *run;

	c->runs = must_realloc(c->runs, c->n + 1u, sizeof(*c->runs));
	run = &c->runs[c->n++];
	*run = (struct compare_run){.opt = *like};
	run->opt.sched = policy_sched(scheduler, "--compare", EXIT_USAGE, run->opt.sched_params,
		&run->profile, &run->scheduler);
	free(scheduler);
}

static void add_row(struct compare *c, char *scheduler, const struct sim_replay *like,
	const uint32_t *limits, unsigned nlimits)
{
	const unsigned first = c->n;

	if (!strncmp(scheduler, BEST_SWL ":", strlen(BEST_SWL ":")))
		die(EXIT_USAGE, "--compare: " BEST_SWL " takes no parameters: see --limits");
	if (strcmp(scheduler, BEST_SWL)) {
		add_run(c, scheduler, like);
	} else {
		for (unsigned i = 0; i < nlimits; i++)
			add_run(c, must_printf("swl:limit=%" PRIu32, limits[i]), like);
		free(scheduler);
	}
	c->rows = must_realloc(c->rows, c->nrows + 1u, sizeof(*c->rows));
	c->rows[c->nrows++] = (struct compare_row){.first = first, .n = c->n - first};
}

/* Does a piece of the list go on with the parameters of the scheduler before it? */
static bool goes_on(const char *piece)
{
	const size_t name = strcspn(piece, ",:=");

	return piece[name] == '=';
}

void compare_make(struct compare *c, const char *list, const struct sim_replay *like,
	const uint32_t *limits, unsigned nlimits)
{
	const char *at = list;

	*c = (struct compare){0};
	for (;;) {
		size_t n = strcspn(at, ",");

		while (at[n] && goes_on(at + n + 1))
			n += 1 + strcspn(at + n + 1, ",");
		add_row(c, must_printf("%.*s", (int)n, at), like, limits, nlimits);
		if (!at[n])
			break;
		at += n + 1;
	}
	for (unsigned i = 0; i < c->n; i++) /* they move no more */
		c->runs[i].opt.sched_profile =
			c->runs[i].profile.path ? &c->runs[i].profile.table : NULL;
}

/* Before the runs: these share the process, which may end here. */
void compare_check(const struct compare *c, const struct sim_record *record, bool quiet)
{
	struct sim_playback playback;
	struct sim_source from = sim_playback_source(&playback, record);
	const struct tr_program *last = NULL;
	struct tr_err err;
	int event;

	while ((event = from.next(from.arg, &err)) > 0 && event != TR_END) {
		const struct tr_program *p = from.program(from.arg);

		if (event == TR_CTA)
			from.cta(from.arg, &err);
		if (p == last)
			continue;
		for (unsigned i = 0; i < c->n; i++)
			if (c->runs[i].opt.sched_profile)
				profile_check(&c->runs[i].profile, p, quiet);
		last = p;
	}
}

struct work {
	struct compare *c;
	const struct sim_record *record;
	void (*done)(void *arg, const struct sim_result *res);
	void *arg;
	unsigned next;
	pthread_mutex_t lock; /* of next, and of calls of done */
};

static void *work_on(void *arg)
{
	struct work *w = arg;

	for (;;) {
		struct compare_run *run = NULL;
		struct sim_playback playback;
		struct sim_source from;

		pthread_mutex_lock(&w->lock);
		if (w->next < w->c->n)
			run = &w->c->runs[w->next++];
		pthread_mutex_unlock(&w->lock);
		if (!run)
			return NULL;
		from = sim_playback_source(&playback, w->record);
		run->rc = sim_replay_source(&from, &run->opt, &run->res, &run->err);
		pthread_mutex_lock(&w->lock);
		w->done(w->arg, &run->res);
		pthread_mutex_unlock(&w->lock);
	}
}

void compare_run_all(struct compare *c, const struct sim_record *record, unsigned jobs,
	void (*done)(void *arg, const struct sim_result *res), void *arg)
{
	struct work w = {.c = c, .record = record, .done = done, .arg = arg};
	pthread_t *threads;
	unsigned started = 0;

	jobs = jobs < c->n ? jobs : c->n;
	threads = must_alloc(jobs, sizeof(*threads));
	pthread_mutex_init(&w.lock, NULL);
	while (started + 1 < jobs && !pthread_create(&threads[started], NULL, work_on, &w))
		started++;
	work_on(&w); /* also alone, where no thread could be had */
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&w.lock);
	free(threads);
}

const struct compare_run *compare_best(const struct compare *c, unsigned row)
{
	const struct compare_row *r = &c->rows[row];
	const struct compare_run *best = &c->runs[r->first];

	for (unsigned i = 1; i < r->n; i++)
		if (c->runs[r->first + i].res.total.cycles <= best->res.total.cycles)
			best = &c->runs[r->first + i];
	return best;
}

void compare_free(struct compare *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		sim_stats_free(&c->runs[i].res.total);
		profile_free(&c->runs[i].profile);
		free(c->runs[i].scheduler);
	}
	free(c->runs);
	free(c->rows);
	*c = (struct compare){0};
}
