/*
 * CUDA C++ as programs include it: the runtime's functions with C++'s types, and, when a .cu file is
 * compiled, what the device knows by itself. trace-nvcc puts it before every .cu file. Over the
 * headers that clang brings along, in the order that those want.
 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "host_defines.h"
#include "vector_types.h"
#include "cuda_runtime_api.h"

#if defined(__cplusplus) && defined(__CUDA__)

#define CUDA_VERSION 11080
#define WT_DEVICE static __device__ __forceinline__ __attribute__((nodebug))

#include <__clang_cuda_math_forward_declares.h>
/* Before device functions come into namespace std. */
#include <assert.h>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(size_t) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(
	const char *message, const char *file, unsigned line, const char *function, size_t char_size);
__device__ static inline __attribute__((nodebug)) void __assert_fail(
	const char *message, const char *file, unsigned line, const char *function)
{
	__assertfail(message, file, line, function, sizeof(char));
}
__device__ int printf(const char *, ...);
}
namespace std {
__device__ static inline void free(void *p)
{
	::free(p);
}
__device__ static inline void *malloc(size_t n)
{
	return ::malloc(n);
}
}
/* clang's own of these call the device's malloc and free. */
#include <algorithm>
#include <new>
#include <utility>

/* clang has these for all architectures, and ends in its back end where one has them no more. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define __shfl wt_old_shfl
#define __shfl_up wt_old_shfl_up
#define __shfl_down wt_old_shfl_down
#define __shfl_xor wt_old_shfl_xor
#define __any wt_old_any
#define __all wt_old_all
#define __ballot wt_old_ballot
#endif

#pragma push_macro("__CUDA_ARCH__")
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 9999 /* the host's side has to see the device's functions, too */
#endif
#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>
#ifndef __USE_FAST_MATH__
#if defined(__CLANG_CUDA_APPROX_TRANSCENDENTALS__)
#define __USE_FAST_MATH__ 1
#else
#define __USE_FAST_MATH__ 0
#endif
#endif
#ifndef __CUDA_PREC_DIV
#define __CUDA_PREC_DIV 0
#endif
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#pragma pop_macro("__CUDA_ARCH__")
#if defined(__CUDA_ARCH__)
#include "warptrace/device_math.h"
#endif

typedef unsigned int cuuint32_t;
typedef unsigned long cuuint64_t;

#define WT_AS_DIM3(type)                                                                           \
	__device__ inline type::operator dim3() const { return dim3(x, y, z); }                    \
	__device__ inline type::operator uint3() const { return uint3{x, y, z}; }
WT_AS_DIM3(__cuda_builtin_threadIdx_t)
WT_AS_DIM3(__cuda_builtin_blockIdx_t)
WT_AS_DIM3(__cuda_builtin_blockDim_t)
WT_AS_DIM3(__cuda_builtin_gridDim_t)
#undef WT_AS_DIM3

#include <__clang_cuda_cmath.h>
#include <__clang_cuda_intrinsics.h>
#include <__clang_cuda_complex_builtins.h>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
#undef __any
#undef __all
#undef __ballot
#define WT_GONE(name)                                                                              \
	template <class T, class... More>                                                          \
	__device__ T name(T, More...) __attribute__((unavailable(                                  \
		"from sm_70 on there is " #name "_sync alone; -arch=sm_60 has both")));
WT_GONE(__shfl)
WT_GONE(__shfl_up)
WT_GONE(__shfl_down)
WT_GONE(__shfl_xor)
WT_GONE(__any)
WT_GONE(__all)
WT_GONE(__ballot)
#undef WT_GONE
#endif
#include "warptrace/device_functions.h"

/* Managed variables, if this program has any: their host side is to be the device's memory. */
#if !defined(__CUDA_ARCH__)
extern "C" {
extern char __start_wt_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_wt_managed[] __attribute__((weak, visibility("hidden")));
void __warptraceManaged(const char *from, const char *to) __attribute__((weak));
}
static __attribute__((constructor(101), used)) void wt_tell_managed()
{
	if (&__start_wt_managed[0] && __warptraceManaged)
		__warptraceManaged(__start_wt_managed, __stop_wt_managed);
}
/* How many objects this program has whose device code is linked: the last one's is there for all. */
#if defined(__CUDACC_RDC__)
static const char wt_linked __attribute__((section("wt_linked"), used)) = 0;
extern "C" {
extern const char __start_wt_linked[] __attribute__((weak, visibility("hidden")));
extern const char __stop_wt_linked[] __attribute__((weak, visibility("hidden")));
void __warptraceLinked(const char *from, const char *to) __attribute__((weak));
void __warptraceUnlinked(const char *from, const char *to) __attribute__((weak));
}
static __attribute__((constructor(101), used)) void wt_tell_linked()
{
	if (&__start_wt_linked[0] && __warptraceLinked)
		__warptraceLinked(__start_wt_linked, __stop_wt_linked);
}
/* Their code goes with a library that is closed. */
static __attribute__((destructor(101), used)) void wt_tell_unlinked()
{
	if (&__start_wt_linked[0] && __warptraceUnlinked)
		__warptraceUnlinked(__start_wt_linked, __stop_wt_linked);
}
#endif
#endif

#include "warptrace/launch.h"

#endif /* __CUDA__ */

#if defined(__cplusplus)

extern "C" unsigned __cudaPushCallConfiguration(
	dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);

/* ---- the runtime with C++'s types ---- */

#define WT_POINTER(name, parameters, arguments)                                                    \
	template <class T> static inline cudaError_t name parameters                               \
	{                                                                                          \
		return ::name arguments;                                                           \
	}
template <class T> static inline __host__ __device__ cudaError_t cudaMalloc(T **p, size_t n)
{
	return ::cudaMalloc((void **)(void *)p, n);
}
WT_POINTER(cudaMallocAsync, (T **p, size_t n, cudaStream_t s), ((void **)(void *)p, n, s))
WT_POINTER(cudaMallocFromPoolAsync, (T **p, size_t n, cudaMemPool_t pool, cudaStream_t s),
	((void **)(void *)p, n, pool, s))
WT_POINTER(cudaHostAlloc, (T **p, size_t n, unsigned f), ((void **)(void *)p, n, f))
WT_POINTER(cudaMallocPitch, (T **p, size_t *pitch, size_t w, size_t h),
	((void **)(void *)p, pitch, w, h))
WT_POINTER(cudaHostGetDevicePointer, (T **p, void *h, unsigned f), ((void **)(void *)p, h, f))
WT_POINTER(cudaGetSymbolAddress, (void **p, const T &symbol), (p, (const void *)&symbol))
WT_POINTER(cudaGetSymbolSize, (size_t *n, const T &symbol), (n, (const void *)&symbol))
#undef WT_POINTER
template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t n, cudaMemPool_t pool, cudaStream_t s)
{
	return ::cudaMallocFromPoolAsync((void **)(void *)p, n, pool, s);
}
template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t n, unsigned flags = 0)
{
	return ::cudaHostAlloc((void **)(void *)p, n, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **p, size_t n, unsigned flags = cudaMemAttachGlobal)
{
	return ::cudaMallocManaged((void **)(void *)p, n, flags);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t n,
	size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
	return ::cudaMemcpyToSymbol((const void *)&symbol, src, n, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t n,
	size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
	return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, n, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t n,
	size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
	return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, n, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t n,
	size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
	return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, n, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, const T &symbol, const void *src, size_t n,
	size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphAddMemcpyNodeToSymbol(
		node, graph, before, count, (const void *)&symbol, src, n, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t count, void *dst, const T &symbol, size_t n,
	size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphAddMemcpyNodeFromSymbol(
		node, graph, before, count, dst, (const void *)&symbol, n, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
	const T &symbol, const void *src, size_t n, size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphMemcpyNodeSetParamsToSymbol(
		node, (const void *)&symbol, src, n, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
	const T &symbol, size_t n, size_t offset, cudaMemcpyKind kind)
{
	return ::cudaGraphMemcpyNodeSetParamsFromSymbol(
		node, dst, (const void *)&symbol, n, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec,
	cudaGraphNode_t node, const T &symbol, const void *src, size_t n, size_t offset,
	cudaMemcpyKind kind)
{
	return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(
		exec, node, (const void *)&symbol, src, n, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec,
	cudaGraphNode_t node, void *dst, const T &symbol, size_t n, size_t offset,
	cudaMemcpyKind kind)
{
	return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(
		exec, node, dst, (const void *)&symbol, n, offset, kind);
}
template <class T>
static inline cudaError_t cudaLaunchKernel(
	T *f, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0)
{
	return ::cudaLaunchKernel((const void *)f, grid, block, args, shared, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(
	T *f, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0)
{
	return ::cudaLaunchCooperativeKernel((const void *)f, grid, block, args, shared, stream);
}
template <class... Parameters, class... Arguments>
static inline cudaError_t cudaLaunchKernelEx(
	const cudaLaunchConfig_t *config, void (*f)(Parameters...), Arguments &&...args)
{
	return [&](Parameters... values) {
		void *list[] = {(void *)&values..., nullptr};
		return ::cudaLaunchKernelExC(config, (const void *)f, list);
	}(static_cast<Arguments &&>(args)...);
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, T *f)
{
	return ::cudaFuncGetAttributes(a, (const void *)f);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *f, cudaFuncAttribute attr, int value)
{
	return ::cudaFuncSetAttribute((const void *)f, attr, value);
}
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *f, cudaFuncCache config)
{
	return ::cudaFuncSetCacheConfig((const void *)f, config);
}
template <class T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T *f, cudaSharedMemConfig config)
{
	return ::cudaFuncSetSharedMemConfig((const void *)f, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
	int *n, T *f, int block, size_t shared)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, (const void *)f, block, shared);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(
	int *clusters, T *f, const cudaLaunchConfig_t *config)
{
	return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)f, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(
	int *ctas, T *f, const cudaLaunchConfig_t *config)
{
	return ::cudaOccupancyMaxPotentialClusterSize(ctas, (const void *)f, config);
}
/* The block with the most threads resident on an SM, and the grid that fills the device. */
template <class T, class Function>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
	int *grid, int *block, T *f, Function shared_of, int limit = 0)
{
	cudaFuncAttributes a;
	cudaDeviceProp p;
	cudaError_t e = ::cudaFuncGetAttributes(&a, (const void *)f);
	int best = 0, n;
	if (!e)
		e = ::cudaGetDeviceProperties(&p, 0);
	if (e)
		return e;
	int top = limit > 0 && limit < a.maxThreadsPerBlock ? limit : a.maxThreadsPerBlock;
	*grid = *block = 0;
	for (int b = (top + 31) / 32 * 32; b > 0; b -= 32) {
		const int threads = b < top ? b : top;
		e = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&n, (const void *)f, threads, shared_of(threads));
		if (e)
			return e;
		if (n * threads > best) {
			best = n * threads;
			*block = threads;
			*grid = n * p.multiProcessorCount;
		}
	}
	return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(
	int *grid, int *block, T *f, size_t shared = 0, int limit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
		grid, block, f, [=](int) { return shared; }, limit);
}
/* As CUDA 13 has them: a place, where there was a device's number. */
static inline int wt_number_of(cudaMemLocation at)
{
	return at.type == cudaMemLocationTypeDevice ? at.id : cudaCpuDeviceId;
}
static inline cudaError_t cudaMemAdvise(
	const void *p, size_t n, cudaMemoryAdvise advice, cudaMemLocation at)
{
	return ::cudaMemAdvise(p, n, advice, wt_number_of(at));
}
static inline cudaError_t cudaMemPrefetchAsync(
	const void *p, size_t n, cudaMemLocation at, unsigned flags, cudaStream_t stream = 0)
{
	return flags ? cudaErrorInvalidValue
		     : ::cudaMemPrefetchAsync(p, n, wt_number_of(at), stream);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
	return ::cudaEventCreateWithFlags(event, flags);
}
static inline cudaError_t cudaGraphInstantiate(
	cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags = 0)
{
	return ::cudaGraphInstantiateWithFlags(exec, graph, flags);
}
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, const cudaGraphEdgeData *edges, size_t n,
	cudaGraphNodeParams *p)
{
	return ::cudaGraphAddNode_v2(node, graph, before, edges, n, p);
}
/* As CUDA 12 has them. */
static inline cudaError_t cudaGraphExecUpdate(
	cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
	cudaGraphExecUpdateResult result;
	cudaGraphNode_t node;
	const cudaError_t e = ::cudaGraphExecUpdate(exec, graph, &node, &result);

	if (info)
		*info = cudaGraphExecUpdateResultInfo{result, node, 0};
	return e;
}
static inline cudaError_t cudaGetDriverEntryPoint(const char *name, void **function,
	unsigned long long flags, cudaDriverEntryPointQueryResult *status)
{
	return ::cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
	cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
	const cudaGraphNode_t **last, const cudaGraphEdgeData **edges, size_t *n)
{
	if (edges)
		*edges = 0;
	return ::cudaStreamGetCaptureInfo_v2(stream, status, id, graph, last, n);
}
static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
	cudaGraphNode_t *nodes, const cudaGraphEdgeData *, size_t n, unsigned int flags = 0)
{
	return ::cudaStreamUpdateCaptureDependencies(stream, nodes, n, flags);
}
static inline cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t x, size_t y)
{
	return cudaPitchedPtr{p, pitch, x, y};
}
static inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d)
{
	return cudaExtent{w, h, d};
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
	return cudaPos{x, y, z};
}

#include "channel_descriptor.h"
#include "warptrace/textures.h"

#endif /* __cplusplus */

#endif
