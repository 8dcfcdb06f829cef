/*
 * Matrices that a warp holds together: mma, wmma, ldmatrix and stmatrix.
 *
 * Fragments of mma, ldmatrix and stmatrix lie as PTX ISA, "Matrix multiply-accumulate", draws them.
 * Those of wmma are nobody's business but the machine's: a and b lie in the order of their rows and
 * columns, sums as mma's tiles beside one another.
 *
 * Numbers: products of narrow floats and their sum with c are those of doubles, rounded once; f64
 * is a chain of fused steps in the order of k; integers are exact, and wrap or saturate. PTX leaves
 * the order of sums open but for integers.
 *
 * A wmma's load or store is recorded as if each lane moved its share of the tile, in the order of
 * memory; an ldmatrix's with the row that each lane names, where fewer are wanted than there are
 * lanes, over again.
 */
#include "sim/ptx/half.h"
#include "sim/ptx/memcheck.h"
#include <math.h>
#include <string.h>

enum { A, B, C };

static const struct ptx_cell_kind {
	const char *name;
	uint8_t bits, type; /* enum ptx_type, of those that are types elsewhere */
} cells[PTX_NCELLS] = {
	[PTX_CELL_F16] = {"f16", 16, PTX_T_F16},
	[PTX_CELL_BF16] = {"bf16", 16, PTX_T_BF16},
	[PTX_CELL_TF32] = {"tf32", 32, PTX_T_TF32},
	[PTX_CELL_E4M3] = {"e4m3", 8, PTX_T_E4M3X2},
	[PTX_CELL_E5M2] = {"e5m2", 8, PTX_T_E5M2X2},
	[PTX_CELL_F32] = {"f32", 32, PTX_T_F32},
	[PTX_CELL_F64] = {"f64", 64, PTX_T_F64},
	[PTX_CELL_S8] = {"s8", 8, PTX_T_S8},
	[PTX_CELL_U8] = {"u8", 8, PTX_T_U8},
	[PTX_CELL_S4] = {"s4", 4, PTX_T_S8},
	[PTX_CELL_U4] = {"u4", 4, PTX_T_U8},
	[PTX_CELL_B1] = {"b1", 1, PTX_T_U8},
	[PTX_CELL_B16] = {"b16", 16, PTX_T_B16},
	[PTX_CELL_S32] = {"s32", 32, PTX_T_S32},
};

const char *ptx_cell_name(enum ptx_cell c)
{
	return c < PTX_NCELLS ? cells[c].name : NULL;
}

unsigned ptx_cell_bits(enum ptx_cell c)
{
	return cells[c].bits;
}

/* ---- where elements are ---- */

/* mma.m8n8k4 of halves is four products, each of a quad and the one 16 lanes on. */
static unsigned quads(const struct ptx_inst *x)
{
	return x->op == PTX_MMA && x->tile.k == 4 && x->tile.cell[A] == PTX_CELL_F16 ? 4 : 1;
}

static unsigned rows_of(const struct ptx_tile *t, unsigned matrix)
{
	return matrix == B ? t->k : t->m;
}

static unsigned cols_of(const struct ptx_tile *t, unsigned matrix)
{
	return matrix == A ? t->k : t->n;
}

unsigned ptx_tile_elements(const struct ptx_inst *x, unsigned matrix)
{
	return rows_of(&x->tile, matrix) * cols_of(&x->tile, matrix) * quads(x) / PTX_LANES;
}

struct place {
	unsigned row, col;
};

/* mma.m8n8k4 of halves: in the quad pair's own matrix; the pairs' lie one after the other. */
static struct place in_quads(const struct ptx_inst *x, unsigned matrix, unsigned lane, unsigned e)
{
	const unsigned pair = lane >> 2 & 3, high = lane >= 16 ? 4 : 0, by_lane = lane % 4 + high;
	struct place p;

	if (matrix == A)
		p = x->tile.by_col[A] ? (struct place){e + high, lane % 4}
				      : (struct place){by_lane, e};
	else if (matrix == B)
		p = x->tile.by_col[B] ? (struct place){e, by_lane}
				      : (struct place){lane % 4, e + high};
	else if (x->tile.cell[C] == PTX_CELL_F16)
		p = (struct place){by_lane, e};
	else
		p = (struct place){(lane & 1) + (e & 2) + high, (e & 4) + (lane & 2) + (e & 1)};
	if (matrix == B)
		p.col += 8 * pair;
	else
		p.row += 8 * pair;
	return p;
}

/* Row and column of a lane's element of a matrix. */
static struct place place_of(const struct ptx_inst *x, unsigned matrix, unsigned lane, unsigned e)
{
	const struct ptx_tile *t = &x->tile;
	const unsigned group = lane / 4, in_group = lane % 4;
	const unsigned bits = cells[t->cell[matrix]].bits, packed = bits < 32 ? 32 / bits : 1;
	const unsigned reg = e / packed, k = in_group * packed + e % packed;

	if (quads(x) > 1)
		return in_quads(x, matrix, lane, e);
	if (matrix == C) {
		const unsigned col = 2 * in_group + (e & 1);
		if (t->m == 8)
			return (struct place){group, col + 8 * (e >> 1)};
		return (struct place){group + 8 * (e >> 1 & 1) + (t->m == 32 ? 16 * (e >> 2) : 0),
			col + (t->n == 16 ? 8 * (e >> 2) : 0)};
	}
	if (x->op != PTX_MMA) {
		const unsigned at = lane * ptx_tile_elements(x, matrix) + e;
		return matrix == A ? (struct place){at / t->k, at % t->k}
				   : (struct place){at % t->k, at / t->k};
	}
	if (matrix == B)
		return (struct place){k + 4 * packed * reg, group};
	return t->m == 8 ? (struct place){group, k}
			 : (struct place){group + 8 * (reg & 1), k + 4 * packed * (reg >> 1)};
}

/* ---- registers ---- */

/* The places of an instruction's registers: destinations, then sources. */
static const uint32_t *operands(const struct ptx_warp *w, const struct ptx_code *c)
{
	return w->cta->run->decoded.wide + c->wide;
}

static void *lanes(struct ptx_warp *w, uint32_t operand)
{
	return w->area[operand & PTX_CONSTANT] + (operand & ~PTX_CONSTANT);
}

static uint64_t mask_of(unsigned bits)
{
	return ~0ull >> (64 - bits);
}

/* Element e of a lane in the registers from `at` on. */
static uint64_t get(
	struct ptx_warp *w, const uint32_t *at, unsigned bits, unsigned lane, unsigned e)
{
	const unsigned packed = bits < 32 ? 32 / bits : 1;
	const void *reg = lanes(w, at[e / packed]);

	if (bits == 64)
		return ((const uint64_t *)reg)[lane];
	return ((const uint32_t *)reg)[lane] >> e % packed * bits & mask_of(bits);
}

static void put(struct ptx_warp *w, const uint32_t *at, unsigned bits, unsigned lane, unsigned e,
	uint64_t value)
{
	const unsigned packed = bits < 32 ? 32 / bits : 1, shift = e % packed * bits;
	void *reg = lanes(w, at[e / packed]);
	uint32_t *narrow = (uint32_t *)reg + lane;

	if (bits == 64)
		((uint64_t *)reg)[lane] = value;
	else
		*narrow = (uint32_t)((*narrow & ~(mask_of(bits) << shift)) | value << shift);
}

/* ---- products ---- */

#define MOST 4096 /* elements of a matrix: 16 x 256 bits */

union number {
	double real;
	int64_t integer;
};

static int is_integer(enum ptx_cell c)
{
	return c >= PTX_CELL_S8;
}

static union number number_of(enum ptx_cell cell, uint64_t bits)
{
	const struct ptx_cell_kind *k = &cells[cell];
	const uint32_t narrow = (uint32_t)bits;
	union number v;
	float f;

	if (is_integer(cell)) {
		const unsigned unused = 64 - k->bits;
		const int is_signed = k->type == PTX_T_S8 || k->type == PTX_T_S32;
		v.integer = is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
	} else if (cell == PTX_CELL_F64) {
		memcpy(&v.real, &bits, sizeof(v.real));
	} else if (cell == PTX_CELL_F32) {
		memcpy(&f, &narrow, sizeof(f));
		v.real = (double)f;
	} else {
		v.real = ptx_small_value(k->type, narrow);
	}
	return v;
}

static uint64_t bits_of(const struct ptx_inst *x, enum ptx_cell cell, union number v)
{
	const int64_t i = v.integer;
	uint64_t bits = 0;
	float f;

	if (cell == PTX_CELL_S32) {
		const int saturates = (x->flags & PTX_F_SATFINITE) != 0;
		return (uint32_t)(saturates && i > INT32_MAX   ? INT32_MAX
				  : saturates && i < INT32_MIN ? INT32_MIN
							       : i);
	}
	if (cell == PTX_CELL_F64) {
		memcpy(&bits, &v.real, sizeof(bits));
		return v.real != v.real ? 0x7fffffffffffffffull : bits;
	}
	if (cell != PTX_CELL_F32)
		return ptx_format_round(ptx_format_of(cells[cell].type), v.real, PTX_RN, 0);
	if (v.real != v.real)
		return 0x7fffffff;
	f = (float)v.real;
	memcpy(&bits, &f, sizeof(f));
	return bits;
}

/* A matrix of the warp, row after row. */
static void collect(struct ptx_warp *w, const struct ptx_inst *x, unsigned matrix,
	const uint32_t *at, union number *out)
{
	const enum ptx_cell cell = x->tile.cell[matrix];
	const unsigned n = ptx_tile_elements(x, matrix);
	const unsigned cols = cols_of(&x->tile, matrix) * (matrix == B ? quads(x) : 1);

	for (unsigned lane = 0; lane < PTX_LANES; lane++)
		for (unsigned e = 0; e < n; e++) {
			const struct place p = place_of(x, matrix, lane, e);
			out[p.row * cols + p.col] =
				number_of(cell, get(w, at, cells[cell].bits, lane, e));
		}
}

static union number dot(const struct ptx_inst *x, const union number *a, const union number *b,
	unsigned stride, union number c)
{
	double sum = 0;

	for (unsigned k = 0; k < x->tile.k; k++) {
		const union number p = a[k], q = b[k * stride];
		if (x->tile.cell[A] == PTX_CELL_B1)
			c.integer += x->mode == PTX_M_AND ? p.integer & q.integer
							  : p.integer ^ q.integer;
		else if (is_integer(x->tile.cell[A]))
			c.integer += p.integer * q.integer;
		else if (x->tile.cell[A] == PTX_CELL_F64)
			c.real = fma(p.real, q.real, c.real);
		else
			sum += p.real * q.real;
	}
	if (!is_integer(x->tile.cell[A]))
		c.real += sum;
	return c;
}

static void multiply(struct ptx_warp *w, const struct ptx_code *code)
{
	const struct ptx_inst *x = code->inst;
	const uint32_t *d = operands(w, code), *src = d + code->nd;
	const unsigned n = ptx_tile_elements(x, C), bcols = x->tile.n * quads(x);
	const enum ptx_cell cell = x->tile.cell[PTX_TILE_D];
	union number a[MOST], b[MOST], c[MOST];

	collect(w, x, A, src, a);
	collect(w, x, B, src + x->tile.na, b);
	collect(w, x, C, src + x->tile.na + x->tile.nb, c);
	for (unsigned lane = 0; lane < PTX_LANES; lane++)
		for (unsigned e = 0; e < n; e++) {
			/* Where sums have the other width, their elements lie as that has them. */
			struct ptx_inst as_d = {.op = x->op, .tile = x->tile};
			as_d.tile.cell[C] = (uint8_t)cell;
			const struct place p = place_of(&as_d, C, lane, e);
			const unsigned pair = p.row / 8;
			const union number v = dot(x, a + p.row * x->tile.k,
				b + p.col + (quads(x) > 1 ? 8 * pair : 0), bcols,
				c[p.row * x->tile.n + p.col]);
			put(w, d, cells[cell].bits, lane, e, bits_of(x, cell, v));
		}
}

/* ---- tiles in memory ---- */

#define TILE_MAX 1024 /* bytes */
#define PIECE 16u     /* of a share, looked up at once */

/* Moves the lanes' shares between memory and buf, which has them one after the other. */
static int move(struct ptx_warp *w, struct ptx_code *c, const uint64_t address[PTX_LANES],
	uint8_t *buf, int stores)
{
	const unsigned share = c->bytes * c->vec, piece = share < PIECE ? share : PIECE;
	struct ptx_code part = *c;
	uint64_t at[PTX_LANES];
	uint8_t *host[PTX_LANES];
	int e;

	part.kind = stores ? PTX_K_STORE : PTX_K_LOAD;
	if (w->cta->sync && (e = ptx_sync_access(w, &part, NULL, address)))
		return e;
	if (c->records_value && w->cta->recorder &&
		tr_record_values(w->cta->recorder, w->number, w->mask, address) < 0)
		return ptx_recorder_failed(w);
	part.bytes = (uint8_t)piece;
	part.vec = 1;
	for (unsigned from = 0; from < share; from += piece) {
		for (unsigned i = 0; i < PTX_LANES; i++)
			at[i] = address[i] + from;
		if ((e = ptx_resolve(w, &part, at, host)))
			return e;
		if (w->cta->written && (e = ptx_check_access(w, &part, NULL, at, host)))
			return e;
		for (unsigned i = 0; i < PTX_LANES; i++)
			if (stores)
				memcpy(host[i], buf + i * share + from, piece);
			else
				memcpy(buf + i * share + from, host[i], piece);
	}
	return 0;
}

static void base_addresses(
	struct ptx_warp *w, const struct ptx_code *c, uint64_t address[PTX_LANES])
{
	const void *base = lanes(w, c->base);

	for (unsigned i = 0; i < PTX_LANES; i++)
		address[i] = c->base_bytes == 8
				     ? ((const uint64_t *)base)[i] + c->disp
				     : (uint32_t)(((const uint32_t *)base)[i] + (uint32_t)c->disp);
	for (unsigned i = 0; c->base_bytes == 4 && c->space == TR_S_GENERIC && i < PTX_LANES; i++)
		address[i] = ptx_widened(address[i], w->cta->run->const_base);
}

/* Element of a tile that lies line after line. */
static uint64_t tile_get(const uint8_t *buf, unsigned bits, unsigned at)
{
	uint64_t v = 0;

	if (bits < 8)
		return buf[at * bits / 8] >> at * bits % 8 & mask_of(bits);
	memcpy(&v, buf + at * bits / 8, bits / 8);
	return v;
}

static int wmma_access(struct ptx_warp *w, struct ptx_code *c)
{
	const struct ptx_inst *x = c->inst;
	const unsigned matrix = x->tile.matrix, bits = cells[x->tile.cell[matrix]].bits;
	const unsigned rows = rows_of(&x->tile, matrix), cols = cols_of(&x->tile, matrix);
	const int by_col = x->tile.by_col[matrix], stores = x->op == PTX_WMMA_STORE;
	const unsigned line = (by_col ? rows : cols) * bits / 8, share = c->bytes * c->vec;
	const unsigned n = ptx_tile_elements(x, matrix);
	const uint32_t *at = operands(w, c), count = stores ? c->ns : c->nd;
	uint64_t address[PTX_LANES], stride = line;
	uint8_t buf[TILE_MAX] = {0};
	int e;

	base_addresses(w, c, address);
	if (x->tile.strided)
		stride = (uint64_t)((const uint32_t *)lanes(w, at[c->nd + c->ns - 1u]))[0] * bits /
			 8;
	for (unsigned i = 0; i < PTX_LANES; i++) /* all lanes name the same tile */
		address[i] = address[0] + i * share / line * stride + i * share % line;
	if (!stores && (e = move(w, c, address, buf, 0)))
		return e;
	for (unsigned lane = 0; lane < PTX_LANES; lane++)
		for (unsigned k = 0; k < (stores ? n : count * (bits < 32 ? 32 / bits : 1)); k++) {
			const struct place p = place_of(x, matrix, lane, k % n);
			const unsigned to = by_col ? p.col * rows + p.row : p.row * cols + p.col;
			if (stores) {
				const uint64_t v = get(w, at, bits, lane, k);
				memcpy(buf + to * bits / 8, &v, bits / 8);
			} else {
				put(w, at, bits, lane, k, tile_get(buf, bits, to));
			}
		}
	return stores ? move(w, c, address, buf, 1) : 0;
}

/* ldmatrix and stmatrix: matrix m has its row i where lane 8m + i says. */
static int matrix_access(struct ptx_warp *w, struct ptx_code *c)
{
	const struct ptx_inst *x = c->inst;
	const int stores = x->op == PTX_STMATRIX, transposed = x->tile.by_col[A];
	const unsigned matrices = stores ? c->ns : c->nd;
	const uint32_t *at = operands(w, c);
	uint64_t address[PTX_LANES];
	uint8_t buf[PTX_LANES * 16];
	int e;

	base_addresses(w, c, address);
	for (unsigned i = 8 * matrices; i < PTX_LANES; i++)
		address[i] = address[i % (8 * matrices)];
	if (!stores && (e = move(w, c, address, buf, 0)))
		return e;
	for (unsigned lane = 0; lane < PTX_LANES; lane++)
		for (unsigned k = 0; k < 2 * matrices; k++) {
			const unsigned row = lane / 4, col = 2 * (lane % 4) + k % 2;
			uint8_t *cell = buf + 16 * (8 * (k / 2) + (transposed ? col : row)) +
					2 * (transposed ? row : col);
			uint16_t v;
			if (stores) {
				v = (uint16_t)get(w, at, 16, lane, k);
				memcpy(cell, &v, sizeof(v));
			} else {
				memcpy(&v, cell, sizeof(v));
				put(w, at, 16, lane, k, v);
			}
		}
	for (unsigned i = 8 * matrices; i < PTX_LANES && stores; i++)
		memcpy(buf + 16 * i, buf + 16 * (i % (8 * matrices)), 16);
	return stores ? move(w, c, address, buf, 1) : 0;
}

int ptx_tensor(struct ptx_warp *w, struct ptx_code *c)
{
	if (w->mask != PTX_ALL_LANES)
		return ptx_fault(w, c, (unsigned)__builtin_ctz(w->mask),
			"wants all 32 lanes of a warp, and has %d", __builtin_popcount(w->mask));
	switch (c->inst->op) {
	case PTX_LDMATRIX:
	case PTX_STMATRIX:
		return matrix_access(w, c);
	case PTX_WMMA_LOAD:
	case PTX_WMMA_STORE:
		return wmma_access(w, c);
	default:
		multiply(w, c);
		return 0;
	}
}
