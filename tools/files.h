/*
 * Files with good manners. Output takes its name when all of it is written, and until then has
 * none where the file system allows that; what is read is never written; a failed write keeps its
 * reason. Calls end the program where a library would return an error.
 */
#ifndef TOOLS_FILES_H
#define TOOLS_FILES_H

#include "libtrace/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- input ---- */

/* Opens FILE, or standard input for NULL and "-"; a terminal is refused. *name is for messages. */
FILE *input_open(const char *path, char **name);
/* Opens a file that is read beside the input; NULL with errno where that fails. */
FILE *input_beside(const char *path);
/* A file that somebody else opens to read it: it must be there, and be no output of this run. */
void input_note(const char *path);

/* Is it there, and no regular file: a pipe or a device, where opening alone may wait, or a folder?
 */
bool is_special(const char *path);

/* All of a file (NULL: of standard input), NUL-terminated; *len without the NUL. */
char *file_read(const char *path, size_t *len);
/* The same of a text: a zero byte in it ends the program with its line. */
char *text_read(const char *path);

/* ---- output ---- */

/*
 * A regular file that is there keeps its mode, and stays as it is until the new one is whole; a
 * link to it stays a link. What is no regular file (a device, a pipe) is written as it is.
 */
struct output {
	FILE *f;
	const char *path;  /* NULL: standard output */
	struct sink *sink; /* what is behind f */
};
void output_open(struct output *o, const char *path, bool binary);
/*
 * The same of path, DIR/NAME, in the folder that is open as dir, which path's own is not looked up
 * for: what has the name NAME there is replaced, and a link is not followed.
 */
void output_open_in(struct output *o, int dir, const char *path);
/* Ends the program where what was written so far has failed. */
void output_check(const struct output *o);
void output_close(struct output *o);
/*
 * The file descriptor of an output, for another process to write to it. Nothing may have been
 * written before.
 */
int output_fd(const struct output *o);
/*
 * Ends the program with a library's sentence, or, where writing failed, with the output's name and
 * the reason. what (may be NULL) is what could not be done.
 */
void output_die(const struct output *o, const struct tr_err *err, const char *what)
	__attribute__((noreturn));

/*
 * A folder of files: it takes its name when all of them are written. There is one at a time; it
 * takes the place of an empty folder, and of nothing else.
 */
void folder_open(const char *path);
/* A new file in it, or NULL with the reason; and its end: 1 or TR_EIO. */
FILE *folder_create(const char *name, struct tr_err *err);
int folder_finish(FILE *f, struct tr_err *err);
/* As output_die. */
void folder_die(const struct tr_err *err, const char *what) __attribute__((noreturn));
void folder_close(void);

/* ---- the end, for common.c ---- */

/* From now on signals that end the program remove what is not to stay; ignored ones are ignored. */
void files_start(void);
/* A run that is refused writes nothing: what waits for standard output is forgotten. */
void outputs_forget(void);
/* Sends what waits for standard output, and removes what has only the name of its making. */
void outputs_end(void);

#endif
