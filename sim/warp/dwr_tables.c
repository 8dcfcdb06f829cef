/* The tables of dynamic warp resizing: DWR IV.D. */
#include "sim/warp/dwr_tables.h"
#include "libtrace/program.h"
#include <string.h>

void sim_ilt_init(struct sim_ilt *t, uint32_t *storage, uint32_t entries, uint32_t ways)
{
	t->ways = ways < entries ? ways : entries;
	t->sets = t->ways ? entries / t->ways : 0;
	t->inst = storage;
	for (uint32_t i = 0; i < t->sets * t->ways; i++)
		t->inst[i] = TR_NONE;
}

static uint32_t *set_of(const struct sim_ilt *t, uint32_t inst)
{
	return t->inst + inst % t->sets * t->ways;
}

/* An instruction comes to the front of its set; those before entry `at` move back. */
static void to_front(uint32_t *set, uint32_t at, uint32_t inst)
{
	memmove(set + 1, set, at * sizeof(*set));
	set[0] = inst;
}

int sim_ilt_has(struct sim_ilt *t, uint32_t inst)
{
	uint32_t *set;

	if (!t->sets)
		return 0;
	set = set_of(t, inst);
	for (uint32_t i = 0; i < t->ways; i++)
		if (set[i] == inst) {
			to_front(set, i, inst);
			return 1;
		}
	return 0;
}

void sim_ilt_put(struct sim_ilt *t, uint32_t inst)
{
	if (t->sets && !sim_ilt_has(t, inst))
		to_front(set_of(t, inst), t->ways - 1, inst);
}

void sim_pst_lock(struct sim_pst *e, struct sim_ilt *ilt, uint32_t inst, uint64_t through)
{
	if (!e->locked)
		e->inst = inst;
	else if (e->inst != inst)
		sim_ilt_put(ilt, inst);
	e->locked++;
	e->through = through;
}
