/*
 * gc: the mark phase of a tracing mark-and-compact collector (thesis 3.3.1), 256 threads a block.
 * Kept: objects of varying size in allocation order, most references short and some far, lists as
 * the deep part that Barabash and Petrank blame for poor scaling, garbage in between; rounds from
 * the host until nothing more is marked. Left out: the compaction that follows. The programs whose
 * heaps the source traced are not public, so the heap is generated.
 *
 * Which thread wins an object is a race, so the queue is checked as what it must be: every
 * reachable object once, in the order of its distance from the roots.
 */
#include "datasets/workloads/input.h"
#include <string.h>

#define MARK 1u
#define PAGE_WORDS 1024
#define OBJECT_WORDS_MAX 32
#define REFS_MAX 8
#define NEAR 512

struct heap {
	uint32_t objects, words;
	uint32_t *place; /* of each object, in words; 0 is no object */
	struct wl_buf mem;
};

static uint32_t refs_of(uint32_t header)
{
	return header >> 1 & 0x7fff;
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
	uint32_t garbage = (uint32_t)wl_param(w, "garbage"), cells = 0, at = 1;
	uint8_t *kind = wl_host(w, n, sizeof(*kind));
	struct wl_rng rng;

	h->place = wl_host(w, n, sizeof(*h->place));
	h->mem = wl_alloc(w, "heap", (1 + (uint64_t)n * OBJECT_WORDS_MAX) * sizeof(uint32_t));
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
		words = 1 + refs + wl_below(&rng, OBJECT_WORDS_MAX - refs);
		h->place[i] = at;
		h->mem.u[at] = words << 16 | refs << 1;
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

/* Distances from the roots by a plain queue, one more than it is; 0 where nothing leads. */
static uint32_t reach(const uint32_t *heap, const uint32_t *roots, uint32_t nroots,
	uint32_t *distance, uint32_t *queue)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t i = 0; i < nroots; i++)
		if (roots[i] && !distance[roots[i]]) {
			distance[roots[i]] = 1;
			queue[tail++] = roots[i];
		}
	for (; head < tail; head++) {
		const uint32_t *object = heap + queue[head];

		for (uint32_t r = 1; r <= refs_of(*object); r++)
			if (object[r] && !distance[object[r]]) {
				distance[object[r]] = distance[queue[head]] + 1;
				queue[tail++] = object[r];
			}
	}
	return tail;
}

static void check_queue(struct wl *w, const struct wl_buf *queue, uint32_t n, uint32_t heap_words,
	uint32_t *distance)
{
	uint32_t round = 1;

	wl_output(w, queue, WL_U32, n);
	for (uint32_t i = 0; i < n && !wl_failed(w); i++) {
		uint32_t object = queue->u[i], d = object < heap_words ? distance[object] : 0;

		if (!d)
			wl_fail(w, "gc: queue[%u] is %u, garbage or there before", i, object);
		else if (d < round)
			wl_fail(w, "gc: queue[%u], object %u, comes after its round", i, object);
		else
			round = d;
		if (d)
			distance[object] = 0;
	}
}

static void run(struct wl *w)
{
	struct heap h = {.objects = (uint32_t)wl_param(w, "objects")};
	uint32_t nroots = (uint32_t)wl_param(w, "roots"), pages, reached, begin = 0;
	uint32_t *want, *want_live, *distance, *scratch;
	struct wl_buf roots, queue, tail, live;
	struct wl_rng rng;

	make_heap(w, &h);
	pages = h.words / PAGE_WORDS + 1;
	roots = wl_alloc(w, "roots", nroots * sizeof(uint32_t));
	queue = wl_alloc(w, "queue", h.objects * sizeof(uint32_t));
	tail = wl_alloc(w, "tail", sizeof(uint32_t));
	live = wl_alloc(w, "live", pages * sizeof(uint32_t));
	want = wl_host(w, h.mem.bytes, 1);
	distance = wl_host(w, h.words, sizeof(*distance));
	want_live = wl_host(w, pages, sizeof(*want_live));
	scratch = wl_host(w, h.objects, sizeof(*scratch));
	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 1);
	for (uint32_t i = 0; i < nroots; i++)
		if (wl_below(&rng, 8)) /* slots of stacks and statics; some are empty */
			roots.u[i] = h.place[wl_below(&rng, h.objects)];
	wl_upload(w, &h.mem);
	wl_upload(w, &roots);
	wl_upload(w, &tail);
	wl_upload(w, &live);
	memcpy(want, h.mem.u, h.mem.bytes);

	WL_LAUNCH(w, "gc_roots", wl_dim(wl_ceil_div(nroots, 256), 1, 1), wl_dim(256, 1, 1), 0,
		wl_p(&h.mem), wl_p(&roots), wl_u(nroots), wl_p(&queue), wl_p(&tail), wl_p(&live));
	wl_download(w, &tail);
	while (begin < *tail.u && !wl_failed(w)) {
		uint32_t end = *tail.u;

		WL_LAUNCH(w, "gc_mark", wl_dim(wl_ceil_div(end - begin, 256), 1, 1),
			wl_dim(256, 1, 1), 0, wl_p(&h.mem), wl_p(&queue), wl_u(begin), wl_u(end),
			wl_p(&tail), wl_p(&live));
		wl_download(w, &tail);
		begin = end;
	}

	reached = reach(want, roots.u, nroots, distance, scratch);
	for (uint32_t i = 0; i < h.objects; i++)
		if (distance[h.place[i]]) {
			want_live[h.place[i] / PAGE_WORDS] += want[h.place[i]] >> 16;
			want[h.place[i]] |= MARK;
		}
	wl_check_u32(w, &tail, &reached, 1);
	wl_check_u32(w, &h.mem, want, h.mem.bytes / sizeof(uint32_t));
	wl_check_u32(w, &live, want_live, pages);
	check_queue(w, &queue, reached, h.words, distance);
}

const struct workload wl_gc = {
	.name = "gc",
	.cls = "HCS",
	.papers = "thesis",
	.suite = "Spoonhower,Barabash",
	.summary =
		"mark phase of a tracing collector, one grey object a thread, one launch a round",
	.params =
		{
			{"objects", 311296, 1, 1 << 24, "objects of the heap"},
			{"roots", 2048, 1, 1 << 23, "root slots"},
			{"list", 20, 0, 1000, "how many objects are list cells, in thousandths"},
			{"garbage", 250, 0, 1000,
				"how many of the others nothing alive leads to, likewise"},
		},
	.tiny = "objects=700,roots=400",
	.run = run,
};
