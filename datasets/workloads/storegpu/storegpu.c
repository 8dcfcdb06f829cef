/*
 * storegpu: the sliding-window hashing of StoreGPU, as in Bakhoda's benchmarks: 384 blocks of 128
 * threads, MD5 of 52 bytes from every fourth on, of which the first word is kept; shared memory for
 * one block on a core, of which the original uses half too. Left out: its assembly of words from
 * single bytes, which changes nothing on these machines, its copies of the other words, and the
 * loop over several pieces, of which these windows have one. The bytes are random.
 *
 * The check computes MD5 from RFC 1321's description, and knows the digest of the empty text.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <string.h>

#define THREADS 128
#define PIECE 64
#define SIZE_MAX_BYTES 52 /* of a window: in one piece with its end mark and length */

static uint32_t turned(uint32_t v, unsigned by)
{
	return v << by | v >> (32 - by);
}

/* RFC 1321, 3.4, of a text of at most 55 bytes: the first word of the digest. */
static uint32_t digest(const uint8_t *text, uint32_t size)
{
	static const uint8_t shift[4][4] = {
		{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
	static const uint8_t factor[4] = {1, 5, 3, 7}, first[4] = {0, 1, 5, 0};
	uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
	uint8_t piece[PIECE] = {0};

	if (size)
		memcpy(piece, text, size);
	piece[size] = 0x80;
	piece[PIECE - 8] = (uint8_t)(8 * size);
	piece[PIECE - 7] = (uint8_t)(8 * size >> 8);
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t round = i / 16, k = (factor[round] * i + first[round]) % 16;
		uint32_t b = state[1], c = state[2], d = state[3], mixed, word, a;
		/* No sine of these is so near a whole number that its rounding mattered. */
		uint32_t constant = (uint32_t)(0x1p32 * fabs(sin(i + 1)));

		mixed = round == 0   ? (b & c) | (~b & d)
			: round == 1 ? (b & d) | (c & ~d)
			: round == 2 ? b ^ c ^ d
				     : c ^ (b | ~d);
		word = (uint32_t)piece[4 * k] | (uint32_t)piece[4 * k + 1] << 8 |
		       (uint32_t)piece[4 * k + 2] << 16 | (uint32_t)piece[4 * k + 3] << 24;
		a = b + turned(state[0] + mixed + word + constant, shift[round][i % 4]);
		state[0] = d;
		state[3] = c;
		state[2] = b;
		state[1] = a;
	}
	return 0x67452301 + state[0];
}

static void run(struct wl *w)
{
	uint32_t blocks = (uint32_t)wl_param(w, "blocks"), step = 4 * (uint32_t)wl_param(w, "step");
	uint32_t size = 4 * (uint32_t)wl_param(w, "size"), windows = blocks * THREADS;
	uint32_t missing = 4; /* bytes that the last window lacks: no more than a step */
	size_t bytes = (size_t)(windows - 1) * step + size - missing;
	struct wl_buf data = wl_alloc(w, "data", bytes);
	struct wl_buf digests = wl_alloc(w, "digests", windows * sizeof(uint32_t));
	uint32_t *want = wl_host(w, windows, sizeof(*want));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (size_t i = 0; i < bytes; i++)
		data.b[i] = (uint8_t)wl_below(&rng, 256);
	wl_upload(w, &data);
	WL_LAUNCH(w, "storegpu_md5", wl_dim(blocks, 1, 1), wl_dim(THREADS, 1, 1), 0, wl_p(&data),
		wl_i((int32_t)size), wl_i((int32_t)step), wl_i((int32_t)windows),
		wl_i((int32_t)missing), wl_p(&digests));
	for (uint32_t i = 0; i < windows; i++)
		want[i] =
			digest(data.b + (size_t)i * step, i + 1 < windows ? size : size - missing);
	if (digest(NULL, 0) != 0xd98c1dd4)
		wl_fail(w, "storegpu: the check's own MD5 is not that of RFC 1321");
	wl_check_u32(w, &digests, want, windows);
}

const struct workload wl_storegpu = {
	.name = "storegpu",
	.cls = "COH",
	.papers = "tbc",
	.suite = "Bakhoda",
	.summary = "MD5 of overlapping windows, a thread each, copied to shared memory",
	.params =
		{
			{"blocks", 384, 1, 65535, "blocks of 128 windows"},
			{"size", 13, 2, SIZE_MAX_BYTES / 4, "words of 4 bytes of a window"},
			{"step", 1, 1, 1024, "words from a window to the next"},
		},
	.tiny = "blocks=1",
	.run = run,
};
