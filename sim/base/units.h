/*
 * Execution units of Volta and later, by opcode (sm.opcode_units): which pipe of a sub-core an
 * instruction takes, and as what class it counts there; and products of matrices, whose time is
 * their work over the rate of a tensor core.
 */
#ifndef SIM_BASE_UNITS_H
#define SIM_BASE_UNITS_H

#include "sim/base/config.h"

/* A pipe has the number of the class that it is named after. One class has a second one. */
#define SIM_P_FP32_HALF SIM_NCLASSES /* of two halves of the lanes of fp32 the second */
#define SIM_NPIPES (SIM_NCLASSES + 1)

/*
 * cls, taken: the classes whose keys say its latency and its interval. pipe: which it takes. other:
 * which it may take instead, or takes as well if both is 1; where there is none, the same as pipe.
 */
struct sim_way {
	uint8_t cls, taken, pipe, other, both;
	uint8_t of_sm;      /* the pipe is the SM's, not a sub-core's */
	uint8_t to_uniform; /* it carries lanes' registers to the uniform datapath */
};

/* What a tensor core multiplies. */
enum sim_factor {
	SIM_F_F16, /* and bf16 */
	SIM_F_TF32,
	SIM_F_F8,
	SIM_F_INT8,
	SIM_F_INT4,
	SIM_F_BIT,
	SIM_F_F64,
};

struct sim_product {
	uint32_t fmas; /* multiply-adds of a warp; 0: the opcode has no shape that is known */
	enum sim_factor factor;
	int f32_sums;
};

/* Is the opcode's part before its first dot among these, of which the last is NULL? */
int sim_opcode_is(const char *opcode, const char *const *roots);

/* Where an instruction of this opcode goes; cls: its class in the record. */
struct sim_way sim_way_of(const struct sim_config *c, const char *opcode, uint8_t cls);

/* The work of HMMA.16816.F32 or mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 and their like.
 */
struct sim_product sim_product_of(const char *opcode);

/* Core cycles that a tensor core takes for it; 0: its rate is not known. */
uint32_t sim_product_cycles(const struct sim_config *c, const struct sim_product *p);

#endif
