/*
 * A launch: which CTAs are resident, their turns, and their record.
 *
 * The resident set is what fits the machine by CTAs, threads (in whole warps), registers and shared
 * memory of an SM. CTAs go in the order of their numbers to the first free place, of which the
 * first belong to SM 0. Resident CTAs take turns, and in a turn each warp runs a quantum or until
 * it waits. All memory that a kernel can read without having written it is zero: registers, shared
 * and local memory.
 */
#include "sim/ptx/memcheck.h"
#include "sim/ptx/shorten.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROGRESS_EVERY 10000000u /* thread instructions */
#define FAILED_MAX 65536u        /* failed waits without one operation on a barrier that succeeds */

static uint32_t round_up(uint32_t v, uint32_t to)
{
	return (v + to - 1) / to * to;
}

static int no_memory(struct ptx_run *run)
{
	return tr_fail(run->err, TR_EMEM, 0, "no memory to launch kernel '%s'", run->kernel->name);
}

/* ---- before ---- */

static int check_shape(const struct ptx_launch *l, struct tr_err *err)
{
	const struct ptx_kernel *k = l->kernel;
	const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	uint32_t required[3];

	for (unsigned i = 0; i < 3; i++)
		if (!l->grid[i] || !l->block[i] || l->block[i] > TR_CTA_THREADS_MAX)
			return tr_fail(err, TR_EUSAGE, 0,
				"kernel '%s': grid %u,%u,%u and block %u,%u,%u are no launch",
				k->name, l->grid[0], l->grid[1], l->grid[2], l->block[0],
				l->block[1], l->block[2]);
	if ((uint64_t)l->grid[0] * l->grid[1] > UINT32_MAX / l->grid[2])
		return tr_fail(
			err, TR_EUSAGE, 0, "kernel '%s': more than %u CTAs", k->name, UINT32_MAX);
	if (threads > TR_CTA_THREADS_MAX)
		return tr_fail(err, TR_EUSAGE, 0,
			"kernel '%s': a CTA of %" PRIu64 " threads, where %u are the most", k->name,
			threads, TR_CTA_THREADS_MAX);
	if (ptx_required_block(k, required) && memcmp(required, l->block, sizeof(required)))
		return tr_fail(err, TR_EUSAGE, 0,
			"kernel '%s': a block of %u,%u,%u threads, where its .reqntid is %u,%u,%u",
			k->name, l->block[0], l->block[1], l->block[2], required[0], required[1],
			required[2]);
	if (k->maxntid.most && threads > k->maxntid.most)
		return tr_fail(err, TR_EUSAGE, 0,
			"kernel '%s': a CTA of %" PRIu64 " threads, where its .maxntid is %u",
			k->name, threads, k->maxntid.most);
	if (l->nargs != k->nparams)
		return tr_fail(err, TR_EUSAGE, 0, "kernel '%s' takes %u arguments, not %u", k->name,
			k->nparams, l->nargs);
	return 0;
}

/* The clusters that the launch asks for, or else the kernel. */
static int check_cluster(struct ptx_run *run, struct tr_err *err)
{
	const struct ptx_kernel *k = run->kernel;
	const struct ptx_clustering *says = &k->cluster;
	const uint32_t *grid = run->launch->grid, *asked = run->launch->cluster;
	uint32_t *c = run->shape.cluster;
	uint64_t n = 1;

	memcpy(run->shape.grid, grid, sizeof(run->shape.grid));
	memcpy(c, asked[0] ? asked : says->ctas, sizeof(run->shape.cluster));
	if (asked[0] && says->ctas[0] && memcmp(asked, says->ctas, sizeof(says->ctas)))
		return tr_fail(err, TR_EUSAGE, 0,
			"kernel '%s': clusters of %u,%u,%u CTAs, where its .reqnctapercluster is "
			"%u,%u,%u",
			k->name, c[0], c[1], c[2], says->ctas[0], says->ctas[1], says->ctas[2]);
	if (says->needs_explicit && !c[0])
		return tr_fail(err, TR_EUSAGE, 0,
			"kernel '%s' is .explicitcluster: its launch has to say how many CTAs a "
			"cluster has",
			k->name);
	for (unsigned i = 0; i < 3 && c[0]; i++) {
		n *= c[i];
		if (!c[i] || n > TR_CLUSTER_CTAS_MAX || grid[i] % c[i])
			return tr_fail(err, TR_EUSAGE, 0,
				"kernel '%s': a grid of %u,%u,%u CTAs has no clusters of %u,%u,%u: "
				"up to %u CTAs that divide it",
				k->name, grid[0], grid[1], grid[2], c[0], c[1], c[2],
				TR_CLUSTER_CTAS_MAX);
	}
	if (says->most && n > says->most)
		return tr_fail(err, TR_EUSAGE, 0,
			"kernel '%s': clusters of %u CTAs, where its .maxclusterrank is %u",
			k->name, (unsigned)n, says->most);
	run->cluster_ctas = (uint32_t)n;
	return 0;
}

static uint32_t at_most(uint32_t have, uint64_t each, uint32_t limit)
{
	const uint64_t n = each ? have / each : limit;
	return n < limit ? (uint32_t)n : limit;
}

/* How many CTAs an SM holds; a CTA that no SM holds is refused, by what it has too much of. */
static int fit(
	struct ptx_run *run, const struct ptx_resident *r, uint32_t registers, struct tr_err *err)
{
	const uint32_t threads = round_up(run->threads, PTX_LANES);
	const struct {
		const char *what;
		uint64_t need;
		uint32_t have;
	} limits[] = {{"CTAs", 1, r->ctas_per_sm}, {"threads", threads, r->threads_per_sm},
		{"registers", registers * threads, r->registers_per_sm},
		{"bytes of shared memory", (uint64_t)run->shared_bytes + r->shared_reserved,
			r->shared_per_sm}};
	uint32_t n = UINT32_MAX;

	for (unsigned i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		n = at_most(limits[i].have, limits[i].need, n);
		if (!n)
			return tr_fail(err, TR_EUSAGE, 0,
				"kernel '%s': a CTA needs %llu %s, where an SM has %u",
				run->kernel->name, (unsigned long long)limits[i].need,
				limits[i].what, limits[i].have);
	}
	if (!r->sms)
		return tr_fail(err, TR_EUSAGE, 0, "the machine has no SMs");
	run->resident = r;
	run->ctas_per_sm = n;
	return 0;
}

static int occupancy(struct ptx_run *run, uint32_t registers)
{
	const struct ptx_machine_options *opt = &run->machine->opt;
	const int larger = opt->larger.sms != 0;
	const int e = fit(run, &opt->resident, registers, larger ? NULL : run->err);

	return e && larger ? fit(run, &opt->larger, registers, run->err) : e;
}

static int gather_params(struct ptx_run *run)
{
	const struct ptx_kernel *k = run->kernel;

	run->param_bytes = k->param_bytes;
	run->params = calloc(k->param_bytes ? k->param_bytes : 1, 1);
	if (!run->params)
		return no_memory(run);
	if (run->child)
		memcpy(run->params, run->child->params, k->param_bytes);
	for (uint32_t i = 0; i < k->nparams && !run->child; i++)
		memcpy(run->params + k->params[i].offset, run->launch->args[i], k->params[i].bytes);
	return 0;
}

/*
 * Static and dynamic shared memory; dynamic arrays begin where the parser put them. A sum that does
 * not fit is more than any SM has.
 */
static uint32_t shared_bytes(const struct ptx_launch *l)
{
	uint32_t end = l->kernel->shared_bytes;

	for (uint32_t s = 0; s < l->kernel->nsyms; s++) {
		const struct ptx_sym *sym = &l->kernel->syms[s];
		if (sym->space == PTX_V_SHARED && !sym->bytes && sym->offset > end)
			end = (uint32_t)sym->offset;
	}
	return l->dynamic_shared > UINT32_MAX - end ? UINT32_MAX : end + l->dynamic_shared;
}

/* ---- the record of the launch ---- */

static int64_t program_number(struct ptx_run *run)
{
	struct ptx_machine *m = run->machine;

	for (uint32_t i = 0; i < m->nknown; i++)
		if (m->known[i].writer == run->writer && m->known[i].kernel == run->kernel)
			return m->known[i].number;
	struct ptx_known *more = realloc(m->known, (m->nknown + 1) * sizeof(*more));
	if (!more)
		return no_memory(run);
	m->known = more;
	const int64_t number = tr_writer_program(run->writer, run->program, run->err);
	if (number >= 0)
		m->known[m->nknown++] = (struct ptx_known){
			.writer = run->writer, .kernel = run->kernel, .number = (uint32_t)number};
	return number;
}

/* What a child's record has that the host's launches lack. Its memory is its host launch's. */
static void add_kinship(struct tr_launch *r, const struct ptx_child *c)
{
	r->queue = c->queue;
	r->after = c->after;
	r->parent_launch = c->parent;
	r->parent_cta = c->cta;
	r->parent_thread = c->thread;
	r->parent_inst = c->inst;
	r->buffer = c->buffer;
	r->buffer_bytes = c->buffer_bytes;
	r->nallocs = r->ncopies = 0;
}

static int record_launch(struct ptx_run *run, uint32_t registers)
{
	struct ptx_machine *m = run->machine;
	const struct ptx_launch *l = run->launch;
	struct tr_launch r = {.position = m->api_calls,
		.after = m->last_writer == run->writer ? m->last_launch : TR_NONE,
		.registers = registers,
		.registers_stated = l->registers != 0,
		.shared_bytes = run->shared_bytes,
		.local_bytes = run->local_bytes,
		.parent_launch = TR_NONE,
		.parent_cta = TR_NONE,
		.parent_thread = TR_NONE,
		.nallocs = m->memory.n,
		.ncopies = m->ncopies,
		.copies = m->copies};
	const int64_t number = program_number(run);

	if (number < 0)
		return (int)number;
	r.program = (uint32_t)number;
	if (run->child) {
		r.position = m->api_calls - 1;
		add_kinship(&r, run->child);
	}
	memcpy(r.grid, l->grid, sizeof(r.grid));
	memcpy(r.block, l->block, sizeof(r.block));
	memcpy(r.cluster, run->shape.cluster, sizeof(r.cluster));
	if (!r.cluster[0] && tr_program_has_cluster_barrier(run->program))
		r.cluster[0] = r.cluster[1] = r.cluster[2] = 1;
	r.allocs = malloc((m->memory.n + 1) * sizeof(*r.allocs));
	if (!r.allocs)
		return no_memory(run);
	for (uint32_t i = 0; i < r.nallocs; i++)
		r.allocs[i] = (struct tr_alloc){.name = m->memory.allocs[i].name,
			.base = m->memory.allocs[i].span.base,
			.bytes = m->memory.allocs[i].span.bytes};
	const int e = tr_writer_launch(run->writer, &r, run->err);
	free(r.allocs);
	if (e < 0)
		return e;
	if (run->child && r.number != run->child->number)
		return tr_fail(run->err, TR_EUSAGE, 0,
			"the writer has been given launches that are not the machine's");
	run->number = r.number;
	if (run->child)
		return 0;
	m->last_writer = run->writer;
	m->last_launch = r.number;
	return 0;
}

/* ---- CTAs ---- */

static void free_cta(struct ptx_cta *c)
{
	if (!c)
		return;
	tr_recorder_abandon(c->recorder);
	ptx_sync_free(c->sync);
	for (uint32_t n = 0; n < PTX_WARPS_MAX; n++) {
		ptx_strands_free(&c->warps[n]);
		ptx_watch_free(c->warps[n].progress.watch);
	}
	free(c->shared);
	free(c->written);
	ptx_races_free(c->races);
	free(c->local);
	free(c->registers);
	free(c->phases);
	free(c);
}

static size_t local_size(const struct ptx_run *run)
{
	return (size_t)run->local_bytes * round_up(run->threads, PTX_LANES);
}

static size_t phases_size(const struct ptx_run *run)
{
	return ((size_t)run->shared_bytes / 8 + 1) * sizeof(uint32_t);
}

static struct ptx_cta *new_cta(struct ptx_run *run, struct ptx_cluster *l, uint32_t place)
{
	struct ptx_cta *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->run = run;
	c->cluster = l;
	c->rank = place % run->cluster_ctas;
	c->place = place;
	c->nwarps = round_up(run->threads, PTX_LANES) / PTX_LANES;
	c->shared = malloc(run->shared_bytes + 1);
	if (run->machine->opt.memcheck) {
		c->written = malloc(run->shared_bytes + 1);
		c->races = ptx_races_new(run);
	}
	c->local = malloc(local_size(run) + 1);
	c->registers = aligned_alloc(64, (size_t)run->decoded.register_bytes * c->nwarps);
	if (run->machine->opt.sync_reads && run->writer) {
		c->sync = ptx_sync_new(run);
		if (!c->sync) {
			free_cta(c);
			return NULL;
		}
	}
	if (run->decoded.mbarriers)
		c->phases = malloc(phases_size(run));
	if (!c->shared || !c->local || !c->registers || (run->decoded.mbarriers && !c->phases) ||
		(run->machine->opt.memcheck && (!c->written || !c->races))) {
		free_cta(c);
		return NULL;
	}
	return c;
}

/* One about clusters: of the CTA's place in its cluster, or the cluster's in the grid. */
static uint64_t cluster_value(const struct ptx_cta *c, uint8_t sreg)
{
	const struct ptx_run *run = c->run;
	const unsigned d = sreg < PTX_SR_CLUSTER_CTARANK ? (sreg - PTX_SR_CLUSTERID_X) % 3u : 0;
	const uint32_t ctas = run->shape.cluster[0] ? run->shape.cluster[d] : 1;

	switch (sreg - d) {
	case PTX_SR_CLUSTERID_X:
		return c->id[d] / ctas;
	case PTX_SR_NCLUSTERID_X:
		return run->launch->grid[d] / ctas;
	case PTX_SR_CLUSTER_CTAID_X:
		return c->id[d] % ctas;
	case PTX_SR_CLUSTER_NCTAID_X:
		return ctas;
	case PTX_SR_CLUSTER_CTARANK:
		return c->rank;
	case PTX_SR_CLUSTER_NCTARANK:
		return run->cluster_ctas;
	default: /* a predicate: all lanes' bits */
		return run->shape.cluster[0] ? PTX_ALL_LANES : 0;
	}
}

/* What shared memory is allocated in multiples of (PTX ISA, "%total_smem_size"). */
static uint32_t shared_unit(const struct ptx_kernel *k)
{
	return k->module->target >= 30 && k->module->target < 80 ? 256 : 128;
}

/* A special register of a lane; thread is linear in the CTA. The clocks are put in by the run. */
static uint64_t special_value(const struct ptx_warp *w, uint8_t sreg, uint32_t thread)
{
	const struct ptx_run *run = w->cta->run;
	const struct ptx_launch *l = run->launch;
	const struct ptx_resident *r = run->resident;
	const uint32_t lane = thread % PTX_LANES, *block = l->block;

	if (sreg >= PTX_SR_CLUSTERID_X && sreg <= PTX_SR_IS_EXPLICIT_CLUSTER)
		return cluster_value(w->cta, sreg);
	switch (sreg) {
	case PTX_SR_TID_X:
		return thread % block[0];
	case PTX_SR_TID_Y:
		return thread / block[0] % block[1];
	case PTX_SR_TID_Z:
		return thread / block[0] / block[1];
	case PTX_SR_NTID_X:
	case PTX_SR_NTID_Y:
	case PTX_SR_NTID_Z:
		return block[sreg - PTX_SR_NTID_X];
	case PTX_SR_CTAID_X:
	case PTX_SR_CTAID_Y:
	case PTX_SR_CTAID_Z:
		return w->cta->id[sreg - PTX_SR_CTAID_X];
	case PTX_SR_NCTAID_X:
	case PTX_SR_NCTAID_Y:
	case PTX_SR_NCTAID_Z:
		return l->grid[sreg - PTX_SR_NCTAID_X];
	case PTX_SR_LANEID:
		return lane;
	case PTX_SR_WARPID:
		return w->number;
	case PTX_SR_NWARPID:
		return r->threads_per_sm / PTX_LANES;
	case PTX_SR_SMID:
		return w->cta->place / run->ctas_per_sm;
	case PTX_SR_NSMID:
		return r->sms;
	case PTX_SR_GRIDID:
		return run->grid_number;
	case PTX_SR_LANEMASK_EQ:
		return 1u << lane;
	case PTX_SR_LANEMASK_LE:
		return (2u << lane) - 1;
	case PTX_SR_LANEMASK_LT:
		return (1u << lane) - 1;
	case PTX_SR_LANEMASK_GE:
		return ~((1u << lane) - 1);
	case PTX_SR_LANEMASK_GT:
		return ~((2u << lane) - 1);
	case PTX_SR_ENVREG + 1:
		return run->machine->grid_workspace >> 32;
	case PTX_SR_ENVREG + 2:
		return (uint32_t)run->machine->grid_workspace;
	case PTX_SR_DYNAMIC_SMEM_SIZE:
		return l->dynamic_shared;
	case PTX_SR_TOTAL_SMEM_SIZE:
		return round_up(run->shared_bytes, shared_unit(run->kernel));
	default:
		return 0;
	}
}

static void fill_specials(struct ptx_warp *w)
{
	const struct ptx_decoded *d = &w->cta->run->decoded;

	for (uint32_t s = 0; s < d->nspecials; s++)
		for (uint32_t i = 0; i < PTX_LANES; i++) {
			const struct ptx_special *sp = &d->specials[s];
			const uint64_t v = special_value(w, sp->sreg, w->number * PTX_LANES + i);
			memcpy(w->area[0] + sp->operand + i * sp->bytes, &v, sp->bytes);
		}
}

static void start_warp(struct ptx_cta *c, uint32_t n)
{
	struct ptx_run *run = c->run;
	struct ptx_warp *w = &c->warps[n];
	const uint32_t left = run->threads - n * PTX_LANES;

	w->area[0] = c->registers + (size_t)n * run->decoded.register_bytes;
	w->area[1] = run->decoded.constants;
	w->number = n;
	w->cta = c;
	w->carry = 0;
	w->arrived = 0;
	w->may_fail = 0;
	w->state = PTX_READY;
	ptx_strands_free(w);
	w->changes = w->watching = w->yields = w->forced = 0;
	w->progress = (struct ptx_progress){.look = 1, .watch = w->progress.watch};
	warp_stack_init(&w->stack, 0, left >= PTX_LANES ? PTX_ALL_LANES : (1u << left) - 1);
	fill_specials(w);
}

static int start_cta(struct ptx_cta *c, uint32_t number)
{
	struct ptx_run *run = c->run;
	const uint32_t *grid = run->launch->grid;

	c->number = number;
	c->id[0] = number % grid[0];
	c->id[1] = number / grid[0] % grid[1];
	c->id[2] = number / grid[0] / grid[1];
	c->ndone = 0;
	c->epoch = 0;
	c->stream = 0;
	memset(c->barrier, 0, sizeof(c->barrier));
	memset(c->shared, 0, run->shared_bytes);
	if (c->written) {
		memset(c->written, 0, run->shared_bytes);
		ptx_races_begin(c);
	}
	memset(c->local, 0, local_size(run));
	memset(c->registers, 0, (size_t)run->decoded.register_bytes * c->nwarps);
	if (c->phases)
		memset(c->phases, 0, phases_size(run));
	if (c->sync)
		ptx_sync_reset(c->sync);
	for (uint32_t n = 0; n < c->nwarps; n++)
		start_warp(c, n);
	if (run->writer)
		return tr_recorder_open(&c->recorder, run->writer, number, run->err);
	return 1;
}

static int end_cta(struct ptx_cta *c)
{
	struct tr_recorder *r = c->recorder;

	c->recorder = NULL;
	return r ? tr_recorder_close(r, c->run->err) : 1;
}

static int stuck(struct ptx_cta *c)
{
	struct ptx_warp *w = c->warps;

	while (!ptx_take_path(w, PTX_HELD) && !ptx_take_path(w, PTX_WAITING))
		w++;
	if (w->state == PTX_HELD)
		return ptx_mbarrier_stuck(w);
	return ptx_fault(w, w->waits, (unsigned)__builtin_ctz(w->mask),
		"waits at a barrier that never fills: every other thread of the %s waits or has "
		"exited",
		c->run->cluster_ctas > 1 ? "cluster" : "CTA");
}

static int is_held(const struct ptx_cta *c)
{
	for (uint32_t n = 0; n < c->nwarps; n++)
		if (c->warps[n].state == PTX_HELD)
			return 1;
	return 0;
}

/* A CTA's turn. 0, or TR_E*. *ran: whether a warp had one. */
static int turn(struct ptx_cta *c, int *ran)
{
	const uint32_t quantum = c->run->resident->quantum;

	for (uint32_t n = 0; n < c->nwarps; n++) {
		struct ptx_warp *w = &c->warps[n];
		const int runs = ptx_can_go_on(w), e = runs ? ptx_warp_turn(w, quantum) : 0;
		if (e)
			return e;
		*ran |= runs;
	}
	return 0;
}

static void progress(struct ptx_run *run)
{
	const struct ptx_machine_options *opt = &run->machine->opt;
	const uint64_t all = run->machine->thread_insts + run->thread_insts;

	if (opt->progress && all >= run->next_progress) {
		opt->progress(opt->progress_arg, all);
		run->next_progress = all + PROGRESS_EVERY;
	}
}

/* ---- clusters; where a launch has none, each CTA is one ---- */

static void free_cluster(struct ptx_run *run, struct ptx_cluster *l)
{
	for (uint32_t r = 0; l && r < run->cluster_ctas; r++)
		free_cta(l->cta[r]);
	free(l);
}

static struct ptx_cluster *new_cluster(struct ptx_run *run, uint32_t place)
{
	struct ptx_cluster *l = calloc(1, sizeof(*l));

	for (uint32_t r = 0; l && r < run->cluster_ctas; r++) {
		l->cta[r] = new_cta(run, l, place * run->cluster_ctas + r);
		if (!l->cta[r]) {
			free_cluster(run, l);
			return NULL;
		}
	}
	return l;
}

static int start_cluster(struct ptx_run *run, struct ptx_cluster *l, uint32_t number)
{
	int e = 1;

	l->number = number;
	l->ended = l->arrived = l->phase = 0;
	l->failed = l->failed_last = 0;
	for (uint32_t r = 0; r < run->cluster_ctas && e >= 0; r++)
		e = start_cta(l->cta[r], tr_launch_cluster_cta(&run->shape, number, r));
	return e;
}

/*
 * No warp of a cluster goes on, and some are held back before waits: the wait of one of them fails,
 * in turn. It may ask another barrier then, or do without. Where waits only fail, and nobody
 * arrives anywhere meanwhile, that is taken to go on for ever. 1: there is none.
 */
static int let_wait_fail(struct ptx_run *run, struct ptx_cluster *l)
{
	const uint32_t nwarps = l->cta[0]->nwarps, n = run->cluster_ctas * nwarps;

	for (uint32_t k = 1; l->failed < FAILED_MAX && k <= n; k++) {
		const uint32_t at = (l->failed_last + k) % n;
		struct ptx_warp *w = &l->cta[at / nwarps]->warps[at % nwarps];

		if (!ptx_strands_fail(w))
			continue;
		l->failed_last = at;
		l->failed++;
		return 0;
	}
	return 1;
}

/*
 * The turns of a cluster's CTAs. 1: all have ended; 0, or TR_E*. *ran: whether a warp had one;
 * where none had, those that are left go round, or wait for such.
 */
static int take_turn(struct ptx_run *run, struct ptx_cluster *l, int *ran)
{
	struct ptx_cta *waits = NULL;
	int ready = 0, e;

	for (uint32_t r = 0; r < run->cluster_ctas; r++)
		if (l->cta[r]->ndone < l->cta[r]->nwarps && (e = turn(l->cta[r], ran)))
			return e;
	progress(run);
	for (uint32_t r = 0; r < run->cluster_ctas; r++) {
		struct ptx_cta *c = l->cta[r];
		for (uint32_t n = 0; n < c->nwarps; n++)
			ready |= c->warps[n].state == PTX_READY || c->warps[n].state == PTX_SPINS ||
				 c->warps[n].state == PTX_MEETS;
		waits = c->ndone < c->nwarps && (!waits || is_held(c)) ? c : waits;
	}
	if (!waits)
		return 1;
	if (ready || *ran)
		return 0;
	if (let_wait_fail(run, l))
		return stuck(waits);
	*ran = 1; /* it will, in the next turn */
	return 0;
}

/*
 * No warp of the launch can go on. 1: one can now, since lanes of its own that it waits for are not
 * coming; 0: somebody else may still change what it reads; TR_ERUN with what goes round for ever.
 */
static int stalled(struct ptx_run *run, struct ptx_cluster **places, uint32_t nplaces)
{
	const struct ptx_machine_options *opt = &run->machine->opt;
	struct ptx_warp *spins = NULL;

	for (uint32_t i = 0; i < nplaces; i++)
		if (places[i] && !let_wait_fail(run, places[i]))
			return 1;
	for (uint32_t i = 0; i < nplaces * run->cluster_ctas; i++) {
		struct ptx_cluster *l = places[i / run->cluster_ctas];
		struct ptx_cta *c = l ? l->cta[i % run->cluster_ctas] : NULL;
		for (uint32_t n = 0; c && n < c->nwarps; n++) {
			if (c->warps[n].state == PTX_SPINS && ptx_strands_force(&c->warps[n]))
				return 1;
			if (c->warps[n].state == PTX_SPINS && !spins)
				spins = &c->warps[n];
		}
	}
	if (opt->stalled && opt->stalled(opt->stalled_arg, run->stalled++))
		return 0;
	ptx_take_path(spins, PTX_SPINS);
	return ptx_spins_for_ever(spins);
}

static int end_cluster(struct ptx_run *run, struct ptx_cluster *l)
{
	int e = 1;

	for (uint32_t r = 0; r < run->cluster_ctas && e >= 0; r++)
		e = end_cta(l->cta[r]);
	return e;
}

/* Turns go on until no cluster is left to start and none runs. places[i] is NULL where free. */
static int take_turns(
	struct ptx_run *run, struct ptx_cluster **places, uint32_t nplaces, uint32_t nclusters)
{
	uint32_t next = nplaces, running = nplaces, idle = 0;

	while (running)
		for (uint32_t p = 0; p < nplaces; p++) {
			struct ptx_cluster *l = places[p];
			int e, ran = 0;
			if (!l)
				continue;
			e = take_turn(run, l, &ran);
			idle = ran ? 0 : idle + 1;
			run->stalled = ran ? 0 : run->stalled;
			if (!e && idle >= running) {
				e = stalled(run, places, nplaces);
				idle = 0;
				if (e > 0)
					continue;
			}
			if (!e)
				continue;
			if (e < 0 || (e = end_cluster(run, l)) < 0)
				return e;
			if (next < nclusters) {
				if ((e = start_cluster(run, l, next++)) < 0)
					return e;
			} else {
				free_cluster(run, l);
				places[p] = NULL;
				running--;
			}
		}
	return 0;
}

static int run_ctas(struct ptx_run *run)
{
	const uint32_t *grid = run->launch->grid;
	const uint32_t nclusters = grid[0] * grid[1] * grid[2] / run->cluster_ctas;
	const uint64_t room = (uint64_t)run->ctas_per_sm * run->resident->sms / run->cluster_ctas;
	const uint32_t nplaces = room < nclusters ? (uint32_t)room : nclusters;
	struct ptx_cluster **places;
	int e = 0;

	if (!room)
		return tr_fail(run->err, TR_EUSAGE, 0,
			"kernel '%s': clusters of %u CTAs, where %u CTAs are resident at once",
			run->kernel->name, run->cluster_ctas,
			run->ctas_per_sm * run->resident->sms);
	places = calloc(nplaces, sizeof(struct ptx_cluster *));
	if (!places)
		return no_memory(run);
	for (uint32_t p = 0; p < nplaces && e >= 0; p++) {
		places[p] = new_cluster(run, p);
		e = places[p] ? start_cluster(run, places[p], p) : no_memory(run);
	}
	if (e >= 0)
		e = take_turns(run, places, nplaces, nclusters);
	for (uint32_t p = 0; p < nplaces; p++)
		free_cluster(run, places[p]);
	free(places);
	return e;
}

/* CUDA's grid_group::sync counts in a word that the driver hands it: a size and a barrier. */
static int give_workspace(struct ptx_run *run)
{
	struct ptx_machine *m = run->machine;

	for (uint32_t s = 0; s < run->decoded.nspecials && !m->grid_workspace; s++)
		if (run->decoded.specials[s].sreg == PTX_SR_ENVREG + 1) {
			m->grid_workspace =
				ptx_memory_new(&m->memory, "grid workspace", 256, run->err);
			if (!m->grid_workspace)
				return TR_EMEM;
		}
	return 0;
}

/* bar.warp.sync and fences do nothing to a warp in lockstep, but races are asked about them. */
static void show_meetings(const struct ptx_kernel *k, struct ptx_decoded *d)
{
	for (uint32_t i = 0; i < d->ncode; i++) {
		struct ptx_code *c = &d->code[i];
		if (c->kind != PTX_K_NOTHING || !c->inst ||
			(c->inst->op != PTX_MEMBAR && c->inst->op != PTX_FENCE))
			continue;
		c->kind = PTX_K_MEET;
		c->vec = !strstr(k->strings + c->inst->text, ".warp.sync");
	}
}

/* The kernel's code, decoded when it is first launched, with this launch's parameters. */
static int get_ready(struct ptx_run *run, struct ptx_loaded *loaded)
{
	uint32_t k = 0;
	int e;

	if (loaded->ops != run->ops) /* a test has changed them */
		for (uint32_t i = 0; i < loaded->nkernels; i++)
			ptx_decoded_free(&loaded->decoded[i]);
	loaded->ops = run->ops;
	while (loaded->module->kernels[k] != run->kernel)
		k++;
	if (!loaded->decoded[k].code) {
		e = ptx_decode(&loaded->decoded[k], run->kernel, loaded, run->ops, run->err);
		if (e)
			return e;
		if (run->machine->opt.memcheck)
			show_meetings(run->kernel, &loaded->decoded[k]);
	}
	if (loaded->decoded[k].deleted != run->machine->memory.deleted)
		ptx_decoded_forget(&loaded->decoded[k]);
	loaded->decoded[k].deleted = run->machine->memory.deleted;
	ptx_decoded_params(&loaded->decoded[k], run->params);
	run->decoded = loaded->decoded[k];
	return 0;
}

static int launch(struct ptx_run *run, struct ptx_loaded *loaded)
{
	const uint32_t registers =
		run->launch->registers ? run->launch->registers : run->program->live_registers;
	int e;

	if ((e = occupancy(run, registers)) || (e = gather_params(run)) ||
		(e = get_ready(run, loaded)) || (e = give_workspace(run)))
		return e;
	run->number = run->child ? run->child->number : run->machine->nlaunches;
	if (run->writer && (e = record_launch(run, registers)))
		return e;
	if (!run->child) {
		/* Without a record too: they are of no launch after this one. */
		run->machine->ncopies = 0;
		run->machine->api_calls++;
		ptx_device_begin(&run->machine->device, run->number);
	}
	if ((e = run_ctas(run)) < 0)
		return e;
	return run->writer ? tr_writer_launch_end(run->writer, run->err) : 1;
}

/* What a thread's frames have beside the first one, and what is stored before a call fails. */
static uint32_t stack_bytes(const struct ptx_machine *m, const struct ptx_kernel *k)
{
	return !k->frame_bytes ? 0 : k->frame_bytes + (m->opt.stack ? m->opt.stack : 4096);
}

void ptx_set_stack(struct ptx_machine *m, uint32_t bytes)
{
	m->opt.stack = bytes;
}

/* A launch of the host's, or of a thread's. */
static int run_launch(struct ptx_machine *m, const struct ptx_launch *l,
	const struct ptx_child *child, struct tr_writer *w, struct tr_err *err)
{
	struct ptx_loaded *loaded = ptx_loaded_of(m, l->kernel->module);
	struct ptx_run run = {.machine = m,
		.launch = l,
		.kernel = l->kernel,
		.program = l->kernel->program,
		.writer = w,
		.err = err,
		.ops = ptx_ops_best(),
		.shared_bytes = shared_bytes(l),
		.local_bytes = round_up(l->kernel->local_bytes + stack_bytes(m, l->kernel), 16),
		.threads = l->block[0] * l->block[1] * l->block[2],
		.grid_number = child ? child->number | 1u << 31 : m->api_calls,
		.max_insts = m->opt.max_insts ? m->opt.max_insts : UINT64_MAX,
		.next_progress = m->thread_insts + PROGRESS_EVERY,
		.child = child,
		.depth = child ? child->depth : 0};
	int e;

	m->fault = PTX_FAULT_OTHER;
	if (l->kernel->refusal)
		return tr_fail(err, TR_EDATA, 0, "kernel '%s': %s",
			ptx_short_name(l->kernel->name).text, l->kernel->refusal);
	if ((e = check_shape(l, err)) || (e = check_cluster(&run, err)))
		return e;
	if (!loaded)
		return tr_fail(err, TR_EUSAGE, 0, "the module of kernel '%s' is not loaded",
			l->kernel->name);
	run.const_bank = loaded->const_bank;
	run.const_base = loaded->const_base;
	run.const_bytes = loaded->module->const_bytes;
	e = launch(&run, loaded);
	m->thread_insts += run.thread_insts;
	m->nlaunches++;
	free(run.params);
	return e < 0 ? e : 1;
}

/* A launch that a thread made. What goes wrong in it is said with where it comes from. */
static int run_child(
	struct ptx_machine *m, const struct ptx_child *c, struct tr_writer *w, struct tr_err *err)
{
	const struct ptx_launch l = {.kernel = c->kernel,
		.grid = {c->grid[0], c->grid[1], c->grid[2]},
		.block = {c->block[0], c->block[1], c->block[2]},
		.dynamic_shared = c->shared,
		.nargs = c->kernel->nparams};
	struct tr_err why = {0};
	const int e = run_launch(m, &l, c, w, &why);

	return e < 0 ? tr_fail(err, e == TR_EUSAGE ? TR_ERUN : e, 0,
			       "%s (launched by launch %u, cta %u, thread %u)", why.msg, c->parent,
			       c->cta, c->thread)
		     : e;
}

/*
 * Launches of threads wait until their parent's launch has ended, and run in the order in which
 * they were made, before the host goes on. That is an order that CUDA allows: nothing waits for
 * them, and a parent cannot count on seeing what they write.
 */
int ptx_launch(
	struct ptx_machine *m, const struct ptx_launch *l, struct tr_writer *w, struct tr_err *err)
{
	int e = run_launch(m, l, NULL, w, err);
	struct ptx_child child;

	while (e > 0 && ptx_device_next(&m->device, &child)) {
		e = run_child(m, &child, w, err);
		ptx_device_done(&m->device, &child);
	}
	while (ptx_device_next(&m->device, &child))
		ptx_device_done(&m->device, &child);
	return e;
}
