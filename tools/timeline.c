/* The timeline of a replay; see timeline.h. */
#include "tools/timeline.h"
#include <stdlib.h>

static const char *const names[] = {"launch", "cycle", "warps", "warp_insts", "thread_insts",
	"ipc_warp", "ipc_thread", "l1d_accesses", "l1d_misses", "l1d_merges"};
#define NAMES (sizeof(names) / sizeof(names[0]))
#define COLUMNS ((unsigned)NAMES + SIM_NCYCLES) /* and one for each class of cycles */

void timeline_open(struct timeline *t, const char *path, const char *provenance)
{
	*t = (struct timeline){.columns = must_alloc(COLUMNS, sizeof(*t->columns))};
	for (unsigned i = 0; i < COLUMNS; i++)
		t->columns[i].name = i < NAMES
					     ? must_printf("%s", names[i])
					     : must_printf("cycles_%s",
						       sim_cycle_name((enum sim_cycle)(i - NAMES)));
	output_open(&t->out, path, false);
	table_start(&t->table, t->out.f, FORMAT_TSV, provenance, t->columns, COLUMNS);
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
	for (unsigned i = 0; i < COLUMNS; i++)
		free((char *)t->columns[i].name);
	free(t->columns);
}
