/*
 * Inputs that workloads share: graphs and sparse matrices, made from a seed or read from a file,
 * images, Zipf keys. All deterministic: the same seed gives the same bytes on every machine (no
 * libm call whose last bit may differ decides anything).
 */
#ifndef INPUT_H
#define INPUT_H

#include "workload.h"

/*
 * Calls that return an int give 1 or a TR_E*; what they fill is freed by the _free beside them,
 * also after an error. Sizes that cannot be are TR_EUSAGE, a bad file is TR_EDATA, one that cannot
 * be read TR_EIO.
 */

/* CSR. Edges of node i: col[row[i]] ... col[row[i + 1] - 1], ascending, parallel ones repeated. */
struct wl_graph {
	uint32_t n, m;
	uint32_t *row;   /* n + 1 */
	uint32_t *col;   /* m */
	int32_t *weight; /* m, all >= 1 */
};

struct wl_matrix {
	uint32_t rows, cols, nnz;
	uint32_t *row; /* rows + 1 */
	uint32_t *col; /* nnz, ascending within a row; an entry that a file repeats is repeated */
	float *val;
};

/*
 * R-MAT (Chakrabarti, Zhan, Faloutsos, SDM 2004) with a, b, c, d = 0.57, 0.19, 0.19, 0.05
 * (Graph500) on n nodes (any n; ids beyond it are drawn again), n * degree edges before self-loops
 * are dropped; node ids are shuffled; weights 1 ... 100. `undirected` adds each edge both ways.
 */
int wl_graph_rmat(struct wl_graph *g, uint32_t n, uint32_t degree, bool undirected, uint64_t seed,
	struct tr_err *err);
/*
 * As Rodinia's generator for bfs makes them: each node draws `least` to `most` edges to nodes
 * anywhere, each in both directions, so degrees are about least + most with a short tail.
 */
int wl_graph_rodinia(struct wl_graph *g, uint32_t n, uint32_t least, uint32_t most, uint64_t seed,
	struct tr_err *err);
/*
 * The graphs of Wang et al. (ISCA 2015, table 4) in made form, with their degrees and any number of
 * nodes. A citation network: 8.616 edges a node as the DIMACS challenge's citationCiteseer (268,495
 * nodes and 1,156,647 edges), 1,739 at most and a tail of the exponent 2.731, as the KONECT
 * collection lists CiteSeer's network of 384,413 nodes. A network of flights: 10.378 edges a node,
 * 237 at most, exponent 1.741, as KONECT lists OpenFlights' (Opsahl's 14c: 2,939 airports, 30,501
 * directed edges, 473 at most where both directions count). Roads (a grid with gaps, 2.4 edges),
 * graph500 (R-MAT, 42 edges). cage15 has 18.24 edges a node and 46 at most, as the 10th DIMACS
 * challenge lists it (5,154,859 nodes and 47,022,346 edges), to nodes anywhere; its deviation, 5.7,
 * is ours, so 1 node in 100 has 32 or more. The paper says of its graph500 that degrees vary little
 * (5.2), which R-MAT's do not: graph500-even has 42 edges a node, 32 to 52. Each edge is there in
 * both directions. For sssp-dyn and clr as well as bfs-dyn.
 */
#define WL_GRAPH_KINDS "citation,road,cage15,graph500,flight,graph500-even"
enum wl_graph_kind { WL_CITATION, WL_ROAD, WL_CAGE15, WL_GRAPH500, WL_FLIGHT, WL_EVEN };
int wl_graph_kind(
	struct wl_graph *g, enum wl_graph_kind kind, uint32_t n, uint64_t seed, struct tr_err *err);
/*
 * Matrix Market (coordinate; pattern, integer or real; general or symmetric), DIMACS shortest-path
 * (.gr: p sp, a), or edge list (two or three integers a line, # or % comments, 0-based);
 * recognized by content. Entry (i, j) is the edge i -> j. Weights are whole numbers from 1 on,
 * those of a real matrix too, and 1 where the file has none. Errors name file, line and reason.
 */
int wl_graph_read(struct wl_graph *g, const char *path, struct tr_err *err);
/* The graph of --graph, or the made one of the parameters `input` and `nodes`. */
void wl_graph_input(struct wl *w, struct wl_graph *g);
void wl_graph_free(struct wl_graph *g);

/*
 * rows * per_row entries thrown evenly on the rows (one on a full row is lost), columns even over
 * the row and different: each entry is there with one probability, as in SHOC's random matrix.
 */
int wl_matrix_random(struct wl_matrix *m, uint32_t rows, uint32_t cols, uint32_t per_row,
	uint64_t seed, struct tr_err *err);
int wl_matrix_read(struct wl_matrix *m, const char *path, struct tr_err *err); /* Matrix Market */
void wl_matrix_free(struct wl_matrix *m);

/*
 * Zipf: ranks 0 ... n-1 with probability proportional to 1 / (rank + 1)^(skew / 1000), by a table
 * of cumulative 32-bit weights computed in fixed steps (no pow whose rounding could differ).
 */
struct wl_zipf {
	uint32_t n;
	uint32_t *cdf;
};
int wl_zipf_init(struct wl_zipf *z, uint32_t n, uint32_t skew_permille, struct tr_err *err);
/* A table whose init failed draws 0. */
uint32_t wl_zipf_draw(const struct wl_zipf *z, struct wl_rng *r);
void wl_zipf_free(struct wl_zipf *z);

/* A grey image of smooth noise and edges, width * height values in [0, 1]. */
void wl_image(float *out, uint32_t width, uint32_t height, uint64_t seed);

#endif
