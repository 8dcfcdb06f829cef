/* Laying a CTA's record out for the replay. */
#include "sim/sm/tape.h"
#include <stdlib.h>
#include <string.h>

#define WASTE 4 /* side by side only where it takes at most so many times the room */

static int reach(void *pointer, size_t *cap, size_t need, size_t size)
{
	void **p = pointer, *grown;

	if (need <= *cap)
		return 0;
	grown = realloc(*p, need * size);
	if (!grown)
		return -1;
	*p = grown;
	*cap = need;
	return 0;
}

static int reach32(void *pointer, uint32_t *cap, size_t need, size_t size)
{
	size_t now = *cap;

	if (reach(pointer, &now, need, size))
		return -1;
	*cap = (uint32_t)now;
	return 0;
}

/* A group of threads: how it is laid out, and the room that it takes. */
struct layout {
	uint32_t n, stride;
	size_t outcomes, values;
};

static struct layout layout_of(const struct tr_cta *cta, uint32_t first)
{
	struct layout l = {.n = cta->nthreads - first};
	size_t outcomes = 0, values = 0, most_outcomes = 0, most_values = 0;

	if (l.n > TR_GROUP)
		l.n = TR_GROUP;
	for (uint32_t t = first; t < first + l.n; t++) {
		const struct tr_thread *x = &cta->threads[t];

		outcomes += x->noutcomes;
		values += x->nvalues;
		most_outcomes = x->noutcomes > most_outcomes ? x->noutcomes : most_outcomes;
		most_values = x->nvalues > most_values ? x->nvalues : most_values;
	}
	l.stride = most_outcomes * l.n <= WASTE * outcomes && most_values * l.n <= WASTE * values
			   ? l.n
			   : 1;
	l.outcomes = l.stride > 1 ? most_outcomes * l.n : outcomes;
	l.values = l.stride > 1 ? most_values * l.n : values;
	return l;
}

static void copy(void *to, const void *from, size_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
}

#define ROWS 32 /* of all threads of the group together, so that they stay in the cache */

static size_t rows_end(size_t row, size_t n)
{
	return n < row + ROWS ? n : row + ROWS;
}

static void lay_rows(
	uint8_t *o, uint64_t *v, const struct tr_thread *threads, const struct layout *l)
{
	for (size_t row = 0; row * l->n < l->outcomes; row += ROWS)
		for (uint32_t k = 0; k < l->n; k++) {
			const size_t end = rows_end(row, threads[k].noutcomes);
			const uint8_t *from = threads[k].outcomes;

			for (size_t i = row; i < end; i++)
				o[i * l->n + k] = from[i];
		}
	for (size_t row = 0; row * l->n < l->values; row += ROWS)
		for (uint32_t k = 0; k < l->n; k++) {
			const size_t end = rows_end(row, threads[k].nvalues);
			const uint64_t *from = threads[k].values;

			for (size_t i = row; i < end; i++)
				v[i * l->n + k] = from[i];
		}
}

static int load_sync(struct sim_tape *tape, const struct tr_cta *cta, struct sim_thread *threads)
{
	uint32_t cap = tape->cap_sync;

	tape->nsync = cta->nsync;
	if (!cta->nsync)
		return 0;
	if (reach32(&tape->sync, &cap, cta->nsync, sizeof(*tape->sync)) ||
		reach32(&tape->next_sync, &tape->cap_sync, cta->nsync, sizeof(*tape->next_sync)))
		return -1;
	memcpy(tape->sync, cta->sync, cta->nsync * sizeof(*cta->sync));
	for (uint32_t i = cta->nsync; i--;) { /* from the end, so that chains run forward */
		struct sim_thread *t = &threads[cta->sync[i].reader];

		tape->next_sync[i] = t->sync;
		t->sync = i;
	}
	return 0;
}

int sim_tape_load(struct sim_tape *tape, const struct tr_cta *cta, struct sim_thread *threads)
{
	size_t outcomes = 0, values = 0;

	for (uint32_t first = 0; first < cta->nthreads; first += TR_GROUP) {
		struct layout l = layout_of(cta, first);

		outcomes += l.outcomes;
		values += l.values;
	}
	if (reach(&tape->outcomes, &tape->cap_outcomes, outcomes + 1, 1) ||
		reach(&tape->values, &tape->cap_values, values + 1, sizeof(*tape->values)) ||
		reach32(&tape->total_values, &tape->cap_threads, cta->nthreads,
			sizeof(*tape->total_values)))
		return -1;
	outcomes = values = 0;
	for (uint32_t first = 0; first < cta->nthreads; first += TR_GROUP) {
		struct layout l = layout_of(cta, first);
		size_t outcome_at = outcomes, value_at = values;

		for (uint32_t k = 0; k < l.n; k++) {
			const struct tr_thread *x = &cta->threads[first + k];
			uint8_t *o = tape->outcomes + outcome_at;
			uint64_t *v = tape->values + value_at;

			if (l.stride == 1) {
				copy(o, x->outcomes, x->noutcomes);
				copy(v, x->values, x->nvalues * sizeof(*v));
			}
			threads[first + k] = (struct sim_thread){.outcome = o,
				.value = v,
				.outcomes = x->noutcomes,
				.values = x->nvalues,
				.stride = l.stride,
				.sync = TR_NONE,
				.number = (uint16_t)(first + k)};
			tape->total_values[first + k] = x->nvalues;
			outcome_at += l.stride > 1 ? 1 : x->noutcomes;
			value_at += l.stride > 1 ? 1 : x->nvalues;
		}
		if (l.stride > 1)
			lay_rows(tape->outcomes + outcomes, tape->values + values,
				cta->threads + first, &l);
		outcomes += l.outcomes;
		values += l.values;
	}
	return load_sync(tape, cta, threads);
}

void sim_tape_free(struct sim_tape *tape)
{
	free(tape->outcomes);
	free(tape->values);
	free(tape->sync);
	free(tape->next_sync);
	free(tape->total_values);
	*tape = (struct sim_tape){0};
}

int sim_tape_overtakes(
	const struct sim_tape *tape, const struct sim_thread *threads, struct sim_thread *t)
{
	uint32_t at = tape->total_values[t->number] - t->values;
	int overtakes = 0;

	while (t->sync != TR_NONE && tape->sync[t->sync].reader_value <= at) {
		const struct tr_sync_read *s = &tape->sync[t->sync];
		uint32_t written = tape->total_values[s->writer] - threads[s->writer].values;

		overtakes |= s->reader_value == at && written <= s->writer_value;
		t->sync = tape->next_sync[t->sync];
	}
	return overtakes;
}
