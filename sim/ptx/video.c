/*
 * Video instructions (PTX ISA, "Video Instructions"): of one value, and of two halves or four bytes
 * of a register. Parts of the operands are widened by their types, and nothing is lost before the
 * result is saturated, merged with c or added to it. Rare: one lane at a time.
 */
#include "sim/ptx/vm.h"

static int is_signed(enum ptx_type t)
{
	return t == PTX_T_S32;
}

/* Bits at `at` of v, as the type has it. */
static int64_t part(uint64_t v, unsigned at, unsigned bits, enum ptx_type t)
{
	const unsigned unused = 64 - bits;
	const uint64_t low = v >> at << unused;
	return is_signed(t) ? (int64_t)low >> unused : (int64_t)(low >> unused);
}

static int64_t clamped(int64_t v, unsigned bits, int with_sign)
{
	const int64_t most = (int64_t)(~0ull >> (64 - bits + (unsigned)with_sign));
	const int64_t least = with_sign ? -most - 1 : 0;
	return v > most ? most : v < least ? least : v;
}

static int truth(enum ptx_cmp cmp, int64_t a, int64_t b)
{
	switch (cmp) {
	case PTX_EQ:
		return a == b;
	case PTX_NE:
		return a != b;
	case PTX_LT:
		return a < b;
	case PTX_LE:
		return a <= b;
	case PTX_GT:
		return a > b;
	default:
		return a >= b;
	}
}

static int64_t apply(const struct ptx_inst *x, int64_t a, int64_t b)
{
	const int64_t n = x->flags & PTX_F_CLAMP ? (b > 32 ? 32 : b) : b & 31;

	switch (x->op) {
	case PTX_VADD:
	case PTX_VADD2:
	case PTX_VADD4:
		return a + b;
	case PTX_VSUB:
	case PTX_VSUB2:
	case PTX_VSUB4:
		return a - b;
	case PTX_VABSDIFF:
	case PTX_VABSDIFF2:
	case PTX_VABSDIFF4:
		return a < b ? b - a : a - b;
	case PTX_VMIN:
	case PTX_VMIN2:
	case PTX_VMIN4:
		return a < b ? a : b;
	case PTX_VMAX:
	case PTX_VMAX2:
	case PTX_VMAX4:
		return a > b ? a : b;
	case PTX_VAVRG2:
	case PTX_VAVRG4:
		return (a + b + (a + b >= 0)) >> 1;
	case PTX_VSHL:
		return (int64_t)((uint64_t)a << n);
	case PTX_VSHR:
		return a >> n;
	default: /* vset, vset2, vset4 */
		return truth(x->cmp, a, b);
	}
}

/*
 * What becomes of the result with c: added, the lesser or greater of both, or merged. They are
 * compared as numbers of 33 bits with a sign, the ISA's .s33, and c has d's type.
 */
static uint32_t with_c(const struct ptx_inst *x, int64_t v, uint32_t c)
{
	const struct ptx_video *s = &x->video;
	const uint32_t r = (uint32_t)v;
	const int less = part((uint64_t)v, 0, 33, PTX_T_S32) < part(c, 0, 32, x->type);

	switch (x->mode) {
	case PTX_M_ADD:
		return r + c;
	case PTX_M_MIN:
		return less ? r : c;
	case PTX_M_MAX:
		return less ? c : r;
	default:
		if (s->d_bits == 32)
			return r;
		const uint32_t field = (1u << s->d_bits) - 1;
		return (c & ~(field << s->d_at)) | (r & field) << s->d_at;
	}
}

static uint32_t one_value(const struct ptx_inst *x, uint32_t a, uint32_t b, uint32_t c)
{
	const struct ptx_video *s = &x->video;
	int64_t v = apply(
		x, part(a, s->a_at, s->a_bits, x->stype), part(b, s->b_at, s->b_bits, s->btype));

	if (x->flags & PTX_F_SAT)
		v = clamped(v, s->d_bits, is_signed(x->type));
	return with_c(x, v, c);
}

/* vmad: (a * b + c, or minus one of them) shifted right, and clamped. */
static uint32_t multiply_add(const struct ptx_inst *x, uint32_t a, uint32_t b, uint32_t c)
{
	const struct ptx_video *s = &x->video;
	const int minus = x->src[0].negate ^ x->src[1].negate, minus_c = x->src[2].negate;
	const int with_sign = is_signed(x->stype) || is_signed(s->btype) || minus || minus_c;
	__int128 v = (__int128)part(a, s->a_at, s->a_bits, x->stype) *
		     part(b, s->b_at, s->b_bits, s->btype);
	const __int128 wide = with_sign ? (__int128)(int32_t)c : (__int128)c;

	v = (minus ? -v : v) + (minus_c ? -wide : wide) + (s->plus_one ? 1 : 0);
	v >>= s->shift;
	if (x->flags & PTX_F_SAT) {
		const __int128 most = with_sign ? INT32_MAX : UINT32_MAX;
		const __int128 least = with_sign ? INT32_MIN : 0;
		v = v > most ? most : v < least ? least : v;
	}
	return (uint32_t)v;
}

/* Halves or bytes: selectors name parts of b:a, mask those of d that are not c's. */
static uint32_t several(const struct ptx_inst *x, uint32_t a, uint32_t b, uint32_t c)
{
	const struct ptx_video *s = &x->video;
	const unsigned n = s->lanes, bits = 32 / n;
	const uint64_t both = (uint64_t)b << 32 | a;
	uint32_t d = x->mode == PTX_M_ADD ? c : 0;

	for (unsigned i = 0; i < n; i++) {
		int64_t v = apply(x, part(both, (s->a_parts >> 4 * i & 15) * bits, bits, x->stype),
			part(both, (s->b_parts >> 4 * i & 15) * bits, bits, s->btype));
		const uint32_t field = ((1u << bits) - 1) << i * bits;
		if (x->flags & PTX_F_SAT)
			v = clamped(v, bits, is_signed(x->type));
		if (x->mode == PTX_M_ADD)
			d += s->mask >> i & 1 ? (uint32_t)v : 0;
		else
			d |= s->mask >> i & 1 ? (uint32_t)v << i * bits & field : c & field;
	}
	return d;
}

void ptx_video(struct ptx_warp *w, const struct ptx_code *code)
{
	const struct ptx_inst *x = code->inst;
	const uint32_t *a = ptx_source(w, code, 0), *b = ptx_source(w, code, 1);
	const uint32_t *c = code->ns > 2 ? ptx_source(w, code, 2) : NULL;
	uint32_t *d = ptx_destination(w, code, 0);

	for (unsigned i = 0; i < PTX_LANES; i++)
		if (w->mask >> i & 1)
			d[i] = x->video.lanes > 1  ? several(x, a[i], b[i], c[i])
			       : x->op == PTX_VMAD ? multiply_add(x, a[i], b[i], c[i])
						   : one_value(x, a[i], b[i], c ? c[i] : 0);
}
