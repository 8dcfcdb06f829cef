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
	FIELD(reservedSharedMemPerBlock, 696)};

static void release_properties(void *out, const struct cudaDeviceProp *p)
{
	memset(out, 0, PROPERTIES_13);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		memcpy((char *)out + fields[i].to, (const char *)p + fields[i].from,
			fields[i].bytes);
}

RELEASE(144, 88)

/* With what 13 has of each edge, of which nothing is asked here. */
cudaError_t add_dependencies_13(cudaGraph_t graph, const cudaGraphNode_t *from,
	const cudaGraphNode_t *to, const void *edges, size_t n) __asm__("cudaGraphAddDependencies");
cudaError_t add_dependencies_13(cudaGraph_t graph, const cudaGraphNode_t *from,
	const cudaGraphNode_t *to, const void *edges, size_t n)
{
	(void)edges;
	return rt_graph_dependencies(graph, from, to, n);
}
