/*
 * Code that an SM has to fetch before it runs it for the first time: instruction caches that begin
 * cold. Code comes in lines of SIM_CODE_LINE instructions. A warp that comes to a line the SM has
 * never had waits sm.code_latency cycles for it; and the first that comes to a line has the
 * sm.code_ahead lines after it fetched, too, as a stream buffer does (Huerta et al., MICRO 2025). A
 * launch brings the first lines of its kernels: what that takes is a part of launch.latency.
 * Left out: that lines are evicted, the caches' own latencies, and that code is in the L2.
 */
#include "sim/sm/state.h"
#include <stdlib.h>
#include <string.h>

/* Of 128 bytes; an instruction of Volta and later is 16 (Jia 2018, arXiv 1804.06826). */
#define SIM_CODE_LINE 8

static uint32_t lines_of(uint32_t ninsts)
{
	return (ninsts + SIM_CODE_LINE - 1) / SIM_CODE_LINE;
}

/* The SM's code of a program, by its name and length: launches make their programs anew. */
static struct sim_code *code_of(struct sim_codes *c, const char *name, uint32_t ninsts)
{
	const uint32_t n = lines_of(ninsts);
	struct sim_code *all, *x;

	for (uint32_t i = 0; i < c->n; i++)
		if (c->all[i].ninsts == ninsts && !strcmp(c->all[i].name, name))
			return &c->all[i];
	all = realloc(c->all, (c->n + 1) * sizeof(*all));
	if (!all)
		return NULL;
	c->all = all;
	x = &all[c->n];
	*x = (struct sim_code){.name = malloc(strlen(name) + 1),
		.ninsts = ninsts,
		.there = malloc((n + 1) * sizeof(*x->there)),
		.begun = calloc(n + 1, sizeof(*x->begun))};
	c->n++;
	if (!x->name || !x->there || !x->begun)
		return NULL;
	memcpy(x->name, name, strlen(name) + 1);
	for (uint32_t i = 0; i < n; i++)
		x->there[i] = SIM_NEVER;
	return x;
}

/* Asks for a line and those ahead of it that nobody has asked for; they come at cycle `at`. */
static void ask(const struct sim_code *x, uint32_t line, uint32_t ahead, uint64_t at)
{
	const uint32_t n = lines_of(x->ninsts), last = ahead < n - line ? line + ahead + 1 : n;

	for (uint32_t i = line; i < last; i++)
		if (x->there[i] == SIM_NEVER)
			x->there[i] = at;
}

int sim_code_launch(struct sim_sm *sm)
{
	const struct tr_program *p = sm->sh->program->p;
	const struct sim_config *c = sm->sh->config;
	struct sim_code *x;

	if (!c->sm.code_latency)
		return 0;
	x = code_of(&sm->code, tr_str(p, p->name), p->ninsts);
	sm->code.now = x;
	if (!x)
		return -1;
	for (uint32_t i = 0; i < lines_of(x->ninsts); i++) /* nothing is on its way any more */
		if (x->there[i] != SIM_NEVER)
			x->there[i] = 0;
	for (uint32_t g = 0; g < sm->sh->ngrids; g++)
		ask(x, sm->sh->grids[g].entry / SIM_CODE_LINE, c->sm.code_ahead, 0);
	return 0;
}

void sim_code_free(struct sim_sm *sm)
{
	struct sim_codes *c = &sm->code;

	for (uint32_t i = 0; i < c->n; i++) {
		free(c->all[i].name);
		free(c->all[i].there);
		free(c->all[i].begun);
	}
	free(c->all);
}

uint64_t sim_code_there(struct sim_sm *sm, uint32_t inst, uint64_t now)
{
	const struct sim_config *c = sm->sh->config;
	const struct sim_code *x = sm->code.now;
	const uint32_t line = inst / SIM_CODE_LINE;

	if (!x->begun[line]) {
		x->begun[line] = 1;
		ask(x, line, c->sm.code_ahead, now + c->sm.code_latency);
	}
	return x->there[line];
}
