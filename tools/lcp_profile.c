/* A first pass over a trace: edges are counted, points are made of them. */
#include "tools/lcp_profile.h"
#include "sim/warp/lcp_points.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct counts {                     /* of a program */
	const struct tr_program *p; /* NULL: it has no launch */
	uint64_t *edges;
};

struct pass {
	struct counts *counts;
	uint32_t n;
};

static uint64_t *edges_of(struct pass *s, const struct tr_program *p, uint32_t program)
{
	if (program >= s->n) {
		s->counts = must_realloc(s->counts, program + (size_t)1, sizeof(*s->counts));
		while (s->n <= program)
			s->counts[s->n++] = (struct counts){0};
	}
	if (!s->counts[program].p)
		s->counts[program] =
			(struct counts){p, must_alloc(p->nsucc_pool + 1, sizeof(uint64_t))};
	return s->counts[program].edges;
}

static int count(struct pass *s, struct tr_reader *r, struct tr_err *err)
{
	uint64_t *edges = NULL;
	struct tr_cta cta;
	int event;

	tr_cta_init(&cta);
	while ((event = tr_reader_next(r, err)) > 0) {
		const struct tr_program *p = tr_reader_program(r);

		if (event == TR_LAUNCH)
			edges = edges_of(s, p, tr_reader_launch(r)->program);
		else if ((event = tr_reader_cta(r, &cta, err)) < 0 ||
			 (event = sim_lcp_count(p, &cta, edges, err)) < 0)
			break;
	}
	tr_cta_free(&cta);
	return event;
}

static int make_points(struct lcp_profile *p, const struct pass *s, struct tr_err *err)
{
	int rc = 1;

	p->nprograms = s->n;
	p->lcp = must_alloc(s->n + 1, sizeof(*p->lcp));
	for (uint32_t i = 0; i < s->n && rc > 0; i++) {
		const struct counts *c = &s->counts[i];

		if (!c->p)
			continue;
		p->lcp[i] = must_alloc(c->p->ninsts + 1, sizeof(**p->lcp));
		rc = sim_lcp_points(c->p, c->edges, p->lcp[i], err);
	}
	return rc;
}

void lcp_profile_make(struct lcp_profile *p, FILE *in, const char *name, const struct tr_part *part)
{
	struct pass s = {0};
	struct tr_reader *r;
	struct tr_err err = {0};
	int rc;

	if (fseek(in, 0, SEEK_CUR))
		die(EXIT_USAGE,
			"lcp=profile reads the trace twice, and %s can be read but once: use a "
			"FILE",
			name);
	rc = tr_reader_open(&r, in, part, &err);
	if (rc > 0)
		rc = count(&s, r, &err);
	if (rc >= 0)
		rc = make_points(p, &s, &err);
	if (rc < 0) {
		char *what = must_printf("cannot read %s", name);

		die_err(&err, what);
	}
	tr_reader_close(r);
	for (uint32_t i = 0; i < s.n; i++)
		free(s.counts[i].edges);
	free(s.counts);
	if (fseek(in, 0, SEEK_SET))
		die(EXIT_BAD, "cannot read %s again: %s", name, strerror(errno));
}

void lcp_profile_free(struct lcp_profile *p)
{
	for (uint32_t i = 0; i < p->nprograms; i++)
		free(p->lcp[i]);
	free(p->lcp);
	*p = (struct lcp_profile){0};
}
