/*
 * f32 and f64 arithmetic. A NaN result is the canonical one. Rounding to nearest, with and without
 * .ftz, is vector code; the other rounding modes and .sat go through round.c, lane by lane.
 *
 * Where PTX allows an approximation (div.full, rcp.approx, sqrt.approx) the result here is the
 * correctly rounded one, so that it is the same on every machine; sin, cos, ex2, lg2 and tanh are
 * in approx.c.
 */
#include "sim/ptx/approx.h"
#include "sim/ptx/ops.h"
#include "sim/ptx/round.h"
#include <math.h>

static inline uint32_t result32(float r)
{
	return r != r ? PTX_NAN32 : ptx_float_bits(r);
}

static inline uint64_t result64(double r)
{
	return r != r ? PTX_NAN64 : ptx_double_bits(r);
}

static inline uint32_t result32_ftz(float r)
{
	return result32(ptx_flush(r));
}

#define F(x) ptx_float(x)
#define Z(x) ptx_flush(ptx_float(x)) /* the source of an .ftz operation */
#define D(x) ptx_double(x)

/* Each operation in f32, f32 with .ftz, and f64: value is in terms of x, y, z. */
#define FLOAT1(name, value32, value64)                                                             \
	static inline float name##_of(float x)                                                     \
	{                                                                                          \
		return value32;                                                                    \
	}                                                                                          \
	static inline double name##_of64(double x)                                                 \
	{                                                                                          \
		return value64;                                                                    \
	}                                                                                          \
	UNARY(name##_f32, uint32_t, uint32_t, result32(name##_of(F(a))))                           \
	UNARY(name##_ftz, uint32_t, uint32_t, result32_ftz(name##_of(Z(a))))                       \
	UNARY(name##_f64, uint64_t, uint64_t, result64(name##_of64(D(a))))
#define PLAIN2(name, value32, value64)                                                             \
	static inline float name##_of(float x, float y)                                            \
	{                                                                                          \
		return value32;                                                                    \
	}                                                                                          \
	static inline double name##_of64(double x, double y)                                       \
	{                                                                                          \
		return value64;                                                                    \
	}                                                                                          \
	BINARY(name##_f32, uint32_t, uint32_t, uint32_t, result32(name##_of(F(a), F(b))))          \
	BINARY(name##_f64, uint64_t, uint64_t, uint64_t, result64(name##_of64(D(a), D(b))))
#define FLOAT2(name, value32, value64)                                                             \
	PLAIN2(name, value32, value64)                                                             \
	BINARY(name##_ftz, uint32_t, uint32_t, uint32_t, result32_ftz(name##_of(Z(a), Z(b))))

FLOAT2(add, x + y, x + y)
FLOAT2(sub, x - y, x - y)
PLAIN2(mul, (x * y), (x * y))
PLAIN2(div, x / y, x / y)

/*
 * With .ftz, operations that may round what is subnormal up to a normal number: not sums of two,
 * which are exact there, nor rcp to nearest, whose results have none between both. The lanes where
 * they may have done so, few or none, are put right one by one.
 */
#define EDGED(name, nsrc, value)                                                                   \
	static void name(struct ptx_warp *w, const struct ptx_code *code)                          \
	{                                                                                          \
		const uint32_t *pa = ptx_source(w, code, 0), *pb = ptx_source(w, code, 1);         \
		const uint32_t *pc = nsrc > 2 ? ptx_source(w, code, 2) : pa;                       \
		uint32_t *d = ptx_destination(w, code, 0), r[PTX_LANES], edges = 0;                \
		for (unsigned i = 0; i < PTX_LANES; i++) {                                         \
			const float x = Z(pa[i]), y = Z(pb[i]), z = Z(pc[i]), v = (value);         \
			edges |= (uint32_t)ptx_is_least(v);                                        \
			r[i] = result32_ftz(v);                                                    \
			(void)z;                                                                   \
		}                                                                                  \
		for (unsigned i = 0; edges && i < PTX_LANES; i++) {                                \
			const float x = PTX_SCALE * Z(pa[i]), y = Z(pb[i]);                        \
			const float z = PTX_SCALE * Z(pc[i]);                                      \
			if (ptx_is_least(F(r[i])))                                                 \
				r[i] = ptx_float_bits(ptx_flush_scaled(F(r[i]), (value)));         \
			(void)z;                                                                   \
		}                                                                                  \
		EACH_LANE(uint32_t, r[i]);                                                         \
	}
EDGED(mul_ftz, 2, (x * y))
EDGED(div_ftz, 2, x / y)
EDGED(fma_ftz, 3, fmaf(x, y, z))
FLOAT1(rcp, 1 / x, 1 / x)
FLOAT1(sqrt, sqrtf(x), sqrt(x))
FLOAT1(rsqrt, (float)(1 / sqrt((double)x)), 1 / sqrt(x))

/*
 * PTX ISA: div.approx is a times a reciprocal, which is zero where |b| is above 2^126. So is a
 * quotient by an infinity, and an infinity over it is a NaN.
 */
static inline float approx_div(float x, float y)
{
	return x / (fabsf(y) > 0x1p126f ? copysignf(INFINITY, y) : y);
}

BINARY(approx_div_f32, uint32_t, uint32_t, uint32_t, result32(approx_div(F(a), F(b))))
BINARY(approx_div_ftz, uint32_t, uint32_t, uint32_t, result32_ftz(approx_div(Z(a), Z(b))))

/* What the .approx.ftz forms of f64 look at and give: its high half, without subnormals. */
static inline uint64_t high_half(uint64_t bits)
{
	return bits & (bits & 0x7ff0000000000000ull ? ~0xffffffffull : 1ull << 63);
}

UNARY(high_rcp, uint64_t, uint64_t, high_half(result64(1 / D(high_half(a)))))
UNARY(high_rsqrt, uint64_t, uint64_t, high_half(result64(1 / sqrt(D(high_half(a))))))

TERNARY(fma_f32, uint32_t, uint32_t, uint32_t, uint32_t, result32(fmaf(F(a), F(b), F(c))))
TERNARY(fma_f64, uint64_t, uint64_t, uint64_t, uint64_t, result64(fma(D(a), D(b), D(c))))

/* A NaN gives way to a number; of two equal values (zeros of both signs) the sign bit decides. */
static inline float min32(float x, float y)
{
	const float zero = ptx_float(ptx_float_bits(x) | ptx_float_bits(y));
	const float least = x < y ? x : x == y ? zero : y;
	return x != x ? y : y != y ? x : least;
}

static inline float max32(float x, float y)
{
	const float zero = ptx_float(ptx_float_bits(x) & ptx_float_bits(y));
	const float most = x > y ? x : x == y ? zero : y;
	return x != x ? y : y != y ? x : most;
}

static inline double min64(double x, double y)
{
	const double zero = ptx_double(ptx_double_bits(x) | ptx_double_bits(y));
	const double least = x < y ? x : x == y ? zero : y;
	return x != x ? y : y != y ? x : least;
}

static inline double max64(double x, double y)
{
	const double zero = ptx_double(ptx_double_bits(x) & ptx_double_bits(y));
	const double most = x > y ? x : x == y ? zero : y;
	return x != x ? y : y != y ? x : most;
}

FLOAT2(min, min32(x, y), min64(x, y))
FLOAT2(max, max32(x, y), max64(x, y))

/*
 * min and max of three, or with .NaN (a NaN wins), .abs (of the magnitudes) or, of two only,
 * .xorsign.abs (with the signs' xor).
 */
static void extreme(struct ptx_warp *w, const struct ptx_code *code)
{
	const struct ptx_inst *inst = code->inst;
	const int flush = inst->flags & PTX_F_FTZ, absolute = inst->flags & PTX_F_XORSIGN;
	const int xorsign = absolute && code->ns == 2;
	uint32_t *d = ptx_destination(w, code, 0), r[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++) {
		uint32_t signs = 0;
		float v = 0;
		int nan = 0;
		for (unsigned k = 0; k < code->ns; k++) {
			const uint32_t bits = ((const uint32_t *)ptx_source(w, code, k))[i];
			float x = flush ? Z(bits) : F(bits);
			x = absolute ? fabsf(x) : x;
			v = !k ? x : inst->op == PTX_MIN ? min32(v, x) : max32(v, x);
			nan |= x != x;
			signs ^= bits & 0x80000000u;
		}
		r[i] = (inst->flags & PTX_F_NAN) && nan ? PTX_NAN32 : result32(v);
		if (xorsign && r[i] != PTX_NAN32)
			r[i] |= signs;
	}
	EACH_LANE(uint32_t, r[i]);
}

UNARY(neg_f32, uint32_t, uint32_t, a ^ 0x80000000u)
UNARY(neg_ftz, uint32_t, uint32_t, ptx_float_bits(Z(a)) ^ 0x80000000u)
UNARY(neg_f64, uint64_t, uint64_t, a ^ 0x8000000000000000ull)
UNARY(abs_f32, uint32_t, uint32_t, a & 0x7fffffffu)
UNARY(abs_ftz, uint32_t, uint32_t, ptx_float_bits(Z(a)) & 0x7fffffffu)
UNARY(abs_f64, uint64_t, uint64_t, a & 0x7fffffffffffffffull)
BINARY(copysign_f32, uint32_t, uint32_t, uint32_t, (a & 0x80000000u) | (b & 0x7fffffffu))
BINARY(copysign_f64, uint64_t, uint64_t, uint64_t,
	(a & 0x8000000000000000ull) | (b & 0x7fffffffffffffffull))

#define APPROX(name)                                                                               \
	UNARY(name##_f32, uint32_t, uint32_t, ptx_float_bits(ptx_##name(F(a))))                    \
	UNARY(name##_ftz, uint32_t, uint32_t, ptx_float_bits(ptx_flush(ptx_##name(Z(a)))))
APPROX(sin)
APPROX(cos)
APPROX(ex2)
APPROX(lg2)
APPROX(tanh)

/* Any rounding mode, with .ftz and .sat. */
static enum ptx_rounded rounded_op(enum ptx_op op)
{
	switch (op) {
	case PTX_ADD:
		return PTX_SUM;
	case PTX_SUB:
		return PTX_DIFFERENCE;
	case PTX_MUL:
		return PTX_PRODUCT;
	case PTX_DIV:
	case PTX_RCP:
		return PTX_QUOTIENT;
	case PTX_SQRT:
		return PTX_ROOT;
	default:
		return PTX_FUSED;
	}
}

/* The result with subnormals as zeros, also where rounding has made it the least normal number. */
static float flush_general(const struct ptx_inst *inst, float v, float x, float y, float z)
{
	const enum ptx_rounded op = rounded_op(inst->op);

	if (!ptx_is_least(v) || op == PTX_SUM || op == PTX_DIFFERENCE || op == PTX_ROOT)
		return ptx_flush(v);
	return ptx_flush_scaled(
		v, ptx_rounded_f32(op, inst->round, PTX_SCALE * x, y, PTX_SCALE * z));
}

static void general_f32(struct ptx_warp *w, const struct ptx_code *code)
{
	const struct ptx_inst *inst = code->inst;
	const uint32_t *a = ptx_source(w, code, 0);
	const uint32_t *b = code->ns > 1 ? ptx_source(w, code, 1) : a;
	const uint32_t *c = code->ns > 2 ? ptx_source(w, code, 2) : a;
	const int flush = inst->flags & PTX_F_FTZ;
	uint32_t *d = ptx_destination(w, code, 0), r[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++) {
		float x = F(a[i]), y = F(b[i]), z = F(c[i]);
		if (flush) {
			x = ptx_flush(x);
			y = ptx_flush(y);
			z = ptx_flush(z);
		}
		if (inst->op == PTX_RCP) {
			y = x;
			x = 1;
		}
		float v = ptx_rounded_f32(rounded_op(inst->op), inst->round, x, y, z);
		if (flush)
			v = flush_general(inst, v, x, y, z);
		if (inst->flags & PTX_F_SAT)
			v = v > 0 ? (v < 1 ? v : 1) : 0;
		r[i] = result32(v);
	}
	EACH_LANE(uint32_t, r[i]);
}

static void general_f64(struct ptx_warp *w, const struct ptx_code *code)
{
	const struct ptx_inst *inst = code->inst;
	const uint64_t *a = ptx_source(w, code, 0);
	const uint64_t *b = code->ns > 1 ? ptx_source(w, code, 1) : a;
	const uint64_t *c = code->ns > 2 ? ptx_source(w, code, 2) : a;
	uint64_t *d = ptx_destination(w, code, 0), r[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++) {
		const int inverse = inst->op == PTX_RCP;
		r[i] = result64(ptx_rounded_f64(rounded_op(inst->op), inst->round,
			inverse ? 1 : D(a[i]), D(inverse ? a[i] : b[i]), D(c[i])));
	}
	EACH_LANE(uint64_t, r[i]);
}

enum { PLAIN, FTZ, WIDE }; /* columns of a table */

static ptx_alu *rounding(const struct ptx_inst *i, int column, ptx_alu *const nearest[3])
{
	const int directed = i->round == PTX_RZ || i->round == PTX_RM || i->round == PTX_RP;

	if (directed || (i->flags & PTX_F_SAT))
		return column == WIDE ? general_f64 : general_f32;
	return nearest[column];
}

#define ROW(name)                                                                                  \
	{                                                                                          \
		name##_f32, name##_ftz, name##_f64                                                 \
	}
#define ROW32(name)                                                                                \
	{                                                                                          \
		name##_f32, name##_ftz, NULL                                                       \
	}

ptx_alu *PTX_BY_ISA(ptx_ops_float)(const struct ptx_inst *i)
{
	static ptx_alu *const adds[3] = ROW(add), *const subs[3] = ROW(sub),
			      *const muls[3] = ROW(mul);
	static ptx_alu *const divs[3] = ROW(div), *const rcps[3] = ROW(rcp),
			      *const sqrts[3] = ROW(sqrt);
	static ptx_alu *const approx_divs[3] = {approx_div_f32, approx_div_ftz, div_f64};
	static ptx_alu *const fmas[3] = ROW(fma), *const rsqrts[3] = ROW(rsqrt);
	static ptx_alu *const mins[3] = ROW(min), *const maxs[3] = ROW(max);
	static ptx_alu *const negs[3] = ROW(neg), *const abss[3] = ROW(abs);
	static ptx_alu *const sins[3] = ROW32(sin), *const coss[3] = ROW32(cos);
	static ptx_alu *const ex2s[3] = ROW32(ex2), *const lg2s[3] = ROW32(lg2);
	static ptx_alu *const tanhs[3] = ROW32(tanh);
	const int column = i->type == PTX_T_F64 ? WIDE : i->flags & PTX_F_FTZ ? FTZ : PLAIN;
	const int is_high = column == WIDE && (i->flags & PTX_F_FTZ) && (i->flags & PTX_F_APPROX);

	if (i->type != PTX_T_F32 && i->type != PTX_T_F64)
		return NULL;
	switch (i->op) {
	case PTX_ADD:
		return rounding(i, column, adds);
	case PTX_SUB:
		return rounding(i, column, subs);
	case PTX_MUL:
		return rounding(i, column, muls);
	case PTX_DIV:
		return rounding(i, column, i->flags & PTX_F_APPROX ? approx_divs : divs);
	case PTX_RCP:
		return is_high ? high_rcp : rounding(i, column, rcps);
	case PTX_SQRT:
		return rounding(i, column, sqrts);
	case PTX_FMA:
	case PTX_MAD:
		return rounding(i, column, fmas);
	case PTX_RSQRT:
		return is_high ? high_rsqrt : rsqrts[column];
	case PTX_MIN:
	case PTX_MAX:
		if ((i->flags & (PTX_F_NAN | PTX_F_XORSIGN)) || i->nsrc > 2)
			return column == WIDE ? NULL : extreme;
		return i->op == PTX_MIN ? mins[column] : maxs[column];
	case PTX_NEG:
		return negs[column];
	case PTX_ABS:
		return abss[column];
	case PTX_COPYSIGN:
		return column == WIDE ? copysign_f64 : copysign_f32;
	case PTX_SIN:
		return sins[column];
	case PTX_COS:
		return coss[column];
	case PTX_EX2:
		return ex2s[column];
	case PTX_LG2:
		return lg2s[column];
	case PTX_TANH:
		return tanhs[column];
	default:
		return NULL;
	}
}
