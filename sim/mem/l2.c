/* One slice of the L2; see l2.h for what it models. */
#include "sim/mem/l2.h"
#include <assert.h>
#include <stdlib.h>

static int new_cache(struct sim_l2 *l, struct tr_err *err)
{
	const struct sim_geometry *g = &l->config->l2.g;
	const size_t slots = (size_t)g->sets * g->ways;

	if (sim_cache_new(&l->cache, g, SIM_LRU, 0, err) < 0)
		return TR_EMEM;
	l->locked = calloc(slots, sizeof(*l->locked));
	l->dirty = calloc(slots, sizeof(*l->dirty));
	l->mshr_of = calloc(slots, sizeof(*l->mshr_of));
	if (l->config->l2.partitions > 1 && l->config->l2.far == SIM_FAR_FIRST) {
		l->copy_at = malloc(slots * sizeof(*l->copy_at));
		if (!l->copy_at)
			return tr_fail(err, TR_EMEM, 0, "no memory for the L2's lines");
	}
	if (!l->locked || !l->dirty || !l->mshr_of)
		return tr_fail(err, TR_EMEM, 0, "no memory for the L2's lines");
	return 1;
}

/* Room for all that its latency keeps. 0, or -1 without memory. */
static int new_pipes(struct sim_l2 *l)
{
	const struct sim_config *c = l->config;

	l->npipes = c->l2.partitions > 1 ? 2 : 1;
	for (uint32_t k = 0; k < l->npipes; k++) {
		struct sim_l2_pipe *p = &l->pipe[k];

		p->ring.size = c->l2.latency + c->l2.queue + k * c->l2.far_latency;
		p->packet = calloc(p->ring.size, sizeof(*p->packet));
		if (!p->packet)
			return -1;
	}
	return 0;
}

int sim_l2_new(struct sim_l2 *l, struct tr_err *err)
{
	const uint32_t mshrs = l->config->l2.mshrs, waits = mshrs * l->config->l2.merges + 1;

	if (l->config->l2.part == SIM_REAL && new_cache(l, err) < 0)
		return TR_EMEM;
	l->misses.size = SIM_L2_MISS_QUEUE;
	l->fills.size = l->ready.size = mshrs;
	l->mshrs = calloc(mshrs, sizeof(*l->mshrs));
	l->waits = malloc(waits * sizeof(*l->waits)); /* each is filled in when it is taken */
	l->waiting = calloc(waits, sizeof(*l->waiting));
	l->fill = calloc(mshrs, sizeof(*l->fill));
	l->filled = calloc(mshrs, sizeof(*l->filled));
	if (!l->mshrs || !l->waits || !l->waiting || !l->fill || !l->filled || new_pipes(l))
		return tr_fail(err, TR_EMEM, 0, "no memory for an L2 slice");
	l->free_mshr = l->free_wait = SIM_NONE;
	l->wait = SIM_NONE;
	l->stalled = l->next = SIM_NEVER;
	return 1;
}

void sim_l2_free(struct sim_l2 *l)
{
	sim_cache_free(l->cache);
	free(l->locked);
	free(l->dirty);
	free(l->copy_at);
	free(l->mshr_of);
	free(l->mshrs);
	free(l->waits);
	free(l->waiting);
	free(l->fill);
	free(l->filled);
	free(l->pipe[0].packet);
	free(l->pipe[1].packet);
}

/* ---- replies ---- */

static bool pipe_room(const struct sim_l2 *l)
{
	return l->pipe[0].ring.n < l->pipe[0].ring.size &&
	       (l->npipes == 1 || l->pipe[1].ring.n < l->pipe[1].ring.size);
}

/* Is the SM near to the other half of the slices? */
static bool is_far(const struct sim_l2 *l, uint32_t sm)
{
	const struct sim_config *c = l->config;

	return (2 * sm >= c->sm.sms) != (2 * l->self >= c->l2.slices);
}

/* away: the line came from DRAM for it, or had no copy where the SM is near to. */
static void reply(struct sim_l2 *l, const struct sim_packet *p, bool away, uint64_t cycle)
{
	const struct sim_config *c = l->config;
	const bool far = l->npipes == 2 && (away || c->l2.far == SIM_FAR_ALL) && is_far(l, p->r.sm);
	struct sim_l2_pipe *pipe = &l->pipe[far];
	struct sim_packet *q = &pipe->packet[sim_ring_put(&pipe->ring)];

	*q = *p;
	q->at = cycle + c->l2.latency + (far ? c->l2.far_latency : 0);
	q->to = p->r.sm;
	q->flits = sim_flits(c, sim_reply_bytes(c, &p->r));
}

/* When the first reply of a pipe is at its end, or SIM_NEVER. */
static uint64_t pipe_at(const struct sim_l2_pipe *p)
{
	return p->ring.n ? p->packet[p->ring.head].at : SIM_NEVER;
}

/* The pipe whose first reply is at its end first. */
static struct sim_l2_pipe *first_pipe(struct sim_l2 *l)
{
	const uint32_t k = l->npipes == 2 && pipe_at(&l->pipe[1]) < pipe_at(&l->pipe[0]);

	return &l->pipe[k];
}

/* Hands the reply at the end of a pipe to its crossbar. */
static void step_pipe(struct sim_l2 *l, uint64_t cycle)
{
	struct sim_l2_pipe *p = first_pipe(l);

	if (pipe_at(p) > cycle || !sim_xbar_room(l->replies, l->self))
		return;
	sim_xbar_put(l->replies, l->self, &p->packet[sim_ring_take(&p->ring)],
		l->clocks->icnt.cycle + 1);
}

/* ---- requests that wait ---- */

static void free_mshr(struct sim_l2 *l, uint32_t m)
{
	l->mshrs[m].next = l->free_mshr;
	l->free_mshr = m;
}

static bool has_mshr(const struct sim_l2 *l)
{
	return l->free_mshr != SIM_NONE || l->nmshrs < l->config->l2.mshrs;
}

static uint32_t take_mshr(struct sim_l2 *l)
{
	const uint32_t m = l->free_mshr;

	if (m == SIM_NONE)
		return l->nmshrs++;
	l->free_mshr = l->mshrs[m].next;
	return m;
}

/* One of a wait's lines is there, or its last access is made; with the last of them it is done. */
static void release(struct sim_l2 *l, uint32_t w, uint64_t cycle)
{
	struct sim_l2_wait *wait = &l->waits[w];

	if (--wait->lines)
		return;
	reply(l, &wait->p, true, cycle);
	wait->next = l->free_wait;
	l->free_wait = w;
}

void sim_l2_fill(struct sim_l2 *l, uint32_t mshr, uint64_t at)
{
	l->fill[sim_ring_put(&l->fills)] = (struct sim_l2_fill){mshr, at};
	sim_l2_wake(l, at);
}

/* Takes one line from DRAM. */
static void step_fill(struct sim_l2 *l, uint64_t cycle)
{
	struct sim_l2_mshr *m;
	uint32_t i;

	if (!l->fills.n || l->fill[l->fills.head].at > cycle)
		return;
	i = l->fill[sim_ring_take(&l->fills)].mshr;
	m = &l->mshrs[i];
	if (m->slot != SIM_SLOT_NONE) {
		l->locked[m->slot] = 0;
		l->dirty[m->slot] = m->dirty;
	}
	if (m->n)
		l->filled[sim_ring_put(&l->ready)] = i;
	else
		free_mshr(l, i);
}

/* Answers one request of those that waited for a line which is there. */
static void step_ready(struct sim_l2 *l, uint64_t cycle)
{
	struct sim_l2_mshr *m;
	uint32_t i;

	if (!l->ready.n || !pipe_room(l))
		return;
	i = l->filled[l->ready.head];
	m = &l->mshrs[i];
	release(l, l->waiting[i * l->config->l2.merges + m->done++], cycle);
	if (m->done < m->n)
		return;
	sim_ring_take(&l->ready);
	free_mshr(l, i);
}

/* ---- DRAM ---- */

static bool miss_room(const struct sim_l2 *l, uint32_t n)
{
	return l->misses.n + n <= l->misses.size;
}

/* A slice's address among those of its channel. */
static uint64_t in_channel(const struct sim_l2 *l, uint64_t local)
{
	const uint32_t n = sim_sharers(l->config), bytes = l->config->l2.interleave_bytes;

	return n == 1 ? local : (local / bytes * n + l->self % n) * bytes + local % bytes;
}

static void to_dram(struct sim_l2 *l, uint64_t local, uint32_t bytes, uint32_t mshr)
{
	l->miss[sim_ring_put(&l->misses)] = (struct sim_dram_request){.local = in_channel(l, local),
		.slice = l->self,
		.bytes = bytes,
		.mshr = mshr,
		.write = mshr == SIM_NONE};
}

static void step_misses(struct sim_l2 *l)
{
	if (!l->misses.n || !sim_dram_room(l->dram))
		return;
	sim_dram_put(l->dram, &l->miss[sim_ring_take(&l->misses)], l->clocks->dram.cycle + 1);
}

/* ---- accesses ---- */

enum { PARTLY = 2 | 1 }; /* of dirty: bytes are missing that nobody has written */

/* One access: a line of the slice's own, and how much of it. */
struct access {
	const struct sim_packet *p;
	uint64_t line;
	uint32_t bytes;
	bool write, whole; /* whole: a write of all of it, or one that is kept as it is */
	bool partly;       /* the latter: what is not written is missing */
	bool waits;        /* somebody wants its data */
};

static bool is_code(const struct access *a)
{
	return a->p->r.space == SIM_MEM_CODE;
}

/* The sectors of a request in the slice's line number `part` of it, counted from that line's. */
static uint32_t sectors_in(const struct sim_l2 *l, const struct sim_packet *p, uint32_t part)
{
	const uint32_t n = l->config->l2.g.line_bytes / 32;

	if ((uint64_t)part * n >= 32)
		return 0;
	return p->r.sectors >> part * n & sim_all_sectors(l->config->l2.g.line_bytes);
}

static bool is_last(const struct sim_l2 *l, const struct sim_packet *p, uint32_t part)
{
	const uint64_t next = (uint64_t)(part + 1) * (l->config->l2.g.line_bytes / 32);

	return next >= 32 || !(p->r.sectors >> next);
}

/* Of a request's bytes, those in the first so many bytes of all of its sectors. */
static uint32_t share_of(const struct sim_packet *p, uint32_t first, uint32_t all)
{
	return (uint32_t)((uint64_t)p->r.bytes * first / all);
}

static struct access access_of(struct sim_l2 *l, const struct sim_packet *p)
{
	const uint32_t line_bytes = l->config->l2.g.line_bytes;
	const uint32_t all = 32 * (uint32_t)__builtin_popcount(p->r.sectors);
	uint32_t before;
	struct access a = {.p = p, .write = p->r.op == SIM_MEM_WRITE};

	while (!sectors_in(l, p, l->part))
		l->part++;
	a.line = (p->local + (uint64_t)l->part * line_bytes) & ~(uint64_t)(line_bytes - 1);
	a.bytes = 32 * (uint32_t)__builtin_popcount(sectors_in(l, p, l->part));
	before = 32 * (uint32_t)__builtin_popcount(
			      p->r.sectors & (uint32_t)((1ull << l->part * (line_bytes / 32)) - 1));
	if (p->r.bytes < all) /* some sectors are not wanted whole, which ones is not known */
		a.bytes = share_of(p, before + a.bytes, all) - share_of(p, before, all);
	a.whole = a.write && a.bytes == line_bytes && p->r.bytes >= all;
	a.partly = a.write && !a.whole && l->config->l2.store_fetch;
	a.whole |= a.partly;
	a.waits = !a.write && p->r.reply;
	return a;
}

/* The request's wait, made at its first line that is not there. */
static uint32_t wait_of(struct sim_l2 *l, const struct sim_packet *p)
{
	if (l->wait == SIM_NONE) {
		l->wait = l->free_wait == SIM_NONE ? l->nwaits++ : l->free_wait;
		if (l->wait == l->free_wait)
			l->free_wait = l->waits[l->wait].next;
		l->waits[l->wait].p = *p;
		l->waits[l->wait].lines = 1;
	}
	return l->wait;
}

static void join(struct sim_l2 *l, uint32_t m, const struct sim_packet *p)
{
	const uint32_t w = wait_of(l, p);

	l->waits[w].lines++;
	l->waiting[m * l->config->l2.merges + l->mshrs[m].n++] = w;
}

static void count(struct sim_l2 *l, const struct access *a, uint32_t slot, uint64_t *what)
{
	if (is_code(a)) {
		l->stats->code_l2_accesses++;
		l->stats->code_l2_hits += what == &l->stats->l2_hits;
	} else {
		l->stats->l2_accesses++;
		*what += 1;
	}
	if (a->p->r.op == SIM_MEM_READ && !is_code(a)) {
		l->stats->l2_reads++;
		l->stats->l2_read_hits += what == &l->stats->l2_hits;
		l->stats->l2_read_merges += what == &l->stats->l2_merges;
	}
	l->trail = sim_mix(l->trail, a->line ^ (uint64_t)slot << 40);
}

/* A line is in its own partition alone. */
static void drop_copy(struct sim_l2 *l, uint32_t slot)
{
	if (l->copy_at)
		l->copy_at[slot] = SIM_NEVER;
}

/* An access of a line that is there, or on its way: who has a copy of it then. */
static void note_copy(struct sim_l2 *l, const struct access *a, uint32_t slot)
{
	const uint64_t cycle = l->clocks->l2.cycle;

	if (!l->copy_at)
		return;
	if (a->p->r.op != SIM_MEM_READ)
		drop_copy(l, slot);
	if (!is_far(l, a->p->r.sm))
		return;
	l->away |= l->copy_at[slot] > cycle;
	if (a->p->r.op == SIM_MEM_READ)
		l->copy_at[slot] = sim_min(l->copy_at[slot], cycle + l->config->l2.far_latency);
}

static bool hit(struct sim_l2 *l, const struct access *a, uint32_t slot)
{
	if (l->cache) {
		note_copy(l, a, slot);
		sim_cache_touch(l->cache, slot);
		if (a->write && !a->partly)
			l->dirty[slot] = 1;
		else
			l->dirty[slot] |= a->p->r.op != SIM_MEM_READ;
	}
	count(l, a, slot, &l->stats->l2_hits);
	return true;
}

/* The line is on its way. */
static bool merge(struct sim_l2 *l, const struct access *a, uint32_t slot)
{
	const uint32_t m = l->mshr_of[slot];

	if (a->waits && l->mshrs[m].n == l->config->l2.merges)
		return false;
	if (a->write && !a->whole) {
		if (!miss_room(l, 1))
			return false;
		to_dram(l, a->line, a->bytes, SIM_NONE);
	} else {
		l->mshrs[m].dirty |= a->p->r.op != SIM_MEM_READ;
	}
	if (a->waits)
		join(l, m, a->p);
	note_copy(l, a, slot);
	count(l, a, slot, &l->stats->l2_merges);
	return true;
}

static uint32_t fetch(struct sim_l2 *l, const struct access *a, uint32_t slot, uint32_t bytes)
{
	const uint32_t m = take_mshr(l);

	l->mshrs[m] = (struct sim_l2_mshr){
		.slot = slot, .next = SIM_NONE, .dirty = a->p->r.op == SIM_MEM_ATOMIC};
	to_dram(l, a->line, bytes, m);
	l->miss[sim_ring_at(&l->misses, l->misses.n - 1)].code = is_code(a);
	if (a->waits)
		join(l, m, a->p);
	return m;
}

/* Without an L2 what is wanted comes from DRAM, and what is written goes there. */
static bool pass(struct sim_l2 *l, const struct access *a)
{
	if (!miss_room(l, 2) || (!a->write && !has_mshr(l)))
		return false;
	if (!a->write)
		fetch(l, a, SIM_SLOT_NONE, a->bytes);
	if (a->p->r.op != SIM_MEM_READ)
		to_dram(l, a->line, a->bytes, SIM_NONE);
	count(l, a, 0, &l->stats->l2_misses);
	return true;
}

static bool miss(struct sim_l2 *l, const struct access *a)
{
	/* The victim, the fetch, and a written part that goes on. */
	const uint32_t most = a->whole ? 1 : a->write ? 3 : 2;
	struct sim_cache_answer answer;

	if (!miss_room(l, most) || (!a->whole && !has_mshr(l)))
		return false;
	sim_cache_put(l->cache, a->line, l->locked, &answer, NULL);
	if (answer.slot == SIM_SLOT_NONE)
		return false;
	if (a->write && !a->whole)
		to_dram(l, a->line, a->bytes, SIM_NONE);
	if (answer.evicted && l->dirty[answer.slot]) {
		to_dram(l, answer.victim, l->config->l2.g.line_bytes, SIM_NONE);
		l->stats->l2_writebacks++;
	}
	l->dirty[answer.slot] = a->partly ? PARTLY : a->whole;
	drop_copy(l, answer.slot);
	note_copy(l, a, answer.slot);
	if (!a->whole) {
		l->locked[answer.slot] = 1;
		l->mshr_of[answer.slot] = fetch(l, a, answer.slot, l->config->l2.g.line_bytes);
	}
	count(l, a, answer.slot, &l->stats->l2_misses);
	return true;
}

/* What is read of a line of which only a part was written: the rest is fetched. */
static bool complete(struct sim_l2 *l, const struct access *a, uint32_t slot)
{
	if (!miss_room(l, 1) || !has_mshr(l))
		return false;
	sim_cache_touch(l->cache, slot);
	l->locked[slot] = 1;
	l->mshr_of[slot] = fetch(l, a, slot, l->config->l2.g.line_bytes);
	l->mshrs[l->mshr_of[slot]].dirty = true;
	note_copy(l, a, slot);
	count(l, a, slot, &l->stats->l2_misses);
	return true;
}

static bool look(struct sim_l2 *l, const struct access *a)
{
	uint32_t slot;

	if (!l->cache)
		return l->config->l2.part == SIM_PERFECT ? hit(l, a, 0) : pass(l, a);
	slot = sim_cache_probe(l->cache, a->line);
	if (slot == SIM_SLOT_NONE)
		return miss(l, a);
	if (l->locked[slot])
		return merge(l, a, slot);
	return l->dirty[slot] == PARTLY && !a->write ? complete(l, a, slot) : hit(l, a, slot);
}

/* The slot of a line that is there at once, or on its way; SIM_SLOT_NONE: it has found no room. */
static uint32_t place(struct sim_l2 *l, uint64_t line)
{
	struct sim_cache_answer answer;
	uint32_t slot = sim_cache_probe(l->cache, line);

	if (slot != SIM_SLOT_NONE)
		return slot;
	sim_cache_put(l->cache, line, l->locked, &answer, NULL);
	if (answer.slot == SIM_SLOT_NONE)
		return SIM_SLOT_NONE;
	l->dirty[answer.slot] = 0;
	drop_copy(l, answer.slot);
	return answer.slot;
}

void sim_l2_copied(struct sim_l2 *l, uint64_t line)
{
	uint32_t slot;

	if (!l->cache)
		return;
	slot = place(l, line);
	if (slot != SIM_SLOT_NONE) {
		sim_cache_touch(l->cache, slot);
		if (!l->locked[slot]) {
			l->dirty[slot] = 0;
			drop_copy(l, slot);
		}
	}
	l->trail = sim_mix(l->trail, line ^ (uint64_t)slot << 40);
}

void sim_l2_used(struct sim_l2 *l, uint64_t line)
{
	if (l->cache)
		l->trail = sim_mix(l->trail, line ^ (uint64_t)place(l, line) << 40);
}

/* The request's last access is made. */
static void finish(struct sim_l2 *l, const struct sim_packet *p, uint64_t cycle)
{
	if (l->wait != SIM_NONE)
		release(l, l->wait, cycle);
	else if (p->r.reply)
		reply(l, p, l->away, cycle);
	l->part = 0;
	l->away = false;
	l->wait = SIM_NONE;
	sim_xbar_take(l->requests, l->self, sim_cycle_now(l->clocks, &l->clocks->icnt));
}

/* True where an access was made. */
static bool step_access(struct sim_l2 *l, uint64_t cycle)
{
	const struct sim_packet *p = sim_xbar_head(l->requests, l->self);
	struct access a;
	bool last;

	if (!p || p->at > cycle)
		return false;
	a = access_of(l, p);
	last = is_last(l, p, l->part);
	if ((last && p->r.reply && !pipe_room(l)) || !look(l, &a)) {
		l->stalled = sim_min(l->stalled, cycle);
		return false;
	}
	if (l->stalled != SIM_NEVER)
		l->stats->l2_stalls += cycle - l->stalled;
	l->stalled = SIM_NEVER;
	if (last)
		finish(l, p, cycle);
	else
		l->part++;
	return true;
}

/* ---- the slice ---- */

/* When something can happen that nobody else brings about. */
static uint64_t next_of(const struct sim_l2 *l, uint64_t cycle)
{
	const struct sim_packet *p = sim_xbar_head(l->requests, l->self);
	uint64_t next = SIM_NEVER;

	if (p && l->stalled == SIM_NEVER)
		next = p->at;
	if (sim_xbar_room(l->replies, l->self))
		for (uint32_t k = 0; k < l->npipes; k++)
			next = sim_min(next, pipe_at(&l->pipe[k]));
	if (l->fills.n)
		next = sim_min(next, l->fill[l->fills.head].at);
	if ((l->ready.n && pipe_room(l)) || (l->misses.n && sim_dram_room(l->dram)))
		next = 0;
	return sim_max(next, cycle + 1);
}

/*
 * What makes room comes before what needs it, so a request that is held up moves in the cycle in
 * which its reason goes.
 */
void sim_l2_step(struct sim_l2 *l)
{
	const uint64_t cycle = l->clocks->l2.cycle;

	step_pipe(l, cycle);
	step_fill(l, cycle);
	step_ready(l, cycle);
	step_misses(l);
	for (uint32_t n = l->config->l2.rate; step_access(l, cycle) && n > 1;)
		n--;
	l->next = next_of(l, cycle);
}

uint64_t sim_l2_hash(const struct sim_l2 *l, uint64_t h)
{
	const uint32_t merges = l->config->l2.merges;

	for (uint32_t i = 0; i < l->misses.n; i++) {
		const struct sim_dram_request *r = &l->miss[sim_ring_at(&l->misses, i)];

		h = sim_mix(sim_mix(h, r->local), (uint64_t)r->bytes << 32 | r->mshr);
	}
	for (uint32_t i = 0; i < l->fills.n; i++) {
		const struct sim_l2_fill *f = &l->fill[sim_ring_at(&l->fills, i)];

		h = sim_mix(sim_mix(h, f->at), f->mshr);
	}
	for (uint32_t i = 0; i < l->config->l2.mshrs; i++) {
		const struct sim_l2_mshr *m = &l->mshrs[i];

		h = sim_mix(sim_mix(h, (uint64_t)m->slot << 1 | m->dirty),
			(uint64_t)m->n << 32 | m->done);
		for (uint32_t k = m->done; k < m->n; k++)
			h = sim_mix(h, l->waiting[i * merges + k]);
		h = sim_mix(h, m->next);
	}
	for (uint32_t i = 0; i < l->ready.n; i++)
		h = sim_mix(h, l->filled[sim_ring_at(&l->ready, i)]);
	for (uint32_t k = 0; k < l->npipes; k++)
		for (uint32_t i = 0; i < l->pipe[k].ring.n; i++)
			h = sim_mix_packet(h, &l->pipe[k].packet[sim_ring_at(&l->pipe[k].ring, i)]);
	h = sim_mix(sim_mix(h, (uint64_t)l->nmshrs << 32 | l->free_mshr),
		(uint64_t)l->nwaits << 32 | l->free_wait);
	h = sim_mix(h, (uint64_t)l->away << 63 | (uint64_t)l->part << 32 | l->wait);
	return sim_mix(sim_mix(h, l->stalled), l->trail);
}
