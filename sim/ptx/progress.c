/*
 * Paths that go round and get nowhere: a lock that another thread holds, a flag that nobody has set
 * yet, a barrier made by hand.
 *
 * A path whose state repeats makes no progress. Its state is where its lanes stand, and those of
 * their registers on which a branch, an address or the operand of an atomic depends in what it has
 * executed since. If that is as it was, and nothing was written in between, what follows is the
 * same again, for ever, unless a word that was read has another value: so the path spins, and has
 * no turn before one has. What counts in a register that decides nothing spins as well; what reads
 * a clock, or counts its tries, does not.
 *
 * The state is noted after 1, 2, 4, ... times round and compared at each time that the path is
 * there again (R. P. Brent, "An improved Monte Carlo factorization algorithm", 1980), so a cycle of
 * any length is found; as long as it polls at another place each time, after 64 times only. What a
 * path reads and executes is noted up to a bound; with more it does not
 * spin. Loops without an instruction that looks at what others change are looked at only after
 * PTX_PLAIN_ROUNDS times round.
 *
 * What goes round with registers that do decide, as tries that are counted do, ends some time, or
 * never; nobody knows. Its turn is over after each REREADS times round in which it has read but
 * words that it had read before, which had not changed, and has changed none. Where lanes are
 * independent, the other lanes of the warp then go first; they also do after BARREN_ROUNDS times in
 * which nothing was changed, and after ROUNDS in any case, in a loop that polls, and after
 * PLAIN_BARREN_ROUNDS in others.
 */
#include "sim/ptx/vm.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REREADS 4u
#define BARREN_ROUNDS 1024u
#define ROUNDS (1u << 14)
#define SILENT_ROUNDS PTX_POLL_ROUNDS
#define PLAIN_BARREN_ROUNDS (1u << 20)
#define RUNS 64u
#define WORDS 256u
#define SLOTS (2 * WORDS)

struct run { /* of instructions, one after the other */
	uint32_t first, last;
};

struct word {
	const uint8_t *at;
	uint64_t value, address;
	uint32_t bytes;
};

struct ptx_watch {
	uint32_t pc;      /* where the path stood */
	uint32_t from;    /* where it has gone on, after its last jump */
	uint32_t low;     /* the lowest depth of the stack since then */
	uint32_t times;   /* that it has stood there again */
	uint32_t first;   /* words that were read when it did for the first time */
	uint32_t counted; /* of these times; and thread instructions of the path until then */
	uint64_t insts;
	struct warp_stack stack;
	uint32_t carry;
	uint32_t nruns, nwords;
	struct run run[RUNS];
	struct word word[WORDS];
	uint16_t slot[SLOTS]; /* 1 + a word's number, by where it lies */
	/* A register that was another one at the last look: its place and its bytes, or 0. */
	uint32_t differs, differs_bytes;
	const struct ptx_code *jump; /* what went back when it was found to spin */
	uint32_t *decides; /* a bit for each 4 bytes of the registers: something depends on them */
	uint8_t *registers;
};

void ptx_watch_free(struct ptx_watch *watch)
{
	if (!watch)
		return;
	free(watch->decides);
	free(watch->registers);
	free(watch);
}

static struct ptx_watch *new_watch(const struct ptx_run *run)
{
	struct ptx_watch *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->registers = malloc(run->decoded.register_bytes + 1);
	x->decides = malloc(run->decoded.register_bytes / 32 + 4);
	if (x->registers && x->decides)
		return x;
	ptx_watch_free(x);
	return NULL;
}

/* ---- which loops poll ---- */

static int is_strong(const struct ptx_code *c)
{
	return c->kind == PTX_K_ATOMIC ||
	       (c->kind == PTX_K_LOAD && (c->inst->flags & PTX_F_VOLATILE));
}

/* It is there for what others do, though it reads nothing. */
static int gives_time(const struct ptx_code *c)
{
	const struct ptx_inst *i = c->inst;

	return c->kind == PTX_K_MBARRIER || i->op == PTX_FENCE || i->op == PTX_NANOSLEEP ||
	       (i->op == PTX_MEMBAR && !i->nsrc);
}

/* Where a jump leads back to at most. */
static uint32_t back_to(const struct ptx_code *c, uint32_t n)
{
	uint32_t to = c->kind == PTX_K_JUMP || c->kind == PTX_K_CALL ? c->target : n + 1;

	for (uint32_t t = 0; c->kind == PTX_K_SWITCH && t < c->inst->ntargets; t++)
		to = c->inst->targets[t] < to ? c->inst->targets[t] : to;
	return to;
}

void ptx_find_polls(struct ptx_decoded *d)
{
	uint32_t strong = 0, gives = 0; /* 1 + the last such instruction */

	for (uint32_t n = 0; n < d->ncode; n++) {
		struct ptx_code *c = &d->code[n];
		const uint32_t to = back_to(c, n);

		c->strong = (uint8_t)is_strong(c);
		strong = c->strong ? n + 1 : strong;
		gives = gives_time(c) ? n + 1 : gives;
		c->polls = to <= n && (strong > to || gives > to);
		/* Fences make plain loads of a loop look at memory again. */
		for (uint32_t i = to; c->polls && strong <= to && i < n; i++)
			d->code[i].strong = d->code[i].kind == PTX_K_LOAD;
	}
}

/* ---- what a path does ---- */

void ptx_watch_path(struct ptx_warp *w, uint32_t from)
{
	struct ptx_watch *x = w->progress.watch;
	uint32_t n = 0;

	while (n < x->nruns && (x->run[n].first != x->from || x->run[n].last != from))
		n++;
	if (n == RUNS) {
		w->watching = PTX_WATCH_NOT;
		return;
	}
	if (n == x->nruns)
		x->run[x->nruns++] = (struct run){x->from, from};
	x->from = warp_stack_pc(&w->stack);
	if (w->stack.depth < x->low)
		x->low = w->stack.depth;
}

enum noted { NOTED, HAS_CHANGED, NO_ROOM };

static enum noted note_word(
	struct ptx_watch *x, const uint8_t *at, uint64_t address, uint32_t bytes)
{
	uint32_t h = (uint32_t)(((uintptr_t)at * 0x9e3779b97f4a7c15ull) >> 40) & (SLOTS - 1);
	struct word *word;
	uint64_t value = 0;

	memcpy(&value, at, bytes);
	for (; x->slot[h]; h = (h + 1) & (SLOTS - 1)) {
		word = &x->word[x->slot[h] - 1];
		if (word->at == at && word->bytes == bytes)
			return word->value == value ? NOTED : HAS_CHANGED;
	}
	if (x->nwords == WORDS)
		return NO_ROOM;
	x->word[x->nwords++] =
		(struct word){.at = at, .value = value, .address = address, .bytes = bytes};
	x->slot[h] = (uint16_t)x->nwords;
	return NOTED;
}

/* Somebody else has changed what the path reads: who knows what it does now. */
static void start_over(struct ptx_progress *p)
{
	p->still = 0;
	p->look = 1;
}

void ptx_watch_words(struct ptx_warp *w, const struct ptx_code *c,
	const uint64_t address[PTX_LANES], uint8_t *const at[PTX_LANES])
{
	const uint32_t size = c->bytes * c->vec;
	const uint8_t *before = NULL;

	if (c->space == TR_S_CONST || c->space == TR_S_PARAM || c->space == TR_S_LOCAL)
		return;
	for (unsigned i = 0; i < PTX_LANES && w->watching; i++) {
		if (!(w->mask >> i & 1) || at[i] == before)
			continue;
		before = at[i];
		for (uint32_t k = 0; k < size && w->watching; k += 8) {
			const enum noted n = note_word(w->progress.watch, at[i] + k, address[i] + k,
				size - k < 8 ? size - k : 8);
			if (n != NOTED)
				w->watching = PTX_WATCH_NOT;
			if (n == HAS_CHANGED)
				start_over(&w->progress);
		}
	}
}

static void forget(struct ptx_watch *x)
{
	x->nruns = x->nwords = x->times = x->counted = 0;
	memset(x->slot, 0, sizeof(x->slot));
}

static void copy_stack(struct warp_stack *to, const struct warp_stack *from)
{
	to->depth = from->depth;
	memcpy(to->path, from->path, from->depth * sizeof(*from->path));
	memcpy(to->mask, from->mask, from->depth * sizeof(*from->mask));
}

static int same_stack(const struct warp_stack *a, const struct warp_stack *b)
{
	return a->depth == b->depth && !memcmp(a->mask, b->mask, a->depth * sizeof(*a->mask)) &&
	       !memcmp(a->path, b->path, a->depth * sizeof(*a->path));
}

/* Notes the path's state. */
static void note_state(struct ptx_warp *w, uint32_t pc, uint64_t insts)
{
	struct ptx_progress *p = &w->progress;
	struct ptx_watch *x = p->watch;

	if (!x && !(x = p->watch = new_watch(w->cta->run)))
		return;
	forget(x);
	x->pc = x->from = pc;
	x->low = w->stack.depth;
	x->insts = p->insts + insts;
	x->carry = w->carry;
	x->differs_bytes = 0;
	copy_stack(&x->stack, &w->stack);
	memcpy(x->registers, w->area[0], w->cta->run->decoded.register_bytes);
	w->watching = PTX_WATCH_PURE;
}

/* ---- is the state the same again? ---- */

static int is_marked(const struct ptx_watch *x, uint32_t operand)
{
	return x->decides[operand / 128] >> (operand / 4 % 32) & 1;
}

/* 1: it was not before. */
static int mark(struct ptx_watch *x, uint32_t operand)
{
	if (operand == PTX_NOWHERE || (operand & PTX_CONSTANT) || is_marked(x, operand))
		return 0;
	x->decides[operand / 128] |= 1u << (operand / 4 % 32);
	return 1;
}

static int mark_sources(struct ptx_watch *x, const struct ptx_code *c)
{
	int more = 0;

	for (unsigned k = 0; k < c->ns && k < PTX_CODE_SRC; k++)
		more |= mark(x, c->s[k]);
	return more;
}

/* Registers that only other registers come from. */
static int computes(const struct ptx_code *c)
{
	return c->kind == PTX_K_ALU || c->kind == PTX_K_COLLECTIVE;
}

static int defines(const struct ptx_code *c)
{
	return computes(c) || c->kind == PTX_K_LOAD || c->kind == PTX_K_ATOMIC;
}

static int mark_of(struct ptx_watch *x, const struct ptx_code *c)
{
	int more = 0, wanted = !computes(c);

	if (c->kind == PTX_K_NOTHING)
		return 0;
	for (unsigned k = 0; computes(c) && k < c->nd && k < PTX_CODE_DST; k++)
		wanted |= c->d[k] != PTX_NOWHERE && is_marked(x, c->d[k]);
	if (!wanted)
		return 0;
	more |= mark(x, c->guard) | mark(x, c->base);
	/* What is not executed, since its guard is false, takes nothing but its guard. */
	if (computes(c) || c->kind == PTX_K_ATOMIC || c->kind >= PTX_K_JUMP)
		more |= mark_sources(x, c);
	return more;
}

/* Marks all registers that decide what the path does in the instructions that are noted. */
static void find_decisive(struct ptx_watch *x, const struct ptx_run *run)
{
	int more = 1;

	memset(x->decides, 0, run->decoded.register_bytes / 32 + 4);
	while (more) {
		more = 0;
		for (uint32_t r = 0; r < x->nruns; r++)
			for (uint32_t n = x->run[r].last + 1; n-- > x->run[r].first;)
				more |= mark_of(x, &run->decoded.code[n]);
	}
}

/* Those of the lanes that have the same register as they had. bytes: of a lane, 0: a predicate. */
static uint32_t with_same(const struct ptx_warp *w, const struct ptx_watch *x, uint32_t place,
	uint32_t bytes, uint32_t lanes)
{
	const uint8_t *now = w->area[0] + place, *then = x->registers + place;
	uint32_t a, b, same = 0;

	if (!bytes) {
		memcpy(&a, now, sizeof(a));
		memcpy(&b, then, sizeof(b));
		return lanes & ~(a ^ b);
	}
	if (!memcmp(now, then, bytes * PTX_LANES))
		return lanes;
	for (unsigned i = 0; i < PTX_LANES; i++)
		same |= (uint32_t)(bytes == 4 ? ((const uint32_t *)(const void *)now)[i] ==
							((const uint32_t *)(const void *)then)[i]
					      : !memcmp(now + i * bytes, then + i * bytes, bytes))
			<< i;
	return lanes & same;
}

/* Those of the lanes of which all that decides is as it was. */
static uint32_t unchanged(const struct ptx_warp *w, struct ptx_watch *x, uint32_t lanes)
{
	const struct ptx_run *run = w->cta->run;

	lanes &= ~(w->carry ^ x->carry);
	/* A loop that gets on mostly differs where it did the last time, and soon. */
	if (x->differs_bytes &&
		!with_same(w, x, x->differs, x->differs_bytes, w->active & -w->active))
		return 0;
	find_decisive(x, run);
	for (uint32_t r = 0; r < x->nruns; r++)
		for (uint32_t n = x->run[r].first; n <= x->run[r].last; n++) {
			const struct ptx_code *c = &run->decoded.code[n];
			for (unsigned k = 0; defines(c) && k < c->nd && k < PTX_CODE_DST; k++) {
				if (c->d[k] == PTX_NOWHERE || !is_marked(x, c->d[k]))
					continue;
				lanes = with_same(w, x, c->d[k], c->dbytes[k], lanes);
				x->differs = c->d[k];
				x->differs_bytes = c->dbytes[k];
				if (!lanes)
					return 0;
			}
		}
	x->differs_bytes = 0;
	return lanes;
}

static int words_hold(const struct ptx_watch *x)
{
	for (uint32_t k = 0; k < x->nwords; k++)
		if (memcmp(x->word[k].at, &x->word[k].value, x->word[k].bytes))
			return 0;
	return 1;
}

/* ---- going back ---- */

/* The instruction that polls: an atomic or a volatile load before any other, then the first. */
static uint32_t polling(const struct ptx_run *run, const struct ptx_watch *x)
{
	uint32_t plain = TR_NONE, strong = TR_NONE;

	for (uint32_t r = 0; r < x->nruns; r++)
		for (uint32_t n = x->run[r].first; n <= x->run[r].last; n++) {
			const struct ptx_code *c = &run->decoded.code[n];
			if (c->kind != PTX_K_LOAD && c->kind != PTX_K_ATOMIC)
				continue;
			if (c->strong)
				strong = n < strong ? n : strong;
			else
				plain = n < plain ? n : plain;
		}
	return strong != TR_NONE ? strong : plain;
}

uint32_t ptx_going_round(const struct ptx_warp *w)
{
	uint32_t k = w->watching || w->state == PTX_SPINS ? w->progress.watch->low : w->stack.depth;
	uint32_t lanes = 0;

	for (; k <= w->stack.depth; k++)
		lanes |= w->stack.mask[k - 1];
	return lanes;
}

/* Rounds since the last count have led lanes nowhere; insts: of the run at hand. 0 or TR_EMEM. */
static int count(struct ptx_warp *w, const struct ptx_code *c, uint64_t insts, uint32_t lanes)
{
	const struct ptx_run *run = w->cta->run;
	struct ptx_watch *x = w->progress.watch;
	const uint64_t all = w->progress.insts + insts - x->insts;
	const uint32_t n = (uint32_t)__builtin_popcount(lanes),
		       of = (uint32_t)__builtin_popcount(x->stack.mask[x->stack.depth - 1]);
	const struct tr_spin s = {.inst = (uint32_t)(c - run->decoded.code),
		.polls = polling(run, x),
		.rounds = (uint64_t)(x->times - x->counted) * n,
		.insts = n < of ? all * n / of : all};

	x->counted = x->times;
	x->insts += all;
	return !w->cta->recorder || !s.rounds || tr_record_spin(w->cta->recorder, &s) > 0
		       ? 0
		       : tr_fail(run->err, TR_EMEM, 0, "no memory to record kernel '%s'",
				 run->kernel->name);
}

/* Has it read but words that it had read before, since it first came back? */
static int rereads(const struct ptx_watch *x)
{
	return x->nwords && x->nwords == x->first;
}

/* Could other lanes of the warp go first? */
static int has_others(const struct ptx_warp *w)
{
	return ptx_independent(w->cta->run->kernel) && ptx_live_lanes(w) != w->active;
}

/* The path is again where its state was noted. 1: its turn is over. */
static int stood_there(struct ptx_warp *w, const struct ptx_code *c, uint64_t insts)
{
	struct ptx_watch *x = w->progress.watch;
	const uint32_t live = warp_stack_live(&w->stack);
	uint32_t lanes;
	int e;

	if (!x->times++)
		x->first = x->nwords;
	lanes = unchanged(w, x, w->active);
	if (w->watching == PTX_WATCH_CHANGED || !same_stack(&w->stack, &x->stack)) {
		/* Some lanes have got what they waited for, and these have not. */
		lanes &= x->stack.mask[x->stack.depth - 1];
		e = lanes ? count(w, c, insts, lanes) : 0;
		w->watching = PTX_WATCH_NOT;
		if (lanes && !e)
			note_state(w, x->pc, insts);
		return e;
	}
	if (lanes == w->active && words_hold(x) && unchanged(w, x, live) == live) {
		w->state = PTX_SPINS;
		x->jump = c;
	} else if (!c->polls || !rereads(x) || x->times - x->counted < REREADS) {
		return 0;
	} else {
		w->yields = has_others(w);
	}
	e = count(w, c, insts, ptx_going_round(w));
	return e ? e : 1;
}

int ptx_went_back(struct ptx_warp *w, const struct ptx_code *c, uint32_t pc, uint64_t insts)
{
	struct ptx_progress *p = &w->progress;
	int e;

	if (w->watching && pc == p->watch->pc && (e = stood_there(w, c, insts)))
		return e;
	/* It is asked only now and then. */
	if ((p->still >= (c->polls ? BARREN_ROUNDS : PLAIN_BARREN_ROUNDS) || p->rounds >= ROUNDS) &&
		has_others(w)) {
		w->yields = 1;
		p->still = p->rounds = 0;
		p->look = 1;
		return 1;
	}
	if (p->still && p->still >= p->look && (p->same || p->still >= PTX_POLL_ROUNDS)) {
		note_state(w, pc, insts);
		p->look = p->still <= UINT32_MAX / 2 ? 2 * p->still : UINT32_MAX;
	} else if (c->polls && p->rounds >= SILENT_ROUNDS && !(p->rounds & (p->rounds - 1))) {
		note_state(w, pc, insts); /* its stores may write what stands there already */
	}
	return 0;
}

int ptx_still_spins(const struct ptx_watch *x)
{
	return words_hold(x);
}

void ptx_watch_again(struct ptx_warp *w)
{
	struct ptx_watch *x = w->progress.watch;

	forget(x);
	x->from = x->pc;
	x->low = w->stack.depth;
	x->insts = w->progress.insts;
	memcpy(x->registers, w->area[0], w->cta->run->decoded.register_bytes);
	w->progress.changes = w->changes;
	w->watching = PTX_WATCH_PURE;
	start_over(&w->progress);
}

void ptx_watch_stack(struct ptx_warp *w)
{
	struct ptx_watch *x = w->progress.watch;

	copy_stack(&x->stack, &w->stack);
	x->low = 1;
}

int ptx_spins_for_ever(const struct ptx_warp *w)
{
	struct ptx_run *run = w->cta->run;
	const struct ptx_watch *x = w->progress.watch;
	const uint32_t going = ptx_going_round(w), held = ptx_live_lanes(w) & ~going;
	char reads[160] = "and it reads nothing that others could change", lanes[160] = "";

	if (x->nwords)
		snprintf(reads, sizeof(reads),
			"and what it reads, %u bytes at 0x%" PRIx64 "%s, does not change any more",
			x->word[0].bytes, x->word[0].address, x->nwords > 1 ? " and others" : "");
	if (held && !ptx_independent(run->kernel))
		snprintf(lanes, sizeof(lanes),
			"; lane %d of its warp has left the loop, and below sm_70 it does not go "
			"on before the others have",
			__builtin_ctz(held));
	run->machine->fault = PTX_FAULT_ENDLESS;
	return ptx_fault(w, x->jump, (unsigned)__builtin_ctz(going),
		"goes round for ever: each time is as the one before, %s, since every other thread "
		"that runs waits or goes round, too%s",
		reads, lanes);
}
