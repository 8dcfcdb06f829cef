/*
 * Dependences by control bits, as Huerta et al. (MICRO 2025) describe them: each warp has six
 * counters. An instruction raises one until its result is there and one until its sources have been
 * read, and issues only when those that it names are at 0, or one is no higher than it says
 * (DEPBAR). A raise can be seen from the second cycle after its issue on. Nothing is known of
 * registers: that fixed latencies are kept is the stall counts' doing (sim_inst.after).
 *
 * A counter goes to 63; what would raise it further waits (not in the paper). An instruction that
 * may issue in the cycle after a raise does so without it also where another warp goes first, and
 * it issues later; compilers leave two cycles, so none depends on it.
 */
#include "sim/base/mix.h"
#include "sim/sm/state.h"
#include <stdlib.h>
#include <string.h>

#define SEEN_AFTER 2
#define HIGHEST 63

/* What ends a raise whose cycle is not known yet. */
enum ends {
	END_AT,   /* `until` is known */
	END_DATA, /* the data of a load come, or a store has left */
	END_READ, /* the memory unit begins with it */
	END_GROUP /* the copies of groups up to `group` have come */
};

struct sim_raise {
	uint64_t from, until; /* counts in these cycles, `until` excluded; or SIM_NEVER */
	uint32_t group;
	uint8_t counter, ends;
};

int sim_control_launch(struct sim_sm *sm)
{
	sim_control_free(sm);
	if (!sm->sh->program->controlled || sim_one_in_flight(sm) || sm->sliced.n)
		return 0;
	sm->counters = calloc(sm->nwarps, sizeof(*sm->counters));
	return sm->counters ? 0 : -1;
}

void sim_control_free(struct sim_sm *sm)
{
	for (uint32_t w = 0; sm->counters && w < sm->nwarps; w++)
		free(sm->counters[w].raises);
	free(sm->counters);
	sm->counters = NULL;
}

void sim_control_arrive(struct sim_sm *sm, uint32_t w)
{
	sm->counters[w].n = 0;
}

/* What has ended counts for nothing any more. */
static void forget_ended(struct sim_counters *c, uint64_t now)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n; i++)
		if (c->raises[i].until > now)
			c->raises[n++] = c->raises[i];
	c->n = n;
}

static void raise_counter(struct sim_sm *sm, uint32_t w, struct sim_raise r, uint64_t now)
{
	struct sim_counters *c = &sm->counters[w];

	if (c->n == c->cap)
		forget_ended(c, now);
	if (c->n == c->cap) {
		const uint32_t cap = c->cap ? 2 * c->cap : 8;
		struct sim_raise *bigger = realloc(c->raises, cap * sizeof(*bigger));

		if (!bigger) {
			sm->failed = 1;
			tr_fail(sm->sh->err, TR_EMEM, 0, "no memory for an SM");
			return;
		}
		c->raises = bigger;
		c->cap = cap;
	}
	c->raises[c->n++] = r;
}

/* Whether copies of a warp's groups up to `group` are under way. */
static int copies_under_way(const struct sim_sm *sm, uint32_t w, uint32_t group)
{
	for (uint32_t n = 0; n < sm->lsu.nloads; n++) {
		const struct sim_load *l = &sm->lsu.loads[n];

		if (l->warp == w && l->life == sm->warps[w].life && l->group != SIM_NO_GROUP &&
			l->group <= group)
			return 1;
	}
	return 0;
}

void sim_control_issued(struct sim_sm *sm, uint32_t w, const struct sim_inst *x, int memory,
	uint32_t cycles, uint64_t now)
{
	const uint64_t at = now + cycles - 1;
	struct sim_raise r = {.from = at + SEEN_AFTER};

	if (x->result) {
		r.counter = x->result;
		r.until = memory ? SIM_NEVER : at + x->latency;
		r.ends = memory ? END_DATA : END_AT;
		if (x->copy == TR_COPY_COMMIT && sm->group) {
			r.group = sm->group[w];
			r.ends = END_GROUP;
			r.until = copies_under_way(sm, w, r.group) ? SIM_NEVER : r.from;
		}
		raise_counter(sm, w, r, now);
	}
	if (x->sources) {
		r.counter = x->sources;
		r.until = memory ? SIM_NEVER : at + x->sources_read;
		r.ends = memory ? END_READ : END_AT;
		raise_counter(sm, w, r, now);
	}
}

/* The first raise of a counter that ends so ends now. */
static void end_first(struct sim_counters *c, uint8_t counter, enum ends how, uint64_t now)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->raises[i].ends == how && c->raises[i].counter == counter) {
			c->raises[i].ends = END_AT;
			c->raises[i].until = now;
			return;
		}
}

void sim_control_done(struct sim_sm *sm, uint32_t w, const struct sim_inst *x, uint64_t now)
{
	struct sim_counters *c = &sm->counters[w];

	if (x->result)
		end_first(c, x->result, END_DATA, now);
	if (x->copy != TR_COPY_LOAD)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->raises[i].ends == END_GROUP && c->raises[i].until == SIM_NEVER &&
			!copies_under_way(sm, w, c->raises[i].group))
			c->raises[i].until = now;
}

void sim_control_read(struct sim_sm *sm, uint32_t w, const struct sim_inst *x, uint64_t now)
{
	end_first(&sm->counters[w], x->sources, END_READ, now + x->sources_read - 1);
}

/*
 * A warp also waits for the loads of another one. Raises that are known to end, and those of
 * copies, are taken over; those of loads are counted anew, of all loads that it waits for by now.
 * What the other one's accesses have still to read is not waited for.
 */
void sim_control_inherit(struct sim_sm *sm, uint32_t w, uint32_t from, uint64_t now)
{
	struct sim_counters *c = &sm->counters[w];
	const struct sim_counters *theirs = &sm->counters[from];
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n; i++)
		if (c->raises[i].ends != END_DATA)
			c->raises[n++] = c->raises[i];
	c->n = n;
	for (uint32_t i = 0; i < theirs->n; i++) {
		const struct sim_raise *r = &theirs->raises[i];

		if (r->ends == END_AT ||
			(r->ends == END_GROUP && copies_under_way(sm, w, r->group)))
			raise_counter(sm, w, *r, now);
	}
	for (uint32_t i = 0; i < sm->lsu.nloads; i++) {
		const struct sim_load *l = &sm->lsu.loads[i];
		const struct sim_inst *x = &sm->insts[l->inst];

		if (l->warp == w && l->life == sm->warps[w].life && x->result)
			raise_counter(sm, w,
				(struct sim_raise){.from = now,
					.until = SIM_NEVER,
					.counter = x->result,
					.ends = END_DATA},
				now);
	}
}

/*
 * The first cycle from `at` on in which no more than `few` raises of a counter count, of those that
 * can be seen at `seen`.
 */
static uint64_t falls_to(
	const struct sim_counters *c, uint32_t counter, uint32_t few, uint64_t at, uint64_t seen)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct sim_raise *r = &c->raises[i];
		uint32_t later = 0; /* that end later; of equals the ones before it */

		if (r->counter != counter || r->from > seen || r->until <= at)
			continue;
		for (uint32_t k = 0; k < c->n && later <= few; k++) {
			const struct sim_raise *o = &c->raises[k];

			later += k != i && o->counter == counter && o->from <= seen &&
				 (o->until > r->until || (o->until == r->until && k < i));
		}
		if (later == few)
			return r->until;
	}
	return at;
}

/* The same for all counters that an instruction waits for. */
static uint64_t may_issue(
	const struct sim_counters *c, const struct sim_inst *x, uint64_t at, uint64_t seen)
{
	uint64_t then = at, t;

	for (uint32_t m = x->none_of; m; m &= m - 1) {
		t = falls_to(c, (uint32_t)__builtin_ctz(m) + 1, 0, at, seen);
		then = t > then ? t : then;
	}
	if (x->few_of) {
		t = falls_to(c, x->few_of, x->few, at, seen);
		then = t > then ? t : then;
	}
	if (c->n < HIGHEST)
		return then;
	for (int k = 0; k < 2; k++) {
		const uint32_t raised = k ? x->sources : x->result;

		t = raised ? falls_to(c, raised, HIGHEST - 1, at, seen) : 0;
		then = t > then ? t : then;
	}
	return then;
}

uint64_t sim_control_earliest(struct sim_sm *sm, uint32_t w, uint64_t at)
{
	const struct sim_inst *x = sim_next_inst(sm, w);
	struct sim_counters *c = &sm->counters[w];

	if (!c->n || !(x->none_of | x->few_of | x->result | x->sources))
		return at;
	if (may_issue(c, x, at, at) <= at)
		return at;
	return may_issue(c, x, at, SIM_NEVER);
}

uint64_t sim_control_hash(const struct sim_sm *sm, uint32_t w, uint64_t now, uint64_t h)
{
	const struct sim_counters *c = &sm->counters[w];

	for (uint32_t i = 0; i < c->n; i++)
		if (c->raises[i].until > now)
			h = sim_mix(sim_mix(h, c->raises[i].until), c->raises[i].counter);
	return h;
}
