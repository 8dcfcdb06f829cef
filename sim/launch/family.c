/* Families of launches from a source. */
#include "sim/launch/family.h"
#include <stdlib.h>

static int no_memory(const struct sim_family *f, struct tr_err *err)
{
	if (!f->n)
		return tr_fail(err, TR_EMEM, 0, "no memory for the replay");
	return tr_fail(err, TR_EMEM, 0,
		"launch %u and the %u that go with it do not fit the memory together, at %zu bytes "
		"of their CTAs: --launch=serial takes one CTA at a time",
		f->kernels[0].launch.number, f->n - 1, f->bytes);
}

int sim_family_start(struct sim_family *f, struct tr_err *err)
{
	f->event = f->from->next(f->from->arg, err);
	return f->event < 0 ? f->event : 1;
}

static void drop_kernels(struct sim_family *f)
{
	for (uint32_t k = 0; k < f->n; k++) {
		for (uint32_t i = f->kernels[k].taken; i < f->kernels[k].nctas; i++)
			free(f->kernels[k].ctas[i].threads);
		free(f->kernels[k].ctas);
	}
	f->n = 0;
	f->bytes = 0;
	tr_program_free(f->joined);
	f->joined = NULL;
}

void sim_family_free(struct sim_family *f)
{
	drop_kernels(f);
	free(f->kernels);
	f->kernels = NULL;
}

/* The launch that the source has come to. */
static int add_kernel(struct sim_family *f, struct tr_err *err)
{
	const struct sim_source *from = f->from;
	struct sim_kernel *k;
	uint32_t parent;

	if (f->n == f->cap) {
		const uint32_t cap = f->cap ? 2 * f->cap : 16;

		k = realloc(f->kernels, cap * sizeof(*k));
		if (!k)
			return no_memory(f, err);
		f->kernels = k;
		f->cap = cap;
	}
	/* The source's launch changes when it meets the next one: keep what is asked for later. */
	k = &f->kernels[f->n];
	*k = (struct sim_kernel){
		.launch = *from->launch(from->arg), .program = from->program(from->arg)};
	k->launch.nallocs = k->launch.ncopies = 0;
	k->launch.allocs = NULL;
	k->launch.copies = NULL;
	parent = sim_family_find(f, k->launch.parent_launch);
	k->depth = parent == TR_NONE ? 0 : f->kernels[parent].depth + 1;
	f->n++;
	return f->begins ? f->begins(f->arg, from->launch(from->arg), k->program) : 1;
}

static int next_event(struct sim_family *f, struct tr_err *err)
{
	f->event = f->from->next(f->from->arg, err);
	return f->event < 0 ? f->event : 1;
}

#define ALL_CTAS UINT64_MAX
#define NEXT_ROW 0 /* those of clusters side by side */

static size_t bytes_of(const struct tr_cta *c)
{
	size_t bytes = c->nthreads * sizeof(*c->threads) + c->nsync * sizeof(*c->sync) +
		       c->nspins * sizeof(*c->spins);

	for (uint32_t t = 0; t < c->nthreads; t++)
		bytes += c->threads[t].noutcomes + 8 * (size_t)c->threads[t].nvalues;
	return bytes;
}

/* ---- CTAs of clusters ---- */

static int has_clusters(const struct sim_kernel *k)
{
	return tr_launch_cluster_ctas(&k->launch) > 1;
}

/* So many CTAs of consecutive numbers are whole clusters, one after the other. */
static uint64_t row_of_clusters(const struct tr_launch *l)
{
	const uint32_t *c = l->cluster;

	if (c[2] > 1)
		return (uint64_t)l->grid[0] * l->grid[1] * c[2];
	return c[1] > 1 ? (uint64_t)l->grid[0] * c[1] : c[0];
}

/* Puts a kernel's CTAs in the order of their clusters, which have to be whole. */
static int order_clusters(struct sim_family *f, struct sim_kernel *k, struct tr_err *err)
{
	const struct tr_launch *l = &k->launch;
	const uint32_t n = tr_launch_cluster_ctas(l);
	struct tr_cta *by;
	uint32_t here = 0, first = UINT32_MAX, last = 0;

	for (uint32_t i = 0; i < k->nctas; i++) {
		const uint32_t c = tr_launch_cluster_number(l, k->ctas[i].number);

		first = c < first ? c : first;
		last = c > last ? c : last;
	}
	if (k->nctas && k->nctas != (uint64_t)(last - first + 1) * n)
		return tr_fail(err, TR_EDATA, 0,
			"launch %u: of some of its clusters, %u CTAs each, only a part is here",
			l->number, n);
	by = malloc(k->nctas * sizeof(*by));
	if (!by)
		return no_memory(f, err);
	for (; here < k->nctas; here++) {
		const struct tr_cta *c = &k->ctas[here];

		by[(tr_launch_cluster_number(l, c->number) - first) * n +
			tr_launch_cluster_rank(l, c->number)] = *c;
	}
	free(k->ctas);
	k->ctas = by;
	k->cap = k->nctas;
	return 1;
}

/* The CTAs of the kernel that is read, up to the one of number `end`. */
static int keep_ctas(struct sim_family *f, struct sim_kernel *k, uint64_t end, struct tr_err *err)
{
	int rc = 1, last = 0;

	while (rc > 0 && f->event == TR_CTA && !last) {
		const struct tr_cta *cta = f->from->cta(f->from->arg, err);

		if (!cta)
			return err->code;
		if (end == NEXT_ROW)
			end = (cta->number / row_of_clusters(&k->launch) + 1) *
			      row_of_clusters(&k->launch);
		last = cta->number + 1ull >= end;
		if (k->nctas == k->cap) {
			const uint32_t cap = k->cap ? 2 * k->cap : 4;
			struct tr_cta *more = realloc(k->ctas, cap * sizeof(*more));

			if (!more)
				return no_memory(f, err);
			k->ctas = more;
			k->cap = cap;
		}
		if (!sim_cta_pack(&k->ctas[k->nctas], cta))
			return no_memory(f, err);
		f->bytes += bytes_of(&k->ctas[k->nctas++]);
		rc = next_event(f, err);
	}
	if (f->bytes > f->most_bytes)
		f->most_bytes = f->bytes;
	return rc > 0 && has_clusters(k) && k->nctas ? order_clusters(f, k, err) : rc;
}

/*
 * Does the launch that the source has come to belong to the family? A thread's does. Of the host's,
 * those of streams of their own do: one in the default stream, or one before which the host copied,
 * waits for all before it.
 */
static int belongs(const struct sim_family *f)
{
	const struct tr_launch *l = f->from->launch(f->from->arg);

	if (l->parent_launch != TR_NONE)
		return sim_family_find(f, l->parent_launch) != TR_NONE;
	return f->together == SIM_WITH_STREAMS && l->queue && !l->ncopies &&
	       f->kernels[0].launch.queue;
}

/* The family's program: that of its kernels, or all of theirs side by side. */
static int join(struct sim_family *f, struct tr_err *err)
{
	const struct tr_program **programs = malloc(f->n * sizeof(*programs));
	uint32_t n = 0, at;
	int rc = 1;

	if (!programs)
		return no_memory(f, err);
	for (uint32_t k = 0; k < f->n; k++) {
		uint32_t entry = 0;

		for (at = 0; at < n && programs[at] != f->kernels[k].program; at++)
			entry += programs[at]->ninsts;
		if (at == n)
			programs[n++] = f->kernels[k].program;
		f->kernels[k].entry = entry;
	}
	f->program = programs[0];
	if (n > 1) {
		rc = sim_join(&f->joined, programs, n, err);
		f->program = f->joined;
	}
	free(programs);
	return rc;
}

int sim_family_next(struct sim_family *f, struct tr_err *err)
{
	int rc;

	drop_kernels(f);
	if (f->event != TR_LAUNCH)
		return 0;
	rc = add_kernel(f, err);
	if (rc > 0)
		rc = next_event(f, err);
	if (rc < 0)
		return rc;
	f->program = f->kernels[0].program;
	f->in_memory = f->together == SIM_WITH_STREAMS ||
		       (f->together == SIM_WITH_CHILDREN && tr_program_launches(f->program));
	if (!f->in_memory)
		return 1;
	rc = keep_ctas(f, &f->kernels[f->n - 1], ALL_CTAS, err);
	while (rc > 0 && f->event == TR_LAUNCH && belongs(f)) {
		rc = add_kernel(f, err);
		if (rc > 0)
			rc = next_event(f, err);
		if (rc > 0)
			rc = keep_ctas(f, &f->kernels[f->n - 1], ALL_CTAS, err);
	}
	return rc < 0 ? rc : join(f, err);
}

int sim_family_has(const struct sim_family *f, uint32_t kernel)
{
	const struct sim_kernel *k = &f->kernels[kernel];

	return k->taken < k->nctas || (!f->in_memory && f->event == TR_CTA);
}

const struct tr_cta *sim_family_cta(struct sim_family *f, uint32_t kernel, struct tr_err *err)
{
	struct sim_kernel *k = &f->kernels[kernel];

	if (!f->in_memory && !has_clusters(k))
		return f->from->cta(f->from->arg, err);
	if (k->taken == k->nctas && !f->in_memory) {
		k->taken = k->nctas = 0;
		if (keep_ctas(f, k, NEXT_ROW, err) < 0)
			return NULL;
	}
	return &k->ctas[k->taken];
}

int sim_family_pass(struct sim_family *f, uint32_t kernel, struct tr_err *err)
{
	struct sim_kernel *k = &f->kernels[kernel];

	if (!f->in_memory && !has_clusters(k))
		return next_event(f, err);
	f->bytes -= bytes_of(&k->ctas[k->taken]);
	free(k->ctas[k->taken++].threads);
	return 1;
}

uint32_t sim_family_find(const struct sim_family *f, uint32_t number)
{
	uint32_t low = 0, high = f->n;

	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;

		if (f->kernels[mid].launch.number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low < f->n && f->kernels[low].launch.number == number ? low : TR_NONE;
}
