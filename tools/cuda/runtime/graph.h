/* What the files about graphs share: a graph's parts, and what is done with them. */
#ifndef CUDA_GRAPH_H
#define CUDA_GRAPH_H

#include "map.h"
#include "rt.h"
#include <pthread.h>

struct CUgraphNode_st {
	struct CUgraphNode_st *next, **link; /* in the graph's list, in the order of making */
	struct rt_graph *graph;
	const struct CUgraphNode_st *origin; /* what it is a copy of */
	struct CUgraphNode_st *twin;         /* its copy, while one is made */
	struct CUgraphNode_st **before;      /* those that it waits for */
	size_t nbefore;
	bool open;                   /* the search for an order is in it, */
	size_t at;                   /* has seen so many of those before it, */
	struct CUgraphNode_st *back; /* and goes on here then */
	bool off;                    /* of an executable graph: not run */
	bool must_join;              /* captured, and nothing but the capture has to do with it */
	enum cudaGraphNodeType type;
	struct rt_launch launch;
	void **args; /* with their bytes after them, arg_bytes in all */
	size_t arg_bytes;
	uint32_t nargs;
	struct cudaMemcpy3DParms copy; /* of_3d */
	bool of_3d;
	void *dst; /* of a copy or a set; the memory that is allocated or freed */
	const void *src;
	size_t dpitch, spitch, width, height; /* height: rows, also where it is one */
	int value;                            /* of a set; a copy's kind */
	size_t element;
	cudaHostFn_t fn;
	void *user;
	cudaEvent_t event;
	struct rt_graph *child;
	struct rt_condition *condition; /* what decides which of the bodies is run, how often */
	enum cudaGraphConditionalNodeType decides;
	struct rt_graph **bodies;
	unsigned nbodies;
};
typedef struct CUgraphNode_st node;

struct rt_graph {
	node *first, **end;
	size_t n;
	bool executable, frees; /* frees: memory of the last run before the next */
	bool running;           /* an executable one, of the thread `runner` */
	pthread_t runner;
	bool within;          /* a node of another graph has it */
	uint64_t capture;     /* the number of the capture that it comes from now, or 0 */
	struct rt_map copies; /* of an executable one: its nodes by what they are copies of */
	struct rt_tail *tail; /* of the stream whose calls are captured now */
	struct rt_condition **conditions;
	size_t nconditions;
};

/*
 * The graph of a handle, the executable one, the node: NULL if there is none, or no more. An
 * executable one that another thread runs is waited for; one that this thread runs is NULL, since
 * host functions may not call the runtime.
 */
struct rt_graph *rt_graph_of(cudaGraph_t handle);
struct rt_graph *rt_graph_exec_of(cudaGraphExec_t handle);
bool rt_graph_has(const struct rt_graph *g, const node *n);
node *rt_node_of(cudaGraphNode_t handle);
/* Does a capture go on in it, or in a graph within it? */
bool rt_graph_is_captured(const struct rt_graph *g);
bool rt_node_is_captured(const node *n);
/* The executable graph's copy of a node, or NULL. */
node *rt_graph_copy(cudaGraphExec_t exec, cudaGraphNode_t origin);

/* A node like n at the end of g, which owns what n has from here on; NULL: no memory, n's is freed.
 */
node *rt_graph_append(struct rt_graph *g, const node *n);
void rt_graph_remove(node *n);
cudaError_t rt_node_wait_for(node *n, node *const *before, size_t count);
struct rt_graph *rt_graph_copy_of(struct rt_graph *g); /* NULL: no memory, or a circle */
/* Frees what a node that was never appended has. */
void rt_node_clear(node *n);

/* Adds n, whose making went as e says, behind `count` others. */
cudaError_t rt_node_add(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
	size_t count, node *n, cudaError_t e);

/*
 * condition.c: values in device memory that decide about nodes. A graph and its copies keep them,
 * and a node keeps its own, until the last one is dropped. rt_conditions_start gives those that
 * want so their first values before a launch; rt_condition_run calls `run` for what they choose.
 */
void rt_condition_keep(struct rt_condition *c, int more);
bool rt_conditions_copy(struct rt_graph *to, const struct rt_graph *from);
void rt_conditions_drop(struct rt_graph *g);
cudaError_t rt_conditions_start(const struct rt_graph *g);
cudaError_t rt_condition_run(const node *n, cudaError_t (*run)(const struct rt_graph *g));

/* What nodes hold. */
cudaError_t rt_node_launch(node *n, const struct rt_launch *l, void *const *args);
cudaError_t rt_node_kernel(node *n, const struct cudaKernelNodeParams *p);
cudaError_t rt_node_set(node *n, const struct cudaMemsetParams *p);
node rt_node_copy(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
	size_t height, enum cudaMemcpyKind kind);

#endif
