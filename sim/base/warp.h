/*
 * Warps and threads of an SM as all parts of it see them. A warp policy decides which threads are
 * in which warp and writes the fields marked [policy]; the SM writes the others; schedulers read.
 *
 * An SM has three kinds of slots, each numbered from 0. A warp slot has one warp at a time, a CTA
 * slot one CTA, and a thread slot one thread. A thread keeps its slot until its CTA ends, whichever
 * warps it is in meanwhile, and the threads of a CTA have consecutive slots.
 */
#ifndef SIM_BASE_WARP_H
#define SIM_BASE_WARP_H

#include "libtrace/access.h"
#include "libtrace/trace.h"
#include "sim/base/bits.h"
#include "sim/base/param.h"
#include "sim/base/paths.h"

#define SIM_WIDE_WARPS                                                                             \
	(TR_LANES_MAX / 2) /* the most warps that issue one instruction as one warp */
#define SIM_NO_WARP UINT32_MAX
#define SIM_NEVER UINT64_MAX /* a cycle that does not come */
#define SIM_SLICES 8         /* the most slices of an SM (struct sim_shape in sim/warp/warp.h) */

#define SIM_MASK_WORDS (TR_LANES_MAX / 64)

struct sim_mask {
	uint64_t w[SIM_MASK_WORDS];
};

#define FOR_LANES(mask, lane)                                                                      \
	for (int k_ = 0; k_ < SIM_MASK_WORDS; k_++)                                                \
		for (uint64_t m_ = (mask).w[k_];                                                   \
			m_ && ((lane) = (uint32_t)(k_ * 64) + (uint32_t)__builtin_ctzll(m_), 1);   \
			m_ &= m_ - 1)

static inline uint32_t sim_lanes(const struct sim_mask *m)
{
	uint32_t n = sim_ones(m->w[0]);

	if (m->w[1] | m->w[2] | m->w[3])
		for (int k = 1; k < SIM_MASK_WORDS; k++)
			n += sim_ones(m->w[k]);
	return n;
}

static inline int sim_any(const struct sim_mask *m)
{
	return (m->w[0] | m->w[1] | m->w[2] | m->w[3]) != 0;
}

/* Takes the lowest lane out; TR_NONE: there is none. */
static inline uint32_t sim_pop(struct sim_mask *m)
{
	for (uint32_t k = 0; k < SIM_MASK_WORDS; k++)
		if (m->w[k]) {
			const uint32_t lane = k * 64 + (uint32_t)__builtin_ctzll(m->w[k]);

			m->w[k] &= m->w[k] - 1;
			return lane;
		}
	return TR_NONE;
}

enum sim_warp_state {
	SIM_W_FREE,    /* no threads */
	SIM_W_RUN,     /* may issue once its operands are there */
	SIM_W_RESOLVE, /* has issued its block's last instruction, which is still in the pipeline */
	SIM_W_BARRIER, /* waits at a barrier of its CTA */
	SIM_W_HELD,    /* its policy holds it: it waits for other warps */
	SIM_W_MBARRIER, /* waits at a barrier in memory, for whoever arrives there */
};

/*
 * A warp slot and the warp in it. The policy writes the fields marked [policy], the SM the others;
 * all may read them. What every instruction of a warp of up to 64 lanes touches is in the first 64
 * bytes, a line of the processor's cache; only there are many small warps cheap.
 */
struct sim_warp {
	uint32_t pc;         /* [policy] next instruction */
	uint32_t to;         /* after a block: where all lanes go; TR_NONE: each thread's pc says */
	uint16_t *thread;    /* [policy] thread slot, by lane */
	uint64_t not_before; /* the first cycle in which it may issue */
	uint64_t life;       /* unique: the slot's next warp has another number */
	uint32_t outstanding;       /* its loads in flight */
	uint16_t nlanes;            /* [policy] width: highest lane that may be set, plus one */
	uint16_t active;            /* lanes set */
	uint16_t inactive, waiting; /* [policy] lanes on another path, or where paths meet */
	uint16_t cta;     /* [policy] CTA slot; of a warp with threads of several CTAs, of one */
	uint16_t depth;   /* [policy] entries of the stack, if it has one */
	uint16_t pace_of; /* whose cursor its threads share (sim/sm/pace.h) */
	uint8_t state;    /* enum sim_warp_state */
	uint8_t withheld; /* the scheduler keeps back the load that is next */
	uint8_t blocked;  /* it waits for a load */
	uint8_t moved;    /* its block has ended, and it was not made ready since */
	uint8_t slices;   /* [policy] on a sliced SM: bit s set: the warp has slice s */
	struct sim_mask lanes;        /* [policy] active lanes; the first 64 of them end the line */
	uint64_t age;                 /* [policy] smaller is older; `take` sets the order of */
				      /* arrival; a change counts from the next `ready` */
	const struct sim_path *paths; /* [policy] its stack, the top last; NULL: not shown */
	const struct sim_mask *path_lanes; /* [policy] lanes of each entry */
	uint64_t cta_age;                  /* rank of its CTA */
} __attribute__((aligned(64)));

/* Its active lanes, without a look beyond the first line where it has no more than 64. */
static inline struct sim_mask sim_active(const struct sim_warp *w)
{
	struct sim_mask m = {{w->lanes.w[0]}};

	for (int k = 1; w->nlanes > 64 && k < SIM_MASK_WORDS; k++)
		m.w[k] = w->lanes.w[k];
	return m;
}

/* How many slices, by their bits: without an instruction for it in the base set of x86-64. */
static inline uint32_t sim_nslices(uint32_t slices)
{
	static const uint8_t bits[] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

	return (uint32_t)bits[slices & 15] + bits[slices >> 4 & 15];
}

/* Does a warp wait for others: at a barrier, or held by its policy? */
static inline int sim_waits(const struct sim_warp *w)
{
	return w->state >= SIM_W_BARRIER;
}

/* Does a warp wait at a barrier, of its CTA or in memory? */
static inline int sim_at_barrier(const struct sim_warp *w)
{
	return w->state == SIM_W_BARRIER || w->state == SIM_W_MBARRIER;
}

/* The operation at pc, where rows of operands may come first (tr_is_operand). */
static inline const struct tr_inst *sim_operation(const struct tr_program *p, uint32_t pc)
{
	while (tr_is_operand(&p->insts[pc]))
		pc++;
	return &p->insts[pc];
}

/* Is it one at which warps may wait: a barrier, or a wait at one in memory? */
static inline int sim_is_barrier(const struct tr_inst *in)
{
	return in->cls == TR_C_BARRIER ||
	       (tr_aux_kind(in) == TR_AUX_MBARRIER &&
		       (tr_aux_number(in) == TR_MBAR_TEST || tr_aux_number(in) == TR_MBAR_TRY));
}

/* What a thread on an SM does in a cycle (slide 63 of CROWN's, where memory is the pipeline's). */
enum sim_thread_class {
	SIM_TH_READY,    /* its warp could issue */
	SIM_TH_PIPELINE, /* its warp has issued: the result is not there */
	SIM_TH_MEMORY,   /* ... and it is the memory's */
	SIM_TH_INACTIVE, /* ready, but another path of its warp or CTA runs */
	SIM_TH_MEET,     /* waits where paths meet */
	SIM_TH_BARRIER,  /* waits at a barrier */
	SIM_NTHREAD_CLASSES
};

/* A thread slot: the thread in it, and how far it has read its tape (sim/sm/tape.h). */
struct sim_thread {
	const uint8_t *outcome;    /* the next outcome on the tape */
	const uint64_t *value;     /* the next value */
	uint32_t outcomes, values; /* how many of each are left */
	uint32_t stride;           /* from one of this thread to its next, in elements */
	uint32_t sync;   /* its next warp-synchronous read: index in the CTA's list, or TR_NONE */
	uint64_t path;   /* running hash of the basic blocks that it has executed */
	uint32_t pc;     /* next instruction, or TR_EXIT; set at the end of a block, unless */
			 /* sim_warp.to says it for all lanes: read it by sim_goes */
	uint16_t number; /* the thread's number in its CTA */
	uint8_t leaving; /* its next instruction is an exit, which its warp may issue later */
};

/*
 * How large the structs are that schedulers and warp policies both share with their SM, for the
 * numbers by which sched.h and warp.h refuse one that was compiled when they were others. Each size
 * has a factor of its own, so that changes of two do not cancel; those two use factors below 1000.
 */
#define SIM_ABI_SIZES                                                                              \
	(sizeof(struct sim_param) * 1009u + sizeof(struct sim_bits) * 1103u +                      \
		sizeof(struct sim_mask) * 1201u + sizeof(struct sim_path) * 1301u +                \
		sizeof(struct sim_warp) * 1409u + sizeof(struct tr_program) * 1511u +              \
		sizeof(struct tr_inst) * 1601u + sizeof(struct tr_reg) * 1709u +                   \
		sizeof(struct tr_block) * 1801u + sizeof(struct tr_loop) * 1901u)

#endif
