/*
 * Texture fetches: CUDA C Programming Guide, "Texture Fetching". Texels lie row after row, as
 * linear memory and pitched memory do; arrays of a device lie in another order that NVIDIA does not
 * tell, so the lines that neighbours in y share are not a device's.
 *
 * A fetch is recorded with the address of its texel; a filtered one with that of the lowest of
 * those that it reads, of the finer level where there are two. Left out: levels by derivatives,
 * filtering over the edges of a cube, gathers, sRGB.
 */
#include "sim/ptx/vm.h"
#include "half.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ptx_bound_texture *find(const struct ptx_machine *m, uint64_t handle)
{
	for (uint32_t i = 0; i < m->ntextures; i++)
		if (m->textures[i].handle == handle)
			return &m->textures[i];
	return NULL;
}

const struct ptx_texture *ptx_texture_bound(const struct ptx_machine *m, uint64_t handle)
{
	const struct ptx_bound_texture *b = find(m, handle);

	return b ? &b->t : NULL;
}

uint64_t ptx_texture_bind(struct ptx_machine *m, uint64_t handle, const struct ptx_texture *t)
{
	struct ptx_bound_texture *b = handle ? find(m, handle) : NULL;

	if (!b && m->ntextures == m->cap_textures) {
		const uint32_t cap = m->cap_textures ? 2 * m->cap_textures : 8;
		struct ptx_bound_texture *more = realloc(m->textures, cap * sizeof(*more));
		if (!more)
			return 0;
		m->textures = more;
		m->cap_textures = cap;
	}
	if (!b)
		b = &m->textures[m->ntextures++];
	*b = (struct ptx_bound_texture){.handle = handle ? handle : ++m->next_texture, .t = *t};
	return b->handle;
}

int ptx_texture_unbind(struct ptx_machine *m, uint64_t handle)
{
	struct ptx_bound_texture *b = find(m, handle);

	if (!b)
		return 0;
	*b = m->textures[--m->ntextures];
	return 1;
}

/* ---- texels ---- */

/* The index that a coordinate's mode makes of i, or -1: the border. */
static int64_t wrapped(int64_t i, uint64_t size, uint8_t mode, int normalized)
{
	const int64_t n = (int64_t)size;

	if (i >= 0 && i < n)
		return i;
	if (normalized && mode == PTX_WRAP_WRAP)
		return (i % n + n) % n;
	if (normalized && mode == PTX_WRAP_MIRROR) {
		const int64_t k = (i % (2 * n) + 2 * n) % (2 * n);
		return k < n ? k : 2 * n - 1 - k;
	}
	if (mode == PTX_WRAP_BORDER)
		return -1;
	return i < 0 ? 0 : n - 1;
}

/* What a fetch of one lane works on. */
struct fetch {
	struct ptx_machine *m;
	const struct ptx_texture *t;
	uint64_t layer;
	uint64_t first; /* address of the lowest texel that was read, or 0 */
	int missed;     /* an address that is not allocated: `first` */
};

static double channel(const struct ptx_texture *t, const uint8_t *at)
{
	uint32_t v = 0;
	float f;

	memcpy(&v, at, t->channel_bits / 8);
	if (t->texels == PTX_TEXELS_FLOAT) {
		if (t->channel_bits == 16)
			return ptx_half_value((uint16_t)v);
		memcpy(&f, &v, sizeof(f));
		return f;
	}
	const unsigned unused = 32 - t->channel_bits;
	const double n = t->texels == PTX_TEXELS_SIGNED ? (double)((int32_t)(v << unused) >> unused)
							: (double)v;
	if (!t->scaled)
		return n;
	const double most = ldexp(1, t->channel_bits - (t->texels == PTX_TEXELS_SIGNED)) - 1;
	return n < -most ? -1 : n / most;
}

static void texel(struct fetch *f, const int64_t index[3], double out[4])
{
	const struct ptx_texture *t = f->t;
	const unsigned bytes = t->channels * t->channel_bits / 8u;
	uint64_t at = t->base + f->layer * t->slice;
	int64_t i[3];

	for (unsigned d = 0; d < 3; d++) {
		const int beyond = index[d] < 0 || index[d] >= (int64_t)t->size[d];
		i[d] = t->plain && beyond
			       ? -1
			       : wrapped(index[d], t->size[d], t->wrap[d], t->normalized);
		if (i[d] < 0) {
			for (unsigned k = 0; k < 4; k++)
				out[k] = t->plain ? 0 : t->border[k];
			return;
		}
	}
	at += (uint64_t)i[2] * t->slice + (uint64_t)i[1] * t->pitch + (uint64_t)i[0] * bytes;
	const uint8_t *host = ptx_host(f->m, at, bytes);
	if (!f->first || at < f->first || !host)
		f->first = at;
	f->missed |= !host;
	for (unsigned k = 0; k < 4; k++)
		out[k] = host && k < t->channels ? channel(t, host + k * t->channel_bits / 8u) : 0;
}

/* Filtering weighs with 8 bits of fraction, as the guide says. */
static void filtered(struct fetch *f, const double x[3], unsigned dims, double out[4])
{
	int64_t low[3] = {0, 0, 0};
	double share[3] = {0, 0, 0};

	for (unsigned d = 0; d < dims; d++) {
		const double b = x[d] - 0.5;
		low[d] = (int64_t)floor(b);
		share[d] = floor((b - floor(b)) * 256 + 0.5) / 256;
	}
	memset(out, 0, 4 * sizeof(*out));
	for (unsigned corner = 0; corner < 1u << dims; corner++) {
		int64_t index[3] = {0, 0, 0};
		double weight = 1, v[4];
		for (unsigned d = 0; d < dims; d++) {
			index[d] = low[d] + (corner >> d & 1);
			weight *= corner >> d & 1 ? share[d] : 1 - share[d];
		}
		texel(f, index, v);
		for (unsigned k = 0; k < 4; k++)
			out[k] += weight * v[k];
	}
}

/*
 * The coordinate, brought into what an index can hold: one so far out stays beyond its edge. Where
 * texels repeat, it is a multiple of two rounds, as all floats of that size are: the first texel.
 */
static double bounded(const struct ptx_texture *t, unsigned d, double x)
{
	const double most = 1e15;
	const int repeats =
		t->normalized && (t->wrap[d] == PTX_WRAP_WRAP || t->wrap[d] == PTX_WRAP_MIRROR);

	if (x > -most && x < most)
		return x;
	if (x != x || repeats)
		return 0;
	return x < 0 ? -most : most;
}

/* A level of a mipmap, as a texture by itself. */
static struct ptx_texture level_of(const struct ptx_texture *t, unsigned level)
{
	struct ptx_texture l = *t;

	for (unsigned d = 0; d < 3; d++)
		l.size[d] = t->size[d] >> level ? t->size[d] >> level : 1;
	if (level) {
		l.base = t->more[level - 1].base;
		l.pitch = t->more[level - 1].pitch;
		l.slice = t->more[level - 1].slice;
	}
	return l;
}

/* The face of a cube that a direction points to, and where on it (CUDA guide, "Cubemap Textures").
 */
static unsigned face_of(const uint32_t direction[3], double at[2])
{
	float v[3];
	unsigned axis = 2;

	memcpy(v, direction, sizeof(v));
	if (fabsf(v[0]) >= fabsf(v[1]) && fabsf(v[0]) >= fabsf(v[2]))
		axis = 0;
	else if (fabsf(v[1]) >= fabsf(v[2]))
		axis = 1;
	const int back = v[axis] < 0;
	const double m = fabs((double)v[axis]), s = axis == 0           ? (back ? v[2] : -v[2])
						    : axis == 2 && back ? -v[0]
									: v[0];
	const double t = axis == 1 ? (back ? -v[2] : v[2]) : -v[1];
	at[0] = (s / m + 1) / 2;
	at[1] = (t / m + 1) / 2;
	return 2 * axis + (unsigned)back;
}

static void fetch_level(struct fetch *f, const struct ptx_inst *i, const uint32_t *coords,
	unsigned level, double out[4])
{
	const struct ptx_texture *whole = f->t;
	const int cube = i->mode == PTX_M_CUBE || i->mode == PTX_M_ACUBE;
	const int layered = i->mode == PTX_M_A1D || i->mode == PTX_M_A2D || i->mode == PTX_M_ACUBE;
	const unsigned dims = i->mode == PTX_M_1D || i->mode == PTX_M_A1D ? 1
			      : i->mode == PTX_M_3D                       ? 3
									  : 2;
	const struct ptx_texture *t = whole;
	struct ptx_texture own;
	int64_t index[3] = {0, 0, 0};
	double x[3] = {0, 0, 0};

	if (level || cube) {
		own = level_of(whole, level);
		if (cube) /* what is beyond an edge is the edge */
			own.wrap[0] = own.wrap[1] = PTX_WRAP_CLAMP;
		f->t = t = &own;
	}
	f->layer = 0;
	if (layered) {
		const uint32_t n = t->layers / (cube ? 6 : 1), last = n ? n - 1 : 0;
		f->layer = coords[0] < last ? coords[0] : last;
	}
	if (cube)
		f->layer = 6 * f->layer + face_of(coords + layered, x);
	for (unsigned d = 0; d < dims; d++) {
		float v;
		if (i->stype == PTX_T_S32) {
			index[d] = (int32_t)coords[layered + d];
			continue;
		}
		memcpy(&v, &coords[layered + d], sizeof(v));
		x[d] = cube ? x[d] : (double)v;
		x[d] *= cube || t->normalized ? (double)t->size[d] : 1;
		x[d] = bounded(t, d, x[d]);
		index[d] = (int64_t)floor(x[d]);
	}
	if (t->linear && i->stype == PTX_T_F32)
		filtered(f, x, dims, out);
	else
		texel(f, index, out);
	f->t = whole;
}

/* Of a mipmap the nearest level, or two that are weighed with 8 bits. */
static void fetch(struct fetch *f, const struct ptx_inst *i, const uint32_t *coords,
	uint32_t level_bits, double out[4])
{
	const struct ptx_texture *t = f->t;
	double level = 0, v[4];
	float lod;

	memcpy(&lod, &level_bits, sizeof(lod));
	if (t->nmore) {
		level = (double)lod + (double)t->bias;
		level = level > t->min_level ? level : t->min_level;
		level = level < t->max_level ? level : t->max_level;
		level = level > 0 ? level < t->nmore ? level : t->nmore : 0;
	}
	const unsigned low = (unsigned)(t->blends ? level : level + 0.5);
	const double share = t->blends ? floor((level - low) * 256 + 0.5) / 256 : 0;
	fetch_level(f, i, coords, low, out);
	if (share == 0)
		return;
	fetch_level(f, i, coords, low + 1, v);
	for (unsigned k = 0; k < 4; k++)
		out[k] += share * (v[k] - out[k]);
}

/* A channel as the instruction's type wants it. */
static uint32_t as_type(double v, enum ptx_type type)
{
	const float f = (float)v;
	uint32_t bits;

	if (type != PTX_T_F32)
		return v < 0 ? (uint32_t)(int32_t)v : (uint32_t)v;
	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

int ptx_texture_fetch(struct ptx_warp *w, const struct ptx_code *c)
{
	const uint64_t *handles = ptx_source(w, c, 0);
	struct ptx_machine *m = w->cta->run->machine;
	const struct ptx_bound_texture *b = NULL;
	uint64_t address[PTX_LANES] = {0};

	for (unsigned i = 0; i < PTX_LANES; i++) {
		struct fetch f = {.m = m};
		uint32_t coords[5] = {0};
		const int leveled = (c->inst->flags & PTX_F_LOD) != 0;
		double v[4];
		if (!(w->mask >> i & 1))
			continue;
		if (!b || b->handle != handles[i])
			b = find(m, handles[i]);
		if (!b)
			return ptx_fault(w, c, i,
				"fetches from texture 0x%" PRIx64 ", which nothing is bound to",
				handles[i]);
		for (unsigned k = 1; k < c->ns; k++)
			coords[k - 1] = ((const uint32_t *)ptx_source(w, c, k))[i];
		f.t = &b->t;
		fetch(&f, c->inst, coords, leveled ? coords[c->ns - 2] : 0, v);
		if (f.missed) {
			m->fault = PTX_FAULT_ADDRESS;
			return ptx_fault(w, c, i,
				"reads a texel at 0x%" PRIx64 ", which is not allocated", f.first);
		}
		address[i] = f.first ? f.first : b->t.base;
		for (unsigned k = 0; k < c->nd; k++)
			if (c->d[k] != PTX_NOWHERE)
				((uint32_t *)ptx_destination(w, c, k))[i] =
					as_type(v[k], c->inst->type);
	}
	if (c->records_value && w->cta->recorder &&
		tr_record_values(w->cta->recorder, w->number, w->mask, address) < 0)
		return ptx_recorder_failed(w);
	return 0;
}
