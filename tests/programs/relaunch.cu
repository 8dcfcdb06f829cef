/*
 * The same kernel again and again, for what a launch costs: relaunch KERNEL LAUNCHES CTAS, of 256
 * threads. The kernel `moves` loads and stores, `counts` is in a loop. It says whether the result is
 * right, and how many processor seconds it took to fill its arrays, which are nobody's but its own.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

extern "C" __global__ void moves(const unsigned *x, unsigned *y)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	y[i] += x[i ^ 1];
}

extern "C" __global__ void counts(const unsigned *x, unsigned *y)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned v = x[i];

	for (int n = 0; n < 500; n++)
		v = v * 1664525 + 1013904223;
	y[i] += v;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	const bool loops = !strcmp(argv[1], "counts");
	const int launches = atoi(argv[2]), ctas = atoi(argv[3]), n = ctas * 256;
	const clock_t began = clock();
	std::vector<unsigned> h(n);
	unsigned *x, *y, last = n - 1, want = 0;

	for (int i = 0; i < n; i++)
		h[i] = i;
	const double own = double(clock() - began) / CLOCKS_PER_SEC;
	cudaMalloc(&x, n * sizeof(*x));
	cudaMalloc(&y, n * sizeof(*y));
	cudaMemcpy(x, h.data(), n * sizeof(*x), cudaMemcpyHostToDevice);
	cudaMemset(y, 0, n * sizeof(*y));
	for (int i = 0; i < launches; i++)
		(loops ? counts : moves)<<<ctas, 256>>>(x, y);
	cudaMemcpy(h.data(), y, n * sizeof(*y), cudaMemcpyDeviceToHost);
	for (int i = 0; loops && i < 500; i++)
		last = last * 1664525 + 1013904223;
	want = (loops ? last : last ^ 1) * launches;
	printf("%s %.6f\n", h[n - 1] == want ? "PASSED" : "FAILED", own);
	return h[n - 1] != want;
}
