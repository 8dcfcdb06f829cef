/*
 * Internal: what building, reading and analysing a program share. Not installed.
 */
#ifndef TR_ANALYZE_H
#define TR_ANALYZE_H

#include "program.h"

/* The flags of an instruction that follow from its other fields alone. */
#define TR_I_DERIVED (TR_I_OUTCOME | TR_I_VALUE)
uint32_t tr_inst_derived(const struct tr_inst *in);

/* The parts that a program is built from fit together: 1 or TR_EDATA. */
int tr_program_check_parts(const struct tr_program *p, struct tr_err *err);

#endif
