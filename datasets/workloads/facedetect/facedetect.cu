/*
 * Faces in an image by a cascade of Haar classifiers (Viola and Jones). The first kernel makes the
 * integral images of values and squares, by scanning rows and turning the images, twice: a warp
 * scans a row, 32 pixels at a time. In the second a thread has one window of one scale. It goes
 * through the stages of the cascade; a stage adds up the votes of its features, each the weighted
 * sums of two or three rectangles, four corners of the integral image each, by the texture cache;
 * and the window is given up at the first stage that it fails, so few threads of a warp come far.
 */
#include "cuda.h"

#define ACROSS 32
#define DOWN 6

/*
 * Running sums along the rows of two arrays; row y of the input becomes column y of the output.
 * With `square` those of the second are of squares.
 */
extern "C" __global__ void scan_rows(const unsigned *in, const unsigned *in2, unsigned *out,
	unsigned *out2, int width, int height, int square)
{
	__shared__ unsigned line[2][DOWN][ACROSS], line2[2][DOWN][ACROSS];
	int row = threadIdx.y, y = blockIdx.x * DOWN + row, lane = threadIdx.x;
	unsigned before = 0, before2 = 0;

	if (y >= height)
		return;
	for (int x = lane; x - lane < width; x += ACROSS) {
		int at = y * width + min(x, width - 1), now = 0;
		unsigned sum = in[at], sum2 = in2[at] * (square ? in2[at] : 1);

		for (int d = 1; d < ACROSS; d *= 2) {
			line[now][row][lane] = sum;
			line2[now][row][lane] = sum2;
			__syncthreads();
			if (lane >= d) {
				sum += line[now][row][lane - d];
				sum2 += line2[now][row][lane - d];
			}
			now = 1 - now;
		}
		line[now][row][lane] = sum;
		line2[now][row][lane] = sum2;
		__syncthreads();
		if (x < width) {
			out[x * height + y] = before + sum;
			out2[x * height + y] = before2 + sum2;
		}
		before += line[now][row][ACROSS - 1];
		before2 += line2[now][row][ACROSS - 1];
		__syncthreads();
	}
}

static __device__ __forceinline__ unsigned area(const unsigned *at, int4 corner)
{
	return __ldg(at + corner.x) - __ldg(at + corner.y) - __ldg(at + corner.z) +
	       __ldg(at + corner.w);
}

/*
 * sums, squares: integral images. whole: the corners of a window. A stage: its first feature, and
 * the sum of votes it asks for; a feature: threshold, the votes below it and else, rectangles. Each
 * rectangle's corners are distances from the window's place; three are kept for a feature.
 */
extern "C" __global__ void detect(const unsigned *sums, const unsigned *squares, int pitch,
	int across, int down, const int4 *whole, float inverse, const int *first_feature,
	const float *asked, int stages, const float4 *features, const int4 *corners,
	const float *weights, int *reached)
{
	int x = blockIdx.x * ACROSS + threadIdx.x, y = blockIdx.y * DOWN + threadIdx.y;

	if (x >= across || y >= down)
		return;

	int4 all = __ldg(whole);
	int stage;

	sums += y * pitch + x;
	squares += y * pitch + x;
	float mean = area(sums, all) * inverse;
	float variance = area(squares, all) * inverse - mean * mean;
	float contrast = variance > 1.0f ? sqrtf(variance) : 1.0f;

	for (stage = 0; stage < stages; stage++) {
		int last = __ldg(first_feature + stage + 1);
		float votes = 0;

		for (int f = __ldg(first_feature + stage); f < last; f++) {
			float4 feature = __ldg(features + f);
			int rectangles = (int)feature.w;
			float value = 0;

			for (int r = 3 * f; r < 3 * f + rectangles; r++)
				value += __ldg(weights + r) *
					 area(sums, __ldg(corners + r));
			votes += value < feature.x * contrast ? feature.y : feature.z;
		}
		if (votes < __ldg(asked + stage))
			break;
	}
	reached[y * across + x] = stage;
}
