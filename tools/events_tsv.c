/*
 * Events as a table. What lasts has its row when it ends, so rows are in the order in which things
 * end; what a window cuts has the cycles that are in it.
 */
#include "tools/events_form.h"
#include <stdlib.h>

struct tsv {
	struct column columns[EVENTS_COLUMNS];
	struct table table;
};

void events_columns(struct column columns[EVENTS_COLUMNS])
{
	static const char *const names[EVENTS_COLUMNS] = {"at", "lasts", "sm", "slot", "event",
		"what", "launch", "cta", "pc", "active", "mask", "guard_lanes", "guard_mask",
		"with", "load"};

	for (unsigned i = 0; i < EVENTS_COLUMNS; i++)
		columns[i] = (struct column){names[i], SEEN};
}

static void open_tsv(struct events *e, const char *provenance)
{
	static const struct common common = {.format = FORMAT_TSV};
	struct tsv *t = e->own = must_alloc(1, sizeof(*t));

	events_columns(t->columns);
	table_start(&t->table, e->out.f, &common, provenance, t->columns, EVENTS_COLUMNS);
}

/* What a row may have; UINT32_MAX, UINT64_MAX and NULL: not this one. */
struct row {
	uint64_t at, lasts, load;
	uint32_t sm, slot, launch, cta, inst, other;
	const char *event, *what;
	const struct sim_mask *lanes, *done;
};

static void id(struct table *t, uint64_t v, uint64_t none)
{
	if (v == none)
		table_none(t);
	else
		table_id(t, v);
}

static void lanes(struct table *t, const struct sim_mask *m)
{
	char text[EVENTS_MASK];

	if (!m) {
		table_none(t);
		table_none(t);
		return;
	}
	table_id(t, sim_lanes(m));
	table_text(t, events_mask(m, text));
}

static void put(struct events *e, const struct row *r)
{
	struct table *t = &((struct tsv *)e->own)->table;

	table_id(t, r->at);
	id(t, r->lasts, UINT64_MAX);
	id(t, r->sm, UINT32_MAX);
	id(t, r->slot, UINT32_MAX);
	table_text(t, r->event);
	table_text(t, r->what ? r->what : "-");
	table_id(t, r->launch);
	id(t, r->cta, TR_NONE);
	if (r->inst == TR_NONE)
		table_none(t);
	else
		table_pc(t, r->inst);
	lanes(t, r->lanes);
	lanes(t, r->done);
	id(t, r->other, UINT32_MAX);
	id(t, r->load, UINT64_MAX);
}

/* Issues have their rows as they begin, waits as they end. */
static void warp(
	struct events *e, uint32_t sm, uint32_t slot, const struct events_track *t, uint64_t to)
{
	const struct row r = {.at = t->since,
		.lasts = to - t->since,
		.load = UINT64_MAX,
		.sm = sm,
		.slot = slot,
		.launch = t->launch,
		.cta = t->cta,
		.inst = t->inst,
		.other = UINT32_MAX,
		.event = sim_event_name(t->cls == SIM_CY_ISSUED ? SIM_EV_ISSUE : SIM_EV_WAIT),
		.what = t->cls == SIM_CY_ISSUED ? NULL : sim_wait_name(t->cls)};

	if (!t->issues)
		put(e, &r);
}

static void scheduler(
	struct events *e, uint32_t sm, uint32_t number, const struct events_track *t, uint64_t to)
{
	const struct row r = {.at = t->since,
		.lasts = to - t->since,
		.load = UINT64_MAX,
		.sm = sm,
		.slot = UINT32_MAX,
		.launch = t->launch,
		.cta = TR_NONE,
		.inst = TR_NONE,
		.other = number,
		.event = sim_event_name(SIM_EV_SCHEDULER),
		.what = sim_wait_name(t->cls)};

	put(e, &r);
}

static const char *what_of(const struct sim_event *x)
{
	static const char *const results[] = {[TR_A_HIT] = "hit",
		[TR_A_MISS] = "miss",
		[TR_A_MERGE] = "merge",
		[TR_A_BYPASS] = "bypass"};

	switch ((enum sim_event_kind)x->kind) {
	case SIM_EV_LAUNCH_BEGIN:
	case SIM_EV_LAUNCH_END:
		return tr_str(x->program, x->program->name);
	case SIM_EV_L1D:
		return results[x->what];
	case SIM_EV_ISSUE:
	case SIM_EV_OWN:
	case SIM_EV_LOAD_OUT:
	case SIM_EV_LOAD_BACK:
		return events_opcode(x->program, x->inst);
	default:
		return NULL;
	}
}

static bool has_cycles(enum sim_event_kind kind)
{
	return kind == SIM_EV_LAUNCH_END || kind == SIM_EV_CTA_OUT || kind == SIM_EV_WARP_OUT ||
	       kind == SIM_EV_LOAD_BACK;
}

static void event(struct events *e, const struct sim_event *x)
{
	const enum sim_event_kind kind = (enum sim_event_kind)x->kind;
	const int issues = kind == SIM_EV_ISSUE || kind == SIM_EV_OWN;
	struct row r = {.at = x->at,
		.lasts = has_cycles(kind) ? x->cycles : UINT64_MAX,
		.load = kind == SIM_EV_LOAD_OUT || kind == SIM_EV_LOAD_BACK ? x->load : UINT64_MAX,
		.sm = x->sm,
		.slot = x->warp,
		.launch = x->launch,
		.cta = x->cta,
		.inst = x->inst,
		.other = x->other,
		.event = sim_event_name(kind),
		.what = what_of(x),
		.lanes = issues ? x->lanes : NULL,
		.done = issues ? x->done : NULL};

	if (issues)
		r.lasts = x->cycles < e->to - x->at ? x->cycles : e->to - x->at;
	if (kind != SIM_EV_WAIT && kind != SIM_EV_SCHEDULER && x->at >= e->from && x->at < e->to)
		put(e, &r);
}

static void close_tsv(struct events *e, uint64_t end)
{
	struct tsv *t = e->own;

	(void)end;
	table_end(&t->table);
}

const struct events_form events_tsv = {.ending = ".tsv",
	.open = open_tsv,
	.event = event,
	.warp = warp,
	.scheduler = scheduler,
	.close = close_tsv};
