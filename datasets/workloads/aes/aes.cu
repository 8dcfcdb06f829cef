/*
 * AES-128 by tables, after the AES of Bakhoda's benchmarks: a thread enciphers a column of 32 bits,
 * four neighbours a block of 16 bytes. The four tables that join SubBytes and MixColumns are copied
 * to shared memory; the state goes to and fro between two stages there, with a barrier at each
 * round. A thread picks a byte of each of four columns, which is ShiftRows, and looks each up,
 * which meets bank conflicts; the round's key comes through the read-only cache. All rounds are
 * written out, as in the original.
 */
#include "cuda.h"

#define THREADS 256

static __device__ __forceinline__ unsigned byte_of(const unsigned *words, int i, int byte)
{
	return ((const unsigned char *)(words + i))[byte];
}

/* One round but the last, from one stage to the other. */
#define ROUND(from, to, number)                                                                    \
	to[t] = table0[byte_of(from, t, 0)] ^ table1[byte_of(from, second, 1)] ^                   \
		table2[byte_of(from, third, 2)] ^ table3[byte_of(from, fourth, 3)] ^               \
		(unsigned)__ldg(&key[column + 4 * number]);                                        \
	__syncthreads();

/* key: the eleven round keys. tables: four of 256 words. */
extern "C" __global__ void aes_encrypt(
	const unsigned *in, unsigned *out, const int *key, const unsigned *tables)
{
	__shared__ unsigned stage1[THREADS], stage2[THREADS];
	__shared__ unsigned table0[256], table1[256], table2[256], table3[256];
	int t = threadIdx.x, column = t & 3, block = t & ~3;
	int second = block | ((column + 1) & 3);
	int third = block | ((column + 2) & 3);
	int fourth = block | ((column + 3) & 3);

	stage1[t] = in[blockIdx.x * THREADS + t];
	table0[t] = tables[t];
	table1[t] = tables[t + 256];
	table2[t] = tables[t + 512];
	table3[t] = tables[t + 768];
	__syncthreads();
	stage2[t] = stage1[t] ^ (unsigned)__ldg(&key[column]);
	__syncthreads();
	ROUND(stage2, stage1, 1)
	ROUND(stage1, stage2, 2)
	ROUND(stage2, stage1, 3)
	ROUND(stage1, stage2, 4)
	ROUND(stage2, stage1, 5)
	ROUND(stage1, stage2, 6)
	ROUND(stage2, stage1, 7)
	ROUND(stage1, stage2, 8)
	ROUND(stage2, stage1, 9)
	/* The last without MixColumns: a table's bytes that hold the plain S-box. */
	unsigned a = byte_of(table0, byte_of(stage1, t, 0), 1);
	unsigned b = byte_of(table1, byte_of(stage1, second, 1), 2);
	unsigned c = byte_of(table2, byte_of(stage1, third, 2), 3);
	unsigned d = byte_of(table3, byte_of(stage1, fourth, 3), 0);
	out[blockIdx.x * THREADS + t] =
		(a | b << 8 | c << 16 | d << 24) ^ (unsigned)__ldg(&key[column + 40]);
}
