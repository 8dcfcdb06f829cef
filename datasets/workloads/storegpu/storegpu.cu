/*
 * MD5 of overlapping windows, after StoreGPU's sliding-window hashing: a thread hashes `size` bytes
 * from every `step`-th on, and keeps the first word of the digest. A window, which is shorter than
 * the 56 bytes that leave room for its length in one piece of 64, is copied to shared memory, where
 * the words of a warp's threads are interleaved by 32 so that each has a bank of its own; the 64
 * steps, written out, read it from there. The last thread's window is shorter.
 */
#include "cuda.h"

#define WORDS 16 /* of a piece */

#define MIX1(x, y, z) (z ^ (x & (y ^ z)))
#define MIX2(x, y, z) (y ^ (z & (x ^ y)))
#define MIX3(x, y, z) (x ^ y ^ z)
#define MIX4(x, y, z) (y ^ (x | ~z))

/* RFC 1321, 3.4. */
#define STEP(mix, a, b, c, d, k, s, t)                                                             \
	a += mix(b, c, d) + piece[32 * k] + t;                                                     \
	a = (a << s | a >> (32 - s)) + b;

extern "C" __global__ void storegpu_md5(
	const unsigned char *data, int size, int step, int windows, int missing, unsigned *digests)
{
	/* As much as the original takes; a block of 128 threads uses half. */
	__shared__ unsigned pieces[4 * 1024 - 32];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= windows)
		return;
	if (i == windows - 1)
		size -= missing;

	unsigned *piece = pieces + (threadIdx.x >> 5) * (32 * WORDS) + (threadIdx.x & 31);
	const unsigned *in = (const unsigned *)(data + i * step);
	int words = size / 4;

	for (int k = 13; k > words; k--)
		piece[32 * k] = 0;
	for (int k = 0; k < words; k++)
		piece[32 * k] = in[k];
	piece[32 * words] = 0x80;
	piece[32 * 14] = size << 3;
	piece[32 * 15] = size >> 29;

	unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
	/* clang-format off */
	STEP(MIX1, a, b, c, d, 0, 7, 0xd76aa478) STEP(MIX1, d, a, b, c, 1, 12, 0xe8c7b756)
	STEP(MIX1, c, d, a, b, 2, 17, 0x242070db) STEP(MIX1, b, c, d, a, 3, 22, 0xc1bdceee)
	STEP(MIX1, a, b, c, d, 4, 7, 0xf57c0faf) STEP(MIX1, d, a, b, c, 5, 12, 0x4787c62a)
	STEP(MIX1, c, d, a, b, 6, 17, 0xa8304613) STEP(MIX1, b, c, d, a, 7, 22, 0xfd469501)
	STEP(MIX1, a, b, c, d, 8, 7, 0x698098d8) STEP(MIX1, d, a, b, c, 9, 12, 0x8b44f7af)
	STEP(MIX1, c, d, a, b, 10, 17, 0xffff5bb1) STEP(MIX1, b, c, d, a, 11, 22, 0x895cd7be)
	STEP(MIX1, a, b, c, d, 12, 7, 0x6b901122) STEP(MIX1, d, a, b, c, 13, 12, 0xfd987193)
	STEP(MIX1, c, d, a, b, 14, 17, 0xa679438e) STEP(MIX1, b, c, d, a, 15, 22, 0x49b40821)
	STEP(MIX2, a, b, c, d, 1, 5, 0xf61e2562) STEP(MIX2, d, a, b, c, 6, 9, 0xc040b340)
	STEP(MIX2, c, d, a, b, 11, 14, 0x265e5a51) STEP(MIX2, b, c, d, a, 0, 20, 0xe9b6c7aa)
	STEP(MIX2, a, b, c, d, 5, 5, 0xd62f105d) STEP(MIX2, d, a, b, c, 10, 9, 0x02441453)
	STEP(MIX2, c, d, a, b, 15, 14, 0xd8a1e681) STEP(MIX2, b, c, d, a, 4, 20, 0xe7d3fbc8)
	STEP(MIX2, a, b, c, d, 9, 5, 0x21e1cde6) STEP(MIX2, d, a, b, c, 14, 9, 0xc33707d6)
	STEP(MIX2, c, d, a, b, 3, 14, 0xf4d50d87) STEP(MIX2, b, c, d, a, 8, 20, 0x455a14ed)
	STEP(MIX2, a, b, c, d, 13, 5, 0xa9e3e905) STEP(MIX2, d, a, b, c, 2, 9, 0xfcefa3f8)
	STEP(MIX2, c, d, a, b, 7, 14, 0x676f02d9) STEP(MIX2, b, c, d, a, 12, 20, 0x8d2a4c8a)
	STEP(MIX3, a, b, c, d, 5, 4, 0xfffa3942) STEP(MIX3, d, a, b, c, 8, 11, 0x8771f681)
	STEP(MIX3, c, d, a, b, 11, 16, 0x6d9d6122) STEP(MIX3, b, c, d, a, 14, 23, 0xfde5380c)
	STEP(MIX3, a, b, c, d, 1, 4, 0xa4beea44) STEP(MIX3, d, a, b, c, 4, 11, 0x4bdecfa9)
	STEP(MIX3, c, d, a, b, 7, 16, 0xf6bb4b60) STEP(MIX3, b, c, d, a, 10, 23, 0xbebfbc70)
	STEP(MIX3, a, b, c, d, 13, 4, 0x289b7ec6) STEP(MIX3, d, a, b, c, 0, 11, 0xeaa127fa)
	STEP(MIX3, c, d, a, b, 3, 16, 0xd4ef3085) STEP(MIX3, b, c, d, a, 6, 23, 0x04881d05)
	STEP(MIX3, a, b, c, d, 9, 4, 0xd9d4d039) STEP(MIX3, d, a, b, c, 12, 11, 0xe6db99e5)
	STEP(MIX3, c, d, a, b, 15, 16, 0x1fa27cf8) STEP(MIX3, b, c, d, a, 2, 23, 0xc4ac5665)
	STEP(MIX4, a, b, c, d, 0, 6, 0xf4292244) STEP(MIX4, d, a, b, c, 7, 10, 0x432aff97)
	STEP(MIX4, c, d, a, b, 14, 15, 0xab9423a7) STEP(MIX4, b, c, d, a, 5, 21, 0xfc93a039)
	STEP(MIX4, a, b, c, d, 12, 6, 0x655b59c3) STEP(MIX4, d, a, b, c, 3, 10, 0x8f0ccc92)
	STEP(MIX4, c, d, a, b, 10, 15, 0xffeff47d) STEP(MIX4, b, c, d, a, 1, 21, 0x85845dd1)
	STEP(MIX4, a, b, c, d, 8, 6, 0x6fa87e4f) STEP(MIX4, d, a, b, c, 15, 10, 0xfe2ce6e0)
	STEP(MIX4, c, d, a, b, 6, 15, 0xa3014314) STEP(MIX4, b, c, d, a, 13, 21, 0x4e0811a1)
	STEP(MIX4, a, b, c, d, 4, 6, 0xf7537e82) STEP(MIX4, d, a, b, c, 11, 10, 0xbd3af235)
	STEP(MIX4, c, d, a, b, 2, 15, 0x2ad7d2bb) STEP(MIX4, b, c, d, a, 9, 21, 0xeb86d391)
	/* clang-format on */
	digests[i] = a + 0x67452301;
}
