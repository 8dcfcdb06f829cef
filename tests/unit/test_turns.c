/*
 * A record is the same whatever turns the recorder's warps and CTAs had: for every quantum, and
 * however many CTAs are resident on an SM. It may differ where threads race for what they do: where
 * atomics hand out work or places, or a thread reads what another one is writing. These are listed
 * with what they race for, and each of them does differ, so that the list says no more than is
 * true. Runs at the root of the source tree.
 */
#include "tests/unit/workload_trial.h"
#include "sim/ptx/ptx.h"
#include "tests/unit/slurp.h"

/* ---- how turns are taken ---- */

static const struct ptx_resident turns[] = {
	PTX_RESIDENT_DEFAULT,
	{30, 8, 1024, 16384, 16384, 1, 0},
	{30, 8, 1024, 16384, 16384, 64, 0},
	{30, 1, 1024, 16384, 16384, 512, 0},
	{30, 2, 1024, 16384, 16384, 512, 0},
	{1, 1, 1024, 16384, 16384, 7, 0},
};
#define NTURNS (sizeof(turns) / sizeof(turns[0]))

static int same(const struct trace *a, const struct trace *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

/* ---- kernels with barriers in shared memory ---- */

static const struct {
	const char *file, *entry;
	uint32_t grid, block, cluster, nargs, n;
} kernels[] = {
	{"mbarrier", "pair", 40, 64, 0, 3, 50},
	{"mbarrier", "pair", 3, 1024, 0, 3, 700},
	{"mbarrier", "gather", 16, 1, 4, 2, 40},
	{"mbarrier", "poll", 5, 64, 0, 2, 3},
	{"mbarrier", "ring", 9, 96, 0, 2, 17},
	{"mbarrier", "copies", 7, 64, 0, 3, 20},
};

static struct trace record_kernel(unsigned k, const struct ptx_resident *resident)
{
	const struct ptx_machine_options opt = {
		.resident = *resident, .max_insts = 100000000, .sync_reads = 1};
	const uint32_t mode = 0;
	const int copies = !strcmp(kernels[k].entry, "copies");
	struct ptx_machine *m;
	struct ptx_module *mod;
	struct tr_writer *w;
	struct tr_err err = {0};
	struct trace t;
	char path[64];
	size_t len;
	char *text;
	FILE *f = open_memstream(&t.bytes, &t.len);

	assert_non_null(f);
	snprintf(path, sizeof(path), "tests/kernels/%s.ptx", kernels[k].file);
	text = slurp(path, &len);
	if (ptx_parse(&mod, text, len, path, &err) < 0 || ptx_machine_new(&m, &opt, &err) < 0 ||
		ptx_load(m, mod, &err) < 0 || tr_writer_open(&w, f, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	free(text);
	const uint64_t out = ptx_alloc(m, "out", 1 << 16, &err);
	const uint64_t in = ptx_alloc(m, "in", 1 << 16, &err);
	const void *args[] = {copies ? &in : &out, copies ? (const void *)&out : &kernels[k].n,
		copies ? &kernels[k].n : &mode};
	const struct ptx_launch l = {.kernel = ptx_find(mod, kernels[k].entry),
		.grid = {kernels[k].grid, 1, 1},
		.block = {kernels[k].block, 1, 1},
		.cluster = {kernels[k].cluster, kernels[k].cluster != 0, kernels[k].cluster != 0},
		.args = args,
		.nargs = kernels[k].nargs};
	if (ptx_launch(m, &l, w, &err) < 0 || tr_writer_close(w, &err) < 0)
		fail_msg("%s %s: %s", path, kernels[k].entry, err.msg);
	fclose(f);
	ptx_machine_free(m);
	ptx_module_free(mod);
	return t;
}

static void barriers_in_memory(void **state)
{
	(void)state;
	for (unsigned k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
		struct trace first = {0};

		for (unsigned i = 0; i < NTURNS; i++) {
			/* A cluster runs together. */
			struct trace t;

			if (kernels[k].cluster > turns[i].sms * turns[i].ctas_per_sm)
				continue;
			t = record_kernel(k, &turns[i]);
			if (!i)
				first = t;
			else if (!same(&first, &t))
				fail_msg("%s %s: another record with turns %u", kernels[k].file,
					kernels[k].entry, i);
			if (i)
				free(t.bytes);
		}
		free(first.bytes);
	}
}

/* ---- workloads ---- */

/* Those that race, and for what. */
static const struct {
	const char *name, *what;
} races[] = {
	{"bfs-dyn", "levels of vertices, which launches of threads write at the same time"},
	{"gc", "colours of neighbours, read while they choose theirs"},
	{"sssp", "distances, read while others lower them"},
	{"sssp-dyn", "distances, likewise"},
};

static const char *races_for(const char *name)
{
	for (unsigned i = 0; i < sizeof(races) / sizeof(races[0]); i++)
		if (!strcmp(races[i].name, name))
			return races[i].what;
	return NULL;
}

static void workloads(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned n = 0; wl_at(n); n++) {
		const struct workload *wl = wl_at(n);
		struct trace first = record_workload(wl);
		char path[256];
		unsigned others = 0;

		snprintf(path, sizeof(path), "datasets/workloads/%s/%s.ptx", wl->name, wl->name);
		for (unsigned i = 1; i < 5; i++) {
			struct trace t = record_with(wl, wl->tiny, path, &turns[i]);

			others |= (unsigned)!same(&first, &t) << i;
			free(t.bytes);
		}
		free(first.bytes);
		if (!others == !races_for(wl->name))
			continue;
		print_error("%s %s with other turns (0x%x)\n", wl->name,
			others ? "has another record" : "is listed and has the same record",
			others);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(barriers_in_memory),
		cmocka_unit_test(workloads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
