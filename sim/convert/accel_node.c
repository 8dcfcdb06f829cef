/*
 * Instructions as a trace shows them: a node for each PC, and for each different look of a line at
 * one PC, since called functions may count their PCs from zero again.
 */
#include "libtrace/chance.h"
#include "sim/convert/accel_graph.h"
#include <stdlib.h>
#include <xxhash.h>

#define EDGES_MAX 65535u /* of a node: a table of a program is not larger */
#define INDEX_FIRST 1024u

static uint32_t hash_pc(const struct accel_graph *g, uint32_t pc)
{
	return (uint32_t)XXH3_64bits_withSeed(&pc, sizeof(pc), g->seed);
}

/* The slot of index where a node belongs that is in none yet. */
static uint32_t *free_slot(uint32_t *index, uint32_t size, uint32_t hash)
{
	while (index[hash & (size - 1)])
		hash++;
	return &index[hash & (size - 1)];
}

static void enter(struct accel_graph *g, uint32_t i)
{
	const struct accel_node *n = &g->nodes[i];

	*free_slot(g->index, g->index_size, (uint32_t)n->hash) = i;
	if (n->first_of_pc)
		*free_slot(g->pc_index, g->index_size, hash_pc(g, n->pc)) = i;
}

/* Indexes of twice the size, both in one piece. */
static int grow_indexes(struct accel_graph *g)
{
	const uint32_t size = g->index_size ? 2 * g->index_size : INDEX_FIRST;
	uint32_t *slots = calloc(2 * (size_t)size, sizeof(*slots));

	if (!slots)
		return TR_EMEM;
	free(g->index);
	g->index = slots;
	g->pc_index = slots + size;
	g->index_size = size;
	for (uint32_t i = ACCEL_LEAF + 1; i < g->nnodes; i++)
		enter(g, i);
	return 1;
}

static struct accel_node *new_node(struct accel_graph *g)
{
	struct accel_node *n;

	if (g->nnodes == g->cap_nodes) {
		const uint32_t cap = g->cap_nodes ? 2 * g->cap_nodes : 512;

		n = realloc(g->nodes, cap * sizeof(*n));
		if (!n)
			return NULL;
		g->nodes = n;
		g->cap_nodes = cap;
	}
	n = &g->nodes[g->nnodes++];
	*n = (struct accel_node){.imm = -1, .next = TR_NONE, .target = TR_NONE};
	return n;
}

struct accel_graph *accel_graph_new(const struct accel_header *h)
{
	struct accel_graph *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->header = h;
	g->learning = true;
	g->seed = tr_chance();
	g->nthreads = h->block[0] * h->block[1] * h->block[2];
	/* Words that steer the others stand before seven of them on Kepler, before three on
	 * Maxwell and Pascal. */
	g->group_mask = h->binary_version < 50 ? 0x3f : 0x1f;
	if (!new_node(g) || !new_node(g) || grow_indexes(g) < 0) {
		accel_graph_free(g);
		return NULL;
	}
	g->nodes[ACCEL_ROOT].known = g->nodes[ACCEL_LEAF].known = true;
	return g;
}

void accel_graph_free(struct accel_graph *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; i < g->nnodes; i++) {
		free(g->nodes[i].taken.to);
		free(g->nodes[i].odd.to);
	}
	free(g->nodes);
	free(g->index);
	free(g->seen);
	tr_buf_free(&g->text);
	free(g);
}

uint32_t accel_after(const struct accel_graph *g, uint32_t pc)
{
	if (!g->pitch8)
		return pc + 16;
	pc += 8;
	return pc & g->group_mask ? pc : pc + 8;
}

uint32_t accel_node_at(const struct accel_graph *g, uint32_t pc)
{
	uint32_t i;

	for (uint32_t k = hash_pc(g, pc); (i = g->pc_index[k & (g->index_size - 1)]); k++)
		if (g->nodes[i].pc == pc)
			return i;
	return TR_NONE;
}

static int add_node(
	struct accel_graph *g, const struct accel_line *line, uint64_t hash, int64_t imm)
{
	const uint32_t i = g->nnodes;
	struct accel_operands names;
	struct accel_node *n;
	struct accel_op op;

	if ((g->nnodes > g->index_size / 2 && grow_indexes(g) < 0) || !(n = new_node(g)))
		return TR_EMEM;
	accel_line_operands(line, &names);
	op = accel_op_find(names.opcode, g->header->binary_version, line->bulk ? 0 : line->width);
	n->hash = hash;
	n->pc = line->pc;
	n->text = (uint32_t)g->text.len;
	n->text_len = (uint32_t)line->text_len;
	n->opcode = n->text + (uint32_t)(line->opcode - line->text);
	n->opcode_len = (uint32_t)line->opcode_len;
	n->source_line = line->source_line;
	n->width = op.space == TR_S_NONE ? 0 : line->width;
	n->imm = imm;
	n->flow = op.flow;
	n->copy = op.copy;
	n->known = op.known;
	n->bulk = line->bulk;
	n->collective = op.collective;
	n->generic = op.space == TR_S_GENERIC;
	n->first_of_pc = accel_node_at(g, line->pc) == TR_NONE;
	g->twins |= !n->first_of_pc;
	if (g->text.len + line->text_len >= UINT32_MAX ||
		tr_buf_put(&g->text, line->text, line->text_len) || tr_buf_u8(&g->text, 0))
		return TR_EMEM;
	enter(g, i);
	return 1;
}

bool accel_bssy(const char *opcode, size_t len)
{
	return len >= 4 && !memcmp(opcode, "BSSY", 4);
}

int accel_node_of(
	struct accel_graph *g, const struct accel_line *line, uint32_t *node, struct tr_err *err)
{
	const bool bra = line->opcode_len >= 3 && !memcmp(line->opcode, "BRA", 3);
	const bool says = bra || accel_bssy(line->opcode, line->opcode_len) ||
			  (line->opcode_len >= 6 && !memcmp(line->opcode, "DEPBAR", 6));
	const int64_t imm = says && line->has_imm && line->imm >= 0 ? line->imm : -1;
	const uint64_t hash = XXH3_64bits_withSeed(line->text, line->text_len,
		g->seed ^ (uint64_t)line->pc << 32 ^ (uint64_t)(imm + 1));

	for (uint32_t k = (uint32_t)hash; (*node = g->index[k & (g->index_size - 1)]); k++) {
		const struct accel_node *n = &g->nodes[*node];

		if (n->hash == hash && n->pc == line->pc && n->imm == imm &&
			n->text_len == line->text_len &&
			!memcmp(g->text.p + n->text, line->text, line->text_len))
			return 1;
	}
	if (!g->learning)
		return tr_fail(err, TR_EDATA, 0, "the file changed between its two readings");
	*node = g->nnodes;
	return add_node(g, line, hash, imm) < 0
		       ? tr_fail(err, TR_EMEM, 0, "no memory for the program of a kernel")
		       : 1;
}

uint32_t accel_edge(struct accel_edges *e, uint32_t to, bool learning)
{
	for (uint32_t i = 0; i < e->n; i++)
		if (e->to[i] == to)
			return i;
	if (!learning || e->n == EDGES_MAX)
		return TR_NONE;
	if (e->n == e->cap) {
		const uint32_t cap = e->cap ? 2 * e->cap : 4;
		uint32_t *bigger = realloc(e->to, cap * sizeof(*bigger));

		if (!bigger)
			return TR_NONE;
		e->to = bigger;
		e->cap = cap;
	}
	e->to[e->n] = to;
	return e->n++;
}
