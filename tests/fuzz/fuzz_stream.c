/*
 * Fuzzer for the container: any bytes as a stream, read to the end, then by its index backwards.
 * Built with TR_FUZZING, which makes every checksum fit, so that what lies after them is reached.
 */
#include "libtrace/stream.h"

static volatile unsigned sum;

/* Reads every byte, so that a wrong length is noticed. */
static void touch(const struct tr_record *rec)
{
	for (size_t i = 0; i < rec->len; i++)
		sum += rec->data[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *f = fmemopen((void *)(uintptr_t)data, size, "rb");
	const struct tr_index_entry *entries;
	struct tr_in *in;
	struct tr_record rec;
	struct tr_err err;
	size_t n;

	if (!f)
		return 0;
	if (tr_in_open(&in, f, &err) > 0) {
		while (tr_in_next(in, &rec, &err) > 0)
			touch(&rec);
		if (tr_in_index(in, &entries, &n, &err) > 0)
			for (size_t i = n; i-- > 0;)
				if (tr_in_seek(in, &entries[i], &err) > 0 &&
					tr_in_next(in, &rec, &err) > 0)
					touch(&rec);
		tr_in_close(in);
	}
	fclose(f);
	return 0;
}
