/*
 * Coalescing as the generations of hardware do it (CUDA C Programming Guide, appendix on compute
 * capabilities; GPGPU-Sim where the two differ in wording), and bank conflicts of shared memory.
 * Lanes of one instruction only: what several instructions have in common is the caches' affair.
 * A transaction never crosses a line, so where lines are short, so are the segments.
 */
#include "sim/access/coalesce.h"
#include <string.h>

#define SECTOR 32u
#define SEGMENT 128u           /* the longest transaction of compute capability 1.x */
#define LINE_WORDS (1024 / 64) /* of the mask of bytes of the longest line */
#define LANE_BYTES_MAX 64u
#define BANKS_MAX 64u
#define LANE_WORDS_MAX (LANE_BYTES_MAX / 4 + 1)

static int in_group(const uint64_t *lanes, unsigned l)
{
	return lanes[l / 64] >> (l % 64) & 1;
}

/* Bits from ... from + n - 1. */
static void mark(uint64_t *mask, unsigned from, unsigned n)
{
	while (n) {
		const unsigned at = from % 64, take = n < 64 - at ? n : 64 - at;

		mask[from / 64] |= (take == 64 ? ~0ull : (1ull << take) - 1) << at;
		from += take;
		n -= take;
	}
}

/* The transactions of one instruction, as they are found. */
struct gather {
	const struct sim_coalescer *c;
	struct sim_transaction *t;
	unsigned n, group;       /* from `group` on they are of the group of lanes at hand */
	unsigned segment, words; /* bytes of a segment; 64-bit words of the mask of its bytes */
	uint64_t touched[SIM_TRANSACTIONS_MAX * LINE_WORDS]; /* of those of the group */
};

static uint64_t *touched_of(struct gather *g, const struct sim_transaction *t)
{
	return g->touched + (size_t)(t - g->t - g->group) * g->words;
}

static struct sim_transaction *add(struct gather *g, uint64_t base, unsigned size)
{
	struct sim_transaction *t = &g->t[g->n++];

	*t = (struct sim_transaction){.base = base, .size = size};
	memset(touched_of(g, t), 0, g->words * sizeof(*g->touched));
	return t;
}

/* The group's transaction of the segment at base: mostly it is the last one. */
static struct sim_transaction *find(struct gather *g, uint64_t base)
{
	for (unsigned i = g->n; i-- > g->group;)
		if (g->t[i].base == base)
			return &g->t[i];
	return add(g, base, g->segment);
}

/* Lane l touches `bytes` from address on: all in known segments, or each in a new one. */
static void touch(struct gather *g, unsigned l, uint64_t address, unsigned bytes, int alone)
{
	while (bytes) {
		const unsigned at = (unsigned)(address & (g->segment - 1));
		const unsigned take = bytes < g->segment - at ? bytes : g->segment - at;
		struct sim_transaction *t =
			alone ? add(g, address - at, g->segment) : find(g, address - at);

		t->lanes[l / 64] |= 1ull << l % 64;
		mark(touched_of(g, t), at, take);
		address += take;
		bytes -= take;
	}
}

static void set_segment(struct gather *g, unsigned bytes)
{
	g->segment = bytes < g->c->line_bytes ? bytes : g->c->line_bytes;
	g->words = (g->segment + 63) / 64;
}

/*
 * In order and aligned: lane k of the group at word k of a piece as long as they all, gaps allowed
 * (1.0 and 1.1).
 */
static int in_order(const uint64_t *lanes, unsigned first, unsigned end, unsigned width,
	const uint64_t *address, unsigned bytes)
{
	const unsigned all = width * bytes;
	uint64_t base = 0;
	int known = 0;

	if ((bytes != 4 && bytes != 8 && bytes != 16) || all & (all - 1))
		return 0;
	for (unsigned l = first; l < end; l++) {
		const uint64_t of_lane = address[l] - (uint64_t)(l - first) * bytes;

		if (!in_group(lanes, l))
			continue;
		if (known ? of_lane != base : of_lane & (all - 1))
			return 0;
		base = of_lane;
		known = 1;
	}
	return 1;
}

/* Halves a transaction as long as one half of it is untouched (1.2 and 1.3). */
static void shrink(struct sim_transaction *t, const uint64_t *touched)
{
	unsigned low = 0, high = t->size - 1;

	while (!(touched[low / 64] >> low % 64 & 1))
		low++;
	while (!(touched[high / 64] >> high % 64 & 1))
		high--;
	for (unsigned at = 0; t->size > SECTOR;) {
		const unsigned half = t->size / 2;

		if (low < at + half && high >= at + half)
			return;
		t->size = half;
		if (low >= at + half) {
			t->base += half;
			at += half;
		}
	}
}

/* Bytes and sectors of the line, from the bytes of the segment. */
static void measure(const struct gather *g, struct sim_transaction *t, const uint64_t *touched)
{
	const unsigned at = (unsigned)(t->base & (g->c->line_bytes - 1));

	for (unsigned k = 0; k < g->words; k++) {
		const uint64_t m = touched[k];

		t->bytes = (uint16_t)(t->bytes + __builtin_popcountll(m));
		t->sectors |= ((m & UINT32_MAX ? 1u : 0) | (m >> 32 ? 2u : 0))
			      << (at / SECTOR + 2 * k);
		t->whole |=
			(((uint32_t)m == UINT32_MAX ? 1u : 0) | (m >> 32 == UINT32_MAX ? 2u : 0))
			<< (at / SECTOR + 2 * k);
	}
}

static unsigned coalesce(struct gather *g, unsigned size, const uint64_t *lanes,
	const uint64_t *address, unsigned bytes)
{
	const struct sim_coalescer *c = g->c;
	const unsigned width = c->width ? c->width : size;

	for (unsigned first = 0; first < size; first += width) {
		const unsigned end = size - first < width ? size : first + width;
		const int single =
			c->rule == SIM_CC10 && !in_order(lanes, first, end, width, address, bytes);

		g->group = g->n;
		switch (c->rule) {
		case SIM_CC10:
			set_segment(g, single                    ? SECTOR
				       : width * bytes < SEGMENT ? width * bytes
								 : SEGMENT);
			break;
		case SIM_CC12:
			set_segment(g, bytes == 1 ? SECTOR : bytes == 2 ? 2 * SECTOR : SEGMENT);
			break;
		default:
			set_segment(g, c->line_bytes);
		}
		for (unsigned k = first / 64; 64 * k < end; k++) {
			uint64_t left = lanes[k];

			if (64 * k < first)
				left &= ~0ull << (first - 64 * k);
			if (end - 64 * k < 64)
				left &= ~(~0ull << (end - 64 * k));
			for (; left; left &= left - 1) {
				const unsigned l = 64 * k + (unsigned)__builtin_ctzll(left);

				touch(g, l, address[l], bytes, single);
			}
		}
		for (unsigned i = g->group; i < g->n; i++) {
			const uint64_t *touched = touched_of(g, &g->t[i]);

			measure(g, &g->t[i], touched);
			if (c->rule == SIM_CC12)
				shrink(&g->t[i], touched);
		}
	}
	return g->n;
}

unsigned sim_coalesce(const struct sim_coalescer *c, unsigned size, const uint64_t *lanes,
	const uint64_t *address, unsigned bytes, struct sim_transaction *out, unsigned max)
{
	struct sim_transaction all[SIM_TRANSACTIONS_MAX];
	struct gather g;
	unsigned n;

	g.c = c;
	g.n = g.group = 0;
	if (!bytes || bytes > LANE_BYTES_MAX)
		return 0;
	g.t = max >= SIM_TRANSACTIONS_MAX / TR_LANES_MAX * size ? out : all;
	n = coalesce(&g, size, lanes, address, bytes);
	if (g.t != out)
		memcpy(out, all, (n < max ? n : max) * sizeof(*out));
	return n;
}

/* ---- shared memory ---- */

/* Words of a group of lanes in lists, one for each bank. */
struct banks {
	uint16_t head[BANKS_MAX], count[BANKS_MAX]; /* head: index + 1 */
	uint16_t next[TR_LANES_MAX * LANE_WORDS_MAX];
	uint64_t word[TR_LANES_MAX * LANE_WORDS_MAX];
	unsigned n, most;
};

static void add_word(struct banks *b, unsigned banks, uint64_t word)
{
	const unsigned bank = (unsigned)(word % banks);

	for (unsigned i = b->head[bank]; i; i = b->next[i - 1])
		if (b->word[i - 1] == word)
			return;
	b->word[b->n] = word;
	b->next[b->n] = b->head[bank];
	b->head[bank] = (uint16_t)++b->n;
	if (++b->count[bank] > b->most)
		b->most = b->count[bank];
}

static int all_in_group(const uint64_t *lanes, unsigned first, unsigned end)
{
	if (first / 64 == (end - 1) / 64) {
		const uint64_t all = UINT64_MAX >> (64 - (end - first)) << first % 64;

		return !(all & ~lanes[first / 64]);
	}
	for (unsigned l = first; l < end; l++)
		if (!in_group(lanes, l))
			return 0;
	return 1;
}

/* All lanes read one word, or words side by side: seen at a glance. */
static int level_words(const uint64_t *address, unsigned n)
{
	const uint64_t step = n > 1 ? address[1] - address[0] : 0;
	unsigned l = 1;

	if (address[0] & 3 || (step && step != 4))
		return 0;
	while (l < n && address[l] == address[l - 1] + step)
		l++;
	return l == n;
}

/*
 * The same of two halves, as of two rows of a tile: a word each, of two banks, or the same words.
 * 0: it is not so, or not seen at a glance. banks: a power of two.
 */
static int level_halves(const uint64_t *address, unsigned n, unsigned banks)
{
	const uint64_t *second = address + n / 2;

	if (n < 4 || n % 2 || !level_words(address, n / 2) || !level_words(second, n / 2) ||
		second[1] - second[0] != address[1] - address[0])
		return 0;
	return *second == *address ||
	       (address[1] == *address && ((*second ^ *address) / 4 & (banks - 1)) != 0);
}

/*
 * The common case: the group's lanes want, of each bank, at most one word. Not for idle groups.
 */
static int one_word_a_bank(unsigned banks, unsigned width, unsigned first, unsigned size,
	const uint64_t *lanes, const uint64_t *address, unsigned bytes)
{
	const unsigned end = first + width < size ? first + width : size;
	uint64_t word[64], seen = 0;

	if (banks > 64 || banks & (banks - 1))
		return 0;
	if (bytes == 4 && width <= banks && all_in_group(lanes, first, end) &&
		(level_words(address + first, end - first) ||
			level_halves(address + first, end - first, banks)))
		return 1;
	for (unsigned l = first; l < end; l++) {
		const uint64_t w = address[l] / 4;
		const unsigned bank = (unsigned)w & (banks - 1);

		if (!in_group(lanes, l))
			continue;
		if ((address[l] & 3) + bytes > 4 || (seen >> bank & 1 && word[bank] != w))
			return 0;
		seen |= 1ull << bank;
		word[bank] = w;
	}
	return seen != 0;
}

/* The most different words of 1 << shift bytes in one bank. */
static unsigned most_words(unsigned banks, unsigned shift, unsigned first, unsigned end,
	const uint64_t *lanes, const uint64_t *address, unsigned bytes)
{
	struct banks b;

	memset(b.head, 0, sizeof(b.head));
	memset(b.count, 0, sizeof(b.count));
	b.n = b.most = 0;
	for (unsigned l = first; l < end; l++)
		if (in_group(lanes, l))
			for (uint64_t w = address[l] >> shift;
				w <= (address[l] + bytes - 1) >> shift; w++)
				add_word(&b, banks, w);
	return b.most;
}

unsigned sim_bank_conflicts(unsigned banks, unsigned width, unsigned size, const uint64_t *lanes,
	const uint64_t *address, unsigned bytes)
{
	unsigned cycles = 0;

	if (!bytes || bytes > LANE_BYTES_MAX)
		return 0;
	for (unsigned first = 0; first < size; first += width)
		if (bytes <= 4 && one_word_a_bank(banks, width, first, size, lanes, address, bytes))
			cycles++;
		else
			cycles += most_words(banks, 2, first,
				first + width < size ? first + width : size, lanes, address, bytes);
	return cycles;
}

unsigned sim_bank_cycles(unsigned banks, unsigned word_bytes, unsigned size, const uint64_t *lanes,
	const uint64_t *address, unsigned bytes)
{
	const unsigned shift = (unsigned)__builtin_ctz(word_bytes);
	const uint64_t words = (uint64_t)size * bytes / word_bytes;
	unsigned l = 1;

	if (!bytes || bytes > LANE_BYTES_MAX)
		return 0;
	/* Lanes side by side from the beginning of a word on: each bank has every n-th of them. */
	if (all_in_group(lanes, 0, size) && !(address[0] & (word_bytes - 1)) && words) {
		while (l < size && address[l] == address[l - 1] + bytes)
			l++;
		if (l == size && !((uint64_t)size * bytes & (word_bytes - 1)))
			return (unsigned)((words + banks - 1) / banks);
	}
	return most_words(banks, shift, 0, size, lanes, address, bytes);
}
