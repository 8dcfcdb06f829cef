/* All operations of one instruction set behind one table. */
#include "sim/ptx/ops.h"

static ptx_alu *alu(const struct ptx_code *c)
{
	ptx_alu *(*const parts[])(const struct ptx_inst *) = {PTX_BY_ISA(ptx_ops_int),
		PTX_BY_ISA(ptx_ops_bits), PTX_BY_ISA(ptx_ops_float), PTX_BY_ISA(ptx_ops_half),
		PTX_BY_ISA(ptx_ops_move), PTX_BY_ISA(ptx_ops_set)};

	for (unsigned k = 0; k < sizeof(parts) / sizeof(*parts); k++) {
		ptx_alu *f = parts[k](c->inst);
		if (f)
			return f;
	}
	return PTX_BY_ISA(ptx_ops_convert)(c);
}

#define TABLE PTX_BY_ISA(ptx_ops)

const struct ptx_ops TABLE = {
	.alu = alu,
	.compare = PTX_BY_ISA(ptx_ops_compare),
	.gather = PTX_BY_ISA(ptx_ops_gather),
	.scatter = PTX_BY_ISA(ptx_ops_scatter),
	.addresses = PTX_BY_ISA(ptx_ops_addresses),
	.locate = PTX_BY_ISA(ptx_ops_locate),
};
