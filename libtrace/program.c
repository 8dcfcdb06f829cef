/*
 * The static program as a data structure: built piece by piece, checked, written as the bytes of a
 * PROGRAM record and read from them (FORMAT.md), shown as text. What is found in its control flow
 * and data flow is analyze.c's; nothing here knows PTX beyond the names of classes and spaces.
 */
#include "analyze.h"
#include "buf.h"
#include "chance.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define TR_CLASS_NAMES                                                                             \
	"int", "fp16", "fp32", "fp64", "sfu", "move", "convert", "load", "store", "atomic",        \
		"branch", "barrier", "fence", "collective", "exit", "other"
#define TR_SPACE_NAMES "none", "global", "shared", "local", "const", "param", "texture", "generic"

#define OLD_LAT (1u << 2) /* a flag of older records, which is ignored */
#define ALL_FLAGS (((TR_I_API << 1) - 1u) & ~OLD_LAT)
#define ALL_MARKS ((TR_M_IRREDUCIBLE << 1) - 1u)

const char *tr_class_name(enum tr_class c)
{
	static const char *const names[TR_NCLASSES] = {TR_CLASS_NAMES};

	return (unsigned)c < TR_NCLASSES ? names[c] : NULL;
}

const char *tr_space_name(enum tr_space s)
{
	static const char *const names[TR_NSPACES] = {TR_SPACE_NAMES};

	return (unsigned)s < TR_NSPACES ? names[s] : NULL;
}

/* ---- building ---- */

/* Every program is one of these; the rest of the world sees its first member. */
struct building {
	struct tr_program p;
	uint32_t cap_insts, cap_regs, cap_reg_pool, cap_succ_pool, cap_strings;
	uint32_t *slots; /* open addressing: offsets in strings, 0 where free */
	uint32_t nslots, nstrings;
	uint64_t seed; /* of their hash */
};

/* Makes room for `more` elements after `used` in *array. 1 or TR_EMEM. */
static int room(void **array, uint32_t *cap, size_t used, size_t more, size_t size)
{
	size_t want = *cap;
	void *bigger;

	if (more <= *cap - used)
		return 1;
	if (more >= TR_EXIT - used)
		return TR_EMEM;
	while (want < used + more)
		want = want < 16 ? 16 : want + want / 2;
	if (want > TR_EXIT)
		want = TR_EXIT;
	bigger = realloc(*array, want * size);
	if (!bigger)
		return TR_EMEM;
	*array = bigger;
	*cap = (uint32_t)want;
	return 1;
}

struct tr_program *tr_program_new(const char *name)
{
	struct building *b = calloc(1, sizeof *b);
	int64_t offset;

	if (!b)
		return NULL;
	if (room((void **)&b->p.strings, &b->cap_strings, 0, 1, 1) < 0) {
		free(b);
		return NULL;
	}
	b->p.strings[0] = '\0';
	b->p.strings_len = 1;
	offset = tr_program_string(&b->p, name);
	if (offset < 0) {
		tr_program_free(&b->p);
		return NULL;
	}
	b->p.name = (uint32_t)offset;
	return &b->p;
}

void tr_program_free(struct tr_program *p)
{
	struct building *b = (struct building *)p;

	if (!p)
		return;
	free(p->insts);
	free(p->regs);
	free(p->blocks);
	free(p->loops);
	free(p->reg_pool);
	free(p->succ_pool);
	free(p->strings);
	free(p->operands);
	free(p->control);
	free(b->slots);
	free(b);
}

/* The slot of s: where it is, or the free one where it belongs. */
static uint32_t *string_slot(const struct building *b, const char *s)
{
	uint32_t i = (uint32_t)XXH3_64bits_withSeed(s, strlen(s), b->seed) & (b->nslots - 1);

	for (; b->slots[i]; i = (i + 1) & (b->nslots - 1))
		if (!strcmp(b->p.strings + b->slots[i], s))
			break;
	return &b->slots[i];
}

/* A larger table, filled from the texts themselves: a program just read has none. */
static int string_slots_grow(struct building *b)
{
	const char *strings = b->p.strings;
	uint32_t nslots = 64, ntexts = 0;

	for (size_t i = 0; i < b->p.strings_len; i++)
		ntexts += !strings[i];
	while (nslots / 4 < ntexts)
		nslots *= 2;
	free(b->slots);
	b->slots = calloc(nslots, sizeof *b->slots);
	b->nslots = b->slots ? nslots : 0;
	b->nstrings = 0;
	b->seed = tr_chance();
	if (!b->slots)
		return TR_EMEM;
	for (size_t at = 1; at < b->p.strings_len; at += strlen(strings + at) + 1) {
		uint32_t *slot = string_slot(b, strings + at);
		if (!*slot) {
			*slot = (uint32_t)at;
			b->nstrings++;
		}
	}
	return 1;
}

int64_t tr_program_string(struct tr_program *p, const char *s)
{
	struct building *b = (struct building *)p;
	size_t len = strlen(s) + 1;
	uint32_t *slot;

	if (!*s)
		return 0;
	if (b->nstrings >= b->nslots / 2 && string_slots_grow(b) < 0)
		return TR_EMEM;
	slot = string_slot(b, s);
	if (*slot)
		return *slot;
	if (room((void **)&p->strings, &b->cap_strings, p->strings_len, len, 1) < 0)
		return TR_EMEM;
	memcpy(p->strings + p->strings_len, s, len);
	*slot = (uint32_t)p->strings_len;
	b->nstrings++;
	p->strings_len += len;
	return *slot;
}

int64_t tr_program_reg(struct tr_program *p, const char *name, uint32_t width)
{
	struct building *b = (struct building *)p;
	int64_t offset = tr_program_string(p, name);

	if (offset < 0 || room((void **)&p->regs, &b->cap_regs, p->nregs, 1, sizeof *p->regs) < 0)
		return TR_EMEM;
	p->regs[p->nregs] = (struct tr_reg){.name = (uint32_t)offset, .width = width};
	return p->nregs++;
}

static uint32_t append(uint32_t *pool, uint32_t *used, const uint32_t *list, uint32_t n)
{
	uint32_t first = *used;

	if (n)
		memcpy(pool + first, list, n * sizeof *pool);
	*used += n;
	return first;
}

int64_t tr_program_inst(struct tr_program *p, const struct tr_inst *inst, const uint32_t *dst,
	uint32_t ndst, const uint32_t *src, uint32_t nsrc, const uint32_t *succ, uint32_t nsucc)
{
	struct building *b = (struct building *)p;
	struct tr_inst *in;

	if (room((void **)&p->insts, &b->cap_insts, p->ninsts, 1, sizeof *p->insts) < 0 ||
		room((void **)&p->reg_pool, &b->cap_reg_pool, p->nreg_pool, (size_t)ndst + nsrc,
			sizeof *p->reg_pool) < 0 ||
		room((void **)&p->succ_pool, &b->cap_succ_pool, p->nsucc_pool, nsucc,
			sizeof *p->succ_pool) < 0)
		return TR_EMEM;
	in = &p->insts[p->ninsts];
	*in = *inst;
	in->ndst = ndst;
	in->dst = append(p->reg_pool, &p->nreg_pool, dst, ndst);
	in->nsrc = nsrc;
	in->src = append(p->reg_pool, &p->nreg_pool, src, nsrc);
	in->nsucc = nsucc;
	in->succ = append(p->succ_pool, &p->nsucc_pool, succ, nsucc);
	return p->ninsts++;
}

/* ---- checking ---- */

uint32_t tr_inst_derived(const struct tr_inst *in)
{
	uint32_t flags = 0;

	if (in->guard != TR_NONE || in->nsucc > 1)
		flags |= TR_I_OUTCOME;
	if ((in->bytes && in->base != TR_NONE) || (in->flags & (TR_I_COLLECTIVE | TR_I_API)) ||
		tr_is_operand(in))
		flags |= TR_I_VALUE;
	return flags;
}

int tr_program_launches(const struct tr_program *p)
{
	for (uint32_t i = 0; i < p->ninsts; i++)
		if (p->insts[i].flags & TR_I_API)
			return 1;
	return 0;
}

int tr_program_is_async(const struct tr_program *p)
{
	for (uint32_t i = 0; i < p->ninsts; i++)
		if (tr_aux_kind(&p->insts[i]) != TR_AUX_PLAIN)
			return 1;
	return 0;
}

uint32_t tr_program_spins_at(const struct tr_program *p)
{
	static const char *const waits[] = {"mbarrier.test_wait", "mbarrier.try_wait"};

	for (uint32_t i = 0; i < p->ninsts; i++)
		for (unsigned k = 0; k < sizeof(waits) / sizeof(*waits); k++)
			if (tr_aux_kind(&p->insts[i]) == TR_AUX_PLAIN &&
				p->insts[i].cls == TR_C_ATOMIC &&
				!strncmp(tr_str(p, p->insts[i].opcode), waits[k], strlen(waits[k])))
				return i;
	return TR_NONE;
}

int tr_program_has_cluster_barrier(const struct tr_program *p)
{
	for (uint32_t i = 0; i < p->ninsts; i++)
		if (p->insts[i].cls == TR_C_BARRIER && p->insts[i].disp == TR_BARRIER_CLUSTER)
			return 1;
	return 0;
}

static int check_list(uint32_t first, uint32_t n, uint32_t pool)
{
	return first <= pool && n <= pool - first;
}

static int check_regs(const struct tr_program *p, uint32_t first, uint32_t n)
{
	if (!check_list(first, n, p->nreg_pool))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		if (p->reg_pool[first + i] >= p->nregs)
			return 0;
	return 1;
}

/* The number and order of successors that program.h asks for; a sentence's end, or NULL. */
static const char *check_succs(const struct tr_program *p, const struct tr_inst *in)
{
	const uint32_t *succ;
	int jumps = in->cls == TR_C_BRANCH || in->cls == TR_C_EXIT;

	if (!check_list(in->succ, in->nsucc, p->nsucc_pool))
		return "its successors lie outside of the pool";
	succ = in->nsucc ? p->succ_pool + in->succ : NULL;
	for (uint32_t i = 0; i < in->nsucc; i++)
		if (succ[i] >= p->ninsts && succ[i] != TR_EXIT)
			return "a successor is beyond the last instruction";
	if ((in->flags & TR_I_INDEXED) && in->cls != TR_C_BRANCH)
		return "only a branch has a table of successors";
	if (in->guard == TR_NONE) {
		if (in->cls == TR_C_EXIT)
			return in->nsucc == 0 || (in->nsucc == 1 && succ[0] == TR_EXIT)
				       ? NULL
				       : "an exit has a successor";
		if (in->flags & TR_I_INDEXED)
			return in->nsucc ? NULL : "its table of successors is empty";
		return in->nsucc == 1 ? NULL : "it must have one successor";
	}
	if (!jumps)
		return in->nsucc == 1 ? NULL : "guarded and no branch, it must have one successor";
	if (in->flags & TR_I_INDEXED)
		return in->nsucc >= 2 ? NULL : "guarded, it must have a fall-through and a table";
	if (in->nsucc != 2)
		return "guarded, it must have two successors";
	return in->cls == TR_C_BRANCH || succ[1] == TR_EXIT
		       ? NULL
		       : "its second successor must be the exit";
}

#define SPACE(s) (1u << TR_S_##s)
#define WRITABLE (SPACE(GLOBAL) | SPACE(SHARED) | SPACE(LOCAL) | SPACE(GENERIC))
#define READABLE (WRITABLE | SPACE(CONST) | SPACE(PARAM) | SPACE(TEXTURE))

/* The spaces that accesses of a class may go to; a class that is left out accesses no memory. */
static const uint32_t spaces_of[TR_NCLASSES] = {
	[TR_C_LOAD] = READABLE, /* with destinations or, as a prefetch, without */
	[TR_C_STORE] = WRITABLE,
	[TR_C_ATOMIC] = WRITABLE & ~SPACE(LOCAL), /* with a result or without */
	[TR_C_OTHER] = READABLE,                  /* prefetches */
};

/* What is wrong with the access of an instruction, or NULL. */
static const char *check_access(const struct tr_inst *in)
{
	if (in->bytes > 16 || (in->bytes & (in->bytes - 1)))
		return "an access is of 1, 2, 4, 8 or 16 bytes";
	if (in->bytes ? in->vec != 1 && in->vec != 2 && in->vec != 4 : in->vec)
		return "an access has 1, 2 or 4 elements, any other instruction none";
	if (!in->bytes)
		return NULL;
	if (in->space == TR_S_NONE)
		return "an access needs a memory space";
	if (in->flags & TR_I_COLLECTIVE)
		return "an access is no collective";
	if (!spaces_of[in->cls])
		return "only loads, stores, atomics and prefetches access memory";
	return spaces_of[in->cls] >> in->space & 1 ? NULL
						   : "its class has no access to this memory space";
}

/* What is wrong with an instruction that is an operand's row, or NULL. */
static const char *check_operand(const struct tr_program *p, uint32_t i)
{
	const struct tr_inst *in = &p->insts[i], *next = in + 1;

	if (in->cls != TR_C_OTHER || in->bytes || in->ndst || in->flags & TR_I_COLLECTIVE)
		return "an operand's row is of class other, and does nothing";
	if (i + 1 == p->ninsts || in->nsucc != 1 || p->succ_pool[in->succ] != i + 1 ||
		in->guard != next->guard || (in->flags ^ next->flags) & TR_I_GUARD_NOT)
		return "an operand's row stands right before its operation, and has its guard";
	if (tr_is_operand(next) ? tr_aux_number(next) != tr_aux_number(in) + 1
				: tr_aux_kind(next) == TR_AUX_PLAIN)
		return "an operand's row has no operation after it";
	return NULL;
}

/* Operand rows right before instruction i. */
static uint32_t operand_rows(const struct tr_program *p, uint32_t i)
{
	return i && tr_is_operand(&p->insts[i - 1]) ? tr_aux_number(&p->insts[i - 1]) + 1 : 0;
}

/* What is wrong with the kind of instruction i and what comes with it, or NULL. */
static const char *check_kind(const struct tr_program *p, uint32_t i)
{
	const struct tr_inst *in = &p->insts[i];
	const uint32_t n = tr_aux_number(in), rows = operand_rows(p, i);

	switch (tr_aux_kind(in)) {
	case TR_AUX_PLAIN:
		return NULL;
	case TR_AUX_OPERAND:
		if (n != rows)
			return "the operands of an operation are out of order";
		return check_operand(p, i);
	case TR_AUX_MBARRIER:
		if (in->cls != TR_C_ATOMIC || in->bytes != 8 || in->vec != 1 ||
			(in->space != TR_S_SHARED && in->space != TR_S_GENERIC))
			return "an operation on a barrier is an atomic of 8 bytes in shared memory";
		if (n >= TR_NMBARRIERS || rows > 1 ||
			((n == TR_MBAR_TEST || n == TR_MBAR_TRY) && !rows) ||
			((n == TR_MBAR_INVAL || n >= TR_MBAR_COPIES) && rows))
			return "it is no operation on a barrier with such operands";
		return NULL;
	default:
		return "unknown kind of operation";
	}
}

/* What is wrong with an instruction as built, or NULL. */
static const char *check_inst(const struct tr_program *p, const struct tr_inst *in)
{
	const char *why;

	if (in->opcode >= p->strings_len || (in->file != TR_NONE && in->file >= p->strings_len))
		return "a text is beyond the strings";
	if (in->cls >= TR_NCLASSES)
		return "unknown class";
	if (in->space >= TR_NSPACES)
		return "unknown memory space";
	if (in->flags & ~ALL_FLAGS)
		return "unknown flags";
	if ((in->guard != TR_NONE && in->guard >= p->nregs) ||
		(in->base != TR_NONE && in->base >= p->nregs) ||
		!check_regs(p, in->dst, in->ndst) || !check_regs(p, in->src, in->nsrc))
		return "a register does not exist";
	if ((in->flags & TR_I_GUARD_NOT) && in->guard == TR_NONE)
		return "the negated guard is missing";
	if ((in->flags & TR_I_API) &&
		(in->cls != TR_C_OTHER || in->bytes || in->flags & TR_I_COLLECTIVE ||
			in->aux < TR_API_STREAM || in->aux > TR_API_LAUNCH))
		return "it is no call of the device runtime that a record has";
	why = check_access(in);
	if (!why)
		why = check_succs(p, in);
	return why ? why : check_kind(p, (uint32_t)(in - p->insts));
}

int tr_program_check_parts(const struct tr_program *p, struct tr_err *err)
{
	if (!p->strings_len || p->strings_len >= TR_EXIT || p->strings[0] ||
		p->strings[p->strings_len - 1])
		return tr_fail(err, TR_EDATA, 0, "the strings of a program are not texts");
	if (p->name >= p->strings_len)
		return tr_fail(err, TR_EDATA, 0, "the name of a program is beyond its strings");
	if (p->marks & ~ALL_MARKS)
		return tr_fail(err, TR_EDATA, 0, "unknown marks of a program");
	if (!p->ninsts)
		return tr_fail(err, TR_EDATA, 0, "a program without instructions");
	for (uint32_t r = 0; r < p->nregs; r++) {
		const struct tr_reg *reg = &p->regs[r];
		if (reg->name >= p->strings_len)
			return tr_fail(err, TR_EDATA, 0,
				"the name of register %u is beyond the strings", r);
		if (reg->width != 1 && reg->width != 16 && reg->width != 32 && reg->width != 64)
			return tr_fail(
				err, TR_EDATA, 0, "register %u is %u bits wide", r, reg->width);
	}
	for (uint32_t i = 0; i < p->ninsts; i++) {
		const char *why = check_inst(p, &p->insts[i]);
		if (why)
			return tr_fail(err, TR_EDATA, 0, "instruction %u: %s", i, why);
	}
	return 1;
}

/* What is wrong with the found part of instruction i, or NULL. */
static const char *check_found_inst(const struct tr_program *p, uint32_t i)
{
	const struct tr_inst *in = &p->insts[i];
	const struct tr_block *b = &p->blocks[in->block];

	if ((in->flags & TR_I_DERIVED) != tr_inst_derived(in))
		return "its flags do not fit its fields";
	if (tr_is_operand(in) && i + 1 == b->first + b->n)
		return "something leads to an operation past its operands";
	if (i + 1 < b->first + b->n) {
		if (in->nsucc != 1 || p->succ_pool[in->succ] != i + 1)
			return "it leaves its block before the end";
	} else {
		for (uint32_t s = 0; s < in->nsucc; s++) {
			uint32_t t = p->succ_pool[in->succ + s];
			if (t != TR_EXIT && p->blocks[p->insts[t].block].first != t)
				return "a successor is inside of a block";
		}
	}
	if (in->nsucc < 2)
		return in->ipdom != TR_NONE || in->lcp != TR_NONE || (in->flags & TR_I_UNIFORM)
			       ? "it is no branch and has a branch's findings"
			       : NULL;
	if (in->ipdom != (b->ipdom < p->nblocks ? p->blocks[b->ipdom].first : TR_EXIT))
		return "its reconvergence point is not its block's";
	return in->lcp != TR_NONE && in->lcp >= p->ninsts
		       ? "its likely-convergence point does not exist"
		       : NULL;
}

/* The post-dominators lead to an end from everywhere. `state` is zero; 1: on the way, 2: good. */
static int check_ipdom_ends(const struct tr_program *p, uint8_t *state)
{
	for (uint32_t b = 0; b < p->nblocks; b++) {
		uint32_t x;
		for (x = b; x < p->nblocks && !state[x]; x = p->blocks[x].ipdom)
			state[x] = 1;
		if (x < p->nblocks && state[x] == 1)
			return 0;
		for (x = b; x < p->nblocks && state[x] == 1; x = p->blocks[x].ipdom)
			state[x] = 2;
	}
	return 1;
}

/* What is wrong with block number n, or NULL; marks its rank in `ranked`. */
static const char *check_block(const struct tr_program *p, uint32_t n, uint8_t *ranked)
{
	const struct tr_block *b = &p->blocks[n];
	uint32_t noutcomes = 0, nvalues = 0;

	if (b->rank >= p->nblocks || ranked[b->rank]++ || (n == 0 && b->rank != 0))
		return "the ranks are no order that begins at the entry";
	if (b->loop != TR_NONE && b->loop >= p->nloops)
		return "its loop does not exist";
	if (b->idom != TR_NONE && (b->idom >= p->nblocks || p->blocks[b->idom].rank >= b->rank))
		return "its dominator does not come before it";
	if (b->ipdom != TR_NONE && b->ipdom != TR_EXIT && b->ipdom >= p->nblocks)
		return "its post-dominator does not exist";
	for (uint32_t i = b->first; i < b->first + b->n; i++) {
		noutcomes += (p->insts[i].flags & TR_I_OUTCOME) != 0;
		nvalues += (p->insts[i].flags & TR_I_VALUE) != 0;
	}
	if (b->noutcomes != noutcomes || b->nvalues != nvalues)
		return "its numbers of outcomes and values are not its instructions'";
	return NULL;
}

/* Loops stand outer before inner and hold as many blocks as say so; `count` is zero. */
static int check_loops(const struct tr_program *p, uint32_t *count, struct tr_err *err)
{
	for (uint32_t b = 0; b < p->nblocks; b++)
		if (p->blocks[b].loop != TR_NONE)
			count[p->blocks[b].loop]++;
	for (uint32_t l = p->nloops; l--;) {
		const struct tr_loop *loop = &p->loops[l];
		if (loop->header >= p->nblocks || p->blocks[loop->header].loop != l)
			return tr_fail(err, TR_EDATA, 0, "loop %u: its header is not in it", l);
		if (loop->parent != TR_NONE && loop->parent >= l)
			return tr_fail(err, TR_EDATA, 0, "loop %u: no parent before it", l);
		if (loop->depth != (loop->parent == TR_NONE ? 1 : p->loops[loop->parent].depth + 1))
			return tr_fail(err, TR_EDATA, 0, "loop %u: wrong depth", l);
		if (loop->nblocks != count[l])
			return tr_fail(err, TR_EDATA, 0, "loop %u: wrong number of blocks", l);
		if (loop->parent != TR_NONE)
			count[loop->parent] += count[l];
	}
	return 1;
}

static int check_found(
	const struct tr_program *p, uint8_t *bytes, uint32_t *count, struct tr_err *err)
{
	const char *why;

	for (uint32_t b = 0; b < p->nblocks; b++) {
		why = check_block(p, b, bytes);
		if (why)
			return tr_fail(err, TR_EDATA, 0, "block %u: %s", b, why);
	}
	memset(bytes, 0, p->nblocks);
	if (!check_ipdom_ends(p, bytes))
		return tr_fail(err, TR_EDATA, 0, "the post-dominators go round in a circle");
	for (uint32_t i = 0; i < p->ninsts; i++) {
		why = check_found_inst(p, i);
		if (why)
			return tr_fail(err, TR_EDATA, 0, "instruction %u: %s", i, why);
	}
	return check_loops(p, count, err);
}

int tr_program_validate(const struct tr_program *p, struct tr_err *err)
{
	uint32_t next = 0, *count;
	uint8_t *bytes;
	int rc = tr_program_check_parts(p, err);

	if (rc < 0)
		return rc;
	for (uint32_t b = 0; b < p->nblocks; b++) {
		const struct tr_block *block = &p->blocks[b];
		if (block->first != next || !block->n || block->n > p->ninsts - next)
			return tr_fail(err, TR_EDATA, 0, "block %u: not after the one before", b);
		for (; next < block->first + block->n; next++)
			if (p->insts[next].block != b)
				return tr_fail(
					err, TR_EDATA, 0, "instruction %u: not in its block", next);
	}
	if (next != p->ninsts)
		return tr_fail(err, TR_EDATA, 0, "instruction %u: in no block", next);
	bytes = calloc(p->nblocks, 1);
	count = calloc((size_t)p->nloops + 1, sizeof *count);
	rc = bytes && count ? check_found(p, bytes, count, err)
			    : tr_fail(err, TR_EMEM, 0, "no memory to check a program");
	free(bytes);
	free(count);
	return rc;
}

/* ---- as bytes ---- */

/*
 * A record is columns: one field of all elements of a table, then the next field. Each column says
 * where the field is and what is added to it (modulo 2^32) before it is written: 1 where TR_NONE is
 * frequent, 2 where TR_EXIT and TR_NONE both occur, so that these take one byte.
 */
struct column {
	uint8_t at, size, plus;
};

#define COLUMN(type, field, plus)                                                                  \
	{                                                                                          \
		offsetof(struct type, field), sizeof(((struct type *)0)->field), plus              \
	}
#define NCOLUMNS(columns) (sizeof(columns) / sizeof *(columns))

static const struct column reg_columns[] = {
	COLUMN(tr_reg, name, 0),
	COLUMN(tr_reg, width, 0),
};
static const struct column inst_columns[] = {
	COLUMN(tr_inst, opcode, 0),
	COLUMN(tr_inst, cls, 0),
	COLUMN(tr_inst, space, 0),
	COLUMN(tr_inst, bytes, 0),
	COLUMN(tr_inst, vec, 0),
	COLUMN(tr_inst, flags, 0),
	COLUMN(tr_inst, guard, 1),
	COLUMN(tr_inst, base, 1),
	COLUMN(tr_inst, disp, 0),
	COLUMN(tr_inst, aux, 0),
	COLUMN(tr_inst, file, 1),
	COLUMN(tr_inst, line, 0),
	COLUMN(tr_inst, ndst, 0),
	COLUMN(tr_inst, nsrc, 0),
	COLUMN(tr_inst, nsucc, 0),
};
static const struct column block_columns[] = {
	COLUMN(tr_block, n, 0),
	COLUMN(tr_block, rank, 0),
	COLUMN(tr_block, loop, 1),
	COLUMN(tr_block, idom, 1),
	COLUMN(tr_block, ipdom, 2),
	COLUMN(tr_block, noutcomes, 0),
	COLUMN(tr_block, nvalues, 0),
};
static const struct column loop_columns[] = {
	COLUMN(tr_loop, header, 0),
	COLUMN(tr_loop, parent, 1),
	COLUMN(tr_loop, depth, 0),
	COLUMN(tr_loop, nblocks, 0),
};

static int put_table(struct tr_buf *out, const struct column *columns, size_t ncolumns,
	const void *table, uint32_t n, size_t size)
{
	for (size_t c = 0; c < ncolumns; c++) {
		for (uint32_t i = 0; i < n; i++) {
			const uint8_t *field = (const uint8_t *)table + i * size + columns[c].at;
			uint64_t v = *field;
			if (columns[c].size == sizeof(uint32_t))
				v = (uint32_t)(*(const uint32_t *)field + columns[c].plus);
			else if (columns[c].size == sizeof(int64_t))
				v = tr_zigzag(*(const int64_t *)field);
			if (tr_buf_varint(out, v))
				return TR_EMEM;
		}
	}
	return 1;
}

static void get_table(struct tr_cur *in, const struct column *columns, size_t ncolumns, void *table,
	uint32_t n, size_t size)
{
	for (size_t c = 0; c < ncolumns; c++) {
		for (uint32_t i = 0; i < n; i++) {
			uint8_t *field = (uint8_t *)table + i * size + columns[c].at;
			uint64_t v = tr_cur_varint(in);
			if (columns[c].size == sizeof(int64_t)) {
				*(int64_t *)field = tr_unzigzag(v);
			} else if (columns[c].size == sizeof(uint32_t)) {
				in->bad |= v > UINT32_MAX;
				*(uint32_t *)field = (uint32_t)v - columns[c].plus;
			} else {
				in->bad |= v > UINT8_MAX;
				*field = (uint8_t)v;
			}
		}
	}
}

/* A place in the code: 0 for TR_EXIT, 1 for TR_NONE, else 2 more than the distance's zigzag. */
static uint64_t place_code(uint32_t place, uint32_t here)
{
	return place >= TR_EXIT ? place - TR_EXIT : tr_zigzag((int64_t)place - here) + 2;
}

static uint32_t get_place(struct tr_cur *in, uint32_t here)
{
	uint64_t v = tr_cur_varint(in);
	int64_t place;

	if (v < 2)
		return TR_EXIT + (uint32_t)v;
	place = v - 2 <= 2ull * UINT32_MAX ? here + tr_unzigzag(v - 2) : -1;
	in->bad |= place < 0 || place >= TR_EXIT;
	return (uint32_t)place;
}

/* The lists of all instructions, then the findings of those with several successors. */
static int put_lists(struct tr_buf *out, const struct tr_program *p)
{
	int bad = 0;

	for (uint32_t i = 0; i < p->ninsts; i++) {
		const struct tr_inst *in = &p->insts[i];
		for (uint32_t r = 0; r < in->ndst; r++)
			bad |= tr_buf_varint(out, p->reg_pool[in->dst + r]);
		for (uint32_t r = 0; r < in->nsrc; r++)
			bad |= tr_buf_varint(out, p->reg_pool[in->src + r]);
	}
	for (uint32_t i = 0; i < p->ninsts; i++) {
		const struct tr_inst *in = &p->insts[i];
		for (uint32_t s = 0; s < in->nsucc; s++)
			bad |= tr_buf_varint(out, place_code(p->succ_pool[in->succ + s], i));
	}
	for (uint32_t i = 0; i < p->ninsts; i++)
		if (p->insts[i].nsucc > 1) {
			bad |= tr_buf_varint(out, place_code(p->insts[i].ipdom, i));
			bad |= tr_buf_varint(out, place_code(p->insts[i].lcp, i));
		}
	return bad ? TR_EMEM : 1;
}

int tr_program_write(const struct tr_program *p, struct tr_buf *out)
{
	const uint32_t head[] = {p->name, p->marks, p->shared_bytes, p->local_bytes, p->param_bytes,
		p->live_registers};
	int rc;

	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		if (tr_buf_varint(out, head[i]))
			return TR_EMEM;
	if (tr_buf_varint(out, p->strings_len) || tr_buf_put(out, p->strings, p->strings_len) ||
		tr_buf_varint(out, p->nregs) || tr_buf_varint(out, p->ninsts) ||
		tr_buf_varint(out, p->nblocks) || tr_buf_varint(out, p->nloops))
		return TR_EMEM;
	rc = put_table(out, reg_columns, NCOLUMNS(reg_columns), p->regs, p->nregs, sizeof *p->regs);
	if (rc > 0)
		rc = put_table(out, inst_columns, NCOLUMNS(inst_columns), p->insts, p->ninsts,
			sizeof *p->insts);
	if (rc > 0)
		rc = put_lists(out, p);
	if (rc > 0)
		rc = put_table(out, block_columns, NCOLUMNS(block_columns), p->blocks, p->nblocks,
			sizeof *p->blocks);
	if (rc > 0)
		rc = put_table(out, loop_columns, NCOLUMNS(loop_columns), p->loops, p->nloops,
			sizeof *p->loops);
	return rc;
}

int tr_program_operands(struct tr_program *p, uint32_t inst, const char *text)
{
	const int64_t at = tr_program_string(p, text);

	if (at >= 0 && !p->operands)
		p->operands = calloc((size_t)p->ninsts + 1, sizeof *p->operands);
	if (at < 0 || !p->operands)
		return TR_EMEM;
	p->operands[inst] = (uint32_t)at;
	return 1;
}

int tr_program_write_operands(const struct tr_program *p, struct tr_buf *out)
{
	for (uint32_t i = 0; i < p->ninsts; i++)
		if (tr_buf_varint(out, p->operands[i]))
			return TR_EMEM;
	return 1;
}

int tr_program_read_operands(
	struct tr_program *p, const uint8_t *data, size_t len, struct tr_err *err)
{
	struct tr_cur in = {.p = data, .end = data + len};

	if (p->operands)
		return tr_fail(err, TR_EDATA, 0, "operands of a program that has some");
	p->operands = calloc((size_t)p->ninsts + 1, sizeof *p->operands);
	if (!p->operands)
		return tr_fail(err, TR_EMEM, 0, "no memory for the operands of a program");
	for (uint32_t i = 0; i < p->ninsts; i++) {
		const uint64_t at = tr_cur_varint(&in);

		in.bad |= at >= p->strings_len;
		p->operands[i] = in.bad ? 0 : (uint32_t)at;
	}
	if (in.bad || in.p != in.end)
		return tr_fail(err, TR_EDATA, 0, "operands that are no texts of their program");
	return 1;
}

int tr_program_control(struct tr_program *p, uint32_t inst, uint32_t bits)
{
	if (!p->control)
		p->control = calloc((size_t)p->ninsts + 1, sizeof *p->control);
	if (!p->control)
		return TR_EMEM;
	p->control[inst] = bits | TR_CONTROL_KNOWN;
	return 1;
}

/* A varint each: 0, or the bits and one more. */
int tr_program_write_control(const struct tr_program *p, struct tr_buf *out)
{
	for (uint32_t i = 0; i < p->ninsts; i++)
		if (tr_buf_varint(out, p->control[i] ? (p->control[i] ^ TR_CONTROL_KNOWN) + 1 : 0))
			return TR_EMEM;
	return 1;
}

int tr_program_read_control(
	struct tr_program *p, const uint8_t *data, size_t len, struct tr_err *err)
{
	struct tr_cur in = {.p = data, .end = data + len};

	if (p->control)
		return tr_fail(err, TR_EDATA, 0, "control bits of a program that has some");
	p->control = calloc((size_t)p->ninsts + 1, sizeof *p->control);
	if (!p->control)
		return tr_fail(err, TR_EMEM, 0, "no memory for the control bits of a program");
	for (uint32_t i = 0; i < p->ninsts; i++) {
		const uint64_t bits = tr_cur_varint(&in);

		in.bad |= bits > TR_CONTROL_KNOWN;
		p->control[i] = in.bad || !bits ? 0 : (uint32_t)(bits - 1) | TR_CONTROL_KNOWN;
	}
	if (in.bad || in.p != in.end)
		return tr_fail(err, TR_EDATA, 0, "control bits that are none");
	return 1;
}

static uint32_t get_u32(struct tr_cur *in)
{
	uint64_t v = tr_cur_varint(in);

	in->bad |= v > UINT32_MAX;
	return (uint32_t)v;
}

/* A table for *n elements that take at least `least` bytes each in what is left of the record. */
static void *get_room(struct tr_cur *in, uint64_t n, size_t least, size_t size, int *rc)
{
	void *table;

	if (n > (size_t)(in->end - in->p) / least) {
		in->bad = 1;
		return NULL;
	}
	table = calloc(n + 1, size);
	if (!table)
		*rc = TR_EMEM;
	return table;
}

static void get_lists(struct tr_cur *in, struct tr_program *p, int *rc)
{
	uint64_t nregs = 0, nsuccs = 0;

	for (uint32_t i = 0; i < p->ninsts; i++) {
		nregs += (uint64_t)p->insts[i].ndst + p->insts[i].nsrc;
		nsuccs += p->insts[i].nsucc;
	}
	p->reg_pool = get_room(in, nregs, 1, sizeof *p->reg_pool, rc);
	p->succ_pool = get_room(in, nsuccs, 1, sizeof *p->succ_pool, rc);
	if (!p->reg_pool || !p->succ_pool)
		return;
	for (uint32_t i = 0; i < p->ninsts; i++) {
		struct tr_inst *inst = &p->insts[i];
		inst->dst = p->nreg_pool;
		inst->src = p->nreg_pool += inst->ndst;
		p->nreg_pool += inst->nsrc;
		inst->succ = p->nsucc_pool;
		p->nsucc_pool += inst->nsucc;
	}
	for (uint32_t r = 0; r < p->nreg_pool; r++)
		p->reg_pool[r] = get_u32(in);
	for (uint32_t i = 0; i < p->ninsts; i++)
		for (uint32_t s = 0; s < p->insts[i].nsucc; s++)
			p->succ_pool[p->insts[i].succ + s] = get_place(in, i);
	for (uint32_t i = 0; i < p->ninsts; i++) {
		int branch = p->insts[i].nsucc > 1;
		p->insts[i].ipdom = branch ? get_place(in, i) : TR_NONE;
		p->insts[i].lcp = branch ? get_place(in, i) : TR_NONE;
	}
}

/* Blocks follow one another, so their first instructions are not in the record. */
static void place_blocks(struct tr_cur *in, struct tr_program *p)
{
	uint32_t next = 0;

	for (uint32_t b = 0; b < p->nblocks; b++) {
		struct tr_block *block = &p->blocks[b];
		block->first = next;
		if (block->n > p->ninsts - next) {
			in->bad = 1;
			return;
		}
		for (; next < block->first + block->n; next++)
			p->insts[next].block = b;
	}
}

/* Fills the empty *b as far as the bytes go; in->bad says that they make no sense. 1 or TR_EMEM. */
static int get_program(struct tr_cur *in, struct building *b)
{
	struct tr_program *p = &b->p;
	const uint8_t *strings;
	int rc = 1;

	p->name = get_u32(in);
	p->marks = get_u32(in);
	p->shared_bytes = get_u32(in);
	p->local_bytes = get_u32(in);
	p->param_bytes = get_u32(in);
	p->live_registers = get_u32(in);
	p->strings_len = get_u32(in);
	strings = in->bad ? NULL : tr_cur_bytes(in, p->strings_len);
	p->nregs = get_u32(in);
	p->ninsts = get_u32(in);
	p->nblocks = get_u32(in);
	p->nloops = get_u32(in);
	if (in->bad)
		return 1;
	p->strings = malloc(p->strings_len + 1);
	p->regs = get_room(in, p->nregs, NCOLUMNS(reg_columns), sizeof *p->regs, &rc);
	p->insts = get_room(in, p->ninsts, NCOLUMNS(inst_columns), sizeof *p->insts, &rc);
	p->blocks = get_room(in, p->nblocks, NCOLUMNS(block_columns), sizeof *p->blocks, &rc);
	p->loops = get_room(in, p->nloops, NCOLUMNS(loop_columns), sizeof *p->loops, &rc);
	if (!p->strings)
		return TR_EMEM;
	memcpy(p->strings, strings, p->strings_len);
	if (in->bad || rc < 0)
		return rc;
	get_table(in, reg_columns, NCOLUMNS(reg_columns), p->regs, p->nregs, sizeof *p->regs);
	get_table(in, inst_columns, NCOLUMNS(inst_columns), p->insts, p->ninsts, sizeof *p->insts);
	for (uint32_t i = 0; i < p->ninsts; i++)
		p->insts[i].flags &= ~OLD_LAT;
	get_lists(in, p, &rc);
	get_table(in, block_columns, NCOLUMNS(block_columns), p->blocks, p->nblocks,
		sizeof *p->blocks);
	get_table(in, loop_columns, NCOLUMNS(loop_columns), p->loops, p->nloops, sizeof *p->loops);
	if (!in->bad && rc > 0)
		place_blocks(in, p);
	b->cap_strings = (uint32_t)p->strings_len;
	b->cap_regs = p->nregs;
	b->cap_insts = p->ninsts;
	b->cap_reg_pool = p->nreg_pool;
	b->cap_succ_pool = p->nsucc_pool;
	return rc;
}

int tr_program_read(struct tr_program **p, const uint8_t *data, size_t len, struct tr_err *err)
{
	struct building *b = calloc(1, sizeof *b);
	struct tr_cur in = {.p = data, .end = data + len};
	int rc = b ? get_program(&in, b) : TR_EMEM;

	*p = NULL;
	if (rc < 0)
		tr_fail(err, rc, 0, "no memory for a program");
	else if (in.bad || in.p != in.end)
		rc = tr_fail(err, TR_EDATA, 0, "the bytes of a program do not fit its numbers");
	else
		rc = tr_program_validate(&b->p, err);
	if (rc < 0)
		tr_program_free(b ? &b->p : NULL);
	else
		*p = &b->p;
	return rc;
}

/* ---- as text ---- */

struct text {
	char *out;
	size_t size, len;
};

static void print(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Like snprintf, one piece after another: len is what all of them take, written or not. */
static void print(struct text *t, const char *fmt, ...)
{
	size_t at = t->len < t->size ? t->len : t->size;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(at < t->size ? t->out + at : NULL, t->size - at, fmt, ap);
	va_end(ap);
	t->len += n > 0 ? (size_t)n : 0;
}

static const char *reg_name(const struct tr_program *p, uint32_t r)
{
	return tr_str(p, p->regs[r].name);
}

static void print_regs(struct text *t, const struct tr_program *p, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		print(t, "%s%s", i ? ", " : "", reg_name(p, p->reg_pool[first + i]));
}

static void print_address(struct text *t, const struct tr_program *p, const struct tr_inst *in)
{
	if (in->base == TR_NONE)
		print(t, " [0x%llx]", (unsigned long long)in->disp);
	else if (in->disp)
		print(t, " [%s%+lld]", reg_name(p, in->base), (long long)in->disp);
	else
		print(t, " [%s]", reg_name(p, in->base));
}

static void print_successors(struct text *t, const struct tr_program *p, uint32_t inst)
{
	const struct tr_inst *in = &p->insts[inst];

	if (in->nsucc > 1 || (in->nsucc == 1 && p->succ_pool[in->succ] != inst + 1))
		for (uint32_t s = 0; s < in->nsucc; s++) {
			uint32_t to = p->succ_pool[in->succ + s];
			print(t, s ? ", " : " -> ");
			if (to == TR_EXIT)
				print(t, "exit");
			else
				print(t, "0x%x", to * TR_PC_BYTES);
		}
}

int tr_program_format(const struct tr_program *p, uint32_t inst, char *out, size_t size)
{
	const struct tr_inst *in = &p->insts[inst];
	struct text t = {out, size, 0};

	if (in->guard != TR_NONE)
		print(&t, "@%s%s ", in->flags & TR_I_GUARD_NOT ? "!" : "", reg_name(p, in->guard));
	print(&t, "%s", tr_str(p, in->opcode));
	if (p->operands && p->operands[inst]) {
		print(&t, " %s", tr_str(p, p->operands[inst]));
		print_successors(&t, p, inst);
		return (int)t.len;
	}
	if (in->ndst) {
		print(&t, " {");
		print_regs(&t, p, in->dst, in->ndst);
		print(&t, "}");
	}
	if (in->bytes || in->base != TR_NONE)
		print_address(&t, p, in);
	if (in->cls == TR_C_BARRIER)
		print(&t, " %lld", (long long)in->disp);
	if (in->cls == TR_C_OTHER && !in->bytes && in->disp) {
		if (*tr_str(p, in->opcode) == 'B' && in->disp > 0)
			print(&t, " B%lld", (long long)in->disp - 1);
		else
			print(&t, " 0x%llx", (unsigned long long)in->disp);
	}
	if (in->cls == TR_C_BARRIER && in->aux)
		print(&t, ", %u", in->aux);
	if (in->nsrc) {
		print(&t, " ");
		print_regs(&t, p, in->src, in->nsrc);
	}
	print_successors(&t, p, inst);
	return (int)t.len;
}
