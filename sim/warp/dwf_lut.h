/*
 * The warp LUT of dynamic warp formation: for a PC the warp of the pool that threads which come
 * there join. Set-associative by instruction number, least recently used out; or ideal, with an
 * entry for every PC. It does not know whether threads can still join a warp: its user has to
 * check.
 */
#ifndef SIM_WARP_DWF_LUT_H
#define SIM_WARP_DWF_LUT_H

#include "sim/base/warp.h"
#include "sim/warp/warp.h"

struct sim_dwf_entry {
	uint32_t pc, warp; /* pc: TR_NONE where nothing was put yet */
	uint64_t used;
};

struct sim_dwf_lut {
	uint32_t sets, ways; /* sets 0: ideal */
	uint64_t clock;
	struct sim_dwf_entry *entry;
	/* Ideal: a warp is put in for one PC at most, so the table is a hash of lists of warps. */
	uint32_t buckets, *head, *next, *pc; /* next and pc by warp */
};

/* Bytes of a table of so many entries (0: ideal), for a pool of n warps. */
size_t sim_dwf_lut_bytes(uint32_t entries, uint32_t n);
/* In that storage. More ways than entries are as many as there are entries. */
void sim_dwf_lut_init(
	struct sim_dwf_lut *lut, void *storage, uint32_t entries, uint32_t ways, uint32_t n);

/* The warp of a PC, or SIM_NO_WARP. It counts as a use of the entry. */
uint32_t sim_dwf_lut_find(struct sim_dwf_lut *lut, uint32_t pc);
/* From now on it is this one. */
void sim_dwf_lut_put(struct sim_dwf_lut *lut, uint32_t pc, uint32_t warp);

#endif
