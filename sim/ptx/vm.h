/*
 * The executor's own: decoded instructions, warps, CTAs, the machine. Internal to sim/ptx.
 *
 * A register of a warp is an array of 32 lanes of 16, 32 or 64 bits at a fixed offset in the warp's
 * register file; a predicate is one 32-bit mask. Constants stand in a second area with the same
 * layout. So an operand is an offset with the area in its lowest bit, and an operation sees nothing
 * but arrays.
 */
#ifndef PTX_VM_H
#define PTX_VM_H

#include "sim/ptx/ast.h"
#include "sim/ptx/device.h"
#include "sim/ptx/memory.h"
#include "sim/ptx/ptx.h"
#include "sim/base/stack.h"

#define PTX_LANES 32
#define PTX_WARPS_MAX (TR_CTA_THREADS_MAX / PTX_LANES)
#define PTX_BARRIERS 16
#define PTX_ALL_LANES UINT32_MAX
#define PTX_CONSTANT 1u /* in an operand: the constant area */
#define PTX_CODE_DST 4  /* operands of all but the tensor instructions */
#define PTX_CODE_SRC 8
#define PTX_NOWHERE UINT32_MAX /* operand: none, or the sink '_' */

struct ptx_warp;
struct ptx_code;
struct ptx_cta;
struct ptx_run;
struct ptx_sync;

typedef void ptx_alu(struct ptx_warp *w, const struct ptx_code *c);
typedef uint32_t ptx_compare(const struct ptx_warp *w, const struct ptx_code *c);
typedef void ptx_gather(void *reg, uint32_t mask, uint8_t *const at[PTX_LANES]);
typedef void ptx_scatter(const void *reg, uint32_t mask, uint8_t *const at[PTX_LANES]);

enum ptx_kind {
	PTX_K_ALU,
	PTX_K_LOAD,
	PTX_K_STORE,
	PTX_K_ATOMIC,
	PTX_K_COLLECTIVE,
	PTX_K_TEXTURE,  /* texture.c */
	PTX_K_HOST,     /* printf, assert, malloc, free: host.c */
	PTX_K_ASYNC,    /* half of a cp.async with a size: async.c */
	PTX_K_SURFACE,  /* surface.c */
	PTX_K_TENSOR,   /* tensor.c */
	PTX_K_MBARRIER, /* async.c */
	PTX_K_OPERAND,  /* what the record says of the next instruction: async.c */
	PTX_K_MEET,   /* bar.warp.sync from sm_70 on; for memcheck, which asks for races, fences and
			 that of older targets too; else they are nothing */
	PTX_K_DEVICE, /* a call of the device runtime: s and d are places in local memory */
	PTX_K_JUMP,   /* to target: bra, call, the ret of a device function; from here on, */
	PTX_K_CALL,   /* the same, of a function that has not returned: it needs a frame */
	PTX_K_SWITCH, /* brx.idx */
	PTX_K_BARRIER,
	PTX_K_EXIT,
	PTX_K_TRAP,    /* to here, what may end a path */
	PTX_K_NOTHING, /* fences, prefetches: the machine has no time in which they could matter */
};

struct ptx_code {
	ptx_alu *alu;         /* PTX_K_ALU, PTX_K_COLLECTIVE */
	ptx_compare *compare; /* setp and set: what alu calls */
	ptx_gather *gather;
	ptx_scatter *scatter;
	const struct ptx_inst *inst;
	struct ptx_span hit; /* where the last access fell */
	uint32_t guard;      /* operand, or PTX_NOWHERE */
	uint32_t guard_flip; /* all ones for @!p */
	uint32_t d[PTX_CODE_DST], s[PTX_CODE_SRC];
	uint32_t base;         /* operand: address register, or PTX_NOWHERE */
	uint64_t disp;         /* added to it */
	uint32_t target, next; /* of a jump; next: where the lanes go that do not take it */
	uint32_t invert;       /* bit k: the predicate source k is negated */
	uint32_t clock; /* operand that the instruction count is put into first, or PTX_NOWHERE */
	uint8_t kind;
	uint8_t base_bytes;
	uint8_t space; /* where the access goes: enum tr_space */
	uint8_t vec, bytes;
	uint8_t records_outcome, records_value;
	uint8_t nd, ns;
	uint8_t polls;   /* a jump back, over an instruction that looks at what others may change */
	uint8_t strong;  /* an access to memory that others access meanwhile */
	uint8_t gathers; /* it waits for lanes of its warp that run apart: strands.c */
	uint8_t dbytes[PTX_CODE_DST], sbytes[PTX_CODE_SRC]; /* of a lane; 0: predicate */
	uint32_t wide; /* PTX_K_TENSOR: its operands among the kernel's, in place of d and s */
};

enum ptx_state {
	PTX_READY,
	PTX_WAITING, /* at a barrier */
	PTX_DONE,
	PTX_SPINS, /* it goes round, and will until a word that it read has changed: progress.c */
	PTX_MEETS, /* lanes that wait for others of their warp: strands.c */
	PTX_HELD,  /* before a wait at a barrier in memory, until its phase is over: async.c */
};

struct ptx_watch;
struct ptx_strands;

enum ptx_watching {
	PTX_WATCH_NOT,
	PTX_WATCH_PURE,    /* and it has changed nothing so far */
	PTX_WATCH_CHANGED, /* it has */
};

/* What a path has done since it last made progress (progress.c). */
struct ptx_progress {
	uint32_t changes; /* the warp's, when it was last looked at */
	uint32_t still;   /* times that it has gone back since then, */
	uint32_t look;    /* and at how many of them its state is noted next */
	uint32_t rounds;  /* times that it has gone back where it polls, since it was put behind */
	uint32_t same;    /* 1: the last two of these polled the same place, */
	uint64_t polled, polled_before; /* a hash of which: since then, and the time before */
	uint64_t insts;                 /* thread instructions, until the run at hand */
	struct ptx_watch *watch;        /* what has been noted of the path; NULL: nothing */
};

struct ptx_warp {
	uint8_t *area[2];             /* registers, constants */
	uint32_t mask;                /* lanes that execute the instruction at hand */
	uint32_t active;              /* lanes that reached it */
	uint32_t carry;               /* of add.cc and its like, a bit per lane */
	uint32_t number;              /* in its CTA */
	uint32_t state;               /* enum ptx_state */
	const struct ptx_code *waits; /* the barrier or the wait that holds it */
	int may_fail;                 /* its next wait is not held back, but fails */
	uint32_t phase;               /* of the cluster's barrier, in which it arrived there */
	int arrived;                  /* it has, and not waited yet */
	struct ptx_cta *cta;
	struct warp_stack stack;
	uint32_t changes;  /* what it has done that is no arithmetic and no read: counts on */
	uint32_t watching; /* what the path does is noted: enum ptx_watching */
	uint32_t yields;   /* 1: the path has gone round often enough, and others may go on */
	uint32_t named;    /* of lanes that wait for others: whom they wait for */
	uint32_t forced;   /* 1: they go on without them */
	struct ptx_progress progress;
	struct ptx_strands *apart; /* paths that run by themselves; NULL: the stack is all of it */
};

struct ptx_barrier {
	uint32_t waiting;              /* warps with lanes that it holds, a bit each */
	uint32_t arrived;              /* warps, bar.arrive included */
	uint32_t warps;                /* that it waits for */
	uint32_t popc, any, not_all;   /* what bar.red gathers */
	uint32_t part;                 /* warps of which lanes are missing yet, a bit each, */
	uint32_t lanes[PTX_WARPS_MAX]; /* and those of them that have come */
};

/* CTAs that run together, by rank, and their barrier: warps that came, those included that ended.
 */
struct ptx_cluster {
	struct ptx_cta *cta[TR_CLUSTER_CTAS_MAX];
	uint32_t number, ended; /* ended: warps */
	uint32_t arrived, phase;
	uint32_t failed;      /* waits since an operation on a barrier last succeeded */
	uint32_t failed_last; /* the warp of the latest of them, counted through its CTAs */
};

struct ptx_cta {
	struct ptx_run *run;
	struct ptx_cluster *cluster;
	uint32_t rank;                /* in it */
	struct tr_recorder *recorder; /* or NULL */
	struct ptx_sync *sync;        /* or NULL */
	uint8_t *shared, *local;
	uint8_t *registers; /* of all warps */
	uint32_t *phases; /* of mbarriers that have ended since their init, by offset / 8; NULL: the
			     kernel has none */
	uint8_t *written; /* memcheck: which bytes of shared memory are; else NULL */
	struct ptx_races *races; /* memcheck; else NULL */
	uint32_t number, id[3];
	uint32_t place; /* among the resident ones */
	uint32_t nwarps, ndone;
	uint32_t epoch;  /* barriers completed */
	uint32_t stream; /* its own, that its threads launch into, or 0: none so far */
	struct ptx_barrier barrier[PTX_BARRIERS];
	struct ptx_warp warps[PTX_WARPS_MAX];
};

/* Where a special register's lanes stand in the register file. */
struct ptx_special {
	uint32_t operand;
	uint8_t sreg, bytes;
};

/* Where a kernel parameter, or a part of one, stands among the constants. */
struct ptx_param_use {
	uint32_t operand, offset; /* offset: in the parameters */
	uint8_t bytes, width;     /* width: of the register */
	uint8_t is_signed;
};

/* A kernel made ready to run. */
struct ptx_decoded {
	struct ptx_code *code;
	uint32_t ncode;
	uint8_t *constants;
	size_t constants_bytes;
	uint32_t *wide; /* operands of tensor instructions */
	uint32_t nwide;
	uint32_t register_bytes; /* of a warp's register file */
	struct ptx_special *specials;
	uint32_t nspecials;
	struct ptx_param_use *uses;
	uint32_t nuses;
	uint32_t deleted;  /* of the memory, when its instructions began to note where they hit */
	int mbarriers;     /* it has operations on barriers in shared memory */
	int stores_global; /* it writes the memory that it reads: sync.c watches global memory too
			    */
};

/* From sm_70 on lanes of a warp that have parted make progress independently of each other. */
static inline int ptx_independent(const struct ptx_kernel *k)
{
	return k->module->target >= 70;
}

/* A launch while it runs. */
struct ptx_run {
	struct ptx_machine *machine;
	const struct ptx_launch *launch;
	const struct ptx_kernel *kernel;
	const struct tr_program *program;
	const struct ptx_resident *resident; /* one of the machine's */
	struct tr_writer *writer;
	struct tr_err *err;
	struct ptx_decoded decoded; /* the machine's */
	uint8_t *params;
	uint32_t param_bytes, shared_bytes, local_bytes, threads, ctas_per_sm, grid_number;
	struct tr_launch shape; /* grid and cluster; 0, 0, 0: none was asked for */
	uint32_t cluster_ctas;
	uint8_t *const_bank;
	uint64_t const_bytes, const_base;
	const struct ptx_ops *ops;
	uint64_t max_insts;
	uint64_t warp_insts, thread_insts, next_progress;
	uint32_t stalled; /* times in a row that no warp could run */
	/* Where the launch comes from; child: NULL for one of the host's. */
	const struct ptx_child *child;
	uint32_t number, depth; /* number: in the record */
	uint32_t tail;          /* its stream for tail launches, or 0 */
};

/* A module's memory on the machine. */
struct ptx_loaded {
	const struct ptx_module *module;
	uint64_t const_base; /* generic address of its constant bank */
	uint8_t *const_bank;
	uint64_t *address; /* of each symbol: a global's address, a constant's offset */
	uint32_t number;   /* among the machine's modules */
	uint32_t nkernels;
	struct ptx_decoded *decoded; /* by kernel; no code: not yet */
	const struct ptx_ops *ops;   /* that they were decoded with */
};

struct ptx_machine {
	struct ptx_machine_options opt;
	struct ptx_memory memory;
	struct ptx_loaded *loaded;
	uint32_t nloaded;
	struct tr_copy *copies; /* since the last launch */
	uint32_t ncopies, cap_copies;
	uint32_t api_calls, nlaunches;
	struct ptx_known { /* programs that a writer has already */
		const struct tr_writer *writer;
		const struct ptx_kernel *kernel;
		uint32_t number;
	} * known;
	uint32_t nknown;
	const struct tr_writer *last_writer; /* who got the launch before this one, */
	uint32_t last_launch;                /* and its number there */
	struct ptx_bound_texture {
		uint64_t handle;
		struct ptx_texture t;
	} * textures; /* by no order: there are few */
	uint32_t ntextures, cap_textures;
	uint64_t next_texture;
	uint64_t grid_workspace; /* what %envreg1 and 2 point to, or 0: none yet */
	struct ptx_heap {
		uint64_t base, bytes, next; /* base 0: none yet */
		uint64_t free[64];          /* blocks of 2^n bytes that are free: the first */
	} heap;
	uint64_t thread_insts;
	enum ptx_fault fault;
	struct ptx_forgiven {
		uint64_t n;
		struct tr_err first;
		uint8_t nowhere[PTX_LANES][64]; /* what lanes access instead */
	} forgiven;
	struct ptx_memcheck {
		struct ptx_finding *v;
		uint32_t n, cap, last; /* last: which was found the last time */
	} memcheck;
	struct ptx_device device;
};

/* ---- operations, once for each instruction set (ops_*.c) ---- */

struct ptx_ops {
	ptx_alu *(*alu)(const struct ptx_code *c); /* NULL: no such operation */
	ptx_compare *(*compare)(const struct ptx_inst *i);
	ptx_gather *(*gather)(enum ptx_type t, unsigned reg_bytes);
	ptx_scatter *(*scatter)(enum ptx_type t, unsigned reg_bytes);
	/* Fills the lanes' addresses; those of lanes that are off are an active one's. */
	void (*addresses)(
		const struct ptx_warp *w, const struct ptx_code *c, uint64_t address[PTX_LANES]);
	/* The same and, where the access is allowed, their host pointers. */
	int (*locate)(struct ptx_warp *w, struct ptx_code *c, uint64_t address[PTX_LANES],
		uint8_t *at[PTX_LANES]);
};

extern const struct ptx_ops ptx_ops_base;
extern const struct ptx_ops ptx_ops_v3; /* x86-64 with AVX2 and FMA; elsewhere not defined */
const struct ptx_ops *ptx_ops_best(void);
void ptx_ops_force(const struct ptx_ops *ops); /* for tests; NULL: the best again */

static inline const void *ptx_source(const struct ptx_warp *w, const struct ptx_code *c, unsigned k)
{
	return w->area[c->s[k] & PTX_CONSTANT] + (c->s[k] & ~PTX_CONSTANT);
}

static inline void *ptx_destination(const struct ptx_warp *w, const struct ptx_code *c, unsigned k)
{
	return w->area[0] + c->d[k];
}

/* The active lanes for which an instruction's guard holds. */
static inline uint32_t ptx_guarded(const struct ptx_warp *w, const struct ptx_code *c)
{
	if (c->guard == PTX_NOWHERE)
		return w->active;
	return w->active &
	       (*(const uint32_t *)(const void *)(w->area[0] + c->guard) ^ c->guard_flip);
}

/* A predicate source, negated where the text says so. */
static inline uint32_t ptx_predicate(const struct ptx_warp *w, const struct ptx_code *c, unsigned k)
{
	return *(const uint32_t *)ptx_source(w, c, k) ^ -(c->invert >> k & 1);
}

static inline void ptx_set_predicate(
	const struct ptx_warp *w, const struct ptx_code *c, unsigned k, uint32_t bits)
{
	if (c->d[k] != PTX_NOWHERE) {
		uint32_t *p = (uint32_t *)ptx_destination(w, c, k);
		*p = (*p & ~w->mask) | (bits & w->mask);
	}
}

/* ---- addresses of 32 bits ---- */

/* The window of a space among generic addresses of 32 bits; 0 for global memory. */
static inline uint64_t ptx_narrow_window(enum tr_space space)
{
	return space == TR_S_SHARED  ? PTX_NARROW_END
	       : space == TR_S_LOCAL ? PTX_NARROW_END + PTX_NARROW_STRIDE
	       : space == TR_S_PARAM ? PTX_NARROW_END + 2 * PTX_NARROW_STRIDE
	       : space == TR_S_CONST ? PTX_NARROW_END + 3 * PTX_NARROW_STRIDE
				     : 0;
}

/* A generic address of 32 bits as the one of 64 bits that all else knows. */
static inline uint64_t ptx_widened(uint64_t address, uint64_t const_base)
{
	const uint64_t at = address & (PTX_NARROW_STRIDE - 1);
	switch (address < PTX_NARROW_END ? UINT64_MAX
					 : (address - PTX_NARROW_END) / PTX_NARROW_STRIDE) {
	case 0:
		return TR_SHARED_WINDOW + at;
	case 1:
		return TR_LOCAL_WINDOW + at;
	case 2:
		return PTX_PARAM_WINDOW + at;
	case 3:
		return const_base + at;
	default:
		return address;
	}
}

/* ---- the parts ---- */

/* The module's memory, or NULL where it is not loaded. */
struct ptx_loaded *ptx_loaded_of(struct ptx_machine *m, const struct ptx_module *mod);

int ptx_decode(struct ptx_decoded *d, const struct ptx_kernel *k, const struct ptx_loaded *loaded,
	const struct ptx_ops *ops, struct tr_err *err);
/* Puts a launch's parameters where its code finds them. */
void ptx_decoded_params(struct ptx_decoded *d, const uint8_t *params);
/* Memory has been freed: its instructions no longer know where they hit. */
void ptx_decoded_forget(struct ptx_decoded *d);
void ptx_decoded_free(struct ptx_decoded *d);

ptx_alu *ptx_collective(const struct ptx_inst *i); /* vote, shfl, match, redux: or NULL */
void ptx_atomic(struct ptx_warp *w, const struct ptx_code *c, uint8_t *const at[PTX_LANES]);
int ptx_atomic_known(const struct ptx_inst *i);

/* Runs a ready warp for up to `budget` warp instructions. 0, or TR_E* with run->err filled. */
int ptx_warp_run(struct ptx_warp *w, uint64_t budget);

/* The general, slow way to an access's host pointers: lane by lane. TR_ERUN with a sentence. */
int ptx_resolve(struct ptx_warp *w, struct ptx_code *c, const uint64_t address[PTX_LANES],
	uint8_t *at[PTX_LANES]);
/* The same of accesses of which each lane has so many bytes only; of none: *at is no matter. */
int ptx_resolve_parts(struct ptx_warp *w, struct ptx_code *c, const uint32_t sizes[PTX_LANES],
	const uint64_t address[PTX_LANES], uint8_t *at[PTX_LANES]);
int ptx_fault(const struct ptx_warp *w, const struct ptx_code *c, unsigned lane, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));

/* An access's addresses and host pointers, after it is recorded. 0 or TR_E*. */
int ptx_reach(struct ptx_warp *w, struct ptx_code *c, uint64_t address[PTX_LANES],
	uint8_t *at[PTX_LANES]);
int ptx_reach_parts(struct ptx_warp *w, struct ptx_code *c, const uint32_t sizes[PTX_LANES],
	uint64_t address[PTX_LANES], uint8_t *at[PTX_LANES]);

/* What is bound to a handle, or NULL. */
const struct ptx_texture *ptx_texture_bound(const struct ptx_machine *m, uint64_t handle);
/* surface.c: 0 or TR_E*. */
int ptx_surface_access(struct ptx_warp *w, const struct ptx_code *c);

/* video.c */
void ptx_video(struct ptx_warp *w, const struct ptx_code *c);

/* tensor.c: 0 or TR_E*. */
int ptx_tensor(struct ptx_warp *w, struct ptx_code *c);

/* async.c: 0 or TR_E*. */
int ptx_async_copy(struct ptx_warp *w, struct ptx_code *c);
int ptx_mbarrier(struct ptx_warp *w, struct ptx_code *c);
/* What the record says of the next instruction in each lane. 1: it is a wait that holds the warp.
 */
int ptx_operand(struct ptx_warp *w, struct ptx_code *c, uint64_t value[PTX_LANES]);
/* Is the phase that the path at hand is held for over by now? */
int ptx_mbarrier_over(struct ptx_warp *w);
/* The wait that holds a path will never end: TR_ERUN, with what is missing. */
int ptx_mbarrier_stuck(struct ptx_warp *w);

/* texture.c: fetches of a warp. 0 or TR_E*. */
int ptx_texture_fetch(struct ptx_warp *w, const struct ptx_code *c);

/* host.c: what a kernel asks of the host while it runs. 0 or TR_E*. */
int ptx_host_call(struct ptx_warp *w, const struct ptx_code *c);
/* Gives the machine its heap, if it has none. */
int ptx_heap_open(struct ptx_machine *m, struct tr_err *err);
/* What one lane sees at a generic address: the host's pointer and the bytes there, or NULL. */
const uint8_t *ptx_lane_bytes(
	const struct ptx_warp *w, unsigned lane, uint64_t address, uint64_t *bytes);

/* device.c: what a warp's lanes ask of the device runtime. 0, or TR_E*. */
int ptx_device_call(struct ptx_warp *w, struct ptx_code *c);

/* A kernel's name as a value, and back: the kernel of a loaded module, or NULL. */
uint64_t ptx_kernel_value(const struct ptx_loaded *l, uint32_t kernel);
const struct ptx_kernel *ptx_kernel_of(const struct ptx_machine *m, uint64_t value);

int ptx_recorder_failed(const struct ptx_warp *w);

/* bar: the warp arrives, and waits or goes on. */
int ptx_barrier_reach(struct ptx_warp *w, const struct ptx_code *c);
void ptx_barriers_recheck(struct ptx_cta *cta); /* after lanes have ended, */
void ptx_cluster_left(struct ptx_warp *w);      /* this warp */
/* Lanes that have nothing left to do but to exit. */
uint32_t ptx_leaving(const struct ptx_warp *w);

/* ---- progress.c: paths that go round and get nowhere ---- */

#define PTX_PLAIN_ROUNDS 1024u /* in loops that do not poll, before anybody looks at them, */
#define PTX_POLL_ROUNDS 64u    /* and in those that poll elsewhere each time */

/* Marks the jumps back of loops that poll. */
void ptx_find_polls(struct ptx_decoded *d);
/* The path has left the instructions that end at `from`, while it is watched. */
void ptx_watch_path(struct ptx_warp *w, uint32_t from);
/* The lanes of an access read what lies at `at`, while they are watched. */
void ptx_watch_words(struct ptx_warp *w, const struct ptx_code *c,
	const uint64_t address[PTX_LANES], uint8_t *const at[PTX_LANES]);
/*
 * The path has gone back to pc, by c; insts: thread instructions of the run at hand. 1: its turn is
 * over, since it spins (w->state) or yields.
 */
int ptx_went_back(struct ptx_warp *w, const struct ptx_code *c, uint32_t pc, uint64_t insts);
/* Lanes that go round, of a path that spins or yields. */
uint32_t ptx_going_round(const struct ptx_warp *w);
/* Has no word that a path which spins has read another value yet? */
int ptx_still_spins(const struct ptx_watch *watch);
/* One has: the path, which is the one at hand, is watched from here on. */
void ptx_watch_again(struct ptx_warp *w);
/* The path that spins has lost all lanes that do not go round. */
void ptx_watch_stack(struct ptx_warp *w);
void ptx_watch_free(struct ptx_watch *watch);
/* The sentence for a path that spins for ever. TR_ERUN. */
int ptx_spins_for_ever(const struct ptx_warp *w);

/* ---- strands.c: paths of a warp that run apart ---- */

/* A warp's turn: up to `budget` warp instructions of its paths. 0, or TR_E* with run->err filled.
 */
int ptx_warp_turn(struct ptx_warp *w, uint64_t budget);
uint32_t ptx_live_lanes(const struct ptx_warp *w); /* that have not exited, of all paths */
/* Does the warp end with the path at hand, whose lanes have exited? */
int ptx_last_strand(const struct ptx_warp *w);
/* Do the path's lanes wait here for lanes of other paths? Then w->state says so. */
int ptx_gathers(struct ptx_warp *w, const struct ptx_code *c);
/* Lanes have executed bar.warp.sync, which may name others. 1: they wait for those after it. */
int ptx_meet(struct ptx_warp *w, const struct ptx_code *c);
/* Calls f for each path of the warp that waits at a barrier, as if it were the one at hand. */
void ptx_each_waiting(struct ptx_warp *w, void (*f)(struct ptx_warp *w, void *arg), void *arg);
/* Lets lanes go on that wait for lanes of their warp. 1, or 0: there are none. */
int ptx_strands_force(struct ptx_warp *w);
/* The first path that is held back before a wait goes on, and its wait fails. 1, or 0: there is
 * none. */
int ptx_strands_fail(struct ptx_warp *w);
/* Can the warp have a turn, now? */
int ptx_can_go_on(struct ptx_warp *w);
/* Makes a path in this state the one at hand, of a warp that does not run. 1, or 0: there is none.
 */
int ptx_take_path(struct ptx_warp *w, enum ptx_state state);
void ptx_strands_free(struct ptx_warp *w);
/* The span of shared memory that an offset lies in, of whichever CTA; of no bytes: nobody's. */
struct ptx_span ptx_shared_span(const struct ptx_warp *w, uint64_t offset, int of_cluster);
/* Whose shared memory a host pointer lies in, of the cluster's CTAs; NULL: nobody's. */
struct ptx_cta *ptx_shared_owner(const struct ptx_cta *cta, const uint8_t *at);

/* sync.c: who wrote what since the last barrier. */
struct ptx_sync *ptx_sync_new(const struct ptx_run *run);
void ptx_sync_free(struct ptx_sync *s);
void ptx_sync_reset(struct ptx_sync *s);
/* sizes: bytes of each lane's access, or NULL: all that the instruction has. */
int ptx_sync_access(struct ptx_warp *w, const struct ptx_code *c, const uint32_t *sizes,
	const uint64_t address[PTX_LANES]);

#endif
