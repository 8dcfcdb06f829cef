/*
 * Dynamic warp formation step by step: its LUT against a slow twin, and the policy driven by hand,
 * with an SM that does nothing but give out slots. Warps of 4 lanes, thread t in lane t % 4.
 */
#include "tests/unit/replay_trial.h"
#include "sim/warp/dwf_lut.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- the LUT ---- */

static void test_lut_ways(void **state)
{
	struct sim_dwf_entry storage[4];
	struct sim_dwf_lut lut;

	(void)state;
	sim_dwf_lut_init(&lut, storage, 4, 2, 16); /* two sets */
	assert_int_equal(sim_dwf_lut_find(&lut, 10), SIM_NO_WARP);
	sim_dwf_lut_put(&lut, 10, 1);
	sim_dwf_lut_put(&lut, 20, 2);
	sim_dwf_lut_put(&lut, 11, 3);
	assert_int_equal(sim_dwf_lut_find(&lut, 10), 1); /* 20 is the older one now */
	sim_dwf_lut_put(&lut, 30, 4);
	assert_int_equal(sim_dwf_lut_find(&lut, 20), SIM_NO_WARP);
	assert_int_equal(sim_dwf_lut_find(&lut, 10), 1);
	assert_int_equal(sim_dwf_lut_find(&lut, 30), 4);
	assert_int_equal(sim_dwf_lut_find(&lut, 11), 3); /* of the other set */
	sim_dwf_lut_put(&lut, 10, 5);
	assert_int_equal(sim_dwf_lut_find(&lut, 10), 5);
	assert_int_equal(sim_dwf_lut_find(&lut, 30), 4);
}

static void test_ideal_lut(void **state)
{
	enum { WARPS = 8, PCS = 40 };
	uint32_t storage[3 * WARPS], at[PCS], of[WARPS];
	struct sim_dwf_lut lut;
	uint64_t rng = 5;

	(void)state;
	assert_int_equal(sim_dwf_lut_bytes(0, WARPS), sizeof(storage));
	sim_dwf_lut_init(&lut, storage, 0, 2, WARPS);
	for (unsigned i = 0; i < PCS; i++)
		at[i] = SIM_NO_WARP;
	for (unsigned i = 0; i < WARPS; i++)
		of[i] = TR_NONE;
	for (unsigned step = 0; step < 5000; step++) {
		const uint32_t pc = (uint32_t)(rng >> 40) % PCS;
		const uint32_t warp = (uint32_t)(rng >> 20) % WARPS;

		rng = rng * 6364136223846793005ull + 1442695040888963407ull;
		if (of[warp] != TR_NONE)
			at[of[warp]] = SIM_NO_WARP;
		if (at[pc] != SIM_NO_WARP)
			of[at[pc]] = TR_NONE;
		at[pc] = warp;
		of[warp] = pc;
		sim_dwf_lut_put(&lut, pc, warp);
		for (uint32_t i = 0; i < PCS; i++)
			assert_int_equal(sim_dwf_lut_find(&lut, i), at[i]);
	}
}

/* ---- an SM that gives out slots ---- */

#define LANES 4
#define THREADS 32
#define NOT_READY UINT64_MAX

struct machine {
	struct sim_front front;
	struct sim_warp warps[THREADS];
	uint16_t places[THREADS][LANES];
	struct sim_thread threads[THREADS];
	uint64_t ready_at[THREADS];

	uint64_t next_age;
};

static struct machine *machine_of(struct sim_front *front)
{
	return (struct machine *)front;
}

static uint32_t take(struct sim_front *front, uint32_t cta)
{
	struct machine *sm = machine_of(front);
	uint32_t w = 0;

	while (sm->warps[w].state != SIM_W_FREE)
		w++;
	assert_true(w < THREADS);
	sm->warps[w] = (struct sim_warp){
		.state = SIM_W_RUN, .cta = cta, .thread = sm->places[w], .age = ++sm->next_age};
	sm->ready_at[w] = NOT_READY;
	return w;
}

static void drop(struct sim_front *front, uint32_t w)
{
	machine_of(front)->warps[w].state = SIM_W_FREE;
}

static void ready(struct sim_front *front, uint32_t w, uint64_t at)
{
	struct machine *sm = machine_of(front);

	sm->warps[w].state = SIM_W_RUN;
	sm->warps[w].active = (uint32_t)__builtin_popcountll(sm->warps[w].lanes.w[0]);
	sm->ready_at[w] = at;
}

static const struct sim_services services = {.take = take, .drop = drop, .ready = ready};

/* A policy at work on it. */
struct bench {
	struct kernel k;
	uint32_t a, b, c, d, sync, e; /* blocks, and the barrier in D */
	struct machine sm;
	struct sim_config config;
	int64_t params[SIM_PARAMS];
	void *state;
};

extern const struct sim_warp_policy sim_warp_dwf;

/* A: branch to C. B: jump to D. C. D: a barrier in it. E: back to A, or out. */
static void bench_start(struct bench *m, const char *spec, uint32_t stride)
{
	struct kernel *k = &m->k;
	struct sim_shape shape = {0};
	uint32_t a, c, d;
	struct tr_err err;

	memset(m, 0, sizeof(*m));
	kernel_begin(k, "steps");
	a = label(k);
	c = label(k);
	d = label(k);
	here(k, a);
	m->a = op(k, TR_C_INT, reg(k), TR_NONE);
	branch(k, c, always, 0);
	m->b = op(k, TR_C_INT, reg(k), TR_NONE);
	op(k, TR_C_INT, reg(k), TR_NONE);
	jump(k, d);
	here(k, c);
	m->c = op(k, TR_C_INT, reg(k), TR_NONE);
	here(k, d);
	m->d = op(k, TR_C_INT, reg(k), TR_NONE);
	m->sync = k->p->ninsts;
	barrier(k, 0, 0, 0);
	branch(k, a, always, 0);
	m->e = k->p->ninsts;
	kernel_end(k);
	sim_config_default(&m->config);
	m->config.sm.warp_size = LANES;
	m->config.sm.threads = THREADS;
	if (sim_spec_params(spec, sim_warp_dwf.params, m->params, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(sim_warp_dwf.shape(&m->config, m->params, &shape, &err), 1);
	assert_int_equal(shape.slots, THREADS);
	assert_int_equal(shape.lanes, LANES);
	m->state = calloc(1, shape.state_bytes);
	assert_non_null(m->state);
	m->sm.front = (struct sim_front){.call = &services,
		.config = &m->config,
		.program = k->p,
		.warps = m->sm.warps,
		.nwarps = shape.slots,
		.threads = m->sm.threads,
		.nthreads = THREADS,
		.stride = stride};
	for (uint32_t w = 0; w < THREADS; w++)
		m->sm.warps[w].thread = m->sm.places[w];
	sim_warp_dwf.start(m->state, &m->sm.front, m->params);
}

static void bench_end(struct bench *m)
{
	free(m->state);
	tr_program_free(m->k.p);
}

/*
 * A warp issues the last instruction of its block, and its threads in `some` go to one place, the
 * others to another.
 */
static void block_ends(
	struct bench *m, uint32_t w, uint64_t now, uint32_t some, uint32_t to, uint32_t other)
{
	struct sim_warp *x = &m->sm.warps[w];
	const struct tr_block *b = &m->k.p->blocks[m->k.p->insts[x->pc].block];

	assert_int_equal(x->state, SIM_W_RUN);
	for (uint32_t lane = 0; lane < LANES; lane++)
		if (x->lanes.w[0] >> lane & 1) {
			const uint32_t t = x->thread[lane];

			m->sm.threads[t].pc = some >> t & 1 ? to : other;
		}
	x->pc = b->first + b->n - 1;
	x->to = m->k.p->insts[x->pc].nsucc > 1 ? TR_NONE : other;
	x->state = SIM_W_RESOLVE;
	m->sm.ready_at[w] = NOT_READY;
	sim_warp_dwf.next(m->state, &m->sm.front, w, now);
}

/* Threads of a warp, as a set; it checks that each is in its lane. */
static uint32_t threads_of(const struct bench *m, uint32_t w)
{
	const struct sim_warp *x = &m->sm.warps[w];
	uint32_t set = 0;

	assert_int_not_equal(x->state, SIM_W_FREE);
	for (uint32_t lane = 0; lane < LANES; lane++)
		if (x->lanes.w[0] >> lane & 1) {
			const uint32_t t = x->thread[lane];

			assert_int_equal((t + (m->params[5] ? t / LANES : 0)) % LANES, lane);
			set |= 1u << t;
		}
	return set;
}

/* The warp of a thread, which must stand at pc; SIM_NO_WARP: it is in none. */
static uint32_t warp_of(const struct bench *m, uint32_t thread, uint32_t pc)
{
	uint32_t found = SIM_NO_WARP;

	for (uint32_t w = 0; w < THREADS; w++)
		if (m->sm.warps[w].state != SIM_W_FREE && threads_of(m, w) >> thread & 1) {
			assert_int_equal(found, SIM_NO_WARP);
			found = w;
			assert_int_equal(m->sm.warps[w].pc, pc);
		}
	return found;
}

static void assert_warp(const struct bench *m, uint32_t pc, uint32_t set)
{
	const uint32_t w = warp_of(m, (uint32_t)__builtin_ctz(set), pc);

	assert_int_not_equal(w, SIM_NO_WARP);
	assert_int_equal(threads_of(m, w), set);
	assert_int_equal(m->sm.warps[w].state, SIM_W_RUN);
	assert_int_equal(m->sm.warps[w].active, __builtin_popcount(set));
}

static unsigned warps(const struct bench *m)
{
	unsigned n = 0;

	for (uint32_t w = 0; w < THREADS; w++)
		n += m->sm.warps[w].state != SIM_W_FREE;
	return n;
}

static uint32_t pick(struct bench *m, uint32_t ready)
{
	struct sim_bundle bundle = {0};
	struct sim_bits set;

	sim_bits_init(&set, THREADS);
	set.w[0] = ready;
	sim_warp_dwf.pick(m->state, &m->sm.front, &set, &bundle, 0);
	assert_int_equal(bundle.n, 1);
	return bundle.beat[0].warp;
}

static void arrive(struct bench *m, uint32_t cta, uint32_t n, uint64_t now)
{
	sim_warp_dwf.arrive(m->state, &m->sm.front, cta, cta * m->sm.front.stride, n, now);
}

/* ---- merging ---- */

/* Two warps part at A; what goes to B and to C makes one warp each. */
static void test_merge(void **state)
{
	struct bench m;

	(void)state;
	bench_start(&m, "dwf:ports=0", 8);
	arrive(&m, 0, 8, 1);
	assert_warp(&m, m.a, 0x0f);
	assert_warp(&m, m.a, 0xf0);
	block_ends(&m, 0, 10, 0x0c, m.c, m.b);
	assert_warp(&m, m.b, 0x03);
	assert_warp(&m, m.c, 0x0c);
	block_ends(&m, warp_of(&m, 4, m.a), 12, 0x30, m.c, m.b);
	assert_int_equal(warps(&m), 2);
	assert_warp(&m, m.b, 0xc3);
	assert_warp(&m, m.c, 0x3c);
	assert_int_equal(m.sm.ready_at[warp_of(&m, 0, m.b)], 12);
	bench_end(&m);
}

/* Threads of the same lane: what does not fit makes a new warp, and that one grows from now on. */
static void test_conflict(void **state)
{
	struct bench m;

	(void)state;
	bench_start(&m, "dwf:ports=0", 16);
	arrive(&m, 0, 16, 1);
	block_ends(&m, 0, 10, 0xffff & ~0x3u, m.c, m.b); /* threads 0 and 1 to B */
	block_ends(&m, warp_of(&m, 4, m.a), 11, 0xffff & ~0x60u, m.c, m.b);  /* 5 and 6 to B */
	assert_warp(&m, m.b, 0x43);                                          /* 6 had room, */
	assert_warp(&m, m.b, 0x20);                                          /* 5 had not */
	block_ends(&m, warp_of(&m, 8, m.a), 12, 0xffff & ~0x900u, m.c, m.b); /* 8 and 11 to B */
	assert_warp(&m, m.b, 0x43); /* 11 would have fitted here */
	assert_warp(&m, m.b, 0x920);
	assert_warp(&m, m.c, 0x01c); /* 7 had no room beside 3, so 9 and 10 are with it */
	assert_warp(&m, m.c, 0x680);
	bench_end(&m);
}

/* A warp that has issued, or has no place in the LUT any more, is not joined. */
static void test_no_merge(void **state)
{
	struct bench m;
	uint32_t w;

	(void)state;
	bench_start(&m, "dwf:ports=0", 16);
	arrive(&m, 0, 12, 1);
	block_ends(&m, 0, 10, 0xfff0, 0, m.b);
	w = warp_of(&m, 0, m.b);
	block_ends(&m, warp_of(&m, 4, m.a), 11, 0xe0, m.c, m.b);
	assert_warp(&m, m.b, 0x10); /* in thread 0's lane */
	m.sm.warps[w].pc++;
	w = warp_of(&m, 4, m.b);
	m.sm.warps[w].pc++; /* it issues */
	block_ends(&m, warp_of(&m, 8, m.a), 12, 0xd00, m.c, m.b);
	assert_warp(&m, m.b, 0x200);
	bench_end(&m);

	bench_start(&m, "dwf:ports=0,lut=1,ways=1", 16); /* one entry */
	arrive(&m, 0, 8, 1);
	block_ends(&m, 0, 10, 0xc, m.c, m.b);                    /* B, then C */
	block_ends(&m, warp_of(&m, 4, m.a), 12, 0x30, m.c, m.b); /* C, then B */
	assert_warp(&m, m.c, 0x3c);
	assert_warp(&m, m.b, 0x03);
	assert_warp(&m, m.b, 0xc0);
	bench_end(&m);
}

static void test_swizzle(void **state)
{
	struct bench m;

	(void)state;
	bench_start(&m, "dwf:ports=0", 8); /* even lanes to C: nothing fits together */
	arrive(&m, 0, 8, 1);
	block_ends(&m, 0, 10, 0x55, m.c, m.b);
	block_ends(&m, warp_of(&m, 4, m.a), 12, 0x55, m.c, m.b);
	assert_int_equal(warps(&m), 4);
	bench_end(&m);
	bench_start(&m, "dwf:ports=0,swizzle=1", 8); /* warp 1 is turned by one: all fits */
	arrive(&m, 0, 8, 1);
	block_ends(&m, 0, 10, 0x55, m.c, m.b);
	block_ends(&m, warp_of(&m, 4, m.a), 12, 0x55, m.c, m.b);
	assert_int_equal(warps(&m), 2);
	assert_warp(&m, m.c, 0x55);
	assert_warp(&m, m.b, 0xaa);
	bench_end(&m);
}

/* After an instruction within a block all go one way; those at the same one are put together. */
static void test_within_a_block(void **state)
{
	struct bench m;
	uint32_t w, x;

	(void)state;
	bench_start(&m, "dwf:ports=0", 8);
	arrive(&m, 0, 8, 1);
	block_ends(&m, 0, 10, 0xc, m.c, m.b);
	w = warp_of(&m, 0, m.b);
	m.sm.warps[w].state = SIM_W_RESOLVE; /* it issues */
	x = warp_of(&m, 4, m.a);
	block_ends(&m, x, 11, 0x30, m.c, m.b);
	assert_warp(&m, m.b, 0xc0);
	x = warp_of(&m, 6, m.b);
	m.sm.warps[x].state = SIM_W_RESOLVE;
	m.sm.warps[w].to = m.sm.warps[x].to = m.b + 1;
	sim_warp_dwf.next(m.state, &m.sm.front, w, 12);
	sim_warp_dwf.next(m.state, &m.sm.front, x, 13);
	assert_warp(&m, m.b + 1, 0xc3);
	assert_int_equal(warps(&m), 2);
	bench_end(&m);
}

static void test_exits(void **state)
{
	struct bench m;

	(void)state;
	bench_start(&m, "dwf:ports=0", 8);
	arrive(&m, 0, 7, 1);
	block_ends(&m, 0, 10, 0x3, TR_EXIT, m.b);
	assert_warp(&m, m.b, 0xc);
	block_ends(&m, warp_of(&m, 4, m.a), 11, 0x7f, TR_EXIT, m.b);
	assert_int_equal(warps(&m), 1);
	bench_end(&m);
}

/* Two warps of CTAs that do not fill theirs are one warp from the beginning. */
static void test_ctas_merge(void **state)
{
	struct bench m;

	(void)state;
	bench_start(&m, "dwf:ports=0", 4);
	arrive(&m, 0, 2, 1);
	arrive(&m, 1, 4, 2);
	assert_warp(&m, m.a, 0xc3); /* threads 4 and 5 are in the lanes of 0 and 1 */
	assert_warp(&m, m.a, 0x30);
	bench_end(&m);
}

/* ---- the port ---- */

static void test_port(void **state)
{
	struct bench m;
	uint32_t w[4];

	(void)state;
	bench_start(&m, "dwf:ports=1,lut=0", 16);
	for (unsigned i = 0; i < 4; i++) { /* tick: in every cycle that the SM is awake in */
		sim_warp_dwf.arrive(m.state, &m.sm.front, 0, 4 * i, 4, 1 + i);
		sim_warp_dwf.tick(m.state, &m.sm.front, 1 + i);
		w[i] = warp_of(&m, 4 * i, m.a);
		assert_int_equal(m.sm.ready_at[w[i]], 1 + i);
	}
	assert_int_equal(sim_warp_dwf.tick(m.state, &m.sm.front, 9), SIM_NEVER);
	/* Four warps at once: one a cycle, though each parts in two. */
	for (unsigned i = 0; i < 4; i++)
		block_ends(&m, w[i], 20, 0xf << (4 * i) & 0x8248, m.c, m.b);
	assert_int_equal(m.sm.ready_at[warp_of(&m, 0, m.b)], 20);
	assert_int_equal(m.sm.warps[w[1]].state, SIM_W_RESOLVE);
	for (unsigned i = 1; i < 4; i++) {
		assert_int_equal(m.sm.warps[w[i]].state, SIM_W_RESOLVE);
		assert_int_equal(sim_warp_dwf.tick(m.state, &m.sm.front, 19 + i),
			i < 3 ? 20 + i : SIM_NEVER);
		assert_int_not_equal(m.sm.warps[w[i]].state, SIM_W_RESOLVE);
		assert_int_equal(m.sm.ready_at[warp_of(&m, 4 * i, m.b)], 20 + i);
	}
	bench_end(&m);

	bench_start(&m, "dwf:ports=2,lut=0", 16); /* two a cycle */
	arrive(&m, 0, 16, 1);
	assert_int_equal(m.sm.ready_at[warp_of(&m, 4, m.a)], 1);
	sim_warp_dwf.tick(m.state, &m.sm.front, 1);
	assert_int_equal(m.sm.ready_at[warp_of(&m, 8, m.a)], 2);
	assert_int_equal(m.sm.ready_at[warp_of(&m, 12, m.a)], 2);
	bench_end(&m);
}

/* ---- warp barriers ---- */

/*
 * Warps of threads 0 to 3 and 4 to 7 part at A. Threads 0, 1, 6 and 7 make a warp in B, 2 to 5 one
 * in C. Both come to D, the post-dominator: the first warps are there again.
 */
static void test_warp_barrier(void **state)
{
	struct bench m;
	uint32_t b, c;

	(void)state;
	bench_start(&m, "dwf:ports=0,wb=1", 12);
	arrive(&m, 0, 12, 1);
	block_ends(&m, 0, 10, 0x0c, m.c, m.b);
	block_ends(&m, 1, 11, 0x30, m.c, m.b);
	block_ends(&m, 2, 12, 0, 0, m.b); /* goes one way: it neither joins nor is joined */
	b = warp_of(&m, 0, m.b);
	c = warp_of(&m, 2, m.c);
	assert_int_equal(threads_of(&m, b), 0xc3);
	assert_int_equal(threads_of(&m, c), 0x3c);
	assert_warp(&m, m.b, 0xf00);
	block_ends(&m, b, 20, 0, 0, m.d); /* 0, 1, 6, 7 wait, in no warp */
	assert_int_equal(warp_of(&m, 0, m.d), SIM_NO_WARP);
	assert_int_equal(warp_of(&m, 7, m.d), SIM_NO_WARP);
	assert_int_equal(warps(&m), 2);
	block_ends(&m, c, 30, 0, 0, m.d);
	assert_warp(&m, m.d, 0x0f);
	assert_warp(&m, m.d, 0xf0);
	assert_int_equal(warps(&m), 3);
	bench_end(&m);
}

/* Of a warp at D the threads that wait there stay, the rest goes on. */
static void test_mixed_barriers(void **state)
{
	struct bench m;
	uint32_t w;

	(void)state;
	bench_start(&m, "dwf:ports=0,wb=1", 8);
	arrive(&m, 0, 8, 1);
	/* Threads 4 to 7 part after D: their barrier is E. Two of them go round to A. */
	m.sm.warps[1].pc = m.d;
	block_ends(&m, 1, 10, 0x30, m.a, m.e);
	assert_int_equal(warps(&m), 2);
	assert_warp(&m, m.a, 0x30);
	/* These go on to C; 2 and 3, which part at A now, join them. */
	block_ends(&m, warp_of(&m, 4, m.a), 20, 0x30, m.c, m.b);
	block_ends(&m, 0, 21, 0x0c, m.c, m.b);
	w = warp_of(&m, 2, m.c);
	assert_int_equal(threads_of(&m, w), 0x3c);
	/* At D 2 and 3 wait, 4 and 5 go on. */
	block_ends(&m, w, 30, 0, 0, m.d);
	assert_int_equal(warp_of(&m, 2, m.d), SIM_NO_WARP);
	assert_warp(&m, m.d, 0x30);
	block_ends(&m, warp_of(&m, 0, m.b), 31, 0, 0, m.d);
	assert_warp(&m, m.d, 0x0f);
	/* 5 exits on the way, 4 comes to E: that is all of them. */
	w = warp_of(&m, 4, m.d);
	block_ends(&m, w, 40, 0x20, TR_EXIT, m.e);
	assert_warp(&m, m.e, 0xd0);
	/* The same with the exit last. */
	block_ends(&m, warp_of(&m, 0, m.d), 50, 0x2, m.a, m.e);
	assert_warp(&m, m.a, 0x02);
	assert_int_equal(warp_of(&m, 0, m.e), SIM_NO_WARP);
	block_ends(&m, warp_of(&m, 1, m.a), 60, 0x2, TR_EXIT, m.e);
	assert_warp(&m, m.e, 0x0d);
	assert_int_equal(warps(&m), 2);
	bench_end(&m);
}

/* ---- who goes first ---- */

/* Four warps that went different ways: 4 threads at B, 2 and 1 at C, 3 at D. */
static void four_warps(struct bench *m, const char *spec, uint32_t slot[4])
{
	bench_start(m, spec, 16);
	arrive(m, 0, 16, 1);
	block_ends(m, warp_of(m, 4, m->a), 10, 0xf0, m->c, 0); /* all to C, ... */
	block_ends(m, warp_of(m, 8, m->a), 11, 0xf00, m->c, 0);
	block_ends(m, warp_of(m, 0, m->a), 12, 0xf, m->b, 0);
	block_ends(m, warp_of(m, 12, m->a), 13, 0xf000, m->d, 0);
	slot[0] = warp_of(m, 0, m->b);
	slot[1] = warp_of(m, 4, m->c);
	slot[2] = warp_of(m, 8, m->c);
	slot[3] = warp_of(m, 12, m->d);
}

static uint32_t set_of(const uint32_t *slot, unsigned n)
{
	uint32_t set = 0;

	for (unsigned i = 0; i < n; i++)
		set |= 1u << slot[i];
	return set;
}

static void test_fifo(void **state)
{
	struct bench m;
	uint32_t w[4], all;

	(void)state;
	four_warps(&m, "dwf:policy=fifo,ports=0,lut=0", w);
	all = set_of(w, 4);
	assert_int_equal(pick(&m, all), w[1]);
	block_ends(&m, w[1], 20, 0, 0, m.d); /* as full as the one there: it is the latest */
	assert_int_equal(pick(&m, all), w[2]);
	assert_int_equal(pick(&m, all & ~(1u << w[2])), w[0]);
	assert_int_equal(pick(&m, all & ~(1u << w[2] | 1u << w[0])), w[3]);
	assert_int_equal(pick(&m, 1u << w[1]), w[1]);
	bench_end(&m);
}

static void test_pc(void **state)
{
	struct bench m;
	uint32_t w[4], all;

	(void)state;
	four_warps(&m, "dwf:policy=pc,ports=0,lut=0", w);
	all = set_of(w, 4);
	assert_int_equal(pick(&m, all), w[0]);
	assert_int_equal(pick(&m, all & ~(1u << w[0])), w[1]);
	block_ends(&m, w[1], 20, 0, 0, m.d);
	assert_int_equal(pick(&m, all & ~(1u << w[0])), w[2]);
	bench_end(&m);
}

/* The majority is at C, and stays it until it is dry, though there are more at B and D then. */
static void test_majority(void **state)
{
	struct bench m;
	uint32_t w[4], all;

	(void)state;
	four_warps(&m, "dwf:policy=majority,ports=0,lut=0", w);
	all = set_of(w, 4);
	assert_int_equal(pick(&m, all), w[1]);
	all &= ~(1u << w[1]);
	assert_int_equal(pick(&m, all), w[2]);
	all &= ~(1u << w[2]);
	assert_int_equal(pick(&m, all), w[0]); /* as many as at D, and the smaller PC */
	all &= ~(1u << w[0]);
	assert_int_equal(pick(&m, all), w[3]);
	bench_end(&m);
	four_warps(&m, "dwf:policy=minority,ports=0,lut=0", w);
	assert_int_equal(pick(&m, set_of(w, 4)), w[0]);
	assert_int_equal(pick(&m, set_of(w + 1, 3)), w[3]);
	assert_int_equal(pick(&m, set_of(w + 1, 2)), w[1]);
	bench_end(&m);
}

/*
 * Threads with fewer reconvergence points after them go first, before older and fuller warps. D is
 * one, and so is E; within D nothing is counted twice.
 */
static void test_pdom_priority(void **state)
{
	struct bench m;
	uint32_t w[4];

	(void)state;
	bench_start(&m, "dwf:policy=pdom,ports=0,lut=0", 16);
	arrive(&m, 0, 16, 1);
	for (unsigned i = 0; i < 4; i++)
		w[i] = warp_of(&m, 4 * i, m.a);
	block_ends(&m, w[3], 10, 0xf000, m.d, 0);
	block_ends(&m, w[0], 11, 0xf, m.b, 0);
	assert_int_equal(pick(&m, set_of(w, 4) & ~set_of(w + 1, 2)), w[0]);
	block_ends(&m, w[0], 20, 0, 0, m.d); /* now they are equal, and w[3] is older */
	assert_int_equal(pick(&m, 1u << w[0] | 1u << w[3]), w[3]);
	m.sm.warps[w[3]].to = m.d + 1;
	m.sm.warps[w[3]].state = SIM_W_RESOLVE;
	sim_warp_dwf.next(m.state, &m.sm.front, w[3], 21);
	block_ends(&m, w[1], 22, 0xf0, m.d, 0);
	assert_int_equal(pick(&m, 1u << w[1] | 1u << w[3]), w[3]); /* still equal */
	block_ends(&m, w[3], 23, 0xf000, TR_EXIT, 0);
	sim_warp_dwf.arrive(m.state, &m.sm.front, 0, 12, 4, 24); /* others in the same places */
	w[3] = warp_of(&m, 12, m.a);
	assert_int_equal(pick(&m, 1u << w[0] | 1u << w[3]), w[3]);
	block_ends(&m, w[3], 25, 0x1000, m.b, m.c); /* no point after them: the fuller one */
	assert_int_equal(
		pick(&m, 1u << w[0] | 1u << warp_of(&m, 13, m.c) | 1u << warp_of(&m, 12, m.b)),
		warp_of(&m, 13, m.c));
	bench_end(&m);
}

/* ---- barriers of CTAs ---- */

static void test_cta_barrier(void **state)
{
	struct sim_told told = {.what = SIM_TOLD_RELEASED, .now = 30};
	struct bench m;
	uint32_t w, x;

	(void)state;
	bench_start(&m, "dwf:policy=pc,ports=0", 4);
	arrive(&m, 0, 2, 1);
	arrive(&m, 1, 4, 2);
	w = warp_of(&m, 0, m.a);
	block_ends(&m, w, 10, 0xff, m.d, 0);
	w = warp_of(&m, 0, m.d);
	assert_int_equal(threads_of(&m, w), 0xc3);
	assert_true(sim_warp_dwf.asks(m.state, &m.sm.front, m.sync) & SIM_ASK_MAY);
	assert_false(sim_warp_dwf.asks(m.state, &m.sm.front, m.d) & SIM_ASK_MAY);
	m.sm.warps[w].pc = m.sync;
	assert_int_equal(sim_warp_dwf.may(m.state, &m.sm.front, w, 20), SIM_NOT_NOW);
	assert_warp(&m, m.sync, 0x03);
	assert_warp(&m, m.sync, 0xc0);
	assert_int_equal(m.sm.ready_at[w], 21);
	assert_int_equal(sim_warp_dwf.may(m.state, &m.sm.front, w, 21), SIM_GO);
	x = warp_of(&m, 6, m.sync);
	assert_int_equal(sim_warp_dwf.may(m.state, &m.sm.front, x, 21), SIM_GO);
	/* CTA 1 is let go on: its warp goes before all others, once. */
	told.warp = x;
	sim_warp_dwf.told(m.state, &m.sm.front, &told);
	w = warp_of(&m, 4, m.a);
	assert_int_equal(pick(&m, 1u << x | 1u << w), x);
	assert_int_equal(pick(&m, 1u << x | 1u << w), w);
	bench_end(&m);
}

/* After a barrier the warp keeps its threads, and is not joined. */
static void test_after_a_barrier(void **state)
{
	struct bench m;
	uint32_t w;

	(void)state;
	bench_start(&m, "dwf:ports=0", 8);
	arrive(&m, 0, 8, 1);
	w = warp_of(&m, 0, m.a);
	m.sm.warps[w].pc = m.sync;
	m.sm.warps[w].to = m.sync + 1;
	m.sm.warps[w].state = SIM_W_RESOLVE;
	sim_warp_dwf.next(m.state, &m.sm.front, w, 10);
	assert_int_equal(m.sm.warps[w].pc, m.sync + 1);
	assert_int_equal(threads_of(&m, w), 0x0f);
	m.sm.warps[1].pc = m.sync - 1;
	m.sm.warps[1].to = m.sync + 1;
	m.sm.warps[1].lanes.w[0] = 0xf;
	m.sm.warps[w].lanes.w[0] = 0x3; /* there would be room */
	m.sm.warps[1].state = SIM_W_RESOLVE;
	sim_warp_dwf.next(m.state, &m.sm.front, 1, 11);
	assert_int_equal(threads_of(&m, w), 0x03);
	bench_end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lut_ways),
		cmocka_unit_test(test_ideal_lut),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_conflict),
		cmocka_unit_test(test_no_merge),
		cmocka_unit_test(test_swizzle),
		cmocka_unit_test(test_within_a_block),
		cmocka_unit_test(test_exits),
		cmocka_unit_test(test_ctas_merge),
		cmocka_unit_test(test_port),
		cmocka_unit_test(test_warp_barrier),
		cmocka_unit_test(test_mixed_barriers),
		cmocka_unit_test(test_fifo),
		cmocka_unit_test(test_pc),
		cmocka_unit_test(test_majority),
		cmocka_unit_test(test_pdom_priority),
		cmocka_unit_test(test_cta_barrier),
		cmocka_unit_test(test_after_a_barrier),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
