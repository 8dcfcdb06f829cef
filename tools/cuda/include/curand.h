/*
 * cuRAND's functions of the host: random numbers in the device's memory, in the order of a stream, or
 * in the host's. They are in lib64/libcurand.so (-lcurand).
 *
 * Which numbers: XORWOW and MRG32k3a give those of cuRAND for the same seed, in its documented order
 * over 4096 subsequences: the n-th comes from place n / 4096 of subsequence n % 4096, and so the n-th
 * pair of normal numbers. Philox4x32-10 gives four words in a row from each of 65536 subsequences.
 * Sobol' numbers are by Joe and Kuo's direction numbers for up to CURAND_WT_DIMENSIONS dimensions, in
 * the order of the Gray code. By what NVIDIA publishes of it these equal cuRAND's.
 *
 * Ours, since NVIDIA does not say: the order SEEDED, doubles of Philox, and what one call leaves of a
 * pair or a subsequence for the next; the scrambling of Sobol' numbers; Poisson numbers, which are the
 * inverse of the distribution; MT19937, which is the one published sequence of its seed (Matsumoto and
 * Nishimura, Mersenne twister, 1998), while cuRAND takes numbers from several in turn.
 *
 * Not there: MTGP32 (CURAND_STATUS_TYPE_ERROR), discrete distributions for kernels.
 */
#ifndef CURAND_H_
#define CURAND_H_

#include "cuda_runtime_api.h"
#include "library_types.h"

#define CURAND_VER_MAJOR 10
#define CURAND_VER_MINOR 3
#define CURAND_VER_PATCH 0
#define CURAND_VER_BUILD 86
#define CURAND_VERSION 10300
#define CURANDAPI
#define CURAND_WT_DIMENSIONS 256

typedef enum curandStatus {
	CURAND_STATUS_SUCCESS = 0,
	CURAND_STATUS_VERSION_MISMATCH = 100,
	CURAND_STATUS_NOT_INITIALIZED = 101,
	CURAND_STATUS_ALLOCATION_FAILED = 102,
	CURAND_STATUS_TYPE_ERROR = 103,
	CURAND_STATUS_OUT_OF_RANGE = 104,
	CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
	CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
	CURAND_STATUS_LAUNCH_FAILURE = 201,
	CURAND_STATUS_PREEXISTING_FAILURE = 202,
	CURAND_STATUS_INITIALIZATION_FAILED = 203,
	CURAND_STATUS_ARCH_MISMATCH = 204,
	CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;
typedef curandStatus_t curandStatus;

typedef enum curandRngType {
	CURAND_RNG_TEST = 0,
	CURAND_RNG_PSEUDO_DEFAULT = 100,
	CURAND_RNG_PSEUDO_XORWOW = 101,
	CURAND_RNG_PSEUDO_MRG32K3A = 121,
	CURAND_RNG_PSEUDO_MTGP32 = 141,
	CURAND_RNG_PSEUDO_MT19937 = 142,
	CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
	CURAND_RNG_QUASI_DEFAULT = 200,
	CURAND_RNG_QUASI_SOBOL32 = 201,
	CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
	CURAND_RNG_QUASI_SOBOL64 = 203,
	CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
} curandRngType_t;
typedef curandRngType_t curandRngType;

typedef enum curandOrdering {
	CURAND_ORDERING_PSEUDO_BEST = 100,
	CURAND_ORDERING_PSEUDO_DEFAULT = 101,
	CURAND_ORDERING_PSEUDO_SEEDED = 102,
	CURAND_ORDERING_PSEUDO_LEGACY = 103,
	CURAND_ORDERING_PSEUDO_DYNAMIC = 104,
	CURAND_ORDERING_QUASI_DEFAULT = 201
} curandOrdering_t;
typedef curandOrdering_t curandOrdering;

typedef enum curandDirectionVectorSet {
	CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101,
	CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 = 102,
	CURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103,
	CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 = 104
} curandDirectionVectorSet_t;
typedef curandDirectionVectorSet_t curandDirectionVectorSet;
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

typedef struct curandGenerator_st *curandGenerator_t;

#if defined(__cplusplus)
extern "C" {
#endif

/* A device generator fills device memory in the order of its stream, a host one the host's at once. */
curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type);
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type);
curandStatus_t curandDestroyGenerator(curandGenerator_t generator);
curandStatus_t curandGetVersion(int *version);
curandStatus_t curandGetProperty(libraryPropertyType type, int *value);
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream);

/* The next number is that of the offset again, whatever was generated before. */
curandStatus_t curandSetPseudoRandomGeneratorSeed(
	curandGenerator_t generator, unsigned long long seed);
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset);
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order);
/* n / dimensions numbers of the first one, then as many of the next. */
curandStatus_t curandSetQuasiRandomGeneratorDimensions(
	curandGenerator_t generator, unsigned int dimensions);
curandStatus_t curandGenerateSeeds(curandGenerator_t generator);

/* n numbers. Uniform ones lie above 0, up to 1; normal ones of Box and Muller come in pairs. */
curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *to, size_t n);
curandStatus_t curandGenerateLongLong(
	curandGenerator_t generator, unsigned long long *to, size_t n);
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *to, size_t n);
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *to, size_t n);
curandStatus_t curandGenerateNormal(
	curandGenerator_t generator, float *to, size_t n, float mean, float deviation);
curandStatus_t curandGenerateNormalDouble(
	curandGenerator_t generator, double *to, size_t n, double mean, double deviation);
curandStatus_t curandGenerateLogNormal(
	curandGenerator_t generator, float *to, size_t n, float mean, float deviation);
curandStatus_t curandGenerateLogNormalDouble(
	curandGenerator_t generator, double *to, size_t n, double mean, double deviation);
curandStatus_t curandGeneratePoisson(
	curandGenerator_t generator, unsigned int *to, size_t n, double lambda);

/* Arrays of CURAND_WT_DIMENSIONS, which stay; each dimension's vector of bit k of the number k-th. */
curandStatus_t curandGetDirectionVectors32(
	curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set);
curandStatus_t curandGetDirectionVectors64(
	curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set);
curandStatus_t curandGetScrambleConstants32(unsigned int **constants);
curandStatus_t curandGetScrambleConstants64(unsigned long long **constants);

#if defined(__cplusplus)
}
#endif

#endif
