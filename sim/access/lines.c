/* A hash map from lines; see lines.h. */
#include "sim/access/lines.h"
#include "libtrace/chance.h"
#include <stdlib.h>

void sim_lines_free(struct sim_lines *m)
{
	free(m->at);
	*m = (struct sim_lines){0};
}

static int resize(struct sim_lines *m, size_t size, uint64_t factor)
{
	struct sim_lines other = {.size = size, .factor = factor};

	other.at = calloc(size, sizeof(*other.at));
	if (!other.at)
		return -1;
	other.shift = 64 - (unsigned)__builtin_ctzll(size);
	other.n = m->n;
	for (size_t i = 0; m->n && i < m->size; i++)
		if (m->at[i].key)
			*sim_lines_at(&other, m->at[i].key - 1) = m->at[i];
	free(m->at);
	*m = other;
	return 0;
}

int sim_lines_grow(struct sim_lines *m)
{
	return resize(m, m->size ? 2 * m->size : 64, m->size ? m->factor : SIM_LINES_FACTOR);
}

int sim_lines_scatter(struct sim_lines *m)
{
	return resize(m, m->size, (tr_chance() ^ SIM_LINES_FACTOR) | 1);
}
