/* CUDA 9 to 12 (where programs ask for cudaGetDeviceProperties_v2), and programs of trace-nvcc. */
#include "common.h"

static void release_properties(void *out, const struct cudaDeviceProp *p)
{
	memcpy(out, p, sizeof(*p));
}

RELEASE(sizeof(struct cudaFuncAttributes), sizeof(struct cudaPointerAttributes))

cudaError_t cudaGraphAddDependencies(
	cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n)
{
	return rt_graph_dependencies(graph, from, to, n);
}
