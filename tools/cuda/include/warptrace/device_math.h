/*
 * The device's math functions, under the names that clang's headers call (__nv_*). Roundings, square
 * roots and the approximate forms are PTX instructions; the rest are range reductions and series of
 * our own, with errors of up to 5 units in the last place (tests/programs/math.cu; MODEL.md says where
 * it is more). They carry no debug information, so their instructions count for the line that calls
 * them. Those of Bessel stand in bessel.h.
 */
#ifndef WT_DEVICE_MATH_H
#define WT_DEVICE_MATH_H

#define WT_FN extern "C" __device__ inline __attribute__((nodebug))
#define WT_IN static __device__ __forceinline__ __attribute__((nodebug))

/* ---- one PTX instruction each ---- */

/* With -ftz=true and -use_fast_math those of floats take and give 0 for what is below the normal. */
#if defined(WT_FTZ)
#define WT_FLUSH ".ftz"
#else
#define WT_FLUSH
#endif

#define WT_PTX1(R, name, A, text, r, a)                                                            \
	WT_FN R name(A x)                                                                          \
	{                                                                                          \
		R v;                                                                               \
		asm(text " %0, %1;" : "=" r(v) : a(x));                                            \
		return v;                                                                          \
	}
#define WT_PTX2(R, name, A, B, text, r, a, b)                                                      \
	WT_FN R name(A x, B y)                                                                     \
	{                                                                                          \
		R v;                                                                               \
		asm(text " %0, %1, %2;" : "=" r(v) : a(x), b(y));                                  \
		return v;                                                                          \
	}
#define WT_PTX3(R, name, A, text, r, a)                                                            \
	WT_FN R name(A x, A y, A z)                                                                \
	{                                                                                          \
		R v;                                                                               \
		asm(text " %0, %1, %2, %3;" : "=" r(v) : a(x), a(y), a(z));                        \
		return v;                                                                          \
	}

/* The four roundings of an operation; CUDA's letters are rn, rz, rd, ru, PTX's rn, rz, rm, rp. */
#define WT_FOUR1(R, name, A, op, types, r, a)                                                      \
	WT_PTX1(R, name##_rn, A, op ".rn" types, r, a)                                             \
	WT_PTX1(R, name##_rz, A, op ".rz" types, r, a)                                             \
	WT_PTX1(R, name##_rd, A, op ".rm" types, r, a)                                             \
	WT_PTX1(R, name##_ru, A, op ".rp" types, r, a)
#define WT_FOUR2(T, name, op, types, c)                                                            \
	WT_PTX2(T, name##_rn, T, T, op ".rn" types, c, c, c)                                       \
	WT_PTX2(T, name##_rz, T, T, op ".rz" types, c, c, c)                                       \
	WT_PTX2(T, name##_rd, T, T, op ".rm" types, c, c, c)                                       \
	WT_PTX2(T, name##_ru, T, T, op ".rp" types, c, c, c)
#define WT_FOUR3(T, name, op, types, c)                                                            \
	WT_PTX3(T, name##_rn, T, op ".rn" types, c, c)                                             \
	WT_PTX3(T, name##_rz, T, op ".rz" types, c, c)                                             \
	WT_PTX3(T, name##_rd, T, op ".rm" types, c, c)                                             \
	WT_PTX3(T, name##_ru, T, op ".rp" types, c, c)
/* To an integer the roundings are rni, rzi, rmi, rpi. */
#define WT_FOURI(R, name, A, types, r, a)                                                          \
	WT_PTX1(R, name##_rn, A, "cvt.rni" types, r, a)                                            \
	WT_PTX1(R, name##_rz, A, "cvt.rzi" types, r, a)                                            \
	WT_PTX1(R, name##_rd, A, "cvt.rmi" types, r, a)                                            \
	WT_PTX1(R, name##_ru, A, "cvt.rpi" types, r, a)

WT_FOUR2(float, __nv_fadd, "add", WT_FLUSH ".f32", "f")
WT_FOUR2(float, __nv_fsub, "sub", WT_FLUSH ".f32", "f")
WT_FOUR2(float, __nv_fmul, "mul", WT_FLUSH ".f32", "f")
WT_FOUR2(float, __nv_fdiv, "div", WT_FLUSH ".f32", "f")
WT_FOUR2(double, __nv_dadd, "add", ".f64", "d")
WT_FOUR2(double, __nv_dsub, "sub", ".f64", "d")
WT_FOUR2(double, __nv_dmul, "mul", ".f64", "d")
WT_FOUR2(double, __nv_ddiv, "div", ".f64", "d")
WT_FOUR3(float, __nv_fmaf, "fma", WT_FLUSH ".f32", "f")
WT_FOUR3(float, __nv_fmaf_ieee, "fma", ".f32", "f")
WT_FOUR3(double, __nv_fma, "fma", ".f64", "d")
WT_FOUR1(float, __nv_frcp, float, "rcp", WT_FLUSH ".f32", "f", "f")
WT_FOUR1(float, __nv_fsqrt, float, "sqrt", WT_FLUSH ".f32", "f", "f")
WT_FOUR1(double, __nv_drcp, double, "rcp", ".f64", "d", "d")
WT_FOUR1(double, __nv_dsqrt, double, "sqrt", ".f64", "d", "d")
WT_FOUR1(float, __nv_double2float, double, "cvt", WT_FLUSH ".f32.f64", "f", "d")
WT_FOUR1(float, __nv_int2float, int, "cvt", ".f32.s32", "f", "r")
WT_FOUR1(float, __nv_uint2float, unsigned, "cvt", ".f32.u32", "f", "r")
WT_FOUR1(float, __nv_ll2float, long long, "cvt", ".f32.s64", "f", "l")
WT_FOUR1(float, __nv_ull2float, unsigned long long, "cvt", ".f32.u64", "f", "l")
WT_FOUR1(double, __nv_ll2double, long long, "cvt", ".f64.s64", "d", "l")
WT_FOUR1(double, __nv_ull2double, unsigned long long, "cvt", ".f64.u64", "d", "l")
WT_FOURI(int, __nv_float2int, float, WT_FLUSH ".s32.f32", "r", "f")
WT_FOURI(unsigned, __nv_float2uint, float, WT_FLUSH ".u32.f32", "r", "f")
WT_FOURI(long long, __nv_float2ll, float, WT_FLUSH ".s64.f32", "l", "f")
WT_FOURI(unsigned long long, __nv_float2ull, float, WT_FLUSH ".u64.f32", "l", "f")
WT_FOURI(int, __nv_double2int, double, ".s32.f64", "r", "d")
WT_FOURI(unsigned, __nv_double2uint, double, ".u32.f64", "r", "d")
WT_FOURI(long long, __nv_double2ll, double, ".s64.f64", "l", "d")
WT_FOURI(unsigned long long, __nv_double2ull, double, ".u64.f64", "l", "d")
WT_PTX1(double, __nv_int2double_rn, int, "cvt.rn.f64.s32", "d", "r")
WT_PTX1(double, __nv_uint2double_rn, unsigned, "cvt.rn.f64.u32", "d", "r")
WT_PTX1(unsigned short, __nv_float2half_rn, float, "cvt.rn.f16.f32", "h", "f")
WT_PTX1(float, __nv_half2float, unsigned short, "cvt.f32.f16", "f", "h")
WT_PTX1(float, __nv_fast_cosf, float, "cos.approx" WT_FLUSH ".f32", "f", "f")
WT_PTX1(float, __nv_fast_sinf, float, "sin.approx" WT_FLUSH ".f32", "f", "f")
WT_PTX1(float, __nv_fast_log2f, float, "lg2.approx" WT_FLUSH ".f32", "f", "f")
WT_PTX1(float, __nv_frsqrt_rn, float, "rsqrt.approx" WT_FLUSH ".f32", "f", "f")
WT_PTX1(float, __nv_rsqrtf, float, "rsqrt.approx" WT_FLUSH ".f32", "f", "f")
WT_PTX2(float, __nv_fast_fdividef, float, float, "div.approx" WT_FLUSH ".f32", "f", "f", "f")
WT_PTX2(int, __nv_mulhi, int, int, "mul.hi.s32", "r", "r", "r")
WT_PTX2(unsigned, __nv_umulhi, unsigned, unsigned, "mul.hi.u32", "r", "r", "r")
WT_PTX2(long long, __nv_mul64hi, long long, long long, "mul.hi.s64", "l", "l", "l")
WT_PTX2(unsigned long long, __nv_umul64hi, unsigned long long, unsigned long long, "mul.hi.u64",
	"l", "l", "l")
WT_PTX2(int, __nv_mul24, int, int, "mul24.lo.s32", "r", "r", "r")
WT_PTX2(unsigned, __nv_umul24, unsigned, unsigned, "mul24.lo.u32", "r", "r", "r")
WT_PTX3(unsigned, __nv_usad, unsigned, "sad.u32", "r", "r")
WT_PTX3(int, __nv_sad, int, "sad.s32", "r", "r")
WT_PTX3(int, wt_prmt, int, "prmt.b32", "r", "r")
/* Three bits of the selector choose a byte; the instruction has a fourth one, for its sign. */
WT_FN int __nv_byte_perm(int x, int y, int selector)
{
	return wt_prmt(x, y, selector & 0x7777);
}
WT_IN float wt_ex2(float x)
{
	float v;
	asm("ex2.approx" WT_FLUSH ".f32 %0, %1;" : "=f"(v) : "f"(x));
	return v;
}

WT_FN double __nv_rsqrt(double x)
{
	return 1.0 / __builtin_sqrt(x);
}

/* ---- bits ---- */

WT_FN int __nv_float_as_int(float x)
{
	return __builtin_bit_cast(int, x);
}
WT_FN unsigned __nv_float_as_uint(float x)
{
	return __builtin_bit_cast(unsigned, x);
}
WT_FN float __nv_int_as_float(int x)
{
	return __builtin_bit_cast(float, x);
}
WT_FN float __nv_uint_as_float(unsigned x)
{
	return __builtin_bit_cast(float, x);
}
WT_FN unsigned long long __nv_double_as_longlong(double x)
{
	return __builtin_bit_cast(unsigned long long, x);
}
WT_FN double __nv_longlong_as_double(long long x)
{
	return __builtin_bit_cast(double, x);
}
WT_FN int __nv_double2hiint(double x)
{
	return (int)(__nv_double_as_longlong(x) >> 32);
}
WT_FN int __nv_double2loint(double x)
{
	return (int)__nv_double_as_longlong(x);
}
WT_FN double __nv_hiloint2double(int hi, int lo)
{
	return __nv_longlong_as_double((long long)((unsigned long long)(unsigned)hi << 32 | (unsigned)lo));
}
WT_FN int __nv_brev(int x)
{
	return (int)__builtin_bitreverse32((unsigned)x);
}
WT_FN long long __nv_brevll(long long x)
{
	return (long long)__builtin_bitreverse64((unsigned long long)x);
}
WT_FN int __nv_clz(int x)
{
	return x ? __builtin_clz((unsigned)x) : 32;
}
WT_FN int __nv_clzll(long long x)
{
	return x ? __builtin_clzll((unsigned long long)x) : 64;
}
WT_FN int __nv_ffs(int x)
{
	return __nv_clz(__nv_brev(x)) == 32 ? 0 : __nv_clz(__nv_brev(x)) + 1;
}
WT_FN int __nv_ffsll(long long x)
{
	return __nv_clzll(__nv_brevll(x)) == 64 ? 0 : __nv_clzll(__nv_brevll(x)) + 1;
}
WT_FN int __nv_popc(int x)
{
	return __builtin_popcount((unsigned)x);
}
WT_FN int __nv_popcll(long long x)
{
	return __builtin_popcountll((unsigned long long)x);
}
WT_FN int __nv_hadd(int a, int b)
{
	return (int)(((long long)a + b) >> 1);
}
WT_FN int __nv_rhadd(int a, int b)
{
	return (int)(((long long)a + b + 1) >> 1);
}
WT_FN int __nv_uhadd(unsigned a, unsigned b)
{
	return (int)(((unsigned long long)a + b) >> 1);
}
WT_FN unsigned __nv_urhadd(unsigned a, unsigned b)
{
	return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
WT_FN int __nv_abs(int x)
{
	return x < 0 ? -x : x;
}
WT_FN long long __nv_llabs(long long x)
{
	return x < 0 ? -x : x;
}
#define WT_MINMAX(T, lo, hi)                                                                       \
	WT_FN T lo(T a, T b)                                                                       \
	{                                                                                          \
		return a < b ? a : b;                                                              \
	}                                                                                          \
	WT_FN T hi(T a, T b)                                                                       \
	{                                                                                          \
		return a > b ? a : b;                                                              \
	}
WT_MINMAX(int, __nv_min, __nv_max)
WT_MINMAX(unsigned, __nv_umin, __nv_umax)
WT_MINMAX(long long, __nv_llmin, __nv_llmax)
WT_MINMAX(unsigned long long, __nv_ullmin, __nv_ullmax)
#undef WT_MINMAX

/* 2^n for n in the range of normal numbers. */
WT_IN float wt_pow2f(int n)
{
	return __nv_int_as_float((n + 127) << 23);
}
WT_IN double wt_pow2(int n)
{
	return __nv_longlong_as_double((long long)(n + 1023) << 52);
}

/* ---- what both widths have alike: T, its suffix, and the builtins' one ---- */

#define WT_PLAIN(T, f, b, far)                                                                       \
	WT_FN T __nv_fabs##f(T x) { return __builtin_fabs##b(x); }                                 \
	WT_FN T __nv_floor##f(T x) { return __builtin_floor##b(x); }                               \
	WT_FN T __nv_ceil##f(T x) { return __builtin_ceil##b(x); }                                 \
	WT_FN T __nv_trunc##f(T x) { return __builtin_trunc##b(x); }                               \
	WT_FN T __nv_rint##f(T x) { return __builtin_rint##b(x); }                                 \
	WT_FN T __nv_nearbyint##f(T x) { return __builtin_rint##b(x); }                            \
	WT_FN T __nv_sqrt##f(T x) { return __builtin_sqrt##b(x); }                                 \
	WT_FN T __nv_fma##f(T x, T y, T z) { return __builtin_fma##b(x, y, z); }                   \
	WT_FN T __nv_fmin##f(T x, T y) { return __builtin_fmin##b(x, y); }                         \
	WT_FN T __nv_fmax##f(T x, T y) { return __builtin_fmax##b(x, y); }                         \
	WT_FN T __nv_copysign##f(T x, T y) { return __builtin_copysign##b(x, y); }                 \
	WT_FN T __nv_fdim##f(T x, T y) { return x > y ? x - y : x <= y ? (T)0 : x + y; }           \
	WT_FN T __nv_round##f(T x)                                                                 \
	{                                                                                          \
		const T t = __builtin_trunc##b(x);                                                 \
		return __builtin_fabs##b(x - t) >= (T)0.5 ? t + __builtin_copysign##b((T)1, x)     \
							  : __builtin_copysign##b(t, x);           \
	}                                                                                          \
	WT_FN long long __nv_llrint##f(T x) { return (long long)__builtin_rint##b(x); }            \
	WT_FN long long __nv_llround##f(T x) { return (long long)__nv_round##f(x); }               \
	WT_FN T __nv_modf##f(T x, T *whole)                                                        \
	{                                                                                          \
		*whole = __builtin_trunc##b(x);                                                    \
		return __builtin_copysign##b(                                                      \
			__builtin_fabs##b(x) == (T)__builtin_inf() ? (T)0 : x - *whole, x);        \
	}                                                                                          \
	/* Infinite if either is, even where the other one is NaN. */                              \
	WT_FN T __nv_hypot##f(T x, T y)                                                            \
	{                                                                                          \
		const T a = __builtin_fabs##b(x), c = __builtin_fabs##b(y);                        \
		const T hi = __builtin_fmax##b(a, c), q = __builtin_fmin##b(a, c) / hi;            \
		if (hi == (T)__builtin_inf())                                                      \
			return hi;                                                                 \
		return a + c > 0 ? hi * __builtin_sqrt##b((T)1 + q * q) : a + c;                   \
	}                                                                                          \
	WT_FN T __nv_norm3d##f(T x, T y, T z) { return __nv_hypot##f(__nv_hypot##f(x, y), z); }    \
	WT_FN T __nv_norm4d##f(T x, T y, T z, T w)                                                 \
	{                                                                                          \
		return __nv_hypot##f(__nv_hypot##f(x, y), __nv_hypot##f(z, w));                    \
	}                                                                                          \
	WT_FN T __nv_rhypot##f(T x, T y) { return (T)1 / __nv_hypot##f(x, y); }                    \
	WT_FN T __nv_rnorm3d##f(T x, T y, T z) { return (T)1 / __nv_norm3d##f(x, y, z); }          \
	WT_FN T __nv_rnorm4d##f(T x, T y, T z, T w)                                                \
	{                                                                                          \
		return (T)1 / __nv_norm4d##f(x, y, z, w);                                          \
	}                                                                                          \
	/* Squares stay in range: what is beyond 2^far or below 2^-far is brought there. */        \
	WT_FN T __nv_norm##f(int n, const T *v)                                                    \
	{                                                                                          \
		T most = 0, sum = 0;                                                               \
		for (int i = 0; i < n; i++)                                                        \
			most = __builtin_fmax##b(most, __builtin_fabs##b(v[i]));                   \
		if (most == (T)__builtin_inf())                                                    \
			return most;                                                               \
		const int up = most > wt_pow2##f(far)	 ? -far - far / 2                          \
			       : most < wt_pow2##f(-far) ? 2 * far                                 \
							 : 0;                                      \
		const T by = wt_pow2##f(up);                                                       \
		for (int i = 0; i < n; i++) {                                                      \
			const T part = v[i] * by;                                                  \
			sum += part * part;                                                        \
		}                                                                                  \
		return __builtin_sqrt##b(sum) * wt_pow2##f(-up);                                   \
	}                                                                                          \
	WT_FN T __nv_rnorm##f(int n, const T *v) { return (T)1 / __nv_norm##f(n, v); }             \
	WT_FN T __nv_powi##f(T x, int n)                                                           \
	{                                                                                          \
		unsigned left = n < 0 ? 0u - (unsigned)n : (unsigned)n;                            \
		T power = 1;                                                                       \
		for (; left; left >>= 1, x *= x)                                                   \
			if (left & 1)                                                              \
				power *= x;                                                        \
		return n < 0 ? (T)1 / power : power;                                               \
	}
WT_PLAIN(float, f, f, 50)
WT_PLAIN(double, , , 400)
#undef WT_PLAIN

WT_FN int __nv_signbitf(float x)
{
	return __nv_float_as_uint(x) >> 31;
}
WT_FN int __nv_signbitd(double x)
{
	return (int)(__nv_double_as_longlong(x) >> 63);
}
WT_FN int __nv_isnanf(float x)
{
	return x != x;
}
WT_FN int __nv_isnand(double x)
{
	return x != x;
}
WT_FN int __nv_isinff(float x)
{
	return __builtin_fabsf(x) == __builtin_inff();
}
WT_FN int __nv_isinfd(double x)
{
	return __builtin_fabs(x) == __builtin_inf();
}
WT_FN int __nv_finitef(float x)
{
	return __builtin_fabsf(x) < __builtin_inff();
}
WT_FN int __nv_isfinited(double x)
{
	return __builtin_fabs(x) < __builtin_inf();
}
WT_FN float __nv_nanf(const signed char *tag)
{
	(void)tag;
	return __nv_int_as_float(0x7fffffff);
}
WT_FN double __nv_nan(const signed char *tag)
{
	(void)tag;
	return __nv_longlong_as_double(0x7fffffffffffffffll);
}
WT_FN float __nv_saturatef(float x)
{
	return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f);
}

/* ---- exponents ---- */

WT_FN float __nv_ldexpf(float x, int n)
{
	n = n < -300 ? -300 : n > 300 ? 300 : n;
	const int a = n / 4; /* four steps of at most 75, and what is left */
	x *= wt_pow2f(a);
	x *= wt_pow2f(a);
	x *= wt_pow2f(a);
	return x * wt_pow2f(n - 3 * a);
}
WT_FN double __nv_ldexp(double x, int n)
{
	n = n < -2200 ? -2200 : n > 2200 ? 2200 : n;
	const int a = n / 4;
	x *= wt_pow2(a);
	x *= wt_pow2(a);
	x *= wt_pow2(a);
	return x * wt_pow2(n - 3 * a);
}
WT_FN float __nv_scalbnf(float x, int n)
{
	return __nv_ldexpf(x, n);
}
WT_FN double __nv_scalbn(double x, int n)
{
	return __nv_ldexp(x, n);
}
WT_FN float __nv_frexpf(float x, int *n)
{
	*n = 0;
	if (x == 0 || !__nv_finitef(x))
		return x;
	const int tiny = __builtin_fabsf(x) < 1.17549435e-38f;
	const unsigned bits = __nv_float_as_uint(tiny ? x * 16777216.0f : x);
	*n = (int)(bits >> 23 & 255) - 126 - (tiny ? 24 : 0);
	return __nv_uint_as_float((bits & 0x807fffffu) | 0x3f000000u);
}
WT_FN double __nv_frexp(double x, int *n)
{
	*n = 0;
	if (x == 0 || !__nv_isfinited(x))
		return x;
	const int tiny = __builtin_fabs(x) < 2.2250738585072014e-308;
	const unsigned long long bits =
		__nv_double_as_longlong(tiny ? x * 18014398509481984.0 : x);
	*n = (int)(bits >> 52 & 2047) - 1022 - (tiny ? 54 : 0);
	return __nv_longlong_as_double(
		(long long)((bits & 0x800fffffffffffffull) | 0x3fe0000000000000ull));
}
WT_FN int __nv_ilogbf(float x)
{
	int n;
	if (x == 0 || x != x)
		return (int)0x80000000;
	if (!__nv_finitef(x))
		return 0x7fffffff;
	__nv_frexpf(x, &n);
	return n - 1;
}
WT_FN int __nv_ilogb(double x)
{
	int n;
	if (x == 0 || x != x)
		return (int)0x80000000;
	if (!__nv_isfinited(x))
		return 0x7fffffff;
	__nv_frexp(x, &n);
	return n - 1;
}
WT_FN float __nv_logbf(float x)
{
	return x == 0 ? -__builtin_inff() : !__nv_finitef(x) ? x * x : (float)__nv_ilogbf(x);
}
WT_FN double __nv_logb(double x)
{
	return x == 0 ? -__builtin_inf() : !__nv_isfinited(x) ? x * x : (double)__nv_ilogb(x);
}
WT_FN float __nv_nextafterf(float x, float y)
{
	if (x != x || y != y)
		return x + y;
	if (x == y)
		return y;
	if (x == 0)
		return __builtin_copysignf(1.4e-45f, y);
	return __nv_int_as_float(__nv_float_as_int(x) + ((x < y) == (x > 0) ? 1 : -1));
}
WT_FN double __nv_nextafter(double x, double y)
{
	if (x != x || y != y)
		return x + y;
	if (x == y)
		return y;
	if (x == 0)
		return __builtin_copysign(4.9406564584124654e-324, y);
	return __nv_longlong_as_double(
		(long long)__nv_double_as_longlong(x) + ((x < y) == (x > 0) ? 1 : -1));
}

/* ---- remainders: exact, by subtracting powers of two times the divisor ---- */

#define WT_FMOD(T, name, quotient, b, huge)                                                        \
	WT_IN T quotient(T x, T y, int *q)                                                         \
	{                                                                                          \
		T left = __builtin_fabs##b(x), part, by = __builtin_fabs##b(y);                    \
		*q = 0;                                                                            \
		if (!(by > 0) || !(left < (T)__builtin_inf()))                                     \
			return (x * y) / (x * y);                                                  \
		while (left >= by) {                                                               \
			int n = 0;                                                                 \
			for (part = by; part <= left * (T)0.5 && part < (T)huge; part += part)     \
				n++;                                                               \
			left -= part;                                                              \
			*q += n < 31 ? 1 << n : 0;                                                 \
		}                                                                                  \
		return left;                                                                       \
	}                                                                                          \
	WT_FN T name(T x, T y)                                                                     \
	{                                                                                          \
		int q;                                                                             \
		return __builtin_copysign##b(quotient(x, y, &q), x);                               \
	}
WT_FMOD(float, __nv_fmodf, wt_modf, f, 1.7014118e38)
WT_FMOD(double, __nv_fmod, wt_mod, , 8.98846567431158e307)
#undef WT_FMOD
#define WT_REM(T, f, mod, b)                                                                       \
	WT_FN T __nv_remquo##f(T x, T y, int *quo)                                                 \
	{                                                                                          \
		int q;                                                                             \
		T r = mod(x, y, &q);                                                               \
		const T by = __builtin_fabs##b(y);                                                 \
		if (r > by - r || (r == by - r && (q & 1))) {                                      \
			r -= by;                                                                   \
			q++;                                                                       \
		}                                                                                  \
		q &= 0x7fffffff;                                                                   \
		*quo = (x < 0) != (y < 0) ? -q : q;                                                \
		return x < 0 ? -r : r;                                                             \
	}                                                                                          \
	WT_FN T __nv_remainder##f(T x, T y)                                                        \
	{                                                                                          \
		int quo;                                                                           \
		return __nv_remquo##f(x, y, &quo);                                                 \
	}
WT_REM(float, f, wt_modf, f)
WT_REM(double, , wt_mod, )
#undef WT_REM

/* ---- exponential and logarithm ---- */

/* e^x, x = n ln 2 + r: 2^n by its bits, e^r by the instruction, which is good to 2 ulp there. */
WT_FN float __nv_expf(float x)
{
	const float n = __builtin_rintf(x * 1.44269504f);
	float r = __builtin_fmaf(n, -0.693145752f, x);
	r = __builtin_fmaf(n, -1.42860677e-6f, r);
	if (x > 104.0f)
		return __builtin_inff();
	if (x < -104.0f)
		return 0.0f;
	const int whole = (int)n, half = whole / 2;
	return wt_ex2(r * 1.44269504f) * wt_pow2f(half) * wt_pow2f(whole - half);
}
WT_FN float __nv_exp2f(float x)
{
	return wt_ex2(x);
}
/* e^r - 1 for |r| <= ln 2 / 2, by its series. */
WT_IN double wt_expm1_near(double r)
{
	double p = 1.0 / 87178291200.0;
	p = __builtin_fma(p, r, 1.0 / 6227020800.0);
	p = __builtin_fma(p, r, 1.0 / 479001600.0);
	p = __builtin_fma(p, r, 1.0 / 39916800.0);
	p = __builtin_fma(p, r, 1.0 / 3628800.0);
	p = __builtin_fma(p, r, 1.0 / 362880.0);
	p = __builtin_fma(p, r, 1.0 / 40320.0);
	p = __builtin_fma(p, r, 1.0 / 5040.0);
	p = __builtin_fma(p, r, 1.0 / 720.0);
	p = __builtin_fma(p, r, 1.0 / 120.0);
	p = __builtin_fma(p, r, 1.0 / 24.0);
	p = __builtin_fma(p, r, 1.0 / 6.0);
	p = __builtin_fma(p, r, 0.5);
	return __builtin_fma(p * r, r, r);
}
/* e^(x + low), where low is small beside x. */
WT_IN double wt_exp_sum(double x, double low)
{
	const double n = __builtin_rint(x * 1.4426950408889634);
	double r = __builtin_fma(n, -0.69314718055994529, x);
	r = __builtin_fma(n, -2.3190468138462996e-17, r) + low;
	if (x > 710.0)
		return __builtin_inf();
	if (x < -746.0)
		return 0.0;
	const int whole = (int)n, half = whole / 2;
	return (1.0 + wt_expm1_near(r)) * wt_pow2(half) * wt_pow2(whole - half);
}
WT_FN double __nv_exp(double x)
{
	return x != x ? x : wt_exp_sum(x, 0.0);
}
WT_FN double __nv_exp2(double x)
{
	const double n = __builtin_rint(x);
	if (x != x)
		return x;
	if (x > 1024.0)
		return __builtin_inf();
	if (x < -1080.0)
		return 0.0;
	const int whole = (int)n, half = whole / 2;
	return (1.0 + wt_expm1_near((x - n) * 0.69314718055994531)) * wt_pow2(half) *
	       wt_pow2(whole - half);
}
WT_FN double __nv_exp10(double x)
{
	const double h = x * 2.302585092994046;
	return x != x ? x
		      : wt_exp_sum(h, __builtin_fma(x, 2.302585092994046, -h) +
					      x * -2.1707562233822494e-16);
}
WT_FN float __nv_exp10f(float x)
{
	const float n = __builtin_rintf(x * 3.32192809f);
	const float r = __builtin_fmaf(n, -1.54813334e-8f, __builtin_fmaf(n, -0.30102998f, x));
	if (x > 45.0f)
		return __builtin_inff();
	if (x < -50.0f)
		return 0.0f;
	const int whole = (int)n, half = whole / 2;
	return wt_ex2(r * 3.32192809f) * wt_pow2f(half) * wt_pow2f(whole - half);
}
WT_FN double __nv_expm1(double x)
{
	return __builtin_fabs(x) < 0.34 ? wt_expm1_near(x) : __nv_exp(x) - 1.0;
}
WT_FN float __nv_expm1f(float x)
{
	float p = 1.0f / 720.0f;
	if (__builtin_fabsf(x) >= 0.34f)
		return __nv_expf(x) - 1.0f;
	p = __builtin_fmaf(p, x, 1.0f / 120.0f);
	p = __builtin_fmaf(p, x, 1.0f / 24.0f);
	p = __builtin_fmaf(p, x, 1.0f / 6.0f);
	p = __builtin_fmaf(p, x, 0.5f);
	return __builtin_fmaf(p * x, x, x);
}

/* x = m 2^n with m in [sqrt 1/2, sqrt 2); x is positive and finite. */
WT_IN float wt_splitf(float x, int *n)
{
	float m = __nv_frexpf(x, n);
	if (m < 0.707106781f) {
		m += m;
		--*n;
	}
	return m;
}
WT_IN double wt_split(double x, int *n)
{
	double m = __nv_frexp(x, n);
	if (m < 0.70710678118654752) {
		m += m;
		--*n;
	}
	return m;
}
/* ln m = 2 artanh s with s = (m - 1) / (m + 1): what follows 2 s, by its series. */
WT_IN float wt_log_restf(float s)
{
	const float z = s * s;
	float p = 2.0f / 11.0f;
	p = __builtin_fmaf(p, z, 2.0f / 9.0f);
	p = __builtin_fmaf(p, z, 2.0f / 7.0f);
	p = __builtin_fmaf(p, z, 2.0f / 5.0f);
	p = __builtin_fmaf(p, z, 2.0f / 3.0f);
	return p * z * s;
}
WT_IN double wt_log_rest(double s)
{
	const double z = s * s;
	double p = 2.0 / 23.0;
	p = __builtin_fma(p, z, 2.0 / 21.0);
	p = __builtin_fma(p, z, 2.0 / 19.0);
	p = __builtin_fma(p, z, 2.0 / 17.0);
	p = __builtin_fma(p, z, 2.0 / 15.0);
	p = __builtin_fma(p, z, 2.0 / 13.0);
	p = __builtin_fma(p, z, 2.0 / 11.0);
	p = __builtin_fma(p, z, 2.0 / 9.0);
	p = __builtin_fma(p, z, 2.0 / 7.0);
	p = __builtin_fma(p, z, 2.0 / 5.0);
	p = __builtin_fma(p, z, 2.0 / 3.0);
	return p * z * s;
}
#define WT_LOG_EDGES(T, x)                                                                         \
	if (!((x) > 0))                                                                            \
		return (x) == 0 ? -(T)__builtin_inf() : (T)__builtin_nan("");                      \
	if ((x) == (T)__builtin_inf())                                                             \
	return x
WT_FN float __nv_logf(float x)
{
	int n;
	WT_LOG_EDGES(float, x);
	const float m = wt_splitf(x, &n), s = (m - 1.0f) / (m + 1.0f), k = (float)n;
	return __builtin_fmaf(k, 0.693145752f,
		__builtin_fmaf(k, 1.42860677e-6f, wt_log_restf(s) + 2.0f * s));
}
/* ln x as a sum of two doubles. */
WT_IN double wt_log_two(double x, double *low)
{
	int n;
	const double m = wt_split(x, &n), u = m - 1.0, v = m + 1.0, s = u / v, k = n;
	const double rest = (__builtin_fma(-s, v, u) - s * (m - (v - 1.0))) / v;
	const double a = k * 0.693147180369123816, b = 2.0 * s, sum = a + b;
	const double lost = k == 0 ? 0.0 : b - (sum - a);
	*low = lost + __builtin_fma(k, 1.90821492927058770e-10, 2.0 * rest + wt_log_rest(s));
	const double hi = sum + *low;
	*low -= hi - sum;
	return hi;
}
WT_FN double __nv_log(double x)
{
	double low;
	WT_LOG_EDGES(double, x);
	return wt_log_two(x, &low);
}
WT_FN float __nv_log2f(float x)
{
	int n;
	WT_LOG_EDGES(float, x);
	const float m = wt_splitf(x, &n), s = (m - 1.0f) / (m + 1.0f);
	return __builtin_fmaf(wt_log_restf(s) + 2.0f * s, 1.44269504f, (float)n);
}
WT_FN double __nv_log2(double x)
{
	int n;
	WT_LOG_EDGES(double, x);
	const double m = wt_split(x, &n), s = (m - 1.0) / (m + 1.0);
	return __builtin_fma(wt_log_rest(s) + 2.0 * s, 1.4426950408889634, (double)n);
}
WT_FN float __nv_log10f(float x)
{
	int n;
	WT_LOG_EDGES(float, x);
	const float m = wt_splitf(x, &n), s = (m - 1.0f) / (m + 1.0f), k = (float)n;
	return __builtin_fmaf(k, 0.301029205f,
		__builtin_fmaf(wt_log_restf(s) + 2.0f * s, 0.434294482f, k * 7.90341e-7f));
}
WT_FN double __nv_log10(double x)
{
	double low;
	WT_LOG_EDGES(double, x);
	const double hi = wt_log_two(x, &low);
	return __builtin_fma(hi, 0.4342944819032518, hi * 1.098319650216765e-17 + low * 0.4342944819032518);
}
WT_FN float __nv_log1pf(float x)
{
	const float u = 1.0f + x;
	if (u == 1.0f || !__nv_finitef(x))
		return x == -__builtin_inff() ? __builtin_nanf("") : x;
	return __nv_logf(u) - (u > 0 ? ((u - 1.0f) - x) / u : 0.0f);
}
WT_FN double __nv_log1p(double x)
{
	const double u = 1.0 + x;
	if (u == 1.0 || !__nv_isfinited(x))
		return x == -__builtin_inf() ? __builtin_nan("") : x;
	return __nv_log(u) - (u > 0 ? ((u - 1.0) - x) / u : 0.0);
}
#undef WT_LOG_EDGES

/* x^y for finite x > 0, by a logarithm in two parts. */
WT_IN double wt_pow_positive(double x, double y)
{
	double low;
	const double l = wt_log_two(x, &low), h = y * l;
	if (!(__builtin_fabs(h) < 1e5))
		return h > 0 ? __builtin_inf() : 0.0;
	return wt_exp_sum(h, __builtin_fma(y, l, -h) + y * low);
}
WT_FN double __nv_pow(double x, double y)
{
	const double ax = __builtin_fabs(x), ay = __builtin_fabs(y);
	const int whole = __builtin_trunc(y) == y,
		  odd = whole && ay < 9007199254740992.0 && ((long long)y & 1);
	double r;
	if (y == 0 || x == 1)
		return 1.0;
	if (x != x || y != y)
		return x + y;
	if (ay == __builtin_inf())
		return ax == 1 ? 1.0 : (ax > 1) == (y > 0) ? ay : 0.0;
	if (ax == 0)
		r = y > 0 ? 0.0 : __builtin_inf();
	else if (ax == __builtin_inf())
		r = y > 0 ? ax : 0.0;
	else if (x < 0 && !whole)
		return __builtin_nan("");
	else
		r = wt_pow_positive(ax, y);
	return odd && __nv_signbitd(x) ? -r : r;
}
WT_FN float __nv_powf(float x, float y)
{
	return (float)__nv_pow((double)x, (double)y);
}
WT_FN float __nv_fast_expf(float x)
{
	return wt_ex2(x * 1.44269504f);
}
WT_FN float __nv_fast_exp10f(float x)
{
	return wt_ex2(x * 3.32192809f);
}
WT_FN float __nv_fast_logf(float x)
{
	return __nv_fast_log2f(x) * 0.693147181f;
}
WT_FN float __nv_fast_log10f(float x)
{
	return __nv_fast_log2f(x) * 0.301029996f;
}
WT_FN float __nv_fast_powf(float x, float y)
{
	return wt_ex2(y * __nv_fast_log2f(x));
}
WT_FN void __nv_fast_sincosf(float x, float *s, float *c)
{
	*s = __nv_fast_sinf(x);
	*c = __nv_fast_cosf(x);
}
WT_FN float __nv_fast_tanf(float x)
{
	return __nv_fast_fdividef(__nv_fast_sinf(x), __nv_fast_cosf(x));
}
/* Cube roots: a guess by a third of the exponent, then Newton. */
WT_FN float __nv_cbrtf(float x)
{
	const float a = __builtin_fabsf(x);
	if (a == 0 || !__nv_finitef(a))
		return x;
	const int tiny = a < 1e-36f;
	const float v = tiny ? a * 134217728.0f : a;
	float y = __nv_uint_as_float(__nv_float_as_uint(v) / 3u + 0x2a5137a0u);
	for (int i = 0; i < 3; i++)
		y -= (y - v / (y * y)) * 0.333333333f;
	return __builtin_copysignf(tiny ? y / 512.0f : y, x);
}
WT_FN double __nv_cbrt(double x)
{
	const double a = __builtin_fabs(x);
	if (a == 0 || !__nv_isfinited(a))
		return x;
	const int tiny = a < 1e-300;
	const double w = tiny ? a * 590295810358705651712.0 : a; /* 2^69, whose root is 2^23 */
	double y = __nv_longlong_as_double(
		(long long)(__nv_double_as_longlong(w) / 3 + 0x2a9f7893782da1ceull));
	for (int i = 0; i < 5; i++)
		y -= (y - w / (y * y)) * (1.0 / 3.0);
	return __builtin_copysign(tiny ? y / 8388608.0 : y, x);
}
WT_FN float __nv_rcbrtf(float x)
{
	return 1.0f / __nv_cbrtf(x);
}
WT_FN double __nv_rcbrt(double x)
{
	return 1.0 / __nv_cbrt(x);
}

/* ---- circular functions ---- */

/* Sine and cosine of r, |r| <= pi/4. */
WT_IN float wt_sin_near_f(float r)
{
	const float z = r * r;
	float p = 1.0f / 362880.0f;
	p = __builtin_fmaf(p, z, -1.0f / 5040.0f);
	p = __builtin_fmaf(p, z, 1.0f / 120.0f);
	p = __builtin_fmaf(p, z, -1.0f / 6.0f);
	return __builtin_fmaf(p * z, r, r);
}
WT_IN float wt_cos_near_f(float r)
{
	const float z = r * r;
	float p = 1.0f / 40320.0f;
	p = __builtin_fmaf(p, z, -1.0f / 720.0f);
	p = __builtin_fmaf(p, z, 1.0f / 24.0f);
	p = __builtin_fmaf(p, z, -0.5f);
	return __builtin_fmaf(p, z, 1.0f);
}
WT_IN double wt_sin_near(double r)
{
	const double z = r * r;
	double p = -1.0 / 1307674368000.0;
	p = __builtin_fma(p, z, 1.0 / 6227020800.0);
	p = __builtin_fma(p, z, -1.0 / 39916800.0);
	p = __builtin_fma(p, z, 1.0 / 362880.0);
	p = __builtin_fma(p, z, -1.0 / 5040.0);
	p = __builtin_fma(p, z, 1.0 / 120.0);
	p = __builtin_fma(p, z, -1.0 / 6.0);
	return __builtin_fma(p * z, r, r);
}
WT_IN double wt_cos_near(double r)
{
	const double z = r * r;
	double p = 1.0 / 20922789888000.0;
	p = __builtin_fma(p, z, -1.0 / 87178291200.0);
	p = __builtin_fma(p, z, 1.0 / 479001600.0);
	p = __builtin_fma(p, z, -1.0 / 3628800.0);
	p = __builtin_fma(p, z, 1.0 / 40320.0);
	p = __builtin_fma(p, z, -1.0 / 720.0);
	p = __builtin_fma(p, z, 1.0 / 24.0);
	p = __builtin_fma(p, z, -0.5);
	return __builtin_fma(p, z, 1.0);
}
/* The bits of 2/pi behind its point, a word of zeros before them. */
static __constant__ const unsigned long long wt_two_by_pi[] = {
	0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
	0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
	0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
	0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};
/*
 * x = q pi/2 + r for |x| >= 2^30, after Payne and Hanek (1983). x is the integer m times 2^e. Of
 * m times 2/pi only what weighs less than 4 quarters matters, so the bits of 2/pi before its place
 * e - 1 do not, and 192 of those from there on are enough: no double is nearer to a multiple of
 * pi/2 than 2^-62 quarters (Muller, Elementary Functions, chapter 11).
 */
WT_IN double wt_reduce_far(double x, int *q)
{
	const unsigned long long bits = __nv_double_as_longlong(x);
	const unsigned long long m = (bits & 0xfffffffffffffull) | 1ull << 52;
	const unsigned at = (unsigned)(bits >> 52 & 2047) - 1075 + 62, shift = at % 64;
	const unsigned long long *const word = wt_two_by_pi + at / 64;
	const unsigned long long a = word[0] << shift | word[1] >> 1 >> (63 - shift),
				 b = word[1] << shift | word[2] >> 1 >> (63 - shift),
				 c = word[2] << shift | word[3] >> 1 >> (63 - shift);
	/* The product's upper 128 bits, in quarters of 2^-126: the next whole number is taken off. */
	const unsigned long long low = m * b + __nv_umul64hi(m, c);
	const unsigned long long high = m * a + __nv_umul64hi(m, b) + (low < m * b);
	const unsigned long long whole = (high + (1ull << 61)) >> 62;
	const long long rest = (long long)(high - (whole << 62));
	/* What is left as a sum of two, times pi/2 as a sum of two. */
	const double f = (double)rest;
	const double g = (double)(rest - (long long)f) + (double)low * 5.421010862427522e-20;
	const double sum = f + g, less = g - (sum - f), r = sum * 1.5707963267948966;
	const double more = __builtin_fma(sum, 1.5707963267948966, -r);
	const double near = (r + (more + sum * 6.123233995736766e-17 + less * 1.5707963267948966)) *
			    2.168404344971009e-19;
	const int sign = x < 0 ? -1 : 1;
	*q = sign * (int)whole & 3;
	return sign * near;
}
/* x = q pi/2 + r. */
WT_IN double wt_reduce(double x, int *q)
{
	if (__builtin_fabs(x) >= 1073741824.0)
		return wt_reduce_far(x, q);
	const double n = __builtin_rint(x * 0.63661977236758134);
	double r = __builtin_fma(n, -1.5707963267948966, x);
	r = __builtin_fma(n, -6.123233995736766e-17, r);
	*q = (int)((long long)n & 3);
	return r;
}
WT_IN float wt_reduce_f(float x, int *q)
{
	if (__builtin_fabsf(x) > 10000.0f)
		return (float)wt_reduce((double)x, q);
	const float n = __builtin_rintf(x * 0.636619772f);
	float r = __builtin_fmaf(n, -1.57079601f, x);
	r = __builtin_fmaf(n, -3.13916473e-7f, r);
	r = __builtin_fmaf(n, -5.39030253e-15f, r);
	*q = (int)n & 3;
	return r;
}
#define WT_CIRCULAR(T, f, reduce, sine, cosine, finite)                                            \
	WT_FN void __nv_sincos##f(T x, T *s, T *c)                                                 \
	{                                                                                          \
		int q;                                                                             \
		const T r = finite(x) ? reduce(x, &q) : (q = 0, x - x);                            \
		const T a = sine(r), b = cosine(r);                                                \
		const T u = q & 1 ? b : a, v = q & 1 ? a : b;                                      \
		*s = q & 2 ? -u : u;                                                               \
		*c = (q + 1) & 2 ? -v : v;                                                         \
	}                                                                                          \
	WT_FN T __nv_sin##f(T x)                                                                   \
	{                                                                                          \
		T s, c;                                                                            \
		__nv_sincos##f(x, &s, &c);                                                         \
		return s;                                                                          \
	}                                                                                          \
	WT_FN T __nv_cos##f(T x)                                                                   \
	{                                                                                          \
		T s, c;                                                                            \
		__nv_sincos##f(x, &s, &c);                                                         \
		return c;                                                                          \
	}                                                                                          \
	WT_FN T __nv_tan##f(T x)                                                                   \
	{                                                                                          \
		T s, c;                                                                            \
		__nv_sincos##f(x, &s, &c);                                                         \
		return s / c;                                                                      \
	}
WT_CIRCULAR(float, f, wt_reduce_f, wt_sin_near_f, wt_cos_near_f, __nv_finitef)
WT_CIRCULAR(double, , wt_reduce, wt_sin_near, wt_cos_near, __nv_isfinited)
#undef WT_CIRCULAR
#define WT_PI(T, f, b, sine, cosine, pi)                                                           \
	WT_FN void __nv_sincospi##f(T x, T *s, T *c)                                               \
	{                                                                                          \
		const T y = x - 2 * __builtin_rint##b(x * (T)0.5); /* without whole turns */       \
		const T n = __builtin_rint##b(y * 2), r = (y - n * (T)0.5) * (T)pi;                \
		const int q = (int)n & 3;                                                          \
		const T a = sine(r), d = cosine(r);                                                \
		const T u = q & 1 ? d : a, v = q & 1 ? a : d;                                      \
		*s = q & 2 ? -u : u;                                                               \
		*c = (q + 1) & 2 ? -v : v;                                                         \
	}                                                                                          \
	WT_FN T __nv_sinpi##f(T x)                                                                 \
	{                                                                                          \
		T s, c;                                                                            \
		__nv_sincospi##f(x, &s, &c);                                                       \
		return s;                                                                          \
	}                                                                                          \
	WT_FN T __nv_cospi##f(T x)                                                                 \
	{                                                                                          \
		T s, c;                                                                            \
		__nv_sincospi##f(x, &s, &c);                                                       \
		return c;                                                                          \
	}
WT_PI(float, f, f, wt_sin_near_f, wt_cos_near_f, 3.14159265358979324)
WT_PI(double, , , wt_sin_near, wt_cos_near, 3.14159265358979324)
#undef WT_PI

/* artan: to [0, 1] by the reciprocal, to [0, tan pi/8] by a rotation of pi/4, then the series. */
WT_IN float wt_atan_near_f(float x)
{
	const float z = x * x;
	float p = -1.0f / 15.0f;
	p = __builtin_fmaf(p, z, 1.0f / 13.0f);
	p = __builtin_fmaf(p, z, -1.0f / 11.0f);
	p = __builtin_fmaf(p, z, 1.0f / 9.0f);
	p = __builtin_fmaf(p, z, -1.0f / 7.0f);
	p = __builtin_fmaf(p, z, 1.0f / 5.0f);
	p = __builtin_fmaf(p, z, -1.0f / 3.0f);
	return __builtin_fmaf(p * z, x, x);
}
WT_IN double wt_atan_near(double x)
{
	const double z = x * x;
	double p = 0;
	for (int k = 41; k > 1; k -= 2)
		p = __builtin_fma(p, z, k & 2 ? -1.0 / k : 1.0 / k);
	return __builtin_fma(p * z, x, x);
}
#define WT_ATAN(T, f, b, near, half_pi, fourth_pi)                                                 \
	WT_FN T __nv_atan##f(T x)                                                                  \
	{                                                                                          \
		const T a = __builtin_fabs##b(x), y = a > 1 ? (T)1 / a : a;                        \
		const int turned = y > (T)0.41421356237309503;                                     \
		const T n = near(turned ? (y - 1) / (y + 1) : y);                                  \
		const T r = turned ? (T)fourth_pi + n : n;                                         \
		return __builtin_copysign##b(a > 1 ? (T)half_pi - r : r, x);                       \
	}                                                                                          \
	WT_FN T __nv_atan2##f(T y, T x)                                                            \
	{                                                                                          \
		const T ax = __builtin_fabs##b(x), ay = __builtin_fabs##b(y);                      \
		T r;                                                                               \
		if (x != x || y != y)                                                              \
			return x + y;                                                              \
		r = ax == ay ? (ax == 0 ? (T)0 : (T)fourth_pi)                                     \
			     : ay > ax ? (T)half_pi - __nv_atan##f(ax / ay)                        \
				       : __nv_atan##f(ay / ax);                                    \
		if (__builtin_copysign##b((T)1, x) < 0)                                            \
			r = (T)(2 * half_pi) - r;                                                  \
		return __builtin_copysign##b(r, y);                                                \
	}                                                                                          \
	WT_FN T __nv_asin##f(T x)                                                                  \
	{                                                                                          \
		return __nv_atan2##f(x, __builtin_sqrt##b((1 - x) * (1 + x)));                     \
	}                                                                                          \
	WT_FN T __nv_acos##f(T x)                                                                  \
	{                                                                                          \
		return __nv_atan2##f(__builtin_sqrt##b((1 - x) * (1 + x)), x);                     \
	}
WT_ATAN(float, f, f, wt_atan_near_f, 1.5707963267948966, 0.78539816339744831)
WT_ATAN(double, , , wt_atan_near, 1.5707963267948966, 0.78539816339744831)
#undef WT_ATAN

/* ---- hyperbolic functions ---- */

#define WT_HYPERBOLIC(T, f, b, near, far)                                                          \
	WT_FN T __nv_sinh##f(T x)                                                                  \
	{                                                                                          \
		const T a = __builtin_fabs##b(x), e = __nv_expm1##f(a);                            \
		if (a > (T)far) {                                                                  \
			const T h = __nv_exp##f(a * (T)0.5);                                       \
			return __builtin_copysign##b((T)0.5 * h * h, x);                           \
		}                                                                                  \
		return __builtin_copysign##b((T)0.5 * (e + e / (e + 1)), x);                       \
	}                                                                                          \
	WT_FN T __nv_cosh##f(T x)                                                                  \
	{                                                                                          \
		const T h = __nv_exp##f(__builtin_fabs##b(x) * (T)0.5);                            \
		return (T)0.5 * h * h + (T)0.5 / h / h;                                            \
	}                                                                                          \
	WT_FN T __nv_tanh##f(T x)                                                                  \
	{                                                                                          \
		const T a = __builtin_fabs##b(x);                                                  \
		const T e = __nv_expm1##f(-2 * a);                                                 \
		return x != x ? x : __builtin_copysign##b(-e / (e + 2), x);                        \
	}                                                                                          \
	WT_FN T __nv_asinh##f(T x)                                                                 \
	{                                                                                          \
		const T a = __builtin_fabs##b(x);                                                  \
		const T r = a > (T)near                                                            \
				    ? __nv_log##f(a) + (T)0.69314718055994531                      \
				    : __nv_log1p##f(a + a * a / (1 + __builtin_sqrt##b(a * a + 1))); \
		return __builtin_copysign##b(r, x);                                                \
	}                                                                                          \
	/* NaN below 1, by the root of something negative. */                                      \
	WT_FN T __nv_acosh##f(T x)                                                                 \
	{                                                                                          \
		const T t = x - 1;                                                                 \
		return x > (T)near ? __nv_log##f(x) + (T)0.69314718055994531                       \
				   : __nv_log1p##f(t + __builtin_sqrt##b(2 * t + t * __builtin_fabs##b(t))); \
	}                                                                                          \
	WT_FN T __nv_atanh##f(T x)                                                                 \
	{                                                                                          \
		const T a = __builtin_fabs##b(x);                                                  \
		return __builtin_copysign##b((T)0.5 * __nv_log1p##f(2 * a / (1 - a)), x);          \
	}
WT_HYPERBOLIC(float, f, f, 1e9, 80.0)
WT_HYPERBOLIC(double, , , 1e18, 700.0)
#undef WT_HYPERBOLIC

/* ---- error and gamma functions ---- */

/* e^(x^2) erfc x for x >= 2, by its continued fraction from the end. */
WT_IN double wt_erfcx_far(double x)
{
	double t = x;
	for (int k = 60; k > 0; k--)
		t = x + 0.5 * k / t;
	return 0.56418958354775629 / t;
}
/* erf x for |x| < 2: 2/sqrt pi e^(-x^2) (x + 2/3 x^3 + 4/15 x^5 ...), all terms of one sign. */
WT_IN double wt_erf_near(double x)
{
	const double z = 2.0 * x * x;
	double p = 1.0;
	for (int k = 81; k > 1; k -= 2)
		p = __builtin_fma(p, z / k, 1.0);
	return 1.1283791670955126 * __nv_exp(-x * x) * x * p;
}
/* The same for 1/2 <= x < 2: the interpolation in Chebyshev's 19 points, to 2^-53 of the value. */
WT_IN double wt_erfcx_middle(double x)
{
	const double t = x - 1.25;
	double p = 3.3712729956417845e-09;
	p = __builtin_fma(p, t, -1.2698965108345007e-08);
	p = __builtin_fma(p, t, 3.782128556692057e-08);
	p = __builtin_fma(p, t, -1.3495543222071708e-07);
	p = __builtin_fma(p, t, 4.800179855650226e-07);
	p = __builtin_fma(p, t, -1.6322773246505447e-06);
	p = __builtin_fma(p, t, 5.395510924839193e-06);
	p = __builtin_fma(p, t, -1.7343494354731172e-05);
	p = __builtin_fma(p, t, 5.4054092895471115e-05);
	p = __builtin_fma(p, t, -0.00016296013925133016);
	p = __builtin_fma(p, t, 0.00047397030596022346);
	p = __builtin_fma(p, t, -0.0013257829127515989);
	p = __builtin_fma(p, t, 0.0035531099035342175);
	p = __builtin_fma(p, t, -0.009081627634127992);
	p = __builtin_fma(p, t, 0.022011364250847418);
	p = __builtin_fma(p, t, -0.050218274395869365);
	p = __builtin_fma(p, t, 0.10679557149659888);
	p = __builtin_fma(p, t, -0.2088218759646102);
	return __builtin_fma(p, t, 0.3678229164523611);
}
/* e^(-(x + low)^2), without losing the low half of x^2. */
WT_IN double wt_exp_minus_square(double x, double low)
{
	const double h = x * x;
	return wt_exp_sum(-h, -__builtin_fma(x, x, -h) - 2.0 * x * low);
}
/* erfc of x + low */
WT_IN double wt_erfc_sum(double x, double low)
{
	const double a = __builtin_fabs(x);
	if (x != x)
		return x;
	if (x < 0.5 && x > -2.0)
		return 1.0 - wt_erf_near(x);
	if (a > 28.0)
		return x > 0 ? 0.0 : 2.0;
	const double far = wt_exp_minus_square(x, low) *
			   (a < 2.0 ? wt_erfcx_middle(a) : wt_erfcx_far(a));
	return x > 0 ? far : 2.0 - far;
}
WT_FN double __nv_erfc(double x)
{
	return wt_erfc_sum(x, 0.0);
}
WT_FN double __nv_erf(double x)
{
	if (__builtin_fabs(x) < 2.0)
		return wt_erf_near(x);
	return x != x ? x : x > 0 ? 1.0 - __nv_erfc(x) : __nv_erfc(-x) - 1.0;
}
WT_FN double __nv_erfcx(double x)
{
	const double h = x * x;
	if (x < 0.5)
		return wt_exp_sum(h, __builtin_fma(x, x, -h)) * __nv_erfc(x);
	return x < 2.0 ? wt_erfcx_middle(x) : wt_erfcx_far(x);
}
/* The inverse: a polynomial of Giles (2012) in single precision, then Newton. */
WT_FN float __nv_erfinvf(float x)
{
	float w = -__nv_logf((1.0f - x) * (1.0f + x)), p;
	if (w < 5.0f) {
		w -= 2.5f;
		p = 2.81022636e-08f;
		p = __builtin_fmaf(p, w, 3.43273939e-07f);
		p = __builtin_fmaf(p, w, -3.5233877e-06f);
		p = __builtin_fmaf(p, w, -4.39150654e-06f);
		p = __builtin_fmaf(p, w, 0.00021858087f);
		p = __builtin_fmaf(p, w, -0.00125372503f);
		p = __builtin_fmaf(p, w, -0.00417768164f);
		p = __builtin_fmaf(p, w, 0.246640727f);
		p = __builtin_fmaf(p, w, 1.50140941f);
	} else {
		w = __builtin_sqrtf(w) - 3.0f;
		p = -0.000200214257f;
		p = __builtin_fmaf(p, w, 0.000100950558f);
		p = __builtin_fmaf(p, w, 0.00134934322f);
		p = __builtin_fmaf(p, w, -0.00367342844f);
		p = __builtin_fmaf(p, w, 0.00573950773f);
		p = __builtin_fmaf(p, w, -0.0076224613f);
		p = __builtin_fmaf(p, w, 0.00943887047f);
		p = __builtin_fmaf(p, w, 1.00167406f);
		p = __builtin_fmaf(p, w, 2.83297682f);
		if (__builtin_fabsf(x) == 1.0f)
			p = __builtin_inff();
	}
	return p * x;
}
WT_IN double wt_erfinv_near(double x)
{
	double y = __nv_erfinvf((float)x);
	for (int i = 0; i < 2; i++)
		y -= (__nv_erf(y) - x) / (1.1283791670955126 * __nv_exp(-y * y));
	return y;
}
/* y with erfc y = x, from a guess: Newton on ln erfc where that is steep, so on both ends alike. */
WT_FN double __nv_erfcinv(double x)
{
	if (!(x > 0) || !(x < 2))
		return x == 0 ? __builtin_inf() : x == 2 ? -__builtin_inf() : __builtin_nan("");
	if (x >= 0.5 && x <= 1.5)
		return wt_erfinv_near(1 - x);
	const int high = x > 1;
	const double t = high ? 2 - x : x;
	double y = t > 0.0625 ? (double)__nv_erfinvf((float)(1 - t))
			      : __builtin_sqrt(-__nv_log(t * __builtin_sqrt(-__nv_log(t)) * 1.7724538509055161));
	for (int i = 0; i < 4; i++) {
		const double e = __nv_erfc(y);
		y += __nv_log(e / t) * e / (1.1283791670955126 * wt_exp_minus_square(y, 0.0));
	}
	return high ? -y : y;
}
WT_FN double __nv_erfinv(double x)
{
	if (__builtin_fabs(x) > 0.5)
		return __builtin_copysign(__nv_erfcinv(1 - __builtin_fabs(x)), x);
	return wt_erfinv_near(x);
}
WT_FN double __nv_normcdf(double x)
{
	const double y = x * -0.70710678118654757; /* and what this root of 1/2 is too large by */
	return 0.5 * wt_erfc_sum(y, __builtin_fma(x, -0.70710678118654757, -y) + x * 4.833646656726457e-17);
}
WT_FN double __nv_normcdfinv(double x)
{
	return -1.4142135623730951 * __nv_erfcinv(2 * x);
}
/*
 * ln gamma(y + rest) for 1/2 <= y < 10, but for the logarithm of *factor: of y below 3/2, where it is
 * to be taken off, and else of what leads up to y from [3/2, 5/2). There it is e p(e), e = y - 2: the
 * interpolation in Chebyshev's 18 points, to 2^-53 of the value.
 */
WT_IN double wt_gamma_near(double y, double rest, double *factor)
{
	double e = (y < 1.5 ? y - 1 : y - 2) + rest;
	*factor = y < 1.5 ? y : 1.0;
	for (; e >= 0.5; e -= 1)
		*factor *= e + 1;
	double p = 2.7475390051909663e-07;
	p = __builtin_fma(p, e, -5.811277768921246e-07);
	p = __builtin_fma(p, e, 9.242852225162277e-07);
	p = __builtin_fma(p, e, -1.9743106888421067e-06);
	p = __builtin_fma(p, e, 4.3828545383846665e-06);
	p = __builtin_fma(p, e, -9.45628851510172e-06);
	p = __builtin_fma(p, e, 2.050601970174762e-05);
	p = __builtin_fma(p, e, -4.4923727564247656e-05);
	p = __builtin_fma(p, e, 9.945761692157133e-05);
	p = __builtin_fma(p, e, -0.00022315497746292723);
	p = __builtin_fma(p, e, 0.0005096695196526673);
	p = __builtin_fma(p, e, -0.0011927539009983087);
	p = __builtin_fma(p, e, 0.002890510330865901);
	p = __builtin_fma(p, e, -0.007385551028935545);
	p = __builtin_fma(p, e, 0.02058080842778338);
	p = __builtin_fma(p, e, -0.06735230105319563);
	p = __builtin_fma(p, e, 0.3224670334241132);
	return e * __builtin_fma(p, e, 0.42278433509846713);
}
/* The same for y >= 10 as a sum of two, by Stirling's series. */
WT_IN double wt_gamma_far(double y, double rest, double *low)
{
	double less;
	const double l = wt_log_two(y, &less), v = 1 / y, z = v * v;
	double p = -3617.0 / 122400.0;
	p = __builtin_fma(p, z, 1.0 / 156.0);
	p = __builtin_fma(p, z, -691.0 / 360360.0);
	p = __builtin_fma(p, z, 1.0 / 1188.0);
	p = __builtin_fma(p, z, -1.0 / 1680.0);
	p = __builtin_fma(p, z, 1.0 / 1260.0);
	p = __builtin_fma(p, z, -1.0 / 360.0);
	p = __builtin_fma(p, z, 1.0 / 12.0);
	/* (y - 1/2) ln y - y. The product is not to become part of an fma. */
	const double power = y - 0.5, h = __nv_dmul_rn(power, l), sum = h - y, back = sum - h;
	const double lost = (h - (sum - back)) - (y + back) + __builtin_fma(power, l, -h);
	*low = lost + power * less + rest * l + p * v + 0.91893853320467274;
	const double hi = sum + *low;
	*low -= hi - sum;
	return hi;
}
/* Below 1/2 by the reflection, with what 1 - x loses. */
WT_FN double __nv_lgamma(double x)
{
	if ((x <= 0 && __builtin_trunc(x) == x) || x > 2.55e305)
		return __builtin_inf();
	if (__builtin_fabs(x) < 1e-17)
		return -__nv_log(__builtin_fabs(x));
	const double y = x < 0.5 ? 1 - x : x, rest = x < 0.5 ? 1 - y - x : 0.0;
	double more, g;
	if (y < 10) {
		g = wt_gamma_near(y, rest, &more);
		g += y < 1.5 ? -__nv_log(more) : __nv_log(more);
	} else {
		g = wt_gamma_far(y, rest, &more);
	}
	return x < 0.5 ? 1.1447298858494002 - __nv_log(__builtin_fabs(__nv_sinpi(x))) - g : g;
}
WT_FN double __nv_tgamma(double x)
{
	if (x <= 0 && __builtin_trunc(x) == x)
		return x == 0 ? __builtin_copysign(__builtin_inf(), x) : __builtin_nan("");
	if (!(x < 172))
		return x + __builtin_inf();
	const double y = x < 0.5 ? 1 - x : x, rest = x < 0.5 ? 1 - y - x : 0.0;
	double more, g;
	if (y < 10) {
		g = __nv_exp(wt_gamma_near(y, rest, &more));
		g = y < 1.5 ? g / more : g * more;
		return x < 0.5 ? 3.1415926535897931 / (__nv_sinpi(x) * g) : g;
	}
	g = wt_gamma_far(y, rest, &more);
	if (x >= 0.5)
		return wt_exp_sum(g, more);
	/* By the root of e^-g, which is a normal number yet where e^-g is not. */
	const double root = wt_exp_sum(-0.5 * g, -0.5 * more);
	return 3.1415926535897931 / __nv_sinpi(x) * root * root;
}
#include "bessel.h"

#define WT_BY_DOUBLE(name)                                                                         \
	WT_FN float __nv_##name##f(float x)                                                        \
	{                                                                                          \
		return (float)__nv_##name((double)x);                                              \
	}
WT_BY_DOUBLE(erf)
WT_BY_DOUBLE(erfc)
WT_BY_DOUBLE(erfcx)
WT_BY_DOUBLE(erfcinv)
WT_BY_DOUBLE(normcdf)
WT_BY_DOUBLE(normcdfinv)
WT_BY_DOUBLE(lgamma)
WT_BY_DOUBLE(tgamma)
WT_BY_DOUBLE(j0)
WT_BY_DOUBLE(j1)
WT_BY_DOUBLE(y0)
WT_BY_DOUBLE(y1)
WT_BY_DOUBLE(cyl_bessel_i0)
WT_BY_DOUBLE(cyl_bessel_i1)
#undef WT_BY_DOUBLE

#undef WT_FLUSH
#undef WT_PTX1
#undef WT_PTX2
#undef WT_PTX3
#undef WT_FOUR1
#undef WT_FOUR2
#undef WT_FOUR3
#undef WT_FOURI
#undef WT_IN
#undef WT_FN

#endif
