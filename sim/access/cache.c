/*
 * The cache; see cache.h. Three stores of tags behind one face: a set of few ways is scanned, its
 * order kept as stamps; a set of many ways is found by hash, its order kept as a list; an unbounded
 * cache is the hash alone. Leaves out data, time, sectors and whatever is outstanding. Nothing is
 * written for a slot before a line comes into it, since a file may state a cache of any size:
 * memory is that of what is touched.
 */
#include "sim/access/cache.h"
#include "libtrace/chance.h"
#include "sim/access/lines.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NARROW_WAYS 32 /* up to here a scan beats the hash */
#define CHUNK 512u     /* slots of narrow sets that are emptied together */
#define NO_LINE 0      /* the tag of a slot without a line; that of others is the line + 1 */

struct sim_cache {
	struct sim_geometry g;
	enum sim_replacement policy;
	uint64_t random; /* state */
	uint32_t slots;  /* bounded: sets * ways; unbounded: in use */
	uint32_t cap;    /* slots that there is memory for */
	uint64_t *tag;   /* per slot */

	uint64_t *stamp; /* narrow: time of the last renewal, 0 where there is no line */
	uint64_t clock;
	uint8_t *filled; /* narrow, per chunk: a line has come into it since the cache was empty */

	struct sim_lines lines; /* unbounded: slot of each line */
	/*
	 * Wide: a ring per set from the newest to the oldest; node slots + set is its head. In it
	 * stand the first `used` slots of the set: the others have had no line yet.
	 */
	uint32_t *older, *newer, *used;
	uint32_t *bucket, *chain; /* wide: slots + 1 by the hash of their line, 0 ends */
	unsigned shift;           /* 64 - log2(buckets) */
	uint64_t factor;          /* of the hash, by chance: a file may have chosen its lines */
	uint8_t *rank;            /* per slot: see rank_of; NULL: all are normal */
	uint32_t *ranked;         /* per set: slots whose rank is not normal */
};

/* ---- making ---- */

static bool is_wide(const struct sim_cache *c)
{
	return c->older;
}

static bool is_unbounded(const struct sim_cache *c)
{
	return !c->g.sets;
}

static uint32_t *bucket_of(const struct sim_cache *c, uint64_t tag)
{
	return &c->bucket[tag * c->factor >> c->shift];
}

static void flush_wide(struct sim_cache *c)
{
	for (uint32_t s = 0; s < c->g.sets; s++) {
		for (uint32_t slot = s * c->g.ways; c->used[s]; slot++, c->used[s]--) {
			if (c->tag[slot] != NO_LINE)
				*bucket_of(c, c->tag[slot]) = 0;
			c->tag[slot] = NO_LINE;
		}
	}
}

static void flush_narrow(struct sim_cache *c)
{
	for (uint32_t at = 0; at < c->slots; at += CHUNK) {
		const size_t n = c->slots - at < CHUNK ? c->slots - at : CHUNK;

		if (!c->filled[at / CHUNK])
			continue;
		c->filled[at / CHUNK] = 0;
		memset(c->tag + at, 0, n * sizeof(*c->tag));
		memset(c->stamp + at, 0, n * sizeof(*c->stamp));
	}
}

void sim_cache_flush(struct sim_cache *c)
{
	if (is_wide(c))
		flush_wide(c);
	else if (!is_unbounded(c))
		flush_narrow(c);
	else if (c->slots)
		memset(c->tag, 0, c->slots * sizeof(*c->tag));
	for (uint32_t s = 0; c->rank && s < c->g.sets; s++)
		if (c->ranked[s]) {
			memset(c->rank + (size_t)s * c->g.ways, 0, c->g.ways);
			c->ranked[s] = 0;
		}
}

static bool make_slots(struct sim_cache *c)
{
	const size_t nodes = (size_t)c->slots + c->g.sets;
	size_t buckets = 2;

	c->tag = calloc(c->slots, sizeof(*c->tag));
	if (c->g.ways <= NARROW_WAYS) {
		c->stamp = calloc(c->slots, sizeof(*c->stamp));
		c->filled = calloc(c->slots / CHUNK + 1, sizeof(*c->filled));
		return c->tag && c->stamp && c->filled;
	}
	c->older = malloc(nodes * sizeof(*c->older));
	c->newer = malloc(nodes * sizeof(*c->newer));
	c->used = calloc(c->g.sets, sizeof(*c->used));
	while (buckets < c->slots)
		buckets *= 2;
	c->shift = 64 - (unsigned)__builtin_ctzll(buckets);
	c->factor = (tr_chance() ^ SIM_LINES_FACTOR) | 1;
	c->bucket = calloc(buckets, sizeof(*c->bucket));
	c->chain = malloc(c->slots * sizeof(*c->chain));
	return c->tag && c->older && c->newer && c->used && c->bucket && c->chain;
}

int sim_cache_new(struct sim_cache **out, const struct sim_geometry *g, enum sim_replacement policy,
	uint64_t seed, struct tr_err *err)
{
	struct sim_cache *c = calloc(1, sizeof(*c));

	if (c) {
		c->g = *g;
		c->policy = policy;
		c->random = seed;
		c->slots = g->sets * g->ways;
	}
	if (!c || (g->sets && !make_slots(c))) {
		sim_cache_free(c);
		return tr_fail(err, TR_EMEM, 0, "no memory for a cache");
	}
	*out = c;
	return 1;
}

void sim_cache_free(struct sim_cache *c)
{
	if (!c)
		return;
	free(c->tag);
	free(c->stamp);
	free(c->filled);
	free(c->older);
	free(c->newer);
	free(c->used);
	free(c->bucket);
	free(c->chain);
	free(c->rank);
	free(c->ranked);
	sim_lines_free(&c->lines);
	free(c);
}

uint32_t sim_cache_slots(const struct sim_cache *c)
{
	return c->slots;
}

/* ---- looking ---- */

static uint32_t scan(const struct sim_cache *c, uint64_t line)
{
	const uint32_t first = sim_set_of(&c->g, line) * c->g.ways;

	for (uint32_t slot = first; slot < first + c->g.ways; slot++)
		if (c->tag[slot] == line + 1)
			return slot;
	return SIM_SLOT_NONE;
}

static uint32_t look_up(const struct sim_cache *c, uint64_t line)
{
	uint32_t entry = *bucket_of(c, line + 1);

	while (entry && c->tag[entry - 1] != line + 1)
		entry = c->chain[entry - 1];
	return entry - 1; /* SIM_SLOT_NONE for 0 */
}

uint32_t sim_cache_probe(const struct sim_cache *c, uint64_t line)
{
	const uint64_t *slot;

	if (c->stamp)
		return scan(c, line);
	if (is_wide(c))
		return look_up(c, line);
	slot = sim_lines_find(&c->lines, line);
	return slot && c->tag[*slot] == line + 1 ? (uint32_t)*slot : SIM_SLOT_NONE;
}

/* A slot has a line, or has it no more: found by its hash, or not. */
static void enter(struct sim_cache *c, uint32_t slot)
{
	uint32_t *first = bucket_of(c, c->tag[slot]);

	c->chain[slot] = *first;
	*first = slot + 1;
}

static void leave(struct sim_cache *c, uint32_t slot)
{
	uint32_t *at = bucket_of(c, c->tag[slot]);

	while (*at != slot + 1)
		at = &c->chain[*at - 1];
	*at = c->chain[slot];
}

/* ---- choosing a victim ---- */

/* A number below n: the generator is splitmix64 (Steele, Lea, Flood 2014). */
static uint32_t random_below(struct sim_cache *c, uint32_t n)
{
	uint64_t z = c->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(((z ^ z >> 31) >> 32) * n >> 32);
}

/* Each slot of the set that may go is as likely as any other. */
static uint32_t random_slot(struct sim_cache *c, uint32_t first, const uint8_t *locked)
{
	uint32_t n = c->g.ways, k;

	for (uint32_t w = 0; locked && w < c->g.ways; w++)
		n -= !!locked[first + w];
	if (!n)
		return SIM_SLOT_NONE;
	k = random_below(c, n);
	for (uint32_t slot = first; locked; slot++)
		if (!locked[slot] && !k--)
			return slot;
	return first + k;
}

/* ---- ranks ---- */

/* Slots are of normal rank where nobody says otherwise, so that one is stored as 0. */
static enum sim_rank rank_of(const struct sim_cache *c, uint32_t slot)
{
	return (enum sim_rank)(c->rank[slot] ^ SIM_RANK_NORMAL);
}

int sim_cache_rank(struct sim_cache *c, uint32_t slot, enum sim_rank rank)
{
	uint32_t *ranked;

	if (is_unbounded(c))
		return 0;
	if (!c->rank) {
		if (rank == SIM_RANK_NORMAL)
			return 0;
		c->rank = calloc(c->slots, sizeof(*c->rank));
		c->ranked = calloc(c->g.sets, sizeof(*c->ranked));
		if (!c->rank || !c->ranked) {
			free(c->rank);
			free(c->ranked);
			c->rank = NULL;
			c->ranked = NULL;
			return -1;
		}
	}
	ranked = &c->ranked[slot / c->g.ways];
	*ranked -= rank_of(c, slot) != SIM_RANK_NORMAL;
	*ranked += rank != SIM_RANK_NORMAL;
	c->rank[slot] = (uint8_t)(rank ^ SIM_RANK_NORMAL);
	return 0;
}

/* A line leaves, or another takes its slot. */
static void forget_rank(struct sim_cache *c, uint32_t slot)
{
	if (c->rank)
		sim_cache_rank(c, slot, SIM_RANK_NORMAL);
}

/* Among the slots of a set that may go, the number of those of a rank. */
static uint32_t of_rank(
	const struct sim_cache *c, uint32_t first, const uint8_t *locked, enum sim_rank rank)
{
	uint32_t n = 0;

	for (uint32_t slot = first; slot < first + c->g.ways; slot++)
		n += rank_of(c, slot) == rank && !(locked && locked[slot]);
	return n;
}

/* The oldest slot of a set of this rank that may go; there is one. */
static uint32_t oldest_of_rank(
	const struct sim_cache *c, uint32_t set, const uint8_t *locked, enum sim_rank rank)
{
	const uint32_t first = set * c->g.ways;
	uint32_t best = SIM_SLOT_NONE;

	if (is_wide(c)) {
		uint32_t slot = c->newer[c->slots + set];

		while (rank_of(c, slot) != rank || (locked && locked[slot]))
			slot = c->newer[slot];
		return slot;
	}
	for (uint32_t slot = first; slot < first + c->g.ways; slot++)
		if (rank_of(c, slot) == rank && !(locked && locked[slot]) &&
			(best == SIM_SLOT_NONE || c->stamp[slot] < c->stamp[best]))
			best = slot;
	return best;
}

/*
 * The victim of a set with ranks: slots without a line first, which are the oldest and of normal
 * rank, then those of the lowest rank.
 */
static uint32_t ranked_victim(struct sim_cache *c, uint32_t set, const uint8_t *locked)
{
	const uint32_t first = set * c->g.ways;
	uint32_t n = of_rank(c, first, locked, SIM_RANK_NORMAL), k, slot;
	enum sim_rank rank = SIM_RANK_FIRST;

	if (n && !is_wide(c)) {
		slot = oldest_of_rank(c, set, locked, SIM_RANK_NORMAL);
		if (c->tag[slot] == NO_LINE)
			return slot;
	}
	while (!(n = of_rank(c, first, locked, rank)))
		if (rank++ == SIM_RANK_LAST)
			return SIM_SLOT_NONE;
	if (c->policy != SIM_RANDOM)
		return oldest_of_rank(c, set, locked, rank);
	k = random_below(c, n);
	for (slot = first;; slot++)
		if (rank_of(c, slot) == rank && !(locked && locked[slot]) && !k--)
			return slot;
}

static int has_ranks(const struct sim_cache *c, uint32_t set)
{
	return c->rank && c->ranked[set];
}

static uint32_t narrow_victim(struct sim_cache *c, uint32_t first, const uint8_t *locked)
{
	uint32_t best = SIM_SLOT_NONE;

	if (has_ranks(c, first / c->g.ways))
		return ranked_victim(c, first / c->g.ways, locked);

	for (uint32_t slot = first; slot < first + c->g.ways; slot++)
		if (!(locked && locked[slot]) &&
			(best == SIM_SLOT_NONE || c->stamp[slot] < c->stamp[best]))
			best = slot;
	if (c->policy == SIM_RANDOM && best != SIM_SLOT_NONE && c->stamp[best])
		return random_slot(c, first, locked);
	return best;
}

/*
 * A slot of a wide set that has no line and may take one. Those that have lost theirs are the
 * oldest of the ring; then come those that have had none.
 */
static uint32_t wide_free(const struct sim_cache *c, uint32_t set, const uint8_t *locked)
{
	const uint32_t head = c->slots + set, end = (set + 1) * c->g.ways;
	uint32_t slot = c->used[set] ? c->newer[head] : head;

	for (; slot != head && c->tag[slot] == NO_LINE; slot = c->newer[slot])
		if (!(locked && locked[slot]))
			return slot;
	slot = end - c->g.ways + c->used[set];
	while (slot < end && locked && locked[slot])
		slot++;
	return slot < end ? slot : SIM_SLOT_NONE;
}

static uint32_t wide_victim(struct sim_cache *c, uint32_t set, const uint8_t *locked)
{
	const uint32_t head = c->slots + set;
	uint32_t slot = wide_free(c, set, locked);

	if (slot != SIM_SLOT_NONE)
		return slot;
	if (has_ranks(c, set))
		return ranked_victim(c, set, locked);
	slot = c->used[set] ? c->newer[head] : head;
	while (slot != head && locked && locked[slot])
		slot = c->newer[slot];
	if (slot == head)
		return SIM_SLOT_NONE;
	if (c->policy == SIM_RANDOM)
		return random_slot(c, set * c->g.ways, locked);
	return slot;
}

/* ---- the order of a wide set ---- */

/* Puts a slot into a ring after `at`, on the older side. */
static void ring_put(struct sim_cache *c, uint32_t slot, uint32_t at)
{
	c->older[slot] = c->older[at];
	c->newer[slot] = at;
	c->newer[c->older[at]] = slot;
	c->older[at] = slot;
}

/* Takes a slot out of its ring and puts it there. */
static void ring_move(struct sim_cache *c, uint32_t slot, uint32_t at)
{
	if (slot == at)
		return;
	c->older[c->newer[slot]] = c->older[slot];
	c->newer[c->older[slot]] = c->newer[slot];
	ring_put(c, slot, at);
}

/* A line comes into the slot: it is the newest of its set, and perhaps the first in its slot. */
static void ring_renew(struct sim_cache *c, uint32_t slot, uint32_t set)
{
	const uint32_t head = c->slots + set, first = set * c->g.ways;
	uint32_t lined;

	if (slot - first < c->used[set]) {
		ring_move(c, slot, head);
		return;
	}
	if (!c->used[set])
		c->older[head] = c->newer[head] = head;
	/* Those that it overtakes, which are locked, are the newest without a line. */
	for (lined = c->newer[head]; lined != head && c->tag[lined] == NO_LINE;)
		lined = c->newer[lined];
	while (first + c->used[set] < slot)
		ring_put(c, first + c->used[set]++, lined);
	ring_put(c, slot, head);
	c->used[set]++;
}

/* ---- accesses ---- */

static int no_memory(struct tr_err *err)
{
	return tr_fail(err, TR_EMEM, 0, "no memory for the lines of a cache");
}

static void put_narrow(
	struct sim_cache *c, uint64_t line, const uint8_t *locked, struct sim_cache_answer *a)
{
	const uint32_t slot = narrow_victim(c, sim_set_of(&c->g, line) * c->g.ways, locked);

	*a = (struct sim_cache_answer){.slot = slot};
	if (slot == SIM_SLOT_NONE)
		return;
	a->evicted = c->tag[slot] != NO_LINE;
	a->victim = c->tag[slot] - 1;
	forget_rank(c, slot);
	c->tag[slot] = line + 1;
	c->stamp[slot] = ++c->clock;
	c->filled[slot / CHUNK] = 1;
}

static void put_wide(
	struct sim_cache *c, uint64_t line, const uint8_t *locked, struct sim_cache_answer *a)
{
	const uint32_t set = sim_set_of(&c->g, line), slot = wide_victim(c, set, locked);

	*a = (struct sim_cache_answer){.slot = slot};
	if (slot == SIM_SLOT_NONE)
		return;
	a->evicted = c->tag[slot] != NO_LINE;
	a->victim = c->tag[slot] - 1;
	if (a->evicted)
		leave(c, slot);
	forget_rank(c, slot);
	c->tag[slot] = line + 1;
	enter(c, slot);
	ring_renew(c, slot, set);
}

static bool grow_slots(struct sim_cache *c)
{
	const uint32_t cap = c->cap ? 2 * c->cap : 64;
	uint64_t *tag =
		c->slots < SIM_SLOT_NONE / 2 ? realloc(c->tag, (size_t)cap * sizeof(*tag)) : NULL;

	if (!tag)
		return false;
	c->tag = tag;
	c->cap = cap;
	return true;
}

static int access_unbounded(
	struct sim_cache *c, uint64_t line, struct sim_cache_answer *a, struct tr_err *err)
{
	const size_t before = c->lines.n;
	uint64_t *place;

	if (c->slots == c->cap && !grow_slots(c))
		return no_memory(err);
	place = sim_lines_put(&c->lines, line);
	if (!place)
		return no_memory(err);
	if (c->lines.n > before) {
		*place = c->slots++;
		c->tag[*place] = NO_LINE;
	}
	*a = (struct sim_cache_answer){.hit = c->tag[*place] == line + 1, .slot = (uint32_t)*place};
	c->tag[*place] = line + 1;
	return 1;
}

void sim_cache_touch(struct sim_cache *c, uint32_t slot)
{
	if (c->policy != SIM_LRU)
		return;
	if (c->stamp)
		c->stamp[slot] = ++c->clock;
	else if (is_wide(c))
		ring_move(c, slot, c->slots + slot / c->g.ways);
}

int sim_cache_put(struct sim_cache *c, uint64_t line, const uint8_t *locked,
	struct sim_cache_answer *a, struct tr_err *err)
{
	if (is_unbounded(c))
		return access_unbounded(c, line, a, err);
	if (c->stamp)
		put_narrow(c, line, locked, a);
	else
		put_wide(c, line, locked, a);
	return 1;
}

int sim_cache_access(struct sim_cache *c, uint64_t line, const uint8_t *locked,
	struct sim_cache_answer *a, struct tr_err *err)
{
	const uint32_t slot = is_unbounded(c) ? SIM_SLOT_NONE : sim_cache_probe(c, line);

	if (slot == SIM_SLOT_NONE)
		return sim_cache_put(c, line, locked, a, err);
	*a = (struct sim_cache_answer){.hit = 1, .slot = slot};
	sim_cache_touch(c, slot);
	return 1;
}

uint32_t sim_cache_invalidate(struct sim_cache *c, uint64_t line)
{
	const uint32_t slot = sim_cache_probe(c, line);

	if (slot == SIM_SLOT_NONE)
		return slot;
	forget_rank(c, slot);
	if (is_wide(c)) {
		leave(c, slot);
		ring_move(c, slot, c->newer[c->slots + slot / c->g.ways]);
	}
	c->tag[slot] = NO_LINE;
	if (c->stamp)
		c->stamp[slot] = 0;
	return slot;
}
