/*
 * The layers of a neural network that reads handwritten digits, after Bakhoda and others' NN: a
 * block a feature map and digit, a thread a neuron. Two layers of 5 x 5 windows two apart, then two
 * in which a neuron sees all of the layer before. The weights of a neuron stand one after the other,
 * its bias first; in the second layer those of all maps for a place in the window.
 */
#include "cuda.h"

#define WINDOW 5
#define IMAGE 29
#define SIDE_1 13
#define SIDE_2 5

WL_INLINE float activation(float x)
{
	return 1.7159f * (1.0f - 2.0f / (__expf(2.0f * 0.66666667f * x) + 1.0f));
}

/* Block (map, digit) of 13 x 13 threads. */
extern "C" __global__ void nn_first(const float *images, const float *weights, float *out)
{
	int x = threadIdx.x, y = threadIdx.y;
	const float *weight = weights + blockIdx.x * (1 + WINDOW * WINDOW);
	const float *window = images + blockIdx.y * IMAGE * IMAGE + 2 * y * IMAGE + 2 * x;
	float sum = *weight++;

	for (int row = 0; row < WINDOW; row++)
		for (int column = 0; column < WINDOW; column++)
			sum += window[row * IMAGE + column] * *weight++;
	out[(blockIdx.y * gridDim.x + blockIdx.x) * SIDE_1 * SIDE_1 + y * SIDE_1 + x] =
		activation(sum);
}

/* Block (map, digit) of 5 x 5 threads. */
extern "C" __global__ void nn_second(const float *maps, int nmaps, const float *weights,
	float *out)
{
	int x = threadIdx.x, y = threadIdx.y;
	const float *weight = weights + blockIdx.x * (1 + nmaps * WINDOW * WINDOW);
	const float *window = maps + blockIdx.y * nmaps * SIDE_1 * SIDE_1 + 2 * y * SIDE_1 + 2 * x;
	float sum = *weight++;

	for (int row = 0; row < WINDOW; row++)
		for (int column = 0; column < WINDOW; column++)
			for (int map = 0; map < nmaps; map++)
				sum += window[map * SIDE_1 * SIDE_1 + row * SIDE_1 + column] *
					*weight++;
	out[(blockIdx.y * gridDim.x + blockIdx.x) * SIDE_2 * SIDE_2 + y * SIDE_2 + x] =
		activation(sum);
}

/* Block (neuron, digit) of one thread: a neuron of the third or the fourth layer. */
extern "C" __global__ void nn_all(const float *before, int n, const float *weights, float *out)
{
	const float *weight = weights + blockIdx.x * (1 + n);
	float sum = *weight++;

	before += blockIdx.y * n;
	for (int i = 0; i < n; i++)
		sum += before[i] * weight[i];
	out[blockIdx.y * gridDim.x + blockIdx.x] = activation(sum);
}
