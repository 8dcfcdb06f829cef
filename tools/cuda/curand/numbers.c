/*
 * See numbers.h. Generators that cuRAND spreads over subsequences (XORWOW, MRG32k3a) are as many
 * states that take turns, one turn for a number, or a pair of normal ones; Philox is a place, from
 * which any word can be computed, and so is Sobol'.
 */
#include "tools/cuda/curand/numbers.h"
#include "warptrace/random.h"
#include <stdlib.h>
#include <string.h>

bool numbers_quasi(const struct numbers *g)
{
	return g->type >= CURAND_RNG_QUASI_DEFAULT;
}

bool numbers_64(const struct numbers *g)
{
	return g->type == CURAND_RNG_QUASI_SOBOL64 || g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

bool numbers_pairs(const struct numbers *g)
{
	return !numbers_quasi(g) && g->type != CURAND_RNG_PSEUDO_MT19937;
}

/* ---- Sobol' ---- */

enum { DEGREES = 16 };

/* Any word from its number: Steele, Lea and Flood, Fast splittable pseudorandom number generators,
 * 2014. */
static uint64_t mixed(uint64_t n)
{
	n = (n + 1) * 0x9e3779b97f4a7c15;
	n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9;
	n = (n ^ n >> 27) * 0x94d049bb133111eb;
	return n ^ n >> 31;
}

/* The first bit of a number stands highest in a vector. */
static void vectors_of(uint64_t v[64], unsigned dimension)
{
	static const unsigned table[CURAND_WT_DIMENSIONS][2 + DEGREES] = {
		{0},
#define SOBOL(...) {__VA_ARGS__},
#include "tools/cuda/curand/sobol.def"
#undef SOBOL
	};
	const unsigned degree = table[dimension][0], inner = table[dimension][1];

	for (unsigned k = 0; k < 64; k++) {
		if (!dimension || k < degree) {
			v[k] = (dimension ? (uint64_t)table[dimension][2 + k] : 1) << (63 - k);
			continue;
		}
		v[k] = v[k - degree] ^ v[k - degree] >> degree;
		for (unsigned j = 1; j < degree; j++)
			if (inner >> (degree - 1 - j) & 1)
				v[k] ^= v[k - j];
	}
}

/*
 * Matousek's linear scrambling (On the L2-discrepancy for anchored boxes, 1998): each bit of a
 * number has some of those above it added, always the same ones in a dimension, and all have a
 * constant added. The bits of chance are ours.
 */
static uint64_t scrambled(uint64_t v[64], unsigned dimension)
{
	const uint64_t first = dimension * 65ull;

	for (unsigned k = 0; k < 64; k++) {
		uint64_t sum = 0;
		for (unsigned bit = 0; bit < 64; bit++) {
			const uint64_t own = 1ull << (63 - bit), above = ~(own | (own - 1));
			const uint64_t taken = (mixed(first + bit) & above) | own;
			sum |= __builtin_parityll(v[k] & taken) ? own : 0;
		}
		v[k] = sum;
	}
	return mixed(first + 64);
}

void numbers_vectors_64(unsigned long long (*v)[64], unsigned long long *constants)
{
	for (unsigned d = 0; d < CURAND_WT_DIMENSIONS; d++) {
		uint64_t of[64];
		vectors_of(of, d);
		if (constants)
			constants[d] = scrambled(of, d);
		for (unsigned k = 0; k < 64; k++)
			v[d][k] = of[k];
	}
}

void numbers_vectors_32(unsigned (*v)[32], unsigned *constants)
{
	for (unsigned d = 0; d < CURAND_WT_DIMENSIONS; d++) {
		uint64_t of[64];
		vectors_of(of, d);
		if (constants)
			constants[d] = (unsigned)(scrambled(of, d) >> 32);
		for (unsigned k = 0; k < 32; k++)
			v[d][k] = (unsigned)(of[k] >> 32);
	}
}

/* ---- the words of pseudorandom ones ---- */

static void mt_seed(struct numbers *g)
{
	g->mt[0] = (unsigned)g->seed ^ (unsigned)(g->seed >> 32);
	for (unsigned i = 1; i < MT_WORDS; i++)
		g->mt[i] = 1812433253u * (g->mt[i - 1] ^ g->mt[i - 1] >> 30) + i;
	g->nmt = MT_WORDS;
}

static unsigned mt_next(struct numbers *g)
{
	unsigned *mt = g->mt, x;

	if (g->nmt == MT_WORDS) {
		for (unsigned i = 0; i < MT_WORDS; i++) {
			const unsigned both =
				(mt[i] & 0x80000000) | (mt[(i + 1) % MT_WORDS] & 0x7fffffff);
			mt[i] = mt[(i + 397) % MT_WORDS] ^ both >> 1 ^ (both & 1 ? 0x9908b0df : 0);
		}
		g->nmt = 0;
	}
	x = mt[g->nmt++];
	x ^= x >> 11;
	x ^= x << 7 & 0x9d2c5680;
	x ^= x << 15 & 0xefc60000;
	return x ^ x >> 18;
}

static unsigned philox_next(struct numbers *g)
{
	const uint64_t block = g->at / 4, in_sequence = block / 65536;
	const uint4 c = {
		(unsigned)in_sequence, (unsigned)(in_sequence >> 32), (unsigned)(block % 65536), 0};
	const uint2 key = {(unsigned)g->seed, (unsigned)(g->seed >> 32)};

	return wt_philox_word(wt_philox(c, key), g->at++ % 4);
}

/* Of MRG32k3a, from 1 to m1. */
static double mrg_next(struct numbers *g)
{
	union sequence *s = &g->sequences[g->sequence];

	return wt_mrg_next(s->mrg.s1, s->mrg.s2);
}

static unsigned next_word(struct numbers *g)
{
	union sequence *s;

	switch (g->type) {
	case CURAND_RNG_PSEUDO_MRG32K3A:
		return wt_mrg_word(mrg_next(g));
	case CURAND_RNG_PSEUDO_MT19937:
		return mt_next(g);
	case CURAND_RNG_PSEUDO_PHILOX4_32_10:
		return philox_next(g);
	default:
		s = &g->sequences[g->sequence];
		return wt_xorwow_next(s->xorwow.v, &s->xorwow.d);
	}
}

static void next_sequence(struct numbers *g)
{
	g->sequence = (g->sequence + 1) % SEQUENCES;
}

static void start_xorwow(struct numbers *g, unsigned i, uint64_t steps)
{
	union sequence *s = &g->sequences[i];

	if (g->order == CURAND_ORDERING_PSEUDO_SEEDED) {
		wt_xorwow_seed(s->xorwow.v, &s->xorwow.d, mixed(g->seed * SEQUENCES + i));
	} else if (i) {
		*s = g->sequences[i - 1];
		wt_xorwow_skip_sequences(s->xorwow.v, 1);
		return;
	} else {
		wt_xorwow_seed(s->xorwow.v, &s->xorwow.d, g->seed);
	}
	wt_xorwow_skip(s->xorwow.v, &s->xorwow.d, steps);
}

/* All stand where the offset says; those before it have given one number more. */
static bool start_sequences(struct numbers *g)
{
	const bool mrg = g->type == CURAND_RNG_PSEUDO_MRG32K3A;
	const uint64_t steps = g->offset / SEQUENCES;
	unsigned a[9] = {0, 1, 0, 0, 0, 1, (unsigned)(WT_MRG_M1 - 810728), 1403580, 0};
	unsigned b[9] = {0, 1, 0, 0, 0, 1, (unsigned)(WT_MRG_M2 - 1370589), 0, 527612};

	if (!g->sequences && !(g->sequences = malloc(SEQUENCES * sizeof(*g->sequences))))
		return false;
	/* One subsequence of MRG32k3a further, 2^76 steps. */
	for (unsigned i = 0; i < 76 && mrg; i++) {
		wt_mrg_product(a, a, a, 3, WT_MRG_M1);
		wt_mrg_product(b, b, b, 3, WT_MRG_M2);
	}
	for (unsigned i = 0; i < SEQUENCES; i++) {
		union sequence *s = &g->sequences[i];
		if (!mrg) {
			start_xorwow(g, i, steps);
		} else if (i) {
			wt_mrg_product(a, s[-1].mrg.s1, s->mrg.s1, 1, WT_MRG_M1);
			wt_mrg_product(b, s[-1].mrg.s2, s->mrg.s2, 1, WT_MRG_M2);
		} else {
			wt_mrg_seed(s->mrg.s1, s->mrg.s2, g->seed);
			wt_mrg_skip(s->mrg.s1, s->mrg.s2, steps, 0);
		}
	}
	for (g->sequence = 0; g->sequence < g->offset % SEQUENCES; g->sequence++)
		next_word(g);
	return true;
}

bool numbers_ready(struct numbers *g)
{
	if (g->ready)
		return true;
	g->at = g->offset;
	if (g->type == CURAND_RNG_PSEUDO_MT19937)
		mt_seed(g);
	else if (!numbers_quasi(g) && g->type != CURAND_RNG_PSEUDO_PHILOX4_32_10 &&
		 !start_sequences(g))
		return false;
	g->ready = true;
	return true;
}

void numbers_free(struct numbers *g)
{
	free(g->sequences);
	g->sequences = NULL;
}

/* ---- distributions ---- */

static double ratio(const double a[8], const double b[8], double x)
{
	double over = a[7], under = b[7];

	for (unsigned i = 7; i--;) {
		over = over * x + a[i];
		under = under * x + b[i];
	}
	return over / under;
}

/* Wichura, Algorithm AS 241: the percentage points of the normal distribution, 1988 (PPND16). */
static double normal_of(double p)
{
	static const double a[] = {3.3871328727963666080e0, 1.3314166789178437745e2,
		1.9715909503065514427e3, 1.3731693765509461125e4, 4.5921953931549871457e4,
		6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3};
	static const double b[] = {1, 4.2313330701600911252e1, 6.8718700749205790830e2,
		5.3941960214247511077e3, 2.1213794301586595867e4, 3.9307895800092710610e4,
		2.8729085735721942674e4, 5.2264952788528545610e3};
	static const double c[] = {1.42343711074968357734e0, 4.63033784615654529590e0,
		5.76949722146069140550e0, 3.64784832476320460504e0, 1.27045825245236838258e0,
		2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4};
	static const double d[] = {1, 2.05319162663775882187e0, 1.67638483018380384940e0,
		6.89767334985100004550e-1, 1.48103976427480074590e-1, 1.51986665636164571966e-2,
		5.47593808499534494600e-4, 1.05075007164441684324e-9};
	static const double e[] = {6.65790464350110377720e0, 5.46378491116411436990e0,
		1.78482653991729133580e0, 2.96560571828504891230e-1, 2.65321895265761230930e-2,
		1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7};
	static const double f[] = {1, 5.99832206555887937690e-1, 1.36929880922735805310e-1,
		1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5,
		1.42151175831644588870e-7, 2.04426310338993978564e-15};
	/* The largest uniform number is rounded to 1, whose normal number would be none. */
	const double below = p < 1 ? p : 1 - WT_2_53, q = below - 0.5;

	if (fabs(q) <= 0.425)
		return q * ratio(a, b, 0.180625 - q * q);
	const double r = sqrt(-log(q < 0 ? below : 1 - below));
	const double x = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
	return q < 0 ? -x : x;
}

bool numbers_poisson(struct request *r, double lambda)
{
	/* What lies further out has less than 2^-53 together. */
	const double width = 12 * sqrt(lambda) + 40;
	double sum = 0;
	int sign;

	r->least = lambda > width ? (size_t)(lambda - width) : 0;
	r->npoisson = (size_t)(lambda + width) - r->least + 1;
	r->poisson = malloc(r->npoisson * sizeof(*r->poisson));
	if (!r->poisson)
		return false;
	for (size_t i = 0; i < r->npoisson; i++) {
		const double k = (double)(r->least + i);
		sum += exp(k * log(lambda) - lambda - lgamma_r(k + 1, &sign));
		r->poisson[i] = sum;
	}
	return true;
}

/* The least number whose sum of probabilities reaches u. */
static unsigned poisson_of(const struct request *r, double u)
{
	size_t low = 0, high = r->npoisson - 1;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (r->poisson[middle] < u)
			low = middle + 1;
		else
			high = middle;
	}
	return (unsigned)(r->least + low);
}

size_t numbers_bytes(enum distribution what)
{
	return what == BITS_64 || what == UNIFORM_64 || what == NORMAL_64 || what == LOG_NORMAL_64
		       ? 8
		       : 4;
}

/* One number of the distribution where all of it is a word of 64 bits, or the upper 32 of it. */
static void put_of_bits(const struct request *r, void *to, size_t i, uint64_t bits, bool wide)
{
	const unsigned word = (unsigned)(bits >> 32);
	const float u = wt_uniform(word);
	const double u_64 =
		wide ? (double)(bits >> 11) * WT_2_53 + WT_2_53 / 2 : word * WT_2_32 + WT_2_32 / 2;

	switch (r->what) {
	case BITS:
		((unsigned *)to)[i] = word;
		break;
	case BITS_64:
		((unsigned long long *)to)[i] = bits;
		break;
	case UNIFORM:
		((float *)to)[i] = u;
		break;
	case UNIFORM_64:
		((double *)to)[i] = u_64;
		break;
	case NORMAL:
	case LOG_NORMAL: {
		/* Of the word itself: rounded to a float it may be 1, whose normal number is none.
		 */
		const double p = word * WT_2_32 + WT_2_32 / 2;
		const float x = (float)(r->mean + r->deviation * normal_of(p));
		((float *)to)[i] = r->what == NORMAL ? x : expf(x);
		break;
	}
	case NORMAL_64:
	case LOG_NORMAL_64: {
		const double x = r->mean + r->deviation * normal_of(u_64);
		((double *)to)[i] = r->what == NORMAL_64 ? x : exp(x);
		break;
	}
	case POISSON:
		((unsigned *)to)[i] = poisson_of(r, u_64);
	}
}

/* ---- Sobol' numbers ---- */

static void fill_sobol(struct numbers *g, const struct request *r, void *to, size_t n)
{
	const bool wide = numbers_64(g);
	const bool with_chance = g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 ||
				 g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
	const size_t of_one = r->n / g->dimensions;

	for (size_t i = 0; i < n;) {
		const unsigned dimension = (unsigned)((r->done + i) / of_one);
		const size_t first = (r->done + i) % of_one;
		const size_t here = of_one - first < n - i ? of_one - first : n - i;
		uint64_t v[64], at = g->at + first, x = 0;
		vectors_of(v, dimension);
		if (with_chance)
			x = scrambled(v, dimension);
		for (unsigned k = 0; k < 64; k++)
			x ^= (at ^ at >> 1) >> k & 1 ? v[k] : 0;
		for (size_t k = 0; k < here; k++) {
			put_of_bits(r, to, i + k, x, wide);
			at++;
			x ^= at ? v[__builtin_ctzll(at)] : 0;
		}
		i += here;
	}
	if (r->done + n == r->n)
		g->at += of_one;
}

/* ---- pseudorandom numbers ---- */

static double next_uniform_64(struct numbers *g)
{
	if (g->type == CURAND_RNG_PSEUDO_MRG32K3A)
		return wt_mrg_uniform(mrg_next(g));
	const unsigned low = next_word(g);
	return wt_uniform_double(low, next_word(g));
}

static float next_uniform(struct numbers *g)
{
	if (g->type == CURAND_RNG_PSEUDO_MRG32K3A)
		return (float)wt_mrg_uniform(mrg_next(g));
	return wt_uniform(next_word(g));
}

static float2 next_pair(struct numbers *g)
{
	if (g->type == CURAND_RNG_PSEUDO_MRG32K3A) {
		const float u = next_uniform(g);
		return wt_normal(u, next_uniform(g) * 6.2831855f);
	}
	const unsigned x = next_word(g);
	return wt_normal_words(x, next_word(g));
}

static double2 next_pair_64(struct numbers *g)
{
	const double u = next_uniform_64(g);

	return wt_normal_double(u, 2 * next_uniform_64(g));
}

static void put_pair(struct numbers *g, const struct request *r, float *to)
{
	const float2 z = next_pair(g);
	const float mean = (float)r->mean, deviation = (float)r->deviation;
	const float x = mean + deviation * z.x, y = mean + deviation * z.y;

	to[0] = r->what == NORMAL ? x : expf(x);
	to[1] = r->what == NORMAL ? y : expf(y);
}

static void put_pair_64(struct numbers *g, const struct request *r, double *to)
{
	const double2 z = next_pair_64(g);
	const double x = r->mean + r->deviation * z.x, y = r->mean + r->deviation * z.y;

	to[0] = r->what == NORMAL_64 ? x : exp(x);
	to[1] = r->what == NORMAL_64 ? y : exp(y);
}

static void fill_pseudo(struct numbers *g, const struct request *r, void *to, size_t n)
{
	const bool normal = r->what >= NORMAL && r->what <= LOG_NORMAL_64;
	const bool pairs = normal && numbers_pairs(g);

	for (size_t i = 0; i < n; i += pairs ? 2 : 1) {
		if (pairs && numbers_bytes(r->what) == 4) {
			put_pair(g, r, (float *)to + i);
		} else if (pairs) {
			put_pair_64(g, r, (double *)to + i);
		} else if (normal && numbers_bytes(r->what) == 8) {
			const double x = r->mean + r->deviation * normal_of(next_uniform_64(g));
			((double *)to)[i] = r->what == NORMAL_64 ? x : exp(x);
		} else if (r->what == UNIFORM_64) {
			((double *)to)[i] = next_uniform_64(g);
		} else if (r->what == UNIFORM) {
			((float *)to)[i] = next_uniform(g);
		} else {
			put_of_bits(r, to, i, (uint64_t)next_word(g) << 32, false);
		}
		next_sequence(g);
	}
}

void numbers_fill(struct numbers *g, struct request *r, void *to, size_t n)
{
	if (numbers_quasi(g))
		fill_sobol(g, r, to, n);
	else
		fill_pseudo(g, r, to, n);
	r->done += n;
}
