/*
 * leukocyte: Rodinia's detection of white blood cells in a frame of video, and one step of their
 * tracking. Kept: all three kernels, a block for each of the frame's columns, of 175 threads for
 * the rows; circles of radius 8, 10, ... 20; the disc of radius 12; matrices of 41 x 81 for cells,
 * whose blocks have 320 threads; the arrays of pointers and sizes. The original's full size is
 * cols=640,circles=7,points=150,reach=12,cells=36,iterations=500 (6.8 G thread instructions in
 * TBC's table 1). Here there are an eighth of its frame, fewer points on a circle and a smaller
 * disc, and two steps for six cells.
 *
 * Departures: points of circles are rounded to pixels, not cut off; the last pixels of the frame
 * are dilated too, which a rounding of the original leaves out; and there is a barrier before the
 * values of a cell are written back, without which they depend on which warp comes first. The
 * original takes its cells from the scores; here they are where the frame was given some.
 *
 * The check compares scores and their dilation bit by bit, and fields with what double precision
 * and the C library's arc tangent give.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define POINTS_MAX 150
#define CIRCLES_MAX 7
#define REACH_MAX 12
#define ROWS_MAX 41
#define COLS_MAX 81
#define DILATE_THREADS 176
#define THREADS 320
#define E 1e-8f      /* the original's: how sharp Heaviside's step is */
#define CUTOFF 1e-5f /* likewise: the mean change at which a field is done */
#define RADIUS 12    /* of a cell */

/* Arrays are by columns, as the original's. */
struct frame {
	int32_t rows, cols, ncells;
	int32_t margin; /* in which no circle has its centre */
	float *image, *across, *down;
	int32_t (*cells)[2]; /* x, y */
};

struct stencil {
	int32_t circles, points, across; /* across: of the disc */
	const float *sines, *cosines, *disc;
	const int32_t *x, *y;
};

static int32_t within(int32_t at, int32_t size)
{
	return at < 0 ? 0 : at >= size ? size - 1 : at;
}

static float pixel(const struct frame *f, const float *a, int32_t x, int32_t y)
{
	return a[within(x, f->cols) * f->rows + within(y, f->rows)];
}

/* Noise, a bright disc with a dark rim for each cell, and the gradients of that. */
static void film(struct wl *w, struct frame *f)
{
	size_t n = (size_t)f->rows * (size_t)f->cols;
	float *background = wl_host(w, n, sizeof(*background));
	struct wl_rng rng;

	f->image = wl_host(w, n, sizeof(*f->image));
	f->cells = wl_host(w, (size_t)f->ncells, sizeof(*f->cells));
	if (wl_failed(w))
		return;
	wl_image(background, (uint32_t)f->rows, (uint32_t)f->cols, wl_seed(w));
	wl_rng_start(&rng, w, 0);
	for (int32_t c = 0; c < f->ncells; c++) {
		f->cells[c][0] =
			f->margin + (int32_t)wl_below(&rng, (uint32_t)(f->cols - 2 * f->margin));
		f->cells[c][1] =
			f->margin + (int32_t)wl_below(&rng, (uint32_t)(f->rows - 2 * f->margin));
	}
	for (int32_t x = 0; x < f->cols; x++)
		for (int32_t y = 0; y < f->rows; y++) {
			float *v = &f->image[x * f->rows + y];

			*v = 0.3f * background[x * f->rows + y] + 0.02f * wl_unit(&rng);
			for (int32_t c = 0; c < f->ncells; c++) {
				int32_t dx = x - f->cells[c][0], dy = y - f->cells[c][1];
				int32_t square = dx * dx + dy * dy;

				if (square < (RADIUS - 2) * (RADIUS - 2))
					*v += 0.4f;
				else if (square < RADIUS * RADIUS)
					*v -= 0.2f;
			}
		}
	for (int32_t x = 0; x < f->cols; x++)
		for (int32_t y = 0; y < f->rows; y++) {
			f->across[x * f->rows + y] = 0.5f * (pixel(f, f->image, x + 1, y) -
								    pixel(f, f->image, x - 1, y));
			f->down[x * f->rows + y] = 0.5f * (pixel(f, f->image, x, y + 1) -
								  pixel(f, f->image, x, y - 1));
		}
}

static void make_stencil(struct wl *w, struct stencil *s)
{
	struct wl_buf sines = wl_symbol(w, "sines"), cosines = wl_symbol(w, "cosines");
	struct wl_buf x = wl_symbol(w, "circle_x"), y = wl_symbol(w, "circle_y");
	struct wl_buf disc = wl_symbol(w, "disc");
	int32_t reach = s->across / 2;

	if (wl_failed(w))
		return;
	for (int32_t n = 0; n < s->points; n++) {
		double angle = 2 * 3.14159265358979323846 * n / s->points;

		sines.f[n] = (float)sin(angle);
		cosines.f[n] = (float)cos(angle);
		/* Radii are even, so none of these lies between two pixels (Niven). */
		for (int32_t k = 0; k < s->circles; k++) {
			x.i[k * s->points + n] = (int32_t)lrint((8 + 2 * k) * cos(angle));
			y.i[k * s->points + n] = (int32_t)lrint((8 + 2 * k) * sin(angle));
		}
	}
	for (int32_t i = 0; i < s->across * s->across; i++) {
		int32_t dx = i % s->across - reach, dy = i / s->across - reach;

		disc.f[i] = dx * dx + dy * dy <= reach * reach;
	}
	s->sines = sines.f;
	s->cosines = cosines.f;
	s->x = x.i;
	s->y = y.i;
	s->disc = disc.f;
	wl_upload(w, &sines);
	wl_upload(w, &cosines);
	wl_upload(w, &x);
	wl_upload(w, &y);
	wl_upload(w, &disc);
}

static float best_score(const struct frame *f, const struct stencil *s, int32_t x, int32_t y)
{
	float best = 0;

	for (int32_t k = 0; k < s->circles; k++) {
		float sum = 0, squares = 0, mean = 0, score;

		for (int32_t n = 0; n < s->points; n++) {
			int32_t at = (x + s->x[k * s->points + n]) * f->rows + y +
				     s->y[k * s->points + n];
			float p = fmaf(f->across[at], s->cosines[n], f->down[at] * s->sines[n]);
			float off = p - mean;

			sum += p;
			mean += off / (float)(n + 1);
			squares = fmaf(off, p - mean, squares);
		}
		mean = sum / (float)s->points;
		score = mean * mean / (squares / (float)(s->points - 1));
		best = score > best ? score : best;
	}
	return best;
}

static float largest_near(
	const struct frame *f, const struct stencil *s, const float *score, int32_t x, int32_t y)
{
	int32_t reach = s->across / 2;
	float most = 0;

	for (int32_t dy = -reach; dy <= reach; dy++)
		for (int32_t dx = -reach; dx <= reach; dx++) {
			bool inside =
				x + dx >= 0 && x + dx < f->cols && y + dy >= 0 && y + dy < f->rows;

			if (inside && dx * dx + dy * dy <= reach * reach)
				most = fmaxf(most, score[(x + dx) * f->rows + y + dy]);
		}
	return most;
}

static void detect(struct wl *w, const struct frame *f, const struct stencil *s,
	const struct wl_buf *across, const struct wl_buf *down)
{
	size_t n = (size_t)f->rows * (size_t)f->cols;
	struct wl_buf gicov = wl_alloc(w, "gicov", n * sizeof(float));
	struct wl_buf dilated = wl_alloc(w, "dilated", n * sizeof(float));
	float *want = wl_host(w, n, sizeof(*want)), *near = wl_host(w, n, sizeof(*near));
	struct wl_dim columns = wl_dim((uint32_t)(f->cols - 2 * f->margin), 1, 1);

	wl_upload(w, &gicov);
	wl_registers(w, 18); /* TBC table 1: 5 blocks of 175 on 16384 registers */
	WL_LAUNCH(w, "leukocyte_gicov", columns, wl_dim((uint32_t)(f->rows - 2 * f->margin), 1, 1),
		0, wl_p(across), wl_p(down), wl_i(f->rows), wl_i(f->margin), wl_i(s->circles),
		wl_i(s->points), wl_p(&gicov));
	WL_LAUNCH(w, "leukocyte_dilate", wl_dim(wl_ceil_div(n, DILATE_THREADS), 1, 1),
		wl_dim(DILATE_THREADS, 1, 1), 0, wl_p(&gicov), wl_i(f->rows), wl_i(f->cols),
		wl_i(s->across), wl_p(&dilated));
	if (wl_failed(w))
		return;
	for (int32_t x = f->margin; x < f->cols - f->margin; x++)
		for (int32_t y = f->margin; y < f->rows - f->margin; y++)
			want[x * f->rows + y] = best_score(f, s, x, y);
	for (int32_t x = 0; x < f->cols; x++)
		for (int32_t y = 0; y < f->rows; y++)
			near[y * f->cols + x] = largest_near(f, s, want, x, y);
	wl_check_f32(w, &gicov, want, n, 0, 0);
	wl_check_f32(w, &dilated, near, n, 0, 0);
}

/* One step over a cell's field; returns the mean change. */
static double relax(
	const double *field, const float *image, double *next, int32_t rows, int32_t cols)
{
	double change = 0;

	for (int32_t y = 0; y < rows; y++)
		for (int32_t x = 0; x < cols; x++) {
			double here = field[y * cols + x], sum = 0, v = (double)image[y * cols + x];

			for (int32_t dy = -1; dy <= 1; dy++)
				for (int32_t dx = -1; dx <= 1; dx++) {
					double by = field[within(y + dy, rows) * cols +
							    within(x + dx, cols)] -
						    here;

					sum += by * (atan(by * (dx + dy) / (double)E) /
								    3.14159265358979323846 +
							    0.5);
				}
			next[y * cols + x] = here + 0.1 * sum;
			next[y * cols + x] -= 0.2 * v * (next[y * cols + x] - v);
			change += fabs(next[y * cols + x] - here);
		}
	return change / (rows * cols);
}

static void track(
	struct wl *w, const struct frame *f, int32_t rows, int32_t cols, int32_t iterations)
{
	size_t cells = (size_t)f->ncells, size = (size_t)rows * (size_t)cols;
	struct wl_buf images = wl_alloc(w, "cells", cells * size * sizeof(float));
	struct wl_buf fields = wl_alloc(w, "fields", cells * size * sizeof(float));
	struct wl_buf image_at = wl_alloc(w, "cell_pointers", cells * sizeof(uint64_t));
	struct wl_buf field_at = wl_alloc(w, "field_pointers", cells * sizeof(uint64_t));
	struct wl_buf m = wl_alloc(w, "rows", cells * sizeof(int32_t));
	struct wl_buf n = wl_alloc(w, "cols", cells * sizeof(int32_t));
	double *now = wl_host(w, size, sizeof(*now)), *next = wl_host(w, size, sizeof(*next));
	float *want = wl_host(w, cells * size, sizeof(*want));

	if (wl_failed(w))
		return;
	for (size_t i = 0; i < cells * size; i++) {
		int32_t *cell = f->cells[i / size], at = (int32_t)(i % size);
		int32_t x = cell[0] + at % cols - cols / 2, y = cell[1] + at / cols - rows / 2;
		float across = pixel(f, f->across, x, y), down = pixel(f, f->down, x, y);

		images.f[i] = fields.f[i] = 2 * sqrtf(across * across + down * down);
	}
	for (size_t c = 0; c < cells; c++) {
		((uint64_t *)image_at.p)[c] = images.dev + c * size * sizeof(float);
		((uint64_t *)field_at.p)[c] = fields.dev + c * size * sizeof(float);
		m.i[c] = rows;
		n.i[c] = cols;
	}
	wl_upload(w, &images);
	wl_upload(w, &fields);
	wl_upload(w, &image_at);
	wl_upload(w, &field_at);
	wl_upload(w, &m);
	wl_upload(w, &n);
	wl_registers(w, 32); /* one block of 320, as shared memory allows */
	WL_LAUNCH(w, "leukocyte_imgvf", wl_dim((uint32_t)cells, 1, 1), wl_dim(THREADS, 1, 1), 0,
		wl_p(&field_at), wl_p(&image_at), wl_p(&m), wl_p(&n), wl_f(1), wl_f(1), wl_f(E),
		wl_i(iterations), wl_f(CUTOFF));
	for (size_t c = 0; c < cells; c++) {
		const float *image = images.f + c * size;

		for (size_t i = 0; i < size; i++)
			now[i] = (double)image[i];
		for (int32_t round = 0; round < iterations; round++) {
			double change = relax(now, image, next, rows, cols), *other = now;

			now = next;
			next = other;
			if (change < (double)CUTOFF)
				break;
		}
		for (size_t i = 0; i < size; i++)
			want[c * size + i] = (float)now[i];
	}
	wl_check_f32(w, &fields, want, cells * size, 1e-3, 1e-4);
}

static void run(struct wl *w)
{
	struct frame f = {.rows = (int32_t)wl_param(w, "rows"),
		.cols = (int32_t)wl_param(w, "cols"),
		.ncells = (int32_t)wl_param(w, "cells")};
	struct stencil s = {.circles = (int32_t)wl_param(w, "circles"),
		.points = (int32_t)wl_param(w, "points"),
		.across = 2 * (int32_t)wl_param(w, "reach") + 1};
	size_t bytes = (size_t)f.rows * (size_t)f.cols * sizeof(float);
	struct wl_buf across = wl_alloc(w, "gradient_x", bytes);
	struct wl_buf down = wl_alloc(w, "gradient_y", bytes);

	f.margin = 8 + 2 * (s.circles - 1) + 2; /* 22 with the original's circles */
	if (f.rows <= 2 * f.margin || f.cols <= 2 * f.margin)
		wl_fail(w, "leukocyte: a frame of rows=%d, cols=%d has no room for circles=%d",
			f.rows, f.cols, s.circles);
	if (wl_failed(w))
		return;
	f.across = across.f;
	f.down = down.f;
	film(w, &f);
	make_stencil(w, &s);
	if (wl_failed(w))
		return;
	wl_upload(w, &across);
	wl_upload(w, &down);
	detect(w, &f, &s, &across, &down);
	track(w, &f, (int32_t)wl_param(w, "cell_rows"), (int32_t)wl_param(w, "cell_cols"),
		(int32_t)wl_param(w, "iterations"));
}

const struct workload wl_leukocyte = {
	.name = "leukocyte",
	.cls = "COH",
	.papers = "tbc",
	.suite = "Rodinia",
	.summary = "scores of circles in a frame, their dilation, and fields around cells",
	.params =
		{
			{"rows", 219, 1, 1024, "pixels of the frame, down"},
			{"cols", 80, 1, 8192, "across"},
			{"circles", 7, 1, CIRCLES_MAX, "circles around a pixel"},
			{"points", 12, 2, POINTS_MAX, "points on a circle"},
			{"reach", 3, 0, REACH_MAX, "radius of the disc"},
			{"cells", 6, 1, 10000, "cells"},
			{"cell_rows", ROWS_MAX, 2, ROWS_MAX, "pixels around a cell, down"},
			{"cell_cols", COLS_MAX, 2, COLS_MAX, "across"},
			{"iterations", 2, 1, 10000, "steps of a field, at most"},
		},
	.tiny = "rows=30,cols=27,circles=2,points=3,reach=1,cells=1,cell_rows=9,cell_cols=7,"
		"iterations=1",
	.run = run,
};
