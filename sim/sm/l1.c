/* The L1s: tags, valid and dirty sectors, MSHRs. */
#include "sim/sm/l1.h"
#include "sim/base/mix.h"
#include <stdlib.h>

#define TAG(c, n) ((c)->kind << 30 | (n))

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
	/* In one piece: of a thousand entries with a thousand loads each, few are ever touched. */
	c->waiting = calloc((size_t)c->nmshrs + 1, ((size_t)c->merges + 1) * sizeof(*c->waiting));
	if (!c->mshrs || !c->waiting || !c->in_flight)
		return tr_fail(err, TR_EMEM, 0, "no memory for an L1");
	for (uint32_t i = 0; i < c->nmshrs; i++)
		c->mshrs[i].loads = c->waiting + i * ((size_t)c->merges + 1);
	return 1;
}

void sim_l1_free(struct sim_l1 *c)
{
	free(c->mshrs);
	free(c->waiting);
	free(c->in_flight);
	free(c->locked);
	free(c->valid);
	free(c->dirty);
	free(c->owner);
	free(c->owner_age);
	free(c->touched);
	sim_cache_free(c->tags);
	*c = (struct sim_l1){0};
}

void sim_l1_flush(struct sim_l1 *c)
{
	c->stuck = SIM_CY_ISSUED;
	sim_cache_flush(c->tags);
	if (c->cap) {
		memset(c->dirty, 0, c->cap * sizeof(*c->dirty));
		memset(c->touched, 0, (size_t)c->cap * c->touched_words * sizeof(*c->touched));
	}
}

/* What is kept by slot grows with the cache: an unbounded one has more slots every time. */
static int reach(struct sim_l1 *c, uint32_t slots)
{
	uint32_t cap = c->cap ? c->cap : 256;

	if (slots <= c->cap)
		return 0;
	while (cap < slots)
		cap *= 2;
#define GROW(field, each)                                                                          \
	do {                                                                                       \
		void *p_ = realloc(c->field, (size_t)cap * (each) * sizeof(*c->field) + 1);        \
		if (!p_)                                                                           \
			return -1;                                                                 \
		c->field = p_;                                                                     \
		memset(c->field + (size_t)c->cap * (each), 0,                                      \
			(size_t)(cap - c->cap) * (each) * sizeof(*c->field));                      \
	} while (0)
	GROW(locked, 1);
	GROW(valid, 1);
	GROW(dirty, 1);
	GROW(owner, 1);
	GROW(owner_age, 1);
	GROW(touched, c->touched_words);
#undef GROW
	c->cap = cap;
	return 0;
}

/* ---- MSHRs ---- */

/* The next MSHR of a line that is in flight and will stay, from `*i` on, or NULL. */
static struct sim_mshr *next_of(struct sim_l1 *c, uint32_t slot, uint32_t *i)
{
	while (*i < c->nmshrs) {
		struct sim_mshr *m = &c->mshrs[(*i)++];

		if (m->used && m->slot == slot)
			return m;
	}
	return NULL;
}

static struct sim_mshr *take_free(struct sim_l1 *c)
{
	uint32_t i = 0;

	while (c->mshrs[i].used)
		i++;
	c->mshrs[i].used = 1;
	c->mshrs[i].n = 0;
	c->used++;
	return &c->mshrs[i];
}

/*
 * The sectors of `wanted` that MSHRs of the line wait for; *full: one has no room to merge. Where
 * nothing merges (merges = 0) there is room for what waits for nothing, a store.
 */
static uint32_t in_flight(struct sim_l1 *c, uint32_t slot, uint32_t wanted, int *full)
{
	const struct sim_mshr *m;
	uint32_t found = 0, i = 0;

	while (found != wanted && (m = next_of(c, slot, &i)))
		if (m->sectors & wanted) {
			found |= m->sectors & wanted;
			*full |= c->merges && m->n >= c->merges;
		}
	return found;
}

int sim_l1_write(struct sim_l1 *c, uint64_t line, uint32_t sectors)
{
	const uint32_t slot = sim_cache_probe(c->tags, line);
	const uint32_t coming = slot == SIM_SLOT_NONE ? 0 : sectors & ~c->valid[slot];
	struct sim_mshr *m;
	uint32_t i = 0;
	int full = 0;

	if (slot == SIM_SLOT_NONE)
		return 0;
	c->stuck = SIM_CY_ISSUED;
	if (coming && (!c->locked[slot] || coming & ~in_flight(c, slot, coming, &full)))
		return 0;
	c->dirty[slot] |= sectors & ~coming;
	while (coming && (m = next_of(c, slot, &i)))
		m->dirty |= m->sectors & coming;
	return 1;
}

/* An access waits for all that is in flight of what it wants; how many MSHRs that is. */
static uint32_t merge(struct sim_l1 *c, uint32_t slot, uint32_t wanted, uint32_t load, int dirty)
{
	struct sim_mshr *m;
	uint32_t n = 0, i = 0;

	while (wanted && (m = next_of(c, slot, &i)))
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
	if (!--c->locked[m->slot])
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

/* A slot is for another line from now on; what was dirty of the old one goes to the memory. */
static void replace(struct sim_l1 *c, struct sim_outbox *out, const struct sim_l1_want *want,
	struct sim_l1_answer *a)
{
	const uint32_t dirty = c->dirty[a->slot];

	a->victim_owner = c->owner[a->slot];
	a->victim_age = c->owner_age[a->slot];
	a->crowded = a->evicted && c->in_flight[a->slot / c->ways];
	if (a->evicted && dirty)
		request(out, c, a->victim, dirty,
			(struct sim_mem_request){.op = SIM_MEM_WRITE, .space = TR_S_LOCAL});
	c->valid[a->slot] = c->dirty[a->slot] = 0;
	c->owner[a->slot] = want->owner;
	c->owner_age[a->slot] = want->owner_age;
	memset(c->touched + (size_t)a->slot * c->touched_words, 0,
		c->touched_words * sizeof(*c->touched));
}

/* Asks for sectors of the line in a slot. */
static void fetch(struct sim_l1 *c, struct sim_outbox *out, const struct sim_l1_want *want,
	uint32_t slot, uint32_t sectors)
{
	struct sim_mshr *m = take_free(c);

	if (!c->locked[slot]++)
		c->in_flight[slot / c->ways]++;
	m->line = want->line;
	m->slot = slot;
	m->sectors = sectors;
	m->dirty = want->dirty ? sectors : 0;
	m->loads[m->n++] = want->load;
	request(out, c, want->line, sectors,
		(struct sim_mem_request){.op = SIM_MEM_READ,
			.tag = TAG(c, (uint32_t)(m - c->mshrs)),
			.reply = 1,
			.space = want->space});
}

int sim_l1_read(struct sim_l1 *c, struct sim_outbox *out, const struct sim_l1_want *want,
	struct sim_l1_answer *a)
{
	const int keeps = (want->dirty && c->lazy_stores) || want->through;
	uint32_t missing = want->sectors, coming = 0, again = 0, kept = 0;
	struct sim_cache_answer tags;
	int full = 0;

	c->stuck = SIM_CY_ISSUED;
	*a = (struct sim_l1_answer){
		.outcome = SIM_L1_STALLED, .slot = sim_cache_probe(c->tags, want->line)};
	if (a->slot != SIM_SLOT_NONE) {
		missing &= ~(keeps ? c->valid[a->slot] | c->dirty[a->slot] : c->valid[a->slot]);
		if (missing && c->locked[a->slot] && !want->through)
			coming = in_flight(c, a->slot, missing, &full);
	}
	a->there = want->sectors & ~missing;
	if (!c->merges && coming && !want->dirty) { /* a load asks for itself */
		again = coming;
		full = c->locked[a->slot] == UINT8_MAX;
	}
	missing &= ~coming | again;
	coming &= ~again;
	if (keeps) {
		kept = missing;
		missing = 0;
	}
	if (full || (missing && c->used == c->nmshrs) ||
		((missing | kept) && !sim_outbox_room(out))) {
		a->why = full                              ? SIM_CY_STALL_MERGE
			 : missing && c->used == c->nmshrs ? SIM_CY_STALL_MSHR
							   : SIM_CY_STALL_QUEUE;
		if (a->why != SIM_CY_STALL_QUEUE) /* that changes with the outbox */
			c->stuck = a->why;
		return 0;
	}
	if (sim_cache_access(c->tags, want->line, c->locked, &tags, NULL) < 0 ||
		reach(c, sim_cache_slots(c->tags)))
		return -1;
	if (tags.slot == SIM_SLOT_NONE) {
		c->stuck = a->why = SIM_CY_STALL_LINE;
		return 0;
	}
	if (a->slot == SIM_SLOT_NONE) {
		a->slot = tags.slot;
		a->evicted = (uint8_t)tags.evicted;
		a->victim = tags.victim;
		replace(c, out, want, a);
	}
	if (keeps) {
		c->valid[a->slot] |= want->whole & ~coming;
		if (want->dirty)
			c->dirty[a->slot] |= want->sectors & ~coming;
	} else if (want->dirty) {
		c->dirty[a->slot] |= want->sectors & c->valid[a->slot];
	}
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

const struct sim_mshr *sim_l1_fill(struct sim_l1 *c, uint32_t n)
{
	struct sim_mshr *m = &c->mshrs[n];

	c->stuck = SIM_CY_ISSUED;
	if (m->slot != SIM_SLOT_NONE)
		unlock(c, m);
	m->used = 0;
	c->used--;
	return m;
}

int sim_l1_evict(struct sim_l1 *c, uint64_t line)
{
	const uint32_t slot = sim_cache_probe(c->tags, line);
	struct sim_mshr *m;
	uint32_t i = 0;
	int there;

	if (slot == SIM_SLOT_NONE)
		return 0;
	c->stuck = SIM_CY_ISSUED;
	there = c->valid[slot] != 0;
	while (c->locked[slot] && (m = next_of(c, slot, &i))) {
		unlock(c, m);
		m->slot = SIM_SLOT_NONE;
	}
	sim_cache_invalidate(c->tags, line);
	return there;
}

uint64_t sim_l1_hash(const struct sim_l1 *c, uint64_t h)
{
	for (uint32_t i = 0; i < c->cap; i++) {
		h = sim_mix(h, (uint64_t)c->owner[i] << 16 | (uint64_t)c->locked[i]);
		h = sim_mix(h, (uint64_t)c->valid[i] << 32 | c->dirty[i]);
		h = sim_mix(h, c->owner_age[i]);
		for (uint32_t k = 0; k < c->touched_words; k++)
			h = sim_mix(h, c->touched[(size_t)i * c->touched_words + k]);
	}
	for (uint32_t i = 0; i < c->nmshrs; i++) {
		const struct sim_mshr *m = &c->mshrs[i];

		for (uint32_t k = 0; m->used && k < m->n; k++)
			h = sim_mix(sim_mix(h, m->line), m->loads[k]);
	}
	return sim_mix(h, c->used);
}
