/* printf, malloc, new and free in a kernel; with an argument, an assert that fails. */
#include <cassert>
#include <cstdio>

struct node {
	int value;
	node *next;
};

/* Each thread makes a list on the heap, prints its sum and gives it back. */
__global__ void lists(int n, int *sums)
{
	node *head = nullptr;
	int sum = 0;

	for (int i = 0; i < n; i++) {
		node *made = (node *)malloc(sizeof(node));
		assert(made);
		made->value = i * (threadIdx.x + 1);
		made->next = head;
		head = made;
	}
	while (head) {
		node *next = head->next;
		sum += head->value;
		free(head);
		head = next;
	}
	sums[threadIdx.x] = sum;
	if (threadIdx.x < 2)
		printf("thread %d of %s: %d, %.2f, %c%5u|%-4lld|\n", threadIdx.x, "lists", sum,
			sum / 3.0, 'x', 42u, -7ll);
}

/* More than the heap has if nobody asks for more. */
__global__ void large(int *got)
{
	char *p = (char *)malloc(20 << 20);
	*got = p != nullptr;
	if (p)
		p[(20 << 20) - 1] = 1;
	free(p);
}

/* A heap of 64 MiB has no room for a GiB, and after some blocks of 1 MiB none for another. */
__global__ void full(int *got)
{
	void *p = malloc(1 << 30);
	got[0] = !p;
	if (p)
		*(int *)p = 3;
	got[1] = new int[1 << 28] == nullptr;
	got[2] = got[3] = 0;
	while (malloc(1 << 20))
		got[2]++;
	while (new int)
		got[3]++;
}

__global__ void asserts(int n)
{
	assert(threadIdx.x != n);
}

int main(int argc, char **argv)
{
	int *sums, h[4];

	/* The heap may have another size until a kernel has taken of it. */
	if (cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20))
		return printf("FAILED: the heap's size\n");
	cudaMalloc(&sums, sizeof(h));
	lists<<<1, 4>>>(5, sums);
	cudaMemcpy(h, sums, sizeof(h), cudaMemcpyDeviceToHost);
	for (int i = 0; i < 4; i++)
		if (h[i] != 10 * (i + 1))
			return printf("FAILED\n");
	large<<<1, 1>>>(sums);
	cudaMemcpy(h, sums, sizeof(h[0]), cudaMemcpyDeviceToHost);
	if (!h[0])
		return printf("FAILED: a large block\n");
	if (cudaDeviceSetLimit(cudaLimitMallocHeapSize, 128 << 20) != cudaErrorInvalidValue)
		return printf("FAILED: the size of a heap in use\n");
	full<<<1, 1>>>(sums);
	cudaMemcpy(h, sums, sizeof(h), cudaMemcpyDeviceToHost);
	if (h[0] != 1 || h[1] != 1 || h[2] < 10 || h[2] > 64)
		return printf("FAILED: a full heap, %d %d %d\n", h[0], h[1], h[2]);
	if (argc > 1) {
		asserts<<<1, 4>>>(2);
		cudaError_t e = cudaDeviceSynchronize();
		printf("%s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e));
		return 5;
	}
	printf("PASSED\n");
	return 0;
}
