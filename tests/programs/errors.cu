/* What a program does wrong, and what the runtime says to it. The argument names the fault. */
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

__global__ void fill(int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = i;
}

__global__ void __launch_bounds__(64) bounded(int *p)
{
	*p = 1;
}

__global__ void odd(char *p)
{
	*(int *)(p + 2) = 1;
}

static void say(const char *what, cudaError_t e)
{
	printf("%s: %s\n", what, cudaGetErrorName(e));
}

int main(int argc, char **argv)
{
	const char *fault = argc > 1 ? argv[1] : "calls";
	int *p, host[4], *none;

	cudaMalloc(&p, 400);
	if (!strcmp(fault, "calls")) {
		say("malloc", cudaMalloc(&none, (size_t)1 << 50));
		say("free", cudaFree(p + 1));
		say("copy", cudaMemcpy(p, host, 401, cudaMemcpyHostToDevice));
		say("direction", cudaMemcpy(host, host, 4, cudaMemcpyHostToDevice));
		say("set", cudaMemset(p + 99, 0, 8));
		say("symbol", cudaMemcpyToSymbol((const void *)host, host, 4));
		fill<<<1, 2000>>>(p, 100);
		say("threads", cudaGetLastError());
		fill<<<0, 32>>>(p, 100);
		say("grid", cudaGetLastError());
		bounded<<<1, 65>>>(p);
		say("bounds", cudaGetLastError());
		fill<<<1, 32, 1 << 20>>>(p, 100);
		say("shared", cudaGetLastError());
		say("kernel", cudaLaunchKernel((const void *)host, dim3(1), dim3(1), nullptr, 0, 0));
		say("device", cudaSetDevice(1));
		cudaGetLastError();
		fill<<<1, 128>>>(p, 100);
		say("then", cudaDeviceSynchronize());
		say("last", cudaGetLastError());
	} else if (!strcmp(fault, "bounds")) {
		fill<<<1, 128>>>(p, 101);
		say("sync", cudaDeviceSynchronize());
		say("after", cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost));
	} else if (!strcmp(fault, "freed")) {
		cudaFree(p);
		fill<<<1, 128>>>(p, 100);
		say("sync", cudaDeviceSynchronize());
	} else if (!strcmp(fault, "misaligned")) {
		odd<<<1, 1>>>((char *)p);
		say("sync", cudaDeviceSynchronize());
	} else if (!strcmp(fault, "threads")) {
		std::vector<std::thread> threads;
		int bad[8] = {0};
		for (int t = 0; t < 8; t++)
			threads.emplace_back([t, &bad] {
				for (int round = 0; round < 20; round++) {
					int *q, back[100];
					cudaMalloc(&q, sizeof(back));
					fill<<<1, 128>>>(q, 100);
					cudaMemcpy(back, q, sizeof(back), cudaMemcpyDeviceToHost);
					cudaFree(q);
					for (int i = 0; i < 100; i++)
						bad[t] += back[i] != i;
				}
			});
		for (auto &t : threads)
			t.join();
		for (int b : bad)
			if (b)
				return printf("FAILED\n");
		printf("PASSED\n");
	}
	return 0;
}
