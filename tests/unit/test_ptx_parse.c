/*
 * The PTX parser: every opcode and directive by a dump of its AST, every sentence by a text that
 * earns it, inlining, and what lower.c makes of it all. Values are not computed here.
 */
#include "libtrace/program.h"
#include "sim/ptx/ast.h"
#include "sim/ptx/ptx.h"
#include "sim/ptx/shorten.h"
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"
#define REGS                                                                                       \
	".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<9>;"    \
	" .reg .f64 %e<9>; .reg .b8 %b;"

/* ---- the dump ---- */

static const char *const modes[] = {[PTX_M_NONE] = "",
	[PTX_M_LO] = "lo",
	[PTX_M_HI] = "hi",
	[PTX_M_WIDE] = "wide",
	[PTX_M_ADD] = "add",
	[PTX_M_MIN] = "min",
	[PTX_M_MAX] = "max",
	[PTX_M_INC] = "inc",
	[PTX_M_DEC] = "dec",
	[PTX_M_AND] = "and",
	[PTX_M_OR] = "or",
	[PTX_M_XOR] = "xor",
	[PTX_M_EXCH] = "exch",
	[PTX_M_CAS] = "cas",
	[PTX_M_UP] = "up",
	[PTX_M_DOWN] = "down",
	[PTX_M_BFLY] = "bfly",
	[PTX_M_IDX] = "idx",
	[PTX_M_ALL] = "all",
	[PTX_M_ANY] = "any",
	[PTX_M_UNI] = "uni",
	[PTX_M_BALLOT] = "ballot",
	[PTX_M_F4E] = "f4e",
	[PTX_M_B4E] = "b4e",
	[PTX_M_RC8] = "rc8",
	[PTX_M_ECL] = "ecl",
	[PTX_M_ECR] = "ecr",
	[PTX_M_RC16] = "rc16",
	[PTX_M_L] = "l",
	[PTX_M_R] = "r",
	[PTX_M_SHIFTAMT] = "shiftamt",
	[PTX_M_SYNC] = "sync",
	[PTX_M_ARRIVE] = "arrive",
	[PTX_M_RED_POPC] = "red_popc",
	[PTX_M_RED_AND] = "red_and",
	[PTX_M_RED_OR] = "red_or",
	[PTX_M_FINITE] = "finite",
	[PTX_M_INFINITE] = "infinite",
	[PTX_M_NUMBER] = "number",
	[PTX_M_NOTANUMBER] = "notanumber",
	[PTX_M_NORMAL] = "normal",
	[PTX_M_SUBNORMAL] = "subnormal",
	[PTX_M_TO] = "to",
	[PTX_M_1D] = "1d",
	[PTX_M_2D] = "2d",
	[PTX_M_3D] = "3d",
	[PTX_M_A1D] = "a1d",
	[PTX_M_A2D] = "a2d",
	[PTX_M_INIT] = "init",
	[PTX_M_INVAL] = "inval",
	[PTX_M_EXPECT_TX] = "expect_tx",
	[PTX_M_COMPLETE_TX] = "complete_tx",
	[PTX_M_DROP] = "arrive_drop",
	[PTX_M_TEST_WAIT] = "test_wait",
	[PTX_M_TRY_WAIT] = "try_wait",
	[PTX_M_PENDING] = "pending_count",
	[PTX_M_WAIT] = "wait"};
static const char *const compares[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
	"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
static const char *const bools[] = {"", "and", "or", "xor"};
static const char *const rounds[] = {"", "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"};
static const char *const flag_names[] = {"ftz", "sat", "approx", "full", "cc", "sync", "clamp",
	"nc", "volatile", "uni", "nan", "xorsign", "notc", "hint", "relu", "satfinite", "expect",
	"parity", "noinc", "async", "zero", "frame", "again", "back", "format"};

static const struct ptx_sym *sym_of(const struct ptx_kernel *k, uint32_t sym)
{
	return sym & PTX_SYM_LOCAL ? &k->syms[sym & ~PTX_SYM_LOCAL] : &k->module->syms[sym];
}

static void put_operand(FILE *out, const struct ptx_kernel *k, const struct ptx_operand *o)
{
	const char *negate = o->negate ? "!" : "";
	switch (o->kind) {
	case PTX_O_REG:
		fprintf(out, " %s%s", negate, o->reg == TR_NONE ? "_" : k->regs[o->reg].name);
		break;
	case PTX_O_IMM:
		if (o->imm_kind == PTX_I_INT)
			fprintf(out, " %s%lld", negate, (long long)o->imm);
		else
			fprintf(out, " %s:%llx", o->imm_kind == PTX_I_F32 ? "f" : "d",
				(unsigned long long)o->imm);
		break;
	case PTX_O_SREG:
		fprintf(out, " %s", ptx_sreg_name(o->reg));
		break;
	case PTX_O_SYM:
		fprintf(out, " &%s", sym_of(k, o->sym)->name);
		if (o->imm)
			fprintf(out, "+%lld", (long long)o->imm);
		break;
	default:
		fprintf(out, " ?");
	}
}

/* "@!%p1 ld s8 global x2 nc: %r1 %r2 <- [%d1+4]" */
static char *dump(const struct ptx_kernel *k, uint32_t n)
{
	const struct ptx_inst *x = &k->insts[n];
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	if (x->guard != TR_NONE)
		fprintf(out, "@%s%s ", x->guard_not ? "!" : "", k->regs[x->guard].name);
	fprintf(out, "%s", ptx_op_name(x->op));
	if (x->mode)
		fprintf(out, " %s", modes[x->mode]);
	if (x->op == PTX_SET || x->op == PTX_SETP)
		fprintf(out, " %s", compares[x->cmp]);
	if (x->boolop)
		fprintf(out, " %s", bools[x->boolop]);
	if (x->type)
		fprintf(out, " %s", ptx_type_name(x->type));
	if (x->stype != x->type)
		fprintf(out, " %s", ptx_type_name(x->stype));
	if (x->round)
		fprintf(out, " %s", rounds[x->round]);
	if (x->space)
		fprintf(out, " %s", tr_space_name(x->space));
	if (x->vec != 1)
		fprintf(out, " x%u", x->vec);
	for (unsigned f = 0; f < sizeof flag_names / sizeof *flag_names; f++)
		if (x->flags >> f & 1)
			fprintf(out, " %s", flag_names[f]);
	fprintf(out, ":");
	for (unsigned i = 0; i < x->ndst; i++)
		put_operand(out, k, &x->dst[i]);
	if (x->nsrc || x->addr.kind)
		fprintf(out, " <-");
	for (unsigned i = 0; i < x->nsrc; i++)
		put_operand(out, k, &x->src[i]);
	if (x->addr.kind) {
		fprintf(out, " [");
		put_operand(out, k, &x->addr);
		fprintf(out, " %+lld ]", (long long)x->disp);
	}
	if (x->target != TR_NONE)
		fprintf(out, " ->%u", x->target);
	for (uint32_t t = 0; t < x->ntargets; t++)
		fprintf(out, " %u", x->targets[t]);
	fclose(out);
	return text;
}

/* ---- parsing ---- */

static struct ptx_module *parse(const char *text)
{
	struct ptx_module *m;
	struct tr_err err = {0};
	int r = ptx_parse(&m, text, strlen(text), "k.ptx", &err);
	if (r != 1)
		fail_msg("%s\n%s", err.msg, text);
	return m;
}

/* A module of one entry around these statements; its line 5 is their first. */
static char *wrap(const char *globals, const char *statements)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	fprintf(out, "%s%s .entry k(.param .u64 a, .param .u32 n) { %s\n%s\n}\n", HEAD, globals,
		REGS, statements);
	fclose(out);
	return text;
}

static struct ptx_module *parse_body(const char *globals, const char *statements)
{
	char *text = wrap(globals, statements);
	struct ptx_module *m = parse(text);
	free(text);
	return m;
}

static void expect_inst(const struct ptx_kernel *k, uint32_t n, const char *want)
{
	char *have = dump(k, n);
	assert_string_equal(have, want);
	free(have);
}

static const char opcodes_globals[] =
	".global .u32 g[4]; .const .f32 c[2]; .shared .b8 s[64]; .func f() { ret; }";

static const struct {
	const char *text, *dump;
} opcodes[] = {
	{"abs.s32 %r1, %r2", "abs s32: %r1 <- %r2"},
	{"abs.ftz.f32 %f1, %f2", "abs f32 ftz: %f1 <- %f2"},
	{"activemask.b32 %r1", "activemask b32: %r1"},
	{"add.s32 %r1, %r2, -5", "add s32: %r1 <- %r2 -5"},
	{"add.sat.s32 %r1, %r2, %r3", "add s32 sat: %r1 <- %r2 %r3"},
	{"add.cc.u32 %r1, %r2, 0xFFFFFFFF", "add u32 cc: %r1 <- %r2 -1"},
	{"add.u64 %d1, %d2, %d3", "add u64: %d1 <- %d2 %d3"},
	{"add.s16 %h1, %h2, 0xffff", "add s16: %h1 <- %h2 -1"},
	{"add.rz.ftz.sat.f32 %f1, %f2, 0f3F800000", "add f32 rz ftz sat: %f1 <- %f2 f:3f800000"},
	{"add.rn.f64 %e1, %e2, 1.5", "add f64 rn: %e1 <- %e2 d:3ff8000000000000"},
	{"add.f32 %f1, %f2, -1.5", "add f32: %f1 <- %f2 f:bfc00000"},
	{"add.f16 %h1, %h2, %h3", "add f16: %h1 <- %h2 %h3"},
	{"add.rn.f16x2 %r1, %r2, %r3", "add f16x2 rn: %r1 <- %r2 %r3"},
	{"addc.cc.u64 %d1, %d2, %d3", "addc u64 cc: %d1 <- %d2 %d3"},
	{"and.b32 %r1, %r2, 017", "and b32: %r1 <- %r2 15"},
	{"and.pred %p1, %p2, %p3", "and pred: %p1 <- %p2 %p3"},
	{"applypriority.global.L2::evict_normal [%d1], 128",
		"applypriority global: <- 128 [ %d1 +0 ]"},
	{"atom.global.add.u32 %r1, [%d1], 1", "atom add u32 global: %r1 <- 1 [ %d1 +0 ]"},
	{"atom.add.f32 %f1, [%d1+4], %f2", "atom add f32 generic: %f1 <- %f2 [ %d1 +4 ]"},
	{"atom.shared.cas.b32 %r1, [%r2], %r3, 0b101",
		"atom cas b32 shared: %r1 <- %r3 5 [ %r2 +0 ]"},
	{"atom.global.relaxed.gpu.exch.b64 %d1, [%d2], %d3",
		"atom exch b64 global volatile: %d1 <- %d3 [ %d2 +0 ]"},
	{"atom.acq_rel.sys.global.max.s64 %d1, [%d2], %d3",
		"atom max s64 global volatile: %d1 <- %d3 [ %d2 +0 ]"},
	{"atom.inc.u32 _, [%d2], 7", "atom inc u32 generic: _ <- 7 [ %d2 +0 ]"},
	{"atom.add.noftz.f16x2 %r1, [%d2], %r3", "atom add f16x2 generic: %r1 <- %r3 [ %d2 +0 ]"},
	{"bar.sync 0", "bar sync: <- 0"},
	{"bar.sync %r1, 64", "bar sync: <- %r1 64"},
	{"bar.arrive 3, %r1", "bar arrive: <- 3 %r1"},
	{"bar.red.popc.u32 %r1, 0, !%p1", "bar red_popc u32: %r1 <- 0 !%p1"},
	{"bar.red.and.pred %p1, 1, 64, %p2", "bar red_and pred: %p1 <- 1 64 %p2"},
	{"bar.red.or.pred %p1, 1, %p2", "bar red_or pred: %p1 <- 1 %p2"},
	{"barrier.sync.aligned 2", "bar sync: <- 2"},
	{"barrier.cluster.arrive.release.aligned", "barrier.cluster arrive volatile:"},
	{"barrier.cluster.wait.aligned", "barrier.cluster wait:"},
	{"mapa.u64 %d1, %d2, %r1", "mapa u64 generic: %d1 <- %d2 %r1"},
	{"mapa.shared::cluster.u32 %r1, %r2, 3", "mapa u32 shared: %r1 <- %r2 3"},
	{"getctarank.shared::cluster.u32 %r1, %r2", "getctarank u32 shared: %r1 <- %r2"},
	{"barrier.cta.red.popc.aligned.u32 %r1, 0, %p1", "bar red_popc u32: %r1 <- 0 %p1"},
	{"bar.warp.sync -1", "membar: <- -1"},
	{"mbarrier.init.shared::cta.b64 [%r1], 32", "mbarrier init b64 shared: <- 32 [ %r1 +0 ]"},
	{"mbarrier.arrive.noComplete.release.cta.shared.b64 %d1, [%r1], 2",
		"mbarrier arrive b64 shared volatile: %d1 <- 2 [ %r1 +0 ]"},
	{"mbarrier.arrive_drop.expect_tx.shared.b64 _, [%r1], 64",
		"mbarrier arrive_drop b64 shared expect: _ <- 64 [ %r1 +0 ]"},
	{"mbarrier.try_wait.parity.b64 %p1, [%d1], %r1, 100",
		"mbarrier try_wait b64 generic parity: %p1 <- %r1 100 [ %d1 +0 ]"},
	{"mbarrier.pending_count.b64 %r1, %d1", "mbarrier pending_count b64 generic: %r1 <- %d1"},
	{"bfe.s32 %r1, %r2, 3, %r4", "bfe s32: %r1 <- %r2 3 %r4"},
	{"bfi.b64 %d1, %d2, %d3, %r1, 4", "bfi b64: %d1 <- %d2 %d3 %r1 4"},
	{"bfind.u32 %r1, %r2", "bfind u32: %r1 <- %r2"},
	{"bfind.shiftamt.s64 %r1, %d2", "bfind shiftamt s64: %r1 <- %d2"},
	{"bra L", "bra: ->1"},
	{"@!%p3 bra.uni L", "@!%p3 bra uni: ->1"},
	{"brev.b64 %d1, %d2", "brev b64: %d1 <- %d2"},
	{"ts: .branchtargets L, M, L; M: brx.idx %r1, ts", "brx: <- %r1 1 0 1"},
	{"call f", "call: ->1 2"},
	{"call.uni f, ()", "call uni: ->1 2"},
	{"clz.b64 %r1, %d1", "clz b64: %r1 <- %d1"},
	{"cnot.b16 %h1, %h2", "cnot b16: %h1 <- %h2"},
	{"copysign.f64 %e1, %e2, %e3", "copysign f64: %e1 <- %e2 %e3"},
	{"cos.approx.ftz.f32 %f1, %f2", "cos f32 ftz approx: %f1 <- %f2"},
	{"cvt.u32.u16 %r1, %h1", "cvt u32 u16: %r1 <- %h1"},
	{"cvt.s32.s8 %r1, %r2", "cvt s32 s8: %r1 <- %r2"},
	{"cvt.u16.u64 %r1, %d1", "cvt u16 u64: %r1 <- %d1"},
	{"cvt.rn.f32.s64 %f1, %d1", "cvt f32 s64 rn: %f1 <- %d1"},
	{"cvt.rzi.sat.u8.f32 %h1, %f2", "cvt u8 f32 rzi sat: %h1 <- %f2"},
	{"cvt.rmi.f32.f32 %f1, %f2", "cvt f32 rmi: %f1 <- %f2"},
	{"cvt.f64.f32 %e1, %f2", "cvt f64 f32: %e1 <- %f2"},
	{"cvt.rn.ftz.f16.f32 %h1, %f2", "cvt f16 f32 rn ftz: %h1 <- %f2"},
	{"cvt.rn.f16x2.f32 %r1, %f2, %f3", "cvt f16x2 f32 rn: %r1 <- %f2 %f3"},
	{"cvt.u32.u32 %r1, %tid.x", "cvt u32: %r1 <- %tid.x"},
	{"cvta.to.global.u64 %d1, %d2", "cvta to u64 global: %d1 <- %d2"},
	{"cvta.shared.u64 %d1, s", "cvta u64 shared: %d1 <- &s"},
	{"cvta.param.u64 %d1, a", "cvta u64 param: %d1 <- &a"},
	{"div.s32 %r1, %r2, 3", "div s32: %r1 <- %r2 3"},
	{"div.full.f32 %f1, %f2, %f3", "div f32 full: %f1 <- %f2 %f3"},
	{"div.approx.ftz.f32 %f1, %f2, %f3", "div f32 ftz approx: %f1 <- %f2 %f3"},
	{"div.rn.f64 %e1, %e2, %e3", "div f64 rn: %e1 <- %e2 %e3"},
	{"dp2a.lo.u32.s32 %r1, %r2, %r3, %r4", "dp2a lo u32 s32: %r1 <- %r2 %r3 %r4"},
	{"dp4a.s32.u32 %r1, %r2, %r3, %r4", "dp4a s32 u32: %r1 <- %r2 %r3 %r4"},
	{"ex2.approx.f32 %f1, %f2", "ex2 f32 approx: %f1 <- %f2"},
	{"ex2.approx.f16 %h1, %h2", "ex2 f16 approx: %h1 <- %h2"},
	{"@%p1 exit", "@%p1 exit:"},
	{"fence.acq_rel.gpu", "fence volatile:"},
	{"fence.sc.cta", "fence volatile:"},
	{"fma.rn.f32 %f1, %f2, %f3, %f4", "fma f32 rn: %f1 <- %f2 %f3 %f4"},
	{"fma.rn.f16x2 %r1, %r2, %r3, %r4", "fma f16x2 rn: %r1 <- %r2 %r3 %r4"},
	{"fns.b32 %r1, %r2, 3, -1", "fns b32: %r1 <- %r2 3 -1"},
	{"isspacep.shared %p1, %d1", "isspacep shared: %p1 <- %d1"},
	{"ld.global.u32 %r1, [%d1+-4]", "ld u32 global: %r1 <- [ %d1 -4 ]"},
	{"ld.u8 %d1, [%d1]", "ld u8 generic: %d1 <- [ %d1 +0 ]"},
	{"ld.s8 %h1, [%d1-8]", "ld s8 generic: %h1 <- [ %d1 -8 ]"},
	{"ld.b8 %b, [%d1]", "ld b8 generic: %b <- [ %d1 +0 ]"},
	{"ld.volatile.shared.v2.f32 {%f1, %f2}, [%r1+8]",
		"ld f32 shared x2 volatile: %f1 %f2 <- [ %r1 +8 ]"},
	{"ld.global.nc.v4.u16 {%h1, %r2, _, %d4}, [%d1]",
		"ld u16 global x4 nc: %h1 %r2 _ %d4 <- [ %d1 +0 ]"},
	{"ld.global.ca.L2::128B.b64 %d1, [g+8]", "ld b64 global: %d1 <- [ &g +8 ]"},
	{"ld.global.L1::evict_last.relaxed.gpu.u32 %r1, [%d1]",
		"ld u32 global volatile: %r1 <- [ %d1 +0 ]"},
	{"ld.u32 %r1, [g]", "ld u32 global: %r1 <- [ &g +0 ]"},
	{"ld.const.f32 %f1, [c+4]", "ld f32 const: %f1 <- [ &c +4 ]"},
	{"ld.shared::cta.u32 %r1, [16]", "ld u32 shared: %r1 <- [ 16 +0 ]"},
	{"ld.param.u64 %d1, [a]", "ld u64 param: %d1 <- [ &a +0 ]"},
	{"ld.param.u8 %h1, [n+3]", "ld u8 param: %h1 <- [ &n +3 ]"},
	{"ld.local.f64 %e1, [%d1]", "ld f64 local: %e1 <- [ %d1 +0 ]"},
	{"ldu.global.u32 %r1, [%d1]", "ld u32 global: %r1 <- [ %d1 +0 ]"},
	{"lg2.approx.f32 %f1, %f2", "lg2 f32 approx: %f1 <- %f2"},
	{"lop3.b32 %r1, %r2, %r3, %r4, 0x96", "lop3 b32: %r1 <- %r2 %r3 %r4 150"},
	{"mad.lo.s32 %r1, %r2, %r3, %r4", "mad lo s32: %r1 <- %r2 %r3 %r4"},
	{"mad.wide.u32 %d1, %r2, %r3, %d4", "mad wide u32: %d1 <- %r2 %r3 %d4"},
	{"mad.hi.sat.s32 %r1, %r2, %r3, %r4", "mad hi s32 sat: %r1 <- %r2 %r3 %r4"},
	{"mad.lo.cc.u32 %r1, %r2, %r3, %r4", "mad lo u32 cc: %r1 <- %r2 %r3 %r4"},
	{"mad.rn.f32 %f1, %f2, %f3, %f4", "mad f32 rn: %f1 <- %f2 %f3 %f4"},
	{"mad24.lo.s32 %r1, %r2, %r3, %r4", "mad24 lo s32: %r1 <- %r2 %r3 %r4"},
	{"madc.hi.cc.u32 %r1, %r2, %r3, %r4", "madc hi u32 cc: %r1 <- %r2 %r3 %r4"},
	{"match.any.sync.b32 %r1, %r2, -1", "match any b32 sync: %r1 <- %r2 -1"},
	{"match.all.sync.b64 %r1|%p1, %d2, %r3", "match all b64 sync: %r1 %p1 <- %d2 %r3"},
	{"max.f32 %f1, %f2, %f3", "max f32: %f1 <- %f2 %f3"},
	{"max.NaN.f16 %h1, %h2, %h3", "max f16 nan: %h1 <- %h2 %h3"},
	{"membar.gl", "membar:"},
	{"min.ftz.xorsign.abs.f32 %f1, %f2, %f3", "min f32 ftz xorsign: %f1 <- %f2 %f3"},
	{"min.u64 %d1, %d2, 3", "min u64: %d1 <- %d2 3"},
	{"mov.u32 %r1, %tid.x", "mov u32: %r1 <- %tid.x"},
	{"mov.u64 %d1, %clock64", "mov u64: %d1 <- %clock64"},
	{"mov.pred %p1, -1", "mov pred: %p1 <- 1"},
	{"mov.pred %p1, %p2", "mov pred: %p1 <- %p2"},
	{"mov.f32 %f1, 0f3F800000", "mov f32: %f1 <- f:3f800000"},
	{"mov.f32 %f1, 0.5", "mov f32: %f1 <- f:3f000000"},
	{"mov.f64 %e1, 0d3FF0000000000000", "mov f64: %e1 <- d:3ff0000000000000"},
	{"mov.b32 %f1, %r1", "mov b32: %f1 <- %r1"},
	{"mov.b32 %r1, 0f3F800000", "mov b32: %r1 <- f:3f800000"},
	{"mov.u64 %d1, g", "mov u64: %d1 <- &g"},
	{"mov.u64 %d1, s+4", "mov u64: %d1 <- &s+4"},
	{"mov.u32 %r1, s", "mov u32: %r1 <- &s"},
	{"mov.b32 {%h1, %h2}, %r1", "mov b32: %h1 %h2 <- %r1"},
	{"mov.b64 {_, %r2}, %d1", "mov b64: _ %r2 <- %d1"},
	{"mov.b64 %d1, {%r1, 5}", "mov b64: %d1 <- %r1 5"},
	{"mov.b64 %d1, {%h1, %h2, %h3, %h4}", "mov b64: %d1 <- %h1 %h2 %h3 %h4"},
	{"mov.u32 %r1, WARP_SZ", "mov u32: %r1 <- 32"},
	{"mov.u16 %h1, -1", "mov u16: %h1 <- -1"},
	{"mul.lo.s32 %r1, %r2, 0x80000000", "mul lo s32: %r1 <- %r2 -2147483648"},
	{"mul.hi.u64 %d1, %d2, -6640827866535438581",
		"mul hi u64: %d1 <- %d2 -6640827866535438581"},
	{"mul.wide.s16 %r1, %h2, 3", "mul wide s16: %r1 <- %h2 3"},
	{"mul.wide.u32 %d1, %r2, -858993459", "mul wide u32: %d1 <- %r2 -858993459"},
	{"mul.rn.f32 %f1, %f2, %f3", "mul f32 rn: %f1 <- %f2 %f3"},
	{"mul24.hi.u32 %r1, %r2, %r3", "mul24 hi u32: %r1 <- %r2 %r3"},
	{"nanosleep.u32 20", "nanosleep u32: <- 20"},
	{"pmevent 3", "pmevent: <- 3"},
	{"pmevent.mask 7", "pmevent: <- 7"},
	{"cvt.pack.sat.s16.s32 %r1, %r2, -5", "cvt.pack s32 sat: %r1 <- %r2 -5"},
	{"cvt.pack.sat.u2.s32.b32 %r1, %r2, %r3, %r4", "cvt.pack u32 sat: %r1 <- %r2 %r3 %r4"},
	{"neg.s64 %d1, %d2", "neg s64: %d1 <- %d2"},
	{"neg.f16x2 %r1, %r2", "neg f16x2: %r1 <- %r2"},
	{"not.b64 %d1, %d2", "not b64: %d1 <- %d2"},
	{"not.pred %p1, %p2", "not pred: %p1 <- %p2"},
	{"or.b16 %h1, %h2, %h3", "or b16: %h1 <- %h2 %h3"},
	{"popc.b32 %r1, %r2", "popc b32: %r1 <- %r2"},
	{"prefetch.global.L2 [%d1]", "prefetch global: <- [ %d1 +0 ]"},
	{"prefetchu.L1 [%d1+32]", "prefetch generic: <- [ %d1 +32 ]"},
	{"prmt.b32 %r1, %r2, %r3, 30212", "prmt b32: %r1 <- %r2 %r3 30212"},
	{"prmt.b32.f4e %r1, %r2, %r3, %r4", "prmt f4e b32: %r1 <- %r2 %r3 %r4"},
	{"rcp.approx.ftz.f64 %e1, %e2", "rcp f64 ftz approx: %e1 <- %e2"},
	{"rcp.rn.f32 %f1, %f2", "rcp f32 rn: %f1 <- %f2"},
	{"red.global.add.f32 [%d1], %f2", "red add f32 global: <- %f2 [ %d1 +0 ]"},
	{"red.shared.xor.b32 [s+4], 1", "red xor b32 shared: <- 1 [ &s +4 ]"},
	{"redux.sync.add.s32 %r1, %r2, -1", "redux add s32 sync: %r1 <- %r2 -1"},
	{"redux.sync.xor.b32 %r1, %r2, %r3", "redux xor b32 sync: %r1 <- %r2 %r3"},
	{"rem.u64 %d1, %d2, %d3", "rem u64: %d1 <- %d2 %d3"},
	{"ret", "ret:"},
	{"@%p1 ret.uni", "@%p1 ret uni:"},
	{"rsqrt.approx.f32 %f1, %f2", "rsqrt f32 approx: %f1 <- %f2"},
	{"sad.u32 %r1, %r2, %r3, %r4", "sad u32: %r1 <- %r2 %r3 %r4"},
	{"selp.f32 %f1, %f2, 0f00000000, %p1", "selp f32: %f1 <- %f2 f:0 %p1"},
	{"selp.b64 %d1, 1, 2, %p1", "selp b64: %d1 <- 1 2 %p1"},
	{"set.lt.u32.f32 %r1, %f2, %f3", "set lt u32 f32: %r1 <- %f2 %f3"},
	{"set.eq.or.f32.s32 %f1, %r2, 3, !%p2", "set eq or f32 s32 notc: %f1 <- %r2 3 !%p2"},
	{"set.gtu.f16x2.f16x2 %r1, %r2, %r3", "set gtu f16x2: %r1 <- %r2 %r3"},
	{"setp.ne.s32 %p1, %r2, 0", "setp ne s32: %p1 <- %r2 0"},
	{"setp.lo.u32 %p1, %r2, %r3", "setp lo u32: %p1 <- %r2 %r3"},
	{"setp.nan.f64 %p1, %e2, %e3", "setp nan f64: %p1 <- %e2 %e3"},
	{"setp.lt.and.ftz.f32 %p1|%p2, %f1, %f2, !%p3",
		"setp lt and f32 ftz notc: %p1 %p2 <- %f1 %f2 !%p3"},
	{"setp.eq.f16x2 %p1|%p2, %r1, %r2", "setp eq f16x2: %p1 %p2 <- %r1 %r2"},
	{"setp.eq.b64 %p1|_, %d1, 0", "setp eq b64: %p1 _ <- %d1 0"},
	{"shf.l.wrap.b32 %r1, %r2, %r3, %r4", "shf l b32: %r1 <- %r2 %r3 %r4"},
	{"shf.r.clamp.b32 %r1, %r2, %r3, 31", "shf r b32 clamp: %r1 <- %r2 %r3 31"},
	{"shfl.sync.bfly.b32 %r1|%p1, %r2, 4, 31, -1",
		"shfl bfly b32 sync: %r1 %p1 <- %r2 4 31 -1"},
	{"shfl.sync.idx.b32 %f1, %f2, %r1, 0x1f, %r2", "shfl idx b32 sync: %f1 <- %f2 %r1 31 %r2"},
	{"shfl.up.b32 %r1, %r2, 1, 0", "shfl up b32: %r1 <- %r2 1 0"},
	{"shl.b64 %d1, %d2, %r1", "shl b64: %d1 <- %d2 %r1"},
	{"shr.s16 %h1, %h2, 3", "shr s16: %h1 <- %h2 3"},
	{"sin.approx.f32 %f1, %f2", "sin f32 approx: %f1 <- %f2"},
	{"slct.u64.s32 %d1, %d2, %d3, %r1", "slct u64 s32: %d1 <- %d2 %d3 %r1"},
	{"slct.ftz.f32.f32 %f1, %f2, %f3, %f4", "slct f32 ftz: %f1 <- %f2 %f3 %f4"},
	{"sqrt.rn.f32 %f1, %f2", "sqrt f32 rn: %f1 <- %f2"},
	{"sqrt.approx.ftz.f32 %f1, %f2", "sqrt f32 ftz approx: %f1 <- %f2"},
	{"st.global.u32 [%d1+4], %r1", "st u32 global: <- %r1 [ %d1 +4 ]"},
	{"st.local.u8 [%d1], %d2", "st u8 local: <- %d2 [ %d1 +0 ]"},
	{"st.shared.v4.f32 [s+16], {%f1, 0f00000000, %f3, %f4}",
		"st f32 shared x4: <- %f1 f:0 %f3 %f4 [ &s +16 ]"},
	{"st.volatile.global.u16 [%d1], 3", "st u16 global volatile: <- 3 [ %d1 +0 ]"},
	{"st.release.gpu.global.u32 [g], %r1", "st u32 global volatile: <- %r1 [ &g +0 ]"},
	{"st.global.wt.f64 [%d1], 2.5", "st f64 global: <- d:4004000000000000 [ %d1 +0 ]"},
	{"sub.cc.s32 %r1, %r2, %r3", "sub s32 cc: %r1 <- %r2 %r3"},
	{"subc.u32 %r1, %r2, %r3", "subc u32: %r1 <- %r2 %r3"},
	{"suld.b.2d.v2.b32.trap {%r1, %r2}, [%d1, {%r3, %r4}]",
		"suld 2d b32 s32 x2: %r1 %r2 <- %d1 %r3 %r4"},
	{"sust.b.a2d.b16.zero [%d1, {%r3, %r4, %r5, %r5}], %h1",
		"sust a2d b16 s32 zero: <- %d1 %r3 %r4 %r5 %h1"},
	{"sust.b.2d.b32.trap [%d1, {%r3, %r4}], {%r1}", "sust 2d b32 s32: <- %d1 %r3 %r4 %r1"},
	{"suld.b.2d.b32.trap {%r1}, [%d1, {%r3, %r4}]", "suld 2d b32 s32: %r1 <- %d1 %r3 %r4"},
	{"sust.p.2d.v2.b32.clamp [%d1, {%r3, %r4}], {%r1, %r2}",
		"sust 2d b32 s32 x2 clamp format: <- %d1 %r3 %r4 %r1 %r2"},
	{"elect.sync %r1|%p1, %r2", "elect sync: %r1 %p1 <- %r2"},
	{"tanh.approx.f32 %f1, %f2", "tanh f32 approx: %f1 <- %f2"},
	{"bmsk.clamp.b32 %r1, %r2, 3", "bmsk b32 clamp: %r1 <- %r2 3"},
	{"cvt.rn.satfinite.relu.e5m2x2.f32 %h1, %f2, %f3",
		"cvt e5m2x2 f32 rn relu satfinite: %h1 <- %f2 %f3"},
	{"cp.async.cg.shared.global [%r1+16], [%d1], 16",
		"ld b32 global x4 async: %async0 %async1 %async2 %async3 <- [ %d1 +0 ]"},
	{"cp.async.mbarrier.arrive.noinc.shared.b64 [%r1]",
		"cp.async.mbarrier.arrive b64 shared noinc: <- [ %r1 +0 ]"},
	{"cp.async.commit_group", "cp.async.commit_group:"},
	{"cp.async.wait_group 2", "cp.async.wait_group: <- 2"},
	{"cp.async.wait_all", "cp.async.wait_all:"},
	{"createpolicy.fractional.L2::evict_last.b64 %d1, 0.5",
		"createpolicy b64 f32 generic: %d1 <- f:3f000000"},
	{"createpolicy.range.L2::evict_first.b64 %d1, [%d2], 64, %r1",
		"createpolicy wide b64 f32 generic: %d1 <- 64 %r1 [ %d2 +0 ]"},
	{"discard.global.L2 [%d1], 128", "discard global: <- 128 [ %d1 +0 ]"},
	{"griddepcontrol.wait", "griddepcontrol:"},
	{"ld.global.L2::cache_hint.L2::128B.u32 %r1, [%d1], %d2",
		"ld u32 global hint: %r1 <- [ %d1 +0 ]"},
	{"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1, %r2}, [%r3]",
		"ldmatrix shared: %r1 %r2 <- [ %r3 +0 ]"},
	{"mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, 7}",
		"mma: %r1 %r2 <- %r3 %r4 %r5 7"},
	{"stmatrix.sync.aligned.m8n8.x1.b16 [%d1+32], {%r1}",
		"stmatrix generic: <- %r1 [ %d1 +32 ]"},
	{"wmma.load.b.sync.aligned.col.m8n32k16.global.u8 {%r1, %r2, %r3, %r4}, [%d1], 32",
		"wmma.load global: %r1 %r2 %r3 %r4 <- 32 [ %d1 +0 ]"},
	{"wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64 {%e1, %e2}, {%e3}, {%e4}, "
	 "{%e5, %e6}",
		"wmma.mma: %e1 %e2 <- %e3 %e4 %e5 %e6"},
	{"wmma.store.d.sync.aligned.row.m8n8k4.f64 [%d1], {%e1, %e2}",
		"wmma.store generic: <- %e1 %e2 [ %d1 +0 ]"},
	{"lop3.or.b32 %r1|%p1, %r2, %r3, 4, 0x3f, !%p2",
		"lop3 or b32: %r1 %p1 <- %r2 %r3 4 63 !%p2"},
	{"min.f32 %f1, %f2, %f3, 1.5", "min f32: %f1 <- %f2 %f3 f:3fc00000"},
	{"redux.sync.max.abs.NaN.f32 %f1, %f2, -1",
		"redux max f32 sync nan xorsign: %f1 <- %f2 -1"},
	{"szext.wrap.s32 %r1, %r2, %r3", "szext s32: %r1 <- %r2 %r3"},
	{"testp.subnormal.f32 %p1, %f2", "testp subnormal f32: %p1 <- %f2"},
	{"tex.a2d.v4.s32.f32 {%r1, %r2, _, %r4}, [%d1, {%r5, %f1, %f2, %f2}]",
		"tex a2d s32 f32 x4: %r1 %r2 _ %r4 <- %d1 %r5 %f1 %f2 %f2"},
	{"trap", "trap:"},
	{"vabsdiff.u32.s32.u32 %r1, %r2.b3, %r3", "vabsdiff u32 s32: %r1 <- %r2 %r3"},
	{"vabsdiff2.u32.s32.u32 %r1, %r2, %r3, %r4", "vabsdiff2 u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vabsdiff4.u32.s32.u32 %r1, %r2, %r3, %r4", "vabsdiff4 u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vadd.u32.s32.u32 %r1, %r2.b3, %r3", "vadd u32 s32: %r1 <- %r2 %r3"},
	{"vadd2.u32.s32.u32 %r1, %r2, %r3, %r4", "vadd2 u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vadd4.u32.s32.u32 %r1, %r2, %r3, %r4", "vadd4 u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vavrg2.u32.s32.u32 %r1, %r2, %r3, %r4", "vavrg2 u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vavrg4.u32.s32.u32 %r1, %r2, %r3, %r4", "vavrg4 u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vmad.s32.s32.u32.sat.shr7 %r1, -%r2.h1, %r3.b0, %r4",
		"vmad s32 sat: %r1 <- !%r2 %r3 %r4"},
	{"vmax.u32.s32.u32 %r1, %r2.b3, %r3", "vmax u32 s32: %r1 <- %r2 %r3"},
	{"vmax2.u32.s32.u32 %r1, %r2, %r3, %r4", "vmax2 u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vmax4.u32.s32.u32 %r1, %r2, %r3, %r4", "vmax4 u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vmin.u32.s32.u32 %r1, %r2.b3, %r3", "vmin u32 s32: %r1 <- %r2 %r3"},
	{"vmin2.u32.s32.u32 %r1, %r2, %r3, %r4", "vmin2 u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vmin4.u32.s32.u32 %r1, %r2, %r3, %r4", "vmin4 u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vset.s32.u32.lt.add %r1, %r2, %r3, %r4", "vset add u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vset2.s32.u32.lt.add %r1, %r2, %r3, %r4", "vset2 add u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vset4.s32.u32.lt.add %r1, %r2, %r3, %r4", "vset4 add u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vshl.u32.s32.u32.wrap %r1, %r2.b3, %r3", "vshl u32 s32: %r1 <- %r2 %r3"},
	{"vshr.u32.s32.u32.wrap %r1, %r2.b3, %r3", "vshr u32 s32: %r1 <- %r2 %r3"},
	{"vsub.u32.s32.u32 %r1, %r2.b3, %r3", "vsub u32 s32: %r1 <- %r2 %r3"},
	{"vsub2.u32.s32.u32 %r1, %r2, %r3, %r4", "vsub2 u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vsub4.u32.s32.u32 %r1, %r2, %r3, %r4", "vsub4 u32 s32: %r1 <- %r2 %r3 %r4"},
	{"vote.sync.ballot.b32 %r1, %p1, -1", "vote ballot b32 sync: %r1 <- %p1 -1"},
	{"vote.sync.any.pred %p1, !%p2, %r1", "vote any pred sync: %p1 <- !%p2 %r1"},
	{"vote.all.pred %p1, %p2", "vote all pred: %p1 <- %p2"},
	{"vote.sync.uni.pred %p1, %p2, 0xffff", "vote uni pred sync: %p1 <- %p2 65535"},
	{"xor.b32 %r1, %r2, %r3", "xor b32: %r1 <- %r2 %r3"},
};

/* The opcodes that only functions of the machine's own have. */
static void built_in_opcodes(uint8_t seen[PTX_NOPS])
{
	struct ptx_module *m =
		parse(HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
			   ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
			   ".extern .func free(.param .b64 p);\n"
			   ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l,"
			   " .param .b64 n, .param .b64 c);\n"
			   ".entry k() { .param .b64 x; .param .b32 y;\n"
			   "call (y), vprintf, (x, x); call (x), malloc, (x); call free, (x);\n"
			   "call __assertfail, (x, x, y, x, x); ret; }\n");
	const struct ptx_kernel *k = ptx_kernel_at(m, 0);

	assert_null(ptx_refusal(k));
	for (uint32_t n = 0; n < k->ninsts; n++)
		seen[k->insts[n].op] = 1;
	ptx_module_free(m);
}

static void every_opcode(void **state)
{
	uint8_t seen[PTX_NOPS] = {0};
	(void)state;
	for (unsigned i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
		char text[256];
		snprintf(text, sizeof text, "%s; L: ret;", opcodes[i].text);
		struct ptx_module *m = parse_body(opcodes_globals, text);
		const struct ptx_kernel *k = ptx_kernel_at(m, 0);
		/* The operand of a barrier in memory has a row of its own before it. */
		const uint32_t n = k->insts[0].op == PTX_OPERAND;
		seen[PTX_OPERAND] |= (uint8_t)n;
		seen[k->insts[n].op] = 1;
		seen[PTX_CP_ASYNC] |= (k->insts[n].flags & PTX_F_ASYNC) != 0;
		expect_inst(k, n, opcodes[i].dump);
		assert_non_null(strstr(opcodes[i].text, k->strings + k->insts[n].text));
		assert_int_equal(k->insts[n].ptx_line, 5);
		assert_int_equal(k->ninsts, k->program->ninsts);
		ptx_module_free(m);
	}
	built_in_opcodes(seen);
	for (unsigned op = 0; op < PTX_NOPS; op++)
		if (!seen[op])
			fail_msg("no case for '%s'", ptx_op_name(op));
}

/* A CUDA program may have set a locale whose numbers have a comma: PTX has points all the same. */
static void comma_locale(void **state)
{
	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		skip(); /* tests/run has made it */
	assert_string_equal(localeconv()->decimal_point, ",");
	every_opcode(state);
	setlocale(LC_ALL, "C");
}

/* ---- sentences ---- */

#define CHOICES "1?1:1?1:1?1:1?1:1?1:1?1:1?1:1?1:"

/* The text stands in an entry, from line 5 on, after `globals` on line 4. */
static const struct {
	const char *globals, *text, *sentence;
} bad_bodies[] = {
	{"", "\nadd.s32 %r1, %r99, 3;", "k.ptx:6: register '%r99' is not declared"},
	{"", "add.s32 %r1, x, 3;", "k.ptx:5: register 'x' is not declared"},
	{"", "cvt.pack.sat.u8.s32 %r1, %r2, %r3;",
		"k.ptx:5: unsupported opcode 'cvt.pack.sat.u8.s32'"},
	{"", "cvt.pack.sat.s16.s32.b32 %r1, %r2, %r3, %r4;",
		"k.ptx:5: unsupported opcode 'cvt.pack.sat.s16.s32.b32'"},
	{"", "cvt.pack.s16.s32 %r1, %r2, %r3;", "k.ptx:5: unsupported opcode 'cvt.pack.s16.s32'"},
	{"", "cvt.pack.sat.s16.u32 %r1, %r2, %r3;",
		"k.ptx:5: unsupported opcode 'cvt.pack.sat.s16.u32'"},
	{"", "cvt.pack.sat.s16.s32 %f1, %d2, %r3;",
		"k.ptx:5: register '%d2' of type .b64 does not fit here: .s32 is wanted"},
	{"", "pmevent %r1;", "k.ptx:5: '%r1' stands where a literal should stand"},
	{"", "pmevent.wide 1;", "k.ptx:5: unsupported modifier '.wide' in 'pmevent.wide'"},
	{"", "tld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f1,%f2}];",
		"k.ptx:5: unsupported opcode 'tld4.r.2d.v4.f32.f32'; four fetches by tex give the "
		"same"},
	{"", "tex.level.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f1,%f2}];",
		"k.ptx:5: ';' stands where ',' and a level should stand"},
	{"", "tex.grad.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f1}], {%f1}, {%f2};",
		"k.ptx:5: unsupported modifier '.grad' in 'tex.grad.1d.v4.f32.f32'"},
	{"", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f1}];",
		"k.ptx:5: 1 coordinates, where there should be 2"},
	{"", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1,%f2}];",
		"k.ptx:5: register 't' is not declared"},
	{"", "wmma.load.a.sync.aligned.row.m16n16k8.f16 {%r1}, [%d1];",
		"k.ptx:5: unsupported opcode 'wmma.load.a.sync.aligned.row.m16n16k8.f16'"},
	{"", "cp.async.ca.shared.global [%r1], [%d1], 12;",
		"k.ptx:5: a copy of 12 bytes, not of 4, 8 or 16"},
	{"", "cp.async.ca.global [%r1], [%d1], 16;",
		"k.ptx:5: opcode 'cp.async.ca.global' lacks its state space"},
	{"",
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], "
		"16, [%r2];",
		"k.ptx:5: unsupported modifier '.bulk' in "
		"'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes'; code "
		"compiled "
		"for sm_80 has none of its kind"},
	{"", "mbarrier.test_wait.expect_tx.b64 %p1, [%d1], %d2;",
		"k.ptx:5: unsupported opcode 'mbarrier.test_wait.expect_tx.b64'"},
	{"", "fma.rn.e4m3x2 %h1, %h2, %h3, %h4;",
		"k.ptx:5: unsupported modifier '.e4m3x2' in 'fma.rn.e4m3x2'"},
	{"", "cvt.rn.e4m3x2.f32 %h1, %f2, %f3;", "k.ptx:5: unsupported opcode 'cvt.rn.e4m3x2.f32'"},
	{"", "cvt.rna.bf16.f32 %h1, %f2;", "k.ptx:5: unsupported opcode 'cvt.rna.bf16.f32'"},
	{"", "fma.rn.relu.f32 %f1, %f2, %f3, %f4;",
		"k.ptx:5: unsupported opcode 'fma.rn.relu.f32'"},
	{"", "add.foo.s32 %r1, %r2, %r3;", "k.ptx:5: unsupported modifier '.foo' in 'add.foo.s32'"},
	{"", "add.rn.rz.f32 %f1, %f2, %f3;",
		"k.ptx:5: unsupported modifier '.rz' in 'add.rn.rz.f32'"},
	{"", "atom.add.b128 %d1, [%d2], %d3;", "k.ptx:5: unsupported opcode 'atom.add.b128'"},
	{"", "atom.cas.b128 %d1, [%d2], %d3, %d4;",
		"k.ptx:5: register '%d1' of type .b64 does not fit here: .b128 is wanted"},
	{"", "add.rn.s32 %r1, %r2, %r3;", "k.ptx:5: unsupported opcode 'add.rn.s32'"},
	{"", "add.sat.u32 %r1, %r2, %r3;", "k.ptx:5: unsupported opcode 'add.sat.u32'"},
	{"", "add.cc.s16 %h1, %h2, %h3;", "k.ptx:5: unsupported opcode 'add.cc.s16'"},
	{"", "mul.s32 %r1, %r2, %r3;", "k.ptx:5: unsupported opcode 'mul.s32'"},
	{"", "mul.wide.u64 %d1, %d2, %d3;", "k.ptx:5: unsupported opcode 'mul.wide.u64'"},
	{"", "mul.lo.f32 %f1, %f2, %f3;", "k.ptx:5: unsupported opcode 'mul.lo.f32'"},
	{"", "cvt.s32.f32 %r1, %f2;", "k.ptx:5: unsupported opcode 'cvt.s32.f32'"},
	{"", "cvt.f32.s32 %f1, %r2;", "k.ptx:5: unsupported opcode 'cvt.f32.s32'"},
	{"", "cvt.f32.f64 %f1, %e2;", "k.ptx:5: unsupported opcode 'cvt.f32.f64'"},
	{"", "cvt.rn.f64.f32 %e1, %f2;", "k.ptx:5: unsupported opcode 'cvt.rn.f64.f32'"},
	{"", "cvt.u32 %r1, %r2;", "k.ptx:5: opcode 'cvt.u32' lacks its second type"},
	{"", "add %r1, %r2, %r3;", "k.ptx:5: opcode 'add' lacks its type"},
	{"", "setp.s32 %p1, %r2, %r3;", "k.ptx:5: opcode 'setp.s32' lacks its comparison"},
	{"", "atom.u32 %r1, [%d1], 3;", "k.ptx:5: opcode 'atom.u32' lacks its operation"},
	{"", "cvta.u64 %d1, %d2;", "k.ptx:5: opcode 'cvta.u64' lacks its state space"},
	{"", "shf.l.b32 %r1, %r2, %r3, 3;",
		"k.ptx:5: opcode 'shf.l.b32' lacks its .clamp or .wrap"},
	{"", "brx %r1, t;", "k.ptx:5: opcode 'brx' lacks its .idx"},
	{"", "match.any.b32 %r1, %r2, -1;", "k.ptx:5: opcode 'match.any.b32' lacks its .sync"},
	{"", "membar;", "k.ptx:5: opcode 'membar' lacks its scope"},
	{"", "lop3.xor.b32 %r1|%p1, %r2, %r3, %r4, 3, %p2;",
		"k.ptx:5: unsupported opcode 'lop3.xor.b32'"},
	{"", "ld.global.L2::cache_hint.u32 %r1, [%d1];",
		"k.ptx:5: ';' stands where ',' and a cache policy should stand"},
	{"", "vadd.u32.u32 %r1, %r2, %r3;",
		"k.ptx:5: opcode 'vadd.u32.u32' lacks its types or comparison"},
	{"", "vadd.u32.u32.u32 %r1, %r2.h2, %r3;",
		"k.ptx:5: a part that this instruction does not have"},
	{"", "vadd4.u32.u32.u32 %r1, %r2.b32, %r3, %r4;",
		"k.ptx:5: a part that this instruction does not have"},
	{"", "vmin2.u32.u32.u32.min %r1, %r2, %r3, %r4;",
		"k.ptx:5: unsupported modifier '.min' in 'vmin2.u32.u32.u32.min'"},
	{"", "prefetch.global [%d1];", "k.ptx:5: opcode 'prefetch.global' lacks its cache level"},
	{"", "atom.global.inc.s32 %r1, [%d1], 3;",
		"k.ptx:5: unsupported opcode 'atom.global.inc.s32'"},
	{"", "atom.local.add.u32 %r1, [%d1], 3;",
		"k.ptx:5: unsupported opcode 'atom.local.add.u32'"},
	{"", "st.const.u32 [%d1], 3;", "k.ptx:5: unsupported opcode 'st.const.u32'"},
	{"", "ld.v4.f64 {%e1,%e2,%e3,%e4}, [%d1];", "k.ptx:5: unsupported opcode 'ld.v4.f64'"},
	{"", "ld.nc.f32 %f1, [%d1];", "k.ptx:5: unsupported opcode 'ld.nc.f32'"},
	{"", "vote.ballot.pred %p1, %p2;", "k.ptx:5: unsupported opcode 'vote.ballot.pred'"},
	{"", "redux.sync.and.u32 %r1, %r2, -1;",
		"k.ptx:5: unsupported opcode 'redux.sync.and.u32'"},
	{"", "add.s32 %r1, %d2, 3;",
		"k.ptx:5: register '%d2' of type .b64 does not fit here: .s32 is wanted"},
	{"", "add.s32 %d1, %r2, 3;",
		"k.ptx:5: register '%d1' of type .b64 does not fit here: .s32 is wanted"},
	{"", "mul.wide.s32 %r1, %r2, 3;",
		"k.ptx:5: register '%r1' of type .b32 does not fit here: .b64 is wanted"},
	{"", "ld.u64 %r1, [%d1];",
		"k.ptx:5: register '%r1' of type .b32 does not fit here: .u64 is wanted"},
	{"", "ld.f32 %e1, [%d1];",
		"k.ptx:5: register '%e1' of type .f64 does not fit here: .f32 is wanted"},
	{"", "add.s32 %p1, %r2, 3;",
		"k.ptx:5: register '%p1' of type .pred does not fit here: .s32 is wanted"},
	{"", "@%r1 exit;",
		"k.ptx:5: register '%r1' of type .b32 does not fit here: .pred is wanted"},
	{"", "selp.b32 %r1, 1, 2, %r2;",
		"k.ptx:5: register '%r2' of type .b32 does not fit here: .pred is wanted"},
	{"", "setp.eq.s32 %r1, %r2, 3;",
		"k.ptx:5: register '%r1' of type .b32 does not fit here: .pred is wanted"},
	{"", "add.s32 %r1, %r2;", "k.ptx:5: ';' stands where ',' and another operand should stand"},
	{"", "add.s32 %r1, %r2, %r3, %r4;", "k.ptx:5: ',' stands where ';' should stand"},
	{"", "add.s32 5, %r2, %r3;", "k.ptx:5: a number stands where a register should stand"},
	{"", "add.s32 %r1, [%r2], 3;",
		"k.ptx:5: '[' stands where a register or a literal should stand"},
	{"", "add.f32 %f1, %f2, 3;",
		"k.ptx:5: a number stands where a floating-point literal should stand"},
	{"", "add.f32 %f1, %f2, (1);",
		"k.ptx:5: '(' stands where a register or a literal should stand"},
	{"", "add.s32 %r1, %r2, 1/(2-2);", "k.ptx:5: an expression divides by zero"},
	{"", "add.s32 %r1, %r2, (1;", "k.ptx:5: ';' stands where ')' should stand"},
	{"", "add.s32 %r1, %r2, 1?2;", "k.ptx:5: ';' stands where ':' should stand"},
	{"", "add.s32 %r1, %r2, 3*;",
		"k.ptx:5: ';' stands where a register or a literal should stand"},
	{"",
		"add.s32 %r1, %r2, "
		"-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(1;",
		"k.ptx:5: an expression is more than 64 deep"},
	{"",
		"add.s32 %r1, %r2, " CHOICES CHOICES CHOICES CHOICES CHOICES CHOICES CHOICES CHOICES
			CHOICES "1;",
		"k.ptx:5: an expression is more than 64 deep"},
	{"", "add.s16 %h1, %h2, 1.5;", "k.ptx:5: floating-point literal does not fit .s16"},
	{"", "add.f32 %f1, %f2, 0d3FF0000000000000;", NULL},
	{"", "add.f64 %e1, %e2, 0f3F800000;", "k.ptx:5: floating-point literal does not fit .f64"},
	{"", "lop3.b32 %r1, %r2, %r3, %r4, %r5;",
		"k.ptx:5: '%r5' stands where a literal should stand"},
	{"", "ld.v2.u32 {%r1}, [%d1];",
		"k.ptx:5: '}' stands where ',' and another element should stand"},
	{"", "ld.v2.u32 %r1, [%d1];", "k.ptx:5: '%r1' stands where '{' should stand"},
	{"", "mov.b32 {%r1, %r2}, %r3;",
		"k.ptx:5: register '%r1' of type .b32 does not fit here: .b16 is wanted"},
	{"", "mov.b64 {%r1, %r2, %r3}, %d1;", "k.ptx:5: 'mov.b64' does not take a vector of 3"},
	{"", "mov.u32 %r1, %pm0;", "k.ptx:5: unsupported special register '%pm0'"},
	{"", "mov.u32 %r1, %aggr_smem_size;",
		"k.ptx:5: unsupported special register '%aggr_smem_size'"},
	{"", "mov.u32 %r1, %reserved_smem_offset_2;",
		"k.ptx:5: unsupported special register '%reserved_smem_offset_2'"},
	{"", "mov.u32 %r1, %clusterid;", "k.ptx:5: unsupported special register '%clusterid'"},
	{"", "mov.u32 %r1, %is_explicit_cluster;",
		"k.ptx:5: register '%is_explicit_cluster' is not declared"},
	{"", "mapa.u32 %r1, %r2, 1;", "k.ptx:5: unsupported opcode 'mapa.u32'"},
	{"", "max.abs.f32 %f1, %f2, %f3;",
		"k.ptx:5: ';' stands where ',' and another operand should stand"},
	{"", "max.xorsign.abs.f32 %f1, %f2, %f3, %f4;",
		"k.ptx:5: ',' stands where ';' should stand"},
	{"", "redux.sync.min.xorsign.abs.f32 %f1, %f2, -1;",
		"k.ptx:5: unsupported modifier '.xorsign' in 'redux.sync.min.xorsign.abs.f32'"},
	{"", "mapa.shared.u32 %r1, %r2, 1;", "k.ptx:5: unsupported opcode 'mapa.shared.u32'"},
	{"", "getctarank.global.u64 %r1, %d2;",
		"k.ptx:5: unsupported opcode 'getctarank.global.u64'"},
	{"", "barrier.cluster.aligned;",
		"k.ptx:5: opcode 'barrier.cluster.aligned' lacks its operation"},
	{"", "cp.async.ca.shared::cluster.global [%r1], [%d1], 4;",
		"k.ptx:5: unsupported opcode 'cp.async.ca.shared::cluster.global'"},
	{"", "ld.u32 %r1, [%h1];", "k.ptx:5: register '%h1' of type .b16 holds no address"},
	{"", "ld.u32 %r1, [nowhere];", "k.ptx:5: variable 'nowhere' is not declared"},
	{"", "ld.u32 %r1, [%q1];", "k.ptx:5: register '%q1' is not declared"},
	{"", "ld.u32 %r1, [%d1+];", "k.ptx:5: ']' stands where an integer should stand"},
	{".shared .b32 s;", "ld.global.u32 %r1, [s];", "k.ptx:5: 's' does not lie in .global"},
	{".const .b32 c;", "st.u32 [c], 3;", "k.ptx:5: 'c' is read-only"},
	{".const .b32 c;", "atom.add.u32 %r1, [c], 3;", "k.ptx:5: 'c' is read-only"},
	{"", ".local .b32 l; atom.add.u32 %r1, [l], 3;",
		"k.ptx:5: 'l' lies where there are no atomics"},
	{"", "st.param.u32 [n], 3;", "k.ptx:5: 'n' is read-only"},
	{"", "st.param.u32 [%d1], 3;", "k.ptx:5: parameters of the kernel are read-only"},
	{"", "st.param.u32 [80], 3;",
		"k.ptx:5: a number stands where a parameter or a register should stand"},
	{"", "ld.param.u32 %r1, [80];",
		"k.ptx:5: a number stands where a parameter or a register should stand"},
	{"", "ld.param.u64 %d1, [n];", "k.ptx:5: access lies outside of 'n', which has 4 bytes"},
	{"", "ld.param.u32 %r1, [n-4];", "k.ptx:5: access lies outside of 'n', which has 4 bytes"},
	{"", "bra nowhere;", "k.ptx:5: label 'nowhere' is not defined"},
	{"", "bra L; { L: ret; }", "k.ptx:5: label 'L' is not defined"},
	{"", "L: ret;\nL: ret;", "k.ptx:6: label 'L' is defined twice"},
	{"", "t: .branchtargets L; L: bra t;", "k.ptx:5: 't' is a table of .branchtargets"},
	{"", "L: brx.idx %r1, L;", "k.ptx:5: 'L' is no table of .branchtargets"},
	{"", "t: .branchtargets M; brx.idx %r1, t;", "k.ptx:5: label 'M' is not defined"},
	{"", ".reg .b32 x; .reg .b32 x;", "k.ptx:5: 'x' is declared twice"},
	{"", ".reg .b32 x<5>; .reg .b32 x<6>;", "k.ptx:5: 'x' is declared twice"},
	{"", "{ .reg .b32 x; } mov.b32 x, 3;", "k.ptx:5: register 'x' is not declared"},
	{"", ".reg .b32 x<0>;", "k.ptx:5: a count of registers must lie between 1 and 4294967295"},
	{"", ".reg .v2 .b32 x;", "k.ptx:5: vector registers are not supported"},
	{"", ".shared .b128 x; .reg .b128 y; mov.b128 y, x;",
		"k.ptx:5: what stands here has no 128 bits"},
	{"", ".reg x;", "k.ptx:5: 'x' stands where a type should stand"},
	{"", ".local .pred x;", "k.ptx:5: a variable cannot have type .pred"},
	{"", ".local .b32 x[0];", "k.ptx:5: variable has no bytes"},
	{"", ".local .b32 x[];", "k.ptx:5: 'x' has no size"},
	{"", ".local .align 3 .b32 x;", "k.ptx:5: alignment 3 is no power of two"},
	{"", ".local .align 131072 .b32 x;", "k.ptx:5: an alignment must lie between 1 and 65536"},
	{"", ".local .b8 x[524289];", "k.ptx:5: variable is larger than 524288 bytes"},
	{"", ".local .b8 x[524288]; .local .b8 y;",
		"k.ptx:5: 'y' is one too many: 524289 bytes, of at most 524288"},
	{"", ".shared .b8 x[99999999999];", "k.ptx:5: variable is larger than 1073741824 bytes"},
	{"", ".local .b8 x[1][1][1][1][1][1][1][1][1];", "k.ptx:5: more than 8 dimensions"},
	{"", ".shared .b32 x = 3;", "k.ptx:5: 'x' cannot have initial values"},
	{"", ".tex .u64 t;", "k.ptx:5: unsupported directive '.tex'"},
	{"", ".loc -1 2 3;", "k.ptx:5: a file's number must lie between 0 and 65536"},
	{"", ".loc 1 -2 3;", "k.ptx:5: a line must lie between 0 and 4294967295"},
	{"", "call f;", "k.ptx:5: function 'f' is not declared"},
	{"", "call %r1, ();", "k.ptx:5: '%r1' holds no function"},
	{".func f() { ret; }", "mov.u32 %r1, f;",
		"k.ptx:5: a function's address does not fit .u32"},
	{".func f(.param .b32 x) { ret; }", "call f;",
		"k.ptx:5: 'f' has 1 parameters and 0 results, the call has 0 and 0"},
	{".func f(.param .b64 x) { ret; }", ".param .b32 y; call f, (y);",
		"k.ptx:5: 'f' wants 8 bytes for parameter 1, not 4"},
	{".func f(.param .b32 x) { ret; }", "call f, (%r1);",
		"k.ptx:5: 'f' wants parameter 1 as a .param"},
	{".func f(.reg .b32 x) { ret; }", "call f, (%d1);",
		"k.ptx:5: 'f' wants parameter 1 in a register of type .b32"},
	{".func (.reg .b32 y) f(.reg .b32 x) { ret; }", "call (3), f, (%r1);",
		"k.ptx:5: a number stands where a parameter or a register should stand"},
	{".shared .b32 s; .func f(.param .b32 x) { ret; }", "call f, (s);",
		"k.ptx:5: 's' is no parameter of a call"},
	{".func f(.reg .b32 x); .func f(.reg .b32 x) { call f, (x); }", "call f, (%r1);",
		"k.ptx:5: recursion through 'f', which has parameters in registers, is not "
		"supported"},
	{".func f(.param .b32 x); .func f(.param .b32 x) { .param .b16 z; call f, (z); }",
		".param .b32 y; call f, (y);", "k.ptx:4: 'f' wants 4 bytes for parameter 1, not 2"},
	{".func f(.param .b32 x); .func f(.param .b32 x) { call f, (x); }",
		".param .b16 y; call f, (y);", "k.ptx:5: 'f' wants 4 bytes for parameter 1, not 2"},
	{".entry e() { ret; }", "call e;", "k.ptx:5: call of 'e', which is an entry"},
	{".extern .func f();", "call f;",
		"k.ptx:5: call of 'f', which has no body here; PTX that has it can be linked with "
		"this"},
	{".extern .func __assertfail();", "call __assertfail;",
		"k.ptx:5: '__assertfail' has 5 parameters and 0 results, the call has 0 and 0"},
	{".extern .global .b32 x;", "\nld.u32 %r1, [x];",
		"k.ptx:6: variable 'x' is declared .extern and not defined"},
	{"", "mov.b32 %r1, 0x1ffffffffffffffff;", "k.ptx:5: number does not fit 64 bits"},
	{"", "mov.b32 %r1, 12ab;", "k.ptx:5: malformed number '12ab'"},
	{"", "mov.b32 %r1, 089;", "k.ptx:5: malformed number '089'"},
	{"", "mov.b32 %r1, 0b12;", "k.ptx:5: malformed number '12'"},
	{"", "mov.b32 %r1, 0f3F80000;", "k.ptx:5: malformed number '3F80000'"},
	{"", "mov.f32 %f1, 1.5e;", "k.ptx:5: malformed number '1.5e'"},
	{"", "mov.b32 %r1, #3;", "k.ptx:5: unexpected character '#'"},
	{"", "mov.b32 %r1, \x01;", "k.ptx:5: unexpected byte 0x01"},
	{"", "/* never\nclosed", "k.ptx:7: comment is not closed"},
	{"", ".pragma \"open;\n", "k.ptx:5: string is not closed"},
	{"", ".pragma nounroll;", "k.ptx:5: 'nounroll' stands where a string should stand"},
	{"", "3;", "k.ptx:5: a number stands where an instruction should stand"},
};

/* Whole texts: their first line is line 1. */
static const struct {
	const char *text, *sentence;
} bad_texts[] = {
	{"", "k.ptx:1: the text is not PTX: it begins without .version"},
	{"hello", "k.ptx:1: the text is not PTX: it begins without .version"},
	{".version seven", "k.ptx:1: 'seven' stands where a version should stand"},
	{HEAD ".entry k() { ret;", "k.ptx:4: the text ends where '}' should stand"},
	{HEAD ".entry k()", "k.ptx:4: the text ends where '{' or ';' should stand"},
	{HEAD ".entry k() { ret; }\n.entry k() { ret; }", "k.ptx:5: 'k' is declared twice"},
	{HEAD ".global .b32 k; .entry k() { ret; }", "k.ptx:4: 'k' is declared twice"},
	{HEAD ".func k(); .entry k() { ret; }", "k.ptx:4: 'k' is declared twice"},
	{HEAD ".entry k(.reg .b32 x) { ret; }",
		"k.ptx:4: '.reg' stands where a parameter should stand"},
	{HEAD ".entry k(.param .b8 x[40000]) { ret; }",
		"k.ptx:4: variable is larger than 32764 bytes"},
	{HEAD ".entry k() .maxntid 65536, 65536, 2 { ret; }",
		"k.ptx:4: more than 4294967295 threads"},
	{HEAD ".entry k() .reqntid 8, 4, 2, 1 { ret; }",
		"k.ptx:4: a number stands where no fourth dimension should stand"},
	{HEAD ".entry k() .maxntid 0 { ret; }",
		"k.ptx:4: a count of threads must lie between 1 and 4294967295"},
	{HEAD ".entry k() .maxnreg 0 { ret; }",
		"k.ptx:4: the bound must lie between 1 and 4294967295"},
	{HEAD ".entry k() .reqnctapercluster 2, 0 { ret; }",
		"k.ptx:4: CTAs of a cluster must lie between 1 and 16"},
	{HEAD ".entry k() .maxclusterrank 0 { ret; }",
		"k.ptx:4: the most CTAs of a cluster must lie between 1 and 4294967295"},
	{HEAD ".entry k() .blocksareclusters { ret; }",
		"k.ptx:4: unsupported directive '.blocksareclusters'"},
	{HEAD ".global .samplerref t;", "k.ptx:4: unsupported type '.samplerref'"},
	{HEAD ".surf .u64 t;", "k.ptx:4: unsupported directive '.surf'"},
	{HEAD ".reg .u32 %m; .func f() { mov.u32 %m, 1; ret; } .entry k() { call f; ret; }",
		"k.ptx:4: register '%m' of the module in a function is not supported"},
	{HEAD "add.s32 %r1, %r2, %r3;", "k.ptx:4: 'add.s32' stands where a directive should stand"},
	{".version 7.0 .address_size 16", "k.ptx:1: addresses of 16 bits are not supported"},
	{HEAD ".section .debug_info { .b8 1", "k.ptx:4: the text ends where the end of a group "
					      "should stand"},
	{HEAD ".section 3", "k.ptx:4: a number stands where a section's name should stand"},
	{HEAD ".file 70000 \"a\"", "k.ptx:4: a file's number must lie between 0 and 65536"},
	{HEAD ".file 1 a", "k.ptx:4: 'a' stands where a path should stand"},
	{HEAD ".alias f, g;", "k.ptx:4: function 'f' is not declared"},
	{HEAD ".func f() { ret; } .func g() { ret; } .alias f, g;",
		"k.ptx:4: 'f' is declared twice"},
	{HEAD ".global .b32 x = y;", "k.ptx:4: variable 'y' is not declared"},
	{HEAD ".func f() { ret; } .global .b32 x = f;",
		"k.ptx:4: a function's address does not fit .b32"},
	{HEAD ".shared .b32 s; .global .b64 x = s;",
		"k.ptx:4: the address of 's' is not known before a launch"},
	{HEAD ".global .b32 y; .global .b16 x = y;", "k.ptx:4: an address does not fit .b16"},
	{HEAD ".global .b32 x[2] = {1, 2, 3};", "k.ptx:4: too many initial values for 'x'"},
	{HEAD ".global .b32 x[2][2] = {{1, 2}, {3}, {4}};",
		"k.ptx:4: too many initial values for 'x'"},
	{HEAD ".global .b32 x[2] = {{1}};", "k.ptx:4: '{' stands where a value should stand"},
	{HEAD ".global .b32 x[2] = {1 2};", "k.ptx:4: a number stands where ',' or '}' should "
					    "stand"},
	{HEAD ".const .u64 a; .const .u64 x[][0] = a;", "k.ptx:4: variable has no bytes"},
	{HEAD ".const .u64 x[][9999999][9999999] = 1;",
		"k.ptx:4: variable is larger than 67108864 bytes"},
	{HEAD ".const .b8 x[][4000][4000] = {{1}, {2}, {3}, {4}, 5};",
		"k.ptx:4: variable is larger than 67108864 bytes"},
	{HEAD ".const .u64 x[][0] = 0x4141414141414141;", "k.ptx:4: variable has no bytes"},
	{HEAD ".global .f32 x = 1;",
		"k.ptx:4: a number stands where a floating-point number should stand"},
	{HEAD ".global .b8 x[300000000] = {1};",
		"k.ptx:4: more than 268435456 bytes of initial values"},
	{HEAD ".const .b8 x[60000000]; .const .b8 y[60000000];",
		"k.ptx:4: 'y' is one too many: 120000000 bytes, of at most 67108864"},
};

/* The text is refused with this sentence, or its one bad kernel is, which has then no program. */
static void expect_sentence(const char *text, const char *sentence)
{
	struct ptx_module *m;
	struct tr_err err = {0};
	int r = ptx_parse(&m, text, strlen(text), "k.ptx", &err);
	for (uint32_t i = 0; r == 1 && i < ptx_nkernels(m); i++) {
		const struct ptx_kernel *k = ptx_kernel_at(m, i);
		if (!ptx_refusal(k))
			continue;
		assert_string_equal(ptx_refusal(k), sentence);
		assert_null(ptx_program(k));
		assert_int_equal(err.code, 0);
		ptx_module_free(m);
		return;
	}
	if (r == 1)
		fail_msg("parsed:\n%s", text);
	assert_null(m);
	assert_int_equal(r, TR_EDATA);
	assert_int_equal(err.code, TR_EDATA);
	assert_string_equal(err.msg, sentence);
}

/* Refused by ptxas 13.0 as well. */
static const char *const unfit[] = {"add.sat.f64 %e1, %e2, %e3",
	"fma.rn.ftz.f64 %e1, %e2, %e3, %e4", "neg.ftz.f64 %e1, %e2",
	"setp.lt.ftz.f64 %p1, %e1, %e2", "set.lt.ftz.u32.f64 %r1, %e1, %e2",
	"min.NaN.f64 %e1, %e2, %e3", "rcp.approx.f64 %e1, %e2", "div.approx.f64 %e1, %e2, %e3",
	"add.rz.f16 %h1, %h2, %h3", "fma.rz.f16x2 %r1, %r2, %r3, %r4", "add.sat.bf16 %h1, %h2, %h3",
	"neg.ftz.bf16 %h1, %h2", "ex2.approx.ftz.f16 %h1, %h2", "ex2.approx.bf16 %h1, %h2",
	"fma.rn.sat.relu.f16 %h1, %h2, %h3, %h4", "min.xorsign.f32 %f1, %f2, %f3",
	"max.abs.f16 %h1, %h2, %h3", "min.xorsign.abs.f64 %e1, %e2, %e3",
	"add.cc.sat.s32 %r1, %r2, %r3", "mad.hi.cc.sat.s32 %r1, %r2, %r3, %r4",
	"mad24.lo.sat.s32 %r1, %r2, %r3, %r4", "setp.lo.s32 %p1, %r1, %r2",
	"setp.hs.f32 %p1, %f1, %f2", "setp.lt.b32 %p1, %r1, %r2", "set.num.u32.u32 %r1, %r2, %r3",
	"vadd2.u32.u32.u32.sat.add %r1, %r2, %r3, %r4", "vshl.u32.u32.s32.clamp %r1, %r2, %r3",
	"atom.add.f16x2 %r1, [%d1], %r2", "red.add.noftz.f32 [%d1], %f1",
	"div.rn.approx.f32 %f1, %f2, %f3", "div.approx.full.f32 %f1, %f2, %f3",
	"rcp.rz.approx.f32 %f1, %f2", "hostfree.u64 %d1", "hostprintf.u64 %r1, %d2, %d3"};
static const char *const unrounded[] = {"div.f32 %f1, %f2, %f3", "rcp.ftz.f32 %f1, %f2",
	"sqrt.f64 %e1, %e2", "fma.f32 %f1, %f2, %f3, %f4", "sin.f32 %f1, %f2",
	"rsqrt.ftz.f64 %e1, %e2"};
/* Where .approx is not a must yet: PTX 1.3. */
static const char *const old[] = {"div.f32 %f1, %f2, %f3", "rcp.f32 %f1, %f2", "sin.f32 %f1, %f2"};

/* The statement is refused with a sentence that names its opcode. */
static void expect_unfit(const char *statement, const char *why)
{
	char body[256], sentence[256];

	snprintf(body, sizeof body, "%s;", statement);
	snprintf(sentence, sizeof sentence, why, (int)strcspn(statement, " "), statement);
	char *text = wrap("", body);
	expect_sentence(text, sentence);
	free(text);
}

static void modifiers(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof unfit / sizeof *unfit; i++)
		expect_unfit(unfit[i], "k.ptx:5: unsupported opcode '%.*s'");
	for (unsigned i = 0; i < sizeof unrounded / sizeof *unrounded; i++)
		expect_unfit(unrounded[i], "k.ptx:5: opcode '%.*s' lacks its rounding, or .approx");
	expect_unfit("vshr.u32.u32.u32.sat %r1, %r2, %r3",
		"k.ptx:5: opcode '%.*s' lacks its .clamp or .wrap");
	for (unsigned i = 0; i < sizeof old / sizeof *old; i++) {
		char text[256];
		snprintf(text, sizeof text,
			".version 1.3\n.target sm_13\n"
			".entry k() { .reg .f32 %%f<9>; %s; exit; }\n",
			old[i]);
		ptx_module_free(parse(text));
	}
}

static void every_sentence(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof bad_bodies / sizeof *bad_bodies; i++) {
		char *text = wrap(bad_bodies[i].globals, bad_bodies[i].text);
		if (bad_bodies[i].sentence)
			expect_sentence(text, bad_bodies[i].sentence);
		else
			ptx_module_free(parse(text));
		free(text);
	}
	for (unsigned i = 0; i < sizeof bad_texts / sizeof *bad_texts; i++)
		expect_sentence(bad_texts[i].text, bad_texts[i].sentence);
}

/* A kernel that cannot be executed leaves its neighbours as they are, before it and after. */
static void neighbours(void **state)
{
	static const char text[] = HEAD
		".extern .global .b32 gone;\n"
		".func bad(.reg .b32 x) { wgmma.fence.sync.aligned; }\n"
		".entry a() { .reg .b32 r; L: mov.u32 r, 1; bra L; }\n"
		".entry b() { { .reg .b64 %rd<3>; L: mov.b64 {%r1, %r2}, %rd1; } tex.foo x; }\n"
		".entry c() { call bad, (1); }\n"
		".entry d() { .reg .b32 r; ld.global.b32 r, [gone]; }\n"
		".entry e() .blocksareclusters { ret; }\n"
		".entry f(.param .u32 n) { .reg .b32 r; L: ld.param.u32 r, [n]; ret; }\n";
	static const char *const why[] = {NULL, "k.ptx:7: register '%r1' is not declared",
		"k.ptx:5: unsupported opcode 'wgmma.fence.sync.aligned'; code compiled for sm_80 "
		"has none of its kind",
		"k.ptx:9: variable 'gone' is declared .extern and not defined",
		"k.ptx:10: unsupported directive '.blocksareclusters'", NULL};
	struct ptx_module *m = parse(text);
	(void)state;
	assert_int_equal(ptx_nkernels(m), 6);
	for (unsigned i = 0; i < 6; i++) {
		const struct ptx_kernel *k = ptx_kernel_at(m, i);
		if (why[i])
			assert_string_equal(ptx_refusal(k), why[i]);
		else
			assert_null(ptx_refusal(k));
		assert_true(!why[i] == (ptx_program(k) != NULL));
	}
	assert_int_equal(ptx_nparams(ptx_find(m, "f")), 1);
	ptx_module_free(m);
}

/* Any text may end anywhere: no crash, and a text without its last brace is an error. */
static void every_cut(void **state)
{
	static const char text[] = HEAD
		".global .b32 g[2] = {1, generic(g)}; .func f(.reg .b32 x) { ret; }\n"
		".entry k(.param .u64 a) { .reg .b32 %r<3>; .reg .pred p; t: .branchtargets L;\n"
		".loc 1 2 3, function_name L, inlined_at 1 2 3\n"
		"L: @p ld.global.v2.u32 {%r1, _}, [g+4]; call f, (%r1); brx.idx %r1, t; }";
	(void)state;
	for (size_t n = 0; n < sizeof text - 1; n++) {
		struct ptx_module *m;
		struct tr_err err = {0};
		char *cut = malloc(n + 1); /* without a NUL: a read after the end is found */
		assert_non_null(cut);
		memcpy(cut, text, n);
		int r = ptx_parse(&m, cut, n, "k.ptx", &err);
		if (strstr(text + n, "f(.reg"))
			assert_true(r == 1 || r == TR_EDATA);
		else if (n > strlen(HEAD) + 70)
			assert_int_equal(r, TR_EDATA);
		ptx_module_free(m);
		free(cut);
	}
}

/* ---- directives and symbols ---- */

static const struct ptx_sym *find_sym(const struct ptx_sym *syms, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(syms[i].name, name))
			return &syms[i];
	fail_msg("no symbol '%s'", name);
	return NULL;
}

static void variables(void **state)
{
	static const uint8_t words[] = {1, 0, 2, 0, 0xff, 0xff};
	static const uint8_t rows[] = {1, 2, 0, 3, 0, 0};
	static const struct {
		const char *name;
		uint8_t n, bytes[9];
	} unsized[] = {{"flat", 6, {1, 2, 3, 4, 0, 0}}, {"full", 9, {1, 0, 0, 2, 3, 0, 4, 5, 6}},
		{"pairs", 6, {1, 2, 3, 4, 5, 0}}};
	(void)state;
	struct ptx_module *m = parse(HEAD
		".visible .global .align 8 .b8 bytes[5] = {104, 0x65, 108U};\n"
		".weak .global .u16 words[] = {1, 2, -1}; .common .global .b32 plain;\n"
		".global .b8 rows[2][3] = {{1, 2}, {3}};\n"
		".global .b8 flat[][3] = {1, 2, 3, 4}, full[][3] = {{1}, 2, 3, 0, {4, 5, 6}};\n"
		".global .v2 .b8 pairs[] = {{1, 2}, {3, 4}, {5}};\n"
		".global .f32 one = 0f3F800000; .global .f32 half = -0.5, two[2] = {1.0, 2.0};\n"
		".global .f64 e = 1.5; .global .v4 .f32 quad[2];\n"
		".extern .global .b32 late; .global .u64 ptr = late; .global .b32 late;\n"
		".global .align 8 .u64 table[3] = {generic(bytes)+4, words-2, 7};\n"
		".const .b8 c1; .const .align 16 .b32 c2[3]; .const .u64 c3;\n"
		".global .attribute(.managed) .b32 managed;\n"
		".func f() { ret; } .global .align 16 .b128 wide[2] = {5, f};\n");
	const struct ptx_sym *s = find_sym(m->syms, m->nsyms, "bytes");
	assert_int_equal(s->space, PTX_V_GLOBAL);
	assert_int_equal(s->bytes, 5);
	assert_int_equal(s->align, 8);
	assert_memory_equal(s->init, "hel\0\0", 5);
	s = find_sym(m->syms, m->nsyms, "words");
	assert_int_equal(s->bytes, sizeof words);
	assert_memory_equal(s->init, words, sizeof words);
	s = find_sym(m->syms, m->nsyms, "plain");
	assert_null(s->init);
	assert_int_equal(s->align, 4);
	assert_memory_equal(find_sym(m->syms, m->nsyms, "rows")->init, rows, sizeof rows);
	for (unsigned k = 0; k < sizeof unsized / sizeof *unsized; k++) {
		s = find_sym(m->syms, m->nsyms, unsized[k].name);
		assert_int_equal(s->bytes, unsized[k].n);
		assert_memory_equal(s->init, unsized[k].bytes, unsized[k].n);
	}
	assert_memory_equal(find_sym(m->syms, m->nsyms, "one")->init, "\0\0\x80\x3f", 4);
	assert_memory_equal(find_sym(m->syms, m->nsyms, "half")->init, "\0\0\0\xbf", 4);
	assert_memory_equal(find_sym(m->syms, m->nsyms, "two")->init, "\0\0\x80\x3f\0\0\0\x40", 8);
	assert_memory_equal(find_sym(m->syms, m->nsyms, "e")->init, "\0\0\0\0\0\0\xf8\x3f", 8);
	s = find_sym(m->syms, m->nsyms, "quad");
	assert_int_equal(s->bytes, 32);
	assert_int_equal(s->align, 16);
	s = find_sym(m->syms, m->nsyms, "table");
	assert_int_equal(s->nrelocs, 2);
	assert_int_equal(s->relocs[0].at, 0);
	assert_string_equal(m->syms[s->relocs[0].sym].name, "bytes");
	assert_int_equal(s->relocs[0].add, 4);
	assert_int_equal(s->relocs[0].bytes, 8);
	assert_true(s->relocs[0].generic);
	assert_int_equal(s->relocs[1].at, 8);
	assert_int_equal(s->relocs[1].add, -2);
	assert_false(s->relocs[1].generic);
	assert_int_equal(s->init[16], 7);
	s = find_sym(m->syms, m->nsyms, "ptr");
	assert_string_equal(m->syms[s->relocs[0].sym].name, "late");
	assert_int_equal(find_sym(m->syms, m->nsyms, "c2")->offset, 16);
	assert_int_equal(find_sym(m->syms, m->nsyms, "c3")->offset, 32);
	assert_int_equal(m->const_bytes, 40);
	assert_int_equal(find_sym(m->syms, m->nsyms, "managed")->bytes, 4);
	const uint64_t wide[] = {5, 0, PTX_FUNCTION(0), 0};
	assert_memory_equal(find_sym(m->syms, m->nsyms, "wide")->init, wide, sizeof wide);
	ptx_module_free(m);
}

static void entries(void **state)
{
	uint32_t block[3];
	(void)state;
	struct ptx_module *m = parse(HEAD
		".file 2 \"b.cu\", 1234, 99\n"
		".visible .entry first(.param .u32 n, .param .align 8 .b8 s[12], "
		".param .u64 .ptr .global .align 16 p) .maxntid 64, 2 .minnctapersm 2 "
		".pragma \"nounroll\"; { ret; }\n"
		".entry second; .weak .entry second() .reqntid 32, 2 .maxnreg 40\n"
		"{ .reg .b32 %r<4294967295>, x; .loc 2 7 3\n"
		"mov.b32 %r4294967, x; .loc 1 9 1, function_name L+4, inlined_at 2 3 4\nL: trap; "
		"mov.b32 x, 1; .loc 2 0 0\n }\n"
		".section .debug_info { .b8 1, 2 { } L0: .b64 L1 }\n");
	assert_int_equal(ptx_nkernels(m), 2);
	const struct ptx_kernel *k = ptx_kernel_at(m, 0);
	assert_ptr_equal(ptx_find(m, "first"), k);
	assert_null(ptx_find(m, "third"));
	assert_null(ptx_kernel_at(m, 2));
	assert_string_equal(ptx_kernel_name(k), "first");
	assert_int_equal(ptx_nparams(k), 3);
	assert_int_equal(ptx_param_bytes(k, 0), 4);
	assert_int_equal(ptx_param_bytes(k, 1), 12);
	assert_int_equal(ptx_param_bytes(k, 2), 8);
	assert_int_equal(ptx_param_bytes(k, 3), 0);
	assert_int_equal(k->params[1].offset, 8);
	assert_int_equal(k->params[1].type, PTX_T_B8);
	assert_int_equal(k->params[2].offset, 24);
	assert_int_equal(k->params[2].type, PTX_T_U64);
	assert_int_equal(k->param_bytes, 32);
	assert_int_equal(k->program->param_bytes, 32);
	assert_int_equal(k->maxntid.most, 128);
	assert_int_equal(ptx_required_block(k, block), 0);
	assert_int_equal(block[0], 0);
	k = ptx_kernel_at(m, 1);
	assert_int_equal(k->maxntid.most, 64);
	assert_int_equal(ptx_required_block(k, block), 1);
	assert_int_equal(block[0], 32);
	assert_int_equal(block[1], 2);
	assert_int_equal(block[2], 1);
	assert_int_equal(k->nregs, 2);
	expect_inst(k, 0, "mov b32: %r4294967 <- x");
	assert_int_equal(k->insts[0].line, 7);
	assert_int_equal(k->insts[1].line, 9);
	const struct tr_program *p = ptx_program(k);
	assert_string_equal(tr_str(p, p->insts[0].file), "b.cu");
	assert_int_equal(p->insts[0].line, 7);
	assert_int_equal(p->insts[1].file, TR_NONE); /* there is no .file 1 */
	assert_int_equal(k->ninsts, 4);
	expect_inst(k, 3, "ret:"); /* the text of the entry runs off its end */
	ptx_module_free(m);
}

static void scopes(void **state)
{
	(void)state;
	struct ptx_module *m = parse_body("",
		"mov.b32 %r1, 1; { .reg .b32 %r<2>; mov.b32 %r1, 2; mov.b32 %r3, 3;\n"
		"{ .reg .b64 %r1; mov.b64 %r1, 4; bra OUT; } mov.b32 %r1, 5; }\n"
		"mov.b32 %r1, 6; mov.b32 %r3, 7;\n"
		"{ L: bra L; } { L: bra L; } OUT: bra L; L: exit;");
	const struct ptx_kernel *k = ptx_kernel_at(m, 0);
	static const uint32_t same[][2] = {{0, 6}, {2, 7}, {1, 5}};
	static const uint32_t other[][2] = {{0, 1}, {1, 3}, {0, 3}};
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(k->insts[same[i][0]].dst[0].reg, k->insts[same[i][1]].dst[0].reg);
		assert_int_not_equal(
			k->insts[other[i][0]].dst[0].reg, k->insts[other[i][1]].dst[0].reg);
	}
	assert_int_equal(k->insts[4].target, 10);
	assert_int_equal(k->insts[8].target, 8);
	assert_int_equal(k->insts[9].target, 9);
	assert_int_equal(k->insts[10].target, 11);
	ptx_module_free(m);
}

static void shared_variables(void **state)
{
	(void)state;
	struct ptx_module *m = parse(HEAD
		".shared .b8 unused[1000]; .shared .b8 both[10]; .shared .align 8 .b64 second;\n"
		".extern .shared .align 16 .b8 dyn[]; .extern .shared .b32 dyn4[];\n"
		".func f() { .shared .b32 own[2]; st.shared.b32 [own+4], 1; ret; }\n"
		".entry a() { st.shared.b8 [both], 1; call f; call f; ret; }\n"
		".entry b() { .reg .b32 r; st.shared.b64 [second], 1; st.shared.b8 [both+2], 1;\n"
		"mov.u32 r, dyn; st.shared.b32 [dyn4+4], 1; ret; }\n");
	const struct ptx_kernel *a = ptx_kernel_at(m, 0), *b = ptx_kernel_at(m, 1);
	assert_int_equal(a->shared_bytes, 20);
	assert_int_equal(a->nsyms, 2);
	assert_int_equal(find_sym(a->syms, a->nsyms, "own")->offset, 12);
	assert_int_equal(b->shared_bytes, 18);
	assert_int_equal(find_sym(b->syms, b->nsyms, "both")->offset, 8);
	assert_int_equal(find_sym(b->syms, b->nsyms, "dyn")->offset, 32);
	assert_int_equal(find_sym(b->syms, b->nsyms, "dyn4")->offset, 32);
	assert_int_equal(b->program->insts[1].disp, 10);
	assert_int_equal(b->program->insts[3].disp, 36);
	assert_int_equal(b->program->insts[3].base, TR_NONE);
	assert_int_equal(b->program->shared_bytes, 18);
	ptx_module_free(m);
}

/* ---- inlining ---- */

static void expect_dump(const struct ptx_kernel *k, const char *const *want)
{
	uint32_t n = 0;
	for (; *want; want++, n++) {
		assert_true(n < k->ninsts);
		expect_inst(k, n, *want);
	}
	assert_int_equal(k->ninsts, n);
}

static const char calls_text[] =
	HEAD ".func (.param .b32 r) f(.param .b32 x) { .reg .b32 %r<3>; .reg .pred %p<2>;\n"
	     "ld.param.u32 %r1, [x]; setp.gt.s32 %p1, %r1, 9; @%p1 bra L; ret;\n"
	     "L: add.s32 %r1, %r1, 1; st.param.b32 [r+0], %r1; @!%p1 ret; }\n"
	     ".entry k(.param .u64 a) { .reg .b32 %r<3>; .reg .pred %p<2>; .local .b32 mine[3];\n"
	     "mov.u32 %r1, %tid.x; @%p1 bra END;\n"
	     "{ .param .b32 param0; st.param.b32 [param0], %r1; .param .b32 retval0;\n"
	     "call.uni (retval0), f, (param0); ld.param.b32 %r2, [retval0]; }\n"
	     "st.local.b32 [mine+4], %r2; END: ret; }\n";

static void inlined_params(void **state)
{
	static const char *const want[] = {
		"mov u32: %r1 <- %tid.x",
		"@%p1 bra: ->14",
		"st b32 param: <- %r1 [ &param0 +0 ]",
		"call uni: ->4 12",
		"ld u32 param: %r1$1 <- [ &x +0 ]",
		"setp gt s32: %p1$1 <- %r1$1 9",
		"@%p1$1 bra: ->8",
		"ret: ->12",
		"add s32: %r1$1 <- %r1$1 1",
		"st b32 param: <- %r1$1 [ &r +0 ]",
		"@!%p1$1 ret: ->12",
		"ret: ->12",
		"ld b32 param: %r2 <- [ &retval0 +0 ]",
		"st b32 local: <- %r2 [ &mine +4 ]",
		"ret:",
		NULL,
	};
	(void)state;
	struct ptx_module *m = parse(calls_text);
	const struct ptx_kernel *k = ptx_kernel_at(m, 0);
	const struct ptx_sym *x = find_sym(k->syms, k->nsyms, "x");
	const struct ptx_sym *param0 = find_sym(k->syms, k->nsyms, "param0");
	expect_dump(k, want);
	assert_int_equal(x->space, PTX_V_LOCAL);
	assert_int_equal(x->offset, param0->offset);
	assert_int_equal(x->storage, param0->storage);
	assert_true(x->offset >= 12); /* after `mine` */
	assert_int_equal(k->local_bytes - k->call_bytes, 16);
	assert_true(x->offset + 4 <= k->local_bytes);
	assert_int_not_equal(find_sym(k->syms, k->nsyms, "r")->offset, x->offset);
	ptx_module_free(m);
}

/* What the program says of the same calls: moves between registers, jumps, no accesses. */
static void lowered_calls(void **state)
{
	(void)state;
	struct ptx_module *m = parse(calls_text);
	const struct tr_program *p = ptx_program(ptx_kernel_at(m, 0));
	const struct tr_inst *st = &p->insts[2], *call = &p->insts[3], *ld = &p->insts[4];
	assert_int_equal(st->cls, TR_C_MOVE);
	assert_int_equal(st->bytes, 0);
	assert_int_equal(st->space, TR_S_NONE);
	assert_int_equal(ld->cls, TR_C_MOVE);
	assert_int_equal(ld->flags & TR_I_VALUE, 0);
	assert_int_equal(st->ndst, 1);
	assert_int_equal(ld->nsrc, 1);
	assert_int_equal(p->reg_pool[st->dst], p->reg_pool[ld->src]);
	assert_string_equal(tr_str(p, p->regs[p->reg_pool[ld->src]].name), "%param[0]");
	assert_int_equal(call->cls, TR_C_BRANCH);
	assert_true(call->flags & TR_I_CALL);
	assert_int_equal(call->nsucc, 1);
	assert_int_equal(p->succ_pool[call->succ], 4);
	assert_int_equal(p->insts[7].cls, TR_C_BRANCH);
	assert_true(p->insts[7].flags & TR_I_RET);
	assert_int_equal(p->succ_pool[p->insts[10].succ], 11);
	assert_int_equal(p->succ_pool[p->insts[10].succ + 1], 12);
	assert_int_equal(p->insts[14].cls, TR_C_EXIT);
	assert_false(p->insts[14].flags & TR_I_RET);
	assert_int_equal(p->local_bytes, 16);
	ptx_module_free(m);
}

static void inlined_registers(void **state)
{
	static const char *const want[] = {
		"mov s32: in$1 <- 7",
		"mov pred: q$1 <- %p1",
		"@!%p1 call: ->3 8",
		"mov s32: in$2 <- in$1",
		"call: ->5 6",
		"ret: ->6",
		"ret: ->7",
		"mov b64: %d1 <- out$1",
		"ret:",
		NULL,
	};
	(void)state;
	struct ptx_module *m = parse(HEAD
		".func g(.reg .s32 in); .func h(.reg .s32 in) { ret; } .alias g, h;\n"
		".func (.reg .b64 out) f(.reg .s32 in, .reg .pred q) { call g, (in); ret; }\n"
		".entry k() { .reg .pred %p<2>; .reg .b64 %d<2>; @!%p1 call (%d1), f, (7, %p1); }");
	const struct ptx_kernel *k = ptx_kernel_at(m, 0);
	const struct tr_inst *call = &k->program->insts[2];
	expect_dump(k, want);
	assert_int_equal(call->nsucc, 2); /* the fall-through is after the copy */
	assert_int_equal(k->program->succ_pool[call->succ], 8);
	assert_int_equal(k->program->succ_pool[call->succ + 1], 3);
	assert_true(call->flags & TR_I_GUARD_NOT);
	ptx_module_free(m);
}

/* Two copies in a row use the same storage, a copy in a copy does not; names never meet. */
static void inlined_storage(void **state)
{
	(void)state;
	struct ptx_module *m = parse(HEAD
		".func leaf() { .local .align 4 .b8 l[20]; .reg .b32 r; ld.local.b32 r, [l]; ret; "
		"}\n"
		".func mid() { .local .b64 l; .reg .b64 r; ld.local.b64 r, [l]; call leaf; call "
		"leaf; ret; }\n"
		".entry k() { .local .b8 l[3]; .reg .b16 r; ld.local.b8 r, [l]; call mid; call "
		"leaf; "
		"}\n");
	const struct ptx_kernel *k = ptx_kernel_at(m, 0);
	static const uint64_t offsets[] = {0, 16, 32, 32, 16};
	assert_int_equal(k->nsyms, 5);
	assert_int_equal(k->nregs, 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(k->syms[i].offset, offsets[i]);
		for (uint32_t j = 0; j < i; j++)
			assert_string_not_equal(k->regs[i].name, k->regs[j].name);
	}
	assert_int_equal(k->local_bytes, 52);
	assert_int_equal(k->call_bytes, 0);
	ptx_module_free(m);
}

/* A parameter whose address is taken is memory: its accesses are accesses. */
static void addressed_params(void **state)
{
	(void)state;
	struct ptx_module *m = parse(
		HEAD ".func f(.param .align 4 .b8 x[16]) { .reg .b64 %d<3>; .reg .b32 %r<3>;\n"
		     "mov.b64 %d1, x; ld.param.b32 %r1, [%d1+4]; cvta.param.u64 %d2, x; ret; }\n"
		     ".entry k(.param .b32 n) { .param .align 4 .b8 y[16]; st.param.b32 [y+4], 9;\n"
		     "call f, (y); }\n");
	const struct ptx_kernel *k = ptx_kernel_at(m, 0);
	expect_inst(k, 0, "st b32 local: <- 9 [ &y +4 ]");
	expect_inst(k, 2, "mov b64: %d1$1 <- &x");
	expect_inst(k, 3, "ld b32 local: %r1$1 <- [ %d1$1 +4 ]");
	expect_inst(k, 4, "cvta u64 local: %d2$1 <- &x");
	assert_int_equal(k->program->insts[0].cls, TR_C_STORE);
	assert_int_equal(k->program->insts[0].space, TR_S_LOCAL);
	assert_int_equal(k->program->insts[3].cls, TR_C_LOAD);
	assert_int_equal(k->program->local_bytes, 16);
	ptx_module_free(m);
}

/* Each function calls the next one twice: 2^n copies are refused, and quickly. */
static void explosion(void **state)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	(void)state;
	fprintf(out, "%s.func f0() { ret; }\n", HEAD);
	for (int i = 1; i < 60; i++)
		fprintf(out, ".func f%d() { call f%d; call f%d; ret; }\n", i, i - 1, i - 1);
	fprintf(out, ".entry k() { call f59; }\n");
	fclose(out);
	expect_sentence(text, "k.ptx:4: with its calls inlined, 'k' needs more than 500000 "
			      "instructions");
	free(text);
	out = open_memstream(&text, &len);
	fprintf(out, "%s.func f0() { ret; }\n", HEAD);
	for (int i = 1; i < 300; i++)
		fprintf(out, ".func f%d() { call f%d; }\n", i, i - 1);
	fprintf(out, ".entry k() { call f299; }\n");
	fclose(out);
	expect_sentence(text, "k.ptx:104: calls are nested more than 200 deep");
	free(text);
	out = open_memstream(&text, &len);
	fprintf(out, "%s.entry k() {", HEAD);
	for (int i = 0; i < 100; i++)
		fputc('{', out);
	fclose(out);
	expect_sentence(text, "k.ptx:4: scopes are nested too deeply");
	free(text);
}

/* ---- functions that call themselves ---- */

enum { CIRCLE_BODIES = 6 };

/* Copies of recursive functions where f is called, with the bodies in `active` above it. */
static unsigned framed(uint8_t calls[][CIRCLE_BODIES], unsigned f, unsigned active)
{
	uint8_t reached[CIRCLE_BODIES] = {0};
	unsigned n = 0;
	for (unsigned k = 0; k < CIRCLE_BODIES; k++)
		for (unsigned from = 0; from < CIRCLE_BODIES; from++)
			for (unsigned to = 0; to < CIRCLE_BODIES; to++)
				reached[to] |= (from == f || reached[from]) && calls[from][to];
	n += reached[f];
	for (unsigned to = 0; to < CIRCLE_BODIES; to++)
		if (calls[f][to] && !((active | 1u << f) >> to & 1))
			n += framed(calls, to, active | 1u << f);
	return n;
}

static unsigned frames(const struct ptx_kernel *k)
{
	unsigned n = 0;
	for (uint32_t i = 0; i < k->nregs; i++)
		n += !strncmp(k->regs[i].name, "%back", 5);
	return n;
}

/* Any functions that call any others: those in a circle, and no others, have frames. */
static void circles(void **state)
{
	uint32_t random = 1;
	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		uint8_t calls[CIRCLE_BODIES][CIRCLE_BODIES] = {{0}};
		char *text;
		size_t len;
		FILE *out = open_memstream(&text, &len);
		fprintf(out, "%s", HEAD);
		for (unsigned f = 0; f < CIRCLE_BODIES; f++)
			fprintf(out, ".func f%u();\n", f);
		for (unsigned f = 0; f < CIRCLE_BODIES; f++) {
			fprintf(out, ".func f%u() { .reg .pred p;", f);
			for (unsigned to = 0; to < CIRCLE_BODIES; to++) {
				random = random * 1664525 + 1013904223;
				calls[f][to] = (random >> 24) % (CIRCLE_BODIES + round % 4) == 0;
				if (calls[f][to])
					fprintf(out, " @p call f%u;", to);
			}
			fprintf(out, " }\n.entry k%u() { call f%u; }\n", f, f);
		}
		fclose(out);
		struct ptx_module *m = parse(text);
		for (unsigned f = 0; f < CIRCLE_BODIES; f++) {
			const struct ptx_kernel *k = ptx_kernel_at(m, f);
			assert_null(ptx_refusal(k));
			if (frames(k) != framed(calls, f, 0))
				fail_msg("%u frames in k%u of\n%s", frames(k), f, text);
		}
		ptx_module_free(m);
		free(text);
	}
}

/* Parameters, as they are declared or named. */
static void put_list(FILE *out, unsigned kind, const char *type, const char *name)
{
	for (unsigned i = 0; i <= kind; i++)
		fprintf(out, "%s%s%s%u", i ? ", " : "", type, name, i);
}

/* Calls through registers are of the functions with as many parameters, and lead to no others. */
static void circles_through_registers(void **state)
{
	enum { KINDS = 4 };
	uint32_t random = 1;
	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		uint8_t calls[CIRCLE_BODIES][CIRCLE_BODIES] = {{0}};
		unsigned kind[CIRCLE_BODIES];
		char *text;
		size_t len;
		FILE *out = open_memstream(&text, &len);
		fprintf(out, "%s", HEAD);
		for (unsigned f = 0; f < CIRCLE_BODIES; f++) {
			random = random * 1664525 + 1013904223;
			kind[f] = random >> 28 & (KINDS - 1);
			fprintf(out, ".func f%u(", f);
			put_list(out, kind[f], ".param .b32 ", "x");
			fprintf(out, ");\n");
		}
		fprintf(out, ".global .u64 t[6] = {f0, f1, f2, f3, f4, f5};\n");
		for (unsigned f = 0; f < CIRCLE_BODIES; f++) {
			fprintf(out, ".func f%u(", f);
			put_list(out, kind[f], ".param .b32 ", "x");
			fprintf(out, ") { .reg .b64 a; .param .b32 y0, y1, y2, y3;\n");
			for (unsigned c = 0; c < KINDS; c++) {
				random = random * 1664525 + 1013904223;
				if ((random >> 24) % (3 + round % 3))
					continue;
				fprintf(out, "P%u: .callprototype _ (", c);
				put_list(out, c, ".param .b32 ", "z");
				fprintf(out, "); call a, (");
				put_list(out, c, "", "y");
				fprintf(out, "), P%u;\n", c);
				for (unsigned to = 0; to < CIRCLE_BODIES; to++)
					calls[f][to] = calls[f][to] || kind[to] == c;
			}
			fprintf(out, "}\n.entry k%u() { .param .b32 y0, y1, y2, y3; call f%u, (", f,
				f);
			put_list(out, kind[f], "", "y");
			fprintf(out, "); }\n");
		}
		fclose(out);
		struct ptx_module *m = parse(text);
		for (unsigned f = 0; f < CIRCLE_BODIES; f++) {
			const struct ptx_kernel *k = ptx_kernel_at(m, f);
			if (ptx_refusal(k)) /* tables of many functions that call each other */
				assert_non_null(strstr(ptx_refusal(k), "500000 instructions"));
			else if (frames(k) != framed(calls, f, 0))
				fail_msg("%u frames in k%u of\n%s", frames(k), f, text);
		}
		ptx_module_free(m);
		free(text);
	}
}

/* And where each such call is of a kind of its own, or all are of one. */
static void many_kinds(void **state)
{
	enum { N = 3000 };
	(void)state;
	for (int same = 0; same < 2; same++) {
		char *text;
		size_t len;
		FILE *out = open_memstream(&text, &len);
		fprintf(out, "%s", HEAD);
		for (int i = 0; i < N; i++)
			fprintf(out, ".func f%d(.param .b8 x[%d]);\n", i, same ? 1 : i + 1);
		for (int i = 0; i < N; i++)
			fprintf(out,
				".func f%d(.param .b8 x[%d]) { .reg .b64 a; .param .b8 y[%d];\n"
				"P: .callprototype _ (.param .b8 z[%d]); mov.u64 a, f%d;\n"
				"call a, (y), P; }\n",
				i, same ? 1 : i + 1, same ? 1 : i + 2, same ? 1 : i + 2, i);
		fprintf(out, ".entry k() { .param .b8 y; call f0, (y); }\n");
		fclose(out);
		clock_t start = clock();
		if (same)
			expect_sentence(text,
				"k.ptx:3237: with its calls inlined, 'k' needs more than "
				"500000 instructions");
		else
			expect_sentence(text, "k.ptx:3603: calls are nested more than 200 deep");
		double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
		if (seconds > 2)
			fail_msg("%.1f s", seconds);
		free(text);
	}
}

/* The time to find circles grows as the calls do. */
static void many_calls(void **state)
{
	enum { N = 6000 };
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	(void)state;
	fprintf(out, "%s", HEAD);
	for (int i = 0; i < N; i++)
		fprintf(out, ".func f%d();\n", i);
	for (int i = 0; i < N; i++)
		fprintf(out, ".func f%d() { call f%d; }\n", i, i + 1 < N ? i + 1 : 0);
	fprintf(out, ".entry k() { call f0; }\n");
	fclose(out);
	clock_t start = clock();
	expect_sentence(text, "k.ptx:6203: calls are nested more than 200 deep");
	double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	if (seconds > 2) /* 0.01 s without sanitizers */
		fail_msg("%.1f s", seconds);
	free(text);
}

/*
 * Blocks in the reverse of their order: before a call a register, the predicate and the place to
 * return to are stored. To find that takes time, and where it would be too much, all are stored.
 */
static void tangled_recursion(void **state)
{
	static const struct {
		uint32_t n, stores;
	} cases[] = {{1, 3}, {100, 3}, {700, 3}, {6000, 6001 + 2}};
	(void)state;
	for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
		const uint32_t n = cases[c].n;
		uint32_t stores = 0;
		char *text;
		size_t len;
		FILE *out = open_memstream(&text, &len);
		fprintf(out,
			"%s.func f(); .func f() { .reg .pred p; .reg .b32 %%r<%u>; bra L0;\n"
			"E: @p call f;\n",
			HEAD, n + 1);
		for (uint32_t i = n; i--;)
			fprintf(out, "L%u: mov.u32 %%r%u, %%r%u; bra %c%u;\n", i, i, i + 1,
				i + 1 < n ? 'L' : 'E', i + 1);
		fprintf(out, "E%u: @p bra E; }\n.entry k() { call f; }\n", n);
		fclose(out);
		clock_t start = clock();
		struct ptx_module *m = parse(text);
		double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
		const struct ptx_kernel *k = ptx_kernel_at(m, 0);
		for (uint32_t i = 0; i < k->ninsts; i++)
			stores += k->insts[i].op == PTX_ST;
		assert_int_equal(stores, cases[c].stores);
		if (seconds > 2) /* 0.3 s without sanitizers */
			fail_msg("%.1f s", seconds);
		ptx_module_free(m);
		free(text);
	}
}

/* ---- the program ---- */

static const struct tr_inst *lower_one(struct ptx_module **m, const char *statement)
{
	char text[256];
	snprintf(text, sizeof text, "%s L: ret;", statement);
	*m = parse_body(opcodes_globals, text);
	return &ptx_program(ptx_kernel_at(*m, 0))->insts[0];
}

static void lowered_classes(void **state)
{
	static const struct {
		const char *text;
		enum tr_class cls;
	} cases[] = {
		{"add.s32 %r1, %r2, 3;", TR_C_INT},
		{"add.f16 %h1, %h2, %h3;", TR_C_FP16},
		{"fma.rn.f16x2 %r1, %r2, %r3, %r4;", TR_C_FP16},
		{"add.f32 %f1, %f2, %f3;", TR_C_FP32},
		{"fma.rn.f64 %e1, %e2, %e3, %e4;", TR_C_FP64},
		{"setp.lt.f64 %p1, %e1, %e2;", TR_C_INT},
		{"selp.f32 %f1, %f2, %f3, %p1;", TR_C_INT},
		{"div.s32 %r1, %r2, %r3;", TR_C_SFU},
		{"sqrt.rn.f64 %e1, %e2;", TR_C_SFU},
		{"mov.u32 %r1, %tid.x;", TR_C_MOVE},
		{"cvta.shared.u64 %d1, s;", TR_C_MOVE},
		{"cvt.rn.f32.s32 %f1, %r1;", TR_C_CONVERT},
		{"ld.global.u32 %r1, [%d1];", TR_C_LOAD},
		{"st.global.u32 [%d1], %r1;", TR_C_STORE},
		{"red.global.add.u32 [%d1], %r1;", TR_C_ATOMIC},
		{"bra L;", TR_C_BRANCH},
		{"bar.sync 0;", TR_C_BARRIER},
		{"membar.gl;", TR_C_FENCE},
		{"bar.warp.sync -1;", TR_C_FENCE},
		{"vote.all.pred %p1, %p2;", TR_C_COLLECTIVE},
		{"exit;", TR_C_EXIT},
		{"ret;", TR_C_EXIT},
		{"trap;", TR_C_EXIT},
		{"nanosleep.u32 3;", TR_C_OTHER},
		{"prefetch.global.L1 [%d1];", TR_C_OTHER},
	};
	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ptx_module *m;
		assert_int_equal(lower_one(&m, cases[i].text)->cls, cases[i].cls);
		ptx_module_free(m);
	}
}

static void lowered_accesses(void **state)
{
	static const struct {
		const char *text;
		uint8_t space, bytes, vec;
		int base;
		int64_t disp;
	} cases[] = {
		{"ld.global.nc.v2.f32 {%f1, %f2}, [%d1+8];", TR_S_TEXTURE, 4, 2, 1, 8},
		{"ld.u8 %r1, [%d1-8];", TR_S_GENERIC, 1, 1, 1, -8},
		{"ld.global.u32 %r1, [g+8];", TR_S_GLOBAL, 4, 1, 0, 8},
		{"st.shared.u64 [s+16], %d1;", TR_S_SHARED, 8, 1, 0, 16},
		{"ld.const.f32 %f1, [c+4];", TR_S_CONST, 4, 1, 0, 4},
		{"ld.param.u32 %r1, [n];", TR_S_PARAM, 4, 1, 0, 8},
		{"ld.shared.u32 %r1, [64];", TR_S_SHARED, 4, 1, 0, 64},
		{"atom.global.cas.b64 %d1, [%d2+8], %d3, %d4;", TR_S_GLOBAL, 8, 1, 1, 8},
		{"prefetch.global.L1 [%d1+8];", TR_S_NONE, 0, 0, 0, 0},
	};
	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ptx_module *m;
		const struct tr_inst *t = lower_one(&m, cases[i].text);
		assert_int_equal(t->space, cases[i].space);
		assert_int_equal(t->bytes, cases[i].bytes);
		assert_int_equal(t->vec, cases[i].vec);
		assert_int_equal(t->base != TR_NONE, cases[i].base);
		assert_int_equal(t->disp, cases[i].disp);
		assert_int_equal((t->flags & TR_I_VALUE) != 0, cases[i].base);
		ptx_module_free(m);
	}
}

static void lowered_text(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"add.cc.u32 %r1, %r2, 3;", "add.cc.u32 %r1, %r2, 3"},
		{"madc.lo.cc.u32 %r1, %r2, %r3, %r4;", "madc.lo.cc.u32 %r1, %r2, %r3, %r4"},
		{"mad.lo.s32 %r1, %ctaid.x, %ntid.x, %tid.x;",
			"mad.lo.s32 %r1, %ctaid.x, %ntid.x, %tid.x"},
		{"ld.global.v2.u32 {_, %r1}, [%d1];", "ld.global.v2.u32 {_, %r1}, [%d1]"},
		{"@!%p1 atom.global.add.u32 %r1, [%d1+4], %r2;",
			"@!%p1 atom.global.add.u32 %r1, [%d1+4], %r2"},
	};
	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		char have[200];
		struct ptx_module *m;
		lower_one(&m, cases[i].text);
		tr_program_format(ptx_program(ptx_kernel_at(m, 0)), 0, have, sizeof have);
		assert_string_equal(have, cases[i].want);
		ptx_module_free(m);
	}
}

static void lowered_flags(void **state)
{
	static const struct {
		const char *text;
		uint32_t flags, marks;
	} cases[] = {
		{"mov.u32 %r1, %laneid;", 0, TR_M_LANEID},
		{"mov.u32 %r1, %lanemask_lt;", 0, TR_M_LANEID},
		{"mov.u32 %r1, %warpid;", 0, TR_M_WARPID},
		{"mov.u32 %r1, %nwarpid;", 0, TR_M_WARPID},
		{"mov.u64 %d1, %globaltimer;", 0, TR_M_CLOCK},
		{"mov.u32 %r1, %clock;", 0, TR_M_CLOCK},
		{"mov.u32 %r1, %tid.x;", 0, 0},
		{"activemask.b32 %r1;", TR_I_COLLECTIVE | TR_I_VALUE, TR_M_VOTE},
		{"match.any.sync.b32 %r1, %r2, -1;", TR_I_COLLECTIVE | TR_I_VALUE, TR_M_VOTE},
		{"shfl.up.b32 %r1, %r2, 1, 0;", TR_I_COLLECTIVE | TR_I_VALUE, TR_M_SHUFFLE},
		{"bar.arrive 1, 64;", TR_I_ARRIVE, 0},
		{"bar.sync 1, 64;", 0, 0},
		{"ld.volatile.shared.u32 %r1, [s];", TR_I_VOLATILE, 0},
		{"@!%p1 add.s32 %r1, %r2, %r3;", TR_I_GUARD_NOT | TR_I_OUTCOME, 0},
		{"t: .branchtargets L, M, L; M: brx.idx %r1, t;", TR_I_INDEXED | TR_I_OUTCOME, 0},
	};
	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ptx_module *m;
		const struct tr_inst *t = lower_one(&m, cases[i].text);
		assert_int_equal(t->flags, cases[i].flags);
		assert_int_equal(ptx_program(ptx_kernel_at(m, 0))->marks, cases[i].marks);
		ptx_module_free(m);
	}
}

static void lowered_barriers(void **state)
{
	static const struct {
		const char *text;
		int64_t disp;
		uint32_t aux, nsrc;
	} cases[] = {
		{"bar.sync 3;", 3, 0, 0},
		{"bar.sync 3, 64;", 3, 64, 0},
		{"bar.sync %r1, 64;", 0, 64, 1},
		{"bar.arrive 3, %r1;", 3, 0, 1},
		{"bar.red.popc.u32 %r1, 3, %p1;", 3, 0, 1},
		{"bar.red.popc.u32 %r1, 3, 96, %p1;", 3, 96, 1},
	};
	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ptx_module *m;
		const struct tr_inst *t = lower_one(&m, cases[i].text);
		assert_int_equal(t->disp, cases[i].disp);
		assert_int_equal(t->aux, cases[i].aux);
		assert_int_equal(t->nsrc, cases[i].nsrc);
		ptx_module_free(m);
	}
}

static void lowered_successors(void **state)
{
	static const struct {
		const char *text;
		uint32_t n, succ[4];
	} cases[] = {
		{"mov.u32 %r1, 3;", 1, {1}},
		{"@%p1 mov.u32 %r1, 3;", 1, {1}},
		{"bra L;", 1, {1}},
		{"L2: @%p1 bra L2;", 2, {1, 0}},
		{"exit;", 0, {0}},
		{"@%p1 exit;", 2, {1, TR_EXIT}},
		{"@%p1 ret;", 2, {1, TR_EXIT}},
		{"t: .branchtargets L, M, L; M: brx.idx %r1, t;", 3, {1, 0, 1}},
		{"t: .branchtargets M, L; M: @%p1 brx.idx %r1, t;", 3, {1, 0, 1}},
		{"call f;", 1, {1}},
		{"@%p1 call f;", 2, {2, 1}},
	};
	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ptx_module *m;
		const struct tr_inst *t = lower_one(&m, cases[i].text);
		const struct tr_program *p = ptx_program(ptx_kernel_at(m, 0));
		assert_int_equal(t->nsucc, cases[i].n);
		for (uint32_t s = 0; s < t->nsucc; s++)
			assert_int_equal(p->succ_pool[t->succ + s], cases[i].succ[s]);
		ptx_module_free(m);
	}
}

/* ---- compilers' texts ---- */

static struct ptx_module *parse_file(const char *path)
{
	struct ptx_module *m;
	struct tr_err err = {0};
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size_t len = (size_t)ftell(f);
	rewind(f);
	char *text = malloc(len);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, len, f), len);
	fclose(f);
	if (ptx_parse(&m, text, len, path, &err) != 1)
		fail_msg("%s", err.msg);
	free(text);
	return m;
}

static void clang_text(void **state)
{
	(void)state;
	struct ptx_module *m = parse_file("datasets/workloads/bfs/bfs.ptx");
	const struct tr_program *p = ptx_program(ptx_find(m, "bfs_visit"));
	assert_int_equal(ptx_nkernels(m), 2);
	assert_int_equal(p->nloops, 1);
	assert_int_equal(p->marks, 0);
	assert_true(p->insts[0].line > 0);
	assert_non_null(strstr(tr_str(p, p->insts[0].file), "bfs.cu"));
	ptx_module_free(m);
}

static void nvcc_text(void **state)
{
	static const struct {
		const char *path;
		uint32_t ncalls;
	} cases[] = {
		{"tests/kernels/nvcc/calls.ptx", 4}, /* shift, twice, and count in it two times */
		{"tests/kernels/nvcc/debug.ptx", 6}, /* __popc and __clz as well */
	};
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct ptx_module *m = parse_file(cases[i].path);
		const struct ptx_kernel *k = ptx_find(m, "calls");
		const struct tr_program *p = ptx_program(k);
		uint32_t ncalls = 0, nrets = 0, nexits = 0;
		assert_int_equal(ptx_nkernels(m), 1);
		assert_int_equal(k->nparams, 4);
		assert_int_equal(ptx_param_bytes(k, 1), 32);
		assert_int_equal(k->maxntid.most, 128);
		assert_int_equal(p->shared_bytes, 512);
		assert_int_equal(m->const_bytes, 256);
		for (uint32_t n = 0; n < p->ninsts; n++) {
			ncalls += (p->insts[n].flags & TR_I_CALL) != 0;
			nrets += (p->insts[n].flags & TR_I_RET) != 0;
			nexits += p->insts[n].cls == TR_C_EXIT;
		}
		assert_int_equal(ncalls, cases[i].ncalls);
		assert_true(nrets >= ncalls);
		assert_int_equal(nexits, 1);
		assert_int_equal(p->nloops, 4); /* two copies of count's, two in the asm */
		assert_string_equal(tr_str(p, p->insts[p->ninsts - 1].file), "calls.cu");
		ptx_module_free(m);
	}
}

/* A hundred thousand lines: nothing in the parser may grow faster than the text. */
static void long_text(void **state)
{
	enum { N = 25000 };
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	(void)state;
	fprintf(out, "%s.entry k() { .reg .b32 %%r<99999>; .reg .pred %%p<99999>;\n", HEAD);
	for (int i = 0; i < N; i++)
		fprintf(out,
			"L%d: add.s32 %%r%d, %%r0, %d;\nsetp.eq.s32 %%p%d, %%r%d, 3;\n"
			"@%%p%d bra L%d;\n.loc 1 %d 0\n",
			i, i + 1, i, i, i + 1, i, i % 2 ? i & ~1 : (i + 2) % N, i);
	fprintf(out, "ret; }\n");
	fclose(out);
	clock_t start = clock();
	struct ptx_module *m = parse(text);
	double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	assert_int_equal(ptx_kernel_at(m, 0)->ninsts, 3 * N + 1);
	if (seconds > 5) /* 0.1 s without sanitizers */
		fail_msg("%.1f s", seconds);
	ptx_module_free(m);
	free(text);
}

/* Bodies without their last semicolon: each is refused for itself, and none is looked at twice. */
static void many_refusals(void **state)
{
	enum { N = 8000 };
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	(void)state;
	fprintf(out, "%s", HEAD);
	for (int i = 0; i < N; i++)
		fprintf(out, ".entry k%d() { bar.sync 0 }\n", i);
	fprintf(out, ".entry k() { .reg .b32 r; add.u32 r, r, 1; }\n");
	fclose(out);
	clock_t start = clock();
	struct ptx_module *m = parse(text);
	double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	assert_string_equal(
		ptx_refusal(ptx_kernel_at(m, 0)), "k.ptx:4: '}' stands where ';' should stand");
	assert_null(ptx_refusal(ptx_kernel_at(m, N)));
	if (seconds > 2) /* 0.02 s without sanitizers */
		fail_msg("%.1f s", seconds);
	ptx_module_free(m);
	free(text);
}

/* Three texts as one module: what each case's texts hold, and the sentence, or NULL. */
static void linked_texts(void **state)
{
	static const struct {
		const char *texts[3], *why;
	} cases[] = {
		{{".visible .global .u32 x = 7; .func f() { ret; } .weak .func w() { ret; }",
			 ".extern .global .u32 x; .func f() { .reg .u32 %r; ld.global.u32 %r, [x]; "
			 "ret; } .weak .func w() { call f; ret; } .extern .func g();"
			 ".entry k() { call f; call g; call w; ret; }",
			 ".visible .func g() { ret; } .extern .global .u32 x; .weak .entry k2() { "
			 "ret; }"},
			NULL},
		{{".weak .func w() { trap; }", ".visible .func w() { ret; }",
			 ".weak .func w(); .entry k() { call w; ret; }"},
			NULL},
		{{".weak .global .u32 v[2] = {1, 2}; .weak .entry k() { ret; }",
			 ".weak .global .u32 v[2] = {1, 2}; .weak .entry k() { ret; }",
			 ".extern .global .u32 v[2];"},
			NULL},
		{{".func f() { ret; }", ".entry k() { call f; ret; }", ""},
			"b.ptx:4: function 'f' is not declared"},
		{{".visible .func f() { ret; }", ".visible .func f() { ret; } .entry k() { ret; }",
			 ""},
			"b.ptx:4: 'f' is declared twice"},
		{{".entry k() { ret; }", ".entry k() { ret; }", ""},
			"b.ptx:4: 'k' is declared twice"},
		{{".visible .global .u32 x;", ".extern .const .u32 x; .entry k() { ret; }", ""},
			"b.ptx:4: 'x' was declared in another state space"},
		{{".extern .global .u32 x; .global .u64 y = x;", ".entry k() { ret; }", ""},
			"variable 'x' is declared .extern and not defined"},
	};
	static const char *const paths[] = {"a.ptx", "b.ptx", "c.ptx"};
	(void)state;
	for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct ptx_text t[3];
		char text[3][512];
		struct tr_err err = {0};
		struct ptx_module *m;
		for (unsigned i = 0; i < 3; i++) {
			const int n = snprintf(text[i], sizeof text[i],
				".version 7.0\n.target sm_80\n.address_size 64\n%s\n",
				cases[c].texts[i]);
			t[i] = (struct ptx_text){text[i], (size_t)n, paths[i]};
		}
		const int r = ptx_link(&m, t, 3, &err);
		const char *said = r < 0 ? err.msg : ptx_refusal(ptx_find(m, "k"));
		if (cases[c].why && said)
			assert_non_null(strstr(said, cases[c].why));
		else if (said != cases[c].why)
			fail_msg("case %u: %s", c, said ? said : "no error");
		if (r > 0)
			ptx_module_free(m);
	}
}

/* What is as long as it may be stays; of a path the end remains, of a name begin and end. */
static void shortened(void **state)
{
	char path[200], name[200], text[400];

	(void)state;
	memset(path, 'p', sizeof path);
	memset(name, 'n', sizeof name);
	memset(text, 't', sizeof text);
	path[120] = name[80] = text[240] = 0;
	assert_string_equal(ptx_short_path(path).text, path);
	assert_string_equal(ptx_short_name(name).text, name);
	assert_string_equal(ptx_short_text(text).text, text);
	assert_string_equal(ptx_short_path("").text, "");
	memset(path, 'p', 180);
	strcpy(path + 180, "/file.cu");
	assert_int_equal(strlen(ptx_short_path(path).text), 120);
	assert_memory_equal(ptx_short_path(path).text, "...ppp", 6);
	assert_string_equal(ptx_short_path(path).text + 111, "p/file.cu");
	memcpy(name, "begin", 5);
	strcpy(name + 80, "nnend");
	assert_int_equal(strlen(ptx_short_name(name).text), 80);
	assert_memory_equal(ptx_short_name(name).text, "beginn", 6);
	assert_memory_equal(ptx_short_name(name).text + 39, "n...n", 5);
	assert_string_equal(ptx_short_name(name).text + 75, "nnend");
	text[240] = 't';
	strcpy(text + 241, "`'");
	assert_int_equal(strlen(ptx_short_text(text).text), 240);
	assert_memory_equal(ptx_short_text(text).text + 119, "t...t", 5);
	assert_string_equal(ptx_short_text(text).text + 237, "t`'");
}

/* A sentence about a file in deep folders has the file's name. */
static void deep_folders(void **state)
{
	static const char text[] = HEAD ".entry k() { .reg .f32 %f<9>; nonsense.f32 %f1; }";
	struct tr_err err = {0};
	struct ptx_module *m;
	char path[1000];

	(void)state;
	memset(path, '/', sizeof path);
	memset(path + 1, 'p', 800);
	strcpy(path + 801, "/file.ptx");
	assert_int_equal(ptx_parse(&m, text, sizeof text - 1, path, &err), 1);
	assert_non_null(strstr(ptx_refusal(ptx_find(m, "k")), "p/file.ptx:4: unsupported opcode"));
	ptx_module_free(m);
}

/* Rows of operands: which operations on barriers have one, and that labels name the row. */
static void barrier_operands(void **state)
{
	struct ptx_module *m = parse_body(".shared .b64 bar;",
		"mbarrier.init.shared.b64 [bar], 1;"
		"mbarrier.init.shared.b64 [bar], 2;"
		"again: @!%p1 mbarrier.try_wait.parity.shared.b64 %p1, [bar], 1;"
		"@!%p1 bra again;"
		"mbarrier.test_wait.shared.b64 %p1, [bar], %d1;"
		"mbarrier.arrive.expect_tx.shared.b64 _, [bar], %r1;"
		"mbarrier.arrive.shared.b64 _, [bar];"
		"mbarrier.inval.shared.b64 [bar];"
		"cp.async.mbarrier.arrive.noinc.shared.b64 [bar];"
		"mbarrier.pending_count.b64 %r1, %d1;");
	static const uint32_t want[] = {TR_AUX(TR_AUX_MBARRIER, TR_MBAR_INIT),
		TR_AUX(TR_AUX_OPERAND, 0), TR_AUX(TR_AUX_MBARRIER, TR_MBAR_INIT),
		TR_AUX(TR_AUX_OPERAND, 0), TR_AUX(TR_AUX_MBARRIER, TR_MBAR_TRY), 0,
		TR_AUX(TR_AUX_OPERAND, 0), TR_AUX(TR_AUX_MBARRIER, TR_MBAR_TEST),
		TR_AUX(TR_AUX_OPERAND, 0), TR_AUX(TR_AUX_MBARRIER, TR_MBAR_ARRIVE_TX),
		TR_AUX(TR_AUX_MBARRIER, TR_MBAR_ARRIVE), TR_AUX(TR_AUX_MBARRIER, TR_MBAR_INVAL),
		TR_AUX(TR_AUX_MBARRIER, TR_MBAR_COPIES_NOINC), 0};
	const struct tr_program *p = ptx_program(ptx_kernel_at(m, 0));

	(void)state;
	assert_true(p->ninsts > sizeof(want) / sizeof(want[0]));
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		if (p->insts[i].aux != want[i])
			fail_msg("instruction %u has aux 0x%x, not 0x%x", i, p->insts[i].aux,
				want[i]);
		if (tr_is_operand(&p->insts[i])) {
			assert_true(p->insts[i].flags & TR_I_VALUE);
			assert_int_equal(p->insts[i].guard, p->insts[i + 1].guard);
			assert_int_equal(p->insts[i].cls, TR_C_OTHER);
		}
	}
	/* The branch goes to the row of the wait. */
	assert_int_equal(p->succ_pool[p->insts[5].succ + 1], 3);
	assert_true(tr_program_is_async(p));
	assert_int_equal(tr_program_spins_at(p), TR_NONE);
	ptx_module_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_opcode),
		cmocka_unit_test(comma_locale),
		cmocka_unit_test(every_sentence),
		cmocka_unit_test(modifiers),
		cmocka_unit_test(neighbours),
		cmocka_unit_test(every_cut),
		cmocka_unit_test(variables),
		cmocka_unit_test(entries),
		cmocka_unit_test(scopes),
		cmocka_unit_test(shared_variables),
		cmocka_unit_test(inlined_params),
		cmocka_unit_test(lowered_calls),
		cmocka_unit_test(inlined_registers),
		cmocka_unit_test(inlined_storage),
		cmocka_unit_test(addressed_params),
		cmocka_unit_test(explosion),
		cmocka_unit_test(circles),
		cmocka_unit_test(many_calls),
		cmocka_unit_test(circles_through_registers),
		cmocka_unit_test(many_kinds),
		cmocka_unit_test(tangled_recursion),
		cmocka_unit_test(lowered_classes),
		cmocka_unit_test(lowered_accesses),
		cmocka_unit_test(lowered_text),
		cmocka_unit_test(lowered_flags),
		cmocka_unit_test(lowered_barriers),
		cmocka_unit_test(lowered_successors),
		cmocka_unit_test(clang_text),
		cmocka_unit_test(nvcc_text),
		cmocka_unit_test(long_text),
		cmocka_unit_test(many_refusals),
		cmocka_unit_test(linked_texts),
		cmocka_unit_test(shortened),
		cmocka_unit_test(deep_folders),
		cmocka_unit_test(barrier_operands),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
