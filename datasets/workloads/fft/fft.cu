/*
 * Fourier transforms of 512 points, after Volkov and Kazian's radix-8 kernel: 64 threads have eight
 * points each in registers and go through three passes of eight points; between these the points
 * change threads through shared memory, whose rows have a word to spare against bank conflicts. The
 * loops over a thread's eight points are unrolled, as there. Factors are computed by the special
 * function units. A block takes one transform after another.
 */
#include "cuda.h"

#define POINTS 512
#define THREADS 64
#define ROW 9 /* eight points and the spare word */
#define TURN 6.2831853f
#define HALF 0.70710678f /* the square of it is a half */

struct complex {
	float re, im;
};

static __device__ __forceinline__ complex add(complex a, complex b)
{
	complex c = { a.re + b.re, a.im + b.im };

	return c;
}

static __device__ __forceinline__ complex sub(complex a, complex b)
{
	complex c = { a.re - b.re, a.im - b.im };

	return c;
}

static __device__ __forceinline__ complex mul(complex a, complex b)
{
	complex c = { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };

	return c;
}

/* Four points by -i, which is a quarter of a turn; the results 0, 1, 2, 3 are in that order. */
static __device__ __forceinline__ void four(complex &a, complex &b, complex &c, complex &d)
{
	complex even = add(a, c), odd = add(b, d), left = sub(a, c), t = sub(b, d);
	complex right = { t.im, -t.re };

	a = add(even, odd);
	b = add(left, right);
	c = sub(even, odd);
	d = sub(left, right);
}

/* The transform of eight points, in their order. */
static __device__ __forceinline__ void eight(complex v[8])
{
	complex a0 = add(v[0], v[4]), a1 = add(v[1], v[5]);
	complex a2 = add(v[2], v[6]), a3 = add(v[3], v[7]);
	complex b0 = sub(v[0], v[4]), t1 = sub(v[1], v[5]);
	complex t2 = sub(v[2], v[6]), t3 = sub(v[3], v[7]);
	complex b1 = { HALF * (t1.re + t1.im), HALF * (t1.im - t1.re) };
	complex b2 = { t2.im, -t2.re };
	complex b3 = { HALF * (t3.im - t3.re), -HALF * (t3.re + t3.im) };

	four(a0, a1, a2, a3);
	four(b0, b1, b2, b3);
	v[0] = a0;
	v[1] = b0;
	v[2] = a1;
	v[3] = b1;
	v[4] = a2;
	v[5] = b2;
	v[6] = a3;
	v[7] = b3;
}

/* Point k is turned by k times an angle. */
static __device__ __forceinline__ void turn(complex v[8], float angle)
{
#pragma unroll
	for (int k = 1; k < 8; k++) {
		complex w = { __cosf(k * angle), __sinf(k * angle) };

		v[k] = mul(v[k], w);
	}
}

/* points: of transform b, 512 from 512 * b on, each as its two parts; in place. */
extern "C" __global__ void fft512(float2 *points, int transforms)
{
	__shared__ float re[8 * 8 * ROW], im[8 * 8 * ROW];
	int t = threadIdx.x, high = t >> 3, low = t & 7;
	complex v[8];

	for (int b = blockIdx.x; b < transforms; b += gridDim.x) {
		float2 *at = points + b * POINTS + t;

#pragma unroll
		for (int j = 0; j < 8; j++) {
			float2 p = at[j * THREADS];

			v[j].re = p.x;
			v[j].im = p.y;
		}
		eight(v);
		turn(v, -TURN / POINTS * t);
#pragma unroll
		for (int k = 0; k < 8; k++) {
			re[(8 * k + high) * ROW + low] = v[k].re;
			im[(8 * k + high) * ROW + low] = v[k].im;
		}
		__syncthreads();
#pragma unroll
		for (int j = 0; j < 8; j++) {
			v[j].re = re[(8 * high + j) * ROW + low];
			v[j].im = im[(8 * high + j) * ROW + low];
		}
		eight(v);
		turn(v, -TURN / THREADS * low);
		__syncthreads();
#pragma unroll
		for (int k = 0; k < 8; k++) {
			re[(8 * k + high) * ROW + low] = v[k].re;
			im[(8 * k + high) * ROW + low] = v[k].im;
		}
		__syncthreads();
#pragma unroll
		for (int j = 0; j < 8; j++) {
			v[j].re = re[t * ROW + j];
			v[j].im = im[t * ROW + j];
		}
		eight(v);
#pragma unroll
		for (int k = 0; k < 8; k++)
			at[k * THREADS] = make_float2(v[k].re, v[k].im);
		__syncthreads();
	}
}
