/*
 * Tiled deferred lighting: a block of 16 x 16 threads has a tile of as many pixels. It finds the
 * tile's nearest and farthest depth, then its threads hold one light each against the tile's
 * frustum and gather those that touch it in a list in shared memory. Each pixel goes over the list
 * and leaves out the lights that are too far, behind its surface, or do not point at it; for the
 * spotlights that are left it looks for a shadow, in steps towards the light through the picture's
 * own depths, until one is hidden. So the threads of a warp part more and more within a trip.
 */
#include "cuda.h"

#define TILE 16
#define LIGHTS_MAX 1024
#define STEPS 8
#define BIAS 0.02f
#define THICK 0.5f /* of what casts a shadow */

/* How far a point is from the plane through the eye where x, or y, is slope * z. */
static __device__ __forceinline__ float from_side(float at, float z, float slope)
{
	return (at - slope * z) / sqrtf(1.0f + slope * slope);
}

/*
 * Of a pixel: depth; normal and gloss; albedo. A light: position and radius; colour and power;
 * direction and cosine of its cone, or -1 where it shines to all sides.
 */
extern "C" __global__ void lighting(const float *depth, const float4 *normals,
	const float4 *albedo, const float4 *lights, int nlights, float4 *out, int width,
	int height, float slope_x, float slope_y)
{
	__shared__ int nearest, farthest, count;
	__shared__ int list[LIGHTS_MAX];
	int px = blockIdx.x * TILE + threadIdx.x, py = blockIdx.y * TILE + threadIdx.y;
	int thread = threadIdx.y * TILE + threadIdx.x, pixel = py * width + px;
	float step_x = 2.0f * slope_x / width, step_y = 2.0f * slope_y / height;
	float z = depth[pixel];

	if (thread == 0) {
		nearest = 0x7f7fffff;
		farthest = 0;
		count = 0;
	}
	__syncthreads();
	/* Depths are positive, hence in the order of their bits. */
	atomicMin(&nearest, __float_as_int(z));
	atomicMax(&farthest, __float_as_int(z));
	__syncthreads();

	float left = (blockIdx.x * TILE) * step_x - slope_x, right = left + TILE * step_x;
	float low = (blockIdx.y * TILE) * step_y - slope_y, high = low + TILE * step_y;
	float z_min = __int_as_float(nearest), z_max = __int_as_float(farthest);

	for (int i = thread; i < nlights; i += TILE * TILE) {
		float4 at = lights[3 * i];

		if (at.z + at.w >= z_min && at.z - at.w <= z_max &&
			from_side(at.x, at.z, left) >= -at.w &&
			from_side(at.x, at.z, right) <= at.w &&
			from_side(at.y, at.z, low) >= -at.w &&
			from_side(at.y, at.z, high) <= at.w)
			list[atomicAdd(&count, 1)] = i;
	}
	__syncthreads();

	float x = ((px + 0.5f) * step_x - slope_x) * z, y = ((py + 0.5f) * step_y - slope_y) * z;
	float to_eye = -1.0f / sqrtf(x * x + y * y + z * z);
	float4 n = normals[pixel], colour = make_float4(0, 0, 0, 0);
	int here = count, step;
	float t, at_z, u, v, over;

	for (int k = 0; k < here; k++) {
		const float4 *light = lights + 3 * list[k];
		float4 at = light[0];
		float dx = at.x - x, dy = at.y - y, dz = at.z - z;
		float r2 = dx * dx + dy * dy + dz * dz;

		if (r2 >= at.w * at.w)
			continue;

		float facing = n.x * dx + n.y * dy + n.z * dz;

		if (facing <= 0.0f)
			continue;

		float4 cone = light[2];
		float inverse = 1.0f / sqrtf(r2);
		float fade = 1.0f - r2 / (at.w * at.w);

		if (cone.w > -1.0f) {
			float cosine = -(cone.x * dx + cone.y * dy + cone.z * dz) * inverse;

			if (cosine <= cone.w)
				continue;
			fade *= (cosine - cone.w) / (1.0f - cone.w);

			for (step = 1; step < STEPS; step++) {
				t = step * (1.0f / STEPS);
				at_z = z + t * dz;
				u = ((x + t * dx) / at_z + slope_x) / step_x;
				v = ((y + t * dy) / at_z + slope_y) / step_y;
				if (u >= 0.0f && v >= 0.0f && u < width && v < height) {
					over = at_z - depth[(int)v * width + (int)u];
					if (over > BIAS && over < THICK)
						break;
				}
			}
			if (step < STEPS)
				continue;
		}

		float4 shine = light[1];
		float hx = dx * inverse + x * to_eye, hy = dy * inverse + y * to_eye;
		float hz = dz * inverse + z * to_eye;
		float half = (n.x * hx + n.y * hy + n.z * hz) / sqrtf(hx * hx + hy * hy + hz * hz);
		float gloss = exp2f(n.w * __log2f(fmaxf(half, 0.0f)));

		colour.x += shine.x * shine.w * fade * facing * inverse;
		colour.y += shine.y * shine.w * fade * facing * inverse;
		colour.z += shine.z * shine.w * fade * facing * inverse;
		colour.w += shine.w * fade * gloss;
	}

	float4 a = albedo[pixel];

	out[pixel] = make_float4(a.x * colour.x + a.w * colour.w, a.y * colour.y + a.w * colour.w,
		a.z * colour.z + a.w * colour.w, 1.0f);
}
