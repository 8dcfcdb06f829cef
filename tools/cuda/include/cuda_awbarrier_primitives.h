/*
 * Barriers in shared memory as functions: from compute_80 on the mbarrier instructions, below a
 * word that threads count in. Either has 8 bytes. The programming guide, "Memory Barrier Primitives
 * Interface".
 */
#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#include "warptrace/barrier.h"

#if defined(__cplusplus) && defined(__CUDA__)

typedef cuda::wt_barrier_of<cuda::thread_scope_block, cuda::wt_nothing>::type __mbarrier_t;
typedef __mbarrier_t::arrival_token __mbarrier_token_t;

static inline __host__ __device__ constexpr uint32_t __mbarrier_maximum_count()
{
	return (1 << 20) - 1;
}
WT_DEVICE void __mbarrier_init(__mbarrier_t *b, uint32_t n) { b->wt_init(n); }
/* Its memory may be used for something else. */
WT_DEVICE void __mbarrier_inval(__mbarrier_t *b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(b))
		     : "memory");
#endif
}
WT_DEVICE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *b) { return b->arrive(); }
WT_DEVICE void __mbarrier_arrive_and_drop(__mbarrier_t *b) { b->arrive_and_drop(); }
WT_DEVICE bool __mbarrier_test_wait(__mbarrier_t *b, __mbarrier_token_t before)
{
	return b->wt_over(before);
}
WT_DEVICE bool __mbarrier_test_wait_parity(__mbarrier_t *b, bool odd) { return b->wt_over_parity(odd); }
/* The last argument is how long a thread may sleep; here none does. */
WT_DEVICE bool __mbarrier_try_wait(__mbarrier_t *b, __mbarrier_token_t before, uint32_t)
{
	return b->wt_over(before);
}
WT_DEVICE bool __mbarrier_try_wait_parity(__mbarrier_t *b, bool odd, uint32_t)
{
	return b->wt_over_parity(odd);
}

#endif

#endif
