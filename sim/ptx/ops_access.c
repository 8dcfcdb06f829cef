/*
 * What memory instructions do over 32 lanes: addresses, their check against one span of memory,
 * loading lanes from host pointers and storing them. Where the lanes fall into several spans, or
 * somewhere they must not, ptx_resolve looks at them one by one.
 *
 * When several lanes store to one address the highest lane's value stays, as PTX lets it be.
 */
#include "sim/ptx/ops.h"

/* Lanes that are off point where an active lane does, so a load needs no test. */
#define GATHER(name, T, R)                                                                         \
	static void gather_##name(void *reg, uint32_t mask, uint8_t *const at[PTX_LANES])          \
	{                                                                                          \
		R *d = reg, r[PTX_LANES];                                                          \
		for (unsigned i = 0; i < PTX_LANES; i++) {                                         \
			T v;                                                                       \
			memcpy(&v, at[i], sizeof(v));                                              \
			r[i] = (R)v;                                                               \
		}                                                                                  \
		if (mask == PTX_ALL_LANES)                                                         \
			memcpy(d, r, sizeof(r));                                                   \
		else                                                                               \
			for (unsigned i = 0; i < PTX_LANES; i++)                                   \
				d[i] = mask & ptx_bit[i] ? r[i] : d[i];                            \
	}
#define SCATTER(name, T, R)                                                                        \
	static void scatter_##name(const void *reg, uint32_t mask, uint8_t *const at[PTX_LANES])   \
	{                                                                                          \
		const R *s = reg;                                                                  \
		for (unsigned i = 0; i < PTX_LANES; i++) {                                         \
			const T v = (T)s[i];                                                       \
			if (mask & ptx_bit[i])                                                     \
				memcpy(at[i], &v, sizeof(v));                                      \
		}                                                                                  \
	}
#define REGISTERS(MACRO, name, T)                                                                  \
	MACRO(name##_16, T, uint16_t) MACRO(name##_32, T, uint32_t) MACRO(name##_64, T, uint64_t)
REGISTERS(GATHER, u8, uint8_t)
REGISTERS(GATHER, s8, int8_t)
REGISTERS(GATHER, u16, uint16_t)
REGISTERS(GATHER, s16, int16_t)
REGISTERS(GATHER, u32, uint32_t)
REGISTERS(GATHER, s32, int32_t)
REGISTERS(GATHER, u64, uint64_t)
REGISTERS(SCATTER, b8, uint8_t)
REGISTERS(SCATTER, b16, uint16_t)
REGISTERS(SCATTER, b32, uint32_t)
REGISTERS(SCATTER, b64, uint64_t)

/* Column of a register's width in a table. */
static int column(unsigned reg_bytes)
{
	return reg_bytes == 2 ? 0 : reg_bytes == 4 ? 1 : 2;
}

#define ROW(name)                                                                                  \
	{                                                                                          \
		name##_16, name##_32, name##_64                                                    \
	}

ptx_gather *PTX_BY_ISA(ptx_ops_gather)(enum ptx_type t, unsigned reg_bytes)
{
	static ptx_gather *const unsigned_ones[4][3] = {
		ROW(gather_u8), ROW(gather_u16), ROW(gather_u32), ROW(gather_u64)};
	static ptx_gather *const signed_ones[4][3] = {
		ROW(gather_s8), ROW(gather_s16), ROW(gather_s32), ROW(gather_u64)};
	const int row = __builtin_ctz(ptx_type_bytes(t));

	return (ptx_is_signed(t) ? signed_ones : unsigned_ones)[row][column(reg_bytes)];
}

ptx_scatter *PTX_BY_ISA(ptx_ops_scatter)(enum ptx_type t, unsigned reg_bytes)
{
	static ptx_scatter *const table[4][3] = {
		ROW(scatter_b8), ROW(scatter_b16), ROW(scatter_b32), ROW(scatter_b64)};

	return table[__builtin_ctz(ptx_type_bytes(t))][column(reg_bytes)];
}

static inline void addresses(
	const struct ptx_warp *w, const struct ptx_code *c, uint64_t a[PTX_LANES])
{
	const uint8_t *base = w->area[c->base & PTX_CONSTANT] + (c->base & ~PTX_CONSTANT);
	const uint64_t disp = c->disp;

	if (c->base == PTX_NOWHERE) {
		for (unsigned i = 0; i < PTX_LANES; i++)
			a[i] = disp;
	} else if (c->base_bytes == 8) {
		const uint64_t *r = (const uint64_t *)(const void *)base;
		for (unsigned i = 0; i < PTX_LANES; i++)
			a[i] = r[i] + disp;
	} else {
		const uint32_t *r = (const uint32_t *)(const void *)base;
		for (unsigned i = 0; i < PTX_LANES; i++)
			a[i] = (uint32_t)(r[i] + (uint32_t)disp);
		for (unsigned i = 0; c->space == TR_S_GENERIC && i < PTX_LANES; i++)
			a[i] = ptx_widened(a[i], w->cta->run->const_base);
	}
	if (w->mask != PTX_ALL_LANES) {
		const uint64_t some = a[__builtin_ctz(w->mask)];
		for (unsigned i = 0; i < PTX_LANES; i++)
			a[i] = w->mask & ptx_bit[i] ? a[i] : some;
	}
}

void PTX_BY_ISA(ptx_ops_addresses)(
	const struct ptx_warp *w, const struct ptx_code *c, uint64_t a[PTX_LANES])
{
	addresses(w, c, a);
}

int PTX_BY_ISA(ptx_ops_locate)(
	struct ptx_warp *w, struct ptx_code *c, uint64_t a[PTX_LANES], uint8_t *at[PTX_LANES])
{
	const struct ptx_span *s = &c->hit;
	const uint64_t size = (uint64_t)c->bytes * c->vec, base = s->base;
	uint64_t low = 0, far = 0;

	addresses(w, c, a);
	if (c->space == TR_S_SHARED) {
		c->hit.host = w->cta->shared;
		c->hit.bytes = w->cta->run->shared_bytes;
	}
	/* The largest offset in the span, as a signed maximum: an address below the span, huge as
	   an unsigned offset, is caught in the or of all. */
	for (unsigned i = 0; i < PTX_LANES; i++) {
		const uint64_t offset = a[i] - base;
		low |= a[i] | (offset & (1ull << 63));
		far = (int64_t)offset > (int64_t)far ? offset : far;
	}
	if (!(low >> 63) && !(low & (size - 1)) && size <= s->bytes && far <= s->bytes - size) {
		const uint64_t host = (uint64_t)(uintptr_t)s->host - base;
		for (unsigned i = 0; i < PTX_LANES; i++)
			at[i] = (uint8_t *)(uintptr_t)(host + a[i]);
		return 0;
	}
	return ptx_resolve(w, c, a, at);
}
