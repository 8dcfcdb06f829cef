/*
 * The cache against a plain twin that keeps each set as a list in order: few ways and many, LRU and
 * FIFO to the victim, random replacement by what it must keep to, with lines taken out, flushes,
 * locked slots and ranks in between. The three index functions, and what a specification may say.
 */
#include "sim/access/cache.h"
#include "sim/access/lines.h"
#include <stdarg.h>
#include <stdbool.h>
#include <setjmp.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define LINE 64
#define SLOTS_MAX 1024
#define NOTHING UINT64_MAX

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

/* ---- the twin: the lines of a set, the next to go first; and what stands in each slot ---- */

struct twin {
	struct sim_geometry g;
	enum sim_replacement policy;
	struct {
		uint64_t line[SLOTS_MAX];
		uint32_t n;
	} set[64];
	uint64_t slot[SLOTS_MAX];
	uint8_t rank[SLOTS_MAX]; /* of the line in a slot */
};

static uint32_t twin_place(const struct twin *t, uint32_t set, uint64_t line)
{
	uint32_t k = 0;

	while (k < t->set[set].n && t->set[set].line[k] != line)
		k++;
	return k;
}

static void twin_drop(struct twin *t, uint32_t set, uint32_t k)
{
	memmove(&t->set[set].line[k], &t->set[set].line[k + 1],
		(--t->set[set].n - k) * sizeof(uint64_t));
}

static void twin_empty(struct twin *t)
{
	for (uint32_t s = 0; s < t->g.sets; s++)
		t->set[s].n = 0;
	memset(t->slot, 0xff, sizeof(t->slot));
	memset(t->rank, SIM_RANK_NORMAL, sizeof(t->rank));
}

/*
 * The line that goes for another: of those that are not locked the first in order of the lowest
 * rank, NOTHING if all are locked.
 */
static uint64_t twin_victim(const struct twin *t, uint32_t set, const uint8_t *locked)
{
	for (uint32_t rank = SIM_RANK_FIRST; rank <= SIM_RANK_LAST; rank++)
		for (uint32_t k = 0; k < t->set[set].n; k++)
			for (uint32_t s = set * t->g.ways; s < (set + 1) * t->g.ways; s++)
				if (t->slot[s] == t->set[set].line[k] && t->rank[s] == rank &&
					!locked[s])
					return t->slot[s];
	return NOTHING;
}

static uint32_t twin_rank(const struct twin *t, uint64_t line)
{
	uint32_t s = 0;

	while (t->slot[s] != line)
		s++;
	return t->rank[s];
}

static bool has_room(const struct twin *t, uint32_t set, const uint8_t *locked)
{
	for (uint32_t w = 0; w < t->g.ways; w++)
		if (t->slot[set * t->g.ways + w] == NOTHING && !locked[set * t->g.ways + w])
			return true;
	return false;
}

/* Holds an answer to what it must be, and takes it over. */
static void check_miss(
	struct twin *t, uint64_t line, const uint8_t *locked, const struct sim_cache_answer *a)
{
	const uint32_t set = sim_set_of(&t->g, line);
	const uint64_t victim = twin_victim(t, set, locked);

	if (has_room(t, set, locked)) {
		assert_false(a->evicted);
	} else if (victim == NOTHING) {
		assert_int_equal(a->slot, SIM_SLOT_NONE);
		return;
	} else {
		assert_true(a->evicted);
		if (t->policy != SIM_RANDOM)
			assert_int_equal(a->victim, victim);
		assert_int_equal(twin_rank(t, a->victim), twin_rank(t, victim));
		assert_int_equal(a->victim, t->slot[a->slot]);
		twin_drop(t, set, twin_place(t, set, a->victim));
	}
	assert_true(a->slot / t->g.ways == set);
	assert_false(locked[a->slot]);
	assert_true(a->evicted || t->slot[a->slot] == NOTHING);
	t->slot[a->slot] = line;
	t->rank[a->slot] = SIM_RANK_NORMAL;
	t->set[set].line[t->set[set].n++] = line;
}

static void check_access(
	struct twin *t, struct sim_cache *c, uint64_t line, const uint8_t *locked, bool any_locked)
{
	const uint32_t set = sim_set_of(&t->g, line), k = twin_place(t, set, line);
	const uint32_t probed = sim_cache_probe(c, line);
	struct sim_cache_answer a;

	assert_int_equal(sim_cache_access(c, line, any_locked ? locked : NULL, &a, NULL), 1);
	assert_int_equal(a.hit, k < t->set[set].n);
	if (!a.hit) {
		assert_int_equal(probed, SIM_SLOT_NONE);
		check_miss(t, line, locked, &a);
		return;
	}
	assert_int_equal(a.slot, probed);
	assert_int_equal(t->slot[a.slot], line);
	assert_false(a.evicted);
	if (t->policy == SIM_LRU) {
		twin_drop(t, set, k);
		t->set[set].line[t->set[set].n++] = line;
	}
}

static void check_invalidate(struct twin *t, struct sim_cache *c, uint64_t line)
{
	const uint32_t set = sim_set_of(&t->g, line), k = twin_place(t, set, line);
	const uint32_t slot = sim_cache_invalidate(c, line);

	assert_int_equal(slot != SIM_SLOT_NONE, k < t->set[set].n);
	assert_int_equal(sim_cache_probe(c, line), SIM_SLOT_NONE);
	if (slot == SIM_SLOT_NONE)
		return;
	assert_int_equal(t->slot[slot], line);
	t->slot[slot] = NOTHING;
	t->rank[slot] = SIM_RANK_NORMAL;
	twin_drop(t, set, k);
}

/* A line that is there has another rank from now on. */
static void give_rank(struct twin *t, struct sim_cache *c, uint64_t line)
{
	const uint32_t slot = sim_cache_probe(c, line), rank = below(3);

	if (slot == SIM_SLOT_NONE)
		return;
	assert_int_equal(sim_cache_rank(c, slot, (enum sim_rank)rank), 0);
	t->rank[slot] = (uint8_t)rank;
}

static void run_twin(struct twin *t, uint32_t steps, bool locking, bool ranking)
{
	const uint32_t slots = t->g.sets * t->g.ways, lines = 1 + below(2 * slots + 4);
	static uint8_t locked[SLOTS_MAX];
	struct sim_cache *c;

	memset(locked, 0, sizeof(locked));
	twin_empty(t);
	assert_int_equal(sim_cache_new(&c, &t->g, t->policy, below(1000), NULL), 1);
	assert_int_equal(sim_cache_slots(c), slots);
	for (uint32_t i = 0; i < steps; i++) {
		const uint64_t line = (uint64_t)LINE * (77 + below(lines));
		const uint32_t what = below(200);

		if (locking && what < 20)
			locked[below(slots)] ^= 1;
		if (ranking && what < 60)
			give_rank(t, c, (uint64_t)LINE * (77 + below(lines)));
		if (what == 199) {
			sim_cache_flush(c);
			twin_empty(t);
		} else if (what > 185) {
			check_invalidate(t, c, line);
		} else {
			check_access(t, c, line, locked, locking);
		}
	}
	sim_cache_free(c);
}

static void caches_are_their_twins(void **unused)
{
	static struct twin t;

	(void)unused;
	for (int round = 0; round < 300; round++) {
		const uint32_t ways = round % 3 ? 1 + below(8) : 1 + below(70);

		t.policy = (enum sim_replacement)below(3);
		t.g = (struct sim_geometry){1u << below(4), ways, LINE, below(3)};
		run_twin(&t, 1500, round % 2, round % 5 > 2);
	}
}

/* Fewer and more ways than where the cache changes its ways of looking. */
static void few_ways_and_many_agree(void **unused)
{
	static struct twin t;

	(void)unused;
	for (uint32_t ways = 28; ways < 38; ways++)
		for (t.policy = SIM_LRU; t.policy <= SIM_RANDOM; t.policy++) {
			t.g = (struct sim_geometry){2, ways, LINE, 0};
			run_twin(&t, 3000, ways % 2, ways % 4 > 1);
		}
}

static void random_draws_evenly_and_again(void **unused)
{
	enum { WAYS = 5, DRAWS = 50000 };

	(void)unused;
	for (uint32_t ways = WAYS; ways <= 10 * WAYS; ways += 9 * WAYS) {
		const struct sim_geometry g = {1, ways, LINE, 0};
		uint32_t count[10 * WAYS] = {0};
		struct sim_cache_answer a, b;
		struct sim_cache *c, *same;

		assert_int_equal(sim_cache_new(&c, &g, SIM_RANDOM, 7, NULL), 1);
		assert_int_equal(sim_cache_new(&same, &g, SIM_RANDOM, 7, NULL), 1);
		for (uint32_t i = 0; i < DRAWS + ways; i++) {
			sim_cache_access(c, (uint64_t)LINE * i, NULL, &a, NULL);
			sim_cache_access(same, (uint64_t)LINE * i, NULL, &b, NULL);
			assert_int_equal(a.slot, b.slot);
			count[a.slot] += (uint32_t)a.evicted;
		}
		for (uint32_t w = 0; w < ways; w++) {
			assert_true(count[w] > DRAWS / ways * 0.8);
			assert_true(count[w] < DRAWS / ways * 1.2);
		}
		sim_cache_free(c);
		sim_cache_free(same);
	}
}

static void unbounded_keeps_all(void **unused)
{
	enum { LINES = 5000 };
	const struct sim_geometry g = {.line_bytes = LINE};
	struct sim_cache_answer a;
	struct sim_cache *c;

	(void)unused;
	assert_int_equal(sim_cache_new(&c, &g, SIM_LRU, 0, NULL), 1);
	sim_cache_flush(c);
	for (int again = 0; again < 3; again++) {
		for (uint32_t i = 0; i < LINES; i++) {
			const uint64_t line = (uint64_t)LINE * (i * 2654435761u);

			assert_int_equal(sim_cache_probe(c, line), again == 1 ? i : SIM_SLOT_NONE);
			assert_int_equal(sim_cache_access(c, line, NULL, &a, NULL), 1);
			assert_int_equal(a.hit, again == 1);
			assert_int_equal(a.slot, i); /* the order of first touches, for good */
			assert_false(a.evicted);
		}
		assert_int_equal(sim_cache_slots(c), LINES);
		if (again == 1)
			sim_cache_flush(c);
	}
	assert_int_equal(sim_cache_invalidate(c, 0), 0);
	assert_int_equal(sim_cache_invalidate(c, 0), SIM_SLOT_NONE);
	assert_int_equal(sim_cache_access(c, 0, NULL, &a, NULL), 1);
	assert_false(a.hit);
	assert_int_equal(a.slot, 0);
	sim_cache_free(c);
}

/* Lines that have gone take no room. */
static void memory_is_that_of_the_cache(void **unused)
{
	const struct sim_geometry g = {1, 100, LINE, 0};
	struct sim_cache_answer a;
	struct sim_cache *c;
	size_t before = 0;

	(void)unused;
	assert_int_equal(sim_cache_new(&c, &g, SIM_LRU, 0, NULL), 1);
	for (uint32_t i = 0; i < 100000; i++) {
		sim_cache_access(c, (uint64_t)LINE * i, NULL, &a, NULL);
		if (i == 1000)
			before = mallinfo2().uordblks;
	}
	assert_int_equal(mallinfo2().uordblks, before);
	sim_cache_free(c);
}

/* Slots may be locked before a line has come into them: then none does, and later the first free
 * one. */
static void locked_from_the_start(void **unused)
{
	uint8_t locked[100];
	struct sim_cache_answer a;

	(void)unused;
	for (uint32_t ways = 4; ways <= 100; ways += 96) {
		const struct sim_geometry g = {1, ways, LINE, 0};
		struct sim_cache *c;

		memset(locked, 1, sizeof(locked));
		assert_int_equal(sim_cache_new(&c, &g, SIM_LRU, 0, NULL), 1);
		assert_int_equal(sim_cache_access(c, LINE, locked, &a, NULL), 1);
		assert_int_equal(a.slot, SIM_SLOT_NONE);
		locked[2] = 0;
		sim_cache_access(c, LINE, locked, &a, NULL);
		assert_int_equal(a.slot, 2);
		memset(locked, 0, sizeof(locked));
		sim_cache_access(c, 2 * LINE, locked, &a, NULL);
		assert_int_equal(a.slot, 0);
		sim_cache_access(c, 3 * LINE, locked, &a, NULL);
		assert_int_equal(a.slot, 1);
		sim_cache_access(c, 4 * LINE, locked, &a, NULL);
		assert_int_equal(a.slot, 3);
		assert_int_equal(a.evicted, 0);
		sim_cache_free(c);
	}
}

/* ---- the map of lines ---- */

static void lines_are_a_map(void **unused)
{
	enum { LINES = 3000 };
	static uint64_t value[LINES]; /* 0: not there */
	struct sim_lines m = {.n = 0};
	size_t n = 0;

	(void)unused;
	assert_null(sim_lines_find(&m, 0));
	for (int i = 0; i < 20000; i++) {
		const uint32_t k = below(LINES);
		const uint64_t line = (uint64_t)LINE * k, *found = sim_lines_find(&m, line);

		assert_int_equal(found != NULL, value[k] != 0);
		if (found)
			assert_int_equal(*found, value[k]);
		n += !value[k];
		*sim_lines_put(&m, line) = value[k] = 1 + below(1000);
		assert_int_equal(m.n, n);
	}
	sim_lines_free(&m);
}

/* Lines that all want one place by the factor that every map begins with: they lie apart. */
static void chosen_lines_lie_apart(void **unused)
{
	enum { LINES = 20000 };
	struct sim_lines m = {.n = 0};
	uint64_t inverse = 1, steps = 0;

	(void)unused;
	for (int i = 0; i < 6; i++) /* twice as many bits are right each time */
		inverse *= 2 - SIM_LINES_FACTOR * inverse;
	assert_int_equal(SIM_LINES_FACTOR * inverse, 1);
	for (uint64_t i = 0; i < LINES; i++)
		*sim_lines_put(&m, inverse * 2 * i) = i + 1;
	assert_int_equal(m.n, LINES);
	for (size_t at = 0; at < m.size; at++)
		if (m.at[at].key)
			steps += (at - sim_lines_hash(&m, m.at[at].key - 1)) % m.size;
	assert_in_range(steps, 0, 8 * LINES);
	for (uint64_t i = 0; i < LINES; i++)
		assert_int_equal(*sim_lines_find(&m, inverse * 2 * i), i + 1);
	sim_lines_free(&m);
}

/* ---- indexes ---- */

static void sets_are_as_defined(void **unused)
{
	(void)unused;
	for (int round = 0; round < 20000; round++) {
		struct sim_geometry g = {1u << below(9), 1, 1u << (5 + below(6)), TR_X_MODULO};
		const uint64_t number = (uint64_t)below(1u << 31) << below(20) | below(1000);
		const uint64_t line = number * g.line_bytes, low = number % g.sets;
		uint64_t folded = 0;

		for (uint64_t rest = number; rest && g.sets > 1; rest /= g.sets)
			folded ^= rest % g.sets;
		assert_int_equal(sim_set_of(&g, line), low);
		g.index = TR_X_HASH;
		assert_int_equal(
			sim_set_of(&g, line), (low + 7 * (number / g.sets % g.sets)) % g.sets);
		g.index = TR_X_XOR;
		assert_int_equal(sim_set_of(&g, line), folded);
	}
}

/* What a polynomial over GF(2) leaves of another one, by long division. */
static uint64_t left_over(uint64_t number, uint64_t by)
{
	for (int i = __builtin_clzll(by); i >= 0; i--)
		if (number >> (63 - __builtin_clzll(by) + i) & 1)
			number ^= by << i;
	return number;
}

/* No polynomial of a lower degree divides it but 1. */
static bool is_irreducible(uint64_t p, unsigned degree)
{
	for (uint64_t by = 2; by >> (degree / 2 + 1) == 0; by++)
		if (!left_over(p, by))
			return false;
	return true;
}

/* The divisors of sim_ipoly: the least that are irreducible, found by trying all, but for x. */
static uint64_t divisor(unsigned degree)
{
	uint64_t p = (1ull << degree) + 1;

	while (!is_irreducible(p, degree))
		p++;
	return p;
}

/* By hand: x^4 = x + 1, x^5 = x^2 + x, x^6 = x^3 + x^2, x^7 = x^3 + x + 1 modulo x^4 + x + 1. */
static void polynomials_by_hand(void **unused)
{
	static const struct {
		uint64_t number;
		unsigned degree;
		uint32_t left;
	} cases[] = {{15, 4, 15}, {16, 4, 3}, {17, 4, 2}, {32, 4, 6}, {64, 4, 12}, {128, 4, 11},
		{255, 4, 13}, {32, 5, 5}, {33, 5, 4}, {64, 6, 3}, {2048, 6, 35}, {128, 7, 3},
		{256, 8, 27}, {6, 1, 0}, {7, 1, 1}, {4, 2, 3}, {UINT64_MAX, 1, 0},
		{UINT64_MAX, 0, 0}};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(sim_ipoly(cases[i].number, cases[i].degree), cases[i].left);
	assert_int_equal(divisor(4), 0x13);
	assert_int_equal(divisor(5), 0x25);
	assert_int_equal(divisor(6), 0x43);
}

static void polynomials_by_division(void **unused)
{
	(void)unused;
	for (unsigned degree = 1; degree < 32; degree++) {
		const uint64_t by = divisor(degree);

		for (int round = 0; round < 1000; round++) {
			const uint64_t number =
				((uint64_t)below(1u << 31) << 33 ^ (uint64_t)below(1u << 31) << 10 ^
					below(1024)) >>
				below(60);

			assert_int_equal(sim_ipoly(number, degree), left_over(number, by));
		}
	}
}

/* Lines at any distance of a power of two are in all sets before one comes again. */
static void polynomials_spread_strides(void **unused)
{
	(void)unused;
	for (unsigned bits = 1; bits < 11; bits++)
		for (unsigned stride = 0; stride < 36; stride++) {
			const struct sim_geometry g = {1u << bits, 1, 128, TR_X_IPOLY};
			uint8_t seen[1024] = {0};
			const uint64_t first = (uint64_t)below(1000) << bits;

			for (uint64_t i = 0; i < g.sets; i++) {
				const uint32_t set = sim_set_of(&g, (first + i) << stride << 7);

				assert_true(set < g.sets);
				assert_int_equal(seen[set]++, 0);
			}
		}
}

/* ---- specifications ---- */

static void geometries_parse(void **unused)
{
	static const struct {
		const char *spec;
		uint32_t sets, ways, line;
	} good[] = {
		{"32K:128:8", 32, 8, 128},
		{"32k:128:8", 32, 8, 128},
		{"48K:64:12", 64, 12, 64},
		{"32768:128:full", 1, 256, 128},
		{"1M:32:1", 32768, 1, 32},
		{"128:128:1", 1, 1, 128},
		{"8G:128:full", 1, 1u << 26, 128},
		{"unbounded", 0, 0, 128},
		{"unbounded:64", 0, 0, 64},
	};
	static const struct {
		const char *spec, *why;
	} bad[] = {
		{"", "is no cache"},
		{"32K", "is no cache"},
		{"32K:128", "is no cache"},
		{"32K:128:", "is no cache"},
		{"32K:128:8:", "is no cache"},
		{"32K:128:8x", "is no cache"},
		{"32K:128:fully", "is no cache"},
		{"-32K:128:8", "is no cache"},
		{" 32K:128:8", "is no cache"},
		{"32X:128:8", "is no cache"},
		{"99999999999999999999:128:8", "is no cache"},
		{"18446744073709551615K:128:8", "is no cache"},
		{"unboundedly", "is no cache"},
		{"unbounded:", "is no cache"},
		{"unbounded:64:8", "is no cache"},
		{"0:128:8", "no whole number of lines"},
		{"32100:128:8", "32100 bytes are no whole number of lines of 128 bytes"},
		{"32K:0:8", "a line of 0 bytes is no power of two"},
		{"32K:96:8", "a line of 96 bytes is no power of two"},
		{"unbounded:100", "a line of 100 bytes is no power of two"},
		{"32K:128:0", "there must be a way"},
		{"32K:128:257", "257 ways, but only 256 lines"},
		{"32K:128:7", "256 lines in 7 ways are no power of two of sets"},
		{"48K:128:8", "384 lines in 8 ways are no power of two of sets"},
		{"16G:128:8", "more than 67108864 lines"},
	};
	struct sim_geometry g;
	struct tr_err err;

	(void)unused;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(sim_geometry_parse(&g, good[i].spec, &err), 1);
		assert_int_equal(g.sets, good[i].sets);
		assert_int_equal(g.ways, good[i].ways);
		assert_int_equal(g.line_bytes, good[i].line);
		assert_int_equal(g.index, TR_X_MODULO);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(sim_geometry_parse(&g, bad[i].spec, &err), TR_EUSAGE);
		if (!strstr(err.msg, bad[i].why))
			fail_msg("'%s': %s", bad[i].spec, err.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(caches_are_their_twins),
		cmocka_unit_test(few_ways_and_many_agree),
		cmocka_unit_test(random_draws_evenly_and_again),
		cmocka_unit_test(unbounded_keeps_all),
		cmocka_unit_test(memory_is_that_of_the_cache),
		cmocka_unit_test(locked_from_the_start),
		cmocka_unit_test(lines_are_a_map),
		cmocka_unit_test(chosen_lines_lie_apart),
		cmocka_unit_test(sets_are_as_defined),
		cmocka_unit_test(polynomials_by_hand),
		cmocka_unit_test(polynomials_by_division),
		cmocka_unit_test(polynomials_spread_strides),
		cmocka_unit_test(geometries_parse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
