/* Calls of the device runtime, lane by lane, and the launches that they leave behind. */
#include "sim/ptx/device.h"
#include "sim/ptx/vm.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_UNITS 4096u

/* ---- parameter buffers ---- */

struct ptx_span ptx_buffer_span(const struct ptx_device *d, uint64_t address)
{
	const uint64_t unit = (address - PTX_BUFFER_WINDOW) / PTX_BUFFER_UNIT;
	const struct ptx_buffer *b;
	uint32_t first;

	if (address < PTX_BUFFER_WINDOW || unit >= d->nunits)
		return (struct ptx_span){0, 0, NULL};
	first = d->first_unit[unit];
	b = &d->buffers[first];
	if (!b->kernel)
		return (struct ptx_span){0, 0, NULL};
	return (struct ptx_span){.base = PTX_BUFFER_WINDOW + (uint64_t)first * PTX_BUFFER_UNIT,
		.bytes = b->bytes,
		.host = d->chunks[first / CHUNK_UNITS] +
			(size_t)(first % CHUNK_UNITS) * PTX_BUFFER_UNIT};
}

/* One more chunk of units. 0, or -1 without memory. */
static int more_units(struct ptx_device *d)
{
	const size_t n = d->nunits + (size_t)CHUNK_UNITS;
	struct ptx_buffer *buffers = realloc(d->buffers, n * sizeof(*buffers));
	uint32_t *first = realloc(d->first_unit, n * sizeof(*first));
	uint8_t **chunks = realloc(d->chunks, (d->nchunks + 1) * sizeof(*chunks));

	d->buffers = buffers ? buffers : d->buffers;
	d->first_unit = first ? first : d->first_unit;
	d->chunks = chunks ? chunks : d->chunks;
	if (!buffers || !first || !chunks)
		return -1;
	chunks[d->nchunks] = malloc((size_t)CHUNK_UNITS * PTX_BUFFER_UNIT);
	if (!chunks[d->nchunks])
		return -1;
	memset(buffers + d->nunits, 0, CHUNK_UNITS * sizeof(*buffers));
	d->nchunks++;
	return 0;
}

/* A buffer of so many units: the first one; TR_NONE without memory. */
static uint32_t take_units(struct ptx_device *d, uint32_t units)
{
	uint32_t first = d->free_units[units];

	if (first--) {
		d->free_units[units] = d->buffers[first].next_free;
		return first;
	}
	/* It lies in one chunk. */
	if (d->nunits % CHUNK_UNITS + units > CHUNK_UNITS)
		d->nunits = d->nchunks * CHUNK_UNITS;
	if (d->nunits == d->nchunks * CHUNK_UNITS && more_units(d))
		return TR_NONE;
	first = d->nunits;
	for (uint32_t u = 0; u < units; u++)
		d->first_unit[first + u] = first;
	d->nunits += units;
	return first;
}

static void free_buffer(struct ptx_device *d, uint64_t address)
{
	const uint32_t unit = (uint32_t)((address - PTX_BUFFER_WINDOW) / PTX_BUFFER_UNIT);
	struct ptx_buffer *b = &d->buffers[unit];

	b->kernel = NULL;
	b->next_free = d->free_units[b->units];
	d->free_units[b->units] = unit + 1;
	d->held--;
}

/* ---- launches ---- */

void ptx_device_begin(struct ptx_device *d, uint32_t number)
{
	d->next = number + 1;
	d->nstreams = d->nunits = d->held = 0;
	memset(d->free_units, 0, sizeof(d->free_units));
	for (uint32_t u = 0; u < d->nchunks * CHUNK_UNITS; u++)
		d->buffers[u].kernel = NULL;
}

int ptx_device_next(struct ptx_device *d, struct ptx_child *child)
{
	if (!d->n)
		return 0;
	*child = d->queue[d->head];
	d->head = (d->head + 1) % d->cap;
	d->n--;
	return 1;
}

void ptx_device_done(struct ptx_device *d, struct ptx_child *child)
{
	free_buffer(d, child->buffer);
	free(child->params);
}

void ptx_device_free(struct ptx_device *d)
{
	struct ptx_child child;

	while (ptx_device_next(d, &child))
		ptx_device_done(d, &child);
	for (uint32_t c = 0; c < d->nchunks; c++)
		free(d->chunks[c]);
	free(d->chunks);
	free(d->buffers);
	free(d->first_unit);
	free(d->queue);
	free(d->last);
	*d = (struct ptx_device){0};
}

/* The last entry of the queue, new; NULL without memory. */
static struct ptx_child *enqueue(struct ptx_device *d)
{
	if (d->n == d->cap) {
		const uint32_t cap = d->cap ? 2 * d->cap : 64;
		struct ptx_child *queue = malloc(cap * sizeof(*queue));

		if (!queue)
			return NULL;
		for (uint32_t i = 0; i < d->n; i++)
			queue[i] = d->queue[(d->head + i) % d->cap];
		free(d->queue);
		d->queue = queue;
		d->cap = cap;
		d->head = 0;
	}
	return &d->queue[(d->head + d->n++) % d->cap];
}

/* ---- streams ---- */

/* A new stream's number; 0 without memory. */
static uint32_t new_stream(struct ptx_device *d)
{
	if (d->nstreams == d->cap_streams) {
		const uint32_t cap = d->cap_streams ? 2 * d->cap_streams : 64;
		uint32_t *last = realloc(d->last, cap * sizeof(*last));

		if (!last)
			return 0;
		d->last = last;
		d->cap_streams = cap;
	}
	d->last[d->nstreams] = TR_NONE;
	return PTX_STREAM_FIRST + d->nstreams++;
}

/*
 * The number of the stream that a program names: 0, and the names of default streams, are the
 * block's own; 3 is launched when the grid has ended, 4 waits for nothing. 0 without memory,
 * TR_NONE: there is none of that name.
 */
static uint32_t stream_of(struct ptx_warp *w, uint64_t name)
{
	struct ptx_run *run = w->cta->run;
	struct ptx_device *d = &run->machine->device;

	if (name >= PTX_STREAM_FIRST)
		return name - PTX_STREAM_FIRST < d->nstreams ? (uint32_t)name : TR_NONE;
	switch (name) {
	case 0:
	case 1:
	case 2:
		if (!w->cta->stream)
			w->cta->stream = new_stream(d);
		return w->cta->stream;
	case 3:
		if (!run->tail) {
			run->tail = new_stream(d);
			if (run->tail)
				d->last[run->tail - PTX_STREAM_FIRST] = run->number;
		}
		return run->tail;
	case 4:
		return new_stream(d);
	default:
		return TR_NONE;
	}
}

/* ---- the calls ---- */

static int no_memory(const struct ptx_warp *w)
{
	return tr_fail(w->cta->run->err, TR_EMEM, 0, "no memory for the launches of kernel '%s'",
		w->cta->run->kernel->name);
}

static uint8_t *place(const struct ptx_warp *w, uint32_t offset, unsigned lane)
{
	const uint64_t thread = w->number * PTX_LANES + lane;

	return w->cta->local + thread * w->cta->run->local_bytes + offset;
}

static uint64_t argument(const struct ptx_warp *w, const struct ptx_code *c, unsigned k,
	unsigned lane, unsigned bytes)
{
	uint64_t v = 0;

	memcpy(&v, place(w, c->s[k], lane), bytes);
	return v;
}

static void answer(
	struct ptx_warp *w, const struct ptx_code *c, unsigned lane, uint64_t value, unsigned bytes)
{
	if (c->d[0] != PTX_NOWHERE)
		memcpy(place(w, c->d[0], lane), &value, bytes);
}

/* cudaStreamCreateWithFlags(stream, flags) */
static int create_streams(struct ptx_warp *w, struct ptx_code *c, uint64_t value[PTX_LANES])
{
	uint64_t address[PTX_LANES] = {0};
	uint8_t *at[PTX_LANES];
	int e;

	for (uint32_t m = w->mask; m; m &= m - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(m);
		address[lane] = argument(w, c, 0, lane, 8);
	}
	if ((e = ptx_resolve(w, c, address, at)))
		return e;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(m);
		value[lane] = new_stream(&w->cta->run->machine->device);
		if (!value[lane])
			return no_memory(w);
		memcpy(at[lane], &value[lane], 8);
		answer(w, c, lane, 0, 4);
	}
	return 0;
}

static int too_many(const struct ptx_warp *w, const struct ptx_code *c, unsigned lane)
{
	return ptx_fault(w, c, lane, "launches while %u launches are pending, which are the most",
		TR_PENDING_MAX);
}

/* cudaGetParameterBufferV2(kernel, grid, block, shared) */
static int get_buffer(struct ptx_warp *w, struct ptx_code *c, unsigned lane, uint64_t *value)
{
	struct ptx_device *d = &w->cta->run->machine->device;
	const uint64_t name = argument(w, c, 0, lane, 8);
	const struct ptx_kernel *k = ptx_kernel_of(w->cta->run->machine, name);
	struct ptx_buffer *b;
	uint32_t unit, units;

	if (!k)
		return ptx_fault(w, c, lane,
			"asks for the parameters of 0x%" PRIx64 ", which is no kernel", name);
	units = (k->param_bytes + PTX_BUFFER_UNIT - 1) / PTX_BUFFER_UNIT;
	units += !units;
	if (units > PTX_BUFFER_UNITS_MAX)
		return ptx_fault(w, c, lane, "launches '%s', whose parameters take %u bytes",
			k->name, k->param_bytes);
	if (d->held > TR_PENDING_MAX)
		return too_many(w, c, lane);
	unit = take_units(d, units);
	if (unit == TR_NONE)
		return no_memory(w);
	b = &d->buffers[unit];
	*b = (struct ptx_buffer){.kernel = k,
		.shared = (uint32_t)argument(w, c, 3, lane, 4),
		.bytes = k->param_bytes,
		.units = units};
	memcpy(b->grid, place(w, c->s[1], lane), sizeof(b->grid));
	memcpy(b->block, place(w, c->s[2], lane), sizeof(b->block));
	d->held++;
	*value = PTX_BUFFER_WINDOW + (uint64_t)unit * PTX_BUFFER_UNIT;
	memset(ptx_buffer_span(d, *value).host, 0, (size_t)units * PTX_BUFFER_UNIT);
	answer(w, c, lane, *value, 8);
	return 0;
}

static int queue_launch(struct ptx_warp *w, struct ptx_code *c, unsigned lane, uint32_t stream,
	uint64_t buffer, uint64_t *value)
{
	const struct ptx_run *run = w->cta->run;
	struct ptx_device *d = &run->machine->device;
	const struct ptx_span s = ptx_buffer_span(d, buffer);
	struct ptx_buffer *b = &d->buffers[(buffer - PTX_BUFFER_WINDOW) / PTX_BUFFER_UNIT];
	struct ptx_child *child;
	uint8_t *params = malloc(b->bytes + 1);

	child = params ? enqueue(d) : NULL;
	if (!child) {
		free(params);
		return no_memory(w);
	}
	*child = (struct ptx_child){.kernel = b->kernel,
		.shared = b->shared,
		.parent = run->number,
		.cta = w->cta->number,
		.thread = w->number * PTX_LANES + lane,
		.inst = (uint32_t)(c->inst - run->kernel->insts),
		.depth = run->depth + 1,
		.queue = stream,
		.after = d->last[stream - PTX_STREAM_FIRST],
		.number = d->next++,
		.buffer = buffer,
		.buffer_bytes = b->bytes,
		.params = params};
	memcpy(child->grid, b->grid, sizeof(child->grid));
	memcpy(child->block, b->block, sizeof(child->block));
	memcpy(params, s.host, b->bytes);
	b->launched = 1;
	d->last[stream - PTX_STREAM_FIRST] = child->number;
	*value = child->number;
	return 0;
}

/* cudaLaunchDeviceV2(buffer, stream) */
static int launch(struct ptx_warp *w, struct ptx_code *c, unsigned lane, uint64_t *value)
{
	struct ptx_device *d = &w->cta->run->machine->device;
	const uint64_t buffer = argument(w, c, 0, lane, 8), name = argument(w, c, 1, lane, 8);
	const struct ptx_span s = ptx_buffer_span(d, buffer);
	uint32_t stream;

	answer(w, c, lane, 0, 4);
	*value = TR_NONE;
	if (!buffer)
		return 0;
	if (!s.host || s.base != buffer)
		return ptx_fault(w, c, lane,
			"launches from 0x%" PRIx64 ", which is no parameter buffer", buffer);
	if (d->buffers[(buffer - PTX_BUFFER_WINDOW) / PTX_BUFFER_UNIT].launched)
		return ptx_fault(w, c, lane,
			"launches from the parameter buffer at 0x%" PRIx64 " a second time",
			buffer);
	if (w->cta->run->depth == TR_DEPTH_MAX)
		return ptx_fault(w, c, lane, "makes a launch %u deep, where %u is the most",
			TR_DEPTH_MAX + 1, TR_DEPTH_MAX);
	if (d->n == TR_PENDING_MAX)
		return too_many(w, c, lane);
	stream = stream_of(w, name);
	if (!stream)
		return no_memory(w);
	if (stream == TR_NONE)
		return ptx_fault(w, c, lane,
			"launches into stream 0x%" PRIx64 ", which nobody has created", name);
	return queue_launch(w, c, lane, stream, buffer, value);
}

int ptx_device_call(struct ptx_warp *w, struct ptx_code *c)
{
	uint64_t value[PTX_LANES] = {0};
	int e = 0;

	if (c->inst->mode == PTX_M_STREAM)
		e = create_streams(w, c, value);
	for (uint32_t m = w->mask; m && !e; m &= m - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(m);
		if (c->inst->mode == PTX_M_BUFFER)
			e = get_buffer(w, c, lane, &value[lane]);
		else if (c->inst->mode == PTX_M_LAUNCH)
			e = launch(w, c, lane, &value[lane]);
		else if (c->inst->mode == PTX_M_FINE)
			answer(w, c, lane, 0, 4); /* cudaSuccess */
	}
	if (!e && c->records_value && w->cta->recorder &&
		tr_record_values(w->cta->recorder, w->number, w->mask, value) < 0)
		return ptx_recorder_failed(w);
	return e;
}

/* ---- kernels as values ---- */

#define KERNELS_EACH 0x100000u /* of a module; its first value is not 0 */

uint64_t ptx_kernel_value(const struct ptx_loaded *l, uint32_t kernel)
{
	return ((uint64_t)l->number + 1) * KERNELS_EACH + kernel;
}

const struct ptx_kernel *ptx_kernel_of(const struct ptx_machine *m, uint64_t value)
{
	const uint64_t number = value / KERNELS_EACH - 1, kernel = value % KERNELS_EACH;

	return number < m->nloaded && kernel < m->loaded[number].module->nkernels
		       ? m->loaded[number].module->kernels[kernel]
		       : NULL;
}
