/*
 * The static program of one kernel: its instructions, and what analysis finds in them. A program
 * comes from PTX (sim/ptx) or from a recorded SASS trace (trace-convert); all other tools work on
 * this alone. The dynamic record of a thread (trace.h) is the list of choices that make
 * the thread's one path through this program.
 */
#ifndef WARPTRACE_PROGRAM_H
#define WARPTRACE_PROGRAM_H

#include "err.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TR_PC_BYTES 8u           /* an instruction's PC is its index times this */
#define TR_NONE UINT32_MAX       /* no register, no block, no loop, no instruction */
#define TR_EXIT (UINT32_MAX - 1) /* successor or reconvergence point: the virtual exit */

/* Instruction classes, for latencies and for counting. Table: TR_CLASS_NAMES in program.c. */
/*
 * The number of the cluster's barrier, beside the 16 of each CTA. It has two halves: an instruction
 * with TR_I_ARRIVE arrives, and another one waits until all threads of the cluster have arrived.
 */
#define TR_BARRIER_CLUSTER 16

enum tr_class {
	TR_C_INT, /* integer and logic, setp, selp */
	TR_C_FP16,
	TR_C_FP32,
	TR_C_FP64,
	TR_C_SFU,     /* rcp, sqrt, rsqrt, sin, cos, lg2, ex2, and division */
	TR_C_MOVE,    /* mov, cvta, special registers, parameters of device functions */
	TR_C_CONVERT, /* cvt */
	TR_C_LOAD,
	TR_C_STORE,
	TR_C_ATOMIC, /* atom and red */
	TR_C_BRANCH, /* bra, brx, call, ret of a device function */
	TR_C_BARRIER,
	TR_C_FENCE,      /* membar, fence */
	TR_C_COLLECTIVE, /* vote, shfl, activemask, match */
	TR_C_EXIT,       /* exit, ret of the kernel, trap */
	TR_C_OTHER,      /* prefetch, nanosleep, pragmas that stay, nop */
	TR_NCLASSES
};

enum tr_space {
	TR_S_NONE,
	TR_S_GLOBAL,
	TR_S_SHARED,
	TR_S_LOCAL,
	TR_S_CONST,
	TR_S_PARAM,
	TR_S_TEXTURE, /* ld.global.nc: the read-only or texture cache */
	TR_S_GENERIC, /* the address decides: tr_launch_space() in trace.h */
	TR_NSPACES
};

const char *tr_class_name(enum tr_class c); /* "int", "fp32", ..., NULL beyond the last */
const char *tr_space_name(enum tr_space s);

enum tr_inst_flags {
	TR_I_GUARD_NOT = 1 << 0, /* guard is @!p */
	TR_I_UNIFORM = 1 << 1,   /* branch proven to go one way for the whole CTA */
	/* 1 << 2: had a meaning in older records (FORMAT.md, 6.1) */
	TR_I_VOLATILE = 1 << 3,
	TR_I_COLLECTIVE = 1 << 4, /* its value is the mask of lanes that took part */
	TR_I_INDEXED = 1 << 5, /* brx: successors are a table, after the fall-through if guarded */
	TR_I_ARRIVE = 1 << 6,  /* barrier that does not wait; of the cluster's: only arrives */
	TR_I_VALUE = 1 << 7,   /* each execution (guard true) records one value: address, operand or
				  members */
	TR_I_OUTCOME = 1 << 8, /* each execution records one outcome: guard or successor */
	TR_I_CALL = 1 << 9,
	TR_I_RET = 1 << 10,
	TR_I_API = 1 << 11, /* call of the device runtime: `aux` is an enum tr_api, its value that
			       call's result */
};

/* The calls of the device runtime that a record keeps, and what the value of each is. */
enum tr_api {
	TR_API_STREAM = 1, /* cudaStreamCreateWithFlags: number of the stream */
	TR_API_BUFFER = 2, /* cudaGetParameterBuffer: address of the buffer */
	TR_API_LAUNCH =
		3, /* cudaLaunchDevice: number of the launch, or TR_NONE: nothing was launched */
};

/*
 * Copies that go on beside the program (cp.async). The loads since a commit are a group; a wait
 * holds until no more than so many of the latest groups are under way.
 */
enum tr_async {
	TR_COPY_LOAD = 1,
	TR_COPY_COMMIT,
	TR_COPY_WAIT_ALL, /* for loads of no group yet too */
	TR_COPY_WAIT,     /* and what may be under way, added to it */
};

/*
 * What the aux of an instruction is that is neither a barrier of class barrier nor a call of the
 * device runtime: its kind in bits 16 to 23, and below them a number that belongs to the kind.
 *
 * An operation whose execution is more than one value has operand rows: instructions right before
 * it, of class other, each of which records one operand of it as its value. They have its guard and
 * stand in its block. They take no turn and no time, no count of instructions has them, and
 * nothing leads to the operation or to a later row but the row before.
 */
enum tr_aux_kind {
	TR_AUX_PLAIN,    /* an enum tr_async, or 0 */
	TR_AUX_OPERAND,  /* an operand row; below: which operand, from 0 on */
	TR_AUX_MBARRIER, /* an operation on a barrier in shared memory; below: enum tr_mbarrier */
	TR_NAUX_KINDS
};
#define TR_AUX_KIND_AT 16
#define TR_AUX(kind, n) ((uint32_t)(kind) << TR_AUX_KIND_AT | (uint32_t)(n))

/*
 * Operations on a barrier in memory (PTX, mbarrier), and what their one operand is; where it has no
 * row it is 1. All are atomics of 8 bytes in shared memory, and their value is the barrier's
 * address.
 */
enum tr_mbarrier {
	TR_MBAR_INIT,      /* arrivals of a phase */
	TR_MBAR_INVAL,     /* none */
	TR_MBAR_ARRIVE,    /* arrivals */
	TR_MBAR_DROP,      /* arrivals, which later phases no longer expect either */
	TR_MBAR_EXPECT,    /* bytes that the phase expects from now on, too */
	TR_MBAR_ARRIVE_TX, /* bytes that the phase expects, too; the thread then arrives once */
	TR_MBAR_DROP_TX,   /* the same; later phases expect one arrival fewer */
	TR_MBAR_COMPLETE,  /* bytes that have come */
	TR_MBAR_TEST,      /* TR_MBAR_FAILED, and from TR_MBAR_PHASES_AT on how many phases have to
			      be over; always has its row, */
	TR_MBAR_TRY,       /* as of TR_MBAR_TEST */
	TR_MBAR_COPIES,    /* none: when the thread's copies so far have come, an arrival that the
			      phase expects beside its others */
	TR_MBAR_COPIES_NOINC, /* the same, which is among those that the phase expects */
	TR_NMBARRIERS
};
#define TR_MBAR_FAILED 1u /* they were not over when it was recorded, and nobody waited */
#define TR_MBAR_PHASES_AT 1

/*
 * One instruction. Lists are (first, count) into the program's pools. Successors: without a guard,
 * one (or none after an exit), or a table for brx. With a guard, a branch or exit has the
 * fall-through first. Any other guarded instruction has one successor, and its outcome is the
 * guard.
 */
struct tr_inst {
	uint32_t opcode; /* text: offset in strings */
	uint8_t cls;     /* enum tr_class */
	uint8_t space;   /* enum tr_space */
	uint8_t bytes;   /* of one element of an access; 0: no access */
	uint8_t vec;     /* elements: 1, 2 or 4; 0: no access */
	uint32_t flags;
	uint32_t guard; /* register, or TR_NONE */
	uint32_t base;  /* address register, or TR_NONE: then disp is the whole address */
	int64_t disp;   /* displacement; a barrier's number; BSSY, BSYNC, BREAK: the number of the
			   convergence barrier + 1, WARPSYNC: its mask; 0: not known */
	uint32_t aux;   /* barrier: threads expected, 0 for all of the CTA; TR_I_API: enum tr_api;
			   others: TR_AUX(kind, n) */
	uint32_t dst, ndst, src, nsrc; /* registers in reg_pool; base and guard are not repeated */
	uint32_t succ, nsucc;          /* instruction numbers or TR_EXIT in succ_pool */
	uint32_t file;                 /* name: offset in strings, or TR_NONE */
	uint32_t line;                 /* 0: unknown */
	/* Found by tr_program_analyze: */
	uint32_t block; /* basic block */
	uint32_t ipdom; /* branches: reconvergence point or TR_EXIT; others: TR_NONE */
	uint32_t lcp;   /* branches: likely-convergence point (TBC 4), or TR_NONE */
};

/* Of what kind the aux of an instruction is; of barriers and calls of the runtime: plain. */
static inline enum tr_aux_kind tr_aux_kind(const struct tr_inst *in)
{
	return in->cls == TR_C_BARRIER || in->flags & TR_I_API
		       ? TR_AUX_PLAIN
		       : (enum tr_aux_kind)(in->aux >> TR_AUX_KIND_AT);
}

static inline uint32_t tr_aux_number(const struct tr_inst *in)
{
	return in->aux & ((1u << TR_AUX_KIND_AT) - 1);
}

static inline int tr_is_operand(const struct tr_inst *in)
{
	return tr_aux_kind(in) == TR_AUX_OPERAND;
}

struct tr_reg {
	uint32_t name;  /* offset in strings */
	uint32_t width; /* bits: 1, 16, 32 or 64 */
};

/* A basic block: instructions first .. first + n - 1. All found by tr_program_analyze. */
struct tr_block {
	uint32_t first, n;
	uint32_t rank;      /* position in the order in which the record has blocks (FORMAT.md) */
	uint32_t loop;      /* innermost loop, or TR_NONE */
	uint32_t idom;      /* block, or TR_NONE for the entry and for unreachable blocks */
	uint32_t ipdom;     /* block, or TR_EXIT; TR_NONE where no path leads to an exit */
	uint32_t noutcomes; /* outcomes that one execution records */
	uint32_t nvalues;   /* values that one execution records at most (guards true) */
};

/* A natural loop. A back edge is one whose target dominates its source, whatever the PCs. */
struct tr_loop {
	uint32_t header;  /* block */
	uint32_t parent;  /* loop, or TR_NONE */
	uint32_t depth;   /* 1 for an outermost loop */
	uint32_t nblocks; /* blocks of the body, header and inner loops included */
};

enum tr_program_marks { /* kernels whose meaning depends on the warp size */
	TR_M_LANEID = 1 << 0,
	TR_M_WARPID = 1 << 1,
	TR_M_CLOCK = 1 << 2,
	TR_M_VOTE = 1 << 3,
	TR_M_SHUFFLE = 1 << 4,
	TR_M_IRREDUCIBLE = 1 << 5, /* some cycle is no natural loop; found by analysis */
};

struct tr_program {
	uint32_t name; /* of the kernel: offset in strings */
	uint32_t marks;
	uint32_t ninsts, nregs, nblocks, nloops, nreg_pool, nsucc_pool;
	struct tr_inst *insts;
	struct tr_reg *regs;
	struct tr_block *blocks;
	struct tr_loop *loops;
	uint32_t *reg_pool, *succ_pool;
	char *strings; /* NUL-terminated texts; offset 0 is "" */
	size_t strings_len;
	uint32_t shared_bytes; /* static shared memory of a CTA */
	uint32_t local_bytes;  /* local memory of a thread */
	uint32_t param_bytes;
	uint32_t live_registers; /* registers per thread by liveness, in 32-bit units */
	/* By instruction: its operands as they were written, immediates among them: offset in
	 * strings, 0 where it is not known. NULL: of none. */
	uint32_t *operands;
	/* By instruction: its control bits with TR_CONTROL_KNOWN, 0 where they are not known. NULL:
	 * of none. */
	uint32_t *control;
};

/*
 * What the compiler says to the issue of SASS, Volta and later: bits 105 to 125 of an instruction's
 * 128, from bit 0 on here.
 */
#define TR_CONTROL_BITS 21
#define TR_CONTROL_KNOWN (1u << TR_CONTROL_BITS)
#define TR_CONTROL_COUNTERS 6
#define TR_CONTROL_NONE 7 /* no counter */

struct tr_control {
	uint8_t stall;           /* cycles until the warp's next issue, 0 to 15 */
	uint8_t yields;          /* another warp is to go next */
	uint8_t result, sources; /* counters that fall when these are written, are read; or NONE */
	uint8_t wait;            /* counters that have to be 0, a bit each */
	uint8_t reuse;           /* operands that are kept, a bit each */
};

static inline struct tr_control tr_control_of(uint32_t bits)
{
	struct tr_control c;

	c.stall = (uint8_t)(bits & 15);
	c.yields = (uint8_t)(~bits >> 4 & 1);
	c.result = (uint8_t)(bits >> 5 & 7);
	c.sources = (uint8_t)(bits >> 8 & 7);
	c.wait = (uint8_t)(bits >> 11 & 63);
	c.reuse = (uint8_t)(bits >> 17 & 15);
	return c;
}

static inline const char *tr_str(const struct tr_program *p, uint32_t offset)
{
	return p->strings + offset;
}

/* Building. Each returns a negative TR_EMEM without memory; _new returns NULL. */
struct tr_program *tr_program_new(const char *name);
void tr_program_free(struct tr_program *p);
int64_t tr_program_string(struct tr_program *p, const char *s); /* interned; offset */
int64_t tr_program_reg(struct tr_program *p, const char *name, uint32_t width); /* new register */
/* Appends *inst with its lists; dst, src and succ in it are set here. Returns its number. */
int64_t tr_program_inst(struct tr_program *p, const struct tr_inst *inst, const uint32_t *dst,
	uint32_t ndst, const uint32_t *src, uint32_t nsrc, const uint32_t *succ, uint32_t nsucc);

/*
 * Finds everything that is "found by analysis": blocks, dominators, loops, ranks, IPDOMs,
 * likely-convergence points, uniform branches, TR_I_OUTCOME, live registers. Sets TR_I_VALUE
 * itself on accesses with a base register and on collectives. Fails with TR_EDATA on a program
 * whose parts do not fit together (a successor beyond the end, say). May be called again.
 */
int tr_program_analyze(struct tr_program *p, struct tr_err *err);
/*
 * Registers per thread of an analysed program by liveness, in 32-bit units, on a machine whose
 * addresses have 32 or 64 bits: a program that was compiled for 64 holds each address in two. 1 or
 * TR_EMEM.
 */
int tr_program_registers(
	const struct tr_program *p, unsigned address_bits, uint32_t *registers, struct tr_err *err);

/* Checks that every reference is within bounds and every rule of this header holds: 1, TR_EDATA. */
int tr_program_validate(const struct tr_program *p, struct tr_err *err);

/* Does it call the device runtime? */
int tr_program_launches(const struct tr_program *p);

/* Has it operations with kinds, so that an ASYNC record stands before it (FORMAT.md, 6.1)? */
int tr_program_is_async(const struct tr_program *p);
/*
 * The first wait at a barrier in memory that is recorded as writers did before format 1.7, with as
 * many turns as the recorder took for it, or TR_NONE: what a replay makes of it depends on those.
 */
uint32_t tr_program_spins_at(const struct tr_program *p);

/* Has it barriers of the cluster? */
int tr_program_has_cluster_barrier(const struct tr_program *p);

/* Says how the operands of an instruction were written; all instructions are there. 1 or TR_EMEM.
 */
int tr_program_operands(struct tr_program *p, uint32_t inst, const char *text);

/* As bytes of a PROGRAM record (FORMAT.md). tr_program_read validates; *p is the caller's. */
struct tr_buf;
int tr_program_write(const struct tr_program *p, struct tr_buf *out);
int tr_program_read(struct tr_program **p, const uint8_t *data, size_t len, struct tr_err *err);

/* The same of an OPERANDS record: of a program with p->operands; into one without. */
int tr_program_write_operands(const struct tr_program *p, struct tr_buf *out);
int tr_program_read_operands(
	struct tr_program *p, const uint8_t *data, size_t len, struct tr_err *err);

/* Says what the control bits of an instruction are, 21 of them; all instructions are there. 1 or
 * TR_EMEM. */
int tr_program_control(struct tr_program *p, uint32_t inst, uint32_t bits);
/* The same of a CONTROL record. */
int tr_program_write_control(const struct tr_program *p, struct tr_buf *out);
int tr_program_read_control(
	struct tr_program *p, const uint8_t *data, size_t len, struct tr_err *err);

/* One instruction as text without its PC, e.g. "@!%p1 ld.global.u32 %r3, [%rd4+8]"; for dumps. */
int tr_program_format(const struct tr_program *p, uint32_t inst, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
