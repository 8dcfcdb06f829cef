/*
 * trace-locality: hits and misses of an L1 data cache by kind of locality
 */
#include "sim/access/divergence.h"
#include "sim/access/locality.h"
#include "tools/accesses.h"
#include "tools/columns.h"
#include "tools/places.h"
#include "tools/profile.h"
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

enum mode { MODE_CLASSES, MODE_REUSE, MODE_REUSE_POW2, MODE_DIVERGENCE, MODE_PROFILE };
enum by { BY_CLASS, BY_PC, BY_LINE, BY_BUFFER, BY_LOOP };
static const char *const by_names[] = {"class", "pc", "line", "buffer", "loop", NULL};

struct args {
	struct common common;
	enum mode mode;
	enum by by;
	bool by_given;
	const char *cache; /* NULL: the stream's, or unbounded */
	struct cache_manner manner;
	const char *file;
};

/* ---- what is counted ---- */

/* The instructions of a kernel count in base ... base + ninsts - 1. */
struct kernel {
	const struct tr_program *p; /* NULL: no launch of it yet */
	size_t base;
};

struct buffer {
	uint64_t base, bytes;
	char *name;
	uint32_t number;
};
enum { BUFFER_NONE, BUFFER_LOCAL, NBUFFERS_FIXED }; /* and then those of allocations */

struct study {
	const struct args *args;
	struct accesses stream;
	struct sim_geometry cache;
	struct cache_manner manner;
	struct an_locality *l;
	struct kernel *kernels;
	uint32_t nkernels;
	size_t base; /* of the current launch's kernel */
	size_t ninsts;
	struct an_counts *counts; /* per instruction, or per buffer */
	size_t ncounts;
	struct an_divergence **loads; /* per instruction, NULL: no load */
	struct buffer **buffers;      /* of allocations, by number - NBUFFERS_FIXED */
	void *known;                  /* the same as a tree, by what they are */
	uint32_t nbuffers;            /* with those that are fixed */
	struct places places;         /* the current launch's allocations */
	uint32_t *buffer_of;          /* and which buffer each is */
	struct output out;
	struct table table;
	double kilo_threads, kilo_warps; /* thousands of instructions; 0: not known */
};

static void *grown(void *old, size_t from, size_t to, size_t size)
{
	char *p = realloc(old, to * size);

	if (!p)
		die_memory(NULL);
	memset(p + from * size, 0, (to - from) * size);
	return p;
}

static void know_counts(struct study *s, size_t n)
{
	if (n <= s->ncounts)
		return;
	if (s->args->mode == MODE_DIVERGENCE || s->args->mode == MODE_PROFILE)
		s->loads = grown(s->loads, s->ncounts, n, sizeof(struct an_divergence *));
	if (s->args->mode != MODE_DIVERGENCE)
		s->counts = grown(s->counts, s->ncounts, n, sizeof(*s->counts));
	s->ncounts = n;
}

static void know_kernel(struct study *s, uint32_t number, const struct tr_program *p)
{
	if (number >= s->nkernels) {
		s->kernels = grown(s->kernels, s->nkernels, number + 1, sizeof(*s->kernels));
		s->nkernels = number + 1;
	}
	if (!s->kernels[number].p) {
		s->kernels[number] = (struct kernel){p, s->ninsts};
		s->ninsts += p->ninsts;
	}
	s->base = s->kernels[number].base;
}

static int by_what_they_are(const void *a, const void *b)
{
	const struct buffer *x = a, *y = b;

	if (x->base != y->base)
		return x->base < y->base ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return strcmp(x->name, y->name);
}

static uint32_t know_buffer(struct study *s, const struct tr_alloc *a)
{
	const struct buffer asked = {.base = a->base, .bytes = a->bytes, .name = a->name};
	struct buffer **known = tfind(&asked, &s->known, by_what_they_are), *b;
	const uint32_t n = s->nbuffers - NBUFFERS_FIXED;

	if (known)
		return (*known)->number;
	b = must_alloc(1, sizeof(*b));
	*b = (struct buffer){a->base, a->bytes, must_printf("%s", a->name), s->nbuffers++};
	if (!(n & (n - 1))) /* full at 0, 1, 2, 4 and so on */
		s->buffers = grown(s->buffers, n, n ? 2 * (size_t)n : 1, sizeof(struct buffer *));
	s->buffers[n] = b;
	if (!tsearch(b, &s->known, by_what_they_are))
		die_memory(NULL);
	return b->number;
}

static void know_places(struct study *s, const struct tr_launch *l)
{
	places_start(&s->places, l);
	free(s->buffer_of);
	s->buffer_of = must_alloc(l->nallocs, sizeof(*s->buffer_of));
	for (uint32_t i = 0; i < l->nallocs; i++)
		s->buffer_of[i] = know_buffer(s, &l->allocs[i]);
	know_counts(s, s->nbuffers);
}

static uint32_t buffer_of(struct study *s, const struct tr_access *a)
{
	uint32_t place;

	if (a->space == TR_S_LOCAL)
		return BUFFER_LOCAL;
	place = places_find(&s->places, a->line, s->cache.line_bytes);
	return place == NO_PLACE ? BUFFER_NONE : s->buffer_of[place];
}

/* ---- reading ---- */

static void begin_launch(struct study *s)
{
	const struct tr_launch *l = tr_access_reader_launch(s->stream.r);
	const struct tr_program *p = tr_access_reader_program(s->stream.r);

	know_kernel(s, l->program, p);
	if (s->l)
		an_locality_launch(s->l, l->number, tr_launch_threads(l), p);
	if (s->args->by == BY_BUFFER)
		know_places(s, l);
	else
		know_counts(s, s->ninsts);
}

static void count_accesses(struct study *s, const struct tr_access *a, size_t n)
{
	const bool by_buffer = s->args->by == BY_BUFFER;
	uint32_t key[TR_A_BATCH_MAX];
	struct tr_err err = {0};

	for (size_t i = 0; by_buffer && i < n; i++)
		key[i] = buffer_of(s, &a[i]);
	if (an_locality_run(s->l, a, n, s->counts + (by_buffer ? 0 : s->base),
		    by_buffer ? key : NULL, &err) < 0)
		accesses_die(&s->stream, &err);
}

/* An execution of a load whose accesses are still coming. */
struct execution {
	size_t at;
	uint32_t active, requests; /* requests 0: there is none */
};

static void end_execution(struct study *s, struct execution *e)
{
	if (!e->requests)
		return;
	if (!s->loads[e->at])
		s->loads[e->at] = must_alloc(1, sizeof(*s->loads[e->at]));
	if (an_divergence_add(s->loads[e->at], e->active, e->requests) < 0)
		die_memory(NULL);
	e->requests = 0;
}

static void count_requests(
	struct study *s, const struct tr_access *a, size_t n, struct execution *e)
{
	for (; n; n--, a++) {
		if (a->first)
			end_execution(s, e);
		if (a->op != TR_A_READ)
			continue;
		e->at = s->base + a->inst;
		e->active = a->active + 1u;
		e->requests++;
	}
}

static void read_stream(struct study *s)
{
	struct execution e = {0};
	const struct tr_access *batch;
	uint64_t warp_insts, thread_insts;
	size_t n;
	int event;

	while ((event = accesses_next(&s->stream, &batch, &n)) != TR_A_END) {
		if (event == TR_A_LAUNCH) {
			end_execution(s, &e);
			begin_launch(s);
			continue;
		}
		if (s->l)
			count_accesses(s, batch, n);
		if (s->loads)
			count_requests(s, batch, n, &e);
	}
	end_execution(s, &e);
	accesses_insts(&s->stream, &warp_insts, &thread_insts);
	s->kilo_warps = (double)warp_insts / 1000;
	s->kilo_threads = (double)thread_insts / 1000;
}

/* ---- cells ---- */

static void put_per(struct table *t, uint64_t n, double kilo)
{
	if (kilo > 0)
		table_real(t, (double)n / kilo);
	else
		table_none(t);
}

static void put_apart(struct table *t, const struct an_counts *c)
{
	table_uint(t, c->stores);
	table_uint(t, c->atomics);
	table_uint(t, c->absent);
}

static void put_figures(struct study *s, uint64_t hits, uint64_t misses)
{
	table_uint(&s->table, hits + misses);
	table_uint(&s->table, hits);
	table_uint(&s->table, misses);
	put_per(&s->table, hits + misses, s->kilo_threads);
}

/* ---- the table by class ---- */

static const struct column class_columns[] = {
	{"class", SEEN},
	{"accesses", SEEN},
	{"hits", SEEN},
	{"misses", SEEN},
	{"pki", SEEN},
	{"pki_warp", SEEN},
	{"share", SEEN},
	{"stores", SEEN},
	{"atomics", SEEN},
	{"absent", UNSEEN},
};

static struct an_counts sum_of(const struct study *s)
{
	struct an_counts sum = {0};

	for (size_t i = 0; i < s->ncounts; i++)
		an_counts_add(&sum, &s->counts[i]);
	return sum;
}

static void class_row(struct study *s, const char *name, uint64_t hits, uint64_t misses,
	uint64_t all, const struct an_counts *apart)
{
	table_text(&s->table, name);
	put_figures(s, hits, misses);
	put_per(&s->table, hits + misses, s->kilo_warps);
	if (all)
		table_real(&s->table, (double)(hits + misses) / (double)all);
	else
		table_none(&s->table);
	if (apart)
		put_apart(&s->table, apart);
	for (int i = 0; !apart && i < 3; i++)
		table_none(&s->table);
}

static void class_rows(struct study *s)
{
	const struct an_counts c = sum_of(s);
	const uint64_t hits = an_hits(&c), misses = an_misses(&c), all = hits + misses;

	for (unsigned k = 0; k < AN_NCLASSES; k++)
		class_row(s, an_class_name((enum an_class)k), k < AN_NHITS ? c.of[k] : 0,
			k < AN_NHITS ? 0 : c.of[k], all, NULL);
	table_total(&s->table);
	class_row(s, "total", hits, misses, all, &c);
}

/* ---- the tables by something else: a key, all counts, and what there is to say of the key ---- */

#define COMMON_COLUMNS 5
#define KEYED_COLUMNS (COMMON_COLUMNS + AN_NCLASSES + AN_NWHEN + 4)
#define ABOUT_COLUMNS 5

static const struct column abouts[][ABOUT_COLUMNS] = {
	[BY_PC] = {{"kernel", SEEN}, {"source_line", SEEN}, {"inst", SEEN}, {"loop", UNSEEN},
		{"file", IF_MANY}},
	[BY_LINE] = {{"kernel", SEEN}, {"file", IF_MANY}},
	[BY_BUFFER] = {{"base", UNSEEN}, {"bytes", SEEN}},
	[BY_LOOP] = {{"kernel", SEEN}, {"pc", SEEN}, {"source_line", SEEN}, {"depth", SEEN},
		{"file", IF_MANY}},
};

static unsigned name_columns(enum by by, struct column columns[KEYED_COLUMNS + ABOUT_COLUMNS])
{
	unsigned n = 0;

	columns[n++] = (struct column){by == BY_LINE ? "source_line" : by_names[by], SEEN};
	for (unsigned i = 1; i < COMMON_COLUMNS; i++)
		columns[n++] = class_columns[i];
	for (unsigned k = 0; k < AN_NCLASSES; k++)
		columns[n++] = (struct column){an_class_name((enum an_class)k), SEEN};
	for (unsigned k = 0; k < AN_NWHEN; k++)
		columns[n++] = (struct column){
			an_when_name((enum an_when)k), by == BY_LOOP ? SEEN : UNSEEN};
	columns[n++] = (struct column){"stores", UNSEEN};
	columns[n++] = (struct column){"atomics", UNSEEN};
	columns[n++] = (struct column){"absent", UNSEEN};
	columns[n++] = (struct column){"pki_warp", UNSEEN};
	for (unsigned i = 0; i < ABOUT_COLUMNS && abouts[by][i].name; i++)
		columns[n++] = abouts[by][i];
	return n;
}

static bool is_empty(const struct an_counts *c)
{
	return !(an_hits(c) + an_misses(c) + c->stores + c->atomics + c->absent);
}

static void put_counts(struct study *s, const struct an_counts *c)
{
	put_figures(s, an_hits(c), an_misses(c));
	for (unsigned k = 0; k < AN_NCLASSES; k++)
		table_uint(&s->table, c->of[k]);
	for (unsigned k = 0; k < AN_NWHEN; k++)
		table_uint(&s->table, c->when[k]);
	put_apart(&s->table, c);
	put_per(&s->table, an_hits(c) + an_misses(c), s->kilo_warps);
}

static const char *file_of(const struct tr_program *p, const struct tr_inst *in)
{
	return in->file == TR_NONE ? "-" : tr_str(p, in->file);
}

static void pc_rows(struct study *s, const struct kernel *k)
{
	char text[256];

	for (uint32_t i = 0; i < k->p->ninsts; i++) {
		const struct an_counts *c = &s->counts[k->base + i];
		const uint32_t loop = k->p->blocks[k->p->insts[i].block].loop;

		if (is_empty(c))
			continue;
		tr_program_format(k->p, i, text, sizeof(text));
		table_pc(&s->table, i);
		put_counts(s, c);
		table_text(&s->table, tr_str(k->p, k->p->name));
		table_id(&s->table, k->p->insts[i].line);
		table_text(&s->table, text);
		if (loop == TR_NONE)
			table_none(&s->table);
		else
			table_id(&s->table, loop);
		table_text(&s->table, file_of(k->p, &k->p->insts[i]));
	}
}

static bool same_line(const struct tr_program *p, uint32_t i, uint32_t k)
{
	return p->insts[i].line == p->insts[k].line &&
	       !strcmp(file_of(p, &p->insts[i]), file_of(p, &p->insts[k]));
}

static void line_rows(struct study *s, const struct kernel *k)
{
	const struct tr_program *p = k->p;
	bool *done = must_alloc(p->ninsts, sizeof(*done));

	for (uint32_t i = 0; i < p->ninsts; i++) {
		struct an_counts c = {0};

		if (done[i] || is_empty(&s->counts[k->base + i]))
			continue;
		for (uint32_t j = i; j < p->ninsts; j++)
			if (!done[j] && same_line(p, i, j)) {
				an_counts_add(&c, &s->counts[k->base + j]);
				done[j] = true;
			}
		table_id(&s->table, p->insts[i].line);
		put_counts(s, &c);
		table_text(&s->table, tr_str(p, p->name));
		table_text(&s->table, file_of(p, &p->insts[i]));
	}
	free(done);
}

/* The accesses right in a loop, not those in loops within it; TR_NONE: outside of all loops. */
static void loop_row(struct study *s, const struct kernel *k, uint32_t loop)
{
	const struct tr_program *p = k->p;
	struct an_counts c = {0};

	for (uint32_t i = 0; i < p->ninsts; i++)
		if (p->blocks[p->insts[i].block].loop == loop)
			an_counts_add(&c, &s->counts[k->base + i]);
	if (is_empty(&c))
		return;
	if (loop == TR_NONE)
		table_none(&s->table);
	else
		table_id(&s->table, loop);
	put_counts(s, &c);
	table_text(&s->table, tr_str(p, p->name));
	if (loop == TR_NONE) {
		table_none(&s->table);
		table_none(&s->table);
	} else {
		const uint32_t first = p->blocks[p->loops[loop].header].first;

		table_pc(&s->table, first);
		table_id(&s->table, p->insts[first].line);
	}
	table_uint(&s->table, loop == TR_NONE ? 0 : p->loops[loop].depth);
	if (loop == TR_NONE)
		table_none(&s->table);
	else
		table_text(
			&s->table, file_of(p, &p->insts[p->blocks[p->loops[loop].header].first]));
}

static void loop_rows(struct study *s, const struct kernel *k)
{
	for (uint32_t l = 0; l < k->p->nloops; l++)
		loop_row(s, k, l);
	loop_row(s, k, TR_NONE);
}

static void buffer_rows(struct study *s)
{
	for (uint32_t i = 0; i < s->nbuffers; i++) {
		const struct buffer *b = i < NBUFFERS_FIXED ? NULL : s->buffers[i - NBUFFERS_FIXED];

		if (is_empty(&s->counts[i]))
			continue;
		table_text(&s->table, b ? b->name : i == BUFFER_LOCAL ? "local" : "-");
		put_counts(s, &s->counts[i]);
		if (!b) {
			table_none(&s->table);
			table_none(&s->table);
		} else {
			table_id(&s->table, b->base);
			table_uint(&s->table, b->bytes);
		}
	}
}

static void keyed_rows(struct study *s)
{
	static void (*const rows[])(struct study *, const struct kernel *) = {
		[BY_PC] = pc_rows, [BY_LINE] = line_rows, [BY_LOOP] = loop_rows};

	if (s->args->by == BY_BUFFER)
		buffer_rows(s);
	else
		for (uint32_t i = 0; i < s->nkernels; i++)
			if (s->kernels[i].p)
				rows[s->args->by](s, &s->kernels[i]);
}

/* ---- reuse distances ---- */

static const struct column reuse_columns[] = {
	{"distance", SEEN},
	{"accesses", SEEN},
	{"hits", SEEN},
	{"misses", SEEN},
	{"miss_ratio", SEEN},
	{"mpki", SEEN},
	{"intra_thread", SEEN},
	{"intra_warp", SEEN},
	{"inter_warp", SEEN},
	{"inter_cta", SEEN},
	{"cold", SEEN},
	{"written", SEEN},
};

/* Accesses of distances up to `last`, and what an LRU cache of last + 1 lines makes of all. */
static void reuse_row(
	struct study *s, size_t last, const uint64_t at[AN_NHITS], uint64_t hits, uint64_t all)
{
	struct table *t = &s->table;
	uint64_t here = 0;

	for (unsigned k = 0; k < AN_NHITS; k++)
		here += at[k];
	table_id(t, last);
	table_uint(t, here);
	table_uint(t, hits);
	table_uint(t, all - hits);
	table_real(t, (double)(all - hits) / (double)all);
	put_per(t, all - hits, s->kilo_threads);
	for (unsigned k = 0; k < AN_NHITS; k++)
		table_uint(t, at[k]);
	table_none(t);
	table_none(t);
}

static void never_row(struct study *s, const struct an_counts *c)
{
	struct table *t = &s->table;
	const uint64_t misses = an_misses(c), all = an_hits(c) + misses;

	table_none(t);
	table_uint(t, misses);
	table_uint(t, all - misses);
	table_uint(t, misses);
	if (all)
		table_real(t, (double)misses / (double)all);
	else
		table_none(t);
	put_per(t, misses, s->kilo_threads);
	for (unsigned k = 0; k < AN_NHITS; k++)
		table_none(t);
	table_uint(t, c->of[AN_COLD]);
	table_uint(t, c->of[AN_WRITTEN]);
}

static void reuse_rows(struct study *s)
{
	const struct an_counts c = sum_of(s);
	const uint64_t all = an_hits(&c) + an_misses(&c);
	size_t n;
	const an_distances *d = an_locality_distances(s->l, &n);
	uint64_t at[AN_NHITS] = {0}, hits = 0, before = 0;

	for (size_t i = 0; i < n; i++) {
		const bool ends = s->args->mode == MODE_REUSE || !(i & (i + 1)) || i + 1 == n;

		for (unsigned k = 0; k < AN_NHITS; k++) {
			at[k] += d[i][k];
			hits += d[i][k];
		}
		if (!ends || hits == before)
			continue;
		reuse_row(s, i, at, hits, all);
		memset(at, 0, sizeof(at));
		before = hits;
	}
	never_row(s, &c);
}

/* ---- memory divergence ---- */

static const struct column divergence_columns[] = {
	{"pc", SEEN},
	{"source_line", SEEN},
	{"active", SEEN},
	{"requests", SEEN},
	{"count", SEEN},
	{"verdict", SEEN},
	{"kernel", SEEN},
	{"loop", UNSEEN},
	{"inst", SEEN},
	{"file", IF_MANY},
};

static void divergence_row(struct study *s, const struct tr_program *p, uint32_t i, uint32_t active,
	uint32_t requests, uint64_t n, const char *verdict)
{
	const uint32_t loop = p->blocks[p->insts[i].block].loop;
	char text[256];

	tr_program_format(p, i, text, sizeof(text));
	table_pc(&s->table, i);
	table_id(&s->table, p->insts[i].line);
	table_id(&s->table, active);
	table_id(&s->table, requests);
	table_uint(&s->table, n);
	table_text(&s->table, verdict);
	table_text(&s->table, tr_str(p, p->name));
	if (loop == TR_NONE)
		table_none(&s->table);
	else
		table_id(&s->table, loop);
	table_text(&s->table, text);
	table_text(&s->table, file_of(p, &p->insts[i]));
}

static void divergence_rows(struct study *s)
{
	for (uint32_t k = 0; k < s->nkernels; k++) {
		const struct kernel *kernel = &s->kernels[k];

		for (uint32_t i = 0; kernel->p && i < kernel->p->ninsts; i++) {
			const struct an_divergence *d = s->loads[kernel->base + i];
			const char *verdict = d ? an_divergence_name(an_divergence_verdict(d)) : "";

			for (uint32_t a = 1; d && a <= TR_LANES_MAX; a++)
				for (uint32_t r = 0; r < d->by_active[a].n; r++)
					if (d->by_active[a].count[r])
						divergence_row(s, kernel->p, i, a, r,
							d->by_active[a].count[r], verdict);
		}
	}
}

static void loads_rows(struct study *s)
{
	for (uint32_t i = 0; i < s->nkernels; i++) {
		const struct kernel *k = &s->kernels[i];

		if (k->p)
			profile_rows(&s->table, k->p, s->counts + k->base, s->loads + k->base,
				s->cache.line_bytes);
	}
}

/* ---- the run ---- */

static void choose_cache(struct study *s)
{
	const struct args *a = s->args;
	const struct tr_access_info *info = tr_access_reader_info(s->stream.r);
	struct tr_err err = {0};

	/* The header's cache matters, and may be wrong, only where it is the one to follow. */
	if (!a->cache && a->mode == MODE_CLASSES)
		s->cache = accesses_cache(&s->stream);
	else
		s->cache = (struct sim_geometry){.line_bytes = info->line_bytes};
	s->manner = accesses_manner(&s->stream, &a->manner);
	if (a->cache && sim_geometry_parse(&s->cache, a->cache, &err) < 0)
		die_err(&err, NULL);
	if (a->cache && !strcmp(a->cache, "unbounded"))
		s->cache.line_bytes = info->line_bytes;
	if (s->cache.line_bytes != info->line_bytes)
		die(EXIT_USAGE,
			"cache '%s' has lines of %" PRIu32
			" bytes, but %s was made for lines of %" PRIu32,
			a->cache, s->cache.line_bytes, s->stream.name, info->line_bytes);
	s->cache.index = (uint32_t)s->manner.index;
}

static void open_locality(struct study *s)
{
	const struct an_locality_options opt = {
		.cache = s->cache,
		.warp_size = tr_access_reader_info(s->stream.r)->warp_size,
		.write = (uint32_t)s->manner.write,
		.flush = s->manner.flush,
		.reuse = s->args->mode == MODE_REUSE || s->args->mode == MODE_REUSE_POW2,
	};
	struct tr_err err = {0};

	if (an_locality_new(&s->l, &opt, &err) < 0)
		die_err(&err, NULL);
}

static void print_head(const struct study *s)
{
	const struct tr_access_info *i = tr_access_reader_info(s->stream.r);
	FILE *f = s->out.f;

	fprintf(f, "warps of %" PRIu32 ", rule %s, order %s, SMs %" PRIu32, i->warp_size,
		*i->rule ? i->rule : "-", *i->order ? i->order : "-", i->sms);
	if (!s->l)
		fputs("\n\n", f);
	else if (!s->cache.sets)
		fprintf(f, "\nL1D of each: unbounded, lines of %" PRIu32 " bytes\n\n",
			s->cache.line_bytes);
	else
		fprintf(f,
			"\nL1D of each: %" PRIu64 " bytes, %" PRIu32 " sets of %" PRIu32
			" ways, lines of %" PRIu32 " bytes, index %s, LRU\n\n",
			(uint64_t)s->cache.sets * s->cache.ways * s->cache.line_bytes,
			s->cache.sets, s->cache.ways, s->cache.line_bytes,
			index_names[s->cache.index]);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void print_table(struct study *s, const char *provenance)
{
	struct column keyed[KEYED_COLUMNS + ABOUT_COLUMNS];
	const struct column *columns = class_columns;
	unsigned n = COUNT(class_columns);
	void (*rows)(struct study *) = class_rows;

	if (s->args->mode == MODE_DIVERGENCE) {
		columns = divergence_columns;
		n = COUNT(divergence_columns);
		rows = divergence_rows;
	} else if (s->args->mode == MODE_PROFILE) {
		columns = profile_columns;
		n = PROFILE_COLUMNS;
		rows = loads_rows;
	} else if (s->args->mode != MODE_CLASSES) {
		columns = reuse_columns;
		n = COUNT(reuse_columns);
		rows = reuse_rows;
	} else if (s->args->by != BY_CLASS) {
		n = name_columns(s->args->by, keyed);
		columns = keyed;
		rows = keyed_rows;
	}
	table_start(&s->table, s->out.f, &s->args->common, provenance, columns, n);
	rows(s);
	table_end(&s->table);
}

static void free_buffer(void *buffer)
{
	struct buffer *b = buffer;

	free(b->name);
	free(b);
}

static void free_study(struct study *s)
{
	for (size_t i = 0; s->loads && i < s->ncounts; i++)
		if (s->loads[i]) {
			an_divergence_free(s->loads[i]);
			free(s->loads[i]);
		}
	tdestroy(s->known, free_buffer);
	an_locality_free(s->l);
	free(s->loads);
	free(s->counts);
	free(s->buffers);
	free(s->buffer_of);
	places_free(&s->places);
	free(s->kernels);
	accesses_close(&s->stream);
}

static void run(const struct args *args)
{
	struct study s = {.args = args};
	const struct common *c = &args->common;
	char *provenance;

	accesses_open(&s.stream, args->file, c);
	choose_cache(&s);
	if (args->mode != MODE_DIVERGENCE)
		open_locality(&s);
	s.nbuffers = NBUFFERS_FIXED;
	output_open(&s.out, c->output, false);
	provenance = provenance_with(c, tr_access_reader_provenance(s.stream.r));
	read_stream(&s);
	if (args->mode != MODE_DIVERGENCE)
		accesses_remark(&s.stream, c);
	if (c->format == FORMAT_HUMAN && !c->quiet && !c->no_header && !c->record)
		print_head(&s);
	print_table(&s, provenance);
	output_close(&s.out);
	free(provenance);
	free_study(&s);
}

static bool columns_told(const struct args *args)
{
	struct column keyed[BY_LOOP + 1][KEYED_COLUMNS + ABOUT_COLUMNS];
	const struct column_table tables[] = {
		{"", class_columns, COUNT(class_columns)},
		{"--by pc", keyed[BY_PC], name_columns(BY_PC, keyed[BY_PC])},
		{"--by line", keyed[BY_LINE], name_columns(BY_LINE, keyed[BY_LINE])},
		{"--by buffer", keyed[BY_BUFFER], name_columns(BY_BUFFER, keyed[BY_BUFFER])},
		{"--by loop", keyed[BY_LOOP], name_columns(BY_LOOP, keyed[BY_LOOP])},
		{"--reuse", reuse_columns, COUNT(reuse_columns)},
		{"--divergence", divergence_columns, COUNT(divergence_columns)},
		{"--daws-profile", profile_columns, PROFILE_COLUMNS},
	};

	return columns_helped(&args->common, tables, COUNT(tables));
}

/* ---- arguments ---- */

enum { KEY_CACHE = 0x2000, KEY_BY, KEY_REUSE, KEY_DIVERGENCE, KEY_PROFILE };

static const struct argp_option options[] = {
	{"cache", KEY_CACHE, "SPEC", 0,
		"the L1D of each SM: SIZE:LINE:WAYS as 32K:128:8, 32K:128:full, or unbounded "
		"(default: "
		"that of the replay that made the stream, or else unbounded)",
		1},
	{"by", KEY_BY, "WHAT", 0,
		"a row per class, pc, line (of the source), buffer or loop (default class)", 1},
	{"reuse", KEY_REUSE, "pow2", OPTION_ARG_OPTIONAL,
		"reuse distances instead, and the misses of an LRU cache of every size; with =pow2 "
		"in "
		"powers of two",
		1},
	{"divergence", KEY_DIVERGENCE, NULL, 0,
		"instead, for each static load, how many requests how many active lanes made", 1},
	{"daws-profile", KEY_PROFILE, NULL, 0,
		"instead, the profile that trace-replay --scheduler daws:profile=FILE reads: a row "
		"for each load in a loop, as TSV where --format does not say json",
		1},
	{0},
};

static const struct argp_child children[] = {
	{&cache_argp, 0, NULL, 0},
	{&part_argp, 0, NULL, 0},
	{&format_argp, 0, NULL, 0},
	{&output_argp, 0, NULL, 0},
	{0},
};

static void choose_mode(struct argp_state *state, struct args *a, enum mode mode)
{
	if (a->mode != MODE_CLASSES)
		argp_error(state,
			"--reuse, --divergence and --daws-profile are tables of their own: "
			"one at a time");
	a->mode = mode;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->manner;
		for (int i = 1; i < 4; i++)
			state->child_inputs[i] = &a->common;
		return 0;
	case KEY_CACHE:
		a->cache = arg;
		return 0;
	case KEY_BY:
		a->by = (enum by)option_word(state, "split", arg, by_names);
		a->by_given = true;
		return 0;
	case KEY_REUSE:
		if (arg && strcmp(arg, "pow2"))
			argp_error(state, "unknown --reuse '%s': only =pow2", arg);
		choose_mode(state, a, arg ? MODE_REUSE_POW2 : MODE_REUSE);
		return 0;
	case KEY_DIVERGENCE:
		choose_mode(state, a, MODE_DIVERGENCE);
		return 0;
	case KEY_PROFILE:
		choose_mode(state, a, MODE_PROFILE);
		return 0;
	case ARGP_KEY_ARG:
		files_add(&a->common, arg);
		return 0;
	case ARGP_KEY_END:
		if (a->by_given && a->mode != MODE_CLASSES)
			argp_error(state,
				"--by splits classes, not --reuse, --divergence or --daws-profile");
		if (a->mode == MODE_DIVERGENCE &&
			(a->cache || a->manner.index != OF_STREAM || a->manner.write != OF_STREAM ||
				a->manner.flush_given))
			argp_error(state, "--divergence is of requests: there is no cache, and no "
					  "--cache, --index, --write or --flush-at-kernel");
		if ((a->mode == MODE_REUSE || a->mode == MODE_REUSE_POW2) &&
			a->manner.index != OF_STREAM)
			argp_error(state, "--reuse is of fully associative caches of every size: "
					  "there is no --index");
		if (a->mode == MODE_PROFILE && a->common.nfiles > 1)
			argp_error(state, "--daws-profile is of one FILE");
		if (a->mode == MODE_PROFILE && a->common.format == FORMAT_HUMAN)
			a->common.format = FORMAT_TSV;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[FILE...]",
		.doc = "Says what kind of locality the L1 data caches of an access stream find: "
		       "hits "
		       "and misses by class, per thousand thread instructions (pki) and warp "
		       "instructions (pki_warp). Without FILE, or for -, reads standard input."
		       "\vAn access is a load of global memory, or a load or store of local "
		       "memory. "
		       "Global stores (unless they allocate) and atomics are counted apart, and "
		       "take the line out, but for stores under --write=keep; absent are those to "
		       "memory that the L1D does not hold.\n\n"
		       "A hit belongs to the warp whose miss brought the line in. By that warp it "
		       "is "
		       "intra_thread if one of the lanes has used the line since, else intra_warp; "
		       "by another it is inter_warp, in another CTA inter_cta. A miss is cold if "
		       "the "
		       "SM has not had the line before, written if a store or an atomic took it "
		       "out, "
		       "capacity if a fully associative cache of the same size would miss as well, "
		       "else conflict. "
		       "All of them add up to the accesses. Intra-warp hits in loops are on lines "
		       "that the warp used in this_trip, in the last_trip, or other.\n\n"
		       "--reuse: a row for each distance (lines used since, on the same SM) that "
		       "occurs, with hits and misses of a fully associative LRU cache of distance "
		       "+ 1 "
		       "lines; the last row is for accesses that miss at any size. --divergence: a "
		       "load is converged if nine in ten of its executions make one or two "
		       "requests, "
		       "completely diverged if nine in ten make one per active lane; executions "
		       "with "
		       "less than three active lanes do not vote.\n\n"
		       "With --launch, pki is per thousand instructions from the first access read "
		       "to the last; with --cta it is not known.",
		.children = children,
	};
	struct args args = {.common = COMMON_DEFAULTS, .manner = CACHE_MANNER_DEFAULTS};

	args.common.takes_files = true;
	tool_start("trace-locality", argc, argv);
	tool_args(&argp, argc, argv, &args);
	if (columns_told(&args))
		return EXIT_OK;
	while (files_next(&args.common, &args.file))
		run(&args);
	return EXIT_OK;
}
