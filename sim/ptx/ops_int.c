/*
 * Integer arithmetic: add to madc, div, rem, min, max, sad, the dot products. Dividing by zero
 * gives all ones for the quotient and the remainder, as the instruction sequences of real GPUs do
 * (PTX leaves it open); the least integer divided by -1 is itself, remainder 0.
 */
#include "sim/ptx/ops.h"

/* One operation for the three widths, and for the three widths signed. */
#define UNARY3(name, value)                                                                        \
	UNARY(name##_16, uint16_t, uint16_t, value)                                                \
	UNARY(name##_32, uint32_t, uint32_t, value)                                                \
	UNARY(name##_64, uint64_t, uint64_t, value)
#define BINARY3(name, value)                                                                       \
	BINARY(name##_16, uint16_t, uint16_t, uint16_t, value)                                     \
	BINARY(name##_32, uint32_t, uint32_t, uint32_t, value)                                     \
	BINARY(name##_64, uint64_t, uint64_t, uint64_t, value)
#define BINARY3S(name, value)                                                                      \
	BINARY(name##_s16, int16_t, int16_t, int16_t, value)                                       \
	BINARY(name##_s32, int32_t, int32_t, int32_t, value)                                       \
	BINARY(name##_s64, int64_t, int64_t, int64_t, value)

/* Products in a type that is unsigned and at least 32 bits wide: no signed overflow. */
#define MUL(a, b) ((a) * (1u * (b)))

UNARY3(neg, 0u - a)
UNARY(abs_s16, uint16_t, int16_t, a < 0 ? 0u - (uint16_t)a : (uint16_t)a)
UNARY(abs_s32, uint32_t, int32_t, a < 0 ? 0u - (uint32_t)a : (uint32_t)a)
UNARY(abs_s64, uint64_t, int64_t, a < 0 ? 0u - (uint64_t)a : (uint64_t)a)
BINARY3(add, a + b)
BINARY3(sub, a - b)
BINARY3(mul, MUL(a, b))
BINARY3(min, a < b ? a : b)
BINARY3(max, a > b ? a : b)
BINARY3S(min, a < b ? a : b)
BINARY3S(max, a > b ? a : b)
BINARY3(div, b ? a / b : ~0ull)
BINARY3(rem, b ? a % b : ~0ull)
BINARY(div_s16, uint16_t, int16_t, int16_t, b ? a / b : -1)
BINARY(rem_s16, uint16_t, int16_t, int16_t, b ? a % b : -1)
BINARY(div_s32, uint32_t, int32_t, int32_t, b == -1 ? 0u - (uint32_t)a : (uint32_t)(b ? a / b : -1))
BINARY(rem_s32, uint32_t, int32_t, int32_t, b == -1 ? 0 : b ? a % b : -1)
BINARY(div_s64, uint64_t, int64_t, int64_t, b == -1 ? 0u - (uint64_t)a : (uint64_t)(b ? a / b : -1))
BINARY(rem_s64, uint64_t, int64_t, int64_t, b == -1 ? 0 : b ? a % b : -1)

static inline int32_t saturate(int64_t v)
{
	return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}

BINARY(add_sat, int32_t, int32_t, int32_t, saturate((int64_t)a + b))
BINARY(sub_sat, int32_t, int32_t, int32_t, saturate((int64_t)a - b))

BINARY(mulhi_16, uint16_t, uint16_t, uint16_t, ((uint32_t)a * b) >> 16)
BINARY(mulhi_32, uint32_t, uint32_t, uint32_t, ((uint64_t)a * b) >> 32)
BINARY(mulhi_64, uint64_t, uint64_t, uint64_t, ((unsigned __int128)a * b) >> 64)
BINARY(mulhi_s16, int16_t, int16_t, int16_t, ((int32_t)a * b) >> 16)
BINARY(mulhi_s32, int32_t, int32_t, int32_t, ((int64_t)a * b) >> 32)
BINARY(mulhi_s64, int64_t, int64_t, int64_t, ((__int128)a * b) >> 64)
BINARY(mulwide_16, uint32_t, uint16_t, uint16_t, (uint32_t)a *b)
BINARY(mulwide_32, uint64_t, uint32_t, uint32_t, (uint64_t)a *b)
BINARY(mulwide_s16, int32_t, int16_t, int16_t, (int32_t)a *b)
BINARY(mulwide_s32, int64_t, int32_t, int32_t, (int64_t)a *b)

#define MAD3(name, product)                                                                        \
	TERNARY(name##_16, uint16_t, uint16_t, uint16_t, uint16_t, product##_16_lane(a, b) + c)    \
	TERNARY(name##_32, uint32_t, uint32_t, uint32_t, uint32_t, product##_32_lane(a, b) + c)    \
	TERNARY(name##_64, uint64_t, uint64_t, uint64_t, uint64_t, product##_64_lane(a, b) + c)
MAD3(mad, mul)
MAD3(madhi, mulhi)
TERNARY(madhi_s16, uint16_t, int16_t, int16_t, uint16_t, (uint16_t)mulhi_s16_lane(a, b) + c)
TERNARY(madhi_s32, uint32_t, int32_t, int32_t, uint32_t, (uint32_t)mulhi_s32_lane(a, b) + c)
TERNARY(madhi_s64, uint64_t, int64_t, int64_t, uint64_t, (uint64_t)mulhi_s64_lane(a, b) + c)
TERNARY(madhi_sat, int32_t, int32_t, int32_t, int32_t, saturate((int64_t)mulhi_s32_lane(a, b) + c))
TERNARY(madwide_16, uint32_t, uint16_t, uint16_t, uint32_t, (uint32_t)a *b + c)
TERNARY(madwide_32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)a *b + c)
TERNARY(madwide_s16, uint32_t, int16_t, int16_t, uint32_t, (uint32_t)((int32_t)a *b) + c)
TERNARY(madwide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)a *b) + c)

/* mul24 takes the low 24 bits of each factor; .lo is bits 31..0 of 48, .hi is bits 47..16. */
static inline int64_t product24(int32_t a, int32_t b)
{
	return (int64_t)((int32_t)((uint32_t)a << 8) >> 8) * ((int32_t)((uint32_t)b << 8) >> 8);
}

BINARY(mul24lo, uint32_t, uint32_t, uint32_t, (uint64_t)(a & 0xffffff) * (b & 0xffffff))
BINARY(mul24hi, uint32_t, uint32_t, uint32_t, ((uint64_t)(a & 0xffffff) * (b & 0xffffff)) >> 16)
BINARY(mul24lo_s, uint32_t, int32_t, int32_t, product24(a, b))
BINARY(mul24hi_s, uint32_t, int32_t, int32_t, product24(a, b) >> 16)
TERNARY(mad24lo, uint32_t, uint32_t, uint32_t, uint32_t, mul24lo_lane(a, b) + c)
TERNARY(mad24hi, uint32_t, uint32_t, uint32_t, uint32_t, mul24hi_lane(a, b) + c)
TERNARY(mad24lo_s, uint32_t, int32_t, int32_t, uint32_t, mul24lo_s_lane(a, b) + c)
TERNARY(mad24hi_s, uint32_t, int32_t, int32_t, uint32_t, mul24hi_s_lane(a, b) + c)
TERNARY(mad24hi_sat, int32_t, int32_t, int32_t, int32_t, saturate((product24(a, b) >> 16) + c))

#define SAD(name, T, U) TERNARY(name, U, T, T, U, c + (a < b ? (U)((U)b - (U)a) : (U)((U)a - (U)b)))
SAD(sad_16, uint16_t, uint16_t)
SAD(sad_32, uint32_t, uint32_t)
SAD(sad_64, uint64_t, uint64_t)
SAD(sad_s16, int16_t, uint16_t)
SAD(sad_s32, int32_t, uint32_t)
SAD(sad_s64, int64_t, uint64_t)

/* Byte or half k of v, sign-extended or not. */
static inline int32_t part8(uint32_t v, unsigned k, int is_signed)
{
	return is_signed ? (int8_t)(v >> 8 * k) : (uint8_t)(v >> 8 * k);
}

static inline int32_t part16(uint32_t v, unsigned k, int is_signed)
{
	return is_signed ? (int16_t)(v >> 16 * k) : (uint16_t)(v >> 16 * k);
}

static void dp4a(struct ptx_warp *w, const struct ptx_code *code)
{
	const uint32_t *a = ptx_source(w, code, 0), *b = ptx_source(w, code, 1);
	const uint32_t *c = ptx_source(w, code, 2);
	const int sa = ptx_is_signed(code->inst->type), sb = ptx_is_signed(code->inst->stype);
	uint32_t *d = ptx_destination(w, code, 0), r[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++) {
		r[i] = c[i];
		for (unsigned k = 0; k < 4; k++)
			r[i] += (uint32_t)(part8(a[i], k, sa) * part8(b[i], k, sb));
	}
	EACH_LANE(uint32_t, r[i]);
}

static void dp2a(struct ptx_warp *w, const struct ptx_code *code)
{
	const uint32_t *a = ptx_source(w, code, 0), *b = ptx_source(w, code, 1);
	const uint32_t *c = ptx_source(w, code, 2);
	const int sa = ptx_is_signed(code->inst->type), sb = ptx_is_signed(code->inst->stype);
	const unsigned first = code->inst->mode == PTX_M_HI ? 2 : 0;
	uint32_t *d = ptx_destination(w, code, 0), r[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++) {
		r[i] = c[i];
		for (unsigned k = 0; k < 2; k++)
			r[i] += (uint32_t)(part16(a[i], k, sa) * part8(b[i], first + k, sb));
	}
	EACH_LANE(uint32_t, r[i]);
}

/*
 * Carry chains: x + y + the carry in, with the carry out kept where .cc says so. A subtraction adds
 * the complement and 1, or the carry: it is the carry out of the adder that is kept, so that after
 * sub.cc it says that there was no borrow. The PTX ISA's text has a borrow there, which an addc
 * after sub.cc would add; what ptxas makes of it, from sm_75 to sm_120, adds the adder's carry:
 * IADD3 R0, P0, PT, R0, -R5, RZ and then IADD3.X R6, R6, R7, RZ, P0, !PT, as after an add.cc.
 */
#define CARRY(name, T, S, SOURCES, X, Y, IN)                                                       \
	static void name(struct ptx_warp *w, const struct ptx_code *code)                          \
	{                                                                                          \
		SOURCES(T, S)                                                                      \
		T *d = ptx_destination(w, code, 0), r[PTX_LANES];                                  \
		const uint32_t in = (IN);                                                          \
		uint32_t out = 0;                                                                  \
		for (unsigned i = 0; i < PTX_LANES; i++) {                                         \
			const T x = (T)(X), y = (T)(Y), one = (in >> i) & 1;                       \
			const T sum = x + y;                                                       \
			r[i] = sum + one;                                                          \
			out |= (uint32_t)((sum < x) | (r[i] < sum)) << i;                          \
		}                                                                                  \
		EACH_LANE(T, r[i]);                                                                \
		if (code->inst->flags & PTX_F_CC)                                                  \
			w->carry = (w->carry & ~w->mask) | (out & w->mask);                        \
	}
#define TWO(T, S) const T *a = ptx_source(w, code, 0), *b = ptx_source(w, code, 1);
#define THREE(T, S)                                                                                \
	const S *a = ptx_source(w, code, 0), *b = ptx_source(w, code, 1);                          \
	const T *c = ptx_source(w, code, 2);
CARRY(addcc_32, uint32_t, , TWO, a[i], b[i], 0)
CARRY(addcc_64, uint64_t, , TWO, a[i], b[i], 0)
CARRY(addc_32, uint32_t, , TWO, a[i], b[i], w->carry)
CARRY(addc_64, uint64_t, , TWO, a[i], b[i], w->carry)
CARRY(subcc_32, uint32_t, , TWO, a[i], ~b[i], PTX_ALL_LANES)
CARRY(subcc_64, uint64_t, , TWO, a[i], ~b[i], PTX_ALL_LANES)
CARRY(subc_32, uint32_t, , TWO, a[i], ~b[i], w->carry)
CARRY(subc_64, uint64_t, , TWO, a[i], ~b[i], w->carry)
#define MADCC(name, in)                                                                            \
	CARRY(name##lo_32, uint32_t, uint32_t, THREE, mul_32_lane(a[i], b[i]), c[i], in)           \
	CARRY(name##lo_64, uint64_t, uint64_t, THREE, mul_64_lane(a[i], b[i]), c[i], in)           \
	CARRY(name##hi_32, uint32_t, uint32_t, THREE, mulhi_32_lane(a[i], b[i]), c[i], in)         \
	CARRY(name##hi_64, uint64_t, uint64_t, THREE, mulhi_64_lane(a[i], b[i]), c[i], in)         \
	CARRY(name##hi_s32, uint32_t, int32_t, THREE, mulhi_s32_lane(a[i], b[i]), c[i], in)        \
	CARRY(name##hi_s64, uint64_t, int64_t, THREE, mulhi_s64_lane(a[i], b[i]), c[i], in)
MADCC(madcc, 0)
MADCC(madc, w->carry)

/* Tables by ptx_integer_row. */
#define SAME(name)                                                                                 \
	{                                                                                          \
		name##_16, name##_32, name##_64, name##_16, name##_32, name##_64                   \
	}
#define BY_SIGN(name)                                                                              \
	{                                                                                          \
		name##_16, name##_32, name##_64, name##_s16, name##_s32, name##_s64                \
	}

static ptx_alu *multiply(const struct ptx_inst *i, int row)
{
	static ptx_alu *const lo[6] = SAME(mul), *const hi[6] = BY_SIGN(mulhi);
	static ptx_alu *const wide[6] = {
		mulwide_16, mulwide_32, NULL, mulwide_s16, mulwide_s32, NULL};
	return i->mode == PTX_M_WIDE ? wide[row] : i->mode == PTX_M_HI ? hi[row] : lo[row];
}

static ptx_alu *multiply_add(const struct ptx_inst *i, int row)
{
	static ptx_alu *const lo[6] = SAME(mad), *const hi[6] = BY_SIGN(madhi);
	static ptx_alu *const wide[6] = {
		madwide_16, madwide_32, NULL, madwide_s16, madwide_s32, NULL};
	static ptx_alu *const cc[2][6] = {
		{NULL, madcclo_32, madcclo_64, NULL, madcclo_32, madcclo_64},
		{NULL, madcchi_32, madcchi_64, NULL, madcchi_s32, madcchi_s64}};
	static ptx_alu *const with_carry[2][6] = {
		{NULL, madclo_32, madclo_64, NULL, madclo_32, madclo_64},
		{NULL, madchi_32, madchi_64, NULL, madchi_s32, madchi_s64}};

	if (i->op == PTX_MADC)
		return with_carry[i->mode == PTX_M_HI][row];
	if (i->flags & PTX_F_CC)
		return cc[i->mode == PTX_M_HI][row];
	if (i->flags & PTX_F_SAT)
		return madhi_sat;
	return i->mode == PTX_M_WIDE ? wide[row] : i->mode == PTX_M_HI ? hi[row] : lo[row];
}

static ptx_alu *with_24_bits(const struct ptx_inst *i, int is_signed)
{
	const int hi = i->mode == PTX_M_HI;
	if (i->op == PTX_MUL24)
		return is_signed ? (hi ? mul24hi_s : mul24lo_s) : hi ? mul24hi : mul24lo;
	if (i->flags & PTX_F_SAT)
		return mad24hi_sat;
	return is_signed ? (hi ? mad24hi_s : mad24lo_s) : hi ? mad24hi : mad24lo;
}

ptx_alu *PTX_BY_ISA(ptx_ops_int)(const struct ptx_inst *i)
{
	static ptx_alu *const adds[6] = SAME(add), *const subs[6] = SAME(sub);
	static ptx_alu *const negs[6] = SAME(neg);
	static ptx_alu *const abss[6] = {NULL, NULL, NULL, abs_s16, abs_s32, abs_s64};
	static ptx_alu *const divs[6] = BY_SIGN(div), *const rems[6] = BY_SIGN(rem);
	static ptx_alu *const mins[6] = BY_SIGN(min), *const maxs[6] = BY_SIGN(max);
	static ptx_alu *const sads[6] = BY_SIGN(sad);
	const int row = ptx_integer_row(i->type), cc = i->flags & PTX_F_CC;
	const int wide = row == 2 || row == 5;

	if (row < 0)
		return NULL;
	switch (i->op) {
	case PTX_ADD:
		return cc                     ? (wide ? addcc_64 : addcc_32)
		       : i->flags & PTX_F_SAT ? add_sat
					      : adds[row];
	case PTX_SUB:
		return cc                     ? (wide ? subcc_64 : subcc_32)
		       : i->flags & PTX_F_SAT ? sub_sat
					      : subs[row];
	case PTX_ADDC:
		return wide ? addc_64 : addc_32;
	case PTX_SUBC:
		return wide ? subc_64 : subc_32;
	case PTX_MUL:
		return multiply(i, row);
	case PTX_MAD:
	case PTX_MADC:
		return multiply_add(i, row);
	case PTX_MUL24:
	case PTX_MAD24:
		return with_24_bits(i, row == 4);
	case PTX_NEG:
		return negs[row];
	case PTX_ABS:
		return abss[row];
	case PTX_DIV:
		return divs[row];
	case PTX_REM:
		return rems[row];
	case PTX_MIN:
		return mins[row];
	case PTX_MAX:
		return maxs[row];
	case PTX_SAD:
		return sads[row];
	case PTX_DP4A:
		return dp4a;
	case PTX_DP2A:
		return dp2a;
	default:
		return NULL;
	}
}
