/*
 * See source.h. In a record a CTA is one block of memory, since it has thousands of short lists.
 */
#include "sim/launch/source.h"
#include <stdlib.h>
#include <string.h>

/* ---- a stream ---- */

static int stream_next(void *arg, struct tr_err *err)
{
	return tr_reader_next(((struct sim_stream *)arg)->reader, err);
}

static const struct tr_launch *stream_launch(const void *arg)
{
	return tr_reader_launch(((const struct sim_stream *)arg)->reader);
}

static const struct tr_program *stream_program(const void *arg)
{
	return tr_reader_program(((const struct sim_stream *)arg)->reader);
}

static const struct tr_cta *stream_cta(void *arg, struct tr_err *err)
{
	struct sim_stream *s = arg;

	return tr_reader_cta(s->reader, &s->cta, err) > 0 ? &s->cta : NULL;
}

struct sim_source sim_stream_source(struct sim_stream *s, struct tr_reader *reader)
{
	s->reader = reader;
	tr_cta_init(&s->cta);
	return (struct sim_source){stream_next, stream_launch, stream_program, stream_cta, s};
}

void sim_stream_end(struct sim_stream *s)
{
	tr_cta_free(&s->cta);
}

/* ---- a record ---- */

struct recorded {
	struct tr_launch launch;
	const struct tr_program *program;
	struct tr_cta *ctas; /* the lists of each in one block, that begins with its threads */
	uint32_t n, cap;
};

struct sim_record {
	struct recorded *launches;
	uint32_t n, cap;
};

void sim_record_free(struct sim_record *record)
{
	for (uint32_t l = 0; record && l < record->n; l++) {
		for (uint32_t i = 0; i < record->launches[l].n; i++)
			free(record->launches[l].ctas[i].threads);
		free(record->launches[l].ctas);
		free(record->launches[l].launch.copies);
	}
	if (record)
		free(record->launches);
	free(record);
}

/* Room for one more in a list; the list, or NULL. */
static void *grown(void *list, uint32_t n, uint32_t *cap, size_t size)
{
	void *more;

	if (n < *cap)
		return list;
	more = realloc(list, (*cap ? 2 * (size_t)*cap : 16) * size);
	if (more)
		*cap = *cap ? 2 * *cap : 16;
	return more;
}

/* What is widest comes first. */
int sim_cta_pack(struct tr_cta *to, const struct tr_cta *from)
{
	size_t values = 0, outcomes = 0;
	uint64_t *value;
	struct tr_spin *spins;
	struct tr_sync_read *sync;
	uint8_t *outcome;

	for (uint32_t i = 0; i < from->nthreads; i++) {
		values += from->threads[i].nvalues;
		outcomes += from->threads[i].noutcomes;
	}
	*to = *from;
	to->threads =
		malloc(from->nthreads * sizeof(*to->threads) + values * sizeof(*value) +
			from->nspins * sizeof(*spins) + from->nsync * sizeof(*sync) + outcomes + 1);
	if (!to->threads)
		return 0;
	value = (uint64_t *)(void *)(to->threads + from->nthreads);
	spins = (struct tr_spin *)(void *)(value + values);
	sync = (struct tr_sync_read *)(void *)(spins + from->nspins);
	outcome = (uint8_t *)(sync + from->nsync);
	to->spins = spins;
	if (from->nspins)
		memcpy(spins, from->spins, from->nspins * sizeof(*spins));
	to->sync = sync;
	if (from->nsync)
		memcpy(sync, from->sync, from->nsync * sizeof(*sync));
	for (uint32_t i = 0; i < from->nthreads; i++) {
		const struct tr_thread *t = &from->threads[i];

		to->threads[i] = *t;
		to->threads[i].values = value;
		to->threads[i].outcomes = outcome;
		if (t->nvalues)
			memcpy(value, t->values, t->nvalues * sizeof(*value));
		if (t->noutcomes)
			memcpy(outcome, t->outcomes, t->noutcomes);
		value += t->nvalues;
		outcome += t->noutcomes;
	}
	return 1;
}

static int record_launch(struct sim_record *r, const struct sim_source *from)
{
	struct recorded *list = grown(r->launches, r->n, &r->cap, sizeof(*list)), *l;
	size_t size;

	if (!list)
		return 0;
	r->launches = list;
	l = &list[r->n++];
	*l = (struct recorded){
		.launch = *from->launch(from->arg), .program = from->program(from->arg)};
	l->launch.nallocs = 0;
	l->launch.allocs = NULL;
	if (!l->launch.ncopies) {
		l->launch.copies = NULL;
		return 1;
	}
	size = l->launch.ncopies * sizeof(*l->launch.copies);
	l->launch.copies = malloc(size);
	if (!l->launch.copies)
		return 0;
	memcpy(l->launch.copies, from->launch(from->arg)->copies, size);
	return 1;
}

static int record_cta(struct sim_record *r, const struct tr_cta *cta)
{
	struct recorded *l = &r->launches[r->n - 1];
	struct tr_cta *list = grown(l->ctas, l->n, &l->cap, sizeof(*list));

	if (!list)
		return 0;
	l->ctas = list;
	if (!sim_cta_pack(&list[l->n], cta))
		return 0;
	l->n++;
	return 1;
}

int sim_record_read(struct sim_record **record, struct tr_reader *reader, struct tr_err *err)
{
	struct sim_record *r = calloc(1, sizeof(*r));
	struct sim_stream s;
	const struct sim_source from = sim_stream_source(&s, reader);
	int event = r ? TR_LAUNCH : TR_EMEM, room = r != NULL;

	while (room && (event = from.next(from.arg, err)) > 0) {
		const struct tr_cta *cta = event == TR_CTA ? from.cta(from.arg, err) : NULL;

		if (event == TR_CTA && !cta) {
			event = err && err->code ? err->code : TR_EDATA;
			break;
		}
		room = cta ? record_cta(r, cta) : record_launch(r, &from);
	}
	sim_stream_end(&s);
	if (room && event >= 0) {
		*record = r;
		return 1;
	}
	sim_record_free(r);
	return room ? event : tr_fail(err, TR_EMEM, 0, "no memory for the decoded trace");
}

static int playback_next(void *arg, struct tr_err *err)
{
	struct sim_playback *p = arg;

	(void)err;
	if (p->launches && p->ctas < p->record->launches[p->launches - 1].n)
		return TR_CTA;
	if (p->launches == p->record->n)
		return TR_END;
	p->launches++;
	p->ctas = 0;
	return TR_LAUNCH;
}

static const struct recorded *played(const void *arg)
{
	const struct sim_playback *p = arg;

	return &p->record->launches[p->launches - 1];
}

static const struct tr_launch *playback_launch(const void *arg)
{
	return &played(arg)->launch;
}

static const struct tr_program *playback_program(const void *arg)
{
	return played(arg)->program;
}

static const struct tr_cta *playback_cta(void *arg, struct tr_err *err)
{
	(void)err;
	return &played(arg)->ctas[((struct sim_playback *)arg)->ctas++];
}

struct sim_source sim_playback_source(struct sim_playback *p, const struct sim_record *record)
{
	*p = (struct sim_playback){.record = record};
	return (struct sim_source){
		playback_next, playback_launch, playback_program, playback_cta, p};
}
