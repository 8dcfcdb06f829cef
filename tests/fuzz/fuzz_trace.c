/*
 * Fuzzer for the thread trace: any bytes as a trace, every CTA decoded and every thread walked, in
 * order, then a part of it, then by seeking backwards; and checked, which must find the same. Built
 * with TR_FUZZING, which makes every checksum fit, so that what lies after them is reached.
 */
#include "libtrace/trace.h"

#define DECODED_MAX (64u << 20) /* bytes of a CTA, from which on the input is a bomb and no bug */

static volatile uint64_t sum;

/* Walks all threads of the CTA; 0 when it is so large that there is no point in going on. */
static int walk(const struct tr_program *p, const struct tr_cta *c)
{
	uint64_t bytes = 0, steps = 0;

	for (uint32_t i = 0; i < c->nthreads; i++) {
		struct tr_walk w;
		int rc;

		tr_walk_start(&w, p, &c->threads[i]);
		while ((rc = tr_walk_next(&w)) > 0 && steps++ < DECODED_MAX)
			sum += w.outcome + (w.has_value ? w.value : 0);
		if (rc < 0) /* what was decoded fits its program */
			__builtin_trap();
		bytes += c->threads[i].noutcomes + 8 * (uint64_t)c->threads[i].nvalues;
	}
	for (uint32_t i = 0; i < c->nsync; i++)
		sum += c->sync[i].reader_value;
	for (uint32_t i = 0; i < c->nspins; i++)
		sum += c->spins[i].polls == TR_NONE ? c->spins[i].insts : c->spins[i].rounds;
	return bytes < DECODED_MAX && steps < DECODED_MAX;
}

/* A check, which keeps nothing, must say what reading said: 0 at the end of the stream, or TR_E*.
 */
static void check(FILE *f, const struct tr_part *part, int want)
{
	struct tr_reader *r;
	struct tr_err err;

	rewind(f);
	if (tr_reader_open(&r, f, part, &err) > 0) {
		if (tr_reader_check(r, &err) != (want ? want : 1))
			__builtin_trap();
		tr_reader_close(r);
	}
}

static void read_all(FILE *f, const struct tr_part *part)
{
	struct tr_reader *r;
	struct tr_err err;
	struct tr_cta c;
	int rc, said = 0, bomb = 0;

	tr_cta_init(&c);
	rewind(f);
	if (tr_reader_open(&r, f, part, &err) > 0) {
		do {
			rc = tr_reader_next(r, &err);
			if (rc == TR_CTA) {
				const int decoded = tr_reader_cta(r, &c, &err);

				said = said ? said : decoded < 0 ? decoded : 0;
				bomb = decoded > 0 && !walk(tr_reader_program(r), &c);
			}
		} while (rc > 0 && !bomb);
		tr_reader_close(r);
		if (!bomb)
			check(f, part, said ? said : rc);
	}
	tr_cta_free(&c);
}

static void seek_backwards(FILE *f)
{
	struct tr_reader *r;
	struct tr_err err;
	struct tr_cta c;

	tr_cta_init(&c);
	rewind(f);
	if (tr_reader_open(&r, f, NULL, &err) > 0) {
		for (uint32_t launch = 3; launch--;)
			for (uint32_t cta = 6; cta--;)
				if (tr_reader_seek(r, launch, cta, &err) > 0 &&
					tr_reader_next(r, &err) == TR_LAUNCH &&
					tr_reader_next(r, &err) == TR_CTA &&
					tr_reader_cta(r, &c, &err) > 0)
					walk(tr_reader_program(r), &c);
		tr_reader_close(r);
	}
	tr_cta_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tr_part part = {1, 2, 1, 3, 0};
	FILE *f = fmemopen((void *)(uintptr_t)data, size, "rb");

	if (!f)
		return 0;
	read_all(f, NULL);
	read_all(f, &part);
	seek_backwards(f);
	fclose(f);
	return 0;
}
