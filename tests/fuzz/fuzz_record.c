/*
 * Sound streams with one thing in them changed, sealed again: what is tried lies beyond every
 * checksum, in what records mean. The mutator takes a stream apart into its records, changes a byte
 * or a number of one, an instruction of a program or the records' order, and puts a stream
 * together. Whatever comes of it is read, walked, summed up, coalesced, put through caches, and
 * replayed for a while: refused with a sentence, or done.
 */
#include "must.h"
#include "libtrace/access.h"
#include "libtrace/stream_format.h"
#include "machine.h"
#include "sim/access/locality.h"
#include "sim/access/replace.h"
#include "sim/access/requests.h"
#include "sim/access/summary.h"

/* ---- bounds: from here on an input is large, which is not what is looked for ---- */

#define STEPS_MAX 200000 /* instructions of all threads */
#define CTAS_MAX 64
#define LINES_MAX (1u << 16) /* of a cache that a stream asks for */
#define CYCLES_MAX 100000

/* ---- a stream as its records ---- */

#define RECORDS_MAX 64

struct piece {
	int type;
	unsigned flags;
	uint64_t key;
	uint32_t n;
	struct tr_buf data;
};

struct pieces {
	enum tr_kind kind;
	struct piece piece[RECORDS_MAX];
	uint32_t n;
	uint64_t totals[TR_MAX_TOTALS];
};

static void pieces_free(struct pieces *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		tr_buf_free(&s->piece[i].data);
	s->n = 0;
}

/* 1, or 0 where these bytes are no stream. */
static int take_apart(struct pieces *s, const uint8_t *data, size_t size)
{
	FILE *f = size ? fmemopen((void *)(uintptr_t)data, size, "rb") : NULL;
	struct tr_record rec;
	struct tr_err err;
	struct tr_in *in;
	int rc = 0;

	s->n = 0;
	if (f && tr_in_open(&in, f, &err) > 0) {
		s->kind = tr_in_kind(in);
		while (s->n < RECORDS_MAX && (rc = tr_in_next(in, &rec, &err)) > 0) {
			struct piece *p = &s->piece[s->n++];

			*p = (struct piece){rec.type, rec.flags, rec.key, rec.n, {0}};
			tr_buf_put(&p->data, rec.data, rec.len);
		}
		rc = rc == 0 && s->n;
		if (rc)
			memcpy(s->totals, tr_in_totals(in), sizeof(s->totals));
		tr_in_close(in);
	}
	if (f)
		fclose(f);
	if (!rc)
		pieces_free(s);
	return rc;
}

/* The length of the stream, or 0 where it has no room in `max` bytes. */
static size_t put_together(const struct pieces *s, uint8_t *data, size_t max)
{
	struct tr_out *o;
	struct tr_err err;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_true(f && tr_out_open(&o, f, s->kind, NULL, 1, &err) == 1);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct piece *p = &s->piece[i];

		assert_true(tr_out_begin(o, p->type, p->flags & TR_RECF_OPTIONAL, p->key, p->n,
				    &err) == 1 &&
			    tr_out_put(o, p->data.p, p->data.len, &err) == 1 &&
			    tr_out_end(o, &err) == 1);
	}
	assert_int_equal(tr_out_close(o, s->totals, &err), 1);
	fclose(f);
	if (len <= max)
		memcpy(data, text, len);
	free(text);
	return len <= max ? len : 0;
}

/* ---- changes ---- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
	uint8_t *out, size_t max, unsigned seed);

static uint64_t odd_number(uint64_t *rng, uint64_t now)
{
	static const uint64_t ends[] = {0, 1, 2, 31, 32, 33, 255, 256, 1024, 65535, 65536,
		INT32_MAX, UINT32_MAX - 2, UINT32_MAX - 1, UINT32_MAX, 1ull << 32, INT64_MAX,
		UINT64_MAX};

	switch (dice(rng, 4)) {
	case 0:
		return ends[dice(rng, sizeof(ends) / sizeof(*ends))];
	case 1:
		return now + 1 + dice(rng, 4);
	case 2:
		return now - 1 - dice(rng, 4);
	default:
		return now ^ 1ull << dice(rng, 33);
	}
}

/* As the record's numbers stand one after the other: one of the first few, or any. */
static void change_varint(struct tr_buf *b, uint64_t *rng)
{
	const uint32_t which = dice(rng, dice(rng, 2) ? 24 : 512);
	struct tr_buf out = {0};
	struct tr_cur c;
	const uint8_t *at = b->p;
	uint64_t v = 0;

	if (!b->len)
		return;
	c = (struct tr_cur){b->p, b->p + b->len, 0};
	for (uint32_t i = 0; i <= which && c.p < c.end && !c.bad; i++) {
		at = c.p;
		v = tr_cur_varint(&c);
	}
	if (c.bad)
		return;
	tr_buf_put(&out, b->p, (size_t)(at - b->p));
	tr_buf_varint(&out, odd_number(rng, v));
	tr_buf_put(&out, c.p, (size_t)(c.end - c.p));
	tr_buf_free(b);
	*b = out;
}

static void change_bytes(struct tr_buf *b)
{
	const size_t room = b->len + 16;

	if (tr_buf_room(b, 16))
		return;
	b->len = LLVMFuzzerMutate(b->p, b->len, room);
}

/* An instruction of the program becomes another; what threads recorded mostly still fits it. */
static void change_program(struct tr_buf *b, uint64_t *rng)
{
	struct tr_program *p;
	struct tr_buf out = {0};
	struct tr_inst *in;
	struct tr_err err;

	if (tr_program_read(&p, b->p, b->len, &err) < 0)
		return;
	for (uint32_t n = 1 + dice(rng, 3); n; n--) {
		in = &p->insts[dice(rng, p->ninsts)];
		switch (dice(rng, 9)) {
		case 0:
			in->cls = (uint8_t)dice(rng, TR_NCLASSES);
			break;
		case 1:
			in->space = (uint8_t)dice(rng, TR_NSPACES);
			break;
		case 2:
			in->bytes = in->bytes ? (uint8_t)(1u << dice(rng, 5)) : 0;
			break;
		case 3:
			in->vec = in->vec ? (uint8_t)(1u << dice(rng, 3)) : 0;
			break;
		case 4:
			in->flags ^= 1u << dice(rng, 11);
			break;
		case 5:
			in->disp = (int64_t)odd_number(rng, (uint64_t)in->disp);
			break;
		case 6:
			in->aux = (uint32_t)odd_number(rng, in->aux);
			break;
		case 7:
			in->ndst = in->ndst ? in->ndst - 1 : 0;
			break;
		default:
			if (in->nsucc)
				p->succ_pool[in->succ + dice(rng, in->nsucc)] =
					dice(rng, p->ninsts);
		}
	}
	if (!dice(rng, 4) || tr_program_analyze(p, &err) > 0)
		if (tr_program_write(p, &out) > 0) {
			tr_buf_free(b);
			*b = out;
		}
	tr_program_free(p);
}

static void change_order(struct pieces *s, uint64_t *rng)
{
	const uint32_t a = dice(rng, s->n), b = dice(rng, s->n);
	const struct piece moved = s->piece[a];

	switch (dice(rng, 3)) {
	case 0:
		s->piece[a] = s->piece[b];
		s->piece[b] = moved;
		break;
	case 1:
		if (s->n < RECORDS_MAX) {
			s->piece[s->n] = moved;
			s->piece[s->n].data = (struct tr_buf){0};
			tr_buf_put(&s->piece[s->n++].data, moved.data.p, moved.data.len);
		}
		break;
	default:
		if (s->n > 1) {
			tr_buf_free(&s->piece[a].data);
			memmove(&s->piece[a], &s->piece[a + 1], (--s->n - a) * sizeof(s->piece[0]));
		}
	}
}

static void change(struct pieces *s, uint64_t *rng)
{
	struct piece *p = &s->piece[dice(rng, s->n)];

	switch (dice(rng, 12)) {
	case 0:
		change_order(s, rng);
		break;
	case 1:
		p->key = odd_number(rng, p->key);
		break;
	case 2:
		p->n = (uint32_t)odd_number(rng, p->n);
		break;
	case 3:
		s->totals[dice(rng, TR_MAX_TOTALS)] ^= 1ull << dice(rng, 20);
		break;
	case 4:
	case 5:
	case 6:
		change_varint(&p->data, rng);
		break;
	case 7:
	case 8:
		change_bytes(&p->data);
		break;
	default:
		for (uint32_t i = 0; i < s->n; i++)
			if (s->piece[i].type == TR_REC_PROGRAM)
				p = &s->piece[i];
		if (p->type == TR_REC_PROGRAM)
			change_program(&p->data, rng);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static struct pieces s;
	uint64_t rng = seed;
	size_t len;

	if (!take_apart(&s, data, size))
		return LLVMFuzzerMutate(data, size, max);
	for (uint32_t n = 1 + dice(&rng, 2); n; n--)
		change(&s, &rng);
	len = put_together(&s, data, max);
	pieces_free(&s);
	return len ? len : size;
}

/* A record of the other stream in the place of one of the same type. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
	uint8_t *out, size_t max, unsigned seed)
{
	static struct pieces s, other;
	uint64_t rng = seed;
	size_t len = 0;

	if (take_apart(&s, a, na) && take_apart(&other, b, nb)) {
		struct piece *p = &s.piece[dice(&rng, s.n)];
		const struct piece *q = &other.piece[dice(&rng, other.n)];

		if (p->type == q->type) {
			p->data.len = 0;
			tr_buf_put(&p->data, q->data.p, q->data.len);
		}
		len = put_together(&s, out, max);
	}
	pieces_free(&s);
	pieces_free(&other);
	return len;
}

/* ---- thread traces ---- */

static void refused(int rc, const struct tr_err *err)
{
	if (rc < 0)
		assert_true(err->code == rc && *err->msg);
}

struct survey { /* of a stream, before anything takes long */
	uint64_t steps;
	int sound, small;
};

static int walk_all(const struct tr_program *p, const struct tr_cta *c, struct survey *s)
{
	for (uint32_t i = 0; i < c->nthreads; i++) {
		struct tr_walk w;
		int rc;

		tr_walk_start(&w, p, &c->threads[i]);
		while ((rc = tr_walk_next(&w)) > 0 && s->steps < STEPS_MAX)
			s->steps++;
		assert_true(rc >= 0); /* what was decoded fits its program */
	}
	return s->steps < STEPS_MAX;
}

static struct survey look(FILE *f)
{
	struct survey s = {.small = 1};
	struct an_summary *sum = NULL;
	struct tr_reader *r;
	struct tr_err err = {0};
	uint32_t ctas = 0;
	struct tr_cta c;
	int rc = tr_reader_open(&r, f, NULL, &err);

	refused(rc, &err);
	if (rc < 0)
		return s;
	tr_cta_init(&c);
	while (s.small && (rc = tr_reader_next(r, &err)) > 0) {
		const struct tr_program *p = tr_reader_program(r);

		if (rc == TR_LAUNCH) {
			const struct tr_launch *l = tr_reader_launch(r);

			assert_true(tr_launch_threads(l) <= TR_CTA_THREADS_MAX);
			an_summary_free(sum);
			sum = an_summary_new(p);
			continue;
		}
		rc = tr_reader_cta(r, &c, &err);
		if (rc < 0)
			break;
		s.small = ++ctas < CTAS_MAX && walk_all(p, &c, &s);
		if (s.small)
			refused(an_summary_cta(sum, &c, &err), &err);
	}
	refused(rc, &err);
	s.sound = rc == 0;
	an_summary_free(sum);
	tr_cta_free(&c);
	tr_reader_close(r);
	return s;
}

struct coalescing {
	struct tr_reader *r;
	const struct tr_program *p;
	struct sim_coalescer rule;
	uint32_t warp_size;
	int event;
};

static int next_cta(void *arg, struct tr_cta *c, struct tr_err *err)
{
	struct coalescing *s = arg;
	int rc;

	if (s->event != TR_CTA)
		return 0;
	rc = tr_reader_cta(s->r, c, err);
	if (rc > 0)
		s->event = tr_reader_next(s->r, err);
	return rc > 0 && s->event < 0 ? s->event : rc;
}

static int make_requests(void *arg, const struct sim_warp_access *w, struct tr_err *err)
{
	static struct sim_requests requests;
	const struct coalescing *s = arg;

	(void)err;
	sim_requests_make(&requests, &s->rule, s->warp_size, &s->p->insts[w->inst], w);
	assert_true(requests.n <= SIM_REQUESTS_MAX);
	for (unsigned i = 0; i < requests.n; i++)
		assert_true(requests.access[i].bytes <= s->rule.line_bytes);
	return 1;
}

static void coalesce(FILE *f, uint64_t *rng)
{
	struct coalescing s = {.warp_size = 1u << dice(rng, 7)};
	const struct sim_warps_options opt = {
		s.warp_size, (enum sim_order)dice(rng, 3), {2, 8, 1024, 65536, 65536, 0}};
	const struct sim_warps_link link = {&s, next_cta, make_requests};
	struct sim_warps *warps;
	struct tr_err err = {0};
	int rc;

	s.rule.rule = (enum sim_rule)dice(rng, SIM_SECTOR32 + 1);
	s.rule.line_bytes = 32u << dice(rng, 6);
	rewind(f);
	assert_int_equal(tr_reader_open(&s.r, f, NULL, &err), 1);
	assert_int_equal(sim_warps_new(&warps, &opt, &err), 1);
	rc = s.event = tr_reader_next(s.r, &err);
	while (rc > 0 && s.event == TR_LAUNCH) {
		const struct tr_launch l = *tr_reader_launch(s.r);

		s.p = tr_reader_program(s.r);
		rc = s.event = tr_reader_next(s.r, &err);
		if (rc >= 0)
			rc = sim_warps_launch(warps, s.p, &l, &link, &err);
	}
	refused(rc, &err);
	sim_warps_free(warps);
	tr_reader_close(s.r);
}

static int stop(void *arg, const struct sim_sample *s)
{
	(void)arg;
	return s->cycle < CYCLES_MAX ? 1 : TR_EIO;
}

static int ignore(
	void *arg, const struct tr_launch *l, const struct tr_program *p, const struct sim_stats *s)
{
	(void)arg;
	(void)l;
	(void)p;
	(void)s;
	return 1;
}

static void replay(FILE *f, uint64_t *rng)
{
	struct tr_reader *r;
	struct sim_shape shape;
	struct sim_replay opt;
	struct sim_result res;
	struct tr_err err = {0};
	char what[600];
	int rc;

	machine_make(&opt, dice(rng, machine_combinations()), rng, what, sizeof(what));
	if (sim_warp_policy_shape(opt.warp, &opt.config, opt.warp_params, &shape, &err) < 0 ||
		shape.wants_lcp)
		return; /* a machine that cannot be; fuzz_replay makes profiles */
	opt.sample_cycles = 1024;
	opt.sample = stop;
	opt.launched = ignore;
	rewind(f);
	assert_int_equal(tr_reader_open(&r, f, NULL, &err), 1);
	rc = sim_replay(r, &opt, &res, &err);
	if (rc == TR_EDATA && strstr(err.msg, "does not add up"))
		fail_msg("%s: %s", what, err.msg);
	sim_stats_free(&res.total);
	tr_reader_close(r);
}

static void try_threads(FILE *f, uint64_t *rng)
{
	const struct survey s = look(f);

	if (!s.sound || !s.small)
		return;
	coalesce(f, rng);
	replay(f, rng);
}

/* ---- access streams ---- */

static void try_accesses(FILE *f, uint64_t *rng)
{
	const struct an_replace_options opt = {
		.by = (enum an_split)dice(rng, AN_BY_CLASS + 1), .flush = 1, .warp_size = 32};
	struct an_counts counts = {.absent = 0};
	struct tr_access_reader *r;
	const struct tr_access *batch;
	struct an_locality *locality = NULL;
	struct an_replace *replace = NULL;
	struct tr_err err = {0};
	struct sim_geometry g;
	size_t n;
	int rc = tr_access_reader_open(&r, f, NULL, &err), told = 1;

	refused(rc, &err);
	if (rc < 0)
		return;
	{
		const struct tr_access_info *i = tr_access_reader_info(r);
		const struct an_locality_options o = {
			{1u << dice(rng, 6), 1 + dice(rng, 8), i->line_bytes, dice(rng, 3)},
			i->warp_size, TR_W_EVICT, 1, 0};

		g = o.cache;
		if (i->sets && i->ways && (uint64_t)i->sets * i->ways < LINES_MAX &&
			!(i->sets & (i->sets - 1)))
			g = (struct sim_geometry){i->sets, i->ways, i->line_bytes, i->index};
		assert_int_equal(an_locality_new(&locality, &o, &err), 1);
	}
	assert_int_equal(an_replace_new(&replace, &opt, &err), 1);
	for (enum an_policy p = 0; p < AN_NPOLICIES; p++)
		told &= an_replace_add(replace, p, &g, 0, &err) >= 0;
	assert_true(told);
	while ((rc = tr_access_reader_next(r, &batch, &n, &err)) > 0) {
		const struct tr_launch *l = tr_access_reader_launch(r);

		if (rc == TR_A_LAUNCH) {
			an_locality_launch(locality, l->number, tr_launch_threads(l),
				tr_access_reader_program(r));
			rc = an_replace_launch(replace, l, tr_access_reader_program(r), &err);
		} else {
			assert_true(n && n <= TR_A_BATCH_MAX);
			for (size_t i = 0; i < n && rc > 0; i++)
				rc = an_locality_access(locality, &batch[i], &counts, &err);
			if (rc > 0)
				rc = an_replace_run(replace, batch, n, &err);
		}
		if (rc < 0)
			break;
	}
	refused(rc, &err);
	if (rc == 0)
		assert_int_equal(an_replace_end(replace, &err), 1);
	an_locality_free(locality);
	an_replace_free(replace);
	tr_access_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *f = size ? fmemopen((void *)(uintptr_t)data, size, "rb") : NULL;
	uint64_t rng = XXH3_64bits(data, size);
	struct tr_err err;
	struct tr_in *in;

	if (!f)
		return 0;
	if (tr_in_open(&in, f, &err) > 0) {
		const enum tr_kind kind = tr_in_kind(in);

		tr_in_close(in);
		rewind(f);
		if (kind == TR_KIND_THREADS)
			try_threads(f, &rng);
		else
			try_accesses(f, &rng);
	}
	fclose(f);
	return 0;
}
