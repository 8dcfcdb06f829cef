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
	X(erf, -3, 3, 4, 16)                                                                       \
	X(erfc, -2, 6, 60, 500)                                                                    \
	X(tgamma, 0.1, 20, 4, 100)                                                                  \
	X(lgamma, 3, 100, 4, 40)                                                                   \
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
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
