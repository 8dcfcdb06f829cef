/*
 * Random numbers that are the same on every machine: xoshiro256** (Blackman, Vigna, "Scrambled
 * linear pseudorandom number generators", TOMS 2021), its state filled by splitmix64 (Steele, Lea,
 * Flood, OOPSLA 2014). Not for secrets.
 */
#include "workload.h"

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void wl_rng_seed(struct wl_rng *r, uint64_t seed, uint64_t stream)
{
	/* Each step is a bijection of the 64 bits, so streams of one seed never coincide. */
	uint64_t state = splitmix(&seed) ^ stream;

	for (unsigned i = 0; i < 4; i++)
		r->s[i] = splitmix(&state);
}

static uint64_t rotl(uint64_t v, unsigned by)
{
	return v << by | v >> (64 - by);
}

uint64_t wl_u64(struct wl_rng *r)
{
	uint64_t *s = r->s;
	uint64_t result = rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

/*
 * The high half of a 32 x 32-bit product, without its bias: Lemire, TOMACS 2019. Below 0, which a
 * workload may ask for after a failure, lies 0.
 */
uint32_t wl_below(struct wl_rng *r, uint32_t n)
{
	uint64_t product = (wl_u64(r) >> 32) * n;

	if ((uint32_t)product < n) {
		uint32_t surplus = -n % n; /* 2^32 mod n */
		while ((uint32_t)product < surplus)
			product = (wl_u64(r) >> 32) * n;
	}
	return (uint32_t)(product >> 32);
}

float wl_unit(struct wl_rng *r)
{
	return (float)(wl_u64(r) >> 40) * 0x1p-24f;
}
