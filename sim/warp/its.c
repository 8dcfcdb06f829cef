/*
 * its: independent thread scheduling, as Volta and later GPUs have it. The paths of a warp that has
 * parted are apart until their lanes meet at a convergence barrier, and `switch` says which of them
 * issues. With `sync` one path goes on until it waits or ends, depth first as on a stack; with
 * `yield` another one goes on at YIELD and NANOSLEEP, too; with `stall` another one begins while
 * all that have begun wait for loads, and those that have begun issue side by side.
 *
 * Convergence barriers are what is known of SASS (Hanoi, arXiv 2407.02944): BSSY arms one of 16
 * with the lanes that execute it; BSYNC waits there for all of these that are alive; BREAK takes
 * lanes out, and so does an exit. WARPSYNC waits for the lanes of its mask. Lanes that part at a
 * branch never meet but there. In a program without them, one in PTX, the immediate post-dominator
 * of a branch takes their place: a divergent branch arms a barrier, whose lanes wait where they get
 * there. Which of the 16 an instruction names is in the record (FORMAT.md, displacement).
 *
 * A warp's registers have one scoreboard, as under fixed; with `stall` each path has a warp slot
 * and a scoreboard of its own, all of one scheduler where that has free slots, so that one path
 * issues in a cycle. A path that begins waits for what the path that it has parted from had under
 * way, and paths that meet for what each has. A path that stands at a barrier of its CTA keeps its
 * slot, and another one goes on meanwhile.
 *
 * Left out: the masks of WARPSYNC that are in a register and of bar.warp.sync, which are not in the
 * record (those that execute it together go on), BMOV, and likely-convergence points.
 */
#include "sim/base/units.h"
#include "sim/warp/pdom.h"
#include <assert.h>

enum { SIZE, SWITCH, FIRST, MEET };
enum { SYNC, YIELD, STALL };
enum { BY_MACHINE, TAKEN, FEWER };
enum { AUTO, BSYNC, PDOM };

static const char *const switch_words[] = {
	[SYNC] = "sync", [YIELD] = "yield", [STALL] = "stall", NULL};
static const char *const first_words[] = {
	[BY_MACHINE] = "machine", [TAKEN] = "taken", [FEWER] = "fewer", NULL};
static const char *const meet_words[] = {[AUTO] = "auto", [BSYNC] = "bsync", [PDOM] = "pdom", NULL};

enum { PARTED, MET, AT_YIELD, AT_LOAD, AT_BARRIER, FORCED }; /* counters */

/* What an instruction does to the paths of a warp. */
enum kind { PLAIN, ARMS, MEETS, BREAKS, SYNCS, YIELDS, OF_CTA };

#define REGISTERS 16        /* convergence barriers that SASS names */
#define WARP_SYNC REGISTERS /* the number of those that WARPSYNC makes */

enum state {
	PARKED, /* could go on: another path issues */
	RUNS,   /* in a slot, which may be at a barrier of its CTA */
	WAITS,  /* where lanes meet */
	FRESH,  /* they have just met */
};

struct path {
	uint32_t pc;
	uint32_t slot; /* or SIM_NO_WARP */
	uint16_t meet; /* 1 + index of the barrier where it waits or will; 0: none */
	uint8_t state;
	struct sim_mask lanes;
};

struct barrier {
	uint32_t at;             /* number of its register; by post-dominators the instruction */
	uint16_t up;             /* by post-dominators: path.meet of those that have met here */
	struct sim_mask members; /* none: it is nobody's */
};

/* A warp: its lanes are each in one path. */
struct warp {
	uint32_t spare; /* a slot that no path runs in, or SIM_NO_WARP */
	uint32_t npaths, nbarriers;
	uint64_t age;
	struct path *path; /* the last one goes first */
	struct barrier *barrier;
};

struct its {
	uint32_t lanes;
	int how, fewer, named; /* named: the program's own barriers; else post-dominators */
	struct sim_bits apart; /* warps with a path that could begin */
	struct warp *warps;    /* by slot of their first thread over the lanes of a warp */
};

/* A lane is a member of one barrier of each register at most. */
static uint32_t barriers_of(uint32_t lanes)
{
	return (REGISTERS + 1) * lanes;
}

static int shape(
	const struct sim_config *c, const int64_t *params, struct sim_shape *s, struct tr_err *err)
{
	uint32_t warps;

	(void)err;
	s->lanes = params[SIZE] ? (uint32_t)params[SIZE] : c->sm.warp_size;
	warps = c->sm.threads / s->lanes;
	s->slots = warps * s->lanes; /* each lane may stand at a barrier by itself */
	s->member = s->lanes;
	s->columns = 1;
	s->state_bytes = sizeof(struct its) +
			 warps * (sizeof(struct warp) + s->lanes * sizeof(struct path) +
					 barriers_of(s->lanes) * sizeof(struct barrier));
	return 1;
}

/* ---- what instructions are ---- */

static enum kind kind_of(const struct tr_program *p, uint32_t inst)
{
	static const struct {
		const char *roots[4];
		enum kind kind;
	} kinds[] = {{{"BSSY"}, ARMS}, {{"BSYNC"}, MEETS}, {{"BREAK"}, BREAKS},
		{{"WARPSYNC"}, SYNCS}, {{"YIELD", "NANOSLEEP", "nanosleep"}, YIELDS}};
	const struct tr_inst *in = sim_operation(p, inst);

	if (sim_is_barrier(in))
		return in->flags & TR_I_ARRIVE ? PLAIN : OF_CTA;
	for (size_t i = 0; in->cls == TR_C_OTHER && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (sim_opcode_is(tr_str(p, in->opcode), kinds[i].roots))
			return kinds[i].kind;
	return PLAIN;
}

static int names_barrier(enum kind kind)
{
	return kind == ARMS || kind == MEETS || kind == BREAKS;
}

/* Has the program convergence barriers, all of known numbers? */
static int has_barriers(const struct tr_program *p)
{
	int some = 0;

	for (uint32_t i = 0; i < p->ninsts; i++) {
		const enum kind kind = kind_of(p, i);

		if (!names_barrier(kind))
			continue;
		if (p->insts[i].disp < 1 || p->insts[i].disp > REGISTERS)
			return 0;
		some = 1;
	}
	return some;
}

/* What of it counts here. */
static enum kind kind_at(const struct its *s, const struct sim_front *front, uint32_t inst)
{
	const enum kind kind = kind_of(front->program, inst);

	if (kind == YIELDS && s->how == SYNC)
		return PLAIN;
	if ((kind == SYNCS || names_barrier(kind)) && !s->named)
		return PLAIN;
	if (names_barrier(kind) && (front->program->insts[inst].disp < 1 ||
					   front->program->insts[inst].disp > REGISTERS))
		return PLAIN;
	return kind;
}

static void start(void *p, struct sim_front *front, const int64_t *params)
{
	const uint32_t lanes = front->config->sm.warp_size, warps = front->nwarps / lanes;
	struct its *s = p;
	struct path *paths;
	struct barrier *barriers;

	s->lanes = lanes;
	s->how = (int)params[SWITCH];
	s->fewer = params[FIRST] == BY_MACHINE ? front->config->sm.first_path == SIM_FIRST_FEWER
					       : params[FIRST] == FEWER;
	s->named = params[MEET] == BSYNC || (params[MEET] == AUTO && has_barriers(front->program));
	sim_bits_init(&s->apart, warps);
	s->warps = (struct warp *)(void *)(s + 1);
	paths = (struct path *)(void *)(s->warps + warps);
	barriers = (struct barrier *)(void *)(paths + (size_t)warps * lanes);
	for (uint32_t i = 0; i < warps; i++)
		s->warps[i] = (struct warp){.spare = SIM_NO_WARP,
			.path = paths + (size_t)i * lanes,
			.barrier = barriers + (size_t)i * barriers_of(lanes)};
}

/* ---- masks ---- */

static int covers(const struct sim_mask *all, const struct sim_mask *some)
{
	uint64_t left = 0;

	for (int k = 0; k < SIM_MASK_WORDS; k++)
		left |= some->w[k] & ~all->w[k];
	return !left;
}

static void add(struct sim_mask *to, const struct sim_mask *lanes)
{
	for (int k = 0; k < SIM_MASK_WORDS; k++)
		to->w[k] |= lanes->w[k];
}

static void take_away(struct sim_mask *from, const struct sim_mask *lanes)
{
	for (int k = 0; k < SIM_MASK_WORDS; k++)
		from->w[k] &= ~lanes->w[k];
}

static struct sim_mask common(const struct sim_mask *a, const struct sim_mask *b)
{
	struct sim_mask m;

	for (int k = 0; k < SIM_MASK_WORDS; k++)
		m.w[k] = a->w[k] & b->w[k];
	return m;
}

/* ---- slots ---- */

/* The threads of a warp have consecutive slots. */
static uint32_t number_of(const struct its *s, const struct sim_front *front, uint32_t slot)
{
	return front->warps[slot].thread[0] / s->lanes;
}

/* A further slot for a warp, which waits for what slot `from` waits for. It is held. */
static uint32_t another_slot(
	const struct its *s, struct sim_front *front, const struct warp *x, uint32_t from)
{
	const uint32_t slot = sim_take_beside(front, from, 4 * front->config->sm.schedulers);
	struct sim_warp *w = &front->warps[slot];

	assert(slot != SIM_NO_WARP);
	w->age = x->age;
	w->nlanes = front->warps[from].nlanes;
	w->pc = front->warps[from].pc;
	memcpy(w->thread, front->warps[from].thread, s->lanes * sizeof(*w->thread));
	front->call->inherit(front, slot, from);
	front->call->hold(front, slot);
	return slot;
}

/* What is under way in a slot that is not needed any more is waited for in another one. */
static void give_up(struct sim_front *front, uint32_t slot, uint32_t into)
{
	front->call->inherit(front, into, slot);
	front->call->drop(front, slot);
}

/* No path runs in a slot any more. */
static void leave_slot(struct sim_front *front, struct warp *x, uint32_t slot)
{
	if (x->spare == SIM_NO_WARP)
		x->spare = slot;
	else
		give_up(front, slot, x->spare);
}

/* A path does not run any more. With a scoreboard for each path it keeps its slot. */
static void park(const struct its *s, struct sim_front *front, struct warp *x, struct path *h,
	enum state state)
{
	h->state = (uint8_t)state;
	if (h->slot == SIM_NO_WARP)
		return;
	front->call->hold(front, h->slot);
	if (s->how == STALL)
		return;
	leave_slot(front, x, h->slot);
	h->slot = SIM_NO_WARP;
}

/* ---- paths ---- */

static uint32_t path_in(const struct warp *x, uint32_t slot)
{
	uint32_t i = 0;

	while (x->path[i].slot != slot)
		i++;
	return i;
}

static struct path *insert(struct warp *x, uint32_t at, struct path h)
{
	memmove(&x->path[at + 1], &x->path[at], (x->npaths - at) * sizeof(h));
	x->path[at] = h;
	x->npaths++;
	return &x->path[at];
}

static void remove_path(struct warp *x, uint32_t at)
{
	x->npaths--;
	memmove(&x->path[at], &x->path[at + 1], (x->npaths - at) * sizeof(*x->path));
}

static int at_cta_barrier(const struct sim_front *front, const struct path *h)
{
	return h->state == RUNS && sim_at_barrier(&front->warps[h->slot]);
}

/* Is a path of the warp on its way? `but`: another one than that. */
static int one_runs(const struct sim_front *front, const struct warp *x, const struct path *but)
{
	for (uint32_t i = 0; i < x->npaths; i++)
		if (&x->path[i] != but && x->path[i].state == RUNS &&
			!at_cta_barrier(front, &x->path[i]))
			return 1;
	return 0;
}

/* The path that goes first of those that could, or NULL. */
static struct path *first_parked(const struct warp *x)
{
	for (uint32_t i = x->npaths; i--;)
		if (x->path[i].state == PARKED)
			return &x->path[i];
	return NULL;
}

/* Tells the slots which lanes are elsewhere. */
static void count_off(struct its *s, struct sim_front *front, const struct warp *x)
{
	uint32_t waiting = 0, apart = 0;
	const uint32_t number = (uint32_t)(x - s->warps);

	for (uint32_t i = 0; i < x->npaths; i++)
		*(x->path[i].state == WAITS ? &waiting : &apart) += sim_lanes(&x->path[i].lanes);
	for (uint32_t i = 0; i < x->npaths; i++)
		if (x->path[i].state == RUNS) {
			struct sim_warp *w = &front->warps[x->path[i].slot];

			w->inactive = (uint16_t)(apart - sim_lanes(&x->path[i].lanes));
			w->waiting = (uint16_t)waiting;
		}
	if (s->how == STALL && first_parked(x))
		sim_bits_set(&s->apart, number);
	else
		sim_bits_clear(&s->apart, number);
}

static void run(struct sim_front *front, const struct warp *x, struct path *h, uint64_t at)
{
	struct sim_warp *w = &front->warps[h->slot];

	h->state = RUNS;
	w->pc = h->pc;
	w->lanes = h->lanes;
	w->depth = (uint16_t)x->npaths;
	front->call->ready(front, h->slot, at);
}

/* A path that could go on does: in its slot, or in the one that another has left. */
static void begin(
	struct its *s, struct sim_front *front, struct warp *x, struct path *h, uint64_t at)
{
	if (h->slot == SIM_NO_WARP && x->spare != SIM_NO_WARP) {
		h->slot = x->spare;
		x->spare = SIM_NO_WARP;
	}
	for (uint32_t i = 0; i < x->npaths; i++) { /* the others stand at barriers */
		const uint32_t from = x->path[i].slot;

		if (s->how == STALL || &x->path[i] == h || from == SIM_NO_WARP)
			continue;
		if (h->slot == SIM_NO_WARP)
			h->slot = another_slot(s, front, x, from);
		else
			front->call->inherit(front, h->slot, from);
	}
	run(front, x, h, at);
}

/* ---- where lanes meet ---- */

static struct barrier *new_barrier(struct warp *x, uint32_t lanes)
{
	uint32_t b = 0;

	while (b < x->nbarriers && sim_any(&x->barrier[b].members))
		b++;
	assert(b < barriers_of(lanes));
	(void)lanes;
	x->nbarriers += b == x->nbarriers;
	return &x->barrier[b];
}

static uint16_t reference(const struct warp *x, const struct barrier *b)
{
	return (uint16_t)(b - x->barrier + 1);
}

/* Lanes are no members of barriers of this number any more. */
static void disarm(struct warp *x, uint32_t at, const struct sim_mask *lanes)
{
	for (uint32_t b = 0; b < x->nbarriers; b++)
		if (x->barrier[b].at == at)
			take_away(&x->barrier[b].members, lanes);
}

static void arm(struct its *s, struct warp *x, uint32_t at, const struct sim_mask *lanes)
{
	disarm(x, at, lanes);
	*new_barrier(x, s->lanes) = (struct barrier){.at = at, .members = *lanes};
}

/* Two paths that have met are one. */
static void join(struct sim_front *front, struct warp *x, uint32_t into, uint32_t from)
{
	struct path *a = &x->path[into], *b = &x->path[from];
	const uint32_t slot = a->slot != SIM_NO_WARP ? a->slot : x->spare;

	front->counts[MET]++;
	add(&a->lanes, &b->lanes);
	if (slot != SIM_NO_WARP)
		sim_show(front, SIM_SHOWN_MERGE, slot, b->slot != SIM_NO_WARP ? b->slot : slot);
	if (b->slot != SIM_NO_WARP)
		give_up(front, b->slot, slot);
	remove_path(x, from);
}

/* All have come: those at one instruction are one path, which could go on. */
static void open_barrier(
	const struct its *s, struct sim_front *front, struct warp *x, struct barrier *b)
{
	const uint16_t here = reference(x, b), up = b->up;

	b->members = (struct sim_mask){{0}};
	for (uint32_t i = x->npaths; i--;) {
		struct path *h = &x->path[i];
		uint32_t k = x->npaths - 1;

		if (h->state != WAITS || h->meet != here)
			continue;
		while (k > i && (x->path[k].state != FRESH || x->path[k].pc != h->pc))
			k--;
		h->state = FRESH;
		h->meet = s->named ? 0 : up;
		if (k > i)
			join(front, x, k, i);
	}
	for (uint32_t i = 0; i < x->npaths; i++) {
		struct path *h = &x->path[i];

		if (h->state == FRESH)
			h->state = h->meet && x->barrier[h->meet - 1].at == h->pc ? WAITS : PARKED;
	}
}

/* Barriers at which all members wait open. 1: some have, so that others may by now. */
static int some_open(const struct its *s, struct sim_front *front, struct warp *x)
{
	int opened = 0;

	for (uint32_t k = 0; k < x->nbarriers; k++) {
		struct barrier *b = &x->barrier[k];
		struct sim_mask here = {{0}};

		if (!sim_any(&b->members))
			continue;
		for (uint32_t i = 0; i < x->npaths; i++)
			if (x->path[i].state == WAITS && x->path[i].meet == k + 1)
				add(&here, &x->path[i].lanes);
		if (!covers(&here, &b->members))
			continue;
		open_barrier(s, front, x, b);
		opened = 1;
	}
	while (x->nbarriers && !sim_any(&x->barrier[x->nbarriers - 1].members))
		x->nbarriers--;
	return opened;
}

static void open_barriers(const struct its *s, struct sim_front *front, struct warp *x)
{
	while (some_open(s, front, x))
		;
}

/*
 * A barrier opens though not all have come. It is a named one: where paths meet at post-dominators,
 * the lanes of the innermost barrier come to no other one before it, so that one always opens.
 */
static void force_open(
	const struct its *s, struct sim_front *front, struct warp *x, struct barrier *b)
{
	front->counts[FORCED]++;
	open_barrier(s, front, x, b);
	open_barriers(s, front, x);
}

/* Some lanes of a path are a path of their own, which goes before it. */
static struct path *part_off(const struct its *s, struct sim_front *front, struct warp *x,
	uint32_t i, const struct sim_mask *lanes)
{
	struct path h = x->path[i];

	h.lanes = *lanes;
	h.state = PARKED;
	h.slot = SIM_NO_WARP;
	if (s->how == STALL)
		h.slot = another_slot(s, front, x, x->path[i].slot);
	sim_show(front, SIM_SHOWN_SPLIT, x->path[i].slot,
		h.slot == SIM_NO_WARP ? x->path[i].slot : h.slot);
	take_away(&x->path[i].lanes, lanes);
	return insert(x, i + 1, h);
}

/* Lanes of path i wait at barriers of a register, each at the one that it is a member of. */
static void wait_at(struct its *s, struct sim_front *front, struct warp *x, uint32_t i, uint32_t at,
	struct sim_mask lanes)
{
	for (uint32_t k = 0; k < x->nbarriers && sim_any(&lanes); k++) {
		const struct barrier *b = &x->barrier[k];
		const struct sim_mask here = common(&b->members, &lanes);
		struct path *h = &x->path[i];

		if (b->at != at || !sim_any(&here))
			continue;
		take_away(&lanes, &here);
		if (!covers(&here, &h->lanes))
			h = part_off(s, front, x, i, &here);
		h->meet = (uint16_t)(k + 1);
		park(s, front, x, h, WAITS);
	}
}

/*
 * The live lanes of WARPSYNC's mask, of the same 32 threads of the CTA as some of these. Who
 * executes it without being named there goes on.
 */
static struct sim_mask named_by(const struct sim_front *front, const struct warp *x, uint32_t slot,
	const struct sim_mask *lanes)
{
	const struct sim_warp *w = &front->warps[slot];
	const struct tr_inst *in = &front->program->insts[w->pc];
	const uint32_t mask = in->disp ? (uint32_t)in->disp : UINT32_MAX;
	struct sim_mask named = {{0}};
	uint64_t groups = 0; /* of the threads of a CTA: 2048 at most */
	uint32_t l;

	if (!in->disp && in->nsrc)
		return *lanes;
	FOR_LANES(*lanes, l)
	{
		groups |= 1ull << front->threads[w->thread[l]].number / TR_GROUP % 64;
	}
	for (uint32_t i = 0; i < x->npaths; i++)
		FOR_LANES(x->path[i].lanes, l)
		{
			const uint32_t t = front->threads[w->thread[l]].number;

			if (groups >> t / TR_GROUP % 64 & mask >> t % TR_GROUP & 1)
				named.w[l / 64] |= 1ull << (l % 64);
		}
	return named;
}

static void warp_sync(struct its *s, struct sim_front *front, struct warp *x, uint32_t i,
	const struct sim_mask *lanes)
{
	struct sim_mask new = *lanes, members;

	for (uint32_t b = 0; b < x->nbarriers; b++)
		if (x->barrier[b].at == WARP_SYNC)
			take_away(&new, &x->barrier[b].members);
	if (sim_any(&new)) {
		members = named_by(front, x, x->path[i].slot, &new);
		for (uint32_t b = 0; b < x->nbarriers; b++)
			if (x->barrier[b].at == WARP_SYNC)
				take_away(&members, &x->barrier[b].members);
		*new_barrier(x, s->lanes) = (struct barrier){.at = WARP_SYNC, .members = members};
	}
	wait_at(s, front, x, i, WARP_SYNC, *lanes);
}

/* ---- after a block, or an instruction that counts ---- */

/* The lanes of a warp that an instruction with a guard was for: its last outcomes say so. */
static struct sim_mask lanes_done(const struct its *s, struct sim_front *front, uint32_t slot)
{
	const struct sim_warp *w = &front->warps[slot];
	struct sim_mask done = w->lanes;
	uint32_t l;

	if (front->program->insts[w->pc].guard == TR_NONE)
		return done;
	front->call->settle(front, number_of(s, front, slot) * s->lanes, s->lanes);
	FOR_LANES(w->lanes, l)
	{
		const struct sim_thread *t = &front->threads[w->thread[l]];

		if (!*(t->outcome - t->stride))
			done.w[l / 64] &= ~(1ull << (l % 64));
	}
	return done;
}

static void leave(struct warp *x, const struct sim_mask *gone)
{
	for (uint32_t i = 0; i < x->npaths; i++)
		take_away(&x->path[i].lanes, gone);
	for (uint32_t b = 0; b < x->nbarriers; b++)
		take_away(&x->barrier[b].members, gone);
}

/* Paths without lanes end. */
static void end_paths(const struct its *s, struct sim_front *front, struct warp *x)
{
	for (uint32_t i = x->npaths; i--;) {
		const struct path h = x->path[i];

		if (sim_any(&h.lanes))
			continue;
		remove_path(x, i);
		if (h.slot == SIM_NO_WARP)
			continue;
		front->call->hold(front, h.slot);
		if (s->how == STALL)
			front->call->drop(front, h.slot);
		else
			leave_slot(front, x, h.slot);
	}
}

/* By post-dominators: do the lanes of a path meet others at an instruction? */
static int meets_at(const struct its *s, const struct warp *x, const struct path *h, uint32_t to)
{
	return !s->named && h->meet && x->barrier[h->meet - 1].at == to;
}

/* Where the lanes of a path go next. */
static void move(
	const struct its *s, struct sim_front *front, struct warp *x, uint32_t i, uint32_t to)
{
	struct path *h = &x->path[i];

	h->pc = to;
	if (meets_at(s, x, h, to))
		park(s, front, x, h, WAITS);
}

/* Path i parts at branch `at`; the last way goes first. */
static void diverge(struct its *s, struct sim_front *front, struct warp *x, uint32_t i, uint32_t at,
	unsigned n, uint32_t *to, struct sim_mask *lanes)
{
	const uint32_t rpc = front->program->insts[at].ipdom;
	const uint16_t outer = x->path[i].meet;

	front->counts[PARTED]++;
	if (s->fewer)
		sim_fewest_last(n, to, lanes);
	if (!s->named && rpc != TR_NONE && rpc != TR_EXIT &&
		!(outer && x->barrier[outer - 1].at == rpc)) {
		struct barrier *b = new_barrier(x, s->lanes);

		*b = (struct barrier){.at = rpc, .up = outer, .members = x->path[i].lanes};
		x->path[i].meet = reference(x, b);
	}
	for (unsigned k = 0; k + 1 < n; k++) {
		part_off(s, front, x, i + k, &lanes[k]);
		/* What is left goes before it. */
		const struct path before = x->path[i + k + 1];

		x->path[i + k + 1] = x->path[i + k];
		x->path[i + k] = before;
		move(s, front, x, i + k, to[k]);
	}
	move(s, front, x, i + n - 1, to[n - 1]);
}

/* The path in a slot, which has just moved, goes on, unless it waits or another has its turn. */
static void go_on(
	struct its *s, struct sim_front *front, struct warp *x, uint32_t slot, uint64_t now)
{
	struct path *h;

	end_paths(s, front, x);
	open_barriers(s, front, x);
	for (uint32_t i = 0; i < x->npaths; i++)
		if (x->path[i].slot == slot && x->path[i].state == RUNS) {
			h = &x->path[i];
			if (s->how != STALL && one_runs(front, x, h)) { /* it was at a barrier */
				park(s, front, x, h, PARKED);
				break;
			}
			if (x->spare != SIM_NO_WARP) {
				give_up(front, x->spare, slot);
				x->spare = SIM_NO_WARP;
			}
			run(front, x, h, now);
			break;
		}
	while (x->npaths && !one_runs(front, x, NULL)) {
		int stands = 0;

		h = first_parked(x);
		if (h) {
			begin(s, front, x, h, now);
			break;
		}
		for (uint32_t i = 0; i < x->npaths; i++)
			stands |= x->path[i].state == RUNS;
		if (stands)
			break;
		/* All wait for lanes that do not come. */
		force_open(s, front, x, &x->barrier[x->path[x->npaths - 1].meet - 1]);
	}
	if (!x->npaths && x->spare != SIM_NO_WARP) {
		front->call->drop(front, x->spare);
		x->spare = SIM_NO_WARP;
	}
	count_off(s, front, x);
}

static void next(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct its *s = p;
	struct sim_warp *w = &front->warps[slot];
	struct warp *x = &s->warps[number_of(s, front, slot)];
	const enum kind kind = kind_at(s, front, w->pc);
	const uint32_t at = w->pc, number = (uint32_t)front->program->insts[at].disp - 1;
	uint32_t to[TR_LANES_MAX], i;
	struct sim_mask lanes[TR_LANES_MAX], gone, done;
	unsigned n;

	i = path_in(x, slot);
	if (kind == PLAIN && w->to < TR_EXIT && !meets_at(s, x, &x->path[i], w->to)) {
		w->pc = x->path[i].pc = w->to;
		front->call->ready(front, slot, now);
		return;
	}
	n = sim_ways(front, w, to, lanes, &gone);
	done = names_barrier(kind) || kind == SYNCS ? lanes_done(s, front, slot) : w->lanes;
	if (sim_any(&gone))
		leave(x, &gone);
	if (n == 1)
		move(s, front, x, i, to[0]);
	else if (n)
		diverge(s, front, x, i, at, n, to, lanes);
	switch (kind) {
	case ARMS:
		arm(s, x, number, &done);
		break;
	case MEETS:
		wait_at(s, front, x, i, number, done);
		break;
	case BREAKS:
		disarm(x, number, &done);
		break;
	case SYNCS:
		warp_sync(s, front, x, i, &done);
		break;
	case YIELDS:
		if (x->path[i].state == RUNS && first_parked(x)) {
			const struct path h = x->path[i];

			front->counts[AT_YIELD]++;
			remove_path(x, i);
			park(s, front, x, insert(x, 0, h), PARKED);
		}
		break;
	default:
		break;
	}
	go_on(s, front, x, slot, now);
}

/* ---- what the SM asks ---- */

static int is_clusters(const struct tr_program *p, uint32_t inst)
{
	return p->insts[inst].cls == TR_C_BARRIER && p->insts[inst].disp == TR_BARRIER_CLUSTER;
}

static uint32_t asks(void *p, const struct sim_front *front, uint32_t inst)
{
	switch (kind_at(p, front, inst)) {
	case PLAIN:
		return 0;
	case OF_CTA:
		return SIM_ASK_NEXT | SIM_ASK_TOLD |
		       (is_clusters(front->program, inst) ? SIM_ASK_MAY : 0);
	default:
		return SIM_ASK_NEXT;
	}
}

static void arrive(
	void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n, uint64_t now)
{
	struct its *s = p;

	for (uint32_t t = 0; t < n; t += s->lanes) {
		struct warp *x = &s->warps[(first + t) / s->lanes];
		const uint32_t slot = front->call->take(front, cta);
		struct sim_warp *w = &front->warps[slot];

		w->nlanes = (uint16_t)s->lanes;
		x->age = w->age;
		x->npaths = 1;
		x->path[0] = (struct path){.pc = front->threads[first].pc, .slot = slot};
		for (uint32_t l = 0; l < s->lanes && t + l < n; l++) {
			w->thread[l] = (uint16_t)(first + t + l);
			x->path[0].lanes.w[l / 64] |= 1ull << (l % 64);
		}
		run(front, x, &x->path[0], now);
		count_off(s, front, x);
	}
}

/*
 * Lanes that have met may wait at the cluster's barrier for different rounds. Those of another one
 * than the first lane's are a path of their own again: who is a round behind goes on.
 */
static enum sim_may may(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct its *s = p;
	struct sim_warp *w = &front->warps[slot];
	struct warp *x = &s->warps[number_of(s, front, slot)];
	const uint32_t i = path_in(x, slot);
	struct sim_mask left = w->lanes, others = {{0}};
	const uint32_t round = front->rounds[w->thread[sim_pop(&left)]];
	uint32_t l;

	FOR_LANES(left, l)
	if (front->rounds[w->thread[l]] != round)
		others.w[l / 64] |= 1ull << (l % 64);
	if (!sim_any(&others))
		return SIM_GO;
	front->counts[PARTED]++;
	x->path[i].pc = w->pc;
	part_off(s, front, x, i, &others);
	run(front, x, &x->path[i], now + 1);
	count_off(s, front, x);
	return SIM_NOT_NOW;
}

/* A path has come to a barrier of its CTA: another one goes on. */
static void told(void *p, struct sim_front *front, const struct sim_told *t)
{
	struct its *s = p;
	struct warp *x = &s->warps[number_of(s, front, t->warp)];
	struct path *h = first_parked(x);

	if (!h || one_runs(front, x, NULL))
		return;
	front->counts[AT_BARRIER]++;
	begin(s, front, x, h, t->now + 1);
	count_off(s, front, x);
}

static int can_issue(const struct sim_front *front, const struct warp *x)
{
	for (uint32_t i = 0; i < x->npaths; i++)
		if (x->path[i].state == RUNS && !at_cta_barrier(front, &x->path[i]) &&
			!front->warps[x->path[i].slot].blocked)
			return 1;
	return 0;
}

/* All paths that have begun wait for loads: another one begins. */
static uint64_t tick(void *p, struct sim_front *front, uint64_t now)
{
	struct its *s = p;

	for (uint32_t i = sim_bits_next(&s->apart, 0); i != UINT32_MAX;
		i = sim_bits_next(&s->apart, i + 1)) {
		struct warp *x = &s->warps[i];

		if (can_issue(front, x))
			continue;
		front->counts[AT_LOAD]++;
		begin(s, front, x, first_parked(x), now + 1);
		count_off(s, front, x);
	}
	return SIM_NEVER;
}

static void classes(void *p, const struct sim_front *front, uint64_t threads[SIM_NTHREAD_CLASSES])
{
	const struct its *s = p;

	for (uint32_t i = 0; i < front->nthreads / s->lanes; i++)
		for (uint32_t k = 0; k < s->warps[i].npaths; k++) {
			const struct path *h = &s->warps[i].path[k];

			if (h->state != RUNS)
				threads[h->state == WAITS ? SIM_TH_MEET : SIM_TH_INACTIVE] +=
					sim_lanes(&h->lanes);
		}
}

const struct sim_warp_policy sim_warp_its = {
	.abi = SIM_WARP_ABI,
	.bytes = sizeof(struct sim_warp_policy),
	.name = "its",
	.help = "independent thread scheduling: paths meet at convergence barriers",
	.params =
		{
			{"size", 0, 0, TR_LANES_MAX,
				"threads of a warp, a power of two; 0: the machine's", NULL},
			{"switch", SYNC, SYNC, STALL,
				"when another path goes on: at waits alone, at YIELD too, or also "
				"while one waits for a load",
				switch_words},
			{"first", BY_MACHINE, BY_MACHINE, FEWER,
				"the path of a branch that runs first: sm.first_path's, or this "
				"one",
				first_words},
			{"meet", AUTO, AUTO, PDOM,
				"where paths meet: at BSYNC, at post-dominators, or at BSYNC where "
				"the program has it",
				meet_words},
		},
	.counters =
		{
			[PARTED] = {"parted", "divergences of a path", 0},
			[MET] = {"met", "paths that ended where they met another", 0},
			[AT_YIELD] = {"yield_switches", "paths that gave way at YIELD or NANOSLEEP",
				0},
			[AT_LOAD] = {"load_switches",
				"paths begun while the others of their warp waited for loads", 0},
			[AT_BARRIER] = {"barrier_switches",
				"paths begun while the others waited at barriers of the CTA", 0},
			[FORCED] = {"forced",
				"waits for lanes that could not come: those there went on", 0},
		},
	.many = 1,
	.shape = shape,
	.start = start,
	.asks = asks,
	.arrive = arrive,
	.next = next,
	.may = may,
	.told = told,
	.tick = tick,
	.classes = classes,
};
