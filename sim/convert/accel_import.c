/*
 * Accel-Sim traces become a thread trace. Each kernel's file is read twice: the first reading finds
 * the program (accel_graph.c), the second one makes CTAs. Memory is bounded by one CTA and one
 * program. Launches whose programs come out the same share one.
 */
#include "libtrace/buf.h"
#include "sim/convert/accel.h"
#include "sim/convert/lines.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* cudaFree is not in the list: an allocation stands until another one takes its place. */
struct alloc {
	struct tr_alloc a;
	bool gone;
};

#define QUEUES_MAX 256 /* whose last launch is remembered */

struct import {
	const struct cv_input *in;
	struct tr_writer *w;
	struct tr_cta cta;
	struct known {
		XXH128_hash_t hash; /* of a program's bytes */
		uint32_t number;
	} * programs;
	size_t nprograms;
	uint32_t position; /* in the stream of API calls */
	uint32_t launches;
	struct queue {
		uint32_t queue, launch;
	} queues[QUEUES_MAX];
	unsigned nqueues;
	struct tr_copy *copies; /* since the last launch */
	uint32_t ncopies;
	struct alloc **allocs;  /* in the order of the list */
	struct tr_alloc *shown; /* those of them that stand, for the launch */
	uint32_t nallocs;
	uint32_t nlisted;           /* allocations so far, for their names */
	void *standing;             /* tree of `allocs`, none of which overlaps another */
	struct accel_doubts doubts; /* of all kernels */
	struct accel_merged merged; /* likewise, where lines are counted */
	bool lines;
	uint64_t missing;              /* CTAs */
	uint64_t ignored;              /* lines of the list */
	struct accel_listing *listing; /* NULL: none */
	uint64_t listed, unlisted;     /* launches whose kernel is in it, and not */
	char unlisted_kernel[128];     /* one of them */
};

static int no_memory(struct tr_err *err)
{
	return tr_fail(err, TR_EMEM, 0, "no memory to convert a trace");
}

/* ---- one kernel ---- */

struct kernel {
	struct accel_file *file;
	struct accel_graph *graph;
	uint64_t next; /* CTA that comes next */
	uint64_t ctas;
};

static uint64_t all_ctas(const struct accel_header *h)
{
	return (uint64_t)h->grid[0] * h->grid[1] * h->grid[2];
}

static int with_place(const struct kernel *k, int rc, const struct tr_err *why, struct tr_err *err)
{
	return rc == TR_EDATA ? accel_file_fail(k->file, err, "%s", why->msg)
			      : tr_fail(err, rc, why->offset, "%s", why->msg);
}

static int cta_end(struct import *im, struct kernel *k, struct tr_err *err)
{
	struct tr_err why = {0};
	int rc = accel_graph_cta_end(k->graph, &why);

	if (rc > 0 && im) {
		im->cta.number = (uint32_t)k->next;
		rc = tr_writer_cta(im->w, &im->cta, &why);
	}
	k->next++;
	return rc < 0 ? with_place(k, rc, &why, err) : 1;
}

/* CTAs that the file leaves out did nothing. */
static int fill_up(struct import *im, struct kernel *k, uint64_t to, struct tr_err *err)
{
	int rc = 1;

	if (!im && k->next < to) { /* once is enough to know that there are such threads */
		rc = accel_graph_cta(k->graph, NULL, err);
		if (rc > 0)
			rc = cta_end(NULL, k, err);
		k->next = to;
	}
	while (rc > 0 && k->next < to) {
		im->missing++;
		rc = accel_graph_cta(k->graph, &im->cta, err);
		if (rc > 0)
			rc = cta_end(im, k, err);
	}
	return rc;
}

static int cta_begin(struct import *im, struct kernel *k, struct tr_err *err)
{
	const uint32_t *grid = k->file->header.grid, *at = k->file->cta;
	const uint64_t number = ((uint64_t)at[2] * grid[1] + at[1]) * grid[0] + at[0];
	int rc;

	if (number < k->next)
		return accel_file_fail(k->file, err,
			"thread block %u,%u,%u stands after its place: x runs fastest, then y",
			at[0], at[1], at[2]);
	k->ctas++;
	rc = fill_up(im, k, number, err);
	return rc > 0 ? accel_graph_cta(k->graph, im ? &im->cta : NULL, err) : rc;
}

/* One reading; im is NULL in the first. */
static int read_kernel(struct import *im, struct kernel *k, struct tr_err *err)
{
	struct tr_err why = {0};
	int event, rc = 1;

	k->next = k->ctas = 0;
	while (rc > 0 && (event = accel_file_next(k->file, err)) > 0) {
		switch (event) {
		case ACCEL_CTA:
			rc = cta_begin(im, k, err);
			break;
		case ACCEL_WARP:
			rc = accel_graph_warp(k->graph, k->file->warp, &why);
			break;
		case ACCEL_INST:
			rc = accel_graph_line(k->graph, &k->file->line, &why);
			break;
		default:
			rc = cta_end(im, k, err);
		}
		if (rc < 0 && why.code)
			with_place(k, rc, &why, err);
	}
	if (rc < 0 || event < 0)
		return rc < 0 ? rc : event;
	if (k->ctas < all_ctas(&k->file->header) - k->ctas)
		return accel_file_fail(k->file, err,
			"only %llu of the %llu thread blocks of the grid are there",
			(unsigned long long)k->ctas,
			(unsigned long long)all_ctas(&k->file->header));
	return fill_up(im, k, all_ctas(&k->file->header), err);
}

/* The program's number in the stream; it is written if it is new. */
static int64_t program_number(struct import *im, const struct tr_program *p, struct tr_err *err)
{
	struct known *bigger;
	struct tr_buf bytes = {0};
	XXH128_hash_t hash;
	int64_t number;

	if (tr_program_write(p, &bytes) < 0) {
		tr_buf_free(&bytes);
		return no_memory(err);
	}
	hash = XXH3_128bits(bytes.p, bytes.len);
	tr_buf_free(&bytes);
	for (size_t i = 0; i < im->nprograms; i++)
		if (XXH128_isEqual(hash, im->programs[i].hash))
			return im->programs[i].number;
	bigger = realloc(im->programs, (im->nprograms + 1) * sizeof(*bigger));
	if (!bigger)
		return no_memory(err);
	im->programs = bigger;
	number = tr_writer_program(im->w, p, err);
	if (number >= 0)
		bigger[im->nprograms++] = (struct known){hash, (uint32_t)number};
	return number;
}

static uint32_t last_of_queue(struct import *im, uint32_t queue, uint32_t launch)
{
	uint32_t before;

	for (unsigned i = 0; i < im->nqueues; i++)
		if (im->queues[i].queue == queue) {
			before = im->queues[i].launch;
			im->queues[i].launch = launch;
			return before;
		}
	if (im->nqueues < QUEUES_MAX)
		im->queues[im->nqueues++] = (struct queue){queue, launch};
	return TR_NONE;
}

static void free_alloc(struct alloc *x)
{
	free(x->a.name);
	free(x);
}

/* Forgets the others; how many there are. */
static uint32_t standing_allocs(struct import *im)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < im->nallocs; i++)
		if (im->allocs[i]->gone) {
			free_alloc(im->allocs[i]);
		} else {
			im->shown[n] = im->allocs[i]->a;
			im->allocs[n++] = im->allocs[i];
		}
	return im->nallocs = n;
}

/* barriers: the program has those of clusters, which then are of one CTA if nobody says how many.
 */
static int begin_launch(struct import *im, const struct accel_header *h, uint32_t program,
	int barriers, struct tr_err *err)
{
	const uint32_t *c = h->cluster;

	struct tr_launch l = {
		.program = program,
		.position = im->position++,
		.queue = h->queue,
		.after = last_of_queue(im, h->queue, im->launches++),
		.grid = {h->grid[0], h->grid[1], h->grid[2]},
		.block = {h->block[0], h->block[1], h->block[2]},
		.registers = h->registers,
		.registers_stated = h->registers != 0,
		.shared_bytes = h->shared_bytes,
		.parent_launch = TR_NONE,
		.parent_cta = TR_NONE,
		.parent_thread = TR_NONE,
		.allocs = im->shown,
		.ncopies = im->ncopies,
		.copies = im->copies,
	};

	l.nallocs = standing_allocs(im);
	if ((uint64_t)c[0] * c[1] * c[2] > 1)
		memcpy(l.cluster, c, sizeof(l.cluster));
	else if (barriers)
		l.cluster[0] = l.cluster[1] = l.cluster[2] = 1;
	im->ncopies = 0;
	return tr_writer_launch(im->w, &l, err);
}

static void add_doubts(struct accel_doubts *sum, const struct accel_doubts *d)
{
	if (!sum->unknown)
		memcpy(sum->unknown_opcode, d->unknown_opcode, sizeof(sum->unknown_opcode));
	sum->odd_steps += d->odd_steps;
	sum->ambiguous += d->ambiguous;
	sum->unattended += d->unattended;
	sum->unknown += d->unknown;
	sum->bulk += d->bulk;
	sum->absent += d->absent;
}

static int second_reading(struct import *im, struct kernel *k, FILE *f, const char *name,
	const struct tr_program *p, struct tr_err *err)
{
	const int64_t number = program_number(im, p, err);
	int rc = number < 0 ? (int)number : 1;

	if (rc > 0)
		rc = begin_launch(im, &k->file->header, (uint32_t)number,
			tr_program_has_cluster_barrier(p), err);
	if (rc > 0 && fseek(f, 0, SEEK_SET))
		rc = tr_fail(err, TR_EIO, 0, "cannot read '%s' twice: %s", name, strerror(errno));
	if (rc > 0) {
		struct accel_file *again;

		rc = accel_file_open(&again, f, name, err);
		if (rc > 0) {
			/* The graph looks at the header of the first opening. */
			struct kernel second = {.file = again, .graph = k->graph};

			if (im->lines)
				accel_graph_merged(k->graph, p, &im->merged);
			rc = read_kernel(im, &second, err);
			accel_file_close(again);
		}
	}
	if (rc > 0)
		rc = tr_writer_launch_end(im->w, err);
	if (rc > 0)
		add_doubts(&im->doubts, accel_graph_doubts(k->graph));
	return rc;
}

/* The kernel's code in the listing; NULL: it has none, or there is no listing. */
static const struct accel_function *listed(struct import *im, const struct accel_header *h)
{
	const struct accel_function *f =
		im->listing ? accel_listing_find(im->listing, h->kernel, h->binary_version) : NULL;

	im->listed += f != NULL;
	if (im->listing && !f && !im->unlisted++)
		snprintf(im->unlisted_kernel, sizeof(im->unlisted_kernel), "%s", h->kernel);
	return f;
}

static int import_kernel(struct import *im, FILE *f, const char *name, struct tr_err *err)
{
	struct kernel k = {.file = NULL};
	struct tr_program *p = NULL;
	int rc = accel_file_open(&k.file, f, name, err);

	if (rc < 0)
		return rc;
	k.graph = accel_graph_new(&k.file->header);
	rc = k.graph ? read_kernel(NULL, &k, err) : no_memory(err);
	if (rc > 0)
		rc = accel_graph_program(k.graph, listed(im, &k.file->header), &p, err);
	if (rc > 0)
		rc = second_reading(im, &k, f, name, p, err);
	tr_program_free(p);
	accel_graph_free(k.graph);
	accel_file_close(k.file);
	return rc;
}

/* ---- the list ---- */

/* `,0xBASE,BYTES` */
static bool parse_range(const char *p, uint64_t *base, uint64_t *bytes)
{
	char *end;

	if (strncmp(p, ",0x", 3) || !isxdigit((unsigned char)p[3]))
		return false;
	errno = 0;
	*base = strtoull(p + 3, &end, 16);
	if (*end != ',' || !isdigit((unsigned char)end[1]))
		return false;
	*bytes = strtoull(end + 1, &end, 10);
	return !*end && !errno;
}

static int add_copy(struct import *im, uint64_t base, uint64_t bytes, struct tr_err *err)
{
	struct tr_copy *bigger = realloc(im->copies, (im->ncopies + 1) * sizeof(*bigger));

	if (!bigger)
		return no_memory(err);
	im->copies = bigger;
	bigger[im->ncopies++] = (struct tr_copy){base, bytes};
	return 1;
}

/* 0: they overlap. An allocation of no bytes overlaps one that begins where it does. */
static int apart(const void *x, const void *y)
{
	const struct tr_alloc *a = &((const struct alloc *)x)->a;
	const struct tr_alloc *b = &((const struct alloc *)y)->a;

	if (a->base < b->base)
		return -(b->base - a->base >= a->bytes);
	return a->base != b->base && a->base - b->base >= b->bytes;
}

static int add_alloc(struct import *im, uint64_t base, uint64_t bytes, struct tr_err *err)
{
	struct alloc **bigger = realloc(im->allocs, (im->nallocs + (size_t)1) * sizeof(*bigger));
	struct tr_alloc *shown =
		realloc(im->shown, (im->nallocs + (size_t)1) * sizeof(struct tr_alloc));
	struct alloc *new = calloc(1, sizeof(*new)), **old;
	char name[40];

	im->allocs = bigger ? bigger : im->allocs;
	im->shown = shown ? shown : im->shown;
	snprintf(name, sizeof(name), "cudaMalloc%u", im->nlisted++);
	if (!bigger || !shown || !new || !(new->a.name = strdup(name))) {
		free(new);
		return no_memory(err);
	}
	new->a.base = base;
	new->a.bytes = bytes;
	bigger[im->nallocs++] = new;
	while ((old = tfind(new, &im->standing, apart))) {
		(*old)->gone = true;
		tdelete(*old, &im->standing, apart);
	}
	return tsearch(new, &im->standing, apart) ? 1 : no_memory(err);
}

static int listed_kernel(
	struct import *im, const struct cv_lines *l, const char *name, struct tr_err *err)
{
	FILE *f;
	int rc;

	if (!im->in->open)
		return cv_lines_fail(
			l, err, "'%s' stands beside the list, which must be a file then", name);
	f = im->in->open(im->in->arg, name, err);
	if (!f)
		return err ? err->code : TR_EIO;
	rc = import_kernel(im, f, name, err);
	fclose(f);
	return rc;
}

static int list_line(struct import *im, const struct cv_lines *l, char *line, struct tr_err *err)
{
	const bool copy = !strncmp(line, "MemcpyHtoD", 10);
	uint64_t base, bytes;
	size_t n = strlen(line);

	while (n && isspace((unsigned char)line[n - 1]))
		line[--n] = 0;
	if (!n)
		return 1;
	if (!strncmp(line, "kernel", 6))
		return listed_kernel(im, l, line, err);
	if (copy || !strncmp(line, "cudaMalloc,", 11)) {
		if (!parse_range(line + 10, &base, &bytes))
			return cv_lines_fail(
				l, err, "it wants an address 0x... and bytes, of up to 64 bits");
		if (bytes > UINT64_MAX - base)
			return cv_lines_fail(l, err,
				"0x%" PRIx64 " and %" PRIu64 " bytes reach 2^64", base, bytes);
		im->position += copy;
		return copy ? add_copy(im, base, bytes, err) : add_alloc(im, base, bytes, err);
	}
	if (!strncmp(line, "Memcpy", 6))
		im->position++;
	else
		im->ignored++;
	return 1;
}

static int import_list(struct import *im, struct tr_err *err)
{
	struct cv_lines *l;
	char *line;
	size_t len;
	int rc = cv_lines_open(&l, im->in->f, im->in->name, err);

	while (rc > 0 && (rc = cv_lines_next(l, &line, &len, err)) > 0)
		rc = list_line(im, l, line, err);
	if (!rc && !im->launches)
		rc = cv_lines_fail(l, err, "the list names no kernel");
	cv_lines_close(l);
	return rc < 0 ? rc : 1;
}

static void nothing(void *unused)
{
	(void)unused;
}

static void free_allocs(struct import *im)
{
	tdestroy(im->standing, nothing);
	for (uint32_t i = 0; i < im->nallocs; i++)
		free_alloc(im->allocs[i]);
	free(im->allocs);
	free(im->shown);
}

/* ---- the format ---- */

/* The first line that is not blank begins a kernel's header. */
static bool is_kernel(const char *text, size_t n)
{
	while (n && isspace((unsigned char)*text)) {
		text++;
		n--;
	}
	return n && *text == '-';
}

static int is_list(const char *text, size_t n)
{
	static const char *const firsts[] = {"Memcpy", "cudaMalloc,", "kernel"};

	while (n && isspace((unsigned char)*text)) {
		text++;
		n--;
	}
	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++)
		if (n > strlen(firsts[i]) && !memcmp(text, firsts[i], strlen(firsts[i])))
			return 1;
	return 0;
}

static int sniff(const char *head, size_t n)
{
	static const char key[] = "-kernel name";

	return is_list(head, n) || (is_kernel(head, n) && memmem(head, n, key, sizeof(key) - 1));
}

/* Looks at the first line that is not blank, and goes back. */
static int looks_like_kernel(const struct cv_input *in, struct tr_err *err)
{
	struct cv_lines *l;
	char *line;
	size_t len;
	int kernel = 0, rc = cv_lines_open(&l, in->f, in->name, err);

	while (rc > 0 && (rc = cv_lines_next(l, &line, &len, err)) > 0 && !len)
		;
	/* A .tracez is text as far as its header goes. */
	if (rc > 0)
		kernel = is_kernel(line, len);
	cv_lines_close(l);
	rewind(in->f);
	return rc < 0 ? rc : kernel;
}

/* What a replay makes of the lines: together the notes are the difference to what it issues. */
static void notes_of_lines(const struct accel_merged *m, struct cv_report *r)
{
	const unsigned long long all = m->lines;
	const uint64_t lines = m->empty_lines, issues = m->empty_issues;

	cv_note(r, m->by_turns,
		"lines of %llu that a warp issues with another one: lanes come to a BSYNC or an "
		"EXIT by turns, a line each",
		all);
	cv_note(r, m->before_sync,
		"lines of %llu that a warp issues with another one: its branch's ways have met, "
		"and "
		"come to a BSYNC later",
		all);
	cv_note(r, m->before_exit,
		"lines of %llu that a warp issues with another one: its branch's ways have met, "
		"and "
		"come to no BSYNC",
		all);
	cv_note(r, lines > issues ? lines - issues : 0,
		"lines of %llu that a warp issues with another one: their mask is empty", all);
	cv_note(r, m->apart, "more issues than the %llu lines: lanes that had one line have parted",
		all);
	cv_note(r, issues > lines ? issues - lines : 0,
		"more issues than the %llu lines: all their lanes pass them", all);
	cv_note(r, m->made, "more issues than the %llu lines: they stand for lines that lack", all);
}

static void notes(const struct import *im, struct cv_report *r)
{
	const struct accel_doubts *d = &im->doubts;

	cv_note(r, d->unknown,
		"lines with an unknown opcode, '%s' for one: taken for the most alike",
		d->unknown_opcode);
	cv_note(r, d->bulk, "lines with a bulk copy, whose addresses are left out");
	cv_note(r, d->odd_steps,
		"steps from line to line that no branch explains: kept as they are");
	cv_note(r, d->ambiguous,
		"times a lane went on after a jump to one of several places in a row, of which it "
		"may have passed some with a false guard");
	cv_note(r, d->unattended, "lines with an empty mask that no lane is known to have passed");
	cv_note(r, d->absent, "threads without an instruction");
	cv_note(r, im->missing, "thread blocks that the trace leaves out");
	cv_note(r, im->unlisted,
		"launches of kernels that the listing has no code of, '%s' for one",
		im->unlisted_kernel);
	cv_note(r, im->ignored, "lines of the list that are neither kernels nor copies");
	notes_of_lines(&im->merged, r);
}

/* What no such trace can say stands in the provenance, where trace-info shows it. */
static int open_writer(
	struct import *im, FILE *out, const struct cv_options *opt, struct tr_err *err)
{
	static const char lack[] =
		"recorded without predicates, constants, special registers, numbers "
		"of barriers and allocations\n";
	struct tr_writer_options options = {.provenance = NULL};
	char *lines = NULL;
	int rc;

	if (opt->provenance) {
		const size_t size = sizeof(lack) + strlen(opt->provenance);

		lines = malloc(size);
		if (!lines)
			return no_memory(err);
		snprintf(lines, size, "%s%s", lack, opt->provenance);
	}
	options.provenance = lines;
	rc = tr_writer_open(&im->w, out, &options, err);
	free(lines);
	return rc;
}

static int import(const struct cv_input *in, FILE *out, const struct cv_options *opt,
	struct cv_report *report, struct tr_err *err)
{
	struct import im = {.in = in, .lines = opt->lines};
	int rc = looks_like_kernel(in, err);
	const int kernel = rc;

	if (rc > -1 && opt->listing)
		rc = accel_listing_read(&im.listing, opt->listing, opt->listing_name, err);
	if (rc > -1)
		rc = open_writer(&im, out, opt, err);
	if (rc < 0) {
		accel_listing_free(im.listing);
		return rc;
	}
	tr_cta_init(&im.cta);
	rc = kernel ? import_kernel(&im, in->f, in->name, err) : import_list(&im, err);
	if (rc > 0 && im.listing && !im.listed)
		rc = tr_fail(err, TR_EDATA, 0, "%s has no code of '%s' for that machine",
			opt->listing_name, im.unlisted_kernel);
	if (rc > 0)
		rc = tr_writer_close(im.w, err);
	else
		tr_writer_abandon(im.w);
	if (rc > 0)
		notes(&im, report);
	tr_cta_free(&im.cta);
	accel_listing_free(im.listing);
	free_allocs(&im);
	free(im.copies);
	free(im.programs);
	return rc;
}

const struct cv_format cv_accel_sim = {
	.name = "accel-sim",
	.summary = "kernelslist.g, kernel-N.traceg (.xz, .tracez)",
	.kind = TR_KIND_THREADS,
	.folder = 1,
	.sniff = sniff,
	.import = import,
	.emit = accel_export,
};
