/*
 * One SM: CTAs and their threads, warps that become ready, the issue of an instruction, barriers.
 * What runs together is the warp policy's, who goes first the scheduler's, what memory
 * instructions cost the memory unit's (lsu.c). Operands: an in-order scoreboard by register; where
 * the policy regroups threads, or the machine says so, one instruction of a warp in flight.
 */
#include "sim/sm/internal.h"
#include <stdlib.h>

/* ---- setting up ---- */

static void free_launch(struct sim_sm *sm)
{
	for (uint32_t i = 0; sm->ctas && i < sm->nctas; i++)
		sim_tape_free(&sm->ctas[i].tape);
	free(sm->threads);
	free(sm->ctas);
	free(sm->ready_at);
	sm->threads = NULL;
	sm->ctas = NULL;
	sm->ready_at = NULL;
}

void sim_sm_free(struct sim_sm *sm)
{
	if (!sm)
		return;
	sim_lsu_free(&sm->lsu);
	sim_wheel_free(&sm->wake);
	for (uint32_t i = 0; sm->sched && i < sm->sh->config->sm.schedulers; i++)
		free(sm->sched[i]);
	free(sm->sched);
	free(sm->sched_env);
	free(sm->mine);
	free(sm->busy_until);
	free(sm->last_class);
	free(sm->last_cta);
	free(sm->warps);
	free(sm->thread_of);
	free(sm->seen);
	free(sm->not_before);
	free(sm->outstanding);
	free(sm->blocked);
	free(sm->barrier_of);
	free(sm->block_of);
	free(sm->moved);
	free(sm->pace);
	sim_members_free(sm);
	free_launch(sm);
	free(sm->policy);
	free(sm);
}

static int start_schedulers(struct sim_sm *sm)
{
	const struct sim_shared *sh = sm->sh;
	uint32_t n = sh->config->sm.schedulers;

	sm->sched = calloc(n, sizeof(*sm->sched));
	sm->sched_env = calloc(n, sizeof(*sm->sched_env));
	sm->mine = calloc(n, sizeof(*sm->mine));
	sm->busy_until = calloc(n, sizeof(*sm->busy_until));
	sm->last_class = calloc(n, sizeof(*sm->last_class));
	sm->last_cta = calloc(n, sizeof(*sm->last_cta));
	if (!sm->last_cta || !sm->sched || !sm->sched_env || !sm->mine || !sm->busy_until ||
		!sm->last_class)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct sim_sched_env *env = &sm->sched_env[i];

		sim_bits_init(&sm->mine[i], sm->nwarps);
		for (uint32_t w = i; w < sm->nwarps; w += n)
			sim_bits_set(&sm->mine[i], w);
		*env = (struct sim_sched_env){.nwarps = sm->nwarps,
			.nmembers = sm->nmembers,
			.warp_size = sm->nlanes,
			.sm = sm,
			.members = sh->warp->regroups ? sim_members_of : NULL,
			.stats = &sh->stats->sched,
			.profile = sh->sched_profile,
			.nctas = sh->config->sm.ctas,
			.warps = sm->seen,
			.waits_changed = &sm->waits_changed,
			.mine = &sm->mine[i],
			.number = i,
			.schedulers = n,
			.line_bytes = sh->config->l1d.g.line_bytes,
			.l1d_lines = sh->config->l1d.g.sets * sh->config->l1d.g.ways};
		sm->last_class[i] = SIM_CY_DRAINED;
		sm->sched[i] =
			calloc(1, sim_sched_state_size(sh->sched, env, sh->sched_params) + 1);
		if (!sm->sched[i])
			return -1;
		if (sh->sched->start)
			sh->sched->start(sm->sched[i], env, sh->sched_params);
	}
	return 0;
}

int sim_sm_new(struct sim_sm **out, const struct sim_shared *sh, uint32_t number)
{
	struct sim_sm *sm = calloc(1, sizeof(*sm));
	size_t state;
	struct sim_lsu_shape unit;

	*out = sm;
	if (!sm)
		return tr_fail(sh->err, TR_EMEM, 0, "no memory for an SM");
	sm->sh = sh;
	sm->number = number;
	sh->warp->shape(sh->config, sh->warp_params, &sm->nwarps, &sm->nlanes, &state);
	sm->widest = sim_warp_policy_widest(sh->warp, sh->config, sh->warp_params);
	if (sm->nwarps > SIM_BITS_MAX || sm->nlanes > TR_LANES_MAX)
		return tr_fail(sh->err, TR_EUSAGE, 0,
			"%s needs %u warps of %u lanes, more than %u of %u", sh->warp->name,
			sm->nwarps, sm->nlanes, SIM_BITS_MAX, TR_LANES_MAX);
	sm->warps = calloc(sm->nwarps, sizeof(*sm->warps));
	sm->thread_of = calloc((size_t)sm->nwarps * sm->nlanes, sizeof(*sm->thread_of));
	sm->seen = calloc(sm->nwarps, sizeof(*sm->seen));
	sm->not_before = calloc(sm->nwarps, sizeof(*sm->not_before));
	sm->outstanding = calloc(sm->nwarps, sizeof(*sm->outstanding));
	sm->blocked = calloc(sm->nwarps, sizeof(*sm->blocked));
	sm->barrier_of = calloc(sm->nwarps, sizeof(*sm->barrier_of));
	sm->block_of = calloc(sm->nwarps, sizeof(*sm->block_of));
	sm->moved = calloc(sm->nwarps, sizeof(*sm->moved));
	sm->pace = calloc(sm->nwarps, sizeof(*sm->pace));
	sm->policy_bytes = state + 1;
	sm->policy = calloc(1, sm->policy_bytes);
	if (!sm->warps || !sm->thread_of || !sm->seen || !sm->not_before || !sm->outstanding ||
		!sm->blocked || !sm->barrier_of || !sm->block_of || !sm->moved || !sm->pace ||
		!sm->policy || sim_wheel_init(&sm->wake, sm->nwarps) || sim_members_init(sm) ||
		start_schedulers(sm))
		return tr_fail(sh->err, TR_EMEM, 0, "no memory for an SM");
	sim_bits_init(&sm->vacant, sm->nwarps);
	for (uint32_t w = 0; w < sm->nwarps; w++) {
		sm->warps[w].thread = sm->thread_of + (size_t)w * sm->nlanes;
		sim_bits_set(&sm->vacant, w);
	}
	sim_bits_init(&sm->ready, sm->nwarps);
	sim_bits_init(&sm->memory_next, sm->nwarps);
	sim_bits_init(&sm->load_next, sm->nwarps);
	sim_bits_init(&sm->watched_next, sm->nwarps);
	sim_bits_init(&sm->slow_next, sm->nwarps);
	sim_bits_init(&sm->withheld, sm->nwarps);
	unit = (struct sim_lsu_shape){.config = sh->config,
		.mem = sh->mem,
		.stats = sh->stats,
		.sm = number,
		.lanes = sh->warp->gang ? TR_LANES_MAX : sm->nlanes,
		.member = sh->warp->regroups ? sm->nlanes : 0,
		.member_age = sm->member_age,
		.seen = sh->sched->access || sh->sink};
	return sim_lsu_init(&sm->lsu, &unit, sh->err);
}

/* How many CTAs of the launch an SM holds: the least of four limits. */
static uint32_t occupancy(const struct sim_config *c, const struct tr_launch *l, uint32_t stride)
{
	uint32_t n = c->sm.ctas, threads = tr_launch_threads(l);
	const uint64_t registers = (uint64_t)l->registers * threads;

	if (stride && c->sm.threads / stride < n)
		n = c->sm.threads / stride;
	if (registers && c->sm.registers / registers < n)
		n = (uint32_t)(c->sm.registers / registers);
	if (l->shared_bytes && c->sm.shared_bytes / l->shared_bytes < n)
		n = c->sm.shared_bytes / l->shared_bytes;
	return n;
}

int sim_sm_launch(struct sim_sm *sm)
{
	const struct sim_shared *sh = sm->sh;
	const struct tr_launch *l = sh->launch;
	uint32_t threads = tr_launch_threads(l), width = sh->config->sm.warp_size;
	const struct sim_program *p = sh->program;

	/* Threads are given places in whole warps. */
	free_launch(sm);
	sm->stride = (threads + width - 1) / width * width;
	sm->nctas = occupancy(sh->config, l, sm->stride);
	if (!sm->nctas)
		return tr_fail(sh->err, TR_EUSAGE, 0,
			"a CTA of launch %u fits no SM: %u threads, %u registers each, %u bytes of "
			"shared memory; the machine has %u threads, %u registers, %u bytes "
			"(sm.threads_per_sm, sm.registers_per_sm, sm.shared_per_sm)",
			l->number, threads, l->registers, l->shared_bytes, sh->config->sm.threads,
			sh->config->sm.registers, sh->config->sm.shared_bytes);
	sm->nthreads = sm->nctas * sm->stride;
	sm->nregs = sim_one_in_flight(sm) ? 0 : p->nregs;
	sm->threads = calloc(sm->nthreads, sizeof(*sm->threads));
	sm->ctas = calloc(sm->nctas, sizeof(*sm->ctas));
	sm->ready_at = calloc((size_t)sm->nwarps * sm->nregs + 1, sizeof(*sm->ready_at));
	if (!sm->threads || !sm->ctas || !sm->ready_at || sim_members_launch(sm))
		return tr_fail(sh->err, TR_EMEM, 0, "no memory for an SM");
	sm->env = (struct sim_warp_env){.sm = sm,
		.config = sh->config,
		.program = p->p,
		.lcp = sh->lcp,
		.warps = sm->warps,
		.nwarps = sm->nwarps,
		.threads = sm->threads,
		.nthreads = sm->nthreads,
		.stride = sm->stride};
	sm->keeps_pace = sh->warp->looks_at_to && sm->nlanes <= SIM_PACE_LANES;
	sim_lsu_launch(&sm->lsu, sm->nthreads);
	sm->passed = sm->accounted;
	for (uint32_t i = 0; sh->sched->launch && i < sh->config->sm.schedulers; i++)
		sh->sched->launch(sm->sched[i], p->p);
	if (!sh->warp->starts_clean)
		memset(sm->policy, 0, sm->policy_bytes);
	sh->warp->start(sm->policy, &sm->env, sh->warp_params);
	return 1;
}

int sim_sm_watches(struct sim_sm *sm, uint32_t inst)
{
	const struct sim_warp_policy *p = sm->sh->warp;

	return p->watches && p->watches(sm->policy, &sm->env, inst);
}

/* ---- warps ---- */

uint32_t sim_sm_warp_new(struct sim_sm *sm, uint32_t cta)
{
	const struct sim_shared *sh = sm->sh;
	const uint32_t w = sim_bits_next(&sm->vacant, 0);
	struct sim_warp *x = &sm->warps[w];

	if (w == SIM_NO_WARP)
		return w;
	sim_bits_clear(&sm->vacant, w);
	*x = (struct sim_warp){
		.state = SIM_W_RUN, .cta = cta, .thread = x->thread, .age = ++sm->next_age};
	sm->seen[w] = (struct sim_sched_warp){
		.age = x->age, .cta_age = sm->ctas[cta].age, .cta_slot = cta, .live = 1};
	sm->not_before[w] = 0;
	sm->outstanding[w] = 0;
	sm->blocked[w] = 0;
	sm->block_of[w] = TR_NONE;
	sm->moved[w] = 1;
	sm->pace[w] = (struct sim_pace){0};
	memset(sm->ready_at + (size_t)w * sm->nregs, 0, sm->nregs * sizeof(*sm->ready_at));
	for (uint32_t i = 0; sh->sched->arrive && i < sh->config->sm.schedulers; i++)
		sh->sched->arrive(sm->sched[i], w);
	if (!sh->warp->regroups)
		sim_member_arrive(sm, w, x->age);
	return w;
}

void sim_sm_not_ready(struct sim_sm *sm, uint32_t w)
{
	sim_bits_clear(&sm->ready, w);
	sim_bits_clear(&sm->memory_next, w);
	sim_bits_clear(&sm->load_next, w);
	sim_bits_clear(&sm->watched_next, w);
	sim_bits_clear(&sm->slow_next, w);
	sim_bits_clear(&sm->withheld, w);
}

void sim_sm_warp_free(struct sim_sm *sm, uint32_t w)
{
	const struct sim_shared *sh = sm->sh;

	sim_sm_not_ready(sm, w);
	sim_settle(sm, w);
	sm->warps[w].state = SIM_W_FREE;
	sim_bits_set(&sm->vacant, w);
	sm->seen[w].live = 0;
	for (uint32_t i = 0; sh->sched->leave && i < sh->config->sm.schedulers; i++)
		sh->sched->leave(sm->sched[i], w);
	if (!sh->warp->regroups)
		sim_member_leave(sm, w);
}

static void set_waits(struct sim_sm *sm, uint32_t w, uint8_t waits)
{
	sm->waits_changed += sm->seen[w].waits != waits;
	sm->seen[w].waits = waits;
}

void sim_sm_warp_hold(struct sim_sm *sm, uint32_t w)
{
	sim_sm_not_ready(sm, w);
	sm->warps[w].state = SIM_W_PARTNERS;
	set_waits(sm, w, 1);
}

/* The cycle in which a warp's next instruction has its operands; SIM_NEVER: a load is missing. */
static uint64_t earliest(const struct sim_sm *sm, uint32_t w)
{
	const struct sim_inst *x = sim_next_inst(sm, w);
	const uint64_t *ready = sm->ready_at + (size_t)w * sm->nregs;
	uint64_t at = sm->not_before[w];

	for (unsigned i = 0; i < x->noperands && sm->nregs; i++)
		if (ready[x->reg[i]] > at)
			at = ready[x->reg[i]];
	return at;
}

static void set_ready(struct sim_sm *sm, uint32_t w)
{
	const struct sim_inst *x = sim_next_inst(sm, w);

	sim_bits_set(&sm->ready, w);
	if (x->unit >= SIM_U_L1D && x->unit <= SIM_U_ATOMIC)
		sim_bits_set(&sm->memory_next, w);
	if (x->is_load && x->unit == SIM_U_L1D)
		sim_bits_set(&sm->load_next, w);
	if (x->watched)
		sim_bits_set(&sm->watched_next, w);
	if (sm->sh->config->interval[x->cls])
		sim_bits_set(&sm->slow_next, w);
}

/* Files a running warp for the cycle of its next issue. */
static void file_warp(struct sim_sm *sm, uint32_t w, uint64_t now)
{
	uint64_t at = earliest(sm, w);

	if (sm->outstanding[w] && sim_one_in_flight(sm))
		at = SIM_NEVER;
	sm->blocked[w] = at == SIM_NEVER;
	if (at == SIM_NEVER)
		return;
	if (at <= now)
		set_ready(sm, w);
	else
		sim_wheel_put(&sm->wake, w, at);
}

/* Lanes that are level with one another are taken together, others let go. */
static void level(struct sim_sm *sm, uint32_t w)
{
	struct sim_pace *p = &sm->pace[w];

	if (sm->ctas[sm->warps[w].cta].tape.nsync)
		return; /* whether a read overtakes its producer is told by its thread's cursor */
	if (p->lanes && p->lanes != sm->warps[w].lanes.w[0])
		sim_pace_end(p, sm->threads);
	if (!p->lanes && sm->warps[w].active > 1)
		sim_pace_try(p, &sm->warps[w], sm->threads);
}

void sim_sm_warp_ready(struct sim_sm *sm, uint32_t w, uint64_t at)
{
	const struct sim_inst *x = sim_next_inst(sm, w);

	sim_sm_not_ready(sm, w); /* a policy may send one elsewhere that was ready */
	sm->warps[w].state = SIM_W_RUN;
	set_waits(sm, w, 0);
	sm->warps[w].active = sim_lanes(&sm->warps[w].lanes);
	if (sm->warps[w].depth > sm->sh->stats->stack_depth_max)
		sm->sh->stats->stack_depth_max = sm->warps[w].depth;
	sm->seen[w].active = sm->warps[w].active;
	sm->not_before[w] = at;
	if (sm->moved[w] && !sm->sh->warp->regroups)
		sim_loops_follow(sm, w, x->block, at);
	if (sm->keeps_pace)
		level(sm, w);
	sm->moved[w] = 0;
	file_warp(sm, w, at ? at - 1 : 0);
}

/* ---- CTAs ---- */

int sim_sm_room(const struct sim_sm *sm)
{
	return sm->live_ctas < sm->nctas;
}

int sim_sm_take(struct sim_sm *sm, const struct tr_cta *cta, uint64_t now)
{
	uint32_t place = 0;
	struct sim_cta *c;

	while (sm->ctas[place].live)
		place++;
	c = &sm->ctas[place];
	*c = (struct sim_cta){.tape = c->tape,
		.number = cta->number,
		.first = place * sm->stride,
		.n = cta->nthreads,
		.live = cta->nthreads,
		.age = ++sm->next_cta_age};
	if (sim_tape_load(&c->tape, cta, sm->threads + c->first))
		return tr_fail(sm->sh->err, TR_EMEM, 0, "no memory for CTA %u", cta->number);
	sm->live_ctas++;
	sm->sh->stats->ctas++;
	sm->sh->stats->threads += cta->nthreads;
	if (sm->sh->warp->regroups)
		sim_members_arrive(sm, c->first, c->n, now);
	sm->sh->warp->arrive(sm->policy, &sm->env, place, c->first, c->n, now);
	sm->events++;
	return sm->failed ? TR_EMEM : 1;
}

void sim_sm_lost(struct sim_sm *sm, const struct sim_thread *t, const char *what)
{
	sm->failed = 1;
	tr_fail(sm->sh->err, TR_EDATA, 0,
		"%s: thread %u on SM %u %s (%s is at fault, not the trace)",
		tr_str(sm->sh->program->p, sm->sh->program->p->name), t->home, sm->number, what,
		sm->sh->warp->name);
}

static void barrier_check(struct sim_sm *sm, uint32_t cta, uint64_t now);

/*
 * Threads of the warp that have ended are taken off their CTAs. Returns the CTAs, by place, in
 * which something has changed.
 */
static uint64_t exits(struct sim_sm *sm, const struct sim_warp *w, uint64_t now)
{
	uint64_t changed = 0;
	uint32_t lane;

	FOR_LANES(w->lanes, lane)
	{
		struct sim_thread *t = &sm->threads[w->thread[lane]];
		struct sim_cta *c = sim_cta_of(sm, w->thread[lane]);

		if (t->pc != TR_EXIT) {
			/* At an exit without a guard it waits for its warp, no barrier for it. */
			const struct sim_inst *x = &sm->sh->program->insts[t->pc];
			if (x->cls != TR_C_EXIT || x->guarded || t->leaving)
				continue;
			t->leaving = 1;
			c->leaving++;
		} else {
			c->leaving -= t->leaving;
			if (t->outcomes || t->values)
				sim_sm_lost(sm, t, "ended before its record did");
			sm->sh->stats->path_hash += t->path;
			sm->sh->stats->ended++;
			c->live--;
		}
		changed |= 1ull << (c - sm->ctas);
	}
	for (uint64_t m = changed; m; m &= m - 1)
		if (sm->ctas[__builtin_ctzll(m)].live)
			barrier_check(sm, (uint32_t)__builtin_ctzll(m), now);
	return changed;
}

static void cta_ended(struct sim_sm *sm, uint32_t place)
{
	if (sm->sh->warp->leave)
		sm->sh->warp->leave(sm->policy, &sm->env, place);
	if (sm->sh->warp->regroups)
		sim_members_leave(sm, sm->ctas[place].first, sm->ctas[place].n);
	sm->live_ctas--;
	sm->events++;
}

/* ---- barriers ---- */

void sim_sm_go_on(struct sim_sm *sm, uint32_t w, uint64_t now)
{
	sim_sm_pass_inst(sm, w, sim_next_inst(sm, w), now);
}

uint32_t sim_sm_barrier(const struct sim_sm *sm, uint32_t w)
{
	return sm->barrier_of[w];
}

int sim_sm_withheld(const struct sim_sm *sm, uint32_t w)
{
	return sim_bits_has(&sm->withheld, w);
}

struct sim_stats *sim_sm_stats(const struct sim_sm *sm)
{
	return sm->sh->stats;
}

static uint32_t first_lane(const struct sim_mask *m)
{
	uint32_t lane = 0;

	while (!(m->w[lane / 64] >> (lane % 64) & 1))
		lane++;
	return lane;
}

static void barrier_check(struct sim_sm *sm, uint32_t cta, uint64_t now)
{
	struct sim_cta *c = &sm->ctas[cta];

	for (uint32_t id = 0; id < SIM_BARRIERS; id++) {
		uint32_t expected = c->live - c->leaving;
		uint32_t some = SIM_NO_WARP;

		if (!c->arrived[id])
			continue;
		for (uint32_t w = 0; w < sm->nwarps; w++)
			if (sm->warps[w].state == SIM_W_BARRIER && sm->warps[w].cta == cta &&
				sm->barrier_of[w] == id)
				some = w;
		if (some != SIM_NO_WARP && sim_next_inst(sm, some)->inst->aux)
			expected = sim_next_inst(sm, some)->inst->aux;
		if (c->arrived[id] < expected)
			continue;
		c->arrived[id] = 0;
		sm->sh->stats->barriers++;
		if (sm->sh->warp->release) {
			sm->sh->warp->release(sm->policy, &sm->env, cta, id, now);
			continue;
		}
		for (uint32_t w = 0; w < sm->nwarps; w++)
			if (sm->warps[w].state == SIM_W_BARRIER && sm->warps[w].cta == cta &&
				sm->barrier_of[w] == id)
				sim_sm_go_on(sm, w, now);
	}
}

void sim_sm_barrier_arrive(struct sim_sm *sm, uint32_t w, const struct sim_inst *x, uint64_t now)
{
	struct sim_warp *warp = &sm->warps[w];
	uint32_t id = (uint32_t)x->inst->disp % SIM_BARRIERS;

	if (sm->sh->warp->mixes) { /* not at a barrier: its lanes are of one CTA */
		warp->cta = warp->thread[first_lane(&warp->lanes)] / sm->stride;
		sm->seen[w].cta_slot = warp->cta;
		sm->seen[w].cta_age = sm->ctas[warp->cta].age;
	}
	sm->ctas[warp->cta].arrived[id] += warp->active;
	if (x->inst->flags & TR_I_ARRIVE) {
		sim_sm_pass_inst(sm, w, x, now);
	} else {
		warp->state = SIM_W_BARRIER;
		set_waits(sm, w, 1);
		sm->barrier_of[w] = id;
	}
	barrier_check(sm, warp->cta, now);
}

/* ---- from instruction to instruction ---- */

/* Behind a block's last instruction: where the lanes go, which adds to the threads' paths. */
static void end_block(struct sim_sm *sm, uint32_t w, const struct sim_inst *x, uint64_t now)
{
	struct sim_warp *warp = &sm->warps[w];
	const uint32_t slow = sm->sh->config->sm.fetch_latency;
	uint32_t lane, to = TR_NONE;

	if (x->inst->nsucc <= 1) /* all go one way: branches have set the threads' pcs already */
		to = x->inst->nsucc ? sm->sh->program->p->succ_pool[x->inst->succ] : TR_EXIT;
	if (sm->pace[w].lanes && x->inst->nsucc > 1)
		to = warp->to; /* they are still level, so the branch has found them agreed */
	warp->to = to;
	if (sm->pace[w].lanes && !x->leads_out) {
		struct sim_pace *p = &sm->pace[w];

		p->mul *= SIM_PATH_FACTOR;
		p->add = (p->add + to) * SIM_PATH_FACTOR;
	} else {
		sim_settle(sm, w);
		FOR_LANES(warp->lanes, lane)
		{
			struct sim_thread *t = &sm->threads[warp->thread[lane]];

			if (to != TR_NONE)
				t->pc = to;
			sim_path_step(&t->path, t->pc);
		}
	}
	if (x->cls == TR_C_BRANCH && sm->not_before[w] < now + slow)
		sm->not_before[w] = now + slow;
}

void sim_sm_pass_inst(struct sim_sm *sm, uint32_t w, const struct sim_inst *x, uint64_t now)
{
	struct sim_warp *warp = &sm->warps[w];

	warp->state = SIM_W_RUN;
	set_waits(sm, w, 0);
	if (sm->not_before[w] <= now)
		sm->not_before[w] = now + 1;
	if (!x->last && !sm->sh->warp->each) {
		warp->pc++;
		file_warp(sm, w, now);
		return;
	}
	if (x->last)
		end_block(sm, w, x, now);
	else
		warp->to = warp->pc + 1;
	warp->state = SIM_W_RESOLVE;
	sm->blocked[w] = sm->outstanding[w] && sim_one_in_flight(sm);
	if (!sm->blocked[w])
		sim_wheel_put(&sm->wake, w, sm->not_before[w]);
}

/*
 * An instruction is through. Behind a block's last one its threads part, end, and go on where the
 * policy sends them.
 */
static void resolve(struct sim_sm *sm, uint32_t w, uint64_t now)
{
	uint64_t changed = 0;

	if (!sim_next_inst(sm, w)->last) {
		sm->sh->warp->next(sm->policy, &sm->env, w, now);
		return;
	}
	sm->moved[w] = 1;
	if (sm->sh->warp->regroups)
		sim_loops_part(sm, w, now);
	if (sim_next_inst(sm, w)->leads_out)
		changed = exits(sm, &sm->warps[w], now);
	sm->sh->warp->next(sm->policy, &sm->env, w, now);
	for (; changed; changed &= changed - 1)
		if (!sm->ctas[__builtin_ctzll(changed)].live)
			cta_ended(sm, (uint32_t)__builtin_ctzll(changed));
}

static void load_done(struct sim_sm *sm, const struct sim_load *l, uint64_t now)
{
	const struct sim_inst *x = &sm->sh->program->insts[l->inst];
	uint64_t *ready = sm->ready_at + (size_t)l->warp * sm->nregs;
	struct sim_warp *w = &sm->warps[l->warp];

	if (w->state == SIM_W_FREE || w->age != l->age)
		return; /* its warp has ended meanwhile */
	for (unsigned i = 0; i < x->ndst && sm->nregs; i++)
		ready[x->reg[i]] = now;
	sm->outstanding[l->warp]--;
	if (sm->sh->warp->loaded)
		sm->sh->warp->loaded(sm->policy, &sm->env, l->warp, now);
	if (!sm->blocked[l->warp] || w->age != l->age)
		return;
	if (w->state == SIM_W_RUN) {
		file_warp(sm, l->warp, now);
	} else if (w->state == SIM_W_RESOLVE && !sm->outstanding[l->warp]) {
		sm->blocked[l->warp] = 0;
		sim_wheel_put(&sm->wake, l->warp,
			sm->not_before[l->warp] > now ? sm->not_before[l->warp] : now);
	}
}

/* ---- a cycle ---- */

static void wake_warps(struct sim_sm *sm, uint64_t now)
{
	uint32_t w;

	while ((w = sim_wheel_take(&sm->wake, now)) != UINT32_MAX && !sm->failed) {
		sm->events++;
		if (sm->warps[w].state == SIM_W_RESOLVE)
			resolve(sm, w, now);
		else if (sm->warps[w].state == SIM_W_RUN)
			file_warp(sm, w, now);
	}
}

/* Why a scheduler without a candidate has none. */
static enum sim_cycle nothing_to_issue(const struct sim_sm *sm, const struct sim_bits *mine)
{
	int idle = 0, sync = 0;
	struct sim_bits taken;

	if (!sm->live_ctas)
		return SIM_CY_DRAINED;
	taken.words = mine->words;
	for (uint32_t k = 0; k < taken.words; k++)
		taken.w[k] = mine->w[k] & ~sm->vacant.w[k];
	for (uint32_t w = sim_bits_next(&taken, 0); w != UINT32_MAX;
		w = sim_bits_next(&taken, w + 1)) {
		switch (sm->warps[w].state) {
		case SIM_W_RUN:
		case SIM_W_RESOLVE:
			if (sm->blocked[w])
				return SIM_CY_MEMORY;
			idle = 1;
			break;
		case SIM_W_BARRIER:
		case SIM_W_PARTNERS:
			sync = 1;
			break;
		default:
			break;
		}
	}
	return idle ? SIM_CY_IDLE : sync ? SIM_CY_SYNC : SIM_CY_DRAINED;
}

/* Why a ready warp may not issue now; SIM_CY_ISSUED: it may. */
static enum sim_cycle held_back(struct sim_sm *sm, uint32_t s, uint32_t w, uint64_t now)
{
	const struct sim_shared *sh = sm->sh;
	const int watched = sim_bits_has(&sm->watched_next, w);
	enum sim_may_issue may = SIM_GO_ON;

	if ((sim_bits_has(&sm->memory_next, w) || sh->config->sm.one_pipeline) &&
		!sim_lsu_room(&sm->lsu))
		return sm->lsu.stall;
	if (sim_bits_has(&sm->slow_next, w) && sm->unit_free[sim_next_inst(sm, w)->cls] > now) {
		const uint64_t at = sm->unit_free[sim_next_inst(sm, w)->cls];

		sm->unit_awaited = at < sm->unit_awaited ? at : sm->unit_awaited;
		return SIM_CY_STALL_UNIT;
	}
	if (watched)
		may = sh->warp->may_issue(sm->policy, &sm->env, w, now);
	if (may == SIM_NOT_NOW)
		return SIM_CY_SYNC;
	if (may == SIM_INSERTS || !sh->sched->may_load || !sim_bits_has(&sm->load_next, w) ||
		sh->sched->may_load(sm->sched[s], w, sm->warps[w].pc, now))
		return SIM_CY_ISSUED;
	if (!sim_bits_has(&sm->withheld, w)) {
		sh->stats->sched.withheld_loads++;
		sim_bits_set(&sm->withheld, w);
		if (watched && sh->warp->withheld)
			sh->warp->withheld(sm->policy, &sm->env, w, now);
	}
	return SIM_CY_WITHHELD;
}

/*
 * The warps of scheduler s that are ready, but for those that wait for room in the memory unit:
 * with one pipeline, all of them.
 */
static void candidates(const struct sim_sm *sm, uint32_t s, struct sim_bits *can)
{
	const int room = sim_lsu_room(&sm->lsu);
	const uint64_t memory = room ? UINT64_MAX : 0;
	const uint64_t others = room || !sm->sh->config->sm.one_pipeline ? UINT64_MAX : 0;

	can->words = sm->ready.words;
	for (uint32_t k = 0; k < can->words; k++)
		can->w[k] = sm->ready.w[k] & sm->mine[s].w[k] & (~sm->memory_next.w[k] | memory) &
			    others;
}

static int any_ready(const struct sim_sm *sm, uint32_t s)
{
	uint64_t any = 0;

	for (uint32_t k = 0; k < sm->ready.words; k++)
		any |= sm->ready.w[k] & sm->mine[s].w[k];
	return any != 0;
}

/* Takes out of `can` what may not issue now; why: the reason of the last one. */
static enum sim_cycle narrow(struct sim_sm *sm, uint32_t s, struct sim_bits *can, uint64_t now)
{
	const uint64_t loads = sm->sh->sched->may_load ? UINT64_MAX : 0;
	enum sim_cycle why = SIM_CY_ISSUED;

	for (uint32_t k = 0; k < can->words; k++)
		for (uint64_t m = can->w[k] & (sm->slow_next.w[k] | sm->watched_next.w[k] |
						      (sm->load_next.w[k] & loads));
			m; m &= m - 1) {
			uint32_t w = k * 64 + (uint32_t)__builtin_ctzll(m);
			enum sim_cycle reason = held_back(sm, s, w, now);

			if (reason == SIM_CY_ISSUED)
				continue;
			sim_bits_clear(can, w);
			why = reason;
		}
	return why;
}

/* The warp's next instruction issues, or one that the policy puts in its place; its cycles. */
static uint32_t issue_picked(struct sim_sm *sm, uint32_t w, uint64_t now)
{
	const struct sim_shared *sh = sm->sh;
	const uint32_t inst = sm->warps[w].pc, active = sm->warps[w].active;
	const uint32_t nlanes = sm->warps[w].nlanes;
	uint32_t cycles = sim_issue_cycles(sm, nlanes);

	if (sim_bits_has(&sm->watched_next, w) && sh->warp->insert &&
		sh->warp->insert(sm->policy, &sm->env, w, now)) {
		sm->events++;
		sh->stats->inserted_insts++;
		sh->stats->issued_bins[(active * SIM_LANE_BINS + nlanes - 1) / nlanes - 1] +=
			cycles;
		return cycles;
	}
	cycles = sim_sm_issue(sm, w, now);
	for (uint32_t i = 0; sh->sched->issued && i < sh->config->sm.schedulers; i++)
		sh->sched->issued(sm->sched[i], w, inst, now);
	return cycles;
}

static enum sim_cycle schedule(struct sim_sm *sm, uint32_t s, uint64_t now)
{
	const struct sim_shared *sh = sm->sh;
	struct sim_bits can;
	enum sim_cycle why;
	uint32_t w;

	if (!any_ready(sm, s))
		return nothing_to_issue(sm, &sm->mine[s]);
	candidates(sm, s, &can);
	if (!sim_bits_any(&can))
		return sm->lsu.stall;
	why = narrow(sm, s, &can, now);
	if (!sim_bits_any(&can))
		return why;
	w = sh->warp->owns_pick ? sh->warp->pick(sm->policy, &sm->env, &can, now)
				: sim_sched_pick(sh->sched, sm->sched[s], sh->priority,
					  &sm->last_cta[s], &sm->sched_env[s], &can, now);
	if (w == SIM_NO_WARP)
		return SIM_CY_WITHHELD;
	sm->busy_until[s] = now + issue_picked(sm, w, now);
	return SIM_CY_ISSUED;
}

/* Every ready warp issues: the bound of a machine without an issue limit. */
static enum sim_cycle schedule_all(struct sim_sm *sm, uint32_t s, uint64_t now)
{
	enum sim_cycle why = sm->lsu.stall, reason;
	struct sim_bits can;
	int any = 0;

	if (!any_ready(sm, s))
		return nothing_to_issue(sm, &sm->mine[s]);
	candidates(sm, s, &can);
	for (uint32_t w = sim_bits_next(&can, 0); w != UINT32_MAX && !sm->failed;
		w = sim_bits_next(&can, w + 1)) {
		reason = held_back(sm, s, w, now);
		if (reason == SIM_CY_ISSUED) {
			sim_sm_issue(sm, w, now);
			any = 1;
		} else {
			why = reason;
		}
	}
	return any ? SIM_CY_ISSUED : why;
}

void sim_sm_account(struct sim_sm *sm, uint64_t now)
{
	struct sim_stats *st = sm->sh->stats;

	if (sm->lsu.njobs && sm->lsu.stall != SIM_CY_STALL_LSU)
		st->unit_stalls[sm->lsu.stall - SIM_CY_STALL_MSHR] += now - sm->accounted;
	for (uint32_t s = 0; s < sm->sh->config->sm.schedulers; s++) {
		uint64_t from = sm->accounted, busy = sm->busy_until[s];

		if (busy > now)
			busy = now;
		if (busy > from) {
			st->by_cycle[SIM_CY_ISSUED] += busy - from;
			from = busy;
		}
		if (now > from)
			st->by_cycle[sm->last_class[s]] += now - from;
	}
	sm->accounted = now;
}

/* A policy whose answers change with time is asked again when they may. */
static uint64_t policies_next(struct sim_sm *sm, uint64_t now)
{
	const struct sim_shared *sh = sm->sh;
	uint64_t next = SIM_NEVER, at;

	if (sh->warp->until) {
		at = sh->warp->until(sm->policy, &sm->env, now);
		next = at < next ? at : next;
	}
	for (uint32_t s = 0; sh->sched->until && s < sh->config->sm.schedulers; s++) {
		at = sh->sched->until(sm->sched[s], now);
		next = at < next ? at : next;
	}
	return next <= now ? now + 1 : next;
}

static uint64_t next_cycle(struct sim_sm *sm, uint64_t now)
{
	uint64_t next = policies_next(sm, now), at = sim_wheel_next(&sm->wake);

	next = at < next ? at : next;
	next = sm->unit_awaited < next ? sm->unit_awaited : next;
	at = sim_lsu_next(&sm->lsu, now);
	next = at < next ? at : next;
	for (uint32_t s = 0; s < sm->sh->config->sm.schedulers; s++) {
		/* Behind an issue the next cycle has a class of its own. */
		if (sm->last_class[s] != SIM_CY_ISSUED && sm->busy_until[s] <= now)
			continue;
		at = sm->busy_until[s] > now ? sm->busy_until[s] : now + 1;
		next = at < next ? at : next;
	}
	return next;
}

uint64_t sim_sm_step(struct sim_sm *sm, uint64_t now)
{
	const struct sim_shared *sh = sm->sh;
	struct sim_load load;

	sim_sm_account(sm, now);
	if (sh->sched->pass && now > sm->passed)
		for (uint32_t s = 0; s < sh->config->sm.schedulers; s++)
			sh->sched->pass(sm->sched[s], sm->passed, now);
	sm->passed = now;
	sim_lsu_replies(&sm->lsu, now);
	while (sim_lsu_done(&sm->lsu, now, &load))
		load_done(sm, &load, now);
	wake_warps(sm, now);
	sim_lsu_step(&sm->lsu, now);
	sim_sm_seen(sm, now);
	sm->unit_awaited = SIM_NEVER;
	/* In turn, since the first one takes what is left of the memory unit. */
	for (uint32_t i = 0, n = sh->config->sm.schedulers; i < n && !sm->failed; i++) {
		const uint32_t s = n == 1 ? 0 : (uint32_t)((now + i) % n);

		if (sm->busy_until[s] > now)
			continue; /* its class stays: account() counts the busy cycles */
		sm->last_class[s] = sh->config->sm.unlimited_issue ? schedule_all(sm, s, now)
								   : schedule(sm, s, now);
	}
	if (sh->warp->tick && !sm->failed)
		sh->warp->tick(sm->policy, &sm->env, now);
	return sm->failed ? 0 : next_cycle(sm, now);
}

const char *sim_sm_stands(const struct sim_sm *sm)
{
	const char *why = NULL;

	for (uint32_t w = 0; w < sm->nwarps; w++) {
		if (sm->warps[w].state == SIM_W_BARRIER)
			return "warps wait at a barrier that cannot fill at this warp size";
		if (sm->warps[w].state == SIM_W_PARTNERS)
			why = "warps wait for partners that do not come";
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
