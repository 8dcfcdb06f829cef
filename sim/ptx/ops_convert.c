/*
 * cvt. The common conversions between registers of exactly the types' widths are vector code; all
 * others, saturation and rounding modes included, go through one general function that brings every
 * source to an integer of 64 bits or a double, which hold them exactly.
 *
 * A float out of an integer type's range becomes its nearest bound. A NaN becomes 0, or the integer
 * type's highest bit where one of both types has 64 bits (PTX ISA, "cvt"). A register wider than
 * the type it holds is read in its low bits and filled with zeros or signs, by the type.
 */
#include "sim/ptx/half.h"
#include "sim/ptx/ops.h"
#include "sim/ptx/round.h"
#include <math.h>

#define F(x) ptx_float(x)

UNARY(u64_u32, uint64_t, uint32_t, a)
UNARY(s64_s32, int64_t, int32_t, a)
UNARY(b32_b64, uint32_t, uint64_t, a)
UNARY(u32_u16, uint32_t, uint16_t, a)
UNARY(s32_s16, int32_t, int16_t, a)
UNARY(u64_u16, uint64_t, uint16_t, a)
UNARY(s64_s16, int64_t, int16_t, a)
UNARY(b16_b32, uint16_t, uint32_t, a)
UNARY(b16_b64, uint16_t, uint64_t, a)
UNARY(f32_s32, uint32_t, int32_t, ptx_float_bits((float)a))
UNARY(f32_u32, uint32_t, uint32_t, ptx_float_bits((float)a))
UNARY(f64_s32, uint64_t, int32_t, ptx_double_bits((double)a))
UNARY(f64_u32, uint64_t, uint32_t, ptx_double_bits((double)a))
UNARY(f64_f32, uint64_t, uint32_t, F(a) != F(a) ? PTX_NAN64 : ptx_double_bits((double)F(a)))

static inline uint32_t narrowed(double v)
{
	return v != v ? PTX_NAN32 : ptx_float_bits((float)v);
}

UNARY(f32_f64, uint32_t, uint64_t, narrowed(ptx_double(a)))

/* Truncation: the bounds are compared as floats, and the conversion never leaves its range. */
static inline int32_t to_s32(float v)
{
	const float inside = v > -0x1p31f && v < 0x1p31f ? v : 0;
	const int32_t outside = v >= 0x1p31f ? INT32_MAX : v <= -0x1p31f ? INT32_MIN : 0;
	return (int32_t)inside | outside;
}

static inline uint32_t to_u32(float v)
{
	const double inside = v > 0 && v < 0x1p32f ? (double)v : 0;
	return (uint32_t)(int64_t)inside | (v >= 0x1p32f ? UINT32_MAX : 0);
}

UNARY(s32_f32_rzi, int32_t, uint32_t, to_s32(F(a)))
UNARY(u32_f32_rzi, uint32_t, uint32_t, to_u32(F(a)))

static int is_real(enum ptx_type t)
{
	return t >= PTX_T_F16 && t <= PTX_T_F64;
}

static uint64_t lane_of(const void *reg, unsigned bytes, unsigned i)
{
	return bytes == 2   ? ((const uint16_t *)reg)[i]
	       : bytes == 4 ? ((const uint32_t *)reg)[i]
			    : ((const uint64_t *)reg)[i];
}

/* The low bytes of v, extended to 64 bits as the type has it. */
static uint64_t extend(uint64_t v, enum ptx_type t)
{
	const unsigned unused = 64 - 8 * ptx_type_bytes(t);
	return ptx_is_signed(t) ? (uint64_t)((int64_t)(v << unused) >> unused)
				: v << unused >> unused;
}

static double real_value(uint64_t bits, enum ptx_type t)
{
	return t == PTX_T_F64   ? ptx_double(bits)
	       : t == PTX_T_F32 ? (double)F((uint32_t)bits)
				: ptx_small_value(t, (uint32_t)bits);
}

static double to_integral(double v, enum ptx_round mode)
{
	switch (mode) {
	case PTX_RNI:
		return rint(v);
	case PTX_RZI:
		return trunc(v);
	case PTX_RMI:
		return floor(v);
	case PTX_RPI:
		return ceil(v);
	default:
		return v;
	}
}

static uint64_t real_to_integer(double v, enum ptx_type t, enum ptx_type from)
{
	const unsigned bits = 8 * ptx_type_bytes(t);

	if (v != v)
		return from == PTX_T_F64 || bits == 64 ? 1ull << (bits - 1) : 0;
	if (ptx_is_signed(t)) {
		const double bound = ldexp(1, (int)bits - 1);
		if (v >= bound)
			return (1ull << (bits - 1)) - 1;
		return v < -bound ? -(1ull << (bits - 1)) : (uint64_t)(int64_t)v;
	}
	if (v >= ldexp(1, (int)bits))
		return ~0ull >> (64 - bits);
	return v <= 0 ? 0 : (uint64_t)v;
}

/* Clamps an integer, of a signed type or not, to another type's range. */
static uint64_t clamp(uint64_t v, int is_signed, enum ptx_type t)
{
	const unsigned bits = 8 * ptx_type_bytes(t);
	const int negative = is_signed && (int64_t)v < 0;
	const uint64_t most = ~0ull >> (64 - bits + (unsigned)ptx_is_signed(t));

	if (!negative)
		return v > most ? most : v;
	if (!ptx_is_signed(t))
		return 0;
	return (int64_t)v < -(int64_t)most - 1 ? ~most : v;
}

/* An integer as a double that rounds to bf16 as itself: its lowest bit says that bits were lost. */
static double to_odd(uint64_t v, int is_signed)
{
	const int negative = is_signed && (int64_t)v < 0;
	uint64_t m = negative ? 0 - v : v;

	if (m >> 53)
		m = (m & ~0x7ffull) | ((m & 0x7ff) != 0) << 11;
	return negative ? -(double)m : (double)m;
}

static uint64_t integer_to_real(const struct ptx_inst *x, uint64_t v)
{
	const int is_signed = ptx_is_signed(x->stype);

	if (x->type == PTX_T_F16)
		return ptx_half_round(is_signed ? (double)(int64_t)v : (double)v, x->round);
	if (x->type == PTX_T_BF16)
		return ptx_format_round(ptx_bf16, to_odd(v, is_signed), x->round, 0);
	if (x->type == PTX_T_F32)
		return ptx_float_bits(is_signed ? ptx_s64_to_f32((int64_t)v, x->round)
						: ptx_u64_to_f32(v, x->round));
	return ptx_double_bits(
		is_signed ? ptx_s64_to_f64((int64_t)v, x->round) : ptx_u64_to_f64(v, x->round));
}

static uint64_t real_bits(const struct ptx_inst *x, double v, enum ptx_type t)
{
	if (x->flags & PTX_F_SAT)
		v = v > 0 ? (v < 1 ? v : 1) : 0;
	if (x->flags & PTX_F_RELU)
		v = v <= 0 ? 0 : v; /* a NaN stays */
	if (t == PTX_T_F64)
		return v != v ? PTX_NAN64 : ptx_double_bits(v);
	if (t == PTX_T_TF32 && v != v)
		return PTX_NAN32;
	if (t != PTX_T_F32)
		return ptx_format_round(
			       ptx_format_of(t), v, x->round, (x->flags & PTX_F_SATFINITE) != 0)
		       << (t == PTX_T_TF32 ? 13 : 0);
	if (v != v)
		return PTX_NAN32;
	const float f = ptx_round_to_f32(v, x->round);
	if (!(x->flags & PTX_F_FTZ))
		return ptx_float_bits(f);
	return ptx_float_bits(
		ptx_is_least(f) ? ptx_flush_scaled(f, ptx_round_to_f32(PTX_SCALE * v, x->round))
				: ptx_flush(f));
}

static uint64_t convert(const struct ptx_inst *x, uint64_t bits)
{
	if (!is_real(x->stype)) {
		const uint64_t v = extend(bits, x->stype);
		if (!is_real(x->type))
			return x->flags & PTX_F_SAT ? clamp(v, ptx_is_signed(x->stype), x->type)
						    : v;
		const uint64_t r = integer_to_real(x, v);
		return x->flags & PTX_F_SAT ? real_bits(x, real_value(r, x->type), x->type) : r;
	}
	double v = real_value(bits, x->stype);
	if ((x->flags & PTX_F_FTZ) && x->stype == PTX_T_F32)
		v = (double)ptx_flush((float)v);
	v = to_integral(v, x->round);
	return is_real(x->type) ? real_bits(x, v, x->type) : real_to_integer(v, x->type, x->stype);
}

static void general(struct ptx_warp *w, const struct ptx_code *code)
{
	const struct ptx_inst *x = code->inst;
	const void *s = ptx_source(w, code, 0);
	uint64_t r[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++) {
		r[i] = convert(x, lane_of(s, code->sbytes[0], i));
		if (!is_real(x->type))
			r[i] = extend(r[i], x->type);
	}
	if (code->dbytes[0] == 2) {
		uint16_t *d = ptx_destination(w, code, 0);
		EACH_LANE(uint16_t, (uint16_t)r[i]);
	} else if (code->dbytes[0] == 4) {
		uint32_t *d = ptx_destination(w, code, 0);
		EACH_LANE(uint32_t, (uint32_t)r[i]);
	} else {
		uint64_t *d = ptx_destination(w, code, 0);
		EACH_LANE(uint64_t, r[i]);
	}
}

/* Bits of one element of a pair. */
static unsigned element_bits(enum ptx_type t)
{
	return 4 * ptx_type_bytes(t);
}

/* To a pair: cvt.f16x2.f32 d, a, b, where a becomes the high half, or of another pair. */
static void to_pair(struct ptx_warp *w, const struct ptx_code *code)
{
	const struct ptx_inst *x = code->inst;
	const void *a = ptx_source(w, code, 0), *b = code->ns > 1 ? ptx_source(w, code, 1) : a;
	const unsigned from = element_bits(x->stype), to = element_bits(x->type);
	uint32_t r[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++) {
		uint64_t high = lane_of(a, code->sbytes[0], i);
		uint64_t low = code->ns > 1 ? lane_of(b, code->sbytes[1], i) : high;
		if (code->ns == 1) {
			high >>= from;
			low &= (1u << from) - 1;
		}
		r[i] = (uint32_t)(real_bits(x, real_value(high, x->stype), x->type) << to |
				  real_bits(x, real_value(low, x->stype), x->type));
	}
	if (code->dbytes[0] == 2) {
		uint16_t *d = ptx_destination(w, code, 0);
		EACH_LANE(uint16_t, (uint16_t)r[i]);
	} else {
		uint32_t *d = ptx_destination(w, code, 0);
		EACH_LANE(uint32_t, r[i]);
	}
}

/* The value in so many bits, at its nearest bound where it has no room. */
static uint32_t saturated(int32_t v, unsigned bits, int is_signed)
{
	const int32_t most = (int32_t)((1u << (bits - (unsigned)is_signed)) - 1);
	const int32_t least = is_signed ? -most - 1 : 0;

	return (uint32_t)(v < least ? least : v > most ? most : v) & ((1u << bits) - 1);
}

/* cvt.pack d, a, b, c: from the lowest bit on b, a and, where there is one, c. */
static void pack(struct ptx_warp *w, const struct ptx_code *code)
{
	const struct ptx_inst *x = code->inst;
	const uint32_t *a = ptx_source(w, code, 0), *b = ptx_source(w, code, 1);
	const uint32_t *c = code->ns > 2 ? ptx_source(w, code, 2) : NULL;
	const unsigned bits = x->video.pack_bits;
	const int is_signed = ptx_is_signed(x->type);
	uint32_t *d = ptx_destination(w, code, 0), r[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++)
		r[i] = saturated((int32_t)b[i], bits, is_signed) |
		       saturated((int32_t)a[i], bits, is_signed) << bits |
		       (c ? c[i] << 2 * bits : 0);
	EACH_LANE(uint32_t, r[i]);
}

static ptx_alu *common_integer(enum ptx_type to, enum ptx_type from)
{
	const int to_row = ptx_integer_row(to) % 3, from_row = ptx_integer_row(from) % 3;
	static ptx_alu *const same_sign[3][3][2] = {
		{{NULL, NULL}, {b16_b32, b16_b32}, {b16_b64, b16_b64}},
		{{u32_u16, s32_s16}, {NULL, NULL}, {b32_b64, b32_b64}},
		{{u64_u16, s64_s16}, {u64_u32, s64_s32}, {NULL, NULL}}};

	if (to_row < 0 || from_row < 0)
		return NULL;
	return same_sign[to_row][from_row][ptx_is_signed(from)];
}

static ptx_alu *common_real(const struct ptx_inst *x)
{
	const int nearest = x->round == PTX_R_DEFAULT || x->round == PTX_RN;

	switch (x->type) {
	case PTX_T_F32:
		if (!nearest)
			return NULL;
		return x->stype == PTX_T_S32   ? f32_s32
		       : x->stype == PTX_T_U32 ? f32_u32
		       : x->stype == PTX_T_F64 ? f32_f64
					       : NULL;
	case PTX_T_F64:
		return x->stype == PTX_T_S32   ? f64_s32
		       : x->stype == PTX_T_U32 ? f64_u32
		       : x->stype == PTX_T_F32 ? f64_f32
					       : NULL;
	case PTX_T_S32:
		return x->stype == PTX_T_F32 && x->round == PTX_RZI ? s32_f32_rzi : NULL;
	case PTX_T_U32:
		return x->stype == PTX_T_F32 && x->round == PTX_RZI ? u32_f32_rzi : NULL;
	default:
		return NULL;
	}
}

ptx_alu *PTX_BY_ISA(ptx_ops_convert)(const struct ptx_code *c)
{
	const struct ptx_inst *x = c->inst;
	ptx_alu *fast = NULL;

	if (x->op == PTX_CVT_PACK)
		return pack;
	if (x->op != PTX_CVT)
		return NULL;
	if (x->type == PTX_T_F16X2 || x->type == PTX_T_BF16X2 || x->type == PTX_T_E4M3X2 ||
		x->type == PTX_T_E5M2X2)
		return to_pair;
	if (!(x->flags & (PTX_F_SAT | PTX_F_FTZ)) && c->dbytes[0] == ptx_type_bytes(x->type) &&
		c->sbytes[0] == ptx_type_bytes(x->stype))
		fast = is_real(x->type) || is_real(x->stype) ? common_real(x)
							     : common_integer(x->type, x->stype);
	return fast ? fast : general;
}
