/*
 * The accesses of a CTA, each made once: what no warp can better, whoever its threads are. The k-th
 * access of a thread by an instruction to a line belongs to the k-th request of its CTA for that
 * line by that instruction. The thread that comes first makes the request, the others join it
 * whenever they come. So a CTA makes as many requests as the thread that accesses the line most
 * often, and no warp could make fewer: a thread's accesses come one after the other.
 */
#ifndef SIM_SM_ONCE_H
#define SIM_SM_ONCE_H

#include <stddef.h>
#include <stdint.h>

/* One request of a CTA. The memory unit fills it in; it begins with zeros. */
struct sim_once_request {
	uint32_t next; /* the next one for the same line by the same instruction, or SIM_NO_REQUEST
			*/
	uint32_t sectors;       /* of the line that have been asked for */
	uint32_t first_sectors; /* ... by the first access; the others by the last one so far */
	uint32_t load[2];       /* of the first and of the last access */
	uint32_t serial[2];     /* of these loads: another has the number when it differs */
	uint64_t job;           /* number of the first one's job */
	uint32_t at;            /* its transaction there */
};
#define SIM_NO_REQUEST UINT32_MAX

/* What threads have asked for last, by thread, instruction and line: open addressing. */
struct sim_once_entry {
	uint64_t line;
	uint32_t inst, thread, request;
	uint32_t used;
};

/* A CTA's. */
struct sim_once_cta {
	struct sim_once_entry *at;
	size_t n, size; /* size: a power of two, or 0 */
	struct sim_once_request *requests;
	uint32_t nrequests, cap;
};

/* Who waits for a load of another thread. */
struct sim_once_waiter {
	uint32_t load, next;
};

struct sim_once {
	struct sim_once_cta *ctas; /* by slot */
	uint32_t nctas;
	uint32_t *serial;  /* by load: how often its number has been free */
	uint32_t *waiters; /* by load: the first of those that wait for it */
	uint32_t nloads;
	struct sim_once_waiter *pool;
	uint32_t npool, cap_pool, free;
};
#define SIM_NO_WAITER UINT32_MAX

void sim_once_init(struct sim_once *o);
void sim_once_free(struct sim_once *o);
int sim_once_launch(struct sim_once *o, uint32_t nctas); /* 0, or -1 without memory */
/* A CTA has come to a slot: what was asked for there before is forgotten. */
void sim_once_cta(struct sim_once *o, uint32_t slot);
/*
 * A thread's (slot) next access by an instruction to a line, of the CTA in a slot: its request, and
 * whether it is new. NULL without memory. Valid until the next call.
 */
struct sim_once_request *sim_once_ask(struct sim_once *o, uint32_t slot, uint32_t thread,
	uint32_t inst, uint64_t line, int *is_new);
int sim_once_loads(struct sim_once *o, uint32_t n); /* room for n loads: 0, or -1 without memory */
int sim_once_wait(struct sim_once *o, uint32_t load, uint32_t waiter); /* likewise */
/* A load is done: those that wait for it one by one, then SIM_NO_WAITER. */
uint32_t sim_once_done(struct sim_once *o, uint32_t load);

#endif
