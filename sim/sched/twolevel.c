/*
 * 2lvl: two levels of fetch groups (Narasiman et al. 2011, as the thesis has it in 3.4). The slots
 * of a scheduler are cut into groups; warps issue from one group until all of it is stalled, then
 * from the next. Round robin or greedy-then-oldest inside a group and between groups; a group is as
 * old as its oldest warp. 2lvl-lrr is what Narasiman et al. used, 2lvl-gto what the thesis found
 * best for its kernels. timeout: with large warps (lwm) a group that never stalls would starve the
 * others, so that after so many instructions the next one has its turn. Left out: groups of an
 * active set into which warps are moved (Gebhart et al. 2011).
 */
#include "sim/sched/age.h"

enum { GROUP, INSIDE, BETWEEN, TIMEOUT };
enum { LRR, GTO };

static const char *const orders[] = {[LRR] = "lrr", [GTO] = "gto", NULL};

struct twolevel {
	const struct sim_sched_env *env;
	uint32_t inside, between;
	uint32_t slots;     /* of the SM that one group spans: a scheduler has each nth of them */
	uint32_t last;      /* slot that issued last; SIM_NO_WARP when its warp has left */
	uint32_t group;     /* that issued last */
	uint32_t timeout;   /* instructions; 0: none */
	uint32_t run;       /* that this group has issued since another one did */
	uint32_t last_of[]; /* by group: slot of it that issued last */
};

static size_t state_size(const struct sim_sched_env *env, const int64_t *params)
{
	(void)params;
	return sizeof(struct twolevel) + env->nwarps * sizeof(uint32_t);
}

static void start(void *s, const struct sim_sched_env *env, const int64_t *params)
{
	struct twolevel *t = s;

	t->env = env;
	t->inside = (uint32_t)params[INSIDE];
	t->between = (uint32_t)params[BETWEEN];
	t->slots = (uint32_t)params[GROUP] * env->schedulers;
	t->timeout = (uint32_t)params[TIMEOUT];
	t->last = SIM_NO_WARP;
	for (uint32_t g = 0; g < env->nwarps; g++)
		t->last_of[g] = (g + 1) * t->slots - 1;
}

static void leave(void *s, uint32_t warp)
{
	struct twolevel *t = s;

	if (t->last == warp)
		t->last = SIM_NO_WARP;
}

/* Those of `set` that are in the group. */
static struct sim_bits members(const struct twolevel *t, const struct sim_bits *set, uint32_t group)
{
	const uint32_t end = (group + 1) * t->slots;
	struct sim_bits of;

	sim_bits_init(&of, t->env->nwarps);
	for (uint32_t w = sim_bits_next(set, group * t->slots); w < end;
		w = sim_bits_next(set, w + 1))
		sim_bits_set(&of, w);
	return of;
}

static uint64_t age_of(const struct twolevel *t, uint32_t group)
{
	const uint32_t end = (group + 1) * t->slots;
	const struct sim_warp *warps = t->env->warps;
	uint64_t age = UINT64_MAX;

	for (uint32_t w = sim_bits_next(t->env->mine, group * t->slots); w < end;
		w = sim_bits_next(t->env->mine, w + 1))
		if (warps[w].state != SIM_W_FREE && warps[w].age < age)
			age = warps[w].age;
	return age;
}

static uint32_t oldest_group(const struct twolevel *t, const struct sim_bits *ready)
{
	uint32_t best = 0;
	uint64_t least = UINT64_MAX;

	for (uint32_t w = sim_bits_next(ready, 0); w != UINT32_MAX;) {
		const uint32_t group = w / t->slots;
		const uint64_t age = age_of(t, group);

		if (age < least) {
			least = age;
			best = group;
		}
		w = sim_bits_next(ready, (group + 1) * t->slots);
	}
	return best;
}

static uint32_t pick(void *s, const struct sim_bits *ready, uint64_t now)
{
	const struct twolevel *t = s;
	uint32_t group = t->group;
	const int timed_out = t->timeout && t->run >= t->timeout;
	struct sim_bits of = members(t, ready, group);

	(void)now;
	if (!sim_bits_any(&of) || timed_out) {
		group = t->between == GTO && !timed_out
				? oldest_group(t, ready)
				: sim_next_round(ready, (group + 1) * t->slots - 1) / t->slots;
		of = members(t, ready, group);
	}
	if (t->inside == LRR)
		return sim_next_round(&of, t->last_of[group]);
	return sim_greedy(t->env, &of, t->last);
}

static void issued(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	struct twolevel *t = s;

	(void)inst;
	(void)now;
	if (!sim_mine(t->env, warp))
		return;
	t->last = warp;
	t->run = warp / t->slots == t->group ? t->run + 1 : 1;
	t->group = warp / t->slots;
	t->last_of[t->group] = warp;
}

#define TWOLEVEL(its_name, its_help, size, within, among)                                          \
	{                                                                                          \
		.abi = SIM_SCHED_ABI, .bytes = sizeof(struct sim_sched), .name = its_name,         \
		.help = its_help,                                                                  \
		.params =                                                                          \
			{                                                                          \
				{"group", size, 1, SIM_BITS_MAX, "warps of a fetch group", NULL},  \
				{"inside", within, LRR, GTO, "order inside a group", orders},      \
				{"between", among, LRR, GTO, "order between groups", orders},      \
				{"timeout", 0, 0, 1 << 30,                                         \
					"instructions of a group before the next one; 0: any",     \
					NULL},                                                     \
			},                                                                         \
		.state_size = state_size, .start = start, .leave = leave, .pick = pick,            \
		.issued = issued,                                                                  \
	}

const struct sim_sched sim_sched_twolevel =
	TWOLEVEL("2lvl", "two levels: one fetch group until it stalls, then another", 8, LRR, LRR);
const struct sim_sched sim_sched_twolevel_gto =
	TWOLEVEL("2lvl-gto", "2lvl as the thesis compares with", 2, GTO, GTO);
const struct sim_sched sim_sched_twolevel_lrr =
	TWOLEVEL("2lvl-lrr", "2lvl as in Narasiman et al. (2011)", 8, LRR, LRR);
