/*
 * Internal: a hash map from line addresses to 64-bit values, open addressing with linear probing.
 * It grows with the lines put into it and never shrinks. Line addresses are even. What a file has
 * may be chosen so that all its lines want one place: where a line stands far from its own, the
 * factor of the hash is chosen anew, by chance.
 */
#ifndef SIM_ACCESS_LINES_H
#define SIM_ACCESS_LINES_H

#include <stddef.h>
#include <stdint.h>

struct sim_lines_entry {
	uint64_t key; /* line + 1; 0: empty */
	uint64_t value;
};

struct sim_lines {
	struct sim_lines_entry *at;
	size_t n, size; /* size: a power of two, or 0 before the first line */
	unsigned shift; /* 64 - log2(size) */
	uint64_t factor;
};

#define SIM_LINES_FAR 256 /* entries: hardly a line that nobody has chosen lies as far */
/* The golden ratio's: lines side by side lie apart. */
#define SIM_LINES_FACTOR 0x9e3779b97f4a7c15u

void sim_lines_free(struct sim_lines *m);
/* Makes room for one more; 0, or -1 without memory (the map stays as it was). */
int sim_lines_grow(struct sim_lines *m);
/* Another factor, in as much room; likewise. */
int sim_lines_scatter(struct sim_lines *m);

static inline size_t sim_lines_hash(const struct sim_lines *m, uint64_t line)
{
	return (size_t)(line * m->factor >> m->shift);
}

/* Where the line is or would stand: its entry, or the empty one that ends its search. */
static inline struct sim_lines_entry *sim_lines_at(const struct sim_lines *m, uint64_t line)
{
	size_t i = sim_lines_hash(m, line);

	while (m->at[i].key && m->at[i].key != line + 1)
		i = (i + 1) & (m->size - 1);
	return &m->at[i];
}

/* The line's value, or NULL. Valid until the next put. */
static inline uint64_t *sim_lines_find(const struct sim_lines *m, uint64_t line)
{
	struct sim_lines_entry *e;

	if (!m->n)
		return NULL;
	e = sim_lines_at(m, line);
	return e->key ? &e->value : NULL;
}

/* The line's value, 0 if it is new; NULL without memory. */
static inline uint64_t *sim_lines_put(struct sim_lines *m, uint64_t line)
{
	struct sim_lines_entry *e;

	if (m->n * 2 >= m->size && sim_lines_grow(m) < 0)
		return NULL;
	e = sim_lines_at(m, line);
	if (!e->key) {
		if ((((size_t)(e - m->at) - sim_lines_hash(m, line)) & (m->size - 1)) >
			SIM_LINES_FAR) {
			if (sim_lines_scatter(m) < 0)
				return NULL;
			e = sim_lines_at(m, line);
		}
		*e = (struct sim_lines_entry){line + 1, 0};
		m->n++;
	}
	return &e->value;
}

/* The line will be looked for soon. */
static inline void sim_lines_prefetch(const struct sim_lines *m, uint64_t line)
{
	if (m->size)
		__builtin_prefetch(&m->at[sim_lines_hash(m, line)], 1);
}

#endif
