/*
 * Every arithmetic opcode of the PTX machine: a kernel of one instruction over arrays of operands,
 * against values worked out by hand, and over random operands against plain C. Each under both
 * instruction sets that the operations are compiled for, with full warps and with a partial one.
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
#include "sim/ptx/approx.h"
#include "sim/ptx/vm.h"

#define MAX_CASES 4000
#define NSOURCES 4

/* ---- the kernel of one instruction ---- */

/* A layout names the destination and the sources: h 16, w 32, d 64 bits, p a predicate. */
static const char *width(char layout)
{
	return layout == 'h' ? "b16" : layout == 'd' ? "b64" : layout == 'p' ? "pred" : "b32";
}

static void write_kernel(char *text, size_t size, const char *inst, const char *layout)
{
	static const char *const name[] = {"d", "a", "b", "c", "e"};
	FILE *f = fmemopen(text, size, "w");

	fprintf(f, ".version 7.0\n.target sm_80\n.address_size 64\n"
		   ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 "
		   "p3,\n"
		   "\t.param .u64 p4, .param .u32 n)\n{\n"
		   "\t.reg .b64 %%at<8>, %%off, %%u; .reg .b32 %%i, %%x, %%n, %%t; .reg .pred "
		   "%%out, %%q;\n"
		   "\t.reg .b16 %%h;\n");
	for (unsigned k = 0; layout[k]; k++)
		fprintf(f, "\t.reg .%s %%%s;\n", width(layout[k]), name[k]);
	fprintf(f,
		"\tmov.u32 %%i, %%ctaid.x;\n\tmov.u32 %%x, %%ntid.x;\n\tmul.lo.u32 %%i, %%i, %%x;\n"
		"\tmov.u32 %%x, %%tid.x;\n\tadd.u32 %%i, %%i, %%x;\n\tld.param.u32 %%n, [n];\n"
		"\tsetp.ge.u32 %%out, %%i, %%n;\n\t@%%out exit;\n\tmul.wide.u32 %%off, %%i, 8;\n");
	for (unsigned k = 0; layout[k]; k++) {
		fprintf(f, "\tld.param.u64 %%at%u, [p%u];\n\tadd.u64 %%at%u, %%at%u, %%off;\n", k,
			k, k, k);
		if (layout[k] == 'p')
			fprintf(f, "\tld.global.u32 %%x, [%%at%u];\n\tsetp.ne.u32 %%%s, %%x, 0;\n",
				k, name[k]);
		else
			fprintf(f, "\tld.global.%s %%%s, [%%at%u];\n", width(layout[k]), name[k],
				k);
	}
	fprintf(f, "\t%s\n", inst);
	if (layout[0] == 'p')
		fprintf(f, "\tselp.u32 %%x, 1, 0, %%d;\n\tst.global.u32 [%%at0], %%x;\n");
	else
		fprintf(f, "\tst.global.%s [%%at0], %%d;\n", width(layout[0]));
	fprintf(f, "\tret;\n}\n");
	fclose(f);
}

/* Runs the instruction over n rows of operands; out[i] holds d before it and after it. */
static void run(const char *inst, const char *layout, unsigned n,
	const uint64_t source[NSOURCES][MAX_CASES], uint64_t out[MAX_CASES])
{
	const struct ptx_machine_options opt = {.resident = PTX_RESIDENT_DEFAULT};
	char text[4096];
	struct tr_err err = {0};
	struct ptx_module *mod;
	struct ptx_machine *m;
	uint64_t at[5];
	const void *args[6];
	struct ptx_launch l = {
		.grid = {(n + 95) / 96, 1, 1}, .block = {96, 1, 1}, .args = args, .nargs = 6};

	write_kernel(text, sizeof(text), inst, layout);
	if (ptx_parse(&mod, text, strlen(text), "test.ptx", &err) < 0)
		fail_msg("%s: %s", inst, err.msg);
	assert_int_equal(ptx_machine_new(&m, &opt, &err), 1);
	assert_int_equal(ptx_load(m, mod, &err), 1);
	for (unsigned k = 0; k < 5; k++) {
		at[k] = ptx_alloc(m, "buffer", 8 * n, &err);
		args[k] = &at[k];
		memcpy(ptx_host(m, at[k], 8 * n), k ? source[k - 1] : out, 8 * n);
	}
	args[5] = &n;
	l.kernel = ptx_find(mod, "k");
	if (ptx_launch(m, &l, NULL, &err) < 0)
		fail_msg("%s: %s", inst, err.msg);
	memcpy(out, ptx_host(m, at[0], 8 * n), 8 * n);
	ptx_machine_free(m);
	ptx_module_free(mod);
}

static void in_both(void (*body)(void))
{
	ptx_ops_force(&ptx_ops_base);
	body();
	ptx_ops_force(NULL);
	body();
}

/* ---- worked out by hand ---- */

static const struct by_hand {
	const char *inst, *layout;
	uint64_t source[NSOURCES], want;
} by_hand[] = {
	{"add.u32 %d, %a, %b;", "www", {0xffffffff, 2}, 1},
	{"add.s16 %d, %a, %b;", "hhh", {0x7fff, 1}, 0x8000},
	{"add.s64 %d, %a, %b;", "ddd", {0xffffffff, 1}, 0x100000000},
	{"add.sat.s32 %d, %a, %b;", "www", {0x7fffffff, 1}, 0x7fffffff},
	{"add.sat.s32 %d, %a, %b;", "www", {0x80000000, 0xffffffff}, 0x80000000},
	{"sub.sat.s32 %d, %a, %b;", "www", {0x80000000, 1}, 0x80000000},
	{"sub.u32 %d, %a, %b;", "www", {0, 1}, 0xffffffff},
	{"mul.lo.u16 %d, %a, %b;", "hhh", {0xffff, 0xffff}, 1},
	{"mul.hi.u16 %d, %a, %b;", "hhh", {0xffff, 0xffff}, 0xfffe},
	{"mul.hi.s16 %d, %a, %b;", "hhh", {0xffff, 2}, 0xffff},
	{"mul.hi.u32 %d, %a, %b;", "www", {0x80000000, 6}, 3},
	{"mul.hi.s32 %d, %a, %b;", "www", {0x80000000, 6}, 0xfffffffd},
	{"mul.hi.u64 %d, %a, %b;", "ddd", {0x8000000000000000, 6}, 3},
	{"mul.hi.s64 %d, %a, %b;", "ddd", {0x8000000000000000, 6}, 0xfffffffffffffffd},
	{"mul.wide.s16 %d, %a, %b;", "whh", {0xffff, 3}, 0xfffffffd},
	{"mul.wide.u16 %d, %a, %b;", "whh", {0xffff, 3}, 0x2fffd},
	{"mul.wide.s32 %d, %a, %b;", "dww", {0xffffffff, 3}, 0xfffffffffffffffd},
	{"mul.wide.u32 %d, %a, %b;", "dww", {0xffffffff, 3}, 0x2fffffffd},
	{"mad.lo.s32 %d, %a, %b, %c;", "wwww", {7, 0xffffffff, 10}, 3},
	{"mad.lo.u16 %d, %a, %b, %c;", "hhhh", {300, 300, 1}, 0x5f91},
	{"mad.hi.s32 %d, %a, %b, %c;", "wwww", {0x80000000, 6, 10}, 7},
	{"mad.hi.sat.s32 %d, %a, %b, %c;", "wwww", {0x7fffffff, 4, 0x7fffffff}, 0x7fffffff},
	{"mad.wide.s32 %d, %a, %b, %c;", "dwwd", {0xffffffff, 3, 5}, 2},
	{"mad.wide.u16 %d, %a, %b, %c;", "whhw", {0xffff, 2, 3}, 0x20001},
	{"mul24.lo.u32 %d, %a, %b;", "www", {0xff000010, 0x10}, 0x100},
	{"mul24.hi.u32 %d, %a, %b;", "www", {0xffffff, 0xffffff}, 0xfffffe00},
	{"mul24.lo.s32 %d, %a, %b;", "www", {0xffffff, 3}, 0xfffffffd},
	{"mul24.hi.s32 %d, %a, %b;", "www", {0xffffff, 0x10000}, 0xffffffff},
	{"mad24.lo.u32 %d, %a, %b, %c;", "wwww", {0x1000003, 4, 1}, 13},
	{"mad24.hi.s32 %d, %a, %b, %c;", "wwww", {0x10000, 0x10000, 1}, 0x10001},
	{"mad24.hi.sat.s32 %d, %a, %b, %c;", "wwww", {0x10000, 0x10000, 0x7fffffff}, 0x7fffffff},
	{"div.u32 %d, %a, %b;", "www", {100, 7}, 14},
	{"div.s32 %d, %a, %b;", "www", {0xffffff9c, 7}, 0xfffffff2},
	{"div.s32 %d, %a, %b;", "www", {0x80000000, 0xffffffff}, 0x80000000},
	{"div.u32 %d, %a, %b;", "www", {100, 0}, 0xffffffff},
	{"div.s64 %d, %a, %b;", "ddd", {0x8000000000000000, ~0ull}, 0x8000000000000000},
	{"div.u16 %d, %a, %b;", "hhh", {100, 0}, 0xffff},
	{"rem.s32 %d, %a, %b;", "www", {0xffffff9c, 7}, 0xfffffffe},
	{"rem.s32 %d, %a, %b;", "www", {0x80000000, 0xffffffff}, 0},
	{"rem.u64 %d, %a, %b;", "ddd", {100, 0}, ~0ull},
	{"rem.s16 %d, %a, %b;", "hhh", {0xff9c, 7}, 0xfffe},
	{"min.s32 %d, %a, %b;", "www", {0xffffffff, 1}, 0xffffffff},
	{"min.u32 %d, %a, %b;", "www", {0xffffffff, 1}, 1},
	{"max.s64 %d, %a, %b;", "ddd", {~0ull, 1}, 1},
	{"max.u16 %d, %a, %b;", "hhh", {0xffff, 1}, 0xffff},
	{"abs.s32 %d, %a;", "ww", {0xfffffff6}, 10},
	{"abs.s32 %d, %a;", "ww", {0x80000000}, 0x80000000},
	{"neg.s64 %d, %a;", "dd", {1}, ~0ull},
	{"sad.s32 %d, %a, %b, %c;", "wwww", {0xffffffff, 2, 10}, 13},
	{"sad.u32 %d, %a, %b, %c;", "wwww", {0xffffffff, 2, 10}, 7},
	{"sad.u16 %d, %a, %b, %c;", "hhhh", {2, 0xffff, 10}, 7},
	{"dp4a.u32.u32 %d, %a, %b, %c;", "wwww", {0x01020304, 0x05060708, 100}, 170},
	{"dp4a.s32.s32 %d, %a, %b, %c;", "wwww", {0xff020304, 0x05060708, 100}, 160},
	{"dp2a.lo.u32.u32 %d, %a, %b, %c;", "wwww", {0x00020003, 0x01020304, 1}, 19},
	{"dp2a.hi.s32.u32 %d, %a, %b, %c;", "wwww", {0xffff0003, 0x01020304, 1}, 6},
	{"add.cc.u32 %t, %a, %b; addc.u32 %d, %c, 0;", "wwww", {0xffffffff, 1, 41}, 42},
	{"add.cc.u32 %t, %a, %b; addc.u32 %d, %c, 0;", "wwww", {0xfffffffe, 1, 41}, 41},
	{"add.cc.u64 %u, %a, %b; addc.u64 %d, %c, 0;", "dddd", {~0ull, 1, 41}, 42},
	{"sub.cc.u32 %t, %a, %b; subc.u32 %d, %c, 0;", "wwww", {0, 1, 41}, 40},
	{"sub.cc.u32 %t, %a, %b; subc.u32 %d, %c, 0;", "wwww", {1, 1, 41}, 41},
	{"add.cc.u32 %t, %a, %b; addc.cc.u32 %t, %c, 0; addc.u32 %d, 0, 0;", "wwww",
		{0xffffffff, 1, 0xffffffff}, 1},
	{"mad.lo.cc.u32 %t, %a, %b, %c; addc.u32 %d, 0, 0;", "wwww", {0xffff, 0x10001, 1}, 1},
	{"mad.lo.cc.u32 %t, %a, %b, %c; madc.hi.u32 %d, %a, %b, 7;", "wwww",
		{0x80000000, 2, 0xffffffff}, 8},
	{"mad.hi.cc.u32 %t, %a, %b, %c; addc.u32 %d, 0, 0;", "wwww", {0x80000000, 2, 0xffffffff},
		1},
	/* The adder's carry: after sub.cc 1 where there was no borrow, which addc adds; and subc
	 * takes 1 away where there was no carry. As ptxas has it, where the PTX ISA has a borrow.
	 */
	{"sub.cc.u32 %t, %a, %b; addc.u32 %d, %c, 0;", "wwww", {0, 1, 41}, 41},
	{"sub.cc.u32 %t, %a, %b; addc.u32 %d, %c, 0;", "wwww", {1, 1, 41}, 42},
	{"sub.cc.u64 %u, %a, %b; addc.u64 %d, %c, 0;", "dddd", {0, 1, 41}, 41},
	{"sub.cc.u64 %u, %a, %b; addc.u64 %d, %c, 0;", "dddd", {1ull << 63, 1, 41}, 42},
	{"add.cc.u32 %t, %a, %b; subc.u32 %d, %c, 0;", "wwww", {0xffffffff, 1, 41}, 41},
	{"add.cc.u32 %t, %a, %b; subc.u32 %d, %c, 0;", "wwww", {1, 1, 41}, 40},
	{"sub.cc.u32 %t, %a, %b; madc.lo.u32 %d, %c, 2, 1;", "wwww", {5, 3, 20}, 42},
	/* of three words: the borrow goes on through the middle one, or ends in it */
	{"sub.cc.u32 %t, %a, %b; subc.cc.u32 %t, %c, 1; subc.u32 %d, 9, 0;", "wwww", {0, 1, 0}, 8},
	{"sub.cc.u32 %t, %a, %b; subc.cc.u32 %t, %c, 1; subc.u32 %d, 9, 0;", "wwww", {0, 1, 2}, 9},
	{"and.b32 %d, %a, %b;", "www", {0xff00ff00, 0x0ff00ff0}, 0x0f000f00},
	{"or.b64 %d, %a, %b;", "ddd", {0xff00, 0x00f0}, 0xfff0},
	{"xor.b16 %d, %a, %b;", "hhh", {0xff00, 0x0ff0}, 0xf0f0},
	{"not.b32 %d, %a;", "ww", {0x0f0f0f0f}, 0xf0f0f0f0},
	{"cnot.b32 %d, %a;", "ww", {0}, 1},
	{"cnot.b64 %d, %a;", "dd", {0x100000000}, 0},
	{"and.pred %d, %a, %b;", "ppp", {1, 0}, 0},
	{"or.pred %d, %a, %b;", "ppp", {1, 0}, 1},
	{"xor.pred %d, %a, %b;", "ppp", {1, 1}, 0},
	{"not.pred %d, %a;", "pp", {1}, 0},
	{"mov.pred %d, %a;", "pp", {1}, 1},
	{"shl.b32 %d, %a, %b;", "www", {1, 31}, 0x80000000},
	{"shl.b32 %d, %a, %b;", "www", {1, 32}, 0},
	{"shl.b16 %d, %a, %b;", "hhw", {1, 15}, 0x8000},
	{"shl.b64 %d, %a, %b;", "ddw", {1, 1000}, 0},
	{"shr.u32 %d, %a, %b;", "www", {0x80000000, 40}, 0},
	{"shr.s32 %d, %a, %b;", "www", {0x80000000, 40}, 0xffffffff},
	{"shr.s16 %d, %a, %b;", "hhw", {0x8000, 3}, 0xf000},
	{"shr.s64 %d, %a, %b;", "ddw", {0x8000000000000000, 63}, ~0ull},
	{"shf.l.wrap.b32 %d, %a, %b, %c;", "wwww", {0x80000000, 1, 33}, 3},
	{"shf.l.clamp.b32 %d, %a, %b, %c;", "wwww", {0x80000000, 1, 40}, 0x80000000},
	{"shf.r.wrap.b32 %d, %a, %b, %c;", "wwww", {2, 1, 1}, 0x80000001},
	{"shf.r.clamp.b32 %d, %a, %b, %c;", "wwww", {2, 5, 99}, 5},
	{"lop3.b32 %d, %a, %b, %c, 0x96;", "wwww", {0xff00ff00, 0x0ff00ff0, 0x12345678},
		0xe2c4a688},
	{"lop3.b32 %d, %a, %b, %c, 0xca;", "wwww", {0xff00ff00, 0x11111111, 0x22222222},
		0x11221122},
	{"setp.ne.u32 %q, %a, %c; lop3.or.b32 %t|%d, %a, %b, 0, 0xc0, %q;", "pwww",
		{0xff00, 0x00ff, 0xff00}, 0},
	{"setp.ne.u32 %q, %a, %c; lop3.or.b32 %t|%d, %a, %b, 0, 0xc0, %q;", "pwww",
		{0xff00, 0x0100, 0xff00}, 1},
	{"setp.ne.u32 %q, %a, %c; lop3.and.b32 _|%d, %a, %b, 0, 0xc0, !%q;", "pwww",
		{0xff00, 0x0100, 0xff00}, 1},
	{"setp.ne.u32 %q, %a, %c; lop3.and.b32 %d|%q, %a, %b, 0, 0xc0, %q;", "wwww",
		{0xff00, 0x0ff0, 0xff00}, 0x0f00},
	{"bmsk.clamp.b32 %d, %a, %b;", "www", {4, 8}, 0xff0},
	{"bmsk.clamp.b32 %d, %a, %b;", "www", {28, 8}, 0xf0000000},
	{"bmsk.clamp.b32 %d, %a, %b;", "www", {32, 8}, 0},
	{"bmsk.clamp.b32 %d, %a, %b;", "www", {0, 32}, 0xffffffff},
	{"bmsk.wrap.b32 %d, %a, %b;", "www", {36, 40}, 0xff0},
	{"bmsk.wrap.b32 %d, %a, %b;", "www", {4, 32}, 0},
	{"szext.clamp.s32 %d, %a, %b;", "www", {0xabcd, 8}, 0xffffffcd},
	{"szext.clamp.u32 %d, %a, %b;", "www", {0xabcd, 8}, 0xcd},
	{"szext.clamp.s32 %d, %a, %b;", "www", {0x8000abcd, 40}, 0x8000abcd},
	{"szext.wrap.s32 %d, %a, %b;", "www", {0xabcd, 40}, 0xffffffcd},
	{"szext.wrap.s32 %d, %a, %b;", "www", {0xabcd, 32}, 0},
	{"bfe.u32 %d, %a, %b, %c;", "wwww", {0xabcd1234, 8, 8}, 0x12},
	{"bfe.s32 %d, %a, %b, %c;", "wwww", {0x0000f000, 12, 4}, 0xffffffff},
	{"bfe.s32 %d, %a, %b, %c;", "wwww", {0x80000000, 28, 20}, 0xfffffff8},
	{"bfe.u32 %d, %a, %b, %c;", "wwww", {0xffffffff, 40, 4}, 0},
	{"bfe.s32 %d, %a, %b, %c;", "wwww", {0x80000000, 40, 4}, 0xffffffff},
	{"bfe.u64 %d, %a, %b, %c;", "ddww", {0xabcd123400000000, 40, 8}, 0x12},
	{"bfi.b32 %d, %a, %b, %c, %e;", "wwwww", {0xab, 0x11111111, 8, 8}, 0x1111ab11},
	{"bfi.b32 %d, %a, %b, %c, %e;", "wwwww", {0xab, 0x11111111, 32, 8}, 0x11111111},
	{"bfi.b64 %d, %a, %b, %c, %e;", "dddww", {0xff, 0, 60, 8}, 0xf000000000000000},
	{"bfind.u32 %d, %a;", "ww", {0x00010000}, 16},
	{"bfind.u32 %d, %a;", "ww", {0}, 0xffffffff},
	{"bfind.s32 %d, %a;", "ww", {0xfffffff0}, 3},
	{"bfind.shiftamt.u32 %d, %a;", "ww", {0x00010000}, 15},
	{"bfind.u64 %d, %a;", "wd", {0x100000000}, 32},
	{"bfind.shiftamt.s64 %d, %a;", "wd", {~0ull}, 0xffffffff},
	{"brev.b32 %d, %a;", "ww", {0x00000012}, 0x48000000},
	{"brev.b64 %d, %a;", "dd", {0x12}, 0x4800000000000000},
	{"clz.b32 %d, %a;", "ww", {0x00800000}, 8},
	{"clz.b64 %d, %a;", "wd", {0}, 64},
	{"popc.b32 %d, %a;", "ww", {0xf0f0f001}, 13},
	{"popc.b64 %d, %a;", "wd", {~0ull}, 64},
	{"fns.b32 %d, %a, %b, %c;", "wwww", {0xaaaaaaaa, 3, 2}, 5},
	{"fns.b32 %d, %a, %b, %c;", "wwww", {0xaaaaaaaa, 3, 0xffffffff}, 3},
	{"fns.b32 %d, %a, %b, %c;", "wwww", {0xaaaaaaaa, 4, 0}, 0xffffffff},
	{"fns.b32 %d, %a, %b, %c;", "wwww", {0x00000001, 5, 0xfffffffe}, 0xffffffff},
	{"prmt.b32 %d, %a, %b, %c;", "wwww", {0x33221100, 0x77665544, 0x7531}, 0x77553311},
	{"prmt.b32 %d, %a, %b, %c;", "wwww", {0x33228100, 0x77665544, 0x0999}, 0x00ffffff},
	{"prmt.b32.f4e %d, %a, %b, %c;", "wwww", {0x33221100, 0x77665544, 1}, 0x44332211},
	{"prmt.b32.b4e %d, %a, %b, %c;", "wwww", {0x33221100, 0x77665544, 1}, 0x66770011},
	{"prmt.b32.rc8 %d, %a, %b, %c;", "wwww", {0x33221100, 0, 2}, 0x22222222},
	{"prmt.b32.ecl %d, %a, %b, %c;", "wwww", {0x33221100, 0, 1}, 0x33221111},
	{"prmt.b32.ecr %d, %a, %b, %c;", "wwww", {0x33221100, 0, 2}, 0x22221100},
	{"prmt.b32.rc16 %d, %a, %b, %c;", "wwww", {0x33221100, 0, 1}, 0x33223322},
	/* b lowest, a above it, then c's low bits; both at their bounds where they have no room. */
	{"cvt.pack.sat.s16.s32 %d, %a, %b;", "www", {5, -2}, 0x0005fffe},
	{"cvt.pack.sat.s16.s32 %d, %a, %b;", "www", {40000, -40000}, 0x7fff8000},
	{"cvt.pack.sat.s16.s32 %d, %a, %b;", "www", {32767, -32768}, 0x7fff8000},
	{"cvt.pack.sat.u16.s32 %d, %a, %b;", "www", {-1, 70000}, 0x0000ffff},
	{"cvt.pack.sat.u16.s32 %d, %a, %b;", "www", {65535, 0x80000000}, 0xffff0000},
	{"cvt.pack.sat.s8.s32.b32 %d, %a, %b, %c;", "wwww", {300, -300, 0xabcd1234}, 0x12347f80},
	{"cvt.pack.sat.s8.s32.b32 %d, %a, %b, %c;", "wwww", {-1, 1, 0}, 0x0000ff01},
	{"cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;", "wwww", {256, -1, 0xffff8001}, 0x8001ff00},
	{"cvt.pack.sat.s4.s32.b32 %d, %a, %b, %c;", "wwww", {8, -9, 0x12345678}, 0x34567878},
	{"cvt.pack.sat.s4.s32.b32 %d, %a, %b, %c;", "wwww", {-3, 6, 0}, 0x000000d6},
	{"cvt.pack.sat.u4.s32.b32 %d, %a, %b, %c;", "wwww", {16, -5, 0x12345678}, 0x345678f0},
	{"cvt.pack.sat.s2.s32.b32 %d, %a, %b, %c;", "wwww", {2, -3, 0xf0000001}, 0x00000016},
	{"cvt.pack.sat.s2.s32.b32 %d, %a, %b, %c;", "wwww", {-1, 0, 0}, 0x0000000c},
	{"cvt.pack.sat.u2.s32.b32 %d, %a, %b, %c;", "wwww", {4, 2, 0x0123456f}, 0x123456fe},
	{"vadd.s32.s32.s32 %d, %a, %b;", "www", {0xffffffff, 5}, 4},
	{"vadd.u32.u32.u32.sat %d, %a, %b;", "www", {0xffffffff, 5}, 0xffffffff},
	{"vadd.s32.s32.u32 %d, %a.b1, %b.h1;", "www", {0x0000fe00, 0x00030000}, 1},
	{"vadd.u32.u32.u32.sat %d.b2, %a.b0, %b.b0, %c;", "wwww", {0xf0, 0xf0, 0x11223344},
		0x11ff3344},
	{"vsub.s32.u32.u32.sat %d, %a, %b;", "www", {0, 0xffffffff}, 0x80000000},
	{"vsub.u32.u32.u32.sat.add %d, %a, %b, %c;", "wwww", {3, 5, 7}, 7},
	{"vabsdiff.u32.s32.s32 %d, %a, %b;", "www", {0x80000000, 0x7fffffff}, 0xffffffff},
	{"vabsdiff.u32.u32.u32.add %d, %a.b0, %b.b0, %c;", "wwww", {9, 4, 100}, 105},
	{"vmin.s32.s32.u32 %d, %a, %b;", "www", {0xffffffff, 1}, 0xffffffff},
	{"vmax.s32.u32.u32.max %d, %a.h0, %b.h0, %c;", "wwww", {3, 4, 0xfffffff0}, 4},
	{"vshl.u32.u32.u32.clamp %d, %a, %b;", "www", {1, 33}, 0},
	{"vshl.u32.u32.u32.wrap %d, %a, %b;", "www", {1, 33}, 2},
	{"vshl.u32.u32.u32.sat.clamp %d, %a, %b;", "www", {0x80000001, 1}, 0xffffffff},
	{"vshr.s32.s32.u32.clamp %d, %a, %b;", "www", {0x80000000, 99}, 0xffffffff},
	/* What is compared with c has 33 bits and a sign; c has d's type. */
	{"vsub.u32.u32.u32.min %d, %a, %b, %c;", "wwww", {0, 1, 5}, 0xffffffff},
	{"vsub.u32.u32.u32.max %d, %a, %b, %c;", "wwww", {0, 1, 5}, 5},
	{"vsub.u32.u32.u32.sat.min %d, %a, %b, %c;", "wwww", {0, 1, 5}, 0},
	{"vadd.s32.s32.s32.min %d, %a, %b, %c;", "wwww", {0x7fffffff, 1, 5}, 5},
	{"vadd.s32.s32.s32.max %d, %a, %b, %c;", "wwww", {0x7fffffff, 1, 0xffffffff}, 0x80000000},
	{"vadd.u32.u32.u32.max %d, %a, %b, %c;", "wwww", {3, 1, 0x80000000}, 0x80000000},
	{"vadd.u32.u32.u32.min %d, %a, %b, %c;", "wwww", {0xffffffff, 2, 5}, 1},
	{"vmad.s32.s32.s32 %d, %a.h0, %b.h0, %c;", "wwww", {0xffff, 5, 7}, 2},
	{"vmad.u32.u32.u32.sat %d, %a, %b, %c;", "wwww", {0xffffffff, 2, 0}, 0xffffffff},
	{"vmad.s32.u32.u32.shr7 %d, -%a, %b, %c;", "wwww", {256, 2, 0}, 0xfffffffc},
	{"vmad.u32.u32.u32.po.shr15 %d, %a, %b, %c;", "wwww", {0x8000, 4, 0x7fff}, 5},
	{"vset.s32.u32.lt %d, %a, %b;", "www", {0xffffffff, 0xffffffff}, 1},
	{"vset.u32.u32.ge.add %d, %a.b3, %b.b3, %c;", "wwww", {0x05000000, 0x04000000, 6}, 7},
	{"vadd2.s32.s32.s32.sat %d, %a, %b, %c;", "wwww", {0x7fff0001, 0x00010002, 0}, 0x7fff0003},
	{"vsub2.u32.u32.u32 %d.h0, %a, %b, %c;", "wwww", {0x00050005, 0x00010001, 0xabcd1234},
		0xabcd0004},
	{"vavrg2.s32.s32.s32 %d, %a, %b, %c;", "wwww", {0x0003fffd, 0x00040000, 0}, 0x0004fffe},
	{"vabsdiff2.u32.u32.u32.add %d, %a, %b, %c;", "wwww", {0x00050009, 0x00010001, 100}, 112},
	{"vmin2.s32.s32.s32 %d, %a.h01, %b, %c;", "wwww", {0xffff0001, 0x00020003, 0}, 0x0001ffff},
	{"vmax2.u32.u32.u32 %d, %a, %b.h11, %c;", "wwww", {0x00090001, 0x77770004, 0}, 0x00090009},
	{"vset2.u32.u32.eq %d, %a, %b, %c;", "wwww", {0x00020001, 0x00020003, 0}, 0x00010000},
	{"vadd4.u32.u32.u32.sat %d, %a, %b, %c;", "wwww", {0xff010203, 0x01010101, 0}, 0xff020304},
	{"vsub4.s32.s32.s32 %d, %a, %b, %c;", "wwww", {0x00010203, 0x01010101, 0}, 0xff000102},
	{"vavrg4.u32.u32.u32 %d, %a, %b, %c;", "wwww", {0x01020304, 0x02020202, 0}, 0x02020303},
	{"vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", "wwww", {0x01020304, 0x04030201, 1000}, 1008},
	{"vmin4.s32.s32.s32 %d.b31, %a, %b, %c;", "wwww", {0xff02ff04, 0x01010101, 0x55555555},
		0xff55ff55},
	{"vmax4.u32.u32.u32 %d, %a.b0123, %b, %c;", "wwww", {0x01020304, 0x02020202, 0},
		0x04030202},
	{"vset4.u32.u32.gt.add %d, %a, %b.b7654, %c;", "wwww", {0x05010601, 0x04040404, 10}, 12},
	{"selp.b32 %d, %a, %b, %c;", "wwwp", {5, 6, 1}, 5},
	{"selp.b64 %d, %a, %b, %c;", "dddp", {5, 6, 0}, 6},
	{"selp.b16 %d, %a, %b, %c;", "hhhp", {5, 6, 0}, 6},
	{"slct.u32.s32 %d, %a, %b, %c;", "wwww", {5, 6, 0xffffffff}, 6},
	{"slct.b64.f32 %d, %a, %b, %c;", "dddw", {5, 6, 0x80000000}, 5},
	{"slct.f32.f32 %d, %a, %b, %c;", "wwww", {5, 6, 0x7fc00000}, 6},
	{"slct.ftz.u32.f32 %d, %a, %b, %c;", "wwww", {5, 6, 0x80000001}, 5},
	{"mov.b64 %d, {%a, %b};", "dww", {0x11111111, 0x22222222}, 0x2222222211111111},
	{"mov.b64 {%t, %d}, %a;", "wd", {0x2222222211111111}, 0x22222222},
	{"mov.b32 %d, {%a, %b};", "whh", {0x1111, 0x2222}, 0x22221111},
	{"mov.b32 {%h, %d}, %a;", "hw", {0x22221111}, 0x2222},
	{"mov.b64 {_, %h, %d, _}, %a;", "hd", {0x4444333322221111}, 0x3333},
	{".reg .b8 %y<4>; cvt.u8.u16 %y0, %a; cvt.u8.u16 %y1, %b; cvt.u8.u16 %y2, %c; "
	 "cvt.u8.u16 %y3, %e; mov.b32 %d, {%y0, %y1, %y2, %y3};",
		"whhhh", {0x91, 0x82, 3, 4}, 0x04038291},
	{"mov.b32 %d, {-1, 2, 3, -4};", "ww", {0}, 0xfc0302ff},
	{".reg .b8 %y<4>; mov.b32 {%y0, %y1, %y2, %y3}, %a; mov.b32 %d, {%y3, %y2, %y1, %y0};",
		"ww", {0x84039201}, 0x01920384},
	{".reg .b8 %y<4>; mov.b32 {_, _, %y2, _}, %a; cvt.u32.u8 %d, %y2;", "ww", {0x84a39201},
		0xa3},
	{".reg .b8 %y<2>; mov.b16 {%y0, %y1}, %a; mov.b16 %d, {%y1, %y0};", "hh", {0x9281}, 0x8192},
	/* atomics: on the memory that a came from; what is there afterwards */
	{"atom.global.add.u32 %d, [%at1], %b;", "www", {40, 2}, 40},
	{"atom.global.add.u32 %d, [%at1], %b; ld.global.u32 %d, [%at1];", "www", {40, 2}, 42},
	{"atom.global.add.u64 %d, [%at1], %b; ld.global.u64 %d, [%at1];", "ddd", {0xffffffff, 1},
		0x100000000},
	{"atom.global.add.s32 %d, [%at1], %b; ld.global.s32 %d, [%at1];", "www", {0xffffffff, 3},
		2},
	{"atom.global.add.f32 %d, [%at1], %b; ld.global.f32 %d, [%at1];", "www",
		{0x3f800000, 0x40000000}, 0x40400000},
	{"atom.global.add.f32 %d, [%at1], %b; ld.global.f32 %d, [%at1];", "www",
		{0x00000001, 0x00000001}, 0},
	{"atom.global.add.f64 %d, [%at1], %b; ld.global.f64 %d, [%at1];", "ddd",
		{0x3ff0000000000000, 0x3ff0000000000000}, 0x4000000000000000},
	{"atom.global.add.noftz.f16x2 %d, [%at1], %b; ld.global.b32 %d, [%at1];", "www",
		{0x3c003c00, 0x40003c00}, 0x42004000},
	{"atom.global.min.s32 %d, [%at1], %b; ld.global.s32 %d, [%at1];", "www", {5, 0xffffffff},
		0xffffffff},
	{"atom.global.min.u32 %d, [%at1], %b; ld.global.u32 %d, [%at1];", "www", {5, 0xffffffff},
		5},
	{"atom.global.max.s64 %d, [%at1], %b; ld.global.s64 %d, [%at1];", "ddd",
		{5, 0xffffffffffffffff}, 5},
	{"atom.global.max.u64 %d, [%at1], %b; ld.global.u64 %d, [%at1];", "ddd",
		{5, 0xffffffffffffffff}, 0xffffffffffffffff},
	{"atom.global.inc.u32 %d, [%at1], %b; ld.global.u32 %d, [%at1];", "www", {7, 7}, 0},
	{"atom.global.inc.u32 %d, [%at1], %b; ld.global.u32 %d, [%at1];", "www", {6, 7}, 7},
	{"atom.global.dec.u32 %d, [%at1], %b; ld.global.u32 %d, [%at1];", "www", {0, 7}, 7},
	{"atom.global.dec.u32 %d, [%at1], %b; ld.global.u32 %d, [%at1];", "www", {9, 7}, 7},
	{"atom.global.dec.u32 %d, [%at1], %b; ld.global.u32 %d, [%at1];", "www", {3, 7}, 2},
	{"atom.global.and.b32 %d, [%at1], %b; ld.global.b32 %d, [%at1];", "www", {0xff00, 0x0ff0},
		0x0f00},
	{"atom.global.or.b32 %d, [%at1], %b; ld.global.b32 %d, [%at1];", "www", {0xff00, 0x0ff0},
		0xfff0},
	{"atom.global.xor.b64 %d, [%at1], %b; ld.global.b64 %d, [%at1];", "ddd", {0xff00, 0x0ff0},
		0xf0f0},
	{"atom.global.exch.b32 %d, [%at1], %b; ld.global.b32 %d, [%at1];", "www", {5, 6}, 6},
	{"atom.global.cas.b32 %d, [%at1], %b, %c; ld.global.b32 %d, [%at1];", "wwww", {5, 5, 9}, 9},
	{"atom.global.cas.b64 %d, [%at1], %b, %c; ld.global.b64 %d, [%at1];", "dddd", {5, 6, 9}, 5},
	{"atom.global.cas.b16 %d, [%at1], %b, %c; ld.global.b16 %d, [%at1];", "hhhh",
		{0x8005, 0x8005, 9}, 9},
	{"red.global.add.u32 [%at1], %b; ld.global.u32 %d, [%at1];", "www", {40, 2}, 42},
	{"red.max.s32 [%at1], %b; ld.u32 %d, [%at1];", "www", {0xffffffff, 2}, 2},
	/* moves, and what does nothing */
	{"membar.gl; fence.acq_rel.gpu; mov.f32 %d, 0f3FC00000;", "ww", {0}, 0x3fc00000},
	{"fence.mbarrier_init.release.cluster; fence.proxy.alias; fence.proxy.async; "
	 "fence.proxy.async.global; fence.proxy.async.shared::cta; membar.proxy.alias; "
	 "membar.proxy.async.shared::cluster; mov.b32 %d, %a;",
		"ww", {3}, 3},
	{"mov.f32 %d, 1.5;", "ww", {0}, 0x3fc00000},
	/* constant expressions */
	{"mov.u32 %d, (1<<4)|3;", "ww", {0}, 0x13},
	{"add.s32 %d, %a, -2+3*4-1;", "ww", {1}, 10},
	{"mov.b32 %d, ~1&0xff^!0^!7;", "ww", {0}, 0xff},
	{"mov.s32 %d, -7/2*10 + -7 % 4;", "ww", {0}, 0xffffffdf},
	{"mov.s64 %d, -16>>2;", "dd", {0}, 0xfffffffffffffffc},
	{"mov.u64 %d, 0xfffffffffffffff0>>60U;", "dd", {0}, 15},
	{"mov.u32 %d, 1 < 2 && -1 < 0 || 0 ? 3 >= 3 ? 5 : 6 : 7;", "ww", {0}, 5},
	{"mov.u32 %d, (-1 > 1U) + 2 * (3 != 3) + 4 * (3 == 3) + 8 * (2 <= 1);", "ww", {0}, 5},
	{"mov.s64 %d, (1<<63)/-1;", "dd", {0}, 0x8000000000000000},
	{"lop3.b32 %d, %a, %b, %c, (0xf0 & 0xcc) ^ 0xaa;", "wwww", {3, 5, 1}, 0},
	{"ld.global.u32 %d, [%at1+2*4-8];", "ww", {3}, 3},
	{"mov.f64 %d, 1.5;", "dd", {0}, 0x3ff8000000000000},
	{"prefetch.global.L2 [%at1]; nanosleep.u32 5; mov.b32 %d, %a;", "ww", {3}, 3},
	{"pmevent 3; pmevent.mask 7; mov.b32 %d, %a;", "ww", {3}, 3},
	{"prefetchu.L1 [%at1]; prefetch.global.L2::evict_last [%at1]; mov.b32 %d, %a;", "ww", {3},
		3},
	{"discard.global.L2 [%at0], 128; applypriority.global.L2::evict_normal [%at0], 128; "
	 "mov.b32 %d, %a;",
		"ww", {3}, 3},
	{"griddepcontrol.wait; griddepcontrol.launch_dependents; mov.u32 %d, %envreg7;", "ww", {3},
		0},
	{"createpolicy.fractional.L2::evict_last.b64 %u, 1.0; "
	 "ld.global.L1::no_allocate.L2::cache_hint.u32 %d, [%at1], %u;",
		"ww", {3}, 3},
	{"createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %u, [%at1], 64, 128; "
	 "st.global.L2::cache_hint.u32 [%at1], %b, %u; ld.global.u32 %d, [%at1];",
		"www", {3, 4}, 4},
	{"createpolicy.cvt.L2.b64 %u, %off; "
	 "atom.global.add.L2::cache_hint.u32 %t, [%at1], %b, %u; "
	 "red.global.add.L2::cache_hint.u32 [%at1], %b, %u; ld.global.u32 %d, [%at1];",
		"www", {3, 4}, 11},
	/* of -2.5, -1.5, -0.5 and 0.5 in four lanes each */
	{"mov.u32 %t, %laneid; and.b32 %t, %t, 3; cvt.rn.f32.u32 %t, %t; sub.f32 %t, %t, 2.5; "
	 "redux.sync.min.f32 %d, %t, -1;",
		"ww", {0}, 0xc0200000},
	{"mov.u32 %t, %laneid; and.b32 %t, %t, 3; cvt.rn.f32.u32 %t, %t; sub.f32 %t, %t, 2.5; "
	 "redux.sync.max.f32 %d, %t, -1;",
		"ww", {0}, 0x3f000000},
	{"mov.u32 %t, %laneid; and.b32 %t, %t, 3; cvt.rn.f32.u32 %t, %t; sub.f32 %t, %t, 2.5; "
	 "redux.sync.min.abs.f32 %d, %t, -1;",
		"ww", {0}, 0x3f000000},
	{"mov.u32 %t, %laneid; and.b32 %t, %t, 3; cvt.rn.f32.u32 %t, %t; sub.f32 %t, %t, 2.5; "
	 "redux.sync.max.abs.NaN.f32 %d, %t, 5;",
		"ww", {0}, 0x40200000},
	{"mov.u32 %t, %laneid; and.b32 %t, %t, 3; cvt.rn.f32.u32 %t, %t; sub.f32 %t, %t, 2.5; "
	 "sqrt.rn.f32 %t, %t; redux.sync.min.f32 %d, %t, -1;",
		"ww", {0}, 0x3f3504f3},
	{"mov.u32 %t, %laneid; and.b32 %t, %t, 3; cvt.rn.f32.u32 %t, %t; sub.f32 %t, %t, 2.5; "
	 "sqrt.rn.f32 %t, %t; redux.sync.min.NaN.f32 %d, %t, -1;",
		"ww", {0}, 0x7fffffff},
	{"setp.lt.f16 %d, %a, %b;", "phh", {0x8001, 0}, 1},
	{"cvt.rn.f16.f32 %d, %a;", "hw", {0x7fc00000}, 0x7fff},
	/* comparisons */
	{"setp.lt.s32 %d, %a, %b;", "pww", {0xffffffff, 0}, 1},
	{"setp.lt.u32 %d, %a, %b;", "pww", {0xffffffff, 0}, 0},
	{"setp.lo.u32 %d, %a, %b;", "pww", {0xffffffff, 0}, 0},
	{"setp.hs.u64 %d, %a, %b;", "pdd", {~0ull, 0}, 1},
	{"setp.ls.u32 %d, %a, %b;", "pww", {3, 3}, 1},
	{"setp.hi.u32 %d, %a, %b;", "pww", {3, 3}, 0},
	{"setp.ge.s16 %d, %a, %b;", "phh", {0x8000, 0}, 0},
	{"setp.eq.b16 %d, %a, %b;", "phh", {0x8000, 0x8000}, 1},
	{"setp.ne.b64 %d, %a, %b;", "pdd", {1ull << 40, 0}, 1},
	{"setp.eq.and.s32 %d, %a, %b, %c;", "pwwp", {3, 3, 0}, 0},
	{"setp.eq.and.s32 %d, %a, %b, !%c;", "pwwp", {3, 3, 0}, 1},
	{"setp.eq.or.s32 %d, %a, %b, %c;", "pwwp", {3, 4, 1}, 1},
	{"setp.eq.xor.s32 %d, %a, %b, %c;", "pwwp", {3, 3, 1}, 0},
	{"setp.eq.and.s32 %q|%d, %a, %b, %c;", "pwwp", {3, 4, 1}, 1},
	{"setp.eq.and.s32 %q|%d, %a, %b, %c;", "pwwp", {3, 4, 0}, 0},
	{"setp.lt.f32 %d, %a, %b;", "pww", {0xff800000, 0}, 1},
	{"setp.eq.f32 %d, %a, %b;", "pww", {0x80000000, 0}, 1},
	{"setp.ne.f32 %d, %a, %b;", "pww", {0x7fc00000, 0}, 0},
	{"setp.neu.f32 %d, %a, %b;", "pww", {0x7fc00000, 0}, 1},
	{"setp.equ.f32 %d, %a, %b;", "pww", {0x7fc00000, 0}, 1},
	{"setp.ltu.f64 %d, %a, %b;", "pdd", {0x7ff8000000000000, 0}, 1},
	{"setp.num.f32 %d, %a, %b;", "pww", {0x7fc00000, 0}, 0},
	{"setp.nan.f64 %d, %a, %b;", "pdd", {0, 0x7ff8000000000000}, 1},
	{"setp.gt.ftz.f32 %d, %a, %b;", "pww", {1, 0}, 0},
	{"setp.gt.f32 %d, %a, %b;", "pww", {1, 0}, 1},
	{"setp.lt.f16x2 %q|%d, %a, %b;", "pww", {0x3c004000, 0x40003c00}, 1},
	{"set.eq.u32.s32 %d, %a, %b;", "www", {3, 3}, 0xffffffff},
	{"set.eq.f32.s32 %d, %a, %b;", "www", {3, 3}, 0x3f800000},
	{"set.lt.s32.f64 %d, %a, %b;", "wdd", {0, 0x3ff0000000000000}, 0xffffffff},
	{"set.lt.and.u32.f32 %d, %a, %b, %c;", "wwwp", {0, 0x3f800000, 0}, 0},
	{"testp.finite.f32 %d, %a;", "pw", {0x7f800000}, 0},
	{"testp.infinite.f32 %d, %a;", "pw", {0xff800000}, 1},
	{"testp.number.f32 %d, %a;", "pw", {0x7f800000}, 1},
	{"testp.notanumber.f64 %d, %a;", "pd", {0x7ff0000000000001}, 1},
	{"testp.normal.f32 %d, %a;", "pw", {0x00800000}, 1},
	/* PTX ISA: "positive and negative zero are considered normal numbers". */
	{"testp.normal.f32 %d, %a;", "pw", {0x80000000}, 1},
	{"testp.normal.f64 %d, %a;", "pd", {0}, 1},
	{"testp.normal.f64 %d, %a;", "pd", {1}, 0},
	{"testp.subnormal.f32 %d, %a;", "pw", {0x80000000}, 0},
	{"testp.subnormal.f32 %d, %a;", "pw", {0x007fffff}, 1},
	{"isspacep.shared %d, %a;", "pd", {TR_SHARED_WINDOW + 8}, 1},
	{"isspacep.global %d, %a;", "pd", {PTX_MEMORY_FIRST}, 1},
	{"isspacep.local %d, %a;", "pd", {TR_SHARED_WINDOW}, 0},
	{"cvta.to.shared.u64 %d, %a;", "dd", {TR_SHARED_WINDOW + 24}, 24},
	{"cvta.local.u64 %d, %a;", "dd", {24}, TR_LOCAL_WINDOW + 24},
	{"cvta.global.u64 %d, %a;", "dd", {24}, 24},
	/* floats */
	{"add.f32 %d, %a, %b;", "www", {0x7f800000, 0xff800000}, 0x7fffffff},
	{"add.ftz.f32 %d, %a, %b;", "www", {0x00000001, 0x80000001}, 0},
	{"add.rz.f32 %d, %a, %b;", "www", {0x3f800000, 0x33c00000}, 0x3f800000},
	{"add.rp.f32 %d, %a, %b;", "www", {0x3f800000, 0x00000001}, 0x3f800001},
	{"add.rm.f32 %d, %a, %b;", "www", {0xbf800000, 0x80000001}, 0xbf800001},
	{"add.rm.f32 %d, %a, %b;", "www", {0x3f800000, 0xbf800000}, 0x80000000},
	{"add.sat.f32 %d, %a, %b;", "www", {0x3f800000, 0x3f800000}, 0x3f800000},
	{"add.sat.f32 %d, %a, %b;", "www", {0x7fc00000, 0x3f800000}, 0},
	{"mul.f32 %d, %a, %b;", "www", {0, 0x7f800000}, 0x7fffffff},
	{"mul.ftz.f32 %d, %a, %b;", "www", {0x80800000, 0x3f000000}, 0x80000000},
	{"mul.rp.f64 %d, %a, %b;", "ddd", {1, 0x3fe0000000000000}, 1},
	{"fma.rn.f32 %d, %a, %b, %c;", "wwww", {0x3f800001, 0x3f800001, 0xbf800002}, 0x28800000},
	{"fma.rz.sat.f32 %d, %a, %b, %c;", "wwww", {0x40000000, 0x40000000, 0}, 0x3f800000},
	{"mad.rn.f64 %d, %a, %b, %c;", "dddd",
		{0x4000000000000000, 0x4008000000000000, 0x3ff0000000000000}, 0x401c000000000000},
	{"div.rn.f32 %d, %a, %b;", "www", {0x3f800000, 0x40400000}, 0x3eaaaaab},
	{"div.rz.f32 %d, %a, %b;", "www", {0x3f800000, 0x40400000}, 0x3eaaaaaa},
	{"div.full.f32 %d, %a, %b;", "www", {0x3f800000, 0}, 0x7f800000},
	{"div.approx.ftz.f32 %d, %a, %b;", "www", {0x40c00000, 0x40000000}, 0x40400000},
	/* PTX ISA: of a divisor above 2^126 the reciprocal is zero */
	{"div.approx.f32 %d, %a, %b;", "www", {0x7f000000, 0x7e800000}, 0x40000000},
	{"div.approx.f32 %d, %a, %b;", "www", {0x7f000000, 0x7f000000}, 0},
	{"div.approx.f32 %d, %a, %b;", "www", {0xff000000, 0x7e800001}, 0x80000000},
	{"div.approx.ftz.f32 %d, %a, %b;", "www", {0x7f000000, 0xff000000}, 0x80000000},
	{"div.approx.f32 %d, %a, %b;", "www", {0xff800000, 0x7f000000}, 0x7fffffff},
	{"div.approx.f32 %d, %a, %b;", "www", {0x3f800000, 0x7fc00000}, 0x7fffffff},
	{"div.full.f32 %d, %a, %b;", "www", {0x7f000000, 0x7f000000}, 0x3f800000},
	{"rcp.rn.f32 %d, %a;", "ww", {0x40400000}, 0x3eaaaaab},
	{"rcp.approx.ftz.f32 %d, %a;", "ww", {0x80000001}, 0xff800000},
	{"rcp.rm.f64 %d, %a;", "dd", {0x4008000000000000}, 0x3fd5555555555555},
	{"sqrt.rn.f32 %d, %a;", "ww", {0x40000000}, 0x3fb504f3},
	{"sqrt.rp.f32 %d, %a;", "ww", {0x40000000}, 0x3fb504f4},
	{"sqrt.approx.f32 %d, %a;", "ww", {0xbf800000}, 0x7fffffff},
	/* Flushed is what is too small once it has 24 bits; ptxas folds the first of each so. */
	{"mul.ftz.f32 %d, %a, %b;", "www", {0x00800000, 0x3f7fffff}, 0},
	{"mul.ftz.f32 %d, %a, %b;", "www", {0x80ffffff, 0x3f000000}, 0x80000000},
	{"mul.ftz.f32 %d, %a, %b;", "www", {0x00c00000, 0x3f2aaaab}, 0x00800000},
	{"mul.f32 %d, %a, %b;", "www", {0x00800000, 0x3f7fffff}, 0x00800000},
	{"mul.rp.ftz.f32 %d, %a, %b;", "www", {0x00800000, 0x3f7fffff}, 0},
	{"mul.rp.ftz.f32 %d, %a, %b;", "www", {0x00800001, 0x3f7ffffe}, 0x00800000},
	{"fma.rn.ftz.f32 %d, %a, %b, %c;", "wwww", {0x8083268d, 0x3f79d9a7, 0x01000000}, 0},
	{"fma.rn.ftz.f32 %d, %a, %b, %c;", "wwww", {0x00800001, 0x3f7ffffe, 0}, 0x00800000},
	{"div.rn.ftz.f32 %d, %a, %b;", "www", {0x00ffffff, 0x40000000}, 0},
	{"div.rp.ftz.f32 %d, %a, %b;", "www", {0x00eb663f, 0x3feb6640}, 0},
	{"rcp.rp.ftz.f32 %d, %a;", "ww", {0x7e800001}, 0},
	{"rcp.rn.ftz.f32 %d, %a;", "ww", {0x7e800000}, 0x00800000},
	{"cvt.rn.ftz.f32.f64 %d, %a;", "wd", {0x380fffffe0000000}, 0},
	{"cvt.rn.ftz.f32.f64 %d, %a;", "wd", {0x380ffffff0000000}, 0x00800000},
	/* ptxas takes .ftz here, and a rounding there. */
	{"rcp.rn.ftz.f64 %d, %a;", "dd", {0x40080000ffffffff}, 0x3fd5555471c725ee},
	{"fma.rz.bf16 %d, %a, %b, %c;", "hhhh", {0x3f81, 0x3f81, 0}, 0x3f82},
	{"fma.rp.bf16 %d, %a, %b, %c;", "hhhh", {0x3f81, 0x3f81, 0}, 0x3f83},
	{"selp.u32 %d, %a, %b, !1;", "www", {1, 0}, 0},
	{"selp.u32 %d, %a, %b, !0;", "www", {1, 0}, 1},
	{"vote.sync.ballot.b32 %d, !1, -1;", "w", {0}, 0},
	{"rsqrt.approx.f32 %d, %a;", "ww", {0x40800000}, 0x3f000000},
	{"rsqrt.approx.f32 %d, %a;", "ww", {0x80000000}, 0xff800000},
	{"rsqrt.approx.f64 %d, %a;", "dd", {0x4010000000000000}, 0x3fe0000000000000},
	{"rsqrt.approx.f64 %d, %a;", "dd", {0x4008000000000000}, 0x3fe279a74590331d},
	/* The .ftz forms of f64 see and give the high half, without subnormals. */
	{"rsqrt.approx.ftz.f64 %d, %a;", "dd", {0x40080000ffffffff}, 0x3fe279a700000000},
	{"rsqrt.approx.ftz.f64 %d, %a;", "dd", {0x000fffffffffffff}, 0x7ff0000000000000},
	{"rsqrt.approx.ftz.f64 %d, %a;", "dd", {0xbff0000000000000}, 0x7fffffff00000000},
	{"rcp.approx.ftz.f64 %d, %a;", "dd", {0x40080000ffffffff}, 0x3fd5555500000000},
	{"rcp.approx.ftz.f64 %d, %a;", "dd", {0x800fffffffffffff}, 0xfff0000000000000},
	{"rcp.approx.ftz.f64 %d, %a;", "dd", {0xffe0000000000000}, 0x8000000000000000},
	{"rcp.approx.ftz.f64 %d, %a;", "dd", {0x7ff8000000000000}, 0x7fffffff00000000},
	{"min.f32 %d, %a, %b;", "www", {0x7fc00000, 0x3f800000}, 0x3f800000},
	{"min.f32 %d, %a, %b;", "www", {0, 0x80000000}, 0x80000000},
	{"max.f32 %d, %a, %b;", "www", {0x80000000, 0}, 0},
	{"max.f64 %d, %a, %b;", "ddd", {0x7ff8000000000001, 0x7ff8000000000002},
		0x7fffffffffffffff},
	{"min.NaN.f32 %d, %a, %b;", "www", {0x7fc00000, 0x3f800000}, 0x7fffffff},
	{"max.xorsign.abs.f32 %d, %a, %b;", "www", {0xc0000000, 0x3f800000}, 0xc0000000},
	{"min.f32 %d, %a, %b, %c;", "wwww", {0x40400000, 0x40000000, 0x7fc00000}, 0x40000000},
	{"max.NaN.f32 %d, %a, %b, %c;", "wwww", {0x40400000, 0x40000000, 0x7fc00000}, 0x7fffffff},
	{"max.ftz.abs.f32 %d, %a, %b, %c;", "wwww", {0x40400000, 0xc0000000, 0xc0800000},
		0x40800000},
	{"min.abs.f32 %d, %a, %b, %c;", "wwww", {0xc0400000, 0x40000000, 0x40800000}, 0x40000000},
	{"max.NaN.abs.f32 %d, %a, %b, %c;", "wwww", {0xc0400000, 0x40000000, 0x40800000},
		0x40800000},
	{"neg.f32 %d, %a;", "ww", {0x3f800000}, 0xbf800000},
	{"neg.ftz.f32 %d, %a;", "ww", {0x00000001}, 0x80000000},
	{"abs.f64 %d, %a;", "dd", {0xbff0000000000000}, 0x3ff0000000000000},
	{"abs.ftz.f32 %d, %a;", "ww", {0x80000001}, 0},
	{"copysign.f32 %d, %a, %b;", "www", {0x80000000, 0x3f800000}, 0xbf800000},
	{"copysign.f64 %d, %a, %b;", "ddd", {0, 0xbff0000000000000}, 0x3ff0000000000000},
	{"sin.approx.f32 %d, %a;", "ww", {0x3f800000}, 0x3f576aa4},
	{"cos.approx.f32 %d, %a;", "ww", {0}, 0x3f800000},
	{"ex2.approx.f32 %d, %a;", "ww", {0x40400000}, 0x41000000},
	{"ex2.approx.ftz.f32 %d, %a;", "ww", {0xc3020000}, 0},
	{"ex2.approx.f32 %d, %a;", "ww", {0xc3020000}, 0x00080000},
	{"lg2.approx.f32 %d, %a;", "ww", {0x41000000}, 0x40400000},
	{"lg2.approx.ftz.f32 %d, %a;", "ww", {1}, 0xff800000},
	{"tanh.approx.f32 %d, %a;", "ww", {0x7f800000}, 0x3f800000},
	/* halves */
	{"add.f16 %d, %a, %b;", "hhh", {0x3c00, 0x3c00}, 0x4000},
	{"sub.f16 %d, %a, %b;", "hhh", {0x7c00, 0x7c00}, 0x7fff},
	{"mul.f16x2 %d, %a, %b;", "www", {0x40003c00, 0x42004000}, 0x46004000},
	{"fma.rn.f16 %d, %a, %b, %c;", "hhhh", {0x3c01, 0x3c01, 0xbc02}, 0x0010},
	{"fma.rn.sat.f16x2 %d, %a, %b, %c;", "wwww", {0x40004000, 0x4000c000, 0}, 0x3c000000},
	{"add.ftz.f16 %d, %a, %b;", "hhh", {0x0001, 0x8001}, 0},
	{"neg.f16 %d, %a;", "hh", {0x3c00}, 0xbc00},
	{"abs.f16x2 %d, %a;", "ww", {0xbc00bc00}, 0x3c003c00},
	{"neg.ftz.f16 %d, %a;", "hh", {0x03ff}, 0x8000},
	{"neg.ftz.f16x2 %d, %a;", "ww", {0x84000001}, 0x04008000},
	{"abs.ftz.f16 %d, %a;", "hh", {0x8001}, 0},
	{"abs.ftz.f16x2 %d, %a;", "ww", {0x84008001}, 0x04000000},
	{"min.f16 %d, %a, %b;", "hhh", {0x7e00, 0x3c00}, 0x3c00},
	{"max.NaN.f16x2 %d, %a, %b;", "www", {0x7e003c00, 0x3c004000}, 0x7fff4000},
	{"ex2.approx.f16 %d, %a;", "hh", {0x4000}, 0x4400},
	{"tanh.approx.f16x2 %d, %a;", "ww", {0x7c00fc00}, 0x3c00bc00},
	{"fma.rn.relu.f16 %d, %a, %b, %c;", "hhhh", {0x3c00, 0xc000, 0x3c00}, 0},
	{"fma.rn.relu.f16x2 %d, %a, %b, %c;", "wwww", {0x7e003c00, 0x3c003c00, 0}, 0x7fff3c00},
	{"max.xorsign.abs.f16 %d, %a, %b;", "hhh", {0xc000, 0x3c00}, 0xc000},
	{"add.rn.bf16 %d, %a, %b;", "hhh", {0x3f80, 0x3f80}, 0x4000},
	{"sub.bf16x2 %d, %a, %b;", "www", {0x40004040, 0x3f803f80}, 0x3f804000},
	{"mul.bf16 %d, %a, %b;", "hhh", {0x3fc0, 0x3fc0}, 0x4010},
	{"fma.rn.bf16 %d, %a, %b, %c;", "hhhh", {0x3f81, 0x3f81, 0xbf82}, 0x3880},
	{"fma.rn.relu.bf16x2 %d, %a, %b, %c;", "wwww", {0x3f80bf80, 0x40404040, 0}, 0x40400000},
	{"min.bf16 %d, %a, %b;", "hhh", {0x7fc0, 0x3f80}, 0x3f80},
	{"max.NaN.bf16x2 %d, %a, %b;", "www", {0x7fc03f80, 0x3f804000}, 0x7fff4000},
	{"neg.bf16 %d, %a;", "hh", {0x3f80}, 0xbf80},
	{"abs.bf16x2 %d, %a;", "ww", {0xbf80bf80}, 0x3f803f80},
	{"ex2.approx.ftz.bf16 %d, %a;", "hh", {0x4000}, 0x4080},
	{"tanh.approx.bf16x2 %d, %a;", "ww", {0x7f80ff80}, 0x3f80bf80},
	{"setp.lt.bf16 %d, %a, %b;", "phh", {0x8001, 0}, 1},
	{"setp.gt.bf16x2 %q|%d, %a, %b;", "pww", {0x40003f80, 0x3f804000}, 1},
	{"set.lt.bf16.bf16 %d, %a, %b;", "hhh", {0x3f80, 0x4000}, 0x3f80},
	{"set.lt.f16x2.f16x2 %d, %a, %b;", "www", {0x3c004000, 0x40003c00}, 0x3c000000},
	{"set.geu.bf16x2.bf16x2 %d, %a, %b;", "www", {0x3f807fc0, 0x3f803f80}, 0x3f803f80},
	{"set.eq.u32.bf16x2 %d, %a, %b;", "www", {0x3f803f80, 0x3f804000}, 0xffff0000},
	{"atom.global.add.noftz.bf16 %d, [%at1], %b; ld.global.b16 %d, [%at1];", "hhh",
		{0x3f80, 0x4000}, 0x4040},
	{"atom.global.add.noftz.bf16x2 %d, [%at1], %b; ld.global.b32 %d, [%at1];", "www",
		{0x3f803f80, 0x40003f80}, 0x40404000},
	/* conversions */
	{"cvt.rn.bf16.f32 %d, %a;", "hw", {0x3f808000}, 0x3f80},
	{"cvt.rn.bf16.f32 %d, %a;", "hw", {0x3f818000}, 0x3f82},
	{"cvt.rz.bf16.f32 %d, %a;", "hw", {0x3f81ffff}, 0x3f81},
	{"cvt.rn.relu.bf16.f32 %d, %a;", "hw", {0xbf800000}, 0},
	{"cvt.rn.bf16.f32 %d, %a;", "hw", {0x7f7fffff}, 0x7f80},
	{"cvt.rn.satfinite.bf16.f32 %d, %a;", "hw", {0xff7fffff}, 0xff7f},
	{"cvt.rn.bf16.f32 %d, %a;", "hw", {0x7f800001}, 0x7fff},
	{"cvt.rn.bf16.f32 %d, %a;", "hw", {0x00008001}, 0x0001},
	{"cvt.rn.bf16x2.f32 %d, %a, %b;", "www", {0x3f800000, 0x40000000}, 0x3f804000},
	{"cvt.rn.relu.f16x2.f32 %d, %a, %b;", "www", {0xbf800000, 0x40000000}, 0x00004000},
	{"cvt.f32.bf16 %d, %a;", "wh", {0x3f81}, 0x3f810000},
	{"cvt.f64.bf16 %d, %a;", "dh", {0x3f80}, 0x3ff0000000000000},
	{"cvt.rn.bf16.s32 %d, %a;", "hw", {0xffffff7f}, 0xc301},
	{"cvt.rn.bf16.u64 %d, %a;", "hd", {0x0180000000000001}, 0x5bc0},
	{"cvt.rp.bf16.u64 %d, %a;", "hd", {0x8000000000000001}, 0x5f01},
	{"cvt.rzi.s32.bf16 %d, %a;", "wh", {0xc020}, 0xfffffffe},
	{"cvt.rn.bf16.f16 %d, %a;", "hh", {0x3c05}, 0x3f81},
	{"cvt.rna.tf32.f32 %d, %a;", "ww", {0x3f801000}, 0x3f802000},
	{"cvt.rn.tf32.f32 %d, %a;", "ww", {0x3f801000}, 0x3f800000},
	{"cvt.rz.relu.tf32.f32 %d, %a;", "ww", {0xbf801000}, 0},
	{"cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b;", "hww", {0x3f800000, 0xc4000000}, 0x38fe},
	{"cvt.rn.satfinite.relu.e4m3x2.f32 %d, %a, %b;", "hww", {0xbf800000, 0x7fc00000}, 0x007f},
	{"cvt.rn.satfinite.e5m2x2.f32 %d, %a, %b;", "hww", {0x3f800000, 0x7f800000}, 0x3c7b},
	{"cvt.rn.satfinite.e4m3x2.f16x2 %d, %a;", "hw", {0x3c00c800}, 0x38d0},
	{"cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b;", "hww", {0x3b000000, 0x3a800000}, 0x0100},
	{"cvt.rn.f16x2.e4m3x2 %d, %a;", "wh", {0x38fe}, 0x3c00df00},
	{"cvt.rn.f16x2.e4m3x2 %d, %a;", "wh", {0x7f01}, 0x7fff1800},
	{"cvt.rn.relu.f16x2.e5m2x2 %d, %a;", "wh", {0x3cbc}, 0x3c000000},
	{"cvt.s32.s8 %d, %a;", "ww", {0x12345680}, 0xffffff80},
	{"cvt.u32.u8 %d, %a;", "wh", {0x1280}, 0x80},
	{"cvt.s64.s32 %d, %a;", "dw", {0x80000000}, 0xffffffff80000000},
	{"cvt.u64.u32 %d, %a;", "dw", {0x80000000}, 0x80000000},
	{"cvt.u64.s32 %d, %a;", "dw", {0x80000000}, 0xffffffff80000000},
	{"cvt.u16.u32 %d, %a;", "hw", {0x12345678}, 0x5678},
	{"cvt.u32.u64 %d, %a;", "wd", {0x1122334455667788}, 0x55667788},
	{"cvt.s8.s32 %d, %a;", "hw", {0x1280}, 0xff80},
	{"cvt.u8.u32 %d, %a;", "ww", {0x1280}, 0x80},
	{"cvt.sat.s8.s32 %d, %a;", "hw", {1000}, 127},
	{"cvt.sat.u8.s32 %d, %a;", "hw", {0xffffffff}, 0},
	{"cvt.sat.s32.u32 %d, %a;", "ww", {0xffffffff}, 0x7fffffff},
	{"cvt.sat.s16.s64 %d, %a;", "hd", {0xffffffff00000000}, 0x8000},
	{"cvt.rzi.s32.f32 %d, %a;", "ww", {0xc0200000}, 0xfffffffe},
	{"cvt.rni.s32.f32 %d, %a;", "ww", {0x40200000}, 2},
	{"cvt.rmi.s32.f32 %d, %a;", "ww", {0xc0200000}, 0xfffffffd},
	{"cvt.rpi.s32.f32 %d, %a;", "ww", {0x40200000}, 3},
	{"cvt.rzi.s32.f32 %d, %a;", "ww", {0x7fc00000}, 0},
	{"cvt.rni.s32.f32 %d, %a;", "ww", {0x7fc00000}, 0},
	{"cvt.rzi.u8.f16 %d, %a;", "hh", {0x7e00}, 0},
	/* PTX ISA: a NaN is the highest bit where one of the types has 64 */
	{"cvt.rzi.s64.f32 %d, %a;", "dw", {0x7fc00000}, 0x8000000000000000},
	{"cvt.rzi.u64.f16 %d, %a;", "dh", {0x7e00}, 0x8000000000000000},
	{"cvt.rzi.s64.f64 %d, %a;", "dd", {0x7ff8000000000000}, 0x8000000000000000},
	{"cvt.rzi.s32.f64 %d, %a;", "wd", {0x7ff8000000000000}, 0x80000000},
	{"cvt.rzi.u32.f64 %d, %a;", "wd", {0x7ff8000000000000}, 0x80000000},
	{"cvt.rzi.u16.f64 %d, %a;", "hd", {0x7ff8000000000000}, 0x8000},
	{"cvt.rzi.s8.f64 %d, %a;", "wd", {0x7ff8000000000000}, 0xffffff80},
	{"cvt.rzi.s32.f32 %d, %a;", "ww", {0x4f000000}, 0x7fffffff},
	{"cvt.rzi.s32.f32 %d, %a;", "ww", {0xff800000}, 0x80000000},
	{"cvt.rzi.u32.f32 %d, %a;", "ww", {0xbf800000}, 0},
	{"cvt.rzi.u32.f32 %d, %a;", "ww", {0x4f7fffff}, 0xffffff00},
	{"cvt.rzi.u64.f64 %d, %a;", "dd", {0x43efffffffffffff}, 0xfffffffffffff800},
	{"cvt.rzi.u64.f64 %d, %a;", "dd", {0x7ff0000000000000}, ~0ull},
	{"cvt.rzi.s64.f64 %d, %a;", "dd", {0xc3f0000000000000}, 0x8000000000000000},
	{"cvt.rzi.u8.f32 %d, %a;", "hw", {0x44000000}, 255},
	{"cvt.rzi.s16.f32 %d, %a;", "ww", {0xc8000000}, 0xffff8000},
	{"cvt.rn.f32.s32 %d, %a;", "ww", {0x01000001}, 0x4b800000},
	{"cvt.rp.f32.s32 %d, %a;", "ww", {0x01000001}, 0x4b800001},
	{"cvt.rz.f32.u64 %d, %a;", "wd", {~0ull}, 0x5f7fffff},
	{"cvt.rn.f32.u64 %d, %a;", "wd", {~0ull}, 0x5f800000},
	{"cvt.rm.f64.s64 %d, %a;", "dd", {0x8000000000000001}, 0xc3e0000000000000},
	{"cvt.rn.f64.u64 %d, %a;", "dd", {0x8000000000000401}, 0x43e0000000000001},
	{"cvt.rn.f16.s32 %d, %a;", "hw", {65520}, 0x7c00},
	{"cvt.rz.f16.u32 %d, %a;", "hw", {65520}, 0x7bff},
	{"cvt.f64.f32 %d, %a;", "dw", {0x3f800000}, 0x3ff0000000000000},
	{"cvt.rn.f32.f64 %d, %a;", "wd", {0x3ff0000010000000}, 0x3f800000},
	{"cvt.rp.f32.f64 %d, %a;", "wd", {0x3ff0000010000000}, 0x3f800001},
	{"cvt.rn.f32.f64 %d, %a;", "wd", {0x7ff8000000000000}, 0x7fffffff},
	{"cvt.rn.f16.f32 %d, %a;", "hw", {0x3f801000}, 0x3c00},
	{"cvt.rn.f16.f32 %d, %a;", "hw", {0x3f803000}, 0x3c02},
	{"cvt.rn.f16.f32 %d, %a;", "hw", {0x33000001}, 0x0001},
	{"cvt.rn.f16.f32 %d, %a;", "hw", {0x33000000}, 0x0000},
	{"cvt.f32.f16 %d, %a;", "wh", {0x0001}, 0x33800000},
	{"cvt.f32.f16 %d, %a;", "wh", {0xfc00}, 0xff800000},
	{"cvt.f32.f16 %d, %a;", "ww", {0x12343c00}, 0x3f800000},
	{"cvt.f32.f16 %d, %a;", "dd", {0x1234567812343c00}, 0x3f800000},
	{"cvt.rn.f16.f32 %d, %a;", "dd", {0x123456783f800000}, 0x3c00},
	{"cvt.rzi.s32.f32 %d, %a;", "wd", {0x1234567840000000}, 2},
	{"cvt.rn.f16.f64 %d, %a;", "hd", {0x40f0000000000000}, 0x7c00},
	{"cvt.rn.f16x2.f32 %d, %a, %b;", "www", {0x3f800000, 0x40000000}, 0x3c004000},
	{"cvt.rni.f32.f32 %d, %a;", "ww", {0x40200000}, 0x40000000},
	{"cvt.rmi.f64.f64 %d, %a;", "dd", {0xbfe0000000000000}, 0xbff0000000000000},
	{"cvt.sat.f32.f32 %d, %a;", "ww", {0x40000000}, 0x3f800000},
	{"cvt.ftz.f32.f32 %d, %a;", "ww", {0x80000001}, 0x80000000},
	{"cvt.rzi.ftz.s32.f32 %d, %a;", "ww", {0x3f800000}, 1},
};

static uint64_t low_bits(uint64_t v, char layout)
{
	return layout == 'd' ? v : layout == 'h' ? v & 0xffff : v & 0xffffffff;
}

static void all_by_hand(void)
{
	for (size_t k = 0; k < sizeof(by_hand) / sizeof(*by_hand); k++) {
		const struct by_hand *t = &by_hand[k];
		static uint64_t source[NSOURCES][MAX_CASES], out[MAX_CASES];
		for (unsigned i = 0; i < 37; i++)
			for (unsigned s = 0; s < NSOURCES; s++)
				source[s][i] = t->source[s];
		memset(out, 0, sizeof(out));
		run(t->inst, t->layout, 37, source, out);
		for (unsigned i = 0; i < 37; i++)
			if (low_bits(out[i], t->layout[0]) != t->want)
				fail_msg("%s lane %u: 0x%" PRIx64 ", not 0x%" PRIx64, t->inst, i,
					out[i], t->want);
	}
}

static void test_by_hand(void **state)
{
	(void)state;
	in_both(all_by_hand);
}

/* ---- random operands ---- */

static uint64_t random_bits(void)
{
	static uint64_t x = 88172645463325252ull;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static float as_float(uint64_t bits)
{
	const uint32_t narrow = (uint32_t)bits;
	float f;
	memcpy(&f, &narrow, sizeof(f));
	return f;
}

static double as_double(uint64_t bits)
{
	double f;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint64_t float_bits(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	return isnan(f) ? 0x7fffffff : bits;
}

static uint64_t double_bits(double f)
{
	uint64_t bits;
	memcpy(&bits, &f, sizeof(bits));
	return isnan(f) ? 0x7fffffffffffffff : bits;
}

/* Kinds of operands: i any integer, s a small one, f and g floats of 32 and 64 bits, p predicate.
 */
static uint64_t operand(char kind)
{
	static const uint32_t odd_floats[] = {0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000,
		0x3f800000, 0xbf800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001};
	const uint64_t r = random_bits(), choice = random_bits() >> 32;

	switch (kind) {
	case 's':
		return r % 80;
	case 'p':
		return r & 1;
	case 'f':
		if (choice % 4 == 0)
			return odd_floats[r % (sizeof(odd_floats) / sizeof(*odd_floats))];
		return choice % 4 == 1 ? r & 0xffffffff
				       : float_bits((float)(int64_t)(r >> 40) / 257 - 30000);
	case 'g':
		if (choice % 4 == 0)
			return double_bits((double)as_float(
				odd_floats[r % (sizeof(odd_floats) / sizeof(*odd_floats))]));
		return choice % 4 == 1 ? r : double_bits((double)(int64_t)r / 1234567);
	default:
		return choice % 8 == 0   ? 0
		       : choice % 8 == 1 ? ~0ull
		       : choice % 8 == 2 ? 1ull << 31
		       : choice % 8 == 3 ? r % 16
					 : r;
	}
}

/* The references, in other words than the machine's. */
#define WANT(name, value)                                                                          \
	static uint64_t name(uint64_t a, uint64_t b, uint64_t c, uint64_t e)                       \
	{                                                                                          \
		(void)a, (void)b, (void)c, (void)e;                                                \
		return (uint64_t)(value);                                                          \
	}
#define S16(x) ((int64_t)(int16_t)(x))
#define S32(x) ((int64_t)(int32_t)(x))
#define U16(x) ((uint64_t)(uint16_t)(x))
#define U32(x) ((uint64_t)(uint32_t)(x))

WANT(add, a + b)
WANT(sub, a - b)
WANT(mul, (a * b))
WANT(hi_u32, (U32(a) * U32(b)) >> 32)
WANT(hi_s32, (S32(a) * S32(b)) >> 32)
WANT(wide_u32, U32(a) * U32(b))
WANT(wide_s32, S32(a) * S32(b))
WANT(mad, a *b + c)
WANT(mad_wide_s32, (uint64_t)(S32(a) * S32(b)) + c)
WANT(mad_hi_u32, ((U32(a) * U32(b)) >> 32) + c)
WANT(div_u32, U32(b) ? U32(a) / U32(b) : ~0ull)
WANT(div_s32, S32(b) ? S32(a) / S32(b) : -1)
WANT(rem_u32, U32(b) ? U32(a) - U32(a) / U32(b) * U32(b) : ~0ull)
WANT(rem_s32, S32(b) ? S32(a) - S32(a) / S32(b) * S32(b) : -1)
WANT(div_s16, S16(b) ? S16(a) / S16(b) : -1)
WANT(div_u64, b ? a / b : ~0ull)
WANT(min_s32, S32(a) > S32(b) ? b : a)
WANT(max_u32, U32(a) < U32(b) ? b : a)
WANT(min_s16, S16(a) > S16(b) ? b : a)
WANT(max_s64, (int64_t)a < (int64_t)b ? b : a)
WANT(min_u64, a > b ? b : a)
WANT(sad_s32, (uint64_t)llabs(S32(a) - S32(b)) + c)
WANT(sad_u16, (uint64_t)llabs((int64_t)U16(a) - (int64_t)U16(b)) + c)
WANT(and, (a & b))
WANT(nor_ish, ~(a ^ b))
WANT(shl_32, b % 80 > 31 ? 0 : U32(a) << b)
WANT(shl_64, b > 63 ? 0 : a << b)
WANT(shr_s32, S32(a) >> (b > 31 ? 31 : b))
WANT(shr_u64, b > 63 ? 0 : a >> b)
WANT(shr_s16, S16(a) >> (b > 15 ? 15 : b))
WANT(lop3_mux, (a & b) | (~a & c))
WANT(selp, c ? a : b)

static uint64_t count_ones(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
	uint64_t n = 0;
	(void)b, (void)c, (void)e;
	for (unsigned i = 0; i < 32; i++)
		n += a >> i & 1;
	return n;
}

static uint64_t leading_zeros(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
	uint64_t n = 0;
	(void)b, (void)c, (void)e;
	while (n < 64 && !(a << n >> 63))
		n++;
	return n;
}

/* PTX ISA's own words for bfe and bfi, bit by bit. */
static uint64_t field_s32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
	const uint64_t pos = b & 255, len = c & 255, top = pos + len - 1 < 31 ? pos + len - 1 : 31;
	uint64_t d = 0;
	(void)e;
	for (unsigned i = 0; i < 32; i++) {
		const uint64_t sign = len ? a >> top & 1 : 0;
		d |= (i < len && pos + i <= 31 ? a >> (pos + i) & 1 : sign) << i;
	}
	return d;
}

static uint64_t insert_64(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
	const uint64_t pos = c & 255, len = e & 255;
	for (unsigned i = 0; i < len && pos + i <= 63; i++)
		b = (b & ~(1ull << (pos + i))) | (a >> i & 1) << (pos + i);
	return b;
}

static uint64_t permuted(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
	uint8_t byte[8], out[4];
	(void)e;
	memcpy(byte, &a, 4);
	memcpy(byte + 4, &b, 4);
	for (unsigned k = 0; k < 4; k++) {
		const unsigned s = c >> 4 * k & 15;
		out[k] = s > 7 ? (byte[s - 8] > 127 ? 255 : 0) : byte[s];
	}
	return out[0] | out[1] << 8 | out[2] << 16 | (uint64_t)out[3] << 24;
}

#define A as_float(a)
#define B as_float(b)
#define C as_float(c)
/* A double holds enough of a float's sum, product, quotient and root that rounding twice is once.
 */
WANT(f32_add, float_bits((float)((double)A + (double)B)))
WANT(f32_sub, float_bits((float)((double)A - (double)B)))
WANT(f32_mul, float_bits((float)((double)A *(double)B)))
WANT(f32_div, float_bits((float)((double)A / (double)B)))
WANT(f32_sqrt, float_bits((float)sqrt((double)A)))
WANT(f32_rcp, float_bits((float)(1 / (double)A)))
WANT(f32_fma, float_bits(fmaf(A, B, C)))
WANT(f64_add, double_bits(as_double(a) + as_double(b)))
WANT(f64_div, double_bits(as_double(a) / as_double(b)))
WANT(f64_fma, double_bits(fma(as_double(a), as_double(b), as_double(c))))

static float without_subnormal(float f)
{
	return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f;
}

WANT(f32_add_ftz, float_bits(without_subnormal(without_subnormal(A) + without_subnormal(B))))
WANT(f32_mul_ftz, float_bits(without_subnormal(without_subnormal(A) * without_subnormal(B))))
WANT(f32_add_sat, isnan(A + B) ? 0 : float_bits(fmaxf(0, fminf(1, A + B)) + 0.0f))

/* Rounded down or up: the nearest float, moved by one where the exact value is on its other side.
 */
static uint64_t toward(float near, long double exact, int up)
{
	if (isnan(near) || isinf((double)exact) || isnan((double)exact))
		return float_bits((float)exact);
	if (up && (long double)near < exact)
		near = nextafterf(near, INFINITY);
	if (!up && (long double)near > exact)
		near = nextafterf(near, -INFINITY);
	return float_bits(near);
}

/* The product of two floats is exact in a double. */
WANT(f32_mul_rm, toward((A * B), (long double)A *(long double)B, 0))
WANT(f32_mul_rp, toward((A * B), (long double)A *(long double)B, 1))

static uint64_t min_f32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
	(void)c, (void)e;
	if (isnan(A) || isnan(B))
		return float_bits(isnan(A) ? B : A);
	if (A == B)
		return float_bits(signbit(A) ? A : B);
	return float_bits(A < B ? A : B);
}

static uint64_t max_f64(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
	const double x = as_double(a), y = as_double(b);
	(void)c, (void)e;
	if (isnan(x) || isnan(y))
		return double_bits(isnan(x) ? y : x);
	if (x == y)
		return double_bits(signbit(x) ? y : x);
	return double_bits(x > y ? x : y);
}

static uint64_t to_s32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
	const double v = trunc((double)A);
	(void)b, (void)c, (void)e;
	return isnan(v) ? 0 : (uint64_t)(int64_t)fmax(-2147483648.0, fmin(2147483647.0, v));
}

static uint64_t to_u32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
	const double v = trunc((double)A);
	(void)b, (void)c, (void)e;
	return isnan(v) ? 0 : (uint64_t)fmax(0, fmin(4294967295.0, v));
}

WANT(s32_to_f32, float_bits((float)(double)S32(a)))
WANT(u32_to_f32, float_bits((float)(double)U32(a)))
WANT(u64_to_f32, float_bits((float)a))
WANT(s64_to_f64, double_bits((double)(int64_t)a))
WANT(f32_to_f64, double_bits((double)A))
WANT(f64_to_f32, float_bits((float)as_double(a)))
WANT(sin_f32, float_bits(ptx_sin(A)))
WANT(lt_f32, A < B)
WANT(geu_f32, isnan(A) || isnan(B) || A >= B)
WANT(lt_s32, S32(a) < S32(b))
WANT(hi_u64, a > b)
WANT(ne_u16, U16(a) != U16(b))

/* Half precision against a search among all halves. */
static long double half_value(uint16_t h)
{
	const int exponent = h >> 10 & 31, fraction = h & 0x3ff;
	const long double v =
		exponent ? ldexpl(1024 + fraction, exponent - 25) : ldexpl(fraction, -24);
	return h & 0x8000 ? -v : v;
}

static uint64_t nearest_half(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
	uint16_t low = 0, high = 0x7c00;
	const long double v = fabsl((long double)A);
	const uint64_t sign = signbit(A) ? 0x8000 : 0;
	(void)b, (void)c, (void)e;
	if (isnan(A))
		return 0x7fff;
	if (v >= 65520)
		return sign | 0x7c00;
	while (high - low > 1) { /* half_value(low) <= v < half_value(high) */
		const uint16_t middle = (uint16_t)((low + high) / 2);
		if (half_value(middle) <= v)
			low = middle;
		else
			high = middle;
	}
	const long double below = v - half_value(low), above = half_value(high) - v;
	return sign | (below < above || (below == above && !(low & 1)) ? low : high);
}

static const struct by_random {
	const char *inst, *layout, *kinds;
	uint64_t (*want)(uint64_t a, uint64_t b, uint64_t c, uint64_t e);
} by_random[] = {
	{"add.u16 %d, %a, %b;", "hhh", "ii", add},
	{"add.s32 %d, %a, %b;", "www", "ii", add},
	{"add.u64 %d, %a, %b;", "ddd", "ii", add},
	{"sub.s32 %d, %a, %b;", "www", "ii", sub},
	{"sub.s64 %d, %a, %b;", "ddd", "ii", sub},
	{"mul.lo.s16 %d, %a, %b;", "hhh", "ii", mul},
	{"mul.lo.s32 %d, %a, %b;", "www", "ii", mul},
	{"mul.lo.u64 %d, %a, %b;", "ddd", "ii", mul},
	{"mul.hi.u32 %d, %a, %b;", "www", "ii", hi_u32},
	{"mul.hi.s32 %d, %a, %b;", "www", "ii", hi_s32},
	{"mul.wide.u32 %d, %a, %b;", "dww", "ii", wide_u32},
	{"mul.wide.s32 %d, %a, %b;", "dww", "ii", wide_s32},
	{"mad.lo.s32 %d, %a, %b, %c;", "wwww", "iii", mad},
	{"mad.lo.u64 %d, %a, %b, %c;", "dddd", "iii", mad},
	{"mad.wide.s32 %d, %a, %b, %c;", "dwwd", "iii", mad_wide_s32},
	{"mad.hi.u32 %d, %a, %b, %c;", "wwww", "iii", mad_hi_u32},
	{"div.u32 %d, %a, %b;", "www", "ii", div_u32},
	{"div.s32 %d, %a, %b;", "www", "ii", div_s32},
	{"div.s16 %d, %a, %b;", "hhh", "ii", div_s16},
	{"div.u64 %d, %a, %b;", "ddd", "ii", div_u64},
	{"rem.u32 %d, %a, %b;", "www", "ii", rem_u32},
	{"rem.s32 %d, %a, %b;", "www", "ii", rem_s32},
	{"min.s32 %d, %a, %b;", "www", "ii", min_s32},
	{"max.u32 %d, %a, %b;", "www", "ii", max_u32},
	{"min.s16 %d, %a, %b;", "hhh", "ii", min_s16},
	{"max.s64 %d, %a, %b;", "ddd", "ii", max_s64},
	{"min.u64 %d, %a, %b;", "ddd", "ii", min_u64},
	{"sad.s32 %d, %a, %b, %c;", "wwww", "iii", sad_s32},
	{"sad.u16 %d, %a, %b, %c;", "hhhh", "iii", sad_u16},
	{"and.b64 %d, %a, %b;", "ddd", "ii", and},
	{"xor.b32 %t, %a, %b; not.b32 %d, %t;", "www", "ii", nor_ish},
	{"shl.b32 %d, %a, %b;", "www", "is", shl_32},
	{"shl.b64 %d, %a, %b;", "ddw", "is", shl_64},
	{"shr.s32 %d, %a, %b;", "www", "is", shr_s32},
	{"shr.u64 %d, %a, %b;", "ddw", "is", shr_u64},
	{"shr.s16 %d, %a, %b;", "hhw", "is", shr_s16},
	{"lop3.b32 %d, %a, %b, %c, 0xca;", "wwww", "iii", lop3_mux},
	{"bfe.s32 %d, %a, %b, %c;", "wwww", "iss", field_s32},
	{"bfi.b64 %d, %a, %b, %c, %e;", "dddww", "iiss", insert_64},
	{"popc.b32 %d, %a;", "ww", "i", count_ones},
	{"clz.b64 %d, %a;", "wd", "i", leading_zeros},
	{"prmt.b32 %d, %a, %b, %c;", "wwww", "iii", permuted},
	{"selp.b32 %d, %a, %b, %c;", "wwwp", "iip", selp},
	{"selp.b16 %d, %a, %b, %c;", "hhhp", "iip", selp},
	{"add.f32 %d, %a, %b;", "www", "ff", f32_add},
	{"sub.rn.f32 %d, %a, %b;", "www", "ff", f32_sub},
	{"mul.f32 %d, %a, %b;", "www", "ff", f32_mul},
	{"div.rn.f32 %d, %a, %b;", "www", "ff", f32_div},
	{"div.full.f32 %d, %a, %b;", "www", "ff", f32_div},
	{"sqrt.rn.f32 %d, %a;", "ww", "f", f32_sqrt},
	{"rcp.approx.f32 %d, %a;", "ww", "f", f32_rcp},
	{"fma.rn.f32 %d, %a, %b, %c;", "wwww", "fff", f32_fma},
	{"add.f64 %d, %a, %b;", "ddd", "gg", f64_add},
	{"div.rn.f64 %d, %a, %b;", "ddd", "gg", f64_div},
	{"fma.rn.f64 %d, %a, %b, %c;", "dddd", "ggg", f64_fma},
	{"add.ftz.f32 %d, %a, %b;", "www", "ff", f32_add_ftz},
	{"mul.ftz.f32 %d, %a, %b;", "www", "ff", f32_mul_ftz},
	{"add.sat.f32 %d, %a, %b;", "www", "ff", f32_add_sat},
	{"mul.rm.f32 %d, %a, %b;", "www", "ff", f32_mul_rm},
	{"mul.rp.f32 %d, %a, %b;", "www", "ff", f32_mul_rp},
	{"min.f32 %d, %a, %b;", "www", "ff", min_f32},
	{"max.f64 %d, %a, %b;", "ddd", "gg", max_f64},
	{"sin.approx.f32 %d, %a;", "ww", "f", sin_f32},
	{"setp.lt.f32 %d, %a, %b;", "pww", "ff", lt_f32},
	{"setp.geu.f32 %d, %a, %b;", "pww", "ff", geu_f32},
	{"setp.lt.s32 %d, %a, %b;", "pww", "ii", lt_s32},
	{"setp.hi.u64 %d, %a, %b;", "pdd", "ii", hi_u64},
	{"setp.ne.u16 %d, %a, %b;", "phh", "ii", ne_u16},
	{"cvt.rzi.s32.f32 %d, %a;", "ww", "f", to_s32},
	{"cvt.rzi.u32.f32 %d, %a;", "ww", "f", to_u32},
	{"cvt.rn.f32.s32 %d, %a;", "ww", "i", s32_to_f32},
	{"cvt.rn.f32.u32 %d, %a;", "ww", "i", u32_to_f32},
	{"cvt.rn.f32.u64 %d, %a;", "wd", "i", u64_to_f32},
	{"cvt.rn.f64.s64 %d, %a;", "dd", "i", s64_to_f64},
	{"cvt.f64.f32 %d, %a;", "dw", "f", f32_to_f64},
	{"cvt.rn.f32.f64 %d, %a;", "wd", "g", f64_to_f32},
	{"cvt.rn.f16.f32 %d, %a;", "hw", "f", nearest_half},
};

static void all_by_random(void)
{
	static uint64_t source[NSOURCES][MAX_CASES], out[MAX_CASES];

	for (size_t k = 0; k < sizeof(by_random) / sizeof(*by_random); k++) {
		const struct by_random *t = &by_random[k];
		for (unsigned i = 0; i < MAX_CASES; i++) {
			out[i] = 0;
			for (unsigned s = 0; s < NSOURCES; s++)
				source[s][i] = s < strlen(t->kinds) ? operand(t->kinds[s]) : 0;
		}
		run(t->inst, t->layout, MAX_CASES, source, out);
		for (unsigned i = 0; i < MAX_CASES; i++) {
			const uint64_t a = source[0][i], b = source[1][i], c = source[2][i];
			const uint64_t want =
				low_bits(t->want(a, b, c, source[3][i]), t->layout[0]);
			if (low_bits(out[i], t->layout[0]) != want)
				fail_msg("%s of 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64
					 ": 0x%" PRIx64 ", not 0x%" PRIx64,
					t->inst, a, b, c, out[i], want);
		}
	}
}

static void test_by_random(void **state)
{
	(void)state;
	in_both(all_by_random);
}

/* A guard that is false in some lanes leaves their destinations alone, for every width. */
static void guarded(void)
{
	static const struct {
		const char *inst, *layout;
	} forms[] = {
		{"mov.u16 %d, 9; setp.ne.u16 %q, %a, 0; @%q add.u16 %d, %a, %b;", "hhh"},
		{"mov.u32 %d, 9; setp.ne.u32 %q, %a, 0; @%q add.u32 %d, %a, %b;", "www"},
		{"mov.u64 %d, 9; setp.ne.u64 %q, %a, 0; @%q add.u64 %d, %a, %b;", "ddd"},
		{"mov.u32 %d, 9; setp.eq.u32 %q, %a, 0; @!%q add.u32 %d, %a, %b;", "www"},
	};
	static uint64_t source[NSOURCES][MAX_CASES], out[MAX_CASES];

	for (size_t k = 0; k < sizeof(forms) / sizeof(*forms); k++) {
		for (unsigned i = 0; i < MAX_CASES; i++) {
			source[0][i] = i % 3;
			source[1][i] = i;
			out[i] = 0;
		}
		run(forms[k].inst, forms[k].layout, MAX_CASES, source, out);
		for (unsigned i = 0; i < MAX_CASES; i++)
			assert_int_equal(out[i], i % 3 ? i % 3 + i : 9);
	}
}

static void test_guarded(void **state)
{
	(void)state;
	in_both(guarded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_by_random),
		cmocka_unit_test(test_guarded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
