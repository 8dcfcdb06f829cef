/*
 * SASS opcodes: what the part before the first dot says of an instruction, and which opcode stands
 * for one of ours. One table serves all machines; the differences between them are few and stand in
 * the code. An opcode that is missing is taken for the one whose spelling begins most alike, as an
 * instruction that goes on after itself.
 */
#include "sim/convert/accel.h"
#include <stdlib.h>
#include <string.h>

enum kind { /* what a class does not say */
	PLAIN,
	DIRECT,
	INDIRECT,
	COLLECTIVE,
	BARRIER,
	ARRIVES, /* the two halves of the barrier of a cluster */
	WAITS,
	SPECIAL,
	COPIES, /* to shared memory, beside the program; ends a group of such; waits for groups */
	COMMITS,
	AWAITS,
};

static const struct op {
	const char *root;
	uint8_t cls, space, kind;
} ops[] = {
#define INT(root)                                                                                  \
	{                                                                                          \
#root, TR_C_INT, TR_S_NONE, PLAIN                                                  \
	}
#define HALF(root)                                                                                 \
	{                                                                                          \
#root, TR_C_FP16, TR_S_NONE, PLAIN                                                 \
	}
#define SINGLE(root)                                                                               \
	{                                                                                          \
#root, TR_C_FP32, TR_S_NONE, PLAIN                                                 \
	}
#define DOUBLE(root)                                                                               \
	{                                                                                          \
#root, TR_C_FP64, TR_S_NONE, PLAIN                                                 \
	}
#define MOVE(root)                                                                                 \
	{                                                                                          \
#root, TR_C_MOVE, TR_S_NONE, PLAIN                                                 \
	}
#define SPECIAL_REG(root)                                                                          \
	{                                                                                          \
#root, TR_C_MOVE, TR_S_NONE, SPECIAL                                               \
	}
#define CONVERT(root)                                                                              \
	{                                                                                          \
#root, TR_C_CONVERT, TR_S_NONE, PLAIN                                              \
	}
#define LOAD(root, space)                                                                          \
	{                                                                                          \
#root, TR_C_LOAD, TR_S_##space, PLAIN                                              \
	}
#define STORE(root, space)                                                                         \
	{                                                                                          \
#root, TR_C_STORE, TR_S_##space, PLAIN                                             \
	}
#define ATOMIC(root, space)                                                                        \
	{                                                                                          \
#root, TR_C_ATOMIC, TR_S_##space, PLAIN                                            \
	}
#define JUMP(root, kind)                                                                           \
	{                                                                                          \
#root, TR_C_BRANCH, TR_S_NONE, kind                                                \
	}
#define COLL(root)                                                                                 \
	{                                                                                          \
#root, TR_C_COLLECTIVE, TR_S_NONE, COLLECTIVE                                      \
	}
#define FENCE(root)                                                                                \
	{                                                                                          \
#root, TR_C_FENCE, TR_S_NONE, PLAIN                                                \
	}
#define EXIT(root)                                                                                 \
	{                                                                                          \
#root, TR_C_EXIT, TR_S_NONE, PLAIN                                                 \
	}
#define OTHER(root)                                                                                \
	{                                                                                          \
#root, TR_C_OTHER, TR_S_NONE, PLAIN                                                \
	}
	/* In the order of strcmp. */
	OTHER(ACQBULK),
	OTHER(ARRIVES),
	ATOMIC(ATOM, GENERIC),
	ATOMIC(ATOMG, GLOBAL),
	ATOMIC(ATOMS, SHARED),
	MOVE(B2R),
	{"BAR", TR_C_BARRIER, TR_S_NONE, BARRIER},
	INT(BFE),
	INT(BFI),
	INT(BGMMA),
	INT(BMMA),
	OTHER(BMOV),
	INT(BMSK),
	OTHER(BPT),
	JUMP(BRA, DIRECT),
	OTHER(BREAK),
	INT(BREV),
	JUMP(BRK, DIRECT),
	JUMP(BRX, INDIRECT),
	JUMP(BRXU, INDIRECT),
	OTHER(BSSY),
	OTHER(BSYNC),
	JUMP(CAL, INDIRECT),
	JUMP(CALL, INDIRECT),
	OTHER(CCTL),
	OTHER(CCTLL),
	OTHER(CCTLT),
	FENCE(CGAERRBAR),
	JUMP(CONT, DIRECT),
	SPECIAL_REG(CS2R),
	INT(CSET),
	INT(CSETP),
	OTHER(CSMTEST),
	DOUBLE(DADD),
	{"DEPBAR", TR_C_OTHER, TR_S_NONE, AWAITS},
	DOUBLE(DFMA),
	DOUBLE(DMMA),
	DOUBLE(DMNMX),
	DOUBLE(DMUL),
	DOUBLE(DSET),
	DOUBLE(DSETP),
	COLL(ELECT),
	FENCE(ERRBAR),
	EXIT(EXIT),
	CONVERT(F2F),
	CONVERT(F2FP),
	CONVERT(F2I),
	CONVERT(F2IP),
	SINGLE(FADD),
	SINGLE(FADD32I),
	SINGLE(FCHK),
	SINGLE(FCMP),
	FENCE(FENCE),
	SINGLE(FFMA),
	SINGLE(FFMA32I),
	INT(FLO),
	SINGLE(FMNMX),
	SINGLE(FMUL),
	SINGLE(FMUL32I),
	CONVERT(FRND),
	SINGLE(FSEL),
	SINGLE(FSET),
	SINGLE(FSETP),
	SINGLE(FSWZ),
	SINGLE(FSWZADD),
	MOVE(GETLMEMBASE),
	HALF(HADD2),
	HALF(HADD2_32I),
	HALF(HFMA2),
	HALF(HFMA2_32I),
	HALF(HGMMA),
	HALF(HMMA),
	HALF(HMNMX2),
	HALF(HMUL2),
	HALF(HMUL2_32I),
	HALF(HSET2),
	HALF(HSETP2),
	CONVERT(I2F),
	CONVERT(I2FP),
	CONVERT(I2I),
	CONVERT(I2IP),
	INT(IABS),
	INT(IADD),
	INT(IADD3),
	INT(IADD32I),
	INT(ICMP),
	INT(IDP),
	INT(IDP4A),
	INT(IGMMA),
	INT(IMAD),
	INT(IMADSP),
	INT(IMMA),
	INT(IMNMX),
	INT(IMUL),
	INT(IMUL32I),
	INT(ISAD),
	INT(ISCADD),
	INT(ISCADD32I),
	INT(ISET),
	INT(ISETP),
	INT(ISUB),
	JUMP(JCAL, INDIRECT),
	JUMP(JMP, DIRECT),
	JUMP(JMX, INDIRECT),
	JUMP(JMXU, INDIRECT),
	EXIT(KILL),
	LOAD(LD, GENERIC),
	LOAD(LDC, CONST),
	LOAD(LDG, GLOBAL),
	{"LDGDEPBAR", TR_C_OTHER, TR_S_NONE, COMMITS},
	{"LDGSTS", TR_C_LOAD, TR_S_GLOBAL, COPIES},
	LOAD(LDL, LOCAL),
	LOAD(LDS, SHARED),
	LOAD(LDSLK, SHARED),
	LOAD(LDSM, SHARED),
	INT(LEA),
	MOVE(LEPC),
	JUMP(LONGJMP, INDIRECT),
	INT(LOP),
	INT(LOP3),
	INT(LOP32I),
	COLL(MATCH),
	FENCE(MEMBAR),
	MOVE(MOV),
	MOVE(MOV32I),
	MOVE(MOVM),
	{"MUFU", TR_C_SFU, TR_S_NONE, PLAIN},
	OTHER(NANOSLEEP),
	OTHER(NOP),
	MOVE(P2R),
	OTHER(PBK),
	OTHER(PCNT),
	OTHER(PEXIT),
	INT(PLOP3),
	OTHER(PMTRIG),
	INT(POPC),
	OTHER(PRET),
	MOVE(PRMT),
	INT(PSET),
	INT(PSETP),
	HALF(QGMMA),
	HALF(QMMA),
	MOVE(QSPC),
	MOVE(R2B),
	MOVE(R2P),
	MOVE(R2UR),
	ATOMIC(RED, GLOBAL),
	COLL(REDUX),
	JUMP(RET, INDIRECT),
	OTHER(RPCMOV),
	SINGLE(RRO),
	OTHER(RTT),
	SPECIAL_REG(S2R),
	SPECIAL_REG(S2UR),
	MOVE(SEL),
	OTHER(SETCTAID),
	OTHER(SETLMEMBASE),
	INT(SGXT),
	INT(SHF),
	COLL(SHFL),
	INT(SHL),
	INT(SHR),
	OTHER(SSY),
	STORE(ST, GENERIC),
	STORE(STG, GLOBAL),
	STORE(STL, LOCAL),
	STORE(STS, SHARED),
	STORE(STSCUL, SHARED),
	STORE(STSM, SHARED),
	OTHER(SUATOM),
	OTHER(SUCLAMP),
	OTHER(SULD),
	OTHER(SULDGA),
	OTHER(SUQUERY),
	OTHER(SURED),
	OTHER(SUST),
	OTHER(SUSTGA),
	JUMP(SYNC, DIRECT),
	OTHER(SYNCS),
	OTHER(TEX),
	OTHER(TEXS),
	OTHER(TLD),
	OTHER(TLD4),
	OTHER(TLD4S),
	OTHER(TLDS),
	OTHER(TMML),
	OTHER(TXD),
	OTHER(TXQ),
	OTHER(UBLKCP),
	OTHER(UBLKPF),
	OTHER(UBLKRED),
	INT(UBMSK),
	INT(UBREV),
	{"UCGABAR_ARV", TR_C_BARRIER, TR_S_NONE, ARRIVES},
	{"UCGABAR_WAIT", TR_C_BARRIER, TR_S_NONE, WAITS},
	INT(UCLEA),
	CONVERT(UF2FP),
	INT(UFLO),
	INT(UIADD3),
	INT(UIMAD),
	INT(UISETP),
	LOAD(ULDC, CONST),
	INT(ULEA),
	INT(ULOP),
	INT(ULOP3),
	INT(ULOP32I),
	MOVE(UMOV),
	MOVE(UP2UR),
	INT(UPLOP3),
	INT(UPOPC),
	MOVE(UPRMT),
	INT(UPSETP),
	MOVE(UR2UP),
	MOVE(USEL),
	OTHER(USETMAXREG),
	INT(USGXT),
	INT(USHF),
	INT(USHL),
	INT(USHR),
	OTHER(UTMACCTL),
	OTHER(UTMACMDFLUSH),
	OTHER(UTMALDG),
	OTHER(UTMAPF),
	OTHER(UTMAREDG),
	OTHER(UTMASTG),
	INT(VABSDIFF),
	INT(VABSDIFF4),
	INT(VADD),
	INT(VIADD),
	INT(VIADDMNMX),
	INT(VIMNMX),
	INT(VIMNMX3),
	INT(VMNMX),
	COLL(VOTE),
	COLL(VOTEU),
	COLL(VOTE_VTG),
	OTHER(WARPGROUP),
	OTHER(WARPSYNC),
	INT(XMAD),
	OTHER(YIELD),
};
#define NOPS (sizeof(ops) / sizeof(ops[0]))

static bool has_token(const char *opcode, const char *token)
{
	const size_t n = strlen(token);

	for (const char *p = strchr(opcode, '.'); p; p = strchr(p + 1, '.'))
		if (!strncmp(p + 1, token, n) && (!p[1 + n] || p[1 + n] == '.'))
			return true;
	return false;
}

static int by_root(const void *a, const void *b)
{
	return strcmp(a, ((const struct op *)b)->root);
}

/* Of those that share the longest beginning the first. */
static const struct op *most_alike(const char *root)
{
	const struct op *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < NOPS; i++) {
		size_t n = 0;

		while (root[n] && root[n] == ops[i].root[n])
			n++;
		if (n > most) {
			most = n;
			best = &ops[i];
		}
	}
	return best;
}

/* Kepler has no generic opcodes: LD and ST are global, and LDG is the read-only cache's. */
static enum tr_space space_on(const struct op *o, const char *opcode, uint32_t version)
{
	if (!strcmp(o->root, "LDG"))
		return version < 50 || has_token(opcode, "CONSTANT") || has_token(opcode, "CI")
			       ? TR_S_TEXTURE
			       : TR_S_GLOBAL;
	if (o->space == TR_S_GENERIC && (version < 50 || (version < 70 && o->cls == TR_C_ATOMIC)))
		return TR_S_GLOBAL;
	return o->space;
}

/* ARRIVES.LDGSTSBAR is cp.async.mbarrier.arrive, which waits here as it does in PTX's records. */
static uint8_t copy_of(const struct op *o, const char *opcode, uint32_t width)
{
	if (o->kind == COPIES)
		return width ? TR_COPY_LOAD : 0;
	if (!strcmp(o->root, "ARRIVES") && has_token(opcode, "LDGSTSBAR"))
		return TR_COPY_WAIT_ALL;
	return o->kind == COMMITS ? TR_COPY_COMMIT : o->kind == AWAITS ? TR_COPY_WAIT : 0;
}

struct accel_op accel_op_find(const char *opcode, uint32_t version, uint32_t width)
{
	struct accel_op r = {.cls = TR_C_OTHER, .space = TR_S_NONE, .flow = ACCEL_STEP};
	const struct op *o;
	char root[32];
	size_t n = strcspn(opcode, ".");

	n = n < sizeof(root) ? n : sizeof(root) - 1;
	memcpy(root, opcode, n);
	root[n] = 0;
	o = bsearch(root, ops, NOPS, sizeof(ops[0]), by_root);
	r.known = o != NULL;
	if (!o)
		o = most_alike(root);
	if (!o)
		return r;
	r.cls = o->cls;
	r.collective = o->kind == COLLECTIVE;
	r.special = o->kind == SPECIAL;
	r.arrive = (o->kind == BARRIER && has_token(opcode, "ARV")) || o->kind == ARRIVES;
	r.of_cluster = o->kind == ARRIVES || o->kind == WAITS;
	r.copy = r.known ? copy_of(o, opcode, width) : 0;
	if (o->cls == TR_C_LOAD || o->cls == TR_C_STORE || o->cls == TR_C_ATOMIC) {
		/* No address, no access: constants come with the operands. */
		if (width)
			r.space = space_on(o, opcode, version);
		else
			r.cls = o->space == TR_S_CONST ? TR_C_MOVE : TR_C_OTHER;
	}
	if (!r.known && (r.cls == TR_C_BRANCH || r.cls == TR_C_EXIT))
		r.cls = TR_C_OTHER;
	if (!r.known && width && r.space == TR_S_NONE) { /* it has addresses: these are kept */
		r.cls = root[0] == 'S' ? TR_C_STORE : TR_C_LOAD;
		r.space = TR_S_GLOBAL;
		r.collective = r.arrive = false;
	}
	if (r.cls == TR_C_EXIT)
		r.flow = ACCEL_EXIT;
	if (r.cls == TR_C_BRANCH)
		r.flow = o->kind == DIRECT ? ACCEL_DIRECT : ACCEL_INDIRECT;
	r.imm_target = r.flow == ACCEL_DIRECT && !strcmp(o->root, "BRA");
	return r;
}

/* ---- the other way ---- */

static const char *memory_root(const struct tr_inst *in, uint32_t version)
{
	const bool kepler = version < 50;
	const bool load = in->cls == TR_C_LOAD;

	switch (in->space) {
	case TR_S_SHARED:
		if (in->cls == TR_C_ATOMIC)
			return kepler ? "LDSLK" : "ATOMS";
		return load ? "LDS" : "STS";
	case TR_S_LOCAL:
		return load ? "LDL" : "STL";
	case TR_S_CONST:
	case TR_S_PARAM:
		return "LDC";
	case TR_S_TEXTURE:
		return kepler ? "LDG" : version < 70 ? "LDG.E.CI" : "LDG.E.CONSTANT";
	case TR_S_GENERIC:
		return in->cls == TR_C_ATOMIC ? "ATOM.E" : load ? "LD.E" : "ST.E";
	default:
		if (in->cls == TR_C_ATOMIC)
			return kepler ? "ATOM.E" : in->ndst ? "ATOMG.E" : "RED.E";
		if (kepler)
			return load ? "LD.E" : "ST.E";
		return load ? "LDG.E" : "STG.E";
	}
}

/* The reader takes the width from the opcode: U8, U16, or bits; 32 where there is neither. */
static const char *width_token(unsigned bytes)
{
	static const char *const tokens[] = {".U8", ".U16", "", ".64", ".128", ".256", ".512"};

	return bytes ? tokens[__builtin_ctz(bytes)] : "";
}

static const char *plain_root(
	const struct tr_program *p, const struct tr_inst *in, uint32_t version)
{
	const char *text = tr_str(p, in->opcode);

	switch ((enum tr_class)in->cls) {
	case TR_C_INT:
		return version < 50 ? "IADD" : "IADD3";
	case TR_C_FP16:
		return version < 50 ? "FADD" : "HADD2";
	case TR_C_FP32:
		return "FADD";
	case TR_C_FP64:
		return "DADD";
	case TR_C_SFU:
		return "MUFU";
	case TR_C_MOVE:
		return "MOV";
	case TR_C_CONVERT:
		return "F2F";
	case TR_C_BRANCH:
		if (in->flags & TR_I_INDEXED)
			return "BRX";
		return p->succ_pool[in->succ + in->nsucc - 1] == TR_EXIT ? "EXIT" : "BRA";
	case TR_C_BARRIER:
		if (in->disp == TR_BARRIER_CLUSTER)
			return in->flags & TR_I_ARRIVE ? "UCGABAR_ARV" : "UCGABAR_WAIT";
		return in->flags & TR_I_ARRIVE ? "BAR.ARV" : "BAR.SYNC";
	case TR_C_FENCE:
		return "MEMBAR";
	case TR_C_COLLECTIVE:
		return strstr(text, "shfl") || strstr(text, "SHFL") ? "SHFL" : "VOTE";
	case TR_C_EXIT:
		return "EXIT";
	default:
		return "NOP";
	}
}

void accel_op_name(
	const struct tr_program *p, uint32_t inst, uint32_t version, char *out, size_t size)
{
	const struct tr_inst *in = &p->insts[inst];

	if (in->bytes)
		snprintf(out, size, "%s%s", memory_root(in, version),
			in->space == TR_S_PARAM ? "" : width_token((unsigned)in->bytes * in->vec));
	else
		snprintf(out, size, "%s", plain_root(p, in, version));
}
