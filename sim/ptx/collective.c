/*
 * Votes, shuffles and their like, over the lanes that execute together. A member mask takes part
 * only as what it leaves out: lanes that it names but that are elsewhere are not waited for, unless
 * they run apart (strands.c). A shuffle from a lane that does not take part gives that lane's
 * register as it is.
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

/*
 * The lanes among *rest that name the same members as its first, which leave it, and *in, who takes
 * part with them. Source k is the member mask. Parts of a warp come here together, each with a mask
 * of its own: tiles, and lanes with one label.
 */
static uint32_t next_part(const struct ptx_warp *w, const struct ptx_code *c, unsigned k,
	uint32_t *rest, uint32_t *in)
{
	const uint32_t *masks = k < c->ns ? source32(w, c, k) : NULL;
	uint32_t lanes = *rest;

	*in = w->mask;
	if (masks) {
		const uint32_t mask = masks[__builtin_ctz(*rest)];
		for (unsigned i = 0; i < PTX_LANES; i++)
			lanes &= ~((uint32_t)(masks[i] != mask) << i);
		*in &= mask;
	}
	*rest &= ~lanes;
	return lanes;
}

/* v for the lanes of a part. */
static void fill(uint32_t v[PTX_LANES], uint32_t lanes, uint32_t value)
{
	for (unsigned i = 0; i < PTX_LANES; i++)
		if (IS_ON(lanes, i))
			v[i] = value;
}

static void activemask(struct ptx_warp *w, const struct ptx_code *c)
{
	uint32_t v[PTX_LANES];

	fill(v, w->mask, w->mask);
	set32(w, c, v);
}

static void vote(struct ptx_warp *w, const struct ptx_code *c)
{
	uint32_t rest = w->mask, in, v[PTX_LANES], truths = 0;

	while (rest) {
		const uint32_t lanes = next_part(w, c, 1, &rest, &in);
		const uint32_t yes = ptx_predicate(w, c, 0) & in;
		fill(v, lanes, yes);
		if (c->inst->mode == PTX_M_ALL       ? yes == in
			: c->inst->mode == PTX_M_ANY ? yes != 0
						     : yes == in || yes == 0)
			truths |= lanes;
	}
	if (c->inst->mode == PTX_M_BALLOT)
		set32(w, c, v);
	else
		ptx_set_predicate(w, c, 0, truths);
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
	uint32_t rest = w->mask, in, v[PTX_LANES], truths = 0;

	while (rest) {
		const uint32_t lanes = next_part(w, c, 1, &rest, &in);
		int all = 1;
		for (unsigned i = 0; i < PTX_LANES; i++) {
			if (!IS_ON(lanes, i))
				continue;
			v[i] = 0;
			for (unsigned k = 0; k < PTX_LANES; k++)
				if (IS_ON(in, k) && value_of(w, c, i) == value_of(w, c, k))
					v[i] |= 1u << k;
			all &= v[i] == in;
		}
		if (c->inst->mode == PTX_M_ANY)
			continue;
		fill(v, lanes, all ? in : 0);
		truths |= all ? lanes : 0;
	}
	set32(w, c, v);
	if (c->inst->mode != PTX_M_ANY && c->nd > 1)
		ptx_set_predicate(w, c, 1, truths);
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

static void redux(struct ptx_warp *w, const struct ptx_code *c)
{
	const struct ptx_inst *x = c->inst;
	const uint32_t *a = source32(w, c, 0);
	const uint32_t keep = x->flags & PTX_F_XORSIGN ? 0x7fffffffu : UINT32_MAX;
	uint32_t rest = w->mask, in, results[PTX_LANES];

	while (rest) {
		const uint32_t lanes = next_part(w, c, 1, &rest, &in);
		uint32_t v = 0;
		int first = 1;
		for (unsigned i = 0; i < PTX_LANES; i++) {
			if (!IS_ON(in, i))
				continue;
			v = x->type == PTX_T_F32
				    ? reduce_f32(x, first ? a[i] & keep : v, a[i] & keep)
			    : first ? a[i]
				    : reduce(x, v, a[i]);
			first = 0;
		}
		fill(results, lanes, v);
	}
	set32(w, c, results);
}

/* elect.sync: the first of them, and who it is. */
static void elect(struct ptx_warp *w, const struct ptx_code *c)
{
	uint32_t rest = w->mask, in, v[PTX_LANES], firsts = 0;

	while (rest) {
		const uint32_t lanes = next_part(w, c, 0, &rest, &in);
		fill(v, lanes, in ? (uint32_t)__builtin_ctz(in) : 0);
		firsts |= lanes & in & (0 - in);
	}
	set32(w, c, v);
	if (c->nd > 1)
		ptx_set_predicate(w, c, 1, firsts);
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
		return redux;
	default:
		return NULL;
	}
}
