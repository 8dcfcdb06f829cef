/*
 * The coalescer: which memory transactions the lanes of one warp instruction become. One
 * definition for trace-coalesce and for the replay machine.
 */
#ifndef SIM_ACCESS_COALESCE_H
#define SIM_ACCESS_COALESCE_H

#include "sim/base/words.h"

struct sim_coalescer {
	enum sim_rule rule;
	uint32_t line_bytes; /* a power of two, 32 ... 1024; no transaction crosses a line */
	uint32_t width;      /* lanes looked at together, as half a warp; 0: all of them */
};

struct sim_transaction {
	uint64_t base; /* address of its first byte, aligned to its size */
	uint32_t size; /* bytes */
	uint64_t lanes[TR_LANES_MAX / 64];
	uint32_t sectors; /* of the line that it is in: see struct tr_access */
	uint32_t whole;   /* those of the sectors whose bytes are all touched */
	uint16_t bytes;   /* distinct bytes touched */
};

/*
 * Coalesces lanes of one instruction: bytes (of the whole vector access) at address[l] for each of
 * the `size` lanes that is set in `lanes`; at most 64 bytes. Writes at most max transactions,
 * groups of `width` lanes one after the other, within a group in the order of their lowest lanes;
 * returns how many there are (a lane that straddles two lines counts in both).
 */
unsigned sim_coalesce(const struct sim_coalescer *c, unsigned size, const uint64_t *lanes,
	const uint64_t *address, unsigned bytes, struct sim_transaction *out, unsigned max);

/* Bound on the transactions of one instruction: 64 bytes of a lane touch three lines of 32. */
#define SIM_TRANSACTIONS_MAX (3 * TR_LANES_MAX)

/*
 * Cycles that shared memory needs for the lanes' accesses: for each group of `width` lanes (16 for
 * CC 1.x, 32 later) the largest number of different words in one bank; a word read by many is one.
 * At most 64 banks.
 */
unsigned sim_bank_conflicts(unsigned banks, unsigned width, unsigned size, const uint64_t *lanes,
	const uint64_t *address, unsigned bytes);
/*
 * The same for banks of words of another length, as those of an L1's data are (l1d.banks), and all
 * lanes at once: the largest number of different words in one bank. word_bytes: a power of two, at
 * least 4. At most 64 banks. 0: no lane takes part.
 */
unsigned sim_bank_cycles(unsigned banks, unsigned word_bytes, unsigned size, const uint64_t *lanes,
	const uint64_t *address, unsigned bytes);

#endif
