/*
 * Warp schedulers, driven by scripts: warps come, go and wait, sets of ready warps go in, the
 * expected picks come out. Then what must be the same whatever is ready: two levels with one group
 * and its base, SWL with room for all and GTO. The two that have structure, SWL and two levels,
 * also against slow twins. Block priorities over them. Names and parameters.
 */
#include "sim/sched/table.h"
#include "sim/base/words.h"
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define WARPS_MAX 256

/* One scheduler of an SM, and what it sees. */
struct bench {
	const struct sim_sched *policy;
	int64_t params[SIM_SCHED_PARAMS];
	void *state;
	struct sim_sched_env env;
	struct sim_warp warps[WARPS_MAX];
	uint64_t ages[WARPS_MAX];
	struct sim_bits mine;
	enum sim_priority priority;
	uint32_t sticky;
	uint64_t age, now;
};

static void bench_open(
	struct bench *b, const char *spec, uint32_t nwarps, uint32_t number, uint32_t schedulers)
{
	struct tr_err err = {0};

	memset(b, 0, sizeof(*b));
	if (sim_sched_parse(spec, &b->policy, b->params, &err) < 0)
		fail_msg("%s", err.msg);
	sim_bits_init(&b->mine, nwarps);
	for (uint32_t w = number; w < nwarps; w += schedulers)
		sim_bits_set(&b->mine, w);
	b->env = (struct sim_sched_env){.nwarps = nwarps,
		.nctas = 8,
		.warps = b->warps,
		.age = b->ages,
		.mine = &b->mine,
		.number = number,
		.schedulers = schedulers};
	b->state = calloc(1, sim_sched_state_size(b->policy, &b->env, b->params) + 1);
	assert_non_null(b->state);
	if (b->policy->start)
		b->policy->start(b->state, &b->env, b->params);
}

static void bench_close(struct bench *b)
{
	free(b->state);
}

static void arrive(struct bench *b, uint32_t w, uint32_t cta)
{
	uint64_t cta_age = b->age;

	for (uint32_t i = 0; i < b->env.nwarps; i++)
		if (b->warps[i].state != SIM_W_FREE && b->warps[i].cta == cta)
			cta_age = b->warps[i].cta_age;
	b->warps[w] = (struct sim_warp){
		.age = b->age++, .cta_age = cta_age, .cta = cta, .active = 32, .state = SIM_W_RUN};
	b->ages[w] = b->warps[w].age;
	if (b->policy->arrive)
		b->policy->arrive(b->state, w);
}

static void leave(struct bench *b, uint32_t w)
{
	b->warps[w].state = SIM_W_FREE;
	if (b->policy->leave)
		b->policy->leave(b->state, w);
}

/* One cycle: what is picked issues. */
static uint32_t cycle(struct bench *b, const struct sim_bits *ready)
{
	const uint32_t pick = sim_sched_pick(
		b->policy, b->state, b->priority, &b->sticky, &b->env, ready, b->now);

	if (pick != SIM_NO_WARP && b->policy->issued)
		b->policy->issued(b->state, pick, 0, b->now);
	b->now++;
	return pick;
}

/*
 * A script of words: "+3" warp 3 arrives, "+3@1" in CTA slot 1, "-3" it leaves, "~3" it waits for
 * its CTA, "!3" no more; "0,2,3=2": these are ready and 2 is picked; "0,2=." all are withheld.
 */
static void run_script(struct bench *b, const char *script)
{
	char text[2048], *word, *rest = text;

	snprintf(text, sizeof(text), "%s", script);
	while ((word = strtok_r(rest, " ", &rest))) {
		char *at = word;
		const bool number = isdigit((unsigned char)*word);
		const uint32_t w = (uint32_t)strtoul(number ? word : word + 1, &at, 10);
		struct sim_bits ready;
		uint32_t want, got;

		if (*word == '+') {
			arrive(b, w, *at == '@' ? (uint32_t)atoi(at + 1) : 0);
		} else if (*word == '-') {
			leave(b, w);
		} else if (*word == '~' || *word == '!') {
			b->warps[w].state = *word == '~' ? SIM_W_BARRIER : SIM_W_RUN;
		} else {
			sim_bits_init(&ready, b->env.nwarps);
			sim_bits_set(&ready, w);
			while (*at == ',')
				sim_bits_set(&ready, (uint32_t)strtoul(at + 1, &at, 10));
			assert_int_equal(*at, '=');
			want = at[1] == '.' ? SIM_NO_WARP : (uint32_t)atoi(at + 1);
			got = cycle(b, &ready);
			if (got != want)
				fail_msg("%s: %s: picked %d", b->policy->name, word, (int)got);
		}
	}
}

static void script(const char *spec, uint32_t nwarps, enum sim_priority priority, const char *text)
{
	struct bench b;

	bench_open(&b, spec, nwarps, 0, 1);
	b.priority = priority;
	run_script(&b, text);
	bench_close(&b);
}

/* ---- scripts ---- */

static void test_null(void **state)
{
	(void)state;
	script("null", 4, SIM_PRIORITY_NONE, "+0 +1 +2 +3 0,1,2,3=0 0,1,2,3=0 2,3=2 1,3=1 3=3");
}

static void test_lrr(void **state)
{
	(void)state;
	script("lrr", 4, SIM_PRIORITY_NONE,
		"+0 +1 +2 +3 0,1,2,3=0 0,1,2,3=1 0,1,2,3=2 0,1,2,3=3 0,1,2,3=0 "
		"0,3=3 0,3=0 0,3=3 2=2 1,2=1 1,2=2 0=0");
	/* beyond one word of the sets */
	script("lrr", 200, SIM_PRIORITY_NONE,
		"+0 +63 +64 +130 +199 0,63,64,130,199=0 0,63,64,130,199=63 0,63,64,130,199=64 "
		"0,63,64,130,199=130 0,63,64,130,199=199 0,63,64,130,199=0");
}

static void test_gto(void **state)
{
	(void)state;
	/* the oldest first, greedy while it lasts; back to the oldest, not to the last greedy one
	 */
	script("gto", 4, SIM_PRIORITY_NONE,
		"+0 +1 +2 +3 1,2,3=1 1,2,3=1 0,1,2=1 0,2,3=0 0,1,2=0 2,3=2 2,3=2 1,3=1");
	/* age is the order of arrival, not the slot */
	script("gto", 4, SIM_PRIORITY_NONE, "+3 +1 +0 +2 0,1,2,3=3 0,1,2=1 0,2=0 2=2 0,3=3");
	/* a new warp in the slot of the greedy one is the youngest */
	script("gto", 4, SIM_PRIORITY_NONE, "+0 +1 +2 0,1,2=0 -0 +0 0,1,2=1 0,1,2=1 0,2=2 0,2=2");
}

static void test_oldest(void **state)
{
	(void)state;
	script("oldest", 4, SIM_PRIORITY_NONE,
		"+2 +0 +1 0,1=0 0,1,2=2 0,1=0 1=1 0,1=0 -0 +0 0,1=1 0,1,2=2 0=0");
}

static void test_twolevel(void **state)
{
	(void)state;
	/* groups 0-1, 2-3, 4-5: in one until all of it stalls, then the next that can */
	script("2lvl:group=2", 6, SIM_PRIORITY_NONE,
		"+0 +1 +2 +3 +4 +5 0,1,2,3,4,5=0 0,1,2,3,4,5=1 0,1,2,3=0 2,3,4=2 0,1,2,3=3 "
		"0,1,2=2 0,1,4,5=4 0,1,4=4 0,1,5=5 0,1=1");
	/* each group goes on where it was */
	script("2lvl:group=3", 6, SIM_PRIORITY_NONE,
		"+0 +1 +2 +3 +4 +5 0,1,2=0 3,4,5=3 3,4,5=4 0,1,2=1 3,4,5=5 0,1,2=2 3,4,5=3");
	/* greedy inside, and the group whose oldest warp is the oldest, ready or not */
	script("2lvl-gto", 6, SIM_PRIORITY_NONE,
		"+4 +0 +1 +2 +3 +5 0,1,2=0 0,1,2=0 1,2,4=1 0,2,4,5=0 2,3,5=5 2,3,5=5 2,3=2 "
		"1,3,5=3 1,5=5");
	/* after three instructions the next group that can, however old; alone it goes on */
	script("2lvl:group=2,timeout=3", 6, SIM_PRIORITY_NONE,
		"+0 +1 +2 +3 +4 +5 0,1,4=0 0,1,4=1 0,1,4=0 0,1,4=4 0,1,4=4 0,1,4=4 0,1,4=1 0,1=0 "
		"0,1=1 0,1=0 1,5=5");
	script("2lvl-gto:group=1,timeout=2", 3, SIM_PRIORITY_NONE,
		"+0 +1 +2 0,1,2=0 0,1,2=0 0,1,2=1 0,1,2=1 0,1,2=2 0,1=0 0,1=0 0,1=1");
	/* a new warp in the slot of the greedy one is not greedy */
	script("2lvl:group=4,inside=gto", 4, SIM_PRIORITY_NONE, "+0 +1 +2 1,2=1 -1 +1 1,2=2");
	/* a scheduler of two has every other slot: groups 0 2, 4 6 */
	{
		struct bench b;

		bench_open(&b, "2lvl:2", 8, 0, 2);
		run_script(&b, "+0 +2 +4 +6 0,2,4,6=0 0,2,4,6=2 4,6=4 0,2,6=6 0,2=0 2,4=2");
		bench_close(&b);
		bench_open(&b, "2lvl:2", 8, 1, 2);
		run_script(&b, "+1 +3 +5 +7 1,3,5,7=1 1,3,5,7=3 5,7=5 1,3,7=7 1,3=1 3,5=3");
		bench_close(&b);
	}
}

static void test_swl(void **state)
{
	(void)state;
	/* two may issue; an exit lets the next oldest in */
	script("swl:limit=2", 4, SIM_PRIORITY_NONE,
		"+0 +1 +2 +3 0,1,2,3=0 1,2,3=1 0,1=1 2,3=. -0 2,3=2 1,2=2 1,3=1 3=. -1 -2 3=3");
	/* the oldest may sit anywhere */
	script("swl:2", 4, SIM_PRIORITY_NONE, "+3 +2 +1 +0 0,1=. 0,1,2=2 0,1=. 2,3=2 3=3 -2 0,1=1");
	/* one at a barrier: the rest of its CTA may come to it, others may not */
	script("swl:limit=1", 6, SIM_PRIORITY_NONE,
		"+0@0 +1@0 +2@0 +3@1 1,2,3=. 0=0 ~0 1,2,3=1 2,3=2 ~1 2,3=2 ~2 3=. !0 !1 !2 "
		"0,1,2,3=0 1,2,3=.");
	/* not the youngest of those allowed waits: the thesis lets its CTA through, the release not
	 */
	script("swl:limit=2", 4, SIM_PRIORITY_NONE, "+0 +1 +2 +3@1 ~0 2,3=2 1,2=2 3=.");
	script("swl:limit=2,rule=release", 4, SIM_PRIORITY_NONE,
		"+0 +1 +2 +3@1 ~0 2,3=. 1,2=1 ~1 2,3=2 3=3 !1 2,3=.");
	/* two schedulers, one limit: warps 0 and 1 are the SM's oldest */
	{
		struct bench b;

		bench_open(&b, "swl:limit=2", 4, 1, 2);
		run_script(&b, "+0 +1 +2 +3 1,3=1 3=. -0 3=. -1 3=3");
		bench_close(&b);
	}
}

static void test_priority(void **state)
{
	(void)state;
	/* round robin inside the oldest CTA that has a ready warp */
	script("lrr", 6, SIM_PRIORITY_AGE,
		"+4@2 +5@2 +0@0 +1@0 +2@1 +3@1 0,1,2,3,4,5=4 0,1,2,3,4,5=5 0,1,2,3=0 0,1,2,3=1 "
		"0,2,3=0 2,3=2 2,3=3 0,2,4=4");
	/* a warp that is made anew is as old as its CTA */
	script("lrr", 4, SIM_PRIORITY_AGE, "+0@1 +1@0 +2@1 -0 +0@1 0,1=0 0,1,2=2 1=1");
	/* places 0 ... 7 come first in turn; the next that is there takes an empty one's turn */
	script("lrr", 4, SIM_PRIORITY_RRB,
		"+0@0 +1@1 +2@2 +3@3 0,1,2,3=0 0,1,2,3=1 0,1,2,3=2 0,1,2,3=3 0,1,2,3=0 0,1,2,3=0 "
		"0,1,2,3=0 0,1,2,3=0 0,1,2,3=0 0,2,3=2");
	/* stays with a CTA until none of its warps is ready, then goes to the next place */
	script("lrr", 6, SIM_PRIORITY_SRR,
		"+0@0 +1@0 +2@1 +3@1 +4@2 +5@2 0,1,2,3,4,5=0 0,1,2,3,4,5=1 0,2,3=0 2,4=2 0,2,4=2 "
		"0,1,3,4=3 0,1,4,5=4 0,1,5=5 0,1,2=0");
	/* what comes first is withheld: the others get their chance */
	script("swl:limit=1", 3, SIM_PRIORITY_SRR, "+0@0 +1@1 0,1=0 -0 +2@0 1,2=1 2=.");
	script("swl:limit=1", 3, SIM_PRIORITY_RRB, "+0@1 +1@0 +2@2 0,1,2=0 0,1,2=0 1,2=. 0,2=0");
}

/* ---- identities and twins ---- */

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 33) % n);
}

typedef uint32_t (*twin)(const struct bench *b, const struct sim_bits *ready, uint32_t *memory);

/*
 * The same random life of warps for b and for another scheduler or a twin: equal picks, always.
 * Live warps wait for their CTA now and then if they may. CTA slots have eight warps.
 */
static void compare(struct bench *b, struct bench *other, twin pick, bool waits)
{
	uint32_t memory[WARPS_MAX + 2];

	memset(memory, 0xff, sizeof(memory));
	for (int step = 0; step < 4000; step++) {
		const uint32_t w = below(b->env.nwarps), what = below(8);
		struct sim_bits ready;
		uint32_t got, want;

		if (!what && b->warps[w].state == SIM_W_FREE) {
			arrive(b, w, w / 8 % 8);
			if (other)
				arrive(other, w, w / 8 % 8);
		} else if (!what && below(3) == 0) {
			leave(b, w);
			if (other)
				leave(other, w);
			if (memory[0] == w)
				memory[0] = SIM_NO_WARP;
			if (below(2)) {
				arrive(b, w, w / 8 % 8);
				if (other)
					arrive(other, w, w / 8 % 8);
			}
		} else if (what == 1 && waits && b->warps[w].state != SIM_W_FREE) {
			b->warps[w].state = sim_waits(&b->warps[w]) ? SIM_W_RUN : SIM_W_HELD;
		}
		sim_bits_init(&ready, b->env.nwarps);
		for (uint32_t i = 0; i < b->env.nwarps; i++)
			if (b->warps[i].state != SIM_W_FREE && !sim_waits(&b->warps[i]) &&
				sim_bits_has(&b->mine, i) && below(3) == 0)
				sim_bits_set(&ready, i);
		if (!sim_bits_any(&ready))
			continue;
		got = cycle(b, &ready);
		want = other ? cycle(other, &ready) : pick(b, &ready, memory);
		if (got != want)
			fail_msg("%s: step %d: %d, not %d", b->policy->name, step, (int)got,
				(int)want);
		if (got != SIM_NO_WARP)
			assert_true(sim_bits_has(&ready, got));
	}
}

static void same(const char *spec, const char *base, uint32_t nwarps)
{
	struct bench a, b;

	bench_open(&a, spec, nwarps, 0, 1);
	bench_open(&b, base, nwarps, 0, 1);
	compare(&a, &b, NULL, false);
	bench_close(&a);
	bench_close(&b);
}

static void test_identities(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 128; n += 1 + n / 2) {
		char spec[64];

		snprintf(spec, sizeof(spec), "2lvl:group=%u,inside=lrr,between=gto", n);
		same(spec, "lrr", n);
		snprintf(spec, sizeof(spec), "2lvl:group=%u,inside=gto,between=lrr", n);
		same(spec, "gto", n);
		snprintf(spec, sizeof(spec), "swl:limit=%u", n);
		same(spec, "gto", n);
		snprintf(spec, sizeof(spec), "swl:limit=%u,rule=release", n);
		same(spec, "gto", n);
		same("swl:limit=1024", "gto", n);
		same("2lvl-lrr", "2lvl:8", n);
		same("2lvl-gto", "2lvl:group=2,inside=gto,between=gto", n);
	}
}

/* How many live warps are older; as an order it is total. */
static uint32_t rank(const struct bench *b, uint32_t w)
{
	uint32_t older = 0;

	for (uint32_t i = 0; i < b->env.nwarps; i++)
		older += b->warps[i].state != SIM_W_FREE && b->warps[i].age < b->warps[w].age;
	return older;
}

/* memory[0]: the warp that issued last. */
static uint32_t swl_twin(const struct bench *b, const struct sim_bits *ready, uint32_t *memory)
{
	const uint32_t limit = (uint32_t)b->params[0];
	uint32_t best = SIM_NO_WARP;

	for (uint32_t w = 0; w < b->env.nwarps; w++) {
		bool may = rank(b, w) < limit;

		for (uint32_t i = 0; i < b->env.nwarps; i++)
			may |= sim_waits(&b->warps[i]) && rank(b, i) < limit &&
			       b->warps[i].cta == b->warps[w].cta;
		if (!may || !sim_bits_has(ready, w))
			continue;
		if (w == memory[0])
			return w;
		if (best == SIM_NO_WARP || b->warps[w].age < b->warps[best].age)
			best = w;
	}
	if (best != SIM_NO_WARP)
		memory[0] = best;
	return best;
}

static uint64_t group_age(const struct bench *b, uint32_t group, uint32_t span)
{
	uint64_t age = UINT64_MAX;

	for (uint32_t w = 0; w < b->env.nwarps; w++)
		if (w / span == group && b->warps[w].state != SIM_W_FREE &&
			sim_bits_has(&b->mine, w) && b->warps[w].age < age)
			age = b->warps[w].age;
	return age;
}

/* memory[0]: the warp that issued last; [1]: its group; [2 + g]: warp of group g that did. */
static uint32_t twolevel_twin(const struct bench *b, const struct sim_bits *ready, uint32_t *memory)
{
	const uint32_t span = (uint32_t)b->params[0] * b->env.schedulers, n = b->env.nwarps;
	const uint32_t groups = (n + span - 1) / span;
	const bool gto_inside = b->params[1], gto_between = b->params[2];
	bool can[WARPS_MAX] = {false};
	uint32_t group, best = SIM_NO_WARP;

	if (memory[1] == UINT32_MAX)
		memory[1] = 0;
	for (uint32_t w = 0; w < n; w++)
		can[w / span] |= sim_bits_has(ready, w);
	group = memory[1];
	if (!can[group] && gto_between) {
		for (uint32_t g = 0; g < groups; g++)
			if (can[g] &&
				(!can[group] || group_age(b, g, span) < group_age(b, group, span)))
				group = g;
	} else {
		while (!can[group])
			group = (group + 1) % groups;
	}
	for (uint32_t k = 0; k < span; k++) {
		const uint32_t last =
			memory[2 + group] == UINT32_MAX ? span - 1 : memory[2 + group] % span;
		const uint32_t w = group * span + (last + 1 + k) % span;

		if (w >= n || !sim_bits_has(ready, w))
			continue;
		if (best == SIM_NO_WARP || (gto_inside && b->warps[w].age < b->warps[best].age))
			best = w;
	}
	if (gto_inside && memory[0] != SIM_NO_WARP && memory[0] / span == group &&
		sim_bits_has(ready, memory[0]))
		best = memory[0];
	memory[0] = memory[2 + group] = best;
	memory[1] = group;
	return best;
}

static void test_twins(void **state)
{
	static const char *const orders[] = {"lrr", "gto"};
	char spec[64];
	struct bench b;

	(void)state;
	for (uint32_t limit = 1; limit < 40; limit += 1 + limit / 3) {
		snprintf(spec, sizeof(spec), "swl:limit=%u", limit);
		bench_open(&b, spec, 48, limit % 2, 2);
		compare(&b, NULL, swl_twin, true);
		bench_close(&b);
	}
	for (uint32_t size = 1; size < 80; size += 1 + size / 2)
		for (int kind = 0; kind < 8; kind++) {
			snprintf(spec, sizeof(spec), "2lvl:group=%u,inside=%s,between=%s", size,
				orders[kind & 1], orders[kind >> 1 & 1]);
			bench_open(&b, spec, 70, 0, kind < 4 ? 1 : 4);
			compare(&b, NULL, twolevel_twin, false);
			bench_close(&b);
		}
}

/* ---- names ---- */

static void refused(const char *spec, const char *why)
{
	const struct sim_sched *policy;
	int64_t params[SIM_SCHED_PARAMS];
	struct tr_err err = {0};

	assert_int_equal(sim_sched_parse(spec, &policy, params, &err), TR_EUSAGE);
	if (!strstr(err.msg, why))
		fail_msg("'%s': %s", spec, err.msg);
}

static void test_names(void **state)
{
	const struct sim_sched *policy, *s;
	int64_t params[SIM_SCHED_PARAMS];
	char bounds[64];
	unsigned n = 0;

	(void)state;
	for (; (s = sim_sched_at(n)); n++) {
		assert_non_null(s->name);
		assert_non_null(s->help);
		assert_non_null(s->pick);
		assert_ptr_equal(sim_sched_find(s->name), s);
		assert_int_equal(sim_sched_parse(s->name, &policy, params, NULL), 1);
		assert_ptr_equal(policy, s);
		for (int i = 0; i < SIM_SCHED_PARAMS && s->params[i].name; i++) {
			assert_int_equal(params[i], s->params[i].value);
			assert_in_range(params[i], s->params[i].min, s->params[i].max);
			assert_non_null(s->params[i].help);
		}
	}
	assert_true(n >= 8); /* what was there from the start; others say so themselves */
	assert_null(sim_sched_find("lr"));

	assert_int_equal(sim_sched_parse("swl:limit=4,rule=release", &policy, params, NULL), 1);
	assert_int_equal(params[0], 4);
	assert_int_equal(params[1], 1);
	assert_int_equal(sim_sched_parse("swl:7", &policy, params, NULL), 1);
	assert_int_equal(params[0], 7);
	assert_int_equal(params[1], 0);
	assert_int_equal(sim_sched_parse("2lvl:between=gto,group=4", &policy, params, NULL), 1);
	assert_int_equal(params[0], 4);
	assert_int_equal(params[1], 0);
	assert_int_equal(params[2], 1);

	refused("", "unknown scheduler ''");
	refused("gtoo", "unknown scheduler 'gtoo', did you mean 'gto'?");
	refused("xyzzy", "null, lrr, gto, oldest, 2lvl, 2lvl-gto, 2lvl-lrr, swl");
	refused("lrr:4", "lrr takes no parameters");
	refused("swl:", "NAME=VALUE");
	refused("swl:limit=4,", "NAME=VALUE");
	refused("swl:limt=4", "swl has no parameter 'limt', did you mean 'limit'?");
	refused("swl:=4", "swl has no parameter ''");
	snprintf(bounds, sizeof(bounds), "swl: limit=0 is outside 1 to %d", SIM_BITS_MAX);
	refused("swl:limit=0", bounds);
	refused("swl:limit=10000", "outside");
	refused("swl:limit=-4", "outside");
	refused("swl:limit=four", "swl: limit: 'four' is no number");
	refused("swl:limit=4x", "no number");
	refused("swl:limit=", "no number");
	refused("swl:limit=99999999999999999999", "no number");
	refused("swl:limit=4,limit=5", "'limit' is given twice");
	refused("swl:4,limit=5", "'limit' is given twice");
	refused("swl:limit=4,5", "'5' is no NAME=VALUE");
	refused("swl:rule=mine", "swl: rule=mine is none of thesis or release");
}

static void test_priority_names(void **state)
{
	enum sim_priority p;
	struct tr_err err = {0};

	(void)state;
	for (unsigned i = 0; i < SIM_NPRIORITIES; i++) {
		assert_non_null(sim_priority_help((enum sim_priority)i));
		assert_int_equal(
			sim_priority_parse(sim_priority_name((enum sim_priority)i), &p, NULL), 1);
		assert_int_equal(p, i);
	}
	assert_null(sim_priority_name(SIM_NPRIORITIES));
	assert_int_equal(sim_priority_parse("aeg", &p, &err), TR_EUSAGE);
	assert_non_null(strstr(err.msg, "unknown priority 'aeg', did you mean 'age'?"));
	assert_int_equal(sim_priority_parse("age:3", &p, &err), TR_EUSAGE);
	assert_non_null(strstr(err.msg, "takes no parameters"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_lrr),
		cmocka_unit_test(test_gto),
		cmocka_unit_test(test_oldest),
		cmocka_unit_test(test_twolevel),
		cmocka_unit_test(test_swl),
		cmocka_unit_test(test_priority),
		cmocka_unit_test(test_identities),
		cmocka_unit_test(test_twins),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_priority_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
