/* The accesses of a CTA, each made once; see once.h. */
#include "sim/sm/once.h"
#include "sim/base/mix.h"
#include <stdlib.h>
#include <string.h>

#define ALL UINT32_MAX /* as a thread: the first request for a line */

void sim_once_init(struct sim_once *o)
{
	*o = (struct sim_once){.free = SIM_NO_WAITER};
}

static void free_ctas(struct sim_once *o)
{
	for (uint32_t i = 0; i < o->nctas; i++) {
		free(o->ctas[i].at);
		free(o->ctas[i].requests);
	}
	free(o->ctas);
	o->ctas = NULL;
	o->nctas = 0;
}

void sim_once_free(struct sim_once *o)
{
	free_ctas(o);
	free(o->serial);
	free(o->waiters);
	free(o->pool);
}

int sim_once_launch(struct sim_once *o, uint32_t nctas)
{
	free_ctas(o);
	o->ctas = calloc(nctas, sizeof(*o->ctas));
	if (!o->ctas)
		return -1;
	o->nctas = nctas;
	return 0;
}

void sim_once_cta(struct sim_once *o, uint32_t slot)
{
	struct sim_once_cta *c = &o->ctas[slot];

	if (c->n)
		memset(c->at, 0, c->size * sizeof(*c->at));
	c->n = 0;
	c->nrequests = 0;
}

static size_t place_of(const struct sim_once_cta *c, uint32_t thread, uint32_t inst, uint64_t line)
{
	return (size_t)sim_mix(sim_mix(line, inst), thread) & (c->size - 1);
}

/* Where the thread's entry is, or would stand. */
static struct sim_once_entry *entry_of(
	const struct sim_once_cta *c, uint32_t thread, uint32_t inst, uint64_t line)
{
	size_t i = place_of(c, thread, inst, line);

	while (c->at[i].used &&
		(c->at[i].thread != thread || c->at[i].inst != inst || c->at[i].line != line))
		i = (i + 1) & (c->size - 1);
	return &c->at[i];
}

static int grow(struct sim_once_cta *c)
{
	struct sim_once_cta more = {.size = c->size ? 2 * c->size : 256};

	more.at = calloc(more.size, sizeof(*more.at));
	if (!more.at)
		return -1;
	for (size_t i = 0; i < c->size; i++)
		if (c->at[i].used)
			*entry_of(&more, c->at[i].thread, c->at[i].inst, c->at[i].line) = c->at[i];
	free(c->at);
	c->at = more.at;
	c->size = more.size;
	return 0;
}

static int room(struct sim_once_cta *c)
{
	struct sim_once_request *p;
	uint32_t cap;

	if (2 * (c->n + 2) > c->size && grow(c))
		return -1;
	if (c->nrequests < c->cap)
		return 0;
	cap = c->cap ? 2 * c->cap : 64;
	p = realloc(c->requests, cap * sizeof(*p));
	if (!p)
		return -1;
	c->requests = p;
	c->cap = cap;
	return 0;
}

/* An entry that may be new, of a request. */
static void note(struct sim_once_cta *c, struct sim_once_entry *e, uint32_t thread, uint32_t inst,
	uint64_t line, uint32_t request)
{
	c->n += !e->used;
	*e = (struct sim_once_entry){
		.line = line, .inst = inst, .thread = thread, .request = request, .used = 1};
}

struct sim_once_request *sim_once_ask(struct sim_once *o, uint32_t slot, uint32_t thread,
	uint32_t inst, uint64_t line, int *is_new)
{
	struct sim_once_cta *c = &o->ctas[slot];
	struct sim_once_entry *mine, *first = NULL;
	uint32_t *link = NULL, at = SIM_NO_REQUEST;

	if (room(c))
		return NULL;
	mine = entry_of(c, thread, inst, line);
	if (mine->used) {
		link = &c->requests[mine->request].next;
		at = *link;
	} else {
		first = entry_of(c, ALL, inst, line);
		if (first->used)
			at = first->request;
	}
	*is_new = at == SIM_NO_REQUEST;
	if (*is_new) {
		at = c->nrequests++;
		c->requests[at] = (struct sim_once_request){.next = SIM_NO_REQUEST};
		if (link)
			*link = at;
		else
			note(c, first, ALL, inst, line, at);
		/* That may have taken the place where the thread's entry would have stood. */
		mine = entry_of(c, thread, inst, line);
	}
	note(c, mine, thread, inst, line, at);
	return &c->requests[at];
}

int sim_once_loads(struct sim_once *o, uint32_t n)
{
	uint32_t *serial = realloc(o->serial, n * sizeof(*serial));
	uint32_t *waiters = realloc(o->waiters, n * sizeof(*waiters));

	if (serial)
		o->serial = serial;
	if (waiters)
		o->waiters = waiters;
	if (!serial || !waiters)
		return -1;
	for (uint32_t i = o->nloads; i < n; i++) {
		serial[i] = 1;
		waiters[i] = SIM_NO_WAITER;
	}
	o->nloads = n;
	return 0;
}

int sim_once_wait(struct sim_once *o, uint32_t load, uint32_t waiter)
{
	uint32_t n = o->free;

	if (n != SIM_NO_WAITER) {
		o->free = o->pool[n].next;
	} else {
		if (o->npool == o->cap_pool) {
			const uint32_t cap = o->cap_pool ? 2 * o->cap_pool : 64;
			struct sim_once_waiter *p = realloc(o->pool, cap * sizeof(*p));

			if (!p)
				return -1;
			o->pool = p;
			o->cap_pool = cap;
		}
		n = o->npool++;
	}
	o->pool[n] = (struct sim_once_waiter){.load = waiter, .next = o->waiters[load]};
	o->waiters[load] = n;
	return 0;
}

uint32_t sim_once_done(struct sim_once *o, uint32_t load)
{
	const uint32_t n = o->waiters[load];

	if (n == SIM_NO_WAITER) {
		o->serial[load]++;
		return n;
	}
	o->waiters[load] = o->pool[n].next;
	o->pool[n].next = o->free;
	o->free = n;
	return o->pool[n].load;
}
