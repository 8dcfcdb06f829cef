/*
 * What CUDA's device code calls beside clang's headers: barriers and fences, atomics, global min and
 * max, and some names that only the host lacks.
 */
#ifndef WT_DEVICE_FUNCTIONS_H
#define WT_DEVICE_FUNCTIONS_H

/*
 * clang 14 thinks that a barrier writes no memory, and moves loads of shared variables above it
 * (LLVM issues 58626, 59632). An asm that may write any holds them.
 */
WT_DEVICE void wt_barrier()
{
	asm volatile("bar.sync 0;" ::: "memory");
}
WT_DEVICE void wt_hold()
{
	asm volatile("" ::: "memory");
}
#define WT_VOTE_BARRIER(name, builtin)                                                             \
	WT_DEVICE int name(int predicate)                                                          \
	{                                                                                          \
		wt_hold();                                                                         \
		const int r = builtin(predicate);                                                  \
		wt_hold();                                                                         \
		return r;                                                                          \
	}
WT_VOTE_BARRIER(wt_barrier_count, __nvvm_bar0_popc)
WT_VOTE_BARRIER(wt_barrier_and, __nvvm_bar0_and)
WT_VOTE_BARRIER(wt_barrier_or, __nvvm_bar0_or)
#undef WT_VOTE_BARRIER
WT_DEVICE void wt_syncwarp(unsigned mask = 0xffffffffu)
{
	wt_hold();
	__nvvm_bar_warp_sync(mask);
	wt_hold();
}
WT_DEVICE void wt_fence()
{
	asm volatile("membar.gl;" ::: "memory");
}
WT_DEVICE void wt_fence_block()
{
	asm volatile("membar.cta;" ::: "memory");
}
WT_DEVICE void wt_fence_system()
{
	asm volatile("membar.sys;" ::: "memory");
}
#define __syncthreads() wt_barrier()
#define __syncthreads_count(p) wt_barrier_count(p)
#define __syncthreads_and(p) wt_barrier_and(p)
#define __syncthreads_or(p) wt_barrier_or(p)
#define __syncwarp(...) wt_syncwarp(__VA_ARGS__)
#define __threadfence() wt_fence()
#define __threadfence_block() wt_fence_block()
#define __threadfence_system() wt_fence_system()

/* ---- addresses within a space, as inline assembly wants them, and back ---- */

#define WT_CVTA(space)                                                                             \
	WT_DEVICE size_t __cvta_generic_to_##space(const void *p)                                  \
	{                                                                                          \
		return __nv_cvta_generic_to_##space##_impl(p);                                     \
	}                                                                                          \
	WT_DEVICE void *__cvta_##space##_to_generic(size_t p)                                      \
	{                                                                                          \
		return __nv_cvta_##space##_to_generic_impl(p);                                     \
	}
WT_CVTA(global)
WT_CVTA(shared)
WT_CVTA(constant)
WT_CVTA(local)
#undef WT_CVTA
#define WT_IS_SPACE(Name, space)                                                                   \
	WT_DEVICE unsigned __is##Name(const void *p)                                               \
	{                                                                                          \
		unsigned r;                                                                        \
		asm("{\n\t.reg .pred p;\n\tisspacep." #space " p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}"      \
			: "=r"(r)                                                                  \
			: "l"(p));                                                                 \
		return r;                                                                          \
	}
WT_IS_SPACE(Global, global)
WT_IS_SPACE(Shared, shared)
WT_IS_SPACE(Constant, const)
WT_IS_SPACE(Local, local)
#undef WT_IS_SPACE

/* ---- waits, and what the lanes of a mask come to together ---- */

WT_DEVICE void __nanosleep(unsigned ns)
{
	asm volatile("nanosleep.u32 %0;" ::"r"(ns));
}
#define WT_REDUCE(name, T, operation)                                                              \
	WT_DEVICE T __reduce_##name##_sync(unsigned mask, T v)                                     \
	{                                                                                          \
		T r;                                                                               \
		asm volatile("redux.sync." operation " %0, %1, %2;"                                \
			     : "=r"(r)                                                             \
			     : "r"(v), "r"(mask));                                                 \
		return r;                                                                          \
	}
WT_REDUCE(add, int, "add.s32")
WT_REDUCE(add, unsigned, "add.u32")
WT_REDUCE(min, int, "min.s32")
WT_REDUCE(min, unsigned, "min.u32")
WT_REDUCE(max, int, "max.s32")
WT_REDUCE(max, unsigned, "max.u32")
WT_REDUCE(and, unsigned, "and.b32")
WT_REDUCE(or, unsigned, "or.b32")
WT_REDUCE(xor, unsigned, "xor.b32")
#undef WT_REDUCE

/* The lanes of a mask with the caller's value; or all of them, where all have it. */
#define WT_MATCH(T, bits, constraint, word)                                                        \
	WT_DEVICE unsigned __match_any_sync(unsigned mask, T v)                                    \
	{                                                                                          \
		unsigned r;                                                                        \
		word w;                                                                            \
		__builtin_memcpy(&w, &v, sizeof(w));                                               \
		asm volatile("match.any.sync." bits " %0, %1, %2;"                                 \
			     : "=r"(r)                                                             \
			     : constraint(w), "r"(mask)                                            \
			     : "memory");                                                          \
		return r;                                                                          \
	}                                                                                          \
	WT_DEVICE unsigned __match_all_sync(unsigned mask, T v, int *all)                          \
	{                                                                                          \
		unsigned r;                                                                        \
		word w;                                                                            \
		__builtin_memcpy(&w, &v, sizeof(w));                                               \
		asm volatile("{\n\t.reg .pred p;\n\tmatch.all.sync." bits " %0|p, %2, %3;\n\t"      \
			     "selp.s32 %1, 1, 0, p;\n\t}"                                          \
			     : "=r"(r), "=r"(*all)                                                 \
			     : constraint(w), "r"(mask)                                            \
			     : "memory");                                                          \
		return r;                                                                          \
	}
WT_MATCH(int, "b32", "r", unsigned)
WT_MATCH(unsigned, "b32", "r", unsigned)
WT_MATCH(float, "b32", "r", unsigned)
WT_MATCH(long, "b64", "l", unsigned long long)
WT_MATCH(unsigned long, "b64", "l", unsigned long long)
WT_MATCH(long long, "b64", "l", unsigned long long)
WT_MATCH(unsigned long long, "b64", "l", unsigned long long)
WT_MATCH(double, "b64", "l", unsigned long long)
#undef WT_MATCH

/* ---- clusters ---- */

WT_DEVICE void __cluster_barrier_arrive()
{
	asm volatile("barrier.cluster.arrive;" ::: "memory");
}
WT_DEVICE void __cluster_barrier_arrive_relaxed()
{
	asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
WT_DEVICE void __cluster_barrier_wait()
{
	asm volatile("barrier.cluster.wait;" ::: "memory");
}
/* Where p of this CTA's shared memory is in that of the cluster's CTA of a rank. */
WT_DEVICE void *__cluster_map_shared_rank(const void *p, unsigned rank)
{
	unsigned long r;
	asm("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(p), "r"(rank));
	return (void *)r;
}
WT_DEVICE unsigned __cluster_query_shared_rank(const void *p)
{
	unsigned r;
	asm("getctarank.u64 %0, %1;" : "=r"(r) : "l"(p));
	return r;
}
#define WT_CLUSTER_NUMBER(name, reg)                                                               \
	WT_DEVICE unsigned name()                                                                  \
	{                                                                                          \
		unsigned r;                                                                        \
		asm("mov.u32 %0, %%" reg ";" : "=r"(r));                                           \
		return r;                                                                          \
	}
#define WT_CLUSTER_PLACE(name, reg)                                                                \
	WT_DEVICE dim3 name()                                                                      \
	{                                                                                          \
		dim3 r;                                                                            \
		asm("mov.u32 %0, %%" reg ".x;" : "=r"(r.x));                                       \
		asm("mov.u32 %0, %%" reg ".y;" : "=r"(r.y));                                       \
		asm("mov.u32 %0, %%" reg ".z;" : "=r"(r.z));                                       \
		return r;                                                                          \
	}
WT_CLUSTER_NUMBER(__clusterRelativeBlockRank, "cluster_ctarank")
WT_CLUSTER_NUMBER(__clusterSizeInBlocks, "cluster_nctarank")
WT_CLUSTER_PLACE(__clusterDim, "cluster_nctaid")
WT_CLUSTER_PLACE(__clusterRelativeBlockIdx, "cluster_ctaid")
WT_CLUSTER_PLACE(__clusterGridDimInClusters, "nclusterid")
WT_CLUSTER_PLACE(__clusterIdx, "clusterid")
#undef WT_CLUSTER_NUMBER
#undef WT_CLUSTER_PLACE
WT_DEVICE unsigned __clusterDimIsSpecified()
{
	unsigned r;
	asm("{\n\t.reg .pred p;\n\tmov.pred p, %%is_explicit_cluster;\n\tselp.u32 %0, 1, 0, p;\n\t}"
		: "=r"(r));
	return r;
}
WT_DEVICE unsigned __isClusterShared(const void *p)
{
	unsigned r;
	asm("{\n\t.reg .pred p;\n\tisspacep.shared::cluster p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}"
		: "=r"(r)
		: "l"(p));
	return r;
}

/* ---- a launch that may begin before the one in front of it has ended ---- */

WT_DEVICE void cudaGridDependencySynchronize()
{
	asm volatile("griddepcontrol.wait;" ::: "memory");
}
WT_DEVICE void cudaTriggerProgrammaticLaunchCompletion()
{
	asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/* The value of a graph's condition, whose handle is its address. */
WT_DEVICE void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value)
{
	asm volatile("st.global.u32 [%0], %1;" : : "l"(handle), "r"(value) : "memory");
}

/* ---- atomics ---- */

#define WT_ATOMIC(name, prefix, T)                                                                 \
	WT_DEVICE T atomic##name(T *p, T v)                                                        \
	{                                                                                          \
		return __##prefix##Atomic##name(p, v);                                             \
	}                                                                                          \
	WT_DEVICE T atomic##name##_block(T *p, T v)                                                \
	{                                                                                          \
		return __##prefix##Atomic##name##_block(p, v);                                     \
	}                                                                                          \
	WT_DEVICE T atomic##name##_system(T *p, T v)                                               \
	{                                                                                          \
		return __##prefix##Atomic##name##_system(p, v);                                    \
	}
#define WT_CAS(prefix, T)                                                                          \
	WT_DEVICE T atomicCAS(T *p, T old, T v)                                                    \
	{                                                                                          \
		return __##prefix##AtomicCAS(p, old, v);                                           \
	}                                                                                          \
	WT_DEVICE T atomicCAS_block(T *p, T old, T v)                                              \
	{                                                                                          \
		return __##prefix##AtomicCAS_block(p, old, v);                                     \
	}                                                                                          \
	WT_DEVICE T atomicCAS_system(T *p, T old, T v)                                             \
	{                                                                                          \
		return __##prefix##AtomicCAS_system(p, old, v);                                    \
	}
typedef unsigned long long wt_u64;
WT_ATOMIC(Add, i, int)
WT_ATOMIC(Add, u, unsigned int)
WT_ATOMIC(Add, ull, wt_u64)
WT_ATOMIC(Add, f, float)
WT_ATOMIC(Add, d, double)
WT_ATOMIC(Exch, i, int)
WT_ATOMIC(Exch, u, unsigned int)
WT_ATOMIC(Exch, ull, wt_u64)
WT_ATOMIC(Exch, f, float)
WT_ATOMIC(Min, i, int)
WT_ATOMIC(Min, u, unsigned int)
WT_ATOMIC(Min, ull, wt_u64)
WT_ATOMIC(Min, ill, long long)
WT_ATOMIC(Max, i, int)
WT_ATOMIC(Max, u, unsigned int)
WT_ATOMIC(Max, ull, wt_u64)
WT_ATOMIC(Max, ill, long long)
WT_ATOMIC(And, i, int)
WT_ATOMIC(And, u, unsigned int)
WT_ATOMIC(And, ull, wt_u64)
WT_ATOMIC(Or, i, int)
WT_ATOMIC(Or, u, unsigned int)
WT_ATOMIC(Or, ull, wt_u64)
WT_ATOMIC(Xor, i, int)
WT_ATOMIC(Xor, u, unsigned int)
WT_ATOMIC(Xor, ull, wt_u64)
WT_ATOMIC(Inc, u, unsigned int)
WT_ATOMIC(Dec, u, unsigned int)
WT_CAS(i, int)
WT_CAS(u, unsigned int)
WT_CAS(ull, wt_u64)
#undef WT_ATOMIC
#undef WT_CAS
WT_DEVICE int atomicSub(int *p, int v)
{
	return __iAtomicAdd(p, -v);
}
WT_DEVICE unsigned int atomicSub(unsigned int *p, unsigned int v)
{
	return __uAtomicAdd(p, 0u - v);
}
WT_DEVICE unsigned short atomicCAS(unsigned short *p, unsigned short old, unsigned short v)
{
	unsigned short r;
	asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(p), "h"(old), "h"(v) : "memory");
	return r;
}

/* ---- min and max of any two arithmetic types, in the global namespace ---- */

/* Those of two ints come with clang's math on the device. */
static inline __host__ int min(int a, int b)
{
	return a < b ? a : b;
}
static inline __host__ int max(int a, int b)
{
	return a > b ? a : b;
}
#define WT_MIXED(A, B, R)                                                                          \
	static inline __host__ __device__ R min(A a, B b)                                          \
	{                                                                                          \
		return (R)a < (R)b ? (R)a : (R)b;                                                  \
	}                                                                                          \
	static inline __host__ __device__ R max(A a, B b)                                          \
	{                                                                                          \
		return (R)a > (R)b ? (R)a : (R)b;                                                  \
	}
#define WT_BOTH(A, B, R) WT_MIXED(A, B, R) WT_MIXED(B, A, R)
WT_MIXED(unsigned int, unsigned int, unsigned int)
WT_MIXED(long, long, long)
WT_MIXED(unsigned long, unsigned long, unsigned long)
WT_MIXED(long long, long long, long long)
WT_MIXED(wt_u64, wt_u64, wt_u64)
WT_BOTH(int, unsigned int, unsigned int)
WT_BOTH(int, long, long)
WT_BOTH(int, unsigned long, unsigned long)
WT_BOTH(int, long long, long long)
WT_BOTH(int, wt_u64, wt_u64)
WT_BOTH(unsigned int, long, long)
WT_BOTH(unsigned int, unsigned long, unsigned long)
WT_BOTH(unsigned int, long long, long long)
WT_BOTH(unsigned int, wt_u64, wt_u64)
WT_BOTH(long, unsigned long, unsigned long)
WT_BOTH(long, long long, long long)
WT_BOTH(long, wt_u64, wt_u64)
WT_BOTH(unsigned long, long long, wt_u64)
WT_BOTH(unsigned long, wt_u64, wt_u64)
WT_BOTH(long long, wt_u64, wt_u64)
#undef WT_BOTH
#undef WT_MIXED
static inline __host__ __device__ float min(float a, float b)
{
	return __builtin_fminf(a, b);
}
static inline __host__ __device__ float max(float a, float b)
{
	return __builtin_fmaxf(a, b);
}
#define WT_REAL(A, B)                                                                              \
	static inline __host__ __device__ double min(A a, B b)                                     \
	{                                                                                          \
		return __builtin_fmin(a, b);                                                       \
	}                                                                                          \
	static inline __host__ __device__ double max(A a, B b)                                     \
	{                                                                                          \
		return __builtin_fmax(a, b);                                                       \
	}
WT_REAL(double, double)
WT_REAL(float, double)
WT_REAL(double, float)
#undef WT_REAL

/* ---- products of bytes, added up ---- */

#define WT_DP4A(T, V, type)                                                                        \
	WT_DEVICE T __dp4a(T a, T b, T c)                                                          \
	{                                                                                          \
		T r;                                                                               \
		asm("dp4a." type " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));           \
		return r;                                                                          \
	}                                                                                          \
	WT_DEVICE T __dp4a(V a, V b, T c)                                                          \
	{                                                                                          \
		return __dp4a(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b), c);              \
	}
WT_DP4A(int, char4, "s32.s32")
WT_DP4A(unsigned, uchar4, "u32.u32")
#undef WT_DP4A
#define WT_DP2A(T, A, B, half, type)                                                               \
	WT_DEVICE T __dp2a_##half(T a, T b, T c)                                                   \
	{                                                                                          \
		T r;                                                                               \
		asm("dp2a." #half "." type " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); \
		return r;                                                                          \
	}                                                                                          \
	WT_DEVICE T __dp2a_##half(A a, B b, T c)                                                   \
	{                                                                                          \
		return __dp2a_##half(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b), c);       \
	}
WT_DP2A(int, short2, char4, lo, "s32.s32")
WT_DP2A(int, short2, char4, hi, "s32.s32")
WT_DP2A(unsigned, ushort2, uchar4, lo, "u32.u32")
WT_DP2A(unsigned, ushort2, uchar4, hi, "u32.u32")
#undef WT_DP2A

/* ---- loads and stores with a cache operator (PTX ISA), which changes no result ---- */

/*
 * Of an element: its type in C and in PTX, and the type of its register and that one's constraint.
 * All are kept in their place among accesses to memory: what another thread has written before a
 * barrier is read after it.
 */
#define WT_LOAD_1(name, op, T, type, R, c)                                                         \
	WT_DEVICE T name(const T *p)                                                               \
	{                                                                                          \
		R x;                                                                               \
		asm volatile("ld.global." op "." type " %0, [%1];"                                 \
			     : "=" c(x)                                                            \
			     : "l"(p)                                                              \
			     : "memory");                                                          \
		return (T)x;                                                                       \
	}
#define WT_LOAD_2(name, op, T, type, R, c)                                                         \
	WT_DEVICE T name(const T *p)                                                               \
	{                                                                                          \
		R x, y;                                                                            \
		T v;                                                                               \
		asm volatile("ld.global." op ".v2." type " {%0, %1}, [%2];"                        \
			     : "=" c(x), "=" c(y)                                                  \
			     : "l"(p)                                                              \
			     : "memory");                                                          \
		v.x = (decltype(v.x))x, v.y = (decltype(v.x))y;                                    \
		return v;                                                                          \
	}
#define WT_LOAD_4(name, op, T, type, R, c)                                                         \
	WT_DEVICE T name(const T *p)                                                               \
	{                                                                                          \
		R x, y, z, w;                                                                      \
		T v;                                                                               \
		asm volatile("ld.global." op ".v4." type " {%0, %1, %2, %3}, [%4];"                \
			     : "=" c(x), "=" c(y), "=" c(z), "=" c(w)                              \
			     : "l"(p)                                                              \
			     : "memory");                                                          \
		v.x = (decltype(v.x))x, v.y = (decltype(v.x))y;                                    \
		v.z = (decltype(v.x))z, v.w = (decltype(v.x))w;                                    \
		return v;                                                                          \
	}
#define WT_STORE_1(name, op, T, type, R, c)                                                        \
	WT_DEVICE void name(T *p, T v)                                                             \
	{                                                                                          \
		asm volatile("st.global." op "." type " [%0], %1;"                                 \
			     :                                                                     \
			     : "l"(p), c((R)v)                                                     \
			     : "memory");                                                          \
	}
#define WT_STORE_2(name, op, T, type, R, c)                                                        \
	WT_DEVICE void name(T *p, T v)                                                             \
	{                                                                                          \
		asm volatile("st.global." op ".v2." type " [%0], {%1, %2};"                        \
			     :                                                                     \
			     : "l"(p), c((R)v.x), c((R)v.y)                                        \
			     : "memory");                                                          \
	}
#define WT_STORE_4(name, op, T, type, R, c)                                                        \
	WT_DEVICE void name(T *p, T v)                                                             \
	{                                                                                          \
		asm volatile("st.global." op ".v4." type " [%0], {%1, %2, %3, %4};"                \
			     :                                                                     \
			     : "l"(p), c((R)v.x), c((R)v.y), c((R)v.z), c((R)v.w)                  \
			     : "memory");                                                          \
	}
#define WT_CACHED(how, name, op)                                                                   \
	how##_1(name, op, char, "s8", int, "r")                                                    \
	how##_1(name, op, signed char, "s8", int, "r")                                             \
	how##_1(name, op, unsigned char, "u8", int, "r")                                           \
	how##_1(name, op, short, "s16", short, "h")                                                \
	how##_1(name, op, unsigned short, "u16", short, "h")                                       \
	how##_1(name, op, int, "s32", int, "r")                                                    \
	how##_1(name, op, unsigned, "u32", int, "r")                                               \
	how##_1(name, op, long, "s64", long long, "l")                                             \
	how##_1(name, op, unsigned long, "u64", long long, "l")                                    \
	how##_1(name, op, long long, "s64", long long, "l")                                        \
	how##_1(name, op, unsigned long long, "u64", long long, "l")                               \
	how##_1(name, op, float, "f32", float, "f")                                                \
	how##_1(name, op, double, "f64", double, "d")                                              \
	how##_2(name, op, char2, "s8", int, "r")                                                   \
	how##_2(name, op, uchar2, "u8", int, "r")                                                  \
	how##_2(name, op, short2, "s16", short, "h")                                               \
	how##_2(name, op, ushort2, "u16", short, "h")                                              \
	how##_2(name, op, int2, "s32", int, "r")                                                   \
	how##_2(name, op, uint2, "u32", int, "r")                                                  \
	how##_2(name, op, longlong2, "s64", long long, "l")                                        \
	how##_2(name, op, ulonglong2, "u64", long long, "l")                                       \
	how##_2(name, op, float2, "f32", float, "f")                                               \
	how##_2(name, op, double2, "f64", double, "d")                                             \
	how##_4(name, op, char4, "s8", int, "r")                                                   \
	how##_4(name, op, uchar4, "u8", int, "r")                                                  \
	how##_4(name, op, short4, "s16", short, "h")                                               \
	how##_4(name, op, ushort4, "u16", short, "h")                                              \
	how##_4(name, op, int4, "s32", int, "r")                                                   \
	how##_4(name, op, uint4, "u32", int, "r")                                                  \
	how##_4(name, op, float4, "f32", float, "f")
WT_CACHED(WT_LOAD, __ldca, "ca")
WT_CACHED(WT_LOAD, __ldcg, "cg")
WT_CACHED(WT_LOAD, __ldcs, "cs")
WT_CACHED(WT_LOAD, __ldlu, "lu")
WT_CACHED(WT_LOAD, __ldcv, "cv")
WT_CACHED(WT_STORE, __stwb, "wb")
WT_CACHED(WT_STORE, __stcg, "cg")
WT_CACHED(WT_STORE, __stcs, "cs")
WT_CACHED(WT_STORE, __stwt, "wt")
#undef WT_CACHED
#undef WT_LOAD_1
#undef WT_LOAD_2
#undef WT_LOAD_4
#undef WT_STORE_1
#undef WT_STORE_2
#undef WT_STORE_4

/* ---- sums, minima and maxima of whole numbers and of two in halves (DPX) ---- */

#define WT_DPX static inline __host__ __device__ __attribute__((nodebug))
#define WT_LEAST(a, b) ((a) < (b) ? (a) : (b))
#define WT_MOST(a, b) ((a) > (b) ? (a) : (b))
/* T: of a word, H: of its halves; name##_n as CUDA has it. */
#define WT_DPX_SUM(name, pick, T, n, low)                                                          \
	WT_DPX T name##_##n(T a, T b, T c)                                                         \
	{                                                                                          \
		const T sum = (T)((unsigned)a + (unsigned)b), r = pick(sum, c);                    \
		return low(r);                                                                     \
	}
#define WT_DPX_THREE(name, pick, T, n, low)                                                        \
	WT_DPX T name##_##n(T a, T b, T c)                                                         \
	{                                                                                          \
		const T ab = pick(a, b), r = pick(ab, c);                                          \
		return low(r);                                                                     \
	}
#define WT_DPX_HALVES(name, n, of, H)                                                              \
	WT_DPX unsigned name##_##n(unsigned a, unsigned b, unsigned c)                             \
	{                                                                                          \
		const H x = of((H)a, (H)b, (H)c);                                                  \
		const H y = of((H)(a >> 16), (H)(b >> 16), (H)(c >> 16));                          \
		return (unsigned short)x | (unsigned)(unsigned short)y << 16;                      \
	}
#define WT_AS_IS(v) (v)
#define WT_NOT_BELOW_0(v) WT_MOST(v, 0)
/* One of three numbers for a word and for halves of it, of either sign and with a floor of 0. */
#define WT_DPX_ALL(how, name, pick)                                                                \
	how(name, pick, int, s32, WT_AS_IS)                                                        \
	how(name, pick, int, s32_relu, WT_NOT_BELOW_0)                                             \
	how(name, pick, unsigned, u32, WT_AS_IS)                                                   \
	how(wt##name, pick, short, s16, WT_AS_IS)                                                  \
	how(wt##name, pick, short, s16_relu, WT_NOT_BELOW_0)                                       \
	how(wt##name, pick, unsigned short, u16, WT_AS_IS)                                         \
	WT_DPX_HALVES(name, s16x2, wt##name##_s16, short)                                          \
	WT_DPX_HALVES(name, s16x2_relu, wt##name##_s16_relu, short)                                \
	WT_DPX_HALVES(name, u16x2, wt##name##_u16, unsigned short)
WT_DPX_ALL(WT_DPX_SUM, __viaddmax, WT_MOST)
WT_DPX_ALL(WT_DPX_SUM, __viaddmin, WT_LEAST)
WT_DPX_ALL(WT_DPX_THREE, __vimax3, WT_MOST)
WT_DPX_ALL(WT_DPX_THREE, __vimin3, WT_LEAST)
#define WT_DPX_TWO(name, three)                                                                    \
	WT_DPX int name##_s32_relu(int a, int b) { return three##_s32_relu(a, b, b); }             \
	WT_DPX unsigned name##_s16x2_relu(unsigned a, unsigned b)                                  \
	{                                                                                          \
		return three##_s16x2_relu(a, b, b);                                                \
	}
WT_DPX_TWO(__vimax, __vimax3)
WT_DPX_TWO(__vimin, __vimin3)
/* Also whether it is the first one. */
#define WT_DPX_WHICH(name, op, T, n, H, halves)                                                    \
	WT_DPX T name##_##n(T a, T b, bool *first)                                                 \
	{                                                                                          \
		*first = a op b;                                                                   \
		return *first ? a : b;                                                             \
	}                                                                                          \
	WT_DPX unsigned name##_##halves(unsigned a, unsigned b, bool *high, bool *low)             \
	{                                                                                          \
		*low = (H)a op(H) b;                                                               \
		*high = (H)(a >> 16) op(H)(b >> 16);                                               \
		return ((*low ? a : b) & 0xffffu) | ((*high ? a : b) & 0xffff0000u);               \
	}
WT_DPX_WHICH(__vibmax, >=, int, s32, short, s16x2)
WT_DPX_WHICH(__vibmax, >=, unsigned, u32, unsigned short, u16x2)
WT_DPX_WHICH(__vibmin, <=, int, s32, short, s16x2)
WT_DPX_WHICH(__vibmin, <=, unsigned, u32, unsigned short, u16x2)
#undef WT_DPX
#undef WT_LEAST
#undef WT_MOST
#undef WT_DPX_SUM
#undef WT_DPX_THREE
#undef WT_DPX_HALVES
#undef WT_AS_IS
#undef WT_NOT_BELOW_0
#undef WT_DPX_ALL
#undef WT_DPX_TWO
#undef WT_DPX_WHICH

/* ---- float overloads that clang's headers declare and NVIDIA's define ---- */

#define WT_FLOAT(R, name, of) WT_DEVICE R name(float x) { return of(x); }
#define WT_FLOATS(name, of) WT_DEVICE float name(float x, float y) { return of(x, y); }
WT_FLOAT(float, acosh, acoshf)
WT_FLOAT(float, asinh, asinhf)
WT_FLOAT(float, atanh, atanhf)
WT_FLOAT(float, cbrt, cbrtf)
WT_FLOAT(float, erf, erff)
WT_FLOAT(float, erfc, erfcf)
WT_FLOAT(float, exp2, exp2f)
WT_FLOAT(float, expm1, expm1f)
WT_FLOAT(int, ilogb, ilogbf)
WT_FLOAT(float, lgamma, lgammaf)
WT_FLOAT(long long, llrint, llrintf)
WT_FLOAT(long long, llround, llroundf)
WT_FLOAT(float, log1p, log1pf)
WT_FLOAT(float, log2, log2f)
WT_FLOAT(float, logb, logbf)
WT_FLOAT(long, lrint, lrintf)
WT_FLOAT(long, lround, lroundf)
WT_FLOAT(float, nearbyint, nearbyintf)
WT_FLOAT(float, rint, rintf)
WT_FLOAT(float, round, roundf)
WT_FLOAT(float, tgamma, tgammaf)
WT_FLOAT(float, trunc, truncf)
WT_FLOATS(copysign, copysignf)
WT_FLOATS(fdim, fdimf)
WT_FLOATS(fmax, fmaxf)
WT_FLOATS(fmin, fminf)
WT_FLOATS(hypot, hypotf)
WT_FLOATS(nextafter, nextafterf)
WT_FLOATS(remainder, remainderf)
#undef WT_FLOAT
#undef WT_FLOATS
WT_DEVICE float fma(float x, float y, float z)
{
	return fmaf(x, y, z);
}
WT_DEVICE float remquo(float x, float y, int *q)
{
	return remquof(x, y, q);
}
WT_DEVICE float scalbn(float x, int n)
{
	return scalbnf(x, n);
}
WT_DEVICE float scalbln(float x, long n)
{
	return scalblnf(x, n);
}
WT_DEVICE double nan(const char *)
{
	return __builtin_nan("");
}
WT_DEVICE float nanf(const char *)
{
	return __builtin_nanf("");
}

/* ---- names that the host lacks ---- */

static inline __host__ float rsqrtf(float x)
{
	return 1.0f / sqrtf(x);
}
static inline __host__ double rsqrt(double x)
{
	return 1.0 / sqrt(x);
}
static inline __host__ double normcdf(double x)
{
	return 0.5 * erfc(x * -0.70710678118654752);
}
static inline __host__ float normcdff(float x)
{
	return (float)normcdf(x);
}
static inline __host__ double sinpi(double x)
{
	return sin(x * 3.14159265358979324);
}
static inline __host__ double cospi(double x)
{
	return cos(x * 3.14159265358979324);
}

#endif
