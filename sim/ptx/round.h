/*
 * Float arithmetic in the rounding modes other than to nearest: rare, exact, one lane at a time.
 * Internal to sim/ptx.
 */
#ifndef PTX_ROUND_H
#define PTX_ROUND_H

#include "sim/ptx/ast.h"

enum ptx_rounded { PTX_SUM, PTX_DIFFERENCE, PTX_PRODUCT, PTX_QUOTIENT, PTX_ROOT, PTX_FUSED };

/* a op b (fused: a * b + c; root: of a), rounded once in mode RN, RZ, RM or RP. */
float ptx_rounded_f32(enum ptx_rounded op, enum ptx_round mode, float a, float b, float c);
double ptx_rounded_f64(enum ptx_rounded op, enum ptx_round mode, double a, double b, double c);

/* Conversions that may round. */
float ptx_round_to_f32(double v, enum ptx_round mode);
float ptx_s64_to_f32(int64_t v, enum ptx_round mode);
float ptx_u64_to_f32(uint64_t v, enum ptx_round mode);
double ptx_s64_to_f64(int64_t v, enum ptx_round mode);
double ptx_u64_to_f64(uint64_t v, enum ptx_round mode);

#endif
