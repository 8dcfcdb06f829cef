/* The warp LUT: PC to warp. */
#include "sim/warp/dwf_lut.h"

size_t sim_dwf_lut_bytes(uint32_t entries, uint32_t n)
{
	return entries ? entries * sizeof(struct sim_dwf_entry) : 3 * n * sizeof(uint32_t);
}

void sim_dwf_lut_init(
	struct sim_dwf_lut *lut, void *storage, uint32_t entries, uint32_t ways, uint32_t n)
{
	*lut = (struct sim_dwf_lut){0};
	if (entries) {
		lut->ways = ways < entries ? ways : entries;
		lut->sets = entries / lut->ways;
		lut->entry = storage;
		for (uint32_t i = 0; i < entries; i++)
			lut->entry[i] = (struct sim_dwf_entry){.pc = TR_NONE};
		return;
	}
	lut->buckets = n;
	lut->head = storage;
	lut->next = lut->head + n;
	lut->pc = lut->next + n;
	for (uint32_t i = 0; i < n; i++)
		lut->head[i] = lut->pc[i] = TR_NONE;
}

/* The entry of a PC, or the one that makes room for it. */
static struct sim_dwf_entry *entry_of(struct sim_dwf_lut *lut, uint32_t pc)
{
	struct sim_dwf_entry *set = lut->entry + (size_t)(pc % lut->sets) * lut->ways;
	struct sim_dwf_entry *oldest = set;

	for (struct sim_dwf_entry *e = set; e < set + lut->ways; e++) {
		if (e->pc == pc)
			return e;
		if (e->used < oldest->used)
			oldest = e;
	}
	return oldest;
}

/* The link to a PC's warp, or the one at the end of its list. */
static uint32_t *link_of(struct sim_dwf_lut *lut, uint32_t pc)
{
	uint32_t *link = &lut->head[pc % lut->buckets];

	while (*link != TR_NONE && lut->pc[*link] != pc)
		link = &lut->next[*link];
	return link;
}

static void unlink_pc(struct sim_dwf_lut *lut, uint32_t pc)
{
	uint32_t *link = link_of(lut, pc);

	if (*link == TR_NONE)
		return;
	lut->pc[*link] = TR_NONE;
	*link = lut->next[*link];
}

uint32_t sim_dwf_lut_find(struct sim_dwf_lut *lut, uint32_t pc)
{
	struct sim_dwf_entry *e;

	if (!lut->sets)
		return *link_of(lut, pc);
	e = entry_of(lut, pc);
	if (e->pc != pc)
		return SIM_NO_WARP;
	e->used = ++lut->clock;
	return e->warp;
}

void sim_dwf_lut_put(struct sim_dwf_lut *lut, uint32_t pc, uint32_t warp)
{
	uint32_t *head;

	if (lut->sets) {
		*entry_of(lut, pc) = (struct sim_dwf_entry){pc, warp, ++lut->clock};
		return;
	}
	if (lut->pc[warp] != TR_NONE)
		unlink_pc(lut, lut->pc[warp]);
	unlink_pc(lut, pc);
	head = &lut->head[pc % lut->buckets];
	lut->pc[warp] = pc;
	lut->next[warp] = *head;
	*head = warp;
}
