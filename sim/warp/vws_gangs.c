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
 * its original gang, then by its lowest slice.
 */
static uint64_t rank_of(const struct sim_gang_picker *p, const struct sim_warp *w)
{
	const uint64_t age = w->age * SIM_SLICES + (uint32_t)__builtin_ctz(w->slices);
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

static struct sim_gang_line *line_of(struct sim_gang_picker *p, uint32_t slices)
{
	return slices & (slices - 1) ? &p->gangs_there : &p->singles_there[__builtin_ctz(slices)];
}

static void step_out(struct sim_gang_picker *p, uint32_t slot)
{
	struct sim_gang_line *l = p->slices[slot] ? line_of(p, p->slices[slot]) : NULL;
	uint32_t i = 0;

	p->slices[slot] = 0;
	if (!l)
		return;
	while (l->slot[i] != slot)
		i++;
	memmove(&l->slot[i], &l->slot[i + 1], (--l->n - i) * sizeof(*l->slot));
}

void sim_gang_changed(struct sim_gang_picker *p, const struct sim_warp *w, uint32_t slot)
{
	const uint64_t rank = w->slices ? rank_of(p, w) : 0;
	struct sim_gang_line *l;
	uint32_t i;

	if (p->slices[slot] == w->slices && p->rank[slot] == rank)
		return;
	step_out(p, slot);
	p->slices[slot] = (uint8_t)w->slices;
	p->rank[slot] = rank;
	if (!w->slices)
		return;
	l = line_of(p, w->slices);
	for (i = l->n++; i && p->rank[l->slot[i - 1]] > rank; i--)
		l->slot[i] = l->slot[i - 1];
	l->slot[i] = (uint16_t)slot;
}

/* Does the order of a line change from cycle to cycle? */
static inline int changes(const struct sim_gang_picker *p)
{
	return p->order == SIM_GANG_LRR || p->order == SIM_GANG_LPC;
}

/* The first one in a line that can issue in the slices that are free, or SIM_NO_WARP. */
static inline uint32_t first_in(const struct sim_gang_picker *p, const struct sim_gang_line *l,
	const struct sim_bits *can, uint32_t taken)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (sim_bits_has(can, l->slot[i]) && !(p->slices[l->slot[i]] & taken))
			return l->slot[i];
	return SIM_NO_WARP;
}

/* The same where the order changes; last: who issued last. */
static uint32_t first_now(const struct sim_gang_picker *p, const struct sim_warp *warps,
	const struct sim_gang_line *l, const struct sim_bits *can, uint32_t taken, uint32_t last)
{
	uint32_t first = SIM_NO_WARP, least = UINT32_MAX;

	for (uint32_t i = 0; i < l->n; i++) {
		const uint32_t slot = l->slot[i];
		const uint32_t turn = p->order == SIM_GANG_LRR ? slot - last - 1 : warps[slot].pc;

		if (!sim_bits_has(can, slot) || p->slices[slot] & taken ||
			(turn >= least && first != SIM_NO_WARP))
			continue;
		first = slot;
		least = turn;
	}
	return first;
}

static uint32_t first_gang(const struct sim_gang_picker *p, const struct sim_warp *warps,
	const struct sim_bits *can, uint32_t taken)
{
	const struct sim_gang_line *gangs = &p->gangs_there;
	uint32_t first = changes(p) ? first_now(p, warps, gangs, can, taken, p->round)
				    : first_in(p, gangs, can, taken);
	uint64_t rank = first == SIM_NO_WARP ? 0 : p->rank[first];

	for (uint32_t i = 0; rank && p->order <= SIM_GANG_GTO && i < p->nlast; i++) {
		const uint32_t slot = p->last[i];

		if (slot == SIM_NO_WARP || !sim_bits_has(can, slot) || p->slices[slot] & taken ||
			!sim_is_gang(&warps[slot]) || p->rank[slot] - GREEDY >= rank)
			continue;
		first = slot;
		rank = p->rank[slot] - GREEDY;
	}
	return first;
}

/* The first single warp of a slice: greedy, then by its order. */
static inline uint32_t first_warp(const struct sim_gang_picker *p, const struct sim_warp *warps,
	const struct sim_bits *can, uint32_t slice)
{
	const struct sim_gang_line *l = &p->singles_there[slice];
	const uint32_t last = p->slice_last[slice];

	if (changes(p))
		return first_now(p, warps, l, can, 0, last);
	if (last != SIM_NO_WARP && sim_bits_has(can, last) && p->slices[last] == 1u << slice)
		return last;
	return first_in(p, l, can, 0);
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
