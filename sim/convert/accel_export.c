/*
 * A thread trace becomes Accel-Sim traces: a list, and a file for each launch. Warps have 32 lanes
 * and run under reconvergence stacks (PDOM); a line's mask holds the lanes whose guard was true, of
 * a conditional branch those that take it. Instructions stand 16 bytes apart.
 *
 * Left out, since the format has no place for it: guards and what else is in predicates, numbers of
 * barriers, allocations, source lines, and the address of a parameter. Registers beyond R254 begin
 * at R0 again. Each class has one opcode, which the table of the machine at hand knows.
 */
#include "libtrace/buf.h"
#include "sim/convert/accel.h"
#include "sim/convert/accel_walk.h"
#include <stdlib.h>
#include <string.h>

#define PC_BYTES 16u
#define REGS 255u  /* R0 ... R254 */
#define SRC_MAX 4u /* their reader takes no more */
#define LIST_NAME "kernelslist.g"
/*
 * Their reader takes a generic address for shared if it lies between the two windows' bases, in
 * this order, and ours lie in the other one.
 */
#define SHARED_WINDOW TR_LOCAL_WINDOW
#define LOCAL_WINDOW TR_SHARED_WINDOW

struct export
{
	const struct cv_output *out;
	const struct cv_options *opt;
	struct tr_reader *r;
	const struct tr_program *p;
	char **texts; /* of the program's instructions: from ndst to W */
	FILE *f;      /* the current launch's file */
	struct tr_buf list, warp;
	uint64_t ctas, ctas_due; /* written, and in the grids */
	struct tr_cta cta;
};

static int no_memory(struct tr_err *err)
{
	return tr_fail(err, TR_EMEM, 0, "no memory to convert a trace");
}

/* ---- text; a buffer that fails to grow stays failed ---- */

#define NUMBER_MAX 24

static bool put_text(struct tr_buf *b, const char *text)
{
	return !tr_buf_put(b, text, strlen(text));
}

static void put_hex(struct tr_buf *b, uint64_t v, unsigned digits)
{
	char text[16];
	unsigned n = 0;

	do
		text[15 - n++] = "0123456789abcdef"[v & 15];
	while ((v >>= 4) || n < digits);
	memcpy(b->p + b->len, text + 16 - n, n);
	b->len += n;
}

static void put_decimal(struct tr_buf *b, int64_t v)
{
	char text[NUMBER_MAX];
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	unsigned n = 0;

	do
		text[NUMBER_MAX - 1 - n++] = (char)('0' + u % 10);
	while (u /= 10);
	if (v < 0)
		text[NUMBER_MAX - 1 - n++] = '-';
	memcpy(b->p + b->len, text + NUMBER_MAX - n, n);
	b->len += n;
}

/* ---- static texts ---- */

static bool has_address(const struct tr_inst *in)
{
	return in->bytes && in->space != TR_S_PARAM;
}

/* Room for ACCEL_REGS_MAX registers and an opcode. */
#define TEXT_MAX 256

static void inst_text(const struct tr_program *p, uint32_t i, uint32_t version, char text[TEXT_MAX])
{
	const struct tr_inst *in = &p->insts[i];
	unsigned src[SRC_MAX], nsrc = 0;
	size_t n;
	bool dst = false;
	char opcode[64];

	for (uint32_t k = 0; k < in->ndst && !dst; k++) {
		const uint32_t r = p->reg_pool[in->dst + k];

		dst = p->regs[r].width > 1;
		if (dst)
			n = (size_t)snprintf(text, TEXT_MAX, "1 R%u ", r % REGS);
	}
	if (!dst)
		n = (size_t)snprintf(text, TEXT_MAX, "0 ");
	if (in->base != TR_NONE)
		src[nsrc++] = in->base % REGS;
	else if (has_address(in))
		src[nsrc++] = ACCEL_RZ;
	for (uint32_t k = 0; k < in->nsrc && nsrc < SRC_MAX; k++) {
		const uint32_t r = p->reg_pool[in->src + k];

		if (p->regs[r].width > 1)
			src[nsrc++] = r % REGS;
	}
	accel_op_name(p, i, version, opcode, sizeof(opcode));
	n += (size_t)snprintf(text + n, TEXT_MAX - n, "%s %u ", opcode, nsrc);
	for (unsigned k = 0; k < nsrc; k++)
		n += (size_t)snprintf(text + n, TEXT_MAX - n, "R%u ", src[k]);
	snprintf(
		text + n, TEXT_MAX - n, "%u ", has_address(in) ? (unsigned)in->bytes * in->vec : 0);
}

static void free_texts(struct export *e)
{
	for (uint32_t i = 0; e->texts && i < e->p->ninsts; i++)
		free(e->texts[i]);
	free(e->texts);
	e->texts = NULL;
}

static int make_texts(struct export *e, const struct tr_program *p, struct tr_err *err)
{
	char text[TEXT_MAX];

	free_texts(e);
	e->p = p;
	e->texts = calloc(p->ninsts, sizeof(*e->texts));
	if (!e->texts)
		return no_memory(err);
	for (uint32_t i = 0; i < p->ninsts; i++) {
		inst_text(p, i, e->opt->binary_version, text);
		e->texts[i] = strdup(text);
		if (!e->texts[i])
			return no_memory(err);
	}
	return 1;
}

/* ---- a line ---- */

/* Mode 1 where the lanes are a run of at least two with one stride, else mode 2. */
static void put_addresses(struct tr_buf *b, uint32_t mask, const uint64_t addr[TR_GROUP])
{
	const unsigned first = mask ? (unsigned)__builtin_ctz(mask) : 0;
	const uint32_t run = mask >> first;
	int64_t stride = 0;
	bool even = !mask || (run > 1 && !(run & (run + 1)));

	if (even && mask) {
		stride = (int64_t)(addr[first + 1] - addr[first]);
		even = stride == (int32_t)stride;
	}
	for (unsigned i = first; even && i < TR_GROUP && run >> (i - first) > 1; i++)
		even = (int64_t)(addr[i + 1] - addr[i]) == stride;
	memcpy(b->p + b->len, even ? "1 0x" : "2 0x", 4);
	b->len += 4;
	put_hex(b, mask ? addr[first] : 0, 1);
	b->p[b->len++] = ' ';
	if (even) {
		put_decimal(b, stride);
		b->p[b->len++] = ' ';
		return;
	}
	for (uint32_t m = mask & (mask - 1), before = first; m; m &= m - 1) {
		const unsigned i = (unsigned)__builtin_ctz(m);

		put_decimal(b, (int64_t)(addr[i] - addr[before]));
		b->p[b->len++] = ' ';
		before = i;
	}
}

/* Where a branch leads that is not indexed. */
static uint32_t branch_target(const struct tr_program *p, const struct tr_inst *in)
{
	return p->succ_pool[in->succ + (in->guard != TR_NONE)];
}

static int put_line(struct export *e, uint32_t i, uint32_t mask, const uint64_t addr[TR_GROUP],
	struct tr_err *err)
{
	const struct tr_inst *in = &e->p->insts[i];
	struct tr_buf *b = &e->warp;
	const size_t len = strlen(e->texts[i]);
	uint32_t imm = 0;

	if (tr_buf_room(b, len + (TR_GROUP + 8) * NUMBER_MAX))
		return no_memory(err);
	put_hex(b, (uint64_t)i * PC_BYTES, 4);
	b->p[b->len++] = ' ';
	put_hex(b, mask, 8);
	b->p[b->len++] = ' ';
	memcpy(b->p + b->len, e->texts[i], len);
	b->len += len;
	if (has_address(in))
		put_addresses(b, mask, addr);
	if (e->opt->accel_version >= 5) {
		if (in->cls == TR_C_BRANCH && !(in->flags & TR_I_INDEXED) &&
			branch_target(e->p, in) != TR_EXIT)
			imm = branch_target(e->p, in) * PC_BYTES;
		put_decimal(b, imm);
		b->p[b->len++] = ' ';
	}
	b->p[b->len++] = '\n';
	return 1;
}

/* ---- a warp ---- */

static uint64_t address_of(const struct tr_inst *in, const struct tr_walk *w)
{
	const uint64_t a = w->has_value ? w->value : (uint64_t)in->disp;

	if (in->space != TR_S_GENERIC)
		return a;
	switch (tr_space_of(TR_S_GENERIC, a)) {
	case TR_S_SHARED:
		return a - TR_SHARED_WINDOW + SHARED_WINDOW;
	case TR_S_LOCAL:
		return a - TR_LOCAL_WINDOW + LOCAL_WINDOW;
	default:
		return a;
	}
}

/* Writes a warp's lines into e->warp and counts them. */
static int run_warp(struct export *e, const struct tr_thread *threads, uint32_t n, uint64_t *lines,
	struct tr_err *err)
{
	struct tr_walk walks[TR_GROUP];
	uint64_t addr[TR_GROUP] = {0};
	struct warp_stack s;
	int rc = 1;

	for (uint32_t l = 0; l < n; l++)
		tr_walk_start(&walks[l], e->p, &threads[l]);
	warp_stack_init(&s, 0, n == TR_GROUP ? UINT32_MAX : (1u << n) - 1);
	for (*lines = 0; rc > 0 && s.depth;) {
		const uint32_t i = warp_stack_pc(&s);
		const struct tr_inst *in = &e->p->insts[i];
		uint32_t on = 0;

		for (uint32_t m = warp_stack_mask(&s); m; m &= m - 1) {
			struct tr_walk *w = &walks[__builtin_ctz(m)];

			if (tr_walk_next(w) < 1 || w->inst != i)
				return tr_fail(err, TR_EDATA, 0,
					"the record of a thread is no walk through its program");
			on |= w->guard ? m & -m : 0;
			if (has_address(in) && w->guard)
				addr[__builtin_ctz(m)] = address_of(in, w);
		}
		if (!tr_is_operand(in)) { /* the format has no place for operands */
			rc = put_line(e, i, on, addr, err);
			++*lines;
		}
		accel_go_on(e->p, &s, i, walks);
	}
	return rc;
}

/* ---- files ---- */

static int no_writing(struct tr_err *err)
{
	return tr_fail(err, TR_EIO, 0, "cannot write a kernel's trace");
}

static int put_cta(struct export *e, const struct tr_launch *l, struct tr_err *err)
{
	const uint32_t c = e->cta.number;

	e->ctas++;
	fprintf(e->f, "\n#BEGIN_TB\n\nthread block = %u,%u,%u\n", c % l->grid[0],
		c / l->grid[0] % l->grid[1], c / l->grid[0] / l->grid[1]);
	if (l->cluster[0]) {
		const uint32_t x = c % l->grid[0], y = c / l->grid[0] % l->grid[1],
			       z = c / l->grid[0] / l->grid[1], *of = l->cluster;

		fprintf(e->f, "cluster id = %u,%u,%u\ncluster cta = %u,%u,%u\ncluster rank = %u\n",
			x / of[0], y / of[1], z / of[2], x % of[0], y % of[1], z % of[2],
			tr_launch_cluster_rank(l, c));
	}
	for (uint32_t t = 0; t < e->cta.nthreads; t += TR_GROUP) {
		const uint32_t left = e->cta.nthreads - t;
		uint64_t lines;
		int rc;

		e->warp.len = 0;
		rc = run_warp(
			e, e->cta.threads + t, left < TR_GROUP ? left : TR_GROUP, &lines, err);
		if (rc < 0)
			return rc;
		fprintf(e->f, "\nwarp = %u\ninsts = %llu\n", t / TR_GROUP,
			(unsigned long long)lines);
		fwrite(e->warp.p, 1, e->warp.len, e->f);
	}
	fputs("\n#END_TB\n", e->f);
	return ferror(e->f) ? no_writing(err) : 1;
}

static void put_header(const struct export *e, const struct tr_launch *l)
{
	const bool imm = e->opt->accel_version >= 5;
	char cluster[64] = "";

	if (l->cluster[0])
		snprintf(cluster, sizeof(cluster), "-cluster dim = (%u,%u,%u)\n", l->cluster[0],
			l->cluster[1], l->cluster[2]);
	fprintf(e->f,
		"-kernel name = %s\n-kernel id = %u\n-grid dim = (%u,%u,%u)\n"
		"-block dim = (%u,%u,%u)\n%s-shmem = %u\n-nregs = %u\n-binary version = %u\n"
		"-cuda stream id = %u\n-shmem base_addr = 0x%016llx\n"
		"-local mem base_addr = 0x%016llx\n-nvbit version = none\n"
		"-accelsim tracer version = %u\n%s\n",
		tr_str(e->p, e->p->name), l->number + 1, l->grid[0], l->grid[1], l->grid[2],
		l->block[0], l->block[1], l->block[2], cluster, l->shared_bytes, l->registers,
		e->opt->binary_version, l->queue, SHARED_WINDOW, LOCAL_WINDOW,
		e->opt->accel_version, imm ? "-enable lineinfo = 0\n" : "");
	fprintf(e->f,
		"#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
		"mem_width [mode mem_addresses]%s\n\n",
		imm ? " immediate" : "");
}

static int end_launch(struct export *e, struct tr_err *err)
{
	FILE *f = e->f;

	e->f = NULL;
	return f ? e->out->finish(e->out->arg, f, err) : 1;
}

static int begin_launch(struct export *e, const struct tr_launch *l, struct tr_err *err)
{
	char line[64];
	int rc = end_launch(e, err);

	for (uint32_t i = 0; rc > 0 && i < l->ncopies; i++) {
		snprintf(line, sizeof(line), "MemcpyHtoD,0x%016llx,%llu\n",
			(unsigned long long)l->copies[i].base,
			(unsigned long long)l->copies[i].bytes);
		rc = put_text(&e->list, line) ? 1 : no_memory(err);
	}
	if (rc < 0)
		return rc;
	snprintf(line, sizeof(line), "kernel-%u.traceg\n", l->number + 1);
	if (!put_text(&e->list, line))
		return no_memory(err);
	line[strlen(line) - 1] = 0;
	e->f = e->out->create(e->out->arg, line, err);
	if (!e->f)
		return err ? err->code : TR_EIO;
	if (tr_reader_program(e->r) != e->p || !e->texts) {
		rc = make_texts(e, tr_reader_program(e->r), err);
		if (rc < 0)
			return rc;
	}
	e->ctas_due += tr_launch_ctas(l);
	put_header(e, l);
	return 1;
}

static int put_list(struct export *e, struct tr_err *err)
{
	FILE *f = e->out->create(e->out->arg, LIST_NAME, err);

	if (!f)
		return err ? err->code : TR_EIO;
	fwrite(e->list.p, 1, e->list.len, f);
	return e->out->finish(e->out->arg, f, err);
}

static int put_all(struct export *e, struct tr_err *err)
{
	int event, rc = 1;

	while (rc > 0 && (event = tr_reader_next(e->r, err)) > 0) {
		if (event == TR_LAUNCH) {
			rc = begin_launch(e, tr_reader_launch(e->r), err);
			continue;
		}
		rc = tr_reader_cta(e->r, &e->cta, err);
		if (rc > 0)
			rc = put_cta(e, tr_reader_launch(e->r), err);
	}
	if (rc > 0 && event < 0)
		rc = event;
	if (rc > 0)
		rc = end_launch(e, err);
	return rc > 0 ? put_list(e, err) : rc;
}

int accel_export(FILE *in, const struct cv_output *out, const struct cv_options *opt,
	struct cv_report *report, struct tr_err *err)
{
	struct export e = {.out = out, .opt = opt};
	int rc = tr_reader_open(&e.r, in, opt->part, err);

	if (rc < 0)
		return rc;
	tr_cta_init(&e.cta);
	rc = put_all(&e, err);
	if (e.f)
		out->finish(out->arg, e.f, NULL);
	if (rc > 0)
		cv_note(report, e.ctas_due - e.ctas,
			"thread blocks of a grid are not in this part, where a simulator wants "
			"all of them");
	free_texts(&e);
	tr_cta_free(&e.cta);
	tr_buf_free(&e.list);
	tr_buf_free(&e.warp);
	tr_reader_close(e.r);
	return rc;
}
