/*
 * Cooperative groups: the block, the cluster, the grid, tiles of a warp, and the threads that run
 * together. The grid's barrier counts CTAs in memory; the launch has seen to it that all are resident.
 */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"
#include <type_traits>

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
/* Memory that tiles of several warps ask of the program: here they have their own. */
template <unsigned Threads = 1024, unsigned = 0> struct block_tile_memory {
	char unused;
};
template <unsigned Threads, unsigned Size>
WT_CG inline thread_block this_thread_block(block_tile_memory<Threads, Size> &)
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

/* A value of any trivial type, moved by `f` word after word. */
template <class T, class Function> WT_CG inline T wt_words(const T &v, Function f)
{
	static_assert(std::is_trivially_copyable<T>::value, "a shuffle moves bytes");
	unsigned w[(sizeof(T) + 3) / 4] = {};
	T r;
	__builtin_memcpy(w, &v, sizeof(T));
	for (unsigned &word : w)
		word = f(word);
	__builtin_memcpy(&r, w, sizeof(T));
	return r;
}

/* The lanes of a mask whose word is the caller's. */
WT_CG inline unsigned wt_alike(unsigned mask, unsigned v)
{
	unsigned r;
	asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask) : "memory");
	return r;
}
WT_CG inline unsigned wt_alike(unsigned mask, unsigned long long v)
{
	unsigned r;
	asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(r) : "l"(v), "r"(mask) : "memory");
	return r;
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
		const unsigned m = mask();
		const int from = lane(rank);
		return wt_words(v, [=](unsigned w) { return __shfl_sync(m, w, from); });
	}
	template <class T> WT_CG unsigned match_any(T v) const
	{
		typedef typename std::conditional<sizeof(T) == 8, unsigned long long, unsigned>::type
			word;
		word w = 0;
		__builtin_memcpy(&w, &v, sizeof(T));
		return ((const Self *)this)->wt_ranks(wt_alike(mask(), w));
	}
	template <class T> WT_CG unsigned match_all(T v, int &all) const
	{
		const unsigned alike = match_any(v), same = ((const Self *)this)->wt_ranks(mask());
		all = this->all(alike == same);
		return all ? same : 0;
	}
};

/*
 * Operations of N / 32 warps of a block. Each tile of a block has a barrier of the hardware's sixteen;
 * the last of sixteen tiles has the one of __syncthreads(), so there no other may wait at that meanwhile.
 */
template <unsigned Size> class wt_warps {
	static WT_CG unsigned tile() { return thread_block::thread_rank() / Size; }

public:
	static WT_CG void sync()
	{
		asm volatile("bar.sync %0, %1;" ::"r"((tile() + 1) % 16), "n"(Size) : "memory");
	}
	/* What f makes of the values of the tile's warps, given that of one's own warp. */
	template <class T, class Function> static WT_CG T wt_join(T v, Function f)
	{
		static_assert(std::is_trivially_copyable<T>::value, "moved as bytes");
		static __shared__ __align__(16) char of[32][sizeof(T)];
		const unsigned rank = thread_block::thread_rank(), first = tile() * (Size / 32);
		T all, one;
		if (rank % 32 == 0)
			__builtin_memcpy(of[rank / 32], &v, sizeof(T));
		sync();
		__builtin_memcpy(&all, of[first], sizeof(T));
		for (unsigned w = 1; w < Size / 32; w++) {
			__builtin_memcpy(&one, of[first + w], sizeof(T));
			all = f(all, one);
		}
		sync();
		return all;
	}
	/* rank: the same for the whole tile */
	template <class T> static WT_CG T shfl(T v, unsigned rank)
	{
		static_assert(std::is_trivially_copyable<T>::value, "a shuffle moves bytes");
		static __shared__ __align__(16) char of[16][sizeof(T)];
		if (thread_block::thread_rank() % Size == rank % Size)
			__builtin_memcpy(of[tile()], &v, sizeof(T));
		sync();
		__builtin_memcpy(&v, of[tile()], sizeof(T));
		sync();
		return v;
	}
	static WT_CG int any(int p)
	{
		return wt_join(__any_sync(0xffffffffu, p), [](int a, int b) { return a | b; });
	}
	static WT_CG int all(int p)
	{
		return wt_join(__all_sync(0xffffffffu, p), [](int a, int b) { return a & b; });
	}
};

template <unsigned Size, class Parent> class thread_block_tile;
/* Of how many threads the group is that was partitioned, if a tile; 0: the block. */
template <class Parent> struct wt_whole {
	static WT_CG unsigned wt_whole_size() { return 0; }
};
template <unsigned Size, class Parent> struct wt_whole<thread_block_tile<Size, Parent>> {
	static WT_CG unsigned wt_whole_size() { return Size; }
};
template <> struct wt_whole<void> {
	unsigned whole = 0;
	WT_CG unsigned wt_whole_size() const { return whole; }
};

template <unsigned Size, class Parent = void>
class thread_block_tile : public std::conditional<Size <= 32, wt_lanes<thread_block_tile<Size, Parent>>,
				  wt_warps<Size>>::type,
			  public wt_whole<Parent> {
	static_assert(Size && Size <= 1024 && !(Size & (Size - 1)), "a tile has a power of two of threads");

public:
	thread_block_tile() = default;
	/* A tile of anything is a tile whose parent's type is not told. */
	template <class Other> WT_CG thread_block_tile(const thread_block_tile<Size, Other> &tile)
	{
		this->whole = tile.wt_whole_size();
	}
	WT_CG unsigned wt_mask() const
	{
		return Size == 32 ? 0xffffffffu : ((1u << Size % 32) - 1) << (wt_lane() / Size * Size);
	}
	WT_CG int wt_lane_of(unsigned rank) const { return (int)(wt_lane() / Size * Size + rank % Size); }
	static WT_CG unsigned size() { return Size; }
	static WT_CG unsigned num_threads() { return Size; }
	WT_CG unsigned thread_rank() const
	{
		return (Size <= 32 ? wt_lane() : thread_block::thread_rank()) % Size;
	}
	WT_CG unsigned meta_group_rank() const
	{
		const unsigned of = this->wt_whole_size(), rank = thread_block::thread_rank();
		return (of ? rank % of : rank) / Size;
	}
	WT_CG unsigned meta_group_size() const
	{
		const unsigned of = this->wt_whole_size();
		return ((of ? of : thread_block::size()) + Size - 1) / Size;
	}
	template <class T> WT_CG T shfl_down(T v, unsigned d) const
	{
		const unsigned all = wt_mask();
		return wt_words(
			v, [=](unsigned w) { return __shfl_down_sync(all, w, d, Size); });
	}
	template <class T> WT_CG T shfl_up(T v, unsigned d) const
	{
		const unsigned all = wt_mask();
		return wt_words(
			v, [=](unsigned w) { return __shfl_up_sync(all, w, d, Size); });
	}
	template <class T> WT_CG T shfl_xor(T v, unsigned m) const
	{
		const unsigned all = wt_mask();
		return wt_words(
			v, [=](unsigned w) { return __shfl_xor_sync(all, w, m, Size); });
	}
	/* The lanes of a mask as bits by rank. */
	static WT_CG unsigned wt_ranks(unsigned lanes) { return lanes >> (wt_lane() / Size * Size); }
	WT_CG unsigned ballot(int p) const
	{
		return wt_ranks(__ballot_sync(wt_mask(), p) & wt_mask());
	}
	WT_CG operator thread_group() const
	{
		static_assert(Size <= 32, "a thread_group is the block or a part of a warp");
		return thread_group{Size, thread_rank(), wt_mask()};
	}
};
template <unsigned Size, class Group>
WT_CG inline thread_block_tile<Size, Group> tiled_partition(const Group &)
{
	return thread_block_tile<Size, Group>();
}
/* n: a power of two up to 32 */
WT_CG inline thread_group tiled_partition(const thread_group &g, unsigned n)
{
	const unsigned lane = wt_lane();
	const unsigned mask = n == 32 ? 0xffffffffu : ((1u << n % 32) - 1) << (lane / n * n);
	return thread_group{n, g.rank % n, mask};
}

class coalesced_group : public wt_lanes<coalesced_group> {
	unsigned members, part, parts;

public:
	WT_CG coalesced_group(unsigned m, unsigned which = 0, unsigned of = 1)
		: members(m), part(which), parts(of)
	{
	}
	WT_CG unsigned meta_group_rank() const { return part; }
	WT_CG unsigned meta_group_size() const { return parts; }
	WT_CG unsigned wt_mask() const { return members; }
	WT_CG int wt_lane_of(unsigned rank) const { return (int)__fns(members, 0, (int)rank + 1); }
	WT_CG unsigned size() const { return (unsigned)__popc((int)members); }
	WT_CG unsigned num_threads() const { return size(); }
	WT_CG unsigned thread_rank() const
	{
		return (unsigned)__popc((int)(members & ((1u << wt_lane()) - 1)));
	}
	WT_CG unsigned wt_ranks(unsigned lanes) const
	{
		unsigned ranks = 0, k = 0;
		for (unsigned m = members; m; m &= m - 1, k++)
			ranks |= (lanes & m & (0u - m) ? 1u : 0u) << k;
		return ranks;
	}
	WT_CG unsigned ballot(int p) const { return wt_ranks(__ballot_sync(members, p)); }
	/* Beyond the first and the last a lane gets its own value. */
	template <class T> WT_CG T shfl_down(T v, unsigned d) const
	{
		const unsigned rank = thread_rank();
		return this->shfl(v, rank + d < size() ? rank + d : rank);
	}
	template <class T> WT_CG T shfl_up(T v, unsigned d) const
	{
		const unsigned rank = thread_rank();
		return this->shfl(v, rank >= d ? rank - d : rank);
	}
	WT_CG operator thread_group() const { return thread_group{size(), thread_rank(), members}; }
};
WT_CG inline coalesced_group coalesced_threads()
{
	return coalesced_group(__activemask());
}

/* The lanes of a group whose label is the caller's. */
template <class Group, class T>
WT_CG inline coalesced_group labeled_partition(const Group &g, T label)
{
	static_assert(std::is_integral<T>::value, "a label is an integer");
	const unsigned all = g.wt_mask();
	typedef typename std::conditional<sizeof(T) == 8, unsigned long long, unsigned>::type word;
	const unsigned mine = wt_alike(all, (word)label);
	/* Parts are counted by their first lanes. */
	const unsigned first = mine & (0u - mine);
	const unsigned firsts = __ballot_sync(all, first == 1u << wt_lane()) & all;
	return coalesced_group(mine, (unsigned)__popc((int)(firsts & (first - 1))),
		(unsigned)__popc((int)firsts));
}
template <class Group> WT_CG inline coalesced_group binary_partition(const Group &g, bool p)
{
	return labeled_partition(g, (unsigned)p);
}

template <class Group> WT_CG inline unsigned thread_rank(const Group &g)
{
	return g.thread_rank();
}
template <class Group> WT_CG inline unsigned group_size(const Group &g)
{
	return g.size();
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
template <class T> struct bit_and {
	WT_CG T operator()(T a, T b) const { return a & b; }
};
template <class T> struct bit_or {
	WT_CG T operator()(T a, T b) const { return a | b; }
};
template <class T> struct bit_xor {
	WT_CG T operator()(T a, T b) const { return a ^ b; }
};
template <unsigned Size, class Parent, class T, class Function>
WT_CG inline typename std::enable_if<(Size > 32), T>::type wt_join(
	const thread_block_tile<Size, Parent> &g, T v, Function f)
{
	return g.wt_join(v, f);
}
template <unsigned Size, class Parent, class T, class Function>
WT_CG inline typename std::enable_if<Size <= 32, T>::type wt_join(
	const thread_block_tile<Size, Parent> &, T v, Function)
{
	return v;
}
/* Of a tile: all threads get the result. */
template <unsigned Size, class Parent, class T, class Function>
WT_CG inline T reduce(const thread_block_tile<Size, Parent> &g, T v, Function f)
{
	const thread_block_tile<(Size < 32 ? Size : 32)> warp;
	for (unsigned m = warp.size() / 2; m; m /= 2)
		v = f(v, warp.shfl_xor(v, m));
	return wt_join(g, v, f);
}
/* Of any lanes: the first has what 1, 2, 4 ... ranks behind it have, and gives it to all. */
template <class T, class Function> WT_CG inline T reduce(const coalesced_group &g, T v, Function f)
{
	for (unsigned d = 1; d < g.size(); d *= 2) {
		const T other = g.shfl_down(v, d);
		if (g.thread_rank() + d < g.size())
			v = f(v, other);
	}
	return g.shfl(v, 0);
}
template <class Group, class T, class Function> WT_CG inline T inclusive_scan(const Group &g, T v, Function f)
{
	for (unsigned d = 1; d < g.size(); d *= 2) {
		const T other = g.shfl_up(v, d);
		if (g.thread_rank() >= d)
			v = f(other, v);
	}
	return v;
}
template <class Group, class T> WT_CG inline T inclusive_scan(const Group &g, T v)
{
	return inclusive_scan(g, v, plus<T>());
}
/* The first rank has nothing before it: what it gets is T(). */
template <class Group, class T, class Function> WT_CG inline T exclusive_scan(const Group &g, T v, Function f)
{
	const T before = g.shfl_up(inclusive_scan(g, v, f), 1);
	return g.thread_rank() ? before : T();
}
template <class Group, class T> WT_CG inline T exclusive_scan(const Group &g, T v)
{
	return exclusive_scan(g, v, plus<T>());
}
#undef WT_CG

}

#endif

#endif
