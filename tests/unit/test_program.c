/*
 * Static programs: building and interning, what analysis finds in small kernels written down below
 * (likely-convergence points, liveness, uniformity rule by rule), bytes and back, text.
 */
#include "libtrace/buf.h"
#include "libtrace/program.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/*
 * A kernel in one line an instruction: "[label:] [@[!]guard] opcode [{dsts}] [srcs] [[base+disp]]
 * [->labels]", with words apart by blanks. Registers are made as they come: %p of 1 bit, %h of 16,
 * %d of 64, the rest of 32. Opcodes say their class and space as PTX does.
 */
#define MAX_LINES 64

struct assembly {
	struct tr_program *p;
	char labels[MAX_LINES][16];
};

static uint32_t reg_of(struct tr_program *p, const char *name)
{
	for (uint32_t r = 0; r < p->nregs; r++)
		if (!strcmp(tr_str(p, p->regs[r].name), name))
			return r;
	return (uint32_t)tr_program_reg(p, name,
		name[1] == 'p'   ? 1
		: name[1] == 'h' ? 16
		: name[1] == 'd' ? 64
				 : 32);
}

static uint32_t label_of(const struct assembly *a, const char *label)
{
	if (!strcmp(label, "exit"))
		return TR_EXIT;
	for (uint32_t i = 0; i < MAX_LINES; i++)
		if (!strcmp(a->labels[i], label))
			return i;
	fail_msg("no label '%s'", label);
	return TR_NONE;
}

static void classify(struct tr_inst *in, const char *opcode)
{
	static const struct {
		const char *start;
		uint8_t cls, space;
		uint32_t flags;
	} table[] = {
		{"ld.global.nc", TR_C_LOAD, TR_S_TEXTURE, 0},
		{"ld.global", TR_C_LOAD, TR_S_GLOBAL, 0},
		{"ld.shared", TR_C_LOAD, TR_S_SHARED, 0},
		{"ld.local", TR_C_LOAD, TR_S_LOCAL, 0},
		{"ld.const", TR_C_LOAD, TR_S_CONST, 0},
		{"ld.param", TR_C_LOAD, TR_S_PARAM, 0},
		{"ld", TR_C_LOAD, TR_S_GENERIC, 0},
		{"st.shared", TR_C_STORE, TR_S_SHARED, 0},
		{"st", TR_C_STORE, TR_S_GLOBAL, 0},
		{"atom", TR_C_ATOMIC, TR_S_GLOBAL, 0},
		{"vote", TR_C_COLLECTIVE, TR_S_NONE, TR_I_COLLECTIVE},
		{"bar", TR_C_BARRIER, TR_S_NONE, 0},
		{"brx", TR_C_BRANCH, TR_S_NONE, TR_I_INDEXED},
		{"bra", TR_C_BRANCH, TR_S_NONE, 0},
		{"exit", TR_C_EXIT, TR_S_NONE, 0},
		{"mov", TR_C_MOVE, TR_S_NONE, 0},
		{"", TR_C_INT, TR_S_NONE, 0},
	};
	size_t i = 0;

	while (strncmp(opcode, table[i].start, strlen(table[i].start)))
		i++;
	in->cls = table[i].cls;
	in->space = table[i].space;
	in->flags |= table[i].flags;
	if (in->space != TR_S_NONE)
		in->bytes = 4, in->vec = 1;
}

static void line_of(struct assembly *a, uint32_t number, char *line)
{
	struct tr_inst in = {.guard = TR_NONE, .base = TR_NONE, .file = TR_NONE, .line = number};
	uint32_t list[3][8], n[3] = {0, 0, 0};
	char opcode[32] = "";
	int where = 1;

	for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
		size_t len = strlen(word);
		if (word[len - 1] == ':')
			continue;
		if (word[0] == '@') {
			in.flags |= word[1] == '!' ? TR_I_GUARD_NOT : 0;
			in.guard = reg_of(a->p, word + (word[1] == '!' ? 2 : 1));
		} else if (!*opcode) {
			snprintf(opcode, sizeof opcode, "%s", word);
		} else if (!strcmp(word, "->")) {
			where = 2;
		} else if (!strcmp(word, "{")) {
			where = 0;
		} else if (!strcmp(word, "}")) {
			where = 1;
		} else if (word[0] == '[') {
			char *plus = strchr(word, '+');
			in.disp = atoll(plus ? plus + 1 : word + 1);
			word[strcspn(word, "+]")] = '\0';
			in.base = word[1] == '%' ? reg_of(a->p, word + 1) : TR_NONE;
		} else {
			list[where][n[where]++] =
				where == 2 ? label_of(a, word) : reg_of(a->p, word);
		}
	}
	classify(&in, opcode);
	in.opcode = (uint32_t)tr_program_string(a->p, opcode);
	if (in.guard != TR_NONE && (in.cls == TR_C_BRANCH || in.cls == TR_C_EXIT)) {
		memmove(list[2] + 1, list[2], n[2]++ * sizeof **list);
		list[2][0] = number + 1;
		if (in.cls == TR_C_EXIT)
			list[2][n[2]++] = TR_EXIT;
	} else if (in.cls != TR_C_EXIT && !n[2]) {
		list[2][n[2]++] = number + 1;
	}
	assert_int_equal(
		tr_program_inst(a->p, &in, list[0], n[0], list[1], n[1], list[2], n[2]), number);
}

static struct tr_program *assemble(const char *const *lines)
{
	struct assembly a = {.p = tr_program_new("kernel")};
	char line[128];

	assert_non_null(a.p);
	for (uint32_t i = 0; lines[i]; i++) {
		const char *colon = strchr(lines[i], ':');
		if (colon)
			snprintf(a.labels[i], sizeof a.labels[i], "%.*s", (int)(colon - lines[i]),
				lines[i]);
	}
	for (uint32_t i = 0; lines[i]; i++) {
		snprintf(line, sizeof line, "%s", lines[i]);
		line_of(&a, i, line);
	}
	return a.p;
}

static struct tr_program *analyzed(const char *const *lines)
{
	struct tr_program *p = assemble(lines);
	struct tr_err err = {0};

	if (tr_program_analyze(p, &err) != 1 || tr_program_validate(p, &err) != 1)
		fail_msg("%s", err.msg);
	return p;
}

#define KERNEL(...) analyzed((const char *const[]){__VA_ARGS__, NULL})
#define PARTS(...) assemble((const char *const[]){__VA_ARGS__, NULL})

static int is_uniform(const struct tr_program *p, uint32_t inst)
{
	return (p->insts[inst].flags & TR_I_UNIFORM) != 0;
}

/* ---- building ---- */

static void test_strings_are_interned(void **state)
{
	struct tr_program *p = tr_program_new("k");
	char text[32];
	int64_t at[500];

	(void)state;
	assert_string_equal(tr_str(p, p->name), "k");
	assert_int_equal(tr_program_string(p, ""), 0);
	for (int i = 0; i < 500; i++) {
		snprintf(text, sizeof text, "text %d", i);
		at[i] = tr_program_string(p, text);
	}
	for (int i = 0; i < 500; i++) {
		snprintf(text, sizeof text, "text %d", i);
		assert_int_equal(tr_program_string(p, text), at[i]);
		assert_string_equal(tr_str(p, (uint32_t)at[i]), text);
	}
	tr_program_free(p);
}

static void test_names(void **state)
{
	(void)state;
	for (int c = 0; c < TR_NCLASSES; c++)
		assert_non_null(tr_class_name((enum tr_class)c));
	assert_null(tr_class_name(TR_NCLASSES));
	assert_string_equal(tr_class_name(TR_C_OTHER), "other");
	for (int s = 0; s < TR_NSPACES; s++)
		assert_non_null(tr_space_name((enum tr_space)s));
	assert_null(tr_space_name(TR_NSPACES));
	assert_string_equal(tr_space_name(TR_S_GENERIC), "generic");
}

/* ---- structure ---- */

static void test_blocks(void **state)
{
	struct tr_program *p = KERNEL("@%p1 mov { %r1 }", "bar", "@%p2 exit", "@!%p1 bra -> end",
		"bra -> end", "mov { %r2 }", "end: exit");
	const uint32_t first[] = {0, 3, 4, 5, 6};

	(void)state;
	assert_int_equal(p->nblocks, 5);
	for (uint32_t b = 0; b < 5; b++)
		assert_int_equal(p->blocks[b].first, first[b]);
	assert_int_equal(p->blocks[0].noutcomes, 2);
	assert_int_equal(p->blocks[0].nvalues, 0);
	assert_int_equal(p->blocks[3].idom, TR_NONE);
	assert_int_equal(p->blocks[3].rank, 4);
	assert_int_equal(p->blocks[4].rank, 3);
	assert_int_equal(p->insts[2].ipdom, TR_EXIT);
	assert_int_equal(p->insts[3].ipdom, 6);
	assert_int_equal(p->insts[0].ipdom, TR_NONE);
	tr_program_free(p);
}

static void test_flags(void **state)
{
	struct tr_program *p = KERNEL("ld.param { %d1 } [0]", "ld.global { %r1 } [%d1+4]",
		"ld.global.nc { %r2 } [%d1]", "ld.const { %r3 } [%d1]", "ld.shared { %r4 } [%r1]",
		"ld.local { %r5 } [%r1]", "ld { %r6 } [%d1]", "st.global %r6 [%d1]",
		"st.shared %r6 [%r1]", "atom { %r7 } %r6 [%d1]", "vote { %p1 } %p2",
		"@%p1 st.global %r6 [1024]", "exit");
	const uint32_t expected[] = {0, TR_I_VALUE, TR_I_VALUE, TR_I_VALUE, TR_I_VALUE, TR_I_VALUE,
		TR_I_VALUE, TR_I_VALUE, TR_I_VALUE, TR_I_VALUE, TR_I_VALUE | TR_I_COLLECTIVE,
		TR_I_OUTCOME, 0};

	(void)state;
	for (uint32_t i = 0; i < p->ninsts; i++)
		assert_int_equal(p->insts[i].flags, expected[i]);
	assert_int_equal(p->blocks[0].nvalues, 10);
	assert_int_equal(p->blocks[0].noutcomes, 1);
	tr_program_free(p);
}

/* TBC's example 2, figure 10, with the loop's test at its end: A 2, B 5, C 7, D 9, E 10, F 13. */
#define TBC_FIGURE_10                                                                              \
	"setp { %p0 } %r0", "@%p0 bra -> F", "A: ld.global { %r1 } [%d1]", "setp { %p1 } %r1",     \
		"@%p1 bra -> C", "B: st.global %r2 [%d2]", "bra -> E", "C: setp { %p2 } %r1",      \
		"@!%p2 bra -> E", "D: bra -> F", "E: add { %r0 } %r0", "setp { %p0 } %r0",         \
		"@%p0 bra -> A", "F: exit"

static void test_likely_convergence(void **state)
{
	struct tr_program *p = KERNEL(TBC_FIGURE_10);

	(void)state;
	/* A diverges to B and C and likely converges in E, before F. */
	assert_int_equal(p->insts[4].ipdom, 13);
	assert_int_equal(p->insts[4].lcp, 12);
	/* C's break has but one side that comes to E (footnote 7); the first test is in no loop. */
	assert_int_equal(p->insts[8].ipdom, 13);
	assert_int_equal(p->insts[8].lcp, TR_NONE);
	assert_int_equal(p->insts[12].lcp, TR_NONE);
	assert_int_equal(p->insts[1].lcp, TR_NONE);
	tr_program_free(p);
}

static void test_no_likely_convergence(void **state)
{
	/* The post-dominator of the branch at 1 is in the loop, and 4 is the latch itself. */
	struct tr_program *p = KERNEL("L: setp { %p1 } %r1", "@%p1 bra -> M", "add { %r1 } %r1",
		"M: setp { %p2 } %r1", "@%p2 bra -> L", "exit");

	(void)state;
	assert_int_equal(p->insts[1].ipdom, 3);
	assert_int_equal(p->insts[1].lcp, TR_NONE);
	assert_int_equal(p->insts[4].ipdom, 5);
	assert_int_equal(p->insts[4].lcp, TR_NONE);
	tr_program_free(p);
}

static void test_likely_convergence_in_the_inner_loop(void **state)
{
	/* Two latches, 5 and 7, of the inner loop; 7 is the last one. 8 closes the outer loop. */
	struct tr_program *p = KERNEL("O: mov { %r1 }", "L: setp { %p1 } %r1", "@%p1 bra -> R",
		"add { %r2 } %r2", "@%p2 exit", "@%p3 bra -> L", "R: add { %r1 } %r1",
		"@%p4 bra -> L", "@%p5 bra -> O", "exit");

	(void)state;
	assert_int_equal(p->nloops, 2);
	assert_int_equal(p->insts[2].ipdom, TR_EXIT);
	assert_int_equal(p->insts[2].lcp, 7);
	assert_int_equal(p->insts[4].lcp, TR_NONE);
	assert_int_equal(p->insts[5].lcp, TR_NONE);
	assert_int_equal(p->insts[7].lcp, TR_NONE);
	tr_program_free(p);
}

static void test_no_likely_convergence_at_the_latch(void **state)
{
	/* 3 closes the loop of 0, and goes round in it to places that come before. */
	struct tr_program *p = KERNEL("H: brx %r1 -> X Y", "X: bra -> B", "Y: mov { %r3 }",
		"B: brx %r2 -> H X Y E", "E: exit");

	(void)state;
	assert_int_equal(p->nloops, 1);
	assert_int_equal(p->insts[3].ipdom, 4);
	assert_int_equal(p->insts[3].lcp, TR_NONE);
	tr_program_free(p);
}

static void test_endless_loop(void **state)
{
	struct tr_program *p = KERNEL("L: @%p1 bra -> M", "mov { %r1 }", "M: bra -> L");

	(void)state;
	assert_int_equal(p->blocks[0].ipdom, TR_NONE);
	assert_int_equal(p->insts[0].ipdom, TR_EXIT);
	assert_int_equal(p->insts[0].lcp, 2);
	tr_program_free(p);
}

static void test_irreducible(void **state)
{
	struct tr_program *p =
		KERNEL("@%p1 bra -> B", "A: mov { %r1 }", "B: @%p2 bra -> A", "exit");

	(void)state;
	assert_int_equal(p->marks, TR_M_IRREDUCIBLE);
	tr_program_free(p);
}

/* ---- liveness ---- */

static void test_live_registers(void **state)
{
	/*
	 * Before 1: d1 (2). Before 2: d1 r1 (3). Before 3: d1 r1 r2 (4). Before 4: d1 r1 r2 h1 (5).
	 * Before 5: d1 r1 r2 h1 p1, and predicates are free (5). 5 may leave r2 as it was, so r2 is
	 * live before it (5). Before 6: d1 r1 r2 h1 (5). Before 7: d1 r3 (3).
	 */
	struct tr_program *p = KERNEL("mov { %d1 } %tid.x", "ld.global { %r1 } [%d1]",
		"ld.global { %r2 } [%d1]", "mov { %h1 } %r1", "setp { %p1 } %r1",
		"@%p1 mov { %r2 } %r1", "mad { %r3 } %r1 %r2 %h1", "st.global %r3 [%d1]", "exit");

	(void)state;
	assert_int_equal(p->live_registers, 5);
	tr_program_free(p);
}

static void test_live_around_a_loop(void **state)
{
	/*
	 * r3 is read after the loop only, so it is live all through it, beside the counter r1 and
	 * the sum r2; in front of 3 r4 comes in addition. d9 is dead, d8 in code nobody reaches.
	 */
	struct tr_program *p = KERNEL("mov { %r1 } %r9", "mov { %r2 }", "mov { %r3 }",
		"L: add { %r4 } %r1", "add { %r2 } %r2 %r4", "add { %r1 } %r1", "setp { %p1 } %r1",
		"@%p1 bra -> L", "add { %d9 } %r2 %r3", "exit", "st.global %d7 [%d8]", "exit");

	(void)state;
	assert_int_equal(p->live_registers, 4);
	tr_program_free(p);
}

static void test_live_under_guards(void **state)
{
	/* A guarded write may leave r1 as it was: it is live with d2 here, and with d3 below. */
	struct tr_program *p = KERNEL(
		"mov { %r1 }", "mov { %d2 }", "@%p1 mov { %r1 } %d2", "st.global %r1 [0]", "exit");

	(void)state;
	assert_int_equal(p->live_registers, 3);
	tr_program_free(p);
	p = KERNEL("mov { %r1 }", "mov { %d3 }", "st.global %d3 [0]", "@%p1 bra -> L",
		"mov { %r2 }", "L: @%p2 mov { %r1 }", "st.global %r1 [0]", "exit");
	assert_int_equal(p->live_registers, 3);
	tr_program_free(p);
}

static void test_live_into_a_block_that_updates(void **state)
{
	/* Before 3: r1, which 4 reads and writes at once, d2 and d4. */
	struct tr_program *p =
		KERNEL("mov { %r1 }", "mov { %d2 }", "add { %d4 } %d2", "st.global %d4 [0]",
			"L: add { %r1 } %r1", "@%p1 bra -> L", "st.global %d2 [0]", "exit");

	(void)state;
	assert_int_equal(p->live_registers, 5);
	tr_program_free(p);
}

static void test_special_registers_do_not_count(void **state)
{
	struct tr_program *p = KERNEL("add { %r1 } %tid.x %ctaid.x", "exit");

	(void)state;
	assert_int_equal(p->live_registers, 0);
	tr_program_free(p);
}

static void test_live_at_the_end_of_a_block(void **state)
{
	/* The two sides read r1 r2 and r3 r4: only at the branch all four are live at once. */
	struct tr_program *p = KERNEL("mov { %r1 }", "mov { %r2 }", "mov { %r3 }", "mov { %r4 }",
		"setp { %p1 }", "@%p1 bra -> B", "st.global %r1 %r2 [0]", "exit",
		"B: st.global %r3 %r4 [0]", "exit");

	(void)state;
	assert_int_equal(p->live_registers, 4);
	tr_program_free(p);
}

/* ---- uniformity ---- */

/* Is a branch on what these instructions leave in %p1 uniform? */
static int proves(const char *const *lines)
{
	const char *all[MAX_LINES];
	uint32_t n = 0;
	struct tr_program *p;
	int uniform;

	for (; lines[n]; n++)
		all[n] = lines[n];
	all[n] = "@%p1 bra -> TAIL";
	all[n + 1] = "st.global %r1 [0]";
	all[n + 2] = "TAIL: exit";
	all[n + 3] = NULL;
	p = analyzed(all);
	uniform = is_uniform(p, n);
	tr_program_free(p);
	return uniform;
}

#define PROVES(...) proves((const char *const[]){__VA_ARGS__, NULL})

static void test_uniform_sources(void **state)
{
	static const char *const good[] = {"%ctaid.x", "%nctaid.y", "%ntid.z", "%gridid"};
	static const char *const poor[] = {"%tid.x", "%laneid", "%warpid", "%clock", "%clock64",
		"%smid", "%lanemask_lt", "%ctaidx", "%r9"};
	char line[64];

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		snprintf(line, sizeof line, "setp { %%p1 } %s", good[i]);
		assert_true(PROVES(line));
	}
	for (size_t i = 0; i < sizeof poor / sizeof *poor; i++) {
		snprintf(line, sizeof line, "setp { %%p1 } %s", poor[i]);
		assert_false(PROVES(line));
	}
	assert_true(PROVES("setp { %p1 }"));
}

static void test_uniform_memory(void **state)
{
	(void)state;
	assert_true(PROVES("ld.param { %r1 } [8]", "setp { %p1 } %r1"));
	assert_true(PROVES("ld.const { %r1 } [%ctaid.x]", "setp { %p1 } %r1"));
	assert_false(PROVES("ld.const { %r1 } [%tid.x]", "setp { %p1 } %r1"));
	assert_false(PROVES("ld.param { %r1 } [%tid.x]", "setp { %p1 } %r1"));
	assert_false(PROVES("ld.global { %r1 } [4096]", "setp { %p1 } %r1"));
	assert_false(PROVES("ld.global.nc { %r1 } [4096]", "setp { %p1 } %r1"));
	assert_false(PROVES("ld.shared { %r1 } [0]", "setp { %p1 } %r1"));
	assert_false(PROVES("ld { %r1 } [0]", "setp { %p1 } %r1"));
	assert_false(PROVES("atom { %r1 } [0]", "setp { %p1 } %r1"));
	assert_false(PROVES("mov { %p2 }", "vote { %p1 } %p2"));
}

static void test_uniform_data(void **state)
{
	(void)state;
	assert_true(PROVES("add { %r1 } %ctaid.x %ntid.x", "mov { %r2 } %r1", "setp { %p1 } %r2"));
	assert_false(PROVES("add { %r1 } %ctaid.x %tid.x", "mov { %r2 } %r1", "setp { %p1 } %r2"));
	assert_false(PROVES(
		"add.cc { %r1 %cc } %tid.x", "addc { %r2 } %ctaid.x %cc", "setp { %p1 } %r2"));
}

static void test_uniform_guards(void **state)
{
	(void)state;
	assert_false(PROVES(
		"setp { %p2 } %tid.x", "mov { %r1 }", "@%p2 mov { %r1 }", "setp { %p1 } %r1"));
	assert_true(PROVES(
		"setp { %p2 } %ctaid.x", "mov { %r1 }", "@%p2 mov { %r1 }", "setp { %p1 } %r1"));
	/* Without the first write, what r1 holds where the guard is false is not known. */
	assert_false(PROVES("setp { %p2 } %ctaid.x", "@%p2 mov { %r1 }", "setp { %p1 } %r1"));
}

static void test_uniform_joins(void **state)
{
	struct tr_program *p;

	(void)state;
	/* Two values meet after a branch by thread. */
	assert_false(PROVES("setp { %p2 } %tid.x", "mov { %r1 }", "@%p2 bra -> J", "mov { %r1 }",
		"J: setp { %p1 } %r1"));
	/* Likewise by CTA: all threads bring the same one. */
	assert_true(PROVES("setp { %p2 } %ctaid.x", "mov { %r1 }", "@%p2 bra -> J", "mov { %r1 }",
		"J: setp { %p1 } %r1"));
	/* They meet at 4, in front of the post-dominator, where a third way joins. */
	p = KERNEL("brx %tid.x -> A B C", "A: mov { %r1 }", "bra -> J", "B: mov { %r1 }",
		"J: @%r1 bra -> C", "mov { %r2 }", "C: exit");
	assert_false(is_uniform(p, 4));
	tr_program_free(p);
}

static void test_uniform_under_divergence(void **state)
{
	/* After `if (tid < n)`: a loop with its counter, all of which the threads inside share. */
	struct tr_program *p = KERNEL("ld.param { %r9 } [0]", "setp { %p2 } %tid.x %r9",
		"@%p2 bra -> END", "mov { %r1 }", "L: add { %r1 } %r1", "setp { %p1 } %r1 %r9",
		"@%p1 bra -> L", "END: exit");

	(void)state;
	assert_false(is_uniform(p, 2));
	assert_true(is_uniform(p, 6));
	tr_program_free(p);
	/* The same loop on one of two ways whose counters meet after them. */
	p = KERNEL("mov { %r1 }", "setp { %p2 } %tid.x", "@%p2 bra -> J", "L: add { %r1 } %r1",
		"setp { %p1 } %r1", "@%p1 bra -> L", "J: setp { %p3 } %r1", "@%p3 bra -> END",
		"mov { %r2 }", "END: exit");
	assert_false(is_uniform(p, 7));
	tr_program_free(p);
}

static void test_uniform_after_early_exit(void **state)
{
	struct tr_program *p = KERNEL("setp { %p2 } %tid.x", "@%p2 exit", "mov { %r1 }",
		"L: add { %r1 } %r1", "setp { %p1 } %r1", "@%p1 bra -> L", "exit");

	(void)state;
	assert_false(is_uniform(p, 1));
	assert_true(is_uniform(p, 5));
	tr_program_free(p);
	p = KERNEL("mov { %r1 }", "L: add { %r1 } %r1", "@%tid.x exit", "@%r1 bra -> L", "exit");
	assert_true(is_uniform(p, 3));
	tr_program_free(p);
}

static void test_uniform_trips(void **state)
{
	/* Threads leave in different trips and bring different r1, and r2, but the same r3. */
	struct tr_program *p = KERNEL("mov { %r1 }", "L: add { %r1 } %r1", "add { %r2 } %r1",
		"add { %r3 } %ctaid.x", "ld.global { %r4 } [0]", "setp { %p1 } %r4",
		"@%p1 bra -> L", "@%r1 bra -> A", "mov { %r5 }", "A: @%r2 bra -> B", "mov { %r5 }",
		"B: @%r3 bra -> END", "mov { %r5 }", "END: exit");

	(void)state;
	assert_false(is_uniform(p, 6));
	assert_false(is_uniform(p, 7));
	assert_false(is_uniform(p, 9));
	assert_true(is_uniform(p, 11));
	tr_program_free(p);
	/*
	 * Rounds of 1 to 4 before the post-dominator at 5, which is in the loop as well: r1 is not
	 * live there, but r2, which is made from it in each round, is.
	 */
	p = KERNEL("mov { %r1 }", "L: add { %r1 } %r1", "add { %r2 } %r1", "ld.global { %r4 } [0]",
		"@%r4 bra -> L", "mov { %r1 }", "@%r2 bra -> L", "exit");
	assert_int_equal(p->nloops, 1);
	assert_int_equal(p->insts[4].ipdom, 5);
	assert_false(is_uniform(p, 6));
	tr_program_free(p);
	/* A break by CTA divides nobody. */
	p = KERNEL("mov { %r2 }", "L: add { %r2 } %r2", "setp { %p1 } %ctaid.x", "@%p1 bra -> END",
		"setp { %p2 } %r2", "@%p2 bra -> L", "END: setp { %p3 } %r2", "@%p3 bra -> Z",
		"mov { %r6 }", "Z: exit");
	assert_true(is_uniform(p, 3));
	assert_true(is_uniform(p, 5));
	assert_true(is_uniform(p, 7));
	tr_program_free(p);
}

static void test_uniform_exit_under_divergence(void **state)
{
	/*
	 * The outer loop is left at 8 by a uniform condition, which only those threads reach that a
	 * branch by thread sent there: its counter is not uniform.
	 */
	struct tr_program *p = KERNEL("mov { %r1 }", "O: add { %r1 } %r1", "ld.global { %r4 } [0]",
		"setp { %p1 } %r4", "@%p1 bra -> B", "mov { %r5 }", "bra -> T",
		"B: setp { %p2 } %ctaid.x", "@%p2 bra -> END", "T: setp { %p3 } %r1",
		"@%p3 bra -> O", "END: exit");

	(void)state;
	assert_true(is_uniform(p, 8));
	assert_false(is_uniform(p, 10));
	tr_program_free(p);
}

static void test_uniform_irreducible(void **state)
{
	/* Two entries into a cycle that threads leave in different rounds. */
	struct tr_program *p = KERNEL("mov { %r1 }", "@%ctaid.x bra -> B", "A: mov { %r3 }",
		"B: add { %r1 } %r1", "add { %r2 } %r1", "ld.global { %r4 } [0]", "@%r4 bra -> A",
		"@%r2 bra -> END", "mov { %r5 }", "END: exit");

	(void)state;
	assert_int_equal(p->marks, TR_M_IRREDUCIBLE);
	assert_true(is_uniform(p, 1));
	assert_false(is_uniform(p, 7));
	tr_program_free(p);
}

static void test_uniform_table(void **state)
{
	struct tr_program *p =
		KERNEL("brx %ctaid.x -> A B", "A: brx %tid.x -> B C", "B: mov { %r1 }", "C: exit");

	(void)state;
	assert_true(is_uniform(p, 0));
	assert_false(is_uniform(p, 1));
	assert_true((p->insts[0].flags & TR_I_OUTCOME) != 0);
	tr_program_free(p);
}

/* ---- bytes ---- */

/* A bit of everything: tables, loops, dead code, guards, negative displacements. */
#define MIXED                                                                                      \
	"ld.param { %d1 } [8]", "add { %d2 } %d1 %tid.x", "setp { %p1 %p2 } %d2", "@!%p1 exit",    \
		"L: ld.global { %r1 %r2 } [%d2+-16]", "@%p2 atom { %r3 } %r1 [%d1]",               \
		"@%p1 brx %r1 -> A B exit A", "A: vote { %p3 } %p1", "@%p3 bra -> L", "bra -> C",  \
		"B: st.shared %r1 %h1 [%r2+4]", "bar", "@%p1 bra -> B", "C: exit", "bra -> L"

static struct tr_buf written(const struct tr_program *p)
{
	struct tr_buf b = {0};

	assert_int_equal(tr_program_write(p, &b), 1);
	return b;
}

static void assert_same_bytes(const struct tr_program *p, const struct tr_buf *expected)
{
	struct tr_buf b = written(p);

	assert_int_equal(b.len, expected->len);
	assert_memory_equal(b.p, expected->p, b.len);
	tr_buf_free(&b);
}

static struct tr_program *mixed(void)
{
	struct tr_program *p = KERNEL(MIXED);
	int64_t file = tr_program_string(p, "k.cu");

	p->insts[3].file = (uint32_t)file;
	p->insts[11].disp = 3;
	p->insts[11].aux = 64;
	p->shared_bytes = 1024;
	p->local_bytes = 16;
	p->param_bytes = 24;
	p->marks |= TR_M_VOTE;
	return p;
}

static void test_write_read_write(void **state)
{
	struct tr_program *p = mixed(), *q;
	struct tr_buf b = written(p);
	struct tr_err err = {0};

	(void)state;
	assert_int_equal(tr_program_read(&q, b.p, b.len, &err), 1);
	assert_int_equal(q->ninsts, p->ninsts);
	assert_memory_equal(q->insts, p->insts, p->ninsts * sizeof *p->insts);
	assert_int_equal(q->nregs, p->nregs);
	assert_memory_equal(q->regs, p->regs, p->nregs * sizeof *p->regs);
	assert_int_equal(q->nblocks, p->nblocks);
	assert_memory_equal(q->blocks, p->blocks, p->nblocks * sizeof *p->blocks);
	assert_int_equal(q->nloops, p->nloops);
	assert_memory_equal(q->loops, p->loops, p->nloops * sizeof *p->loops);
	assert_int_equal(q->nreg_pool, p->nreg_pool);
	assert_memory_equal(q->reg_pool, p->reg_pool, p->nreg_pool * sizeof *p->reg_pool);
	assert_int_equal(q->nsucc_pool, p->nsucc_pool);
	assert_memory_equal(q->succ_pool, p->succ_pool, p->nsucc_pool * sizeof *p->succ_pool);
	assert_int_equal(q->strings_len, p->strings_len);
	assert_memory_equal(q->strings, p->strings, p->strings_len);
	assert_int_equal(q->shared_bytes, 1024);
	assert_int_equal(q->local_bytes, 16);
	assert_int_equal(q->param_bytes, 24);
	assert_int_equal(q->live_registers, p->live_registers);
	assert_int_equal(q->marks, TR_M_VOTE);
	assert_same_bytes(q, &b);
	/* What was read can be analysed, and built on, like what was built. */
	assert_int_equal(tr_program_analyze(q, &err), 1);
	assert_same_bytes(q, &b);
	assert_int_equal(tr_program_string(q, "k.cu"), q->insts[3].file);
	assert_int_equal(tr_program_reg(q, "%new", 32), p->nregs);
	tr_program_free(q);
	tr_program_free(p);
	tr_buf_free(&b);
}

/* Control bits: back as they were, and what they say; cut, doubled and damaged ones are refused. */
static void test_control(void **state)
{
	struct tr_program *p = mixed(), *q;
	struct tr_buf b = written(p), bits = {0};
	struct tr_control c;
	struct tr_err err = {0};

	(void)state;
	assert_int_equal(tr_program_control(p, 0, 0x27e5 | 5u << 17), 1);
	assert_int_equal(tr_program_control(p, 2, 0), 1);
	assert_int_equal(tr_program_write_control(p, &bits), 1);
	assert_int_equal(tr_program_read(&q, b.p, b.len, &err), 1);
	assert_null(q->control);
	assert_int_equal(tr_program_read_control(q, bits.p, bits.len, &err), 1);
	assert_memory_equal(q->control, p->control, p->ninsts * sizeof(*p->control));
	assert_int_equal(q->control[1], 0);
	assert_int_equal(q->control[2], TR_CONTROL_KNOWN);
	c = tr_control_of(q->control[0]);
	assert_int_equal(c.stall, 5);
	assert_int_equal(c.yields, 1);
	assert_int_equal(c.result, TR_CONTROL_NONE);
	assert_int_equal(c.sources, TR_CONTROL_NONE);
	assert_int_equal(c.wait, 1 << 2);
	assert_int_equal(c.reuse, 5);
	assert_int_equal(tr_program_read_control(q, bits.p, bits.len, &err), TR_EDATA);
	tr_program_free(q);
	for (size_t len = 0; len <= bits.len + 1; len++) {
		uint8_t *cut = calloc(len + 1, 1); /* its end is where the cut is, for ASan */

		memcpy(cut + 1, bits.p, len < bits.len ? len : bits.len);
		assert_int_equal(tr_program_read(&q, b.p, b.len, &err), 1);
		assert_int_equal(tr_program_read_control(q, cut + 1, len, &err),
			len == bits.len ? 1 : TR_EDATA);
		tr_program_free(q);
		free(cut);
	}
	bits.p[0] = bits.p[1] = bits.p[2] = 0xff;
	assert_int_equal(tr_program_read(&q, b.p, b.len, &err), 1);
	assert_int_equal(tr_program_read_control(q, bits.p, bits.len, &err), TR_EDATA);
	tr_program_free(q);
	tr_program_free(p);
	tr_buf_free(&b);
	tr_buf_free(&bits);
}

/* How operands were written: back as they were, and no byte of theirs leads beyond the strings. */
static void test_operands(void **state)
{
	struct tr_program *p = mixed(), *q;
	struct tr_buf b = written(p), texts = {0}, again = {0};
	struct tr_err err = {0};
	char text[256], plain[256];
	uint32_t refused = 0;

	(void)state;
	tr_program_format(p, 0, plain, sizeof(plain));
	tr_buf_free(&b);
	assert_int_equal(tr_program_operands(p, 0, "%r1, %r2, -1"), 1);
	b = written(p);
	assert_int_equal(tr_program_write_operands(p, &texts), 1);
	assert_int_equal(tr_program_read(&q, b.p, b.len, &err), 1);
	tr_program_format(q, 0, text, sizeof(text));
	assert_string_equal(text, plain);
	assert_int_equal(tr_program_read_operands(q, texts.p, texts.len, &err), 1);
	tr_program_format(q, 0, text, sizeof(text));
	assert_non_null(strstr(text, " %r1, %r2, -1"));
	tr_program_format(q, 1, text, sizeof(text));
	tr_program_format(p, 1, plain, sizeof(plain));
	assert_string_equal(text, plain);
	assert_int_equal(tr_program_write_operands(q, &again), 1);
	assert_int_equal(again.len, texts.len);
	assert_memory_equal(again.p, texts.p, texts.len);
	assert_int_equal(tr_program_read_operands(q, texts.p, texts.len, &err), TR_EDATA);
	tr_program_free(q);
	for (size_t len = 0; len <= texts.len + 1; len++) {
		uint8_t *cut = calloc(len + 1, 1); /* its end is where the cut is, for ASan */

		memcpy(cut + 1, texts.p, len < texts.len ? len : texts.len);
		assert_int_equal(tr_program_read(&q, b.p, b.len, &err), 1);
		assert_int_equal(tr_program_read_operands(q, cut + 1, len, &err),
			len == texts.len ? 1 : TR_EDATA);
		tr_program_free(q);
		free(cut);
	}
	for (size_t bit = 0; bit < texts.len * 8; bit++) {
		texts.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(tr_program_read(&q, b.p, b.len, &err), 1);
		refused += tr_program_read_operands(q, texts.p, texts.len, &err) < 0;
		for (uint32_t i = 0; i < q->ninsts; i++)
			tr_program_format(q, i, text, sizeof(text));
		tr_program_free(q);
		texts.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	assert_true(refused > 0);
	tr_program_free(p);
	tr_buf_free(&b);
	tr_buf_free(&texts);
	tr_buf_free(&again);
}

/* Older writers set bit 2 of an instruction's flags (FORMAT.md, 6.1): it says nothing. */
static void test_broken_bytes(void **state)
{
	struct tr_program *p = mixed(), *q;
	struct tr_buf b = written(p), whole = written(p);
	uint32_t ignored = 0;

	(void)state;
	for (size_t len = 0; len < b.len; len++) {
		struct tr_err err = {0};
		uint8_t *cut = malloc(len + 1); /* its end is where the cut is, for ASan */
		memcpy(cut + 1, b.p, len);
		assert_int_equal(tr_program_read(&q, cut + 1, len, &err), TR_EDATA);
		assert_int_equal(err.code, TR_EDATA);
		assert_null(q);
		free(cut);
	}
	for (size_t bit = 0; bit < b.len * 8; bit++) {
		struct tr_err err = {0};
		b.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		/* A flipped bit may leave a program, only another one. */
		if (tr_program_read(&q, b.p, b.len, &err) == 1) {
			struct tr_buf again = written(q);
			const int same =
				again.len == whole.len && !memcmp(again.p, whole.p, whole.len);

			ignored += (unsigned)same;
			assert_true(!same || bit % 8 == 2);
			if (!same)
				assert_same_bytes(q, &b);
			tr_buf_free(&again);
			tr_program_free(q);
		} else {
			assert_int_equal(err.code, TR_EDATA);
			assert_true(strlen(err.msg) > 0);
		}
		b.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	assert_int_equal(ignored, p->ninsts);
	assert_int_equal(tr_buf_u8(&b, 0), 0);
	assert_int_equal(tr_program_read(&q, b.p, b.len, NULL), TR_EDATA);
	tr_program_free(p);
	tr_buf_free(&whole);
	tr_buf_free(&b);
}

static uint32_t rng = 99;

static uint32_t below(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 17;
	rng ^= rng << 5;
	return rng % n;
}

/* Random code that keeps the rules, with no sense in it. */
static struct tr_program *random_program(uint32_t ninsts)
{
	static const uint8_t plain[] = {TR_C_INT, TR_C_FP32, TR_C_SFU, TR_C_MOVE, TR_C_LOAD,
		TR_C_STORE, TR_C_ATOMIC, TR_C_COLLECTIVE, TR_C_OTHER};
	struct tr_program *p = tr_program_new("random");
	uint32_t nregs = 4 + ninsts / 4;
	char name[16];

	for (uint32_t r = 0; r < nregs; r++) {
		snprintf(name, sizeof name, r ? "%%r%u" : "%%tid.x", r);
		tr_program_reg(p, name, (const uint32_t[]){1, 16, 32, 64}[below(4)]);
	}
	for (uint32_t i = 0; i < ninsts; i++) {
		struct tr_inst in = {
			.cls = plain[below(9)], .guard = TR_NONE, .base = TR_NONE, .file = TR_NONE};
		uint32_t dst[2], src[3], succ[4] = {i + 1}, nsucc = 1, kind = below(8);
		uint32_t target = below(4) ? i + 1 + below(6) : below(ninsts);
		for (uint32_t k = 0; k < 2; k++)
			dst[k] = 1 + below(nregs - 1);
		for (uint32_t k = 0; k < 3; k++)
			src[k] = below(nregs);
		target = target < ninsts ? target : TR_EXIT;
		if (!below(4))
			in.guard = below(nregs);
		if (in.cls == TR_C_LOAD || in.cls == TR_C_STORE || in.cls == TR_C_ATOMIC) {
			static const uint8_t spaces[] = {TR_S_GLOBAL, TR_S_SHARED, TR_S_GENERIC,
				TR_S_LOCAL, TR_S_CONST, TR_S_PARAM, TR_S_TEXTURE};
			in.space = spaces[below(in.cls == TR_C_LOAD    ? 7
						: in.cls == TR_C_STORE ? 4
								       : 3)];
			in.bytes = 4;
			in.vec = 2;
			in.base = below(2) ? below(nregs) : TR_NONE;
			in.disp = (int64_t)below(1000) - 500;
		}
		if (kind == 0 || i + 1 == ninsts) {
			in.cls = TR_C_EXIT;
			if (i + 1 == ninsts)
				in.guard = TR_NONE;
			succ[1] = TR_EXIT;
			nsucc = in.guard == TR_NONE ? 0 : 2;
		} else if (kind < 3) {
			in.cls = TR_C_BRANCH;
			nsucc = in.guard == TR_NONE ? 1 : 2;
			succ[nsucc - 1] = target;
		} else if (kind == 3) {
			in.cls = TR_C_BRANCH;
			in.flags = TR_I_INDEXED;
			nsucc = 3;
			succ[1] = target;
			succ[2] = below(ninsts);
		}
		if (in.cls == TR_C_EXIT || in.cls == TR_C_BRANCH)
			in.space = in.bytes = in.vec = 0;
		tr_program_inst(p, &in, dst, below(3), src, below(4), succ, nsucc);
	}
	return p;
}

static void test_random_programs(void **state)
{
	uint32_t found = 0;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct tr_program *p = random_program(2 + below(60)), *q;
		struct tr_err err = {0};
		struct tr_buf b;
		assert_int_equal(tr_program_analyze(p, &err), 1);
		if (tr_program_validate(p, &err) != 1)
			fail_msg("%s", err.msg);
		b = written(p);
		assert_int_equal(tr_program_read(&q, b.p, b.len, &err), 1);
		assert_same_bytes(q, &b);
		assert_int_equal(tr_program_analyze(q, &err), 1);
		assert_same_bytes(q, &b);
		found += p->nloops;
		tr_buf_free(&b);
		tr_program_free(q);
		tr_program_free(p);
	}
	assert_true(found > 1000);
}

/* ---- uniformity against execution ---- */

/*
 * The law: execute a program with the threads of a CTA in step, divided by a reconvergence stack,
 * and no branch that is called uniform ever divides the threads that execute it.
 */
#define LANES 8
#define REGS 10 /* 0: %tid.x, 1: %ctaid.x, the rest ordinary */
#define DEPTH 256

struct machine {
	const struct tr_program *p;
	uint32_t reg[REGS][LANES];
	struct {
		uint32_t pc, until, mask;
	} stack[DEPTH];
	uint32_t depth, proven, divided;
};

static struct tr_program *executable_program(uint32_t ninsts)
{
	struct tr_program *p = tr_program_new("executable");
	const struct tr_inst blank = {.guard = TR_NONE, .base = TR_NONE, .file = TR_NONE};
	char name[16];

	tr_program_reg(p, "%tid.x", 32);
	tr_program_reg(p, "%ctaid.x", 32);
	for (uint32_t r = 2; r < REGS; r++) {
		snprintf(name, sizeof name, "%%r%u", r);
		tr_program_reg(p, name, 32);
	}
	for (uint32_t i = 0; i < ninsts; i++) {
		struct tr_inst in = blank;
		uint32_t dst = 2 + below(REGS - 2), src[2], nsrc = 1 + below(2), kind = below(16);
		uint32_t succ[3] = {i + 1}, nsucc = 1;
		src[0] = below(12) ? 1 + below(REGS - 1) : 0;
		src[1] = 1 + below(REGS - 1);
		if (i < REGS - 2) { /* most registers begin with a value of their own */
			dst = 2 + i;
			src[0] = 1;
			nsrc = 1;
			kind = 15;
		}
		in.cls = TR_C_INT;
		if (kind < 5) {
			uint32_t to = below(3) ? i + 1 + below(8) : below(ninsts);
			in.cls = TR_C_BRANCH;
			in.guard = src[0];
			succ[1] = to < ninsts ? to : TR_EXIT;
			nsucc = 2;
		} else if (kind == 5) {
			in.cls = TR_C_LOAD;
			in.space = TR_S_GLOBAL;
			in.bytes = 4;
			in.vec = 1;
		} else if (kind == 6 && !below(3)) {
			in.cls = TR_C_EXIT;
			in.guard = src[0];
			succ[1] = TR_EXIT;
			nsucc = 2;
		} else if (kind == 7) {
			in.guard = 2 + below(REGS - 2);
		} else if (kind == 8) {
			in.cls = TR_C_BRANCH;
			in.flags = TR_I_INDEXED;
			nsucc = 3;
			succ[1] = below(ninsts);
			succ[2] = i + 3 < ninsts ? i + 1 + below(2) : TR_EXIT;
		}
		if (i + 1 == ninsts) {
			in = blank;
			in.cls = TR_C_EXIT;
			nsucc = 0;
		}
		tr_program_inst(p, &in, &dst, in.cls == TR_C_INT || in.cls == TR_C_LOAD, src, nsrc,
			succ, nsucc);
	}
	return p;
}

static uint32_t mixed_value(uint32_t a, uint32_t b)
{
	a = (a ^ b * 0x9e3779b9u) * 0x85ebca6bu;
	return a ^ a >> 15;
}

/* What lane l computes in instruction i: its result, or the choice of a branch. */
static uint32_t value_of(const struct machine *m, uint32_t i, uint32_t l)
{
	const struct tr_inst *in = &m->p->insts[i];
	uint32_t v = in->cls == TR_C_LOAD ? below(1u << 16) : i;

	for (uint32_t k = 0; k < in->nsrc; k++)
		v = mixed_value(v, m->reg[m->p->reg_pool[in->src + k]][l]);
	return v;
}

/* Executes the branch or exit at i for the lanes on top of the stack, which may divide them. */
static void choose(struct machine *m, uint32_t i)
{
	const struct tr_inst *in = &m->p->insts[i];
	uint32_t mask = m->stack[m->depth - 1].mask, masks[4] = {0}, ways = 0, ipdom = in->ipdom;

	for (uint32_t l = 0; l < LANES; l++)
		if (mask >> l & 1) {
			uint32_t guard = in->guard == TR_NONE || m->reg[in->guard][l] >> 3 & 1;
			uint32_t way = in->guard != TR_NONE ? guard : value_of(m, i, l) % in->nsucc;
			masks[way] |= 1u << l;
		}
	for (uint32_t w = 0; w < in->nsucc; w++)
		ways += masks[w] != 0;
	if (in->flags & TR_I_UNIFORM) {
		if (ways > 1)
			fail_msg("instruction %u is called uniform and divides", i);
		m->proven += (mask & (mask - 1)) != 0;
	}
	m->divided += ways > 1;
	if (ways == 1) {
		for (uint32_t w = 0; w < in->nsucc; w++)
			if (masks[w])
				m->stack[m->depth - 1].pc = m->p->succ_pool[in->succ + w];
		return;
	}
	m->stack[m->depth - 1].pc = ipdom;
	for (uint32_t w = 0; w < in->nsucc; w++) {
		uint32_t to = m->p->succ_pool[in->succ + w];
		if (to == TR_EXIT)
			for (uint32_t d = 0; d < m->depth; d++)
				m->stack[d].mask &= ~masks[w];
		else if (masks[w] && to != ipdom && m->depth < DEPTH) {
			m->stack[m->depth].pc = to;
			m->stack[m->depth].until = ipdom;
			m->stack[m->depth++].mask = masks[w];
		}
	}
}

static void execute(struct machine *m, uint32_t steps)
{
	m->depth = 1;
	m->stack[0].pc = 0;
	m->stack[0].until = TR_EXIT;
	m->stack[0].mask = (1u << LANES) - 1;
	for (uint32_t l = 0; l < LANES; l++)
		for (uint32_t r = 0; r < REGS; r++)
			m->reg[r][l] = r == 1 ? 7 : below(1u << 16);
	while (m->depth && m->depth < DEPTH && steps--) {
		uint32_t i = m->stack[m->depth - 1].pc, mask = m->stack[m->depth - 1].mask;
		const struct tr_inst *in = &m->p->insts[i];
		if (!mask || i == m->stack[m->depth - 1].until) {
			m->depth--;
			continue;
		}
		if (i == TR_EXIT || !in->nsucc) {
			for (uint32_t d = 0; d < m->depth; d++)
				m->stack[d].mask &= ~mask;
			continue;
		}
		if (in->nsucc > 1) {
			choose(m, i);
			continue;
		}
		for (uint32_t l = 0; l < LANES; l++)
			if ((mask >> l & 1) &&
				(in->guard == TR_NONE || m->reg[in->guard][l] >> 3 & 1))
				for (uint32_t k = 0; k < in->ndst; k++)
					m->reg[m->p->reg_pool[in->dst + k]][l] = value_of(m, i, l);
		m->stack[m->depth - 1].pc = m->p->succ_pool[in->succ];
	}
}

static void test_uniform_branches_never_divide(void **state)
{
	uint32_t proven = 0, divided = 0, irreducible = 0, looping = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct tr_program *p = executable_program(REGS + 4 + below(40));
		struct tr_err err = {0};
		struct machine m = {.p = p};
		if (tr_program_analyze(p, &err) != 1)
			fail_msg("%s", err.msg);
		execute(&m, 600);
		proven += m.proven;
		divided += m.divided;
		irreducible += (p->marks & TR_M_IRREDUCIBLE) && m.proven;
		looping += p->nloops && m.proven;
		tr_program_free(p);
	}
	assert_true(proven > 10000 && divided > 10000 && irreducible > 1000 && looping > 1000);
}

/* ---- checking ---- */

static void assert_refused(struct tr_program *p, const char *part_of_message)
{
	struct tr_err err = {0};

	assert_int_equal(tr_program_analyze(p, &err), TR_EDATA);
	if (!strstr(err.msg, part_of_message))
		fail_msg("'%s' does not contain '%s'", err.msg, part_of_message);
	tr_program_free(p);
}

static void test_refused_parts(void **state)
{
	struct tr_program *p;

	(void)state;
	assert_refused(tr_program_new("empty"), "without instructions");
	assert_refused(PARTS("mov { %r1 }"), "instruction 0: a successor is beyond the last");
	p = PARTS("mov { %r1 }", "exit");
	p->reg_pool[0] = 7;
	assert_refused(p, "a register does not exist");
	p = PARTS("mov { %r1 }", "exit");
	p->regs[0].width = 8;
	assert_refused(p, "register 0 is 8 bits wide");
	p = PARTS("mov { %r1 }", "exit");
	p->insts[0].nsucc = 0;
	assert_refused(p, "it must have one successor");
	p = PARTS("@%p1 bra -> L", "L: exit");
	p->insts[0].nsucc = 1;
	assert_refused(p, "it must have two successors");
	p = PARTS("@%p1 exit", "exit");
	p->succ_pool[1] = 0;
	assert_refused(p, "its second successor must be the exit");
	p = PARTS("ld.global { %r1 } [4]", "exit");
	p->insts[0].bytes = 3;
	assert_refused(p, "instruction 0: an access is of 1, 2, 4, 8 or 16 bytes");
	p = PARTS("ld.global { %r1 } [4]", "exit");
	p->insts[0].vec = 3;
	assert_refused(p, "1, 2 or 4 elements");
	p = PARTS("st.global { } [4]", "exit");
	p->insts[0].space = TR_S_PARAM;
	assert_refused(p, "instruction 0: its class has no access to this memory space");
	p = PARTS("ld.global { %r1 } [4]", "exit");
	p->insts[0].cls = TR_C_INT;
	assert_refused(p, "only loads, stores, atomics and prefetches access memory");
	p = PARTS("ld.global { %r1 } [4]", "exit");
	p->insts[0].flags |= TR_I_COLLECTIVE;
	assert_refused(p, "an access is no collective");
	p = PARTS("exit");
	p->insts[0].opcode = 100;
	assert_refused(p, "a text is beyond the strings");
	p = PARTS("exit");
	p->insts[0].cls = TR_NCLASSES;
	assert_refused(p, "unknown class");
}

static void assert_invalid(struct tr_program *p, const char *part_of_message)
{
	struct tr_err err = {0};

	assert_int_equal(tr_program_validate(p, &err), TR_EDATA);
	if (!strstr(err.msg, part_of_message))
		fail_msg("'%s' does not contain '%s'", err.msg, part_of_message);
	tr_program_free(p);
}

/* Rows of operands and operations on barriers in memory, of these aux, and an exit. */
static struct tr_program *rows(const uint32_t *aux, unsigned n)
{
	struct tr_program *p = tr_program_new("wait");
	const int64_t guard = tr_program_reg(p, "%p1", 1), base = tr_program_reg(p, "%r1", 32);
	const struct tr_inst leave = {.cls = TR_C_EXIT, .guard = TR_NONE, .base = TR_NONE};
	uint32_t next;

	for (uint32_t i = 0; i < n; i++) {
		const int row = aux[i] >> TR_AUX_KIND_AT == TR_AUX_OPERAND;
		const struct tr_inst in = {.cls = row ? TR_C_OTHER : TR_C_ATOMIC,
			.space = row ? TR_S_NONE : TR_S_SHARED,
			.bytes = row ? 0 : 8,
			.vec = row ? 0 : 1,
			.guard = (uint32_t)guard,
			.base = row ? TR_NONE : (uint32_t)base,
			.aux = aux[i]};

		next = i + 1;
		tr_program_inst(p, &in, NULL, 0, NULL, 0, &next, 1);
	}
	tr_program_inst(p, &leave, NULL, 0, NULL, 0, NULL, 0);
	return p;
}

#define ROWS(...)                                                                                  \
	rows((const uint32_t[]){__VA_ARGS__},                                                      \
		sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
#define ROW(n) TR_AUX(TR_AUX_OPERAND, n)
#define BARRIER(n) TR_AUX(TR_AUX_MBARRIER, n)

static void test_rows_of_operands(void **state)
{
	struct tr_program *p = ROWS(ROW(0), BARRIER(TR_MBAR_TRY));
	struct tr_err err;

	(void)state;
	assert_int_equal(tr_program_analyze(p, &err), 1);
	assert_int_equal(tr_program_validate(p, &err), 1);
	assert_true(tr_program_is_async(p));
	assert_true(p->insts[0].flags & TR_I_VALUE && p->insts[0].flags & TR_I_OUTCOME);
	p->insts[0].aux = 0;
	assert_true(tr_program_is_async(p));
	p->insts[1].aux = TR_COPY_WAIT + 1000;
	assert_false(tr_program_is_async(p));
	tr_program_free(p);
	assert_refused(ROWS(BARRIER(TR_MBAR_TRY)), "no operation on a barrier with such operands");
	assert_refused(ROWS(BARRIER(TR_NMBARRIERS)), "no operation on a barrier with such");
	assert_refused(ROWS(ROW(0), BARRIER(TR_MBAR_INVAL)), "with such operands");
	assert_refused(ROWS(ROW(0), ROW(1), BARRIER(TR_MBAR_TRY)), "with such operands");
	assert_refused(ROWS(ROW(1), BARRIER(TR_MBAR_TRY)), "out of order");
	assert_refused(ROWS(ROW(0), ROW(0), BARRIER(TR_MBAR_TRY)), "has no operation after it");
	assert_refused(ROWS(ROW(0), 0), "has no operation after it");
	assert_refused(ROWS(TR_AUX(TR_NAUX_KINDS, 0)), "unknown kind of operation");
	p = ROWS(ROW(0), BARRIER(TR_MBAR_TRY));
	p->insts[0].guard = TR_NONE;
	assert_refused(p, "and has its guard");
	p = ROWS(ROW(0), BARRIER(TR_MBAR_TRY));
	p->insts[0].cls = TR_C_INT;
	assert_refused(p, "of class other");
	p = ROWS(ROW(0), BARRIER(TR_MBAR_TRY));
	p->insts[1].space = TR_S_GLOBAL;
	assert_refused(p, "in shared memory");
	/* Something leads to the operation past its row. */
	p = ROWS(ROW(0), BARRIER(TR_MBAR_TRY), 0);
	p->succ_pool[p->insts[2].succ] = 1;
	assert_int_equal(tr_program_analyze(p, &err), 1);
	assert_invalid(p, "past its operands");
}

static void test_invalid_findings(void **state)
{
	struct tr_program *p;

	(void)state;
	assert_invalid(PARTS("exit"), "in no block");
	p = KERNEL(TBC_FIGURE_10);
	p->blocks[1].rank = 0;
	assert_invalid(p, "ranks");
	p = KERNEL(TBC_FIGURE_10);
	p->blocks[1].nvalues++;
	assert_invalid(p, "outcomes and values");
	p = KERNEL(TBC_FIGURE_10);
	p->insts[2].flags &= ~(uint32_t)TR_I_VALUE; /* its block has as many all the same */
	p->insts[3].flags |= TR_I_VALUE;
	assert_invalid(p, "do not fit its fields");
	p = KERNEL(TBC_FIGURE_10);
	p->insts[4].ipdom = 3;
	assert_invalid(p, "reconvergence point");
	p = KERNEL(TBC_FIGURE_10);
	p->insts[4].lcp = 100;
	assert_invalid(p, "likely-convergence point");
	p = KERNEL(TBC_FIGURE_10);
	p->loops[0].parent = 0;
	assert_invalid(p, "no parent before it");
	p = KERNEL(TBC_FIGURE_10);
	p->loops[0].nblocks--;
	assert_invalid(p, "number of blocks");
	p = KERNEL(TBC_FIGURE_10);
	p->blocks[p->nblocks - 1].ipdom = 0;
	assert_invalid(p, "circle");
}

/* ---- text ---- */

static void test_format(void **state)
{
	struct tr_program *p = mixed();
	const char *const expected[] = {"ld.param {%d1} [0x8]", "add {%d2} %d1, %tid.x",
		"setp {%p1, %p2} %d2", "@!%p1 exit -> 0x20, exit", "ld.global {%r1, %r2} [%d2-16]",
		"@%p2 atom {%r3} [%d1] %r1", "@%p1 brx %r1 -> 0x38, 0x38, 0x50, exit, 0x38",
		"vote {%p3} %p1", "@%p3 bra -> 0x48, 0x20", "bra -> 0x68",
		"st.shared [%r2+4] %r1, %h1", "bar 3, 64", "@%p1 bra -> 0x68, 0x50", "exit",
		"bra -> 0x20"};
	char text[128];

	(void)state;
	assert_int_equal(p->ninsts, sizeof expected / sizeof *expected);
	for (uint32_t i = 0; i < p->ninsts; i++) {
		int len = tr_program_format(p, i, text, sizeof text);
		assert_string_equal(text, expected[i]);
		assert_int_equal(len, strlen(text));
	}
	/* Cut where there is no room, and the length that was needed all the same. */
	assert_int_equal(tr_program_format(p, 1, text, 8), 21);
	assert_string_equal(text, "add {%d");
	assert_int_equal(tr_program_format(p, 1, NULL, 0), 21);
	tr_program_free(p);
}

/* A convergence barrier has 1 plus its number; a file can say any number there (FORMAT.md, 6.1). */
static void test_format_barrier(void **state)
{
	static const struct {
		int64_t disp;
		const char *text;
	} cases[] = {{0, "BSSY"}, {1, "BSSY B0"}, {16, "BSSY B15"},
		{INT64_MAX, "BSSY B9223372036854775806"}, {-1, "BSSY 0xffffffffffffffff"},
		{INT64_MIN, "BSSY 0x8000000000000000"}};
	struct tr_program *p = PARTS("BSSY", "exit");
	char text[64];

	(void)state;
	p->insts[0].cls = TR_C_OTHER;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		p->insts[0].disp = cases[i].disp;
		tr_program_format(p, 0, text, sizeof text);
		assert_string_equal(text, cases[i].text);
	}
	tr_program_free(p);
}

static void test_large(void **state)
{
	struct tr_program *p = tr_program_new("large"), *q;
	const uint32_t n = 100000;
	char name[16];
	struct tr_err err = {0};
	struct tr_buf b;

	(void)state;
	/* One loop; every ten instructions a way to the end, every thousand by thread. */
	for (uint32_t i = 0; i < n; i++) {
		struct tr_inst in = {.guard = TR_NONE, .base = TR_NONE, .file = TR_NONE};
		uint32_t reg, src = i < 50 ? 0 : i - 1 - below(49), succ[2] = {i + 1, n - 1},
			      nsucc = 1;
		src -= src % 10 == 9; /* branches write nothing */
		snprintf(name, sizeof name, "%%r%u", i);
		reg = (uint32_t)tr_program_reg(p, name, 32);
		if (i + 1 == n) {
			in.cls = TR_C_EXIT;
			nsucc = 0;
		} else if (i % 10 == 9) {
			in.cls = TR_C_BRANCH;
			in.guard = i - 1;
			nsucc = 2;
			succ[0] = i + 20 > n ? 0 : i + 1;
		} else if (i % 1000 == 998) {
			in.cls = TR_C_COLLECTIVE;
		}
		tr_program_inst(p, &in, &reg, nsucc == 1, &src, i % 10 == 8 ? 0 : 1, succ, nsucc);
	}
	if (tr_program_analyze(p, &err) != 1)
		fail_msg("%s", err.msg);
	assert_int_equal(p->nloops, 1);
	b = written(p);
	assert_int_equal(tr_program_read(&q, b.p, b.len, &err), 1);
	assert_same_bytes(q, &b);
	tr_buf_free(&b);
	tr_program_free(q);
	tr_program_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings_are_interned),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_likely_convergence),
		cmocka_unit_test(test_no_likely_convergence),
		cmocka_unit_test(test_likely_convergence_in_the_inner_loop),
		cmocka_unit_test(test_no_likely_convergence_at_the_latch),
		cmocka_unit_test(test_endless_loop),
		cmocka_unit_test(test_irreducible),
		cmocka_unit_test(test_live_registers),
		cmocka_unit_test(test_live_around_a_loop),
		cmocka_unit_test(test_live_under_guards),
		cmocka_unit_test(test_live_into_a_block_that_updates),
		cmocka_unit_test(test_special_registers_do_not_count),
		cmocka_unit_test(test_live_at_the_end_of_a_block),
		cmocka_unit_test(test_uniform_sources),
		cmocka_unit_test(test_uniform_memory),
		cmocka_unit_test(test_uniform_data),
		cmocka_unit_test(test_uniform_guards),
		cmocka_unit_test(test_uniform_joins),
		cmocka_unit_test(test_uniform_under_divergence),
		cmocka_unit_test(test_uniform_after_early_exit),
		cmocka_unit_test(test_uniform_trips),
		cmocka_unit_test(test_uniform_exit_under_divergence),
		cmocka_unit_test(test_uniform_irreducible),
		cmocka_unit_test(test_uniform_table),
		cmocka_unit_test(test_uniform_branches_never_divide),
		cmocka_unit_test(test_write_read_write),
		cmocka_unit_test(test_broken_bytes),
		cmocka_unit_test(test_random_programs),
		cmocka_unit_test(test_refused_parts),
		cmocka_unit_test(test_rows_of_operands),
		cmocka_unit_test(test_invalid_findings),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_format_barrier),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
