/*
 * Writing a thread trace. CTAs may be recorded side by side; each is encoded while it runs, waits
 * for its turn in launch order, and goes out in records of about one block. Encoded bytes beyond a
 * bound spill to an unlinked temporary file, so memory does not grow with the length of a trace.
 */
#include "codec.h"
#include "family.h"
#include "temp.h"
#include "trace_format.h"
#include <errno.h>

#define SPILL_DEFAULT (64u << 20)
#define SPILL_PIECE 4096 /* shorter buffers are not worth a write */
#define ENCODE_ROWS 32   /* rows that queue up before a group is encoded */
#define QUEUE_KEEP 4096  /* entries of a queue that is kept for the next CTA */

struct piece { /* of a stream, in the temporary file */
	uint64_t offset;
	size_t len;
};

struct chain {
	struct piece *pieces;
	uint32_t n, cap;
	uint64_t bytes;
};

/* What a CTA needs while it is recorded, and the next one then uses again. */
struct workspace {
	struct workspace *next; /* another spare one */
	struct tr_lane_queue
		*queues;       /* of all lanes of all groups, also of those that lack a thread */
	uint32_t *nvalues;     /* likewise */
	struct tr_slot *slots; /* of all groups */
};

struct tr_recorder {
	struct tr_writer *w;
	uint32_t cta, nthreads, ngroups;
	int ended;
	struct group_record {
		struct tr_encoder e;
		struct chain spilled[TR_NSTREAMS];
		uint32_t rows;
		size_t held; /* bytes in e.out when last counted */
	} * groups;
	struct workspace *space;
	struct tr_buf sync; /* struct tr_sync_read; as bytes of the record once the CTA has ended */
	uint32_t nsync;
	struct tr_spin *spins; /* in the order in which they are written */
	uint32_t nspins, cap_spins;
};

struct tr_writer {
	struct tr_out *out;
	FILE *spill;
	uint64_t spill_end;
	size_t spill_limit, spill_at, held;
	struct tr_plan *plans;
	uint32_t *live; /* registers, by program */
	uint32_t nprograms;
	struct tr_family family;
	uint32_t nlaunches;
	int in_launch;
	struct tr_launch launch; /* shape of the current one; lists not kept */
	uint64_t ctas;
	struct workspace *spare; /* of the current launch's shape */
	/* CTAs next ... next + window - 1; NULL: not yet opened. A ring. */
	struct tr_recorder **ring;
	uint64_t ring_cap, ring_head;
	uint64_t next;
	int broken; /* TR_E*: a CTA could not be written, and none after it will be */
	/* The record being gathered. */
	struct tr_buf lens, streams[TR_NSTREAMS];
	struct side { /* a record before it, if any of its CTAs has entries there */
		struct tr_buf lens, entries;
		int any;
	} sync, spins;
	uint32_t gathered, first_gathered;
	uint64_t *first_anchor; /* of the CTA being appended; nslots */
	uint32_t cap_anchor;
	uint64_t totals[TR_MAX_TOTALS];
	struct tr_err err; /* of the last tr_record_* that failed */
};

static int no_memory(struct tr_err *err)
{
	return tr_fail(err, TR_EMEM, 0, "no memory for the trace being written");
}

int tr_writer_open(
	struct tr_writer **w, FILE *f, const struct tr_writer_options *opt, struct tr_err *err)
{
	static const struct tr_writer_options none;
	int rc;

	if (!opt)
		opt = &none;
	*w = calloc(1, sizeof(**w));
	if (!*w)
		return no_memory(err);
	(*w)->spill_limit = opt->spill_bytes ? opt->spill_bytes : SPILL_DEFAULT;
	(*w)->spill_at = (*w)->spill_limit;
	rc = tr_out_open(&(*w)->out, f, TR_KIND_THREADS, opt->provenance, opt->level, err);
	if (rc < 0) {
		free(*w);
		*w = NULL;
	}
	return rc;
}

static int whole_record(struct tr_writer *w, int type, unsigned flags, uint64_t key,
	const struct tr_buf *b, struct tr_err *err)
{
	int rc = tr_out_begin(w->out, type, flags, key, 1, err);

	if (rc > 0)
		rc = tr_out_put(w->out, b->p, b->len, err);
	return rc > 0 ? tr_out_end(w->out, err) : rc;
}

int64_t tr_writer_program(struct tr_writer *w, const struct tr_program *p, struct tr_err *err)
{
	struct tr_plan *grown = realloc(w->plans, (w->nprograms + 1) * sizeof(*w->plans));
	uint32_t *live = realloc(w->live, (w->nprograms + 1) * sizeof(*w->live));
	struct tr_buf b = {0};
	int rc;

	w->plans = grown ? grown : w->plans;
	w->live = live ? live : w->live;
	if (!grown || !live)
		return no_memory(err);
	live[w->nprograms] = p->live_registers;
	rc = tr_program_validate(p, err);
	if (rc > 0)
		rc = tr_plan_make(&grown[w->nprograms], p, err);
	if (rc < 0)
		return rc;
	/* Readers that know nothing of these stop there. */
	if (tr_program_launches(p))
		rc = whole_record(w, TR_REC_DEVICE, 0, w->nprograms, &b, err);
	if (rc > 0 && tr_program_is_async(p))
		rc = whole_record(w, TR_REC_ASYNC, 0, w->nprograms, &b, err);
	if (rc > 0)
		rc = tr_program_write(p, &b) < 0
			     ? no_memory(err)
			     : whole_record(w, TR_REC_PROGRAM, 0, w->nprograms, &b, err);
	b.len = 0;
	if (rc > 0 && p->operands)
		rc = tr_program_write_operands(p, &b) < 0
			     ? no_memory(err)
			     : whole_record(
				       w, TR_REC_OPERANDS, TR_RECF_OPTIONAL, w->nprograms, &b, err);
	b.len = 0;
	if (rc > 0 && p->control)
		rc = tr_program_write_control(p, &b) < 0
			     ? no_memory(err)
			     : whole_record(
				       w, TR_REC_CONTROL, TR_RECF_OPTIONAL, w->nprograms, &b, err);
	tr_buf_free(&b);
	if (rc < 0) {
		tr_plan_free(&grown[w->nprograms]);
		return rc;
	}
	w->totals[TR_T_PROGRAMS]++;
	return w->nprograms++;
}

int tr_writer_launch(struct tr_writer *w, struct tr_launch *l, struct tr_err *err)
{
	struct tr_buf b = {0};
	uint64_t key;
	int rc;

	if (w->in_launch)
		return tr_fail(err, TR_EUSAGE, 0, "a launch begins before the last one ended");
	if (l->program >= w->nprograms)
		return tr_fail(err, TR_EUSAGE, 0, "launch of a program that was not written");
	l->number = w->nlaunches;
	key = (uint64_t)l->number << 32;
	if (w->plans[l->program].clusters && !l->cluster[0])
		return tr_fail(err, TR_EUSAGE, 0,
			"launch %u of a program with the cluster's barrier has no shape of "
			"clusters",
			l->number);
	rc = tr_launch_validate(l, err);
	if (rc > 0)
		rc = tr_family_launch(&w->family, l, NULL, NULL, err);
	if (rc < 0)
		return rc;
	if (l->parent_launch != TR_NONE) {
		rc = tr_child_write(l, &b) ? no_memory(err)
					   : whole_record(w, TR_REC_CHILD, 0, key, &b, err);
		b.len = 0;
	}
	if (rc > 0 && l->cluster[0]) {
		rc = tr_cluster_write(l, &b) ? no_memory(err)
					     : whole_record(w, TR_REC_CLUSTER, 0, key, &b, err);
		b.len = 0;
	}
	if (rc > 0 && l->registers_stated && l->registers == w->live[l->program])
		rc = whole_record(w, TR_REC_STATED, TR_RECF_OPTIONAL, key, &b, err);
	if (rc > 0)
		rc = tr_launch_write(l, &b) ? no_memory(err)
					    : whole_record(w, TR_REC_LAUNCH, 0, key, &b, err);
	tr_buf_free(&b);
	if (rc < 0)
		return rc;
	w->launch = *l;
	w->launch.allocs = NULL;
	w->launch.copies = NULL;
	w->ctas = tr_launch_ctas(l);
	w->next = 0;
	w->nlaunches++;
	w->in_launch = 1;
	w->totals[TR_T_LAUNCHES]++;
	return 1;
}

/* ---- one CTA ---- */

static uint32_t all_lanes(const struct tr_writer *w)
{
	return (tr_launch_threads(&w->launch) + TR_GROUP - 1) / TR_GROUP * TR_GROUP;
}

static void free_spare(struct tr_writer *w)
{
	while (w->spare) {
		struct workspace *space = w->spare;

		w->spare = space->next;
		for (uint32_t i = 0; space->queues && i < all_lanes(w); i++) {
			free(space->queues[i].outcomes);
			free(space->queues[i].values);
		}
		free(space->queues);
		free(space->nvalues);
		free(space->slots);
		free(space);
	}
}

static void give_back(struct tr_writer *w, struct workspace *space)
{
	if (!space)
		return;
	space->next = w->spare;
	w->spare = space;
}

/* A workspace with all queues empty and all slots new; NULL without memory. */
static struct workspace *take_space(struct tr_writer *w, uint32_t nslots)
{
	uint32_t nlanes = all_lanes(w);
	size_t all_slots = (size_t)(nlanes / TR_GROUP) * nslots;
	struct workspace *space = w->spare;

	if (!space) {
		space = calloc(1, sizeof(*space));
		if (!space)
			return NULL;
		space->queues = calloc(nlanes, sizeof(*space->queues));
		space->nvalues = calloc(nlanes, sizeof(*space->nvalues));
		space->slots = calloc(all_slots + 1, sizeof(*space->slots));
		if (space->queues && space->nvalues && space->slots)
			return space;
		give_back(w, space);
		free_spare(w);
		return NULL;
	}
	w->spare = space->next;
	for (uint32_t i = 0; i < nlanes; i++) {
		struct tr_lane_queue *q = &space->queues[i];

		q->noutcomes = q->nvalues = q->outcome_pos = q->value_pos = 0;
		if (q->cap_outcomes > QUEUE_KEEP || q->cap_values > QUEUE_KEEP) {
			free(q->outcomes);
			free(q->values);
			*q = (struct tr_lane_queue){0};
		}
	}
	memset(space->nvalues, 0, nlanes * sizeof(*space->nvalues));
	memset(space->slots, 0, all_slots * sizeof(*space->slots));
	return space;
}

static void recorder_free(struct tr_recorder *r)
{
	give_back(r->w, r->space);
	for (uint32_t g = 0; g < r->ngroups; g++) {
		r->w->held -= r->groups[g].held;
		for (int s = 0; s < TR_NSTREAMS; s++) {
			tr_buf_free(&r->groups[g].e.out[s]);
			free(r->groups[g].spilled[s].pieces);
		}
		free(r->groups[g].e.anchors);
	}
	free(r->groups);
	tr_buf_free(&r->sync);
	free(r->spins);
	free(r);
}

static struct tr_recorder **ring_at(struct tr_writer *w, uint64_t cta)
{
	return &w->ring[(w->ring_head + (cta - w->next)) & (w->ring_cap - 1)];
}

static int ring_reach(struct tr_writer *w, uint64_t cta)
{
	uint64_t cap = w->ring_cap ? w->ring_cap : 64;
	struct tr_recorder **ring;

	while (cta - w->next >= cap)
		cap *= 2;
	if (cap == w->ring_cap)
		return 0;
	ring = calloc(cap, sizeof(struct tr_recorder *));
	if (!ring)
		return -1;
	for (uint64_t i = 0; i < w->ring_cap; i++)
		ring[i] = w->ring[(w->ring_head + i) & (w->ring_cap - 1)];
	free(w->ring);
	w->ring = ring;
	w->ring_cap = cap;
	w->ring_head = 0;
	return 0;
}

int tr_recorder_open(
	struct tr_recorder **out, struct tr_writer *w, uint32_t cta, struct tr_err *err)
{
	const struct tr_plan *plan;
	struct tr_recorder *r;

	*out = NULL;
	if (!w->in_launch || cta >= w->ctas || cta < w->next)
		return tr_fail(err, TR_EUSAGE, 0, "CTA %u is not one to be recorded now", cta);
	if (ring_reach(w, cta))
		return no_memory(err);
	if (*ring_at(w, cta))
		return tr_fail(err, TR_EUSAGE, 0, "CTA %u is recorded twice", cta);
	plan = &w->plans[w->launch.program];
	r = calloc(1, sizeof(*r));
	if (!r)
		return no_memory(err);
	*r = (struct tr_recorder){.w = w, .cta = cta, .nthreads = tr_launch_threads(&w->launch)};
	r->ngroups = (r->nthreads + TR_GROUP - 1) / TR_GROUP;
	r->groups = calloc(r->ngroups, sizeof(*r->groups));
	r->space = take_space(w, plan->nslots);
	if (!r->groups || !r->space) {
		if (!r->groups)
			r->ngroups = 0;
		recorder_free(r);
		return no_memory(err);
	}
	for (uint32_t g = 0; g < r->ngroups; g++) {
		tr_group_start(&r->groups[g].e.g, plan, r->space->slots + (size_t)g * plan->nslots,
			g, w->launch.block);
		r->groups[g].e.q = r->space->queues + (size_t)g * TR_GROUP;
	}
	*ring_at(w, cta) = r;
	*out = r;
	return 1;
}

/* ---- spilling ---- */

static int spill_buffer(struct tr_writer *w, struct chain *c, struct tr_buf *b)
{
	if (c->n == c->cap) {
		uint32_t cap = c->cap ? 2 * c->cap : 8;
		struct piece *p = realloc(c->pieces, cap * sizeof(*p));

		if (!p)
			return TR_EMEM;
		c->pieces = p;
		c->cap = cap;
	}
	if (fseeko(w->spill, (off_t)w->spill_end, SEEK_SET) ||
		fwrite(b->p, 1, b->len, w->spill) != b->len)
		return TR_EIO;
	c->pieces[c->n++] = (struct piece){w->spill_end, b->len};
	c->bytes += b->len;
	w->spill_end += b->len;
	tr_buf_free(b);
	return 1;
}

static void count_held(struct tr_writer *w, struct group_record *g)
{
	size_t held = 0;

	for (int s = 0; s < TR_NSTREAMS; s++)
		held += g->e.out[s].len;
	w->held += held - g->held;
	g->held = held;
}

static int spill(struct tr_writer *w, struct tr_err *err)
{
	int rc = 1;

	if (!w->spill && tr_temp_open(&w->spill, err) < 0)
		return TR_EIO;
	for (uint64_t i = 0; i < w->ring_cap && rc > 0; i++) {
		struct tr_recorder *r = w->ring[i];

		for (uint32_t g = 0; r && g < r->ngroups && rc > 0; g++) {
			struct group_record *gr = &r->groups[g];

			for (int s = 0; s < TR_NSTREAMS && rc > 0; s++)
				if (gr->e.out[s].len >= SPILL_PIECE)
					rc = spill_buffer(w, &gr->spilled[s], &gr->e.out[s]);
			count_held(w, gr);
		}
	}
	if (rc == TR_EMEM)
		return no_memory(err);
	if (rc < 0)
		return tr_temp_failed(err);
	/* What is left is many short buffers: do not come back for each byte. */
	w->spill_at = w->held < w->spill_limit / 2 ? w->spill_limit : w->held + w->spill_limit / 2;
	return 1;
}

static int encode_now(struct tr_recorder *r, struct group_record *g, int final, struct tr_err *err)
{
	int rc = tr_encode(&g->e, final, err);

	g->rows = 0;
	count_held(r->w, g);
	if (rc > 0 && r->w->held > r->w->spill_at)
		rc = spill(r->w, err);
	return rc;
}

/* ---- recording ---- */

static int queue_room(struct tr_lane_queue *q, uint32_t outcomes, uint32_t values)
{
	if (q->cap_outcomes - q->noutcomes < outcomes) {
		size_t cap = 2 * (size_t)q->cap_outcomes + outcomes + 64;
		uint8_t *p = cap <= UINT32_MAX ? realloc(q->outcomes, cap) : NULL;

		if (!p)
			return -1;
		q->outcomes = p;
		q->cap_outcomes = (uint32_t)cap;
	}
	if (q->cap_values - q->nvalues < values) {
		size_t cap = 2 * (size_t)q->cap_values + values + 32;
		uint64_t *p = cap <= UINT32_MAX ? realloc(q->values, cap * sizeof(*p)) : NULL;

		if (!p)
			return -1;
		q->values = p;
		q->cap_values = (uint32_t)cap;
	}
	return 0;
}

static int after_row(struct tr_recorder *r, struct group_record *g)
{
	return ++g->rows < ENCODE_ROWS ? 1 : encode_now(r, g, 0, &r->w->err);
}

int tr_record_outcomes(struct tr_recorder *r, uint32_t g, uint32_t mask, uint32_t taken)
{
	struct group_record *gr = &r->groups[g];

	for (; mask; mask &= mask - 1) {
		unsigned lane = (unsigned)__builtin_ctz(mask);
		struct tr_lane_queue *q = &gr->e.q[lane];

		if (q->noutcomes == q->cap_outcomes && queue_room(q, 1, 0))
			return no_memory(&r->w->err);
		q->outcomes[q->noutcomes++] = taken >> lane & 1;
	}
	return after_row(r, gr);
}

int tr_record_indices(
	struct tr_recorder *r, uint32_t g, uint32_t mask, const uint32_t index[32], int wide)
{
	struct group_record *gr = &r->groups[g];

	for (; mask; mask &= mask - 1) {
		unsigned lane = (unsigned)__builtin_ctz(mask);
		struct tr_lane_queue *q = &gr->e.q[lane];

		if (queue_room(q, 2, 0))
			return no_memory(&r->w->err);
		q->outcomes[q->noutcomes++] = (uint8_t)index[lane];
		if (wide)
			q->outcomes[q->noutcomes++] = (uint8_t)(index[lane] >> 8);
	}
	return after_row(r, gr);
}

int tr_record_values(struct tr_recorder *r, uint32_t g, uint32_t mask, const uint64_t value[32])
{
	struct group_record *gr = &r->groups[g];
	uint32_t *nvalues = r->space->nvalues + g * TR_GROUP;

	for (; mask; mask &= mask - 1) {
		unsigned lane = (unsigned)__builtin_ctz(mask);
		struct tr_lane_queue *q = &gr->e.q[lane];

		if (q->nvalues == q->cap_values && queue_room(q, 0, 1))
			return no_memory(&r->w->err);
		q->values[q->nvalues++] = value[lane];
		nvalues[lane]++;
	}
	return after_row(r, gr);
}

uint32_t tr_record_nvalues(const struct tr_recorder *r, uint32_t thread)
{
	return r->space->nvalues[thread];
}

int tr_record_sync(struct tr_recorder *r, const struct tr_sync_read *s)
{
	r->nsync++;
	return tr_buf_put(&r->sync, s, sizeof(*s)) ? no_memory(&r->w->err) : 1;
}

static int by_reader(const void *a, const void *b)
{
	const struct tr_sync_read *x = a, *y = b;
	const uint32_t one[4] = {x->reader, x->reader_value, x->writer, x->writer_value};
	const uint32_t other[4] = {y->reader, y->reader_value, y->writer, y->writer_value};
	int i = 0;

	while (i < 3 && one[i] == other[i])
		i++;
	return one[i] < other[i] ? -1 : one[i] > other[i];
}

/*
 * The list of reads as it is recorded: by reader, and not as the recorder's warps had their turns.
 * 0, or TR_EMEM.
 */
static int encode_sync(struct tr_recorder *r)
{
	struct tr_sync_read *v = (struct tr_sync_read *)(void *)r->sync.p;
	struct tr_sync_read l = {0};
	struct tr_buf out = {0};
	int rc = 0;

	if (r->nsync)
		qsort(v, r->nsync, sizeof(*v), by_reader);
	for (uint32_t i = 0; i < r->nsync && !rc; i++) {
		const int64_t change[4] = {(int64_t)v[i].reader - l.reader,
			(int64_t)v[i].writer - l.writer,
			(int64_t)v[i].reader_value - l.reader_value,
			(int64_t)v[i].writer_value - l.writer_value};

		for (int k = 0; k < 4; k++)
			rc |= tr_buf_varint(&out, tr_zigzag(change[k]));
		l = v[i];
	}
	tr_buf_free(&r->sync);
	r->sync = out;
	return rc ? TR_EMEM : 0;
}

/* Is a spin's place before that of another? */
static int spin_before(const struct tr_spin *a, const struct tr_spin *b)
{
	return a->inst != b->inst ? a->inst < b->inst : a->polls + 1 < b->polls + 1;
}

int tr_record_spin(struct tr_recorder *r, const struct tr_spin *s)
{
	uint32_t at = r->nspins;

	while (at && spin_before(s, &r->spins[at - 1]))
		at--;
	if (at && !spin_before(&r->spins[at - 1], s)) {
		r->spins[at - 1].rounds += s->rounds;
		r->spins[at - 1].insts += s->insts;
		return 1;
	}
	if (r->nspins == r->cap_spins) {
		const uint32_t cap = r->cap_spins ? 2 * r->cap_spins : 4;
		struct tr_spin *p = realloc(r->spins, cap * sizeof(*p));

		if (!p)
			return no_memory(&r->w->err);
		r->spins = p;
		r->cap_spins = cap;
	}
	memmove(&r->spins[at + 1], &r->spins[at], (r->nspins - at) * sizeof(*r->spins));
	r->spins[at] = *s;
	r->nspins++;
	return 1;
}

/* ---- records ---- */

/* What was spilled of a stream, to the open record or, where it is gathered, after *to. */
static int put_chain(
	struct tr_writer *w, const struct chain *c, struct tr_buf *to, struct tr_err *err)
{
	char block[1 << 14];
	int rc = 1;

	for (uint32_t i = 0; i < c->n && rc > 0; i++) {
		size_t left = c->pieces[i].len;

		if (fseeko(w->spill, (off_t)c->pieces[i].offset, SEEK_SET))
			return tr_temp_failed(err);
		while (left && rc > 0) {
			size_t n = left < sizeof(block) ? left : sizeof(block);

			errno = EIO; /* also where it is shorter than it was */
			if (fread(block, 1, n, w->spill) != n)
				return tr_temp_failed(err);
			if (!to)
				rc = tr_out_put(w->out, block, n, err);
			else if (tr_buf_put(to, block, n))
				rc = no_memory(err);
			left -= n;
		}
	}
	return rc;
}

static uint64_t record_key(const struct tr_writer *w, uint32_t cta)
{
	return (uint64_t)w->launch.number << 32 | cta;
}

static int put_side(struct tr_writer *w, struct side *s, int type, struct tr_err *err)
{
	int rc = 1;

	if (s->any) {
		rc = tr_out_begin(w->out, type, TR_RECF_OPTIONAL, record_key(w, w->first_gathered),
			w->gathered, err);
		if (rc > 0)
			rc = tr_out_put(w->out, s->lens.p, s->lens.len, err);
		if (rc > 0)
			rc = tr_out_put(w->out, s->entries.p, s->entries.len, err);
		if (rc > 0)
			rc = tr_out_end(w->out, err);
	}
	s->lens.len = s->entries.len = 0;
	s->any = 0;
	return rc;
}

/* n entries of a CTA, which take the bytes from b->p + from on. 0, or -1 without memory. */
static int end_side(struct side *s, uint32_t n, size_t from)
{
	s->any |= n != 0;
	return tr_buf_varint(&s->lens, n) | tr_buf_varint(&s->lens, s->entries.len - from);
}

static int gather_sides(struct tr_writer *w, const struct tr_recorder *r)
{
	size_t from = w->sync.entries.len;
	int oom = tr_buf_put(&w->sync.entries, r->sync.p, r->sync.len);

	oom |= end_side(&w->sync, r->nsync, from);
	from = w->spins.entries.len;
	for (uint32_t i = 0; i < r->nspins; i++) {
		const struct tr_spin *s = &r->spins[i];
		oom |= tr_buf_varint(&w->spins.entries, s->inst) |
		       tr_buf_varint(&w->spins.entries, s->polls == TR_NONE ? 0 : s->polls + 1u) |
		       tr_buf_varint(&w->spins.entries, s->rounds) |
		       tr_buf_varint(&w->spins.entries, s->insts);
	}
	return oom | end_side(&w->spins, r->nspins, from);
}

static int begin_ctas(struct tr_writer *w, struct tr_err *err)
{
	int rc = put_side(w, &w->spins, TR_REC_SPINS, err);

	if (rc > 0)
		rc = put_side(w, &w->sync, TR_REC_SYNC, err);
	if (rc > 0)
		rc = tr_out_begin(
			w->out, TR_REC_CTAS, 0, record_key(w, w->first_gathered), w->gathered, err);
	return rc > 0 ? tr_out_put(w->out, w->lens.p, w->lens.len, err) : rc;
}

static void end_ctas(struct tr_writer *w)
{
	w->gathered = 0;
	w->lens.len = 0;
	for (int s = 0; s < TR_NSTREAMS; s++)
		w->streams[s].len = 0;
}

static int flush_gathered(struct tr_writer *w, struct tr_err *err)
{
	int rc;

	if (!w->gathered)
		return 1;
	rc = begin_ctas(w, err);
	for (int s = 0; s < TR_NSTREAMS && rc > 0; s++)
		rc = tr_out_put(w->out, w->streams[s].p, w->streams[s].len, err);
	end_ctas(w);
	return rc > 0 ? tr_out_end(w->out, err) : rc;
}

/* The anchors of a CTA, each against the same instruction's in the group before. */
static int put_anchors(struct tr_writer *w, const struct tr_recorder *r, struct tr_buf *out)
{
	uint32_t nslots = w->plans[w->launch.program].nslots;
	int rc = 0;

	if (nslots > w->cap_anchor) {
		uint64_t *p = realloc(w->first_anchor, nslots * sizeof(*p));

		if (!p)
			return -1;
		w->first_anchor = p;
		w->cap_anchor = nslots;
	}
	if (nslots)
		memset(w->first_anchor, 0, nslots * sizeof(*w->first_anchor));
	for (uint32_t g = 0; g < r->ngroups; g++)
		for (uint32_t i = 0; i < r->groups[g].e.nanchors; i++) {
			const struct tr_anchor *a = &r->groups[g].e.anchors[i];
			uint64_t *first = &w->first_anchor[a->slot];

			rc |= tr_buf_varint(out, tr_zigzag((int64_t)(a->value - *first)));
			*first = a->value;
		}
	return rc;
}

/* A CTA whose record alone fills a block or more goes out piece by piece. */
static int put_large(struct tr_writer *w, const struct tr_recorder *r, const struct tr_buf *anchors,
	struct tr_err *err)
{
	int rc = begin_ctas(w, err);

	for (int s = 0; s < TR_NSTREAMS && rc > 0; s++) {
		if (s == TR_ST_ANCHOR)
			rc = tr_out_put(w->out, anchors->p, anchors->len, err);
		for (uint32_t g = 0; g < r->ngroups && rc > 0; g++) {
			rc = put_chain(w, &r->groups[g].spilled[s], NULL, err);
			if (rc > 0)
				rc = tr_out_put(w->out, r->groups[g].e.out[s].p,
					r->groups[g].e.out[s].len, err);
		}
	}
	end_ctas(w);
	return rc > 0 ? tr_out_end(w->out, err) : rc;
}

static int gather(struct tr_writer *w, const struct tr_recorder *r, const struct tr_buf *anchors,
	struct tr_err *err)
{
	int rc = 1, oom = tr_buf_put(&w->streams[TR_ST_ANCHOR], anchors->p, anchors->len);

	for (int s = 0; s < TR_NSTREAMS; s++)
		for (uint32_t g = 0; g < r->ngroups && rc > 0; g++) {
			const struct tr_buf *b = &r->groups[g].e.out[s];

			rc = put_chain(w, &r->groups[g].spilled[s], &w->streams[s], err);
			oom |= tr_buf_put(&w->streams[s], b->p, b->len);
		}
	return rc > 0 && oom ? no_memory(err) : rc;
}

static int emit(struct tr_writer *w, struct tr_recorder *r, struct tr_err *err)
{
	uint64_t lens[TR_NSTREAMS] = {0}, all = 0, gathered = w->lens.len;
	struct tr_buf anchors = {0};
	int rc = 1, oom = put_anchors(w, r, &anchors);

	for (int s = 0; s < TR_NSTREAMS; s++) {
		for (uint32_t g = 0; g < r->ngroups; g++)
			lens[s] += r->groups[g].spilled[s].bytes + r->groups[g].e.out[s].len;
		if (s == TR_ST_ANCHOR)
			lens[s] = anchors.len;
		all += lens[s];
		gathered += w->streams[s].len;
	}
	if (w->gathered && gathered + all > TR_BLOCK_RAW_MAX)
		rc = flush_gathered(w, err);
	if (!w->gathered)
		w->first_gathered = r->cta;
	w->gathered++;
	for (int s = 0; s < TR_NSTREAMS; s++)
		oom |= tr_buf_varint(&w->lens, lens[s]);
	oom |= gather_sides(w, r);
	if (rc > 0 && oom)
		rc = no_memory(err);
	if (rc > 0)
		rc = all > TR_BLOCK_RAW_MAX ? put_large(w, r, &anchors, err)
					    : gather(w, r, &anchors, err);
	tr_buf_free(&anchors);
	return rc;
}

int tr_recorder_close(struct tr_recorder *r, struct tr_err *err)
{
	struct tr_writer *w = r->w;
	int rc = 1;

	if (w->broken)
		rc = tr_fail(err, w->broken, 0, "a CTA before this one could not be written");
	for (uint32_t g = 0; g < r->ngroups && rc > 0; g++)
		rc = encode_now(r, &r->groups[g], 1, err);
	if (rc > 0 && encode_sync(r) < 0)
		rc = no_memory(err);
	if (rc < 0) {
		tr_recorder_abandon(r);
		return rc;
	}
	for (uint32_t g = 0; g < r->ngroups; g++) {
		const struct tr_group *done = &r->groups[g].e.g;

		w->totals[TR_T_THREAD_INSTS] += done->thread_insts;
		w->totals[TR_T_OUTCOMES] += done->outcomes;
		w->totals[TR_T_VALUES] += done->values;
	}
	w->totals[TR_T_CTAS]++;
	w->totals[TR_T_THREADS] += r->nthreads;
	w->totals[TR_T_SYNC_READS] += r->nsync;
	give_back(w, r->space);
	r->space = NULL;
	r->ended = 1;
	while (rc > 0 && w->next < w->ctas && w->ring[w->ring_head] &&
		w->ring[w->ring_head]->ended) {
		struct tr_recorder *first = w->ring[w->ring_head];

		rc = emit(w, first, err);
		if (rc < 0) {
			w->broken = rc;
			break;
		}
		w->ring[w->ring_head] = NULL;
		w->ring_head = (w->ring_head + 1) & (w->ring_cap - 1);
		w->next++;
		recorder_free(first);
	}
	return rc;
}

void tr_recorder_abandon(struct tr_recorder *r)
{
	if (!r)
		return;
	*ring_at(r->w, r->cta) = NULL;
	recorder_free(r);
}

int tr_writer_cta(struct tr_writer *w, const struct tr_cta *c, struct tr_err *err)
{
	struct tr_recorder *r;
	int rc = tr_recorder_open(&r, w, c->number, err);

	if (rc < 0)
		return rc;
	if (c->nthreads != r->nthreads) {
		tr_recorder_abandon(r);
		return tr_fail(err, TR_EUSAGE, 0, "CTA %u has %u threads, its launch %u", c->number,
			c->nthreads, tr_launch_threads(&w->launch));
	}
	for (uint32_t t = 0; t < c->nthreads; t++) {
		struct tr_lane_queue *q = &r->groups[t / TR_GROUP].e.q[t % TR_GROUP];
		const struct tr_thread *from = &c->threads[t];

		if (queue_room(q, from->noutcomes, from->nvalues)) {
			tr_recorder_abandon(r);
			return no_memory(err);
		}
		if (from->noutcomes)
			memcpy(q->outcomes, from->outcomes, from->noutcomes);
		if (from->nvalues)
			memcpy(q->values, from->values, from->nvalues * sizeof(*q->values));
		q->noutcomes = from->noutcomes;
		q->nvalues = from->nvalues;
	}
	rc = 1;
	for (uint32_t i = 0; i < c->nsync && rc > 0; i++)
		rc = tr_record_sync(r, &c->sync[i]);
	for (uint32_t i = 0; i < c->nspins && rc > 0; i++)
		rc = tr_record_spin(r, &c->spins[i]);
	if (rc < 0) {
		tr_recorder_abandon(r);
		return no_memory(err);
	}
	return tr_recorder_close(r, err);
}

int tr_writer_launch_end(struct tr_writer *w, struct tr_err *err)
{
	if (!w->in_launch || w->next != w->ctas)
		return tr_fail(err, TR_EUSAGE, 0, "launch %u ends before CTA %llu was recorded",
			w->launch.number, (unsigned long long)w->next);
	w->in_launch = 0;
	free_spare(w);
	w->spill_end = 0; /* nothing waits there any more */
	return flush_gathered(w, err);
}

static void writer_free(struct tr_writer *w)
{
	for (uint64_t i = 0; i < w->ring_cap; i++)
		if (w->ring[i])
			recorder_free(w->ring[i]);
	free_spare(w);
	for (uint32_t i = 0; i < w->nprograms; i++)
		tr_plan_free(&w->plans[i]);
	for (int s = 0; s < TR_NSTREAMS; s++)
		tr_buf_free(&w->streams[s]);
	tr_buf_free(&w->lens);
	tr_buf_free(&w->sync.lens);
	tr_buf_free(&w->sync.entries);
	tr_buf_free(&w->spins.lens);
	tr_buf_free(&w->spins.entries);
	free(w->plans);
	free(w->live);
	tr_family_free(&w->family);
	free(w->ring);
	free(w->first_anchor);
	tr_temp_drop(w->spill);
	free(w);
}

int tr_writer_close(struct tr_writer *w, struct tr_err *err)
{
	int rc = w->in_launch ? tr_fail(err, TR_EUSAGE, 0, "the last launch has not ended") : 1;

	if (rc > 0)
		rc = tr_out_close(w->out, w->totals, err);
	else
		tr_out_abandon(w->out);
	writer_free(w);
	return rc;
}

void tr_writer_abandon(struct tr_writer *w)
{
	if (!w)
		return;
	tr_out_abandon(w->out);
	writer_free(w);
}

const struct tr_err *tr_writer_error(const struct tr_writer *w)
{
	return &w->err;
}

uint64_t tr_writer_thread_insts(const struct tr_writer *w)
{
	return w->totals[TR_T_THREAD_INSTS];
}
