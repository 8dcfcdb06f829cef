/*
 * Which way instructions go on a machine, where the record's class is not all that says it:
 * parameters that are operands, textures by way of the L1D, and units by opcode, of SASS and PTX.
 *
 * Units by opcode are those of Volta and later: population counts, searches for bits, conversions
 * of floats are the special unit's, matrices the tensor unit's.
 *
 * Register banks are of SASS alone, whose registers R0, R1, ... are in bank n modulo their number;
 * PTX has none. An arithmetic instruction whose operands are in one bank takes more than one cycle
 * to read them; of double precision a half of them at a time. Left out: reads of memory
 * instructions, which have their unit's interval for them, and the instructions before that still
 * read.
 */
#include "sim/base/program.h"
#include <stdlib.h>
#include <string.h>

static const char *const special[] = {"BREV", "F2F", "F2I", "FCHK", "FLO", "FRND", "I2F", "POPC",
	"bfind", "brev", "clz", "popc", NULL};
static const char *const tensor[] = {
	"BMMA", "DMMA", "HGMMA", "HMMA", "IGMMA", "IMMA", "QGMMA", "mma", "wmma", NULL};

/* Is the opcode's part before the first dot among these? */
static int is_one_of(const char *opcode, const char *const *roots)
{
	const size_t n = strcspn(opcode, ".");

	for (; *roots; roots++)
		if (strlen(*roots) == n && !strncmp(opcode, *roots, n))
			return 1;
	return 0;
}

/* A conversion of PTX of which a side is a float: the others are integer moves. */
static int converts_floats(const char *opcode)
{
	return !strncmp(opcode, "cvt.", 4) &&
	       (strstr(opcode, ".f16") || strstr(opcode, ".f32") || strstr(opcode, ".f64"));
}

static uint8_t unit_class(const char *opcode, uint8_t cls)
{
	if (is_one_of(opcode, tensor))
		return SIM_C_TENSOR;
	if (is_one_of(opcode, special) || converts_floats(opcode))
		return TR_C_SFU;
	return cls;
}

static uint32_t hold_of(const struct sim_config *c, const struct tr_program *p, uint32_t i)
{
	const struct tr_inst *in = &p->insts[i];
	const char *opcode = tr_str(p, in->opcode);
	const struct {
		const char *root;
		uint32_t cycles;
	} holds[] = {{"YIELD", c->hold.yield}, {"NANOSLEEP", c->hold.nanosleep},
		{"nanosleep", c->hold.nanosleep}, {"BSYNC", c->hold.bsync},
		{"WARPSYNC", in->nsrc ? c->hold.warpsync_register : c->hold.warpsync}};

	if (!strncmp(opcode, "bar.warp.sync", 13))
		return c->hold.warpsync;
	for (size_t k = 0; k < sizeof(holds) / sizeof(holds[0]); k++) {
		const char *const root[] = {holds[k].root, NULL};

		if (is_one_of(opcode, root))
			return holds[k].cycles;
	}
	return 0;
}

/* The number of a register R0 to R254, or -1: it is no such register. */
static int number_of(const struct tr_program *p, uint32_t reg)
{
	const char *name = tr_str(p, p->regs[reg].name);
	char *end;
	const long n =
		*name == 'R' && name[1] >= '0' && name[1] <= '9' ? strtol(name + 1, &end, 10) : -1;

	return n >= 0 && !*end && n < 255 ? (int)n : -1;
}

/* Had the instruction before, of the same block, this register in the same place, and left it? */
static int is_kept(const struct tr_program *p, uint32_t i, uint32_t place)
{
	const struct tr_inst *in = &p->insts[i], *before = in - 1;
	const uint32_t reg = p->reg_pool[in->src + place];

	if (!i || before->block != in->block || place >= before->nsrc ||
		p->reg_pool[before->src + place] != reg)
		return 0;
	for (uint32_t k = 0; k < before->ndst; k++)
		if (p->reg_pool[before->dst + k] == reg)
			return 0;
	return 1;
}

/* Cycles beyond the first that the operands of arithmetic take to be read. */
static uint32_t reads_of(const struct sim_config *c, const struct sim_program *s, uint32_t i)
{
	const struct tr_program *p = s->p;
	const struct tr_inst *in = &p->insts[i];
	const uint32_t passes = in->cls == TR_C_FP64 ? 2 : 1;
	uint32_t reads[16] = {0}, most = 0;

	if (!c->sm.register_banks || s->insts[i].unit != SIM_U_ALU)
		return 0;
	for (uint32_t k = 0; k < in->nsrc; k++) {
		const int n = number_of(p, p->reg_pool[in->src + k]);

		if (n >= 0 && !(c->sm.reuse && is_kept(p, i, k)))
			reads[(uint32_t)n % c->sm.register_banks]++;
	}
	for (uint32_t b = 0; b < c->sm.register_banks; b++)
		most = reads[b] > most ? reads[b] : most;
	most = (most + passes * c->sm.bank_reads - 1) / (passes * c->sm.bank_reads);
	return most ? most - 1 : 0;
}

void sim_program_ways(struct sim_program *s, const struct sim_config *c)
{
	for (uint32_t i = 0; i < s->p->ninsts; i++) {
		struct sim_inst *x = &s->insts[i];

		if (c->sm.param_operands && x->unit == SIM_U_CONST && x->space == TR_S_PARAM) {
			x->unit = SIM_U_ALU;
			x->cls = TR_C_MOVE;
			x->is_load = 0;
		}
		if (c->sm.texture_l1d && x->unit == SIM_U_TEXTURE) {
			x->unit = SIM_U_L1D;
			x->space = TR_S_GLOBAL;
		}
		if (c->sm.opcode_units && x->unit == SIM_U_ALU)
			x->cls = unit_class(tr_str(s->p, x->inst->opcode), x->cls);
		x->latency = c->latency[x->cls];
		x->interval = c->interval[x->cls];
		x->hold = hold_of(c, s->p, i);
		x->reads = reads_of(c, s, i);
	}
}
