/*
 * The access stream: line-sized accesses made by warps of a known size, in one order. It comes from
 * trace-coalesce (an order without time) or from trace-replay (the order a scheduler made).
 * Programs and launches stand in it as in a thread trace, so that a PC leads to its source line and
 * an address to its allocation.
 */
#ifndef WARPTRACE_ACCESS_H
#define WARPTRACE_ACCESS_H

#include "err.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TR_LANES_MAX 256 /* threads of the widest warp */

enum tr_access_op { TR_A_READ, TR_A_WRITE, TR_A_ATOMIC };

/* What the cache of a replay did with it. */
enum tr_access_result { TR_A_UNKNOWN, TR_A_HIT, TR_A_MISS, TR_A_MERGE, TR_A_BYPASS };

/* Of sets; sim/base/geometry.h has the rules. */
enum tr_index_function { TR_X_MODULO, TR_X_HASH, TR_X_XOR, TR_X_IPOLY };
/* What a global store does to its line: evicts it, allocates it, or leaves it as it is. */
enum tr_write_policy { TR_W_EVICT, TR_W_ALLOCATE, TR_W_KEEP };

/* One access to one line. */
struct tr_access {
	uint64_t line;                     /* address of the line's first byte */
	uint64_t lanes[TR_LANES_MAX / 64]; /* lanes of the warp that it serves */
	uint64_t
		warp_insts; /* warp instructions that were executed before this one, over all SMs */
	uint64_t thread_insts;  /* and launches; likewise thread instructions */
	uint32_t sm, cta, warp; /* warp: number in the CTA; lane l is its thread warp * size + l */
	uint32_t inst;          /* instruction number in the launch's program */
	uint32_t loop;          /* innermost loop around it, or TR_NONE */
	uint32_t trip;          /* of the warp in that loop, 0 for the first; 0 outside loops */
	uint32_t sectors;       /* bit i: touches bytes 32 i ... 32 i + 31 of the line */
	uint16_t bytes;         /* distinct bytes touched */
	uint8_t space;          /* enum tr_space; generic accesses are resolved */
	uint8_t op;             /* enum tr_access_op */
	uint8_t result;         /* enum tr_access_result */
	uint8_t first;          /* 1: the first access of its warp instruction */
	uint8_t active;         /* active lanes of that instruction, minus one */
};

/* How the stream was made: its header. Zero where it is not known. */
struct tr_access_info {
	uint32_t warp_size, line_bytes, sms;
	char rule[32];  /* coalescing rule, "cc2" */
	char order[32]; /* "rr", "gto", "cta", or the replay's scheduler */
	char machine[32];
	/* Cache of the replay that made it, a default; sets 0: none, or an unbounded one. */
	uint32_t sets, ways;
	uint32_t index; /* enum tr_index_function */
	uint32_t write; /* enum tr_write_policy */
};

/* Totals of the end block of an access stream, in order; the first two as in a thread trace. */
enum tr_access_total {
	TR_AT_PROGRAMS,
	TR_AT_LAUNCHES,
	TR_AT_ACCESSES,
	TR_AT_WARP_INSTS,
	TR_AT_THREAD_INSTS,
	TR_AT_MEM_INSTS, /* warp instructions that made at least one access */
};

/* ---- writing: programs and launches as in a thread trace, then accesses of that launch ---- */

struct tr_access_writer;
int tr_access_writer_open(struct tr_access_writer **w, FILE *f, const struct tr_access_info *info,
	const struct tr_writer_options *opt, struct tr_err *err);
int64_t tr_access_writer_program(
	struct tr_access_writer *w, const struct tr_program *p, struct tr_err *err);
int tr_access_writer_launch(struct tr_access_writer *w, struct tr_launch *l, struct tr_err *err);
/* Hot. Accesses of one warp instruction follow one another; the first has `first` set. */
int tr_access_write(struct tr_access_writer *w, const struct tr_access *a, struct tr_err *err);
/* The totals of instructions are the caller's to give. Frees w in every case. */
int tr_access_writer_close(
	struct tr_access_writer *w, uint64_t warp_insts, uint64_t thread_insts, struct tr_err *err);
void tr_access_writer_abandon(struct tr_access_writer *w);

/* ---- reading ---- */

struct tr_access_reader;

enum tr_access_event {
	TR_A_END = 0,
	TR_A_LAUNCH = 1, /* a launch begins */
	TR_A_BATCH = 2,  /* accesses of it */
};

/* A thread trace gives TR_EKIND. part->cta_* select by CTA, part->launch_* by launch. */
int tr_access_reader_open(
	struct tr_access_reader **r, FILE *f, const struct tr_part *part, struct tr_err *err);
/* The same of a stream that was opened to see its kind; as tr_reader_start. */
int tr_access_reader_start(struct tr_access_reader **r, struct tr_in *in,
	const struct tr_part *part, struct tr_err *err);
const struct tr_access_info *tr_access_reader_info(const struct tr_access_reader *r);
#define TR_A_BATCH_MAX 16384
/*
 * The next event. With TR_A_BATCH *batch points at *n >= 1 accesses, valid until the next call,
 * never more than TR_A_BATCH_MAX of them.
 */
int tr_access_reader_next(
	struct tr_access_reader *r, const struct tr_access **batch, size_t *n, struct tr_err *err);
const struct tr_launch *tr_access_reader_launch(const struct tr_access_reader *r);
const struct tr_program *tr_access_reader_program(const struct tr_access_reader *r);
const char *tr_access_reader_provenance(const struct tr_access_reader *r);
const uint64_t *tr_access_reader_totals(const struct tr_access_reader *r); /* after TR_A_END */
void tr_access_reader_close(struct tr_access_reader *r);

#ifdef __cplusplus
}
#endif
#endif
