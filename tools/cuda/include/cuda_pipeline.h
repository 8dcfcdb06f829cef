/* Only its functions in C are here. */
#include "cuda_pipeline_primitives.h"
