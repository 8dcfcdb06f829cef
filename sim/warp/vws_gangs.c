/* The gang unit of variable warp sizing; see vws_gangs.h. */
#include "sim/warp/vws_gangs.h"

void sim_original_add(struct sim_original *o, uint32_t slot)
{
	o->piece[o->npieces++] = (uint16_t)slot;
}

void sim_original_remove(struct sim_original *o, uint32_t slot)
{
	uint32_t i = 0;

	while (o->piece[i] != slot)
		i++;
	o->piece[i] = o->piece[--o->npieces];
}

uint32_t sim_gang_groups(
	uint32_t members, const uint32_t pc[SIM_SLICES], uint32_t group[SIM_SLICES])
{
	uint32_t n = 0;

	while (members) {
		const uint32_t at = pc[__builtin_ctz(members)];

		group[n] = 0;
		for (uint32_t m = members; m; m &= m - 1)
			if (pc[__builtin_ctz(m)] == at)
				group[n] |= m & -m;
		members &= ~group[n++];
	}
	return n;
}

/* ---- who goes first ---- */

void sim_gang_picker_init(
	struct sim_gang_picker *p, enum sim_gang_order order, uint32_t gangs, uint32_t slices)
{
	*p = (struct sim_gang_picker){.order = order,
		.gangs = gangs ? gangs : SIM_GANGS_MAX,
		.cycle = SIM_NEVER,
		.all = (1u << slices) - 1,
		.round = SIM_NO_WARP};
	for (uint32_t i = 0; i < SIM_SLICES; i++)
		p->slice_last[i] = SIM_NO_WARP;
}

#define GREEDY (1ull << 59) /* above all ages: so much lower is the rank of one that is greedy */

/*
 * The warp with the lowest rank goes first: by what the order looks at first, then by the age of
 * its original gang, then by its lowest slice. Its slot stands in the last bits.
 */
static uint64_t rank_of(const struct sim_gang_picker *p, const struct sim_warp *w, uint32_t slot)
{
	const uint64_t slice = (uint32_t)__builtin_ctz(w->slices);
	const uint64_t age = (w->age * SIM_SLICES + slice) * SIM_BITS_MAX + slot;
	const uint64_t warps = sim_nslices(w->slices);

	switch (p->order) {
	case SIM_GANG_BGTO:
		return (2 * (SIM_SLICES - warps) + 1) * GREEDY + age;
	case SIM_GANG_GTO:
		return GREEDY + age;
	case SIM_GANG_LGTO:
		return warps * GREEDY + age;
	default:
		return age;
	}
}

static inline uint32_t slot_of(uint64_t rank)
{
	return rank == UINT64_MAX ? SIM_NO_WARP : (uint32_t)(rank % SIM_BITS_MAX);
}

static struct sim_bits *set_of(struct sim_gang_picker *p, uint32_t slices)
{
	return slices & (slices - 1) ? &p->gangs_there : &p->singles_there[__builtin_ctz(slices)];
}

static void step_out(struct sim_gang_picker *p, uint32_t slot)
{
	if (p->slices[slot])
		sim_bits_clear(set_of(p, p->slices[slot]), slot);
	p->slices[slot] = 0;
}

void sim_gang_changed(struct sim_gang_picker *p, const struct sim_warp *w, uint32_t slot)
{
	step_out(p, slot);
	if (!w->slices)
		return;
	p->slices[slot] = (uint8_t)w->slices;
	p->rank[slot] = rank_of(p, w, slot);
	sim_bits_set(set_of(p, w->slices), slot);
}

/* Does the order of a set change from cycle to cycle? */
static inline int changes(const struct sim_gang_picker *p)
{
	return p->order == SIM_GANG_LRR || p->order == SIM_GANG_LPC;
}

/*
 * The lowest rank of a set of those that can issue in the slices that are free; UINT64_MAX: there
 * is none. Few of a set can issue in most cycles, so that it is not kept sorted.
 */
static inline uint64_t lowest(const struct sim_gang_picker *p, const struct sim_bits *set,
	const struct sim_bits *can, uint32_t taken)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t k = 0; k < can->words; k++)
		for (uint64_t m = can->w[k] & set->w[k]; m; m &= m - 1) {
			const uint32_t slot = k * 64 + (uint32_t)__builtin_ctzll(m);
			const uint64_t rank = p->slices[slot] & taken ? UINT64_MAX : p->rank[slot];

			least = rank < least ? rank : least;
		}
	return least;
}

/* The same where something else goes before the rank. last: who issued last. */
static uint64_t next_now(const struct sim_gang_picker *p, const struct sim_warp *warps,
	const struct sim_bits *set, const struct sim_bits *can, uint32_t taken, uint32_t last)
{
	uint64_t first = UINT64_MAX;
	uint32_t least = UINT32_MAX;

	for (uint32_t k = 0; k < can->words; k++)
		for (uint64_t m = can->w[k] & set->w[k]; m; m &= m - 1) {
			const uint32_t slot = k * 64 + (uint32_t)__builtin_ctzll(m);
			const uint32_t turn =
				p->order == SIM_GANG_LRR ? slot - last - 1 : warps[slot].pc;

			if (p->slices[slot] & taken || turn > least ||
				(turn == least && p->rank[slot] > first))
				continue;
			first = p->rank[slot];
			least = turn;
		}
	return first;
}

static uint32_t first_gang(const struct sim_gang_picker *p, const struct sim_warp *warps,
	const struct sim_bits *can, uint32_t taken)
{
	const struct sim_bits *gangs = &p->gangs_there;
	uint64_t first;

	if (changes(p))
		return slot_of(next_now(p, warps, gangs, can, taken, p->round));
	first = lowest(p, gangs, can, taken);
	for (uint32_t i = 0; p->order <= SIM_GANG_GTO && i < p->nlast; i++) {
		const uint32_t slot = p->last[i];

		if (slot == SIM_NO_WARP || !sim_bits_has(can, slot) || p->slices[slot] & taken ||
			!sim_bits_has(gangs, slot))
			continue;
		if (p->rank[slot] - GREEDY < first)
			first = p->rank[slot] - GREEDY;
	}
	return slot_of(first);
}

/* The first single warp of a slice: greedy, then by its order. */
static inline uint32_t first_warp(const struct sim_gang_picker *p, const struct sim_warp *warps,
	const struct sim_bits *can, uint32_t slice)
{
	const struct sim_bits *singles = &p->singles_there[slice];
	const uint32_t last = p->slice_last[slice];

	if (changes(p))
		return slot_of(next_now(p, warps, singles, can, 0, last));
	if (last != SIM_NO_WARP && sim_bits_has(can, last) && sim_bits_has(singles, last))
		return last;
	return slot_of(lowest(p, singles, can, 0));
}

/* Does a gang of all slices go on that was greedy? Then nobody else issues. */
static int goes_on(
	const struct sim_gang_picker *p, const struct sim_warp *warps, const struct sim_bits *can)
{
	return p->order <= SIM_GANG_GTO && p->nlast == 1 && p->last[0] != SIM_NO_WARP &&
	       warps[p->last[0]].slices == p->all && sim_bits_has(can, p->last[0]);
}

uint32_t sim_gang_pick(const struct sim_gang_picker *p, const struct sim_warp *warps,
	const struct sim_bits *can, uint16_t pick[SIM_SLICES])
{
	uint32_t taken = 0, n = 0;

	if (goes_on(p, warps, can)) {
		pick[0] = (uint16_t)p->last[0];
		return 1;
	}
	while (taken != p->all && n < p->gangs && p->order != SIM_GANG_SLICE) {
		const uint32_t slot = first_gang(p, warps, can, taken);

		if (slot == SIM_NO_WARP)
			break;
		taken |= warps[slot].slices;
		pick[n++] = (uint16_t)slot;
	}
	for (uint32_t left = p->all & ~taken; left; left &= left - 1) {
		const uint32_t slot = first_warp(p, warps, can, (uint32_t)__builtin_ctz(left));

		if (slot != SIM_NO_WARP)
			pick[n++] = (uint16_t)slot;
	}
	return n;
}

void sim_gang_greedy(struct sim_gang_picker *p, uint32_t slot, uint64_t now)
{
	if (p->cycle != now)
		p->nlast = 0;
	p->cycle = now;
	if (p->nlast < SIM_GANGS_MAX) /* without a limit on issue there are more */
		p->last[p->nlast++] = slot;
	p->round = slot;
}

void sim_gang_left(struct sim_gang_picker *p, uint32_t slot)
{
	step_out(p, slot);
	for (uint32_t i = 0; i < p->nlast; i++)
		if (p->last[i] == slot)
			p->last[i] = SIM_NO_WARP;
	for (uint32_t i = 0; i < SIM_SLICES; i++)
		if (p->slice_last[i] == slot)
			p->slice_last[i] = SIM_NO_WARP;
}
