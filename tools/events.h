/*
 * trace-replay --events: what warps do in each cycle, as a file whose name's ending says the form:
 * .tsv, .konata for the viewer Konata, .json for Perfetto. It is written as the replay goes, and
 * what is held in memory does not grow with the window.
 */
#ifndef TOOLS_EVENTS_H
#define TOOLS_EVENTS_H

#include "sim/sm/events.h"
#include "tools/table.h"

/* What the options say. */
struct events_options {
	const char *path;  /* NULL: no events are wanted */
	uint64_t from, to; /* cycles of the window: from ... to - 1 */
	bool from_given, to_given, sm_given;
	uint32_t sm; /* where it was given */
};
#define EVENTS_DEFAULTS                                                                            \
	{                                                                                          \
		.to = UINT64_MAX                                                                   \
	}

struct events;

/* Ends the program where the options cannot be; sms: of the machine. */
void events_check(const struct events_options *o, uint32_t sms);
/* Opens the file; *hook is what the replay is handed. */
struct events *events_open(
	const struct events_options *o, const char *provenance, struct sim_events *hook);
/* The replay has ended after so many cycles. */
void events_close(struct events *e, uint64_t cycles, bool quiet);

#define EVENTS_COLUMNS 15
void events_columns(struct column columns[EVENTS_COLUMNS]);

#endif
