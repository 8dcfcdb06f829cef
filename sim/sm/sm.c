/*
 * The core of an SM: warps that become ready, the issue of what is picked, barriers, the cycle.
 * What runs together is the warp policy's, who goes first the scheduler's, what memory instructions
 * cost the memory unit's (lsu.c). Operands: an in-order scoreboard by register, or what the
 * program's control bits say (control.c); where the policy or the machine says so, one instruction
 * of a warp in flight.
 */
#include "sim/sm/state.h"
#include <stdlib.h>
#include <string.h>

/* ---- setting up ---- */

static void free_launch(struct sim_sm *sm)
{
	for (uint32_t i = 0; sm->ctas && i < sm->nctas; i++) {
		sim_tape_free(&sm->ctas[i].tape);
		sim_mbarriers_free(&sm->ctas[i].mbarriers);
	}
	for (uint32_t w = 0; sm->mbarrier_waits && w < sm->nwarps; w++)
		free(sm->mbarrier_waits[w].v);
	free(sm->mbarrier_waits);
	sm->mbarrier_waits = NULL;
	sim_deferred_free(sm);
	free(sm->threads);
	free(sm->ctas);
	free(sm->ready_at);
	free(sm->group);
	free(sm->cta_at);
	free(sm->alive);
	free(sm->stamp);
	free(sm->came);
	sm->stamp = NULL;
	sm->came = NULL;
	sm->cta_at = NULL;
	sm->alive = NULL;
	sm->threads = NULL;
	sm->ctas = NULL;
	sm->ready_at = NULL;
	sm->group = NULL;
}

void sim_sm_free(struct sim_sm *sm)
{
	if (!sm)
		return;
	sim_lsu_free(&sm->lsu);
	sim_wheel_free(&sm->wake);
	for (uint32_t i = 0; sm->sched && i < sm->sh->config->sm.schedulers; i++)
		free(sm->sched[i].state);
	free(sm->sched);
	free(sm->warps);
	free(sm->thread_of);
	free(sm->age);
	free(sm->barrier_of);
	free(sm->round_of);
	free(sm->block_of);
	free(sm->pace);
	free(sm->counted);
	sim_members_free(sm);
	sim_watch_free(sm);
	sim_slices_free(sm);
	sim_fetch_free(sm);
	sim_code_free(sm);
	sim_control_free(sm);
	free_launch(sm);
	free(sm->policy);
	free(sm);
}

static int start_schedulers(struct sim_sm *sm)
{
	const struct sim_shared *sh = sm->sh;
	uint32_t n = sh->config->sm.schedulers;

	sm->sched = calloc(n, sizeof(*sm->sched));
	if (!sm->sched)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct sim_sched_env *env = &sm->sched[i].env;

		sim_bits_init(&sm->sched[i].mine, sm->nwarps);
		for (uint32_t w = i; w < sm->nwarps; w += n)
			sim_bits_set(&sm->sched[i].mine, w);
		*env = (struct sim_sched_env){.nwarps = sm->nwarps,
			.nmembers = sm->nmembers,
			.warp_size = sm->nlanes,
			.member = sm->shape.member,
			.stats = &sh->stats->sched,
			.profile = sh->sched_profile,
			.nctas = sh->config->sm.ctas,
			.warps = sm->warps,
			.age = sm->age,
			.waits_changed = &sm->waits_changed,
			.mine = &sm->sched[i].mine,
			.number = i,
			.schedulers = n,
			.line_bytes = sh->config->l1d.g.line_bytes,
			.l1d_lines = sh->config->l1d.g.sets * sh->config->l1d.g.ways};
		sm->sched[i].last_class = SIM_CY_DRAINED;
		sm->sched[i].state =
			calloc(1, sim_sched_state_size(sh->sched, env, sh->sched_params) + 1);
		if (!sm->sched[i].state)
			return -1;
		if (sh->sched->start)
			sh->sched->start(sm->sched[i].state, env, sh->sched_params);
	}
	return 0;
}

int sim_sm_new(struct sim_sm **out, const struct sim_shared *sh, uint32_t number)
{
	struct sim_sm *sm = calloc(1, sizeof(*sm));
	struct sim_lsu_shape unit;
	int rc;

	*out = sm;
	if (!sm)
		return tr_fail(sh->err, TR_EMEM, 0, "no memory for an SM");
	sm->sh = sh;
	sm->number = number;
	rc = sim_warp_policy_shape(sh->warp, sh->config, sh->warp_params, &sm->shape, sh->err);
	if (rc < 0)
		return rc;
	sm->shape.one_in_flight |= sh->config->sm.one_in_flight;
	/* A scheduler that does not pick needs to hear of issues if it withholds loads. */
	sm->tells = sh->sched->issued_joined ||
		    (sh->sched->issued && (!sh->warp->pick || sh->sched->may_load));
	sm->nwarps = sm->shape.slots;
	sm->nlanes = sm->shape.lanes;
	sm->widest = sm->shape.widest;
	sm->warps = aligned_alloc(_Alignof(struct sim_warp), sm->nwarps * sizeof(*sm->warps));
	sm->thread_of = calloc((size_t)sm->nwarps * sm->nlanes, sizeof(*sm->thread_of));
	sm->age = calloc(sm->nwarps, sizeof(*sm->age));
	sm->barrier_of = calloc(sm->nwarps, sizeof(*sm->barrier_of));
	sm->round_of = calloc(sm->nwarps, sizeof(*sm->round_of));
	sm->block_of = calloc(sm->nwarps, sizeof(*sm->block_of));
	sm->npaces = sm->shape.columns ? sh->config->sm.threads / sm->nlanes + 1 : sm->nwarps;
	sm->column_bits = (uint32_t)__builtin_ctz(sm->nlanes);
	sm->pace = aligned_alloc(_Alignof(struct sim_pace), (sm->npaces + 1) * sizeof(*sm->pace));
	sm->counted = calloc(sm->nwarps, sizeof(*sm->counted));
	sm->policy = calloc(1, sm->shape.state_bytes + 1);
	if (!sm->warps || !sm->thread_of || !sm->age || !sm->barrier_of || !sm->round_of ||
		!sm->block_of || !sm->pace || !sm->counted || !sm->policy ||
		sim_wheel_init(&sm->wake, sm->nwarps) || sim_members_init(sm) ||
		sim_slices_init(sm) || sim_fetch_init(sm) || start_schedulers(sm) ||
		sim_watch_new(sm))
		return tr_fail(sh->err, TR_EMEM, 0, "no memory for an SM");
	sim_bits_init(&sm->vacant, sm->nwarps);
	sim_bits_init(&sm->changed, sm->nwarps);
	sim_bits_init(&sm->asked, sm->nwarps);
	memset(sm->warps, 0, sm->nwarps * sizeof(*sm->warps));
	memset(sm->pace, 0, (sm->npaces + 1) * sizeof(*sm->pace));
	for (uint32_t w = 0; w < sm->nwarps; w++) {
		sm->warps[w].thread = sm->thread_of + (size_t)w * sm->nlanes;
		sim_bits_set(&sm->vacant, w);
	}
	unit = (struct sim_lsu_shape){.config = sh->config,
		.mem = sh->mem,
		.dsm = sh->dsm,
		.stats = sh->stats,
		.sm = number,
		.lanes = sh->warp->form || sh->warp->pick ? TR_LANES_MAX : sm->nlanes,
		.slice = sm->shape.slice,
		.member = sm->shape.member,
		.member_age = sm->member_age,
		.paced = sh->config->sm.lsu_interval || sh->config->l1d.cycle_bytes ||
			 sh->config->l1d.banks || sh->config->constant.words,
		.seen = sh->sched->access || sh->sink || sm->watch,
		.missed = (sh->warp->hears & SIM_TOLD_MISSED) != 0,
		.once = sm->shape.once};
	return sim_lsu_init(&sm->lsu, &unit, sh->err);
}

static const struct sim_services services;

/* Threads are given slots in whole warps: how many, and how many CTAs of such a launch there are.
 */
static int fits(struct sim_sm *sm, const struct tr_launch *l)
{
	const struct sim_config *c = sm->sh->config;
	const uint32_t threads = tr_launch_threads(l), width = sm->granule;

	sm->stride = (threads + width - 1) / width * width;
	sm->nctas = sim_cta_occupancy(c, l, sm->stride);
	if (sm->nctas)
		return 1;
	return tr_fail(sm->sh->err, TR_EUSAGE, 0,
		"a CTA of launch %u fits no SM: %u threads, %u registers each, %u bytes of "
		"shared memory; the machine has %u threads, %u registers, %u bytes "
		"(sm.threads_per_sm, sm.registers_per_sm, sm.shared_per_sm)",
		l->number, threads, l->registers, l->shared_bytes, c->sm.threads, c->sm.registers,
		c->sm.shared_bytes - c->sm.shared_reserved);
}

int sim_sm_launch(struct sim_sm *sm)
{
	const struct sim_shared *sh = sm->sh;
	const struct sim_program *p = sh->program;
	int rc = 1;

	free_launch(sm);
	sm->granule = sh->config->sm.warp_size;
	for (uint32_t g = sh->ngrids; g-- && rc > 0;)
		rc = fits(sm, sh->grids[g].launch);
	if (rc < 0)
		return rc;
	sm->nthreads = sm->nctas * sm->stride;
	if (sh->ngrids > 1) { /* each CTA is as large as it is */
		sm->nctas = sh->config->sm.ctas;
		sm->stride = 0;
		sm->nthreads = sh->config->sm.threads / sm->granule * sm->granule;
	}
	sm->used_registers = sm->used_shared = 0;
	sm->first_resting = sm->nresting = 0;
	sm->begun = 0;
	sm->nregs = sim_one_in_flight(sm) ? 0 : p->nregs;
	/* A CTA's threads and a warp's registers are filled in when it comes: what none has is not
	 * touched. */
	sm->threads = malloc(sm->nthreads * sizeof(*sm->threads));
	sm->used_threads = 0;
	sm->ctas = calloc(sm->nctas, sizeof(*sm->ctas));
	sm->ready_at = malloc(((size_t)sm->nwarps * sm->nregs + 1) * sizeof(*sm->ready_at));
	sm->cta_at = malloc(sm->nthreads / sm->granule);
	sm->alive = malloc(sm->nthreads / sm->granule * sizeof(*sm->alive));
	sm->warps_here = 0;
	if (p->copies && sm->nregs && !sm->sliced.n)
		sm->group = calloc(sm->nwarps, sizeof(*sm->group));
	if (p->mbarriers && !(sm->mbarrier_waits = calloc(sm->nwarps, sizeof(*sm->mbarrier_waits))))
		return tr_fail(sh->err, TR_EMEM, 0, "no memory for an SM");
	sm->names_threads = 0;
	for (uint32_t i = 0; i < p->p->ninsts; i++)
		sm->names_threads |= p->insts[i].unit == SIM_U_BARRIER && p->p->insts[i].aux;
	if (sm->names_threads && !(sm->came = calloc(sm->nthreads, sizeof(*sm->came))))
		return tr_fail(sh->err, TR_EMEM, 0, "no memory for an SM");
	if (tr_program_has_cluster_barrier(p->p)) {
		sm->stamp = calloc(sm->nthreads, sizeof(*sm->stamp));
		if (!sm->stamp)
			return tr_fail(sh->err, TR_EMEM, 0, "no memory for an SM");
	}
	if (!sm->threads || !sm->ctas || !sm->ready_at || !sm->cta_at || !sm->alive ||
		sim_members_launch(sm) || (p->copies && sm->nregs && !sm->sliced.n && !sm->group) ||
		sim_slices_launch(sm) || sim_code_launch(sm) || sim_control_launch(sm))
		return tr_fail(sh->err, TR_EMEM, 0, "no memory for an SM");
	memset(sm->cta_at, SIM_NO_CTA, sm->nthreads / sm->granule);
	sm->front = (struct sim_front){.call = &services,
		.config = sh->config,
		.program = p->p,
		.lcp = sh->lcp,
		.warps = sm->warps,
		.nwarps = sm->nwarps,
		.threads = sm->threads,
		.nthreads = sm->nthreads,
		.stride = sm->stride,
		.counts = sh->stats->policy,
		.by_inst = sh->stats->policy_insts,
		.watched = sm->watch != NULL,
		.levels = sm->levels,
		.rounds = sm->stamp};
	sm->insts = p->insts;
	sm->lsu.came = sm->code.came;
	sm->simple = sh->config->sm.schedulers == 1 && !sh->config->sm.unlimited_issue &&
		     !sm->watch && !sm->sliced.n && !sm->shape.partly && !sm->fetch.ports &&
		     !sm->code.lines && sim_one_in_flight(sm);
	sm->picks_at = 0;
	sm->policy_next = SIM_NEVER;
	memset(sm->levels, 0, sizeof(sm->levels));
	sm->nlevels = 0;
	for (uint32_t i = 0; sh->warp->counters[i].name; i++)
		if (sh->warp->counters[i].by_inst == SIM_LEVEL)
			sm->nlevels = i + 1;
	sim_fetch_launch(sm);
	sm->may_change = sm->fetch.ports != 0;
	sm->clusters = 0;
	for (uint32_t g = 0; g < sh->ngrids; g++)
		sm->clusters |= tr_launch_cluster_ctas(sh->grids[g].launch) > 1;
	sm->ready_words = 1; /* as many as have been in use: slots are taken lowest first */
	/* Threads that change warps are no neighbours, but where they keep their lanes. */
	sm->keeps_pace = (!sm->shape.member || sm->shape.slice || sm->shape.columns) &&
			 sm->nlanes <= SIM_PACE_LANES;
	if (sim_lsu_launch(&sm->lsu, sm->nthreads, sm->nctas, sim_cta_l1d_ways(sm), sh->err) < 0)
		return TR_EMEM;
	sm->passed = sm->accounted;
	for (uint32_t i = 0; sh->sched->launch && i < sh->config->sm.schedulers; i++)
		sh->sched->launch(sm->sched[i].state, p->p);
	sh->warp->start(sm->policy, &sm->front, sh->warp_params);
	return 1;
}

static uint8_t asks_of(struct sim_sm *sm, uint32_t inst)
{
	const struct sim_warp_policy *p = sm->sh->warp;
	uint32_t asks = p->asks ? p->asks(sm->policy, &sm->front, inst) : 0;

	if (!p->may)
		asks &= ~(uint32_t)SIM_ASK_MAY;
	if (!p->form)
		asks &= ~(uint32_t)SIM_ASK_FORM;
	if (!p->told)
		asks &= ~(uint32_t)SIM_ASK_TOLD;
	return (uint8_t)asks;
}

void sim_sm_asks(struct sim_sm *sm, struct sim_inst *insts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct sim_inst *x = &insts[i];
		int load, asks;

		if (!sm->group) /* nobody follows copies */
			x->part = x->past_l1 = 0;
		if (x->part == SIM_COPY_WRITE) {
			x->unit = SIM_U_NONE;
			x->interval = 0;
		}
		if (sm->shape.once)
			x->interval = 0;
		x->asks = asks_of(sm, i + x->rows);
		load = x->is_load && x->unit == SIM_U_L1D;
		asks = (x->asks & (SIM_ASK_MAY | SIM_ASK_FORM)) != 0;
		x->kinds = (uint8_t)(sim_is_memory(x) << SIM_R_MEMORY | load << SIM_R_LOAD |
				     asks << SIM_R_ASKS | (x->interval != 0) << SIM_R_SLOW);
		if (asks || x->interval || (load && sm->sh->sched->may_load))
			x->kinds |= 1u << SIM_R_HELD;
	}
}

/* ---- warps ---- */

static struct sim_sm *sm_of(struct sim_front *front)
{
	return (struct sim_sm *)(void *)((char *)front - offsetof(struct sim_sm, front));
}

static uint32_t take(struct sim_front *front, uint32_t cta)
{
	struct sim_sm *sm = sm_of(front);
	const struct sim_shared *sh = sm->sh;
	const uint32_t w = sim_bits_next(&sm->vacant, 0);
	struct sim_warp *x = &sm->warps[w];

	if (w == SIM_NO_WARP)
		return w;
	sim_bits_clear(&sm->vacant, w);
	sim_bits_set(&sm->changed, w);
	if (w / 64 >= sm->ready_words)
		sm->ready_words = w / 64 + 1;
	*x = (struct sim_warp){.state = SIM_W_RUN,
		.moved = 1,
		.pace_of = SIM_NO_SLOT,
		.cta = (uint16_t)cta,
		.cta_age = sm->ctas[cta].age,
		.thread = x->thread,
		.age = ++sm->next_age,
		.life = sm->next_age};
	sm->block_of[w] = TR_NONE;
	if (!sm->shape.columns)
		sm->pace[w] = (struct sim_pace){0};
	memset(sm->ready_at + (size_t)w * sm->nregs, 0, sm->nregs * sizeof(*sm->ready_at));
	if (sm->group)
		sm->group[w] = 0;
	if (sm->counters)
		sim_control_arrive(sm, w);
	if (sm->sliced.n)
		memset(sm->sliced.lacks + (size_t)w * sm->nregs, 0, sm->nregs);
	for (uint32_t i = 0; sh->sched->arrive && i < sh->config->sm.schedulers; i++)
		sh->sched->arrive(sm->sched[i].state, w);
	if (!sm->shape.member)
		sim_member_arrive(sm, w, x->age);
	if (sm->watch)
		sim_watch_warp(sm, SIM_EV_WARP_IN, w, SIM_NO_WARP);
	return w;
}

static inline void not_ready(struct sim_sm *sm, uint32_t w)
{
	uint64_t *of = sm->ready[w / 64];
	const uint64_t bit = 1ull << (w % 64), others = ~bit;

	sim_bits_set(&sm->changed, w);
	if (!(of[SIM_R_READY] & bit))
		return;
	of[SIM_R_READY] &= others;
	if ((of[SIM_R_MEMORY] | of[SIM_R_HELD]) & bit) { /* loads are memory's */
		of[SIM_R_MEMORY] &= others;
		of[SIM_R_HELD] &= others;
		of[SIM_R_LOAD] &= others;
		of[SIM_R_ASKS] &= others;
		of[SIM_R_SLOW] &= others;
		sm->warps[w].withheld = 0;
	}
}

static void drop(struct sim_front *front, uint32_t w)
{
	struct sim_sm *sm = sm_of(front);
	const struct sim_shared *sh = sm->sh;

	not_ready(sm, w);
	if (!sm->shape.columns)
		sim_settle(sm, w);
	sm->warps[w].state = SIM_W_FREE;
	sim_bits_set(&sm->changed, w);
	if (sm->sliced.n)
		sim_slices_changed(sm, w);
	if (sm->fetch.ports)
		sim_fetch_changed(sm, w);
	sim_bits_set(&sm->vacant, w);
	for (uint32_t i = 0; sh->sched->leave && i < sh->config->sm.schedulers; i++)
		sh->sched->leave(sm->sched[i].state, w);
	if (!sm->shape.member)
		sim_member_leave(sm, w);
	if (sm->watch)
		sim_watch_warp(sm, SIM_EV_WARP_OUT, w, SIM_NO_WARP);
}

static void set_state(struct sim_sm *sm, uint32_t w, enum sim_warp_state state)
{
	const int waits = sim_waits(&sm->warps[w]);

	sm->warps[w].state = (uint8_t)state;
	sim_bits_set(&sm->changed, w);
	sm->waits_changed += waits != sim_waits(&sm->warps[w]);
}

static void hold(struct sim_front *front, uint32_t w)
{
	struct sim_sm *sm = sm_of(front);

	not_ready(sm, w);
	set_state(sm, w, SIM_W_HELD);
}

/* Whether copies that the warp's next instruction waits for are under way. */
static __attribute__((noinline)) int copies_missing(
	const struct sim_sm *sm, uint32_t w, const struct sim_inst *x)
{
	for (uint32_t n = 0; n < sm->lsu.nloads; n++) {
		const struct sim_load *l = &sm->lsu.loads[n];

		if (l->warp == w && l->life == sm->warps[w].life && l->group != SIM_NO_GROUP &&
			(x->copy == TR_COPY_WAIT_ALL ||
				(uint64_t)l->group + x->may_go_on < sm->group[w]))
			return 1;
	}
	return 0;
}

/* The same by the control bits that the next instruction has, from cycle `now` on. */
static __attribute__((noinline)) uint64_t earliest_by_bits(
	struct sim_sm *sm, uint32_t w, const struct sim_inst *x, uint64_t now)
{
	const uint64_t at = sm->warps[w].not_before;

	if (x->copy > TR_COPY_COMMIT && sm->group && copies_missing(sm, w, x))
		return SIM_NEVER;
	return sim_control_earliest(sm, w, at > now ? at : now);
}

/*
 * The cycle, from `now` on or past, in which a warp's next instruction has its operands; SIM_NEVER:
 * a load is missing.
 */
static inline uint64_t earliest(struct sim_sm *sm, uint32_t w, uint64_t now)
{
	const struct sim_inst *x = sim_next_inst(sm, w);
	const uint64_t *ready_at = sm->ready_at + (size_t)w * sm->nregs;
	uint64_t at = sm->warps[w].not_before;

	if (__builtin_expect(sm->counters && x->after, 0))
		return earliest_by_bits(sm, w, x, now);
	if (__builtin_expect(x->copy > TR_COPY_COMMIT && sm->group && copies_missing(sm, w, x), 0))
		return SIM_NEVER;
	if (!sm->nregs || !x->noperands)
		return at;
	for (unsigned i = 0; i < 4; i++) /* most have no more: no branch by their number */
		at = ready_at[x->reg[i]] > at ? ready_at[x->reg[i]] : at;
	for (unsigned i = 4; i < x->noperands; i++)
		at = ready_at[x->reg[i]] > at ? ready_at[x->reg[i]] : at;
	return at;
}

static inline void set_ready(struct sim_sm *sm, uint32_t w)
{
	uint64_t *of = sm->ready[w / 64];

	sim_bits_set(&sm->changed, w);
	of[SIM_R_READY] |= 1ull << (w % 64);
	for (uint32_t m = sim_next_inst(sm, w)->kinds; m; m &= m - 1)
		of[__builtin_ctz(m)] |= 1ull << (w % 64);
}

/* Before warps issue, notes a warp that waits for loads and of which some slices may have theirs.
 */
static __attribute__((noinline)) void look_at_slices(struct sim_sm *sm, uint32_t w)
{
	const uint32_t slices = sm->warps[w].slices;

	if (slices & (slices - 1))
		sim_bits_set(&sm->sliced.some, w);
}

/* The cycle in which it also has its next instruction; SIM_NEVER: nobody has fetched it. */
static __attribute__((noinline)) uint64_t when_fetched(
	const struct sim_sm *sm, uint32_t w, uint64_t at)
{
	const uint64_t there = sim_fetch_decoded(sm, w);

	return there > at ? there : at;
}

/* Files a running warp for the cycle of its next issue. */
static __attribute__((noinline)) void file_any(struct sim_sm *sm, uint32_t w, uint64_t now)
{
	const uint64_t there = sm->code.lines ? sim_code_there(sm, w, now) : 0;
	uint64_t at = earliest(sm, w, now);

	if (sm->warps[w].outstanding && sim_one_in_flight(sm))
		at = SIM_NEVER;
	sm->warps[w].blocked = at == SIM_NEVER;
	sim_bits_set(&sm->changed, w);
	if (at == SIM_NEVER) {
		if (sm->shape.partly)
			look_at_slices(sm, w);
		return;
	}
	at = there > at ? there : at;
	if (sm->fetch.ports)
		at = when_fetched(sm, w, at);
	if (at <= now)
		set_ready(sm, w);
	else if (at != SIM_NEVER) /* else it is filed when it has been fetched */
		sim_wheel_put(&sm->wake, w, at);
}

/* The same, short where the SM is simple. */
static inline void file_warp(struct sim_sm *sm, uint32_t w, uint64_t now)
{
	const uint64_t at = sm->warps[w].not_before;

	if (!sm->simple) {
		file_any(sm, w, now);
		return;
	}
	sm->warps[w].blocked = sm->warps[w].outstanding || at == SIM_NEVER;
	sim_bits_set(&sm->changed, w);
	if (sm->warps[w].blocked)
		return;
	if (at <= now || (at <= sm->picks_at && !sim_wheel_has(&sm->wake, w)))
		set_ready(sm, w);
	else
		sim_wheel_put(&sm->wake, w, at);
}

static inline uint16_t count_active(const struct sim_warp *w)
{
	return (uint16_t)(w->nlanes > 64 ? sim_lanes(&w->lanes) : sim_ones(w->lanes.w[0]));
}

/* A warp's lanes may be others than before: what cursor they share is looked at when they read. */
static inline void forget_pace(struct sim_sm *sm, uint32_t w)
{
	sm->warps[w].pace_of = SIM_NO_SLOT;
	if (!sm->shape.columns && sm->pace[w].lanes != (uint32_t)sm->warps[w].lanes.w[0])
		sim_settle(sm, w);
}

static void ready(struct sim_front *front, uint32_t w, uint64_t at)
{
	struct sim_sm *sm = sm_of(front);
	const struct sim_inst *x = sim_next_inst(sm, w);

	not_ready(sm, w); /* a policy may send one elsewhere that was ready */
	set_state(sm, w, SIM_W_RUN);
	sm->age[w] = sm->warps[w].age;
	sm->warps[w].active = count_active(&sm->warps[w]);
	if (sm->warps[w].depth > sm->sh->stats->stack_depth_max)
		sm->sh->stats->stack_depth_max = sm->warps[w].depth;
	sm->warps[w].not_before = at;
	if (sm->warps[w].moved && !sm->shape.member)
		sim_loops_follow(sm, w, x->block, at);
	forget_pace(sm, w);
	sm->warps[w].moved = 0;
	sm->filed = 1;
	if (sm->sliced.n)
		sim_slices_changed(sm, w);
	if (sm->fetch.ports)
		sim_fetch_changed(sm, w);
	file_warp(sm, w, at ? at - 1 : 0);
}

/* ---- services of a sliced SM ---- */

static uint32_t split(struct sim_front *front, uint32_t from, uint32_t slices)
{
	struct sim_sm *sm = sm_of(front);
	const uint32_t w = take(front, sm->warps[from].cta);
	const uint64_t lanes = sim_slice_lanes(sm, slices);
	struct sim_warp *x = &sm->warps[w], *y = &sm->warps[from];

	sim_settle(sm, from);
	not_ready(sm, from);
	x->pc = y->pc;
	x->nlanes = y->nlanes;
	x->state = y->state;
	x->age = y->age;
	x->depth = y->depth;
	x->slices = slices;
	x->lanes.w[0] = y->lanes.w[0] & lanes;
	memcpy(x->thread, y->thread, sm->nlanes * sizeof(*x->thread));
	y->slices &= ~slices;
	y->lanes.w[0] &= ~lanes;
	sm->warps[w].not_before = sm->warps[from].not_before;
	sm->warps[w].moved = sm->warps[from].moved;
	sim_slices_split(sm, w, from);
	if (sm->fetch.ports)
		sim_fetch_split(sm, w, from);
	return w;
}

static void join(struct sim_front *front, uint32_t into, uint32_t from)
{
	struct sim_sm *sm = sm_of(front);
	struct sim_warp *x = &sm->warps[into], *y = &sm->warps[from];

	sim_settle(sm, into);
	sim_settle(sm, from);
	not_ready(sm, into);
	for (uint64_t m = sim_slice_lanes(sm, y->slices); m; m &= m - 1)
		x->thread[__builtin_ctzll(m)] = y->thread[__builtin_ctzll(m)];
	x->slices |= y->slices;
	x->lanes.w[0] |= y->lanes.w[0];
	if (sm->warps[from].not_before > sm->warps[into].not_before)
		sm->warps[into].not_before = sm->warps[from].not_before;
	y->slices = 0;
	sim_slices_join(sm, into, from);
	if (sm->fetch.ports)
		sim_fetch_join(sm, into, from);
	drop(front, from);
}

static void resume(struct sim_front *front, uint32_t w, uint64_t at)
{
	struct sim_sm *sm = sm_of(front);

	if (sm->warps[w].not_before < at)
		sm->warps[w].not_before = at;
	not_ready(sm, w);
	sm->age[w] = sm->warps[w].age;
	sm->warps[w].active = count_active(&sm->warps[w]);
	forget_pace(sm, w);
	file_warp(sm, w, at);
}

/*
 * A register that two loads write is ready when the later one has come: each side of a warp may
 * have a load of it in flight.
 */
static int brought_by_another(struct sim_sm *sm, const struct sim_load *done, uint32_t reg)
{
	for (uint32_t n = 0; sm->shares && n < sm->lsu.nloads; n++) {
		const struct sim_load *l = &sm->lsu.loads[n];
		const struct sim_inst *x = &sm->sh->program->insts[l->inst];

		if (l->warp != done->warp || l->life != done->life)
			continue;
		for (unsigned i = 0; i < x->ndst; i++)
			if (x->reg[i] == reg)
				return 1;
	}
	return 0;
}

static void inherit(struct sim_front *front, uint32_t w, uint32_t from)
{
	struct sim_sm *sm = sm_of(front);
	const uint64_t *theirs = sm->ready_at + (size_t)from * sm->nregs;
	uint64_t *ours = sm->ready_at + (size_t)w * sm->nregs;
	int64_t shared;

	for (uint32_t r = 0; r < sm->nregs; r++)
		if (theirs[r] > ours[r])
			ours[r] = theirs[r];
	if (sm->group && sm->group[from] > sm->group[w])
		sm->group[w] = sm->group[from]; /* older ones are waited for earlier than need be */
	if (sm->warps[from].not_before > sm->warps[w].not_before)
		sm->warps[w].not_before = sm->warps[from].not_before;
	shared = sim_lsu_share(&sm->lsu, &sm->warps[from], from, &sm->warps[w], w);
	sm->failed |= shared < 0;
	sm->warps[w].outstanding += shared > 0 ? (uint32_t)shared : 0;
	if (sm->counters)
		sim_control_inherit(sm, w, from, sm->accounted);
	sm->shares = 1;
	sm->picks_at = 0;
	if (sm->watch)
		sim_watch_shared(sm, w, from);
}

static void show(struct sim_front *front, enum sim_shown what, uint32_t w, uint32_t other)
{
	static const enum sim_event_kind kinds[] = {[SIM_SHOWN_SPLIT] = SIM_EV_SPLIT,
		[SIM_SHOWN_MERGE] = SIM_EV_MERGE,
		[SIM_SHOWN_REGROUP] = SIM_EV_REGROUP};
	struct sim_sm *sm = sm_of(front);

	if (sm->watch)
		sim_watch_warp(sm, kinds[what], w, other);
}

static void settle(struct sim_front *front, uint32_t first, uint32_t n)
{
	struct sim_sm *sm = sm_of(front);

	for (uint32_t row = first >> sm->column_bits; row <= (first + n - 1) >> sm->column_bits;
		row++)
		sim_settle(sm, row);
}

static const struct sim_services services = {.take = take,
	.drop = drop,
	.ready = ready,
	.hold = hold,
	.inherit = inherit,
	.show = show,
	.split = split,
	.join = join,
	.resume = resume,
	.settle = settle};

/* ---- CTAs ---- */

int sim_sm_room(struct sim_sm *sm, uint32_t grid, uint64_t now)
{
	sim_cta_rested(sm, now);
	return sim_cta_room(sm, grid);
}

uint64_t sim_sm_room_at(const struct sim_sm *sm)
{
	return sm->nresting ? sm->resting[sm->first_resting].until : SIM_NEVER;
}

uint32_t sim_sm_rooms(struct sim_sm *sm, uint32_t grid, uint64_t now)
{
	sim_cta_rested(sm, now);
	return sim_cta_rooms(sm, grid);
}

uint32_t sim_sm_holds(const struct sim_sm *sm, uint32_t grid)
{
	const struct tr_launch *l = sm->sh->grids[grid].launch;
	const uint32_t g = sm->granule;

	return sim_cta_occupancy(sm->sh->config, l, (tr_launch_threads(l) + g - 1) / g * g);
}

int sim_sm_follows(const struct sim_sm *sm, uint32_t grid)
{
	return sm->begun >= sim_sm_holds(sm, grid);
}

int sim_sm_take(struct sim_sm *sm, const struct tr_cta *cta, uint32_t grid,
	struct sim_cluster *cluster, uint64_t now)
{
	struct sim_cta *c;
	int64_t slot;

	/* Its warps have not been here since the last step, which may be long ago. */
	sim_sm_account(sm, now);
	slot = sim_cta_take(sm, cta, grid);
	if (slot < 0)
		return (int)slot;
	sm->begun++;
	c = &sm->ctas[slot];
	sim_mbarriers_clear(&c->mbarriers);
	c->cluster = cluster;
	c->rank = tr_launch_cluster_rank(sm->sh->grids[grid].launch, cta->number);
	if (cluster)
		cluster->age[c->rank] = c->age;
	sim_lsu_cta(&sm->lsu, (uint32_t)slot);
	if (sm->stamp)
		memset(sm->stamp + c->first, 0, c->n * sizeof(*sm->stamp));
	if (sm->came)
		memset(sm->came + c->first, 0, c->n * sizeof(*sm->came));
	if (sm->watch)
		sim_watch_cta(sm, SIM_EV_CTA_IN, (uint32_t)slot);
	if (sm->shape.member)
		sim_members_arrive(sm, c->first, c->n, now);
	for (uint32_t at = 0; sm->sliced.n && at < c->n; at += sm->shape.member)
		sim_slices_arrive(sm, (c->first + at) / sm->shape.member);
	sm->policy_ran = 1;
	sm->sh->warp->arrive(sm->policy, &sm->front, (uint32_t)slot, c->first, c->n, now);
	sm->events++;
	return sm->failed ? TR_EMEM : 1;
}

static void cta_ended(struct sim_sm *sm, uint32_t slot, uint64_t now)
{
	const struct sim_launcher *launcher = sm->sh->launcher;

	if (sm->shape.member)
		sim_members_leave(sm, sm->ctas[slot].first, sm->ctas[slot].n);
	if (sm->watch)
		sim_watch_cta(sm, SIM_EV_CTA_OUT, slot);
	sim_cta_leave(sm, slot, now);
	if (sm->ctas[slot].cluster && !--sm->ctas[slot].cluster->left)
		sm->ctas[slot].cluster->ctas = 0;
	if (launcher)
		launcher->ended(launcher->arg, sm->ctas[slot].grid, now);
	sm->events++;
}

/* ---- from instruction to instruction ---- */

/* After a block's last instruction: where the lanes go, which is added to the threads' paths. */
static void end_block(struct sim_sm *sm, uint32_t w, const struct sim_inst *x, uint64_t now)
{
	struct sim_warp *warp = &sm->warps[w];
	struct sim_pace *p = sim_issue_pace(sm, w);
	const uint32_t slow = sm->sh->config->sm.fetch_latency;
	uint32_t lane, to = warp->to;

	if (x->inst->nsucc <= 1) /* else the branch has said it, if they agree, and set their pcs */
		to = x->inst->nsucc ? sm->sh->program->p->succ_pool[x->inst->succ] : TR_EXIT;
	else if (!x->has_outcome)
		to = TR_NONE;
	warp->to = to;
	if (p->lanes && !x->leads_out) {
		p->mul *= SIM_PATH_FACTOR;
		p->add = (p->add + to) * SIM_PATH_FACTOR;
	} else {
		if (p->lanes)
			sim_pace_end(p, sm->threads);
		FOR_LANES(warp->lanes, lane)
		{
			struct sim_thread *t = &sm->threads[warp->thread[lane]];

			if (to != TR_NONE)
				t->pc = to;
			sim_path_step(&t->path, t->pc);
		}
	}
	if (x->cls == TR_C_BRANCH && sm->warps[w].not_before < now + slow)
		sm->warps[w].not_before = now + slow;
}

/* The policy says where a warp goes when instruction x is complete. */
static void await_next(struct sim_sm *sm, uint32_t w, const struct sim_inst *x, uint64_t now)
{
	struct sim_warp *warp = &sm->warps[w];

	if (x->last)
		end_block(sm, w, x, now);
	else
		warp->to = warp->pc + x->rows + 1;
	warp->state = SIM_W_RESOLVE;
	sim_bits_clear(&sm->asked, w);
	sim_bits_set(&sm->changed, w);
	sm->warps[w].blocked = sm->warps[w].outstanding && sim_one_in_flight(sm);
	if (!sm->warps[w].blocked)
		sim_wheel_put(&sm->wake, w, sm->warps[w].not_before);
}

/* Moves a warp to what comes after instruction x, which it has just executed. */
static inline void pass_inst(struct sim_sm *sm, uint32_t w, const struct sim_inst *x, uint64_t now)
{
	if (x->last || x->asks & SIM_ASK_NEXT) {
		await_next(sm, w, x, now);
		return;
	}
	sm->warps[w].pc += x->rows + 1u;
	file_warp(sm, w, now);
}

/* ---- barriers ---- */

/* The first warp from `from` on that waits at a CTA's barrier, or SIM_NO_WARP. */
static uint32_t next_waiting(const struct sim_sm *sm, uint32_t cta, uint32_t id, uint32_t from)
{
	for (uint32_t k = from / 64; k < sm->vacant.words; k++) {
		uint64_t m = ~sm->vacant.w[k];

		m &= k == from / 64 ? UINT64_MAX << (from % 64) : UINT64_MAX;
		for (; m; m &= m - 1) {
			const uint32_t w = k * 64 + (uint32_t)__builtin_ctzll(m);

			if (w >= sm->nwarps)
				return SIM_NO_WARP;
			if (sm->warps[w].state == SIM_W_BARRIER && sm->warps[w].cta == cta &&
				sm->barrier_of[w] == id)
				return w;
		}
	}
	return SIM_NO_WARP;
}

/* The barrier at which a warp waits opens. */
static void barrier_release(struct sim_sm *sm, uint32_t w, uint64_t now)
{
	const struct sim_warp_policy *policy = sm->sh->warp;
	const struct sim_told told = {
		.what = SIM_TOLD_RELEASED, .warp = w, .inst = sm->warps[w].pc, .now = now};

	if (sm->watch)
		sim_watch_warp(sm, SIM_EV_RELEASE, w, SIM_NO_WARP);
	if (policy->hears & SIM_TOLD_RELEASED)
		sim_tell(sm, &told);
	set_state(sm, w, SIM_W_RUN);
	if (sm->warps[w].not_before <= now)
		sm->warps[w].not_before = now + 1;
	pass_inst(sm, w, sim_next_inst(sm, w), now);
}

static void barrier_check(struct sim_sm *sm, uint32_t cta, uint64_t now)
{
	struct sim_cta *c = &sm->ctas[cta];

	if (!sm->names_threads && !sim_cta_may_open(c))
		return;
	for (uint32_t id = 0; id < SIM_BARRIERS; id++) {
		if (!c->arrived[id] || !sim_cta_opens(sm, c, id))
			continue;
		sm->sh->stats->barriers++;
		for (uint32_t w = next_waiting(sm, cta, id, 0); w != SIM_NO_WARP;
			w = next_waiting(sm, cta, id, w + 1))
			barrier_release(sm, w, now);
	}
}

/* Opens a barrier of a CTA for the warps that wait there. 1, or 0: it is not one for whole warps.
 */
static int barrier_force(struct sim_sm *sm, uint32_t cta, uint32_t id, int opens, uint64_t now)
{
	struct sim_cta *c = &sm->ctas[cta];
	uint8_t waits[TR_CTA_THREADS_MAX] = {0};
	uint32_t w, lane;

	for (w = next_waiting(sm, cta, id, 0); w != SIM_NO_WARP;
		w = next_waiting(sm, cta, id, w + 1))
		FOR_LANES(sm->warps[w].lanes, lane)
	waits[sm->warps[w].thread[lane] - c->first] = 1;
	w = next_waiting(sm, cta, id, 0);
	if (w == SIM_NO_WARP || !sim_cta_by_warps(sm, c, waits))
		return 0;
	if (!opens)
		return 1;
	sim_cta_opened(sm, c, id);
	sm->sh->stats->barriers++;
	sm->sh->stats->forced_barriers++;
	for (; w != SIM_NO_WARP; w = next_waiting(sm, cta, id, w + 1))
		barrier_release(sm, w, now);
	return 1;
}

/* Those that can, if `opens`. Whether there are any. */
static int barriers_force(struct sim_sm *sm, int opens, uint64_t now)
{
	int any = 0;

	for (uint32_t cta = 0; cta < sm->nctas; cta++)
		for (uint32_t id = 0; sm->ctas[cta].live && id < SIM_BARRIERS; id++)
			any |= sm->ctas[cta].arrived[id] && barrier_force(sm, cta, id, opens, now);
	return any;
}

/* ---- the barrier of a cluster ---- */

static int cluster_lets_on(const struct sim_sm *sm, uint32_t w, uint64_t now)
{
	const struct sim_cluster *c = sm->ctas[sm->warps[w].cta].cluster;

	return !c || sim_cluster_open(c, sm->round_of[w], now);
}

/* A cluster's barrier has opened: which warps have waited for it? */
static void cluster_released(struct sim_sm *sm, uint64_t now)
{
	sm->events++;
	for (uint32_t w = 0; w < sm->nwarps; w++)
		if (sm->warps[w].state == SIM_W_BARRIER &&
			sm->barrier_of[w] == TR_BARRIER_CLUSTER && cluster_lets_on(sm, w, now))
			barrier_release(sm, w, now);
}

/* Have all threads arrived? Those of other SMs hear of it later, and so do this one's. */
static void cluster_check(struct sim_sm *sm, struct sim_cluster *c, uint64_t now)
{
	if (!c || !c->arrived || c->arrived < c->needs)
		return;
	c->arrived = 0;
	c->round++;
	c->opens_at = c->ctas > 1 ? now + sm->sh->config->dsm.barrier : now;
	sm->sh->stats->cluster_barriers++;
	if (c->ctas == 1)
		cluster_released(sm, now);
	for (uint32_t r = 0; c->ctas > 1 && r < c->ctas; r++)
		sm->failed |= sim_dsm_tell(sm->sh->dsm, c->sm[r], c->opens_at) < 0;
}

static void cluster_arrive(
	struct sim_sm *sm, uint32_t w, const struct sim_mask *lanes, uint64_t now)
{
	const struct sim_warp *warp = &sm->warps[w];
	struct sim_cluster *c = sm->ctas[warp->cta].cluster;
	uint32_t lane;

	FOR_LANES(*lanes, lane)
	{
		const uint32_t thread = warp->thread[lane];

		if (!c || sm->stamp[thread] == sim_cluster_stamp(c))
			continue;
		sm->stamp[thread] = sim_cluster_stamp(c);
		c->arrived++;
	}
	cluster_check(sm, c, now);
}

/*
 * Lanes of a warp come to a barrier, those whose guard holds. At a CTA's one the whole warp arrives
 * with them (PTX, bar), at a cluster's each thread by itself (barrier.cluster).
 */
static void barrier_arrive(struct sim_sm *sm, uint32_t w, const struct sim_inst *x,
	const struct sim_mask *lanes, uint64_t now)
{
	struct sim_warp *warp = &sm->warps[w];
	const int of_cluster = x->inst->disp == TR_BARRIER_CLUSTER,
		  arrives = (x->inst->flags & TR_I_ARRIVE) != 0;
	const uint32_t id =
		of_cluster ? TR_BARRIER_CLUSTER : (uint32_t)x->inst->disp % SIM_BARRIERS;
	struct sim_mask left = warp->lanes;

	/* A policy that mixes CTAs does not do so at a barrier. */
	warp->cta = (uint32_t)(sim_cta_of(sm, warp->thread[sim_pop(&left)]) - sm->ctas);
	warp->cta_age = sm->ctas[warp->cta].age;
	if (!of_cluster)
		sim_cta_arrives(sm, warp, id, x->inst->aux);
	else if (arrives)
		cluster_arrive(sm, w, lanes, now);
	else
		sm->round_of[w] = sim_latest_round(&sm->front, warp, lanes);
	if (arrives || (of_cluster && cluster_lets_on(sm, w, now))) {
		pass_inst(sm, w, x, now);
	} else {
		set_state(sm, w, SIM_W_BARRIER);
		sm->barrier_of[w] = id;
		if (sm->watch)
			sim_watch_warp(sm, SIM_EV_BARRIER, w, SIM_NO_WARP);
	}
	if (!of_cluster)
		barrier_check(sm, warp->cta, now);
}

/* ---- barriers in memory ---- */

/* The result of a wait, which is over, is there `mbar.wait` cycles after it was seen to be. */
static void wait_is_over(
	struct sim_sm *sm, uint32_t w, const struct sim_inst *x, uint64_t over, uint64_t now)
{
	uint64_t *ready_at = sm->ready_at + (size_t)w * sm->nregs;
	const uint64_t at = (over > now ? over : now) + sm->sh->config->mbar.wait;

	for (unsigned i = 0; i < x->ndst && sm->nregs; i++)
		if (ready_at[x->reg[i]] < at)
			ready_at[x->reg[i]] = at;
	if ((sim_one_in_flight(sm) || over > now) && sm->warps[w].not_before < at)
		sm->warps[w].not_before = at;
}

/* A phase has ended or begun: warps that have waited for nothing else go on. */
static void mbarriers_look(struct sim_sm *sm, uint64_t now)
{
	sm->events++;
	for (uint32_t w = 0; w < sm->nwarps; w++) {
		uint64_t over;

		if (sm->warps[w].state != SIM_W_MBARRIER)
			continue;
		over = sim_mbarrier_over(sm, w);
		if (over == SIM_NEVER)
			continue;
		wait_is_over(sm, w, sim_next_inst(sm, w), over, now);
		barrier_release(sm, w, now);
	}
}

/* The slot of the CTA of this age; SIM_NO_CTA: it has ended. */
static uint32_t slot_of_age(const struct sim_sm *sm, uint64_t age)
{
	for (uint32_t k = 0; k < sm->nctas; k++)
		if (sm->ctas[k].live && sm->ctas[k].age == age)
			return k;
	return SIM_NO_CTA;
}

enum { OF_OTHER_SM = -1, OF_NOBODY = -2 };

/* Whose barrier a thread's address names: the CTA's slot here, another SM's, or nobody's any more.
 */
static int64_t owner_of(struct sim_sm *sm, uint32_t thread, uint64_t address, uint32_t *rank)
{
	struct sim_cta *c = sim_cta_of(sm, thread);
	const struct sim_cluster *l = c->cluster;
	const uint32_t whose = (uint32_t)(address >> TR_SHARED_RANK_AT) & 0xff;
	uint32_t slot;

	if (!whose || !l || whose > l->ctas || whose - 1 == c->rank)
		return c - sm->ctas;
	*rank = whose - 1;
	if (l->sm[*rank] != sm->number)
		return OF_OTHER_SM;
	slot = slot_of_age(sm, l->age[*rank]);
	return slot == SIM_NO_CTA ? OF_NOBODY : (int64_t)slot;
}

/* A lane operates on the barrier of a CTA on another SM, which hears of it later. */
static int operate_far(struct sim_sm *sm, uint32_t thread, uint32_t rank, uint64_t address,
	enum tr_mbarrier op, uint32_t operand, uint64_t now)
{
	const struct sim_config *c = sm->sh->config;
	const struct sim_cluster *l = sim_cta_of(sm, thread)->cluster;
	const uint32_t to = l->sm[rank];
	const struct sim_dsm_packet p = {.from = to,
		.to = to,
		.kind = SIM_DSM_MBARRIER,
		.op = (uint8_t)op,
		.operand = operand,
		.address = (uint32_t)address,
		.cta = l->age[rank]};

	return sim_dsm_operate(sm->sh->dsm, &p, now + c->mbar.arrive + c->dsm.latency);
}

/* Another SM's thread has operated on a barrier here; its CTA may have ended meanwhile. */
static int operated_from_far(struct sim_sm *sm, const struct sim_dsm_packet *p, uint64_t now)
{
	const uint32_t slot = sm->mbarrier_waits ? slot_of_age(sm, p->cta) : SIM_NO_CTA;

	return slot == SIM_NO_CTA ? 0
				  : sim_mbarrier_act(sm, slot, p->address, (enum tr_mbarrier)p->op,
					    p->operand, now);
}

/* Arrivals of lanes when their copies have come; those of other SMs' barriers as they issue. */
static int arrive_with_copies(struct sim_sm *sm, uint32_t w, uint32_t n, const uint16_t *cta,
	const uint64_t *address, uint64_t now)
{
	const uint64_t at = now + sm->sh->config->mbar.arrive;
	const int later = n && sm->group ? sim_mbarrier_defer(sm, w, cta, address, n) : 0;
	int looks = 0;

	sm->failed |= later < 0;
	for (uint32_t k = 0; k < n && !later && !sm->failed; k++)
		looks |= sim_mbarrier_act(sm, cta[k], address[k], TR_MBAR_ARRIVE, 1, at);
	return looks;
}

/* Lanes of a warp operate on barriers in memory: those of `lanes`, its own from `base` on. */
static void mbarrier_operate(struct sim_sm *sm, uint32_t w, const struct sim_inst *x,
	const struct sim_lanes *lanes, uint32_t base, uint64_t now)
{
	const enum tr_mbarrier op = (enum tr_mbarrier)(x->mbarrier - 1);
	const struct sim_warp *warp = &sm->warps[w];
	const int copies = op >= TR_MBAR_COPIES;
	uint64_t at = now + sm->sh->config->mbar.arrive, address[TR_LANES_MAX];
	uint16_t cta[TR_LANES_MAX];
	uint32_t lane, n = 0;
	int looks = 0;

	FOR_LANES(warp->lanes, lane)
	{
		const uint32_t k = base + lane, thread = warp->thread[lane];
		const uint32_t operand = x->rows ? (uint32_t)lanes->operand[k] : 1;
		uint32_t rank = 0;
		int64_t owner;

		if (!(lanes->truth.w[k / 64] >> (k % 64) & 1))
			continue;
		owner = owner_of(sm, thread, lanes->value[k], &rank);
		if (owner == OF_NOBODY)
			continue;
		if (owner == OF_OTHER_SM) {
			sm->failed |= operate_far(sm, thread, rank, lanes->value[k],
					      copies ? TR_MBAR_ARRIVE : op, operand, now) < 0;
			continue;
		}
		if (!copies || op == TR_MBAR_COPIES)
			looks |= sim_mbarrier_act(
				sm, (uint32_t)owner, lanes->value[k], op, operand, at);
		cta[n] = (uint16_t)owner;
		address[n++] = lanes->value[k];
		if (sm->failed)
			return;
	}
	if (copies)
		looks |= arrive_with_copies(sm, w, n, cta, address, now);
	if (looks)
		mbarriers_look(sm, now);
}

/* Addresses are generic where the instruction has them so, and all are of shared memory. */
static void mbarrier_addresses(struct sim_lanes *lanes)
{
	uint32_t lane;

	FOR_LANES(lanes->truth, lane)
	if (lanes->value[lane] >= TR_SHARED_WINDOW)
		lanes->value[lane] -= TR_SHARED_WINDOW;
}

/*
 * Lanes of a warp wait at barriers in memory. The warp waits until the phases of all of them are
 * over; a wait that the recorder let fail is none.
 */
static void mbarrier_wait(struct sim_sm *sm, uint32_t w, const struct sim_inst *x,
	const struct sim_lanes *lanes, uint32_t base, uint64_t now)
{
	const struct sim_warp *warp = &sm->warps[w];
	uint32_t lane, rank;
	uint64_t over;

	sim_mbarrier_waits(sm, w);
	FOR_LANES(warp->lanes, lane)
	{
		const uint32_t k = base + lane;
		const uint64_t operand = lanes->operand[k];
		int64_t owner;

		if (!(lanes->truth.w[k / 64] >> (k % 64) & 1) || operand & TR_MBAR_FAILED)
			continue;
		owner = owner_of(sm, warp->thread[lane], lanes->value[k], &rank);
		if (owner < 0) /* PTX has no waits at barriers of other CTAs */
			continue;
		sm->failed |= sim_mbarrier_wait(sm, w, (uint32_t)owner, lanes->value[k],
				      (uint32_t)(operand >> TR_MBAR_PHASES_AT)) < 0;
	}
	over = sim_mbarrier_over(sm, w);
	if (over != SIM_NEVER) {
		wait_is_over(sm, w, x, over, now);
		pass_inst(sm, w, x, now);
		return;
	}
	set_state(sm, w, SIM_W_MBARRIER);
	if (sm->watch)
		sim_watch_warp(sm, SIM_EV_BARRIER, w, SIM_NO_WARP);
}

static __attribute__((noinline)) void mbarrier_issue(struct sim_sm *sm, uint32_t w,
	const struct sim_inst *x, const struct sim_lanes *lanes, uint32_t base, uint64_t now)
{
	if (sim_is_barrier(x->inst) && lanes->done) {
		mbarrier_wait(sm, w, x, lanes, base, now);
		return;
	}
	if (lanes->done)
		mbarrier_operate(sm, w, x, lanes, base, now);
	pass_inst(sm, w, x, now);
}

/*
 * An instruction is complete. After a block's last one threads may exit, and the policy says where
 * the others go on.
 */
static void resolve(struct sim_sm *sm, uint32_t w, uint64_t now)
{
	uint64_t changed = 0;

	sm->policy_ran = 1;
	sim_bits_set(&sm->changed, w);
	sim_bits_set(&sm->asked, w);
	if (!sim_next_inst(sm, w)->last) {
		sm->sh->warp->next(sm->policy, &sm->front, w, now);
		return;
	}
	sm->warps[w].moved = 1;
	if (sm->shape.member)
		sim_loops_part(sm, w, sim_issue_pace(sm, w), now);
	if (sim_next_inst(sm, w)->leads_out)
		changed = sim_cta_exits(sm, &sm->warps[w]);
	for (uint64_t m = changed; m; m &= m - 1) {
		if (sm->ctas[__builtin_ctzll(m)].live)
			barrier_check(sm, (uint32_t)__builtin_ctzll(m), now);
		cluster_check(sm, sm->ctas[__builtin_ctzll(m)].cluster, now);
	}
	sm->sh->warp->next(sm->policy, &sm->front, w, now);
	for (; changed; changed &= changed - 1)
		if (!sm->ctas[__builtin_ctzll(changed)].live)
			cta_ended(sm, (uint32_t)__builtin_ctzll(changed), now);
}

/* Data of a load have come: its warp may issue, if it waited for these alone. */
static void has_data(struct sim_sm *sm, uint32_t slot, uint32_t inst, uint64_t now)
{
	struct sim_warp *w = &sm->warps[slot];
	const struct sim_told told = {
		.what = SIM_TOLD_DATA, .warp = slot, .inst = inst, .now = now};
	const uint64_t life = w->life;

	if (sm->sh->warp->hears & SIM_TOLD_DATA)
		sim_tell(sm, &told);
	if (!sm->warps[slot].blocked || w->life != life)
		return;
	if (w->state == SIM_W_RUN) {
		file_warp(sm, slot, now);
	} else if (w->state == SIM_W_RESOLVE && !sm->warps[slot].outstanding) {
		sm->warps[slot].blocked = 0;
		sim_bits_set(&sm->changed, slot);
		sim_wheel_put(&sm->wake, slot,
			sm->warps[slot].not_before > now ? sm->warps[slot].not_before : now);
	}
}

static void load_done(struct sim_sm *sm, struct sim_load *l, uint64_t now)
{
	const struct sim_inst *x = &sm->sh->program->insts[l->inst];
	uint64_t *ready_at = sm->ready_at + (size_t)l->warp * sm->nregs;
	struct sim_warp *w = &sm->warps[l->warp];

	if (l->mark && sim_mbarrier_copied(sm, l, now))
		mbarriers_look(sm, now);
	if (sm->sliced.n) {
		const uint32_t all = l->slices;
		uint32_t slot, slices;

		while ((slot = sim_slices_done(sm, l, &slices, now)) != SIM_NO_WARP) {
			if (sm->watch)
				sim_watch_back_slices(sm, slot, l, slices);
			has_data(sm, slot, l->inst, now);
		}
		if (sm->watch) /* those whose threads have ended meanwhile */
			sim_watch_back_slices(sm, SIM_NO_WARP, l, all);
		return;
	}
	if (sm->watch)
		sim_watch_back(sm, l);
	if (w->state == SIM_W_FREE || w->life != l->life)
		return; /* its warp has ended meanwhile */
	for (unsigned i = 0; i < x->ndst && sm->nregs; i++)
		if (!brought_by_another(sm, l, x->reg[i]))
			ready_at[x->reg[i]] = now;
	if (sm->counters && x->after)
		sim_control_done(sm, l->warp, x, now);
	sm->warps[l->warp].outstanding--;
	has_data(sm, l->warp, l->inst, now);
}

/* Tells the policy which warps have loads that missed. */
static void tell_missed(struct sim_sm *sm, uint64_t now)
{
	for (uint32_t i = 0; i < sm->lsu.nmissed; i++) {
		const struct sim_load *l = &sm->lsu.loads[sm->lsu.missed[i]];
		const struct sim_told told = {
			.what = SIM_TOLD_MISSED, .warp = l->warp, .inst = l->inst, .now = now};

		if (sm->warps[l->warp].state != SIM_W_FREE && sm->warps[l->warp].life == l->life)
			sim_tell(sm, &told);
	}
}

/* The memory unit has begun with accesses whose sources are waited for: they are read soon. */
static __attribute__((noinline)) void sources_read(struct sim_sm *sm, uint64_t now)
{
	for (uint32_t i = 0; i < sm->lsu.nbegun; i++) {
		const struct sim_job *j = &sm->lsu.jobs[sm->lsu.begun[i]];

		for (uint32_t k = 0; k < j->nwarps; k++) {
			const struct sim_warp *w = &sm->warps[j->warp[k]];

			if (w->state == SIM_W_FREE || w->life != j->life[k])
				continue;
			sim_control_read(sm, j->warp[k], &sm->insts[j->inst], now);
			if (w->state == SIM_W_RUN && w->blocked)
				file_warp(sm, j->warp[k], now);
		}
	}
}

/* Code has come: warps that waited for it alone may issue when it is in their L0-I. */
static __attribute__((noinline)) void code_came(struct sim_sm *sm, uint64_t now)
{
	for (uint32_t i = 0; i < sm->lsu.ncame; i++) {
		uint32_t line;
		const uint32_t to = sim_code_came(sm, sm->lsu.came[i], now, &line);

		for (uint32_t w = 0; to && w < sm->nwarps; w++)
			if (to >> w % sm->sh->config->sm.schedulers & 1 &&
				sm->warps[w].state == SIM_W_RUN && sm->code.line_of[w] == line)
				file_warp(sm, w, now);
	}
}

/* ---- a cycle ---- */

static inline __attribute__((always_inline)) void wake_warps(struct sim_sm *sm, uint64_t now)
{
	uint32_t w;

	while ((w = sim_wheel_take(&sm->wake, now)) != UINT32_MAX && !sm->failed) {
		sm->events++;
		if (sm->warps[w].state == SIM_W_RESOLVE)
			resolve(sm, w, now);
		else if (sm->warps[w].state != SIM_W_RUN || sm->warps[w].blocked)
			continue;
		else if (sm->may_change || sm->shares)
			file_warp(sm, w, now);
		else
			set_ready(sm, w);
	}
}

/* Tells the policy of warps that wait for a load of which some slices have the data. */
static void split_warps(struct sim_sm *sm, uint64_t now)
{
	struct sim_bits *some = &sm->sliced.some;

	if (!sim_bits_any(some))
		return;
	for (uint32_t w = sim_bits_next(some, 0); w != UINT32_MAX; w = sim_bits_next(some, w + 1)) {
		struct sim_told told = {.what = SIM_TOLD_PARTLY, .warp = w, .now = now};

		sim_bits_clear(some, w);
		if (sm->warps[w].state != SIM_W_RUN || !sm->warps[w].blocked)
			continue;
		told.inst = sm->warps[w].pc;
		told.slices = sim_slices_ready(sm, w);
		if (told.slices)
			sim_tell(sm, &told);
	}
}

/* ---- issue ---- */

/* Sets when the results of a warp's instruction are ready; `loads`: when the memory answers. */
static inline void book_results(struct sim_sm *sm, uint32_t w, const struct sim_inst *x, int loads,
	uint32_t cycles, uint64_t now)
{
	uint64_t *ready_at = sm->ready_at + (size_t)w * sm->nregs;
	const uint64_t at = now + cycles - 1 + x->latency;

	sm->warps[w].not_before = now + (x->hold > cycles ? x->hold : cycles);
	if (sim_one_in_flight(sm)) { /* of loads it waits for the answers */
		if (!loads && at > sm->warps[w].not_before)
			sm->warps[w].not_before = at;
		return;
	}
	if (__builtin_expect(sm->counters && x->after, 0)) {
		const uint32_t stall = cycles - 1 + x->after;

		if (sm->warps[w].not_before < now + stall)
			sm->warps[w].not_before = now + stall;
		sim_control_issued(sm, w, x, loads, cycles, now);
	}
	if (sm->group && x->copy) {
		sm->group[w] += x->copy == TR_COPY_COMMIT;
		if (loads && x->copy == TR_COPY_LOAD)
			return; /* who waits for it asks for its group */
	}
	if (loads) {
		for (unsigned i = 0; i < x->ndst; i++)
			ready_at[x->reg[i]] = SIM_NEVER;
		return;
	}
	for (unsigned i = 0; i < x->ndst; i++)
		if (ready_at[x->reg[i]] < at)
			ready_at[x->reg[i]] = at;
}

static void tell_joined(struct sim_sm *sm, const struct sim_wide *wide, uint32_t inst, uint64_t now)
{
	for (uint32_t s = 0; s < sm->sh->config->sm.schedulers; s++)
		for (uint32_t i = 1; i < wide->n; i++)
			sm->sh->sched->issued_joined(sm->sched[s].state, wide->warp[i], inst, now);
}

static void tell_policy(struct sim_sm *sm, uint32_t warp, uint32_t inst, uint64_t now)
{
	const struct sim_told told = {
		.what = SIM_TOLD_ISSUED, .warp = warp, .inst = inst, .now = now};

	sim_tell(sm, &told);
}

static inline void tell_schedulers(
	struct sim_sm *sm, const struct sim_wide *wide, uint32_t inst, uint64_t now, int simple)
{
	const struct sim_sched *sched = sm->sh->sched;
	const uint32_t n = simple ? 1 : sm->sh->config->sm.schedulers;

	if (sched->issued_joined)
		tell_joined(sm, wide, inst, now);
	/* Where all issue that can, there was no pick. */
	if (sched->issued && (simple || !sm->sh->config->sm.unlimited_issue))
		for (uint32_t s = 0; s < n; s++)
			sched->issued(sm->sched[s].state, wide->warp[0], inst, now);
}

/* Lanes of a wide warp call the device runtime: it waits for their answers. */
static void call_runtime(struct sim_sm *sm, const struct sim_wide *wide, const struct sim_inst *x,
	const struct sim_lanes *lanes, uint64_t now)
{
	const struct sim_launcher *launcher = sm->sh->launcher;
	struct sim_call call = {.sm = sm->number, .kind = (enum tr_api)x->inst->aux};
	uint64_t until;
	uint32_t lane;

	FOR_LANES(lanes->truth, lane)
	{
		const struct sim_warp *w = &sm->warps[wide->warp[lane / wide->width]];

		call.slot[call.n] = w->thread[lane % wide->width];
		call.value[call.n++] = lanes->value[lane];
	}
	until = launcher->call(launcher->arg, &call, now);
	for (uint32_t i = 0; i < wide->n; i++)
		if (sm->warps[wide->warp[i]].not_before < until)
			sm->warps[wide->warp[i]].not_before = until;
	sm->sh->stats->launch.api_cycles += until > now ? until - now : 0;
}

/* All that a scheduler has issued in a cycle. */
struct issued {
	uint32_t cycles, active, lanes;
};

/* The units of an instruction's class are taken. */
static __attribute__((noinline)) void take_units(
	struct sim_sm *sm, uint32_t warp, const struct sim_inst *x, uint32_t cycles, uint64_t now)
{
	const uint64_t until = now + (x->interval > cycles ? x->interval : cycles);

	for (uint32_t m = sim_sets_of(sm, warp, x); m; m &= m - 1) {
		uint64_t *unit_free = sm->unit_free[__builtin_ctz(m)];

		if (x->both || unit_free[x->pipe] > now)
			unit_free[x->other] = until;
		if (x->both || unit_free[x->pipe] <= now)
			unit_free[x->pipe] = until;
	}
}

static void access_memory(
	struct sim_sm *sm, const struct sim_wide *wide, uint32_t inst, struct sim_lanes *lanes)
{
	if (sm->sliced.n)
		sim_issue_together(sm, wide->warp[0], inst, lanes);
	else if (sim_issue_access(sm, wide, inst, lanes) < 0)
		sm->failed = 1;
	if (sm->watch && !sm->sliced.n)
		sim_watch_out(sm, wide, inst);
}

/*
 * An instruction of a wide warp of n warps issues. said: the cycles that it takes, by the policy,
 * or 0. Compiled by itself for one warp, as most instructions are issued, and for that on a simple
 * SM (sim_sm.simple).
 */
static inline __attribute__((always_inline)) void issue(struct sim_sm *sm,
	const struct sim_wide *wide, uint32_t n, uint32_t said, struct issued *all, uint64_t now,
	int simple)
{
	const uint32_t pc = sm->warps[wide->warp[0]].pc, nlanes = n * wide->width;
	const int sliced = !simple && sm->sliced.n, watched = !simple && sm->watch;
	const struct sim_inst *x = &sm->insts[pc];
	const uint32_t inst = pc + x->rows;
	const uint32_t cycles = (said ? said : sim_issue_cycles(sm, nlanes)) + x->reads;
	struct sim_lanes lanes;
	int memory = sim_is_memory(x);

	sm->events++;
	for (uint32_t i = 0; i < n; i++) {
		not_ready(sm, wide->warp[i]);
		if (!simple && sm->fetch.ports)
			sim_fetch_issued(sm, wide->warp[i]);
	}
	all->cycles = cycles > all->cycles ? cycles : all->cycles;
	if (simple && cycles == 1 && sm->picks_at)
		sm->picks_at = now + 1;
	if (__builtin_expect(x->rows, 0))
		sim_issue_operands(sm, wide, pc, &lanes);
	sim_issue_read(sm, wide, x, &lanes);
	if (__builtin_expect(x->mbarrier, 0))
		mbarrier_addresses(&lanes);
	if (sm->failed)
		return;
	sim_issue_count(sm, inst, &lanes, sliced ? sim_width(sm, wide->warp[0]) : nlanes);
	if (watched)
		sim_watch_issue(sm, wide, inst, &lanes, cycles);
	all->active += lanes.active;
	all->lanes = sliced ? sm->nlanes : all->lanes + nlanes;
	if (x->interval)
		take_units(sm, wide->warp[0], x, cycles - x->reads, now + x->reads);
	memory = memory && lanes.done;
	if (memory)
		access_memory(sm, wide, inst, &lanes);
	else if (x->part == SIM_COPY_WRITE && lanes.done)
		sim_issue_tell(sm, wide, inst, &lanes);
	if (sm->sh->sink) { /* its own accesses have said what was executed before it */
		sm->sh->sink->warp_insts++;
		sm->sh->sink->thread_insts += lanes.done;
	}
	for (uint32_t i = 0; i < n; i++)
		book_results(sm, wide->warp[i], x, memory, cycles, now);
	if (!simple && sm->shape.once && memory && sm->lsu.took_none && sm->counters && x->sources)
		sim_control_read(sm, wide->warp[0], x, now);
	if (x->unit == SIM_U_API && lanes.done && sm->sh->launcher)
		call_runtime(sm, wide, x, &lanes, now);
	for (uint32_t i = 0; i < n; i++) {
		if (x->unit == SIM_U_BARRIER && lanes.done)
			barrier_arrive(sm, wide->warp[i], x, &lanes.truth, now);
		else if (__builtin_expect(x->mbarrier, 0))
			mbarrier_issue(sm, wide->warp[i], x, &lanes, i * wide->width, now);
		else
			pass_inst(sm, wide->warp[i], x, now);
	}
	if (x->asks & SIM_ASK_TOLD)
		tell_policy(sm, wide->warp[0], inst, now);
	if (sm->tells)
		tell_schedulers(sm, wide, inst, now, simple);
}

/* An instruction that the policy has inserted takes a warp's turn; its own stays the next. */
static void issue_own(struct sim_sm *sm, uint32_t warp, struct issued *all)
{
	const struct sim_warp *w = &sm->warps[warp];
	const uint32_t cycles = sim_issue_cycles(sm, w->nlanes);

	sm->events++;
	if (sm->watch)
		sim_watch_own(sm, warp, cycles);
	*all = (struct issued){cycles, w->active, w->nlanes};
}

static int has_room(const struct sim_sm *sm, uint32_t warp)
{
	if (!sim_ready_has(sm, SIM_R_MEMORY, warp))
		return 1;
	return sm->sliced.n ? sim_issue_fits(sm, warp) : sim_lsu_room(&sm->lsu);
}

static __attribute__((noinline)) void issue_joined(struct sim_sm *sm, const struct sim_wide *wide,
	uint32_t said, struct issued *all, uint64_t now)
{
	issue(sm, wide, wide->n, said, all, now, 0);
}

/* Eighths of the lanes that are active, rounded up, from 0 on. Most widths are powers of two. */
static inline uint32_t bin_of(uint32_t active, uint32_t lanes)
{
	const uint32_t n = active * SIM_LANE_BINS + lanes - 1;

	return (lanes & (lanes - 1) ? n / lanes : n >> __builtin_ctz(lanes)) - 1;
}

/* What a scheduler has issued takes so many cycles, with so many lanes of so many. */
static inline uint32_t book_cycles(struct sim_sm *sm, const struct issued *all)
{
	if (all->active)
		sm->sh->stats->issued_bins[bin_of(all->active, all->lanes)] += all->cycles;
	return all->cycles;
}

/* One warp issues on a simple SM; the cycles until the next one does. */
static uint32_t issue_alone(struct sim_sm *sm, uint32_t w, uint32_t said, uint64_t now)
{
	struct sim_wide wide; /* large: only what is used is written */
	struct issued all = {0};

	wide.n = 1;
	wide.warp[0] = (uint16_t)w;
	wide.width = sm->warps[w].nlanes;
	if (has_room(sm, w))
		issue(sm, &wide, 1, said, &all, now, 1);
	return book_cycles(sm, &all);
}

/* All that a scheduler issues in a cycle; the cycles until it issues again. */
static uint32_t issue_bundle(struct sim_sm *sm, const struct sim_bundle *b, uint64_t now)
{
	const uint32_t n = b->own ? 0 : b->n;
	struct issued all = {0};
	struct sim_wide wide; /* large: only what is used is written */

	if (b->own)
		issue_own(sm, b->beat[0].warp, &all);
	for (uint32_t i = 0; i < n && !sm->failed;) {
		const uint32_t first = b->beat[i].warp;

		wide.n = 1;
		wide.warp[0] = b->beat[i].warp;
		wide.width = sm->warps[first].nlanes;
		while (++i < n && b->beat[i].joins)
			wide.warp[wide.n++] = b->beat[i].warp;
		if (!has_room(sm, first)) /* those before it may have filled the memory unit */
			continue;
		if (wide.n == 1)
			issue(sm, &wide, 1, b->cycles, &all, now, 0);
		else
			issue_joined(sm, &wide, b->cycles, &all, now);
	}
	if (sm->sliced.ntogether && sim_issue_accesses(sm) < 0)
		sm->failed = 1;
	return book_cycles(sm, &all);
}

/* A scheduler's turn: the class of its cycle. */
static inline enum sim_cycle schedule(struct sim_sm *sm, uint32_t s, uint64_t now, int simple)
{
	struct sim_bits can;
	struct sim_bundle b;
	const enum sim_cycle why = sim_pick(sm, s, &can, &b, now);

	if (!simple && sm->watch)
		sim_watch_turn(sm, s, &can, why);
	if (simple && b.n == 1 && !b.own)
		sm->sched[s].busy_until = now + issue_alone(sm, b.beat[0].warp, b.cycles, now);
	else if (b.n)
		sm->sched[s].busy_until = now + issue_bundle(sm, &b, now);
	return why;
}

/* Every ready warp issues: the bound of a machine without an issue limit. */
static enum sim_cycle schedule_all(struct sim_sm *sm, uint32_t s, uint64_t now)
{
	enum sim_cycle why = SIM_CY_ISSUED;
	uint32_t from = 0, n = 0;
	struct sim_bundle b;

	if (sm->watch)
		sim_watch_turn(sm, s, NULL, SIM_CY_ISSUED);
	for (; !sm->failed; n++) {
		why = sim_pick_next(sm, s, &from, &b, now);
		if (!b.n)
			break;
		issue_bundle(sm, &b, now);
	}
	if (sm->watch)
		sim_watch_left(sm, s);
	return n ? SIM_CY_ISSUED : why;
}

/* ---- a cycle ---- */

/* Cycles without an issue are charged to the next instruction of the oldest warp. */
static void charge(struct sim_stats *st, const struct sim_scheduler *s, uint64_t cycles)
{
	if (st->charged && sim_is_charged(s->last_class))
		st->charged[s->oldest_at * SIM_NCYCLES + s->last_class] += cycles;
}

/* Wherever there is something to wait for, there is a warp that waits. */
static void note_oldest(struct sim_sm *sm, uint32_t s)
{
	const struct sim_bits *mine = &sm->sched[s].mine;
	const struct sim_warp *oldest = NULL;

	for (uint32_t k = 0; k < mine->words; k++)
		for (uint64_t m = mine->w[k] & ~sm->vacant.w[k]; m; m &= m - 1) {
			const struct sim_warp *w =
				&sm->warps[k * 64 + (uint32_t)__builtin_ctzll(m)];

			if (!oldest || w->age < oldest->age)
				oldest = w;
		}
	sm->sched[s].oldest_at = oldest ? oldest->pc : 0;
}

/* What a scheduler did since the cycles that are counted. */
static inline void account_scheduler(
	const struct sim_sm *sm, const struct sim_scheduler *s, uint64_t now)
{
	const uint64_t busy = s->busy_until < now ? s->busy_until : now;
	struct sim_stats *st = sm->sh->stats;
	uint64_t from = sm->accounted;

	if (busy > from) {
		st->by_cycle[SIM_CY_ISSUED] += busy - from;
		from = busy;
	}
	if (now > from) {
		st->by_cycle[s->last_class] += now - from;
		st->mbarrier_cycles += s->at_mbarrier ? now - from : 0;
		charge(st, s, now - from);
	}
}

static inline __attribute__((always_inline)) void account(struct sim_sm *sm, uint64_t now)
{
	struct sim_stats *st = sm->sh->stats;

	if (sm->sh->count_threads)
		sim_threads_count(sm, now);
	if (sm->lsu.njobs && sm->lsu.stall != SIM_CY_STALL_LSU)
		st->unit_stalls[sm->lsu.stall - SIM_CY_STALL_MSHR] += now - sm->accounted;
	account_scheduler(sm, sm->sched, now);
	for (uint32_t i = 1; !sm->simple && i < sm->sh->config->sm.schedulers; i++)
		account_scheduler(sm, &sm->sched[i], now);
	for (uint32_t i = 0; i < sm->nlevels; i++)
		st->policy[i] += sm->levels[i] * (now - sm->accounted);
	st->launch.warp_cycles += sm->warps_here * (now - sm->accounted);
	sm->accounted = now;
}

void sim_sm_account(struct sim_sm *sm, uint64_t now)
{
	account(sm, now);
}

/* A policy whose answers change with time alone is asked again when they may have. */
static uint64_t policies_next(struct sim_sm *sm, uint64_t now)
{
	const struct sim_shared *sh = sm->sh;
	uint64_t next = sm->policy_next, at;

	for (uint32_t s = 0; sh->sched->until && s < sh->config->sm.schedulers; s++) {
		at = sh->sched->until(sm->sched[s].state, now);
		next = at < next ? at : next;
	}
	return next <= now ? now + 1 : next;
}

static uint64_t next_cycle(struct sim_sm *sm, uint64_t now)
{
	uint64_t next, at = sim_wheel_next(&sm->wake);

	next = policies_next(sm, now);
	next = at < next ? at : next;
	next = sm->unit_awaited < next ? sm->unit_awaited : next;
	at = sim_lsu_next(&sm->lsu, now);
	next = at < next ? at : next;
	if (sim_code_sends(sm))
		return now + 1;
	for (uint32_t i = 0; i < sm->sh->config->sm.schedulers; i++) {
		const struct sim_scheduler *s = &sm->sched[i];

		/* After an issue the next cycle has a class of its own. */
		if (s->last_class != SIM_CY_ISSUED && s->busy_until <= now)
			continue;
		at = s->busy_until > now ? s->busy_until : now + 1;
		next = at < next ? at : next;
	}
	return next;
}

/* Instructions are fetched, for the next cycles. 1: some could not be. */
static int fetch(struct sim_sm *sm, uint64_t now)
{
	struct sim_bits first;
	const int more = sim_fetch_step(sm, &first, now);

	sm->events += sim_bits_any(&first);
	for (uint32_t w = sim_bits_next(&first, 0); w != UINT32_MAX;
		w = sim_bits_next(&first, w + 1))
		if (sm->warps[w].state == SIM_W_RUN)
			file_warp(sm, w, now);
	return more;
}

/* Cycles from now to the next in which a warp may be fetched. */
static uint32_t next_beat(const struct sim_sm *sm, uint64_t now)
{
	const uint32_t beat = sim_issue_cycles(sm, sm->shape.lanes);

	if (beat == 1 || !sm->sh->config->sm.fetch_beats)
		return 0;
	return (uint32_t)((beat - now % beat) % beat);
}

/* Has a scheduler ready warps that cannot issue? Off the beat they are no stall. */
static int stalls(const struct sim_sm *sm)
{
	for (uint32_t i = 0; i < sm->sh->config->sm.schedulers; i++)
		if (sm->sched[i].last_class != SIM_CY_ISSUED &&
			sm->sched[i].last_class < SIM_CY_MEMORY)
			return 1;
	return 0;
}

/* Does a scheduler that has nothing to issue wait for a barrier in memory, among others? */
static int waits_at_mbarrier(const struct sim_sm *sm, const struct sim_scheduler *s)
{
	if (!sm->mbarrier_waits || s->last_class != SIM_CY_SYNC)
		return 0;
	for (uint32_t k = 0; k < s->mine.words; k++)
		for (uint64_t m = s->mine.w[k] & ~sm->vacant.w[k]; m; m &= m - 1)
			if (sm->warps[k * 64 + (uint32_t)__builtin_ctzll(m)].state ==
				SIM_W_MBARRIER)
				return 1;
	return 0;
}

/* What scheduler `at` does in a cycle: 1: it issues. */
static inline int turn(struct sim_sm *sm, uint32_t at, uint32_t beat, uint64_t now, int simple)
{
	const struct sim_shared *sh = sm->sh;
	struct sim_scheduler *s = &sm->sched[at];

	if (s->busy_until > now) { /* its class stays: account() counts these cycles */
		if (!simple && sm->watch)
			sim_watch_turn(sm, at, NULL, SIM_CY_ISSUED);
		return 0;
	}
	if (beat) { /* no warp is fetched in this cycle */
		s->last_class = sim_pick_none(sm, at);
		s->at_mbarrier = (uint8_t)waits_at_mbarrier(sm, s);
		if (sh->stats->charged && sim_is_charged(s->last_class))
			note_oldest(sm, at);
		if (!simple && sm->watch)
			sim_watch_turn(sm, at, NULL, s->last_class);
		return 0;
	}
	s->last_class = !simple && sh->config->sm.unlimited_issue ? schedule_all(sm, at, now)
								  : schedule(sm, at, now, simple);
	s->at_mbarrier = (uint8_t)waits_at_mbarrier(sm, s);
	if (sh->stats->charged && sim_is_charged(s->last_class))
		note_oldest(sm, at);
	return s->last_class == SIM_CY_ISSUED;
}

/* What has come from other SMs and lets warps go on. */
enum { CLUSTER_OPENED = 1, PHASE_ENDED = 2 };

/* Takes what has come over the network of the GPC. */
static __attribute__((noinline)) int hear_of_sms(struct sim_sm *sm, uint64_t now)
{
	struct sim_dsm_packet p;
	int released = 0;

	while (sim_dsm_take(sm->sh->dsm, sm->number, &p)) {
		if (p.kind == SIM_DSM_BARRIER)
			released |= CLUSTER_OPENED;
		else if (p.kind == SIM_DSM_MBARRIER)
			released |= operated_from_far(sm, &p, now) ? PHASE_ENDED : 0;
		else
			sim_lsu_from_sm(&sm->lsu, &p, now);
	}
	sm->lsu.serves = sim_dsm_waiting(sm->sh->dsm, sm->number);
	return released;
}

/* A step, compiled once more for an SM that is simple (sim_sm.simple). */
static inline __attribute__((always_inline)) uint64_t step(
	struct sim_sm *sm, uint64_t now, int woken, int simple)
{
	const uint32_t beat = next_beat(sm, now);
	const struct sim_shared *sh = sm->sh;
	struct sim_load load;
	uint64_t next;
	int issued = 0, released = 0;

	account(sm, now);
	if (simple && !sm->shares)
		sm->picks_at = sh->count_threads ? 0 : now;
	if (sh->sched->pass && now > sm->passed)
		for (uint32_t s = 0; s < sh->config->sm.schedulers; s++)
			sh->sched->pass(sm->sched[s].state, sm->passed, now);
	sm->passed = now;
	if (woken)
		sim_lsu_replies(&sm->lsu, now);
	if (woken && sh->dsm)
		released = hear_of_sms(sm, now);
	if (!simple && woken && sm->lsu.ncame)
		code_came(sm, now);
	while (sim_lsu_done(&sm->lsu, now, &load))
		load_done(sm, &load, now);
	wake_warps(sm, now);
	/* After that: the wheel of warps has come to this cycle. */
	if (released & CLUSTER_OPENED)
		cluster_released(sm, now);
	if (released & PHASE_ENDED)
		mbarriers_look(sm, now);
	if (sm->forces) {
		sm->forces = 0;
		sm->events++;
		barriers_force(sm, 1, now);
	}
	if (!simple && sm->shape.partly)
		split_warps(sm, now);
	if (sh->warp->begin)
		sh->warp->begin(sm->policy, &sm->front, now);
	sim_lsu_step(&sm->lsu, now);
	if (sm->lsu.nseen || sm->lsu.failed || (sm->watch && sm->lsu.nfar_seen))
		sim_sm_seen(sm, now);
	if (sm->lsu.nmissed)
		tell_missed(sm, now);
	if (!simple && sm->lsu.nbegun)
		sources_read(sm, now);
	if (!simple && sm->code.nwanted)
		sim_code_send(sm, now);
	sm->unit_awaited = SIM_NEVER;
	sm->filed = 0;
	/* Each in turn is the first, since the first may take the last room in the memory unit. */
	for (uint32_t i = 0, n = simple ? 1 : sh->config->sm.schedulers; i < n && !sm->failed; i++)
		issued |= turn(sm, n == 1 ? 0 : (uint32_t)((now + i) % n), beat, now, simple);
	if (!simple && sm->watch)
		sim_watch_end(sm);
	sh->stats->issue_cycles += (unsigned)issued;
	if (sh->warp->tick && !sm->failed)
		sm->policy_next = sh->warp->tick(sm->policy, &sm->front, now);
	if (sm->failed)
		return 0;
	/* What the policy has sent on may wait for its code or for a counter: who had none to issue
	 * looks why anew. */
	if (!simple && sm->filed && (sm->code.lines || sm->counters))
		return now + 1;
	if (!simple && sm->fetch.ports && fetch(sm, now))
		return now + 1;
	if (!simple && sm->shape.partly && sim_bits_any(&sm->sliced.some))
		return now + 1;
	/*
	 * What has issued may have opened a barrier, or a warp of another scheduler may have joined
	 * it: where there are several, each looks anew at why it has none to issue. Where there is
	 * one, the cycle after an issue has a class of its own.
	 */
	if (issued &&
		(sm->sched->busy_until <= now + 1 || (!simple && sh->config->sm.schedulers > 1)))
		return now + 1;
	next = next_cycle(sm, now);
	if (next > now + 1 && !beat && sh->config->sm.fetch_beats)
		return stalls(sm) ? now + 1 : next;
	return beat && next > now + beat ? now + beat : next;
}

uint64_t sim_sm_step(struct sim_sm *sm, uint64_t now, int woken)
{
	return sm->simple ? step(sm, now, woken, 1) : step(sm, now, woken, 0);
}

int sim_sm_force(struct sim_sm *sm)
{
	/* A policy that picks makes warps of what others leave, and may do so in a later cycle. */
	sm->forces = !sm->sh->warp->pick && barriers_force(sm, 0, 0);
	return sm->forces;
}

const char *sim_sm_stands(const struct sim_sm *sm, char *text, size_t size)
{
	const char *why = NULL;

	for (uint32_t w = 0; w < sm->nwarps; w++)
		if (sm->warps[w].state == SIM_W_MBARRIER) {
			sim_mbarrier_missing(sm, w, text, size);
			return text;
		}
	for (uint32_t w = 0; w < sm->nwarps; w++) {
		if (sm->warps[w].state == SIM_W_BARRIER && sm->barrier_of[w] == TR_BARRIER_CLUSTER)
			return "warps wait at the barrier of a cluster, which cannot fill at this "
			       "warp size";
		if (sm->warps[w].state == SIM_W_BARRIER)
			return "warps wait at a barrier that cannot fill at this warp size";
		if (sm->warps[w].state == SIM_W_HELD)
			why = "warps wait for other warps that do not come";
		else if (sm->warps[w].state != SIM_W_FREE && !why)
			why = "the scheduler lets no warp issue any more";
	}
	return why;
}

uint32_t sim_sm_warps(const struct sim_sm *sm)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < sm->nwarps; w++)
		n += sm->warps[w].state != SIM_W_FREE;
	return n;
}

uint64_t sim_sm_events(const struct sim_sm *sm)
{
	return sm->events + sm->lsu.events;
}

int sim_sm_busy(const struct sim_sm *sm)
{
	return sm->live_ctas || sim_lsu_busy(&sm->lsu);
}
