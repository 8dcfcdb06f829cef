/*
 * The generators of libcurand: what number comes next, and what a distribution makes of it. Knows
 * nothing of devices and streams. Which sequences these are stands in curand.h.
 */
#ifndef CURAND_NUMBERS_H
#define CURAND_NUMBERS_H

#include "curand.h"
#include <stdbool.h>
#include <stdint.h>

enum { SEQUENCES = 4096, MT_WORDS = 624 };

/* One of the 4096 of XORWOW or MRG32k3a. */
union sequence {
	struct {
		unsigned v[5], d;
	} xorwow;
	struct {
		unsigned s1[3], s2[3];
	} mrg;
};

struct numbers {
	curandRngType_t type; /* none of the DEFAULT ones */
	curandOrdering_t order;
	uint64_t seed, offset;
	unsigned dimensions; /* of quasirandom ones */
	/* Where it stands; not before `ready`. */
	bool ready;
	union sequence *sequences; /* SEQUENCES of them, where it has any */
	unsigned sequence;         /* whose turn it is */
	uint64_t at;               /* of Philox the word, of Sobol' the number in each dimension */
	unsigned mt[MT_WORDS], nmt;
};

enum distribution {
	BITS,
	BITS_64,
	UNIFORM,
	UNIFORM_64,
	NORMAL,
	NORMAL_64,
	LOG_NORMAL,
	LOG_NORMAL_64,
	POISSON
};

/* n numbers that are asked for together, and how far they have come. */
struct request {
	enum distribution what;
	size_t n, done;
	double mean, deviation;
	double *poisson; /* of POISSON: the sums of its probabilities from `least` on */
	size_t least, npoisson;
};

bool numbers_quasi(const struct numbers *g);
bool numbers_64(const struct numbers *g); /* of 64 bits */
/* Do normal numbers come in pairs? */
bool numbers_pairs(const struct numbers *g);
/* Where the options say; false: no memory. */
bool numbers_ready(struct numbers *g);
void numbers_free(struct numbers *g);
/* Of a request: its table, if it wants one. Lambda up to 400,000. False: no memory. */
bool numbers_poisson(struct request *r, double lambda);
size_t numbers_bytes(enum distribution what);
/*
 * The next n of the request, of a size that numbers_bytes says; n is even, or the rest. A generator
 * that is ready.
 */
void numbers_fill(struct numbers *g, struct request *r, void *to, size_t n);

/* Direction vectors of CURAND_WT_DIMENSIONS dimensions; scrambled ones have constants to begin
 * with. */
void numbers_vectors_32(unsigned (*v)[32], unsigned *constants);
void numbers_vectors_64(unsigned long long (*v)[64], unsigned long long *constants);

#endif
