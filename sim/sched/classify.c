/* Static load classification by profile or by sampling; see classify.h. */
#include "sim/sched/classify.h"

/* ---- the table ---- */

static struct sim_static_load *find(struct sim_classifier *c, uint32_t inst)
{
	uint32_t lo = 0, hi = c->nloads;

	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;

		if (c->loads[mid].inst < inst)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->nloads && c->loads[lo].inst == inst ? &c->loads[lo] : NULL;
}

/* A group counts once, and as diverged if one of its loads is (4.2.1). */
static void count_group(struct sim_classifier *c, const struct sim_static_load *g, uint32_t by)
{
	struct sim_static_loop *l = &c->loops[g->loop];

	if (g->ndiverged)
		l->diverged += by;
	else if (g->nknown)
		l->converged += by;
}

static void classify(struct sim_classifier *c, struct sim_static_load *x, int diverged)
{
	struct sim_static_load *g = &c->loads[x->group];

	if (x->known && x->diverged == diverged)
		return;
	count_group(c, g, -1u);
	g->nknown += !x->known;
	g->ndiverged += (uint32_t)diverged - x->diverged;
	x->known = 1;
	x->diverged = (uint8_t)diverged;
	count_group(c, g, 1);
}

/* Two loads of one loop, and all that repeat them, have one repetition ID from now on. */
static void join(struct sim_classifier *c, uint32_t a, uint32_t b)
{
	const uint32_t to = c->loads[a].group, from = c->loads[b].group;

	if (to == from)
		return;
	count_group(c, &c->loads[to], -1u);
	count_group(c, &c->loads[from], -1u);
	c->loads[to].nknown += c->loads[from].nknown;
	c->loads[to].ndiverged += c->loads[from].ndiverged;
	for (uint32_t i = 0; i < c->nloads; i++)
		if (c->loads[i].group == from)
			c->loads[i].group = to;
	count_group(c, &c->loads[to], 1);
}

static void read_profile(struct sim_classifier *c, const struct sim_profile_kernel *k)
{
	uint32_t repetition[SIM_CLASSIFY_LOADS], known[SIM_CLASSIFY_LOADS], n = 0;

	for (uint32_t i = 0; i < k->nloads && n < SIM_CLASSIFY_LOADS; i++) {
		const struct sim_profile_load *row = &k->loads[i];
		struct sim_static_load *x = find(c, row->inst);

		if (!x)
			continue;
		classify(c, x, row->diverged);
		c->loops[x->loop].locality = row->locality;
		repetition[n] = row->repetition;
		known[n] = (uint32_t)(x - c->loads);
		for (uint32_t j = 0; j < n; j++)
			if (c->loads[known[j]].loop == x->loop && repetition[j] == row->repetition)
				join(c, known[j], known[n]);
		n++;
	}
}

size_t sim_classifier_bytes(uint32_t entries)
{
	return entries * sizeof(struct sim_repetition);
}

void sim_classifier_init(struct sim_classifier *c, void *bytes, uint32_t entries, uint32_t ways,
	const struct sim_sched_env *env)
{
	c->profile = env->profile;
	c->line_bytes = env->line_bytes;
	c->repetitions = bytes;
	c->entries = entries;
	c->ways = ways;
}

void sim_classifier_launch(struct sim_classifier *c, const struct tr_program *p)
{
	c->program = p;
	c->nloads = 0;
	c->nloops = p->nloops < SIM_CLASSIFY_LOOPS ? p->nloops : SIM_CLASSIFY_LOOPS;
	for (uint32_t l = 0; l < c->nloops; l++)
		c->loops[l] = (struct sim_static_loop){
			.first = p->blocks[p->loops[l].header].first, .sampler = TR_NONE};
	for (uint32_t i = 0; i < p->ninsts && c->nloads < SIM_CLASSIFY_LOADS; i++) {
		const uint32_t loop = p->blocks[p->insts[i].block].loop;

		if (loop >= c->nloops || !sim_profile_counts(&p->insts[i]))
			continue;
		c->loads[c->nloads] =
			(struct sim_static_load){.inst = i, .loop = loop, .group = c->nloads};
		c->nloads++;
	}
	memset(c->repetitions, 0, sim_classifier_bytes(c->entries));
	for (uint32_t k = 0; c->profile && k < c->profile->nkernels; k++)
		if (!strcmp(c->profile->kernels[k].name, tr_str(p, p->name)))
			read_profile(c, &c->profile->kernels[k]);
}

/* ---- sampling ---- */

static void forget_repetitions(struct sim_classifier *c, uint32_t member)
{
	for (uint32_t i = 0; i < c->entries; i++)
		if (c->repetitions[i].member == member)
			c->repetitions[i].stamp = 0;
}

/*
 * A loop's first sampling warp has more than two active threads, those that follow at least two:
 * 4.2.2 says so in two sentences.
 */
void sim_classifier_begin(struct sim_classifier *c, uint32_t member, uint32_t loop, uint32_t active)
{
	struct sim_static_loop *l;

	if (c->profile || loop >= c->nloops)
		return;
	l = &c->loops[loop];
	if (l->sampler == TR_NONE && active >= (l->sampled ? 2 : 3)) {
		l->sampler = member;
		l->sampled = 1;
	}
	sim_classifier_iterate(c, member, loop);
}

void sim_classifier_iterate(struct sim_classifier *c, uint32_t member, uint32_t loop)
{
	if (!c->profile && loop < c->nloops && c->loops[loop].sampler == member)
		forget_repetitions(c, member);
}

void sim_classifier_end(struct sim_classifier *c, uint32_t member, uint32_t loop)
{
	if (loop < c->nloops && c->loops[loop].sampler == member)
		c->loops[loop].sampler = TR_NONE;
}

void sim_classifier_leave(struct sim_classifier *c, uint32_t member)
{
	for (uint32_t l = 0; l < c->nloops; l++)
		sim_classifier_end(c, member, l);
	if (!c->profile)
		forget_repetitions(c, member);
}

/*
 * The intra-loop repetition detector: a tag array with LRU replacement. A tag that another load of
 * the same trip of the same loop has put there makes the two repetitions of one another.
 */
static void detect_repetition(
	struct sim_classifier *c, uint32_t member, uint32_t load, uint64_t line)
{
	const uint32_t sets = c->entries / c->ways;
	struct sim_repetition *set = c->repetitions + line / c->line_bytes % sets * c->ways;
	struct sim_repetition *oldest = set;

	for (struct sim_repetition *r = set; r < set + c->ways; r++) {
		if (r->stamp && r->line == line && r->member == member &&
			c->loads[r->load].loop == c->loads[load].loop) {
			r->stamp = ++c->stamp;
			join(c, r->load, load);
			return;
		}
		if (r->stamp < oldest->stamp)
			oldest = r;
	}
	*oldest = (struct sim_repetition){
		.line = line, .stamp = ++c->stamp, .member = member, .load = load};
}

/* The memory divergence detector: loads of more than two threads count. */
static void detect_divergence(
	struct sim_classifier *c, struct sim_static_load *x, const struct sim_sched_access *a)
{
	if (a->active > 2)
		x->divergence += a->of > 2 ? 1 : -1;
	classify(c, x, x->divergence > 1);
}

/* The coalescer's word comes before the L1D's: with the load's first access. */
void sim_classifier_access(struct sim_classifier *c, const struct sim_sched_access *a, int local)
{
	struct sim_static_load *x;
	struct sim_static_loop *l;

	if (c->profile)
		return;
	if (!a->number)
		c->sampled = c->local = 0;
	x = find(c, a->inst);
	l = x ? &c->loops[x->loop] : NULL;
	if (l && l->sampler == a->member) {
		if (l->locality > 0) {
			if (!c->sampled)
				detect_divergence(c, x, a);
			detect_repetition(c, a->member, (uint32_t)(x - c->loads), a->line);
		}
		c->sampled = 1;
		c->loop = x->loop;
		c->local |= (uint8_t)local;
	}
	if (c->sampled && a->number + 1 == a->of) /* its last access may be of another load */
		c->loops[c->loop].locality += c->local ? 1 : -1;
}

/* ---- prediction ---- */

uint32_t sim_classifier_lines(const struct sim_classifier *c, uint32_t loop, uint32_t active)
{
	const struct sim_static_loop *l;

	if (loop >= c->nloops || c->loops[loop].locality <= 0)
		return 0;
	l = &c->loops[loop];
	return l->diverged * active + l->converged * (active > 1 ? 2 : 1);
}

uint32_t sim_classifier_closest(const struct sim_classifier *c, uint32_t inst)
{
	uint32_t best = TR_NONE;

	for (uint32_t l = 0; l < c->nloops; l++)
		if (c->loops[l].first > inst &&
			(best == TR_NONE || c->loops[l].first < c->loops[best].first))
			best = l;
	return best;
}
