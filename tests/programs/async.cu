/* Copies that a block makes together, and to which space an address belongs. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

/* Four words to each thread, of which the last are zeros: three stages under way. */
__global__ void stages(const int *in, int *out, int zeros)
{
	__shared__ __align__(16) int a[4][32][4];
	const int t = threadIdx.x;
	for (int s = 0; s < 4; s++) {
		__pipeline_memcpy_async(a[s][t], in + (s * 32 + t) * 4, 8);
		__pipeline_memcpy_async(a[s][t] + 2, in + (s * 32 + t) * 4 + 2, 4);
		__pipeline_memcpy_async(a[s][t] + 3, in + (s * 32 + t) * 4 + 3, 4, 4);
		if (zeros)
			__pipeline_memcpy_async(a[s][t], in + (s * 32 + t) * 4, 16, zeros);
		__pipeline_commit();
	}
	int sum = 0;
	__pipeline_wait_prior(3);
	sum += a[0][t][0] + a[0][t][3];
	__pipeline_wait_prior(0);
	for (int s = 0; s < 4; s++)
		for (int i = 0; i < 4; i++)
			sum = sum * 3 + a[s][t][i];
	out[t] = sum;
}

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
	for (int zeros = 0; zeros < 16; zeros += 4) {
		stages<<<1, 32>>>(in, out, zeros);
		cudaDeviceSynchronize();
		for (int t = 0; t < 32; t++) {
			const int whole = zeros ? 4 - zeros / 4 : 3;
			int sum = in[t * 4] + (whole == 4 ? in[t * 4 + 3] : 0);
			for (int i = 0; i < 16; i++) {
				const int at = (i / 4 * 32 + t) * 4 + i % 4;
				sum = sum * 3 + (i % 4 < whole ? in[at] : 0);
			}
			bad += out[t] != sum;
		}
	}
	puts(bad ? "FAILED" : "PASSED");
	return bad != 0;
}
