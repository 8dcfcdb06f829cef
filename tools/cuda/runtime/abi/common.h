/*
 * Entry points that fill a struct of the program's, over functions that know the release's layout:
 *   release_properties(void *out, const struct cudaDeviceProp *p)
 * and the sizes of the others, which begin alike in all releases and are zero after what is named
 * here.
 */
#ifndef CUDA_ABI_COMMON_H
#define CUDA_ABI_COMMON_H

#include "../rt.h"
#include <string.h>

#define CLUSTERS_AT 52 /* what cudaFuncAttributes of CUDA 12 and later has of clusters */

_Static_assert(sizeof(struct cudaDeviceProp) == 1032, "cudaDeviceProp of CUDA 12");

#undef cudaGetDeviceProperties
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int device);

#define RELEASE(attributes_bytes, pointer_bytes)                                                   \
	cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int device)                \
	{                                                                                          \
		struct cudaDeviceProp p;                                                           \
		RT_ASK();                                                                          \
		if (!out || device)                                                                \
			return rt_leave(out ? cudaErrorInvalidDevice : cudaErrorInvalidValue);     \
		rt_properties(&p);                                                                 \
		release_properties(out, &p);                                                       \
		return rt_leave(cudaSuccess);                                                      \
	}                                                                                          \
	cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *out, int device)             \
	{                                                                                          \
		struct cudaDeviceProp p;                                                           \
		RT_ASK();                                                                          \
		if (!out || device)                                                                \
			return rt_leave(out ? cudaErrorInvalidDevice : cudaErrorInvalidValue);     \
		rt_properties(&p);                                                                 \
		*out = p;                                                                          \
		return rt_leave(cudaSuccess);                                                      \
	}                                                                                          \
	cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *f)           \
	{                                                                                          \
		struct cudaFuncAttributes a;                                                       \
		RT_ENTER();                                                                        \
		RT_WANT(out);                                                                      \
		const cudaError_t e = rt_attributes(&a, rt_function(f));                           \
		if (!e) {                                                                          \
			memset((void *)out, 0, attributes_bytes);                                  \
			memcpy((void *)out, &a, sizeof(a));                                        \
			if ((attributes_bytes) >=                                                  \
				CLUSTERS_AT + RT_CLUSTER_ATTRIBUTES * sizeof(int))                 \
				rt_cluster_attributes(                                             \
					(int *)(void *)((char *)(void *)out + CLUSTERS_AT),        \
					rt_function(f));                                           \
		}                                                                                  \
		return rt_leave(e);                                                                \
	}                                                                                          \
	cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p)     \
	{                                                                                          \
		struct cudaPointerAttributes a;                                                    \
		RT_ENTER();                                                                        \
		RT_WANT(out);                                                                      \
		rt_pointer(&a, p);                                                                 \
		memset((void *)out, 0, pointer_bytes);                                             \
		memcpy((void *)out, &a, sizeof(a));                                                \
		return rt_leave(cudaSuccess);                                                      \
	}

#endif
