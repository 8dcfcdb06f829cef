/*
 * The device runtime: what threads ask for to launch kernels (CUDA dynamic parallelism). Streams
 * are numbers; parameter buffers lie in a window of the address space; launches queue up and run,
 * first in first out, when the launch whose threads made them has ended. Internal to sim/ptx.
 */
#ifndef PTX_DEVICE_H
#define PTX_DEVICE_H

#include "sim/ptx/memory.h"

#define PTX_BUFFER_WINDOW PTX_MEMORY_END /* to PTX_PARAM_WINDOW */
#define PTX_BUFFER_UNIT 256u /* buffers are so aligned, and take so many bytes or more */
#define PTX_STREAM_FIRST 16u /* the runtime's own names of streams lie below */

struct ptx_kernel;
struct tr_err;

/* A parameter buffer, by its first unit: what was asked for with it. */
struct ptx_buffer {
	const struct ptx_kernel *kernel; /* NULL: none begins here */
	uint32_t grid[3], block[3], shared;
	uint32_t bytes, units;
	uint32_t next_free; /* of those as long, TR_NONE: the last one */
	uint8_t launched;
};

/* A launch that waits for its turn. */
struct ptx_child {
	const struct ptx_kernel *kernel;
	uint32_t grid[3], block[3], shared;
	uint32_t parent, cta, thread, inst; /* parent: number of that launch in the record */
	uint32_t depth, queue, after, number;
	uint64_t buffer;
	uint32_t buffer_bytes;
	uint8_t *params; /* its own copy */
};

#define PTX_BUFFER_UNITS_MAX 128 /* 32 KiB, more than a kernel's parameters may take */

struct ptx_device {
	struct ptx_child *queue; /* a ring */
	uint32_t head, n, cap;
	uint32_t next;  /* number of the next launch that a thread makes */
	uint32_t *last; /* by stream, from PTX_STREAM_FIRST on: its last launch, or TR_NONE */
	uint32_t nstreams, cap_streams;
	struct ptx_buffer *buffers; /* by unit */
	uint32_t *first_unit;       /* of the buffer that a unit belongs to */
	uint8_t **chunks;           /* the units' bytes */
	uint32_t nunits, nchunks, held;
	uint32_t free_units[PTX_BUFFER_UNITS_MAX + 1]; /* by length: the first one, plus one */
};

/* The host launches: numbers of launches and streams begin anew. */
void ptx_device_begin(struct ptx_device *d, uint32_t number);
/* The next launch that waits, taken out: 1, or 0. Ends with ptx_device_done. */
int ptx_device_next(struct ptx_device *d, struct ptx_child *child);
void ptx_device_done(struct ptx_device *d, struct ptx_child *child);
void ptx_device_free(struct ptx_device *d);
/* The buffer around an address, or one without a host pointer. */
struct ptx_span ptx_buffer_span(const struct ptx_device *d, uint64_t address);

#endif
