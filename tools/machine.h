/* Machines by name: the presets of datasets/machines, or a FILE.ini. Ends the program on errors. */
#ifndef TOOLS_MACHINE_H
#define TOOLS_MACHINE_H

#include "sim/ptx/ptx.h"
#include "sim/base/words.h"
#include <stdbool.h>

/* The presets in the order in which they are shown; ends at NULL. */
extern const char *const machine_presets[];

/* A preset's name or a path; keys that it does not give are its base's, or the defaults. */
struct sim_config machine_read(const char *spec);

/* Does the sentence name the key, and not just a longer one that it is part of? */
bool machine_names_key(const char *sentence, const char *key);

/*
 * Where a machine of FILE.ini gives a key that the sentence names, the last one: "cannot read
 * 'm.ini': line 3". NULL where it is a preset, or gives none. Caller frees.
 */
char *machine_place(const char *spec, const char *sentence);

/* The first sentence of the comment that a preset's file begins with; caller frees. */
char *machine_about(const char *preset);

/* Which CTAs are resident on it. */
struct ptx_resident machine_resident(const char *spec);

/*
 * A CTA of so many threads, registers of each and bytes of shared memory has no room, err says: of
 * a preset that has, one of today's machines if there is one, it then says that too. What a preset
 * is here, read(arg, preset) says.
 */
void machine_help(struct tr_err *err, uint32_t threads, uint32_t registers, uint32_t shared,
	struct sim_config (*read)(const void *arg, const char *preset), const void *arg);

/* False for a file that builds on no other machine and is none of the presets. */
bool machine_has_base(const char *spec);

#endif
