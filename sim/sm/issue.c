/*
 * What the lanes of an instruction do: outcomes and addresses are read from the threads' records,
 * counted, and handed to the memory unit. Warps that issue it together are one wide warp here: one
 * instruction, one coalescing.
 */
#include "sim/sm/state.h"

/* ---- of lanes that keep pace ---- */

/* Has a warp, which is full, the threads from `first` on? Four of them at a time. */
static int is_row(const struct sim_warp *w, uint32_t first)
{
	const uint64_t ones = 0x0001000100010001ull;
	uint16_t at[4] = {0, 1, 2, 3};
	uint64_t four, wanted, differ = 0;

	memcpy(&wanted, at, sizeof(wanted));
	wanted += first * ones;
	for (uint32_t lane = 0; lane < w->nlanes; lane += 4, wanted += 4 * ones) {
		memcpy(&four, w->thread + lane, sizeof(four));
		differ |= four ^ wanted;
	}
	return !differ;
}

static inline uint32_t first_thread(const struct sim_warp *w)
{
	return w->thread[__builtin_ctzll(w->lanes.w[0])];
}

/* The member that all threads of a warp are of; TR_NONE: of several. */
static uint32_t row_of(const struct sim_sm *sm, const struct sim_warp *w)
{
	const uint32_t bits = sm->column_bits;
	const uint32_t row = first_thread(w) >> bits;
	uint32_t others = 0;

	if (w->lanes.w[0] == UINT64_MAX >> (64 - w->nlanes) && w->nlanes % 4 == 0)
		return is_row(w, row << bits) ? row : TR_NONE;
	for (uint64_t m = w->lanes.w[0]; m; m &= m - 1)
		others |= (uint32_t)w->thread[__builtin_ctzll(m)] >> bits ^ row;
	return others ? TR_NONE : row;
}

/* Threads that have come together from several members: each is on its own from now on. */
static void part_rows(struct sim_sm *sm, const struct sim_warp *w)
{
	for (uint64_t m = w->lanes.w[0]; m; m &= m - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(m);
		const uint32_t row = (uint32_t)w->thread[lane] >> sm->column_bits;

		if (sm->pace[row].lanes >> lane & 1)
			sim_settle(sm, row);
	}
}

/* Lanes that have read equally much of their records share a cursor (pace.h), others do not. */
uint32_t sim_issue_level(struct sim_sm *sm, uint32_t warp)
{
	const struct sim_warp *w = &sm->warps[warp];
	uint32_t row = warp;
	struct sim_pace *p;

	sm->warps[warp].pace_of = (uint16_t)sm->npaces;
	if (!sm->keeps_pace)
		return sm->npaces;
	if (sm->shape.columns)
		row = row_of(sm, w);
	if (row == TR_NONE) {
		part_rows(sm, w);
		return sm->npaces;
	}
	p = &sm->pace[row];
	if (p->lanes && p->lanes != w->lanes.w[0])
		sim_pace_end(p, sm->threads);
	/* Whether a read overtakes its producer is told by its thread's cursor. */
	if (!p->lanes && w->active > 1 && !sim_cta_of(sm, first_thread(w))->tape.nsync)
		sim_pace_try(p, w, sm->threads);
	if (!p->lanes)
		return sm->npaces;
	sm->warps[warp].pace_of = (uint16_t)row;
	return row;
}

/*
 * Each outcome is one byte. Where the lanes of a branch part they are level no more; sim_warp.to is
 * then TR_NONE, and the threads have their pcs.
 */
static void take_outcomes_level(
	struct sim_sm *sm, uint32_t warp, const struct sim_inst *x, struct sim_mask *truth)
{
	const uint32_t *succ = sm->sh->program->p->succ_pool + x->inst->succ;
	struct sim_warp *w = &sm->warps[warp];
	struct sim_pace *p = sim_issue_pace(sm, warp);
	const uint8_t *outcome = p->outcome;
	uint32_t on = 0;

	p->outcome += p->stride;
	p->outcomes--;
	p->outcomes_read++;
	for (uint32_t lane = 0; lane < p->n; lane++)
		on |= (uint32_t)(outcome[lane] != 0) << lane;
	on &= p->lanes;
	if (x->guarded)
		truth->w[0] = on;
	if (x->inst->nsucc <= 1)
		return;
	w->to = on == p->lanes ? succ[1] : on ? TR_NONE : succ[0];
	if (w->to != TR_NONE)
		return;
	sim_pace_end(p, sm->threads);
	for (uint32_t m = (uint32_t)w->lanes.w[0]; m; m &= m - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctz(m);

		sm->threads[w->thread[lane]].pc = succ[on >> lane & 1];
	}
}

static void take_values_level(struct sim_pace *p, uint64_t *value)
{
	memcpy(value, p->value, p->n * sizeof(*value));
	p->value += p->stride;
	for (uint32_t at = 0; at < p->n; at += 8) /* it has gone cold when it is asked for */
		__builtin_prefetch(p->value + at);
	p->values--;
	p->values_read++;
}

/* ---- of each lane by itself ---- */

/* Reads the outcomes of the lanes; the lanes whose guard is true, and branches' ways. */
static void take_outcomes(
	struct sim_sm *sm, struct sim_warp *w, const struct sim_inst *x, struct sim_mask *truth)
{
	const uint32_t *succ = sm->sh->program->p->succ_pool + x->inst->succ;
	uint32_t lane, first = TR_NONE;
	int part = 0;

	FOR_LANES(w->lanes, lane)
	{
		struct sim_thread *t = &sm->threads[w->thread[lane]];
		uint32_t outcome;

		if (t->outcomes < 1u + x->two_bytes) {
			sim_lost(sm, t, "goes on after the end of its record");
			return;
		}
		outcome = sim_tape_outcome(t);
		if (x->two_bytes)
			outcome |= sim_tape_outcome(t) << 8;
		if (x->inst->nsucc > 1) {
			t->pc = succ[outcome < x->inst->nsucc ? outcome : 0];
			first = first == TR_NONE ? t->pc : first;
			part |= t->pc != first;
		}
		if (x->guarded && !outcome)
			truth->w[lane / 64] &= ~(1ull << (lane % 64));
	}
	w->to = part ? TR_NONE : first;
}

static void take_values(struct sim_sm *sm, const struct sim_warp *w, const struct sim_inst *x,
	const struct sim_mask *truth, uint64_t *value)
{
	uint32_t lane;

	FOR_LANES(*truth, lane)
	{
		struct sim_thread *t = &sm->threads[w->thread[lane]];

		if (!x->has_value) {
			value[lane] = (uint64_t)x->inst->disp;
			continue;
		}
		if (!t->values) {
			sim_lost(sm, t, "goes on after the end of its record");
			return;
		}
		if (t->sync != TR_NONE) {
			const struct sim_cta *c = sim_cta_of(sm, w->thread[lane]);

			sm->sh->stats->overtaken_reads +=
				sim_tape_overtakes(&c->tape, sm->threads + c->first, t);
		}
		value[lane] = sim_tape_value(t);
	}
}

/* Does the value of a lane name a thread that is not among these lanes? All are of one CTA. */
static int lacks_members(const struct sim_sm *sm, const struct sim_warp *w,
	const struct sim_mask *lanes, const uint64_t *value)
{
	uint32_t here[TR_CTA_THREADS_MAX / TR_GROUP] = {0}, lane, number;
	int lacks = 0;

	FOR_LANES(*lanes, lane)
	{
		number = sm->threads[w->thread[lane]].number;
		here[number / TR_GROUP] |= 1u << (number % TR_GROUP);
	}
	FOR_LANES(*lanes, lane)
	{
		number = sm->threads[w->thread[lane]].number;
		lacks |= ((uint32_t)value[lane] & ~here[number / TR_GROUP]) != 0;
	}
	return lacks;
}

/*
 * A collective needs all its recorded members (lanes of the recorder's warp of 32) among the lanes
 * that execute it together.
 */
static void check_collective(struct sim_sm *sm, const struct sim_warp *w,
	const struct sim_mask *truth, const uint64_t *value)
{
	struct sim_mask left = *truth;
	uint32_t lane;
	int lacks = 0;

	while (sim_lanes(&left)) { /* once for each CTA */
		struct sim_mask same = {{0}};
		const struct sim_cta *cta = NULL;

		FOR_LANES(left, lane)
		{
			const struct sim_cta *c = sim_cta_of(sm, w->thread[lane]);

			if (!cta)
				cta = c;
			if (c == cta)
				same.w[lane / 64] |= 1ull << (lane % 64);
		}
		lacks |= lacks_members(sm, w, &same, value);
		for (int k = 0; k < SIM_MASK_WORDS; k++)
			left.w[k] &= ~same.w[k];
	}
	sm->sh->stats->short_collectives += (unsigned)lacks;
}

/* Adds the lanes of one of its warps, as lanes `base` and on. */
static void read_warp(struct sim_sm *sm, const struct sim_inst *x, uint32_t warp, uint32_t base,
	struct sim_lanes *all)
{
	uint64_t *value = all->value;
	struct sim_warp *w = &sm->warps[warp];
	struct sim_pace *p = sim_issue_pace(sm, warp);
	struct sim_mask truth = sim_active(w);

	if (p->lanes && ((x->has_outcome && (!p->outcomes || x->inst->nsucc > 2)) ||
				(x->has_value && !p->values)))
		sim_pace_end(p, sm->threads);
	if (x->has_outcome && p->lanes)
		take_outcomes_level(sm, warp, x, &truth);
	else if (x->has_outcome)
		take_outcomes(sm, w, x, &truth);
	if (p->lanes && x->has_value && truth.w[0] != p->lanes && truth.w[0])
		sim_pace_end(p, sm->threads); /* only some of them read a value */
	if (p->lanes && x->has_value && truth.w[0])
		take_values_level(p, value + base);
	else if (x->has_value || sim_is_memory(x) || x->mbarrier)
		take_values(sm, w, x, &truth, value + base);
	if (sm->failed)
		return;
	if (x->inst->flags & TR_I_COLLECTIVE)
		check_collective(sm, w, &truth, value + base);
	all->done += x->guarded ? sim_lanes(&truth) : w->active;
	all->active += w->active;
	all->inactive += w->inactive;
	all->waiting += w->waiting;
	if (!base) {
		all->truth = truth;
		return;
	}
	for (int k = 0; k < SIM_MASK_WORDS; k++)
		if (truth.w[k]) /* widths are powers of two: no word goes over a border */
			all->truth.w[base / 64 + (unsigned)k] |= truth.w[k] << (base % 64);
}

void sim_issue_records(struct sim_sm *sm, const struct sim_wide *wide, const struct sim_inst *x,
	struct sim_lanes *lanes)
{
	lanes->done = lanes->active = lanes->inactive = lanes->waiting = 0;
	for (uint32_t i = 0; i < wide->n && !sm->failed; i++)
		read_warp(sm, x, wide->warp[i], i * wide->width, lanes);
}

void sim_issue_operands(
	struct sim_sm *sm, const struct sim_wide *wide, uint32_t pc, struct sim_lanes *lanes)
{
	const struct sim_program *p = sm->sh->program;

	for (uint32_t k = 0; k < p->insts[pc].rows && !sm->failed; k++) {
		const struct tr_inst *in = &p->p->insts[pc + k];
		const struct sim_inst row = {.inst = in,
			.has_outcome = (in->flags & TR_I_OUTCOME) != 0,
			.has_value = 1,
			.guarded = in->guard != TR_NONE};

		sim_issue_records(sm, wide, &row, lanes);
		memcpy(lanes->operand, lanes->value, sizeof(lanes->operand));
	}
}

static struct sim_origin origin_of(
	const struct sim_sm *sm, uint32_t thread, uint32_t member, uint32_t loop)
{
	const struct sim_sink *sink = sm->sh->sink;

	return (struct sim_origin){.cta = sm->ctas[sm->cta_at[thread / sm->granule]].number,
		.warp = sm->threads[thread].number / sm->widest,
		.loop = loop,
		.trip = loop == TR_NONE
				? 0
				: sm->trips[(size_t)member * sm->sh->program->p->nloops + loop],
		.warp_insts = sink ? sink->warp_insts : 0,
		.thread_insts = sink ? sink->thread_insts : 0};
}

/*
 * Whose shared memory a thread's access reaches, where the address names a CTA of its cluster
 * (FORMAT.md, section 7). That of its own CTA has then the address that it has without the name.
 */
static uint16_t shared_of(
	struct sim_sm *sm, const struct sim_inst *x, uint32_t thread, uint64_t *address)
{
	const uint32_t whose = (uint32_t)(*address >> TR_SHARED_RANK_AT) & 0xff;
	const struct sim_cluster *c = sim_cta_of(sm, thread)->cluster;

	if (!whose || !c || whose > c->ctas ||
		tr_space_of((enum tr_space)x->space, *address) != TR_S_SHARED)
		return SIM_HERE;
	if (sim_cta_of(sm, thread)->rank == whose - 1)
		*address &= ~(0xffull << TR_SHARED_RANK_AT);
	return c->sm[whose - 1] == sm->number ? SIM_HERE : c->sm[whose - 1];
}

/* Where lanes may be in other SMs' shared memory: whose each is in, by lane. */
static inline int may_be_far(const struct sim_sm *sm, const struct sim_inst *x)
{
	return sm->clusters && (x->space == TR_S_SHARED || x->space == TR_S_GENERIC);
}

int sim_issue_access(
	struct sim_sm *sm, const struct sim_wide *wide, uint32_t inst, struct sim_lanes *lanes)
{
	uint16_t whose[TR_LANES_MAX];

	const struct sim_inst *x = &sm->sh->program->insts[inst];
	struct sim_mask left = lanes->truth;
	const uint32_t lane = sim_pop(&left), slot = wide->warp[lane / wide->width];
	const uint32_t first = sm->warps[slot].thread[lane % wide->width];
	const uint32_t member = sm->shape.member ? first / sm->shape.member : slot;
	/* Where a warp has one instruction in flight, a store is in flight until it has left. */
	struct sim_lsu_inst i = {.x = x,
		.inst = inst,
		.wide = wide,
		.warps = sm->warps,
		.lanes = &lanes->truth,
		.address = lanes->value,
		.group = x->copy == TR_COPY_LOAD ? sm->group : NULL,
		.reads = sm->counters && x->sources,
		.waits = x->ndst != 0 || sim_one_in_flight(sm) || (sm->counters && x->result)};

	if (may_be_far(sm, x)) {
		uint32_t l;

		i.sm = whose;
		FOR_LANES(lanes->truth, l)
		{
			const struct sim_warp *w = &sm->warps[wide->warp[l / wide->width]];

			whose[l] = shared_of(sm, x, w->thread[l % wide->width], &lanes->value[l]);
		}
	}
	if (sm->lsu.is.seen)
		i.from = origin_of(sm, first, member, sm->sh->program->p->blocks[x->block].loop);
	for (uint32_t k = 0; i.waits && k < wide->n; k++)
		sm->warps[wide->warp[k]].outstanding++;
	return sim_lsu_put(&sm->lsu, &i);
}

void sim_issue_tell(struct sim_sm *sm, const struct sim_wide *wide, uint32_t inst,
	const struct sim_lanes *lanes)
{
	const struct sim_lsu_inst i = {.x = &sm->sh->program->insts[inst],
		.inst = inst,
		.wide = wide,
		.warps = sm->warps,
		.lanes = &lanes->truth,
		.address = lanes->value};

	sim_lsu_tell(&sm->lsu, &i);
}

/* ---- of slices, all that issue in a cycle ---- */

static int one_kind(const struct sim_inst *x, const struct sim_inst *y)
{
	return x->unit == y->unit && x->space == y->space && x->bytes == y->bytes &&
	       x->is_load == y->is_load && x->is_store == y->is_store && !x->ndst == !y->ndst;
}

/* The collected access that instruction x becomes part of, or a new one. */
static uint32_t together_with(const struct sim_sm *sm, const struct sim_inst *x)
{
	uint32_t i = 0;

	while (i < sm->sliced.ntogether && !one_kind(sm->sliced.together[i].x, x))
		i++;
	return i;
}

int sim_issue_fits(const struct sim_sm *sm, uint32_t warp)
{
	return together_with(sm, sim_next_inst(sm, warp)) < sm->sliced.ntogether ||
	       sm->lsu.njobs + sm->sliced.ntogether < sm->lsu.size;
}

void sim_issue_together(
	struct sim_sm *sm, uint32_t warp, uint32_t inst, const struct sim_lanes *lanes)
{
	const struct sim_inst *x = &sm->sh->program->insts[inst];
	const uint32_t at = together_with(sm, x);
	struct sim_together *t = &sm->sliced.together[at];
	const struct sim_sink *sink = sm->sh->sink;
	uint32_t slices = 0;

	if (at == sm->sliced.ntogether) {
		sm->sliced.ntogether++;
		t->x = x;
		t->slices = 0;
		t->lanes = 0;
		t->warp_insts = sink ? sink->warp_insts : 0;
		t->thread_insts = sink ? sink->thread_insts : 0;
	}
	t->lanes |= lanes->truth.w[0];
	for (uint64_t m = lanes->truth.w[0]; m; m &= m - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(m), k = lane / sm->shape.slice;

		t->value[lane] = lanes->value[lane];
		t->warp[k] = (uint16_t)warp;
		t->slice_inst[k] = inst;
		slices |= 1u << k;
	}
	t->slices |= slices;
	sim_slices_wait(sm, warp, x, slices, x->ndst != 0 || sim_one_in_flight(sm));
	if (sm->watch && (x->ndst || sim_one_in_flight(sm)))
		sim_watch_out_slices(sm, warp, inst, slices);
}

int sim_issue_accesses(struct sim_sm *sm)
{
	int rc = 0;

	for (uint32_t i = 0; i < sm->sliced.ntogether && !rc; i++) {
		struct sim_together *t = &sm->sliced.together[i];
		const uint32_t lane = (uint32_t)__builtin_ctzll(t->lanes),
			       k = lane / sm->shape.slice, inst = t->slice_inst[k],
			       first = sm->warps[t->warp[k]].thread[lane],
			       block = sm->sh->program->insts[inst].block,
			       loop = sm->sh->program->p->blocks[block].loop;
		const struct sim_mask lanes = {{t->lanes}};
		struct sim_wide wide;
		struct sim_lsu_inst access = {.x = t->x,
			.inst = inst,
			.wide = &wide,
			.warps = sm->warps,
			.lanes = &lanes,
			.address = t->value,
			.slices = t->slices,
			.slice_inst = t->slice_inst,
			.waits = t->x->ndst != 0 || sim_one_in_flight(sm)};

		uint16_t whose[TR_LANES_MAX];

		for (uint64_t m = may_be_far(sm, t->x) ? t->lanes : 0; m; m &= m - 1) {
			const uint32_t l = (uint32_t)__builtin_ctzll(m);
			const struct sim_warp *w = &sm->warps[t->warp[l / sm->shape.slice]];

			whose[l] = shared_of(sm, t->x, w->thread[l], &t->value[l]);
			access.sm = whose;
		}
		wide.n = sm->sliced.n;
		wide.width = sm->shape.slice;
		memcpy(wide.warp, t->warp, sizeof(t->warp));
		if (sm->lsu.is.seen) {
			access.from = origin_of(sm, first, first / sm->shape.member, loop);
			access.from.warp_insts = t->warp_insts;
			access.from.thread_insts = t->thread_insts;
		}
		rc = sim_lsu_put(&sm->lsu, &access);
	}
	sm->sliced.ntogether = 0;
	return rc;
}
