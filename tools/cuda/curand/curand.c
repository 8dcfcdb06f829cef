/*
 * libcurand: cuRAND's functions of the host over whichever CUDA runtime the program has, by the
 * runtime's own functions, so that numbers come in the order of the generator's stream, into a
 * graph where the stream is captured, and into the record like any copy. curand.h says which
 * numbers.
 */
#include "tools/cuda/curand/numbers.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program that has numbers in the host's memory alone may have no runtime. */
#pragma weak cudaLaunchHostFunc
#pragma weak cudaMemcpyAsync
#pragma weak cudaStreamIsCapturing
#pragma weak cudaStreamSynchronize

enum { PIECE = 1 << 16 }; /* numbers that are made and copied at a time */

/* A request for device memory. One of a captured stream is kept: its graph makes numbers again. */
struct job {
	struct job *next;
	struct curandGenerator_st *generator;
	struct request request;
	size_t piece;
	void *numbers; /* room for a piece of them */
};

struct curandGenerator_st {
	struct numbers numbers;
	bool host;
	cudaStream_t stream;
	struct job *kept;
};

static curandStatus_t create(curandGenerator_t *to, curandRngType_t type, bool host)
{
	curandRngType_t known;

	switch (type) {
	case CURAND_RNG_PSEUDO_DEFAULT:
		known = CURAND_RNG_PSEUDO_XORWOW;
		break;
	case CURAND_RNG_QUASI_DEFAULT:
		known = CURAND_RNG_QUASI_SOBOL32;
		break;
	case CURAND_RNG_PSEUDO_XORWOW:
	case CURAND_RNG_PSEUDO_MRG32K3A:
	case CURAND_RNG_PSEUDO_MT19937:
	case CURAND_RNG_PSEUDO_PHILOX4_32_10:
	case CURAND_RNG_QUASI_SOBOL32:
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
	case CURAND_RNG_QUASI_SOBOL64:
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
		known = type;
		break;
	case CURAND_RNG_PSEUDO_MTGP32:
		fprintf(stderr, "warptrace: cuRAND's generator MTGP32 is not there; MT19937 is\n");
		return CURAND_STATUS_TYPE_ERROR;
	default:
		return CURAND_STATUS_TYPE_ERROR;
	}
	struct curandGenerator_st *g = to ? calloc(1, sizeof(*g)) : NULL;
	if (!g)
		return to ? CURAND_STATUS_ALLOCATION_FAILED : CURAND_STATUS_INITIALIZATION_FAILED;
	g->host = host;
	g->numbers.type = known;
	g->numbers.dimensions = 1;
	g->numbers.order = numbers_quasi(&g->numbers) ? CURAND_ORDERING_QUASI_DEFAULT
						      : CURAND_ORDERING_PSEUDO_DEFAULT;
	/* The default seed of its authors. */
	g->numbers.seed = known == CURAND_RNG_PSEUDO_MT19937 ? 5489 : 0;
	*to = g;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
	if (!cudaLaunchHostFunc)
		return CURAND_STATUS_INITIALIZATION_FAILED;
	return create(generator, type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
	return create(generator, type, true);
}

static void free_job(struct job *j)
{
	free(j->request.poisson);
	free(j->numbers);
	free(j);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t g)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	while (g->kept) {
		struct job *next = g->kept->next;
		free_job(g->kept);
		g->kept = next;
	}
	numbers_free(&g->numbers);
	free(g);
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int *version)
{
	if (!version)
		return CURAND_STATUS_OUT_OF_RANGE;
	*version = CURAND_VERSION;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
	if (!value || type > PATCH_LEVEL)
		return CURAND_STATUS_OUT_OF_RANGE;
	*value = type == MAJOR_VERSION   ? CURAND_VER_MAJOR
		 : type == MINOR_VERSION ? CURAND_VER_MINOR
					 : CURAND_VER_PATCH;
	return CURAND_STATUS_SUCCESS;
}

/* ---- options ---- */

curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	g->stream = stream;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (numbers_quasi(&g->numbers))
		return CURAND_STATUS_TYPE_ERROR;
	g->numbers.seed = seed;
	g->numbers.ready = false;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (g->numbers.type == CURAND_RNG_PSEUDO_MT19937)
		return CURAND_STATUS_TYPE_ERROR;
	g->numbers.offset = offset;
	g->numbers.ready = false;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	const bool quasi = order == CURAND_ORDERING_QUASI_DEFAULT;
	if ((!quasi && (order < CURAND_ORDERING_PSEUDO_BEST ||
			       order > CURAND_ORDERING_PSEUDO_DYNAMIC)) ||
		quasi != numbers_quasi(&g->numbers) ||
		(order == CURAND_ORDERING_PSEUDO_SEEDED &&
			g->numbers.type != CURAND_RNG_PSEUDO_XORWOW))
		return CURAND_STATUS_OUT_OF_RANGE;
	g->numbers.order = order;
	g->numbers.ready = false;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned int dimensions)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (!numbers_quasi(&g->numbers))
		return CURAND_STATUS_TYPE_ERROR;
	if (!dimensions || dimensions > CURAND_WT_DIMENSIONS) {
		if (dimensions > CURAND_WT_DIMENSIONS)
			fprintf(stderr,
				"warptrace: cuRAND's Sobol' numbers have up to %u dimensions here, "
				"and %u are asked for\n",
				CURAND_WT_DIMENSIONS, dimensions);
		return CURAND_STATUS_OUT_OF_RANGE;
	}
	g->numbers.dimensions = dimensions;
	g->numbers.ready = false;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t g)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	return numbers_ready(&g->numbers) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

/* ---- numbers ---- */

static curandStatus_t check(const struct numbers *g, const struct request *r)
{
	const bool normal = r->what >= NORMAL && r->what <= LOG_NORMAL_64;

	if ((r->what == BITS && numbers_64(g)) || (r->what == BITS_64 && !numbers_64(g)))
		return CURAND_STATUS_TYPE_ERROR;
	if (numbers_quasi(g) && r->n % g->dimensions)
		return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
	if (normal && numbers_pairs(g) && r->n % 2)
		return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
	return CURAND_STATUS_SUCCESS;
}

/* The next piece of a job: what the stream calls when it is its turn. */
static void make(void *of)
{
	struct job *j = of;

	if (j->request.done == j->request.n)
		j->request.done = 0;
	const size_t left = j->request.n - j->request.done;
	numbers_fill(
		&j->generator->numbers, &j->request, j->numbers, left < j->piece ? left : j->piece);
}

/* Of a device: pieces that are made and copied in turn; all of it at once where a graph repeats it.
 */
static curandStatus_t generate_there(struct curandGenerator_st *g, struct request r, void *to)
{
	enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
	const size_t bytes = numbers_bytes(r.what);
	cudaError_t e = cudaStreamIsCapturing(g->stream, &capture);
	struct job *j = e ? NULL : calloc(1, sizeof(*j));

	if (e) {
		free(r.poisson);
		return CURAND_STATUS_PREEXISTING_FAILURE;
	}
	const bool captured = capture == cudaStreamCaptureStatusActive;
	const size_t piece = captured || r.n < PIECE ? r.n : PIECE;
	void *numbers = j ? calloc(piece, bytes) : NULL;
	if (!numbers) {
		free(r.poisson);
		free(j);
		return CURAND_STATUS_ALLOCATION_FAILED;
	}
	*j = (struct job){.generator = g, .request = r, .piece = piece, .numbers = numbers};
	for (size_t i = 0; i < r.n && !e; i += piece) {
		const size_t n = r.n - i < piece ? r.n - i : piece;
		e = cudaLaunchHostFunc(g->stream, make, j);
		if (!e)
			e = cudaMemcpyAsync((char *)to + i * bytes, numbers, n * bytes,
				cudaMemcpyHostToDevice, g->stream);
	}
	if (captured) {
		j->next = g->kept;
		g->kept = j;
	} else {
		/* The runtime has done all of it by now, if it is ours, and else waits here. */
		cudaStreamSynchronize(g->stream);
		free_job(j);
	}
	return e ? CURAND_STATUS_LAUNCH_FAILURE : CURAND_STATUS_SUCCESS;
}

static curandStatus_t generate(curandGenerator_t g, enum distribution what, void *to, size_t n,
	double mean, double deviation)
{
	struct request r = {.what = what, .n = n, .mean = mean, .deviation = deviation};

	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (what == POISSON && !(mean > 0 && mean <= 400000))
		return CURAND_STATUS_OUT_OF_RANGE;
	const curandStatus_t status = check(&g->numbers, &r);
	if (status || !n)
		return status;
	if (!numbers_ready(&g->numbers) || (what == POISSON && !numbers_poisson(&r, mean)))
		return CURAND_STATUS_ALLOCATION_FAILED;
	if (!g->host)
		return generate_there(g, r, to);
	if (to)
		numbers_fill(&g->numbers, &r, to, n);
	free(r.poisson);
	return to ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

curandStatus_t curandGenerate(curandGenerator_t g, unsigned int *to, size_t n)
{
	return generate(g, BITS, to, n, 0, 0);
}

curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *to, size_t n)
{
	return generate(g, BITS_64, to, n, 0, 0);
}

curandStatus_t curandGenerateUniform(curandGenerator_t g, float *to, size_t n)
{
	return generate(g, UNIFORM, to, n, 0, 0);
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *to, size_t n)
{
	return generate(g, UNIFORM_64, to, n, 0, 0);
}

curandStatus_t curandGenerateNormal(
	curandGenerator_t g, float *to, size_t n, float mean, float deviation)
{
	return generate(g, NORMAL, to, n, mean, deviation);
}

curandStatus_t curandGenerateNormalDouble(
	curandGenerator_t g, double *to, size_t n, double mean, double deviation)
{
	return generate(g, NORMAL_64, to, n, mean, deviation);
}

curandStatus_t curandGenerateLogNormal(
	curandGenerator_t g, float *to, size_t n, float mean, float deviation)
{
	return generate(g, LOG_NORMAL, to, n, mean, deviation);
}

curandStatus_t curandGenerateLogNormalDouble(
	curandGenerator_t g, double *to, size_t n, double mean, double deviation)
{
	return generate(g, LOG_NORMAL_64, to, n, mean, deviation);
}

curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned int *to, size_t n, double lambda)
{
	return generate(g, POISSON, to, n, lambda, 0);
}

/* ---- direction vectors ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned vectors_32[2][CURAND_WT_DIMENSIONS][32], constants_32[CURAND_WT_DIMENSIONS];
static unsigned long long vectors_64[2][CURAND_WT_DIMENSIONS][64],
	constants_64[CURAND_WT_DIMENSIONS];

static void make_vectors(void)
{
	numbers_vectors_32(vectors_32[0], NULL);
	numbers_vectors_32(vectors_32[1], constants_32);
	numbers_vectors_64(vectors_64[0], NULL);
	numbers_vectors_64(vectors_64[1], constants_64);
}

curandStatus_t curandGetDirectionVectors32(
	curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set)
{
	if (!vectors || (set != CURAND_DIRECTION_VECTORS_32_JOEKUO6 &&
				set != CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6))
		return CURAND_STATUS_OUT_OF_RANGE;
	pthread_once(&once, make_vectors);
	*vectors = vectors_32[set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6];
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetDirectionVectors64(
	curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set)
{
	if (!vectors || (set != CURAND_DIRECTION_VECTORS_64_JOEKUO6 &&
				set != CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6))
		return CURAND_STATUS_OUT_OF_RANGE;
	pthread_once(&once, make_vectors);
	*vectors = vectors_64[set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6];
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetScrambleConstants32(unsigned int **constants)
{
	if (!constants)
		return CURAND_STATUS_OUT_OF_RANGE;
	pthread_once(&once, make_vectors);
	*constants = constants_32;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetScrambleConstants64(unsigned long long **constants)
{
	if (!constants)
		return CURAND_STATUS_OUT_OF_RANGE;
	pthread_once(&once, make_vectors);
	*constants = constants_64;
	return CURAND_STATUS_SUCCESS;
}
