/*
 * Reuse distances: known stacks, a slow stack in an array, and the law that LRU caches of every
 * size, simulated one by one, miss as often as the one histogram says, stores and flushes included.
 */
#include "sim/access/cache.h"
#include "sim/access/reuse.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

static uint64_t use(struct an_reuse *r, uint32_t line)
{
	uint64_t distance = 0;

	assert_int_equal(an_reuse_access(r, line, &distance), 1);
	return distance;
}

static void known_distances(void **unused)
{
	struct an_reuse *r = an_reuse_new();

	(void)unused;
	assert_int_equal(use(r, 0), AN_NEVER);
	assert_int_equal(use(r, 0), 0);
	assert_int_equal(use(r, 1), AN_NEVER);
	assert_int_equal(use(r, 2), AN_NEVER);
	assert_int_equal(use(r, 0), 2);
	assert_int_equal(use(r, 2), 1);
	assert_int_equal(use(r, 1), 2);
	an_reuse_clear(r);
	assert_int_equal(use(r, 1), AN_NEVER);
	assert_int_equal(use(r, 0), AN_NEVER);
	assert_int_equal(use(r, 1), 1);
	an_reuse_free(r);
}

static void holes(void **unused)
{
	struct an_reuse *r = an_reuse_new();

	(void)unused;
	for (uint32_t line = 0; line < 4; line++)
		use(r, line); /* 3 2 1 0 */
	an_reuse_remove(r, 2);
	an_reuse_remove(r, 2);
	an_reuse_remove(r, 99);
	/* 3 - 1 0: the hole keeps its place below 1 and 0, and 1 leaves one where it was. */
	assert_int_equal(use(r, 1), 2);        /* 1 3 - 0 */
	assert_int_equal(use(r, 0), 3);        /* 0 1 3 - */
	assert_int_equal(use(r, 2), AN_NEVER); /* 2 0 1 3, in the hole */
	assert_int_equal(use(r, 3), 3);
	an_reuse_free(r);
}

/* Distances of `n` uses of `lines` lines, against an array that is shifted. */
static void against_array(uint32_t lines, uint32_t n, uint32_t skew)
{
	struct an_reuse *r = an_reuse_new();
	uint32_t *stack = calloc(lines, sizeof(*stack)), depth = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t line = below(lines), at = 0;

		for (uint32_t k = 0; k < skew; k++)
			line = below(line + 1);
		while (at < depth && stack[at] != line)
			at++;
		assert_int_equal(use(r, line), at == depth ? AN_NEVER : at);
		depth += at == depth;
		memmove(stack + 1, stack, at * sizeof(*stack));
		stack[0] = line;
	}
	free(stack);
	an_reuse_free(r);
}

static void slow_stack(void **unused)
{
	(void)unused;
	for (uint32_t lines = 1; lines < 40; lines++)
		against_array(lines, 3000, lines % 3);
	against_array(2500, 40000, 0);
	against_array(2500, 40000, 2);
	against_array(257, 40000, 0);
}

struct step {
	uint32_t line;
	enum { USE, REMOVE, CLEAR } what;
};

static void random_steps(struct step *s, uint32_t n, uint32_t lines, uint32_t removals)
{
	for (uint32_t i = 0; i < n; i++) {
		s[i].line = below(lines);
		s[i].what = below(100) < removals ? REMOVE : USE;
		if (removals && !below(n / 2))
			s[i].what = CLEAR;
	}
}

static uint64_t simulated_misses(const struct step *s, uint32_t n, uint32_t ways)
{
	const struct sim_geometry g = {.sets = 1, .ways = ways, .line_bytes = 128};
	struct sim_cache_answer a;
	struct sim_cache *c;
	uint64_t misses = 0;

	assert_int_equal(sim_cache_new(&c, &g, SIM_LRU, 0, NULL), 1);
	for (uint32_t i = 0; i < n; i++) {
		if (s[i].what == CLEAR) {
			sim_cache_flush(c);
		} else if (s[i].what == REMOVE) {
			sim_cache_invalidate(c, s[i].line * 128ull);
		} else {
			assert_int_equal(
				sim_cache_access(c, s[i].line * 128ull, NULL, &a, NULL), 1);
			misses += !a.hit;
		}
	}
	sim_cache_free(c);
	return misses;
}

/* Uses by distance; those that miss in every cache stand at [lines]. */
static void histogram(const struct step *s, uint32_t n, uint32_t lines, uint64_t *count)
{
	struct an_reuse *r = an_reuse_new();
	uint64_t d;

	memset(count, 0, (lines + 1) * sizeof(*count));
	for (uint32_t i = 0; i < n; i++) {
		if (s[i].what == CLEAR) {
			an_reuse_clear(r);
		} else if (s[i].what == REMOVE) {
			assert_int_equal(an_reuse_remove(r, s[i].line), 1);
		} else {
			d = use(r, s[i].line);
			assert_true(d == AN_NEVER || d < lines);
			count[d == AN_NEVER ? lines : d]++;
		}
	}
	an_reuse_free(r);
}

static void every_size(uint32_t lines, uint32_t n, uint32_t removals, uint32_t stride)
{
	struct step *s = calloc(n, sizeof(*s));
	uint64_t *count = calloc(lines + 1, sizeof(*count)), hits = 0, uses = 0;

	random_steps(s, n, lines, removals);
	histogram(s, n, lines, count);
	for (uint32_t d = 0; d <= lines; d++)
		uses += count[d];
	for (uint32_t ways = 1; ways <= lines; ways++) {
		hits += count[ways - 1];
		if (ways % stride == 0)
			assert_int_equal(simulated_misses(s, n, ways), uses - hits);
	}
	free(s);
	free(count);
}

static void lru_of_every_size(void **unused)
{
	(void)unused;
	for (uint32_t k = 0; k < 400; k++)
		every_size(1 + below(24), 20 + below(400), k % 4 * 12, 1);
	every_size(700, 20000, 0, 50);
	every_size(700, 20000, 3, 50);
	every_size(700, 20000, 30, 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_distances),
		cmocka_unit_test(holes),
		cmocka_unit_test(slow_stack),
		cmocka_unit_test(lru_of_every_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
