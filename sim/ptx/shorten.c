/*
 * Shortening what stands in sentences; see shorten.h. Left out: the bounds of characters of several
 * bytes.
 */
#include "sim/ptx/shorten.h"
#include <string.h>

static struct ptx_short shorten(const char *text, size_t max, size_t begin)
{
	static const char gap[] = "...";
	const size_t len = strlen(text), end = max - begin - strlen(gap);
	struct ptx_short s;

	if (len <= max) {
		memcpy(s.text, text, len + 1);
		return s;
	}
	memcpy(s.text, text, begin);
	memcpy(s.text + begin, gap, strlen(gap));
	memcpy(s.text + max - end, text + len - end, end + 1);
	return s;
}

struct ptx_short ptx_short_path(const char *path)
{
	return shorten(path, PTX_SHORT_PATH, 0);
}

struct ptx_short ptx_short_name(const char *name)
{
	return shorten(name, PTX_SHORT_NAME, PTX_SHORT_NAME / 2);
}

struct ptx_short ptx_short_text(const char *text)
{
	return shorten(text, PTX_SHORT_TEXT, PTX_SHORT_TEXT / 2);
}
