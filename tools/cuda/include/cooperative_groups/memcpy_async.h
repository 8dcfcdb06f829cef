/*
 * Copies that a group of threads makes together. From compute_80 on whole pieces of 16, 8 or 4 bytes
 * from global to shared memory are cp.async, and wait() is what makes them seen; all else is copied
 * at once.
 */
#ifndef _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_

#include "../cooperative_groups.h"

#if defined(__cplusplus) && defined(__CUDA__)

namespace cooperative_groups {

#define WT_CG static __device__ __forceinline__ __attribute__((nodebug))

template <unsigned Count> WT_CG void wt_copy_piece(char *dst, const char *src)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	if (__isShared(dst) && __isGlobal(src)) {
		asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
			     :
			     : "r"((unsigned)__cvta_generic_to_shared(dst)),
			     "l"(__cvta_generic_to_global(src)), "n"(Count)
			     : "memory");
		return;
	}
#endif
	__builtin_memcpy(__builtin_assume_aligned(dst, Count), __builtin_assume_aligned(src, Count), Count);
}
/* The group's threads take pieces of Count bytes in turn, and what is left byte by byte. */
template <unsigned Count, class Group>
WT_CG void wt_copy(const Group &group, char *dst, const char *src, size_t bytes)
{
	const size_t whole = bytes / Count * Count;
	for (size_t i = group.thread_rank() * (size_t)Count; i < whole; i += group.size() * (size_t)Count)
		wt_copy_piece<Count>(dst + i, src + i);
	for (size_t i = whole + group.thread_rank(); i < bytes; i += group.size())
		dst[i] = src[i];
}
template <class Group>
WT_CG void wt_copy_any(const Group &group, char *dst, const char *src, size_t bytes)
{
	const size_t low = (size_t)dst | (size_t)src;
	if (low % 16 == 0)
		wt_copy<16>(group, dst, src, bytes);
	else if (low % 8 == 0)
		wt_copy<8>(group, dst, src, bytes);
	else if (low % 4 == 0)
		wt_copy<4>(group, dst, src, bytes);
	else
		for (size_t i = group.thread_rank(); i < bytes; i += group.size())
			dst[i] = src[i];
}
template <class Group>
WT_CG void wt_copy_group(const Group &group, char *dst, const char *src, size_t bytes)
{
	wt_copy_any(group, dst, src, bytes);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}

/* bytes, a number or cuda::aligned_size_t. */
template <class Group, class T, class Size>
WT_CG void memcpy_async(const Group &group, T *dst, const T *src, const Size &bytes)
{
	wt_copy_group(group, (char *)dst, (const char *)src, (size_t)bytes);
}
template <class Group, class Size>
WT_CG void memcpy_async(const Group &group, void *dst, const void *src, const Size &bytes)
{
	wt_copy_group(group, (char *)dst, (const char *)src, (size_t)bytes);
}
/* Elements: as many as both have. */
template <class Group, class T, class DstSize, class SrcSize>
WT_CG void memcpy_async(const Group &group, T *dst, const DstSize &dst_elements, const T *src,
	const SrcSize &src_elements)
{
	const size_t d = (size_t)dst_elements, s = (size_t)src_elements;
	wt_copy_group(group, (char *)dst, (const char *)src, (d < s ? d : s) * sizeof(T));
}

/* Until all but the last Count copies of each thread are there, for the whole group. */
template <unsigned Count, class Group> WT_CG void wait_prior(const Group &group)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	asm volatile("cp.async.wait_group %0;" : : "n"(Count) : "memory");
#endif
	group.sync();
}
template <class Group> WT_CG void wait(const Group &group)
{
	wait_prior<0>(group);
}
#undef WT_CG

}

#endif

#endif
