/* Of managed.cu: nothing but a device function, and so nothing that the host's side names. */
#include "managed.h"

__device__ void note(int i)
{
	atomicAdd(&count, i);
}
