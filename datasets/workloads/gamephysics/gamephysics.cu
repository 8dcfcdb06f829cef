/*
 * A step of rigid spheres in a game: 32 bodies in reach of one another are an island, of which one
 * half moves and the other are pieces of the level, which do not and have no inverse mass. All
 * threads find which bodies of their island may touch theirs within the step (the broad phase).
 * Then the threads of the level are done and return; those of moving bodies go through rounds over
 * their contacts, eight each, in lockstep: impulses are clamped, not branched on. A round takes all
 * velocities of the one before (Jacobi).
 */
#include "cuda.h"

#define THREADS 128
#define ISLAND 32
#define CONTACTS 8
#define GRAVITY 9.8f
#define FRICTION 0.2f

/*
 * at: centre and radius; speed: velocity and 1 / mass; partner: [contact][body], the place of the
 * other within the island; near: a bit for each body that may touch this one.
 */
extern "C" __global__ void gamephysics(float4 *at, float4 *speed, const int *partner,
	unsigned *near, int nbodies, int rounds, float dt)
{
	__shared__ float4 places[THREADS], speeds[THREADS];
	int body = blockIdx.x * THREADS + threadIdx.x;
	int island = threadIdx.x & ~(ISLAND - 1), self = threadIdx.x & (ISLAND - 1);
	float4 p = at[body], v = speed[body];
	float reach = p.w + dt * sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
	unsigned touching = 0;

	places[threadIdx.x] = p;
	speeds[threadIdx.x] = v;
	__syncthreads();
	for (int j = 0; j < ISLAND; j++) {
		float4 q = places[island + j], u = speeds[island + j];
		float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
		float both = reach + q.w + dt * sqrtf(u.x * u.x + u.y * u.y + u.z * u.z);
		bool close = dx * dx + dy * dy + dz * dz < both * both;

		touching |= (close && j != self ? 1u : 0u) << j;
	}
	near[body] = touching;
	if (__float_as_int(v.w) == 0)
		return;

	v.y -= GRAVITY * dt;
	for (int round = 0; round < rounds; round++) {
		float px = 0, py = 0, pz = 0;

		__syncthreads();
		speeds[threadIdx.x] = v;
		__syncthreads();
		for (int c = 0; c < CONTACTS; c++) {
			int other = island + partner[c * nbodies + body];
			float4 q = places[other], u = speeds[other];
			float nx = p.x - q.x, ny = p.y - q.y, nz = p.z - q.z;
			float distance = sqrtf(nx * nx + ny * ny + nz * nz);
			float inverse = 1.0f / distance, gap = distance - p.w - q.w;
			float rx = v.x - u.x, ry = v.y - u.y, rz = v.z - u.z;

			nx *= inverse;
			ny *= inverse;
			nz *= inverse;

			float leaving = rx * nx + ry * ny + rz * nz;
			float share = 0.5f * v.w / (v.w + u.w);
			float push = share * fmaxf(-(leaving + gap / dt), 0.0f);
			float rub = fminf(FRICTION * push, share);

			px += push * nx - rub * (rx - leaving * nx);
			py += push * ny - rub * (ry - leaving * ny);
			pz += push * nz - rub * (rz - leaving * nz);
		}
		v.x += px;
		v.y += py;
		v.z += pz;
	}
	speed[body] = v;
	at[body] = make_float4(p.x + dt * v.x, p.y + dt * v.y, p.z + dt * v.z, p.w);
}
