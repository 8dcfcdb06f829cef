/*
 * trace-replay: replays a thread trace on a machine, under a scheduler and a warp policy
 */
#include "sim/mem/mem.h"
#include "tools/columns.h"
#include "tools/compare.h"
#include "tools/events.h"
#include "tools/lcp_profile.h"
#include "tools/machine.h"
#include "tools/policy.h"
#include "tools/replay_rows.h"
#include "tools/storage.h"
#include "tools/accesses.h"
#include "tools/timeline.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETS_MAX 128
#define NO_SPLIT STATS_NGROUPS
#define INTERVAL 1000
#define LIMITS_MAX SIM_BITS_MAX /* as many warps as an SM may have */

struct args {
	struct common common;
	const char *file;
	const char *machine, *scheduler, *warp, *priority, *launch, *stats, *accesses, *timeline;
	const char *compare;
	uint32_t limits[LIMITS_MAX]; /* of best-swl */
	unsigned nlimits, jobs;      /* 0: not named */
	bool best_swl, total;
	uint64_t interval; /* of the timeline; 0: not named */
	bool by_sm;        /* likewise */
	struct events_options events;
	char *sets[SETS_MAX];
	unsigned nsets;
	bool list_keys;
};

/* ---- the access stream ---- */

/*
 * The SMs' accesses come cycle by cycle. In the stream those of one warp instruction follow one
 * another: they are held back, by SM, until its next instruction. What one L1D sees keeps its
 * order.
 */
struct held {
	struct tr_access *accesses;
	uint32_t n, cap;
};

struct stream {
	struct output out;
	struct tr_access_writer *w;
	struct held *held; /* by SM */
	int64_t *program;  /* of the trace, in the stream; -1: not there yet */
	uint32_t nprograms;
};

/* ---- a run ---- */

struct replay {
	const struct args *args;
	struct sim_replay opt;
	struct sim_sink sink;
	struct tr_reader *r;
	struct sim_config ran;          /* opt.config, with the warp policy's size of warps */
	struct lcp_profile lcp_profile; /* where the warp policy wants one */
	FILE *in;
	char *name;                        /* of the input, for sentences */
	char *scheduler, *warp, *settings; /* as the rows have them */
	struct profile profile;            /* where the scheduler's name has one */
	unsigned groups;
	enum stats_group split; /* NO_SPLIT: the main table */
	bool has_table, warned;
	bool spun;      /* it was said that waits are turns of the recorder */
	uint32_t begun; /* launches of the host, of the family at hand */
	struct output out;
	struct table table;
	struct column *columns;
	struct inst_split insts;
	struct buffers buffers;
	struct slice { /* of the figures of the family at hand: those of one of its programs */
		struct tr_launch launch; /* the first one of it */
		const struct tr_program *program;
		uint32_t entry;
	} * slices;
	unsigned nslices;
	struct spin { /* what an instruction waited for others, all launches together */
		const struct tr_program *program;
		uint32_t inst;
		uint64_t insts;
	} * spins;
	unsigned nspins;
	struct stream *stream; /* NULL: none is wanted */
	struct tr_err stream_err;
	struct timeline timeline; /* where args name one */
	struct sim_events hook;
	struct events *events; /* NULL: none are wanted */
	struct progress progress;
	uint64_t done; /* warp instructions of the launches before */
};

/* Where a key that the sentence names was given: "--set", a line of the machine's file, or NULL. */
static char *place_of(const struct args *a, const char *sentence)
{
	char *place = NULL;

	for (unsigned i = 0; !place && i < a->nsets; i++) {
		char *list = must_printf("%s", a->sets[i]), *rest = list, *one;

		while (!place && (one = strsep(&rest, ",")))
			if (*one && machine_names_key(sentence, strsep(&one, "=")))
				place = must_printf("--set");
		free(list);
	}
	return place ? place : machine_place(a->machine, sentence);
}

/* How the program ends for a fault there: a file is data, all else the command line. */
static enum exit_code status_of(const char *place)
{
	return place && strcmp(place, "--set") ? EXIT_BAD : EXIT_USAGE;
}

static const struct sim_sched *parse_scheduler(struct replay *s)
{
	const bool given = s->args->scheduler;
	const char *spec = given ? s->args->scheduler : s->opt.config.scheduler;
	const struct sim_sched *policy;
	char *place = given ? NULL : place_of(s->args, "sm.scheduler");
	const enum exit_code status = status_of(place);
	char *option =
		given ? must_printf("--scheduler")
		      : must_printf("%s%ssm.scheduler", place ? place : "", place ? ": " : "");

	if (!given && policy_is_file(spec)) /* a machine's file brings no code along */
		die(status, "%s: '%s' is a file: --scheduler takes one", option, spec);
	policy =
		policy_sched(spec, option, status, s->opt.sched_params, &s->profile, &s->scheduler);
	free(place);
	free(option);
	if (s->profile.path)
		s->opt.sched_profile = &s->profile.table;
	return policy;
}

static const struct sim_warp_policy *parse_warp(struct replay *s)
{
	const struct sim_warp_policy *policy;
	const char *given = s->args->warp;
	/* A number alone is the width of fixed warps. */
	const bool width = given && *given && strspn(given, "0123456789") == strlen(given);
	char *spec = !given ? must_printf("fixed:%" PRIu32, s->opt.config.sm.warp_size)
			    : must_printf("%s%s", width ? "fixed:" : "", given);

	policy = policy_warp(spec, "--warp", s->opt.warp_params, &s->warp);
	free(spec);
	return policy;
}

static void apply_one(struct sim_config *c, const char *text)
{
	const char *equals = strchr(text, '=');
	struct tr_err err = {0};
	char *key;

	if (!equals || equals == text)
		die(EXIT_USAGE, "--set: '%s' is no KEY=VALUE", text);
	key = must_printf("%.*s", (int)(equals - text), text);
	if (sim_config_set(c, key, equals + 1, &err) < 0)
		die_err(&err, "--set");
	free(key);
}

/* One KEY=VALUE, or several with commas between. */
static void apply_set(struct sim_config *c, const char *text)
{
	const char *comma = strchr(text, ',');

	if (comma && strchr(comma, '=')) {
		char *first = must_printf("%.*s", (int)(comma - text), text);

		apply_set(c, first);
		apply_set(c, comma + 1);
		free(first);
		return;
	}
	apply_one(c, text);
}

static struct sim_config machine_of(const struct args *a)
{
	struct sim_config c = machine_read(a->machine);
	struct tr_err err = {0};

	if (remarks(&a->common) && !machine_has_base(a->machine))
		warn("'%s' names no base: what it leaves out is as on the ccws machine",
			a->machine);
	for (unsigned i = 0; i < a->nsets; i++)
		apply_set(&c, a->sets[i]);
	if (a->launch && sim_launch_parse(a->launch, &c.launch.mode, &err) < 0)
		die_err(&err, "--launch");
	return c;
}

/* "l1d.size=64K,sm.sms=8", as given; "-": nothing. */
static char *settings_of(const struct args *a)
{
	char *text;
	FILE *f = text_start(&text);

	for (unsigned i = 0; i < a->nsets; i++)
		fprintf(f, "%s%s", i ? "," : "", a->sets[i]);
	if (!a->nsets)
		fputc('-', f);
	text_end(f, &text);
	return text;
}

/* What the warp policy needs of an SM of the machine. */
static struct sim_shape shape_of(const struct replay *s)
{
	struct sim_shape shape;
	struct tr_err err = {0};

	if (sim_warp_policy_shape(s->opt.warp, &s->opt.config, s->opt.warp_params, &shape, &err) <
		0)
		die_err(&err, "--warp");
	return shape;
}

/* A limit beyond the warps of an SM is none. */
static void remark_limit(const struct replay *s)
{
	const uint32_t slots = shape_of(s).slots;

	for (int i = 0; i < SIM_PARAMS && s->opt.sched->params[i].name; i++)
		if (!strcmp(s->opt.sched->params[i].name, "limit") &&
			s->opt.sched_params[i] > slots && !s->args->common.quiet)
			warn("%s limits nothing: an SM has %" PRIu32 " warps", s->scheduler, slots);
}

static void choose(struct replay *s)
{
	struct tr_err err = {0};
	unsigned g = STATS_PC;

	s->opt.config = machine_of(s->args);
	if (sim_config_check(&s->opt.config, &err) < 0 || sim_mem_check(&s->opt.config, &err) < 0) {
		const char *place = place_of(s->args, err.msg);

		die(status_of(place), "%s: %s", place ? place : s->opt.config.machine, err.msg);
	}
	s->opt.sched = parse_scheduler(s);
	s->opt.warp = parse_warp(s);
	s->settings = settings_of(s->args);
	s->ran = s->opt.config;
	s->ran.sm.warp_size = shape_of(s).lanes;
	remark_limit(s);
	if (s->opt.warp->pick && s->args->scheduler && !s->opt.sched->may_load)
		die(EXIT_USAGE,
			"%s picks its warps itself: a --scheduler beside it keeps loads back "
			"(ccws, "
			"daws), and does no more",
			s->opt.warp->name);
	s->opt.priority = (enum sim_priority)s->opt.warp->priority;
	if (s->args->priority && sim_priority_parse(s->args->priority, &s->opt.priority, &err) < 0)
		die_err(&err, "--priority");
	s->groups = stats_groups(s->args->stats);
	s->opt.count_threads = s->groups >> STATS_THREADS & 1;
	while (g < STATS_NGROUPS && !(s->groups >> g & 1))
		g++;
	s->split = (enum stats_group)g;
}

static struct replay_row row_of(
	const struct replay *s, const char *kernel, const struct tr_launch *l)
{
	return (struct replay_row){.kernel = kernel,
		.scheduler = s->scheduler,
		.warp = s->warp,
		.machine = s->opt.config.machine,
		.settings = s->settings,
		.launch = l,
		.config = &s->ran,
		.counters = s->opt.warp->counters};
}

/* ---- what the replay tells ---- */

static int stream_launch(struct replay *s, const struct tr_launch *l, const struct tr_program *p)
{
	struct stream *st = s->stream;
	struct tr_launch copy = *l;

	if (l->program >= st->nprograms) {
		st->program = realloc(st->program, (l->program + 1) * sizeof(*st->program));
		if (!st->program)
			die_memory(NULL);
		while (st->nprograms <= l->program)
			st->program[st->nprograms++] = -1;
	}
	if (st->program[l->program] < 0)
		st->program[l->program] = tr_access_writer_program(st->w, p, &s->stream_err);
	if (st->program[l->program] < 0)
		return (int)st->program[l->program];
	copy.program = (uint32_t)st->program[l->program];
	return tr_access_writer_launch(st->w, &copy, &s->stream_err);
}

static int stream_release(struct replay *s, struct held *h)
{
	int rc = 1;

	for (uint32_t i = 0; i < h->n && rc > 0; i++)
		rc = tr_access_write(s->stream->w, &h->accesses[i], &s->stream_err);
	h->n = 0;
	return rc;
}

static int stream_access(struct replay *s, const struct tr_access *a)
{
	struct held *h = &s->stream->held[a->sm];

	if (a->first && stream_release(s, h) < 0)
		return s->stream_err.code;
	if (h->n == h->cap) {
		h->cap = h->cap ? 2 * h->cap : 64;
		h->accesses = realloc(h->accesses, h->cap * sizeof(*h->accesses));
		if (!h->accesses)
			die_memory(NULL);
	}
	h->accesses[h->n++] = *a;
	return 1;
}

static int stream_launch_end(struct replay *s)
{
	int rc = 1;

	for (uint32_t i = 0; i < s->opt.config.sm.sms && rc > 0; i++)
		rc = stream_release(s, &s->stream->held[i]);
	return rc;
}

static void warn_warp_size(struct replay *s, const struct tr_program *p)
{
	const uint32_t marks =
		p->marks & (TR_M_LANEID | TR_M_WARPID | TR_M_CLOCK | TR_M_VOTE | TR_M_SHUFFLE);

	if (s->args->common.quiet)
		return;
	if (tr_program_spins_at(p) != TR_NONE && !s->spun) {
		s->spun = true;
		warn("kernel '%s' has waits at barriers in memory that were recorded before "
		     "format 1.7: the recorder's turns stand for them, so here nobody waits; "
		     "record it anew",
			tr_str(p, p->name));
	}
	if (!marks || shape_of(s).lanes == TR_GROUP || s->warned)
		return;
	s->warned = true;
	warn("kernel '%s' reads its place in a warp, votes or shuffles: what it did is "
	     "what warps of %d do",
		tr_str(p, p->name), TR_GROUP);
}

static int begins(void *arg, const struct tr_launch *l, const struct tr_program *p)
{
	struct replay *s = arg;
	const bool child = l->parent_launch != TR_NONE;

	warn_warp_size(s, p);
	if (s->opt.sched_profile)
		profile_check(&s->profile, p, s->args->common.quiet);
	if (child && s->opt.config.launch.mode != SIM_LAUNCH_SERIAL) {
		if (s->stream)
			die(EXIT_USAGE,
				"--access-stream: launch %" PRIu32 " is a thread's and runs beside "
				"others; an access stream has one launch after the other: "
				"--launch=serial",
				l->number);
		return 1; /* it counts with its host launch */
	}
	if (s->split == STATS_BUFFER && child && s->buffers.stats)
		buffers_again(&s->buffers);
	else if (s->split == STATS_BUFFER)
		buffers_start(&s->buffers, l, s->opt.config.l1d.g.line_bytes);
	if (s->begun++) { /* beside another one of the host's */
		if (s->stream)
			die(EXIT_USAGE,
				"--access-stream: launch %" PRIu32
				" runs beside another one; an access "
				"stream has one launch after the other: --launch=serial",
				l->number);
		return 1;
	}
	timeline_launch(&s->timeline, tr_str(p, p->name));
	return s->stream ? stream_launch(s, l, p) : 1;
}

/* Once for a program: its instructions that went round while others kept them waiting. */
static void spins(void *arg, const struct tr_program *p, const struct tr_cta *cta)
{
	struct replay *s = arg;

	for (uint32_t i = 0; i < cta->nspins; i++) {
		const struct tr_spin *of = &cta->spins[i];
		const uint32_t inst = of->polls == TR_NONE ? of->inst : of->polls;
		unsigned k = 0;

		while (k < s->nspins && (s->spins[k].program != p || s->spins[k].inst != inst))
			k++;
		if (k == s->nspins) {
			s->spins = must_realloc(s->spins, ++s->nspins, sizeof(*s->spins));
			s->spins[k] = (struct spin){p, inst, 0};
		}
		s->spins[k].insts += of->insts;
	}
}

static void warn_spins(const struct replay *s)
{
	for (unsigned i = 0; i < s->nspins && !s->args->common.quiet; i++) {
		const struct tr_program *p = s->spins[i].program;
		const struct tr_inst *in = &p->insts[s->spins[i].inst];

		warn("kernel '%s': %s at %s:%" PRIu32
		     " waited for other threads by going round, as long as it took while the "
		     "record was made: %" PRIu64 " thread instructions (spin_insts)",
			tr_str(p, p->name), tr_str(p, in->opcode), split_file(p, s->spins[i].inst),
			in->line, s->spins[i].insts);
	}
}

static const uint32_t *lcp(void *arg, const struct tr_launch *l)
{
	const struct replay *s = arg;

	return s->lcp_profile.lcp[l->program];
}

static int accessed(void *arg, const struct tr_access *a)
{
	struct replay *s = arg;

	if (s->split == STATS_BUFFER)
		buffers_count(&s->buffers, a);
	return s->stream ? stream_access(s, a) : 1;
}

/* Kernels of a family stand side by side in its figures: each program gets its own rows. */
static void note_program(struct replay *s, const struct sim_kernel *k)
{
	struct slice *last;

	for (unsigned i = 0; i < s->nslices; i++)
		if (s->slices[i].program == k->program)
			return;
	s->slices = must_realloc(s->slices, s->nslices + 1, sizeof(*s->slices));
	last = &s->slices[s->nslices++];
	*last = (struct slice){k->launch, k->program, k->entry};
}

static void kernel(void *arg, const struct sim_kernel *k, uint64_t start)
{
	struct replay *s = arg;

	if (s->has_table && s->split == STATS_LAUNCHES)
		launches_row(&s->table, k, start);
	if (s->has_table && (s->split == STATS_PC || s->split == STATS_LINE))
		note_program(s, k);
}

static void split_slices(struct replay *s, const struct sim_stats *st)
{
	for (unsigned i = 0; i < s->nslices; i++) {
		const struct slice *slice = &s->slices[i];
		struct sim_stats part = *st;

		part.insts = st->insts + slice->entry;
		part.charged = st->charged + (size_t)slice->entry * SIM_NCYCLES;
		if (slice->program->ninsts != st->ninsts)
			part.counters = NULL; /* of policies that know one kernel at a time */
		part.ninsts = slice->program->ninsts;
		inst_split_launch(&s->insts, &slice->launch, slice->program, &part);
	}
	s->nslices = 0;
}

static int launched(void *arg, const struct tr_launch *l, const struct tr_program *p,
	const struct sim_stats *st)
{
	struct replay *s = arg;
	const struct replay_row row = row_of(s, tr_str(p, p->name), l);

	s->done += st->warp_insts;
	s->begun = 0;
	if (s->stream && stream_launch_end(s) < 0)
		return s->stream_err.code;
	if (!s->has_table)
		return 1;
	switch (s->split) {
	case STATS_PC:
	case STATS_LINE:
		split_slices(s, st);
		break;
	case STATS_LAUNCHES:
		break; /* see kernel */
	case STATS_BUFFER:
		buffers_rows(&s->table, &row, &s->buffers);
		break;
	default:
		replay_row(&s->table, s->groups, &row, st);
	}
	return 1;
}

static int sampled(void *arg, const struct sim_sample *sample)
{
	struct replay *s = arg;

	timeline_sample(&s->timeline, sample);
	return 1;
}

static void show(void *arg, uint64_t warp_insts)
{
	struct replay *s = arg;

	progress_show(&s->progress, s->done + warp_insts);
}

/* ---- from beginning to end ---- */

static struct sim_config preset_of(const void *arg, const char *preset)
{
	struct args a = *(const struct args *)arg;

	a.machine = preset;
	return machine_of(&a);
}

/* Where a CTA does not fit, the sentence says what it needs. */
static void help_with_room(const struct args *a, struct tr_err *err)
{
	const char *needs = strstr(err->msg, "fits no SM: ");
	uint32_t threads, registers, shared;

	if (needs && sscanf(needs,
			     "fits no SM: %" SCNu32 " threads, %" SCNu32 " registers each, %" SCNu32
			     " bytes",
			     &threads, &registers, &shared) == 3)
		machine_help(err, threads, registers, shared, preset_of, a);
}

static _Noreturn void failed(struct replay *s, const struct tr_err *err)
{
	struct tr_err helped = *err;
	char *what = NULL;

	progress_end(&s->progress);
	help_with_room(s->args, &helped);
	err = &helped;
	if (s->stream_err.code)
		err = &s->stream_err;
	else if (err->code != TR_EUSAGE && err->code != TR_EMEM)
		what = must_printf("cannot replay %s", s->name);
	if (s->stream)
		output_die(&s->stream->out, err, what);
	die_err(err, what);
}

static void open_input(struct replay *s)
{
	struct tr_err err = {0};

	s->in = input_open(s->args->file, &s->name);
	if (shape_of(s).wants_lcp)
		lcp_profile_make(&s->lcp_profile, s->in, s->name, &s->args->common.part);
	if (tr_reader_open(&s->r, s->in, &s->args->common.part, &err) < 0) {
		char *what = must_printf("cannot read %s", s->name);

		die_err(&err, what);
	}
}

static void open_stream(struct replay *s, const char *provenance)
{
	const struct sim_config *c = &s->opt.config;
	const struct tr_writer_options options = {.provenance = provenance};
	struct tr_access_info info = {.line_bytes = c->l1d.g.line_bytes,
		.sms = c->sm.sms,
		.sets = c->l1d.g.sets,
		.ways = c->l1d.g.ways,
		.index = c->l1d.g.index,
		.write = sim_config_writes(c),
		.warp_size = shape_of(s).widest};
	struct tr_err err = {0};

	if (shape_of(s).once) /* its L1D has no limit */
		info.sets = 0;
	if (!info.sets)
		info.ways = 0; /* unbounded: its readers have caches of their own */
	if (shape_of(s).member && !s->args->common.quiet)
		warn("under %s threads change warps: in the access stream a warp and its lanes "
		     "stand for whoever is in them, so intra-warp and intra-thread hits on it are "
		     "not those of threads",
			s->opt.warp->name);
	fit_text(info.rule, sizeof(info.rule), sim_rule_name(c->coalesce.rule));
	fit_text(info.order, sizeof(info.order), s->scheduler);
	fit_text(info.machine, sizeof(info.machine), c->machine);
	s->stream = must_alloc(1, sizeof(*s->stream));
	s->stream->held = must_alloc(c->sm.sms, sizeof(*s->stream->held));
	output_open(&s->stream->out, s->args->accesses, true);
	if (tr_access_writer_open(&s->stream->w, s->stream->out.f, &info, &options, &err) < 0)
		failed(s, &err);
}

static void close_stream(struct replay *s, const struct sim_stats *total)
{
	struct tr_err err = {0};

	if (tr_access_writer_close(s->stream->w, total->warp_insts, total->thread_insts, &err) < 0)
		failed(s, &err);
	output_close(&s->stream->out);
	for (uint32_t i = 0; i < s->opt.config.sm.sms; i++)
		free(s->stream->held[i].accesses);
	free(s->stream->held);
	free(s->stream->program);
	free(s->stream);
}

static bool on_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static void check_options(const struct args *a)
{
	if (on_stdout(a->accesses) + on_stdout(a->timeline) + on_stdout(a->events.path) +
			on_stdout(a->common.output) >
		1)
		die(EXIT_USAGE, "only one of --output, --access-stream, --timeline and --events "
				"can be '-'");
	if (a->common.nfiles > 1 && (a->accesses || a->timeline || a->events.path))
		die(EXIT_USAGE, "--access-stream, --timeline and --events are of one FILE");
	if (a->interval && !a->timeline)
		die(EXIT_USAGE, "--interval is of a --timeline, and there is none");
	if (a->by_sm && !a->timeline)
		die(EXIT_USAGE, "--by is of a --timeline, and there is none");
	if (a->total && strcmp(a->stats, "pc") && strcmp(a->stats, "line"))
		die(EXIT_USAGE, "--total is of --stats=pc and --stats=line");
	if (a->nlimits && !a->best_swl && !(a->compare && strstr(a->compare, "best-swl")))
		die(EXIT_USAGE, "--limits is of best-swl, and there is none");
	if (a->jobs && !a->compare && !a->best_swl)
		die(EXIT_USAGE,
			"--jobs is of --compare and --best-swl: a single replay is one job");
}

/* Nothing is counted in front of an L1D without tags. */
static void check_stream(const struct replay *s)
{
	if (s->args->accesses && s->opt.config.l1d.part == SIM_PERFECT)
		die(EXIT_USAGE, "--access-stream: a perfect L1D (l1d.part) counts no accesses");
}

/* With another stream on standard output the table has no place there. */
static void open_table(struct replay *s, const char *provenance)
{
	const struct column *columns;
	unsigned n;

	s->has_table = s->args->common.output ||
		       !(on_stdout(s->args->accesses) || on_stdout(s->args->timeline) ||
			       on_stdout(s->args->events.path));
	if (!s->has_table)
		return;
	output_open(&s->out, s->args->common.output, false);
	if (s->split == NO_SPLIT)
		columns = s->columns = replay_columns(s->groups, s->opt.warp->counters, &n);
	else
		columns = split_columns(s->split, &n);
	table_start(&s->table, s->out.f, &s->args->common, provenance, columns, n);
	inst_split_start(&s->insts, &s->table, s->split, s->args->total);
	s->opt.charge = s->split == STATS_PC || s->split == STATS_LINE;
}

/*
 * A policy that regroups threads knows no scoreboard. Beside one that has it on the same machine
 * its figures are those of less overlap, not of its grouping; beneath the table, for people.
 */
static void tell_in_flight(const struct replay *s)
{
	if (s->args->common.format == FORMAT_HUMAN && shape_of(s).one_in_flight &&
		!s->opt.config.sm.one_in_flight)
		fprintf(s->out.f,
			"\n%s has one instruction of a warp in flight, other policies several on "
			"this machine: --set sm.one_in_flight=yes makes them comparable\n",
			s->opt.warp->name);
}

static void close_table(struct replay *s, const struct sim_result *res)
{
	const struct replay_row row = row_of(s, "total", NULL);

	if (!s->has_table)
		return;
	split_end(&s->insts.split);
	if (s->split == NO_SPLIT && table_has_total(&s->table, res->launches))
		replay_row(&s->table, s->groups, &row, &res->total);
	table_end(&s->table);
	tell_in_flight(s);
	output_close(&s->out);
	free(s->columns);
}

static void run(const struct args *a)
{
	struct replay s = {.args = a};
	struct sim_result res;
	struct tr_err err = {0};
	char *provenance;
	double seconds;

	choose(&s);
	check_stream(&s);
	events_check(&a->events, s.opt.config.sm.sms);
	open_input(&s);
	provenance = provenance_with(&a->common, tr_reader_provenance(s.r));
	if (a->accesses)
		open_stream(&s, provenance);
	open_table(&s, provenance);
	if (a->timeline) {
		timeline_open(&s.timeline, a->timeline, provenance, s.opt.warp->counters,
			a->by_sm ? s.opt.config.sm.sms : 0);
		s.opt.sample_sms = a->by_sm;
		s.opt.sample_cycles = a->interval ? a->interval : INTERVAL;
		s.opt.sample = sampled;
	}
	if (a->events.path) {
		s.events = events_open(&a->events, provenance, &s.hook);
		s.opt.events = &s.hook;
	}
	s.sink = (struct sim_sink){.arg = &s, .access = accessed};
	s.opt.sink = s.stream || s.split == STATS_BUFFER ? &s.sink : NULL;
	s.opt.begins = begins;
	s.opt.spins = spins;
	s.opt.lcp = lcp;
	s.opt.launched = launched;
	s.opt.kernel = kernel;
	s.opt.progress = show;
	s.opt.arg = &s;
	progress_start(&s.progress, &a->common);
	s.progress.unit = "warp_insts";
	if (sim_replay(s.r, &s.opt, &res, &err) < 0)
		failed(&s, &err);
	seconds = now() - s.progress.start;
	progress_end(&s.progress);
	if (s.stream)
		close_stream(&s, &res.total);
	if (a->timeline)
		timeline_close(&s.timeline);
	if (s.events)
		events_close(s.events, res.total.cycles, a->common.quiet);
	close_table(&s, &res);
	warn_spins(&s);
	if (a->common.verbose && !a->common.quiet)
		warn("%s warp_insts in %.2f s, %s/s; state %016" PRIx64,
			human((double)res.total.warp_insts), seconds,
			human((double)res.total.warp_insts / seconds), res.hash);
	if (a->common.verbose && !a->common.quiet && res.family_bytes)
		warn("launches that were under way together took %s bytes at most",
			human((double)res.family_bytes));
	sim_stats_free(&res.total);
	buffers_free(&s.buffers);
	free(s.slices);
	free(s.spins);
	tr_reader_close(s.r);
	lcp_profile_free(&s.lcp_profile);
	if (s.in != stdin)
		fclose(s.in);
	free(provenance);
	free(s.name);
	free(s.scheduler);
	free(s.warp);
	free(s.settings);
	profile_free(&s.profile);
}

/* ---- several schedulers ---- */

static void check_compare(const struct args *a, const struct replay *s)
{
	if (a->scheduler)
		die(EXIT_USAGE, "--compare and --best-swl name the schedulers: there is no "
				"--scheduler beside them");
	if (a->accesses || a->timeline || a->events.path || s->split != NO_SPLIT)
		die(EXIT_USAGE,
			"--access-stream, --timeline, --events and the groups pc, line and buffer "
			"are of one run");
	events_check(&a->events, s->opt.config.sm.sms);
	if (s->opt.warp->pick)
		die(EXIT_USAGE, "%s picks its warps itself: there is nothing to compare",
			s->opt.warp->name);
}

/* All limits from one warp to those of an SM, where none are named. */
static unsigned limits_of(const struct replay *s, uint32_t *limits)
{
	uint32_t slots;

	if (s->args->nlimits) {
		memcpy(limits, s->args->limits, s->args->nlimits * sizeof(*limits));
		return s->args->nlimits;
	}
	slots = shape_of(s).slots < LIMITS_MAX ? shape_of(s).slots : LIMITS_MAX;
	for (uint32_t i = 0; i < slots; i++)
		limits[i] = i + 1;
	return slots;
}

/* Of one run: the others are of the same launches. */
static int warns(void *arg, const struct tr_launch *l, const struct tr_program *p)
{
	(void)l;
	warn_warp_size(arg, p);
	return 1;
}

static void ran(void *arg, const struct sim_result *res)
{
	struct replay *s = arg;

	s->done += res->total.warp_insts;
	progress_show(&s->progress, s->done);
}

static double ipc(const struct compare_run *run)
{
	const struct sim_stats *t = &run->res.total;

	return t->cycles ? (double)t->thread_insts / (double)t->cycles : 0;
}

static const struct column ratio_column = {"ipc_ratio", SEEN};

static void compare_table(struct replay *s, const struct compare *c, const char *provenance)
{
	const struct compare_run *base = compare_best(c, 0);
	unsigned n;

	output_open(&s->out, s->args->common.output, false);
	s->columns = replay_columns(s->groups, s->opt.warp->counters, &n);
	s->columns[n] = ratio_column;
	table_start(&s->table, s->out.f, &s->args->common, provenance, s->columns, n + 1);
	for (unsigned i = 0; i < c->nrows; i++) {
		const struct compare_run *run = compare_best(c, i);
		struct replay_row row = row_of(s, "total", NULL);

		row.scheduler = run->scheduler;
		replay_row(&s->table, s->groups, &row, &run->res.total);
		table_real(&s->table, ipc(base) > 0 ? ipc(run) / ipc(base) : 0);
	}
	table_end(&s->table);
	tell_in_flight(s);
	output_close(&s->out);
	free(s->columns);
}

static void compare(const struct args *a)
{
	struct replay s = {.args = a};
	uint32_t limits[LIMITS_MAX];
	struct sim_record *record;
	struct compare c;
	struct tr_err err = {0};
	char *provenance, *list;
	unsigned n;

	choose(&s);
	check_compare(a, &s);
	n = limits_of(&s, limits);
	s.opt.lcp = lcp;
	s.opt.arg = &s;
	list = must_printf("%s%s%s", a->compare ? a->compare : "",
		a->compare && a->best_swl ? "," : "", a->best_swl ? "best-swl" : "");
	compare_make(&c, list, &s.opt, limits, n);
	c.runs[0].opt.begins = warns;
	open_input(&s);
	provenance = provenance_with(&a->common, tr_reader_provenance(s.r));
	if (sim_record_read(&record, s.r, &err) < 0)
		failed(&s, &err);
	compare_check(&c, record, a->common.quiet);
	progress_start(&s.progress, &a->common);
	s.progress.unit = "warp_insts";
	compare_run_all(
		&c, record, a->jobs ? a->jobs : (unsigned)sysconf(_SC_NPROCESSORS_ONLN), ran, &s);
	for (unsigned i = 0; i < c.n; i++)
		if (c.runs[i].rc < 0)
			failed(&s, &c.runs[i].err);
	progress_end(&s.progress);
	for (unsigned i = 0; a->common.verbose && !a->common.quiet && i < c.n; i++)
		warn("%s: %.2f thread_insts a cycle", c.runs[i].scheduler, ipc(&c.runs[i]));
	compare_table(&s, &c, provenance);
	compare_free(&c);
	sim_record_free(record);
	tr_reader_close(s.r);
	lcp_profile_free(&s.lcp_profile);
	if (s.in != stdin)
		fclose(s.in);
	free(list);
	free(provenance);
	free(s.name);
	free(s.scheduler);
	free(s.warp);
	free(s.settings);
}

/* ---- what tables take ---- */

static void storage(const struct args *a)
{
	struct replay s = {.args = a};
	struct storage of;
	char *provenance = provenance_with(&a->common, NULL);
	const struct tr_part all = TR_PART_ALL;

	if (a->common.nfiles || a->accesses || a->timeline || a->events.path || a->compare ||
		a->best_swl)
		die(EXIT_USAGE, "--stats=storage replays nothing: it takes no FILE, and there is "
				"nothing else to write");
	if (memcmp(&a->common.part, &all, sizeof(all)))
		die(EXIT_USAGE, "--stats=storage replays nothing: there are no launches and CTAs "
				"to take");
	choose(&s);
	of = (struct storage){.config = &s.opt.config,
		.sched = s.opt.sched,
		.warp = s.opt.warp,
		.sched_params = s.opt.sched_params,
		.warp_params = s.opt.warp_params,
		.all = !a->scheduler && !a->warp};
	if (!a->scheduler && !of.all)
		of.sched = NULL;
	if (!a->warp && !of.all)
		of.warp = NULL;
	output_open(&s.out, a->common.output, false);
	table_start(&s.table, s.out.f, &a->common, provenance, storage_columns, STORAGE_COLUMNS);
	storage_rows(&s.table, &of);
	table_end(&s.table);
	output_close(&s.out);
	free(provenance);
	free(s.name);
	free(s.scheduler);
	free(s.warp);
	free(s.settings);
	profile_free(&s.profile);
}

/* ---- the tables of --machine=help and its like ---- */

static void name_tables(const struct args *a, struct table *t, struct output *o,
	const struct column *columns, unsigned n)
{
	char *provenance = provenance_with(&a->common, NULL);

	output_open(o, a->common.output, false);
	table_start(t, o->f, &a->common, provenance, columns, n);
	free(provenance);
}

static const struct column policy_columns[] = {
	{"name", SEEN}, {"parameters", SEEN}, {"bounds", UNSEEN}, {"help", SEEN}};

static bool is_help(const char *arg)
{
	return arg && !strcmp(arg, "help");
}

/* NAME of "NAME=help", for the caller to free; else NULL. */
static char *policy_of_help(const char *arg)
{
	const size_t n = strcspn(arg, ":=");

	return strcmp(arg + n, "=help") ? NULL : must_printf("%.*s", (int)n, arg);
}

static bool is_policy_help(const char *arg)
{
	return is_help(arg) || (arg && !strcmp(arg + strcspn(arg, ":="), "=help"));
}

/* A policy's row, then one for each of its parameters. */
static void policy_rows(
	struct table *t, const char *name, const char *help, const struct sim_param *params)
{
	char value[64], bounds[128];
	char *text;

	table_text(t, name);
	table_text(t, "-");
	table_text(t, "-");
	table_text(t, help);
	for (int i = 0; i < SIM_PARAMS && params[i].name; i++) {
		sim_param_value(&params[i], params[i].value, value, sizeof(value));
		sim_param_bounds(&params[i], bounds, sizeof(bounds));
		text = must_printf("%s=%s", params[i].name, value);
		table_text(t, name);
		table_text(t, text);
		table_text(t, bounds);
		table_text(t, params[i].help);
		free(text);
	}
}

static void scheduler_rows(struct table *t, const struct sim_sched *p)
{
	policy_rows(t, p->name, p->help, p->params);
	if (!p->takes_profile)
		return;
	table_text(t, p->name);
	table_text(t, "profile=FILE");
	table_text(t, "");
	table_text(t, "of trace-locality --daws-profile; else what it detects");
}

/* The table is of the policies that are there, so this is beneath it, and for people. */
static void own_policies(const struct args *a, const struct output *o, const char *option)
{
	if (a->common.format == FORMAT_HUMAN)
		fprintf(o->f,
			"\n%s ./FILE.so[:NAME=VALUE,...] takes one of your own from a shared "
			"object: trace-policies(7)\n",
			option);
}

/* The policy before "=help", or all. */
static void help_schedulers(const struct args *a)
{
	char *one = policy_of_help(a->scheduler), *row = NULL;
	int64_t params[SIM_PARAMS];
	struct profile none = {0};
	const struct sim_sched *p = NULL;
	struct output o;
	struct table t;

	if (one)
		p = policy_sched(one, "--scheduler", EXIT_USAGE, params, &none, &row);
	name_tables(a, &t, &o, policy_columns, 4);
	if (p)
		scheduler_rows(&t, p);
	for (unsigned i = 0; !one && (p = sim_sched_at(i)); i++)
		scheduler_rows(&t, p);
	table_end(&t);
	if (!one)
		own_policies(a, &o, "--scheduler");
	output_close(&o);
	free(row);
	free(one);
}

static void help_warps(const struct args *a)
{
	char *one = policy_of_help(a->warp), *row = NULL;
	int64_t params[SIM_PARAMS];
	const struct sim_warp_policy *p = NULL;
	struct output o;
	struct table t;

	if (one)
		p = policy_warp(one, "--warp", params, &row);
	name_tables(a, &t, &o, policy_columns, 4);
	if (p)
		policy_rows(&t, p->name, p->help, p->params);
	for (unsigned i = 0; !one && (p = sim_warp_policy_at(i)); i++)
		policy_rows(&t, p->name, p->help, p->params);
	table_end(&t);
	if (!one)
		own_policies(a, &o, "--warp");
	output_close(&o);
	free(row);
	free(one);
}

static const struct column name_columns[] = {{"name", SEEN}, {"help", SEEN}};

static void help_priorities(const struct args *a)
{
	struct output o;
	struct table t;

	name_tables(a, &t, &o, name_columns, 2);
	for (unsigned i = 0; i < SIM_NPRIORITIES; i++) {
		table_text(&t, sim_priority_name((enum sim_priority)i));
		table_text(&t, sim_priority_help((enum sim_priority)i));
	}
	table_end(&t);
	output_close(&o);
}

static void help_stats(const struct args *a)
{
	struct output o;
	struct table t;

	name_tables(a, &t, &o, name_columns, 2);
	for (unsigned i = 0; i < STATS_NGROUPS; i++) {
		table_text(&t, stats_group_name((enum stats_group)i));
		table_text(&t, stats_group_help((enum stats_group)i));
	}
	table_end(&t);
	output_close(&o);
}

static void help_machines(const struct args *a)
{
	struct output o;
	struct table t;

	name_tables(a, &t, &o, name_columns, 2);
	for (unsigned i = 0; machine_presets[i]; i++) {
		char *about = machine_about(machine_presets[i]);

		table_text(&t, machine_presets[i]);
		table_text(&t, about);
		free(about);
	}
	table_end(&t);
	output_close(&o);
}

/* The keys, with their values on the machine as it was chosen. */
static const struct column key_columns[] = {
	{"key", SEEN}, {"value", SEEN}, {"unit", SEEN}, {"bounds", UNSEEN}, {"help", SEEN}};

static void help_keys(const struct args *a)
{
	const struct sim_config c = machine_of(a);
	struct sim_key key;
	struct output o;
	struct table t;

	name_tables(a, &t, &o, key_columns, 5);
	for (unsigned i = 0; sim_config_key(&c, i, &key); i++) {
		table_text(&t, key.name);
		table_text(&t, key.value);
		table_text(&t, *key.unit ? key.unit : "-");
		table_text(&t, key.bounds);
		table_text(&t, key.help);
	}
	table_end(&t);
	output_close(&o);
}

static bool columns_told(const struct args *a)
{
	struct column timeline[TIMELINE_COLUMNS], events[EVENTS_COLUMNS],
		*made[STATS_NGROUPS + 1] = {NULL};
	struct column_table tables[STATS_NGROUPS + 7];
	unsigned n = 0;

	if (!columns_wanted(&a->common))
		return false;
	made[0] = replay_columns(0, NULL, &tables[n].n);
	tables[n++].when = "";
	for (unsigned g = 0; g < STATS_NGROUPS; g++, n++) {
		made[n] = stats_group_columns((enum stats_group)g, &tables[n].n);
		tables[n].when = must_printf("--stats=%s", stats_group_name((enum stats_group)g));
	}
	for (unsigned i = 0; i < n; i++)
		tables[i].columns = made[i];
	timeline_columns(timeline);
	tables[n++] = (struct column_table){"--compare", &ratio_column, 1};
	tables[n++] = (struct column_table){"--timeline", timeline, TIMELINE_COLUMNS};
	events_columns(events);
	tables[n++] = (struct column_table){"--events", events, EVENTS_COLUMNS};
	tables[n++] = (struct column_table){"--machine=help", name_columns, 2};
	tables[n++] = (struct column_table){"--scheduler=help", policy_columns, 4};
	tables[n++] = (struct column_table){"--set=help", key_columns, 5};
	columns_helped(&a->common, tables, n);
	for (unsigned g = 0; g < STATS_NGROUPS; g++)
		free((char *)tables[g + 1].when);
	for (unsigned i = 0; i <= STATS_NGROUPS; i++)
		free(made[i]);
	return true;
}

/* Whether a table of names was asked for; then it is printed. */
static bool helped(const struct args *a)
{
	if (columns_told(a))
		return true;
	if (is_help(a->machine))
		help_machines(a);
	else if (is_policy_help(a->scheduler))
		help_schedulers(a);
	else if (is_policy_help(a->warp))
		help_warps(a);
	else if (is_help(a->priority))
		help_priorities(a);
	else if (is_help(a->stats))
		help_stats(a);
	else if (a->list_keys)
		help_keys(a);
	else
		return false;
	return true;
}

/* ---- the command line ---- */

enum {
	KEY_ACCESSES = 0x100,
	KEY_SET,
	KEY_PRIORITY,
	KEY_MODE,
	KEY_STATS,
	KEY_TOTAL,
	KEY_TIMELINE,
	KEY_INTERVAL,
	KEY_BY,
	KEY_EVENTS,
	KEY_EVENTS_FROM,
	KEY_EVENTS_TO,
	KEY_EVENTS_SM,
	KEY_COMPARE,
	KEY_BEST_SWL,
	KEY_LIMITS
};

static const char *const by_names[] = {"all", "sm", NULL};

static const struct argp_option options[] = {
	{"machine", 'm', "NAME|FILE.ini", 0, "the machine (default ccws); help: the presets", 1},
	{"scheduler", 's', "POLICY", 0,
		"which warp goes first (default the machine's own): a policy, or ./FILE.so of "
		"one's own (trace-policies(7)); help: the policies, POLICY=help: its parameters",
		1},
	{"warp", 'w', "POLICY", 0,
		"which threads run together (default fixed, of the machine's warp size); as "
		"--scheduler",
		1},
	{"priority", KEY_PRIORITY, "POLICY", 0,
		"which CTA's warps go first, before the scheduler (default the warp policy's "
		"own); help: the policies",
		1},
	{"launch", KEY_MODE, "MODE", 0,
		"how launches become CTAs (default the machine's launch.mode): serial, concurrent, "
		"cdp, cdp-ideal, dtbl or dtbl-ideal; with numbers, which launches (below)",
		1},
	{"set", KEY_SET, "KEY=VALUE", 0,
		"a parameter of the machine, any number of times; help: the keys and their values",
		1},
	{"compare", KEY_COMPARE, "POLICY[,...]", 0,
		"schedulers, on one decoding of the trace: a row of the total for each, with its "
		"IPC over the first one's as ipc_ratio; NAME=VALUE is a parameter of the scheduler "
		"before it, and best-swl the fastest limit of swl",
		2},
	{"best-swl", KEY_BEST_SWL, 0, 0,
		"as a further scheduler of --compare, or the only one: its row names the limit, "
		"and with -v each limit's IPC is said",
		2},
	{"limits", KEY_LIMITS, "N[,...]", 0,
		"that best-swl tries, rising (default 1 to the warps of an SM)", 2},
	{"jobs", 'j', "N", 0,
		"replays of --compare and --best-swl at a time (default the processors)", 2},
	{"stats", KEY_STATS, "GROUP[,...]", 0,
		"further columns, or another table (default none); help: the groups", 2},
	{"total", KEY_TOTAL, NULL, 0,
		"of --stats=pc and line, a row for all launches of a kernel together", 2},
	{"access-stream", KEY_ACCESSES, "FILE", 0,
		"writes the accesses of the L1Ds, in their order, for trace-belady and "
		"trace-locality; with - the table goes to -o FILE or nowhere",
		2},
	{"timeline", KEY_TIMELINE, "FILE", 0,
		"writes a TSV row for each interval: warps resident, instructions, accesses and "
		"misses, what the schedulers' cycles went to; - as above; where FILE ends in "
		".json, as counters for Perfetto",
		2},
	{"interval", KEY_INTERVAL, "CYCLES", 0, "of the timeline (default 1000)", 2},
	{"by", KEY_BY, "WHAT", 0,
		"of the timeline: sm, a row for each SM in each interval (default all, one for all "
		"of them)",
		2},
	{"events", KEY_EVENTS, "FILE", 0,
		"writes what each warp does in each cycle: issues, why it does not, loads out and "
		"back, barriers, splits and merges; where FILE ends in .tsv as a table, in .konata "
		"for the viewer Konata, in .json for Perfetto; - as above, a table",
		2},
	{"events-from", KEY_EVENTS_FROM, "CYCLE", 0,
		"first cycle of the events, counted from 0 over all launches (default 0)", 2},
	{"events-to", KEY_EVENTS_TO, "CYCLE", 0,
		"the cycle before which the events end (default the last one)", 2},
	{"events-sm", KEY_EVENTS_SM, "N", 0, "of this SM alone, from 0 (default all SMs)", 2},
	{0},
};

static const struct argp_child children[] = {
	{&part_argp, 0, NULL, 0},
	{&format_argp, 0, NULL, 0},
	{&output_argp, 0, NULL, 0},
	{0},
};

static void parse_limits(struct args *a, const char *list)
{
	char *copy = must_printf("%s", list), *rest = copy, *piece;

	a->nlimits = 0;
	while ((piece = strsep(&rest, ","))) {
		if (a->nlimits == LIMITS_MAX)
			die(EXIT_USAGE, "--limits: more than %d", LIMITS_MAX);
		a->limits[a->nlimits] = (uint32_t)parse_uint(piece, 1, LIMITS_MAX, "--limits");
		if (a->nlimits && a->limits[a->nlimits] <= a->limits[a->nlimits - 1])
			die(EXIT_USAGE, "--limits: they do not rise");
		a->nlimits++;
	}
	free(copy);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		for (int i = 0; i < 3; i++)
			state->child_inputs[i] = &a->common;
		return 0;
	case 'm':
		a->machine = arg;
		return 0;
	case 's':
		a->scheduler = arg;
		return 0;
	case 'w':
		a->warp = arg;
		return 0;
	case KEY_PRIORITY:
		a->priority = arg;
		return 0;
	case KEY_MODE:
		if (isalpha((unsigned char)*arg))
			a->launch = arg;
		else
			part_launches(&a->common, arg, state);
		return 0;
	case KEY_SET:
		if (is_help(arg))
			a->list_keys = true;
		else if (a->nsets == SETS_MAX)
			argp_error(state, "more than %d --set", SETS_MAX);
		else
			a->sets[a->nsets++] = arg;
		return 0;
	case KEY_STATS:
		a->stats = arg;
		return 0;
	case KEY_TOTAL:
		a->total = true;
		return 0;
	case KEY_COMPARE:
		a->compare = arg;
		return 0;
	case KEY_BEST_SWL:
		a->best_swl = true;
		return 0;
	case KEY_LIMITS:
		parse_limits(a, arg);
		return 0;
	case 'j':
		a->jobs = (unsigned)parse_uint(arg, 1, 1024, "--jobs");
		return 0;
	case KEY_ACCESSES:
		a->accesses = arg;
		return 0;
	case KEY_TIMELINE:
		a->timeline = arg;
		return 0;
	case KEY_INTERVAL:
		a->interval = parse_uint(arg, 1, UINT64_MAX / 2, "--interval");
		return 0;
	case KEY_BY:
		a->by_sm = option_word(state, "split", arg, by_names);
		return 0;
	case KEY_EVENTS:
		a->events.path = arg;
		return 0;
	case KEY_EVENTS_FROM:
		a->events.from = parse_uint(arg, 0, UINT64_MAX / 2, "--events-from");
		a->events.from_given = true;
		return 0;
	case KEY_EVENTS_TO:
		a->events.to = parse_uint(arg, 0, UINT64_MAX / 2, "--events-to");
		a->events.to_given = true;
		return 0;
	case KEY_EVENTS_SM:
		a->events.sm = (uint32_t)parse_uint(arg, 0, UINT32_MAX - 1, "--events-sm");
		a->events.sm_given = true;
		return 0;
	case ARGP_KEY_ARG:
		files_add(&a->common, arg);
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
		.doc = "Replays a thread trace, cycle by cycle, on a machine, under a scheduler "
		       "and a warp policy. A row for each launch and, where there are several, "
		       "one for their total. Without FILE, or for -, reads standard input; of "
		       "several FILEs the rows are one table, its column record says whose "
		       "they are, and each has a total."
		       "\vParameters of a policy follow its name: swl:limit=4, 2lvl:group=2, "
		       "fixed:16. With lcp=profile FILE is read twice, so it cannot be a pipe. "
		       "Cycles are those of the core clock. idle_share is the share of "
		       "schedulers' cycles with warps in which none of them was ready, "
		       "coalescing_rate the accesses of threads that reached the L1D over the "
		       "requests that left the SM; a miss allocates, a merge joins an outstanding "
		       "miss "
		       "and is counted apart. mpki is misses per thousand thread instructions.\n\n"
		       "tbc, dwf, crown and lwm have one instruction of a warp in flight on "
		       "any "
		       "machine, fixed where sm.one_in_flight is yes: the table says where that "
		       "parts them, and --set sm.one_in_flight=yes makes them comparable.\n\n"
		       "Words of --events: issue is an instruction of a warp; wait says why a warp "
		       "does not issue, in the words of --stats=stalls, or not_picked where "
		       "another "
		       "one issues; scheduler is the class of a scheduler's cycles. What lasts is "
		       "written when it ends, cut to the window. Konata opens .konata files, "
		       "Perfetto .json files, in which a cycle is a microsecond.",
		.children = children,
	};
	struct args args = {
		.common = COMMON_DEFAULTS,
		.machine = "ccws",
		.stats = "",
		.events = EVENTS_DEFAULTS,
	};

	args.common.takes_files = true;
	tool_start("trace-replay", argc, argv);
	tool_args(&argp, argc, argv, &args);
	if (helped(&args))
		return EXIT_OK;
	check_options(&args);
	if (stats_groups(args.stats) >> STATS_STORAGE & 1)
		storage(&args);
	else
		while (files_next(&args.common, &args.file))
			if (args.compare || args.best_swl)
				compare(&args);
			else
				run(&args);
	return EXIT_OK;
}
