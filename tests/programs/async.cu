/* Copies that a block makes together, and to which space an address belongs. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>

namespace cg = cooperative_groups;

__constant__ int fixed = 3;
__device__ int moved = 4;

/*
 * in[off, n) backwards, and the next 200 elements, of which wait_prior<1> need not wait. With a word
 * that C++17 has no more and nvcc takes.
 */
__global__ void backwards(const int *in, int *out, int n, int off)
{
	__shared__ __align__(16) int a[2][256];
	cg::thread_block block = cg::this_thread_block();
	const int t = (int)block.thread_rank();
	cg::memcpy_async(block, a[0] + off, in + off, sizeof(int) * (n - off));
	cg::memcpy_async(block, a[1], n, in + 256, 200);
	cg::wait_prior<1>(block);
	register int s = t >= off ? a[0][n - 1 - t + off] : 0;
	cg::wait(block);
	out[t] = s + (t < 200 ? a[1][t] : 0);
}

/* Bytes at odd places, by a warp. */
__global__ void bytes(const char *in, char *out)
{
	__shared__ char a[64];
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
	cg::memcpy_async(warp, (void *)(a + 1), (const void *)(in + 2), 61);
	cg::wait(warp);
	out[threadIdx.x] = a[1 + threadIdx.x];
}

__global__ void spaces(unsigned *out)
{
	__shared__ int shared;
	int local[4] = {(int)threadIdx.x};
	const void *of[] = {&moved, &shared, &fixed, local};
	for (int i = 0; i < 4; i++)
		out[i] = __isGlobal(of[i]) | __isShared(of[i]) << 1 | __isConstant(of[i]) << 2 |
			 __isLocal(of[i]) << 3;
}

int main()
{
	int *in, *out, bad = 0;
	cudaMallocManaged(&in, 512 * sizeof *in);
	cudaMallocManaged(&out, 256 * sizeof *out);
	for (int i = 0; i < 512; i++)
		in[i] = i * i;
	for (int off = 0; off < 4; off++) {
		backwards<<<1, 256>>>(in, out, 256, off);
		cudaDeviceSynchronize();
		for (int i = 0; i < 256; i++) {
			const int from = 255 - i + off, next = 256 + i;
			bad += out[i] != (i >= off ? from * from : 0) + (i < 200 ? next * next : 0);
		}
	}
	bytes<<<1, 32>>>((const char *)in, (char *)out);
	cudaDeviceSynchronize();
	for (int i = 0; i < 32; i++)
		bad += ((char *)out)[i] != ((char *)in)[i + 2];
	spaces<<<1, 1>>>((unsigned *)out);
	cudaDeviceSynchronize();
	for (int i = 0; i < 4; i++)
		bad += out[i] != 1 << i;
	puts(bad ? "FAILED" : "PASSED");
	return bad != 0;
}
