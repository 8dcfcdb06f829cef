/*
 * Internal: a family is a launch of the host and the launches that descend from it. The writer
 * and the reader keep the present family, since a thread's launch has its parent in it, and the
 * launches that its threads have named and that have not come.
 */
#ifndef TR_FAMILY_H
#define TR_FAMILY_H

#include "trace.h"

struct tr_kin { /* a launch of the family */
	uint32_t program, ctas, threads, depth;
	uint32_t decoded; /* CTAs of it that were, reading */
};

struct tr_named { /* a launch that a thread named; launch TR_NONE: a free entry */
	uint32_t launch, cta, thread, inst;
};

struct tr_family {
	struct tr_kin *kin;
	uint32_t host, n, cap;  /* host: number of the first; n 0: not known */
	struct tr_named *named; /* by number modulo TR_PENDING_MAX */
	uint32_t nnamed;
};

void tr_family_free(struct tr_family *f);
/*
 * A launch comes: of the host, which begins a family, or of a thread, which must have its parent in
 * it. program: its own, or NULL where that is not at hand, and then less is checked; parent: that
 * of the launch l->parent_launch, likewise. 1, or TR_EMEM, or TR_EDATA with a sentence's end.
 */
int tr_family_launch(struct tr_family *f, const struct tr_launch *l,
	const struct tr_program *program, const struct tr_program *parent, struct tr_err *err);
/* The launch of that number, or NULL: it is not of the family. */
struct tr_kin *tr_family_kin(struct tr_family *f, uint32_t launch);
/* The threads of a decoded CTA name launches. As above. */
int tr_family_cta(struct tr_family *f, const struct tr_program *p, const struct tr_cta *cta,
	struct tr_err *err);
/* The same of a CTA of which no more is at hand: first each launch that a thread named, then it. */
int tr_family_name(struct tr_family *f, uint32_t launch, uint32_t cta, uint32_t thread,
	uint32_t inst, uint64_t child, struct tr_err *err);
void tr_family_decoded(struct tr_family *f, uint32_t launch);
/* The family ends: has every launch that was named come? 1, or TR_EDATA. */
int tr_family_end(const struct tr_family *f, struct tr_err *err);

#endif
