/*
 * One Jacobi step of Laplace's equation in three dimensions, after the LPS of Bakhoda's set,
 * Giles's laplace3d: a block of 32 x 4 goes up through the planes with three of them, each with a
 * halo, in shared memory. The halo's rows are fetched by the first two rows of threads, its columns
 * by a few threads of the third. Values on the surface stay.
 */
#include "cuda.h"

#define X 32
#define Y 4

extern "C" __global__ void laplace(const float *u, float *v, int nx, int ny, int nz)
{
	__shared__ float below[Y + 2][X + 2], here[Y + 2][X + 2], above[Y + 2][X + 2];
	const float sixth = 1.0f / 6.0f;
	int tx = threadIdx.x, ty = threadIdx.y;
	int x = blockIdx.x * X + tx, y = blockIdx.y * Y + ty;
	int at = x + y * nx, plane = nx * ny;
	bool active = x < nx && y < ny;

	bool halo = ty < 2 || ty * X + tx < 2 * (X + Y);
	int hx = 0, hy = 0, halo_at = 0;
	if (halo) {
		if (ty < 2) {
			hx = tx + 1;
			hy = ty * (Y + 1);
		} else {
			hx = (tx % 2) * (X + 1);
			hy = tx / 2 + 1;
		}
		int gx = blockIdx.x * X + hx - 1, gy = blockIdx.y * Y + hy - 1;
		halo_at = gx + gy * nx;
		halo = gx >= 0 && gx < nx && gy >= 0 && gy < ny;
	}
	tx++;
	ty++;

	if (active)
		above[ty][tx] = u[at];
	if (halo)
		above[hy][hx] = u[halo_at];
	for (int z = 0; z < nz; z++) {
		if (active) {
			below[ty][tx] = here[ty][tx];
			here[ty][tx] = above[ty][tx];
			if (z < nz - 1)
				above[ty][tx] = u[at + plane];
		}
		if (halo) {
			halo_at += plane;
			below[hy][hx] = here[hy][hx];
			here[hy][hx] = above[hy][hx];
			if (z < nz - 1)
				above[hy][hx] = u[halo_at];
		}
		__syncthreads();
		if (active) {
			float r;
			if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1)
				r = here[ty][tx];
			else
				r = sixth * (here[ty][tx - 1] + here[ty][tx + 1] + here[ty - 1][tx] +
					here[ty + 1][tx] + below[ty][tx] + above[ty][tx]);
			v[at] = r;
			at += plane;
		}
		__syncthreads();
	}
}
