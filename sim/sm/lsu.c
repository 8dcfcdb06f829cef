/*
 * The memory unit; see lsu.h. L1D: global stores write through and evict, local memory is written
 * back. Atomics go to the L2. The data of a copy that is whole write shared memory once all of them
 * are there, not line by line as they come.
 */
#include "sim/sm/lsu.h"
#include "sim/base/mix.h"
#include "sim/sm/job.h"
#include <stdlib.h>

/* Whose reply it is: the two upper bits of a request's tag. */
enum { TAG_L1D, TAG_CONSTANT, TAG_TEXTURE, TAG_LOAD };
#define TAG_NUMBER(tag) ((tag) & ~(3u << 30))

/* Where accesses are made once: steps of a cycle besides those that sm.lsu_rate says. */
#define STEPS 1024
#define WARP 32 /* threads of the warps that a queue of memory instructions is made for */

/* On a sliced SM a load waits with some of its slices, which the bits above its number say. */
#define TICKET_BITS 22
#define TICKET_LOAD(ticket) ((ticket) & ((1u << TICKET_BITS) - 1))

/* ---- setting up ---- */

/*
 * Transactions of an instruction: of a lane at most three segments, and in local memory two for
 * each of 16 words.
 */
static uint32_t transactions_max(uint32_t lanes)
{
	return lanes * (SIM_TRANSACTIONS_MAX / TR_LANES_MAX + 2 * 16);
}

static int init_l1d(
	struct sim_lsu *u, const struct sim_config *c, uint32_t ways, struct tr_err *err)
{
	struct sim_l1_shape l1d = {.g = c->l1d.g,
		.replacement = (enum sim_replacement)c->l1d.replacement,
		.sector_bytes = c->l1d.sector_bytes,
		.lazy_stores = (uint8_t)c->l1d.store_fetch,
		.on_fill = (uint8_t)c->l1d.on_fill,
		.mshrs = c->l1d.mshrs,
		.merges = c->l1d.merges,
		.hit_latency = c->l1d.hit_latency,
		.threads = c->sm.threads};

	l1d.g.ways = u->l1d_ways = ways;
	return sim_l1_init(&u->l1d, &l1d, TAG_L1D, err);
}

static int init_l1s(struct sim_lsu *u, const struct sim_config *c, struct tr_err *err)
{
	const struct sim_l1_shape constant = {.g = c->constant.g,
		.mshrs = c->constant.mshrs,
		.merges = c->constant.merges,
		.hit_latency = c->constant.hit_latency};
	const struct sim_l1_shape texture = {.g = c->texture.g,
		.mshrs = c->texture.mshrs,
		.merges = c->texture.merges,
		.hit_latency = c->texture.hit_latency};
	int rc = init_l1d(u, c, c->l1d.g.ways, err);

	if (rc > 0)
		rc = sim_l1_init(&u->constant, &constant, TAG_CONSTANT, err);
	return rc > 0 ? sim_l1_init(&u->texture, &texture, TAG_TEXTURE, err) : rc;
}

int sim_lsu_init(struct sim_lsu *u, const struct sim_lsu_shape *shape, struct tr_err *err)
{
	const struct sim_config *c = shape->config;
	const size_t tx = transactions_max(shape->lanes);
	const size_t steps = (size_t)c->sm.lsu_rate + 1 + (shape->once ? STEPS : 0);
	const uint32_t queued = c->l1d.miss_queue + 1 + (c->l1d.on_fill ? c->l1d.mshrs : 0);
	int rc = init_l1s(u, c, err);

	if (rc < 0)
		return rc;
	u->is = *shape;
	u->transactions_max = (uint32_t)tx;
	u->rate = c->l1d.cycle_bytes ? c->l1d.cycle_bytes : c->l1d.banks || c->constant.words;
	u->size = c->sm.lsu_queue ? c->sm.lsu_queue : 1;
	if (shape->once) /* one thread each, where others have a warp's */
		u->size *= WARP;
	u->jobs = malloc(u->size * sizeof(*u->jobs)); /* each is filled in when it begins */
	/* One entry more: what finds room may also write a line back, a miss its victim, an atomic
	 * its own line; or each line in flight when it comes. */
	u->out = (struct sim_outbox){.size = queued,
		.room = c->l1d.miss_queue,
		.rate = c->l1d.sends,
		.sm = shape->sm,
		.sent = &shape->stats->offcore,
		.ring = calloc(queued, sizeof(*u->out.ring))};
	if (c->l1d.on_fill)
		u->victims = calloc((size_t)c->l1d.mshrs + 1, sizeof(*u->victims));
	/* In one piece, as the loads of an L1: few jobs have the transactions that they may have.
	 */
	u->transactions = calloc(u->size, tx * sizeof(*u->transactions));
	u->seen = calloc(steps, sizeof(*u->seen));
	u->missed = calloc(steps, sizeof(*u->missed));
	u->begun = calloc(steps, sizeof(*u->begun));
	if (shape->dsm) {
		u->far = calloc((size_t)u->size * shape->lanes, sizeof(*u->far));
		u->far_seen = calloc(steps, sizeof(*u->far_seen));
	}
	if ((c->l1d.on_fill && !u->victims) || !u->jobs || !u->out.ring || !u->transactions ||
		!u->seen || !u->missed || !u->begun || (shape->dsm && (!u->far || !u->far_seen)) ||
		sim_wheel_init(&u->finish, 0))
		return tr_fail(err, TR_EMEM, 0, "no memory for an SM");
	sim_once_init(&u->once);
	u->free_load = u->chain = u->writing = SIM_NO_LOAD;
	u->port_at = SIM_NEVER;
	return 1;
}

void sim_lsu_free(struct sim_lsu *u)
{
	free(u->jobs);
	free(u->transactions);
	free(u->out.ring);
	free(u->loads);
	free(u->shares);
	free(u->seen);
	free(u->missed);
	free(u->far);
	free(u->far_seen);
	free(u->begun);
	free(u->victims);
	sim_wheel_free(&u->finish);
	sim_once_free(&u->once);
	sim_l1_free(&u->l1d);
	sim_l1_free(&u->constant);
	sim_l1_free(&u->texture);
}

int sim_lsu_launch(struct sim_lsu *u, uint32_t thread_slots, uint32_t nctas, uint32_t l1d_ways,
	struct tr_err *err)
{
	u->thread_slots = thread_slots;
	if (u->is.once && sim_once_launch(&u->once, nctas))
		return tr_fail(err, TR_EMEM, 0, "no memory for an SM");
	u->nvictims = 0;
	if (l1d_ways != u->l1d_ways) {
		sim_l1_free(&u->l1d);
		if (init_l1d(u, u->is.config, l1d_ways, err) < 0)
			return -1;
	}
	if (!u->is.config->launch.flush)
		return 0;
	sim_l1_flush(&u->l1d);
	sim_l1_flush(&u->constant);
	sim_l1_flush(&u->texture);
	return 0;
}

/* ---- loads ---- */

static int grow_shares(struct sim_lsu *u, uint32_t cap)
{
	struct sim_shares *p;

	if (cap > 1u << TICKET_BITS)
		return -1;
	p = realloc(u->shares, cap * sizeof(*p));
	if (p)
		u->shares = p;
	return p ? 0 : -1;
}

static uint32_t load_new(
	struct sim_lsu *u, uint32_t warp, uint64_t life, uint32_t inst, uint32_t answers)
{
	uint32_t n = u->free_load;

	if (n == SIM_NO_LOAD) {
		if (u->nloads == u->cap_loads) {
			uint32_t cap = u->cap_loads ? 2 * u->cap_loads : 64;
			struct sim_load *p = realloc(u->loads, cap * sizeof(*p));

			if (p)
				u->loads = p;
			if (!p || sim_wheel_grow(&u->finish, u->cap_loads, cap + 1) ||
				(u->is.slice && grow_shares(u, cap)) ||
				(u->is.once && sim_once_loads(&u->once, cap)))
				return SIM_NO_LOAD;
			u->cap_loads = cap;
		}
		n = u->nloads++;
	} else {
		u->free_load = u->loads[n].next;
	}
	u->loads[n] = (struct sim_load){.life = life,
		.group = SIM_NO_GROUP,
		.warp = warp,
		.inst = inst,
		.left = answers,
		.next = SIM_NO_LOAD,
		.first = n};
	u->live_loads++;
	return n;
}

static void slices_answer(struct sim_lsu *u, uint32_t ticket, uint64_t at)
{
	const uint32_t n = TICKET_LOAD(ticket);
	struct sim_shares *s = &u->shares[n];

	for (uint32_t m = ticket >> TICKET_BITS; m; m &= m - 1) {
		const uint32_t k = (uint32_t)__builtin_ctz(m);

		if (at > s->done[k])
			s->done[k] = at;
		if (--s->left[k] || s->done[k] >= u->loads[n].done)
			continue;
		u->loads[n].done = s->done[k]; /* the first slice whose data are complete */
		sim_wheel_put(&u->finish, n, s->done[k]);
	}
}

/*
 * One of the answers that a load waits for is there at cycle `at`. SIM_NO_LOAD: nobody waits, as
 * for a load without a destination, which only moves its line.
 */
static void load_answer(struct sim_lsu *u, uint32_t n, uint64_t at)
{
	struct sim_load *l;

	if (n == SIM_NO_LOAD)
		return;
	if (u->is.slice) {
		slices_answer(u, n, at);
		return;
	}
	l = &u->loads[n];
	if (at > l->done)
		l->done = at;
	if (!--l->left)
		sim_wheel_put(&u->finish, n, l->done);
}

static void load_free(struct sim_lsu *u, uint32_t n)
{
	u->loads[n].next = u->free_load;
	u->loads[n].warp = SIM_NO_WARP;
	u->free_load = n;
	u->live_loads--;
}

/* The slices of a load that wait for no further answer, and when the first of them is done. */
static uint32_t slices_done(const struct sim_shares *s, uint64_t now, uint64_t *next)
{
	uint32_t due = 0;

	*next = SIM_NEVER;
	for (uint32_t m = s->waiting; m; m &= m - 1) {
		const uint32_t k = (uint32_t)__builtin_ctz(m);

		if (s->left[k])
			continue;
		if (s->done[k] <= now)
			due |= 1u << k;
		else if (s->done[k] < *next)
			*next = s->done[k];
	}
	return due;
}

/* Those of the slices in `due` that have the first one's member and instruction. */
static uint32_t slices_alike(const struct sim_shares *s, uint32_t due)
{
	const uint32_t first = (uint32_t)__builtin_ctz(due);
	uint32_t alike = 0;

	for (uint32_t m = due; m; m &= m - 1) {
		const uint32_t k = (uint32_t)__builtin_ctz(m);

		if (s->member[k] == s->member[first] && s->inst[k] == s->inst[first])
			alike |= 1u << k;
	}
	return alike;
}

/* Slices whose data are there: of one member and instruction at a time. */
static int slices_taken(struct sim_lsu *u, uint64_t now, struct sim_load *l)
{
	for (;;) {
		const uint32_t n =
			u->chain != SIM_NO_LOAD ? u->chain : sim_wheel_take(&u->finish, now);
		struct sim_shares *s;
		uint32_t due, k;
		uint64_t next;

		u->chain = SIM_NO_LOAD;
		if (n == UINT32_MAX)
			return 0;
		s = &u->shares[n];
		due = slices_done(s, now, &next);
		if (due) {
			k = (uint32_t)__builtin_ctz(due);
			*l = (struct sim_load){.life = s->life[k],
				.warp = s->member[k],
				.inst = s->inst[k],
				.slices = slices_alike(s, due)};
			s->waiting &= ~l->slices;
			u->chain = n;
			u->events++;
			return 1;
		}
		u->loads[n].done = next;
		if (next != SIM_NEVER)
			sim_wheel_put(&u->finish, n, next);
		if (!s->waiting)
			load_free(u, n);
	}
}

/* All of a copy's data have come: they write shared memory after those that wait already. */
static void wants_to_write(struct sim_lsu *u, uint32_t n)
{
	struct sim_stats *s = u->is.stats;

	s->shared_accesses++;
	s->shared_conflict_cycles += u->loads[n].writes - 1;
	u->loads[n].behind = SIM_NO_LOAD;
	u->loads[n].told = 1;
	if (u->writing == SIM_NO_LOAD)
		u->writing = n;
	else
		u->loads[u->last_writing].behind = n;
	u->last_writing = n;
	u->events++;
}

/* A load is done, and so are those of other threads that have joined it. */
static void tell_joined(struct sim_lsu *u, uint32_t n, uint64_t now)
{
	uint32_t waiter;

	while ((waiter = sim_once_done(&u->once, n)) != SIM_NO_WAITER)
		load_answer(u, waiter, now);
}

int sim_lsu_taken(struct sim_lsu *u, uint64_t now, struct sim_load *l)
{
	uint32_t n = u->chain; /* the next of the loads of a wide warp */

	if (u->is.slice)
		return slices_taken(u, now, l);
	while (n == SIM_NO_LOAD) {
		n = sim_wheel_take(&u->finish, now);
		if (n == UINT32_MAX)
			return 0;
		if (!u->loads[n].writes)
			break;
		wants_to_write(u, n);
		n = SIM_NO_LOAD;
	}
	*l = u->loads[n];
	u->chain = l->next;
	if (u->is.once)
		tell_joined(u, n, now);
	load_free(u, n);
	u->events++;
	return 1;
}

/* Does a warp wait for one of the loads that have the answers of this one? */
static int waits_for(const struct sim_lsu *u, uint32_t load, uint32_t slot, uint64_t life)
{
	for (uint32_t n = u->loads[load].first; n != SIM_NO_LOAD; n = u->loads[n].next)
		if (u->loads[n].warp == slot && u->loads[n].life == life)
			return 1;
	return 0;
}

int64_t sim_lsu_share(struct sim_lsu *u, const struct sim_warp *from, uint32_t from_slot,
	const struct sim_warp *to, uint32_t to_slot)
{
	int64_t shared = 0;

	for (uint32_t i = 0, n = u->nloads; i < n; i++) {
		uint32_t copy;

		if (u->loads[i].warp != from_slot || u->loads[i].life != from->life ||
			waits_for(u, i, to_slot, to->life))
			continue;
		copy = load_new(u, to_slot, to->life, u->loads[i].inst, 0);
		if (copy == SIM_NO_LOAD)
			return -1;
		u->loads[copy].group = u->loads[i].group;
		u->loads[copy].first = u->loads[i].first;
		u->loads[copy].next = u->loads[i].next; /* it is done when that one is */
		u->loads[i].next = copy;
		shared++;
	}
	return shared;
}

/* ---- towards the memory ---- */

/* One request a step goes on to the interconnect. */
static void send(struct sim_lsu *u, uint64_t now)
{
	struct sim_mem_request r;

	if (!u->out.n || !sim_mem_room(u->is.mem, u->is.sm))
		return;
	r = sim_outbox_take(&u->out);
	sim_mem_push(u->is.mem, &r, now);
	u->events++;
}

static void fill(struct sim_lsu *u, struct sim_l1 *c, uint32_t n, uint64_t now)
{
	struct sim_l1_answer a;
	const struct sim_mshr *m = sim_l1_fill(c, &u->out, n, &a);

	if (!m) {
		u->failed = 1;
		return;
	}
	if (a.evicted) { /* of the L1D: a line that waited for its slot */
		u->is.stats->l1d.evictions++;
		if (u->is.seen && u->nvictims <= c->nmshrs)
			u->victims[u->nvictims++] = a;
	}
	for (uint32_t i = 0; i < m->n; i++)
		load_answer(u, m->loads[i], now);
}

void sim_lsu_replies(struct sim_lsu *u, uint64_t now)
{
	struct sim_mem_request r;

	u->ncame = 0;
	while (sim_mem_reply(u->is.mem, u->is.sm, now, &r)) {
		u->events++;
		if (r.space == SIM_MEM_CODE) {
			u->came[u->ncame++] = r.tag;
			continue;
		}
		switch (r.tag >> 30) {
		case TAG_L1D:
			fill(u, &u->l1d, TAG_NUMBER(r.tag), now);
			break;
		case TAG_CONSTANT:
			fill(u, &u->constant, TAG_NUMBER(r.tag), now);
			break;
		case TAG_TEXTURE:
			fill(u, &u->texture, TAG_NUMBER(r.tag), now);
			break;
		default:
			load_answer(u, TAG_NUMBER(r.tag), now);
		}
	}
}

/* ---- accesses ---- */

/* Whose the next transaction of a job is: that of its lowest lane. */
struct member {
	uint32_t number, warp;
	uint64_t age;
};

static uint32_t lowest_lane(const struct sim_job *j)
{
	const uint64_t *lanes = j->tx[j->at].lanes;
	uint32_t k = 0;

	while (!lanes[k])
		k++;
	return k * 64 + (uint32_t)__builtin_ctzll(lanes[k]);
}

static struct member member_of(const struct sim_lsu *u, const struct sim_job *j)
{
	const uint32_t lane = lowest_lane(j), i = lane / j->width;

	if (u->is.member) {
		const uint32_t m = j->thread[lane] / u->is.member;

		return (struct member){m, j->warp[i], u->is.member_age[m]};
	}
	return (struct member){j->warp[i], j->warp[i], j->age[i]};
}

/* The victim of a line that has come is told with the next access. */
static void tell_victim(struct sim_lsu *u, struct sim_l1_answer *a)
{
	const struct sim_l1_answer *v = &u->victims[0];

	a->evicted = 1;
	a->victim = v->victim;
	a->victim_owner = v->victim_owner;
	a->victim_age = v->victim_age;
	memmove(u->victims, u->victims + 1, --u->nvictims * sizeof(*u->victims));
}

/* What the L1D saw, for those who take it. a: its answer; NULL: the line is not there any more. */
static void see(struct sim_lsu *u, struct sim_job *j, uint64_t line, enum tr_access_op op,
	const struct sim_l1_answer *a)
{
	struct sim_seen *s = &u->seen[u->nseen];
	struct member m;

	if (!u->is.seen)
		return;
	u->nseen++;
	m = member_of(u, j);
	*s = (struct sim_seen){.job = j,
		.at = j->at,
		.inst = sim_job_inst(j, lowest_lane(j), u->is.slice),
		.line = line,
		.op = (uint8_t)op,
		.removed = !a,
		.first = !j->seen,
		.warp = m.warp,
		.member = m.number,
		.age = m.age};
	j->seen = 1;
	if (a) {
		s->answer = *a;
		if (u->nvictims && !a->evicted)
			tell_victim(u, &s->answer);
		s->owner = u->l1d.owner[a->slot];
		s->owner_age = u->l1d.owner_age[a->slot];
	}
}

/* The load of a job waits for the memory. */
static void miss(struct sim_lsu *u, const struct sim_job *j)
{
	if (u->is.missed && j->load != SIM_NO_LOAD)
		u->missed[u->nmissed++] = j->load;
}

/* Did one of the lanes' threads touch the line before? Then notes all of them. */
static int touch(
	struct sim_l1 *c, uint32_t slot, const struct sim_job *j, const struct sim_transaction *t)
{
	int before = 0;

	for (int k = 0; k < SIM_MASK_WORDS; k++)
		for (uint64_t m = t->lanes[k]; m; m &= m - 1)
			before |= sim_l1_touch(c, slot, j->thread[k * 64 + __builtin_ctzll(m)]);
	return before;
}

/* A sector with a valid bit hits or misses by itself; those of a plain line do as the line does. */
static void count_sectors(
	struct sim_lsu *u, const struct sim_transaction *t, const struct sim_l1_answer *a)
{
	struct sim_stats *s = u->is.stats;
	const uint32_t n = sim_sectors(t->sectors);
	uint32_t hits = a->outcome == SIM_L1_HIT ? n : 0;

	if (u->l1d.sector_bytes < u->l1d.line_bytes)
		hits = sim_sectors(a->there);
	s->l1d.hit_sectors += hits;
	s->l1d.miss_sectors += n - hits;
}

/* Of a miss: what it put out. */
static void count_victim(struct sim_lsu *u, const struct sim_l1_answer *a)
{
	u->is.stats->l1d.evictions += a->evicted;
	u->is.stats->l1d.inflight_victims += a->crowded;
}

static void count(struct sim_lsu *u, const struct sim_job *j, const struct sim_l1_answer *a)
{
	const struct sim_transaction *t = &j->tx[j->at];
	struct sim_stats *s = u->is.stats;
	struct sim_inst_stats *in = &s->insts[sim_job_inst(j, lowest_lane(j), u->is.slice)];
	struct sim_l1 *c = &u->l1d;
	const struct member m = member_of(u, j);
	int own = c->owner[a->slot] == m.number && c->owner_age[a->slot] == m.age;
	int before = touch(c, a->slot, j, t);

	count_sectors(u, t, a);
	s->l1d.accesses++;
	in->accesses++;
	if (a->outcome == SIM_L1_HIT) {
		s->l1d.hits++;
		in->hits++;
		if (own) {
			s->l1d.intra_warp_hits++;
			s->l1d.intra_thread_hits += (unsigned)before;
		} else {
			s->l1d.inter_warp_hits++;
		}
	} else if (a->outcome == SIM_L1_MISS) {
		s->l1d.misses++;
		in->misses++;
		count_victim(u, a);
	} else {
		s->l1d.merges++;
		in->merges++;
	}
}

/* The load that waits for the answer to a job's transaction. */
static uint32_t ticket_of(const struct sim_lsu *u, const struct sim_job *j)
{
	if (!u->is.slice || j->load == SIM_NO_LOAD)
		return j->load;
	return j->load | sim_slices_of(u, j->tx[j->at].lanes[0]) << TICKET_BITS;
}

/* A transaction that counts as one answer has come to wait for several. */
static void wait_longer(struct sim_lsu *u, uint32_t load, uint32_t more)
{
	if (!u->is.slice) {
		u->loads[load].left += more;
		return;
	}
	for (uint32_t m = load >> TICKET_BITS; m; m &= m - 1)
		u->shares[TICKET_LOAD(load)].left[__builtin_ctz(m)] += more;
}

enum reason { LOAD, STORE, THROUGH };

/* What an access by a cache operator wants. Streaming loads of local memory are its last use. */
static void as_cached(const struct sim_job *j, struct sim_l1_want *want)
{
	want->last_use = j->cached == SIM_CACHED_FIRST && j->is_load && j->at >= j->global;
	want->ages_not = j->cached == SIM_CACHED_UNCHANGED;
	if (j->cached == SIM_CACHED_FIRST)
		want->rank = SIM_RANK_FIRST;
	if (j->cached == SIM_CACHED_LAST)
		want->rank = SIM_RANK_LAST;
}

/* Sectors of a line for the job's transaction, of any of the L1s. 1: it goes on; 0: it waits. */
static int read_line(struct sim_lsu *u, struct sim_l1 *c, const struct sim_job *j, uint64_t line,
	enum reason reason, struct sim_l1_answer *a)
{
	const int store = reason != LOAD;
	struct sim_l1_want want;
	struct member m;

	if (c->stuck) { /* by this read: what is at the head stays there until it is done */
		u->stall = c->stuck;
		return 0;
	}
	m = member_of(u, j);
	want = (struct sim_l1_want){.line = line,
		.sectors = sim_l1_sectors(c, &j->tx[j->at]),
		.load = store ? SIM_NO_LOAD : ticket_of(u, j),
		.dirty = reason == STORE,
		.through = reason == THROUGH,
		.whole = store || j->cached ? sim_l1_whole(c, &j->tx[j->at]) : 0,
		.rank = SIM_RANK_NORMAL,
		.space = j->space,
		.owner = m.number,
		.owner_age = m.age};
	if (j->cached)
		as_cached(j, &want);
	if (sim_l1_read(c, &u->out, &want, a) < 0) {
		u->failed = 1;
		return 0;
	}
	if (a->outcome == SIM_L1_STALLED) {
		u->stall = a->why;
		return 0;
	}
	if (a->outcome != SIM_L1_HIT && want.load != SIM_NO_LOAD) {
		wait_longer(u, want.load, a->waits - 1);
		miss(u, j);
	}
	return 1;
}

static uint64_t line_of(const struct sim_l1 *c, const struct sim_job *j)
{
	return j->tx[j->at].base & ~(uint64_t)(c->line_bytes - 1);
}

/* A store or an atomic that goes on to the memory, and whose line does not stay. */
static void pass_by(struct sim_lsu *u, const struct sim_job *j, enum sim_mem_op op, uint32_t tag,
	int reply, uint8_t space)
{
	const struct sim_transaction *t = &j->tx[j->at];

	sim_outbox_put(&u->out, (struct sim_mem_request){.line = line_of(&u->l1d, j),
					.sectors = t->sectors,
					.bytes = t->bytes,
					.op = (uint8_t)op,
					.tag = tag,
					.reply = (uint8_t)reply,
					.space = space});
}

/* A store to a line that keeps it: nothing goes on to the memory until the line is evicted. */
static int dirty_step(struct sim_lsu *u, struct sim_job *j, uint64_t line, uint64_t now)
{
	const uint32_t sectors = sim_l1_sectors(&u->l1d, &j->tx[j->at]);

	if (!sim_l1_write(&u->l1d, line, sectors))
		return 0;
	u->is.stats->l1d.writes++;
	u->is.stats->l1d.write_hits++;
	see(u, j, line, TR_A_WRITE, NULL);
	load_answer(u, ticket_of(u, j), now + 1);
	return 1;
}

/* What becomes of the line of a store that goes on to the memory. */
static enum sim_store_hit then_of(const struct sim_lsu *u, const struct sim_job *j)
{
	const enum sim_store_hit hit = (enum sim_store_hit)u->is.config->l1d.store_hit;

	if (j->at < j->past)
		return SIM_STORE_EVICTS;
	if (j->cached == SIM_CACHED_IF_THERE && hit == SIM_STORE_ALLOCATES)
		return SIM_STORE_UPDATES;
	return hit;
}

/* A store that goes on to the memory: its line leaves, or stays, or is allocated. */
static int through_step(struct sim_lsu *u, struct sim_job *j, uint64_t line, uint64_t now)
{
	const enum sim_store_hit then = then_of(u, j);
	struct sim_l1_answer a = {.outcome = SIM_L1_MISS};
	struct sim_l1 *c = &u->l1d;

	if (then == SIM_STORE_DIRTIES && dirty_step(u, j, line, now))
		return 1;
	if (!sim_outbox_room(&u->out)) {
		u->stall = SIM_CY_STALL_QUEUE;
		return 0;
	}
	a.slot = then == SIM_STORE_EVICTS ? SIM_SLOT_NONE : sim_l1_slot(c, line);
	if (then == SIM_STORE_EVICTS && sim_l1_evict(c, &u->out, line))
		u->is.stats->l1d.write_hits++;
	else if (a.slot != SIM_SLOT_NONE && c->valid[a.slot] & sim_l1_sectors(c, &j->tx[j->at]))
		u->is.stats->l1d.write_hits++;
	if (then == SIM_STORE_ALLOCATES && !read_line(u, c, j, line, THROUGH, &a))
		return 0;
	if (a.outcome == SIM_L1_MISS)
		count_victim(u, &a);
	u->is.stats->l1d.writes++;
	pass_by(u, j, SIM_MEM_WRITE, 0, 0, j->space);
	see(u, j, line, TR_A_WRITE, then == SIM_STORE_ALLOCATES ? &a : NULL);
	load_answer(u, ticket_of(u, j), now + 1);
	return 1;
}

/*
 * A transaction that goes to the L2 whatever is in the L1D: of a copy, or by its cache operator.
 * The line that may be there stays as it is.
 */
static int past_step(struct sim_lsu *u, struct sim_job *j)
{
	const int waits = j->load != SIM_NO_LOAD;

	if (!sim_outbox_room(&u->out)) {
		u->stall = SIM_CY_STALL_QUEUE;
		return 0;
	}
	pass_by(u, j, SIM_MEM_READ, (uint32_t)TAG_LOAD << 30 | (waits ? ticket_of(u, j) : 0), waits,
		j->space);
	miss(u, j);
	return 1;
}

/* A load whose miss takes no line, and which is one. */
static int unkept_step(struct sim_lsu *u, struct sim_job *j)
{
	struct sim_stats *s = u->is.stats;
	struct sim_inst_stats *in = &s->insts[sim_job_inst(j, lowest_lane(j), u->is.slice)];

	if (!past_step(u, j))
		return 0;
	s->l1d.accesses++;
	s->l1d.misses++;
	s->l1d.miss_sectors += sim_sectors(j->tx[j->at].sectors);
	in->accesses++;
	in->misses++;
	return 1;
}

/* When a load's words have been read, where these take their time. */
static uint64_t data_at(const struct sim_job *j, uint64_t now)
{
	return j->data_at > now ? j->data_at : now;
}

/* One transaction of a load, or of a store that allocates. 1: done; 0: it has to wait. */
static int l1d_step(struct sim_lsu *u, struct sim_job *j, uint64_t now)
{
	const struct sim_config *cfg = u->is.config;
	const uint64_t line = line_of(&u->l1d, j);
	struct sim_l1_answer a;

	if (cfg->l1d.part == SIM_PERFECT) {
		sim_mem_used(u->is.mem, line, j->tx[j->at].sectors);
		load_answer(u, ticket_of(u, j),
			j->is_store ? now + 1 : data_at(j, now) + cfg->l1d.hit_latency);
		return 1;
	}
	if (j->is_store && j->space != TR_S_LOCAL && cfg->l1d.write == TR_W_EVICT)
		return through_step(u, j, line, now);
	if (j->cached == SIM_CACHED_IF_THERE && j->is_load && j->at < j->global &&
		!sim_l1_has(&u->l1d, line, sim_l1_sectors(&u->l1d, &j->tx[j->at])))
		return unkept_step(u, j);
	if (!read_line(u, &u->l1d, j, line, j->is_store ? STORE : LOAD, &a))
		return 0;
	if (j->is_store)
		load_answer(u, ticket_of(u, j), now + 1);
	else if (a.outcome == SIM_L1_HIT)
		load_answer(u, ticket_of(u, j), data_at(j, now) + cfg->l1d.hit_latency);
	count(u, j, &a);
	see(u, j, line, j->is_store ? TR_A_WRITE : TR_A_READ, &a);
	return 1;
}

static int readonly_step(struct sim_lsu *u, struct sim_job *j, uint64_t now)
{
	const int texture = j->unit == SIM_U_TEXTURE;
	struct sim_l1 *c = texture ? &u->texture : &u->constant;
	struct sim_stats *s = u->is.stats;
	struct sim_l1_answer a;

	if (!read_line(u, c, j, line_of(c, j), LOAD, &a))
		return 0;
	if (a.outcome == SIM_L1_HIT)
		load_answer(u, ticket_of(u, j), data_at(j, now) + c->hit_latency);
	*(texture ? &s->texture_accesses : &s->const_accesses) += 1;
	*(texture ? &s->texture_misses : &s->const_misses) += a.outcome == SIM_L1_MISS;
	return 1;
}

static int atomic_step(struct sim_lsu *u, struct sim_job *j, uint64_t now)
{
	const uint64_t line = line_of(&u->l1d, j);

	if (!sim_outbox_room(&u->out)) {
		u->stall = SIM_CY_STALL_QUEUE;
		return 0;
	}
	sim_l1_evict(&u->l1d, &u->out, line);
	pass_by(u, j, SIM_MEM_ATOMIC,
		(uint32_t)TAG_LOAD << 30 | (j->has_result ? ticket_of(u, j) : 0), j->has_result,
		TR_S_GLOBAL);
	if (!j->has_result)
		load_answer(u, ticket_of(u, j), now + 1);
	else
		miss(u, j);
	u->is.stats->l1d.atomics++;
	see(u, j, line, TR_A_ATOMIC, NULL);
	return 1;
}

/* ---- jobs ---- */

int sim_lsu_busy(const struct sim_lsu *u)
{
	return u->njobs || u->out.n || u->serves || u->live_loads || u->l1d.used ||
	       u->constant.used || u->texture.used;
}

/* One load for the wide warp's first warp, which has the answers; the others wait for it. */
static int wide_loads(
	struct sim_lsu *u, struct sim_job *j, const struct sim_lsu_inst *of, uint32_t answers)
{
	uint32_t last = SIM_NO_LOAD;

	for (uint32_t i = 0; i < of->wide->n; i++) {
		const uint32_t slot = of->wide->warp[i];
		const uint32_t n = load_new(u, slot, of->warps[slot].life, j->inst, answers);

		if (n == SIM_NO_LOAD)
			return -1;
		if (of->group)
			u->loads[n].group = of->group[slot];
		if (i)
			u->loads[last].next = n;
		else
			j->load = n;
		u->loads[n].first = j->load;
		last = n;
	}
	return 0;
}

/* One load for all slices, which have their answers one by one. */
static int slice_loads(struct sim_lsu *u, struct sim_job *j, const struct sim_lsu_inst *of)
{
	const uint32_t n = load_new(u, 0, 0, j->inst, 0);
	struct sim_shares *s;

	if (n == SIM_NO_LOAD)
		return -1;
	u->loads[n].done = SIM_NEVER;
	s = &u->shares[n];
	*s = (struct sim_shares){.waiting = of->slices};
	for (uint32_t m = of->slices; m; m &= m - 1) {
		const uint32_t k = (uint32_t)__builtin_ctz(m);
		const uint64_t here = of->lanes->w[0] >> (k * j->width) << (k * j->width);
		const uint32_t member = j->thread[__builtin_ctzll(here)] / u->is.member;

		s->member[k] = member;
		s->life[k] = u->is.member_age[member];
		s->inst[k] = j->slice_inst[k];
		s->left[k] = j->cycles && j->shared >> k & 1;
	}
	for (uint32_t t = 0; t < j->n; t++)
		for (uint32_t m = sim_slices_of(u, j->tx[t].lanes[0]); m; m &= m - 1)
			s->left[__builtin_ctz(m)]++;
	for (uint32_t t = 0; t < j->nfar; t++)
		for (uint32_t m = j->far[t].slices; m; m &= m - 1)
			s->left[__builtin_ctz(m)]++;
	j->load = n;
	return 0;
}

/* Cycles of the banks for so many bytes of which no two are in each other's way. */
static uint32_t least_cycles(const struct sim_lsu *u, uint32_t bytes)
{
	const uint32_t each = 4 * u->is.config->shared.banks;

	return (bytes + each - 1) / each;
}

/* The load of a copy whose store a warp issues: the one that has not been told yet. */
static struct sim_load *copy_of(struct sim_lsu *u, const struct sim_lsu_inst *i)
{
	const uint32_t slot = i->wide->warp[0];

	for (uint32_t n = 0; n < u->nloads; n++) {
		struct sim_load *l = &u->loads[n];

		if (l->warp == slot && l->life == i->warps[slot].life && l->inst + 1 == i->inst &&
			l->first == n && l->writes && !l->told)
			return l;
	}
	return NULL;
}

void sim_lsu_tell(struct sim_lsu *u, const struct sim_lsu_inst *i)
{
	const struct sim_config *c = u->is.config;
	struct sim_load *l = copy_of(u, i);

	if (!l)
		return;
	l->told = 1;
	l->writes = sim_bank_conflicts(c->shared.banks, c->shared.width,
		i->wide->n * i->wide->width, i->lanes->w, i->address, i->x->bytes);
	l->writes += !l->writes;
}

/* ---- accesses that are made once (once.h) ---- */

/* What a thread's access waits for: loads of others; requests that it has begun. */
struct joined {
	uint32_t n, load[SIM_TRANSACTIONS_MAX / TR_LANES_MAX + 2 * 16];
};

static void join_load(
	const struct sim_lsu *u, const struct sim_once_request *r, int last, struct joined *w)
{
	if (r->serial[last] && u->once.serial[r->load[last]] == r->serial[last])
		w->load[w->n++] = r->load[last];
}

static void begins(const struct sim_lsu *u, struct sim_once_request *r, int last, uint32_t load)
{
	r->load[last] = load;
	r->serial[last] = load == SIM_NO_LOAD ? 0 : u->once.serial[load];
}

/* Its transaction, where the unit has not come to it yet; NULL: it has. */
static struct sim_transaction *still_waits(struct sim_lsu *u, const struct sim_once_request *r)
{
	const uint64_t behind = r->job - u->jobs_done;
	struct sim_job *j = &u->jobs[(u->head + behind) % u->size];

	if (r->job < u->jobs_done || behind >= u->njobs || (!behind && j->at >= r->at))
		return NULL;
	return &j->tx[r->at];
}

static struct sim_once_request *request_of(
	struct sim_lsu *u, const struct sim_job *j, uint32_t slot, uint64_t key, int *is_new)
{
	struct sim_once_request *r =
		sim_once_ask(&u->once, slot, j->thread[0], j->inst, key, is_new);

	u->failed |= !r;
	return r;
}

/*
 * A transaction of a thread, which is to be number `at` of its job. 1: it is to be made, as far as
 * it says; 0: others have made it, or will.
 */
static int join_transaction(struct sim_lsu *u, struct sim_job *j, uint32_t slot,
	const struct sim_l1 *c, uint32_t at, struct sim_transaction *t, struct joined *w)
{
	const uint64_t line = t->base & ~(uint64_t)(c->line_bytes - 1);
	const int whole = c->sector_bytes == c->line_bytes && j->is_load && !j->past;
	struct sim_transaction *waits;
	int is_new;
	struct sim_once_request *r = request_of(u, j, slot, line, &is_new);

	if (!r)
		return 0;
	if (is_new) {
		*r = (struct sim_once_request){.next = r->next,
			.sectors = whole ? UINT32_MAX : t->sectors,
			.first_sectors = whole ? UINT32_MAX : t->sectors,
			.job = u->jobs_done + u->njobs,
			.at = at};
		begins(u, r, 0, j->load);
		begins(u, r, 1, j->load);
		return 1;
	}
	join_load(u, r, (t->sectors & ~r->first_sectors) != 0, w);
	t->sectors &= ~r->sectors;
	if (!t->sectors)
		return 0;
	r->sectors |= t->sectors;
	waits = still_waits(u, r);
	if (!waits) {
		begins(u, r, 1, j->load);
		return 1;
	}
	waits->sectors |= t->sectors;
	waits->whole |= t->whole;
	waits->bytes = (uint16_t)(32 * sim_sectors(waits->sectors));
	r->first_sectors |= t->sectors;
	return 0;
}

/* The first of a CTA's threads to store to a line is taken to write what the others will. */
static void others_write(const struct sim_l1 *c, const struct sim_job *j, struct sim_transaction *t)
{
	t->whole = t->sectors;
	if (j->space == TR_S_LOCAL)
		t->bytes = (uint16_t)c->line_bytes;
}

/* Leaves of a job what no thread of the CTA has asked for. 0, or -1 without memory. */
static int join_others(struct sim_lsu *u, struct sim_job *j, const struct sim_lsu_inst *i)
{
	struct joined w = {0};
	const uint32_t slot = i->warps[i->wide->warp[0]].cta;
	const struct sim_l1 *c = i->x->unit == SIM_U_CONST     ? &u->constant
				 : i->x->unit == SIM_U_TEXTURE ? &u->texture
							       : &u->l1d;
	uint32_t n = 0, global = 0, past = 0;

	j->cycles = 0; /* shared memory has a latency alone */
	for (uint32_t t = 0; t < j->n; t++) {
		j->tx[t].bytes = (uint16_t)(32 * sim_sectors(j->tx[t].sectors));
		if (i->x->is_store)
			others_write(c, j, &j->tx[t]);
		if (join_transaction(u, j, slot, c, n, &j->tx[t], &w))
			j->tx[n++] = j->tx[t];
		global = t < j->global ? n : global;
		past = t < j->past ? n : past;
	}
	j->n = n;
	j->global = global;
	j->past = past;
	if (c == &u->l1d)
		u->is.stats->transactions += n;
	if (u->failed)
		return -1;
	u->took_none = !n && !j->nfar;
	if (j->load == SIM_NO_LOAD)
		return 0;
	u->loads[j->load].left = n + j->nfar + w.n;
	for (uint32_t k = 0; k < w.n; k++)
		if (sim_once_wait(&u->once, w.load[k], j->load))
			return -1;
	if (!u->loads[j->load].left) { /* all is there, or on its way */
		const uint32_t latency = i->x->unit == SIM_U_SHARED ? u->is.config->shared.latency
					 : i->x->is_store           ? 1
								    : c->hit_latency;

		u->loads[j->load].left = 1;
		load_answer(u, j->load, u->now + latency);
	}
	return 0;
}

int sim_lsu_put(struct sim_lsu *u, const struct sim_lsu_inst *i)
{
	const struct sim_inst *x = i->x;
	struct sim_job *j = &u->jobs[(u->head + u->njobs) % u->size];

	u->nseen = u->nbegun = 0; /* they stand in jobs */
	sim_job_begin(u, j, i);
	if (i->waits && i->slices && slice_loads(u, j, i) < 0)
		return -1;
	if (i->waits && !i->slices && wide_loads(u, j, i, j->n + (j->cycles != 0) + j->nfar) < 0)
		return -1;
	u->last_load = j->load;
	if (u->is.once) {
		if (join_others(u, j, i) < 0)
			return -1;
		u->njobs += !u->took_none;
		return 0;
	}
	if (x->part && j->load != SIM_NO_LOAD) {
		u->loads[j->load].writes = least_cycles(u, j->active * x->bytes);
		u->loads[j->load].told = x->part == SIM_COPY_BOTH;
	}
	u->njobs++;
	return 0;
}

static void job_done(struct sim_lsu *u)
{
	u->head = (u->head + 1) % u->size;
	u->njobs--;
	u->jobs_done++;
}

/* A cycle of shared memory: the first cycles of a job that has lanes there. */
static int shared_step(struct sim_lsu *u, struct sim_job *j, uint64_t now)
{
	const uint32_t load = !u->is.slice || j->load == SIM_NO_LOAD
				      ? j->load
				      : j->load | j->shared << TICKET_BITS;

	if (!--j->cycles)
		load_answer(u, load, now + u->is.config->shared.latency);
	return 1;
}

/* An access of another SM's shared memory goes out. 1: it has; 0: the port is taken. */
static int far_step(struct sim_lsu *u, struct sim_job *j, uint64_t now)
{
	const struct sim_remote *f = &j->far[j->far_at];
	const uint32_t ticket = !u->is.slice || j->load == SIM_NO_LOAD
					? j->load
					: j->load | f->slices << TICKET_BITS;
	const struct sim_dsm_packet p = {.sent = now,
		.from = u->is.sm,
		.to = f->sm,
		.tag = ticket,
		.cycles = f->cycles,
		.out = f->out,
		.back = f->back,
		.kind = SIM_DSM_REQUEST};

	if (!sim_dsm_room(u->is.dsm, u->is.sm, now)) {
		u->stall = SIM_CY_STALL_QUEUE;
		u->port_at = sim_dsm_room_at(u->is.dsm, u->is.sm);
		return 0;
	}
	if (sim_dsm_send(u->is.dsm, &p, now) < 0) {
		u->failed = 1;
		return 0;
	}
	if (f->back)
		miss(u, j);
	else
		load_answer(u, ticket, now + 1);
	u->far_seen[u->nfar_seen++] = (struct sim_far_seen){
		.warp = u->is.slice ? SIM_NO_WARP : j->warp[0], .inst = j->inst, .to = f->sm};
	j->far_at++;
	return 1;
}

/* A cycle of the banks for the request of another SM that is next. 1: something moved. */
static int serve(struct sim_lsu *u, uint64_t now)
{
	const uint32_t rate = u->rate;

	if (!u->serves || (rate && u->moved_bytes >= (now + 1) * rate))
		return 0;
	if (!u->serve_cycles)
		u->serve_cycles = sim_dsm_head(u->is.dsm, u->is.sm)->cycles;
	if (u->serve_cycles == 1) {
		if (!sim_dsm_may_answer(u->is.dsm, u->is.sm, now))
			return 0;
		u->failed |= sim_dsm_answer(u->is.dsm, u->is.sm, now) < 0;
		u->serves--;
	}
	u->serve_cycles--;
	u->moved_bytes = (u->moved_bytes > now * rate ? u->moved_bytes : now * rate) + rate;
	u->events++;
	return 1;
}

/* A cycle of the banks for the data of the copy that is next. 1: something moved. */
static int write_copy(struct sim_lsu *u, uint64_t now)
{
	const uint32_t rate = u->rate, n = u->writing;

	if (n == SIM_NO_LOAD || (rate && u->moved_bytes >= (now + 1) * rate))
		return 0;
	if (!--u->loads[n].writes) {
		u->writing = u->loads[n].behind;
		u->loads[n].done = now + u->is.config->shared.async_latency;
		sim_wheel_put(&u->finish, n, u->loads[n].done);
	}
	u->moved_bytes = (u->moved_bytes > now * rate ? u->moved_bytes : now * rate) + rate;
	u->events++;
	return 1;
}

void sim_lsu_from_sm(struct sim_lsu *u, const struct sim_dsm_packet *p, uint64_t now)
{
	u->events++;
	if (p->kind != SIM_DSM_REPLY)
		return;
	u->is.stats->dsm.replies++;
	u->is.stats->dsm.latency_sum += now - p->sent;
	load_answer(u, p->tag, now);
}

static int l1d_or_past_step(struct sim_lsu *u, struct sim_job *j, uint64_t now)
{
	if (j->at >= j->past)
		return l1d_step(u, j, now);
	return j->is_store ? through_step(u, j, line_of(&u->l1d, j), now) : past_step(u, j);
}

/* A transaction. 1: done; 0: it has to wait. */
static int cache_step(struct sim_lsu *u, struct sim_job *j, uint64_t now)
{
	int moved;

	switch (j->unit) {
	case SIM_U_CONST:
	case SIM_U_TEXTURE:
		moved = readonly_step(u, j, now);
		break;
	case SIM_U_ATOMIC:
		moved = atomic_step(u, j, now);
		break;
	default:
		moved = l1d_or_past_step(u, j, now);
	}
	u->is.stats->unit_serial += moved && j->at;
	j->at += (unsigned)moved;
	return moved;
}

/* The next step of a job is the first one in the L1D of a load whose words stand in banks. */
static int data_begin(const struct sim_job *j)
{
	return j->moves && !j->at && !j->cycles && j->far_at == j->nfar;
}

/*
 * Where the data's bytes or the jobs have a rate, does the job at the head have to wait for its
 * turn? Time is kept in bytes: so many are a cycle. A load whose words stand in banks waits for all
 * of its data at once.
 */
static int waits_its_turn(struct sim_lsu *u, const struct sim_job *j, uint64_t now)
{
	if (!j->begun && now < u->next_job)
		return 1;
	return u->rate && !(j->moves && j->at) && u->moved_bytes >= (now + 1) * u->rate;
}

static uint64_t moved_until(const struct sim_lsu *u, uint64_t now)
{
	return u->moved_bytes > now * u->rate ? u->moved_bytes : now * u->rate;
}

/* A step of a job is made: what it moves, and when the next job may begin. */
static void take_turn(struct sim_lsu *u, struct sim_job *j, uint32_t bytes, uint64_t now)
{
	u->moved_bytes = moved_until(u, now) + bytes;
	if (!j->begun)
		u->next_job = now + u->is.config->sm.lsu_interval;
	j->begun = 1;
}

/*
 * Bytes that the next step of a job moves: a cycle's of shared memory, whole sectors, or all that a
 * load takes of the banks.
 */
static uint32_t step_bytes(const struct sim_lsu *u, const struct sim_job *j)
{
	if (j->cycles)
		return u->rate;
	if (j->far_at < j->nfar)
		return 0;
	if (j->moves)
		return j->at ? 0 : j->moves;
	return u->is.config->l1d.cycle_bytes ? 32 * sim_sectors(j->tx[j->at].sectors) : 0;
}

/* The next step of a job. 1: done; 0: it has to wait. */
static inline int job_step(struct sim_lsu *u, struct sim_job *j, uint64_t now)
{
	if (j->cycles)
		return shared_step(u, j, now);
	return j->far_at < j->nfar ? far_step(u, j, now) : cache_step(u, j, now);
}

static inline void after_step(struct sim_lsu *u, struct sim_job *j)
{
	u->events++;
	if (j->reads) {
		j->reads = 0;
		u->begun[u->nbegun++] = u->head;
	}
	if (!j->cycles && j->at == j->n && j->far_at == j->nfar)
		job_done(u);
}

/* 1: something moved. */
static int step(struct sim_lsu *u, uint64_t now)
{
	struct sim_job *j = &u->jobs[u->head];
	uint32_t bytes;

	send(u, now);
	if (u->njobs && u->is.paced) {
		if (waits_its_turn(u, j, now))
			return 0;
		bytes = step_bytes(u, j);
		if (data_begin(j))
			j->data_at = (moved_until(u, now) + j->moves - 1) / u->rate;
		if (!job_step(u, j, now))
			return 0;
		take_turn(u, j, bytes, now);
	} else if (!u->njobs || !job_step(u, j, now))
		return 0;
	after_step(u, j);
	return 1;
}

/* All that the jobs can do in a cycle, where accesses are made once. 1: something moved. */
static int all_steps(struct sim_lsu *u, uint64_t now)
{
	uint32_t n = 0;

	while (u->njobs && n < STEPS && job_step(u, &u->jobs[u->head], now)) {
		after_step(u, &u->jobs[u->head]);
		n++;
	}
	return n != 0;
}

/*
 * This SM's instructions take turns at its shared memory with the data of its copies and the
 * requests of other SMs, of which the copies go first.
 */
static int step_or_serve(struct sim_lsu *u, uint64_t now)
{
	const int others_first = !u->served;

	if (others_first && (write_copy(u, now) || serve(u, now))) {
		send(u, now);
		u->served = 1;
		return 1;
	}
	if (step(u, now)) {
		u->served = 0;
		return 1;
	}
	return !others_first && (write_copy(u, now) || serve(u, now));
}

void sim_lsu_work(struct sim_lsu *u, uint64_t now)
{
	int moved = 0;

	u->out.count = 0;
	if (u->is.once)
		moved = all_steps(u, now);
	for (uint32_t i = 0; i < u->is.config->sm.lsu_rate && !u->failed; i++)
		moved |= u->serves || u->writing != SIM_NO_LOAD ? step_or_serve(u, now)
								: step(u, now);
	if (moved) /* a unit that stood after its first step has not stood in this cycle */
		u->stall = SIM_CY_STALL_LSU;
}

uint64_t sim_lsu_hash(const struct sim_lsu *u, uint64_t h)
{
	h = sim_l1_hash(&u->texture, sim_l1_hash(&u->constant, sim_l1_hash(&u->l1d, h)));
	h = sim_wheel_hash(&u->finish, u->nloads, h);
	return sim_mix(h, (uint64_t)u->njobs << 32 | u->out.n);
}
