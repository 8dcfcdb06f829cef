/*
 * libor: the LIBOR Monte Carlo of Bakhoda's benchmarks, after Giles: 64 blocks of 64 threads, a
 * path each; first the kernel without derivatives, then that with them. As in the original all
 * random numbers are 0.3, so that all paths are one; drawn=1 draws them. Left out: the original's
 * 80 rates over 40 steps (rates=80,steps=40), of which there are a fifth here, so that the
 * maturities of the 15 swaptions are a fifth too; and its loop over more paths than threads,
 * which turns once. The random numbers are read from an array, where the original writes the
 * constant.
 *
 * The check goes over each path in double precision, with its derivative. Whether a swaption pays
 * may hang on a rounding, and then adds to the derivative or not: where its worth is all but 0,
 * both ways count.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define THREADS 64
#define RATES_MAX 80
#define STEPS_MAX 40
#define OPTIONS 15
#define YEARS 0.25f
#define DOUBT 1e-4 /* of a swaption's worth, of 1 */
#define REL 1e-3

struct market {
	int32_t rates, steps;
	const int32_t *maturity;
	const float *swap_rate, *volatility;
};

struct outcome {
	double value, d_last;
};

/* All the rates of all steps. */
static void evolve(const struct market *m, const float *z, uint32_t stride,
	double kept[STEPS_MAX + 1][RATES_MAX])
{
	for (int32_t i = 0; i < m->rates; i++)
		kept[0][i] = 0.05;
	for (int32_t n = 0; n < m->steps; n++) {
		double drift = 0;

		for (int32_t i = 0; i < m->rates; i++) {
			double v, rate = kept[n][i];

			kept[n + 1][i] = rate;
			if (i <= n)
				continue;
			v = (double)m->volatility[i - n - 1];
			drift += YEARS * v * rate / (1 + YEARS * rate);
			kept[n + 1][i] = rate * exp(YEARS * v * drift +
							v * (sqrt(YEARS) * (double)z[n * stride] -
								    0.5 * YEARS * v));
		}
	}
}

/* Swaptions pay whose worth is below `zero`, by how much it is below 0. */
static struct outcome price(
	const struct market *m, double kept[STEPS_MAX + 1][RATES_MAX], double zero)
{
	const double *end = kept[m->steps];
	double bond[RATES_MAX], swap[RATES_MAX], by_rate[RATES_MAX] = {0}, b = 1, s = 0, first = 1;
	struct outcome o = {0, 0};

	for (int32_t n = 0; n < m->steps; n++)
		first /= 1 + YEARS * end[n];
	for (int32_t n = m->steps; n < m->rates; n++) {
		b /= 1 + YEARS * end[n];
		s += YEARS * b;
		bond[n] = b;
		swap[n] = s;
	}
	for (int32_t i = 0; i < OPTIONS; i++) {
		int32_t last = m->steps + m->maturity[i] - 1;
		double rate = (double)m->swap_rate[i];
		double worth = bond[last] + rate * swap[last] - 1;

		if (worth >= zero)
			continue;
		o.value -= 100 * first * worth;
		/* Each rate up to `last` discounts the bond, and the payments from its own on. */
		for (int32_t n = m->steps; n <= last; n++) {
			double paid = swap[last] - (n > m->steps ? swap[n - 1] : 0);

			by_rate[n] += 100 * first * (bond[last] + rate * paid) * YEARS /
				      (1 + YEARS * end[n]);
		}
	}
	for (int32_t n = 0; n < m->steps; n++)
		by_rate[n] = -o.value * YEARS / (1 + YEARS * end[n]);
	for (int32_t n = m->steps - 1; n >= 0; n--) {
		double sum = 0;

		for (int32_t i = m->rates - 1; i > n; i--) {
			double v = (double)m->volatility[i - n - 1];
			double down = 1 + YEARS * kept[n][i];

			sum += v * kept[n + 1][i] * by_rate[i];
			by_rate[i] = by_rate[i] * kept[n + 1][i] / kept[n][i] +
				     sum * v * YEARS * YEARS / (down * down);
		}
	}
	o.d_last = by_rate[m->rates - 1];
	return o;
}

static void check(struct wl *w, const struct wl_buf *b, const double (*want)[2], uint32_t n)
{
	wl_output(w, b, WL_F32, n);
	for (uint32_t i = 0; i < n && !wl_failed(w); i++) {
		double lo = fmin(want[i][0], want[i][1]), hi = fmax(want[i][0], want[i][1]);
		double slack = REL * (1 + fmax(fabs(lo), fabs(hi))), got = (double)b->f[i];

		if (!(got >= lo - slack && got <= hi + slack))
			wl_fail(w, "libor: %s[%u] is %.9g, the CPU says %.9g to %.9g", b->name, i,
				got, lo, hi);
	}
}

static void fill_constants(struct wl *w, struct market *m, int32_t *maturity)
{
	static const int32_t quarters[] = {4, 8, 20, 28, 40}; /* of 40 */
	struct wl_buf rates = wl_symbol(w, "rates"), steps = wl_symbol(w, "steps");
	struct wl_buf options = wl_symbol(w, "options"), length = wl_symbol(w, "length");
	struct wl_buf at = wl_symbol(w, "maturity"), swap = wl_symbol(w, "swap_rate");
	struct wl_buf volatility = wl_symbol(w, "volatility");

	if (wl_failed(w))
		return;
	*rates.i = m->rates;
	*steps.i = m->steps;
	*options.i = OPTIONS;
	*length.f = YEARS;
	for (int i = 0; i < OPTIONS; i++) {
		int32_t last = quarters[i / 3] * (m->rates - m->steps) / STEPS_MAX;

		maturity[i] = at.i[i] = last > 1 ? last : 1;
		swap.f[i] = 0.045f + 0.005f * (float)(i % 3);
	}
	for (int i = 0; i < RATES_MAX; i++)
		volatility.f[i] = 0.2f;
	m->swap_rate = swap.f;
	m->volatility = volatility.f;
	wl_upload(w, &rates);
	wl_upload(w, &steps);
	wl_upload(w, &options);
	wl_upload(w, &length);
	wl_upload(w, &at);
	wl_upload(w, &swap);
	wl_upload(w, &volatility);
}

/* Normally distributed, as the sum of twelve even ones is nearly. */
static float draw(struct wl_rng *rng)
{
	float sum = -6;

	for (int i = 0; i < 12; i++)
		sum += wl_unit(rng);
	return sum;
}

static void run(struct wl *w)
{
	uint32_t blocks = (uint32_t)wl_param(w, "blocks"), paths = blocks * THREADS;
	int32_t maturity[OPTIONS] = {0};
	struct market m = {.rates = (int32_t)wl_param(w, "rates"),
		.steps = (int32_t)wl_param(w, "steps"),
		.maturity = maturity};
	size_t numbers = (size_t)paths * (size_t)m.rates;
	struct wl_buf z = wl_alloc(w, "z", numbers * sizeof(float));
	struct wl_buf plain = wl_alloc(w, "values", paths * sizeof(float));
	struct wl_buf values = wl_alloc(w, "values_greeks", paths * sizeof(float));
	struct wl_buf d_last = wl_alloc(w, "d_last", paths * sizeof(float));
	double(*want)[2] = wl_host(w, paths, sizeof(*want));
	double(*want_d)[2] = wl_host(w, paths, sizeof(*want_d));
	double(*kept)[RATES_MAX] = wl_host(w, STEPS_MAX + 1, sizeof(*kept));
	struct wl_dim grid = wl_dim(blocks, 1, 1), block = wl_dim(THREADS, 1, 1);
	struct wl_rng rng;

	if (!wl_failed(w) && (m.rates <= m.steps || m.rates - m.steps > STEPS_MAX))
		wl_fail(w, "libor: rates=%d must be 1 to %d more than steps=%d", m.rates, STEPS_MAX,
			m.steps);
	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (size_t i = 0; i < numbers; i++)
		z.f[i] = wl_param(w, "drawn") ? draw(&rng) : 0.3f;
	fill_constants(w, &m, maturity);
	wl_upload(w, &z);
	wl_registers(w, 32); /* TBC table 1: 8 blocks of 64 on 16384 registers */
	WL_LAUNCH(w, "libor_value", grid, block, 0, wl_p(&plain), wl_p(&z));
	WL_LAUNCH(w, "libor_greeks", grid, block, 0, wl_p(&values), wl_p(&d_last), wl_p(&z));
	for (uint32_t p = 0; p < paths && !wl_failed(w); p++) {
		evolve(&m, z.f + p, paths, kept);
		want[p][0] = want[p][1] = price(&m, kept, 0).value;
		want_d[p][0] = price(&m, kept, -DOUBT).d_last;
		want_d[p][1] = price(&m, kept, DOUBT).d_last;
	}
	check(w, &plain, (const double(*)[2])want, paths);
	check(w, &values, (const double(*)[2])want, paths);
	check(w, &d_last, (const double(*)[2])want_d, paths);
}

const struct workload wl_libor = {
	.name = "libor",
	.cls = "COH",
	.papers = "tbc",
	.suite = "Bakhoda",
	.summary = "swaptions on Monte Carlo paths of forward rates, with a derivative",
	.params =
		{
			{"blocks", 64, 1, 65535, "blocks of 64 paths"},
			{"rates", 16, 2, RATES_MAX, "forward rates"},
			{"steps", 8, 1, STEPS_MAX, "steps to the first maturity"},
			{"drawn", 0, 0, 1, "0: all random numbers are 0.3, as the original's"},
		},
	.tiny = "blocks=1,rates=8,steps=4,drawn=1",
	.run = run,
};
