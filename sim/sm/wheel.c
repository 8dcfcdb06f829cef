/* Events filed by cycle modulo SIM_WHEEL; see wheel.h. */
#include "sim/sm/wheel.h"
#include "sim/base/mix.h"
#include "sim/base/warp.h"
#include <stdlib.h>

int sim_wheel_grow(struct sim_wheel *w, uint32_t from, uint32_t to)
{
	uint32_t *next = realloc(w->next, to * sizeof(*next));
	uint64_t *at = realloc(w->at, to * sizeof(*at));
	uint8_t *filed = realloc(w->filed, to * sizeof(*filed));

	if (next)
		w->next = next;
	if (at)
		w->at = at;
	if (filed)
		w->filed = filed;
	if (!next || !at || !filed)
		return -1;
	for (uint32_t i = from; i < to; i++)
		at[i] = SIM_NEVER;
	return 0;
}

int sim_wheel_init(struct sim_wheel *w, uint32_t members)
{
	*w = (struct sim_wheel){.soonest = SIM_NEVER};
	for (int i = 0; i < SIM_WHEEL; i++)
		w->head[i] = UINT32_MAX;
	return sim_wheel_grow(w, 0, members + 1);
}

void sim_wheel_free(struct sim_wheel *w)
{
	free(w->next);
	free(w->at);
	free(w->filed);
	w->filed = NULL;
	w->next = NULL;
	w->at = NULL;
}

static uint64_t find_soonest(const struct sim_wheel *w);

/* Takes a member off the list that it is filed in. */
static void drop(struct sim_wheel *w, uint32_t member)
{
	const uint32_t k = w->filed[member];
	uint32_t *link = &w->head[k];

	while (*link != member)
		link = &w->next[*link];
	*link = w->next[member];
	if (w->head[k] == UINT32_MAX) {
		w->filled[k / 64] &= ~(1ull << (k % 64));
		w->soonest = find_soonest(w);
	}
}

void sim_wheel_move(struct sim_wheel *w, uint32_t member, uint64_t at)
{
	drop(w, member);
	sim_wheel_enter(w, member, at);
}

/* The first cycle after w->now for which something is filed. */
static uint64_t find_soonest(const struct sim_wheel *w)
{
	const uint64_t first = w->now + 1;
	uint64_t bits = w->filled[first % SIM_WHEEL / 64] >> (first % 64), at = first;

	if (bits)
		return first + (uint32_t)__builtin_ctzll(bits);
	for (uint32_t i = 0; i < SIM_WHEEL / 64; i++) { /* at last the first word's lower end */
		at = at / 64 * 64 + 64;
		bits = w->filled[at % SIM_WHEEL / 64];
		if (bits)
			return at + (uint32_t)__builtin_ctzll(bits);
	}
	return SIM_NEVER;
}

uint32_t sim_wheel_due(struct sim_wheel *w, uint64_t now)
{
	do {
		const uint64_t cycle = w->soonest;
		const uint32_t k = cycle % SIM_WHEEL, member = w->head[k];
		const uint64_t at = w->at[member];

		w->now = cycle - 1;
		w->at[member] = SIM_NEVER;
		w->head[k] = w->next[member];
		if (w->head[k] == UINT32_MAX) {
			w->filled[k / 64] &= ~(1ull << (k % 64));
			w->soonest = find_soonest(w);
		}
		if (at <= cycle)
			return member;
		sim_wheel_enter(w, member, at); /* it was too far ahead: the next one */
	} while (w->soonest <= now);
	w->now = now;
	return UINT32_MAX;
}

uint64_t sim_wheel_hash(const struct sim_wheel *w, uint32_t members, uint64_t h)
{
	for (uint32_t i = 0; i < members; i++)
		if (w->at[i] != SIM_NEVER)
			h = sim_mix(sim_mix(h, i), w->at[i]);
	return h;
}
