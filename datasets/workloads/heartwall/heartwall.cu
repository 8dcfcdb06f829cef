/*
 * Tracks points of a heart's wall from frame to frame of an ultrasound video, after Rodinia's
 * heartwall: a block of 512 threads a point. It correlates the point's template with the area
 * around it: a convolution, divided by the deviations of all windows, which come from cumulative
 * sums of a padded area. The largest correlation not too far from the last place is the new one.
 * Each phase is a loop over the elements of its array, with a barrier after it; few threads have
 * work in the cumulative sums, and one in the last search.
 */
#include "cuda.h"

#define THREADS 512
#define POINTS_MAX 51
#define TEMPLATE_MAX 51 /* across */
#define SCORES_MAX 131  /* likewise */
#define ELEMENTS(e, n) for (int e = threadIdx.x; e < (n); e += THREADS)

struct sizes {
	int frame_rows, frame_cols;
	int reach;  /* of the template, to each side */
	int search; /* of the search area */
	int across, area, scores, padded; /* of template, area, their convolution, padded area */
	int move;                         /* from frame to frame, across */
	int every;                        /* so many frames the template is renewed */
	int frames;
	float keep; /* how much of the template then stays */
};

/* Arrays are by columns. */
struct point {
	int row, col, number, pad;
	int *found;
	float *pattern, *area, *squared, *convolution, *cumulated, *selected, *sums, *square_sums;
	float *strip, *picked, *pattern_squared, *mask, *result;
};

extern "C" {
__constant__ sizes common;
__constant__ point points[POINTS_MAX];
}

/*
 * Sums of `in` over the template's window, for all places of the window: padded, cumulated along
 * columns, of which those at the window's ends are selected and subtracted, then along rows.
 */
static __device__ __forceinline__ void window_sums(
	const point *p, const float *in, float *out)
{
	float *cumulated = p->cumulated, *selected = p->selected;
	float *strip = p->strip, *picked = p->picked;
	int across = common.across, area = common.area;
	int scores = common.scores, padded = common.padded;

	ELEMENTS(e, padded * padded) {
		int row = e % padded, col = e / padded;

		if (row >= across && row < across + area && col >= across && col < across + area)
			cumulated[e] = in[(col - across) * area + row - across];
		else
			cumulated[e] = 0;
	}
	__syncthreads();
	ELEMENTS(col, padded) {
		float sum = 0;

		for (int i = col * padded; i < (col + 1) * padded; i++) {
			sum += cumulated[i];
			cumulated[i] = sum;
		}
	}
	__syncthreads();
	ELEMENTS(e, scores * padded)
		selected[e] = cumulated[e / scores * padded + e % scores + across];
	__syncthreads();
	ELEMENTS(e, scores * padded)
		strip[e] = cumulated[e / scores * padded + e % scores];
	__syncthreads();
	ELEMENTS(e, scores * padded)
		strip[e] = selected[e] - strip[e];
	__syncthreads();
	ELEMENTS(row, scores) {
		float sum = 0;

		for (int i = row; i < scores * padded; i += scores) {
			sum += strip[i];
			strip[i] = sum;
		}
	}
	__syncthreads();
	ELEMENTS(e, scores * scores)
		picked[e] = strip[e + across * scores];
	__syncthreads();
	ELEMENTS(e, scores * scores)
		out[e] = strip[e];
	__syncthreads();
	ELEMENTS(e, scores * scores)
		out[e] = picked[e] - out[e];
	__syncthreads();
}

/* In a convolution of n by m elements, the first and last of the n that element i takes. */
static __device__ __forceinline__ int first_of(int i, int m)
{
	int first = 0;

	if (i >= m)
		first = i - m + 1;
	return first;
}

static __device__ __forceinline__ int last_of(int i, int n)
{
	int last = i;

	if (i >= n)
		last = n - 1;
	return last;
}

extern "C" __global__ void heartwall_track(const float *frame, int number)
{
	__shared__ float turned[TEMPLATE_MAX * TEMPLATE_MAX];
	__shared__ float partial[TEMPLATE_MAX], partial_square[TEMPLATE_MAX];
	__shared__ float total, total_square, deviation, best[SCORES_MAX];
	__shared__ int best_at[SCORES_MAX], place[2];
	const point *p = points + blockIdx.x;
	int across = common.across, area = common.area, scores = common.scores;
	int elements = across * across, t = threadIdx.x;
	int *found = p->found + 2 * p->number * common.frames;
	/* Where the search area lies: the template's place, which is renewed with it. */
	int *home = p->found + 2 * gridDim.x * common.frames + 2 * p->number;
	float *pattern = p->pattern;

	if (number == 0) {
		if (t == 0) {
			found[0] = home[0] = p->row;
			found[1] = home[1] = p->col;
		}
		ELEMENTS(e, elements) {
			int row = p->row - common.reach + e % across;
			int col = p->col - common.reach + e / across;

			pattern[e] = frame[col * common.frame_rows + row];
		}
		return;
	}

	float *search = p->area, *convolution = p->convolution;
	int top = home[0] - common.search, left = home[1] - common.search;
	ELEMENTS(e, area * area)
		search[e] = frame[(left + e / area) * common.frame_rows + top + e % area];
	__syncthreads();
	ELEMENTS(e, elements)
		turned[e] = pattern[(across - 1 - e / across) * across + across - 1 - e % across];
	__syncthreads();

	ELEMENTS(e, scores * scores) {
		int row = e % scores, col = e / scores;
		int a1 = first_of(col, area), a2 = last_of(col, across);
		int b1 = first_of(row, area), b2 = last_of(row, across);
		float sum = 0;

		for (int a = a1; a <= a2; a++)
			for (int b = b1; b <= b2; b++)
				sum += turned[across * a + b] * search[area * (col - a) + row - b];
		convolution[e] = sum;
	}
	__syncthreads();

	float *sums = p->sums, *square_sums = p->square_sums;
	float *squared = p->squared, *pattern_squared = p->pattern_squared;
	window_sums(p, search, sums);
	ELEMENTS(e, area * area)
		squared[e] = search[e] * search[e];
	__syncthreads();
	window_sums(p, squared, square_sums);
	ELEMENTS(e, scores * scores) {
		float variance = square_sums[e] - sums[e] * sums[e] / elements;

		if (variance < 0)
			variance = 0;
		square_sums[e] = sqrtf(variance);
	}
	__syncthreads();

	ELEMENTS(e, elements)
		pattern_squared[e] = pattern[e] * pattern[e];
	__syncthreads();
	ELEMENTS(col, across) {
		float sum = 0;

		for (int i = 0; i < across; i++)
			sum += pattern[col * across + i];
		partial[col] = sum;
	}
	__syncthreads();
	ELEMENTS(row, across) {
		float sum = 0;

		for (int i = 0; i < across; i++)
			sum += pattern_squared[row + across * i];
		partial_square[row] = sum;
	}
	__syncthreads();
	if (t == 0) {
		total = 0;
		for (int i = 0; i < across; i++)
			total += partial[i];
	} else if (t == 1) {
		total_square = 0;
		for (int i = 0; i < across; i++)
			total_square += partial_square[i];
	}
	__syncthreads();
	if (t == 0) {
		float mean = total / elements;

		deviation = sqrtf((float)(elements - 1)) *
			    sqrtf(total_square / elements - mean * mean);
	}
	__syncthreads();
	ELEMENTS(e, scores * scores)
		square_sums[e] *= deviation;
	__syncthreads();
	ELEMENTS(e, scores * scores)
		convolution[e] -= sums[e] * total / elements;
	__syncthreads();
	ELEMENTS(e, scores * scores)
		square_sums[e] = convolution[e] / square_sums[e];
	__syncthreads();

	/* A mark at the last place, and by its convolution with a square the places near that. */
	float *mask = p->mask, *result = p->result;
	int centre = common.reach + common.search;
	int mark_row = centre + found[2 * number - 2] - home[0];
	int mark_col = centre + found[2 * number - 1] - home[1];
	ELEMENTS(e, scores * scores) {
		if (e == mark_col * scores + mark_row)
			mask[e] = 1;
		else
			mask[e] = 0;
	}
	__syncthreads();
	ELEMENTS(e, scores * scores) {
		int row = e % scores + common.move / 2, col = e / scores + common.move / 2;
		int a1 = first_of(col, common.move), a2 = last_of(col, scores);
		int b1 = first_of(row, common.move), b2 = last_of(row, scores);
		float sum = 0;

		for (int a = a1; a <= a2; a++)
			for (int b = b1; b <= b2; b++)
				sum += mask[scores * a + b];
		result[e] = square_sums[e] * sum;
	}
	__syncthreads();

	ELEMENTS(col, scores) {
		float largest = 0;
		int at = 0;

		for (int i = col * scores; i < (col + 1) * scores; i++)
			if (fabsf(result[i]) > largest) {
				largest = fabsf(result[i]);
				at = i;
			}
		best[col] = largest;
		best_at[col] = at;
	}
	__syncthreads();
	if (t == 0) {
		float largest = 0;
		int at = 0;

		for (int i = 0; i < scores; i++)
			if (best[i] > largest) {
				largest = best[i];
				at = best_at[i];
			}
		found[2 * number] = place[0] = home[0] + at % scores - centre;
		found[2 * number + 1] = place[1] = home[1] + at / scores - centre;
	}
	__syncthreads();

	if (number % common.every == 0) {
		int edge = common.search;
		int row = min(max(place[0], edge), common.frame_rows - 1 - edge);
		int col = min(max(place[1], edge), common.frame_cols - 1 - edge);

		if (t == 0) {
			home[0] = row;
			home[1] = col;
		}
		ELEMENTS(e, elements) {
			int y = row - common.reach + e % across, x = col - common.reach + e / across;

			pattern[e] = common.keep * pattern[e] +
				     (1.0f - common.keep) * frame[x * common.frame_rows + y];
		}
	}
}
