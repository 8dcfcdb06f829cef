/*
 * Comprehensive reincarnation-based warping: its tables against plain lists, its steps on slide
 * 18's example, and kernels small enough to be counted on paper.
 */
#include "tests/unit/tangle.h"
#include "sim/warp/crown_tables.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t rng;

static uint32_t dice(uint32_t n)
{
	rng = rng * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((rng >> 33) % n);
}

/* ---- tables ---- */

#define WARPS 64
#define PCS 20

/* A lookup of a few rows, against the list of its warps with the last used one in front. */
static void test_lookup(void **state)
{
	static uint64_t storage[1024];

	(void)state;
	for (uint32_t rows = 0; rows <= 9; rows += 3) {
		uint32_t pc[PCS], warp[PCS], n = 0, next = 0;
		struct sim_crown_lookup l;

		assert_true(sim_crown_lookup_bytes(rows, WARPS) <= sizeof(storage));
		sim_crown_lookup_init(&l, storage, rows, WARPS);
		rng = rows;
		for (int round = 0; round < 20000; round++) {
			const uint32_t want = dice(PCS);
			uint32_t at = 0, found, goes = SIM_NO_WARP;

			while (at < n && pc[at] != want)
				at++;
			found = at < n ? warp[at] : SIM_NO_WARP;
			assert_int_equal(sim_crown_lookup_find(&l, want), found);
			if (found != SIM_NO_WARP) { /* it is the last used one */
				memmove(pc + 1, pc, at * sizeof(*pc));
				memmove(warp + 1, warp, at * sizeof(*warp));
				pc[0] = want;
				warp[0] = found;
			}
			if (found != SIM_NO_WARP && dice(3))
				continue;
			if (found != SIM_NO_WARP) {
				sim_crown_lookup_drop(&l, found);
				memmove(pc, pc + 1, --n * sizeof(*pc));
				memmove(warp, warp + 1, n * sizeof(*warp));
				assert_false(sim_crown_lookup_has(&l, found));
			} else if (rows) {
				if (n == rows)
					goes = warp[--n];
				memmove(pc + 1, pc, n * sizeof(*pc));
				memmove(warp + 1, warp, n * sizeof(*warp));
				n++;
				pc[0] = want;
				warp[0] = next;
			}
			if (found == SIM_NO_WARP) {
				assert_int_equal(sim_crown_lookup_put(&l, want, next), goes);
				assert_int_equal(sim_crown_lookup_has(&l, next), rows != 0);
				next = (next + 1) % WARPS;
			}
			assert_int_equal(l.used, n);
		}
	}
}

/* Two barriers, one within the other: threads wait in the inner one, then in the outer. */
static void test_barriers_nest(void **state)
{
	static const uint16_t thread[] = {0, 1, 2, 3};
	static uint64_t storage[256];
	const struct sim_mask all = {{0xf}}, some = {{0x6}};
	struct sim_crown_barriers b;
	uint16_t out[4];
	uint32_t row, pc;

	(void)state;
	assert_true(sim_crown_barriers_bytes(4, 4, 16) <= sizeof(storage));
	sim_crown_barriers_init(&b, storage, 4, 2, 4, 16);
	assert_int_equal(sim_crown_barrier_pc(&b, 1), TR_NONE);
	assert_int_equal(sim_crown_barrier_reserve(&b, 5, 100, &all, thread), 1);
	assert_int_equal(sim_crown_barrier_reserve(&b, 1, 50, &some, thread), 1);
	assert_int_equal(sim_crown_barrier_reserve(&b, 3, 70, &some, thread), 0); /* a full set */
	assert_int_equal(sim_crown_barrier_pc(&b, 0), 100);
	assert_int_equal(sim_crown_barrier_pc(&b, 1), 50);
	assert_int_equal(sim_crown_barrier_come(&b, 1, 1, &row), 0);
	assert_int_equal(sim_crown_barrier_come(&b, 2, 2, &row), 1);
	assert_int_equal(b.waiting, 2);
	assert_int_equal(sim_crown_barrier_open(&b, row, &pc, out).w[0], 0x6);
	assert_int_equal(pc, 50);
	assert_int_equal(out[2], 2);
	assert_int_equal(sim_crown_barrier_pc(&b, 1), 100);
	assert_int_equal(sim_crown_barrier_come(&b, 0, 0, &row), 0);
	assert_int_equal(sim_crown_barrier_come(&b, 1, 1, &row), 0);
	assert_int_equal(sim_crown_barrier_come(&b, 2, 2, &row), 0);
	assert_int_equal(sim_crown_barrier_come(&b, 3, 3, &row), 1);
	assert_int_equal(sim_crown_barrier_open(&b, row, &pc, out).w[0], 0xf);
	assert_int_equal(b.waiting, 0);
	for (uint32_t t = 0; t < 4; t++)
		assert_int_equal(sim_crown_barrier_pc(&b, t), TR_NONE);
	/* Both rows are free again. */
	assert_int_equal(sim_crown_barrier_reserve(&b, 1, 50, &some, thread), 1);
	assert_int_equal(sim_crown_barrier_reserve(&b, 1, 60, &all, thread), 1);
	assert_int_equal(sim_crown_barrier_reserve(&b, 1, 70, &all, thread), 0);
}

/* Known answer c7: bits of slide 49's rows, and those of slide 64's second level. */
static void test_storage(void **state)
{
	const struct sim_crown_bits bits = sim_crown_bits(1024, 8);

	(void)state;
	assert_int_equal(bits.barrier, 96);
	assert_int_equal(bits.level2, 90);
	assert_int_equal(bits.lookup, 88);
	assert_int_equal(128 * bits.barrier + 512 * bits.level2 + 16 * bits.lookup, 59776);
	assert_int_equal(128 * bits.barrier + 256 * bits.level2 + 16 * bits.lookup, 36736);
}

/* ---- an SM that gives out slots ---- */

#define LANES 4
#define THREADS 32

struct bench {
	struct sim_front front;
	struct sim_warp warps[THREADS];
	uint16_t places[THREADS][LANES];
	struct sim_thread threads[THREADS];
	uint64_t counts[SIM_COUNTERS];
	uint32_t inherits;
	struct kernel k;
	uint32_t a, b, c, d; /* blocks */
	struct sim_config config;
	int64_t params[SIM_PARAMS];
	void *state;
	uint64_t now;
};

extern const struct sim_warp_policy sim_warp_crown;
#define POLICY sim_warp_crown

static struct bench *bench_of(struct sim_front *front)
{
	return (struct bench *)front;
}

static uint32_t take(struct sim_front *front, uint32_t cta)
{
	struct bench *m = bench_of(front);
	uint32_t w = 0;

	while (m->warps[w].state != SIM_W_FREE)
		w++;
	assert_true(w < THREADS);
	m->warps[w] = (struct sim_warp){.state = SIM_W_RUN, .cta = cta, .thread = m->places[w]};
	return w;
}

static void drop(struct sim_front *front, uint32_t w)
{
	bench_of(front)->warps[w].state = SIM_W_FREE;
}

static void ready(struct sim_front *front, uint32_t w, uint64_t at)
{
	struct bench *m = bench_of(front);

	(void)at;
	m->warps[w].state = SIM_W_RUN;
	m->warps[w].active = sim_lanes(&m->warps[w].lanes);
	assert_true(m->warps[w].active > 0);
}

static void inherit(struct sim_front *front, uint32_t w, uint32_t from)
{
	(void)w;
	(void)from;
	bench_of(front)->inherits++;
}

static const struct sim_services services = {
	.take = take, .drop = drop, .ready = ready, .inherit = inherit};

/* A: branch to C. B: a load in it; jump to D. C. D. */
static void bench_start(struct bench *m, const char *spec)
{
	struct kernel *k = &m->k;
	struct sim_shape shape = {0};
	struct tr_err err;
	uint32_t c, d;

	memset(m, 0, sizeof(*m));
	kernel_begin(k, "slide 18");
	c = label(k);
	d = label(k);
	m->a = op(k, TR_C_INT, reg(k), TR_NONE);
	branch(k, c, always, 0);
	m->b = load(k, reg(k), TR_NONE, words, 0);
	op(k, TR_C_INT, reg(k), TR_NONE);
	jump(k, d);
	here(k, c);
	m->c = op(k, TR_C_INT, reg(k), TR_NONE);
	op(k, TR_C_INT, reg(k), TR_NONE);
	here(k, d);
	m->d = op(k, TR_C_INT, reg(k), TR_NONE);
	kernel_end(k);
	sim_config_default(&m->config);
	m->config.sm.simd_width = LANES;
	m->config.sm.threads = THREADS;
	if (sim_spec_params(spec, POLICY.params, m->params, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(POLICY.shape(&m->config, m->params, &shape, &err), 1);
	assert_int_equal(shape.slots, THREADS);
	assert_int_equal(shape.lanes, LANES);
	m->state = calloc(1, shape.state_bytes);
	assert_non_null(m->state);
	m->front = (struct sim_front){.call = &services,
		.config = &m->config,
		.program = k->p,
		.warps = m->warps,
		.nwarps = shape.slots,
		.threads = m->threads,
		.nthreads = THREADS,
		.stride = THREADS,
		.counts = m->counts};
	POLICY.start(m->state, &m->front, m->params);
}

static void bench_end(struct bench *m)
{
	free(m->state);
	tr_program_free(m->k.p);
}

static uint64_t counted(const struct bench *m, const char *name)
{
	for (unsigned i = 0; POLICY.counters[i].name; i++)
		if (!strcmp(POLICY.counters[i].name, name))
			return m->counts[i];
	fail_msg("no counter %s", name);
	return 0;
}

/* Threads of a warp, as a set; it checks that each is in its lane. */
static uint32_t threads_of(const struct bench *m, uint32_t w)
{
	const struct sim_warp *x = &m->warps[w];
	uint32_t set = 0;

	for (uint32_t lane = 0; lane < LANES; lane++)
		if (x->lanes.w[0] >> lane & 1) {
			assert_int_equal(x->thread[lane] % LANES, lane);
			set |= 1u << x->thread[lane];
		}
	return set;
}

/* The warp of a thread at pc; SIM_NO_WARP: it is in none. */
static uint32_t warp_of(const struct bench *m, uint32_t thread, uint32_t pc)
{
	uint32_t found = SIM_NO_WARP;

	for (uint32_t w = 0; w < THREADS; w++)
		if (m->warps[w].state != SIM_W_FREE && threads_of(m, w) >> thread & 1) {
			assert_int_equal(found, SIM_NO_WARP);
			found = w;
			assert_int_equal(m->warps[w].pc, pc);
		}
	return found;
}

static void assert_warp(const struct bench *m, uint32_t pc, uint32_t set)
{
	const uint32_t w = warp_of(m, (uint32_t)__builtin_ctz(set), pc);

	assert_int_not_equal(w, SIM_NO_WARP);
	assert_int_equal(threads_of(m, w), set);
}

static unsigned warps(const struct bench *m)
{
	unsigned n = 0;

	for (uint32_t w = 0; w < THREADS; w++)
		n += m->warps[w].state != SIM_W_FREE;
	return n;
}

/*
 * The warp of a thread at pc issues its block to the end; the threads of `some` go to one place,
 * the others to another.
 */
static void block_ends(
	struct bench *m, uint32_t thread, uint32_t pc, uint32_t some, uint32_t to, uint32_t other)
{
	const uint32_t w = warp_of(m, thread, pc);
	struct sim_warp *x = &m->warps[w];
	const struct tr_block *b = &m->k.p->blocks[m->k.p->insts[x->pc].block];

	for (uint32_t lane = 0; lane < LANES; lane++)
		if (x->lanes.w[0] >> lane & 1)
			m->threads[x->thread[lane]].pc = some >> x->thread[lane] & 1 ? to : other;
	x->pc = b->first + b->n - 1;
	x->to = m->k.p->insts[x->pc].nsucc > 1 ? TR_NONE : other;
	x->state = SIM_W_RESOLVE;
	POLICY.next(m->state, &m->front, w, ++m->now);
	POLICY.tick(m->state, &m->front, m->now);
}

static void arrive(struct bench *m, uint32_t n)
{
	POLICY.arrive(m->state, &m->front, 0, 0, n, m->now);
}

/* A warp is picked, alone: it issues, and is joined by nobody any more. */
static void picked(struct bench *m, uint32_t w)
{
	struct sim_bundle bundle = {0};
	struct sim_bits set;

	sim_bits_init(&set, THREADS);
	sim_bits_set(&set, w);
	POLICY.pick(m->state, &m->front, &set, &bundle, m->now);
	assert_int_equal(bundle.n, 1);
	assert_int_equal(bundle.beat[0].warp, w);
}

/* ---- slide 18 ---- */

#define SOME(t) (1u << (t))

/* Known answer c1: warps of threads 0 to 3 and 4 to 7; 1, 2 and 7 go to B, the others to C. */
static void test_slide_18(void **state)
{
	const uint32_t to_c = SOME(0) | SOME(3) | SOME(4) | SOME(5) | SOME(6);
	struct bench m;

	(void)state;
	bench_start(&m, "crown");
	arrive(&m, 8);
	assert_warp(&m, m.a, 0x0f);
	assert_warp(&m, m.a, 0xf0);
	block_ends(&m, 0, m.a, to_c, m.c, m.b);
	assert_warp(&m, m.c, SOME(0) | SOME(3));
	assert_warp(&m, m.b, SOME(1) | SOME(2));
	block_ends(&m, 4, m.a, to_c, m.c, m.b);
	assert_warp(&m, m.b, SOME(1) | SOME(2) | SOME(7));
	assert_warp(&m, m.c, SOME(0) | SOME(5) | SOME(6) | SOME(3));
	assert_warp(&m, m.c, SOME(4));
	assert_int_equal(warps(&m), 3);
	assert_int_equal(counted(&m, "reconv_barriers"), 2);
	/* The barriers of D: 1001 and 0110 are there, then 1111 and 0111, then 1111. */
	block_ends(&m, 0, m.c, 0, m.d, m.d);
	assert_int_equal(warps(&m), 2);
	assert_int_equal(counted(&m, "reincarnations"), 0);
	block_ends(&m, 1, m.b, 0, m.d, m.d);
	assert_int_equal(warps(&m), 2);
	assert_warp(&m, m.d, 0x0f);
	block_ends(&m, 4, m.c, 0, m.d, m.d);
	assert_int_equal(warps(&m), 2);
	assert_warp(&m, m.d, 0xf0);
	assert_int_equal(counted(&m, "reincarnations"), 2);
	bench_end(&m);
}

/* Rule 4: of two warps of a PC the fuller leaves the lookup, and of equals the older. */
static void test_fuller_leaves(void **state)
{
	struct bench m;

	(void)state;
	bench_start(&m, "crown");
	arrive(&m, 16);
	block_ends(&m, 0, m.a, 0x1, m.c, m.b);     /* {0} to C */
	block_ends(&m, 4, m.a, 0x70, m.c, m.b);    /* {4 5 6}: {0 5 6} and {4}, which stays */
	block_ends(&m, 8, m.a, 0x300, m.c, m.b);   /* {8 9}: {4 9} and {8}, which stays */
	block_ends(&m, 12, m.a, 0x6000, m.c, m.b); /* {13 14} join it */
	assert_warp(&m, m.c, 0x0061);
	assert_warp(&m, m.c, 0x0210);
	assert_warp(&m, m.c, 0x6100);
	bench_end(&m);

	bench_start(&m, "crown");
	arrive(&m, 12);
	block_ends(&m, 0, m.a, 0x1, m.c, m.b);   /* {0} */
	block_ends(&m, 4, m.a, 0x10, m.c, m.b);  /* {4} has its lane: the older one leaves */
	block_ends(&m, 8, m.a, 0x200, m.c, m.b); /* {9} joins the newer */
	assert_warp(&m, m.c, 0x210);
	bench_end(&m);
}

/* A warp that was picked is joined no more; nor is one that the lookup has put out. */
static void test_leaves_lookup(void **state)
{
	struct bench m;

	(void)state;
	bench_start(&m, "crown");
	arrive(&m, 8);
	block_ends(&m, 0, m.a, 0x1, m.c, m.b);
	picked(&m, warp_of(&m, 0, m.c));
	block_ends(&m, 4, m.a, 0x20, m.c, m.b);
	assert_warp(&m, m.c, 0x01);
	assert_warp(&m, m.c, 0x20);
	assert_int_equal(counted(&m, "lookup_evictions"), 0);
	bench_end(&m);

	bench_start(&m, "crown:ready=1");
	arrive(&m, 8);
	block_ends(&m, 0, m.a, 0x1, m.c, m.b); /* C, which B puts out */
	block_ends(&m, 4, m.a, 0x20, m.c, m.b);
	assert_warp(&m, m.c, 0x01);
	assert_warp(&m, m.c, 0x20);
	assert_warp(&m, m.b, 0x0e);
	assert_int_equal(counted(&m, "lookup_evictions"), 3);
	bench_end(&m);

	bench_start(&m, "crown:ready=none");
	arrive(&m, 8);
	block_ends(&m, 0, m.a, 0x1, m.c, m.b);
	block_ends(&m, 4, m.a, 0x20, m.c, m.b);
	assert_int_equal(warps(&m), 4);
	assert_int_equal(counted(&m, "warp_merges"), 0);
	bench_end(&m);
}

static void tell(struct bench *m, enum sim_what what, uint32_t w)
{
	const struct sim_told told = {.what = what, .warp = w, .inst = m->b, .now = m->now};

	POLICY.told(m->state, &m->front, &told);
}

/* Diverged warps whose loads miss at one PC are put together; those that have their data are not.
 */
static void test_waiting(void **state)
{
	struct bench m;
	uint32_t first, second, third;

	(void)state;
	bench_start(&m, "crown:ready=none");
	arrive(&m, 12);
	block_ends(&m, 0, m.a, 0xc, m.c, m.b);
	block_ends(&m, 4, m.a, 0x30, m.c, m.b);
	block_ends(&m, 8, m.a, 0x700, m.c, m.b);
	first = warp_of(&m, 0, m.b);
	second = warp_of(&m, 6, m.b);
	third = warp_of(&m, 11, m.b);
	m.warps[first].pc = m.warps[second].pc = m.warps[third].pc = m.b + 1;
	tell(&m, SIM_TOLD_MISSED, first);
	tell(&m, SIM_TOLD_MISSED, first); /* its next transaction */
	tell(&m, SIM_TOLD_MISSED, second);
	assert_warp(&m, m.b + 1, 0xc3);
	assert_int_equal(m.inherits, 1);
	assert_int_equal(counted(&m, "waiting_merges"), 1);
	tell(&m, SIM_TOLD_MISSED, third); /* its lane is taken, and the warp is full */
	assert_warp(&m, m.b + 1, 0x800);
	bench_end(&m);

	bench_start(&m, "crown:ready=none");
	arrive(&m, 8);
	block_ends(&m, 0, m.a, 0xc, m.c, m.b);
	block_ends(&m, 4, m.a, 0x30, m.c, m.b);
	first = warp_of(&m, 0, m.b);
	second = warp_of(&m, 6, m.b);
	m.warps[first].pc = m.warps[second].pc = m.b + 1;
	tell(&m, SIM_TOLD_MISSED, first);
	tell(&m, SIM_TOLD_DATA, first);
	tell(&m, SIM_TOLD_MISSED, second);
	assert_warp(&m, m.b + 1, 0x03);
	assert_warp(&m, m.b + 1, 0xc0);
	bench_end(&m);
}

/* A diverged warp stands while the second level has no rows, and where nothing else goes on it
 * goes. */
static void test_level2_full(void **state)
{
	struct bench m;
	uint32_t w;

	(void)state;
	bench_start(&m, "crown:ready=none,level2=2");
	arrive(&m, 8);
	w = warp_of(&m, 4, m.a);
	block_ends(&m, 0, m.a, 0x3, m.c, m.b);
	assert_warp(&m, m.a + 1, 0x0f); /* it would take a third row */
	assert_int_equal(counted(&m, "level2_stood"), 1);
	m.warps[w].state = SIM_W_BARRIER;
	POLICY.tick(m.state, &m.front, ++m.now);
	assert_warp(&m, m.c, 0x03);
	assert_warp(&m, m.b, 0x0c);
	assert_int_equal(counted(&m, "level2_stood"), 1);
	assert_int_equal(counted(&m, "level2_overflows"), 1);
	bench_end(&m);
}

/* leave=dry: what stands in the ready lookup is picked when nothing else can be. */
static void test_leave(void **state)
{
	struct bench m;

	(void)state;
	for (int dry = 0; dry < 2; dry++) {
		struct sim_bundle bundle = {0};
		struct sim_bits can;
		uint32_t diverged, whole;

		bench_start(&m, dry ? "crown:leave=dry,pool=1" : "crown:pool=1");
		arrive(&m, 8);
		whole = warp_of(&m, 4, m.a);
		block_ends(&m, 0, m.a, 0xc, m.c, m.b);
		diverged = warp_of(&m, 0, m.b);
		sim_bits_init(&can, THREADS);
		sim_bits_set(&can, whole);
		sim_bits_set(&can, diverged);
		for (uint32_t i = 0; i < 2; i++) {
			const uint32_t first = diverged < whole ? diverged : whole;
			const uint32_t want = (dry ? whole : first) ^ (i ? whole ^ diverged : 0);

			POLICY.pick(m.state, &m.front, &can, &bundle, 0);
			assert_int_equal(bundle.beat[0].warp, want);
			sim_bits_clear(&can, want);
		}
		bench_end(&m);
	}
}

/* ---- kernels ---- */

#define W 8 /* lanes of the SIMD */
#define MACHINE "sm.simd_width=8 sm.one_in_flight=yes"

/* Warp instructions of [from, to). */
static uint64_t issues(const struct trial *t, uint32_t from, uint32_t to)
{
	uint64_t n = 0;

	for (uint32_t i = from; i < to; i++)
		n += t->stats[0].insts[i].warp_insts;
	return n;
}

static uint64_t of_policy(const struct trial *t, const char *name)
{
	const int c = sim_stats_counter(&t->stats[0], name);

	assert_true(c >= 0);
	return t->stats[0].policy[c];
}

/* A branch, two arms of n instructions (one has a jump more), and d behind them. */
struct arms {
	struct kernel k;
	uint32_t first, d; /* instructions: the first of an arm, the first behind both */
};

static void arms_begin(struct arms *a, record_fn taken, unsigned n)
{
	const uint32_t other = (kernel_begin(&a->k, "arms"), label(&a->k)), end = label(&a->k);

	branch(&a->k, other, taken, 0);
	a->first = a->k.p->ninsts;
	chain(&a->k, n);
	jump(&a->k, end);
	here(&a->k, other);
	chain(&a->k, n + 1);
	here(&a->k, end);
	a->d = a->k.p->ninsts;
	chain(&a->k, 3);
	kernel_end(&a->k);
}

static uint64_t slide_18(const struct at *a)
{
	return !(0x86 >> a->thread & 1);
}

static uint64_t lane_parity(const struct at *a)
{
	return a->thread % 2;
}

/* Half of each warp, by turns the one and the other. */
static uint64_t halves(const struct at *a)
{
	return (a->thread / (W / 2) + a->thread / W) % 2;
}

static void run_arms(const struct arms *a, uint32_t threads, const char *settings, const char *warp,
	struct trial *t)
{
	struct trace trace = record(&a->k, 1, threads);

	trial_begin(t, settings);
	trial_policies(t, "lrr", warp);
	trial_must_run(t, &trace);
	assert_int_equal(t->res.total.path_hash, walked_paths(&trace));
	free(trace.bytes);
}

/* c1: a warp for B and two for C, where warps of a stack issue two and two; D by two. */
static void test_slide_18_issues(void **state)
{
	static const struct {
		const char *warp;
		unsigned arms;
	} cases[] = {{"fixed:4", 4}, {"crown", 3}, {"crown:ready=none", 4}};
	const unsigned n = 5;
	struct arms a;
	struct trial t;

	(void)state;
	arms_begin(&a, slide_18, n - 1);
	for (unsigned i = 0; i < COUNT(cases); i++) {
		run_arms(&a, 8, "sm.simd_width=4 sm.one_in_flight=yes", cases[i].warp, &t);
		assert_int_equal(issues(&t, a.first, a.d), cases[i].arms * n);
		assert_int_equal(issues(&t, a.d, a.d + 3), 2 * 3);
		trial_end(&t);
	}
	tr_program_free(a.k.p);
}

/* c2: the same lanes go to the same side in all warps, and nothing merges. */
static void test_aligned(void **state)
{
	struct arms a;
	struct trial t;

	(void)state;
	arms_begin(&a, lane_parity, 4);
	for (uint32_t warps = 1; warps <= 16; warps *= 2) {
		uint64_t n;

		run_arms(&a, W * warps, MACHINE, "fixed:8", &t);
		n = t.stats[0].warp_insts;
		trial_end(&t);
		run_arms(&a, W * warps, MACHINE, "crown", &t);
		assert_int_equal(t.stats[0].warp_insts, n);
		assert_int_equal(of_policy(&t, "warp_merges"), 0);
		assert_int_equal(of_policy(&t, "reincarnations"), warps);
		trial_end(&t);
	}
	tr_program_free(a.k.p);
}

/* c3: two warps with complementary halves make a full warp for each arm. */
static void test_complementary(void **state)
{
	struct arms a;
	struct trial t;

	(void)state;
	for (unsigned n = 2; n <= 20; n += 6) {
		arms_begin(&a, halves, n - 1);
		run_arms(&a, 2 * W, MACHINE, "fixed:8", &t);
		assert_int_equal(issues(&t, a.first, a.d), 4 * n);
		trial_end(&t);
		run_arms(&a, 2 * W, MACHINE, "crown", &t);
		assert_int_equal(issues(&t, a.first, a.d), 2 * n);
		assert_int_equal(issues(&t, a.d, a.d + 3), 2 * 3);
		assert_int_equal(of_policy(&t, "warp_merges"), 2);
		assert_int_equal(of_policy(&t, "merged_threads"), W);
		trial_end(&t);
		tr_program_free(a.k.p);
	}
}

/* c4: K warps of one set of barriers diverge before the first has met: K - ways are refused. */
static void test_set_full(void **state)
{
	struct arms a;
	struct trial t;

	(void)state;
	arms_begin(&a, lane_parity, 40);
	for (uint32_t warps = 6; warps <= 12; warps += 2) {
		const uint32_t refused = warps > 8 ? warps - 8 : 0;

		run_arms(&a, W * warps, MACHINE, "crown:barriers=8", &t);
		assert_int_equal(of_policy(&t, "reconv_refused"), refused);
		assert_int_equal(of_policy(&t, "reconv_barriers"), warps - refused);
		assert_int_equal(of_policy(&t, "reincarnations"), warps - refused);
		trial_end(&t);
		run_arms(&a, W * warps, MACHINE, "crown:barriers=16", &t); /* two sets */
		assert_int_equal(of_policy(&t, "reconv_refused"), 0);
		trial_end(&t);
	}
	run_arms(&a, W * 12, MACHINE, "crown:barriers=0", &t);
	assert_int_equal(of_policy(&t, "reconv_refused"), 0);
	trial_end(&t);
	run_arms(&a, W * 12, MACHINE, "crown:barriers=none", &t);
	assert_int_equal(of_policy(&t, "reconv_refused"), 12);
	assert_int_equal(of_policy(&t, "reincarnations"), 0);
	trial_end(&t);
	tr_program_free(a.k.p);
}

/*
 * Slide 67: warps without a barrier are dwf's. The two parts of a warp that comes to D without one
 * are taken in by others' there; with refused=branch nobody looks for them until they diverge
 * again.
 */
static void test_refused(void **state)
{
	const uint32_t warps = 12;
	struct arms a;
	struct trial t;

	(void)state;
	arms_begin(&a, lane_parity, 9);
	run_arms(&a, W * warps, MACHINE, "crown:barriers=none,refused=branch", &t);
	assert_int_equal(of_policy(&t, "warp_merges"), 0);
	assert_int_equal(issues(&t, a.d, a.d + 3), 2 * warps * 3);
	trial_end(&t);
	run_arms(&a, W * warps, MACHINE, "crown:barriers=none", &t);
	assert_true(of_policy(&t, "warp_merges") > 0);
	assert_true(issues(&t, a.d, a.d + 3) < 2 * warps * 3);
	assert_int_equal(of_policy(&t, "merged_threads") % (W / 2), 0);
	trial_end(&t);
	tr_program_free(a.k.p);
}

static uint64_t more_trips(const struct at *a)
{
	return a->visit < a->x;
}

static uint64_t uneven_trips(const struct at *a)
{
	return a->visit < a->x - a->thread % 5;
}

static uint64_t coin(const struct at *a)
{
	return (a->thread * 2654435761u + a->visit * 40503u + a->x * 977u) >> 7 & 1;
}

/*
 * c5: a loop of 100 trips with a divergent body; threads of a warp leave it after different trips.
 * With the barrier behind the loop a warp has two at once, never more.
 */
static void test_loop(void **state)
{
	for (int uneven = 0; uneven < 2; uneven++) {
		struct kernel k;
		struct trial t;
		struct trace trace;
		uint32_t top, skip;

		(void)state;
		kernel_begin(&k, "loop");
		top = label(&k);
		skip = label(&k);
		here(&k, top);
		branch(&k, skip, coin, 0);
		chain(&k, 2);
		here(&k, skip);
		chain(&k, 1);
		branch(&k, top, uneven ? uneven_trips : more_trips, 99);
		chain(&k, 2);
		kernel_end(&k);
		trace = record(&k, 1, 4 * W);
		trial_begin(&t, MACHINE);
		trial_policies(&t, "lrr", uneven ? "crown:barriers=8" : "crown:barriers=4,ways=4");
		trial_must_run(&t, &trace);
		assert_int_equal(of_policy(&t, "reconv_refused"), 0);
		assert_true(of_policy(&t, "reincarnations") > 4 * 90);
		assert_int_equal(of_policy(&t, "reincarnations"), of_policy(&t, "reconv_barriers"));
		assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
		if (!uneven) /* without it the warps are whole again after each trip */
			assert_int_equal(issues(&t, k.p->ninsts - 3, k.p->ninsts), 4 * 3);
		trial_end(&t);
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

#define TRIPS 20
#define EDDY_WARPS 8
#define LONE 37 /* the thread that falls behind */

static uint64_t falls_behind(const struct at *a)
{
	return a->thread == LONE && a->visit == 3;
}

/* c6: a thread takes a detour in one trip. Under dwf it stays behind; here its warp waits. */
static void test_starvation_eddy(void **state)
{
	static const struct {
		const char *warp;
		int alone;
	} cases[] = {{"fixed:8", 0}, {"dwf", 1}, {"crown", 0}, {"crown:barriers=none", 1}};
	struct kernel k;
	struct trace trace;
	struct trial t;
	uint32_t top, detour, d, first;

	(void)state;
	kernel_begin(&k, "eddy");
	top = label(&k);
	detour = label(&k);
	d = label(&k);
	here(&k, top);
	op(&k, TR_C_INT, reg(&k), TR_NONE);
	branch(&k, detour, falls_behind, 0);
	jump(&k, d);
	here(&k, detour);
	chain(&k, 12);
	here(&k, d);
	first = k.p->ninsts;
	chain(&k, 6);
	branch(&k, top, more_trips, TRIPS - 1);
	kernel_end(&k);
	trace = record(&k, 1, W * EDDY_WARPS);
	for (unsigned i = 0; i < COUNT(cases); i++) {
		uint64_t n;

		trial_begin(&t, "sm.simd_width=8 sm.warp_size=8 sm.one_in_flight=yes");
		trial_policies(&t, "lrr", cases[i].warp);
		trial_must_run(&t, &trace);
		n = t.stats[0].insts[first].warp_insts;
		if (cases[i].alone)
			assert_in_range(n, EDDY_WARPS * TRIPS + TRIPS - 8, 2 * EDDY_WARPS * TRIPS);
		else
			assert_int_equal(n, EDDY_WARPS * TRIPS);
		trial_end(&t);
	}
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- barriers of CTAs, exits, loads ---- */

static uint64_t parity_by_cta(const struct at *a)
{
	return (a->thread + a->cta) % 2;
}

/* Diverged warps that no barrier puts together mix the threads of two CTAs: they part in front. */
static void test_ctas_part(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;
	uint32_t skip, n, r;

	(void)state;
	kernel_begin(&k, "two CTAs");
	skip = label(&k);
	r = reg(&k);
	load(&k, r, TR_NONE, always, 0x1000); /* of one line: then they are abreast */
	op(&k, TR_C_INT, reg(&k), r);
	branch(&k, skip, parity_by_cta, 0);
	chain(&k, 3);
	here(&k, skip);
	chain(&k, 1);
	n = k.p->ninsts;
	barrier(&k, 0, 0, 0);
	chain(&k, 1);
	kernel_end(&k);
	trace = record(&k, 2, W);
	trial_begin(&t, MACHINE);
	trial_policies(&t, "lrr", "crown:barriers=none");
	trial_must_run(&t, &trace);
	assert_int_equal(of_policy(&t, "warp_merges"), 2);
	assert_int_equal(t.stats[0].barriers, 2);
	assert_int_equal(t.stats[0].insts[n - 1].warp_insts, 2);
	assert_int_equal(t.stats[0].insts[n].warp_insts, 4);
	assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

static uint64_t odd_of_arm(const struct at *a)
{
	return a->thread % 4 == 1;
}

/*
 * Threads may end within an arm: then the paths do not meet again, and no barrier waits for them.
 * In a branch within that arm nobody ends, and there they do.
 */
static void test_exits(void **state)
{
	struct kernel k;
	struct trial t;
	struct trace trace;
	uint32_t end, inner, d;

	(void)state;
	kernel_begin(&k, "exits");
	end = label(&k);
	inner = label(&k);
	branch(&k, end, even_lane, 0);
	branch(&k, inner, odd_of_arm, 0);
	chain(&k, 2);
	here(&k, inner);
	d = k.p->ninsts;
	chain(&k, 2);
	leave_if(&k, odd_of_arm, 0);
	here(&k, end);
	chain(&k, 2);
	kernel_end(&k);
	trace = record(&k, 1, 4 * W);
	trial_begin(&t, MACHINE);
	trial_policies(&t, "lrr", "crown");
	trial_must_run(&t, &trace);
	assert_int_equal(t.stats[0].insts[d].warp_insts, 4);
	assert_int_equal(t.stats[0].insts[d].thread_insts, 2 * W);
	assert_int_equal(of_policy(&t, "reconv_barriers"), 4);
	assert_int_equal(of_policy(&t, "reincarnations"), 4);
	assert_int_equal(t.stats[0].ended, 4 * W);
	assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
	trial_end(&t);
	free(trace.bytes);
	tr_program_free(k.p);
}

/*
 * Two warps of complementary halves diverge one long after the other, so that the ready lookup
 * does not put them together; their loads of the arm miss, and the waiting lookup does.
 */
static uint64_t second_warp(const struct at *a)
{
	return a->thread >= W;
}

static void test_waiting_lookup(void **state)
{
	static const struct {
		const char *warp;
		unsigned issues;
	} cases[] = {{"crown", 1}, {"crown:waiting=none", 2}};
	struct kernel k;
	struct trial t;
	struct trace trace;
	uint32_t on, end, r, behind;

	(void)state;
	kernel_begin(&k, "waits");
	on = label(&k);
	end = label(&k);
	r = reg(&k);
	branch(&k, on, second_warp, 0); /* of whole warps */
	chain(&k, 2);
	here(&k, on);
	branch(&k, end, halves, 0);
	load(&k, r, TR_NONE, words, 0x1000);
	behind = k.p->ninsts;
	op(&k, TR_C_INT, reg(&k), r);
	here(&k, end);
	chain(&k, 1);
	kernel_end(&k);
	trace = record(&k, 1, 2 * W);
	for (unsigned i = 0; i < COUNT(cases); i++) {
		trial_begin(&t, MACHINE);
		trial_policies(&t, "lrr", cases[i].warp);
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].insts[behind - 1].warp_insts, 2);
		assert_int_equal(t.stats[0].insts[behind].warp_insts, cases[i].issues);
		assert_int_equal(t.stats[0].insts[behind].thread_insts, W);
		assert_int_equal(of_policy(&t, "warp_merges"), 0);
		assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
		trial_end(&t);
	}
	free(trace.bytes);
	tr_program_free(k.p);
}

/* ---- identities ---- */

/* Divergence, nested loops, an early exit, barriers, every kind of access. */
static struct trace busy_trace(void)
{
	struct kernel k;
	struct trace trace;
	uint32_t top, skip, deep, r;

	kernel_begin(&k, "busy");
	r = reg(&k);
	top = label(&k);
	skip = label(&k);
	deep = label(&k);
	access_to(&k, TR_C_LOAD, TR_S_PARAM, 8, reg(&k), TR_NONE, always, 8);
	leave_if(&k, odd_of_arm, 0);
	here(&k, top);
	load(&k, r, r, straight_lines, 0x40000);
	branch(&k, skip, coin, 1);
	load(&k, r, r, fresh_lines, 3);
	branch(&k, deep, coin, 2);
	op(&k, TR_C_SFU, r, r);
	access_to(&k, TR_C_ATOMIC, TR_S_GLOBAL, 4, r, TR_NONE, words, 0x800);
	here(&k, deep);
	access_to(&k, TR_C_LOAD, TR_S_TEXTURE, 4, r, r, words, 0x30000);
	here(&k, skip);
	access_to(&k, TR_C_LOAD, TR_S_SHARED, 4, r, TR_NONE, strided, 3);
	store(&k, r, words, 0x40000);
	branch(&k, top, uneven_trips, 9);
	barrier(&k, 0, 0, 0);
	chain(&k, 3);
	kernel_end(&k);
	trace = one_launch(&k, 9, 208);
	return trace;
}

/*
 * Warps of threads of several CTAs, of which some have reads that may overtake their writes: those
 * keep no pace (pace.h), the others do. Rows of 64 lanes, and a last one that the SM has in part.
 */
static void test_paces(void **state)
{
	static const char *const machines[] = {"sm.simd_width=4", "sm.simd_width=8",
		"sm.simd_width=64 sm.threads_per_sm=992",
		"sm.simd_width=32 sm.threads_per_sm=1000"};
	const struct tr_sync_read sync = {.reader = 1};
	uint64_t seed = 3;

	(void)state;
	for (unsigned i = 0; i < 48; i++) {
		struct kernel k;
		struct stage s = {.kernel = &k, .ctas = 14, .threads = 96};
		struct trace trace;
		struct trial t;

		s.sync = &sync;
		s.nsync = 1;
		s.sync_every = 2;
		tangle_of(&k, &seed, 1);
		trace = record_stages(&s, 1);
		trial_begin(&t, machines[i % COUNT(machines)]);
		machine_set(&t.opt.config, "sm.ctas_per_sm=32 sm.registers_per_sm=65536");
		if (i & 4)
			machine_set(&t.opt.config, "sm.warp_size=8");
		trial_policies(&t, "lrr", i & 8 ? "crown:barriers=none" : "crown");
		trial_must_run(&t, &trace);
		assert_int_equal(t.res.total.path_hash, walked_paths(&trace));
		trial_end(&t);
		free(trace.bytes);
		tr_program_free(k.p);
	}
}

/* Every thread's path, whatever the sizes; a stepped run is a slept one; a second one the same. */
static void test_paths(void **state)
{
	static const char *const cases[] = {"crown", "crown:barriers=3,ways=1,refused=branch",
		"crown:barriers=3,ways=1", "crown:ports=0,leave=dry",
		"crown:ready=0,waiting=0,barriers=0,level2=0,pool=0,ports=0",
		"crown:ready=1,waiting=1,barriers=3,ways=2,pool=1", "crown:level2=3",
		"crown:level2=1,barriers=none,pool=2", "crown:ready=none,waiting=none,ways=1"};
	static const char *const machines[] = {"sm.sms=2 memory.part=real sm.fetch_latency=2",
		"sm.simd_width=8 sm.schedulers=2", "sm.simd_width=64 sm.unlimited_issue=yes",
		"sm.simd_width=16 sm.one_pipeline=yes l1d.mshrs=2"};
	struct trace trace = busy_trace();
	const uint64_t paths = walked_paths(&trace);
	struct trial t;

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++)
		for (unsigned k = 0; k < COUNT(machines); k++) {
			uint64_t hash, cycles;

			trial_begin(&t, machines[k]);
			trial_policies(&t, "gto", cases[i]);
			trial_must_run(&t, &trace);
			assert_int_equal(t.res.total.path_hash, paths);
			hash = t.res.hash;
			cycles = t.stats[0].cycles;
			trial_must_run(&t, &trace);
			assert_int_equal(t.res.hash, hash);
			t.opt.tick = 1;
			trial_must_run(&t, &trace);
			assert_int_equal(t.stats[0].cycles, cycles);
			assert_int_equal(t.res.hash, hash);
			trial_end(&t);
		}
	free(trace.bytes);
}

static uint64_t warp_parity(const struct at *a)
{
	return a->thread / W % 2;
}

/* Without divergence and with any number of warps in its pool it is warps of a stack in turn. */
static void test_no_divergence(void **state)
{
	static const char *const settings[] = {MACHINE, MACHINE " sm.schedulers=2",
		MACHINE " sm.sms=2 memory.part=real sm.one_pipeline=yes"};
	struct kernel k;
	struct trace trace;
	struct trial t;
	uint32_t top, skip, r;

	(void)state;
	kernel_begin(&k, "whole warps");
	top = label(&k);
	skip = label(&k);
	r = reg(&k);
	here(&k, top);
	load(&k, r, r, words, 0x8000);
	branch(&k, skip, warp_parity, 0);
	chain(&k, 3);
	here(&k, skip);
	store(&k, r, words, 0x1000);
	barrier(&k, 0, 0, 0);
	branch(&k, top, more_trips, 6);
	kernel_end(&k);
	trace = one_launch(&k, 6, 100);
	for (unsigned i = 0; i < COUNT(settings); i++) {
		uint64_t cycles;

		trial_begin(&t, settings[i]);
		trial_policies(&t, "lrr", "fixed:8");
		trial_must_run(&t, &trace);
		cycles = t.stats[0].cycles;
		trial_policies(&t, "lrr", "crown:pool=0");
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].cycles, cycles);
		trial_end(&t);
	}
	free(trace.bytes);
}

/*
 * Without barriers, and with a ready lookup as large as it takes, it regroups as dwf does: where
 * each block ends in a divergent branch, it issues as often. Of two warps the halves make one for
 * either arm, and the parities of their lanes one for either exit.
 */
static void test_is_dwf(void **state)
{
	static const char *const cases[] = {"dwf:policy=fifo,lut=0,ports=0",
		"crown:barriers=none,pool=0,ready=0,waiting=none,ports=0"};
	struct kernel k;
	struct trace trace;
	struct trial t;
	uint32_t other, x, y;

	(void)state;
	kernel_begin(&k, "blocks that end in branches");
	other = label(&k);
	x = label(&k);
	y = label(&k);
	branch(&k, other, halves, 0);
	branch(&k, x, lane_parity, 0);
	here(&k, y);
	leave(&k);
	here(&k, other);
	branch(&k, y, lane_parity, 0);
	here(&k, x);
	kernel_end(&k);
	trace = one_launch(&k, 1, 2 * W);
	for (unsigned i = 0; i < COUNT(cases); i++) {
		trial_begin(&t, "sm.simd_width=8 sm.warp_size=8 latency.branch=1");
		trial_policies(&t, "lrr", cases[i]);
		trial_must_run(&t, &trace);
		assert_int_equal(t.stats[0].warp_insts, 2 + 2 + 2);
		trial_end(&t);
	}
	free(trace.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lookup),
		cmocka_unit_test(test_barriers_nest),
		cmocka_unit_test(test_storage),
		cmocka_unit_test(test_slide_18),
		cmocka_unit_test(test_fuller_leaves),
		cmocka_unit_test(test_leaves_lookup),
		cmocka_unit_test(test_waiting),
		cmocka_unit_test(test_level2_full),
		cmocka_unit_test(test_leave),
		cmocka_unit_test(test_slide_18_issues),
		cmocka_unit_test(test_aligned),
		cmocka_unit_test(test_complementary),
		cmocka_unit_test(test_set_full),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_starvation_eddy),
		cmocka_unit_test(test_ctas_part),
		cmocka_unit_test(test_exits),
		cmocka_unit_test(test_waiting_lookup),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_paces),
		cmocka_unit_test(test_no_divergence),
		cmocka_unit_test(test_is_dwf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
