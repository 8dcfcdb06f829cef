/*
 * Internal: the columns of an ACCESSES record, and the predictions that writer and reader make
 * alike (FORMAT.md, "Accesses"). A record starts from a blank model, so that each can be read
 * alone.
 */
#ifndef TR_ACCESS_FORMAT_H
#define TR_ACCESS_FORMAT_H

#include "access.h"
#include "buf.h"

/* Accesses of one warp instruction: of each lane 16 words of local memory, each in two segments. */
#define TR_ACCESS_GROUP_MAX (2u * 16u * TR_LANES_MAX)
#define TR_ACCESS_TAIL 8u /* zero bytes after the columns: they are read eight at a time */
#define TR_ACCESS_SMS_MAX 65536u
#define TR_LINE_MAX 1024u

enum tr_column {
	TR_COL_HEAD,    /* a byte for each instruction: what is not as predicted */
	TR_COL_STEP,    /* a byte for each: warp instructions since the one before */
	TR_COL_SM,      /* a byte for each: SMs from that of the one before, around in a circle */
	TR_COL_WARP,    /* a byte for each: warps of the SM from its last one, likewise */
	TR_COL_KIND,    /* a byte for each access */
	TR_COL_SPAN,    /* a byte for each access: from its lowest to its highest lane */
	TR_COL_SECTORS, /* 1, 2 or 4 bytes for each access */
	TR_COL_RESULT,  /* a byte for each access, or nothing where they are all the same */
	TR_COL_LOST,    /* two bytes for each instruction that has them */
	TR_COL_LINE,    /* bytes of the differences of line numbers */
	TR_COL_MASK,    /* explicit masks of lanes */
	TR_COL_PARAM,   /* varints: all that is rare */
	TR_NCOLUMNS
};

enum tr_access_head { /* set: not as predicted, and given */
	TR_AH_INST = 1 << 0,
	TR_AH_TRIP = 1 << 1,
	TR_AH_MASK = 1 << 2,
	TR_AH_OP = 1 << 3,
	TR_AH_ACTIVE = 1 << 4,
	TR_AH_LOST = 1 << 5,
	TR_AH_RESERVED = 3 << 6,
};

enum tr_access_kind {
	TR_AK_SIZE = 7,       /* bytes of the line's difference: tr_line_sizes */
	TR_AK_MORE = 1 << 3,  /* another access of the instruction follows */
	TR_AK_LANES = 1 << 4, /* an explicit mask */
	TR_AK_BYTES = 1 << 5,
	TR_AK_SPACE = 1 << 6,
	TR_AK_RESERVED = 1 << 7,
};

#define TR_STEP_FAR 255     /* the step is a parameter, */
#define TR_SM_FAR 255       /* the SM's number, */
#define TR_WARP_FAR 255     /* or the warp's among those of its SM */
#define TR_WARP_NEW 254     /* the first time that it appears */
#define TR_LOST_FAR 65535   /* likewise the lost lanes */
#define TR_SPAN_REST 255    /* all lanes that are left */
#define TR_TRIP_LEVELS 4    /* loops nested deeper share the last one's trip */
#define TR_CONTEXTS_LOG2 12 /* of (warp, instruction), with the line of each of 32 lanes */
#define TR_CONTEXT_LANES 32

/* What a program says of an instruction once and for all. */
struct tr_fact {
	uint32_t loop;
	uint8_t depth;     /* of the loop, 0 outside */
	uint8_t bytes;     /* of a lane's access */
	uint8_t op, space; /* later: those of its last execution */
};

/* What is remembered of an instruction, beside what its program says, */
struct tr_inst_state {
	uint64_t last;  /* line number of its last access */
	uint32_t next;  /* the instruction of the same warp that followed */
	uint32_t trips; /* by how much the trip number grew from this one to the warp's next, mod
			   2^32 */
	uint16_t fixed; /* bytes of each access, 0: those of its lanes */
	struct tr_fact fact;
};

/* of a warp, */
struct tr_warp_state {
	uint32_t cta, warp;
	uint32_t id;   /* in the order of first appearances on all SMs */
	uint32_t inst; /* its last instruction, or TR_NONE */
	uint32_t trip[TR_TRIP_LEVELS];
};

/* and of an SM. */
struct tr_sm_state {
	struct tr_warp_state *warps; /* in the order of their first appearances */
	uint32_t n, cap;
	uint32_t last; /* the warp of its last instruction */
};

struct tr_model {
	struct tr_inst_state *insts;
	struct tr_sm_state *sms;
	uint64_t *masks;    /* of each warp, by id, `words` each */
	uint32_t *contexts; /* low 32 bits of line numbers; 0: none */
	uint32_t ninsts, cap_insts, nsms, nwarps, cap_masks;
	uint32_t sm;   /* of the last instruction */
	uint32_t born; /* first instruction of the warp that appeared last */
	uint32_t words, warp_size;
	uint64_t warp_insts, thread_insts;
};

/* The facts of a program's instructions; NULL without memory. The caller's to free. */
struct tr_fact *tr_facts_make(const struct tr_program *p);

/* A model for masks of warp_size lanes. */
void tr_model_init(struct tr_model *m, uint32_t warp_size);
void tr_model_free(struct tr_model *m);
/* Blank, for a program of ninsts instructions; 0, or -1 without memory. */
int tr_model_start(struct tr_model *m, const struct tr_fact *facts, uint32_t ninsts);
/* Makes the SM known; 0, or -1 without memory. */
int tr_model_add_sm(struct tr_model *m, uint32_t sm);
/* One more warp of a known SM, the last of its list; 0, or -1 without memory. */
int tr_model_add_warp(struct tr_model *m, uint32_t sm, uint32_t cta, uint32_t warp);

int tr_access_info_write(const struct tr_access_info *i, struct tr_buf *out);
/* 1, or TR_EDATA with the reason. */
int tr_access_info_read(
	struct tr_access_info *i, const uint8_t *data, size_t len, struct tr_err *err);
int tr_access_info_check(const struct tr_access_info *i, struct tr_err *err);

static const uint8_t tr_line_sizes[8] = {0, 1, 2, 3, 4, 5, 6, 8};

/* Lanes of the widest warp where the size is not known. */
static inline uint32_t tr_lanes_of(const struct tr_access_info *i)
{
	return i->warp_size ? i->warp_size : TR_LANES_MAX;
}

/* Bounds of a stream's numbers. */
static inline uint32_t tr_sms_of(const struct tr_access_info *i)
{
	return i->sms ? i->sms : TR_ACCESS_SMS_MAX;
}

static inline uint32_t tr_warps_of(const struct tr_access_info *i, const struct tr_launch *l)
{
	const uint32_t lanes = i->warp_size ? i->warp_size : 1;

	return (tr_launch_threads(l) + lanes - 1) / lanes;
}

static inline uint32_t tr_sector_bits(uint32_t line_bytes)
{
	return line_bytes <= 32 ? 1 : line_bytes / 32;
}

static inline uint32_t tr_sector_bytes(uint32_t line_bytes)
{
	return line_bytes <= 256 ? 1 : line_bytes / 256;
}

static inline uint64_t tr_low_bits(unsigned n) /* n up to 64 */
{
	return n ? ~0ull >> (64 - n) : 0;
}

/* Word k of the mask of the lowest n lanes. */
static inline uint64_t tr_low_lanes(unsigned n, unsigned k)
{
	return n <= 64 * k ? 0 : tr_low_bits(n - 64 * k < 64 ? n - 64 * k : 64);
}

static inline unsigned tr_count_bits(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555ull;
	v = (v & 0x3333333333333333ull) + (v >> 2 & 0x3333333333333333ull);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (unsigned)(v * 0x0101010101010101ull >> 56);
}

static inline unsigned tr_count_lanes(const uint64_t *m, unsigned words)
{
	unsigned n = 0;

	for (unsigned k = 0; k < words; k++)
		n += tr_count_bits(m[k]);
	return n;
}

static inline unsigned tr_lowest_lane(const uint64_t *m, unsigned words) /* none: 0 */
{
	for (unsigned k = 0; k < words; k++)
		if (m[k])
			return 64 * k + (unsigned)__builtin_ctzll(m[k]);
	return 0;
}

/* Those of `left` up to `span` lanes after its lowest one. */
static inline void tr_span_lanes(uint64_t *out, const uint64_t *left, unsigned span, unsigned words)
{
	const unsigned last = tr_lowest_lane(left, words) + span;

	for (unsigned k = 0; k < words; k++)
		out[k] = left[k] & tr_low_lanes(last + 1, k);
}

static inline uint32_t *tr_context(const struct tr_model *m, uint32_t warp_id, uint32_t inst)
{
	const uint32_t h = (warp_id * 2654435761u + inst * 2246822519u) >> (32 - TR_CONTEXTS_LOG2);

	return m->contexts + h * TR_CONTEXT_LANES;
}

/* A line number from the one that the lane touched before, or from the instruction's last. */
static inline uint64_t tr_predict_line(uint32_t context, uint64_t last)
{
	const uint64_t use = context ? UINT32_MAX : 0;

	return (last & ~use) | (context & use);
}

static inline uint32_t tr_predict_inst(const struct tr_model *m, const struct tr_warp_state *w)
{
	return w->inst == TR_NONE ? m->born : m->insts[w->inst].next;
}

/*
 * The trip of `inst` starts from that of its loop, or from 0 in a loop just entered, and grows as
 * it did after the same instruction before. Outside of loops there is none.
 */
static inline uint32_t tr_trip_base(
	const struct tr_model *m, const struct tr_warp_state *w, uint32_t inst)
{
	const unsigned depth = m->insts[inst].fact.depth;

	return !depth || w->inst == TR_NONE || depth > m->insts[w->inst].fact.depth
		       ? 0
		       : w->trip[depth - 1];
}

static inline uint32_t tr_predict_trip(
	const struct tr_model *m, const struct tr_warp_state *w, uint32_t inst, uint32_t base)
{
	return !m->insts[inst].fact.depth || w->inst == TR_NONE ? 0
								: base + m->insts[w->inst].trips;
}

/* The warp has gone on to `inst`, in that trip. */
static inline void tr_follow(
	struct tr_model *m, struct tr_warp_state *w, uint32_t inst, uint32_t base, uint32_t trip)
{
	const unsigned depth = m->insts[inst].fact.depth;

	if (w->inst == TR_NONE)
		m->born = inst;
	else
		m->insts[w->inst].next = inst;
	if (depth) {
		if (w->inst != TR_NONE)
			m->insts[w->inst].trips = trip - base;
		w->trip[depth - 1] = trip;
	}
	w->inst = inst;
}

static inline uint32_t tr_predict_bytes(uint16_t fixed, unsigned lanes, unsigned each)
{
	return fixed ? fixed : lanes * each;
}

#endif
