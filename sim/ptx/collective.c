/*
 * Votes, shuffles and their like, over the lanes that execute together. A member mask takes part
 * only as what it leaves out: lanes that it names but that are elsewhere are not waited for. A
 * shuffle from a lane that does not take part gives that lane's register as it is.
 */
#include "sim/ptx/vm.h"
#include <math.h>
#include <string.h>

#define IS_ON(mask, i) ((mask) >> (i)&1)

static const uint32_t *source32(const struct ptx_warp *w, const struct ptx_code *c, unsigned k)
{
	return ptx_source(w, c, k);
}

static void set32(struct ptx_warp *w, const struct ptx_code *c, const uint32_t v[PTX_LANES])
{
	uint32_t *d = ptx_destination(w, c, 0);

	for (unsigned i = 0; i < PTX_LANES; i++)
		if (IS_ON(w->mask, i))
			d[i] = v[i];
}

static void set_all(struct ptx_warp *w, const struct ptx_code *c, uint32_t v)
{
	uint32_t same[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++)
		same[i] = v;
	set32(w, c, same);
}

/* The lanes that take part, where source k is the member mask. */
static uint32_t members(const struct ptx_warp *w, const struct ptx_code *c, unsigned k)
{
	return k < c->ns ? w->mask & source32(w, c, k)[__builtin_ctz(w->mask)] : w->mask;
}

static void activemask(struct ptx_warp *w, const struct ptx_code *c)
{
	set_all(w, c, w->mask);
}

static void vote(struct ptx_warp *w, const struct ptx_code *c)
{
	const uint32_t in = members(w, c, 1), yes = ptx_predicate(w, c, 0) & in;
	int truth;

	switch (c->inst->mode) {
	case PTX_M_BALLOT:
		set_all(w, c, yes);
		return;
	case PTX_M_ALL:
		truth = yes == in;
		break;
	case PTX_M_ANY:
		truth = yes != 0;
		break;
	default:
		truth = yes == in || yes == 0;
	}
	ptx_set_predicate(w, c, 0, truth ? PTX_ALL_LANES : 0);
}

/* PTX ISA, shfl: the source lane and whether it is in range. */
static int source_lane(enum ptx_mode mode, int lane, uint32_t b, uint32_t c, int *from)
{
	const int by = (int)(b & 31), segment = (int)(c >> 8 & 31), limit = (int)(c & 31);
	const int low = lane & segment, high = low | (limit & ~segment);
	int in_range;

	switch (mode) {
	case PTX_M_UP:
		*from = lane - by;
		in_range = *from >= high;
		break;
	case PTX_M_DOWN:
		*from = lane + by;
		in_range = *from <= high;
		break;
	case PTX_M_BFLY:
		*from = lane ^ by;
		in_range = *from <= high;
		break;
	default:
		*from = low | (by & ~segment);
		in_range = *from <= high;
	}
	if (!in_range)
		*from = lane;
	return in_range;
}

static void shfl(struct ptx_warp *w, const struct ptx_code *c)
{
	const uint32_t *a = source32(w, c, 0), *b = source32(w, c, 1), *range = source32(w, c, 2);
	uint32_t v[PTX_LANES], in_range = 0;

	for (int i = 0; i < PTX_LANES; i++) {
		int from;
		if (source_lane(c->inst->mode, i, b[i], range[i], &from))
			in_range |= 1u << i;
		v[i] = a[from];
	}
	set32(w, c, v);
	if (c->nd > 1)
		ptx_set_predicate(w, c, 1, in_range);
}

static uint64_t value_of(const struct ptx_warp *w, const struct ptx_code *c, unsigned i)
{
	const void *a = ptx_source(w, c, 0);

	return c->sbytes[0] == 8 ? ((const uint64_t *)a)[i] : ((const uint32_t *)a)[i];
}

static void match(struct ptx_warp *w, const struct ptx_code *c)
{
	const uint32_t in = members(w, c, 1);
	uint32_t same[PTX_LANES] = {0};
	int all = 1;

	for (unsigned i = 0; i < PTX_LANES; i++)
		for (unsigned k = 0; k < PTX_LANES; k++)
			if (IS_ON(in, i) && IS_ON(in, k) && value_of(w, c, i) == value_of(w, c, k))
				same[i] |= 1u << k;
	if (c->inst->mode == PTX_M_ANY) {
		set32(w, c, same);
		return;
	}
	for (unsigned i = 0; i < PTX_LANES; i++)
		all &= !IS_ON(in, i) || same[i] == in;
	set_all(w, c, all ? in : 0);
	if (c->nd > 1)
		ptx_set_predicate(w, c, 1, all ? PTX_ALL_LANES : 0);
}

static uint32_t reduce(const struct ptx_inst *x, uint32_t a, uint32_t b)
{
	const int is_signed = x->type == PTX_T_S32;
	const int less = is_signed ? (int32_t)a < (int32_t)b : a < b;

	switch (x->mode) {
	case PTX_M_ADD:
		return a + b;
	case PTX_M_MIN:
		return less ? a : b;
	case PTX_M_MAX:
		return less ? b : a;
	case PTX_M_AND:
		return a & b;
	case PTX_M_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

/* redux.f32: a NaN gives way to a number, or with .NaN wins; of zeros the sign decides. */
static uint32_t reduce_f32(const struct ptx_inst *x, uint32_t a, uint32_t b)
{
	const int greatest = x->mode == PTX_M_MAX;
	float f, g;

	memcpy(&f, &a, sizeof(f));
	memcpy(&g, &b, sizeof(g));
	if (isnan(f) || isnan(g))
		return x->flags & PTX_F_NAN || (isnan(f) && isnan(g)) ? 0x7fffffffu
		       : isnan(f)                                     ? b
								      : a;
	if (f == g)
		return greatest ? a & b : a | b;
	return (f < g) != greatest ? a : b;
}

static void redux_f32(struct ptx_warp *w, const struct ptx_code *c)
{
	const uint32_t in = members(w, c, 1), *a = source32(w, c, 0);
	const uint32_t keep = c->inst->flags & PTX_F_XORSIGN ? 0x7fffffffu : UINT32_MAX;
	uint32_t v = 0;
	int first = 1;

	for (unsigned i = 0; i < PTX_LANES; i++)
		if (IS_ON(in, i)) {
			const uint32_t x = a[i] & keep;
			v = reduce_f32(c->inst, first ? x : v, x);
			first = 0;
		}
	set_all(w, c, v);
}

/* elect.sync: the first of them, and who it is. */
static void elect(struct ptx_warp *w, const struct ptx_code *c)
{
	const uint32_t in = members(w, c, 0), first = in & (0 - in);

	set_all(w, c, in ? (uint32_t)__builtin_ctz(in) : 0);
	if (c->nd > 1)
		ptx_set_predicate(w, c, 1, first);
}

static void redux(struct ptx_warp *w, const struct ptx_code *c)
{
	const uint32_t in = members(w, c, 1), *a = source32(w, c, 0);
	uint32_t v = 0;
	int first = 1;

	for (unsigned i = 0; i < PTX_LANES; i++)
		if (IS_ON(in, i)) {
			v = first ? a[i] : reduce(c->inst, v, a[i]);
			first = 0;
		}
	set_all(w, c, v);
}

ptx_alu *ptx_collective(const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_ACTIVEMASK:
		return activemask;
	case PTX_VOTE:
		return vote;
	case PTX_SHFL:
		return shfl;
	case PTX_MATCH:
		return match;
	case PTX_ELECT:
		return elect;
	case PTX_REDUX:
		return i->type == PTX_T_F32 ? redux_f32 : redux;
	default:
		return NULL;
	}
}
