/*
 * One step of an unstructured-grid finite-volume solver of the Euler equations, after Rodinia's
 * euler3d (Corrigan and others, AIAA 2009): one element a thread, neighbours by index, variables
 * kept apart, [variable][element].
 */
#include "cuda.h"

#define NNB 4
#define NVAR 5
#define DENSITY 0
#define MOMENTUM 1
#define ENERGY 4
#define GAMMA 1.4f
#define SMOOTHING 0.2f
#define WING -1
#define FAR_FIELD -2

struct vec {
	float x, y, z;
};

struct state {
	float density, energy;
	vec momentum;
};

/* What a state carries across a face: a row for each component of momentum, and one for energy. */
struct flux {
	vec x, y, z, energy;
};

__constant__ state far_state;
__constant__ flux far_flux;

static __device__ __forceinline__ state load_state(const float *variables, int i, int n)
{
	state s;

	s.density = variables[i + DENSITY * n];
	s.momentum.x = variables[i + (MOMENTUM + 0) * n];
	s.momentum.y = variables[i + (MOMENTUM + 1) * n];
	s.momentum.z = variables[i + (MOMENTUM + 2) * n];
	s.energy = variables[i + ENERGY * n];
	return s;
}

static __device__ __forceinline__ vec velocity_of(const state &s)
{
	vec v;

	v.x = s.momentum.x / s.density;
	v.y = s.momentum.y / s.density;
	v.z = s.momentum.z / s.density;
	return v;
}

static __device__ __forceinline__ float square(const vec &v)
{
	return v.x * v.x + v.y * v.y + v.z * v.z;
}

static __device__ __forceinline__ float pressure_of(const state &s, float speed_squared)
{
	return (GAMMA - 1.0f) * (s.energy - 0.5f * s.density * speed_squared);
}

static __device__ __forceinline__ float sound_of(const state &s, float pressure)
{
	return sqrtf(GAMMA * pressure / s.density);
}

static __device__ __forceinline__ flux flux_of(const state &s, const vec &v, float pressure)
{
	float carried = s.energy + pressure;
	flux f;

	f.x.x = v.x * s.momentum.x + pressure;
	f.x.y = v.x * s.momentum.y;
	f.x.z = v.x * s.momentum.z;
	f.y.x = f.x.y;
	f.y.y = v.y * s.momentum.y + pressure;
	f.y.z = v.y * s.momentum.z;
	f.z.x = f.x.z;
	f.z.y = f.y.z;
	f.z.z = v.z * s.momentum.z + pressure;
	f.energy.x = v.x * carried;
	f.energy.y = v.y * carried;
	f.energy.z = v.z * carried;
	return f;
}

/* Adds half of what both sides carry through a face, one direction after the other. */
static __device__ __forceinline__ void add_face(state &sum, const vec &normal, const state &a,
	const flux &fa, const state &b, const flux &fb)
{
	float half = 0.5f * normal.x;

	sum.density += half * (a.momentum.x + b.momentum.x);
	sum.energy += half * (fa.energy.x + fb.energy.x);
	sum.momentum.x += half * (fa.x.x + fb.x.x);
	sum.momentum.y += half * (fa.y.x + fb.y.x);
	sum.momentum.z += half * (fa.z.x + fb.z.x);
	half = 0.5f * normal.y;
	sum.density += half * (a.momentum.y + b.momentum.y);
	sum.energy += half * (fa.energy.y + fb.energy.y);
	sum.momentum.x += half * (fa.x.y + fb.x.y);
	sum.momentum.y += half * (fa.y.y + fb.y.y);
	sum.momentum.z += half * (fa.z.y + fb.z.y);
	half = 0.5f * normal.z;
	sum.density += half * (a.momentum.z + b.momentum.z);
	sum.energy += half * (fa.energy.z + fb.energy.z);
	sum.momentum.x += half * (fa.x.z + fb.x.z);
	sum.momentum.y += half * (fa.y.z + fb.y.z);
	sum.momentum.z += half * (fa.z.z + fb.z.z);
}

/* The longest local time step that is stable. */
extern "C" __global__ void cfd_step_factor(
	const float *variables, const float *areas, float *step_factors, int n)
{
	int i = blockDim.x * blockIdx.x + threadIdx.x;
	state s = load_state(variables, i, n);
	float speed_squared = square(velocity_of(s));
	float sound = sound_of(s, pressure_of(s, speed_squared));

	step_factors[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(speed_squared) + sound));
}

extern "C" __global__ void cfd_flux(
	const int *neighbours, const float *normals, const float *variables, float *fluxes, int n)
{
	int i = blockDim.x * blockIdx.x + threadIdx.x;
	state own = load_state(variables, i, n);
	vec velocity = velocity_of(own);
	float speed_squared = square(velocity), speed = sqrtf(speed_squared);
	float pressure = pressure_of(own, speed_squared), sound = sound_of(own, pressure);
	flux carried = flux_of(own, velocity, pressure);
	state sum = {0, 0, {0, 0, 0}};

	for (int j = 0; j < NNB; j++) {
		int other = neighbours[i + j * n];
		vec normal;

		normal.x = normals[i + (j + 0 * NNB) * n];
		normal.y = normals[i + (j + 1 * NNB) * n];
		normal.z = normals[i + (j + 2 * NNB) * n];
		if (other >= 0) {
			state nb = load_state(variables, other, n);
			vec v = velocity_of(nb);
			float nb_squared = square(v), nb_pressure = pressure_of(nb, nb_squared);
			float damping =
				-sqrtf(square(normal)) * SMOOTHING * 0.5f *
				(speed + sqrtf(nb_squared) + sound + sound_of(nb, nb_pressure));

			sum.density += damping * (own.density - nb.density);
			sum.energy += damping * (own.energy - nb.energy);
			sum.momentum.x += damping * (own.momentum.x - nb.momentum.x);
			sum.momentum.y += damping * (own.momentum.y - nb.momentum.y);
			sum.momentum.z += damping * (own.momentum.z - nb.momentum.z);
			add_face(sum, normal, nb, flux_of(nb, v, nb_pressure), own, carried);
		} else if (other == WING) {
			sum.momentum.x += normal.x * pressure;
			sum.momentum.y += normal.y * pressure;
			sum.momentum.z += normal.z * pressure;
		} else if (other == FAR_FIELD) {
			add_face(sum, normal, far_state, far_flux, own, carried);
		}
	}
	fluxes[i + DENSITY * n] = sum.density;
	fluxes[i + (MOMENTUM + 0) * n] = sum.momentum.x;
	fluxes[i + (MOMENTUM + 1) * n] = sum.momentum.y;
	fluxes[i + (MOMENTUM + 2) * n] = sum.momentum.z;
	fluxes[i + ENERGY * n] = sum.energy;
}

/* Stage j of `stages` of a Runge-Kutta step. */
extern "C" __global__ void cfd_time_step(int j, int stages, const float *old_variables,
	float *variables, const float *step_factors, const float *fluxes, int n)
{
	int i = blockDim.x * blockIdx.x + threadIdx.x;
	float factor = step_factors[i] / (float)(stages - j);

	for (int v = 0; v < NVAR; v++)
		variables[i + v * n] = old_variables[i + v * n] + factor * fluxes[i + v * n];
}
