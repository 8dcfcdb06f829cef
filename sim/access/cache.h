/*
 * The cache: one definition of index, hit and victim for trace-locality, trace-belady and the
 * replay machine. It holds tags and order, no data and no time: what is outstanding (MSHRs) is the
 * replay's affair. What a user keeps per line (owner, last trip, fill time) stands in arrays of its
 * own, by slot.
 */
#ifndef SIM_ACCESS_CACHE_H
#define SIM_ACCESS_CACHE_H

#include "sim/base/words.h"

#define SIM_SLOT_NONE UINT32_MAX

struct sim_cache;
int sim_cache_new(struct sim_cache **c, const struct sim_geometry *g, enum sim_replacement policy,
	uint64_t seed, struct tr_err *err);
void sim_cache_free(struct sim_cache *c);

struct sim_cache_answer {
	int hit;
	uint32_t slot;   /* set * ways + way: where the line is now; SIM_SLOT_NONE: not allocated */
	int evicted;     /* a valid line had to go */
	uint64_t victim; /* its address */
};

/*
 * One access. A hit makes the line the most recently used (LRU); a miss allocates it in an invalid
 * slot or in the victim's. locked (may be NULL): slots that may not be evicted,
 * one byte each, as the replay's lines in flight; with all ways locked slot is SIM_SLOT_NONE.
 * An unbounded cache grows by need; slots are then numbered in the order of first touches. No
 * other access fails.
 */
int sim_cache_access(struct sim_cache *c, uint64_t line, const uint8_t *locked,
	struct sim_cache_answer *a, struct tr_err *err);
/* The two halves of an access, of a line that is in a slot and of one that is not there. */
void sim_cache_touch(struct sim_cache *c, uint32_t slot);
int sim_cache_put(struct sim_cache *c, uint64_t line, const uint8_t *locked,
	struct sim_cache_answer *a, struct tr_err *err);
/*
 * Which lines of a set go first, before any of the others: those of the lowest rank, of which the
 * policy chooses one. A line that comes has SIM_RANK_NORMAL; a touch does not change it. An
 * unbounded cache has no ranks. 0, or -1 without memory.
 */
enum sim_rank { SIM_RANK_FIRST, SIM_RANK_NORMAL, SIM_RANK_LAST };
int sim_cache_rank(struct sim_cache *c, uint32_t slot, enum sim_rank rank);
/* Is it there? Changes nothing. */
uint32_t sim_cache_probe(const struct sim_cache *c, uint64_t line);
/* Takes a line out (write-evict); its slot, or SIM_SLOT_NONE. */
uint32_t sim_cache_invalidate(struct sim_cache *c, uint64_t line);
void sim_cache_flush(struct sim_cache *c);
uint32_t sim_cache_slots(const struct sim_cache *c); /* sets * ways, or those in use */

#endif
