/*
 * What becomes of a recorded warp's lines when a warp runs its lanes' records under PDOM, as a
 * replay does. A lane's k-th line is its k-th executed instruction there, so each issue has the
 * lines that its lanes had: one, where hardware issued it alike, or several, where hardware had
 * those lanes apart. Under PDOM lanes meet at a branch's post-dominator. Hardware, from Volta on,
 * lets them meet at the BSYNC that the compiler put there or later, each way of the branch coming
 * to it in a line of its own, and nowhere where there is none. So lines that are issued together
 * are told apart by what they are, and by what their lanes come to next: a BSYNC, or their exit.
 */
#include "sim/convert/accel_walk.h"
#include "sim/convert/accel.h"
#include <string.h>

enum { TO_EXIT, TO_SYNC };

static bool is_sync(const struct tr_program *p, const struct tr_inst *in)
{
	const char *opcode = tr_str(p, in->opcode);

	return !strncmp(opcode, "BSYNC", 5) || !strncmp(opcode, "WARPSYNC", 8) ||
	       (!strncmp(opcode, "SYNC", 4) && (!opcode[4] || opcode[4] == '.'));
}

/* Not of the trace: the program has it for what no line says. */
static bool is_made(const struct tr_program *p, const struct tr_inst *in)
{
	return *tr_str(p, in->opcode) == '(';
}

/* What the lanes of each line come to after it. */
static void look_ahead(const struct tr_program *p, struct accel_seen *lines, uint32_t n)
{
	uint8_t next[TR_GROUP] = {0};

	while (n--) {
		struct accel_seen *l = &lines[n];
		const struct tr_inst *in = &p->insts[l->inst];
		const bool sync = is_sync(p, in);

		l->issues = l->last = 0;
		l->next = l->mask ? next[__builtin_ctz(l->mask)] : TO_EXIT;
		if (sync || in->cls == TR_C_EXIT)
			for (uint32_t m = l->mask; m; m &= m - 1)
				next[__builtin_ctz(m)] = sync ? TO_SYNC : TO_EXIT;
	}
}

static void merged(const struct tr_program *p, const struct accel_seen *l, struct accel_merged *sum)
{
	const struct tr_inst *in = &p->insts[l->inst];

	if (in->cls == TR_C_EXIT || is_sync(p, in))
		sum->by_turns++;
	else if (l->next == TO_SYNC)
		sum->before_sync++;
	else
		sum->before_exit++;
}

/* One issue, the number-th, of the lanes `on`, whose guards are true. 1 or TR_EDATA. */
static int issue(const struct tr_program *p, uint32_t inst, uint32_t on, uint32_t number,
	struct accel_seen *lines, uint32_t nlines, uint32_t at[TR_GROUP], struct accel_merged *sum)
{
	const bool made = is_made(p, &p->insts[inst]);
	bool first = true;

	sum->issues++;
	sum->made += made;
	if (made)
		return 1;
	sum->empty_issues += !on;
	for (uint32_t m = on; m; m &= m - 1) {
		const int i = __builtin_ctz(m);
		struct accel_seen *l;

		while (at[i] < nlines && !(lines[at[i]].mask >> i & 1))
			at[i]++;
		if (at[i] == nlines || lines[at[i]].inst != inst)
			return TR_EDATA;
		l = &lines[at[i]++];
		if (l->last == number)
			continue;
		l->last = number;
		l->issues++;
		if (!first)
			merged(p, l, sum);
		first = false;
	}
	return 1;
}

int accel_merge_warp(const struct tr_program *p, const struct tr_thread *threads, uint32_t n,
	struct accel_seen *lines, uint32_t nlines, struct accel_merged *sum, struct tr_err *err)
{
	struct tr_walk walks[TR_GROUP];
	uint32_t at[TR_GROUP] = {0}, number = 0;
	struct warp_stack s;
	int rc = 1;

	look_ahead(p, lines, nlines);
	for (uint32_t i = 0; i < n; i++)
		tr_walk_start(&walks[i], p, &threads[i]);
	warp_stack_init(&s, 0, n == TR_GROUP ? UINT32_MAX : (1u << n) - 1);
	while (rc > 0 && s.depth) {
		const uint32_t i = warp_stack_pc(&s);
		uint32_t on = 0;

		for (uint32_t m = warp_stack_mask(&s); rc > 0 && m; m &= m - 1) {
			struct tr_walk *w = &walks[__builtin_ctz(m)];

			if (tr_walk_next(w) < 1 || w->inst != i)
				rc = TR_EDATA;
			on |= w->guard ? m & -m : 0;
		}
		if (rc > 0)
			rc = issue(p, i, on, ++number, lines, nlines, at, sum);
		if (rc > 0)
			accel_go_on(p, &s, i, walks);
	}
	if (rc < 0)
		return tr_fail(err, rc, 0, "the file changed between its two readings");
	sum->lines += nlines;
	for (uint32_t i = 0; i < nlines; i++) {
		sum->empty_lines += !lines[i].mask;
		sum->apart += lines[i].issues > 1 ? lines[i].issues - 1 : 0;
	}
	return 1;
}
