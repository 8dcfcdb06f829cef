/*
 * Text formats, in and out: what each line becomes, in which instruction, warp, line and launch;
 * every broken form with its line and reason; our own output read back; sniffing. A random text is
 * held against a reading of it that knows nothing of the importer.
 */
#include "libtrace/access.h"
#include "sim/convert/convert.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- conversions in memory ---- */

static FILE *file_of(const void *data, size_t n)
{
	FILE *f = tmpfile();

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	rewind(f);
	return f;
}

static char *bytes_of(FILE *f, size_t *n)
{
	char *data;

	assert_int_equal(fflush(f), 0);
	*n = (size_t)ftell(f);
	data = malloc(*n + 1);
	assert_non_null(data);
	rewind(f);
	assert_int_equal(fread(data, 1, *n, f), *n);
	data[*n] = 0;
	rewind(f);
	return data;
}

/* A stream made of text, at its beginning, or NULL with the reason in err. */
static FILE *import_with(const char *format, const char *text, size_t n,
	const struct cv_options *opt, struct cv_report *report, struct tr_err *err)
{
	const struct cv_format *x = cv_format_find(format);
	FILE *in = file_of(text, n), *out = tmpfile();
	int rc;

	assert_non_null(x);
	assert_non_null(out);
	*report = (struct cv_report){.n = 0};
	*err = (struct tr_err){0};
	rc = x->import(&(struct cv_input){.f = in, .name = "t"}, out, opt, report, err);
	fclose(in);
	if (rc < 0) {
		assert_int_equal(rc, err->code);
		assert_int_equal(ftell(out), 0);
		fclose(out);
		return NULL;
	}
	assert_int_equal(rc, 1);
	rewind(out);
	return out;
}

static FILE *import(const char *format, const char *text, uint32_t line_bytes)
{
	struct cv_options opt = CV_OPTIONS_DEFAULTS;
	struct cv_report report;
	struct tr_err err;
	FILE *f;

	opt.line_bytes = line_bytes;
	f = import_with(format, text, strlen(text), &opt, &report, &err);
	if (!f)
		fail_msg("%s: %s", format, err.msg);
	return f;
}

static char *export_with(const char *format, FILE *stream, const struct cv_options *opt,
	struct cv_report *report, struct tr_err *err, size_t *n)
{
	const struct cv_format *x = cv_format_find(format);
	struct cv_output out = {.f = tmpfile()};
	char *text = NULL;

	assert_non_null(x);
	assert_non_null(out.f);
	*report = (struct cv_report){.n = 0};
	*err = (struct tr_err){0};
	rewind(stream);
	if (x->emit(stream, &out, opt, report, err) > 0)
		text = bytes_of(out.f, n);
	fclose(out.f);
	return text;
}

static char *export(const char *format, FILE *stream)
{
	struct cv_options opt = CV_OPTIONS_DEFAULTS;
	struct cv_report report;
	struct tr_err err;
	size_t n;
	char *text = export_with(format, stream, &opt, &report, &err, &n);

	if (!text)
		fail_msg("%s: %s", format, err.msg);
	assert_int_equal(strlen(text), n);
	return text;
}

/* All of a stream. */
struct stream {
	struct tr_access_info info;
	struct tr_access *accesses;
	uint32_t *launches; /* of each access */
	size_t n, cap;
	uint32_t nlaunches;
	struct tr_launch last; /* without lists */
	char *opcodes;         /* of the program, a line each */
	uint64_t totals[TR_MAX_TOTALS];
};

static struct stream read_stream(FILE *f)
{
	struct stream s = {.n = 0};
	struct tr_access_reader *r;
	const struct tr_access *batch;
	const struct tr_program *p = NULL;
	struct tr_err err = {0};
	size_t n, len;
	FILE *text;
	int rc;

	rewind(f);
	if (tr_access_reader_open(&r, f, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	s.info = *tr_access_reader_info(r);
	while ((rc = tr_access_reader_next(r, &batch, &n, &err)) > 0) {
		if (rc == TR_A_LAUNCH) {
			s.last = *tr_access_reader_launch(r);
			s.nlaunches++;
			p = tr_access_reader_program(r);
			continue;
		}
		if (s.n + n > s.cap) {
			s.cap = 2 * (s.n + n);
			s.accesses = realloc(s.accesses, s.cap * sizeof(*s.accesses));
			s.launches = realloc(s.launches, s.cap * sizeof(*s.launches));
			assert_true(s.accesses && s.launches);
		}
		for (size_t i = 0; i < n; i++) {
			s.launches[s.n] = s.last.number;
			s.accesses[s.n++] = batch[i];
		}
	}
	if (rc < 0)
		fail_msg("%s", err.msg);
	text = open_memstream(&s.opcodes, &len);
	assert_non_null(text);
	for (uint32_t i = 0; p && i < p->ninsts; i++)
		fprintf(text, "%s\n", tr_str(p, p->insts[i].opcode));
	fclose(text);
	memcpy(s.totals, tr_access_reader_totals(r), sizeof(s.totals));
	tr_access_reader_close(r);
	return s;
}

static void free_stream(struct stream *s)
{
	free(s->accesses);
	free(s->launches);
	free(s->opcodes);
}

/* What a stream says, a line an access: launch inst cta.warp lanes op space line bytes sectors
 * first warp_insts thread_insts result. */
static char *told(FILE *f)
{
	static const char ops[] = "rwa";
	struct stream s = read_stream(f);
	char *text;
	size_t len;
	FILE *m = open_memstream(&text, &len);

	assert_non_null(m);
	for (size_t i = 0; i < s.n; i++) {
		const struct tr_access *a = &s.accesses[i];

		assert_int_equal(a->sm, 0);
		assert_int_equal(a->loop, TR_NONE);
		assert_int_equal(a->trip, 0);
		assert_int_equal(a->active + 1, __builtin_popcountll(a->lanes[0]) +
							__builtin_popcountll(a->lanes[1]) +
							__builtin_popcountll(a->lanes[2]) +
							__builtin_popcountll(a->lanes[3]));
		fprintf(m, "%u i%u %u.%u x%u %c %s %llx %u/%x %u %llu %llu %u\n", s.launches[i],
			a->inst, a->cta, a->warp, a->active + 1u, ops[a->op],
			tr_space_name(a->space), (unsigned long long)a->line, a->bytes, a->sectors,
			a->first, (unsigned long long)a->warp_insts,
			(unsigned long long)a->thread_insts, a->result);
	}
	fclose(m);
	free_stream(&s);
	return text;
}

static void check_told(FILE *f, const char *want)
{
	char *text = told(f);

	assert_string_equal(text, want);
	free(text);
	fclose(f);
}

/* ---- each format ---- */

static void bare_addresses(void **state)
{
	(void)state;
	check_told(import("addr",
			   "# comment\n"
			   "0x1234\n"
			   "\n"
			   "  W ffffffffffffffff\r\n"
			   "0X1000 w # after\n"
			   "r 0\n"
			   "12a0\tR",
			   128),
		"0 i0 0.0 x1 r global 1200 1/2 1 0 0 0\n"
		"0 i1 0.0 x1 w global ffffffffffffff80 1/8 1 1 1 0\n"
		"0 i1 0.0 x1 w global 1000 1/1 1 2 2 0\n"
		"0 i0 0.0 x1 r global 0 1/1 1 3 3 0\n"
		"0 i0 0.0 x1 r global 1280 1/2 1 4 4 0\n");
}

static void din(void **state)
{
	FILE *f = import("din",
		"0 1003 a comment\n"
		"1 0x1007\n"
		" 3\t2000\n"
		"4 0\n"
		"4 0\n"
		"0 7ffffffffffffffc\n",
		64);

	(void)state;
	check_told(f, "0 i0 0.0 x1 r global 1000 4/1 1 0 0 0\n"
		      "0 i1 0.0 x1 w global 1000 4/1 1 1 1 0\n"
		      "0 i0 0.0 x1 r global 2000 4/1 1 2 2 0\n"
		      "1 i0 0.0 x1 r global 7fffffffffffffc0 4/2 1 3 3 0\n");
}

/* Fetches count, give PCs, and do not become accesses. */
static void din_fetches(void **state)
{
	FILE *f = import("din",
		"0 10\n"
		"2 400004\n"
		"2 400010\n"
		"1 20\n"
		"0 24\n"
		"2 400000\n"
		"0 28\n"
		"2 400004\n",
		32);
	struct stream s = read_stream(f);

	(void)state;
	assert_string_equal(s.opcodes, "load\nstore\nload@0x400000\nstore@0x400010\nexit\n");
	assert_int_equal(s.totals[TR_AT_WARP_INSTS], 4);
	assert_int_equal(s.totals[TR_AT_THREAD_INSTS], 4);
	assert_int_equal(s.totals[TR_AT_MEM_INSTS], 4);
	free_stream(&s);
	check_told(f, "0 i0 0.0 x1 r global 0 4/1 1 0 0 0\n"
		      "0 i3 0.0 x1 w global 20 4/1 1 1 1 0\n"
		      "0 i3 0.0 x1 r global 20 4/1 1 1 1 0\n"
		      "0 i2 0.0 x1 r global 20 4/1 1 2 2 0\n");
}

static void extended_din(void **state)
{
	const char text[] = "r 1000 4\n"
			    "W 0x10fc 0x8 straddles\n"
			    "m 2000 10\n"
			    "i 400000 4\n"
			    "c 0 0\n"
			    "v 1000 80\n"
			    "R 1020 1\n";
	struct cv_options opt = CV_OPTIONS_DEFAULTS;
	struct cv_report report;
	struct tr_err err;
	FILE *f;

	(void)state;
	opt.line_bytes = 256;
	f = import_with("xdin", text, strlen(text), &opt, &report, &err);
	assert_non_null(f);
	assert_int_equal(report.n, 3);
	assert_int_equal(report.notes[0].count, 1); /* fetch */
	assert_int_equal(report.notes[1].count, 1); /* straddles */
	assert_int_equal(report.notes[2].count, 2); /* left out */
	check_told(f, "0 i0 0.0 x1 r global 1000 4/1 1 0 0 0\n"
		      "0 i1 0.0 x1 w global 1000 4/80 1 0 0 0\n"
		      "0 i1 0.0 x1 w global 1100 4/1 0 0 0 0\n"
		      "0 i0 0.0 x1 r global 2000 16/1 1 0 0 0\n"
		      "0 i2 0.0 x1 r global 1000 1/2 1 0 0 0\n");
}

static void lackey(void **state)
{
	FILE *f = import("lackey",
		"==123== Lackey, an example Valgrind tool\n"
		"--123-- warning: something\n"
		"I  0401ab73,5\n"
		" S 1fff00073c,8\n"
		"I  0401b770,1\n"
		"I  0401b771,7\n"
		" M 04222f98,4\n"
		" L 04222fa0,96\n"
		"I  0401ab73,5\n"
		" S 1fff000710,8\n"
		"==123== Counted 1 call to main()\n",
		64);
	struct stream s = read_stream(f);

	(void)state;
	assert_string_equal(s.opcodes, "store@0x401ab73\nload@0x401b771\nexit\n");
	assert_int_equal(s.totals[TR_AT_WARP_INSTS], 4);
	assert_int_equal(s.totals[TR_AT_ACCESSES], 7);
	assert_int_equal(s.totals[TR_AT_MEM_INSTS], 5);
	assert_int_equal(s.info.warp_size, 1);
	assert_int_equal(s.info.sms, 1);
	assert_int_equal(s.last.grid[0], 1);
	assert_int_equal(s.last.block[0], 1);
	free_stream(&s);
	check_told(f, "0 i0 0.0 x1 w global 1fff000700 4/2 1 0 0 0\n"
		      "0 i0 0.0 x1 w global 1fff000740 4/1 0 0 0 0\n"
		      "0 i1 0.0 x1 r global 4222f80 4/1 1 2 2 0\n"
		      "0 i1 0.0 x1 w global 4222f80 4/1 1 2 2 0\n"
		      "0 i1 0.0 x1 r global 4222f80 32/2 1 2 2 0\n"
		      "0 i1 0.0 x1 r global 4222fc0 64/3 0 2 2 0\n"
		      "0 i0 0.0 x1 w global 1fff000700 8/1 1 3 3 0\n");
}

static void ccws(void **state)
{
	FILE *f = import("ccws",
		"F\n"
		"80001000:r:g:m:0:32:16\n"
		"80001080:r:g:h:31:1:24\n"
		"80002000:w:l:r:3:7:16\n"
		"80003000:r:g:f:3:7:64\n"
		"F\n"
		"F\n"
		"80001000:w:g:u:2:2:0\n"
		"F\n",
		128);
	struct stream s = read_stream(f);

	(void)state;
	/* GPGPU-Sim's PCs are 8 bytes apart, as ours are: they stay. */
	assert_string_equal(s.opcodes, "store\nunknown\nload\nload\nexit\n");
	assert_int_equal(s.info.warp_size, 32);
	assert_int_equal(s.last.grid[0], 1);
	assert_int_equal(s.last.block[0], 1024);
	assert_int_equal(s.totals[TR_AT_LAUNCHES], 2);
	assert_int_equal(s.totals[TR_AT_WARP_INSTS], 4);
	assert_int_equal(s.totals[TR_AT_THREAD_INSTS], 42);
	free_stream(&s);
	check_told(f, "0 i2 0.0 x32 r global 80001000 1/1 1 0 0 2\n"
		      "0 i3 0.31 x1 r global 80001080 1/1 1 1 32 1\n"
		      "0 i2 0.3 x7 w local 80002000 1/1 1 2 33 3\n"
		      "1 i0 0.2 x2 w global 80001000 1/1 1 3 40 0\n");
}

/* Lines that end after the status, PCs that are not 8 apart, warps that do not fit in a CTA. */
static void ccws_rarer(void **state)
{
	FILE *f = import("ccws",
		"1000:r:g:m\n"
		"1020:w:g:m:0:1:13\n"
		"1040:r:g:m:70:200:18446744073709551615\n",
		32);
	struct stream s = read_stream(f);

	(void)state;
	assert_string_equal(s.opcodes, "load\nstore\nstore@0xd\nload@0xffffffffffffffff\nexit\n");
	assert_int_equal(s.info.warp_size, 256);
	assert_int_equal(s.last.grid[0], 18);
	assert_int_equal(s.last.block[0], 1024);
	free_stream(&s);
	check_told(f, "0 i0 0.0 x1 r global 1000 1/1 1 0 0 2\n"
		      "0 i2 0.0 x1 w global 1020 1/1 1 1 1 2\n"
		      "0 i3 17.2 x200 r global 1040 1/1 1 2 2 2\n");
}

/* ---- errors ---- */

static void broken_forms(void **state)
{
	static const struct {
		const char *format, *text, *msg;
	} cases[] = {
		{"addr", "1000\nxyz\n", "t:2: no hexadecimal address of up to 64 bits: 'xyz'"},
		{"addr", "12345678123456781\n", "t:1: no hexadecimal address of up to 64 bits"},
		{"addr", "0x\n", "t:1: no hexadecimal address"},
		{"addr", "12q\n", "t:1: no hexadecimal address"},
		{"addr", "r\n", "t:1: no hexadecimal address"},
		{"addr", "1000 rw\n", "t:1: more than an address and r or w"},
		{"addr", "r 1000 r\n", "t:1: more than an address and r or w"},
		{"addr", "# nothing\n\n", "t: there is no access in it"},
		{"addr", "", "t: there is no access in it"},
		{"din", "0 1000\n\n5 1000\n", "t:3: no label from 0 to 4: '5 1000'"},
		{"din", "r 1000\n", "t:1: no label from 0 to 4"},
		{"din", "0\n", "t:1: no address after the label"},
		{"din", "0 x\n", "t:1: no hexadecimal address"},
		{"din", "0 1000,4\n", "t:1: no hexadecimal address"},
		{"din", "2 1000\n4 0\n", "t: there is no access in it"},
		{"xdin", "r 1000 4\nq 1000 4\n", "t:2: no access type r, w, i, m, c or v"},
		{"xdin", "read 1000 4\n", "t:1: no access type"},
		{"xdin", "r\n", "t:1: no address after the type"},
		{"xdin", "r z 4\n", "t:1: no hexadecimal address"},
		{"xdin", "r 1000\n", "t:1: no size after the address"},
		{"xdin", "r 1000 -1\n", "t:1: no hexadecimal size"},
		{"xdin", "r 1000 100000000\n", "t:1: no hexadecimal size"},
		{"xdin", "r 1000 0\n", "t:1: an access of no bytes"},
		{"xdin", "r 1000 1001\n", "t:1: an access of more than 4096 bytes"},
		{"xdin", "w ffffffffffffffff 2\n", "t:1: an access beyond the end of memory"},
		{"lackey", " L 1000,4\nhello\n", "t:2: neither 'I  ', ' L ', ' S ', ' M '"},
		{"lackey", "L 1000,4\n", "t:1: neither"},
		{"lackey", " L 1000\n", "t:1: no hexadecimal address with a comma"},
		{"lackey", " L ,4\n", "t:1: no hexadecimal address with a comma"},
		{"lackey", " L 1000,\n", "t:1: no decimal size after the comma"},
		{"lackey", " L 1000,4 \n", "t:1: no decimal size after the comma"},
		{"lackey", " S 1000,99999999999999999999\n", "t:1: no decimal size"},
		{"lackey", "I  1000,4\n", "t: there is no access in it"},
		{"ccws", "1000:r:g:m:0:32:8\nG\n", "t:2: no hexadecimal address with a colon"},
		{"ccws", "1000\n", "t:1: no hexadecimal address with a colon"},
		{"ccws", "1000:\n", "t:1: neither r nor w"},
		{"ccws", "1000:x:g:m:0:32:8\n", "t:1: neither r nor w"},
		{"ccws", "1000:rw:g:m:0:32:8\n", "t:1: neither r nor w"},
		{"ccws", "1000:r:s:m:0:32:8\n", "t:1: neither g nor l"},
		{"ccws", "1000:r:g:x:0:32:8\n", "t:1: none of h, r, m, f, p and u"},
		{"ccws", "1000:r:g\n", "t:1: neither g nor l"},
		{"ccws", "1000:r:g:m:\n", "t:1: no warp"},
		{"ccws", "1000:r:g:m:4294967296:32:8\n", "t:1: no warp of up to 32 bits"},
		{"ccws", "1000:r:g:m:0:0:8\n", "t:1: no count of lanes from 1 to 256"},
		{"ccws", "1000:r:g:m:0:257:8\n", "t:1: no count of lanes from 1 to 256"},
		{"ccws", "1000:r:g:m:0:32\n", "t:1: no count of lanes"},
		{"ccws", "1000:r:g:m:0:32:\n", "t:1: no decimal PC at the end"},
		{"ccws", "1000:r:g:m:0:32:18446744073709551616\n", "t:1: no decimal PC"},
		{"ccws", "1000:r:g:m:0:32:8:\n", "t:1: no decimal PC at the end"},
		{"ccws", "F\nF\n", "t: there is no access in it"},
	};
	const struct cv_options opt = CV_OPTIONS_DEFAULTS;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cv_report report;
		struct tr_err err;

		if (import_with(cases[i].format, cases[i].text, strlen(cases[i].text), &opt,
			    &report, &err))
			fail_msg("%s accepted: %s", cases[i].format, cases[i].text);
		assert_int_equal(err.code, TR_EDATA);
		if (strncmp(err.msg, cases[i].msg, strlen(cases[i].msg)))
			fail_msg("%s: '%s', not '%s'", cases[i].text, err.msg, cases[i].msg);
	}
}

/* What is printed of a bad line is short and harmless. */
static void excerpts(void **state)
{
	const struct cv_options opt = CV_OPTIONS_DEFAULTS;
	struct cv_report report;
	struct tr_err err;
	char text[200];

	(void)state;
	memset(text, 0x1b, sizeof(text));
	assert_null(import_with("din", text, sizeof(text), &opt, &report, &err));
	assert_non_null(strstr(err.msg, "label from 0 to 4: '??????"));
	assert_non_null(strstr(err.msg, "?..."));
	assert_null(strchr(err.msg, 0x1b));
	assert_null(import_with("din", "0 1000\n0 1\0000\n", 13, &opt, &report, &err));
	assert_int_equal(err.code, TR_EDATA);
	assert_non_null(strstr(err.msg, "t:2: a NUL byte"));
}

static void impossible_lines(void **state)
{
	static const uint32_t bad[] = {0, 1, 16, 33, 96, 2048};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct cv_options opt = CV_OPTIONS_DEFAULTS;
		struct cv_report report;
		struct tr_err err;

		opt.line_bytes = bad[i];
		assert_null(import_with("addr", "1000\n", 5, &opt, &report, &err));
		assert_int_equal(err.code, TR_EUSAGE);
	}
}

/* ---- out, and in again ---- */

/* What an exporter prints its importer reads, and then nothing changes any more. */
static void check_round_trip(const char *format, FILE *stream, uint32_t line_bytes)
{
	char *once = export(format, stream), *twice, *b1, *b2;
	FILE *back = import(format, once, line_bytes), *again;
	size_t n1, n2;

	twice = export(format, back);
	assert_string_equal(once, twice);
	again = import(format, twice, line_bytes);
	fseek(back, 0, SEEK_END);
	fseek(again, 0, SEEK_END);
	b1 = bytes_of(back, &n1);
	b2 = bytes_of(again, &n2);
	assert_int_equal(n1, n2);
	assert_memory_equal(b1, b2, n1);
	fclose(back);
	fclose(again);
	free(once);
	free(twice);
	free(b1);
	free(b2);
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* A text of n lines, with flushes here and there. */
static char *random_text(const char *format, unsigned n, uint64_t seed)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	const int is_ccws = !strcmp(format, "ccws");

	assert_non_null(f);
	for (unsigned i = 0; i < n; i++) {
		const uint64_t address = (uint64_t)next_random(&seed) << next_random(&seed) % 33;
		const uint32_t r = next_random(&seed);

		if (i && i + 1 < n && r % 50 == 0)
			fputs(is_ccws ? "F\n" : "4 0\n", f);
		if (is_ccws)
			fprintf(f, "%llx:%c:%c:%c:%u:%u:%u\n",
				(unsigned long long)(address & ~31ull), "rw"[r & 1],
				"gl"[r / 2 & 1], "hrmu"[r / 4 & 3], r / 16 % 48, r / 16 % 32 + 1,
				next_random(&seed) % 500 * 8);
		else
			fprintf(f, "%u %llx\n", r & 1, (unsigned long long)(address & ~31ull));
	}
	fclose(f);
	return text;
}

/* Any text without fetches and refused accesses comes out as it went in. */
static void texts_return(void **state)
{
	static const char *const formats[] = {"din", "ccws"};

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		const char *format = formats[i & 1];
		const uint32_t line_bytes = 32u << i / 2 % 6;
		char *text = random_text(format, 1 + 37 * i * i / 10, i), *back;
		FILE *f = import(format, text, line_bytes);

		back = export(format, f);
		assert_string_equal(text, back);
		check_round_trip(format, f, line_bytes);
		fclose(f);
		free(text);
		free(back);
	}
}

/* The same stream whether it comes from a text or from our own output of that. */
static void streams_return(void **state)
{
	static const struct {
		const char *format, *text;
	} cases[] = {
		{"din", "0 1003\n3 2077\n1 7ffffffffffc0041\n4 12\n1 0\n"},
		{"ccws", "1077:r:g:m:0:32:8\n2000:w:l:h:47:1:80\nF\n1040:r:l:u:3:3:8\nF\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		FILE *f = import(cases[i].format, cases[i].text, 128);
		char *text = export(cases[i].format, f);
		FILE *back = import(cases[i].format, text, 128);
		char *a = told(f), *b = told(back);

		assert_string_equal(a, b);
		free(a);
		free(b);
		free(text);
		fclose(f);
		fclose(back);
	}
}

/*
 * A stream as a machine makes it: several SMs, CTAs from number `cta` on, spaces, atomics, lanes
 * here and there.
 */
static FILE *machine_stream(uint32_t cta)
{
	const struct tr_access_info info = {.warp_size = 32, .line_bytes = 128, .sms = 2};
	struct tr_program *p = tr_program_new("k");
	struct tr_access_writer *w;
	struct tr_err err = {0};
	FILE *f = tmpfile();
	const uint32_t next[] = {1, 2};
	struct tr_inst in = {.cls = TR_C_LOAD,
		.space = TR_S_GLOBAL,
		.bytes = 4,
		.vec = 1,
		.guard = TR_NONE,
		.file = TR_NONE};

	assert_true(p && f);
	in.base = (uint32_t)tr_program_reg(p, "%r", 64);
	in.opcode = (uint32_t)tr_program_string(p, "ld");
	tr_program_inst(p, &in, NULL, 0, NULL, 0, &next[0], 1);
	in.cls = TR_C_ATOMIC;
	tr_program_inst(p, &in, NULL, 0, NULL, 0, &next[1], 1);
	in = (struct tr_inst){.cls = TR_C_EXIT, .guard = TR_NONE, .base = TR_NONE, .file = TR_NONE};
	tr_program_inst(p, &in, NULL, 0, NULL, 0, NULL, 0);
	assert_int_equal(tr_program_analyze(p, &err), 1);
	assert_int_equal(tr_access_writer_open(&w, f, &info, NULL, &err), 1);
	assert_int_equal(tr_access_writer_program(w, p, &err), 0);
	for (uint32_t l = 0; l < 3; l++) {
		struct tr_launch launch = {.after = TR_NONE,
			.grid = {cta + 5, 1, 1},
			.block = {40, 2, 1},
			.parent_launch = TR_NONE,
			.parent_cta = TR_NONE,
			.parent_thread = TR_NONE};

		assert_int_equal(tr_access_writer_launch(w, &launch, &err), 1);
		for (uint32_t i = 0; i < 10 && l != 1; i++) {
			const struct tr_access a = {.line = 0x80000000u + 128 * (i % 4),
				.lanes = {0xf0 << i},
				.warp_insts = 10 * l + i,
				.thread_insts = 4 * (10 * l + i),
				.sm = i & 1,
				.cta = cta + i / 2,
				.warp = i % 3,
				.inst = i == 6,
				.loop = TR_NONE,
				.sectors = i & 4 ? 12 : 1,
				.bytes = 16,
				.space = i == 4 ? TR_S_TEXTURE : TR_S_GLOBAL,
				.op = i == 6 ? TR_A_ATOMIC : TR_A_READ,
				.result = i == 8 ? TR_A_BYPASS : TR_A_HIT,
				.first = 1,
				.active = 3};

			if (tr_access_write(w, &a, &err) < 0)
				fail_msg("%s", err.msg);
		}
	}
	assert_int_equal(tr_access_writer_close(w, 30, 120, &err), 1);
	tr_program_free(p);
	return f;
}

static void one_cache(void **state)
{
	struct cv_options opt = CV_OPTIONS_DEFAULTS;
	FILE *f = machine_stream(0);
	struct cv_report report;
	struct tr_err err;
	char *text;
	size_t n;

	(void)state;
	assert_null(export_with("ccws", f, &opt, &report, &err, &n));
	assert_int_equal(err.code, TR_EUSAGE);
	assert_non_null(strstr(err.msg, "--sm"));
	opt.sm = 2;
	assert_null(export_with("din", f, &opt, &report, &err, &n));
	assert_int_equal(err.code, TR_EUSAGE);
	opt.sm = 0;
	text = export_with("ccws", f, &opt, &report, &err, &n);
	assert_non_null(text);
	/* Three warps a CTA; the launch without accesses leaves no second F. */
	assert_string_equal(text, "80000000:r:g:h:0:4:0\n"
				  "80000100:r:g:h:5:4:0\n"
				  "80000140:w:g:h:9:4:8\n"
				  "80000000:r:g:m:14:4:0\n"
				  "F\n"
				  "80000000:r:g:h:0:4:0\n"
				  "80000100:r:g:h:5:4:0\n"
				  "80000140:w:g:h:9:4:8\n"
				  "80000000:r:g:m:14:4:0\n");
	assert_int_equal(report.n, 2);
	assert_int_equal(report.notes[0].count, 2); /* textures */
	assert_int_equal(report.notes[1].count, 2); /* atomics */
	free(text);
	text = export_with("din", f, &opt, &report, &err, &n);
	assert_string_equal(text, "0 80000000\n0 80000100\n1 80000140\n0 80000000\n4 0\n"
				  "0 80000000\n0 80000100\n1 80000140\n0 80000000\n");
	free(text);
	fclose(f);
}

/* A warp's number on its SM may have more than 32 bits, and is not another's then. */
static void warps_of_late_ctas(void **state)
{
	struct cv_options opt = CV_OPTIONS_DEFAULTS;
	FILE *f = machine_stream(UINT32_MAX - 10);
	struct cv_report report;
	struct tr_err err;
	char *text;
	size_t n;

	(void)state;
	opt.sm = 0;
	text = export_with("ccws", f, &opt, &report, &err, &n);
	assert_non_null(text);
	assert_int_equal(strncmp(text,
				 "80000000:r:g:h:12884901855:4:0\n"
				 "80000100:r:g:h:12884901860:4:0\n",
				 62),
		0);
	free(text);
	fclose(f);
}

/* The table has a line for each access of every SM, and all that it says. */
static void as_table(void **state)
{
	struct cv_options opt = CV_OPTIONS_DEFAULTS;
	FILE *f = machine_stream(0);
	struct cv_report report;
	struct tr_err err;
	unsigned lines = 0;
	char *text;
	size_t n;

	(void)state;
	opt.provenance = "a tool\nanother\n";
	text = export_with("text", f, &opt, &report, &err, &n);
	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	assert_int_equal(lines, 2 + 1 + 20);
	assert_int_equal(report.n, 0);
	assert_true(!strncmp(text, "# a tool\n# another\nlaunch\tsm\tcta\twarp\tpc\t", 40));
	assert_non_null(
		strstr(text, "\n2\t0\t3\t0\t0x8\tglobal\tatomic\t0x80000100\t0x3c00\t4\t16\t0xc"
			     "\t1\t-\t-\t26\t104\thit\tld\n"));
	free(text);
	opt.sm = 1;
	opt.provenance = NULL;
	opt.part = &(struct tr_part){2, 2, 0, UINT32_MAX, 0};
	text = export_with("text", f, &opt, &report, &err, &n);
	assert_non_null(text);
	lines = 0;
	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	assert_int_equal(lines, 1 + 5);
	free(text);
	fclose(f);
}

static void a_thread_trace_is_refused(void **state)
{
	const struct cv_options opt = CV_OPTIONS_DEFAULTS;
	struct tr_writer *w;
	struct cv_report report;
	struct tr_err err = {0};
	FILE *f = tmpfile();
	size_t n;

	(void)state;
	assert_int_equal(tr_writer_open(&w, f, NULL, &err), 1);
	assert_int_equal(tr_writer_close(w, &err), 1);
	assert_null(export_with("din", f, &opt, &report, &err, &n));
	assert_int_equal(err.code, TR_EKIND);
	fclose(f);
}

/* ---- twin ---- */

/* Straddling accesses of random sizes, by asking of each byte where it lies. */
static void bytes_lie_where_they_lie(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		const uint32_t line_bytes = 32u << next_random(&seed) % 6;
		uint64_t address[20];
		uint32_t size[20];
		char text[2000], *at = text;
		struct stream s;
		size_t k = 0;
		FILE *f;

		for (unsigned i = 0; i < 20; i++) {
			address[i] = next_random(&seed) % 5000;
			size[i] = 1 + next_random(&seed) % (1 + next_random(&seed) % 4096);
			at += sprintf(at, "r %llx %x\n", (unsigned long long)address[i], size[i]);
		}
		f = import("xdin", text, line_bytes);
		s = read_stream(f);
		for (unsigned i = 0; i < 20; i++) {
			uint64_t line = UINT64_MAX;
			uint32_t bytes = 0, sectors = 0, first = 1;

			for (uint64_t b = address[i]; b <= address[i] + size[i]; b++) {
				const int end = b == address[i] + size[i];

				if (bytes && (end || b / line_bytes != line)) {
					assert_true(k < s.n);
					assert_int_equal(s.accesses[k].line, line * line_bytes);
					assert_int_equal(s.accesses[k].bytes, bytes);
					assert_int_equal(s.accesses[k].sectors, sectors);
					assert_int_equal(s.accesses[k].first, first);
					first = bytes = sectors = 0;
					k++;
				}
				line = b / line_bytes;
				bytes++;
				sectors |= 1u << b % line_bytes / 32;
			}
		}
		assert_int_equal(k, s.n);
		free_stream(&s);
		fclose(f);
	}
}

/* Many PCs: each keeps an instruction of its own, in their order. */
static void many_pcs(void **state)
{
	char *text;
	size_t len;
	FILE *m = open_memstream(&text, &len), *f;
	struct stream s;

	(void)state;
	for (unsigned i = 0; i < 30000; i++)
		fprintf(m, "I  %x,3\n L %x,4\n", (i * 7919u % 30000) * 3 + 1, i * 64);
	fclose(m);
	f = import("lackey", text, 64);
	s = read_stream(f);
	assert_int_equal(s.n, 30000);
	for (unsigned i = 0; i < 30000; i++)
		assert_int_equal(s.accesses[i].inst, i * 7919u % 30000);
	free_stream(&s);
	fclose(f);
	free(text);
}

/* ---- which format it is ---- */

static void sniffing(void **state)
{
	static const struct {
		const char *text, *format;
	} cases[] = {
		{"1000\n2000 w\n", "addr"},
		{"r 1000\n", "addr"},
		{"# a comment\n\nF00\n", "addr"},
		{"F\n1000\n", "addr"},
		{"0 1000\n", "din"},
		{"0 1000\nbroken\n", "din"},
		{"2 400000 fetch\r\n1 10\r\n", "din"},
		{"r 1000 4\n", "xdin"},
		{"c 1000 4\n", "xdin"},
		{"==1== Lackey, an example Valgrind tool\n", "lackey"},
		{"I  0401ab70,3\n S 1fff000718,8\n", "lackey"},
		{" L 1fff000718,8", "lackey"},
		{"80001000:r:g:m:0:32:16\nF\n", "ccws"},
		{"F\n80001000:r:g:m\n", "ccws"},
		{"hello\n", NULL},
		{"", NULL},
		{"\n\n", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		FILE *f = file_of(cases[i].text, strlen(cases[i].text));
		const struct cv_format *x = cv_sniff(f);

		if (!x != !cases[i].format || (x && strcmp(x->name, cases[i].format)))
			fail_msg("%s is taken for %s", cases[i].text, x ? x->name : "nothing");
		assert_int_equal(ftell(f), 0);
		fclose(f);
	}
}

/* A line that is cut where the sniffed piece ends does not spoil the verdict. */
static void sniffing_long_texts(void **state)
{
	static const char *const formats[] = {"din", "ccws"};

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		char *text = random_text(formats[i & 1], 1000, i);
		FILE *f = file_of(text, strlen(text));
		const struct cv_format *x = cv_sniff(f);

		assert_non_null(x);
		assert_string_equal(x->name, formats[i & 1]);
		fclose(f);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bare_addresses),
		cmocka_unit_test(din),
		cmocka_unit_test(din_fetches),
		cmocka_unit_test(extended_din),
		cmocka_unit_test(lackey),
		cmocka_unit_test(ccws),
		cmocka_unit_test(ccws_rarer),
		cmocka_unit_test(broken_forms),
		cmocka_unit_test(excerpts),
		cmocka_unit_test(impossible_lines),
		cmocka_unit_test(texts_return),
		cmocka_unit_test(streams_return),
		cmocka_unit_test(one_cache),
		cmocka_unit_test(warps_of_late_ctas),
		cmocka_unit_test(as_table),
		cmocka_unit_test(a_thread_trace_is_refused),
		cmocka_unit_test(bytes_lie_where_they_lie),
		cmocka_unit_test(many_pcs),
		cmocka_unit_test(sniffing),
		cmocka_unit_test(sniffing_long_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
