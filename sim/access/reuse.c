/*
 * The stack lies flat on a time line: every line and every hole has a mark at the slot of its last
 * use, and a distance is the number of marks after a slot. Marks are bits; whole blocks of them
 * are counted in a Fenwick tree, which is so small that it stays in the nearest cache. When the
 * time line is full the marks move together, and the line doubles if they fill half of it: that
 * costs a bounded time per use, and keeps memory to the number of lines.
 */
#include "sim/access/reuse.h"
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define BLOCK_WORDS 4u
#define BLOCK (64u * BLOCK_WORDS) /* slots */
#define SLOTS_MIN (2u * BLOCK)
#define SLOTS_MAX (1u << 31)

struct an_reuse {
	uint32_t slots; /* of the time line, a multiple of BLOCK */
	uint32_t now;   /* the next slot */
	uint32_t marks;
	uint64_t *bits;
	uint32_t *line_at; /* per slot that is marked: its line, or NONE for a hole */
	uint32_t *tree;    /* marks per block, Fenwick, from 1; the block of `now` is not in it */
	uint32_t *slot_of; /* per line, or NONE */
	uint32_t nlines;   /* places in slot_of */
	uint32_t *holes;   /* slots, a heap with the latest on top */
	uint32_t nholes, cap_holes;
};

struct an_reuse *an_reuse_new(void)
{
	return calloc(1, sizeof(struct an_reuse));
}

void an_reuse_free(struct an_reuse *r)
{
	if (!r)
		return;
	free(r->bits);
	free(r->line_at);
	free(r->tree);
	free(r->slot_of);
	free(r->holes);
	free(r);
}

/* ---- marks ---- */

/* Spelled out: without the machine's own instruction the compiler's is a call. */
static uint32_t count_bits(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555u;
	v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (uint32_t)(v * 0x0101010101010101u >> 56);
}

static void tree_add(struct an_reuse *r, uint32_t block, uint32_t n)
{
	for (uint32_t i = block + 1; i <= r->slots / BLOCK; i += i & -i)
		r->tree[i] += n;
}

static void unmark(struct an_reuse *r, uint32_t slot)
{
	r->bits[slot / 64] &= ~(1ull << slot % 64);
	r->marks--;
	if (slot / BLOCK != r->now / BLOCK)
		tree_add(r, slot / BLOCK, -1u);
}

static uint32_t marks_behind(const struct an_reuse *r, uint32_t slot)
{
	const uint32_t block = slot / BLOCK, word = slot / 64;
	uint32_t upto = 0;

	for (uint32_t i = block; i; i &= i - 1)
		upto += r->tree[i];
	for (uint32_t w = block * BLOCK_WORDS; w < word; w++)
		upto += count_bits(r->bits[w]);
	upto += count_bits(r->bits[word] & ((2ull << slot % 64) - 1));
	return r->marks - upto;
}

static uint32_t block_marks(const struct an_reuse *r, uint32_t block)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < BLOCK_WORDS; w++)
		n += count_bits(r->bits[block * BLOCK_WORDS + w]);
	return n;
}

/* A mark at the present, and the present moves on. There is a slot. */
static void mark(struct an_reuse *r, uint32_t line)
{
	r->bits[r->now / 64] |= 1ull << r->now % 64;
	r->line_at[r->now] = line;
	r->slot_of[line] = r->now;
	r->marks++;
	if (++r->now % BLOCK == 0)
		tree_add(r, r->now / BLOCK - 1, block_marks(r, r->now / BLOCK - 1));
}

/* ---- holes ---- */

static void hole_sink(struct an_reuse *r, uint32_t slot)
{
	uint32_t at = 0;

	for (uint32_t child; (child = 2 * at + 1) < r->nholes; at = child) {
		child += child + 1 < r->nholes && r->holes[child + 1] > r->holes[child];
		if (r->holes[child] < slot)
			break;
		r->holes[at] = r->holes[child];
	}
	r->holes[at] = slot;
}

static void hole_push(struct an_reuse *r, uint32_t slot)
{
	uint32_t at = r->nholes++;

	for (; at && r->holes[(at - 1) / 2] < slot; at = (at - 1) / 2)
		r->holes[at] = r->holes[(at - 1) / 2];
	r->holes[at] = slot;
}

static void hole_pop(struct an_reuse *r)
{
	if (--r->nholes)
		hole_sink(r, r->holes[r->nholes]);
}

/* ---- room ---- */

static int grow_slots(struct an_reuse *r, uint32_t slots)
{
	uint64_t *bits = realloc(r->bits, slots / 64 * sizeof(*bits));
	uint32_t *line_at, *tree;

	if (!bits)
		return TR_EMEM;
	r->bits = bits;
	line_at = realloc(r->line_at, slots * sizeof(*line_at));
	if (!line_at)
		return TR_EMEM;
	r->line_at = line_at;
	tree = realloc(r->tree, (slots / BLOCK + 1) * sizeof(*tree));
	if (!tree)
		return TR_EMEM;
	r->tree = tree;
	r->slots = slots;
	return 1;
}

/* Moves the marks together, in their order. */
static void renumber(struct an_reuse *r)
{
	uint32_t n = 0, hole = r->nholes;

	for (uint32_t w = 0; w < (r->now + 63) / 64; w++)
		for (uint64_t bits = r->bits[w]; bits; bits &= bits - 1) {
			const uint32_t line = r->line_at[64 * w + (uint32_t)__builtin_ctzll(bits)];

			r->line_at[n] = line;
			if (line == NONE)
				r->holes[--hole] = n; /* latest first: that is a heap */
			else
				r->slot_of[line] = n;
			n++;
		}
	memset(r->bits, 0, r->slots / 64 * sizeof(*r->bits));
	memset(r->tree, 0, (r->slots / BLOCK + 1) * sizeof(*r->tree));
	memset(r->bits, 0xff, n / 64 * sizeof(*r->bits));
	if (n % 64)
		r->bits[n / 64] = (1ull << n % 64) - 1;
	r->now = n;
	for (uint32_t b = 0; b < n / BLOCK; b++)
		tree_add(r, b, BLOCK);
}

static int make_room(struct an_reuse *r)
{
	if (r->now < r->slots)
		return 1;
	if (r->marks >= r->slots / 2) {
		const uint32_t slots = r->slots ? 2 * r->slots : SLOTS_MIN;

		if (r->slots == SLOTS_MAX || grow_slots(r, slots) < 0)
			return TR_EMEM;
	}
	renumber(r);
	return 1;
}

static int know(struct an_reuse *r, uint32_t line)
{
	const uint64_t n = line < 512 ? 1024 : 2 * (uint64_t)line;
	uint32_t *slot_of = n < NONE ? realloc(r->slot_of, n * sizeof(*slot_of)) : NULL;

	if (!slot_of)
		return TR_EMEM;
	memset(slot_of + r->nlines, 0xff, (n - r->nlines) * sizeof(*slot_of));
	r->slot_of = slot_of;
	r->nlines = (uint32_t)n;
	return 1;
}

/* ---- uses ---- */

int an_reuse_access(struct an_reuse *r, uint32_t line, uint64_t *distance)
{
	uint32_t slot;

	if ((line >= r->nlines && know(r, line) < 0) || make_room(r) < 0)
		return TR_EMEM;
	slot = r->slot_of[line];
	*distance = slot == NONE ? AN_NEVER : marks_behind(r, slot);
	if (slot == NONE) {
		if (r->nholes) {
			unmark(r, r->holes[0]);
			hole_pop(r);
		}
	} else if (r->nholes && r->holes[0] > slot) {
		unmark(r, r->holes[0]);
		r->line_at[slot] = NONE;
		hole_sink(r, slot);
	} else {
		unmark(r, slot);
	}
	mark(r, line);
	return 1;
}

int an_reuse_remove(struct an_reuse *r, uint32_t line)
{
	if (line >= r->nlines || r->slot_of[line] == NONE)
		return 1;
	if (r->nholes == r->cap_holes) {
		const uint32_t cap = r->cap_holes ? 2 * r->cap_holes : 64;
		uint32_t *holes = realloc(r->holes, cap * sizeof(*holes));

		if (!holes)
			return TR_EMEM;
		r->holes = holes;
		r->cap_holes = cap;
	}
	r->line_at[r->slot_of[line]] = NONE;
	hole_push(r, r->slot_of[line]);
	r->slot_of[line] = NONE;
	return 1;
}

void an_reuse_clear(struct an_reuse *r)
{
	for (uint32_t w = 0; w < (r->now + 63) / 64; w++)
		for (uint64_t bits = r->bits[w]; bits; bits &= bits - 1) {
			const uint32_t line = r->line_at[64 * w + (uint32_t)__builtin_ctzll(bits)];

			if (line != NONE)
				r->slot_of[line] = NONE;
		}
	if (r->slots) {
		memset(r->bits, 0, (r->now + 63) / 64 * sizeof(*r->bits));
		memset(r->tree, 0, (r->slots / BLOCK + 1) * sizeof(*r->tree));
	}
	r->now = r->marks = r->nholes = 0;
}
