/*
 * The spellings of mma, wmma, ldmatrix and stmatrix, whose modifiers name a shape and up to four
 * types, and which shapes and types go together.
 */
#include "parse.h"
#include <stdio.h>
#include <string.h>

enum { A, B, C, D = PTX_TILE_D };

/* By d's, a's and c's type: the shapes of mma, then those of wmma; 0 ends a list. */
#define SHAPE(m, n, k) ((m) << 20 | (n) << 10 | (k))
static const struct {
	uint8_t wmma, a, b, c;
	uint32_t shapes[4];
} known[] = {
	{0, PTX_CELL_F16, PTX_CELL_F16, PTX_CELL_F16,
		{SHAPE(8, 8, 4), SHAPE(16, 8, 8), SHAPE(16, 8, 16)}},
	{0, PTX_CELL_F16, PTX_CELL_F16, PTX_CELL_F32,
		{SHAPE(8, 8, 4), SHAPE(16, 8, 8), SHAPE(16, 8, 16)}},
	{0, PTX_CELL_BF16, PTX_CELL_BF16, PTX_CELL_F32, {SHAPE(16, 8, 8), SHAPE(16, 8, 16)}},
	{0, PTX_CELL_TF32, PTX_CELL_TF32, PTX_CELL_F32, {SHAPE(16, 8, 4), SHAPE(16, 8, 8)}},
	{0, PTX_CELL_E4M3, PTX_CELL_E5M2, PTX_CELL_F32, {SHAPE(16, 8, 16), SHAPE(16, 8, 32)}},
	{0, PTX_CELL_E4M3, PTX_CELL_E5M2, PTX_CELL_F16, {SHAPE(16, 8, 16), SHAPE(16, 8, 32)}},
	{0, PTX_CELL_F64, PTX_CELL_F64, PTX_CELL_F64,
		{SHAPE(8, 8, 4), SHAPE(16, 8, 4), SHAPE(16, 8, 8), SHAPE(16, 8, 16)}},
	{0, PTX_CELL_S8, PTX_CELL_U8, PTX_CELL_S32,
		{SHAPE(8, 8, 16), SHAPE(16, 8, 16), SHAPE(16, 8, 32)}},
	{0, PTX_CELL_S4, PTX_CELL_U4, PTX_CELL_S32,
		{SHAPE(8, 8, 32), SHAPE(16, 8, 32), SHAPE(16, 8, 64)}},
	{0, PTX_CELL_B1, PTX_CELL_B1, PTX_CELL_S32,
		{SHAPE(8, 8, 128), SHAPE(16, 8, 128), SHAPE(16, 8, 256)}},
	{1, PTX_CELL_F16, PTX_CELL_F16, PTX_CELL_F16,
		{SHAPE(16, 16, 16), SHAPE(8, 32, 16), SHAPE(32, 8, 16)}},
	{1, PTX_CELL_F16, PTX_CELL_F16, PTX_CELL_F32,
		{SHAPE(16, 16, 16), SHAPE(8, 32, 16), SHAPE(32, 8, 16)}},
	{1, PTX_CELL_BF16, PTX_CELL_BF16, PTX_CELL_F32,
		{SHAPE(16, 16, 16), SHAPE(8, 32, 16), SHAPE(32, 8, 16)}},
	{1, PTX_CELL_TF32, PTX_CELL_TF32, PTX_CELL_F32, {SHAPE(16, 16, 8)}},
	{1, PTX_CELL_F64, PTX_CELL_F64, PTX_CELL_F64, {SHAPE(8, 8, 4)}},
	{1, PTX_CELL_S8, PTX_CELL_U8, PTX_CELL_S32,
		{SHAPE(16, 16, 16), SHAPE(8, 32, 16), SHAPE(32, 8, 16)}},
	{1, PTX_CELL_S4, PTX_CELL_U4, PTX_CELL_S32, {SHAPE(8, 8, 32)}},
	{1, PTX_CELL_B1, PTX_CELL_B1, PTX_CELL_S32, {SHAPE(8, 8, 128)}},
};

/* a, or b: the types of a pair may be mixed. */
static int either(uint8_t cell, uint8_t a, uint8_t b)
{
	return cell == a || cell == b;
}

/* Whether some product has this shape and the matrices whose types are known (not PTX_NCELLS). */
static int is_known(const struct ptx_inst *x)
{
	const struct ptx_tile *t = &x->tile;
	const uint32_t shape = (uint32_t)SHAPE(t->m, t->n, t->k);
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
		int fits = known[i].wmma == (x->op != PTX_MMA);
		for (unsigned m = A; m <= B; m++)
			fits &= t->cell[m] == PTX_NCELLS ||
				either(t->cell[m], known[i].a, known[i].b);
		for (unsigned m = C; m <= D; m++)
			fits &= t->cell[m] == PTX_NCELLS || t->cell[m] == known[i].c ||
				(known[i].a == PTX_CELL_F16 && t->cell[m] == PTX_CELL_F16);
		for (unsigned s = 0; fits && s < 4; s++)
			if (known[i].shapes[s] == shape)
				return 1;
	}
	return 0;
}

static int cell_of(const char *name)
{
	for (int c = 0; c < PTX_NCELLS; c++)
		if (!strcmp(ptx_cell_name((enum ptx_cell)c), name))
			return c;
	return -1;
}

static int space_of(const char *name)
{
	return !strcmp(name, "global")                                   ? TR_S_GLOBAL
	       : !strcmp(name, "shared") || !strcmp(name, "shared::cta") ? TR_S_SHARED
									 : -1;
}

/* What a modifier adds; 0: it is unknown. *types and *layouts count those seen so far. */
static int add(struct ptx_inst *x, const char *name, unsigned *types, unsigned *layouts)
{
	static const char *const nothing[] = {"sync", "aligned", "popc", "rn", "x1"};
	struct ptx_tile *t = &x->tile;
	unsigned m, n, k;
	char rest;
	int v;
	if ((v = cell_of(name)) >= 0 && *types < 4) {
		t->cell[(*types)++] = (uint8_t)v;
	} else if (sscanf(name, "m%3un%3uk%3u%c", &m, &n, &k, &rest) == 3 && !t->m) {
		t->m = (uint16_t)m;
		t->n = (uint16_t)n;
		t->k = (uint16_t)k;
	} else if (!strcmp(name, "m8n8") && !t->m) {
		t->m = t->n = 8;
	} else if ((!strcmp(name, "row") || !strcmp(name, "col")) && *layouts < 2) {
		t->by_col[(*layouts)++] = *name == 'c';
	} else if (!strcmp(name, "trans")) {
		t->by_col[0] = 1;
	} else if (!strcmp(name, "satfinite")) {
		x->flags |= PTX_F_SATFINITE;
	} else if (!strcmp(name, "xor") || !strcmp(name, "and")) {
		x->mode = *name == 'x' ? PTX_M_XOR : PTX_M_AND;
	} else if (!strcmp(name, "x2") || !strcmp(name, "x4")) {
		t->na = (uint8_t)(name[1] - '0');
	} else if (strlen(name) == 1 && *name >= 'a' && *name <= 'd' && x->op != PTX_MMA) {
		t->matrix = (uint8_t)(*name == 'd' ? C : *name - 'a');
	} else if ((v = space_of(name)) > 0) {
		x->space = (uint8_t)v;
	} else {
		for (unsigned i = 0; i < sizeof nothing / sizeof *nothing; i++)
			if (!strcmp(name, nothing[i]))
				return 1;
		return 0;
	}
	return 1;
}

/* The types in their order: d, a, b, c; wmma of halves names d and c alone; accesses have one. */
static int order_types(struct ptx_inst *x, unsigned types)
{
	struct ptx_tile *t = &x->tile;
	const uint8_t first = t->cell[0], second = t->cell[1], third = t->cell[2],
		      last = t->cell[3];
	memset(t->cell, PTX_NCELLS, sizeof t->cell);
	if (x->op == PTX_WMMA_LOAD || x->op == PTX_WMMA_STORE) {
		t->cell[t->matrix] = first;
		if (t->matrix == C)
			t->cell[D] = first;
		return types == 1;
	}
	t->cell[D] = first;
	if (types == 2 && x->op == PTX_WMMA_MMA) {
		t->cell[A] = t->cell[B] = PTX_CELL_F16;
		t->cell[C] = second;
		return 1;
	}
	t->cell[A] = second;
	t->cell[B] = third;
	t->cell[C] = last;
	return types == 4;
}

static int fits(struct ptx_inst *x, unsigned types, unsigned layouts)
{
	struct ptx_tile *t = &x->tile;
	const int product = x->op == PTX_MMA || x->op == PTX_WMMA_MMA;
	if (x->op == PTX_LDMATRIX || x->op == PTX_STMATRIX) {
		t->na = t->na ? t->na : 1;
		return t->m == 8 && !t->k && types == 1 && t->cell[0] == PTX_CELL_B16 && !layouts &&
		       x->space != TR_S_GLOBAL;
	}
	if (layouts != (product ? 2u : 1u) || !order_types(x, types) || t->na || !is_known(x))
		return 0;
	if (!product) {
		t->by_col[t->matrix] = t->by_col[0];
		return (x->op == PTX_WMMA_STORE) <= (t->matrix == C);
	}
	if (t->cell[A] == PTX_CELL_B1 && !x->mode)
		return 0;
	/* mma but for m8n8k4 of halves knows rows of a and columns of b only. */
	return x->op == PTX_WMMA_MMA || (!t->by_col[A] && t->by_col[B]) ||
	       (t->k == 4 && t->cell[A] == PTX_CELL_F16);
}

int ptx_is_tensor(enum ptx_op op)
{
	return op == PTX_MMA || op == PTX_WMMA_MMA || op == PTX_WMMA_LOAD || op == PTX_WMMA_STORE ||
	       op == PTX_LDMATRIX || op == PTX_STMATRIX;
}

int ptx_tensor_form(
	struct ptx_parser *p, struct ptx_inst *x, const char *rest, const char *text, uint32_t line)
{
	unsigned types = 0, layouts = 0;
	x->space = ptx_op_class(x->op) == TR_C_INT ? TR_S_NONE : TR_S_GENERIC;
	while (*rest) {
		char name[16];
		size_t n = strcspn(++rest, ".");
		if (n < sizeof name) {
			memcpy(name, rest, n);
			name[n] = 0;
		}
		if (n >= sizeof name || !add(x, name, &types, &layouts))
			return ptx_bad(p, line, "unsupported modifier '.%.*s' in '%.120s'",
				n > 40 ? 40 : (int)n, rest, text);
		rest += n;
	}
	return fits(x, types, layouts) ? 1 : ptx_bad(p, line, "unsupported opcode '%.120s'", text);
}
