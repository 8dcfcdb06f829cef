/*
 * Ukkonen's suffix tree (1995), one letter after the other. Leaves out the leaves of suffixes that
 * are beginnings of others: no query can notice.
 */
#include "datasets/workloads/mummer/tree.h"

int32_t mummer_build(struct mummer_node *nodes, const char *text, int32_t n)
{
	int32_t count = 1, at = 0, edge = 0, length = 0, pending = 0;

	for (int32_t i = 0; i < n; i++) {
		int32_t unlinked = 0;

		pending++;
		while (pending) {
			int32_t *slot, leaf, low;

			if (!length)
				edge = i;
			slot = &nodes[at].child[wl_base(text[edge])];
			low = *slot;
			if (low && length >= nodes[low].end - nodes[low].start) {
				edge += nodes[low].end - nodes[low].start;
				length -= nodes[low].end - nodes[low].start;
				at = low;
				continue;
			}
			if (low && text[nodes[low].start + length] == text[i]) {
				if (unlinked)
					nodes[unlinked].link = at;
				length++;
				break;
			}
			leaf = count++;
			nodes[leaf] = (struct mummer_node){.start = i, .end = n + 1};
			if (low) { /* split the edge */
				int32_t mid = count++, start = nodes[low].start;

				nodes[mid] =
					(struct mummer_node){.start = start, .end = start + length};
				nodes[low].start += length;
				nodes[mid].child[wl_base(text[start + length])] = low;
				nodes[mid].child[wl_base(text[i])] = leaf;
				*slot = mid;
				if (unlinked)
					nodes[unlinked].link = mid;
				unlinked = mid;
			} else {
				*slot = leaf;
				if (unlinked)
					nodes[unlinked].link = at;
				unlinked = 0;
			}
			pending--;
			if (at) {
				at = nodes[at].link;
			} else if (length) {
				length--;
				edge = i - pending + 1;
			}
		}
	}
	return count;
}

void mummer_depths(const struct mummer_node *nodes, int32_t *depth, int32_t *stack)
{
	int32_t top = 0;

	for (stack[top++] = 0; top;) {
		int32_t at = stack[--top];

		for (int c = 0; c < 4; c++) {
			int32_t low = nodes[at].child[c];

			if (!low)
				continue;
			depth[low] = depth[at] + nodes[low].end - nodes[low].start;
			stack[top++] = low;
		}
	}
}
