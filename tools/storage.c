/* The tables of policies and what they take; see storage.h. */
#include "tools/storage.h"
#include "tools/common.h"
#include <assert.h>
#include <string.h>

const struct column storage_columns[STORAGE_COLUMNS] = {{"policy", SEEN}, {"structure", SEEN},
	{"entries", SEEN}, {"entry_bits", SEEN}, {"bits", SEEN}, {"mm2", SEEN},
	{"sm_percent", SEEN}, {"gpu_percent", SEEN}, {"paper_mm2", SEEN}, {"formula", SEEN}};

/* Thesis, 6.4.7: cells of the NanGate library scaled to 40 nm, and what goes with them. */
#define LATCH_MM2 (2.1e-6 * 1.5)
#define FLIP_FLOP_MM2 (3.6e-6 * 3)
#define SM_MM2 16.0 /* Fermi's, of which */
#define GPU_SMS 15
#define GPU_MM2 529.0
#define CONTROL (0.01 * SM_MM2) /* of a slice's datapath */
#define L1I_PORT_MM2 0.108      /* table 6.2, by CACTI: the second port of an L1-I of 64 KB */

/* Widths that papers take for granted. */
#define PC_BITS 32
#define ADDRESS_BITS 48

struct rows {
	struct table *t;
	const struct storage *s;
	const char *policy;
	const struct sim_param *params;
	const int64_t *values;
	uint64_t bits;
	double mm2;
};

static uint64_t value_of(const struct rows *r, const char *name)
{
	unsigned i = 0;

	while (strcmp(r->params[i].name, name))
		i++;
	return r->values[i] > 0 ? (uint64_t)r->values[i] : 0;
}

static uint64_t log2_of(uint64_t n)
{
	uint64_t log = 0;

	while (n >> log > 1)
		log++;
	return log;
}

/* Bits of a number below n. */
static uint64_t bits_of(uint64_t n)
{
	return n > 1 ? log2_of(n - 1) + 1 : 0;
}

struct row {
	const char *structure;
	uint64_t entries, entry_bits; /* entry_bits 0: the paper does not say */
	double mm2, paper;            /* 0: latches for the bits; none printed */
	const char *formula;
};

static void put_area(struct table *t, double mm2)
{
	table_real(t, mm2);
	table_real(t, 100 * mm2 / SM_MM2);
	table_real(t, 100 * mm2 * GPU_SMS / GPU_MM2);
}

static void put_number(struct table *t, uint64_t n)
{
	if (n)
		table_uint(t, n);
	else
		table_none(t);
}

static void put(struct rows *r, const struct row *row)
{
	const uint64_t bits = row->entries * row->entry_bits;
	const double mm2 = row->mm2 > 0 ? row->mm2 : (double)bits * LATCH_MM2;

	table_text(r->t, r->policy);
	table_text(r->t, row->structure);
	put_number(r->t, row->entries);
	put_number(r->t, row->entry_bits);
	put_number(r->t, bits);
	if (mm2 > 0) {
		put_area(r->t, mm2);
	} else {
		table_none(r->t);
		table_none(r->t);
		table_none(r->t);
	}
	if (row->paper > 0)
		table_real(r->t, row->paper);
	else
		table_none(r->t);
	table_text(r->t, row->formula);
	r->bits += bits;
	r->mm2 += mm2;
}

static void put_total(struct rows *r)
{
	table_text(r->t, r->policy);
	table_text(r->t, "total");
	table_none(r->t);
	table_none(r->t);
	table_uint(r->t, r->bits);
	put_area(r->t, r->mm2);
	table_none(r->t);
	table_text(r->t, "sum; area of bits: thesis 6.4.7");
}

/* ---- schedulers ---- */

static uint64_t warps_of(const struct rows *r)
{
	return r->s->config->sm.threads / r->s->config->sm.warp_size;
}

/* The warps, or members, whose tables a scheduler keeps: as many as the warp policy makes. */
static uint64_t members_of(const struct rows *r)
{
	const struct storage *s = r->s;
	struct sim_shape shape;
	struct tr_err err = {0};

	if (!s->warp)
		return warps_of(r);
	if (sim_warp_policy_shape(s->warp, s->config, s->warp_params, &shape, &err) < 0)
		die_err(&err, "--warp");
	return shape.member ? s->config->sm.threads / shape.member : shape.slots;
}

static void victim_tags(struct rows *r, uint64_t entries, uint64_t ways)
{
	const uint64_t sets = ways < entries ? entries / ways : 1;
	const struct row row = {.structure = "victim tags",
		.entries = members_of(r) * (ways < entries ? sets * ways : entries),
		.entry_bits =
			ADDRESS_BITS - log2_of(r->s->config->l1d.g.line_bytes) - log2_of(sets),
		.paper = 0.026,
		.formula =
			"thesis 3.4.7: a tag of 48 bits less line and set, by warp; 55 nm, CACTI"};

	put(r, &row);
}

static void owners(struct rows *r)
{
	const struct sim_geometry *g = &r->s->config->l1d.g;
	const struct row row = {.structure = "owners of lines",
		.entries = (uint64_t)g->sets * g->ways,
		.entry_bits = bits_of(members_of(r)),
		.formula = "thesis 3.4.7: the number of a warp, by line of the L1D"};

	put(r, &row);
}

static void ccws(struct rows *r)
{
	const struct row scores = {.structure = "scores",
		.entries = members_of(r),
		.entry_bits = 10,
		.formula = "thesis 3.4.7: 10 bits, by warp"};

	victim_tags(r, value_of(r, "vta"), value_of(r, "ways"));
	owners(r);
	put(r, &scores);
}

static void daws(struct rows *r)
{
	static const struct row tables[] = {
		{.structure = "footprint predictions",
			.entries = 32,
			.formula = "thesis 4.4.3: entries only, negligible"},
		{.structure = "static load classes",
			.entries = 32,
			.formula = "thesis 4.4.3: entries only, negligible"},
	};
	const struct row repetitions = {.structure = "repetition detector",
		.entries = value_of(r, "ilrd"),
		.formula = "thesis 4.4.3: entries only, at most 64"};

	victim_tags(r, value_of(r, "vta"), value_of(r, "vta_ways"));
	owners(r);
	put(r, &tables[0]);
	put(r, &tables[1]);
	put(r, &repetitions);
}

/* ---- warp policies ---- */

/* A row of threads, one a lane: the lane implies the rest of a thread's number. */
static uint64_t threads_bits(const struct rows *r, uint64_t lanes)
{
	return lanes * (bits_of(r->s->config->sm.threads) - log2_of(lanes));
}

static void dwr(struct rows *r)
{
	const uint64_t lanes = r->s->config->sm.simd_width, max = value_of(r, "max");
	const uint64_t partners = max > lanes ? max / lanes : 1, ilt = value_of(r, "ilt");
	const uint64_t ways = value_of(r, "ways") < ilt ? value_of(r, "ways") : ilt;
	const struct row rows[] = {
		{.structure = "partner-synch table",
			.entries = r->s->config->sm.threads / (partners * lanes),
			.entry_bits = 1 + PC_BITS + partners,
			.formula = "DWR IV.E: valid, PC, a lock bit by sub-warp; 82 bytes"},
		{.structure = "ignore list",
			.entries = ilt,
			.entry_bits = ilt ? 1 + PC_BITS - log2_of(ilt / ways) : 0,
			.formula = "DWR IV.E: valid, PC less set; 124 bytes"},
		{.structure = "combine-ready",
			.entries = r->s->config->sm.threads / lanes,
			.entry_bits = 1,
			.formula = "DWR IV.E: a further bit of status, by sub-warp"},
	};

	for (unsigned i = 0; i < 3; i++)
		put(r, &rows[i]);
}

static void tbc(struct rows *r)
{
	const uint64_t lanes = r->s->config->sm.warp_size;
	const struct row row = {.structure = "warp buffer",
		.entries = warps_of(r),
		.entry_bits = threads_bits(r, lanes),
		.formula = "TBC 7, in words: thread numbers, by lane; masks are the stacks'"};
	const struct row capri = {.structure = "predictions of CAPRI",
		.entries = value_of(r, "capri"),
		.entry_bits = 1 + PC_BITS + value_of(r, "bits"),
		.formula = "our guess, no text at hand: valid, PC of a branch, its history"};

	put(r, &row);
	if (capri.entries)
		put(r, &capri);
}

static void dwf(struct rows *r)
{
	const uint64_t lanes = r->s->config->sm.warp_size, pool = r->s->config->sm.threads;
	const struct row rows[] = {
		{.structure = "warp LUT",
			.entries = value_of(r, "lut"),
			.entry_bits = PC_BITS + lanes + bits_of(pool),
			.formula = "not in a text at hand: PC, lanes that are taken, number of the "
				   "warp"},
		{.structure = "warp pool",
			.entries = pool,
			.entry_bits = PC_BITS + threads_bits(r, lanes),
			.formula = "CROWN slide 49, whose rows are DWF's: PC, a thread by lane"},
	};

	put(r, &rows[0]);
	put(r, &rows[1]);
}

static void crown(struct rows *r)
{
	const uint64_t lanes = r->s->config->sm.simd_width;
	const uint64_t barriers = value_of(r, "barriers");
	const uint64_t threads = PC_BITS + threads_bits(r, lanes);
	const struct row rows[] = {
		{"reconvergence barriers", barriers ? barriers : r->s->config->sm.threads,
			threads + lanes, 0, 0.172,
			"CROWN slide 49: PC, a thread and its arrival by lane; data and tags"},
		{"second level", value_of(r, "level2"), threads + 2, 0, 0.123,
			"CROWN slide 49: PC, a thread by lane, state; printed for 512"},
		{"ready lookup", value_of(r, "ready"), threads, 0, 0.111,
			"CROWN slide 49: PC, a thread by lane; data and tags"},
		{"waiting lookup", value_of(r, "waiting"), threads, 0, 0.111,
			"CROWN slide 49: PC, a thread by lane; data and tags"},
	};

	for (unsigned i = 0; i < 4; i++)
		put(r, &rows[i]);
}

/* 224 bytes for four warps of 256: a bit a thread, and three masks of the warp at work. */
static void lwm(struct rows *r)
{
	const struct row rows[] = {
		{.structure = "packed threads",
			.entries = r->s->config->sm.threads,
			.entry_bits = 1,
			.formula = "our split of LWM's 224 bytes: a thread is packed for its next "
				   "instruction"},
		{.structure = "masks of the warp at work",
			.entries = 3,
			.entry_bits = value_of(r, "size"),
			.formula = "our split of LWM's 224 bytes: what is left to pack, a branch's "
				   "two sides"},
	};

	put(r, &rows[0]);
	put(r, &rows[1]);
}

/*
 * An entry of the stack has two sides, 32 + 2 x (32 + 32) bits instead of 96, and each side a
 * scoreboard: of the bits that table 6.2 has for the 32 warps of a slice.
 */
static void dualpath(struct rows *r)
{
	const uint64_t lanes =
		value_of(r, "size") ? value_of(r, "size") : r->s->config->sm.warp_size;
	const uint64_t warps = r->s->config->sm.threads / lanes;
	const uint64_t bits = 1800 / 32 * warps;
	const struct row rows[] = {
		{.structure = "second sides",
			.entries = warps * lanes,
			.entry_bits = PC_BITS + lanes,
			.formula = "PC and mask; a stack is no deeper than its warp has threads"},
		{.structure = "second scoreboard",
			.entries = warps,
			.entry_bits = 1800 / 32,
			.mm2 = (double)bits * FLIP_FLOP_MM2,
			.formula = "thesis table 6.2: 1800 bits for 32 warps, of 3.6 um2 times 3"},
		{.structure = "shadow bits",
			.formula = "a bit for each entry of a scoreboard, whose number no text at "
				   "hand has"},
	};

	for (unsigned i = 0; i < 3 && value_of(r, "paths") > 1; i++)
		put(r, &rows[i]);
}

/* Table 6.2 has warps of 4 and of 8. */
static double printed(uint64_t size, double of_4, double of_8)
{
	return size == 4 ? of_4 : size == 8 ? of_8 : 0;
}

static void vws(struct rows *r)
{
	const uint64_t lanes = r->s->config->sm.warp_size, size = value_of(r, "size");
	const uint64_t slices = size < lanes ? lanes / size : 1;
	const uint64_t gangs = r->s->config->sm.threads / lanes * 4;
	const double flip_flops = (double)(slices * 1800) * FLIP_FLOP_MM2;
	const struct row rows[] = {
		{"second port of the L1-I", 0, 0, L1I_PORT_MM2, 0.108, "table 6.2: CACTI, 64 KB"},
		{"L0-I", slices, 256 * 8, 0, printed(size, 0.052, 0.026),
			"table 6.2: 256 bytes a slice"},
		{"decoded I-buffers", slices, 4096, 0, printed(size, 0.103, 0.052),
			"table 6.2: 4 Kbit a slice"},
		{"gang table", gangs, 64, 0, 0.026,
			"6.2.3: 4 entries a gang; 64 bits inferred from table 6.2's area"},
		{"scoreboard", slices, 1800, flip_flops, printed(size, 0.154, 0.077),
			"table 6.2: 1800 bits a slice, of 3.6 um2 times 3"},
		{"control", slices, 0, (double)slices * CONTROL, printed(size, 1.280, 0.640),
			"6.4.7: 1 percent of an SM of 16 mm2 a slice"},
	};

	for (unsigned i = 0; i < 6; i++)
		put(r, &rows[i]);
}

/* ---- all of them ---- */

static const struct {
	const char *policy;
	void (*rows)(struct rows *r);
} tables[] = {{"ccws", ccws}, {"daws", daws}, {"dwr", dwr}, {"tbc", tbc}, {"dwf", dwf},
	{"crown", crown}, {"lwm", lwm}, {"dualpath", dualpath}, {"vws", vws}, {"ivws", vws},
	{"evws", vws}, {"evws-impatientmem", vws}, {"ivws-impatientmem", vws},
	{"ivws-groupmem", vws}};

static void of_policy(struct table *t, const struct storage *s, const char *name,
	const struct sim_param *params, const int64_t *values)
{
	int64_t defaults[SIM_PARAMS] = {0};
	struct rows r = {.t = t, .s = s, .policy = name, .params = params, .values = values};

	for (unsigned i = 0; i < SIM_PARAMS && params[i].name && !values; i++)
		defaults[i] = params[i].value;
	if (!values)
		r.values = defaults;
	for (unsigned i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!strcmp(tables[i].policy, name)) {
			tables[i].rows(&r);
			put_total(&r);
		}
}

/* Presets of a policy have its tables. */
static bool is_preset(const char *name)
{
	return strcmp(name, "vws") && strstr(name, "vws");
}

void storage_rows(struct table *t, const struct storage *s)
{
	const struct sim_sched *sched;
	const struct sim_warp_policy *warp;

	for (unsigned i = 0; (sched = sim_sched_at(i)); i++)
		if (sched == s->sched || s->all)
			of_policy(t, s, sched->name, sched->params,
				sched == s->sched ? s->sched_params : NULL);
	for (unsigned i = 0; (warp = sim_warp_policy_at(i)); i++)
		if (warp == s->warp || (s->all && !is_preset(warp->name)))
			of_policy(t, s, warp->name, warp->params,
				warp == s->warp ? s->warp_params : NULL);
}
