/*
 * atom and red, lane by lane in the order of the lanes. As PTX has it, an f32 sum in global memory
 * flushes subnormals and one in shared memory does not.
 */
#include "sim/ptx/half.h"
#include "sim/ptx/vm.h"
#include <string.h>

static float flush(float f)
{
	return f < 0x1p-126f && f > -0x1p-126f ? f * 0 : f;
}

static uint32_t sum_f32(uint32_t a, uint32_t b, int flushes)
{
	float x, y;
	uint32_t r;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	x = flushes ? flush(flush(x) + flush(y)) : x + y;
	memcpy(&r, &x, sizeof(r));
	return x != x ? 0x7fffffffu : r;
}

static uint64_t sum_f64(uint64_t a, uint64_t b)
{
	double x, y;
	uint64_t r;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	x += y;
	memcpy(&r, &x, sizeof(r));
	return x != x ? 0x7fffffffffffffffull : r;
}

static uint64_t sum_small(enum ptx_type t, uint64_t a, uint64_t b)
{
	const double v = ptx_small_value(t, (uint16_t)a) + ptx_small_value(t, (uint16_t)b);
	return ptx_format_round(ptx_format_of(t), v, PTX_RN, 0);
}

static uint64_t sum(enum ptx_type t, uint64_t a, uint64_t b, int flushes)
{
	switch (t) {
	case PTX_T_F16:
	case PTX_T_BF16:
		return sum_small(t, a, b);
	case PTX_T_F16X2:
	case PTX_T_BF16X2:
		return sum_small(t, a, b) | sum_small(t, a >> 16, b >> 16) << 16;
	case PTX_T_F32:
		return sum_f32((uint32_t)a, (uint32_t)b, flushes);
	case PTX_T_F64:
		return sum_f64(a, b);
	default:
		return a + b;
	}
}

static int less(enum ptx_type t, uint64_t a, uint64_t b)
{
	switch (t) {
	case PTX_T_S32:
		return (int32_t)a < (int32_t)b;
	case PTX_T_S64:
		return (int64_t)a < (int64_t)b;
	default:
		return a < b;
	}
}

/* What is stored over `old`; b and c are the sources. */
static uint64_t combine(const struct ptx_inst *x, uint64_t old, uint64_t b, uint64_t c, int flushes)
{
	switch (x->mode) {
	case PTX_M_ADD:
		return sum(x->type, old, b, flushes);
	case PTX_M_MIN:
		return less(x->type, b, old) ? b : old;
	case PTX_M_MAX:
		return less(x->type, old, b) ? b : old;
	case PTX_M_INC:
		return old >= b ? 0 : old + 1;
	case PTX_M_DEC:
		return old == 0 || old > b ? b : old - 1;
	case PTX_M_AND:
		return old & b;
	case PTX_M_OR:
		return old | b;
	case PTX_M_XOR:
		return old ^ b;
	case PTX_M_CAS:
		return old == b ? c : old;
	default:
		return b;
	}
}

static uint64_t lane_of(const struct ptx_warp *w, const struct ptx_code *c, unsigned k, unsigned i)
{
	uint64_t v = 0;

	memcpy(&v, (const uint8_t *)ptx_source(w, c, k) + i * c->bytes, c->bytes);
	return v;
}

/* exch and cas of 128 bits: values of two halves, each a source or destination of its own. */
static void wide_lane(struct ptx_warp *w, const struct ptx_code *c, uint8_t *at, unsigned i)
{
	uint64_t old[2], now[2];

	memcpy(old, at, sizeof(old));
	for (unsigned h = 0; h < 2; h++)
		now[h] = lane_of(w, c, h, i);
	if (c->inst->mode == PTX_M_CAS) {
		const int same = old[0] == now[0] && old[1] == now[1];
		for (unsigned h = 0; h < 2; h++)
			now[h] = same ? lane_of(w, c, 2 + h, i) : old[h];
	}
	w->changes += now[0] != old[0] || now[1] != old[1];
	memcpy(at, now, sizeof(now));
	for (unsigned h = 0; h < c->nd; h++)
		((uint64_t *)ptx_destination(w, c, h))[i] = old[h];
}

int ptx_atomic_known(const struct ptx_inst *i)
{
	const unsigned bytes = ptx_type_bytes(i->type);

	if (i->mode < PTX_M_ADD || i->mode > PTX_M_CAS || bytes < 2)
		return 0;
	return i->nsrc >= (i->mode == PTX_M_CAS ? 2 : 1);
}

void ptx_atomic(struct ptx_warp *w, const struct ptx_code *c, uint8_t *const at[PTX_LANES])
{
	for (unsigned i = 0; i < PTX_LANES; i++) {
		uint64_t old = 0;
		if (!(w->mask >> i & 1))
			continue;
		if (c->vec == 2) {
			wide_lane(w, c, at[i], i);
			continue;
		}
		const int shared = ptx_shared_owner(w->cta, at[i]) != NULL;
		memcpy(&old, at[i], c->bytes);
		const uint64_t now = combine(c->inst, old, lane_of(w, c, 0, i),
			c->ns > 1 ? lane_of(w, c, 1, i) : 0, !shared);
		w->changes += memcmp(at[i], &now, c->bytes) != 0;
		memcpy(at[i], &now, c->bytes);
		if (c->nd)
			memcpy((uint8_t *)ptx_destination(w, c, 0) + i * c->bytes, &old, c->bytes);
	}
}
