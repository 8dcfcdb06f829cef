/* Accesses of memory instructions; see requests.h. */
#include "sim/access/requests.h"
#include <string.h>

static void append(struct sim_requests *r, const struct sim_coalescer *c,
	const struct sim_transaction *t, const struct tr_access *shared, enum tr_space space)
{
	struct tr_access *a = &r->access[r->n];

	*a = *shared;
	a->line = t->base & ~(uint64_t)(c->line_bytes - 1);
	memcpy(a->lanes, t->lanes, sizeof(a->lanes));
	a->sectors = t->sectors;
	a->bytes = t->bytes;
	a->space = (uint8_t)space;
	a->first = !r->n++;
}

static void coalesce(struct sim_requests *r, const struct sim_coalescer *c, unsigned warp_size,
	uint64_t lanes, const uint64_t *address, unsigned bytes, enum tr_space space,
	const struct tr_access *shared)
{
	struct sim_transaction t[SIM_TRANSACTIONS_MAX];
	const unsigned n =
		sim_coalesce(c, warp_size, &lanes, address, bytes, t, SIM_TRANSACTIONS_MAX);

	for (unsigned i = 0; i < n; i++)
		append(r, c, &t[i], shared, space);
}

/* Lanes that are coalesced together. */
static unsigned group_of(const struct tr_access *a, unsigned width)
{
	return (unsigned)__builtin_ctzll(a->lanes[0]) / width;
}

/*
 * Another word of the same lines is no other access, where lines are what is fetched. Words that
 * are not aligned overlap those of other threads, and no line has more bytes than its own.
 */
static void merge(struct sim_requests *r, const struct sim_coalescer *c, unsigned warp_size,
	unsigned first, unsigned second)
{
	const unsigned width = c->width ? c->width : warp_size;
	unsigned kept = second;

	for (unsigned i = second; i < r->n; i++) {
		unsigned k = first;

		while (k < second &&
			(r->access[k].line != r->access[i].line ||
				group_of(&r->access[k], width) != group_of(&r->access[i], width)))
			k++;
		if (k == second) {
			r->access[kept++] = r->access[i];
			continue;
		}
		r->access[k].lanes[0] |= r->access[i].lanes[0];
		r->access[k].sectors |= r->access[i].sectors;
		r->access[k].bytes = (uint16_t)(r->access[k].bytes + r->access[i].bytes);
		if (r->access[k].bytes > c->line_bytes)
			r->access[k].bytes = (uint16_t)c->line_bytes;
	}
	r->n = kept;
}

/* A line's tag is looked up once; by sectors, each that is touched is a transaction of its own. */
static void count_transactions(struct sim_requests *r, const struct sim_coalescer *c)
{
	r->all_transactions = 0;
	for (unsigned i = 0; i < r->n; i++) {
		const struct tr_access *a = &r->access[i];
		const unsigned n =
			c->rule == SIM_SECTOR32 ? (unsigned)__builtin_popcount(a->sectors) : 1;

		r->transactions[a->space] += n;
		r->all_transactions += n;
	}
}

/* Word by word, since a thread's next word is not beside the one before. */
static void coalesce_local(struct sim_requests *r, const struct sim_coalescer *c,
	unsigned warp_size, uint64_t lanes, const struct sim_warp_access *w, unsigned bytes,
	const struct tr_access *shared)
{
	const unsigned first = r->n, step = sim_local_step(bytes);
	uint64_t address[SIM_WARPS_LANES_MAX];

	for (unsigned at = 0; at < bytes; at += step) {
		const unsigned before = r->n;

		for (uint64_t left = lanes; left; left &= left - 1) {
			const unsigned l = (unsigned)__builtin_ctzll(left);

			address[l] = sim_local_address(w->sm, w->thread_slots, w->thread_slot + l,
				(w->address[l] & (TR_WINDOW_BYTES - 1)) + at);
		}
		coalesce(r, c, warp_size, lanes, address, step, TR_S_LOCAL, shared);
		if (c->rule == SIM_CC2 || c->rule == SIM_SECTOR32)
			merge(r, c, warp_size, first, before);
	}
}

static enum tr_access_op operation(const struct tr_inst *in)
{
	return in->cls == TR_C_ATOMIC  ? TR_A_ATOMIC
	       : in->cls == TR_C_STORE ? TR_A_WRITE
				       : TR_A_READ;
}

void sim_requests_make(struct sim_requests *r, const struct sim_coalescer *c, unsigned warp_size,
	const struct tr_inst *in, const struct sim_warp_access *w)
{
	const unsigned bytes = (unsigned)in->bytes * in->vec;
	const struct tr_access shared = {
		.warp_insts = w->warp_insts,
		.thread_insts = w->thread_insts,
		.sm = w->sm,
		.cta = w->cta,
		.warp = w->warp,
		.inst = w->inst,
		.loop = w->loop,
		.trip = w->trip,
		.op = (uint8_t)operation(in),
		.active = (uint8_t)(__builtin_popcountll(w->lanes) - 1),
	};
	uint64_t lanes[TR_NSPACES] = {0};

	if (in->space != TR_S_GENERIC)
		lanes[in->space] = w->lanes;
	else
		for (uint64_t left = w->lanes; left; left &= left - 1)
			lanes[tr_space_of(TR_S_GENERIC, w->address[__builtin_ctzll(left)])] |=
				left & -left;
	r->n = 0;
	for (unsigned s = 0; s < TR_NSPACES; s++) {
		r->transactions[s] = 0;
		r->lanes[s] = lanes[s] ? (unsigned)__builtin_popcountll(lanes[s]) : 0;
		if (!lanes[s] || !sim_leaves_sm((enum tr_space)s))
			continue;
		if (s == TR_S_LOCAL)
			coalesce_local(r, c, warp_size, lanes[s], w, bytes, &shared);
		else
			coalesce(r, c, warp_size, lanes[s], w->address, bytes, (enum tr_space)s,
				&shared);
	}
	count_transactions(r, c);
}

void an_requests_count(struct an_requests *a, unsigned lanes, unsigned transactions)
{
	unsigned class = 0;

	a->insts++;
	a->thread_insts += lanes;
	a->transactions += transactions;
	while (class + 1 < AN_TX_CLASSES && transactions > 1u << class)
		class ++;
	if (transactions)
		a->classes[class]++;
}

void an_requests_add(struct an_requests *sum, const struct an_requests *a)
{
	sum->insts += a->insts;
	sum->thread_insts += a->thread_insts;
	sum->transactions += a->transactions;
	for (unsigned k = 0; k < AN_TX_CLASSES; k++)
		sum->classes[k] += a->classes[k];
}
