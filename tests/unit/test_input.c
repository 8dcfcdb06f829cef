/*
 * The inputs that workloads share: random numbers against published values, generators against
 * what their headers promise and against pinned hashes, readers against good and bad text. Left
 * out: how workloads use them.
 */
#include "datasets/workloads/input_parts.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cmocka.h>

/* ---- random numbers ---- */

static void rng_known_answers(void **state)
{
	/* xoshiro256** from the state 1, 2, 3, 4, as other implementations have it. */
	static const uint64_t want[] = {11520, 0, 1509978240, 1215971899390074240,
		1216172134540287360, 607988272756665600, 16172922978634559625u, 8476171486693032832,
		10595114339597558777u, 2904607092377533576};
	/* splitmix64 from 1234567, likewise. */
	static const uint64_t filled[] = {6457827717110365317, 3203168211198807973,
		9817491932198370423u, 4593380528125082431};
	struct wl_rng r = {{1, 2, 3, 4}};

	(void)state;
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(wl_u64(&r), want[i]);
	/* The first step of splitmix64 from 0 is 0xe220a8397b1dcdaf; the stream is folded into it.
	 */
	wl_rng_seed(&r, 0, 0xe220a8397b1dcdaf ^ 1234567);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(r.s[i], filled[i]);
}

static void rng_ranges(void **state)
{
	unsigned third[3] = {0};
	double sum = 0;
	struct wl_rng r;

	(void)state;
	wl_rng_seed(&r, 1, 0);
	for (unsigned i = 0; i < 30000; i++) {
		/* Four draws to three numbers: without rejection every third would come twice. */
		uint32_t v = wl_below(&r, 3u << 30);
		assert_true(v < 3u << 30);
		third[v % 3]++;
		assert_true(wl_below(&r, 7) < 7);
		assert_int_equal(wl_below(&r, 1), 0);
		assert_int_equal(wl_below(&r, 0), 0);
		float u = wl_unit(&r);
		assert_true(u >= 0 && u < 1);
		sum += u;
	}
	for (unsigned i = 0; i < 3; i++)
		assert_in_range(third[i], 9600, 10400);
	assert_true(fabs(sum / 30000 - 0.5) < 0.01);
}

static void rng_streams_differ(void **state)
{
	struct wl_rng a, b, c;

	(void)state;
	wl_rng_seed(&a, 5, 0);
	wl_rng_seed(&b, 5, 1);
	wl_rng_seed(&c, 6, 0);
	uint64_t va = wl_u64(&a), vb = wl_u64(&b), vc = wl_u64(&c);
	assert_true(va != vb && va != vc && vb != vc);
}

/* ---- graphs from a seed ---- */

static uint64_t hash(const void *p, size_t count, uint64_t seed)
{
	return XXH64(p, count * sizeof(uint32_t), seed);
}

static uint64_t graph_hash(const struct wl_graph *g)
{
	return hash(g->weight, g->m, hash(g->col, g->m, hash(g->row, g->n + 1, 0)));
}

static uint64_t matrix_hash(const struct wl_matrix *m)
{
	return hash(m->val, m->nnz, hash(m->col, m->nnz, hash(m->row, m->rows + 1, 0)));
}

static void assert_csr(
	const uint32_t *row, const uint32_t *col, uint32_t rows, uint32_t cols, uint32_t count)
{
	assert_int_equal(row[0], 0);
	assert_int_equal(row[rows], count);
	for (uint32_t i = 0; i < rows; i++) {
		assert_true(row[i] <= row[i + 1]);
		for (uint32_t k = row[i]; k < row[i + 1]; k++) {
			assert_true(col[k] < cols);
			assert_true(k == row[i] || col[k - 1] <= col[k]);
		}
	}
}

static void assert_graph(const struct wl_graph *g)
{
	assert_csr(g->row, g->col, g->n, g->n, g->m);
	for (uint32_t k = 0; k < g->m; k++)
		assert_in_range(g->weight[k], 1, 100);
}

/* How many edges from -> to have this weight. */
static unsigned edges(const struct wl_graph *g, uint32_t from, uint32_t to, int32_t weight)
{
	unsigned n = 0;

	for (uint32_t k = g->row[from]; k < g->row[from + 1]; k++)
		n += g->col[k] == to && g->weight[k] == weight;
	return n;
}

static void assert_symmetric(const struct wl_graph *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		for (uint32_t k = g->row[i]; k < g->row[i + 1]; k++)
			assert_int_equal(edges(g, i, g->col[k], g->weight[k]),
				edges(g, g->col[k], i, g->weight[k]));
}

static uint32_t most_edges(const struct wl_graph *g)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < g->n; i++)
		if (g->row[i + 1] - g->row[i] > most)
			most = g->row[i + 1] - g->row[i];
	return most;
}

static void assert_no_self_loop(const struct wl_graph *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		for (uint32_t k = g->row[i]; k < g->row[i + 1]; k++)
			assert_int_not_equal(g->col[k], i);
}

static void rmat(void **state)
{
	struct wl_graph g;

	(void)state;
	for (int undirected = 0; undirected < 2; undirected++) {
		assert_int_equal(wl_graph_rmat(&g, 5000, 8, undirected, 1, NULL), 1);
		assert_int_equal(g.n, 5000);
		assert_in_range(g.m, 39000 << undirected, 40000 << undirected);
		assert_graph(&g);
		assert_no_self_loop(&g);
		assert_true(most_edges(&g) > 20 * (8u << undirected));
		if (undirected)
			assert_symmetric(&g);
		wl_graph_free(&g);
	}
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void rmat_probabilities(void **state)
{
	/* Four nodes: two levels. Out-degree less self-loops, from a + b = 0.76 and a, d. */
	static const double want[] = {0.24 * 0.24 - 0.05 * 0.05, 0.76 * 0.24 - 0.57 * 0.05,
		0.76 * 0.24 - 0.57 * 0.05, 0.76 * 0.76 - 0.57 * 0.57};
	const double drawn = 4 * 50000;
	struct wl_graph g;
	uint32_t degree[4];

	(void)state;
	assert_int_equal(wl_graph_rmat(&g, 4, 50000, false, 3, NULL), 1);
	for (unsigned i = 0; i < 4; i++)
		degree[i] = g.row[i + 1] - g.row[i];
	qsort(degree, 4, sizeof(degree[0]), ascending);
	for (unsigned i = 0; i < 4; i++)
		assert_true(fabs(degree[i] / drawn - want[i]) < 0.004);
	wl_graph_free(&g);
}

/* Degrees as input.h has them: mean, least and most, and nodes with 32 or more in a thousand. */
static void bells(void **state)
{
	static const struct {
		enum wl_graph_kind kind;
		double mean;
		uint32_t least, most, few, many;
	} known[] = {{WL_CAGE15, 18.24, 2, 46, 5, 20}, {WL_EVEN, 42, 31, 52, 990, 1000}};
	const uint32_t n = 20000;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct wl_graph g;
		uint32_t most = 0, least = n, wide = 0;

		assert_int_equal(wl_graph_kind(&g, known[i].kind, n, 3, NULL), 1);
		assert_symmetric(&g);
		assert_true(fabs((double)g.m / n - known[i].mean) < 0.2);
		for (uint32_t v = 0; v < n; v++) {
			const uint32_t degree = g.row[v + 1] - g.row[v];

			most = degree > most ? degree : most;
			least = degree < least ? degree : least;
			wide += degree >= 32;
		}
		/* An edge or two of a node may have been left out. */
		assert_true(most <= known[i].most && most >= known[i].most - 8);
		assert_true(least + 2 >= known[i].least && least <= known[i].least + 2);
		assert_true(wide >= n / 1000 * known[i].few && wide <= n / 1000 * known[i].many);
		wl_graph_free(&g);
	}
}

/* Degrees as input.h has them: the mean, and a tail that ends where it is said to. */
static void tails(void **state)
{
	static const struct {
		enum wl_graph_kind kind;
		uint32_t n;
		double mean;
		uint32_t least_top, most; /* bounds of the largest degree */
	} known[] = {{WL_CITATION, 20000, 8.616, 500, 1739}, {WL_CITATION, 50, 8.616, 5, 49},
		{WL_FLIGHT, 3400, 10.378, 180, 237}};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const uint32_t n = known[i].n;
		struct wl_graph g;
		uint32_t most = 0, small = 0;

		assert_int_equal(wl_graph_kind(&g, known[i].kind, n, 3, NULL), 1);
		assert_symmetric(&g);
		for (uint32_t v = 0; v < n; v++) {
			const uint32_t degree = g.row[v + 1] - g.row[v];

			most = degree > most ? degree : most;
			small += degree < known[i].mean;
		}
		assert_true(most >= known[i].least_top && most <= known[i].most);
		if (n > 1000) { /* few nodes have most of the edges */
			assert_true(fabs((double)g.m / n - known[i].mean) < 0.5);
			assert_true(small > n / 100 * 65);
		}
		wl_graph_free(&g);
	}
}

static void generators_at_the_edge(void **state)
{
	struct tr_err err;
	struct wl_graph g;
	struct wl_matrix m;

	(void)state;
	assert_int_equal(wl_graph_rmat(&g, 1, 8, true, 1, &err), 1);
	assert_int_equal(g.m, 0); /* all self-loops */
	wl_graph_free(&g);
	assert_int_equal(wl_graph_rmat(&g, 0, 8, true, 1, &err), TR_EUSAGE);
	assert_int_equal(wl_graph_rmat(&g, 1u << 30, 4, false, 1, &err), TR_EUSAGE);
	assert_int_equal(wl_graph_rmat(&g, 2, UINT32_MAX, true, 1, &err), TR_EUSAGE);
	assert_null(g.row);
	assert_int_equal(wl_matrix_random(&m, 3, 2, 100, 1, &err), 1);
	assert_int_equal(m.nnz, 6); /* every column of every row */
	wl_matrix_free(&m);
	assert_int_equal(wl_matrix_random(&m, 0, 2, 1, 1, &err), TR_EUSAGE);
	assert_int_equal(wl_matrix_random(&m, 1u << 22, 1u << 22, 1u << 20, 1, &err), TR_EUSAGE);
	assert_null(m.row);
}

/* ---- matrices from a seed ---- */

static void assert_matrix(const struct wl_matrix *m)
{
	assert_csr(m->row, m->col, m->rows, m->cols, m->nnz);
	for (uint32_t i = 0; i < m->rows; i++)
		for (uint32_t k = m->row[i] + 1; k < m->row[i + 1]; k++)
			assert_true(m->col[k - 1] < m->col[k]);
	for (uint32_t k = 0; k < m->nnz; k++)
		assert_true(m->val[k] > 0 && m->val[k] <= 1);
}

static void matrix_random(void **state)
{
	struct wl_matrix m;
	uint32_t low_half = 0, shortest = UINT32_MAX, longest = 0, squares = 0;

	(void)state;
	assert_int_equal(wl_matrix_random(&m, 2000, 3000, 20, 1, NULL), 1);
	assert_matrix(&m);
	for (uint32_t i = 0; i < m.rows; i++) {
		uint32_t n = m.row[i + 1] - m.row[i];
		shortest = n < shortest ? n : shortest;
		longest = n > longest ? n : longest;
		squares += (n - 20) * (n - 20);
	}
	/* Binomial, mean and variance 20: eight of 2000 rows beyond 3 deviations, none beyond 6. */
	assert_in_range(shortest, 1, 9);
	assert_in_range(longest, 33, 47);
	assert_int_equal(m.nnz, 40000);
	assert_in_range(squares, 0.85 * 20 * m.rows, 1.15 * 20 * m.rows);
	for (uint32_t k = 0; k < m.nnz; k++)
		low_half += m.col[k] < 1500;
	assert_in_range(low_half, m.nnz * 0.49, m.nnz * 0.51);
	wl_matrix_free(&m);
}

/* ---- Zipf, images ---- */

static void assert_zipf(uint32_t n, uint32_t skew)
{
	struct wl_zipf z;
	double total = 0, upto = 0;

	assert_int_equal(wl_zipf_init(&z, n, skew, NULL), 1);
	for (uint32_t i = 0; i < n; i++)
		total += pow(i + 1, -(skew / 1000.0));
	for (uint32_t i = 0; i < n; i++) {
		upto += pow(i + 1, -(skew / 1000.0));
		assert_true(fabs((z.cdf[i] + 1.0) * 0x1p-32 - upto / total) < 1e-6);
		assert_true(!i || z.cdf[i - 1] <= z.cdf[i]);
	}
	assert_int_equal(z.cdf[n - 1], UINT32_MAX);
	wl_zipf_free(&z);
}

static void zipf_table(void **state)
{
	struct wl_zipf z;
	struct wl_rng r;

	(void)state;
	assert_zipf(1, 1000);
	assert_zipf(1000, 0);
	assert_zipf(1000, 500);
	assert_zipf(10000, 990);
	assert_zipf(1000, 1000);
	assert_zipf(1000, 2750);
	assert_zipf(100, 1000000);
	assert_int_equal(wl_zipf_init(&z, 0, 1000, NULL), TR_EUSAGE);
	wl_rng_seed(&r, 1, 0);
	assert_int_equal(wl_zipf_draw(&z, &r), 0);
}

static void zipf_draws(void **state)
{
	struct wl_zipf z;
	struct wl_rng r, twin;
	unsigned first = 0, draws = 20000;
	double harmonic = 0;

	(void)state;
	wl_rng_seed(&r, 1, 0);
	twin = r;
	assert_int_equal(wl_zipf_init(&z, 300, 1000, NULL), 1);
	for (unsigned i = 0; i < draws; i++) {
		uint32_t got = wl_zipf_draw(&z, &r), want = 0;
		uint32_t draw = (uint32_t)(wl_u64(&twin) >> 32);
		while (z.cdf[want] < draw)
			want++;
		assert_int_equal(got, want);
		first += !got;
	}
	for (unsigned i = 1; i <= 300; i++)
		harmonic += 1.0 / i;
	assert_true(fabs(first / (double)draws - 1 / harmonic) < 0.01);
	wl_zipf_free(&z);
}

static void image(void **state)
{
	enum { W = 200, H = 150 };
	static float p[W * H];
	float lo = 1, hi = 0;
	unsigned smooth = 0, steps = 0;

	(void)state;
	wl_image(p, W, H, 1);
	for (unsigned i = 0; i < W * H; i++) {
		assert_true(p[i] >= 0 && p[i] <= 1);
		lo = fminf(lo, p[i]);
		hi = fmaxf(hi, p[i]);
		if (i % W) {
			smooth += fabsf(p[i] - p[i - 1]) < 0.1f;
			steps += fabsf(p[i] - p[i - 1]) > 0.15f;
		}
	}
	assert_true(hi - lo > 0.5f);
	assert_true(smooth > W * H * 0.9);
	assert_true(steps > 100);
	wl_image(p, 0, 5, 1);
}

/* A number here moves only with the input of every workload that uses the generator. */
static void pinned(void **state)
{
	struct wl_graph g;
	struct wl_matrix m;
	struct wl_zipf z;
	float p[64 * 48];

	(void)state;
	assert_int_equal(wl_graph_rmat(&g, 3000, 8, true, 7, NULL), 1);
	assert_int_equal(graph_hash(&g), 0xe4b73c1bd39867f4);
	wl_graph_free(&g);
	assert_int_equal(wl_graph_rmat(&g, 3000, 8, true, 8, NULL), 1);
	assert_int_equal(graph_hash(&g), 0x89ca9a2c53a7de3a);
	wl_graph_free(&g);
	assert_int_equal(wl_matrix_random(&m, 500, 700, 12, 7, NULL), 1);
	assert_int_equal(matrix_hash(&m), 0x748900af980b1f68);
	wl_matrix_free(&m);
	assert_int_equal(wl_zipf_init(&z, 5000, 990, NULL), 1);
	assert_int_equal(hash(z.cdf, z.n, 0), 0x8aaf118a13f7208d);
	wl_zipf_free(&z);
	wl_image(p, 64, 48, 7);
	assert_int_equal(hash(p, 64 * 48, 0), 0xa6a873cb190d3f9e);
}

/* ---- readers ---- */

static FILE *text_file(const char *text, size_t len)
{
	FILE *f = len ? fmemopen((char *)text, len, "r") : fopen("/dev/null", "r");

	assert_non_null(f);
	return f;
}

static int parse_graph(struct wl_graph *g, const char *text, size_t len, struct tr_err *err)
{
	FILE *f = text_file(text, len);
	int rc = wl_graph_parse(g, f, "g", err);

	fclose(f);
	return rc;
}

static int parse_matrix(struct wl_matrix *m, const char *text, size_t len, struct tr_err *err)
{
	FILE *f = text_file(text, len);
	int rc = wl_matrix_parse(m, f, "m", err);

	fclose(f);
	return rc;
}

/* The same three nodes and three edges, 0 -> 1 (5), 1 -> 2 (7), 2 -> 0 (9), in each format. */
static const char *const same_graph[] = {
	"0 1 5\n1 2 7\n2 0 9\n",
	"# a comment\n\n% another\n 2\t0  9 \r\n1 2 7\r\n  # indented\n0 1 5",
	"+0 1 +5\n1 2 07\n2 0 9\n",
	"c made by hand\nc\np sp 3 3\na 1 2 5\na 2 3 7\nc between\n\na 3 1 9\n",
	"p sp 3 3\r\na 3 1 9\r\na 2 3 7\r\na 1 2 5",
	"%%MatrixMarket matrix coordinate integer general\n% c\n3 3 3\n1 2 5\n2 3 7\n3 1 9\n",
	"%%matrixmarket MATRIX Coordinate Real GENERAL\r\n\r\n3 3 3\r\n3 1 9.\r\n2 3 .7e1\r\n1 2 5",
};

static void read_same_graph(void **state)
{
	static const uint32_t row[] = {0, 1, 2, 3}, col[] = {1, 2, 0};
	static const int32_t weight[] = {5, 7, 9};
	struct tr_err err = {0};
	struct wl_graph g;

	(void)state;
	for (size_t i = 0; i < sizeof(same_graph) / sizeof(same_graph[0]); i++) {
		if (parse_graph(&g, same_graph[i], strlen(same_graph[i]), &err) != 1)
			fail_msg("%zu: %s", i, err.msg);
		assert_int_equal(g.n, 3);
		assert_int_equal(g.m, 3);
		assert_memory_equal(g.row, row, sizeof(row));
		assert_memory_equal(g.col, col, sizeof(col));
		assert_memory_equal(g.weight, weight, sizeof(weight));
		wl_graph_free(&g);
	}
}

static void read_symmetric(void **state)
{
	static const char text[] =
		"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 1\n3 3\n";
	static const uint32_t row[] = {0, 2, 3, 5}, col[] = {1, 2, 0, 0, 2};
	struct wl_graph g;

	(void)state;
	assert_int_equal(parse_graph(&g, text, strlen(text), NULL), 1);
	assert_int_equal(g.m, 5); /* the diagonal once */
	assert_memory_equal(g.row, row, sizeof(row));
	assert_memory_equal(g.col, col, sizeof(col));
	for (uint32_t k = 0; k < g.m; k++)
		assert_int_equal(g.weight[k], 1);
	wl_graph_free(&g);
}

static void read_repeated_and_isolated(void **state)
{
	static const char text[] = "3 1\n3 1\n0 0\n";
	static const uint32_t row[] = {0, 1, 1, 1, 3}, col[] = {0, 1, 1};
	struct wl_graph g;

	(void)state;
	assert_int_equal(parse_graph(&g, text, strlen(text), NULL), 1);
	assert_int_equal(g.n, 4);
	assert_memory_equal(g.row, row, sizeof(row));
	assert_memory_equal(g.col, col, sizeof(col));
	wl_graph_free(&g);
}

static void read_matrix(void **state)
{
	static const char text[] = "%%MatrixMarket matrix coordinate real general\n% c\n2 3 4\n"
				   "2 3 -1.5e-3\n1 2 0.1\n2 1 16777217\n1 1 -0\n";
	static const uint32_t row[] = {0, 2, 4}, col[] = {0, 1, 0, 2};
	static const float val[] = {-0.0f, 0.1f, 16777216.0f, -1.5e-3f};
	struct wl_matrix m;

	(void)state;
	assert_int_equal(parse_matrix(&m, text, strlen(text), NULL), 1);
	assert_int_equal(m.rows, 2);
	assert_int_equal(m.cols, 3);
	assert_int_equal(m.nnz, 4);
	assert_memory_equal(m.row, row, sizeof(row));
	assert_memory_equal(m.col, col, sizeof(col));
	assert_memory_equal(m.val, val, sizeof(val));
	wl_matrix_free(&m);
	static const char empty[] = "%%MatrixMarket matrix coordinate pattern general\n2 3 0";
	assert_int_equal(parse_matrix(&m, empty, strlen(empty), NULL), 1);
	assert_int_equal(m.row[2], 0);
	wl_matrix_free(&m);
}

#define MM "%%MatrixMarket matrix coordinate "
#define ROW9 "999999999"

static const struct {
	const char *text, *msg;
} bad_graphs[] = {
	{"", "g:1: the file is empty"},
	{"\n \n# c\n", "g:3: no edges: blank lines and comments only"},
	{"hello\n", "g:1: 'hello' begins no Matrix Market file, DIMACS file or edge list"},
	{"\x1f\x8b\x08", "g:1: the file is compressed by gzip: unpack it first with gunzip"},
	{"BZh91AY&SY", "g:1: the file is compressed by bzip2: unpack it first with bunzip2"},
	/* edge lists */
	{"0 1\n1 x\n", "g:2: the node 'x' is not a whole number"},
	{"0 1\n1 2.5\n", "g:2: the node '2.5' is not a whole number"},
	{"0 1\n1 \x1b[31m\n", "g:2: the node '?[31m' is not a whole number"},
	{"0 1\n1\n", "g:2: no node"},
	{"0 1\n1 -2\n", "g:2: the node -2 is not in 0 ... 4294967293"},
	{"0 4294967294\n", "g:1: the node 4294967294 is not in 0 ... 4294967293"},
	{"0 99999999999999999999999\n",
		"g:1: the node 99999999999999999999999 is not in 0 ... 4294967293"},
	{"0 4294967293\n", "g:1: 4294967294 nodes are too many for a file of 1 entries"},
	{"0 1\n1 2 3\n", "g:2: unexpected '3' at the end of the line"},
	{"0 1 4\n1 2\n", "g:2: no weight, though the first edge has one"},
	{"0 1 4\n1 2 -3\n", "g:2: the weight -3 is not in 1 ... 2147483647"},
	{"0 1 0\n", "g:1: the weight 0 is not in 1 ... 2147483647"},
	{"0 1 2147483648\n", "g:1: the weight 2147483648 is not in 1 ... 2147483647"},
	{"0 1 1 1\n", "g:1: unexpected '1' at the end of the line"},
	{"0,1\n", "g:1: the node '0,1' is not a whole number"},
	/* DIMACS */
	{"c\nc only\n", "g:2: the file ends before the problem line"},
	{"c\na 1 2 3\n", "g:2: an arc before the problem line"},
	{"p\n", "g:1: no problem"},
	{"p max 3 3\n", "g:1: the problem 'max' is not supported (sp)"},
	{"p sp 3\n", "g:1: no number of arcs"},
	{"p sp 0 0\n", "g:1: the number of nodes 0 is not in 1 ... 4294967294"},
	{"p sp 3 1000000000000\n",
		"g:1: the number of arcs 1000000000000 is not in 0 ... 4294967295"},
	{"p sp 3 1 1\n", "g:1: unexpected '1' at the end of the line"},
	{"p sp 3 1\np sp 3 1\n", "g:2: a second problem line"},
	{"p sp 3 1\nx 1 2 3\n", "g:2: the line 'x' is not supported (c|p|a)"},
	{"p sp 3 1\na 0 2 3\n", "g:2: the node 0 is not in 1 ... 3"},
	{"p sp 3 1\na 1 4 3\n", "g:2: the node 4 is not in 1 ... 3"},
	{"p sp 3 1\na 1 2\n", "g:2: no weight"},
	{"p sp 3 1\na 1 2 -1\n", "g:2: the weight -1 is not in 1 ... 2147483647"},
	{"p sp 3 2\na 1 2 1\n",
		"g:2: the file ends after 1 of the 2 arcs that the problem line states"},
	{"p sp 3 4294967295\na 1 2 1\n\n",
		"g:3: the file ends after 1 of the 4294967295 arcs that the problem line states"},
	{"p sp 3 1\na 1 2 1\na 1 2 1\n", "g:3: more arcs than the 1 that the problem line states"},
	{"p sp 999999999 0\n", "g:1: 999999999 nodes are too many for a file of 0 entries"},
	/* Matrix Market */
	{"%%MatrixMarketX matrix\n",
		"g:1: the banner '%%MatrixMarketX' is not supported (%%MatrixMarket)"},
	{"%%MatrixMarket\n", "g:1: no object"},
	{"%%MatrixMarket vector coordinate real general\n",
		"g:1: the object 'vector' is not supported (matrix)"},
	{"%%MatrixMarket matrix array real general\n",
		"g:1: the format 'array' is not supported (coordinate)"},
	{MM "complex general\n",
		"g:1: the field 'complex' is not supported (pattern|integer|real)"},
	{MM "real hermitian\n",
		"g:1: the symmetry 'hermitian' is not supported (general|symmetric)"},
	{MM "real\n", "g:1: no symmetry"},
	{MM "real general 7\n", "g:1: unexpected '7' at the end of the line"},
	{MM "real general\n% c\n", "g:2: the file ends before the line of sizes"},
	{MM "real general\n3 3\n", "g:2: no number of entries"},
	{MM "real general\n3 3 3 3\n", "g:2: unexpected '3' at the end of the line"},
	{MM "real general\n3 x 3\n", "g:2: the number of columns 'x' is not a whole number"},
	{MM "real general\n3 3 1000000000000\n",
		"g:2: the number of entries 1000000000000 is not in 0 ... 4294967295"},
	{MM "real general\n3 4 1\n", "g:2: 3 rows and 4 columns: the matrix of a graph is square"},
	{MM "real symmetric\n3 4 1\n", "g:2: a symmetric matrix of 3 rows and 4 columns"},
	{MM "pattern symmetric\n3 3 1\n1 2\n",
		"g:3: an entry above the diagonal of a symmetric matrix"},
	{MM "pattern general\n3 3 1\n0 2\n", "g:3: the row 0 is not in 1 ... 3"},
	{MM "pattern general\n3 3 1\n1 4\n", "g:3: the column 4 is not in 1 ... 3"},
	{MM "pattern general\n3 3 1\n1 2 3\n", "g:3: unexpected '3' at the end of the line"},
	{MM "integer general\n3 3 1\n1 2\n", "g:3: no weight"},
	{MM "integer general\n3 3 1\n1 2 3.0\n", "g:3: the weight '3.0' is not a whole number"},
	{MM "integer general\n3 3 1\n1 2 -3\n",
		"g:3: the weight -3 is not a whole number in 1 ... 2147483647"},
	{MM "real general\n3 3 1\n1 2 0.5\n",
		"g:3: the weight 0.5 is not a whole number in 1 ... 2147483647"},
	{MM "real general\n3 3 1\n1 2 1e99\n",
		"g:3: the weight 1e99 is not a whole number in 1 ... 2147483647"},
	{MM "real general\n3 3 1\n1 2 nan\n", "g:3: the weight 'nan' is not a number"},
	{MM "pattern general\n3 3 2\n1 2\n\n",
		"g:4: the file ends after 1 of the 2 entries that line 2 states"},
	{MM "pattern general\n% c\n3 3 1\n1 2\n1 3\n",
		"g:5: more entries than the 1 that line 3 states"},
	{MM "pattern general\n" ROW9 " " ROW9 " 1\n1 2\n",
		"g:3: 999999999 rows are too many for a file of 1 entries"},
};

static const struct {
	const char *text, *msg;
} bad_matrices[] = {
	{"", "m:1: the file is empty"},
	{"0 1\n", "m:1: the first line does not begin with %%MatrixMarket"},
	{"%%MatrixMark", "m:1: the first line does not begin with %%MatrixMarket"},
	{MM "real general\n3 3 1\n1 2 x\n", "m:3: the value 'x' is not a number"},
	{MM "real general\n3 3 1\n1 2 0x10\n", "m:3: the value '0x10' is not a number"},
	{MM "real general\n3 3 1\n1 2 inf\n", "m:3: the value 'inf' is not a number"},
	{MM "real general\n3 3 1\n1 2 1e39\n", "m:3: the value 1e39 is beyond a float"},
	{MM "real general\n3 3 1\n1 2 1 2\n", "m:3: unexpected '2' at the end of the line"},
	{MM "real general\n3 3 1\n1 2\n", "m:3: no value"},
	{MM "pattern general\n3 " ROW9 " 1\n1 2\n",
		"m:3: 999999999 columns are too many for a file of 1 entries"},
};

static void read_bad(void **state)
{
	struct tr_err err;
	struct wl_graph g;
	struct wl_matrix m;

	(void)state;
	for (size_t i = 0; i < sizeof(bad_graphs) / sizeof(bad_graphs[0]); i++) {
		const char *text = bad_graphs[i].text;
		assert_int_equal(parse_graph(&g, text, strlen(text), &err), TR_EDATA);
		assert_string_equal(err.msg, bad_graphs[i].msg);
		assert_null(g.row);
	}
	for (size_t i = 0; i < sizeof(bad_matrices) / sizeof(bad_matrices[0]); i++) {
		const char *text = bad_matrices[i].text;
		assert_int_equal(parse_matrix(&m, text, strlen(text), &err), TR_EDATA);
		assert_string_equal(err.msg, bad_matrices[i].msg);
		assert_null(m.row);
	}
	assert_int_equal(parse_graph(&g, "0 1\n1 \0 2\n", 10, &err), TR_EDATA);
	assert_string_equal(err.msg, "g:2: a zero byte: this is not a text file");
	assert_int_equal(err.offset, 4);
}

static void read_long_line(void **state)
{
	static char text[5000];
	struct tr_err err;
	struct wl_graph g;

	(void)state;
	memset(text, ' ', sizeof(text));
	memcpy(text, "0 1\n2 3", 7);
	assert_int_equal(parse_graph(&g, text, 4 + 4095, &err), 1);
	wl_graph_free(&g);
	assert_int_equal(parse_graph(&g, text, 4 + 4096, &err), TR_EDATA);
	assert_string_equal(err.msg, "g:2: the line is longer than 4095 characters");
}

/* A cut file is read without complaint only where what is left is whole. */
static void read_cut(void **state)
{
	struct tr_err err;
	struct wl_graph g;

	(void)state;
	for (size_t i = 0; i < sizeof(same_graph) / sizeof(same_graph[0]); i++) {
		size_t len = strlen(same_graph[i]);
		for (size_t cut = 0; cut < len; cut++) {
			int rc = parse_graph(&g, same_graph[i], cut, &err);
			assert_true(rc == 1 || (rc == TR_EDATA && !strncmp(err.msg, "g:", 2)));
			if (rc == 1)
				assert_csr(g.row, g.col, g.n, g.n, g.m);
			wl_graph_free(&g);
		}
	}
}

static void read_files(void **state)
{
	char dir[] = "/tmp/test-input-XXXXXX", path[64], want[128];
	struct tr_err err;
	struct wl_graph g, back;
	struct wl_matrix m, mback;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(wl_graph_read(&g, dir, &err), TR_EIO);
	snprintf(want, sizeof(want), "cannot read '%s': Is a directory", dir);
	assert_string_equal(err.msg, want);
	assert_int_equal(wl_matrix_read(&m, dir, &err), TR_EIO);
	assert_string_equal(err.msg, want);
	snprintf(path, sizeof(path), "%s/f", dir);
	assert_int_equal(wl_graph_read(&g, path, &err), TR_EIO);
	snprintf(want, sizeof(want), "cannot read '%s': No such file or directory", path);
	assert_string_equal(err.msg, want);
	assert_int_equal(wl_matrix_read(&m, path, &err), TR_EIO);
	assert_string_equal(err.msg, want);

	/* Written, then read, is the same. */
	assert_int_equal(wl_graph_rmat(&g, 2000, 4, false, 1, &err), 1);
	FILE *f = fopen(path, "w");
	fprintf(f, "p sp %u %u\n", g.n, g.m);
	for (uint32_t i = 0; i < g.n; i++)
		for (uint32_t k = g.row[i]; k < g.row[i + 1]; k++)
			fprintf(f, "a %u %u %d\n", i + 1, g.col[k] + 1, g.weight[k]);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(wl_graph_read(&back, path, &err), 1);
	assert_int_equal(back.n, g.n);
	assert_int_equal(graph_hash(&back), graph_hash(&g));
	wl_graph_free(&g);
	wl_graph_free(&back);

	assert_int_equal(wl_matrix_random(&m, 300, 400, 9, 1, &err), 1);
	f = fopen(path, "w");
	fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n");
	fprintf(f, "%u %u %u\n", m.rows, m.cols, m.nnz);
	/* Rows backwards: the order of a file says nothing. */
	for (uint32_t i = m.rows; i-- > 0;)
		for (uint32_t k = m.row[i]; k < m.row[i + 1]; k++)
			fprintf(f, "%u %u %.9g\n", i + 1, m.col[k] + 1, m.val[k]);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(wl_matrix_read(&mback, path, &err), 1);
	assert_int_equal(mback.cols, m.cols);
	assert_int_equal(matrix_hash(&mback), matrix_hash(&m));
	wl_matrix_free(&m);
	wl_matrix_free(&mback);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rng_known_answers),
		cmocka_unit_test(rng_ranges),
		cmocka_unit_test(rng_streams_differ),
		cmocka_unit_test(rmat),
		cmocka_unit_test(rmat_probabilities),
		cmocka_unit_test(bells),
		cmocka_unit_test(tails),
		cmocka_unit_test(generators_at_the_edge),
		cmocka_unit_test(matrix_random),
		cmocka_unit_test(zipf_table),
		cmocka_unit_test(zipf_draws),
		cmocka_unit_test(image),
		cmocka_unit_test(pinned),
		cmocka_unit_test(read_same_graph),
		cmocka_unit_test(read_symmetric),
		cmocka_unit_test(read_repeated_and_isolated),
		cmocka_unit_test(read_matrix),
		cmocka_unit_test(read_bad),
		cmocka_unit_test(read_long_line),
		cmocka_unit_test(read_cut),
		cmocka_unit_test(read_files),
	};
	return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
