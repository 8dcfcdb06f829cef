/*
 * What a launch's thread trace adds up to: instructions, branches and how many of them diverge at
 * warp size 32, memory instructions by space. Warps are the threads 32 w ... 32 w + 31 of a CTA,
 * run under a reconvergence stack (PDOM); no time is modelled.
 *
 * thread_insts counts lanes whose guard was true, so a branch counts where it is taken; warp_insts
 * counts issues, also those that no lane's guard let through. A branch is an executed instruction
 * with several successors, it diverges when a warp takes more than one of them.
 */
#ifndef AN_SUMMARY_H
#define AN_SUMMARY_H

#include "libtrace/trace.h"

struct an_totals {
	uint64_t ctas, threads, thread_insts, warp_insts, branches, divergent_branches;
	uint64_t mem_insts; /* thread instructions that access memory */
	uint64_t thread_insts_class[TR_NCLASSES], mem_insts_space[TR_NSPACES];
	uint64_t outcomes, values, sync_reads;
	uint64_t spin_rounds, spin_insts; /* without progress (struct tr_spin) */
	/* Lanes on at all issues, whatever their guards: over 32 warp_insts, SIMD efficiency. */
	uint64_t active_lanes;
};

struct an_inst_totals {
	uint64_t thread_insts, warp_insts, divergent_branches;
	uint64_t active_lanes; /* lanes on, whatever their guards */
	/* Of rounds in which it polled, or went back where nothing else is known to poll. */
	uint64_t spin_rounds, spin_insts;
};

struct an_summary;

/* The program must live as long as the summary. NULL without memory. */
struct an_summary *an_summary_new(const struct tr_program *p);
void an_summary_free(struct an_summary *s);

/* Adds one CTA: 1, or TR_EDATA where its record is not a walk through the program from end to end.
 */
int an_summary_cta(struct an_summary *s, const struct tr_cta *c, struct tr_err *err);

struct an_inst_totals an_summary_inst(const struct an_summary *s, uint32_t inst);
struct an_totals an_summary_totals(const struct an_summary *s);
void an_totals_add(struct an_totals *sum, const struct an_totals *t);

#endif
