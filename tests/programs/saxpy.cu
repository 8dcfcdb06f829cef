/* The first program that one writes: y = a x + y, checked by the host. */
#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 1000;
	std::vector<float> h(n);
	float *x, *y;
	int bad = 0;

	for (int i = 0; i < n; i++)
		h[i] = i;
	cudaMalloc(&x, n * sizeof(float));
	cudaMalloc(&y, n * sizeof(float));
	cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
	cudaMemcpy(y, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
	saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
	cudaMemcpy(h.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
	for (int i = 0; i < n; i++)
		bad += h[i] != 3.0f * i;
	cudaFree(x);
	cudaFree(y);
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad ? 3 : 0;
}
