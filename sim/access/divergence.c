/* Counting executions, and judging them; see divergence.h. */
#include "sim/access/divergence.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define VOTE_ACTIVE 3 /* lanes from which on converged and diverged exclude each other */

const char *an_divergence_name(enum an_divergence_kind k)
{
	static const char *const names[] = {
		"converged", "somewhat_diverged", "completely_diverged"};

	return names[k];
}

int an_divergence_add(struct an_divergence *d, uint32_t active, uint32_t requests)
{
	struct an_divergence_row *row = &d->by_active[active];

	assert(active <= TR_LANES_MAX);
	if (requests >= row->n) {
		const uint32_t n = requests < active ? active + 1 : 2 * requests;
		uint64_t *count = realloc(row->count, n * sizeof(*count));

		if (!count)
			return TR_EMEM;
		memset(count + row->n, 0, (n - row->n) * sizeof(*count));
		row->count = count;
		row->n = n;
	}
	row->count[requests]++;
	return 1;
}

enum an_divergence_kind an_divergence_verdict(const struct an_divergence *d)
{
	uint64_t all = 0, converged = 0, diverged = 0;

	for (uint32_t active = VOTE_ACTIVE; active <= TR_LANES_MAX; active++)
		for (uint32_t k = 0; k < d->by_active[active].n; k++) {
			const uint64_t n = d->by_active[active].count[k];

			all += n;
			converged += k <= 2 ? n : 0;
			diverged += k >= active ? n : 0;
		}
	if (10 * converged >= 9 * all)
		return AN_CONVERGED;
	return 10 * diverged >= 9 * all ? AN_COMPLETELY_DIVERGED : AN_SOMEWHAT_DIVERGED;
}

void an_divergence_free(struct an_divergence *d)
{
	for (uint32_t active = 0; active <= TR_LANES_MAX; active++)
		free(d->by_active[active].count);
}
