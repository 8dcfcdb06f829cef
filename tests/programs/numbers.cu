/*
 * bfloat16 and complex numbers: each bfloat16 and its neighbours through float and back, arithmetic
 * of pairs, complex division and absolute values; bfloat16 on the device and on the host the same
 * bits, and all against plain float.
 */
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>

enum { N = 65536 };

struct result {
	unsigned short down, sum, product, quotient, fused;
	int less, negative;
	float re, im, size; /* by fused operations on the device */
};

__host__ __device__ static void one(unsigned i, result *r)
{
	const __nv_bfloat16 a = __ushort_as_bfloat16((unsigned short)i);
	const __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)(i * 40503u % 0x7f00u));
	const __nv_bfloat162 p((__nv_bfloat162_raw)__nv_bfloat162(a, b)), q = p + __nv_bfloat162(b, a);
	const float exact = __bfloat162float(a);

	memset(r, 0, sizeof(*r)); /* with what lies between its parts */
	r->down = __bfloat16_as_ushort(__float2bfloat16(exact * 1.001f));
	r->sum = __bfloat16_as_ushort(q.x);
	r->product = __bfloat16_as_ushort(a * b);
	r->quotient = __bfloat16_as_ushort(a / b);
	r->fused = __bfloat16_as_ushort(__hfma(a, b, a));
	r->less = a < b;
	const cuFloatComplex z = make_cuFloatComplex(i % 251 - 125.0f, i % 241 - 120.0f);
	const cuFloatComplex w = cuCdivf(z, make_cuFloatComplex(3, -4));
	r->re = cuCrealf(w);
	r->im = cuCimagf(w);
	r->size = cuCabsf(z);
	const __half2 h = -__half2((__half2_raw)__half2(__half(1.0f), __half(2.0f)));
	r->negative = __low2float(h) == -1 && h == __half2(__half(-1.0f), __half(-2.0f));
}

__global__ void all(result *r)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	one(i, &r[i]);
}

__global__ void edges(const float *part, float *size, unsigned *bytes)
{
	for (int i = 0; i < 9; i++)
		size[i] = cuCabsf(make_cuFloatComplex(part[i / 3], part[i % 3]));
	/* Three bits of a selector's digit count, not the fourth. */
	for (unsigned i = 0; i < 9; i++)
		bytes[i] = __byte_perm(0x03020100, 0x07060584, 0x7654321 * i + 0x89abcdef * (i & 1));
}
static int bad_edges()
{
	float *part, *size;
	unsigned *bytes;
	int bad = 0;

	cudaMallocManaged(&part, 3 * sizeof(*part));
	cudaMallocManaged(&size, 9 * sizeof(*size));
	cudaMallocManaged(&bytes, 9 * sizeof(*bytes));
	part[0] = -0.0f;
	part[1] = -INFINITY;
	part[2] = NAN;
	edges<<<1, 1>>>(part, size, bytes);
	bad += cudaDeviceSynchronize() != cudaSuccess;
	for (int i = 0; i < 9; i++) {
		const float want = std::hypot(part[i / 3], part[i % 3]);
		bad += std::isnan(want) ? !std::isnan(size[i]) : size[i] != want;
		bad += std::signbit(size[i]) && !std::isnan(want);
	}
	for (unsigned i = 0; i < 9; i++) {
		const unsigned char byte[] = {0, 1, 2, 3, 0x84, 5, 6, 7};
		const unsigned selector = 0x7654321 * i + 0x89abcdef * (i & 1);
		for (unsigned k = 0; k < 4; k++)
			bad += (bytes[i] >> 8 * k & 255) != byte[selector >> 4 * k & 7];
	}
	return bad;
}

/* The nearest bfloat16 of a float that is no NaN, by the distances to both neighbours. */
static unsigned short nearest(float f)
{
	unsigned bits;
	float low, high;

	memcpy(&bits, &f, sizeof(bits));
	const unsigned cut = bits & 0xffff0000u, next = cut + 0x10000u;
	memcpy(&low, &cut, sizeof(low));
	memcpy(&high, &next, sizeof(high));
	const double up = std::fabs((double)high - f), down = std::fabs((double)f - low);
	return (unsigned short)((up < down || (up == down && (cut >> 16 & 1)) ? next : cut) >> 16);
}

int main()
{
	static result want[N];
	result *got;
	int bad = bad_edges();

	cudaMallocManaged(&got, sizeof(want));
	all<<<N / 256, 256>>>(got);
	puts(cudaGetErrorString(cudaDeviceSynchronize()));
	for (unsigned i = 0; i < N; i++) {
		const float f = __bfloat162float(__ushort_as_bfloat16((unsigned short)i)) * 1.001f;
		const float re = i % 251 - 125.0f, im = i % 241 - 120.0f;

		one(i, &want[i]);
		bad += memcmp(&want[i], &got[i], offsetof(struct result, re)) != 0;
		bad += std::isfinite(f) && std::fabs(f) < 3e38f && got[i].down != nearest(f);
		bad += std::fabs(got[i].re - (3 * re - 4 * im) / 25) > 1e-4f;
		bad += std::fabs(got[i].im - (4 * re + 3 * im) / 25) > 1e-4f;
		bad += std::fabs(got[i].size - std::hypot(re, im)) > 1e-4f;
		bad += !got[i].negative;
	}
	printf("%d bad\n", bad);
	puts(bad ? "FAILED" : "PASSED");
	return bad != 0;
}
