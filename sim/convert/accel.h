/*
 * Internal: the parts of the Accel-Sim format. accel_line.c reads one instruction line,
 * accel_file.c a whole trace of one kernel, accel_ops.c knows opcodes, accel_node.c, accel_graph.c,
 * accel_program.c and accel_meet.c rebuild the program and the threads' ways through it,
 * accel_import.c and accel_export.c put it together, accel_merge.c counts what a replay makes of
 * it.
 */
#ifndef SIM_CONVERT_ACCEL_H
#define SIM_CONVERT_ACCEL_H

#include "libtrace/trace.h"
#include "sim/convert/convert.h"
#include <stdbool.h>

/* ---- a line: LEAD... PC MASK ndst {Rd} OPCODE nsrc {Rs} [flag] W [addresses] [IMM] [...] ---- */

#define ACCEL_REGS_MAX 32 /* of either list */
#define ACCEL_REG_NUMBERS 256u
#define ACCEL_RZ 255u /* reads as zero */

struct accel_line {
	uint32_t pc, mask;
	uint32_t source_line; /* 0: none */
	const char *text;     /* from ndst to W: what is the same each time, not terminated */
	size_t text_len;
	const char *opcode;
	size_t opcode_len;
	uint32_t width; /* bytes that a lane accesses, 0: no access */
	bool bulk;      /* one copy for all lanes: there are no addresses by lane */
	bool has_imm;
	int64_t imm;
	uint64_t addr[TR_GROUP]; /* of the lanes in mask, where width is not 0 and bulk not set */
};

/* How many tokens stand before the PC, or -1 if this is no instruction line at all. */
int accel_line_lead(const char *line);
/* Reads a line into *out, which points into it. NULL, or the reason why it is none. */
const char *accel_line_read(const char *line, int lead, struct accel_line *out);

enum accel_reg_file { ACCEL_R, ACCEL_UR, ACCEL_P, ACCEL_UP, ACCEL_REG_FILES };

/* What a line names, from its text. */
struct accel_operands {
	char opcode[64]; /* cut where longer */
	unsigned ndst, nsrc;
	struct accel_reg {
		uint8_t file; /* enum accel_reg_file */
		uint16_t number;
	} dst[ACCEL_REGS_MAX], src[ACCEL_REGS_MAX];
};
void accel_line_operands(const struct accel_line *line, struct accel_operands *out);

/* ---- a trace of one kernel ---- */

struct accel_header {
	char *kernel;
	uint32_t grid[3], block[3];
	uint32_t cluster[3]; /* 0, 0, 0: the header says nothing */
	uint32_t shared_bytes, registers, binary_version, queue;
	uint64_t shared_base, local_base; /* of the windows in generic addresses, 0: unknown */
};

enum accel_event {
	ACCEL_END = 0,
	ACCEL_CTA = 1, /* file->cta begins */
	ACCEL_WARP,    /* file->warp begins */
	ACCEL_INST,    /* file->line */
	ACCEL_CTA_END,
};

struct accel_file_state;
struct accel_file {
	struct accel_header header;
	uint32_t cta[3], warp, warps; /* warps: of a CTA */
	struct accel_line line;
	struct accel_file_state *state;
};

/* f and name stay the caller's; a name that ends in .tracez says so. 1 or TR_E*. */
int accel_file_open(struct accel_file **file, FILE *f, const char *name, struct tr_err *err);
int accel_file_next(struct accel_file *file, struct tr_err *err); /* enum accel_event or TR_E* */
/* Fails with the place: "NAME:LINE: sentence". */
int accel_file_fail(const struct accel_file *file, struct tr_err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void accel_file_close(struct accel_file *file);

int accel_export(FILE *in, const struct cv_output *out, const struct cv_options *opt,
	struct cv_report *report, struct tr_err *err);

/* ---- opcodes ---- */

enum accel_flow {
	ACCEL_STEP,     /* goes on after itself */
	ACCEL_DIRECT,   /* a jump with one target */
	ACCEL_INDIRECT, /* a jump with any number of them */
	ACCEL_EXIT,
};

struct accel_op {
	uint8_t cls;   /* enum tr_class */
	uint8_t space; /* enum tr_space */
	uint8_t flow;  /* enum accel_flow */
	bool known;    /* false: taken for the opcode that is spelled most alike */
	bool collective, arrive;
	bool of_cluster; /* a half of the barrier of a cluster */
	bool special;    /* reads a special register, which the trace does not name */
	uint8_t copy;    /* enum tr_async of copies to shared memory, or 0 */
	bool imm_target; /* its immediate, if there is one, is the target */
};
/* opcode with its dots; width decides where an opcode may or may not access memory. */
struct accel_op accel_op_find(const char *opcode, uint32_t binary_version, uint32_t width);

/* The opcode that writes instruction `inst` for a machine, with its dots and its width. */
void accel_op_name(
	const struct tr_program *p, uint32_t inst, uint32_t binary_version, char *out, size_t size);

/* ---- a listing of SASS with its encoding ---- */

struct accel_listing;
struct accel_function;

struct accel_listed {
	const char *opcode; /* with its dots, not terminated */
	size_t opcode_len;
	const char *operands;
	uint32_t control; /* as tr_program_control has them */
	bool has_control; /* false: the encoding is one of 64 bits */
};

/* f and name stay the caller's. 1 or TR_E*, with "NAME:LINE: sentence". */
int accel_listing_read(struct accel_listing **out, FILE *f, const char *name, struct tr_err *err);
void accel_listing_free(struct accel_listing *l); /* NULL is fine */
/* A kernel's code for a machine, 80 for sm_80, or for one that is not told; NULL: there is none. */
const struct accel_function *accel_listing_find(
	const struct accel_listing *l, const char *name, uint32_t machine);
/* The instruction at a PC; false: there is none. Valid as long as the listing. */
bool accel_listing_inst(const struct accel_function *f, uint32_t pc, struct accel_listed *out);

/* ---- what a replay issues of a warp's lines ---- */

struct accel_seen {                  /* a line */
	uint32_t inst, mask;         /* of the program; the lanes that executed it */
	uint32_t issues, last, next; /* accel_merge.c's own */
};

/*
 * Sums over warps. lines - empty_lines + apart = issues - made - empty_issues + by_turns +
 * before_sync + before_exit.
 */
struct accel_merged {
	uint64_t lines, empty_lines;         /* empty: no lane executed it */
	uint64_t issues, made, empty_issues; /* under PDOM; made: of what the trace lacks */
	/* Lines that are issued together with another one, which is not counted: */
	uint64_t by_turns;    /* a BSYNC or an EXIT, to which lanes came in several lines */
	uint64_t before_sync; /* and others, whose lanes come to a BSYNC next ... */
	uint64_t before_exit; /* ... or to their exit */
	uint64_t apart;       /* issues of a line's lanes beyond its first one */
};

/*
 * Runs the n threads of a warp of p under PDOM, beside its lines in their order, and adds to *sum.
 * 1, or TR_EDATA where threads and lines do not belong together.
 */
int accel_merge_warp(const struct tr_program *p, const struct tr_thread *threads, uint32_t n,
	struct accel_seen *lines, uint32_t nlines, struct accel_merged *sum, struct tr_err *err);

/* ---- the program and the ways through it ---- */

struct accel_graph;

struct accel_doubts {            /* lanes or lines, in all of a kernel */
	uint64_t odd_steps;      /* neither a fall-through nor a branch explains the next line */
	uint64_t ambiguous;      /* after a jump: false guard, or another target */
	uint64_t unattended;     /* lines with an empty mask that no lane is known to have passed */
	uint64_t unknown;        /* lines with an unknown opcode */
	uint64_t bulk;           /* lines with a bulk copy, whose addresses are left out */
	uint64_t absent;         /* threads without a line */
	char unknown_opcode[64]; /* one of them */
};

struct accel_graph *accel_graph_new(const struct accel_header *h); /* NULL without memory */
void accel_graph_free(struct accel_graph *g);

/*
 * The same calls in both readings of a file, in its order; the first one learns, and after
 * accel_graph_program the second one fills the CTA that it is handed. A CTA that does not stand in
 * the file has begin and end, too. 1 or TR_E*; err then holds a sentence without a place.
 */
int accel_graph_cta(struct accel_graph *g, struct tr_cta *cta, struct tr_err *err);
int accel_graph_warp(struct accel_graph *g, uint32_t warp, struct tr_err *err);
int accel_graph_line(struct accel_graph *g, const struct accel_line *line, struct tr_err *err);
int accel_graph_cta_end(struct accel_graph *g, struct tr_err *err);

/*
 * Ends the first reading: the program, analysed; the caller's to free. listed: the kernel's
 * listing, whose operands and control bits it gets, or NULL. 1 or TR_E*.
 */
int accel_graph_program(struct accel_graph *g, const struct accel_function *listed,
	struct tr_program **p, struct tr_err *err);
/*
 * Before the second reading: each warp is held against its program, which accel_graph_program gave
 * and which stays until that reading ends; what comes out is added to *sum.
 */
void accel_graph_merged(
	struct accel_graph *g, const struct tr_program *p, struct accel_merged *sum);
/* The doubts of the second reading. */
const struct accel_doubts *accel_graph_doubts(const struct accel_graph *g);

#endif
