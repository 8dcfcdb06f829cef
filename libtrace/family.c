/* Families of launches: parents, and launches that were named. */
#include "family.h"
#include <stdlib.h>
#include <string.h>

void tr_family_free(struct tr_family *f)
{
	free(f->kin);
	free(f->named);
	*f = (struct tr_family){0};
}

struct tr_kin *tr_family_kin(struct tr_family *f, uint32_t launch)
{
	return launch - f->host < f->n ? &f->kin[launch - f->host] : NULL;
}

static int wrong(const struct tr_launch *l, struct tr_err *err, const char *why)
{
	return tr_fail(err, TR_EDATA, 0, "launch %u, which launch %u is said to have launched: %s",
		l->number, l->parent_launch, why);
}

/* What the parent's program and its own say of a child, or NULL: nothing against it. */
static const char *misfit(const struct tr_launch *l, const struct tr_program *program,
	const struct tr_program *parent)
{
	if (parent && (l->parent_inst >= parent->ninsts ||
			      !(parent->insts[l->parent_inst].flags & TR_I_API) ||
			      parent->insts[l->parent_inst].aux != TR_API_LAUNCH))
		return "that launch's instruction launches nothing";
	if (l->buffer_bytes > UINT64_MAX - l->buffer ||
		(program && l->buffer_bytes < program->param_bytes))
		return "its parameters lie beyond the end of their buffer";
	return NULL;
}

/* Is it the one that its parent named? NULL, or what is wrong. */
static const char *unnamed(
	struct tr_family *f, const struct tr_launch *l, const struct tr_kin *parent)
{
	struct tr_named *named = f->named ? &f->named[l->number % TR_PENDING_MAX] : NULL;

	if (!named || named->launch == TR_NONE)
		return parent->decoded == parent->ctas ? "no thread of that launch names it" : NULL;
	if (named->launch != l->parent_launch || named->cta != l->parent_cta ||
		named->thread != l->parent_thread || named->inst != l->parent_inst)
		return "it was named elsewhere";
	named->launch = TR_NONE;
	f->nnamed--;
	return NULL;
}

int tr_family_launch(struct tr_family *f, const struct tr_launch *l,
	const struct tr_program *program, const struct tr_program *parent, struct tr_err *err)
{
	struct tr_kin self = {.program = l->program,
		.ctas = (uint32_t)tr_launch_ctas(l),
		.threads = tr_launch_threads(l)};
	const struct tr_kin *kin;
	const char *why;

	if (l->parent_launch == TR_NONE) {
		const int rc = tr_family_end(f, err);

		if (rc < 0)
			return rc;
		f->host = l->number;
		f->n = 0;
	} else if (!f->n) {
		return 1; /* reading began in the middle of a family */
	} else {
		kin = tr_family_kin(f, l->parent_launch);
		why = !kin ? "that is none of the launches before it since the host's last one"
		      : l->parent_cta >= kin->ctas || l->parent_thread >= kin->threads
			      ? "that launch has no such thread"
		      : kin->depth == TR_DEPTH_MAX ? "it would be more than 24 deep"
						   : misfit(l, program, parent);
		if (!why && program)
			why = unnamed(f, l, kin);
		if (why)
			return wrong(l, err, why);
		self.depth = kin->depth + 1;
	}
	if (f->n == f->cap) {
		const uint32_t cap = f->cap ? 2 * f->cap : 16;
		struct tr_kin *more = realloc(f->kin, cap * sizeof(*more));

		if (!more)
			return tr_fail(err, TR_EMEM, 0, "no memory for the launches of a family");
		f->kin = more;
		f->cap = cap;
	}
	f->kin[f->n++] = self;
	return 1;
}

int tr_family_name(struct tr_family *f, uint32_t launch, uint32_t cta, uint32_t thread,
	uint32_t inst, uint64_t child, struct tr_err *err)
{
	struct tr_named *named;

	if (child == TR_NONE || !tr_family_kin(f, launch))
		return 1; /* nothing was launched, or nothing is known of the family */
	if (child < f->host + (uint64_t)f->n || child - f->host - f->n >= TR_PENDING_MAX)
		return tr_fail(err, TR_EDATA, 0,
			"CTA %u of launch %u: thread %u says that it launched %llu, which is none "
			"of the next %u launches",
			cta, launch, thread, (unsigned long long)child, TR_PENDING_MAX);
	if (!f->named) {
		f->named = malloc(TR_PENDING_MAX * sizeof(*f->named));
		if (!f->named)
			return tr_fail(err, TR_EMEM, 0, "no memory for the launches of a family");
		memset(f->named, 0xff, TR_PENDING_MAX * sizeof(*f->named));
	}
	named = &f->named[child % TR_PENDING_MAX];
	if (named->launch != TR_NONE)
		return tr_fail(err, TR_EDATA, 0,
			"CTA %u of launch %u: thread %u says that it launched %llu, and so does "
			"another one",
			cta, launch, thread, (unsigned long long)child);
	*named = (struct tr_named){launch, cta, thread, inst};
	f->nnamed++;
	return 1;
}

void tr_family_decoded(struct tr_family *f, uint32_t launch)
{
	struct tr_kin *kin = tr_family_kin(f, launch);

	if (kin)
		kin->decoded++;
}

int tr_family_cta(struct tr_family *f, const struct tr_program *p, const struct tr_cta *cta,
	struct tr_err *err)
{
	int rc = 1;

	if (!tr_family_kin(f, cta->launch))
		return 1;
	tr_family_decoded(f, cta->launch);
	for (uint32_t t = 0; t < cta->nthreads && rc > 0; t++) {
		struct tr_walk w;

		tr_walk_start(&w, p, &cta->threads[t]);
		while (rc > 0 && tr_walk_next(&w) > 0)
			if (w.has_value && p->insts[w.inst].flags & TR_I_API &&
				p->insts[w.inst].aux == TR_API_LAUNCH)
				rc = tr_family_name(
					f, cta->launch, cta->number, t, w.inst, w.value, err);
	}
	return rc;
}

int tr_family_end(const struct tr_family *f, struct tr_err *err)
{
	for (uint32_t i = 0; f->nnamed && i < TR_PENDING_MAX; i++)
		if (f->named[i].launch != TR_NONE)
			return tr_fail(err, TR_EDATA, 0,
				"CTA %u of launch %u: thread %u names a launch that is not there",
				f->named[i].cta, f->named[i].launch, f->named[i].thread);
	return 1;
}
