/* Open addressing: a key stands where its hash says, or in the next free place after it. */
#include "map.h"
#include <stdint.h>
#include <stdlib.h>

static size_t place(const struct rt_map *m, const void *key)
{
	return (size_t)((uintptr_t)key * 0x9e3779b97f4a7c15ull >> 20) & (m->room - 1);
}

/* Where the key stands, or the free place where it would. */
static struct rt_pair *find(const struct rt_map *m, const void *key)
{
	size_t i = place(m, key);

	while (m->v[i].key && m->v[i].key != key)
		i = (i + 1) & (m->room - 1);
	return &m->v[i];
}

static bool grow(struct rt_map *m)
{
	struct rt_map more = {.room = m->room ? 2 * m->room : 64, .n = m->n};

	more.v = calloc(more.room, sizeof(*more.v));
	if (!more.v)
		return false;
	for (size_t i = 0; i < m->room; i++)
		if (m->v[i].key)
			*find(&more, m->v[i].key) = m->v[i];
	free(m->v);
	*m = more;
	return true;
}

bool rt_map_put(struct rt_map *m, const void *key, void *value)
{
	struct rt_pair *p;

	if (2 * (m->n + 1) > m->room && !grow(m))
		return false;
	p = find(m, key);
	m->n += !p->key;
	*p = (struct rt_pair){key, value};
	return true;
}

void *rt_map_get(const struct rt_map *m, const void *key)
{
	return m->room && key ? find(m, key)->value : NULL;
}

/* Those behind the place that becomes free move up, if they may stand there. */
void rt_map_drop(struct rt_map *m, const void *key)
{
	struct rt_pair *p = m->room && key ? find(m, key) : NULL;
	const size_t last = m->room - 1;

	if (!p || !p->key)
		return;
	m->n--;
	for (size_t hole = (size_t)(p - m->v), i = hole;;) {
		m->v[hole] = (struct rt_pair){0};
		do {
			i = (i + 1) & last;
			if (!m->v[i].key)
				return;
		} while (((i - place(m, m->v[i].key)) & last) < ((i - hole) & last));
		m->v[hole] = m->v[i];
		hole = i;
	}
}

void rt_map_free(struct rt_map *m)
{
	free(m->v);
	*m = (struct rt_map){0};
}
