/*
 * Random numbers in kernels, as cuRAND's device functions give them for the same seeds: XORWOW,
 * Philox4x32-10 and MRG32k3a (warptrace/random.h), and Sobol' numbers of the direction vectors that
 * curandGetDirectionVectors32 and its like give.
 *
 * Left out: MTGP32, Poisson and discrete distributions.
 */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "cuda_runtime.h"
#include "curand.h"

#if defined(__cplusplus)

#include "warptrace/random.h"

/* Normal numbers come in pairs, of which one waits: for whoever wants the same kind next. */
enum { WT_NO_SPARE, WT_NORMAL_SPARE, WT_LOG_NORMAL_SPARE };
struct wt_spare {
	int has, has_double; /* which kind */
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

WT_RANDOM unsigned curand(curandStateXORWOW *s)
{
	return wt_xorwow_next(s->v, &s->d);
}
WT_RANDOM void skipahead(unsigned long long n, curandStateXORWOW *s)
{
	wt_xorwow_skip(s->v, &s->d, n);
}
WT_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW *s)
{
	wt_xorwow_skip_sequences(s->v, n);
}
WT_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
	unsigned long long offset, curandStateXORWOW *s)
{
	wt_xorwow_seed(s->v, &s->d, seed);
	s->spare.has = s->spare.has_double = WT_NO_SPARE;
	skipahead_sequence(subsequence, s);
	skipahead(offset, s);
}

/* ---- Philox4x32-10 ---- */

WT_RANDOM uint4 curand_Philox4x32_10(uint4 c, uint2 k)
{
	return wt_philox(c, k);
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
	s->spare.has = s->spare.has_double = WT_NO_SPARE;
	wt_philox_add(s, subsequence, true);
	skipahead(offset, s);
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

/* From 1 to m1. */
WT_RANDOM double curand_MRG32k3a(curandStateMRG32k3a *s)
{
	return wt_mrg_next(s->s1, s->s2);
}
WT_RANDOM unsigned curand(curandStateMRG32k3a *s)
{
	return wt_mrg_word(curand_MRG32k3a(s));
}
WT_RANDOM void skipahead(unsigned long long n, curandStateMRG32k3a *s)
{
	wt_mrg_skip(s->s1, s->s2, n, 0);
}
WT_RANDOM void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *s)
{
	wt_mrg_skip(s->s1, s->s2, n, 76);
}
WT_RANDOM void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *s)
{
	wt_mrg_skip(s->s1, s->s2, n, 127);
}
WT_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
	unsigned long long offset, curandStateMRG32k3a *s)
{
	wt_mrg_seed(s->s1, s->s2, seed);
	s->spare.has = s->spare.has_double = WT_NO_SPARE;
	skipahead_subsequence(subsequence, s);
	skipahead(offset, s);
}

/* ---- Sobol' ---- */

/*
 * The n-th number is the direction vectors of the bits of n's Gray code, put together (Antonov and
 * Saleev, 1979); scrambled ones begin at a constant.
 */
template <class T> struct wt_sobol {
	T i, x, c, direction_vectors[8 * sizeof(T)];
};
struct curandStateSobol32 : wt_sobol<unsigned> {};
struct curandStateScrambledSobol32 : wt_sobol<unsigned> {};
struct curandStateSobol64 : wt_sobol<unsigned long long> {};
struct curandStateScrambledSobol64 : wt_sobol<unsigned long long> {};
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;

template <class T> WT_RANDOM void wt_sobol_at(T i, wt_sobol<T> *s)
{
	const T gray = i ^ i >> 1;

	s->i = i;
	s->x = s->c;
	for (unsigned k = 0; k < 8 * sizeof(T); k++)
		s->x ^= gray >> k & 1 ? s->direction_vectors[k] : 0;
}
template <class T> WT_RANDOM void wt_sobol_init(const T *vectors, T c, T offset, wt_sobol<T> *s)
{
	for (unsigned k = 0; k < 8 * sizeof(T); k++)
		s->direction_vectors[k] = vectors[k];
	s->c = c;
	wt_sobol_at(offset, s);
}
template <class T> WT_RANDOM T wt_sobol_next(wt_sobol<T> *s)
{
	const T x = s->x;
	unsigned k = 0;

	s->i++;
	while (k < 8 * sizeof(T) - 1 && !(s->i >> k & 1))
		k++;
	s->x ^= s->direction_vectors[k];
	return x;
}
WT_RANDOM void curand_init(
	curandDirectionVectors32_t vectors, unsigned offset, curandStateSobol32 *s)
{
	wt_sobol_init<unsigned>(vectors, 0, offset, s);
}
WT_RANDOM void curand_init(curandDirectionVectors32_t vectors, unsigned c, unsigned offset,
	curandStateScrambledSobol32 *s)
{
	wt_sobol_init<unsigned>(vectors, c, offset, s);
}
WT_RANDOM void curand_init(
	curandDirectionVectors64_t vectors, unsigned long long offset, curandStateSobol64 *s)
{
	wt_sobol_init<unsigned long long>(vectors, 0, offset, s);
}
WT_RANDOM void curand_init(curandDirectionVectors64_t vectors, unsigned long long c,
	unsigned long long offset, curandStateScrambledSobol64 *s)
{
	wt_sobol_init<unsigned long long>(vectors, c, offset, s);
}
/* Uniform ones: above 0, up to 1. Normal ones by the inverse of their distribution. */
#define WT_SOBOL(State, T, word, as_double)                                                            \
	WT_RANDOM T curand(State *s) { return wt_sobol_next<T>(s); }                                   \
	WT_RANDOM void skipahead(T n, State *s) { wt_sobol_at<T>(s->i + n, s); }                       \
	WT_RANDOM float curand_uniform(State *s)                                                       \
	{                                                                                          \
		const T x = curand(s);                                                             \
		return wt_uniform(word);                                                           \
	}                                                                                          \
	WT_RANDOM double curand_uniform_double(State *s)                                               \
	{                                                                                          \
		const T x = curand(s);                                                             \
		return as_double;                                                                  \
	}
/* Which C++ alone has not. */
#if defined(__CUDACC__)
#define WT_SOBOL_NORMAL(State)                                                                         \
	WT_RANDOM float curand_normal(State *s) { return normcdfinvf(curand_uniform(s)); }             \
	WT_RANDOM double curand_normal_double(State *s) { return normcdfinv(curand_uniform_double(s)); } \
	WT_RANDOM float curand_log_normal(State *s, float mean, float deviation)                       \
	{                                                                                          \
		return expf(mean + deviation * curand_normal(s));                                  \
	}                                                                                          \
	WT_RANDOM double curand_log_normal_double(State *s, double mean, double deviation)             \
	{                                                                                          \
		return exp(mean + deviation * curand_normal_double(s));                            \
	}
#else
#define WT_SOBOL_NORMAL(State)
#endif
#define WT_SOBOL_32(State)                                                                             \
	WT_SOBOL(State, unsigned, x, x *WT_2_32 + WT_2_32 / 2)                                         \
	WT_SOBOL_NORMAL(State)
#define WT_SOBOL_64(State)                                                                             \
	WT_SOBOL(State, unsigned long long, (unsigned)(x >> 32), (double)(x >> 11) * WT_2_53 + WT_2_53 / 2) \
	WT_SOBOL_NORMAL(State)
WT_SOBOL_32(curandStateSobol32)
WT_SOBOL_32(curandStateScrambledSobol32)
WT_SOBOL_64(curandStateSobol64)
WT_SOBOL_64(curandStateScrambledSobol64)
#undef WT_SOBOL
#undef WT_SOBOL_NORMAL
#undef WT_SOBOL_32
#undef WT_SOBOL_64

/* ---- distributions ---- */

WT_RANDOM float curand_uniform(curandStateXORWOW *s) { return wt_uniform(curand(s)); }
WT_RANDOM float curand_uniform(curandStatePhilox4_32_10 *s) { return wt_uniform(curand(s)); }
WT_RANDOM double curand_uniform_double(curandStateMRG32k3a *s)
{
	return wt_mrg_uniform(curand_MRG32k3a(s));
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

template <class State> WT_RANDOM float2 curand_normal2(State *s)
{
	const unsigned x = curand(s);
	return wt_normal_words(x, curand(s));
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
	return wt_normal_words_double(x);
}
WT_RANDOM double2 curand_normal2_double(curandStatePhilox4_32_10 *s)
{
	return wt_normal_words_double(curand4(s));
}
WT_RANDOM double2 curand_normal2_double(curandStateMRG32k3a *s)
{
	const double u = curand_uniform_double(s);
	return wt_normal_double(u, curand_uniform_double(s) * 2);
}
WT_RANDOM float4 curand_normal4(curandStatePhilox4_32_10 *s)
{
	const uint4 x = curand4(s);
	const float2 a = wt_normal_words(x.x, x.y), b = wt_normal_words(x.z, x.w);
	return make_float4(a.x, a.y, b.x, b.y);
}
template <class State> WT_RANDOM float curand_normal(State *s)
{
	if (s->spare.has == WT_NORMAL_SPARE) {
		s->spare.has = WT_NO_SPARE;
		return s->spare.one;
	}
	const float2 v = curand_normal2(s);
	s->spare.has = WT_NORMAL_SPARE;
	s->spare.one = v.y;
	return v.x;
}
template <class State> WT_RANDOM double curand_normal_double(State *s)
{
	if (s->spare.has_double == WT_NORMAL_SPARE) {
		s->spare.has_double = WT_NO_SPARE;
		return s->spare.one_double;
	}
	const double2 v = curand_normal2_double(s);
	s->spare.has_double = WT_NORMAL_SPARE;
	s->spare.one_double = v.y;
	return v.x;
}
template <class State> WT_RANDOM float2 curand_log_normal2(State *s, float mean, float deviation)
{
	const float2 v = curand_normal2(s);
	return make_float2(expf(mean + deviation * v.x), expf(mean + deviation * v.y));
}
template <class State> WT_RANDOM double2 curand_log_normal2_double(State *s, double mean, double deviation)
{
	const double2 v = curand_normal2_double(s);
	return make_double2(exp(mean + deviation * v.x), exp(mean + deviation * v.y));
}
/* The one that waits has the mean and the deviation that it was drawn with. */
template <class State> WT_RANDOM float curand_log_normal(State *s, float mean, float deviation)
{
	if (s->spare.has == WT_LOG_NORMAL_SPARE) {
		s->spare.has = WT_NO_SPARE;
		return s->spare.one;
	}
	const float2 v = curand_log_normal2(s, mean, deviation);
	s->spare.has = WT_LOG_NORMAL_SPARE;
	s->spare.one = v.y;
	return v.x;
}
template <class State> WT_RANDOM double curand_log_normal_double(State *s, double mean, double deviation)
{
	if (s->spare.has_double == WT_LOG_NORMAL_SPARE) {
		s->spare.has_double = WT_NO_SPARE;
		return s->spare.one_double;
	}
	const double2 v = curand_log_normal2_double(s, mean, deviation);
	s->spare.has_double = WT_LOG_NORMAL_SPARE;
	s->spare.one_double = v.y;
	return v.x;
}

#endif

#endif
