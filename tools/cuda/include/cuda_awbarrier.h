/* nvcuda::experimental::awbarrier, which came before cuda::barrier and is that of a block. */
#ifndef _CUDA_AWBARRIER_H_
#define _CUDA_AWBARRIER_H_

#include "cuda_awbarrier_primitives.h"

#if defined(__cplusplus) && defined(__CUDA__)

namespace nvcuda
{
namespace experimental
{

class awbarrier {
	__mbarrier_t b;

public:
	typedef __mbarrier_token_t arrival_token;
	awbarrier() = default;
	awbarrier(const awbarrier &) = delete;
	awbarrier &operator=(const awbarrier &) = delete;
	static constexpr uint32_t max() { return (1 << 20) - 1; }
	__device__ __forceinline__ WT_NODEBUG arrival_token arrive() { return __mbarrier_arrive(&b); }
	__device__ __forceinline__ WT_NODEBUG void arrive_and_drop() { __mbarrier_arrive_and_drop(&b); }
	__device__ __forceinline__ WT_NODEBUG void wait(arrival_token before)
	{
		while (!__mbarrier_test_wait(&b, before))
			;
	}
	__device__ __forceinline__ WT_NODEBUG void arrive_and_wait() { wait(arrive()); }
	/* Until the barrier is over, or for a time: here for as many looks. */
	__device__ __forceinline__ WT_NODEBUG bool timed_wait(arrival_token before, uint32_t cycles)
	{
		bool over;
		while (!(over = __mbarrier_test_wait(&b, before)) && cycles--)
			;
		return over;
	}
	__device__ __forceinline__ WT_NODEBUG bool timed_wait_parity(bool odd, uint32_t cycles)
	{
		bool over;
		while (!(over = __mbarrier_test_wait_parity(&b, odd)) && cycles--)
			;
		return over;
	}
	friend __device__ __forceinline__ WT_NODEBUG void init(awbarrier *a, uint32_t n) { __mbarrier_init(&a->b, n); }
	friend __device__ __forceinline__ WT_NODEBUG void inval(awbarrier *a) { __mbarrier_inval(&a->b); }
};

}
}

#endif

#endif
