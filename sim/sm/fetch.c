/*
 * Instruction supply (thesis 6.2.1 and 6.2.6): each warp has a buffer of decoded instructions,
 * which fetch schedulers fill, loose round robin. On a sliced SM there is one for the gangs (warps
 * of several slices), which goes first and takes what ports it needs, and one for each slice, for
 * one of its single warps in a cycle; else one for each scheduler, which share the ports. All turn
 * to the L1-I, which takes `ports` fetches a cycle and gives an instruction after sm.fetch_latency;
 * single warps of a slice, and schedulers, ask their L0-I first, where one is there after a cycle.
 *
 * Instructions are fetched one by one, in the order of the program, and none after a branch until
 * it is known where it goes. Left out: misses of the L1-I, fetches on a wrong way.
 */
#include "sim/sm/state.h"
#include <stdlib.h>

#define L0_LINE_INSTS 4 /* 32 bytes of TR_PC_BYTES each */
#define L0_LATENCY 1

int sim_fetch_init(struct sim_sm *sm)
{
	const struct sim_config *c = sm->sh->config;
	struct sim_fetch *f = &sm->fetch;
	const uint32_t lines = c->sm.l0i_bytes / (L0_LINE_INSTS * TR_PC_BYTES);

	f->ports = c->sm.fetch_ports;
	if (!f->ports)
		return 0;
	f->nl0 = sm->sliced.n ? sm->sliced.n : c->sm.schedulers;
	f->buffer = calloc(sm->nwarps, sizeof(*f->buffer));
	f->l0 = calloc(f->nl0, sizeof(*f->l0));
	f->last = calloc(f->nl0 + 1, sizeof(*f->last));
	f->of = calloc(f->nl0 + 1, sizeof(*f->of));
	if (!f->buffer || !f->l0 || !f->last || !f->of)
		return -1;
	for (uint32_t i = 0; i < f->nl0 && lines; i++) {
		f->l0[i].size = lines;
		f->l0[i].line = calloc(lines, sizeof(*f->l0[i].line));
		if (!f->l0[i].line)
			return -1;
	}
	sim_bits_init(&f->wants, sm->nwarps);
	for (uint32_t g = 0; g <= f->nl0; g++)
		sim_bits_init(&f->of[g], sm->nwarps);
	return 0;
}

void sim_fetch_free(struct sim_sm *sm)
{
	struct sim_fetch *f = &sm->fetch;

	for (uint32_t i = 0; f->l0 && i < f->nl0; i++)
		free(f->l0[i].line);
	free(f->l0);
	free(f->last);
	free(f->of);
	free(f->buffer);
}

void sim_fetch_launch(struct sim_sm *sm)
{
	for (uint32_t i = 0; sm->fetch.ports && i < sm->fetch.nl0; i++)
		sm->fetch.l0[i].n = 0;
}

/* ---- L0 ---- */

static void to_front(struct sim_l0 *c, uint32_t at, uint32_t line)
{
	memmove(c->line + 1, c->line, at * sizeof(*c->line));
	c->line[0] = line;
}

static int l0_has(struct sim_l0 *c, uint32_t inst)
{
	const uint32_t line = inst / L0_LINE_INSTS;

	for (uint32_t i = 0; i < c->n; i++)
		if (c->line[i] == line) {
			to_front(c, i, line);
			return 1;
		}
	return 0;
}

static void l0_put(struct sim_l0 *c, uint32_t inst)
{
	if (!c->size)
		return;
	c->n += c->n < c->size;
	to_front(c, c->n - 1, inst / L0_LINE_INSTS);
}

/* ---- buffers ---- */

/* Is it known, when an instruction is decoded, that the one after it in the program is next? */
static int goes_straight(const struct sim_program *p, uint32_t inst)
{
	const struct sim_inst *x = &p->insts[inst];

	return !x->last ||
	       (x->inst->nsucc == 1 && p->p->succ_pool[x->inst->succ] == inst + x->rows + 1);
}

/* Where the n-th instruction after pc stands: rows of operands are part of theirs. */
static uint32_t pc_after(const struct sim_program *p, uint32_t pc, uint32_t n)
{
	while (n--)
		pc += 1u + p->insts[pc].rows;
	return pc;
}

static void look_for_more(struct sim_sm *sm, uint32_t w)
{
	const struct sim_buffer *b = &sm->fetch.buffer[w];
	const int room = b->n < sm->sh->config->sm.fetch_buffer;

	if (sm->warps[w].state != SIM_W_FREE && room &&
		(!b->n ||
			goes_straight(sm->sh->program, pc_after(sm->sh->program, b->pc, b->n - 1))))
		sim_bits_set(&sm->fetch.wants, w);
	else
		sim_bits_clear(&sm->fetch.wants, w);
}

uint64_t sim_fetch_decoded(const struct sim_sm *sm, uint32_t w)
{
	const struct sim_buffer *b = &sm->fetch.buffer[w];

	return b->n ? b->at[0] : SIM_NEVER;
}

void sim_fetch_changed(struct sim_sm *sm, uint32_t w)
{
	struct sim_buffer *b = &sm->fetch.buffer[w];

	if (b->pc != sm->warps[w].pc || sm->warps[w].state == SIM_W_FREE)
		b->n = 0;
	b->pc = sm->warps[w].pc;
	look_for_more(sm, w);
}

void sim_fetch_issued(struct sim_sm *sm, uint32_t w)
{
	struct sim_buffer *b = &sm->fetch.buffer[w];
	const int straight = goes_straight(sm->sh->program, b->pc);

	if (!b->n)
		return;
	b->n--;
	memmove(b->at, b->at + 1, b->n * sizeof(*b->at));
	b->pc = pc_after(sm->sh->program, b->pc, 1);
	if (straight)
		look_for_more(sm, w);
	else /* until it stands somewhere */
		sim_bits_clear(&sm->fetch.wants, w);
}

void sim_fetch_split(struct sim_sm *sm, uint32_t w, uint32_t from)
{
	sm->fetch.buffer[w] = sm->fetch.buffer[from];
	look_for_more(sm, w);
}

void sim_fetch_join(struct sim_sm *sm, uint32_t into, uint32_t from)
{
	struct sim_buffer *b = &sm->fetch.buffer[into], *x = &sm->fetch.buffer[from];

	b->n = x->n < b->n ? x->n : b->n;
	for (uint32_t i = 0; i < b->n; i++)
		b->at[i] = x->at[i] > b->at[i] ? x->at[i] : b->at[i];
	x->n = 0;
	look_for_more(sm, into);
}

/* ---- a cycle ---- */

/* The next instruction of a warp comes `latency` cycles from now, and after those before it. */
static void fill(
	struct sim_sm *sm, uint32_t w, uint32_t latency, struct sim_bits *first, uint64_t now)
{
	struct sim_buffer *b = &sm->fetch.buffer[w];
	uint64_t at = now + (latency ? latency : 1);

	if (b->n && b->at[b->n - 1] > at)
		at = b->at[b->n - 1];
	b->at[b->n++] = at;
	if (b->n == 1)
		sim_bits_set(first, w);
	look_for_more(sm, w);
}

static void from_l1(struct sim_sm *sm, uint32_t w, struct sim_bits *first, uint64_t now)
{
	sm->sh->stats->fetches++;
	fill(sm, w, sm->sh->config->sm.fetch_latency, first, now);
}

/* The next one of some warps after the last, round robin. */
static uint32_t next_round(const struct sim_bits *of, uint32_t last)
{
	const uint32_t next = sim_bits_next(of, last + 1);

	return next != UINT32_MAX ? next : sim_bits_next(of, 0);
}

/* f->of: warps that want an instruction, by fetch scheduler. One for each L0-I, then the gangs'. */
static void share_out(struct sim_sm *sm)
{
	struct sim_fetch *f = &sm->fetch;

	for (uint32_t g = 0; g < f->nl0 + (sm->sliced.n != 0); g++)
		for (uint32_t k = 0; k < f->wants.words; k++)
			f->of[g].w[k] = sm->sliced.n ? 0 : f->wants.w[k] & sm->sched[g].mine.w[k];
	for (uint32_t k = 0; sm->sliced.n && k < f->wants.words; k++)
		for (uint64_t m = f->wants.w[k]; m; m &= m - 1) {
			const uint32_t w = k * 64 + (uint32_t)__builtin_ctzll(m);
			const uint32_t slices = sm->warps[w].slices;
			const int gang = (slices & (slices - 1)) != 0;

			if (slices)
				sim_bits_set(
					&f->of[gang ? f->nl0 : (uint32_t)__builtin_ctz(slices)], w);
		}
}

/* A fetch scheduler fetches for one of its warps. 0: it has none, or there is no port for it. */
static int fetch_for(
	struct sim_sm *sm, uint32_t g, uint32_t *ports, struct sim_bits *first, uint64_t now)
{
	struct sim_fetch *f = &sm->fetch;
	struct sim_l0 *l0 = g < f->nl0 ? &f->l0[g] : NULL;
	const uint32_t w = next_round(&f->of[g], f->last[g]);
	const struct sim_buffer *b = &f->buffer[w];

	if (w == UINT32_MAX)
		return 0;
	if (l0 && l0_has(l0, pc_after(sm->sh->program, b->pc, b->n))) {
		sm->sh->stats->l0_hits++;
		f->last[g] = w;
		sim_bits_clear(&f->of[g], w);
		fill(sm, w, L0_LATENCY, first, now);
		return 1;
	}
	if (!*ports)
		return 0;
	--*ports;
	f->last[g] = w;
	sim_bits_clear(&f->of[g], w);
	if (l0)
		l0_put(l0, pc_after(sm->sh->program, b->pc, b->n));
	from_l1(sm, w, first, now);
	return 1;
}

int sim_fetch_step(struct sim_sm *sm, struct sim_bits *first, uint64_t now)
{
	struct sim_fetch *f = &sm->fetch;
	uint32_t ports = f->ports, each = 1;

	sim_bits_init(first, sm->nwarps);
	if (!sim_bits_any(&f->wants))
		return 0;
	share_out(sm);
	if (sm->sliced.n)
		while (fetch_for(sm, f->nl0, &ports, first, now)) {
		}
	else if (f->ports > f->nl0)
		each = f->ports / f->nl0;
	for (uint32_t i = 0; i < f->nl0; i++) { /* who begins changes with time alone */
		const uint32_t g = (uint32_t)((now + i) % f->nl0);

		for (uint32_t k = 0; k < each && fetch_for(sm, g, &ports, first, now); k++) {
		}
	}
	return sim_bits_any(&f->wants);
}
