/* What a block does by CUB, and libcu++ on the device: of CCCL 2 and 3. */
#include <cstdio>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda/atomic>
#include <cuda/std/complex>
#include <cuda/std/tuple>

enum { N = 128 };

__global__ void k(int *p, int *sums, int *sorted)
{
	typedef cub::BlockReduce<int, N> reduce;
	typedef cub::BlockScan<int, N> scan;
	typedef cub::BlockRadixSort<int, N, 1> sort;
	__shared__ union {
		typename reduce::TempStorage reduce;
		typename scan::TempStorage scan;
		typename sort::TempStorage sort;
	} room;
	const int v = p[threadIdx.x];
	int upto, key[1] = {v};
	const int sum = reduce(room.reduce).Sum(v);
	__syncthreads();
	scan(room.scan).InclusiveSum(v, upto);
	__syncthreads();
	sort(room.sort).Sort(key);
	sums[threadIdx.x] = upto;
	sorted[threadIdx.x] = key[0];
	cuda::atomic_ref<int, cuda::thread_scope_device> count(p[N]);
	count.fetch_add(1);
	const cuda::std::complex<float> i(0, 1);
	const cuda::std::tuple<int, float> both(sum, (i * i).real());
	if (threadIdx.x == 0)
		p[N + 1] = cuda::std::get<0>(both) + (int)cuda::std::get<1>(both);
}

int main()
{
	int *p, *sums, *sorted, all = 0, bad = 0;
	cudaMallocManaged(&p, (N + 2) * sizeof(*p));
	cudaMallocManaged(&sums, N * sizeof(*sums));
	cudaMallocManaged(&sorted, N * sizeof(*sorted));
	for (int i = 0; i < N; i++)
		p[i] = i * 37 % N;
	p[N] = 0;
	k<<<1, N>>>(p, sums, sorted);
	bad += cudaDeviceSynchronize() != cudaSuccess;
	for (int i = 0; i < N; i++) {
		all += p[i];
		bad += sums[i] != all || sorted[i] != i;
	}
	bad += p[N] != N || p[N + 1] != all - 1;
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
