/*
 * The trace of one kernel as a sequence of events, from text or from .tracez. The text is read line
 * by line, a .tracez warp by warp; neither is ever held as a whole.
 *
 * Left out: which SM a warp ran on, clusters of CTAs, and the registers' values of newer tracers.
 */
#include "sim/convert/accel.h"
#include "sim/convert/lines.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define WARPS_MAX (TR_CTA_THREADS_MAX / TR_GROUP)
#define HEADER_MAX (1u << 20)
#define DICT_MAX (1u << 24)
#define CHUNK_MAX (1u << 26) /* bytes of a sub-chunk, raw or packed */

struct accel_file_state {
	const char *name;
	int lead;            /* tokens before a PC; -1: no instruction line seen yet */
	uint32_t insts, due; /* lines of the warp: read so far, in all */
	uint32_t warps_seen; /* of the CTA, as bits */
	bool in_cta, in_warp;

	struct cv_lines *lines; /* text */

	/* .tracez */
	FILE *f;
	uint64_t chunks_end, index_at; /* the index: where the next CTA's part is read */
	uint32_t ctas, cta_at;
	struct warp_index {
		uint32_t insts, chunks;
		uint64_t offset;
	} warps[WARPS_MAX];
	uint32_t nwarps, warp_at, chunk_at;
	ZSTD_DCtx *zstd;
	uint8_t *dict, *packed;
	uint32_t dict_len;
	char *chunk, *chunk_next;
	size_t chunk_cap, packed_cap;
};

int accel_file_fail(const struct accel_file *file, struct tr_err *err, const char *fmt, ...)
{
	const struct accel_file_state *s = file->state;
	char why[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (s->lines)
		return cv_lines_fail(s->lines, err, "%s", why);
	if (s->in_warp)
		return tr_fail(err, TR_EDATA, 0,
			"%s: thread block %u,%u,%u, warp %u, instruction %u: %s", s->name,
			file->cta[0], file->cta[1], file->cta[2], file->warp, s->insts, why);
	return tr_fail(err, TR_EDATA, 0, "%s: %s", s->name, why);
}

static int no_memory(const struct accel_file *file, struct tr_err *err)
{
	return tr_fail(err, TR_EMEM, 0, "no memory to read '%s'", file->state->name);
}

/* ---- the header ---- */

static const char *skip_spaces(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

static bool all_of(const char *p, uint64_t v, uint64_t max)
{
	return !*skip_spaces(p) && v <= max;
}

static bool parse_uint(const char *p, int base, uint64_t max, uint64_t *out)
{
	char *end;

	p = skip_spaces(p);
	if (!isxdigit((unsigned char)*p))
		return false;
	errno = 0;
	*out = strtoull(p, &end, base);
	return !errno && all_of(end, *out, max);
}

static bool parse_u32(const char *p, uint32_t *out)
{
	uint64_t v;

	if (!parse_uint(p, 10, UINT32_MAX, &v))
		return false;
	*out = (uint32_t)v;
	return true;
}

/* Three numbers with commas, `last` after them. */
static bool parse_three(const char *p, uint32_t out[3], const char *last)
{
	for (int i = 0; i < 3; i++) {
		char *end;
		unsigned long long v;

		p = skip_spaces(p);
		if (!isdigit((unsigned char)*p))
			return false;
		v = strtoull(p, &end, 10);
		p = skip_spaces(end);
		if (v > UINT32_MAX || (i < 2 && *p++ != ','))
			return false;
		out[i] = (uint32_t)v;
	}
	return !strncmp(p, last, strlen(last)) && !*skip_spaces(p + strlen(last));
}

static bool parse_dim(const char *p, uint32_t out[3])
{
	p = skip_spaces(p);
	return *p == '(' && parse_three(p + 1, out, ")");
}

/* A line `-key = value`. An unknown key is somebody's extension. */
static int header_line(struct accel_file *file, const char *line, struct tr_err *err)
{
	struct accel_header *h = &file->header;
	const char *value = strchr(line, '=');
	char key[40];
	size_t n = 0;
	bool good = true;

	if (!value)
		return accel_file_fail(file, err, "a header line is -KEY = VALUE");
	for (const char *p = line + 1; p < value && n < sizeof(key) - 1; p++)
		key[n++] = *p;
	while (n && key[n - 1] == ' ')
		n--;
	key[n] = 0;
	value++;
	if (!strcmp(key, "kernel name")) {
		free(h->kernel);
		h->kernel = strdup(skip_spaces(value));
		if (!h->kernel)
			return no_memory(file, err);
		for (n = strlen(h->kernel); n && isspace((unsigned char)h->kernel[n - 1]);)
			h->kernel[--n] = 0;
	} else if (!strcmp(key, "grid dim")) {
		good = parse_dim(value, h->grid);
	} else if (!strcmp(key, "block dim")) {
		good = parse_dim(value, h->block);
	} else if (!strcmp(key, "cluster dim")) {
		good = parse_dim(value, h->cluster);
	} else if (!strcmp(key, "shmem")) {
		good = parse_u32(value, &h->shared_bytes);
	} else if (!strcmp(key, "nregs")) {
		good = parse_u32(value, &h->registers);
	} else if (!strcmp(key, "binary version")) {
		good = parse_u32(value, &h->binary_version);
	} else if (!strcmp(key, "cuda stream id")) {
		uint64_t v = 0;

		good = parse_uint(value, 10, UINT64_MAX, &v);
		h->queue = (uint32_t)(v ^ v >> 32);
	} else if (!strcmp(key, "shmem base_addr")) {
		good = parse_uint(value, 16, UINT64_MAX, &h->shared_base);
	} else if (!strcmp(key, "local mem base_addr")) {
		good = parse_uint(value, 16, UINT64_MAX, &h->local_base);
	}
	return good ? 1 : accel_file_fail(file, err, "'%s' is no value of %s", value, key);
}

static int check_header(struct accel_file *file, struct tr_err *err)
{
	const struct accel_header *h = &file->header;
	uint64_t ctas = 1, threads = 1, cluster = 1;
	const bool clusters = h->cluster[0] || h->cluster[1] || h->cluster[2];

	if (!h->kernel || !*h->kernel)
		return accel_file_fail(file, err, "the header names no kernel");
	for (int i = 0; i < 3; i++) {
		if (!h->grid[i] || !h->block[i])
			return accel_file_fail(file, err, "the header lacks a grid or a block");
		ctas = ctas <= UINT32_MAX ? ctas * h->grid[i] : ctas;
		threads = threads <= TR_CTA_THREADS_MAX ? threads * h->block[i] : threads;
	}
	if (ctas >= UINT32_MAX || threads > TR_CTA_THREADS_MAX)
		return accel_file_fail(file, err, "the grid or the block is too large");
	for (int i = 0; clusters && i < 3; i++) {
		cluster *= h->cluster[i];
		if (!cluster || cluster > TR_CLUSTER_CTAS_MAX || h->grid[i] % h->cluster[i])
			return accel_file_fail(file, err,
				"the clusters do not divide the grid, or have more than 16 CTAs");
	}
	file->warps = ((uint32_t)threads + TR_GROUP - 1) / TR_GROUP;
	return 1;
}

/* ---- what text and .tracez have in common ---- */

static int begin_cta(struct accel_file *file, struct tr_err *err)
{
	file->state->in_cta = true;
	file->state->warps_seen = 0;
	for (int i = 0; i < 3; i++)
		if (file->cta[i] >= file->header.grid[i])
			return accel_file_fail(file, err,
				"thread block %u,%u,%u lies outside of the grid", file->cta[0],
				file->cta[1], file->cta[2]);
	return ACCEL_CTA;
}

static int begin_warp(struct accel_file *file, struct tr_err *err)
{
	struct accel_file_state *s = file->state;

	if (file->warp >= file->warps)
		return accel_file_fail(file, err, "a thread block has no warp %u", file->warp);
	if (s->warps_seen >> file->warp & 1)
		return accel_file_fail(file, err, "warp %u stands twice", file->warp);
	s->warps_seen |= 1u << file->warp;
	s->in_warp = true;
	s->insts = s->due = 0;
	return ACCEL_WARP;
}

static int end_warp(struct accel_file *file, struct tr_err *err)
{
	struct accel_file_state *s = file->state;

	if (s->in_warp && s->insts != s->due)
		return accel_file_fail(file, err, "warp %u has %u of its %u instructions",
			file->warp, s->insts, s->due);
	s->in_warp = false;
	return 1;
}

static int instruction(struct accel_file *file, const char *line, struct tr_err *err)
{
	struct accel_file_state *s = file->state;
	const char *why;

	if (s->insts == s->due)
		return accel_file_fail(
			file, err, "more than the %u instructions of warp %u", s->due, file->warp);
	if (s->lead < 0)
		s->lead = accel_line_lead(line);
	if (s->lead < 0)
		return accel_file_fail(file, err, "this is no instruction");
	s->insts++;
	why = accel_line_read(line, s->lead, &file->line);
	return why ? accel_file_fail(file, err, "%s", why) : ACCEL_INST;
}

/* ---- text ---- */

static int open_text(struct accel_file *file, FILE *f, struct tr_err *err)
{
	struct accel_file_state *s = file->state;
	char *line;
	size_t len;
	int rc = cv_lines_open(&s->lines, f, s->name, err);

	while (rc > 0 && (rc = cv_lines_next(s->lines, &line, &len, err)) > 0) {
		const char *p = skip_spaces(line);

		if (*p == '#')
			return check_header(file, err);
		if (*p == '-')
			rc = header_line(file, p, err);
		else if (*p)
			rc = accel_file_fail(file, err, "this is no header line");
	}
	return rc ? rc : accel_file_fail(file, err, "the file ends within its header");
}

/* True if line is `key = ...`; *value is then what follows. */
static bool is_key(const char *line, const char *key, const char **value)
{
	const size_t n = strlen(key);

	if (strncmp(line, key, n))
		return false;
	line = skip_spaces(line + n);
	*value = line + 1;
	return *line == '=';
}

/* A line of the body: an event, 0 if it is none, or TR_E*. */
static int body_line(struct accel_file *file, const char *line, struct tr_err *err)
{
	struct accel_file_state *s = file->state;
	const char *value;
	int rc;

	if (*line == '#') {
		if (!strncmp(line, "#BEGIN_TB", 9))
			return s->in_cta ? accel_file_fail(file, err,
						   "a thread block begins within another one")
					 : 0;
		if (strncmp(line, "#END_TB", 7))
			return 0;
		if (!s->in_cta)
			return accel_file_fail(file, err, "no thread block ends here");
		rc = end_warp(file, err);
		s->in_cta = false;
		return rc < 0 ? rc : ACCEL_CTA_END;
	}
	if (is_key(line, "thread block", &value)) {
		if (s->in_cta)
			return accel_file_fail(
				file, err, "a thread block begins within another one");
		if (!parse_three(value, file->cta, ""))
			return accel_file_fail(file, err, "a thread block is X,Y,Z");
		return begin_cta(file, err);
	}
	if (!strncmp(line, "cluster", 7))
		return 0;
	if (!s->in_cta)
		return accel_file_fail(file, err, "this stands outside of a thread block");
	if (is_key(line, "warp", &value)) {
		rc = end_warp(file, err);
		if (rc < 0)
			return rc;
		if (!parse_u32(value, &file->warp))
			return accel_file_fail(file, err, "this is no warp");
		return begin_warp(file, err);
	}
	if (!s->in_warp)
		return accel_file_fail(file, err, "this stands outside of a warp");
	if (is_key(line, "insts", &value))
		return s->due || !parse_u32(value, &s->due)
			       ? accel_file_fail(file, err, "this is no number of instructions")
			       : 0;
	return instruction(file, line, err);
}

static int next_text(struct accel_file *file, struct tr_err *err)
{
	struct accel_file_state *s = file->state;
	char *line;
	size_t len;
	int rc;

	while ((rc = cv_lines_next(s->lines, &line, &len, err)) > 0) {
		const char *p = skip_spaces(line);

		rc = *p ? body_line(file, p, err) : 0;
		if (rc)
			return rc;
	}
	if (!rc && s->in_cta)
		return accel_file_fail(file, err, "the file ends within a thread block");
	return rc;
}

/* ---- .tracez ---- */

static bool read_u32(struct accel_file_state *s, uint32_t *v)
{
	uint8_t b[4];

	*v = 0;
	if (fread(b, 1, sizeof(b), s->f) != sizeof(b))
		return false;
	*v = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	return true;
}

static bool read_u64(struct accel_file_state *s, uint64_t *v)
{
	uint32_t low, high;

	if (!read_u32(s, &low) || !read_u32(s, &high))
		return false;
	*v = (uint64_t)high << 32 | low;
	return true;
}

static bool seek(struct accel_file_state *s, uint64_t offset)
{
	return offset <= s->chunks_end && !fseeko(s->f, (off_t)offset, SEEK_SET);
}

static int cut(const struct accel_file *file, struct tr_err *err)
{
	return accel_file_fail(file, err, "the file is damaged or cut off");
}

static int open_tracez(struct accel_file *file, FILE *f, struct tr_err *err)
{
	struct accel_file_state *s = file->state;
	uint32_t chunk_insts;
	uint64_t index = 0;
	char *line = NULL;
	size_t cap = 0, all = 0;
	off_t body;
	int rc = 1, c = 0;

	s->f = f;
	s->zstd = ZSTD_createDCtx();
	if (!s->zstd)
		return no_memory(file, err);
	/* Lines up to a NUL, the last one perhaps without an LF. */
	while (rc > 0 && c != EOF && all < HEADER_MAX) {
		size_t n = 0;

		while ((c = getc(f)) != EOF && c && c != '\n' && all++ < HEADER_MAX) {
			if (n + 1 >= cap) {
				char *bigger = realloc(line, cap = 2 * cap + 64);

				if (!bigger) {
					free(line);
					return no_memory(file, err);
				}
				line = bigger;
			}
			line[n++] = (char)c;
		}
		if (n) {
			line[n] = 0;
			if (*skip_spaces(line) == '-')
				rc = header_line(file, skip_spaces(line), err);
		}
		if (!c)
			break;
	}
	free(line);
	if (rc > 0)
		rc = c ? cut(file, err) : check_header(file, err);
	if (rc < 0)
		return rc;
	if (!read_u32(s, &s->dict_len) || !read_u32(s, &chunk_insts) || s->dict_len > DICT_MAX)
		return cut(file, err);
	body = ftello(f);
	if (body < 0 || fseeko(f, -8, SEEK_END))
		return cut(file, err);
	s->chunks_end = (uint64_t)ftello(f);
	if (!read_u64(s, &index) || (uint64_t)body + s->dict_len > s->chunks_end ||
		!seek(s, (uint64_t)body))
		return cut(file, err);
	if (s->dict_len) {
		s->dict = malloc(s->dict_len);
		if (!s->dict)
			return no_memory(file, err);
		if (fread(s->dict, 1, s->dict_len, f) != s->dict_len)
			return cut(file, err);
	}
	if (!seek(s, index) || !read_u32(s, &s->ctas))
		return cut(file, err);
	s->index_at = index + 4;
	return 1;
}

/* The index of the next CTA. */
static int next_tracez_cta(struct accel_file *file, struct tr_err *err)
{
	struct accel_file_state *s = file->state;
	uint32_t cluster;
	bool good = seek(s, s->index_at);

	for (int i = 0; good && i < 3; i++)
		good = read_u32(s, &file->cta[i]);
	for (int i = 0; good && i < 7; i++)
		good = read_u32(s, &cluster);
	if (!good || !read_u32(s, &s->nwarps))
		return cut(file, err);
	if (s->nwarps > file->warps)
		return accel_file_fail(file, err, "a thread block has no warp %u", file->warps);
	for (uint32_t w = 0; w < s->nwarps; w++)
		if (!read_u32(s, &s->warps[w].insts) || !read_u32(s, &s->warps[w].chunks) ||
			!read_u64(s, &s->warps[w].offset) ||
			fseeko(s->f, (off_t)s->warps[w].chunks * 4, SEEK_CUR))
			return cut(file, err);
	s->index_at = (uint64_t)ftello(s->f);
	s->cta_at++;
	s->warp_at = 0;
	return begin_cta(file, err);
}

static int next_tracez_warp(struct accel_file *file, struct tr_err *err)
{
	struct accel_file_state *s = file->state;
	const struct warp_index *w = &s->warps[s->warp_at];
	uint32_t insts, chunks;
	int rc;

	if (!seek(s, w->offset) || !read_u32(s, &insts) || !read_u32(s, &chunks) ||
		insts != w->insts || chunks != w->chunks)
		return cut(file, err);
	file->warp = s->warp_at++;
	s->chunk_at = 0;
	s->chunk_next = NULL;
	rc = begin_warp(file, err);
	s->due = insts;
	return rc;
}

/* At least n bytes at *p. */
static bool room(void **p, size_t *cap, size_t n)
{
	void *bigger;

	if (n <= *cap)
		return true;
	bigger = realloc(*p, n);
	if (!bigger)
		return false;
	*p = bigger;
	*cap = n;
	return true;
}

static int next_chunk(struct accel_file *file, struct tr_err *err)
{
	struct accel_file_state *s = file->state;
	unsigned long long raw;
	uint32_t n;
	size_t len;

	if (!read_u32(s, &n) || n > CHUNK_MAX || (uint64_t)ftello(s->f) + n > s->chunks_end)
		return cut(file, err);
	if (!room((void **)&s->packed, &s->packed_cap, (size_t)n + 1))
		return no_memory(file, err);
	if (fread(s->packed, 1, n, s->f) != n)
		return cut(file, err);
	raw = ZSTD_getFrameContentSize(s->packed, n);
	if (raw > CHUNK_MAX)
		return cut(file, err);
	if (!room((void **)&s->chunk, &s->chunk_cap, (size_t)raw + 1))
		return no_memory(file, err);
	len = ZSTD_decompress_usingDict(
		s->zstd, s->chunk, (size_t)raw, s->packed, n, s->dict, s->dict_len);
	if (ZSTD_isError(len) || memchr(s->chunk, 0, len))
		return cut(file, err);
	s->chunk[len] = 0;
	s->chunk_next = s->chunk;
	s->chunk_at++;
	return 1;
}

/* Cuts the next line off the chunk; NULL: there is none. */
static char *chunk_line(struct accel_file_state *s)
{
	char *line = s->chunk_next, *lf;

	if (!line || !*line)
		return NULL;
	lf = strchr(line, '\n');
	if (lf)
		*lf = 0;
	s->chunk_next = lf ? lf + 1 : NULL;
	return line;
}

static int next_tracez(struct accel_file *file, struct tr_err *err)
{
	struct accel_file_state *s = file->state;
	int rc;

	while (s->in_warp) {
		const char *line = chunk_line(s);

		if (line && *skip_spaces(line) && strncmp(line, "REPLAY_", 7))
			return instruction(file, line, err);
		if (line)
			continue;
		rc = s->chunk_at < s->warps[s->warp_at - 1].chunks ? next_chunk(file, err)
								   : end_warp(file, err);
		if (rc < 0)
			return rc;
	}
	if (s->in_cta && s->warp_at < s->nwarps)
		return next_tracez_warp(file, err);
	if (s->in_cta) {
		s->in_cta = false;
		return ACCEL_CTA_END;
	}
	return s->cta_at < s->ctas ? next_tracez_cta(file, err) : ACCEL_END;
}

/* ---- either ---- */

int accel_file_open(struct accel_file **out, FILE *f, const char *name, struct tr_err *err)
{
	struct accel_file *file = calloc(1, sizeof(*file));
	const size_t n = strlen(name);
	int rc;

	*out = NULL;
	if (file)
		file->state = calloc(1, sizeof(*file->state));
	if (!file || !file->state) {
		free(file);
		return tr_fail(err, TR_EMEM, 0, "no memory to read '%s'", name);
	}
	file->state->name = name;
	file->state->lead = -1;
	rc = n > 7 && !strcmp(name + n - 7, ".tracez") ? open_tracez(file, f, err)
						       : open_text(file, f, err);
	if (rc > 0)
		*out = file;
	else
		accel_file_close(file);
	return rc;
}

int accel_file_next(struct accel_file *file, struct tr_err *err)
{
	return file->state->lines ? next_text(file, err) : next_tracez(file, err);
}

void accel_file_close(struct accel_file *file)
{
	if (!file)
		return;
	cv_lines_close(file->state->lines);
	ZSTD_freeDCtx(file->state->zstd);
	free(file->state->dict);
	free(file->state->packed);
	free(file->state->chunk);
	free(file->state);
	free(file->header.kernel);
	free(file);
}
