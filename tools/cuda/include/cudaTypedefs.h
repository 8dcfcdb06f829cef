/* Types of pointers to the driver's functions, of those that programs ask for by name. */
#ifndef WT_CUDA_TYPEDEFS_H
#define WT_CUDA_TYPEDEFS_H

#include "cuda.h"

typedef __typeof__(&cuInit) PFN_cuInit;
typedef __typeof__(&cuDeviceGet) PFN_cuDeviceGet;
typedef __typeof__(&cuDeviceGetAttribute) PFN_cuDeviceGetAttribute;
typedef __typeof__(&cuModuleLoadData) PFN_cuModuleLoadData;
typedef __typeof__(&cuModuleGetFunction) PFN_cuModuleGetFunction;
typedef __typeof__(&cuLaunchKernel) PFN_cuLaunchKernel;
typedef __typeof__(&cuLaunchKernelEx) PFN_cuLaunchKernelEx;
typedef __typeof__(&cuGetErrorName) PFN_cuGetErrorName;
typedef __typeof__(&cuGetErrorString) PFN_cuGetErrorString;
typedef __typeof__(&cuPointerGetAttribute) PFN_cuPointerGetAttribute;
typedef __typeof__(&cuTensorMapEncodeTiled) PFN_cuTensorMapEncodeTiled;
typedef PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000;

#endif
