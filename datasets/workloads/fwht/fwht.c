/*
 * fwht: the CUDA SDK's dyadic convolution of data with a short kernel by three fast Walsh-Hadamard
 * transforms: of both, and of their product back. The default makes the launches of DWR's table 1:
 * 32768 elements, so for each transform two global passes of 32 blocks of 256 threads, then 16
 * blocks of 512 in shared memory, and 128 blocks of 256 for the product. Left out: batches of
 * several transforms, which the sample does not make either.
 *
 * The check transforms by recursion over halves, which adds and subtracts the same pairs in the
 * same order, so it compares bit by bit.
 */
#include "datasets/workloads/input.h"

#define THREADS 256
#define PRODUCT_BLOCKS 128

static void transform(struct wl *w, const struct wl_buf *b, uint32_t log2n, uint32_t log2_shared)
{
	uint32_t quarter = 1u << (log2n - 2), threads = quarter < THREADS ? quarter : THREADS;
	uint32_t pieces = 1;

	for (; log2n > log2_shared; log2n -= 2, pieces *= 4)
		WL_LAUNCH(w, "fwht_global", wl_dim(quarter / threads, 1, 1), wl_dim(threads, 1, 1),
			0, wl_p(b), wl_p(b), wl_i(1 << (log2n - 2)));
	WL_LAUNCH(w, "fwht_shared", wl_dim(pieces, 1, 1), wl_dim(1u << (log2n - 2), 1, 1),
		(uint32_t)sizeof(float) << log2n, wl_p(b), wl_p(b), wl_i((int32_t)log2n));
}

static void recurse(float *v, uint32_t n)
{
	uint32_t half = n / 2;

	for (uint32_t i = 0; i < half; i++) {
		float a = v[i], b = v[half + i];

		v[i] = a + b;
		v[half + i] = a - b;
	}
	if (half > 1) {
		recurse(v, half);
		recurse(v + half, half);
	}
}

static void run(struct wl *w)
{
	uint32_t log2n = (uint32_t)wl_param(w, "log2n"), n = 1u << log2n;
	uint32_t log2_shared = (uint32_t)wl_param(w, "log2_shared");
	uint32_t log2_kernel = (uint32_t)wl_param(w, "log2_kernel");
	uint32_t blocks = wl_ceil_div(n, THREADS);
	struct wl_buf data = wl_alloc(w, "data", n * sizeof(float));
	struct wl_buf kernel = wl_alloc(w, "kernel", n * sizeof(float));
	float *want = wl_host(w, n, sizeof(float)), *times = wl_host(w, n, sizeof(float));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	if (log2_kernel > log2n) {
		wl_fail(w, "fwht: log2_kernel=%u is more than log2n=%u", log2_kernel, log2n);
		return;
	}
	wl_rng_start(&rng, w, 0);
	for (uint32_t i = 0; i < 1u << log2_kernel; i++)
		times[i] = kernel.f[i] = wl_unit(&rng);
	for (uint32_t i = 0; i < n; i++)
		want[i] = data.f[i] = wl_unit(&rng);
	wl_upload(w, &kernel);
	wl_upload(w, &data);
	transform(w, &data, log2n, log2_shared);
	transform(w, &kernel, log2n, log2_shared);
	WL_LAUNCH(w, "modulate", wl_dim(blocks < PRODUCT_BLOCKS ? blocks : PRODUCT_BLOCKS, 1, 1),
		wl_dim(THREADS, 1, 1), 0, wl_p(&data), wl_p(&kernel), wl_i((int32_t)n));
	transform(w, &data, log2n, log2_shared);

	recurse(times, n);
	recurse(want, n);
	for (uint32_t i = 0; i < n; i++)
		want[i] *= times[i] * (1.0f / (float)n);
	recurse(want, n);
	wl_check_f32(w, &kernel, times, n, 0, 0);
	wl_check_f32(w, &data, want, n, 0, 0);
}

const struct workload wl_fwht = {
	.name = "fwht",
	.cls = "-",
	.papers = "dwr,crown",
	.suite = "CUDA SDK",
	.summary = "dyadic convolution by radix-4 Walsh-Hadamard transforms",
	.params =
		{
			{"log2n", 15, 4, 24, "log2 of the elements"},
			{"log2_kernel", 7, 0, 24, "log2 of the kernel's elements"},
			{"log2_shared", 11, 3, 11, "log2 of the elements that a block transforms"},
		},
	.presets =
		{
			{"dwr", "log2n=15,log2_kernel=7",
				"table 1's launches and 11 M instructions; the default"},
		},
	.tiny = "log2n=9,log2_kernel=3,log2_shared=7",
	.run = run,
};
