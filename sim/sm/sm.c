/*
 * One SM: CTAs and their threads, warps that become ready, the issue of an instruction, barriers.
 * What runs together is the warp policy's, who goes first the scheduler's, what memory
 * instructions cost the memory unit's (lsu.c). Operands: an in-order scoreboard by register; where
 * the policy regroups threads, or the machine says so, one instruction of a warp in flight.
 */
#include "sim/sm/internal.h"
#include <stddef.h>
#include <stdlib.h>

#define FOR_LANES(mask, lane)                                                                      \
	for (int k_ = 0; k_ < SIM_MASK_WORDS; k_++)                                                \
		for (uint64_t m_ = (mask).w[k_]; m_ && ((lane) = (uint32_t)(k_ * 64) +             \
			(uint32_t)__builtin_ctzll(m_), 1); m_ &= m_ - 1)

static uint32_t count_lanes(const struct sim_mask *m)
{
	uint32_t n = 0;

	for (int k = 0; k < SIM_MASK_WORDS; k++)
		if (m->w[k])
			n += (uint32_t)__builtin_popcountll(m->w[k]);
	return n;
}

int sim_sm_one_in_flight(const struct sim_sm *sm)
{
	return sm->sh->config->sm.one_in_flight || sm->sh->warp->regroups;
}

static const struct sim_inst *next_inst(const struct sim_sm *sm, uint32_t warp)
{
	return &sm->sh->program->insts[sm->warps[warp].pc];
}

/* ---- setting up ---- */

static void free_launch(struct sim_sm *sm)
{
	for (uint32_t i = 0; sm->ctas && i < sm->nctas; i++)
		sim_tape_free(&sm->ctas[i].tape);
	free(sm->threads);
	free(sm->ctas);
	free(sm->ready_at);
	free(sm->trips);
	sm->ctas = NULL;
}

void sim_sm_free(struct sim_sm *sm)
{
	if (!sm)
		return;
	sim_lsu_free(sm);
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
	if (!sm->last_cta || !sm->sched || !sm->sched_env || !sm->mine || !sm->busy_until || !sm->last_class)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct sim_sched_env *env = &sm->sched_env[i];

		sim_bits_init(&sm->mine[i], sm->nwarps);
		for (uint32_t w = i; w < sm->nwarps; w += n)
			sim_bits_set(&sm->mine[i], w);
		*env = (struct sim_sched_env){ .nwarps = sm->nwarps,
			.nctas = sh->config->sm.ctas, .warps = sm->seen, .mine = &sm->mine[i],
			.number = i, .schedulers = n,
			.line_bytes = sh->config->l1d.g.line_bytes,
			.l1d_lines = sh->config->l1d.g.sets * sh->config->l1d.g.ways };
		sm->last_class[i] = SIM_CY_DRAINED;
		sm->sched[i] = calloc(1, sim_sched_state_size(sh->sched, env) + 1);
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
	int rc;

	*out = sm;
	if (!sm)
		return tr_fail(sh->err, TR_EMEM, 0, "no memory for an SM");
	sm->sh = sh;
	sm->number = number;
	sh->warp->shape(sh->config, sh->warp_params, &sm->nwarps, &sm->nlanes, &state);
	if (sm->nwarps > SIM_BITS_MAX || sm->nlanes > TR_LANES_MAX)
		return tr_fail(sh->err, TR_EUSAGE, 0, "%s needs %u warps of %u lanes, more than %u of %u",
			sh->warp->name, sm->nwarps, sm->nlanes, SIM_BITS_MAX, TR_LANES_MAX);
	sm->warps = calloc(sm->nwarps, sizeof(*sm->warps));
	sm->thread_of = calloc((size_t)sm->nwarps * sm->nlanes, sizeof(*sm->thread_of));
	sm->seen = calloc(sm->nwarps, sizeof(*sm->seen));
	sm->not_before = calloc(sm->nwarps, sizeof(*sm->not_before));
	sm->outstanding = calloc(sm->nwarps, sizeof(*sm->outstanding));
	sm->blocked = calloc(sm->nwarps, sizeof(*sm->blocked));
	sm->barrier_of = calloc(sm->nwarps, sizeof(*sm->barrier_of));
	sm->block_of = calloc(sm->nwarps, sizeof(*sm->block_of));
	sm->policy = calloc(1, state + 1);
	if (!sm->warps || !sm->thread_of || !sm->seen || !sm->not_before || !sm->outstanding ||
		!sm->blocked || !sm->barrier_of || !sm->block_of || !sm->policy ||
		sim_wheel_init(&sm->wake, sm->nwarps) || start_schedulers(sm))
		return tr_fail(sh->err, TR_EMEM, 0, "no memory for an SM");
	for (uint32_t w = 0; w < sm->nwarps; w++)
		sm->warps[w].thread = sm->thread_of + (size_t)w * sm->nlanes;
	sim_bits_init(&sm->ready, sm->nwarps);
	sim_bits_init(&sm->memory_next, sm->nwarps);
	sim_bits_init(&sm->load_next, sm->nwarps);
	sim_bits_init(&sm->watched_next, sm->nwarps);
	sim_bits_init(&sm->slow_next, sm->nwarps);
	rc = sim_lsu_init(sm);
	return rc;
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
	sm->nregs = p->nregs;
	sm->threads = calloc(sm->nthreads, sizeof(*sm->threads));
	sm->ctas = calloc(sm->nctas, sizeof(*sm->ctas));
	sm->ready_at = calloc((size_t)sm->nwarps * sm->nregs + 1, sizeof(*sm->ready_at));
	sm->trips = calloc((size_t)sm->nwarps * p->p->nloops + 1, sizeof(*sm->trips));
	if (!sm->threads || !sm->ctas || !sm->ready_at || !sm->trips)
		return tr_fail(sh->err, TR_EMEM, 0, "no memory for an SM");
	sm->env = (struct sim_warp_env){ .sm = sm, .config = sh->config, .program = p->p,
		.warps = sm->warps, .nwarps = sm->nwarps, .threads = sm->threads,
		.nthreads = sm->nthreads };
	sim_lsu_flush(sm);
	sm->passed = sm->accounted;
	for (uint32_t i = 0; sh->sched->launch && i < sh->config->sm.schedulers; i++)
		sh->sched->launch(sm->sched[i], p->p);
	sh->warp->start(sm->policy, &sm->env, sh->warp_params);
	if (sh->warp->program)
		sh->warp->program(sm->policy, &sm->env);
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
	for (uint32_t w = 0; w < sm->nwarps; w++) {
		struct sim_warp *x = &sm->warps[w];
		uint16_t *thread = x->thread;

		if (x->state != SIM_W_FREE)
			continue;
		*x = (struct sim_warp){ .state = SIM_W_RUN, .cta = cta, .thread = thread,
			.age = ++sm->next_age };
		sm->seen[w] = (struct sim_sched_warp){ .age = x->age,
			.cta_age = sm->ctas[cta].age, .cta_slot = cta, .live = 1 };
		sm->not_before[w] = 0;
		sm->outstanding[w] = 0;
		sm->blocked[w] = 0;
		sm->block_of[w] = TR_NONE;
		memset(sm->ready_at + (size_t)w * sm->nregs, 0, sm->nregs * sizeof(*sm->ready_at));
		for (uint32_t i = 0; i < sm->sh->config->sm.schedulers; i++)
			if (sm->sh->sched->arrive)
				sm->sh->sched->arrive(sm->sched[i], w);
		return w;
	}
	return SIM_NO_WARP;
}

static void not_ready(struct sim_sm *sm, uint32_t w)
{
	sim_bits_clear(&sm->ready, w);
	sim_bits_clear(&sm->memory_next, w);
	sim_bits_clear(&sm->load_next, w);
	sim_bits_clear(&sm->watched_next, w);
	sim_bits_clear(&sm->slow_next, w);
}

void sim_sm_warp_free(struct sim_sm *sm, uint32_t w)
{
	not_ready(sm, w);
	sm->warps[w].state = SIM_W_FREE;
	sm->seen[w].live = 0;
	for (uint32_t i = 0; i < sm->sh->config->sm.schedulers; i++)
		if (sm->sh->sched->leave)
			sm->sh->sched->leave(sm->sched[i], w);
}

void sim_sm_warp_hold(struct sim_sm *sm, uint32_t w)
{
	not_ready(sm, w);
	sm->warps[w].state = SIM_W_PARTNERS;
	sm->seen[w].waits = 1;
}

/* The cycle in which a warp's next instruction has its operands; SIM_NEVER: a load is missing. */
static uint64_t earliest(const struct sim_sm *sm, uint32_t w)
{
	const struct sim_inst *x = next_inst(sm, w);
	const uint64_t *ready = sm->ready_at + (size_t)w * sm->nregs;
	uint64_t at = sm->not_before[w];

	for (unsigned i = 0; i < x->noperands; i++)
		if (ready[x->reg[i]] > at)
			at = ready[x->reg[i]];
	return at;
}

static void set_ready(struct sim_sm *sm, uint32_t w)
{
	const struct sim_inst *x = next_inst(sm, w);

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

	if (sm->outstanding[w] && sim_sm_one_in_flight(sm))
		at = SIM_NEVER;
	sm->blocked[w] = at == SIM_NEVER;
	if (at == SIM_NEVER)
		return;
	if (at <= now)
		set_ready(sm, w);
	else
		sim_wheel_put(&sm->wake, w, at);
}

/* Loops that a warp begins, goes round and leaves on its way from block a to block b. */
static void follow_loops(struct sim_sm *sm, uint32_t w, uint32_t b, uint64_t now)
{
	const struct sim_program *p = sm->sh->program;
	const struct sim_sched *s = sm->sh->sched;
	uint32_t a = sm->block_of[w], *trips = sm->trips + (size_t)w * p->p->nloops;
	uint32_t l = p->header_loop[b], mine = w % sm->sh->config->sm.schedulers;

	sm->block_of[w] = b;
	if (s->loop_end && a != TR_NONE)
		for (uint32_t o = p->p->blocks[a].loop; o != TR_NONE; o = p->p->loops[o].parent)
			if (!sim_in_loop(p, o, b))
				s->loop_end(sm->sched[mine], w, o, now);
	if (l == TR_NONE)
		return;
	if (a != TR_NONE && sim_in_loop(p, l, a)) {
		trips[l]++;
		if (s->loop_iterate)
			s->loop_iterate(sm->sched[mine], w, l, sm->warps[w].active, now);
	} else {
		trips[l] = 0;
		if (s->loop_begin)
			s->loop_begin(sm->sched[mine], w, l, sm->warps[w].active, now);
	}
}

void sim_sm_warp_ready(struct sim_sm *sm, uint32_t w, uint64_t at)
{
	const struct sim_inst *x = next_inst(sm, w);

	not_ready(sm, w); /* a policy may send one elsewhere that was ready */
	sm->warps[w].state = SIM_W_RUN;
	sm->seen[w].waits = 0;
	sm->warps[w].active = count_lanes(&sm->warps[w].lanes);
	if (sm->warps[w].depth > sm->sh->stats->stack_depth_max)
		sm->sh->stats->stack_depth_max = sm->warps[w].depth;
	sm->seen[w].active = sm->warps[w].active;
	sm->not_before[w] = at;
	if (x->inst == &sm->sh->program->p->insts[sm->sh->program->p->blocks[x->block].first])
		follow_loops(sm, w, x->block, at);
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
	*c = (struct sim_cta){ .tape = c->tape, .number = cta->number, .first = place * sm->stride,
		.n = cta->nthreads, .live = cta->nthreads, .age = ++sm->next_cta_age };
	if (sim_tape_load(&c->tape, cta, sm->threads + c->first))
		return tr_fail(sm->sh->err, TR_EMEM, 0, "no memory for CTA %u", cta->number);
	sm->live_ctas++;
	sm->sh->stats->ctas++;
	sm->sh->stats->threads += cta->nthreads;
	sm->sh->warp->arrive(sm->policy, &sm->env, place, c->first, c->n, now);
	sm->events++;
	return sm->failed ? TR_EMEM : 1;
}

static void lost(struct sim_sm *sm, const struct sim_thread *t, const char *what)
{
	sm->failed = 1;
	tr_fail(sm->sh->err, TR_EDATA, 0, "%s: thread %u on SM %u %s (%s is at fault, not the trace)",
		tr_str(sm->sh->program->p, sm->sh->program->p->name), t->home, sm->number, what,
		sm->sh->warp->name);
}

static void barrier_check(struct sim_sm *sm, uint32_t cta, uint64_t now);

/* Threads of the warp that have ended are taken off their CTA. */
static void exits(struct sim_sm *sm, const struct sim_warp *w, uint64_t now)
{
	struct sim_cta *c = &sm->ctas[w->cta];
	uint32_t lane, gone = 0, left = 0;

	FOR_LANES(w->lanes, lane)
	{
		struct sim_thread *t = &sm->threads[w->thread[lane]];

		if (t->pc != TR_EXIT) {
			/* At an exit without a guard it may wait for its warp: no barrier waits for it. */
			const struct sim_inst *x = &sm->sh->program->insts[t->pc];
			if (x->cls == TR_C_EXIT && !x->guarded && !t->leaving) {
				t->leaving = 1;
				c->leaving++;
				left = 1;
			}
			continue;
		}
		c->leaving -= t->leaving;
		if (t->outcomes || t->values)
			lost(sm, t, "ended before its record did");
		sm->sh->stats->path_hash += t->path;
		gone++;
	}
	c->live -= gone;
	if (c->live && (gone || left))
		barrier_check(sm, w->cta, now);
}

static void cta_ended(struct sim_sm *sm, uint32_t place)
{
	if (sm->sh->warp->leave)
		sm->sh->warp->leave(sm->policy, &sm->env, place);
	sm->live_ctas--;
	sm->events++;
}

/* ---- barriers ---- */

/* Behind a barrier a warp goes on as behind any instruction. */
static void go_on(struct sim_sm *sm, uint32_t w, const struct sim_inst *x, uint64_t now);

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
		if (some != SIM_NO_WARP && next_inst(sm, some)->inst->aux)
			expected = next_inst(sm, some)->inst->aux;
		if (c->arrived[id] < expected)
			continue;
		c->arrived[id] = 0;
		sm->sh->stats->barriers++;
		if (sm->sh->warp->release) {
			sm->sh->warp->release(sm->policy, &sm->env, cta, now);
			continue;
		}
		for (uint32_t w = 0; w < sm->nwarps; w++)
			if (sm->warps[w].state == SIM_W_BARRIER && sm->warps[w].cta == cta &&
				sm->barrier_of[w] == id)
				go_on(sm, w, next_inst(sm, w), now);
	}
}

static void barrier_arrive(struct sim_sm *sm, uint32_t w, const struct sim_inst *x, uint64_t now)
{
	struct sim_warp *warp = &sm->warps[w];
	uint32_t id = (uint32_t)x->inst->disp % SIM_BARRIERS;

	sm->ctas[warp->cta].arrived[id] += warp->active;
	if (x->inst->flags & TR_I_ARRIVE) {
		go_on(sm, w, x, now);
	} else {
		warp->state = SIM_W_BARRIER;
		sm->seen[w].waits = 1;
		sm->barrier_of[w] = id;
	}
	barrier_check(sm, warp->cta, now);
}

/* ---- issue ---- */

/* Moves a warp to what comes behind instruction x, which it has just executed. */
static void go_on(struct sim_sm *sm, uint32_t w, const struct sim_inst *x, uint64_t now)
{
	struct sim_warp *warp = &sm->warps[w];
	const uint32_t slow = sm->sh->config->sm.fetch_latency;
	uint32_t lane, to = TR_NONE;

	warp->state = SIM_W_RUN;
	sm->seen[w].waits = 0;
	if (sm->not_before[w] <= now)
		sm->not_before[w] = now + 1;
	if (!x->last) {
		warp->pc++;
		file_warp(sm, w, now);
		return;
	}
	if (x->inst->nsucc <= 1) /* all go one way: branches have set the threads' pcs already */
		to = x->inst->nsucc ? sm->sh->program->p->succ_pool[x->inst->succ] : TR_EXIT;
	FOR_LANES(warp->lanes, lane)
	{
		struct sim_thread *t = &sm->threads[warp->thread[lane]];

		if (to != TR_NONE)
			t->pc = to;
		t->path = (t->path ^ t->pc) * 0x9e3779b97f4a7c15ull;
	}
	warp->state = SIM_W_RESOLVE;
	if (x->cls == TR_C_BRANCH && sm->not_before[w] < now + slow)
		sm->not_before[w] = now + slow;
	sm->blocked[w] = sm->outstanding[w] && sim_sm_one_in_flight(sm);
	if (!sm->blocked[w])
		sim_wheel_put(&sm->wake, w, sm->not_before[w]);
}

static void resolve(struct sim_sm *sm, uint32_t w, uint64_t now)
{
	uint32_t cta = sm->warps[w].cta;

	if (next_inst(sm, w)->leads_out)
		exits(sm, &sm->warps[w], now);
	sm->sh->warp->next(sm->policy, &sm->env, w, now);
	if (!sm->ctas[cta].live)
		cta_ended(sm, cta);
}

/* Reads the outcomes of the lanes; the lanes whose guard is true, and branches' ways. */
static void take_outcomes(struct sim_sm *sm, const struct sim_warp *w, const struct sim_inst *x,
	struct sim_mask *truth)
{
	const uint32_t *succ = sm->sh->program->p->succ_pool + x->inst->succ;
	uint32_t lane;

	FOR_LANES(w->lanes, lane)
	{
		struct sim_thread *t = &sm->threads[w->thread[lane]];
		uint32_t outcome;

		if (t->outcomes < 1u + x->wide) {
			lost(sm, t, "goes on behind the end of its record");
			return;
		}
		outcome = sim_tape_outcome(t);
		if (x->wide)
			outcome |= sim_tape_outcome(t) << 8;
		if (x->inst->nsucc > 1)
			t->pc = succ[outcome < x->inst->nsucc ? outcome : 0];
		if (x->guarded && !outcome)
			truth->w[lane / 64] &= ~(1ull << (lane % 64));
	}
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
			lost(sm, t, "goes on behind the end of its record");
			return;
		}
		if (t->sync != TR_NONE)
			sm->sh->stats->overtaken_reads += sim_tape_overtakes(
				&sm->ctas[w->cta].tape, sm->threads + sm->ctas[w->cta].first, t);
		value[lane] = sim_tape_value(t);
	}
}

/*
 * A collective wants all its recorded members (lanes of the recorder's warp of 32) in the group that
 * executes it.
 */
static void check_members(struct sim_sm *sm, const struct sim_warp *w, const struct sim_mask *truth,
	const uint64_t *value)
{
	uint32_t here[TR_CTA_THREADS_MAX / TR_GROUP] = { 0 }, lane, home;
	int lacks = 0;

	FOR_LANES(*truth, lane)
	{
		home = sm->threads[w->thread[lane]].home;
		here[home / TR_GROUP] |= 1u << (home % TR_GROUP);
	}
	FOR_LANES(*truth, lane)
	{
		home = sm->threads[w->thread[lane]].home;
		lacks |= ((uint32_t)value[lane] & ~here[home / TR_GROUP]) != 0;
	}
	sm->sh->stats->short_collectives += (unsigned)lacks;
}

static void count_issue(
	struct sim_sm *sm, const struct sim_warp *w, uint32_t done, uint32_t cycles)
{
	struct sim_stats *s = sm->sh->stats;
	struct sim_inst_stats *in = &s->insts[w->pc];
	uint32_t bin = (w->active * SIM_LANE_BINS + w->nlanes - 1) / w->nlanes - 1;

	s->warp_insts++;
	s->thread_insts += done;
	s->active_lanes += w->active;
	s->issue_lanes += w->nlanes;
	s->inactive_lanes += w->inactive;
	s->waiting_lanes += w->waiting;
	s->issued_bins[bin] += cycles;
	in->warp_insts++;
	in->thread_insts += done;
	in->active_lanes += w->active;
}

static uint32_t issue_cycles(const struct sim_sm *sm, const struct sim_warp *w)
{
	uint32_t simd = sm->sh->config->sm.simd_width;

	return (w->nlanes + simd - 1) / simd;
}

static void issue(struct sim_sm *sm, uint32_t w, uint64_t now)
{
	struct sim_warp *warp = &sm->warps[w];
	const struct sim_inst *x = next_inst(sm, w);
	const struct sim_config *c = sm->sh->config;
	const int memory = x->unit >= SIM_U_L1D && x->unit <= SIM_U_ATOMIC;
	uint64_t value[TR_LANES_MAX], *ready = sm->ready_at + (size_t)w * sm->nregs;
	struct sim_mask truth = warp->lanes;
	uint32_t inst = warp->pc, done, cycles = issue_cycles(sm, warp);

	not_ready(sm, w);
	sm->events++;
	if (x->has_outcome)
		take_outcomes(sm, warp, x, &truth);
	if (x->has_value || memory)
		take_values(sm, warp, x, &truth, value);
	if (sm->failed)
		return;
	if (x->inst->flags & TR_I_COLLECTIVE)
		check_members(sm, warp, &truth, value);
	done = x->guarded ? count_lanes(&truth) : warp->active;
	count_issue(sm, warp, done, cycles);
	sm->not_before[w] = now + cycles;
	if (c->interval[x->cls])
		sm->unit_free[x->cls] = now + (c->interval[x->cls] > cycles ? c->interval[x->cls] :
									       cycles);
	if (memory && done) {
		if (sim_lsu_issue(sm, w, inst, &truth, value) < 0)
			sm->failed = 1;
		for (unsigned i = 0; i < x->ndst; i++)
			ready[x->reg[i]] = SIM_NEVER;
	} else {
		uint64_t at = now + cycles - 1 + c->latency[x->cls];

		for (unsigned i = 0; i < x->ndst; i++)
			if (ready[x->reg[i]] < at)
				ready[x->reg[i]] = at;
		if (sim_sm_one_in_flight(sm) && at > sm->not_before[w])
			sm->not_before[w] = at;
	}
	if (x->unit == SIM_U_BARRIER && done)
		barrier_arrive(sm, w, x, now);
	else
		go_on(sm, w, x, now);
	if (x->watched && sm->sh->warp->issued)
		sm->sh->warp->issued(sm->policy, &sm->env, w, now);
}

void sim_sm_load_done(struct sim_sm *sm, uint32_t n, uint64_t now)
{
	const struct sim_load *l = &sm->loads[n];
	const struct sim_inst *x = &sm->sh->program->insts[l->inst];
	uint64_t *ready = sm->ready_at + (size_t)l->warp * sm->nregs;
	struct sim_warp *w = &sm->warps[l->warp];

	if (w->state == SIM_W_FREE || w->age != l->age)
		return; /* its warp has ended meanwhile */
	for (unsigned i = 0; i < x->ndst; i++)
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

	if (!sm->live_ctas)
		return SIM_CY_DRAINED;
	for (uint32_t w = sim_bits_next(mine, 0); w != UINT32_MAX; w = sim_bits_next(mine, w + 1)) {
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

	if (sim_bits_has(&sm->memory_next, w) && !sim_lsu_room(sm))
		return sm->stall;
	if (sim_bits_has(&sm->slow_next, w) && sm->unit_free[next_inst(sm, w)->cls] > now) {
		const uint64_t at = sm->unit_free[next_inst(sm, w)->cls];

		sm->unit_awaited = at < sm->unit_awaited ? at : sm->unit_awaited;
		return SIM_CY_STALL_UNIT;
	}
	if (sim_bits_has(&sm->watched_next, w) &&
		!sh->warp->may_issue(sm->policy, &sm->env, w, now))
		return SIM_CY_SYNC;
	if (sh->sched->may_load && sim_bits_has(&sm->load_next, w) &&
		!sh->sched->may_load(sm->sched[s], w, sm->warps[w].pc, now))
		return SIM_CY_WITHHELD;
	return SIM_CY_ISSUED;
}

/* The warps of scheduler s that are ready, but for those that wait for room in the memory unit. */
static void candidates(const struct sim_sm *sm, uint32_t s, struct sim_bits *can)
{
	const uint64_t memory = sim_lsu_room(sm) ? UINT64_MAX : 0;

	can->words = sm->ready.words;
	for (uint32_t k = 0; k < can->words; k++)
		can->w[k] = sm->ready.w[k] & sm->mine[s].w[k] & (~sm->memory_next.w[k] | memory);
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
		return sm->stall;
	why = narrow(sm, s, &can, now);
	if (!sim_bits_any(&can))
		return why;
	w = sh->warp->owns_pick ?
		    sh->warp->pick(sm->policy, &sm->env, &can, now) :
		    sim_sched_pick(sh->sched, sm->sched[s], sh->priority, &sm->last_cta[s],
			    &sm->sched_env[s], &can, now);
	if (w == SIM_NO_WARP)
		return SIM_CY_WITHHELD;
	sm->busy_until[s] = now + issue_cycles(sm, &sm->warps[w]);
	{
		uint32_t inst = sm->warps[w].pc;

		issue(sm, w, now);
		if (sh->sched->issued)
			sh->sched->issued(sm->sched[s], w, inst, now);
	}
	return SIM_CY_ISSUED;
}

/* Every ready warp issues: the bound of a machine without an issue limit. */
static enum sim_cycle schedule_all(struct sim_sm *sm, uint32_t s, uint64_t now)
{
	enum sim_cycle why = sm->stall, reason;
	struct sim_bits can;
	int any = 0;

	if (!any_ready(sm, s))
		return nothing_to_issue(sm, &sm->mine[s]);
	candidates(sm, s, &can);
	for (uint32_t w = sim_bits_next(&can, 0); w != UINT32_MAX && !sm->failed;
		w = sim_bits_next(&can, w + 1)) {
		reason = held_back(sm, s, w, now);
		if (reason == SIM_CY_ISSUED) {
			issue(sm, w, now);
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
	at = sim_lsu_next(sm, now);
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

	sim_sm_account(sm, now);
	if (sh->sched->pass && now > sm->passed)
		for (uint32_t s = 0; s < sh->config->sm.schedulers; s++)
			sh->sched->pass(sm->sched[s], sm->passed, now);
	sm->passed = now;
	sim_lsu_replies(sm, now);
	wake_warps(sm, now);
	if (sh->warp->tick)
		sh->warp->tick(sm->policy, &sm->env, now);
	sim_lsu_step(sm, now);
	sm->unit_awaited = SIM_NEVER;
	/* In turn, since the first one takes what is left of the memory unit. */
	for (uint32_t i = 0, n = sh->config->sm.schedulers; i < n && !sm->failed; i++) {
		const uint32_t s = n == 1 ? 0 : (uint32_t)((now + i) % n);

		if (sm->busy_until[s] > now)
			continue; /* its class stays: account() counts the busy cycles */
		sm->last_class[s] = sh->config->sm.unlimited_issue ? schedule_all(sm, s, now) :
								     schedule(sm, s, now);
	}
	return sm->failed ? 0 : next_cycle(sm, now);
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
	return sm->events;
}

int sim_sm_busy(const struct sim_sm *sm)
{
	return sm->live_ctas || sim_lsu_busy(sm);
}

/* ---- state as one number ---- */

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 31;
}

uint64_t sim_sm_hash(const struct sim_sm *sm, uint64_t h)
{
	const struct sim_stats *s = sm->sh->stats;
	const uint64_t *counts = &s->cycles;
	size_t n = (offsetof(struct sim_stats, stack_depth_max) - offsetof(struct sim_stats, cycles)) /
		   sizeof(*counts);

	for (size_t i = 0; i < n; i++)
		h = mix(h, counts[i]);
	h = mix(h, sm->next_age);
	h = mix(h, sm->accounted);
	for (uint32_t k = 0; k < sm->nthreads; k++)
		h = mix(h, sm->threads[k].path);
	for (uint32_t w = 0; w < sm->nwarps; w++)
		h = mix(h, (uint64_t)sm->warps[w].state << 32 | sm->warps[w].pc);
	for (uint32_t i = 0; i < sm->l1d.cap; i++)
		h = mix(h, (uint64_t)sm->l1d.owner[i] << 8 | sm->l1d.dirty[i]);
	for (uint32_t i = 0; i < sm->sh->config->sm.schedulers; i++)
		h = mix(h, sm->busy_until[i]);
	return h;
}
