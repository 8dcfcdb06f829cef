/*
 * Finds white blood cells and their outlines, after Rodinia's leukocyte. The first kernel scores
 * each pixel by the gradient along circles around it: mean squared over variance (GICOV), a block a
 * column. The second spreads the largest score of a disc's neighbourhood. The third makes a smooth
 * vector field's potential around a cell, a block a cell, in steps until it changes no more. What
 * the original reads through textures goes through the read-only cache. The better score and the
 * clamps to the frame are selects, as any compiler makes them.
 */
#include "cuda.h"

#define POINTS_MAX 150
#define CIRCLES_MAX 7
#define DISC_MAX 25
#define ROWS_MAX 41
#define COLS_MAX 81
#define THREADS 320
#define POWER 256 /* of two, below */

extern "C" {
__constant__ float sines[POINTS_MAX], cosines[POINTS_MAX];
__constant__ int circle_x[CIRCLES_MAX * POINTS_MAX], circle_y[CIRCLES_MAX * POINTS_MAX];
__constant__ float disc[DISC_MAX * DISC_MAX];
}

/* margin: of the frame, in which no circle has its centre. */
extern "C" __global__ void leukocyte_gicov(const float *gradient_x, const float *gradient_y,
	int rows, int margin, int circles, int points, float *gicov)
{
	int i = blockIdx.x + margin, j = threadIdx.x + margin;
	float best = 0;

	for (int k = 0; k < circles; k++) {
		float sum = 0, squares = 0, mean = 0;

		for (int n = 0; n < points; n++) {
			int y = j + circle_y[k * points + n], x = i + circle_x[k * points + n];
			int at = x * rows + y;
			float p = __ldg(&gradient_x[at]) * cosines[n] +
				  __ldg(&gradient_y[at]) * sines[n];
			float off = p - mean;

			sum += p;
			mean += off / (float)(n + 1);
			squares += off * (p - mean);
		}
		mean = sum / (float)points;
		float score = mean * mean / (squares / (float)(points - 1));
		if (score > best)
			best = score;
	}
	gicov[i * rows + j] = best;
}

extern "C" __global__ void leukocyte_dilate(
	const float *gicov, int rows, int cols, int across, float *dilated)
{
	int thread = blockIdx.x * blockDim.x + threadIdx.x;
	int i = thread % rows, j = thread / rows;
	float most = 0;

	if (j >= cols)
		return;
	for (int down = 0; down < across; down++) {
		int y = i - across / 2 + down;

		if (y >= 0 && y < rows) {
			for (int right = 0; right < across; right++) {
				int x = j - across / 2 + right;

				if (x >= 0 && x < cols && disc[down * across + right] != 0)
					most = fmaxf(most, __ldg(&gicov[x * rows + y]));
			}
		}
	}
	dilated[i * cols + j] = most;
}

/* Of 1 / x beyond 1; Chebyshev's interpolation in its square, within 2e-7. */
static __device__ __forceinline__ float arc_tangent(float x)
{
	float a = fabsf(x), t = fminf(a, 1.0f) / fmaxf(a, 1.0f), s = t * t;
	float r = -0.00455979211f;

	r = r * s + 0.0237805191f;
	r = r * s - 0.0588297546f;
	r = r * s + 0.0986886546f;
	r = r * s - 0.140032902f;
	r = r * s + 0.199669614f;
	r = r * s - 0.333318114f;
	r = r * s + 0.999999881f;
	r *= t;
	r = a > 1.0f ? 1.57079633f - r : r;
	return x < 0 ? -r : r;
}

/* Heaviside's step, smoothed. */
static __device__ __forceinline__ float step_of(float x)
{
	return arc_tangent(x) * 0.318309886f + 0.5f;
}

extern "C" __global__ void leukocyte_imgvf(float *const *fields, const float *const *images,
	const int *rows, const int *cols, float vx, float vy, float e, int iterations, float cutoff)
{
	__shared__ float field[ROWS_MAX * COLS_MAX], buffer[THREADS];
	__shared__ int converged;
	float *out = fields[blockIdx.x];
	const float *image = images[blockIdx.x];
	int m = rows[blockIdx.x], n = cols[blockIdx.x], t = threadIdx.x;
	int parts = (m * n + THREADS - 1) / THREADS;
	float one_over_e = 1.0f / e;

	for (int part = 0; part < parts; part++) {
		int at = t + part * THREADS;

		if (at < m * n)
			field[at] = out[at];
	}
	if (t == 0)
		converged = 0;
	__syncthreads();

	for (int round = 0; !converged && round < iterations; round++) {
		float change = 0;
		int i = 0, j = t % n - THREADS % n;

		for (int part = 0; part < parts; part++) {
			int old_i = i, old_j = j;
			float value = 0, before = 0;

			i = (t + part * THREADS) / n;
			j += THREADS % n;
			if (j >= n)
				j -= n;
			if (i < m) {
				int up = i == 0 ? 0 : i - 1, down = i == m - 1 ? m - 1 : i + 1;
				int left = j == 0 ? 0 : j - 1, right = j == n - 1 ? n - 1 : j + 1;

				before = field[i * n + j];
				float u = field[up * n + j] - before;
				float d = field[down * n + j] - before;
				float l = field[i * n + left] - before;
				float r = field[i * n + right] - before;
				float ur = field[up * n + right] - before;
				float dr = field[down * n + right] - before;
				float ul = field[up * n + left] - before;
				float dl = field[down * n + left] - before;
				float sum = step_of(u * -vy * one_over_e) * u +
					    step_of(d * vy * one_over_e) * d +
					    step_of(l * -vx * one_over_e) * l +
					    step_of(r * vx * one_over_e) * r +
					    step_of(ur * (vx - vy) * one_over_e) * ur +
					    step_of(dr * (vx + vy) * one_over_e) * dr +
					    step_of(ul * (-vx - vy) * one_over_e) * ul +
					    step_of(dl * (vy - vx) * one_over_e) * dl;
				float pixel = image[i * n + j];

				value = before + 0.1f * sum;
				value -= 0.2f * pixel * (value - pixel);
			}
			__syncthreads();
			/* A part's values wait here until the next one has read its neighbours. */
			if (part > 0) {
				if (old_i < m)
					field[old_i * n + old_j] = buffer[t];
			}
			if (part < parts - 1)
				buffer[t] = value;
			else if (i < m)
				field[i * n + j] = value;
			change += fabsf(value - before);
			__syncthreads();
		}

		buffer[t] = change;
		__syncthreads();
		if (t >= POWER)
			buffer[t - POWER] += buffer[t];
		__syncthreads();
		for (int half = POWER / 2; half > 0; half /= 2) {
			if (t < half)
				buffer[t] += buffer[t + half];
			__syncthreads();
		}
		if (t == 0) {
			if (buffer[0] / (float)(m * n) < cutoff)
				converged = 1;
		}
		__syncthreads();
	}

	for (int part = 0; part < parts; part++) {
		int at = t + part * THREADS;

		if (at < m * n)
			out[at] = field[at];
	}
}
