/* A name that programs include. */
#include "cuda_awbarrier_primitives.h"
