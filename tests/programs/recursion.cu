/* Functions of kernels that call themselves, held against the same on the CPU. An argument: with a
 * stack that is too small. */
#include <cstdio>
#include <cstdlib>

__host__ __device__ int ackermann(int m, int n)
{
	return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__host__ __device__ void sort(int *v, int lo, int hi)
{
	int at = lo, pivot = v[hi];
	if (lo >= hi)
		return;
	for (int i = lo; i < hi; i++)
		if (v[i] < pivot) {
			int t = v[i];
			v[i] = v[at];
			v[at++] = t;
		}
	v[hi] = v[at];
	v[at] = pivot;
	sort(v, lo, at - 1);
	sort(v, at + 1, hi);
}

struct shape {
	__host__ __device__ virtual double area(int depth) const = 0;
};
struct square : shape {
	double side;
	__host__ __device__ double area(int) const override { return side * side; }
};
struct both : shape {
	const shape *a, *b;
	__host__ __device__ double area(int depth) const override
	{
		return depth ? a->area(depth - 1) + b->area(depth - 1) : 0;
	}
};

__host__ __device__ double tree(int k)
{
	square s;
	both low, high, all;
	s.side = k;
	low.a = low.b = &s;
	high.a = &low;
	high.b = &s;
	all.a = &high;
	all.b = &low;
	const shape *top = &all;
	return top->area(k % 4 + 1);
}

__global__ void run(int *a, int *v, double *d)
{
	int i = threadIdx.x;
	a[i] = ackermann(i % 4, i % 5);
	sort(v + 16 * i, 0, 15);
	d[i] = tree(i);
}

int main(int argc, char **)
{
	int *a, *v, *w = (int *)malloc(64 * 16 * sizeof(int)), bad = 0;
	double *d;
	cudaMallocManaged(&a, 64 * sizeof(int));
	cudaMallocManaged(&v, 64 * 16 * sizeof(int));
	cudaMallocManaged(&d, 64 * sizeof(double));
	if (argc < 2)
		cudaDeviceSetLimit(cudaLimitStackSize, 16384);
	for (int i = 0; i < 64 * 16; i++)
		v[i] = w[i] = i * 7919 % 1009;
	run<<<1, 64>>>(a, v, d);
	printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
	for (int i = 0; i < 64; i++) {
		sort(w + 16 * i, 0, 15);
		bad += a[i] != ackermann(i % 4, i % 5) || d[i] != tree(i);
	}
	for (int i = 0; i < 64 * 16; i++)
		bad += v[i] != w[i];
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
