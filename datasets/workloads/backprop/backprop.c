/*
 * backprop: one training step of Rodinia's neural network with 16 hidden units and one output: the
 * forward kernel, the rest of the forward pass and the errors on the host, the adjustment of the
 * input weights. The forward kernel leaves its products in the weights, as the original does, and
 * the host copies the weights anew. In place of the logistic function the host squashes by
 * x / (1 + |x|), which rounds alike everywhere. The second layer is trained on the host alone, and
 * left out. The check adds by the same tree and compares bit by bit.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <string.h>

#define HID 16
#define HEIGHT 16
#define ROW (HID + 1)
#define ETA 0.3f
#define MOMENTUM 0.3f

static float squash(float x)
{
	return 0.5f * (1.0f + x / (1.0f + fabsf(x)));
}

/* What the forward kernel makes of the weights, and each block's sums. */
static void forward(uint32_t blocks, const float *input, float *weights, float *partial)
{
	for (uint32_t b = 0; b < blocks; b++)
		for (uint32_t h = 0; h < HID; h++) {
			float *column = weights + (size_t)(HEIGHT * b + 1) * ROW + h + 1;

			for (uint32_t y = 0; y < HEIGHT; y++)
				column[y * ROW] *= input[HEIGHT * b + y + 1];
			for (uint32_t step = 2; step <= HEIGHT; step *= 2)
				for (uint32_t y = 0; y < HEIGHT; y += step)
					column[y * ROW] += column[(y + step / 2) * ROW];
			partial[b * HID + h] = column[0];
		}
}

/* The hidden layer's errors, from the blocks' sums on. */
static void errors(
	struct wl_rng *rng, uint32_t blocks, const float *partial, const float *bias, float *delta)
{
	float hidden[HID], weight[HID], out = 0;

	for (uint32_t h = 0; h < HID; h++) {
		float sum = 0;

		for (uint32_t b = 0; b < blocks; b++)
			sum += partial[b * HID + h];
		hidden[h] = squash(sum + bias[h + 1]);
		weight[h] = wl_unit(rng);
		out += weight[h] * hidden[h];
	}
	out = squash(out);
	for (uint32_t h = 0; h < HID; h++)
		delta[h + 1] = hidden[h] * (1 - hidden[h]) * weight[h] * out * (1 - out) *
			       (wl_unit(rng) - out);
}

static void adjust(
	uint32_t units, const float *delta, const float *input, float *weights, float *momentum)
{
	for (uint32_t y = 0; y <= units; y++)
		for (uint32_t x = 1; x <= HID; x++) {
			float *m = momentum + (size_t)y * ROW + x;

			*m = y ? fmaf(ETA * delta[x], input[y], MOMENTUM * *m)
			       : fmaf(ETA, delta[x], MOMENTUM * *m);
			weights[(size_t)y * ROW + x] += *m;
		}
}

static void run(struct wl *w)
{
	uint32_t blocks = (uint32_t)wl_param(w, "blocks"), units = HEIGHT * blocks;
	size_t count = (size_t)(units + 1) * ROW, bytes = count * sizeof(float);
	struct wl_buf input = wl_alloc(w, "input", (units + 1) * sizeof(float));
	struct wl_buf weights = wl_alloc(w, "weights", bytes);
	struct wl_buf partial = wl_alloc(w, "partial", blocks * HID * sizeof(float));
	struct wl_buf delta = wl_alloc(w, "delta", ROW * sizeof(float));
	struct wl_buf momentum = wl_alloc(w, "momentum", bytes);
	float *first = wl_host(w, count, sizeof(float)), *want = wl_host(w, count, sizeof(float));
	float *moved = wl_host(w, count, sizeof(float));
	float *sums = wl_host(w, blocks * HID, sizeof(float));
	struct wl_dim grid = wl_dim(1, blocks, 1), block = wl_dim(HID, HEIGHT, 1);
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	input.f[0] = 1;
	for (uint32_t i = 1; i <= units; i++)
		input.f[i] = wl_unit(&rng);
	for (size_t i = 0; i < count; i++) {
		first[i] = wl_unit(&rng) - 0.5f;
		moved[i] = 0.01f * wl_unit(&rng);
	}
	memcpy(weights.f, first, bytes);
	memcpy(momentum.f, moved, bytes);
	memcpy(want, first, bytes);
	wl_upload(w, &input);
	wl_upload(w, &weights);
	WL_LAUNCH(w, "layerforward", grid, block, 0, wl_p(&input), wl_p(&weights), wl_p(&partial),
		wl_i(HID));
	forward(blocks, input.f, want, sums);
	wl_check_f32(w, &partial, sums, blocks * HID, 0, 0);
	wl_check_f32(w, &weights, want, count, 0, 0);

	errors(&rng, blocks, sums, first, delta.f);
	memcpy(weights.f, first, bytes);
	wl_upload(w, &delta);
	wl_upload(w, &momentum);
	wl_upload(w, &weights);
	WL_LAUNCH(w, "adjust_weights", grid, block, 0, wl_p(&delta), wl_i(HID), wl_p(&input),
		wl_p(&weights), wl_p(&momentum));
	adjust(units, delta.f, input.f, first, moved);
	wl_check_f32(w, &weights, first, count, 0, 0);
	wl_check_f32(w, &momentum, moved, count, 0, 0);
}

const struct workload wl_backprop = {
	.name = "backprop",
	.cls = "CI COH",
	.papers = "thesis,tbc,dwr,crown",
	.suite = "Rodinia",
	.summary = "layer forward with a shared-memory reduction, then weight update",
	.params =
		{
			{"blocks", 512, 1, 65535, "blocks of 16 inputs by 16 hidden units"},
		},
	.presets =
		{
			{"tbc", "blocks=4096", "Rodinia's 65536 inputs: 146 M of table 1's 193 M"},
			{"dwr", "blocks=64",
				"table 1's 64 blocks, 2.3 M of its 2.9 M instructions"},
		},
	.tiny = "blocks=3",
	.run = run,
};
