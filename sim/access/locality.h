/*
 * Locality classes of an L1D's accesses (Rogers, thesis, 3.1, 3.4.2 and 4.1.1). Each SM has a cache
 * of its own with LRU replacement, of any geometry or unbounded; sim/access/policy.h says what is
 * an access. Each of them is one of these:
 *
 * A hit belongs to the warp whose miss brought the line in. It is intra-warp if that warp hits, and
 * then intra-thread if a lane that it serves has used the line since it came in, so that the reuse
 * needs no other thread. The other intra-warp hits are between threads of the warp. A hit by
 * another warp of the same CTA is inter-warp; one by a warp of another CTA, or of another launch,
 * is inter-CTA.
 *
 * A miss is cold if the SM has not had the line before; written if a store or an atomic took it out
 * since its last access, so that no cache would have it; capacity if a fully associative LRU cache
 * of the same size misses, too; and conflict otherwise (Hill and Smith, 1989).
 *
 * Leaves out time: a line is there as soon as it has missed, so what a machine counts as merged
 * with a miss under way is a hit.
 */
#ifndef AN_LOCALITY_H
#define AN_LOCALITY_H

#include "sim/access/cache.h"

enum an_class {
	AN_INTRA_THREAD,
	AN_INTRA_WARP, /* between threads of the warp */
	AN_INTER_WARP, /* between warps of the CTA */
	AN_INTER_CTA,
	AN_COLD,
	AN_WRITTEN,
	AN_CAPACITY,
	AN_CONFLICT,
	AN_NCLASSES
};
#define AN_NHITS AN_COLD /* the classes before it are hits */

/* When the warp used the line of an intra-warp hit in a loop before; see sim/access/trips.h. */
enum an_when { AN_THIS_TRIP, AN_LAST_TRIP, AN_OTHER, AN_NWHEN };

const char *an_class_name(enum an_class c); /* "intra_thread", ... */
const char *an_when_name(enum an_when w);   /* "this_trip", ... */

struct an_counts {
	uint64_t of[AN_NCLASSES];
	uint64_t when[AN_NWHEN];          /* intra-warp hits in loops: they add up to those */
	uint64_t stores, atomics, absent; /* no accesses of the L1D */
};

uint64_t an_hits(const struct an_counts *c);
uint64_t an_misses(const struct an_counts *c);
void an_counts_add(struct an_counts *sum, const struct an_counts *c);

struct an_locality_options {
	struct sim_geometry cache; /* sets 0: unbounded */
	uint32_t warp_size;        /* up to TR_LANES_MAX; 0: not known */
	uint32_t write;            /* enum tr_write_policy */
	int flush;                 /* empties the caches when a launch begins */
	int reuse;                 /* keeps reuse distances; unbounded caches only */
};

struct an_locality;

int an_locality_new(
	struct an_locality **l, const struct an_locality_options *opt, struct tr_err *err);
void an_locality_free(struct an_locality *l);

/* A launch begins, with so many threads in a CTA, from 1. p must live until the next one does. */
void an_locality_launch(
	struct an_locality *l, uint32_t number, uint32_t threads, const struct tr_program *p);

/*
 * Hot: the next n accesses of the launch. Access i is counted in counts[key[i]], or where key is
 * NULL in that of its instruction. Memory grows with the lines that an SM has touched, not with the
 * number of accesses. 1, TR_EMEM or TR_EDATA.
 */
int an_locality_run(struct an_locality *l, const struct tr_access *a, size_t n,
	struct an_counts *counts, const uint32_t *key, struct tr_err *err);
/* One access, counted in *c. */
int an_locality_access(
	struct an_locality *l, const struct tr_access *a, struct an_counts *c, struct tr_err *err);

/*
 * Accesses by reuse distance, 0 ... *n - 1, and by class, summed over the SMs. Those that are in no
 * histogram are misses at any size. The classes are those of the unbounded cache. Valid until the
 * next access.
 */
typedef uint64_t an_distances[AN_NHITS];
const an_distances *an_locality_distances(const struct an_locality *l, size_t *n);

#endif
