/*
 * Policies of replacement side by side on one access stream: any number of pairs of a policy and a
 * geometry, in one pass. Each SM has a cache of its own for each of them; sim/access/policy.h says
 * what is an access there. Memory grows with the distinct lines of each SM.
 *
 * Leaves out time, as the caches do: no misses under way, no latency.
 */
#ifndef AN_REPLACE_H
#define AN_REPLACE_H

#include "sim/access/cache.h"

enum an_policy { AN_OPT, AN_OPT_BYPASS, AN_LRU, AN_FIFO, AN_RANDOM, AN_NPOLICIES };

const char *an_policy_name(enum an_policy p); /* "opt-bypass"; NULL beyond the last */
/* Do more ways never mean fewer hits? Then one pass gives all numbers of ways. */
int an_policy_has_curve(enum an_policy p);

/* What each count is split by: its keys are 0 ... an_replace_nkeys - 1. */
enum an_split {
	AN_BY_TOTAL, /* one key */
	AN_BY_SM,    /* the SM's number */
	AN_BY_PC,    /* see an_replace_pc */
	/* enum an_class that the access has in an unbounded cache (locality.h); what is no access
	   of the L1D has the key AN_NCLASSES */
	AN_BY_CLASS,
};

struct an_replace_options {
	enum an_split by;
	uint32_t write; /* enum tr_write_policy */
	int flush;      /* the caches are emptied when a launch begins */
	uint32_t warp_size;
	uint64_t seed; /* of random replacement; SMs draw from seed, seed + 1, ... */
};

struct an_replace;

int an_replace_new(struct an_replace **r, const struct an_replace_options *opt, struct tr_err *err);
void an_replace_free(struct an_replace *r);

/*
 * Adds a pair before the first access; returns its number or TR_EMEM. With curve, all caches of 1
 * to g->ways ways at g->sets sets (an_policy_has_curve); an unbounded cache has no curve.
 */
int64_t an_replace_add(struct an_replace *r, enum an_policy policy, const struct sim_geometry *g,
	int curve, struct tr_err *err);

/* A launch begins. p must live until an_replace_free. */
int an_replace_launch(struct an_replace *r, const struct tr_launch *l, const struct tr_program *p,
	struct tr_err *err);
/* Hot: n accesses of it. 1, TR_EMEM, or TR_EDATA where an access cannot be. */
int an_replace_run(struct an_replace *r, const struct tr_access *a, size_t n, struct tr_err *err);
/* Before the counts are asked for. */
int an_replace_end(struct an_replace *r, struct tr_err *err);

struct an_replace_counts {
	uint64_t accesses;
	uint64_t cold; /* misses of every policy: the line's first use since the cache was empty */
	uint64_t written; /* likewise: a store or an atomic has taken the line out */
	uint64_t stores, atomics, absent; /* no accesses of the L1D */
};

uint32_t an_replace_nkeys(const struct an_replace *r);
struct an_replace_counts an_replace_counts(const struct an_replace *r, uint32_t key);
/* Hits of a pair; ways: of the cache on its curve, else without meaning. */
uint64_t an_replace_hits(const struct an_replace *r, uint32_t pair, uint32_t key, uint32_t ways);
/* The instruction that a key of AN_BY_PC stands for: its program, and its number in *inst. */
const struct tr_program *an_replace_pc(const struct an_replace *r, uint32_t key, uint32_t *inst);

#endif
