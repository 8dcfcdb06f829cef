/* One network of the interconnect; see crossbar.h for what it models. */
#include "sim/mem/crossbar.h"
#include <assert.h>
#include <stdlib.h>

int sim_xbar_new(struct sim_xbar *x, const struct sim_xbar_shape *shape, struct tr_err *err)
{
	const uint32_t held = shape->out_queue + shape->latency;

	*x = (struct sim_xbar){.shape = *shape, .next = SIM_NEVER};
	x->in = calloc(shape->inputs, sizeof(*x->in));
	x->out = calloc(shape->outputs, sizeof(*x->out));
	x->in_packets = calloc((size_t)shape->inputs * shape->in_queue, sizeof(*x->in_packets));
	x->out_packets = calloc((size_t)shape->outputs * held, sizeof(*x->out_packets));
	x->asks = calloc(shape->outputs, sizeof(*x->asks));
	x->grants = calloc(shape->outputs, sizeof(*x->grants));
	if (!x->in || !x->out || !x->in_packets || !x->out_packets || !x->asks || !x->grants)
		return tr_fail(err, TR_EMEM, 0, "no memory for a crossbar");
	for (uint32_t i = 0; i < shape->inputs; i++)
		x->in[i].queue.size = shape->in_queue;
	for (uint32_t o = 0; o < shape->outputs; o++) {
		x->out[o].queue.size = held;
		sim_bits_init(&x->asks[o], shape->inputs);
	}
	sim_bits_init(&x->asked, shape->outputs);
	return 1;
}

void sim_xbar_free(struct sim_xbar *x)
{
	free(x->in);
	free(x->out);
	free(x->in_packets);
	free(x->out_packets);
	free(x->asks);
	free(x->grants);
}

static struct sim_packet *in_head(const struct sim_xbar *x, uint32_t in)
{
	const struct sim_ring *q = &x->in[in].queue;

	return &x->in_packets[(size_t)in * q->size + q->head];
}

static void ask(struct sim_xbar *x, uint32_t in, uint64_t cycle)
{
	const uint32_t to = in_head(x, in)->to;

	sim_bits_set(&x->asks[to], in);
	sim_bits_set(&x->asked, to);
	x->next = sim_min(x->next, sim_max(cycle, x->in[in].free_at));
}

void sim_xbar_put(struct sim_xbar *x, uint32_t in, const struct sim_packet *p, uint64_t cycle)
{
	struct sim_ring *q = &x->in[in].queue;

	assert(sim_xbar_room(x, in));
	x->in_packets[(size_t)in * q->size + sim_ring_put(q)] = *p;
	if (q->n == 1)
		ask(x, in, cycle);
}

/*
 * The input whose turn it is of those that ask for an output and are done with their last packet,
 * or SIM_NONE; *soon is lowered to when one whose turn is earlier will be done.
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

static bool has_room(const struct sim_xbar *x, uint32_t o, const struct sim_packet *p)
{
	return x->out[o].queue.n < x->shape.out_queue + sim_ceil(x->shape.latency, p->flits);
}

static void grant(
	struct sim_xbar *x, uint32_t i, uint32_t o, uint64_t cycle, struct sim_xbar_grant *g)
{
	struct sim_xbar_in *in = &x->in[i];
	struct sim_xbar_out *out = &x->out[o];
	struct sim_packet *p = in_head(x, i);

	in->free_at = out->free_at = cycle + p->flits;
	out->turn = i + 1 < x->shape.inputs ? i + 1 : 0;
	*x->shape.flits += p->flits;
	p->at = sim_ceil((out->free_at + x->shape.latency) * x->shape.step, x->shape.out_step);
	*g = (struct sim_xbar_grant){.in = i, .out = o, .at = p->at};
	x->out_packets[(size_t)o * out->queue.size + sim_ring_put(&out->queue)] = *p;
	sim_ring_take(&in->queue);
	sim_bits_clear(&x->asks[o], i);
	if (!sim_bits_any(&x->asks[o]))
		sim_bits_clear(&x->asked, o);
	if (in->queue.n)
		ask(x, i, cycle + 1);
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
	if (!has_room(x, o, in_head(x, i))) {
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
	sim_ring_take(&x->out[out].queue);
	if (!sim_bits_any(&x->asks[out]))
		return;
	sim_bits_set(&x->asked, out);
	x->next = sim_min(x->next, sim_max(cycle, x->out[out].free_at));
}

uint64_t sim_xbar_hash(const struct sim_xbar *x, uint64_t h)
{
	for (uint32_t i = 0; i < x->shape.inputs; i++) {
		h = sim_mix_ring(h, &x->in[i].queue, &x->in_packets[(size_t)i * x->shape.in_queue]);
		h = sim_mix(h, x->in[i].free_at);
	}
	for (uint32_t o = 0; o < x->shape.outputs; o++) {
		const struct sim_xbar_out *out = &x->out[o];

		h = sim_mix_ring(h, &out->queue, &x->out_packets[(size_t)o * out->queue.size]);
		h = sim_mix(sim_mix(h, out->free_at), out->turn);
	}
	return h;
}
