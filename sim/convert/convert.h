/*
 * Other people's formats, into ours and out of it. A format is one file with one `const struct
 * cv_format` and one line in formats.def; the tool, its help and the tests walk that table.
 *
 * A conversion opens no file: it reads the streams that it is handed and asks for further ones by
 * name. What it could not keep of its input it says in notes, each a sentence with a count. Errors
 * in text read "FILE:LINE: reason".
 */
#ifndef SIM_CONVERT_H
#define SIM_CONVERT_H

#include "libtrace/trace.h"

/* Where a conversion reads. */
struct cv_input {
	FILE *f;          /* at its beginning; can be rewound */
	const char *name; /* for sentences; a .tracez is one by its name */
	/* Opens a file beside this one for reading; NULL and *err if it cannot. May be NULL. */
	FILE *(*open)(void *arg, const char *name, struct tr_err *err);
	void *arg;
};

/* Where it writes: one stream, or the files of a folder. */
struct cv_output {
	FILE *f; /* NULL for a folder */
	FILE *(*create)(void *arg, const char *name, struct tr_err *err);
	/* Ends a file that create gave: 1, or TR_EIO where not all of it could be written. */
	int (*finish)(void *arg, FILE *f, struct tr_err *err);
	void *arg;
};

struct cv_options {
	const char *provenance;     /* of the stream that is written; may be NULL */
	uint32_t line_bytes;        /* bare addresses become accesses to lines of this size */
	uint32_t accel_version;     /* 3 or 5 */
	uint32_t binary_version;    /* SM version whose opcodes are written */
	uint32_t sm;                /* export of accesses: whose, UINT32_MAX for those of all SMs */
	const struct tr_part *part; /* of our stream; NULL for all of it */
	FILE *listing;              /* accel-sim: of the kernels' SASS; NULL: none */
	const char *listing_name;
	int lines; /* accel-sim: 1: notes say what a replay makes of the trace's lines */
};
#define CV_OPTIONS_DEFAULTS                                                                        \
	{                                                                                          \
		NULL, 128, 5, 70, UINT32_MAX, NULL, NULL, NULL, 0                                  \
	}

/* What a conversion has to say beside its result; notes without a count are not kept. */
#define CV_NOTES_MAX 16
struct cv_report {
	struct cv_note {
		uint64_t count;
		char text[200]; /* goes on after the count: "lines with an unknown opcode" */
	} notes[CV_NOTES_MAX];
	unsigned n;
};
void cv_note(struct cv_report *r, uint64_t count, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

struct cv_format {
	const char *name;
	const char *summary; /* for --help: a few words */
	enum tr_kind kind;   /* of our stream that it becomes, or is made from */
	int folder;          /* 1: export writes the files of a folder */
	/* The first n bytes of an input (decompressed) look like this format. NULL: never sniffed.
	 */
	int (*sniff)(const char *head, size_t n);
	/* Either may be NULL: then there is no such direction. 1 or TR_E*. */
	int (*import)(const struct cv_input *in, FILE *out, const struct cv_options *opt,
		struct cv_report *report, struct tr_err *err);
	int (*emit)(FILE *in, const struct cv_output *out, const struct cv_options *opt,
		struct cv_report *report, struct tr_err *err);
};

/* The table made from formats.def, in the order in which sniffing asks. NULL beyond the last. */
const struct cv_format *cv_format_at(unsigned i);
const struct cv_format *cv_format_find(const char *name); /* NULL: none */

/* The first importer whose sniff accepts the beginning of f, which is rewound. NULL: none. */
const struct cv_format *cv_sniff(FILE *f);

#endif
