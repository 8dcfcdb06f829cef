/*
 * An access stream as the tools read it: opened with the part that the options ask for, with a
 * sentence and the end of the program where that fails.
 */
#ifndef TOOLS_ACCESSES_H
#define TOOLS_ACCESSES_H

#include "sim/access/cache.h"
#include "tools/common.h"

/* Named by enum tr_index_function and enum tr_write_policy; NULL at the end, as for option_word. */
extern const char *const index_names[], *const write_names[];

/* The number of arg among names; what it is, for the usage error where it is none of them. */
unsigned option_word(
	struct argp_state *state, const char *what, const char *arg, const char *const *names);

/* What an L1D does, as options: --index, --write, --flush-at-kernel. Input: struct cache_manner. */
struct cache_manner {
	int index, write; /* OF_STREAM: as the stream says */
	bool flush;       /* when a launch begins */
	bool flush_given; /* on the command line */
};
#define OF_STREAM (-1)
#define CACHE_MANNER_DEFAULTS                                                                      \
	{                                                                                          \
		OF_STREAM, OF_STREAM, true, false                                                  \
	}
extern const struct argp cache_argp;

struct accesses {
	struct tr_access_reader *r;
	FILE *in;
	char *name;      /* for sentences */
	bool whole;      /* all of the stream: its totals are those of what is read */
	bool whole_ctas; /* all CTAs of its launches */
	bool any;        /* an access was read */
	bool by_default; /* what global stores do to their lines nobody has said, */
	bool stores;     /* and there are some */
	uint64_t warp_insts[2], thread_insts[2]; /* running totals at the first and last access */
};

/* file as for input_open. To someone with a thread trace it says which tool goes in between. */
void accesses_open(struct accesses *s, const char *file, const struct common *c);
/* The same of a stream already opened: f, name and in are those of s from then on. */
void accesses_start(
	struct accesses *s, FILE *f, char *name, struct tr_in *in, const struct common *c);
/* As tr_access_reader_next, but never negative. */
int accesses_next(struct accesses *s, const struct tr_access **batch, size_t *n);
/*
 * Instructions after what was read: the totals of a whole stream; of some launches, what ran from
 * their first access to their last. Zero where a part of CTAs shares them with the others.
 */
void accesses_insts(const struct accesses *s, uint64_t *warp_insts, uint64_t *thread_insts);
/* m with what it leaves to the stream. */
struct cache_manner accesses_manner(struct accesses *s, const struct cache_manner *m);
/* Once all is read: a remark that stores take their lines out, where that is nobody's choice. */
void accesses_remark(const struct accesses *s, const struct common *c);
/* The cache of the replay that made the stream; sets 0: there was none. */
struct sim_geometry accesses_cache(const struct accesses *s);
/* Ends the program with what is wrong with the stream. */
void accesses_die(const struct accesses *s, const struct tr_err *err) __attribute__((noreturn));
void accesses_close(struct accesses *s);

#endif
