/*
 * Two kernels of a neural network's training, after Rodinia's backprop: 16 inputs by 16 hidden
 * units a block. The forward kernel multiplies inputs with weights and adds up the columns by a
 * tree in shared memory, whose steps come from lg2 and ex2 as in the original; the other adjusts
 * the weights. Row and column 0 of every array are the biases.
 */
#include "cuda.h"

#define WIDTH 16
#define HEIGHT 16
#define ETA 0.3f
#define MOMENTUM 0.3f

extern "C" __global__ void layerforward(const float *input, float *weights, float *partial, int hid)
{
	__shared__ float node[HEIGHT], weight[HEIGHT][WIDTH];
	int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
	int index = (hid + 1) * (HEIGHT * by + ty + 1) + tx + 1;

	if (tx == 0)
		node[ty] = input[HEIGHT * by + ty + 1];
	__syncthreads();
	weight[ty][tx] = weights[index];
	__syncthreads();
	weight[ty][tx] = weight[ty][tx] * node[ty];
	__syncthreads();
	for (int i = 1; i <= __log2f(HEIGHT); i++) {
		int step = (int)exp2f(i);
		if (ty % step == 0)
			weight[ty][tx] = weight[ty][tx] + weight[ty + step / 2][tx];
		__syncthreads();
	}
	weights[index] = weight[ty][tx];
	__syncthreads();
	if (tx == 0)
		partial[by * hid + ty] = weight[tx][ty];
}

extern "C" __global__ void adjust_weights(const float *delta, int hid, const float *layer,
	float *weights, float *momentum)
{
	int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
	int index = (hid + 1) * (HEIGHT * by + ty + 1) + tx + 1;
	int y = HEIGHT * by + ty + 1, x = tx + 1;

	weights[index] += ETA * delta[x] * layer[y] + MOMENTUM * momentum[index];
	momentum[index] = ETA * delta[x] * layer[y] + MOMENTUM * momentum[index];
	__syncthreads();
	if (ty == 0 && by == 0) {
		weights[x] += ETA * delta[x] + MOMENTUM * momentum[x];
		momentum[x] = ETA * delta[x] + MOMENTUM * momentum[x];
	}
}
