/*
 * Warps without time. Random programs with loops, tables, barriers and exits anywhere, random walks
 * of all threads through them: for every warp size and order each thread makes its own accesses, in
 * its own order; in warps of one the trips are those of the walk; in warps of 32 instructions are
 * counted as sim/access/summary does. Orders, places, occupancy and forced barriers by hand. And
 * what an instruction's accesses become: spaces, local memory, words that share lines.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/access/requests.h"
#include "warps_twin.h"
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 600

static uint64_t rng = 1;

static uint32_t below(uint32_t n)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(rng >> 33) % n;
}

/* ---- programs and walks ---- */

static void add(struct tr_program *p, struct tr_inst in, const uint32_t *succ, uint32_t n)
{
	in.opcode = (uint32_t)tr_program_string(p, "op");
	in.file = TR_NONE;
	assert_true(tr_program_inst(p, &in, NULL, 0, NULL, 0, succ, n) >= 0);
}

static struct tr_program *random_program(void)
{
	struct tr_program *p = tr_program_new("k");
	const uint32_t guard = (uint32_t)tr_program_reg(p, "%p1", 1);
	const uint32_t base = (uint32_t)tr_program_reg(p, "%rd1", 64), n = 5 + below(30);
	struct tr_err err;

	for (uint32_t i = 0; i < n; i++) {
		struct tr_inst in = {.guard = TR_NONE, .base = TR_NONE};
		const uint32_t near = i > 4 ? i - below(5) : i + 1;
		uint32_t succ[4] = {
			i + 1, below(3) ? near : below(n + 1), below(n + 1), below(n + 1)};
		uint32_t nsucc = 1;

		switch (below(9)) {
		case 0:
		case 1:
			in.cls = TR_C_BRANCH;
			in.guard = guard;
			nsucc = 2;
			break;
		case 2:
			in.cls = TR_C_BRANCH;
			in.flags = TR_I_INDEXED;
			in.guard = below(2) ? guard : TR_NONE;
			nsucc = 4;
			break;
		case 3:
			in.cls = TR_C_EXIT;
			in.guard = guard;
			succ[1] = TR_EXIT;
			nsucc = 2;
			break;
		case 4:
			in.cls = TR_C_BARRIER;
			in.disp = below(2);
			in.aux = below(4) ? 0 : 64;
			in.flags = below(4) ? 0 : TR_I_ARRIVE;
			in.guard = below(4) ? TR_NONE : guard;
			break;
		case 5:
			in.cls = TR_C_COLLECTIVE;
			in.flags = TR_I_COLLECTIVE;
			break;
		case 6:
			in.cls = TR_C_INT;
			break;
		default:
			in.cls = TR_C_LOAD;
			in.space = below(2) ? TR_S_GENERIC : below(2) ? TR_S_GLOBAL : TR_S_PARAM;
			in.bytes = 4;
			in.vec = 1;
			in.base = below(5) ? base : TR_NONE;
			in.disp = 64;
			in.guard = below(2) ? guard : TR_NONE;
		}
		add(p, in, succ, nsucc);
	}
	add(p, (struct tr_inst){.cls = TR_C_EXIT, .guard = TR_NONE, .base = TR_NONE}, NULL, 0);
	assert_int_equal(tr_program_analyze(p, &err), 1);
	return p;
}

/* A thread's random walk; 0 if it takes too long. */
static int random_walk(const struct tr_program *p, struct tr_thread *t)
{
	uint32_t at = 0;

	t->noutcomes = t->nvalues = 0;
	for (unsigned step = 0; step < STEPS_MAX; step++) {
		const struct tr_inst *in = &p->insts[at];
		uint32_t outcome = 0;

		if (in->flags & TR_I_OUTCOME) {
			outcome = below(in->nsucc > 1 ? in->nsucc : 2);
			t->outcomes[t->noutcomes++] = (uint8_t)outcome;
		}
		if (in->flags & TR_I_VALUE && (in->guard == TR_NONE || outcome))
			t->values[t->nvalues++] = below(2) ? below(100000) : TR_SHARED_WINDOW;
		at = in->nsucc ? p->succ_pool[in->succ + (in->nsucc > 1 ? outcome : 0)] : TR_EXIT;
		if (at == TR_EXIT)
			return 1;
	}
	return 0;
}

static void cta_new(struct tr_cta *c, uint32_t nthreads)
{
	tr_cta_init(c);
	c->nthreads = c->cap_threads = nthreads;
	c->threads = calloc(nthreads, sizeof(*c->threads));
	assert_non_null(c->threads);
	for (uint32_t t = 0; t < nthreads; t++) {
		c->threads[t].outcomes = malloc(STEPS_MAX);
		c->threads[t].values = malloc(STEPS_MAX * sizeof(uint64_t));
		assert_true(c->threads[t].outcomes && c->threads[t].values);
	}
}

static int run_all(struct run *r, const struct tr_program *p, const struct tr_cta *ctas,
	uint32_t nctas, const struct sim_warps_options *opt, struct tr_err *err)
{
	const struct tr_launch l = {.grid = {nctas, 1, 1},
		.block = {ctas[0].nthreads, 1, 1},
		.registers = 16,
		.shared_bytes = 1000};

	return run_launch(r, p, &l, ctas, opt, err);
}

static const struct sim_residency small = {2, 3, 1024, 65536, 65536, 0};

/* ---- every thread does what it recorded ---- */

static void test_walks(void **state)
{
	static const uint32_t sizes[] = {1, 32, 64, 4, 33, 16, 2, 48};
	uint32_t done = 0, forced = 0;

	(void)state;
	while (done < 150) {
		struct tr_program *p = random_program();
		const uint32_t nctas = 1 + below(9), threads = 1 + below(100);
		struct tr_cta ctas[9];
		int ok = p->nloops < 64;

		for (uint32_t c = 0; c < nctas; c++) {
			cta_new(&ctas[c], threads);
			for (uint32_t t = 0; t < threads && ok; t++)
				for (int tries = 0; tries < 50; tries++)
					if ((ok = random_walk(p, &ctas[c].threads[t])))
						break;
		}
		for (uint32_t k = 0; k < 8 && ok; k++) {
			const struct sim_warps_options opt = {
				sizes[k], (enum sim_order)((done + k) % 3), small};
			struct tr_err err;
			struct run r;

			if (run_all(&r, p, ctas, nctas, &opt, &err) < 0)
				fail_msg("%s", err.msg);
			compare_walks(&r, p, sizes[k]);
			if (sizes[k] == 1)
				compare_trips(&r, p);
			if (sizes[k] == 32)
				compare_summary(&r, p);
			forced += r.total.forced > 0;
			free(r.events);
		}
		done += (uint32_t)ok;
		for (uint32_t c = 0; c < nctas; c++)
			tr_cta_free(&ctas[c]);
		tr_program_free(p);
	}
	assert_true(forced); /* barriers that only part of a warp reaches were among them */
}

/* ---- by hand ---- */

/* ld; bar.sync; ld; exit, without a guard. */
static struct tr_program *barrier_program(void)
{
	struct tr_program *p = tr_program_new("k");
	const uint32_t base = (uint32_t)tr_program_reg(p, "%rd1", 64);
	const struct tr_inst ld = {.cls = TR_C_LOAD,
		.space = TR_S_GLOBAL,
		.bytes = 4,
		.vec = 1,
		.guard = TR_NONE,
		.base = base};
	struct tr_err err;

	add(p, ld, (uint32_t[]){1}, 1);
	add(p, (struct tr_inst){.cls = TR_C_BARRIER, .guard = TR_NONE, .base = TR_NONE},
		(uint32_t[]){2}, 1);
	add(p, ld, (uint32_t[]){3}, 1);
	add(p, (struct tr_inst){.cls = TR_C_EXIT, .guard = TR_NONE, .base = TR_NONE}, NULL, 0);
	assert_int_equal(tr_program_analyze(p, &err), 1);
	return p;
}

static void ctas_of_barriers(struct tr_cta *ctas, uint32_t n, uint32_t threads)
{
	for (uint32_t c = 0; c < n; c++) {
		cta_new(&ctas[c], threads);
		for (uint32_t t = 0; t < threads; t++) {
			ctas[c].threads[t].values[0] = 4 * t;
			ctas[c].threads[t].values[1] = 4096 + 4 * t;
			ctas[c].threads[t].nvalues = 2;
		}
	}
}

/* "cta.warp.inst" of every access, in order. */
static void trail(const struct run *r, char *out, size_t size)
{
	size_t n = 0;

	for (uint32_t i = 0; i < r->n; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%u.%u.%u", i ? " " : "",
			r->events[i].a.cta, r->events[i].a.warp, r->events[i].a.inst);
}

static void test_orders(void **state)
{
	static const char *const want[] = {
		[SIM_ORDER_RR] = "0.0.0 0.1.0 1.0.0 1.1.0 0.0.2 0.1.2 1.0.2 1.1.2 "
				 "2.0.0 2.1.0 2.0.2 2.1.2",
		[SIM_ORDER_GTO] = "0.0.0 0.1.0 0.0.2 0.1.2 1.0.0 1.1.0 1.0.2 1.1.2 "
				  "2.0.0 2.1.0 2.0.2 2.1.2",
		[SIM_ORDER_CTA] = "0.0.0 0.1.0 0.0.2 0.1.2 1.0.0 1.1.0 1.0.2 1.1.2 "
				  "2.0.0 2.1.0 2.0.2 2.1.2",
	};
	struct tr_program *p = barrier_program();
	struct tr_cta ctas[3];
	struct tr_err err;

	(void)state;
	ctas_of_barriers(ctas, 3, 40);
	for (int o = SIM_ORDER_RR; o <= SIM_ORDER_CTA; o++) {
		const struct sim_warps_options opt = {
			32, (enum sim_order)o, {1, 2, 1024, 65536, 65536, 0}};
		struct run r;
		char got[400];
		enum sim_order back;

		assert_int_equal(run_all(&r, p, ctas, 3, &opt, &err), 1);
		trail(&r, got, sizeof(got));
		assert_string_equal(got, want[o]);
		assert_int_equal(r.total.warp_insts, 3 * 2 * 4);
		assert_int_equal(r.total.thread_insts, 3 * 40 * 4);
		assert_int_equal(r.total.forced, 0);
		free(r.events);
		assert_int_equal(sim_order_parse(&back, sim_order_name((enum sim_order)o)), 1);
		assert_int_equal(back, o);
	}
	assert_null(sim_order_name(SIM_ORDER_CTA + 1));
	for (uint32_t c = 0; c < 3; c++)
		tr_cta_free(&ctas[c]);
	tr_program_free(p);
}

/* SMs take turns, CTAs go around them, and each counts what ran before it anywhere. */
static void test_machine(void **state)
{
	struct tr_program *p = barrier_program();
	struct tr_cta ctas[7];
	struct tr_err err;
	struct run r;

	(void)state;
	ctas_of_barriers(ctas, 7, 32);
	assert_int_equal(run_all(&r, p, ctas, 7,
				 &(struct sim_warps_options){
					 32, SIM_ORDER_GTO, {3, 2, 1024, 65536, 65536, 0}},
				 &err),
		1);
	for (uint32_t i = 0; i < r.n; i++) {
		const struct sim_warp_access *a = &r.events[i].a;

		assert_int_equal(a->sm, a->cta < 6 ? a->cta % 3 : 0);
		assert_int_equal(a->thread_slots, 64);
		assert_int_equal(a->thread_slot, a->cta / 3 == 1 ? 32 : 0);
		assert_int_equal(a->thread_insts, 32 * a->warp_insts);
		if (i < 3) {
			assert_int_equal(a->cta, i);
			assert_int_equal(a->warp_insts, i);
		}
	}
	free(r.events);
	/* Threads, in whole granules, registers and shared memory bound residency as well. */
	for (int k = 0; k < 4; k++) {
		struct sim_residency m = {1, 8, 1024, 65536, 65536, 0};

		*(uint32_t *[]){&m.threads_per_sm, &m.registers_per_sm, &m.shared_per_sm,
			&m.ctas_per_sm}[k] = (uint32_t[]){95, 1535, 2999, 2}[k];
		assert_int_equal(run_all(&r, p, ctas, 7,
					 &(struct sim_warps_options){32, SIM_ORDER_RR, m}, &err),
			1);
		assert_int_equal(r.events[0].a.thread_slots, 64);
		free(r.events);
	}
	/* 1000 bytes of a CTA's own and 333 beside them: two CTAs need 2666. */
	for (uint32_t k = 0; k < 2; k++) {
		struct sim_residency m = {1, 8, 1024, 65536, 3998 + k, 333};

		assert_int_equal(run_all(&r, p, ctas, 7,
					 &(struct sim_warps_options){32, SIM_ORDER_RR, m}, &err),
			1);
		assert_int_equal(r.events[0].a.thread_slots, 64 + 32 * k);
		free(r.events);
	}
	for (int k = 0; k < 4; k++) {
		static const char *const why[] = {"a CTA needs 32 threads, where an SM has 31",
			"a CTA needs 512 registers, where an SM has 511",
			"a CTA needs 1000 bytes of shared memory, where an SM has 999",
			"a CTA needs 1 CTAs, where an SM has 0"};
		struct sim_residency m = {1, 8, 1024, 65536, 65536, 0};

		*(uint32_t *[]){&m.threads_per_sm, &m.registers_per_sm, &m.shared_per_sm,
			&m.ctas_per_sm}[k] = (uint32_t[]){31, 511, 999, 0}[k];
		assert_int_equal(run_all(&r, p, ctas, 7,
					 &(struct sim_warps_options){32, SIM_ORDER_RR, m}, &err),
			TR_EUSAGE);
		assert_non_null(strstr(err.msg, why[k]));
	}
	for (uint32_t c = 0; c < 7; c++)
		tr_cta_free(&ctas[c]);
	tr_program_free(p);
}

/*
 * Two halves of 32 threads that wait for each other: two warps of 32 can, one of 64 cannot. There
 * the first half is let go, and then stands at its exit, where the second need not wait for it.
 */
static void test_forced(void **state)
{
	struct tr_program *p = tr_program_new("k");
	const uint32_t guard = (uint32_t)tr_program_reg(p, "%p1", 1);
	const struct tr_inst bar = {.cls = TR_C_BARRIER, .guard = TR_NONE, .base = TR_NONE};
	struct tr_cta cta;
	struct tr_err err;
	struct run r;

	(void)state;
	add(p, (struct tr_inst){.cls = TR_C_BRANCH, .guard = guard, .base = TR_NONE},
		(uint32_t[]){1, 3}, 2);
	add(p, bar, (uint32_t[]){2}, 1);
	add(p, (struct tr_inst){.cls = TR_C_BRANCH, .guard = TR_NONE, .base = TR_NONE},
		(uint32_t[]){4}, 1);
	add(p, bar, (uint32_t[]){4}, 1);
	add(p, (struct tr_inst){.cls = TR_C_EXIT, .guard = TR_NONE, .base = TR_NONE}, NULL, 0);
	assert_int_equal(tr_program_analyze(p, &err), 1);
	cta_new(&cta, 64);
	for (uint32_t t = 0; t < 64; t++) {
		cta.threads[t].outcomes[0] = t >= 32;
		cta.threads[t].noutcomes = 1;
	}
	for (uint32_t size = 8; size <= 64; size *= 2) {
		assert_int_equal(
			run_all(&r, p, &cta, 1,
				&(struct sim_warps_options){size, SIM_ORDER_RR, small}, &err),
			1);
		assert_int_equal(r.total.forced, size == 64 ? 1 : 0);
		assert_int_equal(r.total.thread_insts, 64 + 32 + 32 + 32 + 64 + 32 - 64);
		free(r.events);
	}
	/* A record that is no walk. */
	cta.threads[5].noutcomes = 2;
	cta.threads[5].outcomes[1] = 0;
	assert_int_equal(
		run_all(&r, p, &cta, 1, &(struct sim_warps_options){32, SIM_ORDER_RR, small}, &err),
		TR_EDATA);
	assert_string_equal(
		err.msg, "launch 0, cta 0: the record of warp 0 is no walk through kernel 'k'");
	free(r.events);
	cta.threads[5].noutcomes = 0;
	assert_int_equal(
		run_all(&r, p, &cta, 1, &(struct sim_warps_options){32, SIM_ORDER_RR, small}, &err),
		TR_EDATA);
	free(r.events);
	tr_cta_free(&cta);
	tr_program_free(p);
}

static void test_options(void **state)
{
	struct sim_warps *w;
	struct tr_err err;

	(void)state;
	assert_int_equal(
		sim_warps_new(&w, &(struct sim_warps_options){0, 0, small}, &err), TR_EUSAGE);
	assert_int_equal(
		sim_warps_new(&w, &(struct sim_warps_options){65, 0, small}, &err), TR_EUSAGE);
	assert_int_equal(
		sim_warps_new(&w, &(struct sim_warps_options){32, 0, {0}}, &err), TR_EUSAGE);
	assert_null(w);
	sim_warps_free(NULL);
}

/* ---- accesses of an instruction ---- */

static struct sim_requests requests;

static void make_wide(const struct tr_inst *in, const uint64_t *address, uint64_t lanes,
	const struct sim_coalescer *c, unsigned warp_size)
{
	const struct sim_warp_access w = {.sm = 2,
		.cta = 5,
		.warp = 1,
		.inst = 7,
		.loop = 3,
		.trip = 4,
		.thread_slot = 64,
		.thread_slots = 128,
		.lanes = lanes,
		.address = address,
		.warp_insts = 11,
		.thread_insts = 12};

	sim_requests_make(&requests, c, warp_size, in, &w);
}

static void make(const struct tr_inst *in, const uint64_t *address, uint64_t lanes,
	const struct sim_coalescer *c)
{
	make_wide(in, address, lanes, c, 32);
}

static const struct sim_coalescer cc2 = {SIM_CC2, 128, 0}, sector32 = {SIM_SECTOR32, 128, 0};

static void test_spaces(void **state)
{
	struct tr_inst in = {.cls = TR_C_STORE, .space = TR_S_GENERIC, .bytes = 4, .vec = 1};
	uint64_t address[32];

	(void)state;
	for (unsigned l = 0; l < 32; l++)
		address[l] = l < 8    ? 0x1000 + 4 * l
			     : l < 16 ? TR_SHARED_WINDOW + 4 * l
			     : l < 24 ? TR_LOCAL_WINDOW + 4
				      : 0x2000;
	make(&in, address, 0xffff00ff, &cc2);
	assert_int_equal(requests.lanes[TR_S_GLOBAL], 16);
	assert_int_equal(requests.lanes[TR_S_SHARED], 0);
	assert_int_equal(requests.lanes[TR_S_LOCAL], 8);
	make(&in, address, 0xffffffff, &cc2);
	assert_int_equal(requests.lanes[TR_S_SHARED], 8);
	assert_int_equal(requests.transactions[TR_S_GLOBAL], 2);
	assert_int_equal(requests.transactions[TR_S_LOCAL], 1);
	assert_int_equal(requests.transactions[TR_S_SHARED], 0);
	assert_int_equal(requests.all_transactions, 3);
	assert_int_equal(requests.n, 3);
	for (unsigned i = 0; i < 3; i++) {
		const struct tr_access *a = &requests.access[i];

		assert_int_equal(a->first, !i);
		assert_int_equal(a->op, TR_A_WRITE);
		assert_int_equal(a->active, 31);
		assert_int_equal(a->sm, 2);
		assert_int_equal(a->cta, 5);
		assert_int_equal(a->warp, 1);
		assert_int_equal(a->inst, 7);
		assert_int_equal(a->loop, 3);
		assert_int_equal(a->trip, 4);
		assert_int_equal(a->warp_insts, 11);
		assert_int_equal(a->thread_insts, 12);
		assert_int_equal(a->space, i < 2 ? TR_S_GLOBAL : TR_S_LOCAL);
	}
	assert_int_equal(requests.access[0].line, 0x1000);
	assert_int_equal(requests.access[0].lanes[0], 0xff);
	assert_int_equal(requests.access[1].lanes[0], 0xff000000);
	assert_int_equal(requests.access[1].bytes, 4);
	/* Word 1 of threads 80 to 87 of the 128 on SM 2. */
	assert_int_equal(requests.access[2].line,
		SIM_LOCAL_BASE + 2 * SIM_LOCAL_SM_BYTES + (4 * 128 + 4 * 80) / 128 * 128);
	assert_int_equal(requests.access[2].bytes, 32);
	/* Lanes 0 to 8 touch two sectors of one line. */
	address[8] = 0x1020;
	make(&in, address, 0xffff01ff, &sector32);
	assert_int_equal(requests.n, 3);
	assert_int_equal(requests.transactions[TR_S_GLOBAL], 3);
	assert_int_equal(requests.transactions[TR_S_LOCAL], 1);
	assert_int_equal(requests.all_transactions, 4);
	in.space = TR_S_SHARED;
	make(&in, address, 1, &cc2);
	assert_int_equal(requests.n, 0);
	in.space = TR_S_TEXTURE;
	in.cls = TR_C_LOAD;
	make(&in, address, 1, &cc2);
	assert_int_equal(requests.access[0].op, TR_A_READ);
	in.cls = TR_C_ATOMIC;
	make(&in, address, 1, &cc2);
	assert_int_equal(requests.access[0].op, TR_A_ATOMIC);
}

/* Two words of a lane are apart; where lanes are few they meet again in a line. */
static void test_local(void **state)
{
	const struct tr_inst in = {.cls = TR_C_LOAD, .space = TR_S_LOCAL, .bytes = 4, .vec = 2};
	const struct sim_coalescer wide = {SIM_CC2, 1024, 0}, old = {SIM_CC12, 128, 16};
	uint64_t address[32];

	(void)state;
	for (unsigned l = 0; l < 32; l++)
		address[l] = 16;
	make(&in, address, 0xffffffff, &cc2);
	assert_int_equal(requests.n, 2);
	assert_int_equal(requests.access[1].line - requests.access[0].line, 4 * 128);
	assert_int_equal(requests.access[0].bytes, 128);
	make(&in, address, 0xffffffff, &wide);
	assert_int_equal(requests.n, 1);
	assert_int_equal(requests.transactions[TR_S_LOCAL], 1);
	assert_int_equal(requests.access[0].bytes, 256);
	assert_int_equal(requests.access[0].sectors, 0xf << 8 | 0xf << 24);
	make(&in, address, 0xffffffff, &old);
	assert_int_equal(requests.n, 4);
}

static void test_counts(void **state)
{
	struct an_requests a = {0}, sum = {0};

	(void)state;
	for (unsigned n = 0; n <= 33; n++)
		an_requests_count(&a, 3, n);
	an_requests_add(&sum, &a);
	an_requests_add(&sum, &a);
	assert_int_equal(sum.insts, 68);
	assert_int_equal(sum.thread_insts, 204);
	assert_int_equal(sum.transactions, 33 * 34);
	for (unsigned k = 0; k < AN_TX_CLASSES; k++)
		assert_int_equal(a.classes[k], ((unsigned[]){1, 1, 2, 4, 8, 16, 1})[k]);
}

/*
 * Two words of local memory that share lines: each group of lanes has an access of its own to a
 * line, with both words in it.
 */
static void test_local_groups(void **state)
{
	const struct tr_inst in = {.cls = TR_C_LOAD, .space = TR_S_LOCAL, .bytes = 4, .vec = 2};
	const struct sim_coalescer by_4 = {SIM_CC2, 1024, 4};
	const uint64_t address[32] = {0};

	(void)state;
	make(&in, address, UINT32_MAX, &by_4); /* 128 places: a word of all takes 512 bytes */
	assert_int_equal(requests.n, 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(requests.access[i].lanes[0], 0xfull << (4 * i));
		assert_int_equal(requests.access[i].bytes, 4 * 8);
	}
}

/*
 * Of five threads the last one reads words that are not aligned, so that each overlaps the next
 * word of the first: no line has more bytes than it is long.
 */
static void test_local_overlap(void **state)
{
	const struct tr_inst in = {.cls = TR_C_LOAD, .space = TR_S_LOCAL, .bytes = 16, .vec = 4};
	const struct sim_coalescer lines = {SIM_CC2, 32, 0};
	const uint64_t address[5] = {0, 0, 0, 0, 1};
	const struct sim_warp_access w = {
		.thread_slots = 5, .lanes = 0x1f, .address = address, .loop = TR_NONE};

	(void)state;
	sim_requests_make(&requests, &lines, 32, &in, &w);
	assert_int_equal(requests.n, 5 * 4 * 16 / 32 + 1);
	for (unsigned i = 0; i < requests.n; i++)
		assert_true(requests.access[i].bytes <= 32);
}

/*
 * Words of local memory that are not aligned, each lane's by itself: one in eight lies in two
 * segments. As an access stream has them, they are one instruction.
 */
static void test_most(void **state)
{
	const struct tr_inst in = {.cls = TR_C_LOAD, .space = TR_S_LOCAL, .bytes = 16, .vec = 4};
	const struct sim_coalescer cc10 = {SIM_CC10, 128, 16};
	const struct tr_access_info info = {.warp_size = 64, .line_bytes = 128, .sms = 4};
	struct tr_launch launch = {.grid = {9, 1, 1}, .block = {512, 1, 1}, .after = TR_NONE};
	struct tr_program *p = tr_program_new("k");
	struct tr_access_reader *r;
	struct tr_access_writer *w;
	const struct tr_access *batch;
	uint64_t address[64];
	struct tr_err err;
	size_t len, n;
	char *text;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	for (unsigned l = 0; l < 64; l++)
		address[l] = 1;
	make_wide(&in, address, UINT64_MAX, &cc10, 64);
	assert_int_equal(requests.n, 16 * (64 + 8));
	add(p, (struct tr_inst){.cls = TR_C_EXIT, .guard = TR_NONE, .base = TR_NONE}, NULL, 0);
	assert_int_equal(tr_program_analyze(p, &err), 1);
	assert_int_equal(tr_access_writer_open(&w, f, &info, NULL, &err), 1);
	assert_int_equal(tr_access_writer_program(w, p, &err), 0);
	assert_int_equal(tr_access_writer_launch(w, &launch, &err), 1);
	for (unsigned i = 0; i < requests.n; i++) {
		requests.access[i].inst = 0;
		requests.access[i].loop = TR_NONE;
		requests.access[i].trip = 0;
		if (tr_access_write(w, &requests.access[i], &err) < 0)
			fail_msg("%s", err.msg);
	}
	assert_int_equal(tr_access_writer_close(w, 12, 12 * 64, &err), 1);
	fclose(f);
	f = fmemopen(text, len, "r");
	assert_int_equal(tr_access_reader_open(&r, f, NULL, &err), 1);
	assert_int_equal(tr_access_reader_next(r, &batch, &n, &err), TR_A_LAUNCH);
	assert_int_equal(tr_access_reader_next(r, &batch, &n, &err), TR_A_BATCH);
	assert_int_equal(n, requests.n);
	assert_int_equal(batch[n - 1].line, requests.access[n - 1].line);
	assert_int_equal(tr_access_reader_next(r, &batch, &n, &err), TR_A_END);
	tr_access_reader_close(r);
	tr_program_free(p);
	fclose(f);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_forced),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_spaces),
		cmocka_unit_test(test_local_groups),
		cmocka_unit_test(test_local_overlap),
		cmocka_unit_test(test_most),
		cmocka_unit_test(test_local),
		cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
