/*
 * Internal: numbers that no file can know, for hashes. With a hash that is known, a small file may
 * choose what it names so that all of it wants one place, and each search passes all the others.
 * What the tools write does not hang on them.
 */
#ifndef LIBTRACE_CHANCE_H
#define LIBTRACE_CHANCE_H

#include <stdint.h>
#include <sys/random.h>

/* 0 where there is no chance: the searches are right, but may take long. */
static inline uint64_t tr_chance(void)
{
	uint64_t x;

	return getrandom(&x, sizeof(x), GRND_NONBLOCK) == (ssize_t)sizeof(x) ? x : 0;
}

#endif
