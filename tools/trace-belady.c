/*
 * trace-belady: what optimal replacement would miss, beside the policies that caches have
 */
#include "sim/access/curve.h"
#include "sim/access/locality.h"
#include "sim/access/replace.h"
#include "tools/accesses.h"
#include "tools/columns.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BYTES 32768 /* the L1D of the ccws machine, with the stream's lines */
#define DEFAULT_WAYS 8
#define CURVE_WAYS 64

struct args {
	struct common common;
	const char *file;
	const char *caches, *policies;
	struct cache_manner manner;
	uint32_t ways; /* of the curve; 0: by default */
	bool curve;
	enum an_split by;
	uint64_t seed;
};

/* ---- the caches and the policies ---- */

/* A pair of the model, or the ways of its own where its policy has no curve. */
struct pair {
	enum an_policy policy;
	struct sim_geometry g;
	uint32_t number, first_ways; /* numbers are one for each of first_ways ... g.ways */
	bool curve;
};

struct belady {
	const struct args *args;
	struct accesses in;
	struct output out;
	struct table table;
	struct an_replace *replace;
	struct pair *pairs;
	unsigned npairs;
	struct cache_manner manner;
	uint64_t warp_insts, thread_insts;
};

static const char *const split_names[] = {"total", "sm", "pc", "class", NULL};
static const char *const split_options[] = {"", "--by sm", "--by pc", "--by class"};
#define NSPLITS (sizeof(split_options) / sizeof(split_options[0]))

/* The next part of a list with commas; NULL at its end. Caller frees. */
static char *next_word(const char **at)
{
	const size_t n = strcspn(*at, ",");
	char *word;

	if (!**at)
		return NULL;
	word = must_printf("%.*s", (int)n, *at);
	*at += n + ((*at)[n] == ',');
	return word;
}

static enum an_policy policy_of(const char *word)
{
	const char *names[AN_NPOLICIES + 1] = {NULL};
	const char *like;

	for (unsigned p = 0; p < AN_NPOLICIES; p++) {
		names[p] = an_policy_name(p);
		if (!strcmp(word, names[p]))
			return p;
	}
	like = nearest(word, names);
	die(EXIT_USAGE, "unknown policy '%s'%s%s%s: opt, opt-bypass, lru, fifo or random", word,
		like ? ", did you mean '" : "", like ? like : "", like ? "'?" : "");
}

static struct sim_geometry geometry_of(struct belady *b, const char *spec)
{
	const struct tr_access_info *info = tr_access_reader_info(b->in.r);
	struct tr_err err = {0};
	struct sim_geometry g;

	if (sim_geometry_parse(&g, spec, &err) < 0)
		die_err(&err, NULL);
	if (!strcmp(spec, "unbounded"))
		g.line_bytes = info->line_bytes;
	if (g.line_bytes != info->line_bytes)
		die(EXIT_USAGE,
			"cache '%s' has lines of %u bytes, the stream of %u: give trace-coalesce "
			"the same --line",
			spec, g.line_bytes, info->line_bytes);
	g.index = (uint32_t)b->manner.index;
	return g;
}

static struct sim_geometry default_geometry(const struct belady *b)
{
	struct sim_geometry g = accesses_cache(&b->in);

	if (!g.sets) {
		g.ways = DEFAULT_WAYS;
		g.sets = DEFAULT_BYTES / DEFAULT_WAYS / g.line_bytes;
	}
	g.index = (uint32_t)b->manner.index;
	return g;
}

static void add_model(struct belady *b, struct pair *p, const struct sim_geometry *g)
{
	struct tr_err err = {0};
	const int64_t number = an_replace_add(b->replace, p->policy, g, p->curve, &err);

	if (number < 0)
		die_err(&err, NULL);
	p->number = (uint32_t)number;
}

static void add_pair(struct belady *b, enum an_policy policy, struct sim_geometry g)
{
	struct pair *p;

	b->pairs = must_realloc(b->pairs, b->npairs + (size_t)1, sizeof(*p));
	p = &b->pairs[b->npairs++];
	*p = (struct pair){.policy = policy, .g = g, .first_ways = g.ways};
	if (!b->args->curve || !g.sets) {
		add_model(b, p, &g);
		return;
	}
	p->first_ways = 1;
	p->g.ways = b->args->ways ? b->args->ways : g.ways > CURVE_WAYS ? g.ways : CURVE_WAYS;
	if (p->g.ways > AN_CURVE_WAYS_MAX)
		die(EXIT_USAGE, "a curve of %u ways is too much: up to %u with --ways", p->g.ways,
			AN_CURVE_WAYS_MAX);
	p->curve = an_policy_has_curve(policy);
	if (p->curve) {
		add_model(b, p, &p->g);
		return;
	}
	for (g.ways = 1; g.ways <= p->g.ways; g.ways++)
		add_model(b, p, &g);
	p->number -= p->g.ways - 1;
}

static void add_pairs(struct belady *b, struct sim_geometry g)
{
	const char *at = b->args->policies;

	for (char *word; (word = next_word(&at));) {
		add_pair(b, policy_of(word), g);
		free(word);
	}
}

static void make_models(struct belady *b)
{
	const struct tr_access_info *info = tr_access_reader_info(b->in.r);
	const struct args *a = b->args;
	struct an_replace_options opt = {
		.by = a->by,
		.warp_size = info->warp_size ? info->warp_size : TR_LANES_MAX,
		.seed = a->seed,
	};
	const char *at = a->caches;
	struct tr_err err = {0};

	b->manner = accesses_manner(&b->in, &a->manner);
	opt.write = (uint32_t)b->manner.write;
	opt.flush = b->manner.flush;
	if (an_replace_new(&b->replace, &opt, &err) < 0)
		die_err(&err, NULL);
	if (!at)
		add_pairs(b, default_geometry(b));
	for (char *spec; at && (spec = next_word(&at));) {
		add_pairs(b, geometry_of(b, spec));
		free(spec);
	}
	if (!b->npairs)
		die(EXIT_USAGE, "there is no %s to follow",
			a->caches && !*a->caches ? "cache" : "policy");
}

/* ---- the stream ---- */

static void read_stream(struct belady *b)
{
	const struct tr_access *a;
	struct progress progress;
	struct tr_err err = {0};
	size_t n;
	int event, rc = 1;

	progress_start(&progress, &b->args->common);
	while (rc > 0 && (event = accesses_next(&b->in, &a, &n)) != TR_A_END) {
		if (event == TR_A_LAUNCH) {
			rc = an_replace_launch(b->replace, tr_access_reader_launch(b->in.r),
				tr_access_reader_program(b->in.r), &err);
			continue;
		}
		rc = an_replace_run(b->replace, a, n, &err);
		progress_show(&progress, a[n - 1].thread_insts);
	}
	progress_end(&progress);
	if (rc < 0 || an_replace_end(b->replace, &err) < 0)
		accesses_die(&b->in, &err);
	accesses_insts(&b->in, &b->warp_insts, &b->thread_insts);
}

/* ---- the table ---- */

#define COLUMNS_MAX 24
static struct column columns[COLUMNS_MAX] = {
	{"policy", SEEN},
	{"sets", SEEN},
	{"ways", SEEN},
	{"line", SEEN},
	{"accesses", SEEN},
	{"hits", SEEN},
	{"misses", SEEN},
	{"cold", SEEN},
	{"miss_ratio", SEEN},
	{"mpki", SEEN},
	{"mpki_warp", SEEN},
	{"size_bytes", SEEN},
	{"written", SEEN},
	{"lost", SEEN},
	{"won_back", SEEN},
	{"index", UNSEEN},
	{"write", UNSEEN},
	{"stores", UNSEEN},
	{"atomics", UNSEEN},
};
#define PLAIN_COLUMNS 19 /* those before the key */

static unsigned add_key_columns(enum an_split by)
{
	static const struct column pc[] = {
		{"kernel", SEEN}, {"pc", SEEN}, {"source_line", SEEN}, {"inst", SEEN}};

	switch (by) {
	case AN_BY_SM:
		columns[PLAIN_COLUMNS] = (struct column){"sm", SEEN};
		return PLAIN_COLUMNS + 1;
	case AN_BY_CLASS:
		columns[PLAIN_COLUMNS] = (struct column){"class", SEEN};
		return PLAIN_COLUMNS + 1;
	case AN_BY_PC:
		memcpy(columns + PLAIN_COLUMNS, pc, sizeof(pc));
		return PLAIN_COLUMNS + 4;
	default:
		return PLAIN_COLUMNS;
	}
}

static void put_key(struct belady *b, uint32_t key)
{
	const struct tr_program *p;
	char text[256];
	uint32_t inst;

	switch (b->args->by) {
	case AN_BY_SM:
		table_id(&b->table, key);
		return;
	case AN_BY_CLASS:
		table_text(&b->table, an_class_name(key));
		return;
	case AN_BY_PC:
		p = an_replace_pc(b->replace, key, &inst);
		tr_program_format(p, inst, text, sizeof(text));
		table_text(&b->table, tr_str(p, p->name));
		table_pc(&b->table, inst);
		table_id(&b->table, p->insts[inst].line);
		table_text(&b->table, text);
		return;
	default:
		return;
	}
}

static void put_ratio(struct table *t, double a, uint64_t b)
{
	if (b)
		table_real(t, a / (double)b);
	else
		table_none(t);
}

static uint64_t misses_of(const struct belady *b, const struct pair *p, uint32_t ways, uint32_t key)
{
	const uint32_t number = p->curve ? p->number : p->number + ways - p->first_ways;

	return an_replace_counts(b->replace, key).accesses -
	       an_replace_hits(b->replace, number, key, ways);
}

/* Misses that LRU has beyond those of every policy, at the same geometry; 0 where it is not there.
 */
static uint64_t lost_by_lru(
	const struct belady *b, const struct pair *like, uint32_t ways, uint32_t key)
{
	const struct an_replace_counts n = an_replace_counts(b->replace, key);

	for (unsigned i = 0; i < b->npairs; i++)
		if (b->pairs[i].policy == AN_LRU &&
			!memcmp(&b->pairs[i].g, &like->g, sizeof(like->g)))
			return misses_of(b, &b->pairs[i], ways, key) - n.cold - n.written;
	return 0;
}

static void put_geometry(struct table *t, const struct sim_geometry *g, uint32_t ways)
{
	if (g->sets) {
		table_id(t, g->sets);
		table_id(t, ways);
	} else {
		table_none(t);
		table_none(t);
	}
	table_id(t, g->line_bytes);
}

static void put_row(struct belady *b, const struct pair *p, uint32_t ways, uint32_t key)
{
	const struct an_replace_counts n = an_replace_counts(b->replace, key);
	const uint64_t misses = misses_of(b, p, ways, key), lost = misses - n.cold - n.written;
	const uint64_t lru = lost_by_lru(b, p, ways, key);
	struct table *t = &b->table;

	table_text(t, an_policy_name(p->policy));
	put_geometry(t, &p->g, ways);
	table_uint(t, n.accesses);
	table_uint(t, n.accesses - misses);
	table_uint(t, misses);
	table_uint(t, n.cold);
	put_ratio(t, (double)misses, n.accesses);
	put_ratio(t, 1000.0 * (double)misses, b->thread_insts);
	put_ratio(t, 1000.0 * (double)misses, b->warp_insts);
	if (p->g.sets)
		table_id(t, (uint64_t)p->g.sets * ways * p->g.line_bytes);
	else
		table_none(t);
	table_uint(t, n.written);
	table_uint(t, lost);
	put_ratio(t, (double)lru - (double)lost, lru);
	table_text(t, index_names[b->manner.index]);
	table_text(t, write_names[b->manner.write]);
	table_uint(t, n.stores);
	table_uint(t, n.atomics);
	put_key(b, key);
}

/* What no access of the L1D has is in no row of a split. */
static uint32_t nrows(const struct belady *b)
{
	return b->args->by == AN_BY_CLASS ? AN_NCLASSES : an_replace_nkeys(b->replace);
}

static void print_table(struct belady *b)
{
	for (unsigned i = 0; i < b->npairs; i++) {
		const struct pair *p = &b->pairs[i];

		for (uint32_t ways = p->first_ways; ways <= p->g.ways; ways++)
			for (uint32_t key = 0; key < nrows(b); key++)
				if (b->args->by == AN_BY_TOTAL ||
					an_replace_counts(b->replace, key).accesses)
					put_row(b, p, ways, key);
	}
}

static void run(const struct args *args)
{
	struct belady b = {.args = args};
	const struct common *c = &args->common;
	char *provenance;

	accesses_open(&b.in, args->file, c);
	make_models(&b);
	output_open(&b.out, c->output, false);
	provenance = provenance_with(c, tr_access_reader_provenance(b.in.r));
	table_start(&b.table, b.out.f, c, provenance, columns, add_key_columns(args->by));
	read_stream(&b);
	accesses_remark(&b.in, c);
	print_table(&b);
	table_end(&b.table);
	output_close(&b.out);
	free(provenance);
	an_replace_free(b.replace);
	free(b.pairs);
	accesses_close(&b.in);
}

static int columns_help(const struct args *args)
{
	struct column of[NSPLITS][COLUMNS_MAX];
	struct column_table tables[NSPLITS];

	for (unsigned by = 0; by < NSPLITS; by++) {
		const unsigned n = add_key_columns(by);

		memcpy(of[by], columns, n * sizeof(columns[0]));
		tables[by] = (struct column_table){split_options[by], of[by], n};
	}
	columns_helped(&args->common, tables, NSPLITS);
	return EXIT_OK;
}

/* ---- arguments ---- */

enum {
	KEY_CACHE = 0x2000,
	KEY_POLICY,
	KEY_CURVE,
	KEY_WAYS,
	KEY_BY,
	KEY_SEED,
};

static const struct argp_option options[] = {
	{"cache", KEY_CACHE, "SPEC[,SPEC...]", 0,
		"SIZE:LINE:WAYS as 32K:128:8, 32K:128:full, or unbounded (default: the L1D of the "
		"replay that made the stream, else 32 KB in 8 ways, as the ccws machine has)",
		1},
	{"policy", KEY_POLICY, "NAME[,NAME...]", 0,
		"opt, opt-bypass, lru, fifo, random (default lru,opt)", 1},
	{"seed", KEY_SEED, "N", 0, "of random replacement (default 1)", 1},
	{"curve", KEY_CURVE, NULL, 0,
		"a row for each associativity from one way on, at the geometry's sets", 2},
	{"ways", KEY_WAYS, "N", 0, "--curve up to N ways (default 64, or the geometry's if more)",
		2},
	{"by", KEY_BY, "WHAT", 0, "split by sm, pc, or class: whose data it is (default total)", 2},
	{0},
};

static const struct argp_child children[] = {
	{&cache_argp, 0, NULL, 0},
	{&part_argp, 0, NULL, 0},
	{&format_argp, 0, NULL, 0},
	{&output_argp, 0, NULL, 0},
	{0},
};

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
		a->caches = arg;
		return 0;
	case KEY_POLICY:
		a->policies = arg;
		return 0;
	case KEY_SEED:
		a->seed = parse_uint(arg, 0, UINT64_MAX, "--seed");
		return 0;
	case KEY_CURVE:
		a->curve = true;
		return 0;
	case KEY_WAYS:
		a->ways = (uint32_t)parse_uint(arg, 1, AN_CURVE_WAYS_MAX, "--ways");
		return 0;
	case KEY_BY:
		a->by = option_word(state, "split", arg, split_names);
		return 0;
	case ARGP_KEY_ARG:
		files_add(&a->common, arg);
		return 0;
	case ARGP_KEY_END:
		if (a->ways && !a->curve)
			argp_error(state, "--ways is for --curve");
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
		.doc = "Misses of an L1D under exact optimal replacement (Belady's), with demand "
		       "fill "
		       "or with bypass, beside LRU, FIFO and random replacement. Reads an access "
		       "stream in one pass; memory grows with its distinct lines. Without FILE, or "
		       "for -, reads standard input."
		       "\vEach SM has a cache of its own. Accesses are loads, and stores to local "
		       "memory; global stores (unless they allocate) and atomics count apart, in "
		       "the "
		       "columns stores and atomics; they take the line out, but for stores where "
		       "write is keep. cold misses are a line's first since its cache "
		       "was empty, written ones its first since a store took it out: no policy can "
		       "hit there. lost are the other misses, and won_back is the share of LRU's "
		       "lost misses that a policy turns into hits at the same geometry. mpki is "
		       "misses per thousand thread instructions, mpki_warp per thousand warp "
		       "instructions; those of a part are counted from its first access to its "
		       "last. "
		       "A class is what an access is in an unbounded cache: a hit of intra_thread, "
		       "intra_warp, inter_warp or inter_cta locality, or a miss, cold or written.",
		.children = children,
	};
	struct args args = {
		.common = COMMON_DEFAULTS,
		.policies = "lru,opt",
		.manner = CACHE_MANNER_DEFAULTS,
		.seed = 1,
	};

	args.common.takes_files = true;
	tool_start("trace-belady", argc, argv);
	tool_args(&argp, argc, argv, &args);
	if (columns_wanted(&args.common))
		return columns_help(&args);
	while (files_next(&args.common, &args.file))
		run(&args);
	return EXIT_OK;
}
