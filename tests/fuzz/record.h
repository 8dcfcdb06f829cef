/*
 * Random records that are valid: programs with loops, divergence, tables of successors, guards and
 * exits as trace_trial.h makes them, filled with instructions of every class, space, width and list
 * of registers, with barriers that all threads reach in the same order, and with some that they do
 * not; some of CTAs in clusters, with their barrier and each other's shared memory. Half of the
 * programs have control bits, which say anything. Threads go random ways. Every decision is one of
 * dice(), so that libFuzzer can make it.
 */
#ifndef RECORD_H
#define RECORD_H

#include "tests/unit/trace_trial.h"

#define RECORD_PROGRAMS 4
#define RECORD_INSTS 2048
#define RECORD_STEPS 40000 /* of all threads, about */

/* How threads choose at an instruction. */
enum rule {
	RULE_ANY,   /* as trace_trial.h has it */
	RULE_ALL,   /* all threads the same, and a loop ends */
	RULE_BELOW, /* threads from number `bound` on take the second way */
};

struct record_program {
	const struct tr_program *p;
	uint8_t rule[RECORD_INSTS];
	uint32_t bound[RECORD_INSTS];
	int barriers, /* has barriers, */
		sure; /* and all of them fill, whatever the warps are */
};

struct record {
	struct trial trial;
	struct record_program programs[RECORD_PROGRAMS];
};

/* Of the record that is being made: the trial's hooks know a program and no more. */
static struct record *record_made;

static inline struct record_program *record_program_of(const struct tr_program *p)
{
	for (uint32_t i = 0; i < RECORD_PROGRAMS; i++)
		if (record_made->programs[i].p == p)
			return &record_made->programs[i];
	return NULL;
}

/* ---- instructions ---- */

/* Would a reader take it? Asked of a program that has nothing else. */
static inline int record_allows(struct tr_inst in, uint32_t ndst)
{
	struct tr_program *p = tr_program_new("one");
	const uint32_t r = (uint32_t)tr_program_reg(p, "%r", 32), next[2] = {1, 0};
	const uint32_t dst[4] = {r, r, r, r};
	struct tr_err err;
	int rc;

	in.opcode = (uint32_t)tr_program_string(p, "op");
	in.file = TR_NONE;
	in.guard = in.guard == TR_NONE ? TR_NONE : r;
	in.base = in.base == TR_NONE ? TR_NONE : r;
	assert_true(tr_program_inst(p, &in, dst, ndst, NULL, 0, next, 1) == 0);
	in = (struct tr_inst){.cls = TR_C_EXIT, .guard = TR_NONE, .base = TR_NONE, .file = TR_NONE};
	assert_true(tr_program_inst(p, &in, NULL, 0, NULL, 0, NULL, 0) == 1);
	rc = tr_program_analyze(p, &err);
	if (rc > 0)
		rc = tr_program_validate(p, &err);
	tr_program_free(p);
	return rc > 0;
}

/* Not the maker's own two, nor the one after them, which stands for all threads of a CTA. */
#define RECORD_ALIKE 2u

/* PTX's, which no bank holds, or one of SASS. */
static inline uint32_t record_reg(struct maker *m)
{
	static const uint32_t widths[] = {1, 16, 32, 64};

	const uint32_t first = RECORD_ALIKE + 1, n = m->p->nregs - first;
	char name[8] = "%r";

	if (n && dice(&m->rng, 3))
		return first + dice(&m->rng, n);
	if (dice(&m->rng, 2))
		snprintf(name, sizeof(name), "R%u", dice(&m->rng, 256));
	return (uint32_t)tr_program_reg(m->p, name, widths[dice(&m->rng, 4)]);
}

/* Of some accesses one by which machines of today tell copies to shared memory and their stores. */
static inline const char *record_access_opcode(const struct tr_inst *in)
{
	static const char *const loads[] = {"load", "LDGSTS.E.BYPASS.128",
		"cp.async.cg.shared.global", "cp.async.ca.shared.global"};

	if (in->cls == TR_C_LOAD && in->space == TR_S_GLOBAL)
		return loads[in->disp / 4 & 3];
	if (in->cls == TR_C_STORE && in->space == TR_S_SHARED)
		return loads[2 + (in->disp / 4 & 1)];
	return tr_class_name((enum tr_class)in->cls);
}

/* Mostly its class's name; now and then one by which machines of today tell units and waits. */
static inline const char *record_opcode(struct maker *m, const struct tr_inst *in)
{
	static const char *const others[] = {"YIELD", "NANOSLEEP", "nanosleep.u32", "WARPSYNC.ALL",
		"WARPSYNC", "BSYNC", "BSSY", "bar.warp.sync", "POPC", "F2I.S64", "HMMA.16816",
		"HGMMA", "LDGSTS.E", "mma.sync"};

	if (in->bytes)
		return record_access_opcode(in);
	if (dice(&m->rng, 6))
		return tr_class_name((enum tr_class)in->cls);
	return others[dice(&m->rng, sizeof(others) / sizeof(*others))];
}

/* A copy, or what commits copies and waits for them. */
static inline uint32_t record_aux(struct maker *m, uint8_t cls)
{
	if (cls == TR_C_LOAD)
		return dice(&m->rng, 3) ? 0 : TR_COPY_LOAD;
	if (cls != TR_C_OTHER && cls != TR_C_ATOMIC)
		return 0;
	return dice(&m->rng, 3) ? dice(&m->rng, TR_COPY_WAIT + 4) : 0;
}

static inline void record_add(struct maker *m, struct tr_inst in, uint32_t ndst)
{
	const uint32_t next = following(m), nsrc = dice(&m->rng, 4);
	uint32_t dst[4], src[4];

	for (uint32_t i = 0; i < ndst; i++)
		dst[i] = record_reg(m);
	for (uint32_t i = 0; i < nsrc; i++)
		src[i] = record_reg(m);
	in.opcode = (uint32_t)tr_program_string(m->p, record_opcode(m, &in));
	in.file = TR_NONE;
	in.aux = record_aux(m, in.cls);
	in.line = dice(&m->rng, 100);
	assert_true(tr_program_inst(m->p, &in, dst, ndst, src, nsrc, &next, 1) >= 0);
}

/* An access of any kind that a record may have. */
static inline void record_access(struct maker *m)
{
	static const uint8_t classes[] = {TR_C_LOAD, TR_C_LOAD, TR_C_LOAD, TR_C_LOAD, TR_C_STORE,
		TR_C_STORE, TR_C_ATOMIC, TR_C_OTHER};
	static const uint8_t spaces[] = {TR_S_GLOBAL, TR_S_GLOBAL, TR_S_GLOBAL, TR_S_SHARED,
		TR_S_LOCAL, TR_S_CONST, TR_S_PARAM, TR_S_TEXTURE, TR_S_GENERIC};
	struct tr_inst in = {.guard = TR_NONE, .base = TR_NONE};
	uint32_t usual, ndst;

	/* One after the other: compilers may take an initializer's parts in any order. */
	in.cls = classes[dice(&m->rng, sizeof(classes))];
	in.space = spaces[dice(&m->rng, sizeof(spaces))];
	in.bytes = (uint8_t)(1u << dice(&m->rng, 5));
	in.vec = (uint8_t)(1u << dice(&m->rng, 3));
	if (!dice(&m->rng, 4))
		in.guard = m->pred;
	if (dice(&m->rng, 8))
		in.base = m->addr;
	in.disp = dice(&m->rng, 8) ? 4 * (int64_t)dice(&m->rng, 64) : -8;
	if (!dice(&m->rng, 8))
		in.flags = TR_I_VOLATILE;
	/* Loads mostly have a place for what they load, stores mostly none. */
	usual = in.cls == TR_C_LOAD || in.cls == TR_C_ATOMIC ? in.vec : 0;
	ndst = dice(&m->rng, 4) ? usual : usual ? 0 : 1;

	/* Where a base is, the displacement is in the recorded value. */
	if (in.base == TR_NONE && in.disp < 0)
		in.disp = 64;
	if (record_allows(in, ndst))
		record_add(m, in, ndst);
	else if (record_allows(in, usual))
		record_add(m, in, usual);
}

/* What maker.plain asks for: no jump, and no barrier. */
static inline void record_plain(struct maker *m)
{
	static const uint8_t plain[] = {TR_C_INT, TR_C_INT, TR_C_FP16, TR_C_FP32, TR_C_FP64,
		TR_C_SFU, TR_C_MOVE, TR_C_CONVERT, TR_C_FENCE, TR_C_OTHER, TR_C_COLLECTIVE};
	struct tr_inst in = {.guard = dice(&m->rng, 4) ? TR_NONE : m->pred, .base = TR_NONE};

	if (dice(&m->rng, 2)) {
		record_access(m);
		return;
	}
	in.cls = plain[dice(&m->rng, sizeof(plain))];
	if (in.cls == TR_C_COLLECTIVE)
		in.flags = TR_I_COLLECTIVE;
	record_add(m, in, in.cls == TR_C_FENCE || in.cls == TR_C_OTHER ? 0 : dice(&m->rng, 3));
}

/* threads: that it waits for, 0 for all. */
static inline void record_barrier(
	struct maker *m, uint32_t id, uint32_t threads, uint32_t flags, int guarded)
{
	const uint32_t next = following(m);
	const struct tr_inst in = {.cls = TR_C_BARRIER,
		.guard = guarded ? m->pred : TR_NONE,
		.base = TR_NONE,
		.disp = id,
		.aux = threads,
		.flags = flags};

	add(m, flags & TR_I_ARRIVE ? "bar.arrive" : "bar.sync", in, &next, 1);
}

/* ---- programs ---- */

struct record_maker {
	struct maker m;
	struct record_program *program;
	uint32_t nthreads; /* of the CTAs that will run it */
	int clusters;      /* they are in clusters */
	int exits;         /* some threads may have gone already */
};

/* A branch that all threads take, or none: the loop around it goes a few rounds. */
static inline void record_rule(struct record_maker *r, enum rule rule, uint32_t bound)
{
	r->program->rule[r->m.p->ninsts] = rule;
	r->program->bound[r->m.p->ninsts] = bound;
}

/*
 * Some threads arrive and go on, the others wait for them: the first ones stand in front of the
 * others, or the other way round. Where a warp holds both, it may wait for itself.
 */
static inline void record_pair(struct record_maker *r)
{
	struct maker *m = &r->m;
	const uint32_t id = dice(&m->rng, 16), turned = dice(&m->rng, 2) ? TR_I_ARRIVE : 0;
	const uint32_t waiting = label_new(m), end = label_new(m);

	record_rule(r, RULE_BELOW, 32 * dice(&m->rng, 1 + r->nthreads / 32));
	add_branch(m, waiting);
	record_barrier(m, id, r->nthreads, turned ^ TR_I_ARRIVE, 0);
	add_jump(m, end);
	label_here(m, waiting);
	record_barrier(m, id, r->nthreads, turned, 0);
	label_here(m, end);
	r->program->sure = 0;
}

/* All threads of a cluster arrive, do something, and wait. */
static inline void record_cluster_barrier(struct record_maker *r)
{
	struct maker *m = &r->m;

	record_barrier(m, TR_BARRIER_CLUSTER, 0, TR_I_ARRIVE, 0);
	if (dice(&m->rng, 2))
		add_statements(m, 1 + dice(&m->rng, 4));
	record_barrier(m, TR_BARRIER_CLUSTER, 0, 0, 0);
	r->program->barriers = 1;
}

/* What all threads come through side by side, divergent parts in between. */
static inline void record_statements(struct record_maker *r, uint32_t n, unsigned depth)
{
	struct maker *m = &r->m;

	while (n--) {
		const uint32_t kind = dice(&m->rng, 8);

		if (kind < 2) {
			add_statements(m, 1 + dice(&m->rng, 8));
		} else if (kind == 2 && depth < 2) {
			const uint32_t head = label_new(m), pred = m->pred;

			label_here(m, head);
			record_statements(r, 1 + dice(&m->rng, 3), depth + 1);
			record_rule(r, RULE_ALL, 1 + dice(&m->rng, 6));
			m->pred = RECORD_ALIKE;
			add_branch(m, head);
			m->pred = pred;
		} else if (kind == 3) {
			const int whole = !r->exits && !depth && dice(&m->rng, 2);

			record_barrier(m, dice(&m->rng, 16), whole ? r->nthreads : 0, 0, 0);
			r->program->barriers = 1;
		} else if (kind == 4 && !r->exits && !depth && !dice(&m->rng, 3)) {
			record_pair(r);
			r->program->barriers = 1;
		} else if (r->clusters && kind > 5 && dice(&m->rng, 2)) {
			record_cluster_barrier(r);
		} else if (kind == 5 && !dice(&m->rng, 3)) {
			add_exit(m, 1); /* who goes on has nobody to meet */
			r->exits = 1;
		} else {
			record_plain(m);
		}
	}
}

/* Anything anywhere, barriers among it: such a record may stand still. */
static inline void record_wild(struct record_maker *r)
{
	struct maker *m = &r->m;

	for (uint32_t n = 1 + dice(&m->rng, 4); n; n--) {
		if (!dice(&m->rng, 3)) {
			const uint32_t id = dice(&m->rng, 3), threads = 32 * dice(&m->rng, 3);
			const uint32_t flags = dice(&m->rng, 3) ? 0 : TR_I_ARRIVE;

			if (r->clusters && id == 2)
				record_barrier(m, TR_BARRIER_CLUSTER, 0, flags, 0);
			else
				record_barrier(m, id, threads, flags, !dice(&m->rng, 3));
			r->program->barriers = 1;
		}
		if (dice(&m->rng, 3))
			add_statements(m, 2 + dice(&m->rng, 12));
		else
			add_tangle(m, 1 + dice(&m->rng, 10));
	}
	r->program->sure = 0;
}

/* Operands as they were written, of a quarter of the programs. */
static inline void record_operands(struct tr_program *p, uint64_t *rng)
{
	const uint32_t some = dice(rng, 4), which = dice(rng, 4);
	char text[24];

	for (uint32_t i = 0; i < p->ninsts && !some; i++) {
		snprintf(text, sizeof(text), "R%u, 0x%x", i % 9, i);
		if (mix(which, i) % 3)
			assert_int_equal(tr_program_operands(p, i, text), 1);
	}
}

/* Mostly short stalls, counters that few wait for; and some that wait for all, or for few. */
static inline void record_control(struct tr_program *p, uint64_t said)
{
	for (uint32_t i = 0; i < p->ninsts; i++) {
		const uint64_t any = mix(said, i);
		uint32_t bits = any & 0x1fffff;
		char operands[32];

		if (any >> 21 & 7) /* one counter, and a stall below 4 */
			bits &= 0x1e07f3u | (64u << (any >> 24 & 7) & 0x1f800);
		if (any >> 27 & 15)
			assert_int_equal(tr_program_control(p, i, bits), 1);
		if (p->insts[i].cls != TR_C_OTHER || p->insts[i].bytes || any >> 32 & 1)
			continue;
		p->insts[i].opcode = (uint32_t)tr_program_string(p, "DEPBAR.LE");
		snprintf(operands, sizeof(operands), "SB%u, 0x%x", (unsigned)(any >> 33 & 7),
			(unsigned)(any >> 36 & 3));
		assert_int_equal(tr_program_operands(p, i, operands), 1);
	}
}

static inline struct tr_program *record_program(
	struct record_program *made, uint32_t nthreads, int clusters, uint64_t *rng)
{
	struct record_maker *r = calloc(1, sizeof(*r));
	struct tr_program *p;
	uint64_t said;

	assert_non_null(r);
	maker_start(&r->m, dice(rng, 65536));
	assert_int_equal(tr_program_reg(r->m.p, "%ctaid.x", 32), RECORD_ALIKE);
	r->m.rng = *rng;
	r->m.plain = record_plain;
	r->program = made;
	r->nthreads = nthreads;
	r->clusters = clusters;
	made->sure = 1;
	if (dice(&r->m.rng, 8)) {
		r->m.stay = 1;
		record_statements(r, 1 + dice(&r->m.rng, 12), 0);
	} else {
		record_wild(r);
	}
	r->m.p->shared_bytes = dice(&r->m.rng, 2) * 1024;
	made->p = p = maker_done(&r->m);
	record_operands(p, &r->m.rng);
	*rng = r->m.rng;
	said = dice(rng, 65536);
	if (said & 1)
		record_control(p, said);
	assert_true(p->ninsts < RECORD_INSTS);
	free(r);
	return p;
}

/* ---- what threads do ---- */

static inline uint32_t record_choose(const struct tr_program *p, uint64_t seed, uint32_t inst,
	uint32_t visit, uint32_t thread, uint32_t n)
{
	const struct record_program *r = record_program_of(p);

	(void)n;
	switch (r->rule[inst]) {
	case RULE_ALL:
		return visit % (r->bound[inst] + 1) < r->bound[inst] && visit < 10 &&
		       mix(seed, inst) % 4 > 0;
	case RULE_BELOW:
		return thread >= r->bound[inst];
	default:
		return UINT32_MAX;
	}
}

/* Addresses with reuse, of lines and of single bytes; now and then ones from nowhere. */
static inline uint64_t record_address(uint64_t here, uint32_t visit, uint32_t thread, uint32_t cta)
{
	const uint64_t base = 0x10000000 + (here >> 8 & 3) * 0x4000,
		       any = mix(here + visit, thread);

	switch (here >> 16 & 15) {
	case 0:
	case 1:
	case 2:
		return base + 4 * thread + 4096 * cta + 128 * (uint64_t)(visit % 16);
	case 3:
	case 4:
		return base + 128 * ((visit + thread / 32) % 16) + 4 * (thread % 32);
	case 5:
	case 6:
		return base + 4 * (any % 1024);
	case 7:
		return base + 128 * (uint64_t)(thread % 32);
	case 8:
		return base;
	case 9:
		return base + any % 0x2000;
	case 10:
		return base + 16 * thread + 1;
	case 11:
		return any;
	case 12:
		return UINT64_MAX - any % 256;
	case 13:
		return any % 256;
	default:
		return base + 8 * thread + 512 * (uint64_t)(visit % 8);
	}
}

static inline uint64_t record_value(const struct tr_program *p, uint64_t seed, uint32_t inst,
	uint32_t visit, uint32_t thread, const struct tr_launch *l, uint32_t cta)
{
	const struct tr_inst *in = &p->insts[inst];
	const uint64_t here = mix(seed, inst), address = record_address(here, visit, thread, cta);
	const uint32_t ctas = tr_launch_cluster_ctas(l);
	/* Whose shared memory: a warp's threads want one CTA's, or everybody has an own idea. */
	const uint64_t any = mix(here, here & 2 ? cta + visit : thread) % (ctas + 1),
		       whose = (ctas > 1 ? any : 0) << TR_SHARED_RANK_AT;

	if (in->flags & TR_I_COLLECTIVE)
		return here & 1 ? UINT32_MAX : mix(here, thread / 32 + visit) & UINT32_MAX;
	if (in->space == TR_S_SHARED)
		return here >> 20 & 7 ? whose + address % 4096 : address;
	if (in->space == TR_S_LOCAL)
		return here >> 20 & 7 ? address % 64 : address % TR_WINDOW_BYTES;
	if (in->space != TR_S_GENERIC)
		return address;
	switch ((here >> 20 & 1 ? here : mix(here, thread)) >> 24 & 3) {
	case 0:
		return TR_SHARED_WINDOW + whose + address % 4096;
	case 1:
		return TR_LOCAL_WINDOW + address % 256;
	default:
		return address;
	}
}

/* ---- the whole ---- */

/* Clusters for a grid of up to 4 x 2 CTAs, or for none; programs with their barrier want some. */
static inline void record_clusters(uint32_t cluster[3], const uint32_t grid[3], uint64_t *rng)
{
	static const uint32_t of[5][3] = {{1}, {1, 1, 1}, {1, 2, 2}, {1, 3, 3}, {1, 2, 4}};

	memset(cluster, 0, 3 * sizeof(*cluster));
	if (dice(rng, 3))
		return;
	cluster[0] = of[grid[0]][dice(rng, 3)];
	cluster[1] = of[grid[1]][dice(rng, 3)];
	cluster[2] = 1;
}

/* One to three launches of one to three programs; the last ones may share theirs. */
static inline void record_make(struct record *r, uint64_t seed)
{
	static const uint32_t shapes[][3] = {{32, 1, 1}, {64, 1, 1}, {96, 1, 1}, {33, 1, 1},
		{1, 1, 1}, {16, 8, 1}, {5, 4, 3}, {256, 1, 1}, {7, 1, 9}, {200, 1, 1}, {32, 16, 1},
		{1, 1, 64}};
	uint64_t rng = mix(seed, 78);

	memset(r, 0, sizeof(*r));
	record_made = r;
	r->trial.choose = record_choose;
	r->trial.value = record_value;
	for (uint32_t n = 1 + dice(&rng, 3); n; n--) {
		const uint32_t *block = shapes[dice(&rng, sizeof(shapes) / sizeof(*shapes))];
		const uint32_t threads = block[0] * block[1] * block[2];
		uint32_t grid[3] = {1 + dice(&rng, 4), 1, 1}, program, steps, decisions;
		struct tr_launch *l;

		grid[1] += dice(&rng, 2);

		while (threads * grid[0] * grid[1] > 600 && (grid[0] > 1 || grid[1] > 1))
			grid[grid[0] > 1 ? 0 : 1]--;
		record_clusters(r->trial.cluster, grid, &rng);
		program = r->trial.nprograms;
		if (program && !r->programs[program - 1].barriers && !dice(&rng, 3))
			program--;
		else
			trial_program(&r->trial, record_program(&r->programs[program], threads,
							 r->trial.cluster[0] != 0, &rng));
		steps = RECORD_STEPS / (threads * grid[0] * grid[1]);
		steps = steps > 150 ? 150 : steps;
		decisions = dice(&rng, 65536);
		trial_launch(&r->trial, program, grid, block, mix(seed, decisions),
			dice(&rng, steps + 1));
		l = &r->trial.launches[r->trial.nlaunches - 1];
		l->shared_bytes = dice(&rng, 3) * 2048;
		l->registers = dice(&rng, 32);
		l->registers_stated = /* others than the program's own always are */
			l->registers != r->trial.programs[program]->live_registers || l->number % 2;
		l->local_bytes = 64;
		l->queue = dice(&rng, 3);
		if (dice(&rng, 2))
			l->after = TR_NONE;
	}
	record_made = NULL;
}

static inline void record_free(struct record *r)
{
	trial_free(&r->trial);
}

/* Has it barriers; do all of them fill, whatever the warps are? */
static inline int record_barriers(const struct record *r)
{
	int any = 0;

	for (uint32_t i = 0; i < r->trial.nprograms; i++)
		any |= r->programs[i].barriers;
	return any;
}

static inline int record_sure(const struct record *r)
{
	int all = 1;

	for (uint32_t i = 0; i < r->trial.nprograms; i++)
		all &= r->programs[i].sure;
	return all;
}

#endif
