/*
 * f16 and bf16 arithmetic, alone and in pairs, lane by lane: exact or nearly so in double, then
 * rounded once. A double holds the sum, product and quotient of two halves closely enough that
 * rounding twice is rounding once; a fused sum that a double cannot hold is first rounded to odd,
 * which makes the second rounding right (Boldo and Melquiond, "Emulation of FMA and correctly
 * rounded sums").
 */
#include "sim/ptx/approx.h"
#include "sim/ptx/half.h"
#include "sim/ptx/ops.h"

static inline double to_odd(double p, double c)
{
	const double s = p + c;
	const double part = s - p;
	const double lost = (p - (s - part)) + (c - part);
	uint64_t bits = ptx_double_bits(s);

	if (lost == 0 || lost != lost || (bits & 1))
		return s;
	bits += (lost > 0) == (s > 0) ? 1 : -1ull;
	return ptx_double(bits);
}

/* Subnormals become zeros of their sign. */
static uint16_t flushed(uint16_t h, int brain)
{
	return h & (brain ? 0x7f80 : 0x7c00) ? h : h & 0x8000;
}

static double lesser(double x, double y, int greater)
{
	const uint64_t a = ptx_double_bits(x), b = ptx_double_bits(y);

	if (x != x || y != y)
		return x != x ? y : x;
	if (x == y)
		return ptx_double(greater ? a & b : a | b);
	return (x < y) != greater ? x : y;
}

static double apply(const struct ptx_inst *i, double x, double y, double z)
{
	switch (i->op) {
	case PTX_ADD:
		return x + y;
	case PTX_SUB:
		return x - y;
	case PTX_MUL:
		return x * y;
	case PTX_FMA:
		return to_odd(x * y, z);
	case PTX_MIN:
	case PTX_MAX:
		if ((i->flags & PTX_F_NAN) && (x != x || y != y))
			return x + y;
		return lesser(x, y, i->op == PTX_MAX);
	case PTX_EX2:
		return ptx_ex2((float)x);
	default:
		return ptx_tanh((float)x);
	}
}

static uint16_t half(const struct ptx_inst *i, uint16_t a, uint16_t b, uint16_t c)
{
	const int brain = i->type == PTX_T_BF16 || i->type == PTX_T_BF16X2;

	if (i->flags & PTX_F_FTZ) {
		a = flushed(a, brain);
		b = flushed(b, brain);
		c = flushed(c, brain);
	}
	if (i->op == PTX_NEG)
		return a ^ 0x8000;
	if (i->op == PTX_ABS)
		return a & 0x7fff;
	double x = ptx_small_value(i->type, a), y = ptx_small_value(i->type, b);
	const double z = ptx_small_value(i->type, c);
	if (i->flags & PTX_F_XORSIGN) {
		x = ptx_double(ptx_double_bits(x) & ~(1ull << 63));
		y = ptx_double(ptx_double_bits(y) & ~(1ull << 63));
	}
	double v = apply(i, x, y, z);
	if (i->flags & PTX_F_SAT)
		v = v > 0 ? (v < 1 ? v : 1) : 0;
	if (i->flags & PTX_F_RELU)
		v = v <= 0 ? 0 : v; /* a NaN stays */
	const enum ptx_round mode = i->op == PTX_FMA ? i->round : PTX_RN;
	uint16_t r = (uint16_t)ptx_format_round(ptx_format_of(i->type), v, mode, 0);
	if (i->flags & PTX_F_FTZ)
		r = flushed(r, brain);
	if ((i->flags & PTX_F_XORSIGN) && v == v)
		r |= (a ^ b) & 0x8000;
	return r;
}

static void one_half(struct ptx_warp *w, const struct ptx_code *code)
{
	const uint16_t *a = ptx_source(w, code, 0);
	const uint16_t *b = code->ns > 1 ? ptx_source(w, code, 1) : a;
	const uint16_t *c = code->ns > 2 ? ptx_source(w, code, 2) : a;
	uint16_t *d = ptx_destination(w, code, 0), r[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++)
		r[i] = half(code->inst, a[i], b[i], c[i]);
	EACH_LANE(uint16_t, r[i]);
}

static void two_halves(struct ptx_warp *w, const struct ptx_code *code)
{
	const uint32_t *a = ptx_source(w, code, 0);
	const uint32_t *b = code->ns > 1 ? ptx_source(w, code, 1) : a;
	const uint32_t *c = code->ns > 2 ? ptx_source(w, code, 2) : a;
	uint32_t *d = ptx_destination(w, code, 0), r[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++)
		r[i] = half(code->inst, (uint16_t)a[i], (uint16_t)b[i], (uint16_t)c[i]) |
		       (uint32_t)half(code->inst, (uint16_t)(a[i] >> 16), (uint16_t)(b[i] >> 16),
			       (uint16_t)(c[i] >> 16))
			       << 16;
	EACH_LANE(uint32_t, r[i]);
}

ptx_alu *PTX_BY_ISA(ptx_ops_half)(const struct ptx_inst *i)
{
	const int two = i->type == PTX_T_F16X2 || i->type == PTX_T_BF16X2;

	if (!two && i->type != PTX_T_F16 && i->type != PTX_T_BF16)
		return NULL;
	switch (i->op) {
	case PTX_ADD:
	case PTX_SUB:
	case PTX_MUL:
	case PTX_FMA:
	case PTX_NEG:
	case PTX_ABS:
	case PTX_MIN:
	case PTX_MAX:
	case PTX_EX2:
	case PTX_TANH:
		return two ? two_halves : one_half;
	default:
		return NULL;
	}
}
