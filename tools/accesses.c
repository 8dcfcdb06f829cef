/* Access streams for the tools; see accesses.h. */
#include "tools/accesses.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

void accesses_die(const struct accesses *s, const struct tr_err *err)
{
	if (err->code == TR_EKIND)
		die(EXIT_BAD,
			"cannot read %s: this is a thread trace: put trace-coalesce before %s",
			s->name, program_invocation_short_name);
	die_err(err, must_printf("cannot read %s", s->name));
}

void accesses_open(struct accesses *s, const char *file, const struct common *c)
{
	const struct tr_part *p = &c->part;
	struct tr_err err = {0};

	*s = (struct accesses){.whole_ctas = !p->cta_first && p->cta_last == UINT32_MAX};
	s->whole = s->whole_ctas && !p->launch_first && p->launch_last == UINT32_MAX;
	s->in = input_open(file, &s->name);
	if (tr_access_reader_open(&s->r, s->in, p, &err) < 0)
		accesses_die(s, &err);
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

void accesses_close(struct accesses *s)
{
	tr_access_reader_close(s->r);
	free(s->name);
	if (s->in != stdin)
		fclose(s->in);
}
