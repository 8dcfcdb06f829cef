/*
 * What inline.c, which copies bodies into kernels, and recurse.c, which gives those that call
 * themselves a stack, have in common. Internal to the parser.
 */
#ifndef PTX_INLINE_H
#define PTX_INLINE_H

#include "parse.h"

#define PTX_LOCAL_MAX (512u << 10)
#define PTX_STORAGE_ALIGN                                                                          \
	16u /* of a function's storage; more is rounded up to what it asks for                     \
	     */

struct inliner {
	struct ptx_parser *p;
	struct ptx_kernel *k;
	uint32_t cap_insts, cap_regs, cap_syms;
	struct shared_use {
		const struct ptx_kernel *k;
		uint32_t sym;
	} * shared; /* by module symbol: which kernel used it last, and its symbol there */
	uint32_t copies, depth;
	uint32_t ninsts, nregs, nsyms; /* of the kernels before */
	uint32_t local_top, call_top;  /* ends of the storage in use */
	/* Of functions that call themselves: registers + 1, or 0 where the kernel has none. */
	uint32_t stack, saved, moved;
	uint32_t nest;                  /* copies of recursive functions around the one at hand */
	uint32_t frame_base, frame_end; /* local memory that is again for each frame */
};

/* A body that is being copied. */
struct copy {
	const struct ptx_body *b;
	struct copy *caller; /* or NULL */
	uint32_t call_at;    /* the call among its own instructions that is being copied */
	int several;         /* that call is through a register, and can be of several bodies */
	int recursive;       /* it has a frame */
	uint32_t back;       /* then: register that says which call it returns to */
	uint32_t *sites, nsites,
		cap_sites;           /* where those calls go on; the first one's is the end */
	const struct ptx_inst *site; /* the call whose line its instructions count for, or NULL */
	uint32_t first_reg, first_sym;
	uint32_t *at; /* number in the kernel of each of the body's instructions, and of its end */
};

static inline uint64_t ptx_align_up(uint64_t v, uint64_t align)
{
	return (v + align - 1) / align * align;
}

int ptx_too_large(struct inliner *x, uint32_t line, const char *what, uint32_t max);
int ptx_append(struct inliner *x, const struct ptx_inst *inst);
/* The instruction with the copy's registers and symbols; targets are set when all stand. */
int ptx_copy_inst(struct inliner *x, const struct copy *c, const struct ptx_inst *from);
/* Makes *i an instruction of the call's line that the kernel's text does not have; text: its name.
 */
int ptx_inserted(
	struct inliner *x, struct ptx_inst *i, const char *text, const struct ptx_inst *site);
int ptx_append_symbol(struct inliner *x, const struct ptx_sym *s, uint32_t line);
/* Parameter i of a call, results first: what the caller has there. */
static inline const struct ptx_operand *ptx_actual(
	const struct ptx_call *call, uint32_t nrets, uint32_t i)
{
	return i < nrets ? &call->rets[i] : &call->args[i - nrets];
}
/* The kernel's symbols of a parameter in memory; fails where the caller has none as large. */
int ptx_parameter(struct inliner *x, const struct copy *caller, const struct copy *callee,
	const struct ptx_call *call, uint32_t i, uint32_t line, uint32_t *actual, uint32_t *formal);
/* What the body stands for, if a call through a register can be one of it, or NULL. */
struct ptx_body *ptx_suitable(const struct ptx_parser *p, const struct ptx_body *caller,
	const struct ptx_call *call, uint32_t number);
/* The local memory up to local_top is in use. */
void ptx_note_local(struct inliner *x);

/* ---- recurse.c ---- */

/* Whether a call of the body can come to call it again before it has returned, or TR_EMEM. */
int ptx_recursive(struct inliner *x, struct ptx_body *b);
/*
 * Before the copy of a recursive body: its formal parameters get places in its frame. The actual
 * ones of this call, which comes from outside, become the same bytes where nothing else needs them.
 */
int ptx_frame_open(struct inliner *x, const struct copy *caller, struct copy *callee,
	const struct ptx_inst *from, const struct ptx_call *call, uint32_t local_before);
/* The actual parameters that are other bytes: copies before its body, and after it. */
int ptx_frame_arguments(struct inliner *x, const struct copy *caller, const struct copy *callee,
	const struct ptx_inst *from, const struct ptx_call *call);
int ptx_frame_results(struct inliner *x, const struct copy *caller, const struct copy *callee,
	const struct ptx_inst *from, const struct ptx_call *call);
/* A ret of its copy leads to all calls of it. */
int ptx_frame_return(struct inliner *x, const struct copy *callee, struct ptx_inst *ret);
/* A call of a body that stands above the caller. */
int ptx_call_again(struct inliner *x, struct copy *caller, const struct ptx_inst *from,
	const struct ptx_call *call, struct ptx_body *b);
/* With the whole kernel copied: where its frames lie. */
int ptx_place_frames(struct inliner *x);

#endif
