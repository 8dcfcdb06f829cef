/*
 * A trial: random programs, launches of them, and for every thread a random path with its outcomes
 * and values, known before anything is recorded. Recording one plays the paths back in some
 * interleaving. Control flow only: nothing is computed, so a value is whatever its instruction's
 * pattern says.
 */
#ifndef TRACE_TRIAL_H
#define TRACE_TRIAL_H

#include "libtrace/trace.h"
#include <stdlib.h>
#include <string.h>

struct bytes {
	uint8_t *p;
	size_t len;
};

static inline uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Decisions that somebody else makes, a byte or two each, before the dice are thrown again. */
static const uint8_t *dice_bytes;
static size_t dice_left;

static inline uint32_t dice(uint64_t *state, uint32_t n)
{
	const size_t size = n <= 256 ? 1 : 2;

	*state = mix(*state, n);
	if (dice_left >= size) {
		const uint32_t low = *dice_bytes, high = size > 1 ? dice_bytes[1] : 0;

		dice_bytes += size;
		dice_left -= size;
		return (high << 8 | low) % n;
	}
	return (uint32_t)(*state >> 32) % n;
}

static inline void *grown(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	assert_non_null(p);
	return p;
}

/* ---- random programs ---- */

#define LABELS 0x40000000u /* a successor from here on is a label until the program is whole */
#define MAX_LABELS 4096

struct maker {
	struct tr_program *p;
	uint64_t rng;
	uint32_t pred, addr;
	uint32_t nlabels, at[MAX_LABELS]; /* instruction of each label */
	uint32_t breaks[16], depth;       /* labels after the enclosing loops */
	void (*plain)(struct maker *m);   /* instead of add_plain; or NULL */
	int stay;                         /* no exits: after a branch all meet again */
};

static inline uint32_t label_new(struct maker *m)
{
	assert_true(m->nlabels < MAX_LABELS);
	return LABELS + m->nlabels++;
}

static inline void label_here(struct maker *m, uint32_t label)
{
	m->at[label - LABELS] = m->p->ninsts;
}

static inline uint32_t following(const struct maker *m)
{
	return m->p->ninsts + 1;
}

static inline void add(struct maker *m, const char *opcode, struct tr_inst in, const uint32_t *succ,
	uint32_t nsucc)
{
	in.opcode = (uint32_t)tr_program_string(m->p, opcode);
	in.file = TR_NONE;
	assert_true(tr_program_inst(m->p, &in, NULL, 0, NULL, 0, succ, nsucc) >= 0);
}

static inline void add_branch(struct maker *m, uint32_t to)
{
	const uint32_t succ[2] = {following(m), to};

	add(m, "bra", (struct tr_inst){.cls = TR_C_BRANCH, .guard = m->pred, .base = TR_NONE}, succ,
		2);
}

static inline void add_jump(struct maker *m, uint32_t to)
{
	add(m, "bra", (struct tr_inst){.cls = TR_C_BRANCH, .guard = TR_NONE, .base = TR_NONE}, &to,
		1);
}

static inline void add_exit(struct maker *m, int guarded)
{
	const uint32_t succ[2] = {following(m), TR_EXIT};
	struct tr_inst in = {.cls = TR_C_EXIT, .base = TR_NONE};

	in.guard = guarded ? m->pred : TR_NONE;
	add(m, "exit", in, succ, guarded ? 2 : 0);
}

/* A table of n successors (and a fall-through before it, where guarded). */
static inline void add_table(struct maker *m, int guarded, const uint32_t *to, uint32_t n)
{
	uint32_t *succ = grown(NULL, (n + 1) * sizeof(*succ));
	struct tr_inst in = {.cls = TR_C_BRANCH, .flags = TR_I_INDEXED, .base = TR_NONE};

	in.guard = guarded ? m->pred : TR_NONE;
	succ[0] = following(m);
	memcpy(succ + guarded, to, n * sizeof(*succ));
	add(m, "brx.idx", in, succ, n + (uint32_t)guarded);
	free(succ);
}

/* Something that does not jump: arithmetic, an access or a collective, with a guard or without. */
static inline void add_plain(struct maker *m)
{
	const uint32_t next = following(m);
	struct tr_inst in = {.guard = TR_NONE, .base = TR_NONE};

	if (m->plain) {
		m->plain(m);
		return;
	}
	if (!dice(&m->rng, 3))
		in.guard = m->pred;
	switch (dice(&m->rng, 5)) {
	case 0:
	case 1:
		in.cls = TR_C_INT;
		break;
	case 2:
		in.cls = TR_C_COLLECTIVE;
		in.flags = TR_I_COLLECTIVE;
		break;
	default:
		in.cls = TR_C_LOAD;
		in.space = TR_S_GLOBAL;
		in.bytes = (uint8_t)(1u << dice(&m->rng, 5));
		in.vec = 1;
		in.base = dice(&m->rng, 8) ? m->addr : TR_NONE;
	}
	add(m, "op", in, &next, 1);
}

static void add_statements(struct maker *m, uint32_t budget);

static inline void add_switch(struct maker *m, uint32_t budget)
{
	static const uint32_t sizes[] = {3, 3, 5, 40, 256, 257, 300};
	uint32_t n = sizes[dice(&m->rng, 7)], arms = 1 + dice(&m->rng, 4), to[300],
		 end = label_new(m);
	uint32_t arm[4];

	for (uint32_t i = 0; i < arms; i++)
		arm[i] = label_new(m);
	for (uint32_t i = 0; i < n; i++)
		to[i] = arm[i % arms];
	add_table(m, !dice(&m->rng, 3), to, n);
	for (uint32_t i = 0; i < arms; i++) {
		label_here(m, arm[i]);
		add_statements(m, budget / arms);
		add_jump(m, end);
	}
	label_here(m, end);
}

static inline void add_loop(struct maker *m, uint32_t budget)
{
	uint32_t head = label_new(m), end = label_new(m);

	label_here(m, head);
	m->breaks[m->depth++] = end;
	add_statements(m, budget);
	m->depth--;
	add_branch(m, head);
	label_here(m, end);
}

static inline void add_if(struct maker *m, uint32_t budget)
{
	uint32_t other = label_new(m), end = label_new(m);

	add_branch(m, other);
	add_statements(m, budget / 2);
	add_jump(m, end);
	label_here(m, other);
	add_statements(m, budget / 2);
	label_here(m, end);
}

static inline void add_statements(struct maker *m, uint32_t budget)
{
	while (budget--) {
		uint32_t kind = dice(&m->rng, 16);

		if (kind < 8 || !budget) {
			add_plain(m);
		} else if (kind < 10) {
			add_if(m, budget / 2);
		} else if (kind < 12 && m->depth < 8) {
			add_loop(m, budget / 2);
		} else if (kind == 12) {
			add_switch(m, budget / 2);
		} else if (kind == 13) {
			if (!m->stay)
				add_exit(m, dice(&m->rng, 4) != 0);
		} else if (m->depth) {
			add_branch(m, m->breaks[dice(&m->rng, m->depth)]);
		}
	}
}

/* Blocks that lead anywhere; each has a way onward, so that the exit is always in reach. */
static inline void add_tangle(struct maker *m, uint32_t nblocks)
{
	uint32_t block[64], to[300];

	for (uint32_t i = 0; i < nblocks; i++)
		block[i] = label_new(m);
	for (uint32_t i = 0; i < nblocks; i++) {
		uint32_t onward = i + 1 < nblocks ? block[i + 1] : TR_EXIT;

		label_here(m, block[i]);
		for (uint32_t k = dice(&m->rng, 4); k; k--)
			add_plain(m);
		switch (dice(&m->rng, 6)) {
		case 0:
			if (i + 1 < nblocks)
				add_jump(m, block[i + 1 + dice(&m->rng, nblocks - i - 1)]);
			break;
		case 1: {
			uint32_t n = 3 + dice(&m->rng, 298);

			for (uint32_t k = 0; k < n; k++)
				to[k] = k % 3 ? block[dice(&m->rng, nblocks)] : onward;
			add_table(m, dice(&m->rng, 2) && i + 1 < nblocks, to, n);
			break;
		}
		case 2:
			add_exit(m, 1);
			break;
		default:
			add_branch(m, block[dice(&m->rng, nblocks)]);
		}
	}
}

static inline void maker_start(struct maker *m, uint64_t seed)
{
	*m = (struct maker){.rng = mix(seed, 1), .p = tr_program_new("trial")};
	assert_non_null(m->p);
	m->pred = (uint32_t)tr_program_reg(m->p, "%p1", 1);
	m->addr = (uint32_t)tr_program_reg(m->p, "%rd1", 64);
}

static inline struct tr_program *maker_done(struct maker *m)
{
	struct tr_err err;

	add_exit(m, 0);
	for (uint32_t i = 0; i < m->p->nsucc_pool; i++)
		if (m->p->succ_pool[i] >= LABELS && m->p->succ_pool[i] < TR_EXIT)
			m->p->succ_pool[i] = m->at[m->p->succ_pool[i] - LABELS];
	assert_int_equal(tr_program_analyze(m->p, &err), 1);
	assert_int_equal(tr_program_validate(m->p, &err), 1);
	return m->p;
}

static inline struct tr_program *random_program(uint64_t seed)
{
	struct maker *m = grown(NULL, sizeof(*m));
	struct tr_program *p;

	maker_start(m, seed);
	if (dice(&m->rng, 3))
		add_statements(m, 4 + dice(&m->rng, 30));
	else
		add_tangle(m, 1 + dice(&m->rng, 20));
	p = maker_done(m);
	free(m);
	return p;
}

/* ---- random paths ---- */

struct step {
	uint32_t inst, outcome;
	uint64_t value;
	uint8_t guard, has_value;
};

struct path {
	struct step *steps;
	uint32_t n, cap;
};

struct trial_cta {
	struct tr_cta cta;  /* as it must be read */
	struct path *paths; /* of its threads */
};

struct trial {
	uint32_t nprograms, nlaunches;
	struct tr_program **programs;
	struct tr_launch *launches;
	struct trial_cta **ctas; /* of each launch */
	uint32_t cluster[3];     /* of the launches that are added from now on */
	uint64_t totals[TR_MAX_TOTALS];
	/* Instead of choose and value_of, or NULL. A choice of UINT32_MAX: no opinion. */
	uint32_t (*choose)(const struct tr_program *p, uint64_t seed, uint32_t inst, uint32_t visit,
		uint32_t thread, uint32_t n);
	uint64_t (*value)(const struct tr_program *p, uint64_t seed, uint32_t inst, uint32_t visit,
		uint32_t thread, const struct tr_launch *l, uint32_t cta);
};

/* Steps from each instruction to the exit, by the shortest way. */
static inline uint32_t *exit_distances(const struct tr_program *p)
{
	uint32_t *far = grown(NULL, p->ninsts * sizeof(*far));
	int changed = 1;

	memset(far, 0xff, p->ninsts * sizeof(*far));
	while (changed) {
		changed = 0;
		for (uint32_t i = p->ninsts; i--;) {
			const struct tr_inst *in = &p->insts[i];
			uint32_t least = in->nsucc ? UINT32_MAX - 1 : 0;

			for (uint32_t s = 0; s < in->nsucc; s++) {
				uint32_t to = p->succ_pool[in->succ + s],
					 d = to == TR_EXIT ? 0 : far[to];

				least = d < least ? d : least;
			}
			changed |= least + 1 < far[i];
			far[i] = least + 1 < far[i] ? least + 1 : far[i];
		}
	}
	return far;
}

static inline uint32_t nearest(
	const struct tr_program *p, const struct tr_inst *in, const uint32_t *far)
{
	uint32_t best = 0, least = UINT32_MAX;

	for (uint32_t s = 0; s < in->nsucc; s++) {
		uint32_t to = p->succ_pool[in->succ + s], d = to == TR_EXIT ? 0 : far[to];

		if (d < least) {
			least = d;
			best = s;
		}
	}
	return best;
}

/* Of n ways the one that a thread takes: some instructions part threads, some groups of eight. */
static inline uint32_t choose(
	uint64_t seed, uint32_t inst, uint32_t visit, uint32_t thread, uint32_t n)
{
	uint64_t here = mix(seed, inst), h = mix(here, visit);

	switch (here % 6) {
	case 0:
		return (uint32_t)(h % n);
	case 1:
		return (uint32_t)(mix(h, thread / 8) % n);
	case 2:
		return mix(h, thread) % 16 ? 0 : (uint32_t)(h % n);
	case 3:
		return visit >= 3 + thread % 5 ? 0 : n - 1;
	case 4:
		return n - 1;
	default:
		return (uint32_t)(mix(h, thread) % n);
	}
}

static inline uint64_t value_of(uint64_t seed, uint32_t inst, uint32_t visit, uint32_t thread,
	const struct tr_launch *l, uint32_t cta)
{
	uint64_t here = mix(seed, inst), base = here & 0x7ffffffff0u;
	uint64_t x = thread % l->block[0], y = thread / l->block[0] % l->block[1];
	uint64_t z = thread / l->block[0] / l->block[1], own = mix(here, thread),
		 any = mix(own, visit);

	switch (here >> 40 & 7) {
	case 0:
		return base + 4 * x + 512 * y + 65536 * z + 128 * (uint64_t)visit + 4096 * cta;
	case 1:
		return any;
	case 2:
		return base;
	case 3: {
		static const uint64_t ends[] = {0, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN, 1};

		return ends[any % 5];
	}
	case 4:
		return 4 * (uint64_t)(visit % 16);
	case 5:
		return base + 4 * (any % 1024) + 4096 * cta;
	case 6:
		return base - 24 * x + (8 * y << (visit & 31)) - cta * z;
	default:
		return base + 8 * (own & 0xffff) + 16 * (uint64_t)visit;
	}
}

static inline void thread_append(
	struct tr_thread *t, const struct tr_inst *in, const struct step *s)
{
	if (in->flags & TR_I_OUTCOME) {
		uint32_t wide = in->nsucc > 256;

		if (t->cap_outcomes < t->noutcomes + 2) {
			t->cap_outcomes = 2 * t->cap_outcomes + 16;
			t->outcomes = grown(t->outcomes, t->cap_outcomes);
		}
		t->outcomes[t->noutcomes++] = (uint8_t)s->outcome;
		if (wide)
			t->outcomes[t->noutcomes++] = (uint8_t)(s->outcome >> 8);
	}
	if (s->has_value) {
		if (t->cap_values == t->nvalues) {
			t->cap_values = 2 * t->cap_values + 16;
			t->values = grown(t->values, t->cap_values * sizeof(*t->values));
		}
		t->values[t->nvalues++] = s->value;
	}
}

struct path_maker {
	struct trial *trial;
	const struct tr_program *p;
	const struct tr_launch *l;
	const uint32_t *far;
	uint32_t *visits; /* of the thread at hand to each instruction */
	uint64_t seed;
	uint32_t budget;
};

static inline void make_path(struct path_maker *m, struct trial_cta *c, uint32_t thread)
{
	const struct tr_program *p = m->p;
	struct path *path = &c->paths[thread];
	uint32_t at = 0;

	memset(m->visits, 0, p->ninsts * sizeof(*m->visits));
	while (at != TR_EXIT) {
		const struct tr_inst *in = &p->insts[at];
		uint32_t visit = m->visits[at]++, way = 0;
		struct step s = {.inst = at, .guard = 1};

		if (in->flags & TR_I_OUTCOME) {
			const uint32_t ways = in->nsucc > 1 ? in->nsucc : 2;

			s.outcome = UINT32_MAX;
			if (m->trial->choose)
				s.outcome = m->trial->choose(p, m->seed, at, visit, thread, ways);
			if (s.outcome == UINT32_MAX && in->nsucc > 1 && path->n > m->budget)
				s.outcome = nearest(p, in, m->far);
			if (s.outcome == UINT32_MAX)
				s.outcome = choose(m->seed, at, visit, thread, ways);
			way = in->nsucc > 1 ? s.outcome : 0;
			s.guard = in->guard == TR_NONE || s.outcome;
			m->trial->totals[TR_T_OUTCOMES]++;
		}
		s.has_value = s.guard && in->flags & TR_I_VALUE;
		if (s.has_value) {
			s.value = m->trial->value ? m->trial->value(p, m->seed, at, visit, thread,
							    m->l, c->cta.number)
						  : value_of(m->seed, at, visit, thread, m->l,
							    c->cta.number);
			m->trial->totals[TR_T_VALUES]++;
		}
		m->trial->totals[TR_T_THREAD_INSTS] += s.guard;
		if (path->n == path->cap) {
			path->cap = 2 * path->cap + 32;
			path->steps = grown(path->steps, path->cap * sizeof(s));
		}
		path->steps[path->n++] = s;
		thread_append(&c->cta.threads[thread], in, &s);
		at = in->nsucc ? p->succ_pool[in->succ + way] : TR_EXIT;
	}
}

static inline int by_reader(const void *a, const void *b)
{
	const struct tr_sync_read *x = a, *y = b;

	if (x->reader != y->reader)
		return x->reader < y->reader ? -1 : 1;
	if (x->reader_value != y->reader_value)
		return x->reader_value < y->reader_value ? -1 : 1;
	if (x->writer != y->writer)
		return x->writer < y->writer ? -1 : 1;
	return x->writer_value < y->writer_value ? -1 : x->writer_value > y->writer_value;
}

static inline void make_sync(struct trial *t, struct tr_cta *c, uint64_t *rng)
{
	uint32_t n = dice(rng, 3) ? 0 : dice(rng, 12);

	c->sync = grown(NULL, n * sizeof(*c->sync));
	for (uint32_t i = 0; i < n; i++) {
		struct tr_sync_read s = {.reader = dice(rng, c->nthreads)};

		s.writer = dice(rng, c->nthreads);
		if (!c->threads[s.reader].nvalues || !c->threads[s.writer].nvalues)
			continue;
		s.reader_value = dice(rng, c->threads[s.reader].nvalues);
		s.writer_value = dice(rng, c->threads[s.writer].nvalues);
		c->sync[c->nsync++] = s;
	}
	t->totals[TR_T_SYNC_READS] += c->nsync;
	if (c->nsync) /* as they are read back; they are recorded from the last one on */
		qsort(c->sync, c->nsync, sizeof(*c->sync), by_reader);
}

/* insts: thread instructions of the CTA. */
static inline void make_spins(
	struct tr_cta *c, const struct tr_program *p, uint64_t seed, uint64_t insts)
{
	uint64_t rng = seed ^ c->number;
	uint32_t n = dice(&rng, 3) ? 0 : 1 + dice(&rng, 5);

	c->spins = grown(NULL, n * sizeof(*c->spins));
	for (uint32_t i = 0; i < n && i < p->ninsts; i++) {
		const uint64_t some = insts / 2;
		struct tr_spin s = {.inst = i + dice(&rng, p->ninsts - i),
			.polls = dice(&rng, 2) ? dice(&rng, p->ninsts) : TR_NONE,
			.rounds = 1 + dice(&rng, 1000),
			.insts = some};

		if (i && s.inst <= c->spins[i - 1].inst)
			break;
		insts -= some;
		c->spins[c->nspins++] = s;
	}
}

/* Adds a launch of program number `program`, of which a path is about `budget` steps long. */
static inline void trial_launch(struct trial *t, uint32_t program, const uint32_t grid[3],
	const uint32_t block[3], uint64_t seed, uint32_t budget)
{
	struct tr_program *p = t->programs[program];
	struct path_maker m = {.trial = t, .p = p, .seed = seed, .budget = budget};
	uint32_t number = t->nlaunches++, nthreads = block[0] * block[1] * block[2];
	uint32_t nctas = grid[0] * grid[1] * grid[2], *far = exit_distances(p);
	struct tr_launch *l;
	uint64_t rng = seed;

	t->launches = grown(t->launches, t->nlaunches * sizeof(*t->launches));
	t->ctas = grown(t->ctas, t->nlaunches * sizeof(*t->ctas));
	l = &t->launches[number];
	*l = (struct tr_launch){.number = number,
		.program = program,
		.position = 2 * number,
		.after = number ? number - 1 : TR_NONE,
		/* The program's own, or one more; stated by somebody, or not. */
		.registers = p->live_registers + (number % 3 == 1),
		.registers_stated = number % 3 > 0,
		.shared_bytes = 4096,
		.local_bytes = 16,
		.parent_launch = TR_NONE,
		.parent_cta = TR_NONE,
		.parent_thread = TR_NONE};
	memcpy(l->grid, grid, sizeof(l->grid));
	memcpy(l->block, block, sizeof(l->block));
	memcpy(l->cluster, t->cluster, sizeof(l->cluster));
	m.l = l;
	m.far = far;
	m.visits = grown(NULL, p->ninsts * sizeof(*m.visits));
	t->ctas[number] = calloc(nctas, sizeof(**t->ctas));
	assert_non_null(t->ctas[number]);
	for (uint32_t i = 0; i < nctas; i++) {
		struct trial_cta *c = &t->ctas[number][i];

		c->cta = (struct tr_cta){.launch = number,
			.number = i,
			.nthreads = nthreads,
			.cap_threads = nthreads};
		c->cta.threads = calloc(nthreads, sizeof(*c->cta.threads));
		c->paths = calloc(nthreads, sizeof(*c->paths));
		assert_true(c->cta.threads && c->paths);
		const uint64_t before = t->totals[TR_T_THREAD_INSTS];
		for (uint32_t k = 0; k < nthreads; k++)
			make_path(&m, c, k);
		make_sync(t, &c->cta, &rng);
		make_spins(&c->cta, p, seed, t->totals[TR_T_THREAD_INSTS] - before);
	}
	t->totals[TR_T_LAUNCHES]++;
	t->totals[TR_T_CTAS] += nctas;
	t->totals[TR_T_THREADS] += (uint64_t)nctas * nthreads;
	free(m.visits);
	free(far);
}

static inline uint32_t trial_program(struct trial *t, struct tr_program *p)
{
	t->programs = grown(t->programs, (t->nprograms + 1) * sizeof(*t->programs));
	t->programs[t->nprograms] = p;
	t->totals[TR_T_PROGRAMS]++;
	return t->nprograms++;
}

static inline void trial_free(struct trial *t)
{
	for (uint32_t i = 0; i < t->nlaunches; i++) {
		for (uint32_t k = 0; k < tr_launch_ctas(&t->launches[i]); k++) {
			for (uint32_t j = 0; j < t->ctas[i][k].cta.nthreads; j++)
				free(t->ctas[i][k].paths[j].steps);
			free(t->ctas[i][k].paths);
			tr_cta_free(&t->ctas[i][k].cta);
		}
		free(t->ctas[i]);
	}
	for (uint32_t i = 0; i < t->nprograms; i++)
		tr_program_free(t->programs[i]);
	free(t->programs);
	free(t->launches);
	free(t->ctas);
	*t = (struct trial){0};
}

/* One to three launches of one or two programs. */
static inline void random_trial(struct trial *t, uint64_t seed)
{
	static const uint32_t shapes[][3] = {{1, 1, 1}, {33, 1, 1}, {16, 16, 1}, {5, 4, 3},
		{32, 1, 1}, {8, 8, 1}, {3, 1, 7}, {1, 40, 1}};
	uint64_t rng = mix(seed, 77);

	*t = (struct trial){0};
	for (uint32_t n = 1 + dice(&rng, 3); n; n--) {
		uint32_t grid[3] = {1 + dice(&rng, 4), 1 + dice(&rng, 2), 1 + dice(&rng, 2)};

		if (!t->nprograms || !dice(&rng, 3))
			trial_program(t, random_program(mix(seed, n)));
		trial_launch(t, dice(&rng, t->nprograms), grid, shapes[dice(&rng, 8)],
			mix(seed, n + 9), dice(&rng, 80));
	}
}

/* ---- recording ---- */

enum order {
	LOWEST_RANK, /* lanes in step, the lowest block first */
	HIGHEST_RANK,
	RANDOM_LANES, /* some of the lanes that stand where a random one stands */
	ONE_BY_ONE,   /* each thread to its end before the next */
	NORDERS,
	WHOLE_CTAS = NORDERS, /* by tr_writer_cta */
};

struct player {
	const struct tr_program *p;
	const struct trial_cta *c;
	struct tr_recorder *r;
	uint32_t *at; /* of each thread: steps done */
	uint64_t rng;
	enum order order;
};

static const struct step *current(const struct player *y, uint32_t thread)
{
	const struct path *path = &y->c->paths[thread];

	return thread < y->c->cta.nthreads && y->at[thread] < path->n ? &path->steps[y->at[thread]]
								      : NULL;
}

/* The lanes of group g that go next; *inst is theirs. 0: the group is done. */
static inline uint32_t pick(struct player *y, uint32_t g, uint32_t *inst)
{
	const struct step *s[TR_GROUP], *best = NULL;
	uint32_t live[TR_GROUP], n = 0, mask = 0, lane = 0;
	int64_t key = 0;

	for (uint32_t i = 0; i < TR_GROUP; i++) {
		uint32_t thread = g * TR_GROUP + i;
		int64_t k;

		s[i] = thread < y->c->cta.nthreads ? current(y, thread) : NULL;
		if (!s[i])
			continue;
		live[n++] = i;
		k = (int64_t)y->p->blocks[y->p->insts[s[i]->inst].block].rank << 32 | s[i]->inst;
		if (y->order == HIGHEST_RANK)
			k = -k;
		if (!best || k < key) {
			best = s[i];
			key = k;
		}
	}
	if (!n)
		return 0;
	if (y->order == ONE_BY_ONE) {
		*inst = s[live[0]]->inst;
		return 1u << live[0];
	}
	if (y->order == RANDOM_LANES) {
		lane = live[dice(&y->rng, n)];
		best = s[lane];
	}
	for (uint32_t i = 0; i < n; i++)
		mask |= (uint32_t)(s[live[i]]->inst == best->inst) << live[i];
	if (y->order == RANDOM_LANES && dice(&y->rng, 2))
		mask = (mask & (uint32_t)mix(y->rng, 5)) | 1u << lane;
	*inst = best->inst;
	return mask;
}

/* One instruction of some lanes of group g. 1; 0 when the group is done; TR_E*. */
static inline int play_row(struct player *y, uint32_t g)
{
	uint32_t inst = 0, mask = pick(y, g, &inst), taken = 0, guards = 0, index[TR_GROUP] = {0};
	const struct tr_inst *in = &y->p->insts[inst];
	uint64_t value[TR_GROUP] = {0};
	int rc = 1;

	if (!mask)
		return 0;
	for (uint32_t m = mask; m; m &= m - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(m);
		const struct step *s = current(y, g * TR_GROUP + i);

		index[i] = s->outcome;
		taken |= (uint32_t)(s->outcome != 0) << i;
		guards |= (uint32_t)s->has_value << i;
		value[i] = s->value;
		y->at[g * TR_GROUP + i]++;
	}
	if (in->flags & TR_I_OUTCOME)
		rc = in->flags & TR_I_INDEXED && in->nsucc > 1
			     ? tr_record_indices(y->r, g, mask, index, in->nsucc > 256)
			     : tr_record_outcomes(y->r, g, mask, taken);
	if (rc > 0 && guards)
		rc = tr_record_values(y->r, g, guards, value);
	return rc;
}

/* Up to `rows` of a random group. 0 when the whole CTA is done. */
static inline int play(struct player *y, uint32_t rows)
{
	uint32_t ngroups = (y->c->cta.nthreads + TR_GROUP - 1) / TR_GROUP;
	uint32_t first = dice(&y->rng, ngroups);

	for (uint32_t k = 0; k < ngroups; k++) {
		uint32_t g = (first + k) % ngroups, done = 0;
		int rc;

		while (done < rows && (rc = play_row(y, g)) != 0) {
			assert_int_equal(rc, 1);
			done++;
		}
		if (done)
			return 1;
	}
	return 0;
}

#define OPEN 6 /* CTAs at once */

/* Plays CTAs of a launch side by side, begun and ended out of order. */
static inline void play_launch(struct tr_writer *w, const struct trial *t, uint32_t launch,
	enum order order, uint64_t seed)
{
	uint32_t nctas = (uint32_t)tr_launch_ctas(&t->launches[launch]), begun = 0, nopen = 0;
	struct player open[OPEN];
	uint64_t rng = seed;
	struct tr_err err;

	while (begun < nctas || nopen) {
		struct player *y;

		if (begun < nctas && nopen < OPEN && dice(&rng, 2)) {
			/* pairs are swapped: 1, 0, 3, 2, ... */
			uint32_t cta = (begun ^ 1) < nctas ? begun ^ 1 : begun;

			y = &open[nopen++];
			*y = (struct player){.p = t->programs[t->launches[launch].program],
				.c = &t->ctas[launch][cta],
				.rng = mix(seed, cta),
				.order = order};
			y->at = calloc(y->c->cta.nthreads, sizeof(*y->at));
			assert_non_null(y->at);
			assert_int_equal(tr_recorder_open(&y->r, w, cta, &err), 1);
			begun++;
			continue;
		}
		if (!nopen)
			continue;
		y = &open[dice(&rng, nopen)];
		if (play(y, 1 + dice(&rng, 100)))
			continue;
		for (uint32_t i = y->c->cta.nsync; i--;)
			assert_int_equal(tr_record_sync(y->r, &y->c->cta.sync[i]), 1);
		for (uint32_t i = y->c->cta.nspins; i--;) { /* in any order, and in parts */
			struct tr_spin one = y->c->cta.spins[i], more = one;

			one.rounds = one.insts = 0;
			assert_int_equal(tr_record_spin(y->r, &one), 1);
			assert_int_equal(tr_record_spin(y->r, &more), 1);
		}
		for (uint32_t i = 0; i < y->c->cta.nthreads; i++)
			assert_int_equal(tr_record_nvalues(y->r, i), y->c->cta.threads[i].nvalues);
		assert_int_equal(tr_recorder_close(y->r, &err), 1);
		free(y->at);
		*y = open[--nopen];
	}
}

/* The whole trial as a stream. */
static inline struct bytes trial_written(
	const struct trial *t, enum order order, size_t spill_bytes, uint64_t seed)
{
	struct tr_writer_options opt = {.provenance = "trial\n", .spill_bytes = spill_bytes};
	struct tr_writer *w;
	struct tr_err err;
	struct bytes b;
	char *p;
	FILE *f = open_memstream(&p, &b.len);
	uint32_t written = 0;

	assert_non_null(f);
	assert_int_equal(tr_writer_open(&w, f, &opt, &err), 1);
	for (uint32_t i = 0; i < t->nlaunches; i++) {
		struct tr_launch l = t->launches[i];

		for (; written < t->nprograms && (written <= l.program || i + 1 == t->nlaunches);
			written++)
			assert_int_equal(tr_writer_program(w, t->programs[written], &err), written);
		assert_int_equal(tr_writer_launch(w, &l, &err), 1);
		if (order == WHOLE_CTAS)
			for (uint32_t k = 0; k < tr_launch_ctas(&l); k++)
				assert_int_equal(tr_writer_cta(w, &t->ctas[i][k].cta, &err), 1);
		else
			play_launch(w, t, i, order, mix(seed, i));
		assert_int_equal(tr_writer_launch_end(w, &err), 1);
	}
	assert_int_equal(tr_writer_thread_insts(w), t->totals[TR_T_THREAD_INSTS]);
	assert_int_equal(tr_writer_close(w, &err), 1);
	fclose(f);
	b.p = (uint8_t *)p;
	return b;
}

/* A program of a guarded load, a table of three and an exit: outcomes (0 or 1), (0 to 2). */
static inline struct tr_program *small_program(void)
{
	struct maker *m = grown(NULL, sizeof(*m));
	const uint32_t next = 1;
	struct tr_program *p;
	uint32_t to[3];

	maker_start(m, 0);
	add(m, "ld",
		(struct tr_inst){.cls = TR_C_LOAD,
			.space = TR_S_GLOBAL,
			.bytes = 4,
			.vec = 1,
			.base = m->addr,
			.guard = m->pred},
		&next, 1);
	to[0] = to[1] = to[2] = label_new(m);
	add_table(m, 0, to, 3);
	label_here(m, to[0]);
	p = maker_done(m);
	free(m);
	return p;
}

static inline void same_cta(const struct tr_cta *got, const struct tr_cta *want)
{
	assert_int_equal(got->launch, want->launch);
	assert_int_equal(got->number, want->number);
	assert_int_equal(got->nthreads, want->nthreads);
	for (uint32_t i = 0; i < want->nthreads; i++) {
		const struct tr_thread *g = &got->threads[i], *w = &want->threads[i];

		assert_int_equal(g->noutcomes, w->noutcomes);
		assert_int_equal(g->nvalues, w->nvalues);
		if (w->noutcomes)
			assert_memory_equal(g->outcomes, w->outcomes, w->noutcomes);
		if (w->nvalues)
			assert_memory_equal(g->values, w->values, w->nvalues * sizeof(*w->values));
	}
	assert_int_equal(got->nsync, want->nsync);
	if (want->nsync)
		assert_memory_equal(got->sync, want->sync, want->nsync * sizeof(*want->sync));
	assert_int_equal(got->nspins, want->nspins);
	for (uint32_t i = 0; i < want->nspins; i++) {
		const struct tr_spin *a = &got->spins[i], *b = &want->spins[i];

		assert_true(a->inst == b->inst && a->polls == b->polls && a->rounds == b->rounds &&
			    a->insts == b->insts);
	}
}

static inline FILE *open_bytes(struct bytes b)
{
	FILE *f = fmemopen(b.p, b.len, "rb");

	assert_non_null(f);
	return f;
}

static inline void same_walk(
	const struct tr_program *p, const struct tr_thread *t, const struct path *path)
{
	struct tr_walk w;

	tr_walk_start(&w, p, t);
	for (uint32_t i = 0; i < path->n; i++) {
		const struct step *s = &path->steps[i];

		assert_int_equal(tr_walk_next(&w), 1);
		assert_int_equal(w.inst, s->inst);
		assert_int_equal(w.guard, s->guard);
		assert_int_equal(w.outcome, s->outcome);
		assert_int_equal(w.has_value != 0, s->has_value);
		if (s->has_value)
			assert_true(w.value == s->value);
	}
	assert_int_equal(tr_walk_next(&w), 0);
	assert_int_equal(tr_walk_next(&w), 0);
}

static inline void same_launch(const struct tr_launch *got, const struct tr_launch *want)
{
	assert_int_equal(got->number, want->number);
	assert_int_equal(got->program, want->program);
	assert_int_equal(got->position, want->position);
	assert_int_equal(got->after, want->after);
	assert_memory_equal(got->grid, want->grid, sizeof(got->grid));
	assert_memory_equal(got->block, want->block, sizeof(got->block));
	assert_memory_equal(got->cluster, want->cluster, sizeof(got->cluster));
	assert_int_equal(got->registers, want->registers);
	assert_int_equal(got->registers_stated, want->registers_stated);
	assert_int_equal(got->shared_bytes, want->shared_bytes);
	assert_int_equal(got->local_bytes, want->local_bytes);
	assert_int_equal(got->parent_cta, want->parent_cta);
}

static inline int in_part(const struct tr_part *p, uint32_t launch, uint32_t cta)
{
	return launch >= p->launch_first && launch <= p->launch_last && cta >= p->cta_first &&
	       cta <= p->cta_last;
}

/* Reads on from the reader's place, which is before (launch, cta), all that the part wants. */
static inline void same_rest(struct tr_reader *r, const struct trial *t, struct tr_part part,
	uint32_t launch, uint32_t cta, struct tr_cta *c)
{
	struct tr_err err;

	for (; launch < t->nlaunches; launch++, cta = 0) {
		if (launch < part.launch_first || launch > part.launch_last)
			continue;
		assert_int_equal(tr_reader_next(r, &err), TR_LAUNCH);
		same_launch(tr_reader_launch(r), &t->launches[launch]);
		assert_int_equal(tr_reader_program(r)->ninsts,
			t->programs[t->launches[launch].program]->ninsts);
		for (; cta < tr_launch_ctas(&t->launches[launch]); cta++) {
			const struct trial_cta *want = &t->ctas[launch][cta];

			if (!in_part(&part, launch, cta))
				continue;
			assert_int_equal(tr_reader_next(r, &err), TR_CTA);
			assert_int_equal(tr_reader_cta_number(r), cta);
			assert_int_equal(tr_reader_cta(r, c, &err), 1);
			same_cta(c, &want->cta);
			for (uint32_t i = 0; i < c->nthreads; i++)
				same_walk(tr_reader_program(r), &c->threads[i], &want->paths[i]);
			assert_true(tr_reader_launch_bytes(r) > 0);
		}
	}
	assert_int_equal(tr_reader_next(r, &err), TR_END);
	assert_int_equal(tr_reader_cta(r, c, &err), TR_EUSAGE);
}

static inline void same_trial(FILE *f, const struct trial *t, struct tr_part part, int whole)
{
	struct tr_reader *r;
	struct tr_err err;
	struct tr_cta c;

	tr_cta_init(&c);
	assert_int_equal(tr_reader_open(&r, f, &part, &err), 1);
	assert_string_equal(tr_reader_provenance(r), "trial\n");
	same_rest(r, t, part, 0, 0, &c);
	if (whole)
		assert_memory_equal(tr_reader_totals(r), t->totals, sizeof(t->totals));
	tr_cta_free(&c);
	tr_reader_close(r);
	fclose(f);
}

/* A short stream with everything in it: two launches, a table, sync reads. */
static inline void small_trial(struct trial *t)
{
	static const uint32_t two[3] = {2, 1, 1}, block[3] = {3, 1, 1}, grid[3] = {1, 1, 1};

	*t = (struct trial){0};
	trial_program(t, small_program());
	trial_launch(t, 0, two, block, 16, 4);
	trial_launch(t, 0, grid, block, 31, 4);
	t->totals[TR_T_SYNC_READS] = 0;
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = 0; k < tr_launch_ctas(&t->launches[i]); k++) {
			struct tr_cta *c = &t->ctas[i][k].cta;

			c->nsync = c->nspins = 0;
			c->sync = grown(c->sync, 3 * sizeof(*c->sync));
			for (uint32_t j = 0; j < 3; j++)
				if (c->threads[j].nvalues)
					c->sync[c->nsync++] = (struct tr_sync_read){j, j, 0, 0};
			t->totals[TR_T_SYNC_READS] += c->nsync;
		}
	assert_true(t->totals[TR_T_SYNC_READS] > 0);
}

#endif
