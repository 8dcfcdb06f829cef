/*
 * Cooperative groups: the block, the cluster, the grid, tiles of a warp, and the threads that run
 * together. The grid's barrier counts CTAs in memory; the launch has seen to it that all are resident.
 */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

#if defined(__cplusplus) && defined(__CUDA__)

namespace cooperative_groups {

#define _CG_HAS_CLUSTER_GROUP
#define WT_CG __device__ __forceinline__ __attribute__((nodebug))

static __device__ unsigned wt_grid_arrived, wt_grid_turn;

struct thread_group {
	unsigned n, rank, mask; /* mask 0: a block */
	WT_CG unsigned size() const { return n; }
	WT_CG unsigned num_threads() const { return n; }
	WT_CG unsigned thread_rank() const { return rank; }
	WT_CG void sync() const
	{
		if (mask)
			__syncwarp(mask);
		else
			__syncthreads();
	}
};

class thread_block {
public:
	static WT_CG void sync() { __syncthreads(); }
	static WT_CG unsigned thread_rank()
	{
		return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	}
	static WT_CG unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
	static WT_CG unsigned num_threads() { return size(); }
	static WT_CG dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
	static WT_CG dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
	static WT_CG dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
	static WT_CG dim3 dim_threads() { return group_dim(); }
	WT_CG operator thread_group() const { return thread_group{size(), thread_rank(), 0}; }
};
WT_CG inline thread_block this_thread_block()
{
	return thread_block();
}

class grid_group {
public:
	WT_CG bool is_valid() const { return true; }
	WT_CG unsigned num_blocks() const { return gridDim.x * gridDim.y * gridDim.z; }
	WT_CG unsigned block_rank() const
	{
		return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	}
	WT_CG dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
	WT_CG dim3 dim_blocks() const { return group_dim(); }
	WT_CG dim3 block_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
	WT_CG dim3 cluster_index() const { return __clusterIdx(); }
	WT_CG dim3 dim_clusters() const { return __clusterGridDimInClusters(); }
	WT_CG unsigned num_clusters() const
	{
		const dim3 n = dim_clusters();
		return n.x * n.y * n.z;
	}
	WT_CG unsigned cluster_rank() const
	{
		const dim3 n = dim_clusters(), at = cluster_index();
		return (at.z * n.y + at.y) * n.x + at.x;
	}
	WT_CG unsigned long long size() const
	{
		return (unsigned long long)num_blocks() * thread_block::size();
	}
	WT_CG unsigned long long num_threads() const { return size(); }
	WT_CG unsigned long long thread_rank() const
	{
		return (unsigned long long)block_rank() * thread_block::size() +
		       thread_block::thread_rank();
	}
	WT_CG void sync() const
	{
		__syncthreads();
		if (thread_block::thread_rank() == 0) {
			volatile unsigned *turn = &wt_grid_turn;
			const unsigned before = *turn;
			__threadfence();
			if (atomicAdd(&wt_grid_arrived, 1u) + 1 == num_blocks()) {
				wt_grid_arrived = 0;
				__threadfence();
				*turn = before + 1;
			} else {
				while (*turn == before)
					;
			}
			__threadfence();
		}
		__syncthreads();
	}
};
WT_CG inline grid_group this_grid()
{
	return grid_group();
}

/* A cluster of CTAs; where the launch has none, each CTA is one. */
class cluster_group {
public:
	static WT_CG void sync()
	{
		barrier_arrive();
		barrier_wait();
	}
	struct arrival_token {};
	static WT_CG arrival_token barrier_arrive()
	{
		__cluster_barrier_arrive();
		return arrival_token();
	}
	static WT_CG void barrier_wait() { __cluster_barrier_wait(); }
	static WT_CG void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
	static WT_CG unsigned query_shared_rank(const void *p)
	{
		return __cluster_query_shared_rank(p);
	}
	template <class T> static WT_CG T *map_shared_rank(T *p, int rank)
	{
		return (T *)__cluster_map_shared_rank((const void *)p, (unsigned)rank);
	}
	static WT_CG dim3 block_index() { return __clusterRelativeBlockIdx(); }
	static WT_CG unsigned block_rank() { return __clusterRelativeBlockRank(); }
	static WT_CG dim3 dim_blocks() { return __clusterDim(); }
	static WT_CG unsigned num_blocks() { return __clusterSizeInBlocks(); }
	static WT_CG dim3 thread_index()
	{
		const dim3 b = block_index();
		return dim3(b.x * blockDim.x + threadIdx.x, b.y * blockDim.y + threadIdx.y,
			b.z * blockDim.z + threadIdx.z);
	}
	static WT_CG unsigned thread_rank()
	{
		return block_rank() * thread_block::size() + thread_block::thread_rank();
	}
	static WT_CG dim3 dim_threads()
	{
		const dim3 b = dim_blocks();
		return dim3(b.x * blockDim.x, b.y * blockDim.y, b.z * blockDim.z);
	}
	static WT_CG unsigned num_threads() { return num_blocks() * thread_block::size(); }
	static WT_CG unsigned size() { return num_threads(); }
};
WT_CG inline cluster_group this_cluster()
{
	return cluster_group();
}

WT_CG inline unsigned wt_lane()
{
	unsigned lane;
	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	return lane;
}

/* Operations of a part of a warp, from its mask of lanes, its size and a lane's rank in it. */
template <class Self> class wt_lanes {
	WT_CG unsigned mask() const { return ((const Self *)this)->wt_mask(); }
	WT_CG int lane(unsigned rank) const { return ((const Self *)this)->wt_lane_of(rank); }

public:
	WT_CG void sync() const { __syncwarp(mask()); }
	WT_CG int any(int p) const { return (__ballot_sync(mask(), p) & mask()) != 0; }
	WT_CG int all(int p) const { return (__ballot_sync(mask(), p) & mask()) == mask(); }
	template <class T> WT_CG T shfl(T v, unsigned rank) const
	{
		return __shfl_sync(mask(), v, lane(rank));
	}
};

template <unsigned N, class Parent = void>
class thread_block_tile : public wt_lanes<thread_block_tile<N, Parent>> {
public:
	thread_block_tile() = default;
	/* A tile of anything is a tile whose parent is not told. */
	template <class Other> WT_CG thread_block_tile(const thread_block_tile<N, Other> &) {}
	WT_CG unsigned wt_mask() const
	{
		return N == 32 ? 0xffffffffu : ((1u << N % 32) - 1) << (wt_lane() / N * N);
	}
	WT_CG int wt_lane_of(unsigned rank) const { return (int)(wt_lane() / N * N + rank % N); }
	static WT_CG unsigned size() { return N; }
	static WT_CG unsigned num_threads() { return N; }
	WT_CG unsigned thread_rank() const { return wt_lane() % N; }
	WT_CG unsigned meta_group_rank() const { return thread_block::thread_rank() / N; }
	WT_CG unsigned meta_group_size() const { return (thread_block::size() + N - 1) / N; }
	template <class T> WT_CG T shfl_down(T v, unsigned d) const
	{
		return __shfl_down_sync(wt_mask(), v, d, N);
	}
	template <class T> WT_CG T shfl_up(T v, unsigned d) const
	{
		return __shfl_up_sync(wt_mask(), v, d, N);
	}
	template <class T> WT_CG T shfl_xor(T v, unsigned m) const
	{
		return __shfl_xor_sync(wt_mask(), v, m, N);
	}
	WT_CG unsigned ballot(int p) const
	{
		return (__ballot_sync(wt_mask(), p) & wt_mask()) >> (wt_lane() / N * N);
	}
	WT_CG operator thread_group() const { return thread_group{N, thread_rank(), wt_mask()}; }
};
template <unsigned N, class Group>
WT_CG inline thread_block_tile<N, Group> tiled_partition(const Group &)
{
	return thread_block_tile<N, Group>();
}

class coalesced_group : public wt_lanes<coalesced_group> {
	unsigned members;

public:
	WT_CG coalesced_group(unsigned m) : members(m) {}
	WT_CG unsigned wt_mask() const { return members; }
	WT_CG int wt_lane_of(unsigned rank) const { return (int)__fns(members, 0, (int)rank + 1); }
	WT_CG unsigned size() const { return (unsigned)__popc((int)members); }
	WT_CG unsigned num_threads() const { return size(); }
	WT_CG unsigned thread_rank() const
	{
		return (unsigned)__popc((int)(members & ((1u << wt_lane()) - 1)));
	}
	WT_CG operator thread_group() const { return thread_group{size(), thread_rank(), members}; }
};
WT_CG inline coalesced_group coalesced_threads()
{
	return coalesced_group(__activemask());
}

template <class Group> WT_CG inline void sync(const Group &g)
{
	g.sync();
}

template <class T> struct plus {
	WT_CG T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
	WT_CG T operator()(T a, T b) const { return a < b ? a : b; }
};
template <class T> struct greater {
	WT_CG T operator()(T a, T b) const { return a > b ? a : b; }
};
/* Of a tile of a power of two: all lanes get the result. */
template <unsigned N, class P, class T, class F>
WT_CG inline T reduce(const thread_block_tile<N, P> &g, T v, F f)
{
	for (unsigned m = N / 2; m; m /= 2)
		v = f(v, g.shfl_xor(v, m));
	return v;
}
#undef WT_CG

}

#endif

#endif
