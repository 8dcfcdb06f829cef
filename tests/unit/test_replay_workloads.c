/*
 * The replay machine on every workload's tiny input: stepping every cycle gives what sleeping gives,
 * each thread goes its recorded way under every warp policy, and the L1D misses what trace-belady's
 * LRU misses on the accesses that it made. SLOW=1: on every preset with every policy, else on some of
 * the pairs, so that each preset and each policy meets a third of the workloads at least. Runs at
 * the root of the source tree.
 */
#include "tests/unit/replay_trial.h"
#include "datasets/workloads/workload.h"
#include "sim/access/replace.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const presets[] = {"dwr", "tbc", "crown", "ccws", "daws-spmv", "vws", "k20c"};
static const char *const warps[] = {"fixed:8", "fixed:32", "fixed:64", "mimd"};

static int slow(void)
{
	return getenv("SLOW") != NULL;
}

/* ---- what is replayed, and on what ---- */

static struct trace record_workload(const struct workload *wl)
{
	struct wl_set sets[WL_PARAMS_MAX];
	char tiny[256], path[256];
	struct wl_options opt = {.sets = sets,
		.seed = 1,
		.ptx_path = path,
		.flip_check = -1,
		.machine = {.resident = PTX_RESIDENT_DEFAULT, .sync_reads = 1}};
	struct tr_err err = {0};
	struct wl_result res;
	struct tr_writer *w;
	struct trace t;
	FILE *f = open_memstream(&t.bytes, &t.len);

	assert_non_null(f);
	snprintf(tiny, sizeof(tiny), "%s", wl->tiny);
	snprintf(path, sizeof(path), "datasets/workloads/%s/%s.ptx", wl->name, wl->name);
	assert_int_equal(wl_parse_sets(tiny, sets, &opt.nsets), 1);
	assert_int_equal(tr_writer_open(&w, f, NULL, &err), 1);
	if (wl_run(wl, &opt, w, &res, &err) < 0)
		fail_msg("%s: %s", wl->name, err.msg);
	assert_int_equal(tr_writer_close(w, &err), 1);
	fclose(f);
	return t;
}

static void read_preset(struct sim_config *c, const char *name)
{
	static char text[65536];
	char path[128], base[64];
	struct tr_err err;
	size_t n;
	FILE *f;

	for (int over = 0; over < 2; over++) { /* what it is based on, then itself */
		snprintf(path, sizeof(path), "datasets/machines/%s.ini", over ? name : base);
		if (!over) {
			snprintf(path, sizeof(path), "datasets/machines/%s.ini", name);
		}
		f = fopen(path, "r");
		assert_non_null(f);
		n = fread(text, 1, sizeof(text) - 1, f);
		text[n] = 0;
		fclose(f);
		if (!over && sim_config_base(text, base, sizeof(base))) {
			read_preset(c, base);
			continue;
		}
		if (sim_config_read(c, text, name, &err) < 0)
			fail_msg("%s", err.msg);
	}
}
