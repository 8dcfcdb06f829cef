/*
 * Reading a thread trace: events in order of the stream, or of a part of it, or from any CTA on.
 * A pipe is read through; a seekable file goes to the wanted records by its index.
 */
#include "codec.h"
#include "family.h"
#include "trace_format.h"

/* What stands in a record of its own before a program that has it, in this order. */
enum mark { MARK_DEVICE = 1, MARK_ASYNC = 2 };

struct tr_reader {
	struct tr_in *in;
	struct tr_part part;
	int by_index; /* records are taken by the index, not one after the other */
	int lost;     /* a seek failed half-way */
	const struct tr_index_entry *entries;
	size_t nentries, entry;

	struct known_program {
		struct tr_program *p;
		struct tr_plan plan;
		uint32_t ninsts; /* of p, which may be no more than its name (forget_program) */
		int marks;       /* what it has that readers may not know: enum mark */
	} * programs;
	uint32_t nprograms;

	struct tr_launch launch;
	uint32_t nlaunches; /* the number that the next one has */
	int announced;      /* the current launch was handed out, or none is wanted */
	uint64_t ctas_seen; /* of the current launch: the next CTA that a record begins with */
	uint64_t launch_bytes;
	uint64_t stated_key; /* of the STATED record that the next record must follow; */
	int stated;          /* 0: none */
	int marks;           /* records that stand before the next program: enum mark */
	int is_child;        /* or a CHILD record; */
	uint64_t child_key;
	struct tr_launch child; /* with what that says */
	int is_cluster;         /* a CLUSTER record stands before the next one, */
	uint64_t cluster_key;
	uint32_t cluster[3]; /* with this shape */
	struct tr_family family;

	/* The CTAS record at hand. */
	const uint8_t *streams; /* after the table */
	uint64_t *ends;         /* of CTA i, stream s: end in its stream, at TR_NSTREAMS i + s */
	size_t cap_ends;
	uint32_t first, n, at; /* at: the next one to hand out; the current is at - 1 */
	int counted;           /* the current one has been decoded before */
	int checking;          /* CTAs are not handed out, and none of them is kept */
	uint64_t nvalues[TR_CTA_THREADS_MAX]; /* by thread of a CTA that is checked */
	uint64_t record_offset;
	uint64_t start[TR_NSTREAMS];

	/* The SYNC and SPINS records before it. */
	struct side {
		const char *what;
		struct tr_buf b;
		uint64_t key;
		uint32_t n; /* 0: none stands before the next CTAS record */
		struct side_list {
			uint64_t n, end; /* entries of CTA i; where they end in b */
		} * lists;
		uint32_t nlists, cap; /* nlists: 0 where the CTAS record has none */
		size_t start;         /* after the table */
	} sync, spins;

	struct tr_slot *slots;
	uint64_t *first_anchor;
	uint32_t cap_slots;

	uint64_t seen[TR_MAX_TOTALS], decoded; /* totals of what was read, CTAs decoded */
	uint64_t handed;                       /* CTA events */
	/* Thread instructions, with a true guard or not: of all CTAs, of those before the current.
	 */
	uint64_t executed, executed_before;
};

static int no_memory(struct tr_err *err)
{
	return tr_fail(err, TR_EMEM, 0, "no memory for the trace being read");
}

static int bad_record(const struct tr_record *rec, struct tr_err *err, const char *why)
{
	return tr_fail(err, TR_EDATA, rec->offset, "bad record at byte %llu: %s",
		(unsigned long long)rec->offset, why);
}

void tr_reader_close(struct tr_reader *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->nprograms; i++) {
		tr_program_free(r->programs[i].p);
		tr_plan_free(&r->programs[i].plan);
	}
	free(r->programs);
	tr_launch_clear(&r->launch);
	tr_family_free(&r->family);
	tr_buf_free(&r->sync.b);
	free(r->sync.lists);
	tr_buf_free(&r->spins.b);
	free(r->spins.lists);
	free(r->ends);
	free(r->slots);
	free(r->first_anchor);
	tr_in_close(r->in);
	free(r);
}

static int is_all(const struct tr_part *p)
{
	return !p->launch_first && p->launch_last == UINT32_MAX && !p->cta_first &&
	       p->cta_last == UINT32_MAX;
}

int tr_reader_start(
	struct tr_reader **out, struct tr_in *in, const struct tr_part *part, struct tr_err *err)
{
	struct tr_reader *r = calloc(1, sizeof(*r));
	int rc = 1;

	*out = NULL;
	if (!r) {
		tr_in_close(in);
		return no_memory(err);
	}
	r->in = in;
	r->sync.what = "warp-synchronous reads";
	r->spins.what = "rounds without progress";
	r->part = part ? *part : (struct tr_part)TR_PART_ALL;
	r->announced = 1;
	if (tr_in_kind(in) != TR_KIND_THREADS)
		rc = tr_fail(err, TR_EKIND, 0, "this is an access stream, not a thread trace");
	if (rc > 0 && !is_all(&r->part)) {
		rc = tr_in_index(r->in, &r->entries, &r->nentries, err);
		if (rc > 0)
			r->by_index = 1;
		rc = rc < 0 ? rc : 1;
	}
	if (rc < 0) {
		tr_reader_close(r);
		return rc;
	}
	*out = r;
	return 1;
}

int tr_reader_open(struct tr_reader **out, FILE *f, const struct tr_part *part, struct tr_err *err)
{
	struct tr_in *in;
	const int rc = tr_in_open(&in, f, err);

	*out = NULL;
	return rc < 0 ? rc : tr_reader_start(out, in, part, err);
}

/* ---- records ---- */

/*
 * While a stream is only checked, no more is asked of a program than its plan, and its parameters;
 * of one that launches, the instructions too.
 */
static void forget_program(struct known_program *k)
{
	struct tr_program *head = k->marks & MARK_DEVICE ? NULL : tr_program_new("");

	if (!head)
		return;
	head->param_bytes = k->p->param_bytes;
	tr_program_free(k->p);
	k->p = head;
}

static int take_program(struct tr_reader *r, const struct tr_record *rec, struct tr_err *err)
{
	struct known_program *grown, *k;
	struct tr_err why;
	int rc;

	if (rec->key != r->nprograms)
		return bad_record(rec, err, "a program out of order");
	if (r->checking && r->nprograms)
		forget_program(&r->programs[r->nprograms - 1]);
	grown = realloc(r->programs, (r->nprograms + (size_t)1) * sizeof(*grown));
	if (!grown)
		return no_memory(err);
	r->programs = grown;
	k = &grown[r->nprograms];
	*k = (struct known_program){0};
	rc = tr_program_read(&k->p, rec->data, rec->len, &why);
	if (rc < 0)
		return rc == TR_EDATA ? bad_record(rec, err, why.msg)
				      : tr_fail(err, rc, 0, "%s", why.msg);
	rc = tr_plan_make(&k->plan, k->p, err);
	if (rc < 0) {
		tr_program_free(k->p);
		return rc;
	}
	k->ninsts = k->p->ninsts;
	k->marks = (tr_program_launches(k->p) ? MARK_DEVICE : 0) |
		   (tr_program_is_async(k->p) ? MARK_ASYNC : 0);
	r->nprograms++;
	if (k->marks != r->marks)
		return bad_record(rec, err,
			(k->marks ^ r->marks) & MARK_DEVICE
				? k->marks & MARK_DEVICE
					  ? "a program that launches, and is not marked as one"
					  : "a program marked as one that launches, and it does not"
			: k->marks & MARK_ASYNC
				? "a program with kinds of operations, and not marked as one"
				: "a program marked as one with kinds of operations, without any");
	r->marks = 0;
	return 1;
}

static int is_of_program(int type)
{
	return type == TR_REC_OPERANDS || type == TR_REC_CONTROL;
}

/* Not key + 1 == nprograms: a key of all ones would be the last of none. */
static int is_last_program(const struct tr_reader *r, uint64_t key)
{
	return r->nprograms && key == r->nprograms - 1;
}

/* Operands or control bits of the program that was read last. */
static int take_more(struct tr_reader *r, const struct tr_record *rec, struct tr_err *err)
{
	const int operands = rec->type == TR_REC_OPERANDS;
	struct tr_program *p;
	struct tr_err why;
	int rc;

	if (!(rec->flags & TR_RECF_OPTIONAL) || rec->n != 1 || !is_last_program(r, rec->key))
		return bad_record(rec, err,
			operands ? "operands with a bad head" : "control bits with a bad head");
	p = r->programs[rec->key].p;
	rc = operands ? tr_program_read_operands(p, rec->data, rec->len, &why)
		      : tr_program_read_control(p, rec->data, rec->len, &why);
	return rc == TR_EDATA ? bad_record(rec, err, why.msg)
	       : rc < 0       ? tr_fail(err, rc, 0, "%s", why.msg)
			      : 1;
}

static int launch_complete(struct tr_reader *r, struct tr_err *err)
{
	if (r->nlaunches && r->ctas_seen != tr_launch_ctas(&r->launch))
		return tr_fail(err, TR_EDATA, 0, "launch %u lacks CTAs: %llu of %llu are there",
			r->launch.number, (unsigned long long)r->ctas_seen,
			(unsigned long long)tr_launch_ctas(&r->launch));
	return 1;
}

/* Where a launch comes from: its CHILD record, and its place in the family. */
static int take_kinship(
	struct tr_reader *r, struct tr_launch *l, const struct tr_record *rec, struct tr_err *err)
{
	const struct tr_kin *parent = tr_family_kin(&r->family, l->parent_launch);
	struct tr_err why = {0};
	int rc;

	if (r->is_child != (l->parent_launch != TR_NONE) ||
		(r->is_child && r->child_key != rec->key))
		return bad_record(rec, err,
			r->is_child ? "the parameters before it are of another launch"
				    : "a launch by a thread, without its parameters before it");
	l->parent_inst = r->child.parent_inst;
	l->buffer = r->child.buffer;
	l->buffer_bytes = r->child.buffer_bytes;
	r->child = (struct tr_launch){0};
	r->is_child = 0;
	rc = tr_family_launch(&r->family, l, r->programs[l->program].p,
		parent ? r->programs[parent->program].p : NULL, &why);
	return rc == TR_EDATA ? bad_record(rec, err, why.msg)
	       : rc < 0       ? tr_fail(err, rc, 0, "%s", why.msg)
			      : 1;
}

static int take_child(struct tr_reader *r, const struct tr_record *rec, struct tr_err *err)
{
	r->child = (struct tr_launch){0};
	if (rec->n != 1 || tr_child_read(&r->child, rec->data, rec->len) < 0)
		return bad_record(rec, err, "a launch by a thread with a bad head or content");
	r->is_child = 1;
	r->child_key = rec->key;
	return 1;
}

static int take_cluster(struct tr_reader *r, const struct tr_record *rec, struct tr_err *err)
{
	struct tr_launch l;

	if (rec->n != 1 || tr_cluster_read(&l, rec->data, rec->len) < 0)
		return bad_record(rec, err, "a shape of clusters with a bad head or content");
	memcpy(r->cluster, l.cluster, sizeof(r->cluster));
	r->is_cluster = 1;
	r->cluster_key = rec->key;
	return 1;
}

/* The shape that stands before a launch becomes its own. */
static int add_cluster(
	struct tr_reader *r, struct tr_launch *l, const struct tr_record *rec, struct tr_err *err)
{
	struct tr_err why;

	if (!r->is_cluster)
		return r->programs[l->program].plan.clusters
			       ? bad_record(rec, err,
					 "no shape of clusters before a launch of a program with "
					 "the cluster's barrier")
			       : 1;
	r->is_cluster = 0;
	if (r->cluster_key != rec->key)
		return bad_record(rec, err, "the shape of clusters before it is another launch's");
	memcpy(l->cluster, r->cluster, sizeof(l->cluster));
	return tr_launch_validate(l, &why) < 0 ? bad_record(rec, err, why.msg) : 1;
}

static int take_mark(struct tr_reader *r, const struct tr_record *rec, struct tr_err *err)
{
	const int mark = rec->type == TR_REC_DEVICE ? MARK_DEVICE : MARK_ASYNC;

	if (rec->n != 1 || rec->len || rec->key != r->nprograms || r->marks >= mark)
		return bad_record(rec, err, "a mark of a program with a bad head or content");
	r->marks |= mark;
	return 1;
}

static int take_launch(struct tr_reader *r, const struct tr_record *rec, struct tr_err *err)
{
	struct tr_launch l;
	struct tr_err why;
	int rc;

	rc = tr_launch_read(&l, rec->data, rec->len, &why);
	if (rc < 0)
		return rc == TR_EDATA ? bad_record(rec, err, why.msg)
				      : tr_fail(err, rc, 0, "%s", why.msg);
	if (l.program >= r->nprograms || rec->key != (uint64_t)l.number << 32 ||
		l.number != r->nlaunches) {
		rc = bad_record(rec, err,
			l.program >= r->nprograms ? "a launch of a program that is not there"
						  : "a launch out of order");
		tr_launch_clear(&l);
		return rc;
	}
	if (r->stated && r->stated_key != rec->key) {
		tr_launch_clear(&l);
		return bad_record(rec, err, "the registers stated before it are of another launch");
	}
	rc = add_cluster(r, &l, rec, err);
	if (rc > 0)
		rc = take_kinship(r, &l, rec, err);
	if (rc < 0) {
		tr_launch_clear(&l);
		return rc;
	}
	l.registers_stated = r->stated || l.registers != r->programs[l.program].p->live_registers;
	r->stated = 0;
	if (is_all(&r->part) && r->part.max_insts &&
		tr_launch_ctas(&l) > r->part.max_insts / tr_launch_threads(&l)) {
		tr_launch_clear(&l);
		return tr_fail(err, TR_EDATA, rec->offset,
			"the threads of launch %u execute more than %llu instructions, the most "
			"allowed: byte %llu",
			l.number, (unsigned long long)r->part.max_insts,
			(unsigned long long)rec->offset);
	}
	tr_launch_clear(&r->launch);
	r->launch = l;
	r->nlaunches = l.number + 1;
	r->announced = l.number < r->part.launch_first || l.number > r->part.launch_last;
	r->ctas_seen = r->launch_bytes = 0;
	return 1;
}

static int take_stated(struct tr_reader *r, const struct tr_record *rec, struct tr_err *err)
{
	if (!(rec->flags & TR_RECF_OPTIONAL) || rec->n != 1 || rec->len)
		return bad_record(rec, err, "stated registers with a bad head or content");
	r->stated = 1;
	r->stated_key = rec->key;
	return 1;
}

static int take_ctas(struct tr_reader *r, const struct tr_record *rec, struct tr_err *err)
{
	struct tr_cur c = {rec->data, rec->data + rec->len, 0};
	uint64_t sum[TR_NSTREAMS] = {0}, left, ctas = tr_launch_ctas(&r->launch);
	uint32_t first = (uint32_t)rec->key;

	if (!r->nlaunches || rec->key >> 32 != r->launch.number)
		return bad_record(rec, err, "CTAs of another launch");
	if (!rec->n || first != r->ctas_seen || first >= ctas || rec->n > ctas - first)
		return bad_record(rec, err, "CTAs out of order");
	if (rec->n > rec->len / TR_NSTREAMS)
		return bad_record(rec, err, "too short for its table");
	if ((size_t)rec->n * TR_NSTREAMS > r->cap_ends) {
		uint64_t *p = realloc(r->ends, (size_t)rec->n * TR_NSTREAMS * sizeof(*p));

		if (!p)
			return no_memory(err);
		r->ends = p;
		r->cap_ends = (size_t)rec->n * TR_NSTREAMS;
	}
	for (uint32_t i = 0; i < rec->n; i++)
		for (int s = 0; s < TR_NSTREAMS; s++) {
			uint64_t len = tr_cur_varint(&c);

			if (len > rec->len || c.bad)
				return bad_record(rec, err, "a stream longer than its record");
			sum[s] += len;
			r->ends[(size_t)i * TR_NSTREAMS + s] = sum[s];
		}
	left = (uint64_t)(c.end - c.p);
	for (int s = 0; s < TR_NSTREAMS; s++) {
		r->start[s] = s ? r->start[s - 1] + sum[s - 1] : 0;
		if (sum[s] > left)
			return bad_record(rec, err, "streams longer than their record");
		left -= sum[s];
	}
	if (left)
		return bad_record(rec, err, "bytes after its streams");
	r->streams = c.p;
	r->first = first;
	r->n = rec->n;
	r->at = 0;
	r->record_offset = rec->offset;
	r->ctas_seen = (uint64_t)first + rec->n;
	r->seen[TR_T_CTAS] += rec->n;
	return 1;
}

static int take_side(struct side *s, const struct tr_record *rec, struct tr_err *err)
{
	if (!rec->n || rec->flags != TR_RECF_OPTIONAL)
		return tr_fail(err, TR_EDATA, rec->offset,
			"bad record at byte %llu: a list of %s with a bad head",
			(unsigned long long)rec->offset, s->what);
	s->b.len = 0;
	s->key = rec->key;
	s->n = rec->n;
	return tr_buf_put(&s->b, rec->data, rec->len) ? no_memory(err) : 1;
}

/* The table of the record of the side that stands before CTAS record `rec`. */
static int take_lists(struct side *s, const struct tr_record *rec, struct tr_err *err)
{
	uint64_t end = 0;
	struct tr_cur c = {0};

	s->nlists = 0;
	if (!s->n)
		return 1;
	if (s->key != rec->key || s->n != rec->n || rec->n > s->b.len / 2)
		return tr_fail(err, TR_EDATA, rec->offset,
			"bad record at byte %llu: the list of %s before it is %s",
			(unsigned long long)rec->offset, s->what,
			s->key != rec->key || s->n != rec->n ? "of others" : "too short");
	s->n = 0;
	c.p = s->b.p;
	c.end = c.p + s->b.len;
	if (rec->n > s->cap) {
		struct side_list *p = realloc(s->lists, rec->n * sizeof(*p));

		if (!p)
			return no_memory(err);
		s->lists = p;
		s->cap = rec->n;
	}
	for (uint32_t i = 0; i < rec->n; i++) {
		uint64_t n = tr_cur_varint(&c), bytes = tr_cur_varint(&c);

		c.bad |= bytes > s->b.len || n > bytes / 4;
		end += bytes;
		s->lists[i] = (struct side_list){n, end};
	}
	if (c.bad || end != (uint64_t)(c.end - c.p))
		return tr_fail(err, TR_EDATA, rec->offset,
			"bad record at byte %llu: a bad list of %s before it",
			(unsigned long long)rec->offset, s->what);
	s->start = (size_t)(c.p - s->b.p);
	s->nlists = rec->n;
	return 1;
}

static int take_record(struct tr_reader *r, const struct tr_record *rec, struct tr_err *err)
{
	int rc = 1;

	if (rec->type != TR_REC_CTAS && r->sync.n)
		return bad_record(rec, err, "no CTAs after a list of warp-synchronous reads");
	if (rec->type != TR_REC_CTAS && rec->type != TR_REC_SYNC && r->spins.n)
		return bad_record(rec, err, "no CTAs after a list of rounds without progress");
	if (rec->type != TR_REC_LAUNCH && r->stated)
		return bad_record(rec, err, "no launch after stated registers");
	if (rec->type != TR_REC_LAUNCH && rec->type != TR_REC_STATED && r->is_cluster)
		return bad_record(rec, err, "no launch after the shape of its clusters");
	if (rec->type != TR_REC_LAUNCH && rec->type != TR_REC_STATED &&
		rec->type != TR_REC_CLUSTER && r->is_child)
		return bad_record(rec, err, "no launch after the parameters of one");
	if (rec->type != TR_REC_PROGRAM && rec->type != TR_REC_ASYNC && r->marks)
		return bad_record(rec, err, "no program after a mark of one");
	if (rec->type != TR_REC_SYNC && rec->type != TR_REC_SPINS && rec->type != TR_REC_STATED &&
		!is_of_program(rec->type) && rec->flags)
		return bad_record(rec, err, "it must not be optional");
	if ((rec->type == TR_REC_PROGRAM || rec->type == TR_REC_LAUNCH) && rec->n != 1)
		return bad_record(rec, err, "it must be one");
	switch (rec->type) {
	case TR_REC_PROGRAM:
		return take_program(r, rec, err);
	case TR_REC_DEVICE:
	case TR_REC_ASYNC:
		return take_mark(r, rec, err);
	case TR_REC_OPERANDS:
	case TR_REC_CONTROL:
		return take_more(r, rec, err);
	case TR_REC_CHILD:
		rc = launch_complete(r, err);
		return rc > 0 ? take_child(r, rec, err) : rc;
	case TR_REC_CLUSTER:
		rc = launch_complete(r, err);
		return rc > 0 ? take_cluster(r, rec, err) : rc;
	case TR_REC_LAUNCH:
		rc = launch_complete(r, err);
		return rc > 0 ? take_launch(r, rec, err) : rc;
	case TR_REC_STATED:
		return take_stated(r, rec, err);
	case TR_REC_SYNC:
	case TR_REC_SPINS:
		r->launch_bytes += rec->stored_bytes;
		return take_side(rec->type == TR_REC_SYNC ? &r->sync : &r->spins, rec, err);
	case TR_REC_CTAS:
		r->launch_bytes += rec->stored_bytes;
		rc = take_lists(&r->sync, rec, err);
		if (rc > 0)
			rc = take_lists(&r->spins, rec, err);
		return rc > 0 ? take_ctas(r, rec, err) : rc;
	default:
		return bad_record(rec, err, "a thread trace has no accesses");
	}
}

/* Is a record of the index worth reading? CTAs only where the part wants some of them. */
static int wanted(const struct tr_reader *r, const struct tr_index_entry *e)
{
	uint32_t launch = (uint32_t)(e->key >> 32), first = (uint32_t)e->key;

	switch (e->type) {
	case TR_REC_PROGRAM:
	case TR_REC_DEVICE:
	case TR_REC_ASYNC:
		return e->key >= r->nprograms; /* seeking may have read it before */
	case TR_REC_OPERANDS:
		return is_last_program(r, e->key) && !r->programs[e->key].p->operands;
	case TR_REC_CONTROL:
		return is_last_program(r, e->key) && !r->programs[e->key].p->control;
	case TR_REC_LAUNCH:
	case TR_REC_CHILD:
	case TR_REC_CLUSTER:
	case TR_REC_STATED:
		return 1;
	case TR_REC_CTAS:
	case TR_REC_SPINS:
	case TR_REC_SYNC:
		return launch >= r->part.launch_first && launch <= r->part.launch_last &&
		       first <= r->part.cta_last && (uint64_t)first + e->n > r->part.cta_first;
	default:
		return 0;
	}
}

/* A record of CTAs that is passed over counts like one that is read. */
static int pass_over(struct tr_reader *r, const struct tr_index_entry *e, struct tr_err *err)
{
	if (e->type != TR_REC_CTAS)
		return 1;
	if (!r->nlaunches || !e->n || e->key != ((uint64_t)r->launch.number << 32 | r->ctas_seen) ||
		e->n > tr_launch_ctas(&r->launch) - r->ctas_seen)
		return tr_fail(err, TR_EDATA, e->offset, "CTAs out of order at byte %llu",
			(unsigned long long)e->offset);
	r->ctas_seen += e->n;
	return 1;
}

/* The next record: 1, 0 at the end of the stream or of its wanted part, TR_E*. */
static int next_record(struct tr_reader *r, struct tr_record *rec, struct tr_err *err)
{
	int rc = 1;

	if (!r->by_index)
		return tr_in_next(r->in, rec, err);
	for (; r->entry < r->nentries && rc > 0; r->entry++) {
		const struct tr_index_entry *e = &r->entries[r->entry];

		if (wanted(r, e)) {
			r->entry++;
			rc = tr_in_seek(r->in, e, err);
			return rc > 0 ? tr_in_next(r->in, rec, err) : rc;
		}
		rc = pass_over(r, e, err);
	}
	return rc > 0 ? 0 : rc;
}

/* At the end: what was read must be what the end block counts. */
static int check_end(struct tr_reader *r, struct tr_err *err)
{
	const uint64_t *t = tr_in_totals(r->in);
	int rc = launch_complete(r, err), different;

	if (rc < 0)
		return rc;
	if (r->sync.n || r->spins.n)
		return tr_fail(err, TR_EDATA, 0, "the stream ends with a list of %s",
			r->sync.n ? r->sync.what : r->spins.what);
	if (r->stated)
		return tr_fail(err, TR_EDATA, 0, "the stream ends with stated registers");
	if (r->is_child || r->marks)
		return tr_fail(err, TR_EDATA, 0, "the stream ends with the %s",
			r->marks ? "mark of a program" : "parameters of a launch");
	rc = tr_family_end(&r->family, err);
	if (rc < 0)
		return rc;
	different = t[TR_T_PROGRAMS] != r->nprograms || t[TR_T_LAUNCHES] != r->nlaunches;
	if (!r->by_index)
		different |= t[TR_T_CTAS] != r->seen[TR_T_CTAS];
	if (!r->by_index && r->decoded == t[TR_T_CTAS])
		for (int i = TR_T_THREADS; i <= TR_T_SYNC_READS; i++)
			different |= t[i] != r->seen[i];
	if (different)
		return tr_fail(
			err, TR_EDATA, 0, "the totals at the end are not those of the stream");
	if (!is_all(&r->part) && !r->handed)
		return tr_fail(err, TR_EUSAGE, 0,
			"no CTA of the stream's %u launches is in the part asked for",
			r->nlaunches);
	return TR_END;
}

int tr_reader_next(struct tr_reader *r, struct tr_err *err)
{
	if (r->lost)
		return tr_fail(err, TR_EUSAGE, 0, "reading goes on after a seek that failed");
	for (;;) {
		struct tr_record rec;
		int rc;

		if (!r->announced) {
			r->announced = 1;
			return TR_LAUNCH;
		}
		while (r->at < r->n) {
			uint32_t cta = r->first + r->at++;

			if (r->launch.number >= r->part.launch_first &&
				r->launch.number <= r->part.launch_last &&
				cta >= r->part.cta_first && cta <= r->part.cta_last) {
				r->handed++;
				r->counted = 0;
				return TR_CTA;
			}
		}
		if (r->nlaunches && r->launch.number > r->part.launch_last && r->handed)
			return TR_END; /* a pipe need not be read further */
		r->n = r->at = 0;
		rc = next_record(r, &rec, err);
		if (rc == 0)
			return check_end(r, err);
		if (rc > 0)
			rc = take_record(r, &rec, err);
		if (rc < 0)
			return rc;
	}
}

const struct tr_launch *tr_reader_launch(const struct tr_reader *r)
{
	return &r->launch;
}

const struct tr_program *tr_reader_program(const struct tr_reader *r)
{
	return r->programs[r->launch.program].p;
}

uint32_t tr_reader_depth(const struct tr_reader *r)
{
	const uint32_t at = r->launch.number - r->family.host;

	return at < r->family.n ? r->family.kin[at].depth : TR_NONE;
}

uint32_t tr_reader_cta_number(const struct tr_reader *r)
{
	return r->first + r->at - 1;
}

const char *tr_reader_provenance(const struct tr_reader *r)
{
	return tr_in_provenance(r->in);
}

const uint64_t *tr_reader_totals(const struct tr_reader *r)
{
	return tr_in_totals(r->in);
}

uint64_t tr_reader_launch_bytes(const struct tr_reader *r)
{
	return r->launch_bytes;
}

/* ---- decoding a CTA ---- */

static int cta_threads(struct tr_cta *c, uint32_t n)
{
	if (n > c->cap_threads) {
		struct tr_thread *p = realloc(c->threads, n * sizeof(*p));

		if (!p)
			return -1;
		memset(p + c->cap_threads, 0, (n - c->cap_threads) * sizeof(*p));
		c->threads = p;
		c->cap_threads = n;
	}
	c->nthreads = n;
	for (uint32_t i = 0; i < n; i++)
		c->threads[i].noutcomes = c->threads[i].nvalues = 0;
	return 0;
}

/* How many values a thread of the CTA at hand recorded: it was decoded into c, or only checked. */
static uint64_t values_of(const struct tr_reader *r, const struct tr_cta *c, uint32_t thread)
{
	return c ? c->threads[thread].nvalues : r->nvalues[thread];
}

static struct tr_cur entries_of(const struct side *s, uint32_t cta)
{
	const uint8_t *p = s->b.p + s->start;

	return (struct tr_cur){p + (cta ? s->lists[cta - 1].end : 0), p + s->lists[cta].end, 0};
}

/* The reads of CTA `cta` of the record, into c, or, where that is NULL, only checked. */
static int decode_sync(
	const struct tr_reader *r, uint32_t cta, struct tr_cta *c, struct tr_err *err)
{
	const uint32_t nthreads = tr_launch_threads(&r->launch);
	struct tr_cur cur = entries_of(&r->sync, cta);
	const uint64_t n = r->sync.lists[cta].n;
	uint32_t last[4] = {0};

	if (c && n > c->cap_sync) {
		struct tr_sync_read *grown =
			n <= UINT32_MAX ? realloc(c->sync, n * sizeof(*grown)) : NULL;

		if (!grown)
			return no_memory(err);
		c->sync = grown;
		c->cap_sync = (uint32_t)n;
	}
	for (uint64_t i = 0; i < n && !cur.bad; i++) {
		for (int k = 0; k < 4; k++)
			last[k] += (uint32_t)tr_unzigzag(tr_cur_varint(&cur));
		const struct tr_sync_read s = {last[0], last[1], last[2], last[3]};
		if (c)
			c->sync[i] = s;
		if (s.reader >= nthreads || s.writer >= nthreads ||
			s.reader_value >= values_of(r, c, s.reader) ||
			s.writer_value >= values_of(r, c, s.writer))
			cur.bad = 1;
	}
	if (cur.bad || cur.p != cur.end)
		return tr_fail(err, TR_EDATA, r->record_offset,
			"bad list of warp-synchronous reads before byte %llu",
			(unsigned long long)r->record_offset);
	if (c)
		c->nsync = (uint32_t)n;
	return 1;
}

/*
 * Rounds without progress of CTA `cta` of the record, into c, or, where that is NULL, only checked.
 * insts: thread instructions of the CTA, of which the rounds are a part.
 */
static int decode_spins(const struct tr_reader *r, uint32_t cta, struct tr_cta *c, uint64_t insts,
	struct tr_err *err)
{
	const uint32_t ninsts = r->programs[r->launch.program].ninsts;
	const uint64_t n = r->spins.lists[cta].n;
	struct tr_cur cur = entries_of(&r->spins, cta);
	uint64_t next = 0;

	if (c && n > c->cap_spins) {
		struct tr_spin *grown =
			n <= UINT32_MAX ? realloc(c->spins, n * sizeof(*grown)) : NULL;

		if (!grown)
			return no_memory(err);
		c->spins = grown;
		c->cap_spins = (uint32_t)n;
	}
	for (uint64_t i = 0; i < n && !cur.bad; i++) {
		uint64_t v[4];

		for (int k = 0; k < 4; k++)
			v[k] = tr_cur_varint(&cur);
		cur.bad |= v[0] >= ninsts || v[1] > ninsts || !v[2] || v[3] > insts;
		if (cur.bad)
			break;
		/* In the order of the instructions: none of the pairs twice. */
		cur.bad |= v[0] * ((uint64_t)ninsts + 1) + v[1] < next;
		next = v[0] * ((uint64_t)ninsts + 1) + v[1] + 1;
		insts -= v[3];
		if (c)
			c->spins[i] = (struct tr_spin){
				(uint32_t)v[0], v[1] ? (uint32_t)v[1] - 1 : TR_NONE, v[2], v[3]};
	}
	if (cur.bad || cur.p != cur.end)
		return tr_fail(err, TR_EDATA, r->record_offset,
			"bad list of rounds without progress before byte %llu",
			(unsigned long long)r->record_offset);
	if (c)
		c->nspins = (uint32_t)n;
	return 1;
}

static int slots_room(struct tr_reader *r, uint32_t nslots, struct tr_err *err)
{
	if (nslots > r->cap_slots) {
		free(r->slots);
		free(r->first_anchor);
		r->cap_slots = 0;
		r->slots = malloc(nslots * sizeof(*r->slots));
		r->first_anchor = malloc(nslots * sizeof(*r->first_anchor));
		if (!r->slots || !r->first_anchor)
			return no_memory(err);
		r->cap_slots = nslots;
	}
	if (nslots)
		memset(r->first_anchor, 0, nslots * sizeof(*r->first_anchor));
	return 1;
}

/* A group that is only checked, and what is wrong with the launches of its threads. */
struct launching {
	struct tr_family *family;
	uint32_t launch, cta, first;
	int rc;
	struct tr_err why;
};

static void launched(void *arg, uint32_t lane, uint32_t inst, uint64_t child)
{
	struct launching *l = arg;

	if (l->rc > 0)
		l->rc = tr_family_name(
			l->family, l->launch, l->cta, l->first + lane, inst, child, &l->why);
}

/* Decodes the CTA of the last event into c; NULL: it is only checked, and none of it is kept. */
static int decode_cta(struct tr_reader *r, struct tr_cta *c, struct tr_err *err)
{
	const struct known_program *k = &r->programs[r->launch.program];
	const struct tr_plan *plan = &k->plan;
	const uint32_t nthreads = tr_launch_threads(&r->launch), i = r->at - 1;
	struct launching who = {&r->family, r->launch.number, r->first + i, 0, 1, {0}};
	struct tr_decoder d = {.executed = r->counted ? r->executed_before : r->executed,
		.max_insts = r->part.max_insts,
		.launched = k->marks & MARK_DEVICE ? launched : NULL,
		.arg = &who};
	struct tr_err why = {0};
	uint64_t insts = 0, outcomes = 0, values = 0;
	int rc = slots_room(r, plan->nslots, err), left = 0;

	if (rc < 0)
		return rc;
	for (int s = 0; s < TR_NSTREAMS; s++) {
		const uint8_t *p = r->streams + r->start[s];
		const uint64_t *end = &r->ends[(size_t)i * TR_NSTREAMS + s];

		d.in[s] = (struct tr_cur){p + (i ? end[-TR_NSTREAMS] : 0), p + *end, 0};
	}
	d.first_anchor = r->first_anchor;
	if (!c)
		memset(r->nvalues, 0, sizeof(r->nvalues));
	for (uint32_t g = 0; g * TR_GROUP < nthreads && rc > 0; g++) {
		if (plan->nslots)
			memset(r->slots, 0, plan->nslots * sizeof(*r->slots));
		tr_group_start(&d.g, plan, r->slots, g, r->launch.block);
		who.first = g * TR_GROUP;
		d.nvalues = r->sync.nlists ? r->nvalues + who.first : NULL;
		rc = tr_decode(&d, c ? c->threads + who.first : NULL, &why);
		insts += d.g.thread_insts;
		outcomes += d.g.outcomes;
		values += d.g.values;
	}
	for (int s = 0; s < TR_NSTREAMS; s++)
		left |= d.in[s].p != d.in[s].end;
	if (rc > 0 && left) {
		rc = TR_EDATA;
		tr_fail(&why, rc, 0, "the record of a CTA does not fit its program");
	}
	if (rc < 0)
		return tr_fail(err, rc, r->record_offset, "%s: CTA %u of launch %u, byte %llu",
			why.msg, who.cta, who.launch, (unsigned long long)r->record_offset);
	if (c)
		c->nsync = c->nspins = 0;
	if (r->sync.nlists)
		rc = decode_sync(r, i, c, err);
	if (rc > 0 && r->spins.nlists)
		rc = decode_spins(r, i, c, insts, err);
	if (rc > 0 && !r->counted) {
		r->seen[TR_T_THREADS] += nthreads;
		r->seen[TR_T_THREAD_INSTS] += insts;
		r->seen[TR_T_OUTCOMES] += outcomes;
		r->seen[TR_T_VALUES] += values;
		r->seen[TR_T_SYNC_READS] += r->sync.nlists ? r->sync.lists[i].n : 0;
		r->executed_before = r->executed;
		r->executed = d.executed;
		r->decoded++;
		r->counted = 1;
		if (k->marks & MARK_DEVICE && c) {
			rc = tr_family_cta(&r->family, k->p, c, &who.why);
		} else if (k->marks & MARK_DEVICE) {
			tr_family_decoded(&r->family, who.launch);
			rc = who.rc;
		}
		if (rc < 0)
			return tr_fail(err, rc, r->record_offset, "%s: byte %llu", who.why.msg,
				(unsigned long long)r->record_offset);
	}
	return rc;
}

int tr_reader_cta(struct tr_reader *r, struct tr_cta *c, struct tr_err *err)
{
	if (!r->n || !r->at)
		return tr_fail(err, TR_EUSAGE, 0, "no CTA is at hand");
	c->launch = r->launch.number;
	c->number = r->first + r->at - 1;
	c->nsync = c->nspins = 0;
	if (cta_threads(c, tr_launch_threads(&r->launch)))
		return no_memory(err);
	return decode_cta(r, c, err);
}

int tr_reader_check(struct tr_reader *r, struct tr_err *err)
{
	int event;

	r->checking = 1;
	while ((event = tr_reader_next(r, err)) > 0)
		if (event == TR_CTA) {
			const int rc = decode_cta(r, NULL, err);

			if (rc < 0)
				return rc;
		}
	return event < 0 ? event : 1;
}

/* ---- seeking ---- */

/* Reads every program that stands before the entry, so that its launch can refer to it. */
static int programs_before(struct tr_reader *r, size_t before, struct tr_err *err)
{
	uint32_t have = r->nprograms;
	struct tr_record rec;
	int rc = 1;

	for (size_t i = 0; i < before && rc > 0; i++) {
		if ((r->entries[i].type != TR_REC_PROGRAM && !is_of_program(r->entries[i].type)) ||
			r->entries[i].key < have)
			continue;
		rc = tr_in_seek(r->in, &r->entries[i], err);
		if (rc > 0)
			rc = tr_in_next(r->in, &rec, err);
		if (rc > 0)
			rc = rec.type == TR_REC_PROGRAM ? take_program(r, &rec, err)
							: take_more(r, &rec, err);
	}
	return rc;
}

/* The entries of a launch and of the CTAS record that holds one of its CTAs. */
static int find_cta(const struct tr_reader *r, uint32_t launch, uint32_t cta, size_t *of_launch,
	size_t *of_ctas)
{
	int found = 0;

	for (size_t i = 0; i < r->nentries; i++) {
		const struct tr_index_entry *e = &r->entries[i];

		if (e->type == TR_REC_LAUNCH && e->key == (uint64_t)launch << 32) {
			*of_launch = i;
			found |= 1;
		} else if (e->type == TR_REC_CTAS && e->key >> 32 == launch &&
			   (uint32_t)e->key <= cta && cta - (uint32_t)e->key < e->n) {
			*of_ctas = i;
			found |= 2;
		}
	}
	return found == 3 && *of_launch < *of_ctas;
}

/* The launch of entry `at`, with what is stated before it. */
static int launch_again(struct tr_reader *r, size_t at, struct tr_err *err)
{
	size_t first = at;
	struct tr_record rec;
	int rc = 1;

	while (first && (r->entries[first - 1].type == TR_REC_STATED ||
				r->entries[first - 1].type == TR_REC_CLUSTER ||
				r->entries[first - 1].type == TR_REC_CHILD))
		first--;
	r->family.n = r->family.nnamed = 0; /* its parents are not read */
	free(r->family.named);
	r->family.named = NULL;
	for (size_t i = first; i <= at && rc > 0; i++) {
		rc = tr_in_seek(r->in, &r->entries[i], err);
		if (rc > 0)
			rc = tr_in_next(r->in, &rec, err);
		if (rc > 0)
			rc = rec.type == TR_REC_STATED    ? take_stated(r, &rec, err)
			     : rec.type == TR_REC_CHILD   ? take_child(r, &rec, err)
			     : rec.type == TR_REC_CLUSTER ? take_cluster(r, &rec, err)
							  : take_launch(r, &rec, err);
	}
	return rc;
}

int tr_reader_seek(struct tr_reader *r, uint32_t launch, uint32_t cta, struct tr_err *err)
{
	size_t of_launch = 0, at = 0;
	struct tr_record rec;
	int rc = tr_in_index(r->in, &r->entries, &r->nentries, err);

	if (!rc)
		return 0;
	r->n = r->at = r->sync.n = r->spins.n = 0;
	r->stated = r->is_child = r->is_cluster = r->marks = 0;
	r->child = (struct tr_launch){0};
	r->lost = r->by_index = 1;
	if (rc > 0 && !find_cta(r, launch, cta, &of_launch, &at))
		return tr_fail(err, TR_EUSAGE, 0, "there is no CTA %u in a launch %u", cta, launch);
	if (rc > 0)
		rc = programs_before(r, of_launch, err);
	r->nlaunches = launch;
	if (rc > 0)
		rc = launch_again(r, of_launch, err);
	if (rc <= 0)
		return rc;
	r->part = (struct tr_part){launch, UINT32_MAX, 0, UINT32_MAX, r->part.max_insts};
	r->announced = 0;
	r->ctas_seen = (uint32_t)r->entries[at].key;
	r->entry = at;
	while (r->entry && (r->entries[r->entry - 1].type == TR_REC_SYNC ||
				   r->entries[r->entry - 1].type == TR_REC_SPINS))
		r->entry--;
	do { /* up to the record itself, then within it */
		rc = next_record(r, &rec, err);
		if (rc > 0)
			rc = take_record(r, &rec, err);
	} while (rc > 0 && r->entry <= at);
	if (rc > 0) {
		r->at = cta - r->first;
		r->lost = 0;
	}
	return rc;
}
