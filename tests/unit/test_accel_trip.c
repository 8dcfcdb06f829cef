/*
 * Thread trace to Accel-Sim and back, for every workload on its tiny input (SLOW=1: version 5 on
 * its default input): each thread passes and executes the same instructions, at PCs that stand for
 * one another, with the same addresses. Runs at the root of the source tree.
 */
#include "accel_trial.h"
#include "datasets/workloads/workload.h"

struct ready {
	struct wl_options opt;
	struct wl_set sets[WL_PARAMS_MAX];
	char tiny[256], path[256];
};

static void prepare(struct ready *r, const struct workload *wl, bool tiny)
{
	*r = (struct ready){.opt = {.sets = r->sets,
				    .seed = 1,
				    .ptx_path = r->path,
				    .flip_check = -1,
				    .machine = {.resident = PTX_RESIDENT_DEFAULT}}};
	snprintf(r->tiny, sizeof(r->tiny), "%s", wl->tiny);
	snprintf(r->path, sizeof(r->path), "datasets/workloads/%s/%s.ptx", wl->name, wl->name);
	if (tiny)
		assert_int_equal(wl_parse_sets(r->tiny, r->sets, &r->opt.nsets), 1);
}

static char *record(const struct workload *wl, bool tiny, size_t *len)
{
	struct tr_err err = {0};
	struct ready r;
	struct tr_writer *w;
	char *bytes = NULL;
	FILE *f = open_memstream(&bytes, len);

	prepare(&r, wl, tiny);
	assert_int_equal(tr_writer_open(&w, f, NULL, &err), 1);
	if (wl_run(wl, &r.opt, w, NULL, &err) < 0)
		fail_msg("%s: %s", wl->name, err.msg);
	assert_int_equal(tr_writer_close(w, &err), 1);
	fclose(f);
	return bytes;
}

/* What is known of both: all of it, but the address of a parameter. */
static void compare_step(const struct tr_walk *a, const struct tr_walk *b)
{
	const struct tr_inst *in = &a->p->insts[a->inst], *out = &b->p->insts[b->inst];

	/* The importer keeps the PC as the line of a file "sass". */
	assert_int_equal(out->line, 16 * a->inst);
	assert_int_equal(a->guard, b->guard);
	if (!in->bytes || in->space == TR_S_PARAM || !a->guard)
		return;
	assert_true(b->has_value);
	assert_true(b->value == (a->has_value ? a->value : (uint64_t)in->disp));
	assert_int_equal((unsigned)in->bytes * in->vec, (unsigned)out->bytes * out->vec);
	assert_int_equal(in->space, out->space);
	assert_int_equal(in->cls, out->cls);
}

static void compare_cta(const struct tr_program *pa, const struct tr_cta *a,
	const struct tr_program *pb, const struct tr_cta *b)
{
	assert_int_equal(a->number, b->number);
	assert_int_equal(a->nthreads, b->nthreads);
	for (uint32_t t = 0; t < a->nthreads; t++) {
		struct tr_walk wa, wb;
		int rc;

		tr_walk_start(&wa, pa, &a->threads[t]);
		tr_walk_start(&wb, pb, &b->threads[t]);
		while ((rc = tr_walk_next(&wa)) > 0) {
			assert_int_equal(tr_walk_next(&wb), 1);
			compare_step(&wa, &wb);
		}
		assert_int_equal(rc, 0);
		assert_int_equal(tr_walk_next(&wb), 0);
	}
}

static void compare_launch(const struct tr_launch *a, const struct tr_launch *b)
{
	assert_memory_equal(a->grid, b->grid, sizeof(a->grid));
	assert_memory_equal(a->block, b->block, sizeof(a->block));
	assert_int_equal(a->registers, b->registers);
	assert_int_equal(a->shared_bytes, b->shared_bytes);
	assert_int_equal(a->queue, b->queue);
	assert_int_equal(a->ncopies, b->ncopies);
	for (uint32_t i = 0; i < a->ncopies; i++) {
		assert_true(a->copies[i].base == b->copies[i].base);
		assert_true(a->copies[i].bytes == b->copies[i].bytes);
	}
}

static void compare(char *a, size_t len_a, char *b, size_t len_b)
{
	struct tr_err err = {0};
	struct tr_reader *ra, *rb;
	struct tr_cta ca, cb;
	FILE *fa = fmemopen(a, len_a, "rb"), *fb = fmemopen(b, len_b, "rb");
	int event;

	assert_int_equal(tr_reader_open(&ra, fa, NULL, &err), 1);
	assert_int_equal(tr_reader_open(&rb, fb, NULL, &err), 1);
	tr_cta_init(&ca);
	tr_cta_init(&cb);
	while ((event = tr_reader_next(ra, &err)) > 0) {
		assert_int_equal(tr_reader_next(rb, &err), event);
		if (event == TR_LAUNCH) {
			compare_launch(tr_reader_launch(ra), tr_reader_launch(rb));
			assert_string_equal(
				tr_str(tr_reader_program(ra), tr_reader_program(ra)->name),
				tr_str(tr_reader_program(rb), tr_reader_program(rb)->name));
			continue;
		}
		assert_int_equal(tr_reader_cta(ra, &ca, &err), 1);
		assert_int_equal(tr_reader_cta(rb, &cb, &err), 1);
		compare_cta(tr_reader_program(ra), &ca, tr_reader_program(rb), &cb);
	}
	assert_int_equal(event, 0);
	assert_int_equal(tr_reader_next(rb, &err), 0);
	assert_int_equal(
		tr_reader_totals(ra)[TR_T_THREAD_INSTS], tr_reader_totals(rb)[TR_T_THREAD_INSTS]);
	tr_cta_free(&ca);
	tr_cta_free(&cb);
	tr_reader_close(ra);
	tr_reader_close(rb);
	fclose(fa);
	fclose(fb);
}

static void trip(const struct workload *wl, uint32_t version)
{
	static struct memory_folder folder;
	struct tr_err err = {0};
	struct cv_report report;
	size_t len, back_len;
	char *bytes = record(wl, version != 5 || !getenv("SLOW"), &len), *back;

	if (memory_export(&folder, bytes, len, version, 70, &err) < 0)
		fail_msg("%s: %s", wl->name, err.msg);
	back = memory_import(&folder, "kernelslist.g", &back_len, &report, &err);
	if (!back)
		fail_msg("%s: %s", wl->name, err.msg);
	/*
	 * Of a program that is read back only the ways that were gone are known, so paths may meet
	 * sooner than they did, which is remarked. Nothing else is.
	 */
	for (uint32_t i = 0; i < report.n; i++)
		if (!strstr(report.notes[i].text, "that a warp issues with another one"))
			fail_msg("%s: %llu %s", wl->name, (unsigned long long)report.notes[i].count,
				report.notes[i].text);
	compare(bytes, len, back, back_len);
	memory_free(&folder);
	free(bytes);
	free(back);
}

static void test_version_5(void **state)
{
	trip(*state, 5);
}

static void test_version_3(void **state)
{
	trip(*state, 3);
}

#define WORKLOADS_MAX 128

int main(void)
{
	static struct CMUnitTest tests[2 * WORKLOADS_MAX];
	static char names[2 * WORKLOADS_MAX][64];
	size_t n = 0;

	for (unsigned i = 0; wl_at(i) && i < WORKLOADS_MAX; i++)
		for (int v = 3; v <= 5; v += 2, n++) {
			snprintf(names[n], sizeof(names[n]), "%s, version %d", wl_at(i)->name, v);
			tests[n] = (struct CMUnitTest){
				.name = names[n],
				.test_func = v == 5 ? test_version_5 : test_version_3,
				.initial_state = (void *)wl_at(i),
			};
		}
	return _cmocka_run_group_tests("to Accel-Sim and back", tests, n, NULL, NULL);
}
