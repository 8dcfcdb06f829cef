/*
 * Launches by threads, replayed: the known answers of CDP and DTBL on their tables alone (Wang et
 * al., ISCA 2015), and laws of whole replays: what may not matter does not. Runs at the root of the
 * source tree.
 */
#include "tests/unit/workload_trial.h"
#include "sim/launch/kmu.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FOREVER 1000000000ull

/* ---- a family of kernels without threads, and a policy that launches them ---- */

struct table {
	struct sim_family f;
	struct sim_config c;
	struct sim_launch_stats stats;
	const struct sim_launch_policy *policy;
	void *state;
	struct tr_program *program;
	uint64_t now;
};

/* Kernel 0 is the host's, with one block; `n` children of the same program, `blocks` each. */
static void begin(struct table *t, const struct sim_launch_policy *policy, uint32_t n,
	uint32_t blocks, uint32_t threads)
{
	struct tr_err err;
	const struct sim_launching l = {&t->f, &t->c, &t->stats};

	t->policy = policy;
	t->program = tr_program_new("kernel");
	t->now = 1;
	t->f = (struct sim_family){.in_memory = 1, .n = n + 1};
	t->f.kernels = calloc(n + 1, sizeof(*t->f.kernels));
	assert_non_null(t->f.kernels);
	for (uint32_t k = 0; k <= n; k++) {
		struct sim_kernel *x = &t->f.kernels[k];

		x->program = k ? t->program : NULL;
		x->nctas = k ? blocks : 1;
		x->launch = (struct tr_launch){.number = k,
			.grid = {x->nctas, 1, 1},
			.block = {k ? threads : 256, 1, 1},
			.queue = k ? 16 + k : 0,
			.after = TR_NONE,
			.parent_launch = k ? 0 : TR_NONE,
			.buffer_bytes = 16};
	}
	t->state = calloc(1, policy->state_bytes);
	assert_non_null(t->state);
	t->stats = (struct sim_launch_stats){0};
	assert_int_equal(policy->start(t->state, &l, t->now, &err), 1);
}

static void end(struct table *t)
{
	t->policy->free(t->state);
	free(t->state);
	free(t->f.kernels);
	tr_program_free(t->program);
}

static struct sim_kmu *kmu(struct table *t)
{
	return t->state; /* DTBL's state begins with it */
}

/* Goes to a cycle, and does all that is due on the way. */
static void go(struct table *t, uint64_t to)
{
	while (t->now < to) {
		const uint64_t at = t->policy->until(t->state, t->now);

		assert_true(at > t->now);
		t->now = at < to ? at : to;
		t->policy->run(t->state, t->now);
	}
}

/* Places blocks while there are any: how many. `most` of them. */
static uint32_t place(struct table *t, uint32_t most)
{
	uint32_t n = 0, k;

	for (; n < most && t->policy->offer(t->state, &k, t->now); n++) {
		if (!t->f.kernels[k].began)
			t->f.kernels[k].began = t->now;
		t->f.kernels[k].taken++;
		t->policy->placed(t->state, k, t->now);
	}
	return n;
}

/* A call by x lanes, of which the first launches kernel `first`: its cycles. */
static uint64_t call(struct table *t, enum tr_api kind, uint32_t x, uint32_t first)
{
	struct sim_call c = {.kind = kind, .n = x};

	for (uint32_t i = 0; i < x; i++) {
		c.slot[i] = i;
		c.value[i] = kind == TR_API_LAUNCH ? first + i : 0;
	}
	return t->policy->call(t->state, &c, t->now) - t->now;
}

static uint64_t launch_at(struct table *t, uint32_t slot, uint32_t kernel)
{
	const struct sim_call c = {
		.kind = TR_API_LAUNCH, .n = 1, .slot = {slot}, .value = {kernel}};

	return t->policy->call(t->state, &c, t->now) - t->now;
}

/* The host's kernel is there, and its block runs. */
static void host_runs(struct table *t)
{
	go(t, t->now + 1);
	assert_int_equal(place(t, 1), 1);
	assert_int_equal(place(t, 1), 0);
}

/* ---- known answers ---- */

/* A warp's three calls with x lanes, and what the kernel takes to the distributor. */
static void d1_latencies(void **state)
{
	static const struct {
		uint32_t x;
		uint64_t cdp, dtbl;
	} known[] = {{1, 29096, 8152}, {8, 41143, 9055}, {32, 82447, 12151}};

	(void)state;
	for (size_t i = 0; i < COUNT(known); i++) {
		struct table t;
		uint64_t all, began;
		uint32_t k;

		sim_config_default(&t.c);
		begin(&t, &sim_launch_cdp, 40, 1, 64);
		host_runs(&t);
		all = call(&t, TR_API_STREAM, known[i].x, 0);
		all += call(&t, TR_API_BUFFER, known[i].x, 0);
		t.now += all;
		began = t.now;
		all += call(&t, TR_API_LAUNCH, known[i].x, 1);
		assert_int_equal(all, known[i].cdp);
		go(&t, began + 12187 + 1592 * known[i].x + 283 - 1);
		assert_int_equal(t.policy->offer(t.state, &k, t.now), 0);
		go(&t, t.now + 1);
		assert_int_equal(t.policy->offer(t.state, &k, t.now), 1);
		end(&t);

		begin(&t, &sim_launch_dtbl, 40, 1, 64);
		host_runs(&t);
		launch_at(&t, 0, 40); /* the kernel that they join */
		go(&t, FOREVER);
		assert_int_equal(place(&t, 1), 1);
		all = call(&t, TR_API_STREAM, known[i].x, 0);
		all += call(&t, TR_API_BUFFER, known[i].x, 0);
		all += call(&t, TR_API_LAUNCH, known[i].x, 1); /* the search is hidden */
		assert_int_equal(all, known[i].dtbl);
		assert_int_equal(t.stats.matched, known[i].x);
		end(&t);
	}
}

/* Children of two warps that run for long: 32 kernels of them, or all of them as groups. */
static void d2_occupancy(void **state)
{
	struct table t;
	uint32_t placed;

	(void)state;
	sim_config_default(&t.c);
	begin(&t, &sim_launch_cdp, 400, 1, 64);
	host_runs(&t);
	for (uint32_t k = 1; k <= 400; k++)
		launch_at(&t, k, k);
	go(&t, FOREVER);
	placed = place(&t, 1000);
	assert_int_equal(placed, 31); /* and the host's, whose entry is the 32nd */
	t.policy->ended(t.state, 0, t.now);
	go(&t, FOREVER + 1000);
	placed += place(&t, 1000);
	/* 64 warps of 832: one 13th (3.1). */
	assert_int_equal(placed * 2, 64);
	assert_true(13 * placed * 2 == 13 * 64);
	end(&t);
	begin(&t, &sim_launch_dtbl, 400, 1, 64);
	host_runs(&t);
	launch_at(&t, 0, 400);
	go(&t, FOREVER);
	placed = place(&t, 1);
	for (uint32_t k = 1; k < 400; k++)
		launch_at(&t, k, k);
	placed += place(&t, 1000);
	assert_int_equal(placed, 400);
	end(&t);
}

static void d3_entries(void **state)
{
	struct table t;

	(void)state;
	for (int alike = 0; alike < 2; alike++) {
		sim_config_default(&t.c);
		begin(&t, &sim_launch_dtbl, 10, 1, 64);
		for (uint32_t k = 1; k <= 10; k++)
			t.f.kernels[k].launch.block[0] = alike ? 64 : 32 * k;
		host_runs(&t);
		launch_at(&t, 0, 1);
		go(&t, FOREVER);
		place(&t, 1);
		for (uint32_t k = 2; k <= 10; k++)
			launch_at(&t, k, k);
		go(&t, 2 * FOREVER);
		place(&t, 100);
		assert_int_equal(t.stats.matched, alike ? 9 : 0);
		assert_int_equal(kmu(&t)->used, alike ? 2 : 11); /* the host's among them */
		end(&t);
	}
}

/* Threads 5 and 1029, and one thread twice. */
static void d4_overflow(void **state)
{
	(void)state;
	for (uint32_t agt = 1024; agt <= 2048; agt *= 2) {
		struct table t;

		sim_config_default(&t.c);
		t.c.launch.agt = agt;
		begin(&t, &sim_launch_dtbl, 5, 1, 64);
		host_runs(&t);
		launch_at(&t, 0, 1);
		go(&t, FOREVER);
		place(&t, 1);
		launch_at(&t, 5, 2);
		launch_at(&t, 1029, 3);
		assert_int_equal(t.stats.overflows, agt == 1024);
		launch_at(&t, 5, 4);
		assert_int_equal(t.stats.overflows, agt == 1024 ? 2 : 1);
		assert_int_equal(t.f.kernels[4].overflowed, 1);
		/* Off chip: its block waits for its description; the others' do not. */
		assert_int_equal(place(&t, 100), agt == 1024 ? 1 : 2);
		go(&t, t.now + t.c.launch.overflow - 1);
		assert_int_equal(place(&t, 100), 0);
		go(&t, t.now + 1);
		assert_int_equal(place(&t, 100), agt == 1024 ? 2 : 1);
		/* The entry is free when the group has ended. */
		t.policy->ended(t.state, 2, t.now);
		launch_at(&t, 5, 5);
		assert_int_equal(t.f.kernels[5].overflowed, 0);
		end(&t);
	}
}

/* As many descriptions are read at a time as there are SMs, those of the next groups first. */
static void descriptions_read_at_a_time(void **state)
{
	(void)state;
	for (uint32_t sms = 1; sms <= 3; sms++) {
		struct table t;
		uint32_t began = 0;

		sim_config_default(&t.c);
		t.c.sm.sms = sms;
		begin(&t, &sim_launch_dtbl, 8, 1, 64);
		host_runs(&t);
		launch_at(&t, 0, 1);
		go(&t, FOREVER);
		place(&t, 1);
		for (uint32_t k = 2; k <= 8; k++) /* the first takes the entry of all */
			launch_at(&t, 5, k);
		assert_int_equal(t.stats.overflows, 6);
		/* A group that is being read is in the way of those after it. */
		for (int reads = 0; reads < 6; reads++) {
			began += place(&t, 100);
			assert_int_equal(
				began, 1 + sms * (uint32_t)reads < 7 ? 1 + sms * reads : 7);
			go(&t, t.now + t.c.launch.overflow);
		}
		end(&t);
	}
}

static void d5_list(void **state)
{
	struct table t;
	struct sim_kde *e;

	(void)state;
	sim_config_default(&t.c);
	begin(&t, &sim_launch_dtbl, 3, 2, 64);
	host_runs(&t);
	launch_at(&t, 0, 1);
	go(&t, FOREVER);
	e = &kmu(&t)->kdes[kmu(&t)->grids[1].kde];
	launch_at(&t, 2, 2);
	launch_at(&t, 3, 3);
	assert_int_equal(e->first, 2); /* NAGEI a */
	assert_int_equal(e->last, 3);  /* LAGEI b */
	assert_int_equal(kmu(&t)->grids[2].next, 3);
	assert_int_equal(place(&t, 2), 2); /* the kernel's own blocks */
	assert_int_equal(e->first, 2);
	assert_int_equal(place(&t, 2), 2);
	assert_int_equal(e->first, 3); /* a is handed out: NAGEI b */
	assert_int_equal(e->marked, 1);
	assert_int_equal(place(&t, 2), 2);
	assert_int_equal(e->marked, 0);
	end(&t);
}

static void d6_marked_again(void **state)
{
	struct table t;
	struct sim_kde *e;

	(void)state;
	sim_config_default(&t.c);
	begin(&t, &sim_launch_dtbl, 4, 1, 64);
	host_runs(&t);
	launch_at(&t, 0, 1);
	go(&t, FOREVER);
	e = &kmu(&t)->kdes[kmu(&t)->grids[1].kde];
	assert_int_equal(place(&t, 10), 1);
	assert_int_equal(e->marked, 0); /* all is handed out, and runs */
	assert_int_equal(launch_at(&t, 2, 2), 0);
	assert_int_equal(e->marked, 1);
	assert_int_equal(place(&t, 10), 1);
	t.policy->ended(t.state, 1, t.now);
	assert_int_equal(e->kernel, 1); /* its group runs */
	t.policy->ended(t.state, 2, t.now);
	assert_int_equal(e->kernel, TR_NONE);     /* released */
	assert_int_equal(launch_at(&t, 3, 3), 0); /* a kernel again */
	assert_int_equal(t.stats.matched, 1);
	end(&t);
}

/*
 * Groups that match nothing are kernels, in the distributor as soon as one can be: the latency of
 * cudaLaunchDevice is CDP's alone (table 3). So there are few of them, early (4.2).
 */
static void mismatches_are_early(void **state)
{
	struct table t;
	uint64_t called;
	uint32_t k;

	(void)state;
	sim_config_default(&t.c);
	begin(&t, &sim_launch_dtbl, 100, 1, 64);
	host_runs(&t);
	called = t.now;
	assert_int_equal(call(&t, TR_API_LAUNCH, 1, 1), 0);
	go(&t, called + 283); /* the unit sees it a cycle later */
	assert_int_equal(t.policy->offer(t.state, &k, t.now), 0);
	assert_int_equal(call(&t, TR_API_LAUNCH, 2, 2), 0); /* the first is on its way */
	assert_int_equal(t.stats.matched, 0);
	go(&t, called + 1 + 283);
	assert_int_equal(t.policy->offer(t.state, &k, t.now), 1);
	assert_int_equal(call(&t, TR_API_LAUNCH, 32, 4), 0);
	assert_int_equal(call(&t, TR_API_LAUNCH, 32, 36), 0);
	assert_int_equal(call(&t, TR_API_LAUNCH, 32, 68), 0);
	assert_int_equal(t.stats.matched, 96);
	end(&t);
}

static void d7_the_33rd(void **state)
{
	struct table t;
	uint64_t at;

	(void)state;
	sim_config_default(&t.c);
	begin(&t, &sim_launch_cdp_ideal, 33, 1, 64);
	go(&t, t.now + 1);
	place(&t, 1);
	t.policy->ended(t.state, 0, t.now);
	for (uint32_t k = 1; k <= 33; k++) {
		t.f.kernels[k].launch.queue = k; /* 33 and 1 share a hardware queue */
		launch_at(&t, k, k);
	}
	go(&t, FOREVER);
	assert_int_equal(place(&t, 100), 32);
	assert_int_equal(t.policy->until(t.state, t.now), UINT64_MAX);
	at = t.now;
	t.policy->ended(t.state, 1, t.now);
	go(&t, t.now + 1);
	assert_int_equal(place(&t, 100), 1);
	assert_true(t.f.kernels[33].began == at + 1);
	end(&t);
}

/* Calls end in the order of their cycles, whatever the order in which they began. */
static void calls_by_their_end(void **state)
{
	enum { N = 31, APART = 1000 }; /* as many as have an entry beside the host's */
	struct table t;
	uint64_t began;

	(void)state;
	sim_config_default(&t.c);
	begin(&t, &sim_launch_cdp, N, 1, 64);
	host_runs(&t);
	began = t.now;
	for (uint32_t k = 1; k <= N; k++)
		sim_kmu_queue(kmu(&t), k, began + APART * (1 + 12 * k % N));
	for (uint32_t k, n = 1; n <= N; n++) {
		go(&t, began + APART * n + t.c.launch.dispatch - 1);
		assert_int_equal(t.policy->offer(t.state, &k, t.now), 0);
		go(&t, t.now + 1);
		assert_int_equal(t.policy->offer(t.state, &k, t.now), 1);
		assert_int_equal(1 + 12 * k % N, n);
		assert_int_equal(place(&t, 1), 1);
	}
	end(&t);
}

/* A kernel that launches itself is joined, though it has the distributor's first entry. */
static void d9_itself(void **state)
{
	struct table t;

	(void)state;
	sim_config_default(&t.c);
	begin(&t, &sim_launch_dtbl, 1, 1, 256);
	t.f.kernels[0].program = t.program;
	host_runs(&t);
	assert_int_equal(kmu(&t)->kdes[0].kernel, 0);
	launch_at(&t, 0, 1);
	assert_int_equal(t.stats.matched, 1);
	assert_int_equal(kmu(&t)->kdes[0].first, 1);
	assert_int_equal(place(&t, 2), 1); /* at once: it takes no way to the distributor */
	end(&t);
}

static void d8_storage(void **state)
{
	struct sim_config c;

	(void)state;
	sim_config_default(&c);
	read_preset(&c, "k20c");
	assert_int_equal(sim_dtbl_bytes(&c), 1096);
	assert_int_equal(sim_dtbl_agt_bytes(&c), 20480);
}

/* Launches of a stream keep their order, whichever call ends first. */
static void streams(void **state)
{
	struct table t;
	uint32_t k;

	(void)state;
	sim_config_default(&t.c);
	begin(&t, &sim_launch_cdp, 2, 1, 64);
	t.f.kernels[1].launch.queue = t.f.kernels[2].launch.queue = 16;
	t.f.kernels[2].launch.after = 1;
	host_runs(&t);
	launch_at(&t, 0, 2); /* its warp called first */
	t.now += 5;
	launch_at(&t, 1, 1);
	go(&t, FOREVER);
	assert_int_equal(t.policy->offer(t.state, &k, t.now), 1);
	assert_int_equal(k, 1);
	assert_int_equal(place(&t, 10), 1);
	go(&t, 2 * FOREVER);
	assert_int_equal(place(&t, 10), 0);
	t.policy->ended(t.state, 1, t.now);
	go(&t, t.now + 1000);
	assert_int_equal(place(&t, 10), 1);
	end(&t);
}

/* What pends, and for how long. */
static void footprint(void **state)
{
	struct table t;

	(void)state;
	sim_config_default(&t.c);
	t.c.launch.record_bytes = 44;
	begin(&t, &sim_launch_cdp, 3, 1, 64);
	t.f.kernels[3].launch.buffer_bytes = 257;
	host_runs(&t);
	for (uint32_t k = 1; k <= 3; k++)
		launch_at(&t, k, k);
	assert_int_equal(t.stats.footprint, 256 + 256 + 512 + 3 * 44);
	assert_int_equal(t.stats.launches, 3);
	assert_int_equal(t.stats.threads, 3 * 64);
	go(&t, FOREVER);
	place(&t, 100);
	assert_int_equal(kmu(&t)->pending, 0);
	assert_true(t.stats.waited == 3 * (FOREVER - 2));
	end(&t);
}

/* ---- whole replays ---- */

static const char *const modes[] = {
	"serial", "concurrent", "cdp", "cdp-ideal", "dtbl", "dtbl-ideal"};

struct outcome {
	struct sim_stats total;
	uint64_t hash;
	uint64_t by_name[3]; /* thread instructions of the first programs, by their place */
	const char *names[3];
};

static int told(
	void *arg, const struct tr_launch *l, const struct tr_program *p, const struct sim_stats *s)
{
	struct outcome *o = arg;

	(void)l;
	for (uint32_t i = 0; i < p->ninsts; i++) {
		/* Opcodes tell instructions of programs side by side apart well enough. */
		const char *op = tr_str(p, p->insts[i].opcode);
		uint64_t h = 14695981039346656037ull;

		for (; *op; op++)
			h = (h ^ (uint8_t)*op) * 1099511628211ull;
		o->by_name[0] += h * s->insts[i].thread_insts;
	}
	return 1;
}

static struct outcome replay(const struct trace *trace, const char *preset, const char *mode,
	const char *warp, int tick, void (*change)(struct sim_config *))
{
	struct outcome o = {.hash = 0};
	struct sim_result res;
	struct tr_reader *r;
	struct trial t = {0};
	FILE *f = fmemopen(trace->bytes, trace->len, "rb");

	sim_config_default(&t.opt.config);
	read_preset(&t.opt.config, preset);
	assert_int_equal(sim_launch_parse(mode, &t.opt.config.launch.mode, &t.err), 1);
	if (change)
		change(&t.opt.config);
	trial_policies(&t, t.opt.config.scheduler, warp);
	t.opt.tick = tick;
	t.opt.launched = told;
	t.opt.arg = &o;
	assert_int_equal(tr_reader_open(&r, f, NULL, &t.err), 1);
	if (sim_replay(r, &t.opt, &res, &t.err) < 0)
		fail_msg("%s under %s: %s", mode, warp, t.err.msg);
	tr_reader_close(r);
	fclose(f);
	o.total = res.total;
	o.hash = res.hash;
	sim_stats_free(&res.total);
	return o;
}

static struct trace record_form(const char *form, const char *more)
{
	char text[100];

	snprintf(text, sizeof(text), "form=%s,%s", form, more);
	return record_run(wl_find("bfs-dyn"), text, "datasets/workloads/bfs-dyn/bfs-dyn.ptx");
}

/* What a mode counts of launches by threads, as the bytes of its tables, is its own. */
static void assert_same_but_launches(const struct sim_stats *a, const struct sim_stats *b)
{
	const struct sim_stat *f;

	for (unsigned i = 0; (f = sim_stats_at(i)); i++)
		if (f->group != SIM_STAT_OF_LAUNCH &&
			memcmp(sim_stats_numbers(a, f), sim_stats_numbers(b, f),
				f->n * sizeof(uint64_t)))
			fail_msg("%s differs", f->name);
}

/* A record without launches by threads is the same under all modes. */
static void flat_is_flat(void **state)
{
	struct trace flat = record_form("flat", "nodes=200");
	struct sim_stats first = {0};

	(void)state;
	for (size_t m = 0; m < COUNT(modes); m++) {
		const struct outcome o = replay(&flat, "k20c", modes[m], "fixed:32", 0, NULL);

		if (!m)
			first = o.total;
		assert_same_but_launches(&o.total, &first);
		assert_int_equal(o.total.launch.launches, 0);
	}
	free(flat.bytes);
}

/* Every thread of every launch runs its record, in every mode: stepped as slept. */
static void all_run(void **state)
{
	static const char *const warps[] = {
		"fixed:32", "mimd", "fixed:8", "dualpath", "null", "its", "its:switch=stall"};
	struct trace dyn = record_form("dyn", "nodes=400");
	struct outcome serial = replay(&dyn, "k20c", "serial", "fixed:32", 0, NULL);

	(void)state;
	for (size_t m = 0; m < COUNT(modes); m++)
		for (size_t w = 0; w < COUNT(warps); w++) {
			const char *preset = w % 2 ? "ccws" : "k20c";
			const struct outcome o = replay(&dyn, preset, modes[m], warps[w], 0, NULL);

			assert_int_equal(o.total.thread_insts, serial.total.thread_insts);
			assert_int_equal(o.total.ended, serial.total.ended);
			assert_true(o.by_name[0] == serial.by_name[0]);
			if (m)
				assert_true(o.total.launch.launches > 10);
			if (w < 2) {
				const struct outcome ticked =
					replay(&dyn, preset, modes[m], warps[w], 1, NULL);

				assert_true(ticked.hash == o.hash);
			}
		}
	free(dyn.bytes);
}

static void no_latencies(struct sim_config *c)
{
	c->launch.stream = c->launch.buffer = c->launch.buffer_thread = 0;
	c->launch.device = c->launch.device_thread = c->launch.dispatch = 0;
	c->launch.search = c->launch.overflow = 0;
}

static void ideal_is_without_latencies(void **state)
{
	struct trace dyn = record_form("dyn", "nodes=400");

	(void)state;
	for (int dtbl = 0; dtbl < 2; dtbl++) {
		const char *mode = dtbl ? "dtbl" : "cdp";
		const struct outcome a = replay(&dyn, "k20c", mode, "fixed:32", 0, no_latencies);
		const struct outcome b = replay(
			&dyn, "k20c", dtbl ? "dtbl-ideal" : "cdp-ideal", "fixed:32", 0, NULL);
		const struct outcome c = replay(&dyn, "k20c", mode, "fixed:32", 0, NULL);

		assert_true(a.hash == b.hash);
		assert_true(c.total.cycles > b.total.cycles);
		assert_true(c.total.launch.api_cycles > 0 && b.total.launch.api_cycles == 0);
	}
	free(dyn.bytes);
}

static void no_limits(struct sim_config *c)
{
	c->launch.kde = c->launch.hwq = 512; /* more than there are launches at a time */
	c->launch.agt = 1 << 16;
}

/*
 * With room for all and without latencies groups are worth nothing: CDP is as fast, but for kernels
 * that leave their queues one a cycle, and one cycle after the call, and what memory makes of it.
 */
static void without_limits_both_are_alike(void **state)
{
	struct trace dyn = record_form("dyn", "nodes=400");
	const struct outcome cdp = replay(&dyn, "k20c", "cdp-ideal", "fixed:32", 0, no_limits);
	const struct outcome dtbl = replay(&dyn, "k20c", "dtbl-ideal", "fixed:32", 0, no_limits);
	const uint64_t launches = cdp.total.launch.launches;
	const uint64_t apart = launches + dtbl.total.cycles / 200;

	(void)state;
	assert_true(launches > 0 && launches == dtbl.total.launch.launches);
	assert_true(cdp.total.thread_insts == dtbl.total.thread_insts);
	assert_true(cdp.total.cycles <= dtbl.total.cycles + apart);
	assert_true(dtbl.total.cycles <= cdp.total.cycles + apart);
	assert_int_equal(dtbl.total.launch.overflows, 0);
	free(dyn.bytes);
}

/* Other policies know one kernel at a time, and say so. */
static void policies_of_one_kernel(void **state)
{
	struct trace dyn = record_form("dyn", "nodes=100");
	struct sim_result res;
	struct tr_reader *r;
	struct trial t = {0};
	FILE *f = fmemopen(dyn.bytes, dyn.len, "rb");

	(void)state;
	sim_config_default(&t.opt.config);
	t.opt.config.launch.mode = SIM_LAUNCH_DTBL;
	trial_policies(&t, "gto", "dwf");
	assert_int_equal(tr_reader_open(&r, f, NULL, &t.err), 1);
	assert_int_equal(sim_replay(r, &t.opt, &res, &t.err), TR_EUSAGE);
	assert_non_null(strstr(t.err.msg, "dwf knows one kernel at a time"));
	sim_stats_free(&res.total);
	tr_reader_close(r);
	fclose(f);
	free(dyn.bytes);
}

/* ---- streams of the host ---- */

/* The record once more, its launches in streams of their own, or all in one. */
static struct trace with_streams(const struct trace *from, int own)
{
	struct tr_err err = {0};
	struct trace to;
	FILE *f = fmemopen(from->bytes, from->len, "rb"), *out = open_memstream(&to.bytes, &to.len);
	struct tr_reader *r;
	struct tr_writer *w;
	struct tr_cta cta;
	int event, programs = 0;

	tr_cta_init(&cta);
	assert_int_equal(tr_reader_open(&r, f, NULL, &err), 1);
	assert_int_equal(tr_writer_open(&w, out, NULL, &err), 1);
	while ((event = tr_reader_next(r, &err)) > 0) {
		if (event == TR_LAUNCH) {
			struct tr_launch l = *tr_reader_launch(r);

			if (l.number)
				assert_int_equal(tr_writer_launch_end(w, &err), 1);
			l.queue = own ? 1 + l.number : 1;
			l.after = own || !l.number ? TR_NONE : l.number - 1;
			l.ncopies = 0;
			for (; programs <= (int)l.program; programs++)
				assert_int_equal(
					tr_writer_program(w, tr_reader_program(r), &err), programs);
			assert_int_equal(tr_writer_launch(w, &l, &err), 1);
		} else {
			assert_int_equal(tr_reader_cta(r, &cta, &err), 1);
			assert_int_equal(tr_writer_cta(w, &cta, &err), 1);
		}
	}
	assert_int_equal(event, TR_END);
	assert_int_equal(tr_writer_launch_end(w, &err), 1);
	assert_int_equal(tr_writer_close(w, &err), 1);
	tr_cta_free(&cta);
	tr_reader_close(r);
	fclose(f);
	fclose(out);
	return to;
}

static void streams_overlap(void **state)
{
	struct trace flat = record_form("flat", "nodes=300");
	struct trace own = with_streams(&flat, 1), one = with_streams(&flat, 0);
	const struct outcome serial = replay(&own, "k20c", "serial", "fixed:32", 0, NULL);
	const struct outcome beside = replay(&own, "k20c", "concurrent", "fixed:32", 0, NULL);
	const struct outcome after = replay(&one, "k20c", "concurrent", "fixed:32", 0, NULL);
	const struct outcome cdp = replay(&own, "k20c", "cdp", "fixed:32", 0, NULL);

	(void)state;
	assert_int_equal(beside.total.thread_insts, serial.total.thread_insts);
	assert_int_equal(after.total.thread_insts, serial.total.thread_insts);
	assert_true(2 * beside.total.cycles < serial.total.cycles);
	assert_true(after.total.cycles > 2 * beside.total.cycles);
	/* Only launches by threads run beside others. */
	assert_same_but_launches(&cdp.total, &serial.total);
	free(flat.bytes);
	free(own.bytes);
	free(one.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(d1_latencies),
		cmocka_unit_test(d2_occupancy),
		cmocka_unit_test(d3_entries),
		cmocka_unit_test(d4_overflow),
		cmocka_unit_test(descriptions_read_at_a_time),
		cmocka_unit_test(d5_list),
		cmocka_unit_test(d6_marked_again),
		cmocka_unit_test(mismatches_are_early),
		cmocka_unit_test(d7_the_33rd),
		cmocka_unit_test(calls_by_their_end),
		cmocka_unit_test(d9_itself),
		cmocka_unit_test(d8_storage),
		cmocka_unit_test(streams),
		cmocka_unit_test(footprint),
		cmocka_unit_test(flat_is_flat),
		cmocka_unit_test(all_run),
		cmocka_unit_test(ideal_is_without_latencies),
		cmocka_unit_test(without_limits_both_are_alike),
		cmocka_unit_test(policies_of_one_kernel),
		cmocka_unit_test(streams_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
