/*
 * Programs side by side as one, for kernels that are on SMs together: a PC is one instruction. Each
 * keeps its order; instructions, registers, blocks, loops and texts of the later ones have their
 * numbers moved. Ranks are moved too, so they stay a permutation, and each program's are
 * consecutive.
 */
#include "sim/launch/family.h"
#include <stdlib.h>
#include <string.h>

static uint32_t moved(uint32_t number, uint32_t by)
{
	return number >= TR_EXIT ? number : number + by;
}

/* Where the next program goes, by what it has. */
static void add_one(struct tr_program *j, const struct tr_program *p)
{
	const uint32_t insts = j->ninsts, regs = j->nregs, blocks = j->nblocks, loops = j->nloops;
	const uint32_t reg_pool = j->nreg_pool, succ_pool = j->nsucc_pool;
	const uint32_t strings = (uint32_t)j->strings_len;

	for (uint32_t i = 0; i < p->ninsts; i++) {
		struct tr_inst *x = &j->insts[insts + i];

		*x = p->insts[i];
		x->opcode += strings;
		x->guard = moved(x->guard, regs);
		x->base = moved(x->base, regs);
		x->dst += reg_pool;
		x->src += reg_pool;
		x->succ += succ_pool;
		x->file = moved(x->file, strings);
		x->block += blocks;
		x->ipdom = moved(x->ipdom, insts);
		x->lcp = moved(x->lcp, insts);
	}
	for (uint32_t i = 0; p->operands && i < p->ninsts; i++)
		j->operands[insts + i] = p->operands[i] ? p->operands[i] + strings : 0;
	for (uint32_t i = 0; p->control && i < p->ninsts; i++)
		j->control[insts + i] = p->control[i];
	for (uint32_t r = 0; r < p->nregs; r++)
		j->regs[regs + r] = (struct tr_reg){p->regs[r].name + strings, p->regs[r].width};
	for (uint32_t b = 0; b < p->nblocks; b++) {
		struct tr_block *x = &j->blocks[blocks + b];

		*x = p->blocks[b];
		x->first += insts;
		x->rank += blocks;
		x->loop = moved(x->loop, loops);
		x->idom = moved(x->idom, blocks);
		x->ipdom = moved(x->ipdom, blocks);
	}
	for (uint32_t l = 0; l < p->nloops; l++) {
		j->loops[loops + l] = p->loops[l];
		j->loops[loops + l].header += blocks;
		j->loops[loops + l].parent = moved(p->loops[l].parent, loops);
	}
	for (uint32_t i = 0; i < p->nreg_pool; i++)
		j->reg_pool[reg_pool + i] = p->reg_pool[i] + regs;
	for (uint32_t i = 0; i < p->nsucc_pool; i++)
		j->succ_pool[succ_pool + i] = moved(p->succ_pool[i], insts);
	memcpy(j->strings + strings, p->strings, p->strings_len);
	j->ninsts += p->ninsts;
	j->nregs += p->nregs;
	j->nblocks += p->nblocks;
	j->nloops += p->nloops;
	j->nreg_pool += p->nreg_pool;
	j->nsucc_pool += p->nsucc_pool;
	j->strings_len += p->strings_len;
	j->marks |= p->marks;
}

int sim_join(struct tr_program **joined, const struct tr_program *const *programs, uint32_t n,
	struct tr_err *err)
{
	struct tr_program all = {0};
	struct tr_program *j = tr_program_new("");
	int operands = 0, control = 0;

	for (uint32_t i = 0; i < n; i++) {
		operands |= programs[i]->operands != NULL;
		control |= programs[i]->control != NULL;
		all.ninsts += programs[i]->ninsts;
		all.nregs += programs[i]->nregs;
		all.nblocks += programs[i]->nblocks;
		all.nloops += programs[i]->nloops;
		all.nreg_pool += programs[i]->nreg_pool;
		all.nsucc_pool += programs[i]->nsucc_pool;
		all.strings_len += programs[i]->strings_len;
	}
	*joined = j;
	if (!j)
		return tr_fail(err, TR_EMEM, 0, "no memory for the programs of a family");
	free(j->strings);
	j->insts = calloc(all.ninsts + (size_t)1, sizeof(*j->insts));
	j->regs = calloc(all.nregs + (size_t)1, sizeof(*j->regs));
	j->blocks = calloc(all.nblocks + (size_t)1, sizeof(*j->blocks));
	j->loops = calloc(all.nloops + (size_t)1, sizeof(*j->loops));
	j->reg_pool = calloc(all.nreg_pool + (size_t)1, sizeof(*j->reg_pool));
	j->succ_pool = calloc(all.nsucc_pool + (size_t)1, sizeof(*j->succ_pool));
	j->strings = calloc(all.strings_len + 1, 1);
	j->strings_len = 0;
	if (operands)
		j->operands = calloc(all.ninsts + (size_t)1, sizeof(*j->operands));
	if (control)
		j->control = calloc(all.ninsts + (size_t)1, sizeof(*j->control));
	if ((operands && !j->operands) || (control && !j->control) || !j->insts || !j->regs ||
		!j->blocks || !j->loops || !j->reg_pool || !j->succ_pool || !j->strings) {
		tr_program_free(j);
		*joined = NULL;
		return tr_fail(err, TR_EMEM, 0, "no memory for the programs of a family");
	}
	j->name = programs[0]->name;
	for (uint32_t i = 0; i < n; i++)
		add_one(j, programs[i]);
	return 1;
}
