/* Lookups and reconvergence barriers of crown. */
#include "sim/warp/crown_tables.h"

static size_t whole_words(size_t bytes)
{
	return (bytes + 7) / 8 * 8;
}

/* ---- lookups ---- */

size_t sim_crown_lookup_bytes(uint32_t rows, uint32_t warps)
{
	return rows * sizeof(uint64_t) +
	       whole_words(((size_t)2 * rows + (rows ? warps : 0)) * sizeof(uint32_t));
}

void sim_crown_lookup_init(struct sim_crown_lookup *l, void *storage, uint32_t rows, uint32_t warps)
{
	*l = (struct sim_crown_lookup){.rows = rows, .touched = storage};
	l->pc = (uint32_t *)(void *)(l->touched + rows);
	l->warp = l->pc + rows;
	l->row = l->warp + rows;
	if (rows)
		memset(l->row, 0, warps * sizeof(*l->row));
}

uint32_t sim_crown_lookup_find(struct sim_crown_lookup *l, uint32_t pc)
{
	for (uint32_t i = 0; i < l->used; i++)
		if (l->pc[i] == pc) {
			l->touched[i] = ++l->clock;
			return l->warp[i];
		}
	return SIM_NO_WARP;
}

static void set_row(struct sim_crown_lookup *l, uint32_t row, uint32_t pc, uint32_t warp)
{
	l->pc[row] = pc;
	l->warp[row] = warp;
	l->touched[row] = ++l->clock;
	l->row[warp] = row + 1;
}

uint32_t sim_crown_lookup_put(struct sim_crown_lookup *l, uint32_t pc, uint32_t warp)
{
	uint32_t oldest = 0, goes;

	if (!l->rows)
		return SIM_NO_WARP;
	if (l->used < l->rows) {
		set_row(l, l->used++, pc, warp);
		return SIM_NO_WARP;
	}
	for (uint32_t i = 1; i < l->used; i++)
		if (l->touched[i] < l->touched[oldest])
			oldest = i;
	goes = l->warp[oldest];
	l->row[goes] = 0;
	set_row(l, oldest, pc, warp);
	return goes;
}

void sim_crown_lookup_remove(struct sim_crown_lookup *l, uint32_t warp)
{
	const uint32_t row = l->row[warp], last = l->used - 1;

	l->row[warp] = 0;
	l->used--;
	if (row - 1 == last)
		return;
	l->pc[row - 1] = l->pc[last];
	l->warp[row - 1] = l->warp[last];
	l->touched[row - 1] = l->touched[last];
	l->row[l->warp[row - 1]] = row;
}

/* ---- reconvergence barriers ---- */

size_t sim_crown_barriers_bytes(uint32_t rows, uint32_t width, uint32_t threads)
{
	return whole_words(rows * (sizeof(struct sim_crown_barrier) + sizeof(uint32_t)) +
			   ((size_t)2 * rows * width + threads) * sizeof(uint16_t));
}

void sim_crown_barriers_init(struct sim_crown_barriers *b, void *storage, uint32_t rows,
	uint32_t ways, uint32_t width, uint32_t threads)
{
	*b = (struct sim_crown_barriers){.width = width, .row = storage};
	b->free = (uint32_t *)(void *)(b->row + rows);
	b->thread = (uint16_t *)(void *)(b->free + rows);
	b->outer = b->thread + (size_t)rows * width;
	b->inner = b->outer + (size_t)rows * width;
	memset(b->inner, 0, threads * sizeof(*b->inner));
	if (!rows)
		return;
	b->sets = ways < rows ? rows / ways : 1;
	rows -= ways < rows ? rows % ways : 0;
	for (uint32_t s = 0; s < b->sets; s++)
		b->free[s] = 0;
	for (uint32_t r = rows; r--;) { /* row r is of set r % sets: the lowest is first */
		b->row[r] = (struct sim_crown_barrier){.nfree = b->free[r % b->sets]};
		b->free[r % b->sets] = r + 1;
	}
}

uint32_t sim_crown_barrier_pc(const struct sim_crown_barriers *b, uint32_t thread)
{
	return b->inner[thread] ? b->row[b->inner[thread] - 1].pc : TR_NONE;
}

int sim_crown_barrier_reserve(struct sim_crown_barriers *b, uint32_t set, uint32_t pc,
	const struct sim_mask *lanes, const uint16_t *thread)
{
	const uint32_t row = b->sets ? b->free[set % b->sets] : 0;
	struct sim_crown_barrier *x = &b->row[row - 1];
	uint32_t lane;

	if (!row)
		return 0;
	b->free[set % b->sets] = x->nfree;
	*x = (struct sim_crown_barrier){.pc = pc, .lanes = *lanes};
	FOR_LANES(*lanes, lane)
	{
		const size_t at = (size_t)(row - 1) * b->width + lane;

		b->thread[at] = thread[lane];
		b->outer[at] = b->inner[thread[lane]];
		b->inner[thread[lane]] = (uint16_t)row;
	}
	return 1;
}

int sim_crown_barrier_come(
	struct sim_crown_barriers *b, uint32_t thread, uint32_t lane, uint32_t *row)
{
	*row = b->inner[thread] - 1u;
	b->row[*row].here.w[lane / 64] |= 1ull << (lane % 64);
	b->waiting++;
	return !memcmp(&b->row[*row].lanes, &b->row[*row].here, sizeof(b->row->lanes));
}

static void give_back(struct sim_crown_barriers *b, uint32_t row)
{
	b->row[row].nfree = b->free[row % b->sets];
	b->free[row % b->sets] = row + 1;
}

struct sim_mask sim_crown_barrier_open(
	struct sim_crown_barriers *b, uint32_t row, uint32_t *pc, uint16_t *thread)
{
	const struct sim_mask lanes = b->row[row].lanes;
	uint32_t lane;

	*pc = b->row[row].pc;
	FOR_LANES(lanes, lane)
	{
		const size_t at = (size_t)row * b->width + lane;

		thread[lane] = b->thread[at];
		b->inner[thread[lane]] = b->outer[at];
		b->waiting--;
	}
	give_back(b, row);
	return lanes;
}

/* ---- storage ---- */

struct sim_crown_bits sim_crown_bits(uint32_t threads, uint32_t lanes)
{
	uint32_t number = 0;

	while (lanes << number < threads)
		number++;
	return (struct sim_crown_bits){.barrier = 32 + lanes * number + lanes,
		.level2 = 32 + lanes * number + 2,
		.lookup = 32 + lanes * number};
}
