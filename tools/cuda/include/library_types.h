/* What is said of a library of NVIDIA's; cudaDataType is left out. */
#ifndef WT_LIBRARY_TYPES_H
#define WT_LIBRARY_TYPES_H

#include "cuda_runtime.h"

typedef enum libraryPropertyType_t {
	MAJOR_VERSION,
	MINOR_VERSION,
	PATCH_LEVEL
} libraryPropertyType;

#endif
