/*
 * Internal: one DRAM channel, which serves an L2 slice, or dram.slices of them: a queue, banks with
 * a row buffer each, one command, or one of a column and one of a row, and `bytes_per_cycle` of
 * data in a cycle. Slices that find no room there get it in turn.
 *
 * Order is FR-FCFS (Rixner et al., 2000): a bank works for its oldest request to the open row, or
 * for its oldest request if there is none; of the commands that the timing allows in a cycle, the
 * one for the oldest request among the column commands goes, then among the activates and
 * precharges. So requests of another row wait as long as hits keep coming, and no longer. With
 * fcfs a bank works for its oldest request, and column commands keep the order of arrival.
 *
 * Banks may be in groups, each of which wants more time between its columns and activates (tCCDL,
 * tRRDL), and be refreshed, all at once or in turn. A refresh that is due goes before all else: its
 * banks close when they may, and wait for tRFC. A channel without requests catches up at the next.
 *
 * A request is one column command for its whole burst. Leaves out a write latency other than tCL,
 * tRTP (a bank may precharge once the burst's commands are through), a tWTR of groups, refreshes
 * that are put off, the commands of a refresh, and the powering down of rows: a row stays open
 * until another is wanted.
 *
 * Slices that share a channel take turns in its addresses, l2.interleave_bytes each, so all banks
 * and rows are everyone's. In these addresses the row stands above the bank and the bank above the
 * column; of a bank's number what is left modulo the groups is its group's, and stands above
 * group_bytes.
 */
#ifndef SIM_MEM_DRAM_H
#define SIM_MEM_DRAM_H

#include "sim/mem/part.h"

struct sim_dram_request {
	uint64_t local; /* address among the bytes of the channel */
	uint32_t slice; /* the L2's, whose request it is */
	uint32_t bytes;
	uint32_t mshr; /* the L2's, which a read is for */
	bool write, code;
};

struct sim_dram_entry {
	struct sim_dram_request r;
	uint64_t row;
	uint64_t order; /* of arrival */
	uint32_t bank, burst;
	/* The next younger entry of the same bank. Of a free one how far the next free one is from
	 * the one behind it, so that a new list, all zeros, has them in order. */
	uint32_t younger;
};

enum sim_dram_command {
	SIM_DRAM_READ,
	SIM_DRAM_WRITE,
	SIM_DRAM_ACTIVATE,
	SIM_DRAM_PRECHARGE,
	SIM_DRAM_NCOMMANDS
};

struct sim_dram_bank {
	/* The command that the bank needs next, kept here since it is read most often. */
	uint64_t ready; /* cycle from which the bank allows it; SIM_NEVER: there is none */
	uint64_t rank;  /* the command of the least rank goes first: column commands, then by age */
	enum sim_dram_command command;
	bool fresh;                                    /* no column command since the activate */
	uint32_t oldest, youngest;                     /* entries, or SIM_NONE */
	uint32_t pick;                                 /* the entry it works for */
	uint64_t row;                                  /* open, or SIM_NEVER */
	uint64_t column_ok, activate_ok, precharge_ok; /* cycles */
};

/* A column command was issued: its request, and the cycle in which its data are complete. */
struct sim_dram_served {
	struct sim_dram_request r;
	uint64_t done;
};

#define SIM_DRAM_FAW 4 /* activates within tFAW */

struct sim_dram {
	const struct sim_config *config;
	struct sim_mem_stats *stats;
	struct sim_dram_entry *entries;
	struct sim_dram_bank *banks;
	uint32_t n, free;
	uint64_t order;
	uint64_t ok[SIM_DRAM_NCOMMANDS];  /* cycle from which the channel allows a command */
	uint64_t activates[SIM_DRAM_FAW]; /* cycles from which one more is within tFAW */
	uint64_t refreshes;               /* that are done */
	uint64_t refresh_next;            /* cycle of the next, or SIM_NEVER */
	uint32_t groups, group_bytes;     /* the machine's, one group a row where it says nothing */
	uint32_t activate;                /* the oldest of activates */
	uint32_t turn;                    /* of its slices, the one after the last to ask */
	uint64_t counted;                 /* cycle up to which activity is in the statistics */
	uint64_t next;
};

/* Slices that share a channel. */
static inline uint32_t sim_sharers(const struct sim_config *c)
{
	return c->dram.slices ? c->dram.slices : 1;
}

/* 1 or TR_EMEM. */
int sim_dram_new(struct sim_dram *d, const struct sim_config *c, struct sim_mem_stats *stats,
	struct tr_err *err);
void sim_dram_free(struct sim_dram *d);

static inline bool sim_dram_room(const struct sim_dram *d)
{
	return d->n < d->config->dram.queue;
}

/* Where there is room; in the queue from `cycle` on. */
void sim_dram_put(struct sim_dram *d, const struct sim_dram_request *r, uint64_t cycle);

/* One command at most of a column and, with two_commands, one of a row. True where it took a
 * request out of the queue. */
bool sim_dram_step(struct sim_dram *d, uint64_t cycle, struct sim_dram_served *served);

uint64_t sim_dram_hash(const struct sim_dram *d, uint64_t h);

#endif
