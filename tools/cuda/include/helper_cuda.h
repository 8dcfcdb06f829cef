/* What samples include beside the toolkit: checks that end the program with the place and the error. */
#ifndef COMMON_HELPER_CUDA_H_
#define COMMON_HELPER_CUDA_H_

#include "cuda_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

static inline void wt_check(cudaError_t e, const char *what, const char *file, int line)
{
	if (!e)
		return;
	fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, what, cudaGetErrorString(e),
		cudaGetErrorName(e));
	exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) wt_check((cudaError_t)(call), #call, __FILE__, __LINE__)
#define getLastCudaError(text) wt_check(cudaGetLastError(), text, __FILE__, __LINE__)
#define printLastCudaError(text) getLastCudaError(text)

static inline int gpuGetMaxGflopsDeviceId(void)
{
	return 0;
}
static inline int gpuDeviceInit(int device)
{
	wt_check(cudaSetDevice(device), "cudaSetDevice", __FILE__, __LINE__);
	return device;
}
static inline int findCudaDevice(int argc, const char **argv)
{
	(void)argc, (void)argv;
	return gpuDeviceInit(0);
}
static inline int _ConvertSMVer2Cores(int major, int minor)
{
	(void)major, (void)minor;
	return 64;
}
static inline bool checkCudaCapabilities(int major, int minor)
{
	cudaDeviceProp p;
	wt_check(cudaGetDeviceProperties(&p, 0), "cudaGetDeviceProperties", __FILE__, __LINE__);
	return p.major > major || (p.major == major && p.minor >= minor);
}

#endif
