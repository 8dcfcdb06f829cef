/*
 * Copies that a thread does not wait for, and barriers in shared memory that count arrivals.
 *
 * A cp.async is two instructions here, a load and a store; both are done at once, which is one of
 * the orders that PTX allows. Where a copy has the size of its source, the load reads so many bytes
 * and the store writes zeros after them.
 *
 * An mbarrier's 64 bits are, as nothing but its own instructions may look at them: from bit 0
 * arrivals that are missing, from bit 20 those of a phase, from bit 40 bytes that are expected
 * (signed), bit 63 the phase. A state is these bits before the arrival. A wait that fails ends the
 * warp's turn, so that the others come nearer to what it waits for.
 */
#include "sim/ptx/memcheck.h"
#include <inttypes.h>
#include <string.h>

#define ARRIVALS 0xfffffull
#define EXPECTED_AT 20
#define BYTES_AT 40
#define BYTES 0x7fffffull
#define PHASE (1ull << 63)

/* ---- cp.async with the size of its source ---- */

/* How many bytes of word k a copy of n bytes has. */
static unsigned bytes_of_word(uint32_t n, unsigned k)
{
	return n <= 4 * k ? 0 : n - 4 * k < 4 ? n - 4 * k : 4;
}

static int load_part(struct ptx_warp *w, struct ptx_code *c)
{
	const uint32_t *sizes = ptx_source(w, c, 0);
	const unsigned most = 4u * c->vec;
	struct ptx_code load = *c;
	uint64_t address[PTX_LANES];
	uint8_t *at[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++)
		if ((w->mask >> i & 1) && sizes[i] > most)
			return ptx_fault(
				w, c, i, "has a source of %u bytes, of at most %u", sizes[i], most);
	load.kind = PTX_K_LOAD;
	const int e = ptx_reach_parts(w, &load, sizes, address, at);
	if (e)
		return e;
	for (unsigned i = 0; i < PTX_LANES; i++) {
		if (!(w->mask >> i & 1))
			continue;
		for (unsigned k = 0; k < c->vec; k++) {
			uint32_t *d = ptx_destination(w, c, k);
			d[i] = 0;
			memcpy(&d[i], at[i] + 4 * k, bytes_of_word(sizes[i], k));
		}
	}
	return 0;
}

static int store_part(struct ptx_warp *w, struct ptx_code *c)
{
	const uint32_t *sizes = ptx_source(w, c, c->vec);
	uint64_t address[PTX_LANES];
	uint8_t *at[PTX_LANES];
	const int e = ptx_reach(w, c, address, at);

	if (e)
		return e;
	for (unsigned k = 0; k < c->vec; k++) {
		const uint32_t *s = ptx_source(w, c, k);
		for (unsigned i = 0; i < PTX_LANES; i++) {
			const uint32_t zero = 0;
			if (!(w->mask >> i & 1))
				continue;
			memcpy(at[i] + 4 * k, &zero, 4);
			memcpy(at[i] + 4 * k, &s[i], bytes_of_word(sizes[i], k));
		}
	}
	return 0;
}

int ptx_async_copy(struct ptx_warp *w, struct ptx_code *c)
{
	return c->inst->op == PTX_LD ? load_part(w, c) : store_part(w, c);
}

/* ---- mbarrier ---- */

/* The next phase, once nothing is missing. */
static uint64_t completed(uint64_t b)
{
	if ((b & ARRIVALS) || (b >> BYTES_AT & BYTES))
		return b;
	return (b ^ PHASE) | (b >> EXPECTED_AT & ARRIVALS);
}

static uint64_t with_bytes(uint64_t b, uint32_t more)
{
	const uint64_t bytes = ((b >> BYTES_AT) + more) & BYTES;
	return (b & ~(BYTES << BYTES_AT)) | bytes << BYTES_AT;
}

/* A barrier's next value; operand: its count or bytes. 0 where fewer arrivals are missing. */
static int step(const struct ptx_inst *x, uint64_t *b, uint32_t operand)
{
	const uint32_t count =
		x->flags & PTX_F_EXPECT || (x->nsrc == 0 && x->op == PTX_MBARRIER) ? 1 : operand;

	switch (x->mode) {
	case PTX_M_INIT:
		*b = (uint64_t)operand << EXPECTED_AT | operand;
		return operand > 0 && operand <= ARRIVALS;
	case PTX_M_INVAL:
		*b = 0;
		return 1;
	case PTX_M_EXPECT_TX:
		*b = with_bytes(*b, operand);
		return 1;
	case PTX_M_COMPLETE_TX:
		*b = completed(with_bytes(*b, 0 - operand));
		return 1;
	default:
		if (count > (*b & ARRIVALS))
			return 0;
		if (x->mode == PTX_M_DROP)
			*b -= (uint64_t)count << EXPECTED_AT;
		if (x->flags & PTX_F_EXPECT)
			*b = with_bytes(*b, operand);
		*b = completed(*b - count);
		return 1;
	}
}

static int arrive(struct ptx_warp *w, const struct ptx_code *c, uint8_t *const at[PTX_LANES])
{
	const struct ptx_inst *x = c->inst;
	const uint32_t *operand = c->ns ? ptx_source(w, c, 0) : NULL;
	uint64_t *d = c->nd ? ptx_destination(w, c, 0) : NULL;

	for (unsigned i = 0; i < PTX_LANES; i++) {
		uint64_t b, was;
		if (!(w->mask >> i & 1))
			continue;
		memcpy(&b, at[i], sizeof(b));
		was = b;
		if (!step(x, &b, operand ? operand[i] : (x->flags & PTX_F_NOINC) != 0))
			return ptx_fault(w, c, i,
				"finds %u arrivals missing, and has a count of %u",
				(unsigned)(was & ARRIVALS), operand ? operand[i] : 1);
		memcpy(at[i], &b, sizeof(b));
		if (d)
			d[i] = was;
	}
	return 0;
}

/* test_wait and try_wait: is the phase of a state, or of a parity, over? 1: not in all lanes. */
static int wait(struct ptx_warp *w, const struct ptx_code *c, uint8_t *const at[PTX_LANES])
{
	const int by_parity = (c->inst->flags & PTX_F_PARITY) != 0;
	const uint64_t *state = ptx_source(w, c, 0);
	const uint32_t *parity = ptx_source(w, c, 0);
	uint32_t over = 0;

	for (unsigned i = 0; i < PTX_LANES; i++) {
		uint64_t b;
		if (!(w->mask >> i & 1))
			continue;
		memcpy(&b, at[i], sizeof(b));
		const unsigned phase = by_parity ? parity[i] & 1 : (unsigned)(state[i] >> 63);
		over |= (uint32_t)((unsigned)(b >> 63) != phase) << i;
	}
	ptx_set_predicate(w, c, 0, over);
	return (over & w->mask) != w->mask;
}

int ptx_mbarrier(struct ptx_warp *w, struct ptx_code *c)
{
	uint64_t address[PTX_LANES];
	uint8_t *at[PTX_LANES];
	const int e = ptx_reach(w, c, address, at);

	if (e)
		return e;
	const int waits = c->inst->mode == PTX_M_TEST_WAIT || c->inst->mode == PTX_M_TRY_WAIT;
	if (!waits && w->cta->races)
		ptx_races_mbarrier(w, 0);
	if (!waits)
		return arrive(w, c, at);
	const int failed = wait(w, c, at);
	if (!failed && w->cta->races)
		ptx_races_mbarrier(w, 1);
	return failed;
}
