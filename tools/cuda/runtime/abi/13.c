/* CUDA 13: some fields of the properties are gone, so most lie elsewhere. Offsets in bytes. */
#include "common.h"
#include <stddef.h>

#define PROPERTIES_13 1008
#define FIELD(name, at)                                                                            \
	{                                                                                          \
		offsetof(struct cudaDeviceProp, name), sizeof(((struct cudaDeviceProp *)0)->name), \
			at                                                                         \
	}

static const struct {
	size_t from, bytes, to;
} fields[] = {FIELD(name, 0), FIELD(uuid, 256), FIELD(luid, 272), FIELD(totalGlobalMem, 288),
	FIELD(sharedMemPerBlock, 296), FIELD(regsPerBlock, 304), FIELD(warpSize, 308),
	FIELD(memPitch, 312), FIELD(maxThreadsPerBlock, 320), FIELD(maxThreadsDim, 324),
	FIELD(maxGridSize, 336), FIELD(totalConstMem, 352), FIELD(major, 360), FIELD(minor, 364),
	FIELD(textureAlignment, 368), FIELD(texturePitchAlignment, 376),
	FIELD(multiProcessorCount, 384), FIELD(integrated, 388), FIELD(canMapHostMemory, 392),
	FIELD(maxTexture1D, 396), FIELD(maxTexture2D, 404), FIELD(maxTexture3D, 440),
	FIELD(surfaceAlignment, 552), FIELD(concurrentKernels, 560), FIELD(asyncEngineCount, 584),
	FIELD(unifiedAddressing, 588), FIELD(memoryBusWidth, 592), FIELD(l2CacheSize, 596),
	FIELD(maxThreadsPerMultiProcessor, 604), FIELD(streamPrioritiesSupported, 608),
	FIELD(globalL1CacheSupported, 612), FIELD(localL1CacheSupported, 616),
	FIELD(sharedMemPerMultiprocessor, 624), FIELD(regsPerMultiprocessor, 632),
	FIELD(managedMemory, 636), FIELD(concurrentManagedAccess, 656),
	FIELD(computePreemptionSupported, 660), FIELD(canUseHostPointerForRegisteredMem, 664),
	FIELD(cooperativeLaunch, 668), FIELD(sharedMemPerBlockOptin, 672),
	FIELD(directManagedMemAccessFromHost, 684), FIELD(maxBlocksPerMultiProcessor, 688),
	FIELD(reservedSharedMemPerBlock, 696), FIELD(hostRegisterSupported, 704),
	FIELD(memoryPoolsSupported, 720), FIELD(clusterLaunch, 748)};

static void release_properties(void *out, const struct cudaDeviceProp *p)
{
	memset(out, 0, PROPERTIES_13);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		memcpy((char *)out + fields[i].to, (const char *)p + fields[i].from,
			fields[i].bytes);
}

RELEASE(144, 88)

/* With what 13 has of each edge, of which nothing is asked here. */
#define AS_13(name) __asm__(#name)
cudaError_t add_dependencies_13(cudaGraph_t graph, const cudaGraphNode_t *from,
	const cudaGraphNode_t *to, const void *edges, size_t n) AS_13(cudaGraphAddDependencies);
cudaError_t add_dependencies_13(cudaGraph_t graph, const cudaGraphNode_t *from,
	const cudaGraphNode_t *to, const void *edges, size_t n)
{
	(void)edges;
	return rt_graph_dependencies(graph, from, to, n, false);
}

cudaError_t remove_dependencies_13(cudaGraph_t graph, const cudaGraphNode_t *from,
	const cudaGraphNode_t *to, const void *edges, size_t n) AS_13(cudaGraphRemoveDependencies);
cudaError_t remove_dependencies_13(cudaGraph_t graph, const cudaGraphNode_t *from,
	const cudaGraphNode_t *to, const void *edges, size_t n)
{
	(void)edges;
	return rt_graph_dependencies(graph, from, to, n, true);
}

cudaError_t add_node_13(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
	const void *edges, size_t n, struct cudaGraphNodeParams *p) AS_13(cudaGraphAddNode);
cudaError_t add_node_13(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
	const void *edges, size_t n, struct cudaGraphNodeParams *p)
{
	(void)edges;
	return rt_graph_add(out, graph, before, n, p);
}

/* What 13 says of an edge, 8 bytes, is zero for all here. */
static cudaError_t zero_edges(void *edges, const size_t *n, cudaError_t e)
{
	if (!e && edges)
		memset(edges, 0, 8 * *n);
	return e;
}

cudaError_t edges_13(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, void *edges,
	size_t *n) AS_13(cudaGraphGetEdges);
cudaError_t edges_13(
	cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, void *edges, size_t *n)
{
	return zero_edges(edges, n, rt_graph_edges(graph, from, to, n));
}

cudaError_t dependencies_13(cudaGraphNode_t node, cudaGraphNode_t *nodes, void *edges, size_t *n)
	AS_13(cudaGraphNodeGetDependencies);
cudaError_t dependencies_13(cudaGraphNode_t node, cudaGraphNode_t *nodes, void *edges, size_t *n)
{
	return zero_edges(edges, n, rt_node_neighbours(node, nodes, n, false));
}

cudaError_t dependents_13(cudaGraphNode_t node, cudaGraphNode_t *nodes, void *edges, size_t *n)
	AS_13(cudaGraphNodeGetDependentNodes);
cudaError_t dependents_13(cudaGraphNode_t node, cudaGraphNode_t *nodes, void *edges, size_t *n)
{
	return zero_edges(edges, n, rt_node_neighbours(node, nodes, n, true));
}

cudaError_t capture_info_13(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **last,
	const void **edges, size_t *n) AS_13(cudaStreamGetCaptureInfo);
cudaError_t capture_info_13(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **last,
	const void **edges, size_t *n)
{
	if (edges)
		*edges = NULL;
	return rt_capture_info(stream, status, id, graph, last, n);
}

cudaError_t update_dependencies_13(cudaStream_t stream, cudaGraphNode_t *nodes, const void *edges,
	size_t n, unsigned int flags) AS_13(cudaStreamUpdateCaptureDependencies);
cudaError_t update_dependencies_13(cudaStream_t stream, cudaGraphNode_t *nodes, const void *edges,
	size_t n, unsigned int flags)
{
	(void)edges;
	return rt_capture_dependencies(stream, nodes, n, flags);
}
