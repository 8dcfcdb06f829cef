/*
 * Variables and kernels of one file alone, static or in a namespace without a name, that the host
 * writes, reads and launches. With -D OTHER it is another file that has all the same names.
 */
#include <cstdio>

static __device__ int in = 1, out;
static __managed__ int shared = 2;
namespace {
__device__ int scale = 3;
__constant__ int table[4] = {4, 4, 4, 4};
__managed__ int unused = 5;
template <typename T> struct holder {
	static __device__ T value;
};
template <typename T> __device__ T holder<T>::value = 6;
__global__ void hidden()
{
	out += 1000000;
}
}

static __global__ void work()
{
	out = in + shared * 10 + scale * 100 + table[1] * 1000 + holder<int>::value * 10000;
}

static int result(int from)
{
	const int values[4] = {from, from, from, from};
	int got = 0;
	bool good = shared == 2 && unused == 5;

	good = good && !cudaMemcpyFromSymbol(&got, scale, sizeof(got)) && got == 3;
	cudaMemcpyToSymbol(in, values, sizeof(int));
	cudaMemcpyToSymbol(scale, values, sizeof(int));
	cudaMemcpyToSymbol(table, values, sizeof(values));
	cudaMemcpyToSymbol(holder<int>::value, values, sizeof(int));
	shared = from;
	work<<<1, 1>>>();
	hidden<<<1, 1>>>();
	good = good && !cudaMemcpyFromSymbol(&got, out, sizeof(got));
	return good ? got : -1;
}

#if defined(OTHER)
int other_result()
{
	return result(OTHER);
}
#else
#if defined(LINKED)
int other_result();
#else
static int other_result()
{
	return 1077777;
}
#endif

int main()
{
	const int mine = result(8), others = other_result();
	printf("%d %d\n", mine, others);
}
#endif
