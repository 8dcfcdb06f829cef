/*
 * Zipf-distributed ranks and grey images. Only + - * / and sqrt decide anything, which IEEE 754
 * rounds in one way, so that every machine draws the same.
 */
#include "input.h"
#include <math.h>
#include <stdlib.h>

/* Bits after the binary point of Zipf's exponent: off by less than 2^-21, unseen in a draw. */
#define EXPONENT_BITS 20

/* base^(exponent / 2^EXPONENT_BITS): squares for the whole part, square roots for the rest. */
static double power(double base, uint64_t exponent)
{
	double result = 1, square = base, root = base;

	for (uint64_t whole = exponent >> EXPONENT_BITS; whole; whole >>= 1) {
		if (whole & 1)
			result *= square;
		square *= square;
	}
	for (int bit = EXPONENT_BITS - 1; bit >= 0; bit--) {
		root = sqrt(root);
		if (exponent >> bit & 1)
			result *= root;
	}
	return result;
}

int wl_zipf_init(struct wl_zipf *z, uint32_t n, uint32_t skew_permille, struct tr_err *err)
{
	uint64_t exponent = (((uint64_t)skew_permille << EXPONENT_BITS) + 500) / 1000;
	double sum = 0;

	*z = (struct wl_zipf){0};
	if (!n)
		return tr_fail(err, TR_EUSAGE, 0, "a Zipf distribution needs at least one rank");
	double *upto = malloc(n * sizeof(*upto));
	z->cdf = malloc(n * sizeof(*z->cdf));
	if (!upto || !z->cdf) {
		free(upto);
		wl_zipf_free(z);
		return tr_fail(err, TR_EMEM, 0, "no memory for a Zipf table of %u ranks", n);
	}
	for (uint32_t i = 0; i < n; i++)
		upto[i] = sum += 1 / power(i + 1.0, exponent);
	/* cdf[i] is the last of the 2^32 draws that mean rank i or a smaller one. */
	for (uint32_t i = 0; i < n; i++)
		z->cdf[i] = (uint32_t)((uint64_t)(upto[i] / sum * 0x1p32) - 1);
	z->cdf[n - 1] = UINT32_MAX;
	z->n = n;
	free(upto);
	return 1;
}

uint32_t wl_zipf_draw(const struct wl_zipf *z, struct wl_rng *r)
{
	uint32_t draw = (uint32_t)(wl_u64(r) >> 32);
	uint32_t lo = 0, hi = z->n ? z->n - 1 : 0; /* the rank is in lo ... hi */

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (draw <= z->cdf[mid])
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

void wl_zipf_free(struct wl_zipf *z)
{
	free(z->cdf);
	*z = (struct wl_zipf){0};
}

/* Value noise: a random value at each corner of a grid of cells, smoothly joined between them. */
static float corner(uint64_t seed, uint32_t x, uint32_t y)
{
	struct wl_rng r;

	wl_rng_seed(&r, seed, (uint64_t)y << 32 | x);
	return wl_unit(&r);
}

static float ease(uint32_t at, uint32_t cell)
{
	float f = (float)at / (float)cell;

	return f * f * (3 - 2 * f);
}

static float mix(float a, float b, float t)
{
	return a + (b - a) * t;
}

static float noise(uint64_t seed, uint32_t x, uint32_t y, uint32_t cell)
{
	uint32_t cx = x / cell, cy = y / cell;
	float fx = ease(x % cell, cell), fy = ease(y % cell, cell);
	float top = mix(corner(seed, cx, cy), corner(seed, cx + 1, cy), fx);
	float bottom = mix(corner(seed, cx, cy + 1), corner(seed, cx + 1, cy + 1), fx);

	return mix(top, bottom, fy);
}

#define SHAPES 16

struct shape {
	int64_t x, y, radius;
	bool disc;  /* else a square */
	float step; /* how much brighter it is than what it covers */
};

static bool covers(const struct shape *s, int64_t x, int64_t y)
{
	int64_t dx = x - s->x, dy = y - s->y;

	if (s->disc)
		return dx * dx + dy * dy <= s->radius * s->radius;
	return llabs(dx) <= s->radius && llabs(dy) <= s->radius;
}

static void draw_shapes(struct shape *shapes, uint32_t width, uint32_t height, uint64_t seed)
{
	uint32_t largest = (width < height ? width : height) / 4 + 1;
	struct wl_rng r;

	wl_rng_seed(&r, seed, 0);
	for (unsigned i = 0; i < SHAPES; i++) {
		shapes[i].x = wl_below(&r, width);
		shapes[i].y = wl_below(&r, height);
		shapes[i].radius = 1 + wl_below(&r, largest);
		shapes[i].disc = wl_below(&r, 2);
		shapes[i].step = wl_unit(&r) * 0.6f - 0.3f;
	}
}

void wl_image(float *out, uint32_t width, uint32_t height, uint64_t seed)
{
	struct shape shapes[SHAPES];

	if (!width || !height)
		return;
	draw_shapes(shapes, width, height, seed);
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++) {
			float v =
				0.7f * noise(seed + 1, x, y, 32) + 0.3f * noise(seed + 2, x, y, 8);
			for (unsigned i = 0; i < SHAPES; i++)
				v += covers(&shapes[i], x, y) ? shapes[i].step : 0;
			out[(size_t)y * width + x] = v < 0 ? 0 : v > 1 ? 1 : v;
		}
	}
}
