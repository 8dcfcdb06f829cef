/*
 * What all tools share: the common options, sentences on stderr and exit codes, data files found
 * from any directory, progress; files.h has input and output. Tools are one-shot programs, so these
 * calls end the program where a library would return an error.
 */
#ifndef TOOLS_COMMON_H
#define TOOLS_COMMON_H

#include "libtrace/trace.h"
#include "sim/ptx/ptx.h"
#include "tools/files.h"
#include <argp.h>
#include <stdbool.h>

enum exit_code { EXIT_OK = 0, EXIT_BAD = 1, EXIT_USAGE = 2, EXIT_FALSE = 3 };

enum format { FORMAT_HUMAN, FORMAT_TSV, FORMAT_JSON };

/* The shared options, with their defaults in COMMON_DEFAULTS. */
struct common {
	const char *output; /* NULL or "-": standard output */
	enum format format;
	const char *table_option; /* one that is of tables, if any was given */
	bool shaped;              /* one beside --format was */
	const char *columns, *sort;
	uint64_t top;        /* 0: all rows */
	uint64_t max_memory; /* bytes that --max-memory gave; 0: it was not given */
	bool no_header, vertical;
	bool quiet, verbose, no_provenance;
	struct tr_part part;
	bool takes_files; /* several FILEs: see files_next */
	const char **files, *record, *all_output;
	unsigned nfiles, at_file;
	bool more;
};
#define COMMON_DEFAULTS                                                                            \
	{                                                                                          \
		.part = TR_PART_ALL                                                                \
	}

/* argp children; the input of each is the tool's struct common. */
extern const struct argp output_argp; /* -o, -q, -v, --no-provenance, --max-memory */
extern const struct argp format_argp; /* --format, and what else shapes a table */
extern const struct argp part_argp;   /* --launch, --cta, --max-insts */
/* Bounds the memory of the process, where --max-memory was not given and the bound is lower. */
void bound_memory_unless(const struct common *c, uint64_t bytes);
/* "3" or "3-7", for a tool whose --launch says other things as well. */
void part_launches(struct common *c, const char *text, struct argp_state *state);

/*
 * First call of main: name and version for argp and for messages, exit code 2 for usage errors,
 * the last check of stdout at exit, the line that this run adds to a stream's provenance, and the
 * default of --max-memory, which all allocations of the process share.
 */
void tool_start(const char *name, int argc, char **argv);

const char *tool_called(void); /* "trace-x" */

/* The options and arguments into *input; argp's own failures end the program as well. */
void tool_args(const struct argp *argp, int argc, char **argv, void *input);

/* One more FILE of the command line. */
void files_add(struct common *c, const char *file);
/*
 * The next FILE, NULL for standard input; false after the last. Of several, each goes through the
 * whole tool, and their tables become one (table.h): c->record is the one at hand, and c->more says
 * that others follow it, until which nothing is written.
 */
bool files_next(struct common *c, const char **file);

/* Is a table asked for that needs no input, what the columns are? */
bool columns_wanted(const struct common *c);

/* Are remarks wanted: with --verbose, or on a terminal, and without --quiet? */
bool remarks(const struct common *c);

/* "trace-x: ..." on stderr; die ends the program as well. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void die(enum exit_code code, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));
/* From now on sentences begin with a place in a file; NULL: no longer. path is kept. */
void error_place(const char *path, unsigned line);
/* Ends the program with a library's sentence: code 2 for TR_EUSAGE, else 1. what may be NULL. */
void die_err(const struct tr_err *err, const char *what) __attribute__((noreturn));
/* "no memory for WHAT" and the bound that it would exceed; what may be NULL. */
void die_memory(const char *what) __attribute__((noreturn));

/* Allocation that ends the program instead of failing. */
void *must_alloc(size_t count, size_t size);
void *must_realloc(void *old, size_t count, size_t size);
/* A stream into *text, for the caller to free once text_end has closed it. */
FILE *text_start(char **text);
void text_end(FILE *f, char **text);
char *must_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* How many bytes the character of UTF-8 has with which n bytes begin; 0: there is none. */
size_t character(const char *text, size_t n);
/* How many characters a text has; a byte that is no UTF-8 is one. */
size_t text_width(const char *text);

/*
 * Puts the first n bytes of a text that may be a stranger's: control characters, but for those in
 * `but`, become blanks, one each. C1's are among them, and bytes that are one of those to a
 * terminal that has no UTF-8. Other bytes that are no UTF-8 stay.
 */
void put_blanked(FILE *f, const char *text, size_t n, const char *but);
/* The same as a string of JSON, quotes included: what is no UTF-8 becomes U+FFFD. */
void put_json(FILE *f, const char *text, size_t n);

/* Copies text into a field of size bytes; one that is too long ends in "...". */
void fit_text(char *out, size_t size, const char *text);

/*
 * What the stream is of, for the first word of this run's line in its provenance. If it is a word
 * of the command line, it stands there alone.
 */
void tool_subject(const char *name);

/* The provenance of a stream made from one with `before` (may be NULL), or NULL if unwanted. */
char *provenance_with(const struct common *c, const char *before);

/* A data file "workloads/bfs/bfs.ptx" as a path that can be read; NULL: nowhere. Caller frees. */
char *data_find(const char *relative);

/* Numbers from the command line; `what` names the option in the sentence. */
uint64_t parse_uint(const char *text, uint64_t min, uint64_t max, const char *what);
int64_t parse_int(const char *text, int64_t min, int64_t max, const char *what);
uint64_t parse_size(const char *text, const char *what);             /* K, M, G: powers of 1024 */
bool parse_range(const char *text, uint32_t *first, uint32_t *last); /* A or A-B; false: neither */
double parse_real(const char *text, const char *what);

/* The entry of a NULL-terminated list that is most like word, or NULL if none is. */
const char *nearest(const char *word, const char *const *list);

/* "12.3 M"; the text lies in one of a few static buffers. */
const char *human(double v);

/* A line on stderr with the speed, on a terminal only. `done` may count from zero again. */
struct progress {
	bool on;
	const char *unit; /* of what is counted: thread_insts, where the caller says nothing else */
	double start, last;
};
double now(void); /* seconds, monotonic */
void progress_start(struct progress *p, const struct common *c);
void progress_show(struct progress *p, uint64_t count);
void progress_end(struct progress *p);

#endif
