/* Tags of a member's evicted lines; see vta.h. */
#include "sim/sched/vta.h"
#include <string.h>

static uint32_t hash_of(const struct sim_vta *v, uint64_t line)
{
	return (uint32_t)((line / v->line_bytes * 0x9e3779b97f4a7c15ull) >> 54) % SIM_VTA_HASHES;
}

/* The first entry of the set of a line. */
static size_t set_of(const struct sim_vta *v, uint32_t member, uint64_t line)
{
	const uint32_t sets = v->entries / v->ways;

	return (size_t)member * v->entries + line / v->line_bytes % sets * v->ways;
}

static uint32_t find(const struct sim_vta *v, size_t set, uint64_t line)
{
	uint32_t way = 0;

	while (way < v->ways && !(v->stamps[set + way] && v->tag[set + way] == line))
		way++;
	return way;
}

size_t sim_vta_bytes(uint32_t members, uint32_t entries)
{
	const size_t each = 2 * sizeof(uint64_t) + 1, bytes = members * entries * each;

	return (bytes + 7) / 8 * 8; /* what stands after it is aligned */
}

void sim_vta_init(struct sim_vta *v, void *bytes, uint32_t members, uint32_t entries, uint32_t ways,
	uint32_t line_bytes, enum sim_vta_order order)
{
	*v = (struct sim_vta){.members = members,
		.entries = entries,
		.ways = ways,
		.line_bytes = line_bytes,
		.order = order,
		.tag = bytes};
	v->stamps = v->tag + (size_t)members * entries;
	v->withheld = (uint8_t *)(v->stamps + (size_t)members * entries);
}

void sim_vta_clear(struct sim_vta *v, uint32_t member)
{
	const size_t first = (size_t)member * v->entries;

	for (size_t i = first; i < first + v->entries; i++) {
		if (v->stamps[i])
			v->held[hash_of(v, v->tag[i])]--;
		v->stamps[i] = 0;
	}
}

void sim_vta_insert(struct sim_vta *v, uint32_t member, uint64_t line, int withheld)
{
	const size_t set = set_of(v, member, line);
	uint32_t way = find(v, set, line);

	if (way < v->ways) {
		if (v->order == SIM_VTA_LRU)
			v->stamps[set + way] = ++v->stamp;
		v->withheld[set + way] = (uint8_t)withheld;
		return;
	}
	way = 0;
	for (uint32_t i = 1; i < v->ways; i++)
		if (v->stamps[set + i] < v->stamps[set + way])
			way = i;
	if (v->stamps[set + way])
		v->held[hash_of(v, v->tag[set + way])]--;
	v->tag[set + way] = line;
	v->stamps[set + way] = ++v->stamp;
	v->withheld[set + way] = (uint8_t)withheld;
	v->held[hash_of(v, line)]++;
}

enum sim_vta_answer sim_vta_probe(const struct sim_vta *v, uint32_t member, uint64_t line)
{
	const size_t set = set_of(v, member, line);
	uint32_t way;

	if (!v->held[hash_of(v, line)])
		return SIM_VTA_NONE;
	way = find(v, set, line);
	if (way == v->ways)
		return SIM_VTA_NONE;
	return v->withheld[set + way] ? SIM_VTA_LOST_WITHHELD : SIM_VTA_LOST;
}

void sim_vta_remove(struct sim_vta *v, uint64_t line)
{
	const uint32_t hash = hash_of(v, line);

	for (uint32_t m = 0; m < v->members && v->held[hash]; m++) {
		const size_t set = set_of(v, m, line);
		const uint32_t way = find(v, set, line);

		if (way == v->ways)
			continue;
		v->stamps[set + way] = 0;
		v->held[hash]--;
	}
}
