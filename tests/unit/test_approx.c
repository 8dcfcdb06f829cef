/*
 * sim/ptx/approx against the C library's long double functions: within one unit in the last place
 * over a sweep of all exponents, at the special values, and as fixed bits that no compiler changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "sim/ptx/approx.h"

static float from_bits(uint32_t bits)
{
	float v;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

static uint32_t bits_of(float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

/* How far `got` is from `want`, in units in the last place of `want` as a float. */
static long double ulps(float got, long double want)
{
	const float near = (float)want;
	if (isinf(near) || isinf(got))
		return near == got ? 0 : 1e9L;
	const float above = nextafterf(fabsf(near), INFINITY);
	const long double unit = isinf(above) ? 0x1p104L : (long double)above - fabsf(near);
	return fabsl((long double)got - want) / unit;
}

static void sweep(float (*ours)(float), long double (*theirs)(long double), uint32_t first,
	uint32_t last, uint32_t step)
{
	for (uint64_t bits = first; bits <= last; bits += step) {
		const float x = from_bits((uint32_t)bits);
		const long double off = ulps(ours(x), theirs(x));
		if (!(off <= 0.51L))
			fail_msg("at %a: %a, off by %Lg ulps", (double)x, (double)ours(x), off);
	}
}

static void both_signs(float (*ours)(float), long double (*theirs)(long double))
{
	sweep(ours, theirs, 0x00000001, 0x7f7fffff, 5003);
	sweep(ours, theirs, 0x80000001, 0xff7fffff, 5003);
}

static void test_sine(void **state)
{
	(void)state;
	both_signs(ptx_sin, sinl);
	sweep(ptx_sin, sinl, bits_of(0.5f), bits_of(8.0f), 61);
}

static void test_cosine(void **state)
{
	(void)state;
	both_signs(ptx_cos, cosl);
	sweep(ptx_cos, cosl, bits_of(0.5f), bits_of(8.0f), 61);
}

static void test_powers(void **state)
{
	(void)state;
	both_signs(ptx_ex2, exp2l);
	for (int n = -149; n < 128; n++)
		assert_true(ptx_ex2((float)n) == ldexpf(1, n));
}

static void test_logarithm(void **state)
{
	(void)state;
	sweep(ptx_lg2, log2l, 0x00000001, 0x7f7fffff, 2503);
	sweep(ptx_lg2, log2l, bits_of(0.99f), bits_of(1.01f), 1);
	for (int n = -149; n < 128; n++)
		assert_true(ptx_lg2(ldexpf(1, n)) == (float)n);
}

static void test_hyperbolic_tangent(void **state)
{
	(void)state;
	both_signs(ptx_tanh, tanhl);
	sweep(ptx_tanh, tanhl, bits_of(0x1p-8f), bits_of(0x1p-6f), 11);
}

static void test_special_values(void **state)
{
	float (*const all[])(float) = {ptx_sin, ptx_cos, ptx_ex2, ptx_lg2, ptx_tanh};

	(void)state;
	for (unsigned k = 0; k < 5; k++)
		assert_int_equal(bits_of(all[k](from_bits(0xffc12345))), 0x7fffffff);
	assert_int_equal(bits_of(ptx_sin(INFINITY)), 0x7fffffff);
	assert_int_equal(bits_of(ptx_cos(-INFINITY)), 0x7fffffff);
	assert_int_equal(bits_of(ptx_sin(-0.0f)), 0x80000000);
	assert_int_equal(bits_of(ptx_tanh(-0.0f)), 0x80000000);
	assert_true(ptx_cos(0) == 1);
	assert_true(ptx_ex2(INFINITY) == INFINITY);
	assert_true(ptx_ex2(-INFINITY) == 0);
	assert_true(ptx_ex2(128) == INFINITY);
	assert_true(ptx_lg2(INFINITY) == INFINITY);
	assert_true(ptx_lg2(-0.0f) == -INFINITY);
	assert_int_equal(bits_of(ptx_lg2(-1)), 0x7fffffff);
	assert_true(ptx_tanh(INFINITY) == 1);
	assert_true(ptx_tanh(-INFINITY) == -1);
}

/* A running hash of many results: a compiler that rounds elsewhere is found out. */
static void test_fixed_bits(void **state)
{
	float (*const all[])(float) = {ptx_sin, ptx_cos, ptx_ex2, ptx_lg2, ptx_tanh};
	uint64_t hash = 14695981039346656037ull;

	(void)state;
	for (unsigned k = 0; k < 5; k++)
		for (uint64_t bits = 1; bits < UINT32_MAX; bits += 100003)
			hash = (hash ^ bits_of(all[k](from_bits((uint32_t)bits)))) *
			       1099511628211ull;
	assert_int_equal(hash, 0x2852ce19ef9a76ccull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sine),
		cmocka_unit_test(test_cosine),
		cmocka_unit_test(test_powers),
		cmocka_unit_test(test_logarithm),
		cmocka_unit_test(test_hyperbolic_tangent),
		cmocka_unit_test(test_special_values),
		cmocka_unit_test(test_fixed_bits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
