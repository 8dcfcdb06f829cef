/*
 * Small floats: all codes of both 8-bit ones to halves and back, each value and its neighbourhood
 * against the nearest of all codes by distance, integers as halves and bfloat16 in all roundings
 * against a search, comparisons of pairs; the device's results are the host's bits.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cmath>
#include <cstdio>
#include <cstring>

enum { N = 4096 };

struct result {
	unsigned char e4m3, e5m2, open, four;
	unsigned short half_rz, half_ru, brain, brain_rd, fused, shuffled;
	unsigned masks, whole;
	int back;
	long long wide;
};

__host__ __device__ static float sample(unsigned i)
{
	const float scale = 1.0f / (1 << 14) * (float)(1ull << i % 31);
	return (float)(int)(i * 2654435761u >> 4 & 0xffff) * scale * (i & 1 ? -1.0f : 1.0f) * 0.01f;
}

__host__ __device__ static void one(unsigned i, result *r)
{
	const float f = sample(i);
	const long long big = ((long long)(i * 2654435761u) << 32 | i * 40503u) >> i % 61;
	const __half2 a = __floats2half2_rn(f, 1), b = __floats2half2_rn(f, i % 3 ? NAN : 2);

	memset(r, 0, sizeof(*r));
	r->e4m3 = __nv_fp8_e4m3(f).__x;
	r->e5m2 = __nv_fp8_e5m2(f).__x;
	r->open = __nv_cvt_float_to_fp8(f, __NV_NOSAT, i & 2 ? __NV_E4M3 : __NV_E5M2);
	r->four = (unsigned char)(__nv_fp8x4_e4m3(make_float4(0, 0, 0, f)).__x >> 24);
	r->half_rz = __half_as_ushort(__float2half_rz(f));
	r->half_ru = __half_as_ushort(__ll2half_ru(big));
	r->brain = __bfloat16_as_ushort(__ll2bfloat16_rn(big));
	r->brain_rd = __bfloat16_as_ushort(__int2bfloat16_rd((int)big));
	r->fused = __half_as_ushort(__hfma_sat(__half(f), __half(0.5f), __half(0.25f)));
	r->masks = __heq2_mask(a, b) ^ __hltu2_mask(a, b) << 1 | __hbge2(a, b);
	r->whole = __half2uint_rd(__float2half(fabsf(f)));
	r->back = (int)(short)__bfloat162short_ru(__float2bfloat16(f));
	r->wide = __bfloat162ll_rz(__float2bfloat16(f * 1e9f));
}

__global__ void all(result *r)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	one(i, &r[i]);
	const __half other = __shfl_xor_sync(~0u, __half(sample(i)), 1);
	r[i].shuffled = __half_as_ushort(other);
}

/* Bits of the comparisons of NaN with itself, and of doubles next to where a half or a bfloat16 ends. */
__host__ __device__ static void odd_ones(float nan, double little, unsigned *r)
{
	const __half h(nan), one(1.0f);
	const __nv_bfloat16 b(nan), first(1.0f);
	const __half2 m(h, one), k(h, h);
	const __nv_bfloat162 n(b, first), l(b, b);

	r[0] = __hne(h, h) | __hneu(h, h) << 1 | (h != h) << 2 | (m != m) << 3 | (k != k) << 4 |
	       __hbne2(k, k) << 5 | __hbneu2(k, k) << 6 | (__hne2_mask(k, k) != 0) << 7 |
	       __hne(one, h) << 8 | __hne(one, __half(2.0f)) << 9 | (m == m) << 10;
	r[1] = __hne(b, b) | __hneu(b, b) << 1 | (b != b) << 2 | (n != n) << 3 | (l != l) << 4 |
	       __hbne2(l, l) << 5 | __hbneu2(l, l) << 6 | (__hne2_mask(l, l) != 0) << 7 |
	       __hne(first, b) << 8 | __hne(first, __nv_bfloat16(2.0f)) << 9 | (n == n) << 10;
	/* Half way to the next one, and then a little: to float first it would be half way. */
	const double half_way = 1.00048828125 + little, brain_way = 1.00390625 + little;
	r[2] = __half_as_ushort(__double2half(half_way)) | __half_as_ushort(__half(half_way)) << 16;
	r[3] = __bfloat16_as_ushort(__double2bfloat16(brain_way)) |
	       __bfloat16_as_ushort(__nv_bfloat16(-brain_way)) << 16;
	r[4] = __half_as_ushort(__half(65520 - little)) | __half_as_ushort(__half(1e300)) << 16;
	r[5] = __half_as_ushort(__double2half(1.00048828125)) |
	       __half_as_ushort(__half(3 * 1.00048828125)) << 16;
	/* NaN of doubles keep their second bit. */
	r[6] = 0;
	for (unsigned i = 0; i < 4; i++) {
		const unsigned long long bits = (i & 2 ? 0xfff8ull : 0x7ff8ull) << 48 |
						(unsigned long long)(i & 1) << 50;
		const double d = __builtin_bit_cast(double, bits);
		r[6] |= (unsigned)__nv_cvt_double_to_fp8(d, __NV_NOSAT, __NV_E5M2) << 8 * i;
	}
}
__global__ void odd_ones_there(float nan, double little, unsigned *r)
{
	odd_ones(nan, little, r);
}
static int bad_odd_ones()
{
	const unsigned want[7] = {1 << 1 | 1 << 2 | 1 << 4 | 1 << 6 | 1 << 9,
		1 << 1 | 1 << 2 | 1 << 4 | 1 << 6 | 1 << 9, 0x3c013c01, 0xbf813f81, 0x7c007bff,
		0x42013c00, 0xfffe7f7e};
	unsigned here[7], *there, bad = 0;

	cudaMallocManaged(&there, sizeof(here));
	odd_ones(NAN, 1e-11, here);
	odd_ones_there<<<1, 1>>>(NAN, 1e-11, there);
	bad += cudaDeviceSynchronize() != cudaSuccess;
	for (int i = 0; i < 7; i++) {
		bad += here[i] != want[i] || there[i] != want[i];
		if (here[i] != want[i] || there[i] != want[i])
			printf("odd one %d: %x %x, not %x\n", i, here[i], there[i], want[i]);
	}
	return (int)bad;
}

/* The code of least distance, of two the even one; what lies beyond all is the largest. */
static unsigned nearest(double v, __nv_fp8_interpretation_t kind)
{
	const unsigned most = kind == __NV_E4M3 ? 0x7e : 0x7b;
	unsigned best = 0;
	double least = INFINITY;

	for (unsigned c = 0; c <= most; c++) {
		const __half h = __nv_cvt_fp8_to_halfraw((unsigned char)c, kind);
		const double d = fabs(__half2float(h) - fabs(v));
		if (d < least || (d == least && !(c & 1))) {
			least = d;
			best = c;
		}
	}
	return best | (std::signbit(v) ? 0x80 : 0);
}

/* bfloat16 is a float's upper half: is `bits` right for i, rounded down? */
static bool is_below(unsigned short bits, long long i)
{
	const double v = __bfloat162float(__ushort_as_bfloat16(bits));
	const unsigned short next = (unsigned short)(bits >> 15 ? bits - 1 : bits + 1);
	const double up = __bfloat162float(__ushort_as_bfloat16(next));

	return v <= (double)i && (double)i < up;
}

int main()
{
	static result want;
	result *got;
	int bad = bad_odd_ones();

	cudaMallocManaged(&got, N * sizeof(*got));
	all<<<N / 128, 128>>>(got);
	puts(cudaGetErrorString(cudaDeviceSynchronize()));
	for (unsigned i = 0; i < N; i++) {
		const float f = sample(i);
		const long long big =
			((long long)(i * 2654435761u) << 32 | i * 40503u) >> i % 61;

		one(i, &want);
		want.shuffled = __half_as_ushort(__half(sample(i ^ 1)));
		bad += memcmp(&want, &got[i], sizeof(want)) != 0;
		bad += want.e4m3 != nearest(f, __NV_E4M3) || want.four != want.e4m3;
		bad += want.e5m2 != nearest(f, __NV_E5M2);
		bad += big && !is_below(want.brain_rd, (int)big);
		const float half = __half2float(__ushort_as_half(want.half_rz));
		bad += fabsf(half) > fabsf(f) || (fabsf(f) < 60000 && fabsf(half - f) > fabsf(f) / 1024 + 1e-7f);
		bad += (double)__half2float(__ushort_as_half(want.half_ru)) < (double)big;
	}
	for (unsigned c = 0; c < 256; c++) {
		__nv_fp8_e4m3 a;
		__nv_fp8_e5m2 b;
		a.__x = b.__x = (unsigned char)c;
		bad += (c & 0x7f) != 0x7f && __nv_fp8_e4m3(float(a)).__x != c;
		bad += (c & 0x7f) < 0x7c && __nv_fp8_e5m2(__half(b)).__x != c;
	}
	printf("%d bad\n", bad);
	puts(bad ? "FAILED" : "PASSED");
}
