/* The table of formats, how one is recognized, and notes. */
#include "sim/convert/convert.h"
#include "sim/convert/lines.h"
#include <stdarg.h>
#include <string.h>

#define HEAD_BYTES 4096

#define FORMAT(id) extern const struct cv_format id;
#include "formats.def"
#undef FORMAT

static const struct cv_format *const table[] = {
#define FORMAT(id) &id,
#include "formats.def"
#undef FORMAT
};

const struct cv_format *cv_format_at(unsigned i)
{
	return i < sizeof(table) / sizeof(table[0]) ? table[i] : NULL;
}

const struct cv_format *cv_format_find(const char *name)
{
	for (unsigned i = 0; cv_format_at(i); i++)
		if (!strcmp(name, table[i]->name))
			return table[i];
	return NULL;
}

/* The first lines of f, each with an LF; how many bytes. */
static size_t read_head(FILE *f, char head[HEAD_BYTES])
{
	struct cv_lines *l;
	size_t n = 0, len;
	char *line;

	if (cv_lines_open(&l, f, "", NULL) < 0)
		return 0;
	while (n < HEAD_BYTES && cv_lines_next(l, &line, &len, NULL) > 0) {
		const size_t room = HEAD_BYTES - n;

		line[len] = '\n';
		len = len + 1 < room ? len + 1 : room;
		memcpy(head + n, line, len);
		n += len;
	}
	cv_lines_close(l);
	return n;
}

const struct cv_format *cv_sniff(FILE *f)
{
	char head[HEAD_BYTES];
	const size_t n = read_head(f, head);
	const struct cv_format *found = NULL;

	rewind(f);
	for (unsigned i = 0; !found && cv_format_at(i); i++)
		if (table[i]->import && table[i]->sniff && table[i]->sniff(head, n))
			found = table[i];
	return found;
}

void cv_note(struct cv_report *r, uint64_t count, const char *fmt, ...)
{
	va_list ap;

	if (!count || r->n == CV_NOTES_MAX)
		return;
	va_start(ap, fmt);
	r->notes[r->n].count = count;
	vsnprintf(r->notes[r->n++].text, sizeof(r->notes[0].text), fmt, ap);
	va_end(ap);
}
