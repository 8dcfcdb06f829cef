/*
 * Policies as the command line names them: one that is built in, "swl:limit=4", or one of the
 * user's own in a shared object, "./mine.so:limit=4" (trace-policies(7)). What has a slash in its
 * name or ends in .so is a file.
 */
#ifndef TOOLS_POLICY_H
#define TOOLS_POLICY_H

#include "sim/launch/replay.h"
#include "tools/profile.h"

/* Does it name a shared object? */
bool policy_is_file(const char *spec);

/*
 * The policy of a spec and its parameters. *row is what a table calls it: the spec, and where it
 * names a file the name that the policy gives itself, with the parameters; for the caller to free.
 * The profile is read where the spec has one. `option` begins the sentence with which the program
 * ends where there is no such policy, with that status: EXIT_BAD where the spec is of a file.
 */
const struct sim_sched *policy_sched(const char *spec, const char *option, enum exit_code status,
	int64_t *params, struct profile *profile, char **row);
const struct sim_warp_policy *policy_warp(
	const char *spec, const char *option, int64_t *params, char **row);

#endif
