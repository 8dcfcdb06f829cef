/*
 * Chrome's trace format in JSON, which Perfetto opens: what the events of a replay and its timeline
 * are written in. A cycle is written as a microsecond.
 */
#ifndef TOOLS_CHROME_H
#define TOOLS_CHROME_H

#include "tools/files.h"
#include <stdint.h>

struct chrome {
	FILE *f;
	bool some; /* an event has been written */
};

void chrome_start(struct chrome *c, FILE *f, const char *provenance);
void chrome_end(struct chrome *c);

/*
 * An event of a track (tid) of a process (pid), up to its arguments; the caller writes these, each
 * by chrome_arg and its value, and then closes it. phase: X with a duration, i, C, b and e with an
 * id, M for names.
 */
void chrome_event(struct chrome *c, char phase, const char *name, uint32_t pid, uint32_t tid);
void chrome_at(struct chrome *c, uint64_t cycle);
void chrome_field(struct chrome *c, const char *name, const char *text);
void chrome_args(struct chrome *c);
void chrome_arg(struct chrome *c, bool first, const char *name);
void chrome_close(struct chrome *c, bool args);
void chrome_text(struct chrome *c, const char *text); /* in quotes */

/* Names of a process, or of a track of it, and its place among them. */
void chrome_process(struct chrome *c, uint32_t pid, const char *name);
void chrome_track(struct chrome *c, uint32_t pid, uint32_t tid, const char *name);
/* Something that lasts. Its arguments are the caller's to write and to close. */
void chrome_slice(struct chrome *c, const char *name, const char *category, uint32_t pid,
	uint32_t tid, uint64_t from, uint64_t to);

#endif
