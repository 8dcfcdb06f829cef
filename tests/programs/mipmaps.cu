/*
 * Mipmaps: levels by number, between two of them, with a bias and bounds, of one, two and three
 * dimensions and of layers; and cube maps: each face, where on it, layers and levels of them.
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("line %d: %s\n", __LINE__, #x);                                     \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)
#define OK(call) CHECK((call) == cudaSuccess)

__global__ void plane(cudaTextureObject_t t, const float3 *at, float *out)
{
	const float3 a = at[threadIdx.x];
	out[threadIdx.x] = tex2DLod<float>(t, a.x, a.y, a.z);
}
__global__ void others(
	cudaTextureObject_t line, cudaTextureObject_t solid, cudaTextureObject_t layers, float *out)
{
	out[0] = tex1DLod<float>(line, 0.99f, 2);
	out[1] = tex3DLod<float>(solid, 0.99f, 0.1f, 0.99f, 1);
	out[2] = tex2DLayeredLod<float>(layers, 0.1f, 0.99f, 2, 1);
	out[3] = tex1D<float>(line, 0.99f); /* without a level it is the first */
}
__global__ void cube(cudaTextureObject_t t, const float3 *at, float *out)
{
	const float3 a = at[threadIdx.x];
	out[threadIdx.x] = texCubemap<float>(t, a.x, a.y, a.z);
}
__global__ void cubes(cudaTextureObject_t t, cudaTextureObject_t levels, float *out)
{
	out[0] = texCubemapLayered<float>(t, 0, -2, 0, 1);
	out[1] = texCubemapLod<float>(levels, 0, 0, -3, 1);
	texCubemapLayered(&out[2], t, 0, -2, 0, 7); /* of layers beyond the last it is the last */
}

/* What a texel of a level holds: that level, and its place. */
static float texel(int level, int x, int y, int z)
{
	return 1000 * level + 100 * z + 10 * y + x;
}

static void fill(cudaArray_t a, int level)
{
	cudaChannelFormatDesc d;
	cudaExtent e;
	unsigned flags;
	cudaMemcpy3DParms p = {};

	OK(cudaArrayGetInfo(&d, &e, &flags, a));
	const int w = e.width, h = e.height ? e.height : 1, n = e.depth ? e.depth : 1;
	std::vector<float> v;
	for (int z = 0; z < n; z++)
		for (int y = 0; y < h; y++)
			for (int x = 0; x < w; x++)
				v.push_back(texel(level, x, y, z));
	p.srcPtr = make_cudaPitchedPtr(v.data(), w * sizeof(float), w, h);
	p.dstArray = a;
	p.extent = make_cudaExtent(w, h, n);
	p.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&p));
}

static cudaMipmappedArray_t mipmap(cudaExtent e, unsigned levels, unsigned have, unsigned flags)
{
	const cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
	cudaMipmappedArray_t m;
	cudaArray_t a;

	OK(cudaMallocMipmappedArray(&m, &d, e, levels, flags));
	for (unsigned i = 0; i < have; i++) {
		OK(cudaGetMipmappedArrayLevel(&a, m, i));
		fill(a, i);
	}
	CHECK(cudaGetMipmappedArrayLevel(&a, m, have) == cudaErrorInvalidValue);
	CHECK(cudaFreeArray(a) == cudaErrorInvalidResourceHandle);
	return m;
}

static cudaTextureObject_t texture_of(cudaMipmappedArray_t m, cudaArray_t a,
	cudaTextureFilterMode between, float bias, float low, float high)
{
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};
	cudaTextureObject_t t;

	r.resType = m ? cudaResourceTypeMipmappedArray : cudaResourceTypeArray;
	if (m)
		r.res.mipmap.mipmap = m;
	else
		r.res.array.array = a;
	d.normalizedCoords = 1;
	d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
	d.mipmapFilterMode = between;
	d.mipmapLevelBias = bias;
	d.minMipmapLevelClamp = low;
	d.maxMipmapLevelClamp = high;
	OK(cudaCreateTextureObject(&t, &r, &d, NULL));
	return t;
}

int main()
{
	const cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
	const float3 places[] = {{0, 0, 0}, {0.99f, 0.99f, 0}, {0.99f, 0.99f, 1}, {0.99f, 0.3f, 2},
		{0.3f, 0.3f, 0.25f}, {0.3f, 0.3f, 2.75f}, {0.5f, 0.5f, 9}, {0.5f, 0.5f, -3}};
	float3 *at;
	float *out;
	cudaArray_t a;

	OK(cudaMallocManaged(&at, 64 * sizeof(*at)));
	OK(cudaMallocManaged(&out, 64 * sizeof(*out)));
	for (int i = 0; i < 8; i++)
		at[i] = places[i];

	/* 8 x 4, 4 x 2, 2 x 1, 1 x 1; more levels than there can be are as many as can be. */
	cudaMipmappedArray_t m = mipmap(make_cudaExtent(8, 4, 0), 99, 4, 0);
	plane<<<1, 8>>>(texture_of(m, NULL, cudaFilterModePoint, 0, 0, 99), at, out);
	OK(cudaDeviceSynchronize());
	const float nearest[] = {texel(0, 0, 0, 0), texel(0, 7, 3, 0), texel(1, 3, 1, 0),
		texel(2, 1, 0, 0), texel(0, 2, 1, 0), texel(3, 0, 0, 0), texel(3, 0, 0, 0),
		texel(0, 4, 2, 0)};
	for (int i = 0; i < 8; i++)
		CHECK(out[i] == nearest[i]);
	plane<<<1, 8>>>(texture_of(m, NULL, cudaFilterModeLinear, 0, 0, 99), at, out);
	OK(cudaDeviceSynchronize());
	CHECK(out[2] == texel(1, 3, 1, 0));
	CHECK(out[4] == 0.75f * texel(0, 2, 1, 0) + 0.25f * texel(1, 1, 0, 0));
	CHECK(out[5] == 0.25f * texel(2, 0, 0, 0) + 0.75f * texel(3, 0, 0, 0));
	plane<<<1, 8>>>(texture_of(m, NULL, cudaFilterModePoint, 1, 0, 2), at, out);
	OK(cudaDeviceSynchronize());
	CHECK(out[1] == texel(1, 3, 1, 0) && out[6] == texel(2, 1, 0, 0));
	plane<<<1, 8>>>(texture_of(m, NULL, cudaFilterModePoint, 0, 1, 2), at, out);
	OK(cudaDeviceSynchronize());
	CHECK(out[0] == texel(1, 0, 0, 0) && out[7] == texel(1, 2, 1, 0));

	/* Layers stay as many, the depth is halved. */
	others<<<1, 1>>>(texture_of(mipmap(make_cudaExtent(8, 0, 0), 4, 4, 0), NULL,
				 cudaFilterModePoint, 0, 0, 9),
		texture_of(mipmap(make_cudaExtent(4, 4, 8), 2, 2, 0), NULL, cudaFilterModePoint, 0,
			0, 9),
		texture_of(mipmap(make_cudaExtent(4, 4, 3), 3, 3, cudaArrayLayered), NULL,
			cudaFilterModePoint, 0, 0, 9),
		out);
	OK(cudaDeviceSynchronize());
	CHECK(out[0] == texel(2, 1, 0, 0));
	CHECK(out[1] == texel(1, 1, 0, 3));
	CHECK(out[2] == texel(1, 0, 1, 2));
	CHECK(out[3] == texel(0, 7, 0, 0));
	OK(cudaFreeMipmappedArray(m));
	CHECK(cudaFreeMipmappedArray(m) == cudaErrorInvalidResourceHandle);

	/* Each face in its middle, and a corner of each. */
	CHECK(cudaMalloc3DArray(&a, &d, make_cudaExtent(4, 2, 6), cudaArrayCubemap) ==
		cudaErrorInvalidValue);
	CHECK(cudaMalloc3DArray(&a, &d, make_cudaExtent(4, 4, 5), cudaArrayCubemap) ==
		cudaErrorInvalidValue);
	OK(cudaMalloc3DArray(&a, &d, make_cudaExtent(4, 4, 6), cudaArrayCubemap));
	fill(a, 0);
	const float3 axes[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
	/* A step towards growing s and t, from the CUDA guide's table: s = ±z or ±x, t = -y or ±z.
	 */
	const float3 steps[] = {
		{0, -1, -1}, {0, -1, 1}, {1, 0, 1}, {1, 0, -1}, {1, -1, 0}, {-1, -1, 0}};
	for (int i = 0; i < 6; i++) {
		at[i] = axes[i];
		at[6 + i] = make_float3(10 * axes[i].x + 9 * steps[i].x,
			10 * axes[i].y + 9 * steps[i].y, 10 * axes[i].z + 9 * steps[i].z);
	}
	cube<<<1, 12>>>(texture_of(NULL, a, cudaFilterModePoint, 0, 0, 0), at, out);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 6; i++)
		CHECK(out[i] == texel(0, 2, 2, i) && out[6 + i] == texel(0, 3, 3, i));

	OK(cudaMalloc3DArray(
		&a, &d, make_cudaExtent(4, 4, 12), cudaArrayCubemap | cudaArrayLayered));
	fill(a, 0);
	cubes<<<1, 1>>>(texture_of(NULL, a, cudaFilterModePoint, 0, 0, 0),
		texture_of(mipmap(make_cudaExtent(4, 4, 6), 3, 3, cudaArrayCubemap), NULL,
			cudaFilterModePoint, 0, 0, 9),
		out);
	OK(cudaDeviceSynchronize());
	CHECK(out[0] == texel(0, 2, 2, 6 + 3));
	CHECK(out[1] == texel(1, 1, 1, 5));
	CHECK(out[2] == out[0]);
	puts("PASSED");
}
