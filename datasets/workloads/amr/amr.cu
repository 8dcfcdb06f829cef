/*
 * Adaptive mesh refinement for combustion, after Kuhl's thermodynamic states: the temperature of a
 * cell gives its energy, by a polynomial. A cell that is hot enough is cut into 4 x 4 x 2 cells,
 * among which the energy is shared unevenly, and each one's temperature is found from its energy by
 * Newton's method; these are cut in their turn.
 *
 * Flat: a launch a level; a thread makes all 32 cells of one, in a loop. Dynamic (Wang et al., ISCA
 * 2015): a kernel of 32 threads makes them, a thread each, and every thread whose cell is hot
 * enough launches it once more.
 */
#include "cuda.h"

#define BLOCK 256
#define CHILD 32 /* the cells that one is cut into */

struct cell {
	unsigned name; /* 0 for the first, 32 * name + 1 + place for a part of another */
	float temperature;
};

/* What is launched with: where cells go, and how hot and deep one may be and stay whole. */
struct mesh {
	cell *cells;
	int *size;
	float limit;
	int deepest;
};

static __device__ __forceinline__ float energy(float t)
{
	return ((1.5e-9f * t - 2e-6f) * t + 0.02f) * t;
}

static __device__ __forceinline__ float slope(float t)
{
	return (4.5e-9f * t - 4e-6f) * t + 0.02f;
}

/* Even in [0, 1), the same for the same name. */
static __device__ __forceinline__ float chance(unsigned v)
{
	v ^= v >> 16;
	v *= 0x7feb352du;
	v ^= v >> 15;
	v *= 0x846ca68bu;
	v ^= v >> 16;
	return (float)(v >> 8) * (1.0f / 16777216.0f);
}

/* A part of a cell. Newton's method starts at the whole's temperature, and ends when it stands. */
static __device__ __forceinline__ cell part(unsigned name, float temperature, int place)
{
	cell c;
	c.name = 32 * name + 1 + place;
	float share = chance(c.name), want = energy(temperature) * share * share;
	float t = temperature;
	for (int i = 0; i < 20; i++) {
		float off = energy(t) - want;
		if (fabsf(off) < 0.01f)
			break;
		t = t - off / slope(t);
	}
	c.temperature = t;
	return c;
}

/* Cuts the cells first ... end - 1, which are `depth` deep, where they are hot enough. */
extern "C" __global__ void amr_level(mesh m, int first, int end, int depth)
{
	for (int i = first + blockIdx.x * BLOCK + threadIdx.x; i < end; i += gridDim.x * BLOCK) {
		cell c = m.cells[i];
		if (c.temperature < m.limit || depth >= m.deepest)
			continue;
		int to = atomicAdd(m.size, CHILD);
		for (int k = 0; k < CHILD; k++)
			m.cells[to + k] = part(c.name, c.temperature, k);
	}
}

/* ---- dynamic ---- */

struct cut_args {
	mesh m;
	cell c;
	int to, depth;
};

/* Cuts one cell, `depth` deep, and so on with its parts. */
extern "C" __global__ void amr_cut(mesh m, cell c, int to, int depth)
{
	cell mine = part(c.name, c.temperature, threadIdx.x);
	m.cells[to + threadIdx.x] = mine;
	if (mine.temperature >= m.limit && depth + 1 < m.deepest) {
		cudaStream_t stream;
		cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
		cut_args *args = (cut_args *)cudaGetParameterBufferV2(WL_KERNEL(amr_cut),
			make_dim3(1, 1, 1), make_dim3(CHILD, 1, 1), 0);
		args->m = m;
		args->c = mine;
		args->to = atomicAdd(m.size, CHILD);
		args->depth = depth + 1;
		cudaLaunchDeviceV2(args, stream);
	}
}

/* Cuts the cells that the mesh begins with. */
extern "C" __global__ void amr_level_dyn(mesh m, int end)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < end; i += gridDim.x * BLOCK) {
		cell c = m.cells[i];
		if (c.temperature < m.limit || m.deepest < 1)
			continue;
		cudaStream_t stream;
		cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
		cut_args *args = (cut_args *)cudaGetParameterBufferV2(WL_KERNEL(amr_cut),
			make_dim3(1, 1, 1), make_dim3(CHILD, 1, 1), 0);
		args->m = m;
		args->c = c;
		args->to = atomicAdd(m.size, CHILD);
		args->depth = 0;
		cudaLaunchDeviceV2(args, stream);
	}
}
