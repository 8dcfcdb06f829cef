/* Names, sizes and classes of what ast.h and ops.def enumerate. */
#include "ast.h"
#include <stddef.h>

static const struct {
	const char *name;
	unsigned bytes;
} types[PTX_NTYPES] = {
	[PTX_T_NONE] = {"", 0},
	[PTX_T_PRED] = {"pred", 0},
	[PTX_T_B8] = {"b8", 1},
	[PTX_T_B16] = {"b16", 2},
	[PTX_T_B32] = {"b32", 4},
	[PTX_T_B64] = {"b64", 8},
	[PTX_T_U8] = {"u8", 1},
	[PTX_T_U16] = {"u16", 2},
	[PTX_T_U32] = {"u32", 4},
	[PTX_T_U64] = {"u64", 8},
	[PTX_T_S8] = {"s8", 1},
	[PTX_T_S16] = {"s16", 2},
	[PTX_T_S32] = {"s32", 4},
	[PTX_T_S64] = {"s64", 8},
	[PTX_T_F16] = {"f16", 2},
	[PTX_T_F16X2] = {"f16x2", 4},
	[PTX_T_BF16] = {"bf16", 2},
	[PTX_T_BF16X2] = {"bf16x2", 4},
	[PTX_T_TF32] = {"tf32", 4},
	[PTX_T_E4M3X2] = {"e4m3x2", 2},
	[PTX_T_E5M2X2] = {"e5m2x2", 2},
	[PTX_T_F32] = {"f32", 4},
	[PTX_T_F64] = {"f64", 8},
	[PTX_T_B128] = {"b128", 16},
};

unsigned ptx_type_bytes(enum ptx_type t)
{
	return (unsigned)t < PTX_NTYPES ? types[t].bytes : 0;
}

const char *ptx_type_name(enum ptx_type t)
{
	return (unsigned)t < PTX_NTYPES ? types[t].name : NULL;
}

static const struct {
	const char *name;
	enum tr_class cls;
} ops[PTX_NOPS] = {
#define PTX_OP(name, text, cls) [PTX_##name] = {text, cls},
#include "ops.def"
#undef PTX_OP
};

const char *ptx_op_name(enum ptx_op op)
{
	return (unsigned)op < PTX_NOPS ? ops[op].name : NULL;
}

enum tr_class ptx_op_class(enum ptx_op op)
{
	return (unsigned)op < PTX_NOPS ? ops[op].cls : TR_C_OTHER;
}

static const char *const sregs[PTX_NSREGS] = {
	[PTX_SR_TID_X] = "%tid.x",
	[PTX_SR_TID_Y] = "%tid.y",
	[PTX_SR_TID_Z] = "%tid.z",
	[PTX_SR_NTID_X] = "%ntid.x",
	[PTX_SR_NTID_Y] = "%ntid.y",
	[PTX_SR_NTID_Z] = "%ntid.z",
	[PTX_SR_CTAID_X] = "%ctaid.x",
	[PTX_SR_CTAID_Y] = "%ctaid.y",
	[PTX_SR_CTAID_Z] = "%ctaid.z",
	[PTX_SR_NCTAID_X] = "%nctaid.x",
	[PTX_SR_NCTAID_Y] = "%nctaid.y",
	[PTX_SR_NCTAID_Z] = "%nctaid.z",
	[PTX_SR_LANEID] = "%laneid",
	[PTX_SR_WARPID] = "%warpid",
	[PTX_SR_NWARPID] = "%nwarpid",
	[PTX_SR_SMID] = "%smid",
	[PTX_SR_NSMID] = "%nsmid",
	[PTX_SR_GRIDID] = "%gridid",
	[PTX_SR_LANEMASK_EQ] = "%lanemask_eq",
	[PTX_SR_LANEMASK_LE] = "%lanemask_le",
	[PTX_SR_LANEMASK_LT] = "%lanemask_lt",
	[PTX_SR_LANEMASK_GE] = "%lanemask_ge",
	[PTX_SR_LANEMASK_GT] = "%lanemask_gt",
	[PTX_SR_CLOCK] = "%clock",
	[PTX_SR_CLOCK_HI] = "%clock_hi",
	[PTX_SR_CLOCK64] = "%clock64",
	[PTX_SR_GLOBALTIMER] = "%globaltimer",
	[PTX_SR_DYNAMIC_SMEM_SIZE] = "%dynamic_smem_size",
	[PTX_SR_TOTAL_SMEM_SIZE] = "%total_smem_size",
	[PTX_SR_CLUSTERID_X] = "%clusterid.x",
	[PTX_SR_CLUSTERID_Y] = "%clusterid.y",
	[PTX_SR_CLUSTERID_Z] = "%clusterid.z",
	[PTX_SR_NCLUSTERID_X] = "%nclusterid.x",
	[PTX_SR_NCLUSTERID_Y] = "%nclusterid.y",
	[PTX_SR_NCLUSTERID_Z] = "%nclusterid.z",
	[PTX_SR_CLUSTER_CTAID_X] = "%cluster_ctaid.x",
	[PTX_SR_CLUSTER_CTAID_Y] = "%cluster_ctaid.y",
	[PTX_SR_CLUSTER_CTAID_Z] = "%cluster_ctaid.z",
	[PTX_SR_CLUSTER_NCTAID_X] = "%cluster_nctaid.x",
	[PTX_SR_CLUSTER_NCTAID_Y] = "%cluster_nctaid.y",
	[PTX_SR_CLUSTER_NCTAID_Z] = "%cluster_nctaid.z",
	[PTX_SR_CLUSTER_CTARANK] = "%cluster_ctarank",
	[PTX_SR_CLUSTER_NCTARANK] = "%cluster_nctarank",
	[PTX_SR_IS_EXPLICIT_CLUSTER] = "%is_explicit_cluster",
#define ENVREG(n) [PTX_SR_ENVREG + n] = "%envreg" #n
	ENVREG(0),
	ENVREG(1),
	ENVREG(2),
	ENVREG(3),
	ENVREG(4),
	ENVREG(5),
	ENVREG(6),
	ENVREG(7),
	ENVREG(8),
	ENVREG(9),
	ENVREG(10),
	ENVREG(11),
	ENVREG(12),
	ENVREG(13),
	ENVREG(14),
	ENVREG(15),
	ENVREG(16),
	ENVREG(17),
	ENVREG(18),
	ENVREG(19),
	ENVREG(20),
	ENVREG(21),
	ENVREG(22),
	ENVREG(23),
	ENVREG(24),
	ENVREG(25),
	ENVREG(26),
	ENVREG(27),
	ENVREG(28),
	ENVREG(29),
	ENVREG(30),
	ENVREG(31),
};

const char *ptx_sreg_name(enum ptx_sreg s)
{
	return (unsigned)s < PTX_NSREGS ? sregs[s] : NULL;
}
