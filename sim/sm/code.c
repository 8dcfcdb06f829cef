/*
 * The SM's instruction caches, which begin a launch empty but for the first lines of its kernels:
 * what the launch takes to bring these is a part of launch.latency. Each scheduler has an L0-I
 * (sm.l0i_bytes), and the SM an L1-I (sm.l1i_bytes) before the L2. A line is SIM_CODE_LINE
 * instructions. A warp that comes to a line has it fetched, and the sm.code_ahead lines after it,
 * as a stream buffer does (Huerta et al., MICRO 2025): what is in the L1-I is in the L0-I after
 * sm.l1i_latency, what is not comes from the L2 or from beyond it, by way of the interconnect, and
 * then takes as long. The L2 knows a program by its name and its length, so code of other SMs and
 * of earlier launches may be there.
 *
 * Caches are fully associative, and the least recently used line leaves. A line on its way does
 * not, so prefetches may fill a cache beyond its size until the next line after they have come.
 * Left out: how many lines an L1-I gives in a cycle, a buffer of instructions, fetches on a wrong
 * way.
 */
#include "sim/base/mix.h"
#include "sim/sm/state.h"
#include <stdlib.h>
#include <string.h>

/* Of SIM_CODE_BYTES; an instruction of Volta and later is 16 (Jia 2018, arXiv 1804.06826). */
#define SIM_CODE_LINE 8
#define LINE_BYTES SIM_CODE_BYTES
#define COMING UINT64_MAX
/* Programs are at addresses that no data have, each with room for a million bytes. */
#define CODE_AT (1ull << 63)
#define CODE_ROOM 20

struct sim_code_line {
	uint64_t at;   /* the cycle from which it is there, + 1; 0: it is not there; COMING */
	uint64_t used; /* cycle */
};

static uint32_t lines_of(uint32_t ninsts)
{
	return (ninsts + SIM_CODE_LINE - 1) / SIM_CODE_LINE;
}

/* Launches make their programs anew, so names tell them. */
static uint64_t address_of(const char *name, uint32_t ninsts)
{
	uint64_t h = ninsts;

	for (; *name; name++)
		h = sim_mix(h, (unsigned char)*name);
	return CODE_AT | (h & 0xffffffff) << CODE_ROOM;
}

static void free_cache(struct sim_code_cache *c)
{
	free(c->line);
	free(c->kept);
	*c = (struct sim_code_cache){0};
}

static void free_launch(struct sim_codes *c)
{
	free_cache(&c->l1);
	for (uint32_t i = 0; i < c->nl0; i++)
		free_cache(&c->l0[i]);
	free(c->wanted);
	free(c->line_of);
	free(c->has);
	free(c->l0_of);
	c->wanted = c->line_of = NULL;
	c->has = NULL;
	c->l0_of = NULL;
}

void sim_code_free(struct sim_sm *sm)
{
	struct sim_codes *c = &sm->code;

	free_launch(c);
	free(c->l0);
	free(c->asked);
	free(c->came);
}

static int new_cache(struct sim_code_cache *c, uint32_t bytes, uint32_t lines)
{
	c->size = bytes && bytes < LINE_BYTES ? 1 : bytes / LINE_BYTES;
	c->line = calloc(lines + 1, sizeof(*c->line));
	c->kept = calloc(lines + 1, sizeof(*c->kept));
	return c->line && c->kept ? 0 : -1;
}

/* Room for the requests of a launch, beside those of earlier ones that have not been answered. */
static int new_requests(struct sim_codes *c, uint32_t lines)
{
	const uint32_t size = c->nasked + lines + 1;
	uint32_t *asked, *came;

	if (size <= c->room)
		return 0;
	asked = realloc(c->asked, size * sizeof(*asked));
	c->asked = asked ? asked : c->asked;
	came = realloc(c->came, size * sizeof(*came));
	c->came = came ? came : c->came;
	if (!asked || !came)
		return -1;
	for (uint32_t i = c->room; i < size; i++)
		c->asked[i] = SIM_CODE_FREE;
	c->room = size;
	return 0;
}

/* ---- what is there ---- */

/* Where the least recently used of the lines that are there stands; c->n where there is none. */
static uint32_t oldest(const struct sim_code_cache *c)
{
	uint64_t used = UINT64_MAX;
	uint32_t k = c->n;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct sim_code_line *x = &c->line[c->kept[i]];

		if (x->at != COMING && x->used < used) {
			used = x->used;
			k = i;
		}
	}
	return k;
}

static void put(struct sim_code_cache *c, uint32_t line, uint64_t at, uint64_t now)
{
	uint32_t k;

	while (c->size && c->n > c->size && (k = oldest(c)) < c->n) {
		c->line[c->kept[k]].at = 0;
		c->kept[k] = c->kept[--c->n];
	}
	k = c->size && c->n >= c->size ? oldest(c) : c->n;
	if (k < c->n)
		c->line[c->kept[k]].at = 0;
	else
		c->n++;
	c->kept[k] = line;
	c->line[line] = (struct sim_code_line){at, now};
}

/* The L1-I wants a line from the memory: filed until there is room on the way there. */
static void want(struct sim_sm *sm, uint32_t line, uint64_t now)
{
	struct sim_codes *c = &sm->code;

	put(&c->l1, line, COMING, now);
	c->wanted[(c->first_wanted + c->nwanted++) % c->lines] = line;
}

/* Has a line come to an L0-I, or to the L1-I where there are none, unless it is there. */
static void ask(struct sim_sm *sm, uint32_t of, uint32_t line, uint64_t now)
{
	struct sim_codes *c = &sm->code;
	struct sim_code_line *l1 = &c->l1.line[line];

	if (c->nl0 && c->l0[of].line[line].at)
		return;
	if (!l1->at)
		want(sm, line, now);
	l1->used = now;
	if (!c->nl0)
		return;
	sm->sh->stats->code_fetches++;
	put(&c->l0[of], line, l1->at == COMING ? COMING : now + sm->sh->config->sm.l1i_latency + 1,
		now);
}

static uint32_t last_ahead(const struct sim_sm *sm, uint32_t line)
{
	const uint32_t ahead = sm->sh->config->sm.code_ahead, left = sm->code.lines - line;

	return ahead < left ? line + ahead + 1 : sm->code.lines;
}

int sim_code_launch(struct sim_sm *sm)
{
	const struct tr_program *p = sm->sh->program->p;
	const struct sim_config *config = sm->sh->config;
	struct sim_codes *c = &sm->code;
	const uint32_t lines = lines_of(p->ninsts);

	if (!config->sm.code)
		return 0;
	if (config->sm.l0i_bytes && !c->l0) {
		c->l0 = calloc(config->sm.schedulers, sizeof(*c->l0));
		if (!c->l0)
			return -1;
		c->nl0 = config->sm.schedulers;
	}
	free_launch(c);
	c->lines = lines;
	c->nwanted = c->first_wanted = 0;
	c->address = address_of(tr_str(p, p->name), p->ninsts);
	for (uint32_t i = 0; i < c->room; i++) /* an answer of these is for nobody any more */
		if (c->asked[i] != SIM_CODE_FREE)
			c->asked[i] = SIM_CODE_STALE;
	c->wanted = calloc((size_t)lines + 1, sizeof(*c->wanted));
	c->line_of = malloc(sm->nwarps * sizeof(*c->line_of));
	c->has = malloc(sm->nwarps * sizeof(*c->has));
	c->l0_of = malloc(sm->nwarps * sizeof(*c->l0_of));
	if (!c->wanted || !c->line_of || !c->has || !c->l0_of || new_requests(c, lines) ||
		new_cache(&c->l1, config->sm.l1i_bytes, lines))
		return -1;
	memset(c->line_of, 0xff, sm->nwarps * sizeof(*c->line_of));
	for (uint32_t w = 0; w < sm->nwarps; w++) {
		c->has[w] = (struct sim_code_at){TR_NONE, SIM_NEVER};
		c->l0_of[w] = (uint8_t)(w % config->sm.schedulers);
	}
	c->fits = !c->l1.size || lines <= c->l1.size;
	for (uint32_t i = 0; i < c->nl0; i++) {
		if (new_cache(&c->l0[i], config->sm.l0i_bytes, lines))
			return -1;
		c->fits &= lines <= c->l0[i].size;
	}
	for (uint32_t g = 0; g < sm->sh->ngrids; g++) {
		const uint32_t first = sm->sh->grids[g].entry / SIM_CODE_LINE;

		for (uint32_t line = first; line < last_ahead(sm, first); line++) {
			if (c->l1.line[line].at)
				continue;
			put(&c->l1, line, 1, 0);
			for (uint32_t i = 0; i < c->nl0; i++)
				put(&c->l0[i], line, 1, 0);
		}
	}
	return 0;
}

uint64_t sim_code_there(struct sim_sm *sm, uint32_t w, uint64_t now)
{
	struct sim_codes *c = &sm->code;
	const uint32_t pc = sm->warps[w].pc, line = pc / SIM_CODE_LINE, of = c->l0_of[w];
	struct sim_code_line *x = &(c->nl0 ? &c->l0[of] : &c->l1)->line[line];
	struct sim_code_at *has = &c->has[w];

	/* As mostly: it is there, and nothing ever leaves. */
	if (c->fits && c->line_of[w] == line && x->at - 1 <= now)
		return x->at - 1;
	/* What it was promised it gets, though its line may have left again. */
	if (has->pc == pc && has->at != SIM_NEVER)
		return has->at;
	has->pc = pc;
	has->at = SIM_NEVER;
	if (c->line_of[w] != line) {
		c->line_of[w] = line;
		for (uint32_t k = line; k < last_ahead(sm, line); k++)
			ask(sm, of, k, now);
	}
	if (!x->at) /* it has left meanwhile, perhaps for those ahead of it */
		ask(sm, of, line, now);
	if (x->at == COMING)
		return SIM_NEVER;
	x->used = x->used > now ? x->used : now;
	has->at = x->at - 1;
	return has->at;
}

/* ---- to the memory and back ---- */

void sim_code_send(struct sim_sm *sm, uint64_t now)
{
	struct sim_codes *c = &sm->code;
	struct sim_mem_request r = {.sectors = sim_all_sectors(LINE_BYTES),
		.bytes = LINE_BYTES,
		.op = SIM_MEM_READ,
		.reply = 1,
		.space = SIM_MEM_CODE,
		.sm = sm->number};
	uint32_t slot = 0;

	if (!sim_code_sends(sm))
		return;
	while (c->asked[slot] !=
		SIM_CODE_FREE) /* as many as lines, and those of earlier launches */
		slot++;
	c->asked[slot] = c->wanted[c->first_wanted];
	c->first_wanted = (c->first_wanted + 1) % c->lines;
	c->nwanted--;
	c->nasked++;
	r.line = c->address + (uint64_t)c->asked[slot] * LINE_BYTES;
	r.tag = slot;
	sim_mem_push(sm->sh->mem, &r, now);
	sm->events++;
}

uint32_t sim_code_came(struct sim_sm *sm, uint32_t slot, uint64_t now, uint32_t *line)
{
	struct sim_codes *c = &sm->code;
	uint32_t to = c->nl0 ? 0 : UINT32_MAX;

	*line = c->asked[slot];
	c->asked[slot] = SIM_CODE_FREE;
	c->nasked--;
	if (*line == SIM_CODE_STALE)
		return 0;
	c->l1.line[*line].at = now + 1;
	for (uint32_t i = 0; i < c->nl0; i++) {
		struct sim_code_line *x = &c->l0[i].line[*line];

		if (x->at != COMING)
			continue;
		x->at = now + sm->sh->config->sm.l1i_latency + 1;
		to |= 1u << i;
	}
	return to;
}
