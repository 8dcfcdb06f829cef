/* The networks between the SMs of each GPC; see dsm.h. */
#include "sim/mem/dsm.h"
#include "sim/base/mix.h"
#include <stdlib.h>

/* On its way: a packet's first beat comes to a port, or its last one is through. */
struct flight {
	uint64_t at, number; /* number: of equals the one that set out first is the first */
	struct sim_dsm_packet p;
	uint8_t through;
};

struct ring {
	struct sim_dsm_packet *at;
	uint32_t first, n, cap;
};

struct port {
	uint64_t out_free, in_free; /* the first cycle in which it can begin to move more */
	uint32_t under_way;         /* requests */
	struct ring requests, news;
};

struct sim_dsm {
	uint32_t there, back; /* cycles from a port to another, of requests and of answers */
	uint32_t cycle_bytes, requests, nports;
	struct port *ports;
	struct flight *heap;
	uint32_t n, cap;
	uint64_t number;
	uint32_t waiting; /* requests in rings */
};

/* Cycles of a port: a packet without data takes one. */
static uint32_t beats(const struct sim_dsm *d, uint32_t segments)
{
	return segments ? (segments * SIM_DSM_SEGMENT + d->cycle_bytes - 1) / d->cycle_bytes : 1;
}

int sim_dsm_new(struct sim_dsm **out, const struct sim_config *c, struct tr_err *err)
{
	struct sim_dsm *d = calloc(1, sizeof(*d));
	uint32_t ways;

	*out = d;
	if (d)
		d->ports = calloc(c->sm.sms, sizeof(*d->ports));
	if (!d || !d->ports)
		return tr_fail(err, TR_EMEM, 0, "no memory for the network between SMs");
	d->nports = c->sm.sms;
	d->cycle_bytes = c->dsm.cycle_bytes;
	d->requests = c->dsm.requests;
	/* Of a load of one segment all cycles are the latency: two ways, and its data's beats. */
	ways = c->dsm.latency > beats(d, 1) ? c->dsm.latency - beats(d, 1) + 1 : 2;
	d->there = ways / 2;
	d->back = ways - d->there;
	return 1;
}

void sim_dsm_free(struct sim_dsm *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; d->ports && i < d->nports; i++) {
		free(d->ports[i].requests.at);
		free(d->ports[i].news.at);
	}
	free(d->ports);
	free(d->heap);
	free(d);
}

/* ---- what is on its way, the first to come at the top ---- */

static int before(const struct flight *a, const struct flight *b)
{
	return a->at < b->at || (a->at == b->at && a->number < b->number);
}

static int put(struct sim_dsm *d, const struct sim_dsm_packet *p, uint64_t at, int through)
{
	struct flight f = {.at = at, .number = d->number++, .p = *p, .through = (uint8_t)through};
	uint32_t i = d->n;

	if (d->n == d->cap) {
		const uint32_t cap = d->cap ? 2 * d->cap : 64;
		struct flight *more = realloc(d->heap, cap * sizeof(*more));

		if (!more)
			return -1;
		d->heap = more;
		d->cap = cap;
	}
	d->n++;
	for (; i && before(&f, &d->heap[(i - 1) / 2]); i = (i - 1) / 2)
		d->heap[i] = d->heap[(i - 1) / 2];
	d->heap[i] = f;
	return 0;
}

static struct flight pop(struct sim_dsm *d)
{
	const struct flight top = d->heap[0], last = d->heap[--d->n];
	uint32_t i = 0;

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child + 1 < d->n && before(&d->heap[child + 1], &d->heap[child]))
			child++;
		if (child >= d->n || !before(&d->heap[child], &last))
			break;
		d->heap[i] = d->heap[child];
		i = child;
	}
	if (d->n)
		d->heap[i] = last;
	return top;
}

/* ---- what has come ---- */

static int ring_put(struct ring *r, const struct sim_dsm_packet *p)
{
	if (r->n == r->cap) {
		const uint32_t cap = r->cap ? 2 * r->cap : 16;
		struct sim_dsm_packet *more = malloc(cap * sizeof(*more));

		if (!more)
			return -1;
		for (uint32_t i = 0; i < r->n; i++)
			more[i] = r->at[(r->first + i) % r->cap];
		free(r->at);
		r->at = more;
		r->first = 0;
		r->cap = cap;
	}
	r->at[(r->first + r->n++) % r->cap] = *p;
	return 0;
}

static struct sim_dsm_packet ring_take(struct ring *r)
{
	const struct sim_dsm_packet p = r->at[r->first];

	r->first = (r->first + 1) % r->cap;
	r->n--;
	return p;
}

/* ---- ports ---- */

int sim_dsm_room(const struct sim_dsm *d, uint32_t sm, uint64_t now)
{
	return d->ports[sm].out_free <= now && d->ports[sm].under_way < d->requests;
}

uint64_t sim_dsm_room_at(const struct sim_dsm *d, uint32_t sm)
{
	return d->ports[sm].under_way < d->requests ? d->ports[sm].out_free : SIM_NEVER;
}

/* A packet leaves a port, whose first beat is at the other one after a hop. */
static int leave(struct sim_dsm *d, struct port *by, const struct sim_dsm_packet *p,
	uint32_t segments, uint64_t now)
{
	by->out_free = now + beats(d, segments);
	return put(d, p, now + (p->kind == SIM_DSM_REQUEST ? d->there : d->back), 0);
}

int sim_dsm_send(struct sim_dsm *d, const struct sim_dsm_packet *p, uint64_t now)
{
	d->ports[p->from].under_way++;
	return leave(d, &d->ports[p->from], p, p->out, now);
}

uint32_t sim_dsm_waiting(const struct sim_dsm *d, uint32_t sm)
{
	return d->ports[sm].requests.n;
}

const struct sim_dsm_packet *sim_dsm_head(const struct sim_dsm *d, uint32_t sm)
{
	const struct ring *r = &d->ports[sm].requests;

	return r->n ? &r->at[r->first] : NULL;
}

int sim_dsm_may_answer(const struct sim_dsm *d, uint32_t sm, uint64_t now)
{
	return !sim_dsm_head(d, sm)->back || d->ports[sm].out_free <= now;
}

int sim_dsm_answer(struct sim_dsm *d, uint32_t sm, uint64_t now)
{
	struct port *port = &d->ports[sm];
	struct sim_dsm_packet p = ring_take(&port->requests);

	d->waiting--;
	p.kind = p.back ? SIM_DSM_REPLY : SIM_DSM_DONE;
	if (p.back)
		return leave(d, port, &p, p.back, now);
	return put(
		d, &p, now + d->back, 1); /* a word beside the data: it takes nothing of a port */
}

int sim_dsm_tell(struct sim_dsm *d, uint32_t sm, uint64_t at)
{
	const struct sim_dsm_packet p = {.from = sm, .to = sm, .kind = SIM_DSM_BARRIER};

	return put(d, &p, at, 1);
}

int sim_dsm_operate(struct sim_dsm *d, const struct sim_dsm_packet *p, uint64_t at)
{
	return put(d, p, at, 1);
}

/* Something has come to an SM. */
static int arrive(struct sim_dsm *d, const struct sim_dsm_packet *p, uint64_t *woken)
{
	const uint32_t sm = p->kind == SIM_DSM_REQUEST ? p->to : p->from;
	struct port *port = &d->ports[sm];

	woken[sm / 64] |= 1ull << (sm % 64);
	if (p->kind == SIM_DSM_REQUEST) {
		d->waiting++;
		return ring_put(&port->requests, p);
	}
	port->under_way -= p->kind < SIM_DSM_BARRIER;
	return ring_put(&port->news, p);
}

int sim_dsm_run(struct sim_dsm *d, uint64_t now, uint64_t *woken)
{
	int rc = 0;

	while (!rc && d->n && d->heap[0].at <= now) {
		const struct flight f = pop(d);
		const int request = f.p.kind == SIM_DSM_REQUEST;
		struct port *in = &d->ports[request ? f.p.to : f.p.from];
		uint64_t first, last;

		if (!f.through) {
			first = in->in_free > f.at ? in->in_free : f.at;
			in->in_free = first + beats(d, request ? f.p.out : f.p.back);
			last = in->in_free - 1;
			if (last > now) {
				rc = put(d, &f.p, last, 1);
				continue;
			}
		}
		rc = arrive(d, &f.p, woken);
	}
	return rc;
}

int sim_dsm_take(struct sim_dsm *d, uint32_t sm, struct sim_dsm_packet *p)
{
	struct ring *r = &d->ports[sm].news;

	if (!r->n)
		return 0;
	*p = ring_take(r);
	return 1;
}

uint64_t sim_dsm_next(const struct sim_dsm *d)
{
	return d->n ? d->heap[0].at : SIM_NEVER;
}

int sim_dsm_busy(const struct sim_dsm *d)
{
	return d->n || d->waiting;
}

uint64_t sim_dsm_hash(const struct sim_dsm *d, uint64_t h)
{
	for (uint32_t i = 0; i < d->nports; i++)
		h = sim_mix(h, d->ports[i].out_free ^ d->ports[i].in_free << 32);
	return sim_mix(h, d->number);
}
