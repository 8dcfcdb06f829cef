/*
 * Internal: how the outcomes and values of a group of up to TR_GROUP threads become bytes and come
 * back (FORMAT.md, "The record of a group"). Both directions make the same walk: of the blocks that
 * threads of the group have next, the one of lowest rank is executed, by all threads that have it
 * next; each outcome or value of the block is then one row over those threads. The walk follows
 * from the program and the outcomes alone, so the file need not say which threads were at which
 * block.
 */
#ifndef TR_CODEC_H
#define TR_CODEC_H

#include "buf.h"
#include "trace.h"

/* The streams of a CTA's record. */
enum tr_stream {
	TR_ST_KIND,   /* one byte a row: what follows elsewhere */
	TR_ST_ANCHOR, /* first address of an instruction in a group, against the group before */
	TR_ST_PARAM,  /* varints: steps, coefficients, minima */
	TR_ST_LOW,    /* low bytes of residuals, bits of mixed outcomes */
	TR_ST_HIGH,   /* higher bytes of residuals */
	TR_NSTREAMS
};

/* ---- what the codec needs to know of a program, in the order of ranks ---- */

enum tr_step_op {
	/* A guard, which also decides whether the instruction's value step is there, or which of
	 * two successors. */
	TR_STEP_BIT,
	TR_STEP_INDEX, /* brx: a number below nsucc */
	TR_STEP_VALUE,
};

struct tr_step {
	uint8_t op;
	uint8_t guarded; /* of a value: only lanes whose guard was true have one; of an */
			 /* index: 0 means that the guard was false */
	uint8_t wide;    /* an index takes two bytes */
	uint8_t shift;   /* a value: log2 of the access bytes, by which addresses often divide */
	uint32_t slot;   /* a value: number of the instruction among those with values */
};

struct tr_plan_block {
	uint32_t step, nsteps; /* in steps */
	uint32_t succ, nsucc;  /* in succs: ranks, TR_DONE for the exit */
	uint32_t insts, plain; /* instructions, and those of them that have no guard */
	uint32_t noutcomes, nvalues;
	uint8_t endless; /* leads, without a choice, back to itself: no thread ever ends there */
};

#define TR_INDEX_MAX 65536u /* successors of a brx: an index takes two bytes at most */

#define TR_DONE INT32_MAX /* rank of the exit */

struct tr_plan {
	uint32_t nblocks, nslots;
	int32_t entry;
	int clusters; /* it has the cluster's barrier, so each launch has a shape of clusters */
	struct tr_plan_block *blocks; /* by rank */
	struct tr_step *steps;
	int32_t *succs;
	uint32_t *launcher; /* by slot: the instruction, where it launches kernels, else TR_NONE;
			       NULL: none of the program does */
};

int tr_plan_make(struct tr_plan *plan, const struct tr_program *p, struct tr_err *err);
void tr_plan_free(struct tr_plan *plan);

/* ---- state of a group in either direction ---- */

struct tr_slot { /* what the rows of one instruction are predicted from */
	uint64_t last[TR_GROUP];
	uint64_t step;   /* of the last row that was the one before plus a constant */
	uint64_t anchor; /* of the last row that had one */
	uint64_t c[3];   /* coefficients of x, y, z in the last affine row */
	uint8_t touched;
};

struct tr_group {
	const struct tr_plan *plan;
	struct tr_slot *slots;
	uint32_t lanes;    /* mask of threads that exist */
	struct tr_cohort { /* threads that stand at one block */
		int32_t rank;
		uint32_t mask;
	} at[TR_GROUP]; /* the lowest rank last */
	uint32_t ncohorts;
	int32_t dx[TR_GROUP], dy[TR_GROUP], dz[TR_GROUP]; /* thread indices less lane 0's */
	uint64_t thread_insts;                            /* so far: lanes whose guard was true, */
	uint64_t outcomes, values;                        /* and what they recorded */
};

/* Starts a group of `block`-shaped CTAs: threads 32 g ... Slots must hold plan->nslots, zeroed. */
void tr_group_start(struct tr_group *g, const struct tr_plan *plan, struct tr_slot *slots,
	uint32_t index, const uint32_t block[3]);

/* ---- encoding ---- */

struct tr_lane_queue { /* what a thread did and the encoder has not yet taken */
	uint8_t *outcomes;
	uint64_t *values;
	uint32_t noutcomes, nvalues, cap_outcomes, cap_values;
	uint32_t outcome_pos, value_pos;
};

struct tr_anchor { /* first anchor of a slot in a group, in the order of first touches */
	uint32_t slot;
	uint64_t value;
};

struct tr_encoder {
	struct tr_group g;
	struct tr_lane_queue *q;        /* TR_GROUP */
	struct tr_buf out[TR_NSTREAMS]; /* TR_ST_ANCHOR stays empty: see anchors */
	struct tr_anchor *anchors;
	uint32_t nanchors, cap_anchors;
	int failed; /* TR_E*: some rows may be half taken, so it stays */
};

/*
 * Encodes as many rows as the queues allow; with `final` all, and then a queue that does not fit
 * the program is TR_EDATA. 1 or TR_E*.
 */
int tr_encode(struct tr_encoder *e, int final, struct tr_err *err);

/* ---- decoding ---- */

struct tr_decoder {
	struct tr_group g;
	struct tr_cur in[TR_NSTREAMS];
	uint64_t *first_anchor; /* nslots: of the group before in this CTA; zeroed at its start */
	uint64_t executed;      /* thread instructions so far, with a true guard or not */
	uint64_t max_insts;     /* TR_EDATA where it would be more; 0: no bound */

	/* Of a group that is only checked: */
	uint64_t *nvalues; /* of its TR_GROUP lanes: grows by the values of each; NULL: not asked */
	/* Called for what a lane's instruction launched; NULL: not asked. */
	void (*launched)(void *arg, uint32_t lane, uint32_t inst, uint64_t child);
	void *arg;
};

/*
 * Decodes one group into its threads, whose arrays grow as needed. threads NULL: the group is only
 * checked, in memory that does not depend on how much it records. 1, TR_EDATA or TR_EMEM.
 */
int tr_decode(struct tr_decoder *d, struct tr_thread threads[TR_GROUP], struct tr_err *err);

#endif
