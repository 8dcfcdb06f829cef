/* The forms of an events file, and what they share. */
#ifndef TOOLS_EVENTS_FORM_H
#define TOOLS_EVENTS_FORM_H

#include "tools/events.h"

/* What a warp or a scheduler has been doing since a cycle. */
struct events_track {
	uint64_t since;
	const struct tr_program *program;
	uint8_t cls; /* enum sim_cycle, SIM_NOT_PICKED, EVENTS_NOTHING */
	bool issues; /* its issue was seen: */
	bool own;    /* of the warp policy's; */
	uint32_t launch, cta, inst, lanes, done;
};
#define EVENTS_NOTHING UINT8_MAX

struct events_sm {
	struct events_track *warps, *schedulers;
	uint32_t nwarps, nschedulers;
	void *own; /* of the form */
};

struct events_form;
struct events {
	const struct events_form *form;
	struct output out;
	uint64_t from, to;
	struct events_sm *sms;
	uint32_t nsms;
	void *own; /* of the form */
};

struct events_form {
	const char *ending;
	void (*open)(struct events *e, const char *provenance);
	/* Something happens; the launches and CTAs outside of the window, too. */
	void (*event)(struct events *e, const struct sim_event *x);
	/*
	 * A warp, or a scheduler of an SM, has done one thing from t->since to `to`, at least one
	 * cycle, cut to the window. NULL: nobody asks.
	 */
	void (*warp)(struct events *e, uint32_t sm, uint32_t slot, const struct events_track *t,
		uint64_t to);
	void (*scheduler)(struct events *e, uint32_t sm, uint32_t number,
		const struct events_track *t, uint64_t to);
	void (*close)(struct events *e, uint64_t end);
};

extern const struct events_form events_tsv, events_konata, events_json;

/* The SM of an event, grown where it is new. */
struct events_sm *events_sm(struct events *e, uint32_t sm);
/* "ld.global.u32" */
const char *events_opcode(const struct tr_program *p, uint32_t inst);
/* Lanes as a hexadecimal number, in text of EVENTS_MASK bytes. */
#define EVENTS_MASK (TR_LANES_MAX / 4 + 3)
const char *events_mask(const struct sim_mask *m, char text[EVENTS_MASK]);

#endif
