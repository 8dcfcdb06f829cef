/* Cooperative groups: a grid that waits for itself, tiles of a warp; half precision. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

__global__ void reverse(int *v, int n, int *out)
{
	cg::grid_group grid = cg::this_grid();
	cg::thread_block block = cg::this_thread_block();
	int i = grid.thread_rank();

	if (i < n)
		v[i] = i;
	grid.sync();
	if (i < n)
		out[i] = v[n - 1 - i];
	grid.sync();
	auto tile = cg::tiled_partition<16>(block);
	int sum = cg::reduce(tile, i < n ? out[i] : 0, cg::plus<int>());
	if (tile.thread_rank() == 0)
		atomicAdd(&v[n], sum);
}

__global__ void halves(__half *a, __half2 *b)
{
	int i = threadIdx.x;
	a[i] = a[i] * __float2half(2.0f) + __half(1.0f);
	b[i] = __hfma2(b[i], b[i], __float2half2_rn(0.5f));
}

template <class Tile> __device__ static int place(const Tile &tile)
{
	return (int)(tile.meta_group_rank() * 100 + tile.meta_group_size());
}
/* Tiles of the block are counted in the block, tiles of tiles in the tile, whoever knows of that. */
__global__ void places(int *out)
{
	cg::thread_block block = cg::this_thread_block();
	const auto warp = cg::tiled_partition<32>(block);
	const auto four = cg::tiled_partition<4>(warp);
	const cg::thread_block_tile<4> any = four;

	out += 5 * threadIdx.x;
	out[0] = place(warp);
	out[1] = place(four);
	out[2] = place(cg::tiled_partition<2>(four));
	out[3] = place(any);
	out[4] = place(cg::tiled_partition<16>(block));
}

static float rounded(float f)
{
	return __half2float(__float2half(f));
}

int main()
{
	int n = 1000, *v, *out, bad = 0;
	__half *a;
	__half2 *b;

	cudaMallocManaged(&v, (n + 1) * sizeof(int));
	cudaMallocManaged(&out, n * sizeof(int));
	v[n] = 0;
	void *args[] = {&v, &n, &out};
	bad += cudaLaunchCooperativeKernel((void *)reverse, dim3(8), dim3(128), args, 0, 0) != 0;
	bad += cudaDeviceSynchronize() != 0;
	for (int i = 0; i < n; i++)
		bad += out[i] != n - 1 - i;
	bad += v[n] != n * (n - 1) / 2;
	/* More CTAs than are resident could never meet. */
	bad += cudaLaunchCooperativeKernel((void *)reverse, dim3(100000), dim3(128), args, 0, 0) !=
	       cudaErrorCooperativeLaunchTooLarge;

	cudaMallocManaged(&a, 32 * sizeof(*a));
	cudaMallocManaged(&b, 32 * sizeof(*b));
	for (int i = 0; i < 32; i++) {
		a[i] = __float2half(i * 0.25f);
		b[i] = __floats2half2_rn(i, -i * 0.5f);
	}
	halves<<<1, 32>>>(a, b);
	cudaDeviceSynchronize();
	for (int i = 0; i < 32; i++) {
		bad += __half2float(a[i]) != i * 0.5f + 1;
		bad += __low2float(b[i]) != rounded((float)i * i + 0.5f);
		bad += __high2float(b[i]) != rounded(0.25f * i * i + 0.5f);
	}
	places<<<1, 72>>>(v);
	bad += cudaDeviceSynchronize() != 0;
	for (int i = 0; i < 72; i++) {
		bad += v[5 * i] != i / 32 * 100 + 3;
		bad += v[5 * i + 1] != i % 32 / 4 * 100 + 8;
		bad += v[5 * i + 2] != i % 4 / 2 * 100 + 2;
		bad += v[5 * i + 3] != v[5 * i + 1];
		bad += v[5 * i + 4] != i / 16 * 100 + 5;
	}
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
