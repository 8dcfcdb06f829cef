/* How caches and coalescing rules are written. */
#include "sim/base/spec.h"
#include "sim/base/words.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX (1u << 26) /* of a bounded cache */

static bool is_power(uint64_t v)
{
	return v && !(v & (v - 1));
}

/* A number, K, M or G after it if need be, and then the character `stop`. */
static bool parse_number(const char **at, char stop, uint64_t *v)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*v = strtoull(*at, &end, 10);
	suffix = *end ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
	if (suffix) {
		const unsigned by = 10 * (unsigned)(suffix - suffixes + 1);

		if (*v > UINT64_MAX >> by)
			return false;
		*v <<= by;
		end++;
		end += sim_size_unit(end);
	}
	*at = end + 1;
	return !errno && *end == stop;
}

static int no_geometry(struct tr_err *err, const char *spec)
{
	return tr_fail(err, TR_EUSAGE, 0,
		"'%s' is no cache: SIZE:LINE:WAYS as 32K:128:8, 32K:128:full, or unbounded", spec);
}

static int check_line(const char *spec, uint64_t line, struct tr_err *err)
{
	if (!is_power(line) || line < 4 || line > 1u << 20)
		return tr_fail(err, TR_EUSAGE, 0,
			"cache '%s': a line of %" PRIu64 " bytes is no power of two from 4 to 1M",
			spec, line);
	return 1;
}

static int parse_bounded(struct sim_geometry *g, const char *spec, struct tr_err *err)
{
	uint64_t size, line, ways, lines;
	const char *at = spec;

	if (!parse_number(&at, ':', &size) || !parse_number(&at, ':', &line))
		return no_geometry(err, spec);
	if (check_line(spec, line, err) < 0)
		return TR_EUSAGE;
	if (!size || size % line)
		return tr_fail(err, TR_EUSAGE, 0,
			"cache '%s': %" PRIu64 " bytes are no whole number of lines of %" PRIu64
			" bytes, or none",
			spec, size, line);
	lines = size / line;
	if (lines > LINES_MAX)
		return tr_fail(err, TR_EUSAGE, 0, "cache '%s': more than %u lines; use unbounded",
			spec, LINES_MAX);
	if (!strcmp(at, "full"))
		ways = lines;
	else if (!parse_number(&at, 0, &ways))
		return no_geometry(err, spec);
	if (!ways)
		return tr_fail(err, TR_EUSAGE, 0, "cache '%s': there must be a way", spec);
	if (ways > lines)
		return tr_fail(err, TR_EUSAGE, 0,
			"cache '%s': %" PRIu64 " ways, but only %" PRIu64 " lines", spec, ways,
			lines);
	if (lines % ways || !is_power(lines / ways))
		return tr_fail(err, TR_EUSAGE, 0,
			"cache '%s': %" PRIu64 " lines in %" PRIu64
			" ways are no power of two of sets",
			spec, lines, ways);
	*g = (struct sim_geometry){.sets = (uint32_t)(lines / ways),
		.ways = (uint32_t)ways,
		.line_bytes = (uint32_t)line};
	return 1;
}

int sim_geometry_parse(struct sim_geometry *g, const char *spec, struct tr_err *err)
{
	static const char unbounded[] = "unbounded";
	const size_t len = sizeof(unbounded) - 1;
	const char *at = spec + len + 1;
	uint64_t line = 128;

	if (strncmp(spec, unbounded, len))
		return parse_bounded(g, spec, err);
	if (spec[len] && (spec[len] != ':' || !parse_number(&at, 0, &line)))
		return no_geometry(err, spec);
	if (check_line(spec, line, err) < 0)
		return TR_EUSAGE;
	*g = (struct sim_geometry){.line_bytes = (uint32_t)line};
	return 1;
}

static const char *const names[] = {"cc1.0", "cc1.2", "cc2", "sector32"};

const char *sim_rule_name(enum sim_rule rule)
{
	return (unsigned)rule < sizeof(names) / sizeof(names[0]) ? names[rule] : NULL;
}

int sim_rule_parse(enum sim_rule *rule, const char *name)
{
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i])) {
			*rule = (enum sim_rule)i;
			return 1;
		}
	return TR_EUSAGE;
}
