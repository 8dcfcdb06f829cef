/* The words that CUDA C adds to C, as attributes that clang understands. */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
/*
 * clang 14 knows no managed memory. A managed variable is a device variable whose host twin stands
 * in a section of its own: the runtime sees by its address that the two are to be one.
 */
#define __managed__ __attribute__((device, used, section("wt_managed")))
#define __grid_constant__
/*
 * clang 14 knows no clusters, but keeps annotations with numbers in its intermediate code, from where
 * trace-nvcc puts them into the PTX.
 */
#define __cluster_dims__(...) __attribute__((annotate("wt_cluster_dims", __VA_ARGS__)))
#define __maxnreg__(...)
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#endif

/* Of functions that have no lines of their own: in kernels a line is the caller's. */
#if defined(__clang__)
#define WT_NODEBUG __attribute__((nodebug))
#else
#define WT_NODEBUG
#endif

#define __no_return__ __attribute__((noreturn))
/* Files of C++ alone may have attributes of this name, as those of libstdc++. */
#if defined(__CUDACC__)
#define __noinline__ __attribute__((noinline))
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __inline_hint__
#define __thread__ __thread
#define __import__
#define __export__
#define __cdecl
#define __builtin_align__(n) __align__(n)
#define __location__(a) __attribute__((a))
#define CUDARTAPI
#define CUDAAPI
#define CUDART_CB
#define CUDA_CB
#define CUDART_DEVICE __device__
#define __device_builtin__
#define __cudart_builtin__

#endif
