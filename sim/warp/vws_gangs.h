/*
 * The gang unit of variable warp sizing (thesis 6.2.2 and 6.2.3): who is in which gang, and which
 * of them issue. An original gang is the warps that one wide warp would have been, one for each
 * slice; its pieces are gangs of two warps and more, and single warps. Warps, stacks and times are
 * vws.c's.
 */
#ifndef SIM_WARP_VWS_GANGS_H
#define SIM_WARP_VWS_GANGS_H

#include "sim/base/bits.h"
#include "sim/base/warp.h"

#define SIM_GANGS_MAX (SIM_SLICES / 2) /* of an original gang: entries of its set in the table */

/* An original gang: its set of the gang table, and its bits of the independent masks. */
struct sim_original {
	uint32_t npieces;
	uint16_t piece[SIM_SLICES]; /* slots of its pieces, in no order */
};

void sim_original_add(struct sim_original *o, uint32_t slot);
void sim_original_remove(struct sim_original *o, uint32_t slot);

/*
 * Members by the pc that each has (6.2.4, "coalescing"): groups of slices, the one with the lowest
 * slice first. Returns how many.
 */
uint32_t sim_gang_groups(
	uint32_t members, const uint32_t pc[SIM_SLICES], uint32_t group[SIM_SLICES]);

enum sim_gang_order {
	SIM_GANG_BGTO, /* most warps first, then greedy, then oldest */
	SIM_GANG_GTO,
	SIM_GANG_LRR,
	SIM_GANG_LPC,  /* lowest pc first */
	SIM_GANG_LGTO, /* fewest warps first, then oldest */
	SIM_GANG_SLICE /* no gangs: every warp by itself */
};

/* What the schedulers of an SM remember: the one for gangs, and one for each slice. */
struct sim_gang_picker {
	enum sim_gang_order order;
	uint32_t gangs;                      /* that may issue in a cycle; 0: any number */
	uint32_t nlast, last[SIM_GANGS_MAX]; /* gangs that issued last, in one cycle */
	uint32_t slice_last[SIM_SLICES];     /* SIM_NO_WARP: none */
	uint64_t cycle;                      /* of the gangs' last issue */
	uint32_t all;                        /* the slices that there are */
	uint32_t round;                      /* slot of the gang that issued last */
	struct sim_bits gangs_there, singles_there[SIM_SLICES]; /* slots; singles by slice */
	uint8_t slices[SIM_BITS_MAX]; /* by slot: of the warp that stands in one of these, or 0 */
	uint64_t rank[SIM_BITS_MAX];  /* by slot: the lowest goes first */
};

/* For so many slices. */
void sim_gang_picker_init(
	struct sim_gang_picker *p, enum sim_gang_order order, uint32_t gangs, uint32_t slices);
/* The slices of a warp have changed. */
void sim_gang_changed(struct sim_gang_picker *p, const struct sim_warp *w, uint32_t slot);
/*
 * Which of the warps in `can` issue together: gangs first, with disjoint slices, then in each slice
 * that is left a single warp. Returns how many; at most SIM_SLICES.
 */
uint32_t sim_gang_pick(const struct sim_gang_picker *p, const struct sim_warp *warps,
	const struct sim_bits *can, uint16_t pick[SIM_SLICES]);
/*
 * The warp in the slot has ended: whoever takes the slot next does not inherit its turn as the
 * greedy one.
 */
void sim_gang_left(struct sim_gang_picker *p, uint32_t slot);

static inline int sim_is_gang(const struct sim_warp *w)
{
	return (w->slices & (w->slices - 1)) != 0;
}

/* A gang issues, or any warp: these are greedy from now on. */
void sim_gang_greedy(struct sim_gang_picker *p, uint32_t slot, uint64_t now);
static inline void sim_gang_issued(
	struct sim_gang_picker *p, const struct sim_warp *warps, uint32_t slot, uint64_t now)
{
	if (sim_is_gang(&warps[slot]))
		sim_gang_greedy(p, slot, now);
	else
		p->slice_last[__builtin_ctz(warps[slot].slices)] = slot;
}

#endif
