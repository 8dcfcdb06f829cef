/*
 * The driver's graphs, by the runtime's.
 */
#include "driver.h"
#include <stddef.h>
#include <string.h>

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
	return of(cudaGraphCreate(graph, flags));
}

/* What the two say of a node lies at the same places, but for copies. */
_Static_assert(sizeof(CUgraphNodeParams) == sizeof(struct cudaGraphNodeParams), "graph nodes");

static CUresult params_of(struct cudaGraphNodeParams *p, const CUgraphNodeParams *params)
{
	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy((void *)p, params, sizeof(*p));
	if (params->type == CU_GRAPH_NODE_TYPE_KERNEL && !params->kernel.func)
		p->kernel.func = (void *)params->kernel.kern;
	return params->type == CU_GRAPH_NODE_TYPE_MEMCPY
		       ? driver_block_of(&p->memcpy.copyParams, &params->memcpy.copyParams)
		       : CUDA_SUCCESS;
}

CUresult cuGraphAddNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
	CUgraphNodeParams *params)
{
	struct cudaGraphNodeParams p;
	CUresult e = params_of(&p, params);

	if (e)
		return e;
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

/* What CUDA 11 and older have of a kernel's node: nothing behind its arguments. */
static CUDA_KERNEL_NODE_PARAMS of_11(const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	CUDA_KERNEL_NODE_PARAMS now = {.kern = NULL};

	memcpy(&now, p, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
	return now;
}
_Static_assert(
	sizeof(CUDA_KERNEL_NODE_PARAMS_v1) == offsetof(CUDA_KERNEL_NODE_PARAMS, kern), "kernels");

CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
	const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	const CUDA_KERNEL_NODE_PARAMS p = of_11(params);
	return cuGraphAddKernelNode_v2(out, graph, before, n, &p);
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

/* ---- what is asked of graphs ---- */

CUresult cuGraphClone(CUgraph *clone, CUgraph graph)
{
	return of(cudaGraphClone(clone, graph));
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *n)
{
	return of(cudaGraphGetNodes(graph, nodes, n));
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *n)
{
	return of(cudaGraphGetRootNodes(graph, nodes, n));
}

CUresult cuGraphNodeGetType(CUgraphNode n, CUgraphNodeType *type)
{
	enum cudaGraphNodeType t;
	const cudaError_t e = cudaGraphNodeGetType(n, type ? &t : NULL);

	if (!e)
		*type = (CUgraphNodeType)t;
	return of(e);
}

CUresult cuGraphDestroyNode(CUgraphNode n)
{
	return of(cudaGraphDestroyNode(n));
}

/* ---- executable ones, and what of them may change ---- */

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
	return of(cudaGraphUpload(exec, stream));
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode n, unsigned int on)
{
	return of(cudaGraphNodeSetEnabled(exec, n, on));
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode n, unsigned int *on)
{
	return of(cudaGraphNodeGetEnabled(exec, n, on));
}

/* Of CUDA 10 and 11. */
CUresult cuGraphExecUpdate(
	CUgraphExec exec, CUgraph graph, CUgraphNode *at, CUgraphExecUpdateResult *result)
{
	enum cudaGraphExecUpdateResult r = cudaGraphExecUpdateError;
	CUgraphNode node = NULL;
	const cudaError_t e = cudaGraphExecUpdate(exec, graph, &node, &r);

	if (at)
		*at = node;
	if (result)
		*result = (CUgraphExecUpdateResult)r;
	return of(e);
}

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *result)
{
	enum cudaGraphExecUpdateResult r = cudaGraphExecUpdateError;
	CUgraphNode at = NULL;
	const cudaError_t e = cudaGraphExecUpdate(exec, graph, &at, &r);

	if (result)
		*result = (CUgraphExecUpdateResultInfo){(CUgraphExecUpdateResult)r, at, NULL};
	return of(e);
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode n, CUgraphNodeParams *params)
{
	struct cudaGraphNodeParams p;
	const CUresult e = params_of(&p, params);

	return e ? e : of(cudaGraphExecNodeSetParams(exec, n, &p));
}

CUresult cuGraphExecKernelNodeSetParams_v2(
	CUgraphExec exec, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *params)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	p.kernel = *params;
	return cuGraphExecNodeSetParams(exec, n, &p);
}

CUresult cuGraphExecKernelNodeSetParams(
	CUgraphExec exec, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	const CUDA_KERNEL_NODE_PARAMS p = of_11(params);
	return cuGraphExecKernelNodeSetParams_v2(exec, n, &p);
}

CUresult cuGraphExecMemcpyNodeSetParams(
	CUgraphExec exec, CUgraphNode n, const CUDA_MEMCPY3D *copy, CUcontext context)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};

	(void)context;
	if (!copy)
		return CUDA_ERROR_INVALID_VALUE;
	p.memcpy.copyParams = *copy;
	return cuGraphExecNodeSetParams(exec, n, &p);
}

CUresult cuGraphExecMemsetNodeSetParams(
	CUgraphExec exec, CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET};

	(void)context;
	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy((void *)&p.memset, params, sizeof(*params));
	return cuGraphExecNodeSetParams(exec, n, &p);
}

CUresult cuGraphExecHostNodeSetParams(
	CUgraphExec exec, CUgraphNode n, const CUDA_HOST_NODE_PARAMS *params)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_HOST};

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	p.host = *params;
	return cuGraphExecNodeSetParams(exec, n, &p);
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode n, CUgraph child)
{
	return of(cudaGraphExecChildGraphNodeSetParams(exec, n, child));
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode n, CUevent event)
{
	return of(cudaGraphExecEventRecordNodeSetEvent(exec, n, event));
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode n, CUevent event)
{
	return of(cudaGraphExecEventWaitNodeSetEvent(exec, n, event));
}
