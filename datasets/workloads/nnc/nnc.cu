/*
 * The distance of every record from a place, after Rodinia's first nn: one thread a record, which
 * reads latitude and longitude out of the record's text. Each is five characters, "nnn.n", padded
 * on the left with blanks, so a digit that is not there is skipped. Records are `width` characters
 * long and lie one after the other: each lane reads single bytes, far from its neighbours' and
 * aligned to nothing.
 * The loop of five that takes a field into registers is unrolled, as nvcc does by itself. An empty
 * asm keeps the branch around a digit, which the compiler would make a select.
 */
#include "cuda.h"

#define FIELD 5

static __device__ __forceinline__ float plus_digit(float sum, char digit, int worth)
{
	asm volatile("" : "+f"(sum));
	return sum + (digit - '0') * worth;
}

static __device__ __forceinline__ float degrees(const char *text)
{
	char digit[FIELD];
	float sum = 0;

#pragma unroll
	for (int i = 0; i < FIELD; i++)
		digit[i] = text[i];
	if (digit[0] != ' ')
		sum = plus_digit(sum, digit[0], 100);
	if (digit[1] != ' ')
		sum = plus_digit(sum, digit[1], 10);
	if (digit[2] != ' ')
		sum = plus_digit(sum, digit[2], 1);
	return sum + (float)(digit[4] - '0') / 10;
}

extern "C" __global__ void nnc_distance(const char *records, float latitude, float longitude,
	float *distance, int nrecords, int width, int at)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nrecords) {
		const char *text = records + i * width + at;
		float north = degrees(text) - latitude;
		float east = degrees(text + FIELD + 1) - longitude;

		distance[i] = sqrtf(north * north + east * east);
	}
}
