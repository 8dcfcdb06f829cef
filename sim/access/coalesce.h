/*
 * The coalescer: which memory transactions the lanes of one warp instruction become. One
 * definition for trace-coalesce and for the replay machine.
 */
#ifndef SIM_ACCESS_COALESCE_H
#define SIM_ACCESS_COALESCE_H

#include "libtrace/access.h"

enum sim_rule {
	SIM_CC10,     /* compute capability 1.0, 1.1: half-warps, in order and aligned, or one by one */
	SIM_CC12,     /* 1.2, 1.3: half-warps to segments, which then shrink */
	SIM_CC2,      /* 2.x: whole warp to lines (the papers' machines) */
	SIM_SECTOR32, /* Maxwell and later: lines with 32-byte sectors */
};

struct sim_coalescer {
	enum sim_rule rule;
	uint32_t line_bytes; /* 32 ... 1024 */
	uint32_t width;	     /* lanes looked at together: the warp, half of it, a sub-warp */
};

struct sim_transaction {
	uint64_t base;	/* address of its first byte, aligned to its size */
	uint32_t size;	/* bytes */
	uint64_t lanes[TR_LANES_MAX / 64];
	uint32_t sectors; /* of the line: see struct tr_access */
	uint16_t bytes;	  /* distinct bytes touched */
};

/*
 * Coalesces lanes of one instruction: bytes (of the whole vector access) at address[l] for each of
 * the `size` lanes that is set in `lanes`. Writes at most max transactions in the order of their
 * lowest lanes; returns how many there are (a lane that straddles two lines counts in both).
 */
unsigned sim_coalesce(const struct sim_coalescer *c, unsigned size, const uint64_t *lanes,
	const uint64_t *address, unsigned bytes, struct sim_transaction *out, unsigned max);

/* Bound on the transactions of one instruction of `size` lanes. */
#define SIM_TRANSACTIONS_MAX (2 * TR_LANES_MAX)

/*
 * Cycles that shared memory needs for the lanes' accesses: the largest number of different words
 * in one bank, over groups of `width` lanes (16 for CC 1.x, 32 later); a word read by many is one.
 */
unsigned sim_bank_conflicts(unsigned banks, unsigned width, unsigned size, const uint64_t *lanes,
	const uint64_t *address, unsigned bytes);

/* "cc1.0", "cc1.2", "cc2", "sector32"; the names table for help. 1 or TR_EUSAGE. */
int sim_rule_parse(enum sim_rule *rule, const char *name);
const char *sim_rule_name(enum sim_rule rule); /* NULL beyond the last */

#endif
