/*
 * A program prepared for the replay: all that issuing an instruction needs is in one struct, so
 * that the hot loop follows no pointers.
 */
#ifndef SIM_BASE_PROGRAM_H
#define SIM_BASE_PROGRAM_H

#include "libtrace/graph.h"
#include "sim/base/config.h"

enum sim_unit {
	SIM_U_ALU, /* a result after a latency */
	SIM_U_L1D, /* global, local, generic loads and stores */
	SIM_U_SHARED,
	SIM_U_CONST,   /* const and param loads */
	SIM_U_TEXTURE, /* ld.global.nc */
	SIM_U_ATOMIC,  /* global atomics: at the L2 */
	SIM_U_BARRIER,
	SIM_U_API,  /* calls of the device runtime: the launcher says until when */
	SIM_U_NONE, /* fences, prefetches: issue and be done */
};

/* What of a copy that is whole (sm.async) an instruction is. */
enum sim_part_of_copy {
	SIM_NO_PART,
	SIM_COPY_READ,  /* its load; the store comes next */
	SIM_COPY_WRITE, /* its store: says where the data go, and takes no unit */
	SIM_COPY_BOTH,  /* LDGSTS: where in shared memory the data go is not known */
};

/* What the L1D does with an access, by its cache operator (l1d.operators). */
enum sim_cached {
	SIM_CACHED,           /* as ever */
	SIM_CACHED_NOT,       /* it goes past the L1D */
	SIM_CACHED_FIRST,     /* its line is evicted first */
	SIM_CACHED_LAST,      /* its line is evicted last */
	SIM_CACHED_UNCHANGED, /* its line's turn to be evicted stays as it is */
	SIM_CACHED_IF_THERE,  /* a miss takes no line */
};

#define SIM_OPERANDS 12

struct sim_inst {
	uint8_t unit;            /* enum sim_unit */
	uint8_t cls;             /* enum tr_class, or one of the machine's (struct sim_config) */
	uint8_t pipe, other;     /* which unit it takes, and which it may take instead (units.h) */
	uint8_t both;            /* it takes these two */
	uint8_t of_sm;           /* the unit is the SM's, not its scheduler's */
	uint8_t noperands, ndst; /* destinations first; then sources, base, guard */
	uint8_t has_outcome, has_value, two_bytes, is_load, is_store;
	uint8_t last;      /* of its block */
	uint8_t leads_out; /* a thread may exit after it, or have an unguarded exit as its next */
	uint8_t asks;      /* what the warp policy wants to be asked: enum sim_asks (warp.h) */
	uint8_t plain; /* it reads no records: neither outcome nor value, no memory, no collective
			*/
	uint8_t kinds; /* those of ready warps that a warp at it is among (sim/sm/state.h) */
	uint8_t guarded;
	uint8_t space; /* enum tr_space */
	uint8_t copy;  /* enum tr_async, TR_COPY_WAIT for all such; or 0 */
	uint8_t part;  /* enum sim_part_of_copy */
	/*
	 * Rows of operands before the operation, if this is the first of them (tr_is_operand): the
	 * warp stands there, all else is the operation's, and its number is so many more. Warps
	 * stand at no other row, nor at an operation that has some.
	 */
	uint8_t rows;
	uint8_t mbarrier; /* enum tr_mbarrier + 1, or 0 */
	uint8_t past_l1;  /* a copy's load that takes no line of the L1D */
	uint8_t cached;   /* enum sim_cached */
	uint8_t bytes;    /* of the whole access of a lane, vector included */
	/* Control bits that the machine follows (sm.control_bits); all 0 where they are not known.
	 */
	uint8_t after;           /* cycles until the warp's next issue; 0: they are not known */
	uint8_t result, sources; /* counter raised until these are written, read, + 1; or 0 */
	uint8_t none_of;         /* counters that have to be 0, a bit each */
	uint8_t few_of, few;     /* of counter few_of - 1 at most so many; or 0 */
	uint32_t may_go_on;      /* of such a wait: groups that may be under way */
	uint32_t block;
	uint32_t latency, interval; /* of its class on the machine (struct sim_config) */
	uint32_t hold;              /* cycles until its warp issues again, at least */
	uint32_t reads;             /* cycles that its operands take beyond the first */
	uint32_t sources_read;      /* cycles from issue until its sources have been read */
	/* Registers, renumbered densely: only those that are written. After the operands the first
	 * one again. */
	uint32_t reg[SIM_OPERANDS];
	const struct tr_inst *inst;
};

static inline int sim_is_memory(const struct sim_inst *x)
{
	return x->unit >= SIM_U_L1D && x->unit <= SIM_U_ATOMIC;
}

struct sim_program {
	const struct tr_program *p;
	struct sim_inst *insts;
	uint32_t nregs;        /* registers that the scoreboard follows */
	int copies;            /* some instruction commits a group of copies, or waits for some */
	int mbarriers;         /* some operate on barriers in shared memory */
	int controlled;        /* some instruction has control bits that the machine follows */
	uint32_t *header_loop; /* per block: loop of which it is the header, or TR_NONE */
	struct tr_loop_tree nest; /* of the loops: which lies in which */
};

int sim_program_make(struct sim_program *s, const struct tr_program *p, struct tr_err *err);
void sim_program_free(struct sim_program *s);
/*
 * Which way instructions go on a machine (ways.c): sm.param_operands, texture_l1d, opcode_units;
 * how long each takes there: latencies, intervals, holds, conflicts of register banks; and what
 * their control bits say, where the machine follows them; which of them are whole copies; and what
 * their cache operators say.
 */
void sim_program_ways(struct sim_program *s, const struct sim_config *c);

/* Is block b in loop l, or in one within it? */
static inline int sim_in_loop(const struct sim_program *s, uint32_t l, uint32_t b)
{
	return tr_loop_tree_holds(&s->nest, l, s->p->blocks[b].loop);
}

#endif
