/*
 * Classification of the windows of an image by a random forest: a thread a window. At each inner
 * node of a tree it compares the mean of two rectangles in its window, from the integral image, and
 * goes on to one of two children, until it is at a leaf, which votes for a class. Trees are as deep
 * as their training made them, and windows leave them at different depths. Votes are counted in an
 * array in local memory.
 */
#include "cuda.h"

#define CLASSES 4

/* The sum over a rectangle of the window at `at`; its x, y, width and height are bytes. */
static __device__ __forceinline__ int sum(const int *integral, int at, int pitch, unsigned rect)
{
	int corner = at + (rect >> 8 & 255) * pitch + (rect & 255);
	int right = rect >> 16 & 255, down = (rect >> 24) * pitch;

	return integral[corner + down + right] - integral[corner + down] -
	       integral[corner + right] + integral[corner];
}

static __device__ __forceinline__ int area(unsigned rect)
{
	return (rect >> 16 & 255) * (rect >> 24);
}

/*
 * integral: a row and a column of zeros first, `pitch` values a row. A node: two rectangles, the
 * threshold, and the first of two children that follow one another; at a leaf, ~class.
 */
extern "C" __global__ void objclassifier(const int *integral, int pitch, const int4 *nodes,
	const int *roots, int ntrees, int across, int nwindows, int step, int *classes, int *hits)
{
	int window = blockIdx.x * blockDim.x + threadIdx.x;
	int votes[CLASSES];

	if (window >= nwindows)
		return;

	int at = window / across * step * pitch + window % across * step;

	for (int c = 0; c < CLASSES; c++)
		votes[c] = 0;
	for (int t = 0; t < ntrees; t++) {
		int4 n = nodes[roots[t]];

		while (n.w >= 0) {
			int left = sum(integral, at, pitch, n.x) * area(n.y);
			int right = sum(integral, at, pitch, n.y) * area(n.x);

			n = nodes[n.w + (left - right > n.z ? 1 : 0)];
		}
		votes[~n.w]++;
	}

	int best = 0;

	for (int c = 1; c < CLASSES; c++)
		best = votes[c] > votes[best] ? c : best;
	classes[window] = best;
	hits[window] = votes[best];
}
