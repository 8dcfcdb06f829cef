/*
 * The cache; see cache.h. Three stores of tags behind one face: a set of few ways is scanned, its
 * order kept as stamps; a set of many ways is found by hash, its order kept as a list; an unbounded
 * cache is the hash alone. Leaves out data, time, sectors and whatever is outstanding.
 */
#include "sim/access/cache.h"
#include "libtrace/chance.h"
#include "sim/access/lines.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NARROW_WAYS 32     /* up to here a scan beats the hash */
#define NO_LINE UINT64_MAX /* no address of a line */

struct sim_cache {
	struct sim_geometry g;
	enum sim_replacement policy;
	uint64_t random; /* state */
	uint32_t slots;  /* bounded: sets * ways; unbounded: in use */
	uint32_t cap;    /* slots that there is memory for */
	uint64_t *tag;   /* per slot: a line or NO_LINE */

	uint64_t *stamp; /* narrow: time of the last renewal, 0 where there is no line */
	uint64_t clock;

	struct sim_lines lines; /* unbounded: slot of each line */
	/* Wide: a ring per set from the newest to the oldest; node slots + set is its head. */
	uint32_t *older, *newer;
	uint32_t *bucket, *chain; /* wide: slots by the hash of their line, SIM_SLOT_NONE ends */
	unsigned shift;           /* 64 - log2(buckets) */
	uint64_t factor;          /* of the hash, by chance: a file may have chosen its lines */
	uint8_t *rank;            /* per slot: enum sim_rank; NULL: all are normal */
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

/* All slots of a set stand in its ring, so that those without a line are its oldest. */
static void make_rings(struct sim_cache *c)
{
	for (uint32_t s = 0; s < c->g.sets; s++) {
		uint32_t last = c->slots + s;

		for (uint32_t w = c->g.ways; w-- > 0;) {
			const uint32_t slot = s * c->g.ways + w;

			c->older[last] = slot;
			c->newer[slot] = last;
			last = slot;
		}
		c->older[last] = c->slots + s;
		c->newer[c->slots + s] = last;
	}
}

void sim_cache_flush(struct sim_cache *c)
{
	if (c->slots)
		memset(c->tag, 0xff, c->slots * sizeof(*c->tag));
	if (c->stamp)
		memset(c->stamp, 0, c->slots * sizeof(*c->stamp));
	if (is_wide(c)) {
		memset(c->bucket, 0xff, ((size_t)1 << (64 - c->shift)) * sizeof(*c->bucket));
		make_rings(c);
	}
	if (c->rank) {
		memset(c->rank, SIM_RANK_NORMAL, c->slots * sizeof(*c->rank));
		memset(c->ranked, 0, c->g.sets * sizeof(*c->ranked));
	}
}

static bool make_slots(struct sim_cache *c)
{
	const size_t nodes = (size_t)c->slots + c->g.sets;
	size_t buckets = 2;

	c->tag = malloc(c->slots * sizeof(*c->tag));
	if (c->g.ways <= NARROW_WAYS)
		return c->tag && (c->stamp = malloc(c->slots * sizeof(*c->stamp)));
	c->older = malloc(nodes * sizeof(*c->older));
	c->newer = malloc(nodes * sizeof(*c->newer));
	while (buckets < c->slots)
		buckets *= 2;
	c->shift = 64 - (unsigned)__builtin_ctzll(buckets);
	c->factor = (tr_chance() ^ SIM_LINES_FACTOR) | 1;
	c->bucket = malloc(buckets * sizeof(*c->bucket));
	c->chain = malloc(c->slots * sizeof(*c->chain));
	return c->tag && c->older && c->newer && c->bucket && c->chain;
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
	if (g->sets)
		sim_cache_flush(c);
	*out = c;
	return 1;
}

void sim_cache_free(struct sim_cache *c)
{
	if (!c)
		return;
	free(c->tag);
	free(c->stamp);
	free(c->older);
	free(c->newer);
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
		if (c->tag[slot] == line)
			return slot;
	return SIM_SLOT_NONE;
}

static uint32_t *bucket_of(const struct sim_cache *c, uint64_t line)
{
	return &c->bucket[line * c->factor >> c->shift];
}

static uint32_t look_up(const struct sim_cache *c, uint64_t line)
{
	uint32_t slot = *bucket_of(c, line);

	while (slot != SIM_SLOT_NONE && c->tag[slot] != line)
		slot = c->chain[slot];
	return slot;
}

uint32_t sim_cache_probe(const struct sim_cache *c, uint64_t line)
{
	const uint64_t *slot;

	if (c->stamp)
		return scan(c, line);
	if (is_wide(c))
		return look_up(c, line);
	slot = sim_lines_find(&c->lines, line);
	return slot && c->tag[*slot] == line ? (uint32_t)*slot : SIM_SLOT_NONE;
}

/* A slot has a line, or has it no more: found by its hash, or not. */
static void enter(struct sim_cache *c, uint32_t slot)
{
	uint32_t *first = bucket_of(c, c->tag[slot]);

	c->chain[slot] = *first;
	*first = slot;
}

static void leave(struct sim_cache *c, uint32_t slot)
{
	uint32_t *at = bucket_of(c, c->tag[slot]);

	while (*at != slot)
		at = &c->chain[*at];
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

int sim_cache_rank(struct sim_cache *c, uint32_t slot, enum sim_rank rank)
{
	uint32_t *ranked;

	if (is_unbounded(c))
		return 0;
	if (!c->rank) {
		if (rank == SIM_RANK_NORMAL)
			return 0;
		c->rank = malloc(c->slots * sizeof(*c->rank));
		c->ranked = calloc(c->g.sets, sizeof(*c->ranked));
		if (!c->rank || !c->ranked) {
			free(c->rank);
			free(c->ranked);
			c->rank = NULL;
			c->ranked = NULL;
			return -1;
		}
		memset(c->rank, SIM_RANK_NORMAL, c->slots * sizeof(*c->rank));
	}
	ranked = &c->ranked[slot / c->g.ways];
	*ranked -= c->rank[slot] != SIM_RANK_NORMAL;
	*ranked += rank != SIM_RANK_NORMAL;
	c->rank[slot] = (uint8_t)rank;
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
		n += c->rank[slot] == rank && !(locked && locked[slot]);
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

		while (c->rank[slot] != rank || (locked && locked[slot]))
			slot = c->newer[slot];
		return slot;
	}
	for (uint32_t slot = first; slot < first + c->g.ways; slot++)
		if (c->rank[slot] == rank && !(locked && locked[slot]) &&
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

	if (n) {
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
		if (c->rank[slot] == rank && !(locked && locked[slot]) && !k--)
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

static uint32_t wide_victim(struct sim_cache *c, uint32_t set, const uint8_t *locked)
{
	const uint32_t head = c->slots + set;
	uint32_t slot = c->newer[head];

	if (has_ranks(c, set))
		return ranked_victim(c, set, locked);
	while (slot != head && locked && locked[slot])
		slot = c->newer[slot];
	if (slot == head)
		return SIM_SLOT_NONE;
	if (c->policy == SIM_RANDOM && c->tag[slot] != NO_LINE)
		return random_slot(c, set * c->g.ways, locked);
	return slot;
}

/* ---- the order of a wide set ---- */

/* Takes a slot out of its ring and puts it after `at`, on the older side. */
static void ring_move(struct sim_cache *c, uint32_t slot, uint32_t at)
{
	if (slot == at)
		return;
	c->older[c->newer[slot]] = c->older[slot];
	c->newer[c->older[slot]] = c->newer[slot];
	c->older[slot] = c->older[at];
	c->newer[slot] = at;
	c->newer[c->older[at]] = slot;
	c->older[at] = slot;
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
	a->victim = c->tag[slot];
	forget_rank(c, slot);
	c->tag[slot] = line;
	c->stamp[slot] = ++c->clock;
}

static void put_wide(
	struct sim_cache *c, uint64_t line, const uint8_t *locked, struct sim_cache_answer *a)
{
	const uint32_t set = sim_set_of(&c->g, line), slot = wide_victim(c, set, locked);

	*a = (struct sim_cache_answer){.slot = slot};
	if (slot == SIM_SLOT_NONE)
		return;
	a->evicted = c->tag[slot] != NO_LINE;
	a->victim = c->tag[slot];
	if (a->evicted)
		leave(c, slot);
	forget_rank(c, slot);
	c->tag[slot] = line;
	enter(c, slot);
	ring_move(c, slot, c->slots + set);
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
	*a = (struct sim_cache_answer){.hit = c->tag[*place] == line, .slot = (uint32_t)*place};
	c->tag[*place] = line;
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
