/*
 * What the tests of the Accel-Sim format share: conversions in memory, and what each thread of a
 * thread trace executed, with the PC that its line had.
 */
#ifndef ACCEL_TRIAL_H
#define ACCEL_TRIAL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "libtrace/trace.h"
#include "sim/convert/convert.h"
#include <stdlib.h>
#include <string.h>

/* ---- files in memory ---- */

#define FILES_MAX 4096

struct memory_folder {
	struct memory_file {
		char name[64];
		char *bytes;
		size_t len;
		FILE *f;
	} files[FILES_MAX];
	size_t n;
};

static inline struct memory_file *memory_find(struct memory_folder *d, const char *name)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->files[i].name, name))
			return &d->files[i];
	return NULL;
}

static inline FILE *memory_open(void *arg, const char *name, struct tr_err *err)
{
	const struct memory_file *m = memory_find(arg, name);

	if (m)
		return fmemopen(m->bytes, m->len, "rb");
	tr_fail(err, TR_EIO, 0, "cannot open '%s'", name);
	return NULL;
}

static inline FILE *memory_create(void *arg, const char *name, struct tr_err *err)
{
	struct memory_folder *d = arg;
	struct memory_file *m = &d->files[d->n];

	(void)err;
	assert_true(d->n < FILES_MAX);
	snprintf(m->name, sizeof(m->name), "%s", name);
	m->f = open_memstream(&m->bytes, &m->len);
	d->n++;
	return m->f;
}

static inline int memory_finish(void *arg, FILE *f, struct tr_err *err)
{
	(void)arg;
	(void)err;
	fclose(f);
	return 1;
}

static inline void memory_free(struct memory_folder *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->files[i].bytes);
	d->n = 0;
}

/* Imports the file `name` of the folder. The stream is the caller's to free; NULL on an error. */
static inline char *memory_import(struct memory_folder *d, const char *name, size_t *len,
	struct cv_report *report, struct tr_err *err)
{
	struct cv_options options = CV_OPTIONS_DEFAULTS;
	char *bytes = NULL;
	FILE *in = memory_open(d, name, err), *out = open_memstream(&bytes, len);
	int rc;

	options.lines = 1;
	*report = (struct cv_report){.n = 0};
	*err = (struct tr_err){0};
	rc = cv_format_find("accel-sim")
		     ->import(
			     &(struct cv_input){
				     .f = in, .name = name, .open = memory_open, .arg = d},
			     out, &options, report, err);
	fclose(in);
	fclose(out);
	if (rc > 0)
		return bytes;
	assert_int_equal(err->code, rc);
	free(bytes);
	return NULL;
}

static inline int memory_export(struct memory_folder *d, char *bytes, size_t len, uint32_t version,
	uint32_t machine, struct tr_err *err)
{
	const struct cv_options options = {
		.line_bytes = 128, .accel_version = version, .binary_version = machine};
	const struct cv_output out = {.create = memory_create, .finish = memory_finish, .arg = d};
	struct cv_report report = {.n = 0};
	FILE *in = fmemopen(bytes, len, "rb");
	int rc;

	d->n = 0;
	rc = cv_format_find("accel-sim")->emit(in, &out, &options, &report, err);
	fclose(in);
	return rc;
}

#endif
