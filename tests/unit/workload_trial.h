/* Workloads recorded to memory, and the machines of datasets/, for tests that replay them. */
#ifndef WORKLOAD_TRIAL_H
#define WORKLOAD_TRIAL_H

#include "tests/unit/replay_trial.h"
#include "datasets/workloads/workload.h"
#include <assert.h>

/*
 * With parameters in the form of wl->tiny, from the PTX file `path`, while CTAs are resident and
 * warps have turns as `resident` says.
 */
static inline struct trace record_with(const struct workload *wl, const char *parameters,
	const char *path, const struct ptx_resident *resident)
{
	struct wl_set sets[WL_PARAMS_MAX];
	char text[256];
	struct wl_options opt = {.sets = sets,
		.seed = 1,
		.ptx_path = path,
		.flip_check = -1,
		.machine = {.resident = *resident, .sync_reads = 1}};
	struct tr_err err = {0};
	struct wl_result res;
	struct tr_writer *w;
	struct trace t;
	FILE *f = open_memstream(&t.bytes, &t.len);

	assert_non_null(f);
	snprintf(text, sizeof(text), "%s", parameters);
	assert_int_equal(wl_parse_sets(text, sets, &opt.nsets), 1);
	assert_int_equal(tr_writer_open(&w, f, NULL, &err), 1);
	if (wl_run(wl, &opt, w, &res, &err) < 0)
		fail_msg("%s: %s", wl->name, err.msg);
	assert_int_equal(tr_writer_close(w, &err), 1);
	fclose(f);
	return t;
}

static inline struct trace record_run(
	const struct workload *wl, const char *parameters, const char *path)
{
	const struct ptx_resident usual = PTX_RESIDENT_DEFAULT;

	return record_with(wl, parameters, path, &usual);
}

static inline struct trace record_workload(const struct workload *wl)
{
	char path[256];

	snprintf(path, sizeof(path), "datasets/workloads/%s/%s.ptx", wl->name, wl->name);
	return record_run(wl, wl->tiny, path);
}

static inline void read_preset(struct sim_config *c, const char *name)
{
	char text[32768], path[128], base[64];
	struct tr_err err;
	FILE *f;

	snprintf(path, sizeof(path), "datasets/machines/%s.ini", name);
	f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	if (sim_config_base(text, base, sizeof(base)))
		read_preset(c, base);
	if (sim_config_read(c, text, name, &err) < 0)
		fail_msg("%s", err.msg);
}

/* ---- the same tests of every workload ---- */

#define WORKLOADS_MAX 128

struct workload_subject { /* what a test has in *state */
	const struct workload *wl;
	unsigned number;
};

struct workload_case {
	const char *what;
	CMUnitTestFunction f;
};

/* Runs each of up to 7 cases on each workload, and then `more`. */
static inline int run_on_workloads(const char *name, const struct workload_case *cases,
	unsigned ncases, const struct CMUnitTest *more, unsigned nmore)
{
	static struct CMUnitTest tests[8 * WORKLOADS_MAX];
	static struct workload_subject subjects[WORKLOADS_MAX];
	static char names[8 * WORKLOADS_MAX][64];
	size_t n = 0;

	assert(ncases < 8 && nmore <= WORKLOADS_MAX);
	for (unsigned i = 0; wl_at(i) && i < WORKLOADS_MAX; i++) {
		subjects[i] = (struct workload_subject){wl_at(i), i};
		for (unsigned c = 0; c < ncases; c++, n++) {
			snprintf(names[n], sizeof(names[n]), "%s: %s", wl_at(i)->name,
				cases[c].what);
			tests[n] = (struct CMUnitTest){.name = names[n],
				.test_func = cases[c].f,
				.initial_state = &subjects[i]};
		}
	}
	for (unsigned i = 0; i < nmore; i++)
		tests[n++] = more[i];
	return _cmocka_run_group_tests(name, tests, n, NULL, NULL);
}

#endif
