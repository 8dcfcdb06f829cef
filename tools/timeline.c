/* The timeline of a replay; see timeline.h. */
#include "tools/timeline.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[TIMELINE_COLUMNS] = {"launch", "cycle", "warps", "warp_insts",
	"thread_insts", "ipc_warp", "ipc_thread", "l1d_accesses", "l1d_misses", "l1d_merges",
	/* and one for each class of cycles: */
	"cycles_issued", "cycles_stall_lsu", "cycles_stall_mshr", "cycles_stall_merge",
	"cycles_stall_line", "cycles_stall_queue", "cycles_stall_unit", "cycles_withheld",
	"cycles_memory", "cycles_sync", "cycles_idle", "cycles_drained", "clock", "sm"};

void timeline_columns(struct column columns[TIMELINE_COLUMNS])
{
	for (unsigned i = 0; i < TIMELINE_COLUMNS; i++)
		columns[i] = (struct column){names[i], SEEN};
}

/* Where the classes of cycles begin, and what comes after them. */
enum { CYCLES = 10, CLOCK = CYCLES + SIM_NCYCLES, SM };

/* Processes and tracks for Perfetto. */
enum { MACHINE = 1, LAUNCHES = 1, FIRST_SM };

static bool is_json(const char *path)
{
	const size_t n = strlen(path);

	return n > 5 && !strcmp(path + n - 5, ".json");
}

void timeline_open(struct timeline *t, const char *path, const char *provenance,
	const struct sim_counter *counters, uint32_t nsms)
{
	static const struct common tsv = {.format = FORMAT_TSV};

	*t = (struct timeline){
		.columns = must_alloc(TIMELINE_COLUMNS + SIM_COUNTERS, sizeof(*t->columns)),
		.json = is_json(path),
		.nsms = nsms,
		.before = must_alloc(nsms ? nsms : 1, sizeof(*t->before)),
		.counters = counters};
	timeline_columns(t->columns);
	t->ncolumns = nsms ? TIMELINE_COLUMNS : SM;
	for (unsigned i = 0; counters[i].name; i++)
		if (counters[i].by_inst == SIM_LEVEL) {
			t->columns[t->ncolumns + t->nlevels] =
				(struct column){counters[i].name, SEEN};
			t->level[t->nlevels++] = i;
		}
	output_open(&t->out, path, false);
	if (t->json) {
		chrome_start(&t->chrome, t->out.f, provenance);
		chrome_process(&t->chrome, MACHINE, "machine");
		chrome_track(&t->chrome, MACHINE, LAUNCHES, "launches");
		for (uint32_t i = 0; i < nsms; i++) {
			char *name = must_printf("SM %" PRIu32, i);

			chrome_process(&t->chrome, FIRST_SM + i, name);
			free(name);
		}
	} else {
		table_start(&t->table, t->out.f, &tsv, provenance, t->columns,
			t->ncolumns + t->nlevels);
	}
}

/* The slice of the launch that has ended, if there is one. */
static void put_launch(struct timeline *t)
{
	if (!t->kernel)
		return;
	chrome_slice(
		&t->chrome, t->kernel, "launch", MACHINE, LAUNCHES, t->base, t->base + t->last);
	chrome_close(&t->chrome, true);
	free(t->kernel);
	t->kernel = NULL;
}

void timeline_launch(struct timeline *t, const char *kernel)
{
	if (t->json) {
		put_launch(t);
		t->kernel = must_printf("%s", kernel);
	}
	t->base += t->last;
	if (t->before) /* without it there is no timeline */
		memset(t->before, 0, (t->nsms ? t->nsms : 1) * sizeof(*t->before));
	t->cycle = t->last = 0;
}

/* Counters stand where their interval begins: columns from..to - 1, as one of several series. */
struct counter {
	const char *name;
	unsigned from, to;
};

static void put_counters(struct timeline *t, const double *values, uint32_t process)
{
	static const struct counter counters[] = {
		{"warps", 2, 3}, {"IPC", 5, 7}, {"L1D", 7, CYCLES}, {"cycles", CYCLES, CLOCK}};

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		const struct counter *c = &counters[i];

		chrome_event(&t->chrome, 'C', c->name, process, 0);
		chrome_at(&t->chrome, t->base + t->cycle);
		chrome_args(&t->chrome);
		for (unsigned k = c->from; k < c->to; k++) {
			chrome_arg(&t->chrome, k == c->from, names[k]);
			fprintf(t->out.f, "%.15g", values[k]);
		}
		chrome_close(&t->chrome, true);
	}
}

/* The mean of one of the policy's levels. */
static double level_of(const struct timeline *t, const struct sim_stats *before,
	const struct sim_stats *now, double cycles, unsigned i)
{
	return (double)(now->policy[t->level[i]] - before->policy[t->level[i]]) / cycles;
}

static void put_levels(struct timeline *t, const struct sim_stats *before,
	const struct sim_stats *now, double cycles, uint32_t process)
{
	if (t->json && t->nlevels) {
		chrome_event(&t->chrome, 'C', "levels", process, 0);
		chrome_at(&t->chrome, t->base + t->cycle);
		chrome_args(&t->chrome);
	}
	for (unsigned i = 0; i < t->nlevels; i++) {
		const double level = level_of(t, before, now, cycles, i);

		if (!t->json) {
			table_real(&t->table, level);
			continue;
		}
		chrome_arg(&t->chrome, i == 0, t->counters[t->level[i]].name);
		fprintf(t->out.f, "%.15g", level);
	}
	if (t->json && t->nlevels)
		chrome_close(&t->chrome, true);
}

static void put_row(struct timeline *t, const double *values)
{
	for (unsigned i = 0; i < t->ncolumns; i++)
		if (i < 2 || i == SM)
			table_id(&t->table, (uint64_t)values[i]);
		else if (i == 5 || i == 6)
			table_real(&t->table, values[i]);
		else
			table_uint(&t->table, (uint64_t)values[i]);
}

void timeline_sample(struct timeline *t, const struct sim_sample *s)
{
	const uint32_t sm = s->sm == SIM_ALL_SMS ? 0 : s->sm;
	const uint32_t process = s->sm == SIM_ALL_SMS ? MACHINE : FIRST_SM + s->sm;
	const struct sim_stats *a = &t->before[sm], *b = s->stats;
	const double cycles = (double)(s->cycle - t->cycle);
	const double warp_insts = (double)(b->warp_insts - a->warp_insts);
	const double thread_insts = (double)(b->thread_insts - a->thread_insts);
	double values[TIMELINE_COLUMNS] = {s->launch, (double)s->cycle, (double)s->warps,
		warp_insts, thread_insts, warp_insts / cycles, thread_insts / cycles,
		(double)(b->l1d.accesses - a->l1d.accesses),
		(double)(b->l1d.misses - a->l1d.misses), (double)(b->l1d.merges - a->l1d.merges)};

	for (unsigned i = 0; i < SIM_NCYCLES; i++)
		values[CYCLES + i] = (double)(b->by_cycle[i] - a->by_cycle[i]);
	values[CLOCK] = (double)(t->base + s->cycle);
	values[SM] = sm;
	if (t->json)
		put_counters(t, values, process);
	else
		put_row(t, values);
	put_levels(t, a, b, cycles, process);
	t->before[sm] = *b;
	t->last = s->cycle;
	if (sm + 1 >= t->nsms)
		t->cycle = s->cycle;
}

void timeline_close(struct timeline *t)
{
	if (t->json) {
		put_launch(t);
		chrome_end(&t->chrome);
	} else {
		table_end(&t->table);
	}
	output_close(&t->out);
	free(t->columns);
	free(t->before);
}
