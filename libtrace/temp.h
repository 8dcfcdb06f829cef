/*
 * A temporary file without a name, in the folder that TMPDIR names (else /tmp): it is gone when its
 * last user is, however that ends. tmpfile() knows no TMPDIR.
 */
#ifndef LIBTRACE_TEMP_H
#define LIBTRACE_TEMP_H

#include "err.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens one for reading and writing: 1 or TR_EIO. */
int tr_temp_open(FILE **f, struct tr_err *err);
/*
 * Closes one whose bytes nobody wants any more. Nothing is written and its place is not moved, so
 * that a child of fork may do it while its parent goes on with the file. NULL does nothing.
 */
void tr_temp_drop(FILE *f);
/* TR_EIO for a write or a read of it that failed, with errno. */
int tr_temp_failed(struct tr_err *err);

#ifdef __cplusplus
}
#endif

#endif
