/*
 * gc: the mark phase of a tracing mark-and-compact collector (thesis 3.3.1), 256 threads a block.
 * Kept: objects of varying size in allocation order, most references short and some far, lists as
 * the deep part that Barabash and Petrank blame for poor scaling, garbage in between; the table of
 * marks beside the heap, each thread's mark stack, and the queue that they share. Left out: the
 * compaction that follows. The programs whose heaps the source traced are not public, so the heap
 * is generated. It has as many root slots as its machine has threads: with fewer, threads would
 * wait for others' stacks to overflow.
 *
 * Which thread wins an object is a race, so the stacks are not checked, but what they come to: each
 * reachable object is marked, and was counted once in its page.
 */
#include "datasets/workloads/input.h"
#include <string.h>

#define PAGE_WORDS 1024
#define OBJECT_WORDS_MAX 32 /* even, as all objects' sizes */
#define WORDS_PER_MARKS 64  /* of the heap, for a word of the table of marks */
#define REFS_MAX 8
#define NEAR 512

struct heap {
	uint32_t objects, words;
	uint32_t *place; /* of each object, in words; 0 is no object */
	struct wl_buf mem;
};

static uint32_t refs_of(uint32_t header)
{
	return header & 0xffff;
}

/* Marks an object; was it not marked? */
static bool first(uint32_t *marks, uint32_t object)
{
	const uint32_t bit = 1u << (object / 2 % 32), before = marks[object / WORDS_PER_MARKS];

	marks[object / WORDS_PER_MARKS] |= bit;
	return !(before & bit);
}

enum kind { PLAIN, GARBAGE, HEAD, CELL };

/*
 * An object near `i` or anywhere, of a kind that others may lead to: a list is entered at its head,
 * and garbage by other garbage alone.
 */
static uint32_t pick(struct wl_rng *rng, const uint8_t *kind, uint32_t i, uint32_t n)
{
	uint32_t low = i > NEAR ? i - NEAR : 0, span = n - low < 2 * NEAR ? n - low : 2 * NEAR, to;

	for (int tries = 0; tries < 64; tries++) {
		to = wl_below(rng, 2) ? low + wl_below(rng, span) : wl_below(rng, n);
		if (kind[to] != CELL && (kind[to] != GARBAGE || kind[i] == GARBAGE))
			return to;
	}
	return i;
}

static void make_heap(struct wl *w, struct heap *h)
{
	uint32_t n = h->objects, list = (uint32_t)wl_param(w, "list");
	uint32_t garbage = (uint32_t)wl_param(w, "garbage"), cells = 0, at = 2;
	uint8_t *kind = wl_host(w, n, sizeof(*kind));
	struct wl_rng rng;

	h->place = wl_host(w, n, sizeof(*h->place));
	h->mem = wl_alloc(w, "heap", (2 + (uint64_t)n * OBJECT_WORDS_MAX) * sizeof(uint32_t));
	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t refs, words;

		if (cells) {
			kind[i] = CELL;
			cells--;
		} else if (wl_below(&rng, 36000) < list) {
			kind[i] = HEAD;
			cells = 7 + wl_below(&rng, 56);
		} else if (wl_below(&rng, 1000) < garbage) {
			kind[i] = GARBAGE;
		}
		refs = kind[i] >= HEAD ? 2 : wl_below(&rng, REFS_MAX + 1);
		words = (1 + refs + wl_below(&rng, OBJECT_WORDS_MAX - refs) + 1) & ~1u;
		h->place[i] = at;
		h->mem.u[at] = words << 16 | refs;
		at += words;
	}
	h->words = at;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *object = h->mem.u + h->place[i], refs = refs_of(*object), r = 1;

		if (i + 1 < n && kind[i + 1] == CELL) /* the next cell, and what this one holds */
			object[r++] = h->place[i + 1];
		for (; r <= refs; r++)
			if (wl_below(&rng, 4)) /* the others are null */
				object[r] = h->place[pick(&rng, kind, i, n)];
		for (; r < *object >> 16; r++)
			object[r] = (uint32_t)wl_u64(&rng);
	}
}

/* Marks all that the roots lead to, by a plain stack, and counts its words a page. */
static void reach(const uint32_t *heap, const uint32_t *roots, uint32_t nroots, uint32_t *marks,
	uint32_t *live, uint32_t *stack)
{
	for (uint32_t i = 0; i < nroots; i++) {
		uint32_t top = 0;

		if (roots[i] && first(marks, roots[i]))
			stack[top++] = roots[i];
		while (top) {
			const uint32_t object = stack[--top], refs = refs_of(heap[object]);

			live[object / PAGE_WORDS] += heap[object] >> 16;
			for (uint32_t r = object + 1; r <= object + refs; r++)
				if (heap[r] && first(marks, heap[r]))
					stack[top++] = heap[r];
		}
	}
}

/* The collector's own memory. */
struct collector {
	uint32_t entries; /* of a stack */
	struct wl_buf roots, marks, stacks, queue, tail, live;
};

static void make_collector(struct wl *w, struct collector *c, const struct heap *h)
{
	const uint32_t nroots = (uint32_t)wl_param(w, "roots");
	struct wl_rng rng;

	c->entries = (uint32_t)wl_param(w, "stack");
	c->roots = wl_alloc(w, "roots", nroots * sizeof(uint32_t));
	c->marks = wl_alloc(w, "marks", (h->words / WORDS_PER_MARKS + 1) * sizeof(uint32_t));
	c->stacks = wl_alloc(w, "stacks", (uint64_t)nroots * c->entries * sizeof(uint32_t));
	c->queue = wl_alloc(w, "queue", h->objects * sizeof(uint32_t));
	c->tail = wl_alloc(w, "tail", sizeof(uint32_t));
	c->live = wl_alloc(w, "live", (h->words / PAGE_WORDS + 1) * sizeof(uint32_t));
	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 1);
	for (uint32_t i = 0; i < nroots; i++)
		if (wl_below(&rng, 8)) /* slots of stacks and statics; some are empty */
			c->roots.u[i] = h->place[wl_below(&rng, h->objects)];
	wl_upload(w, &c->roots);
	wl_upload(w, &c->marks);
	wl_upload(w, &c->tail);
	wl_upload(w, &c->live);
}

static void run(struct wl *w)
{
	struct heap h = {.objects = (uint32_t)wl_param(w, "objects")};
	const uint32_t nroots = (uint32_t)wl_param(w, "roots");
	uint32_t *marks, *live, *stack, begin = 0;
	struct collector c = {0};

	make_heap(w, &h);
	make_collector(w, &c, &h);
	marks = wl_host(w, h.words / WORDS_PER_MARKS + 1, sizeof(*marks));
	live = wl_host(w, h.words / PAGE_WORDS + 1, sizeof(*live));
	stack = wl_host(w, h.objects, sizeof(*stack));
	if (wl_failed(w))
		return;
	wl_upload(w, &h.mem);

	WL_LAUNCH(w, "gc_roots", wl_dim(wl_ceil_div(nroots, 256), 1, 1), wl_dim(256, 1, 1), 0,
		wl_p(&c.marks), wl_p(&c.roots), wl_u(nroots), wl_p(&c.queue), wl_p(&c.tail));
	wl_download(w, &c.tail);
	while (begin < *c.tail.u && !wl_failed(w)) {
		const uint32_t left = *c.tail.u - begin, n = left < nroots ? left : nroots;

		WL_LAUNCH(w, "gc_mark", wl_dim(wl_ceil_div(n, 256), 1, 1), wl_dim(256, 1, 1), 0,
			wl_p(&h.mem), wl_p(&c.marks), wl_p(&c.stacks), wl_u(c.entries),
			wl_p(&c.queue), wl_u(begin), wl_u(begin + n), wl_p(&c.tail), wl_p(&c.live));
		wl_download(w, &c.tail);
		begin += n;
	}

	reach(h.mem.u, c.roots.u, nroots, marks, live, stack);
	wl_check_u32(w, &c.marks, marks, h.words / WORDS_PER_MARKS + 1);
	wl_check_u32(w, &c.live, live, h.words / PAGE_WORDS + 1);
}

const struct workload wl_gc = {
	.name = "gc",
	.cls = "HCS",
	.papers = "thesis",
	.suite = "Spoonhower,Barabash",
	.summary = "mark phase of a tracing collector, a mark stack a thread and a table of marks",
	.params =
		{
			{"objects", 160 << 10, 1, 1 << 24, "objects of the heap"},
			{"roots", 30720, 1, 1 << 20, "root slots; as many threads mark"},
			{"stack", 64, 1, 1 << 12, "objects that a thread's stack has room for"},
			{"list", 20, 0, 1000, "how many objects are list cells, in thousandths"},
			{"garbage", 250, 0, 1000,
				"how many of the others nothing alive leads to, likewise"},
		},
	.tiny = "objects=700,roots=400,stack=2",
	.run = run,
};
