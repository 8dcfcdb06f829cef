/*
 * Thread instructions of a workload under a PTX that may be another compiler's, whose rounding the
 * check is not held against. What a workload looks at on its own account still ends it. With -o the
 * thread trace goes to OUT.wt.
 * usage: bench_insts [-o OUT.wt] WORKLOAD FILE.ptx [NAME=VALUE,...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "datasets/workloads/workload.h"

int main(int argc, char **argv)
{
	const struct tr_writer_options options = {.level = 1};
	struct wl_set sets[WL_PARAMS_MAX];
	struct wl_options opt = {.sets = sets,
		.seed = 1,
		.flip_check = -1,
		.unchecked = true,
		.machine = {.resident = PTX_RESIDENT_DEFAULT}};
	struct wl_result res = {0};
	struct tr_err err = {0};
	const struct workload *wl;
	struct tr_writer *tw = NULL;
	FILE *out = NULL;

	if (argc > 2 && !strcmp(argv[1], "-o")) {
		out = fopen(argv[2], "wb");
		if (!out || tr_writer_open(&tw, out, &options, &err) < 0) {
			fprintf(stderr, "bench_insts: cannot write '%s' %s\n", argv[2], err.msg);
			return 1;
		}
		argc -= 2;
		argv += 2;
	}
	if (argc < 3) {
		fprintf(stderr,
			"usage: bench_insts [-o OUT.wt] WORKLOAD FILE.ptx [NAME=VALUE,...]\n");
		return 2;
	}
	wl = wl_find(argv[1]);
	opt.ptx_path = argv[2];
	if (!wl || (argc > 3 && wl_parse_sets(argv[3], sets, &opt.nsets) < 0)) {
		fprintf(stderr, "bench_insts: no such workload or setting\n");
		return 2;
	}
	if (wl_run(wl, &opt, tw, &res, &err) < 0)
		fprintf(stderr, "bench_insts: %s\n", err.msg);
	if (tw && (tr_writer_close(tw, &err) < 0 || fclose(out))) {
		fprintf(stderr, "bench_insts: cannot write the trace %s\n", err.msg);
		return 1;
	}
	printf("%llu\n", (unsigned long long)res.thread_insts);
	return 0;
}
