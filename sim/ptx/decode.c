/*
 * From the parser's instructions to decoded ones, once for each kernel: registers get their places
 * in the register file, immediates, kernel parameters (by each launch anew) and addresses of
 * variables become constants, and each instruction its function.
 *
 * A register that lives inside one basic block only shares its place with others that live there at
 * other times. That is right for diverged lanes too: lanes leave a warp's path at ends of blocks
 * only, so nothing else runs between such a register's definition and its last use.
 */
#include "libtrace/chance.h"
#include "sim/ptx/shorten.h"
#include "sim/ptx/vm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct constant {
	uint64_t value;
	uint32_t operand;
	uint8_t bytes; /* 0: a free entry */
};

struct decoder {
	struct ptx_decoded *d;
	const struct ptx_kernel *k;
	const struct ptx_loaded *loaded;
	const struct ptx_ops *ops;
	struct tr_err *err;
	uint32_t *place;            /* of each register */
	struct constant *constants; /* a hash table */
	uint64_t seed;              /* of its hash */
	uint32_t nconstants, cap_constants;
	size_t constants_cap;
	uint32_t scratch; /* where the sink '_' goes */
};

static int no_memory(struct decoder *x)
{
	return tr_fail(x->err, TR_EMEM, 0, "no memory to decode kernel '%s'", x->k->name);
}

static int refuse(struct decoder *x, const struct ptx_inst *i, const char *why)
{
	const struct ptx_module *m = x->k->module;
	char source[PTX_SHORT_TEXT + 20] = "";

	if (i->line && i->file < m->nfiles && m->files[i->file])
		snprintf(source, sizeof(source), " (%s:%u)", ptx_short_path(m->files[i->file]).text,
			i->line);
	return tr_fail(x->err, TR_EDATA, 0, "%s:%u%s: %s in '%s'", ptx_short_path(x->k->path).text,
		i->ptx_line, source, why, x->k->strings + i->text);
}

/* Bytes of a lane in the register file; 0: a predicate, one bit. */
static unsigned lane_bytes(enum ptx_type t)
{
	const unsigned bytes = ptx_type_bytes(t);
	return bytes == 1 ? 2 : bytes;
}

/* ---- registers ---- */

static uint32_t new_place(struct decoder *x, unsigned bytes)
{
	const uint32_t at = x->d->register_bytes;
	x->d->register_bytes += bytes * PTX_LANES;
	return at;
}

struct life {
	uint32_t block; /* TR_NONE: not seen yet, TR_EXIT: it lives in several */
	uint32_t last;
};

static void seen(
	struct life *life, const struct ptx_operand *o, uint32_t block, uint32_t at, int defines)
{
	struct life *l = &life[o->reg];

	if (o->kind != PTX_O_REG || o->reg == TR_NONE)
		return;
	if (l->block == TR_NONE)
		l->block = defines ? block : TR_EXIT;
	else if (l->block != block)
		l->block = TR_EXIT;
	l->last = at;
}

static void find_lives(const struct ptx_kernel *k, struct life *life)
{
	for (uint32_t r = 0; r < k->nregs; r++)
		life[r] = (struct life){TR_NONE, 0};
	for (uint32_t n = 0; n < k->ninsts; n++) {
		const struct ptx_inst *i = &k->insts[n];
		const uint32_t block = k->program->insts[n].block;
		for (unsigned s = 0; s < i->nsrc; s++)
			seen(life, &i->src[s], block, n, 0);
		seen(life, &i->addr, block, n, 0);
		for (unsigned d = 0; d < i->ndst; d++)
			seen(life, &i->dst[d], block, n, i->guard == TR_NONE);
	}
}

/* Places that nobody needs at the moment, by width. */
struct vacant {
	uint32_t *place[3], n[3];
};

static unsigned width_row(unsigned bytes)
{
	return bytes == 2 ? 0 : bytes == 4 ? 1 : 2;
}

static void settle(
	struct decoder *x, struct vacant *v, const struct ptx_operand *o, const struct life *life)
{
	if (o->kind != PTX_O_REG || o->reg == TR_NONE || x->place[o->reg] != PTX_NOWHERE)
		return;
	const unsigned bytes = lane_bytes(x->k->regs[o->reg].type), row = width_row(bytes);
	if (life[o->reg].block != TR_EXIT && v->n[row])
		x->place[o->reg] = v->place[row][--v->n[row]];
	else
		x->place[o->reg] = new_place(x, bytes);
}

static void vacate(struct decoder *x, struct vacant *v, const struct ptx_operand *o,
	struct life *life, uint32_t at)
{
	if (o->kind != PTX_O_REG || o->reg == TR_NONE || life[o->reg].block == TR_EXIT ||
		life[o->reg].last != at)
		return;
	const unsigned bytes = lane_bytes(x->k->regs[o->reg].type), row = width_row(bytes);
	if (bytes) {
		v->place[row][v->n[row]++] = x->place[o->reg];
		life[o->reg].block = TR_EXIT; /* named twice in one instruction: vacated once */
	}
}

static int place_registers(struct decoder *x)
{
	const struct ptx_kernel *k = x->k;
	struct life *life = malloc((k->nregs + 1) * sizeof(*life));
	uint32_t *vacant = malloc(3 * (k->nregs + 1) * sizeof(*vacant));
	struct vacant v = {{vacant, vacant + k->nregs, vacant + 2 * (size_t)k->nregs}, {0, 0, 0}};

	x->place = malloc((k->nregs + 1) * sizeof(*x->place));
	if (!life || !vacant || !x->place) {
		free(life);
		free(vacant);
		return no_memory(x);
	}
	for (uint32_t r = 0; r < k->nregs; r++) {
		x->place[r] = PTX_NOWHERE;
		if (k->regs[r].type == PTX_T_PRED) {
			x->place[r] = x->d->register_bytes;
			x->d->register_bytes += sizeof(uint32_t);
		}
	}
	x->d->register_bytes = (x->d->register_bytes + 63) & ~63u;
	x->scratch = new_place(x, 8);
	find_lives(k, life);
	for (uint32_t n = 0; n < k->ninsts; n++) {
		const struct ptx_inst *i = &k->insts[n];
		for (unsigned s = 0; s < i->nsrc; s++)
			settle(x, &v, &i->src[s], life);
		settle(x, &v, &i->addr, life);
		for (unsigned d = 0; d < i->ndst; d++)
			settle(x, &v, &i->dst[d], life);
		for (unsigned s = 0; s < i->nsrc; s++)
			vacate(x, &v, &i->src[s], life, n);
		vacate(x, &v, &i->addr, life, n);
		for (unsigned d = 0; d < i->ndst; d++)
			vacate(x, &v, &i->dst[d], life, n);
	}
	free(life);
	free(vacant);
	return 0;
}

static uint32_t special(struct decoder *x, uint8_t sreg, uint8_t bytes)
{
	struct ptx_decoded *d = x->d;

	for (uint32_t s = 0; s < d->nspecials; s++)
		if (d->specials[s].sreg == sreg && d->specials[s].bytes == bytes)
			return d->specials[s].operand;
	struct ptx_special *more = realloc(d->specials, (d->nspecials + 1) * sizeof(*more));
	if (!more)
		return PTX_NOWHERE;
	d->specials = more;
	d->specials[d->nspecials] =
		(struct ptx_special){.operand = new_place(x, bytes), .sreg = sreg, .bytes = bytes};
	return d->specials[d->nspecials++].operand;
}

/* ---- constants ---- */

static uint32_t hash_of(const struct decoder *x, uint64_t value, uint8_t bytes)
{
	return (uint32_t)XXH3_64bits_withSeed(&value, sizeof(value), x->seed + bytes);
}

static int grow_constants(struct decoder *x)
{
	const uint32_t cap = x->cap_constants ? 2 * x->cap_constants : 64;
	struct constant *more = calloc(cap, sizeof(*more));

	if (!more)
		return -1;
	for (uint32_t i = 0; i < x->cap_constants; i++) {
		const struct constant *c = &x->constants[i];
		uint32_t h = hash_of(x, c->value, c->bytes) & (cap - 1);
		while (c->bytes && more[h].bytes)
			h = (h + 1) & (cap - 1);
		if (c->bytes)
			more[h] = *c;
	}
	free(x->constants);
	x->constants = more;
	x->cap_constants = cap;
	return 0;
}

static void fill(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < PTX_LANES; i++)
		memcpy(at + i * bytes, &value, bytes); /* little-endian: the low bytes */
}

/* A place for a constant, in lanes of 2, 4 or 8 bytes: its operand; PTX_NOWHERE without memory. */
static uint32_t new_constant(struct decoder *x, uint64_t value, unsigned bytes)
{
	struct ptx_decoded *d = x->d;
	const size_t size = bytes * PTX_LANES;
	const uint32_t operand = (uint32_t)d->constants_bytes | PTX_CONSTANT;

	if (d->constants_bytes + size > x->constants_cap) {
		const size_t cap = 2 * (x->constants_cap + 4096);
		uint8_t *more = aligned_alloc(64, cap);
		if (!more)
			return PTX_NOWHERE;
		if (d->constants_bytes)
			memcpy(more, d->constants, d->constants_bytes);
		free(d->constants);
		d->constants = more;
		x->constants_cap = cap;
	}
	fill(d->constants + d->constants_bytes, value, bytes);
	d->constants_bytes += size;
	return operand;
}

/* The operand of a constant: equal ones are one. */
static uint32_t constant(struct decoder *x, uint64_t value, unsigned bytes)
{
	uint32_t operand;

	if (2 * (x->nconstants + 1) > x->cap_constants && grow_constants(x))
		return PTX_NOWHERE;
	uint32_t h = hash_of(x, value, (uint8_t)bytes) & (x->cap_constants - 1);
	while (x->constants[h].bytes) {
		if (x->constants[h].value == value && x->constants[h].bytes == bytes)
			return x->constants[h].operand;
		h = (h + 1) & (x->cap_constants - 1);
	}
	operand = new_constant(x, value, bytes);
	if (operand == PTX_NOWHERE)
		return operand;
	x->constants[h] =
		(struct constant){.value = value, .operand = operand, .bytes = (uint8_t)bytes};
	x->nconstants++;
	return operand;
}

/* The operand of a kernel parameter, or PTX_NOWHERE without memory. Each launch has its value. */
static uint32_t parameter(struct decoder *x, const struct ptx_param_use *u)
{
	struct ptx_decoded *d = x->d;
	struct ptx_param_use *more;

	for (uint32_t i = 0; i < d->nuses; i++)
		if (d->uses[i].offset == u->offset && d->uses[i].bytes == u->bytes &&
			d->uses[i].width == u->width && d->uses[i].is_signed == u->is_signed)
			return d->uses[i].operand;
	more = realloc(d->uses, (d->nuses + 1) * sizeof(*more));
	if (!more)
		return PTX_NOWHERE;
	d->uses = more;
	more[d->nuses] = *u;
	more[d->nuses].operand = new_constant(x, 0, u->width);
	return more[d->nuses].operand == PTX_NOWHERE ? PTX_NOWHERE : more[d->nuses++].operand;
}

void ptx_decoded_params(struct ptx_decoded *d, const uint8_t *params)
{
	for (uint32_t i = 0; i < d->nuses; i++) {
		const struct ptx_param_use *u = &d->uses[i];
		const unsigned unused = 64 - 8u * u->bytes;
		uint64_t v = 0;

		memcpy(&v, params + u->offset, u->bytes);
		if (u->is_signed)
			v = (uint64_t)((int64_t)(v << unused) >> unused);
		fill(d->constants + (u->operand & ~PTX_CONSTANT), v, u->width);
	}
}

/* ---- operands ---- */

static enum ptx_type twice(enum ptx_type t)
{
	return ptx_type_bytes(t) == 2 ? PTX_T_B32 : PTX_T_B64;
}

/* An element of a mov that packs or unpacks n of them. */
static enum ptx_type element(const struct ptx_inst *i, unsigned n)
{
	if (i->ndst == i->nsrc)
		return i->type;
	switch (n > 1 ? ptx_type_bytes(i->type) / n : 0) {
	case 0:
		return i->type;
	case 1:
		return PTX_T_B8;
	case 2:
		return PTX_T_B16;
	default:
		return PTX_T_B32;
	}
}

static enum ptx_type source_type(const struct ptx_inst *i, unsigned k)
{
	switch (i->op) {
	case PTX_BMSK:
	case PTX_SHL:
	case PTX_SHR:
	case PTX_SZEXT:
	case PTX_REDUX:
	case PTX_MATCH:
		return k == 1 ? PTX_T_U32 : i->type;
	case PTX_BFE:
		return k >= 1 ? PTX_T_U32 : i->type;
	case PTX_BFI:
		return k >= 2 ? PTX_T_U32 : i->type;
	case PTX_MAD:
		return k == 2 && i->mode == PTX_M_WIDE ? twice(i->type) : i->type;
	case PTX_MAPA:
		return k == 1 ? PTX_T_U32 : i->type;
	case PTX_CREATEPOLICY:
		return i->mode == PTX_M_TO     ? PTX_T_B64
		       : i->mode == PTX_M_WIDE ? PTX_T_U32
					       : PTX_T_F32;
	case PTX_CVT:
		return i->stype;
	case PTX_SETP:
	case PTX_SET:
		return k == 2 ? PTX_T_PRED : i->stype ? i->stype : i->type;
	case PTX_LOP3:
		return k == 4 ? PTX_T_PRED : i->type;
	case PTX_MBARRIER:
		return k || (i->flags & PTX_F_PARITY) ||
				       (i->mode != PTX_M_TEST_WAIT && i->mode != PTX_M_TRY_WAIT &&
					       i->mode != PTX_M_PENDING)
			       ? PTX_T_U32
			       : PTX_T_B64;
	case PTX_SELP:
		return k == 2 ? PTX_T_PRED : i->type;
	case PTX_SLCT:
		return k == 2 ? i->stype : i->type;
	case PTX_VOTE:
		return k == 0 ? PTX_T_PRED : PTX_T_U32;
	case PTX_BAR:
		return i->mode >= PTX_M_RED_POPC && k + 1 == i->nsrc ? PTX_T_PRED : PTX_T_U32;
	case PTX_BRX:
	case PTX_ELECT:
	case PTX_MEMBAR:
	case PTX_NANOSLEEP:
		return PTX_T_U32;
	case PTX_ISSPACEP:
		return PTX_T_U64;
	case PTX_SULD:
	case PTX_SUST:
		if (i->op == PTX_SUST && k >= (unsigned)(i->nsrc - i->vec))
			return i->type;
		return k == 0 ? PTX_T_U64 : PTX_T_B32;
	case PTX_TEX:
		return k == 0 ? PTX_T_U64 : PTX_T_B32;
	case PTX_HOSTASSERT:
		return k == 2 ? PTX_T_U32 : PTX_T_U64;
	case PTX_MOV:
		return element(i, i->nsrc);
	default:
		return i->type;
	}
}

static enum ptx_type destination_type(const struct ptx_inst *i, unsigned k)
{
	switch (i->op) {
	case PTX_SETP:
	case PTX_TESTP:
	case PTX_ISSPACEP:
		return PTX_T_PRED;
	case PTX_MBARRIER:
		return i->mode == PTX_M_TEST_WAIT || i->mode == PTX_M_TRY_WAIT ? PTX_T_PRED
		       : i->mode == PTX_M_PENDING                              ? PTX_T_U32
									       : i->type;
	case PTX_LOP3:
	case PTX_SHFL:
		return k ? PTX_T_PRED : i->type;
	case PTX_ELECT:
	case PTX_MATCH:
		return k ? PTX_T_PRED : PTX_T_U32;
	case PTX_MUL:
	case PTX_MAD:
		return i->mode == PTX_M_WIDE ? twice(i->type) : i->type;
	case PTX_POPC:
	case PTX_CLZ:
	case PTX_BFIND:
	case PTX_GETCTARANK:
	case PTX_TEX:
	case PTX_HOSTPRINTF:
		return PTX_T_U32;
	case PTX_MOV:
		return element(i, i->ndst);
	default:
		return i->type;
	}
}

/* Instructions whose registers may be wider than the type, since they look at the width. */
static int any_width(const struct ptx_inst *i)
{
	return i->op == PTX_LD || i->op == PTX_ST || i->op == PTX_CVT || i->op == PTX_ISSPACEP;
}

static int fits(const struct ptx_inst *i, enum ptx_type want, enum ptx_type have)
{
	const unsigned bytes = lane_bytes(have), least = lane_bytes(want);

	if (want == PTX_T_PRED || have == PTX_T_PRED)
		return want == have;
	if (i->op == PTX_ISSPACEP)
		return bytes >= 4;
	return any_width(i) ? bytes >= least : bytes == least;
}

static const struct ptx_sym *symbol_of(const struct decoder *x, const struct ptx_operand *o)
{
	return o->sym & PTX_SYM_LOCAL ? &x->k->syms[o->sym & ~PTX_SYM_LOCAL]
				      : &x->k->module->syms[o->sym];
}

static uint64_t symbol_address(const struct decoder *x, const struct ptx_operand *o)
{
	const struct ptx_sym *s = symbol_of(x, o);

	if (s->space == PTX_V_GLOBAL || s->space == PTX_V_CONST)
		return x->loaded->address[o->sym] + o->imm;
	return s->offset + o->imm;
}

/* The bits of an immediate as an operand of type t. */
static uint64_t immediate(const struct ptx_operand *o, enum ptx_type t)
{
	uint64_t bits = o->imm;
	uint32_t narrow = (uint32_t)o->imm;
	double d;
	float f;

	if (t == PTX_T_PRED)
		return o->imm ? PTX_ALL_LANES : 0;
	if (t == PTX_T_F32 && o->imm_kind == PTX_I_F64) {
		memcpy(&d, &bits, sizeof(d));
		f = (float)d;
		memcpy(&narrow, &f, sizeof(f));
		return narrow;
	}
	if (t == PTX_T_F64 && o->imm_kind == PTX_I_F32) {
		memcpy(&f, &narrow, sizeof(f));
		d = (double)f;
		memcpy(&bits, &d, sizeof(d));
	}
	return bits;
}

static int is_clock(const struct ptx_operand *o)
{
	return o->kind == PTX_O_SREG && o->reg >= PTX_SR_CLOCK && o->reg <= PTX_SR_GLOBALTIMER;
}

static int decode_source(struct decoder *x, struct ptx_code *c, unsigned k)
{
	const struct ptx_inst *i = c->inst;
	const struct ptx_operand *o = &i->src[k];
	const enum ptx_type want = source_type(i, k);
	const unsigned bytes = want == PTX_T_PRED ? 4 : lane_bytes(want);
	uint64_t value;

	c->sbytes[k] = (uint8_t)lane_bytes(want);
	c->invert |= (uint32_t)(o->negate != 0) << k;
	switch (o->kind) {
	case PTX_O_REG:
		if (!fits(i, want, x->k->regs[o->reg].type))
			return refuse(x, i, "a register of the wrong width");
		c->sbytes[k] = (uint8_t)lane_bytes(x->k->regs[o->reg].type);
		c->s[k] = x->place[o->reg];
		if (o->negate && want != PTX_T_PRED && i->op != PTX_VMAD)
			return refuse(x, i, "a negated register");
		return 0;
	case PTX_O_SREG:
		c->s[k] = special(x, (uint8_t)o->reg, (uint8_t)bytes);
		if (is_clock(o)) {
			if (k != 0)
				return refuse(x, i, "a clock that is not the first source");
			c->clock = c->s[k];
		}
		break;
	case PTX_O_IMM:
	case PTX_O_SYM:
	case PTX_O_KERNEL:
		value = o->kind == PTX_O_SYM      ? symbol_address(x, o)
			: o->kind == PTX_O_KERNEL ? ptx_kernel_value(x->loaded, o->sym)
						  : immediate(o, want);
		if (bytes < 8)
			value &= (1ull << 8 * bytes) - 1;
		c->s[k] = constant(x, value, bytes);
		break;
	default:
		return refuse(x, i, "a missing operand");
	}
	return c->s[k] == PTX_NOWHERE ? no_memory(x) : 0;
}

static int decode_destination(struct decoder *x, struct ptx_code *c, unsigned k)
{
	const struct ptx_operand *o = &c->inst->dst[k];
	const enum ptx_type want = destination_type(c->inst, k);

	if (o->reg == TR_NONE) {
		c->dbytes[k] = (uint8_t)lane_bytes(want);
		c->d[k] = want == PTX_T_PRED ? PTX_NOWHERE : x->scratch;
		return 0;
	}
	if (!fits(c->inst, want, x->k->regs[o->reg].type))
		return refuse(x, c->inst, "a register of the wrong width");
	c->dbytes[k] = (uint8_t)lane_bytes(x->k->regs[o->reg].type);
	c->d[k] = x->place[o->reg];
	return 0;
}

/* ---- memory ---- */

/* A load from a kernel parameter: the launch's value, extended to the registers' widths. */
static int load_parameter(struct decoder *x, struct ptx_code *c, uint64_t offset)
{
	const struct ptx_inst *i = c->inst;
	const unsigned bytes = ptx_type_bytes(i->type);
	const int is_signed = i->type >= PTX_T_S8 && i->type <= PTX_T_S64;

	if (offset > x->k->param_bytes || (uint64_t)bytes * c->vec > x->k->param_bytes - offset)
		return refuse(x, i, "an address beyond the parameters");
	for (unsigned k = 0; k < c->nd; k++) {
		c->s[k] =
			parameter(x, &(struct ptx_param_use){.offset = (uint32_t)offset + k * bytes,
					     .bytes = (uint8_t)bytes,
					     .width = c->dbytes[k],
					     .is_signed = (uint8_t)is_signed});
		if (c->s[k] == PTX_NOWHERE)
			return no_memory(x);
	}
	c->ns = c->nd;
	c->kind = PTX_K_ALU;
	c->alu = x->ops->alu(c);
	return 0;
}

/* Chooses the function that moves an access's lanes: all its registers have to be of one width. */
static int one_width(struct decoder *x, struct ptx_code *c)
{
	const int loads = c->kind == PTX_K_LOAD;
	const struct ptx_operand *o = loads ? c->inst->dst : c->inst->src;
	const uint8_t *bytes = loads ? c->dbytes : c->sbytes;
	unsigned width = 0;

	for (unsigned k = 0; k < c->vec; k++)
		if (o[k].kind == PTX_O_REG && o[k].reg != TR_NONE) {
			if (width && bytes[k] != width)
				return -1;
			width = bytes[k];
		}
	if (!width)
		width = bytes[0];
	for (unsigned k = 0; k < c->vec; k++)
		if (bytes[k] != width && o[k].kind != PTX_O_REG)
			return -1; /* an immediate beside registers wider than the type */
	if (loads)
		c->gather = x->ops->gather(c->inst->type, width);
	else
		c->scatter = x->ops->scatter(c->inst->type, width);
	return 0;
}

static int decode_access(struct decoder *x, struct ptx_code *c)
{
	const struct ptx_inst *i = c->inst;
	const struct ptx_operand *a = &i->addr;

	c->space = i->space == TR_S_TEXTURE ? TR_S_GLOBAL : i->space;
	c->vec = i->vec ? i->vec : 1;
	c->bytes = (uint8_t)ptx_type_bytes(i->type);
	c->disp = (uint64_t)i->disp;
	if (a->kind == PTX_O_REG) {
		c->base = x->place[a->reg];
		c->base_bytes = (uint8_t)lane_bytes(x->k->regs[a->reg].type);
		if (c->base_bytes < 4)
			return refuse(x, i, "an address register of the wrong width");
	} else if (a->kind == PTX_O_SYM) {
		const struct ptx_sym *s = symbol_of(x, a);
		c->disp += symbol_address(x, a);
		if (s->space == PTX_V_PARAM)
			return c->kind == PTX_K_LOAD ? load_parameter(x, c, c->disp)
						     : refuse(x, i, "a write to a parameter");
		if (s->space == PTX_V_LOCAL)
			c->space = TR_S_LOCAL; /* a call's parameters too */
	} else {
		c->disp += a->imm;
	}
	if (c->space == TR_S_CONST)
		c->hit = (struct ptx_span){0, x->k->module->const_bytes, x->loaded->const_bank};
	if ((c->kind == PTX_K_LOAD || c->kind == PTX_K_STORE) && one_width(x, c))
		return refuse(x, i, "registers of different widths");
	if (c->kind != PTX_K_LOAD && (c->space == TR_S_GLOBAL || c->space == TR_S_GENERIC))
		x->d->stores_global = 1;
	return 0;
}

/* What cvta adds: from a space's addresses to generic ones, or back. */
static uint64_t window_shift(const struct decoder *x, const struct ptx_inst *i)
{
	const uint64_t base = ptx_type_bytes(i->type) == 4 ? ptx_narrow_window(i->space)
			      : i->space == TR_S_SHARED    ? TR_SHARED_WINDOW
			      : i->space == TR_S_LOCAL     ? TR_LOCAL_WINDOW
			      : i->space == TR_S_PARAM     ? PTX_PARAM_WINDOW
			      : i->space == TR_S_CONST     ? x->loaded->const_base
							   : 0;
	return i->mode == PTX_M_TO ? 0 - base : base;
}

/* ---- instructions ---- */

/* Votes and their like, which name the lanes that take part. */
static int names_lanes(const struct ptx_inst *i)
{
	return (i->flags & PTX_F_SYNC) || i->op == PTX_MATCH || i->op == PTX_REDUX ||
	       i->op == PTX_ELECT;
}

static enum ptx_kind kind_of(const struct ptx_kernel *k, const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_LD:
		return (i->flags & PTX_F_ASYNC) && i->nsrc ? PTX_K_ASYNC : PTX_K_LOAD;
	case PTX_ST:
		return (i->flags & PTX_F_ASYNC) && i->nsrc > i->vec ? PTX_K_ASYNC : PTX_K_STORE;
	case PTX_CP_ASYNC_ARRIVE:
		return PTX_K_MBARRIER;
	case PTX_OPERAND:
		return PTX_K_OPERAND;
	case PTX_LDMATRIX:
	case PTX_MMA:
	case PTX_STMATRIX:
	case PTX_WMMA_LOAD:
	case PTX_WMMA_MMA:
	case PTX_WMMA_STORE:
		return PTX_K_TENSOR;
	case PTX_MBARRIER:
		return i->mode == PTX_M_PENDING ? PTX_K_ALU : PTX_K_MBARRIER;
	case PTX_ATOM:
	case PTX_RED:
		return PTX_K_ATOMIC;
	case PTX_ACTIVEMASK:
	case PTX_ELECT:
	case PTX_VOTE:
	case PTX_SHFL:
	case PTX_MATCH:
	case PTX_REDUX:
		return PTX_K_COLLECTIVE;
	case PTX_CALL:
		return ptx_calls_device(i)      ? PTX_K_DEVICE
		       : i->flags & PTX_F_AGAIN ? PTX_K_CALL
						: PTX_K_JUMP;
	case PTX_BRA:
		return PTX_K_JUMP;
	case PTX_SULD:
	case PTX_SUST:
		return PTX_K_SURFACE;
	case PTX_TEX:
		return PTX_K_TEXTURE;
	case PTX_HOSTASSERT:
	case PTX_HOSTFREE:
	case PTX_HOSTMALLOC:
	case PTX_HOSTPRINTF:
		return PTX_K_HOST;
	case PTX_BRX:
		return PTX_K_SWITCH;
	case PTX_BAR:
		return i->mode == PTX_M_NONE ? PTX_K_NOTHING : PTX_K_BARRIER;
	case PTX_BARRIER_CLUSTER:
		return PTX_K_BARRIER;
	case PTX_RET:
		return i->target != TR_NONE ? PTX_K_JUMP : PTX_K_EXIT;
	case PTX_EXIT:
		return PTX_K_EXIT;
	case PTX_TRAP:
		return PTX_K_TRAP;
	case PTX_APPLYPRIORITY:
	case PTX_CP_ASYNC_COMMIT:
	case PTX_CP_ASYNC_WAIT:
	case PTX_CP_ASYNC_WAIT_ALL:
	case PTX_DISCARD:
	case PTX_FENCE:
	case PTX_GRIDDEPCONTROL:
	case PTX_NANOSLEEP:
	case PTX_PMEVENT:
	case PTX_PREFETCH:
		return PTX_K_NOTHING;
	case PTX_MEMBAR: /* bar.warp.sync, where it names lanes */
		return i->nsrc && ptx_independent(k) ? PTX_K_MEET : PTX_K_NOTHING;
	default:
		return PTX_K_ALU;
	}
}

/* Where a call of the device runtime finds its arguments in local memory, and leaves its result. */
static void decode_device_call(const struct decoder *x, struct ptx_code *c)
{
	const struct ptx_inst *i = c->inst;

	for (unsigned k = 0; k < i->nsrc; k++)
		c->s[k] = (uint32_t)symbol_of(x, &i->src[k])->offset;
	c->d[0] = i->ndst ? (uint32_t)symbol_of(x, &i->dst[0])->offset : PTX_NOWHERE;
	c->space = TR_S_GENERIC; /* the stream that cudaStreamCreateWithFlags writes */
	c->bytes = 8;
	c->vec = 1;
}

static uint32_t tensor_operand(struct decoder *x, const struct ptx_operand *o, unsigned bytes)
{
	if (o->kind == PTX_O_IMM)
		return constant(x, bytes == 4 ? (uint32_t)o->imm : o->imm, bytes);
	if (o->kind == PTX_O_SREG)
		return special(x, (uint8_t)o->reg, (uint8_t)bytes);
	return o->reg == TR_NONE ? x->scratch : x->place[o->reg];
}

/* The places of a tensor instruction's registers, all of 32 bits or all of f64. */
static int decode_tensor(struct decoder *x, struct ptx_code *c)
{
	const struct ptx_inst *i = c->inst;
	const struct tr_inst *t = &x->k->program->insts[i - x->k->insts];
	const unsigned n = i->ndst + i->nsrc;
	const unsigned bytes = ptx_cell_bits(i->tile.cell[i->tile.matrix]) == 64 ? 8 : 4;
	uint32_t *more = realloc(x->d->wide, (x->d->nwide + n) * sizeof(*more));

	if (!more)
		return no_memory(x);
	x->d->wide = more;
	c->wide = x->d->nwide;
	x->d->nwide += n;
	for (unsigned k = 0; k < n; k++) {
		const struct ptx_operand *o = k < i->ndst ? &i->dst[k] : &i->src[k - i->ndst];
		if (is_clock(o))
			return refuse(x, i, "a clock that is an operand of a matrix");
		more[c->wide + k] = tensor_operand(x, o, bytes);
		if (more[c->wide + k] == PTX_NOWHERE)
			return no_memory(x);
	}
	if (i->addr.kind != PTX_O_REG)
		return 0;
	c->space = i->space;
	c->bytes = t->bytes;
	c->vec = t->vec;
	c->base = x->place[i->addr.reg];
	c->base_bytes = (uint8_t)lane_bytes(x->k->regs[i->addr.reg].type);
	c->disp = (uint64_t)i->disp;
	x->d->stores_global |= i->op == PTX_WMMA_STORE && c->space != TR_S_SHARED;
	return 0;
}

static int decode_inst(struct decoder *x, uint32_t n)
{
	const struct ptx_inst *i = &x->k->insts[n];
	const uint32_t flags = x->k->program->insts[n].flags;
	struct ptx_code *c = &x->d->code[n];
	int e;

	*c = (struct ptx_code){.inst = i,
		.kind = kind_of(x->k, i),
		.guard = i->guard == TR_NONE ? PTX_NOWHERE : x->place[i->guard],
		.guard_flip = i->guard_not ? PTX_ALL_LANES : 0,
		.target = i->target,
		.next = i->op == PTX_CALL && i->ntargets ? i->targets[0] : n + 1,
		.base = PTX_NOWHERE,
		.clock = PTX_NOWHERE,
		.nd = i->ndst,
		.ns = i->nsrc,
		.records_outcome = (flags & TR_I_OUTCOME) != 0,
		.records_value = (flags & TR_I_VALUE) != 0};
	if (c->kind == PTX_K_NOTHING) {
		c->ns = 0; /* nobody asks for them */
		return 0;
	}
	if (c->kind == PTX_K_DEVICE) {
		decode_device_call(x, c);
		return 0;
	}
	if (c->kind == PTX_K_TENSOR)
		return decode_tensor(x, c);
	for (unsigned k = 0; k < i->nsrc; k++)
		if ((e = decode_source(x, c, k)))
			return e;
	for (unsigned k = 0; k < i->ndst; k++)
		if ((e = decode_destination(x, c, k)))
			return e;
	c->gathers = ptx_independent(x->k) && ((c->kind == PTX_K_COLLECTIVE && names_lanes(i)) ||
						      i->op == PTX_BARRIER_CLUSTER);
	if (i->flags & PTX_F_BOOL_NOT)
		c->invert |= 1u << 2;
	switch (c->kind) {
	case PTX_K_ALU:
		if (i->op == PTX_SETP || i->op == PTX_SET) {
			c->compare = x->ops->compare(i);
			if (!c->compare && i->stype != PTX_T_F16X2 && i->stype != PTX_T_BF16X2)
				return refuse(x, i, "an unknown comparison");
		}
		if (i->op == PTX_CVTA)
			c->disp = window_shift(x, i);
		c->alu = ptx_video_lanes(i->op) ? ptx_video : x->ops->alu(c);
		return c->alu ? 0 : refuse(x, i, "an operation that is not covered");
	case PTX_K_COLLECTIVE:
		c->alu = ptx_collective(i);
		return c->alu ? 0 : refuse(x, i, "an operation that is not covered");
	case PTX_K_ATOMIC:
		if (!ptx_atomic_known(i))
			return refuse(x, i, "an operation that is not covered");
		return decode_access(x, c);
	case PTX_K_LOAD:
	case PTX_K_STORE:
	case PTX_K_ASYNC:
		return decode_access(x, c);
	case PTX_K_MBARRIER:
		x->d->mbarriers = 1;
		return decode_access(x, c);
	default:
		return 0;
	}
}

int ptx_decode(struct ptx_decoded *d, const struct ptx_kernel *k, const struct ptx_loaded *loaded,
	const struct ptx_ops *ops, struct tr_err *err)
{
	struct decoder x = {
		.d = d, .k = k, .loaded = loaded, .ops = ops, .err = err, .seed = tr_chance()};
	int e = 0;

	memset(d, 0, sizeof(*d));
	d->ncode = k->ninsts;
	d->code = calloc(k->ninsts, sizeof(*d->code));
	if (!d->code)
		return no_memory(&x);
	e = place_registers(&x);
	for (uint32_t n = 0; n < k->ninsts && !e; n++)
		e = decode_inst(&x, n);
	if (!e)
		ptx_find_polls(d);
	d->register_bytes = (d->register_bytes + 63) & ~63u;
	free(x.place);
	free(x.constants);
	if (e)
		ptx_decoded_free(d);
	return e;
}

void ptx_decoded_forget(struct ptx_decoded *d)
{
	for (uint32_t i = 0; i < d->ncode; i++)
		if (d->code[i].space == TR_S_GLOBAL || d->code[i].space == TR_S_GENERIC)
			d->code[i].hit = (struct ptx_span){0, 0, NULL};
}

void ptx_decoded_free(struct ptx_decoded *d)
{
	free(d->code);
	free(d->constants);
	free(d->specials);
	free(d->uses);
	free(d->wide);
	memset(d, 0, sizeof(*d));
}
