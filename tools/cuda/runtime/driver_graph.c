/*
 * The driver's graphs, by the runtime's.
 */
#include "driver.h"
#include <string.h>

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
	return of(cudaGraphCreate(graph, flags));
}

/* What the two say of a node lies at the same places, but for copies. */
_Static_assert(sizeof(CUgraphNodeParams) == sizeof(struct cudaGraphNodeParams), "graph nodes");

CUresult cuGraphAddNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
	CUgraphNodeParams *params)
{
	struct cudaGraphNodeParams p;
	CUresult e;

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy((void *)&p, params, sizeof(p));
	if (params->type == CU_GRAPH_NODE_TYPE_KERNEL && !params->kernel.func)
		p.kernel.func = (void *)params->kernel.kern;
	if (params->type == CU_GRAPH_NODE_TYPE_MEMCPY) {
		e = driver_block_of(&p.memcpy.copyParams, &params->memcpy.copyParams);
		if (e)
			return e;
	}
	e = of(rt_graph_add(out, graph, before, n, &p));
	if (params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
		params->alloc.dptr = p.alloc.dptr;
	if (params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
		params->conditional.phGraph_out = p.conditional.phGraph_out;
	return e;
}

CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *before,
	const CUgraphEdgeData *edges, size_t n, CUgraphNodeParams *params)
{
	(void)edges;
	return cuGraphAddNode(out, graph, before, n, params);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *before,
	size_t n, const CUDA_KERNEL_NODE_PARAMS *params)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	p.kernel = *params;
	return cuGraphAddNode(out, graph, before, n, &p);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
	const CUDA_MEMCPY3D *copy, CUcontext context)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};

	(void)context;
	if (!copy)
		return CUDA_ERROR_INVALID_VALUE;
	p.memcpy.copyParams = *copy;
	return cuGraphAddNode(out, graph, before, n, &p);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
	const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET};

	(void)context;
	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy((void *)&p.memset, params, sizeof(*params));
	return cuGraphAddNode(out, graph, before, n, &p);
}

CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
	const CUDA_HOST_NODE_PARAMS *params)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_HOST};

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	p.host = *params;
	return cuGraphAddNode(out, graph, before, n, &p);
}

CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EMPTY};

	return cuGraphAddNode(out, graph, before, n, &p);
}

CUresult cuGraphAddChildGraphNode(
	CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n, CUgraph child)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph.graph = child};

	return cuGraphAddNode(out, graph, before, n, &p);
}

CUresult cuGraphKernelNodeSetAttribute(
	CUgraphNode n, CUkernelNodeAttrID attr, const CUkernelNodeAttrValue *value)
{
	return of(cudaGraphKernelNodeSetAttribute(n, attr, value));
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph,
	CUcontext context, unsigned int first, unsigned int flags)
{
	(void)context;
	return of(cudaGraphConditionalHandleCreate(handle, graph, first, flags));
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	return of(cudaGraphInstantiateWithFlags(exec, graph, flags));
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	return of(cudaGraphLaunch(exec, stream));
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
	return of(cudaGraphExecDestroy(exec));
}

CUresult cuGraphDestroy(CUgraph graph)
{
	return of(cudaGraphDestroy(graph));
}
