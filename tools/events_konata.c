/*
 * Events for the viewer Konata (github.com/shioyadan/Konata), in version 4 of its log format. A row
 * is an instruction of a warp, from the cycle in which the warp comes to it. Its stages are the
 * reasons why it waits, its issue, and the time until its data are there. The format has no place
 * for comments, so none says how the file was made.
 */
#include "tools/events_form.h"
#include <inttypes.h>
#include <stdlib.h>

#define TRACKS 4096 /* threads of an SM in the file: more than it has warps */
#define NO_ROW UINT64_MAX

struct load {
	uint64_t number, row;
};

struct warp {
	uint64_t row;  /* of its instruction; NO_ROW: there is none yet */
	uint64_t load; /* of that one, once it is out; NO_ROW: it has none */
	bool issued;
};

struct sm {
	struct warp *warps;
	uint32_t nwarps;
	struct load *loads; /* whose instructions the warp has left */
	uint32_t nloads, cap;
};

struct konata {
	uint64_t now, rows, retired;
};

static void open_konata(struct events *e, const char *provenance)
{
	struct konata *k = e->own = must_alloc(1, sizeof(*k));

	(void)provenance;
	*k = (struct konata){.now = e->from};
	fprintf(e->out.f, "Kanata\t0004\nC=\t%" PRIu64 "\n", e->from);
}

static void go_to(struct events *e, uint64_t at)
{
	struct konata *k = e->own;

	if (at <= k->now) /* a time that has passed cannot be written any more */
		return;
	fprintf(e->out.f, "C\t%" PRIu64 "\n", at - k->now);
	k->now = at;
}

static struct sm *sm_of(struct events *e, uint32_t sm)
{
	struct events_sm *s = events_sm(e, sm);

	if (!s->own) {
		struct sm *own = s->own = must_alloc(1, sizeof(struct sm));

		own->warps = must_alloc(TRACKS, sizeof(*own->warps));
		own->nwarps = TRACKS;
		for (uint32_t i = 0; i < TRACKS; i++)
			own->warps[i] = (struct warp){.row = NO_ROW, .load = NO_ROW};
	}
	return s->own;
}

/* The row of the warp's next instruction begins. */
static void new_row(struct events *e, struct warp *w, const struct sim_event *x)
{
	struct konata *k = e->own;

	*w = (struct warp){.row = k->rows++, .load = NO_ROW};
	fprintf(e->out.f, "I\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\n", w->row, w->row,
		x->sm * TRACKS + x->warp);
}

static void stage(struct events *e, uint64_t row, const char *name)
{
	fprintf(e->out.f, "S\t%" PRIu64 "\t0\t%s\n", row, name);
}

static void retire(struct events *e, uint64_t row)
{
	struct konata *k = e->own;

	fprintf(e->out.f, "R\t%" PRIu64 "\t%" PRIu64 "\t0\n", row, k->retired++);
}

/* The warp has issued its instruction and goes on: the row waits for the data, or is over. */
static void leave(struct events *e, struct sm *s, struct warp *w)
{
	if (w->load != NO_ROW) {
		if (s->nloads == s->cap) {
			s->cap = s->cap ? 2 * s->cap : 64;
			s->loads = must_realloc(s->loads, s->cap, sizeof(*s->loads));
		}
		s->loads[s->nloads++] = (struct load){w->load, w->row};
		stage(e, w->row, "load");
	} else {
		retire(e, w->row);
	}
	*w = (struct warp){.row = NO_ROW, .load = NO_ROW};
}

static void issued(struct events *e, struct sm *s, struct warp *w, const struct sim_event *x)
{
	char lanes[EVENTS_MASK], done[EVENTS_MASK];

	if (w->row != NO_ROW && w->issued)
		leave(e, s, w);
	if (w->row == NO_ROW)
		new_row(e, w, x);
	w->issued = true;
	fprintf(e->out.f,
		"L\t%" PRIu64 "\t0\tSM %" PRIu32 " warp %" PRIu32 " 0x%" PRIx32 ": %s%s\n", w->row,
		x->sm, x->warp, x->inst * TR_PC_BYTES, x->kind == SIM_EV_OWN ? "before " : "",
		events_opcode(x->program, x->inst));
	fprintf(e->out.f,
		"L\t%" PRIu64 "\t1\tCTA %" PRIu32
		", lanes %s, of these with a guard that holds %s\n",
		w->row, x->cta, events_mask(x->lanes, lanes), events_mask(x->done, done));
	stage(e, w->row, sim_event_name((enum sim_event_kind)x->kind));
}

static void waits(struct events *e, struct sm *s, struct warp *w, const struct sim_event *x)
{
	if (w->row != NO_ROW && w->issued)
		leave(e, s, w);
	if (w->row == NO_ROW)
		new_row(e, w, x);
	stage(e, w->row, sim_wait_name(x->what));
}

static void back(struct events *e, struct sm *s, struct warp *w, const struct sim_event *x)
{
	if (w->load == x->load) {
		w->load = NO_ROW;
		return;
	}
	for (uint32_t i = 0; i < s->nloads; i++)
		if (s->loads[i].number == x->load) {
			retire(e, s->loads[i].row);
			s->loads[i] = s->loads[--s->nloads];
			return;
		}
}

/* A warp without threads comes to no further instruction. */
static void ends(struct events *e, struct sm *s, struct warp *w, const struct sim_event *x)
{
	if (w->row == NO_ROW)
		return;
	if (w->issued) {
		leave(e, s, w);
		return;
	}
	fprintf(e->out.f,
		"L\t%" PRIu64 "\t0\tSM %" PRIu32 " warp %" PRIu32 ": has no threads any more\n",
		w->row, x->sm, x->warp);
	fprintf(e->out.f, "R\t%" PRIu64 "\t0\t1\n", w->row);
	w->row = NO_ROW;
}

static void event(struct events *e, const struct sim_event *x)
{
	struct sm *s;
	struct warp *w;

	if (x->warp == SIM_NO_WARP || x->warp >= TRACKS)
		return;
	s = sm_of(e, x->sm);
	w = &s->warps[x->warp];
	go_to(e, x->at);
	switch ((enum sim_event_kind)x->kind) {
	case SIM_EV_ISSUE:
	case SIM_EV_OWN:
		issued(e, s, w, x);
		return;
	case SIM_EV_WAIT:
		waits(e, s, w, x);
		return;
	case SIM_EV_LOAD_OUT:
		if (w->row != NO_ROW && w->issued)
			w->load = x->load;
		return;
	case SIM_EV_LOAD_BACK:
		back(e, s, w, x);
		return;
	case SIM_EV_WARP_OUT:
		ends(e, s, w, x);
		return;
	case SIM_EV_BARRIER:
	case SIM_EV_RELEASE:
	case SIM_EV_SPLIT:
	case SIM_EV_MERGE:
	case SIM_EV_REGROUP:
		if (w->row != NO_ROW)
			fprintf(e->out.f, "L\t%" PRIu64 "\t1\t\\n%s in cycle %" PRIu64 "\n", w->row,
				sim_event_name((enum sim_event_kind)x->kind), x->at);
		return;
	default:
		return;
	}
}

/* What has not ended then stays open: the viewer shows it so. */
static void close_konata(struct events *e, uint64_t end)
{
	go_to(e, end);
	for (uint32_t i = 0; i < e->nsms; i++) {
		struct sm *s = e->sms[i].own;

		if (s) {
			free(s->warps);
			free(s->loads);
		}
	}
}

const struct events_form events_konata = {
	.ending = ".konata", .open = open_konata, .event = event, .close = close_konata};
