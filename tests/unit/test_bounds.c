/*
 * Bounds, ratios and perfect parts, on every workload's tiny input (MODEL.md, Perfect parts and
 * bounds). Threads that go their own ways with perfect caches and memory are a bound of every
 * scheduler and warp policy, launch by launch; so are warps that all issue at once, of every
 * scheduler. One perfect part, or a wider port, changes the order in which a greedy scheduler
 * issues, which may cost a launch more than it gains: that it gains is a law of all launches
 * together. SLOW=1: every machine with every scheduler, policy and port; else a part of them. Runs
 * at the root of the source tree.
 */
#include "tests/unit/workload_trial.h"
#include <math.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const machines[] = {"ccws", "tbc", "dwr", "k20c", "vws", "crown", "daws-spmv",
	"v100", "a100", "h100", "rtx3070", "rtx4090"};
static const char *const scheds[] = {"lrr", "gto", "oldest", "null", "2lvl", "2lvl:group=4",
	"2lvl-gto", "2lvl-lrr", "swl:limit=2", "swl:limit=6", "ccws", "daws"};
static const char *const warps[] = {"fixed:8", "fixed:16", "fixed:64", "tbc", "dwf", "dualpath",
	"lwm", "crown", "dwr", "null", "its", "mimd"};
static const char *const parts[] = {
	"memory=perfect", "l1d=perfect", "memory=perfect l1d=perfect", "l1d.size=unbounded"};
/* Keys of what can be done in a cycle: widths, rates, banks. */
static const char *const ports[] = {"sm.lsu_rate", "sm.simd_width", "sm.bank_reads",
	"sm.fetch_ports", "l1d.sends", "l1d.cycle_bytes", "l1d.banks", "shared.banks",
	"icnt.flit_bytes", "l2.rate", "dram.bytes_per_cycle", "dsm.cycle_bytes", "launch.cta_rate",
	"launch.cta_again", "tensor.f16", "tensor.int8"};

/* Cycles over those of the machine as it is: of launches with perfect parts, of records with ports.
 */
static struct ratios {
	double sum, worst;
	unsigned n, above; /* of all, and those above 1.01 */
} ratios[COUNT(parts) + COUNT(ports)];
static unsigned bounded; /* launches that were held against a bound */

static bool slow(void)
{
	return getenv("SLOW") != NULL;
}

/* The machine number m with settings; sched: NULL is the machine's own. */
static void begin(
	struct trial *t, unsigned m, const char *settings, const char *sched, const char *warp)
{
	memset(t, 0, sizeof(*t));
	sim_config_default(&t->opt.config);
	read_preset(&t->opt.config, machines[m]);
	machine_set(&t->opt.config, settings);
	trial_policies(t, sched ? sched : t->opt.config.scheduler, warp);
}

/* Does workload s meet machine m? In the short form each meets one. */
static bool meets(const struct workload_subject *s, unsigned m)
{
	return slow() || (s->number + m) % COUNT(machines) == 0;
}

/* ---- a bound ---- */

#define PERFECT "l1d=perfect memory=perfect"

/* What no launch of a workload on a machine may take less than. */
struct bounds {
	const struct workload_subject *s;
	unsigned m;
	struct trial all; /* under any scheduler and policy */
	struct trial own; /* of warps of 32, under any scheduler */
};

static void hold(const struct bounds *b, const struct trial *bound, const struct trial *t,
	const char *sched, const char *warp)
{
	for (uint32_t i = 0; i < t->n; i++, bounded++) {
		assert_true(i < bound->n);
		if (bound->stats[i].cycles > t->stats[i].cycles)
			fail_msg("%s, %s, launch %u: %s under %s takes %llu cycles, the bound%s "
				 "%llu",
				b->s->wl->name, machines[b->m], i, warp,
				sched ? sched : "its scheduler",
				(unsigned long long)t->stats[i].cycles,
				bound == &b->own ? " of its warps" : "",
				(unsigned long long)bound->stats[i].cycles);
	}
}

static void replay_above(
	const struct bounds *b, const struct trace *trace, const char *sched, const char *warp)
{
	struct trial t;

	begin(&t, b->m, "", sched, warp);
	trial_run(&t, trace);
	if (t.rc < 0 && (strcmp(warp, "fixed:64") || !strstr(t.err.msg, "stands still")))
		fail_msg("%s, %s, %s: %s", b->s->wl->name, machines[b->m], warp, t.err.msg);
	if (t.rc > 0)
		hold(b, &b->all, &t, sched, warp);
	if (t.rc > 0 && !strcmp(warp, "fixed:32"))
		hold(b, &b->own, &t, sched, warp);
	trial_end(&t);
}

static void test_bound(void **state)
{
	struct bounds b = {.s = *state};
	struct trace trace = record_workload(b.s->wl);

	for (b.m = 0; b.m < COUNT(machines); b.m++) {
		if (!meets(b.s, b.m))
			continue;
		begin(&b.all, b.m, PERFECT, NULL, "mimd:together=cta");
		trial_must_run(&b.all, &trace);
		begin(&b.own, b.m, PERFECT " sm.unlimited_issue=yes", NULL, "fixed:32");
		trial_must_run(&b.own, &trace);
		hold(&b, &b.all, &b.own, NULL, "fixed:32 without a limit of issue");
		for (unsigned k = 0; k < COUNT(scheds); k++)
			if (slow() || (k + b.s->number) % 6 == 0)
				replay_above(&b, &trace, scheds[k], "fixed:32");
		for (unsigned k = 0; k < COUNT(warps); k++)
			if (slow() || (k + b.s->number) % 6 == 0)
				replay_above(&b, &trace, NULL, warps[k]);
		trial_end(&b.all);
		trial_end(&b.own);
	}
	free(trace.bytes);
}

/* ---- parts, ports, clocks ---- */

static void run(struct trial *t, const struct trace *trace, unsigned m, const char *settings,
	const char *sched)
{
	begin(t, m, settings, sched, "fixed:32");
	trial_must_run(t, trace);
}

static void note(unsigned k, uint64_t cycles, uint64_t real)
{
	struct ratios *const r = &ratios[k];
	const double ratio = (double)cycles / (double)real;

	r->sum += log(ratio);
	r->worst = ratio > r->worst ? ratio : r->worst;
	r->above += ratio > 1.01;
	r->n++;
}

/* "KEY=VALUE" with twice the machine's number; false: it has none, or may have no more. */
static bool doubled(unsigned m, const char *name, char *settings, size_t size)
{
	struct sim_key key;
	struct trial t;
	unsigned i = 0;
	char twice[16], *end;
	unsigned long value;

	begin(&t, m, "", NULL, "fixed:32");
	while (sim_config_key(&t.opt.config, i, &key) && strcmp(key.name, name))
		i++;
	assert_string_equal(key.name, name);
	value = strtoul(key.value, &end, 10);
	snprintf(settings, size, "%s=%lu", name, 2 * value);
	snprintf(twice, sizeof(twice), "%lu", 2 * value);
	return value && !*end && sim_config_set(&t.opt.config, name, twice, &t.err) > 0;
}

static void test_parts_and_ports(void **state)
{
	const struct workload_subject *s = *state;
	struct trace trace = record_workload(s->wl);

	for (unsigned m = 0; m < COUNT(machines); m++) {
		const char *sched =
			scheds[(s->number + s->number / COUNT(scheds) + m) % COUNT(scheds)];
		struct trial real, t;
		char settings[64];

		if (!meets(s, m))
			continue;
		run(&real, &trace, m, "", sched);
		for (unsigned p = 0; p < COUNT(parts); p++) {
			run(&t, &trace, m, parts[p], sched);
			for (uint32_t i = 0; i < real.n; i++)
				note(p, t.stats[i].cycles, real.stats[i].cycles);
			trial_end(&t);
		}
		for (unsigned p = 0; p < COUNT(ports); p++)
			if ((slow() || (p + s->number / COUNT(machines)) % 4 == 0) &&
				doubled(m, ports[p], settings, sizeof(settings))) {
				run(&t, &trace, m, settings, sched);
				note(COUNT(parts) + p, t.res.total.cycles, real.res.total.cycles);
				trial_end(&t);
			}
		trial_end(&real);
	}
	free(trace.bytes);
}

/* The machine with all clocks twice as fast is in the same state at the end of each launch. */
static void test_clocks(void **state)
{
	const struct workload_subject *s = *state;
	struct trace trace = record_workload(s->wl);

	for (unsigned m = 0; m < COUNT(machines); m++) {
		struct trial once, twice;

		if (!meets(s, m))
			continue;
		begin(&once, m, "", NULL, "fixed:32");
		trial_must_run(&once, &trace);
		begin(&twice, m, "", NULL, "fixed:32");
		twice.opt.config.clock.core *= 2;
		twice.opt.config.clock.icnt *= 2;
		twice.opt.config.clock.l2 *= 2;
		twice.opt.config.clock.dram *= 2;
		trial_must_run(&twice, &trace);
		assert_int_equal(once.res.total.cycles, twice.res.total.cycles);
		assert_int_equal(once.res.hash, twice.res.hash);
		trial_end(&once);
		trial_end(&twice);
	}
	free(trace.bytes);
}

/* After the tests of all workloads: what they come to, which MODEL.md has figures of. */
static void test_all_together(void **state)
{
	(void)state;
	assert_true(bounded > 500);
	for (unsigned k = 0; k < COUNT(ratios); k++) {
		const char *name = k < COUNT(parts) ? parts[k] : ports[k - COUNT(parts)];
		const struct ratios *r = &ratios[k];
		const double mean = exp(r->sum / r->n);

		if (!r->n) { /* no machine has it */
			assert_string_equal(name, "sm.fetch_ports");
			continue;
		}
		print_message("# %s: %.4f times the cycles, the mean of %u; %u above 1.01, the "
			      "worst %.4f\n",
			name, mean, r->n, r->above, r->worst);
		if (mean > (k < COUNT(parts) ? 1 : 1.01))
			fail_msg("%s: %.4f times the cycles, the mean of %u", name, mean, r->n);
	}
}

/* No key is forgotten whose meaning says that it is so much in a cycle. */
static void test_all_ports(void **state)
{
	static const char *const says[] = {"in a cycle", "in a core cycle", "in an L2 cycle",
		"in a DRAM cycle", "in one cycle", "in one of its cycles", "in 100 core cycles"};
	struct sim_config c;
	struct sim_key key;
	unsigned found = 0;

	(void)state;
	sim_config_default(&c);
	for (unsigned i = 0; sim_config_key(&c, i, &key); i++) {
		unsigned k = 0, p = 0;

		while (k < COUNT(says) && !strstr(key.help, says[k]))
			k++;
		while (p < COUNT(ports) && strcmp(ports[p], key.name))
			p++;
		if (k < COUNT(says) && p == COUNT(ports))
			fail_msg("%s is so much %s, and not among the ports", key.name, says[k]);
		found += k < COUNT(says);
	}
	assert_true(found > 8);
}

int main(void)
{
	static const struct workload_case cases[] = {
		{"no launch is below its bound", test_bound},
		{"perfect parts and wider ports", test_parts_and_ports},
		{"twice the clocks", test_clocks},
	};
	const struct CMUnitTest more[] = {
		cmocka_unit_test(test_all_ports),
		cmocka_unit_test(test_all_together),
	};

	return run_on_workloads("bounds", cases, COUNT(cases), more, COUNT(more));
}
