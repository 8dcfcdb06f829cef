/* Figures of instructions as rows; see split.h. */
#include "tools/split.h"
#include <stdlib.h>
#include <string.h>

static void row(const struct split *s, uint32_t launch, const struct tr_program *p, uint32_t inst,
	const uint64_t *figures)
{
	const struct split_row r = {p, inst, launch, figures};

	s->row(s->arg, &r);
}

static int by_line(const void *a, const void *b, void *arg)
{
	const struct tr_program *p = arg;
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct tr_inst *x = &p->insts[i], *y = &p->insts[k];

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return i < k ? -1 : 1;
}

static void lines(
	const struct split *s, uint32_t launch, const struct tr_program *p, const uint64_t *figures)
{
	uint32_t *order = must_alloc(p->ninsts, sizeof(*order)), i = 0;
	uint64_t *sum = must_alloc(s->n, sizeof(*sum));

	for (uint32_t k = 0; k < p->ninsts; k++)
		order[k] = k;
	qsort_r(order, p->ninsts, sizeof(*order), by_line, (void *)p);
	while (i < p->ninsts) {
		const uint32_t first = order[i];

		memset(sum, 0, s->n * sizeof(*sum));
		for (; i < p->ninsts && p->insts[order[i]].file == p->insts[first].file &&
			p->insts[order[i]].line == p->insts[first].line;
			i++)
			for (unsigned k = 0; k < s->n; k++)
				sum[k] += figures[(size_t)order[i] * s->n + k];
		row(s, launch, p, first, sum);
	}
	free(order);
	free(sum);
}

static void rows(
	const struct split *s, uint32_t launch, const struct tr_program *p, const uint64_t *figures)
{
	if (s->by_line)
		lines(s, launch, p, figures);
	for (uint32_t i = 0; !s->by_line && i < p->ninsts; i++)
		row(s, launch, p, i, figures + (size_t)i * s->n);
}

void split_launch(struct split *s, uint32_t launch, uint32_t number, const struct tr_program *p,
	const uint64_t *figures)
{
	const size_t n = (size_t)p->ninsts * s->n;
	struct split_kernel *kernel;

	if (!s->total) {
		rows(s, launch, p, figures);
		return;
	}
	if (number >= s->nkernels) {
		s->kernels = must_realloc(s->kernels, number + (size_t)1, sizeof(*s->kernels));
		while (s->nkernels <= number)
			s->kernels[s->nkernels++] = (struct split_kernel){NULL, NULL};
	}
	kernel = &s->kernels[number];
	if (!kernel->p)
		*kernel = (struct split_kernel){p, must_alloc(n, sizeof(*figures))};
	for (size_t i = 0; i < n; i++)
		kernel->figures[i] += figures[i];
}

void split_end(struct split *s)
{
	for (uint32_t i = 0; i < s->nkernels; i++) {
		if (s->kernels[i].p)
			rows(s, TR_NONE, s->kernels[i].p, s->kernels[i].figures);
		free(s->kernels[i].figures);
	}
	free(s->kernels);
	s->kernels = NULL;
	s->nkernels = 0;
}

void split_put_launch(struct table *t, const struct split_row *r)
{
	if (r->launch == TR_NONE)
		table_text(t, "total");
	else
		table_id(t, r->launch);
}

const char *split_file(const struct tr_program *p, uint32_t inst)
{
	return p->insts[inst].file == TR_NONE ? "-" : tr_str(p, p->insts[inst].file);
}

void split_put_inst(struct table *t, const struct split_row *r)
{
	char text[256];

	tr_program_format(r->p, r->inst, text, sizeof(text));
	table_text(t, text);
}
