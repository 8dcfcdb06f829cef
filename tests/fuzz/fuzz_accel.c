/*
 * Any bytes as an Accel-Sim trace, as text and as .tracez, and after a form feed as a listing of
 * its kernels' SASS: refused with a sentence, or a thread trace that is sound and can be written
 * back.
 */
#include "libtrace/trace.h"
#include "sim/convert/convert.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void check(bool holds)
{
	if (!holds)
		abort();
}

static FILE *null_create(void *arg, const char *name, struct tr_err *err)
{
	(void)arg;
	(void)name;
	(void)err;
	return fopen("/dev/null", "wb");
}

static int null_finish(void *arg, FILE *f, struct tr_err *err)
{
	(void)arg;
	(void)err;
	fclose(f);
	return 1;
}

static void check_walks(char *bytes, size_t len)
{
	struct tr_err err = {0};
	struct tr_reader *r;
	struct tr_cta cta;
	FILE *f = fmemopen(bytes, len, "rb");
	int event;

	check(tr_reader_open(&r, f, NULL, &err) > 0);
	tr_cta_init(&cta);
	while ((event = tr_reader_next(r, &err)) > 0) {
		if (event != TR_CTA)
			continue;
		check(tr_reader_cta(r, &cta, &err) > 0);
		for (uint32_t t = 0; t < cta.nthreads; t++) {
			struct tr_walk w;
			int rc;

			tr_walk_start(&w, tr_reader_program(r), &cta.threads[t]);
			while ((rc = tr_walk_next(&w)) > 0)
				;
			check(!rc);
		}
	}
	check(!event);
	tr_cta_free(&cta);
	tr_reader_close(r);
	fclose(f);
}

static void check_export(const struct cv_format *x, char *bytes, size_t len)
{
	const struct cv_options options = CV_OPTIONS_DEFAULTS;
	const struct cv_output out = {.create = null_create, .finish = null_finish};
	struct cv_report report = {.n = 0};
	struct tr_err err = {0};
	FILE *f = fmemopen(bytes, len, "rb");

	check(x->emit(f, &out, &options, &report, &err) > 0);
	fclose(f);
}

static void convert(const char *name, const uint8_t *data, size_t size)
{
	const struct cv_format *x = cv_format_find("accel-sim");
	const uint8_t *end = data + size, *listing = memchr(data, '\f', size);
	struct cv_options options = CV_OPTIONS_DEFAULTS;
	struct cv_report report = {.n = 0};
	struct tr_err err = {0};
	char *bytes = NULL;
	size_t len = 0;
	FILE *in, *out = open_memstream(&bytes, &len);
	int rc;

	if (listing && listing > data && listing + 1 < end) {
		size = (size_t)(listing - data);
		listing++;
		options.listing = fmemopen((void *)listing, (size_t)(end - listing), "rb");
		options.listing_name = "k.sass";
	}
	options.lines = 1;
	in = fmemopen((void *)data, size, "rb");
	rc = x->import(&(struct cv_input){.f = in, .name = name}, out, &options, &report, &err);
	if (options.listing)
		fclose(options.listing);
	fclose(in);
	fclose(out);
	if (rc > 0) {
		check_walks(bytes, len);
		check_export(x, bytes, len);
	} else {
		check(err.code == rc && *err.msg);
	}
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size) /* fmemopen wants a byte */
		return 0;
	convert("k.traceg", data, size);
	convert("k.tracez", data, size);
	return 0;
}
