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
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
