/*
 * Fat binaries: what compilers put into a program, several entries of PTX or machine code for one
 * source. Only PTX is of use here. An entry is stored as it is or compressed, by LZ4 as one raw
 * block or by zstd as a frame. The image lies in the program's own memory, so its lengths can be
 * checked against each other only.
 */
#include "rt.h"
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define WRAPPER_MAGIC 0x466243b1u
#define IMAGE_MAGIC 0xba55ed50u
#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u
#define FLAG_OURS (1ull << 62) /* trace-nvcc: device code that is linked */
#define TEXT_MAX (1ull << 30)
enum { KIND_PTX = 1 };
enum { BEST_ARCH = 89 }; /* beyond it PTX holds what the machine has not: wgmma, tensor copies */

struct wrapper {
	uint32_t magic, version;
	const void *data;
	const void *const *more; /* version 2: the objects' images, NULL-ended */
};

struct image {
	uint32_t magic;
	uint16_t version, header_bytes;
	uint64_t bytes; /* after the header */
};

struct entry {
	uint16_t kind, version;
	uint32_t header_bytes;
	uint64_t bytes; /* of the payload */
	uint32_t compressed_bytes, options;
	uint16_t minor, major;
	uint32_t arch, name, name_bytes;
	uint64_t flags, zero, raw_bytes;
};

const void *rt_fatbin_image(const void *wrapper, const void *const **several, struct tr_err *err)
{
	struct wrapper w;
	uint32_t magic;

	*several = NULL;
	memcpy(&magic, wrapper, sizeof(magic));
	if (magic == IMAGE_MAGIC)
		return wrapper;
	if (magic != WRAPPER_MAGIC) {
		tr_fail(err, TR_EDATA, 0, "what the program registers is no fat binary");
		return NULL;
	}
	memcpy(&w, wrapper, sizeof(w));
	if (w.version == 2 && w.more && *w.more)
		*several = w.more;
	return w.data;
}

static char *stored(const uint8_t *payload, const struct entry *e, struct tr_err *err)
{
	char *text = malloc(e->bytes + 1);

	if (!text) {
		tr_fail(err, TR_EMEM, 0, "no memory for the PTX of a fat binary");
		return NULL;
	}
	memcpy(text, payload, e->bytes);
	text[e->bytes] = 0;
	return text;
}

static char *expanded(const uint8_t *payload, const struct entry *e, struct tr_err *err)
{
	const uint64_t from = e->compressed_bytes ? e->compressed_bytes : e->bytes;
	char *text;
	uint64_t n;

	if (from > e->bytes || !e->raw_bytes || e->raw_bytes > TEXT_MAX) {
		tr_fail(err, TR_EDATA, 0, "a fat binary's compressed entry has wrong lengths");
		return NULL;
	}
	text = malloc(e->raw_bytes + 1);
	if (!text) {
		tr_fail(err, TR_EMEM, 0, "no memory for the PTX of a fat binary");
		return NULL;
	}
	if (e->flags & FLAG_LZ4) {
		const int r = LZ4_decompress_safe(
			(const char *)payload, text, (int)from, (int)e->raw_bytes);
		n = r < 0 ? UINT64_MAX : (uint64_t)r;
	} else {
		/* The payload is filled up to a multiple of 8: the frame says how long it is. */
		const size_t frame = ZSTD_findFrameCompressedSize(payload, from);
		n = ZSTD_isError(frame) ? UINT64_MAX
					: ZSTD_decompress(text, e->raw_bytes, payload, frame);
		if (n != UINT64_MAX && ZSTD_isError(n))
			n = UINT64_MAX;
	}
	if (n != e->raw_bytes) {
		tr_fail(err, TR_EDATA, 0, "a fat binary's compressed entry is damaged");
		free(text);
		return NULL;
	}
	text[n] = 0;
	return text;
}

/* Of two architectures: the higher one that the machine takes, else the lower. */
static bool better(uint32_t arch, uint32_t than)
{
	if (arch <= BEST_ARCH)
		return than > BEST_ARCH || arch > than;
	return than > BEST_ARCH && arch < than;
}

bool rt_fatbin_whole(const void *image, size_t n)
{
	struct image h;

	if (n < sizeof(h))
		return false;
	memcpy(&h, image, sizeof(h));
	return h.magic == IMAGE_MAGIC && h.header_bytes <= n && h.bytes <= n - h.header_bytes;
}

/* The PTX that serves the machine best. Its entry's header in *chosen; NULL, with *err. */
static const uint8_t *choose(const void *at, struct entry *chosen, struct tr_err *err)
{
	const uint8_t *p = at, *best = NULL;
	struct image h;
	struct entry e;
	uint64_t left;
	uint32_t other = 0;

	*chosen = (struct entry){0};
	memcpy(&h, p, sizeof(h));
	if (h.magic != IMAGE_MAGIC || h.header_bytes < sizeof(h)) {
		tr_fail(err, TR_EDATA, 0, "what the program registers is no fat binary");
		return NULL;
	}
	p += h.header_bytes;
	for (left = h.bytes; left; left -= e.header_bytes + e.bytes) {
		if (left < sizeof(e)) {
			tr_fail(err, TR_EDATA, 0, "a fat binary ends within an entry's header");
			return NULL;
		}
		memcpy(&e, p, sizeof(e));
		if (e.header_bytes < sizeof(e) || e.header_bytes > left ||
			e.bytes > left - e.header_bytes) {
			tr_fail(err, TR_EDATA, 0, "an entry of a fat binary has wrong lengths");
			return NULL;
		}
		if (e.kind == KIND_PTX && (!best || better(e.arch, chosen->arch))) {
			best = p + e.header_bytes;
			*chosen = e;
		} else if (e.kind != KIND_PTX) {
			other = e.arch;
		}
		p += e.header_bytes + e.bytes;
	}
	if (!best)
		tr_fail(err, TR_EDATA, 0,
			"the program holds machine code and no PTX: compile it with "
			"-gencode arch=compute_%u,code=compute_%u",
			other ? other : 60, other ? other : 60);
	return best;
}

char *rt_fatbin_ptx(const void *at, bool *relocatable, struct tr_err *err)
{
	struct entry chosen;
	const uint8_t *best = choose(at, &chosen, err);

	if (!best)
		return NULL;
	*relocatable = chosen.flags & FLAG_OURS;
	return chosen.flags & (FLAG_LZ4 | FLAG_ZSTD) ? expanded(best, &chosen, err)
						     : stored(best, &chosen, err);
}

uint32_t rt_fatbin_arch(const void *at)
{
	struct tr_err err;
	struct entry chosen;

	return choose(at, &chosen, &err) ? chosen.arch : 0;
}
