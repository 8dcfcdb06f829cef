/*
 * The coalescer: which memory transactions the lanes of one warp instruction become. One
 * definition for trace-coalesce and for the replay machine.
 */
#ifndef SIM_ACCESS_COALESCE_H
#define SIM_ACCESS_COALESCE_H

#include "libtrace/access.h"

enum sim_rule {
	SIM_CC10, /* compute capability 1.0, 1.1: half-warps, in order and aligned, or one by one */
	SIM_CC12, /* 1.2, 1.3: half-warps to segments, which then shrink */
	SIM_CC2,  /* 2.x: whole warp to lines (the papers' machines) */
	SIM_SECTOR32, /* Maxwell and later: lines with 32-byte sectors */
};

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

/* "cc1.0", "cc1.2", "cc2", "sector32". 1 or TR_EUSAGE. */
int sim_rule_parse(enum sim_rule *rule, const char *name);
const char *sim_rule_name(enum sim_rule rule); /* NULL beyond the last */

#endif
