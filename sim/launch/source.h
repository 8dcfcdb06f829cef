/*
 * Where a replay takes its launches and CTAs from: a stream, once and in little memory, or the
 * record of a stream in memory, which was decoded once and which any number of replays read, also
 * at the same time.
 */
#ifndef SIM_LAUNCH_SOURCE_H
#define SIM_LAUNCH_SOURCE_H

#include "libtrace/trace.h"

struct sim_source {
	int (*next)(void *arg, struct tr_err *err); /* TR_LAUNCH, TR_CTA, TR_END or TR_E* */
	/* Of the launch that next came to; the launch until the next one. */
	const struct tr_launch *(*launch)(const void *arg);
	const struct tr_program *(*program)(const void *arg);
	/* The CTA that next came to, until the next call; NULL: *err says why. */
	const struct tr_cta *(*cta)(void *arg, struct tr_err *err);
	void *arg;
};

struct sim_stream {
	struct tr_reader *reader;
	struct tr_cta cta; /* the last one, decoded */
};

/* Reads on where the stream's reader is. sim_stream_end leaves the reader to the caller. */
struct sim_source sim_stream_source(struct sim_stream *s, struct tr_reader *reader);
void sim_stream_end(struct sim_stream *s);

/*
 * A CTA's record in one block of memory, that begins with its threads: free(to->threads) frees all
 * of it. 1, or 0 without memory.
 */
int sim_cta_pack(struct tr_cta *to, const struct tr_cta *from);

struct sim_record;

/*
 * Decodes all that is left of a stream. 8 bytes for each access of a thread, 1 for each of its
 * outcomes, 32 for itself. Programs stay the reader's, which must outlive the record; of launches
 * allocations are not kept. 1, or TR_E*.
 */
int sim_record_read(struct sim_record **record, struct tr_reader *reader, struct tr_err *err);
void sim_record_free(struct sim_record *record);

/* A reading of a record, from its beginning. */
struct sim_playback {
	const struct sim_record *record;
	uint32_t launches, ctas; /* come to; of the last of these launches, handed out */
};
struct sim_source sim_playback_source(struct sim_playback *p, const struct sim_record *record);

#endif
