/*
 * What the library does not do: each entry point is there, so that programs that only might call it
 * are linked, and returns cudaErrorNotSupported (the driver's number is the same), with a sentence.
 */
#include "map.h"
#include "rt.h"

static struct rt_map told;

cudaError_t rt_unsupported(const char *what)
{
	rt_enter();
	if (!rt_map_get(&told, what)) {
		rt_say("%s is not supported", what);
		rt_map_put(&told, what, &told);
	}
	return rt_leave(cudaErrorNotSupported);
}

#define WT_UNSUPPORTED(name)                                                                       \
	cudaError_t unsupported_##name(void) __asm__(#name);                                       \
	cudaError_t unsupported_##name(void)                                                       \
	{                                                                                          \
		return rt_unsupported(#name);                                                      \
	}
#include "unsupported.def"
