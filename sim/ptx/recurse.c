/*
 * Functions that call themselves, directly or in a circle. Their bodies are copied like others, but
 * a call of one that has not returned goes back to its copy, with a frame of its own: local memory
 * that a register of the kernel, %stack, points to. In a frame lie the functions' local variables,
 * their parameters, and what the callers' registers hold that is needed after the call; they are
 * stored before it and loaded after it. A register of each such function says which call it
 * returns to, and its ret is a branch to one of several places.
 *
 * All functions of a circle share one frame, which is as large as all that is copied between the
 * outermost call and the innermost; hardware's compiler gives each its own, and passes parameters
 * in registers. So depth by depth more is used here, and parameters are accesses to local memory.
 * Compilers use a call's parameter in one piece of straight code around that call. Such a one lies
 * in the callee's frame; any other stays the caller's and is copied. Left out: parameters in
 * registers (.reg); those that calls of the device runtime share with a function's call of itself.
 */
#include "inline.h"
#include "libtrace/trace.h"
#include <stdlib.h>
#include <string.h>

/* ---- who is recursive ---- */

/*
 * Tarjan's search for circles (SIAM J. Comput. 1, 1972, pp. 146-160), for all bodies at once and
 * without recursion of its own. Bodies have numbers in the order in which they are found; leads_to
 * is the lowest one that a body's calls lead back to. One that leads to none before itself closes
 * a circle: it and what was found since and is in none yet.
 */
struct search {
	struct ptx_parser *p;
	struct ptx_body *open; /* found, and in no closed circle yet: the latest */
	struct through {
		const struct ptx_body *b;
		struct ptx_call *call;
	} * through; /* the calls through registers, by kind */
	/* By kind, what such calls call: a body that calls all that may be. */
	struct ptx_body *any;
	const struct through **one; /* a call of the kind */
	uint32_t nthrough, nkinds, n;
};

/* Bytes of a call's parameters one after the other; 0: it is in a register. */
static uint64_t parameter_bytes(const struct through *t, uint32_t i)
{
	const struct ptx_operand *o = ptx_actual(t->call, t->call->nrets, i);
	return o->kind == PTX_O_SYM ? t->b->syms[o->sym & ~PTX_SYM_LOCAL].bytes : 0;
}

static int by_kind(const void *a, const void *b)
{
	const struct through *x = a, *y = b;
	if (x->call->nrets != y->call->nrets)
		return x->call->nrets < y->call->nrets ? -1 : 1;
	if (x->call->nargs != y->call->nargs)
		return x->call->nargs < y->call->nargs ? -1 : 1;
	for (uint32_t i = 0; i < x->call->nrets + x->call->nargs; i++) {
		const uint64_t bx = parameter_bytes(x, i), by = parameter_bytes(y, i);
		if (bx != by)
			return bx < by ? -1 : 1;
	}
	return 0;
}

/* Finds the calls through registers and what kinds there are. */
static int find_kinds(struct search *s)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->p->nbodies; i++)
		for (uint32_t c = 0; c < s->p->bodies[i]->ncalls; c++)
			n += s->p->bodies[i]->calls[c].callee == TR_NONE;
	s->through = malloc((n + 1) * sizeof *s->through);
	s->one = malloc((n + 1) * sizeof *s->one);
	if (!s->through || !s->one)
		return ptx_no_memory(s->p);
	for (uint32_t i = 0; i < s->p->nbodies; i++) {
		const struct ptx_body *b = s->p->bodies[i];
		for (uint32_t c = 0; c < b->ncalls; c++)
			if (b->calls[c].callee == TR_NONE)
				s->through[s->nthrough++] = (struct through){b, &b->calls[c]};
	}
	qsort(s->through, n, sizeof *s->through, by_kind);
	for (uint32_t i = 0; i < n; i++) {
		if (!i || by_kind(&s->through[i - 1], &s->through[i]))
			s->one[s->nkinds++] = &s->through[i];
		s->through[i].call->kind = s->nkinds - 1;
	}
	s->any = calloc(s->nkinds + 1, sizeof *s->any);
	if (!s->any)
		return ptx_no_memory(s->p);
	for (uint32_t k = 0; k < s->nkinds; k++)
		s->any[k].ncalls = s->p->nbodies;
	return 1;
}

static void enter(struct search *s, struct ptx_body *b, struct ptx_body *caller)
{
	b->calling.found = ++s->n;
	b->calling.leads_to = UINT32_MAX;
	b->calling.caller = caller;
	b->calling.open = s->open;
	s->open = b;
}

/* What the body calls next, or NULL after the last. */
static struct ptx_body *next_callee(struct search *s, struct ptx_body *b)
{
	const struct through *one = b->name ? NULL : s->one[b - s->any];
	while (b->calling.next < b->ncalls) {
		const uint32_t n = b->calling.next++;
		struct ptx_body *to;
		if (one)
			to = ptx_suitable(s->p, one->b, one->call, n);
		else if (b->calls[n].callee == TR_NONE)
			return &s->any[b->calls[n].kind];
		else
			to = ptx_definition(s->p->bodies[b->calls[n].callee]);
		if (to && to->defined)
			return to;
	}
	return NULL;
}

static void lead(struct ptx_body *b, uint32_t to)
{
	if (b->calling.leads_to > to)
		b->calling.leads_to = to;
}

/* All that is open since b is one circle, or b alone. */
static void close_circle(struct search *s, struct ptx_body *b)
{
	struct ptx_body *last;
	do {
		last = s->open;
		last->recursive = b->calling.leads_to == b->calling.found ? 2 : 1;
		s->open = last->calling.open;
	} while (last != b);
}

static void find_circles(struct search *s, struct ptx_body *b)
{
	enter(s, b, NULL);
	while (b) {
		struct ptx_body *to = next_callee(s, b), *caller = b->calling.caller;
		if (to && !to->calling.found) {
			enter(s, to, b);
			b = to;
		} else if (to) {
			if (!to->recursive) /* open */
				lead(b, to->calling.found);
		} else {
			if (caller)
				lead(caller, b->calling.leads_to);
			if (b->calling.leads_to >= b->calling.found)
				close_circle(s, b);
			b = caller;
		}
	}
}

int ptx_recursive(struct inliner *x, struct ptx_body *b)
{
	if (!b->recursive) {
		struct search s = {.p = x->p};
		int r = find_kinds(&s);
		for (uint32_t i = 0; i < x->p->nbodies && r > 0; i++)
			if (x->p->bodies[i]->defined && !x->p->bodies[i]->recursive)
				find_circles(&s, x->p->bodies[i]);
		free(s.through);
		free(s.one);
		free(s.any);
		if (r < 0)
			return r;
	}
	return b->recursive == 2;
}

/* ---- which parameters a caller needs for one call alone ---- */

static const uint32_t *targets_of(const struct ptx_inst *i, uint32_t *n)
{
	*n = i->op == PTX_BRA ? 1 : i->op == PTX_BRX ? i->ntargets : 0;
	return i->op == PTX_BRA ? &i->target : i->targets;
}

enum {
	LOOSE = 1,   /* perhaps for more */
	RUNTIME = 2, /* and some of it for a call of the device runtime */
	OTHERS = 4   /* or of other functions */
};

/*
 * A parameter that is not loose is used within one piece of code without branches and labels, and
 * for one call: an argument is stored before it, a result is loaded after it, with no other call
 * between, and no argument of the next one stored, which may lie where the result does.
 */
struct uses {
	uint32_t piece, calls; /* where its first use is, and the calls before; piece 0: none yet */
	int bound, stored;     /* the call is behind; it is an argument */
};

struct looseness {
	struct ptx_body *b;
	struct uses *uses;     /* by symbol */
	uint8_t *is_target;    /* by instruction */
	uint32_t piece, calls; /* at hand, and before it */
	int stored;            /* an argument of the call that comes */
};

static void use(
	struct looseness *l, const struct ptx_operand *o, const struct ptx_inst *i, int is_bound)
{
	if (o->kind != PTX_O_SYM || !(o->sym & PTX_SYM_LOCAL) ||
		l->b->syms[o->sym & ~PTX_SYM_LOCAL].space != PTX_V_CALL)
		return;
	struct uses *u = &l->uses[o->sym & ~PTX_SYM_LOCAL];
	if (!u->piece)
		*u = (struct uses){.piece = l->piece, .calls = l->calls};
	const int loads = i->op == PTX_LD, stores = i->op == PTX_ST && i->guard == TR_NONE;
	if (u->piece != l->piece || l->calls - u->calls != (uint32_t)u->bound ||
		(u->bound ? !loads || u->stored || l->stored : !is_bound && !stores))
		l->b->loose[o->sym & ~PTX_SYM_LOCAL] |= LOOSE;
	u->bound |= is_bound;
	u->stored |= i->op == PTX_ST;
	l->stored |= i->op == PTX_ST;
}

static void use_of_call(struct looseness *l, const struct ptx_inst *i, struct ptx_body *const *all)
{
	const struct ptx_call *call = &l->b->calls[i->target];
	const struct ptx_body *to = call->callee == TR_NONE ? NULL : all[call->callee];
	for (uint32_t k = 0; k < call->nrets + call->nargs; k++) {
		const struct ptx_operand *o = ptx_actual(call, call->nrets, k);
		use(l, o, i, 1);
		if (o->kind == PTX_O_SYM)
			l->b->loose[o->sym & ~PTX_SYM_LOCAL] |=
				to && !to->defined && !to->as ? RUNTIME : OTHERS;
	}
	l->calls++;
	l->stored = 0;
}

static void find_uses(struct looseness *l, struct ptx_body *const *all)
{
	const struct ptx_body *b = l->b;
	for (uint32_t f = 0; f < b->nformals; f++)
		if (!b->formals[f].is_reg)
			b->loose[b->formals[f].index] |= LOOSE;
	for (uint32_t n = 0; n < b->ninsts; n++) {
		const struct ptx_inst *i = &b->insts[n];
		l->piece += l->is_target[n];
		use(l, &i->addr, i, 0);
		/* Any that is not the address of a load or a store is loose. */
		for (unsigned o = 0; o < i->nsrc; o++)
			if (i->src[o].kind == PTX_O_SYM && (i->src[o].sym & PTX_SYM_LOCAL))
				b->loose[i->src[o].sym & ~PTX_SYM_LOCAL] |= LOOSE;
		if (i->op == PTX_CALL)
			use_of_call(l, i, all);
		l->piece += i->op == PTX_BRA || i->op == PTX_BRX;
	}
}

static int find_loose(struct inliner *x, const struct ptx_body *of)
{
	struct ptx_body *b = (struct ptx_body *)(uintptr_t)of;
	struct looseness l = {.b = b, .piece = 1};
	int r = 1;
	if (b->loose)
		return 1;
	b->loose = ptx_arena_get(x->p->m->arena, b->nsyms + 1);
	l.uses = calloc((size_t)b->nsyms + 1, sizeof *l.uses);
	l.is_target = calloc((size_t)b->ninsts + 1, 1);
	if (!b->loose || !l.uses || !l.is_target)
		r = ptx_no_memory(x->p);
	for (uint32_t n = 0; n < b->ninsts && r > 0; n++) {
		uint32_t ntargets;
		const uint32_t *targets = targets_of(&b->insts[n], &ntargets);
		for (uint32_t t = 0; t < ntargets; t++)
			l.is_target[targets[t]] = 1;
	}
	if (r > 0)
		find_uses(&l, x->p->bodies);
	free(l.uses);
	free(l.is_target);
	return r;
}

/* ---- what registers are needed after a call ---- */

/*
 * Of 64 registers at a time, which ones are needed before each instruction. Where that changes, the
 * instructions that lead there are looked at again. In a body so large or tangled that this takes
 * more than STEPS_MAX looks, all registers count as needed after all calls: its frames are larger.
 */
#define STEPS_MAX (1 << 24)

struct needs {
	const struct ptx_body *b;
	uint32_t word;    /* of the registers: 64 * word and those after it */
	uint64_t *before; /* by instruction */
	size_t *first; /* branches to instruction n are from[first[n]] up to from[first[n + 1]] */
	uint32_t *from;
	uint32_t *todo, ntodo;
	uint8_t *is_todo;
	int64_t steps_left;
};

static size_t words_of(const struct ptx_body *b)
{
	return ((size_t)b->nregs + 63) / 64;
}

static int leads_on(const struct ptx_inst *i)
{
	return i->guard != TR_NONE || (i->op != PTX_BRA && i->op != PTX_BRX && i->op != PTX_RET &&
					      i->op != PTX_EXIT && i->op != PTX_TRAP);
}

/* The bit of a register, or 0 where it is none of these 64. */
static uint64_t bit_of(const struct needs *l, const struct ptx_operand *o)
{
	return o->kind == PTX_O_REG && o->reg != TR_NONE && o->reg / 64 == l->word
		       ? 1ull << o->reg % 64
		       : 0;
}

/* What instruction n needs, and what is needed after it and not set by it. */
static uint64_t needed(struct needs *l, uint32_t n)
{
	const struct ptx_inst *i = &l->b->insts[n];
	const struct ptx_call *call = i->op == PTX_CALL ? &l->b->calls[i->target] : NULL;
	const struct ptx_operand guard = {.kind = PTX_O_REG, .reg = i->guard};
	uint32_t ntargets;
	const uint32_t *targets = targets_of(i, &ntargets);
	uint64_t row = leads_on(i) ? l->before[n + 1] : 0;
	l->steps_left -= 1 + (int64_t)ntargets;
	for (uint32_t t = 0; t < ntargets; t++)
		row |= l->before[targets[t]];
	for (unsigned d = 0; d < i->ndst && i->guard == TR_NONE; d++)
		row &= ~bit_of(l, &i->dst[d]);
	for (uint32_t k = 0; call && k < call->nrets && i->guard == TR_NONE; k++)
		row &= ~bit_of(l, &call->rets[k]);
	for (unsigned s = 0; s < i->nsrc; s++)
		row |= bit_of(l, &i->src[s]);
	for (uint32_t k = 0; call && k < call->nargs; k++)
		row |= bit_of(l, &call->args[k]);
	if (call)
		row |= bit_of(l, &call->address);
	return row | bit_of(l, &i->addr) | bit_of(l, &guard);
}

static void look_at(struct needs *l, uint32_t n)
{
	if (!l->is_todo[n])
		l->todo[l->ntodo++] = n;
	l->is_todo[n] = 1;
}

static void find_needs(struct needs *l)
{
	const struct ptx_body *b = l->b;
	memset(l->before, 0, ((size_t)b->ninsts + 1) * sizeof *l->before);
	for (uint32_t n = 0; n < b->ninsts; n++)
		look_at(l, n);
	while (l->ntodo && l->steps_left > 0) {
		const uint32_t n = l->todo[--l->ntodo];
		const uint64_t row = needed(l, n);
		l->is_todo[n] = 0;
		if (row == l->before[n])
			continue;
		l->before[n] = row;
		if (n && leads_on(&b->insts[n - 1]))
			look_at(l, n - 1);
		for (size_t k = l->first[n]; k < l->first[n + 1]; k++)
			look_at(l, l->from[k]);
	}
	for (uint32_t n = 0; n < b->ninsts; n++)
		if (b->insts[n].op == PTX_CALL)
			b->live[b->insts[n].target * words_of(b) + l->word] = l->before[n + 1];
}

/* Who branches to each instruction. */
static int find_branches(struct needs *l)
{
	const struct ptx_body *b = l->b;
	uint32_t ntargets;
	for (uint32_t n = 0; n < b->ninsts; n++) {
		const uint32_t *targets = targets_of(&b->insts[n], &ntargets);
		for (uint32_t t = 0; t < ntargets; t++)
			l->first[targets[t] + 2]++;
	}
	for (uint32_t n = 0; n < b->ninsts; n++)
		l->first[n + 2] += l->first[n + 1];
	l->from = malloc((l->first[b->ninsts + 1] + 1) * sizeof *l->from);
	for (uint32_t n = 0; n < b->ninsts && l->from; n++) {
		const uint32_t *targets = targets_of(&b->insts[n], &ntargets);
		for (uint32_t t = 0; t < ntargets; t++)
			l->from[l->first[targets[t] + 1]++] = n;
	}
	return l->from != NULL;
}

static int find_live(struct inliner *x, struct ptx_body *b)
{
	struct needs l = {.b = b, .steps_left = STEPS_MAX};
	int r = 1;
	if (b->ninsts * words_of(b) > STEPS_MAX)
		b->all_live = 1;
	if (b->live || b->all_live)
		return 1;
	b->live = calloc(b->ncalls * words_of(b) + 1, sizeof *b->live);
	l.before = malloc(((size_t)b->ninsts + 1) * sizeof *l.before);
	l.first = calloc((size_t)b->ninsts + 2, sizeof *l.first);
	l.todo = malloc(((size_t)b->ninsts + 1) * sizeof *l.todo);
	l.is_todo = calloc((size_t)b->ninsts + 1, 1);
	if (!b->live || !l.before || !l.first || !l.todo || !l.is_todo || !find_branches(&l))
		r = ptx_no_memory(x->p);
	for (; r > 0 && l.word < words_of(b) && l.steps_left > 0; l.word++)
		find_needs(&l);
	b->all_live = l.steps_left <= 0;
	free(l.before);
	free(l.first);
	free(l.from);
	free(l.todo);
	free(l.is_todo);
	return r;
}

/* ---- instructions that the text does not have ---- */

static int emit(struct inliner *x, struct ptx_inst i, const char *text, const struct ptx_inst *site)
{
	int r = ptx_inserted(x, &i, text, site);
	i.stype = i.type;
	return r < 0 ? r : ptx_append(x, &i);
}

static struct ptx_operand in_register(uint32_t reg)
{
	return (struct ptx_operand){.kind = PTX_O_REG, .reg = reg};
}

static struct ptx_operand number(uint64_t n)
{
	return (struct ptx_operand){.kind = PTX_O_IMM, .imm = n};
}

static int new_register(struct inliner *x, const char *name, enum ptx_type t, uint32_t *reg)
{
	struct ptx_kernel *k = x->k;
	char *own = x->copies ? ptx_arena_printf(x->p->m->arena, "%s$%u", name, x->copies)
			      : ptx_arena_printf(x->p->m->arena, "%s", name);
	if (!own || ptx_room(&k->regs, k->nregs, 1, &x->cap_regs, sizeof *k->regs))
		return ptx_no_memory(x->p);
	k->regs[k->nregs] = (struct ptx_reg){.name = own, .type = (uint8_t)t};
	*reg = k->nregs++;
	return 1;
}

/* Stores a register at a place in the frame, or loads it from there. */
static int move_register(
	struct inliner *x, uint32_t reg, uint32_t at, int stores, const struct ptx_inst *site)
{
	static const char *const text[2][3] = {{"ld.local.b16", "ld.local.b32", "ld.local.b64"},
		{"st.local.b16", "st.local.b32", "st.local.b64"}};
	const enum ptx_type t = x->k->regs[reg].type;
	const unsigned bytes = t == PTX_T_PRED ? 4 : ptx_type_bytes(t) < 2 ? 2 : ptx_type_bytes(t);
	const unsigned width = bytes == 2 ? 0 : bytes == 4 ? 1 : 2;
	const uint32_t moved = t == PTX_T_PRED ? x->saved - 1 : reg;
	struct ptx_inst select = {.op = PTX_SELP,
		.type = PTX_T_B32,
		.guard = TR_NONE,
		.ndst = 1,
		.nsrc = 3,
		.dst = {in_register(moved)},
		.src = {number(1), number(0), in_register(reg)}};
	struct ptx_inst move = {.op = stores ? PTX_ST : PTX_LD,
		.type = (uint8_t)(bytes == 2   ? PTX_T_B16
				  : bytes == 4 ? PTX_T_B32
					       : PTX_T_B64),
		.space = TR_S_LOCAL,
		.guard = TR_NONE,
		.addr = in_register(x->stack - 1),
		.disp = at};
	struct ptx_inst set = {.op = PTX_SETP,
		.type = PTX_T_B32,
		.cmp = PTX_NE,
		.guard = TR_NONE,
		.ndst = 1,
		.nsrc = 2,
		.dst = {in_register(reg)},
		.src = {in_register(moved), number(0)}};
	int r = 1;
	if (stores) {
		move.nsrc = 1;
		move.src[0] = in_register(moved);
	} else {
		move.ndst = 1;
		move.dst[0] = in_register(moved);
	}
	if (stores && t == PTX_T_PRED)
		r = emit(x, select, "selp.b32", site);
	if (r > 0)
		r = emit(x, move, text[stores][width], site);
	if (r > 0 && !stores && t == PTX_T_PRED)
		r = emit(x, set, "setp.ne.b32", site);
	return r;
}

/* ---- frames ---- */

/* Whether the actual parameter can become the same bytes as the formal one, which has its place. */
static int can_move(
	const struct inliner *x, const struct copy *caller, uint32_t own, uint32_t formal)
{
	const struct ptx_sym *a = &x->k->syms[own], *f = &x->k->syms[formal];
	return !caller->several &&
	       !(caller->b->loose[own - caller->first_sym] & (LOOSE | RUNTIME)) &&
	       a->bytes == f->bytes && f->offset % a->align == 0;
}

/* A place in the frame that is being made. */
static void place(struct inliner *x, struct ptx_sym *s)
{
	x->local_top = (uint32_t)ptx_align_up(x->local_top, s->align);
	s->offset = x->local_top;
	s->space = PTX_V_LOCAL;
	s->frame = PTX_FRAME_THIS;
	x->local_top += (uint32_t)s->bytes;
}

/* The callee's parameters, and those of its calls that it may need beyond a call of itself. */
static int place_parameters(struct inliner *x, const struct copy *caller, const struct copy *callee,
	const struct ptx_inst *from, const struct ptx_call *call, int outermost)
{
	const struct ptx_body *b = callee->b;
	uint32_t own, formal;
	for (uint32_t i = 0; i < b->nformals; i++) {
		if (b->formals[i].is_reg)
			return ptx_bad(x->p, from->ptx_line,
				"recursion through '%s', which has parameters in registers, is not "
				"supported",
				b->name);
		int r = ptx_parameter(x, caller, callee, call, i, from->ptx_line, &own, &formal);
		if (r < 0)
			return r;
		struct ptx_sym *a = &x->k->syms[own];
		place(x, &x->k->syms[formal]);
		if (!can_move(x, caller, own, formal))
			continue;
		a->offset = x->k->syms[formal].offset;
		a->space = PTX_V_LOCAL;
		a->frame = outermost ? PTX_FRAME_FIRST : PTX_FRAME_THIS;
	}
	for (uint32_t i = 0; i < b->nsyms; i++) {
		struct ptx_sym *s = &x->k->syms[callee->first_sym + i];
		if (b->loose[i] == (LOOSE | RUNTIME | OTHERS))
			return ptx_bad(x->p, from->ptx_line,
				"recursion through '%s', whose calls of itself and of the device "
				"runtime share a parameter, is not supported",
				b->name);
		if ((b->loose[i] & (LOOSE | RUNTIME)) == LOOSE && s->space == PTX_V_CALL)
			place(x, s);
		if (x->local_top > PTX_LOCAL_MAX)
			return ptx_too_large(
				x, from->ptx_line, "bytes of local memory", PTX_LOCAL_MAX);
	}
	ptx_note_local(x);
	return 1;
}

/* Copies the bytes that the smaller of two symbols has. */
static int copy_bytes(struct inliner *x, uint32_t to, uint32_t from, uint32_t guard, int guard_not,
	const struct ptx_inst *site)
{
	static const struct {
		enum ptx_type type;
		const char *ld, *st;
	} moves[] = {{PTX_T_B64, "ld.param.b64", "st.param.b64"},
		{PTX_T_B32, "ld.param.b32", "st.param.b32"},
		{PTX_T_B16, "ld.param.b16", "st.param.b16"},
		{PTX_T_B8, "ld.param.b8", "st.param.b8"}};
	const struct ptx_sym *a = &x->k->syms[to], *b = &x->k->syms[from];
	const uint64_t bytes = a->bytes < b->bytes ? a->bytes : b->bytes;
	const uint32_t align = a->align < b->align ? a->align : b->align;
	uint32_t wide = 0;
	int r = 1;
	if (!x->moved && (r = new_register(x, "%moved", PTX_T_B64, &wide)) > 0)
		x->moved = wide + 1;
	for (uint64_t at = 0; at < bytes && r > 0;) {
		unsigned m = 0, width = 8;
		for (; at % width || at + width > bytes || width > align; m++)
			width /= 2;
		struct ptx_inst move = {.op = PTX_LD,
			.type = (uint8_t)moves[m].type,
			.space = TR_S_PARAM,
			.guard = guard,
			.guard_not = (uint8_t)guard_not,
			.ndst = 1,
			.dst = {in_register((m ? x->saved : x->moved) - 1)},
			.addr = {.kind = PTX_O_SYM, .sym = from | PTX_SYM_LOCAL},
			.disp = (int64_t)at};
		if ((r = emit(x, move, moves[m].ld, site)) < 0)
			return r;
		move.op = PTX_ST;
		move.ndst = 0;
		move.nsrc = 1;
		move.src[0] = move.dst[0];
		move.addr.sym = to | PTX_SYM_LOCAL;
		r = emit(x, move, moves[m].st, site);
		at += width;
	}
	return r;
}

int ptx_frame_arguments(struct inliner *x, const struct copy *caller, const struct copy *callee,
	const struct ptx_inst *from, const struct ptx_call *call)
{
	const struct ptx_body *b = callee->b;
	uint32_t own, formal;
	int r = 1;
	for (uint32_t i = b->nrets; i < b->nformals && r > 0; i++) {
		r = ptx_parameter(x, caller, callee, call, i, from->ptx_line, &own, &formal);
		if (r > 0 && !can_move(x, caller, own, formal))
			r = copy_bytes(x, formal, own, TR_NONE, 0, from);
	}
	return r;
}

int ptx_frame_results(struct inliner *x, const struct copy *caller, const struct copy *callee,
	const struct ptx_inst *from, const struct ptx_call *call)
{
	uint32_t own, formal;
	int r = 1;
	for (uint32_t i = 0; i < callee->b->nrets && r > 0; i++) {
		r = ptx_parameter(x, caller, callee, call, i, from->ptx_line, &own, &formal);
		if (r > 0 && !can_move(x, caller, own, formal))
			r = copy_bytes(x, own, formal, TR_NONE, 0, from);
	}
	return r;
}

int ptx_frame_open(struct inliner *x, const struct copy *caller, struct copy *callee,
	const struct ptx_inst *from, const struct ptx_call *call, uint32_t local_before)
{
	const struct ptx_body *b = callee->b;
	const uint32_t outermost = !x->nest++;
	struct ptx_inst mov = {.op = PTX_MOV, .guard = TR_NONE, .ndst = 1, .nsrc = 1};
	int r;
	if ((r = find_loose(x, caller->b)) < 0 || (r = find_loose(x, b)) < 0)
		return r;
	if (!x->stack) {
		uint32_t stack = 0, saved = 0;
		if ((r = new_register(x, "%stack", PTX_T_U64, &stack)) < 0 ||
			(r = new_register(x, "%saved", PTX_T_B32, &saved)) < 0)
			return r;
		x->stack = stack + 1;
		x->saved = saved + 1;
	}
	if (outermost && x->frame_base > (local_before & ~(PTX_STORAGE_ALIGN - 1)))
		x->frame_base = local_before & ~(PTX_STORAGE_ALIGN - 1);
	if ((r = place_parameters(x, caller, callee, from, call, outermost)) < 0 ||
		(r = find_live(x, (struct ptx_body *)(uintptr_t)b)) < 0 ||
		(r = new_register(x, "%back", PTX_T_U32, &callee->back)) < 0)
		return r;
	mov.type = PTX_T_U64;
	mov.dst[0] = in_register(x->stack - 1);
	mov.src[0] = number(0);
	mov.flags = PTX_F_FRAME;
	if (outermost && (r = emit(x, mov, "mov.u64", from)) < 0)
		return r;
	mov.type = PTX_T_U32;
	mov.dst[0] = in_register(callee->back);
	mov.flags = 0;
	if (ptx_room(&callee->sites, 0, 1, &callee->cap_sites, sizeof *callee->sites))
		return ptx_no_memory(x->p);
	callee->nsites = 1;
	return emit(x, mov, "mov.u32", from);
}

int ptx_frame_return(struct inliner *x, const struct copy *callee, struct ptx_inst *ret)
{
	callee->sites[0] = callee->at[callee->b->ninsts];
	ret->op = PTX_BRX;
	ret->flags |= PTX_F_BACK;
	ret->nsrc = 1;
	ret->src[0] = in_register(callee->back);
	ret->ntargets = callee->nsites;
	ret->targets = ptx_arena_get(x->p->m->arena, callee->nsites * sizeof *ret->targets);
	if (!ret->targets)
		return ptx_no_memory(x->p);
	memcpy(ret->targets, callee->sites, callee->nsites * sizeof *ret->targets);
	return 1;
}

/* Whether a copy's register is needed when the call that it stands in returns. */
static int is_saved(const struct copy *c, uint32_t reg)
{
	const struct ptx_body *b = c->b;
	const struct ptx_call *call = &b->calls[b->insts[c->call_at].target];
	if (b->all_live)
		return 1;
	if (call->callee == TR_NONE && reg == b->indirect) /* who has not been called yet */
		return 1;
	return b->live[b->insts[c->call_at].target * words_of(b) + reg / 64] >> reg % 64 & 1;
}

/* Stores or loads what the copies from `caller` up to `last` need; *top is the end of its place. */
static int move_registers(struct inliner *x, const struct copy *caller, const struct copy *last,
	int stores, const struct ptx_inst *site, uint32_t *top)
{
	const struct copy *c = caller;
	int r = 1;
	*top = (uint32_t)ptx_align_up(x->local_top, 16);
	for (;; c = c->caller) {
		for (uint32_t reg = 0; reg <= c->b->nregs && r > 0; reg++) {
			const uint32_t own = reg < c->b->nregs ? c->first_reg + reg : c->back;
			if (reg < c->b->nregs && !is_saved(c, reg))
				continue;
			*top = (uint32_t)ptx_align_up(*top, 8);
			r = move_register(x, own, *top, stores, site);
			*top += 8;
		}
		if (c == last || r < 0)
			return r;
	}
}

/* A parameter of such a call: the actual one comes to lie where the next frame has it, or stays. */
static int bind_again(struct inliner *x, const struct copy *caller, const struct copy *callee,
	const struct ptx_inst *from, const struct ptx_call *call, uint32_t i, uint32_t guard)
{
	const int is_result = i < callee->b->nrets;
	uint32_t own, formal, next = x->k->nsyms;
	int r = ptx_parameter(x, caller, callee, call, i, from->ptx_line, &own, &formal);
	if (r < 0)
		return r;
	struct ptx_sym s = x->k->syms[formal];
	s.frame = PTX_FRAME_NEXT;
	s.storage = next;
	if (can_move(x, caller, own, formal)) {
		x->k->syms[own].offset = s.offset;
		x->k->syms[own].space = PTX_V_LOCAL;
		x->k->syms[own].frame = PTX_FRAME_NEXT;
		return 1;
	}
	if ((r = ptx_append_symbol(x, &s, from->ptx_line)) < 0)
		return r;
	return copy_bytes(x, is_result ? own : next, is_result ? next : own, guard,
		guard == TR_NONE ? 0 : from->guard_not, from);
}

int ptx_call_again(struct inliner *x, struct copy *caller, const struct ptx_inst *from,
	const struct ptx_call *call, struct ptx_body *b)
{
	struct copy *callee = caller;
	struct ptx_inst push = {.op = PTX_ADD,
		.type = PTX_T_U64,
		.flags = PTX_F_FRAME,
		.guard = from->guard == TR_NONE ? TR_NONE : from->guard + caller->first_reg,
		.guard_not = from->guard_not,
		.ndst = 1,
		.nsrc = 2,
		.dst = {in_register(x->stack - 1)},
		.src = {in_register(x->stack - 1), number(0)}};
	struct ptx_inst mov = {
		.op = PTX_MOV, .type = PTX_T_U32, .guard = TR_NONE, .ndst = 1, .nsrc = 1};
	struct ptx_inst jump = *from, pop = push;
	uint32_t top = x->local_top, at;
	while (callee->b != b)
		callee = callee->caller;
	int r = find_loose(x, caller->b);
	for (uint32_t i = b->nrets; i < b->nformals && r > 0; i++)
		r = bind_again(x, caller, callee, from, call, i, push.guard);
	if (r > 0)
		r = move_registers(x, caller, callee, 1, from, &top);
	mov.dst[0] = in_register(callee->back);
	mov.src[0] = number(callee->nsites);
	if (r > 0 && (r = emit(x, mov, "mov.u32", from)) > 0)
		r = emit(x, push, "add.u64", from);
	if (r < 0)
		return r;
	jump.flags |= PTX_F_AGAIN | PTX_F_FRAME;
	jump.type = jump.stype = PTX_T_U64;
	jump.guard = push.guard;
	jump.nsrc = 1;
	jump.src[0] = in_register(x->stack - 1);
	jump.target = callee->at[0];
	jump.ntargets = 1;
	jump.targets = ptx_arena_get(x->p->m->arena, sizeof *jump.targets);
	at = x->k->ninsts;
	uint32_t *end = jump.targets;
	if (!jump.targets || ptx_room(&callee->sites, callee->nsites, 1, &callee->cap_sites,
				     sizeof *callee->sites))
		return ptx_no_memory(x->p);
	callee->sites[callee->nsites++] = at + 1;
	pop.op = PTX_SUB;
	pop.guard = TR_NONE;
	if ((r = ptx_append(x, &jump)) > 0)
		r = emit(x, pop, "sub.u64", from);
	for (uint32_t i = 0; i < b->nrets && r > 0; i++)
		r = bind_again(x, caller, callee, from, call, i, TR_NONE);
	*end = x->k->ninsts;
	if (r > 0)
		r = move_registers(x, caller, callee, 0, from, &top);
	at = x->local_top;
	x->local_top = top;
	ptx_note_local(x);
	x->local_top = at;
	return r;
}

/* ---- with the whole kernel there ---- */

/* An access or an address of what lies in a frame goes through the stack's register. */
static int place_in_frame(struct inliner *x, struct ptx_inst *i, uint32_t step)
{
	const struct ptx_kernel *k = x->k;
	const struct ptx_operand stack = in_register(x->stack - 1);
	const struct ptx_operand *a = &i->addr, *s = &i->src[0];
	const struct ptx_sym *sym;
	if (a->kind == PTX_O_SYM && (a->sym & PTX_SYM_LOCAL)) {
		sym = &k->syms[a->sym & ~PTX_SYM_LOCAL];
		if (sym->frame)
			i->space = TR_S_LOCAL;
		if (sym->frame >= PTX_FRAME_THIS) {
			i->disp +=
				(int64_t)(sym->offset + (sym->frame == PTX_FRAME_NEXT ? step : 0));
			i->addr = stack;
		}
	}
	if (!i->nsrc || s->kind != PTX_O_SYM || !(s->sym & PTX_SYM_LOCAL))
		return 1;
	sym = &k->syms[s->sym & ~PTX_SYM_LOCAL];
	if (sym->frame < PTX_FRAME_THIS)
		return 1;
	if ((i->op != PTX_MOV && i->op != PTX_CVTA) || i->mode == PTX_M_TO || i->nsrc > 1 ||
		ptx_type_bytes(i->type) != 8)
		return ptx_bad(x->p, i->ptx_line,
			"an address in the frame of a function that calls itself in '%s' is not "
			"supported",
			x->p->lex.atoms.strings + i->text);
	i->src[1] = number(s->imm + sym->offset + (sym->frame == PTX_FRAME_NEXT ? step : 0) +
			   (i->op == PTX_CVTA ? TR_LOCAL_WINDOW : 0));
	i->src[0] = stack;
	i->nsrc = 2;
	i->op = PTX_ADD;
	i->mode = PTX_M_NONE;
	i->type = i->stype = PTX_T_U64;
	return 1;
}

int ptx_place_frames(struct inliner *x)
{
	struct ptx_kernel *k = x->k;
	int r = 1;
	if (!x->stack)
		return 1;
	/* The first frame comes after all else, so that what lies beyond is the next ones'. */
	const uint32_t end = (uint32_t)ptx_align_up(k->local_bytes, 16),
		       first = end - x->frame_base;
	const uint32_t step = (uint32_t)ptx_align_up(x->frame_end - x->frame_base, 16);
	if (end + step > PTX_LOCAL_MAX)
		return ptx_too_large(
			x, k->insts[0].ptx_line, "bytes of local memory", PTX_LOCAL_MAX);
	k->frame_bytes = step;
	k->local_bytes = end + step;
	for (uint32_t s = 0; s < k->nsyms; s++)
		k->syms[s].offset += k->syms[s].frame == PTX_FRAME_FIRST ? first : 0;
	for (uint32_t n = 0; n < k->ninsts && r > 0; n++) {
		struct ptx_inst *i = &k->insts[n];
		if (i->flags & PTX_F_AGAIN)
			i->disp = x->frame_base + step; /* what its frame ends at, from %stack on */
		else if (i->flags & PTX_F_FRAME)
			i->src[i->nsrc - 1].imm = i->op == PTX_MOV ? first : step;
		r = place_in_frame(x, i, step);
	}
	return r;
}
