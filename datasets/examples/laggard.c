/*
 * laggard: a scheduler of one's own. The ready warp goes first that has issued least, so that the
 * warps of a CTA come to its barriers and to its end together: criticality-aware scheduling with
 * the issued instructions as the measure of progress (Lee and Wu, CAWS, PACT 2014). Left out: what
 * CAWS adds for stalls and for the way that a branch takes.
 *
 * slack=N: the warp that issued last goes on until it is more than N instructions ahead of the one
 * that is furthest back.
 */
#include <warptrace/sched.h>

enum { SLACK }; /* the parameters, by their index in the list below */

/* State of one scheduler of an SM; zeroed by who allocates it. There are no static variables. */
struct laggard {
	const struct sim_sched_env *env;
	uint64_t slack;
	uint32_t last;        /* slot that issued last, or SIM_NO_WARP */
	uint32_t issued_by[]; /* by slot: instructions since its warp came */
};

static size_t state_size(const struct sim_sched_env *env, const int64_t *params)
{
	(void)params;
	return sizeof(struct laggard) + env->nwarps * sizeof(uint32_t);
}

static void start(void *s, const struct sim_sched_env *env, const int64_t *params)
{
	struct laggard *l = s;

	l->env = env;
	l->slack = (uint64_t)params[SLACK];
	l->last = SIM_NO_WARP;
}

static void arrive(void *s, uint32_t warp)
{
	struct laggard *l = s;

	l->issued_by[warp] = 0;
}

static void leave(void *s, uint32_t warp)
{
	struct laggard *l = s;

	if (l->last == warp)
		l->last = SIM_NO_WARP;
}

/* Of warps that are level the oldest goes first. */
static int is_before(const struct laggard *l, uint32_t a, uint32_t b)
{
	if (l->issued_by[a] != l->issued_by[b])
		return l->issued_by[a] < l->issued_by[b];
	return l->env->warps[a].age < l->env->warps[b].age;
}

static uint32_t pick(void *s, const struct sim_bits *ready, uint64_t now)
{
	const struct laggard *l = s;
	uint32_t least = sim_bits_next(ready, 0);

	(void)now;
	for (uint32_t w = least; w != UINT32_MAX; w = sim_bits_next(ready, w + 1))
		if (is_before(l, w, least))
			least = w;
	if (l->last != SIM_NO_WARP && sim_bits_has(ready, l->last) &&
		l->issued_by[l->last] <= l->issued_by[least] + l->slack)
		return l->last;
	return least;
}

/* A warp that the warp policy lets issue as one with the warp that was picked. */
static void issued_joined(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	struct laggard *l = s;

	(void)inst;
	(void)now;
	l->issued_by[warp]++;
}

/* An SM may have several schedulers. All hear of all; only one's own choice is remembered. */
static void issued(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	struct laggard *l = s;

	issued_joined(s, warp, inst, now);
	if (sim_mine(l->env, warp))
		l->last = warp;
}

const struct sim_sched warptrace_sched = {
	.abi = SIM_SCHED_ABI,
	.bytes = sizeof(struct sim_sched),
	.name = "laggard",
	.help = "the warp that has issued least, so that a CTA's warps stay together",
	.params =
		{
			[SLACK] = {"slack", 0, 0, 1000000,
				"instructions that the last one may be ahead and go on", NULL},
		},
	.state_size = state_size,
	.start = start,
	.arrive = arrive,
	.leave = leave,
	.pick = pick,
	.issued = issued,
	.issued_joined = issued_joined,
};
