/*
 * WSM5 for one column, in plain C: level after level with the names of rates that the papers on the
 * scheme use, where the kernel goes over its fields in loops of their own. Constants are worked out
 * from the scheme's basic ones. Operations on floats have the kernel's order and are fused where
 * its are, and powers come from the PTX machine's own 2^x and log2: the scheme decides by
 * thresholds all over, so only equal bits can be compared.
 */
#include "datasets/workloads/wp/column.h"
#include "sim/ptx/approx.h"
#include <math.h>
#include <stdbool.h>

#define T0 273.15f
#define QMIN 1e-15f
#define QCRMIN 1e-9f
#define PI 3.14159265358979324
#define RV 461.6f
#define XLS 2.85e6f
#define XLF0 3.5e5f
#define DEN0 1.28f
#define N0R 8e6
#define N0S 2e6
#define AVTR 841.9 /* fall speeds a D^b of rain and of snow */
#define AVTS 11.72

/* The gamma function, and roots. */
#define GAMMA_2705 1.5508606820316817
#define GAMMA_29 1.8273550806240353
#define GAMMA_341 3.013314982995661
#define GAMMA_38 4.694174205740421
#define GAMMA_441 10.275404092015203
#define GAMMA_48 17.8378619818136
#define SQRT_AVTR 29.015513092137454
#define SQRT_AVTS 3.423448553724738
#define CUBE_ROOT_3E11 6694.329500821692
#define DEN0_4_3 1.389781819696592

static const float eps = (float)(287 / 461.6);
static const float xa = (float)(2343.6 / 461.6), xai = (float)(259.6 / 461.6);
static const float xb = (float)(2343.6 / 461.6 + 2.5e6 / (461.6 * 273.16));
static const float xbi = (float)(259.6 / 461.6 + 2.85e6 / (461.6 * 273.16));
static const float qc0 = (float)(4.0 / 3 * PI * 1000 * 0.8e-5 * 0.8e-5 * 0.8e-5 * 3e8 / 1.28);
static const float qck1 = (float)(0.104 * 9.8 * 0.55 / CUBE_ROOT_3E11 / 1.718e-5 * DEN0_4_3);
static const float pidn0r = (float)(PI * 1000 * N0R), pidn0s = (float)(PI * 100 * N0S);
static const float pvtr = (float)(AVTR * GAMMA_48 / 6), pvts = (float)(AVTS * GAMMA_441 / 6);
static const float pacrr = (float)(PI * N0R * AVTR * GAMMA_38 / 4);
static const float pacrc = (float)(PI * N0S * AVTS * GAMMA_341 / 4);
static const float precr1 = (float)(2 * PI * N0R * 0.78);
static const float precr2 = (float)(2 * PI * N0R * 0.31 * SQRT_AVTR * GAMMA_29);
static const float precs1 = (float)(4 * N0S * 0.65);
static const float precs2 = (float)(4 * N0S * 0.44 * SQRT_AVTS * GAMMA_2705);
static const float qimax = (float)(2.08e22 * 3.90625e-27); /* 0.0005^8 */
static const float pgfrz = (float)(20 * PI * PI * 100 * N0R * 1000);

float wp_power(float x, float y)
{
	return ptx_ex2(y * ptx_lg2(x));
}

static float exponential(float x)
{
	return ptx_ex2(x * 1.4426950408889634f);
}

static float cpm(float q)
{
	return fmaf(fmaxf(q, QMIN), 1846.4f, 1004.5f * (1 - fmaxf(q, QMIN)));
}

static float xl(float t)
{
	return fmaf(-2343.6f, t - T0, 2.5e6f);
}

static float saturated(float t, float p, float a, float b)
{
	float tr = 273.16f / t;
	float e = fminf(610.78f * wp_power(tr, a) * exponential(b * (1 - tr)), 0.99f * p);

	return fmaxf(eps * e / (p - e), QMIN);
}

float wp_saturated(float t, float p)
{
	return saturated(t, p, xa, xb);
}

static float viscos(const struct wp_level *l)
{
	return 1.496e-6f * (l->t * sqrtf(l->t)) / (l->t + 120) / l->den;
}

static float xka(const struct wp_level *l)
{
	return 1414.0f * viscos(l) * l->den;
}

static float diffus(const struct wp_level *l)
{
	return 8.794e-5f * wp_power(l->t, 1.81f) / l->p;
}

static float diffac(const struct wp_level *l, float latent, float qs)
{
	return l->den * latent * latent / (xka(l) * RV * l->t * l->t) + 1 / (qs * diffus(l));
}

static float venfac(const struct wp_level *l)
{
	float v = viscos(l);

	return wp_power(v / diffus(l), 1.0f / 3) / sqrtf(v) * sqrtf(sqrtf(DEN0 / l->den));
}

static float n0sfac(const struct wp_level *l)
{
	return fmaxf(fminf(exponential(0.12f * (T0 - l->t)), 1e11f / 2e6f), 1);
}

/* 1 / lambda of the drops' or flakes' sizes, and that to the exponent of their speed. */
static float rslope(const struct wp_level *l, float *rslopeb)
{
	float r = l->qr <= QCRMIN ? 1.25e-5f : 1 / sqrtf(sqrtf(pidn0r / (l->qr * l->den)));

	*rslopeb = l->qr <= QCRMIN ? 0.00011954406247375457f : wp_power(r, 0.8f);
	return r;
}

static float sslope(const struct wp_level *l, float *sslopeb)
{
	float s = 1e-5f;

	*sslopeb = 0.008912509381337459f;
	if (l->qs > QCRMIN) {
		s = 1 / sqrtf(sqrtf(pidn0s * n0sfac(l) / (l->qs * l->den)));
		*sslopeb = wp_power(s, 0.41f);
	}
	return s;
}

/* How well rain and snow exchange vapour or heat with the air. */
static float rain_exchange(const struct wp_level *l)
{
	float b, r = rslope(l, &b);

	return fmaf(precr1, r * r, precr2 * venfac(l) * (r * r * sqrtf(r * b)));
}

static float snow_exchange(const struct wp_level *l)
{
	float b, s = sslope(l, &b);

	return n0sfac(l) * fmaf(precs1, s * s, precs2 * venfac(l) * (s * s * sqrtf(s * b)));
}

static float xni(const struct wp_level *l)
{
	float ice = l->den * fmaxf(l->qi, QMIN);

	return fminf(fmaxf(5.38e7f * sqrtf(sqrtf(ice * ice * ice)), 1e3f), 1e6f);
}

static float ice_diameter(const struct wp_level *l)
{
	return fmaxf(fminf(11.9f * sqrtf(l->den * l->qi / xni(l)), 500e-6f), 1e-25f);
}

/* One species falls a part of a step in one level: what comes in at the top goes on as *flux. */
static void fall(
	float *q, float *flux, const struct wp_level *l, float speed, float step, int parts)
{
	float mass = l->den * l->depth;
	float out = mass * *q * speed / (float)parts;

	*q = fmaxf(*q - (out - *flux) * step / mass, 0);
	*flux = out;
}

/* Of the fastest's speed. */
static int mstep(float most, float step)
{
	int parts = (int)fmaf(most, step, 1);

	return parts > 1 ? parts : 1;
}

static void sediment(struct wp_level *l, int n, float step, float *rain, float *white)
{
	float vr[WP_LEVELS_MAX], vs[WP_LEVELS_MAX], vi[WP_LEVELS_MAX], melts[WP_LEVELS_MAX];
	float b, most = 0, most_ice = 0, ice = 0, snow = 0;
	int parts;

	for (int k = 0; k < n; k++) {
		float thin = sqrtf(DEN0 / l[k].den) / l[k].depth;

		rslope(&l[k], &b);
		vr[k] = pvtr * b * thin;
		sslope(&l[k], &b);
		vs[k] = pvts * b * thin;
		vi[k] = 0;
		if (l[k].qi > 0)
			vi[k] = 1.49e4f * wp_power(ice_diameter(&l[k]), 1.31f) / l[k].depth;
		melts[k] = xka(&l[k]) / XLF0 * (float)(PI / 2) * snow_exchange(&l[k]);
		most = fmaxf(most, fmaxf(vr[k], vs[k]));
		most_ice = fmaxf(most_ice, vi[k]);
	}
	*rain = 0;
	parts = mstep(most, step);
	for (int i = 0; i < parts; i++) {
		float rain_flux = 0, snow_flux = 0;

		for (int k = n - 1; k >= 0; k--) {
			float psmlt = 0;

			fall(&l[k].qr, &rain_flux, &l[k], vr[k], step, parts);
			fall(&l[k].qs, &snow_flux, &l[k], vs[k], step, parts);
			if (l[k].t > T0)
				psmlt = fminf(melts[k] * (l[k].t - T0) * step / (float)parts,
					l[k].qs / (float)parts);
			l[k].qs -= psmlt;
			l[k].qr += psmlt;
			l[k].t = fmaf(-XLF0 / cpm(l[k].q), psmlt, l[k].t);
		}
		*rain += rain_flux;
		snow += snow_flux;
	}
	parts = mstep(most_ice, step);
	for (int i = 0; i < parts; i++) {
		float flux = 0;

		for (int k = n - 1; k >= 0; k--)
			fall(&l[k].qi, &flux, &l[k], vi[k], step, parts);
		ice += flux;
	}
	*rain = (*rain + snow + ice) * step;
	*white = (snow + ice) * step;
}

/* pimlt, pihmf, pihtf and pgfrz: phases that change as the temperature commands. */
static void melt_and_freeze(struct wp_level *l, float step)
{
	float supcol = T0 - l->t, b, r;
	float heat = (supcol < 0 ? XLF0 : XLS - xl(l->t)) / cpm(l->q);
	float bigg = supcol > 0 ? exponential(0.66f * supcol) - 1 : 0, change;

	if (supcol < 0) {
		l->qc += l->qi;
		l->t = fmaf(-heat, l->qi, l->t);
		l->qi = 0;
		return;
	}
	if (supcol > 40) {
		l->qi += l->qc;
		l->t = fmaf(heat, l->qc, l->t);
		l->qc = 0;
	}
	change = fminf(100.0f * bigg * l->den / 1000.0f / 3e8f * l->qc * l->qc * step, l->qc);
	l->qi += change;
	l->t = fmaf(heat, change, l->t);
	l->qc -= change;
	if (l->qr > 0) {
		r = rslope(l, &b);
		change = fminf(pgfrz * bigg * (r * r * r * (r * r * r) * r) / l->den * step, l->qr);
		l->qs += change;
		l->t = fmaf(heat, change, l->t);
		l->qr -= change;
	}
}

/* A rate of growth by vapour, or of loss: within half of the excess, what is left of it, the stock.
 */
static float bounded(float rate, float half, float left, float stock)
{
	return rate < 0 ? fmaxf(fmaxf(fmaxf(rate, half), left), -stock)
			: fminf(fminf(rate, half), left);
}

struct rates {
	float praut, pracw, prevp, psacw, psaci, psaut, pidep, psdep, pigen;
};

static struct rates rates_of(const struct wp_level *l, float step)
{
	struct rates p = {0};
	float qs1 = wp_saturated(l->t, l->p), qs2 = qs1;
	float supcol = T0 - l->t, thin = sqrtf(DEN0 / l->den), factor = n0sfac(l);
	float rb, sb, r = rslope(l, &rb), s = sslope(l, &sb), d = ice_diameter(l);
	float satdt, rh1, rh2;
	bool snowing = l->qs > QCRMIN, used = false;

	if (l->t < 273.16f)
		qs2 = saturated(l->t, l->p, xai, xbi);
	rh1 = fmaxf(l->q / qs1, QMIN);
	rh2 = fmaxf(l->q / qs2, QMIN);
	if (l->qc > qc0)
		p.praut = fminf(qck1 * wp_power(l->qc, 7.0f / 3), l->qc / step);
	if (l->qr > QCRMIN && l->qc > QMIN)
		p.pracw = fminf(pacrr * (r * r * r) * rb * l->qc * thin, l->qc / step);
	satdt = (fmaxf(l->q, QMIN) - qs1) / step;
	if (l->qr > 0) {
		p.prevp = (rh1 - 1) * rain_exchange(l) / diffac(l, xl(l->t), qs1);
		p.prevp = p.prevp < 0 ? fmaxf(fmaxf(p.prevp, -l->qr / step), satdt / 2)
				      : fminf(p.prevp, satdt / 2);
	}
	if (snowing && l->qc > QMIN)
		p.psacw = fminf(pacrc * factor * (s * s * s) * sb * l->qc * thin, l->qc / step);
	if (supcol <= 0) { /* psevp */
		if (l->qs > 0 && rh1 < 1)
			p.psdep = fminf(0, fmaxf(-l->qs / step, (rh1 - 1) * snow_exchange(l) /
									diffac(l, xl(l->t), qs1)));
		return p;
	}
	if (snowing && l->qi > QMIN) {
		float apart = fabsf(fmaf(pvts * sb, thin, -1.49e4f * wp_power(d, 1.31f)));
		float area = fmaf(d * d, s, fmaf(2 * d, s * s, 2 * (s * s * s)));

		p.psaci = fminf((float)PI * l->qi * exponential(-0.07f * supcol) * 2e6f * factor *
					apart * area / 4,
			l->qi / step);
	}
	satdt = (fmaxf(l->q, QMIN) - qs2) / step;
	if (l->qi > 0) {
		p.pidep = bounded(4 * d * xni(l) * (rh2 - 1) / diffac(l, XLS, qs2), satdt / 2,
			satdt - p.prevp, l->qi / step);
		used = fabsf(p.prevp + p.pidep) >= fabsf(satdt);
		p.psaut = fmaxf((l->qi - qimax / l->den) / step, 0);
	}
	if (l->qs > 0 && !used) {
		p.psdep = bounded((rh2 - 1) * snow_exchange(l) / diffac(l, XLS, qs2), satdt / 2,
			satdt - p.prevp - p.pidep, l->qs / step);
		used = fabsf(p.prevp + p.pidep + p.psdep) >= fabsf(satdt);
	}
	if (satdt > 0 && !used) {
		float crystals = 4.92e-11f * wp_power(1e3f * exponential(0.1f * supcol), 1.33f);

		p.pigen = fminf(fminf(fmaxf((crystals / l->den - l->qi) / step, 0), satdt),
			satdt - p.prevp - p.pidep - p.psdep);
	}
	return p;
}

static float share(float gives, float has)
{
	return gives > fmaxf(has, QMIN) ? fmaxf(has, QMIN) / gives : 1;
}

static void exchange(struct wp_level *l, float step)
{
	struct rates p = rates_of(l, step);
	bool warm = l->t > T0;
	float latent = xl(l->t), capacity = cpm(l->q);
	float part, rimed, shed, ice, snow, cloud, heat;

	part = share((p.praut + p.pracw + p.psacw) * step, l->qc);
	p.praut *= part;
	p.pracw *= part;
	p.psacw *= part;
	part = share((p.psaut + p.psaci - p.pigen - p.pidep) * step, l->qi);
	p.psaut *= part;
	p.psaci *= part;
	p.pigen *= part;
	p.pidep *= part;
	rimed = warm ? 0 : p.psacw;
	shed = warm ? p.psacw : 0;
	p.prevp *= share((-p.praut - p.pracw - p.prevp - shed) * step, l->qr);
	p.psdep *= share((-p.psdep - p.psaut - p.psaci - rimed) * step, l->qs);
	cloud = p.praut + p.pracw + shed;
	snow = p.psaut + p.psaci;
	ice = p.pidep + p.pigen;
	l->q = fmaf(-(p.prevp + p.psdep + ice), step, l->q);
	l->qc = fmaxf(fmaf(-(cloud + rimed), step, l->qc), 0);
	l->qr = fmaxf(fmaf(cloud + p.prevp, step, l->qr), 0);
	l->qi = fmaxf(fmaf(ice - snow, step, l->qi), 0);
	l->qs = fmaxf(fmaf(snow + rimed + p.psdep, step, l->qs), 0);
	heat = fmaf(XLS, ice, (warm ? latent : XLS) * p.psdep);
	heat = fmaf(XLS - latent, rimed, fmaf(latent, p.prevp, heat));
	l->t = fmaf(heat / capacity, step, l->t);
}

/* pcond, and traces of cloud and ice are dropped. */
static void condense(struct wp_level *l)
{
	float qs1 = wp_saturated(l->t, l->p), c = cpm(l->q), latent = xl(l->t);
	float q = fmaxf(l->q, QMIN);
	float work = (q - qs1) / (1 + latent * latent / (RV * c) * qs1 / (l->t * l->t));
	float pcond = work < 0 ? fmaxf(work, -l->qc) : fminf(work, q);

	l->q -= pcond;
	l->qc = fmaxf(l->qc + pcond, 0);
	l->t += pcond * latent / c;
	l->qc = l->qc <= QMIN ? 0 : l->qc;
	l->qi = l->qi <= QMIN ? 0 : l->qi;
}

void wp_column(struct wp_level *l, int n, float dt, struct wp_ground *ground)
{
	int rounds = (int)(dt / 120 + 0.5f) > 1 ? (int)(dt / 120 + 0.5f) : 1;
	float step = dt / (float)rounds, fell, white;

	for (int k = 0; k < n; k++)
		l[k].t *= l[k].exner;
	ground->rain_now = ground->snow_share = 0;
	for (int i = 0; i < rounds; i++) {
		sediment(l, n, step, &fell, &white);
		ground->rain_now += fell;
		ground->rain += fell;
		ground->snow += white;
		if (white > 0)
			ground->snow_share = white / (ground->rain_now + 1e-12f);
		for (int k = 0; k < n; k++) {
			melt_and_freeze(&l[k], step);
			exchange(&l[k], step);
			condense(&l[k]);
		}
	}
	for (int k = 0; k < n; k++)
		l[k].t /= l[k].exner;
}
