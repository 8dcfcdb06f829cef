/*
 * nn: the four layers of the neural network of Bakhoda's benchmarks, with the original's sizes: 6
 * maps of 13 x 13, 50 of 5 x 5, 100 and 10 neurons; slide 46 of CROWN's slides ran them for 28
 * digits, 4 are the default. Left out: the trained weights and the scanned digits. Weights are
 * random, digits are seven strokes of which some are there, shifted and noisy; so what is read says
 * nothing, and no instruction depends on it.
 *
 * The check goes through the layers in double precision, and compares every neuron of each.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define WINDOW 5
#define IMAGE 29
#define SIDE_1 13
#define SIDE_2 5
#define OUT_4 10
#define LAYERS 4

struct layer {
	uint32_t maps, side; /* the neurons of a digit: side * side in each map */
	uint32_t inputs;     /* of a neuron */
};

/* The strokes of a digit on a clock's face, each from a corner of three rows of two to another. */
static void draw(float *image, uint32_t digit, struct wl_rng *rng)
{
	static const uint8_t lit[10] = {0x77, 0x24, 0x5d, 0x6d, 0x2e, 0x6b, 0x7b, 0x25, 0x7f, 0x6f};
	static const uint8_t ends[7][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {2, 4}, {3, 5}, {4, 5}};
	int left = 7 + (int)wl_below(rng, 5), top = 4 + (int)wl_below(rng, 5);

	for (int i = 0; i < IMAGE * IMAGE; i++)
		image[i] = 0.1f * wl_unit(rng);
	for (int s = 0; s < 7; s++) {
		int x = left + 10 * (ends[s][0] % 2), y = top + 8 * (ends[s][0] / 2);
		bool down = ends[s][0] / 2 != ends[s][1] / 2;

		if (!(lit[digit] >> s & 1))
			continue;
		for (int i = 0; i <= (down ? 8 : 10); i++)
			image[(y + (down ? i : 0)) * IMAGE + x + (down ? 0 : i)] = 1;
	}
}

/* Where the input number i of a neuron is in the layer before. */
static size_t input_of(const struct layer *l, uint32_t layer, uint32_t neuron, uint32_t i)
{
	const uint32_t maps = layer ? l[-1].maps : 1, before = layer ? l[-1].side : IMAGE;
	const uint32_t at = neuron % (l->side * l->side), place = i / maps;

	if (layer >= 2)
		return i;
	return (size_t)(i % maps) * before * before +
	       (2 * (at / l->side) + place / WINDOW) * before + 2 * (at % l->side) + place % WINDOW;
}

static void think(const struct layer *l, uint32_t layer, const float *weights, const double *before,
	double *after)
{
	for (uint32_t n = 0; n < l->maps * l->side * l->side; n++) {
		const float *weight = weights + (size_t)(n / (l->side * l->side)) * (1 + l->inputs);
		double sum = (double)weight[0];

		for (uint32_t i = 0; i < l->inputs; i++)
			sum += (double)weight[1 + i] * before[input_of(l, layer, n, i)];
		after[n] = 1.7159 * tanh(0.66666667 * sum);
	}
}

static void run(struct wl *w)
{
	static const char *const names[LAYERS][2] = {{"weights1", "layer1"}, {"weights2", "layer2"},
		{"weights3", "layer3"}, {"weights4", "layer4"}};
	const uint32_t digits = (uint32_t)wl_param(w, "digits");
	const uint32_t maps1 = (uint32_t)wl_param(w, "maps1"),
		       maps2 = (uint32_t)wl_param(w, "maps2");
	const uint32_t neurons = (uint32_t)wl_param(w, "neurons");
	const struct layer layers[LAYERS] = {
		{maps1, SIDE_1, WINDOW * WINDOW},
		{maps2, SIDE_2, WINDOW * WINDOW * maps1},
		{neurons, 1, maps2 * SIDE_2 * SIDE_2},
		{OUT_4, 1, neurons},
	};
	const size_t pixels = IMAGE * IMAGE;
	struct wl_buf images = wl_alloc(w, "images", digits * pixels * sizeof(float));
	struct wl_buf weights[LAYERS], out[LAYERS];
	const struct wl_dim one = wl_dim(1, 1, 1);
	double *values[1 + LAYERS] = {wl_host(w, pixels, sizeof(double))};
	float *want[LAYERS];
	uint32_t count[LAYERS];
	struct wl_rng rng;

	wl_rng_start(&rng, w, 0);
	for (int k = 0; k < LAYERS; k++) {
		const struct layer *l = &layers[k];
		const size_t all = (size_t)l->maps * (1 + l->inputs);

		count[k] = l->maps * l->side * l->side;
		weights[k] = wl_alloc(w, names[k][0], all * sizeof(float));
		out[k] = wl_alloc(w, names[k][1], (size_t)digits * count[k] * sizeof(float));
		want[k] = wl_host(w, (size_t)digits * count[k], sizeof(float));
		values[1 + k] = wl_host(w, count[k], sizeof(double));
		if (wl_failed(w))
			return;
		for (size_t i = 0; i < all; i++)
			weights[k].f[i] = 2 / sqrtf((float)l->inputs) * (wl_unit(&rng) - 0.5f);
		wl_upload(w, &weights[k]);
	}
	for (uint32_t d = 0; d < digits; d++)
		draw(images.f + d * pixels, wl_below(&rng, 10), &rng);
	wl_upload(w, &images);
	WL_LAUNCH(w, "nn_first", wl_dim(maps1, digits, 1), wl_dim(SIDE_1, SIDE_1, 1), 0,
		wl_p(&images), wl_p(&weights[0]), wl_p(&out[0]));
	WL_LAUNCH(w, "nn_second", wl_dim(maps2, digits, 1), wl_dim(SIDE_2, SIDE_2, 1), 0,
		wl_p(&out[0]), wl_i((int32_t)maps1), wl_p(&weights[1]), wl_p(&out[1]));
	WL_LAUNCH(w, "nn_all", wl_dim(neurons, digits, 1), one, 0, wl_p(&out[1]),
		wl_i((int32_t)layers[2].inputs), wl_p(&weights[2]), wl_p(&out[2]));
	WL_LAUNCH(w, "nn_all", wl_dim(OUT_4, digits, 1), one, 0, wl_p(&out[2]),
		wl_i((int32_t)layers[3].inputs), wl_p(&weights[3]), wl_p(&out[3]));
	for (uint32_t d = 0; d < digits; d++) {
		for (size_t i = 0; i < pixels; i++)
			values[0][i] = (double)images.f[d * pixels + i];
		for (uint32_t k = 0; k < LAYERS; k++) {
			think(&layers[k], k, weights[k].f, values[k], values[1 + k]);
			for (size_t n = 0; n < count[k]; n++)
				want[k][(size_t)d * count[k] + n] = (float)values[1 + k][n];
		}
	}
	for (int k = 0; k < LAYERS; k++)
		wl_check_f32(w, &out[k], want[k], (uint64_t)digits * count[k], 1e-4, 1e-4);
}

const struct workload wl_nn = {
	.name = "nn",
	.cls = "-",
	.papers = "crown",
	.suite = "Bakhoda",
	.summary = "four layers of a neural network that reads digits",
	.params =
		{
			{"digits", 4, 1, 4096, "images, read side by side"},
			{"maps1", 6, 1, 64,
				"feature maps of the first layer, 13 x 13 neurons each"},
			{"maps2", 50, 1, 512,
				"feature maps of the second layer, 5 x 5 neurons each"},
			{"neurons", 100, 1, 4096, "of the third layer; the fourth has 10"},
		},
	.presets =
		{
			{"crown", "digits=28", "slide 46's NN"},
		},
	.tiny = "digits=1,maps1=2,maps2=2,neurons=3",
	.run = run,
};
