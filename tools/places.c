/* Allocations by address; see places.h. */
#include "tools/places.h"
#include "tools/common.h"
#include <stdlib.h>

static int by_base(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->base > y->base) - (x->base < y->base);
}

void places_start(struct places *p, const struct tr_launch *l)
{
	places_free(p);
	p->at = must_alloc(l->nallocs, sizeof(*p->at));
	for (uint32_t i = 0; i < l->nallocs; i++) {
		const struct tr_alloc *a = &l->allocs[i];

		p->at[i] = (struct place){a->base, a->base + a->bytes, i};
	}
	p->n = l->nallocs;
	qsort(p->at, p->n, sizeof(*p->at), by_base);
}

uint32_t places_find(struct places *p, uint64_t line, uint32_t line_bytes)
{
	uint32_t low = 0, high = p->n;

	if (p->n && line >= p->at[p->last].base && line < p->at[p->last].end)
		return p->at[p->last].number;
	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;

		if (p->at[mid].end > line)
			high = mid;
		else
			low = mid + 1;
	}
	if (low == p->n || p->at[low].base > line + line_bytes - 1)
		return NO_PLACE;
	p->last = low;
	return p->at[low].number;
}

void places_free(struct places *p)
{
	free(p->at);
	*p = (struct places){0};
}
