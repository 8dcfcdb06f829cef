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
		float y = *(const volatile float *)&v[j], x = a[i * n + j];
		float z = *(volatile float *)&tmp[i];

		LOADED(F(x), F(y), F(z));
		tmp[i] = __builtin_fmaf(x, y, z);
		y = *(const volatile float *)&v[j];
		x = b[i * n + j];
		z = *(volatile float *)&w[i];
		LOADED(F(x), F(y), F(z));
		w[i] = __builtin_fmaf(x, y, z);
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

/* Of 2^bits elements a CTA, in shared memory, with a quarter as many threads. */
extern "C" __global__ void walsh_shared(float *data, int bits)
{
	extern __shared__ float s[];
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
			const float x = s[2 * i], y = s[2 * i + 1];

			s[2 * i] = x + y;
			s[2 * i + 1] = x - y;
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
