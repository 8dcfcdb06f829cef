/*
 * A warp's run: fetch, guard, record, execute, and where lanes part or meet, the stack.
 *
 * For each instruction the outcome is recorded before the value. Of an instruction whose guard is
 * false in all lanes only the outcome is.
 */
#include "sim/ptx/memcheck.h"
#include "sim/ptx/shorten.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int ptx_fault(
	const struct ptx_warp *w, const struct ptx_code *c, unsigned lane, const char *fmt, ...)
{
	const struct ptx_run *run = w->cta->run;
	const struct ptx_kernel *k = run->kernel;
	const struct ptx_inst *i = c->inst;
	const uint32_t *grid = run->launch->grid;
	const char *file = i->file < k->module->nfiles ? k->module->files[i->file] : NULL;
	char what[640], cta[64] = "", line[PTX_SHORT_TEXT + 16];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (grid[1] > 1 || grid[2] > 1)
		snprintf(cta, sizeof(cta), " (%u,%u,%u)", w->cta->id[0], w->cta->id[1],
			w->cta->id[2]);
	if (i->line && file)
		snprintf(line, sizeof(line), "%s:%u", ptx_short_path(file).text, i->line);
	else
		snprintf(line, sizeof(line), "%s:%u", ptx_short_path(k->path).text, i->ptx_line);
	return tr_fail(run->err, TR_ERUN, 0,
		"kernel '%s', cta %u%s, thread %u, pc 0x%x (%s): %s %s",
		ptx_short_name(k->name).text, w->cta->number, cta, w->number * PTX_LANES + lane,
		(unsigned)(i - k->insts) * TR_PC_BYTES, line, k->strings + i->text, what);
}

/* A record has no end where a thread has none: it fails when a warp is in a loop without an exit.
 */
int ptx_recorder_failed(const struct ptx_warp *w)
{
	struct ptx_run *run = w->cta->run;
	const struct tr_err *why = tr_writer_error(run->writer);
	const uint32_t pc = warp_stack_pc(&w->stack);
	const struct tr_program *p = run->kernel->program;

	if (why->code == TR_EDATA && pc < p->ninsts &&
		p->blocks[p->insts[pc].block].ipdom == TR_NONE) {
		run->machine->fault = PTX_FAULT_ENDLESS;
		return ptx_fault(w, &run->decoded.code[pc], (unsigned)__builtin_ctz(w->active),
			"is in a loop, or in a function that calls itself, which no branch leaves: "
			"the thread never ends");
	}
	return tr_fail(w->cta->run->err, why->code, 0, "cannot record kernel '%s': %s",
		w->cta->run->kernel->name, why->msg);
}

static int record_mask(struct ptx_warp *w)
{
	uint64_t value[PTX_LANES];

	for (unsigned i = 0; i < PTX_LANES; i++)
		value[i] = w->mask;
	return tr_record_values(w->cta->recorder, w->number, w->mask, value);
}

/* An access that may be: what others want to know of it. */
static inline int note(struct ptx_warp *w, const struct ptx_code *c, const uint32_t *sizes,
	const uint64_t address[PTX_LANES], uint8_t *const at[PTX_LANES])
{
	int e;

	if (w->cta->written && (e = ptx_check_access(w, c, sizes, address, at)))
		return e;
	if (w->cta->sync && (e = ptx_sync_access(w, c, sizes, address)))
		return e;
	if (c->records_value && w->cta->recorder &&
		tr_record_values(w->cta->recorder, w->number, w->mask, address) < 0)
		return ptx_recorder_failed(w);
	return 0;
}

static inline int reach(struct ptx_warp *w, struct ptx_code *c, const struct ptx_ops *ops,
	uint64_t address[PTX_LANES], uint8_t *at[PTX_LANES])
{
	const int e = ops->locate(w, c, address, at);

	return e ? e : note(w, c, NULL, address, at);
}

int ptx_reach(
	struct ptx_warp *w, struct ptx_code *c, uint64_t address[PTX_LANES], uint8_t *at[PTX_LANES])
{
	return reach(w, c, w->cta->run->ops, address, at);
}

int ptx_reach_parts(struct ptx_warp *w, struct ptx_code *c, const uint32_t sizes[PTX_LANES],
	uint64_t address[PTX_LANES], uint8_t *at[PTX_LANES])
{
	w->cta->run->ops->addresses(w, c, address);
	const int e = ptx_resolve_parts(w, c, sizes, address, at);

	return e ? e : note(w, c, sizes, address, at);
}

static inline void move_lanes(struct ptx_warp *w, const struct ptx_code *c, uint8_t *at[PTX_LANES])
{
	if (c->kind == PTX_K_ATOMIC) {
		ptx_atomic(w, c, at);
		return;
	}
	for (unsigned k = 0; k < c->vec; k++) {
		if (c->kind == PTX_K_LOAD)
			c->gather(ptx_destination(w, c, k), w->mask, at);
		else
			c->scatter(ptx_source(w, c, k), w->mask, at);
		for (unsigned i = 0; i < PTX_LANES; i++)
			at[i] += c->bytes;
	}
}

/* The same while the path is watched: what it reads is noted, and what it writes is compared. */
static int watched_access(
	struct ptx_warp *w, struct ptx_code *c, uint64_t address[PTX_LANES], uint8_t *at[PTX_LANES])
{
	const uint32_t size = c->bytes * c->vec;
	uint8_t before[PTX_LANES][32], *first[PTX_LANES];

	if (c->kind != PTX_K_STORE) {
		ptx_watch_words(w, c, address, at);
		move_lanes(w, c, at);
		return 0;
	}
	memcpy(first, at, sizeof(first));
	for (unsigned i = 0; i < PTX_LANES; i++)
		memcpy(before[i], at[i], size);
	move_lanes(w, c, at);
	for (unsigned i = 0; i < PTX_LANES; i++)
		if (memcmp(before[i], first[i], size)) {
			w->changes++;
			break;
		}
	return 0;
}

static int access(struct ptx_warp *w, struct ptx_code *c, const struct ptx_ops *ops)
{
	uint64_t address[PTX_LANES];
	uint8_t *at[PTX_LANES];
	const int e = reach(w, c, ops, address, at);

	if (e)
		return e;
	if (c->strong)
		w->progress.polled = w->progress.polled * 31 + address[__builtin_ctz(w->mask)];
	if (w->watching)
		return watched_access(w, c, address, at);
	move_lanes(w, c, at);
	w->changes += c->kind == PTX_K_STORE;
	return 0;
}

/* What is neither arithmetic nor a plain access. 0, TR_E*, or 1: the warp's turn is over. */
static int seldom(struct ptx_warp *w, struct ptx_code *c)
{
	w->changes += c->kind != PTX_K_MEET;
	switch (c->kind) {
	case PTX_K_TEXTURE:
		return ptx_texture_fetch(w, c);
	case PTX_K_HOST:
		return ptx_host_call(w, c);
	case PTX_K_ASYNC:
		return ptx_async_copy(w, c);
	case PTX_K_MBARRIER:
		return ptx_mbarrier(w, c);
	case PTX_K_SURFACE:
		return ptx_surface_access(w, c);
	case PTX_K_TENSOR:
		return ptx_tensor(w, c);
	case PTX_K_MEET:
		if (w->cta->races && c->vec)
			ptx_races_fence(w);
		else if (w->cta->races)
			ptx_races_meet(w);
		return c->ns ? ptx_meet(w, c) : 0;
	default:
		return ptx_device_call(w, c);
	}
}

static uint32_t rank_of(const struct tr_program *p, uint32_t pc)
{
	return p->blocks[p->insts[pc].block].rank;
}

/* A branch: lanes in w->mask jump to its target, the other active ones go on after it. */
static void jump(struct ptx_warp *w, const struct ptx_code *c, uint32_t pc)
{
	const struct tr_program *p = w->cta->run->program;
	const uint32_t stay = w->active & ~w->mask, next = c->next, target = c->target;

	if (!stay || target == next) {
		warp_stack_advance(&w->stack, target);
	} else if (!w->mask) {
		warp_stack_advance(&w->stack, next);
	} else {
		struct warp_path path[2] = {
			{next, stay, rank_of(p, next)}, {target, w->mask, rank_of(p, target)}};
		warp_stack_branch(&w->stack, p->insts[pc].ipdom, path, 2);
	}
}

static unsigned add_path(
	const struct tr_program *p, struct warp_path *path, unsigned n, uint32_t pc, uint32_t mask)
{
	for (unsigned k = 0; k < n; k++)
		if (path[k].pc == pc) {
			path[k].mask |= mask;
			return n;
		}
	path[n] = (struct warp_path){pc, mask, rank_of(p, pc)};
	return n + 1;
}

/* brx.idx: each lane by its index; successor 0 of a guarded one is the fall-through. */
static int jump_by_index(struct ptx_warp *w, const struct ptx_code *c, uint32_t pc)
{
	const struct tr_program *p = w->cta->run->program;
	const uint32_t *index = ptx_source(w, c, 0), guarded = c->guard != PTX_NOWHERE;
	uint32_t outcome[PTX_LANES] = {0};
	struct warp_path path[PTX_LANES];
	unsigned n = 0;

	for (unsigned i = 0; i < PTX_LANES; i++) {
		if (!(w->active >> i & 1))
			continue;
		if (!(w->mask >> i & 1)) {
			n = add_path(p, path, n, pc + 1, 1u << i);
			continue;
		}
		if (index[i] >= c->inst->ntargets)
			return ptx_fault(
				w, c, i, "takes target %u of %u", index[i], c->inst->ntargets);
		outcome[i] = index[i] + guarded;
		n = add_path(p, path, n, c->inst->targets[index[i]], 1u << i);
	}
	if (c->records_outcome && w->cta->recorder &&
		tr_record_indices(w->cta->recorder, w->number, w->active, outcome,
			p->insts[pc].nsucc > 256) < 0)
		return ptx_recorder_failed(w);
	warp_stack_branch(&w->stack, p->insts[pc].ipdom, path, n);
	return 0;
}

static void leave(struct ptx_warp *w, uint32_t pc)
{
	warp_stack_exit(&w->stack, w->mask, pc + 1);
	if (w->stack.depth == 0)
		w->state = PTX_DONE;
	if (w->stack.depth == 0 && ptx_last_strand(w)) {
		w->cta->ndone++;
		ptx_barriers_recheck(w->cta);
		ptx_cluster_left(w);
	} else if (w->apart) {
		ptx_barriers_recheck(w->cta);
	}
}

static void put_clock(struct ptx_warp *w, const struct ptx_code *c, uint64_t now)
{
	const uint64_t v = c->inst->src[0].reg == PTX_SR_CLOCK_HI ? now >> 32 : now;
	if (c->inst->src[0].reg == PTX_SR_CLOCK_HI)
		w->watching = 0; /* it stands still for long, and not for ever; others never do */
	uint32_t *narrow = (uint32_t *)(void *)(w->area[0] + c->clock);
	uint64_t *wide = (uint64_t *)(void *)(w->area[0] + c->clock);

	for (unsigned i = 0; i < PTX_LANES; i++)
		if (c->sbytes[0] == 8)
			wide[i] = v;
		else
			narrow[i] = (uint32_t)v;
}

/* A trap, or the end of an indirect call of no function. */
static int trapped(const struct ptx_warp *w, const struct ptx_code *c)
{
	const unsigned lane = (unsigned)__builtin_ctz(w->mask);
	uint64_t to = 0;

	if (!c->ns)
		return ptx_fault(w, c, lane, "is executed");
	memcpy(&to, (const uint8_t *)ptx_source(w, c, 0) + lane * c->sbytes[0], c->sbytes[0]);
	return ptx_fault(
		w, c, lane, "goes to 0x%" PRIx64 ", which is no function with such parameters", to);
}

/* A call of a function that has not returned: is there room for one more frame? */
static int again(struct ptx_warp *w, const struct ptx_code *c, uint32_t pc)
{
	const struct ptx_run *run = w->cta->run;
	const uint32_t frame = run->kernel->frame_bytes;
	/* Beyond the last frame is room for what is stored before a call. */
	const uint64_t *stack = ptx_source(w, c, 0);
	const uint64_t end = run->local_bytes - frame - (uint64_t)c->inst->disp;

	for (unsigned i = 0; i < PTX_LANES; i++)
		if ((w->mask >> i & 1) && stack[i] > end) {
			run->machine->fault = PTX_FAULT_STACK;
			return ptx_fault(w, c, i,
				"overflows the thread's stack: a frame has %u bytes, and there "
				"were %u of it",
				frame, (run->local_bytes - run->kernel->local_bytes) / frame);
		}
	jump(w, c, pc);
	return 0;
}

/* What is neither the next instruction nor an access: 0, 1 to leave the run, or TR_E*. */
static int control(struct ptx_warp *w, const struct ptx_code *c, uint32_t pc)
{
	switch (c->kind) {
	case PTX_K_JUMP:
		jump(w, c, pc);
		return 0;
	case PTX_K_CALL:
		return again(w, c, pc);
	case PTX_K_SWITCH:
		return jump_by_index(w, c, pc);
	case PTX_K_EXIT:
		if (w->mask)
			leave(w, pc);
		else
			warp_stack_advance(&w->stack, pc + 1);
		return w->state == PTX_DONE;
	case PTX_K_TRAP:
		if (w->mask)
			return trapped(w, c);
		warp_stack_advance(&w->stack, pc + 1);
		return 0;
	default: /* PTX_K_BARRIER */
		if (w->mask) {
			w->changes++;
			const int e = ptx_barrier_reach(w, c);
			if (e)
				return e;
		}
		warp_stack_advance(&w->stack, pc + 1);
		return w->state == PTX_WAITING;
	}
}

static void tell_executed(const struct ptx_warp *w, uint32_t pc)
{
	const struct ptx_run *run = w->cta->run;
	const struct ptx_machine_options *opt = &run->machine->opt;
	const uint32_t *grid = run->launch->grid;

	opt->executed(opt->executed_arg, &(struct ptx_executed){.launch = run->machine->nlaunches,
						 .ctas = grid[0] * grid[1] * grid[2],
						 .threads = run->threads,
						 .cta = w->cta->number,
						 .group = w->number,
						 .inst = pc,
						 .mask = w->active});
}

static int too_long(const struct ptx_warp *w, const struct ptx_code *c)
{
	w->cta->run->machine->fault = PTX_FAULT_TOO_LONG;
	return ptx_fault(w, c, (unsigned)__builtin_ctz(w->active),
		"exceeds the bound of %" PRIu64
		" thread instructions for one launch (max-insts): an endless loop, or a longer run",
		w->cta->run->max_insts);
}

/* An operand's row, which is recorded and takes no turn. 1: the warp is held back before it. */
static __attribute__((noinline)) int operand_row(
	struct ptx_warp *w, struct ptx_code *c, uint32_t pc, int told)
{
	struct tr_recorder *r = w->cta->recorder;
	uint64_t value[PTX_LANES];
	const int e = w->mask ? ptx_operand(w, c, value) : 0;

	if (e)
		return e;
	if (told)
		tell_executed(w, pc);
	if (r && c->records_outcome && tr_record_outcomes(r, w->number, w->active, w->mask) < 0)
		return ptx_recorder_failed(w);
	if (r && w->mask && tr_record_values(r, w->number, w->mask, value) < 0)
		return ptx_recorder_failed(w);
	return 0;
}

/*
 * The path goes on at pc instead of behind `from`, where c is. insts: of the run at hand. 1: its
 * turn is over, since it gets nowhere; or TR_E*.
 */
static inline int moved(
	struct ptx_warp *w, const struct ptx_code *c, uint32_t from, uint32_t pc, uint64_t insts)
{
	struct ptx_progress *p = &w->progress;

	if (p->changes != w->changes) {
		p->changes = w->changes;
		p->still = 0;
		p->look = 1;
		w->watching = w->watching ? PTX_WATCH_CHANGED : 0;
	} else if (pc <= from) {
		p->still++;
	}
	if (w->watching)
		ptx_watch_path(w, from);
	if (pc > from || (!c->polls && p->still < PTX_PLAIN_ROUNDS))
		return 0;
	p->rounds += c->polls;
	p->same = p->polled && p->polled == p->polled_before;
	p->polled_before = p->polled;
	p->polled = 0;
	if (!w->watching && (p->still < p->look || (!p->same && p->still < PTX_POLL_ROUNDS)) &&
		(!c->polls || p->rounds % PTX_POLL_ROUNDS))
		return 0;
	return ptx_went_back(w, c, pc, insts);
}

int ptx_warp_run(struct ptx_warp *w, uint64_t budget)
{
	struct ptx_run *run = w->cta->run;
	struct tr_recorder *recorder = w->cta->recorder;
	struct ptx_code *const code = run->decoded.code;
	const uint64_t first_warp_inst = run->warp_insts;
	const uint64_t limit = run->max_insts - run->thread_insts;
	const uint64_t left = run->max_insts - run->warp_insts;
	const int told = run->machine->opt.executed != NULL;
	const int apart = w->apart != NULL;
	uint64_t done = 0, insts = 0;
	uint32_t pc, rpc, counted = 0, count = 0;
	int e = 0;

	w->active = warp_stack_mask(&w->stack);
	pc = warp_stack_pc(&w->stack);
	rpc = warp_stack_rpc(&w->stack);
	/* Guards that are always false make no thread instructions, but take their time as well. */
	budget = budget < left ? budget : left;
	if (!left)
		e = too_long(w, &code[pc]);
	while (done < budget) {
		struct ptx_code *c = &code[pc];
		w->mask = ptx_guarded(w, c);
		if (__builtin_expect(c->kind == PTX_K_OPERAND, 0)) {
			e = operand_row(w, c, pc, told);
			if (e)
				break;
			pc++; /* its operation is of the same block */
			continue;
		}
		if (c->gathers && ptx_gathers(w, c))
			break;
		if (told)
			tell_executed(w, pc);
		if (c->records_outcome && recorder && c->kind != PTX_K_SWITCH &&
			tr_record_outcomes(recorder, w->number, w->active, w->mask) < 0) {
			e = ptx_recorder_failed(w);
			break;
		}
		if (w->mask != counted) {
			counted = w->mask;
			count = (uint32_t)__builtin_popcount(counted);
		}
		insts += count;
		done++;
		if (insts > limit) {
			e = too_long(w, c);
			break;
		}
		if (c->kind >= PTX_K_JUMP && c->kind <= PTX_K_TRAP) {
			e = control(w, c, pc);
			if (e)
				break;
		} else {
			if (w->mask && c->kind != PTX_K_NOTHING) {
				if (c->clock != PTX_NOWHERE)
					put_clock(w, c, first_warp_inst + done);
				if (c->alu)
					c->alu(w, c);
				else if (c->kind <= PTX_K_ATOMIC)
					e = access(w, c, run->ops);
				else
					e = seldom(w, c);
				if (e < 0)
					break;
				if (e > 0)
					budget = done;
				e = 0;
				if (c->kind == PTX_K_COLLECTIVE && c->records_value && recorder &&
					record_mask(w) < 0) {
					e = ptx_recorder_failed(w);
					break;
				}
			}
			if (++pc != rpc)
				continue;
			warp_stack_advance(&w->stack, pc);
		}
		const uint32_t from = (uint32_t)(c - code);
		w->active = warp_stack_mask(&w->stack);
		pc = warp_stack_pc(&w->stack);
		rpc = warp_stack_rpc(&w->stack);
		if ((e = moved(w, c, from, pc, insts)))
			break;
		if (apart) /* who is next is asked at the end of each block */
			break;
	}
	if (e == 0 || w->state == PTX_HELD)
		warp_stack_advance(&w->stack, pc);
	run->warp_insts += done;
	run->thread_insts += insts;
	w->progress.insts += insts;
	return e < 0 ? e : 0;
}
