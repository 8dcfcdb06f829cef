/* Random programs for warp policies: no structure that a compiler would give them. */
#ifndef TANGLE_H
#define TANGLE_H

#include "tests/unit/replay_trial.h"

static inline uint64_t mixed(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;
	return x ^ x >> 29;
}

/* Each branch goes either way; from its eighth visit on forward. x: its seed, 2 x + back. */
static inline uint64_t wanders(const struct at *a)
{
	if (a->visit >= 8)
		return !(a->x & 1);
	return mixed(mixed(a->x * 1024 + a->thread) + a->visit + 77 * a->cta) & 1;
}

/* Blocks in a row, each of which ends with a jump, a branch or an exit to anywhere; loads: a load
 * in each. */
static inline void tangle_of(struct kernel *k, uint64_t *rng, int loads)
{
	uint32_t at[12], n = 3 + (uint32_t)((*rng = mixed(*rng + 1)) % 9);

	kernel_begin(k, "tangle");
	for (uint32_t i = 0; i < n; i++)
		at[i] = label(k);
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t die = *rng = mixed(*rng + 1);
		const uint32_t to = (uint32_t)(die >> 8) % n;

		here(k, at[i]);
		op(k, TR_C_INT, reg(k), TR_NONE);
		if (loads)
			load(k, reg(k), TR_NONE, words, 0);
		if (die % 8 == 0 && i + 1 < n)
			jump(k, at[i + 1 + to % (n - i - 1)]);
		else if (die % 8 == 1)
			leave_if(k, wanders, die & ~1ull);
		else
			branch(k, at[to], wanders, (die & ~1ull) | (to <= i));
	}
	kernel_end(k);
}

static inline void tangle(struct kernel *k, uint64_t *rng)
{
	tangle_of(k, rng, 0);
}

#endif
