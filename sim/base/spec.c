/*
 * Policies as people name them; see spec.h. Knows no policy: tables come from the caller.
 */
#include "sim/base/spec.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_MAX 47

/* Letters to insert, drop, change or swap with their neighbour, for words that people type. */
static unsigned distance(const char *a, const char *b)
{
	unsigned d[WORD_MAX + 1][WORD_MAX + 1];
	const size_t la = strlen(a), lb = strlen(b);

	if (la > WORD_MAX || lb > WORD_MAX)
		return UINT32_MAX;
	for (unsigned i = 0; i <= la; i++)
		for (unsigned j = 0; j <= lb; j++) {
			unsigned least = i ? j ? d[i - 1][j - 1] + (a[i - 1] != b[j - 1]) : i : j;

			if (i && d[i - 1][j] + 1 < least)
				least = d[i - 1][j] + 1;
			if (j && d[i][j - 1] + 1 < least)
				least = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				d[i - 2][j - 2] + 1 < least)
				least = d[i - 2][j - 2] + 1;
			d[i][j] = least;
		}
	return d[la][lb];
}

const char *sim_nearest(const char *word, const char *const *list)
{
	const char *best = NULL;
	unsigned least = (unsigned)strlen(word) / 2 + 1;

	for (; *list; list++) {
		const unsigned d = distance(word, *list);

		if (d < least) {
			least = d;
			best = *list;
		}
	}
	return best;
}

size_t sim_size_unit(const char *text)
{
	const size_t i = *text == 'i';

	return text[i] == 'B' || text[i] == 'b' ? i + 1 : 0;
}

/* Appends as much as there is room for. */
static void append(char *out, size_t size, const char *text)
{
	const size_t len = strlen(out);

	snprintf(out + len, size - len, "%s", text);
}

/* "a, b or c" */
static void list_words(const char *const *words, char *out, size_t size)
{
	*out = 0;
	for (int i = 0; words[i]; i++) {
		append(out, size, !i ? "" : words[i + 1] ? ", " : " or ");
		append(out, size, words[i]);
	}
}

/* Ends a sentence about the unknown `word` of len letters. */
static void suggest(const char *word, int len, const char *const *names, char *out, size_t size)
{
	char copy[WORD_MAX + 1];
	const char *like;

	snprintf(copy, sizeof(copy), "%.*s", len, word);
	like = sim_nearest(copy, names);
	if (like) {
		snprintf(out, size, ", did you mean '%s'?", like);
		return;
	}
	snprintf(out, size, ": ");
	list_words(names, out + 2, size - 2);
}

int sim_spec_find(const char *spec, const char *kind, const char *const *names, struct tr_err *err)
{
	const int len = (int)strcspn(spec, ":");
	char rest[200];

	for (int i = 0; names[i]; i++)
		if (strlen(names[i]) == (size_t)len && !strncmp(spec, names[i], (size_t)len))
			return i;
	suggest(spec, len, names, rest, sizeof(rest));
	return tr_fail(err, TR_EUSAGE, 0, "unknown %s '%.*s'%s", kind, len, spec, rest);
}

int sim_params_check(const struct sim_param *params, struct tr_err *err)
{
	for (int i = 0; i < SIM_PARAMS && params[i].name; i++) {
		const struct sim_param *p = &params[i];
		int64_t words = 0;

		if (!sim_is_name(p->name) || !p->help)
			return tr_fail(err, TR_EUSAGE, 0,
				"parameter %d has no name or no help text", i + 1);
		if (p->value < p->min || p->value > p->max)
			return tr_fail(err, TR_EUSAGE, 0,
				"parameter '%s': its default is outside its bounds", p->name);
		while (p->words && p->words[words])
			words++;
		if (p->words && (p->min < 0 || p->max >= words))
			return tr_fail(err, TR_EUSAGE, 0,
				"parameter '%s': not all values have a word", p->name);
	}
	return 1;
}

int sim_is_name(const char *name)
{
	const size_t n = strlen(name);

	return n && n <= WORD_MAX &&
	       n == strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789_-+.");
}

void sim_param_value(const struct sim_param *p, int64_t value, char *out, size_t size)
{
	if (p->words)
		snprintf(out, size, "%s", p->words[value]);
	else if (value == SIM_PARAM_NONE)
		snprintf(out, size, "none");
	else
		snprintf(out, size, "%" PRId64, value);
}

void sim_param_bounds(const struct sim_param *p, char *out, size_t size)
{
	if (!p->words) {
		const int none = p->min == SIM_PARAM_NONE;

		snprintf(out, size, "%s%" PRId64 " to %" PRId64, none ? "none, " : "",
			none ? 0 : p->min, p->max);
		return;
	}
	list_words(p->words, out, size);
}

static int wrong_value(const char *who, int len, const struct sim_param *p, const char *text,
	const char *what, struct tr_err *err)
{
	char bounds[120];

	sim_param_bounds(p, bounds, sizeof(bounds));
	return tr_fail(
		err, TR_EUSAGE, 0, "%.*s: %s=%s %s %s", len, who, p->name, text, what, bounds);
}

/* One value; who is the spec, of which the first len letters are the policy's name. */
static int read_value(const char *who, int len, const struct sim_param *p, const char *text,
	int64_t *value, struct tr_err *err)
{
	char *end;

	if (p->words) {
		for (int i = 0; p->words[i]; i++)
			if (!strcmp(text, p->words[i])) {
				*value = i;
				return 1;
			}
		return wrong_value(who, len, p, text, "is none of", err);
	}
	if (p->min == SIM_PARAM_NONE && !strcmp(text, "none")) {
		*value = SIM_PARAM_NONE;
		return 1;
	}
	errno = 0;
	*value = strtoll(text, &end, 10);
	if (errno || *end || !(isdigit((unsigned char)*text) || *text == '-') || end == text)
		return tr_fail(
			err, TR_EUSAGE, 0, "%.*s: %s: '%s' is no number", len, who, p->name, text);
	if (*value < p->min || *value > p->max || *value == SIM_PARAM_NONE)
		return wrong_value(who, len, p, text, "is outside", err);
	return 1;
}

static int unknown_param(const char *who, int len, const struct sim_param *params, const char *name,
	struct tr_err *err)
{
	const char *names[SIM_PARAMS + 1] = {NULL};
	char rest[200];

	for (int i = 0; i < SIM_PARAMS && params[i].name; i++)
		names[i] = params[i].name;
	if (!names[0])
		return tr_fail(err, TR_EUSAGE, 0, "%.*s takes no parameters", len, who);
	suggest(name, (int)strlen(name), names, rest, sizeof(rest));
	return tr_fail(err, TR_EUSAGE, 0, "%.*s has no parameter '%s'%s", len, who, name, rest);
}

int sim_spec_params(
	const char *spec, const struct sim_param *params, int64_t *values, struct tr_err *err)
{
	const int len = (int)strcspn(spec, ":");
	const char *at = spec + len;
	unsigned seen = 0;

	for (int i = 0; i < SIM_PARAMS; i++)
		values[i] = params[i].value;
	for (int nth = 0; *at; nth++) {
		const size_t n = strcspn(++at, ",");
		char item[64], *value;
		int p = 0;

		if (!n || n >= sizeof(item))
			return tr_fail(err, TR_EUSAGE, 0,
				"'%s': after '%.*s' stands NAME=VALUE, with commas between", spec,
				len, spec);
		memcpy(item, at, n);
		item[n] = 0;
		at += n;
		value = strchr(item, '=');
		if (value)
			*value++ = 0;
		else if (nth)
			return tr_fail(
				err, TR_EUSAGE, 0, "%.*s: '%s' is no NAME=VALUE", len, spec, item);
		if (value)
			while (p < SIM_PARAMS && params[p].name && strcmp(params[p].name, item))
				p++;
		if (p == SIM_PARAMS || !params[p].name)
			return unknown_param(spec, len, params, item, err);
		if (seen & 1u << p)
			return tr_fail(err, TR_EUSAGE, 0, "%.*s: '%s' is given twice", len, spec,
				params[p].name);
		seen |= 1u << p;
		if (read_value(spec, len, &params[p], value ? value : item, &values[p], err) < 0)
			return TR_EUSAGE;
	}
	return 1;
}
