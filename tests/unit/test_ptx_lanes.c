/*
 * Threads of the PTX machine that wait for others by going round, and lanes of a warp that run
 * apart: how often they go round in the record, what is found to go round for ever, and barriers to
 * which lanes of a warp come in parts. Kernels are for sm_60, where lanes that have parted wait for
 * each other, or for sm_75, where they do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/ptx/ptx.h"

/* A kernel's body: %r0 is the thread, %r1 a number, %rd0 a buffer of zeros. */
static const char head[] =
	".version 7.0\n.target sm_%u\n.address_size 64\n"
	".visible .entry k(.param .u64 buf, .param .u32 n)\n{\n"
	".reg .pred %%p<8>;\n.reg .b32 %%r<16>;\n.reg .b64 %%rd<8>;\n"
	"ld.param.u64 %%rd0, [buf];\nld.param.u32 %%r1, [n];\nmov.u32 %%r0, %%tid.x;\n"
	"mul.wide.u32 %%rd1, %%r0, 4;\nadd.s64 %%rd1, %%rd1, %%rd0;\n";

struct bench {
	struct ptx_module *mod;
	struct ptx_machine *m;
	struct tr_writer *w;
	struct ptx_machine_options opt;
	char *trace;
	size_t bytes;
	FILE *f;
	uint64_t buf;
	struct tr_err err;
};

static const struct ptx_machine_options usual = {
	.resident = PTX_RESIDENT_DEFAULT, .max_insts = 50000000};

/* Runs the body with that many threads in a CTA. 1, or what the launch gives. */
static int run_with(struct bench *b, const struct ptx_machine_options *opt, unsigned target,
	const char *body, uint32_t threads, uint32_t n)
{
	const struct tr_writer_options none = {0};
	char text[4096];
	int rc;

	memset(b, 0, sizeof(*b));
	snprintf(text, sizeof(text), head, target);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "%sret;\n}\n", body);
	if (ptx_parse(&b->mod, text, strlen(text), "k.ptx", &b->err) < 0)
		fail_msg("%s", b->err.msg);
	b->f = open_memstream(&b->trace, &b->bytes);
	assert_int_equal(ptx_machine_new(&b->m, opt, &b->err), 1);
	assert_int_equal(ptx_load(b->m, b->mod, &b->err), 1);
	assert_true(tr_writer_open(&b->w, b->f, &none, &b->err) >= 0);
	b->buf = ptx_alloc(b->m, "buf", 4096, &b->err);
	const void *args[] = {&b->buf, &n};
	const struct ptx_launch l = {.kernel = ptx_find(b->mod, "k"),
		.grid = {1, 1, 1},
		.block = {threads, 1, 1},
		.args = args,
		.nargs = 2};
	rc = ptx_launch(b->m, &l, b->w, &b->err);
	if (rc > 0 && tr_writer_close(b->w, &b->err) < 0)
		fail_msg("%s", b->err.msg);
	if (rc < 0)
		tr_writer_abandon(b->w);
	fclose(b->f);
	return rc;
}

static void begin(struct bench *b, unsigned target, const char *body, uint32_t threads, uint32_t n)
{
	if (run_with(b, &usual, target, body, threads, n) < 0)
		fail_msg("%s", b->err.msg);
}

static uint32_t word(struct bench *b, uint32_t i)
{
	return *(uint32_t *)ptx_host(b->m, b->buf + 4ull * i, 4);
}

static void end(struct bench *b)
{
	free(b->trace);
	ptx_machine_free(b->m);
	ptx_module_free(b->mod);
}

/* The body fails with that sentence, after fewer thread instructions than `most`. */
static void fails(unsigned target, const char *body, uint32_t threads, uint64_t most,
	const char *where, const char *says)
{
	struct bench b;

	assert_int_equal(run_with(&b, &usual, target, body, threads, 1), TR_ERUN);
	if (!strstr(b.err.msg, says) || !strstr(b.err.msg, where))
		fail_msg("sm_%u says: %s", target, b.err.msg);
	assert_true(ptx_thread_insts(b.m) < most);
	if (strstr(says, "for ever"))
		assert_int_equal(ptx_fault_kind(b.m), PTX_FAULT_ENDLESS);
	end(&b);
}

/* What the record of the one CTA says. */
struct seen {
	uint32_t values[2]; /* recorded values of threads 0 and 32 */
	uint32_t nspins;
	struct tr_spin spin;
};

static struct seen look(struct bench *b)
{
	struct seen s = {0};
	struct tr_reader *r;
	struct tr_cta c;
	FILE *f = fmemopen(b->trace, b->bytes, "rb");

	tr_cta_init(&c);
	assert_int_equal(tr_reader_open(&r, f, NULL, &b->err), 1);
	while (tr_reader_next(r, &b->err) != TR_CTA)
		;
	assert_int_equal(tr_reader_cta(r, &c, &b->err), 1);
	s.values[0] = c.threads[0].nvalues;
	s.values[1] = c.nthreads > 32 ? c.threads[32].nvalues : 0;
	s.nspins = c.nspins;
	if (c.nspins)
		s.spin = c.spins[0];
	tr_cta_free(&c);
	tr_reader_close(r);
	fclose(f);
	return s;
}

/* ---- rounds in the record ---- */

/* Warp 0 polls what warp 1 writes after n rounds of its own. */
static const char flag[] =
	"setp.ge.u32 %p0, %r0, 32;\n@%p0 bra WRITER;\n"
	"POLL: ld.volatile.global.u32 %r2, [%rd0];\n"
	"setp.eq.u32 %p1, %r2, 0;\n@%p1 bra POLL;\n"
	"st.global.u32 [%rd1+512], %r2;\nbra DONE;\n"
	"WRITER: sub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p2, %r1, 0;\n"
	"@%p2 bra WRITER;\nmov.u32 %r3, 7;\nst.volatile.global.u32 [%rd0], %r3;\n"
	"DONE:\n";

/*
 * A thread polls three times in vain: the first makes the place known, the second the state, and
 * the third is as the second. It then waits until the flag is there, which it reads the fourth
 * time; its fifth value is the store's address. However long the writer takes, and whatever the
 * quantum.
 */
static void test_few_rounds(void **state)
{
	static const uint32_t quanta[] = {1, 64, 512}, trips[] = {100, 5000};

	(void)state;
	for (int sm = 60; sm <= 75; sm += 15)
		for (int i = 0; i < 6; i++) {
			struct ptx_machine_options opt = usual;
			struct bench b;
			struct seen s;

			opt.resident.quantum = quanta[i / 2];
			assert_int_equal(
				run_with(&b, &opt, (unsigned)sm, flag, 64, trips[i % 2]), 1);
			assert_int_equal(word(&b, 128 + 31), 7);
			s = look(&b);
			assert_int_equal(s.values[0], 5);
			assert_int_equal(s.values[1], 1);
			assert_int_equal(s.nspins, 1);
			/* One round of 32 threads with three instructions: ld, setp, bra. */
			assert_int_equal(s.spin.rounds, 32);
			assert_int_equal(s.spin.insts, 96);
			assert_int_equal(s.spin.inst - s.spin.polls, 2);
			end(&b);
		}
}

static void test_tries_that_count(void **state)
{
	static const char body[] = "mov.u32 %r4, 0;\n"
				   "POLL: ld.volatile.global.u32 %r2, [%rd0];\n"
				   "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, %r1;\n"
				   "setp.eq.and.u32 %p1, %r2, 0, %p1;\n@%p1 bra POLL;\n"
				   "st.global.u32 [%rd1+512], %r4;\n";
	struct bench b;

	(void)state;
	for (unsigned sm = 60; sm <= 75; sm += 15) {
		begin(&b, sm, body, 32, 1000);
		assert_int_equal(word(&b, 128), 1000); /* it goes round as often as it says */
		assert_int_equal(look(&b).values[0], 1001);
		end(&b);
	}
}

/* ---- what goes round for ever ---- */

static const char lock[] = "LOCK: atom.global.cas.b32 %r2, [%rd0], 0, 1;\n"
			   "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOCK;\n"
			   "ld.volatile.global.u32 %r3, [%rd0+4];\nadd.u32 %r3, %r3, 1;\n"
			   "st.volatile.global.u32 [%rd0+4], %r3;\nmembar.gl;\n"
			   "atom.global.exch.b32 %r2, [%rd0], 0;\n";

static void test_lock_of_a_warp(void **state)
{
	struct bench b;

	(void)state;
	for (uint32_t threads = 1; threads < 200; threads += 37) {
		begin(&b, 75, lock, threads, 1);
		assert_int_equal(word(&b, 0), 0);
		assert_int_equal(word(&b, 1), threads);
		end(&b);
	}
	begin(&b, 60, lock, 1, 1);
	assert_int_equal(word(&b, 1), 1);
	end(&b);
	fails(60, lock, 32, 1000, "thread 1, pc 0x", "lane 0 of its warp has left the loop");
	fails(60, lock, 64, 1000, "k.ptx:", "bra goes round for ever");
}

static void test_for_ever(void **state)
{
	/* Nothing, a flag, two in turn, one with a count that decides nothing, one that is stored,
	 * and a list without an end. */
	static const char *const bodies[] = {
		"L: bra L;\n",
		"L: ld.volatile.global.u32 %r2, [%rd0];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n",
		"mov.u64 %rd2, 0;\nL: add.s64 %rd3, %rd0, %rd2;\nxor.b64 %rd2, %rd2, 4;\n"
		"ld.volatile.global.u32 %r2, [%rd3];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n",
		"L: add.u32 %r4, %r4, 1;\natom.global.cas.b32 %r2, [%rd0], 1, 1;\n"
		"setp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\nst.global.u32 [%rd1], %r4;\n",
		"L: st.global.u32 [%rd1+64], %r1;\nld.volatile.global.u32 %r2, [%rd0];\n"
		"setp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n",
		"L: mad.lo.u32 %r1, %r1, 5, 3;\nand.b32 %r1, %r1, 255;\n"
		"setp.ne.u32 %p1, %r1, 256;\n@%p1 bra L;\n",
	};

	(void)state;
	for (unsigned k = 0; k < sizeof(bodies) / sizeof(*bodies); k++)
		for (unsigned sm = 60; sm <= 75; sm += 15) {
			fails(sm, bodies[k], 64, 500000, "kernel 'k', cta 0, thread 0, pc 0x",
				"bra goes round for ever: each time is as the one before");
			fails(sm, bodies[k], 8, 200000, "k.ptx:", "goes round for ever");
		}
	/* A barrier waits for who goes round. */
	fails(75,
		"setp.ge.u32 %p0, %r0, 32;\n@%p0 bra B;\n"
		"L: ld.volatile.global.u32 %r2, [%rd0];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n"
		"B: bar.sync 0;\n",
		64, 1000, "thread 0, ", "goes round for ever");
}

static struct bench *asked; /* of the launch that stalls */

static int sets_at_three(void *arg, uint32_t times)
{
	uint32_t *n = arg;

	assert_int_equal(times, *n);
	if (++*n == 3)
		*(uint32_t *)ptx_host(asked->m, asked->buf, 4) = 1;
	return 1;
}

static int gives_up(void *arg, uint32_t times)
{
	*(uint32_t *)arg = times + 1;
	return times < 5;
}

/* Somebody outside changes what a kernel polls, when it has been asked; or does not. */
static void test_stalled(void **state)
{
	static const char body[] = "L: ld.volatile.global.u32 %r2, [%rd0];\n"
				   "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n";
	struct ptx_machine_options opt = usual;
	struct bench b;
	uint32_t n = 0;

	(void)state;
	asked = &b;
	opt.stalled = sets_at_three;
	opt.stalled_arg = &n;
	assert_int_equal(run_with(&b, &opt, 75, body, 64, 1), 1);
	assert_int_equal(n, 3);
	end(&b);
	opt.stalled = gives_up;
	assert_int_equal(run_with(&b, &opt, 75, body, 64, 1), TR_ERUN);
	assert_int_equal(n, 6);
	end(&b);
}

/* ---- lanes that run apart ---- */

/* Lane 0 waits for a flag that lane 1 sets, or lane 1 for one of lane 0. */
static void test_lanes_for_each_other(void **state)
{
	static const char *const bodies[] = {
		"setp.ne.u32 %p0, %r0, 0;\n@%p0 bra SET;\n"
		"L: ld.volatile.global.u32 %r2, [%rd0];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n"
		"bra DONE;\nSET: st.volatile.global.u32 [%rd0], %r0;\nDONE:\n",
		"setp.eq.u32 %p0, %r0, 0;\n@%p0 bra SET;\n"
		"L: ld.volatile.global.u32 %r2, [%rd0];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n"
		"bra DONE;\nSET: st.volatile.global.u32 [%rd0], %r1;\nDONE:\n",
	};

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct bench b;

		begin(&b, 75, bodies[k], 2, 9);
		assert_int_equal(word(&b, 0), k ? 9 : 1);
		end(&b);
	}
	/* Below, the path that goes round is the one that runs first. */
	fails(60, bodies[1], 2, 1000, "thread 1, ", "lane 0 of its warp has left the loop");
}

/* Each lane tells the one above, half of them behind a branch: what bar.warp.sync orders. */
static void test_warp_sync(void **state)
{
	static const char body[] = "setp.ge.u32 %p0, %r0, 16;\n@%p0 bra HIGH;\n"
				   "st.global.u32 [%rd1], %r0;\nbar.warp.sync -1;\n"
				   "ld.global.u32 %r2, [%rd1+64];\nbra DONE;\n"
				   "HIGH: add.u32 %r3, %r0, 100;\nst.global.u32 [%rd1], %r3;\n"
				   "bar.warp.sync -1;\nld.global.u32 %r2, [%rd1+-64];\n"
				   "DONE: st.global.u32 [%rd1+512], %r2;\n";
	struct bench b;

	(void)state;
	begin(&b, 75, body, 32, 1);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(word(&b, 128 + i), i < 16 ? i + 116 : i - 16);
	end(&b);
	for (unsigned sm = 60; sm <= 75; sm += 15) { /* asked about races, too */
		struct ptx_machine_options opt = usual;

		opt.memcheck = 1;
		assert_int_equal(run_with(&b, &opt, sm,
					 "setp.lt.u32 %p0, %r0, 5;\n@%p0 bra L;\n"
					 "bar.warp.sync -1;\nL: st.global.u32 [%rd1], %r1;\n",
					 32, 1),
			1);
		end(&b);
	}
	/* Lanes that have exited are not waited for. */
	begin(&b, 75,
		"setp.lt.u32 %p0, %r0, 5;\n@%p0 exit;\nbar.warp.sync -1;\n"
		"st.global.u32 [%rd1], %r1;\n",
		32, 3);
	assert_int_equal(word(&b, 4), 0);
	assert_int_equal(word(&b, 5), 3);
	end(&b);
}

/* After the lock all lanes vote and shuffle together, as if they had never parted. */
static void test_together_again(void **state)
{
	char body[1024];
	struct bench b;

	(void)state;
	snprintf(body, sizeof(body),
		"%sactivemask.b32 %%r5;\nvote.sync.ballot.b32 %%r4, 1, -1;\n"
		"shfl.sync.idx.b32 %%r5, %%r0, 31, 31, -1;\n"
		"st.global.u32 [%%rd1+512], %%r4;\nst.global.u32 [%%rd1+1024], %%r5;\n",
		lock);
	begin(&b, 75, body, 32, 1);
	assert_int_equal(word(&b, 1), 32);
	for (uint32_t i = 0; i < 32; i++) {
		assert_int_equal(word(&b, 128 + i), UINT32_MAX);
		assert_int_equal(word(&b, 256 + i), 31);
	}
	end(&b);
}

/* ---- barriers to which lanes come in parts ---- */

/*
 * Lane i leaves after i mod 4 rounds, each with a barrier. From sm_70 on a barrier waits for all
 * lanes that have not exited, so the last one finds all counted; below it counts the warp with the
 * first of them.
 */
static void test_lanes_leave(void **state)
{
	static const char body[] = "and.b32 %r2, %r0, 3;\nL: bar.sync 0;\n"
				   "setp.eq.u32 %p0, %r2, 0;\n@%p0 bra OUT;\nsub.u32 %r2, %r2, 1;\n"
				   "bra L;\nOUT: atom.global.add.u32 %r3, [%rd0], 1;\n"
				   "st.global.u32 [%rd1+512], %r3;\n";

	(void)state;
	for (unsigned sm = 60; sm <= 75; sm += 15)
		for (uint32_t threads = 32; threads <= 96; threads += 32) {
			struct bench b;

			begin(&b, sm, body, threads, 1);
			assert_int_equal(word(&b, 0), threads);
			end(&b);
		}
}

/* bar.red over lanes that come by two ways: from sm_70 on they are one warp all the same. */
static void test_reduction_of_parts(void **state)
{
	static const char body[] =
		"and.b32 %r2, %r0, 1;\nsetp.eq.u32 %p0, %r2, 0;\n@%p0 bra EVEN;\n"
		"bar.red.popc.u32 %r3, 0, 1;\nbra DONE;\n"
		"EVEN: setp.lt.u32 %p1, %r0, 10;\nbar.red.popc.u32 %r3, 0, %p1;\n"
		"DONE: st.global.u32 [%rd1], %r3;\n";
	struct bench b;

	(void)state;
	begin(&b, 75, body, 64, 1);
	for (uint32_t i = 0; i < 64; i++) /* 32 odd ones, and 0, 2, 4, 6, 8 */
		assert_int_equal(word(&b, i), 37);
	end(&b);
}

static void test_barriers_that_hang(void **state)
{
	static const char crossed[] = "and.b32 %r2, %r0, 1;\nsetp.eq.u32 %p0, %r2, 0;\n"
				      "@%p0 bra EVEN;\nbar.sync 1;\nbra DONE;\nEVEN: bar.sync 2;\n"
				      "DONE:\n";
	struct bench b;

	(void)state;
	fails(75, crossed, 32, 1000, "kernel 'k', cta 0, thread ",
		"bar.sync waits at a barrier that never fills");
	/* Below, each of the two is the warp's, one after the other. */
	for (uint32_t threads = 32; threads <= 64; threads += 32) {
		begin(&b, 60, crossed, threads, 1);
		end(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_rounds),
		cmocka_unit_test(test_tries_that_count),
		cmocka_unit_test(test_lock_of_a_warp),
		cmocka_unit_test(test_for_ever),
		cmocka_unit_test(test_stalled),
		cmocka_unit_test(test_lanes_for_each_other),
		cmocka_unit_test(test_warp_sync),
		cmocka_unit_test(test_together_again),
		cmocka_unit_test(test_lanes_leave),
		cmocka_unit_test(test_reduction_of_parts),
		cmocka_unit_test(test_barriers_that_hang),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
