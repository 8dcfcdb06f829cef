/*
 * What the files of operations, sim/ptx/ops_*.c, have in common. They are compiled with
 *   -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math
 * once with -DPTX_ISA=base and, on x86-64, once more with
 *   -DPTX_ISA=v3 -mavx2 -mfma -mbmi -mbmi2
 * and the machine chooses when it runs. Both give the same bits.
 *
 * An operation is a plain loop over 32 lanes for the compiler to turn into vector code. With all
 * lanes active it stores what it computes; else it computes all the same and keeps the old value
 * where a lane is off. Operands are either the same array or do not
 * overlap, so the iterations are independent, which IVDEP tells the compiler.
 */
#ifndef PTX_OPS_H
#define PTX_OPS_H

#include "sim/ptx/vm.h"
#include <string.h>

#ifndef PTX_ISA
#define PTX_ISA base
#endif
#define PTX_JOIN_(a, b) a##_##b
#define PTX_JOIN(a, b) PTX_JOIN_(a, b)
#define PTX_BY_ISA(name) PTX_JOIN(name, PTX_ISA)

#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* some loops stay scalar: no matter */
#define IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define IVDEP _Pragma("GCC ivdep")
#endif

static const uint32_t ptx_bit[PTX_LANES] = {1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5,
	1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14,
	1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
	1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* d[i] = value for each lane i of the warp's mask; T is the type of d[i]. */
#define EACH_LANE(T, value)                                                                        \
	do {                                                                                       \
		const uint32_t mask_ = w->mask;                                                    \
		if (mask_ == PTX_ALL_LANES) {                                                      \
			IVDEP for (unsigned i = 0; i < PTX_LANES; i++) d[i] = (value);             \
		} else {                                                                           \
			IVDEP for (unsigned i = 0; i < PTX_LANES; i++)                             \
			{                                                                          \
				const T r_ = (value);                                              \
				d[i] = mask_ & ptx_bit[i] ? r_ : d[i];                             \
			}                                                                          \
		}                                                                                  \
	} while (0)

/* Operations by their number of sources: d, then a, b, c of the types named. */
#define UNARY(name, T, A, value)                                                                   \
	static inline T name##_lane(A a)                                                           \
	{                                                                                          \
		return (T)(value);                                                                 \
	}                                                                                          \
	static void name(struct ptx_warp *w, const struct ptx_code *code)                          \
	{                                                                                          \
		const A *pa = ptx_source(w, code, 0);                                              \
		T *d = ptx_destination(w, code, 0);                                                \
		EACH_LANE(T, name##_lane(pa[i]));                                                  \
	}
#define BINARY(name, T, A, B, value)                                                               \
	static inline T name##_lane(A a, B b)                                                      \
	{                                                                                          \
		return (T)(value);                                                                 \
	}                                                                                          \
	static void name(struct ptx_warp *w, const struct ptx_code *code)                          \
	{                                                                                          \
		const A *pa = ptx_source(w, code, 0);                                              \
		const B *pb = ptx_source(w, code, 1);                                              \
		T *d = ptx_destination(w, code, 0);                                                \
		EACH_LANE(T, name##_lane(pa[i], pb[i]));                                           \
	}
#define TERNARY(name, T, A, B, C, value)                                                           \
	static inline T name##_lane(A a, B b, C c)                                                 \
	{                                                                                          \
		return (T)(value);                                                                 \
	}                                                                                          \
	static void name(struct ptx_warp *w, const struct ptx_code *code)                          \
	{                                                                                          \
		const A *pa = ptx_source(w, code, 0);                                              \
		const B *pb = ptx_source(w, code, 1);                                              \
		const C *pc = ptx_source(w, code, 2);                                              \
		T *d = ptx_destination(w, code, 0);                                                \
		EACH_LANE(T, name##_lane(pa[i], pb[i], pc[i]));                                    \
	}

static inline int ptx_is_signed(enum ptx_type t)
{
	return t >= PTX_T_S8 && t <= PTX_T_S64;
}

/* The place of an integer type in a table by width, 16, 32, 64 and then the same signed; or -1. */
static inline int ptx_integer_row(enum ptx_type t)
{
	switch (t) {
	case PTX_T_B16:
	case PTX_T_U16:
		return 0;
	case PTX_T_B32:
	case PTX_T_U32:
		return 1;
	case PTX_T_B64:
	case PTX_T_U64:
		return 2;
	case PTX_T_S16:
		return 3;
	case PTX_T_S32:
		return 4;
	case PTX_T_S64:
		return 5;
	default:
		return -1;
	}
}

static inline float ptx_float(uint32_t bits)
{
	float f;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline uint32_t ptx_float_bits(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static inline double ptx_double(uint64_t bits)
{
	double f;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline uint64_t ptx_double_bits(double f)
{
	uint64_t bits;
	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

#define PTX_NAN16 0x7fffu
#define PTX_NAN32 0x7fffffffu
#define PTX_NAN64 0x7fffffffffffffffull

/* Subnormals become zeros of their sign. */
static inline float ptx_flush(float f)
{
	const uint32_t bits = ptx_float_bits(f);
	return ptx_float((bits & 0x7f800000u) ? bits : bits & 0x80000000u);
}

/*
 * What decides whether a result of .ftz is flushed is its value rounded to 24 bits, with exponents
 * as small as need be. Where a float without .ftz has the least normal magnitude, a value that is
 * too small for it may have been rounded up to it, in coarser steps: these results are looked at
 * again, made 2^64 times as large.
 */
#define PTX_SCALE 0x1p64f

static inline int ptx_is_least(float f)
{
	return (ptx_float_bits(f) & 0x7fffffff) == 0x00800000;
}

static inline float ptx_flush_scaled(float least, float scaled)
{
	return __builtin_fabsf(scaled) < 0x1p-126f * PTX_SCALE ? __builtin_copysignf(0, least)
							       : least;
}

/* Each file's share of the table; NULL where it has no such operation. */
ptx_alu *PTX_BY_ISA(ptx_ops_int)(const struct ptx_inst *i);
ptx_alu *PTX_BY_ISA(ptx_ops_bits)(const struct ptx_inst *i);
ptx_alu *PTX_BY_ISA(ptx_ops_float)(const struct ptx_inst *i);
ptx_alu *PTX_BY_ISA(ptx_ops_half)(const struct ptx_inst *i);
ptx_alu *PTX_BY_ISA(ptx_ops_move)(const struct ptx_inst *i);
ptx_alu *PTX_BY_ISA(ptx_ops_convert)(const struct ptx_code *c);
ptx_alu *PTX_BY_ISA(ptx_ops_set)(const struct ptx_inst *i);
ptx_compare *PTX_BY_ISA(ptx_ops_compare)(const struct ptx_inst *i);
ptx_gather *PTX_BY_ISA(ptx_ops_gather)(enum ptx_type t, unsigned reg_bytes);
ptx_scatter *PTX_BY_ISA(ptx_ops_scatter)(enum ptx_type t, unsigned reg_bytes);
void PTX_BY_ISA(ptx_ops_addresses)(
	const struct ptx_warp *w, const struct ptx_code *c, uint64_t address[PTX_LANES]);
int PTX_BY_ISA(ptx_ops_locate)(struct ptx_warp *w, struct ptx_code *c, uint64_t address[PTX_LANES],
	uint8_t *at[PTX_LANES]);

#endif
