/*
 * objclassifier: random-forest classification of windows; the thesis prints of its "ObjClassifier"
 * only that it is divergent, and that small warps make more hits (6.1.1). Ours: an image of noise
 * and edges with objects of three kinds on it, and trees trained on the host, on windows at random
 * places: a node takes the best of some random pairs of rectangles by Gini's measure, at the value
 * of a random window; it is a leaf when its windows are of one class, few, or the tree is deep.
 * Objects are rare, so many windows leave a tree early.
 *
 * The check classifies every window by sums over pixels, without an integral image.
 */
#include "datasets/workloads/input.h"
#include <string.h>

#define THREADS 128
#define CLASSES 4 /* background, and three kinds of objects */
#define WINDOW 24
#define DEPTH 12
#define TRIES 6 /* pairs of rectangles that a node is chosen from */
#define FEW 4

struct rect {
	uint8_t x, y, w, h;
};

struct node {
	struct rect a, b; /* read as 32-bit words, the lowest byte first */
	int32_t threshold, child;
};

struct sample {
	uint32_t at; /* of its first pixel in the integral image */
	int32_t value;
	uint8_t cls;
};

struct forest {
	uint32_t width, height, pitch;
	uint8_t *pixel, *cls; /* of a window, by its first pixel */
	int32_t *integral;
	struct node *nodes;
	int32_t nnodes;
};

static int32_t mean_difference(const struct forest *f, uint32_t at, struct rect a, struct rect b)
{
	const struct rect *r[2] = {&a, &b};
	int32_t sum[2];

	for (int i = 0; i < 2; i++) {
		const int32_t *corner = f->integral + at + r[i]->y * f->pitch + r[i]->x;
		const int32_t *below = corner + r[i]->h * f->pitch;

		sum[i] = below[r[i]->w] - below[0] - corner[r[i]->w] + corner[0];
	}
	return sum[0] * (b.w * b.h) - sum[1] * (a.w * a.h);
}

/* ---- the image ---- */

/* Objects, WINDOW a side: a cross, a ring, stripes; brightness by place. */
static int looks(unsigned kind, uint32_t x, uint32_t y)
{
	int32_t dx = (int32_t)x - WINDOW / 2, dy = (int32_t)y - WINDOW / 2, far = dx * dx + dy * dy;

	switch (kind) {
	case 1:
		return (dx > -4 && dx < 4) || (dy > -4 && dy < 4);
	case 2:
		return far > 36 && far < 121;
	default:
		return y / 4 % 2;
	}
}

static void draw(struct wl *w, struct forest *f, uint32_t objects)
{
	float *grey = wl_host(w, (size_t)f->width * f->height, sizeof(*grey));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	wl_image(grey, f->width, f->height, wl_seed(w));
	for (size_t i = 0; i < (size_t)f->width * f->height; i++)
		f->pixel[i] = (uint8_t)(55 + 160 * grey[i] + (float)wl_below(&rng, 40));
	for (uint32_t o = 0; o < objects; o++) {
		uint32_t x0 = wl_below(&rng, f->width - WINDOW);
		uint32_t y0 = wl_below(&rng, f->height - WINDOW);
		unsigned kind = 1 + o % (CLASSES - 1);

		for (uint32_t y = 0; y < WINDOW; y++)
			for (uint32_t x = 0; x < WINDOW; x++)
				f->pixel[(y0 + y) * f->width + x0 + x] =
					(uint8_t)((looks(kind, x, y) ? 190 : 20) +
						  wl_below(&rng, 60));
		/* A window a few pixels off still has the object. */
		for (uint32_t y = y0 < 3 ? 0 : y0 - 3; y < y0 + 4; y++)
			for (uint32_t x = x0 < 3 ? 0 : x0 - 3; x < x0 + 4; x++)
				f->cls[y * f->pitch + x] = (uint8_t)kind;
	}
	for (uint32_t y = 0; y < f->height; y++)
		for (uint32_t x = 0; x < f->width; x++) {
			int32_t *at = f->integral + (y + 1) * f->pitch + x + 1;

			at[0] = f->pixel[y * f->width + x] + at[-1] + *(at - f->pitch) -
				*(at - f->pitch - 1);
		}
}

/* ---- training ---- */

/* Two rectangles within the window, of less than half its side each. */
static void draw_pair(struct rect pair[2], struct wl_rng *rng)
{
	for (int i = 0; i < 2; i++) {
		pair[i].w = (uint8_t)(2 + wl_below(rng, WINDOW / 2 - 2));
		pair[i].h = (uint8_t)(2 + wl_below(rng, WINDOW / 2 - 2));
		pair[i].x = (uint8_t)wl_below(rng, WINDOW - pair[i].w + 1u);
		pair[i].y = (uint8_t)wl_below(rng, WINDOW - pair[i].h + 1u);
	}
}

/* Gini's measure, less its constant part: the larger, the purer are both sides. */
static double purity(const struct sample *s, uint32_t n, int32_t threshold)
{
	double count[2][CLASSES] = {{0}}, total[2] = {0}, sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		count[s[i].value > threshold][s[i].cls]++;
		total[s[i].value > threshold]++;
	}
	for (int side = 0; side < 2; side++)
		for (int c = 0; c < CLASSES; c++)
			sum += total[side] > 0 ? count[side][c] * count[side][c] / total[side] : 0;
	return sum;
}

static void measure(const struct forest *f, struct sample *s, uint32_t n, const struct rect *pair)
{
	for (uint32_t i = 0; i < n; i++)
		s[i].value = mean_difference(f, s[i].at, pair[0], pair[1]);
}

static int32_t leaf(const struct sample *s, uint32_t n)
{
	uint32_t count[CLASSES] = {0};
	int best = 0;

	for (uint32_t i = 0; i < n; i++)
		count[s[i].cls]++;
	for (int c = 1; c < CLASSES; c++)
		best = count[c] > count[best] ? c : best;
	return ~best;
}

static bool one_class(const struct sample *s, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (s[i].cls != s[0].cls)
			return false;
	return true;
}

/* Makes node `at` of n windows, and all below it. */
static void grow(
	struct forest *f, int32_t at, struct sample *s, uint32_t n, int depth, struct wl_rng *rng)
{
	struct node *node = &f->nodes[at];
	double best = -1;
	uint32_t left = 0;

	if (n < FEW || depth == DEPTH || one_class(s, n)) {
		node->child = leaf(s, n);
		return;
	}
	for (int t = 0; t < TRIES; t++) {
		struct rect pair[2];
		uint32_t by = wl_below(rng, n);
		double now;

		draw_pair(pair, rng);
		measure(f, s, n, pair);
		now = purity(s, n, s[by].value);
		if (now > best) {
			best = now;
			node->a = pair[0];
			node->b = pair[1];
			node->threshold = s[by].value;
		}
	}
	measure(f, s, n, (struct rect[]){node->a, node->b});
	for (uint32_t i = 0; i < n; i++)
		if (s[i].value <= node->threshold) {
			struct sample t = s[i];

			s[i] = s[left];
			s[left++] = t;
		}
	node->child = f->nnodes;
	f->nnodes += 2;
	grow(f, node->child, s, left, depth + 1, rng);
	grow(f, node->child + 1, s + left, n - left, depth + 1, rng);
}

/* Windows at random places, most of them without an object. */
static void take_samples(const struct forest *f, struct sample *s, uint32_t n, struct wl_rng *rng)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = wl_below(rng, f->width - WINDOW + 1);
		uint32_t y = wl_below(rng, f->height - WINDOW + 1);

		s[i].at = y * f->pitch + x;
		s[i].cls = f->cls[s[i].at];
	}
}

/* ---- the check ---- */

static int32_t pixels(const struct forest *f, uint32_t x0, uint32_t y0, struct rect r)
{
	int32_t sum = 0;

	for (uint32_t y = 0; y < r.h; y++)
		for (uint32_t x = 0; x < r.w; x++)
			sum += f->pixel[(y0 + r.y + y) * f->width + x0 + r.x + x];
	return sum;
}

static void classify(const struct forest *f, const int32_t *roots, uint32_t ntrees, uint32_t x,
	uint32_t y, int32_t *cls, int32_t *hits)
{
	int32_t votes[CLASSES] = {0};

	for (uint32_t t = 0; t < ntrees; t++) {
		const struct node *n = &f->nodes[roots[t]];

		while (n->child >= 0) {
			int32_t a = pixels(f, x, y, n->a) * (n->b.w * n->b.h);
			int32_t b = pixels(f, x, y, n->b) * (n->a.w * n->a.h);

			n = &f->nodes[n->child + (a - b > n->threshold)];
		}
		votes[~n->child]++;
	}
	*cls = 0;
	for (int32_t c = 1; c < CLASSES; c++)
		*cls = votes[c] > votes[*cls] ? c : *cls;
	*hits = votes[*cls];
}

static void run(struct wl *w)
{
	uint32_t ntrees = (uint32_t)wl_param(w, "trees"), step = (uint32_t)wl_param(w, "step");
	struct forest f = {.width = (uint32_t)wl_param(w, "width"),
		.height = (uint32_t)wl_param(w, "height"),
		.pitch = (uint32_t)wl_param(w, "width") + 1};
	uint32_t across = (f.width - WINDOW) / step + 1, down = (f.height - WINDOW) / step + 1;
	uint32_t n = across * down, samples = (uint32_t)wl_param(w, "samples");
	size_t area = (size_t)f.pitch * (f.height + 1);
	struct wl_buf integral = wl_alloc(w, "integral", area * sizeof(int32_t));
	struct wl_buf nodes = wl_alloc(w, "nodes", 2ull * samples * ntrees * sizeof(struct node));
	struct wl_buf roots = wl_alloc(w, "roots", ntrees * sizeof(int32_t));
	struct wl_buf classes = wl_alloc(w, "classes", n * sizeof(int32_t));
	struct wl_buf hits = wl_alloc(w, "hits", n * sizeof(int32_t));
	int32_t *want_classes = wl_host(w, n, sizeof(int32_t));
	int32_t *want_hits = wl_host(w, n, sizeof(int32_t));
	struct sample *s = wl_host(w, samples, sizeof(*s));
	struct wl_rng rng;

	f.pixel = wl_host(w, area, 1);
	f.cls = wl_host(w, area, 1);
	if (wl_failed(w))
		return;
	f.integral = integral.i;
	f.nodes = nodes.p;
	draw(w, &f, (uint32_t)wl_param(w, "objects"));
	wl_rng_start(&rng, w, 1);
	for (uint32_t t = 0; t < ntrees; t++) {
		take_samples(&f, s, samples, &rng);
		roots.i[t] = f.nnodes++;
		grow(&f, roots.i[t], s, samples, 0, &rng);
	}
	wl_upload(w, &integral);
	wl_upload(w, &nodes);
	wl_upload(w, &roots);
	WL_LAUNCH(w, "objclassifier", wl_dim(wl_ceil_div(n, THREADS), 1, 1), wl_dim(THREADS, 1, 1),
		0, wl_p(&integral), wl_i((int32_t)f.pitch), wl_p(&nodes), wl_p(&roots),
		wl_i((int32_t)ntrees), wl_i((int32_t)across), wl_i((int32_t)n), wl_i((int32_t)step),
		wl_p(&classes), wl_p(&hits));
	for (uint32_t i = 0; i < n; i++)
		classify(&f, roots.i, ntrees, i % across * step, i / across * step,
			want_classes + i, want_hits + i);
	wl_check_i32(w, &classes, want_classes, n);
	wl_check_i32(w, &hits, want_hits, n);
}

const struct workload wl_objclassifier = {
	.name = "objclassifier",
	.cls = "WSD",
	.papers = "thesis",
	.suite = "vision",
	.summary = "random-forest classification of windows, one thread a window",
	.params =
		{
			{"width", 320, WINDOW + 1, 4096, "pixels in a row of the image"},
			{"height", 224, WINDOW + 1, 4096, "rows of the image"},
			{"step", 3, 1, 64, "pixels from a window to the next"},
			{"objects", 24, 0, 10000, "objects in the image"},
			{"trees", 16, 1, 256, "trees of the forest"},
			{"samples", 4000, 2, 100000, "windows that a tree is trained on"},
		},
	.tiny = "width=64,height=48,step=4,objects=2,trees=3,samples=200",
	.run = run,
};
