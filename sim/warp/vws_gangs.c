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

void sim_gang_picker_init(struct sim_gang_picker *p, enum sim_gang_order order, uint32_t gangs,
	uint32_t slots, uint32_t slices)
{
	*p = (struct sim_gang_picker){.order = order,
		.gangs = gangs ? gangs : SIM_GANGS_MAX,
		.cycle = SIM_NEVER,
		.all = (1u << slices) - 1,
		.round = SIM_NO_WARP};
	for (uint32_t i = 0; i < SIM_SLICES; i++)
		p->slice_last[i] = SIM_NO_WARP;
	sim_bits_init(&p->gangs_there, slots);
	for (uint32_t i = 0; i < SIM_SLICES; i++)
		sim_bits_init(&p->singles_there[i], slots);
}

void sim_gang_stands(struct sim_gang_picker *p, const struct sim_warp *w, uint32_t slot)
{
	sim_bits_clear(&p->gangs_there, slot);
	for (uint32_t m = p->all; m; m &= m - 1)
		sim_bits_clear(&p->singles_there[__builtin_ctz(m)], slot);
	if (sim_is_gang(w))
		sim_bits_set(&p->gangs_there, slot);
	else if (w->slices)
		sim_bits_set(&p->singles_there[__builtin_ctz(w->slices)], slot);
}

/* The lower one goes first; of equals the older original gang, then the lowest slice. */
struct rank {
	uint64_t first, second;
};

static inline uint64_t by_age(const struct sim_warp *w)
{
	return w->age * SIM_SLICES + (uint32_t)__builtin_ctz(w->slices);
}

/* Is a warp before the least rank so far? Then its rank is the least. */
static inline int before(struct rank *least, uint64_t first, uint64_t second)
{
	if (first > least->first || (first == least->first && second >= least->second))
		return 0;
	*least = (struct rank){first, second};
	return 1;
}

static int issued_last(const struct sim_gang_picker *p, uint32_t slot)
{
	for (uint32_t i = 0; i < p->nlast; i++)
		if (p->last[i] == slot)
			return 1;
	return 0;
}

static inline int gang_before(const struct sim_gang_picker *p, const struct sim_warp *w,
	uint32_t slot, struct rank *least)
{
	const uint32_t warps = sim_nslices(w->slices);

	switch (p->order) {
	case SIM_GANG_GTO:
		return before(least, !issued_last(p, slot), by_age(w));
	case SIM_GANG_LRR:
		return before(least, (uint32_t)(slot - p->round - 1), 0);
	case SIM_GANG_LPC:
		return before(least, w->pc, by_age(w));
	case SIM_GANG_LGTO:
		return before(least, warps, by_age(w));
	default:
		return before(least, 2 * (SIM_SLICES - warps) + !issued_last(p, slot), by_age(w));
	}
}

static inline int warp_before(const struct sim_gang_picker *p, const struct sim_warp *w,
	uint32_t slot, uint32_t slice, struct rank *least)
{
	switch (p->order) {
	case SIM_GANG_LRR:
		return before(least, (uint32_t)(slot - p->slice_last[slice] - 1), 0);
	case SIM_GANG_LPC:
		return before(least, w->pc, by_age(w));
	default:
		return before(least, p->slice_last[slice] != slot, by_age(w));
	}
}

#define EACH(set, of, slot)                                                                        \
	for (uint32_t k_ = 0; k_ < (set)->words; k_++)                                             \
		for (uint64_t m_ = (set)->w[k_] & (of)->w[k_];                                     \
			m_ && ((slot) = k_ * 64 + (uint32_t)__builtin_ctzll(m_), 1); m_ &= m_ - 1)

/* The first of the gangs that can issue in the slices that are free, or SIM_NO_WARP. */
static uint32_t first_gang(const struct sim_gang_picker *p, const struct sim_warp *warps,
	const struct sim_bits *can, uint32_t taken)
{
	uint32_t best = SIM_NO_WARP, slot;
	struct rank least = {UINT64_MAX, UINT64_MAX};

	EACH(can, &p->gangs_there, slot)
	{
		const struct sim_warp *w = &warps[slot];

		if (!(w->slices & taken) && gang_before(p, w, slot, &least))
			best = slot;
	}
	return best;
}

/* The first single warp of a slice, or SIM_NO_WARP: greedy, then by its order. */
static uint32_t first_warp(const struct sim_gang_picker *p, const struct sim_warp *warps,
	const struct sim_bits *can, uint32_t slice)
{
	const uint32_t last = p->slice_last[slice];
	struct rank least = {UINT64_MAX, UINT64_MAX};
	uint32_t best = SIM_NO_WARP, slot;

	if (p->order != SIM_GANG_LRR && p->order != SIM_GANG_LPC && last != SIM_NO_WARP &&
		sim_bits_has(can, last) && sim_bits_has(&p->singles_there[slice], last))
		return last;
	EACH(can, &p->singles_there[slice], slot)
	{
		if (warp_before(p, &warps[slot], slot, slice, &least))
			best = slot;
	}
	return best;
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

void sim_gang_issued(
	struct sim_gang_picker *p, const struct sim_warp *warps, uint32_t slot, uint64_t now)
{
	if (!sim_is_gang(&warps[slot])) {
		p->slice_last[__builtin_ctz(warps[slot].slices)] = slot;
		return;
	}
	if (p->cycle != now)
		p->nlast = 0;
	p->cycle = now;
	if (p->nlast < SIM_GANGS_MAX) /* without a limit on issue there are more */
		p->last[p->nlast++] = slot;
	p->round = slot;
}

void sim_gang_left(struct sim_gang_picker *p, uint32_t slot)
{
	for (uint32_t i = 0; i < p->nlast; i++)
		if (p->last[i] == slot)
			p->last[i] = SIM_NO_WARP;
	for (uint32_t i = 0; i < SIM_SLICES; i++)
		if (p->slice_last[i] == slot)
			p->slice_last[i] = SIM_NO_WARP;
}
