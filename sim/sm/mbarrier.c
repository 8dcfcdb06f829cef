/*
 * Barriers in shared memory (PTX ISA, "mbarrier"), by CTA and offset: arrivals that a phase still
 * expects, bytes that are still to come, and its number. A phase ends when both are none, and the
 * next one begins. Operations act when they issue, in the order of their issue; what they change is
 * seen mbar.arrive cycles later. Whose wait that ends, the core asks (sm.c).
 *
 * The record says how often and with what a barrier is used, the replay who has to wait: a wait
 * that the recorder let fail, since nobody could go on without it, is nobody's wait here either.
 *
 * Left out: that a try_wait gives up after a time (4.3 us of an H200) and is tried again, which
 * takes turns of other warps.
 */
#include "sim/sm/state.h"
#include "libtrace/chance.h"
#include "sim/base/mix.h"
#include <stdlib.h>
#include <string.h>

/* ---- the table of a CTA: open addressing, at most half of it in use ---- */

static uint32_t place_of(const struct sim_mbarriers *b, uint32_t offset)
{
	uint32_t at = (uint32_t)(sim_mix(b->seed, offset) & (b->cap - 1));

	while (b->v[at].used && b->v[at].offset != offset)
		at = (at + 1) & (b->cap - 1);
	return at;
}

static int grow(struct sim_mbarriers *b)
{
	struct sim_mbarriers more = {.n = b->n, .cap = b->cap ? 2 * b->cap : 16};

	more.seed = b->cap ? b->seed : tr_chance();
	more.v = calloc(more.cap, sizeof(*more.v));
	if (!more.v)
		return -1;
	for (uint32_t i = 0; i < b->cap; i++)
		if (b->v[i].used)
			more.v[place_of(&more, b->v[i].offset)] = b->v[i];
	free(b->v);
	*b = more;
	return 0;
}

/* The entry of a barrier, which is made if need be; NULL: no memory. */
static struct sim_mbarrier *entry(struct sim_mbarriers *b, uint32_t offset)
{
	struct sim_mbarrier *m;

	if (2 * (b->n + 1) > b->cap && grow(b))
		return NULL;
	m = &b->v[place_of(b, offset)];
	if (!m->used) {
		*m = (struct sim_mbarrier){.offset = offset, .used = 1};
		b->n++;
	}
	return m;
}

static const struct sim_mbarrier *find(const struct sim_mbarriers *b, uint32_t offset)
{
	const struct sim_mbarrier *m = b->cap ? &b->v[place_of(b, offset)] : NULL;

	return m && m->used ? m : NULL;
}

void sim_mbarriers_clear(struct sim_mbarriers *b)
{
	if (b->n)
		memset(b->v, 0, b->cap * sizeof(*b->v));
	b->n = 0;
}

void sim_mbarriers_free(struct sim_mbarriers *b)
{
	free(b->v);
	*b = (struct sim_mbarriers){0};
}

/* ---- operations ---- */

static uint32_t offset_of(uint64_t address)
{
	return (uint32_t)address & ((1u << TR_SHARED_RANK_AT) - 1);
}

static int fails(struct sim_sm *sm, uint32_t cta, const struct sim_mbarrier *m, uint32_t arrivals)
{
	sm->failed = 1;
	tr_fail(sm->sh->err, TR_EDATA, 0,
		"kernel '%s': %u arrivals at the barrier at 0x%x of shared memory of CTA %u, whose "
		"phase %u lacks %u: the record does not fit the order in which %s runs its threads",
		tr_str(sm->sh->program->p, sm->sh->program->p->name), arrivals, m->offset,
		sm->ctas[cta].number, m->phase, m->pending, sm->sh->warp->name);
	return 0;
}

/* 1: the phase has ended, and what it changes is seen from cycle `at` on. */
static int completes(struct sim_sm *sm, struct sim_mbarrier *m, uint64_t at)
{
	if (!m->valid || m->pending || m->bytes)
		return 0;
	m->phase++;
	m->pending = m->expected;
	m->at = at;
	sm->sh->stats->mbarrier_phases++;
	return 1;
}

static int arrives(
	struct sim_sm *sm, uint32_t cta, struct sim_mbarrier *m, uint32_t n, int drops, uint64_t at)
{
	if (!m->valid || n > m->pending)
		return fails(sm, cta, m, n);
	m->pending -= n;
	m->expected -= drops ? n : 0;
	return completes(sm, m, at);
}

int sim_mbarrier_act(struct sim_sm *sm, uint32_t cta, uint64_t address, enum tr_mbarrier op,
	uint32_t operand, uint64_t at)
{
	struct sim_mbarrier *m = entry(&sm->ctas[cta].mbarriers, offset_of(address));

	if (!m) {
		sm->failed = 1;
		tr_fail(sm->sh->err, TR_EMEM, 0, "no memory for barriers");
		return 0;
	}
	switch (op) {
	case TR_MBAR_INIT:
		*m = (struct sim_mbarrier){.offset = m->offset,
			.used = 1,
			.valid = 1,
			.expected = operand,
			.pending = operand,
			.at = at};
		return 1; /* the phase before the first one is over */
	case TR_MBAR_INVAL:
		m->valid = 0;
		return 0;
	case TR_MBAR_EXPECT:
		m->bytes += operand;
		return 0;
	case TR_MBAR_COMPLETE:
		m->bytes -= operand;
		return completes(sm, m, at);
	case TR_MBAR_ARRIVE_TX:
	case TR_MBAR_DROP_TX:
		m->bytes += operand;
		return arrives(sm, cta, m, 1, op == TR_MBAR_DROP_TX, at);
	case TR_MBAR_COPIES: /* it will arrive beside the others */
		m->pending += operand;
		return 0;
	default:
		return arrives(sm, cta, m, operand, op == TR_MBAR_DROP, at);
	}
}

/* ---- waits ---- */

void sim_mbarrier_waits(struct sim_sm *sm, uint32_t warp)
{
	sm->mbarrier_waits[warp].n = 0;
}

int sim_mbarrier_wait(
	struct sim_sm *sm, uint32_t warp, uint32_t cta, uint64_t address, uint32_t phases)
{
	struct sim_mbarrier_waits *l = &sm->mbarrier_waits[warp];
	const struct sim_mbarrier_wait wait = {
		.offset = offset_of(address), .cta = (uint16_t)cta, .phases = phases};

	for (uint32_t i = 0; i < l->n; i++)
		if (l->v[i].offset == wait.offset && l->v[i].cta == cta && l->v[i].phases == phases)
			return 0;
	if (l->n == l->cap) {
		const uint32_t cap = l->cap ? 2 * l->cap : 4;
		struct sim_mbarrier_wait *v = realloc(l->v, cap * sizeof(*v));

		if (!v)
			return -1;
		l->v = v;
		l->cap = cap;
	}
	l->v[l->n++] = wait;
	return 0;
}

uint64_t sim_mbarrier_over(const struct sim_sm *sm, uint32_t warp)
{
	const struct sim_mbarrier_waits *l = &sm->mbarrier_waits[warp];
	uint64_t at = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct sim_mbarrier *m =
			find(&sm->ctas[l->v[i].cta].mbarriers, l->v[i].offset);

		if (!m || !m->valid || m->phase < l->v[i].phases)
			return SIM_NEVER;
		at = m->at > at ? m->at : at;
	}
	return at;
}

void sim_mbarrier_missing(const struct sim_sm *sm, uint32_t warp, char *text, size_t size)
{
	const struct sim_mbarrier_waits *l = &sm->mbarrier_waits[warp];

	for (uint32_t i = 0; i < l->n; i++) {
		const struct sim_cta *c = &sm->ctas[l->v[i].cta];
		const struct sim_mbarrier *m = find(&c->mbarriers, l->v[i].offset);

		if (m && m->valid && m->phase >= l->v[i].phases)
			continue;
		if (!m || !m->valid)
			snprintf(text, size,
				"warps wait at the barrier at 0x%x of shared memory of CTA %u, "
				"which has not been initialized",
				l->v[i].offset, c->number);
		else
			snprintf(text, size,
				"warps wait at the barrier at 0x%x of shared memory of CTA %u, "
				"whose phase %u lacks %u arrivals and %lld bytes, and nobody is "
				"left who could bring them",
				l->v[i].offset, c->number, m->phase, m->pending,
				(long long)m->bytes);
		return;
	}
}

/* ---- arrivals when copies have come (cp.async.mbarrier.arrive) ---- */

/* An arrival that waits for loads of its warp, and for those before it. */
struct sim_deferred {
	uint64_t life; /* of the warp */
	uint32_t mark, left, n, operand;
	uint64_t *address; /* n of them, a lane each */
	uint16_t *cta;
};

void sim_deferred_free(struct sim_sm *sm)
{
	for (uint32_t i = 0; i < sm->ndeferred; i++) {
		free(sm->deferred[i].address);
		free(sm->deferred[i].cta);
	}
	free(sm->deferred);
	sm->deferred = NULL;
	sm->ndeferred = sm->cap_deferred = 0;
}

int sim_mbarrier_defer(
	struct sim_sm *sm, uint32_t warp, const uint16_t *cta, const uint64_t *address, uint32_t n)
{
	struct sim_deferred d = {.life = sm->warps[warp].life, .mark = ++sm->last_mark, .n = n};
	int others = 0;

	for (uint32_t i = 0; i < sm->lsu.nloads; i++) {
		struct sim_load *l = &sm->lsu.loads[i];

		if (l->warp != warp || l->life != d.life || l->group == SIM_NO_GROUP || l->mark)
			continue;
		l->mark = d.mark;
		d.left++;
	}
	for (uint32_t i = 0; i < sm->ndeferred; i++)
		others |= sm->deferred[i].life == d.life;
	if (!d.left && !others)
		return 0;
	if (sm->ndeferred == sm->cap_deferred) {
		const uint32_t cap = sm->cap_deferred ? 2 * sm->cap_deferred : 8;
		struct sim_deferred *v = realloc(sm->deferred, cap * sizeof(*v));

		if (!v)
			return -1;
		sm->deferred = v;
		sm->cap_deferred = cap;
	}
	d.address = malloc(n * sizeof(*d.address));
	d.cta = malloc(n * sizeof(*d.cta));
	if (!d.address || !d.cta) {
		free(d.address);
		free(d.cta);
		return -1;
	}
	memcpy(d.address, address, n * sizeof(*d.address));
	memcpy(d.cta, cta, n * sizeof(*d.cta));
	sm->deferred[sm->ndeferred++] = d;
	return 1;
}

/* Is an arrival the first of its warp's? */
static int is_first(const struct sim_sm *sm, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (sm->deferred[i].life == sm->deferred[at].life)
			return 0;
	return 1;
}

int sim_mbarrier_copied(struct sim_sm *sm, const struct sim_load *l, uint64_t at)
{
	uint32_t i = 0;
	int looks = 0;

	while (i < sm->ndeferred && sm->deferred[i].mark != l->mark)
		i++;
	if (i < sm->ndeferred)
		sm->deferred[i].left--;
	for (i = 0; i < sm->ndeferred && !sm->failed;) {
		struct sim_deferred d = sm->deferred[i];

		if (d.left || d.life != l->life || !is_first(sm, i)) {
			i++;
			continue;
		}
		for (uint32_t k = 0; k < d.n && !sm->failed; k++)
			looks |=
				sim_mbarrier_act(sm, d.cta[k], d.address[k], TR_MBAR_ARRIVE, 1, at);
		free(d.address);
		free(d.cta);
		sm->ndeferred--;
		memmove(sm->deferred + i, sm->deferred + i + 1,
			(sm->ndeferred - i) * sizeof(*sm->deferred));
	}
	return looks;
}

/* ---- the state as a number: in no order, since the table's is none ---- */

uint64_t sim_mbarrier_hash(const struct sim_sm *sm, uint64_t h)
{
	uint64_t sum = 0;

	for (uint32_t c = 0; c < sm->nctas; c++)
		for (uint32_t i = 0; i < sm->ctas[c].mbarriers.cap; i++) {
			const struct sim_mbarrier *m = &sm->ctas[c].mbarriers.v[i];
			uint64_t one;

			if (!m->used)
				continue;
			one = sim_mix(m->offset, (uint64_t)c << 32 | m->phase);
			one = sim_mix(one, (uint64_t)m->expected << 32 | m->pending);
			one = sim_mix(one, (uint64_t)m->bytes);
			sum += sim_mix(one, m->at << 1 | m->valid);
		}
	return sum ? sim_mix(h, sum) : h;
}
