/*
 * Optimal replacement by tokens; see optimal.h. Sets of few tokens are scanned. For many, a set's
 * tokens stand in a log in the order of their times, which is the order in which they are made; a
 * bit says which are alive, a second row of bits which words of the first are not empty. The log is
 * packed when it is full, twice as often as there are tokens, so a use costs a binary search.
 * Nothing is written for a set before its first use: memory is that of what is touched.
 */
#include "sim/access/optimal.h"
#include <stdbool.h>
#include <stdlib.h>

#define FEW 24 /* tokens up to which a scan beats the search */

struct log {
	uint64_t *time;  /* never decreases */
	uint64_t *alive; /* bit per time */
	uint64_t *some;  /* bit per word of alive */
	uint32_t len;
	uint32_t fresh; /* tokens of AN_TIME_START, which come before all in the log */
};

struct an_optimal {
	struct sim_geometry g;
	bool bypass;
	uint32_t ntokens; /* of a set */
	uint64_t *tokens; /* few: ntokens a set, in no order */
	struct log *logs; /* many: one a set, in the memory of all */
	uint64_t *times, *alive, *some;
	uint32_t cap;   /* of a log: a multiple of 64 */
	uint64_t *last; /* per set: time of its last use */
};

static void put(struct log *l, uint64_t time)
{
	const uint32_t at = l->len++;

	l->time[at] = time;
	l->alive[at / 64] |= 1ull << at % 64;
	l->some[at / 4096] |= 1ull << at / 64 % 64;
}

static void pack(struct log *l, uint32_t cap)
{
	const uint32_t len = l->len;

	l->len = 0;
	for (uint32_t w = 0; w < cap / 64; w++) {
		uint64_t alive = l->alive[w];

		l->alive[w] = 0;
		if (w % 64 == 0)
			l->some[w / 64] = 0;
		for (; alive && w * 64 < len; alive &= alive - 1)
			put(l, l->time[w * 64 + (uint32_t)__builtin_ctzll(alive)]);
	}
}

/* How many times in the log are <= t. */
static uint32_t count_until(const struct log *l, uint64_t t)
{
	uint32_t low = 0, n = l->len;

	while (n) {
		const uint32_t half = n / 2;

		if (l->time[low + half] <= t) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low;
}

static uint64_t below(uint64_t bits, uint32_t at)
{
	return bits & ((1ull << at % 64) - 1);
}

/* Takes the last one alive among the first n; false if there is none. */
static bool take_last(struct log *l, uint32_t n)
{
	uint32_t word = n / 64, group = n / 4096;
	uint64_t bits = n % 64 ? below(l->alive[word], n) : 0;

	if (!bits) {
		uint64_t words = word % 64 ? below(l->some[group], word) : 0;

		while (!words && group)
			words = l->some[--group];
		if (!words)
			return false;
		word = group * 64 + 63 - (uint32_t)__builtin_clzll(words);
		bits = l->alive[word];
	}
	bits = 1ull << (63 - __builtin_clzll(bits));
	l->alive[word] &= ~bits;
	if (!l->alive[word])
		l->some[word / 64] &= ~(1ull << word % 64);
	return true;
}

/* The largest token <= before becomes `freed`. */
static bool take_log(struct log *l, uint32_t cap, uint64_t before, uint64_t freed)
{
	if (!take_last(l, count_until(l, before))) {
		if (!l->fresh)
			return false;
		l->fresh--;
	}
	if (l->len == cap)
		pack(l, cap);
	put(l, freed);
	return true;
}

static bool take_few(uint64_t *token, uint32_t n, uint64_t before, uint64_t freed)
{
	uint64_t best = 0;
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++)
		if (token[i] <= before && token[i] > best) {
			best = token[i];
			at = i;
		}
	if (!best)
		return false;
	token[at] = freed;
	return true;
}

static void begin_set(struct an_optimal *o, uint32_t set)
{
	struct log *l;

	if (!o->logs) {
		for (uint32_t k = 0; k < o->ntokens; k++)
			o->tokens[(size_t)set * o->ntokens + k] = AN_TIME_START;
		return;
	}
	l = &o->logs[set];
	l->time = o->times + (size_t)set * o->cap;
	l->alive = o->alive + (size_t)set * (o->cap / 64);
	l->some = o->some + (size_t)set * (o->cap / 4096 + 1);
	l->fresh = o->ntokens;
}

void an_optimal_run(struct an_optimal *o, const struct an_use *u, size_t n, uint32_t *depth)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t set;
		uint64_t last;

		depth[i] = 0;
		if (!u[i].now)
			continue;
		set = sim_set_of(&o->g, u[i].line);
		last = o->last[set];
		o->last[set] = u[i].now;
		if (!last)
			begin_set(o, set);
		if (!u[i].before)
			continue;
		if (!o->bypass && u[i].before == last)
			depth[i] = 1;
		else if (o->logs)
			depth[i] = take_log(
				&o->logs[set], o->cap, u[i].before, o->bypass ? u[i].now : last);
		else
			depth[i] = take_few(o->tokens + (size_t)set * o->ntokens, o->ntokens,
				u[i].before, o->bypass ? u[i].now : last);
	}
}

static bool make_logs(struct an_optimal *o)
{
	const size_t sets = o->g.sets;

	o->cap = (2 * o->ntokens + 63) / 64 * 64;
	o->logs = calloc(sets, sizeof(*o->logs));
	o->times = malloc(sets * o->cap * sizeof(*o->times));
	o->alive = calloc(sets * (o->cap / 64), sizeof(*o->alive));
	o->some = calloc(sets * (o->cap / 4096 + 1), sizeof(*o->some));
	return o->logs && o->times && o->alive && o->some;
}

static bool make_few(struct an_optimal *o)
{
	o->tokens = malloc(((size_t)o->g.sets * o->ntokens + 1) * sizeof(*o->tokens));
	return o->tokens;
}

int an_optimal_new(
	struct an_optimal **out, const struct sim_geometry *g, int bypass, struct tr_err *err)
{
	struct an_optimal *o = calloc(1, sizeof(*o));

	if (o) {
		o->g = *g;
		o->bypass = bypass;
		o->ntokens = g->ways - !bypass;
		o->last = calloc(g->sets, sizeof(*o->last));
	}
	if (!o || !o->last || !(o->ntokens > FEW ? make_logs(o) : make_few(o))) {
		an_optimal_free(o);
		return tr_fail(err, TR_EMEM, 0, "no memory for optimal replacement");
	}
	*out = o;
	return 1;
}

void an_optimal_free(struct an_optimal *o)
{
	if (!o)
		return;
	free(o->tokens);
	free(o->logs);
	free(o->times);
	free(o->alive);
	free(o->some);
	free(o->last);
	free(o);
}
