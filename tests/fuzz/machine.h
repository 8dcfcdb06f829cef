/*
 * Random machines and policies: a preset, a few of its keys set to something else that is legal,
 * a scheduler, a warp policy and their parameters. Each goes through the text that a user would
 * write.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include "sim/launch/replay.h"
#include "tests/unit/trace_trial.h"
#include <inttypes.h>
#include <stdio.h>

static const char *const machine_presets[] = {
	"dwr", "tbc", "crown", "ccws", "vws", "k20c", "v100", "h100", "rtx3070", "daws-spmv"};
#define MACHINE_PRESETS (sizeof(machine_presets) / sizeof(*machine_presets))

/* Each way to combine presets, schedulers and warp policies has a number. */
static inline uint32_t machine_schedulers(void)
{
	uint32_t n = 0;

	while (sim_sched_at(n))
		n++;
	return n;
}

static inline uint32_t machine_warps(void)
{
	uint32_t n = 0;

	while (sim_warp_policy_at(n))
		n++;
	return n;
}

static inline uint32_t machine_combinations(void)
{
	return (uint32_t)MACHINE_PRESETS * machine_schedulers() * machine_warps();
}

/* A preset over its base. Files are read once. Runs at the root of the source tree. */
static inline void machine_read(struct sim_config *c, const char *name)
{
	static struct sim_config known[MACHINE_PRESETS];
	static int have[MACHINE_PRESETS];
	char text[32768], path[128], base[64];
	struct tr_err err;
	size_t i = 0;
	FILE *f;

	while (strcmp(machine_presets[i], name) != 0)
		i++;
	if (!have[i]) {
		snprintf(path, sizeof(path), "datasets/machines/%s.ini", name);
		f = fopen(path, "r");
		assert_non_null(f);
		text[fread(text, 1, sizeof(text) - 1, f)] = 0;
		fclose(f);
		sim_config_default(&known[i]);
		if (sim_config_base(text, base, sizeof(base)))
			machine_read(&known[i], base);
		if (sim_config_read(&known[i], text, name, &err) < 0)
			fail_msg("%s: %s", name, err.msg);
		have[i] = 1;
	}
	*c = known[i];
}

/* ---- keys ---- */

/* "4K" as a number; where it ends. */
static inline uint64_t machine_number(const char *text, const char **end)
{
	char *at;
	uint64_t n = strtoull(text, &at, 10);

	if (*at == 'K' || *at == 'M') {
		n <<= *at == 'K' ? 10 : 20;
		at++;
	}
	*end = at;
	return n;
}

/* One of "a, b or c". */
static inline void machine_word(const char *words, uint64_t *rng, char *out, size_t size)
{
	const char *start[16];
	uint32_t n = 0, k;

	for (const char *at = words; n < 16;) {
		const char * or = strstr(at, " or "), *comma = strstr(at, ", ");

		start[n++] = at;
		if (comma)
			at = comma + 2;
		else if (or)
			at = or +4;
		else
			break;
	}
	k = dice(rng, n);
	snprintf(out, size, "%.*s", (int)strcspn(start[k], ", "), start[k]);
}

/*
 * A value within the bounds: small, or near to the one that it has, so that no part becomes so
 * large or so slow that a short record takes long.
 */
static inline void machine_value(const struct sim_key *key, uint64_t *rng, char *out, size_t size)
{
	const char *rest, *word = strstr(key->bounds, "or ");
	const uint64_t min = machine_number(key->bounds, &rest);
	uint64_t max, now, v;
	const int slow = !strncmp(key->name, "clock.", 6) || strstr(key->name, "latency");

	if (!strcmp(key->name, "sm.scheduler")) {
		snprintf(out, size, "%s", key->value);
		return;
	}
	if (rest == key->bounds || strncmp(rest, " to ", 4) != 0) {
		machine_word(key->bounds, rng, out, size);
		return;
	}
	max = machine_number(rest + 4, &rest);
	now = machine_number(key->value, &rest);
	if (word && !dice(rng, 4)) {
		snprintf(out, size, "%s", word + 3);
		return;
	}
	switch (dice(rng, slow ? 3 : 8)) {
	case 0:
		v = now / 2;
		break;
	case 1:
		v = now * 2;
		break;
	case 2:
		v = now + 1;
		break;
	case 3:
		v = min;
		break;
	default:
		v = min << dice(rng, 6);
		v += min < 2 ? dice(rng, 4) : 0;
	}
	v = v < min ? min : v > max ? max : v;
	if (strstr(key->bounds, "power of two"))
		while (v & (v - 1))
			v &= v - 1;
	snprintf(out, size, "%" PRIu64, v);
}

/* Sets a key to something; it stays as it was where that does not fit the rest. */
static inline void machine_change(struct sim_config *c, uint64_t *rng)
{
	const struct sim_config before = *c;
	struct sim_key key;
	struct tr_err err;
	char value[64];
	uint32_t n = 0;

	while (sim_config_key(c, n, &key))
		n++;
	sim_config_key(c, dice(rng, n), &key);
	machine_value(&key, rng, value, sizeof(value));
	if (sim_config_set(c, key.name, value, &err) < 0)
		fail_msg("%s=%s: %s", key.name, value, err.msg);
	if (sim_config_check(c, &err) < 0)
		*c = before;
}

/* ---- policies ---- */

static inline void machine_params(
	char *spec, size_t size, const struct sim_param *params, uint64_t *rng)
{
	char sep = ':', value[64];

	for (int i = 0; i < SIM_PARAMS && params[i].name; i++) {
		const struct sim_param *p = &params[i];
		const size_t len = strlen(spec);
		const int64_t most = p->max - p->min < 255 ? p->max - p->min : 255;
		int64_t v = p->value;

		if (dice(rng, 3))
			continue;
		if (p->words || dice(rng, 2))
			v = p->min + dice(rng, (uint32_t)most + 1);
		else
			v = dice(rng, 2) ? p->min : p->min + (p->value - p->min) / 2;
		if (!strcmp(p->name, "size") || !strcmp(p->name, "max")) /* a power of two */
			v = 1 << dice(rng, 9);
		if (!strcmp(p->name, "k") && v > 16) /* scores of millions fall by one a cycle */
			v = 16;
		if (v < p->min || v > p->max)
			continue;
		sim_param_value(p, v, value, sizeof(value));
		snprintf(spec + len, size - len, "%c%s=%s", sep, p->name, value);
		sep = ',';
	}
}

/*
 * A machine, a scheduler and a warp policy: combination number `which` with what the dice say
 * besides. Says what it is in `text`.
 */
static inline void machine_make(
	struct sim_replay *opt, uint32_t which, uint64_t *rng, char *text, size_t size)
{
	const struct sim_warp_policy *warp = sim_warp_policy_at(which % machine_warps());
	const struct sim_sched *sched =
		sim_sched_at(which / machine_warps() % machine_schedulers());
	const char *preset =
		machine_presets[which / machine_warps() / machine_schedulers() % MACHINE_PRESETS];
	const uint32_t sms = 1 + dice(rng, 3);
	char spec[2][200], number[8];
	struct tr_err err;

	memset(opt, 0, sizeof(*opt));
	machine_read(&opt->config, preset);
	for (uint32_t n = dice(rng, 6); n; n--)
		machine_change(&opt->config, rng);
	snprintf(number, sizeof(number), "%u", sms);
	assert_int_equal(sim_config_set(&opt->config, "sm.sms", number, &err), 1);
	snprintf(number, sizeof(number), "%u", dice(rng, 8) ? 1 + dice(rng, sms) : 0);
	assert_int_equal(sim_config_set(&opt->config, "sm.gpcs", number, &err), 1);
	assert_int_equal(sim_config_set(&opt->config, "sm.tpc", "1", &err), 1);
	snprintf(spec[0], sizeof(spec[0]), "%s", sched->name);
	snprintf(spec[1], sizeof(spec[1]), "%s", warp->name);
	machine_params(spec[0], sizeof(spec[0]), sched->params, rng);
	machine_params(spec[1], sizeof(spec[1]), warp->params, rng);
	if (sim_sched_parse(spec[0], &opt->sched, opt->sched_params, &err) < 0 ||
		sim_warp_policy_parse(spec[1], &opt->warp, opt->warp_params, &err) < 0)
		fail_msg("%s", err.msg);
	opt->priority = (enum sim_priority)(
		dice(rng, 4) ? opt->warp->priority : dice(rng, SIM_NPRIORITIES));
	if (dice(rng, 2)) { /* rare among all keys, and of no use where one is in flight */
		opt->config.sm.control_bits = 1;
		opt->config.sm.async = SIM_ASYNC_WHOLE;
		opt->config.sm.one_in_flight &= dice(rng, 2);
	}
	if (!dice(rng, 3) && opt->config.l2.interleave_bytes % 128 == 0) {
		opt->config.sm.code = 1;
		opt->config.sm.code_ahead = dice(rng, 4);
		opt->config.sm.l0i_bytes = 128 * dice(rng, 4);
		opt->config.sm.l1i_bytes = 1024 * dice(rng, 5); /* few lines take long */
		opt->config.sm.l1i_latency = dice(rng, 50);
	}
	snprintf(text, size, "%s, %s, %s, priority %s", preset, spec[0], spec[1],
		sim_priority_name(opt->priority));
}

#endif
