/*
 * nvcuda::wmma: matrices in a warp's registers, by PTX's wmma instructions; the CUDA programming
 * guide, "Warp Matrix Functions". Which element is where in a fragment is not said there: a loaded
 * fragment goes into a product or, of the sums, into memory.
 */
#ifndef WARPTRACE_MMA_H
#define WARPTRACE_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__cplusplus) && defined(__CUDA__)

namespace nvcuda
{
namespace wmma
{

#define WT_MMA static __device__ __forceinline__ __attribute__((nodebug))

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision
{
struct tf32;
}
namespace experimental
{
namespace precision
{
struct s4;
struct u4;
struct b1;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

/* What a thread holds: `n` elements. */
template <class Element, int n> struct wt_fragment {
	typedef Element element_type;
	typedef Element storage_element_type;
	enum { num_elements = n, num_storage_elements = n };
	Element x[n];
};
template <class Use, int m, int n, int k, class T, class Layout = void> class fragment;

/* ---- registers of an instruction, named by a letter and a number: as text, out of it, into it
 * ---- */

#define WT_TEXT1(l) "{%[" l "0]}"
#define WT_TEXT2(l) "{%[" l "0], %[" l "1]}"
#define WT_TEXT4(l) "{%[" l "0], %[" l "1], %[" l "2], %[" l "3]}"
#define WT_TEXT8(l)                                                                                \
	"{%[" l "0], %[" l "1], %[" l "2], %[" l "3], %[" l "4], %[" l "5], %[" l "6], %[" l "7]}"
#define WT_OUT1(l, v) [l##0] "=r"(v[0])
#define WT_OUT2(l, v) WT_OUT1(l, v), [l##1] "=r"(v[1])
#define WT_OUT4(l, v) WT_OUT2(l, v), [l##2] "=r"(v[2]), [l##3] "=r"(v[3])
#define WT_OUT8(l, v)                                                                              \
	WT_OUT4(l, v), [l##4] "=r"(v[4]), [l##5] "=r"(v[5]), [l##6] "=r"(v[6]), [l##7] "=r"(v[7])
#define WT_IN1(l, v) [l##0] "r"(v[0])
#define WT_IN2(l, v) WT_IN1(l, v), [l##1] "r"(v[1])
#define WT_IN4(l, v) WT_IN2(l, v), [l##2] "r"(v[2]), [l##3] "r"(v[3])
#define WT_IN8(l, v)                                                                               \
	WT_IN4(l, v), [l##4] "r"(v[4]), [l##5] "r"(v[5]), [l##6] "r"(v[6]), [l##7] "r"(v[7])

/* ---- fragments: of `words` registers, which are `count` Elements ---- */

#define WT_FACTOR(use, letter, layout, m, n, k, T, type, Element, count, words)                          \
	template <> class fragment<use, m, n, k, T, layout##_major> : public wt_fragment<Element, count> \
	{                                                                                          \
	      public:                                                                              \
		__device__ __forceinline__ void wt_load(const void *p, unsigned stride)            \
		{                                                                                  \
			unsigned v[words];                                                         \
			asm volatile("wmma.load." letter ".sync.aligned." #layout ".m" #m "n" #n   \
				     "k" #k "." type " " WT_TEXT##words("v") ", [%[p]], %[s];"     \
				     : WT_OUT##words(v, v)                                         \
				     : [p] "l"(p), [s] "r"(stride)                                 \
				     : "memory");                                                  \
			static_assert(sizeof(v) == sizeof(this->x), "as many bits");               \
			__builtin_memcpy(this->x, v, sizeof(v));                                   \
		}                                                                                  \
	};
#define WT_FACTORS(m, n, k, T, type, Element, count_a, words_a, count_b, words_b)                        \
	WT_FACTOR(matrix_a, "a", row, m, n, k, T, type, Element, count_a, words_a)                       \
	WT_FACTOR(matrix_a, "a", col, m, n, k, T, type, Element, count_a, words_a)                       \
	WT_FACTOR(matrix_b, "b", row, m, n, k, T, type, Element, count_b, words_b)                       \
	WT_FACTOR(matrix_b, "b", col, m, n, k, T, type, Element, count_b, words_b)

#define WT_SUM_LOAD(layout, m, n, k, type, words)                                                  \
	asm volatile("wmma.load.c.sync.aligned." layout ".m" #m "n" #n "k" #k "." type             \
		     " " WT_TEXT##words("v") ", [%[p]], %[s];"                                     \
		     : WT_OUT##words(v, v)                                                         \
		     : [p] "l"(p), [s] "r"(stride)                                                 \
		     : "memory")
#define WT_SUM_STORE(layout, m, n, k, type, words)                                                 \
	asm volatile("wmma.store.d.sync.aligned." layout ".m" #m "n" #n "k" #k "." type            \
		     " [%[p]], " WT_TEXT##words("v") ", %[s];" ::WT_IN##words(v, v),               \
		     [p] "l"(p), [s] "r"(stride)                                                   \
		     : "memory")
#define WT_SUMS(m, n, k, T, type, count, words)                                                    \
	template <> class fragment<accumulator, m, n, k, T> : public wt_fragment<T, count>         \
	{                                                                                          \
	      public:                                                                              \
		__device__ __forceinline__ void wt_load(                                           \
			const void *p, unsigned stride, layout_t layout)                           \
		{                                                                                  \
			unsigned v[words];                                                         \
			if (layout == mem_row_major)                                               \
				WT_SUM_LOAD("row", m, n, k, type, words);                          \
			else                                                                       \
				WT_SUM_LOAD("col", m, n, k, type, words);                          \
			static_assert(sizeof(v) == sizeof(this->x), "as many bits");               \
			__builtin_memcpy(this->x, v, sizeof(v));                                   \
		}                                                                                  \
		__device__ __forceinline__ void wt_store(                                          \
			void *p, unsigned stride, layout_t layout) const                           \
		{                                                                                  \
			unsigned v[words];                                                         \
			__builtin_memcpy(v, this->x, sizeof(v));                                   \
			if (layout == mem_row_major)                                               \
				WT_SUM_STORE("row", m, n, k, type, words);                         \
			else                                                                       \
				WT_SUM_STORE("col", m, n, k, type, words);                         \
		}                                                                                  \
	};

#define WT_SHAPES_OF_K16(F, ...)                                                                   \
	F(16, 16, 16, __VA_ARGS__) F(8, 32, 16, __VA_ARGS__) F(32, 8, 16, __VA_ARGS__)
WT_SHAPES_OF_K16(WT_FACTORS, __half, "f16", __half, 16, 8, 16, 8)
WT_FACTORS(16, 16, 16, __nv_bfloat16, "bf16", __nv_bfloat16, 8, 4, 8, 4)
WT_FACTORS(8, 32, 16, __nv_bfloat16, "bf16", __nv_bfloat16, 4, 2, 16, 8)
WT_FACTORS(32, 8, 16, __nv_bfloat16, "bf16", __nv_bfloat16, 16, 8, 4, 2)
WT_FACTORS(16, 16, 16, signed char, "s8", signed char, 8, 2, 8, 2)
WT_FACTORS(8, 32, 16, signed char, "s8", signed char, 4, 1, 16, 4)
WT_FACTORS(32, 8, 16, signed char, "s8", signed char, 16, 4, 4, 1)
WT_FACTORS(16, 16, 16, unsigned char, "u8", unsigned char, 8, 2, 8, 2)
WT_FACTORS(8, 32, 16, unsigned char, "u8", unsigned char, 4, 1, 16, 4)
WT_FACTORS(32, 8, 16, unsigned char, "u8", unsigned char, 16, 4, 4, 1)
WT_FACTORS(16, 16, 8, precision::tf32, "tf32", float, 4, 4, 4, 4)
WT_SHAPES_OF_K16(WT_SUMS, __half, "f16", 8, 4)
WT_SHAPES_OF_K16(WT_SUMS, float, "f32", 8, 8)
WT_SHAPES_OF_K16(WT_SUMS, int, "s32", 8, 8)
WT_SUMS(16, 16, 8, float, "f32", 8, 8)
/* Bits and fours: rows of a, columns of b. */
#define WT_NARROW(k, T, type, Element, count)                                                            \
	WT_FACTOR(matrix_a, "a", row, 8, 8, k, experimental::precision::T, type, Element, count, 1)      \
	WT_FACTOR(matrix_b, "b", col, 8, 8, k, experimental::precision::T, type, Element, count, 1)
WT_NARROW(32, s4, "s4", int, 1)
WT_NARROW(32, u4, "u4", unsigned, 1)
WT_NARROW(128, b1, "b1", unsigned, 1)
WT_SUMS(8, 8, 32, int, "s32", 2, 2)
WT_SUMS(8, 8, 128, int, "s32", 2, 2)

/* Doubles have registers of their own. */
#define WT_DOUBLE_FACTOR(use, letter, layout)                                                      \
	template <>                                                                                \
	class fragment<use, 8, 8, 4, double, layout##_major> : public wt_fragment<double, 1>       \
	{                                                                                          \
	      public:                                                                              \
		__device__ __forceinline__ void wt_load(const void *p, unsigned stride)            \
		{                                                                                  \
			asm volatile("wmma.load." letter ".sync.aligned." #layout                  \
				     ".m8n8k4.f64 {%0}, [%1], %2;"                                 \
				     : "=d"(this->x[0])                                            \
				     : "l"(p), "r"(stride)                                         \
				     : "memory");                                                  \
		}                                                                                  \
	};
WT_DOUBLE_FACTOR(matrix_a, "a", row)
WT_DOUBLE_FACTOR(matrix_a, "a", col)
WT_DOUBLE_FACTOR(matrix_b, "b", row)
WT_DOUBLE_FACTOR(matrix_b, "b", col)
template <> class fragment<accumulator, 8, 8, 4, double> : public wt_fragment<double, 2>
{
      public:
	__device__ __forceinline__ void wt_load(const void *p, unsigned stride, layout_t layout)
	{
		if (layout == mem_row_major)
			asm volatile("wmma.load.c.sync.aligned.row.m8n8k4.f64 {%0, %1}, [%2], %3;"
				     : "=d"(x[0]), "=d"(x[1])
				     : "l"(p), "r"(stride)
				     : "memory");
		else
			asm volatile("wmma.load.c.sync.aligned.col.m8n8k4.f64 {%0, %1}, [%2], %3;"
				     : "=d"(x[0]), "=d"(x[1])
				     : "l"(p), "r"(stride)
				     : "memory");
	}
	__device__ __forceinline__ void wt_store(void *p, unsigned stride, layout_t layout) const
	{
		if (layout == mem_row_major)
			asm volatile(
				"wmma.store.d.sync.aligned.row.m8n8k4.f64 [%0], {%1, %2}, %3;" ::
					"l"(p),
				"d"(x[0]), "d"(x[1]), "r"(stride)
				: "memory");
		else
			asm volatile(
				"wmma.store.d.sync.aligned.col.m8n8k4.f64 [%0], {%1, %2}, %3;" ::
					"l"(p),
				"d"(x[0]), "d"(x[1]), "r"(stride)
				: "memory");
	}
};

/* ---- products: of fragments whose registers are so many ---- */

#define WT_PRODUCT_ASM(text, a_words, b_words, c_words, d_words)                                   \
	unsigned va[a_words], vb[b_words], vc[c_words], vd[d_words];                               \
	__builtin_memcpy(va, a.x, sizeof(va));                                                     \
	__builtin_memcpy(vb, b.x, sizeof(vb));                                                     \
	__builtin_memcpy(vc, c.x, sizeof(vc));                                                     \
	asm volatile(text " " WT_TEXT##d_words("d") ", " WT_TEXT##a_words(                         \
		"a") ", " WT_TEXT##b_words("b") ", " WT_TEXT##c_words("c") ";"                     \
		     : WT_OUT##d_words(d, vd)                                                      \
		     : WT_IN##a_words(a, va), WT_IN##b_words(b, vb), WT_IN##c_words(c, vc));       \
	__builtin_memcpy(d.x, vd, sizeof(vd))
#define WT_PRODUCT(la, lb, m, n, k, T, types, C, D, a_words, b_words, c_words, d_words)            \
	WT_MMA void mma_sync(fragment<accumulator, m, n, k, D> &d,                                 \
		const fragment<matrix_a, m, n, k, T, la##_major> &a,                               \
		const fragment<matrix_b, m, n, k, T, lb##_major> &b,                               \
		const fragment<accumulator, m, n, k, C> &c)                                        \
	{                                                                                          \
		WT_PRODUCT_ASM("wmma.mma.sync.aligned." #la "." #lb ".m" #m "n" #n "k" #k types,   \
			a_words, b_words, c_words, d_words);                                       \
	}
#define WT_PRODUCTS(m, n, k, ...)                                                                  \
	WT_PRODUCT(row, row, m, n, k, __VA_ARGS__)                                                 \
	WT_PRODUCT(row, col, m, n, k, __VA_ARGS__)                                                 \
	WT_PRODUCT(col, row, m, n, k, __VA_ARGS__)                                                 \
	WT_PRODUCT(col, col, m, n, k, __VA_ARGS__)
WT_SHAPES_OF_K16(WT_PRODUCTS, __half, ".f32.f32", float, float, 8, 8, 8, 8)
WT_SHAPES_OF_K16(WT_PRODUCTS, __half, ".f16.f16", __half, __half, 8, 8, 4, 4)
WT_SHAPES_OF_K16(WT_PRODUCTS, __half, ".f32.f16", __half, float, 8, 8, 4, 8)
WT_SHAPES_OF_K16(WT_PRODUCTS, __half, ".f16.f32", float, __half, 8, 8, 8, 4)
WT_PRODUCTS(16, 16, 16, __nv_bfloat16, ".f32.bf16.bf16.f32", float, float, 4, 4, 8, 8)
WT_PRODUCTS(8, 32, 16, __nv_bfloat16, ".f32.bf16.bf16.f32", float, float, 2, 8, 8, 8)
WT_PRODUCTS(32, 8, 16, __nv_bfloat16, ".f32.bf16.bf16.f32", float, float, 8, 2, 8, 8)
WT_PRODUCTS(16, 16, 8, precision::tf32, ".f32.tf32.tf32.f32", float, float, 4, 4, 8, 8)

/* Integers: a sum too large wraps, or with `saturate` stays the largest. */
#define WT_INTEGERS(la, lb, m, n, k, T, types, a_words, b_words, words)                            \
	WT_MMA void mma_sync(fragment<accumulator, m, n, k, int> &d,                               \
		const fragment<matrix_a, m, n, k, T, la##_major> &a,                               \
		const fragment<matrix_b, m, n, k, T, lb##_major> &b,                               \
		const fragment<accumulator, m, n, k, int> &c, bool saturate = false)               \
	{                                                                                          \
		if (saturate) {                                                                    \
			WT_PRODUCT_ASM("wmma.mma.sync.aligned." #la "." #lb ".m" #m "n" #n         \
				       "k" #k types ".satfinite",                                  \
				a_words, b_words, words, words);                                   \
		} else {                                                                           \
			WT_PRODUCT_ASM("wmma.mma.sync.aligned." #la "." #lb ".m" #m "n" #n         \
				       "k" #k types,                                               \
				a_words, b_words, words, words);                                   \
		}                                                                                  \
	}
#define WT_INTEGER_LAYOUTS(...)                                                                    \
	WT_INTEGERS(row, row, __VA_ARGS__)                                                         \
	WT_INTEGERS(row, col, __VA_ARGS__)                                                         \
	WT_INTEGERS(col, row, __VA_ARGS__)                                                         \
	WT_INTEGERS(col, col, __VA_ARGS__)
#define WT_INTEGER_SHAPES(T, types)                                                                \
	WT_INTEGER_LAYOUTS(16, 16, 16, T, types, 2, 2, 8)                                          \
	WT_INTEGER_LAYOUTS(8, 32, 16, T, types, 1, 4, 8)                                           \
	WT_INTEGER_LAYOUTS(32, 8, 16, T, types, 4, 1, 8)
WT_INTEGER_SHAPES(signed char, ".s32.s8.s8.s32")
WT_INTEGER_SHAPES(unsigned char, ".s32.u8.u8.s32")
WT_INTEGERS(row, col, 8, 8, 32, experimental::precision::s4, ".s32.s4.s4.s32", 1, 1, 2)
WT_INTEGERS(row, col, 8, 8, 32, experimental::precision::u4, ".s32.u4.u4.s32", 1, 1, 2)

WT_MMA void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
	const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
	const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
	const fragment<accumulator, 8, 8, 128, int> &c,
	experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
	experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
	if (op == experimental::bmmaBitOpXOR) {
		WT_PRODUCT_ASM("wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 1,
			1, 2, 2);
	} else {
		WT_PRODUCT_ASM("wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 1,
			1, 2, 2);
	}
}

#define WT_DOUBLE_PRODUCT(la, lb)                                                                  \
	WT_MMA void mma_sync(fragment<accumulator, 8, 8, 4, double> &d,                            \
		const fragment<matrix_a, 8, 8, 4, double, la##_major> &a,                          \
		const fragment<matrix_b, 8, 8, 4, double, lb##_major> &b,                          \
		const fragment<accumulator, 8, 8, 4, double> &c)                                   \
	{                                                                                          \
		double v[2];                                                                       \
		asm volatile("wmma.mma.sync.aligned." #la "." #lb                                  \
			     ".m8n8k4.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"             \
			     : "=d"(v[0]), "=d"(v[1])                                              \
			     : "d"(a.x[0]), "d"(b.x[0]), "d"(c.x[0]), "d"(c.x[1]));                \
		d.x[0] = v[0];                                                                     \
		d.x[1] = v[1];                                                                     \
	}
WT_DOUBLE_PRODUCT(row, row)
WT_DOUBLE_PRODUCT(row, col)
WT_DOUBLE_PRODUCT(col, row)
WT_DOUBLE_PRODUCT(col, col)

/* ---- what programs call ---- */

template <class Use, int m, int n, int k, class T, class Layout, class Memory>
WT_MMA void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &f, const Memory *p, unsigned stride)
{
	f.wt_load(p, stride);
}
template <int m, int n, int k, class T, class Memory>
WT_MMA void load_matrix_sync(
	fragment<accumulator, m, n, k, T> &f, const Memory *p, unsigned stride, layout_t layout)
{
	f.wt_load(p, stride, layout);
}
template <int m, int n, int k, class T, class Memory>
WT_MMA void store_matrix_sync(
	Memory *p, const fragment<accumulator, m, n, k, T> &f, unsigned stride, layout_t layout)
{
	f.wt_store(p, stride, layout);
}
template <class Use, int m, int n, int k, class T, class Layout, class Value>
WT_MMA void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const Value &v)
{
	for (int i = 0; i < f.num_elements; i++)
		f.x[i] = v;
}
WT_MMA float __float_to_tf32(float f)
{
	unsigned v;
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(v) : "f"(f));
	return __uint_as_float(v);
}

#undef WT_TEXT1
#undef WT_TEXT2
#undef WT_TEXT4
#undef WT_TEXT8
#undef WT_OUT1
#undef WT_OUT2
#undef WT_OUT4
#undef WT_OUT8
#undef WT_IN1
#undef WT_IN2
#undef WT_IN4
#undef WT_IN8
#undef WT_FACTOR
#undef WT_FACTORS
#undef WT_SUM_LOAD
#undef WT_SUM_STORE
#undef WT_SUMS
#undef WT_SHAPES_OF_K16
#undef WT_NARROW
#undef WT_DOUBLE_FACTOR
#undef WT_PRODUCT_ASM
#undef WT_PRODUCT
#undef WT_PRODUCTS
#undef WT_INTEGERS
#undef WT_INTEGER_LAYOUTS
#undef WT_INTEGER_SHAPES
#undef WT_DOUBLE_PRODUCT
#undef WT_MMA

}
}

#endif

#endif
