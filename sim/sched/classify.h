/*
 * Static load classification (thesis 4.1.2, 4.2.1 and 4.2.2): which loads of a loop diverge, which
 * of them share their lines, and whether the loop has locality between its trips. Either a profile
 * says so when a kernel is launched, or the dynamic load classifier finds out from what one
 * sampling warp a loop does.
 *
 * Members stand for warps; sched.h says what they are. A load, here as in the thesis, is one
 * execution of a load instruction by a warp; its accesses are what the coalescer makes of it.
 *
 * Left out: the spilling of the tables, which the thesis's hardware has. Here they have the sizes
 * below, and loops and loads beyond these are never predicted.
 */
#ifndef SIM_SCHED_CLASSIFY_H
#define SIM_SCHED_CLASSIFY_H

#include "sim/base/profile.h"
#include "sim/sched/sched.h"

#define SIM_CLASSIFY_LOADS 1024
#define SIM_CLASSIFY_LOOPS 256

/* An entry of the static load classification table. */
struct sim_static_load {
	uint32_t inst, loop;
	uint32_t group;     /* repetition ID: loads that have the same one share their lines */
	int32_t divergence; /* the counter */
	uint8_t known, diverged;
	/* Only in the entry whose index is the repetition ID: how many loads have that ID and are
	 * diverged, known. */
	uint32_t ndiverged, nknown;
};

/* A loop, with its entry of the sampling warp table. */
struct sim_static_loop {
	uint32_t first;               /* instruction that it begins with */
	uint32_t sampler;             /* member, or TR_NONE */
	uint32_t diverged, converged; /* repetition IDs of its known loads */
	int64_t locality;             /* the counter */
	uint8_t sampled;              /* has had a sampling warp */
};

/* An entry of the intra-loop repetition detector. */
struct sim_repetition {
	uint64_t line, stamp; /* stamp 0: empty */
	uint32_t member, load;
};

struct sim_classifier {
	const struct tr_program *program;
	const struct sim_sched_profile *profile; /* NULL: detected */
	uint32_t line_bytes, entries, ways;
	uint64_t stamp;
	struct sim_repetition *repetitions;
	/* The load whose accesses are coming in. */
	uint8_t sampled, local;
	uint32_t loop; /* of the load that was sampled */
	uint32_t nloads, nloops;
	struct sim_static_load loads[SIM_CLASSIFY_LOADS]; /* by instruction */
	struct sim_static_loop loops[SIM_CLASSIFY_LOOPS]; /* as the program numbers them */
};

/* Lays the detector's entries out over zeroed bytes after *c; ways divides entries. */
size_t sim_classifier_bytes(uint32_t entries);
void sim_classifier_init(struct sim_classifier *c, void *bytes, uint32_t entries, uint32_t ways,
	const struct sim_sched_env *env);
void sim_classifier_launch(struct sim_classifier *c, const struct tr_program *program);

/* The member is at the beginning of the loop: for the first time, or once more. */
void sim_classifier_begin(
	struct sim_classifier *c, uint32_t member, uint32_t loop, uint32_t active);
void sim_classifier_iterate(struct sim_classifier *c, uint32_t member, uint32_t loop);
void sim_classifier_end(struct sim_classifier *c, uint32_t member, uint32_t loop);
void sim_classifier_leave(struct sim_classifier *c, uint32_t member);

/*
 * An access of a load. local: it has intra-warp locality, captured (a hit on a line of its own) or
 * lost (a hit in its victim tags).
 */
void sim_classifier_access(struct sim_classifier *c, const struct sim_sched_access *a, int local);

/* Lines that so many active lanes access in one trip of the loop; 0: nothing is predicted. */
uint32_t sim_classifier_lines(const struct sim_classifier *c, uint32_t loop, uint32_t active);

/* The next loop after an instruction in program order, or TR_NONE. */
uint32_t sim_classifier_closest(const struct sim_classifier *c, uint32_t inst);

#endif
