/*
 * A PTX module as the parser leaves it: every entry with its device functions inlined, names
 * resolved, one flat list of instructions. An instruction's number here is its number in the
 * tr_program and in the decoded form that sim/ptx/exec runs. Internal to sim/ptx.
 */
#ifndef PTX_AST_H
#define PTX_AST_H

#include "libtrace/program.h"
#include <stdint.h>

/* What belongs together stands on one line. */
/* clang-format off */
enum ptx_type {
	PTX_T_NONE,
	PTX_T_PRED,
	PTX_T_B8, PTX_T_B16, PTX_T_B32, PTX_T_B64,
	PTX_T_U8, PTX_T_U16, PTX_T_U32, PTX_T_U64,
	PTX_T_S8, PTX_T_S16, PTX_T_S32, PTX_T_S64,
	PTX_T_F16, PTX_T_F16X2, PTX_T_BF16, PTX_T_BF16X2,
	PTX_T_TF32, PTX_T_E4M3X2, PTX_T_E5M2X2, PTX_T_F32, PTX_T_F64,
	PTX_T_B128, /* in the parser only: two registers of b64, one after the other */
	PTX_NTYPES
};

/* Opcodes: one line each in ops.def, PTX_OP(name, "text", class). */
enum ptx_op {
#define PTX_OP(name, text, cls) PTX_##name,
#include "ops.def"
#undef PTX_OP
	PTX_NOPS
};

enum ptx_round { /* PTX ISA, rounding modifiers; the integer ones of cvt too */
	PTX_R_DEFAULT, PTX_RN, PTX_RZ, PTX_RM, PTX_RP, PTX_RNI, PTX_RZI, PTX_RMI, PTX_RPI, PTX_RNA
};

enum ptx_cmp { /* setp, set */
	PTX_EQ, PTX_NE, PTX_LT, PTX_LE, PTX_GT, PTX_GE,
	PTX_LO, PTX_LS, PTX_HI, PTX_HS,
	PTX_EQU, PTX_NEU, PTX_LTU, PTX_LEU, PTX_GTU, PTX_GEU, PTX_NUM, PTX_NAN
};

enum ptx_bool { PTX_BOOL_NONE, PTX_BOOL_AND, PTX_BOOL_OR, PTX_BOOL_XOR };

enum ptx_mode { /* the one modifier that selects what an opcode does */
	PTX_M_NONE,
	PTX_M_LO, PTX_M_HI, PTX_M_WIDE,				/* mul, mad, mul24 */
	PTX_M_ADD, PTX_M_MIN, PTX_M_MAX, PTX_M_INC, PTX_M_DEC,	/* atom, red, redux */
	PTX_M_AND, PTX_M_OR, PTX_M_XOR, PTX_M_EXCH, PTX_M_CAS,
	PTX_M_UP, PTX_M_DOWN, PTX_M_BFLY, PTX_M_IDX,		/* shfl */
	PTX_M_ALL, PTX_M_ANY, PTX_M_UNI, PTX_M_BALLOT,		/* vote, match */
	PTX_M_F4E, PTX_M_B4E, PTX_M_RC8, PTX_M_ECL, PTX_M_ECR, PTX_M_RC16, /* prmt */
	PTX_M_L, PTX_M_R, PTX_M_SHIFTAMT,			/* shf.l, shf.r, bfind.shiftamt */
	PTX_M_SYNC, PTX_M_ARRIVE, PTX_M_RED_POPC, PTX_M_RED_AND, PTX_M_RED_OR, /* bar */
	PTX_M_FINITE, PTX_M_INFINITE, PTX_M_NUMBER, PTX_M_NOTANUMBER, /* testp */
	PTX_M_NORMAL, PTX_M_SUBNORMAL,
	PTX_M_TO, /* cvta.to.space; plain cvta is PTX_M_NONE */
	PTX_M_1D, PTX_M_2D, PTX_M_3D, PTX_M_A1D, PTX_M_A2D, /* tex */
	PTX_M_INIT, PTX_M_INVAL, PTX_M_EXPECT_TX, PTX_M_COMPLETE_TX,	/* mbarrier; and arrive */
	PTX_M_DROP, PTX_M_TEST_WAIT, PTX_M_TRY_WAIT, PTX_M_PENDING,
	PTX_M_WAIT, /* barrier.cluster */
	PTX_M_STREAM, PTX_M_BUFFER, PTX_M_LAUNCH, PTX_M_FINE, /* call: of the device runtime */
	PTX_M_CUBE, PTX_M_ACUBE, /* tex */
};

enum ptx_inst_flags {
	PTX_F_FTZ = 1 << 0,
	PTX_F_SAT = 1 << 1,
	PTX_F_APPROX = 1 << 2,
	PTX_F_FULL = 1 << 3,
	PTX_F_CC = 1 << 4,	 /* add.cc: writes the carry */
	PTX_F_SYNC = 1 << 5,	 /* shfl.sync, vote.sync: last source is the member mask */
	PTX_F_CLAMP = 1 << 6,	 /* shf.clamp; else wrap */
	PTX_F_NC = 1 << 7,	 /* ld.global.nc */
	PTX_F_VOLATILE = 1 << 8, /* also .relaxed, .acquire, .release */
	PTX_F_UNI = 1 << 9,
	PTX_F_NAN = 1 << 10,	 /* min.NaN */
	PTX_F_XORSIGN = 1 << 11,
	PTX_F_BOOL_NOT = 1 << 12, /* setp: the predicate source c is negated */
	PTX_F_RELU = 1 << 14,	 /* what is negative becomes 0 */
	PTX_F_SATFINITE = 1 << 15,
	PTX_F_EXPECT = 1 << 16,	 /* mbarrier.arrive.expect_tx */
	PTX_F_PARITY = 1 << 17,	 /* mbarrier.test_wait.parity */
	PTX_F_NOINC = 1 << 18,	 /* cp.async.mbarrier.arrive.noinc */
	PTX_F_ZERO = 1 << 20,	 /* suld, sust: outside there are zeros, and nothing is written */
	PTX_F_ASYNC = 1 << 19,	 /* ld and st: the halves of a cp.async */
	PTX_F_FRAME = 1 << 21,	 /* recurse.c: the immediate is about frames, set at the end */
	PTX_F_AGAIN = 1 << 22,	 /* call: of a function that has not returned; src[0]: the stack */
	PTX_F_BACK = 1 << 23,	 /* brx: a ret to one of several calls */
	PTX_F_FORMAT = 1 << 24,	 /* sust.p: values become what the surface holds */
	PTX_F_CLUSTER = 1 << 25, /* .shared::cluster */
	PTX_F_LOD = 1 << 26,	 /* tex.level: the last source is the level of a mipmap */
	PTX_F_HINT = 1 << 13,	 /* .L2::cache_hint: a policy is the last operand, and dropped */
};

enum ptx_sreg {
	PTX_SR_TID_X, PTX_SR_TID_Y, PTX_SR_TID_Z,
	PTX_SR_NTID_X, PTX_SR_NTID_Y, PTX_SR_NTID_Z,
	PTX_SR_CTAID_X, PTX_SR_CTAID_Y, PTX_SR_CTAID_Z,
	PTX_SR_NCTAID_X, PTX_SR_NCTAID_Y, PTX_SR_NCTAID_Z,
	PTX_SR_LANEID, PTX_SR_WARPID, PTX_SR_NWARPID, PTX_SR_SMID, PTX_SR_NSMID, PTX_SR_GRIDID,
	PTX_SR_LANEMASK_EQ, PTX_SR_LANEMASK_LE, PTX_SR_LANEMASK_LT, PTX_SR_LANEMASK_GE,
	PTX_SR_LANEMASK_GT,
	PTX_SR_CLOCK, PTX_SR_CLOCK_HI, PTX_SR_CLOCK64, PTX_SR_GLOBALTIMER,
	PTX_SR_DYNAMIC_SMEM_SIZE, PTX_SR_TOTAL_SMEM_SIZE,
	PTX_SR_CLUSTERID_X, PTX_SR_CLUSTERID_Y, PTX_SR_CLUSTERID_Z,
	PTX_SR_NCLUSTERID_X, PTX_SR_NCLUSTERID_Y, PTX_SR_NCLUSTERID_Z,
	PTX_SR_CLUSTER_CTAID_X, PTX_SR_CLUSTER_CTAID_Y, PTX_SR_CLUSTER_CTAID_Z,
	PTX_SR_CLUSTER_NCTAID_X, PTX_SR_CLUSTER_NCTAID_Y, PTX_SR_CLUSTER_NCTAID_Z,
	PTX_SR_CLUSTER_CTARANK, PTX_SR_CLUSTER_NCTARANK, PTX_SR_IS_EXPLICIT_CLUSTER,
	PTX_SR_ENVREG, /* the first of 32 */
	PTX_NSREGS = PTX_SR_ENVREG + 32
};

enum ptx_operand_kind {
	PTX_O_NONE,
	PTX_O_REG,  /* reg; reg == TR_NONE is the sink '_' (destinations only) */
	PTX_O_IMM,  /* imm: an integer sign-extended to 64 bits, or the bits of an f32 or f64 */
	PTX_O_SREG, /* reg is an enum ptx_sreg */
	PTX_O_SYM,  /* address of a variable: sym, plus imm bytes */
	PTX_O_KERNEL, /* a kernel: sym is its number in the module */
};

enum ptx_imm_kind { PTX_I_INT, PTX_I_F32, PTX_I_F64 };
/* clang-format on */

struct ptx_operand {
	uint8_t kind;     /* enum ptx_operand_kind */
	uint8_t imm_kind; /* enum ptx_imm_kind: as it was written */
	uint8_t negate;   /* predicates: !p; integers: -r where PTX allows it */
	uint32_t reg;     /* number in the kernel's regs */
	uint32_t sym;     /* number in the module's syms or, with PTX_SYM_LOCAL set, the kernel's */
	uint64_t imm;
};

#define PTX_SYM_LOCAL 0x80000000u
/* What the address of a function is: of the body with this number in its module. */
#define PTX_FUNCTION(body) (0x7fff00000000ull + 16 * ((uint64_t)(body) + 1))
#define PTX_MAX_DST 8  /* wmma; vector loads have 4, shfl and setp two */
#define PTX_MAX_SRC 25 /* wmma.mma has 24 */

/* Elements of matrices that a warp holds together (tensor.c). */
enum ptx_cell {
	PTX_CELL_F16,
	PTX_CELL_BF16,
	PTX_CELL_TF32,
	PTX_CELL_E4M3,
	PTX_CELL_E5M2,
	PTX_CELL_F32,
	PTX_CELL_F64,
	PTX_CELL_S8, /* integers from here on */
	PTX_CELL_U8,
	PTX_CELL_S4,
	PTX_CELL_U4,
	PTX_CELL_B1,
	PTX_CELL_B16, /* of ldmatrix and stmatrix */
	PTX_CELL_S32,
	PTX_NCELLS
};

/* The shape of a product, or of what it has in memory. */
enum { PTX_TILE_D = 3 };
struct ptx_tile {
	uint16_t m, n, k;
	uint8_t cell[4];   /* enum ptx_cell of a, b, c and d */
	uint8_t by_col[3]; /* of a, b, c: columns one after the other; ldmatrix: by_col[0], .trans
			    */
	uint8_t matrix;    /* of wmma.load and .store: 0 a, 1 b, 2 the sums */
	uint8_t na, nb;    /* registers of a and b; ldmatrix, stmatrix: matrices */
	uint8_t strided;   /* wmma.load, .store: the last source is the stride, in elements */
};

/* What video instructions have beside types, parts of their operands, and cvt.pack. */
struct ptx_video {
	uint8_t lanes; /* 1, or the halves or bytes of a register */
	uint8_t btype; /* of b; type and stype are d's and a's */
	uint8_t d_at, d_bits, a_at, a_bits, b_at, b_bits; /* of one: where in the register */
	uint16_t a_parts, b_parts; /* of several: numbers of parts of b:a, 4 bits each */
	uint8_t mask;              /* of several: which of d are not c's */
	uint8_t plus_one, shift;   /* vmad */
	uint8_t pack_bits;         /* cvt.pack: of each of the two values */
};

struct ptx_inst {
	uint16_t op;    /* enum ptx_op */
	uint8_t type;   /* enum ptx_type: of the operation, or of the destination */
	uint8_t stype;  /* second type of cvt, set, slct, dp4a, dp2a; others: as type */
	uint8_t mode;   /* enum ptx_mode */
	uint8_t cmp;    /* enum ptx_cmp */
	uint8_t boolop; /* enum ptx_bool */
	uint8_t round;  /* enum ptx_round */
	uint8_t space;  /* enum tr_space: ld, st, atom, red, cvta, isspacep */
	uint8_t vec;    /* 1, 2, 4 for ld and st */
	uint32_t flags; /* enum ptx_inst_flags */
	uint32_t guard; /* predicate register, or TR_NONE */
	uint8_t guard_not;
	uint8_t ndst, nsrc;
	struct ptx_operand dst[PTX_MAX_DST];
	struct ptx_operand src[PTX_MAX_SRC]; /* in the order of the text, the address of a ld, st,
						atom excepted; lop3's table is the last */
	struct ptx_operand addr; /* ld, st, atom, red, prefetch: REG, SYM or IMM, plus disp */
	int64_t disp;
	/*
	 * Instruction numbers. bra: where to. call: the inlined copy's first one, which is the
	 * next; targets[0] is the one after the copy, where lanes go whose guard is false. ret:
	 * after the copy, or TR_NONE: the thread ends. brx.idx: the table; src[0] is the index.
	 * A call of the device runtime (mode) goes nowhere: src are the symbols of its arguments,
	 * dst[0] that of its result, and text is the function's name.
	 */
	uint32_t target;
	uint32_t *targets, ntargets;
	struct ptx_video video;
	struct ptx_tile tile; /* mma, wmma, ldmatrix, stmatrix */
	uint32_t file, line;  /* .loc: file number in the module, 0: none */
	uint32_t ptx_line;    /* line in the PTX text */
	uint32_t text; /* the opcode with its modifiers, "ld.global.v2.f32": offset in strings */
};

enum ptx_sym_space { PTX_V_GLOBAL, PTX_V_CONST, PTX_V_SHARED, PTX_V_LOCAL, PTX_V_PARAM };

/* Of a local variable: whether its offset is added to the stack's end (recurse.c). */
enum ptx_frame {
	PTX_FRAME_NONE,
	PTX_FRAME_FIRST, /* no, but it lies in the first frame */
	PTX_FRAME_THIS,
	PTX_FRAME_NEXT, /* of the frame of the function that is called */
};

/*
 * A variable. Module symbols: global and const variables (with initial data), and shared ones,
 * which instructions name only through the kernel's symbol: there each kernel has those it uses.
 * Kernel symbols: shared, local, and parameters of the entry (offset in the parameter block) and of
 * inlined calls. These lie in local memory after the variables: ld.param and st.param with such a
 * symbol keep space TR_S_PARAM, cannot miss it (the parser has checked) and are no accesses in the
 * tr_program. A call's parameter whose address is taken is an ordinary local variable.
 */
struct ptx_sym {
	char *name;
	uint8_t space; /* enum ptx_sym_space */
	uint32_t align;
	uint64_t bytes;   /* 0: extern .shared array, the dynamic shared memory */
	uint64_t offset;  /* in its space: shared, local, param, const; global: set when loaded */
	uint8_t frame;    /* enum ptx_frame */
	uint32_t storage; /* parameters of calls: the symbol whose bytes they are (an actual one) */
	uint8_t *init;    /* bytes, or NULL: zeros */
	/* initial data may hold addresses of other symbols: */
	struct ptx_reloc {
		uint64_t at;
		uint32_t sym;
		int64_t add;
		uint8_t bytes;
		uint8_t generic;
	} * relocs;
	uint32_t nrelocs;
};

struct ptx_reg {
	char *name;   /* unique: an inlined function's are renamed */
	uint8_t type; /* enum ptx_type as declared */
};

/* What a kernel says of its CTA's threads, by .maxntid or .reqntid. */
struct ptx_cta_size {
	uint32_t most;        /* the product of the extents; 0: it says nothing */
	uint32_t required[3]; /* of .reqntid; 0, 0, 0: likewise */
};

/* What a kernel says of its clusters. */
struct ptx_clustering {
	uint32_t ctas[3];       /* .reqnctapercluster; 0, 0, 0: it says nothing */
	uint32_t most;          /* .maxclusterrank; 0: likewise */
	uint8_t needs_explicit; /* .explicitcluster */
};

struct ptx_kernel {
	char *name;
	const char *path;    /* of its text, for messages */
	const char *refusal; /* why it cannot be launched, or NULL; it then has no program */
	struct ptx_inst *insts;
	uint32_t ninsts;
	struct ptx_reg *regs;
	uint32_t nregs;
	struct ptx_sym *syms;
	uint32_t nsyms;
	struct ptx_param {
		uint32_t offset, bytes, align;
		uint8_t type;
		char *name;
	} * params;
	uint32_t nparams, param_bytes;
	uint32_t shared_bytes; /* static; a dynamic array starts after it at its alignment */
	uint32_t local_bytes;
	uint32_t frame_bytes; /* of a function that calls itself; 0: there is none */
	uint32_t call_bytes;  /* its last part, which only parameters of calls use */
	struct ptx_cta_size maxntid;
	struct ptx_clustering cluster;
	char *strings;
	size_t strings_len;
	const struct ptx_module *module;
	struct tr_program *program; /* made by lower.c, analysed; NULL where there is a refusal */
};

struct ptx_module {
	char *path; /* as given, for messages; of several texts the first one's */
	struct ptx_kernel **kernels;
	uint32_t nkernels;
	struct ptx_sym *syms;
	uint32_t nsyms;
	char **files; /* .file table: files[number], NULL where none */
	uint32_t nfiles;
	uint64_t const_bytes;
	int address_size;        /* 64 or 32 */
	int uses_heap;           /* malloc in a kernel */
	uint32_t target;         /* 60 of .target sm_60; of several the highest, 0: none */
	struct ptx_arena *arena; /* owns what is not an array named above */
	char *strings;           /* of all kernels: their `strings` are this */
	size_t strings_len;
};

/* Values of a register that a video instruction works on; 0: it is none. */
unsigned ptx_video_lanes(enum ptx_op op);
int ptx_is_tensor(enum ptx_op op);
const char *ptx_cell_name(enum ptx_cell c);
unsigned ptx_cell_bits(enum ptx_cell c);
/* Elements of matrix a, b or c (0, 1, 2) that a lane holds. */
unsigned ptx_tile_elements(const struct ptx_inst *x, unsigned matrix);

/* Is it a call of the device runtime? */
static inline int ptx_calls_device(const struct ptx_inst *i)
{
	return i->op == PTX_CALL && i->mode != PTX_M_NONE;
}

unsigned ptx_type_bytes(enum ptx_type t); /* 0 for none and pred */
const char *ptx_type_name(enum ptx_type t);
const char *ptx_op_name(enum ptx_op op);
enum tr_class ptx_op_class(enum ptx_op op);
const char *ptx_sreg_name(enum ptx_sreg s); /* "%tid.x" */

/* lower.c: builds k->program from the rest of k. */
int ptx_lower(struct ptx_kernel *k, struct tr_err *err);

#endif
