/*
 * The thread trace: programs, launches, and for each thread of each CTA only what the program does
 * not already imply. An *outcome* is recorded for each executed instruction with a guard or with
 * several successors, a *value* for each executed memory instruction whose address is not constant
 * (the address; in local memory the offset) and for each collective (the mask of the lanes that
 * took part). Walking the program with them is the whole execution (tr_walk below).
 */
#ifndef WARPTRACE_TRACE_H
#define WARPTRACE_TRACE_H

#include "err.h"
#include "program.h"
#include "stream.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TR_GROUP 32 /* threads that the recorder runs, and the file stores, together */
#define TR_CTA_THREADS_MAX 1024
#define TR_DEPTH_MAX 24       /* of launches: a child of the host's is 1 deep */
#define TR_PENDING_MAX 131072 /* children that are launched and have not begun, of a family */
#define TR_SHARED_WINDOW 0x7f0000000000ull /* generic addresses of shared memory start here, */
#define TR_LOCAL_WINDOW 0x7e0000000000ull  /* of local memory here, 4 GiB each */
#define TR_WINDOW_BYTES 0x100000000ull
/*
 * An address of shared memory says in its bits 24 to 31 whose it is: 0 the thread's own CTA's, else
 * that of the CTA of its cluster whose rank is one less.
 */
#define TR_SHARED_RANK_AT 24
#define TR_CLUSTER_CTAS_MAX 16u /* CUDA guide: the most that any GPU can be asked for */

/* Totals of the end block, in order. */
enum tr_total {
	TR_T_PROGRAMS,
	TR_T_LAUNCHES,
	TR_T_CTAS,
	TR_T_THREADS,
	TR_T_THREAD_INSTS, /* lanes whose guard was true */
	TR_T_OUTCOMES,
	TR_T_VALUES,
	TR_T_SYNC_READS,
};

struct tr_alloc { /* a device allocation */
	char *name;
	uint64_t base, bytes;
};

struct tr_copy { /* a copy from the host that came before the launch */
	uint64_t base, bytes;
};

struct tr_launch {
	uint32_t number;   /* 0, 1, ... in the stream */
	uint32_t program;  /* number of its program in the stream */
	uint32_t position; /* place in the host's sequence of API calls, in which copies count,
			      too; a child has that of its host launch */
	uint32_t queue;    /* CUDA stream; of a child one of those made by threads */
	uint32_t after;    /* launch that has to end before this one begins, or TR_NONE */
	uint32_t grid[3], block[3];
	uint32_t cluster[3]; /* CTAs of a cluster, which run together; 0, 0, 0: there are none */
	uint32_t registers;  /* per thread, 32-bit units */
	/* 1: a compiler or a user counted them; 0: they are the program's live registers. */
	uint8_t registers_stated;
	uint32_t shared_bytes;                             /* of a CTA: static and dynamic */
	uint32_t local_bytes;                              /* of a thread */
	uint32_t parent_launch, parent_cta, parent_thread; /* TR_NONE: launched by the host */
	/* Of a child: the instruction that launched it, and where its parameters lay. */
	uint32_t parent_inst;
	uint64_t buffer, buffer_bytes;
	uint32_t nallocs, ncopies;
	struct tr_alloc *allocs;
	struct tr_copy *copies;
};

static inline uint64_t tr_launch_ctas(const struct tr_launch *l)
{
	return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

/* CTAs that run together: 1 where there are no clusters. */
static inline uint32_t tr_launch_cluster_ctas(const struct tr_launch *l)
{
	return l->cluster[0] ? l->cluster[0] * l->cluster[1] * l->cluster[2] : 1;
}

/* The rank of a CTA in its cluster: x fastest, then y, then z, as CTAs in their grid. */
static inline uint32_t tr_launch_cluster_rank(const struct tr_launch *l, uint32_t cta)
{
	const uint32_t *c = l->cluster, y = cta / l->grid[0] % l->grid[1];
	return !c[0] ? 0
		     : cta % l->grid[0] % c[0] +
			       c[0] * (y % c[1] + c[1] * (cta / l->grid[0] / l->grid[1] % c[2]));
}

/* The number of a CTA's cluster; clusters are numbered in the grid of them as CTAs are in theirs.
 */
static inline uint32_t tr_launch_cluster_number(const struct tr_launch *l, uint32_t cta)
{
	const uint32_t *c = l->cluster;
	if (!c[0])
		return cta;
	const uint32_t x = cta % l->grid[0] / c[0], y = cta / l->grid[0] % l->grid[1] / c[1],
		       z = cta / l->grid[0] / l->grid[1] / c[2];
	return x + l->grid[0] / c[0] * (y + l->grid[1] / c[1] * z);
}

/* The CTA of some rank in cluster `number`; clusters are numbered likewise in the grid of them. */
static inline uint32_t tr_launch_cluster_cta(
	const struct tr_launch *l, uint32_t number, uint32_t rank)
{
	const uint32_t *c = l->cluster;
	if (!c[0])
		return number;
	const uint32_t gx = l->grid[0] / c[0], gy = l->grid[1] / c[1];
	const uint32_t x = number % gx * c[0] + rank % c[0];
	const uint32_t y = number / gx % gy * c[1] + rank / c[0] % c[1];
	const uint32_t z = number / gx / gy * c[2] + rank / c[0] / c[1];
	return x + l->grid[0] * (y + l->grid[1] * z);
}

/* The threads that a barrier with aux threads counts: whole warps of 32; 0: all of the CTA. */
static inline uint32_t tr_barrier_threads(uint32_t aux)
{
	return aux > TR_CTA_THREADS_MAX ? aux : (aux + TR_GROUP - 1) / TR_GROUP * TR_GROUP;
}

static inline uint32_t tr_launch_threads(const struct tr_launch *l)
{
	return l->block[0] * l->block[1] * l->block[2];
}

/* The space that an access of space `s` at address `value` reaches: resolves TR_S_GENERIC. */
enum tr_space tr_space_of(enum tr_space s, uint64_t value);

/* ---- one CTA, decoded ---- */

/*
 * What one thread recorded, in the order of its execution. An outcome is one byte, 0 or 1 or the
 * successor; two, little-endian, for a brx of more than 256 successors.
 */
struct tr_thread {
	uint8_t *outcomes;
	uint64_t *values;
	uint32_t noutcomes, nvalues;
	uint32_t cap_outcomes, cap_values; /* internal */
};

/* A read that received what another thread of the CTA wrote since the last barrier. */
struct tr_sync_read {
	uint32_t reader, writer;             /* threads of the CTA */
	uint32_t reader_value, writer_value; /* which of the thread's values the two accesses are */
};

/*
 * Rounds of a loop in which threads of the CTA made no progress: each was as the one before, since
 * nobody had changed yet what they waited for. How many there are depends on who ran when while the
 * record was made.
 */
struct tr_spin {
	uint32_t inst;   /* the instruction that goes back */
	uint32_t polls;  /* an access of the round that waits for others, or TR_NONE */
	uint64_t rounds; /* times that a thread went round */
	uint64_t insts;  /* thread instructions in them, which are in the record as all others */
};

struct tr_cta {
	uint32_t launch; /* number of the launch */
	uint32_t number; /* linear: x fastest, then y, then z */
	uint32_t nthreads;
	struct tr_thread *threads;
	struct tr_sync_read *sync;
	uint32_t nsync, cap_sync;
	struct tr_spin *spins; /* by inst, then by polls, TR_NONE first */
	uint32_t nspins, cap_spins;
	uint32_t cap_threads; /* internal */
};

void tr_cta_init(struct tr_cta *c);
void tr_cta_free(struct tr_cta *c);

/*
 * A thread's path. Start with tr_walk_start; tr_walk_next gives the next executed instruction:
 * 1 and fills inst, guard (0: the guard was false, only the PC was passed), value (valid if
 * has_value) and outcome; 0 after the thread's last instruction; TR_EDATA where the record does
 * not fit the program (it ends too early, or goes on after the exit).
 */
struct tr_walk {
	const struct tr_program *p;
	const struct tr_thread *t;
	uint32_t next; /* instruction or TR_EXIT */
	uint32_t outcome_pos, value_pos;
	uint32_t inst;
	uint32_t outcome;
	uint64_t value;
	int guard, has_value;
};

void tr_walk_start(struct tr_walk *w, const struct tr_program *p, const struct tr_thread *t);
int tr_walk_next(struct tr_walk *w);

/* ---- writing ---- */

struct tr_writer;
struct tr_recorder; /* one CTA being recorded */

struct tr_writer_options {
	const char *provenance; /* lines, or NULL */
	int level;              /* zstd's, 0: default */
	size_t spill_bytes;     /* encoded bytes of unfinished CTAs kept in memory; 0: 64 MiB */
};

int tr_writer_open(
	struct tr_writer **w, FILE *f, const struct tr_writer_options *opt, struct tr_err *err);

/* Adds a program, analysed; it is copied. Returns its number or TR_E*. */
int64_t tr_writer_program(struct tr_writer *w, const struct tr_program *p, struct tr_err *err);

/* Begins a launch; l->number is set. The launch before must have ended. */
int tr_writer_launch(struct tr_writer *w, struct tr_launch *l, struct tr_err *err);

/* Opens a CTA of the current launch. Many may be open; each number once. */
int tr_recorder_open(struct tr_recorder **r, struct tr_writer *w, uint32_t cta, struct tr_err *err);

/*
 * Hot: these return 1 or TR_E*, and the reason stands in tr_writer_error.
 * Lanes of group g (threads 32 g ... 32 g + 31) in `mask` executed an instruction with an
 * outcome (bit of `taken`, or index[lane] for a brx), or one with a value.
 */
int tr_record_outcomes(struct tr_recorder *r, uint32_t g, uint32_t mask, uint32_t taken);
int tr_record_indices(
	struct tr_recorder *r, uint32_t g, uint32_t mask, const uint32_t index[32], int wide);
int tr_record_values(struct tr_recorder *r, uint32_t g, uint32_t mask, const uint64_t value[32]);
int tr_record_sync(struct tr_recorder *r, const struct tr_sync_read *s);
/* Adds to what the CTA has of the same two instructions. */
int tr_record_spin(struct tr_recorder *r, const struct tr_spin *s);

/* How many values a thread has recorded so far: the number that the next one gets. */
uint32_t tr_record_nvalues(const struct tr_recorder *r, uint32_t thread);

/*
 * Ends a CTA: all its threads have exited. CTAs are written in launch order, whatever the order in
 * which they end; unfinished ones are kept encoded and spill to a temporary file. Frees r.
 */
int tr_recorder_close(struct tr_recorder *r, struct tr_err *err);
void tr_recorder_abandon(struct tr_recorder *r);

/* The whole of a CTA at once, for importers: c->launch is ignored. */
int tr_writer_cta(struct tr_writer *w, const struct tr_cta *c, struct tr_err *err);

int tr_writer_launch_end(struct tr_writer *w, struct tr_err *err); /* all CTAs were there */
int tr_writer_close(struct tr_writer *w, struct tr_err *err);      /* frees w in every case */
void tr_writer_abandon(struct tr_writer *w);                       /* leaves a truncated stream */
uint64_t tr_writer_thread_insts(const struct tr_writer *w);        /* of the CTAs that have ended */
const struct tr_err *tr_writer_error(const struct tr_writer *w);

/* ---- reading ---- */

struct tr_reader;

enum tr_event {
	TR_END = 0,
	TR_LAUNCH = 1, /* a launch begins: tr_reader_launch, tr_reader_program */
	TR_CTA = 2,    /* a CTA of it: tr_reader_cta */
};

/*
 * A part of a stream: inclusive bounds. TR_PART_ALL is all of it. max_insts is for streams that one
 * does not trust, where few bytes may stand for any amount of work: a thread trace whose CTAs, as
 * far as they are decoded, make threads execute more instructions, those with a false guard
 * included, and an access stream with more accesses, are refused with TR_EDATA before the work is
 * done. 0: no bound.
 */
struct tr_part {
	uint32_t launch_first, launch_last, cta_first, cta_last;
	uint64_t max_insts;
};
#define TR_PART_ALL                                                                                \
	{                                                                                          \
		0, UINT32_MAX, 0, UINT32_MAX, 0                                                    \
	}

/*
 * Opens a thread trace. An access stream gives TR_EKIND. A seekable file jumps to the part by its
 * index, a pipe reads up to it. part may be NULL.
 */
int tr_reader_open(struct tr_reader **r, FILE *f, const struct tr_part *part, struct tr_err *err);
/*
 * The same of a stream that was opened to see its kind (tr_in_kind). `in` is the reader's from then
 * on, and closed where it fails.
 */
int tr_reader_start(
	struct tr_reader **r, struct tr_in *in, const struct tr_part *part, struct tr_err *err);

/* The next event: TR_LAUNCH, TR_CTA, TR_END or TR_E*. A CTA not fetched is skipped cheaply. */
int tr_reader_next(struct tr_reader *r, struct tr_err *err);

const struct tr_launch *tr_reader_launch(const struct tr_reader *r);   /* until the next launch */
const struct tr_program *tr_reader_program(const struct tr_reader *r); /* until close */
/*
 * Launches between this one and the host, itself included, whether or not they are in the part; 0:
 * the host's. TR_NONE after a seek, until the host launches.
 */
uint32_t tr_reader_depth(const struct tr_reader *r);
uint32_t tr_reader_cta_number(const struct tr_reader *r);

/* Decodes the CTA of the last TR_CTA event into *c, whose memory is used again. 1 or TR_E*. */
int tr_reader_cta(struct tr_reader *r, struct tr_cta *c, struct tr_err *err);

/*
 * Reads on to the end of the stream, or of the part, and decodes every CTA on the way, of which
 * nothing is kept: memory does not grow with what they record. 1, or TR_E*. Only the totals and
 * tr_reader_close are of use after it.
 */
int tr_reader_check(struct tr_reader *r, struct tr_err *err);

/*
 * Goes to CTA `cta` of launch `launch`: the next events are its launch and then that CTA. Needs a
 * seekable file (0 otherwise). Any order, so also backwards. Reading then goes on to the end of the
 * stream, whatever the part. After a seek that failed only another one helps.
 */
int tr_reader_seek(struct tr_reader *r, uint32_t launch, uint32_t cta, struct tr_err *err);

const char *tr_reader_provenance(const struct tr_reader *r);
const uint64_t *tr_reader_totals(const struct tr_reader *r); /* after TR_END */
/* Stored bytes of everything read so far that belongs to the current launch's CTAs. */
uint64_t tr_reader_launch_bytes(const struct tr_reader *r);
void tr_reader_close(struct tr_reader *r);

#ifdef __cplusplus
}
#endif
#endif
