/*
 * Textures by reference and by object: linear memory, arrays, layers, filtering, address modes; and
 * a surface object that fills an array.
 */
#include <cmath>
#include <cstdio>
#include <vector>

texture<int> numbers;
texture<float, 2, cudaReadModeElementType> picture;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> bytes;

__global__ void by_reference(int n, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = tex1Dfetch(numbers, i) + tex1Dfetch(numbers, n - 1 - i);
}

__global__ void sample(float *out, float x, float y)
{
	out[0] = tex2D(picture, x, y);
	out[1] = tex2D(bytes, x, y);
}

__global__ void by_object(cudaTextureObject_t t, float *out, const float2 *at, int n)
{
	int i = threadIdx.x;
	if (i < n)
		out[i] = tex2D<float>(t, at[i].x, at[i].y);
}

__global__ void vectors(cudaTextureObject_t t, float4 *out)
{
	out[threadIdx.x] = tex1Dfetch<float4>(t, (int)threadIdx.x - 1);
}

__global__ void integers(cudaTextureObject_t t, int *out)
{
	out[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x);
}

__global__ void layers(cudaTextureObject_t t, float *out)
{
	out[threadIdx.x] = tex2DLayered<float>(t, 1.5f, 0.5f, threadIdx.x);
}

__global__ void solid(cudaTextureObject_t t, float *out)
{
	out[threadIdx.x] = tex3D<float>(t, 0.5f, 1.5f, threadIdx.x + 0.5f);
}

__global__ void fill(cudaSurfaceObject_t s)
{
	int x = threadIdx.x * sizeof(float), y = threadIdx.y;
	float v = 100 + 10 * y + threadIdx.x;
	asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], %3;"
		:
		: "l"(s), "r"(x), "r"(y), "f"(v)
		: "memory");
}

/* A surface of Ts: what is written is read, and beyond its edges zeros, or what is nearest. */
template <class T> static __host__ __device__ T element(int at)
{
	T v;
	for (unsigned i = 0; i < sizeof(T); i++)
		((unsigned char *)&v)[i] = (unsigned char)(at * 17 + i);
	return v;
}
template <class T> static __device__ bool is(const T &v, int at)
{
	const T want = element<T>(at);
	for (unsigned i = 0; i < sizeof(T); i++)
		if (((unsigned char *)&v)[i] != (at < 0 ? 0 : ((unsigned char *)&want)[i]))
			return false;
	return true;
}
template <class T> __global__ void write_surface(cudaSurfaceObject_t s, int dims, int width)
{
	const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, b = x * (int)sizeof(T);
	const T v = element<T>((z * blockDim.y + y) * width + x);
	if (dims == 1)
		surf1Dwrite(v, s, b);
	else if (dims == 2)
		surf2Dwrite(v, s, b, y, x ? cudaBoundaryModeTrap : cudaBoundaryModeZero);
	else if (dims == 3)
		surf3Dwrite(v, s, b, y, z, cudaBoundaryModeClamp);
	else if (dims == 4)
		surf1DLayeredwrite(v, s, b, y);
	else
		surf2DLayeredwrite(v, s, b, y, z);
	if (dims == 2 && x == 0)
		surf2Dwrite(element<T>(99), s, -(int)sizeof(T), y, cudaBoundaryModeZero);
}
template <class T> __global__ void read_surface(
	cudaSurfaceObject_t s, int dims, int width, int *bad)
{
	const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, b = x * (int)sizeof(T);
	const int at = (z * (int)blockDim.y + y) * width + x;
	T v;
	if (dims == 1)
		surf1Dread(&v, s, b);
	else if (dims == 2)
		v = surf2Dread<T>(s, b, y, cudaBoundaryModeZero);
	else if (dims == 3)
		surf3Dread(&v, s, b, y, z, cudaBoundaryModeTrap);
	else if (dims == 4)
		v = surf1DLayeredread<T>(s, b, y);
	else
		v = surf2DLayeredread<T>(s, b, y, z);
	if (!is(v, at))
		atomicAdd(bad, 1);
	if (dims != 2)
		return;
	surf2Dread(&v, s, b, -1 - y, cudaBoundaryModeClamp);
	if (!is(v, x))
		atomicAdd(bad, 1);
	surf2Dread(&v, s, b + width * (int)sizeof(T), y, cudaBoundaryModeZero);
	if (!is(v, -1))
		atomicAdd(bad, 1);
}
template <class T> static int surfaces()
{
	const int width = 8, height = 4, depth = 3;
	const auto format = cudaCreateChannelDesc<T>();
	int *bad, all = 0;
	cudaMallocManaged(&bad, sizeof(*bad));
	for (int dims = 1; dims <= 5; dims++) {
		const int h = dims == 1 ? 1 : height, d = dims == 3 || dims == 5 ? depth : 1;
		const cudaExtent extent = dims == 4 ? make_cudaExtent(width, 0, height)
					  : dims == 1
						? make_cudaExtent(width, 0, 0)
						: make_cudaExtent(width, height, d > 1 ? d : 0);
		cudaArray_t array;
		cudaSurfaceObject_t s;
		cudaResourceDesc r = {};
		all += cudaMalloc3DArray(&array, &format, extent,
			       cudaArraySurfaceLoadStore | (dims > 3 ? cudaArrayLayered : 0)) != 0;
		r.resType = cudaResourceTypeArray;
		r.res.array.array = array;
		all += cudaCreateSurfaceObject(&s, &r) != 0;
		*bad = 0;
		write_surface<T><<<1, dim3(width, h, d)>>>(s, dims, width);
		read_surface<T><<<1, dim3(width, h, d)>>>(s, dims, width, bad);
		all += cudaDeviceSynchronize() != 0;
		if (*bad)
			printf("%zu bytes, %d dimensions: %d wrong\n", sizeof(T), dims, *bad);
		all += *bad;
	}
	return all;
}

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d\n", __LINE__);                                     \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

int main()
{
	enum { W = 8, H = 4, D = 3 };
	float image[H][W], cube[D][H][W], *out;
	unsigned char gray[H][W];
	int *in, *sums;
	cudaArray_t array, gray_array, block;
	auto format = cudaCreateChannelDesc<float>();

	CHECK(!cudaMallocManaged(&out, 64 * sizeof(float)));
	CHECK(!cudaMallocManaged(&in, 100 * sizeof(int)) && !cudaMallocManaged(&sums, 101 * sizeof(int)));
	for (int i = 0; i < 100; i++)
		in[i] = i * i;
	CHECK(!cudaBindTexture(NULL, numbers, in, 100 * sizeof(int)));
	by_reference<<<1, 128>>>(100, sums);
	CHECK(!cudaDeviceSynchronize());
	for (int i = 0; i < 100; i++)
		CHECK(sums[i] == i * i + (99 - i) * (99 - i));
	/* Bound with more bytes than there are it has those that there are, and zeros behind them. */
	CHECK(!cudaBindTexture(NULL, numbers, in, (size_t)1 << 28));
	by_reference<<<1, 128>>>(101, sums);
	CHECK(!cudaDeviceSynchronize());
	for (int i = 0; i < 100; i++)
		CHECK(sums[i] == i * i + (i ? (100 - i) * (100 - i) : 0));
	CHECK(!cudaUnbindTexture(numbers));

	for (int z = 0; z < D; z++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++) {
				image[y][x] = 10 * y + x;
				gray[y][x] = 50 * y + x;
				cube[z][y][x] = 100 * z + 10 * y + x;
			}
	CHECK(!cudaMallocArray(&array, &format, W, H));
	CHECK(!cudaMemcpy2DToArray(array, 0, 0, image, sizeof(image[0]), sizeof(image[0]), H,
		cudaMemcpyHostToDevice));
	/* 15 texels of its rows into rows of three, from the second place on. */
	float narrow[6][3];
	cudaArray_t rows;
	CHECK(!cudaMallocArray(&rows, &format, 3, 6));
	CHECK(!cudaMemcpyArrayToArray(
		rows, sizeof(float), 0, array, 6 * sizeof(float), 1, 15 * sizeof(float)));
	CHECK(!cudaMemcpyFromArray(narrow, rows, 0, 0, sizeof(narrow), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 15; i++)
		CHECK(narrow[(1 + i) / 3][(1 + i) % 3] == image[1 + (6 + i) / W][(6 + i) % W]);
	CHECK(!cudaFreeArray(rows));
	auto gray_format = cudaCreateChannelDesc<unsigned char>();
	CHECK(!cudaMallocArray(&gray_array, &gray_format, W, H));
	CHECK(!cudaMemcpyToArray(gray_array, 0, 0, gray, sizeof(gray), cudaMemcpyHostToDevice));
	picture.filterMode = cudaFilterModeLinear;
	CHECK(!cudaBindTextureToArray(picture, array) && !cudaBindTextureToArray(bytes, gray_array));
	sample<<<1, 1>>>(out, 2.75f, 1.5f);
	CHECK(!cudaDeviceSynchronize());
	CHECK(out[0] == 12.25f && std::fabs(out[1] - 52 / 255.0f) < 1e-6f);

	/* an object with coordinates from 0 to 1 that wrap in x and clamp in y */
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};
	cudaTextureObject_t t;
	r.resType = cudaResourceTypeArray;
	r.res.array.array = array;
	d.addressMode[0] = cudaAddressModeWrap;
	d.addressMode[1] = cudaAddressModeClamp;
	d.normalizedCoords = 1;
	float2 *at;
	CHECK(!cudaMallocManaged(&at, 4 * sizeof(*at)));
	at[0] = {0.5f / W, 0.5f / H};
	at[1] = {1 + 2.5f / W, 0.5f / H};
	at[2] = {-0.5f / W, 2.5f / H};
	at[3] = {3.5f / W, 9.0f};
	CHECK(!cudaCreateTextureObject(&t, &r, &d, NULL));
	by_object<<<1, 32>>>(t, out, at, 4);
	CHECK(!cudaDeviceSynchronize());
	CHECK(out[0] == 0 && out[1] == 2 && out[2] == 27 && out[3] == 33);
	CHECK(!cudaDestroyTextureObject(t));

	/* an array that a kernel fills */
	cudaSurfaceObject_t s;
	CHECK(!cudaMallocArray(&block, &format, W, H, cudaArraySurfaceLoadStore));
	r.res.array.array = block;
	CHECK(!cudaCreateSurfaceObject(&s, &r) && !cudaCreateTextureObject(&t, &r, &d, NULL));
	fill<<<1, dim3(W, H)>>>(s);
	by_object<<<1, 32>>>(t, out, at, 4);
	CHECK(!cudaDeviceSynchronize());
	CHECK(out[0] == 100 && out[1] == 102 && out[2] == 127 && out[3] == 133);
	CHECK(!cudaDestroyTextureObject(t) && !cudaDestroySurfaceObject(s));
	CHECK(cudaDestroySurfaceObject(s) == cudaErrorInvalidValue && !cudaFreeArray(block));

	CHECK(!surfaces<unsigned char>() && !surfaces<short>() && !surfaces<float>());
	CHECK(!surfaces<uchar4>() && !surfaces<int2>() && !surfaces<float4>());

	/* linear memory: what is beyond it is zero */
	float4 *quads, *got;
	CHECK(!cudaMallocManaged(&quads, 4 * sizeof(*quads)) && !cudaMallocManaged(&got, 8 * sizeof(*got)));
	for (int i = 0; i < 4; i++)
		quads[i] = make_float4(i + 1, 2 * i, 3 * i, 4 * i);
	r = {};
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = quads;
	r.res.linear.desc = cudaCreateChannelDesc<float4>();
	r.res.linear.sizeInBytes = 4 * sizeof(*quads);
	d = {};
	CHECK(!cudaCreateTextureObject(&t, &r, &d, NULL));
	vectors<<<1, 6>>>(t, got);
	CHECK(!cudaDeviceSynchronize());
	CHECK(got[0].x == 0 && got[1].x == 1 && got[4].x == 4 && got[4].w == 12 && got[5].x == 0);

	/* integers of 32 bits are read as they are */
	r.res.linear.devPtr = in;
	r.res.linear.desc = cudaCreateChannelDesc<int>();
	r.res.linear.sizeInBytes = 100 * sizeof(int);
	d.readMode = cudaReadModeNormalizedFloat;
	CHECK(!cudaCreateTextureObject(&t, &r, &d, NULL));
	integers<<<1, 100>>>(t, sums);
	CHECK(!cudaDeviceSynchronize());
	for (int i = 0; i < 100; i++)
		CHECK(sums[i] == i * i);

	/* layers, and the same texels as a solid */
	for (int layered = 1; layered >= 0; layered--) {
		CHECK(!cudaMalloc3DArray(&block, &format, make_cudaExtent(W, H, D),
			layered ? cudaArrayLayered : 0));
		cudaMemcpy3DParms copy = {};
		copy.srcPtr = make_cudaPitchedPtr(cube, W * sizeof(float), W, H);
		copy.dstArray = block;
		copy.extent = make_cudaExtent(W, H, D);
		copy.kind = cudaMemcpyHostToDevice;
		CHECK(!cudaMemcpy3D(&copy));
		r = {};
		r.resType = cudaResourceTypeArray;
		r.res.array.array = block;
		d = {};
		d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
		CHECK(!cudaCreateTextureObject(&t, &r, &d, NULL));
		if (layered)
			layers<<<1, D>>>(t, out);
		else
			solid<<<1, D>>>(t, out);
		CHECK(!cudaDeviceSynchronize());
		for (int z = 0; z < D; z++)
			CHECK(out[z] == (layered ? 100 * z + 1 : 100 * z + 10));
		CHECK(!cudaDestroyTextureObject(t) && !cudaFreeArray(block));
	}
	CHECK(cudaFreeArray(block) == cudaErrorInvalidResourceHandle);
	printf("PASSED\n");
	return 0;
}
