/*
 * Monte Carlo paths of forward rates (the LIBOR market model) and the value of swaptions on each,
 * after Giles's program in Bakhoda's benchmarks; a path a thread. The second kernel takes the value
 * alone, the first its derivative by the last rate as well: it keeps all rates of all steps and
 * goes back over them. Rates, random numbers and what is kept lie in local memory.
 *
 * Sums of `rate x length` in the step to a maturity run over the rates that are left: a triangle.
 */
#include "cuda.h"

#define RATES_MAX 80
#define STEPS_MAX 40
#define OPTIONS_MAX 15

extern "C" {
__constant__ int rates, steps, options;
__constant__ int maturity[OPTIONS_MAX];
__constant__ float length; /* of the time between two rates, in years */
__constant__ float swap_rate[OPTIONS_MAX];
__constant__ float volatility[RATES_MAX];
}

static __device__ __forceinline__ void start(float *rate, float *z, const float *drawn)
{
	for (int i = 0; i < rates; i++) {
		z[i] = drawn[i * gridDim.x * blockDim.x];
		rate[i] = 0.05f;
	}
}

/* What discounting by the first rates leaves of 1. */
static __device__ __forceinline__ float discount(const float *rate)
{
	float b = 1;

	for (int n = 0; n < steps; n++)
		b = b / (1.0f + length * rate[n]);
	return b;
}

extern "C" __global__ void libor_value(float *values, const float *drawn)
{
	float rate[RATES_MAX], z[RATES_MAX], bond[STEPS_MAX], swap[STEPS_MAX];
	int path = blockIdx.x * blockDim.x + threadIdx.x;

	start(rate, z, drawn + path);
	for (int n = 0; n < steps; n++) {
		float shock = sqrtf(length) * z[n], drift = 0;

		for (int i = n + 1; i < rates; i++) {
			float v = volatility[i - n - 1], scale = length * v;

			drift += __fdividef(scale * rate[i], 1.0f + length * rate[i]);
			rate[i] *= __expf(scale * drift + v * (shock - 0.5f * scale));
		}
	}

	float b = 1, s = 0, value = 0;
	for (int n = steps; n < rates; n++) {
		b = b / (1.0f + length * rate[n]);
		s += length * b;
		bond[n - steps] = b;
		swap[n - steps] = s;
	}
	for (int i = 0; i < options; i++) {
		int m = maturity[i] - 1;
		float worth = bond[m] + swap_rate[i] * swap[m] - 1.0f;

		if (worth < 0)
			value += -100.0f * worth;
	}
	values[path] = discount(rate) * value;
}

/* d_last: of the value, by the last rate of the start. */
extern "C" __global__ void libor_greeks(float *values, float *d_last, const float *drawn)
{
	float rate[RATES_MAX], z[RATES_MAX], kept[RATES_MAX * (STEPS_MAX + 1)];
	float bond[STEPS_MAX], swap[STEPS_MAX], d_bond[STEPS_MAX], d_swap[STEPS_MAX];
	int path = blockIdx.x * blockDim.x + threadIdx.x, past = rates - steps;

	start(rate, z, drawn + path);
	for (int i = 0; i < rates; i++)
		kept[i] = rate[i];
	for (int n = 0; n < steps; n++) {
		float shock = sqrtf(length) * z[n], drift = 0;

		for (int i = n + 1; i < rates; i++) {
			float v = volatility[i - n - 1], scale = length * v;

			drift += __fdividef(scale * rate[i], 1.0f + length * rate[i]);
			rate[i] *= __expf(scale * drift + v * (shock - 0.5f * scale));
			kept[(n + 1) * rates + i] = rate[i];
		}
	}

	float b = 1, s = 0, value = 0;
	for (int m = 0; m < past; m++) {
		b = __fdividef(b, 1.0f + length * rate[m + steps]);
		s += length * b;
		bond[m] = b;
		swap[m] = s;
		d_bond[m] = 0;
		d_swap[m] = 0;
	}
	for (int i = 0; i < options; i++) {
		int m = maturity[i] - 1;
		float worth = bond[m] + swap_rate[i] * swap[m] - 1.0f;

		if (worth < 0) {
			value += -100.0f * worth;
			d_swap[m] += -100.0f * swap_rate[i];
			d_bond[m] += -100.0f;
		}
	}

	/* Back: from here on `rate` holds the derivatives by the rates. */
	float first = discount(rate);
	value *= first;
	for (int m = past - 1; m >= 0; m--) {
		int n = m + steps;
		float down = __fdividef(1.0f, 1.0f + length * rate[n]);

		d_bond[m] += length * d_swap[m];
		if (m > 0) {
			d_swap[m - 1] += d_swap[m];
			d_bond[m - 1] += d_bond[m] * down;
		}
		rate[n] = first * -d_bond[m] * bond[m] * length * down;
	}
	for (int n = 0; n < steps; n++)
		rate[n] = -value * length / (1.0f + length * rate[n]);
	for (int n = steps - 1; n >= 0; n--) {
		const float *now = kept + n * rates, *then = now + rates;
		float sum = 0;

		for (int i = rates - 1; i > n; i--) {
			float v = volatility[i - n - 1];
			float factor = __fdividef(length, 1.0f + length * now[i]);

			sum += v * then[i] * rate[i];
			rate[i] = rate[i] * __fdividef(then[i], now[i]) +
				  sum * v * factor * factor;
		}
	}
	values[path] = value;
	d_last[path] = rate[rates - 1];
}
