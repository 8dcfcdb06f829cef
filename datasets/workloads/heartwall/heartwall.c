/*
 * heartwall: Rodinia's tracking of a heart's wall in an ultrasound video: 20 points on its inner
 * side and 31 on its outer one, a block of 512 threads each, a launch a frame; the first frame
 * gives the templates. Kept: all phases in their order, what lies in shared, constant and global
 * memory, and the renewal of the templates every tenth frame. At the original's size a template is
 * 51 x 51 and an area 81 x 81 (size=600,reach=25,search=40,move=10), which for each tracked frame
 * are 12.6 G thread instructions here; TBC's table 1 has 8.9 G. Here both are about a fifth as
 * wide. The video is made: smooth noise that drifts by a pixel at most, and noise of each frame.
 * The original's 1-based indices, with a branch for the last row of each column, are 0-based here;
 * a point that is renewed stays within the frame.
 *
 * The check correlates by plain double sums over each window and compares the places exactly.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 512
#define POINTS_MAX 51
#define TEMPLATE_MAX 51
#define INNER 20
#define KEEP 0.87f /* of a template, when it is renewed */
#define EVERY 10
#define DRIFT 3 /* pixels that the video moves to each side */

/* What the kernel finds in constant memory: the sizes of all arrays, and each point's arrays. */
struct sizes {
	int32_t frame_rows, frame_cols, reach, search;
	int32_t across, area, scores,
		padded; /* of template, area, their convolution, padded area */
	int32_t move, every, frames;
	float keep;
};

struct point {
	int32_t row, col, number, pad;
	uint64_t found, pattern, area, squared, convolution, cumulated, selected, sums, square_sums;
	uint64_t strip, picked, pattern_squared, mask, result;
};

/* The arrays of one point, the plain computation's. */
struct plain {
	float *pattern;  /* [col][row] */
	double *scores;  /* likewise */
	int32_t home[2]; /* row, col */
	int32_t *found;  /* of each frame */
};

struct video {
	int32_t size;
	float *base; /* wider by DRIFT to each side */
	float *frame;
};

static void make_frame(struct wl *w, struct video *v, uint32_t number, float *out)
{
	/* To and fro, each way in as many frames as it has pixels. */
	int32_t turn = (int32_t)number % (4 * DRIFT), wide = v->size + 2 * DRIFT;
	int32_t dx = turn < DRIFT ? turn : turn < 3 * DRIFT ? 2 * DRIFT - turn : turn - 4 * DRIFT;
	int32_t dy = (int32_t)number / 2 % 2;
	struct wl_rng rng;

	wl_rng_start(&rng, w, 1 + number);
	for (int32_t x = 0; x < v->size; x++)
		for (int32_t y = 0; y < v->size; y++)
			out[x * v->size + y] = v->base[(x + DRIFT + dx) * wide + y + DRIFT + dy] +
					       0.1f * wl_unit(&rng);
}

/* Points on two circles, by turning from one to the next. */
static void place_points(struct point *points, uint32_t n, int32_t size, int32_t search)
{
	static const double turn[2][2] = {
		{0.95105651629515357, 0.30901699437494742},  /* a 20th of a turn */
		{0.97952994125249448, 0.20129852008866006}}; /* a 31st */
	double outer = size / 2.0 - search - 2, at[2] = {1, 0};

	for (uint32_t i = 0; i < n; i++) {
		const double *by = turn[i >= INNER];
		double radius = i < INNER ? 0.7 * outer : outer, x = at[0];

		points[i].row = (int32_t)(size / 2 + radius * at[0] + 0.25);
		points[i].col = (int32_t)(size / 2 + radius * at[1] + 0.25);
		points[i].number = (int32_t)i;
		at[0] = x * by[0] - at[1] * by[1];
		at[1] = x * by[1] + at[1] * by[0];
	}
}

/* ---- the plain computation ---- */

/* Of the template with its window at each place, of which part may lie outside of the area. */
static double correlation(const struct sizes *c, const struct video *v, const struct plain *p,
	int32_t row, int32_t col)
{
	int32_t n = c->across * c->across, top = p->home[0] - c->search + row - c->across + 1;
	int32_t left = p->home[1] - c->search + col - c->across + 1;
	double sum = 0, squares = 0, products = 0, total = 0, total_squares = 0;

	for (int32_t x = 0; x < c->across; x++)
		for (int32_t y = 0; y < c->across; y++) {
			double t = (double)p->pattern[x * c->across + y], f = 0;

			if (abs(top + y - p->home[0]) <= c->search &&
				abs(left + x - p->home[1]) <= c->search)
				f = (double)v->frame[(left + x) * v->size + top + y];
			sum += f;
			squares += f * f;
			products += f * t;
			total += t;
			total_squares += t * t;
		}
	return (products - sum * total / n) /
	       (sqrt(squares - sum * sum / n) * sqrt(n - 1.0) *
		       sqrt(total_squares / n - total * total / n / n));
}

static void renew(const struct sizes *c, const struct video *v, struct plain *p,
	const int32_t *place, float keep)
{
	for (int d = 0; d < 2; d++)
		p->home[d] = place[d] < c->search                 ? c->search
			     : place[d] > v->size - 1 - c->search ? v->size - 1 - c->search
								  : place[d];
	for (int32_t x = 0; x < c->across; x++)
		for (int32_t y = 0; y < c->across; y++) {
			float *t = &p->pattern[x * c->across + y];
			int32_t row = p->home[0] - c->reach + y, col = p->home[1] - c->reach + x;

			*t = keep * *t + (1.0f - keep) * v->frame[col * v->size + row];
		}
}

static void follow(const struct sizes *c, const struct video *v, struct plain *p, int32_t number)
{
	const int32_t *last = p->found + 2 * (number - 1);
	int32_t *place = p->found + 2 * number, centre = c->reach + c->search;
	double best = 0;

	for (int32_t col = 0; col < c->scores; col++)
		for (int32_t row = 0; row < c->scores; row++) {
			double *score = &p->scores[col * c->scores + row];
			/* A window of `move` around a place, whose middle is its upper one. */
			int32_t down = p->home[0] + row - centre - last[0] + c->move / 2;
			int32_t right = p->home[1] + col - centre - last[1] + c->move / 2;
			bool near = down >= 0 && down < c->move && right >= 0 && right < c->move;

			*score = correlation(c, v, p, row, col);
			if (near && fabs(*score) > best) {
				best = fabs(*score);
				place[0] = p->home[0] + row - centre;
				place[1] = p->home[1] + col - centre;
			}
		}
	if (number % c->every == 0)
		renew(c, v, p, place, c->keep);
}

/* ---- the device's side ---- */

static uint64_t array(struct wl *w, const char *name, uint32_t i, int32_t across, int32_t down)
{
	char *full = wl_host(w, 32, 1);

	if (wl_failed(w))
		return 0;
	snprintf(full, 32, "%s_%u", name, i);
	return wl_alloc(w, full, (uint64_t)across * (uint64_t)down * sizeof(float)).dev;
}

static void give_arrays(struct wl *w, const struct sizes *c, struct point *p, uint32_t i)
{
	p->pattern = array(w, "template", i, c->across, c->across);
	p->area = array(w, "area", i, c->area, c->area);
	p->squared = array(w, "area_squared", i, c->area, c->area);
	p->convolution = array(w, "convolution", i, c->scores, c->scores);
	p->cumulated = array(w, "cumulated", i, c->padded, c->padded);
	p->selected = array(w, "selected", i, c->scores, c->padded);
	p->strip = array(w, "strip", i, c->scores, c->padded);
	p->picked = array(w, "picked", i, c->scores, c->scores);
	p->sums = array(w, "sums", i, c->scores, c->scores);
	p->pattern_squared = array(w, "template_squared", i, c->across, c->across);
	p->mask = array(w, "mask", i, c->scores, c->scores);
	p->result = array(w, "masked", i, c->scores, c->scores);
}

static void track(struct wl *w, const struct sizes *c, uint32_t n)
{
	size_t pixels = (size_t)c->frame_rows * (size_t)c->frame_cols;
	size_t each = (size_t)c->scores * (size_t)c->scores,
	       wide = (size_t)c->frame_rows + 2 * DRIFT;
	/* Places of all frames, then where the areas lie. */
	size_t places = 2 * (size_t)n * ((size_t)c->frames + 1);
	struct wl_buf common = wl_symbol(w, "common"), points = wl_symbol(w, "points");
	struct wl_buf frame = wl_alloc(w, "frame", pixels * sizeof(float));
	struct wl_buf found = wl_alloc(w, "found", places * sizeof(int32_t));
	struct wl_buf scores = wl_alloc(w, "scores", n * each * sizeof(float));
	struct plain *plain = wl_host(w, n, sizeof(*plain));
	struct video v = {c->frame_rows, wl_host(w, wide * wide, sizeof(float)), frame.f};
	int32_t *want = wl_host(w, places, sizeof(*want));
	float *want_scores = wl_host(w, n * each, sizeof(*want_scores));
	struct point *p;

	if (wl_failed(w))
		return;
	wl_image(v.base, (uint32_t)wide, (uint32_t)wide, wl_seed(w));
	memcpy(common.p, c, sizeof(*c));
	p = points.p;
	place_points(p, n, c->frame_rows, c->search);
	for (uint32_t i = 0; i < n && !wl_failed(w); i++) {
		p[i].found = found.dev;
		p[i].square_sums = scores.dev + i * each * sizeof(float);
		give_arrays(w, c, &p[i], i);
		plain[i].pattern = wl_host(w, (size_t)c->across * (size_t)c->across, sizeof(float));
		plain[i].scores = wl_host(w, each, sizeof(double));
		plain[i].found = want + 2 * (size_t)i * (size_t)c->frames;
	}
	wl_upload(w, &common);
	wl_upload(w, &points);
	wl_registers(w, 32); /* TBC table 1: one block of 512, as shared memory allows */
	for (int32_t f = 0; f < c->frames && !wl_failed(w); f++) {
		make_frame(w, &v, (uint32_t)f, frame.f);
		wl_upload(w, &frame);
		WL_LAUNCH(w, "heartwall_track", wl_dim(n, 1, 1), wl_dim(THREADS, 1, 1), 0,
			wl_p(&frame), wl_i(f));
		for (uint32_t i = 0; i < n; i++) {
			if (f) {
				follow(c, &v, &plain[i], f);
				continue;
			}
			plain[i].found[0] = p[i].row;
			plain[i].found[1] = p[i].col;
			renew(c, &v, &plain[i], plain[i].found, 0);
		}
	}
	if (wl_failed(w))
		return;
	for (size_t i = 0; i < n; i++) {
		for (size_t e = 0; e < each; e++)
			want_scores[i * each + e] = (float)plain[i].scores[e];
		memcpy(want + places - 2 * (n - i), plain[i].home, sizeof(plain[i].home));
	}
	wl_check_i32(w, &found, want, places);
	wl_check_f32(w, &scores, want_scores, n * each, 1e-3, 1e-3);
}

static void run(struct wl *w)
{
	struct sizes c = {.reach = (int32_t)wl_param(w, "reach"),
		.search = (int32_t)wl_param(w, "search"),
		.move = (int32_t)wl_param(w, "move"),
		.frames = (int32_t)wl_param(w, "frames"),
		.every = EVERY,
		.keep = KEEP};

	c.frame_rows = c.frame_cols = (int32_t)wl_param(w, "size");
	c.across = 2 * c.reach + 1;
	c.area = 2 * c.search + 1;
	c.scores = c.across + c.area - 1;
	c.padded = c.area + 2 * c.across;
	if (c.reach > c.search)
		wl_fail(w, "heartwall: search=%d is less than the template's reach=%d", c.search,
			c.reach);
	if (c.frame_rows < 2 * c.search + 8)
		wl_fail(w, "heartwall: a frame of size=%d has no room for search=%d", c.frame_rows,
			c.search);
	if (!wl_failed(w))
		track(w, &c, (uint32_t)wl_param(w, "points"));
}

const struct workload wl_heartwall = {
	.name = "heartwall",
	.cls = "COH",
	.papers = "tbc",
	.suite = "Rodinia",
	.summary = "tracking of points in a video by normalized correlation with templates",
	.params =
		{
			{"size", 200, 10, 4096, "pixels of a frame, both ways"},
			{"points", POINTS_MAX, 1, POINTS_MAX, "points"},
			{"reach", 5, 1, TEMPLATE_MAX / 2, "of a template, to each side"},
			{"search", 8, 1, 40, "of the area searched"},
			{"move", 2, 1, 40, "places, each way, that a point may go to"},
			{"frames", 2, 1, 10000, "frames, the first of which gives the templates"},
		},
	.tiny = "size=16,points=2,reach=1,search=2,move=3,frames=2",
	.run = run,
};
