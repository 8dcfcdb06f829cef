/*
 * hotspot: Rodinia's thermal simulation of a chip, with the original's physical constants and its
 * pyramid of two steps a launch. The papers ran 512 x 512 cells (a grid of 43 x 43); the default is
 * a quarter of that. Starting temperatures and power are smooth noise. The check steps through the
 * whole chip once a step, in the same order of terms, and compares bit by bit.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define BLOCK 16
#define AMBIENT 80.0f

struct chip {
	uint32_t rows, cols;
	float cap, rx, ry, rz, step;
};

static struct chip make_chip(uint32_t rows, uint32_t cols)
{
	const float thickness = 0.0005f, side = 0.016f, factor = 0.5f, specific_heat = 1.75e6f;
	const float conductivity = 100.0f, power_density_max = 3.0e6f, precision = 0.001f;
	float h = side / (float)rows, w = side / (float)cols;
	float slope = power_density_max / (factor * thickness * specific_heat);

	return (struct chip){
		.rows = rows,
		.cols = cols,
		.cap = factor * specific_heat * thickness * w * h,
		.rx = w / (2.0f * conductivity * thickness * h),
		.ry = h / (2.0f * conductivity * thickness * w),
		.rz = thickness / (conductivity * h * w),
		.step = precision / slope,
	};
}

static void advance(const struct chip *c, const float *power, const float *src, float *dst)
{
	float rate = c->step / c->cap, rx_1 = 1 / c->rx, ry_1 = 1 / c->ry, rz_1 = 1 / c->rz;

	for (uint32_t y = 0; y < c->rows; y++)
		for (uint32_t x = 0; x < c->cols; x++) {
			size_t i = (size_t)y * c->cols + x;
			float t = src[i];
			float north = y ? src[i - c->cols] : t;
			float south = y + 1 < c->rows ? src[i + c->cols] : t;
			float west = x ? src[i - 1] : t, east = x + 1 < c->cols ? src[i + 1] : t;

			float heat = fmaf(fmaf(-2.0f, t, south + north), ry_1, power[i]);

			heat = fmaf(fmaf(-2.0f, t, east + west), rx_1, heat);
			dst[i] = fmaf(rate, fmaf(AMBIENT - t, rz_1, heat), t);
		}
}

static void run(struct wl *w)
{
	struct chip c = make_chip((uint32_t)wl_param(w, "rows"), (uint32_t)wl_param(w, "cols"));
	uint32_t steps = (uint32_t)wl_param(w, "steps"), pyramid = (uint32_t)wl_param(w, "pyramid");
	uint32_t kept = BLOCK - 2 * pyramid, now = 0;
	size_t cells = (size_t)c.rows * c.cols;
	struct wl_buf power = wl_alloc(w, "power", cells * sizeof(float));
	struct wl_buf temp[2] = {wl_alloc(w, "temp0", cells * sizeof(float)),
		wl_alloc(w, "temp1", cells * sizeof(float))};
	float *want[2] = {wl_host(w, cells, sizeof(float)), wl_host(w, cells, sizeof(float))};
	struct wl_dim grid = wl_dim(wl_ceil_div(c.cols, kept), wl_ceil_div(c.rows, kept), 1);

	if (wl_failed(w))
		return;
	wl_image(temp[0].f, c.cols, c.rows, wl_seed(w));
	wl_image(power.f, c.cols, c.rows, wl_seed(w) + 1);
	for (size_t i = 0; i < cells; i++) {
		want[0][i] = temp[0].f[i] = 323.0f + 20.0f * temp[0].f[i];
		power.f[i] *= 0.02f;
	}
	wl_upload(w, &power);
	wl_upload(w, &temp[0]);
	for (uint32_t t = 0; t < steps && !wl_failed(w); t += pyramid, now ^= 1)
		WL_LAUNCH(w, "hotspot", grid, wl_dim(BLOCK, BLOCK, 1), 0,
			wl_i((int32_t)(pyramid < steps - t ? pyramid : steps - t)), wl_p(&power),
			wl_p(&temp[now]), wl_p(&temp[now ^ 1]), wl_i((int32_t)c.cols),
			wl_i((int32_t)c.rows), wl_i((int32_t)pyramid), wl_f(c.cap), wl_f(c.rx),
			wl_f(c.ry), wl_f(c.rz), wl_f(c.step));
	for (uint32_t t = 0; t < steps; t++)
		advance(&c, power.f, want[t % 2], want[(t + 1) % 2]);
	wl_check_f32(w, &temp[now], want[steps % 2], cells, 0, 0);
}

const struct workload wl_hotspot = {
	.name = "hotspot",
	.cls = "CI DIV",
	.papers = "thesis,tbc,dwr,crown",
	.suite = "Rodinia",
	.summary = "thermal stencil with pyramid blocking in shared memory",
	.params =
		{
			{"rows", 256, 1, 16384, "rows of cells"},
			{"cols", 256, 1, 16384, "columns of cells"},
			{"steps", 4, 1, 10000, "time steps"},
			{"pyramid", 2, 1, 7, "time steps a launch"},
		},
	.presets =
		{
			{"tbc", "rows=512,cols=512,steps=4",
				"160 M instructions, table 1 has 157 M"},
			{"dwr", "rows=512,cols=512,steps=2",
				"table 1's launch of 43 x 43 blocks: 80 M for 76 M"},
		},
	.tiny = "rows=20,cols=11,steps=3",
	.run = run,
};
