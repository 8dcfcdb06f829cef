/* Thrust and CUB, from whoever has their headers: vectors, and what runs over them. */
#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

constexpr int N = 5000, CTA = 128;

struct square {
	__host__ __device__ int operator()(int x) const
	{
		return x * x;
	}
};

__global__ void sums(const int *in, int *before, int *of_warps)
{
	typedef cub::BlockScan<int, CTA> scan;
	typedef cub::WarpReduce<int> reduce;
	__shared__ typename scan::TempStorage for_scan;
	__shared__ typename reduce::TempStorage for_reduce[CTA / 32];
	const int warp = threadIdx.x / 32;
	const int sum = reduce(for_reduce[warp]).Sum(in[threadIdx.x]);

	scan(for_scan).ExclusiveSum(in[threadIdx.x], before[threadIdx.x]);
	if (threadIdx.x % 32 == 0)
		of_warps[warp] = sum;
}

int main()
{
	thrust::host_vector<int> h(N);
	for (int i = 0; i < N; i++)
		h[i] = i * 7919 % 1009;
	thrust::device_vector<int> d = h, squares(N), before(N), of_warps(CTA / 32);
	long long want = 0;
	int bad = 0, sum = 0;

	thrust::transform(d.begin(), d.end(), squares.begin(), square());
	for (int x : h)
		want += x * x;
	bad += thrust::reduce(squares.begin(), squares.end(), 0ll) != want;

	thrust::exclusive_scan(d.begin(), d.end(), before.begin());
	thrust::host_vector<int> back = before;
	for (int i = 0; i < N; sum += h[i++])
		bad += back[i] != sum;

	sums<<<1, CTA>>>(d.data().get(), before.data().get(), of_warps.data().get());
	thrust::host_vector<int> again = before, warps = of_warps;
	for (int i = 0; i < CTA; i++)
		bad += again[i] != back[i];
	for (int w = 0; w < CTA / 32 - 1; w++)
		bad += warps[w] != back[w * 32 + 32] - back[w * 32];

	size_t bytes = 0;
	cub::DeviceReduce::Sum(nullptr, bytes, d.begin(), before.begin(), N);
	thrust::device_vector<char> room(bytes);
	cub::DeviceReduce::Sum(room.data().get(), bytes, d.begin(), before.begin(), N);
	bad += before[0] != sum;

	thrust::sort(d.begin(), d.end());
	std::sort(h.begin(), h.end());
	back = d;
	for (int i = 0; i < N; i++)
		bad += back[i] != h[i];
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
