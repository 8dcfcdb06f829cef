/*
 * A timing wheel: numbered members, each filed under a cycle, in lists by cycle modulo SIM_WHEEL. A
 * member whose cycle is more than a turn ahead is filed a turn ahead, and then filed again.
 */
#ifndef SIM_SM_WHEEL_H
#define SIM_SM_WHEEL_H

#include <stdint.h>

#define SIM_WHEEL 256

struct sim_wheel {
	uint64_t now;     /* all members due up to this cycle have been taken */
	uint64_t soonest; /* the first cycle for which something is filed, or SIM_NEVER */
	uint32_t *next;   /* by member */
	uint64_t *at;     /* by member; SIM_NEVER: not filed */
	uint8_t *filed;   /* by member: the list that it is in */
	uint64_t filled[SIM_WHEEL / 64];
	uint32_t head[SIM_WHEEL];
};

int sim_wheel_init(struct sim_wheel *w, uint32_t members);           /* 0, or -1 without memory */
int sim_wheel_grow(struct sim_wheel *w, uint32_t from, uint32_t to); /* likewise */
void sim_wheel_free(struct sim_wheel *w);
uint32_t sim_wheel_due(struct sim_wheel *w, uint64_t now); /* see sim_wheel_take */
/* What is filed, and for when. Members that were never filed count for nothing. */
uint64_t sim_wheel_hash(const struct sim_wheel *w, uint32_t members, uint64_t seed);

/* The first is for a member that is not filed, the second for one that is. */
static inline void sim_wheel_enter(struct sim_wheel *w, uint32_t member, uint64_t at)
{
	uint64_t file = at;
	uint32_t k;

	if (file <= w->now)
		file = w->now + 1;
	if (file >= w->now + SIM_WHEEL)
		file = w->now + SIM_WHEEL - 1;
	k = file % SIM_WHEEL;
	w->at[member] = at;
	w->filed[member] = (uint8_t)k;
	w->next[member] = w->head[k];
	w->head[k] = member;
	w->filled[k / 64] |= 1ull << (k % 64);
	if (file < w->soonest)
		w->soonest = file;
}
void sim_wheel_move(struct sim_wheel *w, uint32_t member, uint64_t at);

static inline int sim_wheel_has(const struct sim_wheel *w, uint32_t member)
{
	return w->at[member] != UINT64_MAX;
}

/* Files a member, or files it anew. */
static inline void sim_wheel_put(struct sim_wheel *w, uint32_t member, uint64_t at)
{
	if (sim_wheel_has(w, member))
		sim_wheel_move(w, member, at);
	else
		sim_wheel_enter(w, member, at);
}

/* One that is due by `now`, or UINT32_MAX. In most cycles there is none. */
static inline uint32_t sim_wheel_take(struct sim_wheel *w, uint64_t now)
{
	if (w->soonest <= now)
		return sim_wheel_due(w, now);
	w->now = now;
	return UINT32_MAX;
}

/* No later than the next one that is due. */
static inline uint64_t sim_wheel_next(const struct sim_wheel *w)
{
	return w->soonest;
}

#endif
