/*
 * The run loop: hands CTAs to SMs as they have room, steps what can act, and goes on to the next
 * cycle in which anything can. Whose CTAs they are says the launch policy. Time runs on from launch
 * to launch; the L2 keeps its lines.
 */
#include "sim/launch/replay.h"
#include "sim/launch/cluster.h"
#include "sim/launch/launch.h"
#include "sim/base/program.h"
#include "sim/sm/sm.h"
#include <stdlib.h>
#include <string.h>

#define PROGRESS_CYCLES 65536

struct run {
	struct sim_shared shared;
	const struct sim_replay *opt;
	struct sim_config config;
	const struct sim_launch_policy *launches;
	void *policy; /* its state */
	struct sim_launcher launcher;
	struct sim_family family;
	struct sim_grid *grids; /* of the family */
	uint32_t *lcp;          /* of its programs side by side */
	struct sim_mem *mem;
	struct sim_dsm *dsm; /* or NULL */
	struct sim_gpcs gpcs;
	struct sim_sm **sms;
	uint64_t *next; /* by SM: the cycle of its next step */
	uint64_t *woken;
	uint64_t soonest;    /* of r->next, after all have made their step */
	uint32_t busy;       /* an SM that was when it was asked last */
	int wants_lcp;       /* the warp policy reads a profile */
	uint32_t nsms, turn; /* turn: the SM that is asked for room first */
	uint64_t room_at;    /* when a place has rested, while there is no room */
	uint32_t full; /* no SM has room for a CTA of this kernel until one ends; or TR_NONE */
	struct sim_program program;
	struct sim_stats stats;
	/* Where each SM counts by itself; what is counted of an instruction is in stats as well. */
	struct sim_stats *of_sm;
	struct sim_shared *shared_by; /* shared, but for the stats */
	uint64_t placed;              /* the next CTA's turn, in parts of a cycle: see turns_of */
	uint64_t now, start, sampled; /* start: of the launch; sampled: cycle of its last sample */
	struct tr_err *err;
};

static int no_memory(struct tr_err *err)
{
	return tr_fail(err, TR_EMEM, 0, "no memory for the replay");
}

static void run_free(struct run *r)
{
	for (uint32_t i = 0; r->sms && i < r->nsms; i++)
		sim_sm_free(r->sms[i]);
	free(r->sms);
	free(r->of_sm);
	free(r->shared_by);
	free(r->next);
	free(r->woken);
	if (r->policy && r->launches->free)
		r->launches->free(r->policy);
	free(r->policy);
	free(r->grids);
	free(r->lcp);
	sim_family_free(&r->family);
	sim_mem_free(r->mem);
	sim_dsm_free(r->dsm);
	sim_gpcs_free(&r->gpcs);
	sim_program_free(&r->program);
	sim_stats_free(&r->stats);
}

/* What SMs share has changed. */
static void share(struct run *r)
{
	for (uint32_t i = 0; r->shared_by && i < r->nsms; i++) {
		r->shared_by[i] = r->shared;
		r->shared_by[i].stats = &r->of_sm[i];
	}
}

/* A launch begins: every SM counts from zero. */
static void stats_begin(struct run *r)
{
	for (uint32_t i = 0; r->of_sm && i < r->nsms; i++)
		r->of_sm[i] = (struct sim_stats){.ninsts = r->stats.ninsts,
			.insts = r->stats.insts,
			.counters = r->stats.counters,
			.policy_insts = r->stats.policy_insts,
			.charged = r->stats.charged};
}

static void stats_end(struct run *r)
{
	for (uint32_t i = 0; r->of_sm && i < r->nsms; i++)
		sim_stats_add(&r->stats, &r->of_sm[i]);
}

/*
 * A bound: what the warps of an SM share has no limit, and the place of a CTA that has ended does
 * not rest longer for having had more warps. Nor does the L1D put out what threads at their own
 * pace still want, which warps in step have long used.
 */
static void unlimited(struct sim_config *c)
{
	c->begin.warp_rest = 0;
	c->sm.fetch_ports = 0;
	c->sm.code = 0;
	c->sm.lsu_interval = 0;
	c->l1d.cycle_bytes = c->l1d.banks = c->constant.words = 0;
	c->l1d.size_bytes = c->l1d.g.sets = 0;
}

static int run_new(struct run *r)
{
	struct sim_shape shape;
	int rc;

	r->config = r->opt->config;
	rc = sim_warp_policy_shape(r->opt->warp, &r->config, r->opt->warp_params, &shape, r->err);
	if (rc < 0)
		return rc;
	r->wants_lcp = shape.wants_lcp;
	if (r->wants_lcp && !r->opt->lcp)
		return tr_fail(r->err, TR_EUSAGE, 0, "%s: lcp=profile needs a profile of the trace",
			r->opt->warp->name);
	r->config.sm.warp_size = shape.lanes;
	r->config.sm.unlimited_issue |= shape.unlimited;
	if (shape.once)
		unlimited(&r->config);
	rc = sim_config_check(&r->config, r->err);
	if (rc < 0)
		return rc;
	r->nsms = r->config.sm.sms;
	if (r->opt->sink)
		r->opt->sink->warp_insts = r->opt->sink->thread_insts = 0;
	r->shared = (struct sim_shared){.config = &r->config,
		.sched = r->opt->sched,
		.sched_params = r->opt->sched_params,
		.sched_profile = r->opt->sched_profile,
		.priority = r->opt->priority,
		.warp = r->opt->warp,
		.warp_params = r->opt->warp_params,
		.program = &r->program,
		.stats = &r->stats,
		.sink = r->opt->sink,
		.events = r->opt->events,
		.count_threads = r->opt->count_threads,
		.tick = r->opt->tick,
		.err = r->err};
	rc = sim_mem_new(&r->mem, &r->config, r->err);
	if (rc < 0)
		return rc;
	sim_mem_tick(r->mem, r->opt->tick);
	r->shared.mem = r->mem;
	if (r->config.sm.gpcs)
		rc = sim_dsm_new(&r->dsm, &r->config, r->err);
	if (rc < 0)
		return rc;
	r->shared.dsm = r->dsm;
	r->shared.launcher = &r->launcher;
	r->sms = calloc(r->nsms, sizeof(*r->sms));
	r->next = calloc(r->nsms, sizeof(*r->next));
	r->woken = calloc(r->nsms / 64 + 1, sizeof(*r->woken));
	r->policy = calloc(1, r->launches->state_bytes + 1);
	if (!r->sms || !r->next || !r->woken || !r->policy)
		return no_memory(r->err);
	if (r->opt->sample_sms) {
		r->of_sm = calloc(r->nsms, sizeof(*r->of_sm));
		r->shared_by = calloc(r->nsms, sizeof(*r->shared_by));
		if (!r->of_sm || !r->shared_by)
			return no_memory(r->err);
		share(r);
	}
	for (uint32_t i = 0; i < r->nsms && rc > 0; i++)
		rc = sim_sm_new(&r->sms[i], r->shared_by ? &r->shared_by[i] : &r->shared, i);
	return rc > 0 ? sim_gpcs_init(&r->gpcs, &r->config, r->sms, r->err) : rc;
}

static int offer(const struct run *r, uint32_t *kernel)
{
	return r->launches->offer(r->policy, kernel, r->now);
}

/*
 * In how many parts of a cycle turns are counted; 0: there are no turns. A multiple of the first
 * rate, whose turns so are exact, and at least 100: the other's are rounded up to a hundredth.
 */
static uint64_t turns_of(const struct run *r)
{
	const uint64_t rate =
		r->config.begin.cta_rate ? r->config.begin.cta_rate : r->config.begin.cta_again;

	return rate ? rate * ((100 + rate - 1) / rate) : 0;
}

/* The cycle from which a CTA may be placed: the launch takes its time, and so does each CTA. */
static uint64_t dispatch_at(const struct run *r)
{
	const uint64_t first = r->start + r->config.begin.latency, parts = turns_of(r);

	return parts && r->placed / parts > first ? r->placed / parts : first;
}

/* A CTA is placed, `again`: where another one has been. The next one's turn is a while later. */
static void take_turn(struct run *r, int again)
{
	const uint64_t parts = turns_of(r), now = r->now * parts, other = r->config.begin.cta_again;
	uint64_t turn = r->config.begin.cta_rate ? 100 * parts / r->config.begin.cta_rate : 0;

	if (again && other)
		turn = (100 * parts + other - 1) / other;
	r->placed = (r->placed > now ? r->placed : now) + turn;
}

static int give(struct run *r, uint32_t sm, uint32_t kernel, struct sim_cluster *cluster)
{
	const struct tr_cta *cta = sim_family_cta(&r->family, kernel, r->err);
	const int again = r->config.begin.cta_again && sim_sm_follows(r->sms[sm], kernel);
	int rc = cta ? sim_sm_take(r->sms[sm], cta, kernel, cluster, r->now) : r->err->code;

	if (rc < 0)
		return rc;
	if (cta->nspins && r->opt->spins)
		r->opt->spins(r->opt->arg, r->family.kernels[kernel].program, cta);
	if (!r->family.kernels[kernel].began)
		r->family.kernels[kernel].began = r->now;
	take_turn(r, again);
	r->next[sm] = r->now;
	r->turn = (sm + 1) % r->nsms;
	rc = sim_family_pass(&r->family, kernel, r->err);
	if (rc > 0 && r->launches->placed)
		r->launches->placed(r->policy, kernel, r->now);
	return rc;
}

/* What SMs say. */
static uint64_t call(void *arg, const struct sim_call *c, uint64_t now)
{
	struct run *r = arg;

	return r->launches->call ? r->launches->call(r->policy, c, now) : now;
}

static void ended(void *arg, uint32_t kernel, uint64_t now)
{
	struct run *r = arg;

	r->family.kernels[kernel].ended = now;
	r->full = TR_NONE;
	if (r->launches->ended)
		r->launches->ended(r->policy, kernel, now);
}

static const struct tr_launch *launch_of(const struct run *r, uint32_t kernel)
{
	return &r->family.kernels[kernel].launch;
}

/* A CTA by itself: one whose launch has a cluster's barrier is a cluster of its own. */
static int give_one(struct run *r, uint32_t sm, uint32_t kernel)
{
	const struct tr_launch *l = launch_of(r, kernel);
	const uint16_t at = (uint16_t)sm;

	return give(r, sm, kernel,
		l->cluster[0] ? sim_gpcs_place(&r->gpcs, 1, tr_launch_threads(l), &at) : NULL);
}

/* A cluster for each GPC that has room, in turn. 1, or TR_E*. */
static int dispatch_clusters(struct run *r, uint32_t kernel)
{
	const struct tr_launch *l = launch_of(r, kernel);
	const uint32_t n = tr_launch_cluster_ctas(l), gpcs = r->config.sm.gpcs;
	uint16_t sm[TR_CLUSTER_CTAS_MAX];
	uint32_t offered = kernel;
	int rc = 1;

	for (uint32_t asked = 0, i = 0; asked < gpcs && rc > 0; asked++) {
		struct sim_cluster *c;

		if (!offer(r, &offered) || offered != kernel || dispatch_at(r) > r->now)
			break;
		if (!sim_gpcs_room(&r->gpcs, i, kernel, n, r->now, sm)) {
			i++;
			continue;
		}
		i = 0; /* the one after it is the first in turn */
		c = sim_gpcs_place(&r->gpcs, n, tr_launch_threads(l), sm);
		for (uint32_t k = 0; k < n && rc > 0; k++)
			rc = give(r, sm[k], kernel, c);
	}
	return rc;
}

/* One CTA for each SM that has room, in turn. 1, or TR_E*. */
static int dispatch(struct run *r)
{
	const uint32_t first = r->turn;
	uint32_t kernel;

	if (r->now >= r->room_at) {
		r->full = TR_NONE;
		r->room_at = UINT64_MAX;
	}
	if (!offer(r, &kernel) || kernel == r->full)
		return 1;
	for (uint32_t k = 0; k < r->nsms && offer(r, &kernel) && dispatch_at(r) <= r->now; k++) {
		const uint32_t i = (first + k) % r->nsms;
		int rc = 1;

		if (tr_launch_cluster_ctas(launch_of(r, kernel)) > 1)
			return dispatch_clusters(r, kernel);
		if (sim_sm_room(r->sms[i], kernel, r->now))
			rc = give_one(r, i, kernel);
		if (rc < 0)
			return rc;
	}
	return 1;
}

/* Has any GPC room for a cluster of a kernel? */
static int has_cluster_room(struct run *r, uint32_t kernel)
{
	uint16_t sm[TR_CLUSTER_CTAS_MAX];
	const uint32_t n = tr_launch_cluster_ctas(launch_of(r, kernel));

	for (uint32_t i = 0; i < r->config.sm.gpcs; i++)
		if (sim_gpcs_room(&r->gpcs, i, kernel, n, r->now, sm))
			return 1;
	return 0;
}

static int can_dispatch(struct run *r)
{
	uint32_t kernel;
	int alone;

	if (!offer(r, &kernel) || kernel == r->full)
		return 0;
	r->room_at = UINT64_MAX;
	alone = tr_launch_cluster_ctas(launch_of(r, kernel)) == 1;
	if (!alone && has_cluster_room(r, kernel))
		return 1;
	for (uint32_t i = 0; i < r->nsms; i++) {
		if (alone && sim_sm_room(r->sms[i], kernel, r->now))
			return 1;
		if (sim_sm_room_at(r->sms[i]) < r->room_at)
			r->room_at = sim_sm_room_at(r->sms[i]);
	}
	r->full = kernel;
	return 0;
}

/* Who looks on hears what warps did up to a cycle in which nothing has happened yet. */
static void watch(struct run *r, uint64_t now)
{
	for (uint32_t i = 0; i < r->nsms; i++)
		sim_sm_watch(r->sms[i], now);
}

/* A launch begins or ends at cycle `now`. */
static void watch_launch(struct run *r, enum sim_event_kind kind, const struct tr_launch *l)
{
	const struct sim_event e = {.at = r->now - 1,
		.cycles = r->now - r->start,
		.kind = (uint8_t)kind,
		.sm = SIM_ALL_SMS,
		.warp = SIM_NO_WARP,
		.launch = l->number,
		.cta = TR_NONE,
		.inst = TR_NONE,
		.other = SIM_NO_WARP,
		.program = r->program.p};

	if (r->opt->events)
		r->opt->events->event(r->opt->events->arg, &e);
}

/* The SM's cycle. It may sleep: then it is only seen to that nothing would have happened. */
static int step_sm(struct run *r, uint32_t i)
{
	const int woken = (int)(r->woken[i / 64] >> (i % 64) & 1);
	const int sleeps = r->next[i] > r->now && !woken;
	uint64_t events;

	if (sleeps && !r->opt->tick) {
		sim_sm_watch(r->sms[i], r->now + 1);
		return 1;
	}
	r->woken[i / 64] &= ~(1ull << (i % 64));
	events = sleeps ? sim_sm_events(r->sms[i]) : 0;
	r->next[i] = sim_sm_step(r->sms[i], r->now, woken);
	if (!r->next[i])
		return r->err && r->err->code ? r->err->code : no_memory(r->err);
	if (sleeps && sim_sm_events(r->sms[i]) != events)
		return tr_fail(r->err, TR_EDATA, 0,
			"SM %u would have slept through cycle %llu, in which it acts", i,
			(unsigned long long)r->now);
	return 1;
}

/*
 * The SMs from `first` on, 64 at most, that have something to do in this cycle; r->soonest: the
 * next cycle of the others. All of them, where somebody looks on.
 */
static uint64_t due_sms(struct run *r, uint32_t first, uint32_t n)
{
	uint64_t due = r->woken[first / 64];

	if (r->opt->tick || r->opt->events)
		return UINT64_MAX >> (64 - n);
	for (uint32_t i = 0; i < n; i++)
		due |= (uint64_t)(r->next[first + i] <= r->now) << i;
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t at = due >> i & 1 ? UINT64_MAX : r->next[first + i];

		r->soonest = at < r->soonest ? at : r->soonest;
	}
	return due;
}

static int step_sms(struct run *r)
{
	r->soonest = UINT64_MAX;
	for (uint32_t first = 0; first < r->nsms; first += 64) {
		const uint32_t n = r->nsms - first < 64 ? r->nsms - first : 64;

		for (uint64_t due = due_sms(r, first, n); due; due &= due - 1) {
			const uint32_t i = first + (uint32_t)__builtin_ctzll(due);
			const int rc = step_sm(r, i);

			if (rc < 0)
				return rc;
			r->soonest = r->next[i] < r->soonest ? r->next[i] : r->soonest;
		}
	}
	return 1;
}

static int any_busy(struct run *r)
{
	/* Mostly the one that was last time. */
	if (sim_sm_busy(r->sms[r->busy]))
		return 1;
	for (r->busy = 0; r->busy < r->nsms; r->busy++)
		if (sim_sm_busy(r->sms[r->busy]))
			return 1;
	r->busy = 0;
	return r->dsm && sim_dsm_busy(r->dsm);
}

/* The next cycle in which something can happen; UINT64_MAX: nothing ever will. */
static uint64_t next_cycle(struct run *r)
{
	uint64_t next = sim_mem_next(r->mem, r->now);

	if (r->dsm && sim_dsm_next(r->dsm) < next)
		next = sim_dsm_next(r->dsm);

	if (r->launches->until) {
		const uint64_t at = r->launches->until(r->policy, r->now);

		next = at < next ? at : next;
	}
	next = r->soonest < next ? r->soonest : next;
	if (can_dispatch(r) && dispatch_at(r) < next)
		next = dispatch_at(r);
	else if (r->full != TR_NONE && r->room_at < next)
		next = r->room_at;
	if (r->opt->tick && next != UINT64_MAX)
		next = r->now + 1;
	return next <= r->now ? r->now + 1 : next;
}

static int sample(struct run *r, uint64_t cycle)
{
	struct sim_sample s = {.launch = r->family.kernels[0].launch.number,
		.cycle = cycle,
		.sm = SIM_ALL_SMS,
		.stats = &r->stats};
	int rc = 1;

	for (uint32_t i = 0; i < r->nsms; i++) {
		sim_sm_account(r->sms[i], r->start + cycle);
		s.warps += sim_sm_warps(r->sms[i]);
	}
	if (!r->of_sm)
		return r->opt->sample(r->opt->arg, &s);
	for (s.sm = 0; s.sm < r->nsms && rc > 0; s.sm++) {
		s.warps = sim_sm_warps(r->sms[s.sm]);
		s.stats = &r->of_sm[s.sm];
		rc = r->opt->sample(r->opt->arg, &s);
	}
	return rc;
}

/* The samples that are due: nothing has happened since the last cycle that was stepped. */
static int samples(struct run *r)
{
	const uint64_t every = r->opt->sample_cycles;
	int rc = 1;

	for (; every && rc > 0 && r->now - r->start >= r->sampled + every;) {
		r->sampled += every;
		rc = sample(r, r->sampled);
	}
	return rc;
}

/* Barriers that only whole warps could fill open in the next cycle. 1, or 0: there are none. */
static int force_barriers(struct run *r)
{
	int any = 0;

	for (uint32_t i = 0; i < r->nsms; i++) {
		if (!sim_sm_force(r->sms[i]))
			continue;
		r->next[i] = r->now + 1;
		any = 1;
	}
	return any;
}

static int stands_still(struct run *r)
{
	const char *why = NULL;
	char text[256];

	for (uint32_t i = 0; i < r->nsms && !why; i++)
		why = sim_sm_stands(r->sms[i], text, sizeof(text));
	return tr_fail(r->err, TR_EDATA, 0, "kernel '%s' stands still: %s",
		tr_str(r->program.p, r->program.p->name), why ? why : "a request is lost");
}

static int run_cycles(struct run *r)
{
	uint64_t told = r->now, next;
	uint32_t kernel;
	int rc;

	for (;;) {
		rc = samples(r);
		if (rc < 0)
			return rc;
		if (r->opt->events)
			watch(r, r->now);
		sim_mem_run(r->mem, r->now, r->woken);
		if (r->dsm && sim_dsm_run(r->dsm, r->now, r->woken) < 0)
			return no_memory(r->err);
		if (r->launches->run)
			r->launches->run(r->policy, r->now);
		rc = dispatch(r);
		if (rc > 0)
			rc = step_sms(r);
		if (rc < 0)
			return rc;
		if (!any_busy(r) && !offer(r, &kernel) &&
			(!r->launches->until ||
				r->launches->until(r->policy, r->now) == UINT64_MAX))
			return 1;
		next = next_cycle(r);
		if (next == UINT64_MAX && force_barriers(r))
			next = r->now + 1;
		if (next == UINT64_MAX)
			return stands_still(r);
		r->now = next;
		if (r->opt->progress && r->now - told >= PROGRESS_CYCLES) {
			r->opt->progress(r->opt->arg, r->stats.warp_insts);
			told = r->now;
		}
	}
}

/* Registers that nobody has stated: as many as for the one before it, or counted. */
static int registers_of(struct run *r, struct sim_kernel *x, const struct sim_kernel *before)
{
	if (before && before->program == x->program && !before->launch.registers_stated) {
		x->launch.registers = before->launch.registers;
		return 1;
	}
	return tr_program_registers(
		x->program, r->config.sm.address_bits, &x->launch.registers, r->err);
}

/* What each kernel of the family is to the SMs. 1 or TR_E*. */
static int make_grids(struct run *r)
{
	struct sim_family *f = &r->family;
	struct sim_grid *grids = realloc(r->grids, f->n * sizeof(*grids));

	if (!grids)
		return no_memory(r->err);
	r->grids = grids;
	for (uint32_t k = 0; k < f->n; k++) {
		struct sim_kernel *x = &f->kernels[k];
		int rc = 1;

		if (!x->launch.registers_stated)
			rc = registers_of(r, x, k ? x - 1 : NULL);
		if (rc < 0)
			return rc;
		grids[k] = (struct sim_grid){&x->launch, x->entry};
	}
	r->shared.grids = grids;
	r->shared.ngrids = f->n;
	if (f->n > 1 && !r->opt->warp->many)
		return tr_fail(r->err, TR_EUSAGE, 0,
			"launch %u: %s knows one kernel at a time: --launch=serial, or --warp "
			"fixed, "
			"mimd, dualpath, its or null",
			f->kernels[0].launch.number, r->opt->warp->name);
	return 1;
}

/* Likely-convergence points of all programs of the family. */
static int make_lcp(struct run *r)
{
	const struct sim_family *f = &r->family;
	uint32_t *lcp;

	if (!f->joined) {
		r->shared.lcp = r->opt->lcp(r->opt->arg, &f->kernels[0].launch);
		return 1;
	}
	lcp = realloc(r->lcp, f->program->ninsts * sizeof(*lcp));
	if (!lcp)
		return no_memory(r->err);
	r->lcp = lcp;
	for (uint32_t k = 0; k < f->n; k++) {
		const struct sim_kernel *x = &f->kernels[k];
		const uint32_t *own = r->opt->lcp(r->opt->arg, &x->launch);

		for (uint32_t i = 0; i < x->program->ninsts; i++)
			lcp[x->entry + i] = own[i] < TR_EXIT ? own[i] + x->entry : own[i];
	}
	r->shared.lcp = lcp;
	return 1;
}

/* Every CTA must have had its turn: a launch that waits for one that is not there has not. */
static int check_all(struct run *r)
{
	for (uint32_t k = 0; k < r->family.n; k++)
		if (sim_family_has(&r->family, k))
			return tr_fail(r->err, TR_EDATA, 0, "launch %u has never begun: %s",
				r->family.kernels[k].launch.number,
				r->family.kernels[k].called
					? "it waits for one that does not end"
					: "no thread that is read here has launched it");
	return 1;
}

static void tell_kernels(struct run *r)
{
	for (uint32_t k = 0; r->opt->kernel && k < r->family.n; k++)
		r->opt->kernel(r->opt->arg, &r->family.kernels[k], r->start);
}

/* The source has come to a launch: what the host copied before it is where it then lies. */
static int begins(void *arg, const struct tr_launch *l, const struct tr_program *p)
{
	struct run *r = arg;

	sim_mem_copied(r->mem, l->copies, l->ncopies);
	return r->opt->begins ? r->opt->begins(r->opt->arg, l, p) : 1;
}

static int run_launch(struct run *r, struct sim_result *res)
{
	const struct tr_program *p = r->family.program;
	const struct tr_launch *launch = &r->family.kernels[0].launch;
	const struct sim_launching launching = {&r->family, &r->config, &r->stats.launch};
	struct sim_mem_stats before = *sim_mem_stats(r->mem);
	int rc;

	r->start = r->now;
	r->sampled = 0;
	r->full = TR_NONE;
	r->room_at = UINT64_MAX;
	rc = make_grids(r);
	if (rc < 0)
		return rc;
	sim_program_free(&r->program);
	for (uint32_t i = 0; i < r->nsms; i++) /* between launches nobody counts */
		sim_sm_account(r->sms[i], r->now);
	sim_stats_free(&r->stats);
	rc = sim_program_make(&r->program, p, r->err);
	if (rc > 0 && (sim_stats_init(&r->stats, p->ninsts, r->opt->warp->counters) ||
			      (r->opt->charge && sim_stats_charge(&r->stats))))
		rc = no_memory(r->err);
	if (rc > 0)
		sim_program_ways(&r->program, &r->config);
	if (rc > 0 && r->wants_lcp)
		rc = make_lcp(r);
	share(r);
	stats_begin(r);
	for (uint32_t i = 0; i < r->nsms && rc > 0; i++)
		rc = sim_sm_launch(r->sms[i]);
	if (rc < 0)
		return rc;
	for (uint32_t k = 0; k < r->family.n && rc > 0; k++)
		rc = sim_gpcs_check(&r->gpcs, launch_of(r, k), k, r->err);
	if (rc < 0)
		return rc;
	sim_sm_asks(r->sms[0], r->program.insts, p->ninsts); /* every SM's policy says the same */
	rc = r->launches->start(r->policy, &launching, r->now, r->err);
	if (rc < 0)
		return rc;
	watch_launch(r, SIM_EV_LAUNCH_BEGIN, launch);
	rc = run_cycles(r);
	if (rc > 0)
		rc = check_all(r);
	if (rc < 0)
		return rc;
	r->now++;
	if (r->opt->events)
		watch(r, r->now);
	watch_launch(r, SIM_EV_LAUNCH_END, launch);
	for (uint32_t i = 0; i < r->nsms; i++)
		sim_sm_account(r->sms[i], r->now);
	for (uint32_t i = 0; i < r->nsms; i++)
		res->hash = sim_sm_hash(r->sms[i], res->hash);
	r->stats.cycles = r->now - r->start;
	if (r->opt->sample_cycles) {
		rc = sample(r, r->stats.cycles);
		if (rc < 0)
			return rc;
	}
	stats_end(r);
	r->stats.mem = *sim_mem_stats(r->mem);
	sim_mem_stats_since(&r->stats.mem, &before);
	res->hash = sim_mem_hash(r->mem, res->hash);
	if (r->dsm)
		res->hash = sim_dsm_hash(r->dsm, res->hash);
	rc = sim_stats_check(&r->stats, &r->config, r->err);
	if (rc > 0)
		tell_kernels(r);
	if (rc > 0 && r->opt->launched)
		rc = r->opt->launched(r->opt->arg, launch, p, &r->stats);
	sim_stats_add(&res->total, &r->stats);
	res->launches++;
	return rc;
}

int sim_replay_source(const struct sim_source *from, const struct sim_replay *opt,
	struct sim_result *res, struct tr_err *err)
{
	struct tr_err scratch = {0};
	/* The parts' clocks stand at cycle 0: the first that they can be called in is the next. */
	struct run r = {.opt = opt,
		.launches = sim_launch_policy_at(opt->config.launch.mode),
		.family = {.from = from, .begins = begins, .arg = &r},
		.now = 1,
		.err = err ? err : &scratch};
	int rc;

	*res = (struct sim_result){0};
	r.err->code = 0;
	r.family.together = r.launches->together;
	r.launcher = (struct sim_launcher){call, ended, &r};
	rc = run_new(&r);
	if (rc > 0)
		rc = sim_family_start(&r.family, r.err);
	while (rc > 0 && (rc = sim_family_next(&r.family, r.err)) > 0)
		rc = run_launch(&r, res);
	res->family_bytes = r.family.most_bytes;
	run_free(&r);
	return rc < 0 ? rc : 1;
}

int sim_replay(struct tr_reader *reader, const struct sim_replay *opt, struct sim_result *res,
	struct tr_err *err)
{
	struct sim_stream stream;
	const struct sim_source from = sim_stream_source(&stream, reader);
	const int rc = sim_replay_source(&from, opt, res, err);

	sim_stream_end(&stream);
	return rc;
}
