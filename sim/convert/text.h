/*
 * Internal: the text formats that hold one access a line. A format's file says how a line reads and
 * how an access is written; what happens then is the same for all of them (text_in.c, text_out.c).
 */
#ifndef SIM_CONVERT_TEXT_H
#define SIM_CONVERT_TEXT_H

#include "libtrace/access.h"
#include "sim/convert/convert.h"

enum cv_line {
	CV_NOTHING, /* a banner or a comment */
	CV_ACCESS,
	CV_FETCH,    /* an instruction is fetched: the accesses that follow are its own */
	CV_FLUSH,    /* the cache is emptied: a kernel has ended */
	CV_LEFT_OUT, /* what an access stream cannot say */
};

enum { CV_READS = 1, CV_WRITES = 2 };

/* One line. Before a format sees it: one lane of warp 0 reads one byte of global memory. */
struct cv_text_line {
	enum cv_line what;
	unsigned ops; /* CV_READS | CV_WRITES: first the one, then the other */
	uint64_t address;
	uint64_t pc; /* of the fetch; of the access where has_pc is set */
	int has_pc;
	uint32_t size;        /* bytes */
	uint32_t warp, lanes; /* a number, and how many of its lanes */
	uint8_t space;        /* enum tr_space */
	uint8_t result;       /* enum tr_access_result */
};

/* Where an access stands. */
struct cv_text_place {
	const struct tr_launch *launch;
	const struct tr_program *program;
	uint64_t warp; /* its number on its SM */
};

struct cv_text {
	uint32_t warp_size;   /* wider where a line has more lanes */
	uint32_t write;       /* enum tr_write_policy of the caches that such traces are for */
	const char *left_out; /* what its CV_LEFT_OUT lines are */
	/* Fills *l from a line without its end; NULL, or the reason why it is none of the format.
	 */
	const char *(*parse)(const char *line, struct cv_text_line *l);
	void (*print)(FILE *f, const struct tr_access *a, const struct cv_text_place *at);
	/*
	 * The line that empties the cache. A format that has it holds what one L1D sees: one SM,
	 * loads and stores of global and local memory, atomics as stores. One without holds all.
	 */
	const char *flush;
	const char *header; /* the first line, under provenance; NULL: no room for either */
};

extern const struct cv_text cv_text_lackey, cv_text_ccws, cv_text_xdin, cv_text_din, cv_text_addr;

/*
 * Text to an access stream, in two readings. There is one program, with an instruction for each PC
 * (or a load and a store where the text has no PCs), and a launch for each stretch between flushes.
 * Where the text counts instructions, so does the stream; where not, each line is one.
 */
int cv_text_import(const struct cv_text *t, const struct cv_input *in, FILE *out,
	const struct cv_options *opt, struct cv_report *report, struct tr_err *err);
int cv_text_export(const struct cv_text *t, FILE *in, const struct cv_output *out,
	const struct cv_options *opt, struct cv_report *report, struct tr_err *err);
/* Is it this format: does no other text format accept more lines from the beginning? */
int cv_text_sniff(const struct cv_text *t, const char *head, size_t n);

/* The functions of a cv_format that call those above. */
#define CV_TEXT_IMPORT(text)                                                                       \
	static int sniff(const char *head, size_t n)                                               \
	{                                                                                          \
		return cv_text_sniff(&(text), head, n);                                            \
	}                                                                                          \
	static int import(const struct cv_input *in, FILE *out, const struct cv_options *opt,      \
		struct cv_report *report, struct tr_err *err)                                      \
	{                                                                                          \
		return cv_text_import(&(text), in, out, opt, report, err);                         \
	}
#define CV_TEXT_EXPORT(text)                                                                       \
	static int emit(FILE *in, const struct cv_output *out, const struct cv_options *opt,       \
		struct cv_report *report, struct tr_err *err)                                      \
	{                                                                                          \
		return cv_text_export(&(text), in, out, opt, report, err);                         \
	}

/* ---- for parsers and printers ---- */

/* Over blanks, and then over a number, hexadecimal with or without 0x, or decimal: 1, or 0 where
 * none stands there or one of more than 64 bits. What follows is the caller's to look at. */
const char *cv_skip_blanks(const char *s);
int cv_hex(const char **s, uint64_t *v);
int cv_decimal(const char **s, uint64_t *v);
int cv_at_blank(const char *s); /* where a field ends */

/* The first byte known to be touched: of the lowest sector. */
uint64_t cv_text_address(const struct tr_access *a);
unsigned cv_text_lanes(const struct tr_access *a);

#endif
