/* Access streams for the tools; see accesses.h. */
#include "tools/accesses.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const index_names[] = {[TR_X_MODULO] = "modulo",
	[TR_X_HASH] = "hash",
	[TR_X_XOR] = "xor",
	[TR_X_IPOLY] = "ipoly",
	NULL};
const char *const write_names[] = {
	[TR_W_EVICT] = "evict", [TR_W_ALLOCATE] = "allocate", [TR_W_KEEP] = "keep", NULL};

void accesses_die(const struct accesses *s, const struct tr_err *err)
{
	if (err->code == TR_EKIND)
		die(EXIT_BAD,
			"cannot read %s: this is a thread trace: put trace-coalesce before %s",
			s->name, program_invocation_short_name);
	die_err(err, must_printf("cannot read %s", s->name));
}

void accesses_start(
	struct accesses *s, FILE *f, char *name, struct tr_in *in, const struct common *c)
{
	const struct tr_part *p = &c->part;
	struct tr_err err = {0};

	*s = (struct accesses){
		.in = f, .name = name, .whole_ctas = !p->cta_first && p->cta_last == UINT32_MAX};
	s->whole = s->whole_ctas && !p->launch_first && p->launch_last == UINT32_MAX;
	if (tr_access_reader_start(&s->r, in, p, &err) < 0)
		accesses_die(s, &err);
}

void accesses_open(struct accesses *s, const char *file, const struct common *c)
{
	struct tr_err err = {0};
	struct tr_in *in;
	char *name;
	FILE *f = input_open(file, &name);

	if (tr_in_open(&in, f, &err) < 0)
		die_err(&err, must_printf("cannot read %s", name));
	accesses_start(s, f, name, in, c);
}

int accesses_next(struct accesses *s, const struct tr_access **batch, size_t *n)
{
	struct tr_err err = {0};
	const int event = tr_access_reader_next(s->r, batch, n, &err);

	if (event < 0)
		accesses_die(s, &err);
	if (event == TR_A_BATCH) {
		const struct tr_access *first = *batch, *last = *batch + *n - 1;

		if (!s->any) {
			s->warp_insts[0] = first->warp_insts;
			s->thread_insts[0] = first->thread_insts;
		}
		s->any = true;
		for (size_t i = 0; s->by_default && !s->stores && i < *n; i++)
			s->stores =
				(*batch)[i].op == TR_A_WRITE && (*batch)[i].space == TR_S_GLOBAL;
		s->warp_insts[1] = last->warp_insts;
		s->thread_insts[1] = last->thread_insts;
	}
	return event;
}

void accesses_insts(const struct accesses *s, uint64_t *warp_insts, uint64_t *thread_insts)
{
	*warp_insts = *thread_insts = 0;
	if (s->whole) {
		const uint64_t *totals = tr_access_reader_totals(s->r);

		*warp_insts = totals[TR_AT_WARP_INSTS];
		*thread_insts = totals[TR_AT_THREAD_INSTS];
	} else if (s->whole_ctas) {
		*warp_insts = s->warp_insts[1] - s->warp_insts[0];
		*thread_insts = s->thread_insts[1] - s->thread_insts[0];
	}
}

struct sim_geometry accesses_cache(const struct accesses *s)
{
	const struct tr_access_info *i = tr_access_reader_info(s->r);
	const uint64_t lines = (uint64_t)i->sets * i->ways;
	struct sim_geometry g = {i->sets, i->ways, i->line_bytes, i->index};
	struct tr_err err = {0};
	char *spec;

	if (!i->sets)
		return g;
	spec = must_printf(
		"%" PRIu64 ":%" PRIu32 ":%" PRIu32, lines * i->line_bytes, i->line_bytes, i->ways);
	if (sim_geometry_parse(&g, spec, &err) < 0)
		die(EXIT_BAD, "cannot read %s: its replay's %s", s->name, err.msg);
	g.index = i->index;
	free(spec);
	return g;
}

struct cache_manner accesses_manner(struct accesses *s, const struct cache_manner *m)
{
	const struct tr_access_info *i = tr_access_reader_info(s->r);
	struct cache_manner settled = *m;

	if (m->index == OF_STREAM)
		settled.index = (int)i->index;
	if (m->write == OF_STREAM) {
		settled.write = (int)i->write;
		s->by_default = !i->sets && i->write == TR_W_EVICT;
	}
	return settled;
}

void accesses_remark(const struct accesses *s, const struct common *c)
{
	if (s->by_default && s->stores && remarks(c))
		warn("%s does not say what stores to global memory do: they take their lines out, "
		     "as an L1 of a GPU has it (--write evict)",
			s->name);
}

void accesses_close(struct accesses *s)
{
	tr_access_reader_close(s->r);
	free(s->name);
	if (s->in != stdin)
		fclose(s->in);
}

/* ---- options ---- */

unsigned option_word(
	struct argp_state *state, const char *what, const char *arg, const char *const *names)
{
	const char *like = nearest(arg, names);

	for (unsigned i = 0; names[i]; i++)
		if (!strcmp(names[i], arg))
			return i;
	argp_error(state, "unknown %s '%s'%s%s%s", what, arg, like ? ": did you mean '" : "",
		like ? like : "", like ? "'?" : "");
	return 0;
}

enum { KEY_INDEX = 0x3000, KEY_WRITE, KEY_FLUSH };

static const struct argp_option cache_options[] = {
	{"index", KEY_INDEX, "FUNCTION", 0,
		"modulo, hash (set + 7 tag), xor or ipoly (default: the stream's, else modulo)", 1},
	{"write", KEY_WRITE, "POLICY", 0,
		"evict: a global store takes its line out; allocate: it is an access like a load; "
		"keep: it leaves the line as it is (default: the stream's, else evict)",
		1},
	{"flush-at-kernel", KEY_FLUSH, "on|off", 0,
		"empty the caches when a launch begins (default on)", 1},
	{0},
};

static error_t cache_parse(int key, char *arg, struct argp_state *state)
{
	static const char *const switch_names[] = {"off", "on", NULL};
	struct cache_manner *m = state->input;

	switch (key) {
	case KEY_INDEX:
		m->index = (int)option_word(state, "index function", arg, index_names);
		return 0;
	case KEY_WRITE:
		m->write = (int)option_word(state, "write policy", arg, write_names);
		return 0;
	case KEY_FLUSH:
		m->flush_given = true;
		m->flush = option_word(state, "switch", arg, switch_names);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cache_argp = {.options = cache_options, .parser = cache_parse};
