/*
 * Threads that share memory. By the first argument: right (nothing races), or one that races: raw,
 * war, waw, warp (lanes of one warp), part (a barrier that too few reach), unwritten, copied, set
 * (global memory of which nobody wrote a half, in the latter two that of each row).
 */
#include <cstdio>
#include <cstring>

/* Each thread's own place in order, all threads' places once barriers are behind it. */
__global__ void right(int *out, int n)
{
	__shared__ int s[128], sum, flag, word, ready;
	__shared__ char bytes[128];
	volatile __shared__ int spoken[128];
	const int i = threadIdx.x;

	s[i] = i;
	bytes[i] = (char)i; /* neighbours, of one word */
	flag = 7;           /* all the same */
	if (i == 0)
		sum = ready = 0;
	__syncthreads();
	const int from = s[127 - i] + bytes[127 - i] + flag;
	__syncthreads();
	s[i] = from;
	atomicAdd(&sum, from);
	/* In a warp, with its own barrier, and by volatile accesses without one. */
	__syncwarp();
	const int next = s[i ^ 1];
	__syncwarp();
	s[i] = next;
	spoken[i] = i;
	const int heard = spoken[i ^ 1];
	/* Half of the warps hand over to the other half. */
	if (i < 64) {
		bytes[i] = 1;
		asm volatile("bar.arrive 1, 128;" ::: "memory");
	} else {
		asm volatile("bar.sync 1, 128;" ::: "memory");
		flag = bytes[i - 64];
	}
	/* A word, and a flag behind a fence. */
	if (i == 0) {
		word = 5;
		__threadfence_block();
		*(volatile int *)&ready = 1;
	} else if (i >= 32) {
		while (!*(volatile int *)&ready)
			;
		s[i] = word;
	}
	__syncthreads();
	out[i] = sum + heard + flag + n;
}

__global__ void raw(int *out)
{
	__shared__ int s[64];
	const int i = threadIdx.x;

	s[i] = i;
	out[i] = s[63 - i];
}

__global__ void war(int *out)
{
	__shared__ int s[64];
	const int i = threadIdx.x;

	s[i] = i;
	__syncthreads();
	const int v = s[63 - i];
	s[i] = v + 100;
	out[i] = v;
}

__global__ void waw(int *out)
{
	__shared__ int s;

	s = threadIdx.x / 32;
	__syncthreads();
	out[threadIdx.x] = s;
}

__global__ void warp(int *out)
{
	__shared__ int s[32];
	const int i = threadIdx.x;

	s[i] = i;
	out[i] = s[i ^ 1];
}

/* Warps 0 and 1 meet; warp 2 does not. */
__global__ void part(int *out)
{
	__shared__ int s[96];
	const int i = threadIdx.x;

	s[i] = i;
	if (i < 64) {
		asm volatile("bar.sync 1, 64;" ::: "memory");
		out[i] = s[(i + 32) % 96];
	}
}

__global__ void unwritten(const int *in, int *out)
{
	out[threadIdx.x] = in[threadIdx.x];
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "right";
	int *out, *in, rows[32] = {};

	cudaMalloc(&out, 512);
	cudaMalloc(&in, 256);
	if (!strcmp(what, "copied"))
		cudaMemcpy2D(in, 32, rows, 16, 16, 8, cudaMemcpyHostToDevice);
	else if (!strcmp(what, "set"))
		cudaMemset2D(in, 32, 0, 16, 8);
	else
		cudaMemset(in, 0, 128);
	if (!strcmp(what, "right"))
		right<<<2, 128>>>(out, 0);
	else if (!strcmp(what, "raw"))
		raw<<<1, 64>>>(out);
	else if (!strcmp(what, "war"))
		war<<<1, 64>>>(out);
	else if (!strcmp(what, "waw"))
		waw<<<1, 64>>>(out);
	else if (!strcmp(what, "warp"))
		warp<<<1, 32>>>(out);
	else if (!strcmp(what, "part"))
		part<<<1, 96>>>(out);
	else
		unwritten<<<1, 64>>>(in, out);
	puts(cudaGetErrorString(cudaDeviceSynchronize()));
	return 0;
}
