/* The timeline of a replay; see timeline.h. */
#include "tools/timeline.h"
#include <stdlib.h>

static const char *const names[TIMELINE_COLUMNS] = {"launch", "cycle", "warps", "warp_insts",
	"thread_insts", "ipc_warp", "ipc_thread", "l1d_accesses", "l1d_misses", "l1d_merges",
	/* and one for each class of cycles: */
	"cycles_issued", "cycles_stall_lsu", "cycles_stall_mshr", "cycles_stall_merge",
	"cycles_stall_line", "cycles_stall_queue", "cycles_stall_unit", "cycles_withheld",
	"cycles_memory", "cycles_sync", "cycles_idle", "cycles_drained"};

void timeline_columns(struct column columns[TIMELINE_COLUMNS])
{
	for (unsigned i = 0; i < TIMELINE_COLUMNS; i++)
		columns[i] = (struct column){names[i], SEEN};
}

void timeline_open(struct timeline *t, const char *path, const char *provenance)
{
	static const struct common tsv = {.format = FORMAT_TSV};

	*t = (struct timeline){.columns = must_alloc(TIMELINE_COLUMNS, sizeof(*t->columns))};
	timeline_columns(t->columns);
	output_open(&t->out, path, false);
	table_start(&t->table, t->out.f, &tsv, provenance, t->columns, TIMELINE_COLUMNS);
}

void timeline_launch(struct timeline *t)
{
	t->before = (struct sim_stats){0};
	t->cycle = 0;
}

void timeline_sample(struct timeline *t, const struct sim_sample *s)
{
	const struct sim_stats *a = &t->before, *b = s->stats;
	const double cycles = (double)(s->cycle - t->cycle);

	table_id(&t->table, s->launch);
	table_id(&t->table, s->cycle);
	table_uint(&t->table, s->warps);
	table_uint(&t->table, b->warp_insts - a->warp_insts);
	table_uint(&t->table, b->thread_insts - a->thread_insts);
	table_real(&t->table, (double)(b->warp_insts - a->warp_insts) / cycles);
	table_real(&t->table, (double)(b->thread_insts - a->thread_insts) / cycles);
	table_uint(&t->table, b->l1d.accesses - a->l1d.accesses);
	table_uint(&t->table, b->l1d.misses - a->l1d.misses);
	table_uint(&t->table, b->l1d.merges - a->l1d.merges);
	for (unsigned i = 0; i < SIM_NCYCLES; i++)
		table_uint(&t->table, b->by_cycle[i] - a->by_cycle[i]);
	t->before = *b;
	t->cycle = s->cycle;
}

void timeline_close(struct timeline *t)
{
	table_end(&t->table);
	output_close(&t->out);
	free(t->columns);
}
