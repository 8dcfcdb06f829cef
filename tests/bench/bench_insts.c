/*
 * Thread instructions of a workload under a PTX that may be another compiler's, whose rounding the
 * check is not held against. What a workload looks at on its own account still ends it.
 * usage: bench_insts WORKLOAD FILE.ptx [NAME=VALUE,...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "datasets/workloads/workload.h"

int main(int argc, char **argv)
{
	struct wl_set sets[WL_PARAMS_MAX];
	struct wl_options opt = {.sets = sets,
		.seed = 1,
		.flip_check = -1,
		.unchecked = true,
		.machine = {.resident = PTX_RESIDENT_DEFAULT}};
	struct wl_result res = {0};
	struct tr_err err = {0};
	const struct workload *wl;

	if (argc < 3) {
		fprintf(stderr, "usage: bench_insts WORKLOAD FILE.ptx [NAME=VALUE,...]\n");
		return 2;
	}
	wl = wl_find(argv[1]);
	opt.ptx_path = argv[2];
	if (!wl || (argc > 3 && wl_parse_sets(argv[3], sets, &opt.nsets) < 0)) {
		fprintf(stderr, "bench_insts: no such workload or setting\n");
		return 2;
	}
	if (wl_run(wl, &opt, NULL, &res, &err) < 0)
		fprintf(stderr, "bench_insts: %s\n", err.msg);
	printf("%llu\n", (unsigned long long)res.thread_insts);
	return 0;
}
