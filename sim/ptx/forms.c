/*
 * Opcodes with their modifiers: what each opcode may carry, and what a spelling such as
 * `ld.global.nc.v2.f32` means. A spelling is taken apart once and remembered, so a long kernel pays
 * for its few dozen spellings only. What is not in these tables is refused by name.
 */
#include "parse.h"
#include <string.h>

enum group { /* of modifiers: one opcode takes each group as a whole, or not */
	G_TYPE = 1 << 0,
	G_MODE = 1 << 1, /* PTX_M_*, of those that the opcode lists */
	G_FROUND = 1 << 2,
	G_IROUND = 1 << 3,
	G_FTZ = 1 << 4,
	G_SAT = 1 << 5,
	G_APPROX = 1 << 6,
	G_FULL = 1 << 7,
	G_CC = 1 << 8,
	G_NAN = 1 << 9,
	G_XORSIGN = 1 << 10,
	G_SPACE = 1 << 11,
	G_VEC = 1 << 12,
	G_CACHE = 1 << 13, /* eviction and prefetch hints; nothing here is changed by them */
	G_SEM = 1 << 14,
	G_SCOPE = 1 << 15,
	G_NC = 1 << 16,
	G_WRAP = 1 << 17,
	G_CMP = 1 << 18,
	G_BOOL = 1 << 19,
	G_SYNC = 1 << 20,
	G_UNI = 1 << 21,
	G_LEVEL = 1 << 22,
	G_BAR = 1 << 23,
	G_WARP = 1 << 24,
	G_NOFTZ = 1 << 25,
	G_IDX = 1 << 26,
	G_FLAG = 1 << 27, /* PTX_F_*, of those that the opcode lists */
	G_KIND = 1 << 28, /* nothing here differs by it */
	G_FROM = 1 << 29, /* the second space of cp.async */
	G_ABS = 1 << 30,
};

static const struct modifier {
	const char *name;
	uint32_t group;
	uint32_t value;
} modifiers[] = {
	{"rn", G_FROUND, PTX_RN},
	{"rz", G_FROUND, PTX_RZ},
	{"rm", G_FROUND, PTX_RM},
	{"rp", G_FROUND, PTX_RP},
	{"rna", G_FROUND, PTX_RNA},
	{"rni", G_IROUND, PTX_RNI},
	{"rzi", G_IROUND, PTX_RZI},
	{"rmi", G_IROUND, PTX_RMI},
	{"rpi", G_IROUND, PTX_RPI},
	{"ftz", G_FTZ, PTX_F_FTZ},
	{"sat", G_SAT, PTX_F_SAT},
	{"relu", G_FLAG, PTX_F_RELU},
	{"level", G_FLAG, PTX_F_LOD},
	{"satfinite", G_FLAG, PTX_F_SATFINITE},
	{"approx", G_APPROX, PTX_F_APPROX},
	{"full", G_FULL, PTX_F_FULL},
	{"cc", G_CC, PTX_F_CC},
	{"NaN", G_NAN, PTX_F_NAN},
	{"xorsign", G_XORSIGN, PTX_F_XORSIGN},
	{"abs", G_ABS, PTX_F_XORSIGN},
	{"global", G_SPACE, TR_S_GLOBAL},
	{"shared", G_SPACE, TR_S_SHARED},
	{"shared::cta", G_SPACE, TR_S_SHARED},
	{"shared::cluster", G_SPACE, TR_S_SHARED | PTX_F_CLUSTER},
	{"global", G_FROM, 0},
	{"local", G_SPACE, TR_S_LOCAL},
	{"const", G_SPACE, TR_S_CONST},
	{"param", G_SPACE, TR_S_PARAM},
	{"param::entry", G_SPACE, TR_S_PARAM},
	{"param::func", G_SPACE, TR_S_PARAM},
	{"v2", G_VEC, 2},
	{"v4", G_VEC, 4},
	{"ca", G_CACHE, 0},
	{"cg", G_CACHE, 0},
	{"cs", G_CACHE, 0},
	{"lu", G_CACHE, 0},
	{"cv", G_CACHE, 0},
	{"wb", G_CACHE, 0},
	{"wt", G_CACHE, 0},
	{"L1::evict_normal", G_CACHE, 0},
	{"L1::evict_unchanged", G_CACHE, 0},
	{"L1::evict_first", G_CACHE, 0},
	{"L1::evict_last", G_CACHE, 0},
	{"L1::no_allocate", G_CACHE, 0},
	{"L2::evict_normal", G_CACHE, 0},
	{"L2::evict_first", G_CACHE, 0},
	{"L2::evict_last", G_CACHE, 0},
	{"L2::64B", G_CACHE, 0},
	{"L2::128B", G_CACHE, 0},
	{"L2::256B", G_CACHE, 0},
	{"L2::cache_hint", G_FLAG, PTX_F_HINT},
	{"L2::evict_unchanged", G_CACHE, 0},
	{"fractional", G_KIND, 0},
	{"range", G_MODE, PTX_M_WIDE},
	{"cvt", G_MODE, PTX_M_TO},
	{"init", G_MODE, PTX_M_INIT},
	{"inval", G_MODE, PTX_M_INVAL},
	{"expect_tx", G_MODE, PTX_M_EXPECT_TX},
	{"expect_tx", G_FLAG, PTX_F_EXPECT},
	{"complete_tx", G_MODE, PTX_M_COMPLETE_TX},
	{"arrive_drop", G_MODE, PTX_M_DROP},
	{"test_wait", G_MODE, PTX_M_TEST_WAIT},
	{"try_wait", G_MODE, PTX_M_TRY_WAIT},
	{"pending_count", G_MODE, PTX_M_PENDING},
	{"parity", G_FLAG, PTX_F_PARITY},
	{"noinc", G_FLAG, PTX_F_NOINC},
	{"noComplete", G_KIND, 0},
	{"launch_dependents", G_KIND, 0},
	{"wait", G_KIND, 0},
	{"weak", G_SEM, 0},
	{"volatile", G_SEM, PTX_F_VOLATILE},
	{"mmio", G_SEM, PTX_F_VOLATILE},
	{"relaxed", G_SEM, PTX_F_VOLATILE},
	{"acquire", G_SEM, PTX_F_VOLATILE},
	{"release", G_SEM, PTX_F_VOLATILE},
	{"acq_rel", G_SEM, PTX_F_VOLATILE},
	{"sc", G_SEM, PTX_F_VOLATILE},
	{"cta", G_SCOPE, 0},
	{"gl", G_SCOPE, 0},
	{"gpu", G_SCOPE, 0},
	{"cluster", G_SCOPE, 0},
	{"sys", G_SCOPE, 0},
	{"nc", G_NC, PTX_F_NC},
	{"clamp", G_WRAP, PTX_F_CLAMP},
	{"trap", G_WRAP, 0},
	{"zero", G_WRAP, PTX_F_ZERO},
	{"b", G_FROM, 0},
	{"p", G_FROM, PTX_F_FORMAT},
	{"wrap", G_WRAP, 0},
	{"lo", G_MODE, PTX_M_LO},
	{"hi", G_MODE, PTX_M_HI},
	{"wide", G_MODE, PTX_M_WIDE},
	{"add", G_MODE, PTX_M_ADD},
	{"min", G_MODE, PTX_M_MIN},
	{"max", G_MODE, PTX_M_MAX},
	{"inc", G_MODE, PTX_M_INC},
	{"dec", G_MODE, PTX_M_DEC},
	{"and", G_MODE, PTX_M_AND},
	{"or", G_MODE, PTX_M_OR},
	{"xor", G_MODE, PTX_M_XOR},
	{"exch", G_MODE, PTX_M_EXCH},
	{"cas", G_MODE, PTX_M_CAS},
	{"up", G_MODE, PTX_M_UP},
	{"down", G_MODE, PTX_M_DOWN},
	{"bfly", G_MODE, PTX_M_BFLY},
	{"idx", G_MODE, PTX_M_IDX},
	{"all", G_MODE, PTX_M_ALL},
	{"any", G_MODE, PTX_M_ANY},
	{"uni", G_MODE, PTX_M_UNI},
	{"ballot", G_MODE, PTX_M_BALLOT},
	{"f4e", G_MODE, PTX_M_F4E},
	{"b4e", G_MODE, PTX_M_B4E},
	{"rc8", G_MODE, PTX_M_RC8},
	{"ecl", G_MODE, PTX_M_ECL},
	{"ecr", G_MODE, PTX_M_ECR},
	{"rc16", G_MODE, PTX_M_RC16},
	{"l", G_MODE, PTX_M_L},
	{"r", G_MODE, PTX_M_R},
	{"shiftamt", G_MODE, PTX_M_SHIFTAMT},
	{"wait", G_MODE, PTX_M_WAIT},
	{"sync", G_MODE, PTX_M_SYNC},
	{"arrive", G_MODE, PTX_M_ARRIVE},
	{"popc", G_MODE, PTX_M_RED_POPC},
	{"and", G_MODE, PTX_M_RED_AND},
	{"or", G_MODE, PTX_M_RED_OR},
	{"finite", G_MODE, PTX_M_FINITE},
	{"infinite", G_MODE, PTX_M_INFINITE},
	{"number", G_MODE, PTX_M_NUMBER},
	{"notanumber", G_MODE, PTX_M_NOTANUMBER},
	{"normal", G_MODE, PTX_M_NORMAL},
	{"subnormal", G_MODE, PTX_M_SUBNORMAL},
	{"to", G_MODE, PTX_M_TO},
	{"1d", G_MODE, PTX_M_1D},
	{"2d", G_MODE, PTX_M_2D},
	{"3d", G_MODE, PTX_M_3D},
	{"a1d", G_MODE, PTX_M_A1D},
	{"a2d", G_MODE, PTX_M_A2D},
	{"cube", G_MODE, PTX_M_CUBE},
	{"acube", G_MODE, PTX_M_ACUBE},
	{"eq", G_CMP, PTX_EQ},
	{"ne", G_CMP, PTX_NE},
	{"lt", G_CMP, PTX_LT},
	{"le", G_CMP, PTX_LE},
	{"gt", G_CMP, PTX_GT},
	{"ge", G_CMP, PTX_GE},
	{"lo", G_CMP, PTX_LO},
	{"ls", G_CMP, PTX_LS},
	{"hi", G_CMP, PTX_HI},
	{"hs", G_CMP, PTX_HS},
	{"equ", G_CMP, PTX_EQU},
	{"neu", G_CMP, PTX_NEU},
	{"ltu", G_CMP, PTX_LTU},
	{"leu", G_CMP, PTX_LEU},
	{"gtu", G_CMP, PTX_GTU},
	{"geu", G_CMP, PTX_GEU},
	{"num", G_CMP, PTX_NUM},
	{"nan", G_CMP, PTX_NAN},
	{"and", G_BOOL, PTX_BOOL_AND},
	{"or", G_BOOL, PTX_BOOL_OR},
	{"xor", G_BOOL, PTX_BOOL_XOR},
	{"sync", G_SYNC, PTX_F_SYNC},
	{"uni", G_UNI, PTX_F_UNI},
	{"L1", G_LEVEL, 0},
	{"L2", G_LEVEL, 0},
	{"L2::evict_last", G_LEVEL, 0},
	{"L2::evict_normal", G_LEVEL, 0},
	{"cta", G_BAR, 0},
	{"aligned", G_BAR, 0},
	{"red", G_BAR, 0},
	{"warp", G_WARP, 0},
	{"noftz", G_NOFTZ, 0},
	{"idx", G_IDX, 0},
};

#define T(t) (1u << PTX_T_##t)
#define M(m) (1ull << PTX_M_##m)

enum { /* sets of types */
	B_16_64 = T(B16) | T(B32) | T(B64),
	B_32_64 = T(B32) | T(B64),
	I_16 = T(U16) | T(S16),
	I_32 = T(U32) | T(S32),
	I_64 = T(U64) | T(S64),
	I_32_64 = I_32 | I_64,
	I_16_64 = I_16 | I_32_64,
	I_8 = T(U8) | T(S8),
	S_16_64 = T(S16) | T(S32) | T(S64),
	HALF = T(F16) | T(F16X2) | T(BF16) | T(BF16X2),
	SMALL = T(E4M3X2) | T(E5M2X2),
	REAL = T(F32) | T(F64),
	FLOAT = HALF | REAL,
	ANY = B_16_64 | I_16_64 | REAL, /* what setp, selp and slct take */
	MEMORY = ANY | I_8 | T(B8) | T(B128),
};

#define LMH (M(LO) | M(HI))
#define ATOMIC (M(ADD) | M(MIN) | M(MAX) | M(AND) | M(OR) | M(XOR))

/*
 * allow: groups beside G_TYPE and G_MODE, which types and modes imply. need: groups that must be
 * there. operands: see parse_inst.c; the forms that depend on the modifiers are in operands_of().
 */
static const struct shape {
	uint32_t allow, need, types, stypes;
	uint64_t modes;
	const char *operands;
	uint32_t flags; /* of G_FLAG, those that it takes */
} shapes[PTX_NOPS] = {
	[PTX_ABS] = {G_FTZ, G_TYPE, S_16_64 | FLOAT, 0, 0, "ds", 0},
	[PTX_ACTIVEMASK] = {0, G_TYPE, T(B32), 0, 0, "d", 0},
	[PTX_ADD] = {G_FROUND | G_FTZ | G_SAT | G_CC, G_TYPE, I_16_64 | FLOAT, 0, 0, "dss", 0},
	[PTX_ADDC] = {G_CC, G_TYPE, I_32_64, 0, 0, "dss", 0},
	[PTX_AND] = {0, G_TYPE, T(PRED) | B_16_64, 0, 0, "dss", 0},
	[PTX_APPLYPRIORITY] = {G_SPACE | G_CACHE, 0, 0, 0, 0, "[i", 0},
	[PTX_ATOM] = {G_SPACE | G_SEM | G_SCOPE | G_NOFTZ, G_TYPE | G_MODE,
		B_16_64 | I_32_64 | FLOAT | T(B128), 0, ATOMIC | M(INC) | M(DEC) | M(EXCH) | M(CAS),
		"d[s", PTX_F_HINT},
	[PTX_BAR] = {G_BAR | G_WARP, G_MODE, T(U32) | T(PRED), 0,
		M(SYNC) | M(ARRIVE) | M(RED_POPC) | M(RED_AND) | M(RED_OR), "u?u", 0},
	[PTX_BARRIER_CLUSTER] = {G_BAR | G_SEM, G_MODE, 0, 0, M(ARRIVE) | M(WAIT), "", 0},
	[PTX_BFE] = {0, G_TYPE, I_32_64, 0, 0, "dsuu", 0},
	[PTX_BFI] = {0, G_TYPE, B_32_64, 0, 0, "dssuu", 0},
	[PTX_BFIND] = {0, G_TYPE, I_32_64, 0, M(SHIFTAMT), "ws", 0},
	[PTX_BMSK] = {G_WRAP, G_TYPE | G_WRAP, T(B32), 0, 0, "dsu", 0},
	[PTX_BRA] = {G_UNI, 0, 0, 0, 0, "L", 0},
	[PTX_BREV] = {0, G_TYPE, B_32_64, 0, 0, "ds", 0},
	[PTX_BRX] = {G_UNI | G_IDX, G_IDX, 0, 0, 0, "uT", 0},
	[PTX_CALL] = {G_UNI, 0, 0, 0, 0, "C", 0},
	[PTX_CLZ] = {0, G_TYPE, B_32_64, 0, 0, "ws", 0},
	[PTX_CNOT] = {0, G_TYPE, B_16_64, 0, 0, "ds", 0},
	[PTX_COPYSIGN] = {0, G_TYPE, REAL, 0, 0, "dss", 0},
	[PTX_COS] = {G_APPROX | G_FTZ, G_TYPE, T(F32), 0, 0, "ds", 0},
	[PTX_CP_ASYNC] = {G_SPACE | G_FROM | G_CACHE, G_SPACE | G_FROM, 0, 0, 0, "", PTX_F_HINT},
	[PTX_CP_ASYNC_ARRIVE] = {G_SPACE, G_TYPE, T(B64), 0, 0, "[", PTX_F_NOINC},
	[PTX_CP_ASYNC_COMMIT] = {0, 0, 0, 0, 0, "", 0},
	[PTX_CP_ASYNC_WAIT] = {0, 0, 0, 0, 0, "i", 0},
	[PTX_CP_ASYNC_WAIT_ALL] = {0, 0, 0, 0, 0, "", 0},
	[PTX_CREATEPOLICY] = {G_CACHE | G_LEVEL | G_KIND | G_SPACE, G_TYPE, T(B64), 0,
		M(WIDE) | M(TO), "d?t", 0},
	[PTX_CVT] = {G_FROUND | G_IROUND | G_FTZ | G_SAT, G_TYPE,
		I_8 | I_16_64 | FLOAT | SMALL | T(TF32),
		I_8 | I_16_64 | T(F16) | T(F16X2) | T(BF16) | SMALL | REAL, 0, "ef",
		PTX_F_RELU | PTX_F_SATFINITE},
	[PTX_CVTA] = {G_SPACE, G_SPACE | G_TYPE, T(U32) | T(U64), 0, M(TO), "dm", 0},
	[PTX_DISCARD] = {G_SPACE | G_LEVEL, G_LEVEL, 0, 0, 0, "[i", 0},
	[PTX_DIV] = {G_FROUND | G_FTZ | G_APPROX | G_FULL, G_TYPE, I_16_64 | REAL, 0, 0, "dss", 0},
	[PTX_DP2A] = {0, G_TYPE | G_MODE, I_32, I_32, LMH, "dsss", 0},
	[PTX_DP4A] = {0, G_TYPE, I_32, I_32, 0, "dsss", 0},
	[PTX_ELECT] = {G_SYNC, G_SYNC, 0, 0, 0, "Xu", 0},
	[PTX_EX2] = {G_APPROX | G_FTZ, G_TYPE, T(F32) | HALF, 0, 0, "ds", 0},
	[PTX_EXIT] = {0, 0, 0, 0, 0, "", 0},
	[PTX_FENCE] = {G_SEM | G_SCOPE, 0, 0, 0, 0, "", 0},
	[PTX_FMA] = {G_FROUND | G_FTZ | G_SAT, G_TYPE, FLOAT, 0, 0, "dsss", PTX_F_RELU},
	[PTX_FNS] = {0, G_TYPE, T(B32), 0, 0, "dsss", 0},
	[PTX_GETCTARANK] = {G_SPACE, G_TYPE, T(U32) | T(U64), 0, 0, "wm", 0},
	[PTX_GRIDDEPCONTROL] = {G_KIND, G_KIND, 0, 0, 0, "", 0},
	[PTX_HOSTASSERT] = {0, G_TYPE, T(U64), 0, 0, "ssus", 0},
	[PTX_HOSTFREE] = {0, G_TYPE, T(U64), 0, 0, "s", 0},
	[PTX_HOSTMALLOC] = {0, G_TYPE, T(U64), 0, 0, "ds", 0},
	[PTX_HOSTPRINTF] = {0, G_TYPE, T(U64), 0, 0, "wss", 0},
	[PTX_ISSPACEP] = {G_SPACE, G_SPACE, 0, 0, 0, "pA", 0},
	[PTX_LD] = {G_SPACE | G_VEC | G_CACHE | G_SEM | G_SCOPE | G_NC, G_TYPE, MEMORY, 0, 0, "e[",
		PTX_F_HINT},
	[PTX_LG2] = {G_APPROX | G_FTZ, G_TYPE, T(F32), 0, 0, "ds", 0},
	[PTX_LOP3] = {G_BOOL, G_TYPE, T(B32), 0, 0, "dsssi", 0},
	[PTX_MAD] = {G_FROUND | G_FTZ | G_SAT | G_CC, G_TYPE, I_16_64 | REAL, 0, LMH | M(WIDE),
		"dsss", 0},
	[PTX_MADC] = {G_CC, G_TYPE | G_MODE, I_32_64, 0, LMH, "dsss", 0},
	[PTX_MAD24] = {G_SAT, G_TYPE | G_MODE, I_32, 0, LMH, "dsss", 0},
	[PTX_MAPA] = {G_SPACE, G_TYPE, T(U32) | T(U64), 0, 0, "dmu", 0},
	[PTX_MATCH] = {G_SYNC, G_SYNC | G_TYPE | G_MODE, B_32_64, 0, M(ANY) | M(ALL), "wsu", 0},
	[PTX_MAX] = {G_FTZ | G_NAN | G_XORSIGN | G_ABS, G_TYPE, I_16_64 | FLOAT, 0, 0, "dss", 0},
	[PTX_MBARRIER] = {G_SPACE | G_SEM | G_SCOPE | G_KIND, G_TYPE | G_MODE, T(B64), 0,
		M(INIT) | M(INVAL) | M(EXPECT_TX) | M(COMPLETE_TX) | M(ARRIVE) | M(DROP) |
			M(TEST_WAIT) | M(TRY_WAIT) | M(PENDING),
		"[", PTX_F_EXPECT | PTX_F_PARITY},
	[PTX_MEMBAR] = {G_SCOPE, G_SCOPE, 0, 0, 0, "", 0},
	[PTX_MIN] = {G_FTZ | G_NAN | G_XORSIGN | G_ABS, G_TYPE, I_16_64 | FLOAT, 0, 0, "dss", 0},
	[PTX_MOV] = {0, G_TYPE, T(PRED) | ANY | HALF | T(B128), 0, 0, "dm", 0},
	[PTX_MUL] = {G_FROUND | G_FTZ | G_SAT, G_TYPE, I_16_64 | FLOAT, 0, LMH | M(WIDE), "dss", 0},
	[PTX_MUL24] = {0, G_TYPE | G_MODE, I_32, 0, LMH, "dss", 0},
	[PTX_NANOSLEEP] = {0, G_TYPE, T(U32), 0, 0, "s", 0},
	[PTX_NEG] = {G_FTZ, G_TYPE, S_16_64 | FLOAT, 0, 0, "ds", 0},
	[PTX_NOT] = {0, G_TYPE, T(PRED) | B_16_64, 0, 0, "ds", 0},
	[PTX_OR] = {0, G_TYPE, T(PRED) | B_16_64, 0, 0, "dss", 0},
	[PTX_PMEVENT] = {0, 0, 0, 0, 0, "i", 0},
	[PTX_POPC] = {0, G_TYPE, B_32_64, 0, 0, "ws", 0},
	[PTX_PREFETCH] = {G_SPACE | G_LEVEL, G_LEVEL, 0, 0, 0, "[", 0},
	[PTX_PRMT] = {0, G_TYPE, T(B32), 0, M(F4E) | M(B4E) | M(RC8) | M(ECL) | M(ECR) | M(RC16),
		"dsss", 0},
	[PTX_RCP] = {G_FROUND | G_APPROX | G_FTZ, G_TYPE, REAL, 0, 0, "ds", 0},
	[PTX_RED] = {G_SPACE | G_SEM | G_SCOPE | G_NOFTZ, G_TYPE | G_MODE,
		B_32_64 | I_32_64 | FLOAT, 0, ATOMIC | M(INC) | M(DEC), "[s", PTX_F_HINT},
	[PTX_REDUX] = {G_SYNC | G_NAN | G_ABS, G_SYNC | G_TYPE | G_MODE, T(B32) | I_32 | T(F32), 0,
		ATOMIC, "dsu", 0},
	[PTX_REM] = {0, G_TYPE, I_16_64, 0, 0, "dss", 0},
	[PTX_RET] = {G_UNI, 0, 0, 0, 0, "", 0},
	[PTX_RSQRT] = {G_APPROX | G_FTZ, G_TYPE, REAL, 0, 0, "ds", 0},
	[PTX_SAD] = {0, G_TYPE, I_16_64, 0, 0, "dsss", 0},
	[PTX_SELP] = {0, G_TYPE, ANY, 0, 0, "dssb", 0},
	[PTX_SET] = {G_CMP | G_BOOL | G_FTZ, G_CMP | G_TYPE, I_16 | I_32 | HALF | T(F32),
		ANY | HALF, 0, "dtt", 0},
	[PTX_SETP] = {G_CMP | G_BOOL | G_FTZ, G_CMP | G_TYPE, ANY | HALF, 0, 0, "qss", 0},
	[PTX_SHF] = {G_WRAP, G_TYPE | G_MODE | G_WRAP, T(B32), 0, M(L) | M(R), "dssu", 0},
	[PTX_SHFL] = {G_SYNC, G_TYPE | G_MODE, T(B32) | I_32 | T(F32), 0,
		M(UP) | M(DOWN) | M(BFLY) | M(IDX), "xsuu", 0},
	[PTX_SHL] = {0, G_TYPE, B_16_64, 0, 0, "dsu", 0},
	[PTX_SHR] = {0, G_TYPE, B_16_64 | I_16_64, 0, 0, "dsu", 0},
	[PTX_SIN] = {G_APPROX | G_FTZ, G_TYPE, T(F32), 0, 0, "ds", 0},
	[PTX_SLCT] = {G_FTZ, G_TYPE, ANY, T(S32) | T(F32), 0, "dsst", 0},
	[PTX_SQRT] = {G_FROUND | G_APPROX | G_FTZ, G_TYPE, REAL, 0, 0, "ds", 0},
	[PTX_ST] = {G_SPACE | G_VEC | G_CACHE | G_SEM | G_SCOPE, G_TYPE, MEMORY, 0, 0, "[v",
		PTX_F_HINT},
	[PTX_SUB] = {G_FROUND | G_FTZ | G_SAT | G_CC, G_TYPE, I_16_64 | FLOAT, 0, 0, "dss", 0},
	[PTX_SUBC] = {G_CC, G_TYPE, I_32_64, 0, 0, "dss", 0},
	[PTX_SULD] = {G_VEC | G_FROM | G_WRAP | G_CACHE, G_TYPE | G_MODE | G_FROM | G_WRAP,
		T(B8) | B_16_64, 0, M(1D) | M(2D) | M(3D) | M(A1D) | M(A2D), "ek", 0},
	[PTX_SUST] = {G_VEC | G_FROM | G_WRAP | G_CACHE, G_TYPE | G_MODE | G_FROM | G_WRAP,
		T(B8) | B_16_64 | I_32 | T(F32), 0, M(1D) | M(2D) | M(3D) | M(A1D) | M(A2D), "kv",
		0},
	[PTX_SZEXT] = {G_WRAP, G_TYPE | G_WRAP, I_32, 0, 0, "dsu", 0},
	[PTX_TANH] = {G_APPROX, G_TYPE, T(F32) | HALF, 0, 0, "ds", 0},
	[PTX_TESTP] = {0, G_TYPE | G_MODE, REAL, 0,
		M(FINITE) | M(INFINITE) | M(NUMBER) | M(NOTANUMBER) | M(NORMAL) | M(SUBNORMAL),
		"ps", 0},
	[PTX_TEX] = {G_VEC, G_TYPE | G_MODE | G_VEC, T(U32) | T(S32) | T(F32), T(S32) | T(F32),
		M(1D) | M(2D) | M(3D) | M(A1D) | M(A2D) | M(CUBE) | M(ACUBE), "Vk", PTX_F_LOD},
	[PTX_TRAP] = {0, 0, 0, 0, 0, "", 0},
	[PTX_VOTE] = {G_SYNC, G_TYPE | G_MODE, T(PRED) | T(B32), 0,
		M(ALL) | M(ANY) | M(UNI) | M(BALLOT), "pb", 0},
	[PTX_XOR] = {0, G_TYPE, T(PRED) | B_16_64, 0, 0, "dss", 0},
};

enum ptx_type ptx_type_of(const char *name)
{
	for (unsigned t = PTX_T_PRED; t < PTX_NTYPES; t++)
		if (!strcmp(ptx_type_name(t), name))
			return t;
	return PTX_T_NONE;
}

/* The opcode with the longest name that this text begins with, and the modifiers after it. */
static int op_of(const char *base, const char **rest)
{
	static const struct {
		const char *name;
		enum ptx_op op;
	} also[] = {
		{"barrier", PTX_BAR},
		{"ldu", PTX_LD},
		{"prefetchu", PTX_PREFETCH},
		{"pmevent.mask", PTX_PMEVENT},
		{"fence.mbarrier_init", PTX_FENCE},
		{"fence.proxy.alias", PTX_FENCE},
		{"fence.proxy.async", PTX_FENCE},
		{"fence.proxy.async.global", PTX_FENCE},
		{"fence.proxy.async.shared::cta", PTX_FENCE},
		{"fence.proxy.async.shared::cluster", PTX_FENCE},
		{"membar.proxy.alias", PTX_FENCE},
		{"membar.proxy.async", PTX_FENCE},
		{"membar.proxy.async.global", PTX_FENCE},
		{"membar.proxy.async.shared::cta", PTX_FENCE},
		{"membar.proxy.async.shared::cluster", PTX_FENCE},
	};
	const unsigned nalso = sizeof also / sizeof *also;
	size_t longest = 0;
	int op = -1;
	for (unsigned i = 0; i < PTX_NOPS + nalso; i++) {
		const char *name = i < PTX_NOPS ? ptx_op_name(i) : also[i - PTX_NOPS].name;
		const size_t n = strlen(name);
		if (n <= longest || strncmp(name, base, n) || (base[n] && base[n] != '.'))
			continue;
		longest = n;
		op = i < PTX_NOPS ? (int)i : (int)also[i - PTX_NOPS].op;
	}
	*rest = base + longest;
	return op;
}

/* Applies one modifier; 0: this opcode does not take it. */
static int apply(struct ptx_inst *x, const struct shape *s, const char *name, uint32_t *seen)
{
	enum ptx_type t = ptx_type_of(name);
	if (t) {
		int second = (*seen & G_TYPE) != 0;
		if (x->stype || !((second ? s->stypes : s->types) >> t & 1))
			return 0;
		*(second ? &x->stype : &x->type) = (uint8_t)t;
		*seen |= G_TYPE;
		return 1;
	}
	const struct modifier *m = modifiers, *end = m + sizeof modifiers / sizeof *modifiers;
	uint32_t allow = s->allow & ~(*seen & ~(uint32_t)(G_CACHE | G_BAR | G_SEM));
	for (; m < end; m++)
		if (!strcmp(m->name, name) &&
			(m->group == G_MODE          ? !x->mode && s->modes >> m->value & 1
				: m->group == G_FLAG ? (s->flags & m->value & ~x->flags) != 0
						     : (m->group & allow) != 0))
			break;
	if (m == end)
		return 0;
	*seen |= m->group;
	switch (m->group) {
	case G_MODE:
		x->mode = (uint8_t)m->value;
		break;
	case G_FROUND:
	case G_IROUND:
		x->round = (uint8_t)m->value;
		break;
	case G_SPACE:
		x->space = (uint8_t)m->value; /* what is above are flags */
		x->flags |= m->value & PTX_F_CLUSTER;
		break;
	case G_VEC:
		x->vec = (uint8_t)m->value;
		break;
	case G_CMP:
		x->cmp = (uint8_t)m->value;
		break;
	case G_BOOL:
		x->boolop = (uint8_t)m->value;
		break;
	default:
		x->flags |= m->value;
	}
	return 1;
}

static int is_pair(enum ptx_type t)
{
	return t == PTX_T_F16X2 || t == PTX_T_BF16X2 || t == PTX_T_E4M3X2 || t == PTX_T_E5M2X2;
}

/* To and from pairs, and to tf32: of two floats, or of a pair; what has 8 bits saturates. */
static int cvt_small_fits(const struct ptx_inst *x, uint32_t seen)
{
	const uint32_t to = 1u << x->type, from = 1u << x->stype, halves = T(F16X2) | T(BF16X2);
	if (!(seen & G_FROUND) || (seen & (G_IROUND | G_FTZ | G_SAT)))
		return 0;
	if (x->round == PTX_RNA && x->type != PTX_T_TF32)
		return 0;
	if (to & SMALL)
		return (from & (T(F32) | T(F16X2))) && (x->flags & PTX_F_SATFINITE) &&
		       x->round == PTX_RN;
	if (from & SMALL)
		return x->type == PTX_T_F16X2 && x->round == PTX_RN;
	return x->stype == PTX_T_F32 && (to & (halves | T(TF32)));
}

/* Conversions: what must round says how, what needs not does not. */
static int cvt_fits(const struct ptx_inst *x, uint32_t seen)
{
	if (is_pair(x->type) || is_pair(x->stype) || x->type == PTX_T_TF32)
		return cvt_small_fits(x, seen);
	if ((x->flags & (PTX_F_RELU | PTX_F_SATFINITE)) &&
		(ptx_type_bytes(x->type) != 2 || !ptx_is_float(x->type)))
		return 0;
	if (x->round == PTX_RNA || ((seen & G_FTZ) && x->type == PTX_T_BF16))
		return 0;
	if (x->type != x->stype && ptx_type_bytes(x->type) == 2 && ptx_type_bytes(x->stype) == 2 &&
		ptx_is_float(x->type) && ptx_is_float(x->stype))
		return (seen & G_FROUND) != 0;
	if (!ptx_is_float(x->stype))
		return ptx_is_float(x->type) ? (seen & G_FROUND) && !(seen & G_IROUND)
					     : !(seen & (G_FROUND | G_IROUND | G_FTZ));
	if (!ptx_is_float(x->type))
		return (seen & G_IROUND) != 0;
	if (x->type == x->stype)
		return !(seen & G_FROUND);
	if (ptx_type_bytes(x->type) < ptx_type_bytes(x->stype))
		return (seen & G_FROUND) != 0;
	return !(seen & (G_FROUND | G_IROUND));
}

/*
 * What modifies arithmetic on floats of a type; of a comparison and of slct, the type compared. An
 * fma.bf16 may round in any direction, as ptxas has it; all other halves round to nearest.
 */
static int float_fits(const struct ptx_inst *x, uint32_t seen)
{
	const uint32_t t = 1u << x->stype, brains = T(BF16) | T(BF16X2);
	const int is_ex2 = x->op == PTX_EX2;

	if ((seen & G_FROUND) && (seen & (G_APPROX | G_FULL)))
		return 0;
	if ((seen & G_APPROX) && (seen & G_FULL))
		return 0;
	if (t & T(F64)) {
		const int has_approx = x->op == PTX_RCP || x->op == PTX_RSQRT;
		if (seen & (G_SAT | G_NAN | G_XORSIGN | G_ABS | G_FULL))
			return 0;
		if ((seen & G_FTZ) && !(seen & G_APPROX) && x->op != PTX_RCP)
			return 0; /* ptxas takes it of rcp.rn.f64 too, where it is nothing */
		if (x->op == PTX_RCP && (seen & G_APPROX) && !(seen & G_FTZ))
			return 0;
		return !(seen & G_APPROX) || has_approx;
	}
	if (!(t & HALF))
		return 1;
	if (x->round && x->round != PTX_RN && !(x->op == PTX_FMA && (t & brains)))
		return 0;
	if ((x->flags & PTX_F_RELU) && (seen & G_SAT))
		return 0;
	if (t & brains)
		return !(seen & G_SAT) && !(seen & G_FTZ) == !is_ex2;
	return !is_ex2 || !(seen & G_FTZ);
}

/* .abs of two values stands with .xorsign, of three and of a warp's alone; .xorsign never does. */
static int abs_fits(const struct ptx_inst *x, uint32_t seen)
{
	if ((seen & G_XORSIGN) && !(seen & G_ABS))
		return 0;
	return !(seen & G_ABS) || (seen & G_XORSIGN) || x->type == PTX_T_F32;
}

/* Each kind of type has comparisons of its own: bits eq and ne, unsigned ones those by name. */
static int compare_fits(const struct ptx_inst *x)
{
	const uint32_t t = 1u << x->stype;

	if (t & B_16_64)
		return x->cmp <= PTX_NE;
	if (t & S_16_64)
		return x->cmp <= PTX_GE;
	return t & FLOAT ? x->cmp <= PTX_GE || x->cmp >= PTX_EQU : x->cmp <= PTX_HS;
}

/*
 * Does it lack the word for its rounding? It needs one since PTX 1.4; before, there were none (PTX
 * ISA, "Floating Point Instructions").
 */
static int lacks_rounding(const struct ptx_parser *p, const struct ptx_inst *x, uint32_t seen)
{
	if (p->version < 14 || !ptx_is_float(x->type))
		return 0;
	switch (x->op) {
	case PTX_DIV:
	case PTX_RCP:
	case PTX_SQRT:
		return !(seen & (G_FROUND | G_APPROX | G_FULL));
	case PTX_FMA:
		return !(seen & G_FROUND);
	case PTX_COS:
	case PTX_EX2:
	case PTX_LG2:
	case PTX_RSQRT:
	case PTX_SIN:
	case PTX_TANH:
		return !(seen & G_APPROX);
	default:
		return 0;
	}
}

static int atom_fits(const struct ptx_inst *x, uint32_t seen)
{
	uint32_t t = 1u << x->type;
	if (((seen & G_NOFTZ) != 0) != ((t & HALF) != 0))
		return 0;
	switch (x->mode) {
	case PTX_M_ADD:
		return (t & (I_32_64 | FLOAT)) != 0;
	case PTX_M_MIN:
	case PTX_M_MAX:
		return (t & I_32_64) != 0;
	case PTX_M_INC:
	case PTX_M_DEC:
		return x->type == PTX_T_U32;
	case PTX_M_CAS:
		return (t & (B_16_64 | T(B128))) != 0;
	case PTX_M_EXCH:
		return (t & (B_32_64 | T(B128))) != 0;
	default:
		return (t & B_32_64) != 0;
	}
}

static int space_fits(const struct ptx_inst *x)
{
	uint32_t s = 1u << x->space, global = 1u << TR_S_GLOBAL, shared = 1u << TR_S_SHARED;
	uint32_t local = 1u << TR_S_LOCAL, generic = 1u << TR_S_GENERIC;
	if ((x->flags & PTX_F_CLUSTER) && (x->op == PTX_CP_ASYNC || x->op == PTX_CP_ASYNC_ARRIVE))
		return 0;
	switch (x->op) {
	case PTX_LD:
		return !(x->flags & PTX_F_NC) || x->space == TR_S_GLOBAL;
	case PTX_ST:
		return x->space != TR_S_CONST;
	case PTX_CP_ASYNC:
		return x->space == TR_S_SHARED;
	case PTX_CP_ASYNC_ARRIVE:
	case PTX_MBARRIER:
		return (s & (shared | generic)) != 0;
	case PTX_ATOM:
	case PTX_RED:
		return (s & (global | shared | generic)) != 0;
	default:
		return (s & (global | local | generic)) != 0;
	}
}

/* Whether the modifiers go together. */
static int fits(const struct ptx_inst *x, uint32_t seen)
{
	const uint32_t float_only =
		G_FROUND | G_FTZ | G_APPROX | G_FULL | G_NAN | G_XORSIGN | G_ABS;
	unsigned bytes = ptx_type_bytes(x->type);
	if (x->op == PTX_CVT)
		return cvt_fits(x, seen);
	if (x->round == PTX_RNA || ((x->flags & PTX_F_RELU) && !((HALF >> x->type) & 1)))
		return 0;
	if ((seen & float_only) && !ptx_is_float(x->type) && !ptx_is_float(x->stype))
		return 0;
	if ((seen & G_SAT) && !ptx_is_float(x->type) && x->type != PTX_T_S32)
		return 0;
	if ((seen & G_CC) && (ptx_is_float(x->type) || bytes < 4 || (seen & G_SAT)))
		return 0;
	if (!float_fits(x, seen) || !abs_fits(x, seen))
		return 0;
	switch (x->op) {
	case PTX_SET:
	case PTX_SETP:
		return compare_fits(x);
	case PTX_MAD24:
		return !(seen & G_SAT) || x->mode == PTX_M_HI;
	case PTX_MUL:
	case PTX_MAD:
		if (ptx_is_float(x->type))
			return !x->mode;
		if ((x->flags & PTX_F_SAT) && (x->op == PTX_MUL || x->mode != PTX_M_HI))
			return 0;
		return x->mode && (x->mode != PTX_M_WIDE || (bytes < 8 && !(seen & G_CC)));
	case PTX_VOTE:
		return (x->mode == PTX_M_BALLOT) == (x->type == PTX_T_B32);
	case PTX_REDUX:
		if (x->type == PTX_T_F32)
			return x->mode == PTX_M_MIN || x->mode == PTX_M_MAX;
		return x->mode >= PTX_M_AND ? x->type == PTX_T_B32 : x->type != PTX_T_B32;
	case PTX_BAR:
		return x->type == (x->mode == PTX_M_RED_POPC ? PTX_T_U32
					  : x->mode == PTX_M_SYNC || x->mode == PTX_M_ARRIVE
						  ? PTX_T_NONE
						  : PTX_T_PRED);
	case PTX_ATOM:
	case PTX_RED:
		return atom_fits(x, seen) && space_fits(x);
	case PTX_LD:
	case PTX_ST:
		return bytes * x->vec <= 16 && space_fits(x);
	case PTX_MBARRIER:
		if ((x->flags & PTX_F_PARITY) && x->mode != PTX_M_TEST_WAIT &&
			x->mode != PTX_M_TRY_WAIT)
			return 0;
		return (!(x->flags & PTX_F_EXPECT) || x->mode == PTX_M_ARRIVE ||
			       x->mode == PTX_M_DROP) &&
		       space_fits(x);
	case PTX_CP_ASYNC:
		return !(x->flags & PTX_F_FORMAT) && space_fits(x);
	case PTX_APPLYPRIORITY:
	case PTX_CP_ASYNC_ARRIVE:
	case PTX_DISCARD:
	case PTX_PREFETCH:
		return space_fits(x);
	case PTX_MAPA:
	case PTX_GETCTARANK: /* a generic address has 64 bits where there are clusters */
		return x->space == TR_S_GENERIC ? bytes == 8 : (x->flags & PTX_F_CLUSTER) != 0;
	case PTX_LOP3:
		return x->boolop != PTX_BOOL_XOR;
	case PTX_SULD:
		return !(x->flags & PTX_F_FORMAT);
	case PTX_SUST:
		return x->flags & PTX_F_FORMAT ? bytes == 4
					       : (1u << x->type & (T(B8) | B_16_64)) != 0;
	default:
		return 1;
	}
}

static const char *mbarrier_operands(const struct ptx_inst *x)
{
	const int parity = (x->flags & PTX_F_PARITY) != 0;
	switch (x->mode) {
	case PTX_M_ARRIVE:
	case PTX_M_DROP:
		return x->flags & PTX_F_EXPECT ? "d[u" : "d[?u";
	case PTX_M_TEST_WAIT:
		return parity ? "p[u" : "p[s";
	case PTX_M_TRY_WAIT:
		return parity ? "p[u?u" : "p[s?u";
	case PTX_M_PENDING:
		return "ws";
	default:
		return x->mode == PTX_M_INVAL ? "[" : "[u";
	}
}

static const char *operands_of(const struct ptx_inst *x, uint32_t seen, const char *usual)
{
	int sync = (x->flags & PTX_F_SYNC) != 0;
	switch (x->op) {
	case PTX_MUL:
		return x->mode == PTX_M_WIDE ? "Dss" : usual;
	case PTX_MAD:
		return x->mode == PTX_M_WIDE ? "DssS" : usual;
	case PTX_CREATEPOLICY:
		return x->mode == PTX_M_WIDE ? "d[uu" : x->mode == PTX_M_TO ? "ds" : usual;
	case PTX_CVT:
		return is_pair(x->type) && x->stype == PTX_T_F32 ? "dtt" : usual;
	case PTX_LOP3:
		return x->boolop ? "xsssib" : usual;
	case PTX_MAX:
	case PTX_MIN:
		if (x->type != PTX_T_F32 || (seen & G_XORSIGN))
			return usual;
		return seen & G_ABS ? "dsss" : "dss?s";
	case PTX_SETP:
		return x->boolop ? "qssb" : usual;
	case PTX_SET:
		return x->boolop ? "dttb" : usual;
	case PTX_MBARRIER:
		return mbarrier_operands(x);
	case PTX_ATOM:
		return x->mode == PTX_M_CAS ? "d[ss" : usual;
	case PTX_VOTE:
		if (x->mode == PTX_M_BALLOT)
			return sync ? "wbu" : "wb";
		return sync ? "pbu" : usual;
	case PTX_MATCH:
		return x->mode == PTX_M_ALL ? "Xsu" : usual;
	case PTX_SHFL:
		return sync ? "xsuuu" : usual;
	case PTX_BAR:
		if (x->mode == PTX_M_ARRIVE)
			return "uu";
		if (x->mode == PTX_M_RED_POPC)
			return "wu?ub";
		return x->mode == PTX_M_SYNC ? usual : "pu?ub";
	default:
		return usual;
	}
}

static const char *missing(uint32_t groups)
{
	if (groups & G_MODE)
		return "operation";
	if (groups & G_CMP)
		return "comparison";
	if (groups & (G_SPACE | G_FROM))
		return "state space";
	if (groups & G_TYPE)
		return "type";
	if (groups & G_SYNC)
		return ".sync";
	if (groups & G_SCOPE)
		return "scope";
	if (groups & G_LEVEL)
		return "cache level";
	return groups & G_IDX ? ".idx" : ".clamp or .wrap";
}

/* What would help somebody whose kernel has an opcode that is not there; "" where nothing is known.
 */
static const char *help_for(const char *opcode)
{
	static const char *const newer[] = {"tcgen05.", "wgmma.", "cp.async.bulk.",
		"cp.reduce.async.bulk.", "tensormap.", "multimem.", "setmaxnreg."};

	for (unsigned i = 0; i < sizeof newer / sizeof *newer; i++)
		if (!strncmp(opcode, newer[i], strlen(newer[i])))
			return "; code compiled for sm_80 has none of its kind";
	return strncmp(opcode, "tld4.", 5) ? "" : "; four fetches by tex give the same";
}

/* Opcodes that only the functions of parse_module.c have, and the rows of operands. */
static int is_ours(int op)
{
	return op == PTX_HOSTASSERT || op == PTX_HOSTFREE || op == PTX_HOSTMALLOC ||
	       op == PTX_HOSTPRINTF || op == PTX_OPERAND;
}

/*
 * cvt.pack: what its two values become, which are of s32, says whether a third source fills the
 * rest of the register (PTX ISA, "cvt.pack").
 */
static int pack_form(struct ptx_parser *p, const char *rest, uint32_t line, struct ptx_form *f)
{
	static const struct {
		const char *spelling;
		uint8_t bits, type;
		const char *operands;
	} all[] = {
		{".sat.s16.s32", 16, PTX_T_S32, "dss"},
		{".sat.u16.s32", 16, PTX_T_U32, "dss"},
		{".sat.s8.s32.b32", 8, PTX_T_S32, "dsss"},
		{".sat.u8.s32.b32", 8, PTX_T_U32, "dsss"},
		{".sat.s4.s32.b32", 4, PTX_T_S32, "dsss"},
		{".sat.u4.s32.b32", 4, PTX_T_U32, "dsss"},
		{".sat.s2.s32.b32", 2, PTX_T_S32, "dsss"},
		{".sat.u2.s32.b32", 2, PTX_T_U32, "dsss"},
	};
	struct ptx_inst *x = &f->proto;

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(rest, all[i].spelling)) {
			x->type = x->stype = all[i].type;
			x->flags |= PTX_F_SAT;
			x->video.pack_bits = all[i].bits;
			f->operands = all[i].operands;
			return 1;
		}
	return ptx_bad(p, line, "unsupported opcode 'cvt.pack%.120s'", rest);
}

static int make_form(struct ptx_parser *p, uint32_t atom, uint32_t line, struct ptx_form *f)
{
	const char *text = ptx_text(p, atom), *rest;
	struct ptx_inst *x = &f->proto;
	uint32_t seen = 0;
	int op = op_of(text, &rest);
	if (op < 0 || (is_ours(op) && !p->built_in))
		return ptx_bad(p, line, "unsupported opcode '%.120s'%s", text, help_for(text));
	const struct shape *s = &shapes[op];
	*x = (struct ptx_inst){.op = (uint16_t)op,
		.vec = 1,
		.guard = TR_NONE,
		.target = TR_NONE,
		.text = p->lex.atoms.v[atom].text};
	if (ptx_video_lanes(x->op)) {
		f->operands = "";
		return ptx_video_form(p, x, rest, text, line);
	}
	if (ptx_is_tensor(x->op)) {
		f->operands = "";
		return ptx_tensor_form(p, x, rest, text, line);
	}
	if (x->op == PTX_CVT_PACK)
		return pack_form(p, rest, line, f);
	while (*rest) {
		char name[24];
		size_t n = strcspn(++rest, ".");
		if (n < sizeof name) {
			memcpy(name, rest, n);
			name[n] = 0;
		}
		if (n >= sizeof name || !apply(x, s, name, &seen))
			return ptx_bad(p, line, "unsupported modifier '.%.*s' in '%.120s'%s",
				n > 40 ? 40 : (int)n, rest, text, help_for(text));
		rest += n;
	}
	uint32_t lacks = s->need & ~seen;
	if (lacks)
		return ptx_bad(p, line, "opcode '%.120s' lacks its %s", text, missing(lacks));
	if (s->stypes && !x->stype)
		return ptx_bad(p, line, "opcode '%.120s' lacks its second type", text);
	if (!x->stype)
		x->stype = op == PTX_CREATEPOLICY             ? PTX_T_F32
			   : op == PTX_SULD || op == PTX_SUST ? PTX_T_S32
							      : x->type;
	if ((s->allow & G_SPACE) && !x->space)
		x->space = TR_S_GENERIC;
	if (lacks_rounding(p, x, seen))
		return ptx_bad(p, line, "opcode '%.120s' lacks its rounding, or .approx", text);
	if (!fits(x, seen))
		return ptx_bad(p, line, "unsupported opcode '%.120s'", text);
	if (p->flushes && x->type == PTX_T_F32 && (s->allow & G_FTZ))
		x->flags |= PTX_F_FTZ;
	f->operands = operands_of(x, seen, s->operands);
	if (seen & G_WARP) {
		/* bar.warp.sync orders the memory of a warp that runs in lockstep: a fence. */
		x->op = PTX_MEMBAR;
		x->mode = PTX_M_NONE;
		f->operands = "u";
	}
	return 1;
}

int ptx_form_of(struct ptx_parser *p, uint32_t atom, uint32_t line, struct ptx_form *form)
{
	struct ptx_atom *a = &p->lex.atoms.v[atom];
	if (!a->form) {
		int r = make_form(p, atom, line, form);
		if (r < 0)
			return r;
		if (ptx_room(&p->forms, p->nforms, 1, &p->cap_forms, sizeof *form))
			return ptx_no_memory(p);
		p->forms[p->nforms++] = *form;
		a->form = p->nforms;
	}
	*form = p->forms[a->form - 1];
	return 1;
}
