/* CTA slots of an SM, their threads' records, and the threads that have come to barriers. */
#include "sim/sm/state.h"

uint32_t sim_cta_occupancy(const struct sim_config *c, const struct tr_launch *l, uint32_t stride)
{
	uint32_t n = c->sm.ctas, threads = tr_launch_threads(l);
	const uint64_t registers = (uint64_t)l->registers * threads;

	if (stride && c->sm.threads / stride < n)
		n = c->sm.threads / stride;
	if (registers && c->sm.registers / registers < n)
		n = (uint32_t)(c->sm.registers / registers);
	if (l->shared_bytes && c->sm.shared_bytes / l->shared_bytes < n)
		n = c->sm.shared_bytes / l->shared_bytes;
	return n;
}

int64_t sim_cta_take(struct sim_sm *sm, const struct tr_cta *cta)
{
	uint32_t place = 0;
	struct sim_cta *c;

	while (sm->ctas[place].live)
		place++;
	c = &sm->ctas[place];
	*c = (struct sim_cta){.tape = c->tape,
		.number = cta->number,
		.first = place * sm->stride,
		.n = cta->nthreads,
		.live = cta->nthreads,
		.age = ++sm->next_cta_age};
	if (sim_tape_load(&c->tape, cta, sm->threads + c->first))
		return tr_fail(sm->sh->err, TR_EMEM, 0, "no memory for CTA %u", cta->number);
	sm->live_ctas++;
	sm->sh->stats->ctas++;
	sm->sh->stats->threads += cta->nthreads;
	return place;
}

void sim_lost(struct sim_sm *sm, const struct sim_thread *t, const char *what)
{
	sm->failed = 1;
	tr_fail(sm->sh->err, TR_EDATA, 0,
		"%s: thread %u on SM %u %s (%s is at fault, not the trace)",
		tr_str(sm->sh->program->p, sm->sh->program->p->name), t->home, sm->number, what,
		sm->sh->warp->name);
}

uint64_t sim_cta_exits(struct sim_sm *sm, const struct sim_warp *w)
{
	uint64_t changed = 0;
	uint32_t lane;

	FOR_LANES(w->lanes, lane)
	{
		struct sim_thread *t = &sm->threads[w->thread[lane]];
		struct sim_cta *c = sim_cta_of(sm, w->thread[lane]);

		if (t->pc != TR_EXIT) {
			/* It waits for its warp to exit: barriers need not wait for it any more. */
			const struct sim_inst *x = &sm->sh->program->insts[t->pc];
			if (x->cls != TR_C_EXIT || x->guarded || t->leaving)
				continue;
			t->leaving = 1;
			c->leaving++;
		} else {
			c->leaving -= t->leaving;
			if (t->outcomes || t->values)
				sim_lost(sm, t, "ended before its record did");
			sm->sh->stats->path_hash += t->path;
			sm->sh->stats->ended++;
			c->live--;
		}
		changed |= 1ull << (c - sm->ctas);
	}
	return changed;
}

int sim_cta_opens(struct sim_cta *c, uint32_t barrier, uint32_t aux)
{
	if (c->arrived[barrier] < (aux ? aux : c->live - c->leaving))
		return 0;
	c->arrived[barrier] = 0;
	return 1;
}
