/*
 * Text to an access stream. The first reading finds every broken line, the PCs and the widest warp;
 * the second writes. Memory is bounded by the distinct PCs.
 *
 * What the text does not say is not made up: there are no loops and no trips, one SM, and one CTA
 * unless there are more warps than fit.
 */
#include "sim/convert/lines.h"
#include "libtrace/chance.h"
#include "sim/convert/text.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define PCS_MAX (1u << 22)
/* A program is as long as its PCs tell if they are of 8-byte instructions and not beyond this. */
#define PLACED_MAX (1u << 14)
#define SIZE_MAX_BYTES 4096u /* of one access */
#define LINE_BYTES_MIN 32u
#define LINE_BYTES_MAX 1024u

/* ---- the PCs ---- */

struct pc {
	uint64_t value;
	uint32_t inst; /* its instruction; while they are collected, 0 */
	uint8_t op;    /* of its first access: enum tr_access_op */
	uint8_t used;
};

struct pcs {
	struct pc *slots; /* a hash table */
	uint32_t nslots, n;
	uint64_t seed; /* of the hash */
	uint64_t highest;
	int placed; /* each value is 8 times its instruction's number */
};

static struct pc *pc_slot(const struct pcs *s, uint64_t value)
{
	uint32_t h = (uint32_t)XXH3_64bits_withSeed(&value, sizeof(value), s->seed);

	for (;; h++) {
		struct pc *at = &s->slots[h & (s->nslots - 1)];

		if (!at->used || at->value == value)
			return at;
	}
}

static int pcs_grow(struct pcs *s)
{
	struct pcs grown = *s;

	grown.nslots = s->nslots ? 2 * s->nslots : 1024;
	grown.slots = calloc(grown.nslots, sizeof(*grown.slots));
	if (!grown.slots)
		return -1;
	for (uint32_t i = 0; i < s->nslots; i++)
		if (s->slots[i].used)
			*pc_slot(&grown, s->slots[i].value) = s->slots[i];
	free(s->slots);
	*s = grown;
	return 0;
}

/* 0, or -1 without memory. */
static int pcs_add(struct pcs *s, uint64_t value, uint8_t op)
{
	struct pc *at;

	if (2 * s->n >= s->nslots && pcs_grow(s))
		return -1;
	at = pc_slot(s, value);
	if (at->used)
		return 0;
	*at = (struct pc){.value = value, .op = op, .used = 1};
	s->n++;
	s->placed &= value % TR_PC_BYTES == 0 && value / TR_PC_BYTES < PLACED_MAX;
	if (value > s->highest)
		s->highest = value;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = ((const struct pc *)a)->value, y = ((const struct pc *)b)->value;

	return x < y ? -1 : x > y;
}

/* ---- a conversion ---- */

struct import {
	const struct cv_text *t;
	const struct cv_input *in;
	const struct cv_options *opt;
	struct tr_err *err;
	/* Found by the first reading: */
	struct pcs pcs;
	int without_pc; /* some access has no PC: the program begins with a load and a store */
	uint32_t max_warp, max_lanes;
	uint64_t accesses, fetches, left_out, straddling;
	/* The second: */
	struct tr_access_writer *w;
	uint32_t warp_size, warps; /* warps of a CTA */
	int in_launch;
	uint64_t fetched;
	uint64_t warp_insts, thread_insts; /* before the instruction at hand */
	/* Both: */
	uint64_t pc; /* of the last fetch */
	int has_pc;
};

static int no_memory(const struct import *m)
{
	return tr_fail(m->err, TR_EMEM, 0, "no memory for the PCs of %s", m->in->name);
}

/* What is wrong with a line, or NULL. */
static const char *parse_line(const struct cv_text *t, const char *line, struct cv_text_line *l)
{
	const char *why;

	*l = (struct cv_text_line){
		.what = CV_ACCESS, .ops = CV_READS, .size = 1, .lanes = 1, .space = TR_S_GLOBAL};
	if (!*cv_skip_blanks(line)) {
		l->what = CV_NOTHING;
		return NULL;
	}
	why = t->parse(line, l);
	if (why || l->what != CV_ACCESS)
		return why;
	if (!l->size)
		return "an access of no bytes";
	if (l->size > SIZE_MAX_BYTES)
		return "an access of more than 4096 bytes";
	if (l->address > UINT64_MAX - (l->size - 1))
		return "an access beyond the end of memory";
	return NULL;
}

static int fail_line(
	const struct import *m, const struct cv_lines *in, const char *line, const char *why)
{
	char excerpt[49];
	size_t n = 0;

	for (; line[n] && n < sizeof(excerpt) - 1; n++)
		excerpt[n] = line[n] >= ' ' && line[n] <= '~' ? line[n] : '?';
	excerpt[n] = 0;
	return cv_lines_fail(
		in, m->err, "%s: '%s%s'", why, excerpt, n == sizeof(excerpt) - 1 ? "..." : "");
}

/* Calls `each` for every line that says something. */
static int read_text(struct import *m, int (*each)(struct import *, const struct cv_text_line *))
{
	struct cv_lines *in;
	struct cv_text_line l;
	const char *why;
	char *line;
	size_t len;
	int rc;

	m->has_pc = 0;
	rewind(m->in->f);
	rc = cv_lines_open(&in, m->in->f, m->in->name, m->err);
	if (rc < 0)
		return rc;
	while ((rc = cv_lines_next(in, &line, &len, m->err)) > 0) {
		why = parse_line(m->t, line, &l);
		if (why)
			rc = fail_line(m, in, line, why);
		if (l.what == CV_FETCH) {
			m->pc = l.pc;
			m->has_pc = 1;
		} else if (!l.has_pc && m->has_pc) {
			l.pc = m->pc;
			l.has_pc = 1;
		}
		if (rc > 0 && l.what != CV_NOTHING)
			rc = each(m, &l);
		if (rc < 0)
			break;
	}
	cv_lines_close(in);
	return rc;
}

/* ---- the first reading ---- */

static int survey(struct import *m, const struct cv_text_line *l)
{
	m->fetches += l->what == CV_FETCH;
	m->left_out += l->what == CV_LEFT_OUT;
	if (l->what != CV_ACCESS)
		return 1;
	m->accesses++;
	m->straddling += l->address % m->opt->line_bytes + l->size > m->opt->line_bytes;
	if (l->warp > m->max_warp)
		m->max_warp = l->warp;
	if (l->lanes > m->max_lanes)
		m->max_lanes = l->lanes;
	if (!l->has_pc)
		m->without_pc = 1;
	else if (pcs_add(&m->pcs, l->pc, l->ops & CV_READS ? TR_A_READ : TR_A_WRITE))
		return no_memory(m);
	else if (m->pcs.n > PCS_MAX)
		return tr_fail(m->err, TR_EDATA, 0, "%s: more than %u different PCs", m->in->name,
			PCS_MAX);
	return 1;
}

/* ---- the program ---- */

struct maker {
	struct tr_program *p;
	uint32_t base; /* the register that an address comes from */
	int oom;
};

static void add_inst(struct maker *k, const char *text, enum tr_class cls)
{
	const int64_t name = k->oom ? TR_EMEM : tr_program_string(k->p, text);
	const uint32_t next = k->p->ninsts + 1;
	struct tr_inst in = {.opcode = (uint32_t)name,
		.cls = cls,
		.guard = TR_NONE,
		.base = TR_NONE,
		.file = TR_NONE};

	if (cls == TR_C_LOAD || cls == TR_C_STORE) {
		in.space = TR_S_GLOBAL;
		in.bytes = in.vec = 1;
		in.base = k->base;
	}
	k->oom |= name < 0 ||
		  tr_program_inst(k->p, &in, NULL, 0, NULL, 0, &next, cls != TR_C_EXIT) < 0;
}

static void add_access(struct maker *k, const struct pc *pc, int placed)
{
	char text[40];
	const char *op = pc->op == TR_A_READ ? "load" : "store";

	if (placed)
		snprintf(text, sizeof(text), "%s", op);
	else
		snprintf(text, sizeof(text), "%s@0x%llx", op, (unsigned long long)pc->value);
	add_inst(k, text, pc->op == TR_A_READ ? TR_C_LOAD : TR_C_STORE);
}

/* In the order of their PCs; with nothing between them, or what the distance tells. */
static void add_instructions(struct maker *k, struct import *m)
{
	struct pc *sorted = calloc(m->pcs.n + 1u, sizeof(*sorted));
	uint32_t n = 0;

	if (!sorted) {
		k->oom = 1;
		return;
	}
	for (uint32_t i = 0; i < m->pcs.nslots; i++)
		if (m->pcs.slots[i].used)
			sorted[n++] = m->pcs.slots[i];
	qsort(sorted, n, sizeof(*sorted), by_value);
	for (uint32_t i = 0; i < n && !k->oom; i++) {
		while (m->pcs.placed && k->p->ninsts < sorted[i].value / TR_PC_BYTES && !k->oom)
			add_inst(k, "unknown", TR_C_OTHER);
		pc_slot(&m->pcs, sorted[i].value)->inst = k->p->ninsts;
		add_access(k, &sorted[i], m->pcs.placed);
	}
	free(sorted);
}

static int write_program(struct import *m)
{
	struct maker k = {.p = tr_program_new("text")};
	int64_t rc, base;

	if (!k.p)
		return no_memory(m);
	base = tr_program_reg(k.p, "%address", 64);
	k.oom = base < 0;
	k.base = (uint32_t)base;
	if (m->without_pc) {
		m->pcs.placed = 0;
		add_inst(&k, "load", TR_C_LOAD);
		add_inst(&k, "store", TR_C_STORE);
	}
	if (m->pcs.n)
		add_instructions(&k, m);
	add_inst(&k, "exit", TR_C_EXIT);
	rc = k.oom ? no_memory(m) : tr_program_analyze(k.p, m->err);
	if (rc > 0)
		rc = tr_access_writer_program(m->w, k.p, m->err);
	tr_program_free(k.p);
	return rc < 0 ? (int)rc : 1;
}

/* ---- the second reading ---- */

static int begin_launch(struct import *m)
{
	const uint32_t warps = m->max_warp < m->warps ? m->max_warp + 1 : m->warps;
	struct tr_launch l = {
		.after = TR_NONE,
		.grid = {m->max_warp / m->warps + 1, 1, 1},
		.block = {warps * m->warp_size, 1, 1},
		.parent_launch = TR_NONE,
		.parent_cta = TR_NONE,
		.parent_thread = TR_NONE,
	};

	m->in_launch = 1;
	return tr_access_writer_launch(m->w, &l, m->err);
}

static uint32_t sectors_of(uint32_t first, uint32_t n)
{
	const uint32_t from = first / 32, to = (first + n - 1) / 32;

	return (uint32_t)((2ull << to) - (1ull << from));
}

/* One line's loads or stores: as many accesses as it touches lines of the cache. */
static int write_accesses(struct import *m, const struct cv_text_line *l, uint8_t op)
{
	const uint32_t line_bytes = m->opt->line_bytes;
	uint64_t address = l->address;
	struct tr_access a = {
		.warp_insts = m->warp_insts,
		.thread_insts = m->thread_insts,
		.cta = l->warp / m->warps,
		.warp = l->warp % m->warps,
		.inst = l->has_pc ? pc_slot(&m->pcs, l->pc)->inst : op == TR_A_WRITE,
		.loop = TR_NONE,
		.space = l->space,
		.op = op,
		.result = l->result,
		.first = 1,
		.active = (uint8_t)(l->lanes - 1),
	};
	int rc = 1;

	for (uint32_t i = 0; i < l->lanes; i++)
		a.lanes[i / 64] |= 1ull << i % 64;
	for (uint32_t left = l->size, n; left && rc > 0; left -= n, address += n) {
		const uint32_t offset = (uint32_t)(address % line_bytes);

		n = left < line_bytes - offset ? left : line_bytes - offset;
		a.line = address - offset;
		a.bytes = (uint16_t)n;
		a.sectors = sectors_of(offset, n);
		rc = tr_access_write(m->w, &a, m->err);
		a.first = 0;
	}
	return rc;
}

static int convert(struct import *m, const struct cv_text_line *l)
{
	int rc = 1;

	if (l->what == CV_FLUSH)
		m->in_launch = 0;
	if (l->what == CV_FETCH)
		m->warp_insts = m->thread_insts = m->fetched++;
	if (l->what != CV_ACCESS)
		return 1;
	if (!m->in_launch)
		rc = begin_launch(m);
	if (rc > 0 && l->ops & CV_READS)
		rc = write_accesses(m, l, TR_A_READ);
	if (rc > 0 && l->ops & CV_WRITES)
		rc = write_accesses(m, l, TR_A_WRITE);
	if (!m->fetches) {
		m->warp_insts++;
		m->thread_insts += l->lanes;
	}
	return rc;
}

static int check_options(const struct cv_options *opt, struct tr_err *err)
{
	const uint32_t n = opt->line_bytes;

	return n >= LINE_BYTES_MIN && n <= LINE_BYTES_MAX && !(n & (n - 1))
		       ? 1
		       : tr_fail(err, TR_EUSAGE, 0,
				 "lines of %u bytes: a power of two from %u to %u is wanted", n,
				 LINE_BYTES_MIN, LINE_BYTES_MAX);
}

static int write_stream(struct import *m, FILE *out)
{
	const struct tr_writer_options options = {.provenance = m->opt->provenance};
	struct tr_access_info info = {
		.line_bytes = m->opt->line_bytes, .sms = 1, .write = m->t->write};
	int rc;

	for (m->warp_size = m->t->warp_size; m->warp_size < m->max_lanes;)
		m->warp_size *= 2;
	m->warps = TR_CTA_THREADS_MAX / m->warp_size;
	info.warp_size = m->warp_size;
	rc = tr_access_writer_open(&m->w, out, &info, &options, m->err);
	if (rc > 0)
		rc = write_program(m);
	if (rc > 0)
		rc = read_text(m, convert);
	if (rc < 0) {
		tr_access_writer_abandon(m->w);
		return rc;
	}
	return m->fetches ? tr_access_writer_close(m->w, m->fetches, m->fetches, m->err)
			  : tr_access_writer_close(m->w, m->warp_insts, m->thread_insts, m->err);
}

int cv_text_import(const struct cv_text *t, const struct cv_input *in, FILE *out,
	const struct cv_options *opt, struct cv_report *report, struct tr_err *err)
{
	struct import m = {.t = t,
		.in = in,
		.opt = opt,
		.err = err,
		.pcs = {.placed = 1, .seed = tr_chance()}};
	int rc = check_options(opt, err);

	if (rc > 0)
		rc = pcs_grow(&m.pcs) ? no_memory(&m) : read_text(&m, survey);
	if (rc == 0)
		rc = m.accesses
			     ? write_stream(&m, out)
			     : tr_fail(err, TR_EDATA, 0, "%s: there is no access in it", in->name);
	free(m.pcs.slots);
	if (rc < 0)
		return rc;
	if (m.fetches)
		cv_note(report, m.fetches,
			"instruction fetches: counted as instructions, no accesses");
	else
		cv_note(report, m.accesses,
			"accesses, each counted as an instruction: the text counts none");
	cv_note(report, m.straddling, "accesses that straddle lines of %u bytes", opt->line_bytes);
	cv_note(report, m.left_out, "%s", t->left_out ? t->left_out : "");
	return 1;
}

/* ---- which format it is ---- */

/* In the order in which a tie is decided. */
static const struct cv_text *const texts[] = {
	&cv_text_lackey, &cv_text_ccws, &cv_text_xdin, &cv_text_din, &cv_text_addr, NULL};

/* Lines from the top of head that t can read; the last one may be cut. */
static unsigned lines_read(const struct cv_text *t, const char *head, size_t n)
{
	struct cv_text_line l;
	unsigned count = 0;
	char line[256];

	for (const char *end; (end = memchr(head, '\n', n));
		n -= (size_t)(end - head) + 1, head = end + 1) {
		size_t len = (size_t)(end - head);

		if (len && head[len - 1] == '\r')
			len--;
		if (len >= sizeof(line))
			break;
		memcpy(line, head, len);
		line[len] = 0;
		if (parse_line(t, line, &l))
			break;
		count += *cv_skip_blanks(line) != 0;
	}
	return count;
}

int cv_text_sniff(const struct cv_text *t, const char *head, size_t n)
{
	const unsigned mine = lines_read(t, head, n);
	int before = 1; /* t comes later in the list, so a tie is the other's */

	for (unsigned i = 0; texts[i]; i++) {
		const unsigned other = lines_read(texts[i], head, n);

		if (texts[i] == t)
			before = 0;
		else if (other > mine || (before && other == mine))
			return 0;
	}
	return mine > 0;
}
