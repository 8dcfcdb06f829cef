/*
 * Every warp policy on services of our own, without an SM: no scoreboard, no memory, one warp
 * picked at random in a cycle. A policy that needs more than sim/warp/warp.h gives it, or that
 * counts on the order in which the SM does things, does not get its threads home here.
 */
#include "tests/unit/tangle.h"
#include "sim/warp/warp.h"

#define CTAS 3
#define THREADS 96 /* of a CTA */
#define PLACES (CTAS * THREADS)
#define SLOTS_MAX 2048
#define CYCLES_MAX 200000

struct alone {
	struct sim_front front;
	const struct sim_warp_policy *policy;
	void *state;
	struct sim_warp warps[SLOTS_MAX];
	uint16_t *lanes;        /* of all warps */
	uint64_t at[SLOTS_MAX]; /* from when a warp may issue */
	struct sim_thread threads[PLACES];
	struct tr_thread record[PLACES];
	uint32_t asks[INSTS_MAX];
	uint32_t left; /* threads that have not exited */
	uint32_t taken, most, slice, levels[SIM_COUNTERS];
	uint64_t counts[SIM_COUNTERS], by_inst[SIM_COUNTERS * INSTS_MAX], rng, now;
};

static struct alone *of(struct sim_front *front)
{
	return (struct alone *)(void *)front;
}

/* ---- services ---- */

static uint32_t take(struct sim_front *front, uint32_t cta)
{
	static uint64_t age;
	struct alone *a = of(front);

	assert_true(cta < CTAS);
	for (uint32_t w = 0; w < front->nwarps; w++)
		if (a->warps[w].state == SIM_W_FREE) {
			uint16_t *thread = a->warps[w].thread;

			age++;
			a->warps[w] = (struct sim_warp){.state = SIM_W_RUN,
				.cta = cta,
				.thread = thread,
				.age = age,
				.life = age};
			a->at[w] = SIM_NEVER; /* not before the policy says so */
			a->most = ++a->taken > a->most ? a->taken : a->most;
			return w;
		}
	return SIM_NO_WARP;
}

static void drop(struct sim_front *front, uint32_t w)
{
	struct alone *a = of(front);

	assert_true(w < front->nwarps && a->warps[w].state != SIM_W_FREE);
	a->warps[w].state = SIM_W_FREE;
	a->at[w] = SIM_NEVER;
	a->taken--;
}

static void ready(struct sim_front *front, uint32_t w, uint64_t at)
{
	struct alone *a = of(front);

	assert_true(w < front->nwarps && a->warps[w].state != SIM_W_FREE);
	assert_true(a->warps[w].pc < front->program->ninsts && sim_any(&a->warps[w].lanes));
	a->warps[w].state = SIM_W_RUN;
	a->warps[w].active = sim_lanes(&a->warps[w].lanes);
	a->at[w] = at;
}

static void hold(struct sim_front *front, uint32_t w)
{
	struct alone *a = of(front);

	assert_true(w < front->nwarps && a->warps[w].state != SIM_W_FREE);
	a->warps[w].state = SIM_W_HELD;
	a->at[w] = SIM_NEVER;
}

/* Data are there at once, so nobody waits for any. */
static void inherit(struct sim_front *front, uint32_t w, uint32_t from)
{
	assert_true(w < front->nwarps && from < front->nwarps);
}

static uint64_t lanes_of(const struct alone *a, uint32_t slices)
{
	uint64_t lanes = 0;

	for (; slices; slices &= slices - 1)
		lanes |= (UINT64_MAX >> (64 - a->slice)) << (__builtin_ctz(slices) * a->slice);
	return lanes;
}

static uint32_t split(struct sim_front *front, uint32_t from, uint32_t slices)
{
	struct alone *a = of(front);
	struct sim_warp *y = &a->warps[from], *x;
	const uint64_t lanes = lanes_of(a, slices);
	const uint32_t w = take(front, y->cta);

	assert_true(w != SIM_NO_WARP && slices && (y->slices & slices) == slices);
	assert_true(y->slices != slices);
	x = &a->warps[w];
	memcpy(x->thread, y->thread, front->config->sm.warp_size * sizeof(*x->thread));
	x->pc = y->pc;
	x->state = y->state;
	x->age = y->age;
	x->slices = slices;
	x->lanes.w[0] = y->lanes.w[0] & lanes;
	y->slices &= ~slices;
	y->lanes.w[0] &= ~lanes;
	return w;
}

static void join(struct sim_front *front, uint32_t into, uint32_t from)
{
	struct alone *a = of(front);
	struct sim_warp *x = &a->warps[into], *y = &a->warps[from];

	assert_true(x->pc == y->pc && !(x->slices & y->slices));
	assert_true(x->state == SIM_W_RUN && y->state == SIM_W_RUN);
	for (uint64_t m = lanes_of(a, y->slices); m; m &= m - 1)
		x->thread[__builtin_ctzll(m)] = y->thread[__builtin_ctzll(m)];
	x->slices |= y->slices;
	x->lanes.w[0] |= y->lanes.w[0];
	a->at[into] = a->at[from] > a->at[into] ? a->at[from] : a->at[into];
	drop(front, from);
}

static void resume(struct sim_front *front, uint32_t w, uint64_t at)
{
	struct alone *a = of(front);

	ready(front, w, a->at[w] != SIM_NEVER && a->at[w] > at ? a->at[w] : at);
}

static const struct sim_services services = {.take = take,
	.drop = drop,
	.ready = ready,
	.hold = hold,
	.inherit = inherit,
	.split = split,
	.join = join,
	.resume = resume};

/* ---- in place of an SM ---- */

static uint32_t outcome_of(struct alone *a, uint32_t place)
{
	const struct tr_thread *t = &a->record[place];
	struct sim_thread *thread = &a->threads[place];

	if (!thread->outcomes)
		fail_msg("%s: thread %u goes on after its record, cycle %u", a->policy->name, place,
			(unsigned)a->now);
	return t->outcomes[t->noutcomes - thread->outcomes--];
}

/* The lanes of a warp at the end of its block. */
static void end_block(struct alone *a, struct sim_warp *w, const struct tr_inst *in)
{
	const uint32_t *succ = a->front.program->succ_pool + in->succ;
	uint32_t lane;

	w->to = in->nsucc > 1 ? TR_NONE : in->nsucc ? succ[0] : TR_EXIT;
	FOR_LANES(w->lanes, lane)
	{
		const uint32_t place = w->thread[lane];
		struct sim_thread *t = &a->threads[place];

		t->pc = in->nsucc > 1 ? succ[outcome_of(a, place)] : w->to;
		t->path = (t->path + t->pc) * 0x9e3779b97f4a7c15ull;
		a->left -= t->pc == TR_EXIT;
	}
}

static void tell(struct alone *a, enum sim_what what, uint32_t w, uint32_t inst)
{
	const struct sim_told told = {.what = what, .warp = w, .inst = inst, .now = a->now};

	a->policy->told(a->state, &a->front, &told);
}

/* A warp executes its next instruction, and goes on in the next cycle. */
static void execute(struct alone *a, uint32_t w, uint32_t inst)
{
	const struct tr_inst *in = &a->front.program->insts[inst];
	const struct tr_block *b = &a->front.program->blocks[in->block];
	const int last = inst == b->first + b->n - 1;
	struct sim_warp *x = &a->warps[w];

	assert_true(x->state == SIM_W_RUN && x->pc == inst);
	if (!last && !(a->asks[inst] & SIM_ASK_NEXT)) {
		x->pc++;
	} else {
		if (last)
			end_block(a, x, in);
		else
			x->to = inst + 1;
		x->state = SIM_W_RESOLVE;
	}
	a->at[w] = a->now + 1;
	if (in->cls == TR_C_LOAD && a->policy->hears & SIM_TOLD_DATA)
		tell(a, SIM_TOLD_DATA, w, inst);
}

static void issue(struct alone *a, const struct sim_bundle *b)
{
	if (b->own)
		return;
	for (uint32_t i = 0; i < b->n;) {
		const uint32_t first = b->beat[i].warp, inst = a->warps[first].pc;

		do {
			assert_true(a->at[b->beat[i].warp] <= a->now);
			execute(a, b->beat[i].warp, inst);
		} while (++i < b->n && b->beat[i].joins);
		if (a->asks[inst] & SIM_ASK_TOLD)
			tell(a, SIM_TOLD_ISSUED, first, inst);
	}
}

/* The warps that may issue: all that are ready and that the policy lets go. */
static void candidates(struct alone *a, struct sim_bits *can)
{
	sim_bits_init(can, a->front.nwarps);
	for (uint32_t w = 0; w < a->front.nwarps; w++) {
		enum sim_may may = SIM_GO;

		if (a->warps[w].state != SIM_W_RUN || a->at[w] > a->now)
			continue;
		if (a->asks[a->warps[w].pc] & SIM_ASK_MAY)
			may = a->policy->may(a->state, &a->front, w, a->now);
		if (may != SIM_NOT_NOW)
			sim_bits_set(can, w);
	}
}

static void cycle(struct alone *a)
{
	struct sim_bundle b;
	struct sim_bits can;
	uint32_t w;

	memset(&b, 0, sizeof(b));
	for (w = 0; w < a->front.nwarps; w++)
		if (a->warps[w].state == SIM_W_RESOLVE && a->at[w] <= a->now) {
			a->at[w] = SIM_NEVER; /* it is asked once */
			a->policy->next(a->state, &a->front, w, a->now);
		}
	if (a->policy->begin)
		a->policy->begin(a->state, &a->front, a->now);
	candidates(a, &can);
	if (sim_bits_any(&can) && a->policy->pick) {
		a->policy->pick(a->state, &a->front, &can, &b, a->now);
	} else if (sim_bits_any(&can)) {
		a->rng = mixed(a->rng + 1);
		w = sim_bits_next(&can, (uint32_t)(a->rng % a->front.nwarps));
		w = w == UINT32_MAX ? sim_bits_next(&can, 0) : w;
		b.n = 1;
		b.beat[0].warp = (uint16_t)w;
		if (a->asks[a->warps[w].pc] & SIM_ASK_FORM)
			a->policy->form(a->state, &a->front, w, &b, a->now);
	}
	issue(a, &b);
	if (a->policy->tick)
		assert_true(a->policy->tick(a->state, &a->front, a->now) > a->now);
}

/* ---- a launch ---- */

static struct alone *begin(
	const struct sim_warp_policy *policy, struct sim_config *c, const struct kernel *k)
{
	struct alone *a = calloc(1, sizeof(*a));
	struct sim_shape shape = {0};
	int64_t params[SIM_PARAMS];
	struct tr_err err;

	assert_non_null(a);
	assert_int_equal(sim_warp_policy_parse(policy->name, &policy, params, &err), 1);
	assert_int_equal(sim_warp_policy_shape(policy, c, params, &shape, &err), 1);
	assert_true(shape.slots <= SLOTS_MAX);
	c->sm.warp_size = shape.lanes;
	a->policy = policy;
	a->state = calloc(1, shape.state_bytes + 1);
	a->lanes = calloc((size_t)shape.slots * shape.lanes, sizeof(*a->lanes));
	assert_true(a->state && a->lanes);
	for (uint32_t w = 0; w < shape.slots; w++)
		a->warps[w].thread = a->lanes + (size_t)w * shape.lanes;
	a->front = (struct sim_front){.call = &services,
		.config = c,
		.program = k->p,
		.warps = a->warps,
		.nwarps = shape.slots,
		.threads = a->threads,
		.nthreads = PLACES,
		.stride = THREADS,
		.counts = a->counts,
		.by_inst = a->by_inst,
		.levels = a->levels};
	a->slice = shape.slice;
	policy->start(a->state, &a->front, params);
	for (uint32_t i = 0; i < k->p->ninsts; i++)
		a->asks[i] = policy->asks ? policy->asks(a->state, &a->front, i) : 0;
	return a;
}

static void arrive(struct alone *a, const struct kernel *k, uint32_t cta)
{
	for (uint32_t t = 0; t < THREADS; t++) {
		const uint32_t place = cta * THREADS + t;

		record_thread(k, cta, t, &a->record[place]);
		a->threads[place] = (struct sim_thread){
			.outcomes = a->record[place].noutcomes, .number = (uint16_t)t};
	}
	a->left += THREADS;
	a->policy->arrive(a->state, &a->front, cta, cta * THREADS, THREADS, a->now);
}

static void end(struct alone *a)
{
	for (uint32_t i = 0; i < PLACES; i++) {
		free(a->record[i].outcomes);
		free(a->record[i].values);
	}
	free(a->state);
	free(a->lanes);
	free(a);
}

static void run(const struct sim_warp_policy *policy, uint64_t seed)
{
	struct sim_config c;
	struct kernel k;
	struct alone *a;
	uint64_t rng = seed;

	sim_config_default(&c);
	tangle_of(&k, &rng, 1);
	a = begin(policy, &c, &k);
	a->rng = rng;
	for (a->now = 1; a->now < CYCLES_MAX && (a->left || a->now <= 100 * CTAS); a->now++) {
		if (a->now % 100 == 0 && a->now / 100 <= CTAS)
			arrive(a, &k, (uint32_t)(a->now / 100) - 1);
		cycle(a);
	}
	if (a->left)
		fail_msg("%s, seed %u: %u threads do not come to their end", policy->name,
			(unsigned)seed, a->left);
	/* Compacted warps may leave their slots when the last of the CTA has ended. */
	for (uint32_t i = 0; i < 1000 && a->taken; i++, a->now++)
		cycle(a);
	if (a->taken)
		fail_msg("%s, seed %u: %u warps are left without threads", policy->name,
			(unsigned)seed, a->taken);
	for (uint32_t i = 0; i < PLACES; i++)
		if (a->threads[i].path != walked_path(k.p, &a->record[i]))
			fail_msg("%s, seed %u: thread %u went another way than it recorded",
				policy->name, (unsigned)seed, i);
	end(a);
	tr_program_free(k.p);
}

static void test_alone(void **state)
{
	const struct sim_warp_policy *policy;

	(void)state;
	for (unsigned i = 0; (policy = sim_warp_policy_at(i)); i++)
		for (uint64_t seed = 1; seed <= 40; seed++)
			run(policy, seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_alone)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
