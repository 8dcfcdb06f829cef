/* The events of a replay; see events.h. */
#include "tools/events_form.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct events_form *const forms[] = {&events_tsv, &events_konata, &events_json};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

static bool ends_in(const char *path, const char *ending)
{
	const size_t n = strlen(path), m = strlen(ending);

	return n > m && !strcmp(path + n - m, ending);
}

/* Standard output has no ending: it is a table, like all others. */
static const struct events_form *form_of(const char *path)
{
	for (size_t i = 0; i < FORMS; i++)
		if (ends_in(path, forms[i]->ending))
			return forms[i];
	return strcmp(path, "-") ? NULL : &events_tsv;
}

void events_check(const struct events_options *o, uint32_t sms)
{
	if (!o->path) {
		if (o->from_given || o->to_given || o->sm_given)
			die(EXIT_USAGE, "--events-from, --events-to and --events-sm are of "
					"--events, and there is none");
		return;
	}
	if (!form_of(o->path))
		die(EXIT_USAGE,
			"--events: '%s' ends in none of .tsv, .konata and .json, which say the "
			"form",
			o->path);
	if (o->to <= o->from)
		die(EXIT_USAGE,
			"--events-to: the window ends before cycle %" PRIu64
			" and begins with cycle %" PRIu64 ", so there is no cycle in it",
			o->to, o->from);
	if (o->sm_given && o->sm >= sms)
		die(EXIT_USAGE,
			"--events-sm: there is no SM %" PRIu32 ": the machine has %" PRIu32
			", numbered from 0",
			o->sm, sms);
}

/* ---- what the forms share ---- */

const char *events_opcode(const struct tr_program *p, uint32_t inst)
{
	return inst < p->ninsts ? tr_str(p, p->insts[inst].opcode) : "-";
}

const char *events_mask(const struct sim_mask *m, char text[EVENTS_MASK])
{
	int k = SIM_MASK_WORDS - 1;
	size_t n;

	while (k && !m->w[k])
		k--;
	n = (size_t)snprintf(text, EVENTS_MASK, "0x%" PRIx64, m->w[k]);
	while (k--)
		n += (size_t)snprintf(text + n, EVENTS_MASK - n, "%016" PRIx64, m->w[k]);
	return text;
}

struct events_sm *events_sm(struct events *e, uint32_t sm)
{
	if (sm >= e->nsms) {
		e->sms = must_realloc(e->sms, sm + 1, sizeof(*e->sms));
		memset(e->sms + e->nsms, 0, (sm + 1 - e->nsms) * sizeof(*e->sms));
		e->nsms = sm + 1;
	}
	return &e->sms[sm];
}

/* Number i of a list of tracks. */
static struct events_track *track(struct events_track **list, uint32_t *n, uint32_t i)
{
	if (i >= *n) {
		const uint32_t more = i + 1 > 2 * *n ? i + 1 : 2 * *n;

		*list = must_realloc(*list, more, sizeof(**list));
		for (; *n < more; ++*n)
			(*list)[*n] = (struct events_track){.cls = EVENTS_NOTHING};
	}
	return &(*list)[i];
}

/* ---- what lasts ---- */

static void warp_until(
	struct events *e, uint32_t sm, uint32_t slot, struct events_track *t, uint64_t to)
{
	if (t->cls != EVENTS_NOTHING && to > t->since && e->form->warp)
		e->form->warp(e, sm, slot, t, to);
}

static void scheduler_until(
	struct events *e, uint32_t sm, uint32_t number, struct events_track *t, uint64_t to)
{
	if (t->cls != EVENTS_NOTHING && to > t->since && e->form->scheduler)
		e->form->scheduler(e, sm, number, t, to);
}

static void begins(struct events_track *t, const struct sim_event *x, uint8_t cls)
{
	*t = (struct events_track){.since = x->at,
		.program = x->program,
		.cls = cls,
		.launch = x->launch,
		.cta = x->cta,
		.inst = x->inst};
}

static void warp_event(struct events *e, const struct sim_event *x)
{
	struct events_sm *sm = events_sm(e, x->sm);
	struct events_track *t = track(&sm->warps, &sm->nwarps, x->warp);

	switch ((enum sim_event_kind)x->kind) {
	case SIM_EV_WAIT:
		warp_until(e, x->sm, x->warp, t, x->at);
		begins(t, x, x->what);
		return;
	case SIM_EV_WARP_IN: /* until it is said what it does */
		begins(t, x, SIM_CY_IDLE);
		return;
	case SIM_EV_WARP_OUT:
		warp_until(e, x->sm, x->warp, t, x->at);
		t->cls = EVENTS_NOTHING;
		return;
	case SIM_EV_ISSUE:
	case SIM_EV_OWN:
		warp_until(e, x->sm, x->warp, t, x->at);
		begins(t, x, SIM_CY_ISSUED);
		t->issues = true;
		t->own = x->kind == SIM_EV_OWN;
		t->lanes = sim_lanes(x->lanes);
		t->done = sim_lanes(x->done);
		return;
	default:
		return;
	}
}

static void happens(void *arg, const struct sim_event *x)
{
	struct events *e = arg;

	if (x->kind == SIM_EV_SCHEDULER) {
		struct events_sm *sm = events_sm(e, x->sm);
		struct events_track *t = track(&sm->schedulers, &sm->nschedulers, x->other);

		scheduler_until(e, x->sm, x->other, t, x->at);
		begins(t, x, x->what);
	} else if (x->warp != SIM_NO_WARP) {
		warp_event(e, x);
	}
	e->form->event(e, x);
}

/* ---- from beginning to end ---- */

struct events *events_open(
	const struct events_options *o, const char *provenance, struct sim_events *hook)
{
	struct events *e = must_alloc(1, sizeof(*e));

	*e = (struct events){.form = form_of(o->path), .from = o->from, .to = o->to};
	output_open(&e->out, o->path, false);
	e->form->open(e, provenance);
	*hook = (struct sim_events){.arg = e,
		.event = happens,
		.from = o->from,
		.to = o->to,
		.sm = o->sm_given ? o->sm : SIM_ALL_SMS};
	return e;
}

void events_close(struct events *e, uint64_t cycles, bool quiet)
{
	const uint64_t end = e->to < cycles ? e->to : cycles;

	for (uint32_t s = 0; s < e->nsms; s++) {
		struct events_sm *sm = &e->sms[s];

		for (uint32_t i = 0; i < sm->nschedulers; i++)
			scheduler_until(e, s, i, &sm->schedulers[i], end);
		for (uint32_t i = 0; i < sm->nwarps; i++)
			warp_until(e, s, i, &sm->warps[i], end);
		free(sm->schedulers);
		free(sm->warps);
	}
	e->form->close(e, end);
	for (uint32_t s = 0; s < e->nsms; s++)
		free(e->sms[s].own);
	output_close(&e->out);
	if (e->from >= cycles && !quiet)
		warn("--events-from: the replay ended after cycle %" PRIu64 ", before the window "
		     "begins",
			cycles ? cycles - 1 : 0);
	free(e->sms);
	free(e->own);
	free(e);
}
