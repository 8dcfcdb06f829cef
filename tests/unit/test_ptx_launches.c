/*
 * Kernels that launch kernels: what runs, what is recorded of it, and each way to fail. Every
 * recorded thread's walk passes the instructions that the machine passed. Runs at the root of the
 * source tree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/ptx/vm.h"
#include "tests/unit/slurp.h"

#define THREADS 32
#define LAUNCHES_MAX 20000

enum {
	MODE_ONE,
	MODE_NOTHING,
	MODE_STREAMS,
	MODE_TWICE,
	MODE_NO_BUFFER,
	MODE_NO_STREAM,
	MODE_NO_KERNEL,
	MODE_EMPTY,
	MODE_OUTSIDE,
	MODE_STUCK,
	MODE_ENDLESS,
	MODE_BEYOND,
	MODE_PENDING,
	MODE_TAIL,
};

struct bench {
	struct ptx_module *mod;
	struct ptx_machine *m;
	struct tr_writer *w;
	FILE *trace;
	uint64_t out;
	struct tr_err err;
};

/* A hash of all instructions that threads passed: of each launch, in any order of its threads. */
static uint64_t passed[LAUNCHES_MAX];

static uint64_t mix(uint64_t launch, uint32_t thread, uint32_t n, uint32_t inst)
{
	uint64_t h = (launch << 40 ^ (uint64_t)thread << 20 ^ n) * 0x9e3779b97f4a7c15ull;

	h = (h ^ h >> 29 ^ inst) * 0xbf58476d1ce4e5b9ull;
	return h ^ h >> 32;
}

static uint32_t steps[LAUNCHES_MAX][64]; /* by launch and thread, of small launches */

static void on_executed(void *arg, const struct ptx_executed *x)
{
	(void)arg;
	assert_true(x->launch < LAUNCHES_MAX && x->ctas * x->threads <= 64);
	for (uint32_t m = x->mask; m; m &= m - 1) {
		const uint32_t t = x->cta * x->threads + 32 * x->group + (uint32_t)__builtin_ctz(m);

		passed[x->launch] += mix(x->launch, t, steps[x->launch][t]++, x->inst);
	}
}

/* The text with the names that nvcc gives since CUDA 12. */
static char *renamed(const char *text)
{
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	for (const char *p = text; *p; p++)
		if (!strncmp(p, "cudaGet", 7) || !strncmp(p, "cudaLaunch", 10) ||
			!strncmp(p, "cudaStream", 10)) {
			fputs("__cudaCDP2", f);
			p += 3;
		} else {
			putc(*p, f);
		}
	fclose(f);
	return out;
}

static void begin(struct bench *b, int nvcc, int watched)
{
	const struct ptx_machine_options opt = {.resident = PTX_RESIDENT_DEFAULT,
		.max_insts = 3000000,
		.sync_reads = 1,
		.executed = watched ? on_executed : NULL};
	size_t len;
	char *text = slurp("tests/kernels/launches.ptx", &len), *other;

	if (nvcc) {
		other = renamed(text);
		free(text);
		text = other;
	}
	memset(b, 0, sizeof(*b));
	memset(passed, 0, sizeof(passed));
	memset(steps, 0, sizeof(steps));
	if (ptx_parse(&b->mod, text, strlen(text), "launches.ptx", &b->err) < 0)
		fail_msg("%s", b->err.msg);
	free(text);
	b->trace = tmpfile();
	assert_non_null(b->trace);
	assert_int_equal(ptx_machine_new(&b->m, &opt, &b->err), 1);
	assert_int_equal(ptx_load(b->m, b->mod, &b->err), 1);
	assert_int_equal(tr_writer_open(&b->w, b->trace, NULL, &b->err), 1);
	b->out = ptx_alloc(b->m, "out", 4096, &b->err);
}

static int launch(
	struct bench *b, const char *entry, uint32_t threads, int nargs, int first, int second)
{
	const void *args[3] = {&b->out, &first, &second};

	return ptx_launch(b->m,
		&(struct ptx_launch){.kernel = ptx_find(b->mod, entry),
			.grid = {1, 1, 1},
			.block = {threads, 1, 1},
			.args = args,
			.nargs = (uint32_t)nargs},
		b->w, &b->err);
}

static void run(
	struct bench *b, const char *entry, uint32_t threads, int nargs, int first, int second)
{
	if (launch(b, entry, threads, nargs, first, second) < 0)
		fail_msg("%s", b->err.msg);
}

static const int32_t *out(struct bench *b)
{
	return ptx_host(b->m, b->out, 4096);
}

static void drop(struct bench *b)
{
	fclose(b->trace);
	ptx_machine_free(b->m);
	ptx_module_free(b->mod);
}

/* Reads the record back and walks all of it; launches go to `all`, as many as are returned. */
static uint32_t end(struct bench *b, struct tr_launch *all, uint32_t cap, int watched)
{
	struct tr_reader *r;
	struct tr_cta cta;
	uint64_t hash = 0, insts = 0;
	uint32_t n = 0;
	int event;

	if (tr_writer_close(b->w, &b->err) < 0)
		fail_msg("%s", b->err.msg);
	rewind(b->trace);
	assert_int_equal(tr_reader_open(&r, b->trace, NULL, &b->err), 1);
	tr_cta_init(&cta);
	while ((event = tr_reader_next(r, &b->err)) > 0) {
		if (event == TR_LAUNCH) {
			if (watched && n)
				assert_true(hash == passed[n - 1]);
			hash = 0;
			assert_true(n < cap);
			all[n] = *tr_reader_launch(r);
			all[n].allocs = NULL; /* the reader's; */
			all[n].copies = NULL;
			n++;
			continue;
		}
		if (tr_reader_cta(r, &cta, &b->err) < 0)
			fail_msg("%s", b->err.msg);
		for (uint32_t t = 0; t < cta.nthreads; t++) {
			struct tr_walk w;
			uint32_t k = 0;

			tr_walk_start(&w, tr_reader_program(r), &cta.threads[t]);
			while (tr_walk_next(&w) > 0) {
				hash += mix(cta.launch, cta.number * cta.nthreads + t, k++, w.inst);
				insts += (unsigned)w.guard;
			}
		}
	}
	if (event < 0)
		fail_msg("%s", b->err.msg);
	if (watched)
		assert_true(hash == passed[n - 1]);
	assert_int_equal(insts, ptx_thread_insts(b->m));
	tr_cta_free(&cta);
	tr_reader_close(r);
	drop(b);
	return n;
}

/* ---- what runs ---- */

static void one_child_each(void **state)
{
	static struct tr_launch all[64];

	(void)state;
	for (int nvcc = 0; nvcc < 2; nvcc++) {
		struct bench b;
		uint32_t n;

		begin(&b, nvcc, 1);
		run(&b, "parent", THREADS, 2, MODE_ONE, 0);
		for (int i = 0; i < THREADS; i++) /* 32 children add 3 * 2.0 to each */
			assert_int_equal(out(&b)[i], 32 * 6);
		n = end(&b, all, 64, 1);
		assert_int_equal(n, 1 + THREADS);
		assert_int_equal(all[0].parent_launch, TR_NONE);
		for (uint32_t i = 1; i < n; i++) {
			assert_int_equal(all[i].parent_launch, 0);
			assert_int_equal(all[i].parent_cta, 0);
			assert_int_equal(all[i].parent_thread, i - 1);
			assert_int_equal(all[i].grid[0], 2);
			assert_int_equal(all[i].block[0], 16);
			assert_int_equal(all[i].nallocs, 0);
			assert_int_equal(all[i].position, all[0].position);
			assert_int_equal(all[i].buffer % 256, 0);
			assert_int_equal(all[i].buffer_bytes, 28);
			/* The block's own stream: one after the other. */
			assert_int_equal(all[i].queue, all[1].queue);
			assert_int_equal(all[i].after, i == 1 ? TR_NONE : i - 1);
		}
	}
}

static void nothing_is_launched(void **state)
{
	static struct tr_launch all[4];
	struct bench b;

	(void)state;
	begin(&b, 0, 1);
	run(&b, "parent", THREADS, 2, MODE_NOTHING, 0);
	assert_int_equal(out(&b)[5], 0);
	assert_int_equal(end(&b, all, 4, 1), 1);
}

static void streams_have_their_order(void **state)
{
	static struct tr_launch all[16];
	struct bench b;

	(void)state;
	begin(&b, 0, 1);
	run(&b, "parent", 2, 2, MODE_STREAMS, 0);
	assert_int_equal(end(&b, all, 16, 1), 9);
	/* Lanes take each call together: launch 1 is thread 0's first, 2 thread 1's. */
	assert_int_not_equal(all[1].queue, all[2].queue);
	assert_int_equal(all[1].after, TR_NONE);
	assert_int_equal(all[3].queue, all[1].queue);
	assert_int_equal(all[3].after, 1);
	assert_int_equal(all[4].after, 2);
	assert_int_not_equal(all[5].queue, all[1].queue);
	assert_int_equal(all[5].after, TR_NONE);
	for (int i = 6; i < 9; i++) {
		assert_int_equal(all[i].queue, all[5].queue);
		assert_int_equal(all[i].after, i - 1);
	}
	begin(&b, 0, 1);
	run(&b, "parent", 1, 2, MODE_TAIL, 0);
	assert_int_equal(end(&b, all, 16, 1), 4);
	assert_int_equal(all[1].after, 0);
	assert_int_equal(all[2].after, 1);
	assert_int_equal(all[2].queue, all[1].queue);
	assert_int_equal(all[3].after, TR_NONE);
	assert_int_not_equal(all[3].queue, all[1].queue);
}

/* Children run first in, first out: all of one depth before those of the next. */
static void recursion(void **state)
{
	static struct tr_launch all[512];
	uint32_t depth[512] = {0}, n;
	struct bench b;

	(void)state;
	begin(&b, 0, 1);
	run(&b, "tree", 1, 3, 0, 7);
	run(&b, "tree", 1, 3, 0, 1);
	for (int d = 0; d <= 7; d++)
		assert_int_equal(out(&b)[d], (1 << d) + (d == 0 ? 1 : d == 1 ? 2 : 0));
	n = end(&b, all, 512, 1);
	assert_int_equal(n, 1 + 127 + 2); /* a launch of two threads makes two */
	for (uint32_t i = 1; i < n; i++)
		if (all[i].parent_launch != TR_NONE) {
			depth[i] = depth[all[i].parent_launch] + 1;
			assert_true(depth[i] >= depth[i - 1]);
		}
	assert_int_equal(depth[127], 7);
	assert_int_equal(all[n - 2].parent_launch, TR_NONE); /* of the host's next */
	assert_int_equal(all[n - 2].after, 0);
}

static void as_deep_as_it_goes(void **state)
{
	static struct tr_launch all[32];
	struct bench b;

	(void)state;
	begin(&b, 0, 1);
	run(&b, "deep", 1, 3, 0, TR_DEPTH_MAX);
	assert_int_equal(end(&b, all, 32, 1), TR_DEPTH_MAX + 1);
	begin(&b, 0, 1);
	assert_int_equal(launch(&b, "deep", 1, 3, 0, TR_DEPTH_MAX + 1), TR_ERUN);
	assert_non_null(strstr(b.err.msg, "makes a launch 25 deep, where 24 is the most"));
	tr_writer_abandon(b.w);
	drop(&b);
}

/* ---- what fails, and with which words ---- */

static void faults(void **state)
{
	static const struct {
		int mode;
		uint32_t threads;
		const char *why, *where;
	} cases[] = {
		{MODE_TWICE, 1, "a second time", "kernel 'parent', cta 0, thread 0"},
		{MODE_NO_BUFFER, 1, "which is no parameter buffer", "cudaLaunchDeviceV2"},
		{MODE_NO_STREAM, 1, "into stream 0x4d, which nobody has created", "'parent'"},
		{MODE_NO_KERNEL, 1, "which is no kernel", "cudaGetParameterBufferV2"},
		{MODE_EMPTY, 1, "are no launch", "launched by launch 0, cta 0, thread 0"},
		{MODE_OUTSIDE, 1, "past the end of 'out'", "kernel 'add', cta 0, thread 0"},
		{MODE_STUCK, 1, "waits for 96 threads, no multiple of 32 up to 64", "kernel 'add'"},
		{MODE_ENDLESS, 1, "goes round for ever", "kernel 'add'"},
		{MODE_BEYOND, 1, "which is no byte of a parameter buffer", "kernel 'parent'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b;

		begin(&b, 0, 0);
		assert_int_equal(
			launch(&b, "parent", cases[i].threads, 2, cases[i].mode, 0), TR_ERUN);
		if (!strstr(b.err.msg, cases[i].why) || !strstr(b.err.msg, cases[i].where))
			fail_msg("mode %d: %s", cases[i].mode, b.err.msg);
		tr_writer_abandon(b.w);
		drop(&b);
	}
}

static void pending(void **state)
{
	const struct ptx_machine_options opt = {.resident = PTX_RESIDENT_DEFAULT};
	struct bench b;

	(void)state;
	begin(&b, 0, 0);
	ptx_machine_free(b.m);
	assert_int_equal(ptx_machine_new(&b.m, &opt, &b.err), 1);
	assert_int_equal(ptx_load(b.m, b.mod, &b.err), 1);
	b.out = ptx_alloc(b.m, "out", 4096, &b.err);
	launch(&b, "parent", 32, 2, MODE_PENDING, 0);
	if (!strstr(b.err.msg, "131072 launches are pending, which are the most"))
		fail_msg("%s", b.err.msg);
	tr_writer_abandon(b.w);
	drop(&b);
}

/* ---- what the parser makes of calls ---- */

static const char head[] = ".version 6.4\n.target sm_50\n.address_size 64\n"
			   ".extern .func (.param .b32 r) cudaDeviceSynchronize ();\n"
			   ".extern .func (.param .b32 r) cudaLaunchDeviceV2 "
			   "(.param .b64 a, .param .b64 b);\n";

static void refused(void **state)
{
	static const struct {
		const char *body, *why;
	} cases[] = {
		{"{ .param .b32 r; call (r), cudaDeviceSynchronize, (); }",
			"'cudaDeviceSynchronize': a kernel that waits for those that it launched"},
		{"{ .param .b32 r; .param .b64 a; call (r), cudaLaunchDeviceV2, (a); }",
			"has 2 parameters and a result"},
		{"{ .param .b32 r, a, b; call (r), cudaLaunchDeviceV2, (a, b); }",
			"wants a parameter of 8 bytes"},
		{"{ .param .b32 r; .param .b64 a; call (r), cudaLaunchDeviceV2, (a, 3); }",
			"wants its parameters as .param"},
		{"{ .reg .b32 %r<2>; mov.u32 %r1, k; }", "a kernel does not fit .u32"},
		{"{ .reg .b64 %r<2>; mov.u64 %r1, other; }", "declared and not defined"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ptx_machine_options opt = {.resident = PTX_RESIDENT_DEFAULT};
		struct ptx_machine *machine;
		struct ptx_module *m;
		struct tr_err err = {0};
		char text[1000];

		snprintf(text, sizeof(text),
			"%s.visible .entry other();\n.visible .entry k()\n{\n%s\nret;\n}\n", head,
			cases[i].body);
		/* A kernel that holds what is refused is refused when it is launched. */
		assert_int_equal(ptx_parse(&m, text, strlen(text), "k.ptx", &err), 1);
		assert_int_equal(ptx_machine_new(&machine, &opt, &err), 1);
		assert_int_equal(ptx_load(machine, m, &err), 1);
		assert_int_equal(ptx_launch(machine,
					 &(struct ptx_launch){.kernel = ptx_find(m, "k"),
						 .grid = {1, 1, 1},
						 .block = {1, 1, 1}},
					 NULL, &err),
			TR_EDATA);
		if (!strstr(err.msg, cases[i].why))
			fail_msg("%s: %s", cases[i].body, err.msg);
		ptx_machine_free(machine);
		ptx_module_free(m);
	}
}

/* As nvcc 12 writes it: a forward declaration, a kernel in a 64-bit register, vector stores. */
static void nvcc_form(void **state)
{
	static const char text[] =
		".version 8.0\n.target sm_70\n.address_size 64\n"
		".extern .func (.param .b64 func_retval0) __cudaCDP2GetParameterBufferV2\n"
		"(.param .b64 p0, .param .align 4 .b8 p1[12], .param .align 4 .b8 p2[12], "
		".param .b32 p3);\n"
		".extern .func (.param .b32 func_retval0) __cudaCDP2LaunchDeviceV2\n"
		"(.param .b64 p0, .param .b64 p1);\n"
		".extern .func (.param .b32 func_retval0) __cudaCDP2GetLastError ();\n"
		".visible .entry child(.param .u64 out, .param .u32 a, .param .u32 b);\n"
		".visible .entry top(.param .u64 out)\n{\n"
		".reg .pred %p<2>; .reg .b32 %r<20>; .reg .b64 %rd<10>;\n"
		"ld.param.u64 %rd1, [out];\n"
		"mov.u64 %rd2, child;\n"
		"mov.u32 %r1, 1; mov.u32 %r2, 4;\n"
		"{ .reg .b32 temp_param_reg;\n"
		".param .b64 param0; st.param.b64 [param0+0], %rd2;\n"
		".param .align 4 .b8 param1[12]; st.param.b32 [param1+0], %r2; "
		"st.param.b32 [param1+4], %r1; st.param.b32 [param1+8], %r1;\n"
		".param .align 4 .b8 param2[12]; st.param.b32 [param2+0], %r2; "
		"st.param.b32 [param2+4], %r1; st.param.b32 [param2+8], %r1;\n"
		".param .b32 param3; st.param.b32 [param3+0], 0;\n"
		".param .b64 retval0;\n"
		"call.uni (retval0), __cudaCDP2GetParameterBufferV2, "
		"(param0, param1, param2, param3);\n"
		"ld.param.b64 %rd3, [retval0+0]; }\n"
		"setp.eq.s64 %p1, %rd3, 0;\n"
		"@%p1 bra DONE;\n"
		"mov.u32 %r3, 40; mov.u32 %r4, 2;\n"
		"st.u64 [%rd3], %rd1;\n"
		"st.v2.u32 [%rd3+8], {%r3, %r4};\n"
		"{ .param .b64 param0; st.param.b64 [param0+0], %rd3;\n"
		".param .b64 param1; st.param.b64 [param1+0], 4;\n"
		".param .b32 retval0;\n"
		"call.uni (retval0), __cudaCDP2LaunchDeviceV2, (param0, param1);\n"
		"ld.param.b32 %r5, [retval0+0]; }\n"
		"DONE:\n"
		"{ .param .b32 retval0; call.uni (retval0), __cudaCDP2GetLastError, ();\n"
		"ld.param.b32 %r6, [retval0+0]; }\n"
		"ret;\n}\n"
		".visible .entry child(.param .u64 out, .param .u32 a, .param .u32 b)\n{\n"
		".reg .b32 %r<9>; .reg .b64 %rd<5>;\n"
		"ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b];\n"
		"mov.u32 %r3, %ctaid.x; mov.u32 %r4, %tid.x; add.s32 %r5, %r1, %r2;\n"
		"mad.lo.s32 %r6, %r3, 4, %r4; mul.wide.u32 %rd2, %r6, 4;\n"
		"add.s64 %rd3, %rd1, %rd2; st.u32 [%rd3], %r5; ret;\n}\n";
	const struct ptx_machine_options opt = {.resident = PTX_RESIDENT_DEFAULT};
	static struct tr_launch all[4];
	struct bench b = {0};

	(void)state;
	if (ptx_parse(&b.mod, text, strlen(text), "nvcc.ptx", &b.err) < 0)
		fail_msg("%s", b.err.msg);
	b.trace = tmpfile();
	assert_int_equal(ptx_machine_new(&b.m, &opt, &b.err), 1);
	assert_int_equal(ptx_load(b.m, b.mod, &b.err), 1);
	assert_int_equal(tr_writer_open(&b.w, b.trace, NULL, &b.err), 1);
	b.out = ptx_alloc(b.m, "out", 4096, &b.err);
	run(&b, "top", 1, 1, 0, 0);
	for (int i = 0; i < 16; i++)
		assert_int_equal(out(&b)[i], 42);
	assert_int_equal(out(&b)[16], 0);
	assert_int_equal(end(&b, all, 4, 0), 2);
	assert_int_equal(all[1].buffer_bytes, 16);
	assert_int_equal(all[1].after, TR_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_child_each),
		cmocka_unit_test(nothing_is_launched),
		cmocka_unit_test(streams_have_their_order),
		cmocka_unit_test(recursion),
		cmocka_unit_test(as_deep_as_it_goes),
		cmocka_unit_test(faults),
		cmocka_unit_test(pending),
		cmocka_unit_test(refused),
		cmocka_unit_test(nvcc_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
