/*
 * The functions of Bessel in kernels. Below 8 against their series in quadruple precision, in units
 * in the last place, also beside each zero; from 8 on, and of higher orders, against the host's
 * library, which is good to an absolute error. Allowed is what CUDA's table of maximum errors has at
 * most. What is printed are the functions that are worse.
 */
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>

/* The device's side, where no function of the host is made, does not know the type. */
#if defined(__CUDA_ARCH__)
typedef long double quad;
#else
typedef __float128 quad;
#endif

enum { N = 1024, TERMS = 60 };

static int bad;

/* ---- what is right ---- */

static const quad pi = (quad)3.141592653589793 + 1.2246467991473532e-16 - 2.9947698097183397e-33;
static const quad gamma_of_euler =
	(quad)0.5772156649015329 - 4.942915152430645e-18 - 2.322111740706957e-34;

/* e^-y by its series at y/16, squared four times. */
static quad inverse_exp(quad y)
{
	quad term = 1, sum = 1;
	for (int k = 1; k < 50; k++)
		sum += term *= -y / 16 / k;
	for (int i = 0; i < 4; i++)
		sum *= sum;
	return sum;
}
/* One more step from the logarithm that the host has. */
static quad logarithm(double x)
{
	const quad y = logl(x), rest = x * inverse_exp(y) - 1;
	return y + rest - rest * rest / 2;
}
/* sum of (-sign x^2/4)^k / (k! (k + order)!) weight(k), times (x/2)^order; order is 0 or 1 */
template <class Weight> static quad series(int order, int sign, quad x, Weight weight)
{
	quad term = order ? x / 2 : 1, sum = term * weight(0);
	for (int k = 1; k < 1500 && term != 0; k++) {
		term *= -sign * x * x / 4 / k / (k + order);
		sum += term * weight(k);
	}
	return sum;
}
static quad first(int order, double x)
{
	return series(order, 1, x, [](int) { return (quad)1; });
}
static quad modified(int order, double x)
{
	return series(order, -1, x, [](int) { return (quad)1; });
}
/* Abramowitz and Stegun, 9.1.11: 2 h is psi(k + 1) + psi(k + order + 1), but for gamma. */
static quad second(int order, double x)
{
	static quad harmonic[TERMS + 2];
	for (int k = 1; k < TERMS + 2 && !harmonic[TERMS + 1]; k++)
		harmonic[k] = harmonic[k - 1] + (quad)1 / k;
	const quad rest = series(order, 1, x,
		[&](int k) { return k > TERMS ? (quad)0 : harmonic[k] + harmonic[k + order]; });
	const quad l = logarithm(x / 2) + gamma_of_euler;
	return (2 * l * first(order, x) - rest - (order ? 2 / (quad)x : 0)) / pi;
}

/* ---- what the device says ---- */

enum { J0, J1, Y0, Y1, I0, I1, FUNCTIONS };
static const char *const names[] = {"j0", "j1", "y0", "y1", "cyl_bessel_i0", "cyl_bessel_i1"};

__global__ void doubles(int which, const double *in, double *out, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	const double x = in[i];
	switch (which) {
	case J0: out[i] = j0(x); break;
	case J1: out[i] = j1(x); break;
	case Y0: out[i] = y0(x); break;
	case Y1: out[i] = y1(x); break;
	case I0: out[i] = cyl_bessel_i0(x); break;
	case I1: out[i] = cyl_bessel_i1(x); break;
	}
}
__global__ void floats(int which, const double *in, double *out, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	const float x = (float)in[i];
	switch (which) {
	case J0: out[i] = j0f(x); break;
	case J1: out[i] = j1f(x); break;
	case Y0: out[i] = y0f(x); break;
	case Y1: out[i] = y1f(x); break;
	case I0: out[i] = cyl_bessel_i0f(x); break;
	case I1: out[i] = cyl_bessel_i1f(x); break;
	}
}
__global__ void orders(int is_second, int n, const double *in, double *out)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = is_second ? yn(n, in[i]) : jn(n, in[i]);
	out[N + i] = is_second ? ynf(n, (float)in[i]) : jnf(n, (float)in[i]);
}

static double *in, *out;

static double want_far(int which, double x)
{
	return which == J0 ? j0(x) : which == J1 ? j1(x) : which == Y0 ? y0(x) : y1(x);
}
static quad want_near(int which, double x)
{
	return which < Y0 ? first(which, x) : which < I0 ? second(which - Y0, x) : modified(which - I0, x);
}

template <class T> static void ran(int which, bool far, double allowed)
{
	double worst = 0, where = 0;

	if (sizeof(T) == sizeof(double))
		doubles<<<N / 128, 128>>>(which, in, out, N);
	else
		floats<<<N / 128, 128>>>(which, in, out, N);
	const cudaError_t e = cudaDeviceSynchronize();
	for (int i = 0; i < N; i++) {
		const double x = (T)in[i];
		const quad want = far ? (quad)want_far(which, x) : want_near(which, x);
		quad off = out[i] - want;
		if (!far) {
			const T size = std::fabs((T)want);
			off /= std::nextafter(size, (T)INFINITY) - size;
		}
		const double error = std::fabs((double)off);
		if (!(error <= worst)) {
			worst = error;
			where = x;
		}
	}
	if (e || !(worst <= allowed)) {
		printf("%s of %zu bytes%s: %s, %g off at %.17g, %g allowed\n", names[which], sizeof(T),
			far ? " far" : "", cudaGetErrorString(e), worst, where, allowed);
		bad++;
	}
}
static void over(double low, double high)
{
	for (int i = 0; i < N; i++)
		in[i] = low + (high - low) * (i + 0.37) / N;
}
/* Steps of the last place, and larger ones, around a number. */
static void around(double z)
{
	for (int i = 0; i < N; i++)
		in[i] = z + (i - N / 2) * std::ldexp(1.0, -52 + i % 40);
}

static void high_orders(int n, double low, double high)
{
	double worst = 0, where = 0;
	int second_kind = 0;

	for (int kind = low > 0; kind >= 0; kind--) {
		over(low, high);
		orders<<<N / 128, 128>>>(kind, n, in, out);
		bad += cudaDeviceSynchronize() != cudaSuccess;
		for (int i = 0; i < N; i++) {
			const double want = kind ? yn(n, in[i]) : jn(n, in[i]);
			const double narrow = kind ? yn(n, (float)in[i]) : jn(n, (float)in[i]);
			/* Below n it falls or grows without a zero, and has digits. */
			const double size = std::fabs(in[i]) < n ? std::fabs(want) : 1;
			double error = want == out[i] ? 0 : std::fabs(out[i] - want) / size / 5e-12;
			if (std::fabs(narrow) < FLT_MAX && std::fabs(narrow) > FLT_MIN)
				error = std::fmax(error,
					std::fabs(out[N + i] - narrow) / std::fmax(std::fabs(narrow), 1) / 2.2e-6);
			if (!(error <= worst)) {
				worst = error;
				where = in[i];
				second_kind = kind;
			}
		}
	}
	if (!(worst <= 1)) {
		printf("%cn(%d, %.17g): %g of what is allowed\n", second_kind ? 'y' : 'j', n, where, worst);
		bad++;
	}
}

/* So small that the first term of the series, or the first two, are all of it. */
static void small_arguments(int n)
{
	const int reach = n < 2 ? 310 : 170;

	for (int kind = n < 2; kind < 2; kind++) {
		for (int i = 0; i < N; i++) {
			in[i] = std::pow(10.0, -4.5 - kind * 4 - (reach - 9.0) * i / N);
			if (!kind && i & 1)
				in[i] = -in[i];
		}
		orders<<<N / 128, 128>>>(kind, n, in, out);
		bad += cudaDeviceSynchronize() != cudaSuccess;
		for (int i = 0; i < 2 * N; i++) {
			const bool narrow = i >= N;
			const long double half = (narrow ? (float)in[i - N] : in[i]) / 2.0L;
			const long double v = kind ? -tgammal(n) / acosl(-1) / powl(half, n)
						   : powl(half, n) / tgammal(n + 1) * (1 - half * half / (n + 1));
			const double want = narrow ? (double)(float)v : (double)v;
			const double allowed = narrow ? std::fabs(want) * 1e-6 + 1.5e-45
						      : std::fabs(want) * 1e-14 + 5e-324;
			if (want != out[i] && !(std::fabs(out[i] - want) <= allowed)) {
				printf("%cn(%d, %.17g)%s: %.17g, not %.17g\n", "jy"[kind], n,
					(double)(2 * half), narrow ? " of floats" : "", out[i], want);
				bad++;
				break;
			}
		}
	}
}

/* Ends, and orders that there are not: what CUDA's documentation says of each. */
__global__ void ends(double *out, double zero)
{
	const double inf = 1 / zero, none = inf - inf;
	const double v[] = {j0(inf), j1(-inf), jn(5, inf), y0(inf), y1(inf), yn(5, inf), /* 0 */
		j1(zero), jn(5, zero), cyl_bessel_i1(zero),
		-y0(zero), -y1(-zero), -yn(5, zero), cyl_bessel_i0(-inf), -cyl_bessel_i1(-inf), /* inf */
		-yn(200, 0.5), cyl_bessel_i0(715.0), -y1(1e-310),
		j0(none), j1(none), jn(5, none), y0(none), y1(none), yn(5, none), /* NaN */
		y0(-1.0), y1(-inf), yn(5, -1.0), jn(-1, 1.0), yn(-1, 1.0),
		cyl_bessel_i0(none), cyl_bessel_i1(none)};
	for (int i = 0; i < (int)(sizeof(v) / sizeof(v[0])); i++)
		out[i] = v[i];
	out[30] = signbit(j1(-zero)) && signbit(j1(-inf)) && signbit(cyl_bessel_i1(-zero));
	out[31] = jn(2000000000, 3.0); /* at once */
}

int main()
{
	cudaMallocManaged(&in, N * sizeof(*in));
	cudaMallocManaged(&out, 2 * N * sizeof(*out));
	for (int f = 0; f < FUNCTIONS; f++) {
		const double ulp = f < I0 ? 7 : 6, ulp_of_floats = f < I0 ? 9 : 6;
		over(0, 8);
		ran<double>(f, false, ulp);
		ran<float>(f, false, ulp_of_floats);
		over(0, 1e-3);
		ran<double>(f, false, ulp);
		if (f >= I0) {
			over(-30, 30);
			ran<double>(f, false, ulp);
			ran<float>(f, false, ulp_of_floats);
			over(-713.9, 713.9);
			ran<double>(f, false, ulp);
			continue;
		}
		over(8, 100);
		ran<double>(f, true, 5e-12);
		ran<float>(f, true, 2.2e-6);
		over(8, 1e6);
		ran<double>(f, true, 5e-12);
		if (f >= Y0)
			continue;
		over(-8, 0);
		ran<double>(f, false, ulp);
		over(-50, -8);
		ran<double>(f, true, 5e-12);
	}
	for (double z : {2.404825557695773, 5.520078110286311, 4.0}) {
		around(z);
		ran<double>(J0, false, 7);
	}
	for (double z : {3.8317059702075125, 7.015586669815619, 5.0}) {
		around(z);
		ran<double>(J1, false, 7);
	}
	for (double z : {0.8935769662791675, 3.957678419314858, 7.086051060301773, 3.0, 5.0}) {
		around(z);
		ran<double>(Y0, false, 7);
	}
	for (double z : {2.197141326031017, 5.429681040794135, 1.6, 3.0, 4.75}) {
		around(z);
		ran<double>(Y1, false, 7);
	}
	for (int n : {0, 1, 2, 3, 7, 20, 128}) {
		high_orders(n, n / 4.0 + 0.1, n + 0.5);
		high_orders(n, 1.5 * n + 0.1, 4 * n + 200);
		high_orders(n, -200, 0);
	}
	for (int n : {1, 2, 3, 4, 9, 30, 40})
		small_arguments(n);
	ends<<<1, 1>>>(out, 0.0);
	bad += cudaDeviceSynchronize() != cudaSuccess;
	for (int i = 0; i < 30; i++)
		if (i < 9 ? out[i] != 0 : i < 17 ? out[i] != INFINITY : out[i] == out[i]) {
			printf("end %d: %g\n", i, out[i]);
			bad++;
		}
	bad += out[30] != 1 || out[31] != 0;
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
