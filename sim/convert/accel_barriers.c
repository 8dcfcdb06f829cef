/*
 * Which of the 16 convergence barriers BSSY, BSYNC and BREAK name. A trace does not say it, a
 * listing does. Without one it follows from the program where regions are nested: on every way to
 * an instruction the same BSSYs have been executed and not yet been left, and BSYNC leaves the
 * latest one, whose immediate (version 5 on) is where this BSYNC stands. Such a barrier has for its
 * number how many are around it. Where that does not hold, or one of these instructions has a
 * guard, the numbers of the whole program stay unknown.
 */
#include "sim/convert/accel_graph.h"
#include <stdlib.h>
#include <string.h>

#define DEPTH 16

enum kind { PLAIN, ARMS, MEETS, BREAKS, SYNCS };

/* The regions that are open where a block begins, the innermost last. */
struct open {
	uint32_t n; /* TR_NONE: nobody has come there yet */
	uint32_t bssy[DEPTH];
};

static bool is_root(const char *opcode, const char *root)
{
	const size_t n = strlen(root);

	return !strncmp(opcode, root, n) && (!opcode[n] || opcode[n] == '.');
}

static enum kind kind_of(const char *opcode)
{
	return is_root(opcode, "BSSY")       ? ARMS
	       : is_root(opcode, "BSYNC")    ? MEETS
	       : is_root(opcode, "BREAK")    ? BREAKS
	       : is_root(opcode, "WARPSYNC") ? SYNCS
					     : PLAIN;
}

void accel_barrier_listed(struct tr_program *p, uint32_t inst, const char *operands)
{
	struct tr_inst *in = &p->insts[inst];
	const enum kind kind = kind_of(tr_str(p, in->opcode));
	char *end;
	unsigned long n;

	if (kind == SYNCS && !strncmp(operands, "0x", 2)) {
		n = strtoul(operands, &end, 16);
		if (n && n <= UINT32_MAX && (!*end || *end == ' '))
			in->disp = (int64_t)n;
	}
	if (kind == PLAIN || kind == SYNCS || operands[0] != 'B')
		return;
	n = strtoul(operands + 1, &end, 10);
	if (end > operands + 1 && n < DEPTH && (!*end || *end == ',' || *end == ' '))
		in->disp = (int64_t)n + 1;
}

/* Goes through a block. false: its regions are not nested, or not known to be. */
static bool pass_block(struct tr_program *p, const uint32_t *end_of, uint32_t b, struct open *o)
{
	for (uint32_t i = p->blocks[b].first; i < p->blocks[b].first + p->blocks[b].n; i++) {
		struct tr_inst *in = &p->insts[i];
		const enum kind kind = kind_of(tr_str(p, in->opcode));

		if (kind == PLAIN || kind == SYNCS)
			continue;
		if (in->guard != TR_NONE || (kind == ARMS ? o->n == DEPTH : !o->n))
			return false;
		if (kind == ARMS) {
			in->disp = ++o->n;
			o->bssy[o->n - 1] = i;
			continue;
		}
		in->disp = o->n--;
		if (kind == MEETS && end_of[o->bssy[o->n]] != TR_NONE && end_of[o->bssy[o->n]] != i)
			return false;
	}
	return true;
}

static bool same(const struct open *a, const struct open *b)
{
	return a->n == b->n && !memcmp(a->bssy, b->bssy, a->n * sizeof(*a->bssy));
}

/* Follows all ways from the entry; waiting: room for each block. */
static bool number_all(
	struct tr_program *p, const uint32_t *end_of, struct open *at, uint32_t *waiting)
{
	uint32_t n = 0;

	for (uint32_t b = 0; b < p->nblocks; b++)
		at[b].n = TR_NONE;
	at[0].n = 0;
	waiting[n++] = 0;
	while (n) {
		const uint32_t b = waiting[--n];
		const struct tr_inst *last = &p->insts[p->blocks[b].first + p->blocks[b].n - 1];
		struct open o = at[b];

		if (!pass_block(p, end_of, b, &o))
			return false;
		for (uint32_t s = 0; s < last->nsucc; s++) {
			const uint32_t to = p->succ_pool[last->succ + s];
			const uint32_t x = to == TR_EXIT ? TR_NONE : p->insts[to].block;

			if (x == TR_NONE)
				continue;
			if (at[x].n == TR_NONE) {
				at[x] = o;
				waiting[n++] = x;
			} else if (!same(&at[x], &o)) {
				return false;
			}
		}
	}
	return true;
}

int accel_graph_barriers(const struct accel_graph *g, struct tr_program *p)
{
	uint32_t *end_of = malloc(((size_t)p->ninsts + p->nblocks + 1) * sizeof(*end_of));
	struct open *at = malloc((p->nblocks + 1) * sizeof(*at));
	bool some = false, all = true;

	if (!end_of || !at) {
		free(end_of);
		free(at);
		return TR_EMEM;
	}
	memset(end_of, 0xff, p->ninsts * sizeof(*end_of));
	for (uint32_t i = 0; i < p->ninsts; i++) {
		const enum kind kind = kind_of(tr_str(p, p->insts[i].opcode));

		if (kind == PLAIN || kind == SYNCS)
			continue;
		some = true;
		all &= p->insts[i].disp != 0;
	}
	for (uint32_t i = ACCEL_LEAF + 1; i < g->nnodes; i++) {
		const struct accel_node *node = &g->nodes[i];
		const uint32_t end = node->imm >= 0 && node->imm <= UINT32_MAX
					     ? accel_node_at(g, (uint32_t)node->imm)
					     : TR_NONE;

		if (end != TR_NONE)
			end_of[node->inst] = g->nodes[end].inst;
	}
	if (some && !all && !number_all(p, end_of, at, end_of + p->ninsts))
		for (uint32_t i = 0; i < p->ninsts; i++) {
			const enum kind kind = kind_of(tr_str(p, p->insts[i].opcode));

			if (kind != PLAIN && kind != SYNCS)
				p->insts[i].disp = 0;
		}
	free(end_of);
	free(at);
	return 1;
}
