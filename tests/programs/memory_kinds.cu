/* Constant, managed, mapped and registered memory, symbols, a linked list, and a loop on a flag. */
#include <cstdio>
#include <cstdlib>

struct node {
	int value;
	node *next;
};

__constant__ int scale[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__managed__ int total = 100;
__managed__ node *front;

__global__ void scaled(int n, const int *in, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = in[i] * scale[i & 3];
	if (i == 0)
		counter += 2;
}

__global__ void walk()
{
	for (node *at = front; at; at = at->next)
		total += at->value;
}

/* Halves what is not yet 1; says whether it did anything. */
__global__ void halve(int n, int *v, int *again)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && v[i] > 1) {
		v[i] /= 2;
		*again = 1;
	}
}

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d\n", __LINE__);                                     \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

int main()
{
	const int n = 100;
	int *in, *out, *mapped, h[n], factors[4] = {5, 6, 7, 8}, count = 0, again = 1, rounds = 0;
	int *registered = (int *)aligned_alloc(4096, 4096), *flag;
	node *nodes;

	/* constant memory, with its first values and with others; a device variable */
	CHECK(cudaMallocManaged(&in, sizeof(h)) == cudaSuccess);
	CHECK(cudaMalloc(&out, sizeof(h)) == cudaSuccess);
	for (int i = 0; i < n; i++)
		in[i] = i;
	scaled<<<1, 128>>>(n, in, out);
	cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost);
	for (int i = 0; i < n; i++)
		CHECK(h[i] == i * (1 + (i & 3)));
	CHECK(cudaMemcpyToSymbol(scale, factors, sizeof(factors)) == cudaSuccess);
	/* The last bytes of a variable, and one more than there are. */
	CHECK(!cudaMemcpyToSymbol(scale, &factors[3], 4, sizeof(factors) - 4));
	CHECK(cudaMemcpyToSymbol(scale, factors, 4, sizeof(factors) - 3) == cudaErrorInvalidValue);
	CHECK(cudaGetLastError() == cudaErrorInvalidValue);
	scaled<<<1, 128>>>(n, in, out);
	cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost);
	for (int i = 0; i < n; i++)
		CHECK(h[i] == i * (5 + (i & 3)));
	CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)) == cudaSuccess && count == 9);

	/* a list that the host makes and the device walks */
	cudaMallocManaged(&nodes, 10 * sizeof(node));
	for (int i = 0; i < 10; i++)
		nodes[i] = {i, i < 9 ? &nodes[i + 1] : nullptr};
	CHECK(total == 100);
	front = nodes;
	walk<<<1, 1>>>();
	CHECK(cudaDeviceSynchronize() == cudaSuccess);
	CHECK(total == 145);

	/* the host's memory under the device's hand */
	CHECK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped) == cudaSuccess);
	CHECK(cudaHostGetDevicePointer(&mapped, flag, 0) == cudaSuccess);
	CHECK(cudaHostRegister(registered, 4096, 0) == cudaSuccess);
	for (int i = 0; i < n; i++)
		registered[i] = i;
	for (; again; rounds++) {
		*flag = 0;
		halve<<<2, 64>>>(n, registered, mapped);
		cudaDeviceSynchronize();
		again = *flag;
	}
	CHECK(rounds == 7);
	CHECK(registered[99] == 1 && registered[1] == 1 && registered[0] == 0);
	CHECK(cudaHostUnregister(registered) == cudaSuccess);
#if CUDART_VERSION < 13000 /* from there on they name places otherwise */
	/* What was advised last of each kind stands. */
	const auto mostly = cudaMemRangeAttributeReadMostly, there = cudaMemRangeAttributePreferredLocation,
		   last = cudaMemRangeAttributeLastPrefetchLocation;
	auto told = [&](cudaMemRangeAttribute what) {
		int value = 9;
		cudaMemRangeGetAttribute(&value, sizeof(value), what, nodes, sizeof(*nodes));
		return value;
	};
	CHECK(!cudaMemAdvise(nodes, sizeof(*nodes), cudaMemAdviseSetReadMostly, 0));
	CHECK(!cudaMemPrefetchAsync(nodes, sizeof(*nodes), cudaCpuDeviceId));
	CHECK(!cudaMemAdvise(nodes, sizeof(*nodes), cudaMemAdviseSetPreferredLocation, 0));
	CHECK(told(mostly) == 1 && told(last) == cudaCpuDeviceId && told(there) == 0);
	CHECK(!cudaMemAdvise(nodes, sizeof(*nodes), cudaMemAdviseUnsetReadMostly, 0));
	CHECK(told(mostly) == 0 && told(last) == cudaCpuDeviceId && told(there) == 0);
	CHECK(!cudaMemAdvise(nodes, sizeof(*nodes), cudaMemAdviseUnsetPreferredLocation, 0));
	CHECK(told(there) == cudaInvalidDeviceId && told(last) == cudaCpuDeviceId);
#endif
	CHECK(cudaFree(in) == cudaSuccess && cudaFreeHost(flag) == cudaSuccess);
	CHECK(cudaGetLastError() == cudaSuccess);
	printf("PASSED\n");
	return 0;
}
