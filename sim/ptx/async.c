/*
 * Copies that a thread does not wait for, and barriers in shared memory that count arrivals.
 *
 * A cp.async is two instructions here, a load and a store; both are done at once, which is one of
 * the orders that PTX allows. Where a copy has the size of its source, the load reads so many bytes
 * and the store writes zeros after them.
 *
 * An mbarrier's 64 bits are, as nothing but its own instructions may look at them: from bit 0
 * arrivals that are missing, from bit 20 those of a phase, from bit 40 bytes that are expected
 * (signed), bit 63 the phase. A state is these bits before the arrival.
 *
 * A warp is held back before a wait until its phase is over in all of its lanes: no run has to have
 * waits that fail, so a record has none, whatever turns warps had. Only where no warp of a cluster
 * can go on without it, a wait fails (launch.c): of a kernel that asks one barrier after the other,
 * say.
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

/* A generic address may lead elsewhere: 0, or TR_ERUN where a lane's is of no shared memory. */
static int check_shared(struct ptx_warp *w, const struct ptx_code *c,
	const uint64_t address[PTX_LANES], uint8_t *const at[PTX_LANES])
{
	for (unsigned i = 0; i < PTX_LANES; i++)
		if ((w->mask >> i & 1) && !ptx_shared_owner(w->cta, at[i]))
			return ptx_fault(w, c, i,
				"is for barriers in shared memory, where 0x%" PRIx64 " is not",
				address[i]);
	return 0;
}

/* How many phases of the barrier at a host pointer have ended; the place of that number. */
static uint32_t *phases_at(const struct ptx_warp *w, const uint8_t *at)
{
	const struct ptx_cta *owner = ptx_shared_owner(w->cta, at);

	return &owner->phases[(size_t)(at - owner->shared) / 8];
}

static void count_phase(
	const struct ptx_warp *w, const struct ptx_inst *x, const uint8_t *at, uint64_t changed)
{
	if (x->mode == PTX_M_INIT)
		*phases_at(w, at) = 0;
	else if (changed & PHASE)
		++*phases_at(w, at);
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
		count_phase(w, x, at[i], b ^ was);
		if (d)
			d[i] = was;
	}
	return 0;
}

static int is_wait(const struct ptx_inst *x)
{
	return x->mode == PTX_M_TEST_WAIT || x->mode == PTX_M_TRY_WAIT;
}

/* The phase that a lane waits for, by its state or its parity. */
static unsigned phase_of(const struct ptx_warp *w, const struct ptx_code *c, unsigned lane)
{
	return c->inst->flags & PTX_F_PARITY
		       ? ((const uint32_t *)ptx_source(w, c, 0))[lane] & 1
		       : (unsigned)(((const uint64_t *)ptx_source(w, c, 0))[lane] >> 63);
}

/* test_wait and try_wait: the lanes whose phase is over. */
static uint32_t over(
	const struct ptx_warp *w, const struct ptx_code *c, uint8_t *const at[PTX_LANES])
{
	uint32_t lanes = 0;

	for (unsigned i = 0; i < PTX_LANES; i++) {
		uint64_t b;
		if (!(w->mask >> i & 1))
			continue;
		memcpy(&b, at[i], sizeof(b));
		lanes |= (uint32_t)((unsigned)(b >> 63) != phase_of(w, c, i)) << i;
	}
	return lanes;
}

int ptx_operand(struct ptx_warp *w, struct ptx_code *c, uint64_t value[PTX_LANES])
{
	struct ptx_code *op = c + 1;
	uint64_t address[PTX_LANES];
	uint8_t *at[PTX_LANES];
	uint32_t ended = PTX_ALL_LANES;

	if (is_wait(op->inst)) {
		int e = w->cta->run->ops->locate(w, op, address, at);
		if (e || (e = check_shared(w, op, address, at)))
			return e;
		ended = over(w, op, at);
		if ((w->mask & ~ended) && !w->may_fail) {
			w->state = PTX_HELD;
			w->waits = op;
			return 1;
		}
		w->may_fail = 0;
	}
	for (unsigned i = 0; i < PTX_LANES; i++) {
		if (!is_wait(op->inst)) {
			value[i] = ((const uint32_t *)ptx_source(w, c, 0))[i];
			continue;
		}
		if (!(w->mask >> i & 1))
			continue;
		const uint32_t failed = !(ended >> i & 1);
		value[i] = ((uint64_t)*phases_at(w, at[i]) + failed) << TR_MBAR_PHASES_AT | failed;
	}
	return 0;
}

/* The wait that holds the path at hand, with the lanes that wait in w->mask. */
static struct ptx_code *held_at(
	struct ptx_warp *w, uint64_t address[PTX_LANES], uint8_t *at[PTX_LANES], int *e)
{
	struct ptx_code *op = (struct ptx_code *)w->waits;

	w->active = warp_stack_mask(&w->stack);
	w->mask = ptx_guarded(w, op);
	*e = w->cta->run->ops->locate(w, op, address, at);
	return op;
}

int ptx_mbarrier_over(struct ptx_warp *w)
{
	uint64_t address[PTX_LANES];
	uint8_t *at[PTX_LANES];
	int e;
	const struct ptx_code *op = held_at(w, address, at, &e);

	return e || !(w->mask & ~over(w, op, at)); /* what is wrong shows as it goes on */
}

int ptx_mbarrier_stuck(struct ptx_warp *w)
{
	uint64_t address[PTX_LANES], b;
	uint8_t *at[PTX_LANES];
	unsigned lane;
	int e;
	const struct ptx_code *op = held_at(w, address, at, &e);

	if (e)
		return e;
	lane = (unsigned)__builtin_ctz(w->mask & ~over(w, op, at));
	memcpy(&b, at[lane], sizeof(b));
	return ptx_fault(w, op, lane,
		"waits for the end of phase %u of the barrier at 0x%" PRIx64
		", which never comes: %u arrivals and %" PRId64
		" bytes are missing, and every other thread of the %s waits or has exited",
		phase_of(w, op, lane), address[lane], (unsigned)(b & ARRIVALS),
		(int64_t)(b << 1) >> (BYTES_AT + 1), /* the phase's bit stands above them */
		w->cta->run->cluster_ctas > 1 ? "cluster" : "CTA");
}

int ptx_mbarrier(struct ptx_warp *w, struct ptx_code *c)
{
	uint64_t address[PTX_LANES];
	uint8_t *at[PTX_LANES];
	int e = ptx_reach(w, c, address, at);

	if (e || (e = check_shared(w, c, address, at)))
		return e;
	if (!is_wait(c->inst)) {
		if (w->cta->races)
			ptx_races_mbarrier(w, 0);
		w->cta->cluster->failed = 0;
		return arrive(w, c, at);
	}
	const uint32_t lanes = over(w, c, at);
	ptx_set_predicate(w, c, 0, lanes);
	if (w->mask & ~lanes)
		return 0;
	w->cta->cluster->failed = 0;
	if (w->cta->races)
		ptx_races_mbarrier(w, 1);
	return 0;
}
