/*
 * The assignment step of k-means after Rodinia's kmeans: one thread a point, which goes over all
 * centres and for each over all features. A feature lies at point * point_stride + feature *
 * feature_stride: point by point (1 as feature_stride) each lane reads its own row, uncoalesced;
 * feature by feature, as invert_mapping lays them out, lanes read neighbours. Features and centres
 * are in global memory.
 * The update of the minimum is a select, as any compiler for these machines makes it.
 */
#include "cuda.h"

extern "C" __global__ void invert_mapping(const float *in, float *out, int npoints, int nfeatures)
{
	int point = blockIdx.x * blockDim.x + threadIdx.x;

	if (point < npoints)
		for (int f = 0; f < nfeatures; f++)
			out[point + npoints * f] = in[point * nfeatures + f];
}

extern "C" __global__ void kmeans_point(const float *features, const float *centres,
	int *membership, int npoints, int nfeatures, int nclusters, int point_stride,
	int feature_stride)
{
	int block = blockIdx.y * gridDim.x + blockIdx.x;
	int point = block * blockDim.x + threadIdx.x;

	if (point < npoints) {
		int nearest = -1;
		float least = 3.4e38f;
		for (int c = 0; c < nclusters; c++) {
			float dist = 0;
			for (int f = 0; f < nfeatures; f++) {
				float diff = features[point * point_stride + f * feature_stride] -
					centres[c * nfeatures + f];
				dist += diff * diff;
			}
			if (dist < least) {
				least = dist;
				nearest = c;
			}
		}
		membership[point] = nearest;
	}
}
