/*
 * Nodes that a value decides about, and nodes of any kind by one call, as of CUDA 12. The value
 * lies in device memory, and its handle is its address: cudaGraphSetConditional is a store.
 */
#include "graph.h"
#include <stdlib.h>

struct rt_condition {
	void *cell; /* 4 bytes of the device's */
	uint32_t first;
	bool starts; /* as first at each launch */
	size_t users;
};

static struct rt_map conditions; /* by the address of the value */

void rt_condition_keep(struct rt_condition *c, int more)
{
	struct tr_err err = {0};

	c->users += (size_t)more;
	if (c->users)
		return;
	rt_map_drop(&conditions, c->cell);
	ptx_free(rt.machine, (uintptr_t)c->cell, &err);
	free(c);
}

static bool keep_in(struct rt_graph *g, struct rt_condition *c)
{
	struct rt_condition **more =
		realloc(g->conditions, (g->nconditions + 1) * sizeof(struct rt_condition *));

	if (!more)
		return false;
	g->conditions = more;
	g->conditions[g->nconditions++] = c;
	rt_condition_keep(c, 1);
	return true;
}

bool rt_conditions_copy(struct rt_graph *to, const struct rt_graph *from)
{
	bool good = true;

	for (size_t i = 0; i < from->nconditions && good; i++)
		good = keep_in(to, from->conditions[i]);
	return good;
}

void rt_conditions_drop(struct rt_graph *g)
{
	while (g->nconditions)
		rt_condition_keep(g->conditions[--g->nconditions], -1);
	free(g->conditions);
}

cudaError_t rt_conditions_start(const struct rt_graph *g)
{
	cudaError_t e = cudaSuccess;

	for (size_t i = 0; i < g->nconditions && !e; i++)
		if (g->conditions[i]->starts)
			e = rt_fill(g->conditions[i]->cell, g->conditions[i]->first, 1, 4);
	for (const node *n = g->first; n && !e; n = n->next) {
		if (n->child)
			e = rt_conditions_start(n->child);
		for (unsigned i = 0; i < n->nbodies && !e; i++)
			e = rt_conditions_start(n->bodies[i]);
	}
	return e;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
	unsigned int first, unsigned int flags)
{
	RT_ENTER();
	struct rt_graph *g = rt_graph_of(graph);
	if (!handle || !g || flags > cudaGraphCondAssignDefault)
		return rt_leave(cudaErrorInvalidValue);
	struct rt_condition *c = calloc(1, sizeof(*c));
	cudaError_t e = c ? rt_allocate(&c->cell, 4, "condition") : cudaErrorMemoryAllocation;
	if (e) {
		free(c);
		return rt_leave(e);
	}
	c->first = first;
	c->starts = flags != 0;
	c->users = 1; /* this call's */
	if (!rt_map_put(&conditions, c->cell, c) || !keep_in(g, c))
		e = cudaErrorMemoryAllocation;
	else
		*handle = (uintptr_t)c->cell;
	rt_condition_keep(c, -1);
	return rt_leave(e);
}

/* ---- running ---- */

static uint32_t value_of(const struct rt_condition *c)
{
	const uint32_t *at = ptx_host(rt.machine, (uintptr_t)c->cell, sizeof(*at));

	return at ? *at : 0;
}

cudaError_t rt_condition_run(const node *n, cudaError_t (*run)(const struct rt_graph *g))
{
	uint32_t v = value_of(n->condition);
	cudaError_t e = cudaSuccess;
	uint64_t before;

	switch (n->decides) {
	case cudaGraphCondTypeIf:
		if (v || n->nbodies > 1)
			return run(n->bodies[v ? 0 : 1]);
		return cudaSuccess;
	case cudaGraphCondTypeSwitch:
		return v < n->nbodies ? run(n->bodies[v]) : cudaSuccess;
	default:
		break;
	}
	while (v && !e) {
		before = ptx_thread_insts(rt.machine);
		e = run(n->bodies[0]);
		v = value_of(n->condition);
		if (!e && v && ptx_thread_insts(rt.machine) == before) {
			rt_say("a while node's body runs no kernel, and its condition stays %u", v);
			rt_spoil("a while node of a graph never ends");
			rt.sticky = e = cudaErrorLaunchTimeout;
		}
	}
	return e;
}

/* ---- any kind of node ---- */

static cudaError_t add_conditional(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, struct cudaConditionalNodeParams *p)
{
	struct rt_condition *c = rt_map_get(&conditions, (void *)(uintptr_t)p->handle);
	const unsigned most = p->type == cudaGraphCondTypeIf      ? 2
			      : p->type == cudaGraphCondTypeWhile ? 1
								  : 1 << 20;
	node n = {.type = cudaGraphNodeTypeConditional, .decides = p->type};
	cudaError_t e = cudaSuccess;

	if (!c || p->type > cudaGraphCondTypeSwitch || !p->size || p->size > most)
		return cudaErrorInvalidValue;
	n.condition = c;
	rt_condition_keep(c, 1);
	n.bodies = calloc(p->size, sizeof(struct rt_graph *));
	while (n.bodies && n.nbodies < p->size && (n.bodies[n.nbodies] = rt_graph_new()))
		n.bodies[n.nbodies++]->within = true;
	if (n.nbodies < p->size)
		e = cudaErrorMemoryAllocation;
	e = rt_node_add(out, graph, before, count, &n, e);
	if (!e)
		p->phGraph_out = (cudaGraph_t *)(void *)n.bodies;
	return e;
}

static cudaError_t add_any(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
	size_t count, struct cudaGraphNodeParams *p)
{
	switch (p->type) {
	case cudaGraphNodeTypeKernel:
		return cudaGraphAddKernelNode(out, graph, before, count, &p->kernel);
	case cudaGraphNodeTypeMemcpy:
		return cudaGraphAddMemcpyNode(out, graph, before, count, &p->memcpy.copyParams);
	case cudaGraphNodeTypeMemset:
		return cudaGraphAddMemsetNode(out, graph, before, count, &p->memset);
	case cudaGraphNodeTypeHost:
		return cudaGraphAddHostNode(out, graph, before, count, &p->host);
	case cudaGraphNodeTypeGraph:
		return cudaGraphAddChildGraphNode(out, graph, before, count, p->graph.graph);
	case cudaGraphNodeTypeEmpty:
		return cudaGraphAddEmptyNode(out, graph, before, count);
	case cudaGraphNodeTypeWaitEvent:
		return cudaGraphAddEventWaitNode(out, graph, before, count, p->eventWait.event);
	case cudaGraphNodeTypeEventRecord:
		return cudaGraphAddEventRecordNode(out, graph, before, count, p->eventRecord.event);
	case cudaGraphNodeTypeMemAlloc:
		return cudaGraphAddMemAllocNode(out, graph, before, count, &p->alloc);
	case cudaGraphNodeTypeMemFree:
		return cudaGraphAddMemFreeNode(out, graph, before, count, p->free.dptr);
	case cudaGraphNodeTypeConditional:
		return add_conditional(out, graph, before, count, &p->conditional);
	default:
		return rt_unsupported("a graph's node for semaphores of other devices");
	}
}

cudaError_t rt_graph_add(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
	size_t count, struct cudaGraphNodeParams *p)
{
	RT_ENTER();
	return rt_leave(p ? add_any(out, graph, before, count, p) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *out, cudaGraph_t graph,
	const cudaGraphNode_t *before, const cudaGraphEdgeData *edges, size_t count,
	struct cudaGraphNodeParams *p)
{
	(void)edges;
	return rt_graph_add(out, graph, before, count, p);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t n, struct cudaGraphNodeParams *p)
{
	RT_ENTER();
	if (!p)
		return rt_leave(cudaErrorInvalidValue);
	switch (p->type) {
	case cudaGraphNodeTypeKernel:
		return rt_leave(cudaGraphKernelNodeSetParams(n, &p->kernel));
	case cudaGraphNodeTypeMemcpy:
		return rt_leave(cudaGraphMemcpyNodeSetParams(n, &p->memcpy.copyParams));
	case cudaGraphNodeTypeMemset:
		return rt_leave(cudaGraphMemsetNodeSetParams(n, &p->memset));
	case cudaGraphNodeTypeHost:
		return rt_leave(cudaGraphHostNodeSetParams(n, &p->host));
	case cudaGraphNodeTypeWaitEvent:
		return rt_leave(cudaGraphEventWaitNodeSetEvent(n, p->eventWait.event));
	case cudaGraphNodeTypeEventRecord:
		return rt_leave(cudaGraphEventRecordNodeSetEvent(n, p->eventRecord.event));
	default: /* what others hold stays */
		return rt_leave(cudaErrorInvalidValue);
	}
}

cudaError_t cudaGraphExecNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t n, struct cudaGraphNodeParams *p)
{
	RT_ENTER();
	if (!p)
		return rt_leave(cudaErrorInvalidValue);
	switch (p->type) {
	case cudaGraphNodeTypeKernel:
		return rt_leave(cudaGraphExecKernelNodeSetParams(exec, n, &p->kernel));
	case cudaGraphNodeTypeMemcpy:
		return rt_leave(cudaGraphExecMemcpyNodeSetParams(exec, n, &p->memcpy.copyParams));
	case cudaGraphNodeTypeMemset:
		return rt_leave(cudaGraphExecMemsetNodeSetParams(exec, n, &p->memset));
	case cudaGraphNodeTypeHost:
		return rt_leave(cudaGraphExecHostNodeSetParams(exec, n, &p->host));
	case cudaGraphNodeTypeGraph:
		return rt_leave(cudaGraphExecChildGraphNodeSetParams(exec, n, p->graph.graph));
	case cudaGraphNodeTypeWaitEvent:
		return rt_leave(cudaGraphExecEventWaitNodeSetEvent(exec, n, p->eventWait.event));
	case cudaGraphNodeTypeEventRecord:
		return rt_leave(
			cudaGraphExecEventRecordNodeSetEvent(exec, n, p->eventRecord.event));
	default:
		return rt_leave(cudaErrorInvalidValue);
	}
}
