/*
 * What random numbers in kernels (curand_kernel.h) and of the host's library (tools/cuda/curand) have
 * in common: XORWOW (Marsaglia, Xorshift RNGs, 2003), Philox4x32-10 (Salmon and others, Parallel
 * random numbers: as easy as 1, 2, 3, 2011) and MRG32k3a (L'Ecuyer, Good parameters and
 * implementations for combined multiple recursive random number generators, 1999), with the seeds of
 * cuRAND, and what distributions make of their words. Steps are skipped by powers of what one step
 * does: polynomials over GF(2), a counter, matrices. C and C++, host and device.
 */
#ifndef WT_RANDOM_H
#define WT_RANDOM_H

#include "../vector_types.h"
#if !defined(__CUDA__)
#include <math.h>
#endif

/* Within kernels lines are the caller's: a number is one place of theirs. */
#if defined(__clang__)
#define WT_RANDOM static inline __host__ __device__ __attribute__((nodebug))
#else
#define WT_RANDOM static inline
#endif

/* ---- XORWOW ---- */

WT_RANDOM void wt_xorwow_step(unsigned v[5])
{
	const unsigned t = v[0] ^ (v[0] >> 2);

	v[0] = v[1];
	v[1] = v[2];
	v[2] = v[3];
	v[3] = v[4];
	v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
WT_RANDOM unsigned wt_xorwow_next(unsigned v[5], unsigned *d)
{
	wt_xorwow_step(v);
	*d += 362437;
	return v[4] + *d;
}

/* The register 2^k steps on, for each bit of n that is set, from the k of the lowest bit on. */
WT_RANDOM void wt_xorwow_jump(unsigned v[5], unsigned long long n, unsigned first)
{
	static const unsigned jumps[][5] = {
#define XORWOW_JUMP(k, ...) {__VA_ARGS__},
#include "xorwow_jumps.def"
#undef XORWOW_JUMP
	};
	for (unsigned row = first; n; n >>= 1, row++) {
		unsigned sum[5] = {0, 0, 0, 0, 0};
		if (!(n & 1))
			continue;
		for (unsigned i = 0; i < 160; i++) {
			const unsigned taken = 0 - (jumps[row][i / 32] >> i % 32 & 1);
			for (unsigned w = 0; w < 5; w++)
				sum[w] ^= v[w] & taken;
			wt_xorwow_step(v);
		}
		for (unsigned w = 0; w < 5; w++)
			v[w] = sum[w];
	}
}
WT_RANDOM void wt_xorwow_skip(unsigned v[5], unsigned *d, unsigned long long n)
{
	wt_xorwow_jump(v, n, 0);
	*d += 362437u * (unsigned)n;
}
/* 2^67 steps each: d is back where it was. */
WT_RANDOM void wt_xorwow_skip_sequences(unsigned v[5], unsigned long long n)
{
	wt_xorwow_jump(v, n, 64);
}
WT_RANDOM void wt_xorwow_seed(unsigned v[5], unsigned *d, unsigned long long seed)
{
	const unsigned t0 = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
	const unsigned t1 = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);

	*d = 6615241u + t1 + t0;
	v[0] = 123456789u + t0;
	v[1] = 362436069u ^ t0;
	v[2] = 521288629u + t1;
	v[3] = 88675123u ^ t1;
	v[4] = 5783321u + t0;
}

/* ---- Philox4x32-10 ---- */

WT_RANDOM uint4 wt_philox(uint4 c, uint2 k)
{
	for (unsigned round = 0; round < 10; round++) {
		const unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;

		c = make_uint4((unsigned)(b >> 32) ^ c.y ^ k.x, (unsigned)b,
			(unsigned)(a >> 32) ^ c.w ^ k.y, (unsigned)a);
		k.x += 0x9e3779b9u;
		k.y += 0xbb67ae85u;
	}
	return c;
}
WT_RANDOM unsigned wt_philox_word(uint4 v, unsigned i)
{
	return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

/* ---- MRG32k3a ---- */

#define WT_MRG_M1 4294967087ull
#define WT_MRG_M2 4294944443ull

/* From 1 to m1. */
WT_RANDOM double wt_mrg_next(unsigned s1[3], unsigned s2[3])
{
	const unsigned long long a =
		(1403580ull * s1[1] + 810728ull * (WT_MRG_M1 - s1[0])) % WT_MRG_M1;
	const unsigned long long b =
		(527612ull * s2[2] + 1370589ull * (WT_MRG_M2 - s2[0])) % WT_MRG_M2;

	s1[0] = s1[1];
	s1[1] = s1[2];
	s1[2] = (unsigned)a;
	s2[0] = s2[1];
	s2[1] = s2[2];
	s2[2] = (unsigned)b;
	return (double)(a > b ? a - b : a + WT_MRG_M1 - b);
}
WT_RANDOM unsigned wt_mrg_word(double x)
{
	return (unsigned)(x * 1.000000048662 /* of m1 to 2^32 */);
}
/* Above 0, up to 1. */
WT_RANDOM double wt_mrg_uniform(double x)
{
	return x * (1.0 / 4294967087);
}

WT_RANDOM void wt_mrg_product(const unsigned a[9], const unsigned *b, unsigned *to,
	unsigned columns, unsigned long long m)
{
	unsigned result[9];

	for (unsigned i = 0; i < 3 * columns; i++) {
		unsigned long long sum = 0;
		for (unsigned k = 0; k < 3; k++)
			sum = (sum + (unsigned long long)a[i / columns * 3 + k] *
					     b[k * columns + i % columns] % m) %
			      m;
		result[i] = (unsigned)sum;
	}
	for (unsigned i = 0; i < 3 * columns; i++)
		to[i] = result[i];
}
/* Takes the matrix to the power 2^shift, and applies it n times. */
WT_RANDOM void wt_mrg_jump(
	unsigned a[9], unsigned s[3], unsigned long long n, unsigned shift, unsigned long long m)
{
	for (; shift && n; shift--)
		wt_mrg_product(a, a, a, 3, m);
	for (; n; n >>= 1) {
		if (n & 1)
			wt_mrg_product(a, s, s, 1, m);
		if (n > 1)
			wt_mrg_product(a, a, a, 3, m);
	}
}
/* n times 2^shift steps: 0 for steps, 76 for subsequences, 127 for sequences. */
WT_RANDOM void wt_mrg_skip(
	unsigned s1[3], unsigned s2[3], unsigned long long n, unsigned shift)
{
	unsigned a[9] = {0, 1, 0, 0, 0, 1, (unsigned)(WT_MRG_M1 - 810728), 1403580, 0};
	unsigned b[9] = {0, 1, 0, 0, 0, 1, (unsigned)(WT_MRG_M2 - 1370589), 0, 527612};

	wt_mrg_jump(a, s1, n, shift, WT_MRG_M1);
	wt_mrg_jump(b, s2, n, shift, WT_MRG_M2);
}
WT_RANDOM void wt_mrg_seed(unsigned s1[3], unsigned s2[3], unsigned long long seed)
{
	const unsigned x1 = (unsigned)seed ^ 0x55555555u, x2 = (unsigned)(seed >> 32) ^ 0xaaaaaaaau;

	for (unsigned i = 0; i < 3; i++)
		s1[i] = s2[i] = 12345;
	if (seed) {
		s1[0] = s1[2] = (unsigned)(x1 * 12345ull % WT_MRG_M1);
		s1[1] = (unsigned)(x2 * 12345ull % WT_MRG_M1);
		s2[0] = s2[2] = (unsigned)(x2 * 12345ull % WT_MRG_M2);
		s2[1] = (unsigned)(x1 * 12345ull % WT_MRG_M2);
	}
}

/* ---- distributions ---- */

#define WT_2_32 2.3283064365386963e-10 /* 2^-32 */
#define WT_2_53 1.1102230246251565e-16 /* 2^-53 */

/* Above 0, up to 1. */
WT_RANDOM float wt_uniform(unsigned x)
{
	return x * (float)WT_2_32 + (float)(WT_2_32 / 2);
}
WT_RANDOM double wt_uniform_double(unsigned low, unsigned high)
{
	const unsigned long long bits = low ^ (unsigned long long)high << 21;
	return (double)bits * WT_2_53 + WT_2_53 / 2;
}

/* Box and Muller: u above 0, up to 1, and an angle. */
WT_RANDOM float2 wt_normal(float u, float angle)
{
	const float s = sqrtf(-2.0f * logf(u));
	float2 r;

#if defined(__CUDA_ARCH__)
	__sincosf(angle, &r.x, &r.y);
#else
	r.x = sinf(angle);
	r.y = cosf(angle);
#endif
	return make_float2(s * r.x, s * r.y);
}
/* The angle in half turns. */
WT_RANDOM double2 wt_normal_double(double u, double angle)
{
	const double s = sqrt(-2.0 * log(u)), pi = 3.14159265358979323846;
	double2 r;

#if defined(__CUDA_ARCH__)
	sincospi(angle, &r.x, &r.y);
	(void)pi;
#else
	r.x = sin(pi * angle);
	r.y = cos(pi * angle);
#endif
	return make_double2(s * r.x, s * r.y);
}
WT_RANDOM float2 wt_normal_words(unsigned x, unsigned y)
{
	const float turn = 6.2831855f * (float)WT_2_32;
	return wt_normal(wt_uniform(x), y * turn + turn / 2);
}
WT_RANDOM double2 wt_normal_words_double(uint4 x)
{
	return wt_normal_double(wt_uniform_double(x.x, x.y), 2 * wt_uniform_double(x.z, x.w));
}

#endif
