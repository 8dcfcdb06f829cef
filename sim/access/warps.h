/*
 * Warps without time: the threads of a launch in warps of any size up to 64, each under a
 * reconvergence stack (PDOM), executed in an order that follows from the order's rule alone. Every
 * SM executes one warp instruction in its turn, SM after SM. Left out: latencies, and with them all
 * that a scheduler would do about them.
 *
 * CTAs go to SMs in the order of their numbers, as many at a time as an SM has slots for; a slot
 * that becomes free is taken at once by the next one. Barriers count arriving threads; where a
 * thread has exited, it counts as arrived at the barriers of the whole CTA. A barrier that cannot
 * fill, because a warp is so wide that it waits for itself, is opened by force, and counted.
 */
#ifndef SIM_ACCESS_WARPS_H
#define SIM_ACCESS_WARPS_H

#include "libtrace/trace.h"

#define SIM_WARPS_LANES_MAX 64

enum sim_order {
	SIM_ORDER_RR,  /* an instruction of each resident warp in turn */
	SIM_ORDER_GTO, /* one warp on until a barrier or its end, then the oldest */
	SIM_ORDER_CTA, /* one CTA after the other, in it one warp after the other up to a barrier */
};

/* "rr", "gto", "cta". 1 or TR_EUSAGE. */
int sim_order_parse(enum sim_order *o, const char *name);
const char *sim_order_name(enum sim_order o); /* NULL beyond the last */

/* What has to hold the resident CTAs. Registers are 32-bit ones. */
struct sim_residency {
	uint32_t sms, ctas_per_sm, threads_per_sm, registers_per_sm, shared_per_sm;
	uint32_t shared_reserved; /* of the latter, bytes beside each CTA's own */
};

struct sim_warps_options {
	uint32_t warp_size; /* 1 to 64 */
	enum sim_order order;
	struct sim_residency machine;
};

/* A warp executes an instruction that accesses memory, at least one lane of it. */
struct sim_warp_access {
	uint32_t sm, cta, warp; /* lane l is thread warp * size + l of the CTA */
	uint32_t inst;
	uint32_t loop, trip;     /* innermost loop, or TR_NONE; the warp's iteration of it */
	uint32_t thread_slot;    /* of lane 0 among the SM's threads, for local memory */
	uint32_t thread_slots;   /* that the SM has */
	uint64_t lanes;          /* guard true */
	const uint64_t *address; /* by lane, as recorded: in local memory an offset */
	uint64_t warp_insts, thread_insts; /* executed before, over all SMs and launches */
};

/* Where CTAs come from, in the order of their numbers, and where accesses go. 1 or TR_E*. */
struct sim_warps_link {
	void *arg;
	int (*cta)(void *arg, struct tr_cta *c, struct tr_err *err); /* 0: there are no more */
	int (*access)(void *arg, const struct sim_warp_access *a, struct tr_err *err);
};

struct sim_warps;
int sim_warps_new(struct sim_warps **w, const struct sim_warps_options *opt, struct tr_err *err);
void sim_warps_free(struct sim_warps *w);

/*
 * Executes the CTAs of a launch, as many as come; program and launch are not kept. 1, TR_EUSAGE
 * where a CTA has no room on an SM, TR_EDATA where a record is no walk through the program, or what
 * the link returned.
 */
int sim_warps_launch(struct sim_warps *w, const struct tr_program *p, const struct tr_launch *l,
	const struct sim_warps_link *link, struct tr_err *err);

struct sim_warps_totals {
	uint64_t warp_insts;   /* issues, also those that no lane's guard let through */
	uint64_t thread_insts; /* lanes whose guard was true */
	uint64_t forced;       /* barriers opened by force */
};
struct sim_warps_totals sim_warps_totals(const struct sim_warps *w);

#endif
