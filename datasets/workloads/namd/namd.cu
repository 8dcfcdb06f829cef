/*
 * Short-range forces between atoms, after NAMD's kernels for GPUs: a block of 64 threads has a pair
 * of neighbouring patches. Its threads are atoms of the first; atoms of the second come through
 * shared memory, 64 at a time. Where an atom is within the cut-off, which few are, the thread looks
 * up its exclusions by the difference of the atoms' numbers and the force in a table by the inverse
 * of the distance, both through the texture cache. What a pair of patches does to the atoms of the
 * first has a place of its own, and the second kernel adds these up. The table is not interpolated,
 * which the original has the texture unit do.
 */
#include "cuda.h"

#define THREADS 64

/* The atoms of both patches, from one on, and where the forces on those of the first go. */
struct pair {
	int first, size, other_first, other_size, place;
};

/* Of an atom: type for van der Waals, number, its exclusions' bit of itself, how far these go. */
extern "C" __global__ void namd_pairs(const pair *pairs, const float4 *atoms, const int4 *kinds,
	const unsigned *exclusions, const float2 *vdw, int types, const float4 *table,
	int entries, float scale, float cutoff2, float4 *parts)
{
	__shared__ float4 tile[THREADS];
	__shared__ int4 tile_kinds[THREADS];
	pair p = pairs[blockIdx.x];

	for (int i = threadIdx.x; i - (int)threadIdx.x < p.size; i += THREADS) {
		float4 at = atoms[p.first + min(i, p.size - 1)];
		int4 kind = kinds[p.first + min(i, p.size - 1)];
		float4 sum = make_float4(0, 0, 0, 0);

		for (int begin = 0; begin < p.other_size; begin += THREADS) {
			__syncthreads();
			if (begin + threadIdx.x < p.other_size) {
				tile[threadIdx.x] = atoms[p.other_first + begin + threadIdx.x];
				tile_kinds[threadIdx.x] =
					kinds[p.other_first + begin + threadIdx.x];
			}
			__syncthreads();
			if (i >= p.size)
				continue;
			int here = min(p.other_size - begin, THREADS);

			for (int j = 0; j < here; j++) {
				float4 other = tile[j];
				float dx = at.x - other.x, dy = at.y - other.y;
				float dz = at.z - other.z;
				float r2 = dx * dx + dy * dy + dz * dz;

				if (r2 >= cutoff2)
					continue;

				int4 its = tile_kinds[j];
				int apart = its.y - kind.y;

				if (apart >= -kind.w && apart <= kind.w) {
					int bit = kind.z + apart;

					if (__ldg(exclusions + (bit >> 5)) >> (bit & 31) & 1)
						continue;
				}

				int entry = min((int)(scale / sqrtf(r2)), entries - 1);
				float4 f = __ldg(table + entry);
				float2 ab = __ldg(vdw + kind.x * types + its.x);
				float charges = at.w * other.w;
				float force = charges * f.x - ab.y * f.y + ab.x * f.z;

				sum.x += force * dx;
				sum.y += force * dy;
				sum.z += force * dz;
				sum.w += charges * f.w +
					 r2 * (ab.x * f.z / 12.0f - ab.y * f.y / 6.0f);
			}
		}
		if (i < p.size)
			parts[p.place + i] = sum;
	}
}

/* A block adds up what the pairs of one patch did to its atoms; energies are halves of pairs'. */
extern "C" __global__ void namd_sum(const pair *pairs, const int *first_pair, const float4 *parts,
	float4 *forces)
{
	int begin = first_pair[blockIdx.x], end = first_pair[blockIdx.x + 1];

	for (int i = threadIdx.x; i < pairs[begin].size; i += THREADS) {
		float4 sum = make_float4(0, 0, 0, 0);

		for (int k = begin; k < end; k++) {
			float4 part = parts[pairs[k].place + i];

			sum.x += part.x;
			sum.y += part.y;
			sum.z += part.z;
			sum.w += 0.5f * part.w;
		}
		forces[pairs[begin].first + i] = sum;
	}
}
