/*
 * Lines of a text that stands there plainly, or in xz or zstd frames, as the first bytes tell. A
 * stream that stops in the middle of a frame is an error, and so is a NUL byte.
 */
#include "sim/convert/lines.h"
#include <errno.h>
#include <lzma.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define IN_BYTES (1u << 16)
#define TEXT_BYTES (1u << 18)
#define XZ_MEMORY (256u << 20)
#define HEADER_MAX 6 /* bytes that tell what a file is */

enum packing { PLAIN, XZ, ZSTD };

struct cv_lines {
	FILE *f;
	const char *name;
	uint64_t number;
	enum packing packing;
	lzma_stream xz;
	ZSTD_DStream *zstd;
	int open_frame; /* zstd: between the beginning and the end of a frame */
	int done;       /* nothing more will come into text */
	int in_done;    /* nor into in */
	size_t in_pos, in_len;
	size_t pos, len, cap; /* text[pos] ... text[len - 1] has not been handed out */
	char *text;
	uint8_t in[IN_BYTES];
};

static int fill_in(struct cv_lines *l, struct tr_err *err)
{
	if (l->in_pos < l->in_len || l->in_done)
		return 1;
	l->in_pos = 0;
	l->in_len = fread(l->in, 1, sizeof(l->in), l->f);
	l->in_done = l->in_len < sizeof(l->in);
	return ferror(l->f)
		       ? tr_fail(err, TR_EIO, 0, "cannot read '%s': %s", l->name, strerror(errno))
		       : 1;
}

static int no_memory(const struct cv_lines *l, struct tr_err *err)
{
	return tr_fail(err, TR_EMEM, 0, "no memory to read '%s'", l->name);
}

static int damaged(const struct cv_lines *l, struct tr_err *err)
{
	return tr_fail(err, TR_EDATA, 0, "%s: damaged or truncated %s data after line %llu",
		l->name, l->packing == XZ ? "xz" : "zstd", (unsigned long long)l->number);
}

int cv_lines_open(struct cv_lines **out, FILE *f, const char *name, struct tr_err *err)
{
	static const uint8_t xz_magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
	static const uint8_t zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};
	struct cv_lines *l = calloc(1, sizeof(*l));
	int rc;

	*out = l;
	if (!l)
		return tr_fail(err, TR_EMEM, 0, "no memory to read '%s'", name);
	l->f = f;
	l->name = name;
	l->cap = TEXT_BYTES;
	l->text = malloc(l->cap + 1);
	rc = l->text ? fill_in(l, err) : no_memory(l, err);
	if (rc > 0 && l->in_len >= HEADER_MAX && !memcmp(l->in, xz_magic, sizeof(xz_magic))) {
		l->packing = XZ;
		if (lzma_stream_decoder(&l->xz, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
			rc = no_memory(l, err);
	} else if (rc > 0 && l->in_len >= HEADER_MAX &&
		   !memcmp(l->in, zstd_magic, sizeof(zstd_magic))) {
		l->packing = ZSTD;
		l->zstd = ZSTD_createDStream();
		if (!l->zstd)
			rc = no_memory(l, err);
	}
	if (rc < 0) {
		cv_lines_close(l);
		*out = NULL;
	}
	return rc;
}

void cv_lines_close(struct cv_lines *l)
{
	if (!l)
		return;
	lzma_end(&l->xz);
	ZSTD_freeDStream(l->zstd);
	free(l->text);
	free(l);
}

/* ---- more text: each adds to l->text what it can and says when there is no more ---- */

static int more_plain(struct cv_lines *l)
{
	const size_t have = l->in_len - l->in_pos, room = l->cap - l->len;
	const size_t n = have < room ? have : room;

	memcpy(l->text + l->len, l->in + l->in_pos, n);
	l->in_pos += n;
	l->len += n;
	l->done = l->in_done && l->in_pos == l->in_len;
	return 1;
}

static int more_xz(struct cv_lines *l, struct tr_err *err)
{
	lzma_ret rc;

	l->xz.next_in = l->in + l->in_pos;
	l->xz.avail_in = l->in_len - l->in_pos;
	l->xz.next_out = (uint8_t *)l->text + l->len;
	l->xz.avail_out = l->cap - l->len;
	rc = lzma_code(&l->xz, l->in_done ? LZMA_FINISH : LZMA_RUN);
	l->in_pos = l->in_len - l->xz.avail_in;
	l->len = l->cap - l->xz.avail_out;
	l->done = rc == LZMA_STREAM_END;
	if (rc == LZMA_MEM_ERROR || rc == LZMA_MEMLIMIT_ERROR)
		return no_memory(l, err);
	return rc == LZMA_OK || rc == LZMA_STREAM_END ? 1 : damaged(l, err);
}

static int more_zstd(struct cv_lines *l, struct tr_err *err)
{
	ZSTD_inBuffer in = {l->in, l->in_len, l->in_pos};
	ZSTD_outBuffer out = {l->text, l->cap, l->len};
	const size_t rc = ZSTD_decompressStream(l->zstd, &out, &in);
	const int moved = in.pos > l->in_pos || out.pos > l->len;

	if (ZSTD_isError(rc))
		return damaged(l, err);
	if (moved)
		l->open_frame = rc != 0;
	l->in_pos = in.pos;
	l->len = out.pos;
	l->done = l->in_done && in.pos == in.size && !moved;
	return l->done && l->open_frame ? damaged(l, err) : 1;
}

static int more(struct cv_lines *l, struct tr_err *err)
{
	int rc;

	if (l->pos) {
		memmove(l->text, l->text + l->pos, l->len - l->pos);
		l->len -= l->pos;
		l->pos = 0;
	}
	if (l->len == l->cap) {
		char *bigger = l->cap < CV_LINE_MAX ? realloc(l->text, 2 * l->cap + 1) : NULL;

		if (!bigger)
			return tr_fail(err, l->cap < CV_LINE_MAX ? TR_EMEM : TR_EDATA, 0,
				"%s:%llu: the line is longer than %zu bytes", l->name,
				(unsigned long long)l->number + 1, l->cap);
		l->text = bigger;
		l->cap *= 2;
	}
	rc = fill_in(l, err);
	if (rc < 0)
		return rc;
	return l->packing == XZ     ? more_xz(l, err)
	       : l->packing == ZSTD ? more_zstd(l, err)
				    : more_plain(l);
}

int cv_lines_next(struct cv_lines *l, char **line, size_t *len, struct tr_err *err)
{
	size_t searched = 0, n;
	char *lf;

	while (!(lf = memchr(l->text + l->pos + searched, '\n', l->len - l->pos - searched)) &&
		!l->done) {
		int rc;

		searched = l->len - l->pos;
		rc = more(l, err);
		if (rc < 0)
			return rc;
	}
	if (!lf && l->pos == l->len)
		return 0;
	*line = l->text + l->pos;
	n = lf ? (size_t)(lf - *line) : l->len - l->pos;
	l->pos += n + (lf != NULL);
	l->number++;
	if (n && (*line)[n - 1] == '\r')
		n--;
	(*line)[n] = 0;
	*len = n;
	return memchr(*line, 0, n) ? cv_lines_fail(l, err, "a NUL byte: this is no text") : 1;
}

int cv_lines_fail(const struct cv_lines *l, struct tr_err *err, const char *fmt, ...)
{
	char why[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (!l->number)
		return tr_fail(err, TR_EDATA, 0, "%s: %s", l->name, why);
	return tr_fail(
		err, TR_EDATA, 0, "%s:%llu: %s", l->name, (unsigned long long)l->number, why);
}
