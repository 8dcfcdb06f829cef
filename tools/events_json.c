/*
 * Events for Perfetto (chrome.h). SMs are processes; warps are tracks of theirs, with what they do
 * as slices and barriers and the like as instants; CTAs are tracks by their place; loads are
 * asynchronous slices. Counters: instructions a cycle, what the L1D answers, and what schedulers'
 * cycles are, each over BUCKET cycles.
 */
#include "tools/chrome.h"
#include "tools/events_form.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BUCKET 100
#define LAUNCHES 1 /* process of the launches; SM n is process n + SMS */
#define SMS 2
#define CTA_TRACKS 1
#define WARP_TRACKS 101
#define PLACES 64 /* of CTAs on an SM, at most */

struct open_load {
	uint64_t number;
	uint32_t warp;
	const char *name;
};

struct sm {
	bool named;
	uint8_t *seen; /* by warp: its track has a name */
	uint32_t nseen;
	struct {
		bool in;
		uint32_t number;
		uint64_t since;
	} cta[PLACES];
	struct open_load *loads;
	uint32_t nloads, cap;
	/* of the bucket: */
	uint64_t warp_insts, thread_insts, l1d[TR_A_BYPASS + 1], classes[SIM_NCYCLES];
	uint64_t *scheduler_since;
	uint8_t *scheduler;
	uint32_t nschedulers;
};

struct json {
	struct chrome c;
	uint64_t bucket; /* its first cycle */
	bool launch;     /* one has begun and not ended: */
	uint64_t since;
	char *kernel;
	uint32_t number;
};

static struct chrome *chrome_of(struct events *e)
{
	return &((struct json *)e->own)->c;
}

static void open_json(struct events *e, const char *provenance)
{
	struct json *j = e->own = must_alloc(1, sizeof(*j));

	*j = (struct json){.bucket = e->from};
	chrome_start(&j->c, e->out.f, provenance);
	chrome_process(&j->c, LAUNCHES, "launches");
	chrome_track(&j->c, LAUNCHES, 0, "launches");
}

/* ---- processes and tracks get their names when they first appear ---- */

static struct sm *sm_of(struct events *e, uint32_t sm)
{
	struct events_sm *s = events_sm(e, sm);
	struct sm *own;
	char *name;

	if (!s->own) {
		own = s->own = must_alloc(1, sizeof(*own));
		memset(own, 0, sizeof(*own));
	}
	own = s->own;
	if (!own->named) {
		name = must_printf("SM %" PRIu32, sm);
		chrome_process(chrome_of(e), sm + SMS, name);
		free(name);
		own->named = true;
	}
	return own;
}

static void name_warp(struct events *e, uint32_t sm, uint32_t warp)
{
	struct sm *s = sm_of(e, sm);
	char *name;

	if (warp >= s->nseen) {
		const uint32_t n = warp + 64;

		s->seen = must_realloc(s->seen, n, 1);
		memset(s->seen + s->nseen, 0, n - s->nseen);
		s->nseen = n;
	}
	if (s->seen[warp])
		return;
	s->seen[warp] = 1;
	name = must_printf("warp %" PRIu32, warp);
	chrome_track(chrome_of(e), sm + SMS, WARP_TRACKS + warp, name);
	free(name);
}

static void arg_uint(struct chrome *c, bool first, const char *name, uint64_t v)
{
	chrome_arg(c, first, name);
	fprintf(c->f, "%" PRIu64, v);
}

static void arg_pc(struct chrome *c, bool first, uint32_t inst)
{
	chrome_arg(c, first, "pc");
	fprintf(c->f, "\"0x%" PRIx32 "\"", inst * TR_PC_BYTES);
}

/* ---- what lasts ---- */

static void warp(
	struct events *e, uint32_t sm, uint32_t slot, const struct events_track *t, uint64_t to)
{
	const bool issues = t->cls == SIM_CY_ISSUED;
	const char *name = issues && t->issues ? events_opcode(t->program, t->inst)
			   : issues            ? "issue"
					       : sim_wait_name(t->cls);
	struct chrome *c = chrome_of(e);

	name_warp(e, sm, slot);
	chrome_slice(c, name,
		t->own   ? "own"
		: issues ? "issue"
			 : "wait",
		sm + SMS, WARP_TRACKS + slot, t->since, to);
	arg_uint(c, true, "cta", t->cta);
	if (t->inst != TR_NONE)
		arg_pc(c, false, t->inst);
	if (t->issues) {
		arg_uint(c, false, "active", t->lanes);
		arg_uint(c, false, "guard_lanes", t->done);
	}
	chrome_close(c, true);
}

static void slice_cta(struct events *e, uint32_t sm, uint32_t place, uint64_t from, uint64_t to)
{
	const struct sm *s = sm_of(e, sm);
	struct chrome *c = chrome_of(e);
	char *name;

	from = from < e->from ? e->from : from;
	to = to > e->to ? e->to : to;
	if (from >= to)
		return;
	name = must_printf("CTA slot %" PRIu32, place);
	chrome_track(c, sm + SMS, CTA_TRACKS + place, name);
	free(name);
	name = must_printf("CTA %" PRIu32, s->cta[place].number);
	chrome_slice(c, name, "cta", sm + SMS, CTA_TRACKS + place, from, to);
	free(name);
	chrome_close(c, true);
}

static void cta_event(struct events *e, const struct sim_event *x)
{
	struct sm *s = sm_of(e, x->sm);

	if (x->other >= PLACES)
		return;
	if (x->kind == SIM_EV_CTA_OUT)
		slice_cta(e, x->sm, x->other, s->cta[x->other].since, x->at);
	s->cta[x->other].in = x->kind == SIM_EV_CTA_IN;
	s->cta[x->other].number = x->cta;
	s->cta[x->other].since = x->at;
}

static void end_launch(struct events *e, uint64_t to)
{
	struct json *j = e->own;
	const uint64_t from = j->since < e->from ? e->from : j->since;

	to = to > e->to ? e->to : to;
	if (j->launch && from < to) {
		chrome_slice(&j->c, j->kernel, "launch", LAUNCHES, 0, from, to);
		arg_uint(&j->c, true, "launch", j->number);
		chrome_close(&j->c, true);
	}
	j->launch = false;
	free(j->kernel);
	j->kernel = NULL;
}

static void launch_event(struct events *e, const struct sim_event *x)
{
	struct json *j = e->own;

	end_launch(e, x->at);
	j->launch = x->kind == SIM_EV_LAUNCH_BEGIN;
	j->since = x->at;
	j->number = x->launch;
	j->kernel = must_printf("%s", tr_str(x->program, x->program->name));
}

/* ---- loads ---- */

static void load(struct events *e, uint32_t sm, const struct open_load *l, char phase, uint64_t at)
{
	struct chrome *c = chrome_of(e);
	char *id = must_printf("%" PRIu32 ":%" PRIu64, sm, l->number);

	name_warp(e, sm, l->warp);
	chrome_event(c, phase, l->name, sm + SMS, WARP_TRACKS + l->warp);
	chrome_field(c, "cat", "load");
	chrome_field(c, "id", id);
	chrome_at(c, at);
	chrome_args(c);
	arg_uint(c, true, "warp", l->warp);
	chrome_close(c, true);
	free(id);
}

static void load_event(struct events *e, const struct sim_event *x)
{
	struct sm *s = sm_of(e, x->sm);
	const struct open_load l = {x->load, x->warp, events_opcode(x->program, x->inst)};
	uint32_t i = 0;

	if (x->kind == SIM_EV_LOAD_OUT) {
		if (s->nloads == s->cap) {
			s->cap = s->cap ? 2 * s->cap : 64;
			s->loads = must_realloc(s->loads, s->cap, sizeof(*s->loads));
		}
		s->loads[s->nloads++] = l;
		load(e, x->sm, &l, 'b', x->at);
		return;
	}
	while (i < s->nloads && s->loads[i].number != x->load)
		i++;
	if (i == s->nloads) /* it went out before the window */
		load(e, x->sm, &l, 'b', e->from);
	else
		memmove(s->loads + i, s->loads + i + 1, (--s->nloads - i) * sizeof(l));
	load(e, x->sm, &l, 'e', x->at);
}

/* ---- counters ---- */

static void count_scheduler(struct sm *s, uint32_t i, uint64_t to)
{
	if (s->scheduler[i] < SIM_NCYCLES)
		s->classes[s->scheduler[i]] += to - s->scheduler_since[i];
	s->scheduler_since[i] = to;
}

static void counter(struct events *e, uint32_t sm, const char *name, uint64_t at)
{
	struct chrome *c = chrome_of(e);

	chrome_event(c, 'C', name, sm + SMS, 0);
	chrome_at(c, at);
	chrome_args(c);
}

/* The bucket is over at cycle `to`: its figures stand at its beginning. */
static void put_bucket(struct events *e, uint32_t sm, uint64_t from, uint64_t to)
{
	struct chrome *c = chrome_of(e);
	struct sm *s = sm_of(e, sm);
	const double cycles = (double)(to - from);

	for (uint32_t i = 0; i < s->nschedulers; i++)
		count_scheduler(s, i, to);
	counter(e, sm, "IPC", from);
	chrome_arg(c, true, "warp");
	fprintf(c->f, "%.6g", (double)s->warp_insts / cycles);
	chrome_arg(c, false, "thread");
	fprintf(c->f, "%.6g", (double)s->thread_insts / cycles);
	chrome_close(c, true);
	counter(e, sm, "L1D", from);
	arg_uint(c, true, "hits", s->l1d[TR_A_HIT]);
	arg_uint(c, false, "misses", s->l1d[TR_A_MISS]);
	arg_uint(c, false, "merges", s->l1d[TR_A_MERGE]);
	chrome_close(c, true);
	counter(e, sm, "scheduler cycles", from);
	for (int i = 0; i < SIM_NCYCLES; i++)
		arg_uint(c, i == 0, sim_cycle_name((enum sim_cycle)i), s->classes[i]);
	chrome_close(c, true);
	s->warp_insts = s->thread_insts = 0;
	memset(s->l1d, 0, sizeof(s->l1d));
	memset(s->classes, 0, sizeof(s->classes));
}

/* All buckets that are over at a cycle. */
static void put_buckets(struct events *e, uint64_t at)
{
	struct json *j = e->own;

	for (; j->bucket + BUCKET <= at; j->bucket += BUCKET)
		for (uint32_t i = 0; i < e->nsms; i++)
			if (e->sms[i].own)
				put_bucket(e, i, j->bucket, j->bucket + BUCKET);
}

static void scheduler_event(struct events *e, const struct sim_event *x)
{
	struct sm *s = sm_of(e, x->sm);

	if (x->other >= s->nschedulers) {
		s->scheduler = must_realloc(s->scheduler, x->other + 1, 1);
		s->scheduler_since =
			must_realloc(s->scheduler_since, x->other + 1, sizeof(*s->scheduler_since));
		for (; s->nschedulers <= x->other; s->nschedulers++) {
			s->scheduler[s->nschedulers] = EVENTS_NOTHING;
			s->scheduler_since[s->nschedulers] = x->at;
		}
	}
	count_scheduler(s, x->other, x->at);
	s->scheduler[x->other] = x->what;
}

/* ---- what happens ---- */

static void instant(struct events *e, const struct sim_event *x)
{
	struct chrome *c = chrome_of(e);

	name_warp(e, x->sm, x->warp);
	chrome_event(c, 'i', sim_event_name((enum sim_event_kind)x->kind), x->sm + SMS,
		WARP_TRACKS + x->warp);
	chrome_field(c, "s", "t");
	chrome_at(c, x->at);
	chrome_args(c);
	if (x->other != SIM_NO_WARP)
		arg_uint(c, true, "with", x->other);
	chrome_close(c, true);
}

static void event(struct events *e, const struct sim_event *x)
{
	if (x->at > e->from)
		put_buckets(e, x->at < e->to ? x->at : e->to);
	switch ((enum sim_event_kind)x->kind) {
	case SIM_EV_LAUNCH_BEGIN:
	case SIM_EV_LAUNCH_END:
		launch_event(e, x);
		return;
	case SIM_EV_CTA_IN:
	case SIM_EV_CTA_OUT:
		cta_event(e, x);
		return;
	case SIM_EV_SCHEDULER:
		scheduler_event(e, x);
		return;
	case SIM_EV_ISSUE:
		sm_of(e, x->sm)->warp_insts += x->other == SIM_NO_WARP || x->other == x->warp;
		sm_of(e, x->sm)->thread_insts += sim_lanes(x->done);
		return;
	case SIM_EV_L1D:
		sm_of(e, x->sm)->l1d[x->what]++;
		return;
	case SIM_EV_LOAD_OUT:
	case SIM_EV_LOAD_BACK:
		load_event(e, x);
		return;
	case SIM_EV_BARRIER:
	case SIM_EV_RELEASE:
	case SIM_EV_SPLIT:
	case SIM_EV_MERGE:
	case SIM_EV_REGROUP:
		instant(e, x);
		return;
	default:
		return;
	}
}

static void close_json(struct events *e, uint64_t end)
{
	struct json *j = e->own;

	put_buckets(e, end);
	for (uint32_t i = 0; i < e->nsms; i++) {
		struct sm *s = e->sms[i].own;

		if (!s)
			continue;
		if (j->bucket < end)
			put_bucket(e, i, j->bucket, end);
		for (uint32_t p = 0; p < PLACES; p++)
			if (s->cta[p].in)
				slice_cta(e, i, p, s->cta[p].since, end);
		for (uint32_t l = 0; l < s->nloads; l++)
			load(e, i, &s->loads[l], 'e', end);
		free(s->loads);
		free(s->seen);
		free(s->scheduler);
		free(s->scheduler_since);
	}
	end_launch(e, end);
	chrome_end(&j->c);
}

const struct events_form events_json = {
	.ending = ".json", .open = open_json, .event = event, .warp = warp, .close = close_json};
