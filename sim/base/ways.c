/*
 * Which way instructions go on a machine, where the record's class is not all that says it:
 * parameters that are operands, textures by way of the L1D, and units by opcode (units.h).
 *
 * Register banks are of SASS alone, whose registers R0, R1, ... are in bank n modulo their number;
 * PTX has none. An arithmetic instruction whose operands are in one bank takes more than one cycle
 * to read them; of double precision a half of them at a time. Left out: reads of memory
 * instructions, which have their unit's interval for them, and the instructions before that still
 * read.
 *
 * Control bits (Huerta et al., MICRO 2025) are read here, followed in sim/sm/control.c. Operands
 * that are kept for later instructions are marked in the text of the operands, as listings have it;
 * without a text by the bits, of the registers in their order.
 *
 * Asynchronous copies are whole where the machine has them so: LDGSTS of SASS by itself, cp.async
 * of PTX, which is a load and a store in the record, by both, one right after the other.
 */
#include "sim/base/program.h"
#include "sim/base/units.h"
#include <stdlib.h>
#include <string.h>

static uint32_t hold_of(const struct sim_config *c, const struct tr_program *p, uint32_t i)
{
	const struct tr_inst *in = &p->insts[i];
	const char *opcode = tr_str(p, in->opcode);
	const struct {
		const char *root;
		uint32_t cycles;
	} holds[] = {{"YIELD", c->hold.yield}, {"NANOSLEEP", c->hold.nanosleep},
		{"nanosleep", c->hold.nanosleep}, {"BSYNC", c->hold.bsync},
		{"WARPSYNC", in->nsrc ? c->hold.warpsync_register : c->hold.warpsync}};

	if (!strncmp(opcode, "bar.warp.sync", 13))
		return c->hold.warpsync;
	for (size_t k = 0; k < sizeof(holds) / sizeof(holds[0]); k++) {
		const char *const root[] = {holds[k].root, NULL};

		if (sim_opcode_is(opcode, root))
			return holds[k].cycles;
	}
	return 0;
}

/* The number of a register R0 to R254, or -1: it is no such register. */
static int number_of(const struct tr_program *p, uint32_t reg)
{
	const char *name = tr_str(p, p->regs[reg].name);
	char *end;
	const long n =
		*name == 'R' && name[1] >= '0' && name[1] <= '9' ? strtol(name + 1, &end, 10) : -1;

	return n >= 0 && !*end && n < 255 ? (int)n : -1;
}

/* Had the instruction before, of the same block, this register in the same place, and left it? */
static int is_kept(const struct tr_program *p, uint32_t i, uint32_t place)
{
	const struct tr_inst *in = &p->insts[i], *before = in - 1;
	const uint32_t reg = p->reg_pool[in->src + place];

	if (!i || before->block != in->block || place >= before->nsrc ||
		p->reg_pool[before->src + place] != reg)
		return 0;
	for (uint32_t k = 0; k < before->ndst; k++)
		if (p->reg_pool[before->dst + k] == reg)
			return 0;
	return 1;
}

/* ---- operands as they are written ---- */

/* One of a list with commas; "[R2+0x10]" and "c[0x0][0x160]" are one each. */
struct operand {
	const char *at; /* without a sign or bars around it */
	size_t n;
	int predicate, reuse;
};

/* The first operand of a text, and where the next one begins; NULL: there is none. */
static const char *next_operand(const char *text, struct operand *o)
{
	const char *end = text;
	size_t n;

	if (!*text)
		return NULL;
	for (int depth = 0; *end && (*end != ',' || depth > 0); end++)
		depth += (*end == '[') - (*end == ']');
	while (text < end && strchr(" \t-~!|", *text))
		text++;
	n = (size_t)(end - text);
	*o = (struct operand){.at = text, .n = strcspn(text, ".|, ")};
	o->n = o->n < n ? o->n : n;
	o->predicate = *text == 'P' || !strncmp(text, "UP", 2);
	o->reuse = n - o->n >= 6 && !strncmp(text + o->n, ".reuse", 6);
	return *end ? end + 1 : end;
}

/* Where a source stands among those that the banks give, and whether it is kept. */
struct place {
	const char *rest; /* of the text, after it; NULL: there is no text */
	uint32_t number, next;
	int reuse;
};

static struct place first_place(const struct tr_program *p, uint32_t i)
{
	struct place at = {
		.rest = p->operands && p->operands[i] ? tr_str(p, p->operands[i]) : NULL};
	struct operand o;
	const char *rest = at.rest ? next_operand(at.rest, &o) : NULL;

	if (rest && !o.predicate) /* the first one is written */
		at.rest = rest;
	return at;
}

/*
 * Goes on to source k. The second register of a pair is not in the text: it is where the first one
 * is.
 */
static void find_place(struct place *at, const struct tr_program *p, uint32_t i, uint32_t k)
{
	const char *name = tr_str(p, p->regs[p->reg_pool[p->insts[i].src + k]].name);
	const char *rest = at->rest;
	uint32_t number = at->next;
	struct operand o;

	if (!rest) {
		at->number = k;
		at->reuse = tr_control_of(p->control[i]).reuse >> (k & 3) & (k < 4);
		return;
	}
	while ((rest = next_operand(rest, &o))) {
		if (strlen(name) == o.n && !strncmp(name, o.at, o.n)) {
			*at = (struct place){rest, number, number + 1, o.reuse};
			return;
		}
		number += !o.predicate;
	}
}

#define PLACES 4

/* By place and bank: the number of the register that is kept, or -1. */
struct kept {
	int reg[PLACES][16];
};

static void keep_nothing(struct kept *kept)
{
	memset(kept, 0xff, sizeof(*kept));
}

/* Source k is read, unless it is kept; what is kept there is then what its mark says. */
static int takes_kept(struct kept *kept, const struct place *at, uint32_t bank, int number)
{
	int *there = at->number < PLACES ? &kept->reg[at->number][bank] : NULL;
	const int has = there && *there == number;

	if (there)
		*there = at->reuse ? number : -1;
	return has;
}

/* Cycles beyond the first that the operands of arithmetic take to be read. */
static uint32_t reads_of(
	const struct sim_config *c, const struct sim_program *s, uint32_t i, struct kept *kept)
{
	const struct tr_program *p = s->p;
	const struct tr_inst *in = &p->insts[i];
	const uint32_t passes = in->cls == TR_C_FP64 ? 2 : 1;
	const int marked = s->insts[i].after != 0;
	uint32_t reads[16] = {0}, most = 0;
	struct place at;

	if (!c->sm.register_banks || s->insts[i].unit != SIM_U_ALU)
		return 0;
	if (marked)
		at = first_place(p, i);
	else
		keep_nothing(kept);
	for (uint32_t k = 0; k < in->nsrc; k++) {
		const int n = number_of(p, p->reg_pool[in->src + k]);
		const uint32_t bank = (uint32_t)n % c->sm.register_banks;

		if (n < 0)
			continue;
		if (marked) {
			find_place(&at, p, i, k);
			reads[bank] += !(takes_kept(kept, &at, bank, n) && c->sm.reuse);
		} else {
			reads[bank] += !(c->sm.reuse && is_kept(p, i, k));
		}
	}
	for (uint32_t b = 0; b < c->sm.register_banks; b++)
		most = reads[b] > most ? reads[b] : most;
	most = (most + passes * c->sm.bank_reads - 1) / (passes * c->sm.bank_reads);
	return most ? most - 1 : 0;
}

/* ---- control bits ---- */

static uint8_t counter_of(uint8_t number)
{
	return number < TR_CONTROL_COUNTERS ? (uint8_t)(number + 1) : 0;
}

/*
 * DEPBAR.LE SB0, 0x1: waits until a counter is no higher; counters in braces after it have to be 0.
 * Its operands are in the text alone.
 */
static void read_depbar(struct sim_inst *x, const char *text)
{
	char *rest;
	unsigned long n;

	if (strncmp(text, "SB", 2) != 0 || text[2] < '0' || text[2] >= '0' + TR_CONTROL_COUNTERS ||
		text[3] != ',')
		return;
	n = strtoul(text + 4, &rest, 0);
	if (rest == text + 4)
		return;
	x->few_of = (uint8_t)(text[2] - '0' + 1);
	x->few = (uint8_t)(n < 63 ? n : 63); /* a counter's highest */
	rest = strchr(rest, '{');
	for (; rest && *rest && *rest != '}'; rest++)
		if (*rest >= '0' && *rest < '0' + TR_CONTROL_COUNTERS)
			x->none_of |= (uint8_t)(1u << (*rest - '0'));
}

static void follow_control(
	struct sim_program *s, const struct sim_config *c, struct sim_inst *x, uint32_t i)
{
	static const char *const depbar[] = {"DEPBAR", NULL};
	const struct tr_program *p = s->p;
	const uint32_t words = (x->bytes + 3u) / 4;
	struct tr_control bits;

	if (!c->sm.control_bits || !p->control || !(p->control[i] & TR_CONTROL_KNOWN))
		return;
	bits = tr_control_of(p->control[i]);
	s->controlled = 1;
	x->after = bits.stall > 1 ? bits.stall : bits.yields ? 2 : 1;
	if (x->cls == TR_C_EXIT && !x->guarded)
		x->after = 1; /* nothing of the warp is left that could stall */
	x->result = counter_of(bits.result);
	x->sources = counter_of(bits.sources);
	x->none_of = bits.wait;
	if (p->operands && p->operands[i] && sim_opcode_is(tr_str(p, x->inst->opcode), depbar))
		read_depbar(x, tr_str(p, p->operands[i]));
	x->sources_read =
		x->unit == SIM_U_L1D || x->unit == SIM_U_TEXTURE || x->unit == SIM_U_ATOMIC
			? c->sm.sources_global
			: c->sm.sources_shared;
	if (x->copy == TR_COPY_LOAD)
		x->sources_read = c->sm.sources_async;
	if (x->is_store)
		x->sources_read +=
			c->sm.sources_store + (words ? words - 1 : 0) * c->sm.sources_word;
}

/* ---- asynchronous copies ---- */

static const char *const ldgsts[] = {"LDGSTS", NULL}, *const cp[] = {"cp", NULL};

/* The part of a copy that instruction i is, where copies are whole. */
static enum sim_part_of_copy part_of(const struct sim_program *s, uint32_t i)
{
	const struct sim_inst *x = &s->insts[i];
	const char *opcode = tr_str(s->p, x->inst->opcode);
	const int last = i + 1 == s->p->ninsts || x[1].block != x->block;

	if (x->copy == TR_COPY_LOAD && x->unit == SIM_U_L1D && sim_opcode_is(opcode, ldgsts))
		return SIM_COPY_BOTH;
	if (x->copy == TR_COPY_LOAD && x->unit == SIM_U_L1D && sim_opcode_is(opcode, cp) && !last &&
		x[1].is_store && x[1].unit == SIM_U_SHARED && x[1].inst->opcode == x->inst->opcode)
		return SIM_COPY_READ;
	return i && x->block == x[-1].block && x[-1].part == SIM_COPY_READ ? SIM_COPY_WRITE
									   : SIM_NO_PART;
}

/* cp.async.cg and LDGSTS with BYPASS leave the L1 as it is. */
static int goes_past_l1(const char *opcode)
{
	return !strncmp(opcode, "cp.async.cg", 11) || strstr(opcode, ".BYPASS") != NULL;
}

/* ---- cache operators ---- */

/*
 * PTX's operators, semantics, scopes and priorities of eviction, and what SASS has of them. What is
 * weak, or of a CTA alone, may be in its SM's L1.
 */
enum { STRONG = 1 << 8, OF_A_CTA = 1 << 9 };

static const struct {
	const char *token;
	int is; /* enum sim_cached, STRONG or OF_A_CTA */
} operators[] = {
	{"cg", SIM_CACHED_NOT},
	{"cv", SIM_CACHED_NOT},
	{"wt", SIM_CACHED_NOT},
	{"CG", SIM_CACHED_NOT},
	{"CV", SIM_CACHED_NOT},
	{"WT", SIM_CACHED_NOT},
	{"BYPASS", SIM_CACHED_NOT},
	{"cs", SIM_CACHED_FIRST},
	{"lu", SIM_CACHED_FIRST},
	{"L1::evict_first", SIM_CACHED_FIRST},
	{"CS", SIM_CACHED_FIRST},
	{"LU", SIM_CACHED_FIRST},
	{"EF", SIM_CACHED_FIRST},
	{"L1::evict_last", SIM_CACHED_LAST},
	{"EL", SIM_CACHED_LAST},
	{"L1::evict_unchanged", SIM_CACHED_UNCHANGED},
	{"EU", SIM_CACHED_UNCHANGED},
	{"L1::no_allocate", SIM_CACHED_IF_THERE},
	{"NA", SIM_CACHED_IF_THERE},
	{"volatile", STRONG},
	{"mmio", STRONG},
	{"relaxed", STRONG},
	{"acquire", STRONG},
	{"release", STRONG},
	{"STRONG", STRONG},
	{"MMIO", STRONG},
	{"cta", OF_A_CTA},
	{"CTA", OF_A_CTA},
	{"SM", OF_A_CTA},
};

static int operator_of(const char *token, size_t n)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (strlen(operators[i].token) == n && !memcmp(operators[i].token, token, n))
			return operators[i].is;
	return SIM_CACHED;
}

static enum sim_cached cached_of(const char *opcode)
{
	int how = SIM_CACHED, scope = 0;

	for (const char *at = strchr(opcode, '.'); at; at = strchr(at + 1, '.')) {
		const int is = operator_of(at + 1, strcspn(at + 1, "."));

		scope |= is & (STRONG | OF_A_CTA);
		how = is && is < STRONG ? is : how;
	}
	return scope == STRONG ? SIM_CACHED_NOT : (enum sim_cached)how;
}

/* ---- units ---- */

/* Loads, stores and atomics take turns at one unit: the address unit. */
static uint8_t plain_pipe(uint8_t cls)
{
	return cls == TR_C_STORE || cls == TR_C_ATOMIC ? TR_C_LOAD : cls;
}

/*
 * Products of matrices take the tensor core as long as their work does. latency.tensor is that of
 * m16n8k16 or less, of f16; what takes longer has its result so much later, and none has it before
 * its work is done.
 */
static void time_product(struct sim_inst *x, const struct sim_config *c, const char *opcode)
{
	const struct sim_product product = sim_product_of(opcode);
	const struct sim_product usual = {16 * 8 * 16, SIM_F_F16, product.f32_sums};
	const uint32_t cycles = sim_product_cycles(c, &product);
	const uint32_t as_usual = sim_product_cycles(c, &usual);

	if (!cycles)
		return;
	x->interval = cycles;
	if (as_usual && cycles > as_usual)
		x->latency += cycles - as_usual;
	if (x->latency < cycles)
		x->latency = cycles;
}

static void find_unit(struct sim_inst *x, const struct sim_config *c, const char *opcode)
{
	struct sim_way way = {.cls = x->cls,
		.taken = x->cls,
		.pipe = plain_pipe(x->cls),
		.other = plain_pipe(x->cls)};

	if (c->sm.opcode_units && !sim_is_memory(x))
		way = sim_way_of(c, opcode, x->cls);
	if (x->unit == SIM_U_ALU)
		x->cls = way.cls;
	x->pipe = way.pipe;
	x->other = way.other;
	x->both = way.both;
	x->of_sm = way.of_sm;
	x->latency = way.to_uniform ? c->r2ur : c->latency[way.cls];
	x->interval = c->interval[way.taken];
	if (x->cls == SIM_C_TENSOR)
		time_product(x, c, opcode);
	if (x->mbarrier && x->unit == SIM_U_NONE)
		x->latency = c->mbar.wait;
}

void sim_program_ways(struct sim_program *s, const struct sim_config *c)
{
	struct kept kept;

	for (uint32_t i = 0; i < s->p->ninsts; i++) {
		struct sim_inst *x = &s->insts[i];

		if (!i || x->block != x[-1].block)
			keep_nothing(&kept);

		if (c->sm.param_operands && x->unit == SIM_U_CONST && x->space == TR_S_PARAM) {
			x->unit = SIM_U_ALU;
			x->cls = TR_C_MOVE;
			x->is_load = 0;
		}
		if (c->sm.texture_l1d && x->unit == SIM_U_TEXTURE) {
			x->unit = SIM_U_L1D;
			x->space = TR_S_GLOBAL;
		}
		find_unit(x, c, tr_str(s->p, x->inst->opcode));
		x->hold = hold_of(c, s->p, i);
		if (c->sm.async == SIM_ASYNC_WHOLE)
			x->part = (uint8_t)part_of(s, i);
		x->past_l1 = (x->part == SIM_COPY_READ || x->part == SIM_COPY_BOTH) &&
			     goes_past_l1(tr_str(s->p, x->inst->opcode));
		if (c->l1d.operators && x->unit == SIM_U_L1D)
			x->cached = (uint8_t)cached_of(tr_str(s->p, x->inst->opcode));
		follow_control(s, c, x, i);
		x->reads = reads_of(c, s, i, &kept);
	}
}
