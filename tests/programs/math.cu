/*
 * The device's math functions against the host's, over a range of arguments each. What is printed
 * is the largest error of a function that is worse than it may be, in units in the last place.
 */
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

enum { N = 1024 };

static int bad;

template <typename T> static double ulps(T got, T want)
{
	if (std::isnan(got) && std::isnan(want))
		return 0;
	if (got == want)
		return 0;
	if (!std::isfinite(got) || !std::isfinite(want))
		return 1e30;
	const double unit = std::fabs(std::nextafter(want, (T)INFINITY) - want);
	return std::fabs((double)got - (double)want) / std::fmax(unit, (double)std::numeric_limits<T>::denorm_min());
}

template <typename T, typename K, typename H>
static void compare(const char *name, K kernel, H host, double low, double high, double most)
{
	T *in, *out;
	double worst = 0, where = 0;

	cudaMallocManaged(&in, (N + 6) * sizeof(T));
	cudaMallocManaged(&out, (N + 6) * sizeof(T));
	for (int i = 0; i < N; i++)
		in[i] = (T)(low + (high - low) * i / (N - 1));
	const T special[] = {0, (T)-0.0, (T)INFINITY, (T)-INFINITY, (T)NAN, 1};
	memcpy(in + N, special, sizeof(special));
	kernel<<<(N + 6 + 127) / 128, 128>>>(in, out, N + 6);
	cudaError_t e = cudaDeviceSynchronize();
	if (e) {
		printf("%s: %s\n", name, cudaGetErrorString(e));
		bad++;
		return;
	}
	for (int i = 0; i < N + 6; i++) {
		const double u = ulps(out[i], (T)host(in[i]));
		if (u > worst) {
			worst = u;
			where = in[i];
		}
	}
	if (worst > most) {
		printf("%s: %g ulp at %g, %g allowed\n", name, worst, where, most);
		bad++;
	}
	cudaFree(in);
	cudaFree(out);
}

#define UNARY(name, T, f, ...)                                                                     \
	__global__ void k_##name(const T *in, T *out, int n)                                       \
	{                                                                                          \
		int i = blockIdx.x * blockDim.x + threadIdx.x;                                     \
		if (i < n) {                                                                       \
			const T x = in[i];                                                         \
			out[i] = f;                                                                \
		}                                                                                  \
	}                                                                                          \
	static T h_##name(T x)                                                                     \
	{                                                                                          \
		return f;                                                                          \
	}
/* name, expression, range, allowed ulp as float and as double */
#define FUNCTIONS(X)                                                                               \
	X(exp, -80, 80, 3, 2)                                                                      \
	X(exp2, -100, 100, 2, 2)                                                                   \
	X(expm1, -5, 20, 4, 3)                                                                     \
	X(log, 0.001, 1000, 3, 2)                                                                  \
	X(log2, 0.001, 1000, 4, 4)                                                                 \
	X(log10, 0.001, 1000, 4, 2)                                                                \
	X(log1p, -0.9, 10, 4, 4)                                                                   \
	X(sin, -50, 50, 4, 4)                                                                      \
	X(cos, -50, 50, 4, 4)                                                                      \
	X(tan, -1.5, 1.5, 5, 4)                                                                    \
	X(asin, -0.99, 0.99, 5, 5)                                                                 \
	X(acos, -0.99, 0.99, 5, 5)                                                                 \
	X(atan, -20, 20, 4, 4)                                                                     \
	X(sinh, -10, 10, 5, 5)                                                                     \
	X(cosh, -10, 10, 5, 5)                                                                     \
	X(tanh, -5, 5, 5, 5)                                                                       \
	X(asinh, -100, 100, 5, 5)                                                                  \
	X(acosh, 1, 100, 5, 5)                                                                     \
	X(atanh, -0.99, 0.99, 5, 5)                                                                \
	X(cbrt, -1000, 1000, 3, 3)                                                                 \
	X(erf, -3, 3, 4, 5)                                                                        \
	X(erfc, -2, 6, 4, 4)                                                                       \
	X(tgamma, 0.1, 20, 5, 5)                                                                   \
	X(lgamma, 0.1, 100, 5, 5)                                                                  \
	X(exp10, -37, 38, 4, 2)                                                                    \
	X(sqrt, 0, 1e6, 0, 0)                                                                      \
	X(floor, -100, 100, 0, 0)                                                                  \
	X(ceil, -100, 100, 0, 0)                                                                   \
	X(trunc, -100, 100, 0, 0)                                                                  \
	X(rint, -100, 100, 0, 0)                                                                   \
	X(round, -100.25, 100.25, 0, 0)                                                            \
	X(fabs, -10, 10, 0, 0)                                                                     \
	X(logb, -1000, 1000, 0, 0)
#define BOTH(name, ...) UNARY(name##_f, float, name##f(x)) UNARY(name##_d, double, name(x))
FUNCTIONS(BOTH)
#define BINARY(name, call)                                                                         \
	UNARY(name##_f, float, call##f(x, 0.37f))                                                  \
	UNARY(name##_d, double, call(x, 0.37))
BINARY(pow, pow)
BINARY(atan2, atan2)
BINARY(fmod, fmod)
BINARY(remainder, remainder)
BINARY(hypot, hypot)
BINARY(fmax, fmax)
BINARY(nextafter, nextafter)

/*
 * Functions that the host's library lacks, in terms of others, over ranges where those do not cancel;
 * to some ten units, which are theirs.
 */
#define LACKED(name, T, device, host)                                                              \
	__global__ void k_##name(const T *in, T *out, int n)                                       \
	{                                                                                          \
		int i = blockIdx.x * blockDim.x + threadIdx.x;                                     \
		if (i < n) {                                                                       \
			const T x = in[i];                                                         \
			out[i] = device;                                                           \
		}                                                                                  \
	}                                                                                          \
	static long double h_##name(long double x)                                                 \
	{                                                                                          \
		return host;                                                                       \
	}
static long double sine_of_pi(long double x)
{
	const long double y = x - 2 * rintl(x / 2);
	return sinl((fabsl(y) > 0.5L ? copysignl(1, y) - y : y) * 3.14159265358979323846264338327950288L);
}
static long double cosine_of_pi(long double x)
{
	return sine_of_pi(0.5L - fabsl(x - 2 * rintl(x / 2)));
}
LACKED(sinpi_d, double, sinpi(x), sine_of_pi(x))
LACKED(cospi_d, double, cospi(x), cosine_of_pi(x))
LACKED(sinpi_f, float, sinpif(x), sine_of_pi(x))
LACKED(cospi_f, float, cospif(x), cosine_of_pi(x))
LACKED(normcdf_d, double, normcdf(x), 0.5L * erfcl(x * -0.707106781186547524400844362104849039L))
LACKED(erfcx_d, double, erfcx(x),
	x == INFINITY ? 0 : x == -INFINITY ? INFINITY : expl(x * x) * erfcl(x))
/* The identity, of what an inverse gives. */
LACKED(erfinv_d, double, erf(erfinv(x)), fabsl(x) > 1 ? NAN : x)
LACKED(erfcinv_d, double, erfc(erfcinv(x)), x < 0 || x > 2 ? NAN : fabsl(x))

/* Each function of two or three at the ends of floats. */
enum { ENDS = 9 };
__global__ void at_ends(const float *v, float *out)
{
	for (int i = 0; i < ENDS * ENDS; i++) {
		const float x = v[i / ENDS], y = v[i % ENDS], all[3] = {x, y, 0};
		out[0] = hypotf(x, y);
		out[1] = norm3df(x, y, 0);
		out[2] = normf(3, all);
		out[3] = norm4df(0, x, 0, y);
		out[4] = (float)hypot((double)x, (double)y);
		out[5] = rhypotf(x, y);
		out[6] = rnorm3df(x, y, 0);
		out += 7;
	}
}
__global__ void single(double *out, float one)
{
	const double v[3] = {1e200 * one, 1e200 * one, 0}, small[2] = {3e-200 * one, 4e-200 * one};
	out[0] = erfinvf(one);
	out[1] = erfinvf(-one);
	out[2] = acoshf(-1.75e15f * one);
	out[3] = acosh(-3e190 * one);
	out[4] = norm(3, v) / 1.4142135623730951e200;
	out[5] = norm(2, small) / 5e-200;
	out[6] = tgamma(-745.2 * one);
	out[7] = tgammaf(-235219.5f * one);
	out[8] = erfcinv(one);
	out[9] = cos(5.319372648326541e255 * one); /* next to a multiple of pi/2, by mpmath */
}
static void ends()
{
	const float v[ENDS] = {0, -0.0f, 1, 3e-30f, -1e30f, 1e38f, -INFINITY, INFINITY, NAN};
	const double want[10] = {
		INFINITY, -INFINITY, NAN, NAN, 1, 1, 0, 0, 0, -4.6871659242546276e-19};
	float *in, *out;
	double *one;

	cudaMallocManaged(&in, sizeof(v));
	cudaMallocManaged(&out, 7 * ENDS * ENDS * sizeof(*out));
	cudaMallocManaged(&one, sizeof(want));
	memcpy(in, v, sizeof(v));
	at_ends<<<1, 1>>>(in, out);
	single<<<1, 1>>>(one, 1.0f);
	bad += cudaDeviceSynchronize() != cudaSuccess;
	for (int i = 0; i < 7 * ENDS * ENDS; i++) {
		const float x = v[i / 7 / ENDS], y = v[i / 7 % ENDS];
		const float size = std::hypot(x, y), expected = i % 7 < 5 ? size : 1 / size;
		if (ulps(out[i], expected) > 4) {
			printf("end %d of %g, %g: %g, not %g\n", i % 7, x, y, out[i], expected);
			bad++;
		}
	}
	for (int i = 0; i < 10; i++)
		if (ulps(one[i], want[i]) > 4) {
			printf("single %d: %g, not %g\n", i, one[i], want[i]);
			bad++;
		}
}

int main()
{
#define RUN(name, low, high, f, d)                                                                 \
	compare<float>(#name "f", k_##name##_f, h_##name##_f, low, high, f);                       \
	compare<double>(#name, k_##name##_d, h_##name##_d, low, high, d);
	FUNCTIONS(RUN)
	RUN(pow, 0.001, 1000, 1, 3)
	RUN(atan2, -5, 5, 4, 4)
	RUN(fmod, -1000, 1000, 0, 0)
	RUN(remainder, -1000, 1000, 0, 0)
	RUN(hypot, -5, 5, 3, 3)
	RUN(fmax, -5, 5, 0, 0)
	RUN(nextafter, -5, 5, 0, 0)
	/* Beyond 2^30 by the bits of 2/pi. */
#define RUN_FAR(name, ...)                                                                         \
	RUN(name, -1e6, 1e6, __VA_ARGS__)                                                          \
	RUN(name, -1e18, 1.7e18, __VA_ARGS__)                                                      \
	compare<float>(#name "f", k_##name##_f, h_##name##_f, -1.6e38, 1.7e38, 4);                 \
	compare<double>(#name, k_##name##_d, h_##name##_d, -8e307, 9e307, 4);
	RUN_FAR(sin, 3, 3)
	RUN_FAR(cos, 3, 3)
	RUN_FAR(tan, 5, 4)
	RUN(tgamma, -20.123, -0.1, 5, 5)
	RUN(tgamma, -184.9, -20.1, 5, 5)
	RUN(tgamma, 20, 171.6, 5, 5)
	RUN(acosh, -1e30, 0.9, 0, 0)
#define RUN_LACKED(name, T, ...) compare<T>(#name, k_##name, h_##name, __VA_ARGS__);
	RUN_LACKED(sinpi_f, float, -50, 51, 4)
	RUN_LACKED(sinpi_f, float, -2e38, 3e38, 0)
	RUN_LACKED(cospi_f, float, -50, 51, 4)
	RUN_LACKED(cospi_f, float, -2e38, 3e38, 0)
	RUN_LACKED(sinpi_d, double, -1e9, 1.3e9, 4)
	RUN_LACKED(cospi_d, double, -1e9, 1.3e9, 4)
	RUN_LACKED(normcdf_d, double, -37, 8, 5)
	RUN_LACKED(erfcx_d, double, -26, 26, 4)
	RUN_LACKED(erfinv_d, double, -0.99, 0.99, 8)
	RUN_LACKED(erfcinv_d, double, 1e-3, 0.99, 32)
	ends();
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
