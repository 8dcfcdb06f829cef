/*
 * The static program of what was seen of a kernel: instructions in the order of their PCs, from the
 * entry on. Where odd ways lead on after an instruction, another one stands there that chooses: a
 * guarded jump that is passed where a thread goes the usual way, so that only odd steps count.
 *
 * A trace names no predicates before version 6, no special registers and no constants, so nothing
 * is proven of values: all guards are one register that nobody writes, which makes every branch
 * divergent. What LDGSTS copies to shared memory has a register each (%copy), which who waits for
 * copies reads. A register pair stands in the trace by its first half; the second one is added
 * where the opcode tells. A source line is that of the trace; where it has none, the file is called
 * "sass" and the line is the PC in bytes.
 */
#include "sim/convert/accel_graph.h"
#include <stdlib.h>
#include <string.h>

#define OPERANDS_MAX (4 * ACCEL_REGS_MAX)
#define COPIES_MAX 8    /* more copies than these share their registers */
#define GROUPS_MAX 1000 /* a wait for more groups than these waits for none */

struct building {
	struct accel_graph *g;
	struct tr_program *p;
	uint32_t *order;                  /* of the nodes: their places in the program */
	uint32_t guard, address, special; /* registers that nobody writes */
	uint32_t copies[COPIES_MAX], ncopies, next_copy;
	uint32_t file;
	uint32_t regs[ACCEL_REG_FILES][ACCEL_REG_NUMBERS]; /* TR_NONE: not yet */
	bool failed;                                       /* no memory */
};

static uint32_t ways_on(const struct accel_node *n)
{
	return n->odd.n + (n->next != TR_NONE);
}

static bool is_jump(const struct accel_node *n)
{
	return n->flow == ACCEL_DIRECT || n->flow == ACCEL_INDIRECT;
}

/* ---- places ---- */

/* Where the first instruction is, if all threads begin there. */
static uint32_t only_entry(const struct accel_graph *g)
{
	const struct accel_node *root = &g->nodes[ACCEL_ROOT];

	if (ways_on(root) != 1 || (root->odd.n && root->odd.to[0] == ACCEL_LEAF))
		return TR_NONE;
	return root->odd.n ? root->odd.to[0] : root->next;
}

static int by_place(const void *a, const void *b, void *arg)
{
	const struct accel_graph *g = arg;
	const uint32_t first = only_entry(g), x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	/* PCs from the entry on, then those below it. */
	const uint32_t px = g->nodes[x].pc - g->entry, py = g->nodes[y].pc - g->entry;

	if (x == first || y == first)
		return x == y ? 0 : x == first ? -1 : 1;
	if (px != py)
		return px < py ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Gives each node its instruction, and one after it to those that need a choice there. */
static int find_places(struct building *b)
{
	struct accel_graph *g = b->g;
	const uint32_t first = ACCEL_LEAF + 1;
	uint32_t at = 0;

	b->order = malloc((g->nnodes + 1) * sizeof(*b->order));
	if (!b->order)
		return TR_EMEM;
	for (uint32_t i = first; i < g->nnodes; i++)
		b->order[i - first] = i;
	qsort_r(b->order, g->nnodes - first, sizeof(*b->order), by_place, g);
	if (only_entry(g) == TR_NONE) {
		g->nodes[ACCEL_ROOT].hop = true;
		at++;
	}
	for (uint32_t i = 0; i < g->nnodes - first; i++) {
		struct accel_node *n = &g->nodes[b->order[i]];

		n->inst = at++;
		n->hop = n->odd.n && ways_on(n) > 1;
		at += n->hop;
	}
	g->nodes[ACCEL_LEAF].inst = TR_EXIT;
	return 1;
}

/* Where a thread goes on from node n without jumping. */
static uint32_t place_behind(const struct accel_graph *g, const struct accel_node *n)
{
	uint32_t at;

	if (n->hop)
		return n->inst + 1;
	if (n->next != TR_NONE)
		return g->nodes[n->next].inst;
	if (n->odd.n)
		return g->nodes[n->odd.to[0]].inst;
	at = accel_node_at(g, accel_after(g, n->pc)); /* nobody ever went on */
	return at == TR_NONE ? TR_EXIT : g->nodes[at].inst;
}

/* ---- registers ---- */

static uint32_t new_reg(struct building *b, const char *name, uint32_t width)
{
	const int64_t r = tr_program_reg(b->p, name, width);

	b->failed |= r < 0;
	return r < 0 ? TR_NONE : (uint32_t)r;
}

struct list {
	uint32_t r[OPERANDS_MAX + 4 + COPIES_MAX], n; /* some are no operands of the trace */
};

/* Adds `count` registers from reg on; those that read as zero or true are none. */
static void add_regs(struct building *b, struct list *l, struct accel_reg reg, unsigned count)
{
	static const char *const names[ACCEL_REG_FILES] = {"R", "UR", "P", "UP"};
	static const uint32_t last[ACCEL_REG_FILES] = {ACCEL_RZ, 63, 7, 7};
	uint32_t *at;
	char name[16];

	for (; count-- && reg.number < last[reg.file] && l->n < OPERANDS_MAX; reg.number++) {
		at = &b->regs[reg.file][reg.number];
		if (*at == TR_NONE) {
			snprintf(name, sizeof(name), "%s%u", names[reg.file], reg.number);
			*at = new_reg(b, name, reg.file < ACCEL_P ? 32 : 1);
		}
		l->r[l->n++] = *at;
	}
}

static void add_one(struct list *l, uint32_t r)
{
	l->r[l->n++] = r;
}

static bool has_token(const char *opcode, const char *token)
{
	const size_t n = strlen(token);

	for (const char *p = strchr(opcode, '.'); p; p = strchr(p + 1, '.'))
		if (!strncmp(p + 1, token, n) && (!p[1 + n] || p[1 + n] == '.'))
			return true;
	return false;
}

/* ---- instructions ---- */

static void add_inst(struct building *b, const struct tr_inst *in, const struct list *dst,
	const struct list *src, const uint32_t *succ, uint32_t nsucc)
{
	b->failed |= tr_program_inst(b->p, in, dst->r, dst->n, src->r, src->n, succ, nsucc) < 0;
}

static struct tr_inst blank(struct building *b, const char *opcode)
{
	const int64_t text = tr_program_string(b->p, opcode);

	b->failed |= text < 0;
	return (struct tr_inst){
		.opcode = text < 0 ? 0 : (uint32_t)text,
		.guard = TR_NONE,
		.base = TR_NONE,
		.file = TR_NONE,
	};
}

/* The choice after node n: guarded, its table the odd ways. */
static void add_choice(struct building *b, const struct accel_node *n, const char *name)
{
	const struct accel_graph *g = b->g;
	const struct list none = {.n = 0};
	struct tr_inst in = blank(b, name);
	uint32_t *succ = malloc((ways_on(n) + 1) * sizeof(*succ)), nsucc = 0;

	if (!succ) {
		b->failed = true;
		return;
	}
	if (n->next != TR_NONE)
		succ[nsucc++] = g->nodes[n->next].inst;
	for (uint32_t i = 0; i < n->odd.n; i++)
		succ[nsucc++] = g->nodes[n->odd.to[i]].inst;
	in.guard = b->guard;
	in.cls = TR_C_BRANCH;
	in.flags = TR_I_INDEXED;
	if (nsucc < 2) { /* no thread has a line at all */
		in.cls = TR_C_EXIT;
		in.flags = 0;
		succ[0] = succ[1] = TR_EXIT;
		nsucc = 2;
	}
	add_inst(b, &in, &none, &none, succ, nsucc);
	free(succ);
}

/* Which registers, how wide an access. */
static void operands(struct building *b, const struct accel_operands *names,
	const struct accel_op *op, uint32_t width, struct tr_inst *in, struct list *dst,
	struct list *src)
{
	const unsigned halves = op->cls == TR_C_FP64 ? 2 : 1;
	const unsigned data = width > 4 ? width / 4 : 1;
	unsigned first = 0;

	for (unsigned i = 0; i < names->ndst; i++)
		add_regs(b, dst, names->dst[i],
			width                              ? data
			: has_token(names->opcode, "WIDE") ? 2
							   : halves);
	if (width) {
		const bool wide = op->space != TR_S_SHARED && op->space != TR_S_LOCAL &&
				  has_token(names->opcode, "E");
		struct list base = {.n = 0};

		/* LDGSTS names where it writes before where it reads. */
		if (op->copy && names->nsrc > 1)
			add_regs(b, src, names->src[first++], 1);
		if (names->nsrc)
			add_regs(b, &base, names->src[first++], 1 + wide);
		in->base = base.n ? base.r[0] : b->address;
		if (base.n > 1)
			add_one(src, base.r[1]);
		/* 32 and 64 bytes are several registers' worth. */
		in->bytes = (uint8_t)(width > 16 ? 16 : width);
		in->vec = (uint8_t)(width > 16 ? width / 16 : 1);
	}
	for (unsigned i = first; i < names->nsrc; i++)
		add_regs(b, src, names->src[i], width ? data : halves);
}

static void mark(struct tr_program *p, const struct accel_op *op, const char *opcode)
{
	if (op->collective)
		p->marks |= strncmp(opcode, "SHFL", 4) ? TR_M_VOTE : TR_M_SHUFFLE;
}

/* A jump's successors: after it if it is guarded, then its targets. */
static uint32_t jump_ways(const struct building *b, const struct accel_node *n, uint32_t *succ)
{
	const struct accel_graph *g = b->g;
	uint32_t nsucc = 0, at;

	if (n->guarded)
		succ[nsucc++] = place_behind(g, n);
	for (uint32_t i = 0; i < n->taken.n; i++)
		succ[nsucc++] = g->nodes[n->taken.to[i]].inst;
	if (!n->taken.n) { /* never taken: where it would have led, if that is known */
		at = n->imm >= 0 && n->imm <= UINT32_MAX ? accel_node_at(g, (uint32_t)n->imm)
							 : TR_NONE;
		succ[nsucc++] = at == TR_NONE ? place_behind(g, n) : g->nodes[at].inst;
	}
	return nsucc;
}

/* ---- copies to shared memory ---- */

/* A register for each of the first copies. */
static void find_copies(struct building *b)
{
	for (uint32_t i = 0; i < b->g->nnodes && b->ncopies < COPIES_MAX; i++) {
		char name[16];

		if (b->g->nodes[i].copy != TR_COPY_LOAD)
			continue;
		snprintf(name, sizeof(name), "%%copy[%u]", b->ncopies);
		b->copies[b->ncopies++] = new_reg(b, name, 32);
	}
}

/* What a DEPBAR waits for where nothing is copied is not known. */
static void add_copy(struct building *b, const struct accel_node *n, struct tr_inst *in,
	struct list *dst, struct list *src)
{
	if (!n->copy || !b->ncopies)
		return;
	in->aux = n->copy;
	if (n->copy == TR_COPY_LOAD)
		add_one(dst, b->copies[b->next_copy++ % b->ncopies]);
	if (n->copy == TR_COPY_WAIT && n->imm > 0)
		in->aux += n->imm < GROUPS_MAX ? (uint32_t)n->imm : GROUPS_MAX;
	for (uint32_t i = 0; n->copy >= TR_COPY_WAIT_ALL && i < b->ncopies; i++)
		add_one(src, b->copies[i]);
}

static void add_node(struct building *b, struct accel_node *n)
{
	struct accel_graph *g = b->g;
	const char *text = (const char *)g->text.p;
	const struct accel_line line = {
		.text = text + n->text,
		.opcode = text + n->opcode,
		.opcode_len = n->opcode_len,
	};
	struct accel_operands names;
	struct list dst = {.n = 0}, src = {.n = 0};
	struct accel_op op;
	struct tr_inst in;
	uint32_t *succ = malloc((n->taken.n + 2) * sizeof(*succ)), nsucc = 0;

	if (!succ) {
		b->failed = true;
		return;
	}
	accel_line_operands(&line, &names);
	op = accel_op_find(names.opcode, g->header->binary_version, n->width);
	in = blank(b, names.opcode);
	in.cls = op.cls;
	in.space = op.space;
	in.flags = (op.collective ? TR_I_COLLECTIVE : 0u) | (op.arrive ? TR_I_ARRIVE : 0u);
	in.disp = op.of_cluster ? TR_BARRIER_CLUSTER : 0;
	in.guard = n->guarded ? b->guard : TR_NONE;
	in.file = n->source_line ? TR_NONE : b->file;
	in.line = n->source_line ? n->source_line : n->pc;
	operands(b, &names, &op, n->width, &in, &dst, &src);
	if (op.special)
		add_one(&src, b->special);
	add_copy(b, n, &in, &dst, &src);
	mark(b->p, &op, names.opcode);
	if (is_jump(n)) {
		nsucc = jump_ways(b, n, succ);
		if (nsucc > 1u + n->guarded)
			in.flags |= TR_I_INDEXED;
		if (nsucc > 1 && !n->guarded)
			add_one(&src, b->guard);
	} else if (n->flow == ACCEL_EXIT) {
		if (n->guarded) {
			succ[nsucc++] = place_behind(g, n);
			succ[nsucc++] = TR_EXIT;
		}
	} else {
		succ[nsucc++] = place_behind(g, n);
	}
	n->value = n->width || n->collective;
	add_inst(b, &in, &dst, &src, succ, nsucc);
	if (n->hop)
		add_choice(b, n, "(odd)");
	free(succ);
}

static int build(struct building *b, struct tr_err *err)
{
	struct accel_graph *g = b->g;
	int64_t file;
	int rc;

	b->p = tr_program_new(g->header->kernel);
	if (!b->p || find_places(b) < 0)
		return TR_EMEM;
	b->guard = new_reg(b, "%guard", 1);
	b->address = new_reg(b, "%address", 64);
	b->special = new_reg(b, "%sr", 32);
	file = tr_program_string(b->p, "sass");
	if (file < 0 || b->failed)
		return TR_EMEM;
	b->file = (uint32_t)file;
	memset(b->regs, 0xff, sizeof(b->regs));
	find_copies(b);
	b->p->shared_bytes = g->header->shared_bytes;
	if (g->nodes[ACCEL_ROOT].hop)
		add_choice(b, &g->nodes[ACCEL_ROOT], "(start)");
	for (uint32_t i = 0; !b->failed && i < g->nnodes - ACCEL_LEAF - 1; i++)
		add_node(b, &g->nodes[b->order[i]]);
	if (b->failed)
		return TR_EMEM;
	rc = tr_program_analyze(b->p, err);
	return rc < 0 ? rc : accel_graph_meet(g, b->p);
}

/* The counter that groups of copies raise; TR_CONTROL_NONE: it is not known. */
static uint32_t counter_of_groups(const struct building *b, const struct accel_function *listed)
{
	for (uint32_t i = 0; i < b->g->nnodes; i++) {
		struct accel_listed l;

		if (b->g->nodes[i].copy == TR_COPY_COMMIT &&
			accel_listing_inst(listed, b->g->nodes[i].pc, &l) && l.has_control)
			return tr_control_of(l.control | TR_CONTROL_KNOWN).result;
	}
	return TR_CONTROL_NONE;
}

/* DEPBAR.LE SB0, 0x1: which counter it is, and how many groups may be under way. */
static void add_listed_wait(struct tr_inst *in, const char *operands, uint32_t groups)
{
	char *rest;
	unsigned long n;

	if (strncmp(operands, "SB", 2) != 0 || operands[2] < '0' || operands[2] > '9' ||
		operands[3] != ',')
		return;
	n = strtoul(operands + 4, &rest, 0);
	if (groups != TR_CONTROL_NONE && groups != (uint32_t)(operands[2] - '0'))
		in->aux = 0;
	else if (rest > operands + 4)
		in->aux = TR_COPY_WAIT + (uint32_t)(n < GROUPS_MAX ? n : GROUPS_MAX);
}

/* What the listing says of a node's instruction; TR_EDATA: it has another one there. */
static int add_listed(struct building *b, const struct accel_function *listed, uint32_t groups,
	const struct accel_node *n, struct tr_err *err)
{
	const char *opcode = (const char *)b->g->text.p + n->opcode;
	const size_t root = strcspn(opcode, ". ");
	struct accel_listed l;
	const bool there = accel_listing_inst(listed, n->pc, &l);

	if (!there || strcspn(l.opcode, ". ") != root || strncmp(l.opcode, opcode, root)) {
		if (b->g->twins) /* of another function, which counts from zero, too */
			return 1;
		return tr_fail(err, TR_EDATA, 0,
			"the listing is of another build of '%s': at 0x%04x it has %.*s, the trace "
			"%.*s",
			b->g->header->kernel, n->pc, there ? (int)strcspn(l.opcode, ". ") : 7,
			there ? l.opcode : "nothing", (int)root, opcode);
	}
	if (tr_program_operands(b->p, n->inst, l.operands) < 0 ||
		(l.has_control && tr_program_control(b->p, n->inst, l.control) < 0))
		return TR_EMEM;
	accel_barrier_listed(b->p, n->inst, l.operands);
	if (n->copy == TR_COPY_WAIT && b->ncopies)
		add_listed_wait(&b->p->insts[n->inst], l.operands, groups);
	return 1;
}

static int add_listing(struct building *b, const struct accel_function *listed, struct tr_err *err)
{
	const uint32_t groups = listed ? counter_of_groups(b, listed) : TR_CONTROL_NONE;
	int rc = 1;

	for (uint32_t i = 0; listed && rc > 0 && i < b->g->nnodes - ACCEL_LEAF - 1; i++)
		rc = add_listed(b, listed, groups, &b->g->nodes[b->order[i]], err);
	return rc;
}

int accel_graph_program(struct accel_graph *g, const struct accel_function *listed,
	struct tr_program **p, struct tr_err *err)
{
	struct building *b = calloc(1, sizeof(*b));
	int rc = accel_graph_settle(g, err);

	*p = NULL;
	if (rc > 0 && b) {
		b->g = g;
		rc = build(b, err);
		if (rc > 0)
			rc = add_listing(b, listed, err);
		if (rc > 0)
			rc = accel_graph_barriers(g, b->p);
	}
	if (!b || rc == TR_EMEM)
		rc = tr_fail(err, TR_EMEM, 0, "no memory for the program of a kernel");
	if (b) {
		if (rc > 0)
			*p = b->p;
		else
			tr_program_free(b->p);
		free(b->order);
	}
	free(b);
	return rc;
}
