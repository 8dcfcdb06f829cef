/*
 * geometry SETS WAYS <IN >OUT: an access stream once more, with another cache in its header, as a
 * replay of another maker may have had it.
 */
#include "libtrace/access.h"
#include "libtrace/stream.h"
#include <stdlib.h>

#define MUST(call)                                                                                 \
	do                                                                                         \
		if ((call) < 0) {                                                                  \
			fprintf(stderr, "geometry: %s\n", err.msg);                                \
			return 1;                                                                  \
		}                                                                                  \
	while (0)

int main(int argc, char **argv)
{
	const struct tr_part all = TR_PART_ALL;
	struct tr_access_reader *r;
	struct tr_access_writer *w;
	struct tr_access_info info;
	struct tr_writer_options opt = {0};
	struct tr_err err;
	const struct tr_access *a;
	int64_t programs[64];
	uint32_t nprograms = 0;
	size_t n;
	int event;

	if (argc != 3)
		return 2;
	MUST(tr_access_reader_open(&r, stdin, &all, &err));
	info = *tr_access_reader_info(r);
	opt.provenance = tr_access_reader_provenance(r);
	info.sets = (uint32_t)strtoul(argv[1], NULL, 10);
	info.ways = (uint32_t)strtoul(argv[2], NULL, 10);
	MUST(tr_access_writer_open(&w, stdout, &info, &opt, &err));
	while ((event = tr_access_reader_next(r, &a, &n, &err)) > 0) {
		if (event == TR_A_LAUNCH) {
			struct tr_launch l = *tr_access_reader_launch(r);

			for (; nprograms <= l.program; nprograms++)
				MUST(programs[nprograms] = tr_access_writer_program(
					     w, tr_access_reader_program(r), &err));
			l.program = (uint32_t)programs[l.program];
			MUST(tr_access_writer_launch(w, &l, &err));
		} else {
			for (size_t i = 0; i < n; i++)
				MUST(tr_access_write(w, &a[i], &err));
		}
	}
	MUST(event);
	MUST(tr_access_writer_close(w, tr_access_reader_totals(r)[TR_AT_WARP_INSTS],
		tr_access_reader_totals(r)[TR_AT_THREAD_INSTS], &err));
	tr_access_reader_close(r);
	return 0;
}
