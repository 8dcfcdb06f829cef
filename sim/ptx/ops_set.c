/*
 * Comparisons and what becomes of them: setp, set; and the other tests that give predicates, testp
 * and isspacep. A comparison is a function of its own that gives a mask of lanes; setp and set
 * combine it with a predicate and store it.
 */
#include "sim/ptx/half.h"
#include "sim/ptx/ops.h"

#define COMPARE(name, T, A, B, truth)                                                              \
	static uint32_t name(const struct ptx_warp *w, const struct ptx_code *code)                \
	{                                                                                          \
		const T *pa = ptx_source(w, code, 0), *pb = ptx_source(w, code, 1);                \
		uint32_t r = 0;                                                                    \
		for (unsigned i = 0; i < PTX_LANES; i++) {                                         \
			const A x = B(pa[i]), y = B(pb[i]);                                        \
			r |= (truth) ? ptx_bit[i] : 0;                                             \
		}                                                                                  \
		return r;                                                                          \
	}

#define INTEGERS(name, T)                                                                          \
	COMPARE(eq_##name, T, T, , x == y)                                                         \
	COMPARE(ne_##name, T, T, , x != y)                                                         \
	COMPARE(lt_##name, T, T, , x < y)                                                          \
	COMPARE(le_##name, T, T, , x <= y)                                                         \
	COMPARE(gt_##name, T, T, , x > y)                                                          \
	COMPARE(ge_##name, T, T, , x >= y)
INTEGERS(16, uint16_t)
INTEGERS(32, uint32_t)
INTEGERS(64, uint64_t)
INTEGERS(s16, int16_t)
INTEGERS(s32, int32_t)
INTEGERS(s64, int64_t)

/* Ordered comparisons are false on a NaN, the ones with u are true. */
#define FLOATS(name, T, A, B)                                                                      \
	COMPARE(eq_##name, T, A, B, x == y)                                                        \
	COMPARE(ne_##name, T, A, B, x<y || x> y)                                                   \
	COMPARE(lt_##name, T, A, B, x < y)                                                         \
	COMPARE(le_##name, T, A, B, x <= y)                                                        \
	COMPARE(gt_##name, T, A, B, x > y)                                                         \
	COMPARE(ge_##name, T, A, B, x >= y)                                                        \
	COMPARE(equ_##name, T, A, B, !(x < y || x > y))                                            \
	COMPARE(neu_##name, T, A, B, x != y)                                                       \
	COMPARE(ltu_##name, T, A, B, !(x >= y))                                                    \
	COMPARE(leu_##name, T, A, B, !(x > y))                                                     \
	COMPARE(gtu_##name, T, A, B, !(x <= y))                                                    \
	COMPARE(geu_##name, T, A, B, !(x < y))                                                     \
	COMPARE(num_##name, T, A, B, x == x && y == y)                                             \
	COMPARE(nan_##name, T, A, B, x != x || y != y)

static inline float flushed(uint32_t bits)
{
	return ptx_flush(ptx_float(bits));
}

static inline double flushed_half(uint16_t h)
{
	return ptx_half_value(h & 0x7c00 ? h : h & 0x8000);
}

FLOATS(f16, uint16_t, double, ptx_half_value)
FLOATS(f16z, uint16_t, double, flushed_half)
FLOATS(bf16, uint16_t, double, ptx_bf16_value)
FLOATS(f32, uint32_t, float, ptx_float)
FLOATS(f32z, uint32_t, float, flushed)
FLOATS(f64, uint64_t, double, ptx_double)

#define INTEGER_ROW(name)                                                                          \
	{                                                                                          \
		eq_##name, ne_##name, lt_##name, le_##name, gt_##name, ge_##name                   \
	}
#define FLOAT_ROW(name)                                                                            \
	{                                                                                          \
		eq_##name, ne_##name, lt_##name, le_##name, gt_##name, ge_##name, equ_##name,      \
			neu_##name, ltu_##name, leu_##name, gtu_##name, geu_##name, num_##name,    \
			nan_##name                                                                 \
	}

static int float_row(const struct ptx_inst *i, enum ptx_type t)
{
	const int ftz = (i->flags & PTX_F_FTZ) != 0;
	switch (t) {
	case PTX_T_F16:
		return ftz;
	case PTX_T_F32:
		return 2 + ftz;
	case PTX_T_F64:
		return 4;
	default:
		return t == PTX_T_BF16 ? 5 : -1;
	}
}

ptx_compare *PTX_BY_ISA(ptx_ops_compare)(const struct ptx_inst *i)
{
	static ptx_compare *const integers[6][6] = {INTEGER_ROW(16), INTEGER_ROW(32),
		INTEGER_ROW(64), INTEGER_ROW(s16), INTEGER_ROW(s32), INTEGER_ROW(s64)};
	static ptx_compare *const floats[6][14] = {FLOAT_ROW(f16), FLOAT_ROW(f16z), FLOAT_ROW(f32),
		FLOAT_ROW(f32z), FLOAT_ROW(f64), FLOAT_ROW(bf16)};
	const enum ptx_type t = i->stype != PTX_T_NONE ? i->stype : i->type;
	const int row = ptx_integer_row(t), frow = float_row(i, t);

	if (frow >= 0) {
		if (i->cmp <= PTX_GE)
			return floats[frow][i->cmp];
		return i->cmp >= PTX_EQU ? floats[frow][i->cmp - PTX_EQU + 6] : NULL;
	}
	if (row < 0 || i->cmp >= PTX_EQU)
		return NULL;
	if (i->cmp >= PTX_LO) /* lo, ls, hi, hs: lt, le, gt, ge of unsigned values */
		return integers[row % 3][i->cmp - PTX_LO + 2];
	return integers[row][i->cmp];
}

static uint32_t combine(const struct ptx_warp *w, const struct ptx_code *code, uint32_t truth)
{
	switch (code->inst->boolop) {
	case PTX_BOOL_AND:
		return truth & ptx_predicate(w, code, 2);
	case PTX_BOOL_OR:
		return truth | ptx_predicate(w, code, 2);
	case PTX_BOOL_XOR:
		return truth ^ ptx_predicate(w, code, 2);
	default:
		return truth;
	}
}

static void setp(struct ptx_warp *w, const struct ptx_code *code)
{
	const uint32_t truth = code->compare(w, code), first = combine(w, code, truth);

	if (code->nd > 1) {
		const uint32_t second = combine(w, code, ~truth);
		ptx_set_predicate(w, code, 1, second);
	}
	ptx_set_predicate(w, code, 0, first);
}

static int half_truth(enum ptx_cmp cmp, double x, double y)
{
	const int unordered = x != x || y != y;

	switch (cmp) {
	case PTX_EQ:
	case PTX_EQU:
		return x == y || (unordered && cmp == PTX_EQU);
	case PTX_NE:
	case PTX_NEU:
		return x < y || x > y || (unordered && cmp == PTX_NEU);
	case PTX_LT:
	case PTX_LTU:
		return x < y || (unordered && cmp == PTX_LTU);
	case PTX_LE:
	case PTX_LEU:
		return x <= y || (unordered && cmp == PTX_LEU);
	case PTX_GT:
	case PTX_GTU:
		return x > y || (unordered && cmp == PTX_GTU);
	case PTX_GE:
	case PTX_GEU:
		return x >= y || (unordered && cmp == PTX_GEU);
	default:
		return unordered == (cmp == PTX_NAN);
	}
}

/* The comparison of both halves of pairs, combined with the predicate. */
static void pair_truth(const struct ptx_warp *w, const struct ptx_code *code, uint32_t truth[2])
{
	const uint32_t *a = ptx_source(w, code, 0), *b = ptx_source(w, code, 1);
	double (*const value)(uint16_t) = code->inst->stype == PTX_T_BF16X2 ? ptx_bf16_value
					  : code->inst->flags & PTX_F_FTZ   ? flushed_half
									    : ptx_half_value;

	truth[0] = truth[1] = 0;
	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; i < PTX_LANES; i++)
			if (half_truth(code->inst->cmp, value((uint16_t)(a[i] >> 16 * k)),
				    value((uint16_t)(b[i] >> 16 * k))))
				truth[k] |= ptx_bit[i];
	truth[0] = combine(w, code, truth[0]);
	truth[1] = combine(w, code, truth[1]);
}

/* setp.f16x2: the first predicate is of the low halves, the second of the high ones. */
static void setp_pair(struct ptx_warp *w, const struct ptx_code *code)
{
	uint32_t truth[2];

	pair_truth(w, code, truth);
	ptx_set_predicate(w, code, 0, truth[0]);
	if (code->nd > 1)
		ptx_set_predicate(w, code, 1, truth[1]);
}

#define SET(name, T, one)                                                                          \
	static void name(struct ptx_warp *w, const struct ptx_code *code)                          \
	{                                                                                          \
		const uint32_t truth = combine(w, code, code->compare(w, code));                   \
		T *d = ptx_destination(w, code, 0);                                                \
		EACH_LANE(T, truth &ptx_bit[i] ? one : 0);                                         \
	}
SET(set_16, uint16_t, 0xffff)
SET(set_32, uint32_t, 0xffffffff)
SET(set_f16, uint16_t, 0x3c00)
SET(set_bf16, uint16_t, 0x3f80)
SET(set_f32, uint32_t, 0x3f800000)

/* set.f16x2.f16x2 and its like: a one, or all bits set, in each half where it is true. */
static void set_pair(struct ptx_warp *w, const struct ptx_code *code)
{
	const enum ptx_type t = code->inst->type;
	const uint32_t one = t == PTX_T_F16X2 ? 0x3c00 : t == PTX_T_BF16X2 ? 0x3f80 : 0xffff;
	uint32_t *d = ptx_destination(w, code, 0), truth[2];

	pair_truth(w, code, truth);
	EACH_LANE(uint32_t,
		(truth[0] & ptx_bit[i] ? one : 0) | (truth[1] & ptx_bit[i] ? one << 16 : 0));
}

static int compares_pairs(const struct ptx_inst *i)
{
	return i->stype == PTX_T_F16X2 || i->stype == PTX_T_BF16X2;
}

static ptx_alu *set(const struct ptx_inst *i)
{
	if (compares_pairs(i))
		return ptx_type_bytes(i->type) == 4 && i->type != PTX_T_F32 ? set_pair : NULL;
	switch (i->type) {
	case PTX_T_U16:
	case PTX_T_S16:
		return set_16;
	case PTX_T_B32:
	case PTX_T_U32:
	case PTX_T_S32:
		return set_32;
	case PTX_T_F16:
		return set_f16;
	case PTX_T_BF16:
		return set_bf16;
	case PTX_T_F32:
		return set_f32;
	default:
		return NULL;
	}
}

/* The value's exponent and fraction tell: e all ones, f the rest without the sign. */
static int is(enum ptx_mode mode, uint64_t exponent, uint64_t largest, uint64_t fraction)
{
	switch (mode) {
	case PTX_M_FINITE:
		return exponent != largest;
	case PTX_M_INFINITE:
		return exponent == largest && !fraction;
	case PTX_M_NUMBER:
		return exponent != largest || !fraction;
	case PTX_M_NOTANUMBER:
		return exponent == largest && fraction;
	case PTX_M_NORMAL: /* so are zeros, by the ISA */
		return exponent != largest && (exponent || !fraction);
	default:
		return !exponent && fraction;
	}
}

static void testp(struct ptx_warp *w, const struct ptx_code *code)
{
	const uint32_t *f = ptx_source(w, code, 0);
	const uint64_t *d = ptx_source(w, code, 0);
	const enum ptx_mode mode = code->inst->mode;
	uint32_t r = 0;

	for (unsigned i = 0; i < PTX_LANES; i++)
		if (code->inst->type == PTX_T_F64
				? is(mode, d[i] >> 52 & 0x7ff, 0x7ff, d[i] & 0xfffffffffffffull)
				: is(mode, f[i] >> 23 & 0xff, 0xff, f[i] & 0x7fffff))
			r |= ptx_bit[i];
	ptx_set_predicate(w, code, 0, r);
}

/* Of all shared memory of the cluster only the CTA's own is shared::cta. */
static int is_shared(const struct ptx_warp *w, const struct ptx_inst *x, uint64_t address)
{
	const uint64_t whose = (address - TR_SHARED_WINDOW) >> TR_SHARED_RANK_AT;

	return address - TR_SHARED_WINDOW < TR_WINDOW_BYTES &&
	       (x->flags & PTX_F_CLUSTER || !whose || whose == w->cta->rank + 1ull);
}

static int is_const(uint64_t address)
{
	return address - PTX_CONST_WINDOW < TR_LOCAL_WINDOW - PTX_CONST_WINDOW;
}

/* What lies in no other window is global, memory of the host's too, and kernels' parameters. */
static int lies_in(const struct ptx_warp *w, const struct ptx_inst *x, uint64_t address)
{
	const int is_local = address - TR_LOCAL_WINDOW < TR_WINDOW_BYTES;

	switch (x->space) {
	case TR_S_SHARED:
		return is_shared(w, x, address);
	case TR_S_LOCAL:
		return is_local;
	case TR_S_CONST:
		return is_const(address);
	case TR_S_PARAM:
		return address - PTX_PARAM_WINDOW < PTX_CONST_WINDOW - PTX_PARAM_WINDOW;
	default:
		return address - TR_SHARED_WINDOW >= TR_WINDOW_BYTES && !is_local &&
		       !is_const(address);
	}
}

static void isspacep(struct ptx_warp *w, const struct ptx_code *code)
{
	const uint32_t *narrow = ptx_source(w, code, 0);
	const uint64_t *a = ptx_source(w, code, 0);
	const uint64_t base = w->cta->run->const_base;
	uint32_t r = 0;

	for (unsigned i = 0; i < PTX_LANES; i++)
		if (lies_in(w, code->inst,
			    code->sbytes[0] == 8 ? a[i] : ptx_widened(narrow[i], base)))
			r |= ptx_bit[i];
	ptx_set_predicate(w, code, 0, r);
}

ptx_alu *PTX_BY_ISA(ptx_ops_set)(const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_SETP:
		return compares_pairs(i) ? setp_pair : setp;
	case PTX_SET:
		return set(i);
	case PTX_TESTP:
		return testp;
	case PTX_ISSPACEP:
		return isspacep;
	default:
		return NULL;
	}
}
