/*
 * The access stream: what was written is read, whole and in parts, from files and pipes, for narrow
 * and wide warps, also by a plain second decoder written from FORMAT.md; every cut and every
 * flipped bit is found; lies under right checksums break nothing. The accesses are random, some
 * orderly as warps make them and some without any order.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "libtrace/access.h"
#include "libtrace/buf.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
	uint8_t *p;
	size_t len;
};

static uint64_t rng;

static uint64_t random64(void)
{
	uint64_t x = rng += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static uint32_t dice(uint32_t n)
{
	return (uint32_t)(random64() >> 32) % n;
}

/* ---- programs, launches and accesses ---- */

/* A load; a loop of two loads and, within it, a loop of an atomic and a store; a generic load. */
enum { I_FIRST, I_OUTER, I_OUTER2, I_INNER, I_STORE, I_BACK, I_OUTER_BACK, I_GENERIC, I_EXIT };

static struct tr_program *program_new(const char *name)
{
	static const struct {
		uint8_t cls, space, bytes;
		uint32_t target;
	} insts[] = {
		{TR_C_LOAD, TR_S_GLOBAL, 4, 0},
		{TR_C_LOAD, TR_S_GLOBAL, 8, 0},
		{TR_C_LOAD, TR_S_LOCAL, 4, 0},
		{TR_C_ATOMIC, TR_S_GLOBAL, 4, 0},
		{TR_C_STORE, TR_S_GLOBAL, 1, 0},
		{TR_C_BRANCH, 0, 0, I_INNER},
		{TR_C_BRANCH, 0, 0, I_OUTER},
		{TR_C_LOAD, TR_S_GENERIC, 4, 0},
		{TR_C_EXIT, 0, 0, 0},
	};
	struct tr_program *p = tr_program_new(name);
	struct tr_err err;
	int64_t addr, pred;

	assert_non_null(p);
	addr = tr_program_reg(p, "%rd1", 64);
	pred = tr_program_reg(p, "%p1", 1);
	for (uint32_t i = 0; i < sizeof(insts) / sizeof(insts[0]); i++) {
		const int branch = insts[i].cls == TR_C_BRANCH;
		const uint32_t succ[2] = {
			insts[i].cls == TR_C_EXIT ? TR_EXIT : i + 1, insts[i].target};
		const struct tr_inst in = {
			.opcode = (uint32_t)tr_program_string(p, "op"),
			.cls = insts[i].cls,
			.space = insts[i].space,
			.bytes = insts[i].bytes,
			.vec = insts[i].bytes ? 1 : 0,
			.guard = branch ? (uint32_t)pred : TR_NONE,
			.base = insts[i].bytes ? (uint32_t)addr : TR_NONE,
			.file = TR_NONE,
		};

		assert_true(tr_program_inst(p, &in, NULL, 0, NULL, 0, succ, branch ? 2 : 1) == i);
	}
	assert_int_equal(tr_program_analyze(p, &err), 1);
	assert_int_equal(p->nloops, 2);
	return p;
}

static uint32_t loop_of(const struct tr_program *p, uint32_t inst)
{
	return p->blocks[p->insts[inst].block].loop;
}

#define LAUNCHES 3
struct trial {
	struct tr_access_info info;
	struct tr_program *programs[2];
	struct tr_launch launches[LAUNCHES];
	uint32_t first[LAUNCHES + 1]; /* accesses of each launch */
	struct tr_access *a;
	uint32_t cap;
	uint64_t warp_insts, thread_insts, groups;
};

static uint32_t lanes_of(const struct trial *t)
{
	return t->info.warp_size ? t->info.warp_size : TR_LANES_MAX;
}

static struct tr_access *append(struct trial *t, const struct tr_access *a)
{
	const uint32_t n = t->first[LAUNCHES];

	if (n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 1024;
		t->a = realloc(t->a, t->cap * sizeof(*t->a));
		assert_non_null(t->a);
	}
	t->a[n] = *a;
	t->first[LAUNCHES]++;
	return &t->a[n];
}

static void set_lane(uint64_t *m, uint32_t l)
{
	m[l / 64] |= 1ull << l % 64;
}

/* Everything at its whim, within the rules. */
static void chaotic_group(struct trial *t, const struct tr_program *p, struct tr_access a)
{
	const uint32_t size = lanes_of(t), sectors = t->info.line_bytes / 32;
	uint32_t n = dice(8) ? 1 + dice(5) : 1 + dice(600);

	t->warp_insts += dice(4) ? dice(300) : random64() >> dice(40);
	t->thread_insts += dice(4) ? dice(9000) : random64() >> dice(40);
	a.warp_insts = t->warp_insts;
	a.thread_insts = t->thread_insts;
	a.inst = dice(p->ninsts);
	a.loop = loop_of(p, a.inst);
	a.trip = a.loop == TR_NONE ? 0 : dice(3) ? dice(4) : (uint32_t)random64();
	a.op = (uint8_t)dice(3);
	a.active = (uint8_t)dice(256);
	for (uint32_t i = 0; i < n; i++) {
		a.first = !i;
		a.line = (random64() >> dice(64)) / t->info.line_bytes * t->info.line_bytes;
		memset(a.lanes, 0, sizeof(a.lanes));
		for (uint32_t l = dice(3) ? dice(3) : dice(size); l; l--)
			set_lane(a.lanes, dice(size));
		a.sectors = (uint32_t)(random64() &
				       (sectors >= 32 ? UINT32_MAX
						      : (1u << (sectors ? sectors : 1)) - 1));
		a.bytes = (uint16_t)dice(t->info.line_bytes + 1);
		a.space = (uint8_t)dice(TR_NSPACES);
		a.result = (uint8_t)dice(5);
		append(t, &a);
	}
}

/* As a warp that walks through arrays, coalesced or with a line for each lane. */
static void orderly_group(struct trial *t, const struct tr_program *p, struct tr_access a,
	uint32_t inst, uint32_t trip)
{
	const uint32_t size = lanes_of(t), line = t->info.line_bytes, each = p->insts[inst].bytes;
	const uint32_t per = inst == I_OUTER ? 1 : line / 8 < size ? line / 8 : size;
	uint64_t at = (1ull << 30) * (inst + 1) + ((uint64_t)a.cta * 64 + a.warp) * size * line;

	t->warp_insts += 1 + dice(3);
	t->thread_insts += size;
	a.warp_insts = t->warp_insts;
	a.thread_insts = t->thread_insts;
	a.inst = inst;
	a.loop = loop_of(p, inst);
	a.trip = a.loop == TR_NONE ? 0 : trip;
	a.active = (uint8_t)(size - 1);
	a.first = 1;
	a.op = inst == I_INNER ? TR_A_ATOMIC : inst == I_STORE ? TR_A_WRITE : TR_A_READ;
	a.space = inst == I_OUTER2 ? TR_S_LOCAL : TR_S_GLOBAL;
	a.sectors = 1;
	for (uint32_t l = 0; l < size; l += per, at += line) {
		const uint32_t end = l + per < size ? l + per : size;

		memset(a.lanes, 0, sizeof(a.lanes));
		for (uint32_t k = l; k < end; k++)
			set_lane(a.lanes, k);
		a.line = at + trip / 4 * line;
		a.bytes = (uint16_t)((end - l) * each < line ? (end - l) * each : line);
		append(t, &a);
		a.first = 0;
	}
}

static void trial_make(
	struct trial *t, uint32_t warp_size, uint32_t line, uint32_t groups, uint64_t seed)
{
	rng = seed;
	*t = (struct trial){.info = {.warp_size = warp_size,
				    .line_bytes = line,
				    .sms = seed % 2 ? 4 : 0,
				    .rule = "cc2",
				    .order = "rr",
				    .machine = "test",
				    .sets = 64,
				    .ways = 8,
				    .index = TR_X_HASH,
				    .write = TR_W_ALLOCATE}};
	t->programs[0] = program_new("one");
	t->programs[1] = program_new("two");
	for (uint32_t l = 0; l < LAUNCHES; l++) {
		const struct tr_program *p = t->programs[l % 2];

		t->launches[l] = (struct tr_launch){.number = l ? 2 * l : 0,
			.program = l % 2,
			.after = TR_NONE,
			.parent_launch = TR_NONE,
			.grid = {6 + l, 1, 1},
			.block = {256, 1, 1}};
		t->first[l] = t->first[LAUNCHES];
		for (uint32_t g = 0; g < groups; g++) {
			struct tr_access a = {.sm = g % 4, .cta = g % (6 + l), .warp = 0};

			if (warp_size && warp_size < 256)
				a.warp = g / 16 % (256 / warp_size);
			if (dice(4))
				orderly_group(t, p, a, g / 64 % 5, g / 512);
			else
				chaotic_group(t, p, a);
			t->groups++;
		}
	}
	t->warp_insts++;
}

static void trial_free(struct trial *t)
{
	tr_program_free(t->programs[0]);
	tr_program_free(t->programs[1]);
	free(t->a);
}

static struct bytes trial_written(const struct trial *t)
{
	const struct tr_writer_options opt = {.provenance = "test_access\n"};
	struct tr_access_writer *w;
	struct tr_err err;
	struct bytes b;
	char *p;
	FILE *f = open_memstream(&p, &b.len);

	assert_int_equal(tr_access_writer_open(&w, f, &t->info, &opt, &err), 1);
	for (uint32_t l = 0; l < LAUNCHES; l++) {
		struct tr_launch launch = t->launches[l];

		if (l < 2)
			assert_int_equal(tr_access_writer_program(w, t->programs[l], &err), l);
		assert_int_equal(tr_access_writer_launch(w, &launch, &err), 1);
		assert_int_equal(launch.number, t->launches[l].number);
		for (uint32_t i = t->first[l]; i < t->first[l + 1]; i++)
			assert_int_equal(tr_access_write(w, &t->a[i], &err), 1);
	}
	assert_int_equal(tr_access_writer_close(w, t->warp_insts, t->thread_insts, &err), 1);
	fclose(f);
	b.p = (uint8_t *)p;
	return b;
}

/* ---- reading ---- */

struct source {
	struct bytes b;
	size_t at;
};

static ssize_t source_read(void *cookie, char *buf, size_t size)
{
	struct source *s = cookie;
	const size_t left = s->b.len - s->at, n = size < left ? size : left;

	memcpy(buf, s->b.p + s->at, n);
	s->at += n;
	return (ssize_t)n;
}

/* A stream that cannot seek. */
static FILE *open_pipe(struct source *s)
{
	FILE *f = fopencookie(s, "rb", (cookie_io_functions_t){.read = source_read});

	assert_non_null(f);
	return f;
}

static FILE *open_bytes(struct bytes b)
{
	FILE *f = fmemopen(b.p, b.len, "rb");

	assert_non_null(f);
	return f;
}

#define SAME(x, y, field) assert_int_equal((x)->field, (y)->field)
static void same_access(const struct tr_access *x, const struct tr_access *y)
{
	SAME(x, y, line);
	for (int k = 0; k < TR_LANES_MAX / 64; k++)
		SAME(x, y, lanes[k]);
	SAME(x, y, warp_insts);
	SAME(x, y, thread_insts);
	SAME(x, y, sm);
	SAME(x, y, cta);
	SAME(x, y, warp);
	SAME(x, y, inst);
	SAME(x, y, loop);
	SAME(x, y, trip);
	SAME(x, y, sectors);
	SAME(x, y, bytes);
	SAME(x, y, space);
	SAME(x, y, op);
	SAME(x, y, result);
	SAME(x, y, first);
	SAME(x, y, active);
}

static int in_part(const struct tr_part *p, const struct trial *t, uint32_t l, uint32_t i)
{
	return t->launches[l].number >= p->launch_first &&
	       t->launches[l].number <= p->launch_last && t->a[i].cta >= p->cta_first &&
	       t->a[i].cta <= p->cta_last;
}

/* Reads a part and compares it with what was written. */
static void read_and_compare(FILE *f, const struct trial *t, const struct tr_part *part)
{
	static const struct tr_part all = TR_PART_ALL;
	const struct tr_part *p = part ? part : &all;
	struct tr_access_reader *r;
	const struct tr_access *a;
	uint32_t i = 0, l = LAUNCHES;
	struct tr_err err;
	size_t n;
	int rc;

	assert_int_equal(tr_access_reader_open(&r, f, part, &err), 1);
	assert_memory_equal(tr_access_reader_info(r), &t->info, sizeof(t->info));
	assert_string_equal(tr_access_reader_provenance(r), "test_access\n");
	while ((rc = tr_access_reader_next(r, &a, &n, &err)) > 0) {
		if (rc == TR_A_LAUNCH) {
			for (; l < LAUNCHES && i < t->first[l + 1]; i++)
				assert_false(in_part(p, t, l, i));
			for (l = 0; t->launches[l].number != tr_access_reader_launch(r)->number;
				l++)
				assert_true(l < LAUNCHES);
			assert_string_equal(tr_str(tr_access_reader_program(r),
						    tr_access_reader_program(r)->name),
				l % 2 ? "two" : "one");
			i = t->first[l];
			continue;
		}
		assert_int_equal(rc, TR_A_BATCH);
		assert_in_range(n, 1, 4096);
		for (; n; n--, a++, i++) {
			while (i < t->first[l + 1] && !in_part(p, t, l, i))
				i++;
			assert_true(i < t->first[l + 1]);
			same_access(a, &t->a[i]);
		}
	}
	if (rc)
		fail_msg("%s", err.msg);
	for (; i < t->first[l + 1]; i++)
		assert_false(in_part(p, t, l, i));
	if (!part) {
		const uint64_t *total = tr_access_reader_totals(r);

		assert_int_equal(l, LAUNCHES - 1);
		assert_int_equal(total[TR_AT_PROGRAMS], 2);
		assert_int_equal(total[TR_AT_LAUNCHES], LAUNCHES);
		assert_int_equal(total[TR_AT_ACCESSES], t->first[LAUNCHES]);
		assert_int_equal(total[TR_AT_WARP_INSTS], t->warp_insts);
		assert_int_equal(total[TR_AT_THREAD_INSTS], t->thread_insts);
		assert_int_equal(total[TR_AT_MEM_INSTS], t->groups);
	}
	tr_access_reader_close(r);
	fclose(f);
}

/* All of a stream, whatever it is: the last return code. */
static int read_all(FILE *f, const struct tr_part *part, struct tr_err *err)
{
	struct tr_access_reader *r;
	const struct tr_access *a;
	size_t n;
	int rc = tr_access_reader_open(&r, f, part, err);

	if (rc > 0) {
		while ((rc = tr_access_reader_next(r, &a, &n, err)) > 0)
			if (rc == TR_A_BATCH)
				for (size_t i = 0; i < n; i++) {
					const struct tr_launch *l = tr_access_reader_launch(r);

					assert_true(
						a[i].inst < tr_access_reader_program(r)->ninsts);
					assert_true(a[i].cta < tr_launch_ctas(l));
					assert_true(a[i].space < TR_NSPACES);
					assert_true(
						a[i].bytes <= tr_access_reader_info(r)->line_bytes);
				}
		if (rc < 0) /* it stays so */
			assert_int_equal(tr_access_reader_next(r, &a, &n, err), rc);
		tr_access_reader_close(r);
	}
	fclose(f);
	return rc;
}

static void test_round_trip(void **state)
{
	static const uint32_t sizes[] = {32, 1, 8, 64, 65, 100, 128, 256, 0};
	static const uint32_t lines[] = {128, 32, 256, 1024, 64, 512};

	(void)state;
	for (uint32_t k = 0; k < 27; k++) {
		struct trial t;
		struct bytes b;
		struct source s;

		trial_make(&t, sizes[k % 9], lines[k % 6], 200, k);
		b = trial_written(&t);
		read_and_compare(open_bytes(b), &t, NULL);
		s = (struct source){b, 0};
		read_and_compare(open_pipe(&s), &t, NULL);
		free(b.p);
		trial_free(&t);
	}
}

/* Several records a launch, so that the index has something to choose from. */
static void test_parts(void **state)
{
	static const struct tr_part parts[] = {{2, 2, 0, UINT32_MAX, 0}, {0, UINT32_MAX, 3, 4, 0},
		{0, 4, 7, 7, 0}, {4, 9, 0, 0, 0}, {2, 4, 1, 100, 0}, {0, 0, 0, UINT32_MAX, 0}};
	struct trial t;
	struct bytes b;
	struct tr_err err;

	(void)state;
	trial_make(&t, 32, 128, 12000, 5);
	b = trial_written(&t);
	for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
		struct source s = {b, 0};

		read_and_compare(open_bytes(b), &t, &parts[k]);
		read_and_compare(open_pipe(&s), &t, &parts[k]);
	}
	assert_int_equal(
		read_all(open_bytes(b), &(struct tr_part){1, 1, 0, 9, 0}, &err), TR_EUSAGE);
	assert_string_equal(err.msg, "no CTA of the stream's 3 launches is in the part asked for");
	assert_int_equal(
		read_all(open_bytes(b), &(struct tr_part){0, 9, 8, 9, 0}, &err), TR_EUSAGE);
	free(b.p);
	trial_free(&t);
}

/* An orderly stream is small: about a byte an access. */
static void test_size(void **state)
{
	struct trial t;
	struct bytes b;

	(void)state;
	trial_make(&t, 32, 128, 0, 0);
	for (uint32_t l = 0; l < LAUNCHES; l++) {
		t.first[l] = t.first[LAUNCHES];
		for (uint32_t g = 0; g < 20000; g++, t.groups++)
			orderly_group(&t, t.programs[l % 2],
				(struct tr_access){.sm = g % 6, .cta = g % 6, .warp = g / 6 % 8},
				I_OUTER, g / 48);
	}
	b = trial_written(&t);
	read_and_compare(open_bytes(b), &t, NULL);
	assert_in_range(b.len, 1, t.first[LAUNCHES]);
	free(b.p);
	trial_free(&t);
}

/* ---- a second decoder, written from FORMAT.md ---- */

struct plain_warp {
	uint32_t sm, cta, warp, inst, trip[4];
	uint64_t mask[4];
};

struct plain {
	const struct tr_access_info *info;
	const struct tr_program *p;
	const uint8_t *column[12], *end[12];
	uint64_t last[16];
	uint32_t next[16], trips[16], fixed[16], op[16], space[16];
	struct plain_warp warps[256]; /* by id */
	uint32_t list[4][256], length[4], at[4];
	uint32_t nwarps, sm, born;
	uint32_t (*contexts)[32];
	uint64_t warp_insts, thread_insts;
};

enum { HEAD, STEP, SM, WARP, KIND, SPAN, SECTORS, RESULT, LOST, LINE, MASK, PARAM };

static uint64_t plain_bytes(struct plain *d, int column, unsigned n)
{
	uint64_t v = 0;

	assert_true(d->column[column] + n <= d->end[column]);
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)*d->column[column]++ << 8 * i;
	return v;
}

static uint64_t plain_varint(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0;

	do
		v |= (uint64_t)(**p & 127) << shift;
	while (shift += 7, *(*p)++ & 128);
	return v;
}

static uint64_t plain_zigzag(uint64_t z)
{
	return z >> 1 ^ -(z & 1);
}

static void plain_mask(struct plain *d, uint64_t mask[4], uint32_t lanes)
{
	memset(mask, 0, 32);
	for (unsigned i = 0; i < (lanes + 7) / 8; i++)
		mask[i / 8] |= plain_bytes(d, MASK, 1) << 8 * (i % 8);
}

static uint32_t plain_count(const uint64_t mask[4])
{
	uint32_t n = 0;

	for (int k = 0; k < 4; k++)
		n += (uint32_t)__builtin_popcountll(mask[k]);
	return n;
}

static uint32_t depth_of(const struct tr_program *p, uint32_t inst)
{
	const uint32_t loop = loop_of(p, inst);

	return loop == TR_NONE ? 0 : p->loops[loop].depth;
}

/* The next instruction's accesses against what was written from a on: how many there are. */
static uint32_t plain_inst(struct plain *d, const struct tr_access *a)
{
	static const uint8_t sizes[8] = {0, 1, 2, 3, 4, 5, 6, 8};
	const uint32_t lanes = d->info->warp_size ? d->info->warp_size : 256;
	const uint32_t sms = d->info->sms ? d->info->sms : 65536, line = d->info->line_bytes;
	const unsigned head = (unsigned)plain_bytes(d, HEAD, 1);
	uint64_t step = plain_bytes(d, STEP, 1), lost = 0, left[4];
	unsigned byte = (unsigned)plain_bytes(d, SM, 1);
	uint32_t id, before, base, depth, trip, active, inst, n = 0, kind;
	struct plain_warp *w;

	d->sm = byte == 255 ? (uint32_t)plain_varint(&d->column[PARAM]) : (d->sm + byte) % sms;
	byte = (unsigned)plain_bytes(d, WARP, 1);
	if (byte == 254) {
		w = &d->warps[d->nwarps];
		w->cta = (uint32_t)plain_varint(&d->column[PARAM]);
		w->warp = (uint32_t)plain_varint(&d->column[PARAM]);
		w->sm = d->sm;
		w->inst = TR_NONE;
		for (uint32_t l = 0; l < lanes; l++)
			set_lane(w->mask, l);
		d->at[d->sm] = d->length[d->sm];
		d->list[d->sm][d->length[d->sm]++] = d->nwarps++;
	} else if (byte == 255) {
		d->at[d->sm] = (uint32_t)plain_varint(&d->column[PARAM]);
	} else {
		d->at[d->sm] = (d->at[d->sm] + byte) % d->length[d->sm];
	}
	id = d->list[d->sm][d->at[d->sm]];
	w = &d->warps[id];
	before = w->inst;
	inst = head & 1            ? (uint32_t)plain_varint(&d->column[PARAM])
	       : before == TR_NONE ? d->born
				   : d->next[before];
	depth = depth_of(d->p, inst);
	base = !depth || before == TR_NONE || depth > depth_of(d->p, before) ? 0
									     : w->trip[depth - 1];
	trip = head & 2                      ? (uint32_t)plain_varint(&d->column[PARAM])
	       : !depth || before == TR_NONE ? 0
					     : base + d->trips[before];
	*(before == TR_NONE ? &d->born : &d->next[before]) = inst;
	if (depth) {
		if (before != TR_NONE)
			d->trips[before] = trip - base;
		w->trip[depth - 1] = trip;
	}
	w->inst = inst;
	if (step == 255)
		step = plain_zigzag(plain_varint(&d->column[PARAM]));
	if (head & 32)
		lost = plain_bytes(d, LOST, 2);
	if (lost == 65535)
		lost = plain_zigzag(plain_varint(&d->column[PARAM]));
	d->warp_insts += step;
	d->thread_insts += lanes * step - lost;
	if (head & 8) {
		d->op[inst] = (uint32_t)plain_varint(&d->column[PARAM]);
		d->space[inst] = (uint32_t)plain_varint(&d->column[PARAM]);
	}
	if (head & 4)
		plain_mask(d, w->mask, lanes);
	active = head & 16 ? (uint32_t)plain_varint(&d->column[PARAM]) : plain_count(w->mask) - 1;
	memcpy(left, w->mask, sizeof(left));
	do {
		const uint64_t each = (uint64_t)d->p->insts[inst].bytes * d->p->insts[inst].vec;
		struct tr_access b = {.warp_insts = d->warp_insts,
			.thread_insts = d->thread_insts,
			.sm = d->sm,
			.cta = w->cta,
			.warp = w->warp,
			.inst = inst,
			.loop = loop_of(d->p, inst),
			.trip = trip,
			.op = (uint8_t)d->op[inst],
			.space = (uint8_t)d->space[inst],
			.first = !n,
			.active = (uint8_t)active};
		const unsigned span = (kind = (unsigned)plain_bytes(d, KIND, 1),
			(unsigned)plain_bytes(d, SPAN, 1));
		uint32_t low = 0, *c;
		uint64_t number;

		while (low < 256 && !(left[low / 64] >> low % 64 & 1))
			low++;
		for (uint32_t l = low; l < 256 && l <= low + span; l++)
			if (left[l / 64] >> l % 64 & 1)
				set_lane(b.lanes, l);
		if (kind & 16)
			plain_mask(d, b.lanes, lanes);
		for (int k = 0; k < 4; k++)
			left[k] &= ~b.lanes[k];
		b.bytes = (uint16_t)(d->fixed[inst] ? d->fixed[inst] : plain_count(b.lanes) * each);
		if (kind & 32) {
			b.bytes = (uint16_t)plain_varint(&d->column[PARAM]);
			d->fixed[inst] = b.bytes == plain_count(b.lanes) * each ? 0 : b.bytes;
		}
		if (kind & 64)
			b.space = (uint8_t)plain_varint(&d->column[PARAM]);
		b.sectors = (uint32_t)plain_bytes(d, SECTORS, line <= 256 ? 1 : line / 256);
		if (d->end[RESULT])
			b.result = (uint8_t)plain_bytes(d, RESULT, 1);
		else
			b.result = *d->column[RESULT];
		for (low = 0; low < 256 && !(b.lanes[low / 64] >> low % 64 & 1);)
			low++;
		c = &d->contexts[(2654435761u * id + 2246822519u * inst) >> 20][low % 32];
		number = d->last[inst];
		if (*c)
			number = number >> 32 << 32 | *c;
		number += plain_zigzag(plain_bytes(d, LINE, sizes[kind & 7]));
		*c = (uint32_t)number;
		d->last[inst] = number;
		b.line = number * line;
		same_access(&b, &a[n++]);
	} while (kind & 8);
	return n;
}

static uint32_t plain_record(const struct trial *t, uint32_t launch, const struct tr_record *rec,
	const struct tr_access *a)
{
	struct plain *d = calloc(1, sizeof(*d));
	const uint8_t *p = rec->data;
	uint64_t insts, accesses, len[12] = {0};
	uint32_t n = 0;

	assert_non_null(d);
	d->info = &t->info;
	d->p = t->programs[t->launches[launch].program];
	d->contexts = calloc(4096, sizeof(*d->contexts));
	assert_non_null(d->contexts);
	for (uint32_t i = 0; i < d->p->ninsts; i++) {
		const struct tr_inst *in = &d->p->insts[i];

		d->next[i] = i;
		d->op[i] = in->cls == TR_C_ATOMIC ? 2 : in->cls == TR_C_STORE;
		d->space[i] = in->space == TR_S_GENERIC ? TR_S_GLOBAL : in->space;
	}
	insts = plain_varint(&p);
	accesses = plain_varint(&p);
	d->warp_insts = plain_varint(&p);
	d->thread_insts = plain_varint(&p);
	d->column[RESULT] = p++;
	len[HEAD] = len[STEP] = len[SM] = len[WARP] = insts;
	len[KIND] = len[SPAN] = accesses;
	len[SECTORS] = accesses * (t->info.line_bytes <= 256 ? 1 : t->info.line_bytes / 256);
	len[RESULT] = *d->column[RESULT] == 255 ? accesses : 0;
	for (int c = LOST; c <= PARAM; c++)
		len[c] = plain_varint(&p);
	for (int c = 0; c < 12; c++) {
		if (c == RESULT && !len[c])
			continue;
		d->column[c] = p;
		d->end[c] = p += len[c];
	}
	assert_int_equal(rec->data + rec->len - p, 8);
	for (uint64_t i = 0; i < insts; i++)
		n += plain_inst(d, a + n);
	assert_int_equal(n, accesses);
	for (int c = 0; c < 12; c++)
		assert_true(!d->end[c] || d->column[c] == d->end[c]);
	free(d->contexts);
	free(d);
	return n;
}

static void test_second_decoder(void **state)
{
	static const uint32_t sizes[] = {32, 64, 100, 256};
	static const uint32_t lines[] = {128, 32, 1024, 512};

	(void)state;
	for (uint32_t k = 0; k < 8; k++) {
		uint32_t at = 0, launch = UINT32_MAX;
		struct tr_record rec;
		struct trial t;
		struct bytes b;
		struct tr_err err;
		struct tr_in *in;
		FILE *f;

		trial_make(&t, sizes[k % 4], lines[k % 4], 1500, 2 * k + 1);
		b = trial_written(&t);
		f = open_bytes(b);
		assert_int_equal(tr_in_open(&in, f, &err), 1);
		while (tr_in_next(in, &rec, &err) > 0) {
			launch += rec.type == TR_REC_LAUNCH;
			if (rec.type == TR_REC_ACCESSES)
				at += plain_record(&t, launch, &rec, &t.a[at]);
		}
		assert_int_equal(at, t.first[LAUNCHES]);
		tr_in_close(in);
		fclose(f);
		free(b.p);
		trial_free(&t);
	}
}

static void small_trial(struct trial *t)
{
	trial_make(t, 32, 128, 3, 7);
}

static void test_every_cut_and_flip(void **state)
{
	const struct tr_part part = {2, 4, 0, 3, 0};
	struct trial t;
	struct tr_err err;
	struct bytes b;

	(void)state;
	small_trial(&t);
	b = trial_written(&t);
	for (size_t len = 1; len < b.len; len++) {
		struct bytes cut = {malloc(len), len};

		memcpy(cut.p, b.p, len);
		assert_int_equal(read_all(open_bytes(cut), NULL, &err), TR_ETRUNC);
		assert_int_equal(read_all(open_bytes(cut), &part, &err), TR_ETRUNC);
		free(cut.p);
	}
	for (size_t bit = 0; bit < 8 * b.len; bit++) {
		b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_true(read_all(open_bytes(b), NULL, &err) < 0);
		assert_true(err.msg[0]);
		read_all(open_bytes(b), &part, &err);
		b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	free(b.p);
	trial_free(&t);
}

/* ---- lies under right checksums ---- */

struct piece {
	struct tr_record rec;
	struct tr_buf data;
};

struct script {
	struct piece piece[32];
	uint32_t n;
	uint64_t totals[TR_MAX_TOTALS];
};

static void script_load(struct script *s, struct bytes b)
{
	FILE *f = open_bytes(b);
	struct tr_in *in;
	struct tr_err err;

	*s = (struct script){0};
	assert_int_equal(tr_in_open(&in, f, &err), 1);
	while (tr_in_next(in, &s->piece[s->n].rec, &err) > 0) {
		struct piece *p = &s->piece[s->n++];

		assert_true(s->n < 32);
		assert_int_equal(tr_buf_put(&p->data, p->rec.data, p->rec.len), 0);
	}
	memcpy(s->totals, tr_in_totals(in), sizeof(s->totals));
	tr_in_close(in);
	fclose(f);
}

static void script_free(struct script *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		tr_buf_free(&s->piece[i].data);
}

static int script_read(const struct script *s, struct tr_err *err)
{
	const struct tr_part part = {2, 4, 1, 3, 0};
	struct bytes b;
	struct tr_out *o;
	char *p;
	FILE *f = open_memstream(&p, &b.len);
	int rc;

	assert_int_equal(tr_out_open(&o, f, TR_KIND_ACCESSES, NULL, 1, err), 1);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct tr_record *r = &s->piece[i].rec;

		assert_int_equal(tr_out_begin(o, r->type, r->flags, r->key, r->n, err), 1);
		assert_int_equal(tr_out_put(o, s->piece[i].data.p, s->piece[i].data.len, err), 1);
		assert_int_equal(tr_out_end(o, err), 1);
	}
	assert_int_equal(tr_out_close(o, s->totals, err), 1);
	fclose(f);
	b.p = (uint8_t *)p;
	read_all(open_bytes(b), &part, err);
	rc = read_all(open_bytes(b), NULL, err);
	free(p);
	return rc;
}

static void swap(struct script *s, uint32_t i, uint32_t k)
{
	const struct piece p = s->piece[i];

	s->piece[i] = s->piece[k];
	s->piece[k] = p;
}

/* Records: info, program, launch, accesses, program, launch, accesses, launch, accesses. */
static void lie(struct script *s, int which)
{
	switch (which) {
	case 0:
		swap(s, 0, 1);
		break;
	case 1:
		swap(s, 1, 2);
		break;
	case 2:
		s->piece[3].rec.key += 1ull << 32;
		break;
	case 3:
		s->piece[3].rec.n = 7;
		break;
	case 4:
		s->piece[3].rec.n = 0;
		break;
	case 5:
		s->piece[3].rec.type = TR_REC_CTAS;
		break;
	case 6:
		s->piece[3].rec.flags = TR_RECF_OPTIONAL;
		break;
	case 7:
		s->totals[TR_AT_ACCESSES]++;
		break;
	case 8:
		s->piece[3].data.len--;
		break;
	case 9:
		s->piece[3].data.p[s->piece[3].data.len - 1] = 1;
		break;
	case 10:
		s->piece[3].data.p[0]++; /* instructions */
		break;
	case 11:
		s->piece[5].rec.key = 0;
		break;
	case 12:
		s->piece[0].data.p[1]++; /* bytes of a line */
		break;
	default:
		swap(s, 2, 3);
	}
}

static void test_lies(void **state)
{
	static const char *const why[] = {"does not begin with how its accesses were made",
		"a launch out of order", "accesses of another launch",
		"accesses of CTAs that its launch does not have",
		"accesses of CTAs that its launch does not have",
		"it has no place in an access stream", "it must not be optional",
		"the totals at the end are not those of the stream",
		"other than zeros after its columns", "other than zeros after its columns",
		"after its columns", "a launch out of order", "lines of 129 bytes",
		"another launch"};
	struct trial t;
	struct tr_err err;
	struct script s;
	struct bytes b;

	(void)state;
	small_trial(&t);
	b = trial_written(&t);
	script_load(&s, b);
	assert_int_equal(script_read(&s, &err), 0);
	script_free(&s);
	for (int k = 0; k < (int)(sizeof(why) / sizeof(why[0])); k++) {
		script_load(&s, b);
		lie(&s, k);
		assert_int_equal(script_read(&s, &err), TR_EDATA);
		if (!strstr(err.msg, why[k]))
			fail_msg("lie %d: '%s'", k, err.msg);
		script_free(&s);
	}
	rng = 3;
	for (int k = 0; k < 8000; k++) {
		struct tr_buf *d;

		script_load(&s, b);
		d = &s.piece[dice(4) ? 3 : dice(s.n)].data;
		for (uint32_t n = 1 + dice(3); n; n--)
			d->p[dice((uint32_t)d->len)] = (uint8_t)random64();
		if (!dice(8))
			d->len = dice((uint32_t)d->len + 1);
		script_read(&s, &err);
		script_free(&s);
	}
	free(b.p);
	trial_free(&t);
}

/* ---- misuse ---- */

static int write_one(struct tr_access_writer *w, const struct tr_access *good, size_t offset,
	size_t size, uint64_t value, struct tr_err *err)
{
	struct tr_access a = *good;

	memcpy((char *)&a + offset, &value, size);
	return tr_access_write(w, &a, err);
}
#define WRITE(field, value)                                                                        \
	write_one(w, &good, offsetof(struct tr_access, field), sizeof(good.field), value, &err)

static void test_misuse(void **state)
{
	static const struct tr_access_info info = {.warp_size = 32, .line_bytes = 128, .sms = 2};
	struct tr_access good = {
		.inst = I_FIRST, .loop = TR_NONE, .first = 1, .space = TR_S_GLOBAL};
	struct tr_launch l = {.grid = {2, 1, 1}, .block = {33, 1, 1}, .after = TR_NONE};
	struct tr_program *p = program_new("k");
	struct tr_access_writer *w;
	struct tr_access_info bad = info;
	struct tr_writer *tw;
	struct tr_reader *tr;
	struct tr_access_reader *r;
	struct tr_err err;
	struct bytes b;
	char *text;
	FILE *f = open_memstream(&text, &b.len);

	(void)state;
	bad.line_bytes = 96;
	assert_int_equal(tr_access_writer_open(&w, f, &bad, NULL, &err), TR_EUSAGE);
	assert_null(w);
	assert_int_equal(tr_access_writer_open(&w, f, &info, NULL, &err), 1);
	assert_int_equal(tr_access_write(w, &good, &err), TR_EUSAGE);
	assert_int_equal(tr_access_writer_launch(w, &l, &err), TR_EUSAGE);
	assert_int_equal(tr_access_writer_program(w, p, &err), 0);
	assert_int_equal(tr_access_writer_launch(w, &l, &err), 1);
	assert_int_equal(WRITE(first, 0), TR_EUSAGE);
	assert_int_equal(tr_access_write(w, &good, &err), 1);
	good.first = 0;
	assert_int_equal(WRITE(line, 1ull << 40), 1);
	assert_int_equal(WRITE(trip, 1), TR_EUSAGE);
	assert_int_equal(WRITE(warp_insts, 1), TR_EUSAGE);
	good.first = 1;
	assert_int_equal(WRITE(inst, p->ninsts), TR_EUSAGE);
	assert_int_equal(WRITE(loop, 0), TR_EUSAGE);
	assert_int_equal(WRITE(sm, 2), TR_EUSAGE);
	assert_int_equal(WRITE(cta, 2), TR_EUSAGE);
	assert_int_equal(WRITE(warp, 2), TR_EUSAGE);
	assert_int_equal(WRITE(line, 64), TR_EUSAGE);
	assert_int_equal(WRITE(bytes, 129), TR_EUSAGE);
	assert_int_equal(WRITE(sectors, 16), TR_EUSAGE);
	assert_int_equal(WRITE(lanes[0], 1ull << 32), TR_EUSAGE);
	assert_int_equal(WRITE(lanes[3], 1), TR_EUSAGE);
	assert_int_equal(WRITE(space, TR_NSPACES), TR_EUSAGE);
	assert_int_equal(WRITE(op, 3), TR_EUSAGE);
	assert_int_equal(WRITE(result, 5), TR_EUSAGE);
	l.number = 0; /* the next one gets the next number, */
	assert_int_equal(tr_access_writer_launch(w, &l, &err), 1);
	assert_int_equal(l.number, 1);
	assert_int_equal(tr_access_writer_close(w, 1, 1, &err), 1); /* and need not have accesses */
	fclose(f);
	b.p = (uint8_t *)text;
	assert_int_equal(read_all(open_bytes(b), NULL, &err), 0);
	f = open_bytes(b);
	assert_int_equal(tr_reader_open(&tr, f, NULL, &err), TR_EKIND);
	fclose(f);
	free(text);

	f = open_memstream(&text, &b.len);
	assert_int_equal(tr_writer_open(&tw, f, NULL, &err), 1);
	assert_int_equal(tr_writer_close(tw, &err), 1);
	fclose(f);
	b.p = (uint8_t *)text;
	f = open_bytes(b);
	assert_int_equal(tr_access_reader_open(&r, f, NULL, &err), TR_EKIND);
	assert_string_equal(err.msg, "this is a thread trace, not an access stream");
	assert_null(r);
	fclose(f);
	free(text);

	f = open_memstream(&text, &b.len);
	assert_int_equal(tr_access_writer_open(&w, f, &info, NULL, &err), 1);
	tr_access_writer_abandon(w);
	tr_access_writer_abandon(NULL);
	tr_access_reader_close(NULL);
	fclose(f);
	b.p = (uint8_t *)text;
	assert_int_equal(read_all(open_bytes(b), NULL, &err), TR_ETRUNC);
	free(text);
	tr_program_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_second_decoder),
		cmocka_unit_test(test_every_cut_and_flip),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_misuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
