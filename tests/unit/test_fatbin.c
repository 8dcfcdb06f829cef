/*
 * Fat binaries as compilers make them, made here: stored, LZ4, zstd, several entries, and what is
 * wrong with them.
 */
#include "tools/cuda/runtime/rt.h"
#include <lz4.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

static const char ptx[] = ".version 6.4\n.target sm_60\n.address_size 64\n"
			  ".entry k() { ret; }\n.entry l() { ret; }\n.entry m() { ret; }\n";

enum { LZ4 = 0x2000, ZSTD = 0x8000 };

struct bytes {
	uint8_t at[8192];
	size_t n;
};

static void put(struct bytes *b, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		b->at[b->n++] = (uint8_t)(v >> 8 * i);
}

static void begin(struct bytes *b)
{
	b->n = 0;
	put(b, 0xba55ed50, 4);
	put(b, 1, 2);
	put(b, 16, 2);
	put(b, 0, 8);
}

/* An entry: kind 1 is PTX, 2 machine code. header: its bytes, of which compilers have 64 or more.
 */
static void entry(struct bytes *b, unsigned kind, unsigned arch, unsigned codec, unsigned header,
	const char *text)
{
	char packed[4096];
	const size_t len = strlen(text);
	size_t n = len;

	if (codec == LZ4)
		n = (size_t)LZ4_compress_default(text, packed, (int)len, sizeof(packed));
	else if (codec == ZSTD)
		n = ZSTD_compress(packed, sizeof(packed), text, len, 3);
	else
		memcpy(packed, text, len);
	assert_true(n > 0 && n < sizeof(packed));
	const size_t padded = (n + 8) & ~(size_t)7, start = b->n;
	put(b, kind, 2);
	put(b, 0x101, 2);
	put(b, header, 4);
	put(b, padded, 8);
	put(b, codec ? n : 0, 4);
	put(b, 0, 4);
	put(b, 4, 2);
	put(b, 6, 2);
	put(b, arch, 4);
	put(b, 0, 8);
	put(b, 0x11 | codec, 8);
	put(b, 0, 8);
	put(b, codec ? len : 0, 8);
	while (b->n < start + header)
		put(b, 0, 1);
	memcpy(b->at + b->n, packed, n);
	memset(b->at + b->n + n, 0, padded - n);
	b->n += padded;
	const uint64_t all = b->n - 16;
	memcpy(b->at + 8, &all, 8);
}

static void each_codec(void **state)
{
	bool relocatable;
	static const unsigned codecs[] = {0, LZ4, ZSTD}, headers[] = {64, 72, 104};
	struct tr_err err = {0};
	struct bytes b;
	(void)state;

	for (unsigned c = 0; c < 3; c++)
		for (unsigned h = 0; h < 3; h++) {
			begin(&b);
			entry(&b, 1, 60, codecs[c], headers[h], ptx);
			char *text = rt_fatbin_ptx(b.at, &relocatable, &err);
			assert_non_null(text);
			assert_string_equal(text, ptx);
			assert_false(relocatable);
			free(text);
		}
}

static void entries_are_chosen(void **state)
{
	bool relocatable;
	static const struct {
		unsigned arch[3];
		const char *want;
	} cases[] = {{{50, 80, 70}, "1"}, {{90, 75, 100}, "1"}, {{120, 90, 100}, "1"}};
	struct tr_err err = {0};
	struct bytes b;
	(void)state;

	for (unsigned i = 0; i < 3; i++) {
		begin(&b);
		entry(&b, 2, 80, 0, 64, "ELF");
		entry(&b, 1, cases[i].arch[0], 0, 64, "0");
		entry(&b, 1, cases[i].arch[1], LZ4, 64, "1");
		entry(&b, 1, cases[i].arch[2], ZSTD, 64, "2");
		char *text = rt_fatbin_ptx(b.at, &relocatable, &err);
		assert_non_null(text);
		assert_string_equal(text, cases[i].want);
		free(text);
	}
}

static void refuse(struct bytes *b, const char *why)
{
	bool relocatable;
	struct tr_err err = {0};

	assert_null(rt_fatbin_ptx(b->at, &relocatable, &err));
	assert_int_equal(err.code, TR_EDATA);
	assert_non_null(strstr(err.msg, why));
}

static void what_is_wrong_is_told(void **state)
{
	struct bytes b;
	(void)state;

	begin(&b);
	refuse(&b, "compute_60,code=compute_60");
	entry(&b, 2, 75, 0, 64, "ELF");
	refuse(&b, "machine code and no PTX: compile it with -gencode "
		   "arch=compute_75,code=compute_75");
	b.at[0] ^= 1;
	refuse(&b, "is no fat binary");
	for (unsigned codec = LZ4; codec <= ZSTD; codec *= 4) {
		begin(&b);
		entry(&b, 1, 60, codec, 64, ptx);
		b.at[16 + 64] ^= 0xff;
		b.at[16 + 65] ^= 0xff;
		refuse(&b, "is damaged");
		begin(&b);
		entry(&b, 1, 60, codec, 64, ptx);
		b.at[16 + 56]++; /* the bytes it has when it is expanded */
		refuse(&b, "is damaged");
		begin(&b);
		entry(&b, 1, 60, codec, 64, ptx);
		b.at[16 + 19] = 0x7f; /* those that it has in the file */
		refuse(&b, "wrong lengths");
	}
	begin(&b);
	entry(&b, 1, 60, 0, 64, ptx);
	b.at[16 + 8 + 6] = 1; /* the payload's length */
	refuse(&b, "wrong lengths");
	begin(&b);
	entry(&b, 1, 60, 0, 64, ptx);
	b.at[16 + 4] = 8; /* the header's */
	refuse(&b, "wrong lengths");
	begin(&b);
	entry(&b, 1, 60, 0, 64, ptx);
	b.at[8] += 8;
	refuse(&b, "ends within an entry's header");
}

static void wrappers(void **state)
{
	struct {
		uint32_t magic, version;
		const void *data;
		const void *more;
	} w = {0x466243b1, 1, NULL, NULL};
	const void *const *several;
	struct tr_err err = {0};
	struct bytes b;
	(void)state;

	begin(&b);
	w.data = b.at;
	assert_ptr_equal(rt_fatbin_image(&w, &several, &err), b.at);
	assert_ptr_equal(rt_fatbin_image(b.at, &several, &err), b.at);
	assert_null(several);
	const void *const both[] = {b.at, b.at + 8, NULL};
	w.version = 2;
	w.more = both;
	assert_ptr_equal(rt_fatbin_image(&w, &several, &err), b.at);
	assert_ptr_equal(several, both);
	w.magic++;
	assert_null(rt_fatbin_image(&w, &several, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_codec),
		cmocka_unit_test(entries_are_chosen), cmocka_unit_test(what_is_wrong_is_told),
		cmocka_unit_test(wrappers)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
