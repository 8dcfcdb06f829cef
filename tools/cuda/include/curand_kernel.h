/*
 * Random numbers in kernels, as cuRAND's device functions give them for the same seeds: XORWOW
 * (Marsaglia, Xorshift RNGs, 2003), Philox4x32-10 (Salmon and others, Parallel random numbers: as
 * easy as 1, 2, 3, 2011) and MRG32k3a (L'Ecuyer, Good parameters and implementations for combined
 * multiple recursive random number generators, 1999). Steps are skipped by powers of what one step
 * does: polynomials over GF(2), a counter, matrices.
 *
 * Left out: Sobol', MTGP32, Poisson and discrete distributions.
 */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "cuda_runtime.h"

#if defined(__cplusplus)

#define WT_RANDOM static inline __host__ __device__ __attribute__((nodebug))

/* Normal numbers come in pairs, of which one waits. */
struct wt_spare {
	int has, has_double;
	float one;
	double one_double;
};
struct curandStateXORWOW {
	unsigned d, v[5];
	wt_spare spare;
};
struct curandStatePhilox4_32_10 {
	uint4 ctr, output;
	uint2 key;
	unsigned STATE; /* of the four outputs the next */
	wt_spare spare;
};
struct curandStateMRG32k3a {
	unsigned s1[3], s2[3];
	wt_spare spare;
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState, curandState_t;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

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
WT_RANDOM unsigned curand(curandStateXORWOW *s)
{
	wt_xorwow_step(s->v);
	s->d += 362437;
	return s->v[4] + s->d;
}

/* The register 2^k steps on, for each bit of n that is set, from the k of the lowest bit on. */
WT_RANDOM void wt_xorwow_jump(unsigned v[5], unsigned long long n, unsigned first)
{
	static const unsigned jumps[][5] = {
#define XORWOW_JUMP(k, ...) {__VA_ARGS__},
#include "warptrace/xorwow_jumps.def"
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
WT_RANDOM void skipahead(unsigned long long n, curandStateXORWOW *s)
{
	wt_xorwow_jump(s->v, n, 0);
	s->d += 362437u * (unsigned)n;
}
/* 2^67 steps each: d is back where it was. */
WT_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW *s)
{
	wt_xorwow_jump(s->v, n, 64);
}
WT_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
	unsigned long long offset, curandStateXORWOW *s)
{
	const unsigned t0 = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
	const unsigned t1 = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);

	s->d = 6615241u + t1 + t0;
	s->v[0] = 123456789u + t0;
	s->v[1] = 362436069u ^ t0;
	s->v[2] = 521288629u + t1;
	s->v[3] = 88675123u ^ t1;
	s->v[4] = 5783321u + t0;
	s->spare.has = s->spare.has_double = 0;
	skipahead_sequence(subsequence, s);
	skipahead(offset, s);
}

/* ---- Philox4x32-10 ---- */

WT_RANDOM uint4 curand_Philox4x32_10(uint4 c, uint2 k)
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
/* Adds to the counter's four words, from its third on where n is of sequences. */
WT_RANDOM void wt_philox_add(curandStatePhilox4_32_10 *s, unsigned long long n, bool sequences)
{
	const unsigned long long low = (unsigned long long)s->ctr.y << 32 | s->ctr.x;
	unsigned long long high = (unsigned long long)s->ctr.w << 32 | s->ctr.z;

	if (!sequences) {
		const unsigned long long sum = low + n;
		s->ctr.x = (unsigned)sum;
		s->ctr.y = (unsigned)(sum >> 32);
		n = sum < low;
	}
	high += n;
	s->ctr.z = (unsigned)high;
	s->ctr.w = (unsigned)(high >> 32);
	s->output = curand_Philox4x32_10(s->ctr, s->key);
}
WT_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10 *s)
{
	const unsigned at = s->STATE + (unsigned)(n & 3);

	s->STATE = at & 3;
	wt_philox_add(s, n / 4 + at / 4, false);
}
WT_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *s)
{
	wt_philox_add(s, n, true);
}
WT_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
	unsigned long long offset, curandStatePhilox4_32_10 *s)
{
	s->ctr = make_uint4(0, 0, 0, 0);
	s->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
	s->STATE = 0;
	s->spare.has = s->spare.has_double = 0;
	wt_philox_add(s, subsequence, true);
	skipahead(offset, s);
}
WT_RANDOM unsigned wt_philox_word(const uint4 &v, unsigned i)
{
	return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}
WT_RANDOM unsigned curand(curandStatePhilox4_32_10 *s)
{
	const unsigned word = wt_philox_word(s->output, s->STATE++);

	if (s->STATE == 4) {
		s->STATE = 0;
		wt_philox_add(s, 1, false);
	}
	return word;
}
WT_RANDOM uint4 curand4(curandStatePhilox4_32_10 *s)
{
	uint4 v;

	v.x = curand(s);
	v.y = curand(s);
	v.z = curand(s);
	v.w = curand(s);
	return v;
}

/* ---- MRG32k3a ---- */

#define WT_MRG_M1 4294967087ull
#define WT_MRG_M2 4294944443ull

/* From 1 to m1. */
WT_RANDOM double curand_MRG32k3a(curandStateMRG32k3a *s)
{
	const unsigned long long a = (1403580ull * s->s1[1] + 810728ull * (WT_MRG_M1 - s->s1[0])) %
				     WT_MRG_M1;
	const unsigned long long b = (527612ull * s->s2[2] + 1370589ull * (WT_MRG_M2 - s->s2[0])) %
				     WT_MRG_M2;

	s->s1[0] = s->s1[1];
	s->s1[1] = s->s1[2];
	s->s1[2] = (unsigned)a;
	s->s2[0] = s->s2[1];
	s->s2[1] = s->s2[2];
	s->s2[2] = (unsigned)b;
	return (double)(a > b ? a - b : a + WT_MRG_M1 - b);
}
WT_RANDOM unsigned curand(curandStateMRG32k3a *s)
{
	return (unsigned)(curand_MRG32k3a(s) * 1.000000048662 /* of m1 to 2^32 */);
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
WT_RANDOM void wt_mrg_skip(curandStateMRG32k3a *s, unsigned long long n, unsigned shift)
{
	unsigned a[9] = {0, 1, 0, 0, 0, 1, (unsigned)(WT_MRG_M1 - 810728), 1403580, 0};
	unsigned b[9] = {0, 1, 0, 0, 0, 1, (unsigned)(WT_MRG_M2 - 1370589), 0, 527612};

	wt_mrg_jump(a, s->s1, n, shift, WT_MRG_M1);
	wt_mrg_jump(b, s->s2, n, shift, WT_MRG_M2);
}
WT_RANDOM void skipahead(unsigned long long n, curandStateMRG32k3a *s)
{
	wt_mrg_skip(s, n, 0);
}
WT_RANDOM void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *s)
{
	wt_mrg_skip(s, n, 76);
}
WT_RANDOM void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *s)
{
	wt_mrg_skip(s, n, 127);
}
WT_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
	unsigned long long offset, curandStateMRG32k3a *s)
{
	const unsigned x1 = (unsigned)seed ^ 0x55555555u, x2 = (unsigned)(seed >> 32) ^ 0xaaaaaaaau;

	for (unsigned i = 0; i < 3; i++)
		s->s1[i] = s->s2[i] = 12345;
	if (seed) {
		s->s1[0] = s->s1[2] = (unsigned)(x1 * 12345ull % WT_MRG_M1);
		s->s1[1] = (unsigned)(x2 * 12345ull % WT_MRG_M1);
		s->s2[0] = s->s2[2] = (unsigned)(x2 * 12345ull % WT_MRG_M2);
		s->s2[1] = (unsigned)(x1 * 12345ull % WT_MRG_M2);
	}
	s->spare.has = s->spare.has_double = 0;
	skipahead_subsequence(subsequence, s);
	skipahead(offset, s);
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
WT_RANDOM float curand_uniform(curandStateXORWOW *s) { return wt_uniform(curand(s)); }
WT_RANDOM float curand_uniform(curandStatePhilox4_32_10 *s) { return wt_uniform(curand(s)); }
WT_RANDOM double curand_uniform_double(curandStateMRG32k3a *s)
{
	return curand_MRG32k3a(s) * (1.0 / 4294967087);
}
WT_RANDOM float curand_uniform(curandStateMRG32k3a *s) { return (float)curand_uniform_double(s); }
WT_RANDOM double curand_uniform_double(curandStateXORWOW *s)
{
	const unsigned x = curand(s);
	return wt_uniform_double(x, curand(s));
}
WT_RANDOM double curand_uniform_double(curandStatePhilox4_32_10 *s)
{
	return curand(s) * WT_2_32 + WT_2_32;
}
WT_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10 *s)
{
	const uint4 x = curand4(s);
	return make_float4(wt_uniform(x.x), wt_uniform(x.y), wt_uniform(x.z), wt_uniform(x.w));
}
WT_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10 *s)
{
	const uint4 x = curand4(s);
	return make_double2(wt_uniform_double(x.x, x.y), wt_uniform_double(x.z, x.w));
}
WT_RANDOM double4 curand_uniform4_double(curandStatePhilox4_32_10 *s)
{
	const uint4 x = curand4(s);
	return make_double4(x.x * WT_2_32 + WT_2_32, x.y * WT_2_32 + WT_2_32,
		x.z * WT_2_32 + WT_2_32, x.w * WT_2_32 + WT_2_32);
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
WT_RANDOM float2 wt_normal_bits(unsigned x, unsigned y)
{
	const float turn = 6.2831855f * (float)WT_2_32;
	return wt_normal(wt_uniform(x), y * turn + turn / 2);
}
WT_RANDOM double2 wt_normal_bits(uint4 x)
{
	return wt_normal_double(wt_uniform_double(x.x, x.y), 2 * wt_uniform_double(x.z, x.w));
}
template <class S> WT_RANDOM float2 curand_normal2(S *s)
{
	const unsigned x = curand(s);
	return wt_normal_bits(x, curand(s));
}
WT_RANDOM float2 curand_normal2(curandStateMRG32k3a *s)
{
	const float u = curand_uniform(s);
	return wt_normal(u, curand_uniform(s) * 6.2831855f);
}
WT_RANDOM double2 curand_normal2_double(curandStateXORWOW *s)
{
	uint4 x;

	x.x = curand(s);
	x.y = curand(s);
	x.z = curand(s);
	x.w = curand(s);
	return wt_normal_bits(x);
}
WT_RANDOM double2 curand_normal2_double(curandStatePhilox4_32_10 *s)
{
	return wt_normal_bits(curand4(s));
}
WT_RANDOM double2 curand_normal2_double(curandStateMRG32k3a *s)
{
	const double u = curand_uniform_double(s);
	return wt_normal_double(u, curand_uniform_double(s) * 2);
}
WT_RANDOM float4 curand_normal4(curandStatePhilox4_32_10 *s)
{
	const uint4 x = curand4(s);
	const float2 a = wt_normal_bits(x.x, x.y), b = wt_normal_bits(x.z, x.w);
	return make_float4(a.x, a.y, b.x, b.y);
}
template <class S> WT_RANDOM float curand_normal(S *s)
{
	s->spare.has = !s->spare.has;
	if (!s->spare.has)
		return s->spare.one;
	const float2 v = curand_normal2(s);
	s->spare.one = v.y;
	return v.x;
}
template <class S> WT_RANDOM double curand_normal_double(S *s)
{
	s->spare.has_double = !s->spare.has_double;
	if (!s->spare.has_double)
		return s->spare.one_double;
	const double2 v = curand_normal2_double(s);
	s->spare.one_double = v.y;
	return v.x;
}
template <class S> WT_RANDOM float curand_log_normal(S *s, float mean, float deviation)
{
	return expf(mean + deviation * curand_normal(s));
}
template <class S> WT_RANDOM double curand_log_normal_double(S *s, double mean, double deviation)
{
	return exp(mean + deviation * curand_normal_double(s));
}
template <class S> WT_RANDOM float2 curand_log_normal2(S *s, float mean, float deviation)
{
	const float2 v = curand_normal2(s);
	return make_float2(expf(mean + deviation * v.x), expf(mean + deviation * v.y));
}
template <class S> WT_RANDOM double2 curand_log_normal2_double(S *s, double mean, double deviation)
{
	const double2 v = curand_normal2_double(s);
	return make_double2(exp(mean + deviation * v.x), exp(mean + deviation * v.y));
}
#undef WT_RANDOM

#endif

#endif
