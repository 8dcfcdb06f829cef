/*
 * An L1: tags, sectors in flight, and the loads that wait for them. A line in flight is never a
 * victim; or, where lines are allocated on fill, it has no slot of the tags but one of those before
 * them, until some of its data come, and a line that leaves has its sectors in flight there. A miss
 * on sectors in flight merges in their MSHRs. Each sector of a line has a valid bit of its own; a
 * line that is not sectored is one sector. It knows no warps, only the loads that wait and the
 * member that owns a line.
 */
#ifndef SIM_SM_L1_H
#define SIM_SM_L1_H

#include "sim/access/cache.h"
#include "sim/access/coalesce.h"
#include "sim/sm/outbox.h"
#include "sim/sm/stats.h"

#define SIM_NO_LOAD UINT32_MAX

struct sim_mshr {
	uint64_t line;
	uint32_t sectors; /* of the line, that are in flight */
	uint32_t dirty;   /* of these: those that a store of local memory will make dirty */
	uint32_t slot;   /* of the cache; SIM_SLOT_NONE: a store evicted the line, do not keep it */
	uint32_t n;      /* loads that wait */
	uint32_t *loads; /* merges allowed */
	struct sim_mshr *next; /* of the same slot; they stand by number */
};

struct sim_l1 {
	struct sim_cache *tags;
	uint32_t line_bytes, sector_bytes, hit_latency;
	uint8_t lazy_stores;
	uint8_t ranks;   /* some line has had a rank that is not normal */
	uint32_t kind;   /* which L1 it is: the two upper bits of a request's tag, for the reply */
	uint8_t *locked; /* by slot: its MSHRs */
	uint32_t *valid, *dirty; /* by slot: sectors */
	uint32_t *owner;         /* by slot: member whose miss allocated it */
	uint64_t *owner_age;
	uint64_t *touched; /* thread slots that have used the line since it came in: */
			   /* touched_words words for each slot of the cache */
	uint32_t touched_words, cap;
	/* Allocated on fill: slots 0 ... nwaiting - 1 are of lines that are not among the tags. */
	uint32_t nwaiting;
	uint64_t *spare_waiting; /* those of them that are free, a bit each */
	struct sim_l1_waiting {
		uint64_t line;
		uint32_t next; /* with its hash */
		uint8_t rank;
	} * waits;
	uint32_t *hashed; /* the first of each hash; SIM_SLOT_NONE: there is none */
	uint32_t hash_bits;
	struct sim_mshr *mshrs, **mshrs_of; /* the latter by slot: the first of them */
	uint64_t *spare;                    /* MSHRs that are free, a bit each */
	uint32_t *waiting;                  /* the loads of all of them */
	uint32_t nmshrs, used, merges;
	uint32_t ways, *in_flight; /* lines in flight, by set; of an unbounded cache all */
	/* Why the read that came last cannot go on until this changes; SIM_CY_ISSUED: it could. */
	enum sim_cycle stuck;
};

struct sim_l1_shape {
	struct sim_geometry g;
	enum sim_replacement replacement;
	uint32_t sector_bytes; /* 0: plain lines */
	uint8_t lazy_stores;   /* what a store misses is fetched when it is read */
	uint8_t on_fill;       /* a line that is read takes its slot when its data come */
	uint32_t mshrs, merges, hit_latency;
	uint32_t threads; /* thread slots, for sim_l1_touch; 0: that is not called */
};

int sim_l1_init(
	struct sim_l1 *c, const struct sim_l1_shape *shape, uint32_t kind, struct tr_err *err);
void sim_l1_free(struct sim_l1 *c);
void sim_l1_flush(struct sim_l1 *c);

/* What an access wants of a line, and for whom. */
struct sim_l1_want {
	uint64_t line;
	uint32_t sectors; /* sim_l1_sectors */
	uint32_t load;    /* or SIM_NO_LOAD: nobody waits */
	uint8_t dirty;    /* a store of local memory: its sectors become dirty, nobody waits */
	uint8_t through;  /* a store that is written through: it fetches nothing */
	uint32_t whole;   /* the sectors of which it touches all bytes */
	uint8_t rank;     /* enum sim_rank, of its line from now on */
	uint8_t ages_not; /* its line keeps its age and its rank */
	uint8_t last_use; /* a load: what it hits wholly need not be written back */
	uint8_t space;    /* enum tr_space, of the request */
	uint32_t owner;   /* of the line, if it is allocated */
	uint64_t owner_age;
};

enum sim_l1_outcome { SIM_L1_HIT, SIM_L1_MISS, SIM_L1_MERGED, SIM_L1_STALLED };

struct sim_l1_answer {
	enum sim_l1_outcome outcome;
	enum sim_cycle why; /* of a stall */
	uint32_t slot;      /* of the line, also while it is in flight */
	uint32_t waits;     /* answers that the load waits for */
	uint32_t there;     /* of the sectors that it wants, those that hit */
	uint8_t evicted;    /* a valid line was evicted, */
	uint8_t crowded;    /* from a set that has a line in flight */
	uint64_t victim;
	uint32_t victim_owner;
	uint64_t victim_age;
};

/* The sectors of its line that a transaction touches, as the cache has them. */
static inline uint32_t sim_l1_sectors(const struct sim_l1 *c, const struct sim_transaction *t)
{
	return c->sector_bytes < c->line_bytes ? t->sectors : 1;
}

/* Likewise those that it touches wholly. */
static inline uint32_t sim_l1_whole(const struct sim_l1 *c, const struct sim_transaction *t)
{
	if (c->sector_bytes < c->line_bytes)
		return t->whole;
	return t->bytes == c->line_bytes;
}

/* How many sectors. Nibble by nibble: a line of 128 bytes has one nibble. */
static inline uint32_t sim_sectors(uint32_t mask)
{
	static const uint8_t bits[] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
	uint32_t n = 0;

	for (; mask; mask >>= 4)
		n += bits[mask & 15];
	return n;
}

/*
 * Nothing but `stuck` changes if it stalls. The same read need not be tried again while it is
 * stuck: the answer would be the same. 0, or -1 without memory.
 */
int sim_l1_read(struct sim_l1 *c, struct sim_outbox *out, const struct sim_l1_want *want,
	struct sim_l1_answer *answer);
/* Are these sectors of a line there, or on their way? */
int sim_l1_has(struct sim_l1 *c, uint64_t line, uint32_t sectors);
/* The slot of a line among the tags, or SIM_SLOT_NONE. */
uint32_t sim_l1_slot(const struct sim_l1 *c, uint64_t line);
/*
 * The sectors of MSHR n have come. Returns it with the loads to answer; valid until an access; NULL
 * without memory. Where that allocates the line, *answer has its slot and the victim, which may
 * write to `out` beyond its room.
 */
const struct sim_mshr *sim_l1_fill(
	struct sim_l1 *c, struct sim_outbox *out, uint32_t n, struct sim_l1_answer *answer);
/*
 * A store to sectors that are there, or on their way: they become dirty, and the line keeps its age
 * (enum tr_write_policy, TR_W_KEEP). 0: not all of them are, and nothing changes.
 */
int sim_l1_write(struct sim_l1 *c, uint64_t line, uint32_t sectors);
/*
 * Evicts a line that a store or an atomic changes in memory directly; was any of it there? What is
 * dirty of it is written first, to `out`, beyond its room. Sectors in flight come with data older
 * than the store: loads that wait for them get these, and later loads miss.
 */
int sim_l1_evict(struct sim_l1 *c, struct sim_outbox *out, uint64_t line);
/* Has a thread, by its slot, used the line since it came in? Notes that it now has. */
static inline int sim_l1_touch(struct sim_l1 *c, uint32_t slot, uint32_t thread)
{
	uint64_t *touched = c->touched + (size_t)slot * c->touched_words + thread / 64;
	const int before = (int)(*touched >> (thread % 64) & 1);

	*touched |= 1ull << (thread % 64);
	return before;
}

uint64_t sim_l1_hash(const struct sim_l1 *c, uint64_t seed);

#endif
