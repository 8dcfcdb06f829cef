/*
 * A workload: a kernel with its input, its launches as the original program does them, and a check
 * of its whole output against a plain CPU computation. One folder each: NAME.cu, the NAME.ptx made
 * from it, NAME.c with one `const struct workload`, and one line in workloads.def.
 *
 * Errors are sticky: the first one stays in the run, every later call does nothing and hands out
 * zeros, so a workload's code reads straight. A host loop that waits for the device ends on
 * wl_failed().
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "sim/ptx/ptx.h"
#include <stdbool.h>

struct wl; /* one run */

struct wl_param {
	const char *name;
	int64_t value, min, max; /* default and bounds, inclusive */
	const char *help;
};

/* A parameter whose values from 0 on have names: {"form", "flat,dyn"}. */
struct wl_names {
	const char *param, *names;
};

/* An input that a paper ran, by name: --set preset=NAME is --set SETS, "queries=100,min=20". */
struct wl_preset {
	const char *name, *sets, *help;
};

#define WL_PARAMS_MAX 12
#define WL_NAMES_MAX 4
#define WL_PRESETS_MAX 4

struct workload {
	const char *name;
	const char *cls;                       /* "HCS", "CI", ...: reference of the papers' sets */
	const char *papers;                    /* "thesis,tbc" */
	const char *suite;                     /* where the original comes from */
	const char *summary;                   /* one line */
	bool takes_graph, takes_matrix;        /* --graph FILE, --matrix FILE */
	struct wl_param params[WL_PARAMS_MAX]; /* ends at name == NULL */
	struct wl_names names[WL_NAMES_MAX];   /* likewise; of some of them */
	struct wl_preset presets[WL_PRESETS_MAX]; /* end at name == NULL */
	/*
	 * Parameters that make a run of a few thousand to 200,000 thread instructions, in the form
	 * "n=256,degree=4": what the tests use.
	 */
	const char *tiny;
	void (*run)(struct wl *w); /* makes input, launches, checks */
};

/* The names of a parameter's values, or NULL: it is a number. */
const char *wl_names_of(const struct workload *wl, const char *param);

/* The table made from workloads.def. NULL beyond the last, or for an unknown name. */
const struct workload *wl_at(unsigned i);
const struct workload *wl_find(const char *name);

/* ---- what a workload calls ---- */

int64_t wl_param(struct wl *w, const char *name);
const char *wl_graph_path(struct wl *w);  /* --graph, or NULL */
const char *wl_matrix_path(struct wl *w); /* --matrix, or NULL */
bool wl_failed(const struct wl *w);
struct tr_err *wl_err(struct wl *w); /* for calls that fill one; then wl_check_rc(w, rc) */
void wl_check_rc(struct wl *w, int rc);
void wl_fail(struct wl *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void *wl_host(struct wl *w, size_t count, size_t size); /* zeroed host memory, freed with the run */

/* Random numbers: seeded by --seed and `stream`, the same on every machine. */
struct wl_rng {
	uint64_t s[4];
};
uint64_t wl_seed(const struct wl *w); /* --seed */
void wl_rng_start(struct wl_rng *r, struct wl *w, uint64_t stream);
void wl_rng_seed(struct wl_rng *r, uint64_t seed, uint64_t stream);
uint64_t wl_u64(struct wl_rng *r);
uint32_t wl_below(struct wl_rng *r, uint32_t n); /* 0 .. n-1, unbiased */
float wl_unit(struct wl_rng *r);                 /* [0, 1), 24 bits */

/* A device buffer. `p` is the device's own memory, seen by the host; after a failure a dummy. */
struct wl_buf {
	uint64_t dev;
	uint64_t bytes;
	union {
		void *p;
		int32_t *i;
		uint32_t *u;
		float *f;
		double *d;
		uint8_t *b;
	};
	const char *name;
};
struct wl_buf wl_alloc(struct wl *w, const char *name, uint64_t bytes);
void wl_upload(struct wl *w, const struct wl_buf *b);   /* notes the copy of all of it */
void wl_download(struct wl *w, const struct wl_buf *b); /* likewise, back to the host */
/* The module's .const or .global variable as a buffer (p filled, uploaded by wl_upload). */
struct wl_buf wl_symbol(struct wl *w, const char *name);

struct wl_dim {
	uint32_t x, y, z;
};
static inline struct wl_dim wl_dim(uint32_t x, uint32_t y, uint32_t z)
{
	return (struct wl_dim){x, y, z};
}
static inline uint32_t wl_ceil_div(uint64_t a, uint32_t b)
{
	return (uint32_t)((a + b - 1) / b);
}

struct wl_arg {
	uint8_t bytes[64];
	uint32_t size;
};
struct wl_arg wl_p(const struct wl_buf *b); /* pointer */
struct wl_arg wl_i(int32_t v);
struct wl_arg wl_u(uint32_t v);
struct wl_arg wl_l(int64_t v);
struct wl_arg wl_f(float v);

/*
 * Registers per thread of the launches from now on; else they are counted by liveness. For a kernel
 * whose blocks on an SM a paper prints: what allows that many, and no more.
 */
void wl_registers(struct wl *w, uint32_t registers);

/* Runs and records one launch of an entry of NAME.ptx; `shared` is the dynamic shared memory. */
void wl_launch(struct wl *w, const char *entry, struct wl_dim grid, struct wl_dim block,
	uint32_t shared, const struct wl_arg *args, uint32_t nargs);
#define WL_LAUNCH(w, entry, grid, block, shared, ...)                                              \
	wl_launch(w, entry, grid, block, shared, (const struct wl_arg[]){__VA_ARGS__},             \
		sizeof((const struct wl_arg[]){__VA_ARGS__}) / sizeof(struct wl_arg))

/*
 * The check. Each call names a buffer that is output and compares all of it; the first difference
 * fails the run. Floats: |got - want| <= rel * |want| + abs. The comparison passes through
 * wl_output, where the tests flip one element to see that the check finds it.
 */
enum wl_elem { WL_U8, WL_I32, WL_U32, WL_F32, WL_F64 };
void wl_check_u8(struct wl *w, const struct wl_buf *b, const uint8_t *want, uint64_t n);
void wl_check_i32(struct wl *w, const struct wl_buf *b, const int32_t *want, uint64_t n);
void wl_check_u32(struct wl *w, const struct wl_buf *b, const uint32_t *want, uint64_t n);
void wl_check_f32(struct wl *w, const struct wl_buf *b, const float *want, uint64_t n, double rel,
	double abs);
/* Where a plain comparison does not fit: fetch the output here, compare it yourself, wl_fail. */
void wl_output(struct wl *w, const struct wl_buf *b, enum wl_elem elem, uint64_t n);

/* ---- what trace-gen and the tests call ---- */

/* --set NAME=VALUE; "preset" stands for the settings of one, and what follows changes them. */
struct wl_set {
	const char *name;
	int64_t value;
	const char *text; /* the value by its name; NULL: it is a number */
};

struct wl_options {
	const struct wl_set *sets;
	unsigned nsets;
	uint64_t seed;
	const char *graph, *matrix; /* paths, or NULL */
	const char *ptx_path;       /* NAME.ptx */
	struct ptx_machine_options machine;
	/* Asked when all has run, while the machine is still there; may be NULL. */
	void (*ended)(void *arg, const struct ptx_machine *m);
	void *ended_arg;
	/* Tests: before the comparison number flip_check (0, 1, ...) change element
	 * flip_element % n of that output. -1: none. */
	int flip_check;
	uint64_t flip_element;
	bool unchecked; /* for another compiler's PTX, which rounds otherwise */
};

struct wl_result {
	uint64_t thread_insts;
	unsigned launches, checks;
	uint64_t device_bytes;
};

/*
 * Runs a workload and records it into tw (NULL: run and check only). 1, or TR_E* with the sentence
 * in err: TR_EUSAGE for a parameter that is unknown or out of bounds, TR_EIO and TR_EDATA for input
 * files, TR_ERUN for faults and for output that differs from the CPU's.
 */
int wl_run(const struct workload *wl, const struct wl_options *opt, struct tr_writer *tw,
	struct wl_result *res, struct tr_err *err);

/* Parses "n=256,form=dyn" into sets (room for WL_PARAMS_MAX); names point into the cut text. */
int wl_parse_sets(char *text, struct wl_set *sets, unsigned *nsets);

#endif
