/*
 * Surfaces: PTX ISA, "Surface Instructions", of bytes as they are (suld.b, sust.b) and of values
 * that become what the surface holds (sust.p). A surface is what a texture is, without its
 * sampling: coordinates are of texels, but x of the former counts bytes. Numbers that a texel's
 * channels do not hold become the nearest that they do; the ISA does not say what they become.
 *
 * An access is recorded with its address, one that is clamped or left out with the nearest.
 */
#include "sim/ptx/half.h"
#include "sim/ptx/vm.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* i, or what is nearest to it of 0 ... last. */
static uint64_t nearest(int64_t i, uint64_t last, int *outside)
{
	if (i >= 0 && (uint64_t)i <= last)
		return (uint64_t)i;
	*outside = 1;
	return i < 0 ? 0 : last;
}

/*
 * Address of a lane's element of `bytes` bytes; *outside: a coordinate is not in the surface. x
 * counts bytes, or elements where scale is their size.
 */
static uint64_t address_of(const struct ptx_texture *t, enum ptx_mode mode, const uint32_t *coords,
	unsigned bytes, unsigned scale, int *outside)
{
	const int layered = mode == PTX_M_A1D || mode == PTX_M_A2D;
	const unsigned dims = mode == PTX_M_1D || mode == PTX_M_A1D ? 1 : mode == PTX_M_3D ? 3 : 2;
	const uint64_t row = t->size[0] * t->channels * t->channel_bits / 8;
	uint64_t at = t->base;

	if (layered)
		at += t->slice *
		      nearest((int32_t)*coords++, t->layers ? t->layers - 1 : 0, outside);
	const int64_t x = (int64_t)(int32_t)coords[0] * scale;
	at += nearest(x, row < bytes ? 0 : row - bytes, outside) / bytes * bytes;
	if (dims > 1)
		at += t->pitch * nearest((int32_t)coords[1], t->size[1] - 1, outside);
	if (dims > 2)
		at += t->slice * nearest((int32_t)coords[2], t->size[2] - 1, outside);
	return at;
}

static void move_lane(struct ptx_warp *w, const struct ptx_code *c, unsigned lane, uint8_t *at,
	unsigned first, int outside)
{
	const struct ptx_inst *x = c->inst;
	const unsigned bytes = ptx_type_bytes(x->type);

	for (unsigned k = 0; k < x->vec; k++) {
		uint64_t v = 0;
		if (x->op == PTX_SULD) {
			memcpy(&v, at + k * bytes, outside ? 0 : bytes);
			if (c->d[k] != PTX_NOWHERE)
				memcpy((uint8_t *)ptx_destination(w, c, k) + lane * c->dbytes[k],
					&v, c->dbytes[k]);
		} else if (!outside) {
			const uint8_t *s = ptx_source(w, c, first + k);
			memcpy(at + k * bytes, s + lane * c->sbytes[first + k], bytes);
		}
	}
}

/* A value as a channel's bits; what is not representable becomes the nearest that is. */
static uint32_t channel_bits(const struct ptx_texture *t, double v)
{
	const double all = ldexp(1, t->channel_bits);
	const double low = t->texels == PTX_TEXELS_SIGNED ? -all / 2 : 0;
	const double high = t->texels == PTX_TEXELS_SIGNED ? all / 2 - 1 : all - 1;
	uint32_t bits;
	float f = (float)v;

	if (t->texels == PTX_TEXELS_FLOAT) {
		memcpy(&bits, &f, sizeof(bits));
		return t->channel_bits == 16 ? ptx_half_round(v, PTX_RN) : bits;
	}
	if (t->scaled)
		v = rint(v * high);
	v = !(v > low) ? low : v > high ? high : v;
	return v < 0 ? (uint32_t)(int32_t)v : (uint32_t)v;
}

/* sust.p of one lane: what the vector lacks of the texel's channels becomes zero. */
static void store_texel(const struct ptx_warp *w, const struct ptx_code *c, unsigned lane,
	uint8_t *at, unsigned first, const struct ptx_texture *t)
{
	const int reals = t->texels == PTX_TEXELS_FLOAT || t->scaled;

	for (unsigned k = 0; k < t->channels; k++) {
		uint32_t bits = 0;
		float f;
		if (k < c->inst->vec)
			bits = ((const uint32_t *)ptx_source(w, c, first + k))[lane];
		memcpy(&f, &bits, sizeof(f));
		bits = channel_bits(t, reals                            ? (double)f
				       : t->texels == PTX_TEXELS_SIGNED ? (double)(int32_t)bits
									: (double)bits);
		memcpy(at + k * t->channel_bits / 8, &bits, t->channel_bits / 8);
	}
}

int ptx_surface_access(struct ptx_warp *w, const struct ptx_code *c)
{
	const struct ptx_inst *x = c->inst;
	struct ptx_machine *m = w->cta->run->machine;
	const uint64_t *handles = ptx_source(w, c, 0);
	const unsigned values = x->op == PTX_SUST ? x->vec : 0, first = c->ns - values;
	const int formatted = (x->flags & PTX_F_FORMAT) != 0;
	uint64_t address[PTX_LANES] = {0};

	for (unsigned i = 0; i < PTX_LANES; i++) {
		const struct ptx_texture *t;
		uint32_t coords[4] = {0};
		int outside = 0;
		if (!(w->mask >> i & 1))
			continue;
		t = ptx_texture_bound(m, handles[i]);
		if (!t)
			return ptx_fault(w, c, i,
				"works on surface 0x%" PRIx64 ", which nothing is bound to",
				handles[i]);
		for (unsigned k = 1; k < first; k++)
			coords[k - 1] = ((const uint32_t *)ptx_source(w, c, k))[i];
		const unsigned bytes = formatted ? t->channels * t->channel_bits / 8u
						 : ptx_type_bytes(x->type) * x->vec;
		address[i] = address_of(t, x->mode, coords, bytes, formatted ? bytes : 1, &outside);
		uint8_t *at = ptx_host(m, address[i], bytes);
		if (!at || (outside && !(x->flags & (PTX_F_CLAMP | PTX_F_ZERO)))) {
			m->fault = PTX_FAULT_ADDRESS;
			return ptx_fault(w, c, i, "is outside of the surface");
		}
		if (m->opt.memcheck && x->op == PTX_SUST)
			ptx_memory_mark(&m->memory, address[i], bytes);
		if (!formatted)
			move_lane(w, c, i, at, first, outside && (x->flags & PTX_F_ZERO));
		else if (!outside || !(x->flags & PTX_F_ZERO))
			store_texel(w, c, i, at, first, t);
	}
	if (c->records_value && w->cta->recorder &&
		tr_record_values(w->cta->recorder, w->number, w->mask, address) < 0)
		return ptx_recorder_failed(w);
	return 0;
}
