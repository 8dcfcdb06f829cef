/*
 * cuda::barrier, and copies that it waits for. From compute_80 on that of a block is an mbarrier;
 * below, and of other scopes, words in memory that threads count in. After the documentation of
 * libcu++, "cuda::barrier" and "cuda::memcpy_async".
 */
#ifndef WT_BARRIER_H
#define WT_BARRIER_H

#include "../cooperative_groups.h"
#include "../cooperative_groups/memcpy_async.h"
#include <cstddef>
#include <utility>

#if defined(__cplusplus) && defined(__CUDA__)

namespace cuda {

#define WT_CUDA __device__ __forceinline__ __attribute__((nodebug))

enum thread_scope {
	thread_scope_system,
	thread_scope_device,
	thread_scope_block,
	thread_scope_thread
};

/* A number of bytes; places and number are multiples of Alignment, a power of two. */
template <size_t Alignment> struct aligned_size_t {
	static constexpr size_t align = Alignment;
	size_t value;
	__host__ __device__ explicit aligned_size_t(size_t n) : value(n) {}
	__host__ __device__ operator size_t() const { return value; }
};

struct wt_nothing {
	WT_CUDA void operator()() const {}
};

/* How many are still to come, how many come each time, and how many times all have come. */
template <thread_scope Scope, class Completion> class wt_counted_barrier {
	unsigned left, each, times;
	Completion done;

	WT_CUDA void arrived(unsigned n)
	{
		__threadfence();
		if (atomicSub(&left, n) != n)
			return;
		done();
		left = *(volatile unsigned *)&each;
		__threadfence();
		*(volatile unsigned *)&times = times + 1;
	}

public:
	typedef unsigned arrival_token;
	wt_counted_barrier() = default;
	WT_CUDA void wt_init(ptrdiff_t n, Completion f = Completion())
	{
		left = each = (unsigned)n;
		times = 0;
		done = f;
		__threadfence();
	}
	WT_CUDA arrival_token arrive(ptrdiff_t n = 1)
	{
		const unsigned before = *(volatile unsigned *)&times;
		arrived((unsigned)n);
		return before;
	}
	WT_CUDA bool wt_over(arrival_token before) const
	{
		return *(const volatile unsigned *)&times != before;
	}
	WT_CUDA bool wt_over_parity(bool odd) const
	{
		return (*(const volatile unsigned *)&times & 1) != (unsigned)odd;
	}
	WT_CUDA void arrive_and_drop()
	{
		atomicSub(&each, 1u);
		arrived(1);
	}
	/* Copies were made at once. */
	WT_CUDA void wt_copies_arrive() { arrived(1); }
	WT_CUDA void wt_copies_bound() {}
};

/*
 * Where nothing is to be done when all have come, one word of 8 bytes, as programs have places for:
 * each in its low 20 bits, then how far those who come are from 2^20, and above them how many times
 * all have come. So who comes last counts that in the same addition, and then sets the middle again.
 */
template <thread_scope Scope> class wt_counted_barrier<Scope, wt_nothing> {
	unsigned long long word;

	static constexpr unsigned BITS = 20, MASK = (1 << BITS) - 1;

	WT_CUDA unsigned long long times() const
	{
		return *(const volatile unsigned long long *)&word >> 2 * BITS;
	}
	/* What is in the middle for so many that are still to come. */
	WT_CUDA static unsigned long long until(unsigned n)
	{
		return (unsigned long long)(0u - n & MASK) << BITS;
	}
	/* The times before. Others may have come again, even all, before the middle is set. */
	WT_CUDA unsigned long long add(unsigned long long more)
	{
		__threadfence();
		unsigned long long before = atomicAdd(&word, more), now = before + more;
		const unsigned long long first = before >> 2 * BITS;
		while (before >> 2 * BITS != now >> 2 * BITS) {
			more = until((unsigned)now & MASK);
			before = atomicAdd(&word, more);
			now = before + more;
		}
		return first;
	}

public:
	typedef unsigned long long arrival_token;
	wt_counted_barrier() = default;
	WT_CUDA void wt_init(ptrdiff_t n, wt_nothing = wt_nothing())
	{
		word = until((unsigned)n) | (unsigned)n;
		__threadfence();
	}
	WT_CUDA arrival_token arrive(ptrdiff_t n = 1)
	{
		return add((unsigned long long)n << BITS);
	}
	WT_CUDA bool wt_over(arrival_token before) const { return times() != before; }
	WT_CUDA bool wt_over_parity(bool odd) const { return (times() & 1) != odd; }
	WT_CUDA void arrive_and_drop() { add((1ull << BITS) - 1); }
	/* Copies were made at once. */
	WT_CUDA void wt_copies_arrive() { arrive(); }
	WT_CUDA void wt_copies_bound() {}
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
class wt_mbarrier {
	unsigned long long word;

	WT_CUDA unsigned at() const { return (unsigned)__cvta_generic_to_shared(&word); }

public:
	typedef unsigned long long arrival_token;
	wt_mbarrier() = default;
	WT_CUDA void wt_init(ptrdiff_t n, wt_nothing = wt_nothing())
	{
		asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at()), "r"((unsigned)n)
			     : "memory");
	}
	WT_CUDA arrival_token arrive(ptrdiff_t n = 1)
	{
		arrival_token t;
		if (__builtin_constant_p(n) && n == 1)
			asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
				     : "=l"(t)
				     : "r"(at())
				     : "memory");
		else
			asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;"
				     : "=l"(t)
				     : "r"(at()), "r"((unsigned)n)
				     : "memory");
		return t;
	}
	WT_CUDA bool wt_over(arrival_token before) const
	{
		unsigned over;
		asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; "
			     "selp.u32 %0, 1, 0, p; }"
			     : "=r"(over)
			     : "r"(at()), "l"(before)
			     : "memory");
		return over;
	}
	WT_CUDA bool wt_over_parity(bool odd) const
	{
		unsigned over;
		asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; "
			     "selp.u32 %0, 1, 0, p; }"
			     : "=r"(over)
			     : "r"(at()), "r"((unsigned)odd)
			     : "memory");
		return over;
	}
	WT_CUDA void arrive_and_drop()
	{
		arrival_token t;
		asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
			     : "=l"(t)
			     : "r"(at())
			     : "memory");
	}
	/* An arrival when the thread's copies up to here are there. */
	WT_CUDA void wt_copies_arrive()
	{
		asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at())
			     : "memory");
	}
	/* Nobody's wait is over before the thread's copies up to here are there. */
	WT_CUDA void wt_copies_bound()
	{
		asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at()) : "memory");
	}
};
#endif

template <thread_scope Scope, class Completion> struct wt_barrier_of {
	typedef wt_counted_barrier<Scope, Completion> type;
};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <> struct wt_barrier_of<thread_scope_block, wt_nothing> {
	typedef wt_mbarrier type;
};
#endif

template <thread_scope Scope, class Completion = wt_nothing>
class barrier : public wt_barrier_of<Scope, Completion>::type {
	typedef typename wt_barrier_of<Scope, Completion>::type base;

public:
	typedef typename base::arrival_token arrival_token;
	barrier() = default;
	WT_CUDA barrier(ptrdiff_t n, Completion f = Completion()) { this->wt_init(n, f); }
	barrier(const barrier &) = delete;
	static constexpr ptrdiff_t max() { return (1 << 20) - 1; }
	WT_CUDA void wait(arrival_token &&before) const
	{
		while (!this->wt_over(before))
			;
	}
	WT_CUDA void wait_parity(bool odd) const
	{
		while (!this->wt_over_parity(odd))
			;
	}
	WT_CUDA bool try_wait(arrival_token &&before) const { return this->wt_over(before); }
	WT_CUDA bool try_wait_parity(bool odd) const { return this->wt_over_parity(odd); }
	WT_CUDA void arrive_and_wait() { wait(this->arrive()); }
	friend WT_CUDA void init(barrier *b, ptrdiff_t n, Completion f = Completion())
	{
		b->wt_init(n, f);
	}
};

namespace device {
template <class Completion>
WT_CUDA unsigned long long *barrier_native_handle(barrier<thread_scope_block, Completion> &b)
{
	return (unsigned long long *)&b;
}
}

/* A thread that copies by itself. */
struct wt_alone {
	WT_CUDA unsigned thread_rank() const { return 0; }
	WT_CUDA unsigned size() const { return 1; }
};

/* Copies of which places and number are multiples of Alignment. */
template <size_t Alignment, class Group>
WT_CUDA void wt_copy_aligned(const Group &group, void *dst, const void *src, size_t bytes)
{
	if (Alignment < 4)
		cooperative_groups::wt_copy_any(group, (char *)dst, (const char *)src, bytes);
	else
		cooperative_groups::wt_copy<(Alignment >= 16 ? 16 : Alignment >= 8 ? 8 : 4)>(
			group, (char *)dst, (const char *)src, bytes);
}

enum class async_contract_fulfillment { none, async };

#define WT_COPY(T, Alignment, size, Sync, ...)                                                             \
	template <__VA_ARGS__>                                                                     \
	WT_CUDA async_contract_fulfillment memcpy_async(                                           \
		T *dst, const T *src, size bytes, Sync &sync)                                      \
	{                                                                                          \
		wt_copy_aligned<Alignment>(wt_alone(), dst, src, (size_t)bytes);                           \
		sync.wt_copies_bound();                                                            \
		return async_contract_fulfillment::async;                                          \
	}                                                                                          \
	template <class Group, __VA_ARGS__>                                                        \
	WT_CUDA async_contract_fulfillment memcpy_async(                                           \
		const Group &group, T *dst, const T *src, size bytes, Sync &sync)                  \
	{                                                                                          \
		wt_copy_aligned<Alignment>(group, dst, src, (size_t)bytes);                                \
		sync.wt_copies_bound();                                                            \
		return async_contract_fulfillment::async;                                          \
	}
#define WT_BARRIER barrier<Scope, Completion>
WT_COPY(T, alignof(T), size_t, WT_BARRIER, class T, thread_scope Scope, class Completion)
WT_COPY(T, Count, aligned_size_t<Count>, WT_BARRIER, class T, size_t Count, thread_scope Scope, class Completion)
WT_COPY(void, 1, size_t, WT_BARRIER, thread_scope Scope, class Completion)
WT_COPY(void, Count, aligned_size_t<Count>, WT_BARRIER, size_t Count, thread_scope Scope, class Completion)
#undef WT_BARRIER
/* WT_COPY and WT_CUDA are also pipeline.h's. */

}

#endif

#endif
