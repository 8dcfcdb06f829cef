/*
 * Any bytes as each of the text formats: refused with a sentence that names the file, or made into
 * a stream that reads back whole. What an exporter makes of it its importer takes.
 */
#include "libtrace/access.h"
#include "sim/convert/convert.h"
#include <stdlib.h>
#include <string.h>

static void check(int holds)
{
	if (!holds)
		abort();
}

static void check_stream(FILE *f, uint32_t line_bytes)
{
	struct tr_access_reader *r;
	const struct tr_access *batch;
	struct tr_err err = {0};
	size_t n;
	int rc;

	check(tr_access_reader_open(&r, f, NULL, &err) == 1);
	check(tr_access_reader_info(r)->line_bytes == line_bytes);
	while ((rc = tr_access_reader_next(r, &batch, &n, &err)) > 0)
		for (size_t i = 0; rc == TR_A_BATCH && i < n; i++)
			check(batch[i].bytes && batch[i].bytes <= line_bytes && batch[i].lanes[0]);
	check(rc == 0);
	tr_access_reader_close(r);
	rewind(f);
}

/* A stream in memory, or NULL where the text was refused. */
static FILE *import(
	const struct cv_format *x, FILE *in, const struct cv_options *opt, char **bytes, size_t *n)
{
	struct cv_report report = {.n = 0};
	struct tr_err err = {0};
	FILE *out = open_memstream(bytes, n);
	int rc;

	check(out != NULL);
	rewind(in);
	rc = x->import(&(struct cv_input){.f = in, .name = "fuzz"}, out, opt, &report, &err);
	fclose(out);
	check(rc == 1 || (rc == err.code && *err.msg && (rc != TR_EDATA || !*n)));
	return rc == 1 ? fmemopen(*bytes, *n, "r") : NULL;
}

static void return_trip(const struct cv_format *x, FILE *stream, const struct cv_options *opt)
{
	struct cv_report report = {.n = 0};
	struct tr_err err = {0};
	char *text, *bytes;
	size_t len, n;
	FILE *back;
	struct cv_output out = {.f = open_memstream(&text, &len)};

	check(out.f && x->emit(stream, &out, opt, &report, &err) == 1);
	fclose(out.f);
	if (x->import) {
		FILE *in = fmemopen(text, len, "r");

		back = import(x, in, opt, &bytes, &n);
		check(back != NULL);
		check_stream(back, opt->line_bytes);
		fclose(back);
		fclose(in);
		free(bytes);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const outs[] = {"din", "ccws", "text"};
	struct cv_options opt = CV_OPTIONS_DEFAULTS;
	FILE *in = size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");

	check(in != NULL);
	opt.line_bytes = 32u << size % 6;
	cv_sniff(in);
	for (unsigned i = 0; cv_format_at(i); i++) {
		const struct cv_format *x = cv_format_at(i);
		char *bytes = NULL;
		size_t n;
		FILE *stream;

		if (!x->import || x->kind != TR_KIND_ACCESSES)
			continue;
		stream = import(x, in, &opt, &bytes, &n);
		if (stream) {
			check_stream(stream, opt.line_bytes);
			for (unsigned o = 0; o < sizeof(outs) / sizeof(outs[0]); o++) {
				rewind(stream);
				return_trip(cv_format_find(outs[o]), stream, &opt);
			}
			fclose(stream);
		}
		free(bytes);
	}
	fclose(in);
	return 0;
}
