/*
 * Rows to bytes and back. Most rows of real kernels are the row before plus a constant (a loop over
 * an array) or affine in the thread index (the first access); the rest are residuals against the
 * best of three predictions, cut into planes of bytes so that zstd sees like beside like.
 */
#include "codec.h"

/* Low three bits of a kind byte of values; then three bits width - 1, one bit "divided". */
enum {
	V_SAME,       /* last + step */
	V_STEP,       /* last + param, which becomes step */
	V_AFFINE,     /* anchor + c . (dx, dy, dz) */
	V_AFFINE_NEW, /* likewise with three new coefficients */
	V_TEMPORAL,   /* last + param + residual */
	V_FRAME,      /* anchor + residual */
	V_NEIGHBOUR,  /* anchor; then each the lane before + param + residual */
};
#define V_WIDTH(k) ((((k) >> 3) & 7) + 1u)
#define V_DIVIDED 0x40

/* Kind bytes of outcomes. */
enum { O_ZERO, O_ONE, O_MIXED, O_INDEX, O_INDICES };

/* ---- the plan ---- */

void tr_plan_free(struct tr_plan *plan)
{
	free(plan->blocks);
	free(plan->steps);
	free(plan->succs);
	free(plan->launcher);
	*plan = (struct tr_plan){0};
}

static void plan_inst(
	struct tr_plan *plan, struct tr_plan_block *b, const struct tr_inst *in, uint32_t *nsteps)
{
	struct tr_step *s = plan->steps + *nsteps;

	b->insts++;
	if (in->guard == TR_NONE && !tr_is_operand(in))
		b->plain++;
	if (in->flags & TR_I_OUTCOME) {
		s->op = in->nsucc > 1 && in->flags & TR_I_INDEXED ? TR_STEP_INDEX : TR_STEP_BIT;
		s->guarded = in->guard != TR_NONE && !tr_is_operand(in);
		s->wide = in->nsucc > 256;
		b->noutcomes += 1u + s->wide;
		++*nsteps;
		s++;
	}
	if (in->flags & TR_I_VALUE) {
		s->op = TR_STEP_VALUE;
		s->guarded = in->guard != TR_NONE;
		s->slot = plan->nslots++;
		while (s->shift < 6 && in->bytes >> (s->shift + 1))
			s->shift++;
		b->nvalues++;
		++*nsteps;
	}
}

/* Marks blocks from which single successors lead back to themselves. */
static void mark_endless(struct tr_plan *plan, uint32_t *seen)
{
	for (uint32_t i = 0; i < plan->nblocks; i++) {
		int32_t r = (int32_t)i;

		while (r != TR_DONE && !seen[r] && plan->blocks[r].nsucc == 1) {
			seen[r] = i + 1;
			r = plan->succs[plan->blocks[r].succ];
		}
		if (r != TR_DONE && (seen[r] == i + 1 || plan->blocks[r].endless))
			for (int32_t b = (int32_t)i; b != TR_DONE && !plan->blocks[b].endless;
				b = plan->succs[plan->blocks[b].succ])
				plan->blocks[b].endless = 1;
	}
}

int tr_plan_make(struct tr_plan *plan, const struct tr_program *p, struct tr_err *err)
{
	uint32_t nsteps = 0, nsuccs = 0, *seen = calloc(p->nblocks + 1, sizeof(*seen));

	*plan = (struct tr_plan){
		.nblocks = p->nblocks, .clusters = tr_program_has_cluster_barrier(p)};
	for (uint32_t i = 0; i < p->ninsts; i++)
		if (p->insts[i].nsucc > TR_INDEX_MAX) {
			free(seen);
			return tr_fail(err, TR_EDATA, 0,
				"instruction %u has more than %u successors", i, TR_INDEX_MAX);
		}
	plan->blocks = calloc(p->nblocks + 1, sizeof(*plan->blocks));
	plan->steps = calloc(2 * (size_t)p->ninsts + 1, sizeof(*plan->steps));
	plan->succs = calloc((size_t)p->nsucc_pool + 1, sizeof(*plan->succs));
	if (tr_program_launches(p))
		plan->launcher = malloc(((size_t)p->ninsts + 1) * sizeof(*plan->launcher));
	if (!seen || !plan->blocks || !plan->steps || !plan->succs ||
		(tr_program_launches(p) && !plan->launcher)) {
		free(seen);
		tr_plan_free(plan);
		return tr_fail(err, TR_EMEM, 0, "no memory for a plan of %u blocks", p->nblocks);
	}
	for (uint32_t i = 0; i < p->nblocks; i++) {
		const struct tr_block *pb = &p->blocks[i];
		const struct tr_inst *end = &p->insts[pb->first + pb->n - 1];
		struct tr_plan_block *b = &plan->blocks[pb->rank];

		b->step = nsteps;
		for (uint32_t k = 0; k < pb->n; k++) {
			const struct tr_inst *in = &p->insts[pb->first + k];

			if (plan->launcher)
				plan->launcher[plan->nslots] =
					in->flags & TR_I_API && in->aux == TR_API_LAUNCH
						? pb->first + k
						: TR_NONE;
			plan_inst(plan, b, in, &nsteps);
		}
		b->nsteps = nsteps - b->step;
		b->succ = nsuccs;
		b->nsucc = end->nsucc;
		for (uint32_t k = 0; k < end->nsucc; k++) {
			uint32_t to = p->succ_pool[end->succ + k];

			plan->succs[nsuccs++] =
				to == TR_EXIT ? TR_DONE
					      : (int32_t)p->blocks[p->insts[to].block].rank;
		}
	}
	plan->entry = p->nblocks ? (int32_t)p->blocks[p->insts[0].block].rank : TR_DONE;
	mark_endless(plan, seen);
	free(seen);
	return 1;
}

/* ---- the walk, common to both directions ---- */

/* The lanes of mask come to a block. */
static void arrive(struct tr_group *g, int32_t rank, uint32_t mask)
{
	uint32_t i = g->ncohorts;

	if (!mask || rank == TR_DONE)
		return;
	while (i && g->at[i - 1].rank < rank)
		i--;
	if (i && g->at[i - 1].rank == rank) {
		g->at[i - 1].mask |= mask;
		return;
	}
	memmove(g->at + i + 1, g->at + i, (g->ncohorts++ - i) * sizeof(*g->at));
	g->at[i] = (struct tr_cohort){rank, mask};
}

/* They leave it, each by its index; where there are two ways, `truth` has those of index 1. */
static void leave(struct tr_group *g, const struct tr_plan_block *b, uint32_t mask, uint32_t truth,
	const uint8_t *lane, const uint32_t *index)
{
	const int32_t *succ = g->plan->succs + b->succ;

	if (b->nsucc == 1) {
		arrive(g, succ[0], mask);
	} else if (b->nsucc == 2) {
		arrive(g, succ[0], mask & ~truth);
		arrive(g, succ[1], truth);
	} else if (b->nsucc) {
		for (uint32_t i = 0; mask; mask &= mask - 1, i++)
			arrive(g, succ[index[i]], 1u << lane[i]);
	}
}

void tr_group_start(struct tr_group *g, const struct tr_plan *plan, struct tr_slot *slots,
	uint32_t index, const uint32_t block[3])
{
	uint32_t first = index * TR_GROUP, n = block[0] * block[1] * block[2] - first;
	int32_t x0 = (int32_t)(first % block[0]), y0 = (int32_t)(first / block[0] % block[1]);
	int32_t z0 = (int32_t)(first / block[0] / block[1]);

	*g = (struct tr_group){.plan = plan, .slots = slots};
	g->lanes = n >= TR_GROUP ? UINT32_MAX : (1u << n) - 1;
	for (uint32_t i = 0; i < TR_GROUP; i++) {
		uint32_t t = first + i;

		g->dx[i] = (int32_t)(t % block[0]) - x0;
		g->dy[i] = (int32_t)(t / block[0] % block[1]) - y0;
		g->dz[i] = (int32_t)(t / block[0] / block[1]) - z0;
	}
	arrive(g, plan->entry, g->lanes);
}

static uint32_t lanes_of(uint32_t mask, uint8_t lane[TR_GROUP])
{
	uint32_t n = 0;

	for (; mask; mask &= mask - 1)
		lane[n++] = (uint8_t)__builtin_ctz(mask);
	return n;
}

static uint64_t affine(const struct tr_group *g, const struct tr_slot *s, uint32_t lane)
{
	return s->anchor + s->c[0] * (uint64_t)(int64_t)g->dx[lane] +
	       s->c[1] * (uint64_t)(int64_t)g->dy[lane] + s->c[2] * (uint64_t)(int64_t)g->dz[lane];
}

/* What both directions do to a slot after a row. Lanes that took no part yet get a fair guess. */
static void remember(struct tr_group *g, struct tr_slot *s, unsigned kind, uint32_t n,
	const uint8_t *lane, const uint64_t *v)
{
	if ((kind & 7) == V_AFFINE || (kind & 7) == V_AFFINE_NEW) {
		for (uint32_t i = 0; i < TR_GROUP; i++)
			s->last[i] = affine(g, s, i);
	} else {
		if (!s->touched)
			for (uint32_t i = 0; i < TR_GROUP; i++)
				s->last[i] = v[0];
		for (uint32_t i = 0; i < n; i++)
			s->last[lane[i]] = v[i];
	}
	s->touched = 1;
}

/* ---- encoding ---- */

static int anchor_out(struct tr_encoder *e, struct tr_slot *s, uint32_t slot, uint64_t value)
{
	int rc = 0;

	if (s->touched) {
		rc = tr_buf_varint(&e->out[TR_ST_PARAM], tr_zigzag((int64_t)(value - s->anchor)));
	} else {
		if (e->nanchors == e->cap_anchors) {
			uint32_t cap = e->cap_anchors ? 2 * e->cap_anchors : 8;
			struct tr_anchor *a = realloc(e->anchors, cap * sizeof(*a));

			if (!a)
				return -1;
			e->anchors = a;
			e->cap_anchors = cap;
		}
		e->anchors[e->nanchors++] = (struct tr_anchor){slot, value};
	}
	s->anchor = value;
	return rc;
}

/* Coefficients that make the row affine, from the first lanes that differ in one index only. */
static int find_affine(
	const struct tr_group *g, uint32_t n, const uint8_t *lane, const uint64_t *v, uint64_t c[3])
{
	const int32_t *d[3] = {g->dx, g->dy, g->dz};
	const uint8_t l0 = lane[0];

	c[0] = c[1] = c[2] = 0;
	for (int axis = 0; axis < 3; axis++) {
		for (uint32_t i = 1; i < n; i++) {
			int64_t step = (int64_t)d[axis][lane[i]] - d[axis][l0];
			uint64_t rest = v[i] - v[0];
			int higher = 0;

			for (int a = axis + 1; a < 3; a++)
				higher |= d[a][lane[i]] != d[a][l0];
			if (!step || higher)
				continue;
			for (int a = 0; a < axis; a++)
				rest -= c[a] * (uint64_t)((int64_t)d[a][lane[i]] - d[a][l0]);
			if ((int64_t)rest % step)
				return 0;
			c[axis] = (uint64_t)((int64_t)rest / step);
			break;
		}
	}
	return 1;
}

static int is_affine(const struct tr_group *g, uint32_t n, const uint8_t *lane, const uint64_t *v,
	const uint64_t c[3], uint64_t *anchor)
{
	struct tr_slot s = {.c = {c[0], c[1], c[2]}};

	s.anchor = v[0] - affine(g, &s, lane[0]);
	for (uint32_t i = 1; i < n; i++)
		if (affine(g, &s, lane[i]) != v[i])
			return 0;
	*anchor = s.anchor;
	return 1;
}

/* Residuals of one prediction: the least of them apart, and what they would cost. */
struct residuals {
	uint64_t r[TR_GROUP];
	uint64_t least;
	unsigned n, bits, width, divided;
};

static void measure(struct residuals *p, unsigned n, unsigned shift)
{
	uint64_t all = 0;
	int64_t least = n ? (int64_t)p->r[0] : 0;

	for (unsigned i = 1; i < n; i++)
		least = (int64_t)p->r[i] < least ? (int64_t)p->r[i] : least;
	for (unsigned i = 0; i < n; i++) {
		p->r[i] -= (uint64_t)least;
		all |= p->r[i];
	}
	p->least = (uint64_t)least;
	p->n = n;
	p->divided = shift && !(all & ((1u << shift) - 1));
	if (p->divided) {
		all >>= shift;
		for (unsigned i = 0; i < n; i++)
			p->r[i] >>= shift;
	}
	p->bits = all ? 64 - (unsigned)__builtin_clzll(all) : 1;
	p->width = (p->bits + 7) / 8;
}

static int planes_out(struct tr_encoder *e, const struct residuals *p)
{
	struct tr_buf *low = &e->out[TR_ST_LOW], *high = &e->out[TR_ST_HIGH];

	if (tr_buf_room(low, p->n) || tr_buf_room(high, (size_t)p->n * (p->width - 1)))
		return -1;
	for (unsigned i = 0; i < p->n; i++)
		low->p[low->len++] = (uint8_t)p->r[i];
	for (unsigned w = 1; w < p->width; w++)
		for (unsigned i = 0; i < p->n; i++)
			high->p[high->len++] = (uint8_t)(p->r[i] >> (8 * w));
	return 0;
}

/* A row that no short rule describes: the cheapest of three predictions. */
static int residuals_out(struct tr_encoder *e, struct tr_slot *s, const struct tr_step *st,
	uint32_t n, const uint8_t *lane, const uint64_t *v, unsigned *kind)
{
	struct residuals t, f, nb, *best = &f;
	struct tr_buf *param = &e->out[TR_ST_PARAM];
	int rc;

	for (uint32_t i = 0; i < n; i++) {
		t.r[i] = v[i] - s->last[lane[i]];
		f.r[i] = v[i];
	}
	for (uint32_t i = 1; i < n; i++)
		nb.r[i - 1] = v[i] - v[i - 1];
	measure(&t, n, st->shift);
	measure(&f, n, st->shift);
	measure(&nb, n - 1, st->shift);
	*kind = V_FRAME;
	if (nb.bits < best->bits) {
		best = &nb;
		*kind = V_NEIGHBOUR;
	}
	if (s->touched && t.bits <= best->bits) {
		best = &t;
		*kind = V_TEMPORAL;
	}
	if (*kind == V_TEMPORAL)
		rc = tr_buf_varint(param, tr_zigzag((int64_t)t.least));
	else
		rc = anchor_out(e, s, st->slot, *kind == V_FRAME ? f.least : v[0]);
	if (*kind == V_NEIGHBOUR)
		rc |= tr_buf_varint(param, tr_zigzag((int64_t)nb.least));
	*kind |= (best->width - 1) << 3 | (best->divided ? V_DIVIDED : 0);
	return rc | planes_out(e, best);
}

static int values_out(struct tr_encoder *e, const struct tr_step *st, uint32_t n,
	const uint8_t *lane, uint64_t *v)
{
	struct tr_slot *s = &e->g.slots[st->slot];
	struct tr_buf *param = &e->out[TR_ST_PARAM];
	uint64_t c[3], anchor, step = v[0] - s->last[lane[0]];
	unsigned kind;
	int rc = 0, steps = s->touched;

	for (uint32_t i = 1; i < n && steps; i++)
		steps = v[i] - s->last[lane[i]] == step;
	if (steps) {
		kind = step == s->step ? V_SAME : V_STEP;
		if (kind == V_STEP)
			rc = tr_buf_varint(param, tr_zigzag((int64_t)step));
		s->step = step;
	} else if (s->touched && is_affine(&e->g, n, lane, v, s->c, &anchor)) {
		kind = V_AFFINE;
		rc = anchor_out(e, s, st->slot, anchor);
	} else if ((!s->touched || n > 3) && find_affine(&e->g, n, lane, v, c) &&
		   is_affine(&e->g, n, lane, v, c, &anchor)) {
		kind = V_AFFINE_NEW;
		for (int a = 0; a < 3; a++) {
			rc |= tr_buf_varint(param, tr_zigzag((int64_t)c[a]));
			s->c[a] = c[a];
		}
		rc |= anchor_out(e, s, st->slot, anchor);
	} else {
		rc = residuals_out(e, s, st, n, lane, v, &kind);
	}
	remember(&e->g, s, kind, n, lane, v);
	return rc | tr_buf_u8(&e->out[TR_ST_KIND], (uint8_t)kind);
}

/* Bits of a row of outcomes, by lane. */
static int bits_out(struct tr_encoder *e, uint32_t mask, uint32_t taken)
{
	uint64_t packed = 0;
	uint8_t bytes[4];
	unsigned n = 0;

	if (!taken || taken == mask)
		return tr_buf_u8(&e->out[TR_ST_KIND], taken ? O_ONE : O_ZERO);
	for (; mask; mask &= mask - 1)
		packed |= (uint64_t)(taken >> __builtin_ctz(mask) & 1) << n++;
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(packed >> (8 * i));
	return tr_buf_u8(&e->out[TR_ST_KIND], O_MIXED) |
	       tr_buf_put(&e->out[TR_ST_LOW], bytes, (n + 7) / 8);
}

static int indices_out(struct tr_encoder *e, uint32_t n, const uint32_t *index)
{
	struct tr_buf *param = &e->out[TR_ST_PARAM];
	int rc = 0, same = 1;

	for (uint32_t i = 1; i < n; i++)
		same &= index[i] == index[0];
	for (uint32_t i = 0; i < (same ? 1 : n); i++)
		rc |= tr_buf_varint(param, index[i]);
	return rc | tr_buf_u8(&e->out[TR_ST_KIND], same ? O_INDEX : O_INDICES);
}

static int short_of(const struct tr_lane_queue *q, uint32_t noutcomes, uint32_t nvalues)
{
	return q->noutcomes - q->outcome_pos < noutcomes || q->nvalues - q->value_pos < nvalues;
}

static int empty(const struct tr_lane_queue *q)
{
	return q->noutcomes == q->outcome_pos && q->nvalues == q->value_pos;
}

/*
 * Has the queue all that one execution of the block takes? Guards that are false want no values: a
 * thread that skips its accesses for long must not be kept waiting for one.
 */
static int ready(
	const struct tr_lane_queue *q, const struct tr_plan *plan, const struct tr_plan_block *b)
{
	uint32_t at = q->outcome_pos, nvalues = 0;
	int truth = 0;

	if (short_of(q, b->noutcomes, 0))
		return 0;
	if (!short_of(q, 0, b->nvalues))
		return 1;
	for (uint32_t k = 0; k < b->nsteps; k++) {
		const struct tr_step *st = &plan->steps[b->step + k];

		if (st->op == TR_STEP_VALUE) {
			nvalues += !st->guarded || truth;
		} else {
			truth = q->outcomes[at] || (st->wide && q->outcomes[at + 1]);
			at += 1u + st->wide;
		}
	}
	return !short_of(q, 0, nvalues);
}

/* An outcome of each lane, all of them there and of a byte: 1, or 0 where one is no bit. */
static int take_bits(struct tr_encoder *e, uint32_t n, const uint8_t *lane, uint32_t *index)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct tr_lane_queue *q = &e->q[lane[i]];

		index[i] = q->outcomes[q->outcome_pos++];
		all |= index[i];
	}
	return all < 2;
}

/* The same of any step, where some may be missing. */
static int take_outcomes(struct tr_encoder *e, const struct tr_step *st, uint32_t nsucc, uint32_t n,
	const uint8_t *lane, uint32_t *index)
{
	for (uint32_t i = 0; i < n; i++) {
		struct tr_lane_queue *q = &e->q[lane[i]];

		if (short_of(q, 1u + st->wide, 0))
			return 0;
		index[i] = q->outcomes[q->outcome_pos++];
		if (st->wide)
			index[i] |= (uint32_t)q->outcomes[q->outcome_pos++] << 8;
		if (index[i] >= (st->op == TR_STEP_INDEX ? nsucc : 2))
			return 0;
	}
	return 1;
}

/* The lowest block, for the lanes there. 1; 0 when their queues are too short; TR_E*. */
static int encode_block(struct tr_encoder *e, int final)
{
	const struct tr_plan *plan = e->g.plan;
	const struct tr_cohort at = e->g.at[e->g.ncohorts - 1];
	const struct tr_plan_block *b = &plan->blocks[at.rank];
	uint8_t lane[TR_GROUP];
	uint32_t n = lanes_of(at.mask, lane), truth = at.mask, index[TR_GROUP] = {0};
	uint64_t v[TR_GROUP];
	int rc = 0;

	if (b->endless)
		return TR_EDATA;
	if (!final)
		for (uint32_t i = 0; i < n; i++)
			if (!ready(&e->q[lane[i]], plan, b))
				return 0;
	e->g.ncohorts--;
	e->g.thread_insts += (uint64_t)b->plain * n;
	for (uint32_t k = 0; k < b->nsteps; k++) {
		const struct tr_step *st = &plan->steps[b->step + k];

		if (st->op == TR_STEP_VALUE) {
			uint8_t some[TR_GROUP], *who = lane;
			uint32_t m = n;

			if (st->guarded) {
				who = some;
				m = lanes_of(truth, some);
			}
			for (uint32_t i = 0; i < m; i++) {
				struct tr_lane_queue *q = &e->q[who[i]];

				if (short_of(q, 0, 1))
					return TR_EDATA;
				v[i] = q->values[q->value_pos++];
			}
			e->g.values += m;
			if (m)
				rc |= values_out(e, st, m, who, v);
			continue;
		}
		truth = 0;
		e->g.outcomes += n;
		if (!(final || st->wide || st->op == TR_STEP_INDEX
				    ? take_outcomes(e, st, b->nsucc, n, lane, index)
				    : take_bits(e, n, lane, index)))
			return TR_EDATA;
		for (uint32_t i = 0; i < n; i++)
			truth |= (uint32_t)(index[i] != 0) << lane[i];
		rc |= st->op == TR_STEP_INDEX ? indices_out(e, n, index)
					      : bits_out(e, at.mask, truth);
		if (st->guarded)
			e->g.thread_insts += (unsigned)__builtin_popcount(truth);
	}
	leave(&e->g, b, at.mask, truth, lane, index);
	return rc ? TR_EMEM : 1;
}

/* What stays in a queue moves to its front, once that is the lesser part: a long one moves rarely.
 */
static void compact(struct tr_lane_queue *q)
{
	if (q->outcome_pos > q->noutcomes / 2) {
		q->noutcomes -= q->outcome_pos;
		memmove(q->outcomes, q->outcomes + q->outcome_pos, q->noutcomes);
		q->outcome_pos = 0;
	}
	if (q->value_pos > q->nvalues / 2) {
		q->nvalues -= q->value_pos;
		memmove(q->values, q->values + q->value_pos, q->nvalues * sizeof(*q->values));
		q->value_pos = 0;
	}
}

int tr_encode(struct tr_encoder *e, int final, struct tr_err *err)
{
	int rc = e->failed ? e->failed : 1;

	while (rc > 0 && e->g.ncohorts)
		rc = encode_block(e, final);
	for (int i = 0; i < TR_GROUP && rc >= 0; i++) {
		if (final && !empty(&e->q[i]))
			rc = TR_EDATA;
		compact(&e->q[i]);
	}
	if (rc >= 0)
		return 1;
	e->failed = rc;
	return tr_fail(err, rc, 0,
		rc == TR_EMEM ? "no memory for the record of a CTA"
			      : "what a thread recorded does not fit its program");
}

/* ---- decoding ---- */

static void planes_in(struct tr_decoder *d, unsigned kind, unsigned shift, uint32_t n, uint64_t *r)
{
	unsigned width = V_WIDTH(kind), by = kind & V_DIVIDED ? shift : 0;
	const uint8_t *low = tr_cur_bytes(&d->in[TR_ST_LOW], n);
	const uint8_t *high = tr_cur_bytes(&d->in[TR_ST_HIGH], (size_t)n * (width - 1));

	if (!low || !high) {
		memset(r, 0, n * sizeof(*r));
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		r[i] = low[i];
	for (unsigned w = 1; w < width; w++, high += n)
		for (uint32_t i = 0; i < n; i++)
			r[i] |= (uint64_t)high[i] << (8 * w);
	for (uint32_t i = 0; i < n; i++)
		r[i] <<= by;
}

static uint64_t param_in(struct tr_decoder *d)
{
	return (uint64_t)tr_unzigzag(tr_cur_varint(&d->in[TR_ST_PARAM]));
}

static void anchor_in(struct tr_decoder *d, struct tr_slot *s, uint32_t slot)
{
	if (s->touched) {
		s->anchor += param_in(d);
		return;
	}
	d->first_anchor[slot] += (uint64_t)tr_unzigzag(tr_cur_varint(&d->in[TR_ST_ANCHOR]));
	s->anchor = d->first_anchor[slot];
}

/* Only residuals have a width, and what goes on from a row needs one before. */
static int allowed(unsigned kind, int touched)
{
	const unsigned goes_on = 1u << V_SAME | 1u << V_STEP | 1u << V_AFFINE | 1u << V_TEMPORAL;

	return (kind < 8 || (kind < 0x80 && (kind & 7) >= V_TEMPORAL)) &&
	       (touched || !(goes_on >> (kind & 7) & 1));
}

static inline __attribute__((always_inline)) void values_in(struct tr_decoder *d,
	const struct tr_step *st, uint32_t n, const uint8_t *lane, uint64_t *v)
{
	struct tr_slot *s = &d->g.slots[st->slot];
	unsigned kind = tr_cur_u8(&d->in[TR_ST_KIND]);
	uint64_t add;

	d->in[TR_ST_KIND].bad |= !allowed(kind, s->touched);
	switch (kind & 7) {
	case V_STEP:
		s->step = param_in(d);
		/* fall through */
	case V_SAME:
		if (n == TR_GROUP) {
			for (uint32_t i = 0; i < TR_GROUP; i++)
				v[i] = s->last[i] += s->step;
			return;
		}
		for (uint32_t i = 0; i < n; i++)
			v[i] = s->last[lane[i]] += s->step;
		return;
	case V_AFFINE_NEW:
		for (int a = 0; a < 3; a++)
			s->c[a] = param_in(d);
		/* fall through */
	case V_AFFINE:
		anchor_in(d, s, st->slot);
		for (uint32_t i = 0; i < n; i++)
			v[i] = affine(&d->g, s, lane[i]);
		break;
	case V_TEMPORAL:
		add = param_in(d);
		planes_in(d, kind, st->shift, n, v);
		for (uint32_t i = 0; i < n; i++)
			v[i] += s->last[lane[i]] + add;
		break;
	case V_FRAME:
		anchor_in(d, s, st->slot);
		planes_in(d, kind, st->shift, n, v);
		for (uint32_t i = 0; i < n; i++)
			v[i] += s->anchor;
		break;
	case V_NEIGHBOUR:
		anchor_in(d, s, st->slot);
		add = param_in(d);
		planes_in(d, kind, st->shift, n - 1, v + 1);
		v[0] = s->anchor;
		for (uint32_t i = 1; i < n; i++)
			v[i] += v[i - 1] + add;
		break;
	default:
		d->in[TR_ST_KIND].bad = 1;
		memset(v, 0, n * sizeof(*v));
	}
	remember(&d->g, s, kind, n, lane, v);
}

static uint32_t bits_in(struct tr_decoder *d, uint32_t mask, uint32_t n)
{
	unsigned kind = tr_cur_u8(&d->in[TR_ST_KIND]);
	const uint8_t *p;
	uint32_t taken = 0, packed = 0;

	if (kind == O_ZERO || kind == O_ONE)
		return kind == O_ONE ? mask : 0;
	p = kind == O_MIXED ? tr_cur_bytes(&d->in[TR_ST_LOW], (n + 7) / 8) : NULL;
	if (!p) {
		d->in[TR_ST_KIND].bad = 1;
		return 0;
	}
	for (unsigned i = 0; i < (n + 7) / 8; i++)
		packed |= (uint32_t)p[i] << (8 * i);
	for (; mask; mask &= mask - 1, packed >>= 1)
		taken |= (packed & 1) << __builtin_ctz(mask);
	d->in[TR_ST_KIND].bad |= packed != 0;
	return taken;
}

static void indices_in(struct tr_decoder *d, uint32_t n, uint32_t nsucc, uint32_t *index)
{
	unsigned kind = tr_cur_u8(&d->in[TR_ST_KIND]);

	if (kind != O_INDEX && kind != O_INDICES)
		d->in[TR_ST_KIND].bad = 1;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t x = i && kind == O_INDEX ? index[0] : tr_cur_varint(&d->in[TR_ST_PARAM]);

		if (x >= nsucc)
			d->in[TR_ST_PARAM].bad = 1;
		index[i] = x < nsucc ? (uint32_t)x : 0;
	}
}

/* Room for one more block's outcomes and values in every thread of the group. */
static int make_room(struct tr_thread *t, uint32_t lanes, uint32_t noutcomes, uint32_t nvalues)
{
	for (; lanes; lanes &= lanes - 1) {
		struct tr_thread *one = &t[__builtin_ctz(lanes)];

		if (one->cap_outcomes - one->noutcomes < noutcomes) {
			size_t cap = 2 * (size_t)one->cap_outcomes + noutcomes + 32;
			uint8_t *p = cap <= UINT32_MAX ? realloc(one->outcomes, cap) : NULL;

			if (!p)
				return -1;
			one->outcomes = p;
			one->cap_outcomes = (uint32_t)cap;
		}
		if (one->cap_values - one->nvalues < nvalues) {
			size_t cap = 2 * (size_t)one->cap_values + nvalues + 32;
			uint64_t *p =
				cap <= UINT32_MAX ? realloc(one->values, cap * sizeof(*p)) : NULL;

			if (!p)
				return -1;
			one->values = p;
			one->cap_values = (uint32_t)cap;
		}
	}
	return 0;
}

static void append_values(struct tr_thread *t, uint32_t n, const uint8_t *lane, const uint64_t *v)
{
	for (uint32_t i = 0; i < n; i++) {
		struct tr_thread *one = &t[lane[i]];

		one->values[one->nvalues++] = v[i];
	}
}

/* Of a row that is only checked: how many values its lanes recorded, and what they launched. */
static void note_values(struct tr_decoder *d, const struct tr_step *st, uint32_t n,
	const uint8_t *lane, const uint64_t *v)
{
	const uint32_t *launcher = d->g.plan->launcher;

	for (uint32_t i = 0; i < n && d->nvalues; i++)
		d->nvalues[lane[i]]++;
	if (d->launched && launcher[st->slot] != TR_NONE)
		for (uint32_t i = 0; i < n; i++)
			d->launched(d->arg, lane[i], launcher[st->slot], v[i]);
}

/*
 * The lowest block, for the lanes there: their rows go to the threads; keep 0: only through the
 * decoder. Written once and compiled for either, since it is hot.
 */
static inline __attribute__((always_inline)) void decode_block(struct tr_decoder *d,
	const struct tr_plan_block *b, uint32_t mask, uint32_t n, const uint8_t *lane,
	struct tr_thread *t, const int keep)
{
	uint32_t truth = mask, index[TR_GROUP] = {0};
	uint64_t v[TR_GROUP];

	d->g.thread_insts += (uint64_t)b->plain * n;
	for (uint32_t k = 0; k < b->nsteps; k++) {
		const struct tr_step *st = &d->g.plan->steps[b->step + k];

		if (st->op == TR_STEP_VALUE) {
			uint8_t some[TR_GROUP];
			uint32_t m = n;
			const uint8_t *who = lane;

			if (st->guarded && truth != mask) {
				m = lanes_of(truth, some);
				who = some;
			}
			d->g.values += m;
			if (m) {
				values_in(d, st, m, who, v);
				if (keep)
					append_values(t, m, who, v);
				else
					note_values(d, st, m, who, v);
			}
			continue;
		}
		d->g.outcomes += n;
		if (st->op == TR_STEP_INDEX) {
			indices_in(d, n, b->nsucc, index);
			truth = 0;
			for (uint32_t i = 0; i < n; i++)
				truth |= (uint32_t)(index[i] != 0) << lane[i];
			for (uint32_t i = 0; keep && i < n; i++) {
				struct tr_thread *one = &t[lane[i]];

				one->outcomes[one->noutcomes++] = (uint8_t)index[i];
				if (st->wide)
					one->outcomes[one->noutcomes++] = (uint8_t)(index[i] >> 8);
			}
		} else {
			truth = bits_in(d, mask, n);
			for (uint32_t i = 0; keep && i < n; i++) {
				struct tr_thread *one = &t[lane[i]];

				one->outcomes[one->noutcomes++] = truth >> lane[i] & 1;
			}
		}
		if (st->guarded)
			d->g.thread_insts += (unsigned)__builtin_popcount(truth);
	}
	leave(&d->g, b, mask, truth, lane, index);
}

static __attribute__((noinline)) void keep_block(struct tr_decoder *d,
	const struct tr_plan_block *b, uint32_t mask, uint32_t n, const uint8_t *lane,
	struct tr_thread *t)
{
	decode_block(d, b, mask, n, lane, t, 1);
}

static __attribute__((noinline)) void check_block(struct tr_decoder *d,
	const struct tr_plan_block *b, uint32_t mask, uint32_t n, const uint8_t *lane)
{
	decode_block(d, b, mask, n, lane, NULL, 0);
}

int tr_decode(struct tr_decoder *d, struct tr_thread threads[TR_GROUP], struct tr_err *err)
{
	struct tr_group *g = &d->g;
	uint32_t mask = 0, n = 0, room_outcomes = 0, room_values = 0;
	uint8_t lane[TR_GROUP];

	while (g->ncohorts) {
		const struct tr_cohort at = g->at[--g->ncohorts];
		const struct tr_plan_block *b = &g->plan->blocks[at.rank];

		if (b->endless)
			return tr_fail(err, TR_EDATA, 0, "a thread enters a loop without an exit");
		if (at.mask != mask) {
			mask = at.mask;
			n = lanes_of(mask, lane);
		}
		d->executed += (uint64_t)b->insts * n;
		if (d->max_insts && d->executed > d->max_insts)
			return tr_fail(err, TR_EDATA, 0,
				"threads execute more than %llu instructions, the most allowed",
				(unsigned long long)d->max_insts);
		/* Every thread has this much room; ask again when it may be used up. */
		if (threads && (room_outcomes < b->noutcomes || room_values < b->nvalues)) {
			room_outcomes = b->noutcomes > 64 ? b->noutcomes : 64;
			room_values = b->nvalues > 64 ? b->nvalues : 64;
			if (make_room(threads, g->lanes, room_outcomes, room_values))
				return tr_fail(err, TR_EMEM, 0, "no memory for a thread's record");
		}
		room_outcomes -= b->noutcomes;
		room_values -= b->nvalues;
		if (threads)
			keep_block(d, b, mask, n, lane, threads);
		else
			check_block(d, b, mask, n, lane);
		/* Each way round a loop takes a kind, so this stream is the one that ends first. */
		if (d->in[TR_ST_KIND].bad)
			break;
	}
	for (int s = 0; s < TR_NSTREAMS; s++)
		if (d->in[s].bad)
			return tr_fail(
				err, TR_EDATA, 0, "the record of a CTA does not fit its program");
	return 1;
}
