/*
 * Bits: logic (predicates too), shifts, fields, counts, permutations. Shift amounts beyond the
 * width act as the width, as PTX has it (shf.wrap takes them modulo 32).
 */
#include "sim/ptx/ops.h"

#define UNARY3(name, value)                                                                        \
	UNARY(name##_16, uint16_t, uint16_t, value)                                                \
	UNARY(name##_32, uint32_t, uint32_t, value)                                                \
	UNARY(name##_64, uint64_t, uint64_t, value)
#define BINARY3(name, value)                                                                       \
	BINARY(name##_16, uint16_t, uint16_t, uint16_t, value)                                     \
	BINARY(name##_32, uint32_t, uint32_t, uint32_t, value)                                     \
	BINARY(name##_64, uint64_t, uint64_t, uint64_t, value)

BINARY3(and, (a & b))
BINARY3(or, a | b)
BINARY3(xor, a ^ b)
UNARY3(not, ~a)
UNARY3(cnot, a == 0)

#define PREDICATE2(name, value)                                                                    \
	static void name(struct ptx_warp *w, const struct ptx_code *code)                          \
	{                                                                                          \
		const uint32_t a = ptx_predicate(w, code, 0), b = ptx_predicate(w, code, 1);       \
		ptx_set_predicate(w, code, 0, value);                                              \
	}
PREDICATE2(and_pred, (a & b))
PREDICATE2(or_pred, a | b)
PREDICATE2(xor_pred, a ^ b)

static void not_pred(struct ptx_warp *w, const struct ptx_code *code)
{
	ptx_set_predicate(w, code, 0, ~ptx_predicate(w, code, 0));
}

BINARY(shl_16, uint16_t, uint16_t, uint32_t, b > 15 ? 0 : a << (b & 15))
BINARY(shl_32, uint32_t, uint32_t, uint32_t, b > 31 ? 0 : a << (b & 31))
BINARY(shl_64, uint64_t, uint64_t, uint32_t, b > 63 ? 0 : a << (b & 63))
BINARY(shr_16, uint16_t, uint16_t, uint32_t, b > 15 ? 0 : a >> (b & 15))
BINARY(shr_32, uint32_t, uint32_t, uint32_t, b > 31 ? 0 : a >> (b & 31))
BINARY(shr_64, uint64_t, uint64_t, uint32_t, b > 63 ? 0 : a >> (b & 63))
BINARY(shr_s16, int16_t, int16_t, uint32_t, a >> (b > 15 ? 15 : b))
BINARY(shr_s32, int32_t, int32_t, uint32_t, a >> (b > 31 ? 31 : b))
BINARY(shr_s64, int64_t, int64_t, uint32_t, a >> (b > 63 ? 63 : b))

/* Funnel shifts of b:a, n below 33. */
static inline uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t n)
{
	return (uint32_t)(((((uint64_t)b << 32) | a) << n) >> 32);
}

static inline uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t n)
{
	return (uint32_t)((((uint64_t)b << 32) | a) >> n);
}

TERNARY(shfl_wrap, uint32_t, uint32_t, uint32_t, uint32_t, funnel_left(a, b, c & 31))
TERNARY(shfl_clamp, uint32_t, uint32_t, uint32_t, uint32_t, funnel_left(a, b, c > 32 ? 32 : c))
TERNARY(shfr_wrap, uint32_t, uint32_t, uint32_t, uint32_t, funnel_right(a, b, c & 31))
TERNARY(shfr_clamp, uint32_t, uint32_t, uint32_t, uint32_t, funnel_right(a, b, c > 32 ? 32 : c))

static void lop3(struct ptx_warp *w, const struct ptx_code *code)
{
	const uint32_t *a = ptx_source(w, code, 0), *b = ptx_source(w, code, 1);
	const uint32_t *c = ptx_source(w, code, 2), *table = ptx_source(w, code, 3);
	uint32_t *d = ptx_destination(w, code, 0), r[PTX_LANES], term[8];

	for (unsigned k = 0; k < 8; k++)
		term[k] = -(*table >> k & 1);
	IVDEP for (unsigned i = 0; i < PTX_LANES; i++)
	{
		const uint32_t x = a[i], y = b[i], z = c[i];
		r[i] = (term[0] & ~x & ~y & ~z) | (term[1] & ~x & ~y & z) |
		       (term[2] & ~x & y & ~z) | (term[3] & ~x & y & z) | (term[4] & x & ~y & ~z) |
		       (term[5] & x & ~y & z) | (term[6] & x & y & ~z) | (term[7] & x & y & z);
	}
	if (code->inst->boolop) {
		const uint32_t q = ptx_predicate(w, code, 4);
		uint32_t some = 0;
		for (unsigned i = 0; i < PTX_LANES; i++)
			some |= (uint32_t)(r[i] != 0) << i;
		ptx_set_predicate(
			w, code, 1, code->inst->boolop == PTX_BOOL_AND ? some & q : some | q);
	}
	EACH_LANE(uint32_t, r[i]);
}

/* Bit fields: position and length are the low bytes of their operands. */
static inline uint64_t low_ones(unsigned n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

static inline uint64_t extract(
	uint64_t a, unsigned width, unsigned pos, unsigned len, int is_signed)
{
	const uint64_t field = pos < width ? (a & low_ones(width)) >> pos & low_ones(len) : 0;
	if (!is_signed || len == 0)
		return field;
	const unsigned top = pos + len - 1 < width ? pos + len - 1 : width - 1;
	const uint64_t sign = -(a >> top & 1);
	const unsigned have = pos < width ? (len < width - pos ? len : width - pos) : 0;
	return field | (sign & ~low_ones(have));
}

#define BFE(name, T, width, is_signed)                                                             \
	TERNARY(name, T, T, uint32_t, uint32_t, extract(a, width, b & 255, c & 255, is_signed))
BFE(bfe_u32, uint32_t, 32, 0)
BFE(bfe_u64, uint64_t, 64, 0)
BFE(bfe_s32, uint32_t, 32, 1)
BFE(bfe_s64, uint64_t, 64, 1)

static inline uint64_t insert(uint64_t a, uint64_t b, unsigned width, unsigned pos, unsigned len)
{
	const uint64_t field = pos < width ? low_ones(len) << pos : 0;
	return pos < width ? ((a << pos) & field) | (b & ~field) : b;
}

#define BFI(name, T, width)                                                                        \
	static void name(struct ptx_warp *w, const struct ptx_code *code)                          \
	{                                                                                          \
		const T *a = ptx_source(w, code, 0), *b = ptx_source(w, code, 1);                  \
		const uint32_t *pos = ptx_source(w, code, 2), *len = ptx_source(w, code, 3);       \
		T *d = ptx_destination(w, code, 0), r[PTX_LANES];                                  \
		for (unsigned i = 0; i < PTX_LANES; i++)                                           \
			r[i] = (T)insert(a[i], b[i], width, pos[i] & 255, len[i] & 255);           \
		EACH_LANE(T, r[i]);                                                                \
	}
BFI(bfi_32, uint32_t, 32)
BFI(bfi_64, uint64_t, 64)

/* bmsk: n ones from bit `pos` on; as far as both stay below 32, or, clamped, to the top. */
static inline uint32_t mask_clamped(uint32_t pos, uint32_t n)
{
	return pos > 31 ? 0 : (uint32_t)(low_ones(n) << pos);
}

/* szext: the low n bits, extended; with clamp all 32 where n is more. */
static inline uint32_t extended(uint32_t a, uint32_t n, int is_signed)
{
	const uint32_t low = (uint32_t)low_ones(n);
	return (a & low) | (is_signed && n && (a >> (n - 1) & 1) ? ~low : 0);
}

BINARY(bmsk_clamp, uint32_t, uint32_t, uint32_t, mask_clamped(a, b))
BINARY(bmsk_wrap, uint32_t, uint32_t, uint32_t, mask_clamped(a & 31, b & 31))
BINARY(szext_clamp_u32, uint32_t, uint32_t, uint32_t, b > 31 ? a : extended(a, b, 0))
BINARY(szext_clamp_s32, uint32_t, uint32_t, uint32_t, b > 31 ? a : extended(a, b, 1))
BINARY(szext_wrap_u32, uint32_t, uint32_t, uint32_t, extended(a, b & 31, 0))
BINARY(szext_wrap_s32, uint32_t, uint32_t, uint32_t, extended(a, b & 31, 1))

/* The highest one (of a negative number: the highest zero), or all ones for none. */
static inline uint32_t highest(uint64_t a)
{
	return a ? 63u - (uint32_t)__builtin_clzll(a) : UINT32_MAX;
}

static inline uint32_t shift_amount(uint32_t bit, uint32_t width)
{
	return bit == UINT32_MAX ? bit : width - 1 - bit;
}

UNARY(bfind_u32, uint32_t, uint32_t, highest(a))
UNARY(bfind_u64, uint32_t, uint64_t, highest(a))
UNARY(bfind_s32, uint32_t, uint32_t, highest((int32_t)a < 0 ? ~a : a))
UNARY(bfind_s64, uint32_t, uint64_t, highest((int64_t)a < 0 ? ~a : a))
UNARY(bfind_amount_u32, uint32_t, uint32_t, shift_amount(bfind_u32_lane(a), 32))
UNARY(bfind_amount_u64, uint32_t, uint64_t, shift_amount(bfind_u64_lane(a), 64))
UNARY(bfind_amount_s32, uint32_t, uint32_t, shift_amount(bfind_s32_lane(a), 32))
UNARY(bfind_amount_s64, uint32_t, uint64_t, shift_amount(bfind_s64_lane(a), 64))
UNARY(clz_32, uint32_t, uint32_t, a ? (uint32_t)__builtin_clz(a) : 32)
UNARY(clz_64, uint32_t, uint64_t, a ? (uint32_t)__builtin_clzll(a) : 64)
UNARY(popc_32, uint32_t, uint32_t, __builtin_popcount(a))
UNARY(popc_64, uint32_t, uint64_t, __builtin_popcountll(a))

static inline uint32_t reverse(uint32_t v)
{
	v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
	v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
	v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
	return v >> 16 | v << 16;
}

UNARY(brev_32, uint32_t, uint32_t, reverse(a))
UNARY(brev_64, uint64_t, uint64_t,
	(uint64_t)reverse((uint32_t)a) << 32 | reverse((uint32_t)(a >> 32)))

/* The n-th one of a mask, counted from bit `from` on: up for n > 0, down for n < 0, 0: itself. */
static inline uint32_t nth_set(uint32_t mask, uint32_t from, int32_t n)
{
	const int step = n < 0 ? -1 : 1;
	int64_t left = n < 0 ? -(int64_t)n : n ? n : 1;

	if (from > 31 || (n == 0 && !(mask >> from & 1)))
		return UINT32_MAX;
	for (int at = (int)from; at >= 0 && at < 32; at += step)
		if ((mask >> at & 1) && --left == 0)
			return (uint32_t)at;
	return UINT32_MAX;
}

TERNARY(fns, uint32_t, uint32_t, uint32_t, int32_t, nth_set(a, b, c))

/* prmt: four selectors, each a byte of b:a, its top bit: spread that byte's sign. */
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selectors)
{
	const uint64_t bytes = (uint64_t)b << 32 | a;
	uint32_t r = 0;

	for (unsigned k = 0; k < 4; k++) {
		const unsigned s = selectors >> 4 * k & 15;
		const uint32_t byte = bytes >> 8 * (s & 7) & 255;
		r |= (s & 8 ? (byte & 128 ? 255u : 0) : byte) << 8 * k;
	}
	return r;
}

static inline uint32_t permute_mode(uint32_t a, uint32_t b, uint32_t c, enum ptx_mode mode)
{
	static const uint16_t selectors[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543},
		{0x5670, 0x6701, 0x7012, 0x0123}, {0x0000, 0x1111, 0x2222, 0x3333},
		{0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210},
		{0x1010, 0x3232, 0x1010, 0x3232}};
	return permute(a, b, selectors[mode - PTX_M_F4E][c & 3]);
}

TERNARY(prmt, uint32_t, uint32_t, uint32_t, uint32_t, permute(a, b, c))

static void prmt_mode(struct ptx_warp *w, const struct ptx_code *code)
{
	const uint32_t *a = ptx_source(w, code, 0), *b = ptx_source(w, code, 1);
	const uint32_t *c = ptx_source(w, code, 2);
	uint32_t *d = ptx_destination(w, code, 0), r[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++)
		r[i] = permute_mode(a[i], b[i], c[i], code->inst->mode);
	EACH_LANE(uint32_t, r[i]);
}

#define SAME(name)                                                                                 \
	{                                                                                          \
		name##_16, name##_32, name##_64, name##_16, name##_32, name##_64                   \
	}

static ptx_alu *on_predicates(const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_AND:
		return and_pred;
	case PTX_OR:
		return or_pred;
	case PTX_XOR:
		return xor_pred;
	case PTX_NOT:
		return not_pred;
	default:
		return NULL;
	}
}

static ptx_alu *funnel(const struct ptx_inst *i)
{
	const int clamp = i->flags & PTX_F_CLAMP;
	if (i->mode == PTX_M_L)
		return clamp ? shfl_clamp : shfl_wrap;
	return clamp ? shfr_clamp : shfr_wrap;
}

static ptx_alu *sign_extension(const struct ptx_inst *i, int is_signed)
{
	if (i->flags & PTX_F_CLAMP)
		return is_signed ? szext_clamp_s32 : szext_clamp_u32;
	return is_signed ? szext_wrap_s32 : szext_wrap_u32;
}

ptx_alu *PTX_BY_ISA(ptx_ops_bits)(const struct ptx_inst *i)
{
	static ptx_alu *const ands[6] = SAME(and), *const ors[6] = SAME(or),
			      *const xors[6] = SAME(xor);
	static ptx_alu *const nots[6] = SAME(not ), *const cnots[6] = SAME(cnot);
	static ptx_alu *const shls[6] = SAME(shl);
	static ptx_alu *const shrs[6] = {shr_16, shr_32, shr_64, shr_s16, shr_s32, shr_s64};
	static ptx_alu *const bfes[6] = {NULL, bfe_u32, bfe_u64, NULL, bfe_s32, bfe_s64};
	static ptx_alu *const bfinds[6] = {NULL, bfind_u32, bfind_u64, NULL, bfind_s32, bfind_s64};
	static ptx_alu *const amounts[6] = {
		NULL, bfind_amount_u32, bfind_amount_u64, NULL, bfind_amount_s32, bfind_amount_s64};
	const int row = ptx_integer_row(i->type), wide = row == 2 || row == 5;

	if (i->type == PTX_T_PRED)
		return on_predicates(i);
	if (row < 0)
		return NULL;
	switch (i->op) {
	case PTX_AND:
		return ands[row];
	case PTX_OR:
		return ors[row];
	case PTX_XOR:
		return xors[row];
	case PTX_NOT:
		return nots[row];
	case PTX_CNOT:
		return cnots[row];
	case PTX_SHL:
		return shls[row];
	case PTX_SHR:
		return shrs[row];
	case PTX_SHF:
		return funnel(i);
	case PTX_LOP3:
		return lop3;
	case PTX_BFE:
		return bfes[row];
	case PTX_BFI:
		return wide ? bfi_64 : bfi_32;
	case PTX_BFIND:
		return i->mode == PTX_M_SHIFTAMT ? amounts[row] : bfinds[row];
	case PTX_BMSK:
		return i->flags & PTX_F_CLAMP ? bmsk_clamp : bmsk_wrap;
	case PTX_BREV:
		return wide ? brev_64 : brev_32;
	case PTX_CLZ:
		return wide ? clz_64 : clz_32;
	case PTX_POPC:
		return wide ? popc_64 : popc_32;
	case PTX_FNS:
		return fns;
	case PTX_SZEXT:
		return sign_extension(i, row == 4);
	case PTX_PRMT:
		return i->mode == PTX_M_NONE ? prmt : prmt_mode;
	default:
		return NULL;
	}
}
