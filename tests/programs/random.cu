/*
 * Random numbers in kernels: the three generators against what their papers print or say, jumps
 * against steps and against each other, the device's bits against the host's, and how uniform and
 * normal numbers are spread.
 */
#include <curand_kernel.h>
#include <cmath>
#include <cstdio>
#include <cstring>

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d\n", __LINE__);                                     \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

enum { THREADS = 64, DRAWS = 200 };

template <class S> __host__ __device__ static unsigned long long draws(unsigned thread, double *sums)
{
	unsigned long long hash = 0;
	S s;

	curand_init(1234, thread, thread % 9, &s);
	for (int i = 0; i < DRAWS; i++) {
		hash = hash * 31 + curand(&s);
		const double u = curand_uniform(&s), n = curand_normal(&s);
		const double v = curand_uniform_double(&s), m = curand_normal_double(&s);
		sums[0] += u + v;
		sums[1] += u > 0 && u <= 1 && v > 0 && v <= 1;
		sums[2] += n + m;
		sums[3] += n * n + m * m;
		sums[4] += curand_log_normal(&s, 0, 1) > 0;
	}
	return hash;
}

template <class S> __global__ void all(unsigned long long *hash, double *sums)
{
	const unsigned t = threadIdx.x;
	hash[t] = draws<S>(t, sums + 5 * t);
}

template <class S> static int spread()
{
	unsigned long long *hash;
	double *sums, sum[5] = {0};
	const double n = 2.0 * THREADS * DRAWS;

	cudaMallocManaged(&hash, THREADS * sizeof(*hash));
	cudaMallocManaged(&sums, 5 * THREADS * sizeof(*sums));
	memset(sums, 0, 5 * THREADS * sizeof(*sums));
	all<S><<<1, THREADS>>>(hash, sums);
	CHECK(cudaDeviceSynchronize() == cudaSuccess);
	for (unsigned t = 0; t < THREADS; t++) {
		double unused[5];
		CHECK(hash[t] == draws<S>(t, unused));
		for (unsigned u = 0; u < t; u++)
			CHECK(hash[t] != hash[u]);
		for (unsigned i = 0; i < 5; i++)
			sum[i] += sums[5 * t + i];
	}
	/* Within four standard deviations of what they should be. */
	CHECK(fabs(sum[0] / n - 0.5) < 4 * sqrt(1 / 12.0 / n));
	CHECK(sum[1] == n / 2 && sum[4] == n / 2);
	CHECK(fabs(sum[2] / n) < 4 * sqrt(1 / n));
	CHECK(fabs(sum[3] / n - 1) < 4 * sqrt(2 / n));
	return 0;
}

/* A jump is as many steps, wherever it starts; far ones add up. */
template <class S> static int jumps()
{
	const unsigned long long by[] = {1, 2, 3, 4, 7, 64, 1000, 77777};
	S a, b;

	for (unsigned i = 0; i < sizeof(by) / sizeof(*by); i++)
		for (unsigned start = 0; start < 5; start++) {
			curand_init(99, 3, start, &a);
			curand_init(99, 3, 0, &b);
			for (unsigned k = 0; k < start; k++)
				curand(&b);
			skipahead(by[i], &a);
			for (unsigned long long k = 0; k < by[i]; k++)
				curand(&b);
			for (unsigned k = 0; k < 9; k++)
				CHECK(curand(&a) == curand(&b));
		}
	curand_init(5, 0, 0, &a);
	curand_init(5, 0, 0, &b);
	for (unsigned i = 0; i < 6; i++)
		skipahead(0xfedcba9876543210ull, &a);
	for (unsigned i = 0; i < 3; i++) {
		skipahead(0xfedcba9876543211ull, &b);
		skipahead(0xfedcba987654320full, &b);
	}
	CHECK(curand(&a) == curand(&b));
	curand_init(5, 11, 0, &a);
	curand_init(5, 4, 0, &b);
	CHECK(curand(&a) != curand(&b));
	return 0;
}

static int published()
{
	curandStateXORWOW x, y;
	curandStatePhilox4_32_10_t p;
	curandStateMRG32k3a m;
	uint4 c;

	/* Random123's known answers: zeros, ones, digits of pi. */
	c = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
	CHECK(c.x == 0x6627e8d5 && c.y == 0xe169c58d && c.z == 0xbc57ac4c && c.w == 0x9b00dbd8);
	c = curand_Philox4x32_10(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
	CHECK(c.x == 0x408f276d && c.y == 0x41c83b0e && c.z == 0xa20bc7c6 && c.w == 0x6d5451fd);
	c = curand_Philox4x32_10(make_uint4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344),
		make_uint2(0xa4093822, 0x299f31d0));
	CHECK(c.x == 0xd16cfe09 && c.y == 0x94fdcceb && c.z == 0x5001e420 && c.w == 0x24126ea1);
	curand_init(0, 0, 2, &p);
	CHECK(curand4(&p).x == 0xbc57ac4c);

	/* L'Ecuyer's package begins so with seeds of 12345; it divides by m1 + 1, cuRAND by m1. */
	curand_init(0, 0, 0, &m);
	CHECK(fabs(curand_uniform_double(&m) * 4294967087 / 4294967088 - 0.1270111220465772) < 1e-15);
	CHECK(fabs(curand_uniform_double(&m) * 4294967087 / 4294967088 - 0.3185275653967945) < 1e-15);

	/* Marsaglia's xorwow, with its counter, from the state that it has in the paper. */
	unsigned v[5] = {123456789, 362436069, 521288629, 88675123, 5783321}, d = 6615241;
	memcpy(x.v, v, sizeof(v));
	x.d = d;
	for (unsigned i = 0; i < 1000; i++) {
		const unsigned t = v[0] ^ v[0] >> 2;
		memmove(v, v + 1, 4 * sizeof(*v));
		v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
		CHECK(curand(&x) == (d += 362437) + v[4]);
	}
	/* A subsequence is 2^67 steps, which are 16 times 2^63. */
	curand_init(7, 1, 0, &x);
	curand_init(7, 0, 0, &y);
	for (unsigned i = 0; i < 16; i++)
		skipahead(1ull << 63, &y);
	for (unsigned i = 0; i < 10; i++)
		CHECK(curand(&x) == curand(&y));
	return 0;
}

/* Of a pair of log-normal numbers the second has the parameters of the first, and no normal one. */
template <class S> __host__ __device__ static int kinds()
{
	S a, b;

	curand_init(3, 1, 0, &a);
	b = a;
	const float2 n = curand_normal2(&b), m = curand_normal2(&b);
	const float first = curand_normal(&a);
	const float third = curand_log_normal(&a, 1.0f, 2.0f), fourth = curand_log_normal(&a, 50.0f, 9.0f);
	curand_log_normal(&a, 0.0f, 1.0f);
	curand_normal2(&b);
	const float last = curand_normal(&a), want = curand_normal2(&b).x;
	curand_normal_double(&a);
	const double fifth = curand_log_normal_double(&a, 1.0, 0.5);
	return first == n.x && fabsf(third / expf(1.0f + 2.0f * m.x) - 1) < 1e-4f &&
	       fabsf(fourth / expf(1.0f + 2.0f * m.y) - 1) < 1e-4f && last == want &&
	       fifth > 0 && fabs(curand_log_normal_double(&a, 90.0, 0.5)) < 1e4;
}
__global__ void all_kinds(int *good)
{
	*good = kinds<curandState>() && kinds<curandStatePhilox4_32_10_t>() &&
		kinds<curandStateMRG32k3a>();
}
static int kinds_of_both()
{
	int *good;

	cudaMallocManaged(&good, sizeof(*good));
	all_kinds<<<1, 1>>>(good);
	CHECK(cudaDeviceSynchronize() == cudaSuccess && *good);
	CHECK(kinds<curandState>() && kinds<curandStatePhilox4_32_10_t>() &&
		kinds<curandStateMRG32k3a>());
	return 0;
}

int main()
{
	if (kinds_of_both() || published() || jumps<curandState>() || jumps<curandStatePhilox4_32_10_t>() ||
		jumps<curandStateMRG32k3a>() || spread<curandState>() ||
		spread<curandStatePhilox4_32_10_t>() || spread<curandStateMRG32k3a>())
		return 1;
	puts("PASSED");
}
