/* The column of wp on the CPU: what the kernel does to one, for the check and for making input. */
#ifndef WP_COLUMN_H
#define WP_COLUMN_H

#define WP_LEVELS_MAX 40

struct wp_level {
	float t;                    /* potential temperature, K */
	float q, qc, qi, qr, qs;    /* vapour, cloud water, ice, rain, snow: kg in a kg of air */
	float den, exner, p, depth; /* kg / m^3, (p / 100000)^(2/7), Pa, m */
};

struct wp_ground {
	float rain_now, rain, snow; /* kg / m^2 of this step, of all, and of snow and ice */
	float snow_share;           /* of this step */
};

/* One step of dt seconds over the levels from the ground upwards. */
void wp_column(struct wp_level *levels, int n, float dt, struct wp_ground *ground);

/* The mixing ratio of air saturated over water, at temperature t in K and pressure p in Pa. */
float wp_saturated(float t, float p);
float wp_power(float x, float y);

#endif
