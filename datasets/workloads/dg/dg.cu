/*
 * Maxwell's equations by nodal discontinuous Galerkin, after Warburton's gpuDG (MIDG) in Bakhoda's
 * benchmarks: a block is a tetrahedron, a thread a node. One kernel takes the fields' derivatives
 * within the element, one the fluxes through its faces, which are kept in shared memory and lifted
 * to its nodes, and one makes the Runge-Kutta step. What the original reads through textures goes
 * through the read-only cache, and its multiply-adds are single instructions.
 *
 * Fields: Hx Hy Hz Ex Ey Ez, each `padded` floats of an element, of which `nodes` are used.
 */
#include "cuda.h"

#define FIELDS 6
#define PADDED_MAX 96 /* 84 nodes: order 6 */
#define FACES_MAX 112 /* four of 28 nodes */

#define EACH_FIELD(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)

/* d[m][n]: of node m on the derivatives by r, s, t at node n. geometry: of r by x, y, z, ... */
extern "C" __global__ void dg_volume(const float *q, const float4 *d, const float *geometry,
	float *rhs, int nodes, int padded)
{
	__shared__ float field[FIELDS * PADDED_MAX], factor[12];
	int n = threadIdx.x, k = blockIdx.x;

#define READ(f) field[n + f * PADDED_MAX] = __ldg(&q[(k * FIELDS + f) * padded + n]);
	EACH_FIELD(READ)
	if (nodes < 12 && n == 0)
		for (int i = 0; i < 12; i++)
			factor[i] = __ldg(&geometry[12 * k + i]);
	else if (n < 12 && nodes >= 12)
		factor[n] = __ldg(&geometry[12 * k + n]);
	__syncthreads();

#define ZERO(f) float r##f = 0, s##f = 0, t##f = 0;
	EACH_FIELD(ZERO)
	for (int m = 0; m < nodes; m++) {
		float4 by = __ldg(&d[n + m * padded]);
		float value;
#define ADD(f)                                                                                     \
	value = field[m + f * PADDED_MAX];                                                         \
	r##f = __fmaf_rn(by.x, value, r##f);                                                       \
	s##f = __fmaf_rn(by.y, value, s##f);                                                       \
	t##f = __fmaf_rn(by.z, value, t##f);
		EACH_FIELD(ADD)
	}

	float rx = factor[0], ry = factor[1], rz = factor[2];
	float sx = factor[4], sy = factor[5], sz = factor[6];
	float tx = factor[8], ty = factor[9], tz = factor[10];
	int at = n + FIELDS * padded * k;
/* The derivative of a field by x, y or z. */
#define D(f, x) (r##x * r##f + s##x * s##f + t##x * t##f)
	rhs[at] = -(D(5, y) - D(4, z));
	rhs[at + padded] = -(D(3, z) - D(5, x));
	rhs[at + 2 * padded] = -(D(4, x) - D(3, y));
	rhs[at + 3 * padded] = D(2, y) - D(1, z);
	rhs[at + 4 * padded] = D(0, z) - D(2, x);
	rhs[at + 5 * padded] = D(1, x) - D(0, y);
}

/*
 * surface: seven rows of `ends` floats an element: where a face's node lies, where its neighbour's
 * (below 0: with another process, -1 - its number), half the face's scale, the sign of the
 * neighbour's E, and the normal. lift: by four nodes of faces, of a node.
 */
extern "C" __global__ void dg_surface(const float *q, const float *remote, const float *surface,
	const float4 *lift, float *rhs, int nodes, int padded, int ends)
{
	__shared__ float flux[FIELDS * FACES_MAX];
	int n = threadIdx.x, k = blockIdx.x;

	if (n < ends) {
		const float *info = surface + 7 * k * ends + n;
		int mine = (int)__ldg(info), other = (int)__ldg(info + ends);
		float scale = __ldg(info + 2 * ends), sign = __ldg(info + 3 * ends);
		float nx = __ldg(info + 4 * ends), ny = __ldg(info + 5 * ends);
		float nz = __ldg(info + 6 * ends);
		double hx, hy, hz, ex, ey, ez;

#define MINE(f) __ldg(&q[mine + f * padded])
		if (other < 0) {
			other = FIELDS * (-1 - other);
#define REMOTE(f) (scale * (__ldg(&remote[other + f]) - MINE(f)))
			hx = REMOTE(0);
			hy = REMOTE(1);
			hz = REMOTE(2);
			ex = REMOTE(3);
			ey = REMOTE(4);
			ez = REMOTE(5);
		} else {
#define NEAR(f, sign) (scale * (sign __ldg(&q[other + f * padded]) - MINE(f)))
			hx = NEAR(0, );
			hy = NEAR(1, );
			hz = NEAR(2, );
			ex = NEAR(3, sign *);
			ey = NEAR(4, sign *);
			ez = NEAR(5, sign *);
		}
		double nh = nx * hx + ny * hy + nz * hz, ne = nx * ex + ny * ey + nz * ez;

		flux[n] = -ny * ez + nz * ey + hx - nh * nx;
		flux[n + FACES_MAX] = -nz * ex + nx * ez + hy - nh * ny;
		flux[n + 2 * FACES_MAX] = -nx * ey + ny * ex + hz - nh * nz;
		flux[n + 3 * FACES_MAX] = ny * hz - nz * hy + ex - ne * nx;
		flux[n + 4 * FACES_MAX] = nz * hx - nx * hz + ey - ne * ny;
		flux[n + 5 * FACES_MAX] = nx * hy - ny * hx + ez - ne * nz;
	}
	__syncthreads();

	if (n < nodes) {
#define NONE(f) float sum##f = 0;
		EACH_FIELD(NONE)
		for (int m = 0, i = n; m < ends; m += 4, i += nodes) {
			float4 by = __ldg(&lift[i]);
#define LIFT(f)                                                                                    \
	sum##f = __fmaf_rn(by.x, flux[m + f * FACES_MAX], sum##f);                                 \
	sum##f = __fmaf_rn(by.y, flux[m + 1 + f * FACES_MAX], sum##f);                             \
	sum##f = __fmaf_rn(by.z, flux[m + 2 + f * FACES_MAX], sum##f);                             \
	sum##f = __fmaf_rn(by.w, flux[m + 3 + f * FACES_MAX], sum##f);
			EACH_FIELD(LIFT)
		}
		int at = n + FIELDS * padded * k;
#define STORE(f) rhs[at + f * padded] += sum##f;
		EACH_FIELD(STORE)
	}
}

extern "C" __global__ void dg_step(
	int n, float *residual, const float *rhs, float *q, float a, float b, float dt)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		float r = a * residual[i] + dt * rhs[i];

		residual[i] = r;
		q[i] += b * r;
	}
}
