/*
 * CUDA 9 to 12, and programs of trace-nvcc: these and those of 12 ask for
 * cudaGetDeviceProperties_v2, and cudaGetDeviceProperties fills what CUDA 11 has.
 */
#include "common.h"
#include <stddef.h>

static void release_properties(void *out, const struct cudaDeviceProp *p)
{
	memcpy(out, p, offsetof(struct cudaDeviceProp, hostRegisterSupported));
}

RELEASE(sizeof(struct cudaFuncAttributes), sizeof(struct cudaPointerAttributes))

cudaError_t cudaGraphAddDependencies(
	cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n)
{
	return rt_graph_dependencies(graph, from, to, n, false);
}

cudaError_t cudaGraphRemoveDependencies(
	cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n)
{
	return rt_graph_dependencies(graph, from, to, n, true);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
	size_t count, struct cudaGraphNodeParams *p)
{
	return rt_graph_add(out, graph, before, count, p);
}

cudaError_t cudaGraphGetEdges(
	cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n)
{
	return rt_graph_edges(graph, from, to, n);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n)
{
	return rt_node_neighbours(node, nodes, n, false);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n)
{
	return rt_node_neighbours(node, nodes, n, true);
}

cudaError_t cudaStreamGetCaptureInfo(
	cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id)
{
	return rt_capture_info(stream, status, id, NULL, NULL, NULL);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **last, size_t *n)
{
	return rt_capture_info(stream, status, id, graph, last, n);
}

/* CUDA 12, with what it has of each edge. */
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **last,
	const void **edges, size_t *n);
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **last,
	const void **edges, size_t *n)
{
	if (edges)
		*edges = NULL;
	return rt_capture_info(stream, status, id, graph, last, n);
}

cudaError_t cudaStreamUpdateCaptureDependencies(
	cudaStream_t stream, cudaGraphNode_t *nodes, size_t n, unsigned int flags)
{
	return rt_capture_dependencies(stream, nodes, n, flags);
}
