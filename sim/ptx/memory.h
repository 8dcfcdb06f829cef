/*
 * A device's memory: named allocations at addresses that are the same in every run, each over host
 * memory of its own, with at least 4 KiB of nothing between two. Freed addresses are not used
 * again. Internal to sim/ptx.
 */
#ifndef PTX_MEMORY_H
#define PTX_MEMORY_H

#include "libtrace/err.h"
#include <stddef.h>
#include <stdint.h>

#define PTX_MEMORY_FIRST 0x700000000ull
#define PTX_MEMORY_END 0x7b0000000000ull /* the windows of generic addresses begin here */
#define PTX_MEMORY_ALIGN 256u
#define PTX_MEMORY_GAP 4096u
#define PTX_PARAM_WINDOW 0x7c0000000000ull /* generic addresses of kernel parameters */
#define PTX_CONST_WINDOW 0x7d0000000000ull /* of constant banks, PTX_CONST_STRIDE each */
#define PTX_CONST_STRIDE 0x100000000ull

/* Addresses base ... base + bytes - 1 are host[0 ... bytes - 1]. */
struct ptx_span {
	uint64_t base, bytes;
	uint8_t *host;
};

struct ptx_allocation {
	struct ptx_span span;
	char *name;
};

struct ptx_memory {
	struct ptx_allocation *allocs; /* by address */
	uint32_t n, cap;
	uint64_t next; /* where the next one goes */
};

void ptx_memory_init(struct ptx_memory *m);
void ptx_memory_free(struct ptx_memory *m);

/* Zeroed memory. Its address, or 0 with *err filled. */
uint64_t ptx_memory_new(struct ptx_memory *m, const char *name, uint64_t bytes, struct tr_err *err);

/* The allocation that begins at or below addr, or NULL: all others lie farther from it or above. */
const struct ptx_allocation *ptx_memory_below(const struct ptx_memory *m, uint64_t addr);

/* The allocation that holds all of [addr, addr + bytes), or NULL. */
const struct ptx_allocation *ptx_memory_find(
	const struct ptx_memory *m, uint64_t addr, uint64_t bytes);

/* Where addr lies as words: "16 bytes past the end of 'b'". */
void ptx_memory_where(const struct ptx_memory *m, uint64_t addr, char *out, size_t size);

#endif
