/* The L1s: tags, valid and dirty sectors, MSHRs. */
#include "sim/sm/l1.h"
#include "sim/base/mix.h"
#include <stdlib.h>

#define TAG(c, n) ((c)->kind << 30 | (n))

static int init_waiting(struct sim_l1 *c);

int sim_l1_init(
	struct sim_l1 *c, const struct sim_l1_shape *shape, uint32_t kind, struct tr_err *err)
{
	const struct sim_geometry *g = &shape->g;
	int rc = sim_cache_new(&c->tags, g, shape->replacement, 1, err);

	if (rc < 0)
		return rc;
	c->kind = kind;
	c->line_bytes = g->line_bytes;
	c->sector_bytes = shape->sector_bytes ? shape->sector_bytes : g->line_bytes;
	c->hit_latency = shape->hit_latency;
	c->lazy_stores = shape->lazy_stores;
	c->nmshrs = shape->mshrs;
	c->merges = shape->merges;
	c->touched_words = (shape->threads + 63) / 64;
	c->ways = g->sets ? g->ways : UINT32_MAX;
	c->in_flight = calloc((size_t)g->sets + 1, sizeof(*c->in_flight));
	c->mshrs = calloc((size_t)c->nmshrs + 1, sizeof(*c->mshrs));
	/* In one piece, and not cleared: of a thousand entries with a thousand loads each, few are
	 * ever written. */
	c->waiting =
		malloc(((size_t)c->nmshrs + 1) * ((size_t)c->merges + 1) * sizeof(*c->waiting));
	c->spare = calloc((size_t)c->nmshrs / 64 + 1, sizeof(*c->spare));
	if (!c->mshrs || !c->waiting || !c->in_flight || !c->spare)
		return tr_fail(err, TR_EMEM, 0, "no memory for an L1");
	if (shape->on_fill && init_waiting(c) < 0)
		return tr_fail(err, TR_EMEM, 0, "no memory for an L1");
	for (uint32_t i = 0; i < c->nmshrs; i++) {
		c->mshrs[i].loads = c->waiting + i * ((size_t)c->merges + 1);
		c->spare[i / 64] |= 1ull << (i % 64);
	}
	return 1;
}

void sim_l1_free(struct sim_l1 *c)
{
	free(c->mshrs);
	free(c->mshrs_of);
	free(c->spare);
	free(c->waiting);
	free(c->in_flight);
	free(c->locked);
	free(c->valid);
	free(c->dirty);
	free(c->owner);
	free(c->owner_age);
	free(c->touched);
	free(c->spare_waiting);
	free(c->waits);
	free(c->hashed);
	sim_cache_free(c->tags);
	*c = (struct sim_l1){0};
}

/* What is kept by slot grows with the cache: an unbounded one has more slots every time. */
static int reach(struct sim_l1 *c, uint32_t slots)
{
	uint32_t cap = c->cap ? c->cap : 256;
	uint64_t *touched;

	if (slots <= c->cap)
		return 0;
	while (cap < slots)
		cap *= 2;
#define GROW(field, each)                                                                          \
	do {                                                                                       \
		const size_t size_ = (each) * sizeof(*c->field);                                   \
		void *p_ =                                                                         \
			c->cap ? realloc(c->field, cap * size_ + 1) : calloc(1, cap * size_ + 1);  \
		if (!p_)                                                                           \
			return -1;                                                                 \
		c->field = p_;                                                                     \
		if (c->cap)                                                                        \
			memset(c->field + (size_t)c->cap * (each), 0, (cap - c->cap) * size_);     \
	} while (0)
	GROW(mshrs_of, 1);
	GROW(locked, 1);
	GROW(valid, 1);
	GROW(dirty, 1);
	GROW(owner, 1);
	GROW(owner_age, 1);
#undef GROW
	/* Large, and cleared slot by slot when a line takes it (replace). */
	touched = realloc(c->touched, (size_t)cap * c->touched_words * sizeof(*touched) + 1);
	if (!touched)
		return -1;
	c->touched = touched;
	c->cap = cap;
	return 0;
}

/* ---- lines that wait for a slot ---- */

/* Each of them has an MSHR, so there are as many. */
static int init_waiting(struct sim_l1 *c)
{
	c->hash_bits = 1;
	while (1u << c->hash_bits < c->nmshrs)
		c->hash_bits++;
	c->spare_waiting = calloc((size_t)c->nmshrs / 64 + 1, sizeof(*c->spare_waiting));
	c->waits = calloc((size_t)c->nmshrs + 1, sizeof(*c->waits));
	c->hashed = malloc(sizeof(*c->hashed) << c->hash_bits);
	if (!c->spare_waiting || !c->waits || !c->hashed || reach(c, c->nmshrs))
		return -1;
	memset(c->hashed, 0xff, sizeof(*c->hashed) << c->hash_bits);
	for (uint32_t i = 0; i < c->nmshrs; i++)
		c->spare_waiting[i / 64] |= 1ull << (i % 64);
	c->nwaiting = c->nmshrs;
	return 0;
}

static uint32_t *hash_of(const struct sim_l1 *c, uint64_t line)
{
	return &c->hashed[line * 0x9e3779b97f4a7c15u >> (64 - c->hash_bits)];
}

uint32_t sim_l1_slot(const struct sim_l1 *c, uint64_t line)
{
	const uint32_t slot = sim_cache_probe(c->tags, line);

	return slot == SIM_SLOT_NONE ? slot : slot + c->nwaiting;
}

/* The same, or the slot of a line that waits for one. */
static uint32_t find(const struct sim_l1 *c, uint64_t line)
{
	uint32_t slot = sim_l1_slot(c, line);

	if (slot != SIM_SLOT_NONE || !c->nwaiting)
		return slot;
	slot = *hash_of(c, line);
	while (slot != SIM_SLOT_NONE && c->waits[slot].line != line)
		slot = c->waits[slot].next;
	return slot;
}

static int has_slot(const struct sim_l1 *c, uint32_t slot)
{
	return slot != SIM_SLOT_NONE && slot >= c->nwaiting;
}

static void clear(struct sim_l1 *c, uint32_t slot, uint32_t owner, uint64_t owner_age)
{
	c->valid[slot] = c->dirty[slot] = 0;
	c->owner[slot] = owner;
	c->owner_age[slot] = owner_age;
	memset(c->touched + (size_t)slot * c->touched_words, 0,
		c->touched_words * sizeof(*c->touched));
}

static uint32_t wait(struct sim_l1 *c, uint64_t line, uint8_t rank)
{
	uint32_t k = 0, slot, *first = hash_of(c, line);

	while (!c->spare_waiting[k])
		k++;
	slot = k * 64 + (uint32_t)__builtin_ctzll(c->spare_waiting[k]);
	c->spare_waiting[k] &= c->spare_waiting[k] - 1;
	c->waits[slot] = (struct sim_l1_waiting){.line = line, .next = *first, .rank = rank};
	*first = slot;
	return slot;
}

static void wait_no_more(struct sim_l1 *c, uint32_t slot)
{
	uint32_t *at = hash_of(c, c->waits[slot].line);

	while (*at != slot)
		at = &c->waits[*at].next;
	*at = c->waits[slot].next;
	c->spare_waiting[slot / 64] |= 1ull << (slot % 64);
}

/* What is in flight of a line, who owns it and who has touched it: in another slot from now on. */
static void move_line(struct sim_l1 *c, uint32_t from, uint32_t to)
{
	const size_t words = c->touched_words;

	clear(c, to, c->owner[from], c->owner_age[from]);
	memcpy(c->touched + to * words, c->touched + from * words, words * sizeof(*c->touched));
	c->mshrs_of[to] = c->mshrs_of[from];
	c->locked[to] = c->locked[from];
	c->mshrs_of[from] = NULL;
	c->locked[from] = 0;
	for (struct sim_mshr *m = c->mshrs_of[to]; m; m = m->next)
		m->slot = to;
}

/* ---- MSHRs ---- */

/* The free one of the lowest number. */
static struct sim_mshr *take_free(struct sim_l1 *c, uint32_t slot)
{
	struct sim_mshr *m, **at = &c->mshrs_of[slot];
	uint32_t k = 0;

	while (!c->spare[k])
		k++;
	m = &c->mshrs[k * 64 + (uint32_t)__builtin_ctzll(c->spare[k])];
	c->spare[k] &= c->spare[k] - 1;
	c->used++;
	while (*at && *at < m)
		at = &(*at)->next;
	m->next = *at;
	*at = m;
	m->slot = slot;
	m->n = 0;
	return m;
}

/*
 * The sectors of `wanted` that MSHRs of the line wait for; *full: one has no room to merge. Where
 * nothing merges (merges = 0) there is room for what waits for nothing, a store.
 */
static uint32_t in_flight(struct sim_l1 *c, uint32_t slot, uint32_t wanted, int *full)
{
	uint32_t found = 0;

	for (const struct sim_mshr *m = c->mshrs_of[slot]; m && found != wanted; m = m->next)
		if (m->sectors & wanted) {
			found |= m->sectors & wanted;
			*full |= c->merges && m->n >= c->merges;
		}
	return found;
}

int sim_l1_write(struct sim_l1 *c, uint64_t line, uint32_t sectors)
{
	const uint32_t slot = find(c, line);
	const uint32_t coming = slot == SIM_SLOT_NONE ? 0 : sectors & ~c->valid[slot];
	int full = 0;

	if (slot == SIM_SLOT_NONE)
		return 0;
	c->stuck = SIM_CY_ISSUED;
	if (coming && (!c->locked[slot] || coming & ~in_flight(c, slot, coming, &full)))
		return 0;
	c->dirty[slot] |= sectors & ~coming;
	for (struct sim_mshr *m = c->mshrs_of[slot]; m && coming; m = m->next)
		m->dirty |= m->sectors & coming;
	return 1;
}

/* An access waits for all that is in flight of what it wants; how many MSHRs that is. */
static uint32_t merge(struct sim_l1 *c, uint32_t slot, uint32_t wanted, uint32_t load, int dirty)
{
	uint32_t n = 0;

	for (struct sim_mshr *m = c->mshrs_of[slot]; m && wanted; m = m->next)
		if (m->sectors & wanted) {
			if (c->merges)
				m->loads[m->n++] = load;
			if (dirty)
				m->dirty |= m->sectors & wanted;
			wanted &= ~m->sectors;
			n++;
		}
	return n;
}

/* Sectors of a line have come, or the line will not stay. */
static void unlock(struct sim_l1 *c, const struct sim_mshr *m)
{
	struct sim_mshr **at = &c->mshrs_of[m->slot];

	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	if (!--c->locked[m->slot] && !c->nwaiting)
		c->in_flight[m->slot / c->ways]--;
	c->valid[m->slot] |= m->sectors;
	c->dirty[m->slot] |= m->dirty;
}

/* ---- requests ---- */

static void request(struct sim_outbox *out, const struct sim_l1 *c, uint64_t line, uint32_t sectors,
	struct sim_mem_request r)
{
	const int plain = c->sector_bytes == c->line_bytes;

	r.line = line;
	r.sectors = plain ? sim_all_sectors(c->line_bytes) : sectors;
	r.bytes = c->sector_bytes * sim_sectors(sectors);
	sim_outbox_put(out, r);
}

/* A line leaves its slot: what is dirty of it goes to the memory. */
static void write_back(const struct sim_l1 *c, struct sim_outbox *out, uint64_t line, uint32_t slot)
{
	if (c->dirty[slot])
		request(out, c, line, c->dirty[slot],
			(struct sim_mem_request){.op = SIM_MEM_WRITE, .space = TR_S_LOCAL});
}

/* A slot is for another line from now on. */
static void replace(struct sim_l1 *c, struct sim_outbox *out, const struct sim_l1_want *want,
	struct sim_l1_answer *a)
{
	a->victim_owner = c->owner[a->slot];
	a->victim_age = c->owner_age[a->slot];
	a->crowded = a->evicted && !c->nwaiting && c->in_flight[a->slot / c->ways];
	if (a->evicted)
		write_back(c, out, a->victim, a->slot);
	if (c->mshrs_of[a->slot])
		move_line(c, a->slot, wait(c, a->victim, SIM_RANK_NORMAL));
	clear(c, a->slot, want->owner, want->owner_age);
}

/* The rank of an access's line. 0, or -1 without memory. */
static int rank(struct sim_l1 *c, uint32_t slot, const struct sim_l1_want *want)
{
	if (!c->ranks && want->rank == SIM_RANK_NORMAL)
		return 0;
	c->ranks = 1;
	return sim_cache_rank(c->tags, slot - c->nwaiting, (enum sim_rank)want->rank);
}

/* A line comes among the tags: 1, or 0 where all slots of its set are locked; -1 without memory. */
static int put(struct sim_l1 *c, struct sim_outbox *out, const struct sim_l1_want *want,
	struct sim_l1_answer *a)
{
	const uint32_t waited = a->slot;
	struct sim_cache_answer tags;

	if (sim_cache_put(c->tags, want->line, c->nwaiting ? NULL : c->locked, &tags, NULL) < 0 ||
		reach(c, sim_cache_slots(c->tags) + c->nwaiting))
		return -1;
	if (tags.slot == SIM_SLOT_NONE)
		return 0;
	a->slot = tags.slot + c->nwaiting;
	a->evicted = (uint8_t)tags.evicted;
	a->victim = tags.victim;
	replace(c, out, want, a);
	if (waited != SIM_SLOT_NONE) {
		move_line(c, waited, a->slot);
		wait_no_more(c, waited);
	}
	return rank(c, a->slot, want) < 0 ? -1 : 1;
}

/* A line waits for its slot until its data come. */
static void put_off(struct sim_l1 *c, const struct sim_l1_want *want, struct sim_l1_answer *a)
{
	if (a->slot == SIM_SLOT_NONE) {
		a->slot = wait(c, want->line, want->rank);
		clear(c, a->slot, want->owner, want->owner_age);
	} else if (!want->ages_not) {
		c->waits[a->slot].rank = want->rank;
	}
}

/* Asks for sectors of the line in a slot. */
static void fetch(struct sim_l1 *c, struct sim_outbox *out, const struct sim_l1_want *want,
	uint32_t slot, uint32_t sectors)
{
	struct sim_mshr *m = take_free(c, slot);

	if (!c->locked[slot]++ && !c->nwaiting)
		c->in_flight[slot / c->ways]++;
	m->line = want->line;
	m->sectors = sectors;
	m->dirty = want->dirty ? sectors : 0;
	m->loads[m->n++] = want->load;
	request(out, c, want->line, sectors,
		(struct sim_mem_request){.op = SIM_MEM_READ,
			.tag = TAG(c, (uint32_t)(m - c->mshrs)),
			.reply = 1,
			.space = want->space});
}

int sim_l1_has(struct sim_l1 *c, uint64_t line, uint32_t sectors)
{
	const uint32_t slot = find(c, line);
	int full = 0;

	if (slot == SIM_SLOT_NONE)
		return 0;
	sectors &= ~c->valid[slot];
	return !sectors || (c->locked[slot] && in_flight(c, slot, sectors, &full) == sectors);
}

int sim_l1_read(struct sim_l1 *c, struct sim_outbox *out, const struct sim_l1_want *want,
	struct sim_l1_answer *a)
{
	const int keeps = (want->dirty && c->lazy_stores) || want->through;
	uint32_t missing = want->sectors, coming = 0, again = 0, kept = 0;
	int full = 0, rc;

	c->stuck = SIM_CY_ISSUED;
	*a = (struct sim_l1_answer){.outcome = SIM_L1_STALLED, .slot = find(c, want->line)};
	if (a->slot != SIM_SLOT_NONE) {
		missing &= ~(keeps ? c->valid[a->slot] | c->dirty[a->slot] : c->valid[a->slot]);
		if (missing && c->locked[a->slot] && !want->through)
			coming = in_flight(c, a->slot, missing, &full);
	}
	a->there = want->sectors & ~missing;
	if (!c->merges && coming && !want->dirty) /* a load asks for itself */
		again = coming;
	missing &= ~coming | again;
	coming &= ~again;
	if (keeps) {
		kept = missing;
		missing = 0;
	}
	full |= missing && a->slot != SIM_SLOT_NONE && c->locked[a->slot] == UINT8_MAX;
	if (full || (missing && c->used == c->nmshrs) ||
		((missing | kept) && !sim_outbox_room(out))) {
		a->why = full                              ? SIM_CY_STALL_MERGE
			 : missing && c->used == c->nmshrs ? SIM_CY_STALL_MSHR
							   : SIM_CY_STALL_QUEUE;
		if (a->why != SIM_CY_STALL_QUEUE) /* that changes with the outbox */
			c->stuck = a->why;
		return 0;
	}
	if (has_slot(c, a->slot)) {
		if (!want->ages_not) {
			sim_cache_touch(c->tags, a->slot - c->nwaiting);
			if (rank(c, a->slot, want) < 0)
				return -1;
		}
	} else if (c->nwaiting && !keeps) {
		put_off(c, want, a);
	} else {
		rc = put(c, out, want, a);
		if (rc < 0)
			return -1;
		if (!rc) {
			c->stuck = a->why = SIM_CY_STALL_LINE;
			return 0;
		}
	}
	if (keeps) {
		c->valid[a->slot] |= want->whole & ~coming;
		if (want->dirty)
			c->dirty[a->slot] |= want->sectors & ~coming;
	} else if (want->dirty) {
		c->dirty[a->slot] |= want->sectors & c->valid[a->slot];
	}
	if (want->last_use && !missing && !coming)
		c->dirty[a->slot] &= ~want->whole;
	if (coming)
		a->waits = merge(c, a->slot, coming, want->load, want->dirty);
	if (missing)
		fetch(c, out, want, a->slot, missing);
	a->waits += missing != 0;
	a->outcome = (missing & ~again) | kept ? SIM_L1_MISS
		     : coming | again          ? SIM_L1_MERGED
					       : SIM_L1_HIT;
	return 0;
}

const struct sim_mshr *sim_l1_fill(
	struct sim_l1 *c, struct sim_outbox *out, uint32_t n, struct sim_l1_answer *a)
{
	struct sim_mshr *m = &c->mshrs[n];

	c->stuck = SIM_CY_ISSUED;
	*a = (struct sim_l1_answer){.slot = m->slot};
	if (m->slot != SIM_SLOT_NONE && !has_slot(c, m->slot)) {
		const struct sim_l1_want want = {.line = m->line, .rank = c->waits[m->slot].rank};

		if (put(c, out, &want, a) < 0)
			return NULL;
	}
	if (m->slot != SIM_SLOT_NONE)
		unlock(c, m);
	c->spare[n / 64] |= 1ull << (n % 64);
	c->used--;
	return m;
}

/* What is in flight of a line will not stay. */
static void keep_not(struct sim_l1 *c, uint32_t slot)
{
	struct sim_mshr *m;

	while ((m = c->mshrs_of[slot])) {
		unlock(c, m);
		m->slot = SIM_SLOT_NONE;
	}
}

int sim_l1_evict(struct sim_l1 *c, struct sim_outbox *out, uint64_t line)
{
	const uint32_t slot = find(c, line);
	int there;

	if (slot == SIM_SLOT_NONE)
		return 0;
	c->stuck = SIM_CY_ISSUED;
	there = c->valid[slot] != 0;
	keep_not(c, slot);
	write_back(c, out, line, slot);
	if (has_slot(c, slot))
		sim_cache_invalidate(c->tags, line);
	else
		wait_no_more(c, slot);
	return there;
}

/* Who has touched a line is forgotten when another takes its slot. */
void sim_l1_flush(struct sim_l1 *c)
{
	c->stuck = SIM_CY_ISSUED;
	for (uint32_t slot = c->nwaiting; c->nwaiting && slot < c->cap; slot++)
		keep_not(c, slot);
	sim_cache_flush(c->tags);
	if (c->cap) {
		memset(c->valid, 0, c->cap * sizeof(*c->valid));
		memset(c->dirty, 0, c->cap * sizeof(*c->dirty));
	}
}

uint64_t sim_l1_hash(const struct sim_l1 *c, uint64_t h)
{
	for (uint32_t i = 0; i < c->cap; i++) {
		if (!(c->locked[i] | c->valid[i] | c->dirty[i]))
			continue;
		h = sim_mix(sim_mix(h, i), (uint64_t)c->owner[i] << 16 | (uint64_t)c->locked[i]);
		h = sim_mix(h, (uint64_t)c->valid[i] << 32 | c->dirty[i]);
		h = sim_mix(h, c->owner_age[i]);
		for (uint32_t k = 0; k < c->touched_words; k++)
			h = sim_mix(h, c->touched[(size_t)i * c->touched_words + k]);
	}
	for (uint32_t i = 0; i < c->nmshrs; i++) {
		const struct sim_mshr *m = &c->mshrs[i];

		if (c->spare[i / 64] >> (i % 64) & 1)
			continue;
		for (uint32_t k = 0; k < m->n; k++)
			h = sim_mix(sim_mix(h, m->line), m->loads[k]);
	}
	return sim_mix(h, c->used);
}
