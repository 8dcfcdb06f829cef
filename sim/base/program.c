/* Making a program ready: units, operands, loops. */
#include "sim/base/program.h"
#include "sim/base/warp.h"
#include <stdlib.h>
#include <string.h>

static enum sim_unit unit_of(const struct tr_inst *in)
{
	if (in->cls == TR_C_BARRIER)
		return SIM_U_BARRIER;
	if (in->flags & TR_I_API)
		return SIM_U_API;
	if (in->cls == TR_C_FENCE || in->cls == TR_C_OTHER)
		return SIM_U_NONE;
	if (!in->bytes)
		return SIM_U_ALU;
	if (tr_aux_kind(in) == TR_AUX_MBARRIER) /* a wait has a way of its own */
		return sim_is_barrier(in) ? SIM_U_NONE : SIM_U_SHARED;
	switch (in->space) {
	case TR_S_SHARED:
		return SIM_U_SHARED;
	case TR_S_CONST:
	case TR_S_PARAM:
		return SIM_U_CONST;
	case TR_S_TEXTURE:
		return SIM_U_TEXTURE;
	default:
		return in->cls == TR_C_ATOMIC ? SIM_U_ATOMIC : SIM_U_L1D;
	}
}

static void add_operand(struct sim_inst *x, const uint32_t *dense, uint32_t reg)
{
	if (reg == TR_NONE || dense[reg] == TR_NONE)
		return;
	for (unsigned i = 0; i < x->noperands; i++)
		if (x->reg[i] == dense[reg])
			return;
	if (x->noperands < SIM_OPERANDS)
		x->reg[x->noperands++] = dense[reg];
}

/* Registers that some instruction writes get numbers; special registers are always ready. */
static uint32_t number_registers(const struct tr_program *p, uint32_t *dense)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < p->nregs; r++)
		dense[r] = TR_NONE;
	for (uint32_t i = 0; i < p->ninsts; i++)
		for (uint32_t k = 0; k < p->insts[i].ndst; k++) {
			uint32_t r = p->reg_pool[p->insts[i].dst + k];

			if (dense[r] == TR_NONE)
				dense[r] = n++;
		}
	return n;
}

static int leads_out(const struct tr_program *p, const struct tr_inst *in)
{
	for (uint32_t k = 0; k < in->nsucc; k++) {
		uint32_t to = p->succ_pool[in->succ + k];

		if (to == TR_EXIT ||
			(p->insts[to].cls == TR_C_EXIT && p->insts[to].guard == TR_NONE))
			return 1;
	}
	return !in->nsucc;
}

static void ready_inst(
	struct sim_inst *x, const struct tr_program *p, uint32_t i, const uint32_t *dense)
{
	const struct tr_inst *in = &p->insts[i];
	const struct tr_block *b = &p->blocks[in->block];

	*x = (struct sim_inst){.inst = in,
		.cls = in->cls,
		.unit = (uint8_t)unit_of(in),
		.has_outcome = (in->flags & TR_I_OUTCOME) != 0,
		.has_value = (in->flags & TR_I_VALUE) != 0,
		.two_bytes = in->nsucc > 256,
		.is_load = in->cls == TR_C_LOAD,
		.is_store = in->cls == TR_C_STORE,
		.last = i == b->first + b->n - 1,
		.leads_out = (uint8_t)leads_out(p, in),
		.guarded = in->guard != TR_NONE,
		.space = in->space,
		.bytes = (uint8_t)(in->bytes * in->vec),
		.block = in->block};
	if (tr_aux_kind(in) == TR_AUX_MBARRIER) {
		x->mbarrier = (uint8_t)(tr_aux_number(in) + 1);
		x->space = TR_S_SHARED;
	}
	x->plain = !x->mbarrier && !x->has_outcome && !x->has_value && !x->guarded &&
		   !sim_is_memory(x) && !(in->flags & TR_I_COLLECTIVE);
	if (in->aux && tr_aux_kind(in) == TR_AUX_PLAIN && !(in->flags & TR_I_API) &&
		in->cls != TR_C_BARRIER) {
		x->copy = (uint8_t)(in->aux < TR_COPY_WAIT ? in->aux : TR_COPY_WAIT);
		x->may_go_on = in->aux - x->copy;
	}
	for (uint32_t k = 0; k < in->ndst; k++)
		add_operand(x, dense, p->reg_pool[in->dst + k]);
	x->ndst = x->noperands;
	for (uint32_t k = 0; k < in->nsrc; k++)
		add_operand(x, dense, p->reg_pool[in->src + k]);
	add_operand(x, dense, in->base);
	add_operand(x, dense, in->guard);
	for (uint32_t k = x->noperands; k < SIM_OPERANDS; k++)
		x->reg[k] = x->reg[0];
}

int sim_program_make(struct sim_program *s, const struct tr_program *p, struct tr_err *err)
{
	uint32_t *dense = calloc(p->nregs + 1, sizeof(*dense));

	*s = (struct sim_program){.p = p};
	s->insts = calloc(p->ninsts + 1, sizeof(*s->insts));
	s->header_loop = calloc(p->nblocks + 1, sizeof(*s->header_loop));
	if (!dense || !s->insts || !s->header_loop ||
		tr_loop_tree_make(&s->nest, p->loops, p->nloops) < 0) {
		free(dense);
		sim_program_free(s);
		return tr_fail(
			err, TR_EMEM, 0, "no memory for a program of %u instructions", p->ninsts);
	}
	s->nregs = number_registers(p, dense);
	for (uint32_t i = p->ninsts; i--;) {
		struct sim_inst *x = &s->insts[i];

		if (tr_is_operand(&p->insts[i])) {
			*x = x[1];
			x->rows++;
			continue;
		}
		ready_inst(x, p, i, dense);
		s->copies |= x->copy > TR_COPY_LOAD || x->mbarrier > TR_MBAR_COPIES;
		s->mbarriers |= x->mbarrier != 0;
	}
	for (uint32_t b = 0; b < p->nblocks; b++)
		s->header_loop[b] = TR_NONE;
	for (uint32_t l = 0; l < p->nloops; l++)
		s->header_loop[p->loops[l].header] = l;
	free(dense);
	return 1;
}

void sim_program_free(struct sim_program *s)
{
	free(s->insts);
	free(s->header_loop);
	tr_loop_tree_free(&s->nest);
	*s = (struct sim_program){0};
}
