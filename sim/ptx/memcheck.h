/*
 * What --memcheck asks of accesses while a kernel runs (memcheck.c), and the races of shared memory
 * among it (races.c). Internal to sim/ptx. Of a machine that does not ask, a CTA's `written` is
 * NULL and nothing here is called.
 */
#ifndef PTX_MEMCHECK_H
#define PTX_MEMCHECK_H

#include "sim/ptx/vm.h"

/* A lane's access. */
struct ptx_accessed {
	unsigned lane, bytes;
	uint64_t address; /* as the lane named it */
};

/* One more of what is known of the instruction. 1, or 0: it is the first of its kind. */
int ptx_found_again(const struct ptx_warp *w, const struct ptx_code *c, enum ptx_finding_kind kind);
/* The first: notes what run->err says of it, and takes that back. 0 or TR_EMEM. */
int ptx_found(struct ptx_warp *w, const struct ptx_code *c, enum ptx_finding_kind kind,
	const struct ptx_accessed *a);

/*
 * Looks at the lanes' accesses to shared and global memory. sizes: bytes of each lane's, or NULL:
 * all that the instruction has. 0 or TR_EMEM.
 */
int ptx_check_access(struct ptx_warp *w, const struct ptx_code *c, const uint32_t *sizes,
	const uint64_t address[PTX_LANES], uint8_t *const at[PTX_LANES]);

/* ---- races.c ---- */

#define PTX_CLUSTER_BARRIER PTX_BARRIERS /* its number, beside those of a CTA */

/* NULL without memory. */
struct ptx_races *ptx_races_new(const struct ptx_run *run);
void ptx_races_free(struct ptx_races *r);
void ptx_races_begin(struct ptx_cta *cta); /* another CTA in its place */

/* How a lane accesses shared memory. */
struct ptx_touch {
	unsigned lane, from, bytes;
	int writes;
	int strong; /* atomic, volatile and its like */
	int whole;  /* by the warp as a whole: its lanes have no order of their own to keep */
	int silent; /* it writes what stands there */
};

struct ptx_race {
	enum ptx_finding_kind kind;
	uint32_t thread, pc; /* of the access before */
};

/* Notes the access. Whether it races with one before, in *race. */
int ptx_races_touch(const struct ptx_warp *w, const struct ptx_code *c, const struct ptx_touch *t,
	struct ptx_race *race);
void ptx_races_next(struct ptx_races *r); /* the next instruction of a warp */
/* The lane that has written the place in this instruction, or -1. */
int ptx_races_writer(const struct ptx_warp *w, unsigned from);

/* The warp arrives at a barrier of its CTA; those in `waiting` go on, and it is empty again. */
void ptx_races_arrive(struct ptx_warp *w, unsigned barrier);
void ptx_races_release(struct ptx_cta *cta, unsigned barrier, uint32_t waiting, int of_all);
/* A phase of the cluster's barrier is over; the warp has waited for it. */
void ptx_races_phase(struct ptx_cta *cta);
void ptx_races_waited(struct ptx_warp *w);
/*
 * The warp's lanes meet (bar.warp.sync), or it has executed a fence; it makes a strong access; it
 * arrives at an mbarrier, or has waited at one.
 */
void ptx_races_meet(struct ptx_warp *w);
void ptx_races_fence(struct ptx_warp *w);
void ptx_races_speak(struct ptx_warp *w, int reads, int writes);
void ptx_races_mbarrier(struct ptx_warp *w, int waited);

#endif
