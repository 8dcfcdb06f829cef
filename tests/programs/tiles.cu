/* Tiles of a block, smaller and larger than a warp: sums, maxima, what one thread has, ranks. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;
#define THREADS 512

template <unsigned N> __global__ void kernel(const int *in, int *out)
{
	__shared__ cg::block_tile_memory<THREADS> memory;
	auto block = cg::this_thread_block(memory);
	auto tile = cg::tiled_partition<N>(block);
	const int t = (int)block.thread_rank();
	int of[] = {cg::reduce(tile, in[t], cg::plus<int>()),
		cg::reduce(tile, in[t], cg::greater<int>()), tile.shfl(in[t], 5),
		tile.any(in[t] == 7), tile.all(in[t] >= in[0]), (int)tile.thread_rank(),
		(int)tile.meta_group_rank(), (int)tile.meta_group_size(), (int)tile.size()};
	int sum = 0;
	for (int v : of)
		sum = 7 * sum + v;
	tile.sync();
	out[t] = sum;
}

template <unsigned N> static int wrong(const int *in, int *out)
{
	kernel<N><<<1, THREADS>>>(in, out);
	int bad = cudaDeviceSynchronize() != 0;
	for (int t = 0; t < THREADS; t++) {
		const int n = (int)N, first = t / n * n;
		int of[] = {0, 0, in[first + 5], 0, 1, t - first, t / n, THREADS / n, n}, sum = 0;
		for (int i = first; i < first + n; i++) {
			of[0] += in[i];
			of[1] = in[i] > of[1] ? in[i] : of[1];
			of[3] |= in[i] == 7;
			of[4] &= in[i] >= in[0];
		}
		for (int v : of)
			sum = 7 * sum + v;
		bad += out[t] != sum;
	}
	return bad;
}

int main()
{
	int *in, *out;
	cudaMallocManaged(&in, THREADS * sizeof *in);
	cudaMallocManaged(&out, THREADS * sizeof *out);
	for (int i = 0; i < THREADS; i++)
		in[i] = i * 37 % 1009 + 3;
	in[300] = 7;
	in[400] = 1;
	const int bad = wrong<8>(in, out) + wrong<32>(in, out) + wrong<64>(in, out) +
			wrong<128>(in, out) + wrong<512>(in, out);
	puts(bad ? "FAILED" : "PASSED");
	return bad != 0;
}
