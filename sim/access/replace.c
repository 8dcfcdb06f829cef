/*
 * The accesses of each SM are gathered into a short row of events with their history, which every
 * model then goes through by itself: its tables stay in the processor's cache for that long.
 */
#include "sim/access/replace.h"
#include "sim/access/curve.h"
#include "sim/access/history.h"
#include "sim/access/locality.h"
#include "sim/access/optimal.h"
#include "sim/access/policy.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ROW 256  /* events */
#define AHEAD 16 /* accesses by which memory is asked for early */
#define SMS_MAX 65536u

struct pair;

/* One way to follow the events of one SM's cache. */
struct model {
	int (*new)(void **state, const struct pair *p, uint64_t seed, struct tr_err *err);
	int (*run)(
		void *state, const struct an_use *u, size_t n, uint32_t *depth, struct tr_err *err);
	void (*flush)(void *state);
	void (*free)(void *state);
};

struct pair {
	const struct model *model;
	enum an_policy policy;
	struct sim_geometry g;
	uint32_t depths; /* of a hit at most */
	uint64_t *hits;  /* by key and depth; depth 0 is what misses */
};

struct sm {
	struct an_history history;
	void **states; /* by pair */
	uint32_t n;
	struct an_use row[ROW];
	uint32_t key[ROW];
};

struct program {
	const struct tr_program *p;
	uint32_t first_key;
};

struct an_replace {
	struct an_replace_options opt;
	struct pair *pairs;
	uint32_t npairs, nsms, nkeys, cap_keys;
	struct sm **sms;
	struct an_replace_counts *counts; /* by key */
	struct program *programs;         /* by number; p is NULL where there was no launch of it */
	uint32_t nprograms, program;
	struct an_locality *locality; /* AN_BY_CLASS */
};

/* ---- models ---- */

static int cache_new(void **state, const struct pair *p, uint64_t seed, struct tr_err *err)
{
	static const enum sim_replacement replacement[AN_NPOLICIES] = {
		[AN_LRU] = SIM_LRU, [AN_FIFO] = SIM_FIFO, [AN_RANDOM] = SIM_RANDOM};
	struct sim_cache *c;
	const int rc = sim_cache_new(&c, &p->g, replacement[p->policy], seed, err);

	*state = rc < 0 ? NULL : c;
	return rc;
}

static int cache_run(
	void *state, const struct an_use *u, size_t n, uint32_t *depth, struct tr_err *err)
{
	struct sim_cache_answer a;

	for (size_t i = 0; i < n; i++) {
		depth[i] = 0;
		if (!u[i].now) {
			sim_cache_invalidate(state, u[i].line);
			continue;
		}
		if (sim_cache_access(state, u[i].line, NULL, &a, err) < 0)
			return TR_EMEM;
		depth[i] = (uint32_t)a.hit;
	}
	return 1;
}

static void cache_flush(void *state)
{
	sim_cache_flush(state);
}

static void cache_free(void *state)
{
	sim_cache_free(state);
}

static const struct model cache_model = {cache_new, cache_run, cache_flush, cache_free};

static int optimal_new(void **state, const struct pair *p, uint64_t seed, struct tr_err *err)
{
	struct an_optimal *o;
	const int rc = an_optimal_new(&o, &p->g, p->policy == AN_OPT_BYPASS, err);

	(void)seed;
	*state = rc < 0 ? NULL : o;
	return rc;
}

static int optimal_run(
	void *state, const struct an_use *u, size_t n, uint32_t *depth, struct tr_err *err)
{
	(void)err;
	an_optimal_run(state, u, n, depth);
	return 1;
}

static void optimal_flush(void *state)
{
	(void)state; /* the history has ended every interval */
}

static void optimal_free(void *state)
{
	an_optimal_free(state);
}

static const struct model optimal_model = {optimal_new, optimal_run, optimal_flush, optimal_free};

static int curve_new(void **state, const struct pair *p, uint64_t seed, struct tr_err *err)
{
	static const enum an_curve_kind kind[AN_NPOLICIES] = {[AN_LRU] = AN_CURVE_LRU,
		[AN_OPT] = AN_CURVE_OPT,
		[AN_OPT_BYPASS] = AN_CURVE_OPT_BYPASS};
	struct an_curve *c;
	const int rc = an_curve_new(&c, &p->g, kind[p->policy], err);

	(void)seed;
	*state = rc < 0 ? NULL : c;
	return rc;
}

static int curve_run(
	void *state, const struct an_use *u, size_t n, uint32_t *depth, struct tr_err *err)
{
	(void)err;
	an_curve_run(state, u, n, depth);
	return 1;
}

static void curve_flush(void *state)
{
	an_curve_flush(state);
}

static void curve_free(void *state)
{
	an_curve_free(state);
}

static const struct model curve_model = {curve_new, curve_run, curve_flush, curve_free};

/* Without bounds there is nothing to replace: the history is the cache. */
static int unbounded_new(void **state, const struct pair *p, uint64_t seed, struct tr_err *err)
{
	(void)p, (void)seed, (void)err;
	*state = NULL;
	return 1;
}

static int unbounded_run(
	void *state, const struct an_use *u, size_t n, uint32_t *depth, struct tr_err *err)
{
	(void)state, (void)err;
	for (size_t i = 0; i < n; i++)
		depth[i] = u[i].now && u[i].before;
	return 1;
}

static void unbounded_forget(void *state)
{
	(void)state;
}

static const struct model unbounded_model = {
	unbounded_new, unbounded_run, unbounded_forget, unbounded_forget};

static const struct {
	const char *name;
	bool has_curve;
	const struct model *model;
} policies[AN_NPOLICIES] = {
	[AN_OPT] = {"opt", true, &optimal_model},
	[AN_OPT_BYPASS] = {"opt-bypass", true, &optimal_model},
	[AN_LRU] = {"lru", true, &cache_model},
	[AN_FIFO] = {"fifo", false, &cache_model},
	[AN_RANDOM] = {"random", false, &cache_model},
};

const char *an_policy_name(enum an_policy p)
{
	return p < AN_NPOLICIES ? policies[p].name : NULL;
}

int an_policy_has_curve(enum an_policy p)
{
	return policies[p].has_curve;
}

/* ---- making ---- */

static int no_memory(struct tr_err *err)
{
	return tr_fail(err, TR_EMEM, 0, "no memory for the caches and their history");
}

/* Counts of `more` further keys, from zero. */
static int add_keys(struct an_replace *r, uint32_t more, struct tr_err *err)
{
	const uint32_t n = r->nkeys + more;

	if (n > r->cap_keys) {
		const uint32_t cap = n < 2 * r->cap_keys ? 2 * r->cap_keys : n;
		struct an_replace_counts *c = realloc(r->counts, cap * sizeof(*c));

		if (!c)
			return no_memory(err);
		r->counts = c;
		for (uint32_t k = 0; k < r->npairs; k++) {
			struct pair *p = &r->pairs[k];
			uint64_t *hits =
				realloc(p->hits, (size_t)cap * (p->depths + 1) * sizeof(*hits));

			if (!hits)
				return no_memory(err);
			p->hits = hits;
		}
		r->cap_keys = cap;
	}
	memset(r->counts + r->nkeys, 0, more * sizeof(*r->counts));
	for (uint32_t k = 0; k < r->npairs; k++) {
		const size_t width = r->pairs[k].depths + 1;

		memset(r->pairs[k].hits + r->nkeys * width, 0,
			more * width * sizeof(*r->pairs[k].hits));
	}
	r->nkeys = n;
	return 1;
}

int an_replace_new(
	struct an_replace **out, const struct an_replace_options *opt, struct tr_err *err)
{
	const struct an_locality_options classes = {
		.cache = {.line_bytes = 128},
		.warp_size = opt->warp_size,
		.write = opt->write,
		.flush = opt->flush,
	};
	struct an_replace *r = calloc(1, sizeof(*r));

	if (!r)
		return no_memory(err);
	r->opt = *opt;
	if (opt->by == AN_BY_CLASS && an_locality_new(&r->locality, &classes, err) < 0) {
		free(r);
		return no_memory(err);
	}
	*out = r;
	return 1;
}

static void free_sm(const struct an_replace *r, struct sm *sm)
{
	if (!sm)
		return;
	for (uint32_t k = 0; sm->states && k < r->npairs; k++)
		if (sm->states[k])
			r->pairs[k].model->free(sm->states[k]);
	free(sm->states);
	an_history_free(&sm->history);
	free(sm);
}

void an_replace_free(struct an_replace *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->nsms; i++)
		free_sm(r, r->sms[i]);
	for (uint32_t k = 0; k < r->npairs; k++)
		free(r->pairs[k].hits);
	free(r->sms);
	free(r->pairs);
	free(r->counts);
	free(r->programs);
	an_locality_free(r->locality);
	free(r);
}

int64_t an_replace_add(struct an_replace *r, enum an_policy policy, const struct sim_geometry *g,
	int curve, struct tr_err *err)
{
	struct pair *pairs = realloc(r->pairs, (r->npairs + 1) * sizeof(*pairs));

	if (!pairs)
		return no_memory(err);
	r->pairs = pairs;
	pairs[r->npairs] = (struct pair){
		.model = !g->sets ? &unbounded_model
			 : curve  ? &curve_model
				  : policies[policy].model,
		.policy = policy,
		.g = *g,
		.depths = curve && g->sets ? g->ways : 1,
	};
	return r->npairs++;
}

/* A launch or an access before any launch: the keys that are known beforehand. */
static int first_keys(struct an_replace *r, struct tr_err *err)
{
	if (r->nkeys || r->opt.by == AN_BY_SM || r->opt.by == AN_BY_PC)
		return 1;
	return add_keys(r, r->opt.by == AN_BY_CLASS ? AN_NCLASSES + 1 : 1, err);
}

static struct sm *make_sm(const struct an_replace *r, uint32_t number, struct tr_err *err)
{
	struct sm *sm = calloc(1, sizeof(*sm));

	if (!sm)
		return NULL;
	an_history_init(&sm->history);
	sm->states = calloc(r->npairs + 1, sizeof(*sm->states));
	for (uint32_t k = 0; sm->states && k < r->npairs; k++)
		if (r->pairs[k].model->new (
			    &sm->states[k], &r->pairs[k], r->opt.seed + number, err) < 0) {
			free_sm(r, sm);
			return NULL;
		}
	if (!sm->states) {
		free_sm(r, sm);
		return NULL;
	}
	return sm;
}

static int know_sm(struct an_replace *r, uint32_t number, struct tr_err *err)
{
	if (number >= SMS_MAX)
		return tr_fail(
			err, TR_EDATA, 0, "an access on SM %u, of %u at most", number, SMS_MAX);
	if (number >= r->nsms) {
		struct sm **sms = realloc(r->sms, (number + 1) * sizeof(struct sm *));

		if (!sms)
			return no_memory(err);
		memset(sms + r->nsms, 0, (number + 1 - r->nsms) * sizeof(struct sm *));
		r->sms = sms;
		r->nsms = number + 1;
	}
	if (r->opt.by == AN_BY_SM && number >= r->nkeys &&
		add_keys(r, number + 1 - r->nkeys, err) < 0)
		return TR_EMEM;
	if (!r->sms[number] && !(r->sms[number] = make_sm(r, number, err)))
		return no_memory(err);
	return 1;
}

/* ---- the run ---- */

static int run_row(struct an_replace *r, struct sm *sm, struct tr_err *err)
{
	uint32_t depth[ROW];

	for (uint32_t k = 0; k < r->npairs; k++) {
		const struct pair *p = &r->pairs[k];
		const size_t width = p->depths + 1;

		if (p->model->run(sm->states[k], sm->row, sm->n, depth, err) < 0)
			return TR_EMEM;
		for (uint32_t i = 0; i < sm->n; i++)
			p->hits[sm->key[i] * width + depth[i]]++;
	}
	sm->n = 0;
	return 1;
}

static int run_rows(struct an_replace *r, struct tr_err *err)
{
	for (uint32_t i = 0; i < r->nsms; i++)
		if (r->sms[i] && run_row(r, r->sms[i], err) < 0)
			return TR_EMEM;
	return 1;
}

static int know_program(
	struct an_replace *r, uint32_t number, const struct tr_program *p, struct tr_err *err)
{
	if (number >= r->nprograms) {
		struct program *known = realloc(r->programs, (number + 1) * sizeof(*known));

		if (!known)
			return no_memory(err);
		memset(known + r->nprograms, 0, (number + 1 - r->nprograms) * sizeof(*known));
		r->programs = known;
		r->nprograms = number + 1;
	}
	r->program = number;
	if (r->programs[number].p)
		return 1;
	r->programs[number] = (struct program){p, r->nkeys};
	return r->opt.by == AN_BY_PC ? add_keys(r, p->ninsts, err) : 1;
}

int an_replace_launch(struct an_replace *r, const struct tr_launch *l, const struct tr_program *p,
	struct tr_err *err)
{
	if (first_keys(r, err) < 0 || know_program(r, l->program, p, err) < 0)
		return TR_EMEM;
	if (r->locality)
		an_locality_launch(r->locality, l->number, tr_launch_threads(l), p);
	if (!r->opt.flush)
		return 1;
	if (run_rows(r, err) < 0)
		return TR_EMEM;
	for (uint32_t i = 0; i < r->nsms; i++) {
		if (!r->sms[i])
			continue;
		an_history_empty(&r->sms[i]->history);
		for (uint32_t k = 0; k < r->npairs; k++)
			r->pairs[k].model->flush(r->sms[i]->states[k]);
	}
	return 1;
}

/* The class of an access, as the one count that it adds to; AN_NCLASSES where it is no access. */
static int class_of(
	struct an_replace *r, const struct tr_access *a, uint32_t *key, struct tr_err *err)
{
	struct an_counts c = {.stores = 0};

	*key = 0;
	if (an_locality_access(r->locality, a, &c, err) < 0)
		return err->code;
	while (*key < AN_NCLASSES && !c.of[*key])
		++*key;
	return 1;
}

static int key_of(
	struct an_replace *r, const struct tr_access *a, uint32_t *key, struct tr_err *err)
{
	switch (r->opt.by) {
	case AN_BY_SM:
		*key = a->sm;
		return 1;
	case AN_BY_PC:
		if (a->inst >= r->programs[r->program].p->ninsts)
			return tr_fail(err, TR_EDATA, 0, "an access of instruction %u, of %u",
				a->inst, r->programs[r->program].p->ninsts);
		*key = r->programs[r->program].first_key + a->inst;
		return 1;
	case AN_BY_CLASS:
		return class_of(r, a, key, err);
	default:
		*key = 0;
		return 1;
	}
}

/* A use or an eviction of the SM's L1D into its row. */
static int take(struct an_replace *r, struct sm *sm, const struct tr_access *a, enum sim_l1d what,
	uint32_t key, struct tr_err *err)
{
	struct an_replace_counts *c = &r->counts[key];
	int past;

	sm->key[sm->n] = key;
	if (what == SIM_L1D_KEEP) {
		c->stores++;
	} else if (what == SIM_L1D_EVICT) {
		c->stores += a->op == TR_A_WRITE;
		c->atomics += a->op == TR_A_ATOMIC;
		sm->n += (uint32_t)an_history_evict(&sm->history, a->line, &sm->row[sm->n]);
	} else {
		past = an_history_use(&sm->history, a->line, &sm->row[sm->n++]);
		if (past < 0)
			return no_memory(err);
		c->accesses++;
		c->cold += past == AN_PAST_NONE;
		c->written += past == AN_PAST_EVICTED;
	}
	return sm->n == ROW ? run_row(r, sm, err) : 1;
}

int an_replace_run(struct an_replace *r, const struct tr_access *a, size_t n, struct tr_err *err)
{
	for (size_t i = 0; i < n; i++, a++) {
		const enum sim_l1d what = sim_l1d_of(a, r->opt.write);
		uint32_t key = 0;
		int rc;

		if (i + AHEAD < n && a[AHEAD].sm < r->nsms && r->sms[a[AHEAD].sm])
			sim_lines_prefetch(&r->sms[a[AHEAD].sm]->history.lines, a[AHEAD].line);
		if (a->sm >= r->nsms || !r->sms[a->sm])
			if ((rc = know_sm(r, a->sm, err)) < 0)
				return rc;
		if (r->opt.by != AN_BY_TOTAL && (rc = key_of(r, a, &key, err)) < 0)
			return rc;
		if (what == SIM_L1D_ABSENT)
			r->counts[key].absent++;
		else if ((rc = take(r, r->sms[a->sm], a, what, key, err)) < 0)
			return rc;
	}
	return 1;
}

int an_replace_end(struct an_replace *r, struct tr_err *err)
{
	return first_keys(r, err) < 0 ? TR_EMEM : run_rows(r, err);
}

/* ---- counts ---- */

uint32_t an_replace_nkeys(const struct an_replace *r)
{
	return r->nkeys;
}

struct an_replace_counts an_replace_counts(const struct an_replace *r, uint32_t key)
{
	return r->counts[key];
}

uint64_t an_replace_hits(const struct an_replace *r, uint32_t pair, uint32_t key, uint32_t ways)
{
	const struct pair *p = &r->pairs[pair];
	const uint64_t *hits = p->hits + (size_t)key * (p->depths + 1);
	uint64_t n = 0;

	for (uint32_t d = 1; d <= p->depths && (d <= ways || p->depths == 1); d++)
		n += hits[d];
	return n;
}

const struct tr_program *an_replace_pc(const struct an_replace *r, uint32_t key, uint32_t *inst)
{
	const struct program *best = NULL;

	for (uint32_t i = 0; i < r->nprograms; i++) {
		const struct program *p = &r->programs[i];

		if (p->p && p->first_key <= key && (!best || p->first_key >= best->first_key) &&
			key - p->first_key < p->p->ninsts)
			best = p;
	}
	*inst = key - best->first_key;
	return best->p;
}
