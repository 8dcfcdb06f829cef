/*
 * Dynamic thread block launch (Wang et al., ISCA 2015, section 4): blocks that a thread launches
 * join a kernel that is in the kernel distributor, if that has the same code and the same blocks,
 * as an aggregated group. Groups of a kernel are a list through the aggregated group table (AGT):
 * NAGEI its first, LAGEI its last one (figure 5). One that matches no kernel is a kernel of
 * its own, as under CDP (cdp.c).
 *
 * Streams need not be made, and take no time. The search of the distributor goes on beside the
 * parameters' allocation, and counts where it takes longer.
 *
 * A group whose entry in the AGT is taken has its description in memory, which is read before its
 * first block. That takes a fixed time here (launch.overflow), not one by the traffic of the
 * moment, and as many are read at a time as there are SMs to give blocks to: the next ones of the
 * list.
 */
#include "sim/launch/kmu.h"
#include <stdlib.h>

struct dtbl {
	struct sim_kmu kmu;
	uint32_t *agt; /* the group in each entry, or TR_NONE */
	uint32_t size;
	uint32_t *entry;   /* of each group: its entry, or TR_NONE: in memory */
	uint64_t *fetched; /* and when its description is there; UINT64_MAX: nobody reads it */
	uint32_t cap;
};

static int begin(
	struct dtbl *d, const struct sim_launching *l, int ideal, uint64_t now, struct tr_err *err)
{
	const uint32_t n = l->family->n;

	if (!d->agt) {
		d->size = l->config->launch.agt;
		d->agt = malloc(d->size * sizeof(*d->agt));
	}
	if (n > d->cap) {
		free(d->entry);
		free(d->fetched);
		d->entry = malloc(n * sizeof(*d->entry));
		d->fetched = malloc(n * sizeof(*d->fetched));
		d->cap = d->entry && d->fetched ? n : 0;
	}
	if (!d->agt || !d->cap)
		return tr_fail(err, TR_EMEM, 0, "no memory for the launcher of %u launches", n);
	for (uint32_t i = 0; i < d->size; i++)
		d->agt[i] = TR_NONE;
	for (uint32_t i = 0; i < n; i++) {
		d->entry[i] = TR_NONE;
		d->fetched[i] = 0;
	}
	return sim_kmu_start(&d->kmu, l, ideal, now, err);
}

static int start(void *state, const struct sim_launching *l, uint64_t now, struct tr_err *err)
{
	return begin(state, l, 0, now, err);
}

static int start_ideal(void *state, const struct sim_launching *l, uint64_t now, struct tr_err *err)
{
	return begin(state, l, 1, now, err);
}

/* A kernel in the distributor that the blocks could join: its entry, or TR_NONE (4.2). */
static uint32_t match(const struct dtbl *d, uint32_t kernel)
{
	const struct sim_kernel *all = d->kmu.at.family->kernels, *x = &all[kernel];

	if (x->launch.after != TR_NONE && x->launch.after == x->launch.parent_launch)
		return TR_NONE; /* a tail launch: it waits for its grid */
	for (uint32_t e = 0; e < d->kmu.nkdes; e++) {
		const struct sim_kernel *y;

		if (d->kmu.kdes[e].kernel == TR_NONE)
			continue;
		y = &all[d->kmu.kdes[e].kernel];
		if (y->program == x->program && y->launch.block[0] == x->launch.block[0] &&
			y->launch.block[1] == x->launch.block[1] &&
			y->launch.block[2] == x->launch.block[2] &&
			y->launch.shared_bytes == x->launch.shared_bytes)
			return e;
	}
	return TR_NONE;
}

/* Descriptions in memory are read, of the groups that come next. */
static void read_ahead(struct dtbl *d, uint64_t now)
{
	const struct sim_kmu *k = &d->kmu;
	uint32_t group = k->fcfs == TR_NONE ? TR_NONE : k->kdes[k->fcfs].first;

	for (uint32_t i = 0; i < k->at.config->sm.sms && group != TR_NONE; i++) {
		if (d->fetched[group] == UINT64_MAX)
			d->fetched[group] = now + k->latency.overflow;
		group = k->grids[group].next;
	}
}

/* The group joins the kernel of an entry; slot: of its thread on the SM. */
static void join(struct dtbl *d, uint32_t kernel, uint32_t kde, uint32_t slot)
{
	struct sim_kmu *k = &d->kmu;
	struct sim_grid_at *g = &k->grids[kernel];
	struct sim_kernel *x = &k->at.family->kernels[kernel];
	struct sim_kde *e = &k->kdes[kde];
	const uint32_t at = slot & (d->size - 1);

	x->is_group = 1;
	k->at.stats->matched++;
	if (d->agt[at] == TR_NONE) {
		d->agt[at] = kernel;
		d->entry[kernel] = at;
	} else {
		x->overflowed = 1;
		d->fetched[kernel] = UINT64_MAX;
		k->at.stats->overflows++;
	}
	g->state = SIM_G_HERE;
	g->kde = kde;
	g->next = TR_NONE;
	if (e->first == TR_NONE)
		e->first = kernel;
	else
		k->grids[e->last].next = kernel;
	e->last = kernel;
	sim_kde_mark(k, kde);
}

/*
 * Launches: those that match join at once, the others are kernels. The warp waits for a search that
 * takes longer than the parameters did, and for nothing else: table 3 has the latency of
 * cudaLaunchDevice for CDP alone. Kernels still take the way to the distributor.
 */
static uint64_t launch(struct dtbl *d, const struct sim_call *c, uint64_t now)
{
	struct sim_kmu *k = &d->kmu;
	const uint64_t searched = (uint64_t)k->latency.search * k->nkdes;
	const uint64_t allocated = sim_kmu_latency(k, TR_API_BUFFER, c->n);
	const uint64_t until = now + (searched > allocated ? searched - allocated : 0);

	for (uint32_t i = 0; i < c->n; i++) {
		const uint32_t kernel = sim_family_find(k->at.family, (uint32_t)c->value[i]);
		uint32_t kde;

		if (kernel == TR_NONE)
			continue;
		sim_kmu_called(k, kernel, now);
		kde = match(d, kernel);
		if (kde == TR_NONE)
			sim_kmu_queue(k, kernel, until);
		else if (k->grids[kernel].left)
			join(d, kernel, kde, c->slot[i]);
		else
			k->grids[kernel].state = SIM_G_ENDED;
	}
	read_ahead(d, now);
	return until;
}

static uint64_t call(void *state, const struct sim_call *c, uint64_t now)
{
	struct dtbl *d = state;

	if (c->kind == TR_API_LAUNCH)
		return launch(d, c, now);
	return c->kind == TR_API_STREAM ? now : now + sim_kmu_latency(&d->kmu, c->kind, c->n);
}

static void run(void *state, uint64_t now)
{
	struct dtbl *d = state;

	sim_kmu_run(&d->kmu, now);
	read_ahead(d, now);
}

static int offer(void *state, uint32_t *kernel, uint64_t now)
{
	struct dtbl *d = state;

	return sim_kmu_offer(&d->kmu, kernel) && d->fetched[*kernel] <= now;
}

static void placed(void *state, uint32_t kernel, uint64_t now)
{
	sim_kmu_placed(state, kernel, now);
	read_ahead(state, now);
}

static void ended(void *state, uint32_t kernel, uint64_t now)
{
	struct dtbl *d = state;

	sim_kmu_ended(&d->kmu, kernel, now);
	if (d->kmu.grids[kernel].state == SIM_G_ENDED && d->entry[kernel] != TR_NONE) {
		d->agt[d->entry[kernel]] = TR_NONE;
		d->entry[kernel] = TR_NONE;
	}
}

static uint64_t until(void *state, uint64_t now)
{
	struct dtbl *d = state;
	const uint64_t next = sim_kmu_until(&d->kmu, now);
	uint32_t kernel;

	if (!sim_kmu_offer(&d->kmu, &kernel) || d->fetched[kernel] <= now ||
		d->fetched[kernel] > next)
		return next;
	return d->fetched[kernel];
}

static void freed(void *state)
{
	struct dtbl *d = state;

	sim_kmu_free(&d->kmu);
	free(d->agt);
	free(d->entry);
	free(d->fetched);
}

/*
 * NAGEI and LAGEI of each kernel, a flag of each that it was marked before, and the AGEI of the
 * block that is handed out and of each block on an SM: 4 bytes each, but for the flags.
 */
uint64_t sim_dtbl_bytes(const struct sim_config *c)
{
	return (uint64_t)c->launch.kde * 8 + (c->launch.kde + 7) / 8 + 4 +
	       (uint64_t)c->sm.sms * c->sm.ctas * 4;
}

/* An entry: size in x (32 bits), y and z (16 each), parameters, Next, blocks that run: 20 bytes. */
uint64_t sim_dtbl_agt_bytes(const struct sim_config *c)
{
	return (uint64_t)c->launch.agt * 20;
}

#define DTBL(tag, named, says, starts)                                                             \
	const struct sim_launch_policy tag = {.name = named,                                       \
		.help = says,                                                                      \
		.together = SIM_WITH_CHILDREN,                                                     \
		.state_bytes = sizeof(struct dtbl),                                                \
		.start = starts,                                                                   \
		.run = run,                                                                        \
		.call = call,                                                                      \
		.offer = offer,                                                                    \
		.placed = placed,                                                                  \
		.ended = ended,                                                                    \
		.until = until,                                                                    \
		.free = freed}

DTBL(sim_launch_dtbl, "dtbl", "threads' blocks join kernels that run (Wang et al. 2015)", start);
DTBL(sim_launch_dtbl_ideal, "dtbl-ideal", "the same without latencies", start_ideal);
