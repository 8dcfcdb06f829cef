/*
 * Which way instructions go on a machine, where the record's class is not all that says it:
 * parameters that are operands, textures by way of the L1D, and units by opcode, of SASS and PTX.
 *
 * Units by opcode are those of Volta and later: population counts, searches for bits, conversions
 * of floats are the special unit's, matrices the tensor unit's.
 */
#include "sim/base/program.h"
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
	}
}
