/*
 * The memory system as the SMs see it: the clocks, and the parts of crossbar.h, l2.h and dram.h
 * put together. Each part steps in the cycles of its clock in which it may have something to do;
 * the ticks between are passed over. With memory.part = perfect there are no parts: each reply
 * comes when an idle memory's would, of a line that is in the L2, or memory.latency core cycles
 * after its request, where that is a number.
 */
#include "sim/mem/l2.h"
#include <assert.h>
#include <stdlib.h>

#define QUEUE_MAX (1u << 20)   /* places of any queue */
#define TICKS_MAX (1ull << 40) /* of a microsecond: 64 bits then last for 16 seconds */
/* Perfect memory has room for so many in each cycle, and for what the memory unit sends besides. */
#define PERFECT_PUSHES 8

struct sim_mem {
	struct sim_config config;
	struct sim_mem_stats stats;
	struct sim_clocks clocks;
	bool every; /* step whatever sleeps, too */

	struct sim_xbar requests, replies;
	struct sim_l2 *slices;
	struct sim_dram *channels;
	uint32_t nchannels;
	uint64_t l2_next, dram_next; /* the least of their next cycles */

	uint64_t *woken; /* SMs whose queue has had room again */
	uint64_t
		*full_since; /* by SM: core cycle of the push that filled the queue, or SIM_NEVER */
	uint32_t nfull;
	uint64_t *arrival; /* by SM: core cycle of its first reply that it was not told of */
	uint64_t arrivals; /* the least of them */

	struct sim_ring *rings; /* perfect: by SM */
	struct sim_packet *held;
};

/* ---- making ---- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		const uint64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

static int set_clocks(struct sim_clocks *clocks, const struct sim_config *c, struct tr_err *err)
{
	const uint32_t mhz[] = {c->clock.core, c->clock.icnt, c->clock.l2, c->clock.dram};
	struct sim_clock *const clock[] = {
		&clocks->core, &clocks->icnt, &clocks->l2, &clocks->dram};
	uint64_t ticks = 1;

	for (unsigned i = 0; i < 4; i++) {
		ticks *= mhz[i] / common_divisor(ticks, mhz[i]);
		if (ticks > TICKS_MAX)
			return tr_fail(err, TR_EUSAGE, 0,
				"clock.core, clock.icnt, clock.l2, clock.dram: %u, %u, %u and %u "
				"MHz have no common tick: round them",
				mhz[0], mhz[1], mhz[2], mhz[3]);
	}
	for (unsigned i = 0; i < 4; i++)
		clock[i]->step = ticks / mhz[i];
	return 1;
}

static int check_counts(const struct sim_config *c, struct tr_err *err)
{
	const struct {
		const char *name;
		uint32_t value, max;
	} count[] = {
		{"sm.sms", c->sm.sms, SIM_BITS_MAX},
		{"l2.slices", c->l2.slices, SIM_BITS_MAX},
		{"clock.core", c->clock.core, UINT32_MAX},
		{"clock.icnt", c->clock.icnt, UINT32_MAX},
		{"clock.l2", c->clock.l2, UINT32_MAX},
		{"clock.dram", c->clock.dram, UINT32_MAX},
		{"icnt.flit_bytes", c->icnt.flit_bytes, UINT32_MAX},
		{"icnt.cluster", c->icnt.cluster, UINT32_MAX},
		{"icnt.inject_queue", c->icnt.inject_queue, QUEUE_MAX},
		{"icnt.eject_queue", c->icnt.eject_queue, QUEUE_MAX},
		{"l2.line", c->l2.g.line_bytes, UINT32_MAX},
		{"l2.interleave_bytes", c->l2.interleave_bytes, UINT32_MAX},
		{"l2.mshrs", c->l2.mshrs, QUEUE_MAX},
		{"l2.merges", c->l2.merges, QUEUE_MAX},
		{"l2.queue", c->l2.queue, QUEUE_MAX},
		{"dram.banks", c->dram.banks, QUEUE_MAX},
		{"dram.row_bytes", c->dram.row_bytes, UINT32_MAX},
		{"dram.bytes_per_cycle", c->dram.bytes_per_cycle, UINT32_MAX},
		{"dram.queue", c->dram.queue, QUEUE_MAX},
	};

	for (size_t i = 0; i < sizeof(count) / sizeof(count[0]); i++)
		if (!count[i].value || count[i].value > count[i].max)
			return tr_fail(err, TR_EUSAGE, 0,
				"%s = %u: the memory system takes from 1 to %u", count[i].name,
				count[i].value, count[i].max);
	if (c->l2.merges > QUEUE_MAX / c->l2.mshrs)
		return tr_fail(err, TR_EUSAGE, 0,
			"l2.mshrs, l2.merges: %u requests for each of %u lines are more than the "
			"memory system takes, %u",
			c->l2.merges, c->l2.mshrs, QUEUE_MAX);
	return 1;
}

/* No request may cross from one slice to another, and no line of the L2 from row to row. */
static int check_lines(const struct sim_config *c, struct tr_err *err)
{
	const uint32_t line[] = {c->l2.g.line_bytes, c->l1d.g.line_bytes, c->constant.g.line_bytes,
		c->texture.g.line_bytes};

	if (c->l2.part == SIM_REAL && !c->l2.g.sets)
		return tr_fail(err, TR_EUSAGE, 0,
			"l2.size: the L2 cannot be unbounded, but l2.part can be perfect");
	for (unsigned i = 0; i < 4; i++)
		if (line[i] && c->l2.interleave_bytes % line[i])
			return tr_fail(err, TR_EUSAGE, 0,
				"l2.interleave_bytes = %u: no multiple of a cache's line of %u "
				"bytes",
				c->l2.interleave_bytes, line[i]);
	if (c->sm.code && c->l2.interleave_bytes % SIM_CODE_BYTES)
		return tr_fail(err, TR_EUSAGE, 0,
			"l2.interleave_bytes = %u: no multiple of a line of code, %d bytes, which "
			"sm.code = fetched has",
			c->l2.interleave_bytes, SIM_CODE_BYTES);
	if (c->l2.slices % sim_sharers(c))
		return tr_fail(err, TR_EUSAGE, 0, "dram.slices = %u: no divisor of l2.slices, %u",
			c->dram.slices, c->l2.slices);
	if (c->l2.slice_of == SIM_SLICE_IPOLY && c->l2.slices & (c->l2.slices - 1))
		return tr_fail(err, TR_EUSAGE, 0,
			"l2.slice_of: ipoly wants a power of two of slices, and there are %u",
			c->l2.slices);
	if (c->dram.row_bytes % c->l2.g.line_bytes)
		return tr_fail(err, TR_EUSAGE, 0,
			"dram.row_bytes = %u: no multiple of the L2's line of %u bytes",
			c->dram.row_bytes, c->l2.g.line_bytes);
	return 1;
}

static int check(const struct sim_config *c, struct sim_clocks *clocks, struct tr_err *err)
{
	if (check_counts(c, err) < 0 || check_lines(c, err) < 0)
		return TR_EUSAGE;
	return set_clocks(clocks, c, err);
}

int sim_mem_check(const struct sim_config *c, struct tr_err *err)
{
	struct sim_clocks clocks;

	return check(c, &clocks, err);
}

static int new_parts(struct sim_mem *m, struct tr_err *err)
{
	const struct sim_config *c = &m->config;
	struct sim_xbar_shape shape = {.inputs = c->sm.sms,
		.outputs = c->l2.slices,
		.in_cluster = c->icnt.cluster,
		.out_cluster = 1,
		.in_queue = c->icnt.inject_queue,
		.out_queue = c->icnt.eject_queue + c->l2.queue,
		.latency = c->icnt.latency,
		.step = m->clocks.icnt.step,
		.out_step = m->clocks.l2.step,
		.flits = &m->stats.request_flits};

	if (sim_xbar_new(&m->requests, &shape, err) < 0)
		return TR_EMEM;
	shape.inputs = c->l2.slices;
	shape.outputs = c->sm.sms;
	shape.in_cluster = 1;
	shape.out_cluster = c->icnt.cluster;
	shape.out_queue = c->icnt.eject_queue;
	shape.out_step = m->clocks.core.step;
	shape.flits = &m->stats.reply_flits;
	m->slices = calloc(c->l2.slices, sizeof(*m->slices));
	m->nchannels = c->l2.slices / sim_sharers(c);
	m->channels = calloc(m->nchannels, sizeof(*m->channels));
	if (sim_xbar_new(&m->replies, &shape, err) < 0 || !m->slices || !m->channels)
		return tr_fail(err, TR_EMEM, 0, "no memory for the memory system");
	for (uint32_t i = 0; i < m->nchannels; i++)
		if (sim_dram_new(&m->channels[i], c, &m->stats, err) < 0)
			return TR_EMEM;
	for (uint32_t i = 0; i < c->l2.slices; i++) {
		m->slices[i] = (struct sim_l2){.config = c,
			.stats = &m->stats,
			.requests = &m->requests,
			.replies = &m->replies,
			.dram = &m->channels[i / sim_sharers(c)],
			.self = i,
			.clocks = &m->clocks};
		if (sim_l2_new(&m->slices[i], err) < 0)
			return TR_EMEM;
	}
	return 1;
}

/*
 * When an idle memory's reply is with its SM, in core cycles: a request that is pushed now waits
 * for nothing and finds its line in the L2, or in an open row where there is no L2. Step by step
 * what the parts do (crossbar.c, l2.c, dram.c), so no reply of theirs is sooner. A request of
 * several of the L2's lines is taken to be looked up in one cycle, and every SM to be near to every
 * slice.
 */
static uint64_t unloaded(const struct sim_mem *m, const struct sim_mem_request *r)
{
	const struct sim_config *c = &m->config;
	const struct sim_clocks *k = &m->clocks;
	const uint32_t to = sim_flits(c, sim_request_bytes(c, r)),
		       back = sim_flits(c, sim_reply_bytes(c, r));
	uint64_t at =
		sim_ceil((k->icnt.cycle + 1 + to + c->icnt.latency) * k->icnt.step, k->l2.step);

	if (c->l2.part == SIM_ABSENT) {
		const uint64_t burst =
			sim_ceil(sim_min(r->bytes, c->l2.g.line_bytes), c->dram.bytes_per_cycle);

		at = (at + 1) * k->l2.step / k->dram.step + 1; /* the row's column command */
		at = sim_ceil(
			(at + c->dram.tCL + burst + c->dram.latency) * k->dram.step, k->l2.step);
	}
	at = (at + c->l2.latency) * k->l2.step / k->icnt.step + 1;
	return sim_ceil((at + back + c->icnt.latency) * k->icnt.step, k->core.step);
}

/* The longest way of any request, in core cycles, whenever it is pushed. */
static uint64_t longest(const struct sim_mem *m)
{
	static const struct sim_mem_request most = {.bytes = 1024, .op = SIM_MEM_ATOMIC};
	const struct sim_clocks *k = &m->clocks;
	const uint64_t rounding = 2 * (k->icnt.step + k->l2.step) + k->dram.step;

	if (m->config.memory.latency)
		return m->config.memory.latency;
	return unloaded(m, &most) + sim_ceil(rounding, k->core.step) + 1;
}

static int new_perfect(struct sim_mem *m, struct tr_err *err)
{
	const uint32_t sms = m->config.sm.sms;
	const uint64_t pushes = PERFECT_PUSHES + m->config.sm.lsu_rate,
		       size = pushes * (longest(m) + 1);

	if (size > UINT32_MAX / 2)
		return tr_fail(err, TR_EMEM, 0, "no memory for the memory system");
	m->rings = calloc(sms, sizeof(*m->rings));
	m->held = calloc((size_t)sms * size, sizeof(*m->held));
	if (!m->rings || !m->held)
		return tr_fail(err, TR_EMEM, 0, "no memory for the memory system");
	for (uint32_t i = 0; i < sms; i++)
		m->rings[i].size = (uint32_t)size;
	return 1;
}

static int make(struct sim_mem *m, struct tr_err *err)
{
	const uint32_t sms = m->config.sm.sms;

	if (check(&m->config, &m->clocks, err) < 0)
		return TR_EUSAGE;
	m->woken = calloc((sms + 63) / 64, sizeof(*m->woken));
	m->full_since = malloc(sms * sizeof(*m->full_since));
	m->arrival = malloc(sms * sizeof(*m->arrival));
	if (!m->woken || !m->full_since || !m->arrival)
		return tr_fail(err, TR_EMEM, 0, "no memory for the memory system");
	for (uint32_t i = 0; i < sms; i++)
		m->full_since[i] = m->arrival[i] = SIM_NEVER;
	m->arrivals = m->l2_next = m->dram_next = SIM_NEVER;
	return m->config.memory.part == SIM_PERFECT ? new_perfect(m, err) : new_parts(m, err);
}

int sim_mem_new(struct sim_mem **out, const struct sim_config *c, struct tr_err *err)
{
	struct sim_mem *m = calloc(1, sizeof(*m));
	int r;

	if (!m)
		return tr_fail(err, TR_EMEM, 0, "no memory for the memory system");
	m->config = *c;
	r = make(m, err);
	if (r < 0) {
		sim_mem_free(m);
		return r;
	}
	*out = m;
	return 1;
}

void sim_mem_free(struct sim_mem *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; m->slices && i < m->config.l2.slices; i++)
		sim_l2_free(&m->slices[i]);
	for (uint32_t i = 0; m->channels && i < m->nchannels; i++)
		sim_dram_free(&m->channels[i]);
	free(m->slices);
	free(m->channels);
	sim_xbar_free(&m->requests);
	sim_xbar_free(&m->replies);
	free(m->woken);
	free(m->full_since);
	free(m->arrival);
	free(m->rings);
	free(m->held);
	free(m);
}

static bool is_perfect(const struct sim_mem *m)
{
	return m->rings;
}

/* ---- running the parts ---- */

static void expect(struct sim_mem *m, uint32_t sm, uint64_t at)
{
	m->arrival[sm] = sim_min(m->arrival[sm], at);
	m->arrivals = sim_min(m->arrivals, at);
}

/* A slice's `next` has become earlier: l2_next is the earliest of all slices. */
static void note_slice(struct sim_mem *m, uint32_t i)
{
	m->l2_next = sim_min(m->l2_next, m->slices[i].next);
}

static void step_replies(struct sim_mem *m)
{
	const uint32_t n = sim_xbar_step(&m->replies, m->clocks.icnt.cycle);

	for (uint32_t k = 0; k < n; k++) {
		const struct sim_xbar_grant *g = &m->replies.grants[k];

		expect(m, g->out, g->at);
		sim_l2_reply_room(&m->slices[g->in], sim_cycle_now(&m->clocks, &m->clocks.l2));
		note_slice(m, g->in);
	}
}

static void step_channel(struct sim_mem *m, uint32_t channel)
{
	const uint32_t n = sim_sharers(&m->config);
	struct sim_dram_served s;

	if (!sim_dram_step(&m->channels[channel], m->clocks.dram.cycle, &s))
		return;
	if (!s.r.write)
		sim_l2_fill(&m->slices[s.r.slice], s.r.mshr,
			sim_ceil((s.done + m->config.dram.latency) * m->clocks.dram.step,
				m->clocks.l2.step));
	for (uint32_t i = channel * n; i < (channel + 1) * n; i++) {
		sim_l2_dram_room(&m->slices[i], sim_cycle_now(&m->clocks, &m->clocks.l2));
		note_slice(m, i);
	}
}

static void step_channels(struct sim_mem *m)
{
	const uint64_t cycle = m->every ? SIM_NEVER : m->clocks.dram.cycle;
	uint64_t next = SIM_NEVER;

	for (uint32_t i = 0; i < m->nchannels; i++) {
		if (m->channels[i].next <= cycle)
			step_channel(m, i);
		next = sim_min(next, m->channels[i].next);
	}
	m->dram_next = next;
}

/* The slices of a channel, the one first that has waited longest for room there. */
static void step_slices_of(struct sim_mem *m, uint32_t channel, uint64_t cycle)
{
	const uint32_t n = sim_sharers(&m->config), first = m->channels[channel].turn;

	for (uint32_t k = 0; k < n; k++) {
		struct sim_l2 *const l = &m->slices[channel * n + (first + k) % n];

		if (l->next <= cycle)
			sim_l2_step(l);
	}
	m->dram_next = sim_min(m->dram_next, m->channels[channel].next);
}

static void step_slices(struct sim_mem *m)
{
	const uint64_t cycle = m->every ? SIM_NEVER : m->clocks.l2.cycle;
	const uint32_t n = sim_sharers(&m->config);
	uint64_t next = SIM_NEVER;

	if (n > 1)
		for (uint32_t i = 0; i < m->nchannels; i++)
			step_slices_of(m, i, cycle);
	for (uint32_t i = 0; i < m->config.l2.slices; i++) {
		if (n == 1 && m->slices[i].next <= cycle) {
			sim_l2_step(&m->slices[i]);
			m->dram_next = sim_min(m->dram_next, m->channels[i].next);
		}
		next = sim_min(next, m->slices[i].next);
	}
	m->l2_next = next;
}

static void step_requests(struct sim_mem *m)
{
	const uint32_t n = sim_xbar_step(&m->requests, m->clocks.icnt.cycle);

	for (uint32_t k = 0; k < n; k++) {
		const struct sim_xbar_grant *g = &m->requests.grants[k];

		sim_l2_wake(&m->slices[g->out], g->at);
		note_slice(m, g->out);
		if (m->full_since[g->in] == SIM_NEVER)
			continue;
		m->stats.inject_stalls +=
			sim_cycle_now(&m->clocks, &m->clocks.core) - m->full_since[g->in] - 1;
		m->full_since[g->in] = SIM_NEVER;
		m->nfull--;
		m->woken[g->in / 64] |= 1ull << (g->in % 64);
	}
}

/* The next tick in which a part has something to do, or SIM_NEVER. */
static uint64_t next_tick(const struct sim_mem *m)
{
	const struct sim_clocks *k = &m->clocks;
	const uint64_t icnt = sim_min(m->replies.next, m->requests.next);
	const uint64_t a = icnt == SIM_NEVER ? SIM_NEVER : icnt * k->icnt.step;
	const uint64_t b = m->dram_next == SIM_NEVER ? SIM_NEVER : m->dram_next * k->dram.step;
	const uint64_t c = m->l2_next == SIM_NEVER ? SIM_NEVER : m->l2_next * k->l2.step;

	return sim_min(a, sim_min(b, c));
}

/* The next tick in which one of their clocks begins a cycle. */
static uint64_t every_tick(const struct sim_clocks *k)
{
	return sim_min(k->icnt.began + k->icnt.step,
		sim_min(k->l2.began + k->l2.step, k->dram.began + k->dram.step));
}

/* Has a part of this clock something to do in the cycle that began at the present tick? */
static bool is_due(const struct sim_mem *m, uint64_t cycle, const struct sim_clock *k)
{
	return k->began == m->clocks.tick && (cycle <= k->cycle || m->every);
}

static void run_parts(struct sim_mem *m, uint64_t to)
{
	struct sim_clocks *const k = &m->clocks;

	while (k->tick < to && !is_perfect(m)) {
		const uint64_t tick = m->every ? every_tick(k) : next_tick(m);

		if (tick > to)
			break;
		sim_clocks_set(k, tick);
		if (is_due(m, m->replies.next, &k->icnt))
			step_replies(m);
		if (is_due(m, m->dram_next, &k->dram))
			step_channels(m);
		if (is_due(m, m->l2_next, &k->l2))
			step_slices(m);
		if (is_due(m, m->requests.next, &k->icnt))
			step_requests(m);
	}
	sim_clocks_set(k, to);
}

/* SMs call within a cycle many times. */
static inline void advance(struct sim_mem *m, uint64_t now)
{
	const uint64_t to = now * m->clocks.core.step;

	if (m->clocks.tick < to)
		run_parts(m, to);
}

/* ---- the SMs' side ---- */

int sim_mem_room(const struct sim_mem *m, uint32_t sm)
{
	if (is_perfect(m))
		return m->rings[sm].n < m->rings[sm].size;
	return sim_xbar_room(&m->requests, sm);
}

/* Replies are held in the order of their arrival: a longer packet takes longer. */
static void push_perfect(struct sim_mem *m, struct sim_packet *p)
{
	struct sim_ring *q = &m->rings[p->r.sm];
	struct sim_packet *held = &m->held[(size_t)p->r.sm * q->size];
	uint32_t i = q->n;

	if (!p->r.reply)
		return;
	p->at = m->config.memory.latency ? p->pushed + m->config.memory.latency
					 : unloaded(m, &p->r);
	assert(q->n < q->size);
	sim_ring_put(q);
	for (; i && held[sim_ring_at(q, i - 1)].at > p->at; i--)
		held[sim_ring_at(q, i)] = held[sim_ring_at(q, i - 1)];
	held[sim_ring_at(q, i)] = *p;
	expect(m, p->r.sm, p->at);
}

/*
 * A row of pieces, one for each slice, begins at a slice that its number is hashed to, so that no
 * stride stays in a few of them. What hardware does is not published.
 */
static uint32_t spread(uint32_t slice, uint64_t row, uint32_t slices)
{
	const uint64_t hash = (row * 0x9e3779b97f4a7c15u) >> 40;

	return (uint32_t)((slice + hash) % slices);
}

/* The slice of an address; *local: the address within it. */
static uint32_t slice_of(const struct sim_config *c, uint64_t address, uint64_t *local)
{
	const uint64_t piece = address / c->l2.interleave_bytes, row = piece / c->l2.slices;
	const uint32_t slice = (uint32_t)(piece % c->l2.slices);

	*local = row * c->l2.interleave_bytes + address % c->l2.interleave_bytes;
	if (c->l2.slice_of == SIM_SLICE_IPOLY)
		return sim_ipoly(piece, (unsigned)__builtin_ctz(c->l2.slices));
	return c->l2.slice_of == SIM_SLICE_HASH ? spread(slice, row, c->l2.slices) : slice;
}

static void push_real(struct sim_mem *m, struct sim_packet *p)
{
	const struct sim_config *c = &m->config;

	p->to = slice_of(c, p->r.line, &p->local);
	p->flits = sim_flits(c, sim_request_bytes(c, &p->r));
	sim_xbar_put(&m->requests, p->r.sm, p, m->clocks.icnt.cycle + 1);
	if (!sim_xbar_room(&m->requests, p->r.sm)) {
		m->full_since[p->r.sm] = p->pushed;
		m->nfull++;
	}
}

void sim_mem_push(struct sim_mem *m, const struct sim_mem_request *r, uint64_t now)
{
	struct sim_packet p = {.r = *r, .pushed = now};

	assert(r->sectors);
	advance(m, now);
	if (r->space == SIM_MEM_CODE) {
		m->stats.code_requests++;
	} else {
		m->stats.requests++;
		m->stats.traffic_bytes += r->bytes;
	}
	if (is_perfect(m))
		push_perfect(m, &p);
	else
		push_real(m, &p);
}

/* A copy's last `bytes` bytes. */
static void copied(struct sim_mem *m, const struct tr_copy *copy, uint64_t bytes)
{
	const uint32_t line_bytes = m->config.l2.g.line_bytes;
	const uint64_t first = copy->base + (copy->bytes - bytes), last = first + (bytes - 1);

	if (!bytes)
		return;
	/* Nothing of one that goes on beyond the last address: its last line is below its first. */
	for (uint64_t line = first / line_bytes; line <= last / line_bytes; line++) {
		uint64_t local;
		const uint32_t slice = slice_of(&m->config, line * line_bytes, &local);

		sim_l2_copied(&m->slices[slice], local);
	}
}

void sim_mem_copied(struct sim_mem *m, const struct tr_copy *copies, uint32_t n)
{
	const struct sim_geometry *g = &m->config.l2.g;
	uint64_t room = 4ull * m->config.l2.slices * g->sets * g->ways * g->line_bytes;
	uint32_t i = n;

	if (!m->config.l2.copies || is_perfect(m))
		return;
	while (i && copies[i - 1].bytes < room)
		room -= copies[--i].bytes;
	if (i)
		copied(m, &copies[i - 1], room);
	for (; i < n; i++)
		copied(m, &copies[i], copies[i].bytes);
}

void sim_mem_used(struct sim_mem *m, uint64_t line, uint32_t sectors)
{
	const uint32_t line_bytes = m->config.l2.g.line_bytes;

	for (uint64_t last = SIM_NEVER; sectors && !is_perfect(m); sectors &= sectors - 1) {
		const uint64_t address = line + 32 * (uint64_t)__builtin_ctz(sectors);
		uint64_t local;
		const uint32_t slice = slice_of(&m->config, address, &local);

		if (address / line_bytes != last)
			sim_l2_used(&m->slices[slice], local & ~(uint64_t)(line_bytes - 1));
		last = address / line_bytes;
	}
}

static const struct sim_packet *first_reply(const struct sim_mem *m, uint32_t sm)
{
	if (!is_perfect(m))
		return sim_xbar_head(&m->replies, sm);
	return m->rings[sm].n ? &m->held[(size_t)sm * m->rings[sm].size + m->rings[sm].head] : NULL;
}

int sim_mem_reply(struct sim_mem *m, uint32_t sm, uint64_t now, struct sim_mem_request *r)
{
	const struct sim_packet *p;

	advance(m, now);
	p = first_reply(m, sm);
	if (!p || p->at > now)
		return 0;
	*r = p->r;
	if (r->space != SIM_MEM_CODE) {
		m->stats.replies++;
		m->stats.latency_sum += now - p->pushed;
	}
	if (is_perfect(m))
		sim_ring_take(&m->rings[sm]);
	else
		sim_xbar_take(&m->replies, sm, m->clocks.icnt.cycle + 1);
	return 1;
}

static uint64_t next_arrival(const struct sim_mem *m, uint32_t sm, uint64_t now)
{
	if (!is_perfect(m))
		return sim_xbar_arrival(&m->replies, sm, now);
	return sim_ring_arrival(&m->rings[sm], &m->held[(size_t)sm * m->rings[sm].size], now);
}

/* Each SM whose next reply has come since the last call. */
static void tell(struct sim_mem *m, uint64_t now, uint64_t *woken)
{
	m->arrivals = SIM_NEVER;
	for (uint32_t i = 0; i < m->config.sm.sms; i++) {
		if (m->arrival[i] <= now) {
			woken[i / 64] |= 1ull << (i % 64);
			m->arrival[i] = next_arrival(m, i, now);
		}
		m->arrivals = sim_min(m->arrivals, m->arrival[i]);
	}
}

void sim_mem_run(struct sim_mem *m, uint64_t now, uint64_t *woken)
{
	advance(m, now);
	for (uint32_t k = 0; k < (m->config.sm.sms + 63) / 64; k++) {
		woken[k] |= m->woken[k];
		m->woken[k] = 0;
	}
	if (m->arrivals <= now)
		tell(m, now, woken);
}

/*
 * An SM sees replies that are on the wires, or room in its queue once that was full. Whatever else
 * happens next has the replies' crossbar before it.
 */
uint64_t sim_mem_next(const struct sim_mem *m, uint64_t now)
{
	const uint64_t crossing = m->nfull ? 0 : (m->config.icnt.latency + 1) * m->clocks.icnt.step;
	const uint64_t tick = is_perfect(m) ? SIM_NEVER : next_tick(m);
	uint64_t next = m->arrivals;

	if (tick != SIM_NEVER)
		next = sim_min(next, sim_ceil(tick + crossing, m->clocks.core.step));
	return sim_max(next, now + 1);
}

void sim_mem_tick(struct sim_mem *m, int on)
{
	m->every = on;
}

const struct sim_mem_stats *sim_mem_stats(const struct sim_mem *m)
{
	return &m->stats;
}

static uint64_t hash_stats(const struct sim_mem_stats *s, uint64_t h)
{
	const uint64_t all[] = {s->requests, s->replies, s->request_flits, s->reply_flits,
		s->traffic_bytes, s->inject_stalls, s->l2_accesses, s->l2_hits, s->l2_misses,
		s->l2_merges, s->l2_writebacks, s->l2_stalls, s->l2_reads, s->l2_read_hits,
		s->l2_read_merges, s->dram_reads, s->dram_writes, s->dram_row_hits,
		s->dram_activates, s->dram_precharges, s->dram_bytes, s->dram_write_bytes,
		s->dram_active_cycles, s->dram_data_cycles, s->latency_sum, s->code_requests,
		s->code_l2_accesses, s->code_l2_hits, s->code_dram_reads};

	_Static_assert(sizeof(all) == sizeof(*s), "every statistic is hashed");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		h = sim_mix(h, all[i]);
	return h;
}

uint64_t sim_mem_hash(const struct sim_mem *m, uint64_t seed)
{
	uint64_t h = hash_stats(&m->stats, seed);

	for (uint32_t i = 0; i < m->config.sm.sms; i++) {
		h = sim_mix(h, m->full_since[i]);
		if (is_perfect(m))
			h = sim_mix_ring(h, &m->rings[i], &m->held[(size_t)i * m->rings[i].size]);
	}
	if (is_perfect(m))
		return h;
	h = sim_xbar_hash(&m->replies, sim_xbar_hash(&m->requests, h));
	for (uint32_t i = 0; i < m->config.l2.slices; i++)
		h = sim_l2_hash(&m->slices[i], h);
	for (uint32_t i = 0; i < m->nchannels; i++)
		h = sim_dram_hash(&m->channels[i], h);
	return h;
}
