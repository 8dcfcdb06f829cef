/*
 * Texts of others in sentences: paths, names and what an assertion says may have any length, and
 * what else the sentence says is to remain.
 */
#ifndef PTX_SHORTEN_H
#define PTX_SHORTEN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PTX_SHORT_PATH = 120, PTX_SHORT_NAME = 80, PTX_SHORT_TEXT = 240 };

struct ptx_short {
	char text[PTX_SHORT_TEXT + 1];
};

/* The end of a path, which has the file's name, behind "..." where that is not all of it. */
struct ptx_short ptx_short_path(const char *path);

/* A name, or a text, without its middle where it is longer than that: "begin...end". */
struct ptx_short ptx_short_name(const char *name);
struct ptx_short ptx_short_text(const char *text);

#ifdef __cplusplus
}
#endif
#endif
