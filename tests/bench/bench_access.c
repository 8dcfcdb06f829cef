/*
 * Reads an access stream and, given a second name, writes it again: to be timed. Without one the
 * reading alone is measured.
 */
#include "libtrace/access.h"
#include <stdio.h>
#include <stdlib.h>

static void check(int64_t rc, const struct tr_err *err)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "bench_access: %s\n", err->msg);
	exit(1);
}

int main(int argc, char **argv)
{
	FILE *in = argc > 1 ? fopen(argv[1], "rb") : NULL;
	FILE *out = argc > 2 ? fopen(argv[2], "wb") : NULL;
	const struct tr_program *last = NULL;
	struct tr_access_writer *w = NULL;
	struct tr_access_reader *r;
	const struct tr_access *a;
	uint64_t sum = 0;
	struct tr_err err;
	int64_t program = 0;
	size_t n;
	int event;

	if (!in || (argc > 2 && !out)) {
		fprintf(stderr, "usage: bench_access STREAM [COPY]\n");
		return 2;
	}
	check(tr_access_reader_open(&r, in, NULL, &err), &err);
	if (out)
		check(tr_access_writer_open(&w, out, tr_access_reader_info(r), NULL, &err), &err);
	while ((event = tr_access_reader_next(r, &a, &n, &err)) > 0) {
		if (event == TR_A_LAUNCH && w) {
			struct tr_launch l = *tr_access_reader_launch(r);

			if (tr_access_reader_program(r) != last) {
				last = tr_access_reader_program(r);
				check(program = tr_access_writer_program(w, last, &err), &err);
			}
			l.program = (uint32_t)program;
			check(tr_access_writer_launch(w, &l, &err), &err);
		}
		for (size_t i = 0; event == TR_A_BATCH && i < n; i++) {
			sum += a[i].line ^ a[i].lanes[0];
			if (w)
				check(tr_access_write(w, &a[i], &err), &err);
		}
	}
	check(event, &err);
	if (w)
		check(tr_access_writer_close(w, 0, sum, &err), &err);
	tr_access_reader_close(r);
	return out && fclose(out);
}
