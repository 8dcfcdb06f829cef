/*
 * Reading an access stream, in order of the stream or a part of it: a pipe is read through, a
 * seekable file goes to the wanted records by its index.
 */
#include "access_format.h"
#include "stream_format.h"
#include "trace_format.h"
#include <endian.h>

#define BATCH 256 /* accesses from which on a batch is handed out */
#define ROOM (BATCH + TR_ACCESS_GROUP_MAX)

/* Where the hot columns are read next: instruction i, access k. */
struct hot {
	const uint8_t *head, *step, *sm, *warp;        /* at i */
	const uint8_t *kind, *span, *sectors, *result; /* at k, sectors at k * sector_bytes */
	const uint8_t *lost, *line;
	const uint8_t *lost_end, *line_end, *kind_end;
	unsigned sector_bytes;
};

struct tr_access_reader {
	struct tr_in *in;
	struct tr_part part;
	struct tr_access_info info;
	int by_index; /* records are taken by the index, not one after the other */
	const struct tr_index_entry *entries;
	size_t nentries, entry;

	struct known_program {
		struct tr_program *p;
		struct tr_fact *facts;
	} * programs;
	uint32_t nprograms;

	struct tr_launch launch;
	uint32_t nlaunches;
	int announced; /* the current launch was handed out, or is not wanted */

	/* The record at hand. */
	struct columns {
		struct hot hot;
		const uint8_t *mask, *mask_end;
		struct tr_cur param;
		uint32_t left;  /* instructions not yet decoded */
		uint8_t result; /* of all accesses, or UINT8_MAX where there is a column of it */
	} columns;
	uint32_t first_cta, nctas; /* those that it says it has */
	uint64_t record_offset;
	struct tr_model model;

	struct tr_access *batch;
	struct tr_err failure; /* of the last call: it stays */
	int handed;            /* a launch with a CTA of the part */
	uint64_t accesses, insts;
	uint64_t offered; /* accesses of the records so far */
};

static int no_memory(struct tr_err *err)
{
	return tr_fail(err, TR_EMEM, 0, "no memory for the access stream being read");
}

static int bad_record(uint64_t offset, struct tr_err *err, const char *why)
{
	return tr_fail(err, TR_EDATA, offset, "bad record at byte %llu: %s",
		(unsigned long long)offset, why);
}

void tr_access_reader_close(struct tr_access_reader *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->nprograms; i++) {
		tr_program_free(r->programs[i].p);
		free(r->programs[i].facts);
	}
	free(r->programs);
	tr_launch_clear(&r->launch);
	tr_model_free(&r->model);
	tr_in_close(r->in);
	free(r->batch);
	free(r);
}

static int is_all(const struct tr_part *p)
{
	return !p->launch_first && p->launch_last == UINT32_MAX && !p->cta_first &&
	       p->cta_last == UINT32_MAX;
}

/* The sentence of a library call below, with the place of the record around it. */
static int pass_on(const struct tr_record *rec, const struct tr_err *why, struct tr_err *err)
{
	return why->code == TR_EDATA ? bad_record(rec->offset, err, why->msg)
				     : tr_fail(err, why->code, 0, "%s", why->msg);
}

/* The first record: how the stream was made. */
static int take_info(struct tr_access_reader *r, struct tr_err *err)
{
	struct tr_record rec;
	struct tr_err why;
	int rc = tr_in_next(r->in, &rec, err);

	if (rc < 0)
		return rc;
	if (!rc || rec.type != TR_REC_ACCESS_INFO || rec.flags || rec.key || rec.n != 1)
		return tr_fail(err, TR_EDATA, rc ? rec.offset : 0,
			"the stream does not begin with how its accesses were made");
	if (tr_access_info_read(&r->info, rec.data, rec.len, &why) < 0)
		return pass_on(&rec, &why, err);
	tr_model_init(&r->model, tr_lanes_of(&r->info));
	return 1;
}

int tr_access_reader_start(struct tr_access_reader **out, struct tr_in *in,
	const struct tr_part *part, struct tr_err *err)
{
	struct tr_access_reader *r = calloc(1, sizeof(*r));
	int rc;

	*out = NULL;
	if (!r) {
		tr_in_close(in);
		return no_memory(err);
	}
	r->in = in;
	r->part = part ? *part : (struct tr_part)TR_PART_ALL;
	r->announced = 1;
	r->batch = calloc(ROOM, sizeof(*r->batch));
	rc = r->batch ? 1 : no_memory(err);
	if (rc > 0 && tr_in_kind(in) != TR_KIND_ACCESSES)
		rc = tr_fail(err, TR_EKIND, 0, "this is a thread trace, not an access stream");
	if (rc > 0)
		rc = take_info(r, err);
	if (rc > 0 && !is_all(&r->part)) {
		rc = tr_in_index(r->in, &r->entries, &r->nentries, err);
		r->by_index = rc > 0;
		r->entry = 1; /* after the first record */
		rc = rc < 0 ? rc : 1;
	}
	if (rc < 0) {
		tr_access_reader_close(r);
		return rc;
	}
	*out = r;
	return 1;
}

int tr_access_reader_open(
	struct tr_access_reader **out, FILE *f, const struct tr_part *part, struct tr_err *err)
{
	struct tr_in *in;
	const int rc = tr_in_open(&in, f, err);

	*out = NULL;
	return rc < 0 ? rc : tr_access_reader_start(out, in, part, err);
}

/* ---- records ---- */

static int take_program(struct tr_access_reader *r, const struct tr_record *rec, struct tr_err *err)
{
	struct known_program *k;
	struct tr_err why;

	if (rec->key != r->nprograms || rec->n != 1)
		return bad_record(rec->offset, err, "a program out of order");
	k = realloc(r->programs, (r->nprograms + (size_t)1) * sizeof(*k));
	if (!k)
		return no_memory(err);
	r->programs = k;
	k += r->nprograms;
	if (tr_program_read(&k->p, rec->data, rec->len, &why) < 0)
		return pass_on(rec, &why, err);
	k->facts = tr_facts_make(k->p);
	if (!k->facts) {
		tr_program_free(k->p);
		return no_memory(err);
	}
	r->nprograms++;
	return 1;
}

static int take_launch(struct tr_access_reader *r, const struct tr_record *rec, struct tr_err *err)
{
	struct tr_launch l;
	struct tr_err why;

	if (tr_launch_read(&l, rec->data, rec->len, &why) < 0)
		return pass_on(rec, &why, err);
	if (l.program >= r->nprograms || rec->n != 1 || rec->key != (uint64_t)l.number << 32 ||
		(r->nlaunches && l.number <= r->launch.number)) {
		tr_launch_clear(&l);
		return bad_record(rec->offset, err, "a launch out of order");
	}
	tr_launch_clear(&r->launch);
	r->launch = l;
	r->nlaunches++;
	r->announced = l.number < r->part.launch_first || l.number > r->part.launch_last;
	return 1;
}

/* Does a record with such CTAs have to do with the part? */
static int wanted_accesses(const struct tr_access_reader *r, uint64_t key, uint32_t n)
{
	const uint32_t launch = (uint32_t)(key >> 32), first = (uint32_t)key;

	return launch >= r->part.launch_first && launch <= r->part.launch_last &&
	       first <= r->part.cta_last && (uint64_t)first + n > r->part.cta_first;
}

/* Cuts the record into its columns. */
static int take_accesses(
	struct tr_access_reader *r, const struct tr_record *rec, struct tr_err *err)
{
	const uint64_t ctas = tr_launch_ctas(&r->launch);
	struct tr_cur c = {rec->data, rec->data + rec->len, 0};
	struct known_program *k;
	uint64_t len[TR_NCOLUMNS], insts, accesses;
	const uint8_t *at[TR_NCOLUMNS];
	struct columns *col = &r->columns;

	if (!r->nlaunches || rec->key >> 32 != r->launch.number)
		return bad_record(rec->offset, err, "accesses of another launch");
	if (!rec->n || (uint32_t)rec->key >= ctas || rec->n > ctas - (uint32_t)rec->key)
		return bad_record(
			rec->offset, err, "accesses of CTAs that its launch does not have");
	if (!wanted_accesses(r, rec->key, rec->n))
		return 1;
	insts = tr_cur_varint(&c);
	accesses = tr_cur_varint(&c);
	if (c.bad || !insts || insts > accesses || accesses > rec->len || accesses > UINT32_MAX)
		return bad_record(rec->offset, err, "more accesses than it can hold");
	r->offered += accesses;
	if (r->part.max_insts && r->offered > r->part.max_insts)
		return tr_fail(err, TR_EDATA, rec->offset,
			"more than %llu accesses, the most allowed: byte %llu",
			(unsigned long long)r->part.max_insts, (unsigned long long)rec->offset);
	r->model.warp_insts = tr_cur_varint(&c);
	r->model.thread_insts = tr_cur_varint(&c);
	col->result = tr_cur_u8(&c);
	if (col->result > TR_A_BYPASS && col->result != UINT8_MAX)
		return bad_record(rec->offset, err, "an unknown result");
	len[TR_COL_HEAD] = len[TR_COL_STEP] = len[TR_COL_SM] = len[TR_COL_WARP] = insts;
	len[TR_COL_KIND] = len[TR_COL_SPAN] = accesses;
	len[TR_COL_SECTORS] = accesses * tr_sector_bytes(r->info.line_bytes);
	len[TR_COL_RESULT] = col->result == UINT8_MAX ? accesses : 0;
	for (int i = TR_COL_LOST; i < TR_NCOLUMNS; i++)
		len[i] = tr_cur_varint(&c);
	for (int i = 0; i < TR_NCOLUMNS; i++) {
		at[i] = tr_cur_bytes(&c, len[i]);
		if (!at[i])
			return bad_record(rec->offset, err, "columns longer than their record");
	}
	if (c.bad || c.end - c.p != TR_ACCESS_TAIL || tr_le_get(c.p, TR_ACCESS_TAIL))
		return bad_record(rec->offset, err, "other than zeros after its columns");
	col->hot = (struct hot){
		.head = at[TR_COL_HEAD],
		.step = at[TR_COL_STEP],
		.sm = at[TR_COL_SM],
		.warp = at[TR_COL_WARP],
		.kind = at[TR_COL_KIND],
		.kind_end = at[TR_COL_KIND] + accesses,
		.span = at[TR_COL_SPAN],
		.sectors = at[TR_COL_SECTORS],
		.sector_bytes = tr_sector_bytes(r->info.line_bytes),
		.result = at[TR_COL_RESULT],
		.lost = at[TR_COL_LOST],
		.lost_end = at[TR_COL_LOST] + len[TR_COL_LOST],
		.line = at[TR_COL_LINE],
		.line_end = at[TR_COL_LINE] + len[TR_COL_LINE],
	};
	col->mask = at[TR_COL_MASK];
	col->mask_end = col->mask + len[TR_COL_MASK];
	col->param = (struct tr_cur){at[TR_COL_PARAM], at[TR_COL_PARAM] + len[TR_COL_PARAM], 0};
	col->left = (uint32_t)insts;
	r->first_cta = (uint32_t)rec->key;
	r->nctas = rec->n;
	r->record_offset = rec->offset;
	k = &r->programs[r->launch.program];
	return tr_model_start(&r->model, k->facts, k->p->ninsts) ? no_memory(err) : 1;
}

/* Of the program that was read last. */
static int take_operands(
	struct tr_access_reader *r, const struct tr_record *rec, struct tr_err *err)
{
	struct tr_err why;

	if (!(rec->flags & TR_RECF_OPTIONAL) || rec->n != 1 || !r->nprograms ||
		rec->key != r->nprograms - 1)
		return bad_record(rec->offset, err, "operands with a bad head");
	if (tr_program_read_operands(r->programs[rec->key].p, rec->data, rec->len, &why) < 0)
		return pass_on(rec, &why, err);
	return 1;
}

static int take_record(struct tr_access_reader *r, const struct tr_record *rec, struct tr_err *err)
{
	if (rec->flags & TR_RECF_OPTIONAL && rec->type == TR_REC_CONTROL)
		return 1; /* nothing of an access stream depends on it */
	if (rec->flags && rec->type != TR_REC_OPERANDS)
		return bad_record(rec->offset, err, "it must not be optional");
	switch (rec->type) {
	case TR_REC_PROGRAM:
		return take_program(r, rec, err);
	case TR_REC_OPERANDS:
		return take_operands(r, rec, err);
	case TR_REC_DEVICE:
	case TR_REC_ASYNC:
		return rec->n == 1 && !rec->len && rec->key == r->nprograms
			       ? 1
			       : bad_record(rec->offset, err,
					 "a mark of a program with a bad head or content");
	case TR_REC_LAUNCH:
		return take_launch(r, rec, err);
	case TR_REC_ACCESSES:
		return take_accesses(r, rec, err);
	default:
		return bad_record(rec->offset, err, "it has no place in an access stream");
	}
}

/* The next record: 1, 0 at the end of the stream or of its wanted part, TR_E*. */
static int next_record(struct tr_access_reader *r, struct tr_record *rec, struct tr_err *err)
{
	if (!r->by_index)
		return tr_in_next(r->in, rec, err);
	while (r->entry < r->nentries) {
		const struct tr_index_entry *e = &r->entries[r->entry++];

		if (e->type != TR_REC_ACCESSES || wanted_accesses(r, e->key, e->n)) {
			const int rc = tr_in_seek(r->in, e, err);

			return rc > 0 ? tr_in_next(r->in, rec, err) : rc;
		}
	}
	return 0;
}

/* At the end: what was read must be what the end block counts. */
static int check_end(const struct tr_access_reader *r, struct tr_err *err)
{
	const uint64_t *t = tr_in_totals(r->in);

	if (t[TR_AT_PROGRAMS] != r->nprograms || t[TR_AT_LAUNCHES] != r->nlaunches ||
		(is_all(&r->part) &&
			(t[TR_AT_ACCESSES] != r->accesses || t[TR_AT_MEM_INSTS] != r->insts)))
		return tr_fail(
			err, TR_EDATA, 0, "the totals at the end are not those of the stream");
	if (!is_all(&r->part) && !r->handed)
		return tr_fail(err, TR_EUSAGE, 0,
			"no CTA of the stream's %u launches is in the part asked for",
			r->nlaunches);
	return TR_A_END;
}

/* ---- decoding ---- */

/* By the code of a line's size: its bytes of eight. */
static const uint64_t line_masks[8] = {
	0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, UINT64_MAX};

static inline uint64_t load(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static inline uint32_t param(struct columns *c, uint64_t end)
{
	const uint64_t v = tr_cur_varint(&c->param);

	c->param.bad |= v >= end;
	return v < end ? (uint32_t)v : 0;
}

static int take_mask(struct tr_access_reader *r, uint64_t *mask, const unsigned words)
{
	struct columns *c = &r->columns;
	const unsigned bytes = (r->model.warp_size + 7) / 8;
	int bad = 0;

	if ((size_t)(c->mask_end - c->mask) < bytes)
		return -1;
	for (unsigned k = 0; k < words; k++) {
		const unsigned rest = 8 * k < bytes ? bytes - 8 * k : 0;

		mask[k] = rest ? load(c->mask + 8 * k) & tr_low_bits(8 * (rest < 8 ? rest : 8)) : 0;
		bad |= !!(mask[k] & ~tr_low_lanes(r->model.warp_size, k));
	}
	c->mask += bytes;
	return -bad;
}

/* A warp that appears for the first time. */
static int take_new_warp(struct tr_access_reader *r)
{
	struct tr_model *m = &r->model;
	struct columns *c = &r->columns;
	const uint32_t cta = param(c, tr_launch_ctas(&r->launch));
	const uint32_t number = param(c, tr_warps_of(&r->info, &r->launch));

	if (c->param.bad || cta - r->first_cta >= r->nctas)
		return -1;
	m->sms[m->sm].last = m->sms[m->sm].n;
	return tr_model_add_warp(m, m->sm, cta, number);
}

/* The warp of the next instruction, or NULL where the record is bad. */
static inline __attribute__((always_inline)) struct tr_warp_state *take_warp(
	struct tr_access_reader *r, unsigned sm_step, unsigned warp_step)
{
	struct tr_model *m = &r->model;
	const uint32_t sms = tr_sms_of(&r->info);
	uint32_t at = m->sm + sm_step, last;
	struct tr_sm_state *sm;

	at -= at >= sms ? sms : 0;
	if (sm_step == TR_SM_FAR)
		at = param(&r->columns, sms);
	if (at >= m->nsms && (at >= sms || tr_model_add_sm(m, at)))
		return NULL;
	m->sm = at;
	sm = &m->sms[at];
	last = sm->last + warp_step;
	last -= last >= sm->n ? sm->n : 0;
	if (warp_step >= TR_WARP_NEW) {
		last = warp_step == TR_WARP_FAR ? param(&r->columns, sm->n) : sm->n;
		if (warp_step == TR_WARP_NEW && take_new_warp(r))
			return NULL;
	}
	sm->last = last;
	return last < sm->n ? &sm->warps[last] : NULL;
}

static int wants(const struct tr_access_reader *r, uint32_t cta)
{
	return cta >= r->part.cta_first && cta <= r->part.cta_last;
}

/*
 * The accesses of the next instruction, at a: how many, or 0 where the record is bad. Every field
 * is stored on its own: a copy of a whole access, just written field by field, would wait for that.
 */
static inline __attribute__((always_inline)) unsigned decode_group(
	struct tr_access_reader *r, struct hot *h, struct tr_access *a, const unsigned words)
{
	const unsigned shift = (unsigned)__builtin_ctz(r->info.line_bytes);
	const unsigned sector_bytes = h->sector_bytes;
	const uint32_t sectors_mask = (uint32_t)tr_low_bits(8 * sector_bytes);
	const uint32_t no_sectors = (uint32_t)~tr_low_bits(tr_sector_bits(r->info.line_bytes));
	struct columns *c = &r->columns;
	struct tr_model *m = &r->model;
	const unsigned head = *h->head++, step_byte = *h->step++;
	struct tr_warp_state *w = take_warp(r, *h->sm++, *h->warp++);
	uint64_t step = step_byte, lost = 0, *mask, last, left[TR_LANES_MAX / 64];
	struct tr_inst_state *s;
	uint32_t inst, base, trip, *context;
	unsigned n, active;

	if (!w)
		return 0;
	inst = head & TR_AH_INST ? param(c, m->ninsts) : tr_predict_inst(m, w);
	s = &m->insts[inst];
	base = tr_trip_base(m, w, inst);
	trip = tr_predict_trip(m, w, inst, base);
	if (head & TR_AH_TRIP)
		trip = param(c, s->fact.depth ? 1ull << 32 : 0);
	tr_follow(m, w, inst, base, trip);
	if (step_byte == TR_STEP_FAR)
		step = (uint64_t)tr_unzigzag(tr_cur_varint(&c->param));
	if (head & TR_AH_LOST) {
		lost = load(h->lost) & 0xffff;
		h->lost += 2;
		if (lost == TR_LOST_FAR)
			lost = (uint64_t)tr_unzigzag(tr_cur_varint(&c->param));
	}
	m->warp_insts += step;
	m->thread_insts += step * m->warp_size - lost;
	if (head & TR_AH_OP) {
		s->fact.op = (uint8_t)param(c, TR_A_ATOMIC + 1);
		s->fact.space = (uint8_t)param(c, TR_NSPACES);
	}
	mask = m->masks + (size_t)w->id * words;
	if (head & TR_AH_MASK && take_mask(r, mask, words))
		return 0;
	active = tr_count_lanes(mask, words) - 1;
	if (head & TR_AH_ACTIVE)
		active = param(c, TR_LANES_MAX);
	if (head & TR_AH_RESERVED || h->lost > h->lost_end)
		return 0;

	context = tr_context(m, w->id, inst);
	last = s->last;
	for (unsigned k = 0; k < words; k++)
		left[k] = mask[k];
	for (n = 0;; a++) {
		const unsigned kind = *h->kind, span = *h->span;
		uint32_t *near, sectors;
		uint64_t number, lanes[TR_LANES_MAX / 64];
		unsigned count, bytes, space = s->fact.space, result = c->result;

		if (h->kind == h->kind_end || n == TR_ACCESS_GROUP_MAX || kind & TR_AK_RESERVED ||
			h->line > h->line_end)
			return 0;
		h->kind++;
		h->span++;
		tr_span_lanes(lanes, left, span, words);
		if (kind & TR_AK_LANES && take_mask(r, lanes, words))
			return 0;
		count = tr_count_lanes(lanes, words);
		bytes = tr_predict_bytes(s->fixed, count, s->fact.bytes);
		if (kind & TR_AK_BYTES) {
			bytes = param(c, r->info.line_bytes + 1);
			s->fixed = (uint16_t)(bytes == count * s->fact.bytes ? 0 : bytes);
		}
		if (kind & TR_AK_SPACE)
			space = param(c, TR_NSPACES);
		sectors = (uint32_t)load(h->sectors) & sectors_mask;
		h->sectors += sector_bytes;
		if (result == UINT8_MAX)
			result = *h->result++;
		near = &context[tr_lowest_lane(lanes, words) % TR_CONTEXT_LANES];
		number = tr_predict_line(*near, last) +
			 (uint64_t)tr_unzigzag(load(h->line) & line_masks[kind & TR_AK_SIZE]);
		h->line += tr_line_sizes[kind & TR_AK_SIZE];
		*near = (uint32_t)number;
		last = number;
		if (number << shift >> shift != number || sectors & no_sectors ||
			result > TR_A_BYPASS || bytes > r->info.line_bytes)
			return 0;
		a->line = number << shift;
		for (unsigned k = 0; k < words; k++) {
			a->lanes[k] = lanes[k];
			left[k] &= ~lanes[k];
		}
		a->warp_insts = m->warp_insts;
		a->thread_insts = m->thread_insts;
		a->sm = m->sm;
		a->cta = w->cta;
		a->warp = w->warp;
		a->inst = inst;
		a->loop = s->fact.loop;
		a->trip = trip;
		a->sectors = sectors;
		a->bytes = (uint16_t)bytes;
		a->space = (uint8_t)space;
		a->op = s->fact.op;
		a->result = (uint8_t)result;
		a->first = !n++;
		a->active = (uint8_t)active;
		if (!(kind & TR_AK_MORE))
			break;
	}
	s->last = last;
	return n;
}

/* A batch of the record at hand; all of it may be unwanted. 1, or 0 where the record is bad. */
static inline __attribute__((always_inline)) int decode_batch(
	struct tr_access_reader *r, size_t *n, const unsigned words)
{
	struct hot h = r->columns.hot;
	uint32_t left = r->columns.left;
	size_t have = 0;

	while (left && have < BATCH) {
		const unsigned group = decode_group(r, &h, r->batch + have, words);

		if (!group)
			return 0;
		left--;
		r->insts++;
		r->accesses += group;
		if (wants(r, r->batch[have].cta))
			have += group;
	}
	r->columns.hot = h;
	r->columns.left = left;
	*n = have;
	return 1;
}

static int decode_narrow(struct tr_access_reader *r, size_t *n)
{
	return decode_batch(r, n, 1);
}

static int decode_wide(struct tr_access_reader *r, size_t *n)
{
	return decode_batch(r, n, TR_LANES_MAX / 64);
}

/* After the last instruction no byte may be left over. */
static int used_up(const struct columns *c)
{
	const struct hot *h = &c->hot;

	return c->param.p == c->param.end && c->mask == c->mask_end && h->kind == h->kind_end &&
	       h->lost == h->lost_end && h->line == h->line_end;
}

static int next(
	struct tr_access_reader *r, const struct tr_access **batch, size_t *n, struct tr_err *err)
{
	for (;;) {
		struct tr_record rec;
		int rc;

		if (!r->announced) {
			r->announced = 1;
			r->handed |= r->part.cta_first < tr_launch_ctas(&r->launch);
			return TR_A_LAUNCH;
		}
		if (r->columns.left) {
			rc = r->model.words == 1 ? decode_narrow(r, n) : decode_wide(r, n);
			if (!rc || r->columns.param.bad ||
				(!r->columns.left && !used_up(&r->columns)))
				return bad_record(r->record_offset, err,
					"its accesses do not fit their columns");
			if (!*n)
				continue;
			*batch = r->batch;
			return TR_A_BATCH;
		}
		if (r->nlaunches && r->launch.number > r->part.launch_last && r->handed)
			return TR_A_END; /* a pipe need not be read further */
		rc = next_record(r, &rec, err);
		if (rc == 0)
			return check_end(r, err);
		if (rc > 0)
			rc = take_record(r, &rec, err);
		if (rc < 0)
			return rc;
	}
}

int tr_access_reader_next(
	struct tr_access_reader *r, const struct tr_access **batch, size_t *n, struct tr_err *err)
{
	int rc = r->failure.code;

	if (!rc)
		rc = next(r, batch, n, &r->failure);
	if (rc < 0 && err)
		*err = r->failure;
	return rc;
}

const struct tr_access_info *tr_access_reader_info(const struct tr_access_reader *r)
{
	return &r->info;
}

const struct tr_launch *tr_access_reader_launch(const struct tr_access_reader *r)
{
	return &r->launch;
}

const struct tr_program *tr_access_reader_program(const struct tr_access_reader *r)
{
	return r->programs[r->launch.program].p;
}

const char *tr_access_reader_provenance(const struct tr_access_reader *r)
{
	return tr_in_provenance(r->in);
}

const uint64_t *tr_access_reader_totals(const struct tr_access_reader *r)
{
	return tr_in_totals(r->in);
}
