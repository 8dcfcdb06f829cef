/* One network of the interconnect; see crossbar.h for what it models. */
#include "sim/mem/crossbar.h"
#include <assert.h>
#include <stdlib.h>

static uint32_t ports(uint32_t queues, uint32_t cluster)
{
	return queues / cluster + (queues % cluster > 0);
}

int sim_xbar_new(struct sim_xbar *x, const struct sim_xbar_shape *shape, struct tr_err *err)
{
	const uint32_t held = shape->out_queue + shape->latency;
	const uint32_t in_ports = ports(shape->inputs, shape->in_cluster);
	const uint32_t out_ports = ports(shape->outputs, shape->out_cluster);

	*x = (struct sim_xbar){.shape = *shape, .in_ports = in_ports, .next = SIM_NEVER};
	x->in_queue = calloc(shape->inputs, sizeof(*x->in_queue));
	x->out_queue = calloc(shape->outputs, sizeof(*x->out_queue));
	x->in_packets = calloc((size_t)shape->inputs * shape->in_queue, sizeof(*x->in_packets));
	x->out_packets = calloc((size_t)shape->outputs * held, sizeof(*x->out_packets));
	x->in = calloc(in_ports, sizeof(*x->in));
	x->out = calloc(out_ports, sizeof(*x->out));
	x->asks = calloc(out_ports, sizeof(*x->asks));
	x->grants = calloc(out_ports, sizeof(*x->grants));
	if (!x->in_queue || !x->out_queue || !x->in_packets || !x->out_packets || !x->in ||
		!x->out || !x->asks || !x->grants)
		return tr_fail(err, TR_EMEM, 0, "no memory for a crossbar");
	for (uint32_t i = 0; i < shape->inputs; i++)
		x->in_queue[i].size = shape->in_queue;
	for (uint32_t o = 0; o < shape->outputs; o++)
		x->out_queue[o].size = held;
	for (uint32_t i = 0; i < in_ports; i++)
		x->in[i].turn = i * shape->in_cluster;
	for (uint32_t o = 0; o < out_ports; o++)
		sim_bits_init(&x->asks[o], in_ports);
	sim_bits_init(&x->asked, out_ports);
	return 1;
}

void sim_xbar_free(struct sim_xbar *x)
{
	free(x->in_queue);
	free(x->out_queue);
	free(x->in_packets);
	free(x->out_packets);
	free(x->in);
	free(x->out);
	free(x->asks);
	free(x->grants);
}

/* The packet of an input port whose turn it is. */
static struct sim_packet *in_head(const struct sim_xbar *x, uint32_t port)
{
	const uint32_t in = x->in[port].turn;
	const struct sim_ring *q = &x->in_queue[in];

	return &x->in_packets[(size_t)in * q->size + q->head];
}

static void ask(struct sim_xbar *x, uint32_t port, uint64_t cycle)
{
	const uint32_t to = in_head(x, port)->to / x->shape.out_cluster;

	sim_bits_set(&x->asks[to], port);
	sim_bits_set(&x->asked, to);
	x->next = sim_min(x->next, sim_max(cycle, x->in[port].free_at));
}

void sim_xbar_put(struct sim_xbar *x, uint32_t in, const struct sim_packet *p, uint64_t cycle)
{
	const uint32_t port = in / x->shape.in_cluster;
	struct sim_ring *q = &x->in_queue[in];

	assert(sim_xbar_room(x, in));
	x->in_packets[(size_t)in * q->size + sim_ring_put(q)] = *p;
	if (x->in[port].held++)
		return;
	x->in[port].turn = in;
	ask(x, port, cycle);
}

/*
 * The input port whose turn it is of those that ask for an output and are done with their last
 * packet, or SIM_NONE; *soon is lowered to when one whose turn is earlier will be done.
 */
static uint32_t whose_turn(const struct sim_xbar *x, uint32_t o, uint64_t cycle, uint64_t *soon)
{
	const struct sim_bits *asks = &x->asks[o];
	const uint32_t turn = x->out[o].turn;

	for (uint32_t i = sim_bits_next(asks, turn); i != SIM_NONE;
		i = sim_bits_next(asks, i + 1)) {
		if (x->in[i].free_at <= cycle)
			return i;
		*soon = sim_min(*soon, x->in[i].free_at);
	}
	for (uint32_t i = sim_bits_next(asks, 0); i < turn; i = sim_bits_next(asks, i + 1)) {
		if (x->in[i].free_at <= cycle)
			return i;
		*soon = sim_min(*soon, x->in[i].free_at);
	}
	return SIM_NONE;
}

static bool has_room(const struct sim_xbar *x, const struct sim_packet *p)
{
	return x->out_queue[p->to].n < x->shape.out_queue + sim_ceil(x->shape.latency, p->flits);
}

/* The head of an input port has left: the next queue's packet has its turn. */
static void next_head(struct sim_xbar *x, uint32_t port, uint64_t cycle)
{
	const uint32_t first = port * x->shape.in_cluster;
	const uint32_t end = sim_min(first + x->shape.in_cluster, x->shape.inputs);
	struct sim_xbar_in *in = &x->in[port];

	if (!--in->held)
		return;
	do
		in->turn = in->turn + 1 < end ? in->turn + 1 : first;
	while (!x->in_queue[in->turn].n);
	ask(x, port, cycle);
}

static void grant(
	struct sim_xbar *x, uint32_t i, uint32_t o, uint64_t cycle, struct sim_xbar_grant *g)
{
	struct sim_xbar_in *in = &x->in[i];
	struct sim_xbar_out *out = &x->out[o];
	struct sim_packet *p = in_head(x, i);
	struct sim_ring *queue = &x->out_queue[p->to];

	in->free_at = out->free_at = cycle + p->flits;
	out->turn = i + 1 < x->in_ports ? i + 1 : 0;
	*x->shape.flits += p->flits;
	p->at = sim_ceil((out->free_at + x->shape.latency) * x->shape.step, x->shape.out_step);
	*g = (struct sim_xbar_grant){.in = in->turn, .out = p->to, .at = p->at};
	x->out_packets[(size_t)p->to * queue->size + sim_ring_put(queue)] = *p;
	sim_ring_take(&x->in_queue[in->turn]);
	sim_bits_clear(&x->asks[o], i);
	if (!sim_bits_any(&x->asks[o]))
		sim_bits_clear(&x->asked, o);
	next_head(x, i, cycle + 1);
}

/*
 * Grants an output where it can be: 1 or 0. *soon is the cycle in which it may be granted next, but
 * for what sim_xbar_take and new heads of queues bring about.
 */
static uint32_t step_output(
	struct sim_xbar *x, uint32_t o, uint64_t cycle, struct sim_xbar_grant *g, uint64_t *soon)
{
	uint32_t i;

	*soon = x->out[o].free_at;
	if (*soon > cycle)
		return 0;
	*soon = SIM_NEVER;
	i = whose_turn(x, o, cycle, soon);
	if (i == SIM_NONE)
		return 0;
	if (!has_room(x, in_head(x, i))) {
		if (*soon == SIM_NEVER)
			sim_bits_clear(&x->asked, o);
		return 0;
	}
	grant(x, i, o, cycle, g);
	*soon = sim_bits_has(&x->asked, o) ? x->out[o].free_at : SIM_NEVER;
	return 1;
}

uint32_t sim_xbar_step(struct sim_xbar *x, uint64_t cycle)
{
	uint32_t n = 0;

	x->next = SIM_NEVER;
	for (uint32_t o = sim_bits_next(&x->asked, 0); o != SIM_NONE;
		o = sim_bits_next(&x->asked, o + 1)) {
		uint64_t soon;

		n += step_output(x, o, cycle, &x->grants[n], &soon);
		x->next = sim_min(x->next, soon);
	}
	return n;
}

void sim_xbar_take(struct sim_xbar *x, uint32_t out, uint64_t cycle)
{
	const uint32_t port = out / x->shape.out_cluster;

	sim_ring_take(&x->out_queue[out]);
	if (!sim_bits_any(&x->asks[port]))
		return;
	sim_bits_set(&x->asked, port);
	x->next = sim_min(x->next, sim_max(cycle, x->out[port].free_at));
}

uint64_t sim_xbar_hash(const struct sim_xbar *x, uint64_t h)
{
	for (uint32_t i = 0; i < x->shape.inputs; i++) {
		h = sim_mix_ring(h, &x->in_queue[i], &x->in_packets[(size_t)i * x->shape.in_queue]);
		h = sim_mix(h, x->in[i / x->shape.in_cluster].free_at);
	}
	for (uint32_t o = 0; o < x->shape.outputs; o++) {
		const struct sim_xbar_out *out = &x->out[o / x->shape.out_cluster];
		const struct sim_ring *q = &x->out_queue[o];

		h = sim_mix_ring(h, q, &x->out_packets[(size_t)o * q->size]);
		h = sim_mix(sim_mix(h, out->free_at), out->turn);
	}
	return h;
}
