/*
 * ccws: cache-conscious warp scheduling (Rogers, thesis 3.2.3). Each member (sched.h) has an array
 * of victim tags; a load that misses on a tag of its own has lost locality, and its member's score
 * rises to the LLDS of equation 3.1. Scores fall by a point a cycle down to the base. Members stand
 * on one another by score, the highest at the bottom; those that begin above the cutoff, the base
 * score times the members there are, may not load. Below that it is gto.
 *
 * Where the thesis is silent the authors' published code of 2012 decides ("release"), and so does
 * rule=release where the two differ: MODEL.md lists both. Left out: what the hardware needs of time
 * to sort and to sum.
 */
#include "libtrace/access.h"
#include "sim/sched/age.h"
#include "sim/base/profile.h"
#include "sim/sched/vta.h"

enum { K, BASE, VTA, WAYS, POLICY, RULE };
enum { THESIS, RELEASE };

static const char *const orders[] = {[SIM_VTA_LRU] = "lru", [SIM_VTA_FIFO] = "fifo", NULL};
static const char *const rules[] = {[THESIS] = "thesis", [RELEASE] = "release", NULL};

struct member {
	uint64_t age;
	int64_t score; /* as it was at `now` of the scheduler */
	uint64_t hits, insts;
	uint8_t live, allowed, inside; /* inside: it is in a loop */
	uint8_t descheduled;           /* its loads were withheld since it came into one, */
	uint8_t withheld;              /* and are */
};

struct ccws {
	const struct sim_sched_env *env;
	const struct tr_program *program;
	int64_t k, base;
	uint32_t rule;
	uint32_t last;        /* warp that issued last, or SIM_NO_WARP */
	uint64_t now;         /* scores are of this cycle */
	uint64_t change;      /* the next cycle in which they let others load, or never */
	uint64_t hits, insts; /* of the SM: all of them, or under rule=release of those there */
	uint8_t stale;        /* the allowed are to be found anew */
	uint8_t throttled;    /* somebody is not allowed */
	uint32_t n;           /* members that are there, by score and then by age */
	uint16_t *order;
	struct member *members;
	struct sim_vta vta;
};

static uint32_t ways_of(const int64_t *params)
{
	return (uint32_t)(params[WAYS] < params[VTA] ? params[WAYS] : params[VTA]);
}

/* Whole sets only. */
static uint32_t entries_of(const int64_t *params)
{
	return (uint32_t)params[VTA] / ways_of(params) * ways_of(params);
}

static size_t state_size(const struct sim_sched_env *env, const int64_t *params)
{
	return sizeof(struct ccws) + sim_vta_bytes(env->nmembers, entries_of(params)) +
	       env->nmembers * (sizeof(struct member) + sizeof(uint16_t));
}

static void start(void *s, const struct sim_sched_env *env, const int64_t *params)
{
	struct ccws *c = s;
	char *at = (char *)(c + 1);

	c->env = env;
	c->k = params[K];
	c->base = params[BASE];
	c->rule = (uint32_t)params[RULE];
	c->last = SIM_NO_WARP;
	c->change = UINT64_MAX;
	sim_vta_init(&c->vta, at, env->nmembers, entries_of(params), ways_of(params),
		env->line_bytes, (enum sim_vta_order)params[POLICY]);
	at += sim_vta_bytes(env->nmembers, entries_of(params));
	c->members = (struct member *)(void *)at;
	c->order = (uint16_t *)(void *)(c->members + env->nmembers);
}

/* The L1D is empty: nothing of it can be lost any more. */
static void launch(void *s, const struct tr_program *program)
{
	struct ccws *c = s;

	c->program = program;
	c->hits = c->insts = 0;
	for (uint32_t m = 0; m < c->env->nmembers; m++)
		sim_vta_clear(&c->vta, m);
}

static void member_arrive(void *s, uint32_t member, uint64_t age)
{
	struct ccws *c = s;

	/* The release starts a warp at 0; its first access lifts it to the base. */
	c->members[member] = (struct member){
		.age = age, .score = c->rule == RELEASE ? 0 : c->base, .live = 1, .allowed = 1};
	if (c->rule == THESIS)
		sim_vta_clear(&c->vta, member); /* another warp's lines are not its own */
	c->order[c->n++] = (uint16_t)member;
	c->stale = 1;
}

static void member_leave(void *s, uint32_t member)
{
	struct ccws *c = s;
	uint32_t at = 0;

	while (c->order[at] != member)
		at++;
	for (c->n--; at < c->n; at++)
		c->order[at] = c->order[at + 1];
	if (c->rule == RELEASE) {
		c->hits -= c->members[member].hits;
		c->insts -= c->members[member].insts;
	}
	c->members[member].live = 0;
	c->stale = 1;
}

static void leave(void *s, uint32_t warp)
{
	struct ccws *c = s;

	if (c->last == warp)
		c->last = SIM_NO_WARP;
}

/* ---- scores ---- */

static int64_t cutoff_of(const struct ccws *c)
{
	return c->n ? c->n * c->base : 1;
}

/* Equation 3.1, also the cap of a score. */
static int64_t llds(const struct ccws *c)
{
	return c->insts ? (int64_t)((unsigned __int128)c->hits * (uint64_t)(c->k * cutoff_of(c)) /
				    c->insts)
			: 0;
}

/* The release's bounds of a score: a cap below the base takes it below the base. */
static int64_t clamp(const struct ccws *c, int64_t score, int64_t cap)
{
	return score <= c->base ? c->base : score > cap ? cap : score;
}

static void scored(struct ccws *c, struct member *m, int hit)
{
	const int64_t points = hit ? llds(c) : 0, old = m->score;

	if (c->rule == RELEASE)
		m->score = clamp(c, m->score + points, llds(c));
	else if (hit)
		m->score = points > c->base ? points : c->base;
	c->stale |= m->score != old;
}

/* Higher scores first; among equals the oldest, or under rule=release the lowest. */
static int before(const struct ccws *c, uint32_t a, uint32_t b)
{
	const struct member *x = &c->members[a], *y = &c->members[b];

	if (x->score != y->score)
		return x->score > y->score;
	return c->rule == RELEASE ? a < b : x->age < y->age;
}

static void sort(struct ccws *c)
{
	for (uint32_t i = 1; i < c->n; i++) {
		const uint16_t m = c->order[i];
		uint32_t at = i;

		for (; at && before(c, m, c->order[at - 1]); at--)
			c->order[at] = c->order[at - 1];
		c->order[at] = m;
	}
}

/*
 * Who begins below the cutoff: the one that crosses it does. What stands under the first that does
 * not falls by a point a cycle for each score above the base, until one of these is down: so long
 * the answers stay as they are.
 */
static void find_allowed(struct ccws *c)
{
	const int64_t cutoff = cutoff_of(c);
	int64_t below = 0, falling = 0, soonest = INT64_MAX;

	sort(c);
	c->stale = 0;
	c->throttled = 0;
	c->change = UINT64_MAX;
	for (uint32_t i = 0; i < c->n; i++) {
		struct member *m = &c->members[c->order[i]];

		m->allowed = below < cutoff;
		if (!m->allowed && !c->throttled) {
			const int64_t left = falling ? (below - cutoff) / falling + 1 : INT64_MAX;

			soonest = left < soonest ? left : soonest;
			c->throttled = 1;
		}
		below += m->score;
		if (m->score > c->base && !c->throttled) {
			falling++;
			soonest = m->score - c->base < soonest ? m->score - c->base : soonest;
		}
	}
	if (!c->throttled)
		return;
	/* The release's cap may move with every instruction. */
	c->change = c->rule == RELEASE ? c->now + 1 : c->now + (uint64_t)soonest;
}

/* Cycles later. Between instructions the release's cap stands still, so it counts once. */
static int64_t decayed(const struct ccws *c, int64_t score, int64_t cycles)
{
	if (score <= c->base) /* the release's below the base: until its next access */
		return score;
	if (c->rule == RELEASE) {
		score = clamp(c, score - 1, llds(c));
		cycles--;
		if (score <= c->base)
			return score;
	}
	return score - cycles > c->base ? score - cycles : c->base;
}

static void pass(void *s, uint64_t from, uint64_t to)
{
	struct ccws *c = s;

	c->now = to;
	for (uint32_t i = 0; i < c->n; i++) {
		struct member *m = &c->members[c->order[i]];

		m->score = decayed(c, m->score, (int64_t)(to - from));
		c->stale |= m->score < c->base;
	}
	if (to >= c->change)
		c->stale = 1;
}

static uint64_t until(void *s, uint64_t now)
{
	struct ccws *c = s;

	(void)now;
	if (c->stale)
		find_allowed(c);
	return c->change;
}

/* ---- what happens ---- */

static void withhold(struct member *m)
{
	m->descheduled |= m->inside;
	m->withheld |= m->inside;
}

static int may_load(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	struct ccws *c = s;
	uint16_t list[TR_LANES_MAX];
	uint32_t n;

	(void)inst;
	(void)now;
	if (c->stale)
		find_allowed(c);
	if (!c->throttled)
		return 1;
	n = sim_members(c->env, warp, list);
	for (uint32_t i = 0; i < n; i++)
		if (c->members[list[i]].allowed)
			return 1;
	for (uint32_t i = 0; i < n; i++)
		withhold(&c->members[list[i]]);
	return 0;
}

static void lost_locality(
	struct ccws *c, struct member *m, const struct sim_sched_access *a, enum sim_vta_answer tag)
{
	c->hits++;
	m->hits++;
	scored(c, m, 1);
	sim_sched_lost(c->env, a, m->descheduled, tag == SIM_VTA_LOST_WITHHELD);
}

static void access(void *s, const struct sim_sched_access *a, uint64_t now)
{
	struct ccws *c = s;
	struct member *m = &c->members[a->member];
	const struct member *v = &c->members[a->victim_member];
	const int there = v->live && v->age == a->victim_age;
	const int missed =
		a->is_load && !a->removed && !a->hit && (!a->merge || c->rule == RELEASE);
	enum sim_vta_answer tag = SIM_VTA_NONE;

	(void)now;
	if (a->removed)
		sim_vta_remove(&c->vta, a->line);
	if (a->evicted && (c->rule == RELEASE || there))
		sim_vta_insert(&c->vta, a->victim_member, a->victim, there && v->withheld);
	if (!m->live || (m->age != a->age && c->rule == THESIS))
		return; /* its warp has ended without waiting for it */
	if (missed)
		tag = sim_vta_probe(&c->vta, a->member, a->line);
	if (tag != SIM_VTA_NONE)
		lost_locality(c, m, a, tag);
	else if (c->rule == RELEASE)
		scored(c, m, 0);
}

/* The load that the warp waited to issue is no longer withheld. */
static void issued_joined(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	struct ccws *c = s;
	uint16_t list[TR_LANES_MAX];

	(void)now;
	if (sim_profile_counts(&c->program->insts[inst]))
		for (uint32_t n = sim_members(c->env, warp, list); n--;)
			c->members[list[n]].withheld = 0;
}

static void issued(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	struct ccws *c = s;
	const struct tr_inst *in = &c->program->insts[inst];
	uint16_t list[TR_LANES_MAX];

	if (sim_mine(c->env, warp))
		c->last = warp;
	issued_joined(s, warp, inst, now);
	if (c->rule == RELEASE) {
		if (in->cls == TR_C_BARRIER || in->cls == TR_C_FENCE)
			return;
		/* Its last instruction may have been its end. */
		if (!sim_members(c->env, warp, list) || !c->members[list[0]].live)
			return;
		c->members[list[0]].insts++;
	}
	c->insts++;
}

static void loop_begin(void *s, uint32_t member, uint32_t loop, uint32_t active, uint64_t now)
{
	struct ccws *c = s;

	(void)loop;
	(void)active;
	(void)now;
	c->members[member].inside = 1;
}

static void loop_end(void *s, uint32_t member, uint32_t loop, int out, uint64_t now)
{
	struct ccws *c = s;
	struct member *m = &c->members[member];

	(void)loop;
	(void)now;
	if (out)
		m->inside = m->descheduled = m->withheld = 0;
}

static uint32_t pick(void *s, const struct sim_bits *ready, uint64_t now)
{
	const struct ccws *c = s;

	(void)now;
	return sim_greedy(c->env, ready, c->last);
}

const struct sim_sched sim_sched_ccws = {
	.abi = SIM_SCHED_ABI,
	.bytes = sizeof(struct sim_sched),
	.name = "ccws",
	.help = "cache-conscious: loads of those that lose the least locality wait; below, gto",
	.params =
		{
			{"k", 8, 1, 1 << 20, "throttling constant of equation 3.1", NULL},
			{"base", 100, 1, 1 << 20, "score of a warp that has lost nothing", NULL},
			{"vta", 16, 1, 4096, "victim tags of a warp, in whole sets", NULL},
			{"ways", 8, 1, 4096, "of a set of them", NULL},
			{"policy", SIM_VTA_LRU, SIM_VTA_LRU, SIM_VTA_FIFO, "which tag goes first",
				orders},
			{"rule", THESIS, THESIS, RELEASE, "scores by the thesis or the release",
				rules},
		},
	.state_size = state_size,
	.start = start,
	.launch = launch,
	.leave = leave,
	.member_arrive = member_arrive,
	.member_leave = member_leave,
	.pick = pick,
	.may_load = may_load,
	.issued = issued,
	.issued_joined = issued_joined,
	.access = access,
	.loop_begin = loop_begin,
	.loop_end = loop_end,
	.pass = pass,
	.until = until,
};
