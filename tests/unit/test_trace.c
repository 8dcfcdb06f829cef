/*
 * Thread traces that are refused: damaged streams, cut at every byte and with every bit turned, and
 * streams whose checksums are right but whose records lie.
 * With a folder as argument the program writes sample streams there, as seeds for the fuzzer.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "libtrace/stream_format.h"
#include "trace_trial.h"
#include <stdio.h>

/* ---- damaged streams ---- */

/* The check of the stream, which keeps nothing, says the same of it as reading it did. */
static void same_verdict(
	struct bytes b, const struct tr_part *part, int want, const struct tr_err *said)
{
	FILE *f = open_bytes(b);
	struct tr_reader *r = NULL;
	struct tr_err err = {0};
	int rc = tr_reader_open(&r, f, part, &err);

	if (rc > 0)
		rc = tr_reader_check(r, &err);
	assert_int_equal(rc, want < 0 ? want : 1);
	if (rc < 0)
		assert_string_equal(err.msg, said->msg);
	tr_reader_close(r);
	fclose(f);
}

/* Reads all that can be read: 0 if every CTA came and the end was sound, else TR_E*. */
static int read_all(struct bytes b, const struct tr_part *part, const struct trial *want)
{
	FILE *f = open_bytes(b);
	struct tr_reader *r = NULL;
	struct tr_err err;
	struct tr_cta c;
	int rc = tr_reader_open(&r, f, part, &err);

	tr_cta_init(&c);
	while (rc > 0 && (rc = tr_reader_next(r, &err)) > 0) {
		if (rc == TR_CTA)
			rc = tr_reader_cta(r, &c, &err);
		if (rc == 1 && want && c.nthreads)
			same_cta(&c, &want->ctas[c.launch][c.number].cta);
	}
	if (rc < 0) {
		assert_int_equal(err.code, rc);
		assert_true(err.msg[0] && err.msg[strlen(err.msg) - 1] != '.');
	}
	tr_cta_free(&c);
	tr_reader_close(r);
	fclose(f);
	same_verdict(b, part, rc, &err);
	return rc;
}

static void test_every_bit(void **state)
{
	const struct tr_part part = {0, 1, 0, 1, 0};
	struct trial t;
	struct bytes b;

	(void)state;
	small_trial(&t);
	b = trial_written(&t, LOWEST_RANK, 0, 1);
	assert_int_equal(read_all(b, NULL, &t), 0);
	assert_int_equal(read_all(b, &part, &t), 0);
	for (size_t i = 0; i < 8 * b.len; i++) {
		b.p[i / 8] ^= (uint8_t)(1u << i % 8);
		assert_true(read_all(b, NULL, &t) < 0);
		read_all(b, &part, &t);
		b.p[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	free(b.p);
	trial_free(&t);
}

static void test_every_cut(void **state)
{
	const struct tr_part part = {0, 1, 0, 1, 0};
	struct trial t;
	struct bytes b;

	(void)state;
	small_trial(&t);
	b = trial_written(&t, LOWEST_RANK, 0, 1);
	for (size_t len = 1; len < b.len; len++) {
		struct bytes cut = {grown(NULL, len), len};

		memcpy(cut.p, b.p, len);
		assert_int_equal(read_all(cut, NULL, &t), TR_ETRUNC);
		assert_int_equal(read_all(cut, &part, &t), TR_ETRUNC);
		free(cut.p);
	}
	free(b.p);
	trial_free(&t);
}

/* ---- lies under right checksums ---- */

struct part_record {
	int type;
	unsigned flags;
	uint64_t key;
	uint32_t n;
	struct tr_buf data;
};

struct script {
	struct part_record rec[32];
	uint32_t n;
	uint64_t totals[TR_MAX_TOTALS];
};

static void script_load(struct script *s, struct bytes b)
{
	FILE *f = open_bytes(b);
	struct tr_in *in;
	struct tr_record rec;
	struct tr_err err;

	*s = (struct script){0};
	assert_int_equal(tr_in_open(&in, f, &err), 1);
	while (tr_in_next(in, &rec, &err) > 0) {
		struct part_record *p = &s->rec[s->n++];

		assert_true(s->n < 31);
		*p = (struct part_record){rec.type, rec.flags, rec.key, rec.n, {0}};
		assert_int_equal(tr_buf_put(&p->data, rec.data, rec.len), 0);
	}
	memcpy(s->totals, tr_in_totals(in), sizeof(s->totals));
	tr_in_close(in);
	fclose(f);
}

static void script_free(struct script *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		tr_buf_free(&s->rec[i].data);
}

static struct bytes script_written(const struct script *s)
{
	struct tr_out *o;
	struct tr_err err;
	struct bytes b;
	char *p;
	FILE *f = open_memstream(&p, &b.len);

	assert_int_equal(tr_out_open(&o, f, TR_KIND_THREADS, NULL, 0, &err), 1);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct part_record *r = &s->rec[i];

		assert_int_equal(tr_out_begin(o, r->type, r->flags, r->key, r->n, &err), 1);
		assert_int_equal(tr_out_put(o, r->data.p, r->data.len, &err), 1);
		assert_int_equal(tr_out_end(o, &err), 1);
	}
	assert_int_equal(tr_out_close(o, s->totals, &err), 1);
	fclose(f);
	b.p = (uint8_t *)p;
	return b;
}

/* Reads the script in order, by parts, and by seeking; what the reading in order says. */
static int script_read(const struct script *s)
{
	const struct tr_part part = {0, 0, 1, 1, 0};
	struct bytes b = script_written(s);
	FILE *f = open_bytes(b);
	struct tr_reader *r;
	struct tr_err err;
	struct tr_cta c;
	int rc = read_all(b, NULL, NULL);

	read_all(b, &part, NULL);
	tr_cta_init(&c);
	assert_int_equal(tr_reader_open(&r, f, NULL, &err), 1);
	for (uint32_t i = 2; i--;)
		if (tr_reader_seek(r, i, i ^ 1, &err) > 0)
			while (tr_reader_next(r, &err) > 0)
				tr_reader_cta(r, &c, &err);
	tr_cta_free(&c);
	tr_reader_close(r);
	fclose(f);
	free(b.p);
	return rc;
}

/* The records of small_trial: program, launch, sync, CTAs, launch, sync, CTAs. */
enum { R_PROGRAM, R_LAUNCH, R_SYNC, R_CTAS, R_LAUNCH1, R_SYNC1, R_CTAS1, R_N };

static void drop(struct script *s, uint32_t at)
{
	tr_buf_free(&s->rec[at].data);
	memmove(&s->rec[at], &s->rec[at + 1], (--s->n - at) * sizeof(*s->rec));
}

static void swap(struct script *s, uint32_t a, uint32_t b)
{
	struct part_record r = s->rec[a];

	s->rec[a] = s->rec[b];
	s->rec[b] = r;
}

static void add_again(struct script *s, uint32_t at)
{
	struct part_record *r = &s->rec[s->n++];

	*r = s->rec[at];
	r->data = (struct tr_buf){0};
	tr_buf_put(&r->data, s->rec[at].data.p, s->rec[at].data.len);
}

static void put_byte(struct script *s, uint32_t rec, uint32_t at, int delta)
{
	s->rec[rec].data.p[at] = (uint8_t)(s->rec[rec].data.p[at] + delta);
}

static void test_lies(void **state)
{
	struct trial t;
	struct bytes b;
	struct script s;

	(void)state;
	small_trial(&t);
	b = trial_written(&t, LOWEST_RANK, 0, 1);
	/* Each lie is told by the variable parts of one case; `wrong` counts what must not pass. */
	for (int lie = 0;; lie++) {
		int want = TR_EDATA, last = 0;

		script_load(&s, b);
		assert_int_equal(s.n, R_N);
		switch (lie) {
		case 0: /* none */
			want = 0;
			break;
		case 1:
			drop(&s, R_PROGRAM);
			break;
		case 2:
			drop(&s, R_LAUNCH);
			break;
		case 3:
			drop(&s, R_CTAS);
			drop(&s, R_SYNC);
			break;
		case 4:
			drop(&s, R_CTAS1);
			drop(&s, R_SYNC1);
			break;
		case 5: /* the second launch whole */
			while (s.n > R_LAUNCH1)
				drop(&s, R_LAUNCH1);
			break;
		case 6: /* allowed: the reads are optional, but counted */
			drop(&s, R_SYNC);
			break;
		case 7:
			swap(&s, R_SYNC, R_CTAS);
			break;
		case 8:
			swap(&s, R_SYNC, R_SYNC1);
			break;
		case 9:
			swap(&s, R_LAUNCH, R_LAUNCH1);
			break;
		case 10:
			add_again(&s, R_CTAS1);
			break;
		case 11:
			add_again(&s, R_PROGRAM);
			break;
		case 12:
			add_again(&s, R_SYNC1);
			break;
		case 13: /* one CTA of two */
			s.rec[R_CTAS].n = 1;
			break;
		case 14:
			s.rec[R_CTAS].n = UINT32_MAX;
			break;
		case 15:
			s.rec[R_CTAS].n = 0;
			break;
		case 16:
			s.rec[R_CTAS].key++;
			break;
		case 17:
			s.rec[R_CTAS].key += 1ull << 32;
			break;
		case 18:
			s.rec[R_LAUNCH].key++;
			break;
		case 19:
			s.rec[R_PROGRAM].key++;
			break;
		case 20:
			s.rec[R_PROGRAM].n = 2;
			break;
		case 21:
			s.rec[R_CTAS].flags = TR_RECF_OPTIONAL;
			break;
		case 22:
			s.rec[R_SYNC].flags = 0;
			break;
		case 23: /* the program of the launch */
			put_byte(&s, R_LAUNCH, 1, 1);
			break;
		case 24: /* its number */
			put_byte(&s, R_LAUNCH, 0, 1);
			break;
		case 25: /* an empty grid */
			put_byte(&s, R_LAUNCH, 7, -1);
			break;
		case 26: /* more threads */
			put_byte(&s, R_LAUNCH, 8, 1);
			break;
		case 27: /* fewer */
			put_byte(&s, R_LAUNCH, 8, -1);
			break;
		case 28:
			s.rec[R_LAUNCH].data.len--;
			break;
		case 29:
			tr_buf_u8(&s.rec[R_LAUNCH].data, 0);
			break;
		case 30:
			tr_buf_u8(&s.rec[R_CTAS].data, 0);
			break;
		case 31:
			s.rec[R_CTAS].data.len--;
			break;
		case 32: /* a byte of kinds becomes one of anchors */
			put_byte(&s, R_CTAS, 0, -1);
			put_byte(&s, R_CTAS, 1, 1);
			break;
		case 33: /* the first CTA gets a byte of the second */
			put_byte(&s, R_CTAS, 0, 1);
			put_byte(&s, R_CTAS, 5, -1);
			break;
		case 34: /* a table without end */
			memset(s.rec[R_CTAS].data.p, 0xff, 10);
			break;
		case 35:
			s.rec[R_CTAS].data.len = 3;
			break;
		case 36: /* no row is of kind 0x80 */
			s.rec[R_CTAS].data.p[10] = 0x80;
			break;
		case 37: /* a guarded load's first row cannot go on from one before: ONE, SAME */
			s.rec[R_CTAS].data.p[10] = 1;
			s.rec[R_CTAS].data.p[11] = 0;
			break;
		case 38:
			s.totals[TR_T_PROGRAMS]++;
			break;
		case 39:
			s.totals[TR_T_LAUNCHES]++;
			break;
		case 40:
			s.totals[TR_T_CTAS]--;
			break;
		case 41:
			s.totals[TR_T_THREADS]++;
			break;
		case 42:
			s.totals[TR_T_THREAD_INSTS]++;
			break;
		case 43:
			s.totals[TR_T_OUTCOMES]++;
			break;
		case 44:
			s.totals[TR_T_VALUES]++;
			break;
		case 45:
			s.totals[TR_T_SYNC_READS]++;
			break;
		case 46: /* a reader that is no thread */
			put_byte(&s, R_SYNC, 4, 100);
			break;
		case 47:
			s.rec[R_SYNC].data.len--;
			break;
		case 48:
			s.rec[R_SYNC].data.p[0] = 0x7f;
			break;
		case 49:
			s.rec[R_SYNC].n++;
			break;
		case 50:
			s.rec[R_SYNC].key++;
			break;
		case 51:
			s.rec[R_SYNC].data.len = 0;
			break;
		case 52: /* all that there is */
			while (s.n)
				drop(&s, 0);
			break;
		case 53:
			add_again(&s, R_LAUNCH1);
			break;
		default:
			last = 1;
		}
		if (last)
			break;
		if (script_read(&s) != want)
			fail_msg("lie %d was believed", lie);
		script_free(&s);
	}
	script_free(&s);
	free(b.p);
	trial_free(&t);
}

/* A list of rounds without progress before the first CTAs: two of them, in the program of 9. */
static void test_spins(void **state)
{
	/* Two CTAs: an entry of 4 bytes, and two of them; each is inst, 1 + polls, rounds, insts.
	 */
	static const uint8_t sound[] = {1, 4, 2, 8, 1, 0, 5, 1, 1, 0, 1, 0, 2, 0, 1, 1};
	static const struct {
		uint32_t at;
		uint8_t byte;
		int want;
	} lies[] = {
		{0, 1, 0},          /* none */
		{4, 100, TR_EDATA}, /* an instruction that the program lacks, */
		{5, 100, TR_EDATA}, /* that polls */
		{6, 0, TR_EDATA},   /* no rounds */
		{7, 127, TR_EDATA}, /* more instructions than the CTA has */
		{12, 1, TR_EDATA},  /* the same again, */
		{12, 0, TR_EDATA},  /* and one before it */
		{0, 2, TR_EDATA},   /* an entry more than there are bytes */
		{1, 3, TR_EDATA},   /* and bytes that are nobody's */
	};
	struct trial t;
	struct bytes b;

	(void)state;
	small_trial(&t);
	b = trial_written(&t, LOWEST_RANK, 0, 1);
	for (int lie = 0; lie < (int)(sizeof(lies) / sizeof(*lies)) + 5; lie++) {
		const int other = lie - (int)(sizeof(lies) / sizeof(*lies));
		struct script s;
		struct part_record r = {TR_REC_SPINS, TR_RECF_OPTIONAL, 0, 2, {0}};
		int want = TR_EDATA;

		script_load(&s, b);
		assert_int_equal(tr_buf_put(&r.data, sound, sizeof(sound)), 0);
		r.key = s.rec[R_CTAS].key;
		if (other < 0) {
			r.data.p[lies[lie].at] = lies[lie].byte;
			want = lies[lie].want;
		}
		r.n += other == 0;
		r.key += other == 1;
		r.flags = other == 2 ? 0 : r.flags;
		memmove(&s.rec[R_SYNC + 1], &s.rec[R_SYNC], (s.n++ - R_SYNC) * sizeof(*s.rec));
		s.rec[R_SYNC] = r;
		if (other == 3) /* it stands before the list of reads, not after it */
			swap(&s, R_SYNC, R_SYNC + 1);
		if (other == 4) { /* and before CTAs */
			drop(&s, R_SYNC + 1);
			drop(&s, R_SYNC + 1);
		}
		if (script_read(&s) != want)
			fail_msg("lie %d of %d was taken wrong", lie, other);
		script_free(&s);
	}
	free(b.p);
	trial_free(&t);
}

/* Any byte of any record replaced, or a record cut: nothing breaks, and no CTA is too long. */
static void test_random_lies(void **state)
{
	uint64_t rng = 1;
	struct trial t;
	struct bytes b;

	(void)state;
	small_trial(&t);
	b = trial_written(&t, LOWEST_RANK, 0, 1);
	for (int k = 0; k < 6000; k++) {
		struct script s;
		struct part_record *r;

		script_load(&s, b);
		r = &s.rec[dice(&rng, s.n)];
		for (uint32_t n = 1 + dice(&rng, 3); n; n--)
			r->data.p[dice(&rng, (uint32_t)r->data.len)] = (uint8_t)dice(&rng, 256);
		if (!dice(&rng, 8))
			r->data.len = dice(&rng, (uint32_t)r->data.len + 1);
		script_read(&s);
		script_free(&s);
	}
	free(b.p);
	trial_free(&t);
}

/* A program that goes round for ever without a choice: no record can end, and none begins. */
static void test_endless(void **state)
{
	struct maker *m = grown(NULL, sizeof(*m));
	uint8_t out[1] = {1};
	struct tr_thread thread = {.outcomes = out, .noutcomes = 1};
	struct tr_cta c = {.nthreads = 1, .threads = &thread};
	struct tr_launch l = {.grid = {2, 1, 1}, .block = {1, 1, 1}, .after = TR_NONE};
	struct tr_program *p;
	struct tr_writer *w;
	struct tr_err err;
	struct script s;
	struct bytes b;
	uint32_t loop;
	char *text;
	FILE *f = open_memstream(&text, &b.len);

	(void)state;
	maker_start(m, 0);
	loop = label_new(m);
	add_branch(m, loop);
	add_exit(m, 0);
	label_here(m, loop);
	add_jump(m, loop);
	p = maker_done(m);
	assert_int_equal(tr_writer_open(&w, f, NULL, &err), 1);
	assert_int_equal(tr_writer_program(w, p, &err), 0);
	assert_int_equal(tr_writer_launch(w, &l, &err), 1);
	assert_int_equal(tr_writer_cta(w, &c, &err), TR_EDATA);
	out[0] = 0;
	assert_int_equal(tr_writer_cta(w, &c, &err), 1);
	c.number = 1;
	assert_int_equal(tr_writer_cta(w, &c, &err), 1);
	assert_int_equal(tr_writer_launch_end(w, &err), 1);
	assert_int_equal(tr_writer_close(w, &err), 1);
	fclose(f);
	b.p = (uint8_t *)text;
	script_load(&s, b);
	assert_int_equal(script_read(&s), 0);
	s.rec[2].data.p[10] = 1; /* the one row of the first CTA: into the loop */
	assert_int_equal(script_read(&s), TR_EDATA);
	script_free(&s);
	free(text);
	tr_program_free(p);
	free(m);
}

static void put_block(FILE *f, struct tr_head h, uint64_t *sequence, const void *data, size_t len)
{
	uint8_t head[TR_HEAD_BYTES];

	h.flags |= TR_BLOCKF_RAW;
	h.raw = h.stored = (uint32_t)len;
	h.sum = XXH3_64bits(data, len);
	tr_head_encode(head, &h, (*sequence)++);
	fwrite(head, 1, sizeof(head), f);
	fwrite(data, 1, len, f);
}

/* ---- seeds ---- */

/*
 * The same stream with nothing compressed: then a fuzzer's small changes are small changes of
 * records. The sum over all blocks in the end block stays out, since a fuzzer's build ignores it.
 */
static struct bytes uncompressed(struct bytes b)
{
	struct tr_index_entry e, last = {0};
	uint8_t end[TR_END_BYTES] = {0}, footer[TR_FOOTER_BYTES] = {0}, entry[TR_INDEX_ENTRY_MAX];
	struct tr_buf index = {0};
	uint64_t sequence = 0, offset = TR_HEADER_BYTES + 8;
	struct script s;
	struct bytes out;
	char *p;
	FILE *f = open_memstream(&p, &out.len);

	script_load(&s, b);
	memset(end, 0, sizeof(end));
	fwrite(b.p, 1, 16, f);
	fwrite(end, 1, 16, f); /* no provenance, no sum */
	for (uint32_t i = 0; i < s.n; i++) {
		struct part_record *r = &s.rec[i];

		e = (struct tr_index_entry){offset, sequence, r->key, r->n, r->type};
		tr_buf_put(&index, entry, tr_index_encode(entry, &e, &last));
		last = e;
		put_block(f,
			(struct tr_head){.type = (uint8_t)r->type,
				.flags = (uint8_t)r->flags,
				.key = r->key,
				.n = r->n},
			&sequence, r->data.p, r->data.len);
		offset += TR_HEAD_BYTES + r->data.len;
	}
	for (int i = 0; i < TR_MAX_TOTALS; i++)
		tr_le_put(end + 8 * i, 8, s.totals[i]);
	tr_le_put(end + 8 * TR_MAX_TOTALS, 8, sequence);
	tr_le_put(footer, 8, offset);
	tr_le_put(footer + 8, 8, sequence);
	memcpy(footer + 16, TR_FOOTER_MAGIC, TR_MAGIC_BYTES);
	put_block(f, (struct tr_head){.type = TR_REC_END}, &sequence, end, sizeof(end));
	put_block(f, (struct tr_head){.type = TR_REC_INDEX}, &sequence, index.p, index.len);
	fwrite(footer, 1, sizeof(footer), f);
	fclose(f);
	tr_buf_free(&index);
	script_free(&s);
	free(b.p);
	out.p = (uint8_t *)p;
	return out;
}

static void write_seed(const char *folder, const char *name, struct bytes b)
{
	char path[4096];
	FILE *f;

	b = uncompressed(b);

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "wb");
	if (f) {
		fwrite(b.p, 1, b.len, f);
		fclose(f);
	}
	free(b.p);
}

static int write_seeds(const char *folder)
{
	struct trial t;

	small_trial(&t);
	write_seed(folder, "small.wt", trial_written(&t, LOWEST_RANK, 0, 1));
	trial_free(&t);
	for (uint64_t seed = 0; seed < 40; seed++) {
		char name[32];

		random_trial(&t, seed);
		snprintf(name, sizeof(name), "trial-%u.wt", (unsigned)seed);
		write_seed(folder, name, trial_written(&t, LOWEST_RANK, 0, seed));
		trial_free(&t);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_bit),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_spins),
		cmocka_unit_test(test_random_lies),
		cmocka_unit_test(test_endless),
	};

	if (argc > 1)
		return write_seeds(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
