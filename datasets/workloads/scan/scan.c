/*
 * scan: exclusive prefix sum of a large array after the CUDA SDK: blocks of 256 threads for 512
 * elements, then their sums likewise, level upon level, and back down. The papers scanned with 64
 * blocks; the default has 512. The check is a running sum, against which the intermediate levels
 * are held as well. Sums wrap at 32 bits.
 */
#include "datasets/workloads/input.h"

/*
 * Scans n elements of `in`, each the sum of `span` elements of the whole input, whose running sum,
 * with the total of all as last, is `prefix`.
 */
static void scan(struct wl *w, const struct wl_buf *in, const struct wl_buf *out, uint32_t n,
	const uint32_t *prefix, uint64_t total, uint64_t span)
{
	uint32_t threads = 1u << wl_param(w, "log2_threads"), elements = 2 * threads;
	uint32_t blocks = wl_ceil_div(n, elements);
	uint32_t shared = (elements + elements / 16) * sizeof(uint32_t); /* with its padding */
	struct wl_buf sums = wl_alloc(w, "sums", blocks * sizeof(uint32_t));
	struct wl_dim grid = wl_dim(blocks, 1, 1), block = wl_dim(threads, 1, 1);
	uint32_t *want = wl_host(w, n, sizeof(*want));

	if (wl_failed(w))
		return;
	WL_LAUNCH(w, "scan_blocks", grid, block, shared, wl_p(in), wl_p(out), wl_p(&sums),
		wl_i((int32_t)n));
	if (blocks > 1) {
		scan(w, &sums, &sums, blocks, prefix, total, span * elements);
		WL_LAUNCH(
			w, "uniform_add", grid, block, 0, wl_p(out), wl_p(&sums), wl_i((int32_t)n));
	} else {
		wl_check_u32(w, &sums, &prefix[total], 1);
	}
	if (wl_failed(w))
		return;
	for (uint32_t i = 0; i < n; i++)
		want[i] = prefix[i * span];
	wl_check_u32(w, out, want, n);
}

static void run(struct wl *w)
{
	uint32_t n = (uint32_t)wl_param(w, "n");
	struct wl_buf in = wl_alloc(w, "in", n * sizeof(uint32_t));
	struct wl_buf out = wl_alloc(w, "out", n * sizeof(uint32_t));
	uint32_t *prefix = wl_host(w, n + 1, sizeof(*prefix));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (uint32_t i = 0; i < n; i++) {
		in.u[i] = wl_below(&rng, 1000);
		prefix[i + 1] = prefix[i] + in.u[i];
	}
	wl_upload(w, &in);
	scan(w, &in, &out, n, prefix, n, 1);
}

const struct workload wl_scan = {
	.name = "scan",
	.cls = "-",
	.papers = "dwr,crown",
	.suite = "CUDA SDK",
	.summary = "work-efficient prefix sum in shared memory, level upon level",
	.params =
		{
			{"n", 262000, 1, 1 << 26, "elements"},
			{"log2_threads", 8, 5, 9, "log2 of the threads of a block"},
		},
	.presets =
		{
			{"dwr", "n=32768", "table 1's 64 blocks, 4.8 M for its 3.6 M"},
		},
	.tiny = "n=300,log2_threads=6",
	.run = run,
};
