/*
 * What a memory instruction asks of the memory unit (job.h): its lanes' addresses as transactions,
 * by space and by the coalescer's rule, and its cycles of the banks of shared memory.
 */
#include "sim/sm/job.h"
#include "sim/access/local.h"
#include <string.h>

static void add_transactions(struct sim_lsu *u, struct sim_job *j, uint32_t width_lanes,
	const uint64_t *lanes, const uint64_t *address, unsigned bytes, uint32_t line_bytes)
{
	const struct sim_config *c = u->is.config;
	struct sim_coalescer rule = {.rule = c->coalesce.rule,
		.line_bytes = line_bytes,
		.width = c->coalesce.width ? c->coalesce.width : width_lanes};

	if (rule.width > width_lanes)
		rule.width = width_lanes;
	j->n += sim_coalesce(&rule, width_lanes, lanes, address, bytes, j->tx + j->n,
		u->transactions_max - j->n);
}

/* Likewise of the L1D, whose banks give a load's words one after the other. */
static void add_to_l1d(struct sim_lsu *u, struct sim_job *j, uint32_t nlanes, const uint64_t *lanes,
	const uint64_t *address, unsigned bytes)
{
	const struct sim_config *c = u->is.config;

	add_transactions(u, j, nlanes, lanes, address, bytes, u->l1d.line_bytes);
	if (c->l1d.banks && j->is_load)
		j->moves += u->rate * sim_bank_cycles(c->l1d.banks, c->l1d.bank_bytes, nlanes,
					      lanes, address, bytes);
}

/* Transactions of global memory: those that go past the L1D stand in none of its banks. */
static void global_transactions(
	struct sim_lsu *u, struct sim_job *j, const struct sim_lsu_inst *i, const uint64_t *lanes)
{
	const struct sim_inst *x = i->x;
	const uint32_t nlanes = i->wide->n * i->wide->width;

	if (!x->past_l1 && x->cached != SIM_CACHED_NOT) {
		add_to_l1d(u, j, nlanes, lanes, i->address, x->bytes);
	} else {
		add_transactions(u, j, nlanes, lanes, i->address, x->bytes, u->l1d.line_bytes);
		j->past = j->n;
	}
	j->global = j->n;
}

/* A load's data take no less than their bytes do. */
static void take_bytes(const struct sim_lsu *u, struct sim_job *j)
{
	uint32_t bytes = 0;

	for (uint32_t t = 0; t < j->n; t++)
		bytes += j->tx[t].bytes;
	if (j->moves && u->is.config->l1d.cycle_bytes && j->moves < bytes)
		j->moves = bytes;
}

static int lanes_any(const uint64_t *lanes)
{
	uint64_t any = 0;

	for (int k = 0; k < SIM_MASK_WORDS; k++)
		any |= lanes[k];
	return any != 0;
}

/* Local memory word by word: a thread's next word is not beside the one before. */
static void local_transactions(struct sim_lsu *u, struct sim_job *j, uint32_t nlanes,
	const uint64_t *lanes, const uint64_t *offset, unsigned bytes)
{
	const unsigned step = sim_local_step(bytes);
	uint64_t physical[TR_LANES_MAX];

	if (!lanes_any(lanes))
		return;
	for (unsigned at = 0; at < bytes; at += step) {
		for (uint32_t l = 0; l < nlanes; l++)
			physical[l] = sim_local_address(u->is.sm, u->thread_slots, j->thread[l],
				(offset[l] & (TR_WINDOW_BYTES - 1)) + at);
		add_to_l1d(u, j, nlanes, lanes, physical, step);
	}
}

static void shared_job(struct sim_lsu *u, struct sim_job *j, uint32_t nlanes, const uint64_t *lanes,
	const uint64_t *address, unsigned bytes)
{
	const struct sim_config *c = u->is.config;

	j->cycles =
		sim_bank_conflicts(c->shared.banks, c->shared.width, nlanes, lanes, address, bytes);
	if (!j->cycles)
		j->cycles = 1;
	u->is.stats->shared_accesses++;
	u->is.stats->shared_conflict_cycles += j->cycles - 1;
}

/* Segments that the lanes touch. */
static uint32_t segments(const struct sim_mask *lanes, const uint64_t *address, unsigned bytes)
{
	uint64_t seen[2 * TR_LANES_MAX];
	uint32_t n = 0, l;

	FOR_LANES(*lanes, l)
	{
		const uint64_t last = (address[l] + bytes - 1) / SIM_DSM_SEGMENT;

		for (uint64_t s = address[l] / SIM_DSM_SEGMENT; s <= last; s++) {
			uint32_t i = 0;

			while (i < n && seen[i] != s)
				i++;
			if (i == n && n < 2 * TR_LANES_MAX)
				seen[n++] = s;
		}
	}
	return n;
}

/* Lanes in the shared memory of other SMs: an access for each SM. They leave `lanes`. */
static void far_job(struct sim_lsu *u, struct sim_job *j, const struct sim_lsu_inst *i,
	uint32_t nlanes, struct sim_mask *lanes)
{
	const struct sim_config *c = u->is.config;
	struct sim_dsm_stats *s = &u->is.stats->dsm;
	struct sim_mask left = *lanes;
	uint32_t lane;

	for (lane = sim_pop(&left); lane != TR_NONE; lane = sim_pop(&left)) {
		const struct sim_inst *x = i->x;
		const uint16_t sm = i->sm[lane];
		struct sim_mask same = {{0}};
		struct sim_remote *f;
		uint32_t l, n;

		if (sm == SIM_HERE || !(lanes->w[lane / 64] >> (lane % 64) & 1))
			continue;
		FOR_LANES(*lanes, l)
		{
			if (i->sm[l] == sm)
				same.w[l / 64] |= 1ull << (l % 64);
		}
		for (int k = 0; k < SIM_MASK_WORDS; k++)
			lanes->w[k] &= ~same.w[k];
		n = segments(&same, i->address, x->bytes);
		f = &j->far[j->nfar++];
		*f = (struct sim_remote){.sm = sm,
			.lanes = sim_lanes(&same),
			.cycles = sim_bank_conflicts(c->shared.banks, c->shared.width, nlanes,
				same.w, i->address, x->bytes),
			.slices = i->slices ? sim_slices_of(u, same.w[0]) : 0,
			.out = (uint16_t)(x->cls == TR_C_LOAD ? 0 : n),
			.back = (uint16_t)(x->ndst ? n : 0)};
		f->cycles += !f->cycles;
		s->accesses++;
		s->bytes += (uint64_t)SIM_DSM_SEGMENT * (f->out + f->back);
		s->conflict_cycles += f->cycles - 1;
	}
}

/* Lanes in shared memory, of this SM and of others. */
static void shared_lanes(struct sim_lsu *u, struct sim_job *j, const struct sim_lsu_inst *i,
	uint32_t nlanes, struct sim_mask lanes)
{
	if (i->sm && u->is.dsm)
		far_job(u, j, i, nlanes, &lanes);
	if (!sim_any(&lanes) && j->nfar)
		return;
	shared_job(u, j, nlanes, lanes.w, i->address, i->x->bytes);
	j->shared = i->slices ? sim_slices_of(u, lanes.w[0]) : 0;
}

/* Splits generic lanes by the space that their address is in; returns the first lane's. */
static enum tr_space split(const struct sim_inst *x, const struct sim_mask *lanes,
	const uint64_t *address, struct sim_mask by[TR_NSPACES])
{
	enum tr_space first = TR_S_NONE;
	uint32_t l;

	memset(by, 0, TR_NSPACES * sizeof(*by));
	FOR_LANES(*lanes, l)
	{
		const enum tr_space s = tr_space_of((enum tr_space)x->space, address[l]);

		by[s].w[l / 64] |= 1ull << (l % 64);
		if (first == TR_S_NONE)
			first = s;
	}
	return first;
}

/* A job's wide warp as it is now: a store's warps may have gone on when the unit comes to it. */
static void keep_wide(struct sim_job *j, const struct sim_lsu_inst *i)
{
	const struct sim_wide *wide = i->wide;

	j->width = wide->width;
	for (uint32_t m = i->slices; m; m &= m - 1) {
		const uint32_t k = (uint32_t)__builtin_ctz(m);
		const struct sim_warp *w = &i->warps[wide->warp[k]];

		j->warp[k] = wide->warp[k];
		j->age[k] = w->age;
		j->slice_inst[k] = i->slice_inst[k];
		memcpy(j->thread + k * wide->width, w->thread + k * wide->width,
			wide->width * sizeof(*w->thread));
	}
	if (i->slices)
		return;
	for (uint32_t k = 0; k < wide->n; k++) {
		const struct sim_warp *w = &i->warps[wide->warp[k]];

		j->warp[k] = wide->warp[k];
		j->age[k] = w->age;
		memcpy(j->thread + k * wide->width, w->thread, wide->width * sizeof(*w->thread));
	}
}

void sim_job_begin(struct sim_lsu *u, struct sim_job *j, const struct sim_lsu_inst *i)
{
	const struct sim_inst *x = i->x;
	const uint32_t nlanes = i->wide->n * i->wide->width;
	const uint64_t *lanes = i->lanes->w;
	const size_t number = (size_t)(j - u->jobs);
	struct sim_mask by[TR_NSPACES];

	j->tx = u->transactions + number * u->transactions_max;
	j->far = u->far ? u->far + number * u->is.lanes : NULL;
	j->n = j->at = j->cycles = 0;
	j->nfar = j->far_at = 0;
	j->begun = j->seen = 0;
	j->moves = 0;
	j->data_at = 0;
	j->reads = i->reads;
	j->cached = x->cached;
	j->global = j->past = 0;
	j->load = SIM_NO_LOAD;
	j->inst = i->inst;
	j->unit = x->unit;
	j->space = x->space;
	j->is_load = x->is_load;
	j->is_store = x->is_store;
	j->has_result = x->ndst != 0;
	j->from = i->from;
	j->active = sim_lanes(i->lanes);
	keep_wide(j, i);
	j->nwarps = i->reads ? i->wide->n : 0;
	for (uint32_t k = 0; k < j->nwarps; k++)
		j->life[k] = i->warps[i->wide->warp[k]].life;
	switch (x->unit) {
	case SIM_U_SHARED:
		shared_lanes(u, j, i, nlanes, *i->lanes);
		break;
	case SIM_U_CONST:
		add_transactions(u, j, nlanes, lanes, i->address, x->bytes, u->constant.line_bytes);
		if (u->is.config->constant.words) /* as of one bank, in one group of lanes */
			j->moves = u->rate * sim_bank_conflicts(1, nlanes, nlanes, lanes,
						     i->address, x->bytes);
		break;
	case SIM_U_TEXTURE:
		add_transactions(u, j, nlanes, lanes, i->address, x->bytes, u->texture.line_bytes);
		break;
	default:
		j->space = (uint8_t)split(x, i->lanes, i->address, by);
		global_transactions(u, j, i, by[TR_S_GLOBAL].w);
		local_transactions(u, j, nlanes, by[TR_S_LOCAL].w, i->address, x->bytes);
		if (lanes_any(by[TR_S_SHARED].w))
			shared_lanes(u, j, i, nlanes, by[TR_S_SHARED]);
		take_bytes(u, j);
		if (j->n) {
			u->is.stats->mem_insts++;
			u->is.stats->mem_lanes +=
				sim_lanes(&by[TR_S_GLOBAL]) + sim_lanes(&by[TR_S_LOCAL]);
			u->is.stats->transactions += u->is.once ? 0 : j->n;
		}
	}
}
