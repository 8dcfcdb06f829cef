/* Queues of kernels, the kernel distributor, first come first served. */
#include "sim/launch/kmu.h"
#include <stdlib.h>
#include <string.h>

#define BUFFER_UNIT 256u /* bytes that a parameter buffer takes, or a multiple */

/* ---- setting up ---- */

void sim_kmu_free(struct sim_kmu *k)
{
	free(k->grids);
	free(k->queues);
	free(k->kdes);
	free(k->heap);
	free(k->sent);
	*k = (struct sim_kmu){0};
}

static void set_latencies(struct sim_kmu *k, int ideal)
{
	const struct sim_config *c = k->at.config;

	k->latency = (struct sim_launch_latency){.stream = c->launch.stream,
		.buffer = c->launch.buffer,
		.buffer_thread = c->launch.buffer_thread,
		.device = c->launch.device,
		.device_thread = c->launch.device_thread,
		.dispatch = c->launch.dispatch,
		.overflow = c->launch.overflow,
		.search = c->launch.search};
	if (ideal)
		k->latency = (struct sim_launch_latency){0};
}

/* What belongs to the machine, once. */
static int build(struct sim_kmu *k)
{
	const struct sim_config *c = k->at.config;

	if (k->queues)
		return 1;
	k->nqueues = 2 * c->launch.hwq;
	k->nkdes = c->launch.kde;
	k->queues = calloc(k->nqueues, sizeof(*k->queues));
	k->kdes = calloc(k->nkdes, sizeof(*k->kdes));
	k->sent = calloc(k->nkdes, sizeof(*k->sent));
	return k->queues && k->kdes && k->sent;
}

static uint32_t queue_of(const struct sim_kmu *k, const struct tr_launch *l)
{
	const uint32_t half = k->nqueues / 2;

	return l->queue % half + (l->parent_launch == TR_NONE ? 0 : half);
}

/* Of a grid without CTAs in the part of the record nothing comes. */
static uint32_t blocks_of(const struct sim_launching *l, uint32_t kernel)
{
	if (l->family->in_memory)
		return l->family->kernels[kernel].nctas;
	return sim_family_has(l->family, kernel) ? UINT32_MAX : 0; /* they come one by one */
}

int sim_kmu_start(struct sim_kmu *k, const struct sim_launching *l, int ideal, uint64_t now,
	struct tr_err *err)
{
	const uint32_t n = l->family->n;

	k->at = *l;
	set_latencies(k, ideal);
	if (!build(k))
		return tr_fail(err, TR_EMEM, 0, "no memory for the launcher");
	if (n > k->cap) {
		free(k->grids);
		free(k->heap);
		k->grids = malloc(n * sizeof(*k->grids));
		k->heap = malloc(n * sizeof(*k->heap));
		k->cap = k->grids && k->heap ? n : 0;
		if (!k->cap)
			return tr_fail(
				err, TR_EMEM, 0, "no memory for the launcher of %u launches", n);
	}
	k->ngrids = n;
	for (uint32_t i = 0; i < n; i++)
		k->grids[i] =
			(struct sim_grid_at){.queue = queue_of(k, &l->family->kernels[i].launch),
				.left = blocks_of(l, i),
				.next = TR_NONE,
				.next_in_stream = TR_NONE};
	for (uint32_t q = 0; q < k->nqueues; q++)
		k->queues[q] = (struct sim_queue){TR_NONE, TR_NONE, 0};
	for (uint32_t e = 0; e < k->nkdes; e++)
		k->kdes[e] = (struct sim_kde){.kernel = TR_NONE};
	k->fcfs = k->fcfs_last = TR_NONE;
	k->queued = k->used = k->nheap = k->first_sent = k->nsent = 0;
	k->counted = now;
	k->pending = 0;
	for (uint32_t i = 0; i < n; i++)
		if (l->family->kernels[i].launch.parent_launch == TR_NONE) {
			l->family->kernels[i].called = now;
			sim_kmu_queue(k, i, now);
		}
	return 1;
}

/* ---- calls that are under way: a heap by the cycle of their end, then by number ---- */

static int before(const struct sim_kmu *k, uint32_t a, uint32_t b)
{
	const uint64_t x = k->grids[a].due, y = k->grids[b].due;

	return x != y ? x < y : a < b;
}

static void heap_put(struct sim_kmu *k, uint32_t kernel)
{
	uint32_t at = k->nheap++;

	for (; at && before(k, kernel, k->heap[(at - 1) / 2]); at = (at - 1) / 2)
		k->heap[at] = k->heap[(at - 1) / 2];
	k->heap[at] = kernel;
}

static uint32_t heap_take(struct sim_kmu *k)
{
	const uint32_t top = k->heap[0], last = k->heap[--k->nheap];
	uint32_t at = 0;

	for (uint32_t child; (child = 2 * at + 1) < k->nheap; at = child) {
		if (child + 1 < k->nheap && before(k, k->heap[child + 1], k->heap[child]))
			child++;
		if (!before(k, k->heap[child], last))
			break;
		k->heap[at] = k->heap[child];
	}
	k->heap[at] = last;
	return top;
}

/* ---- hardware queues ---- */

/* The predecessor in its stream; TR_NONE: it waits for none that is here. */
static uint32_t after(const struct sim_kmu *k, uint32_t kernel)
{
	return sim_family_find(k->at.family, k->at.family->kernels[kernel].launch.after);
}

/* In front of the one of its stream that waits for it already, or else at the end. */
static void enqueue(struct sim_kmu *k, uint32_t kernel)
{
	struct sim_grid_at *g = &k->grids[kernel];
	struct sim_queue *q = &k->queues[g->queue];
	const uint32_t predecessor = after(k, kernel);
	uint32_t *link = &q->head, last = TR_NONE;

	g->state = SIM_G_QUEUED;
	k->queued++;
	if (predecessor != TR_NONE && k->grids[predecessor].state < SIM_G_QUEUED &&
		k->grids[predecessor].queue == g->queue)
		k->grids[predecessor].next_in_stream = kernel;
	if (g->next_in_stream == TR_NONE) {
		g->next = TR_NONE;
		if (q->tail == TR_NONE)
			q->head = kernel;
		else
			k->grids[q->tail].next = kernel;
		q->tail = kernel;
		return;
	}
	while (*link != g->next_in_stream) {
		last = *link;
		link = &k->grids[last].next;
	}
	g->next = *link;
	*link = kernel;
}

/* Can the head of a queue go? */
static int can_go(const struct sim_kmu *k, const struct sim_queue *q)
{
	uint32_t predecessor;

	if (q->busy || q->head == TR_NONE)
		return 0;
	predecessor = after(k, q->head);
	return predecessor == TR_NONE || k->grids[predecessor].state == SIM_G_ENDED;
}

/* The queue whose head goes next: the one that was queued first; NULL: none. */
static struct sim_queue *next_queue(const struct sim_kmu *k)
{
	struct sim_queue *best = NULL;

	if (!k->queued || k->used == k->nkdes)
		return NULL;
	for (uint32_t i = 0; i < k->nqueues; i++) {
		struct sim_queue *q = &k->queues[i];

		if (can_go(k, q) && (!best || before(k, q->head, best->head)))
			best = q;
	}
	return best;
}

/* Entries in use are counted by the cycle. */
static void count_entries(struct sim_kmu *k, uint64_t now)
{
	k->at.stats->kde_cycles += k->used * (now - k->counted);
	k->counted = now;
}

static void end_grid(struct sim_kmu *k, uint32_t kernel)
{
	k->grids[kernel].state = SIM_G_ENDED;
}

/* Sends a kernel to a free entry, of which there is one. */
static void send(struct sim_kmu *k, struct sim_queue *q, uint64_t now)
{
	const uint32_t kernel = q->head;
	struct sim_grid_at *g = &k->grids[kernel];
	const int host = k->at.family->kernels[kernel].launch.parent_launch == TR_NONE;
	uint32_t e = 0;

	q->head = g->next;
	if (q->head == TR_NONE)
		q->tail = TR_NONE;
	k->queued--;
	if (!g->left) { /* nothing of it is in this part of the record */
		end_grid(k, kernel);
		return;
	}
	q->busy = 1;
	while (k->kdes[e].kernel != TR_NONE || k->kdes[e].reserved)
		e++;
	count_entries(k, now);
	k->used++;
	k->kdes[e] = (struct sim_kde){
		.kernel = TR_NONE, .first = TR_NONE, .last = TR_NONE, .reserved = 1};
	g->kde = e;
	g->state = SIM_G_SENT;
	g->due = now + (host ? 0 : k->latency.dispatch);
	k->sent[(k->first_sent + k->nsent++) % k->nkdes] = kernel;
}

static void arrive(struct sim_kmu *k, uint32_t kernel)
{
	struct sim_grid_at *g = &k->grids[kernel];

	g->state = SIM_G_HERE;
	k->kdes[g->kde].kernel = kernel;
	k->kdes[g->kde].reserved = 0;
	sim_kde_mark(k, g->kde);
}

void sim_kmu_run(struct sim_kmu *k, uint64_t now)
{
	struct sim_queue *q;

	while (k->nheap && k->grids[k->heap[0]].due <= now)
		enqueue(k, heap_take(k));
	q = next_queue(k);
	if (q)
		send(k, q, now);
	/* Host launches overtake those of threads that are on their way. */
	for (uint32_t i = 0; i < k->nsent;) {
		const uint32_t at = (k->first_sent + i) % k->nkdes, kernel = k->sent[at];

		if (k->grids[kernel].due > now) {
			i++;
			continue;
		}
		for (uint32_t m = i; m; m--)
			k->sent[(k->first_sent + m) % k->nkdes] =
				k->sent[(k->first_sent + m - 1) % k->nkdes];
		k->first_sent = (k->first_sent + 1) % k->nkdes;
		k->nsent--;
		arrive(k, kernel);
	}
}

/* ---- launches by threads ---- */

static uint64_t footprint(const struct sim_kmu *k, uint32_t kernel)
{
	const uint64_t bytes = k->at.family->kernels[kernel].launch.buffer_bytes;
	const uint64_t units = (bytes + BUFFER_UNIT - 1) / BUFFER_UNIT;

	return (units ? units : 1) * BUFFER_UNIT + k->at.config->launch.record_bytes;
}

void sim_kmu_called(struct sim_kmu *k, uint32_t kernel, uint64_t now)
{
	struct sim_kernel *x = &k->at.family->kernels[kernel];

	x->called = now;
	k->at.stats->launches++;
	k->at.stats->threads += tr_launch_ctas(&x->launch) * tr_launch_threads(&x->launch);
	k->pending += footprint(k, kernel);
	if (k->pending > k->at.stats->footprint)
		k->at.stats->footprint = k->pending;
}

void sim_kmu_queue(struct sim_kmu *k, uint32_t kernel, uint64_t due)
{
	k->grids[kernel].state = SIM_G_CALLED;
	k->grids[kernel].due = due;
	heap_put(k, kernel);
}

/* ---- first come, first served ---- */

void sim_kde_mark(struct sim_kmu *k, uint32_t kde)
{
	struct sim_kde *e = &k->kdes[kde];

	if (e->marked)
		return;
	e->marked = 1;
	e->next = TR_NONE;
	if (k->fcfs == TR_NONE)
		k->fcfs = kde;
	else
		k->kdes[k->fcfs_last].next = kde;
	k->fcfs_last = kde;
}

int sim_kmu_offer(const struct sim_kmu *k, uint32_t *kernel)
{
	const struct sim_kde *e;

	if (k->fcfs == TR_NONE)
		return 0;
	e = &k->kdes[k->fcfs];
	*kernel = k->grids[e->kernel].left ? e->kernel : e->first;
	return 1;
}

/* The entry at the head has nothing left: it is unmarked. */
static void unmark(struct sim_kmu *k)
{
	struct sim_kde *e = &k->kdes[k->fcfs];

	e->marked = 0;
	k->fcfs = e->next;
	if (k->fcfs == TR_NONE)
		k->fcfs_last = TR_NONE;
}

void sim_kmu_placed(struct sim_kmu *k, uint32_t kernel, uint64_t now)
{
	struct sim_grid_at *g = &k->grids[kernel];
	struct sim_kde *e = &k->kdes[g->kde];
	struct sim_kernel *x = &k->at.family->kernels[kernel];

	if (x->launch.parent_launch != TR_NONE && x->began == now && !g->runs) {
		k->pending -= footprint(k, kernel);
		k->at.stats->waited += now - x->called;
	}
	g->runs++;
	e->runs++;
	if (k->at.family->in_memory)
		g->left--;
	else if (!sim_family_has(k->at.family, kernel))
		g->left = 0;
	if (g->left)
		return;
	if (kernel != e->kernel) { /* NAGEI moves on to the next group */
		e->first = g->next;
		if (e->first == TR_NONE)
			e->last = TR_NONE;
	}
	if (e->first == TR_NONE)
		unmark(k);
}

void sim_kmu_ended(struct sim_kmu *k, uint32_t kernel, uint64_t now)
{
	struct sim_grid_at *g = &k->grids[kernel];
	struct sim_kde *e = &k->kdes[g->kde];

	g->runs--;
	e->runs--;
	if (!g->runs && !g->left)
		end_grid(k, kernel);
	if (e->runs || e->marked)
		return;
	/* The last block of the kernel and of its groups: the entry is free. */
	count_entries(k, now);
	k->used--;
	k->queues[k->grids[e->kernel].queue].busy = 0;
	*e = (struct sim_kde){.kernel = TR_NONE};
}

uint64_t sim_kmu_until(const struct sim_kmu *k, uint64_t now)
{
	uint64_t next = k->nheap ? k->grids[k->heap[0]].due : UINT64_MAX;

	for (uint32_t i = 0; i < k->nsent; i++) {
		const uint64_t due = k->grids[k->sent[(k->first_sent + i) % k->nkdes]].due;

		next = due < next ? due : next;
	}
	if (next_queue(k))
		next = now + 1;
	return next == UINT64_MAX || next > now ? next : now + 1;
}

uint64_t sim_kmu_latency(const struct sim_kmu *k, enum tr_api kind, uint32_t lanes)
{
	switch (kind) {
	case TR_API_STREAM:
		return k->latency.stream;
	case TR_API_BUFFER:
		return k->latency.buffer + (uint64_t)k->latency.buffer_thread * lanes;
	default:
		return k->latency.device + (uint64_t)k->latency.device_thread * lanes;
	}
}
