/* printf, malloc and free in a kernel; with an argument, an assert that fails. */
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

__global__ void asserts(int n)
{
	assert(threadIdx.x != n);
}

int main(int argc, char **argv)
{
	int *sums, h[4];

	cudaMalloc(&sums, sizeof(h));
	lists<<<1, 4>>>(5, sums);
	cudaMemcpy(h, sums, sizeof(h), cudaMemcpyDeviceToHost);
	for (int i = 0; i < 4; i++)
		if (h[i] != 10 * (i + 1))
			return printf("FAILED\n");
	if (argc > 1) {
		asserts<<<1, 4>>>(2);
		cudaError_t e = cudaDeviceSynchronize();
		printf("%s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e));
		return 5;
	}
	printf("PASSED\n");
	return 0;
}
