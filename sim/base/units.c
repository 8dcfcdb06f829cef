/*
 * Units by opcode, of SASS and of PTX. Which pipe takes what is NVIDIA's: the kernel profiling
 * guide of Nsight Compute (its list of pipelines) and what its engineers wrote about them on the
 * developers' forum (threads 108729, 302018 and 315200); what these do not name is as cicuvc's
 * notes of sm_90 have it. An opcode that is not here goes where its class in the record says.
 *
 * Work of products: an opcode of SASS has its shape in one number (16816 is m16n8k16), or with an x
 * between; of PTX as it is. HMMA.884 multiplies four pairs of matrices at once, one of each eight
 * lanes, in steps of their own: four with sums in f32, two in f16 (Raihan et al., ISPASS 2019). A
 * warp group's product (HGMMA) is that of four warps, each of which issues it. A sparse one has
 * half the work of its shape (NVIDIA, A100 white paper).
 *
 * Left out: that a pipe's port to the scheduler may be several pipes' (of a V100 and an A100 those
 * of half and of double precision and the tensor core), and when asynchronous products end.
 */
#include "sim/base/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compares, selections and votes: the integers' unit does them, of floats too. */
static const char *const alu[] = {
	"FCMP", "FMNMX", "FSEL", "FSET", "FSETP", "VOTE", "VOTE_VTG", "activemask", "vote", NULL};
/* Of floats in PTX, what SASS does there. */
static const char *const alu_floats[] = {
	"copysign", "max", "min", "selp", "set", "setp", "slct", "testp", NULL};
/* Integers that the lanes of fp32 multiply. */
static const char *const mad[] = {"IDP", "IDP4A", "IMAD", "IMAD32I", "IMADSP", "IMUL", "IMUL32I",
	"VIADD", "XMAD", "dp2a", "dp4a", "mad", "mad24", "madc", "mul", "mul24", NULL};
static const char *const special[] = {"BREV", "F2F", "F2I", "FCHK", "FLO", "FRND", "I2F", "POPC",
	"bfind", "brev", "clz", "popc", NULL};
static const char *const tensor[] = {"BGMMA", "BMMA", "DMMA", "HGMMA", "HMMA", "IGMMA", "IMMA",
	"QGMMA", "QMMA", "mma", "wmma", NULL};
static const char *const uniform[] = {"R2UR", "S2UR", "UBMSK", "UBREV", "UCLEA", "UF2FP", "UFLO",
	"UIABS", "UIADD3", "UIMAD", "UIMNMX", "UISETP", "ULDC", "ULEA", "ULEPC", "ULOP", "ULOP3",
	"ULOP32I", "UMOV", "UP2UR", "UPLOP3", "UPOPC", "UPRMT", "UPSETP", "UR2UP", "USEL", "USGXT",
	"USHF", "USHL", "USHR", "UVIADD", "UVIMNMX", "VOTEU", NULL};
/* Of these, what comes from registers of lanes. */
static const char *const to_uniform[] = {"R2UR", "S2UR", "VOTEU", NULL};
/* To the memory unit, without an address: with a result, and without one that is waited for. */
static const char *const queued[] = {
	"B2R", "LDC", "MATCH", "R2B", "REDUX", "S2R", "SHFL", "match", "redux", "shfl", NULL};
static const char *const queued_alone[] = {"BAR", "CCTL", "CCTLL", "CCTLT", "ERRBAR", "MEMBAR",
	"SUATOM", "SULD", "SULDGA", "SUQUERY", "SURED", "SUST", "SUSTGA", "SYNCS", "TEX", "TEXS",
	"TLD", "TLD4", "TLD4S", "TLDS", "TMML", "TXD", "TXQ", "bar", "barrier", "fence", "membar",
	NULL};
static const char *const branch[] = {"BMOV", "BPT", "BREAK", "BSSY", "BSYNC", "ELECT", "EXIT",
	"KILL", "NANOSLEEP", "RTT", "WARPSYNC", "YIELD", "elect", "exit", "nanosleep", "ret", NULL};

int sim_opcode_is(const char *opcode, const char *const *roots)
{
	const size_t n = strcspn(opcode, ".");

	for (; *roots; roots++)
		if (strlen(*roots) == n && !strncmp(opcode, *roots, n))
			return 1;
	return 0;
}

/* Does the opcode have this part behind its first dot? */
static int has(const char *opcode, const char *part)
{
	const size_t n = strlen(part);

	for (const char *p = strchr(opcode, '.'); p; p = strchr(p + 1, '.'))
		if (!strncmp(p + 1, part, n) && (!p[1 + n] || p[1 + n] == '.'))
			return 1;
	return 0;
}

/* A conversion of PTX of which a side is a float: the others are integer moves. */
static int converts_floats(const char *opcode)
{
	return !strncmp(opcode, "cvt.", 4) &&
	       (strstr(opcode, ".f16") || strstr(opcode, ".f32") || strstr(opcode, ".f64"));
}

/* ---- units ---- */

/* Without an address to the memory unit's queue, of whose result nobody waits. */
static int is_queued_alone(const char *opcode)
{
	return sim_opcode_is(opcode, queued_alone) && !has(opcode, "cluster") &&
	       !has(opcode, "warp");
}

static int is_branch(const char *opcode)
{
	return sim_opcode_is(opcode, branch) || !strncmp(opcode, "bar.warp.sync", 13);
}

/* The class whose latency it has. */
static uint8_t class_of(const char *opcode, uint8_t cls)
{
	if (sim_opcode_is(opcode, tensor))
		return SIM_C_TENSOR;
	if (sim_opcode_is(opcode, special) || converts_floats(opcode))
		return TR_C_SFU;
	if (sim_opcode_is(opcode, uniform))
		return SIM_C_UNIFORM;
	if (cls == TR_C_INT && sim_opcode_is(opcode, mad))
		return SIM_C_MAD;
	if (sim_opcode_is(opcode, alu) || (cls == TR_C_FP32 && sim_opcode_is(opcode, alu_floats)))
		return TR_C_INT;
	return sim_opcode_is(opcode, queued) ? TR_C_COLLECTIVE : cls;
}

static uint8_t pipe_of(const struct sim_config *c, const char *opcode, uint8_t cls)
{
	if (is_queued_alone(opcode))
		return TR_C_LOAD;
	if (is_branch(opcode))
		return TR_C_BRANCH;
	switch (cls) {
	case TR_C_MOVE:
	case TR_C_CONVERT:
		return TR_C_INT;
	case TR_C_STORE:
	case TR_C_ATOMIC:
	case TR_C_COLLECTIVE:
		return TR_C_LOAD;
	case TR_C_FP16:
		if (sim_opcode_is(opcode, (const char *const[]){"HFMA2", NULL}) &&
			has(opcode, "MMA"))
			return SIM_C_TENSOR;
		return c->sm.fp32_lanes == SIM_LANES_OWN ? cls : TR_C_FP32;
	case SIM_C_TENSOR: /* DMMA is the lanes' of double precision */
		return sim_product_of(opcode).factor == SIM_F_F64 ? TR_C_FP64 : cls;
	case SIM_C_MAD:
		return c->sm.fp32_lanes == SIM_LANES_SHARED ? TR_C_INT : TR_C_FP32;
	default:
		return cls;
	}
}

struct sim_way sim_way_of(const struct sim_config *c, const char *opcode, uint8_t cls)
{
	struct sim_way w = {.cls = class_of(opcode, cls)};

	w.pipe = pipe_of(c, opcode, w.cls);
	w.taken = w.cls;
	if (is_queued_alone(opcode))
		w.taken = TR_C_LOAD;
	else if (is_branch(opcode))
		w.taken = TR_C_BRANCH;
	w.other = w.pipe;
	if (w.pipe == TR_C_FP32 && w.cls != SIM_C_MAD && c->sm.fp32_lanes != SIM_LANES_OWN) {
		w.other = c->sm.fp32_lanes == SIM_LANES_SHARED ? TR_C_INT : SIM_P_FP32_HALF;
		w.both = w.cls == TR_C_FP16;
	}
	w.of_sm = w.pipe == TR_C_FP64 && c->sm.fp64_of_sm;
	w.to_uniform = (uint8_t)sim_opcode_is(opcode, to_uniform);
	return w;
}

/* ---- products of matrices ---- */

/* 16816 is 16, 8, 16; 0: it is no shape. */
static uint32_t fmas_of_digits(const char *text, size_t n)
{
	const uint32_t m = n > 1 && text[0] == '1' && text[1] == '6' ? 16 : 8;
	const size_t at = m == 16 ? 2 : 1;
	uint32_t k = 0;

	if (n < at + 2 || n > 6 || (m == 8 && text[0] != '8') || text[at] != '8')
		return 0;
	for (size_t i = at + 1; i < n; i++)
		k = k * 10 + (uint32_t)(text[i] - '0');
	return m * 8 * k;
}

/* 64x128x16 or m16n8k16, with these letters before the numbers. */
static uint32_t fmas_of_numbers(const char *text, const char *letters)
{
	uint32_t fmas = 1;

	for (int i = 0; i < 3; i++) {
		uint32_t v = 0, digits = 0;

		if (letters[i] != ' ' && *text++ != letters[i])
			return 0;
		for (; *text >= '0' && *text <= '9' && digits < 4; text++, digits++)
			v = v * 10 + (uint32_t)(*text - '0');
		if (!v || v > 256)
			return 0;
		fmas *= v;
	}
	return !*text || *text == '.' ? fmas : 0;
}

/* The first part of an opcode that is a shape. */
static uint32_t fmas_of(const char *opcode)
{
	for (const char *p = strchr(opcode, '.'); p; p = strchr(p + 1, '.')) {
		const char *part = p + 1;
		const size_t n = strcspn(part, "."), digits = strspn(part, "0123456789");
		uint32_t fmas;

		if (*part == 'm')
			fmas = fmas_of_numbers(part, "mnk");
		else
			fmas = digits == n ? fmas_of_digits(part, n) : fmas_of_numbers(part, " xx");
		if (fmas)
			return fmas;
	}
	return 0;
}

static enum sim_factor factor_of(const char *opcode)
{
	static const struct {
		const char *part;
		enum sim_factor factor;
	} parts[] = {{"TF32", SIM_F_TF32}, {"E8M10", SIM_F_TF32}, {"tf32", SIM_F_TF32},
		{"e4m3", SIM_F_F8}, {"e5m2", SIM_F_F8}, {"S4", SIM_F_INT4}, {"U4", SIM_F_INT4},
		{"s4", SIM_F_INT4}, {"u4", SIM_F_INT4}, {"s8", SIM_F_INT8}, {"u8", SIM_F_INT8},
		{"b1", SIM_F_BIT}, {"f64", SIM_F_F64}};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (has(opcode, parts[i].part))
			return parts[i].factor;
	switch (*opcode) { /* of SASS, what its first letter says */
	case 'B':
		return SIM_F_BIT;
	case 'D':
		return SIM_F_F64;
	case 'I':
		return SIM_F_INT8;
	case 'Q':
		return SIM_F_F8;
	default:
		return SIM_F_F16;
	}
}

struct sim_product sim_product_of(const char *opcode)
{
	struct sim_product p = {.fmas = fmas_of(opcode),
		.factor = factor_of(opcode),
		.f32_sums = has(opcode, "F32") || has(opcode, "f32") || has(opcode, "BF16")};

	if (p.fmas == 8 * 8 * 4 && p.factor == SIM_F_F16) {
		p.fmas *= 4;
		if (strstr(opcode, ".STEP"))
			p.fmas /= p.f32_sums ? 4 : 2;
	}
	if (opcode[0] && !strncmp(opcode + 1, "GMMA", 4))
		p.fmas /= 4;
	if (has(opcode, "SP") || has(opcode, "sp") || strstr(opcode, ".sp::"))
		p.fmas /= 2;
	return p;
}

uint32_t sim_product_cycles(const struct sim_config *c, const struct sim_product *p)
{
	const uint32_t rates[] = {[SIM_F_F16] = c->tensor.f16,
		[SIM_F_TF32] = c->tensor.tf32,
		[SIM_F_F8] = c->tensor.f8,
		[SIM_F_INT8] = c->tensor.int8,
		[SIM_F_INT4] = c->tensor.int4,
		[SIM_F_BIT] = c->tensor.bit,
		[SIM_F_F64] = c->tensor.f64};
	const int wide = p->f32_sums && (p->factor == SIM_F_F16 || p->factor == SIM_F_F8);
	const uint32_t rate = rates[p->factor];

	if (!p->fmas || !rate)
		return 0;
	return (p->fmas * (wide ? c->tensor.f32_sums : 1) + rate - 1) / rate;
}
