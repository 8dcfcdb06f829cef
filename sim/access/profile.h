/*
 * A profile for Profiled-DAWS (Rogers, thesis 4.2.1) from what trace-locality counts per PC: the
 * hits and misses of figure 4.2, and the accesses per active lane of figure 4.4. A load is diverged
 * if it is not consistently converged (4.1.2). Which loads repeat one another in a trip is not
 * measured: those with the same base register do, if their displacements lie within a line.
 *
 * The thesis's profiles were made by hand from such figures, and do not say from which share of
 * hits on a loop has locality. Here it has if one of its loads hits lines of its own warp more
 * often than not.
 */
#ifndef AN_PROFILE_H
#define AN_PROFILE_H

#include "sim/access/divergence.h"
#include "sim/access/locality.h"
#include "sim/base/profile.h"

/*
 * The loads of a program's loops that were seen, by instruction: rows has room for ninsts of them.
 * counts and loads (NULL: not seen) are by instruction, too. Returns how many, TR_NONE without
 * memory. Loads that repeat one another have the number of the first of them.
 */
uint32_t an_profile(const struct tr_program *p, const struct an_counts *counts,
	struct an_divergence *const *loads, uint32_t line_bytes, struct sim_profile_load *rows);

#endif
