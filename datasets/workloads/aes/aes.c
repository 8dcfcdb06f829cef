/*
 * aes: AES-128 of Bakhoda's benchmarks, which enciphers a picture of 257 blocks of 256 threads;
 * here random bytes of that length, after a first block of 16 that is the example of FIPS 197,
 * appendix B, with its key. Left out: the decoding and AES-256 of the original, and its table of
 * the bytes to pick, which are computed here.
 *
 * The check enciphers byte by byte as FIPS 197 says, without tables but the S-box, which it derives
 * from inverses in GF(2^8); and it knows what the standard says of its example.
 */
#include "datasets/workloads/input.h"
#include <string.h>

#define THREADS 256
#define ROUNDS 10
#define BLOCK 16

static const uint8_t example_key[BLOCK] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab,
	0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
static const uint8_t example_in[BLOCK] = {0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d, 0x31,
	0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34};
static const uint8_t example_out[BLOCK] = {0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb, 0xdc,
	0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32};

struct cipher {
	uint8_t sbox[256], key[(ROUNDS + 1) * BLOCK];
};

static uint8_t times(uint8_t a, uint8_t b)
{
	uint8_t product = 0;

	for (; b; b >>= 1) {
		if (b & 1)
			product ^= a;
		a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
	}
	return product;
}

static void make_sbox(uint8_t *sbox)
{
	for (unsigned v = 0; v < 256; v++) {
		uint8_t inverse = 1, out = 0x63;

		for (int i = 0; i < 254; i++) /* v^254 = 1 / v, and 0 of 0 */
			inverse = times(inverse, (uint8_t)v);
		for (int turn = 0; turn < 5; turn++)
			out ^= (uint8_t)(inverse << turn | inverse >> (8 - turn));
		sbox[v] = out;
	}
}

static void expand_key(struct cipher *c, const uint8_t *key)
{
	uint8_t constant = 1;

	memcpy(c->key, key, BLOCK);
	for (int i = BLOCK; i < (ROUNDS + 1) * BLOCK; i += 4)
		for (int b = 0; b < 4; b++) {
			uint8_t last = c->key[i + b - 4];

			if (i % BLOCK == 0) {
				last = c->sbox[c->key[i - 4 + (b + 1) % 4]];
				if (b == 0) {
					last ^= constant;
					constant = times(constant, 2);
				}
			}
			c->key[i + b] = c->key[i + b - BLOCK] ^ last;
		}
}

/* Byte b of column x is at 4 x + b. */
static void encipher(const struct cipher *c, const uint8_t *in, uint8_t *out)
{
	uint8_t state[BLOCK], moved[BLOCK];

	for (int i = 0; i < BLOCK; i++)
		state[i] = in[i] ^ c->key[i];
	for (int round = 1; round <= ROUNDS; round++) {
		for (int x = 0; x < 4; x++)
			for (int b = 0; b < 4; b++)
				moved[4 * x + b] = c->sbox[state[4 * ((x + b) % 4) + b]];
		for (int i = 0; i < BLOCK; i++) {
			const uint8_t *column = moved + i / 4 * 4;
			uint8_t v = moved[i];

			if (round < ROUNDS)
				v = (uint8_t)(times(v, 2) ^ times(column[(i + 1) % 4], 3) ^
					      column[(i + 2) % 4] ^ column[(i + 3) % 4]);
			state[i] = v ^ c->key[round * BLOCK + i];
		}
	}
	memcpy(out, state, BLOCK);
}

/* Table r: what a byte of row r gives to the column after MixColumns. */
static void make_tables(const struct cipher *c, uint32_t *tables)
{
	static const uint8_t factor[4] = {2, 1, 1, 3};

	for (unsigned r = 0; r < 4; r++)
		for (unsigned v = 0; v < 256; v++)
			for (unsigned b = 0; b < 4; b++)
				tables[256 * r + v] |=
					(uint32_t)times(c->sbox[v], factor[(b + 4 - r) % 4])
					<< 8 * b;
}

static void run(struct wl *w)
{
	uint32_t blocks = (uint32_t)wl_param(w, "blocks");
	size_t bytes = (size_t)blocks * THREADS * sizeof(uint32_t);
	struct wl_buf in = wl_alloc(w, "text", bytes), out = wl_alloc(w, "enciphered", bytes);
	struct wl_buf key = wl_alloc(w, "key", (ROUNDS + 1) * BLOCK);
	struct wl_buf tables = wl_alloc(w, "tables", 4 * 256 * sizeof(uint32_t));
	uint8_t *want = wl_host(w, bytes, 1);
	struct cipher c;
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	make_sbox(c.sbox);
	expand_key(&c, example_key);
	memcpy(key.p, c.key, sizeof(c.key));
	make_tables(&c, tables.u);
	wl_rng_start(&rng, w, 0);
	memcpy(in.p, example_in, BLOCK);
	for (size_t i = BLOCK; i < bytes; i++)
		in.b[i] = (uint8_t)wl_below(&rng, 256);
	wl_upload(w, &in);
	wl_upload(w, &key);
	wl_upload(w, &tables);
	wl_registers(w, 32); /* TBC table 1: 2 blocks of 256 on 16384 registers */
	WL_LAUNCH(w, "aes_encrypt", wl_dim(blocks, 1, 1), wl_dim(THREADS, 1, 1), 0, wl_p(&in),
		wl_p(&out), wl_p(&key), wl_p(&tables));
	for (size_t i = 0; i < bytes; i += BLOCK)
		encipher(&c, in.b + i, want + i);
	if (memcmp(want, example_out, BLOCK) != 0)
		wl_fail(w, "aes: the check's own cipher is not that of FIPS 197");
	wl_check_u8(w, &out, want, bytes);
}

const struct workload wl_aes = {
	.name = "aes",
	.cls = "COH",
	.papers = "tbc",
	.suite = "Bakhoda",
	.summary = "AES-128 by tables in shared memory, a thread a column of 32 bits",
	.params =
		{
			{"blocks", 257, 1, 65535, "blocks of 256 threads, 1024 bytes each"},
		},
	.tiny = "blocks=1",
	.run = run,
};
