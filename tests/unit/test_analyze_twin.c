/*
 * Liveness and the proof of uniform branches on random programs, against a slow twin that follows
 * the definitions: a search for each register, a region with its joins for each branch. Also that
 * large programs are analysed in time: where the regions of all branches add up to too much, fewer
 * branches are proven uniform, and never one that the twin does not prove.
 */
#include "libtrace/program.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static uint32_t rng = 7;

static uint32_t below(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 17;
	rng ^= rng << 5;
	return rng % n;
}

enum { TID, CTAID, FIRST };

/* Branches go `near` instructions ahead, one in `back` of them anywhere. */
static struct tr_program *random_program(
	uint32_t ninsts, uint32_t nregs, uint32_t near, uint32_t back)
{
	struct tr_program *p = tr_program_new("random");
	char name[16];

	tr_program_reg(p, "%tid.x", 32);
	tr_program_reg(p, "%ctaid.x", 32);
	for (uint32_t r = FIRST; r < nregs; r++) {
		snprintf(name, sizeof(name), "%%r%u", r);
		tr_program_reg(p, name, (const uint32_t[]){32, 64, 1, 32}[below(4)]);
	}
	for (uint32_t i = 0; i < ninsts; i++) {
		struct tr_inst in = {
			.cls = TR_C_INT, .guard = TR_NONE, .base = TR_NONE, .file = TR_NONE};
		uint32_t kind = below(12), ndst = 1, nsrc = below(3), nsucc = 1;
		uint32_t dst = FIRST + below(nregs - FIRST), succ[3] = {i + 1};
		uint32_t src[2] = {below(8) ? 1 + below(nregs - 1) : TID, 1 + below(nregs - 1)};
		uint32_t target = below(back) ? i + 1 + below(near) : below(ninsts);

		if (i < nregs - FIRST) { /* most begin with a value that all threads share */
			dst = FIRST + i;
			src[0] = CTAID;
			nsrc = 1;
			kind = below(20) ? 11 : 0;
		}
		target = target < ninsts ? target : TR_EXIT;
		if (i + 1 == ninsts || kind == 0) {
			in.cls = TR_C_EXIT;
			in.guard = i + 1 == ninsts ? TR_NONE : src[0];
			succ[1] = TR_EXIT;
			nsucc = i + 1 == ninsts ? 0 : 2;
			ndst = nsrc = 0;
		} else if (kind < 5) {
			in.cls = TR_C_BRANCH;
			in.guard = below(6) ? src[0] : TR_NONE;
			nsucc = in.guard == TR_NONE ? 1 : 2;
			succ[nsucc - 1] = target;
			ndst = nsrc = 0;
		} else if (kind == 5) {
			in.cls = TR_C_BRANCH;
			in.flags = TR_I_INDEXED;
			succ[0] = below(ninsts);
			succ[1] = target;
			succ[2] = i + 1;
			nsucc = 3;
			ndst = 0;
			nsrc = 1;
		} else if (kind == 6 && !below(3)) {
			in.cls = TR_C_LOAD;
			in.space = below(2) ? TR_S_GLOBAL : TR_S_PARAM;
			in.bytes = 4;
			in.vec = 1;
			in.base = src[0];
		} else if (kind == 7) {
			in.guard = src[1];
		}
		tr_program_inst(p, &in, &dst, ndst, src, nsrc, succ, nsucc);
	}
	return p;
}

/* ---- the twin ---- */

struct twin {
	const struct tr_program *p;
	uint8_t *live;   /* block x register: live where it begins */
	uint8_t *spread; /* registers that may differ */
	uint8_t *split;  /* blocks whose branch may divide a CTA */
};

static const struct tr_inst *last_of(const struct tr_program *p, uint32_t b)
{
	return &p->insts[p->blocks[b].first + p->blocks[b].n - 1];
}

/* The blocks that follow b, an exit left out. */
#define EACH_SUCC(p, b, to)                                                                        \
	for (uint32_t n_ = 0, to; n_ < last_of(p, b)->nsucc; n_++)                                 \
		if ((to = (p)->succ_pool[last_of(p, b)->succ + n_]) != TR_EXIT &&                  \
			((to = (p)->insts[to].block), 1))

static int reads(const struct tr_program *p, const struct tr_inst *in, uint32_t r)
{
	int found = in->base == r || in->guard == r;

	for (uint32_t k = 0; k < in->nsrc; k++)
		found |= p->reg_pool[in->src + k] == r;
	return found;
}

static int writes(const struct tr_program *p, const struct tr_inst *in, uint32_t r)
{
	int found = 0;

	for (uint32_t k = 0; k < in->ndst; k++)
		found |= p->reg_pool[in->dst + k] == r;
	return found;
}

static int live_out(const struct twin *t, uint32_t b, uint32_t r)
{
	int live = 0;

	EACH_SUCC(t->p, b, to)
	live |= t->live[to * t->p->nregs + r];
	return live;
}

static int live_before(const struct twin *t, uint32_t i, uint32_t r, int after)
{
	const struct tr_inst *in = &t->p->insts[i];

	if (reads(t->p, in, r))
		return 1;
	return writes(t->p, in, r) && in->guard == TR_NONE ? 0 : after;
}

static void twin_live(struct twin *t)
{
	const struct tr_program *p = t->p;
	int more = 1;

	while (more) {
		more = 0;
		for (uint32_t b = p->nblocks; b-- > 0;)
			for (uint32_t r = FIRST; r < p->nregs; r++) {
				int live = live_out(t, b, r);

				for (uint32_t i = p->blocks[b].first + p->blocks[b].n;
					i-- > p->blocks[b].first;)
					live = live_before(t, i, r, live);
				more |= live != t->live[b * p->nregs + r];
				t->live[b * p->nregs + r] = (uint8_t)live;
			}
	}
}

/* The most that is live at once; `narrow` registers of 64 bits take one unit. */
static uint32_t twin_pressure(const struct twin *t, const uint8_t *narrow)
{
	const struct tr_program *p = t->p;
	uint32_t most = 0;

	for (uint32_t b = 0; b < p->nblocks; b++) {
		uint32_t *now = calloc(p->blocks[b].n + 1, sizeof(*now));

		for (uint32_t r = FIRST; r < p->nregs; r++) {
			const uint32_t w = p->regs[r].width;
			const uint32_t size = w == 1                              ? 0
					      : w == 64 && !(narrow && narrow[r]) ? 2
										  : 1;
			int live = live_out(t, b, r);

			now[p->blocks[b].n] += live ? size : 0;
			for (uint32_t i = p->blocks[b].n; i-- > 0;) {
				live = live_before(t, p->blocks[b].first + i, r, live);
				now[i] += live ? size : 0;
			}
		}
		for (uint32_t i = 0; i <= p->blocks[b].n; i++)
			if ((!b || p->blocks[b].idom != TR_NONE) && now[i] > most)
				most = now[i];
		free(now);
	}
	return most;
}

static void twin_reach(const struct tr_program *p, uint32_t from, uint32_t end, uint8_t *in)
{
	uint32_t *stack = malloc((p->nblocks + 1) * sizeof(*stack)), depth = 0;

	in[from] = 1;
	stack[depth++] = from;
	while (depth) {
		const uint32_t b = stack[--depth];

		EACH_SUCC(p, b, to)
		if (to != end && !in[to]) {
			in[to] = 1;
			stack[depth++] = to;
		}
	}
	free(stack);
}

static uint32_t nwrites(const struct tr_program *p, uint32_t r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->ninsts; i++)
		for (uint32_t k = 0; k < p->insts[i].ndst; k++)
			n += p->reg_pool[p->insts[i].dst + k] == r;
	return n;
}

/* What may differ after the branch of block b: written on a way, and live where ways meet. */
static void twin_branch(struct twin *t, uint32_t b)
{
	const struct tr_program *p = t->p;
	const uint32_t end = p->blocks[b].ipdom;
	uint8_t *ways = calloc(p->nblocks, 1), *side = malloc(p->nblocks);
	uint8_t *done = calloc(p->nblocks, 1);

	EACH_SUCC(p, b, to)
	if (to != end && !done[to]) {
		done[to] = 1;
		memset(side, 0, p->nblocks);
		twin_reach(p, to, end, side);
		for (uint32_t x = 0; x < p->nblocks; x++)
			ways[x] = (uint8_t)(ways[x] + (side[x] && ways[x] < 2));
	}
	for (uint32_t r = FIRST; r < p->nregs; r++) {
		int meets = ways[b] || (end < p->nblocks && t->live[end * p->nregs + r]);

		for (uint32_t x = 0; x < p->nblocks; x++)
			meets |= ways[x] > 1 && t->live[x * p->nregs + r];
		if (!meets || nwrites(p, r) < 2)
			continue;
		for (uint32_t i = 0; i < p->ninsts; i++)
			if (ways[p->insts[i].block] && writes(p, &p->insts[i], r))
				t->spread[r] = 1;
	}
	free(ways);
	free(side);
	free(done);
}

static void twin_spread(struct twin *t)
{
	const struct tr_program *p = t->p;
	int more = 1;

	for (uint32_t r = 0; r < p->nregs; r++)
		t->spread[r] = r == TID || (r >= FIRST && t->live[r]);
	while (more) {
		more = 0;
		for (uint32_t i = 0; i < p->ninsts; i++) {
			const struct tr_inst *in = &p->insts[i];
			int from = in->cls == TR_C_LOAD && in->space != TR_S_PARAM;

			for (uint32_t r = 0; r < p->nregs; r++)
				from |= reads(p, in, r) && t->spread[r];
			for (uint32_t k = 0; from && k < in->ndst; k++) {
				more |= !t->spread[p->reg_pool[in->dst + k]];
				t->spread[p->reg_pool[in->dst + k]] = 1;
			}
			if (!from || in->nsucc < 2 || t->split[in->block])
				continue;
			t->split[in->block] = 1;
			more = 1;
			if (in->cls != TR_C_EXIT)
				twin_branch(t, in->block);
		}
	}
}

static void twin_addresses(const struct tr_program *p, uint8_t *address)
{
	int more = 1;

	memset(address, 0, p->nregs);
	for (uint32_t i = 0; i < p->ninsts; i++)
		if (p->insts[i].base != TR_NONE)
			address[p->insts[i].base] = 1;
	while (more) {
		more = 0;
		for (uint32_t i = 0; i < p->ninsts; i++) {
			const struct tr_inst *in = &p->insts[i];

			if (in->cls != TR_C_INT || in->ndst != 1 || !address[p->reg_pool[in->dst]])
				continue;
			for (uint32_t k = 0; k < in->nsrc; k++) {
				more |= !address[p->reg_pool[in->src + k]];
				address[p->reg_pool[in->src + k]] = 1;
			}
		}
	}
}

/* Compares; `exact`: also what the analysis does not prove. How many branches are uniform. */
static uint32_t compare(struct tr_program *p, int exact)
{
	struct twin t = {
		p, calloc(p->nblocks, p->nregs), calloc(p->nregs, 1), calloc(p->nblocks, 1)};
	uint8_t *address = calloc(p->nregs, 1);
	uint32_t narrow, uniform = 0;
	struct tr_err err;

	twin_live(&t);
	assert_int_equal(p->live_registers, twin_pressure(&t, NULL));
	twin_addresses(p, address);
	assert_int_equal(tr_program_registers(p, 32, &narrow, &err), 1);
	assert_int_equal(narrow, twin_pressure(&t, address));
	twin_spread(&t);
	for (uint32_t b = 0; b < p->nblocks; b++) {
		const struct tr_inst *in = last_of(p, b);
		const int has = (in->flags & TR_I_UNIFORM) != 0;
		const int may = in->nsucc > 1 && !t.split[b] && (in->nsrc || in->guard != TR_NONE);

		if (exact ? has != may : has > may)
			fail_msg("the branch of block %u: %d, twin %d", b, has, may);
		uniform += (uint32_t)has;
	}
	free(t.live);
	free(t.spread);
	free(t.split);
	free(address);
	return uniform;
}

static void test_twin(void **state)
{
	uint32_t uniform = 0, rounds = 4000;
	struct tr_err err;

	(void)state;
	for (uint32_t round = 0; round < rounds; round++) {
		struct tr_program *p =
			random_program(8 + below(60), 4 + below(12), 1 + below(10), 2 + below(20));

		assert_int_equal(tr_program_analyze(p, &err), 1);
		uniform += compare(p, 1);
		tr_program_free(p);
	}
	assert_true(uniform > rounds / 2);
}

/* More than 64 registers of each kind, so that they take several words and batches. */
static void test_twin_of_many_registers(void **state)
{
	struct tr_err err;

	(void)state;
	for (uint32_t round = 0; round < 60; round++) {
		struct tr_program *p = random_program(
			300 + below(300), 150 + below(60), 1 + below(10), 2 + below(60));

		assert_int_equal(tr_program_analyze(p, &err), 1);
		compare(p, 1);
		tr_program_free(p);
	}
}

/* ---- large programs ---- */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/*
 * Branches by thread, each to anywhere after it, and at the end one by a register that is written
 * everywhere and live nowhere but within a block: all threads agree on it.
 */
static struct tr_program *skips(uint32_t n)
{
	struct tr_program *p = tr_program_new("skips");
	const uint32_t tid = (uint32_t)tr_program_reg(p, "%tid.x", 32);
	const uint32_t ctaid = (uint32_t)tr_program_reg(p, "%ctaid.x", 32);
	const uint32_t a = (uint32_t)tr_program_reg(p, "%a", 32);
	const struct tr_inst add = {
		.cls = TR_C_INT, .guard = TR_NONE, .base = TR_NONE, .file = TR_NONE};
	struct tr_inst bra = add;

	bra.cls = TR_C_BRANCH;
	bra.guard = tid;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t at = 2 * i, succ[2] = {at + 2, 2 * (i + 1 + below(n - i))};

		tr_program_inst(p, &add, &a, 1, &ctaid, 1, (const uint32_t[]){at + 1}, 1);
		tr_program_inst(p, &bra, NULL, 0, NULL, 0, succ, 2);
	}
	tr_program_inst(p, &add, &a, 1, &ctaid, 1, (const uint32_t[]){2 * n + 1}, 1);
	bra.guard = a;
	tr_program_inst(p, &bra, NULL, 0, NULL, 0, (const uint32_t[]){2 * n + 2, TR_EXIT}, 2);
	bra.cls = TR_C_EXIT;
	bra.guard = TR_NONE;
	tr_program_inst(p, &bra, NULL, 0, NULL, 0, NULL, 0);
	return p;
}

/* The regions of these branches add up to the square of their number: enough is enough. */
static void test_overlapping_regions(void **state)
{
	static const struct {
		uint32_t n;
		int exact;
	} sizes[] = {{10, 1}, {1000, 1}, {5000, 0}};

	(void)state;
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		struct tr_program *p = skips(sizes[k].n);
		struct tr_err err;

		assert_int_equal(tr_program_analyze(p, &err), 1);
		assert_int_equal(compare(p, sizes[k].exact), sizes[k].exact);
		tr_program_free(p);
	}
}

/* n loops, each in the one before, and from each a way out of all. */
static struct tr_program *nest(uint32_t n)
{
	struct tr_program *p = tr_program_new("nest");
	const uint32_t tid = (uint32_t)tr_program_reg(p, "%tid.x", 32);
	struct tr_inst bra = {.cls = TR_C_BRANCH, .guard = tid, .base = TR_NONE, .file = TR_NONE};

	for (uint32_t i = 0; i < n; i++)
		tr_program_inst(p, &bra, NULL, 0, NULL, 0, (const uint32_t[]){i + 1, 2 * n}, 2);
	for (uint32_t i = 0; i < n; i++)
		tr_program_inst(
			p, &bra, NULL, 0, NULL, 0, (const uint32_t[]){n + i + 1, n - 1 - i}, 2);
	bra.cls = TR_C_EXIT;
	bra.guard = TR_NONE;
	tr_program_inst(p, &bra, NULL, 0, NULL, 0, NULL, 0);
	return p;
}

/* n registers that are live over n blocks. */
static struct tr_program *wide(uint32_t n)
{
	struct tr_program *p = tr_program_new("wide");
	const uint32_t tid = (uint32_t)tr_program_reg(p, "%tid.x", 32);
	const struct tr_inst add = {
		.cls = TR_C_INT, .guard = TR_NONE, .base = TR_NONE, .file = TR_NONE};
	struct tr_inst bra = add;
	uint32_t at = 0;
	char name[16];

	bra.cls = TR_C_BRANCH;
	bra.guard = tid;
	for (uint32_t i = 0; i < n; i++, at++) {
		snprintf(name, sizeof(name), "%%r%u", i);
		tr_program_inst(p, &add, (const uint32_t[]){(uint32_t)tr_program_reg(p, name, 32)},
			1, &tid, 1, (const uint32_t[]){at + 1}, 1);
	}
	for (uint32_t i = 0; i < n; i++, at += 2) {
		tr_program_inst(p, &bra, NULL, 0, NULL, 0, (const uint32_t[]){at + 1, at + 2}, 2);
		tr_program_inst(p, &add, NULL, 0, &tid, 1, (const uint32_t[]){at + 2}, 1);
	}
	for (uint32_t i = 0; i < n; i++, at++)
		tr_program_inst(p, &add, NULL, 0, (const uint32_t[]){1 + i}, 1,
			(const uint32_t[]){at + 1}, 1);
	bra.cls = TR_C_EXIT;
	bra.guard = TR_NONE;
	tr_program_inst(p, &bra, NULL, 0, NULL, 0, NULL, 0);
	return p;
}

static void test_time(void **state)
{
	static const struct {
		const char *name;
		struct tr_program *(*make)(uint32_t n);
		uint32_t n;
	} large[] = {{"skips", skips, 100000}, {"nest", nest, 50000}, {"wide", wide, 20000}};

	(void)state;
	for (size_t k = 0; k < sizeof(large) / sizeof(large[0]); k++) {
		struct tr_program *p = large[k].make(large[k].n);
		struct tr_err err;
		double took = -seconds();

		assert_int_equal(tr_program_analyze(p, &err), 1);
		took += seconds();
		/* Not a measurement: a search for each pair of blocks takes a minute and more. */
		if (took > 10)
			fail_msg("%s: %.1f s", large[k].name, took);
		tr_program_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_twin),
		cmocka_unit_test(test_twin_of_many_registers),
		cmocka_unit_test(test_overlapping_regions),
		cmocka_unit_test(test_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
