/*
 * Lennard-Jones forces over link cells, after the thread-per-atom kernel of CoMD for CUDA: a thread
 * goes over the 27 cells about its atom's and over the atoms of each, and computes where the
 * distance is within the cut-off, which few are. Cells hold up to 64 atoms, in arrays of
 * coordinates; two lists give each thread its atom's cell and place. The box is periodic: a cell
 * beyond the edge is the one at the other side, and the thread's atom is moved by the box's length
 * for it, where the original has a list of neighbours and copies of the cells at the edges. Floats,
 * where the original's default are doubles.
 */
#include "cuda.h"

#define PLACES 64 /* of a cell */

extern "C" __global__ void comd_force(const int *cell_of, const int *place_of, int natoms,
	const int *atoms_in, const float *x, const float *y, const float *z, float *fx, float *fy,
	float *fz, float *energy, int side, float length, float cutoff2, float sigma6,
	float epsilon, float shift)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;

	if (tid >= natoms)
		return;

	int cell = cell_of[tid], i = cell * PLACES + place_of[tid];
	int cx = cell % side, cy = cell / side % side, cz = cell / side / side;
	float xi = x[i], yi = y[i], zi = z[i];
	float sum_x = 0, sum_y = 0, sum_z = 0, sum_e = 0;

	for (int kz = cz - 1; kz <= cz + 1; kz++) {
		int z_at = kz;
		float from_z = zi;

		if (kz < 0) {
			z_at = side - 1;
			from_z = zi + length;
		} else if (kz == side) {
			z_at = 0;
			from_z = zi - length;
		}
		for (int ky = cy - 1; ky <= cy + 1; ky++) {
			int y_at = ky;
			float from_y = yi;

			if (ky < 0) {
				y_at = side - 1;
				from_y = yi + length;
			} else if (ky == side) {
				y_at = 0;
				from_y = yi - length;
			}
			for (int kx = cx - 1; kx <= cx + 1; kx++) {
				int x_at = kx;
				float from_x = xi;

				if (kx < 0) {
					x_at = side - 1;
					from_x = xi + length;
				} else if (kx == side) {
					x_at = 0;
					from_x = xi - length;
				}

				int other = (z_at * side + y_at) * side + x_at;
				int first = other * PLACES, n = atoms_in[other];

				for (int j = first; j < first + n; j++) {
					float dx = from_x - x[j];
					float dy = from_y - y[j];
					float dz = from_z - z[j];
					float r2 = dx * dx + dy * dy + dz * dz;

					if (r2 <= cutoff2 && r2 > 0.0f) {
						float ir2 = 1.0f / r2;
						float r6 = sigma6 * (ir2 * ir2 * ir2);
						float f = 4.0f * epsilon * r6 * ir2 *
							  (12.0f * r6 - 6.0f);

						sum_e += r6 * (r6 - 1.0f) - shift;
						sum_x += dx * f;
						sum_y += dy * f;
						sum_z += dz * f;
					}
				}
			}
		}
	}
	fx[i] = sum_x;
	fy[i] = sum_y;
	fz[i] = sum_z;
	energy[i] = 2.0f * epsilon * sum_e;
}
