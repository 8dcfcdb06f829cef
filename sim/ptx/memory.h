/*
 * A device's memory: named allocations at addresses that are the same in every run, with at least
 * 4 KiB of nothing between two. Each lies beyond the one before it; those of freed ones are used
 * again when no others are left, the oldest first. Each allocation has host memory of its own, or,
 * where device addresses are to be host addresses, lies at its address in a region; memory of the
 * host's can be adopted too. Internal to sim/ptx.
 *
 * Of the region only the pages of allocations are mapped. By the 4 KiB between two no page has
 * bytes of both, so that a freed one's go back to the system whole, and an access of the host's to
 * them is a fault. Each allocation is a mapping then, of which the system allows some 65,000: once
 * PTX_MEMORY_APART are there at a time, the bytes between are mapped too from there on, and freed
 * pages are emptied but stay.
 */
#ifndef PTX_MEMORY_H
#define PTX_MEMORY_H

#include "libtrace/err.h"
#include <stddef.h>
#include <stdint.h>

#define PTX_MEMORY_FIRST 0x700000000ull
#define PTX_MEMORY_END 0x7b0000000000ull /* the windows of generic addresses begin here */
#define PTX_MEMORY_ALIGN 256u
#define PTX_MEMORY_GAP 4096u /* a page of the host's, or more */
#define PTX_MEMORY_APART 16384u
#define PTX_MEMORY_FREED 1024u /* freed allocations whose names are known: the last ones */
#define PTX_PARAM_WINDOW 0x7c0000000000ull /* generic addresses of kernel parameters */
#define PTX_CONST_WINDOW 0x7d0000000000ull /* of constant banks, PTX_CONST_STRIDE each */
#define PTX_CONST_STRIDE 0x100000000ull
/* Where addresses have 32 bits: memory from here on, then windows of 64 MiB for the same spaces. */
#define PTX_NARROW_FIRST 0x100000ull
#define PTX_NARROW_END 0xf0000000ull
#define PTX_NARROW_STRIDE 0x4000000ull

/* Addresses base ... base + bytes - 1 are host[0 ... bytes - 1]. */
struct ptx_span {
	uint64_t base, bytes;
	uint8_t *host;
};

enum ptx_owner { PTX_OWN_HEAP, PTX_OWN_REGION, PTX_OWN_ADOPTED };

struct ptx_allocation {
	struct ptx_span span;
	char *name;
	uint8_t owner;    /* enum ptx_owner */
	uint8_t beside;   /* the limit does not count it */
	uint8_t *written; /* memcheck: a bit for each byte that was; NULL: all, or nobody asks */
};

/* An allocation that is no more. */
struct ptx_freed {
	uint64_t base, bytes;
	char name[48];
};

struct ptx_memory {
	struct ptx_allocation *allocs; /* by address */
	uint32_t n, cap;
	uint64_t first, end;         /* from where on they lie, and what none reaches */
	uint64_t next;               /* the end of the newest, and the gap */
	uint32_t deleted;            /* how many have been: what was found before may be gone */
	uint64_t region, region_end; /* host addresses, the end of the highest that was mapped;
					region is 0 where none are */
	uint64_t joined;             /* from here to region_end all is mapped, since there have been
					too many allocations to keep the bytes between apart; or 0 */
	struct ptx_freed *freed; /* a ring, of which number `deleted` is the next; NULL: none yet */
	uint64_t all;            /* bytes that are allocated; */
	uint64_t used, limit;    /* those of them that count, and may be; limit 0: no bound */
};

/*
 * region: the host address from which on device addresses are host addresses, or 0; narrow: without
 * one, addresses have 32 bits.
 */
void ptx_memory_init(struct ptx_memory *m, uint64_t region, uint64_t limit, int narrow);
void ptx_memory_free(struct ptx_memory *m);

/* Zeroed memory. Its address, or 0 with *err filled. */
uint64_t ptx_memory_new(struct ptx_memory *m, const char *name, uint64_t bytes, struct tr_err *err);
/* The same, which the limit does not count. */
uint64_t ptx_memory_new_beside(
	struct ptx_memory *m, const char *name, uint64_t bytes, struct tr_err *err);
/* Counts bytes that have no allocation against the limit. 1, or 0: they are too many. */
int ptx_memory_count(struct ptx_memory *m, uint64_t bytes);

/*
 * Takes host memory in at its own address, which must be clear of all others; the limit does not
 * count it. 1 or TR_E*.
 */
int ptx_memory_adopt(
	struct ptx_memory *m, const char *name, void *host, uint64_t bytes, struct tr_err *err);

/* Frees the allocation that begins at addr. 1, or 0 where none does. */
int ptx_memory_delete(struct ptx_memory *m, uint64_t addr);

/* The allocation that begins at or below addr, or NULL: all others lie farther from it or above. */
const struct ptx_allocation *ptx_memory_below(const struct ptx_memory *m, uint64_t addr);

/* The allocation that holds all of [addr, addr + bytes), or NULL. */
const struct ptx_allocation *ptx_memory_find(
	const struct ptx_memory *m, uint64_t addr, uint64_t bytes);

/* memcheck: begins to note which bytes of the one at addr are written. 1, or 0 without memory. */
int ptx_written_watch(struct ptx_memory *m, uint64_t addr);
void ptx_written_forget(struct ptx_memory *m, uint64_t addr); /* and ends it: all are */
/* Bytes from ... from + bytes - 1 of an allocation that is watched: any written; they are now. */
int ptx_written_any(const struct ptx_allocation *a, uint64_t from, uint64_t bytes);
void ptx_written_mark(const struct ptx_allocation *a, uint64_t from, uint64_t bytes);
/* The same for addresses of any memory. */
void ptx_memory_mark(struct ptx_memory *m, uint64_t addr, uint64_t bytes);

/*
 * Where addr lies as words: "16 bytes past the end of 'b'", "8 bytes into 'a' of 256 bytes, which
 * was freed".
 */
void ptx_memory_where(const struct ptx_memory *m, uint64_t addr, char *out, size_t size);

#endif
