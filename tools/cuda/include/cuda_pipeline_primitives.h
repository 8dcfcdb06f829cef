/*
 * Copies to shared memory that a thread makes by itself: from compute_80 on cp.async, below at
 * once. The programming guide, "Pipeline Primitives Interface".
 */
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_runtime.h"

#if defined(__cplusplus) && defined(__CUDA__)

/* 4, 8 or 16 bytes, of which the last `zeros` become 0 and are not read. */
WT_DEVICE void __pipeline_memcpy_async(void *dst, const void *src, size_t size, size_t zeros = 0)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	const unsigned to = (unsigned)__cvta_generic_to_shared(dst);
	const size_t from = __cvta_generic_to_global(src);
	const unsigned read = (unsigned)(size - zeros);
	if (size == 16)
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
			     "r"(read)
			     : "memory");
	else if (size == 8)
		asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from),
			     "r"(read)
			     : "memory");
	else
		asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
			     "r"(read)
			     : "memory");
#else
	for (size_t i = 0; i < size; i++)
		((char *)dst)[i] = i < size - zeros ? ((const char *)src)[i] : 0;
#endif
}
WT_DEVICE void __pipeline_commit()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
#define WT_WAIT(n)                                                                                 \
	case n:                                                                                    \
		asm volatile("cp.async.wait_group " #n ";" ::: "memory");                          \
		break;
/* Until all but the last `n` commits are done; beyond 8 for as many as 8. */
WT_DEVICE void __pipeline_wait_prior(size_t n)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	switch (n) {
		WT_WAIT(0)
		WT_WAIT(1)
		WT_WAIT(2)
		WT_WAIT(3)
		WT_WAIT(4)
		WT_WAIT(5)
		WT_WAIT(6)
		WT_WAIT(7)
	default:
		asm volatile("cp.async.wait_group 8;" ::: "memory");
	}
#endif
}
#undef WT_WAIT

#endif

#endif
