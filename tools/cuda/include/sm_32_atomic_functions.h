/* A name that programs include; all of it stands in one header here. */
#include "cuda_runtime.h"
