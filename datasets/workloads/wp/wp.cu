/*
 * A step of cloud microphysics for numerical weather prediction: WSM5, the single-moment scheme of
 * five species of water (Hong, Dudhia, Chen 2004) as WRF has it and as GPGPU-Sim's WP ran it: one
 * column a thread, blocks of 8 x 8. Vapour q, cloud water qc, cloud ice qi, rain qr and snow qs
 * fall, melt, freeze, collect one another, grow and shrink by vapour; each process asks first
 * whether its species are there. Fields are [level][y][x] in global memory, read and written anew
 * by each loop over the levels; fall speeds are a local array. Only choices of one value are
 * selects, as in any compiler, the last of condense among them.
 */
#include "cuda.h"

#define LEVELS_MAX 40

/* Constants of the scheme; what follows from others stands with its formula. SI units. */
#define T_FREEZE 273.15f
#define T_TRIPLE 273.16f
#define Q_MIN 1e-15f /* of cloud and vapour: below it there is none */
#define QR_MIN 1e-9f /* of rain and snow: below it the smallest drops */
#define CP_DRY 1004.5f
#define CP_VAPOUR 1846.4f
#define R_VAPOUR 461.6f
#define EPSILON 0.621750433f /* gas constants of dry air over vapour, 287 / 461.6 */
#define E_TRIPLE 610.78f     /* saturation vapour pressure at the triple point */
#define L_VAPOUR 2.5e6f      /* latent heats */
#define L_VAPOUR_SLOPE 2343.6f
#define L_SUBLIME 2.85e6f
#define L_FUSION 3.5e5f
#define WATER_A 5.07712305f /* 2343.6 / 461.6 */
#define WATER_B 24.9041275f /* the same + 2.5e6 / (461.6 * 273.16) */
#define ICE_A 0.562391681f  /* 259.6 / 461.6 */
#define ICE_B 23.1651768f   /* the same + 2.85e6 / (461.6 * 273.16) */
#define PI 3.14159265f
#define DEN_SURFACE 1.28f
#define DEN_WATER 1000.0f
#define N_CLOUD 3e8f               /* droplets in a cubic metre */
#define QC_CONVERTS 5.02654825e-4f /* 4/3 pi 1000 0.000008^3 3e8 / 1.28 */
#define K_CONVERTS 6.7738954f      /* 0.104 9.8 0.55 / (3e8 1000)^(1/3) / 1.718e-5 1.28^(4/3) */
#define RAIN_N0 2.51327412e10f     /* pi 1000 8e6: density and intercept of the drops */
#define SNOW_N0 6.28318531e8f      /* pi 100 2e6 */
#define SNOW_N 2e6f
#define SNOW_N_MOST 1e11f
#define RAIN_SLOPE_MIN 1.25e-5f /* 1 / 80000 */
#define SNOW_SLOPE_MIN 1e-5f
#define RAIN_B 0.8f /* exponents of fall speeds */
#define SNOW_B 0.41f
#define RAIN_SLOPE_B_MIN 1.19544062e-4f /* 80000^-0.8 */
#define SNOW_SLOPE_B_MIN 8.91250938e-3f /* 100000^-0.41 */
#define RAIN_FALL 2502.94933f           /* 841.9 gamma(4.8) / 6 */
#define SNOW_FALL 20.0712893f           /* 11.72 gamma(4.41) / 6 */
#define RAIN_COLLECTS 2.48313071e10f    /* pi 8e6 841.9 gamma(3.8) / 4 */
#define SNOW_COLLECTS 5.54743241e7f     /* pi 2e6 11.72 gamma(3.41) / 4 */
#define RAIN_VAPOUR_1 3.92070763e7f     /* 2 pi 8e6 0.78 */
#define RAIN_VAPOUR_2 8.2619916e8f      /* 2 pi 8e6 0.31 sqrt(841.9) gamma(2.9) */
#define SNOW_VAPOUR_1 5.2e6f            /* 4 2e6 0.65 */
#define SNOW_VAPOUR_2 1.868870699e7f    /* 4 2e6 0.44 sqrt(11.72) gamma(2.705) */
#define ICE_FALL 1.49e4f
#define ICE_FALL_B 1.31f
#define ICE_DIAMETER 11.9f
#define ICE_DIAMETER_MOST 5e-4f
#define QI_MOST 8.125e-5f /* 2.08e22 0.0005^8 */
#define FREEZES_1 100.0f  /* Bigg's freezing of drops */
#define FREEZES_2 0.66f
#define RAIN_FREEZES 1.57913670e14f /* 20 pi^2 100 8e6 1000 */
#define CLOUD_STEP 120.0f           /* longest step of the scheme, in seconds */

/* Of drops of exponentially distributed size: 1 / slope, that to the speed's exponent, powers. */
struct slope {
	float r, b, r2, r3;
};

WL_INLINE float power(float x, float y)
{
	return exp2f(y * __log2f(x));
}

WL_INLINE float heat_capacity(float q)
{
	return CP_DRY * (1 - fmaxf(q, Q_MIN)) + fmaxf(q, Q_MIN) * CP_VAPOUR;
}

WL_INLINE float latent_heat(float t)
{
	return L_VAPOUR - L_VAPOUR_SLOPE * (t - T_FREEZE);
}

/* The mixing ratio of saturated air. */
WL_INLINE float saturation(float t, float p, float a, float b)
{
	float tr = T_TRIPLE / t;
	float e = fminf(E_TRIPLE * power(tr, a) * __expf(b * (1 - tr)), 0.99f * p);

	return fmaxf(EPSILON * e / (p - e), Q_MIN);
}

WL_INLINE float viscosity(float t, float den)
{
	return 1.496e-6f * (t * sqrtf(t)) / (t + 120) / den;
}

WL_INLINE float conductivity(float t, float den)
{
	return 1414.0f * viscosity(t, den) * den;
}

WL_INLINE float diffusivity(float t, float p)
{
	return 8.794e-5f * power(t, 1.81f) / p;
}

/* What holds back growth by vapour: the heat that must be led off, and diffusion. */
WL_INLINE float resistance(float latent, float p, float t, float den, float saturated)
{
	return den * latent * latent / (conductivity(t, den) * R_VAPOUR * t * t) +
	       1 / (saturated * diffusivity(t, p));
}

WL_INLINE float ventilation(float p, float t, float den)
{
	float v = viscosity(t, den);

	return power(v / diffusivity(t, p), 1.0f / 3) / sqrtf(v) * sqrtf(sqrtf(DEN_SURFACE / den));
}

/* Snow has more, smaller flakes the colder it is: the factor to its intercept. */
WL_INLINE float snow_factor(float supercooling)
{
	return fmaxf(fminf(__expf(0.12f * supercooling), SNOW_N_MOST / SNOW_N), 1);
}

WL_INLINE slope rain_slope(float qr, float den)
{
	slope s;

	if (qr <= QR_MIN) {
		s.r = RAIN_SLOPE_MIN;
		s.b = RAIN_SLOPE_B_MIN;
	} else {
		s.r = 1 / sqrtf(sqrtf(RAIN_N0 / (qr * den)));
		s.b = power(s.r, RAIN_B);
	}
	s.r2 = s.r * s.r;
	s.r3 = s.r2 * s.r;
	return s;
}

WL_INLINE slope snow_slope(float qs, float den, float factor)
{
	slope s;

	if (qs <= QR_MIN) {
		s.r = SNOW_SLOPE_MIN;
		s.b = SNOW_SLOPE_B_MIN;
	} else {
		s.r = 1 / sqrtf(sqrtf(SNOW_N0 * factor / (qs * den)));
		s.b = power(s.r, SNOW_B);
	}
	s.r2 = s.r * s.r;
	s.r3 = s.r2 * s.r;
	return s;
}

WL_INLINE float rain_vapour(const slope &s, float ventilated)
{
	float sizes = s.r2 * sqrtf(s.r * s.b);

	return RAIN_VAPOUR_1 * s.r2 + RAIN_VAPOUR_2 * ventilated * sizes;
}

WL_INLINE float snow_vapour(const slope &s, float ventilated, float factor)
{
	float sizes = s.r2 * sqrtf(s.r * s.b);

	return factor * (SNOW_VAPOUR_1 * s.r2 + SNOW_VAPOUR_2 * ventilated * sizes);
}

/* Crystals in a cubic metre. */
WL_INLINE float ice_number(float qi, float den)
{
	float ice = den * fmaxf(qi, Q_MIN);

	return fminf(fmaxf(5.38e7f * sqrtf(sqrtf(ice * ice * ice)), 1e3f), 1e6f);
}

WL_INLINE float ice_diameter(float qi, float den, float number)
{
	return fmaxf(fminf(ICE_DIAMETER * sqrtf(den * qi / number), ICE_DIAMETER_MOST), 1e-25f);
}

/* How many parts a time step needs, so that nothing falls through more than a layer in one. */
WL_INLINE int parts_for(float layers, int parts)
{
	return max((int)(layers + 1), parts);
}

/* Temperature, the species in one array as in WRF, and what the scheme only reads. */
struct fields {
	float *t, *moist;
	const float *den, *p, *depth;
	int plane, ground, nz;
};

enum { Q, QC, QI, QR, QS };

WL_INLINE float &of(const fields &f, int species, int at)
{
	return f.moist[(unsigned)(species * (f.nz * f.plane)) + (unsigned)at];
}

/*
 * The same index, of which the compiler knows nothing: or else it keeps a pointer into each array
 * in registers through each loop, as compilers for these machines, short of them, do not.
 */
WL_INLINE int here(int at)
{
	asm volatile("" : "+r"(at));
	return at;
}

/* Rain and snow fall, and snow melts where it is warm; kg / m^2 / s that reach the ground. */
WL_INLINE void fall_rain_and_snow(const fields &f, float step, float &rain, float &snow)
{
	struct {
		float rain, snow, melting; /* speeds in layers a second */
	} falls[LEVELS_MAX];
	int parts = 1;

	for (int k = 0; k < f.nz; k++) {
		int at = here(k * f.plane + f.ground);
		float factor = snow_factor(T_FREEZE - f.t[at]);
		slope rs = rain_slope(of(f, QR, at), f.den[at]);
		slope ss = snow_slope(of(f, QS, at), f.den[at], factor);
		float thin = sqrtf(DEN_SURFACE / f.den[at]) / f.depth[at];

		falls[k].rain = RAIN_FALL * rs.b * thin;
		falls[k].snow = SNOW_FALL * ss.b * thin;
		parts = parts_for(fmaxf(falls[k].rain, falls[k].snow) * step, parts);
		if (f.t[at] > T_FREEZE)
			falls[k].melting =
				conductivity(f.t[at], f.den[at]) / L_FUSION * (PI / 2) *
				snow_vapour(ss, ventilation(f.p[at], f.t[at], f.den[at]), factor);
	}
	for (int n = 0; n < parts; n++) {
		float rain_in = 0, snow_in = 0;

		for (int k = f.nz - 1; k >= 0; k--) {
			int at = here(k * f.plane + f.ground);
			float mass = f.den[at] * f.depth[at];
			float rain_out = mass * of(f, QR, at) * falls[k].rain / parts;
			float snow_out = mass * of(f, QS, at) * falls[k].snow / parts;

			of(f, QR, at) =
				fmaxf(of(f, QR, at) - (rain_out - rain_in) * step / mass, 0);
			of(f, QS, at) =
				fmaxf(of(f, QS, at) - (snow_out - snow_in) * step / mass, 0);
			rain_in = rain_out;
			snow_in = snow_out;
			if (f.t[at] > T_FREEZE && of(f, QS, at) > 0) {
				float melt = fminf(
					falls[k].melting * (f.t[at] - T_FREEZE) * step / parts,
					of(f, QS, at) / parts);

				of(f, QS, at) -= melt;
				of(f, QR, at) += melt;
				f.t[at] -= L_FUSION / heat_capacity(of(f, Q, at)) * melt;
			}
		}
		rain += rain_in;
		snow += snow_in;
	}
}

WL_INLINE void fall_ice(const fields &f, float step, float &ice)
{
	float ice_speed[LEVELS_MAX];
	int parts = 1;

	for (int k = 0; k < f.nz; k++) {
		int at = here(k * f.plane + f.ground);
		ice_speed[k] = 0;
		if (of(f, QI, at) > 0) {
			float number = ice_number(of(f, QI, at), f.den[at]);
			float diameter = ice_diameter(of(f, QI, at), f.den[at], number);

			ice_speed[k] = ICE_FALL * power(diameter, ICE_FALL_B) / f.depth[at];
			parts = parts_for(ice_speed[k] * step, parts);
		}
	}
	for (int n = 0; n < parts; n++) {
		float ice_in = 0;

		for (int k = f.nz - 1; k >= 0; k--) {
			int at = here(k * f.plane + f.ground);
			float mass = f.den[at] * f.depth[at];
			float ice_out = mass * of(f, QI, at) * ice_speed[k] / parts;

			of(f, QI, at) = fmaxf(of(f, QI, at) - (ice_out - ice_in) * step / mass, 0);
			ice_in = ice_out;
		}
		ice += ice_in;
	}
}

/* What changes at once when the air of a level is above freezing, or below. */
WL_INLINE void melt_and_freeze(const fields &f, int at, float step)
{
	float cold = T_FREEZE - f.t[at]; /* below freezing by so much */
	float heat = cold < 0 ? L_FUSION : L_SUBLIME - latent_heat(f.t[at]);

	heat /= heat_capacity(of(f, Q, at));
	if (cold < 0 && of(f, QI, at) > 0) { /* ice melts at once */
		of(f, QC, at) += of(f, QI, at);
		f.t[at] -= heat * of(f, QI, at);
		of(f, QI, at) = 0;
	}
	if (cold > 40 && of(f, QC, at) > 0) { /* so does cloud freeze at -40 degrees */
		of(f, QI, at) += of(f, QC, at);
		f.t[at] += heat * of(f, QC, at);
		of(f, QC, at) = 0;
	}
	if (cold > 0 && of(f, QC, at) > 0) { /* droplets freeze on nuclei */
		float frozen =
			fminf(FREEZES_1 * (__expf(FREEZES_2 * cold) - 1) * f.den[at] / DEN_WATER /
					N_CLOUD * of(f, QC, at) * of(f, QC, at) * step,
				of(f, QC, at));

		of(f, QI, at) += frozen;
		f.t[at] += heat * frozen;
		of(f, QC, at) -= frozen;
	}
	if (cold > 0 && of(f, QR, at) > 0) { /* drops freeze to snow */
		slope s = rain_slope(of(f, QR, at), f.den[at]);
		float frozen = fminf(RAIN_FREEZES * (__expf(FREEZES_2 * cold) - 1) *
					     (s.r3 * s.r3 * s.r) / f.den[at] * step,
			of(f, QR, at));

		of(f, QS, at) += frozen;
		f.t[at] += heat * frozen;
		of(f, QR, at) -= frozen;
	}
}

/* The air of a level, what is in it, and what the processes need to know of it. */
struct air {
	float t, p, den, vapour, cloud, ice, rain, snow;
	float cold, latent, factor, thin;
	float over_water, over_ice; /* mixing ratios of saturation */
	float wet, icy;             /* how near to them the air is */
	float water_resists, ice_resists, ventilated;
	slope rain_size, snow_size;
};

/* kg / kg / s, from the first species to the second. */
struct rates {
	float cloud_rain, rain_takes_cloud, vapour_rain;
	float snow_takes_cloud, snow_takes_ice, ice_snow;
	float vapour_ice, vapour_snow, vapour_new_ice;
};

WL_INLINE void look(const fields &f, int at, air &a)
{
	a.t = f.t[at];
	a.p = f.p[at];
	a.den = f.den[at];
	a.vapour = of(f, Q, at);
	a.cloud = of(f, QC, at);
	a.ice = of(f, QI, at);
	a.rain = of(f, QR, at);
	a.snow = of(f, QS, at);
	a.cold = T_FREEZE - a.t;
	a.latent = latent_heat(a.t);
	a.factor = snow_factor(a.cold);
	a.thin = sqrtf(DEN_SURFACE / a.den);
	a.over_water = a.over_ice = saturation(a.t, a.p, WATER_A, WATER_B);
	if (a.t < T_TRIPLE)
		a.over_ice = saturation(a.t, a.p, ICE_A, ICE_B);
	a.wet = fmaxf(a.vapour / a.over_water, Q_MIN);
	a.icy = fmaxf(a.vapour / a.over_ice, Q_MIN);
	a.water_resists = resistance(a.latent, a.p, a.t, a.den, a.over_water);
	a.ice_resists = resistance(L_SUBLIME, a.p, a.t, a.den, a.over_ice);
	a.ventilated = ventilation(a.p, a.t, a.den);
	a.rain_size = rain_slope(a.rain, a.den);
	a.snow_size = snow_slope(a.snow, a.den, a.factor);
}

WL_INLINE void warm_rain(const air &a, float step, rates &x)
{
	const slope &s = a.rain_size;
	float excess = (fmaxf(a.vapour, Q_MIN) - a.over_water) / step;

	if (a.cloud > QC_CONVERTS)
		x.cloud_rain = fminf(K_CONVERTS * power(a.cloud, 7.0f / 3), a.cloud / step);
	if (a.rain > QR_MIN && a.cloud > Q_MIN)
		x.rain_takes_cloud =
			fminf(RAIN_COLLECTS * s.r3 * s.b * a.cloud * a.thin, a.cloud / step);
	if (a.rain > 0) {
		x.vapour_rain = (a.wet - 1) * rain_vapour(s, a.ventilated) / a.water_resists;
		if (x.vapour_rain < 0)
			x.vapour_rain = fmaxf(fmaxf(x.vapour_rain, -a.rain / step), excess / 2);
		else
			x.vapour_rain = fminf(x.vapour_rain, excess / 2);
	}
}

/* Snow collects ice, as it falls past it, and cloud. */
WL_INLINE void snow_collects(const air &a, float step, rates &x)
{
	const slope &s = a.snow_size;

	if (a.cold > 0 && a.snow > QR_MIN && a.ice > Q_MIN) {
		float d = ice_diameter(a.ice, a.den, ice_number(a.ice, a.den));
		float speeds = SNOW_FALL * s.b * a.thin - ICE_FALL * power(d, ICE_FALL_B);
		float area = 2 * s.r3 + 2 * d * s.r2 + d * d * s.r;

		x.snow_takes_ice = fminf(PI * a.ice * __expf(-0.07f * a.cold) * SNOW_N * a.factor *
						 fabsf(speeds) * area / 4,
			a.ice / step);
	}
	if (a.snow > QR_MIN && a.cloud > Q_MIN)
		x.snow_takes_cloud = fminf(
			SNOW_COLLECTS * a.factor * s.r3 * s.b * a.cloud * a.thin, a.cloud / step);
}

/* Ice, snow and new crystals share what is above saturation, until it is used. */
WL_INLINE void frozen_vapour(const air &a, float step, rates &x)
{
	float excess = (fmaxf(a.vapour, Q_MIN) - a.over_ice) / step, left;
	bool used = false;

	if (a.ice > 0) {
		float number = ice_number(a.ice, a.den);
		float d = ice_diameter(a.ice, a.den, number);

		x.vapour_ice = 4 * d * number * (a.icy - 1) / a.ice_resists;
		left = excess - x.vapour_rain;
		if (x.vapour_ice < 0)
			x.vapour_ice =
				fmaxf(fmaxf(fmaxf(x.vapour_ice, excess / 2), left), -a.ice / step);
		else
			x.vapour_ice = fminf(fminf(x.vapour_ice, excess / 2), left);
		used = fabsf(x.vapour_rain + x.vapour_ice) >= fabsf(excess);
	}
	if (a.snow > 0 && !used) {
		x.vapour_snow = (a.icy - 1) * snow_vapour(a.snow_size, a.ventilated, a.factor) /
				a.ice_resists;
		left = excess - x.vapour_rain - x.vapour_ice;
		if (x.vapour_snow < 0)
			x.vapour_snow = fmaxf(
				fmaxf(fmaxf(x.vapour_snow, excess / 2), left), -a.snow / step);
		else
			x.vapour_snow = fminf(fminf(x.vapour_snow, excess / 2), left);
		used = fabsf(x.vapour_rain + x.vapour_ice + x.vapour_snow) >= fabsf(excess);
	}
	if (excess > 0 && !used) {
		float nuclei = 1e3f * __expf(0.1f * a.cold);

		left = excess - x.vapour_rain - x.vapour_ice - x.vapour_snow;
		x.vapour_new_ice =
			fmaxf((4.92e-11f * power(nuclei, 1.33f) / a.den - a.ice) / step, 0);
		x.vapour_new_ice = fminf(fminf(x.vapour_new_ice, excess), left);
	}
	if (a.ice > 0)
		x.ice_snow = fmaxf((a.ice - QI_MOST / a.den) / step, 0);
}

/* A division that the compiler leaves after its branch, in place of dividing always. */
WL_INLINE float share_of(float has, float gives)
{
	asm volatile("" : "+f"(gives));
	return has / gives;
}

/* No species gives more than there is: all that it gives shrinks alike. */
WL_INLINE void limit_cloud(const air &a, float step, rates &x)
{
	float gives = (x.cloud_rain + x.rain_takes_cloud + x.snow_takes_cloud) * step;
	float has = fmaxf(a.cloud, Q_MIN);

	if (gives > has) {
		float share = share_of(has, gives);

		x.cloud_rain *= share;
		x.rain_takes_cloud *= share;
		x.snow_takes_cloud *= share;
	}
}

WL_INLINE void limit_ice(const air &a, float step, rates &x)
{
	float gives = (x.ice_snow + x.snow_takes_ice - x.vapour_new_ice - x.vapour_ice) * step;
	float has = fmaxf(a.ice, Q_MIN);

	if (gives > has) {
		float share = share_of(has, gives);

		x.ice_snow *= share;
		x.snow_takes_ice *= share;
		x.vapour_new_ice *= share;
		x.vapour_ice *= share;
	}
}

WL_INLINE void limit_rain_and_snow(const air &a, float step, float shed, float rimed, rates &x)
{
	float gives = (-x.cloud_rain - x.rain_takes_cloud - x.vapour_rain - shed) * step;
	float has = fmaxf(a.rain, Q_MIN);

	if (gives > has)
		x.vapour_rain *= share_of(has, gives);
	gives = (-x.vapour_snow - x.ice_snow - x.snow_takes_ice - rimed) * step;
	has = fmaxf(a.snow, Q_MIN);
	if (gives > has)
		x.vapour_snow *= share_of(has, gives);
}

/* What the species of a level take from one another. */
WL_INLINE void exchange(const fields &f, int at, float step)
{
	air a;
	rates x = {0, 0, 0, 0, 0, 0, 0, 0, 0};

	look(f, at, a);
	warm_rain(a, step, x);
	snow_collects(a, step, x);
	if (a.cold > 0) {
		frozen_vapour(a, step, x);
	} else if (a.snow > 0 && a.wet < 1) { /* melting snow evaporates */
		x.vapour_snow = (a.wet - 1) * snow_vapour(a.snow_size, a.ventilated, a.factor) /
				a.water_resists;
		x.vapour_snow = fminf(fmaxf(x.vapour_snow, -a.snow / step), 0);
	}
	limit_cloud(a, step, x);
	limit_ice(a, step, x);

	bool warm = a.t > T_FREEZE;
	float rimed = warm ? 0 : x.snow_takes_cloud; /* of the cloud on snow what freezes, */
	float shed = x.snow_takes_cloud - rimed;     /* and what runs off */
	limit_rain_and_snow(a, step, shed, rimed, x);

	float cloud_water = x.cloud_rain + x.rain_takes_cloud + shed;
	float crystals = x.ice_snow + x.snow_takes_ice, to_ice = x.vapour_ice + x.vapour_new_ice;
	at = here(at);
	of(f, Q, at) = a.vapour - (x.vapour_rain + x.vapour_snow + to_ice) * step;
	of(f, QC, at) = fmaxf(a.cloud - (cloud_water + rimed) * step, 0);
	of(f, QR, at) = fmaxf(a.rain + (cloud_water + x.vapour_rain) * step, 0);
	of(f, QI, at) = fmaxf(a.ice + (to_ice - crystals) * step, 0);
	of(f, QS, at) = fmaxf(a.snow + (crystals + rimed + x.vapour_snow) * step, 0);
	f.t[at] = a.t + ((warm ? a.latent : L_SUBLIME) * x.vapour_snow + L_SUBLIME * to_ice +
				a.latent * x.vapour_rain + (L_SUBLIME - a.latent) * rimed) /
				heat_capacity(a.vapour) * step;
}

/* Cloud takes up what is above saturation over water, or gives what is missing. */
WL_INLINE void condense(const fields &f, int at)
{
	float tk = f.t[at], v = fmaxf(of(f, Q, at), Q_MIN), c = of(f, QC, at);
	float cpm = heat_capacity(of(f, Q, at)), latent = latent_heat(tk);
	float over_water = saturation(tk, f.p[at], WATER_A, WATER_B);
	float excess = (v - over_water) /
		       (1 + latent * latent / (R_VAPOUR * cpm) * over_water / (tk * tk));
	float condenses = fminf(fmaxf(excess, 0), v);

	if (c > 0 && excess < 0)
		condenses = fmaxf(excess, -c);
	of(f, Q, at) -= condenses;
	of(f, QC, at) = fmaxf(c + condenses, 0);
	f.t[at] += condenses * latent / cpm;
	if (of(f, QC, at) <= Q_MIN)
		of(f, QC, at) = 0;
	if (of(f, QI, at) <= Q_MIN)
		of(f, QI, at) = 0;
}

extern "C" __global__ void wsm5(float *t, float *moist, const float *den, const float *exner,
	const float *p, const float *depth, float *fallen, float dt, int nx, int ny, int nz)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int ground = y * nx + x, plane = nx * ny;
	fields f = {t, moist, den, p, depth, plane, ground, nz};

	if (x >= nx || y >= ny)
		return;

	/* Potential temperature comes in and goes out, temperature is between. */
	for (int at = ground; at < nz * plane; at += plane) {
		t[at] *= exner[at];
		for (int species = QC; species <= QS; species++)
			of(f, species, at) = fmaxf(of(f, species, at), 0);
	}
	/* What fell: in this step, in all, as snow and ice, and what share that was of this step's.
	 */
	fallen[ground] = 0;
	fallen[3 * plane + ground] = 0;

	int rounds = max((int)(dt / CLOUD_STEP + 0.5f), 1);
	float step = dt / rounds;

	for (int round = 0; round < rounds; round++) {
		float rain = 0, snow = 0, ice = 0;

		fall_rain_and_snow(f, step, rain, snow);
		fall_ice(f, step, ice);

		float sum = (rain + snow + ice) * step; /* kg / m^2: millimetres */
		float frozen = (snow + ice) * step;
		float *now = fallen + here(ground);
		if (sum > 0) {
			now[0] += sum;
			now[plane] += sum;
		}
		if (frozen > 0) {
			now[2 * plane] += frozen;
			now[3 * plane] = frozen / (now[0] + 1e-12f);
		}
		for (int at = ground; at < nz * plane; at += plane)
			melt_and_freeze(f, here(at), step);
		for (int at = ground; at < nz * plane; at += plane)
			exchange(f, here(at), step);
		for (int at = ground; at < nz * plane; at += plane)
			condense(f, here(at));
	}
	for (int at = ground; at < nz * plane; at += plane)
		t[at] /= exner[at];
}
