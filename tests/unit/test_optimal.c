/*
 * Optimal replacement against the slow obvious twin, which looks for the farthest next use in the
 * whole future, on thousands of random streams; the twin itself against a search of all decisions
 * on the shortest ones. The curves of all associativities against caches of each. The closed forms
 * and laws: cyclic scans, textbook streams, inclusion, convexity, reversal.
 */
#include "sim/access/curve.h"
#include "sim/access/optimal.h"
#include <stdarg.h>
#include <stdbool.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define LINE 32
#define LONGEST 400
#define WAYS_MAX 80

enum what { USE, EVICT, EMPTY };

struct event {
	enum what what;
	uint64_t line;
};

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

/* ---- streams ---- */

/* Uses with some locality, immediate repeats, and now and then what ends a line's stay. */
static uint32_t random_stream(struct event *e, uint32_t n, bool pure)
{
	const uint32_t lines = 1 + below(1 + below(40)), window = 1 + below(12), from = below(1000);
	const uint32_t evicts = pure ? 0 : below(3) * below(20), empties = pure ? 0 : below(2);

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t kind = below(200), back = 1 + below(window);

		e[i].what = kind < evicts ? EVICT : kind < evicts + empties ? EMPTY : USE;
		e[i].line = (uint64_t)LINE * (from + below(lines));
		if (below(3) == 0 && i >= back)
			e[i].line = e[i - back].line;
	}
	return n;
}

static struct sim_geometry random_geometry(uint32_t ways_max)
{
	return (struct sim_geometry){1u << below(4), 1 + below(ways_max), LINE, below(3)};
}

/* What the models see of a stream: uses and evictions with their history. Returns how many. */
static size_t history_of(const struct event *e, uint32_t n, struct an_use *u)
{
	struct an_history h;
	size_t k = 0;

	an_history_init(&h);
	for (uint32_t i = 0; i < n; i++)
		if (e[i].what == USE)
			assert_true(an_history_use(&h, e[i].line, &u[k++]) >= 0);
		else if (e[i].what == EVICT)
			k += (size_t)an_history_evict(&h, e[i].line, &u[k]);
		else
			an_history_empty(&h);
	an_history_free(&h);
	return k;
}

/* ---- the models' hits ---- */

static uint32_t count(const uint32_t *depth, size_t n)
{
	uint32_t hits = 0;

	for (size_t i = 0; i < n; i++)
		hits += !!depth[i];
	return hits;
}

static uint32_t optimal_hits(
	const struct sim_geometry *g, bool bypass, const struct event *e, uint32_t n)
{
	static struct an_use u[LONGEST];
	static uint32_t depth[LONGEST];
	struct an_optimal *o;
	const size_t k = history_of(e, n, u);

	assert_int_equal(an_optimal_new(&o, g, bypass, NULL), 1);
	an_optimal_run(o, u, k, depth);
	an_optimal_free(o);
	return count(depth, k);
}

/* at[w]: hits with 1 + w ways. Flushes stand between the runs of the curve. */
static void curve_hits(uint32_t at[WAYS_MAX], const struct sim_geometry *g, enum an_curve_kind kind,
	const struct event *e, uint32_t n)
{
	struct an_history h;
	struct an_curve *c;
	struct an_use u;
	uint32_t depth;

	memset(at, 0, WAYS_MAX * sizeof(*at));
	an_history_init(&h);
	assert_int_equal(an_curve_new(&c, g, kind, NULL), 1);
	for (uint32_t i = 0; i < n; i++) {
		if (e[i].what == EMPTY) {
			an_history_empty(&h);
			an_curve_flush(c);
			continue;
		}
		if (e[i].what == EVICT && !an_history_evict(&h, e[i].line, &u))
			continue;
		if (e[i].what == USE)
			assert_true(an_history_use(&h, e[i].line, &u) >= 0);
		an_curve_run(c, &u, 1, &depth);
		assert_true(depth <= g->ways);
		assert_true(e[i].what == USE || !depth);
		for (uint32_t w = depth; depth && w <= g->ways; w++)
			at[w - 1]++;
	}
	an_curve_free(c);
	an_history_free(&h);
}

static uint32_t simulated_hits(const struct sim_geometry *g, enum sim_replacement policy,
	const struct event *e, uint32_t n)
{
	struct sim_cache_answer a;
	struct sim_cache *c;
	uint32_t hits = 0;

	assert_int_equal(sim_cache_new(&c, g, policy, 1, NULL), 1);
	for (uint32_t i = 0; i < n; i++)
		if (e[i].what == USE) {
			assert_int_equal(sim_cache_access(c, e[i].line, NULL, &a, NULL), 1);
			hits += (uint32_t)a.hit;
		} else if (e[i].what == EVICT) {
			sim_cache_invalidate(c, e[i].line);
		} else {
			sim_cache_flush(c);
		}
	sim_cache_free(c);
	return hits;
}

/* ---- the twin ---- */

/* When the line is used next from event i on; n where it is not, or leaves before. */
static uint32_t next_use(const struct event *e, uint32_t n, uint32_t i, uint64_t line)
{
	for (; i < n; i++)
		if (e[i].what == EMPTY || (e[i].what == EVICT && e[i].line == line))
			return n;
		else if (e[i].what == USE && e[i].line == line)
			return i;
	return n;
}

struct set {
	uint64_t line[WAYS_MAX];
	uint32_t n;
};

static bool set_drop(struct set *s, uint64_t line)
{
	for (uint32_t k = 0; k < s->n; k++)
		if (s->line[k] == line) {
			s->line[k] = s->line[--s->n];
			return true;
		}
	return false;
}

/* One set under farthest-next-use; events of other sets are skipped. */
static uint32_t twin_set(
	const struct sim_geometry *g, uint32_t set, bool bypass, const struct event *e, uint32_t n)
{
	struct set s = {.n = 0};
	uint32_t hits = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t farthest = 0;

		if (e[i].what == EMPTY)
			s.n = 0;
		if (e[i].what == EMPTY || sim_set_of(g, e[i].line) != set)
			continue;
		if (set_drop(&s, e[i].line))
			hits += e[i].what == USE;
		if (e[i].what == EVICT)
			continue;
		if (s.n == g->ways) {
			for (uint32_t k = 1; k < s.n; k++)
				if (next_use(e, n, i, s.line[k]) >
					next_use(e, n, i, s.line[farthest]))
					farthest = k;
			if (bypass && next_use(e, n, i + 1, e[i].line) >=
					      next_use(e, n, i, s.line[farthest]))
				continue;
			set_drop(&s, s.line[farthest]);
		}
		s.line[s.n++] = e[i].line;
	}
	return hits;
}

static uint32_t twin_hits(
	const struct sim_geometry *g, bool bypass, const struct event *e, uint32_t n)
{
	uint32_t hits = 0;

	for (uint32_t s = 0; s < g->sets; s++)
		hits += twin_set(g, s, bypass, e, n);
	return hits;
}

/* The most hits that any sequence of decisions of a fully associative cache can have. */
static uint32_t search(
	uint32_t ways, bool bypass, const struct event *e, uint32_t n, uint32_t i, struct set s)
{
	uint32_t best = 0, hits;
	bool hit;

	if (i == n)
		return 0;
	if (e[i].what == EMPTY) {
		s.n = 0;
		return search(ways, bypass, e, n, i + 1, s);
	}
	hit = set_drop(&s, e[i].line);
	if (e[i].what == EVICT)
		return search(ways, bypass, e, n, i + 1, s);
	if (bypass)
		best = search(ways, bypass, e, n, i + 1, s);
	if (s.n < ways) {
		s.line[s.n++] = e[i].line;
		hits = search(ways, bypass, e, n, i + 1, s);
		return hit + (hits > best ? hits : best);
	}
	for (uint32_t k = 0; k < s.n; k++) {
		struct set t = s;

		t.line[k] = e[i].line;
		hits = search(ways, bypass, e, n, i + 1, t);
		best = hits > best ? hits : best;
	}
	return hit + best;
}

/* ---- tests ---- */

static void the_twin_is_optimal(void **unused)
{
	(void)unused;
	for (int round = 0; round < 300; round++) {
		struct event e[12];
		const uint32_t n = random_stream(e, 1 + below(12), false);
		const struct sim_geometry g = {1, 1 + below(3), LINE, 0};

		for (int bypass = 0; bypass < 2; bypass++)
			assert_int_equal(twin_hits(&g, bypass, e, n),
				search(g.ways, bypass, e, n, 0, (struct set){.n = 0}));
	}
}

static void tokens_are_the_twin(void **unused)
{
	static struct event e[LONGEST];

	(void)unused;
	for (int round = 0; round < 4000; round++) {
		const uint32_t n = random_stream(e, 1 + below(round % 8 ? 120 : LONGEST), false);
		const struct sim_geometry g = random_geometry(round % 5 ? 6 : 30);

		for (int bypass = 0; bypass < 2; bypass++)
			assert_int_equal(
				optimal_hits(&g, bypass, e, n), twin_hits(&g, bypass, e, n));
	}
}

static void direct_mapped_is_the_twin(void **unused)
{
	struct event e[100];

	(void)unused;
	for (int round = 0; round < 1000; round++) {
		const uint32_t n = random_stream(e, 100, round % 2);
		const struct sim_geometry g = {1u << below(4), 1, LINE, below(3)};
		const uint32_t lru = simulated_hits(&g, SIM_LRU, e, n);

		assert_int_equal(optimal_hits(&g, false, e, n), lru);
		assert_int_equal(optimal_hits(&g, true, e, n), twin_hits(&g, true, e, n));
		assert_true(optimal_hits(&g, true, e, n) >= lru);
	}
}

/* So many ways that the tokens stand in logs, which fill up and are packed. */
static void many_ways_are_the_curve(void **unused)
{
	enum { N = 90000, WAYS = 16000 };
	struct an_use *u = calloc(N, sizeof(*u));
	uint32_t *depth = calloc(N, sizeof(*depth)), *row = calloc(N, sizeof(*row));
	const uint32_t sizes[] = {25, 26, 63, 64, 65, 66, 200, 2048, 2049, 2500, 4097, WAYS};
	const struct sim_geometry all = {1, WAYS, LINE, 0};
	struct an_history h;

	(void)unused;
	an_history_init(&h);
	for (uint32_t i = 0; i < N; i++) {
		const uint32_t lines = i < N / 4 ? 12000 : 1 + below(12000), k = i % 8500;
		uint32_t line = below(lines);

		if (i > N / 2) /* two lines kill long runs of tokens, a third looks back over them
				*/
			line = k < 8300 || (k > 8300 && k < 8499) ? i % 2 : 20000 + i / 8500;
		assert_true(an_history_use(&h, (uint64_t)LINE * line, &u[i]) >= 0);
	}
	for (int bypass = 0; bypass < 2; bypass++) {
		struct an_curve *c;

		assert_int_equal(
			an_curve_new(&c, &all, bypass ? AN_CURVE_OPT_BYPASS : AN_CURVE_OPT, NULL),
			1);
		an_curve_run(c, u, N, row);
		an_curve_free(c);
		for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
			const struct sim_geometry g = {1, sizes[k], LINE, 0};
			struct an_optimal *o;

			assert_int_equal(an_optimal_new(&o, &g, bypass, NULL), 1);
			an_optimal_run(o, u, N, depth);
			an_optimal_free(o);
			for (uint32_t i = 0; i < N; i++)
				assert_int_equal(depth[i], row[i] && row[i] <= sizes[k]);
		}
	}
	an_history_free(&h);
	free(u);
	free(depth);
	free(row);
}

static void curves_are_caches_of_each_size(void **unused)
{
	static struct event e[LONGEST];
	uint32_t at[WAYS_MAX];

	(void)unused;
	for (int round = 0; round < 600; round++) {
		const uint32_t n = random_stream(e, 1 + below(LONGEST), false);
		const struct sim_geometry g = random_geometry(round % 3 ? 8 : WAYS_MAX);
		struct sim_geometry one = g;

		for (enum an_curve_kind kind = AN_CURVE_LRU; kind <= AN_CURVE_OPT_BYPASS; kind++) {
			curve_hits(at, &g, kind, e, n);
			for (one.ways = 1; one.ways <= g.ways; one.ways++)
				assert_int_equal(at[one.ways - 1],
					kind == AN_CURVE_LRU
						? simulated_hits(&one, SIM_LRU, e, n)
						: optimal_hits(
							  &one, kind == AN_CURVE_OPT_BYPASS, e, n));
		}
	}
}

static void optimal_is_never_worse(void **unused)
{
	struct event e[200];

	(void)unused;
	for (int round = 0; round < 1000; round++) {
		const uint32_t n = random_stream(e, 200, false);
		const struct sim_geometry g = random_geometry(8);
		const uint32_t best = optimal_hits(&g, false, e, n);

		for (enum sim_replacement p = SIM_LRU; p <= SIM_RANDOM; p++)
			assert_true(simulated_hits(&g, p, e, n) <= best);
		assert_true(optimal_hits(&g, true, e, n) >= best);
	}
}

/* Each further way wins back at most as much as the one before it did, but for the first. */
static void curves_of_optimal_are_convex(void **unused)
{
	struct event e[300];
	uint32_t at[WAYS_MAX];

	(void)unused;
	for (int round = 0; round < 500; round++) {
		const uint32_t n = random_stream(e, 300, false);
		struct sim_geometry g = random_geometry(2);

		g.ways = 40;
		for (enum an_curve_kind kind = AN_CURVE_OPT; kind <= AN_CURVE_OPT_BYPASS; kind++) {
			curve_hits(at, &g, kind, e, n);
			if (kind == AN_CURVE_OPT_BYPASS)
				assert_true(at[1] <= 2 * at[0]);
			for (uint32_t w = 2; w < g.ways; w++)
				assert_true(at[w] - at[w - 1] <= at[w - 1] - at[w - 2]);
		}
	}
}

static void a_reversed_stream_misses_as_often(void **unused)
{
	struct event e[300], back[300];

	(void)unused;
	for (int round = 0; round < 1000; round++) {
		const uint32_t n = random_stream(e, 1 + below(300), true);
		const struct sim_geometry g = random_geometry(8);

		for (uint32_t i = 0; i < n; i++)
			back[i] = e[n - 1 - i];
		for (int bypass = 0; bypass < 2; bypass++)
			assert_int_equal(
				optimal_hits(&g, bypass, e, n), optimal_hits(&g, bypass, back, n));
	}
}

/* N lines round and round in C ways: LRU hits nothing, optimal keeps all it can. */
static void cyclic_scans(void **unused)
{
	static const struct {
		uint32_t n, c;
	} scans[] = {{5, 4}, {8, 4}, {64, 32}, {2, 1}, {41, 40}};
	enum { ROUNDS = 2000 };

	(void)unused;
	for (size_t k = 0; k < sizeof(scans) / sizeof(*scans); k++) {
		const uint32_t n = scans[k].n, c = scans[k].c, total = n * ROUNDS;
		const struct sim_geometry g = {1, c, LINE, 0};
		const double demand = (c - 1.0) / (n - 1.0), bypass = (double)c / n;
		struct an_use *u = calloc(total, sizeof(*u));
		uint32_t *depth = calloc(total, sizeof(*depth));
		struct sim_cache_answer a;
		struct sim_cache *cache;
		struct an_optimal *o;
		struct an_history h;

		an_history_init(&h);
		assert_int_equal(sim_cache_new(&cache, &g, SIM_LRU, 0, NULL), 1);
		for (uint32_t i = 0; i < total; i++) {
			assert_true(an_history_use(&h, (uint64_t)LINE * (i % n), &u[i]) >= 0);
			sim_cache_access(cache, (uint64_t)LINE * (i % n), NULL, &a, NULL);
			assert_false(a.hit);
		}
		for (int by = 0; by < 2; by++) {
			double rate;

			assert_int_equal(an_optimal_new(&o, &g, by, NULL), 1);
			an_optimal_run(o, u, total, depth);
			an_optimal_free(o);
			rate = (double)count(depth, total) / total;
			/* The first round misses and the last ones need not be kept: 2 rounds. */
			assert_true(rate - (by ? bypass : demand) < 2.0 / ROUNDS);
			assert_true((by ? bypass : demand) - rate < 2.0 / ROUNDS);
		}
		sim_cache_free(cache);
		an_history_free(&h);
		free(u);
		free(depth);
	}
}

static void textbook_streams(void **unused)
{
	static const char *const texts[] = {"70120304230321201701", "123412512345"};
	static const struct {
		unsigned text, frames, fifo, lru, opt;
	} faults[] = {{0, 3, 15, 12, 9}, {1, 3, 9, 10, 7}, {1, 4, 10, 8, 6}};

	(void)unused;
	for (size_t k = 0; k < sizeof(faults) / sizeof(*faults); k++) {
		const char *text = texts[faults[k].text];
		const uint32_t n = (uint32_t)strlen(text);
		const struct sim_geometry g = {1, faults[k].frames, LINE, 0};
		struct event e[32];

		for (uint32_t i = 0; i < n; i++)
			e[i] = (struct event){USE, (uint64_t)LINE * (uint64_t)text[i]};
		assert_int_equal(n - simulated_hits(&g, SIM_FIFO, e, n), faults[k].fifo);
		assert_int_equal(n - simulated_hits(&g, SIM_LRU, e, n), faults[k].lru);
		assert_int_equal(n - optimal_hits(&g, false, e, n), faults[k].opt);
		assert_int_equal(n - twin_hits(&g, false, e, n), faults[k].opt);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_twin_is_optimal),
		cmocka_unit_test(tokens_are_the_twin),
		cmocka_unit_test(direct_mapped_is_the_twin),
		cmocka_unit_test(many_ways_are_the_curve),
		cmocka_unit_test(curves_are_caches_of_each_size),
		cmocka_unit_test(optimal_is_never_worse),
		cmocka_unit_test(curves_of_optimal_are_convex),
		cmocka_unit_test(a_reversed_stream_misses_as_often),
		cmocka_unit_test(cyclic_scans),
		cmocka_unit_test(textbook_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
