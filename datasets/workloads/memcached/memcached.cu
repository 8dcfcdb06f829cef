/*
 * The GET side of memcached after Hetherington, O'Connor, Aamodt (ISPASS 2012): one request a
 * thread. Hash the key, walk the bucket's chain, compare keys, copy the value out. The hash is
 * Jenkins's lookup3, which is memcached's own; a key has up to 250 bytes, by its protocol.
 */
#include "cuda.h"

#define KEY_MAX 252 /* 250, and bytes of zero up to whole words */

struct request {
	uint nkey;
	uchar key[KEY_MAX];
};

/* The value follows the key, at the next word. Places in the heap count words; 0 is no item. */
struct item {
	uint next, time, exptime, nbytes, nkey;
	uchar key[1];
};
#define HEADER_WORDS 5

static __device__ __forceinline__ uint turn(uint x, uint k)
{
	return x << k | x >> (32 - k);
}

/* Three words a trip; those after the key are zero. */
static __device__ __forceinline__ uint hash_key(const uchar *key, uint nkey)
{
	const uint *word = (const uint *)key;
	uint a = 0xdeadbeef + nkey, b = a, c = a;

	for (uint left = nkey; left > 12; left -= 12) {
		a += *word++;
		b += *word++;
		c += *word++;
		a = (a - c) ^ turn(c, 4), c += b;
		b = (b - a) ^ turn(a, 6), a += c;
		c = (c - b) ^ turn(b, 8), b += a;
		a = (a - c) ^ turn(c, 16), c += b;
		b = (b - a) ^ turn(a, 19), a += c;
		c = (c - b) ^ turn(b, 4), b += a;
	}
	a += word[0];
	b += word[1];
	c += word[2];
	c = (c ^ b) - turn(b, 14);
	a = (a ^ c) - turn(c, 11);
	b = (b ^ a) - turn(a, 25);
	c = (c ^ b) - turn(b, 16);
	a = (a ^ c) - turn(c, 4);
	b = (b ^ a) - turn(a, 14);
	return (c ^ b) - turn(b, 24);
}

static __device__ __forceinline__ bool same_key(const uchar *a, const uchar *b, uint nkey)
{
	uint i = 0;

	while (i < nkey && a[i] == b[i])
		i++;
	return i == nkey;
}

extern "C" __global__ void memcached_get(const request *requests, const uint *table, uint mask,
	uint *heap, uint now, int *found, uint *replies, uint reply_words, uint n)
{
	uint tid = blockIdx.x * blockDim.x + threadIdx.x;

	if (tid >= n)
		return;

	const request *req = &requests[tid];
	uint nkey = req->nkey, place = table[hash_key(req->key, nkey) & mask];
	item *it;

	for (;; place = it->next) {
		if (!place) {
			found[tid] = -1;
			return;
		}
		it = (item *)(heap + place);
		if (it->nkey == nkey && same_key(it->key, req->key, nkey))
			break;
	}
	if (it->exptime && it->exptime <= now) {
		found[tid] = -1;
		return;
	}
	it->time = now;

	const uint *value = heap + place + HEADER_WORDS + (nkey + 3) / 4;
	uint *reply = replies + (size_t)tid * reply_words;
	uint nbytes = it->nbytes;

	for (uint i = 0; i < (nbytes + 3) / 4; i++)
		reply[i] = value[i];
	found[tid] = (int)nbytes;
}
