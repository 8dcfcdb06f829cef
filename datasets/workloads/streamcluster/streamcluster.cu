/*
 * What opening a centre at point x would gain, after Rodinia's streamcluster: one thread a point.
 * The first thread of a block copies x to shared memory; coordinates are kept apart, [dimension]
 * [point], so that lanes read neighbours. A point that x would serve at less cost marks itself;
 * otherwise it notes, for the centre that serves it, what closing that one would cost. Points are
 * an array of structures and each has a row of its own for the notes: both uncoalesced, as there.
 * The original's bound of points also encloses the barrier.
 */
#include "cuda.h"

struct point {
	float weight;
	const float *coord; /* of the host */
	long assign;
	float cost;
};

extern "C" __global__ void pgain(const point *points, const float *coord, float *work,
	const int *centre_table, unsigned char *switches, int npoints, int dim, long x,
	int ncentres, int stride)
{
	extern __shared__ float x_coord[];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x == 0)
		for (int d = 0; d < dim; d++)
			x_coord[d] = coord[d * npoints + x];
	__syncthreads();

	if (i < npoints) {
		const float *own = coord + i;
		float x_cost = 0;

		for (int d = 0; d < dim; d++, own += npoints) {
			float diff = *own - x_coord[d];
			x_cost += diff * diff;
		}
		x_cost *= points[i].weight;

		float cost = points[i].cost;
		float *lower = work + i * stride;
		if (x_cost < cost) {
			switches[i] = 1;
			lower[ncentres] += x_cost - cost;
		} else {
			lower[centre_table[points[i].assign]] += cost - x_cost;
		}
	}
}
