/*
 * Kernels that machines of today are calibrated and checked by (MODEL.md, Machines of today). The
 * first three are measured on an H100, with the same names. kernels.ptx is clang's, by the command
 * for workloads in the Makefile, with -ffp-contract=off; results.tsv is of that text.
 *
 * What was measured is compiled by nvcc, whose PTX these follow in what takes time: loops that it
 * unrolls four times are unrolled here, what it keeps in a register over a loop is kept, what it
 * loads again since a store could have changed it is loaded again. A record of PTX runs in the
 * order of the PTX, where an assembler puts loads as early as stores let it: here they stand there.
 */
#include "cuda.h"

extern "C" __global__ void empty(void)
{
}

/* Chains of 128 dependent multiply-adds, in a loop of so many. */
extern "C" __global__ void ffma(float *out, float x, int iters)
{
	float a = x;

	for (int i = 0; i < iters; i++) {
#pragma unroll
		for (int k = 0; k < 128; k++)
			a = __builtin_fmaf(a, x, x);
	}
	if (a == 1.5f)
		*out = a;
}

extern "C" __global__ void vectoradd(const float *a, const float *b, float *c, unsigned n)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

/*
 * Each load waits for the one before it, whose value, a zero, is added to its address: the latency
 * of a load is the time of a step less that of one addition. Addresses repeat after mask.
 */
extern "C" __global__ void chase(const char *a, ull stride, ull mask, int n, ull *out)
{
	ull at = 0;

	for (ull i = 0; i < (ull)n; i += 16) {
#pragma unroll
		for (int k = 0; k < 16; k++)
			at = *(const ull *)(a + ((i + k) * stride & mask) + at);
	}
	*out = at;
}

extern "C" __global__ void chase_shared(int n, ull *out)
{
	__shared__ unsigned zero[32];
	unsigned at = 0;

	zero[threadIdx.x] = 0;
	__syncthreads();
	for (int i = 0; i < n; i += 16) {
#pragma unroll
		for (int k = 0; k < 16; k++)
			at = *(volatile unsigned *)((char *)zero + at);
	}
	*out = at;
}

/*
 * The kernels of PolyBench/GPU whose times on an H100 are known: the same loops and the same shape
 * of threads, written anew. x is the fast dimension.
 */
#define AT_X (blockIdx.x * blockDim.x + threadIdx.x)
#define AT_Y (blockIdx.y * blockDim.y + threadIdx.y)
/* Loads of these stand before, whatever uses them behind. */
#define LOADED(...) asm volatile("" : __VA_ARGS__)
/* What has been loaded before may be another value by now. */
#define WRITTEN asm volatile("" ::: "memory")
#define F(x) "+f"(x)
#define U(x) "+r"(x)

extern "C" __global__ void conv2d(const float *a, float *b, unsigned n)
{
	const unsigned j = AT_X, i = AT_Y;
	const float *p = a + (i - 1) * n + j - 1;
	float x[9];

	if (i == 0 || j == 0 || i >= n - 1 || j >= n - 1)
		return;
#pragma unroll
	for (int k = 0; k < 9; k++)
		x[k] = p[k / 3 * n + k % 3];
	LOADED(F(x[0]), F(x[1]), F(x[2]), F(x[3]), F(x[4]), F(x[5]), F(x[6]), F(x[7]), F(x[8]));
	b[i * n + j] = 0.2f * x[0] - 0.3f * x[3] + 0.4f * x[6] + 0.5f * x[1] + 0.6f * x[4] +
		       0.7f * x[7] - 0.8f * x[2] - 0.9f * x[5] + 0.1f * x[8];
}

/* A plane of the third dimension a launch. */
extern "C" __global__ void conv3d(const float *a, float *b, unsigned n, unsigned i)
{
	const unsigned k = AT_X, j = AT_Y, nn = n * n;
	const float *p = a + (i - 1) * nn + (j - 1) * n + k - 1;
	float x[11];

	if (j == 0 || k == 0 || j >= n - 1 || k >= n - 1)
		return;
	x[0] = p[0];
	x[1] = p[2 * nn];
	x[2] = p[1];
	x[3] = p[2 * nn + 1];
	x[4] = p[2];
	x[5] = p[2 * nn + 2];
	x[6] = p[n + 1];
	x[7] = p[nn + n + 1];
	x[8] = p[2 * nn + n + 1];
	x[9] = p[2 * n + 1];
	x[10] = p[nn + 2 * n + 2];
	LOADED(F(x[0]), F(x[1]), F(x[2]), F(x[3]), F(x[4]), F(x[5]), F(x[6]), F(x[7]), F(x[8]), F(x[9]),
		F(x[10]));
	b[i * nn + j * n + k] = 2.f * x[0] + 4.f * x[1] + 5.f * x[2] + 7.f * x[3] - 8.f * x[4] +
				10.f * x[5] - 3.f * x[6] + 6.f * x[7] - 9.f * x[8] + 2.f * x[9] +
				4.f * x[10];
}

/* Does what is said for k from `from` up to n, by four and then one by one. */
#define BY_FOURS(k, from, n, ...)                                                                  \
	do {                                                                                       \
		unsigned k = from;                                                                 \
		for (; k + 3 < n; k += 4) {                                                        \
			const unsigned group = k;                                                  \
			_Pragma("unroll") for (unsigned one = 0; one < 4; one++)                   \
			{                                                                          \
				const unsigned k = group + one;                                    \
				__VA_ARGS__                                                        \
			}                                                                          \
		}                                                                                  \
		for (; k < n; k++) {                                                               \
			__VA_ARGS__                                                                \
		}                                                                                  \
	} while (0)

/* A sum of n products that is stored after each: x and y step through memory by dx and dy. */
WL_INLINE void sum(float *to, float z, float by, const float *x, unsigned dx, const float *y,
	unsigned dy, unsigned n)
{
	BY_FOURS(k, 0, n, {
		float p = x[k * dx], q = y[k * dy];

		LOADED(F(p), F(q));
		z = __builtin_fmaf(by * p, q, z);
		*to = z;
	});
}

extern "C" __global__ void gemm(
	const float *a, const float *b, float *c, unsigned n, float alpha, float beta)
{
	const unsigned j = AT_X, i = AT_Y;
	float z;

	if (i >= n || j >= n)
		return;
	z = c[i * n + j] * beta;
	c[i * n + j] = z;
	sum(&c[i * n + j], z, alpha, a + i * n, 1, b + j, n, n);
}

extern "C" __global__ void mm(const float *a, const float *b, float *c, unsigned n)
{
	const unsigned j = AT_X, i = AT_Y;

	if (i < n && j < n)
		sum(&c[i * n + j], c[i * n + j], 1, a + i * n, 1, b + j, n, n);
}

/* A row of the matrix a thread, or a column. */
extern "C" __global__ void rows(const float *a, const float *v, float *w, unsigned n)
{
	const unsigned i = AT_X;

	if (i < n)
		sum(&w[i], w[i], 1, a + i * n, 1, v, 1, n);
}

extern "C" __global__ void columns(const float *a, const float *v, float *w, unsigned n)
{
	const unsigned j = AT_X;

	if (j < n)
		sum(&w[j], w[j], 1, a + j, n, v, 1, n);
}

/* Two sums, each of which could be where the other's operands are: nothing stays in a register. */
extern "C" __global__ void gesummv(const float *a, const float *b, const float *v, float *w,
	float *tmp, unsigned n, float alpha, float beta)
{
	const unsigned i = AT_X;

	if (i >= n)
		return;
	BY_FOURS(j, 0, n, {
		float y = v[j], x = a[i * n + j], z = tmp[i];

		LOADED(F(x), F(y), F(z));
		tmp[i] = __builtin_fmaf(x, y, z);
		WRITTEN;
		y = v[j];
		x = b[i * n + j];
		z = w[i];
		LOADED(F(x), F(y), F(z));
		w[i] = __builtin_fmaf(x, y, z);
		WRITTEN;
	});
	w[i] = __builtin_fmaf(alpha, tmp[i], beta * w[i]);
}

/*
 * The kernels of NVIDIA's samples whose times on an H100 are known: algorithms, shapes of CTAs and
 * launches are theirs, the text is not.
 */
typedef unsigned quad __attribute__((ext_vector_type(4)));

/* Walsh-Hadamard transforms of four elements. */
WL_INLINE void walsh4(float x[4])
{
	const float a = x[0] + x[2], b = x[1] + x[3], c = x[0] - x[2], d = x[1] - x[3];

	x[0] = a + b;
	x[1] = a - b;
	x[2] = c + d;
	x[3] = c - d;
}

/*
 * Of 2^bits elements a CTA, in shared memory, with a quarter as many threads. A GV100 counts 52
 * accesses of a warp for 11 bits, so that those of the last step go by pairs.
 */
extern "C" __global__ void walsh_shared(float *data, int bits)
{
	extern __shared__ float s[] __attribute__((aligned(16)));
	const unsigned n = 1u << bits, t = threadIdx.x;
	float *const mine = data + (blockIdx.x << bits);

	for (unsigned i = t; i < n; i += blockDim.x)
		s[i] = mine[i];
	for (unsigned stride = n / 4; stride; stride /= 4) {
		float *const p = s + 4 * t - 3 * (t & (stride - 1));
		float x[4];

		__syncthreads();
#pragma unroll
		for (int k = 0; k < 4; k++)
			x[k] = p[k * stride];
		LOADED(F(x[0]), F(x[1]), F(x[2]), F(x[3]));
		walsh4(x);
#pragma unroll
		for (int k = 0; k < 4; k++)
			p[k * stride] = x[k];
	}
	if (bits & 1) {
		__syncthreads();
		for (unsigned i = t; i < n / 2; i += blockDim.x) {
			const float2 x = ((const float2 *)s)[i];

			((float2 *)s)[i] = make_float2(x.x + x.y, x.x - x.y);
		}
	}
	__syncthreads();
	for (unsigned i = t; i < n; i += blockDim.x)
		mine[i] = s[i];
}

/* A step with a longer stride; y: which of several transforms. */
extern "C" __global__ void walsh_global(float *data, unsigned stride)
{
	const unsigned t = AT_X, n = 4 * blockDim.x * gridDim.x;
	float *const p = data + blockIdx.y * n + 4 * t - 3 * (t & (stride - 1));
	float x[4];

#pragma unroll
	for (int k = 0; k < 4; k++)
		x[k] = p[k * stride];
	LOADED(F(x[0]), F(x[1]), F(x[2]), F(x[3]));
	walsh4(x);
#pragma unroll
	for (int k = 0; k < 4; k++)
		p[k * stride] = x[k];
}

extern "C" __global__ void modulate(float *a, const float *b, unsigned n)
{
	const unsigned all = blockDim.x * gridDim.x;
	const float scale = 1.f / (float)n;

	BY_FOURS(k, 0, (n - AT_X + all - 1) / all, {
		float x = a[AT_X + k * all], y = b[AT_X + k * all];

		LOADED(F(x), F(y));
		a[AT_X + k * all] = x * (y * scale);
	});
}

#define ACCUMULATORS 1024

/* Scalar products of vectors of n elements, a CTA each until there are none left. */
extern "C" __global__ void scalarprod(
	float *out, const float *a, const float *b, unsigned vectors, unsigned n)
{
	__shared__ float s[ACCUMULATORS];

	for (unsigned v = blockIdx.x; v < vectors; v += gridDim.x) {
		const float *const x = a + v * n, *const y = b + v * n;

		for (unsigned k = threadIdx.x; k < ACCUMULATORS; k += blockDim.x) {
			const unsigned some = (n - k + ACCUMULATORS - 1) / ACCUMULATORS % 4;
			unsigned i = k;
			float z = 0;

			for (; i < k + some * ACCUMULATORS; i += ACCUMULATORS)
				z = __builtin_fmaf(x[i], y[i], z);
			for (; i < n; i += 4 * ACCUMULATORS) {
				float p[4], q[4];

#pragma unroll
				for (int l = 0; l < 4; l++) {
					p[l] = x[i + l * ACCUMULATORS];
					q[l] = y[i + l * ACCUMULATORS];
				}
				LOADED(F(p[0]), F(p[1]), F(p[2]), F(p[3]), F(q[0]), F(q[1]), F(q[2]),
					F(q[3]));
#pragma unroll
				for (int l = 0; l < 4; l++)
					z = __builtin_fmaf(p[l], q[l], z);
			}
			s[k] = z;
		}
#pragma unroll
		for (unsigned stride = ACCUMULATORS / 2; stride; stride /= 2) {
			__syncthreads();
			for (unsigned k = threadIdx.x; k < stride; k += blockDim.x)
				s[k] += s[k + stride];
		}
		__syncthreads();
		if (threadIdx.x == 0)
			out[v] = s[0];
	}
}

#define SCAN_THREADS 256

/* The exclusive scan of a value of each of `size` threads; s has twice as many places as those. */
WL_INLINE unsigned scanned(unsigned x, volatile unsigned *s, unsigned size)
{
	unsigned at = 2 * threadIdx.x - (threadIdx.x & (size - 1));

	s[at] = 0;
	at += size;
	s[at] = x;
	for (unsigned step = 1; step < size; step *= 2) {
		unsigned y;

		__syncthreads();
		y = s[at] + s[at - step];
		__syncthreads();
		s[at] = y;
	}
	return s[at] - x;
}

/* Of four elements a thread; of arrays of `size`. */
extern "C" __global__ void scan_shared(quad *out, const quad *in, unsigned size)
{
	__shared__ unsigned s[2 * SCAN_THREADS];
	const quad x = in[AT_X];
	const unsigned b = x.x + x.y, c = b + x.z;
	const unsigned before = scanned(c + x.w, s, size / 4);

	out[AT_X] = (quad){before, before + x.x, before + b, before + c};
}

/* Of the sums of pieces, each of 4 * SCAN_THREADS elements, that scan_shared has scanned. */
extern "C" __global__ void scan_tops(
	unsigned *tops, const unsigned *out, const unsigned *in, unsigned n, unsigned size)
{
	__shared__ unsigned s[2 * SCAN_THREADS];
	const unsigned at = AT_X, last = 4 * SCAN_THREADS * (at + 1) - 1;
	unsigned x = at < n ? out[last] + in[last] : 0;

	x = scanned(x, s, size);
	if (at < n)
		tops[at] = x;
}

extern "C" __global__ void scan_add(quad *out, const unsigned *tops)
{
	__shared__ unsigned top;
	quad x;

	if (threadIdx.x == 0)
		top = tops[blockIdx.x];
	__syncthreads();
	x = out[AT_X];
	out[AT_X] = x + top;
}

#define SORTED 1024 /* keys in shared memory, with their values, of a CTA of half as many threads */

/* Loads of a tile stand before its stores, which are to other memory. */
WL_INLINE void tile_load(
	unsigned *keys, unsigned *values, const unsigned *from_keys, const unsigned *from_values)
{
	const unsigned t = threadIdx.x, at = blockIdx.x * SORTED + t;
	unsigned a = from_keys[at], b = from_values[at];
	unsigned c = from_keys[at + SORTED / 2], d = from_values[at + SORTED / 2];

	LOADED(U(a), U(b), U(c), U(d));
	keys[t] = a;
	values[t] = b;
	keys[t + SORTED / 2] = c;
	values[t + SORTED / 2] = d;
}

WL_INLINE void tile_store(
	unsigned *to_keys, unsigned *to_values, const unsigned *keys, const unsigned *values)
{
	const unsigned t = threadIdx.x, at = blockIdx.x * SORTED + t;
	unsigned a = keys[t], b = values[t], c = keys[t + SORTED / 2], d = values[t + SORTED / 2];

	LOADED(U(a), U(b), U(c), U(d));
	to_keys[at] = a;
	to_values[at] = b;
	to_keys[at + SORTED / 2] = c;
	to_values[at + SORTED / 2] = d;
}

/* The comparator of a bitonic network between two keys that are `stride` apart. */
WL_INLINE void compare(unsigned *keys, unsigned *values, unsigned stride, unsigned up)
{
	const unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1)), other = at + stride;
	unsigned a = keys[at], b = keys[other];

	LOADED(U(a), U(b));
	if ((a > b) == up) {
		unsigned x, y;

		keys[at] = b;
		keys[other] = a;
		x = values[at];
		y = values[other];
		LOADED(U(x), U(y));
		values[at] = y;
		values[other] = x;
	}
}

/* Arrays of `size` keys, each sorted up or down. */
extern "C" __global__ void bitonic(unsigned *keys, unsigned *values, const unsigned *from_keys,
	const unsigned *from_values, unsigned size, unsigned up)
{
	__shared__ unsigned s_keys[SORTED], s_values[SORTED];

	tile_load(s_keys, s_values, from_keys, from_values);
	for (unsigned n = 2; n < size; n *= 2) {
		const unsigned way = (threadIdx.x & n / 2) != 0;

		for (unsigned stride = n / 2; stride; stride /= 2) {
			__syncthreads();
			compare(s_keys, s_values, stride, way);
		}
	}
	for (unsigned stride = size / 2; stride; stride /= 2) {
		__syncthreads();
		compare(s_keys, s_values, stride, up);
	}
	__syncthreads();
	tile_store(keys, values, s_keys, s_values);
}

/*
 * Merge sort after Satish, Harris and Garland (2009). How many of n sorted keys stand before `key`;
 * equal ones do where `with` says so. The first step is of `step` keys, a power of two.
 */
template <int with>
WL_INLINE unsigned rank_of(unsigned key, const unsigned *keys, unsigned n, unsigned step)
{
	unsigned at = 0;

	if (!n)
		return 0;
	for (; step; step /= 2) {
		const unsigned next = umin(at + step, n), other = keys[next - 1];
		const bool before = with ? other <= key : other < key;

		at = before ? next : at;
	}
	return at;
}

WL_INLINE unsigned power_from(unsigned n)
{
	return 1u << (32 - __clz(n - 1));
}

/* The tile of a CTA: pairs of arrays of 1, 2, 4, ... keys are merged. */
extern "C" __global__ void merge_tiles(unsigned *keys, unsigned *values, const unsigned *from_keys,
	const unsigned *from_values)
{
	__shared__ unsigned s_keys[SORTED], s_values[SORTED];

	tile_load(s_keys, s_values, from_keys, from_values);
	for (unsigned stride = 1; stride < SORTED; stride *= 2) {
		const unsigned mine = threadIdx.x & (stride - 1), base = 2 * (threadIdx.x - mine);
		unsigned *const k = s_keys + base, *const v = s_values + base;
		unsigned key_a, value_a, key_b, value_b, to_a, to_b;

		__syncthreads();
		key_a = k[mine];
		value_a = v[mine];
		key_b = k[mine + stride];
		value_b = v[mine + stride];
		LOADED(U(key_a), U(value_a), U(key_b), U(value_b));
		to_a = rank_of<0>(key_a, k + stride, stride, stride) + mine;
		to_b = rank_of<1>(key_b, k, stride, stride) + mine;
		__syncthreads();
		k[to_a] = key_a;
		v[to_a] = value_a;
		k[to_b] = key_b;
		v[to_b] = value_b;
	}
	__syncthreads();
	tile_store(keys, values, s_keys, s_values);
}

#define SAMPLE 128 /* of so many keys one is a sample */
#define SAMPLES(n) (((n) + SAMPLE - 1) / SAMPLE)

/* Pairs of sorted arrays of `stride` of n keys: thread i of a pair has sample i of each. */
struct pair {
	unsigned i, base, n_b, samples_b; /* its first key; keys of the second array */
};

WL_INLINE struct pair pair_of(unsigned thread, unsigned stride, unsigned n)
{
	const unsigned i = thread & (stride / SAMPLE - 1), base = 2 * SAMPLE * (thread - i);
	const unsigned n_b = umin(stride, n - base - stride);

	return (struct pair){i, base, n_b, SAMPLES(n_b)};
}

/* Where in both arrays of its pair each sample stands. */
extern "C" __global__ void merge_ranks(unsigned *ranks_a, unsigned *ranks_b, const unsigned *keys,
	unsigned stride, unsigned n, unsigned threads)
{
	const struct pair p = pair_of(AT_X, stride, n);
	const unsigned at = p.base / SAMPLE + p.i, samples = stride / SAMPLE;
	const unsigned *const a = keys + p.base, *const b = a + stride;

	if (AT_X >= threads)
		return;
	if (p.i < samples) {
		ranks_a[at] = p.i * SAMPLE;
		ranks_b[at] = rank_of<0>(a[p.i * SAMPLE], b, p.n_b, power_from(p.n_b));
	}
	if (p.i < p.samples_b) {
		ranks_b[at + samples] = p.i * SAMPLE;
		ranks_a[at + samples] = rank_of<1>(b[p.i * SAMPLE], a, stride, power_from(stride));
	}
}

/* The ranks of both arrays' samples in one of them, merged: the limits of pieces. */
extern "C" __global__ void merge_limits(
	unsigned *limits, const unsigned *ranks, unsigned stride, unsigned n, unsigned threads)
{
	const struct pair p = pair_of(AT_X, stride, n);
	const unsigned samples = stride / SAMPLE;
	const unsigned *const a = ranks + p.base / SAMPLE, *const b = a + samples;
	unsigned *const to = limits + p.base / SAMPLE;

	if (AT_X >= threads)
		return;
	if (p.i < samples)
		to[rank_of<0>(a[p.i], b, p.samples_b, power_from(p.samples_b)) + p.i] = a[p.i];
	if (p.i < p.samples_b)
		to[rank_of<1>(b[p.i], a, samples, power_from(samples)) + p.i] = b[p.i];
}

/* A piece a CTA of SAMPLE threads: at most so many keys of each array. */
extern "C" __global__ void merge_pieces(unsigned *keys, unsigned *values, const unsigned *from_keys,
	const unsigned *from_values, const unsigned *limits_a, const unsigned *limits_b,
	unsigned stride, unsigned n)
{
	__shared__ unsigned s_keys[2 * SAMPLE], s_values[2 * SAMPLE];
	__shared__ unsigned from_a, from_b, n_a, n_b;
	const unsigned t = threadIdx.x, piece = blockIdx.x & (2 * stride / SAMPLE - 1);
	const unsigned base = (blockIdx.x - piece) * SAMPLE;
	unsigned key_a = 0, value_a = 0, key_b = 0, value_b = 0, to_a = 0, to_b = 0;

	if (t == 0) {
		const unsigned all_b = umin(stride, n - base - stride);
		const bool last = piece + 1 >= stride / SAMPLE + SAMPLES(all_b);

		from_a = limits_a[blockIdx.x];
		from_b = limits_b[blockIdx.x];
		n_a = (last ? stride : limits_a[blockIdx.x + 1]) - from_a;
		n_b = (last ? all_b : limits_b[blockIdx.x + 1]) - from_b;
	}
	__syncthreads();
	if (t < n_a) {
		s_keys[t] = from_keys[base + from_a + t];
		s_values[t] = from_values[base + from_a + t];
	}
	if (t < n_b) {
		s_keys[SAMPLE + t] = from_keys[base + stride + from_b + t];
		s_values[SAMPLE + t] = from_values[base + stride + from_b + t];
	}
	__syncthreads();
	if (t < n_a) {
		key_a = s_keys[t];
		value_a = s_values[t];
		to_a = rank_of<0>(key_a, s_keys + SAMPLE, n_b, SAMPLE) + t;
	}
	if (t < n_b) {
		key_b = s_keys[SAMPLE + t];
		value_b = s_values[SAMPLE + t];
		to_b = rank_of<1>(key_b, s_keys, n_a, SAMPLE) + t;
	}
	__syncthreads();
	if (t < n_a) {
		s_keys[to_a] = key_a;
		s_values[to_a] = value_a;
	}
	if (t < n_b) {
		s_keys[to_b] = key_b;
		s_values[to_b] = value_b;
	}
	__syncthreads();
	if (t < n_a) {
		keys[base + from_a + from_b + t] = s_keys[t];
		values[base + from_a + from_b + t] = s_values[t];
	}
	if (t < n_b) {
		keys[base + from_a + from_b + n_a + t] = s_keys[n_a + t];
		values[base + from_a + from_b + n_a + t] = s_values[n_a + t];
	}
}

/*
 * Kernels whose counters on a Quadro GV100 are known, of NVIDIA's samples and of Parboil: what they
 * compute, how many threads do it and which memory they go to are theirs, the text is not. Of
 * tables only the sizes matter, and the recorder fills them.
 */
#define EIGHT(x) F(x[0]), F(x[1]), F(x[2]), F(x[3]), F(x[4]), F(x[5]), F(x[6]), F(x[7])

__constant__ float dct_matrix[64];

/* Of blocks of 8 x 8: with a matrix and once more with it transposed, a thread an element. */
extern "C" __global__ void dct_matrices(float *out, const float *texture, unsigned width)
{
	__shared__ float a[64] __attribute__((aligned(16))), b[64] __attribute__((aligned(16)));
	typedef float row __attribute__((ext_vector_type(4)));
	const unsigned x = threadIdx.x, y = threadIdx.y, at = AT_Y * width + AT_X;
	float z = 0, m[8], p[8];
	row half[2];

	a[8 * y + x] = __ldg(texture + at);
	__syncthreads();
#pragma unroll
	for (int k = 0; k < 8; k++) {
		m[k] = dct_matrix[8 * k + y];
		p[k] = a[8 * k + x];
	}
	LOADED(EIGHT(m), EIGHT(p));
#pragma unroll
	for (int k = 0; k < 8; k++)
		z = __builtin_fmaf(m[k], p[k], z);
	b[8 * y + x] = z;
	__syncthreads();
	half[0] = *(const row *)(b + 8 * y);
	half[1] = *(const row *)(b + 8 * y + 4);
#pragma unroll
	for (int k = 0; k < 8; k++) {
		m[k] = dct_matrix[8 * k + x];
		p[k] = half[k / 4][k % 4];
	}
	LOADED(EIGHT(m), EIGHT(p));
	z = 0;
#pragma unroll
	for (int k = 0; k < 8; k++)
		z = __builtin_fmaf(p[k], m[k], z);
	a[8 * y + x] = z;
	__syncthreads();
	out[at] = a[8 * y + x];
}

/* Eight elements that are `step` apart, by sums and differences of pairs, in place. */
WL_INLINE void dct8(float *p, unsigned step)
{
	const float norm = 0.35355339f, c1 = 1.38703985f, c2 = 1.30656296f, c3 = 1.17587560f,
		    c5 = 0.78569496f, c6 = 0.54119610f, c7 = 0.27589938f;
	float x[8], s[4], d[4], e, f, g, h;

#pragma unroll
	for (int k = 0; k < 8; k++)
		x[k] = p[k * step];
	LOADED(EIGHT(x));
#pragma unroll
	for (int k = 0; k < 4; k++) {
		s[k] = x[k] + x[7 - k];
		d[k] = x[k] - x[7 - k];
	}
	e = s[0] + s[3];
	f = s[1] + s[2];
	g = s[0] - s[3];
	h = s[1] - s[2];
	x[0] = norm * (e + f);
	x[4] = norm * (e - f);
	x[2] = norm * __builtin_fmaf(c2, g, c6 * h);
	x[6] = norm * __builtin_fmaf(c6, g, -c2 * h);
	x[1] = norm * __builtin_fmaf(c1, d[0],
			      __builtin_fmaf(c3, d[1], __builtin_fmaf(c5, d[2], c7 * d[3])));
	x[3] = norm * __builtin_fmaf(c3, d[0],
			      __builtin_fmaf(-c7, d[1], __builtin_fmaf(-c1, d[2], -c5 * d[3])));
	x[5] = norm * __builtin_fmaf(c5, d[0],
			      __builtin_fmaf(-c1, d[1], __builtin_fmaf(c7, d[2], c3 * d[3])));
	x[7] = norm * __builtin_fmaf(c7, d[0],
			      __builtin_fmaf(-c5, d[1], __builtin_fmaf(c3, d[2], -c1 * d[3])));
#pragma unroll
	for (int k = 0; k < 8; k++)
		p[k * step] = x[k];
}

#define DCT_STRIDE 33 /* of a row of 32 in shared memory */

/* A CTA of 8 x 4 x 2 threads has 32 x 16 elements, a thread a row of eight and then a column. */
extern "C" __global__ void dct_in_place(float *out, const float *in, unsigned width)
{
	__shared__ float s[16 * DCT_STRIDE];
	const unsigned column = threadIdx.y * 8 + threadIdx.x, row = threadIdx.z * 8;
	const unsigned at = (blockIdx.y * 16 + row) * width + blockIdx.x * 32 + column;
	float *const mine = s + row * DCT_STRIDE + column;
	float x[8];

#pragma unroll
	for (int k = 0; k < 8; k++)
		x[k] = in[at + k * width];
	LOADED(EIGHT(x));
#pragma unroll
	for (int k = 0; k < 8; k++)
		mine[k * DCT_STRIDE] = x[k];
	__syncthreads();
	dct8(s + (row + threadIdx.x) * DCT_STRIDE + threadIdx.y * 8, 1);
	__syncthreads();
	dct8(mine, DCT_STRIDE);
	__syncthreads();
#pragma unroll
	for (int k = 0; k < 8; k++)
		x[k] = mine[k * DCT_STRIDE];
	LOADED(EIGHT(x));
#pragma unroll
	for (int k = 0; k < 8; k++)
		out[at + k * width] = x[k];
}

#define OPTION_STEPS 2048
#define OPTION_THREADS 128
#define OPTION_PART (OPTION_STEPS / OPTION_THREADS)

struct option {
	float price, strike, step, up, down;
};
__constant__ struct option options[1024];

WL_INLINE float option_end(struct option o, unsigned i)
{
	return fmaxf(o.price * __expf(o.step * (2.f * (float)i - OPTION_STEPS)) - o.strike, 0);
}

/*
 * A tree of so many steps a CTA. A thread has a part of its breadth in registers, and its
 * neighbour's first element by way of shared memory. It only waits when its part is no longer
 * there.
 */
extern "C" __global__ void binomial(float *out)
{
	__shared__ float first[OPTION_THREADS + 1];
	const unsigned t = threadIdx.x;
	const struct option o = options[blockIdx.x];
	const int last = max(0, (int)t * OPTION_PART - 1);
	float x[OPTION_PART + 1];

#pragma unroll
	for (int k = 0; k < OPTION_PART; k++)
		x[k] = option_end(o, t * OPTION_PART + k);
	if (t == 0)
		first[OPTION_THREADS] = option_end(o, OPTION_STEPS);
	for (int i = OPTION_STEPS; i > 0; i--) {
		first[t] = x[0];
		__syncthreads();
		x[OPTION_PART] = first[t + 1];
		__syncthreads();
		if (i > last) {
#pragma unroll
			for (int k = 0; k < OPTION_PART; k++)
				x[k] = __builtin_fmaf(o.up, x[k + 1], o.down * x[k]);
		}
	}
	if (t == 0)
		out[blockIdx.x] = x[0];
}

#define QUASI_DIMENSIONS 3
#define QUASI_BITS 31

__constant__ unsigned quasi_table[QUASI_DIMENSIONS][QUASI_BITS];

/* A row of threads a dimension, whose table stays in registers. */
extern "C" __global__ void quasirandom(float *out, unsigned seed, unsigned n)
{
	const unsigned all = blockDim.x * gridDim.x;
	unsigned table[QUASI_BITS];

#pragma unroll
	for (int k = 0; k < QUASI_BITS; k++)
		table[k] = quasi_table[threadIdx.y][k];
	for (unsigned i = AT_X; i < n; i += all) {
		unsigned bits = seed + i, x = 0;

#pragma unroll
		for (int k = 0; k < QUASI_BITS; k++)
			x ^= bits & 1u << k ? table[k] : 0;
		out[threadIdx.y * n + i] = (float)(x + 1) * (1.f / 2147483649.f);
	}
}

/* The inverse of the normal distribution after Moro (1995), of evenly spread numbers. */
WL_INLINE float moro(unsigned u)
{
	const bool high = u >= 0x80000000u;
	const float p = (float)(high ? ~u : u) * (1.f / 4294967296.f) + 0.5f / 4294967296.f;
	const float d = p - 0.5f;
	float z;

	if (d > -0.42f) {
		const float q = d * d;
		float top = -25.44106049637f, below = 3.13082909833f;

		top = __builtin_fmaf(top, q, 41.39119773534f);
		top = __builtin_fmaf(top, q, -18.61500062529f);
		top = __builtin_fmaf(top, q, 2.50662823884f);
		below = __builtin_fmaf(below, q, -21.06224101826f);
		below = __builtin_fmaf(below, q, 23.08336743743f);
		below = __builtin_fmaf(below, q, -8.47351093090f);
		z = d * top / __builtin_fmaf(below, q, 1);
	} else {
		const float q = __logf(-__logf(p));

		z = 0.0000003960315187f;
		z = __builtin_fmaf(z, q, 0.0000002888167364f);
		z = __builtin_fmaf(z, q, 0.0000321767881768f);
		z = __builtin_fmaf(z, q, 0.0003951896511919f);
		z = __builtin_fmaf(z, q, 0.0038405729373609f);
		z = __builtin_fmaf(z, q, 0.0276438810333863f);
		z = __builtin_fmaf(z, q, 0.1607979714918209f);
		z = __builtin_fmaf(z, q, 0.9761690190917186f);
		z = -__builtin_fmaf(z, q, 0.3374754822726147f);
	}
	return high ? -z : z;
}

extern "C" __global__ void inverse_normal(float *out, unsigned n)
{
	const unsigned all = blockDim.x * gridDim.x, distance = ~0u / (n + 1);

	for (unsigned i = AT_X; i < n; i += all)
		out[i] = moro((i + 1) * distance);
}

#define SOBOL_BITS 32

/*
 * A row of CTAs a dimension, whose numbers of directions are in shared memory. The grid's x is a
 * power of two, so that from one element of a thread to the next two bits of its Gray code change.
 */
extern "C" __global__ void sobol(unsigned vectors, const unsigned *directions, float *out)
{
	__shared__ unsigned v[SOBOL_BITS];
	const unsigned stride = blockDim.x * gridDim.x, bits = (unsigned)__ffs((int)stride) - 1;
	const float scale = 1.f / 4294967296.f;
	unsigned i = AT_X, gray = i ^ i >> 1, x = 0, low;

	directions += SOBOL_BITS * blockIdx.y;
	out += vectors * blockIdx.y;
	if (threadIdx.x < SOBOL_BITS)
		v[threadIdx.x] = directions[threadIdx.x];
	__syncthreads();
	BY_FOURS(k, 0, bits, {
		x ^= -(gray & 1) & v[k];
		gray >>= 1;
	});
	if (i < vectors)
		out[i] = (float)x * scale;
	low = v[bits - 1];
	for (i += stride; i < vectors; i += stride) {
		x ^= low ^ v[__ffs((int)~((i - stride) | (stride - 1))) - 1];
		out[i] = (float)x * scale;
	}
}

#define Q_ELEMENTS 1024

/* Two pairs, x and y, z and a magnitude: a load of constants has at most eight bytes. */
__constant__ struct float2 q_elements[2 * Q_ELEMENTS];

/* A launch adds so many elements to sums at `n` places, by two. Sines are the unit's. */
extern "C" __global__ void compute_q(
	const float *x, const float *y, const float *z, float *real, float *imaginary)
{
	const unsigned i = AT_X;
	float p[3] = {x[i], y[i], z[i]}, q[2] = {real[i], imaginary[i]};

	LOADED(F(p[0]), F(p[1]), F(p[2]), F(q[0]), F(q[1]));
	for (unsigned k = 0; k < 2 * Q_ELEMENTS; k += 4) {
		float2 e[4];

#pragma unroll
		for (unsigned l = 0; l < 4; l++)
			e[l] = q_elements[k + l];
		LOADED(F(e[0].x), F(e[0].y), F(e[1].x), F(e[1].y), F(e[2].x), F(e[2].y), F(e[3].x),
			F(e[3].y));
#pragma unroll
		for (unsigned l = 0; l < 4; l += 2) {
			const float2 a = e[l], b = e[l + 1];
			const float inner = __builtin_fmaf(a.y, p[1], a.x * p[0]);
			const float angle = 6.2831853f * __builtin_fmaf(b.x, p[2], inner);

			q[0] = __builtin_fmaf(b.y, __cosf(angle), q[0]);
			q[1] = __builtin_fmaf(b.y, __sinf(angle), q[1]);
		}
	}
	real[i] = q[0];
	imaginary[i] = q[1];
}
