/*
 * The parts of the thread trace that are neither coding nor input and output: a decoded CTA, the
 * walk of one thread, the bytes of a launch.
 */
#include "trace_format.h"

enum tr_space tr_space_of(enum tr_space s, uint64_t value)
{
	if (s != TR_S_GENERIC)
		return s;
	if (value - TR_SHARED_WINDOW < TR_WINDOW_BYTES)
		return TR_S_SHARED;
	if (value - TR_LOCAL_WINDOW < TR_WINDOW_BYTES)
		return TR_S_LOCAL;
	return TR_S_GLOBAL;
}

void tr_cta_init(struct tr_cta *c)
{
	*c = (struct tr_cta){0};
}

void tr_cta_free(struct tr_cta *c)
{
	for (uint32_t i = 0; i < c->cap_threads; i++) {
		free(c->threads[i].outcomes);
		free(c->threads[i].values);
	}
	free(c->threads);
	free(c->sync);
	free(c->spins);
	tr_cta_init(c);
}

/* ---- a thread's walk ---- */

void tr_walk_start(struct tr_walk *w, const struct tr_program *p, const struct tr_thread *t)
{
	*w = (struct tr_walk){.p = p, .t = t, .next = p->ninsts ? 0 : TR_EXIT};
}

int tr_walk_next(struct tr_walk *w)
{
	const struct tr_inst *in;
	uint32_t way = 0;

	if (w->next == TR_EXIT)
		return w->outcome_pos == w->t->noutcomes && w->value_pos == w->t->nvalues
			       ? 0
			       : TR_EDATA;
	w->inst = w->next;
	in = &w->p->insts[w->inst];
	w->guard = 1;
	w->outcome = 0;
	if (in->flags & TR_I_OUTCOME) {
		uint32_t wide = in->nsucc > 256;

		if (w->t->noutcomes - w->outcome_pos < 1 + wide)
			return TR_EDATA;
		w->outcome = w->t->outcomes[w->outcome_pos++];
		if (wide)
			w->outcome |= (uint32_t)w->t->outcomes[w->outcome_pos++] << 8;
		w->guard = in->guard == TR_NONE || w->outcome;
		if (in->nsucc > 1)
			way = w->outcome;
	}
	w->has_value = w->guard && in->flags & TR_I_VALUE;
	if (w->has_value) {
		if (w->value_pos == w->t->nvalues)
			return TR_EDATA;
		w->value = w->t->values[w->value_pos++];
	}
	if (in->nsucc && way >= in->nsucc)
		return TR_EDATA;
	w->next = in->nsucc ? w->p->succ_pool[in->succ + way] : TR_EXIT;
	return 1;
}

/* ---- launches ---- */

void tr_launch_clear(struct tr_launch *l)
{
	for (uint32_t i = 0; i < l->nallocs; i++)
		free(l->allocs[i].name);
	free(l->allocs);
	free(l->copies);
	*l = (struct tr_launch){0};
}

int tr_launch_validate(const struct tr_launch *l, struct tr_err *err)
{
	uint64_t ctas = 1, threads = 1, cluster = 1;

	for (int i = 0; i < 3; i++) {
		if (!l->grid[i] || !l->block[i] || l->block[i] > TR_CTA_THREADS_MAX)
			return tr_fail(err, TR_EDATA, 0,
				"launch %u has an empty or impossible shape", l->number);
		if (ctas <= UINT32_MAX)
			ctas *= l->grid[i];
		threads *= l->block[i];
	}
	if (threads > TR_CTA_THREADS_MAX)
		return tr_fail(err, TR_EDATA, 0,
			"launch %u has %llu threads in a CTA, more than %u", l->number,
			(unsigned long long)threads, TR_CTA_THREADS_MAX);
	if (ctas >= UINT32_MAX)
		return tr_fail(
			err, TR_EDATA, 0, "launch %u has more than 2^32 - 2 CTAs", l->number);
	for (int i = 0; i < 3 && (l->cluster[0] || l->cluster[1] || l->cluster[2]); i++) {
		cluster *= l->cluster[i];
		if (!cluster || cluster > TR_CLUSTER_CTAS_MAX || l->grid[i] % l->cluster[i])
			return tr_fail(err, TR_EDATA, 0,
				"launch %u has clusters of %u,%u,%u CTAs, which do not divide its "
				"grid or are more than %u",
				l->number, l->cluster[0], l->cluster[1], l->cluster[2],
				TR_CLUSTER_CTAS_MAX);
	}
	return 1;
}

/* The fixed part of a launch, in the order of the file. */
#define LAUNCH_FIELDS 17
static void launch_fields(const struct tr_launch *l, uint32_t f[LAUNCH_FIELDS])
{
	const uint32_t all[LAUNCH_FIELDS] = {l->number, l->program, l->position, l->queue, l->after,
		l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
		l->registers, l->shared_bytes, l->local_bytes, l->parent_launch, l->parent_cta,
		l->parent_thread};

	memcpy(f, all, sizeof(all));
}

int tr_launch_write(const struct tr_launch *l, struct tr_buf *out)
{
	uint32_t f[LAUNCH_FIELDS];
	int rc = 0;

	launch_fields(l, f);
	for (int i = 0; i < LAUNCH_FIELDS; i++) /* TR_NONE becomes 0 */
		rc |= tr_buf_varint(out, (uint64_t)(uint32_t)(f[i] + 1));
	rc |= tr_buf_varint(out, l->nallocs);
	for (uint32_t i = 0; i < l->nallocs; i++) {
		size_t len = strlen(l->allocs[i].name);

		rc |= tr_buf_varint(out, len) | tr_buf_put(out, l->allocs[i].name, len);
		rc |= tr_buf_varint(out, l->allocs[i].base);
		rc |= tr_buf_varint(out, l->allocs[i].bytes);
	}
	rc |= tr_buf_varint(out, l->ncopies);
	for (uint32_t i = 0; i < l->ncopies; i++) {
		rc |= tr_buf_varint(out, l->copies[i].base);
		rc |= tr_buf_varint(out, l->copies[i].bytes);
	}
	return rc;
}

static int read_allocs(struct tr_launch *l, struct tr_cur *c)
{
	uint64_t n = tr_cur_varint(c);

	if (n > UINT32_MAX || n > (uint64_t)(c->end - c->p) / 3)
		return TR_EDATA;
	l->allocs = calloc(n + 1, sizeof(*l->allocs));
	if (!l->allocs)
		return TR_EMEM;
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		size_t len = tr_cur_varint(c);
		const uint8_t *name = tr_cur_bytes(c, len);

		if (!name || memchr(name, 0, len))
			return TR_EDATA;
		l->allocs[i].name = malloc(len + 1);
		if (!l->allocs[i].name)
			return TR_EMEM;
		memcpy(l->allocs[i].name, name, len);
		l->allocs[i].name[len] = 0;
		l->nallocs = i + 1;
		l->allocs[i].base = tr_cur_varint(c);
		l->allocs[i].bytes = tr_cur_varint(c);
	}
	return 1;
}

static int read_copies(struct tr_launch *l, struct tr_cur *c)
{
	uint64_t n = tr_cur_varint(c);

	if (n > UINT32_MAX || n > (uint64_t)(c->end - c->p) / 2)
		return TR_EDATA;
	l->copies = calloc(n + 1, sizeof(*l->copies));
	if (!l->copies)
		return TR_EMEM;
	l->ncopies = (uint32_t)n;
	for (uint32_t i = 0; i < n; i++) {
		l->copies[i].base = tr_cur_varint(c);
		l->copies[i].bytes = tr_cur_varint(c);
	}
	return 1;
}

int tr_launch_read(struct tr_launch *l, const uint8_t *data, size_t len, struct tr_err *err)
{
	struct tr_cur c = {data, data + len, 0};
	uint32_t f[LAUNCH_FIELDS];
	int rc;

	*l = (struct tr_launch){0};
	for (int i = 0; i < LAUNCH_FIELDS; i++) {
		uint64_t v = tr_cur_varint(&c);

		c.bad |= v > UINT32_MAX;
		f[i] = (uint32_t)v - 1;
	}
	l->number = f[0];
	l->program = f[1];
	l->position = f[2];
	l->queue = f[3];
	l->after = f[4];
	memcpy(l->grid, f + 5, sizeof(l->grid));
	memcpy(l->block, f + 8, sizeof(l->block));
	l->registers = f[11];
	l->shared_bytes = f[12];
	l->local_bytes = f[13];
	l->parent_launch = f[14];
	l->parent_cta = f[15];
	l->parent_thread = f[16];
	rc = c.bad ? TR_EDATA : read_allocs(l, &c);
	if (rc > 0)
		rc = c.bad ? TR_EDATA : read_copies(l, &c);
	if (rc > 0 && (c.bad || c.p != c.end))
		rc = TR_EDATA;
	if (rc > 0)
		rc = tr_launch_validate(l, err);
	else
		tr_fail(err, rc, 0, rc == TR_EMEM ? "no memory for a launch" : "bad launch record");
	if (rc < 0)
		tr_launch_clear(l);
	return rc;
}

/* ---- children ---- */

int tr_child_write(const struct tr_launch *l, struct tr_buf *out)
{
	return tr_buf_varint(out, l->parent_inst) | tr_buf_varint(out, l->buffer) |
	       tr_buf_varint(out, l->buffer_bytes);
}

int tr_child_read(struct tr_launch *l, const uint8_t *data, size_t len)
{
	struct tr_cur c = {data, data + len, 0};
	const uint64_t inst = tr_cur_varint(&c);

	l->parent_inst = (uint32_t)inst;
	l->buffer = tr_cur_varint(&c);
	l->buffer_bytes = tr_cur_varint(&c);
	return c.bad || c.p != c.end || inst >= TR_NONE ? TR_EDATA : 1;
}

/* ---- clusters ---- */

int tr_cluster_write(const struct tr_launch *l, struct tr_buf *out)
{
	return tr_buf_varint(out, l->cluster[0]) | tr_buf_varint(out, l->cluster[1]) |
	       tr_buf_varint(out, l->cluster[2]);
}

int tr_cluster_read(struct tr_launch *l, const uint8_t *data, size_t len)
{
	struct tr_cur c = {data, data + len, 0};

	for (int i = 0; i < 3; i++) {
		const uint64_t v = tr_cur_varint(&c);

		if (!v || v > TR_CLUSTER_CTAS_MAX)
			return TR_EDATA;
		l->cluster[i] = (uint32_t)v;
	}
	return c.bad || c.p != c.end ? TR_EDATA : 1;
}
