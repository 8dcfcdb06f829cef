/* Policies that are built in, and those of shared objects; see policy.h. */
#include "tools/policy.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool policy_is_file(const char *spec)
{
	const size_t n = strcspn(spec, ":");

	return memchr(spec, '/', n) || (n > 3 && !strncmp(spec + n - 3, ".so", 3));
}

/* The file of a spec, with a slash in it: without one dlopen would search the system. */
static char *file_of(const char *spec)
{
	const int n = (int)strcspn(spec, ":");

	return must_printf("%s%.*s", memchr(spec, '/', (size_t)n) ? "" : "./", n, spec);
}

/* What dlopen and dlsym say, without the file that they begin with. */
static const char *reason(const char *path)
{
	const char *text = dlerror();
	const size_t n = strlen(path);

	if (!text)
		return "the loader does not say why";
	return !strncmp(text, path, n) && !strncmp(text + n, ": ", 2) ? text + n + 2 : text;
}

/*
 * The symbol of a shared object. It stays loaded: the policy's code runs until the program ends.
 * `other` is what the object may have instead, and `kinds` are what the two are called.
 */
static const void *load(const char *path, const char *option, const char *symbol, const char *kind,
	const char *other, const char *hint)
{
	FILE *f = input_beside(path);
	const void *policy;
	void *object;

	if (!f)
		die(EXIT_USAGE, "%s: cannot open '%s': %s", option, path, strerror(errno));
	fclose(f);
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object)
		die(EXIT_USAGE, "%s: cannot load '%s': %s", option, path, reason(path));
	policy = dlsym(object, symbol);
	if (!policy && dlsym(object, other))
		die(EXIT_USAGE, "%s: '%s' is no %s: %s", option, path, kind, hint);
	if (!policy)
		die(EXIT_USAGE, "%s: '%s' has no %s: there is no symbol %s in it", option, path,
			kind, symbol);
	return policy;
}

static void die_unfit(const char *option, const char *path, const struct tr_err *err)
{
	die(EXIT_USAGE, "%s: cannot use '%s': %s", option, path, err->msg);
}

/* A table that has both must not call them the same. */
static void check_own(const char *option, const char *path, const char *name, bool taken)
{
	if (taken)
		die(EXIT_USAGE, "%s: cannot use '%s': its name is '%s', and so is a built-in one's",
			option, path, name);
}

static const struct sim_sched *load_sched(const char *spec, const char *option)
{
	char *path = file_of(spec);
	const struct sim_sched *policy = load(path, option, "warptrace_sched", "scheduler",
		"warptrace_warp", "it is a warp policy, for --warp");
	struct tr_err err;

	if (sim_sched_check(policy, &err) < 0)
		die_unfit(option, path, &err);
	check_own(option, path, policy->name, sim_sched_find(policy->name));
	free(path);
	return policy;
}

static const struct sim_warp_policy *load_warp(const char *spec, const char *option)
{
	char *path = file_of(spec);
	const struct sim_warp_policy *policy = load(path, option, "warptrace_warp", "warp policy",
		"warptrace_sched", "it is a scheduler, for --scheduler");
	const struct sim_warp_policy *own;
	struct tr_err err;

	if (sim_warp_policy_check(policy, &err) < 0)
		die_unfit(option, path, &err);
	for (unsigned i = 0; (own = sim_warp_policy_at(i)); i++)
		check_own(option, path, policy->name, !strcmp(own->name, policy->name));
	free(path);
	return policy;
}

/* The policy's name with the parameters of the spec. */
static char *row_of(const char *spec, const char *name)
{
	return must_printf("%s%s", name, spec + strcspn(spec, ":"));
}

const struct sim_sched *policy_sched(const char *spec, const char *option, enum exit_code status,
	int64_t *params, struct profile *profile, char **row)
{
	const bool file = policy_is_file(spec);
	const struct sim_sched *policy = file ? load_sched(spec, option) : NULL;
	char *path, *plain;
	struct tr_err err;
	int rc;

	*row = file ? row_of(spec, policy->name) : must_printf("%s", spec);
	if (!file) {
		char *name = must_printf("%.*s", (int)strcspn(spec, ":"), spec);

		policy = sim_sched_find(name);
		free(name);
	}
	plain = profile_take(policy, *row, &path);
	if (path && !*path)
		die(status, "%s: %s: profile= names no file", option, policy->name);
	if (path && status == EXIT_BAD && is_special(path)) /* a stranger's word */
		die(status, "%s: %s: '%s' is no regular file", option, policy->name, path);
	rc = file ? sim_spec_params(plain, policy->params, params, &err)
		  : sim_sched_parse(plain, &policy, params, &err);
	if (rc < 0)
		die(status, "%s: %s", option, err.msg);
	free(plain);
	if (path)
		profile_read(profile, path);
	return policy;
}

const struct sim_warp_policy *policy_warp(
	const char *spec, const char *option, int64_t *params, char **row)
{
	const bool file = policy_is_file(spec);
	const struct sim_warp_policy *policy = file ? load_warp(spec, option) : NULL;
	struct tr_err err;
	int rc;

	*row = file ? row_of(spec, policy->name) : must_printf("%s", spec);
	rc = file ? sim_spec_params(*row, policy->params, params, &err)
		  : sim_warp_policy_parse(*row, &policy, params, &err);
	if (rc < 0)
		die_err(&err, option);
	return policy;
}
