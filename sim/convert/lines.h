/*
 * Internal: the lines of a text, whether it stands there plainly or compressed with xz or zstd.
 * Memory is bounded by the longest line.
 */
#ifndef SIM_CONVERT_LINES_H
#define SIM_CONVERT_LINES_H

#include "libtrace/err.h"
#include <stddef.h>
#include <stdio.h>

#define CV_LINE_MAX (1u << 20) /* bytes of a line; a longer one is an error */

struct cv_lines;

/* Starts at the file's position; f and name (for sentences) stay the caller's. 1 or TR_E*. */
int cv_lines_open(struct cv_lines **l, FILE *f, const char *name, struct tr_err *err);
/*
 * The next line, without its end (LF or CRLF) and NUL-terminated there; it may be written to and is
 * valid until the next call. The last line needs no LF. 1, 0 after the last line, or TR_E*.
 */
int cv_lines_next(struct cv_lines *l, char **line, size_t *len, struct tr_err *err);
/* Fails with "NAME:LINE: sentence", LINE being the number of the last line read, from 1; an empty
 * text has none. */
int cv_lines_fail(const struct cv_lines *l, struct tr_err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void cv_lines_close(struct cv_lines *l); /* NULL is fine */

#endif
