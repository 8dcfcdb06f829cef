/*
 * The tables of crown (slides 18, 49, 53 and 64): the lookups, in which warps of one PC are put
 * together, and the reconvergence barriers, in which threads wait for those that they parted from.
 */
#ifndef SIM_WARP_CROWN_TABLES_H
#define SIM_WARP_CROWN_TABLES_H

#include "sim/warp/warp.h"

/* A lookup: a warp for each of a few PCs, fully associative; the least recently used one goes. */
struct sim_crown_lookup {
	uint32_t rows, used; /* rows it has; the first `used` of them hold a warp */
	uint32_t *pc, *warp; /* by row */
	uint64_t *touched;   /* likewise: when it was put there, or found */
	uint32_t *row;       /* by warp: 1 + its row, or 0 */
	uint64_t clock;
};

/* Storage of a lookup of so many rows, for slots of so many warps; a multiple of 8 bytes. */
size_t sim_crown_lookup_bytes(uint32_t rows, uint32_t warps);
void sim_crown_lookup_init(
	struct sim_crown_lookup *l, void *storage, uint32_t rows, uint32_t warps);
/* The warp of a PC, or SIM_NO_WARP. */
uint32_t sim_crown_lookup_find(struct sim_crown_lookup *l, uint32_t pc);
/* Puts a warp in for whose PC there is no row. Returns the warp that it evicts, or SIM_NO_WARP. */
uint32_t sim_crown_lookup_put(struct sim_crown_lookup *l, uint32_t pc, uint32_t warp);
/* Takes a warp out, if it has a row. */
void sim_crown_lookup_remove(struct sim_crown_lookup *l, uint32_t warp);

static inline int sim_crown_lookup_has(const struct sim_crown_lookup *l, uint32_t warp)
{
	return l->used && l->row[warp];
}

/* A warp that may have no row has none from now on. */
static inline void sim_crown_lookup_drop(struct sim_crown_lookup *l, uint32_t warp)
{
	if (sim_crown_lookup_has(l, warp))
		sim_crown_lookup_remove(l, warp);
}

/*
 * A reconvergence barrier: the threads of a warp that has diverged, by their lanes, and which of
 * them have come to it. A thread may belong to several, one nested in another; it waits at the
 * innermost.
 */
struct sim_crown_barrier {
	uint32_t pc, nfree; /* nfree: of a free row, 1 + the next free row of its set, or 0 */
	uint8_t loose;      /* crown.c's: some of its threads lack an outer barrier */
	struct sim_mask lanes, here;
};

#define SIM_CROWN_ROWS_MAX 16384

struct sim_crown_barriers {
	uint32_t sets, width; /* width: lanes */
	struct sim_crown_barrier *row;
	uint16_t *thread, *outer; /* by row and lane; outer: 1 + the next outer row, or 0 */
	uint16_t *inner;          /* by thread slot: 1 + its innermost row, or 0 */
	uint32_t *free;           /* by set: 1 + its first free row, or 0 */
	uint32_t waiting;         /* threads that have come and wait */
};

size_t sim_crown_barriers_bytes(uint32_t rows, uint32_t width, uint32_t threads);
void sim_crown_barriers_init(struct sim_crown_barriers *b, void *storage, uint32_t rows,
	uint32_t ways, uint32_t width, uint32_t threads);
/* Where a thread waits for others, or TR_NONE. */
uint32_t sim_crown_barrier_pc(const struct sim_crown_barriers *b, uint32_t thread);
/* Reserves a row of a set for some lanes of a warp. 0: all of them are taken. */
int sim_crown_barrier_reserve(struct sim_crown_barriers *b, uint32_t set, uint32_t pc,
	const struct sim_mask *lanes, const uint16_t *thread);
/* A thread waits in its innermost row. 1: it was the last one, and the row is *row. */
int sim_crown_barrier_come(
	struct sim_crown_barriers *b, uint32_t thread, uint32_t lane, uint32_t *row);
/* A row that all have come to is given back: they wait no more. Its lanes; `thread` by lane. */
struct sim_mask sim_crown_barrier_open(
	struct sim_crown_barriers *b, uint32_t row, uint32_t *pc, uint16_t *thread);

/*
 * Bits of a row of each table [49], where an SM has so many threads (a power of two) and warps so
 * many lanes: a PC, by lane a thread number without what the lane says of it, and of a barrier by
 * lane whether its thread has come. The slides give the second level
 * two bits more; we take these for its state.
 */
struct sim_crown_bits {
	uint32_t barrier, level2, lookup;
};

struct sim_crown_bits sim_crown_bits(uint32_t threads, uint32_t lanes);

#endif
