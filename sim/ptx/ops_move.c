/*
 * Moving: mov with its packing and unpacking, selp, slct, cvta, and ld.param, whose values are
 * constants of the launch.
 */
#include "sim/ptx/ops.h"

UNARY(mov_16, uint16_t, uint16_t, a)
UNARY(mov_32, uint32_t, uint32_t, a)
UNARY(mov_64, uint64_t, uint64_t, a)

static void mov_pred(struct ptx_warp *w, const struct ptx_code *code)
{
	ptx_set_predicate(w, code, 0, ptx_predicate(w, code, 0));
}

/* A lane of any width as 64 bits; what stands above the width is zero. */
static inline uint64_t lane_of(const void *reg, unsigned bytes, unsigned i)
{
	return bytes == 2   ? ((const uint16_t *)reg)[i]
	       : bytes == 4 ? ((const uint32_t *)reg)[i]
			    : ((const uint64_t *)reg)[i];
}

static void set_lanes(
	struct ptx_warp *w, const struct ptx_code *code, unsigned k, const uint64_t *v)
{
	if (code->d[k] == PTX_NOWHERE)
		return;
	if (code->dbytes[k] == 2) {
		uint16_t *d = ptx_destination(w, code, k);
		EACH_LANE(uint16_t, (uint16_t)v[i]);
	} else if (code->dbytes[k] == 4) {
		uint32_t *d = ptx_destination(w, code, k);
		EACH_LANE(uint32_t, (uint32_t)v[i]);
	} else {
		uint64_t *d = ptx_destination(w, code, k);
		EACH_LANE(uint64_t, v[i]);
	}
}

/*
 * mov.b64 d, {a, b} and the like, either way: the first element is the lowest. The mask is for
 * those of 8 bits, whose registers have 16.
 */
static void mov_vector(struct ptx_warp *w, const struct ptx_code *code)
{
	const unsigned bits = 8 * ptx_type_bytes(code->inst->type);
	const unsigned packed = bits >> __builtin_ctz(code->ns);
	const unsigned unpacked = bits >> __builtin_ctz(code->nd);
	const uint64_t mask = ~0ull >> (64 - packed);
	uint64_t whole[PTX_LANES] = {0};

	for (unsigned k = 0; k < code->ns; k++)
		for (unsigned i = 0; i < PTX_LANES; i++)
			whole[i] |= (lane_of(ptx_source(w, code, k), code->sbytes[k], i) & mask)
				    << k * packed;
	for (unsigned k = 0; k < code->nd; k++) {
		set_lanes(w, code, k, whole);
		for (unsigned i = 0; i < PTX_LANES && k + 1 < code->nd; i++)
			whole[i] >>= unpacked;
	}
}

/* Several registers to as many, which may be the same ones: a mov of 128 bits. */
static void mov_each(struct ptx_warp *w, const struct ptx_code *code)
{
	uint64_t v[2][PTX_LANES];

	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; i < PTX_LANES; i++)
			v[k][i] = lane_of(ptx_source(w, code, k), code->sbytes[k], i);
	for (unsigned k = 0; k < 2; k++)
		set_lanes(w, code, k, v[k]);
}

/* ld.param: each destination has its constant, as wide as itself. */
static void load_constants(struct ptx_warp *w, const struct ptx_code *code)
{
	for (unsigned k = 0; k < code->nd; k++) {
		const void *s = ptx_source(w, code, k);
		uint64_t v[PTX_LANES];
		for (unsigned i = 0; i < PTX_LANES; i++)
			v[i] = lane_of(s, code->dbytes[k], i);
		set_lanes(w, code, k, v);
	}
}

/* createpolicy: nothing here asks a policy what it is. */
static void no_policy(struct ptx_warp *w, const struct ptx_code *code)
{
	uint64_t *d = ptx_destination(w, code, 0);
	EACH_LANE(uint64_t, 0);
}

#define SELECT(name, T)                                                                            \
	static void name(struct ptx_warp *w, const struct ptx_code *code)                          \
	{                                                                                          \
		const T *a = ptx_source(w, code, 0), *b = ptx_source(w, code, 1);                  \
		const uint32_t p = ptx_predicate(w, code, 2);                                      \
		T *d = ptx_destination(w, code, 0);                                                \
		EACH_LANE(T, (p & ptx_bit[i]) ? a[i] : b[i]);                                      \
	}
SELECT(selp_16, uint16_t)
SELECT(selp_32, uint32_t)
SELECT(selp_64, uint64_t)

/* slct: the first where c >= 0 (a NaN is not). */
static inline int not_negative(uint32_t c)
{
	return ptx_float(c) >= 0;
}

static inline int not_negative_ftz(uint32_t c)
{
	return ptx_flush(ptx_float(c)) >= 0;
}

#define SLCT(width, T)                                                                             \
	TERNARY(slct_##width, T, T, T, int32_t, c >= 0 ? a : b)                                    \
	TERNARY(slctf_##width, T, T, T, uint32_t, not_negative(c) ? a : b)                         \
	TERNARY(slctz_##width, T, T, T, uint32_t, not_negative_ftz(c) ? a : b)
SLCT(16, uint16_t)
SLCT(32, uint32_t)
SLCT(64, uint64_t)

/* cvta: between a space's own addresses and generic ones; the window's base is the displacement. */
static void cvta_64(struct ptx_warp *w, const struct ptx_code *code)
{
	const uint64_t *a = ptx_source(w, code, 0);
	uint64_t *d = ptx_destination(w, code, 0);
	const uint64_t disp = code->disp;

	EACH_LANE(uint64_t, a[i] + disp);
}

static void cvta_32(struct ptx_warp *w, const struct ptx_code *code)
{
	const uint32_t *a = ptx_source(w, code, 0);
	uint32_t *d = ptx_destination(w, code, 0);
	const uint32_t disp = (uint32_t)code->disp;

	EACH_LANE(uint32_t, a[i] + disp);
}

static ptx_alu *by_width(const struct ptx_inst *i, ptx_alu *b16, ptx_alu *b32, ptx_alu *b64)
{
	switch (ptx_type_bytes(i->type)) {
	case 2:
		return b16;
	case 4:
		return b32;
	case 8:
		return b64;
	default:
		return NULL;
	}
}

UNARY(mbarrier_pending, uint32_t, uint64_t, a & 0xfffff) /* async.c */

/* mapa: the same place in the shared memory of the cluster's CTA with some rank. */
static inline uint32_t rank_bits(uint32_t rank)
{
	return (rank < 254 ? rank + 1 : 255) << TR_SHARED_RANK_AT;
}

BINARY(mapa_32, uint32_t, uint32_t, uint32_t, (a & 0xffffff) | rank_bits(b))
BINARY(mapa_64, uint64_t, uint64_t, uint32_t, (a & ~0xff000000ull) | rank_bits(b))

static void getctarank(struct ptx_warp *w, const struct ptx_code *code)
{
	const void *a = ptx_source(w, code, 0);
	const uint32_t own = w->cta->rank;
	uint64_t v[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++) {
		const uint32_t whose = lane_of(a, code->sbytes[0], i) >> TR_SHARED_RANK_AT & 0xff;
		v[i] = whose ? whose - 1 : own;
	}
	set_lanes(w, code, 0, v);
}

ptx_alu *PTX_BY_ISA(ptx_ops_move)(const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_MOV:
		if (i->type == PTX_T_PRED)
			return mov_pred;
		if (i->ndst > 1 && i->nsrc > 1)
			return mov_each;
		if (i->ndst > 1 || i->nsrc > 1)
			return mov_vector;
		return by_width(i, mov_16, mov_32, mov_64);
	case PTX_LD:
		return load_constants;
	case PTX_SELP:
		return by_width(i, selp_16, selp_32, selp_64);
	case PTX_SLCT:
		if (i->stype != PTX_T_F32)
			return by_width(i, slct_16, slct_32, slct_64);
		return i->flags & PTX_F_FTZ ? by_width(i, slctz_16, slctz_32, slctz_64)
					    : by_width(i, slctf_16, slctf_32, slctf_64);
	case PTX_CREATEPOLICY:
		return no_policy;
	case PTX_MBARRIER:
		return mbarrier_pending;
	case PTX_MAPA:
		return by_width(i, NULL, mapa_32, mapa_64);
	case PTX_GETCTARANK:
		return getctarank;
	case PTX_CVTA:
		return by_width(i, NULL, cvta_32, cvta_64);
	default:
		return NULL;
	}
}
