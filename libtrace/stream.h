/*
 * The container: a header, typed records cut into checksummed, zstd-compressed blocks of at most
 * TR_BLOCK_RAW_MAX raw bytes, an explicit end with totals, and an index after it (FORMAT.md).
 * What the records mean is not known here; see program.h and trace.h.
 */
#ifndef WARPTRACE_STREAM_H
#define WARPTRACE_STREAM_H

#include "err.h"
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tr_kind {
	TR_KIND_THREADS = 1,  /* a thread trace: knows no warps */
	TR_KIND_ACCESSES = 2, /* an access stream: line accesses of warps of a known size */
};

#define TR_VERSION_MAJOR 1
#define TR_VERSION_MINOR 7
#define TR_BLOCK_RAW_MAX (1u << 20)

/* Record types. An unknown one is skipped when its records are flagged optional, else refused. */
enum tr_record_type {
	TR_REC_PROGRAM = 1,     /* static program of one kernel */
	TR_REC_LAUNCH = 2,      /* one launch: shape, resources, allocations, copies */
	TR_REC_CTAS = 3,        /* outcomes and values of one or more whole CTAs */
	TR_REC_SYNC = 4,        /* optional: warp-synchronous reads of those CTAs */
	TR_REC_ACCESS_INFO = 5, /* how an access stream was made: its first record */
	TR_REC_ACCESSES = 6,    /* accesses of the current launch */
	TR_REC_STATED = 7,      /* optional: the launch after it states its registers */
	TR_REC_DEVICE = 8,      /* the program after it calls the device runtime */
	TR_REC_CHILD = 9,       /* the launch after it is a thread's: from where, with what */
	TR_REC_OPERANDS = 10,   /* optional: the operands of the program before it, as texts */
	TR_REC_CONTROL = 11,    /* optional: the control bits of the program before it */
	TR_REC_CLUSTER = 12,    /* the launch after it has clusters of CTAs: their shape */
	TR_REC_ASYNC = 13,      /* the program after it has operations of a kind (tr_aux_kind) */
	TR_REC_SPINS = 15,      /* optional: rounds of those CTAs without progress */
	TR_REC_END = 126,       /* written and checked by the container itself */
	TR_REC_INDEX = 127,     /* likewise, after the end */
};

#define TR_RECF_OPTIONAL 1u /* a reader that does not know the type may skip it */

#define TR_MAX_TOTALS 16 /* 64-bit totals in the end block; their meaning is the payload's */

/*
 * What a writer that fails before anything has gone out may write instead, as long as the magic: it
 * has said why. tr_in_open gives TR_ESAID for it.
 */
#define TR_STREAM_FAILED "\x89WTF\r\n\x1a\n"

struct tr_out;
struct tr_in;

/*
 * Opens a stream for writing on f, which stays the caller's to close. `provenance` is zero or more
 * lines, each ended by '\n' (NULL: none). `level` is zstd's (0: TR_LEVEL_DEFAULT). 1 or TR_E*.
 */
#define TR_LEVEL_DEFAULT 3
int tr_out_open(struct tr_out **out, FILE *f, enum tr_kind kind, const char *provenance, int level,
	struct tr_err *err);

/*
 * Writes one record in pieces: begin, any number of puts, end. Blocks go out as they fill, so a
 * record of any length costs one block of memory. `key` and `n` go to the index: for a CTAS record
 * the launch number in the upper 32 bits and the first CTA in the lower, and the number of CTAs.
 */
int tr_out_begin(
	struct tr_out *o, int type, unsigned flags, uint64_t key, uint32_t n, struct tr_err *err);
int tr_out_put(struct tr_out *o, const void *data, size_t len, struct tr_err *err);
int tr_out_end(struct tr_out *o, struct tr_err *err);

/* Bytes that have gone out so far, headers included. */
uint64_t tr_out_bytes(const struct tr_out *o);

/*
 * Writes end block, index and footer, flushes f and frees *o, whatever happens. Without
 * it the stream is truncated and every reader says so; tr_out_abandon frees and leaves it so.
 */
int tr_out_close(struct tr_out *o, const uint64_t totals[TR_MAX_TOTALS], struct tr_err *err);
void tr_out_abandon(struct tr_out *o);

/* One record as read. */
struct tr_record {
	int type;
	unsigned flags;
	uint64_t key;          /* as written; see tr_out_begin */
	uint32_t n;            /* likewise */
	const uint8_t *data;   /* whole record, uncompressed; valid until the next call on `in` */
	size_t len;            /* bytes at data */
	uint64_t offset;       /* of its first block in the stream */
	uint64_t stored_bytes; /* what its blocks take in the stream, headers included */
};

struct tr_index_entry {
	uint64_t offset;   /* of the record's first block */
	uint64_t sequence; /* number of that block in the stream */
	uint64_t key;
	uint32_t n;
	int type;
};

/* Opens a stream for reading on f (stays the caller's). 1 or TR_E*. */
int tr_in_open(struct tr_in **in, FILE *f, struct tr_err *err);
enum tr_kind tr_in_kind(const struct tr_in *in);
const char *tr_in_provenance(const struct tr_in *in); /* valid until close */
int tr_in_version_minor(const struct tr_in *in);

/*
 * The next record: 1, or 0 at the sound end of the stream (end block, index and footer checked,
 * nothing after them), or TR_E*. Memory grows with data that were really read, never with a size
 * that the file only claims.
 */
int tr_in_next(struct tr_in *in, struct tr_record *rec, struct tr_err *err);

/* Totals of the end block; valid once tr_in_next has returned 0, or after tr_in_index. */
const uint64_t *tr_in_totals(const struct tr_in *in);

/*
 * Reads the index of a seekable stream: 1 and the entries (valid until close), 0 when the stream
 * cannot seek, or TR_E*. The reading position is kept. tr_in_seek makes tr_in_next continue at one
 * of them, in any order: that is how a stream is read backwards. The checksum over all blocks is
 * then not checked at the end; every block's own is.
 */
int tr_in_index(
	struct tr_in *in, const struct tr_index_entry **entries, size_t *n, struct tr_err *err);
int tr_in_seek(struct tr_in *in, const struct tr_index_entry *entry, struct tr_err *err);

void tr_in_close(struct tr_in *in); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
