/*
 * Graphs: what a stream was told while it was captured, or what a program added node by node, with
 * the bytes of the arguments. An executable graph is a copy in an order that keeps to what waits
 * for what, each of whose nodes knows the one that it is a copy of; it is run in that order.
 *
 * Left out: conditional nodes, and nodes of events and of memory.
 */
#include "rt.h"
#include <stdlib.h>
#include <string.h>

struct CUgraphNode_st {
	struct CUgraphNode_st *next;
	const struct CUgraphNode_st *origin; /* what it is a copy of */
	struct CUgraphNode_st *twin;         /* its copy, while one is made */
	struct CUgraphNode_st **before;      /* those that it waits for */
	size_t nbefore;
	bool open;                   /* the search for an order is in it, */
	size_t at;                   /* has seen so many of those before it, */
	struct CUgraphNode_st *back; /* and goes on here then */
	enum cudaGraphNodeType type;
	struct rt_launch launch;
	void **args; /* with their bytes after them, nargs_bytes in all */
	size_t arg_bytes;
	uint32_t nargs;
	void *dst;
	const void *src;
	size_t dpitch, spitch, width, height;
	int value; /* of a set; a copy's kind */
	size_t element;
	bool of_3d;
	struct cudaMemcpy3DParms copy;
	cudaHostFn_t fn;
	void *user;
	struct rt_graph *child;
};
typedef struct CUgraphNode_st node;

struct rt_graph {
	struct rt_graph *next, **link; /* among all that are there, by which handles are known */
	node *first, **end;
	size_t n;
};
static struct rt_graph *graphs;

struct rt_graph *rt_graph_new(void)
{
	struct rt_graph *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->end = &g->first;
	g->next = graphs;
	g->link = &graphs;
	if (g->next)
		g->next->link = &g->next;
	return graphs = g;
}

/* The graph of a handle; NULL: there is none, or no more. */
static struct rt_graph *graph_of(const void *handle)
{
	struct rt_graph *g = graphs;

	while (g && g != handle)
		g = g->next;
	return g;
}

static void node_free(node *n)
{
	rt_graph_drop(n->child);
	free(n->before);
	free(n->args);
	free(n);
}

void rt_graph_drop(struct rt_graph *g)
{
	if (!g)
		return;
	*g->link = g->next;
	if (g->next)
		g->next->link = g->link;
	while (g->first) {
		node *n = g->first;
		g->first = n->next;
		node_free(n);
	}
	free(g);
}

/* A node like n at the end of g, which owns what n has from here on; NULL: no memory, n's is freed.
 */
static node *append(struct rt_graph *g, const node *n)
{
	node *copy = malloc(sizeof(*copy));

	if (!copy) {
		free(n->args);
		rt_graph_drop(n->child);
		return NULL;
	}
	*copy = *n;
	copy->next = NULL;
	*g->end = copy;
	g->end = &copy->next;
	g->n++;
	return copy;
}

static cudaError_t captured(struct rt_graph *g, const node *n)
{
	return append(g, n) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* ---- what nodes hold ---- */

/* Copies the arguments; the kernel is known. */
static cudaError_t set_launch(node *n, const struct rt_launch *l, void *const *args)
{
	const struct ptx_kernel *k = l->f->kernel;
	const uint32_t count = ptx_nparams(k);
	size_t bytes = count * sizeof(void *);
	void **copy;
	char *at;

	for (uint32_t i = 0; i < count; i++)
		bytes += ptx_param_bytes(k, i);
	copy = malloc(bytes + 1);
	if (!copy)
		return cudaErrorMemoryAllocation;
	at = (char *)(copy + count);
	for (uint32_t i = 0; i < count; i++) {
		copy[i] = memcpy(at, args[i], ptx_param_bytes(k, i));
		at += ptx_param_bytes(k, i);
	}
	free(n->args);
	n->type = cudaGraphNodeTypeKernel;
	n->launch = *l;
	n->args = copy;
	n->nargs = count;
	n->arg_bytes = bytes;
	return cudaSuccess;
}

static cudaError_t set_kernel(node *n, const struct cudaKernelNodeParams *p)
{
	struct rt_launch l = {NULL, p->gridDim, p->blockDim, p->sharedMemBytes, false};
	cudaError_t e;

	l.f = rt_function(p->func);
	if (!l.f || (!p->kernelParams && p->extra))
		return l.f ? cudaErrorNotSupported : cudaErrorInvalidDeviceFunction;
	e = rt_kernel_of(l.f);
	if (!e && !p->kernelParams && ptx_nparams(l.f->kernel))
		e = cudaErrorInvalidValue;
	return e ? e : set_launch(n, &l, p->kernelParams);
}

static node copy_node(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
	size_t height, enum cudaMemcpyKind kind)
{
	return (node){.type = cudaGraphNodeTypeMemcpy,
		.dst = dst,
		.dpitch = dpitch,
		.src = src,
		.spitch = spitch,
		.width = width,
		.height = height,
		.value = (int)kind};
}

cudaError_t rt_capture_launch(struct rt_graph *g, const struct rt_launch *l, void *const *args)
{
	node n = {0};
	const cudaError_t e = set_launch(&n, l, args);

	return e ? e : captured(g, &n);
}

cudaError_t rt_capture_copy(struct rt_graph *g, void *dst, size_t dpitch, const void *src,
	size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	const node n = copy_node(dst, dpitch, src, spitch, width, height, kind);

	return captured(g, &n);
}

cudaError_t rt_capture_copy_3d(struct rt_graph *g, const struct cudaMemcpy3DParms *p)
{
	return captured(g, &(node){.type = cudaGraphNodeTypeMemcpy, .of_3d = true, .copy = *p});
}

cudaError_t rt_capture_set(
	struct rt_graph *g, void *p, size_t pitch, int value, size_t width, size_t height)
{
	return captured(g, &(node){.type = cudaGraphNodeTypeMemset,
				   .dst = p,
				   .dpitch = pitch,
				   .width = width,
				   .height = height,
				   .element = 1,
				   .value = value});
}

cudaError_t rt_capture_host(struct rt_graph *g, cudaHostFn_t fn, void *user)
{
	return captured(g, &(node){.type = cudaGraphNodeTypeHost, .fn = fn, .user = user});
}

/* ---- copies ---- */

static struct rt_graph *copy_of(struct rt_graph *g);

/* What n has of its own, once more for its copy. */
static bool own(node *copy, const node *n)
{
	copy->twin = NULL;
	copy->before = NULL;
	copy->nbefore = 0;
	copy->origin = n;
	copy->args = NULL;
	copy->child = NULL;
	if (n->child && !(copy->child = copy_of(n->child)))
		return false;
	if (!n->args)
		return true;
	copy->args = malloc(n->arg_bytes + 1);
	if (!copy->args) {
		rt_graph_drop(copy->child);
		return false;
	}
	memcpy(copy->args, n->args, n->arg_bytes);
	for (uint32_t i = 0; i < n->nargs; i++)
		copy->args[i] =
			(char *)copy->args + ((const char *)n->args[i] - (const char *)n->args);
	return true;
}

/* Copies n, of which all that it waits for has a copy. */
static bool copy_one(struct rt_graph *to, node *n)
{
	node copy = *n;

	copy.open = false;
	if (!own(&copy, n) || !(n->twin = append(to, &copy)))
		return false;
	if (n->nbefore && !(n->twin->before = calloc(n->nbefore, sizeof(node *))))
		return false;
	for (size_t i = 0; i < n->nbefore; i++)
		n->twin->before[i] = n->before[i]->twin;
	n->twin->nbefore = n->nbefore;
	return true;
}

/* Copies n behind all that it waits for. false: no memory, or it waits for itself. */
static bool visit(struct rt_graph *to, node *n)
{
	n->back = NULL;
	n->open = true;
	while (n) {
		if (n->at < n->nbefore) {
			node *before = n->before[n->at++];
			if (before->twin)
				continue;
			if (before->open)
				return false;
			before->open = true;
			before->back = n;
			n = before;
			continue;
		}
		if (!copy_one(to, n))
			return false;
		n->open = false;
		n = n->back;
	}
	return true;
}

static struct rt_graph *copy_of(struct rt_graph *g)
{
	struct rt_graph *copy = rt_graph_new();
	bool good = copy != NULL;

	for (node *n = g->first; n; n = n->next) {
		n->twin = NULL;
		n->open = false;
		n->at = 0;
	}
	for (node *n = g->first; n && good; n = n->next)
		good = n->twin || visit(copy, n);
	if (good)
		return copy;
	rt_graph_drop(copy);
	return NULL;
}

/* ---- graphs node by node ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
	RT_ENTER();
	if (!graph || flags)
		return rt_leave(cudaErrorInvalidValue);
	*graph = (cudaGraph_t)rt_graph_new();
	return rt_leave(*graph ? cudaSuccess : cudaErrorMemoryAllocation);
}

static bool is_in(const struct rt_graph *g, const node *n)
{
	const node *at = g->first;

	while (at && at != n)
		at = at->next;
	return at && n;
}

/* Is it a node of any graph that is there? */
static bool is_node(const node *n)
{
	const struct rt_graph *g = graphs;

	while (g && !is_in(g, n))
		g = g->next;
	return g != NULL;
}

static cudaError_t wait_for(node *n, const cudaGraphNode_t *before, size_t count)
{
	node **more = realloc(n->before, (n->nbefore + count + 1) * sizeof(*more));

	if (!more)
		return cudaErrorMemoryAllocation;
	n->before = more;
	for (size_t i = 0; i < count; i++)
		n->before[n->nbefore++] = before[i];
	return cudaSuccess;
}

/* Adds n, whose making went as e says, behind `count` others. */
static cudaError_t add(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
	size_t count, const node *n, cudaError_t e)
{
	struct rt_graph *g = graph_of(graph);

	if (!e && (!out || !g || (count && !before)))
		e = cudaErrorInvalidValue;
	for (size_t i = 0; i < count && !e; i++)
		e = is_in(g, before[i]) ? cudaSuccess : cudaErrorInvalidValue;
	if (e) {
		free(n->args);
		rt_graph_drop(n->child);
		return e;
	}
	*out = append(g, n);
	return *out ? wait_for(*out, before, count) : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, const struct cudaKernelNodeParams *p)
{
	node n = {0};
	RT_ENTER();
	const cudaError_t e = p ? set_kernel(&n, p) : cudaErrorInvalidValue;
	return rt_leave(add(out, graph, before, count, &n, e));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, const struct cudaMemcpy3DParms *p)
{
	node n = {.type = cudaGraphNodeTypeMemcpy, .of_3d = true};
	RT_ENTER();
	if (p)
		n.copy = *p;
	return rt_leave(
		add(out, graph, before, count, &n, p ? cudaSuccess : cudaErrorInvalidValue));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, void *dst, const void *src, size_t bytes,
	enum cudaMemcpyKind kind)
{
	const node n = copy_node(dst, bytes, src, bytes, bytes, 1, kind);
	RT_ENTER();
	return rt_leave(add(out, graph, before, count, &n, cudaSuccess));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, const struct cudaMemsetParams *p)
{
	RT_ENTER();
	if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
		return rt_leave(cudaErrorInvalidValue);
	const node n = {.type = cudaGraphNodeTypeMemset,
		.dst = p->dst,
		.dpitch = p->pitch,
		.width = p->width,
		.height = p->height,
		.element = p->elementSize,
		.value = (int)p->value};
	return rt_leave(add(out, graph, before, count, &n, cudaSuccess));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, const struct cudaHostNodeParams *p)
{
	RT_ENTER();
	if (!p || !p->fn)
		return rt_leave(cudaErrorInvalidValue);
	const node n = {.type = cudaGraphNodeTypeHost, .fn = p->fn, .user = p->userData};
	return rt_leave(add(out, graph, before, count, &n, cudaSuccess));
}

cudaError_t cudaGraphAddEmptyNode(
	cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count)
{
	const node n = {.type = cudaGraphNodeTypeEmpty};
	RT_ENTER();
	return rt_leave(add(out, graph, before, count, &n, cudaSuccess));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, cudaGraph_t child)
{
	node n = {.type = cudaGraphNodeTypeGraph};
	RT_ENTER();
	struct rt_graph *g = graph_of(child);
	n.child = g ? copy_of(g) : NULL;
	return rt_leave(
		add(out, graph, before, count, &n, n.child ? cudaSuccess : cudaErrorInvalidValue));
}

cudaError_t rt_graph_dependencies(
	cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n)
{
	cudaError_t e = cudaSuccess;
	RT_ENTER();
	const struct rt_graph *g = graph_of(graph);
	if (!g || (n && (!from || !to)))
		return rt_leave(cudaErrorInvalidValue);
	for (size_t i = 0; i < n && !e; i++)
		e = is_in(g, from[i]) && is_in(g, to[i]) ? wait_for(to[i], &from[i], 1)
							 : cudaErrorInvalidValue;
	return rt_leave(e);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t n, enum cudaGraphNodeType *type)
{
	RT_ENTER();
	if (!is_node(n) || !type)
		return rt_leave(cudaErrorInvalidValue);
	*type = n->type;
	return rt_leave(cudaSuccess);
}

/* The nodes, or those that wait for none; *count is the room, and then how many there are. */
static cudaError_t list(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, bool roots)
{
	size_t n = 0;
	RT_ENTER();
	const struct rt_graph *g = graph_of(graph);
	if (!g || !count)
		return rt_leave(cudaErrorInvalidValue);
	for (node *at = g->first; at; at = at->next) {
		if (roots && at->nbefore)
			continue;
		if (nodes && n < *count)
			nodes[n] = at;
		n++;
	}
	for (size_t i = n; nodes && i < *count; i++)
		nodes[i] = NULL;
	*count = nodes && *count < n ? *count : n;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
	return list(graph, nodes, n, false);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
	return list(graph, nodes, n, true);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
	RT_ENTER();
	struct rt_graph *g = graph_of(graph);
	if (!clone || !g)
		return rt_leave(cudaErrorInvalidValue);
	*clone = (cudaGraph_t)copy_of(g);
	return rt_leave(*clone ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t n, const struct cudaKernelNodeParams *p)
{
	RT_ENTER();
	if (!is_node(n) || !p || n->type != cudaGraphNodeTypeKernel)
		return rt_leave(cudaErrorInvalidValue);
	return rt_leave(set_kernel(n, p));
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	RT_ENTER();
	struct rt_graph *g = graph_of(graph);
	if (!g)
		return rt_leave(cudaErrorInvalidValue);
	rt_graph_drop(g);
	return rt_leave(cudaSuccess);
}

/* ---- executable graphs ---- */

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
	cudaGraphNode_t *error_node, char *log, size_t log_bytes)
{
	/* Of CUDA 12 on the third argument is flags and there is no log: neither is written. */
	(void)error_node, (void)log, (void)log_bytes;
	RT_ENTER();
	struct rt_graph *g = graph_of(graph);
	if (!g || !exec)
		return rt_leave(cudaErrorInvalidValue);
	*exec = (cudaGraphExec_t)copy_of(g);
	return rt_leave(*exec ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphInstantiateWithFlags(
	cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
	(void)flags;
	return cudaGraphInstantiate(exec, graph, NULL, NULL, 0);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
	RT_ENTER();
	return rt_leave(
		graph_of(exec) && rt_stream_known(stream) ? cudaSuccess : cudaErrorInvalidValue);
}

/* The executable graph's copy of a node, or NULL. */
static node *of_exec(cudaGraphExec_t exec, const node *origin)
{
	const struct rt_graph *g = graph_of(exec);
	node *n = g ? g->first : NULL;

	while (n && n->origin != origin)
		n = n->next;
	return origin ? n : NULL;
}

cudaError_t cudaGraphExecKernelNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t origin, const struct cudaKernelNodeParams *p)
{
	RT_ENTER();
	node *n = of_exec(exec, origin);
	if (!n || !p || n->type != cudaGraphNodeTypeKernel)
		return rt_leave(cudaErrorInvalidValue);
	return rt_leave(set_kernel(n, p));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t origin,
	void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	RT_ENTER();
	node *n = of_exec(exec, origin);
	if (!n || n->type != cudaGraphNodeTypeMemcpy)
		return rt_leave(cudaErrorInvalidValue);
	n->dst = dst;
	n->src = src;
	n->dpitch = n->spitch = n->width = bytes;
	n->height = 1;
	n->value = (int)kind;
	n->of_3d = false;
	return rt_leave(cudaSuccess);
}

/* Takes over what another graph of the same nodes has. */
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
	cudaGraphNode_t *error_node, enum cudaGraphExecUpdateResult *result)
{
	/* Of CUDA 12 on the third argument is a struct that begins with the result. */
	(void)result;
	RT_ENTER();
	struct rt_graph *g = graph_of(exec), *given = graph_of(graph);
	struct rt_graph *from = g && given ? copy_of(given) : NULL;
	if (!from)
		return rt_leave(cudaErrorInvalidValue);
	bool same = from->n == g->n;
	for (node *a = g->first, *b = from->first; a && b && same; a = a->next, b = b->next)
		same = a->type == b->type && a->nbefore == b->nbefore;
	if (error_node)
		*error_node = NULL;
	if (same && g->n) {
		node *old = g->first;
		for (node *a = old, *b = from->first; a; a = a->next, b = b->next)
			b->origin = a->origin;
		g->first = from->first;
		g->end = from->end;
		from->first = old;
	}
	rt_graph_drop(from);
	return rt_leave(same ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}

static cudaError_t run(const struct rt_graph *g);

static cudaError_t run_node(const node *n)
{
	cudaError_t e = cudaSuccess;

	switch (n->type) {
	case cudaGraphNodeTypeKernel:
		return rt_launch(&n->launch, n->args);
	case cudaGraphNodeTypeMemcpy:
		return n->of_3d ? cudaMemcpy3D(&n->copy)
				: rt_copy(n->dst, n->dpitch, n->src, n->spitch, n->width, n->height,
					  (enum cudaMemcpyKind)n->value);
	case cudaGraphNodeTypeMemset:
		if (n->element == 1)
			return rt_set(n->dst, n->dpitch, n->value, n->width, n->height);
		for (size_t y = 0; y < n->height && !e; y++)
			e = rt_fill((char *)n->dst + y * n->dpitch, (uint32_t)n->value, n->width,
				n->element);
		return e;
	case cudaGraphNodeTypeHost:
		n->fn(n->user);
		return cudaSuccess;
	case cudaGraphNodeTypeGraph:
		return run(n->child);
	default:
		return cudaSuccess;
	}
}

static cudaError_t run(const struct rt_graph *g)
{
	cudaError_t e = cudaSuccess;

	for (const node *n = g->first; n && !e; n = n->next)
		e = run_node(n);
	return e;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	RT_ENTER();
	const struct rt_graph *g = graph_of(exec);
	if (!g || !rt_stream_known(stream))
		return rt_leave(cudaErrorInvalidValue);
	return rt_leave(run(g));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	RT_ENTER();
	struct rt_graph *g = graph_of(exec);
	if (!g)
		return rt_leave(cudaErrorInvalidValue);
	rt_graph_drop(g);
	return rt_leave(cudaSuccess);
}
