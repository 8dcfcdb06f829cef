/*
 * Speckle-reducing anisotropic diffusion, after Rodinia's srad_v2: 16 x 16 pixels a block, one
 * thread a pixel. The first kernel takes the derivatives and the diffusion coefficient, the second
 * diffuses. A block keeps its tile and the four rows and columns around it in shared memory, and
 * picks a neighbour by where in the tile the pixel lies. As in the original, blocks at the image's
 * edge first read past it, and then again within: the arrays have a row to spare at either end. The
 * clamp of the coefficient at 1 is a select, as any compiler for these machines makes it.
 */
#include "cuda.h"

#define B 16

extern "C" __global__ void srad_coefficient(float *de, float *dw, float *dn, float *ds,
	const float *image, float *coefficient, int cols, float q0)
{
	__shared__ float tile[B][B], result[B][B];
	__shared__ float north[B][B], south[B][B], east[B][B], west[B][B];
	int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
	int corner = cols * B * by + B * bx;
	int index = corner + cols * ty + tx;
	float n, s, w, e;

	north[ty][tx] = image[corner + tx - cols];
	south[ty][tx] = image[corner + cols * B + tx];
	if (by == 0)
		north[ty][tx] = image[corner + tx];
	else if (by == gridDim.y - 1)
		south[ty][tx] = image[corner + cols * (B - 1) + tx];
	__syncthreads();
	west[ty][tx] = image[corner + cols * ty - 1];
	east[ty][tx] = image[corner + cols * ty + B];
	if (bx == 0)
		west[ty][tx] = image[corner + cols * ty];
	else if (bx == gridDim.x - 1)
		east[ty][tx] = image[corner + cols * ty + B - 1];
	__syncthreads();
	tile[ty][tx] = image[index];
	__syncthreads();

	float j = tile[ty][tx];
	if (ty == 0 && tx == 0) {
		n = north[ty][tx] - j;
		s = tile[ty + 1][tx] - j;
		w = west[ty][tx] - j;
		e = tile[ty][tx + 1] - j;
	} else if (ty == 0 && tx == B - 1) {
		n = north[ty][tx] - j;
		s = tile[ty + 1][tx] - j;
		w = tile[ty][tx - 1] - j;
		e = east[ty][tx] - j;
	} else if (ty == B - 1 && tx == B - 1) {
		n = tile[ty - 1][tx] - j;
		s = south[ty][tx] - j;
		w = tile[ty][tx - 1] - j;
		e = east[ty][tx] - j;
	} else if (ty == B - 1 && tx == 0) {
		n = tile[ty - 1][tx] - j;
		s = south[ty][tx] - j;
		w = west[ty][tx] - j;
		e = tile[ty][tx + 1] - j;
	} else if (ty == 0) {
		n = north[ty][tx] - j;
		s = tile[ty + 1][tx] - j;
		w = tile[ty][tx - 1] - j;
		e = tile[ty][tx + 1] - j;
	} else if (tx == B - 1) {
		n = tile[ty - 1][tx] - j;
		s = tile[ty + 1][tx] - j;
		w = tile[ty][tx - 1] - j;
		e = east[ty][tx] - j;
	} else if (ty == B - 1) {
		n = tile[ty - 1][tx] - j;
		s = south[ty][tx] - j;
		w = tile[ty][tx - 1] - j;
		e = tile[ty][tx + 1] - j;
	} else if (tx == 0) {
		n = tile[ty - 1][tx] - j;
		s = tile[ty + 1][tx] - j;
		w = west[ty][tx] - j;
		e = tile[ty][tx + 1] - j;
	} else {
		n = tile[ty - 1][tx] - j;
		s = tile[ty + 1][tx] - j;
		w = tile[ty][tx - 1] - j;
		e = tile[ty][tx + 1] - j;
	}

	float gradient = (n * n + s * s + w * w + e * e) / (j * j);
	float laplacian = (n + s + w + e) / j;
	float num = 0.5f * gradient - 0.0625f * (laplacian * laplacian);
	float den = 1.0f + 0.25f * laplacian;
	float q = num / (den * den);
	float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));

	if (c < 0.0f)
		result[ty][tx] = 0.0f;
	else if (c > 1.0f)
		result[ty][tx] = 1.0f;
	else
		result[ty][tx] = c;
	__syncthreads();
	coefficient[index] = result[ty][tx];
	de[index] = e;
	dw[index] = w;
	dn[index] = n;
	ds[index] = s;
}

extern "C" __global__ void srad_diffuse(const float *de, const float *dw, const float *dn,
	const float *ds, float *image, const float *coefficient, int cols, float lambda)
{
	__shared__ float south[B][B], east[B][B], c[B][B], tile[B][B], result[B][B];
	int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
	int corner = cols * B * by + B * bx;
	int index = corner + cols * ty + tx;
	float cs, ce;

	tile[ty][tx] = image[index];
	__syncthreads();
	south[ty][tx] = coefficient[corner + cols * B + tx];
	if (by == gridDim.y - 1)
		south[ty][tx] = coefficient[corner + cols * (B - 1) + tx];
	__syncthreads();
	east[ty][tx] = coefficient[corner + cols * ty + B];
	if (bx == gridDim.x - 1)
		east[ty][tx] = coefficient[corner + cols * ty + B - 1];
	__syncthreads();
	c[ty][tx] = coefficient[index];
	__syncthreads();

	float cc = c[ty][tx];
	if (tx == B - 1 && ty == B - 1) {
		cs = south[ty][tx];
		ce = east[ty][tx];
	} else if (tx == B - 1) {
		cs = c[ty + 1][tx];
		ce = east[ty][tx];
	} else if (ty == B - 1) {
		cs = south[ty][tx];
		ce = c[ty][tx + 1];
	} else {
		cs = c[ty + 1][tx];
		ce = c[ty][tx + 1];
	}
	float divergence = cc * dn[index] + cs * ds[index] + cc * dw[index] + ce * de[index];
	result[ty][tx] = tile[ty][tx] + 0.25f * lambda * divergence;
	__syncthreads();
	image[index] = result[ty][tx];
}
