/*
 * The memory unit of an SM: takes one memory instruction after the other, makes transactions of
 * its lanes, and works off one L1 line, or one shared-memory bank cycle, a cycle. L1D: global
 * stores write through and evict, local memory is written back; a line in flight is never a
 * victim; misses to a line in flight merge in its MSHR. Atomics go to the L2.
 */
#include "sim/access/local.h"
#include "sim/sm/internal.h"
#include <stdlib.h>

/* Whose reply it is: the two upper bits of a request's tag. */
enum { TAG_L1D, TAG_CONSTANT, TAG_TEXTURE, TAG_LOAD };
#define TAG(kind, n) ((uint32_t)(kind) << 30 | (n))

/* ---- setting up ---- */

static int l1_init(struct sim_l1 *c, const struct sim_geometry *g, uint32_t sector_bytes,
	enum sim_replacement policy, uint32_t mshrs, uint32_t merges, uint32_t hit_latency,
	uint32_t threads, struct tr_err *err)
{
	int rc = sim_cache_new(&c->tags, g, policy, 1, err);

	if (rc < 0)
		return rc;
	c->line_bytes = g->line_bytes;
	c->sector_bytes = sector_bytes ? sector_bytes : g->line_bytes;
	c->hit_latency = hit_latency;
	c->nmshrs = mshrs;
	c->merges = merges;
	c->touched_words = (threads + 63) / 64;
	c->ways = g->sets ? g->ways : UINT32_MAX;
	c->in_flight = calloc((size_t)g->sets + 1, sizeof(*c->in_flight));
	c->mshrs = calloc(mshrs + 1, sizeof(*c->mshrs));
	/* In one piece: of a thousand entries with a thousand loads each, few are ever touched. */
	c->waiting = calloc((size_t)mshrs + 1, ((size_t)merges + 1) * sizeof(*c->waiting));
	if (!c->mshrs || !c->waiting || !c->in_flight)
		return tr_fail(err, TR_EMEM, 0, "no memory for an L1");
	for (uint32_t i = 0; i < mshrs; i++)
		c->mshrs[i].loads = c->waiting + i * ((size_t)merges + 1);
	return 1;
}

static void l1_free(struct sim_l1 *c)
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

/* What is kept by slot grows with the cache: an unbounded one has more slots every time. */
static int l1_reach(struct sim_l1 *c, uint32_t slots)
{
	uint32_t cap = c->cap ? c->cap : 256;

	if (slots <= c->cap)
		return 0;
	while (cap < slots)
		cap *= 2;
#define GROW(field, each)                                                                          \
	do {                                                                                       \
		void *p_ = realloc(c->field, (size_t)cap * (each) * sizeof(*c->field));            \
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

/* A miss that finds room in the queue has one place more for a victim that is written back. */
static uint32_t miss_slots(const struct sim_sm *sm)
{
	return sm->sh->config->l1d.miss_queue + 1;
}

/*
 * Transactions of an instruction: of a lane at most three segments, and in local memory two for
 * each of 16 words. Of a gang as many as the widest one can make.
 */
static uint32_t transactions_max(const struct sim_sm *sm)
{
	const uint32_t lanes = sm->sh->warp->gang ? TR_LANES_MAX : sm->nlanes;

	return lanes * (SIM_TRANSACTIONS_MAX / TR_LANES_MAX + 2 * 16);
}

int sim_lsu_init(struct sim_sm *sm)
{
	const struct sim_config *c = sm->sh->config;
	const size_t tx = transactions_max(sm);
	int rc = l1_init(&sm->l1d, &c->l1d.g, c->l1d.sector_bytes,
		(enum sim_replacement)c->l1d.replacement, c->l1d.mshrs, c->l1d.merges,
		c->l1d.hit_latency, c->sm.threads, sm->sh->err);

	if (rc > 0)
		rc = l1_init(&sm->constant, &c->constant.g, 0, SIM_LRU, c->constant.mshrs,
			c->constant.merges, c->constant.hit_latency, 64, sm->sh->err);
	if (rc > 0)
		rc = l1_init(&sm->texture, &c->texture.g, 0, SIM_LRU, c->texture.mshrs,
			c->texture.merges, c->texture.hit_latency, 64, sm->sh->err);
	if (rc < 0)
		return rc;
	sm->jobs_max = c->sm.lsu_queue ? c->sm.lsu_queue : 1;
	sm->jobs = calloc(sm->jobs_max, sizeof(*sm->jobs));
	sm->miss_queue = calloc(miss_slots(sm), sizeof(*sm->miss_queue));
	/* In one piece, as the loads of an L1: few jobs have the transactions that they may have.
	 */
	sm->transactions = calloc(sm->jobs_max, tx * sizeof(*sm->transactions));
	if (!sm->jobs || !sm->miss_queue || !sm->transactions || sim_wheel_init(&sm->finish, 0))
		return tr_fail(sm->sh->err, TR_EMEM, 0, "no memory for an SM");
	sm->free_load = SIM_NO_LOAD;
	for (uint32_t i = 0; i < sm->jobs_max; i++)
		sm->jobs[i].tx = sm->transactions + i * tx;
	return 1;
}

void sim_lsu_free(struct sim_sm *sm)
{
	free(sm->jobs);
	free(sm->transactions);
	free(sm->miss_queue);
	free(sm->loads);
	sim_wheel_free(&sm->finish);
	l1_free(&sm->l1d);
	l1_free(&sm->constant);
	l1_free(&sm->texture);
}

static void l1_flush(struct sim_l1 *c)
{
	sim_cache_flush(c->tags);
	if (c->cap) {
		memset(c->dirty, 0, c->cap * sizeof(*c->dirty));
		memset(c->touched, 0, (size_t)c->cap * c->touched_words * sizeof(*c->touched));
	}
}

void sim_lsu_flush(struct sim_sm *sm)
{
	l1_flush(&sm->l1d);
	l1_flush(&sm->constant);
	l1_flush(&sm->texture);
}

/* ---- loads ---- */

static uint32_t load_new(struct sim_sm *sm, uint32_t warp, uint32_t inst, uint32_t answers)
{
	uint32_t n = sm->free_load;

	if (n == SIM_NO_LOAD) {
		if (sm->nloads == sm->cap_loads) {
			uint32_t cap = sm->cap_loads ? 2 * sm->cap_loads : 64;
			struct sim_load *p = realloc(sm->loads, cap * sizeof(*p));

			if (p)
				sm->loads = p;
			if (!p || sim_wheel_grow(&sm->finish, sm->cap_loads, cap + 1))
				return SIM_NO_LOAD;
			sm->cap_loads = cap;
		}
		n = sm->nloads++;
	} else {
		sm->free_load = sm->loads[n].next;
	}
	sm->loads[n] = (struct sim_load){.age = sm->warps[warp].age,
		.warp = warp,
		.inst = inst,
		.left = answers,
		.next = SIM_NO_LOAD};
	sm->live_loads++;
	sm->outstanding[warp]++;
	return n;
}

/*
 * One of the answers that a load waits for is there at cycle `at`. SIM_NO_LOAD: nobody waits, as
 * for a load without a destination, which only moves its line.
 */
static void load_answer(struct sim_sm *sm, uint32_t n, uint64_t at)
{
	struct sim_load *l = &sm->loads[n];

	if (n == SIM_NO_LOAD)
		return;
	if (at > l->done)
		l->done = at;
	if (!--l->left)
		sim_wheel_put(&sm->finish, n, l->done);
}

static void loads_finished(struct sim_sm *sm, uint64_t now)
{
	uint32_t n;

	while ((n = sim_wheel_take(&sm->finish, now)) != UINT32_MAX)
		for (uint32_t next; n != SIM_NO_LOAD; n = next) { /* and the rest of its gang */
			next = sm->loads[n].next;
			sim_sm_load_done(sm, n, now);
			sm->loads[n].next = sm->free_load;
			sm->free_load = n;
			sm->live_loads--;
			sm->events++;
		}
}

/* ---- towards the memory ---- */

static int miss_room(const struct sim_sm *sm)
{
	return sm->nmiss < sm->sh->config->l1d.miss_queue;
}

static void miss_put(struct sim_sm *sm, uint64_t line, uint32_t sectors, uint32_t bytes,
	enum sim_mem_op op, uint32_t tag, int reply, uint8_t space)
{
	sm->miss_queue[(sm->miss_head + sm->nmiss++) % miss_slots(sm)] =
		(struct sim_mem_request){.line = line,
			.sectors = sectors,
			.bytes = bytes,
			.tag = tag,
			.op = (uint8_t)op,
			.reply = (uint8_t)reply,
			.space = space,
			.sm = sm->number};
	sm->sh->stats->offcore++;
}

/* One request a cycle goes on to the interconnect. */
static void miss_send(struct sim_sm *sm, uint64_t now)
{
	if (!sm->nmiss || !sim_mem_room(sm->sh->mem, sm->number))
		return;
	sim_mem_push(sm->sh->mem, &sm->miss_queue[sm->miss_head], now);
	sm->miss_head = (sm->miss_head + 1) % miss_slots(sm);
	sm->nmiss--;
	sm->events++;
}

/* ---- the L1s ---- */

/* Nibble by nibble: a line of 128 bytes has one, and a population count may be a call. */
static uint32_t sectors_of(uint32_t mask)
{
	static const uint8_t bits[] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
	uint32_t n = 0;

	for (; mask; mask >>= 4)
		n += bits[mask & 15];
	return n;
}

/* The next MSHR of a line that is in flight and will stay, from `*i` on, or NULL. */
static struct sim_mshr *mshr_next(struct sim_l1 *c, uint32_t slot, uint32_t *i)
{
	while (*i < c->nmshrs) {
		struct sim_mshr *m = &c->mshrs[(*i)++];

		if (m->used && m->slot == slot)
			return m;
	}
	return NULL;
}

static struct sim_mshr *mshr_take(struct sim_l1 *c)
{
	uint32_t i = 0;

	while (c->mshrs[i].used)
		i++;
	c->mshrs[i].used = 1;
	c->mshrs[i].n = 0;
	c->mshrs[i].dirty = 0;
	c->used++;
	return &c->mshrs[i];
}

/* Whose the next transaction of a job is: that of its lowest lane. */
struct member {
	uint32_t number, warp;
	uint64_t age;
};

static struct member member_of(const struct sim_sm *sm, const struct sim_job *j)
{
	const uint64_t *lanes = j->tx[j->at].lanes;
	uint32_t k = 0, lane, i;

	while (!lanes[k])
		k++;
	lane = k * 64 + (uint32_t)__builtin_ctzll(lanes[k]);
	i = lane / j->width;
	if (sm->sh->warp->regroups) {
		const uint32_t m = j->thread[lane] / sm->nlanes;

		return (struct member){m, j->warp[i], sm->member_age[m]};
	}
	return (struct member){j->warp[i], j->warp[i], j->age[i]};
}

enum outcome { HIT, MISS, MERGED, STALLED };

struct l1_access {
	enum outcome outcome;
	uint32_t slot; /* of the line, also while it is in flight */
	struct sim_cache_answer answer;
	uint32_t victim_owner;
	uint64_t victim_age;
};

/* The sectors of its line that a transaction touches, as the cache has them. */
static uint32_t wanted_of(const struct sim_l1 *c, const struct sim_transaction *t)
{
	return c->sector_bytes < c->line_bytes ? t->sectors : 1;
}

/* The 32-byte sectors that sectors of the cache are: of an unsectored line all. */
static uint32_t memory_sectors(const struct sim_l1 *c, uint32_t sectors)
{
	return c->sector_bytes < c->line_bytes ? sectors : sim_all_sectors(c->line_bytes);
}

static uint32_t bytes_of(const struct sim_l1 *c, uint32_t sectors)
{
	return c->sector_bytes * sectors_of(sectors);
}

/* The sectors of `wanted` that MSHRs of the line are waiting for; *full: one has no room to merge.
 */
static uint32_t in_flight(struct sim_l1 *c, uint32_t slot, uint32_t wanted, int *full)
{
	const struct sim_mshr *m;
	uint32_t found = 0, i = 0;

	while (found != wanted && (m = mshr_next(c, slot, &i)))
		if (m->sectors & wanted) {
			found |= m->sectors & wanted;
			*full |= m->n >= c->merges;
		}
	return found;
}

/* An access waits for all that is in flight of what it wants; how many MSHRs that is. */
static uint32_t merge(struct sim_l1 *c, uint32_t slot, uint32_t wanted, uint32_t load, int dirty)
{
	struct sim_mshr *m;
	uint32_t n = 0, i = 0;

	while (wanted && (m = mshr_next(c, slot, &i)))
		if (m->sectors & wanted) {
			m->loads[m->n++] = load;
			if (dirty)
				m->dirty |= m->sectors & wanted;
			wanted &= ~m->sectors;
			n++;
		}
	return n;
}

/* A slot is for another line from now on; what was dirty of the old one goes to the memory. */
static void l1_replace(struct sim_sm *sm, struct sim_l1 *c, unsigned kind, const struct sim_job *j,
	struct l1_access *a)
{
	const struct member member = member_of(sm, j);
	const uint32_t dirty = c->dirty[a->slot];

	a->victim_owner = c->owner[a->slot];
	a->victim_age = c->owner_age[a->slot];
	if (a->answer.evicted && dirty)
		miss_put(sm, a->answer.victim, memory_sectors(c, dirty), bytes_of(c, dirty),
			SIM_MEM_WRITE, 0, 0, TR_S_LOCAL);
	sm->sh->stats->l1d.inflight_victims +=
		kind == TAG_L1D && a->answer.evicted && c->in_flight[a->slot / c->ways];
	c->valid[a->slot] = c->dirty[a->slot] = 0;
	c->owner[a->slot] = member.number;
	c->owner_age[a->slot] = member.age;
	memset(c->touched + (size_t)a->slot * c->touched_words, 0,
		c->touched_words * sizeof(*c->touched));
}

/* Asks for sectors of the line in a slot. */
static void l1_fetch(struct sim_sm *sm, struct sim_l1 *c, unsigned kind, const struct sim_job *j,
	uint64_t line, uint32_t slot, uint32_t sectors, int dirty)
{
	struct sim_mshr *m = mshr_take(c);

	if (!c->locked[slot]++)
		c->in_flight[slot / c->ways]++;
	m->line = line;
	m->slot = slot;
	m->sectors = sectors;
	m->dirty = dirty ? sectors : 0;
	m->loads[m->n++] = dirty ? SIM_NO_LOAD : j->load;
	miss_put(sm, line, memory_sectors(c, sectors), bytes_of(c, sectors), SIM_MEM_READ,
		TAG(kind, (uint32_t)(m - c->mshrs)), 1, j->space);
}

/*
 * Sectors of a line are wanted: by a load, or (dirty) by a store of local memory, for which nobody
 * waits. Nothing changes when it has to wait, and sm->stall says why.
 */
static struct l1_access l1_read(struct sim_sm *sm, struct sim_l1 *c, unsigned kind,
	const struct sim_job *j, uint64_t line, uint32_t wanted, int dirty)
{
	struct l1_access a = {.outcome = STALLED, .slot = sim_cache_probe(c->tags, line)};
	const int there = a.slot != SIM_SLOT_NONE;
	uint32_t missing = there ? wanted & ~c->valid[a.slot] : wanted, coming = 0, answers = 0;
	int full = 0;

	if (there && missing && c->locked[a.slot])
		coming = in_flight(c, a.slot, missing, &full);
	missing &= ~coming;
	if (full) {
		sm->stall = SIM_CY_STALL_MERGE;
		return a;
	}
	if (missing && (c->used == c->nmshrs || !miss_room(sm))) {
		sm->stall = c->used == c->nmshrs ? SIM_CY_STALL_MSHR : SIM_CY_STALL_QUEUE;
		return a;
	}
	if (sim_cache_access(c->tags, line, c->locked, &a.answer, NULL) < 0 ||
		l1_reach(c, sim_cache_slots(c->tags))) {
		sm->failed = 1;
		return a;
	}
	if (a.answer.slot == SIM_SLOT_NONE) {
		sm->stall = SIM_CY_STALL_LINE;
		return a;
	}
	a.slot = a.answer.slot;
	if (!there)
		l1_replace(sm, c, kind, j, &a);
	if (dirty)
		c->dirty[a.slot] |= wanted & c->valid[a.slot];
	if (coming)
		answers = merge(c, a.slot, coming, dirty ? SIM_NO_LOAD : j->load, dirty);
	if (missing)
		l1_fetch(sm, c, kind, j, line, a.slot, missing, dirty);
	answers += missing != 0;
	if (answers > 1 && !dirty && j->load != SIM_NO_LOAD)
		sm->loads[j->load].left += answers - 1; /* a transaction counts as one */
	a.outcome = missing ? MISS : coming ? MERGED : HIT;
	return a;
}

/* Sectors of a line have come, or the line will not stay. */
static void l1_unlock(struct sim_l1 *c, const struct sim_mshr *m)
{
	if (!--c->locked[m->slot])
		c->in_flight[m->slot / c->ways]--;
	c->valid[m->slot] |= m->sectors;
	c->dirty[m->slot] |= m->dirty;
}

static void l1_fill(struct sim_sm *sm, struct sim_l1 *c, uint32_t n, uint64_t now)
{
	struct sim_mshr *m = &c->mshrs[n];

	if (m->slot != SIM_SLOT_NONE)
		l1_unlock(c, m);
	for (uint32_t i = 0; i < m->n; i++)
		load_answer(sm, m->loads[i], now);
	m->used = 0;
	c->used--;
}

void sim_lsu_replies(struct sim_sm *sm, uint64_t now)
{
	struct sim_mem_request r;

	while (sim_mem_reply(sm->sh->mem, sm->number, now, &r)) {
		uint32_t n = r.tag & ~(3u << 30);

		switch (r.tag >> 30) {
		case TAG_L1D:
			l1_fill(sm, &sm->l1d, n, now);
			break;
		case TAG_CONSTANT:
			l1_fill(sm, &sm->constant, n, now);
			break;
		case TAG_TEXTURE:
			l1_fill(sm, &sm->texture, n, now);
			break;
		default:
			load_answer(sm, n, now);
		}
		sm->events++;
	}
	loads_finished(sm, now);
}

/* Did one of the lanes' threads touch the line before? Then notes all of them. */
static int touch(
	struct sim_l1 *c, uint32_t slot, const struct sim_job *j, const struct sim_transaction *t)
{
	uint64_t *touched = c->touched + (size_t)slot * c->touched_words;
	int before = 0;

	for (int k = 0; k < SIM_MASK_WORDS; k++)
		for (uint64_t m = t->lanes[k]; m; m &= m - 1) {
			uint32_t thread = j->thread[k * 64 + __builtin_ctzll(m)];

			before |= (int)(touched[thread / 64] >> (thread % 64) & 1);
			touched[thread / 64] |= 1ull << (thread % 64);
		}
	return before;
}

/*
 * The lanes as those of the widest warp, each where its thread has its place: a gang has its lanes
 * in the order in which its warps were found.
 */
static void place_lanes(
	const struct sim_sm *sm, const struct sim_job *j, const uint64_t *lanes, uint64_t *placed)
{
	if (sm->widest == sm->nlanes) {
		memcpy(placed, lanes, SIM_MASK_WORDS * sizeof(*placed));
		return;
	}
	for (uint32_t k = 0; k < SIM_MASK_WORDS; k++)
		for (uint64_t m = lanes[k]; m; m &= m - 1) {
			const uint32_t thread = j->thread[k * 64 + (uint32_t)__builtin_ctzll(m)];
			const uint32_t lane = sm->threads[thread].home % sm->widest;

			placed[lane / 64] |= 1ull << (lane % 64);
		}
}

static void tell(struct sim_sm *sm, const struct sim_job *j, const struct sim_transaction *t,
	uint64_t line, enum tr_access_op op, enum tr_access_result result)
{
	struct tr_access a = {.line = line,
		.warp_insts = j->warp_insts,
		.thread_insts = j->thread_insts,
		.sm = sm->number,
		.cta = j->cta,
		.warp = j->home_warp,
		.inst = j->inst,
		.loop = j->loop,
		.trip = j->trip,
		.sectors = t->sectors,
		.bytes = t->bytes,
		.space = j->space,
		.op = (uint8_t)op,
		.result = (uint8_t)result,
		.first = j->at == 0,
		.active = (uint8_t)(j->active - 1)};

	place_lanes(sm, j, t->lanes, a.lanes);
	if (sm->sh->sink->access(sm->sh->sink->arg, &a) < 0)
		sm->failed = 1;
}

/* What schedulers hear of a transaction; a NULL: the line is not in the L1D behind it. */
static void tell_scheduler(struct sim_sm *sm, const struct sim_job *j, uint64_t line,
	const struct l1_access *a, uint64_t now)
{
	const struct sim_sched *s = sm->sh->sched;
	struct sim_sched_access x = {.line = line,
		.inst = j->inst,
		.number = (uint16_t)j->at,
		.of = (uint16_t)j->n,
		.active = (uint16_t)j->active,
		.is_load = sm->sh->program->insts[j->inst].is_load,
		.removed = !a};

	struct member member;

	if (!s->access)
		return;
	member = member_of(sm, j);
	x.warp = member.warp;
	x.member = member.number;
	x.age = member.age;
	if (a) {
		x.hit = a->outcome == HIT;
		x.merge = a->outcome == MERGED;
		x.evicted = a->outcome == MISS && a->answer.evicted;
		x.victim = a->answer.victim;
		x.victim_member = a->victim_owner;
		x.victim_age = a->victim_age;
		x.owner = sm->l1d.owner[a->slot];
		x.owner_age = sm->l1d.owner_age[a->slot];
	}
	for (uint32_t i = 0; i < sm->sh->config->sm.schedulers; i++)
		s->access(sm->sched[i], &x, now); /* a victim's owner may be another's warp */
}

static void l1d_count(struct sim_sm *sm, const struct sim_job *j, const struct sim_transaction *t,
	const struct l1_access *a, uint64_t line, uint64_t now)
{
	struct sim_stats *s = sm->sh->stats;
	struct sim_inst_stats *in = &s->insts[j->inst];
	struct sim_l1 *c = &sm->l1d;
	const struct member m = member_of(sm, j);
	int own = c->owner[a->slot] == m.number && c->owner_age[a->slot] == m.age;
	int before = touch(c, a->slot, j, t);

	s->l1d.accesses++;
	in->accesses++;
	if (a->outcome == HIT) {
		s->l1d.hits++;
		s->l1d.hit_sectors += sectors_of(t->sectors);
		in->hits++;
		if (own) {
			s->l1d.intra_warp_hits++;
			s->l1d.intra_thread_hits += (unsigned)before;
		} else {
			s->l1d.inter_warp_hits++;
		}
	} else if (a->outcome == MISS) {
		s->l1d.misses++;
		s->l1d.miss_sectors += sectors_of(t->sectors);
		in->misses++;
		s->l1d.evictions += (unsigned)a->answer.evicted;
	} else {
		s->l1d.merges++;
		s->l1d.miss_sectors += sectors_of(t->sectors);
		in->merges++;
	}
	tell_scheduler(sm, j, line, a, now);
}

/*
 * Takes a line out that is written without the L1D; was any of it there? Sectors in flight are
 * older than the write when they come: those who wait for them get them, and nobody after them.
 */
static int evict(struct sim_sm *sm, uint64_t line)
{
	struct sim_l1 *c = &sm->l1d;
	const uint32_t slot = sim_cache_probe(c->tags, line);
	struct sim_mshr *m;
	uint32_t i = 0;
	int there;

	if (slot == SIM_SLOT_NONE)
		return 0;
	there = c->valid[slot] != 0;
	while (c->locked[slot] && (m = mshr_next(c, slot, &i))) {
		l1_unlock(c, m);
		m->slot = SIM_SLOT_NONE;
	}
	sim_cache_invalidate(c->tags, line);
	return there;
}

/* One transaction of a load, or of a store that allocates. 1: done; 0: it has to wait. */
static int l1d_step(struct sim_sm *sm, struct sim_job *j, uint64_t now)
{
	const struct sim_config *cfg = sm->sh->config;
	const struct sim_transaction *t = &j->tx[j->at];
	const int store = sm->sh->program->insts[j->inst].is_store;
	uint64_t line = t->base & ~(uint64_t)(cfg->l1d.g.line_bytes - 1);
	struct l1_access a;
	static const enum tr_access_result results[] = {TR_A_HIT, TR_A_MISS, TR_A_MERGE};

	if (cfg->l1d.part == SIM_PERFECT) {
		if (store)
			load_answer(sm, j->load, now + 1);
		else
			load_answer(sm, j->load, now + cfg->l1d.hit_latency);
		return 1;
	}
	if (store && j->space != TR_S_LOCAL && cfg->l1d.write == TR_W_EVICT) {
		if (!miss_room(sm)) {
			sm->stall = SIM_CY_STALL_QUEUE;
			return 0;
		}
		sm->sh->stats->l1d.write_hits += (unsigned)evict(sm, line);
		sm->sh->stats->l1d.writes++;
		miss_put(sm, line, t->sectors, t->bytes, SIM_MEM_WRITE, 0, 0, j->space);
		tell_scheduler(sm, j, line, NULL, now);
		if (sm->sh->sink)
			tell(sm, j, t, line, TR_A_WRITE, TR_A_BYPASS);
		load_answer(sm, j->load, now + 1);
		return 1;
	}
	a = l1_read(sm, &sm->l1d, TAG_L1D, j, line, wanted_of(&sm->l1d, t), store);
	if (a.outcome == STALLED)
		return 0;
	if (a.outcome == HIT && !store)
		load_answer(sm, j->load, now + cfg->l1d.hit_latency);
	if (store)
		load_answer(sm, j->load, now + 1);
	l1d_count(sm, j, t, &a, line, now);
	if (sm->sh->sink)
		tell(sm, j, t, line, store ? TR_A_WRITE : TR_A_READ, results[a.outcome]);
	return 1;
}

static int readonly_step(struct sim_sm *sm, struct sim_job *j, uint64_t now)
{
	const int texture = j->unit == SIM_U_TEXTURE;
	struct sim_l1 *c = texture ? &sm->texture : &sm->constant;
	struct sim_stats *s = sm->sh->stats;
	uint64_t line = j->tx[j->at].base & ~(uint64_t)(c->line_bytes - 1);
	struct l1_access a = l1_read(sm, c, texture ? TAG_TEXTURE : TAG_CONSTANT, j, line,
		wanted_of(c, &j->tx[j->at]), 0);

	if (a.outcome == STALLED)
		return 0;
	if (a.outcome == HIT)
		load_answer(sm, j->load, now + c->hit_latency);
	*(texture ? &s->texture_accesses : &s->const_accesses) += 1;
	*(texture ? &s->texture_misses : &s->const_misses) += a.outcome == MISS;
	return 1;
}

static int atomic_step(struct sim_sm *sm, struct sim_job *j, uint64_t now)
{
	const int replies = sm->sh->program->insts[j->inst].ndst != 0;
	const struct sim_transaction *t = &j->tx[j->at];
	uint64_t line = t->base & ~(uint64_t)(sm->l1d.line_bytes - 1);

	if (!miss_room(sm)) {
		sm->stall = SIM_CY_STALL_QUEUE;
		return 0;
	}
	evict(sm, line);
	miss_put(sm, line, t->sectors, t->bytes, SIM_MEM_ATOMIC,
		TAG(TAG_LOAD, replies ? j->load : 0), replies, TR_S_GLOBAL);
	if (!replies)
		load_answer(sm, j->load, now + 1);
	sm->sh->stats->l1d.atomics++;
	tell_scheduler(sm, j, line, NULL, now);
	if (sm->sh->sink)
		tell(sm, j, t, line, TR_A_ATOMIC, TR_A_BYPASS);
	return 1;
}

/* ---- jobs ---- */

int sim_lsu_room(const struct sim_sm *sm)
{
	return sm->njobs < sm->jobs_max;
}

int sim_lsu_busy(const struct sim_sm *sm)
{
	return sm->njobs || sm->nmiss || sm->live_loads || sm->l1d.used || sm->constant.used ||
	       sm->texture.used;
}

static void add_transactions(struct sim_sm *sm, struct sim_job *j, uint32_t width_lanes,
	const uint64_t *lanes, const uint64_t *address, unsigned bytes, uint32_t line_bytes)
{
	const struct sim_config *c = sm->sh->config;
	struct sim_coalescer rule = {.rule = c->coalesce.rule,
		.line_bytes = line_bytes,
		.width = c->coalesce.width ? c->coalesce.width : width_lanes};

	if (rule.width > width_lanes)
		rule.width = width_lanes;
	j->n += sim_coalesce(&rule, width_lanes, lanes, address, bytes, j->tx + j->n,
		transactions_max(sm) - j->n);
}

static int lanes_any(const uint64_t *lanes)
{
	uint64_t any = 0;

	for (int k = 0; k < SIM_MASK_WORDS; k++)
		any |= lanes[k];
	return any != 0;
}

/* Local memory word by word: a thread's next word is not beside the one before. */
static void local_transactions(struct sim_sm *sm, struct sim_job *j, uint32_t nlanes,
	const uint64_t *lanes, const uint64_t *offset, unsigned bytes)
{
	const unsigned step = sim_local_step(bytes);
	uint64_t physical[TR_LANES_MAX];

	if (!lanes_any(lanes))
		return;
	for (unsigned at = 0; at < bytes; at += step) {
		for (uint32_t l = 0; l < nlanes; l++)
			physical[l] = sim_local_address(sm->number, sm->nthreads, j->thread[l],
				(offset[l] & (TR_WINDOW_BYTES - 1)) + at);
		add_transactions(
			sm, j, nlanes, lanes, physical, step, sm->sh->config->l1d.g.line_bytes);
	}
}

static void shared_job(struct sim_sm *sm, struct sim_job *j, uint32_t nlanes, const uint64_t *lanes,
	const uint64_t *address, unsigned bytes)
{
	const struct sim_config *c = sm->sh->config;

	j->cycles =
		sim_bank_conflicts(c->shared.banks, c->shared.width, nlanes, lanes, address, bytes);
	if (!j->cycles)
		j->cycles = 1;
	sm->sh->stats->shared_accesses++;
	sm->sh->stats->shared_conflict_cycles += j->cycles - 1;
}

/* Splits generic lanes by the space that their address is in; returns the first lane's. */
static enum tr_space split(const struct sim_inst *x, uint32_t nlanes, const uint64_t *lanes,
	const uint64_t *address, struct sim_mask by[TR_NSPACES])
{
	enum tr_space first = TR_S_NONE;

	memset(by, 0, TR_NSPACES * sizeof(*by));
	for (uint32_t l = 0; l < nlanes; l++) {
		enum tr_space s;

		if (!(lanes[l / 64] >> (l % 64) & 1))
			continue;
		s = tr_space_of((enum tr_space)x->space, address[l]);
		by[s].w[l / 64] |= 1ull << (l % 64);
		if (first == TR_S_NONE)
			first = s;
	}
	return first;
}

/* The gang of a job as it is now: a store's warps may have gone on when the unit comes to it. */
static void keep_gang(struct sim_sm *sm, struct sim_job *j, const struct sim_gang *gang)
{
	j->width = gang->width;
	for (uint32_t i = 0; i < gang->n; i++) {
		const struct sim_warp *w = &sm->warps[gang->warp[i]];

		j->warp[i] = gang->warp[i];
		j->age[i] = w->age;
		memcpy(j->thread + i * gang->width, w->thread, gang->width * sizeof(*w->thread));
	}
}

/* One load for the gang's first warp, which has the answers; the others wait for it. */
static int gang_loads(
	struct sim_sm *sm, struct sim_job *j, const struct sim_gang *gang, uint32_t answers)
{
	uint32_t last = SIM_NO_LOAD;

	for (uint32_t i = 0; i < gang->n; i++) {
		const uint32_t n = load_new(sm, gang->warp[i], j->inst, answers);

		if (n == SIM_NO_LOAD)
			return tr_fail(sm->sh->err, TR_EMEM, 0, "no memory for an SM");
		if (i)
			sm->loads[last].next = n;
		else
			j->load = n;
		last = n;
	}
	return 1;
}

int sim_lsu_issue(struct sim_sm *sm, const struct sim_gang *gang, uint32_t inst,
	const struct sim_mask *lanes, const uint64_t *address)
{
	const struct sim_inst *x = &sm->sh->program->insts[inst];
	struct sim_job *j = &sm->jobs[(sm->job_head + sm->njobs) % sm->jobs_max];
	const uint32_t nlanes = gang->n * gang->width;
	struct sim_mask by[TR_NSPACES];
	uint32_t lane = 0, first;
	/* Where a warp has one instruction in flight, a store is in flight until it has left. */
	int waits = x->ndst != 0 || sim_one_in_flight(sm);

	j->n = j->at = j->active = j->cycles = j->trip = 0;
	j->load = SIM_NO_LOAD;
	j->inst = inst;
	j->unit = x->unit;
	j->space = x->space;
	j->loop = sm->sh->program->p->blocks[x->block].loop;
	j->warp_insts = sm->sh->stats->warp_insts;
	j->thread_insts = sm->sh->stats->thread_insts;
	j->active = sim_lanes(lanes);
	keep_gang(sm, j, gang);
	while (!(lanes->w[lane / 64] >> (lane % 64) & 1))
		lane++;
	first = j->thread[lane];
	j->cta = sim_cta_of(sm, first)->number;
	j->home_warp = sm->threads[first].home / sm->widest;
	if (j->loop != TR_NONE)
		j->trip = sm->trips[(size_t)(sm->sh->warp->regroups ? first / sm->nlanes
								    : j->warp[lane / j->width]) *
					    sm->sh->program->p->nloops +
				    j->loop];
	switch (x->unit) {
	case SIM_U_SHARED:
		shared_job(sm, j, nlanes, lanes->w, address, x->bytes);
		break;
	case SIM_U_CONST:
	case SIM_U_TEXTURE:
		add_transactions(sm, j, nlanes, lanes->w, address, x->bytes,
			x->unit == SIM_U_TEXTURE ? sm->texture.line_bytes
						 : sm->constant.line_bytes);
		break;
	default:
		j->space = (uint8_t)split(x, nlanes, lanes->w, address, by);
		add_transactions(
			sm, j, nlanes, by[TR_S_GLOBAL].w, address, x->bytes, sm->l1d.line_bytes);
		local_transactions(sm, j, nlanes, by[TR_S_LOCAL].w, address, x->bytes);
		if (lanes_any(by[TR_S_SHARED].w))
			shared_job(sm, j, nlanes, by[TR_S_SHARED].w, address, x->bytes);
		if (j->n) {
			sm->sh->stats->mem_insts++;
			sm->sh->stats->mem_lanes +=
				sim_lanes(&by[TR_S_GLOBAL]) + sim_lanes(&by[TR_S_LOCAL]);
			sm->sh->stats->transactions += j->n;
		}
	}
	if (waits && gang_loads(sm, j, gang, j->n + (j->cycles != 0)) < 0)
		return TR_EMEM;
	sm->njobs++;
	return 1;
}

static void job_done(struct sim_sm *sm)
{
	sm->job_head = (sm->job_head + 1) % sm->jobs_max;
	sm->njobs--;
}

/* A cycle of shared memory: the first cycles of a job that has lanes there. */
static int shared_step(struct sim_sm *sm, struct sim_job *j, uint64_t now)
{
	if (!--j->cycles)
		load_answer(sm, j->load, now + sm->sh->config->shared.latency);
	return 1;
}

/* A transaction. 1: done; 0: it has to wait. */
static int cache_step(struct sim_sm *sm, struct sim_job *j, uint64_t now)
{
	int moved;

	switch (j->unit) {
	case SIM_U_CONST:
	case SIM_U_TEXTURE:
		moved = readonly_step(sm, j, now);
		break;
	case SIM_U_ATOMIC:
		moved = atomic_step(sm, j, now);
		break;
	default:
		moved = l1d_step(sm, j, now);
	}
	sm->sh->stats->unit_serial += moved && j->at;
	j->at += (unsigned)moved;
	return moved;
}

/* 1: something moved. */
static int step(struct sim_sm *sm, uint64_t now)
{
	struct sim_job *j = &sm->jobs[sm->job_head];

	miss_send(sm, now);
	if (!sm->njobs || !(j->cycles ? shared_step(sm, j, now) : cache_step(sm, j, now)))
		return 0;
	sm->events++;
	if (!j->cycles && j->at == j->n)
		job_done(sm);
	return 1;
}

void sim_lsu_step(struct sim_sm *sm, uint64_t now)
{
	int moved = 0;

	/* Also of a unit that another scheduler fills in this cycle. */
	sm->stall = SIM_CY_STALL_LSU;
	for (uint32_t i = 0; i < sm->sh->config->sm.lsu_rate && !sm->failed; i++)
		moved |= step(sm, now);
	if (moved) /* a unit that stood after its first step has not stood in this cycle */
		sm->stall = SIM_CY_STALL_LSU;
}

uint64_t sim_lsu_next(const struct sim_sm *sm, uint64_t now)
{
	uint64_t next = sim_wheel_next(&sm->finish);

	if (sm->njobs && sm->stall == SIM_CY_STALL_LSU)
		return now + 1;
	if (sm->nmiss && sim_mem_room(sm->sh->mem, sm->number))
		return now + 1;
	return next; /* a stalled job moves when a reply comes or the queue has room: woken then */
}
