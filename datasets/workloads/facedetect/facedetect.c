/*
 * facedetect: Visbench's face detection, of which TBC prints two kernels of 32 x 6 threads (table
 * 1). Ours: an image of noise and edges with faces on it, in several sizes, and a cascade that is
 * made from the seed: a stage's features are each the best of some random ones at telling the faces
 * from those windows that the stages before let through, and the stage asks for as many votes as
 * half of these have, if all faces have them. As in OpenCV, which the original's cascades come
 * from, rectangles grow with the scale, and weights make up for their rounding. The default is the
 * smallest scale alone; each is one launch, of all windows one pixel apart.
 *
 * The check adds up the pixels of each rectangle, without integral images, and the floats in the
 * same order; it compares the stage that each window reached, and the integral images themselves.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 24
#define ACROSS 32
#define DOWN 6
#define FACES 12    /* of the cascade's own size, which it is made from */
#define OTHERS 2000 /* windows without */
#define TRIES 12    /* random features that one is chosen from */
#define FEATURES_MAX 1024

struct rect {
	int32_t x, y, w, h;
};

struct feature {
	int32_t n;
	struct rect rect[3];
	float weight[3]; /* times area, these sum up to 0 */
	float threshold, below, above;
};

struct sample {
	uint32_t x, y;
	float votes;
};

struct detector {
	uint32_t width, height, pitch;
	uint8_t *pixel;
	uint32_t *sums,
		*squares; /* for the making of the cascade, a row and a column of zeros first */
	struct feature features[FEATURES_MAX];
	int32_t *first;
	float *asked;
	int32_t stages;
};

struct corners {
	int32_t c[4];
};

/* One scale: what the device is given, and the rectangles for the check. */
struct scaled {
	int32_t side;
	float inverse; /* of the window's area */
	struct rect rect[3 * FEATURES_MAX];
	float weight[3 * FEATURES_MAX];
};

/* ---- the image ---- */

/* A face at a place of a window of 24: eyes, the shadows of nose and mouth, cheeks, dark around. */
static int32_t face_at(uint32_t x, uint32_t y)
{
	int32_t dx = (int32_t)x - 12, dy = (int32_t)y - 12;

	if (dx * dx * 4 + dy * dy * 3 > 400)
		return 60;
	if (y >= 7 && y < 11 && ((x >= 5 && x < 10) || (x >= 14 && x < 19)))
		return 50;
	if (y >= 10 && y < 16 && x >= 11 && x < 13)
		return 210;
	if (y >= 17 && y < 20 && x >= 8 && x < 16)
		return 80;
	return 180;
}

static void draw_face(
	struct detector *d, uint32_t x0, uint32_t y0, uint32_t side, struct wl_rng *rng)
{
	for (uint32_t y = 0; y < side; y++)
		for (uint32_t x = 0; x < side; x++)
			d->pixel[(y0 + y) * d->width + x0 + x] =
				(uint8_t)(face_at(x * WINDOW / side, y * WINDOW / side) +
					  (int32_t)wl_below(rng, 40));
}

static void draw(struct wl *w, struct detector *d, struct sample *faces)
{
	size_t pixels = (size_t)d->width * d->height;
	float *grey = wl_host(w, pixels, sizeof(*grey));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	wl_image(grey, d->width, d->height, wl_seed(w));
	for (size_t i = 0; i < pixels; i++)
		d->pixel[i] = (uint8_t)(20 + 200 * grey[i] + (float)wl_below(&rng, 30));
	for (uint32_t i = 0; i < 2 * FACES; i++) {
		uint32_t side = i < FACES ? WINDOW + wl_below(&rng, WINDOW) : WINDOW;
		uint32_t x, y;

		side = side < d->width && side < d->height ? side : WINDOW;
		x = wl_below(&rng, d->width - side + 1);
		y = wl_below(&rng, d->height - side + 1);
		draw_face(d, x, y, side, &rng);
		if (i >= FACES)
			faces[i - FACES] = (struct sample){.x = x, .y = y};
	}
	for (uint32_t y = 0; y < d->height; y++)
		for (uint32_t x = 0; x < d->width; x++) {
			size_t at = (size_t)(y + 1) * d->pitch + x + 1;
			uint32_t v = d->pixel[y * d->width + x];

			d->sums[at] = v + d->sums[at - 1] + d->sums[at - d->pitch] -
				      d->sums[at - d->pitch - 1];
			d->squares[at] = v * v + d->squares[at - 1] + d->squares[at - d->pitch] -
					 d->squares[at - d->pitch - 1];
		}
}

/* ---- the cascade ---- */

static uint32_t sum_over(const struct detector *d, const uint32_t *image, uint32_t x, uint32_t y,
	const struct rect *r)
{
	const uint32_t *top = image + (y + (uint32_t)r->y) * d->pitch + x + (uint32_t)r->x;
	const uint32_t *low = top + (uint32_t)r->h * d->pitch;

	return low[r->w] - low[0] - top[r->w] + top[0];
}

/* A feature's value over the contrast of the window. */
static float measure(const struct detector *d, const struct feature *f, const struct sample *s)
{
	static const struct rect all = {0, 0, WINDOW, WINDOW};
	float inverse = 1.0f / (WINDOW * WINDOW), value = 0;
	float mean = (float)sum_over(d, d->sums, s->x, s->y, &all) * inverse;
	float variance = (float)sum_over(d, d->squares, s->x, s->y, &all) * inverse - mean * mean;

	for (int i = 0; i < f->n; i++)
		value += f->weight[i] * inverse *
			 (float)sum_over(d, d->sums, s->x, s->y, &f->rect[i]);
	return value / (variance > 1 ? sqrtf(variance) : 1);
}

/* Two halves, the middle of three, or two of four quarters, against the whole. */
static void draw_feature(struct feature *f, struct wl_rng *rng)
{
	int32_t kind = (int32_t)wl_below(rng, 4), a = 2 + (int32_t)wl_below(rng, 5);
	int32_t b = 2 + (int32_t)wl_below(rng, 5), w, h, x, y;

	w = kind == 1 ? 3 * a : 2 * a;
	h = 2 * b;
	x = (int32_t)wl_below(rng, (uint32_t)(WINDOW - w) + 1);
	y = (int32_t)wl_below(rng, (uint32_t)(WINDOW - h) + 1);
	*f = (struct feature){.n = 2, .rect = {{x, y, w, h}}, .weight = {-1}};
	switch (kind) {
	case 0: /* left half */
		f->rect[1] = (struct rect){x, y, a, h};
		f->weight[1] = 2;
		break;
	case 1: /* the middle third */
		f->rect[1] = (struct rect){x + a, y, a, h};
		f->weight[1] = 3;
		break;
	case 2: /* upper half */
		f->rect[1] = (struct rect){x, y, w, b};
		f->weight[1] = 2;
		break;
	default:
		f->n = 3;
		f->rect[1] = (struct rect){x, y, a, b};
		f->rect[2] = (struct rect){x + a, y + b, a, b};
		f->weight[1] = f->weight[2] = 2;
		break;
	}
}

static int by_size(const void *a, const void *b)
{
	const float *p = a, *q = b;

	return (*p > *q) - (*p < *q);
}

/*
 * How well a feature tells faces from others, and the threshold and votes that do it: half of the
 * others are on the faces' side, no more than a stage is to let through.
 */
static float tell(const struct detector *d, struct feature *f, const struct sample *faces,
	const struct sample *others, uint32_t n)
{
	float value[OTHERS], face = 0, other = 0, spread = 0, apart;

	for (uint32_t i = 0; i < FACES; i++)
		face += measure(d, f, &faces[i]) / FACES;
	for (uint32_t i = 0; i < n; i++)
		other += (value[i] = measure(d, f, &others[i])) / (float)n;
	for (uint32_t i = 0; i < n; i++)
		spread += fabsf(value[i] - other) / (float)n;
	qsort(value, n, sizeof(*value), by_size);
	apart = fabsf(face - other) / (spread + 0.01f);
	f->threshold = n ? value[n / 2] : 0;
	f->below = face < other ? apart : -apart;
	f->above = -f->below;
	return apart;
}

static void vote(const struct detector *d, const struct feature *f, struct sample *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		s[i].votes += measure(d, f, &s[i]) < f->threshold ? f->below : f->above;
}

static int by_votes(const void *a, const void *b)
{
	const struct sample *p = a, *q = b;

	return p->votes != q->votes ? (p->votes > q->votes) - (p->votes < q->votes)
	       : p->y != q->y       ? (p->y > q->y) - (p->y < q->y)
				    : (p->x > q->x) - (p->x < q->x);
}

/* The first of those in order that, asked for its votes, lets the number nearest to half through.
 */
static uint32_t half_of(const struct sample *s, uint32_t n)
{
	uint32_t low = n / 2, high = n / 2;

	while (low && s[low - 1].votes == s[n / 2].votes)
		low--;
	while (high + 1 < n && s[high].votes == s[n / 2].votes)
		high++;
	return high - n / 2 < n / 2 - low ? high : low;
}

/* Makes a stage; returns how many of the n windows without a face it lets through. */
static uint32_t add_stage(struct detector *d, int32_t features, struct sample *faces,
	struct sample *others, uint32_t n, struct wl_rng *rng)
{
	int32_t at = d->first[d->stages];
	float least = INFINITY, asked;
	uint32_t from = 0;

	for (uint32_t i = 0; i < FACES; i++)
		faces[i].votes = 0;
	for (uint32_t i = 0; i < n; i++)
		others[i].votes = 0;
	for (int32_t k = 0; k < features; k++, at++) {
		float best = -1;

		for (int t = 0; t < TRIES; t++) {
			struct feature f;
			float now;

			draw_feature(&f, rng);
			now = tell(d, &f, faces, others, n);
			if (now > best) {
				best = now;
				d->features[at] = f;
			}
		}
		vote(d, &d->features[at], faces, FACES);
		vote(d, &d->features[at], others, n);
	}
	for (uint32_t i = 0; i < FACES; i++)
		least = faces[i].votes < least ? faces[i].votes : least;
	qsort(others, n, sizeof(*others), by_votes);
	from = half_of(others, n);
	asked = n && others[from].votes < least ? others[from].votes : least;
	for (from = 0; from < n && others[from].votes < asked;)
		from++;
	d->first[d->stages + 1] = at;
	d->asked[d->stages++] = asked - 1e-3f;
	memmove(others, others + from, (n - from) * sizeof(*others));
	return n - from;
}

static void make_cascade(struct wl *w, struct detector *d, struct sample *faces, int32_t stages)
{
	struct sample others[OTHERS];
	uint32_t n = OTHERS;
	struct wl_rng rng;

	wl_rng_start(&rng, w, 1);
	for (uint32_t i = 0; i < n; i++) {
		others[i].x = wl_below(&rng, d->width - WINDOW + 1);
		others[i].y = wl_below(&rng, d->height - WINDOW + 1);
	}
	for (int32_t s = 0; s < stages; s++)
		n = add_stage(d, 2 + s + s * s / 8, faces, others, n, &rng);
}

/* ---- a scale ---- */

static int32_t grown(int32_t length, int32_t side)
{
	return (length * side + WINDOW / 2) / WINDOW;
}

static struct corners corners_of(const struct rect *r, uint32_t pitch)
{
	int32_t top = r->y * (int32_t)pitch + r->x, low = top + r->h * (int32_t)pitch;

	return (struct corners){{low + r->w, low, top + r->w, top}};
}

static void make_scale(const struct detector *d, struct scaled *s, int32_t side)
{
	s->side = side;
	s->inverse = 1.0f / (float)(side * side);
	for (int32_t f = 0; f < d->first[d->stages]; f++) {
		const struct feature *from = &d->features[f];
		float rest = 0;

		for (int32_t r = from->n - 1; r >= 0; r--) {
			struct rect *to = &s->rect[3 * f + r];
			int32_t size;

			/* Both ends grow, so that it stays within the window. */
			to->x = grown(from->rect[r].x, side);
			to->y = grown(from->rect[r].y, side);
			to->w = grown(from->rect[r].x + from->rect[r].w, side) - to->x;
			to->h = grown(from->rect[r].y + from->rect[r].h, side) - to->y;
			size = to->w * to->h;
			/* The whole takes what makes all weights times areas 0. */
			s->weight[3 * f + r] =
				s->inverse * (r ? from->weight[r] : -rest / (float)size);
			rest += r ? from->weight[r] * (float)size : 0;
		}
	}
}

/* ---- the check ---- */

static uint32_t pixels(
	const struct detector *d, uint32_t x0, uint32_t y0, const struct rect *r, bool square)
{
	uint32_t sum = 0;

	for (int32_t y = 0; y < r->h; y++)
		for (int32_t x = 0; x < r->w; x++) {
			uint32_t v = d->pixel[(y0 + (uint32_t)(r->y + y)) * d->width + x0 +
					      (uint32_t)(r->x + x)];

			sum += square ? v * v : v;
		}
	return sum;
}

static int32_t reach(const struct detector *d, const struct scaled *s, uint32_t x, uint32_t y)
{
	struct rect all = {0, 0, s->side, s->side};
	float mean = (float)pixels(d, x, y, &all, false) * s->inverse;
	float variance = fmaf((float)pixels(d, x, y, &all, true), s->inverse, -(mean * mean));
	float contrast = variance > 1 ? sqrtf(variance) : 1;
	int32_t stage;

	for (stage = 0; stage < d->stages; stage++) {
		float votes = 0;

		for (int32_t f = d->first[stage]; f < d->first[stage + 1]; f++) {
			const struct feature *at = &d->features[f];
			float value = 0;

			for (int32_t r = 3 * f; r < 3 * f + at->n; r++)
				value = fmaf(s->weight[r],
					(float)pixels(d, x, y, &s->rect[r], false), value);
			votes += value < at->threshold * contrast ? at->below : at->above;
		}
		if (votes < d->asked[stage])
			break;
	}
	return stage;
}

/* ---- the run ---- */

enum { IMAGE, TURNED, TURNED_SQUARES, SUMS, SQUARES, IMAGES };

/* The integral images of b[IMAGE] and of its squares, by two scans. */
static void integrate(struct wl *w, const struct detector *d, const struct wl_buf *b)
{
	int32_t across = (int32_t)d->pitch, down = (int32_t)d->height + 1;

	wl_registers(w, 17); /* TBC table 1: 5 blocks of 192 on 16384 registers */
	WL_LAUNCH(w, "scan_rows", wl_dim(wl_ceil_div((uint32_t)down, DOWN), 1, 1),
		wl_dim(ACROSS, DOWN, 1), 0, wl_p(&b[IMAGE]), wl_p(&b[IMAGE]), wl_p(&b[TURNED]),
		wl_p(&b[TURNED_SQUARES]), wl_i(across), wl_i(down), wl_i(1));
	WL_LAUNCH(w, "scan_rows", wl_dim(wl_ceil_div((uint32_t)across, DOWN), 1, 1),
		wl_dim(ACROSS, DOWN, 1), 0, wl_p(&b[TURNED]), wl_p(&b[TURNED_SQUARES]),
		wl_p(&b[SUMS]), wl_p(&b[SQUARES]), wl_i(down), wl_i(across), wl_i(0));
}

static void detect(
	struct wl *w, struct detector *d, const struct wl_buf *b, struct scaled *s, int32_t side)
{
	uint32_t across = d->width - (uint32_t)side + 1, down = d->height - (uint32_t)side + 1;
	int32_t n = d->first[d->stages], *want = wl_host(w, (size_t)across * down, sizeof(*want));
	struct wl_buf whole = wl_alloc(w, "whole", sizeof(struct corners));
	struct wl_buf first = wl_alloc(w, "first_feature", (d->stages + 1u) * sizeof(int32_t));
	struct wl_buf asked = wl_alloc(w, "asked", (uint32_t)d->stages * sizeof(float));
	struct wl_buf features = wl_alloc(w, "features", (uint32_t)n * 4 * sizeof(float));
	struct wl_buf corners = wl_alloc(w, "corners", (uint32_t)n * 3 * sizeof(struct corners));
	struct wl_buf weights = wl_alloc(w, "weights", (uint32_t)n * 3 * sizeof(float));
	struct wl_buf reached = wl_alloc(w, "reached", (uint64_t)across * down * sizeof(int32_t));

	if (wl_failed(w))
		return;
	make_scale(d, s, side);
	*(struct corners *)whole.p = corners_of(&(struct rect){0, 0, side, side}, d->pitch);
	memcpy(first.p, d->first, first.bytes);
	memcpy(asked.p, d->asked, asked.bytes);
	memcpy(weights.p, s->weight, weights.bytes);
	for (int32_t f = 0; f < n; f++) {
		const struct feature *at = &d->features[f];
		float four[4] = {at->threshold, at->below, at->above, (float)at->n};

		memcpy(features.f + 4 * f, four, sizeof(four));
		for (int32_t r = 3 * f; r < 3 * f + at->n; r++)
			((struct corners *)corners.p)[r] = corners_of(&s->rect[r], d->pitch);
	}
	wl_upload(w, &whole);
	wl_upload(w, &first);
	wl_upload(w, &asked);
	wl_upload(w, &features);
	wl_upload(w, &corners);
	wl_upload(w, &weights);
	wl_registers(w, 21); /* TBC table 1: 4 blocks of 192 on 16384 registers */
	WL_LAUNCH(w, "detect", wl_dim(wl_ceil_div(across, ACROSS), wl_ceil_div(down, DOWN), 1),
		wl_dim(ACROSS, DOWN, 1), 0, wl_p(&b[SUMS]), wl_p(&b[SQUARES]),
		wl_i((int32_t)d->pitch), wl_i((int32_t)across), wl_i((int32_t)down), wl_p(&whole),
		wl_f(s->inverse), wl_p(&first), wl_p(&asked), wl_i(d->stages), wl_p(&features),
		wl_p(&corners), wl_p(&weights), wl_p(&reached));
	for (uint32_t i = 0; i < across * down; i++)
		want[i] = reach(d, s, i % across, i / across);
	wl_check_i32(w, &reached, want, (uint64_t)across * down);
}

static void run(struct wl *w)
{
	static const char *const names[IMAGES] = {
		"image", "turned", "turned_squares", "sums", "squares"};
	uint32_t width = (uint32_t)wl_param(w, "width"), height = (uint32_t)wl_param(w, "height");
	int32_t stages = (int32_t)wl_param(w, "stages");
	struct detector *d = wl_host(w, 1, sizeof(*d));
	struct scaled *s = wl_host(w, 1, sizeof(*s));
	struct sample *faces = wl_host(w, FACES, sizeof(*faces));
	uint64_t n = (uint64_t)(width + 1) * (height + 1);
	double side = WINDOW;
	struct wl_buf b[IMAGES];

	for (int i = 0; i < IMAGES; i++)
		b[i] = wl_alloc(w, names[i], n * sizeof(uint32_t));
	if (wl_failed(w))
		return;
	*d = (struct detector){.width = width,
		.height = height,
		.pitch = width + 1,
		.pixel = wl_host(w, n, 1),
		.sums = wl_host(w, n, sizeof(uint32_t)),
		.squares = wl_host(w, n, sizeof(uint32_t)),
		.first = wl_host(w, (size_t)stages + 1, sizeof(int32_t)),
		.asked = wl_host(w, (size_t)stages, sizeof(float))};
	if (wl_failed(w))
		return;
	draw(w, d, faces);
	make_cascade(w, d, faces, stages);
	for (uint32_t y = 0; y < height; y++) /* after a row and a column of zeros */
		for (uint32_t x = 0; x < width; x++)
			b[IMAGE].u[(y + 1) * d->pitch + x + 1] = d->pixel[y * width + x];
	wl_upload(w, &b[IMAGE]);
	integrate(w, d, b);
	wl_check_u32(w, &b[SUMS], d->sums, n);
	wl_check_u32(w, &b[SQUARES], d->squares, n);
	for (int64_t i = 0; i < wl_param(w, "scales") && !wl_failed(w); i++) {
		if (side > width || side > height)
			break;
		detect(w, d, b, s, (int32_t)side);
		side *= 1.25;
	}
}

const struct workload wl_facedetect = {
	.name = "facedetect",
	.cls = "DIV",
	.papers = "tbc,thesis",
	.suite = "Visbench",
	.summary = "cascade of Haar classifiers over all windows of an image",
	.params =
		{
			{"width", 312, WINDOW, 4096, "pixels in a row of the image"},
			{"height", 164, WINDOW, 4096, "rows of the image"},
			{"scales", 1, 1, 32, "sizes of windows, each larger by a quarter"},
			{"stages", 12, 1, 24, "stages of the cascade"},
		},
	.tiny = "width=25,height=24,stages=2",
	.run = run,
};
