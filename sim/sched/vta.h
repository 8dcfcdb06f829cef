/*
 * Victim tag arrays (thesis 3.2.3): a small set-associative array of tags for each member, which
 * takes the lines of its own that the L1D evicts. A miss that finds its tag there is lost locality.
 * A tag that is put in again becomes the newest of its set under LRU, and keeps its turn under
 * FIFO; finding a tag changes nothing. Each tag has a flag: were its member's loads withheld when
 * the line was evicted?
 */
#ifndef SIM_SCHED_VTA_H
#define SIM_SCHED_VTA_H

#include <stddef.h>
#include <stdint.h>

#define SIM_VTA_HASHES 1024

enum sim_vta_order { SIM_VTA_LRU, SIM_VTA_FIFO };

struct sim_vta {
	uint32_t members, entries, ways, line_bytes, order;
	uint64_t stamp;
	uint64_t *tag, *stamps; /* entries a member, in sets of ways; stamp 0: empty */
	uint8_t *withheld;
	uint32_t held[SIM_VTA_HASHES]; /* by hash, how many tags of all arrays have it: 0 ends a
					  search */
};

/* Bytes that the arrays take; ways divides entries. */
size_t sim_vta_bytes(uint32_t members, uint32_t entries);
/* Lays the arrays out over that many zeroed bytes. */
void sim_vta_init(struct sim_vta *v, void *bytes, uint32_t members, uint32_t entries, uint32_t ways,
	uint32_t line_bytes, enum sim_vta_order order);
void sim_vta_clear(struct sim_vta *v, uint32_t member);
void sim_vta_insert(struct sim_vta *v, uint32_t member, uint64_t line, int withheld);
enum sim_vta_answer { SIM_VTA_NONE, SIM_VTA_LOST, SIM_VTA_LOST_WITHHELD };
enum sim_vta_answer sim_vta_probe(const struct sim_vta *v, uint32_t member, uint64_t line);
/* The line has been written: a later miss on it is not lost locality. */
void sim_vta_remove(struct sim_vta *v, uint64_t line);

#endif
