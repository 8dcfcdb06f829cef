/*
 * The kernel management unit and the kernel distributor of CDP, on which DTBL stands (Wang et al.,
 * ISCA 2015, 2.2 to 2.4). Launches wait in hardware queues, of which the head alone is looked at,
 * until what it has sent has ended; one a cycle goes to a free entry of the distributor. Kernels
 * there are served first come, first served: all blocks of one, then those of the next.
 *
 * Departures: the queues of threads' streams are apart from those of the host's, since nothing says
 * that they are not; kernels on their way to the distributor follow one another a cycle apart.
 */
#ifndef SIM_LAUNCH_KMU_H
#define SIM_LAUNCH_KMU_H

#include "sim/launch/launch.h"

enum sim_grid_state {
	SIM_G_UNKNOWN, /* nobody has called for it */
	SIM_G_CALLED,  /* its thread's call is under way */
	SIM_G_QUEUED,  /* in a hardware queue */
	SIM_G_SENT,    /* on its way to the distributor */
	SIM_G_HERE,    /* in the distributor, as a kernel or as a group of one */
	SIM_G_ENDED,
};

/* A kernel of the family. */
struct sim_grid_at {
	uint8_t state;  /* enum sim_grid_state */
	uint32_t queue; /* hardware queue; of a group none */
	uint32_t kde;   /* entry of the distributor */
	uint32_t left;  /* blocks to distribute, */
	uint32_t runs;  /* and those that run */
	uint32_t next;  /* in its hardware queue or, of groups, in their kernel's list (Next) */
	/* The queued kernel of the same stream that has to wait until this one has ended, or
	 * TR_NONE. */
	uint32_t next_in_stream;
	uint64_t due; /* when its call ends, when it is there */
};

struct sim_queue {
	uint32_t head, tail; /* kernels, or TR_NONE */
	uint8_t busy;        /* what it has sent has not ended */
};

/* An entry of the kernel distributor; kernel TR_NONE: free. */
struct sim_kde {
	uint32_t kernel;
	uint32_t first, last; /* NAGEI and LAGEI: groups to distribute; TR_NONE: there are none */
	uint32_t runs;        /* blocks of the kernel and of its groups */
	uint8_t reserved;     /* a kernel is on its way */
	uint8_t marked;       /* by FCFS: it has blocks to distribute */
	uint32_t next;        /* marked after it */
};

struct sim_kmu {
	struct sim_launching at;
	struct sim_launch_latency {
		uint32_t stream, buffer, buffer_thread, device, device_thread, dispatch, overflow;
		uint32_t search;
	} latency;
	struct sim_grid_at *grids;
	uint32_t ngrids, cap;
	struct sim_queue *queues; /* hwq of the host's, then hwq of threads' */
	uint32_t nqueues, queued; /* queued: kernels in them */
	struct sim_kde *kdes;
	uint32_t nkdes, used;
	uint32_t fcfs, fcfs_last; /* marked entries in their order; TR_NONE */
	uint32_t *heap;           /* kernels whose call is under way, the first due at the top */
	uint32_t nheap;
	uint32_t *sent; /* kernels on their way, a ring */
	uint32_t first_sent, nsent;
	uint64_t counted; /* cycles before this one are in kde_cycles */
	uint64_t pending; /* bytes of launches that have not begun */
};

/* A family begins at `now`; ideal: all latencies are 0. 1 or TR_EMEM. */
int sim_kmu_start(struct sim_kmu *k, const struct sim_launching *l, int ideal, uint64_t now,
	struct tr_err *err);
void sim_kmu_free(struct sim_kmu *k);
/* What is due at `now`: calls that end, a kernel that goes out, those that arrive. */
void sim_kmu_run(struct sim_kmu *k, uint64_t now);
/* A thread has called for a launch: it pends from now on. */
void sim_kmu_called(struct sim_kmu *k, uint32_t kernel, uint64_t now);
/* As a kernel of its own, whose call ends at `due`. */
void sim_kmu_queue(struct sim_kmu *k, uint32_t kernel, uint64_t due);
/* This entry has blocks to distribute, for the first time or once more. */
void sim_kde_mark(struct sim_kmu *k, uint32_t kde);
/*
 * Of the first marked entry: the kernel whose next block is to be placed, which is the entry's own
 * or one of its groups. 1, or 0 if none has blocks.
 */
int sim_kmu_offer(const struct sim_kmu *k, uint32_t *kernel);
void sim_kmu_placed(struct sim_kmu *k, uint32_t kernel, uint64_t now);
void sim_kmu_ended(struct sim_kmu *k, uint32_t kernel, uint64_t now);
uint64_t sim_kmu_until(const struct sim_kmu *k, uint64_t now);
/* Cycles of a call by x lanes, but for the launches of DTBL. */
uint64_t sim_kmu_latency(const struct sim_kmu *k, enum tr_api kind, uint32_t lanes);

#endif
