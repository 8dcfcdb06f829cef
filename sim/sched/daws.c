/*
 * daws: divergence-aware warp scheduling (Rogers, thesis 4.2). A member (sched.h) at the beginning
 * of a loop with locality is predicted the lines that it will access in one trip, from the loads of
 * the loop (classify.h) and its active lanes. Predictions are added up, the oldest member first;
 * one with which the sum exceeds the effective cache size of equation 4.1 may not load. Below that
 * it is gto.
 *
 * Detected-DAWS classifies loads while the program runs; Profiled-DAWS has it from a profile, and
 * keeps its victim tags for the statistics alone (figure 4.10). Where the thesis is silent MODEL.md
 * says what is done here. Left out: what the hardware needs of time to sum and to look up.
 */
#include "libtrace/access.h"
#include "sim/sched/age.h"
#include "sim/sched/classify.h"
#include "sim/sched/vta.h"

enum { ASSOC, FLOW, ILRD, WAYS, VTA, VTA_WAYS };

/* A member, with its entry of the cache footprint prediction table. */
struct member {
	uint64_t age;
	uint32_t lines;       /* predicted */
	uint32_t loop;        /* of the loads that they are of, or TR_NONE */
	uint64_t below;       /* lines of older members, of those up to the limit */
	uint8_t live, inside; /* inside: it is in a loop */
	uint8_t descheduled;  /* its loads were withheld since it came into one, */
	uint8_t withheld;     /* and are */
};

struct daws {
	const struct sim_sched_env *env;
	const struct tr_program *program;
	uint64_t lines; /* effective cache size */
	uint32_t flow;
	uint32_t last;      /* warp that issued last, or SIM_NO_WARP */
	uint64_t total;     /* lines of all members */
	uint32_t loopers;   /* members in loops that have lines */
	uint64_t summed;    /* when the sums below were made: see sum */
	uint64_t limit;     /* age of the first with which they are too large, or never */
	uint8_t stale;      /* they are to be made anew */
	uint8_t any_inside; /* one that counts is in a loop and has lines */
	uint32_t n;         /* members that are there, by age */
	uint16_t *order;
	struct member *members;
	struct sim_vta vta;
	struct sim_classifier classes;
};

/* Whole sets only. */
static uint32_t whole(int64_t entries, int64_t ways, uint32_t *of)
{
	*of = (uint32_t)(ways < entries ? ways : entries);
	return (uint32_t)entries / *of * *of;
}

static size_t state_size(const struct sim_sched_env *env, const int64_t *params)
{
	uint32_t ways;

	return sizeof(struct daws) +
	       sim_vta_bytes(env->nmembers, whole(params[VTA], params[VTA_WAYS], &ways)) +
	       sim_classifier_bytes(whole(params[ILRD], params[WAYS], &ways)) +
	       env->nmembers * (sizeof(struct member) + sizeof(uint16_t));
}

static void start(void *s, const struct sim_sched_env *env, const int64_t *params)
{
	struct daws *d = s;
	char *at = (char *)(d + 1);
	uint32_t entries, ways;

	d->env = env;
	d->lines = env->l1d_lines ? (uint64_t)params[ASSOC] * env->l1d_lines / 100 : UINT64_MAX;
	d->flow = (uint32_t)params[FLOW];
	d->last = SIM_NO_WARP;
	entries = whole(params[VTA], params[VTA_WAYS], &ways);
	sim_vta_init(&d->vta, at, env->nmembers, entries, ways, env->line_bytes, SIM_VTA_LRU);
	at += sim_vta_bytes(env->nmembers, entries);
	entries = whole(params[ILRD], params[WAYS], &ways);
	sim_classifier_init(&d->classes, at, entries, ways, env);
	at += sim_classifier_bytes(entries);
	d->members = (struct member *)(void *)at;
	d->order = (uint16_t *)(void *)(d->members + env->nmembers);
}

/* The L1D is empty, and instructions are other ones. */
static void launch(void *s, const struct tr_program *program)
{
	struct daws *d = s;

	d->program = program;
	sim_classifier_launch(&d->classes, program);
	for (uint32_t m = 0; m < d->env->nmembers; m++)
		sim_vta_clear(&d->vta, m);
}

/* ---- predictions ---- */

/* PCLoopBegin. */
static uint32_t begin_of(const struct daws *d, uint32_t loop)
{
	return d->program->blocks[d->program->loops[loop].header].first;
}

/* Lines of one trip. What a warp alone would not find room for is not predicted (4.2.1). */
static uint32_t lines_of(const struct daws *d, uint32_t loop, uint32_t active)
{
	const uint32_t n =
		sim_classifier_lines(&d->classes, loop, d->flow ? active : d->env->warp_size);

	return d->env->l1d_lines && n > d->env->l1d_lines ? 0 : n;
}

static void set_prediction(struct daws *d, struct member *m, uint32_t lines, uint32_t loop)
{
	loop = lines ? loop : TR_NONE;
	if (m->lines == lines && m->loop == loop)
		return;
	d->total += lines - (uint64_t)m->lines;
	d->loopers -= m->inside && m->lines;
	m->lines = lines;
	m->loop = loop;
	d->loopers += m->inside && m->lines;
	d->stale = 1;
}

/* Into loops, or out of all of them. */
static void cross(struct daws *d, struct member *m, int inside)
{
	set_prediction(d, m, 0, TR_NONE);
	m->inside = (uint8_t)inside;
	m->descheduled = m->withheld = 0;
}

/*
 * At the beginning of a trip. A loop that stands before the entry's is taken for one around it that
 * goes round: it keeps to the loads of the inner one (4.2.1). A loop that predicts nothing leaves
 * what one before it did.
 */
static void predict(struct daws *d, uint32_t member, uint32_t loop, uint32_t active)
{
	struct member *m = &d->members[member];
	uint32_t of = loop, lines;
	int again;

	if (!m->inside)
		cross(d, m, 1);
	again = m->loop != TR_NONE && begin_of(d, m->loop) >= begin_of(d, loop);
	if (again)
		of = m->loop;
	lines = lines_of(d, of, active);
	if (!lines)
		lines = lines_of(d, of = loop, active);
	if (lines || again)
		set_prediction(d, m, lines, of);
	if (d->env->number || !m->lines)
		return;
	d->env->stats->predictions++;
	d->env->stats->predicted_lines += m->lines;
}

static void loop_begin(void *s, uint32_t member, uint32_t loop, uint32_t active, uint64_t now)
{
	struct daws *d = s;

	(void)now;
	predict(d, member, loop, active);
	sim_classifier_begin(&d->classes, member, loop, active);
}

static void loop_iterate(void *s, uint32_t member, uint32_t loop, uint32_t active, uint64_t now)
{
	struct daws *d = s;

	(void)now;
	predict(d, member, loop, active);
	sim_classifier_iterate(&d->classes, member, loop);
}

static void loop_end(void *s, uint32_t member, uint32_t loop, int out, uint64_t now)
{
	struct daws *d = s;

	(void)now;
	if (out)
		cross(d, &d->members[member], 0);
	sim_classifier_end(&d->classes, member, loop);
}

/* ---- sums ---- */

/*
 * The members that count: not those that wait at a barrier (4.2.1), or for others as the warp
 * policy has it. Where threads are regrouped, those that have some in a warp that does not wait.
 */
static void find_counted(const struct daws *d, struct sim_bits *counted)
{
	const struct sim_sched_env *env = d->env;
	uint16_t list[TR_LANES_MAX];

	sim_bits_init(counted, env->nmembers);
	for (uint32_t w = 0; w < env->nwarps; w++) {
		uint32_t n;

		if (env->warps[w].state == SIM_W_FREE || sim_waits(&env->warps[w]))
			continue;
		n = sim_members(env, w, list);
		for (uint32_t i = 0; i < n; i++)
			sim_bits_set(counted, list[i]);
	}
}

/*
 * Which members have threads in warps that do not wait is told to nobody: where threads are
 * regrouped, what is summed holds for one cycle. The sum goes on only until it is too large: nobody
 * younger that has lines may load.
 */
static void sum(struct daws *d, uint64_t now)
{
	const uint64_t at = d->env->member ? now : *d->env->waits_changed;
	struct sim_bits counted;
	uint64_t lines = 0;

	if (!d->stale && d->summed == at)
		return;
	if (d->env->member)
		find_counted(d, &counted);
	d->stale = 0;
	d->summed = at;
	d->any_inside = 0;
	d->limit = UINT64_MAX;
	for (uint32_t i = 0; i < d->n && (d->limit == UINT64_MAX || !d->any_inside); i++) {
		const uint32_t number = d->order[i];
		struct member *m = &d->members[number];

		m->below = lines;
		if (!m->lines || (d->env->member ? !sim_bits_has(&counted, number)
						 : sim_waits(&d->env->warps[number])))
			continue;
		if (lines && lines + m->lines > d->lines && m->age < d->limit)
			d->limit = m->age;
		lines += m->lines;
		d->any_inside |= m->inside;
	}
}

/*
 * The oldest of those with a prediction always may. Outside of loops, while others are inside, a
 * load counts as one of the closest loop (4.2.1).
 */
static int allowed(struct daws *d, uint32_t member, uint32_t warp, uint32_t inst, uint64_t now)
{
	const struct member *m = &d->members[member];
	const uint32_t lines = m->inside ? m->lines
					 : lines_of(d, sim_classifier_closest(&d->classes, inst),
						   d->env->warps[warp].active);

	if (!lines || d->total - m->lines + lines <= d->lines)
		return 1;
	sum(d, now);
	if (!m->inside && !d->any_inside)
		return 1;
	return m->age <= d->limit && (!m->below || m->below + lines <= d->lines);
}

static void withhold(struct member *m)
{
	m->descheduled |= m->inside;
	m->withheld |= m->inside;
}

static int may_load(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	struct daws *d = s;
	uint16_t list[TR_LANES_MAX];
	uint32_t n;

	if (!d->loopers)
		return 1;
	n = sim_members(d->env, warp, list);
	for (uint32_t i = 0; i < n; i++)
		if (allowed(d, list[i], warp, inst, now))
			return 1;
	for (uint32_t i = 0; i < n; i++)
		withhold(&d->members[list[i]]);
	return 0;
}

/* ---- what happens ---- */

static void member_arrive(void *s, uint32_t member, uint64_t age)
{
	struct daws *d = s;
	uint32_t at = d->n++;

	for (; at && d->members[d->order[at - 1]].age > age; at--)
		d->order[at] = d->order[at - 1];
	d->order[at] = (uint16_t)member;
	d->members[member] = (struct member){.age = age, .loop = TR_NONE, .live = 1};
	sim_vta_clear(&d->vta, member); /* another warp's lines are not its own */
	d->stale = 1;
}

static void member_leave(void *s, uint32_t member)
{
	struct daws *d = s;
	uint32_t at = 0;

	cross(d, &d->members[member], 0);
	d->members[member].live = 0;
	while (d->order[at] != member)
		at++;
	for (d->n--; at < d->n; at++)
		d->order[at] = d->order[at + 1];
	sim_classifier_leave(&d->classes, member);
}

static void leave(void *s, uint32_t warp)
{
	struct daws *d = s;

	if (d->last == warp)
		d->last = SIM_NO_WARP;
}

/* Its load is withheld no more. The prediction outside of loops is the leader's alone. */
static void issued_joined(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	struct daws *d = s;
	uint16_t list[TR_LANES_MAX];

	(void)now;
	if (sim_profile_counts(&d->program->insts[inst]))
		for (uint32_t n = sim_members(d->env, warp, list); n--;)
			d->members[list[n]].withheld = 0;
}

static void issued(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	struct daws *d = s;
	const struct tr_inst *in = &d->program->insts[inst];
	uint16_t list[TR_LANES_MAX];
	uint32_t n, closest, lines = 0;

	if (sim_mine(d->env, warp))
		d->last = warp;
	if (!sim_profile_counts(in))
		return;
	closest = sim_classifier_closest(&d->classes, inst);
	if (d->loopers)
		sum(d, now);
	if (d->loopers && d->any_inside)
		lines = lines_of(d, closest, d->env->warps[warp].active);
	issued_joined(s, warp, inst, now);
	n = sim_members(d->env, warp, list);
	for (uint32_t i = 0; i < n; i++) {
		struct member *m = &d->members[list[i]];

		if (!m->inside)
			set_prediction(d, m, lines, closest);
	}
}

static void access(void *s, const struct sim_sched_access *a, uint64_t now)
{
	struct daws *d = s;
	const struct member *m = &d->members[a->member], *v = &d->members[a->victim_member];
	enum sim_vta_answer lost = SIM_VTA_NONE;
	int captured;

	(void)now;
	if (a->removed)
		sim_vta_remove(&d->vta, a->line);
	if (a->evicted && v->live && v->age == a->victim_age)
		sim_vta_insert(&d->vta, a->victim_member, a->victim, v->withheld);
	if (!a->is_load || a->removed || !m->live || m->age != a->age)
		return;
	captured = (a->hit || a->merge) && a->owner == a->member && a->owner_age == a->age;
	if (!a->hit && !a->merge)
		lost = sim_vta_probe(&d->vta, a->member, a->line);
	if (lost != SIM_VTA_NONE)
		sim_sched_lost(d->env, a, m->descheduled, lost == SIM_VTA_LOST_WITHHELD);
	sim_classifier_access(&d->classes, a, captured || lost != SIM_VTA_NONE);
}

static uint32_t pick(void *s, const struct sim_bits *ready, uint64_t now)
{
	const struct daws *d = s;

	(void)now;
	return sim_greedy(d->env, ready, d->last);
}

const struct sim_sched sim_sched_daws = {
	.abi = SIM_SCHED_ABI,
	.bytes = sizeof(struct sim_sched),
	.name = "daws",
	.help = "divergence-aware: loads wait for which the L1D has no room; below, gto",
	.params =
		{
			{"assoc", 60, 1, 1000, "percent of the L1D's lines to be filled", NULL},
			{"flow", 1, 0, 1, "1: active lanes count; 0: as if all were", NULL},
			{"ilrd", 64, 1, 4096, "tags of the repetition detector", NULL},
			{"ways", 8, 1, 4096, "of a set of them", NULL},
			{"vta", 16, 1, 4096, "victim tags of a warp, in whole sets", NULL},
			{"vta_ways", 8, 1, 4096, "of a set of them", NULL},
		},
	.takes_profile = 1,
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
	.loop_iterate = loop_iterate,
	.loop_end = loop_end,
};
