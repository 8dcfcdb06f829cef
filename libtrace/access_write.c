/*
 * Writing an access stream. Accesses wait until their warp instruction is whole, become columns,
 * and go out in records of about one block.
 */
#include "access_format.h"
#include "stream_format.h"
#include "trace_format.h"

#define LEVEL 1 /* zstd's: streams of accesses are mostly on their way to another tool */
#define RECORD_BYTES (TR_BLOCK_RAW_MAX - 8192) /* where a record ends; the rest is for its head */

struct tr_access_writer {
	struct tr_out *out;
	struct tr_access_info info;
	struct tr_writer_program {
		struct tr_fact *facts;
		uint32_t ninsts;
	} * programs;
	uint32_t nprograms;
	uint32_t next_launch;
	struct tr_launch launch; /* lists not kept */
	int in_launch;
	/* The record being gathered. */
	struct tr_model model;
	struct warp_slot {       /* where the model has a warp */
		uint32_t sm, at; /* at: in its SM's list, + 1; 0: an empty slot */
	} * warp_table;
	uint32_t warp_slots;
	struct tr_buf columns[TR_NCOLUMNS];
	uint32_t ninsts, naccesses;
	uint32_t first_cta, last_cta;
	uint64_t warp_insts, thread_insts; /* at its start */
	int mixed_results;
	/* The instruction being gathered. */
	struct tr_access *group;
	uint32_t ngroup;
	uint64_t totals[TR_MAX_TOTALS];
};

static int no_memory(struct tr_err *err)
{
	return tr_fail(err, TR_EMEM, 0, "no memory for the access stream being written");
}

/* A record of one piece; oom: there was no memory to make it. Frees b. */
static int whole_record(struct tr_access_writer *w, int type, uint64_t key, struct tr_buf *b,
	int oom, struct tr_err *err)
{
	const unsigned flags = type == TR_REC_OPERANDS ? TR_RECF_OPTIONAL : 0;
	int rc = oom ? no_memory(err) : tr_out_begin(w->out, type, flags, key, 1, err);

	if (rc > 0)
		rc = tr_out_put(w->out, b->p, b->len, err);
	if (rc > 0)
		rc = tr_out_end(w->out, err);
	tr_buf_free(b);
	return rc;
}

static void writer_free(struct tr_access_writer *w)
{
	for (uint32_t i = 0; i < w->nprograms; i++)
		free(w->programs[i].facts);
	for (int c = 0; c < TR_NCOLUMNS; c++)
		tr_buf_free(&w->columns[c]);
	tr_model_free(&w->model);
	free(w->warp_table);
	free(w->programs);
	free(w->group);
	free(w);
}

void tr_access_writer_abandon(struct tr_access_writer *w)
{
	if (!w)
		return;
	tr_out_abandon(w->out);
	writer_free(w);
}

int tr_access_writer_open(struct tr_access_writer **out, FILE *f, const struct tr_access_info *info,
	const struct tr_writer_options *opt, struct tr_err *err)
{
	static const struct tr_writer_options none;
	struct tr_access_writer *w;
	struct tr_buf b = {0};
	struct tr_err why;
	int rc;

	*out = NULL;
	if (!opt)
		opt = &none;
	if (tr_access_info_check(info, &why) < 0)
		return tr_fail(err, TR_EUSAGE, 0, "%s", why.msg);
	w = calloc(1, sizeof(*w));
	if (!w)
		return no_memory(err);
	w->info = *info;
	w->group = malloc(TR_ACCESS_GROUP_MAX * sizeof(*w->group));
	if (!w->group) {
		writer_free(w);
		return no_memory(err);
	}
	tr_model_init(&w->model, tr_lanes_of(info));
	rc = tr_out_open(&w->out, f, TR_KIND_ACCESSES, opt->provenance,
		opt->level ? opt->level : LEVEL, err);
	if (rc < 0) {
		writer_free(w);
		return rc;
	}
	rc = whole_record(w, TR_REC_ACCESS_INFO, 0, &b, tr_access_info_write(info, &b), err);
	if (rc < 0) {
		tr_access_writer_abandon(w);
		return rc;
	}
	*out = w;
	return 1;
}

/* ---- records ---- */

static int flush_record(struct tr_access_writer *w, struct tr_err *err)
{
	const uint64_t key = (uint64_t)w->launch.number << 32 | w->first_cta;
	struct tr_buf head = {0};
	static const uint8_t tail[TR_ACCESS_TAIL];
	int rc, oom = 0;

	if (!w->ninsts)
		return 1;
	oom |= tr_buf_varint(&head, w->ninsts) | tr_buf_varint(&head, w->naccesses);
	oom |= tr_buf_varint(&head, w->warp_insts) | tr_buf_varint(&head, w->thread_insts);
	/* One result for all stands in the head. */
	oom |= tr_buf_u8(&head, w->mixed_results ? UINT8_MAX : w->columns[TR_COL_RESULT].p[0]);
	if (!w->mixed_results)
		w->columns[TR_COL_RESULT].len = 0;
	for (int c = TR_COL_LOST; c < TR_NCOLUMNS; c++)
		oom |= tr_buf_varint(&head, w->columns[c].len);
	rc = oom ? no_memory(err)
		 : tr_out_begin(
			   w->out, TR_REC_ACCESSES, 0, key, w->last_cta - w->first_cta + 1, err);
	if (rc > 0)
		rc = tr_out_put(w->out, head.p, head.len, err);
	for (int c = 0; c < TR_NCOLUMNS && rc > 0; c++)
		rc = tr_out_put(w->out, w->columns[c].p, w->columns[c].len, err);
	if (rc > 0)
		rc = tr_out_put(w->out, tail, sizeof(tail), err);
	if (rc > 0)
		rc = tr_out_end(w->out, err);
	tr_buf_free(&head);
	for (int c = 0; c < TR_NCOLUMNS; c++)
		w->columns[c].len = 0;
	w->ninsts = w->naccesses = 0;
	return rc;
}

static int start_record(struct tr_access_writer *w, struct tr_err *err)
{
	const struct tr_writer_program *p = &w->programs[w->launch.program];

	if (tr_model_start(&w->model, p->facts, p->ninsts))
		return no_memory(err);
	w->model.warp_insts = w->warp_insts = w->group[0].warp_insts;
	w->model.thread_insts = w->thread_insts = w->group[0].thread_insts;
	w->first_cta = w->last_cta = w->group[0].cta;
	w->mixed_results = 0;
	if (w->warp_slots)
		memset(w->warp_table, 0, w->warp_slots * sizeof(*w->warp_table));
	return 1;
}

/* ---- an instruction ---- */

static struct warp_slot *warp_place(
	const struct tr_access_writer *w, uint32_t sm, uint32_t cta, uint32_t warp)
{
	uint32_t h = (sm * 2654435761u ^ cta * 2246822519u ^ warp * 3266489917u) >> 7;

	for (;; h++) {
		struct warp_slot *slot = &w->warp_table[h & (w->warp_slots - 1)];
		const struct tr_warp_state *known;

		if (!slot->at)
			return slot;
		known = &w->model.sms[slot->sm].warps[slot->at - 1];
		if (slot->sm == sm && known->cta == cta && known->warp == warp)
			return slot;
	}
}

static int grow_warp_table(struct tr_access_writer *w)
{
	const uint32_t slots = w->warp_slots ? 2 * w->warp_slots : 4096;
	struct warp_slot *p = calloc(slots, sizeof(*p));

	if (!p)
		return -1;
	free(w->warp_table);
	w->warp_table = p;
	w->warp_slots = slots;
	for (uint32_t sm = 0; sm < w->model.nsms; sm++)
		for (uint32_t i = 0; i < w->model.sms[sm].n; i++) {
			const struct tr_warp_state *k = &w->model.sms[sm].warps[i];

			*warp_place(w, sm, k->cta, k->warp) = (struct warp_slot){sm, i + 1};
		}
	return 0;
}

/* What is written is what can be read: the reason against it, or NULL. */
static const char *misfit(const struct tr_access_writer *w, const struct tr_access *a)
{
	const struct tr_writer_program *p = &w->programs[w->launch.program];
	const struct tr_access_info *info = &w->info;
	const unsigned words = w->model.words;

	if (a->inst >= p->ninsts || a->loop != p->facts[a->inst].loop ||
		(a->loop == TR_NONE && a->trip))
		return "an instruction or loop that its program does not have";
	if (a->cta >= tr_launch_ctas(&w->launch) || a->warp >= tr_warps_of(info, &w->launch) ||
		a->sm >= tr_sms_of(info))
		return "a CTA, warp or SM that its launch does not have";
	if (a->line & (info->line_bytes - 1) || a->bytes > info->line_bytes ||
		a->sectors & ~tr_low_bits(tr_sector_bits(info->line_bytes)))
		return "bytes that are not in its line";
	for (unsigned k = 0; k < TR_LANES_MAX / 64; k++)
		if (a->lanes[k] & ~(k < words ? tr_low_lanes(w->model.warp_size, k) : 0))
			return "lanes that its warp does not have";
	if (a->space >= TR_NSPACES || a->op > TR_A_ATOMIC || a->result > TR_A_BYPASS)
		return "an unknown space, operation or result";
	return NULL;
}

/* All that the accesses of one instruction share. */
static int same_instruction(const struct tr_access *a, const struct tr_access *b)
{
	return a->sm == b->sm && a->cta == b->cta && a->warp == b->warp && a->inst == b->inst &&
	       a->trip == b->trip && a->op == b->op && a->active == b->active &&
	       a->warp_insts == b->warp_insts && a->thread_insts == b->thread_insts;
}

static uint8_t *put(struct tr_access_writer *w, enum tr_column c, size_t n)
{
	struct tr_buf *b = &w->columns[c];
	uint8_t *p = b->p + b->len;

	b->len += n;
	return p;
}

static void param(struct tr_access_writer *w, uint64_t v)
{
	struct tr_buf *b = &w->columns[TR_COL_PARAM];

	b->len = (size_t)(tr_varint_write(b->p + b->len, v) - b->p);
}

static void put_mask(struct tr_access_writer *w, const uint64_t *mask)
{
	const size_t n = (w->model.warp_size + 7) / 8;
	uint8_t *p = put(w, TR_COL_MASK, n);

	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(mask[i / 8] >> 8 * (i % 8));
}

/* The longest that an instruction of n accesses can get, in every column alike. */
static int make_room(struct tr_access_writer *w, uint32_t n)
{
	const size_t most = (size_t)(n + 1) * (TR_LANES_MAX / 8) + 12 * TR_VARINT_MAX;

	for (int c = 0; c < TR_NCOLUMNS; c++)
		if (tr_buf_room(&w->columns[c], most))
			return -1;
	return 0;
}

static void put_sm(struct tr_access_writer *w, uint32_t sm)
{
	struct tr_model *m = &w->model;
	const uint32_t step = sm >= m->sm ? sm - m->sm : sm + tr_sms_of(&w->info) - m->sm;

	*put(w, TR_COL_SM, 1) = (uint8_t)(step < TR_SM_FAR ? step : TR_SM_FAR);
	if (step >= TR_SM_FAR)
		param(w, sm);
	m->sm = sm;
}

/* The warp, as its distance in the list of its SM; it may be a new one. */
static struct tr_warp_state *put_warp(struct tr_access_writer *w, const struct tr_access *a)
{
	struct tr_model *m = &w->model;
	struct tr_sm_state *sm;
	struct warp_slot *slot;
	uint32_t at, step;

	if ((2 * m->nwarps >= w->warp_slots && grow_warp_table(w)) || tr_model_add_sm(m, a->sm))
		return NULL;
	put_sm(w, a->sm);
	sm = &m->sms[a->sm];
	slot = warp_place(w, a->sm, a->cta, a->warp);
	if (!slot->at) {
		*put(w, TR_COL_WARP, 1) = TR_WARP_NEW;
		param(w, a->cta);
		param(w, a->warp);
		if (tr_model_add_warp(m, a->sm, a->cta, a->warp))
			return NULL;
		*slot = (struct warp_slot){a->sm, sm->n};
		w->first_cta = a->cta < w->first_cta ? a->cta : w->first_cta;
		w->last_cta = a->cta > w->last_cta ? a->cta : w->last_cta;
		at = sm->n - 1;
	} else {
		at = slot->at - 1;
		step = at >= sm->last ? at - sm->last : at + sm->n - sm->last;
		*put(w, TR_COL_WARP, 1) = (uint8_t)(step < TR_WARP_NEW ? step : TR_WARP_FAR);
		if (step >= TR_WARP_NEW)
			param(w, at);
	}
	sm->last = at;
	return &sm->warps[at];
}

static void put_inst(struct tr_access_writer *w, struct tr_warp_state *s, const struct tr_access *a,
	unsigned *head)
{
	struct tr_model *m = &w->model;
	const uint32_t base = tr_trip_base(m, s, a->inst);

	if (tr_predict_inst(m, s) != a->inst) {
		*head |= TR_AH_INST;
		param(w, a->inst);
	}
	if (tr_predict_trip(m, s, a->inst, base) != a->trip) {
		*head |= TR_AH_TRIP;
		param(w, a->trip);
	}
	tr_follow(m, s, a->inst, base, a->trip);
}

static void put_counts(struct tr_access_writer *w, const struct tr_access *a, unsigned *head)
{
	struct tr_model *m = &w->model;
	const uint64_t step = a->warp_insts - m->warp_insts;
	const uint64_t lost = step * m->warp_size - (a->thread_insts - m->thread_insts);

	*put(w, TR_COL_STEP, 1) = (uint8_t)(step < TR_STEP_FAR ? step : TR_STEP_FAR);
	if (step >= TR_STEP_FAR)
		param(w, tr_zigzag((int64_t)step));
	if (lost) {
		*head |= TR_AH_LOST;
		tr_le_put(put(w, TR_COL_LOST, 2), 2, lost < TR_LOST_FAR ? lost : TR_LOST_FAR);
		if (lost >= TR_LOST_FAR)
			param(w, tr_zigzag((int64_t)lost));
	}
	m->warp_insts = a->warp_insts;
	m->thread_insts = a->thread_insts;
}

/* The lanes of an access, given those that no access before it took. */
static inline unsigned put_lanes(struct tr_access_writer *w, const uint64_t *lanes,
	const uint64_t *left, unsigned count, unsigned words)
{
	const unsigned low = tr_lowest_lane(lanes, words);
	unsigned span = 0, kind = 0;
	uint64_t would[TR_LANES_MAX / 64];

	if (count > 1) {
		if (!memcmp(lanes, left, words * sizeof(*lanes)))
			span = TR_SPAN_REST;
		else
			for (unsigned k = words; !span && k--;)
				if (lanes[k])
					span = 64 * k + 63 - (unsigned)__builtin_clzll(lanes[k]) -
					       low;
	}
	tr_span_lanes(would, left, span, words);
	if (memcmp(would, lanes, words * sizeof(*lanes))) {
		kind = TR_AK_LANES;
		span = 0;
		put_mask(w, lanes);
	}
	*put(w, TR_COL_SPAN, 1) = (uint8_t)span;
	return kind;
}

static unsigned put_line(struct tr_access_writer *w, uint64_t number, uint64_t predicted)
{
	const uint64_t z = tr_zigzag((int64_t)(number - predicted));
	unsigned code = 0;

	while (code < 7 && z > tr_low_bits(8u * tr_line_sizes[code]))
		code++;
	tr_le_put(w->columns[TR_COL_LINE].p + w->columns[TR_COL_LINE].len, 8, z);
	w->columns[TR_COL_LINE].len += tr_line_sizes[code];
	return code;
}

static inline __attribute__((always_inline)) int encode_group(
	struct tr_access_writer *w, const unsigned words)
{
	const unsigned shift = (unsigned)__builtin_ctz(w->info.line_bytes);
	const unsigned sector_bytes = tr_sector_bytes(w->info.line_bytes);
	const struct tr_access *a = w->group;
	struct tr_model *m = &w->model;
	uint64_t left[TR_LANES_MAX / 64] = {0};
	struct tr_warp_state *warp;
	struct tr_inst_state *s;
	uint64_t *mask;
	uint32_t *context;
	unsigned head = 0;

	if (make_room(w, w->ngroup))
		return -1;
	warp = put_warp(w, a);
	if (!warp)
		return -1;
	put_inst(w, warp, a, &head);
	put_counts(w, a, &head);
	s = &m->insts[a->inst];
	if (s->fact.op != a->op || s->fact.space != a->space) {
		head |= TR_AH_OP;
		param(w, a->op);
		param(w, a->space);
		s->fact.op = a->op;
		s->fact.space = a->space;
	}
	for (uint32_t i = 0; i < w->ngroup; i++)
		for (unsigned k = 0; k < words; k++)
			left[k] |= a[i].lanes[k];
	mask = m->masks + (size_t)warp->id * words;
	if (memcmp(mask, left, words * sizeof(*mask))) {
		head |= TR_AH_MASK;
		put_mask(w, left);
		memcpy(mask, left, words * sizeof(*mask));
	}
	if (a->active + 1u != tr_count_lanes(mask, words)) {
		head |= TR_AH_ACTIVE;
		param(w, a->active);
	}
	*put(w, TR_COL_HEAD, 1) = (uint8_t)head;

	context = tr_context(m, warp->id, a->inst);
	for (const struct tr_access *end = a + w->ngroup; a < end; a++) {
		const unsigned count = tr_count_lanes(a->lanes, words);
		const unsigned each = s->fact.bytes;
		uint32_t *near = &context[tr_lowest_lane(a->lanes, words) % TR_CONTEXT_LANES];
		const uint64_t number = a->line >> shift;
		unsigned kind = a + 1 < end ? TR_AK_MORE : 0;

		kind |= put_lanes(w, a->lanes, left, count, words);
		for (unsigned k = 0; k < words; k++)
			left[k] &= ~a->lanes[k];
		if (a->bytes != tr_predict_bytes(s->fixed, count, each)) {
			kind |= TR_AK_BYTES;
			param(w, a->bytes);
			s->fixed = a->bytes == count * each ? 0 : a->bytes;
		}
		if (a->space != s->fact.space) {
			kind |= TR_AK_SPACE;
			param(w, a->space);
		}
		kind |= put_line(w, number, tr_predict_line(*near, s->last));
		*near = (uint32_t)number;
		s->last = number;
		*put(w, TR_COL_KIND, 1) = (uint8_t)kind;
		tr_le_put(put(w, TR_COL_SECTORS, sector_bytes), sector_bytes, a->sectors);
		*put(w, TR_COL_RESULT, 1) = a->result;
		w->mixed_results |= a->result != w->columns[TR_COL_RESULT].p[0];
	}
	return 0;
}

/* Encodes the instruction at hand, if there is one, and ends the record where it has grown full. */
static int end_group(struct tr_access_writer *w, struct tr_err *err)
{
	size_t len = 0;
	int rc = 1;

	if (!w->ngroup)
		return 1;
	if (!w->ninsts)
		rc = start_record(w, err);
	if (rc < 0)
		return rc;
	if (w->model.words == 1 ? encode_group(w, 1) : encode_group(w, TR_LANES_MAX / 64))
		return no_memory(err);
	w->ninsts++;
	w->naccesses += w->ngroup;
	w->totals[TR_AT_ACCESSES] += w->ngroup;
	w->totals[TR_AT_MEM_INSTS]++;
	w->ngroup = 0;
	for (int c = 0; c < TR_NCOLUMNS; c++)
		len += w->columns[c].len;
	return len < RECORD_BYTES ? 1 : flush_record(w, err);
}

int tr_access_write(struct tr_access_writer *w, const struct tr_access *a, struct tr_err *err)
{
	const char *why = w->in_launch ? misfit(w, a) : "no launch";
	int rc = 1;

	if (why)
		return tr_fail(err, TR_EUSAGE, 0, "an access with %s", why);
	if (a->first)
		rc = end_group(w, err);
	else if (!w->ngroup || w->ngroup == TR_ACCESS_GROUP_MAX || !same_instruction(w->group, a))
		return tr_fail(err, TR_EUSAGE, 0, "an access that is none of its instruction");
	if (rc > 0)
		w->group[w->ngroup++] = *a;
	return rc;
}

static int end_launch(struct tr_access_writer *w, struct tr_err *err)
{
	const int rc = end_group(w, err);

	return rc > 0 ? flush_record(w, err) : rc;
}

int64_t tr_access_writer_program(
	struct tr_access_writer *w, const struct tr_program *p, struct tr_err *err)
{
	struct tr_writer_program *grown;
	struct tr_buf b = {0};
	int rc = tr_program_validate(p, err);

	if (rc > 0)
		rc = end_launch(w, err);
	if (rc < 0)
		return rc;
	grown = realloc(w->programs, (w->nprograms + (size_t)1) * sizeof(*grown));
	if (!grown)
		return no_memory(err);
	w->programs = grown;
	/* Readers that know nothing of these stop there. */
	if (tr_program_launches(p))
		rc = whole_record(w, TR_REC_DEVICE, w->nprograms, &b, 0, err);
	if (rc > 0 && tr_program_is_async(p))
		rc = whole_record(w, TR_REC_ASYNC, w->nprograms, &b, 0, err);
	if (rc < 0)
		return rc;
	rc = whole_record(w, TR_REC_PROGRAM, w->nprograms, &b, tr_program_write(p, &b) < 0, err);
	if (rc > 0 && p->operands)
		rc = whole_record(w, TR_REC_OPERANDS, w->nprograms, &b,
			tr_program_write_operands(p, &b) < 0, err);
	if (rc < 0)
		return rc;
	grown[w->nprograms] = (struct tr_writer_program){tr_facts_make(p), p->ninsts};
	if (!grown[w->nprograms].facts)
		return no_memory(err);
	w->totals[TR_AT_PROGRAMS]++;
	return w->nprograms++;
}

int tr_access_writer_launch(struct tr_access_writer *w, struct tr_launch *l, struct tr_err *err)
{
	struct tr_buf b = {0};
	int rc;

	if (l->program >= w->nprograms)
		return tr_fail(err, TR_EUSAGE, 0, "launch of a program that was not written");
	rc = end_launch(w, err);
	if (rc < 0)
		return rc;
	if (l->number < w->next_launch)
		l->number = w->next_launch;
	rc = tr_launch_validate(l, err);
	if (rc > 0)
		rc = whole_record(w, TR_REC_LAUNCH, (uint64_t)l->number << 32, &b,
			tr_launch_write(l, &b), err);
	if (rc < 0)
		return rc;
	w->launch = *l;
	w->launch.allocs = NULL;
	w->launch.copies = NULL;
	w->next_launch = l->number + 1;
	w->in_launch = 1;
	w->totals[TR_AT_LAUNCHES]++;
	return 1;
}

int tr_access_writer_close(
	struct tr_access_writer *w, uint64_t warp_insts, uint64_t thread_insts, struct tr_err *err)
{
	int rc = end_launch(w, err);

	w->totals[TR_AT_WARP_INSTS] = warp_insts;
	w->totals[TR_AT_THREAD_INSTS] = thread_insts;
	if (rc > 0)
		rc = tr_out_close(w->out, w->totals, err);
	else
		tr_out_abandon(w->out);
	writer_free(w);
	return rc;
}
