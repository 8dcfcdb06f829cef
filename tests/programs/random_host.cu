/*
 * cuRAND's functions of the host: numbers that NVIDIA and the generators' authors print, numbers of
 * the device's functions in the documented order, distributions, and the order of streams and graphs.
 */
#include <cmath>
#include <cstdio>
#include <cstring>
#include <curand.h>
#include <curand_kernel.h>
#include <vector>

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d\n", __LINE__);                                     \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)
#define OK(x) CHECK((x) == CURAND_STATUS_SUCCESS)

enum { N = 20000, IN_ORDER = 6000 };

static float *room; /* of the device, N doubles */

/* A generator of the host or the device, with a seed if it takes one. */
static curandGenerator_t made(curandRngType_t type, bool host, unsigned long long seed = 1234)
{
	curandGenerator_t g;

	if (host ? curandCreateGeneratorHost(&g, type) : curandCreateGenerator(&g, type))
		return nullptr;
	if (type < CURAND_RNG_QUASI_DEFAULT)
		curandSetPseudoRandomGeneratorSeed(g, seed);
	return g;
}

/* What `call` puts into an array of n. */
template <class T, class F> static std::vector<T> got(bool host, size_t n, F call)
{
	std::vector<T> v(n);

	if (host)
		call(v.data());
	else {
		call((T *)room);
		cudaMemcpy(v.data(), room, n * sizeof(T), cudaMemcpyDeviceToHost);
	}
	return v;
}

static bool near(const std::vector<float> &v, const double *want, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(std::fabs(v[i] - want[i]) < 2e-6 * (1 + std::fabs(want[i]))))
			return false;
	return true;
}

/* NVIDIA's CUDALibrarySamples print these for the seed 1234, a mean of 1 and a deviation of 2. */
static int printed(bool host)
{
	static const struct {
		curandRngType_t type;
		double uniform[6], normal[6], log_normal[6];
	} sample[] = {{CURAND_RNG_PSEUDO_XORWOW,
			      {0.145468, 0.820181, 0.550399, 0.294830, 0.914733, 0.868979},
			      {2.561947, -2.603156, 0.438303, 2.127093, -1.022666, 1.828079},
			      {12.961029, 0.074040, 1.550074, 8.390443, 0.359635, 6.221920}},
		{CURAND_RNG_PSEUDO_MRG32K3A,
			{0.786752, 0.152112, 0.934182, 0.986567, 0.988028, 0.304493},
			{0.278692, -0.182563, -2.437073, -0.803224, 1.687799, 1.267587},
			{1.321401, 0.833133, 0.087416, 0.447883, 5.407566, 3.552269}},
		{CURAND_RNG_PSEUDO_PHILOX4_32_10,
			{0.127208, 0.853469, 0.265649, 0.796055, 0.816736, 0.324165},
			{-2.232981, 3.458311, -2.121081, 1.929243, 2.136910, 0.428207},
			{0.107208, 31.763277, 0.119902, 6.884295, 8.473219, 1.534504}},
		{CURAND_RNG_QUASI_SOBOL32, {0, 0.5, 0.75, 0.25, 0.375, 0.875},
			{-11.675915, 1, 2.348979, -0.348979, 0.362721, 3.300699},
			{0.000008, 2.718282, 10.474874, 0.705408, 1.437235, 27.131590}},
		{CURAND_RNG_QUASI_SOBOL64, {0, 0.5, 0.75, 0.25, 0.375, 0.875},
			{-11.675915, 1, 2.348979, -0.348979, 0.362721, 3.300699},
			{0.000008, 2.718282, 10.474874, 0.705408, 1.437235, 27.131590}}};
	const unsigned poisson[] = {0, 10, 12, 8, 9, 14, 11, 6, 7, 11, 15, 9};

	for (auto &s : sample) {
		curandGenerator_t u = made(s.type, host), z = made(s.type, host), l = made(s.type, host);
		CHECK(u && z && l);
		CHECK(near(got<float>(host, 6, [&](float *to) { curandGenerateUniform(u, to, 6); }),
			s.uniform, 6));
		CHECK(near(got<float>(host, 6,
				   [&](float *to) { curandGenerateNormal(z, to, 6, 1, 2); }),
			s.normal, 6));
		CHECK(near(got<float>(host, 6,
				   [&](float *to) { curandGenerateLogNormal(l, to, 6, 1, 2); }),
			s.log_normal, 6));
		OK(curandDestroyGenerator(u));
		OK(curandDestroyGenerator(z));
		OK(curandDestroyGenerator(l));
	}
	curandGenerator_t p = made(CURAND_RNG_QUASI_SOBOL32, host);
	CHECK(!memcmp(got<unsigned>(host, 12,
			       [&](unsigned *to) { curandGeneratePoisson(p, to, 12, 10); })
			       .data(),
		poisson, sizeof(poisson)));
	OK(curandDestroyGenerator(p));
	return 0;
}

/* The 10000th number of MT19937's default seed is in the standard of C++; a start of 5489 is it. */
static int mersenne()
{
	std::vector<unsigned> v(10001);
	curandGenerator_t g;

	OK(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MT19937));
	OK(curandGenerate(g, v.data(), 9999));
	OK(curandGenerate(g, v.data(), 2));
	CHECK(v[0] == 4123659995u);
	CHECK(curandSetGeneratorOffset(g, 1) == CURAND_STATUS_TYPE_ERROR);
	float three[3];
	OK(curandGenerateNormal(g, three, 3, 0, 1));
	OK(curandDestroyGenerator(g));
	return 0;
}

template <class S> __global__ void in_order(unsigned *to, unsigned n, unsigned sequences, unsigned row)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	S s;

	if (i >= n)
		return;
	curand_init(1234, i / row % sequences, i / row / sequences * row + i % row, &s);
	to[i] = curand(&s);
}

/* The device's functions, one thread a number, give the same in the documented order. */
template <class S> static int order(curandRngType_t type, unsigned sequences, unsigned row)
{
	unsigned *by_threads;
	curandGenerator_t g = made(type, false);

	CHECK(g && !cudaMallocManaged(&by_threads, IN_ORDER * sizeof(unsigned)));
	in_order<S><<<(IN_ORDER + 255) / 256, 256>>>(by_threads, IN_ORDER, sequences, row);
	CHECK(!cudaDeviceSynchronize());
	CHECK(!memcmp(got<unsigned>(false, IN_ORDER,
			       [&](unsigned *to) { curandGenerate(g, to, IN_ORDER); })
			       .data(),
		by_threads, IN_ORDER * sizeof(unsigned)));
	/* From an offset, and in parts. */
	for (unsigned offset : {1u, 7u, 4095u, 4096u}) {
		OK(curandSetGeneratorOffset(g, offset));
		OK(curandGenerate(g, (unsigned *)room, 501));
		OK(curandGenerate(g, (unsigned *)room + 501, 1500));
		OK(curandGenerate(g, (unsigned *)room + 2001, 99));
		CHECK(!memcmp(room, by_threads + offset, 1900 * sizeof(unsigned)));
	}
	/* A seed begins anew, another order is the same, and one of its own is another. */
	OK(curandSetGeneratorOffset(g, 0));
	OK(curandSetPseudoRandomGeneratorSeed(g, 1234));
	OK(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY));
	OK(curandGenerate(g, (unsigned *)room, 100));
	CHECK(!memcmp(room, by_threads, 400));
	OK(curandSetPseudoRandomGeneratorSeed(g, 1235));
	OK(curandGenerate(g, (unsigned *)room, 100));
	CHECK(memcmp(room, by_threads, 400));
	const bool seeded = type == CURAND_RNG_PSEUDO_XORWOW;
	CHECK(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_SEEDED) ==
		(seeded ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE));
	OK(curandDestroyGenerator(g));
	CHECK(!cudaFree(by_threads));
	return 0;
}

/* Means and variances within five of their standard deviations. */
static int spread(curandRngType_t type)
{
	const double n = N;
	double sums[8] = {0}, lambdas[] = {0.5, 10, 3000};
	curandGenerator_t g = made(type, true, 7);

	CHECK(g);
	auto u = got<double>(true, N, [&](double *to) { curandGenerateUniformDouble(g, to, N); });
	auto z = got<double>(true, N, [&](double *to) { curandGenerateNormalDouble(g, to, N, 3, 2); });
	auto w = got<float>(true, N, [&](float *to) { curandGenerateNormal(g, to, N, 3, 2); });
	auto l = got<double>(true, N, [&](double *to) { curandGenerateLogNormalDouble(g, to, N, 0, 1); });
	for (int i = 0; i < N; i++) {
		CHECK(u[i] > 0 && u[i] <= 1 && l[i] > 0);
		sums[0] += u[i];
		sums[1] += (u[i] - 0.5) * (u[i] - 0.5);
		sums[2] += (z[i] - 3) / 2;
		sums[3] += (z[i] - 3) * (z[i] - 3) / 4;
		sums[4] += (w[i] - 3) / 2;
		sums[5] += (w[i] - 3) * (w[i] - 3) / 4;
		sums[6] += std::log(l[i]);
	}
	CHECK(std::fabs(sums[0] / n - 0.5) < 5 * std::sqrt(1 / 12.0 / n));
	CHECK(std::fabs(sums[1] / n - 1 / 12.0) < 5 * std::sqrt(1 / 180.0 / n));
	for (int i : {2, 4, 6})
		CHECK(std::fabs(sums[i] / n) < 5 * std::sqrt(1 / n));
	for (int i : {3, 5})
		CHECK(std::fabs(sums[i] / n - 1) < 5 * std::sqrt(2 / n));
	for (double lambda : lambdas) {
		double mean = 0, square = 0;
		auto p = got<unsigned>(
			true, N, [&](unsigned *to) { curandGeneratePoisson(g, to, N, lambda); });
		for (unsigned k : p) {
			mean += k;
			square += (k - lambda) * (k - lambda);
		}
		CHECK(std::fabs(mean / n - lambda) < 5 * std::sqrt(lambda / n));
		CHECK(std::fabs(square / n - lambda) <
			5 * std::sqrt((2 * lambda * lambda + lambda) / n));
	}
	OK(curandDestroyGenerator(g));
	return 0;
}

template <class S, class V> __global__ void by_vectors(V *vectors, float *to, unsigned n)
{
	S s;

	curand_init(vectors[blockIdx.x], threadIdx.x * (n / blockDim.x), &s);
	for (unsigned i = 0; i < n / blockDim.x; i++)
		to[blockIdx.x * n + threadIdx.x * (n / blockDim.x) + i] = curand_uniform(&s);
}

/* Normal numbers of Sobol' ones, by the device's inverse of the distribution. */
template <class V> __global__ void normals(V *vectors, double *to, unsigned n)
{
	curandStateSobol64_t s;

	curand_init(vectors[0], threadIdx.x, &s);
	for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
		to[i] = i % 2 ? curand_normal_double(&s) : curand_normal(&s);
		skipahead(blockDim.x - 1, &s);
	}
}

/*
 * Points of Sobol': the first of five dimensions as others print them of the same direction numbers;
 * each dimension has one of 2^k numbers in each of as many parts, and the first two dimensions one in
 * each box of that area.
 */
static int sobol(curandRngType_t type, bool scrambled)
{
	enum { POINTS = 1024 };
	const unsigned dimensions = CURAND_WT_DIMENSIONS;
	curandGenerator_t g = made(type, true);
	std::vector<double> v(dimensions * POINTS), one(POINTS);
	const double third[] = {0.75, 0.25, 0.25, 0.25, 0.75};

	CHECK(g);
	OK(curandSetQuasiRandomGeneratorDimensions(g, dimensions));
	OK(curandGenerateUniformDouble(g, v.data(), v.size()));
	for (unsigned d = 0; d < dimensions; d++) {
		bool seen[POINTS] = {false};
		for (unsigned i = 0; i < POINTS; i++) {
			const unsigned part = (unsigned)(v[d * POINTS + i] * POINTS);
			CHECK(part < POINTS && !seen[part]);
			seen[part] = true;
		}
		CHECK(scrambled || d >= 5 || std::fabs(v[d * POINTS + 2] - third[d]) < 1e-9);
	}
	for (unsigned across = 1; across <= POINTS; across *= 2) {
		bool seen[POINTS] = {false};
		for (unsigned i = 0; i < POINTS; i++) {
			const unsigned box = (unsigned)(v[i] * across) * (POINTS / across) +
					     (unsigned)(v[POINTS + i] * (POINTS / across));
			CHECK(!seen[box]);
			seen[box] = true;
		}
	}
	/* The next ones, and the same by an offset. */
	std::vector<double> next(dimensions * 10), again(dimensions * 10);
	OK(curandGenerateUniformDouble(g, next.data(), next.size()));
	OK(curandSetGeneratorOffset(g, POINTS));
	OK(curandGenerateUniformDouble(g, again.data(), again.size()));
	CHECK(next == again);
	CHECK(curandSetQuasiRandomGeneratorDimensions(g, 0) == CURAND_STATUS_OUT_OF_RANGE);
	OK(curandSetQuasiRandomGeneratorDimensions(g, 3));
	CHECK(curandGenerateUniformDouble(g, v.data(), 10) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
	CHECK(curandSetPseudoRandomGeneratorSeed(g, 1) == CURAND_STATUS_TYPE_ERROR);
	OK(curandDestroyGenerator(g));
	return 0;
}

/* Normal numbers are the inverse of the distribution, to the last digits. */
static int inverse()
{
	curandGenerator_t u = made(CURAND_RNG_QUASI_SOBOL64, true), z = made(CURAND_RNG_QUASI_SOBOL64, true);

	CHECK(u && z);
	auto p = got<double>(true, N, [&](double *to) { curandGenerateUniformDouble(u, to, N); });
	auto x = got<double>(true, N, [&](double *to) { curandGenerateNormalDouble(z, to, N, 0, 1); });
	for (int i = 0; i < N; i++)
		CHECK(std::fabs(std::erfc(-x[i] / std::sqrt(2.0)) / 2 / p[i] - 1) < 1e-13);
	OK(curandDestroyGenerator(u));
	OK(curandDestroyGenerator(z));
	return 0;
}

/* The device's functions with the library's direction vectors. */
static int vectors()
{
	enum { POINTS = 512, DIMENSIONS = 8 };
	curandDirectionVectors32_t *of, *there;
	curandDirectionVectors64_t *of_64;
	unsigned *constants;
	unsigned long long *constants_64;
	curandGenerator_t g = made(CURAND_RNG_QUASI_SOBOL32, false);
	float *to;

	OK(curandGetDirectionVectors32(&of, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
	CHECK(!cudaMallocManaged(&there, DIMENSIONS * sizeof(*there)));
	CHECK(!cudaMallocManaged(&to, DIMENSIONS * POINTS * sizeof(float)));
	memcpy(there, of, DIMENSIONS * sizeof(*there));
	by_vectors<curandStateSobol32_t><<<DIMENSIONS, 64>>>(there, to, POINTS);
	CHECK(!cudaDeviceSynchronize());
	OK(curandSetQuasiRandomGeneratorDimensions(g, DIMENSIONS));
	CHECK(!memcmp(got<float>(false, DIMENSIONS * POINTS,
			       [&](float *p) { curandGenerateUniform(g, p, DIMENSIONS * POINTS); })
			       .data(),
		to, DIMENSIONS * POINTS * sizeof(float)));
	OK(curandDestroyGenerator(g));

	curandDirectionVectors64_t *there_64;
	double *z;
	CHECK(!cudaMallocManaged(&there_64, sizeof(*there_64)));
	CHECK(!cudaMallocManaged(&z, POINTS * sizeof(double)));
	OK(curandGetDirectionVectors64(&of_64, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
	memcpy(there_64, of_64, sizeof(*there_64));
	normals<<<1, 64>>>(there_64, z, POINTS);
	CHECK(!cudaDeviceSynchronize());
	g = made(CURAND_RNG_QUASI_SOBOL64, true);
	std::vector<double> want(POINTS);
	OK(curandGenerateNormalDouble(g, want.data(), POINTS, 0, 1));
	for (unsigned i = 2; i < POINTS; i++)
		CHECK(std::fabs(z[i] - want[i]) < (i % 2 ? 1e-12 : 1e-5));
	OK(curandDestroyGenerator(g));

	/* Scrambled ones of 64 bits, on the host. */
	OK(curandGetDirectionVectors64(&of_64, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6));
	OK(curandGetScrambleConstants64(&constants_64));
	OK(curandGetScrambleConstants32(&constants));
	CHECK(constants[3] != constants[4]);
	curandGenerator_t s = made(CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, true);
	std::vector<unsigned long long> bits(4 * POINTS);
	OK(curandSetQuasiRandomGeneratorDimensions(s, 4));
	OK(curandGenerateLongLong(s, bits.data(), bits.size()));
	for (unsigned d = 0; d < 4; d++) {
		curandStateScrambledSobol64_t state;
		curand_init(of_64[d], constants_64[d], 5, &state);
		for (unsigned i = 5; i < POINTS; i++)
			CHECK(curand(&state) == bits[d * POINTS + i]);
	}
	OK(curandDestroyGenerator(s));
	CHECK(curandGetDirectionVectors32(&of, CURAND_DIRECTION_VECTORS_64_JOEKUO6) ==
		CURAND_STATUS_OUT_OF_RANGE);
	return 0;
}

__global__ void twice(float *x, unsigned n)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] *= 2;
}

/* In a stream between kernels, and in a graph, which makes further numbers each time. */
static int streams()
{
	enum { COUNT = 1000 };
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	std::vector<float> all(3 * COUNT);
	curandGenerator_t g = made(CURAND_RNG_PSEUDO_XORWOW, false), h = made(CURAND_RNG_PSEUDO_XORWOW, true);

	OK(curandGenerateUniform(h, all.data(), all.size()));
	CHECK(!cudaStreamCreate(&stream));
	OK(curandSetStream(g, stream));
	OK(curandGenerateUniform(g, room, COUNT));
	twice<<<(COUNT + 127) / 128, 128, 0, stream>>>(room, COUNT);
	CHECK(!cudaStreamSynchronize(stream));
	for (unsigned i = 0; i < COUNT; i++)
		CHECK(room[i] == 2 * all[i]);

	CHECK(!cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	OK(curandGenerateUniform(g, room, COUNT));
	twice<<<(COUNT + 127) / 128, 128, 0, stream>>>(room, COUNT);
	CHECK(!cudaStreamEndCapture(stream, &graph));
	CHECK(!cudaGraphInstantiate(&exec, graph, 0));
	CHECK(room[1] == 2 * all[1]);
	for (unsigned time = 1; time < 3; time++) {
		CHECK(!cudaGraphLaunch(exec, stream));
		CHECK(!cudaStreamSynchronize(stream));
		for (unsigned i = 0; i < COUNT; i++)
			CHECK(room[i] == 2 * all[time * COUNT + i]);
	}
	CHECK(!cudaGraphExecDestroy(exec) && !cudaGraphDestroy(graph));
	OK(curandDestroyGenerator(g));
	OK(curandDestroyGenerator(h));
	CHECK(!cudaStreamDestroy(stream));
	return 0;
}

static int wrong()
{
	curandGenerator_t g = nullptr, x = made(CURAND_RNG_PSEUDO_XORWOW, false);
	unsigned long long bits[2];
	int version = 0;

	OK(curandGetVersion(&version));
	CHECK(version == CURAND_VERSION);
	CHECK(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32) == CURAND_STATUS_TYPE_ERROR);
	CHECK(curandCreateGenerator(&g, CURAND_RNG_TEST) == CURAND_STATUS_TYPE_ERROR);
	CHECK(curandGenerate(nullptr, nullptr, 1) == CURAND_STATUS_NOT_INITIALIZED);
	CHECK(curandGenerateNormal(x, room, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
	CHECK(curandGenerateLongLong(x, bits, 2) == CURAND_STATUS_TYPE_ERROR);
	CHECK(curandGeneratePoisson(x, (unsigned *)room, 2, 0) == CURAND_STATUS_OUT_OF_RANGE);
	CHECK(curandSetGeneratorOrdering(x, CURAND_ORDERING_QUASI_DEFAULT) ==
		CURAND_STATUS_OUT_OF_RANGE);
	CHECK(curandSetQuasiRandomGeneratorDimensions(x, 2) == CURAND_STATUS_TYPE_ERROR);
	/* Nowhere, and beyond the end of what is there. */
	CHECK(curandGenerateUniform(x, nullptr, 2) == CURAND_STATUS_LAUNCH_FAILURE);
	float *few;
	CHECK(!cudaMalloc(&few, 16));
	CHECK(curandGenerateUniform(x, few, 1u << 20) == CURAND_STATUS_LAUNCH_FAILURE);
	cudaGetLastError();
	OK(curandDestroyGenerator(x));
	return 0;
}

int main()
{
	if (cudaMallocManaged(&room, N * sizeof(double)))
		return 2;
	if (printed(true) || printed(false) || mersenne() ||
		order<curandState>(CURAND_RNG_PSEUDO_XORWOW, 4096, 1) ||
		order<curandStateMRG32k3a>(CURAND_RNG_PSEUDO_MRG32K3A, 4096, 1) ||
		order<curandStatePhilox4_32_10_t>(CURAND_RNG_PSEUDO_PHILOX4_32_10, 65536, 4))
		return 1;
	for (auto type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
		     CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_PHILOX4_32_10,
		     CURAND_RNG_QUASI_SCRAMBLED_SOBOL64})
		if (spread(type))
			return 1;
	if (sobol(CURAND_RNG_QUASI_SOBOL32, false) || sobol(CURAND_RNG_QUASI_SOBOL64, false) ||
		sobol(CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, true) ||
		sobol(CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, true) || inverse() || vectors() ||
		streams() || wrong())
		return 1;
	puts("PASSED");
}
