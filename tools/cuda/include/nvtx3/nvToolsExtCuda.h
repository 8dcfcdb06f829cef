/* NVTX by the name that its headers have since version 3. */
#include "../nvToolsExtCuda.h"
