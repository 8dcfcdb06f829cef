/* A hash map from lines; see lines.h. */
#include "sim/access/lines.h"
#include <stdlib.h>

void sim_lines_free(struct sim_lines *m)
{
	free(m->at);
	*m = (struct sim_lines){0};
}

int sim_lines_grow(struct sim_lines *m)
{
	struct sim_lines big = {.size = m->size ? 2 * m->size : 64};

	big.at = calloc(big.size, sizeof(*big.at));
	if (!big.at)
		return -1;
	big.shift = 64 - (unsigned)__builtin_ctzll(big.size);
	big.n = m->n;
	for (size_t i = 0; m->n && i < m->size; i++)
		if (m->at[i].key)
			*sim_lines_at(&big, m->at[i].key - 1) = m->at[i];
	free(m->at);
	*m = big;
	return 0;
}
