/*
 * Sine, cosine, 2^x, log2 and tanh of a float. Only +, -, *, / of IEEE doubles and integer
 * operations are used, none of them contracted, and nothing of libm, whose last bits differ from
 * machine to machine.
 */
#include "sim/ptx/approx.h"
#include <stdint.h>
#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1;
static const double HALF_PI_HIGH = 0x1.921fb544p+0; /* 33 bits: exact times any n below 2^20 */
static const double HALF_PI_LOW = 0x1.0b4611a626331p-34;
static const double LN_2 = 0x1.62e42fefa39efp-1;
static const double TWO_OVER_LN_2 = 0x1.71547652b82fep+1;
static const double TO_INTEGER = 0x1.8p52; /* added and taken away: rounds to an integer */

static double from_bits(uint64_t bits)
{
	double v;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

static float float_from_bits(uint32_t bits)
{
	float v;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* coefficient[0] + coefficient[1] x + ... by Horner's rule. */
static double polynomial(const double *coefficient, int degree, double x)
{
	double r = coefficient[degree];
	for (int k = degree - 1; k >= 0; k--)
		r = r * x + coefficient[k];
	return r;
}

/*
 * A large x modulo pi/2. x is an integer m of 24 bits times 2^e; of m * 2^e * 2/pi only the value
 * modulo 4 matters, so the bits of 2/pi that reach it are multiplied by m in 128-bit arithmetic,
 * two bits before the point, which drops everything above by itself.
 */
static unsigned reduce_large(float x, double *rest)
{
	static const uint32_t two_over_pi[10] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
		0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0};
	uint32_t bits;
	memcpy(&bits, &x, sizeof(bits));
	const int e = (int)(bits >> 23 & 255) - 150;
	const uint32_t m = (bits & 0x7fffff) | 0x800000;
	unsigned __int128 window = 0;

	for (int k = 0; k < 128; k++) {
		const int at = e - 2 + k; /* bit of 2/pi, the first after the point is 0 */
		window = window << 1;
		if (at >= 0)
			window |= two_over_pi[at / 32] >> (31 - at % 32) & 1;
	}
	const unsigned __int128 turns = window * m;
	unsigned quadrant = (unsigned)(turns >> 126);
	const __int128 fraction = (__int128)(turns << 2);
	if (fraction < 0)
		quadrant++;
	const double f =
		(double)(int64_t)(fraction >> 64) * 0x1p-64 + (double)(uint64_t)fraction * 0x1p-128;
	*rest = f * (HALF_PI_HIGH + HALF_PI_LOW);
	if (bits >> 31) {
		*rest = -*rest;
		quadrant = 0 - quadrant;
	}
	return quadrant & 3;
}

static unsigned reduce(float x, double *rest)
{
	if (x > 0x1p19f || x < -0x1p19f)
		return reduce_large(x, rest);
	const double n = (x * TWO_OVER_PI + TO_INTEGER) - TO_INTEGER;
	*rest = n == 0 ? (double)x : ((double)x - n * HALF_PI_HIGH) - n * HALF_PI_LOW;
	return (unsigned)(int)n & 3;
}

/* Taylor's series: between -pi/4 and pi/4 the first terms left out are below 2^-45. */
static double sine(double r)
{
	static const double c[] = {1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880,
		-1.0 / 39916800, 1.0 / 6227020800};
	return r * polynomial(c, 6, r * r);
}

static double cosine(double r)
{
	static const double c[] = {1, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800,
		1.0 / 479001600, -1.0 / 87178291200};
	return polynomial(c, 7, r * r);
}

static float quarter(unsigned quadrant, double r)
{
	const double v = quadrant & 1 ? cosine(r) : sine(r);
	return (float)(quadrant & 2 ? -v : v);
}

static int is_finite(float x)
{
	return x - x == 0;
}

float ptx_sin(float x)
{
	double r;
	if (!is_finite(x))
		return float_from_bits(0x7fffffff);
	const unsigned quadrant = reduce(x, &r);
	return quarter(quadrant, r);
}

float ptx_cos(float x)
{
	double r;
	if (!is_finite(x))
		return float_from_bits(0x7fffffff);
	const unsigned quadrant = reduce(x, &r);
	return quarter(quadrant + 1, r);
}

/* 2^x for x between -1075 and 1023: 2^n in the exponent, e^(r ln 2) as a series. */
static double power_of_two(double x)
{
	static const double c[] = {1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720,
		1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800};
	const double n = (x + TO_INTEGER) - TO_INTEGER;
	return polynomial(c, 11, (x - n) * LN_2) * from_bits((uint64_t)((int64_t)n + 1023) << 52);
}

float ptx_ex2(float x)
{
	if (x != x)
		return float_from_bits(0x7fffffff);
	if (x >= 128)
		return float_from_bits(0x7f800000);
	return x < -151 ? 0 : (float)power_of_two(x);
}

float ptx_lg2(float x)
{
	/* log(m) = 2 artanh(f) with f = (m - 1) / (m + 1), at most 0.172. */
	static const double c[] = {
		1, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17};
	uint64_t bits;
	const double wide = x;

	if (x != x || x < 0)
		return float_from_bits(0x7fffffff);
	if (x == 0)
		return float_from_bits(0xff800000);
	if (!is_finite(x))
		return x;
	memcpy(&bits, &wide, sizeof(bits));
	int64_t exponent = (int64_t)(bits >> 52) - 1023;
	double m = from_bits((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
	if (m > 1.4142135623730951) {
		m /= 2;
		exponent++;
	}
	const double f = (m - 1) / (m + 1);
	return (float)((double)exponent + TWO_OVER_LN_2 * f * polynomial(c, 8, f * f));
}

float ptx_tanh(float x)
{
	const double v = x;

	if (x != x)
		return float_from_bits(0x7fffffff);
	if (x > 20 || x < -20)
		return x > 0 ? 1 : -1;
	if (x > -0x1p-7f && x < 0x1p-7f) /* where the quotient below would cancel */
		return (float)(v * (1 + v * v * (-1.0 / 3 + v * v * (2.0 / 15))));
	const double t = power_of_two(v * TWO_OVER_LN_2);
	return (float)((t - 1) / (t + 1));
}
