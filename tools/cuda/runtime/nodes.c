/*
 * Graphs node by node: making nodes, asking and changing what they hold, in a graph and in an
 * executable one, and what waits for what.
 */
#include "graph.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cudaError_t rt_node_add(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
	size_t count, node *n, cudaError_t e)
{
	struct rt_graph *g = rt_graph_of(graph);

	if (!e && (!out || !g || (count && !before)))
		e = cudaErrorInvalidValue;
	for (size_t i = 0; i < count && !e; i++)
		e = rt_graph_has(g, before[i]) ? cudaSuccess : cudaErrorInvalidValue;
	if (e) {
		rt_node_clear(n);
		return e;
	}
	*out = rt_graph_append(g, n);
	return *out ? rt_node_wait_for(*out, before, count) : cudaErrorMemoryAllocation;
}

/* The node, if it is of that type; of an executable graph its copy. */
static node *typed(cudaGraphNode_t handle, enum cudaGraphNodeType type)
{
	node *n = rt_node_of(handle);

	return n && n->type == type ? n : NULL;
}

static node *typed_copy(cudaGraphExec_t exec, cudaGraphNode_t handle, enum cudaGraphNodeType type)
{
	node *n = rt_graph_copy(exec, handle);

	return n && n->type == type ? n : NULL;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
	RT_ENTER();
	if (!graph || flags)
		return rt_leave(cudaErrorInvalidValue);
	*graph = (cudaGraph_t)rt_graph_new();
	return rt_leave(*graph ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
	RT_ENTER();
	struct rt_graph *g = rt_graph_of(graph);
	if (!clone || !g)
		return rt_leave(cudaErrorInvalidValue);
	*clone = (cudaGraph_t)rt_graph_copy_of(g);
	return rt_leave(*clone ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- kernels ---- */

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, const struct cudaKernelNodeParams *p)
{
	node n = {.type = cudaGraphNodeTypeKernel};
	RT_ENTER();
	const cudaError_t e = p ? rt_node_kernel(&n, p) : cudaErrorInvalidValue;
	return rt_leave(rt_node_add(out, graph, before, count, &n, e));
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t handle, struct cudaKernelNodeParams *p)
{
	RT_ENTER();
	const node *n = typed(handle, cudaGraphNodeTypeKernel);
	if (!n || !p)
		return rt_leave(cudaErrorInvalidValue);
	*p = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)n->launch.f->stub,
		.gridDim = n->launch.grid,
		.blockDim = n->launch.block,
		.sharedMemBytes = (unsigned)n->launch.shared,
		.kernelParams = n->args};
	return rt_leave(cudaSuccess);
}

static cudaError_t set_kernel(node *n, const struct cudaKernelNodeParams *p)
{
	return n && p ? rt_node_kernel(n, p) : cudaErrorInvalidValue;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t n, const struct cudaKernelNodeParams *p)
{
	RT_ENTER();
	return rt_leave(set_kernel(typed(n, cudaGraphNodeTypeKernel), p));
}

cudaError_t cudaGraphExecKernelNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t n, const struct cudaKernelNodeParams *p)
{
	RT_ENTER();
	return rt_leave(set_kernel(typed_copy(exec, n, cudaGraphNodeTypeKernel), p));
}

/* Of the attributes only these change what a launch does. */
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t handle, enum cudaLaunchAttributeID attr,
	const cudaLaunchAttributeValue *value)
{
	RT_ENTER();
	node *n = typed(handle, cudaGraphNodeTypeKernel);
	if (!n || !value)
		return rt_leave(cudaErrorInvalidValue);
	if (attr == cudaLaunchAttributeCooperative)
		n->launch.cooperative = value->cooperative != 0;
	if (attr == cudaLaunchAttributeClusterDimension)
		memcpy(n->launch.cluster, &value->clusterDim, sizeof(n->launch.cluster));
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeGetAttribute(
	cudaGraphNode_t handle, enum cudaLaunchAttributeID attr, cudaLaunchAttributeValue *value)
{
	RT_ENTER();
	const node *n = typed(handle, cudaGraphNodeTypeKernel);
	if (!n || !value)
		return rt_leave(cudaErrorInvalidValue);
	*value = (cudaLaunchAttributeValue){{0}};
	if (attr == cudaLaunchAttributeCooperative)
		value->cooperative = n->launch.cooperative;
	if (attr == cudaLaunchAttributeClusterDimension)
		memcpy(&value->clusterDim, n->launch.cluster, sizeof(n->launch.cluster));
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
	RT_ENTER();
	const node *n = typed(from, cudaGraphNodeTypeKernel);
	node *m = typed(to, cudaGraphNodeTypeKernel);
	if (!n || !m)
		return rt_leave(cudaErrorInvalidValue);
	m->launch.cooperative = n->launch.cooperative;
	memcpy(m->launch.cluster, n->launch.cluster, sizeof(m->launch.cluster));
	return rt_leave(cudaSuccess);
}

/* ---- copies ---- */

static cudaError_t set_copy_3d(node *n, const struct cudaMemcpy3DParms *p)
{
	if (!n || !p)
		return cudaErrorInvalidValue;
	n->of_3d = true;
	n->copy = *p;
	return cudaSuccess;
}

static cudaError_t set_copy_1d(
	node *n, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	if (!n)
		return cudaErrorInvalidValue;
	n->of_3d = false;
	n->dst = dst;
	n->src = src;
	n->dpitch = n->spitch = n->width = bytes;
	n->height = 1;
	n->value = (int)kind;
	return cudaSuccess;
}

/* Part of a variable, at the place of its address. */
static cudaError_t part_of(void **p, const void *symbol, size_t bytes, size_t offset)
{
	uint64_t at, size;
	const cudaError_t e = rt_symbol(symbol, &at, &size);

	if (!e && (bytes > size || offset > size - bytes))
		return cudaErrorInvalidValue;
	*p = e ? NULL : (char *)(uintptr_t)at + offset;
	return e;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, const struct cudaMemcpy3DParms *p)
{
	node n = {.type = cudaGraphNodeTypeMemcpy};
	RT_ENTER();
	const cudaError_t e = set_copy_3d(&n, p);
	return rt_leave(rt_node_add(out, graph, before, count, &n, e));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, void *dst, const void *src, size_t bytes,
	enum cudaMemcpyKind kind)
{
	node n = rt_node_copy(dst, bytes, src, bytes, bytes, 1, kind);
	RT_ENTER();
	return rt_leave(rt_node_add(out, graph, before, count, &n, cudaSuccess));
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, const void *symbol, const void *src,
	size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	void *p;
	RT_ENTER();
	const cudaError_t e = part_of(&p, symbol, bytes, offset);
	return rt_leave(
		e ? e : cudaGraphAddMemcpyNode1D(out, graph, before, count, p, src, bytes, kind));
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, void *dst, const void *symbol, size_t bytes,
	size_t offset, enum cudaMemcpyKind kind)
{
	void *p;
	RT_ENTER();
	const cudaError_t e = part_of(&p, symbol, bytes, offset);
	return rt_leave(
		e ? e : cudaGraphAddMemcpyNode1D(out, graph, before, count, dst, p, bytes, kind));
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t handle, struct cudaMemcpy3DParms *p)
{
	RT_ENTER();
	const node *n = typed(handle, cudaGraphNodeTypeMemcpy);
	if (!n || !p)
		return rt_leave(cudaErrorInvalidValue);
	*p = n->of_3d ? n->copy
		      : (struct cudaMemcpy3DParms){.srcPtr = {(void *)(uintptr_t)n->src, n->spitch,
							   n->width, n->height},
				.dstPtr = {n->dst, n->dpitch, n->width, n->height},
				.extent = {n->width, n->height, 1},
				.kind = (enum cudaMemcpyKind)n->value};
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t n, const struct cudaMemcpy3DParms *p)
{
	RT_ENTER();
	return rt_leave(set_copy_3d(typed(n, cudaGraphNodeTypeMemcpy), p));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t n, const struct cudaMemcpy3DParms *p)
{
	RT_ENTER();
	return rt_leave(set_copy_3d(typed_copy(exec, n, cudaGraphNodeTypeMemcpy), p));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(
	cudaGraphNode_t n, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	RT_ENTER();
	return rt_leave(set_copy_1d(typed(n, cudaGraphNodeTypeMemcpy), dst, src, bytes, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t n, void *dst,
	const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	RT_ENTER();
	return rt_leave(
		set_copy_1d(typed_copy(exec, n, cudaGraphNodeTypeMemcpy), dst, src, bytes, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t n, const void *symbol,
	const void *src, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	void *p;
	RT_ENTER();
	const cudaError_t e = part_of(&p, symbol, bytes, offset);
	return rt_leave(e ? e : cudaGraphMemcpyNodeSetParams1D(n, p, src, bytes, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t n, void *dst, const void *symbol,
	size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	void *p;
	RT_ENTER();
	const cudaError_t e = part_of(&p, symbol, bytes, offset);
	return rt_leave(e ? e : cudaGraphMemcpyNodeSetParams1D(n, dst, p, bytes, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t n,
	const void *symbol, const void *src, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	void *p;
	RT_ENTER();
	const cudaError_t e = part_of(&p, symbol, bytes, offset);
	return rt_leave(e ? e : cudaGraphExecMemcpyNodeSetParams1D(exec, n, p, src, bytes, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t n,
	void *dst, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	void *p;
	RT_ENTER();
	const cudaError_t e = part_of(&p, symbol, bytes, offset);
	return rt_leave(e ? e : cudaGraphExecMemcpyNodeSetParams1D(exec, n, dst, p, bytes, kind));
}

/* ---- sets ---- */

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, const struct cudaMemsetParams *p)
{
	node n = {.type = cudaGraphNodeTypeMemset};
	RT_ENTER();
	const cudaError_t e = rt_node_set(&n, p);
	return rt_leave(rt_node_add(out, graph, before, count, &n, e));
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t handle, struct cudaMemsetParams *p)
{
	RT_ENTER();
	const node *n = typed(handle, cudaGraphNodeTypeMemset);
	if (!n || !p)
		return rt_leave(cudaErrorInvalidValue);
	*p = (struct cudaMemsetParams){
		n->dst, n->dpitch, (unsigned)n->value, (unsigned)n->element, n->width, n->height};
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t handle, const struct cudaMemsetParams *p)
{
	RT_ENTER();
	node *n = typed(handle, cudaGraphNodeTypeMemset);
	return rt_leave(n ? rt_node_set(n, p) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t handle, const struct cudaMemsetParams *p)
{
	RT_ENTER();
	node *n = typed_copy(exec, handle, cudaGraphNodeTypeMemset);
	return rt_leave(n ? rt_node_set(n, p) : cudaErrorInvalidValue);
}

/* ---- functions of the host's ---- */

static cudaError_t set_host(node *n, const struct cudaHostNodeParams *p)
{
	if (!n || !p || !p->fn)
		return cudaErrorInvalidValue;
	n->fn = p->fn;
	n->user = p->userData;
	return cudaSuccess;
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, const struct cudaHostNodeParams *p)
{
	node n = {.type = cudaGraphNodeTypeHost};
	RT_ENTER();
	const cudaError_t e = set_host(&n, p);
	return rt_leave(rt_node_add(out, graph, before, count, &n, e));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t handle, struct cudaHostNodeParams *p)
{
	RT_ENTER();
	const node *n = typed(handle, cudaGraphNodeTypeHost);
	if (!n || !p)
		return rt_leave(cudaErrorInvalidValue);
	*p = (struct cudaHostNodeParams){n->fn, n->user};
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t n, const struct cudaHostNodeParams *p)
{
	RT_ENTER();
	return rt_leave(set_host(typed(n, cudaGraphNodeTypeHost), p));
}

cudaError_t cudaGraphExecHostNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t n, const struct cudaHostNodeParams *p)
{
	RT_ENTER();
	return rt_leave(set_host(typed_copy(exec, n, cudaGraphNodeTypeHost), p));
}

/* ---- nothing, and graphs within ---- */

cudaError_t cudaGraphAddEmptyNode(
	cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count)
{
	node n = {.type = cudaGraphNodeTypeEmpty};
	RT_ENTER();
	return rt_leave(rt_node_add(out, graph, before, count, &n, cudaSuccess));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, cudaGraph_t child)
{
	node n = {.type = cudaGraphNodeTypeGraph};
	RT_ENTER();
	struct rt_graph *g = rt_graph_of(child);
	n.child = g ? rt_graph_copy_of(g) : NULL;
	if (n.child)
		n.child->within = true;
	return rt_leave(rt_node_add(
		out, graph, before, count, &n, n.child ? cudaSuccess : cudaErrorInvalidValue));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t handle, cudaGraph_t *graph)
{
	RT_ENTER();
	const node *n = typed(handle, cudaGraphNodeTypeGraph);
	if (!n || !graph)
		return rt_leave(cudaErrorInvalidValue);
	*graph = (cudaGraph_t)n->child;
	return rt_leave(cudaSuccess);
}

/* ---- events ---- */

static cudaError_t add_event(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
	size_t count, cudaEvent_t event, enum cudaGraphNodeType type)
{
	node n = {.type = type, .event = event};
	RT_ENTER();
	const cudaError_t e = cudaEventQuery(event);
	return rt_leave(rt_node_add(
		out, graph, before, count, &n, e == cudaErrorNotReady ? cudaSuccess : e));
}

static cudaError_t get_event(
	cudaGraphNode_t handle, cudaEvent_t *event, enum cudaGraphNodeType type)
{
	RT_ENTER();
	const node *n = typed(handle, type);
	if (!n || !event)
		return rt_leave(cudaErrorInvalidValue);
	*event = n->event;
	return rt_leave(cudaSuccess);
}

static cudaError_t set_event(node *n, cudaEvent_t event)
{
	if (!n || cudaEventQuery(event) == cudaErrorInvalidResourceHandle)
		return cudaErrorInvalidValue;
	n->event = event;
	return cudaSuccess;
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, cudaEvent_t event)
{
	return add_event(out, graph, before, count, event, cudaGraphNodeTypeEventRecord);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, cudaEvent_t event)
{
	return add_event(out, graph, before, count, event, cudaGraphNodeTypeWaitEvent);
}

#define EVENT_NODE(kind, type)                                                                     \
	cudaError_t cudaGraphEvent##kind##NodeGetEvent(cudaGraphNode_t n, cudaEvent_t *event)      \
	{                                                                                          \
		return get_event(n, event, type);                                                  \
	}                                                                                          \
	cudaError_t cudaGraphEvent##kind##NodeSetEvent(cudaGraphNode_t n, cudaEvent_t event)       \
	{                                                                                          \
		RT_ENTER();                                                                        \
		return rt_leave(set_event(typed(n, type), event));                                 \
	}                                                                                          \
	cudaError_t cudaGraphExecEvent##kind##NodeSetEvent(                                        \
		cudaGraphExec_t exec, cudaGraphNode_t n, cudaEvent_t event)                        \
	{                                                                                          \
		RT_ENTER();                                                                        \
		return rt_leave(set_event(typed_copy(exec, n, type), event));                      \
	}
EVENT_NODE(Record, cudaGraphNodeTypeEventRecord)
EVENT_NODE(Wait, cudaGraphNodeTypeWaitEvent)

/* ---- memory ---- */

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, struct cudaMemAllocNodeParams *p)
{
	node n = {.type = cudaGraphNodeTypeMemAlloc};
	RT_ENTER();
	cudaError_t e = p ? rt_lent_new(&n.dst, p->bytesize) : cudaErrorInvalidValue;
	if (!e) {
		n.width = p->bytesize;
		p->dptr = n.dst;
	}
	return rt_leave(rt_node_add(out, graph, before, count, &n, e));
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t handle, struct cudaMemAllocNodeParams *p)
{
	RT_ENTER();
	const node *n = typed(handle, cudaGraphNodeTypeMemAlloc);
	if (!n || !p)
		return rt_leave(cudaErrorInvalidValue);
	*p = (struct cudaMemAllocNodeParams){.poolProps = {.allocType = cudaMemAllocationTypePinned,
						     .location = {cudaMemLocationTypeDevice, 0}},
		.bytesize = n->width,
		.dptr = n->dst};
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, void *p)
{
	node n = {.type = cudaGraphNodeTypeMemFree, .dst = p};
	RT_ENTER();
	return rt_leave(rt_node_add(
		out, graph, before, count, &n, p ? cudaSuccess : cudaErrorInvalidValue));
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t handle, void *p)
{
	RT_ENTER();
	const node *n = typed(handle, cudaGraphNodeTypeMemFree);
	if (!n || !p)
		return rt_leave(cudaErrorInvalidValue);
	*(void **)p = n->dst;
	return rt_leave(cudaSuccess);
}

/* ---- all kinds ---- */

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, enum cudaGraphNodeType *type)
{
	RT_ENTER();
	const node *n = rt_node_of(handle);
	if (!n || !type)
		return rt_leave(cudaErrorInvalidValue);
	*type = n->type;
	return rt_leave(cudaSuccess);
}

static bool any_waits_for(const struct rt_graph *g, const node *n)
{
	for (const node *at = g->first; at; at = at->next)
		for (size_t i = 0; i < at->nbefore; i++)
			if (at->before[i] == n)
				return true;
	return false;
}

/* Takes the edge from one to the other away. false: there is none. */
static bool cut(node *from, node *to)
{
	for (size_t i = 0; i < to->nbefore; i++)
		if (to->before[i] == from) {
			to->before[i] = to->before[--to->nbefore];
			return true;
		}
	return false;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle)
{
	RT_ENTER();
	node *n = rt_node_of(handle);
	if (!n || n->graph->executable || n->graph->capture || rt_node_is_captured(n))
		return rt_leave(cudaErrorInvalidValue);
	if (any_waits_for(n->graph, n))
		for (node *at = n->graph->first; at; at = at->next)
			while (cut(n, at))
				;
	rt_graph_remove(n);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphNodeFindInClone(
	cudaGraphNode_t *out, cudaGraphNode_t origin, cudaGraph_t clone)
{
	RT_ENTER();
	const struct rt_graph *g = rt_graph_of(clone);
	node *n = g && out ? g->first : NULL;
	while (n && n->origin != origin)
		n = n->next;
	if (n)
		*out = n;
	return rt_leave(n ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t handle, unsigned int on)
{
	RT_ENTER();
	node *n = rt_graph_copy(exec, handle);
	if (!n || n->type > cudaGraphNodeTypeMemset)
		return rt_leave(cudaErrorInvalidValue);
	n->off = !on;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t handle, unsigned int *on)
{
	RT_ENTER();
	const node *n = rt_graph_copy(exec, handle);
	if (!n || !on)
		return rt_leave(cudaErrorInvalidValue);
	*on = !n->off;
	return rt_leave(cudaSuccess);
}

/* ---- lists ---- */

/* A list of which the caller has room for some, or wants only the length. */
struct list {
	cudaGraphNode_t *v, *w;
	size_t room, n;
};

static void put(struct list *l, node *a, node *b)
{
	if (l->v && l->n < l->room)
		l->v[l->n] = a;
	if (l->w && l->n < l->room)
		l->w[l->n] = b;
	l->n++;
}

static cudaError_t list_end(struct list *l, size_t *count)
{
	/* Who wants the length alone says nothing in *count. */
	for (size_t i = l->n; (l->v || l->w) && i < l->room; i++) {
		if (l->v)
			l->v[i] = NULL;
		if (l->w)
			l->w[i] = NULL;
	}
	*count = (l->v || l->w) && l->room < l->n ? l->room : l->n;
	return cudaSuccess;
}

static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, bool roots)
{
	struct list l = {.v = nodes};
	RT_ENTER();
	const struct rt_graph *g = rt_graph_of(graph);
	if (!g || !count)
		return rt_leave(cudaErrorInvalidValue);
	l.room = *count;
	for (node *at = g->first; at; at = at->next)
		if (!roots || !at->nbefore)
			put(&l, at, NULL);
	return rt_leave(list_end(&l, count));
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
	return list_nodes(graph, nodes, n, false);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
	return list_nodes(graph, nodes, n, true);
}

cudaError_t rt_graph_edges(
	cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)
{
	struct list l = {.v = from, .w = to};
	RT_ENTER();
	const struct rt_graph *g = rt_graph_of(graph);
	if (!g || !count || !from != !to)
		return rt_leave(cudaErrorInvalidValue);
	l.room = *count;
	for (node *at = g->first; at; at = at->next)
		for (size_t i = 0; i < at->nbefore; i++)
			put(&l, at->before[i], at);
	return rt_leave(list_end(&l, count));
}

cudaError_t rt_node_neighbours(
	cudaGraphNode_t handle, cudaGraphNode_t *nodes, size_t *count, bool behind)
{
	struct list l = {.v = nodes};
	RT_ENTER();
	const node *n = rt_node_of(handle);
	if (!n || !count)
		return rt_leave(cudaErrorInvalidValue);
	l.room = *count;
	for (size_t i = 0; i < n->nbefore && !behind; i++)
		put(&l, n->before[i], NULL);
	for (node *at = n->graph->first; at && behind; at = at->next)
		for (size_t i = 0; i < at->nbefore; i++)
			if (at->before[i] == n)
				put(&l, at, NULL);
	return rt_leave(list_end(&l, count));
}

cudaError_t rt_graph_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
	const cudaGraphNode_t *to, size_t n, bool remove)
{
	cudaError_t e = cudaSuccess;
	RT_ENTER();
	const struct rt_graph *g = rt_graph_of(graph);
	if (!g || (n && (!from || !to)))
		return rt_leave(cudaErrorInvalidValue);
	for (size_t i = 0; i < n && !e; i++) {
		if (!rt_graph_has(g, from[i]) || !rt_graph_has(g, to[i]))
			e = cudaErrorInvalidValue;
		else if (remove)
			e = cut(from[i], to[i]) ? cudaSuccess : cudaErrorInvalidValue;
		else
			e = rt_node_wait_for(to[i], &from[i], 1);
		if (!e && remove)
			from[i]->must_join = false;
	}
	return rt_leave(e);
}

/* ---- in words ---- */

static const char *const types[] = {"kernel", "memcpy", "memset", "host", "graph", "empty",
	"event wait", "event record", "", "", "memory allocation", "memory free", "",
	"conditional"};

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
	(void)flags;
	RT_ENTER();
	const struct rt_graph *g = rt_graph_of(graph);
	FILE *f = g && path ? fopen(path, "w") : NULL;
	size_t number = 0;
	if (!f)
		return rt_leave(g && path ? cudaErrorOperatingSystem : cudaErrorInvalidValue);
	fputs("digraph dot {\n", f);
	for (node *n = g->first; n; n = n->next) {
		n->at = number++;
		fprintf(f, "\"node_%zu\" [label=\"%zu: %s%s%s\"];\n", n->at, n->at, types[n->type],
			n->launch.f ? " " : "", n->launch.f ? n->launch.f->name : "");
	}
	for (node *n = g->first; n; n = n->next)
		for (size_t i = 0; i < n->nbefore; i++)
			fprintf(f, "\"node_%zu\" -> \"node_%zu\";\n", n->before[i]->at, n->at);
	fputs("}\n", f);
	return rt_leave(fclose(f) ? cudaErrorOperatingSystem : cudaSuccess);
}
