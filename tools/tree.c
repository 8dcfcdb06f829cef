/* Gathering the tree of launches; see tree.h. */
#include "tools/tree.h"
#include "tools/common.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The node of a kernel under another node, made where it is new. */
static uint32_t node(struct tree *t, uint32_t parent, uint32_t depth, const char *kernel)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->nodes[i].parent == parent && t->nodes[i].depth == depth &&
			!strcmp(t->nodes[i].kernel, kernel))
			return i;
	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 16;
		t->nodes = must_realloc(t->nodes, t->cap, sizeof(*t->nodes));
	}
	t->nodes[t->n] = (struct tree_node){
		.parent = parent, .depth = depth, .kernel = must_printf("%s", kernel)};
	return t->n++;
}

void tree_add(struct tree *t, const struct tr_launch *l, const struct tr_program *p, uint32_t depth)
{
	struct tree_node *n;
	uint32_t at, i;

	if (!depth)
		t->nlaunches = 0;
	if (!t->nlaunches)
		t->first = l->number;
	at = l->parent_launch - t->first;
	i = node(t, at < t->nlaunches ? t->node_of[at] : TR_NONE, depth, tr_str(p, p->name));
	t->children |= depth > 0;
	if (t->nlaunches == t->cap_launches) {
		t->cap_launches = t->cap_launches ? 2 * t->cap_launches : 64;
		t->node_of = must_realloc(t->node_of, t->cap_launches, sizeof(*t->node_of));
	}
	t->node_of[t->nlaunches++] = i;
	n = &t->nodes[i];
	n->launches++;
	n->ctas += tr_launch_ctas(l);
	n->threads += tr_launch_ctas(l) * tr_launch_threads(l);
}

static void print_below(const struct tree *t, uint32_t parent, FILE *f)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const struct tree_node *n = &t->nodes[i];

		if (n->parent != parent)
			continue;
		fprintf(f, "  %*s%s: %" PRIu64 " launches, %.1f threads each", 2 * (int)n->depth,
			"", n->kernel, n->launches, (double)n->threads / (double)n->launches);
		if (n->depth)
			fprintf(f, ", %" PRIu32 " deep", n->depth);
		fputc('\n', f);
		print_below(t, i, f);
	}
}

void tree_print(const struct tree *t, FILE *f)
{
	fputs("launches\n", f);
	print_below(t, TR_NONE, f);
}

void tree_free(struct tree *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		free(t->nodes[i].kernel);
	free(t->nodes);
	free(t->node_of);
	*t = (struct tree){0};
}
