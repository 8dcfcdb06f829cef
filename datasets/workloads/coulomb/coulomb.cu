/*
 * Coulombic potential on a plane of grid points, after Parboil's cp: atoms in constant memory,
 * eight points a thread, 16 apart so that stores coalesce, unrolled by hand as in the original. An
 * atom is x, y, the square of its distance from the plane, and charge.
 */
#include "cuda.h"

#define BLOCK_X 16
#define ATOMS_MAX 4000
#define EACH(POINT) POINT(0) POINT(1) POINT(2) POINT(3) POINT(4) POINT(5) POINT(6) POINT(7)

extern "C" {
__constant__ float4 atoms[ATOMS_MAX];
}

extern "C" __global__ void coulomb(int natoms, float spacing, float *energy)
{
	int x = blockIdx.x * blockDim.x * 8 + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int out = gridDim.x * blockDim.x * 8 * y + x;
	float at_x = spacing * x, at_y = spacing * y, apart = spacing * BLOCK_X;

#define ZERO(k) float sum##k = 0;
	EACH(ZERO)
	for (int i = 0; i < natoms; i++) {
		float dy = at_y - atoms[i].y;
		float dyz2 = dy * dy + atoms[i].z;
		float dx = at_x - atoms[i].x;
#define ADD(k) sum##k += atoms[i].w * rsqrtf(dx * dx + dyz2); dx += apart;
		EACH(ADD)
	}
#define STORE(k) energy[out + k * BLOCK_X] += sum##k;
	EACH(STORE)
}
