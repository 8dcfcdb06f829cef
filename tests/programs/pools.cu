/*
 * Memory in the order of a stream: pools and what they count, memory of graphs by nodes and by
 * capture, its address in each launch, frees that nothing is left of, and what is refused.
 */
#include <cstdio>
#include <cstring>

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d: %s\n", __LINE__,                                  \
				cudaGetErrorString(cudaGetLastError()));                           \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)
#define OK(call) CHECK((call) == cudaSuccess)

__global__ void fill(int *v, int value)
{
	v[threadIdx.x] = value + (int)threadIdx.x;
}

__global__ void add(int *to, const int *v)
{
	to[threadIdx.x] += v[threadIdx.x];
}

static unsigned long long used(cudaMemPool_t pool, cudaMemPoolAttr attr)
{
	unsigned long long n = ~0ull;
	cudaMemPoolGetAttribute(pool, attr, &n);
	return n;
}

static int pools()
{
	cudaMemPool_t usual, own, now;
	cudaMemPoolProps props = {};
	unsigned long long most = 1 << 20, zero = 0;
	cudaStream_t stream;
	int *a, *b, *c, host[32], yes = 1, no = 0;

	OK(cudaStreamCreate(&stream));
	OK(cudaDeviceGetDefaultMemPool(&usual, 0));
	OK(cudaMallocAsync(&a, sizeof(host), stream));
	CHECK(used(usual, cudaMemPoolAttrUsedMemCurrent) == sizeof(host));
	fill<<<1, 32, 0, stream>>>(a, 5);
	OK(cudaMemcpyAsync(host, a, sizeof(host), cudaMemcpyDeviceToHost, stream));
	OK(cudaFreeAsync(a, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(host[31] == 36);
	CHECK(used(usual, cudaMemPoolAttrUsedMemCurrent) == 0);
	CHECK(used(usual, cudaMemPoolAttrUsedMemHigh) == sizeof(host));
	OK(cudaMemPoolSetAttribute(usual, cudaMemPoolAttrUsedMemHigh, &zero));
	CHECK(used(usual, cudaMemPoolAttrUsedMemHigh) == 0);
	CHECK(cudaFreeAsync(a, stream) == cudaErrorInvalidValue);

	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = cudaMemLocationTypeDevice;
	OK(cudaMemPoolCreate(&own, &props));
	OK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &most));
	OK(cudaMemPoolSetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &no));
	OK(cudaMemPoolGetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &yes));
	CHECK(yes == 0);
	OK(cudaDeviceSetMemPool(0, own));
	OK(cudaDeviceGetMemPool(&now, 0));
	CHECK(now == own);
	OK(cudaMallocAsync(&a, 1000, stream));
	OK(cudaMallocFromPoolAsync(&b, 2000, usual, stream));
	OK(cudaMallocAsync(&c, 500, usual, stream));
	CHECK(used(own, cudaMemPoolAttrUsedMemCurrent) == 1000);
	CHECK(used(usual, cudaMemPoolAttrUsedMemCurrent) == 2500);
	OK(cudaFree(a));
	CHECK(used(own, cudaMemPoolAttrReservedMemCurrent) == 1000);
	OK(cudaMemPoolTrimTo(own, 0));
	CHECK(used(own, cudaMemPoolAttrReservedMemCurrent) == 0);
	OK(cudaMemPoolDestroy(own));
	CHECK(cudaMemPoolDestroy(own) == cudaErrorInvalidValue);
	CHECK(cudaMallocFromPoolAsync(&a, 8, own, stream) == cudaErrorInvalidValue);
	OK(cudaFreeAsync(b, stream));
	OK(cudaFreeAsync(c, stream));
	CHECK(used(usual, cudaMemPoolAttrUsedMemCurrent) == 0);
	cudaGetLastError();
	return 0;
}

static int graphs()
{
	cudaGraph_t graph, captured;
	cudaGraphExec_t exec, frees;
	cudaGraphNode_t get, set, sum, give;
	cudaMemAllocNodeParams m = {};
	cudaKernelNodeParams k = {};
	cudaStream_t stream;
	int *to, *v, host[32], hundred = 100;
	size_t before, after, all;
	void *freed;

	OK(cudaStreamCreate(&stream));
	OK(cudaMalloc(&to, sizeof(host)));
	OK(cudaMemset(to, 0, sizeof(host)));
	OK(cudaMemGetInfo(&before, &all));
	OK(cudaGraphCreate(&graph, 0));
	m.bytesize = sizeof(host);
	OK(cudaGraphAddMemAllocNode(&get, graph, NULL, 0, &m));
	void *fill_args[] = {&m.dptr, &hundred}, *add_args[] = {&to, &m.dptr};
	k.func = (void *)fill;
	k.gridDim = dim3(1);
	k.blockDim = dim3(32);
	k.kernelParams = fill_args;
	OK(cudaGraphAddKernelNode(&set, graph, &get, 1, &k));
	k.func = (void *)add;
	k.kernelParams = add_args;
	OK(cudaGraphAddKernelNode(&sum, graph, &set, 1, &k));
	OK(cudaGraphAddMemFreeNode(&give, graph, &sum, 1, m.dptr));
	OK(cudaGraphMemFreeNodeGetParams(give, &freed));
	CHECK(freed == m.dptr);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < 3; i++)
		OK(cudaGraphLaunch(exec, stream));
	OK(cudaMemcpy(host, to, sizeof(host), cudaMemcpyDeviceToHost));
	CHECK(host[31] == 3 * 131);
	/* What is not lent to the program is not the program's to free. */
	CHECK(cudaFree(m.dptr) == cudaErrorInvalidValue);
	OK(cudaGraphDestroy(graph));
	OK(cudaGraphExecDestroy(exec));

	/* By capture, and what a launch leaves is freed before the next one only if asked for. */
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	OK(cudaMallocAsync(&v, sizeof(host), stream));
	fill<<<1, 32, 0, stream>>>(v, 7);
	OK(cudaStreamEndCapture(stream, &captured));
	OK(cudaGraphInstantiate(&exec, captured, 0));
	OK(cudaGraphInstantiateWithFlags(&frees, captured, cudaGraphInstantiateFlagAutoFreeOnLaunch));
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaMemcpy(host, v, sizeof(host), cudaMemcpyDeviceToHost));
	CHECK(host[31] == 38);
	CHECK(cudaGraphLaunch(exec, stream) == cudaErrorInvalidValue);
	OK(cudaGraphLaunch(frees, stream));
	OK(cudaGraphLaunch(frees, stream));
	OK(cudaGraphDestroy(captured));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphExecDestroy(frees));
	OK(cudaMemcpy(host, v, sizeof(host), cudaMemcpyDeviceToHost));
	CHECK(host[0] == 7);
	OK(cudaFreeAsync(v, stream));
	CHECK(cudaFree(v) == cudaErrorInvalidValue);
	OK(cudaMemGetInfo(&after, &all));
	CHECK(before == after);
	cudaGetLastError();
	return 0;
}

int main()
{
	cudaIpcMemHandle_t handle;

	if (pools() || graphs())
		return 1;
	CHECK(cudaIpcGetMemHandle(&handle, NULL) == cudaErrorNotSupported);
	CHECK(cudaIpcGetMemHandle(&handle, NULL) == cudaErrorNotSupported);
	puts("PASSED");
}
