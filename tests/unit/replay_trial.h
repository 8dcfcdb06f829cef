/*
 * Small thread traces for the replay machine: a program is written instruction by instruction, and
 * each instruction that records something is given the function that says what a thread records
 * there. Traces are written to memory and replayed from there.
 */
#ifndef REPLAY_TRIAL_H
#define REPLAY_TRIAL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "sim/launch/replay.h"
#include "walked_path.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- programs ---- */

/* One execution of an instruction by one thread. */
struct at {
	uint32_t cta, thread, visit; /* visit: how often the thread was there before */
	uint64_t x;                  /* the instruction's own number */
};
typedef uint64_t (*record_fn)(const struct at *a);

#define INSTS_MAX 512
#define LABEL 0x40000000u /* a successor from here on is a label until the program is whole */

struct kernel {
	struct tr_program *p;
	record_fn outcome[INSTS_MAX], value[INSTS_MAX];
	uint64_t x[INSTS_MAX];
	uint32_t label[64], nlabels;
};

static inline void kernel_begin(struct kernel *k, const char *name)
{
	memset(k, 0, sizeof(*k));
	k->p = tr_program_new(name);
	assert_non_null(k->p);
}

static inline uint32_t reg(struct kernel *k)
{
	int64_t r = tr_program_reg(k->p, "%r", 32);

	assert_true(r >= 0);
	return (uint32_t)r;
}

static inline uint32_t label(struct kernel *k)
{
	assert_true(k->nlabels < 64);
	return LABEL + k->nlabels++;
}

static inline void here(struct kernel *k, uint32_t label)
{
	k->label[label - LABEL] = k->p->ninsts;
}

/* Appends an instruction with at most one destination and one source (or TR_NONE). */
static inline uint32_t emit(struct kernel *k, struct tr_inst in, uint32_t dst, uint32_t src,
	const uint32_t *succ, uint32_t nsucc)
{
	int64_t n;

	assert_true(k->p->ninsts < INSTS_MAX);
	in.opcode = (uint32_t)tr_program_string(k->p, tr_class_name((enum tr_class)in.cls));
	in.file = TR_NONE;
	n = tr_program_inst(k->p, &in, &dst, dst != TR_NONE, &src, src != TR_NONE, succ, nsucc);
	assert_true(n >= 0);
	return (uint32_t)n;
}

static inline uint32_t plain(struct kernel *k, struct tr_inst in, uint32_t dst, uint32_t src)
{
	uint32_t next = k->p->ninsts + 1;

	return emit(k, in, dst, src, &next, 1);
}

static inline uint32_t op(struct kernel *k, enum tr_class cls, uint32_t dst, uint32_t src)
{
	struct tr_inst in = {.cls = (uint8_t)cls, .guard = TR_NONE, .base = TR_NONE};

	return plain(k, in, dst, src);
}

/* n instructions, each of which needs the result of the one before. */
static inline void chain(struct kernel *k, unsigned n)
{
	uint32_t r = reg(k);

	while (n--)
		op(k, TR_C_INT, r, r);
}

/* n instructions that need nothing of each other. */
static inline void straight(struct kernel *k, unsigned n)
{
	while (n--)
		op(k, TR_C_INT, reg(k), TR_NONE);
}

/* An access of `bytes` by each lane; its guard, where `guard` is given, is what that says. */
static inline uint32_t access_guarded(struct kernel *k, enum tr_class cls, enum tr_space space,
	unsigned bytes, uint32_t dst, uint32_t src, record_fn address, uint64_t x, record_fn guard)
{
	struct tr_inst in = {.cls = (uint8_t)cls,
		.space = (uint8_t)space,
		.bytes = (uint8_t)bytes,
		.vec = 1,
		.base = reg(k),
		.guard = guard ? reg(k) : TR_NONE};
	uint32_t n = plain(k, in, dst, src);

	k->outcome[n] = guard;
	k->value[n] = address;
	k->x[n] = x;
	return n;
}

static inline uint32_t access_to(struct kernel *k, enum tr_class cls, enum tr_space space,
	unsigned bytes, uint32_t dst, uint32_t src, record_fn address, uint64_t x)
{
	return access_guarded(k, cls, space, bytes, dst, src, address, x, NULL);
}

static inline uint32_t load(
	struct kernel *k, uint32_t dst, uint32_t src, record_fn address, uint64_t x)
{
	return access_to(k, TR_C_LOAD, TR_S_GLOBAL, 4, dst, src, address, x);
}

static inline uint32_t store(struct kernel *k, uint32_t src, record_fn address, uint64_t x)
{
	return access_to(k, TR_C_STORE, TR_S_GLOBAL, 4, TR_NONE, src, address, x);
}

static inline void jump(struct kernel *k, uint32_t to)
{
	struct tr_inst in = {.cls = TR_C_BRANCH, .guard = TR_NONE, .base = TR_NONE};

	emit(k, in, TR_NONE, TR_NONE, &to, 1);
}

static inline void branch(struct kernel *k, uint32_t to, record_fn taken, uint64_t x)
{
	struct tr_inst in = {.cls = TR_C_BRANCH, .guard = reg(k), .base = TR_NONE};
	uint32_t succ[2] = {k->p->ninsts + 1, to}, n;

	n = emit(k, in, TR_NONE, TR_NONE, succ, 2);
	k->outcome[n] = taken;
	k->x[n] = x;
}

static inline void leave(struct kernel *k)
{
	struct tr_inst in = {.cls = TR_C_EXIT, .guard = TR_NONE, .base = TR_NONE};

	emit(k, in, TR_NONE, TR_NONE, NULL, 0);
}

static inline void leave_if(struct kernel *k, record_fn goes, uint64_t x)
{
	struct tr_inst in = {.cls = TR_C_EXIT, .guard = reg(k), .base = TR_NONE};
	uint32_t succ[2] = {k->p->ninsts + 1, TR_EXIT}, n;

	n = emit(k, in, TR_NONE, TR_NONE, succ, 2);
	k->outcome[n] = goes;
	k->x[n] = x;
}

/* threads: how many it waits for, 0: all; arrive: it does not wait. */
static inline void barrier(struct kernel *k, int64_t id, uint32_t threads, int arrive)
{
	struct tr_inst in = {.cls = TR_C_BARRIER,
		.guard = TR_NONE,
		.base = TR_NONE,
		.disp = id,
		.aux = threads,
		.flags = arrive ? TR_I_ARRIVE : 0};

	plain(k, in, TR_NONE, TR_NONE);
}

/* The program ends with an exit of all that are left. */
static inline void kernel_end(struct kernel *k)
{
	struct tr_err err;

	leave(k);
	for (uint32_t i = 0; i < k->p->nsucc_pool; i++)
		if (k->p->succ_pool[i] >= LABEL && k->p->succ_pool[i] < TR_EXIT)
			k->p->succ_pool[i] = k->label[k->p->succ_pool[i] - LABEL];
	assert_int_equal(tr_program_analyze(k->p, &err), 1);
	assert_int_equal(tr_program_validate(k->p, &err), 1);
}

/* ---- what threads record ---- */

static inline uint64_t always(const struct at *a)
{
	return a->x;
}

/* Words of 4 bytes from x on, one a thread of the grid, as if blocks had 1024 threads. */
static inline uint64_t words(const struct at *a)
{
	return a->x + 4 * (1024ull * a->cta + a->thread);
}

static inline uint64_t even_lane(const struct at *a)
{
	return a->thread % 2 == 0;
}

static inline uint64_t straight_lines(const struct at *a)
{
	return a->x + a->thread % 32 * 128;
}

/* A line of its own for each warp, load and round: no reuse. */
static inline uint64_t fresh_lines(const struct at *a)
{
	return 0x10000000 + (a->x * 64 + a->thread / 32) * 128 + a->thread % 32 * 4;
}

static inline uint64_t strided_local(const struct at *a)
{
	return a->x;
}

static inline uint64_t strided(const struct at *a)
{
	return a->x * 4 * a->thread;
}

/* Outcome: 1 from thread x of the CTA on. */
static inline uint64_t from_thread(const struct at *a)
{
	return a->thread >= a->x;
}

/* ---- traces ---- */

struct stage { /* a launch */
	const struct kernel *kernel;
	uint32_t ctas, threads, registers, shared_bytes;
	uint32_t rows;                   /* of its grid; 0: one */
	uint32_t cluster[3];             /* 0: none */
	int stated;                      /* the registers, though they are those of liveness */
	const struct tr_sync_read *sync; /* of each CTA, or of one in so many */
	uint32_t nsync, sync_every;
};

struct trace {
	char *bytes;
	size_t len;
};

static inline void record_thread(
	const struct kernel *k, uint32_t cta, uint32_t thread, struct tr_thread *t)
{
	static uint32_t visits[INSTS_MAX];
	struct at a = {.cta = cta, .thread = thread};
	uint32_t next;

	memset(visits, 0, sizeof(visits));
	for (uint32_t i = 0; i != TR_EXIT; i = next) {
		const struct tr_inst *in = &k->p->insts[i];
		uint32_t outcome = 1;

		a.visit = visits[i]++;
		a.x = k->x[i];
		if (in->flags & TR_I_OUTCOME) {
			outcome = (uint32_t)k->outcome[i](&a);
			t->outcomes = realloc(t->outcomes, t->noutcomes + 1);
			assert_non_null(t->outcomes);
			t->outcomes[t->noutcomes++] = (uint8_t)outcome;
		}
		if (in->flags & TR_I_VALUE && outcome) {
			t->values = realloc(t->values, (t->nvalues + 1) * sizeof(*t->values));
			assert_non_null(t->values);
			t->values[t->nvalues++] = k->value[i](&a);
		}
		next = in->nsucc ? k->p->succ_pool[in->succ + (in->nsucc > 1 ? outcome : 0)]
				 : TR_EXIT;
	}
}

static inline void record_cta(struct tr_writer *w, const struct stage *s, uint32_t number)
{
	struct tr_cta cta = {.number = number, .nthreads = s->threads};
	struct tr_err err;

	if (!s->sync_every || number % s->sync_every == 0)
		cta.nsync = s->nsync;
	cta.threads = calloc(s->threads, sizeof(*cta.threads));
	assert_non_null(cta.threads);
	cta.sync = (struct tr_sync_read *)s->sync;
	for (uint32_t t = 0; t < s->threads; t++)
		record_thread(s->kernel, number, t, &cta.threads[t]);
	if (tr_writer_cta(w, &cta, &err) < 0)
		fail_msg("%s", err.msg);
	for (uint32_t t = 0; t < s->threads; t++) {
		free(cta.threads[t].outcomes);
		free(cta.threads[t].values);
	}
	free(cta.threads);
}

static inline struct trace record_stages(const struct stage *stages, unsigned n)
{
	struct tr_writer *w;
	struct tr_err err;
	struct trace t;
	FILE *f = open_memstream(&t.bytes, &t.len);

	assert_non_null(f);
	assert_int_equal(tr_writer_open(&w, f, NULL, &err), 1);
	for (unsigned i = 0; i < n; i++) {
		const struct stage *s = &stages[i];
		const uint32_t rows = s->rows ? s->rows : 1;
		struct tr_launch l = {.grid = {s->ctas / rows, rows, 1},
			.cluster = {s->cluster[0], s->cluster[1], s->cluster[2]},
			.block = {s->threads, 1, 1},
			.registers = s->registers,
			.registers_stated = (uint8_t)s->stated,
			.shared_bytes = s->shared_bytes,
			.after = TR_NONE,
			.parent_launch = TR_NONE,
			.parent_cta = TR_NONE,
			.parent_thread = TR_NONE};
		int64_t program = tr_writer_program(w, s->kernel->p, &err);

		assert_true(program >= 0);
		l.program = (uint32_t)program;
		assert_int_equal(tr_writer_launch(w, &l, &err), 1);
		for (uint32_t c = 0; c < s->ctas; c++)
			record_cta(w, s, c);
		assert_int_equal(tr_writer_launch_end(w, &err), 1);
	}
	assert_int_equal(tr_writer_close(w, &err), 1);
	fclose(f);
	return t;
}

/* One launch. */
static inline struct trace record(const struct kernel *k, uint32_t ctas, uint32_t threads)
{
	const struct stage s = {.kernel = k, .ctas = ctas, .threads = threads};

	return record_stages(&s, 1);
}

static inline struct tr_reader *trace_open(const struct trace *t, FILE **f)
{
	struct tr_reader *r;
	struct tr_err err;

	*f = fmemopen(t->bytes, t->len, "rb");
	assert_non_null(*f);
	assert_int_equal(tr_reader_open(&r, *f, NULL, &err), 1);
	return r;
}

/* The threads' paths in one number, as the replay makes it, by walking each thread alone. */
static inline uint64_t walked_paths(const struct trace *t)
{
	struct tr_err err;
	struct tr_cta cta;
	uint64_t sum = 0;
	FILE *f;
	struct tr_reader *r = trace_open(t, &f);
	int event;

	tr_cta_init(&cta);
	while ((event = tr_reader_next(r, &err)) > 0) {
		const struct tr_program *p = tr_reader_program(r);

		if (event != TR_CTA)
			continue;
		assert_int_equal(tr_reader_cta(r, &cta, &err), 1);
		for (uint32_t i = 0; i < cta.nthreads; i++)
			sum += walked_path(p, &cta.threads[i]);
	}
	assert_int_equal(event, TR_END);
	tr_cta_free(&cta);
	tr_reader_close(r);
	fclose(f);
	return sum;
}

/* ---- replays ---- */

#define STAGES_MAX 32

struct trial {
	struct sim_replay opt;
	struct sim_result res;
	struct sim_stats stats[STAGES_MAX]; /* of the first launches; insts are the trial's */
	uint32_t n;
	int rc;
	struct tr_err err;
};

/* "sm.sms=1 memory.part=perfect" over a machine. */
static inline void machine_set(struct sim_config *c, const char *settings)
{
	char text[1024], *save = NULL;
	struct tr_err err;

	assert_true(strlen(settings) < sizeof(text));
	strcpy(text, settings);
	for (char *s = strtok_r(text, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
		char *value = strchr(s, '=');

		assert_non_null(value);
		*value++ = 0;
		if (sim_config_set(c, s, value, &err) < 0)
			fail_msg("%s", err.msg);
	}
}

/*
 * One SM of warps of 32 that issue in a cycle, results after 6 cycles, a memory unit that makes one
 * transaction a cycle, any number of misses of an L1D of 16 KB with lines of 128 bytes, and a
 * memory that answers after 100 cycles.
 */
static inline void machine_plain(struct sim_config *c)
{
	sim_config_default(c);
	machine_set(c, "sm.sms=1 sm.fetch_latency=0 sm.lsu_queue=2 sm.lsu_rate=1 "
		       "l1d.hit_latency=20 texture.hit_latency=20 "
		       "memory.part=perfect memory.latency=100 l1d.size=16K l1d.index=modulo "
		       "l1d.mshrs=4096 l1d.merges=4096 l1d.miss_queue=4096");
}

static inline void trial_policies(struct trial *t, const char *sched, const char *warp)
{
	struct tr_err err;

	if (sim_sched_parse(sched, &t->opt.sched, t->opt.sched_params, &err) < 0 ||
		sim_warp_policy_parse(warp, &t->opt.warp, t->opt.warp_params, &err) < 0)
		fail_msg("%s", err.msg);
}

static inline void trial_begin(struct trial *t, const char *settings)
{
	memset(t, 0, sizeof(*t));
	machine_plain(&t->opt.config);
	machine_set(&t->opt.config, settings);
	trial_policies(t, "lrr", "fixed");
}

static inline int trial_launched(
	void *arg, const struct tr_launch *l, const struct tr_program *p, const struct sim_stats *s)
{
	struct trial *t = arg;
	struct sim_stats *kept = &t->stats[t->n], fresh;

	(void)l;
	(void)p;
	if (t->n == STAGES_MAX)
		return 1;
	t->n++;
	*kept = *s;
	assert_int_equal(sim_stats_init(&fresh, s->ninsts, s->counters), 0);
	kept->insts = fresh.insts;
	kept->policy_insts = fresh.policy_insts;
	for (uint32_t c = 0; s->counters && s->counters[c].name; c++)
		memcpy(kept->policy_insts + (size_t)c * s->ninsts,
			s->policy_insts + (size_t)c * s->ninsts,
			s->ninsts * sizeof(*s->policy_insts));
	memcpy(kept->insts, s->insts, s->ninsts * sizeof(*s->insts));
	return 1;
}

static inline void trial_end(struct trial *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		sim_stats_free(&t->stats[i]);
	t->n = 0;
	sim_stats_free(&t->res.total);
}

/* Replays; may be done again with other options. */
static inline void trial_run(struct trial *t, const struct trace *trace)
{
	FILE *f;
	struct tr_reader *r = trace_open(trace, &f);

	trial_end(t);
	t->opt.launched = trial_launched;
	t->opt.arg = t;
	t->rc = sim_replay(r, &t->opt, &t->res, &t->err);
	tr_reader_close(r);
	fclose(f);
}

static inline void trial_must_run(struct trial *t, const struct trace *trace)
{
	trial_run(t, trace);
	if (t->rc < 0)
		fail_msg("%s", t->err.msg);
}

/* ---- replays that are worked out on paper ---- */

/* Cycles of a launch beyond the number of the one in which its last exit issues. */
#define THROUGH 2

/* Near enough, within `share` of what is expected. */
static inline void assert_close(double value, double expected, double share)
{
	if (value < expected * (1 - share) || value > expected * (1 + share))
		fail_msg("%g is not within %g %% of %g", value, 100 * share, expected);
}

/* One launch, whose program is done with. */
static inline struct trace one_launch(struct kernel *k, uint32_t ctas, uint32_t threads)
{
	struct trace t = record(k, ctas, threads);

	tr_program_free(k->p);
	return t;
}

static inline void replay_once(struct trial *t, const struct trace *trace)
{
	trial_must_run(t, trace);
	free(trace->bytes);
}

/* A replay of one warp, which is handed over before it is freed. */
static inline struct sim_stats one_warp(struct kernel *k, const char *settings)
{
	struct trial t;
	struct trace trace;
	struct sim_stats s;

	kernel_end(k);
	trace = one_launch(k, 1, 32);
	trial_begin(&t, settings);
	replay_once(&t, &trace);
	s = t.stats[0];
	s.insts = NULL;
	s.policy_insts = NULL;
	trial_end(&t);
	return s;
}

#endif
