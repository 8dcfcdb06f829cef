/*
 * The PTX machine on whole kernels: divergence, barriers, warp-synchronous code, collectives,
 * atomics, persistent threads, memory of every space, and each way to fail. Every result is checked
 * on the CPU; every run is recorded, read back and walked, and each thread's walk must pass the
 * instructions that the machine passed. Runs at the root of the source tree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "sim/ptx/vm.h"
#include "tests/unit/slurp.h"

#define MAX_LAUNCHES 4
#define MAX_THREADS 4096

/* A hash of the instructions that each thread passed, by launch. */
static uint64_t passed[MAX_LAUNCHES][MAX_THREADS];

static uint64_t mix(uint64_t h, uint32_t inst)
{
	return (h ^ inst) * 0x9e3779b97f4a7c15ull + 1;
}

static void on_executed(void *arg, const struct ptx_executed *x)
{
	(void)arg;
	assert_true(x->launch < MAX_LAUNCHES && x->ctas * x->threads <= MAX_THREADS);
	for (uint32_t m = x->mask; m; m &= m - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(m);
		uint64_t *h = &passed[x->launch][x->cta * x->threads + 32 * x->group + lane];
		*h = mix(*h, x->inst);
	}
}

struct bench {
	struct ptx_module *mod;
	struct ptx_machine *m;
	struct tr_writer *w;
	FILE *trace;
	struct tr_err err;
};

static void begin_with(struct bench *b, const char *path, const struct ptx_machine_options *opt)
{
	const struct tr_writer_options wopt = {0};
	size_t len;
	char *text = slurp(path, &len);

	memset(b, 0, sizeof(*b));
	memset(passed, 0, sizeof(passed));
	if (ptx_parse(&b->mod, text, len, path, &b->err) < 0)
		fail_msg("%s", b->err.msg);
	free(text);
	b->trace = tmpfile();
	assert_non_null(b->trace);
	assert_int_equal(ptx_machine_new(&b->m, opt, &b->err), 1);
	assert_int_equal(ptx_load(b->m, b->mod, &b->err), 1);
	assert_true(tr_writer_open(&b->w, b->trace, &wopt, &b->err) >= 0);
}

static const struct ptx_machine_options usual = {.resident = PTX_RESIDENT_DEFAULT,
	.max_insts = 50000000,
	.sync_reads = 1,
	.executed = on_executed};

static void begin(struct bench *b, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "tests/kernels/%s.ptx", name);
	begin_with(b, path, &usual);
}

static int launch(struct bench *b, const char *entry, uint32_t grid, uint32_t block,
	const void *const args[], uint32_t nargs)
{
	const struct ptx_launch l = {.kernel = ptx_find(b->mod, entry),
		.grid = {grid, 1, 1},
		.block = {block, 1, 1},
		.args = args,
		.nargs = nargs};

	assert_non_null(l.kernel);
	return ptx_launch(b->m, &l, b->w, &b->err);
}

static void run(struct bench *b, const char *entry, uint32_t grid, uint32_t block,
	const void *const args[], uint32_t nargs)
{
	if (launch(b, entry, grid, block, args, nargs) < 0)
		fail_msg("%s", b->err.msg);
}

/* Walks a recorded thread: the hash of what it passes; adds its instructions to *insts. */
static uint64_t walked(const struct tr_program *p, const struct tr_thread *t, uint64_t *insts)
{
	struct tr_walk walk;
	uint64_t hash = 0;
	int r;

	tr_walk_start(&walk, p, t);
	while ((r = tr_walk_next(&walk)) == 1) {
		*insts += walk.guard && !tr_is_operand(&p->insts[walk.inst]);
		hash = mix(hash, walk.inst);
	}
	assert_int_equal(r, 0);
	return hash;
}

/* Closes the trace and reads it: the number of synchronization reads. */
static uint64_t end(struct bench *b)
{
	struct tr_reader *r;
	struct tr_cta cta;
	uint64_t insts = 0, syncs = 0;
	int event;

	if (tr_writer_close(b->w, &b->err) < 0)
		fail_msg("%s", b->err.msg);
	rewind(b->trace);
	assert_true(tr_reader_open(&r, b->trace, NULL, &b->err) >= 0);
	tr_cta_init(&cta);
	while ((event = tr_reader_next(r, &b->err)) != TR_END) {
		assert_true(event > 0);
		if (event != TR_CTA)
			continue;
		assert_int_equal(tr_reader_cta(r, &cta, &b->err), 1);
		for (uint32_t t = 0; t < cta.nthreads; t++)
			assert_int_equal(walked(tr_reader_program(r), &cta.threads[t], &insts),
				passed[cta.launch][cta.number * cta.nthreads + t]);
		syncs += cta.nsync;
	}
	assert_int_equal(insts, ptx_thread_insts(b->m));
	tr_cta_free(&cta);
	tr_reader_close(r);
	fclose(b->trace);
	ptx_machine_free(b->m);
	ptx_module_free(b->mod);
	return syncs;
}

static void abandon(struct bench *b)
{
	tr_writer_abandon(b->w);
	fclose(b->trace);
	ptx_machine_free(b->m);
	ptx_module_free(b->mod);
}

static uint64_t buffer(struct bench *b, const char *name, uint64_t bytes)
{
	const uint64_t base = ptx_alloc(b->m, name, bytes, &b->err);
	assert_true(base != 0);
	return base;
}

/* A buffer of n integers from 0 up to `below`, the same in every run. */
static uint64_t numbers(struct bench *b, const char *name, unsigned n, unsigned below)
{
	const uint64_t base = buffer(b, name, 4 * n);
	int32_t *p = ptx_host(b->m, base, 4 * n);
	uint32_t x = 12345;

	for (unsigned i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (int32_t)((x >> 8) % below);
	}
	return base;
}

static int32_t *ints(struct bench *b, uint64_t base, unsigned n)
{
	int32_t *p = ptx_host(b->m, base, 4 * n);
	assert_non_null(p);
	return p;
}

/* ---- kernels that clang compiled ---- */

static void test_warp_synchronous(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "exec");
	const uint64_t in = numbers(&b, "in", 1024, 1000), out = buffer(&b, "out", 4 * 32);
	const void *args[] = {&out, &in};
	run(&b, "warp_synchronous", 4, 256, args, 2);
	for (unsigned w = 0; w < 32; w++) {
		int sum = 0;
		for (unsigned i = 0; i < 32; i++)
			sum += ints(&b, in, 1024)[32 * w + i];
		assert_int_equal(ints(&b, out, 32)[w], sum);
	}
	/* Five steps; in each the reads of s[t] see the thread's own write, those of s[t + k]
	   another's: 16 lanes in every step of every warp. */
	assert_int_equal(end(&b), 32 * 16 * 5);
}

static void test_votes_and_shuffles(void **state)
{
	struct bench b;
	const unsigned n = 128;

	(void)state;
	begin(&b, "exec");
	const uint64_t in = numbers(&b, "in", n, 100), out = buffer(&b, "out", 24 * n);
	const void *args[] = {&out, &in};
	run(&b, "votes_and_shuffles", 2, 64, args, 2);
	const int32_t *v = ints(&b, in, n), *got = ints(&b, out, 6 * n);
	for (unsigned i = 0; i < n; i++) {
		const unsigned lane = i % 32, first = i - lane;
		unsigned ballot = 0, any = 0;
		int sum = 0;
		for (unsigned k = 0; k < 32; k++) {
			ballot |= (unsigned)(v[first + k] & 1) << k;
			any |= v[first + k] > 90;
			sum += v[first + k];
		}
		assert_int_equal((uint32_t)got[6 * i], ballot);
		assert_int_equal(got[6 * i + 1], 2 + any);
		assert_int_equal(got[6 * i + 2], sum);
		assert_int_equal(got[6 * i + 3], lane ? v[i - 1] : v[i]);
		assert_int_equal(got[6 * i + 4], lane + 3 < 32 ? v[i + 3] : v[i]);
		assert_int_equal(got[6 * i + 5], v[i / 8 * 8 + 2]);
	}
	assert_int_equal(end(&b), 0);
}

static void test_atomics(void **state)
{
	struct bench b;
	const int n = 1000;

	(void)state;
	begin(&b, "exec");
	const uint64_t in = numbers(&b, "in", 1000, 5000), hist = buffer(&b, "hist", 64);
	const uint64_t extremes = buffer(&b, "extremes", 8), sum = buffer(&b, "sum", 4);
	const void *args[] = {&hist, &extremes, &sum, &in, &n};
	int want[16] = {0}, least = 1 << 30, most = 0;
	ints(&b, extremes, 2)[0] = 1 << 30;
	run(&b, "atomics", 4, 256, args, 5);
	for (int i = 0; i < n; i++) {
		const int v = ints(&b, in, 1000)[i];
		want[v & 15]++;
		least = v < least ? v : least;
		most = v > most ? v : most;
	}
	assert_memory_equal(ptx_host(b.m, hist, 64), want, 64);
	assert_int_equal(ints(&b, extremes, 2)[0], least);
	assert_int_equal(ints(&b, extremes, 2)[1], most);
	assert_true(*(float *)ptx_host(b.m, sum, 4) == 1000);
	end(&b);
}

static int diverging(int v)
{
	int sum = 0;

	for (int k = 0; k < 40; k++) {
		if (v % 7 == 0) {
			if (v % 2 == 0)
				sum += 3;
			else if (v % 3 == 0)
				break;
			else {
				v += k;
				continue;
			}
		} else {
			for (int j = k; j < v % 11; j++) {
				sum += j;
				if (sum % 13 == 12)
					break;
				if (sum > 500)
					return -sum;
			}
		}
		v = v * 5 % 997 + 1;
	}
	return sum * 1000 + v;
}

static void test_divergence(void **state)
{
	struct bench b;
	const int n = 2000;

	(void)state;
	begin(&b, "exec");
	const uint64_t in = numbers(&b, "in", 2000, 997), out = buffer(&b, "out", 4 * 2000);
	const void *args[] = {&out, &in, &n};
	run(&b, "divergence", 8, 256, args, 3);
	for (int i = 0; i < n; i++)
		assert_int_equal(ints(&b, out, 2000)[i], diverging(ints(&b, in, 2000)[i]));
	end(&b);
}

static int steps_to_one(int v)
{
	int steps = 0;

	for (; v > 1; steps++)
		v = v & 1 ? 3 * v + 1 : v / 2;
	return steps;
}

static void test_persistent(void **state)
{
	struct bench b;
	const int n = 5000;
	int total = 0, least = n;

	(void)state;
	begin(&b, "exec");
	const uint64_t out = buffer(&b, "out", 4 * 5000), counter = buffer(&b, "counter", 4);
	const uint64_t share = buffer(&b, "share", 4 * 512);
	const void *args[] = {&out, &counter, &share, &n};
	run(&b, "persistent", 4, 128, args, 4);
	for (int i = 0; i < n; i++)
		assert_int_equal(ints(&b, out, 5000)[i], steps_to_one(i));
	for (int cta = 0; cta < 4; cta++) {
		int mine = 0;
		for (int t = 0; t < 128; t++)
			mine += ints(&b, share, 512)[128 * cta + t];
		total += mine;
		least = mine < least ? mine : least;
	}
	assert_int_equal(total, n);
	assert_true(least > n / 8); /* no CTA is left without work */
	end(&b);
}

static float blend(const float *table, int i, float by)
{
	return i & 1 ? table[i & 7] * by : table[(i + 1) & 7] - by;
}

static void test_calls_and_local(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "exec");
	const uint64_t out = buffer(&b, "out", 4 * 128);
	const void *args[] = {&out};
	run(&b, "calls_and_local", 2, 64, args, 1);
	for (int i = 0; i < 128; i++) {
		const int t = i % 64;
		float table[8];
		for (int k = 0; k < 8; k++)
			table[k] = (float)(1 << ((k + t) & 7)) + (float)k;
		const float a = blend(table, t, 0.5f);
		const float c = t & 2 ? blend(table, t + 3, 2.0f) : 1.0f;
		table[t & 7] = a;
		const float want = table[(t * 3) & 7] + c + (float)(10 * (t & 3) + 10);
		assert_true(((float *)ptx_host(b.m, out, 512))[i] == want);
	}
	end(&b);
}

static void test_barriers(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "exec");
	const uint64_t in = numbers(&b, "in", 512, 100), out = buffer(&b, "out", 4 * 512);
	const void *args[] = {&out, &in};
	run(&b, "barriers", 2, 256, args, 2);
	for (int i = 0; i < 512; i++) {
		const int t = i % 256, from = 223 - t;
		const int want =
			ints(&b, in, 512)[i - t + (t < 224 ? from : 0)] + (from < 64 ? 1 : 2);
		assert_int_equal(ints(&b, out, 512)[i], t < 224 ? want : 0);
	}
	assert_int_equal(end(&b), 0);
}

static void test_rewritten(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "exec");
	const uint64_t out = buffer(&b, "out", 4 * 64);
	const void *args[] = {&out};
	run(&b, "rewritten", 1, 64, args, 1);
	for (int i = 0; i < 64; i++)
		assert_int_equal(ints(&b, out, 64)[i], 12);
	assert_int_equal(end(&b), 0);
}

static void test_generic_and_narrow(void **state)
{
	struct bench b;
	const int n = 70;

	(void)state;
	begin(&b, "exec");
	const uint64_t in = numbers(&b, "in", 64, 100), out = buffer(&b, "out", 4 * 128);
	const void *args[] = {&out, &in};
	run(&b, "generic", 2, 64, args, 2);
	for (int i = 0; i < 128; i++) {
		const int t = i % 64;
		assert_int_equal(
			ints(&b, out, 128)[i], t % 3 ? ints(&b, in, 64)[63 - t] : 1000 + 63 - t);
	}
	const uint64_t out8 = buffer(&b, "out8", 70), out16 = buffer(&b, "out16", 140);
	const uint64_t out64 = buffer(&b, "out64", 560), in8 = numbers(&b, "in8", 70, 1 << 24);
	const uint64_t in16 = numbers(&b, "in16", 70, 1 << 24);
	const void *args2[] = {&out8, &out16, &in8, &in16, &out64, &n};
	run(&b, "narrow", 3, 32, args2, 6);
	const uint8_t *a = ptx_host(b.m, in8, 70);
	const uint16_t *c = ptx_host(b.m, in16, 140);
	for (int i = 0; i < n; i++) {
		assert_int_equal(((int8_t *)ptx_host(b.m, out8, 70))[i], (int8_t)(a[i] * 3 - c[i]));
		assert_int_equal(((int16_t *)ptx_host(b.m, out16, 140))[i], (int16_t)(c[i] * a[i]));
		assert_true(((double *)ptx_host(b.m, out64, 560))[i] ==
			    (double)a[i] / (double)(c[i] + 1));
	}
	end(&b);
}

/* ---- kernels by hand ---- */

static void test_brx(void **state)
{
	static const int add[5] = {1, 2, 7, 2, 4};
	struct bench b;

	(void)state;
	begin(&b, "exec_hand");
	const uint64_t out = buffer(&b, "out", 4 * 45);
	const void *args[] = {&out};
	run(&b, "brx", 1, 45, args, 1);
	for (int t = 0; t < 45; t++)
		assert_int_equal(ints(&b, out, 45)[t], t == 7 ? 1077 : 1000 + add[t % 5]);
	end(&b);
}

static void test_guarded_call(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "exec_hand");
	const uint64_t out = buffer(&b, "out", 4 * 100);
	const void *args[] = {&out};
	run(&b, "guarded_call", 1, 100, args, 1);
	for (int t = 0; t < 100; t++)
		assert_int_equal(ints(&b, out, 100)[t], 1 + (t & 1 ? steps_to_one(t) : 5000));
	end(&b);
}

/* 1 + 200 words a lane are remembered, 1 + 300 are not: sync.c keeps 8192 words of a CTA. */
static void test_writes_are_forgotten(void **state)
{
	static const struct {
		uint32_t more;
		uint64_t syncs;
	} cases[] = {{0, 32}, {200, 32}, {300, 0}};

	(void)state;
	for (unsigned c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct bench b;

		begin(&b, "exec_hand");
		const uint64_t out = buffer(&b, "out", 128 * 301);
		const void *args[] = {&out, &cases[c].more};
		run(&b, "write_much", 1, 32, args, 2);
		for (int t = 0; t < 32; t++)
			assert_int_equal(ints(&b, out, 32)[t], (t + 31) % 32);
		assert_int_equal(end(&b), cases[c].syncs);
	}
}

static void test_collectives(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "exec_hand");
	const uint64_t out = buffer(&b, "out", 32 * 32);
	const void *args[] = {&out};
	run(&b, "collectives", 1, 32, args, 1);
	for (unsigned t = 0; t < 32; t++) {
		const uint32_t *got = (const uint32_t *)ints(&b, out, 256) + 8 * t;
		assert_int_equal(got[0], 0x1111);
		assert_int_equal(got[1], 1);
		assert_int_equal(got[2], 0x11111111u << t % 4);
		assert_int_equal(got[3], 0);
		assert_int_equal(got[4], 496);
		assert_int_equal(got[5], 8);
		assert_int_equal(got[6], t < 2 ? t + 30 : 99);
		assert_int_equal(got[7], t % 4 ? 0xffffffff : 0x11111111);
	}
	end(&b);
}

static void test_segments(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "exec_hand");
	const uint64_t out = buffer(&b, "out", 16 * 32);
	const void *args[] = {&out};
	run(&b, "segments", 1, 32, args, 1);
	for (int t = 0; t < 32; t++) {
		const int32_t *got = ints(&b, out, 128) + 4 * t, at = t % 8;
		const int down = at + 3 < 8, up = at - 3 >= 0, across = (t ^ 9) < t;
		assert_int_equal(got[0], down ? t + 3 : t);
		assert_int_equal(got[1], up ? t - 3 : t);
		assert_int_equal(got[2], across ? t ^ 9 : t);
		assert_int_equal(got[3], 100 * down + 200 * up + 400 * across);
	}
	end(&b);
}

static void test_arrive_and_reduce(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "exec_hand");
	const uint64_t out = buffer(&b, "out", 4 * 128);
	const void *args[] = {&out};
	run(&b, "producer", 3, 128, args, 1);
	for (int t = 64; t < 128; t++)
		assert_int_equal(ints(&b, out, 128)[t], (127 - t) * (127 - t));
	run(&b, "reduction", 1, 100, args, 1);
	for (int t = 0; t < 100; t++)
		assert_int_equal(ints(&b, out, 128)[t], 1050);
	run(&b, "reduction", 1, 40, args, 1);
	for (int t = 0; t < 40; t++)
		assert_int_equal(ints(&b, out, 128)[t], 140);
	assert_int_equal(end(&b), 0);
}

static void test_specials(void **state)
{
	const struct ptx_machine_options opt = {
		.resident = {3, 2, 1024, 65536, 49152, 7}, .executed = on_executed};
	struct bench b;

	(void)state;
	begin_with(&b, "tests/kernels/exec_hand.ptx", &opt);
	const uint64_t out = buffer(&b, "out", 48 * 48 * 12);
	const void *args[] = {&out};
	const struct ptx_launch l = {.kernel = ptx_find(b.mod, "specials"),
		.grid = {4, 3, 1},
		.block = {12, 4, 1},
		.dynamic_shared = 40,
		.args = args,
		.nargs = 1};
	assert_int_equal(ptx_launch(b.m, &l, b.w, &b.err), 1);
	for (unsigned i = 0; i < 48 * 12; i++) {
		const uint32_t *got = ptx_host(b.m, out + 48 * i, 48);
		const unsigned t = i % 48, lane = t % 32, cta = i / 48;
		assert_int_equal(got[0], lane);
		assert_int_equal(got[1], t / 32);
		assert_int_equal(got[2], (1ull << lane) - 1);
		assert_int_equal(got[3], (uint32_t) ~((1ull << lane) - 1));
		if (cta < 6) /* the ones that start at once, two on an SM */
			assert_int_equal(got[4], cta / 2);
		assert_true(got[4] < 3);
		assert_int_equal(got[5], 3);
		assert_int_equal(got[6], 40);
		assert_int_equal(got[7], 128); /* what sm_80 allocates for them */
		assert_true(got[8] >= 1 && got[9] == 0);
		assert_int_equal(got[10], 1u << lane);
		assert_int_equal(got[11], 0);
	}
	end(&b);
}

/* ---- the reconvergence stack ---- */

static void test_stack(void **state)
{
	struct warp_stack s;

	(void)state;
	warp_stack_init(&s, 0, 0xff);
	struct warp_path two[2] = {{5, 0x0f, 1}, {3, 0xf0, 0}};
	warp_stack_branch(&s, 10, two, 2);
	assert_int_equal(warp_stack_pc(&s), 3); /* the lower rank first */
	assert_int_equal(warp_stack_mask(&s), 0xf0);
	warp_stack_advance(&s, 10);
	assert_int_equal(warp_stack_pc(&s), 5);
	assert_int_equal(warp_stack_mask(&s), 0x0f);
	warp_stack_exit(&s, 0x03, 6);
	assert_int_equal(warp_stack_live(&s), 0xfc);
	assert_int_equal(warp_stack_pc(&s), 6);
	warp_stack_advance(&s, 10);
	assert_int_equal(s.depth, 1);
	assert_int_equal(warp_stack_mask(&s), 0xfc);

	/* A loop from 11 to 19: each trip some lanes leave for 20, where all meet. */
	for (unsigned lane = 2; lane < 7; lane++) {
		struct warp_path trip[2] = {
			{20, 1u << lane, 1}, {11, warp_stack_mask(&s) & ~(1u << lane), 0}};
		warp_stack_branch(&s, 20, trip, 2);
		assert_int_equal(s.depth, 2);
		assert_int_equal(warp_stack_pc(&s), 11);
	}
	warp_stack_exit(&s, 0x80, 20);
	assert_int_equal(s.depth, 1);
	assert_int_equal(warp_stack_pc(&s), 20);
	assert_int_equal(warp_stack_mask(&s), 0x7c);
	warp_stack_exit(&s, 0x7c, 21);
	assert_int_equal(s.depth, 0);
}

static uint32_t xorshift(void)
{
	static uint32_t x = 2463534242u;
	x ^= x << 13;
	x ^= x >> 17;
	return x ^= x << 5;
}

/* Well-nested branches at random, as deep as lanes allow: no lane is lost and the bound holds. */
static void nested(struct warp_stack *s, uint32_t *live, uint32_t join, unsigned depth)
{
	const uint32_t mask = warp_stack_mask(s), part = mask & xorshift(), inner = join + 1;

	assert_int_equal(warp_stack_live(s), *live);
	if (!part || part == mask || depth == 40)
		return;
	struct warp_path two[2] = {
		{1000 + depth, part, xorshift() % 2}, {2000 + depth, mask & ~part, xorshift() % 2}};
	warp_stack_branch(s, inner, two, 2);
	for (unsigned k = 0; k < 2; k++) {
		const uint32_t lanes = warp_stack_mask(s);
		nested(s, live, inner, depth + 1);
		if (xorshift() % 4 == 0 && warp_stack_mask(s) == lanes) {
			*live &= ~lanes;
			warp_stack_exit(s, lanes, 0);
		} else if (warp_stack_mask(s) & lanes && !(warp_stack_mask(s) & ~lanes)) {
			warp_stack_advance(s, inner);
		}
		assert_int_equal(warp_stack_live(s), *live);
		if (!s->depth || (warp_stack_mask(s) & ~mask))
			return;
	}
	assert_int_equal(warp_stack_mask(s), mask & *live);
}

static void test_stack_at_random(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		struct warp_stack s;
		uint32_t live = UINT32_MAX;
		warp_stack_init(&s, 0, live);
		nested(&s, &live, 3000, 0);
	}
}

static void test_indirect(void **state)
{
	struct bench b;

	(void)state;
	for (uint32_t which = 0; which < 2; which++) {
		begin(&b, "indirect");
		const uint64_t out = buffer(&b, "out", 4 * 100);
		const void *args[] = {&out, &which};
		run(&b, "indirect", 1, 100, args, 2);
		for (int t = 0; t < 100; t++)
			assert_int_equal(ints(&b, out, 100)[t], t % 3 == 0 ? 7
								: t % 2 == 0 || which
									? t + 3
									: (t + 3) * 5);
		end(&b);
	}
	begin(&b, "indirect");
	const uint64_t out = buffer(&b, "out", 4 * 100);
	const uint32_t wrong = 2;
	const void *args[] = {&out, &wrong};
	assert_int_equal(launch(&b, "indirect", 1, 100, args, 2), TR_ERUN);
	assert_non_null(strstr(b.err.msg, "thread 1, "));
	assert_non_null(strstr(b.err.msg, "call goes to 0x7fff000"));
	assert_non_null(strstr(b.err.msg, "which is no function with such parameters"));
	abandon(&b);
}

static void test_elect(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "newer");
	const uint64_t out = buffer(&b, "out", 16 * 32);
	const void *args[] = {&out};
	run(&b, "elect", 1, 32, args, 1);
	for (int t = 0; t < 32; t++) {
		const int32_t want[] = {4, t == 4, t > 20 ? 21 : 77, t == 21};
		assert_memory_equal(ints(&b, out, 128) + 4 * t, want, sizeof(want));
	}
	end(&b);
}

/* Parts of a warp that name themselves only get answers of their own, though all come together. */
static void test_masks_of_tiles(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "newer");
	const uint64_t out = buffer(&b, "out", 24 * 32);
	const void *args[] = {&out};
	run(&b, "masks_of_tiles", 1, 32, args, 1);
	for (unsigned t = 0; t < 32; t++) {
		const unsigned first = t / 8 * 8;
		const uint32_t odd = 0xaau << first, alike = 0x11u << (first + t % 4);
		const uint32_t want[] = {odd, (first + 7 > 12) + 2u * (first > 12), alike,
			0xffu << first, 8 * first + 28, t == first ? t + 100 : first};
		assert_memory_equal(ints(&b, out, 192) + 6 * t, want, sizeof(want));
	}
	end(&b);
}

static void test_heap_of_kernels(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "newer");
	const uint64_t out = buffer(&b, "out", 20);
	const void *args[] = {&out};
	assert_int_equal(ptx_set_heap(b.m, 1 << 20, &b.err), 1);
	run(&b, "heap", 1, 1, args, 1);
	assert_int_equal(ptx_set_heap(b.m, 2 << 20, &b.err), TR_EUSAGE);
	/* success, what was stored; cudaErrorMemoryAllocation, no address; success */
	const int32_t want[] = {0, 5, 2, 0, 0};
	assert_memory_equal(ints(&b, out, 5), want, sizeof(want));
	end(&b);
}

/* What a kernel stores into the heap's list of free blocks is no address that the machine uses. */
static void test_damaged_heap(void **state)
{
	struct bench b;

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		begin(&b, "newer");
		const uint64_t out = buffer(&b, "out", 64), heap = b.m->heap.base;
		/* nowhere, not the heap's, no block's, and the block that is in use by then */
		const uint64_t nexts[] = {0x1234, out + 16, heap + 24, heap + 16}, next = nexts[k];
		const void *args[] = {&next};
		char says[80];
		assert_int_equal(launch(&b, "heap_damaged", 1, 1, args, 1), TR_ERUN);
		snprintf(says, sizeof(says),
			"finds 0x%" PRIx64 " in the heap's list of free blocks", next);
		if (!strstr(b.err.msg, says))
			fail_msg("says: %s", b.err.msg);
		for (int i = 0; i < 16; i++)
			assert_int_equal(ints(&b, out, 16)[i], 0);
		abandon(&b);
	}
}

static void on_print(void *arg, const char *text, size_t n)
{
	snprintf(arg, 4096, "%.*s", (int)n, text);
}

/* printf's texts are C's, up to where they are cut; absurd widths cost no more than that. */
static void test_printf(void **state)
{
	static const char *const formats[] = {"%d|%3d|%-5d|%05u|%x.%d", "%+*d|%.*d|%*d|%d",
		"%-*d%%%c%-3c|%5.3i|%.d|%.0d", "% #08X|%++-+ #9o|%d", "%4093d%d", "%9000.4090d",
		"%5000d", "%-5000d%d", "%.5000d", "%05000.3d", "%9000.8000d", "%99999d", "%.99999d",
		"%-99999.99999d", "%*d", "%9500.9000d", "%-9500.9000d", "%9000.99999d",
		"%d%d%d%d|%hhx|%hd", "%d%d%d%d|%hu|%hhd", "%d%d%d%d|%hho|%#hX", "%99999999d"};
	static const int32_t args[] = {7, 3, 42, 9, -5, 2, 11, 12};
	static char text[4096];
	struct ptx_machine_options opt = usual;
	char want[4096] = {0};

	(void)state;
	opt.print = on_print;
	opt.print_arg = text;
	for (unsigned k = 0; k < sizeof(formats) / sizeof(*formats); k++) {
		const int absurd = k + 1 == sizeof(formats) / sizeof(*formats);
		const clock_t start = clock();
		struct bench b;
		begin_with(&b, "tests/kernels/newer.ptx", &opt);
		const uint64_t format = buffer(&b, "format", 64), values = buffer(&b, "args", 32);
		const void *handed[] = {&format, &values};
		strcpy(ptx_host(b.m, format, 64), formats[k]);
		memcpy(ptx_host(b.m, values, 32), args, sizeof(args));
		run(&b, "print", 1, absurd ? 32 : 1, handed, 2);
		end(&b);
		if (absurd)
			memset(want, ' ', sizeof(want) - 1);
		else
			snprintf(want, sizeof(want), formats[k], 7, 3, 42, 9, -5, 2, 11, 12);
		assert_string_equal(text, want);
		assert_true(clock() - start < 2 * CLOCKS_PER_SEC);
	}
}

static void test_printed_pointers(void **state)
{
	static char text[4096];
	struct ptx_machine_options opt = usual;
	struct bench b;

	(void)state;
	opt.print = on_print;
	opt.print_arg = text;
	begin_with(&b, "tests/kernels/newer.ptx", &opt);
	const uint64_t format = buffer(&b, "format", 64), values = buffer(&b, "args", 32);
	const uint64_t pointers[] = {0x1234, 0xabc, 0};
	const void *handed[] = {&format, &values};
	strcpy(ptx_host(b.m, format, 64), "%20p|%-12p|%p|");
	memcpy(ptx_host(b.m, values, 32), pointers, sizeof(pointers));
	run(&b, "print", 1, 1, handed, 2);
	end(&b);
	assert_string_equal(text, "              0x1234|0xabc       |0x0|");
}

static void test_reserved_shared(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "newer");
	const uint64_t out = buffer(&b, "out", 32);
	const void *args[] = {&out};
	run(&b, "reserved", 1, 1, args, 1);
	const int32_t want[] = {1024, 1024, 0, 0, 7, 8, 9, 10};
	assert_memory_equal(ints(&b, out, 8), want, sizeof(want));
	end(&b);
}

static void test_wide(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "newer");
	const uint64_t in = numbers(&b, "in", 256, 1000), out = buffer(&b, "out", 1024);
	const void *args[] = {&in, &out};
	run(&b, "wide", 1, 64, args, 2);
	for (int t = 0; t < 64; t++) {
		const int32_t *from = ints(&b, in, 256) + 4 * t;
		const int32_t turned[] = {from[2], from[3], from[0], from[1]};
		assert_memory_equal(ints(&b, out, 256) + 4 * t, t % 2 ? from : turned, 16);
	}
	end(&b);
}

static void test_wide_atomics(void **state)
{
	struct bench b;
	const int64_t sum[] = {0, 16 + 31 * 32 / 2, -1, 0, 7, 0};

	(void)state;
	begin(&b, "newer");
	const uint64_t in = numbers(&b, "in", 128, 1000), out = buffer(&b, "out", 512 + 48);
	const void *args[] = {&in, &out};
	run(&b, "wide_atomic", 1, 32, args, 2);
	const int32_t first[] = {5, 0, 0, 0};
	assert_memory_equal(ints(&b, out, 4), first, 16);
	assert_memory_equal(ints(&b, out, 140) + 4, ints(&b, in, 128), 16 * 31);
	assert_memory_equal(ints(&b, out, 140) + 128, sum, sizeof(sum));
	end(&b);
}

static void test_nvopencc(void **state)
{
	struct bench b;
	uint64_t bytes;

	(void)state;
	begin(&b, "nvopencc");
	const uint64_t texels = numbers(&b, "texels", 64, 1000), out = buffer(&b, "out", 256);
	ptx_texture_bind(b.m, ptx_symbol(b.m, b.mod, "texels", &bytes),
		&(struct ptx_texture){.base = texels,
			.size = {64, 1, 1},
			.channels = 1,
			.channel_bits = 32,
			.texels = PTX_TEXELS_UNSIGNED,
			.plain = 1});
	const void *args[] = {&out};
	run(&b, "old", 2, 32, args, 1);
	for (int t = 0; t < 64; t++)
		assert_int_equal(
			ints(&b, out, 64)[t], 2 * (t + 9) + t % 32 + ints(&b, texels, 64)[t]);
	end(&b);
}

static void test_narrow_addresses(void **state)
{
	const char *const path = "tests/kernels/narrow.ptx";
	struct tr_err err = {0};
	struct ptx_module *mod;
	struct ptx_machine *m;
	size_t len;
	char *text = slurp(path, &len);

	(void)state;
	assert_int_equal(ptx_parse(&mod, text, len, path, &err), 1);
	assert_int_equal(ptx_address_bytes(mod), 4);
	assert_int_equal(ptx_machine_new(&m, &usual, &err), 1);
	assert_int_equal(ptx_load(m, mod, &err), TR_EUSAGE);
	assert_string_equal(err.msg, "'tests/kernels/narrow.ptx' has addresses of 32 bits, and "
				     "this machine's have 64");
	ptx_machine_free(m);
	ptx_module_free(mod);
	free(text);
}

static void test_before_fermi(void **state)
{
	static const float values[] = {3, 0x1p-126f, 0x1.8p-125f, 0x1p-149f, -0x1p-126f};
	static const float sums[] = {3, 0, 0x1.8p-125f, 0, 0};
	struct bench b;
	const uint64_t count = 5;

	(void)state;
	begin(&b, "tesla");
	const uint64_t in = buffer(&b, "in", sizeof(values)), out = buffer(&b, "out", 1024);
	memcpy(ptx_host(b.m, in, sizeof(values)), values, sizeof(values));
	const void *args[] = {&in, &out, &count};
	run(&b, "inside", 1, 32, args, 3);
	const float *got = ptx_host(b.m, out, 1024);
	for (unsigned i = 0; i < count; i++) {
		assert_true(got[i] == 1 + sums[i]);
		assert_true(got[32 + i] == sums[i]);
	}
	assert_true(got[count] == 0);
	end(&b);
}

/* Values that do not fit a channel become the nearest that does. */
static void test_texels(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "newer");
	const uint64_t bytes = buffer(&b, "bytes", 4 * 32), halves = buffer(&b, "halves", 4 * 32);
	const uint64_t flat = ptx_texture_bind(b.m, 0,
		&(struct ptx_texture){.base = bytes,
			.size = {8, 4, 1},
			.pitch = 32,
			.channels = 4,
			.channel_bits = 8,
			.texels = PTX_TEXELS_SIGNED});
	const uint64_t layers = ptx_texture_bind(b.m, 0,
		&(struct ptx_texture){.base = halves,
			.size = {8, 1, 1},
			.slice = 32,
			.layers = 4,
			.channels = 2,
			.channel_bits = 16,
			.texels = PTX_TEXELS_UNSIGNED,
			.scaled = 1});
	const void *args[] = {&flat, &layers};
	run(&b, "texels", 1, 32, args, 2);
	const int8_t *got = (const int8_t *)ints(&b, bytes, 32);
	const uint16_t *parts = (const uint16_t *)ints(&b, halves, 32);
	for (int t = 0; t < 32; t++) {
		assert_int_equal(got[4 * t], t);
		assert_int_equal(got[4 * t + 1], t < 2 ? 100 * t : 127);
		assert_int_equal(got[4 * t + 2], t < 72 ? -128 : t - 200);
		assert_int_equal(got[4 * t + 3], t / 8);
		assert_int_equal(parts[2 * t], (int)(t / 32.0 * 65535 + 0.5));
		assert_int_equal(parts[2 * t + 1], 0);
	}
	end(&b);
}

static uint32_t fib(uint32_t n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2) + (n > 4 ? 100 : 0);
}

/* The frames' numbers summed at the innermost one, and a thousand times each on the way back. */
static uint64_t chain(uint32_t n)
{
	const uint64_t sum = (uint64_t)n * (n + 1) / 2;
	return sum + 1000 * sum;
}

static void test_recursion(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "recurse");
	const uint64_t out = buffer(&b, "out", 8 * 100);
	const void *args[] = {&out};
	run(&b, "fibs", 1, 100, args, 1);
	for (uint32_t t = 0; t < 100; t++)
		assert_int_equal(ints(&b, out, 100)[t], fib(t % 11));
	run(&b, "evens", 1, 100, args, 1);
	for (uint32_t t = 0; t < 100; t++)
		assert_int_equal(ints(&b, out, 100)[t], t % 13 % 2 == 0);
	run(&b, "chains", 1, 100, args, 1);
	const uint64_t *sums = ptx_host(b.m, out, 8 * 100);
	for (uint32_t t = 0; t < 100; t++)
		assert_int_equal(sums[t], chain(t & 7));
	end(&b);
}

static uint32_t plus(uint32_t n)
{
	return n + 100;
}

static uint32_t sum(uint32_t n)
{
	return 1000 + n * (n + 1) / 2;
}

static uint32_t twice(uint32_t n)
{
	static uint32_t (*const before[])(uint32_t) = {sum, twice, plus};
	return n ? before[n % 3](n - 1) * 3 + before[(n + 1) % 3](n - 1) + n - 1 : 1;
}

/* Each n exchanges the words, and adds to one of them and to what is beyond. */
static void turns(uint32_t v[4], uint32_t n)
{
	for (uint32_t k = 1; k <= n; k++) {
		const uint32_t first = v[0];
		v[0] = v[1] + sum(k);
		v[1] = first;
		v[2] = (v[2] + 1) & 0xffff;
		v[3] = (v[3] + 2) & 0xff;
	}
}

/* Parameters that several functions share, of which some call themselves: each has its value. */
static void test_shared_parameters(void **state)
{
	static uint32_t (*const before[])(uint32_t) = {sum, twice, plus};
	struct bench b;

	(void)state;
	begin(&b, "shared_params");
	const uint64_t out = buffer(&b, "out", 32 * 16);
	const void *args[] = {&out};
	run(&b, "pairs", 1, 32, args, 1);
	for (uint32_t t = 0; t < 32; t++) {
		const uint32_t want[] = {plus(t), sum(t), twice(t), plus(t)};
		assert_memory_equal(ints(&b, out, 128) + 4 * t, want, 16);
	}
	run(&b, "tables", 1, 32, args, 1);
	for (uint32_t t = 0; t < 32; t++) {
		assert_int_equal(ints(&b, out, 64)[2 * t], t & 1 ? sum(t) : plus(t));
		assert_int_equal(ints(&b, out, 64)[2 * t + 1], before[t % 3](t));
	}
	run(&b, "handed", 1, 32, args, 1);
	for (uint32_t t = 0; t < 32; t++) {
		uint32_t want[] = {t, 5, t, 250};
		turns(want, t & 7);
		assert_memory_equal(ints(&b, out, 128) + 4 * t, want, 16);
	}
	run(&b, "orders", 1, 32, args, 1);
	for (uint32_t t = 0; t < 32; t++) {
		const uint32_t n = t & 7, sum_of_all = n * (n + 1) / 2;
		assert_int_equal(ints(&b, out, 64)[2 * t], sum_of_all);
		assert_int_equal(ints(&b, out, 64)[2 * t + 1], sum_of_all);
	}
	end(&b);
}

static void test_stack_overflow(void **state)
{
	struct bench b;
	uint32_t frames[2];

	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		begin(&b, "recurse");
		ptx_set_stack(b.m, k ? 1000 : 0);
		assert_int_equal(launch(&b, "deep", 1, 32, NULL, 0), TR_ERUN);
		assert_int_equal(ptx_fault_kind(b.m), PTX_FAULT_STACK);
		const char *said = strstr(b.err.msg, "call.uni overflows the thread's stack: ");
		assert_non_null(strstr(b.err.msg, "recurse.ptx:"));
		assert_non_null(said);
		assert_int_equal(
			sscanf(strstr(said, "there were"), "there were %u", &frames[k]), 1);
		abandon(&b);
	}
	assert_true(frames[0] > 3 * frames[1] && frames[1] > 10);
}

/* The source has 4 rows of 8 words, what is written 8 rows. */
static void test_surfaces(void **state)
{
	for (uint32_t trap = 0; trap < 2; trap++) {
		struct bench b;
		struct ptx_texture t = {.size = {8, 4, 1},
			.pitch = 48,
			.channels = 1,
			.channel_bits = 32,
			.texels = PTX_TEXELS_SIGNED};
		(void)state;
		begin(&b, "exec_hand");
		const uint64_t in = numbers(&b, "in", 12 * 4, 1 << 20);
		const uint64_t out = buffer(&b, "out", 48 * 8);
		t.base = in;
		const uint64_t from = ptx_texture_bind(b.m, 0, &t);
		t.base = out;
		t.size[1] = 8;
		const uint64_t to = ptx_texture_bind(b.m, 0, &t);
		const void *args[] = {&from, &to, &trap};
		const int e = launch(&b, "surfaces", 1, 32, args, 3);
		const int32_t *v = ints(&b, in, 48), *w = ints(&b, out, 96);
		for (int i = 0; i < 32; i++) {
			const int x = i % 8, y = i / 8, left = x ? v[12 * y + x - 1] : v[12 * y];
			assert_int_equal(w[12 * y + x], left);
			assert_int_equal(w[12 * (y + 4) + x], x ? left & 0xffff : 0);
		}
		if (!trap) {
			assert_int_equal(e, 1);
			end(&b);
			continue;
		}
		assert_int_equal(e, TR_ERUN);
		assert_non_null(strstr(b.err.msg, "thread 0, "));
		assert_non_null(strstr(b.err.msg, "suld.b.1d.b32.trap is outside of the surface"));
		abandon(&b);
	}
}

/* ---- copies and arrivals ---- */

static void test_copies(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "exec_hand");
	const uint64_t in = numbers(&b, "in", 256, 1000), out = buffer(&b, "out", 3328);
	const void *args[] = {&out, &in};
	const int32_t *from = ints(&b, in, 256), *to = ints(&b, out, 832);
	run(&b, "copies", 1, 64, args, 2);
	for (int t = 0; t < 64; t++) {
		uint8_t piece[16] = {0};
		assert_int_equal(to[t], from[(t + 1) % 64]);
		memcpy(piece, from + 4 * t, (size_t)(t % 17));
		assert_memory_equal(to + 64 + 4 * t, piece, 16);
		for (int k = 0; k < 4; k++) {
			assert_int_equal(
				to[320 + 4 * t + k], t % 2 ? (k < 2 ? from[4 * t + k] : 0) : 77);
			assert_int_equal(to[576 + 4 * t + k], t % 2 ? from[4 * t + k] : 0);
		}
	}
	end(&b);
}

/* Coordinates whose index no integer holds lie beyond the edge that they are on the side of. */
static void test_far_texels(void **state)
{
	static const float at[] = {1e16f, -1e16f, INFINITY, -INFINITY, 1e14f, NAN, 7.9f, -1e14f};
	static const float want[][8] = {[PTX_WRAP_WRAP] = {10, 10, 10, 10, 10, 10, 17, 10},
		[PTX_WRAP_CLAMP] = {17, 10, 17, 10, 17, 10, 17, 10},
		[PTX_WRAP_MIRROR] = {10, 10, 10, 10, 10, 10, 10, 10},
		[PTX_WRAP_BORDER] = {-5, -5, -5, -5, -5, 10, 17, -5}};

	(void)state;
	for (uint8_t mode = PTX_WRAP_WRAP; mode <= PTX_WRAP_BORDER; mode++) {
		const int repeats = mode == PTX_WRAP_WRAP || mode == PTX_WRAP_MIRROR;
		struct bench b;
		begin(&b, "edges");
		const uint64_t in = buffer(&b, "in", 32), out = buffer(&b, "out", 32);
		const uint64_t texels = buffer(&b, "texels", 32);
		float *x = ptx_host(b.m, in, 32), *v = ptx_host(b.m, texels, 32);
		for (int i = 0; i < 8; i++) {
			v[i] = 10 + (float)i;
			x[i] = i == 6 && repeats ? at[i] / 8 + 1 : at[i];
		}
		const uint64_t texture = ptx_texture_bind(b.m, 0,
			&(struct ptx_texture){.base = texels,
				.size = {8, 1, 1},
				.channels = 1,
				.channel_bits = 32,
				.texels = PTX_TEXELS_FLOAT,
				.wrap = {mode, mode, mode},
				.normalized = (uint8_t)repeats,
				.border = {-5}});
		const void *args[] = {&texture, &in, &out};
		run(&b, "far_texels", 1, 8, args, 3);
		const float *got = ptx_host(b.m, out, 32);
		for (int i = 0; i < 8; i++)
			assert_true(got[i] == want[mode][i]);
		end(&b);
	}
}

/* Five texels that repeat in two ways, three rounds to both sides. */
static void test_repeated_texels(void **state)
{
	enum { SIZE = 5, FROM = -3 * SIZE, N = 6 * SIZE };

	(void)state;
	for (int mirrored = 0; mirrored < 2; mirrored++) {
		const uint8_t mode = mirrored ? PTX_WRAP_MIRROR : PTX_WRAP_WRAP;
		struct bench b;
		begin(&b, "edges");
		const uint64_t in = buffer(&b, "in", 4 * N), out = buffer(&b, "out", 4 * N);
		const uint64_t texels = buffer(&b, "texels", 4 * SIZE);
		float *x = ptx_host(b.m, in, 4 * N), *v = ptx_host(b.m, texels, 4 * SIZE);
		for (int i = 0; i < SIZE; i++)
			v[i] = 10 + (float)i;
		for (int i = 0; i < N; i++)
			x[i] = ((float)(FROM + i) + .5f) / SIZE;
		const uint64_t texture = ptx_texture_bind(b.m, 0,
			&(struct ptx_texture){.base = texels,
				.size = {SIZE, 1, 1},
				.channels = 1,
				.channel_bits = 32,
				.texels = PTX_TEXELS_FLOAT,
				.wrap = {mode, mode, mode},
				.normalized = 1});
		const void *args[] = {&texture, &in, &out};
		run(&b, "far_texels", 1, N, args, 3);
		const float *got = ptx_host(b.m, out, 4 * N);
		for (int i = 0; i < N; i++) {
			const int back = mirrored && i / SIZE % 2 == 0; /* rounds -3, -1 and 1 */
			const int texel = back ? SIZE - 1 - i % SIZE : i % SIZE;
			assert_true(got[i] == 10 + (float)texel);
		}
		end(&b);
	}
}

/* sust.p's x is scaled to bytes beyond 32 bits. */
static void test_far_surface(void **state)
{
	static const uint32_t at[] = {8, 0x40000000, 0xc0000001, 2};
	struct bench b;

	(void)state;
	begin(&b, "edges");
	const uint64_t in = buffer(&b, "in", 16), texels = buffer(&b, "texels", 32);
	memcpy(ptx_host(b.m, in, 16), at, sizeof(at));
	const uint64_t surface = ptx_texture_bind(b.m, 0,
		&(struct ptx_texture){.base = texels,
			.size = {8, 1, 1},
			.channels = 1,
			.channel_bits = 32,
			.texels = PTX_TEXELS_UNSIGNED});
	const void *args[] = {&surface, &in};
	run(&b, "far_surface", 1, 4, args, 2);
	for (int i = 0; i < 8; i++)
		assert_int_equal(ints(&b, texels, 8)[i], i == 2 ? 103 : 0);
	end(&b);
}

/* Memory of the host's is global, wherever it lies, and parameters are as well. */
static void test_spaces(void **state)
{
	static const int32_t want[] = {1, 1, 2, 4, 8, 17};
	const uint64_t host = 0x7ffff6e7a000;
	struct bench b;

	(void)state;
	begin(&b, "edges");
	const uint64_t out = buffer(&b, "out", 24);
	const void *args[] = {&out, &host};
	run(&b, "spaces", 1, 32, args, 2);
	assert_memory_equal(ints(&b, out, 6), want, sizeof(want));
	end(&b);
}

/* A store to what is there to be read is a stray access, as others are. */
static void test_forbidden(void **state)
{
	static const char *const says[] = {"st.u32 writes 4 bytes at 0x7d",
		"atom.add.u32 updates 4 bytes at 0x7d", "st.u32 writes 4 bytes at 0x7c"};
	static const char *const of[] = {"which is const memory, and only to be read",
		"which is const memory, and only to be read",
		"which is parameter memory, and only to be read"};

	(void)state;
	for (uint32_t which = 0; which < 9; which++) {
		const uint32_t what = which % 3;
		const struct ptx_finding *found;
		struct ptx_machine_options opt = usual;
		const char *first = NULL;
		struct bench b;
		opt.forgive = which / 3 == 1;
		opt.memcheck = which / 3 == 2;
		begin_with(&b, "tests/kernels/edges.ptx", &opt);
		const uint64_t out = buffer(&b, "out", 8);
		const void *args[] = {&out, &what};
		const int e = launch(&b, "forbidden", 1, 1, args, 2);
		if (!opt.forgive && !opt.memcheck) {
			assert_int_equal(e, TR_ERUN);
			assert_int_equal(ptx_fault_kind(b.m), PTX_FAULT_ADDRESS);
			assert_non_null(strstr(b.err.msg, says[what]));
			assert_non_null(strstr(b.err.msg, of[what]));
			abandon(&b);
			continue;
		}
		assert_int_equal(e, 1);
		assert_int_equal(ints(&b, out, 2)[0], 5);
		assert_int_equal(ints(&b, out, 2)[1], what);
		if (opt.forgive) {
			assert_int_equal(ptx_forgiven(b.m, &first), 1);
			assert_non_null(strstr(first, of[what]));
		} else {
			assert_int_equal(ptx_findings(b.m, &found), 1);
			assert_int_equal(found->kind, PTX_FOUND_OUTSIDE);
			assert_non_null(strstr(found->sentence, of[what]));
		}
		end(&b);
	}
}

/*
 * Of a copy with the size of its source so many bytes have to be there, and none where it is 0;
 * what is not is a stray access, as of copies without it.
 */
static void test_copied_parts(void **state)
{
	(void)state;
	for (int how = 0; how < 4; how++) {
		const struct ptx_finding *found;
		struct ptx_machine_options opt = usual;
		const char *first = NULL;
		struct bench b;
		opt.forgive = how == 1;
		opt.memcheck = how == 2;
		begin_with(&b, "tests/kernels/edges.ptx", &opt);
		const uint64_t in = numbers(&b, "in", 10, 1000), sizes = buffer(&b, "sizes", 16);
		const uint64_t out = buffer(&b, "out", 64);
		/* 10 words: lane 2 has 8 bytes, and lane 3 none. */
		const uint32_t size[] = {16, 5, how == 3 ? 8 : 12, 0};
		const void *args[] = {&in, &sizes, &out};
		memcpy(ptx_host(b.m, sizes, 16), size, sizeof(size));
		ptx_host_writes(b.m, in);
		ptx_host_writes(b.m, sizes);
		const int e = launch(&b, "parts", 1, 4, args, 3);
		if (!how) {
			assert_int_equal(e, TR_ERUN);
			assert_int_equal(ptx_fault_kind(b.m), PTX_FAULT_ADDRESS);
			assert_non_null(strstr(b.err.msg, "thread 2, "));
			assert_non_null(strstr(b.err.msg, " reads 12 bytes at 0x"));
			assert_non_null(strstr(b.err.msg, "'in'"));
			abandon(&b);
			continue;
		}
		assert_int_equal(e, 1);
		const int32_t *from = ints(&b, in, 10), *to = ints(&b, out, 16);
		assert_memory_equal(to, from, 16);
		assert_int_equal(to[4], from[4]);
		assert_int_equal(to[5], from[5] & 0xff);
		assert_int_equal(to[6], 0);
		assert_int_equal(to[8], how == 3 ? from[8] : 0);
		assert_int_equal(to[9], how == 3 ? from[9] : 0);
		for (int i = 10; i < 16; i++)
			assert_int_equal(to[i], 0);
		assert_int_equal(ptx_forgiven(b.m, &first), how == 1);
		if (how == 2) {
			assert_int_equal(ptx_findings(b.m, &found), 1);
			assert_int_equal(found->kind, PTX_FOUND_OUTSIDE);
			assert_int_equal(found->bytes, 12);
		}
		end(&b);
	}
}

/* The record has the read of global memory and the write of shared memory. */
static void test_copies_recorded(void **state)
{
	struct bench b;
	struct tr_reader *r;
	struct tr_cta cta;
	struct tr_walk walk;
	uint64_t reads = 0, writes = 0;
	int event;

	(void)state;
	begin(&b, "exec_hand");
	const uint64_t in = numbers(&b, "in", 256, 1000), out = buffer(&b, "out", 3328);
	const void *args[] = {&out, &in};
	run(&b, "copies", 1, 64, args, 2);
	assert_true(tr_writer_close(b.w, &b.err) >= 0);
	rewind(b.trace);
	assert_true(tr_reader_open(&r, b.trace, NULL, &b.err) >= 0);
	tr_cta_init(&cta);
	while ((event = tr_reader_next(r, &b.err)) != TR_CTA)
		assert_true(event > 0);
	assert_int_equal(tr_reader_cta(r, &cta, &b.err), 1);
	const struct tr_program *p = tr_reader_program(r);
	for (uint32_t n = 0; n < p->ninsts; n++) {
		const char *op = p->strings + p->insts[n].opcode;
		const uint32_t want = !strncmp(op, "cp.async.c", 10) && op[10] != 'o'
					      ? p->insts[n].cls == TR_C_LOAD ? TR_COPY_LOAD : 0
				      : !strcmp(op, "cp.async.commit_group") ? TR_COPY_COMMIT
				      : !strcmp(op, "cp.async.wait_all")     ? TR_COPY_WAIT_ALL
									     : 0;
		if (!strcmp(op, "cp.async.wait_group"))
			assert_true(p->insts[n].aux >= TR_COPY_WAIT);
		else if (strncmp(op, "bar", 3))
			assert_int_equal(p->insts[n].aux, want);
	}
	tr_walk_start(&walk, p, &cta.threads[17]); /* the size of its second copy is 0 */
	while (tr_walk_next(&walk) == 1) {
		const struct tr_inst *i = &p->insts[walk.inst];
		if (!walk.guard || strncmp(p->strings + i->opcode, "cp.async.c", 10) ||
			i->cls == TR_C_OTHER)
			continue;
		const unsigned bytes = i->bytes * i->vec;
		if (i->cls == TR_C_LOAD) {
			assert_int_equal(i->space, TR_S_GLOBAL);
			assert_int_equal(walk.value, in + 17 * bytes);
			reads += bytes;
		} else {
			assert_int_equal(i->cls, TR_C_STORE);
			assert_int_equal(i->space, TR_S_SHARED);
			assert_int_equal(walk.value % 1024 % bytes, 0);
			writes += bytes;
		}
	}
	assert_int_equal(reads, 4 + 16 + 16);
	assert_int_equal(writes, 4 + 16 + 16 + 16);
	tr_cta_free(&cta);
	tr_reader_close(r);
	fclose(b.trace);
	ptx_machine_free(b.m);
	ptx_module_free(b.mod);
}

static void test_arrivals(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "exec_hand");
	const uint64_t in = numbers(&b, "in", 64, 1000), out = buffer(&b, "out", 768);
	const void *args[] = {&out, &in};
	const int32_t *from = ints(&b, in, 64), *to = ints(&b, out, 192);
	run(&b, "arrivals", 1, 64, args, 2);
	assert_int_equal(to[64] + to[96], 64 + 32); /* one warp comes first, its lanes in order */
	for (int t = 0; t < 64; t++) {
		assert_int_equal(to[t], from[63 - t]);
		assert_int_equal(to[64 + t], to[64 + (t & 32)] - t % 32);
		assert_int_equal(to[128 + t], from[t]);
	}
	end(&b);
}

/* Ten arrivals, of which one is dropped: a phase takes them and the bytes that it was told of. */
static void test_counted_arrivals(void **state)
{
	static const int32_t want[] = {10, 10 - 3, 7 - 1, 6 - 1, 5 - 1, 10 - 1, 1};
	struct bench b;

	(void)state;
	begin(&b, "edges");
	const uint64_t out = buffer(&b, "out", sizeof(want));
	const void *args[] = {&out};
	run(&b, "counted_arrivals", 1, 1, args, 1);
	for (unsigned i = 0; i < sizeof(want) / sizeof(*want); i++)
		assert_int_equal(ints(&b, out, 7)[i], want[i]);
	end(&b);
}

/* ---- failures ---- */

static void test_failures(void **state)
{
	static const struct {
		uint32_t how;
		const char *says;
	} cases[] = {
		{1, "ld.global.u32 reads 4 bytes at 0x700000400, 0 bytes past the end of 'out'"},
		{2, "st.global.u32 writes 4 bytes at 0x700000002, which is no multiple of 4"},
		{3, "ld.shared.v2.u32 reads 8 bytes at 0x40, beyond the 64 bytes of shared memory"},
		{4, "st.u32 writes 4 bytes at 0x7e0000000010, beyond the 16 bytes of local memory"},
		{5, "bar.sync waits for 96 threads, no multiple of 32 up to 64"},
		{6, "exceeds the bound of 50000000 thread instructions"},
		{7, "trap is executed"},
		{8, "brx.idx takes target 12 of 9"},
	};

	(void)state;
	for (unsigned k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct bench b;
		begin(&b, "exec_hand");
		const uint64_t out = buffer(&b, "out", 1024);
		const void *args[] = {&out, &cases[k].how};
		assert_int_equal(launch(&b, "fails", 4, 64, args, 2), TR_ERUN);
		if (!strstr(b.err.msg, cases[k].says) ||
			!strstr(b.err.msg, "kernel 'fails', cta 2, thread 37, pc 0x") ||
			!strstr(b.err.msg, "(tests/kernels/exec_hand.ptx:"))
			fail_msg("says: %s", b.err.msg);
		abandon(&b);
	}
}

static void test_barrier_never_fills(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "exec_hand");
	assert_int_equal(launch(&b, "crossed", 1, 64, NULL, 0), TR_ERUN);
	assert_non_null(strstr(b.err.msg, "waits at a barrier that never fills"));
	abandon(&b);
}

static void test_refused_launches(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, "exec_hand");
	const uint64_t out = buffer(&b, "out", 1024);
	const void *args[] = {&out, &out};
	assert_int_equal(launch(&b, "brx", 1, 1025, args, 1), TR_EUSAGE);
	assert_int_equal(launch(&b, "brx", 0, 32, args, 1), TR_EUSAGE);
	assert_int_equal(launch(&b, "brx", 1, 32, args, 2), TR_EUSAGE);
	assert_non_null(strstr(b.err.msg, "takes 1 arguments, not 2"));
	struct ptx_launch l = {.kernel = ptx_find(b.mod, "brx"),
		.grid = {1, 1, 1},
		.block = {256, 1, 1},
		.args = args,
		.nargs = 1};
	l.dynamic_shared = 16385;
	assert_int_equal(ptx_launch(b.m, &l, b.w, &b.err), TR_EUSAGE);
	assert_non_null(strstr(b.err.msg, "16385 bytes of shared memory, where an SM has 16384"));
	l.dynamic_shared = 0;
	l.registers = 65;
	assert_int_equal(ptx_launch(b.m, &l, b.w, &b.err), TR_EUSAGE);
	assert_non_null(strstr(b.err.msg, "16640 registers, where an SM has 16384"));
	abandon(&b);
}

static void test_memory(void **state)
{
	struct bench b;
	char text[4] = "abc";

	(void)state;
	begin(&b, "exec_hand");
	const uint64_t one = buffer(&b, "one", 100), two = buffer(&b, "two", 300);
	assert_int_equal(one, PTX_MEMORY_FIRST);
	assert_int_equal(two % 256, 0);
	assert_true(two - one >= 100 + 4096);
	assert_int_equal(ptx_copy_in(b.m, one + 96, text, 4, &b.err), 1);
	assert_int_equal(ptx_copy_in(b.m, one + 97, text, 4, &b.err), TR_EUSAGE);
	assert_non_null(strstr(b.err.msg, "across the end of 'one'"));
	memset(text, 0, sizeof(text));
	assert_int_equal(ptx_copy_out(b.m, text, one + 96, 4, &b.err), 1);
	assert_string_equal(text, "abc");
	assert_null(ptx_host(b.m, two - 1, 1));
	assert_non_null(ptx_host(b.m, two, 300));
	abandon(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_warp_synchronous),
		cmocka_unit_test(test_writes_are_forgotten),
		cmocka_unit_test(test_votes_and_shuffles),
		cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_divergence),
		cmocka_unit_test(test_persistent),
		cmocka_unit_test(test_calls_and_local),
		cmocka_unit_test(test_barriers),
		cmocka_unit_test(test_rewritten),
		cmocka_unit_test(test_generic_and_narrow),
		cmocka_unit_test(test_brx),
		cmocka_unit_test(test_guarded_call),
		cmocka_unit_test(test_collectives),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_arrive_and_reduce),
		cmocka_unit_test(test_specials),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_stack_at_random),
		cmocka_unit_test(test_indirect),
		cmocka_unit_test(test_elect),
		cmocka_unit_test(test_masks_of_tiles),
		cmocka_unit_test(test_reserved_shared),
		cmocka_unit_test(test_heap_of_kernels),
		cmocka_unit_test(test_damaged_heap),
		cmocka_unit_test(test_printf),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_wide_atomics),
		cmocka_unit_test(test_nvopencc),
		cmocka_unit_test(test_narrow_addresses),
		cmocka_unit_test(test_before_fermi),
		cmocka_unit_test(test_texels),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_shared_parameters),
		cmocka_unit_test(test_stack_overflow),
		cmocka_unit_test(test_surfaces),
		cmocka_unit_test(test_far_texels),
		cmocka_unit_test(test_repeated_texels),
		cmocka_unit_test(test_far_surface),
		cmocka_unit_test(test_spaces),
		cmocka_unit_test(test_forbidden),
		cmocka_unit_test(test_copied_parts),
		cmocka_unit_test(test_printed_pointers),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_copies_recorded),
		cmocka_unit_test(test_arrivals),
		cmocka_unit_test(test_counted_arrivals),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_barrier_never_fills),
		cmocka_unit_test(test_refused_launches),
		cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
