/*
 * streamcluster: Rodinia's clustering of a stream of points, of which one block is in memory at a
 * time; here that one block, evenly random as the original's are. Kept: the first centres are drawn
 * as in its pspeedy, a point becoming one with a chance that grows with its cost; then candidates
 * are drawn, and for each the host launches the kernel with 512 threads a block, sums up its notes,
 * opens the centre if that gains, closes those not worth their price, and reassigns points. Left
 * out: the bisection for a price that leaves 10 to 20 centres, in place of which the price follows
 * from the first centres, and the clustering of the centres of several blocks. The original has 256
 * coordinates a point; points=65536,dim=256,candidates=5 has the size of TBC's table 1.
 *
 * The check computes each point's notes and mark from rows of coordinates, with sums in the same
 * order, so it compares exactly. The host decides by what it computed itself.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <string.h>

#define THREADS 512
#define ROW_ALIGN 8 /* floats of a row of notes: the original's line of 32 bytes */

struct point {
	float weight;
	uint64_t coord;
	int64_t assign;
	float cost;
};

struct search {
	uint32_t n, dim, ncentres, stride;
	float price;  /* of a centre */
	float *coord; /* [point][dimension] */
	bool *is_centre;
	int32_t *table; /* of a centre: its number among them */
	struct point *points;
	float *lower; /* [point][stride]: what the launch must write */
	uint8_t *switches;
};

static float distance(const struct search *s, uint32_t a, uint32_t b)
{
	const float *p = s->coord + (size_t)a * s->dim, *q = s->coord + (size_t)b * s->dim;
	float sum = 0;

	for (uint32_t d = 0; d < s->dim; d++)
		sum = fmaf(p[d] - q[d], p[d] - q[d], sum);
	return sum;
}

/*
 * The first centres: each takes the points to which it is nearer than what serves them. From then
 * on a centre costs half of what these save on the mean, so that most of them stay.
 */
static void open_first(struct search *s, uint32_t expected, struct wl_rng *rng)
{
	double one = 0, all = 0; /* costs with one centre, and with all of them */
	float price;

	for (uint32_t i = 0; i < s->n; i++) {
		s->points[i].cost = s->points[i].weight * distance(s, i, 0);
		one += s->points[i].cost;
	}
	s->is_centre[0] = true;
	s->ncentres = 1;
	price = (float)(one / expected);
	for (uint32_t c = 1; c < s->n; c++) {
		if (wl_unit(rng) >= s->points[c].cost / price)
			continue;
		s->is_centre[c] = true;
		s->ncentres++;
		for (uint32_t i = 0; i < s->n; i++) {
			float cost = s->points[i].weight * distance(s, i, c);

			if (cost < s->points[i].cost) {
				s->points[i].cost = cost;
				s->points[i].assign = c;
			}
		}
	}
	for (uint32_t i = 0; i < s->n; i++)
		all += s->points[i].cost;
	s->price = (float)((one - all) / s->ncentres / 2);
}

static void number_centres(struct search *s)
{
	int32_t next = 0;

	for (uint32_t i = 0; i < s->n; i++)
		s->table[i] = s->is_centre[i] ? next++ : 0;
	s->stride = (s->ncentres + ROW_ALIGN) / ROW_ALIGN * ROW_ALIGN;
}

static void expect(struct search *s, uint32_t x)
{
	memset(s->lower, 0, (size_t)s->n * s->stride * sizeof(float));
	for (uint32_t i = 0; i < s->n; i++) {
		const struct point *p = &s->points[i];
		float more = distance(s, i, x) * p->weight - p->cost;
		float *row = s->lower + (size_t)i * s->stride;

		s->switches[i] = more < 0;
		row[more < 0 ? s->ncentres : (uint32_t)s->table[p->assign]] =
			more < 0 ? more : -more;
	}
}

/* Opens a centre at x if that lowers the cost of all, with the centres that then are to close. */
static void decide(struct search *s, uint32_t x, double *saved)
{
	double gain = -s->price;

	for (uint32_t c = 0; c <= s->ncentres; c++) {
		saved[c] = c < s->ncentres ? s->price : 0;
		for (uint32_t i = 0; i < s->n; i++)
			saved[c] += s->lower[(size_t)i * s->stride + c];
		if (c < s->ncentres && saved[c] > 0)
			gain += saved[c];
	}
	gain -= saved[s->ncentres];
	if (gain <= 0)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->switches[i] || saved[s->table[s->points[i].assign]] > 0) {
			s->points[i].cost = s->points[i].weight * distance(s, i, x);
			s->points[i].assign = x;
		}
	for (uint32_t i = 0; i < s->n; i++)
		if (s->is_centre[i] && saved[s->table[i]] > 0) {
			s->is_centre[i] = false;
			s->ncentres--;
		}
	s->is_centre[x] = true;
	s->ncentres++;
}

static void cluster(struct wl *w, uint32_t n, uint32_t dim, uint32_t candidates)
{
	struct search s = {.n = n, .dim = dim};
	size_t values = (size_t)n * dim, notes;
	struct wl_buf points = wl_alloc(w, "points", s.n * sizeof(struct point));
	struct wl_buf coord = wl_alloc(w, "coord", values * sizeof(float));
	struct wl_buf table = wl_alloc(w, "centre_table", s.n * sizeof(int32_t));
	struct wl_buf switches = wl_alloc(w, "switches", s.n), work;
	double *saved;
	struct wl_rng rng;

	s.coord = wl_host(w, values, sizeof(float));
	s.is_centre = wl_host(w, s.n, sizeof(bool));
	s.switches = wl_host(w, s.n, 1);
	if (wl_failed(w))
		return;
	s.points = points.p;
	s.table = table.i;
	wl_rng_start(&rng, w, 0);
	for (uint32_t i = 0; i < s.n; i++) {
		s.points[i].weight = 1;
		for (uint32_t d = 0; d < s.dim; d++)
			coord.f[(size_t)d * s.n + i] = s.coord[(size_t)i * s.dim + d] =
				wl_unit(&rng);
	}
	open_first(&s, (uint32_t)wl_param(w, "centres"), &rng);
	notes = (size_t)s.n * (s.ncentres + candidates + ROW_ALIGN);
	if (notes > INT32_MAX) {
		wl_fail(w, "streamcluster: %u centres of %u points are too many", s.ncentres, s.n);
		return;
	}
	work = wl_alloc(w, "work", notes * sizeof(float));
	s.lower = wl_host(w, notes, sizeof(float));
	saved = wl_host(w, s.ncentres + candidates + 1, sizeof(double));
	wl_upload(w, &coord);
	for (uint32_t launch = 0; launch < candidates && !wl_failed(w); launch++) {
		uint32_t x = wl_below(&rng, s.n);

		number_centres(&s);
		memset(work.p, 0, work.bytes);
		memset(switches.p, 0, switches.bytes);
		wl_upload(w, &points);
		wl_upload(w, &table);
		wl_upload(w, &work);
		wl_upload(w, &switches);
		WL_LAUNCH(w, "pgain", wl_dim(wl_ceil_div(s.n, THREADS), 1, 1),
			wl_dim(THREADS, 1, 1), s.dim * sizeof(float), wl_p(&points), wl_p(&coord),
			wl_p(&work), wl_p(&table), wl_p(&switches), wl_i((int32_t)s.n),
			wl_i((int32_t)s.dim), wl_l(x), wl_i((int32_t)s.ncentres),
			wl_i((int32_t)s.stride));
		expect(&s, x);
		wl_check_f32(w, &work, s.lower, (size_t)s.n * s.stride, 0, 0);
		wl_check_u8(w, &switches, s.switches, s.n);
		decide(&s, x, saved);
	}
}

static void run(struct wl *w)
{
	uint32_t n = (uint32_t)wl_param(w, "points"), dim = (uint32_t)wl_param(w, "dim");

	if ((uint64_t)n * dim > INT32_MAX)
		wl_fail(w, "streamcluster: points=%u of dim=%u are too many values", n, dim);
	else
		cluster(w, n, dim, (uint32_t)wl_param(w, "candidates"));
}

const struct workload wl_streamcluster = {
	.name = "streamcluster",
	.cls = "MCS COH",
	.papers = "thesis,tbc",
	.suite = "Rodinia",
	.summary = "gain of opening a centre, each point against it and the one that serves it",
	.params =
		{
			{"points", 65536, 2, 1 << 22, "points"},
			{"dim", 24, 1, 1024, "coordinates of a point"},
			{"centres", 15, 1, 1000, "centres to begin with, about"},
			{"candidates", 2, 1, 1000, "points tried as centres, a launch each"},
		},
	.presets =
		{
			{"tbc", "points=65536,dim=256,candidates=5",
				"Rodinia's: 1024 M instructions, table 1 has 941 M"},
		},
	.tiny = "points=600,dim=5,centres=4,candidates=2",
	.run = run,
};
