/*
 * A scheduler by itself: the policy as the SM would set it up, on warps that are members and do
 * nothing but what a test says of them.
 */
#ifndef SCHED_TRIAL_H
#define SCHED_TRIAL_H

#include "replay_trial.h"
#include "sim/sched/table.h"

#define LINE 128

static uint64_t seed = 1;

static inline uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

#define BENCH_MEMBERS 32

struct bench {
	const struct sim_sched *policy;
	int64_t params[SIM_SCHED_PARAMS];
	void *state;
	struct sim_sched_env env;
	struct sim_warp warps[BENCH_MEMBERS];
	uint64_t ages[BENCH_MEMBERS];
	struct sim_bits mine;
	struct sim_sched_stats stats;
	uint64_t waits_changed, now;
};

static inline void arrive(struct bench *b, uint32_t m, uint64_t age)
{
	b->warps[m] = (struct sim_warp){.age = age, .state = SIM_W_RUN, .active = 32};
	b->ages[m] = age;
	b->policy->member_arrive(b->state, m, age);
}

/* n members have come, member m as the m-th oldest. What env says besides is the test's. */
static inline void bench_start(struct bench *b, const char *spec, uint32_t n,
	const struct sim_sched_env *env, const struct tr_program *program)
{
	struct tr_err err = {0};

	memset(b, 0, sizeof(*b));
	if (sim_sched_parse(spec, &b->policy, b->params, &err) < 0)
		fail_msg("%s", err.msg);
	sim_bits_init(&b->mine, BENCH_MEMBERS);
	b->env = *env;
	b->env.nwarps = b->env.nmembers = BENCH_MEMBERS;
	b->env.nctas = b->env.schedulers = 1;
	b->env.warps = b->warps;
	b->env.age = b->ages;
	b->env.waits_changed = &b->waits_changed;
	b->env.mine = &b->mine;
	b->env.line_bytes = LINE;
	b->env.warp_size = 32;
	b->env.stats = &b->stats;
	b->state = calloc(1, sim_sched_state_size(b->policy, &b->env, b->params));
	assert_non_null(b->state);
	b->policy->start(b->state, &b->env, b->params);
	b->policy->launch(b->state, program);
	for (uint32_t m = 0; m < n; m++) {
		sim_bits_set(&b->mine, m);
		arrive(b, m, m);
	}
}

static inline void bench_close(struct bench *b)
{
	free(b->state);
}

#endif
