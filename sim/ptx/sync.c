/*
 * Who wrote what since the last barrier: finds the loads that received another thread's value which
 * no barrier stands between, the ones that are right only because the recorder's warps run in
 * lockstep (or by luck). Kept for each 4-byte word of shared memory and, where a kernel writes
 * global memory, of global memory.
 *
 * Left out: atomics as readers, since they are right in any order; accesses without a recorded
 * value, which nothing could name; other CTAs, which no barrier orders anyway. Threads that write
 * much global memory between two barriers have what they wrote forgotten from time to time, so that
 * memory does not grow with the work of persistent threads.
 */
#include "sim/ptx/vm.h"
#include <stdlib.h>
#include <string.h>

struct written {
	uint64_t word;   /* address / 4; global memory only */
	uint32_t thread; /* + 1; 0: nobody that can be named */
	uint32_t value;  /* which of the thread's values the write is */
	uint32_t epoch;  /* of the CTA, + 1; 0: a free entry */
};

struct ptx_sync {
	struct written *shared; /* by word */
	uint32_t nshared;
	struct written *global; /* a hash table; cap is 0 where global memory is not watched */
	uint32_t nglobal, cap;
	uint32_t epoch; /* whose writes the table holds */
};

#define FIRST_CAP 1024u
#define LAST_CAP (1u << 14) /* half of it in use: 32 KiB of words written, 384 KiB of table */

struct ptx_sync *ptx_sync_new(const struct ptx_run *run)
{
	struct ptx_sync *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->nshared = run->shared_bytes / 4 + 1;
	s->cap = run->decoded.stores_global ? FIRST_CAP : 0;
	s->shared = calloc(s->nshared, sizeof(*s->shared));
	s->global = calloc(s->cap ? s->cap : 1, sizeof(*s->global));
	if (!s->shared || !s->global) {
		ptx_sync_free(s);
		return NULL;
	}
	return s;
}

void ptx_sync_free(struct ptx_sync *s)
{
	if (s) {
		free(s->shared);
		free(s->global);
		free(s);
	}
}

static void forget_global(struct ptx_sync *s, uint32_t epoch)
{
	if (s->nglobal)
		memset(s->global, 0, s->cap * sizeof(*s->global));
	s->nglobal = 0;
	s->epoch = epoch;
}

void ptx_sync_reset(struct ptx_sync *s)
{
	memset(s->shared, 0, s->nshared * sizeof(*s->shared));
	forget_global(s, 0);
}

/* The word's entry, or the free one where it would go. */
static struct written *probe(struct written *table, uint32_t cap, uint64_t word)
{
	uint32_t h = (uint32_t)((word * 0x9e3779b97f4a7c15ull) >> 32) & (cap - 1);

	while (table[h].epoch && table[h].word != word)
		h = (h + 1) & (cap - 1);
	return &table[h];
}

static int grow(struct ptx_sync *s)
{
	struct written *more = calloc(2 * (size_t)s->cap, sizeof(*more));

	if (!more)
		return -1;
	for (uint32_t i = 0; i < s->cap; i++)
		if (s->global[i].epoch)
			*probe(more, 2 * s->cap, s->global[i].word) = s->global[i];
	free(s->global);
	s->global = more;
	s->cap *= 2;
	return 0;
}

static struct written *entry(
	struct ptx_sync *s, enum tr_space space, uint64_t word, uint32_t epoch, int writes)
{
	if (space == TR_S_SHARED)
		return word < s->nshared ? &s->shared[word] : NULL;
	if (!s->cap)
		return NULL;
	const int full = writes && 2 * s->nglobal >= s->cap;
	if (s->epoch != epoch || (full && s->cap == LAST_CAP))
		forget_global(s, epoch);
	else if (full && grow(s))
		return NULL;
	struct written *at = probe(s->global, s->cap, word);
	if (writes && !at->epoch) {
		at->word = word;
		s->nglobal++;
	}
	return at;
}

static int report(struct ptx_warp *w, uint32_t reader, const struct written *by)
{
	struct tr_recorder *r = w->cta->recorder;
	const struct tr_sync_read s = {.reader = reader,
		.writer = by->thread - 1,
		.reader_value = tr_record_nvalues(r, reader),
		.writer_value = by->value};

	if (tr_record_sync(r, &s) > 0)
		return 0;
	return tr_fail(w->cta->run->err, TR_EMEM, 0, "no memory to record kernel '%s'",
		w->cta->run->kernel->name);
}

int ptx_sync_access(struct ptx_warp *w, const struct ptx_code *c, const uint32_t *sizes,
	const uint64_t address[PTX_LANES])
{
	struct ptx_sync *s = w->cta->sync;
	const uint32_t epoch = w->cta->epoch + 1;

	for (unsigned i = 0; i < PTX_LANES; i++) {
		const uint32_t thread = w->number * PTX_LANES + i;
		const unsigned size = sizes ? sizes[i] : c->bytes * c->vec;
		const enum tr_space space = tr_space_of(c->space, address[i]);
		const uint64_t at = c->space == TR_S_GENERIC && space == TR_S_SHARED
					    ? address[i] - TR_SHARED_WINDOW
					    : address[i];
		int reported = 0;
		if (!(w->mask >> i & 1) || !size || (space != TR_S_SHARED && space != TR_S_GLOBAL))
			continue;
		for (uint64_t word = at / 4; word <= (at + size - 1) / 4; word++) {
			struct written *e = entry(s, space, word, epoch, c->kind != PTX_K_LOAD);
			if (!e)
				continue;
			if (c->kind != PTX_K_LOAD) {
				e->epoch = epoch;
				e->thread = c->records_value ? thread + 1 : 0;
				e->value = c->records_value
						   ? tr_record_nvalues(w->cta->recorder, thread)
						   : 0;
			} else if (e->epoch == epoch && e->thread && e->thread != thread + 1 &&
				   c->records_value && !reported) {
				const int r = report(w, thread, e);
				if (r)
					return r;
				reported = 1;
			}
		}
	}
	return 0;
}
