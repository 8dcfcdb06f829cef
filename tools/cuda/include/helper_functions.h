/* The samples include all of their helpers by this. */
#include "helper_cuda.h"
#include "helper_timer.h"
