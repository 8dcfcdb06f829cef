/*
 * Graphs node by node: kernels that wait for others in another order than they were added in, sets,
 * copies, a function of the host's, a graph within, new arguments for an executable graph, another
 * graph's for it, and what waits for itself. Each run's result is worked out on the host.
 */
#include <cstdio>

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d: %s\n", __LINE__,                                  \
				cudaGetErrorString(cudaGetLastError()));                           \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)
#define OK(call) CHECK((call) == cudaSuccess)

__global__ void affine(int *v, int factor, int summand)
{
	v[threadIdx.x] = v[threadIdx.x] * factor + summand;
}

static void count(void *n)
{
	++*(int *)n;
}

static cudaKernelNodeParams kernel(void **args)
{
	cudaKernelNodeParams p = {};
	p.func = (void *)affine;
	p.gridDim = dim3(1);
	p.blockDim = dim3(32);
	p.kernelParams = args;
	return p;
}

int main()
{
	int *v, host[32], called = 0, two = 2, three = 3, one = 1, seven = 7;
	cudaGraph_t graph, child, other;
	cudaGraphExec_t exec, within;
	cudaGraphNode_t set, times, plus, copy, fn, inner, empty, nodes[8];
	cudaGraphNodeType type;
	size_t n;

	OK(cudaMalloc(&v, sizeof(host)));
	OK(cudaGraphCreate(&graph, 0));
	void *plus_args[] = {&v, &one, &three}, *times_args[] = {&v, &two, &one};
	cudaKernelNodeParams p = kernel(plus_args), t = kernel(times_args);

	/* 5, then 5 * 2 + 1, then + 3, though the last one is added first. */
	OK(cudaGraphAddKernelNode(&plus, graph, NULL, 0, &p));
	cudaMemsetParams m = {};
	m.dst = v;
	m.value = 5;
	m.elementSize = 4;
	m.width = 32;
	m.height = 1;
	OK(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &m));
	OK(cudaGraphAddKernelNode(&times, graph, &set, 1, &t));
	OK(cudaGraphAddDependencies(graph, &times, &plus, 1));
	OK(cudaGraphAddMemcpyNode1D(
		&copy, graph, &plus, 1, host, v, sizeof(host), cudaMemcpyDeviceToHost));
	cudaHostNodeParams h = {count, &called};
	OK(cudaGraphAddHostNode(&fn, graph, &copy, 1, &h));
	OK(cudaGraphAddEmptyNode(&empty, graph, &fn, 1));
	n = SIZE_MAX;
	OK(cudaGraphGetNodes(graph, NULL, &n));
	CHECK(n == 6);
	n = 8;
	OK(cudaGraphGetRootNodes(graph, nodes, &n));
	CHECK(n == 1 && nodes[0] == set);
	OK(cudaGraphNodeGetType(times, &type));
	CHECK(type == cudaGraphNodeTypeKernel);
	OK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaDeviceSynchronize());
	CHECK(host[0] == 14 && host[31] == 14 && called == 1);

	/* The executable graph's kernel alone has other arguments now: 5 * 2 + 1, + 7. */
	void *seven_args[] = {&v, &one, &seven};
	cudaKernelNodeParams q = kernel(seven_args);
	OK(cudaGraphExecKernelNodeSetParams(exec, plus, &q));
	OK(cudaGraphLaunch(exec, 0));
	CHECK(host[5] == 18 && called == 2);
	OK(cudaGraphExecUpdate(exec, graph, NULL, NULL));
	OK(cudaGraphLaunch(exec, 0));
	CHECK(host[5] == 14 && called == 3);

	/* All of it within another graph, which is changed no more by what becomes of the first. */
	OK(cudaGraphCreate(&other, 0));
	OK(cudaGraphAddChildGraphNode(&inner, other, NULL, 0, graph));
	OK(cudaGraphClone(&child, other));
	OK(cudaGraphKernelNodeSetParams(plus, &q));
	OK(cudaGraphInstantiate(&within, child, NULL, NULL, 0));
	OK(cudaGraphDestroy(graph));
	OK(cudaGraphLaunch(within, 0));
	CHECK(host[9] == 14 && called == 4);
	CHECK(cudaGraphExecUpdate(within, other, NULL, NULL) == cudaSuccess);

	/* What waits for itself cannot be run, and a node of another graph is none to wait for. */
	OK(cudaGraphAddEmptyNode(&empty, other, &inner, 1));
	OK(cudaGraphAddDependencies(other, &empty, &inner, 1));
	CHECK(cudaGraphInstantiate(&exec, other, NULL, NULL, 0) == cudaErrorInvalidValue);
	CHECK(cudaGraphAddEmptyNode(&empty, child, &inner, 1) == cudaErrorInvalidValue);

	/* A long chain that is added from its end; then handles of what is there no more. */
	cudaGraphNode_t last = NULL;
	OK(cudaGraphCreate(&graph, 0));
	for (int i = 0; i < 16000; i++) {
		OK(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
		if (last)
			OK(cudaGraphAddDependencies(graph, &empty, &last, 1));
		last = empty;
	}
	OK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaGraphDestroy(graph));
	OK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph) == cudaErrorInvalidValue);
	CHECK(cudaGraphExecDestroy(exec) == cudaErrorInvalidValue);
	CHECK(cudaGraphLaunch(exec, 0) == cudaErrorInvalidValue);
	CHECK(cudaGraphNodeGetType(last, &type) == cudaErrorInvalidValue);
	CHECK(cudaGraphAddEmptyNode(&empty, graph, NULL, 0) == cudaErrorInvalidValue);
	CHECK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0) == cudaErrorInvalidValue);
	cudaGetLastError();
	puts("PASSED");
	return 0;
}
