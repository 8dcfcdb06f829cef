/*
 * The control flow of the workloads' kernels stays as it was written: every branch and loop that
 * NAME/branches.txt lists by source line is in the compiled program, and the compiled program's
 * conditional branches and natural loops are those of tests/golden/control-flow.tsv (UPDATE=1
 * writes it anew). Runs at the root of the source tree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "datasets/workloads/workload.h"
#include "tests/unit/slurp.h"

#define GOLDEN "tests/golden/control-flow.tsv"

static struct ptx_module *module_of(const struct workload *wl)
{
	struct ptx_module *m = NULL;
	struct tr_err err = {0};
	char path[256];
	size_t len;
	char *text;

	snprintf(path, sizeof(path), "datasets/workloads/%s/%s.ptx", wl->name, wl->name);
	text = slurp(path, &len);
	if (ptx_parse(&m, text, len, path, &err) < 0)
		fail_msg("%s", err.msg);
	free(text);
	return m;
}

static const struct tr_inst *last_of(const struct tr_program *p, uint32_t block)
{
	return &p->insts[p->blocks[block].first + p->blocks[block].n - 1];
}

static int goes_to(const struct tr_program *p, const struct tr_inst *in, uint32_t block)
{
	for (uint32_t k = 0; k < in->nsucc; k++) {
		uint32_t to = p->succ_pool[in->succ + k];

		if (to != TR_EXIT && p->insts[to].block == block)
			return 1;
	}
	return 0;
}

static int in_loop(const struct tr_program *p, uint32_t block, uint32_t loop)
{
	uint32_t l = p->blocks[block].loop;

	while (l != TR_NONE && l != loop)
		l = p->loops[l].parent;
	return l == loop;
}

static int has_branch(const struct tr_program *p, unsigned line)
{
	for (uint32_t i = 0; i < p->ninsts; i++)
		if (p->insts[i].nsucc > 1 && p->insts[i].line == line)
			return 1;
	return 0;
}

/* A loop stands on a line when a jump to its header or a way out of it does. */
static int has_loop(const struct tr_program *p, unsigned line)
{
	for (uint32_t l = 0; l < p->nloops; l++)
		for (uint32_t b = 0; b < p->nblocks; b++) {
			const struct tr_inst *in = last_of(p, b);

			if (in_loop(p, b, l) && in->line == line &&
				(in->nsucc > 1 || goes_to(p, in, p->loops[l].header)))
				return 1;
		}
	return 0;
}

static unsigned branches_of(const struct ptx_module *m)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < ptx_nkernels(m); i++) {
		const struct tr_program *p = ptx_program(ptx_kernel_at(m, i));

		for (uint32_t k = 0; k < p->ninsts; k++)
			n += p->insts[k].nsucc > 1;
	}
	return n;
}

/* The list may be empty where the kernels run straight on. */
static void test_as_written(void **state)
{
	const struct workload *wl = *state;
	struct ptx_module *m = module_of(wl);
	char path[256], *text, *line, *rest;
	unsigned n = 0;
	size_t len;

	snprintf(path, sizeof(path), "datasets/workloads/%s/branches.txt", wl->name);
	text = slurp(path, &len);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), n++) {
		char kernel[128], kind[16];
		const struct ptx_kernel *k;
		unsigned at;

		if (sscanf(line, "%127s %15s %u", kernel, kind, &at) != 3)
			fail_msg("%s: bad line '%s'", path, line);
		k = ptx_find(m, kernel);
		if (!k)
			fail_msg("%s: no kernel '%s'", path, kernel);
		if (!(strcmp(kind, "loop") ? has_branch : has_loop)(ptx_program(k), at))
			fail_msg("%s: the compiler did away with the %s of line %u", wl->name, kind,
				at);
	}
	assert_true(n > 0 || branches_of(m) == 0);
	free(text);
	ptx_module_free(m);
}

/* One line a conditional branch or loop: workload, kernel, kind, source line, depth of loops. */
static void list(FILE *out, const struct workload *wl)
{
	struct ptx_module *m = module_of(wl);

	for (uint32_t i = 0; i < ptx_nkernels(m); i++) {
		const struct tr_program *p = ptx_program(ptx_kernel_at(m, i));

		for (uint32_t k = 0; k < p->ninsts; k++) {
			const struct tr_block *b = &p->blocks[p->insts[k].block];

			if (p->insts[k].nsucc > 1)
				fprintf(out, "%s\t%s\tbranch\t%u\t%u\n", wl->name,
					tr_str(p, p->name), p->insts[k].line,
					b->loop == TR_NONE ? 0 : p->loops[b->loop].depth);
		}
		for (uint32_t l = 0; l < p->nloops; l++)
			fprintf(out, "%s\t%s\tloop\t%u\t%u\n", wl->name, tr_str(p, p->name),
				last_of(p, p->loops[l].header)->line, p->loops[l].depth);
	}
	ptx_module_free(m);
}

static void test_golden(void **state)
{
	char *now, *then;
	size_t len;
	FILE *out = open_memstream(&now, &len);

	(void)state;
	fprintf(out, "workload\tkernel\tkind\tline\tloop_depth\n");
	for (unsigned i = 0; wl_at(i); i++)
		list(out, wl_at(i));
	fclose(out);
	if (getenv("UPDATE") && !strcmp(getenv("UPDATE"), "1")) {
		FILE *f = fopen(GOLDEN, "wb");

		assert_non_null(f);
		assert_int_equal(fwrite(now, 1, len, f), len);
		assert_int_equal(fclose(f), 0);
	}
	then = slurp(GOLDEN, &len);
	assert_string_equal(now, then);
	free(now);
	free(then);
}

#define WORKLOADS_MAX 128

int main(void)
{
	static struct CMUnitTest tests[WORKLOADS_MAX + 1];
	size_t n = 0;

	for (unsigned i = 0; wl_at(i) && i < WORKLOADS_MAX; i++)
		tests[n++] = (struct CMUnitTest){.name = wl_at(i)->name,
			.test_func = test_as_written,
			.initial_state = (void *)wl_at(i)};
	tests[n++] = (struct CMUnitTest){.name = "compiled control flow", .test_func = test_golden};
	return _cmocka_run_group_tests("kernels", tests, n, NULL, NULL);
}
