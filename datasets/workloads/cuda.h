/*
 * CUDA's names over clang's builtins: just what the kernels here use, so that they compile to PTX
 * with Debian's clang and no CUDA toolkit (the command stands in the Makefile). Under nvcc it has
 * only what is not CUDA's.
 */
#ifndef WL_CUDA_H
#define WL_CUDA_H

#define WL_INLINE static __device__ __forceinline__

#ifdef __CUDACC_VER_MAJOR__
typedef unsigned char uchar;

WL_INLINE unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
WL_INLINE unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }

#define make_dim3 dim3
#define WL_KERNEL(name) ((void *)name)
#else

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long long ull;
typedef unsigned long size_t;

struct wl_builtin_tid {
	__declspec(property(get = get_x)) unsigned x;
	__declspec(property(get = get_y)) unsigned y;
	__declspec(property(get = get_z)) unsigned z;
	static __device__ __forceinline__ unsigned get_x() { return __nvvm_read_ptx_sreg_tid_x(); }
	static __device__ __forceinline__ unsigned get_y() { return __nvvm_read_ptx_sreg_tid_y(); }
	static __device__ __forceinline__ unsigned get_z() { return __nvvm_read_ptx_sreg_tid_z(); }
};
struct wl_builtin_ctaid {
	__declspec(property(get = get_x)) unsigned x;
	__declspec(property(get = get_y)) unsigned y;
	__declspec(property(get = get_z)) unsigned z;
	static __device__ __forceinline__ unsigned get_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
	static __device__ __forceinline__ unsigned get_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
	static __device__ __forceinline__ unsigned get_z() { return __nvvm_read_ptx_sreg_ctaid_z(); }
};
struct wl_builtin_ntid {
	__declspec(property(get = get_x)) unsigned x;
	__declspec(property(get = get_y)) unsigned y;
	__declspec(property(get = get_z)) unsigned z;
	static __device__ __forceinline__ unsigned get_x() { return __nvvm_read_ptx_sreg_ntid_x(); }
	static __device__ __forceinline__ unsigned get_y() { return __nvvm_read_ptx_sreg_ntid_y(); }
	static __device__ __forceinline__ unsigned get_z() { return __nvvm_read_ptx_sreg_ntid_z(); }
};
struct wl_builtin_nctaid {
	__declspec(property(get = get_x)) unsigned x;
	__declspec(property(get = get_y)) unsigned y;
	__declspec(property(get = get_z)) unsigned z;
	static __device__ __forceinline__ unsigned get_x() { return __nvvm_read_ptx_sreg_nctaid_x(); }
	static __device__ __forceinline__ unsigned get_y() { return __nvvm_read_ptx_sreg_nctaid_y(); }
	static __device__ __forceinline__ unsigned get_z() { return __nvvm_read_ptx_sreg_nctaid_z(); }
};
extern const __device__ __attribute__((weak)) wl_builtin_tid threadIdx;
extern const __device__ __attribute__((weak)) wl_builtin_ctaid blockIdx;
extern const __device__ __attribute__((weak)) wl_builtin_ntid blockDim;
extern const __device__ __attribute__((weak)) wl_builtin_nctaid gridDim;

struct int2 { int x, y; };
struct uint2 { unsigned x, y; };
struct float2 { float x, y; } __attribute__((aligned(8)));
struct float4 { float x, y, z, w; } __attribute__((aligned(16)));
struct int4 { int x, y, z, w; } __attribute__((aligned(16)));
struct uint4 { unsigned x, y, z, w; } __attribute__((aligned(16)));

WL_INLINE float2 make_float2(float x, float y) { float2 v; v.x = x; v.y = y; return v; }
WL_INLINE float4 make_float4(float x, float y, float z, float w)
{
	float4 v;
	v.x = x; v.y = y; v.z = z; v.w = w;
	return v;
}

/* clang 14 moves loads of shared memory above the builtin of this name. */
#define __syncthreads() asm volatile("bar.sync 0;" ::: "memory")
WL_INLINE void __threadfence() { __nvvm_membar_gl(); }
WL_INLINE void __threadfence_block() { __nvvm_membar_cta(); }

WL_INLINE float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
WL_INLINE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
WL_INLINE float fabsf(float x) { return __nvvm_fabs_f(x); }
WL_INLINE float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
WL_INLINE float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
WL_INLINE float floorf(float x) { return __nvvm_floor_f(x); }
WL_INLINE float ceilf(float x) { return __nvvm_ceil_f(x); }
WL_INLINE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
WL_INLINE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
WL_INLINE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
WL_INLINE float exp2f(float x) { return __nvvm_ex2_approx_f(x); }
WL_INLINE float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.4426950408889634f); }
WL_INLINE float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.6931471805599453f; }
WL_INLINE float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
WL_INLINE float __fmaf_rn(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
WL_INLINE int __float_as_int(float x) { return __nvvm_bitcast_f2i(x); }
WL_INLINE float __int_as_float(int x) { return __nvvm_bitcast_i2f(x); }
WL_INLINE int min(int a, int b) { return a < b ? a : b; }
WL_INLINE int max(int a, int b) { return a > b ? a : b; }
WL_INLINE unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
WL_INLINE unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
WL_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
WL_INLINE int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
WL_INLINE int __ffs(int x) { return __builtin_ffs(x); }

WL_INLINE int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
WL_INLINE unsigned atomicAdd(unsigned *p, unsigned v)
{
	return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v);
}
WL_INLINE float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
WL_INLINE int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
WL_INLINE int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
WL_INLINE unsigned atomicOr(unsigned *p, unsigned v)
{
	return (unsigned)__nvvm_atom_or_gen_i((int *)p, (int)v);
}
WL_INLINE int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
WL_INLINE int atomicCAS(int *p, int c, int v) { return __nvvm_atom_cas_gen_i(p, c, v); }
WL_INLINE unsigned atomicCAS(unsigned *p, unsigned c, unsigned v)
{
	return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)c, (int)v);
}

/* Through the read-only cache: the texture cache. */
WL_INLINE float __ldg(const float *p) { return __nvvm_ldg_f(p); }
WL_INLINE int __ldg(const int *p) { return __nvvm_ldg_i(p); }
WL_INLINE char __ldg(const char *p) { return __nvvm_ldg_c(p); }
WL_INLINE float4 __ldg(const float4 *p)
{
	typedef float vector __attribute__((ext_vector_type(4)));
	vector v = __nvvm_ldg_f4((const vector *)p);
	return make_float4(v.x, v.y, v.z, v.w);
}
WL_INLINE unsigned __ldg(const unsigned *p) { return __nvvm_ldg_ui(p); }
WL_INLINE float2 __ldg(const float2 *p)
{
	typedef float vector __attribute__((ext_vector_type(2)));
	vector v = __nvvm_ldg_f2((const vector *)p);
	return make_float2(v.x, v.y);
}
WL_INLINE int4 __ldg(const int4 *p)
{
	typedef int vector __attribute__((ext_vector_type(4)));
	vector v = __nvvm_ldg_i4((const vector *)p);
	int4 r;
	r.x = v.x; r.y = v.y; r.z = v.z; r.w = v.w;
	return r;
}

#define warpSize 32

/*
 * Launches by threads. clang 14 takes neither <<<>>> nor a kernel's name in device code, so a
 * kernel is named in assembly, and must stand before the one that launches it (or be itself):
 *
 *	void *f = WL_KERNEL(child);
 *	args *a = (args *)cudaGetParameterBufferV2(f, grid, block, 0);
 *	a->p = p;
 *	cudaLaunchDeviceV2(a, stream);
 *
 * The buffer has the child's parameters in their order, each at its natural alignment.
 */
struct dim3 { unsigned x, y, z; };
WL_INLINE dim3 make_dim3(unsigned x, unsigned y, unsigned z)
{
	dim3 v;
	v.x = x; v.y = y; v.z = z;
	return v;
}
typedef void *cudaStream_t;
#define cudaStreamNonBlocking 1u
extern "C" __device__ void *cudaGetParameterBufferV2(void *f, dim3 grid, dim3 block, unsigned shared);
extern "C" __device__ int cudaLaunchDeviceV2(void *buffer, cudaStream_t stream);
extern "C" __device__ int cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
#define WL_KERNEL(name)                                                                            \
	({                                                                                         \
		void *f_;                                                                          \
		asm("mov.u64 %0, " #name ";" : "=l"(f_));                                          \
		f_;                                                                                \
	})

#endif
#endif
