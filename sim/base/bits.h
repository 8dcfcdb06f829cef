/* Small bit sets of up to 2048 members: warp slots of an SM. */
#ifndef SIM_BASE_BITS_H
#define SIM_BASE_BITS_H

#include <stdint.h>
#include <string.h>

#define SIM_BITS_MAX 2048
#define SIM_BITS_WORDS (SIM_BITS_MAX / 64)

struct sim_bits {
	uint32_t words; /* in use */
	uint64_t w[SIM_BITS_WORDS];
};

/* How many bits are set: without an instruction for it in the base set of x86-64, and no call. */
static inline uint32_t sim_ones(uint64_t m)
{
	m -= m >> 1 & 0x5555555555555555ull;
	m = (m & 0x3333333333333333ull) + (m >> 2 & 0x3333333333333333ull);
	m = (m + (m >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (uint32_t)(m * 0x0101010101010101ull >> 56);
}

static inline void sim_bits_init(struct sim_bits *b, uint32_t n)
{
	memset(b, 0, sizeof(*b));
	b->words = (n + 63) / 64;
}

static inline void sim_bits_set(struct sim_bits *b, uint32_t i)
{
	b->w[i / 64] |= 1ull << (i % 64);
}

static inline void sim_bits_clear(struct sim_bits *b, uint32_t i)
{
	b->w[i / 64] &= ~(1ull << (i % 64));
}

static inline int sim_bits_has(const struct sim_bits *b, uint32_t i)
{
	return b->w[i / 64] >> (i % 64) & 1;
}

static inline int sim_bits_any(const struct sim_bits *b)
{
	uint64_t any = 0;

	for (uint32_t k = 0; k < b->words; k++)
		any |= b->w[k];
	return any != 0;
}

static inline uint32_t sim_bits_count(const struct sim_bits *b)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < b->words; k++)
		n += sim_ones(b->w[k]);
	return n;
}

/* The first member at or after `from`, or UINT32_MAX. */
static inline uint32_t sim_bits_next(const struct sim_bits *b, uint32_t from)
{
	uint32_t k = from / 64;
	uint64_t w;

	if (k >= b->words)
		return UINT32_MAX;
	w = b->w[k] & (UINT64_MAX << (from % 64));
	while (!w) {
		if (++k >= b->words)
			return UINT32_MAX;
		w = b->w[k];
	}
	return k * 64 + (uint32_t)__builtin_ctzll(w);
}

#endif
