/* A hash map from lines; see lines.h. */
#include "sim/access/lines.h"
#include <stdlib.h>
#include <string.h>

void sim_lines_free(struct sim_lines *m)
{
	free(m->at);
	*m = (struct sim_lines){0};
}

void sim_lines_clear(struct sim_lines *m)
{
	if (m->n)
		memset(m->at, 0, m->size * sizeof(*m->at));
	m->n = 0;
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

/* Entries after the hole move up into it, unless that would put them before their first entry. */
void sim_lines_remove(struct sim_lines *m, uint64_t line)
{
	const size_t mask = m->size - 1;
	struct sim_lines_entry *e = m->n ? sim_lines_at(m, line) : NULL;
	size_t hole;

	if (!e || !e->key)
		return;
	hole = (size_t)(e - m->at);
	for (size_t i = (hole + 1) & mask; m->at[i].key; i = (i + 1) & mask) {
		const size_t first = sim_lines_hash(m, m->at[i].key - 1);

		if (((i - first) & mask) >= ((i - hole) & mask)) {
			m->at[hole] = m->at[i];
			hole = i;
		}
	}
	m->at[hole].key = 0;
	m->n--;
}
