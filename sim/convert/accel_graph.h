/*
 * Internal: the graph of what was seen of a kernel, between accel_node.c (instructions and the ways
 * between them), accel_graph.c (lanes that go these ways), accel_program.c (the program of it),
 * accel_meet.c (where its lanes meet) and accel_barriers.c (at which convergence barriers).
 */
#ifndef SIM_CONVERT_ACCEL_GRAPH_H
#define SIM_CONVERT_ACCEL_GRAPH_H

#include "libtrace/buf.h"
#include "sim/convert/accel.h"

enum { ACCEL_ROOT, ACCEL_LEAF }; /* first nodes: before a thread's first line, after its last */

struct accel_edges {
	uint32_t *to, n, cap;
};

struct accel_node {
	uint64_t hash;
	uint32_t pc;
	uint32_t text, text_len, opcode, opcode_len; /* offsets in the graph's texts */
	uint32_t source_line;
	uint32_t width; /* 0: no access, or one without addresses */
	int64_t imm;    /* in the line of a BRA or BSSY: where it leads; of DEPBAR: how many groups
			   may be under way; -1: none */
	uint8_t flow;   /* enum accel_flow */
	uint8_t copy;   /* enum tr_async, or 0 */
	bool known, bulk, collective, generic;
	bool first_of_pc;
	bool guarded;             /* passed with a false guard, or once with an empty mask */
	bool ambiguous;           /* a jump with several targets, one straight on from another */
	uint32_t next;            /* the node after it, once anybody went there */
	uint32_t target;          /* of a jump: its one target, as far as it is known */
	struct accel_edges taken; /* of an executed jump */
	struct accel_edges odd;   /* ways on that are neither: seen, not explained */
	/* In the program: */
	uint32_t inst;
	bool hop;   /* the next instruction chooses between the way on and the odd ones */
	bool value; /* executing it records a value */
};

enum accel_lane_state {
	ACCEL_RUNS,   /* is somewhere straight on from start, not beyond reach */
	ACCEL_JUMPED, /* took a jump whose target is not known */
	ACCEL_GONE,
};

struct accel_lane {
	uint32_t last;  /* node that it executed last, or ACCEL_ROOT */
	uint32_t start; /* PC where it went on then, ... */
	uint32_t reach; /* ... and the PC up to which later lines agree with that */
	uint32_t jump;  /* line of the warp in which it took its last jump */
	uint8_t state;
	bool jumps; /* start is the target of last, which is a jump */
};

struct accel_graph {
	const struct accel_header *header;
	bool learning;
	bool pitch8;         /* instructions are 8 bytes, not 16 */
	uint32_t group_mask; /* then: a PC without these bits is no instruction */
	uint32_t entry;      /* PC of the first line of all, where started is set */
	bool started, twins; /* twins: some PC has two nodes */
	struct accel_node *nodes;
	uint32_t nnodes, cap_nodes;
	uint32_t *index, *pc_index, index_size; /* open addressing: by line, by PC */
	uint64_t seed;                          /* of their hashes */
	struct tr_buf text;
	struct accel_doubts doubts;

	/* The CTA at hand. */
	uint32_t nthreads, first; /* first: thread of lane 0 of the warp */
	uint32_t warps_seen;
	struct tr_cta *cta; /* NULL while learning */
	struct accel_lane lanes[TR_GROUP];
	bool in_warp;
	uint32_t line;            /* of the warp, counted from 1 */
	uint32_t run_jump;        /* a jump, since when there have been only empty masks; 0: none */
	uint32_t run_at, run_end; /* the first one's node, or ACCEL_ROOT; PC where they lead */

	/* What becomes of its lines; merged is NULL where nobody asks. */
	const struct tr_program *program;
	struct accel_merged *merged;
	struct accel_seen *seen;
	uint32_t nseen, cap_seen;
};

/* The node of a line; while learning a new one if need be. 1 or TR_E*. */
int accel_node_of(
	struct accel_graph *g, const struct accel_line *line, uint32_t *node, struct tr_err *err);
uint32_t accel_node_at(const struct accel_graph *g, uint32_t pc); /* TR_NONE: none */
/* Where an instruction at pc goes on. */
uint32_t accel_after(const struct accel_graph *g, uint32_t pc);
/* The number of `to` in e, where it is put while learning. TR_NONE: it cannot be. */
uint32_t accel_edge(struct accel_edges *e, uint32_t to, bool learning);

bool accel_bssy(const char *opcode, size_t len); /* its immediate is where its lanes meet */

/*
 * The jumps' targets, as far as the first reading leaves them open; then the graph learns no more.
 * accel_graph.c.
 */
int accel_graph_settle(struct accel_graph *g, struct tr_err *err);

/* Reconvergence points from BSSY, in the analysed program of g. accel_meet.c; 1 or TR_EMEM. */
int accel_graph_meet(const struct accel_graph *g, struct tr_program *p);

/*
 * The numbers of convergence barriers, as displacements (FORMAT.md, 6.1). accel_barriers.c: what a
 * listing's operands say of an instruction; and where it says nothing of some, by the regions'
 * nesting in the analysed program of g; 1 or TR_EMEM.
 */
void accel_barrier_listed(struct tr_program *p, uint32_t inst, const char *operands);
int accel_graph_barriers(const struct accel_graph *g, struct tr_program *p);

#endif
