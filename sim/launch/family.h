/*
 * The launches that may be under way together, and their CTAs in the order of the record: a launch
 * of the host and all its descendants. Where launches run alone, a family is one launch, whose CTAs
 * come from the source as they are taken. Else all its CTAs are in memory before it starts, since a
 * child's are wanted while its parent runs, and are freed as they are taken.
 */
#ifndef SIM_LAUNCH_FAMILY_H
#define SIM_LAUNCH_FAMILY_H

#include "sim/launch/source.h"

struct sim_kernel {
	struct tr_launch launch; /* without its lists of allocations and copies */
	const struct tr_program *program;
	uint32_t entry; /* its first instruction in the family's program */
	uint32_t depth; /* 0: the host's */
	/* Cycles: a thread called for it, or its host launch began; its first block was placed; its
	 * last one ended. 0: that has not come. */
	uint64_t called, began, ended;
	uint8_t is_group, overflowed; /* DTBL: joined another kernel; its entry was taken */
	/* Its CTAs that are in memory: nctas of them, of which `taken` have been handed out. Those
	 * of clusters are handed out one cluster after the other, by rank, and else by number. */
	struct tr_cta *ctas;
	uint32_t nctas, cap, taken;
};

/* What a launch policy wants: each launch alone, with those of its threads, with other streams'. */
enum sim_together { SIM_ALONE, SIM_WITH_CHILDREN, SIM_WITH_STREAMS };

struct sim_family {
	const struct sim_source *from;
	enum sim_together together;
	/* Told of each launch as the source has it. 1 or TR_E*; may be NULL. */
	int (*begins)(void *arg, const struct tr_launch *l, const struct tr_program *p);
	void *arg;
	int event; /* of the source, not yet dealt with */
	struct sim_kernel *kernels;
	uint32_t n, cap;
	int in_memory;
	size_t bytes, most_bytes; /* of the CTAs in memory, now and at most */
	/* All its programs side by side; the only one's own where there is one. */
	const struct tr_program *program;
	struct tr_program *joined; /* or NULL */
};

/* Before the first family; `from`, `together` and `begins` are set. 1, or TR_E*. */
int sim_family_start(struct sim_family *f, struct tr_err *err);
void sim_family_free(struct sim_family *f);
/* The next family: 1, 0 after the last one, or TR_E*. */
int sim_family_next(struct sim_family *f, struct tr_err *err);
/* Has a kernel a CTA that was not taken? */
int sim_family_has(const struct sim_family *f, uint32_t kernel);
/* Takes its next CTA, which is valid until sim_family_pass. NULL: *err says why. */
const struct tr_cta *sim_family_cta(struct sim_family *f, uint32_t kernel, struct tr_err *err);
int sim_family_pass(struct sim_family *f, uint32_t kernel, struct tr_err *err); /* 1 or TR_E* */
/* The kernel that is launch `number`, or TR_NONE: it is not here. */
uint32_t sim_family_find(const struct sim_family *f, uint32_t number);

/* join.c: programs side by side: 1 and a program of the caller's to free, or TR_EMEM. */
int sim_join(struct tr_program **joined, const struct tr_program *const *programs, uint32_t n,
	struct tr_err *err);

#endif
