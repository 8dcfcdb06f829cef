/*
 * The two tables of dynamic warp resizing that bar.synch_partner reads and writes: the ignore list
 * of an SM, and an entry of its partner-synch table. Times and warps are dwr.c's.
 */
#ifndef SIM_WARP_DWR_TABLES_H
#define SIM_WARP_DWR_TABLES_H

#include <stdint.h>

/*
 * ILT (IV.C, IV.D, VI): the instructions at which partners do not wait for each other. The low bits
 * of the instruction number choose the set; the least recently used entry is replaced.
 */
struct sim_ilt {
	uint32_t sets, ways;
	uint32_t *inst; /* sets * ways, the caller's; in a set the latest first; TR_NONE: free */
};

/* ways is lowered to entries where it is larger; sets = entries / ways; 0 entries keep nothing. */
void sim_ilt_init(struct sim_ilt *t, uint32_t *storage, uint32_t entries, uint32_t ways);
int sim_ilt_has(struct sim_ilt *t, uint32_t inst); /* counts as a use */
void sim_ilt_put(struct sim_ilt *t, uint32_t inst);

/* PST entry (IV.D) of a group of partners. Who of them is locked is known to each sub-warp. */
struct sim_pst {
	uint32_t inst;    /* of the sub-warp that locked first */
	uint32_t locked;  /* sub-warps; 0: the entry is not valid */
	uint64_t through; /* cycle in which the last bar.synch_partner is through its pipeline */
};

/* bar.synch_partner, step 1: a sub-warp locks at an instruction that the ILT does not have. */
void sim_pst_lock(struct sim_pst *e, struct sim_ilt *ilt, uint32_t inst, uint64_t through);

#endif
