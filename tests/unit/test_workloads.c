/*
 * Every workload on its tiny input: its check passes, finds any flipped element, its trace has the
 * same bytes twice, and walking the program with the trace gives the PCs that were executed.
 * Runs at the root of the source tree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "datasets/workloads/workload.h"

#define SEED 1
#define FLIPS 8 /* elements flipped in each output */

/* What the machine executed: one hash of PCs per thread, in order of launch, CTA and thread. */
struct executed {
	uint64_t *hash;
	size_t n, cap, base; /* base: of the current launch */
	uint32_t launch, threads;
};

static uint64_t mix(uint64_t h, uint32_t inst)
{
	h = (h ^ inst) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

static void on_executed(void *arg, const struct ptx_executed *x)
{
	struct executed *e = arg;
	size_t need;

	if (x->launch != e->launch) {
		e->base = e->n;
		e->launch = x->launch;
		e->threads = x->threads;
	}
	need = e->base + (size_t)x->ctas * x->threads;
	if (need > e->cap) {
		e->hash = realloc(e->hash, need * sizeof(*e->hash));
		assert_non_null(e->hash);
		memset(e->hash + e->cap, 0, (need - e->cap) * sizeof(*e->hash));
		e->cap = need;
	}
	e->n = need;
	for (uint32_t m = x->mask; m; m &= m - 1) {
		uint32_t t = x->group * TR_GROUP + (uint32_t)__builtin_ctz(m);
		uint64_t *h = &e->hash[e->base + (size_t)x->cta * x->threads + t];

		*h = mix(*h, x->inst);
	}
}

static int64_t form; /* of the workload that is tried, or -1 */

struct ready {
	struct wl_options opt;
	struct wl_set sets[WL_PARAMS_MAX];
	char tiny[256], path[256];
};

static void prepare(struct ready *r, const struct workload *wl)
{
	*r = (struct ready){
		.opt = {.sets = r->sets,
			.seed = SEED,
			.ptx_path = r->path,
			.flip_check = -1,
			.machine = {.resident = PTX_RESIDENT_DEFAULT, .sync_reads = 1}}};
	snprintf(r->tiny, sizeof(r->tiny), "%s", wl->tiny);
	snprintf(r->path, sizeof(r->path), "datasets/workloads/%s/%s.ptx", wl->name, wl->name);
	assert_int_equal(wl_parse_sets(r->tiny, r->sets, &r->opt.nsets), 1);
	if (form >= 0)
		r->sets[r->opt.nsets++] = (struct wl_set){.name = "form", .value = form};
}

/* A workload in one of its forms. */
struct trial {
	const struct workload *wl;
	int64_t form; /* -1: it has one only */
};

static const struct workload *workload_of(void **state)
{
	const struct trial *t = *state;

	form = t->form;
	return t->wl;
}

/* Runs and records; the stream's bytes are the caller's to free. */
static char *record(
	const struct wl_options *opt, const struct workload *wl, size_t *len, struct wl_result *res)
{
	struct tr_err err = {0};
	struct tr_writer *w;
	char *bytes = NULL;
	FILE *f = open_memstream(&bytes, len);
	int rc = tr_writer_open(&w, f, NULL, &err);

	assert_int_equal(rc, 1);
	rc = wl_run(wl, opt, w, res, &err);
	if (rc < 0)
		fail_msg("%s: %s", wl->name, err.msg);
	rc = tr_writer_close(w, &err);
	if (rc < 0)
		fail_msg("%s: %s", wl->name, err.msg);
	fclose(f);
	return bytes;
}

static void test_same_bytes(void **state)
{
	const struct workload *wl = workload_of(state);
	struct wl_result res;
	struct ready r;
	size_t len[2];
	char *bytes[2];

	prepare(&r, wl);
	for (int i = 0; i < 2; i++)
		bytes[i] = record(&r.opt, wl, &len[i], &res);
	assert_int_equal(len[0], len[1]);
	assert_memory_equal(bytes[0], bytes[1], len[0]);
	assert_in_range(res.thread_insts, 1000, 500000);
	free(bytes[0]);
	free(bytes[1]);
}

static void test_walk_is_execution(void **state)
{
	const struct workload *wl = workload_of(state);
	struct executed e = {.launch = UINT32_MAX};
	struct tr_err err = {0};
	struct wl_result res;
	struct tr_reader *reader;
	struct tr_cta cta;
	struct ready r;
	size_t len, at = 0;
	uint64_t insts = 0;
	char *bytes;
	FILE *f;
	int rc;

	prepare(&r, wl);
	r.opt.machine.executed = on_executed;
	r.opt.machine.executed_arg = &e;
	bytes = record(&r.opt, wl, &len, &res);
	f = fmemopen(bytes, len, "rb");
	assert_int_equal(tr_reader_open(&reader, f, NULL, &err), 1);
	tr_cta_init(&cta);
	while ((rc = tr_reader_next(reader, &err)) > 0) {
		if (rc != TR_CTA)
			continue;
		rc = tr_reader_cta(reader, &cta, &err);
		if (rc < 0)
			fail_msg("%s: %s", wl->name, err.msg);
		for (uint32_t t = 0; t < cta.nthreads; t++, at++) {
			struct tr_walk w;
			uint64_t h = 0;

			tr_walk_start(&w, tr_reader_program(reader), &cta.threads[t]);
			while ((rc = tr_walk_next(&w)) > 0) {
				h = mix(h, w.inst);
				insts += (unsigned)w.guard;
			}
			assert_int_equal(rc, 0);
			assert_true(at < e.n);
			assert_true(h == e.hash[at]);
		}
	}
	if (rc < 0)
		fail_msg("%s: %s", wl->name, err.msg);
	assert_int_equal(at, e.n);
	assert_int_equal(insts, res.thread_insts);
	assert_int_equal(tr_reader_totals(reader)[TR_T_THREAD_INSTS], insts);
	tr_cta_free(&cta);
	tr_reader_close(reader);
	fclose(f);
	free(bytes);
	free(e.hash);
}

static void test_check_finds_a_flip(void **state)
{
	const struct workload *wl = workload_of(state);
	struct wl_result res;
	struct tr_err err = {0};
	struct wl_rng rng;
	struct ready r;

	prepare(&r, wl);
	assert_int_equal(wl_run(wl, &r.opt, NULL, &res, &err), 1);
	assert_true(res.checks > 0);
	wl_rng_seed(&rng, SEED, 99);
	for (unsigned check = 0; check < res.checks; check++)
		for (int i = 0; i < FLIPS; i++) {
			struct wl_result after;

			r.opt.flip_check = (int)check;
			r.opt.flip_element = i ? wl_u64(&rng) : 0;
			if (wl_run(wl, &r.opt, NULL, &after, &err) != TR_ERUN)
				fail_msg("%s: check %u misses element %llu", wl->name, check,
					(unsigned long long)r.opt.flip_element);
		}
}

static void test_parameters(void **state)
{
	const struct workload *wl = workload_of(state);
	struct wl_set bad = {.name = "no-such-parameter", .value = 1};
	struct tr_err err = {0};
	struct ready r;

	prepare(&r, wl);
	r.opt.sets = &bad;
	r.opt.nsets = 1;
	assert_int_equal(wl_run(wl, &r.opt, NULL, NULL, &err), TR_EUSAGE);
	assert_non_null(strstr(err.msg, "no-such-parameter"));
	for (int i = 0; i < WL_PARAMS_MAX && wl->params[i].name; i++) {
		const struct wl_param *p = &wl->params[i];

		assert_in_range(p->value, p->min, p->max);
		bad = (struct wl_set){.name = p->name, .value = p->max + 1};
		assert_int_equal(wl_run(wl, &r.opt, NULL, NULL, &err), TR_EUSAGE);
		assert_non_null(strstr(err.msg, p->name));
		bad = (struct wl_set){.name = p->name, .text = "no-such-value"};
		assert_int_equal(wl_run(wl, &r.opt, NULL, NULL, &err), TR_EUSAGE);
		assert_non_null(strstr(err.msg, "no-such-value"));
	}
}

/* How many forms a workload has; 0: it is not made in several. */
static int64_t forms_of(const struct workload *wl)
{
	for (int i = 0; i < WL_PARAMS_MAX && wl->params[i].name; i++)
		if (!strcmp(wl->params[i].name, "form"))
			return wl->params[i].max + 1;
	return 0;
}

#define CASES 4
#define TRIALS_MAX 160

int main(void)
{
	static const struct {
		const char *what;
		CMUnitTestFunction f;
	} cases[CASES] = {
		{"same bytes twice", test_same_bytes},
		{"walk is execution", test_walk_is_execution},
		{"check finds a flip", test_check_finds_a_flip},
		{"parameters", test_parameters},
	};
	static struct trial trials[TRIALS_MAX];
	static struct CMUnitTest tests[CASES * TRIALS_MAX];
	static char names[CASES * TRIALS_MAX][64];
	size_t n = 0, ntrials = 0;

	for (unsigned i = 0; wl_at(i); i++) {
		const int64_t forms = forms_of(wl_at(i));

		for (int64_t f = forms ? 0 : -1; f < forms && ntrials < TRIALS_MAX; f++)
			trials[ntrials++] = (struct trial){wl_at(i), f};
	}
	for (size_t t = 0; t < ntrials; t++)
		for (int c = 0; c < CASES; c++, n++) {
			snprintf(names[n], sizeof(names[n]), "%s%s: %s", trials[t].wl->name,
				trials[t].form > 0 ? ", second form" : "", cases[c].what);
			tests[n] = (struct CMUnitTest){.name = names[n],
				.test_func = cases[c].f,
				.initial_state = &trials[t]};
		}
	return _cmocka_run_group_tests("workloads", tests, n, NULL, NULL);
}
