/*
 * PTX as nvcc writes it (test_ptx_parse.c): functions with structures by value and by address,
 * several returns, a switch, demoted and dynamic shared memory, asm with labels of its own.
 * calls.ptx: nvcc -ptx -lineinfo -arch=sm_75; debug.ptx: nvcc -ptx -G -arch=sm_75; both of CUDA
 * 13.0, compiled in the root directory.
 */
struct pair {
	int n;
	double x;
	char tag[9];
};

__constant__ float table[64];
__device__ int numbers[3] = {1, 2, 3};
__device__ int *second = &numbers[1];

__device__ __noinline__ int count(int n, const pair &p)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		if (!p.tag[i % 9])
			return -sum;
		sum += p.n;
	}
	return sum;
}

__device__ __noinline__ pair shift(pair p, float4 v)
{
	p.n += (int)v.x;
	return p;
}

__device__ __noinline__ int twice(int n, const pair &p)
{
	return n > 3 ? count(n, p) + count(n + 1, p) : 0;
}

extern "C" __global__ void __launch_bounds__(128, 2)
	calls(int *out, pair p, const float4 *__restrict__ in, int n)
{
	__shared__ float tile[128];
	extern __shared__ int dynamic[];
	int i = blockIdx.x * blockDim.x + threadIdx.x, r = 0;
	if (i >= n)
		return;
	float4 v = in[i];
	tile[threadIdx.x] = v.x;
	dynamic[threadIdx.x] = i;
	__syncthreads();
	pair q = shift(p, v);
	switch (n & 15) {
	case 0: r = out[1]; break;
	case 1: r = out[2] * 3; break;
	case 2: r = out[3] / 5; break;
	case 3: r = out[4] ^ i; break;
	case 4: r = (int)v.y; break;
	case 5: r = __popc(i); break;
	case 6: r = __clz(i); break;
	case 7: r = numbers[i & 1]; break;
	}
	asm volatile("{ .reg .pred p; AGAIN: setp.eq.s32 p, %0, 77; @p bra AGAIN; }" ::"r"(r));
	asm volatile("{ .reg .pred p; AGAIN: setp.eq.s32 p, %0, 78; @p bra AGAIN; }" ::"r"(r));
	out[i] = r + twice(n, q) + *second + (int)table[i & 63] + (int)tile[127 - threadIdx.x] +
		 dynamic[n & 127];
}
