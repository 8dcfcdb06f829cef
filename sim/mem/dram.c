/* One DRAM channel; see dram.h for what it models. */
#include "sim/mem/dram.h"
#include <assert.h>
#include <stdlib.h>

static uint32_t turns(const struct sim_dram *d)
{
	return d->config->dram.refresh_banks ? d->config->dram.banks : 1;
}

/* When refresh i is due: the first after tREFI, then as many in each tREFI as there are turns. */
static uint64_t refresh_at(const struct sim_dram *d, uint64_t i)
{
	return (uint64_t)d->config->dram.tREFI * (turns(d) + i) / turns(d);
}

int sim_dram_new(struct sim_dram *d, const struct sim_config *c, struct sim_mem_stats *stats,
	struct tr_err *err)
{
	*d = (struct sim_dram){.config = c,
		.stats = stats,
		.next = SIM_NEVER,
		.refresh_next = SIM_NEVER,
		.groups = c->dram.groups ? c->dram.groups : 1,
		.group_bytes = c->dram.group_bytes ? c->dram.group_bytes : c->dram.row_bytes};
	d->entries = calloc(c->dram.queue, sizeof(*d->entries));
	d->banks = calloc(c->dram.banks, sizeof(*d->banks));
	if (!d->entries || !d->banks)
		return tr_fail(err, TR_EMEM, 0, "no memory for a DRAM channel");
	for (uint32_t b = 0; b < c->dram.banks; b++)
		d->banks[b] = (struct sim_dram_bank){.oldest = SIM_NONE,
			.youngest = SIM_NONE,
			.pick = SIM_NONE,
			.row = SIM_NEVER,
			.ready = SIM_NEVER};
	if (c->dram.tREFI)
		d->refresh_next = refresh_at(d, 0);
	return 1;
}

void sim_dram_free(struct sim_dram *d)
{
	free(d->entries);
	free(d->banks);
}

#define ROW_COMMAND (1ull << 63) /* in a rank */

/* What a bank does next for its pick. */
static void prepare(const struct sim_dram *d, struct sim_dram_bank *b)
{
	const struct sim_dram_entry *e;

	if (b->pick == SIM_NONE) {
		b->ready = SIM_NEVER;
		return;
	}
	e = &d->entries[b->pick];
	b->rank = e->order;
	if (b->row == e->row) {
		b->command = e->r.write ? SIM_DRAM_WRITE : SIM_DRAM_READ;
		b->ready = b->column_ok;
		return;
	}
	b->rank |= ROW_COMMAND;
	b->command = b->row == SIM_NEVER ? SIM_DRAM_ACTIVATE : SIM_DRAM_PRECHARGE;
	b->ready = b->row == SIM_NEVER ? b->activate_ok : b->precharge_ok;
}

/* ---- refresh ---- */

/* Bank b closes as soon as it may, from cycle `due` on; from when on it may be refreshed. */
static uint64_t close_row(const struct sim_dram *d, struct sim_dram_bank *b, uint64_t due)
{
	if (b->row == SIM_NEVER)
		return sim_max(due, b->activate_ok);
	d->stats->dram_precharges++;
	b->row = SIM_NEVER;
	b->pick = b->oldest;
	return sim_max(b->activate_ok, sim_max(due, b->precharge_ok) + d->config->dram.tRP);
}

/* The refresh that is due goes, of all banks or of the one whose turn it is. */
static void refresh(struct sim_dram *d)
{
	const uint32_t n = turns(d), banks = d->config->dram.banks;
	const uint32_t from = n > 1 ? (uint32_t)(d->refreshes % n) : 0;
	const uint32_t to = n > 1 ? from + 1 : banks;
	uint64_t start = 0;

	for (uint32_t i = from; i < to; i++)
		start = sim_max(start, close_row(d, &d->banks[i], d->refresh_next));
	for (uint32_t i = from; i < to; i++) {
		d->banks[i].activate_ok = start + d->config->dram.tRFC;
		prepare(d, &d->banks[i]);
	}
	d->refresh_next = refresh_at(d, ++d->refreshes);
}

/*
 * The refreshes that were due before `cycle`, while there was no request. After the first of each
 * bank all is closed, and only the last of each leaves a mark.
 */
static void catch_up(struct sim_dram *d, uint64_t cycle)
{
	const uint32_t n = turns(d);

	for (uint32_t i = 0; i < n && d->refresh_next < cycle; i++)
		refresh(d);
	if (d->refresh_next < cycle) {
		const uint64_t due = (cycle - d->refresh_next) / d->config->dram.tREFI * n;

		d->refreshes += due - (due ? n : 0);
		d->refresh_next = refresh_at(d, d->refreshes);
	}
	while (d->refresh_next < cycle)
		refresh(d);
}

void sim_dram_put(struct sim_dram *d, const struct sim_dram_request *r, uint64_t cycle)
{
	const uint64_t place = r->local / d->config->dram.row_bytes / d->groups;
	const uint32_t rows = d->config->dram.banks / d->groups; /* banks of a group */
	const uint32_t e = d->free;
	struct sim_dram_entry *entry = &d->entries[e];
	struct sim_dram_bank *b;

	assert(sim_dram_room(d));
	if (!d->n++) {
		d->counted = sim_max(d->counted, cycle);
		catch_up(d, cycle);
	}
	d->free = e + 1 + entry->younger;
	d->turn = (r->slice + 1) % sim_sharers(d->config);
	*entry = (struct sim_dram_entry){.r = *r,
		.row = place / rows,
		.bank = (uint32_t)(place % rows) * d->groups +
			(uint32_t)(r->local / d->group_bytes % d->groups),
		.burst = (uint32_t)sim_ceil(r->bytes, d->config->dram.bytes_per_cycle),
		.order = d->order++,
		.younger = SIM_NONE};
	b = &d->banks[entry->bank];
	if (b->oldest == SIM_NONE)
		b->oldest = e;
	else
		d->entries[b->youngest].younger = e;
	b->youngest = e;
	if (b->pick == SIM_NONE || (!d->config->dram.fcfs && entry->row == b->row &&
					   d->entries[b->pick].row != b->row)) {
		b->pick = e;
		prepare(d, b);
		d->next = sim_min(d->next, sim_max(cycle, sim_max(b->ready, d->ok[b->command])));
	}
	d->next = sim_min(d->next, sim_max(cycle, d->refresh_next));
}

static void pick(struct sim_dram *d, struct sim_dram_bank *b)
{
	b->pick = b->oldest;
	if (d->config->dram.fcfs)
		return;
	for (uint32_t e = b->oldest; e != SIM_NONE; e = d->entries[e].younger)
		if (d->entries[e].row == b->row) {
			b->pick = e;
			return;
		}
}

static void leave(struct sim_dram *d, struct sim_dram_bank *b, uint32_t e)
{
	uint32_t *link = &b->oldest, older = SIM_NONE;

	while (*link != e) {
		older = *link;
		link = &d->entries[older].younger;
	}
	*link = d->entries[e].younger;
	if (b->youngest == e)
		b->youngest = older;
	d->entries[e].younger = d->free - (e + 1);
	d->free = e;
	d->n--;
}

static void count(struct sim_dram *d, const struct sim_dram_bank *b, const struct sim_dram_entry *e,
	uint64_t end)
{
	struct sim_mem_stats *s = d->stats;

	*(e->r.write ? &s->dram_writes : e->r.code ? &s->code_dram_reads : &s->dram_reads) += 1;
	s->dram_row_hits += !b->fresh;
	s->dram_bytes += e->r.code ? 0 : e->r.bytes;
	s->dram_write_bytes += e->r.write ? e->r.bytes : 0;
	s->dram_data_cycles += e->burst;
	s->dram_active_cycles += end - d->counted;
	d->counted = end;
}

/* The other banks of an entry's group give no column before `ok`. */
static void part_columns(struct sim_dram *d, uint32_t e, uint64_t ok)
{
	for (uint32_t i = d->entries[e].bank % d->groups; i < d->config->dram.banks;
		i += d->groups) {
		struct sim_dram_bank *b = &d->banks[i];

		b->column_ok = sim_max(b->column_ok, ok);
		if (b->ready != SIM_NEVER)
			prepare(d, b);
	}
}

/* Nor does the group of bank b open a row. */
static void part_activates(struct sim_dram *d, const struct sim_dram_bank *b, uint64_t ok)
{
	for (uint32_t i = (uint32_t)(b - d->banks) % d->groups; i < d->config->dram.banks;
		i += d->groups) {
		d->banks[i].activate_ok = sim_max(d->banks[i].activate_ok, ok);
		if (d->banks[i].ready != SIM_NEVER)
			prepare(d, &d->banks[i]);
	}
}

static void column(
	struct sim_dram *d, struct sim_dram_bank *b, uint64_t cycle, struct sim_dram_served *served)
{
	const struct sim_config *c = d->config;
	const uint32_t e = b->pick;
	const struct sim_dram_entry *entry = &d->entries[e];
	const uint64_t through = cycle + sim_max(entry->burst, c->dram.tCCD);
	const uint64_t end = cycle + c->dram.tCL + entry->burst;

	d->ok[SIM_DRAM_READ] = d->ok[SIM_DRAM_WRITE] = through;
	if (entry->r.write) {
		d->ok[SIM_DRAM_READ] = sim_max(through, end + c->dram.tWTR);
		b->precharge_ok = sim_max(b->precharge_ok, end + c->dram.tWR);
	} else {
		b->precharge_ok = sim_max(b->precharge_ok, through);
	}
	count(d, b, entry, end);
	b->fresh = false;
	if (c->dram.tCCDL)
		part_columns(d, e, cycle + c->dram.tCCDL);
	*served = (struct sim_dram_served){.r = entry->r, .done = end};
	leave(d, b, e);
	pick(d, b);
}

static void activate(struct sim_dram *d, struct sim_dram_bank *b, uint64_t cycle)
{
	const struct sim_config *c = d->config;

	b->row = d->entries[b->pick].row;
	b->fresh = true;
	b->column_ok = sim_max(b->column_ok, cycle + c->dram.tRCD); /* tCCDL may be longer */
	b->precharge_ok = cycle + c->dram.tRAS;
	b->activate_ok = cycle + c->dram.tRC;
	d->ok[SIM_DRAM_ACTIVATE] = cycle + c->dram.tRRD;
	if (c->dram.tRRDL)
		part_activates(d, b, cycle + c->dram.tRRDL);
	if (c->dram.tFAW) {
		d->activates[d->activate] = cycle + c->dram.tFAW;
		d->activate = (d->activate + 1) % SIM_DRAM_FAW;
		d->ok[SIM_DRAM_ACTIVATE] =
			sim_max(d->ok[SIM_DRAM_ACTIVATE], d->activates[d->activate]);
	}
	d->stats->dram_activates++;
}

static void precharge(const struct sim_dram *d, struct sim_dram_bank *b, uint64_t cycle)
{
	b->row = SIM_NEVER;
	b->activate_ok = sim_max(b->activate_ok, cycle + d->config->dram.tRP);
	b->pick = b->oldest;
	d->stats->dram_precharges++;
}

/* The oldest request of all, whose column command comes next under fcfs. */
static uint64_t oldest_order(const struct sim_dram *d)
{
	uint64_t order = SIM_NEVER;

	for (uint32_t i = 0; i < d->config->dram.banks; i++)
		if (d->banks[i].oldest != SIM_NONE)
			order = sim_min(order, d->entries[d->banks[i].oldest].order);
	return order;
}

/*
 * The bank whose command goes in this cycle, of those of rank `from` and above, or NULL. *next:
 * when another's may go, as things stand before that command, which can only put it off. The
 * hottest loop of a busy memory: no branches.
 */
static inline struct sim_dram_bank *choose(
	const struct sim_dram *d, uint64_t cycle, uint64_t from, uint64_t *next)
{
	const uint64_t last = d->config->dram.fcfs ? oldest_order(d) : ROW_COMMAND - 1;
	const uint32_t n = d->config->dram.banks;
	uint64_t least = SIM_NEVER, soon = SIM_NEVER;
	uint32_t best = n, ready = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct sim_dram_bank *b = &d->banks[i];
		const uint64_t when = sim_max(b->ready, d->ok[b->command]);
		const bool now = when <= cycle;
		const bool may =
			now & ((b->rank <= last) | (b->rank >= ROW_COMMAND)) & (b->rank >= from);
		const uint64_t rank = may ? b->rank : SIM_NEVER;

		soon = sim_min(soon, now ? SIM_NEVER : when);
		ready += now;
		best = rank < least ? i : best;
		least = sim_min(least, rank);
	}
	*next = ready > 1 ? cycle + 1 : soon;
	return best < n ? &d->banks[best] : NULL;
}

/* Bank b's command goes; true where it is a column's. */
static bool command(
	struct sim_dram *d, struct sim_dram_bank *b, uint64_t cycle, struct sim_dram_served *served)
{
	const enum sim_dram_command command = b->command;

	if (command == SIM_DRAM_PRECHARGE)
		precharge(d, b, cycle);
	else if (command == SIM_DRAM_ACTIVATE)
		activate(d, b, cycle);
	else
		column(d, b, cycle, served);
	prepare(d, b);
	d->next = sim_min(d->next, sim_max(cycle + 1, sim_max(b->ready, d->ok[b->command])));
	return command <= SIM_DRAM_WRITE;
}

bool sim_dram_step(struct sim_dram *d, uint64_t cycle, struct sim_dram_served *served)
{
	struct sim_dram_bank *b;
	bool served_one;

	while (d->n && d->refresh_next <= cycle)
		refresh(d);
	b = choose(d, cycle, 0, &d->next);
	served_one = b && command(d, b, cycle, served);
	if (served_one && d->config->dram.two_commands) {
		const uint64_t next = d->next;

		b = choose(d, cycle, ROW_COMMAND, &d->next);
		d->next = sim_min(d->next, next);
		if (b)
			command(d, b, cycle, served);
	}
	if (d->n)
		d->next = sim_min(d->next, d->refresh_next);
	return served_one;
}

uint64_t sim_dram_hash(const struct sim_dram *d, uint64_t h)
{
	for (uint32_t i = 0; i < d->config->dram.banks; i++) {
		const struct sim_dram_bank *b = &d->banks[i];

		for (uint32_t k = b->oldest; k != SIM_NONE; k = d->entries[k].younger) {
			const struct sim_dram_entry *e = &d->entries[k];

			h = sim_mix(sim_mix(h, e->r.local), e->order);
			h = sim_mix(h, (uint64_t)e->r.bytes << 32 | e->r.mshr);
			h = sim_mix(
				h, (uint64_t)e->r.slice << 2 | e->r.write << 1 | (k == b->pick));
		}
		h = sim_mix(sim_mix(h, b->row), b->fresh);
		h = sim_mix(sim_mix(h, b->column_ok), b->activate_ok);
		h = sim_mix(h, b->precharge_ok);
	}
	for (unsigned i = 0; i < SIM_DRAM_NCOMMANDS; i++)
		h = sim_mix(h, d->ok[i]);
	for (unsigned i = 0; i < SIM_DRAM_FAW && d->config->dram.tFAW; i++)
		h = sim_mix(h, d->activates[(d->activate + i) % SIM_DRAM_FAW]);
	if (d->config->dram.tREFI)
		h = sim_mix(h, d->refreshes);
	return sim_mix(sim_mix(sim_mix(h, (uint64_t)d->turn << 32 | d->n), d->order), d->counted);
}
